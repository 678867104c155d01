"""The receptive field of a stack of attention layers: how many tokens, and which, reach an output after each layer.

Only what masks leave is asked: a token counts when there is a way for its value, whatever the weights on that way. (A
token that is hidden from itself still steers its own weights, through its query.) With `Chosen` masks the ways are
those of hard attention whose choices are given.
"""

import functools
import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from regard.analysis.reach.composition import Stack, grow
from regard.analysis.reach.formulas import Formula, formula
from regard.analysis.tables import Printed, new_table, stack
from regard.attention import Dense, Facts, Grid, Mask, Or, Places, Positions, Sequence, Shape
from regard.attention.masks.mask import leaves
from regard.attention.value import show
from regard.formulas import write_sympy

DEEPEST = 1024  # layers

Layer = Mask | Tensor | list[Mask | Tensor]


@dataclass(frozen=True, eq=False)
class Chosen(Mask):
    """The keys that a query's heads have chosen, by index, (H,T) or (B,H,T): what hard attention then reads.

    >>> chosen = Chosen(torch.tensor([[2, 0, 1], [2, 2, 2]]))
    >>> [[bool(chosen.allows(0, 0, i, j, None)) for j in range(3)] for i in range(2)]
    [[False, False, True], [True, False, True]]
    """

    index: Int[Tensor, "..."]

    def __post_init__(self) -> None:
        if self.index.dtype not in (torch.int64, torch.int32) or self.index.ndim not in (2, 3):
            raise ValueError(
                "chosen keys must be whole numbers of shape (H, T) or (B, H, T): "
                f"got {show(self.index)}; use weights.argmax(-1)"
            )

    def check(self, shape: Shape, places: Places) -> None:
        wanted, own = (shape.B, shape.T)[3 - self.index.ndim :], self.index.select(-2, 0)
        if tuple(own.shape) != wanted:
            raise ValueError(
                f"chosen keys must be one per head for each of {shape.T} queries in {shape.B} rows: "
                f"got {tuple(self.index.shape)}; use (H, {shape.T})"
            )
        low, high = int(self.index.min()), int(self.index.max())
        if low < 0 or high >= shape.S:
            raise ValueError(
                f"chosen keys must lie in 0…{shape.S - 1}: got {low if low < 0 else high}; count the tokens from 0"
            )

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        by_head = self.index.movedim(-2, 0)
        return ((by_head[:, i] if self.index.ndim == 2 else by_head[:, b, i]) == j).any(0)

    @property
    def batch(self) -> int | None:
        return len(self.index) if self.index.ndim == 3 else None

    def facts(self, places: Places) -> Facts:
        return Facts(rows=self.index.ndim == 3, heads=False)

    def __repr__(self) -> str:
        return f"Chosen({show(self.index)})"


@dataclass(frozen=True)
class Depth:
    """After `layers` layers: the fewest, the mean and the most tokens that reach an output; how many reach the one.

    `formula` is what the closed form says of that one, where there is one. `convolution` is how many tokens reach an
    inner output of as many convolutions, each with as many taps as the first layer shows keys at most.
    """

    layers: int
    fewest: int
    mean: float
    most: int
    here: int
    formula: int | None
    convolution: int


