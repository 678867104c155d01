"""Hard weighting of positions alone: every head reads one key per query. This *is* a tap of a convolution."""

import torch
from torch import Tensor

from regard.algorithms.planning.algorithm import Algorithm
from regard.algorithms.planning.cost import Cost, output
from regard.algorithms.planning.problem import Problem
from regard.algorithms.position.separable import axis_logits, grids, is_separable
from regard.algorithms.position.shared_map import refuses_content
from regard.attention.positions.sizes import least

CHUNK = 1 << 24  # pairs scored at once


class Gather(Algorithm):
    """Each output is one value, copied."""

    name = "gather"

    def refuses(self, problem: Problem) -> str | None:
        if not problem.hard:
            return "picks one key for each query: needs Hard()"
        return refuses_content(problem)

    def cost(self, problem: Problem) -> Cost:
        """Finding the values takes a pass over the pairs, or over each axis alone.

        Going back, outputs that read one value add to it one after the other: on the GPU like forty copies.
        """
        shape = problem.shape
        copied = output(shape, problem.item)
        back = (40 if problem.on_cuda else 4) * copied if problem.backward else 0
        pairs = shape.H * shape.T * shape.S
        calls = 60
        if is_separable(problem):
            queries, keys = grids(problem.places)
            pairs = shape.H * (queries.h * keys.h + queries.w * keys.w)
        else:
            calls = calls + 30 * pairs // CHUNK
        return Cost(
            flops=0,
            bytes=2 * copied + back + 100 * pairs,
            memory=(2 if problem.backward else 1) * copied + 40 * least(pairs, CHUNK),
            launches=calls,
        )

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        (B, G, S, E), H, T = v.shape, q.shape[1], q.shape[2]
        with torch.no_grad():
            key, empty = best_keys(problem, v.device)
            group = torch.arange(H, device=v.device) * G // H
            token = (group[:, None] * S + key).T.reshape(T * H)  # in the order of the output
        out = v.reshape(B, G * S, E).index_select(1, token).view(B, T, H, E)
        return out.masked_fill(empty.T[..., None], 0).transpose(1, 2), None


def best_keys(problem: Problem, device: torch.device) -> tuple[Tensor, Tensor]:
    """For each head and query the first key of the largest score, and whether the query sees none; both (H, T)."""
    places, H = problem.places, problem.shape.H
    if is_separable(problem):
        (row, no_row), (column, no_column) = (_first_best(axis_logits(problem, axis, device)) for axis in (0, 1))
        best = row[:, :, None] * grids(places)[1].w + column[:, None, :]
        return best.flatten(1), (no_row[:, :, None] | no_column[:, None, :]).flatten(1)
    queries = torch.arange(places.queries.count, device=device)
    if torch.compiler.is_compiling():  # which fuses the whole into one reduction
        return _first_best(_scores(problem, queries, device))
    queries = queries.split(max(1, CHUNK // (H * places.keys.count)))
    parts = [_first_best(_scores(problem, part, device)) for part in queries]
    return torch.cat([best for best, _ in parts], 1), torch.cat([empty for _, empty in parts], 1)


def _scores(problem: Problem, queries: Tensor, device: torch.device) -> Tensor:
    """Scores of some queries with all keys, (H, queries, S), in float64: a rounding may not decide between keys."""
    places, H = problem.places, problem.shape.H
    b, h, j = (torch.arange(n, device=device) for n in (1, H, places.keys.count))
    scores = torch.zeros((), dtype=torch.float64, device=device)
    for term in problem.attention.biases:
        scores = scores + term.slab(b, h, queries, j, places)
    allowed = problem.attention.mask.slab(b, h, queries, j, places)
    return scores.expand(1, H, queries.shape[0], j.shape[0]).masked_fill(~allowed, -torch.inf)[0]


def _first_best(scores: Tensor) -> tuple[Tensor, Tensor]:
    """The first of the largest along the last axis; argmax promises no order among equals."""
    largest = scores.amax(-1, keepdim=True)
    places = torch.arange(scores.shape[-1], device=scores.device)
    first = torch.where(scores == largest, places, scores.shape[-1]).amin(-1)
    return first, (largest == -torch.inf).squeeze(-1)
