"""A sink, a logit of each head that takes weight and gives nothing: joined to what any algorithm gives without it.

    o′ = o·σ(l − s)        l′ = log(exp l + exp s)

o and l are the output and the log-sum-exp without the sink s. Both have gradients, by which those of o′ and l′ go back.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from regard.algorithms.planning.algorithm import Algorithm
from regard.algorithms.planning.cost import Cost, output
from regard.algorithms.planning.problem import Problem


def join_sink(
    out: Float[Tensor, "B H T E"], lse: Float[Tensor, "B H T"], sink: Float[Tensor, " H"], return_lse: bool
) -> tuple[Float[Tensor, "B H T E"], Float[Tensor, "B H T"] | None]:
    """The output with the sink and, where it is wanted, the log-sum-exp; a row that sees nothing has the sink's own."""
    s = sink.to(lse.dtype)[:, None]
    least = torch.finfo(lse.dtype).min
    known = lse.clamp(min=least)  # of an empty row without a sink too, for −∞ − (−∞) is no number
    share = torch.nn.functional.logsigmoid(known - s).exp()[..., None]  # its slope keeps digits where it is nearly 1
    out = (out * share).to(out.dtype)
    if not return_lse:
        return out, None
    joined = torch.logaddexp(known, s)
    return out, joined.masked_fill(joined == least, -torch.inf)


def joining(problem: Problem, algorithm: Algorithm) -> Cost:
    """What the sink adds to the cost of an algorithm: the output is read and written once more, in the wide type."""
    if not problem.outline.flags.sink or algorithm.joins_sink(problem):
        return Cost(0, 0, 0, 0)
    once = output(problem.shape, problem.item) + output(problem.shape, problem.wide.itemsize)
    passes, launches = (5, 18) if problem.backward else (2, 5)
    return Cost(flops=0, bytes=passes * once, memory=once, launches=launches)
