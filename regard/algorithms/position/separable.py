"""Scores that are a sum of a term in rows and a term in columns, on a grid: the map is a product of two small ones.

    softmax(f(y) + g(x)) over y × x  =  softmax(f) ⊗ softmax(g)

so the values are mixed along rows, then along columns: N·(h + w) in place of N².
"""

import torch
from torch import Tensor

from regard.algorithms.kernels.gaussian_map import gaussian_maps
from regard.algorithms.kernels.mixing import mix
from regard.algorithms.planning.cost import Cost, output
from regard.algorithms.planning.problem import Problem
from regard.algorithms.position.shared_map import blank_values, mixed_bytes, refuses_content, whole_logits, whole_map
from regard.attention import Attention, Grid, Places, Quadratic, Softmax, Sum, Term
from regard.attention.masks.mask import And, Everything, Mask
from regard.attention.masks.visibility import visible
from regard.attention.reference import logsumexp

NAME = "separable"
SMALL_PRODUCT = 0.003  # of a launch


def refuses(problem: Problem) -> str | None:
    if not isinstance(problem.attention.weighting, Softmax):
        return f"computes a softmax, not {type(problem.attention.weighting).__name__}()"
    if problem.places.num_axes != 2:
        return "needs tokens on a grid"
    reason = refuses_content(problem)
    if reason is not None:
        return reason
    for term in problem.attention.biases:
        if term.along(0) is None:
            return f"takes terms of rows plus columns: not {term!r}"
    for mask in problem.masks:
        if mask.along(0) is None:
            return f"takes masks of rows times columns: not {mask!r}"
    return None


def cost(problem: Problem) -> Cost:
    """Two products with all values, along rows and along columns; the values in between cross memory."""
    shape = problem.shape
    queries, keys = problem.places.queries, problem.places.keys
    assert isinstance(queries, Grid)
    assert isinstance(keys, Grid)
    rows = shape.B * shape.H * queries.h * keys.h * keys.w * shape.E
    columns = shape.B * shape.H * queries.count * keys.w * shape.E
    between = problem.item * shape.B * shape.H * queries.h * keys.w * shape.E
    products = (2 if problem.backward else 1) + (1 if problem.bias_backward else 0)
    # Columns are mixed by one small product for every row and head: a batch of those is no single launch.
    calls = 35 + SMALL_PRODUCT * shape.B * shape.H * queries.h
    return Cost(
        flops=2 * (rows + columns) * products,
        bytes=(mixed_bytes(problem) + 2 * between) * products,
        memory=between * (2 if problem.backward else 1) + output(shape, problem.item) * (2 if problem.backward else 1),
        launches=calls * products,
    )


def run(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    assert dropout == 0
    B, H, T, S = *q.shape[:3], k.shape[2]
    attention = attention.on(v.device)
    places = attention.places(T, S)
    queries, keys = places.queries, places.keys
    assert isinstance(queries, Grid)
    assert isinstance(keys, Grid)
    maps = axis_maps(attention, places, H, v)
    values = blanked(v, attention, places)
    E = v.shape[3]
    mixed = mix(maps[0], values.unflatten(2, (keys.h, keys.w)).flatten(3))  # (B, H, h′, w·E), as (B, h′, H, w·E)
    by_row = mixed.transpose(1, 2).reshape(B * queries.h, H, keys.w, E)
    out = mix(maps[1], by_row)  # (B·h′, H, w′, E), as (B·h′, w′, H, E)
    out = out.transpose(1, 2).reshape(B, T, H, E).transpose(1, 2)
    if not return_lse:
        return out, None
    rows, columns = (logsumexp(axis_logits(attention, places, axis, H, v.device)[None])[0] for axis in (0, 1))
    lse = (rows[:, :, None] + columns[:, None, :]).to(torch.promote_types(v.dtype, torch.float32))
    return out, lse.flatten(1).expand(B, -1, -1)


def axis_maps(attention: Attention, places: Places, H: int, like: Tensor) -> list[Tensor]:
    """The maps along rows and along columns, (H, n′, n), in float64: they are small."""
    (term, *others) = attention.biases
    if isinstance(term, Quadratic) and not others and isinstance(attention.mask, Everything):
        return gaussian_maps(term, places, like)
    return [whole_map(axis_logits(attention, places, axis, H, like.device), along(attention, axis)) for axis in (0, 1)]


def axis_logits(attention: Attention, places: Places, axis: int, H: int, device: torch.device) -> Tensor:
    return whole_logits(along(attention, axis), places.axis(axis, attention), H, torch.float64, device)


def is_separable(terms: tuple[Term, ...], masks: tuple[Mask, ...], places: Places) -> bool:
    """Whether scores are terms of rows plus columns, and masks of rows times columns, on a grid."""
    parts = (*terms, *masks)
    return places.num_axes == 2 and places.is_static and all([part.along(0) is not None for part in parts])


def along(attention: Attention, axis: int) -> Attention:
    """The same attention along one axis of its grid."""
    terms: list[Term] = []
    for term in attention.biases:
        parts = term.along(axis)
        assert parts is not None
        terms += parts
    mask: Mask = Everything()
    for part in attention.mask.conjuncts:
        factor = part.along(axis)
        assert factor is not None
        mask = factor if isinstance(mask, Everything) else And(mask, factor)
    return Attention(Sum(tuple(terms)), mask)


def blanked(v: Tensor, attention: Attention, places: Places) -> Tensor:
    """A value is seen where its row and its column are."""
    if isinstance(attention.mask, Everything):
        return v
    keys = places.keys
    assert isinstance(keys, Grid)
    for axis, shape in ((0, (1, 1, keys.h, 1)), (1, (1, 1, 1, keys.w))):
        _, seen = visible(along(attention, axis).mask, places.axis(axis, attention), 1, 1, v.device)
        if seen is not None:
            v = blank_values(v, seen.reshape(shape).expand(1, 1, keys.h, keys.w).flatten(2), v.shape[1])
    return v
