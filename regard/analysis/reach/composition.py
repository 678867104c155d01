"""Masks of several layers, one after the other, composed to the set of tokens that reach each output: exactly.

Layer l lets output i see `M_l(i)`, with a residual connection itself too. What reaches it through the first l layers is
`R_l(i) = ∪ { R_{l−1}(s) : s ∈ M_l(i) }`, with `R_0(i) = {i}`. Three ways find it: along the axes of a grid one by one,
by sums of offsets where the border of the sequence cannot matter, and by boolean products of the maps.
"""

import functools
import itertools
import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from regard.analysis.reach.visible_pairs import ask_offsets, sum_over_keys
from regard.attention import And, Everything, Grid, Mask, Places, Positions

LARGEST = 8192  # tokens of which all pairs are decided: a product takes four seconds
OFFSETS = 1 << 20  # offsets whose sums are taken: a line of 524,288 tokens, 512 × 512 pixels
SLAB = 1 << 22  # pairs decided at once
SPARSE = 64  # one key in so many: rows are gathered rather than multiplied


class Growth(Protocol):
    """What reaches the outputs after each layer."""

    def counts(self) -> list[Tensor]:
        """For each layer how many tokens reach each output, (N,)."""
        ...

    def follow(self, output: int) -> list[Tensor]:
        """For each layer which tokens reach one output, (N,)."""
        ...


@dataclass(frozen=True)
class Stack:
    """Masks, one per layer, on the same positions; `row` is that of the batch, and heads are united."""

    layers: tuple[Mask, ...]
    positions: Positions
    residual: bool = True
    row: int = 0
    num_heads: tuple[int, ...] = ()

    @property
    def places(self) -> Places:
        return Places(self.positions, self.positions)

    @functools.cached_property
    def numbers(self) -> list[int]:
        """For each layer the first one that has the same mask."""
        first: dict[int, int] = {}
        return [first.setdefault(id(mask), number) for number, mask in enumerate(self.layers)]


def grow(stack: Stack) -> Growth:
    """What reaches the outputs, by the cheapest way that is exact."""
    found = _along_axes(stack) or _by_offsets(stack)
    return ByTables.of(stack) if found is None else found


@dataclass(frozen=True)
class ByAxes:
    """Rows and columns apart: a product of two masks composes to the product of what each composes to."""

    rows: Growth
    columns: Growth
    width: int

    def counts(self) -> list[Tensor]:
        pairs = zip(self.rows.counts(), self.columns.counts(), strict=True)
        return [(down[:, None] * right).flatten() for down, right in pairs]

    def follow(self, output: int) -> list[Tensor]:
        r, c = divmod(output, self.width)
        pairs = zip(self.rows.follow(r), self.columns.follow(c), strict=True)
        return [(down[:, None] & right).flatten() for down, right in pairs]


def _along_axes(stack: Stack) -> ByAxes | None:
    """Each axis by itself, where every mask is one of rows times one of columns and the residual adds nothing."""
    if not isinstance(stack.positions, Grid):
        return None
    sides = []
    for axis in (0, 1):
        masks = {number: along(stack.layers[number], axis) for number in stack.numbers}
        layers = [masks[number] for number in stack.numbers]
        if any([mask is None for mask in layers]):
            return None
        line = stack.positions.axis(axis)
        zero, own = torch.zeros(1, dtype=torch.long), torch.arange(line.n)
        for mask in masks.values() if stack.residual else ():
            # What the residual adds to a product is no product, unless every token sees itself already.
            if mask is not None and not mask.allows(zero, zero, own, own, Places(line, line)).all():
                return None
        sides.append(Stack(tuple([mask for mask in layers if mask is not None]), line, residual=False))
    return ByAxes(grow(sides[0]), grow(sides[1]), stack.positions.w)


def along(mask: Mask, axis: int) -> Mask | None:
    """The mask along one axis of a grid, where all parts of the mask are products of rows and columns."""
    parts = [part.along(axis) for part in mask.conjuncts]
    known = [part for part in parts if part is not None]
    return functools.reduce(And, known, Everything()) if len(known) == len(parts) else None


