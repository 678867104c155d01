"""The mask as a tensor: one call of a fused kernel, which is given what every pair adds to its logit.

Quadratic in memory, and quickest for small problems: there a list of blocks, or a call for each sequence, costs more
than all their pairs do.
"""

import functools
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard.algorithms.kernels.sdpa import REGISTER, aligned, attend_by, attend_with_lse
from regard.algorithms.planning.algorithm import Algorithm, refuses_bfloat16, refuses_softmax
from regard.algorithms.planning.cost import Cost, inputs, kept, output, products, traffic
from regard.algorithms.planning.problem import Problem
from regard.attention.eager import are_moderate, may_keep, refuse_transforms
from regard.attention.masks.mask import any_of
from regard.attention.masks.visibility import index_band, on_one_line
from regard.attention.positions.sizes import Count, is_symbol, most, surely

COPIED = 4  # bytes' worth of a byte that is copied to fresh memory
LARGEST = 128 << 20  # bytes of a mask
GRADIENT = 1 << 30  # bytes of the gradients of all pairs, which live for one step of the way back
READS = 4  # passes over the pairs' additions that the kernel's one counts for: it reads them pair by pair


@dataclass(frozen=True, eq=False)
class Map:
    """What mask and score terms add to the logits: −∞ where the mask hides; 0 throughout a row that sees nothing."""

    bias: Tensor  # (B|1, H|1, T, S), of the type of q
    empty: Tensor | None  # queries that see nothing (B|1, H|1, T, 1), where there may be some
    unseen: Tensor | None  # keys that nobody sees (B|1, H|1, S, 1), where there may be some


class Masked(Algorithm):
    """Content, perhaps score terms, under any mask; of terms that learn, on a GPU one that is given whole."""

    name = "masked"

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_softmax(problem)
        if reason is not None:
            return reason
        if problem.attention.content is None:
            return "needs Content() among the scores"
        if not (problem.masks or problem.terms):
            return "needs a mask or a score term"
        if problem.terms and problem.item < 4 and not _is_given(problem):
            return "its kernel would round score terms to half precision"
        if problem.bias_backward and not (problem.on_cuda and _is_given(problem) and problem.sink is None):
            return "gives no gradient to score terms but a Bias in the type of q, on a GPU and without a sink"
        if problem.dropout and not problem.on_cuda:
            return "the CPU's kernel has no dropout"
        if problem.on_cuda and problem.dtype == torch.float64:
            return "no CUDA kernel of sdpa takes float64"
        reason = refuses_bfloat16(problem)
        if reason is not None:
            return reason
        if problem.on_cuda and problem.return_lse and not self.joins_sink(problem):
            return "the CUDA kernel's log-sum-exp has no gradient"
        additions = _additions(problem)
        if not is_symbol(additions) and surely(additions > LARGEST):
            return "would hold a mask of more than 128 MB"
        gradients = _gradients(problem)
        if not is_symbol(gradients) and surely(gradients > GRADIENT):
            return "would hold a gradient of more than 1 GB"
        return None

    def joins_sink(self, problem: Problem) -> bool:
        return problem.sink_alone and not problem.dropout

    def cost(self, problem: Problem) -> Cost:
        """Every pair, and what it adds read by each row and head; the first call of several makes it."""
        shape, item = problem.shape, problem.item
        additions = _additions(problem)
        pairs = shape.B * shape.H * shape.T * shape.S
        passes = 3 if problem.backward else 1
        read, blanking = passes * item * pairs, _blanking(problem)
        flops = products(pairs, shape.D, shape.E, problem.backward, recompute=True)
        joins = self.joins_sink(problem)
        if problem.return_lse and problem.backward and not joins:
            # Going back, the log-sum-exp is a column more, of a whole register.
            wide = most(shape.D, shape.E) + REGISTER
            flops = 2 * pairs * (shape.D + shape.E) + 2 * pairs * 5 * wide
        of_pairs = _gradients(problem)
        if joins:
            blanking = blanking + (passes + 1) * output(shape, item)
        return Cost(
            flops=flops,
            bytes=traffic(shape, item, problem.backward) + blanking + READS * additions + read + 2 * of_pairs,
            memory=kept(shape, item, problem.backward) + 2 * additions + inputs(shape, item) + of_pairs,
            launches=(12 if blanking else 5) * passes,
        )

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        found = _with_terms(problem, q) if problem.terms else _of_mask(problem, q)
        if found.empty is not None:  # going back, weights are found again from logits, which must be small for that
            q = q.masked_fill(found.empty, 0)
        if found.unseen is not None and not are_moderate(q, k, v):  # no weight hides a NaN
            if found.unseen.shape[1] > 1 and q.shape[1] > k.shape[1]:  # heads of one group see different keys
                k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
            k, v = k.masked_fill(found.unseen, 0), v.masked_fill(found.unseen, 0)
        lse, kernel = None, "efficient" if q.is_cuda else "cpu"
        if problem.sink is not None and self.joins_sink(problem):
            from regard.algorithms.kernels.sdpa_with_sink import attend_with_sink

            out = attend_with_sink(kernel, q, k, v, problem.sink, beta=problem.beta, bias=found.bias)
        elif problem.return_lse:
            out, lse = _with_lse(q, k, v, found.bias, problem.beta)
        else:
            out = attend_by(kernel, q, k, v, beta=problem.beta, bias=found.bias, dropout=problem.dropout)
        if found.empty is not None:
            out = out.masked_fill(found.empty, 0)
            lse = lse if lse is None else lse.masked_fill(found.empty[..., 0], -torch.inf)
        return out, lse


