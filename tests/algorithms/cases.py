"""The cases of the equivalence test: an ordinary call, and everything about it that can be moved.

A move changes one field of the ordinary call. `cases` is the ordinary call, each move alone, and all pairs of moves of
different fields; a new move, like a new algorithm, is thereby crossed with everything else.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

from regard.attention import (
    Attention,
    Axial,
    Bias,
    Blocks,
    Causal,
    Content,
    Dense,
    Dilated,
    Documents,
    Everything,
    GlobalTokens,
    Grid,
    Hard,
    KeyPadding,
    Mask,
    Neighbours,
    Padding,
    Positions,
    Prefix,
    Quadratic,
    RelativeTable,
    SameColumn,
    SameRow,
    Sequence,
    Shape,
    Slopes,
    Softmax,
    Strided,
    Term,
    Tiles,
    Weighting,
    Window,
)
from regard.attention.value import unflatten
from tests.algorithms import own
from tests.algorithms.kernels import KERNELS, fits_kernel


@dataclass(frozen=True)
class Draw:
    """Random tensors of one case: the same numbers on every device, in the type of the case."""

    shape: Shape
    dtype: torch.dtype
    device: torch.device
    generator: torch.Generator
    axes: int = 1  # 2 where the tokens stand on a grid

    def normal(self, *sizes: int, dtype: torch.dtype | None = None) -> Tensor:
        return torch.randn(*sizes, generator=self.generator).to(self.device, dtype or self.dtype)

    def chance(self, p: float, *sizes: int) -> Tensor:
        return (torch.rand(*sizes, generator=self.generator) < p).to(self.device)

    @property
    def lengths(self) -> list[int]:
        """Some keys, none, all, one; so a batch of two has an empty row."""
        S = self.shape.S
        return [-(-2 * S // 3), 0, S, 1][: self.shape.B]

    def whole(self, numbers: list[int]) -> Tensor:
        return torch.tensor(numbers, device=self.device)


def _dense(draw: Draw, *lead: int) -> Mask:
    """A random map with an empty row and a key that nobody sees."""
    allowed = draw.chance(0.6, *lead, draw.shape.T, draw.shape.S)
    allowed[..., draw.shape.T // 2, :] = False
    allowed[..., draw.shape.S // 3] = False
    return Dense(allowed)


def _real(draw: Draw) -> Tensor:
    """A boolean map of real tokens with holes, and a row of pads."""
    real = draw.chance(0.7, draw.shape.B, draw.shape.S)
    real[1:2] = False
    return real


def _cut(draw: Draw, row: int) -> list[int]:
    """Three documents of which one may be empty, and pads."""
    S = draw.shape.S
    return [[S // 2, 0, S // 3], [S // 4, S // 4, S // 3], [0, 0, S], [1, S // 2, 0]][row % 4]


def _ids(draw: Draw) -> Tensor:
    """A document, pads, two more; in the second row pads alone."""
    S = draw.shape.S
    row = [5] * (S // 3) + [-1] * (S // 8) + [2] * (S // 4)
    ids = draw.whole([row + [9] * (S - len(row))] * draw.shape.B)
    ids[1:2] = -3
    return ids


def _bias(draw: Draw, *lead: int, grad: bool, dtype: torch.dtype | None = None) -> Bias:
    return Bias(draw.normal(*lead, draw.shape.T, draw.shape.S, dtype=dtype).requires_grad_(grad))


def _slopes(draw: Draw, dtype: torch.dtype | None = None) -> Slopes:
    """Slopes that are no powers of two, whose products would be exact."""
    return Slopes((0.1 + 0.1 * draw.normal(draw.shape.H, dtype=torch.float32)).to(dtype).requires_grad_())


def _gaussian(draw: Draw, kind: str = "isotropic", learnt: bool = True) -> Quadratic:
    """Heads at random places, one of them far outside, with widths from one pixel to several."""
    H, P = draw.shape.H, draw.axes
    exact = torch.promote_types(draw.dtype, torch.float32)
    centre = 2 * draw.normal(H, P, dtype=exact)
    centre[0] *= 4
    precision = draw.normal(*{"isotropic": (H,), "diagonal": (H, P), "full": (H, P, P)}[kind], dtype=exact)
    eye = torch.eye(P, device=draw.device, dtype=exact)
    precision = precision @ precision.mT + 0.1 * eye if kind == "full" else 0.1 + precision.exp() / 4
    return Quadratic(centre.requires_grad_(), precision.requires_grad_(learnt))


def _table(draw: Draw, bound: float | None = None, axis: int | None = None) -> RelativeTable:
    """A table that covers every offset of the positions below."""
    T, S = draw.shape.T, draw.shape.S
    reach = 3 * S + 3 * T + 20 if draw.axes == 1 else 3 * max(*_sides(T), *_sides(S)) + 5
    sizes = (2 * reach + 1,) * (draw.axes if axis is None else 1)
    exact = torch.promote_types(draw.dtype, torch.float32)
    table = draw.normal(draw.shape.H, *sizes, dtype=exact).requires_grad_()
    return RelativeTable(table, bound, axis if draw.axes == 2 else None)


def _sides(n: int) -> tuple[int, int]:
    """A grid of n pixels, as square as can be."""
    h = max(h for h in range(1, n + 1) if n % h == 0 and h * h <= n)
    return h, n // h


SCORES: dict[str, Callable[[Draw], Term]] = {
    "content": lambda draw: Content(),
    "beta 0.3": lambda draw: Content(beta=0.3),
    "beta -0.2": lambda draw: Content(beta=-0.2),
    "cap": lambda draw: Content(cap=1.5),
    "cap and bias": lambda draw: Content(beta=-0.4, cap=2) + _bias(draw, draw.shape.H, grad=True),
    "bias": lambda draw: Content() + _bias(draw, grad=False),
    "bias with gradient": lambda draw: Content() + _bias(draw, grad=True),
    "float32 bias per head": lambda draw: (
        Content() + _bias(draw, draw.shape.H, grad=True, dtype=torch.promote_types(draw.dtype, torch.float32))
    ),
    "bias per row": lambda draw: _bias(draw, draw.shape.B, 1, grad=True) + Content(beta=0.5),
    "slopes": lambda draw: Content() + _slopes(draw),
    "slopes of q's type": lambda draw: Content() + _slopes(draw, draw.dtype),
    "bias and slopes": lambda draw: Content() + _bias(draw, 1, grad=True) + Slopes.geometric(draw.shape.H, draw.device),
    "bias alone": lambda draw: _bias(draw, draw.shape.H, grad=True),
    "own, by index": lambda draw: Content() + own.ByIndex(draw.normal(1, dtype=torch.float32).requires_grad_()),
    "own, by row": lambda draw: own.ByBatch() + _bias(draw, draw.shape.H, grad=True),
    "own slopes": lambda draw: Content() + own.Halved(_slopes(draw).slopes),
    "gaussian": lambda draw: Content() + _gaussian(draw),
    "gaussian of known width": lambda draw: Content(beta=0.3) + _gaussian(draw, "diagonal", learnt=False),
    "full gaussian": lambda draw: _gaussian(draw, "full") + Content(),
    "table": lambda draw: Content() + _table(draw),
    "gaussian alone": lambda draw: _gaussian(draw),
    "diagonal gaussian alone": lambda draw: _gaussian(draw, "diagonal"),
    "full gaussian alone": lambda draw: _gaussian(draw, "full"),
    "bounded table alone": lambda draw: _table(draw, bound=1.5),
    "table of rows and of columns alone": lambda draw: _table(draw, axis=0) + _table(draw, axis=1),
    "gaussian and tables alone": lambda draw: _gaussian(draw) + _table(draw, bound=2) + _bias(draw, 1, grad=True),
}
RELATIVE = [name for name in SCORES if "gaussian" in name or "table" in name]

MASKS: dict[str, Callable[[Draw], Mask]] = {
    "everything": lambda draw: Everything(),
    "causal": lambda draw: Causal(),
    "key lengths": lambda draw: KeyPadding(draw.whole(draw.lengths)),
    "key lengths from the host": lambda draw: KeyPadding(torch.tensor(draw.lengths)),
    "key lengths as sizes": lambda draw: KeyPadding(draw.lengths),
    "key map": lambda draw: KeyPadding(_real(draw)),
    "lengths": lambda draw: Padding(draw.whole(draw.lengths)),
    "lengths as sizes": lambda draw: Padding(draw.lengths),
    "map": lambda draw: Padding(_real(draw)),
    "window": lambda draw: Window(5, 5),
    "lopsided window": lambda draw: Window(before=7, after=2),
    "window of oneself": lambda draw: Window(0),
    "strided": lambda draw: Strided(3),
    "dense": lambda draw: _dense(draw),
    "dense per head": lambda draw: _dense(draw, draw.shape.H),
    "dense per row": lambda draw: _dense(draw, draw.shape.B, 1),
    "dense per row and head": lambda draw: _dense(draw, draw.shape.B, draw.shape.H),
    "causal window": lambda draw: Causal() & Window(9, 4),
    "causal key lengths": lambda draw: Causal() & KeyPadding(draw.whole(draw.lengths)),
    "causal lengths": lambda draw: Causal() & Padding(draw.whole(draw.lengths)),
    "causal lengths as sizes": lambda draw: Padding(draw.lengths) & Causal(),
    "causal map": lambda draw: Padding(_real(draw)) & Causal(),
    "window of lengths": lambda draw: Window(6, 3) & Padding(draw.lengths),
    "two paddings": lambda draw: KeyPadding(_real(draw)) & Padding(draw.lengths),
    "window or strided": lambda draw: Window(2, 2) | Strided(7),
    "causal or lengths": lambda draw: Causal() | KeyPadding(draw.whole(draw.lengths)),
    "not causal": lambda draw: ~Causal(),
    "not both": lambda draw: ~(Causal() & Window(4)) & KeyPadding(draw.lengths),
    "not lengths": lambda draw: ~Padding(draw.whole(draw.lengths)),
    "blocks": lambda draw: Blocks(5, shift=2),
    "causal blocks": lambda draw: Causal() & Blocks(7),
    "blocks of key lengths": lambda draw: Blocks(6) & KeyPadding(draw.whole(draw.lengths)),
    "not blocks": lambda draw: ~Blocks(9),
    "dilated": lambda draw: Dilated(3, before=4, after=2),
    "window or global tokens": lambda draw: Window(2, 2) | GlobalTokens(2),
    "causal window or strided": lambda draw: Causal() & (Window(3) | Strided(4)),
}
MASKS |= {
    "documents": lambda draw: Documents(draw.whole(_cut(draw, 1))),
    "documents of each row": lambda draw: Documents(draw.whole([_cut(draw, row) for row in range(draw.shape.B)])),
    "documents as sizes": lambda draw: Documents(_cut(draw, 0)),
    "documents of each row as sizes": lambda draw: Documents([_cut(draw, row)[row:] for row in range(draw.shape.B)]),
    "documents by ids": lambda draw: Documents(ids=_ids(draw)),
    "causal documents": lambda draw: Documents(draw.whole(_cut(draw, 1))) & Causal(),
    "causal documents as sizes": lambda draw: Causal() & Documents([_cut(draw, row) for row in range(draw.shape.B)]),
    "causal documents by ids": lambda draw: Documents(ids=_ids(draw)[0], most=3) & Causal(),
    "window of documents": lambda draw: Window(3, 1) & Documents(_cut(draw, 2)),
    "documents of key lengths": lambda draw: Documents(ids=_ids(draw)) & KeyPadding(draw.lengths),
    "not documents": lambda draw: ~Documents(draw.whole(_cut(draw, 0))),
    "prefix": lambda draw: Prefix(draw.shape.S // 3),
    "prefix of each row": lambda draw: Prefix(draw.whole(draw.lengths)),
    "prefix of each row as sizes": lambda draw: Prefix(draw.lengths),
    "documents, prefix": lambda draw: Prefix(5) & Documents(_cut(draw, 0)),
}
MASKS |= {
    "own, of the key": lambda draw: own.Thirds(),
    "own, of the row": lambda draw: own.ByRow(),
    "own, of the head": lambda draw: own.ByHead(3) | own.Thirds(),
    "own, before itself and causal": lambda draw: own.StrictlyCausal(),
    "own odd window": lambda draw: own.OddWindow(5, 5) & own.Thirds(),
    "own odd blocks": lambda draw: own.OddBlocks(7) | Causal(),
    "own, beside strided": lambda draw: own.Shifted(3),
    "own, pads by key lengths": lambda draw: own.Pads(draw.lengths),
    "own, of lengths": lambda draw: own.FirstPads(draw.whole(draw.lengths)),
    "own, documents of even queries": lambda draw: own.EvenDocuments(draw.whole(_cut(draw, 0))),
    "own, before prefix": lambda draw: own.NoPrefix(4),
}
IN_LINE = (
    "causal",
    "window",
    "strided",
    "both",
    "blocks",
    "dilated",
    "global",
    "prefix",
)  # words of masks that need an order

GRID_MASKS: dict[str, Callable[[Draw], Mask]] = {
    "neighbours": lambda draw: Neighbours(1, 2),
    "neighbours but one": lambda draw: Neighbours(2, 1) & ~Neighbours(0, 0),
    "tiles": lambda draw: Tiles(2, 3),
    "shifted tiles": lambda draw: Tiles(3, 4, down=1, right=3),
    "axial": lambda draw: Axial(),
    "same row": lambda draw: SameRow(),
    "same column": lambda draw: SameColumn(),
    "own, other rows": lambda draw: own.OtherRows(),
}
MASKS |= GRID_MASKS

TWO_SIDES = tuple[Positions | None, Positions | None]
POSITIONS: dict[str, Callable[[Draw], TWO_SIDES]] = {
    "no positions": lambda draw: (None, None),
    "queries from 5": lambda draw: (Sequence(draw.shape.T, start=5), None),
    "both from 0": lambda draw: (Sequence(draw.shape.T), Sequence(draw.shape.S)),
    "keys from 3": lambda draw: (None, Sequence(draw.shape.S, start=3)),
    "keys with step 3": lambda draw: (Sequence(draw.shape.T, start=2), Sequence(draw.shape.S, step=3)),
    "steps 2": lambda draw: (None, Sequence(draw.shape.S, start=1, step=2)),
    "start per row": lambda draw: (Sequence(draw.shape.T, start=draw.whole([4, -3, 9, 0][: draw.shape.B])), None),
    "key start per row": lambda draw: (
        Sequence(draw.shape.T, start=3),
        Sequence(draw.shape.S, start=draw.whole([2, 7, -1, 0][: draw.shape.B]), step=2),
    ),
}

GRIDS: dict[str, Callable[[Draw], TWO_SIDES]] = {
    "grid": lambda draw: (Grid(*_sides(draw.shape.T)), Grid(*_sides(draw.shape.S))),
    "strided grid": lambda draw: (
        Grid(*_sides(draw.shape.T), start=(1, -2), step=(2, 3)),
        Grid(*_sides(draw.shape.S), start=(-1, 0)),
    ),
    "coarse grid": lambda draw: (Grid(*_sides(draw.shape.T), step=(2, 2)), Grid(*_sides(draw.shape.S), step=(2, 1))),
}
POSITIONS |= GRIDS

ORDINARY = Shape(B=3, H=4, G=4, T=32, S=32, D=16, E=16)
SHAPES = {
    "32 tokens": ORDINARY,
    "63 tokens of width 60": replace(ORDINARY, T=63, S=63, D=60, E=60),
    "fewer queries": replace(ORDINARY, T=9, S=40),
    "fewer keys": replace(ORDINARY, T=40, S=9),
    "one query": replace(ORDINARY, T=1),
    "one key": replace(ORDINARY, S=1),
    "grouped heads": replace(ORDINARY, G=2),
    "one key head": replace(ORDINARY, G=1),
    "wide values": replace(ORDINARY, E=24),
    "narrow values": replace(ORDINARY, E=5),
    "several blocks": replace(ORDINARY, B=2, H=2, G=1, T=300, S=300),
    "several blocks of keys": replace(ORDINARY, B=2, H=2, G=2, T=130, S=290),
}

DTYPES = {str(dtype)[6:]: dtype for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64)}


def _transposed(draw: Draw, *sizes: int) -> Tensor:
    """Heads split off a (B, T, H·D) projection."""
    B, H, T, D = sizes
    return draw.normal(B, T, H, D).transpose(1, 2)


LAYOUTS: dict[str, Callable[..., Tensor]] = {
    "contiguous": lambda draw, *sizes: draw.normal(*sizes),
    "transposed": _transposed,
    "every other column": lambda draw, *sizes: draw.normal(*sizes[:3], 2 * sizes[3])[..., ::2],
    "one row for all": lambda draw, *sizes: draw.normal(1, *sizes[1:]).expand(*sizes),
    "one head for all": lambda draw, *sizes: draw.normal(sizes[0], 1, *sizes[2:]).expand(*sizes),
    "heads innermost": lambda draw, B, H, T, D: draw.normal(B, T, D, H).permute(0, 3, 1, 2),
    "rows of 19 or more, from the second number": lambda draw, *sizes: draw.normal(*sizes[:3], max(19, sizes[3] + 1))[
        ..., 1 : 1 + sizes[3]
    ],
    "columns before tokens": lambda draw, B, H, T, D: draw.normal(B, H, D, T).mT,
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """One call, its fields by the names of the tables above."""

    scores: str = "content"
    mask: str = "everything"
    weighting: str = "softmax"
    positions: str = "no positions"
    shape: str = "32 tokens"
    dtype: str = "float32"
    layout: str = "contiguous"
    wanted: str = "output"
    learnt: str = "q, k, v"

    def __str__(self) -> str:
        moved = [getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default]
        return " + ".join(moved) or "ordinary"


WEIGHTINGS: dict[str, Callable[[Draw], Weighting]] = {
    "softmax": lambda draw: Softmax(),
    "hard": lambda draw: Hard(),
    "sink": lambda draw: Softmax(
        draw.normal(draw.shape.H, dtype=torch.promote_types(draw.dtype, torch.float32)).requires_grad_()
    ),
}
WEIGHTINGS |= KERNELS
TABLES: dict[str, dict[str, Any]] = {
    "scores": SCORES,
    "mask": MASKS,
    "weighting": WEIGHTINGS,
    "positions": POSITIONS,
    "shape": SHAPES,
    "dtype": DTYPES,
    "layout": LAYOUTS,
    "wanted": {"output": False, "output and log-sum-exp": True},
    "learnt": {"q, k, v": "qkv", "v alone": "v", "q alone": "q", "nothing": ""},
}


def is_meant(case: Case) -> bool:
    """The few pairs that are bad input, tested as such: `Padding` is for one sequence, and `Hard` has no sum."""
    one_sequence = SHAPES[case.shape].T == SHAPES[case.shape].S
    pads_queries = "lengths" in case.mask.replace("key lengths", "") or case.mask in (
        "map",
        "causal map",
        "two paddings",
    )
    if "documents" in case.mask and not one_sequence:
        return False
    if pads_queries and case.mask != "causal or lengths" and not one_sequence:
        return False
    on_grid = case.positions in GRIDS
    if case.mask in GRID_MASKS and not on_grid:
        return False
    in_line = any(word in case.mask for word in IN_LINE)
    if on_grid and (in_line or "slopes" in case.scores):
        return False
    if case.weighting in KERNELS and not fits_kernel(case.weighting, case.scores, case.wanted):
        return False
    return not (case.weighting == "hard" and case.wanted != "output")


def cases() -> list[Case]:
    moves = [(field, name) for field, table in TABLES.items() for name in list(table)[1:]]
    chosen = [{}, *({field: name} for field, name in moves)]
    chosen += [dict(pair) for pair in itertools.combinations(moves, 2) if pair[0][0] != pair[1][0]]
    # Relative scores are for grids: each of them on a grid, with every other move.
    on_grids = [{"scores": scores, "positions": grid} for scores in RELATIVE for grid in GRIDS]
    # So are these masks: each by itself, with every other move but scores, which come above.
    on_grids += [{"mask": mask, "positions": "grid", "scores": "content"} for mask in GRID_MASKS]
    chosen += [pair | {field: name} for pair in on_grids for field, name in moves if field not in pair]
    return [case for case in (Case(**changes) for changes in chosen) if is_meant(case)]


@dataclass(frozen=True)
class Call:
    """The arguments of `attend`, and the gradients that come back to it."""

    q: Tensor
    k: Tensor
    v: Tensor
    attention: Attention
    return_lse: bool
    grads: tuple[Tensor, ...]

    def widened(self) -> "Call":
        """The same numbers in float64."""
        structure, tensors = self.attention.flatten()
        attention = unflatten([_double(x) for x in tensors], structure)
        grads = tuple(x.double() for x in self.grads)
        return Call(_double(self.q), _double(self.k), _double(self.v), attention, self.return_lse, grads)


def _double(x: Tensor) -> Tensor:
    return x.detach().double().requires_grad_(x.requires_grad) if x.is_floating_point() else x


def build(case: Case, device: torch.device, shape: Shape | None = None, seed: int = 0) -> Call:
    """The tensors and the value of a case."""
    shape = shape or SHAPES[case.shape]
    axes = 2 if case.positions in GRIDS else 1
    draw = Draw(shape, DTYPES[case.dtype], device, torch.Generator().manual_seed(seed), axes)
    layout, learnt = LAYOUTS[case.layout], TABLES["learnt"][case.learnt]
    q = layout(draw, shape.B, shape.H, shape.T, shape.D).requires_grad_("q" in learnt)
    k = layout(draw, shape.B, shape.G, shape.S, shape.D).requires_grad_("k" in learnt)
    v = layout(draw, shape.B, shape.G, shape.S, shape.E).requires_grad_("v" in learnt)
    queries, keys = POSITIONS[case.positions](draw)
    weighting = WEIGHTINGS[case.weighting](draw)
    attention = Attention(SCORES[case.scores](draw), MASKS[case.mask](draw), weighting, queries, keys)
    return_lse = TABLES["wanted"][case.wanted]
    grads = [layout(draw, shape.B, shape.H, shape.T, shape.E)]
    if return_lse:
        grads.append(draw.normal(shape.B, shape.H, shape.T, dtype=torch.promote_types(draw.dtype, torch.float32)))
    return Call(q, k, v, attention, return_lse, tuple(grads))
