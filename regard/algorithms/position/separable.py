"""Scores that are a sum of a term in rows and a term in columns, on a grid: the map is a product of two small ones.

    softmax(f(y) + g(x)) over y × x  =  softmax(f) ⊗ softmax(g)

so the values are mixed along rows, then along columns: N·(h + w) in place of N².
"""

from dataclasses import replace
from typing import cast

import torch
from torch import Tensor

from regard.algorithms.kernels.position.gaussian_map import gaussian_maps
from regard.algorithms.kernels.position.mixing import mix
from regard.algorithms.planning.algorithm import (
    Algorithm,
    predicted,
    refuses_softmax,
    refuses_triton,
    runs_triton,
    told,
)
from regard.algorithms.planning.cost import Cost, output
from regard.algorithms.planning.problem import Problem
from regard.algorithms.position.shared_map import blank_values, mixed_bytes, refuses_content, whole_logits, whole_map
from regard.attention import Attention, Everything, Grid, Mask, Places, Quadratic, Sum, Term
from regard.attention.masks.visibility import visible
from regard.attention.positions.sizes import Count, is_symbol
from regard.attention.reference import logsumexp
from regard.attention.torch_private import is_forward_mode, is_transformed

SMALL_PRODUCT = 0.003  # of a launch
TILE = 16  # rows and columns of a grid that a tile of the kernel holds
SMALL_TILES = 3.1  # times the time that large products take


class Separable(Algorithm):
    """Two products with all values, along rows and along columns."""

    name = "separable"

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_softmax(problem)
        if reason is not None:
            return reason
        if problem.places.num_axes != 2:
            return "needs tokens on a grid"
        reason = refuses_content(problem)
        if reason is not None:
            return reason
        for term in problem.attention.biases:
            if term.along(0) is None:
                return told("takes terms of rows plus columns: not {}", type(term).__name__)
        for mask in problem.masks:
            if mask.along(0) is None:
                return told("takes masks of rows times columns: not {}", type(mask).__name__)
        return None

    def cost(self, problem: Problem) -> Cost:
        """The values in between cross memory, unless a tile of the kernel holds a grid."""
        shape = problem.shape
        queries, keys = grids(problem.places)
        rows = shape.B * shape.H * queries.h * keys.h * keys.w * shape.E
        columns = shape.B * shape.H * queries.count * keys.w * shape.E
        between = problem.item * shape.B * shape.H * queries.h * keys.w * shape.E
        products = (2 if problem.backward else 1) + (1 if problem.bias_backward else 0)
        passes = 2 if problem.backward else 1
        if plans_kernel(problem):
            return self._cost_of_kernel(problem, rows + columns, rows, between)
        # Columns are mixed by one small product for every row and head: a batch of those is no single launch.
        calls = 35 + SMALL_PRODUCT * shape.B * shape.H * queries.h
        return Cost(
            flops=2 * (rows + columns) * products,
            bytes=(mixed_bytes(problem) + 2 * between) * products,
            memory=between * passes + output(shape, problem.item) * passes,
            launches=calls * products,
        )

    def _cost_of_kernel(self, problem: Problem, mixing: Count, again: Count, between: Count) -> Cost:
        """All gradients come together; on a small grid the values are mixed along one axis once more for them."""
        shape, back, small = problem.shape, 1 if problem.backward else 0, fits_tile(problem)
        written = 0 if small else between
        return Cost(
            flops=2 * (mixing * (1 + 2 * back) + again * back * small),
            bytes=mixed_bytes(problem) * (1 + back) + written * (2 + 4 * back),
            memory=(written + output(shape, problem.item)) * (1 + back),
            launches=8 + 17 * back,
        )

    def seconds(self, problem: Problem) -> float:
        """A grid that fits into a tile takes the time of a whole one, in products too small to be quick."""
        cost = self.cost(problem)
        if plans_kernel(problem) and fits_tile(problem):
            queries, keys = grids(problem.places)
            whole = TILE**3 / (queries.h * keys.w * (keys.h + queries.w) / 2)
            cost = replace(cost, flops=SMALL_TILES * whole * cost.flops)
        return predicted(problem, self.name, cost, problem.dtype)

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        B, H, T, E = *q.shape[:3], v.shape[3]
        queries, keys = grids(problem.places)
        maps = axis_maps(problem, v)
        values = blanked(v, problem)
        if has_kernel(values):
            from regard.algorithms.kernels.position.grid_mixing import mix_grid

            out = mix_grid(maps[0], maps[1], values)
        else:
            mixed = mix(
                maps[0], values.unflatten(2, (keys.h, keys.w)).flatten(3)
            )  # (B, H, h′, w·E), as (B, h′, H, w·E)
            by_row = mixed.transpose(1, 2).reshape(B * queries.h, H, keys.w, E)
            out = mix(maps[1], by_row)  # (B·h′, H, w′, E), as (B·h′, w′, H, E)
            out = out.transpose(1, 2).reshape(B, T, H, E).transpose(1, 2)
        if not problem.return_lse:
            return out, None
        rows, columns = (logsumexp(axis_logits(problem, axis, v.device)[None])[0] for axis in (0, 1))
        lse = rows[:, :, None] + columns[:, None, :]
        # A row may be empty along one axis alone: then it has no gradient along the other either.
        empty = lse == -torch.inf
        lse = torch.where(empty, 0, lse).masked_fill(empty, -torch.inf) if problem.masks else lse
        return out, lse.to(problem.wide).flatten(1).expand(B, -1, -1)


