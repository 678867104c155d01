"""Linear attention without an order: the sum over the keys is taken once, for all queries.

    o_i = g(q_i)ᵀ (Σ_j g(k_j) v_jᵀ) / g(q_i)ᵀ Σ_j g(k_j)

N·F·E in place of N²·(F + E), and no map.
"""

import torch
from torch import Tensor

from regard.algorithms.kernels.linear import causal_sums
from regard.algorithms.kernels.linear.causal_sums import blanked
from regard.algorithms.planning.algorithm import Algorithm, predicted, told
from regard.algorithms.planning.cost import Cost, inputs, traffic
from regard.algorithms.planning.problem import Problem
from regard.attention import Attention, Content, Facts, Kernel, Mask, Places
from regard.attention.cache.linear_state import absorbed, read
from regard.attention.masks.mask import real_tokens
from regard.attention.positions.sizes import Count


class Linear(Algorithm):
    """Two products, with keys and with queries; going back, two for each of them."""

    name = "linear"
    any_device = True

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_weighting(problem)
        if reason is not None:
            return reason
        for facts, mask in zip(problem.facts, problem.masks, strict=True):
            if facts.real is None:
                return told("sums over the keys once for all queries: takes paddings, not {}", type(mask).__name__)
        return None

    def cost(self, problem: Problem) -> Cost:
        shape = problem.shape
        F = num_features(problem)
        sums = 2 * shape.B * F * (shape.G * shape.S * shape.E + shape.H * shape.T * (shape.E + 1))
        wide = max(4, problem.item)
        features = wide * shape.B * F * (shape.H * shape.T + shape.G * shape.S)
        wide_output = wide * shape.B * shape.H * shape.T * (shape.E + 1)
        passes = (9, 6) if problem.backward else (4, 3)
        return Cost(
            flops=(3 if problem.backward else 1) * sums
            + mapping(problem, shape.B * (shape.H * shape.T + shape.G * shape.S)),
            bytes=passes[0] * features + passes[1] * wide_output + traffic(shape, problem.item, problem.backward),
            memory=(3 if problem.backward else 2) * (features + wide_output) + inputs(shape, problem.item),
            launches=70 if problem.backward else 25,
        )

    def seconds(self, problem: Problem) -> float:
        """Products are in at least float32, whatever the type of q, k and v."""
        return predicted(problem, self.name, self.cost(problem), problem.wide)

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        kernel, content = kernel_of(problem.attention)
        live, seen = sides(problem.masks, problem.facts, problem.places, q)
        q, k, v = blanked(q, live), blanked(k, seen), blanked(v, seen)
        sums = summed(k, v, seen, kernel, content)
        return blanked(answered(q, sums, kernel, content), live).to(v.dtype), None


def refuses_weighting(problem: Problem) -> str | None:
    """Why this is not a plain sum of features."""
    if problem.kernel is None:
        weighting = type(problem.attention.weighting).__name__
        return told("needs features of queries and of keys: Kernel, not {}()", weighting)
    return "has no weights to drop" if problem.dropout else None


def num_features(problem: Problem) -> Count:
    assert problem.kernel is not None
    return problem.kernel.features.width(problem.shape.D)


def mapping(problem: Problem, vectors: Count) -> Count:
    """FLOPs of the products inside the features of so many queries and keys."""
    assert problem.kernel is not None
    passes = (2 if problem.backward else 1) + (1 if problem.bias_backward else 0)
    return passes * vectors * problem.kernel.features.products(problem.shape.D)


def summed(k: Tensor, v: Tensor, real: Tensor | None, kernel: Kernel, content: Content) -> Tensor:
    """`Σ g(k) [v, 1]ᵀ` over all keys, (B, G, F, E + 1)."""
    size = _piece(k)
    parts = [x.split(size, 2) for x in (k, v)]
    reals = [None] * len(parts[0]) if real is None else real.split(size, 1)
    total = None
    for keys, values, there in zip(*parts, reals, strict=True):
        part = absorbed(kernel.map(keys, content), values, there)
        total = part if total is None else total + part
    assert total is not None
    return total


def answered(q: Tensor, sums: Tensor, kernel: Kernel, content: Content) -> Tensor:
    """What queries get that see all that was summed up, (B, H, T, E)."""
    outs = [read(kernel.map(some, content), sums, kernel.normalise) for some in q.split(_piece(q), 2)]
    return outs[0] if len(outs) == 1 else torch.cat(outs, 2)


def _piece(x: Tensor) -> int:
    """Tokens whose features are made at once: few on the CPU, where memory that is used again is faster."""
    whole = torch.compiler.is_compiling() or not x.is_cpu
    return x.shape[2] if whole else causal_sums.longest_piece(x.shape[0] * x.shape[1])


def kernel_of(attention: Attention) -> tuple[Kernel, Content]:
    """The kernel, and the content that it weighs."""
    assert isinstance(attention.weighting, Kernel)
    assert attention.content is not None
    return attention.weighting, attention.content


def pads(
    masks: tuple[Mask, ...], facts: tuple[Facts, ...], places: Places, B: int, device: torch.device
) -> tuple[Tensor | None, Tensor | None]:
    """Queries that ask, (B, T), and keys that are there, (B, S), by paddings alone; None where all of them."""
    asks, real = None, None
    for mask, fact in zip(masks, facts, strict=True):
        if fact.real is None:
            continue
        there = real_tokens(mask, places, B, device)
        real = there if real is None else real & there
        if fact.real.queries:
            asks = there if asks is None else asks & there
    return asks, real


def sides(
    masks: tuple[Mask, ...], facts: tuple[Facts, ...], places: Places, q: Tensor
) -> tuple[Tensor | None, Tensor | None]:
    """Queries that see a key, (B, T), and keys that a query sees, (B, S), by paddings alone; None where all do."""
    asks, real = pads(masks, facts, places, q.shape[0], q.device)
    if real is None:
        return None, None
    some = real.any(1, keepdim=True).expand(-1, q.shape[2])
    return (some, real) if asks is None else (asks & some, real & asks.any(1, keepdim=True))