@dataclass(frozen=True, eq=False)
class Reach(Printed):
    """How the receptive field grows with depth, and which tokens have `reached` one `output`, (layers, N).

    `settled` is the depth from which on, by layers that are all the same, no layer changes what reaches that output.
    """

    columns = 80

    masks: tuple[str, ...]
    sides: tuple[int, ...]
    residual: bool
    output: int
    depths: tuple[Depth, ...]
    reached: Tensor
    formula: Formula | None
    taps: tuple[int, ...]
    settled: int | None

    @property
    def tokens(self) -> int:
        return math.prod(self.sides)

    @property
    def missing(self) -> Tensor:
        """Tokens that do not reach the output after the last layer, (N,)."""
        return ~self.reached[-1]

    def json(self) -> str:
        """The numbers for a program; the missing tokens as runs, first and last."""
        plain = {"masks": self.masks, "sides": self.sides, "tokens": self.tokens, "residual": self.residual}
        plain |= {"output": self.output, "depths": [asdict(depth) for depth in self.depths], "settled": self.settled}
        plain |= {"formula": None if self.formula is None else self.formula.texts(), "taps": self.taps}
        return json.dumps(plain | {"missing": int(self.missing.sum()), "missing_runs": list(runs(self.missing))})

    def rich(self) -> Any:
        """The table of growth, for Rich."""
        kernel = " × ".join(map(str, self.taps))
        titles = ("layers", "fewest", "mean", "most", self.output_name, f"convolution {kernel}")
        table = new_table(numbers=titles)
        for at in self.depths:
            numbers = (at.layers, at.fewest, at.mean, at.most, at.here, at.convolution)
            table.add_row(*[f"{n:,.1f}" if isinstance(n, float) else f"{n:,}" for n in numbers])
        size = f"{self.tokens:,} tokens" if len(self.sides) == 1 else f"{self.sides[0]:,} × {self.sides[1]:,} pixels"
        residual = "with the residual connection" if self.residual else "without a residual connection"
        heading = (" then ".join(self.masks), "bold"), (f"{size} · {residual}", "cyan")
        return stack(*heading, "", table, "", *self._says())

    @property
    def output_name(self) -> str:
        """The output in words: its number, or its row and column."""
        return f"output {divmod(self.output, self.sides[1]) if len(self.sides) == 2 else self.output}"

    def _says(self) -> Iterator[str]:
        here, missing = self.output_name, int(self.missing.sum())
        yield f"tokens that reach an output; convolution: its inner output, at most {self.tokens:,}"
        if missing:
            first = next(runs(self.missing))
            never = "however many layers" if self.settled is not None else f"by {len(self.depths)} layers"
            others = "" if first[1] - first[0] + 1 == missing else " and others"
            yield f"{missing:,} tokens do not reach {here} {never}: {first[0]}…{first[1]}{others}"
        else:
            whole = next(at.layers for at in self.depths if at.here == self.tokens)
            yield f"every token reaches {here} from layer {whole} on"
        if self.formula is None:
            yield "no formula is known for this stack: the counts are of the composed masks"
        else:
            yield f"formula for {here}: {write_sympy(self.formula.at)} with {self.formula.legend}"


def runs(marked: Tensor) -> Iterator[tuple[int, int]]:
    """The first and the last of neighbours that are marked.

    >>> list(runs(torch.tensor([True, True, False, True])))
    [(0, 1), (3, 3)]
    """
    edges = torch.nn.functional.pad(marked.long(), (1, 1)).diff()
    firsts, lasts = (edges == 1).nonzero()[:, 0].tolist(), (edges == -1).nonzero()[:, 0].tolist()
    return ((first, last - 1) for first, last in zip(firsts, lasts, strict=True))


def reach(
    masks: Layer | list[Layer],
    tokens: int | Positions,
    depth: int | None = None,
    *,
    residual: bool = True,
    output: int | None = None,
    row: int = 0,
    num_heads: int | None = None,
) -> Reach:
    """How many tokens reach an output after 1, 2, … `depth` layers of these masks on so many tokens, or on positions.

    One mask stands for all layers. A list has one item per layer, from the first; where `depth` is more they come again
    in order. A layer is a mask, the chosen keys (H,T) or (B,H,T) of its heads, or a list of these, one per head, which
    are united. A residual connection lets a token through to itself, hidden by the mask or not. The `output` whose
    tokens are listed is, unless given, one that the most reach after the last layer, nearest to the middle. `row` is
    the row of the batch, where rows differ; `num_heads` is for a mask of one's own that differs between heads.

    >>> from regard.attention import Causal, SameColumn, SameRow, Window
    >>> [at.most for at in reach(Causal() & Window(256), 4096, 3).depths]
    [257, 513, 769]
    >>> [at.fewest for at in reach([SameRow(), SameColumn()], Grid(8, 6)).depths]
    [6, 48]
    """
    positions = Sequence(tokens) if isinstance(tokens, int) else tokens
    layers = _layers(masks, depth)
    stack = _checked(layers, positions, residual, row, num_heads)
    growth = grow(stack)
    counts = growth.counts()
    N = positions.count
    if output is None:
        middle = positions.h // 2 * positions.w + positions.w // 2 if isinstance(positions, Grid) else N // 2
        nearest = (torch.arange(N) - middle).abs()
        output = int(torch.where(counts[-1] == counts[-1].max(), nearest, N).argmin())
    elif not 0 <= output < N:
        raise ValueError(f"output must be one of the {N} tokens: got output={output}; use 0…{N - 1}")
    reached = torch.stack(growth.follow(output))
    if is_uniform := len(set(stack.numbers)) == 1:
        known = [formula(stack.layers[0], positions, residual)] * len(stack.layers)
    else:
        known = [formula(stack.layers[:number], positions, residual) for number in range(1, len(stack.layers) + 1)]
    # The kernel of as many taps as the first layer shows keys: in a line so long, on a grid a square of no fewer.
    most = int(counts[0].max())
    taps = (math.isqrt(max(most - 1, 0)) + 1,) * 2 if isinstance(positions, Grid) else (max(most, 1),)
    sides = (positions.h, positions.w) if isinstance(positions, Grid) else (positions.n,)
    depths = []
    for number, (count, here, law) in enumerate(zip(counts, reached.sum(1).tolist(), known, strict=True), 1):
        exact = None if law is None else law.value(positions, output, number)
        conv = math.prod([min(side, 1 + number * (K - 1)) for side, K in zip(sides, taps, strict=True)])
        low, mean, high = int(count.min()), float(count.double().mean()), int(count.max())
        depths.append(Depth(number, low, mean, high, here, exact, conv))
    names = tuple(dict.fromkeys([repr(mask) for mask in stack.layers]))
    # Where all layers are the same, what one layer does not change no further layer changes.
    same = (reached[1:] == reached[:-1]).all(1).nonzero()[:, 0] if is_uniform else []
    settled = int(same[0]) + 1 if len(same) else None
    return Reach(names, sides, residual, output, tuple(depths), reached, known[-1], taps, settled)


