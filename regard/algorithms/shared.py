"""Scores without content: the map is the same for every row of the batch, so it is computed once."""

import torch
from torch import Tensor

from regard.algorithms.cost import Cost, output
from regard.algorithms.mixing import mix
from regard.algorithms.problem import Problem
from regard.attention import Attention, Bias, Mask, Places
from regard.attention.reference import logits_of, logsumexp, weigh
from regard.attention.visibility import visible

NAME = "shared"


def refuses(problem: Problem) -> str | None:
    return refuses_content(problem)


def refuses_content(problem: Problem) -> str | None:
    """Why the rows of this batch may have maps of their own."""
    if problem.attention.content is not None:
        return "takes scores of positions alone, without Content"
    if not problem.places.is_static:
        return "takes positions that are the same in every row"
    if any([isinstance(term, Bias) and term.tensor.ndim == 4 for term in problem.attention.biases]):
        return "takes no Bias with rows of its own"
    if problem.attention.mask.varies(problem.places)[0]:
        return "takes no mask that differs between rows of the batch"
    if problem.dropout:
        return "has no dropout"
    return None


def cost(problem: Problem) -> Cost:
    """One map for the batch, made in some ten passes over it, and one product with the values of all rows."""
    shape = problem.shape
    pairs = shape.H * shape.T * shape.S
    wide = max(4, problem.item)
    flops = 2 * shape.B * pairs * shape.E
    passes, kept = (26, 6) if problem.bias_backward else (12, 3)
    products = (2 if problem.backward else 1) + (1 if problem.bias_backward else 0)
    return Cost(
        flops=flops * products,
        bytes=passes * wide * pairs + mixed_bytes(problem) * products,
        memory=kept * wide * pairs + output(shape, problem.item) * (2 if problem.backward else 1),
        launches=60 if problem.backward else 25,
    )


def mixed_bytes(problem: Problem) -> int:
    """Values read and outputs written, once."""
    shape = problem.shape
    return problem.item * shape.B * shape.G * shape.S * shape.E + output(shape, problem.item)


def run(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    assert dropout == 0
    B, H, T, S = *q.shape[:3], k.shape[2]
    attention = attention.on(v.device)
    places = attention.places(T, S)
    maps, lse = axis_maps(attention, places, H, v)
    _, seen = visible(attention.mask, places, 1, H, v.device)
    out = mix(maps, blank_values(v, seen, H))
    return out, lse.expand(B, -1, -1) if return_lse else None


def axis_maps(attention: Attention, places: Places, H: int, like: Tensor) -> tuple[Tensor, Tensor]:
    """The map (H, T, S) in the type of `like`, and its log-sum-exp (H, T), in at least float32."""
    T, S = places.queries.count, places.keys.count
    exact = torch.promote_types(like.dtype, torch.float32)
    q, k = (like.new_empty(1, H, n, 0, dtype=exact) for n in (T, S))
    index = [torch.arange(n, device=like.device) for n in (1, H, T, S)]
    logits = logits_of(q, k, attention, (index[0], index[1], index[2], index[3]), places)
    logits = _hide(logits, attention.mask, index, places)
    return weigh(logits, attention)[0].to(like.dtype), logsumexp(logits)[0]


def _hide(logits: Tensor, mask: Mask, index: list[Tensor], places: Places) -> Tensor:
    if mask.is_full(places):
        return logits
    return logits.masked_fill(~mask.slab(index[0], index[1], index[2], index[3], places), -torch.inf)


def blank_values(v: Tensor, seen: Tensor | None, H: int) -> Tensor:
    """Zeros in place of values that no query sees: a NaN there must not reach anything."""
    if seen is None:
        return v
    if seen.shape[1] > 1 and v.shape[1] != H:  # heads of one group see different keys
        v = v.repeat_interleave(H // v.shape[1], 1)
    return v.masked_fill(~seen[..., None], 0)
