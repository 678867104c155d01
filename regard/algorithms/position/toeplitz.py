"""Bounded relative tables on a grid: the map is made of few different blocks, and the values are multiplied by those.

    o_i = Σ_j exp(r(j − i)) v_j / Σ_j exp(r(j − i))

The weights of a row of queries on a row of keys depend on the distance of the two rows alone. With these blocks for all
distances side by side, the ones that a row of queries needs are a slice, and those of the next row the slice one block
on: the numerators are products of overlapping slices with the values, and the N² weights are nowhere in memory. Like
`convolution` this takes exponentials without the maximum of their row, so a bound |r| ≤ b must be promised.
"""

from typing import cast

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard.algorithms.kernels.position.toeplitz import Axis, block_sizes, quotient
from regard.algorithms.planning.algorithm import Algorithm, told
from regard.algorithms.planning.cost import Cost, output
from regard.algorithms.planning.kept import recall
from regard.algorithms.planning.problem import Problem
from regard.algorithms.position.convolution import (
    DIRECT_BOUND,
    Taps,
    known_taps,
    refuses_terms,
    taps,
    twice_the_bound,
)
from regard.algorithms.position.shared_map import blank_values
from regard.attention import Everything, Places, RelativeTable
from regard.attention.masks.visibility import visible
from regard.attention.positions.sizes import is_symbol, number, surely

# Of 2b. In float16 exp(±4) and its quotient with a mean are normal numbers. Beyond this in bfloat16 one key has all the
# weight of its row, and the gradient of the table is a small difference of rounded outputs.
HALF_BOUNDS = {torch.float16: 8, torch.bfloat16: 40}
LONGEST = 1024  # rows or columns: a matrix of that side, of zeros and ones, adds up the denominators


class Toeplitz(Algorithm):
    """As many products as with the whole map, which is nowhere in memory."""

    name = "toeplitz"

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_terms(problem)
        if reason is not None:
            return reason
        sides = [side for axis in grid_axes(problem.places) for side in (axis.queries, axis.keys)]
        if any([surely(number(side) > LONGEST) and not is_symbol(side) for side in sides]):
            return told("takes at most {} places along an axis: got {}", LONGEST, max(sides))
        if problem.dtype == torch.float16 and problem.masks:
            return "means over all keys leave the range of float16 in rows that see few of them"
        if surely(problem.shape.S == 1) and problem.item == 2:
            return "rounds a quotient that is one: a single key needs no product"
        most, twice = HALF_BOUNDS.get(problem.dtype, DIRECT_BOUND), twice_the_bound(problem)
        return told("needs twice the bound to be at most {}: got {:g}", most, twice) if twice > most else None

    def cost(self, problem: Problem) -> Cost:
        """Values and outputs cross memory a few times, and so do the blocks."""
        shape, item, wide = problem.shape, problem.item, max(4, problem.item)
        rows, columns = grid_axes(problem.places)
        values, outputs = item * shape.B * shape.G * shape.S * shape.E, output(shape, item)
        sizes = block_sizes(rows, columns, shape.G, shape.H // shape.G)
        blocks = shape.H * columns.queries * columns.keys * rows.distances
        flops = 2 * shape.B * shape.H * shape.T * shape.S * shape.E
        table = item * blocks * sizes.out
        total = Cost(flops, 4 * values + 3 * outputs + 2 * table, values + outputs + table, 30 + shape.G)
        if problem.backward:
            table = item * blocks * rows.stride * sizes.back
            total += Cost(flops, 5 * values + 3 * outputs + 2 * table, 2 * values + outputs + table, 15 + shape.G)
        if problem.bias_backward:
            table = wide * blocks * sizes.side
            calls = 35 + rows.distances // (rows.stride * sizes.side)
            total += Cost(flops, 2 * values + 6 * outputs + 2 * table, values + 2 * outputs + table, calls)
        return total

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        B, H = q.shape[:2]
        every = taps(Everything(), problem.places)
        assert every is not None
        rows, columns = grid_axes(problem.places, every)
        kernel = _kernel(problem, every)
        denominators = _sums(kernel, rows, columns)
        _, seen = visible(problem.attention.mask, problem.places, 1, H, v.device)
        values = blank_values(v, seen, H)
        empty = denominators == 0 if problem.masks else None
        if empty is not None:
            denominators = denominators.masked_fill(empty, torch.inf)
        out = quotient(kernel, denominators, values, rows, columns)
        if not problem.return_lse:
            return out, None
        lse = denominators.log() if empty is None else denominators.masked_fill(empty, 1).log()
        lse = lse if empty is None else lse.masked_fill(empty, -torch.inf)
        return out, lse.flatten(1).to(problem.wide).expand(B, -1, -1)


def grid_axes(places: Places, every: list[Taps] | None = None) -> tuple[Axis, Axis]:
    """Rows and columns; a line is one column. `every` tap there is may be known already."""
    every = every or taps(Everything(), places)
    assert every is not None
    rows, columns = [Axis(axis.queries, axis.keys, axis.stride) for axis in every]
    return (rows, columns) if places.num_axes == 2 else (columns, rows)


def _kernel(problem: Problem, every: list[Taps]) -> Tensor:
    """`exp(r)` for every distance of rows and of columns, in order, zero where the mask hides it; in float64."""
    axes = known_taps(problem) if problem.masks else every
    parts = []
    for term in cast(tuple[RelativeTable, ...], problem.attention.biases):  # as their facts say
        table = term.bounded.double()
        along = range(2 - len(term.reach), 2) if term.axis is None else (term.axis,)
        for dim, (axis, reach) in enumerate(zip([axes[a] for a in along], term.reach, strict=True), start=1):
            first = axis.shift + axis.step * axis.first + reach
            if (first, axis.step, axis.count) != (0, 1, table.shape[dim]):  # a slice of all would cost a copy back
                last = first + axis.step * (axis.count - 1)
                table = table[(slice(None),) * dim + (slice(first, last + 1, axis.step),)]
        if table.ndim == 2:
            table = table[:, :, None] if along[0] == 0 else table[:, None, :]
        parts.append(table)
    kernel = sum(parts[1:], parts[0]).exp().expand(-1, axes[0].count, axes[1].count)
    hidden = [
        end for axis, full in zip(axes, every, strict=True) for end in (axis.first - full.first, full.last - axis.last)
    ]
    if any(hidden):
        kernel = pad(kernel, (*hidden[2:], *hidden[:2]))
    return kernel if problem.places.num_axes == 2 else kernel.mT


def _sums(kernel: Tensor, rows: Axis, columns: Axis) -> Tensor:
    """The denominators, (H, h′, w′): sums of positive numbers only, where prefix sums would cancel."""
    over_rows, over_columns = (
        recall(("windows", axis, kernel.device), lambda axis=axis: _windows(*axis, kernel.device))
        for axis in (rows, columns)
    )
    return over_rows @ kernel @ over_columns.mT


def _windows(queries: int, keys: int, stride: int, device: torch.device) -> Tensor:
    """Which distances a query meets: ones in `keys` places, after `stride` for each query that follows."""
    first = stride * torch.arange(queries - 1, -1, -1, device=device)[:, None]
    place = torch.arange(keys + stride * (queries - 1), device=device)
    return ((place >= first) & (place < first + keys)).double()