def _is_given(problem: Problem) -> bool:
    """Whether the one score term is a tensor for all pairs in the type of q: a kernel adds it as it is."""
    terms = problem.attention.biases
    if len(terms) != 1 or not problem.terms[0].given:
        return False
    return terms[0].flatten()[1][0].dtype == problem.dtype


def _additions(problem: Problem) -> Count:
    """Bytes of what the pairs add to their logits."""
    shape, facts = problem.shape, problem.outline.mask
    rows, heads = facts.rows or any([term.rows for term in problem.terms]), facts.heads or len(problem.terms) > 0
    return problem.item * (shape.B if rows else 1) * (shape.H if heads else 1) * shape.T * shape.S


def _gradients(problem: Problem) -> Count:
    """Bytes of a learnt term's gradient, which the kernel writes for every pair of all rows before it is summed."""
    shape = problem.shape
    return problem.item * shape.B * shape.H * shape.T * shape.S if problem.bias_backward else 0


def _blanking(problem: Problem) -> Count:
    """Copies without what nobody sees, and their gradients, where one may expect such queries or keys.

    On the CPU mostly a look at the numbers takes their place, but for queries that see nothing and their output.
    """
    shape, item = problem.shape, problem.item
    pads = [facts.real for facts in problem.facts if facts.real is not None]
    of_queries = any([facts.documents is not None for facts in problem.facts]) or any([real.queries for real in pads])
    empties, passes = of_queries or not _meets_all(problem), 3 if problem.backward else 1
    if not problem.on_cuda:
        copied = output(shape, item) + item * shape.B * shape.H * shape.T * shape.D
        return inputs(shape, item) * bool(pads or empties) + COPIED * passes * copied * empties
    once = item * shape.B * shape.G * shape.S * (shape.D + shape.E) if pads else 0
    return COPIED * passes * (inputs(shape, item) + output(shape, item) if empties else once)


def _meets_all(problem: Problem) -> bool:
    """Whether the band of the masks, as far as it is known, meets every query and every key."""
    if not on_one_line(problem.places):
        return True
    T, S = problem.shape.T, problem.shape.S
    low, high = index_band(problem.facts, problem.places)
    low, high = 1 - T if low is None else low, S - 1 if high is None else high
    return surely(low <= 0) and surely(high >= 0) and surely(low <= S - T) and surely(high >= S - T)


def _of_mask(problem: Problem, q: Tensor) -> Map:
    """That of the mask alone, made once for all calls with it."""
    return problem.made(("masked", q.dtype), q.device, lambda: _made(problem, q.dtype, q.device))


def _made(problem: Problem, dtype: torch.dtype, device: torch.device) -> Map:
    shape, facts, mask = problem.shape, problem.outline.mask, problem.attention.mask
    sizes = (shape.B if facts.rows else 1, shape.H if facts.heads else 1, shape.T, shape.S)
    b, h, i, j = (torch.arange(n, device=device) for n in sizes)
    allowed = mask.slab(b, h, i, j, problem.places)
    live, seen = any_of(allowed, 3)[..., None], any_of(allowed, 2)[..., None]
    bias = aligned(torch.zeros((), dtype=dtype, device=device).masked_fill(live & ~allowed, -torch.inf))
    # Where looking does not mean to wait, or is done once for all calls of these sizes, mostly there is nothing to do.
    look = may_keep() and (device.type == "cpu" or len(mask.flatten()[1]) == 0) and device.type != "meta"
    empty = None if look and bool(live.all()) else ~live
    return Map(bias, empty, None if look and bool(seen.all()) else ~seen)


def _with_terms(problem: Problem, q: Tensor) -> Map:
    """With the score terms, of which a row of −∞ sees nothing either."""
    shape, places = problem.shape, problem.places
    b, h, i, j = (torch.arange(n, device=q.device) for n in (shape.B, shape.H, shape.T, shape.S))
    parts = []
    for term, facts in zip(problem.attention.biases, problem.terms, strict=True):
        if facts.given:
            parts.append(term.flatten()[1][0].to(q.dtype))
        elif facts.positional and not facts.rows and places.is_static:
            parts.append(term.whole(places, shape.H, q.dtype, q.device))
        else:
            parts.append(term.slab(b, h, i, j, places).to(q.dtype))
    bias, empty, unseen = functools.reduce(torch.add, parts), None, None
    bias = bias[(None,) * (4 - bias.ndim)]
    if problem.masks:
        found = _of_mask(problem, q)
        empty, unseen = found.empty, found.unseen
        # What is added to a hidden pair may be no number: −∞ + NaN is NaN.
        bias = bias + found.bias if are_moderate(bias) else bias.masked_fill(found.bias < 0, -torch.inf)
    if not all([facts.finite for facts in problem.terms]):
        dead = bias.detach().amax(3, keepdim=True) == -torch.inf
        empty = dead if empty is None else dead | empty
    return Map(bias if empty is None else bias.masked_fill(empty, 0), empty, unseen)


def _with_lse(q: Tensor, k: Tensor, v: Tensor, bias: Tensor, beta: float) -> tuple[Tensor, Tensor]:
    """The CPU's kernel gives the log-sum-exp of one key head per head, and of one width."""
    refuse_transforms(q, k, v, bias, maps=True)
    heads_per_group, E = q.shape[1] // k.shape[1], v.shape[3]
    width = max(q.shape[3], E)
    k, v = (x.repeat_interleave(heads_per_group, 1) for x in (k, v))
    q, k, v = (pad(x, (0, width - x.shape[3])) for x in (q, k, v))
    out, lse = attend_with_lse(q, k, v, bias.expand(*q.shape[:3], k.shape[2]), beta)
    return out[..., :E], lse