def plans_kernel(problem: Problem) -> bool:
    """Whether the kernel is there for such a problem: in half precision, for which GPUs have matrix units."""
    return problem.item == 2 and refuses_triton(problem) is None


def fits_tile(problem: Problem) -> bool:
    """Whether the grid is so small that a tile of the kernel holds it."""
    queries, keys = grids(problem.places)
    sides = (queries.h, queries.w, keys.h, keys.w)
    return not any([is_symbol(side) for side in sides]) and max(sides) <= TILE


def has_kernel(v: Tensor) -> bool:
    """Whether the kernel takes these values: on a GPU, where no transform follows them."""
    if not runs_triton(v.device) or v.dtype.itemsize != 2:
        return False
    return torch.compiler.is_compiling() or not (is_transformed() or is_forward_mode())


def grids(places: Places) -> tuple[Grid, Grid]:
    """The places of the queries and of the keys."""
    assert isinstance(places.queries, Grid)
    assert isinstance(places.keys, Grid)
    return places.queries, places.keys


def axis_maps(problem: Problem, like: Tensor) -> list[Tensor]:
    """The maps along rows and along columns, (H, n′, n), in float64: they are small."""
    attention = problem.attention
    if len(problem.terms) == 1 and problem.terms[0].quadratic is not None and not problem.masks:
        return gaussian_maps(cast(Quadratic, attention.biases[0]), problem.places, like)
    return [
        whole_map(axis_logits(problem, axis, like.device), attention, len(problem.masks) > 0, problem.terms)
        for axis in (0, 1)
    ]


def axis_logits(problem: Problem, axis: int, device: torch.device) -> Tensor:
    line = problem.places.axis(axis, problem)
    return whole_logits(along(problem, axis), line, problem.shape.H, torch.float64, device)


def is_separable(problem: Problem) -> bool:
    """Whether scores are terms of rows plus columns, and masks of rows times columns, on a grid."""
    parts = (*problem.attention.biases, *problem.masks)
    return problem.places.num_axes == 2 and all([part.along(0) is not None for part in parts])


def along(problem: Problem, axis: int) -> Attention:
    """The attention of a problem along one axis of its grid."""
    terms: list[Term] = []
    for term in problem.attention.biases:
        parts = term.along(axis)
        assert parts is not None
        terms += parts
    mask: Mask = Everything()
    for part in problem.masks:
        factor = part.along(axis)
        assert factor is not None
        mask = mask & factor
    return Attention(Sum(tuple(terms)), mask)


def blanked(v: Tensor, problem: Problem) -> Tensor:
    """A value is seen where its row and its column are."""
    if not problem.masks:
        return v
    _, keys = grids(problem.places)
    for axis, shape in ((0, (1, 1, keys.h, 1)), (1, (1, 1, 1, keys.w))):
        mask, line = along(problem, axis).mask, problem.places.axis(axis, problem)
        _, seen = visible(mask, line, 1, 1, v.device)
        if seen is not None:
            v = blank_values(v, seen.reshape(shape).expand(1, 1, keys.h, keys.w).flatten(2), v.shape[1])
    return v
