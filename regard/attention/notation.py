"""Masks and scores written as text, for the command line and the page: read by a whitelist, never evaluated.

>>> parse_mask("causal & window(256) & ~strided(4)")
Causal() & Window(before=256, after=0) & ~Strided(stride=4)
"""

import ast
import inspect
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.attention.masks.documents import Documents, Prefix
from regard.attention.masks.grid import Axial, Neighbours, SameColumn, SameRow, Tiles
from regard.attention.masks.mask import Everything, Mask
from regard.attention.masks.offsets import Causal, Dilated, Strided, Window
from regard.attention.masks.padding import KeyPadding, Padding
from regard.attention.masks.patterns import Blocks, GlobalTokens
from regard.attention.positions.positions import Places
from regard.attention.positions.reach import reach
from regard.attention.scores.relative import Quadratic, RelativeTable
from regard.attention.scores.term import Content, Slopes, Term
from regard.attention.weighting.features import Elu, Exp, Identity, RandomFeatures, Relu, SquaredRelu
from regard.attention.weighting.weighting import Hard, Kernel, Softmax, Weighting
from regard.checks import check_whole, nearest

LONGEST = 1_000  # characters
DEEPEST = 64  # operators and brackets inside each other
LARGEST = 2**53  # beyond it no sequence is that long, and int64 positions would overflow soon after
MOST = 2**60  # numbers in one tensor: beyond it torch cannot count the bytes
STRANGE = re.compile(r"[^\w\s()\[\],=&|~.+-]|[^\x00-\x7f]")


@dataclass(frozen=True)
class Word:
    """A name that text may use: how it is written, what it makes, and the numbers that it takes."""

    usage: str
    make: Callable[..., Any]
    numbers: tuple[type, ...] = (int,)
    gathers: bool = False  # its arguments are one list
    rows: bool = False  # or a list for each row of the batch
    single: bool = False  # a number alone is itself, and no list

    @property
    def name(self) -> str:
        return self.usage.partition("(")[0]


WORDS = (
    Word("everything", Everything),
    Word("causal", Causal),
    Word("window(before, after=0)", Window),
    Word("strided(stride)", Strided),
    Word("dilated(step, before, after=0)", Dilated),
    Word("blocks(size, shift=0)", Blocks),
    Word("global_tokens(count)", GlobalTokens),
    Word("key_padding(length, length, …)", KeyPadding, gathers=True),
    Word("padding(length, length, …)", Padding, gathers=True),
    Word("documents(length, length, …)", Documents, gathers=True, rows=True),
    Word("prefix(length, …)", Prefix, gathers=True, single=True),
    Word("neighbours(rows, columns)", Neighbours),
    Word("same_row", SameRow),
    Word("same_column", SameColumn),
    Word("axial", Axial),
    Word("tiles(rows, columns, down=0, right=0)", Tiles),
)
WEIGHTINGS: dict[str, Weighting] = {  # that have no sizes
    "softmax": Softmax(),
    "hard": Hard(),
    "elu": Kernel(Elu()),
    "relu": Kernel(Relu()),
    "squared_relu": Kernel(SquaredRelu()),
    "exp": Kernel(Exp()),
    "identity": Kernel(Identity(), normalise=False),
}
TENSORS = ("dense", "bias", "quadratic", "relativetable")
REAL = (int, float, type(None))


def parse_mask(text: str) -> Mask:
    """The mask that `text` writes: names joined by `&`, `|`, `~` and parentheses; a mask's `repr` is such a text.

    >>> parse_mask("(Causal() | key_padding(2, 3)) & strided(2)")
    (Causal() | KeyPadding((2, 3))) & Strided(stride=2)
    """
    operators = {ast.BitAnd: Mask.__and__, ast.BitOr: Mask.__or__, ast.Invert: Mask.__invert__}
    return Reader("a mask", text, WORDS, "causal & window(2)", operators).value


def parse_scores(text: str, num_heads: int, places: Places | None = None, learns: bool = False) -> Term:
    """The score terms that `text` writes, joined by `+`; `slopes` are the geometric ones of `num_heads` heads.

    Gaussians and tables fit the `places`. They are placeholders on the meta device, to plan with: they have sizes, and
    where `learns` a gradient, but no numbers.

    >>> parse_scores("content(beta=0.3) + slopes", num_heads=8)
    Content(beta=0.3) + Slopes(float32[8])

    >>> from regard.attention import Grid
    >>> parse_scores("gaussian + table(bound=8)", num_heads=9, places=Places(Grid(4, 6), Grid(4, 6)))
    Quadratic(centre=float32[9, 2], precision=float32[9]) + RelativeTable(float32[9, 7, 11], bound=8)
    """
    relative = Relative(num_heads, places, learns)
    words = (
        Word("content(beta=None, cap=None)", Content, numbers=REAL),
        Word("slopes", lambda: Slopes.geometric(num_heads)),
        Word("gaussian", lambda: relative.gaussian(0)),
        Word("diagonal_gaussian", lambda: relative.gaussian(1)),
        Word("full_gaussian", lambda: relative.gaussian(2)),
        Word("table(bound=None)", lambda bound=None: relative.table(bound), numbers=REAL),
        Word("row_table(bound=None)", lambda bound=None: relative.table(bound, 0), numbers=REAL),
        Word("column_table(bound=None)", lambda bound=None: relative.table(bound, 1), numbers=REAL),
    )
    return Reader("a sum of scores", text, words, "content(beta=0.3) + slopes", {ast.Add: Term.__add__}).value


