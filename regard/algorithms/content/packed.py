"""Padded and packed batches without computing a pad: each sequence or document is attended to on its own.

One fused call per sequence on the CPU, one variable-length kernel on the GPU.
"""

import torch
from torch import Tensor

from regard.algorithms.content.fused import starts_causal
from regard.algorithms.kernels.slabs import Cut, Work, Written, attend_by_slabs
from regard.algorithms.planning.algorithm import Algorithm, refuses_softmax
from regard.algorithms.planning.cost import Cost, kept, output, products, traffic
from regard.algorithms.planning.problem import Problem
from regard.algorithms.planning.visits import visited
from regard.attention import Facts, Real, Runs
from regard.attention.masks.mask import real_tokens
from regard.attention.positions.sizes import Count, is_symbol


class Packed(Algorithm):
    """Attention of real tokens alone."""

    name = "packed"

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_softmax(problem)
        if reason is not None:
            return reason
        if not problem.content_alone:
            return "scores content alone"
        cuts = [facts for facts in problem.facts if _is_cut(facts)]
        others = tuple([facts for facts in problem.facts if not _is_cut(facts)])
        if len(cuts) != 1:
            return "needs one of Padding, KeyPadding and Documents"
        of_queries = cuts[0].real is None or cuts[0].real.queries
        if others and not (of_queries and starts_causal(others, problem.places)):
            return (
                "takes beside Padding or Documents only Causal() with the first query at the first key, "
                "beside KeyPadding nothing"
            )
        if problem.dropout:
            return "the variable-length kernel has no dropout"
        if problem.on_cuda:
            if problem.dtype not in (torch.float16, torch.bfloat16):
                return "the variable-length kernel takes float16 and bfloat16 alone"
            if any([not is_symbol(width) and width > 256 for width in (problem.shape.D, problem.shape.E)]):
                return "the variable-length kernel takes head widths to 256"
            if cuts[0].documents is not None and cuts[0].documents.most is None:
                return "must know how many documents a row may have: use lengths, or ids with most=…"
            if problem.return_lse:
                return "the variable-length kernel's log-sum-exp has no gradient"
        return None

    def cost(self, problem: Problem) -> Cost:
        """The visible pairs of each sequence, and one pass over the tensors."""
        shape = problem.shape
        calls = 10 if problem.on_cuda else 20 + 12 * _sequences(problem)
        # On the CPU a sequence's part is written before it is put in place.
        parts = 0 if problem.on_cuda else output(shape, problem.item)
        return Cost(
            flops=products(visited(problem), shape.D, shape.E, problem.backward, recompute=True),
            bytes=traffic(shape, problem.item, problem.backward),
            memory=kept(shape, problem.item, problem.backward) + parts,
            launches=3 * calls if problem.backward else calls,
        )

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        causal = len(problem.masks) > 1
        documents = _documents(problem, q)
        if documents is not None:
            return _run_documents(problem, q, k, v, *documents, causal)
        real, tokens = _pads(problem, q)
        if q.is_cuda:
            from regard.algorithms.kernels.varlen import attend_by_segments

            return attend_by_segments(q, k, v, tokens, real.prefix, real.queries, causal, problem.beta), None
        cut = Cut((tokens,), real.queries, causal)
        work = Work(cut, Written(None), problem.beta, has_bias=False, wants_lse=problem.return_lse)
        return attend_by_slabs(work, q, k, v, ())


def _is_cut(facts: Facts) -> bool:
    return facts.real is not None or facts.documents is not None


def _sequences(problem: Problem) -> Count:
    """How many calls there are on the CPU: one per row, or per document of each row; ids may be of one document."""
    for facts in problem.facts:
        runs = facts.documents
        if runs is not None and runs.lengths is not None:
            return sum([len(row) for row in runs.lengths])
        if runs is not None:
            return (runs.most or 1) * (problem.shape.B if facts.rows else 1)
    return problem.shape.B


def _documents(problem: Problem, q: Tensor) -> tuple[Runs, Tensor] | None:
    """What is known of the documents, and the number of each token's, (B|1, S)."""
    for mask, facts in zip(problem.masks, problem.facts, strict=True):
        numbers = mask.documents(problem.places, q.device) if facts.documents is not None else None
        if facts.documents is not None and numbers is not None:
            return facts.documents, numbers
    return None


def _run_documents(
    problem: Problem, q: Tensor, k: Tensor, v: Tensor, runs: Runs, numbers: Tensor, causal: bool
) -> tuple[Tensor, Tensor | None]:
    if q.is_cuda:
        from regard.algorithms.kernels.varlen import attend_by_documents, longest_segment

        assert runs.most is not None
        longest = q.shape[2] if runs.lengths is None else longest_segment(runs.lengths, q.shape[2])
        return attend_by_documents(q, k, v, numbers, runs.most, runs.prefix, longest, causal, problem.beta), None
    work = Work(
        Cut((numbers,), True, causal), Written(None), problem.beta, has_bias=False, wants_lse=problem.return_lse
    )
    return attend_by_slabs(work, q, k, v, ())


def _pads(problem: Problem, q: Tensor) -> tuple[Real, Tensor]:
    """What is known of the pads, and the real tokens, (B, S)."""
    for mask, facts in zip(problem.masks, problem.facts, strict=True):
        if facts.real is not None:
            return facts.real, real_tokens(mask, problem.places, q.shape[0], q.device)
    raise AssertionError("refused without pads")
