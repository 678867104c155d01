"""Content softmax without a mask, or causal: torch's `scaled_dot_product_attention`, never its quadratic fallback."""

import torch
from torch import Tensor

from regard.algorithms.kernels.sdpa import attend_by, direct, fastest
from regard.algorithms.planning.algorithm import Algorithm, Run, refuses_bfloat16, refuses_softmax
from regard.algorithms.planning.cost import Cost, kept, output, products, traffic
from regard.algorithms.planning.problem import Problem
from regard.algorithms.planning.visits import visited
from regard.attention import Facts, Places
from regard.attention.masks.visibility import index_band
from regard.attention.positions.sizes import most, number, surely

TILE = 128  # queries of one program of a GPU's kernel, and keys that it takes at once


class Fused(Algorithm):
    """One call of a kernel."""

    name = "fused"
    any_device = True

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_softmax(problem)
        if reason is not None:
            return reason
        if not problem.content_alone:
            return "needs Content() as the only score term"
        if problem.sink_alone and problem.dropout:
            return "has no dropout beside a sink"
        return refuses_kernel(problem, takes_sink=problem.machine.kind != "other")

    def joins_sink(self, problem: Problem) -> bool:
        return True

    def cost(self, problem: Problem) -> Cost:
        """The visible pairs, and one pass over the tensors; a few numbers per row are kept for the way back. A sink
        takes one more pass over the output, and over its gradient.
        """
        shape = problem.shape
        more = (4 if problem.backward else 2) * output(shape, problem.item) if problem.sink_alone else 0
        return Cost(
            flops=products(visited(problem), shape.D, shape.E, problem.backward, recompute=True),
            bytes=traffic(shape, problem.item, problem.backward) + more,
            memory=kept(shape, problem.item, problem.backward),
            launches=(4 if problem.backward else 1) * (3 if problem.sink_alone else 1),
        )

    def seconds(self, problem: Problem) -> float:
        """On a GPU whose kernels were measured, the time of products and that of the softmax add up, pair by pair.

        Programs are waited for: those of the last wave, which is not full, and under a causal mask, where they are
        unequal, half of the longest on the way back. Forward kernels begin with the longest.
        """
        machine, shape = problem.machine, problem.shape
        if machine.fused is None or problem.item != 2 or problem.is_open:
            return super().seconds(problem)
        cost, pairs = self.cost(problem), visited(problem, TILE)
        of_forward, of_backward = machine.fused
        arithmetic = pairs * (2 * (shape.D + shape.E) / of_forward[0] + 1 / of_forward[1])
        if problem.backward:
            waiting = machine.processors * TILE * shape.S / 2 if problem.masks else 0
            each = 2 * (3 * shape.D + 2 * shape.E) / of_backward[0] + 1 / of_backward[1]
            arithmetic += (pairs + waiting) * each
        programs = shape.B * shape.H * -(-shape.T // TILE)
        if not problem.masks:
            arithmetic *= -(-programs // machine.processors) * machine.processors / programs
        device = cost.launches * machine.launch + arithmetic + cost.bytes / machine.bandwidth
        host = machine.host.get(self.name, (0.0, 0.0))
        return most(host[1 if problem.backward else 0], device)  # a compiler of torch 2.11 takes no True for a 1

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        return run_kernel(problem, q, k, v, problem.beta), None

    def shortcut(self, problem: Problem) -> Run | None:
        """Where the kernel takes all keys."""
        shape, causal = problem.shape, len(problem.masks) > 0
        if causal and shape.T != shape.S:
            return None
        q = torch.empty(shape.B, shape.H, shape.T, shape.D, dtype=problem.dtype, device="meta")
        v = torch.empty(shape.B, shape.G, shape.S, shape.E, dtype=problem.dtype, device="meta")
        return direct(fastest(q, v, problem.machine), shape, problem.beta, causal)


def refuses_kernel(problem: Problem, takes_sink: bool = False) -> str | None:
    """Why no kernel of sdpa computes this, whatever the scores."""
    if problem.masks and not starts_causal(problem.facts, problem.places):
        return "takes no mask but Causal() with the first query at the first key"
    if problem.return_lse and not (takes_sink and problem.sink_alone):
        return "sdpa returns no log-sum-exp"
    if problem.dropout and not problem.on_cuda:
        return "sdpa with dropout is quadratic in memory on the CPU"
    if problem.on_cuda and problem.dtype == torch.float64:
        return "no CUDA kernel of sdpa takes float64"
    return refuses_bfloat16(problem)


def run_kernel(problem: Problem, q: Tensor, k: Tensor, v: Tensor, beta: float) -> Tensor:
    """Call the fastest kernel; keys that come after every query are left out, for kernels read what they hide."""
    T, causal = q.shape[2], len(problem.masks) > 0
    if causal and not surely(k.shape[2] <= T):
        k, v = k[:, :, :T], v[:, :, :T]
    kernel = fastest(q, v, problem.machine)
    if causal and problem.on_cuda and not surely(k.shape[2] == T):
        kernel = "efficient"  # flash would put the last query at the last key
    if problem.sink is not None:
        from regard.algorithms.kernels.sdpa_with_sink import attend_with_sink

        return attend_with_sink(kernel, q, k, v, problem.sink, beta=beta, causal=causal)
    return attend_by(kernel, q, k, v, beta=beta, causal=causal, dropout=problem.dropout)


def starts_causal(facts: tuple[Facts, ...], places: Places) -> bool:
    """Query i sees keys 0…i: the one alignment that sdpa's `is_causal` means. A window may reach the first key."""
    if not facts or not all([fact.interval for fact in facts]):
        return False
    low, high = index_band(facts, places)
    reaches = low is None or surely(number(low) <= number(1 - places.queries.count))
    return reaches and high is not None and surely(high == 0)
