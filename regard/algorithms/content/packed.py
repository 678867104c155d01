"""Padded batches without computing a pad: each sequence is attended to on its own.

One fused call per sequence on the CPU, one variable-length kernel on the GPU.
"""

import torch
from torch import Tensor

from regard.algorithms.content.fused import starts_causal
from regard.algorithms.planning.cost import Cost, kept, output, products, traffic
from regard.algorithms.planning.problem import Problem
from regard.algorithms.planning.visits import visited
from regard.attention import Attention, Content, Softmax
from regard.attention.masks.padding import KeyPadding, Padding

NAME = "packed"


def refuses(problem: Problem) -> str | None:
    if not isinstance(problem.attention.weighting, Softmax):
        return f"computes a softmax, not {type(problem.attention.weighting).__name__}()"
    if not isinstance(problem.attention.scores, Content):
        return "scores content alone"
    paddings = [mask for mask in problem.masks if type(mask) in (KeyPadding, Padding)]
    others = tuple([mask for mask in problem.masks if type(mask) not in (KeyPadding, Padding)])
    if len(paddings) != 1:
        return "needs one Padding or KeyPadding"
    if others and not (isinstance(paddings[0], Padding) and starts_causal(others, problem.places)):
        return "takes beside Padding only Causal() with the first query at the first key, beside KeyPadding nothing"
    if problem.dropout:
        return "the variable-length kernel has no dropout"
    if problem.on_cuda:
        if problem.dtype not in (torch.float16, torch.bfloat16):
            return "the variable-length kernel takes float16 and bfloat16 alone"
        if max(problem.shape.D, problem.shape.E) > 256:
            return "the variable-length kernel takes head widths to 256"
        if problem.return_lse:
            return "the variable-length kernel's log-sum-exp has no gradient"
    return None


def cost(problem: Problem) -> Cost:
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


def run(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    assert dropout == 0
    if q.is_cuda:
        from regard.algorithms.kernels.varlen import attend_by_segments

        assert not return_lse
        return attend_by_segments(q, k, v, attention), None
    from regard.algorithms.kernels.slab_kernel import attend_by_slabs

    return attend_by_slabs(q, k, v, attention, "sequences", return_lse)
