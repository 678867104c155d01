"""Closed forms of receptive fields: how many tokens reach output i after n layers of one mask, or after given layers.

A mask in a line is understood when it is a progression of offsets, `s·[−b, a]`, maybe inside blocks: then
`1 + min(Σb, ⌊left/s⌋) + min(Σa, ⌊right/s⌋)` tokens reach the output, left and right being the tokens on its sides, and
the sums being over the layers. On a grid rows and columns multiply.
"""

import functools
import math
from collections.abc import Sequence as Listed
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from regard.analysis.reach.composition import along
from regard.attention import (
    Blocks,
    Causal,
    GlobalTokens,
    Grid,
    Mask,
    Or,
    Positions,
    SameColumn,
    SameRow,
    Sequence,
    Strided,
    Window,
)

Expr = Any  # of SymPy, which is imported where it is used
LEGEND = {
    "i": "output i",
    "N": "N tokens",
    "r": "row r",
    "c": "column c",
    "h": "h rows",
    "w": "w columns",
    "n": "n layers",
}


@dataclass(frozen=True)
class Formula:
    """Tokens `at` output i of N, or at row r and column c of h × w, after n ≥ 1 layers; at most so many at any."""

    at: Expr
    most: Expr

    @property
    def legend(self) -> str:
        names = [name for name in LEGEND if name in {str(symbol) for symbol in self.at.free_symbols}]
        return ", ".join([LEGEND[name] for name in names]) or "no size in it"

    def texts(self) -> dict[str, str]:
        """Both as text."""
        return {"at": str(self.at), "most": str(self.most)}

    def value(self, positions: Positions, output: int, depth: int) -> int:
        """The number `at` one output after so many layers."""
        sizes = self._sizes(positions, depth)
        if isinstance(positions, Grid):
            sizes |= dict(zip(("r", "c"), divmod(output, positions.w), strict=True))
        return _number(self.at, sizes | {"i": output})

    def largest(self, positions: Positions, depth: int) -> int:
        """The number at the output that the most reach."""
        return _number(self.most, self._sizes(positions, depth))

    def _sizes(self, positions: Positions, depth: int) -> dict[str, int]:
        grid = {"h": positions.h, "w": positions.w} if isinstance(positions, Grid) else {}
        return {"N": positions.count, "n": depth} | grid


def formula(masks: Mask | Listed[Mask], positions: Positions, residual: bool = True) -> Formula | None:
    """The closed form for n layers of one mask, or for layers of different masks, all of them; None: none is known.

    >>> formula(Causal() & Window(256), Sequence(4096))
    Formula(at=Min(i, 256*n) + 1, most=Min(N, 256*n + 1))
    >>> formula([SameRow(), SameColumn()], Grid(8, 6))
    Formula(at=h*w, most=h*w)
    >>> formula(Strided(2) | Window(1), Sequence(9)) is None
    True
    """
    layers = [masks] if isinstance(masks, Mask) else list(masks)
    different = {id(mask): mask for mask in layers}
    if isinstance(positions.start, Tensor):
        return None
    if len(different) == 1:
        layers = layers[:1]
        found = _special(layers[0], positions, residual)
        if found is not None:
            return found
    if isinstance(positions, Sequence):
        return _in_line(layers, positions, "iN")
    sides = []
    for axis, names in ((0, "rh"), (1, "cw")):
        parts = {key: along(mask, axis) for key, mask in different.items()}
        sides.append(_in_line([parts[id(mask)] for mask in layers], positions.axis(axis), names))
    if sides[0] is None or sides[1] is None:
        return None
    return Formula(sides[0].at * sides[1].at, sides[0].most * sides[1].most)


