"""Any mask and any score term, visiting only the blocks that may hold a visible pair."""

import torch
from torch import Tensor

from regard.algorithms.kernels import slabs
from regard.algorithms.planning.cost import Cost, Count, inputs, kept, products, traffic
from regard.algorithms.planning.problem import Problem
from regard.algorithms.planning.visits import visited
from regard.attention import Attention, Quadratic, RelativeTable, Softmax
from regard.attention.masks.visibility import band

NAME = "blockwise"


def refuses(problem: Problem) -> str | None:
    if not isinstance(problem.attention.weighting, Softmax):
        return f"computes a softmax, not {type(problem.attention.weighting).__name__}()"
    if problem.dropout:
        return "has no dropout"
    if problem.on_cuda and problem.dtype == torch.float64:
        return "FlexAttention takes no float64"
    return None


def cost(problem: Problem) -> Cost:
    """The visited blocks whole; a block's mask and biases are made when it is visited."""
    shape = problem.shape
    calls, extra = _on_cuda(problem) if problem.on_cuda else _on_cpu(problem)
    return Cost(
        flops=products(visited(problem, slabs.SIZE), shape.D, shape.E, problem.backward, recompute=True),
        bytes=traffic(shape, problem.item, problem.backward) + _bias_gradients(problem),
        memory=kept(shape, problem.item, problem.backward) + extra,
        launches=3 * calls if problem.backward else calls,
    )


ATOMIC = 2.4e-9  # seconds for one addition to a tensor of one number, by many threads at once; less by √numbers


def _bias_gradients(problem: Problem) -> Count:
    """What the gradients of score terms cost, as bytes.

    On the CPU each slab adds a gradient of the whole tensor to the sum. On the GPU each pair adds to one number of it,
    and all pairs that add to the same number wait for each other.
    """
    if not problem.bias_backward:
        return 0
    terms = [(term, [x for x in term.flatten()[1] if x.requires_grad]) for term in problem.attention.biases]
    if not problem.on_cuda:
        numbers = sum([tensor.numel() for _, tensors in terms for tensor in tensors])
        return 12 * numbers * -(-problem.shape.T // slabs.SIZE) + _relative_on_cpu(problem)
    waiting = 0.0  # additions of a pair, each counted by how many others wait for the same number
    for term, tensors in terms:
        for tensor in tensors:
            if isinstance(term, Quadratic):  # every number of the head
                waiting += tensor[0].numel() / problem.shape.H**0.5
            else:  # one number
                waiting += tensor.numel() ** -0.5
    return visited(problem, slabs.SIZE) * waiting * ATOMIC * problem.ceilings.bandwidth


def _relative_on_cpu(problem: Problem) -> Count:
    """A slab's relative terms are made in float64, and its gradients by the definition: so many bytes for a pair."""
    each = 0
    for term in problem.attention.biases:
        if isinstance(term, Quadratic):
            each = max(each, 950 if problem.attention.content is None else 2300)
        elif isinstance(term, RelativeTable):
            each = max(each, 350)
    return each * visited(problem, slabs.SIZE)


def _on_cuda(problem: Problem) -> tuple[Count, Count]:
    """A mask that holds data takes some twenty small kernels to list the blocks, and a copy of q, k and v without what
    nobody sees. Lists that sizes decide are remembered.
    """
    by_sizes = problem.places.is_static and not problem.attention.mask.flatten()[1]
    return (5, 0) if by_sizes or not problem.masks else (20, inputs(problem.shape, problem.item))


def _on_cpu(problem: Problem) -> tuple[Count, Count]:
    """Some seventy calls for each slab; the largest slab's mask, or its biases for every row and head."""
    shape = problem.shape
    if not (problem.masks or problem.attention.biases):
        return 70, 0
    by_row, by_head = problem.attention.mask.varies(problem.places)
    count = (shape.B if by_row else 1) * (shape.H if by_head else 1) * -(-shape.T // slabs.SIZE)
    low, high = band(problem.masks, problem.places)
    keys = shape.S if low is None or high is None else min(shape.S, high - low + 3 * slabs.SIZE)
    if problem.attention.biases:
        return 70 * count, 12 * shape.B * shape.H * slabs.SIZE * keys
    # Under a band every block of queries sees other keys; without one several blocks share a slab.
    blocks = slabs.LONGEST if low is None and high is None else 1
    return 70 * count, 5 * blocks * slabs.SIZE * keys


def run(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    assert dropout == 0
    if q.is_cuda:
        from regard.algorithms.kernels.flex import attend_by_flex

        return attend_by_flex(q, k, v, attention, return_lse)
    from regard.algorithms.kernels.slab_kernel import attend_by_slabs

    return attend_by_slabs(q, k, v, attention, "blocks", return_lse)