def _layers(masks: Any, depth: int | None) -> tuple[Mask, ...]:
    given = [_united(layer, number) for number, layer in enumerate(masks if isinstance(masks, list) else [masks])]
    if not given:
        raise ValueError("masks must be one for all layers, or one per layer: got an empty list; give Everything()")
    if depth is None and not isinstance(masks, list):
        raise ValueError(f"depth must be given with one mask for all layers: got {masks!r} alone; use depth=12")
    depth = len(given) if depth is None else depth
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"depth must be from 1 to {DEEPEST} layers: got depth={depth}; use 12")
    if len(given) > depth:
        raise ValueError(f"depth must be at least one layer per mask: got depth={depth} for {len(given)}; leave it out")
    return tuple(itertools.islice(itertools.cycle(given), depth))


def _united(layer: Any, number: int) -> Mask:
    heads = [
        Chosen(head) if isinstance(head, Tensor) else head for head in (layer if isinstance(layer, list) else [layer])
    ]
    strange = [head for head in heads if not isinstance(head, Mask)]
    if strange or not heads:
        came = type(strange[0]).__name__ if strange else "an empty list"
        raise ValueError(
            f"a layer must be a mask, chosen keys, or a list of these per head: got {came} in layer {number + 1}; "
            "a boolean tensor is Dense(tensor)"
        )
    return functools.reduce(Or, heads)


def _checked(layers: tuple[Mask, ...], positions: Positions, residual: bool, row: int, num_heads: int | None) -> Stack:
    """The stack, once each mask fits the tokens, with the rows and heads that the masks speak of."""
    N, places = positions.count, Places(positions, positions)
    if N < 1:
        raise ValueError(f"tokens must be at least 1: got {N}; use 4096")
    different = {id(mask): mask for mask in layers}
    inside = {key: list(leaves(mask)) for key, mask in different.items()}
    rows = [len(positions.start)] if isinstance(positions.start, Tensor) else []
    B = max([*[mask.batch or 1 for mask in different.values()], *rows])
    if not 0 <= row < B:
        raise ValueError(f"row must be one of the {B} that the masks and positions have: got row={row}; use 0")
    heads = {}
    for key, mask in different.items():
        told = [part.tensor.shape[-3] for part in inside[key] if isinstance(part, Dense) and part.tensor.ndim > 2]
        if num_heads is None and not told and mask.facts(places).heads:
            raise ValueError(f"num_heads must be given where heads differ: got none for {mask!r}; use num_heads=8")
        heads[key] = H = num_heads or max(told, default=1)
        mask.check(Shape(B, H, H, N, N, 1, 1), places)
    return Stack(layers, positions, residual, row, tuple([heads[id(mask)] for mask in layers]))
