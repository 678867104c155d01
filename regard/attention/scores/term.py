"""What is scored: a sum of terms, each a number for every (row, head, query, key).

`at` is the definition of a term. All else that a class says of itself makes it faster, and holds for that class alone:
a subclass starts from "nothing is known".
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.positions.positions import Cut, Index, Places
from regard.attention.positions.sizes import Count
from regard.attention.value import Value, show
from regard.checks import check_tensor, check_whole

Scorer = Callable[[Index, Index, Index, Index], Any]
STATEMENTS = ("facts", "scorer", "slab", "whole", "along", "piece")


@dataclass(frozen=True, kw_only=True)
class TermFacts:
    """What one class of terms says of itself; left out, nothing is known and everything may vary."""

    rows: bool = True  # it may differ between rows of the batch
    positional: bool = False  # a pair's positions, own tokens and head say all: a piece scores as the whole does
    movable: bool = False  # it is the same when all tokens are moved together: it reads offsets, or indices alone
    quadratic: str | None = None  # its `centre` and `precision` are all: isotropic, diagonal or full
    slopes: bool = False  # its `slopes` are all: −slope·|δ| in a line
    table: bool = False  # its `table`, `bound` and `axis` are all: an entry for every offset
    bound: float | int | None = None  # it lies in −bound…bound
    finite: bool = False  # it is −∞ nowhere
    given: bool = False  # its one tensor, broadcast to (B, H, T, S), is the term: nothing is computed from it
    reads_once: bool = False  # for one pair it reads each of its tensors at one place: kernels can differentiate it


UNKNOWN = TermFacts()


class Term(Value):
    """One summand of the logits. `a + b` is the sum of two.

    One's own is a frozen dataclass whose fields hold all it knows:

    >>> @dataclass(frozen=True, eq=False)
    ... class Recent(Term):
    ...     weight: float
    ...
    ...     def at(self, b, h, i, j, places):
    ...         return self.weight * j
    >>> Content() + Recent(0.1)
    Content(beta=None) + Recent(weight=0.1)
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for name in STATEMENTS:
            if name not in cls.__dict__:
                setattr(cls, name, Term.__dict__[name])

    @property
    def terms(self) -> tuple["Term", ...]:
        return (self,)

    def __add__(self, other: "Term") -> "Sum":
        if not isinstance(other, Term):
            raise ValueError(f"+ joins two score terms: got {type(other).__name__}; a tensor is Bias(tensor)")
        return Sum(self.terms + other.terms)

    def __bool__(self) -> bool:
        raise ValueError(
            f"`and` and `or` would take one score term and drop the other: got {self!r}; use +, or is None"
        )

    @property
    def heads(self) -> int | None:
        """The number of heads that this term is for, None when it fits any."""
        return None

    @property
    def batch(self) -> int | None:
        """The number of rows that it is for, None when it fits any."""
        return None

    @property
    def num_axes(self) -> int | None:
        """1 where it is for tokens in a line, 2 for a grid, None when it fits both."""
        return None

    def facts(self) -> TermFacts:
        """What is known from sizes alone."""
        return UNKNOWN

    def check(self, shape: "Shape", places: Places) -> None:
        """Raise unless this term fits tensors of these sizes."""

    def along(self, axis: int) -> "tuple[Term, ...] | None":
        """The terms along one axis of a grid, where this is a sum of a term in rows and one in columns; else None."""
        return None

    def at(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        """The term for indices that broadcast against each other. `Content` has none: it needs q and k."""
        raise NotImplementedError(f"{type(self).__name__} must define at(b, h, i, j, places)")

    def scorer(self, places: Places, shift: bool = False) -> Scorer:
        """The term as a function of (b, h, i, j), for a kernel that may read each tensor at one place only.

        With `shift` it may add a number to all keys of a query, which the softmax drops, to keep logits small.
        """
        return lambda b, h, i, j: self.at(b, h, i, j, places)

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        """The term on rows b, heads h, queries i and keys j (four index vectors): broadcastable to (b, h, i, j)."""
        term = self.at(b[:, None, None, None], h[:, None, None], i[:, None], j, places)
        if isinstance(term, int | float | np.number):
            term = torch.full((), float(term), dtype=torch.float64, device=i.device)  # as exact as Python has it
        if not isinstance(term, Tensor) or term.is_complex():
            got = term.dtype if isinstance(term, Tensor) else repr(term)
            raise ValueError(f"{self!r} must answer by real numbers: got {got}; return a tensor, or 0.0")
        check_answer(self, term, (b, h, i, j))
        return term

    def whole(self, places: Places, H: int, dtype: torch.dtype, device: torch.device, shift: bool = False) -> Tensor:
        """The term for all heads, queries and keys, the same in every row: broadcastable to (H, T, S).

        With `shift` it may add a number to all keys of a query, as in `scorer`.
        """
        sizes = (1, H, places.queries.count, places.keys.count)
        b, h, i, j = (torch.arange(n, device=device) for n in sizes)
        term = self.slab(b, h, i, j, places).to(dtype)
        return term[0] if term.ndim == 4 else term

    def piece(self, cut: Cut) -> "Term":
        """The term of a piece of all pairs, at the places of the cut, whose tokens count from 0 there."""
        if self.facts().positional and cut.is_placed:
            return self
        return TermPiece(self, cut.whole, cut.queries.start, cut.keys.start)


@dataclass(frozen=True)
class Shape:
    """The sizes of one call, in the legend of the project: numbers, or symbols of a formula."""

    B: Count
    H: Count
    G: Count
    T: Count
    S: Count
    D: Count
    E: Count


@dataclass(frozen=True, eq=False)
class Sum(Term):
    """The sum of several terms, flat."""

    parts: tuple[Term, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.parts, tuple) or not all([isinstance(part, Term) for part in self.parts]):
            raise ValueError(f"Sum takes a tuple of score terms: got {self.parts!r}; a tensor is Bias(tensor)")

    @property
    def terms(self) -> tuple[Term, ...]:
        return self.parts

    @property
    def heads(self) -> int | None:
        return max([term.heads or 0 for term in self.parts]) or None

    @property
    def batch(self) -> int | None:
        return max([term.batch or 0 for term in self.parts]) or None

    def check(self, shape: Shape, places: Places) -> None:
        if sum(isinstance(term, Content) for term in self.parts) > 1:
            raise ValueError(f"scores may hold Content once: got {self!r}; give the sum of the betas to one Content")
        for term in self.parts:
            term.check(shape, places)

    def piece(self, cut: Cut) -> Term:
        return Sum(tuple([term.piece(cut) for term in self.parts]))

    def __repr__(self) -> str:
        return " + ".join(repr(term) for term in self.parts)


@dataclass(frozen=True, eq=False)
class TermPiece(Term):
    """What a term says of a piece of the pairs, asked where it stands in the whole: any term has pieces."""

    inner: Term
    around: Places
    first_query: int
    first_key: int

    @property
    def heads(self) -> int | None:
        return self.inner.heads

    @property
    def batch(self) -> int | None:
        return self.inner.batch

    def facts(self) -> TermFacts:
        facts = self.inner.facts()
        return TermFacts(rows=facts.rows, bound=facts.bound, finite=facts.finite, reads_once=facts.reads_once)

    def at(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        return self.inner.at(b, h, i + self.first_query, j + self.first_key, self.around)

    def scorer(self, places: Places, shift: bool = False) -> Scorer:
        score = self.inner.scorer(self.around)  # a shift of the whole is none of the piece
        return lambda b, h, i, j: score(b, h, i + self.first_query, j + self.first_key)

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        return self.inner.slab(b, h, i + self.first_query, j + self.first_key, self.around)


@dataclass(frozen=True, eq=False)
class Content(Term):
    """The scaled dot product `β·qᵀk`; β multiplies the logits (an inverse temperature), `None` means `1/√D`.

    With a soft `cap` c it is `c·tanh(β·qᵀk / c)`, which stays within ±c; other terms and the mask come after it.

    >>> Content().scale(64), Content(cap=50.0)
    (0.125, Content(beta=None, cap=50.0))

    Gemma Team, *Gemma 2: Improving Open Language Models at a Practical Size*, 2024: their soft_cap is our cap.
    """

    beta: float | int | None = None
    cap: float | int | None = None

    def __post_init__(self) -> None:
        if self.beta is not None and type(self.beta) not in (int, float):
            raise ValueError(f"beta must be a plain number: got {self.beta!r}; scale q to learn it, or use float(beta)")
        if self.beta is not None and not abs(self.beta) <= sys.float_info.max:
            raise ValueError(f"beta must be finite: got beta={self.beta}; for the limit beta → ∞ use weighting=Hard()")
        if self.cap is not None and type(self.cap) not in (int, float):
            raise ValueError(f"cap must be a plain number: got {self.cap!r}; use float(cap)")
        if self.cap is not None and not 0 < self.cap <= sys.float_info.max:
            raise ValueError(f"cap must be positive and finite: got cap={self.cap}; leave it out for none")

    def check(self, shape: Shape, places: Places) -> None:
        if shape.D < 1:
            raise ValueError(f"{self!r} needs q and k with columns: got D={shape.D}; leave it out of the scores")

    def facts(self) -> TermFacts:
        return TermFacts(rows=True, positional=True, movable=True)

    def scale(self, width: int) -> float:
        return 1 / math.sqrt(width) if self.beta is None else float(self.beta)

    def piece(self, cut: Cut) -> Term:
        return self

    def logits(self, q: Tensor, k: Tensor) -> Tensor:
        """The term of all pairs of q (…, T, D) and k (…, S, D)."""
        products = self.scale(q.shape[-1]) * q @ k.mT
        return products if self.cap is None else float(self.cap) * torch.tanh(products / float(self.cap))

    def __repr__(self) -> str:
        cap = "" if self.cap is None else f", cap={self.cap!r}"
        return f"Content(beta={self.beta!r}{cap})"


@dataclass(frozen=True, eq=False)
class Bias(Term):
    """A tensor added to the logits, (T,S), (H,T,S) or (B,H,T,S); it may need a gradient. H and B may be 1."""

    tensor: Float[Tensor, "..."]

    def __post_init__(self) -> None:
        check_tensor("Bias", self.tensor)
        if not self.tensor.is_floating_point():
            raise ValueError(
                f"Bias must be floating point: got {self.tensor.dtype}; for a mask of True = may attend use Dense"
            )

    @property
    def heads(self) -> int | None:
        return self.tensor.shape[-3] if self.tensor.ndim >= 3 else None

    @property
    def batch(self) -> int | None:
        return self.tensor.shape[0] if self.tensor.ndim == 4 else None

    def facts(self) -> TermFacts:
        return TermFacts(rows=self.batch not in (None, 1), movable=True, given=True, reads_once=True)

    def check(self, shape: Shape, places: Places) -> None:
        check_map("Bias", self.tensor, shape)

    def at(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        return read_map(self.tensor, b, h, i, j)

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        return slab_map(self.tensor, b, h, i, j)

    def piece(self, cut: Cut) -> Term:
        return Bias(map_piece(self.tensor, cut))

    def __repr__(self) -> str:
        return f"Bias({show(self.tensor)})"


@dataclass(frozen=True, eq=False)
class Slopes(Term):
    """A penalty that grows with the distance, `−m_h·|δ|` (ALiBi); one slope per head, shape (H,).

    >>> Slopes.geometric(4).slopes
    tensor([0.2500, 0.0625, 0.0156, 0.0039])

    Press, Smith, Lewis, *Train Short, Test Long*, ICLR 2022: their m is our slope.
    """

    slopes: Float[Tensor, " H"]

    @classmethod
    def geometric(cls, num_heads: int, device: torch.device | str | None = None) -> "Slopes":
        """Slopes `2^(−8(h+1)/H)`: the paper's where H is a power of two; elsewhere the paper interleaves two series."""
        check_whole("num_heads", num_heads, 1)
        heads = torch.arange(1, num_heads + 1, device=device, dtype=torch.float32)
        return cls(2 ** (-8 * heads / num_heads))

    @property
    def heads(self) -> int | None:
        return self.slopes.shape[0]

    def facts(self) -> TermFacts:
        return TermFacts(rows=False, positional=True, movable=True, slopes=True, reads_once=True)

    def check(self, shape: Shape, places: Places) -> None:
        if tuple(self.slopes.shape) != (shape.H,):
            raise ValueError(
                f"Slopes needs one slope per head: got shape {tuple(self.slopes.shape)} for H={shape.H}; "
                f"use Slopes.geometric({shape.H})"
            )
        places.line(self)

    def __post_init__(self) -> None:
        check_tensor("Slopes", self.slopes)
        if not self.slopes.is_floating_point():
            raise ValueError(f"slopes must be floating point: got {self.slopes.dtype}; use slopes.float()")

    def at(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        exact = torch.promote_types(self.slopes.dtype, torch.float32)
        return -self.slopes[h].to(exact) * places.offset(b, i, j, self).abs()

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        distance = places.offset(b[:, None, None, None], i[:, None], j, self).abs()
        return -self.slopes[h][:, None, None].double() * distance

    def __repr__(self) -> str:
        return f"Slopes({show(self.slopes)})"


def check_answer(asked: Value, answer: Tensor, index: tuple[Tensor, Tensor, Tensor, Tensor]) -> None:
    """Raise unless what a mask or a term said of pairs broadcasts to the rows, heads, queries and keys of the index."""
    if torch.compiler.is_compiling():
        return
    wanted, got = tuple([len(numbers) for numbers in index]), tuple(answer.shape)
    pairs = zip(got, wanted[4 - len(got) :], strict=True) if len(got) <= 4 else ()
    if len(got) > 4 or not all([size in (1, want) for size, want in pairs]):
        raise ValueError(
            f"{asked!r} must answer for rows, heads, queries and keys {wanted}, or 1 for all: got {got}; read what it "
            "holds at the indices, as in x[h, j]"
        )


def check_map(name: str, tensor: Tensor, shape: Shape) -> None:
    """A map over pairs is (T,S), (H,T,S) or (B,H,T,S): by its number of dimensions, never by a guess."""
    wanted = (shape.B, shape.H, shape.T, shape.S)[4 - tensor.ndim :] if 2 <= tensor.ndim <= 4 else ()
    fits = bool(wanted) and tuple(tensor.shape[-2:]) == wanted[-2:]
    fits = fits and all(size in (1, want) for size, want in zip(tensor.shape[:-2], wanted[:-2], strict=True))
    if not fits:
        got = tuple(tensor.shape)
        hint = (
            "a (B, S) map of real tokens is KeyPadding"
            if got == (shape.B, shape.S)
            else "use unsqueeze where B or H is 1"
        )
        raise ValueError(
            f"{name} must be (T, S), (H, T, S) or (B, H, T, S) with "
            f"B={shape.B}, H={shape.H}, T={shape.T}, S={shape.S}: got {got}; {hint}"
        )


def read_map(tensor: Tensor, b: Index, h: Index, i: Index, j: Index) -> Tensor:
    """Entries of a (T,S), (H,T,S) or (B,H,T,S) map at indices that broadcast; size 1 stands for all."""
    outer = (b, h)[4 - tensor.ndim :]
    lead = [0 if size == 1 else index for size, index in zip(tensor.shape[:-2], outer, strict=True)]
    return tensor[(*lead, i, j)]


def slab_map(tensor: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """The same for index vectors, (b|1, h|1, i, j); `index_select` has a fast gradient where general indexing sorts."""
    for dim, index in zip(range(-tensor.ndim, 0), (b, h, i, j)[4 - tensor.ndim :], strict=True):
        if tensor.shape[dim] > 1:
            tensor = tensor.index_select(dim, index)
    return tensor[(None,) * (4 - tensor.ndim)]


def map_piece(tensor: Tensor, cut: Cut) -> Tensor:
    """A piece of a map over pairs."""
    return tensor[..., cut.queries.start : cut.queries.stop, cut.keys.start : cut.keys.stop]
