"""Scores without content: the map is the same for every row of the batch, so it is computed once."""

import torch
from torch import Tensor

from regard.algorithms.kernels.position.mixing import mix
from regard.algorithms.planning.algorithm import Algorithm
from regard.algorithms.planning.cost import Cost, output
from regard.algorithms.planning.problem import Problem
from regard.attention import Attention, Places, Softmax, TermFacts
from regard.attention.masks.visibility import visible
from regard.attention.positions.sizes import Count, is_symbol
from regard.attention.reference import logsumexp, weigh

SMALL = 1 << 18  # pairs of a map whose gradient is made row by row, and then added up


class SharedMap(Algorithm):
    """One map for the batch, and one product with the values of all rows."""

    name = "shared"
    any_device = True

    def refuses(self, problem: Problem) -> str | None:
        return refuses_content(problem)

    def cost(self, problem: Problem) -> Cost:
        """The map is made in some ten passes over it.

        A hard map takes more passes, over whole numbers too, and sends no gradient back to the scores.
        """
        shape = problem.shape
        learns = problem.bias_backward and not problem.hard
        pairs = shape.H * shape.T * shape.S
        wide = max(4, problem.item)
        flops = 2 * shape.B * pairs * shape.E
        small = not is_symbol(pairs) and shape.T * shape.S <= SMALL
        by_row = 2 * problem.item * shape.B * pairs if learns and small else 0
        passes, kept = (28, 6) if problem.hard else (26, 6) if learns else (12, 3)
        passes += sum([_more_passes(term, learns) for term in problem.terms])
        products = (2 if problem.backward else 1) + (1 if learns else 0)
        return Cost(
            flops=flops * products,
            bytes=passes * wide * pairs + mixed_bytes(problem) * products + by_row,
            memory=kept * wide * pairs + output(shape, problem.item) * (2 if problem.backward else 1),
            launches=95 if learns else 45 if problem.backward else 30,
        )

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        B, H = q.shape[:2]
        attention, places = problem.attention, problem.places
        logits = whole_logits(attention, places, H, problem.wide, v.device, shift=not problem.return_lse)
        maps = whole_map(logits, attention, len(problem.masks) > 0, problem.terms)
        _, seen = visible(attention.mask, places, 1, H, v.device)
        out = mix(maps, blank_values(v, seen, H))
        return out, logsumexp(logits[None]).expand(B, -1, -1) if problem.return_lse else None


def refuses_content(problem: Problem) -> str | None:
    """Why the rows of this batch may have maps of their own."""
    if problem.kernel is not None or problem.attention.content is not None:
        return "takes scores of positions alone, without Content"
    if not problem.places.is_static:
        return "takes positions that are the same in every row"
    if any([term.rows for term in problem.terms]):
        return "takes no score term with rows of its own, such as a Bias (B, H, T, S)"
    if any([facts.rows for facts in problem.facts]):
        return "takes no mask that differs between rows of the batch"
    if problem.dropout:
        return "has no dropout"
    return None


def _more_passes(term: TermFacts, backward: bool) -> int:
    """Passes over the map beyond those of one sum and one softmax."""
    if term.table:
        return 8 if backward else 2  # the sum over the windows that share an entry
    return 10 if term.quadratic == "full" and backward else 0


def mixed_bytes(problem: Problem) -> Count:
    """Values read and outputs written, once."""
    shape = problem.shape
    return problem.item * shape.B * shape.G * shape.S * shape.E + output(shape, problem.item)


def whole_logits(
    attention: Attention, places: Places, H: int, dtype: torch.dtype, device: torch.device, shift: bool = False
) -> Tensor:
    """The logits of all heads, queries and keys, (H, T, S), −∞ where the mask hides; shifted by rows where allowed."""
    T, S = places.queries.count, places.keys.count
    logits = torch.zeros((), dtype=dtype, device=device)
    for n, term in enumerate(attention.biases):
        part = term.whole(places, H, dtype, device, shift)
        logits = part if n == 0 else logits + part
    logits = logits.expand(H, T, S)
    if attention.mask.facts(places).full:
        return logits
    b, h, i, j = (torch.arange(n, device=device) for n in (1, H, T, S))
    return logits.masked_fill(~attention.mask.slab(b, h, i, j, places)[0], -torch.inf)


def whole_map(logits: Tensor, attention: Attention, hides: bool, terms: tuple[TermFacts, ...]) -> Tensor:
    """The weights of such logits."""
    if not hides and type(attention.weighting) is Softmax and all([term.finite for term in terms]):
        return torch.softmax(logits, -1)  # no row can be empty
    return weigh(logits[None], attention)[0]


def blank_values(v: Tensor, seen: Tensor | None, H: int) -> Tensor:
    """Zeros in place of values that no query sees: a NaN there must not reach anything."""
    if seen is None:
        return v
    if seen.shape[1] > 1 and v.shape[1] != H:  # heads of one group see different keys
        v = v.repeat_interleave(H // v.shape[1], 1)
    return v.masked_fill(~seen[..., None], 0)
