"""Padded batches without computing a pad: each sequence is attended to on its own.

On the GPU nothing is packed. The variable-length kernel takes the padded tensors as they are, read as one long row of
segments in which every run of pads meets an empty partner: (real queries, real keys), (pad queries, no keys),
(no queries, pad keys). Pads are never read, their outputs and gradients are written as zeros, and no length is read
by the host. On the CPU each sequence is one fused call.
"""

import torch
from torch import Tensor

from regard.algorithms.cost import Cost, products, traffic
from regard.algorithms.fused import starts_causal
from regard.algorithms.problem import Problem
from regard.algorithms.visits import visited
from regard.attention import Attention, Causal, Content, Hard, KeyPadding
from regard.attention.padding import Padding, RealTokens

NAME = "packed"


def refuses(problem: Problem) -> str | None:
    if isinstance(problem.attention.weighting, Hard):
        return "computes a softmax, not Hard()"
    if not isinstance(problem.attention.scores, Content):
        return f"scores content alone, not {problem.attention.scores!r}"
    paddings = [mask for mask in problem.masks if isinstance(mask, RealTokens)]
    others = tuple([mask for mask in problem.masks if not isinstance(mask, RealTokens)])
    if len(paddings) != 1:
        return f"needs one Padding or KeyPadding, not {problem.attention.mask!r}"
    if others and not (isinstance(paddings[0], Padding) and starts_causal(others, problem.places)):
        return (
            f"takes beside Padding only Causal() with the first query at the first key, not {problem.attention.mask!r}"
        )
    if problem.dropout:
        return "the variable-length kernel has no dropout"
    if problem.on_cuda:
        if problem.dtype not in (torch.float16, torch.bfloat16):
            return f"the variable-length kernel takes float16 and bfloat16, not {problem.dtype}"
        if max(problem.shape.D, problem.shape.E) > 256:
            return f"the variable-length kernel takes widths to 256, not {max(problem.shape.D, problem.shape.E)}"
        if problem.return_lse:
            return "the variable-length kernel's log-sum-exp has no gradient"
    return None


def cost(problem: Problem) -> Cost:
    """The visible pairs of each sequence, and one pass over the tensors."""
    shape = problem.shape
    rows = shape.B * shape.H * shape.T
    bytes = traffic(shape, problem.item, problem.backward)
    calls = 10 if problem.on_cuda else shape.B
    return Cost(
        flops=products(visited(problem), shape.D, shape.E, problem.backward, recompute=True),
        bytes=bytes,
        memory=problem.item * rows * shape.E + 4 * rows + (bytes // 3 if problem.backward else 0),
        launches=2 * calls if problem.backward else calls,
    )


def run(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    assert dropout == 0
    if not q.is_cuda:
        from regard.algorithms.slab_kernel import attend_by_slabs

        return attend_by_slabs(q, k, v, attention, "sequences", return_lse)
    assert not return_lse
    return q, None
