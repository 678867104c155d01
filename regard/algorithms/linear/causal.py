"""Linear attention under a causal mask: by chunks, with a running sum of what all earlier chunks hold.

Query i sees the keys up to i + h. The first h keys are seen by all, so they are summed up before; then queries and keys
go side by side, in pieces of whole chunks; queries that are left over at the end have seen every key.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard.algorithms.kernels.linear import causal_sums
from regard.algorithms.kernels.linear.causal_sums import blanked
from regard.algorithms.linear.unordered import (
    answered,
    kernel_of,
    mapping,
    num_features,
    refuses_weighting,
    summed,
)
from regard.algorithms.planning.algorithm import Algorithm, predicted, refuses_triton, runs_triton, told
from regard.algorithms.planning.cost import Cost, traffic
from regard.algorithms.planning.problem import Problem
from regard.attention import Content, Elu, Exp, Facts, Identity, Kernel, Relu, SquaredRelu
from regard.attention.eager import is_eager
from regard.attention.masks.visibility import index_band, on_one_line, visible
from regard.attention.positions.sizes import Count, is_symbol, least, most, surely


def hides_later_keys(facts: Facts) -> bool:
    """Whether the mask is: all keys up to some distance from the query."""
    low, high = facts.band[0]
    return facts.interval and low is None and high is not None


@dataclass(frozen=True)
class Alignment:
    """How T queries and S keys lie side by side where query i sees the keys up to i + h."""

    blind: Count  # queries at the start that see nothing
    before: Count  # keys that every other query sees
    both: Count  # queries and keys that go in pairs
    after: Count  # queries at the end that have seen every key

    @classmethod
    def of(cls, T: Count, S: Count, h: Count) -> "Alignment":
        blind, before = least(T, most(0, -h)), most(0, h)
        both = least(T - blind, S - before)
        return cls(blind, before, both, T - blind - both)


def align(problem: Problem) -> Alignment:
    _, high = index_band(problem.facts, problem.places)
    assert high is not None
    return Alignment.of(problem.shape.T, problem.shape.S, high)


class Chunked(Algorithm):
    """Whole squares inside the chunks, and products with states for every token."""

    name = "chunked"
    any_device = True

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_weighting(problem)
        if reason is not None:
            return reason
        causal = [hides_later_keys(facts) for facts in problem.facts]
        for facts, mask, hides in zip(problem.facts, problem.masks, causal, strict=True):
            if facts.real is None and not hides:
                return told("runs along the keys once: takes Causal() and paddings, not {}", type(mask).__name__)
        if not any(causal):
            return "is for Causal() that hides something; without it `linear` is cheaper"
        if not on_one_line(problem.places):
            return "takes positions that are the same in every row, with one step for queries and keys"
        return None

    def cost(self, problem: Problem) -> Cost:
        """The products, and those of the tokens that all queries see or that see all keys."""
        shape, F, E = problem.shape, num_features(problem), problem.shape.E
        a = align(problem)
        groups, r = shape.B * shape.G, shape.H // shape.G
        outside = r * a.after * 2 * F * (E + 1) + 2 * a.before * F * E
        flops = causal_sums.flops(a.both, r, F, E, problem.backward) + (3 if problem.backward else 1) * outside
        flops = groups * flops + mapping(problem, groups * (r * (a.both + a.after) + a.before + a.both))
        costs = self._scan_costs if takes_kernel(problem) else self._product_costs
        return Cost(flops, *costs(problem, groups * a.both, r, F, E))

    def _scan_costs(self, problem: Problem, tokens: Count, r: Count, F: Count, E: Count) -> tuple[Count, ...]:
        """Bytes, memory and launches of the kernel; features that torch computes before it are in float32."""
        item, backward, kernel = problem.item, problem.backward, problem.kernel
        assert kernel is not None
        mapped = 0 if fused_map(kernel) else 4 * tokens * (1 + r) * F
        grads = item * tokens * ((1 + r) * F + E) + 8 * tokens * r if backward else 0
        return (
            traffic(problem.shape, item, backward) + (8 if backward else 3) * mapped,
            item * tokens * r * E + grads + (2 if backward else 1) * mapped,
            6 if backward else 2,
        )

    def _product_costs(self, problem: Problem, tokens: Count, r: Count, F: Count, E: Count) -> tuple[Count, ...]:
        wide, C = max(4, problem.item), causal_sums.CHUNK
        features, values, others = (1 + r) * F, 1 + r + (1 + r) * E, r * C + F * E // C  # others: squares and states
        passes, kept = (18, 1) if problem.backward else (6, 0)
        made = tokens if problem.on_cuda else least(tokens, causal_sums.PIECE // r)  # at once
        return (
            passes * wide * tokens * (features + values) // 2
            + passes // 3 * wide * tokens * others
            + traffic(problem.shape, problem.item, problem.backward),
            wide * (tokens * (kept * features + 2 * values) + made * (features + values + 2 * others)),
            (110 if problem.backward else 50) * (1 if problem.on_cuda else 1 + r * tokens // causal_sums.PIECE),
        )

    def seconds(self, problem: Problem) -> float:
        """Products of torch are in at least float32, whatever the type of q, k and v."""
        return predicted(
            problem, self.name, self.cost(problem), problem.dtype if takes_kernel(problem) else problem.wide
        )

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        kernel, content = kernel_of(problem.attention)
        T, places = q.shape[2], problem.places
        live, seen = None, None
        if any([facts.real is not None for facts in problem.facts]):
            sides = visible(problem.attention.mask, places, q.shape[0], 1, q.device)
            live, seen = (x[:, 0] for x in sides if x is not None)
        a = align(problem)
        queries, keys = slice(a.blind, a.blind + a.both), slice(a.before, a.before + a.both)
        sums, parts = None, []
        if a.before:
            first = slice(a.before)
            real = _some(seen, first)
            sums = summed(blanked(k[:, :, first], real), blanked(v[:, :, first], real), real, kernel, content)
        if a.both > 0:
            whole = surely(a.both == T) and surely(a.both == k.shape[2])
            some = (q, k, v) if whole else (q[:, :, queries], k[:, :, keys], v[:, :, keys])
            asks, real = _some(live, queries), _some(seen, keys)
            out, sums = attended(*some, asks, real, sums, kernel, content, wants_end=bool(a.after))
            parts.append(out)
        if not parts:  # even where no query sees a key, the output belongs to q, k and v
            sums = causal_sums.empty_sums(k, v, kernel) if sums is None else sums
            sums = sums + sum([x[:, :, :0].sum() for x in (k, v)])
        if a.after or not parts:
            last = slice(T - a.after, T)
            asks = _some(live, last)
            assert sums is not None
            out = answered(blanked(q[:, :, last], asks), sums, kernel, content)
            parts.append(blanked(out, asks).to(v.dtype))
        out = parts[0] if len(parts) == 1 else torch.cat(parts, 2)
        return pad(out, (0, 0, a.blind, 0)) if a.blind else out, None


def _some(there: Tensor | None, tokens: slice) -> Tensor | None:
    return None if there is None else there[:, tokens]


# The feature maps that the kernel computes itself, number by number; those of subclasses it does not know.
FUSED = {Identity: "Identity", Elu: "Elu", Relu: "Relu", SquaredRelu: "SquaredRelu", Exp: "Exp"}


def fused_map(kernel: Kernel) -> str:
    """The name by which the kernel knows the features; none where torch maps them before."""
    return FUSED.get(type(kernel.features), "")


def takes_kernel(problem: Problem) -> bool:
    """Whether the GPU kernel computes it, not torch's products."""
    F = num_features(problem)
    takes = problem.dtype != torch.float64 and (is_symbol(F) or surely(F <= causal_sums.WIDEST))
    return takes and refuses_triton(problem) is None


def attended(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    live: Tensor | None,
    real: Tensor | None,
    sums: Tensor | None,
    kernel: Kernel,
    content: Content,
    wants_end: bool,
) -> tuple[Tensor, Tensor | None]:
    """Outputs where query i sees the keys up to i and all that `sums` holds, and where wanted the sums after the keys.

    Queries that are not `live` get zeros, tokens that are not `real` are no keys; a NaN in either reaches nothing.
    """
    usable = torch.compiler.is_compiling() or is_eager(q)
    if usable and runs_triton(q.device) and q.dtype != torch.float64:
        map = fused_map(kernel)
        if kernel.features.width(q.shape[3]) <= causal_sums.WIDEST:
            from regard.algorithms.kernels.linear import scan

            if not map:
                q, k = kernel.map(blanked(q, live), content), kernel.map(blanked(k, real), content)
            return scan.attended(q, k, v, live, real, sums, map, kernel.normalise, wants_end)
    out, sums = causal_sums.attended(q, k, v, live, real, sums, kernel, content)
    return out.to(v.dtype), sums
