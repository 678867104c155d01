"""Linear attention under a causal mask: by chunks, with a running sum of what all earlier chunks hold.

Query i sees the keys up to i + h. The first h keys are seen by all, so they are summed up before; then queries and keys
go side by side, in pieces of whole chunks; queries that are left over at the end have seen every key.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard.algorithms.kernels import causal_sums
from regard.algorithms.linear.unordered import (
    answered,
    blanked,
    kernel_of,
    mapping,
    num_features,
    refuses_weighting,
    summed,
)
from regard.algorithms.planning.algorithm import Algorithm, predicted, told
from regard.algorithms.planning.cost import Cost, traffic
from regard.algorithms.planning.problem import Problem
from regard.attention import Facts
from regard.attention.masks.visibility import index_band, on_one_line, visible
from regard.attention.positions.sizes import Count, least, most


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
        """Forward: `g(q)g(k)ᵀ` and its product with the values; the states and their product with g(q).

        Going back each of these has two gradients, and both `g(q)g(k)ᵀ` and the states are made again.
        """
        shape, F, E = problem.shape, num_features(problem), problem.shape.E
        a, C = align(problem), causal_sums.CHUNK
        groups, r = shape.B * shape.G, shape.H // shape.G
        inside = 2 * r * (a.both // C * C**2 + (a.both % C) ** 2)
        state = 2 * F * (E + 1)
        outside = r * a.after * state + 2 * a.before * F * E
        flops = inside * (F + E + 1) + (1 + r) * a.both * state + outside
        if problem.backward:
            flops += inside * (3 * F + 2 * E + 2) + (3 + 2 * r) * a.both * state + 2 * outside
        wide, tokens = max(4, problem.item), groups * a.both
        features, values, others = (1 + r) * F, 1 + r + (1 + r) * E, r * C + F * E // C  # others: squares and states
        passes, kept = (18, 1) if problem.backward else (6, 0)
        made = tokens if problem.on_cuda else least(tokens, causal_sums.PIECE // r)  # at once
        return Cost(
            flops=groups * flops + mapping(problem, groups * (r * (a.both + a.after) + a.before + a.both)),
            bytes=passes * wide * tokens * (features + values) // 2
            + passes // 3 * wide * tokens * others
            + traffic(shape, problem.item, problem.backward),
            memory=wide * (tokens * (kept * features + 2 * values) + made * (features + values + 2 * others)),
            launches=(110 if problem.backward else 50)
            * (1 if problem.on_cuda else 1 + r * tokens // causal_sums.PIECE),
        )

    def seconds(self, problem: Problem) -> float:
        """Products are in at least float32, whatever the type of q, k and v."""
        return predicted(problem, self.name, self.cost(problem), problem.wide)

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        kernel, content = kernel_of(problem.attention)
        T, places = q.shape[2], problem.places
        live, seen = None, None
        if any([facts.real is not None for facts in problem.facts]):
            sides = visible(problem.attention.mask, places, q.shape[0], 1, q.device)
            live, seen = (x[:, 0] for x in sides if x is not None)
            q, k, v = blanked(q, live), blanked(k, seen), blanked(v, seen)
        a = align(problem)
        shape = (*k.shape[:2], kernel.features.width(k.shape[3]), v.shape[3] + 1)
        sums = k.new_zeros(shape, dtype=problem.wide)
        if a.before:
            real = None if seen is None else seen[:, : a.before]
            sums = summed(k[:, :, : a.before], v[:, :, : a.before], real, kernel, content)
        parts = []
        if a.both > 0:
            queries, keys = slice(a.blind, a.blind + a.both), slice(a.before, a.before + a.both)
            real = None if seen is None else seen[:, keys]
            out, sums = causal_sums.attended(
                q[:, :, queries], k[:, :, keys], v[:, :, keys], real, sums, kernel, content
            )
            parts.append(out)
        if not parts:  # even where no query sees a key, the output belongs to q, k and v
            sums = sums + sum([x[:, :, :0].sum() for x in (k, v)])
        if a.after or not parts:
            parts.append(answered(q[:, :, T - a.after :], sums, kernel, content))
        out = parts[0] if len(parts) == 1 else torch.cat(parts, 2)
        out = pad(out, (0, 0, a.blind, 0)) if a.blind else out
        return blanked(out, live).to(v.dtype), None