def parse_weighting(text: str, num_heads: int, width: int, learns: bool = False) -> Weighting:
    """The weighting that `text` names for so many heads of this `width`; `sink` is a softmax with one.

    Sinks, which may learn, and random features are placeholders to plan with.

    >>> parse_weighting("squared_relu", num_heads=8, width=64), parse_weighting("sink", num_heads=8, width=64)
    (Kernel(SquaredRelu()), Softmax(sink=float32[8]))
    """

    def random_features(count: int) -> Kernel:
        check_whole("count", count, 1)
        return Kernel(RandomFeatures(placeholder((count, width), torch.float32, learns=False)))

    softmax, *others = [Word(name, lambda value=value: value) for name, value in WEIGHTINGS.items()]
    words = (
        softmax,
        Word("sink", lambda: Softmax(placeholder((num_heads,), torch.float32, learns))),
        *others,
        Word("random_features(count)", random_features),
    )
    return Reader("a weighting", text, words, "elu", {}).value


@dataclass(frozen=True)
class Relative:
    """Terms of the relative position that fit these places."""

    num_heads: int
    places: Places | None
    learns: bool

    def gaussian(self, dimensions: int) -> Quadratic:
        """Its precision is a number, a number per axis, or a matrix for each head: 0, 1 or 2 dimensions."""
        P = self.known_places().num_axes
        return Quadratic(self.placeholder(P), self.placeholder(*[P] * dimensions))

    def table(self, bound: float | int | None, axis: int | None = None) -> RelativeTable:
        """Over all offsets that the places have."""
        places = self.known_places()
        if axis is not None and places.num_axes != 2:
            raise ValueError("a table of rows or of columns needs a grid: got tokens in a line; use table")
        sizes = [2 * far + 1 for far in reach(Everything(), places, self)]
        return RelativeTable(self.placeholder(*(sizes if axis is None else sizes[axis : axis + 1])), bound, axis)

    def known_places(self) -> Places:
        if self.places is None:
            raise ValueError("a term of the relative position needs to know the places: got none; give Places")
        return self.places

    def placeholder(self, *sizes: int) -> Tensor:
        return placeholder((self.num_heads, *sizes), torch.float32, self.learns)


def placeholder(sizes: tuple[int, ...], dtype: torch.dtype, learns: bool) -> Tensor:
    """A tensor of these sizes without numbers in it."""
    check_sizes(sizes)
    return torch.empty(sizes, dtype=dtype, device="meta", requires_grad=learns)


def check_sizes(sizes: tuple[int, ...]) -> None:
    if math.prod(sizes) > MOST:
        raise ValueError(f"a tensor may hold at most 2**60 numbers: got sizes {sizes}; use smaller ones")


