"""Scores without content: the map is the same for every row of the batch, so it is computed once."""

import torch
from torch import Tensor

from regard.algorithms.kernels.mixing import mix
from regard.algorithms.planning.cost import Cost, output
from regard.algorithms.planning.problem import Problem
from regard.attention import Attention, Bias, Everything, Hard, Kernel, Places, Quadratic, RelativeTable, Softmax, Term
from regard.attention.masks.visibility import visible
from regard.attention.reference import logsumexp, weigh

NAME = "shared"
SMALL = 1 << 18  # pairs of a map whose gradient is made row by row, and then added up


def refuses(problem: Problem) -> str | None:
    return refuses_content(problem)


def refuses_content(problem: Problem) -> str | None:
    """Why the rows of this batch may have maps of their own."""
    if isinstance(problem.attention.weighting, Kernel) or problem.attention.content is not None:
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
    """One map for the batch, made in some ten passes over it, and one product with the values of all rows.

    A hard map takes more passes, over whole numbers too, and sends no gradient back to the scores.
    """
    shape = problem.shape
    hard = isinstance(problem.attention.weighting, Hard)
    learns = problem.bias_backward and not hard
    pairs = shape.H * shape.T * shape.S
    wide = max(4, problem.item)
    flops = 2 * shape.B * pairs * shape.E
    by_row = 2 * problem.item * shape.B * pairs if learns and shape.T * shape.S <= SMALL else 0
    passes, kept = (28, 6) if hard else (26, 6) if learns else (12, 3)
    passes += sum([_more_passes(term, learns) for term in problem.attention.biases])
    products = (2 if problem.backward else 1) + (1 if learns else 0)
    return Cost(
        flops=flops * products,
        bytes=passes * wide * pairs + mixed_bytes(problem) * products + by_row,
        memory=kept * wide * pairs + output(shape, problem.item) * (2 if problem.backward else 1),
        launches=95 if learns else 45 if problem.backward else 30,
    )


def _more_passes(term: Term, backward: bool) -> int:
    """Passes over the map beyond those of one sum and one softmax."""
    if isinstance(term, RelativeTable):
        return 8 if backward else 2  # the sum over the windows that share an entry
    return 10 if isinstance(term, Quadratic) and term.is_full and backward else 0


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
    exact = torch.promote_types(v.dtype, torch.float32)
    logits = whole_logits(attention, places, H, exact, v.device, shift=not return_lse)
    maps = whole_map(logits, attention)
    _, seen = visible(attention.mask, places, 1, H, v.device)
    out = mix(maps, blank_values(v, seen, H))
    return out, logsumexp(logits[None]).expand(B, -1, -1) if return_lse else None


def whole_logits(
    attention: Attention, places: Places, H: int, dtype: torch.dtype, device: torch.device, shift: bool = False
) -> Tensor:
    """The logits of all heads, queries and keys, (H, T, S), −∞ where the mask hides; shifted by rows where allowed."""
    T, S = places.queries.count, places.keys.count
    logits = torch.zeros((), dtype=dtype, device=device)
    for n, term in enumerate(attention.biases):
        part = term.whole(places, H, dtype, device, shift)
        logits = part if n == 0 else logits + part
    logits = logits.expand(H, T, S)
    if attention.mask.is_full(places):
        return logits
    b, h, i, j = (torch.arange(n, device=device) for n in (1, H, T, S))
    allowed = attention.mask.slab(b, h, i, j, places)
    return logits.masked_fill(~(allowed[0] if allowed.ndim == 4 else allowed), -torch.inf)


def whole_map(logits: Tensor, attention: Attention) -> Tensor:
    """The weights of such logits."""
    finite = all([_is_finite(term) for term in attention.biases])
    if finite and isinstance(attention.mask, Everything) and isinstance(attention.weighting, Softmax):
        return torch.softmax(logits, -1)  # no row can be empty
    return weigh(logits[None], attention)[0]


def _is_finite(term: Term) -> bool:
    """Whether the term is −∞ nowhere."""
    return isinstance(term, Quadratic) or (isinstance(term, RelativeTable) and term.bound is not None)


def blank_values(v: Tensor, seen: Tensor | None, H: int) -> Tensor:
    """Zeros in place of values that no query sees: a NaN there must not reach anything."""
    if seen is None:
        return v
    if seen.shape[1] > 1 and v.shape[1] != H:  # heads of one group see different keys
        v = v.repeat_interleave(H // v.shape[1], 1)
    return v.masked_fill(~seen[..., None], 0)
