"""Hard weighting of positions alone: every head reads one key per query. This *is* a tap of a convolution."""

import torch
from torch import Tensor

from regard.algorithms.planning.cost import Cost, output
from regard.algorithms.planning.problem import Problem
from regard.algorithms.position.separable import along, is_separable
from regard.algorithms.position.shared_map import refuses_content, whole_logits
from regard.attention import Attention, Grid, Hard, Places

NAME = "gather"
CHUNK = 1 << 24  # pairs scored at once


def refuses(problem: Problem) -> str | None:
    if not isinstance(problem.attention.weighting, Hard):
        return "picks one key for each query: needs Hard()"
    return refuses_content(problem)


def cost(problem: Problem) -> Cost:
    """Each output is one value, copied. Finding which takes a pass over the pairs, or over each axis alone.

    Going back, outputs that read one value add to it one after the other: on the GPU like forty copies.
    """
    shape = problem.shape
    copied = output(shape, problem.item)
    back = (40 if problem.on_cuda else 4) * copied if problem.backward else 0
    pairs = shape.H * shape.T * shape.S
    calls = 60
    if is_separable(problem.attention.biases, problem.masks, problem.places):
        queries, keys = problem.places.queries, problem.places.keys
        assert isinstance(queries, Grid)
        assert isinstance(keys, Grid)
        pairs = shape.H * (queries.h * keys.h + queries.w * keys.w)
    else:
        calls = calls + 30 * pairs // CHUNK
    return Cost(
        flops=0,
        bytes=2 * copied + back + 100 * pairs,
        memory=(2 if problem.backward else 1) * copied + 40 * min(pairs, CHUNK),
        launches=calls,
    )


def run(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    assert dropout == 0
    assert not return_lse
    (B, G, S, E), H, T = v.shape, q.shape[1], q.shape[2]
    attention = attention.on(v.device)
    with torch.no_grad():
        key, empty = best_keys(attention, attention.places(T, S), H, v.device)
        group = torch.arange(H, device=v.device) * G // H
        token = (group[:, None] * S + key).T.reshape(T * H)  # in the order of the output
    out = v.reshape(B, G * S, E).index_select(1, token).view(B, T, H, E)
    return out.masked_fill(empty.T[..., None], 0).transpose(1, 2), None


def best_keys(attention: Attention, places: Places, H: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """For each head and query the first key of the largest score, and whether the query sees none; both (H, T)."""
    masks = tuple([mask for mask in attention.mask.conjuncts if not mask.is_full(places)])
    if is_separable(attention.biases, masks, places):
        keys = places.keys
        assert isinstance(keys, Grid)
        (row, no_row), (column, no_column) = (
            _first_best(whole_logits(along(attention, axis), places.axis(axis, attention), H, torch.float64, device))
            for axis in (0, 1)
        )
        best = row[:, :, None] * keys.w + column[:, None, :]
        return best.flatten(1), (no_row[:, :, None] | no_column[:, None, :]).flatten(1)
    parts = [
        _first_best(_scores(attention, places, H, part, device))
        for part in torch.arange(places.queries.count, device=device).split(max(1, CHUNK // (H * places.keys.count)))
    ]
    return torch.cat([best for best, _ in parts], 1), torch.cat([empty for _, empty in parts], 1)


def _scores(attention: Attention, places: Places, H: int, queries: Tensor, device: torch.device) -> Tensor:
    """Scores of some queries with all keys, (H, queries, S), in float64: a rounding may not decide between keys."""
    b, h, j = (torch.arange(n, device=device) for n in (1, H, places.keys.count))
    scores = torch.zeros((), dtype=torch.float64, device=device)
    for term in attention.biases:
        scores = scores + term.slab(b, h, queries, j, places)
    allowed = attention.mask.slab(b, h, queries, j, places)
    return scores.expand(1, H, len(queries), len(j)).masked_fill(~allowed, -torch.inf)[0]


def _first_best(scores: Tensor) -> tuple[Tensor, Tensor]:
    """The first of the largest along the last axis; argmax promises no order among equals."""
    largest = scores.amax(-1, keepdim=True)
    places = torch.arange(scores.shape[-1], device=scores.device)
    first = torch.where(scores == largest, places, scores.shape[-1]).amin(-1)
    return first, (largest == -torch.inf).squeeze(-1)
