"""Unions of masks: each part on its own, by what is cheapest for it, and the results merged by their log-sum-exps.

    o = Σ_p exp(l_p − l) · o_p        l = log Σ_p exp(l_p)

Parts are made disjoint, the second without what the first allows, so that every pair counts once. A window and a stride
are cheap apart, by blocks and by cells, where together they would touch every block.
"""

import functools

import torch
from torch import Tensor

from regard.algorithms.composite.parts import cost_of_parts, seconds_of_parts
from regard.algorithms.planning.cost import Cost, output
from regard.algorithms.planning.problem import Problem, within
from regard.attention import Attention, Mask, Not, Softmax

NAME = "merged"


def refuses(problem: Problem) -> str | None:
    if not isinstance(problem.attention.weighting, Softmax):
        return f"merges softmaxes, not {type(problem.attention.weighting).__name__}()"
    if problem.dropout:
        return "has no dropout"
    if len([mask for mask in problem.masks if len(mask.disjuncts) > 1]) != 1:
        return "needs a union of masks, and one alone"
    return None


def split(masks: tuple[Mask, ...]) -> list[Mask]:
    """Disjoint masks whose union this is: each of the union's, with all else that hides, without those before it."""
    (union,) = [mask for mask in masks if len(mask.disjuncts) > 1]
    others = [mask for mask in masks if mask is not union]
    parts = []
    for n, part in enumerate(union.disjuncts):
        hidden = [Not(before) for before in union.disjuncts[:n]]
        parts.append(functools.reduce(Mask.__and__, [part, *others, *hidden]))
    return parts


def cost(problem: Problem) -> Cost:
    """The parts, each by its cheapest algorithm, and a pass or two over their outputs."""
    return cost_of_parts(_merging(problem), _inner_problems(problem))


def seconds(problem: Problem) -> float:
    return seconds_of_parts(_merging(problem), problem, _inner_problems(problem))


def _merging(problem: Problem) -> Cost:
    parts = len(split(problem.masks))
    outputs = output(problem.shape, max(4, problem.item))
    passes, launches = (12, 40) if problem.backward else (4, 15)
    return Cost(flops=0, bytes=passes * parts * outputs, memory=parts * outputs, launches=launches * parts)


def _inner_problems(problem: Problem) -> list[Problem]:
    attentions = [_under(mask, problem.attention) for mask in split(problem.masks)]
    return [within(problem, problem.shape, attention, return_lse=True) for attention in attentions]


def _under(mask: Mask, attention: Attention) -> Attention:
    return Attention(attention.scores, mask, attention.weighting, attention.queries, attention.keys)


def run(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    from regard.algorithms.attend import attend

    assert dropout == 0
    places = attention.places(q.shape[2], k.shape[2])
    masks = tuple([mask for mask in attention.mask.conjuncts if not mask.is_full(places)])
    parts = [attend(q, k, v, _under(mask, attention), return_lse=True) for mask in split(masks)]
    sums = torch.stack([lse for _, lse in parts])  # (parts, B, H, T)
    empty = (sums == -torch.inf).all(0)
    lse = sums.masked_fill(empty, 0).logsumexp(0)
    shares = (sums.masked_fill(empty, -torch.inf) - lse).exp()
    out = sum([share[..., None] * part for share, (part, _) in zip(shares, parts, strict=True)], start=torch.zeros(()))
    return out.to(v.dtype), lse.masked_fill(empty, -torch.inf) if return_lse else None
