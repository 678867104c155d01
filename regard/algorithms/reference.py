"""The definition as an algorithm: exact for everything, quadratic in memory."""

from torch import Tensor

from regard.algorithms.linear.unordered import mapping, num_features
from regard.algorithms.planning.algorithm import Algorithm
from regard.algorithms.planning.cost import Cost, products, traffic
from regard.algorithms.planning.problem import Problem
from regard.attention.positions.sizes import Count
from regard.attention.reference import reference


class Reference(Algorithm):
    """Every pair is computed."""

    name = "reference"
    takes_cap = True
    is_definition = True
    any_device = True

    def refuses(self, problem: Problem) -> str | None:
        return None

    def cost(self, problem: Problem) -> Cost:
        """A logit crosses memory on each of about ten elementwise passes."""
        shape = problem.shape
        pairs = shape.B * shape.H * shape.T * shape.S
        wide = max(4, problem.item)
        # Queries, keys, values and outputs are widened, repeated, blanked.
        copies = wide * shape.B * shape.H * (shape.S + shape.T) * (shape.D + shape.E)
        passes, kept = (24, 6) if problem.backward else (10, 3)
        moved = 4 * copies + traffic(shape, problem.item, problem.backward)
        # On the CPU torch draws weight after weight, in the time of so many bytes.
        drawn = 120 * pairs if problem.dropout and not problem.on_cuda else 0
        return Cost(
            flops=_flops(problem, pairs),
            bytes=passes * wide * pairs + _squares(problem) + moved + drawn,
            memory=kept * wide * pairs,
            launches=(60 if problem.backward else 25) + (25 if problem.backward else 10) * len(problem.terms),
        )

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        out, lse = reference(q, k, v, problem.attention, problem.dropout)
        return out.to(v.dtype), lse if problem.return_lse else None


def _flops(problem: Problem, pairs: Count) -> Count:
    """A kernel's weights are products of features, which may take products to make."""
    shape, kernel = problem.shape, problem.kernel is not None
    width = num_features(problem) if kernel else shape.D
    features = mapping(problem, shape.B * shape.H * (shape.T + shape.S)) if kernel else 0
    return products(pairs, width, shape.E, problem.backward, recompute=False) + features


def _squares(problem: Problem) -> Count:
    """Gaussians are squared in float64, and their tails are numbers so small that a CPU crawls."""
    if not any([term.quadratic is not None for term in problem.terms]):
        return 0
    shape = problem.shape
    maps = shape.B if problem.attention.content is not None else 1
    return (100 if problem.on_cuda else 1400) * maps * shape.H * shape.T * shape.S