@dataclass(frozen=True)
class Line:
    """Multiples of `step` from `before` back to `after` ahead, within a block (size, shift) if there is one."""

    step: int = 1
    before: float = math.inf
    after: float = math.inf
    block: tuple[int, int] | None = None

    def steps(self, apart: int) -> tuple[int, float, float]:
        """For tokens so far `apart`: tokens from one to the next that is seen, how many before and how many after."""
        step = math.lcm(self.step, apart)
        before, after = (side if side == math.inf else side // step for side in (self.before, self.after))
        return step // apart, before, after


def _line(mask: Mask | None) -> Line | None:
    """What a mask in a line is, where it is a progression."""
    if mask is None:
        return None
    if type(mask) is Or:
        left, right = _line(mask.left), _line(mask.right)
        if left is None or right is None or (left.step, right.step, left.block, right.block) != (1, 1, None, None):
            return None
        return Line(1, max(left.before, right.before), max(left.after, right.after))
    if mask.conjuncts != (mask,):
        return functools.reduce(_both, [_line(part) for part in mask.conjuncts], Line())
    # By type: a subclass may mean something else.
    if type(mask) is Causal:
        return Line(after=0)
    if type(mask) is Window:
        return Line(1, mask.before, mask.after)
    if type(mask) is Strided:
        return Line(mask.stride)
    return Line(block=(mask.size, mask.shift)) if type(mask) is Blocks else None


def _both(left: Line | None, right: Line | None) -> Line | None:
    if left is None or right is None or (left.block and right.block and left.block != right.block):
        return None
    step = math.lcm(left.step, right.step)
    return Line(step, min(left.before, right.before), min(left.after, right.after), left.block or right.block)


def _in_line(layers: Listed[Mask | None], places: Sequence, names: str) -> Formula | None:
    """Along one line: one layer stands for n."""
    import sympy

    lines = [_line(mask) for mask in layers]
    known = [line for line in lines if line is not None]
    assert not isinstance(places.start, Tensor)
    moves = [line for line in known if line.steps(places.step)[1:] != (0, 0)]
    kinds = {(line.steps(places.step)[0], line.block) for line in moves} or {(1, None)}
    if len(known) < len(lines) or len(kinds) > 1:
        return None
    ((step, block),) = kinds
    if block is not None and places.step != 1:
        return None
    i, N, n = (_symbol(name) for name in (*names, "n"))
    times = n if len(layers) == 1 else 1
    sums = [sum([line.steps(places.step)[side] for line in moves]) for side in (1, 2)]
    before, after = (sympy.oo if total == math.inf else times * total for total in sums)
    left, right, longest = _room(i, N, block, places.start)
    at = 1 + _least(before, left, step) + _least(after, right, step)
    return Formula(at, sympy.Min(sympy.ceiling(longest / step), 1 + before + after))


def _least(reach: Expr, room: Expr, step: int) -> Expr:
    import sympy

    return sympy.Integer(0) if reach == 0 else sympy.Min(reach, sympy.floor(room / step))


def _room(i: Expr, N: Expr, block: tuple[int, int] | None, start: int) -> tuple[Expr, Expr, Expr]:
    """Tokens before and after the output that the border, or that of its block, leaves; the longest block."""
    import sympy

    if block is None:
        return i, N - 1 - i, N
    size, shift = block[0], (block[1] + start) % block[0]
    inside = sympy.Mod(i + shift, size)
    first = size - shift
    longest = sympy.Min(size, sympy.Max(sympy.Min(N, first), N - first))
    return sympy.Min(i, inside), sympy.Min(N - 1 - i, size - 1 - inside), longest


def _special(mask: Mask, positions: Positions, residual: bool) -> Formula | None:
    """Two layers that reach all: by a row and a column, or by a token that sees all and is seen by all."""
    import sympy

    kinds, n = {type(part) for part in mask.disjuncts}, _symbol("n")
    if isinstance(positions, Grid):
        if kinds != {SameRow, SameColumn}:
            return None
        h, w = _symbol("h"), _symbol("w")
        at = sympy.Piecewise((h + w - 1, sympy.Eq(n, 1)), (h * w, True))
        return Formula(at, at)
    shared = [part for part in mask.disjuncts if type(part) is GlobalTokens]
    others = [part for part in mask.disjuncts if type(part) is not GlobalTokens]
    if len(shared) != 1 or (positions.start, positions.step) != (0, 1):
        return None
    line = _line(functools.reduce(Or, others)) if others else Line(1, 0, 0)
    if line is None or line.step != 1 or line.block is not None:
        return None
    i, N, count = _symbol("i"), _symbol("N"), shared[0].count
    before, after = (sympy.oo if side == math.inf else side for side in (line.before, line.after))
    low, high = sympy.Max(0, i - before), sympy.Min(N - 1, i + after)
    once = high - low + 1 + sympy.Min(count, low) if others or residual else sympy.Integer(count)
    return Formula(sympy.Piecewise((N, (n > 1) | (i < count)), (once, True)), N)


def _symbol(name: str) -> Expr:
    import sympy

    return sympy.Symbol(name, integer=True, **{"nonnegative" if name in "irc" else "positive": True})


def _number(expression: Expr, sizes: dict[str, int]) -> int:
    import sympy

    # All at once: one by one, every step would compare symbols again.
    return int(expression.xreplace({symbol: sympy.Integer(sizes[str(symbol)]) for symbol in expression.free_symbols}))
