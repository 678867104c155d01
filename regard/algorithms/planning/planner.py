"""From a problem to the cheapest algorithm that is exact for it."""

import json
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from torch import Tensor

from regard.algorithms import reference
from regard.algorithms.composite import cells as partitioned
from regard.algorithms.composite import union as merged
from regard.algorithms.content import augmented, banded, blockwise, fused, packed
from regard.algorithms.linear import causal as chunked
from regard.algorithms.linear import unordered as linear
from regard.algorithms.planning.cost import Cost
from regard.algorithms.planning.problem import Problem, check_options, nearest, pose, without_content
from regard.algorithms.position import convolution, gather, separable, toeplitz
from regard.algorithms.position import shared_map as shared
from regard.attention import Attention


class Algorithm(Protocol):
    """What each file of this folder that computes attention provides."""

    NAME: str

    def refuses(self, problem: Problem) -> str | None:
        """Why this algorithm would not be exact, or not run, for the problem; None when it would."""
        ...

    def cost(self, problem: Problem) -> Cost: ...

    def run(
        self, q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool
    ) -> tuple[Tensor, Tensor | None]: ...


ALGORITHMS: list[Any] = [
    fused,
    augmented,
    banded,
    partitioned,
    packed,
    gather,
    separable,
    toeplitz,
    convolution,
    shared,
    merged,
    linear,
    chunked,
    blockwise,
    reference,
]


class Refused(ValueError):  # noqa: N818 - it reads as what happened
    """A named algorithm is not exact for the problem."""


def seconds(problem: Problem, name: str, cost: Cost) -> float:
    """Predicted time: launches, arithmetic and memory, one after the other.

    A kernel overlaps the last two; their sum is at most twice the truth, and has no branch for a symbolic size.
    """
    ceilings = problem.ceilings
    arithmetic = cost.flops / (ceilings.rate(problem.dtype) * ceilings.efficiency[name])
    return cost.launches * ceilings.launch + arithmetic + cost.bytes / ceilings.bandwidth


def time_of(problem: Problem, algorithm: Any) -> float:
    """Predicted time of one algorithm; those that call others know their own."""
    own = getattr(algorithm, "seconds", None)
    return seconds(problem, algorithm.NAME, algorithm.cost(problem)) if own is None else own(problem)


def choose(problem: Problem, name: str | None = None) -> Any:
    """The cheapest algorithm that does not refuse, or the named one. Pure: sizes, types, kinds and flags decide."""
    if name is not None:
        algorithm = named(name)
        reason = algorithm.refuses(problem)
        if reason is not None:
            raise Refused(f"algorithm {name!r} refuses: {reason}; leave algorithm=None to choose one that does not")
        return algorithm
    best, best_time = None, 0.0
    for algorithm in ALGORITHMS:
        if algorithm.refuses(problem) is None:
            time = time_of(problem, algorithm)
            if best is None or time < best_time:
                best, best_time = algorithm, time
    return best


def named(name: str) -> Any:
    """The algorithm of that name."""
    for algorithm in ALGORITHMS:
        if name == algorithm.NAME:
            return algorithm
    raise ValueError(f"unknown algorithm {name!r}: {nearest(name, [algorithm.NAME for algorithm in ALGORITHMS])}")


@dataclass(frozen=True)
class Candidate:
    """One algorithm's answer to a problem: what it would cost, or why it refuses."""

    name: str
    cost: Cost | None
    seconds: float | None
    refusal: str | None


@dataclass(frozen=True, eq=False)
class Plan:
    """Every algorithm's cost or refusal for one problem, and the one chosen. Prints as a table."""

    problem: Problem
    chosen: str
    candidates: tuple[Candidate, ...]

    def json(self) -> str:
        """The plan for a program: sizes, value, device, and every candidate."""
        problem = self.problem
        return json.dumps(
            {
                "chosen": self.chosen,
                "device": problem.ceilings.name,
                "dtype": str(problem.dtype).removeprefix("torch."),
                "backward": problem.backward,
                "shape": asdict(problem.shape),
                "attention": repr(problem.attention),
                "candidates": [asdict(candidate) for candidate in self.candidates],
            }
        )

    def rich(self) -> Any:
        """The table for Rich."""
        from regard.algorithms.planning.report import rich_table

        return rich_table(self)

    def __str__(self) -> str:
        from regard.algorithms.planning.report import plain

        return plain(self.rich())


def plan(
    q: Tensor | None,
    k: Tensor | None,
    v: Tensor,
    attention: Attention = Attention(),  # noqa: B008 - a frozen value
    *,
    dropout: float = 0.0,
    return_lse: bool = False,
    device: str | None = None,
) -> Plan:
    """What `attend` would do with these tensors, and why; meta tensors and another `device` ("h200") are fine."""
    check_options(attention, dropout, return_lse)
    q, k = without_content(q, k, v, attention)
    problem = pose(q, k, v, attention, dropout=dropout, return_lse=return_lse, device=device)
    candidates = []
    for algorithm in ALGORITHMS:
        refusal = algorithm.refuses(problem)
        cost = algorithm.cost(problem) if refusal is None else None
        time = time_of(problem, algorithm) if refusal is None else None
        candidates.append(Candidate(algorithm.NAME, cost, time, refusal))
    return Plan(problem, choose(problem).NAME, tuple(candidates))