@dataclass(frozen=True)
class ByOffsets:
    """For each layer the offsets, key − query, of what reaches an output, as a map that has 0 in its middle."""

    offsets: list[Tensor]

    @property
    def sides(self) -> list[int]:
        return [(size + 1) // 2 for size in self.offsets[0].shape]

    def counts(self) -> list[Tensor]:
        """How many offsets lead from each token to a token of the sequence."""
        counts = []
        for offsets in self.offsets:
            found = offsets.long()
            for axis, side in enumerate(self.sides):
                found = sum_over_keys(found, axis, side, side)
            counts.append(found.flatten())
        return counts

    def follow(self, output: int) -> list[Tensor]:
        rest, here = output, []
        for side in reversed(self.sides):
            here.insert(0, slice(side - 1 - rest % side, 2 * side - 1 - rest % side))
            rest //= side
        return [offsets[tuple(here)].flatten() for offsets in self.offsets]


def _by_offsets(stack: Stack) -> ByOffsets | None:
    """Sums of one offset per layer, where the border cannot matter; None where it may.

    All sums are at least what reaches. Sums of offsets that never turn back along an axis are at most that: their way
    lies between its ends. Where both are the same they are what reaches.
    """
    positions = stack.positions
    sides = [positions.h, positions.w] if isinstance(positions, Grid) else [positions.n]
    is_relative = all([mask.facts(stack.places).relative for mask in stack.layers]) and stack.places.is_static
    if not is_relative or math.prod([2 * side - 1 for side in sides]) > OFFSETS:
        return None
    reach = torch.zeros([2 * side - 1 for side in sides], dtype=torch.bool)
    reach[tuple([side - 1 for side in sides])] = True
    # A circle so large that only offsets beyond the sequence meet others on it.
    circle, axes = [1 << (3 * side - 2).bit_length() for side in sides], range(1, len(sides) + 1)
    # NumPy's transform asks for no threads, and most of these are small.
    ways, found = _ways(reach, sides), []
    spectra = {
        number: np.fft.rfftn(_ways(_offsets(stack, number), sides).numpy(), circle, axes)
        for number in set(stack.numbers)
    }
    for layer, number in enumerate(stack.numbers):
        if layer >= 2 and len(spectra) == 1 and torch.equal(found[-1], found[-2]):
            found.append(found[-1])  # the last layer changed nothing, so none will
            continue
        sums = np.fft.irfftn(np.fft.rfftn(ways.numpy(), circle, axes) * spectra[number], circle, axes)
        ways = torch.from_numpy(sums[(..., *[slice(side - 1, 3 * side - 2) for side in sides])] > 0.5)
        if not torch.equal(ways[0], ways[1:].any(0)):
            return None
        found.append(ways[0])
    return ByOffsets(found)


def _offsets(stack: Stack, number: int) -> Tensor:
    """Which offsets one layer lets through."""
    seen = ask_offsets(stack.layers[number], stack.places).bool()
    if stack.residual:
        seen[tuple([side // 2 for side in seen.shape])] = True
    return seen


def _ways(offsets: Tensor, sides: list[int]) -> Tensor:
    """The offsets, and those in each quadrant: along every axis forward or back, 0 in both."""
    kept = [offsets]
    for back in itertools.product((False, True), repeat=len(sides)):
        part = offsets.clone()
        for axis, side in enumerate(sides):
            part.narrow(axis, side if back[axis] else 0, side - 1).fill_(False)
        kept.append(part)
    return torch.stack(kept)


@dataclass(frozen=True)
class ByTables:
    """The map of each mask, (N, N), and which of them each layer has."""

    tables: dict[int, Tensor]
    numbers: list[int]

    @classmethod
    def of(cls, stack: Stack) -> "ByTables":
        N = stack.positions.count
        if N > LARGEST:
            parts = " then ".join(dict.fromkeys([repr(mask) for mask in stack.layers]))
            raise ValueError(
                f"all pairs of {parts} must be decided, of at most {LARGEST:,} tokens: got {N:,}; use fewer tokens, "
                "where the pattern is the same"
            )
        return cls({number: _table(stack, number) for number in set(stack.numbers)}, stack.numbers)

    def counts(self) -> list[Tensor]:
        reach = self.tables[0]
        counts, settled = [reach.sum(1)], False
        for number in self.numbers[1:]:
            if settled:
                counts.append(counts[-1])
                continue
            before, reach = reach, compose(self.tables[number], reach)
            counts.append(reach.sum(1))
            settled = len(self.tables) == 1 and torch.equal(before, reach)
        return counts

    def follow(self, output: int) -> list[Tensor]:
        found = []
        start = torch.zeros(len(self.tables[0]), dtype=torch.bool)
        start[output] = True
        for depth in range(1, len(self.numbers) + 1):
            # One mask: a layer more is a step more. Else the way back begins at another layer.
            same = len(self.tables) == 1 and found
            seen, steps = (found[-1], [0]) if same else (start, self.numbers[:depth][::-1])
            for number in steps:
                seen = self.tables[number][seen].any(0)
            found.append(seen)
        return found


def _table(stack: Stack, number: int) -> Tensor:
    N, rows = stack.positions.count, []
    H = stack.num_heads[number] if stack.num_heads else 1
    b, h, j = torch.tensor([stack.row]), torch.arange(H), torch.arange(N)
    for some in j.split(max(1, SLAB // (N * H))):
        seen = stack.layers[number].slab(b, h, some, j, stack.places)
        rows.append(seen[(None,) * (4 - seen.ndim)].expand(1, -1, len(some), N)[0].any(0))
    table = torch.cat(rows)
    if stack.residual:
        table.fill_diagonal_(True)
    return table


def compose(table: Tensor, reach: Tensor) -> Tensor:
    """`out[i] = ∪ { reach[s] : table[i, s] }`: a boolean product.

    >>> step = torch.eye(4, dtype=torch.bool).roll(1, 1)
    >>> compose(step, step).long().argmax(1).tolist()
    [2, 3, 0, 1]
    """
    N = len(table)
    out = torch.ones_like(table)
    # Whoever sees an output that all tokens reach is reached by all.
    rest = (~table[:, reach.all(1)].any(1)).nonzero()[:, 0]
    most = int(table[rest].sum(1).max()) if len(rest) else 0
    if most * SPARSE <= N:
        seen, keys = table[rest].long().topk(max(most, 1), 1)
        parts = [reach[keys[:, n]] & seen[:, n, None].bool() for n in range(keys.shape[1])]
        out[rest] = functools.reduce(torch.bitwise_or, parts)
        return out
    numbers = reach.float()
    for some in rest.split(512):
        keys = table[some].any(0).nonzero()[:, 0]
        first, last = (int(keys[0]), int(keys[-1]) + 1) if len(keys) else (0, 0)
        out[some] = table[some, first:last].float() @ numbers[first:last] > 0.5
    return out
