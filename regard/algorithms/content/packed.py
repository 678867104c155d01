"""Padded and packed batches on the CPU without computing a pad: one fused call for each sequence or document."""

from dataclasses import replace

import torch
from torch import Tensor

from regard.algorithms.content.blockwise import dropping, real_share
from regard.algorithms.content.fused import starts_causal
from regard.algorithms.kernels.slabs import Cut, Work, Written, attend_by_slabs
from regard.algorithms.planning.algorithm import Algorithm, refuses_softmax
from regard.algorithms.planning.cost import Cost, kept, output, products, traffic
from regard.algorithms.planning.problem import Problem
from regard.algorithms.planning.visits import visited
from regard.attention import Facts, Mask
from regard.attention.masks.mask import real_tokens
from regard.attention.positions.sizes import Count


class Packed(Algorithm):
    """Attention of real tokens alone."""

    name = "packed"
    takes_cap = True

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_softmax(problem)
        if reason is not None:
            return reason
        if problem.on_cuda:
            return "calls a kernel for each sequence: on the CPU alone"
        if not problem.content_alone:
            return "needs Content() as the only score term"
        cuts = [facts for facts in problem.facts if _is_cut(facts)]
        others = tuple([facts for facts in problem.facts if not _is_cut(facts)])
        if len(cuts) != 1:
            return "needs one of Padding, KeyPadding and Documents"
        if others and not starts_causal(others, problem.places):
            return "takes beside Padding, KeyPadding or Documents only Causal() with the first query at the first key"
        if others and cuts[0].real is not None and not cuts[0].real.queries:
            return "takes no Causal() beside KeyPadding: pad queries see what no causal sequence shows them"
        return None

    def cost(self, problem: Problem) -> Cost:
        """The visible pairs of each sequence, and one pass over the tensors."""
        shape = problem.shape
        calls = 10 + (30 if problem.dropout else 22) * _sequences(problem)
        parts = output(shape, problem.item)  # a sequence's part is written before it is put in place
        pairs = visited(problem)
        drops = dropping(problem, pairs)
        return Cost(
            flops=products(pairs, shape.D, shape.E, problem.backward, recompute=True),
            bytes=traffic(shape, problem.item, problem.backward) + drops.bytes,
            memory=kept(shape, problem.item, problem.backward) + parts + drops.memory,
            launches=3 * calls if problem.backward else calls,
        )

    def expected(self, problem: Problem) -> Cost:
        cost = self.cost(problem)
        return replace(cost, flops=cost.flops * real_share(problem))

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        mask, facts = _cut(problem)
        causal = len(problem.masks) > 1
        tokens = problem.made("tokens", q.device, lambda: _tokens(problem, mask, facts, q.device))
        cut = Cut((tokens,), facts.real is None or facts.real.queries, causal)
        work = Work(
            cut,
            Written(None),
            problem.beta,
            has_bias=False,
            wants_lse=problem.return_lse,
            dropout=problem.dropout,
            cap=problem.cap,
        )
        return attend_by_slabs(work, q, k, v, ())


def _is_cut(facts: Facts) -> bool:
    return facts.real is not None or facts.documents is not None


def _sequences(problem: Problem) -> Count:
    """How many calls there are: one per row, or per document of each row; ids may be of one document."""
    for facts in problem.facts:
        runs = facts.documents
        if runs is not None and runs.lengths is not None:
            return sum([len(row) for row in runs.lengths])
        if runs is not None:
            return (runs.most or 1) * (problem.shape.B if facts.rows else 1)
    return problem.shape.B


def _cut(problem: Problem) -> tuple[Mask, Facts]:
    """The mask of pads or documents, and what is known of it."""
    for mask, facts in zip(problem.masks, problem.facts, strict=True):
        if _is_cut(facts):
            return mask, facts
    raise AssertionError("refused without pads and documents")


def _tokens(problem: Problem, mask: Mask, facts: Facts, device: torch.device) -> Tensor:
    """The real tokens, (B, S), or the number of each token's document, (B|1, S)."""
    if facts.real is not None:
        return real_tokens(mask, problem.places, problem.shape.B, device)
    numbers = mask.documents(problem.places, device)
    assert numbers is not None
    return numbers
