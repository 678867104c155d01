"""Any mask and any score term, visiting only the blocks that may hold a visible pair."""

import torch
from torch import Tensor

from regard.algorithms import slabs
from regard.algorithms.cost import Cost, products, traffic
from regard.algorithms.problem import Problem
from regard.algorithms.visits import visited
from regard.attention import Attention, Hard

NAME = "blockwise"


def refuses(problem: Problem) -> str | None:
    if isinstance(problem.attention.weighting, Hard):
        return "computes a softmax, not Hard()"
    if problem.dropout:
        return "has no dropout"
    if problem.on_cuda and problem.dtype == torch.float64:
        return "FlexAttention takes no float64"
    return None


def cost(problem: Problem) -> Cost:
    """The visited blocks whole; a block's mask and biases are made when it is visited."""
    shape = problem.shape
    rows = shape.B * shape.H * shape.T
    bytes = traffic(shape, problem.item, problem.backward)
    # On the GPU the block mask and what nobody sees are prepared by a hundred small kernels.
    calls = 100 if problem.on_cuda else 20 * -(-shape.T // slabs.SIZE)
    return Cost(
        flops=products(visited(problem, slabs.SIZE), shape.D, shape.E, problem.backward, recompute=True),
        bytes=bytes,
        memory=problem.item * rows * shape.E + 4 * rows + (bytes // 3 if problem.backward else 0),
        launches=3 * calls if problem.backward else calls,
    )


def run(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    assert dropout == 0
    if q.is_cuda:
        from regard.algorithms.flex import attend_by_flex

        return attend_by_flex(q, k, v, attention, return_lse)
    from regard.algorithms.slab_kernel import attend_by_slabs

    return attend_by_slabs(q, k, v, attention, "blocks", return_lse)
