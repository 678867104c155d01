"""Padded batches without computing a pad: each sequence is attended to on its own.

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
from regard.attention import Real
from regard.attention.masks.mask import real_tokens
from regard.attention.positions.sizes import is_symbol, surely


class Packed(Algorithm):
    """Attention of real tokens alone."""

    name = "packed"

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_softmax(problem)
        if reason is not None:
            return reason
        if not problem.content_alone:
            return "scores content alone"
        pads = [facts.real for facts in problem.facts if facts.real is not None]
        others = tuple([facts for facts in problem.facts if facts.real is None])
        if len(pads) != 1:
            return "needs one Padding or KeyPadding"
        if others and not (pads[0].queries and starts_causal(others, problem.places)):
            return "takes beside Padding only Causal() with the first query at the first key, beside KeyPadding nothing"
        if problem.dropout:
            return "the variable-length kernel has no dropout"
        if problem.on_cuda:
            if problem.dtype not in (torch.float16, torch.bfloat16):
                return "the variable-length kernel takes float16 and bfloat16 alone"
            if any([not is_symbol(width) and not surely(width <= 256) for width in (problem.shape.D, problem.shape.E)]):
                return "the variable-length kernel takes head widths to 256"
            if problem.return_lse:
                return "the variable-length kernel's log-sum-exp has no gradient"
        return None

    def cost(self, problem: Problem) -> Cost:
        """The visible pairs of each sequence, and one pass over the tensors."""
        shape = problem.shape
        calls = 10 if problem.on_cuda else 20 + 12 * shape.B
        # On the CPU a sequence's part is written before it is put in place.
        parts = 0 if problem.on_cuda else output(shape, problem.item)
        return Cost(
            flops=products(visited(problem), shape.D, shape.E, problem.backward, recompute=True),
            bytes=traffic(shape, problem.item, problem.backward),
            memory=kept(shape, problem.item, problem.backward) + parts,
            launches=3 * calls if problem.backward else calls,
        )

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        real, tokens = _pads(problem, q)
        causal = len(problem.masks) > 1
        if q.is_cuda:
            from regard.algorithms.kernels.varlen import attend_by_segments

            return attend_by_segments(q, k, v, tokens, real.prefix, real.queries, causal, problem.beta), None
        cut = Cut((tokens,), real.queries, causal)
        work = Work(cut, Written(None), problem.beta, has_bias=False, wants_lse=problem.return_lse)
        return attend_by_slabs(work, q, k, v, ())


def _pads(problem: Problem, q: Tensor) -> tuple[Real, Tensor]:
    """What is known of the pads, and the real tokens, (B, S)."""
    for mask, facts in zip(problem.masks, problem.facts, strict=True):
        if facts.real is not None:
            return facts.real, real_tokens(mask, problem.places, q.shape[0], q.device)
    raise AssertionError("refused without pads")