class Reader:
    """One text, where in it each piece stands, and its `value`: words, joined by operators of Python."""

    def __init__(
        self, what: str, text: str, words: tuple[Word, ...], example: str, operators: dict[type, Callable[..., Any]]
    ) -> None:
        self.what, self.example, self.operators = what, example, operators
        self.words = {_plain(word.name): word for word in words}
        if not isinstance(text, str):
            raise ValueError(f"{what} must be text: got {text!r}; write it like {example!r}")
        if len(text) > LONGEST:
            raise ValueError(f"{what} must be at most {LONGEST:,} characters: got {len(text):,}; build it in Python")
        strange = STRANGE.search(text)
        if strange:
            raise ValueError(
                f"{what} must be written with names, numbers and operators: "
                f"got {strange.group()!r} at character {strange.start() + 1}; write it like {example!r}"
            )
        # Python would read a line break as the end and a leading space as an indentation.
        spaced = re.sub(r"\s", " ", text)
        self.source = spaced.lstrip()
        self.indent = len(spaced) - len(self.source)
        self.value = self.read(self.parsed())

    def parsed(self) -> ast.expr:
        try:
            return ast.parse(self.source, mode="eval").body
        except SyntaxError as error:
            start = error.offset - 1 if error.offset else len(self.source)  # 0 means that the text ends too early
            piece = self.source[start : start + 20].rstrip()
            got = f"{piece!r} at character {self.indent + start + 1}" if piece else "its end too early"
            raise ValueError(
                f"{self.what} must be a whole expression: got {got}; write it like {self.example!r}"
            ) from None
        except (RecursionError, MemoryError):
            raise ValueError(f"{self.what} may nest {DEEPEST} levels at most: got more; build it in Python") from None

    def read(self, node: ast.expr, depth: int = 0) -> Any:
        """The value of a node: a name, a call of a name, or an allowed operator between such."""
        if depth > DEEPEST:
            raise self.refusal(node, f"{self.what} may nest {DEEPEST} levels at most", "build it in Python")
        if isinstance(node, ast.BinOp | ast.UnaryOp) and type(node.op) in self.operators:
            sides = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
            return self.operators[type(node.op)](*[self.read(side, depth + 1) for side in sides])
        if isinstance(node, ast.Name):
            return self.make(node, self.word(node), [], {})
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            word = self.word(node.func)
            return self.make(node, word, *self.arguments(node, word))
        symbols = "&, | and ~" if ast.Invert in self.operators else "+"
        raise self.refusal(node, f"{self.what} is made of names joined by {symbols}", f"write it like {self.example!r}")

    def word(self, node: ast.Name) -> Word:
        name = _plain(node.id)
        if name in self.words:
            return self.words[name]
        if name in TENSORS:
            raise self.refusal(node, f"{node.id} holds a tensor, which text cannot write", "build it in Python")
        names = [word.name for word in self.words.values()]
        advice = nearest(node.id.lower(), names, f"use {', '.join(names)}")
        raise self.refusal(node, f"{self.what} is made of known names", advice)

    def arguments(self, node: ast.Call, word: Word) -> tuple[list[Any], dict[str, Any]]:
        if word.usage == word.name and (node.args or node.keywords):
            raise self.refusal(node, f"{word.name} takes no argument", f"write {word.name}")
        positional = [self.argument(argument, word) for argument in node.args]
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            name = keyword.arg
            assert name is not None  # a ** would need a character that is not allowed
            if name in named:
                raise self.refusal(node, f"{word.name} takes each argument once", f"write {word.usage}")
            named[name] = self.argument(keyword.value, word)
        return positional, named

    def argument(self, node: ast.expr, word: Word) -> Any:
        """A number, or a list of numbers for a word that gathers, or of such lists, one for each row."""
        if word.gathers and isinstance(node, ast.Tuple | ast.List):
            lists = word.rows and all([isinstance(item, ast.Tuple | ast.List) for item in node.elts])
            return tuple([self.argument(item, word) if lists else self.number(item, word) for item in node.elts])
        return self.number(node, word)

    def number(self, node: ast.expr, word: Word) -> Any:
        sign, digits = 1, node
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            sign, digits = -1, node.operand
        value: Any = digits.value if isinstance(digits, ast.Constant) else ...
        # By type, not isinstance: True is an int, and not a number of keys.
        if type(value) not in word.numbers or (value is None and sign < 0):
            kind = "whole numbers" if word.numbers == (int,) else "numbers"
            raise self.refusal(node, f"{word.name} takes {kind}", f"write {word.usage}")
        if type(value) is int and value > LARGEST:
            raise self.refusal(node, f"numbers must be at most {LARGEST}", "use a smaller one")
        return value if value is None else sign * value

    def make(self, node: ast.expr, word: Word, positional: list[Any], named: dict[str, Any]) -> Any:
        if word.gathers:
            positional, named = self.gathered(node, word, positional, named)
        try:
            inspect.signature(word.make).bind(*positional, **named)
        except TypeError as error:
            raise self.refusal(node, f"{word.name} must be written {word.usage}", str(error)) from None
        try:
            return word.make(*positional, **named)
        except ValueError as error:
            raise ValueError(f"{error}, in {self.piece(node)}") from None

    def gathered(
        self, node: ast.expr, word: Word, positional: list[Any], named: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Lengths written one by one, as one list, or by keyword: always one list."""
        wanted = f"{word.name} must be written {word.usage}"
        unknown = [name for name in named if name not in ("lengths", "real")]
        if unknown:
            raise self.refusal(node, wanted, f"{unknown[0]} is not lengths")
        given = positional + list(named.values())
        if not given:
            raise self.refusal(node, wanted, "give one length per row of the batch")
        if len(given) == 1 and (isinstance(given[0], tuple) or word.single):
            return [given[0]], {}
        lists = [isinstance(item, tuple) for item in given]
        if named or (any(lists) and not (word.rows and all(lists))):
            raise self.refusal(node, wanted, "give the lengths once")
        return [tuple(given)], {}

    def piece(self, node: ast.expr) -> str:
        """A node as it was written, shortened, and its place counted from 1."""
        text = ast.get_source_segment(self.source, node) or ""
        shown = text if len(text) <= 40 else text[:39] + "…"
        return f"{shown!r} at character {self.indent + node.col_offset + 1}"

    def refusal(self, node: ast.expr, requirement: str, advice: str) -> ValueError:
        return ValueError(f"{requirement}: got {self.piece(node)}; {advice}")


def _plain(name: str) -> str:
    """`KeyPadding`, `key_padding` and `KEY_PADDING` are one name."""
    return name.lower().replace("_", "")
