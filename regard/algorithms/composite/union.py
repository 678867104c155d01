"""Unions of masks: each part on its own, by what is cheapest for it, and the results merged by their log-sum-exps.

    o = Σ_p exp(l_p − l) · o_p        l = log Σ_p exp(l_p)

Parts are made disjoint, the second without what the first allows, so that every pair counts once. A window and a stride
are cheap apart, by blocks and by cells, where together they would touch every block.
"""

import functools

import torch
from torch import Tensor

from regard.algorithms.planning.algorithm import Algorithm, refuses_softmax
from regard.algorithms.planning.cost import Cost, output
from regard.algorithms.planning.planner import Planner, summed
from regard.algorithms.planning.problem import Problem
from regard.attention import Attention, Mask, Not
from regard.attention.positions.sizes import most


class Merged(Algorithm):
    """The parts of a union, and a pass or two over their outputs."""

    name = "merged"
    takes_cap = True
    any_device = True

    def __init__(self, planner: Planner) -> None:
        self.planner = planner

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_softmax(problem)
        if reason is not None:
            return reason
        if problem.dropout:
            return "has no dropout"
        if len([mask for mask in problem.masks if len(mask.disjuncts) > 1]) != 1:
            return "needs exactly one union of masks, A | B"
        return None

    def cost(self, problem: Problem) -> Cost:
        parts = _parts(problem)
        return summed(_merging(problem), [self.planner.choose(part).cost(part) for part in parts])

    def seconds(self, problem: Problem) -> float:
        own, machine = _merging(problem), problem.machine
        times = [self.planner.seconds(part) for part in _parts(problem)]
        host = machine.host.get(self.name, (0.0, 0.0))[1 if problem.backward else 0]
        return most(host, own.bytes / machine.bandwidth + own.launches * machine.launch) + sum(times)

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        values = [_under(mask, problem.attention) for mask in split(problem.masks)]
        outs, sums = [], []
        for value in values:
            out, lse = self.planner.solve(q, k, v, value, return_lse=True)
            assert lse is not None
            outs.append(out)
            sums.append(lse)
        sums = torch.stack(sums)  # (parts, B, H, T)
        empty = (sums == -torch.inf).all(0)
        lse = sums.masked_fill(empty, 0).logsumexp(0)
        shares = (sums.masked_fill(empty, -torch.inf) - lse).exp()
        merged = functools.reduce(torch.add, [share[..., None] * out for share, out in zip(shares, outs, strict=True)])
        return merged.to(v.dtype), lse.masked_fill(empty, -torch.inf) if problem.return_lse else None


def split(masks: tuple[Mask, ...]) -> list[Mask]:
    """Disjoint masks whose union this is: each of the union's, with all else that hides, without those before it."""
    (union,) = [mask for mask in masks if len(mask.disjuncts) > 1]
    others = [mask for mask in masks if mask is not union]
    parts = []
    for n, part in enumerate(union.disjuncts):
        hidden = [Not(before) for before in union.disjuncts[:n]]
        parts.append(functools.reduce(Mask.__and__, [part, *others, *hidden]))
    return parts


def _merging(problem: Problem) -> Cost:
    parts = len(split(problem.masks))
    outputs = output(problem.shape, max(4, problem.item))
    passes, launches = (12, 40) if problem.backward else (4, 15)
    return Cost(flops=0, bytes=passes * parts * outputs, memory=parts * outputs, launches=launches * parts)


def _parts(problem: Problem) -> list[Problem]:
    attentions = [_under(mask, problem.attention) for mask in split(problem.masks)]
    return [problem.within(problem.shape, attention, return_lse=True) for attention in attentions]


def _under(mask: Mask, attention: Attention) -> Attention:
    return Attention(attention.scores, mask, attention.weighting, attention.queries, attention.keys)
