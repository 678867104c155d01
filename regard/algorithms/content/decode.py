"""A few new queries against the keys of a cache, rows of any lengths: memory is read once, and nothing else counts."""

import torch
from torch import Tensor

from regard.algorithms.planning.algorithm import Algorithm, refuses_cap, refuses_softmax, refuses_triton
from regard.algorithms.planning.cost import PROGRAMS, Cost, output, products
from regard.algorithms.planning.problem import Problem
from regard.algorithms.planning.visits import visited
from regard.attention import Facts, Sequence
from regard.attention.masks.facts import FREE, Range, both
from regard.attention.masks.mask import real_tokens
from regard.attention.positions.sizes import is_symbol, least, most, surely

MOST_QUERIES = 16
WIDEST = 256
FARTHEST = 1 << 30  # offsets


class Decode(Algorithm):
    """One kernel of our own for all heads of a group, and one that joins its parts."""

    name = "decode"
    is_operator = True
    takes_cap = True

    def refuses(self, problem: Problem) -> str | None:
        reason = refuses_softmax(problem) or refuses_triton(problem)
        if reason is not None:
            return reason
        if not problem.content_alone or not problem.has_positive_beta:
            return "needs Content() with a positive beta as the only score term"
        if problem.backward:
            return "has no gradient: it is for tokens that are being written"
        if problem.dropout:
            return "has no dropout"
        if problem.dtype == torch.float64:
            return "its kernel takes no float64"
        shape = problem.shape
        if is_symbol(shape.T) or not surely(shape.T <= MOST_QUERIES):
            return f"takes no more than {MOST_QUERIES} queries"
        if any([not is_symbol(width) and not surely(width <= WIDEST) for width in (shape.D, shape.E)]):
            return f"takes head widths to {WIDEST}"
        return refuses_cap(problem) or _refuses_masks(problem)

    def cost(self, problem: Problem) -> Cost:
        """The visible pairs; of keys and values, what is visible."""
        shape, pairs = problem.shape, visited(problem)
        keys = problem.item * pairs * shape.G * (shape.D + shape.E) / (shape.H * shape.T)
        queries = problem.item * shape.B * shape.H * shape.T * shape.D
        parts = 2 * PROGRAMS * problem.wide.itemsize * least(shape.H // shape.G * shape.T, 64) * (shape.E + 1)
        return Cost(
            flops=products(pairs, shape.D, shape.E, backward=False, recompute=False),
            bytes=queries + keys + output(shape, problem.item),
            memory=output(shape, problem.item) + parts,
        )

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        from regard.algorithms.kernels.decode import Work, attend_few

        lengths, band = None, _band(problem.facts)
        for mask, facts in zip(problem.masks, problem.facts, strict=True):
            if facts.real is not None:
                lengths = mask.num_real(q.device)
                if lengths is None:
                    lengths = real_tokens(mask, problem.places, q.shape[0], q.device).sum(1)
        starts, shift = (None, 0) if band == FREE else _stand(problem)
        work = Work(problem.beta, shift, *band, float(problem.cap or 0), problem.return_lse, problem.prepared)
        out, lse = attend_few(q, k, v, work, lengths, starts)
        return out, lse if problem.return_lse else None


def _refuses_masks(problem: Problem) -> str | None:
    pads = [facts.real for facts in problem.facts if facts.real is not None]
    others = [facts for facts in problem.facts if facts.real is None]
    if len(pads) > 1 or any([real.queries or not real.prefix for real in pads]):
        return "takes of paddings one KeyPadding(lengths)"
    if not all([facts.interval for facts in others]):
        return "takes beside KeyPadding(lengths) only Causal() and Window()"
    queries, keys = problem.places.queries, problem.places.keys
    line = isinstance(queries, Sequence) and isinstance(keys, Sequence)
    if others and not (line and surely(queries.step == 1) and surely(keys.step == 1)):
        return "needs neighbouring tokens one position apart"
    return None


def _band(facts: tuple[Facts, ...]) -> Range:
    """The offsets that all masks leave, none farther than 32 bits can tell: the kernel counts in them."""
    band = FREE
    for fact in facts:
        if fact.real is None:
            band = both(band, fact.band[0])
    low, high = band
    return low if low is None else most(low, -FARTHEST), high if high is None else least(high, FARTHEST)


def _stand(problem: Problem) -> tuple[Tensor | None, int]:
    """Where the first query of each row stands among the keys: a number for each row, and one for all."""
    queries, keys = [side.start for side in problem.places.line(problem.attention.mask)]
    if isinstance(queries, Tensor):
        return (queries - keys, 0) if isinstance(keys, Tensor) else (queries, -keys)
    return (-keys, queries) if isinstance(keys, Tensor) else (None, queries - keys)
