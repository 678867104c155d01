"""From a problem to the cheapest algorithm that is exact for it."""

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from regard.algorithms.planning.algorithm import Algorithm, Run, refusal
from regard.algorithms.planning.cost import Cost
from regard.algorithms.planning.kept import MOST_CHECKED, Prepared, look, recall_from, remember
from regard.algorithms.planning.problem import Outline, Problem, bind, check_tensors, length_class, pose, traits
from regard.algorithms.planning.recording import recorder
from regard.algorithms.planning.sink import join_sink, joining
from regard.attention import Attention
from regard.attention.positions.sizes import most, number
from regard.attention.torch_private import stream_of, without_modes
from regard.attention.value import ABOUT, FLAT, Structure, check_state
from regard.checks import nearest

if TYPE_CHECKING:
    from rich.console import Group


CROSSING = (
    130e-6  # seconds in which a compiled graph calls an operator that is written in Python, as an H200's host did
)
EXACT = "exact"  # in place of a choice: that of such values depends on the numbers in them


class Refused(ValueError):  # noqa: N818 - it reads as what happened
    """A named algorithm is not exact for the problem."""


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
                "device": problem.machine.name,
                "table": {"measured": problem.machine.is_measured, "basis": problem.machine.basis},
                "dtype": str(problem.dtype).removeprefix("torch."),
                "backward": problem.backward,
                "shape": asdict(problem.shape),
                "attention": repr(problem.stated),
                "candidates": [asdict(candidate) for candidate in self.candidates],
            }
        )

    def rich(self) -> "Group":
        """The table for Rich."""
        from regard.algorithms.planning.report import rich_table

        return rich_table(self)

    def __str__(self) -> str:
        from regard.algorithms.planning.report import plain

        return plain(self.rich())


@dataclass(frozen=True)
class Choice:
    """What is kept of a call: free of tensors."""

    outline: Outline
    algorithm: Algorithm
    moves: bool  # something in the value is not where q is
    looks: bool  # the value holds tensors whose contents are checked in every call
    problem: Problem | None  # where numbers alone make the value
    any_numbers: bool  # it is for all lengths that are as many and about as long, which are checked when they are moved
    short: Run | None  # runs without posing a problem


class Planner:
    """Chooses among algorithms, in their order where times are equal. Those that cut a problem into others ask it."""

    def __init__(self) -> None:
        self.algorithms: list[Algorithm] = []

    def named(self, name: str) -> Algorithm:
        """The algorithm of that name."""
        for algorithm in self.algorithms:
            if isinstance(name, str) and name == algorithm.name:
                return algorithm
        known = [algorithm.name for algorithm in self.algorithms]
        raise ValueError(f"algorithm must be one that is known: got {name!r}; {nearest(str(name), known)}")

    def choose(self, problem: Problem, name: str | None = None) -> Algorithm:
        """The cheapest that does not refuse, or the named one. Pure: sizes, types, kinds and flags decide.

        Where a compiler keeps a size open, the first that does not refuse; if it is a length, that serves any.
        """
        if name is not None:
            algorithm = self.named(name)
            reason = refusal(algorithm, problem)
            if reason is not None:
                raise Refused(f"algorithm {name!r} refuses: {reason}; leave algorithm=None to choose one that does not")
            return algorithm
        if problem.is_open:  # there are no times to compare
            for algorithm in self.algorithms:
                serves = algorithm.any_length or not problem.has_open_length
                if serves and refusal(algorithm, problem) is None:
                    return algorithm
        best, best_time = self.algorithms[-1], 0.0
        found = False
        for algorithm in self.algorithms:
            if refusal(algorithm, problem) is None:
                time = number(self.seconds_by(algorithm, problem))
                if not found or time < best_time:
                    found, best, best_time = True, algorithm, time
        return best

    def seconds(self, problem: Problem) -> float:
        """Predicted time by the cheapest algorithm."""
        return self.seconds_by(self.choose(problem), problem)

    def seconds_by(self, algorithm: Algorithm, problem: Problem) -> float:
        """Predicted time by this algorithm, with a sink joined where there is one."""
        joined, machine = joining(problem, algorithm), problem.machine
        seconds = algorithm.seconds(problem) + joined.launches * machine.launch + joined.bytes / machine.bandwidth
        if algorithm.is_operator and problem.on_cuda and torch.compiler.is_compiling():
            eager = machine.host.get(algorithm.name, (0.0, 0.0))
            host = eager[1] + 2 * CROSSING if problem.backward else eager[0] + CROSSING
            seconds = most(seconds, host)
        return seconds

    def plan(self, problem: Problem) -> Plan:
        """What every algorithm says to a problem."""
        candidates = []
        for algorithm in self.algorithms:
            reason = refusal(algorithm, problem)
            cost = algorithm.cost(problem) + joining(problem, algorithm) if reason is None else None
            time = self.seconds_by(algorithm, problem) if reason is None else None
            candidates.append(Candidate(algorithm.name, cost, time, reason))
        exact = [one for one in candidates if one.refusal is None]
        return Plan(problem, min(exact, key=lambda one: number(one.seconds)).name, tuple(candidates))

    def solve(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        attention: Attention,
        *,
        dropout: float = 0.0,
        return_lse: bool = False,
        name: str | None = None,
        prepared: Prepared | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Output and log-sum-exp by the cheapest algorithm, or the named one. Contents are checked every time."""
        if torch.compiler.is_compiling():
            problem = pose(q, k, v, attention, dropout=dropout, return_lse=return_lse)
            algorithm = self.choose(problem, name)
            return _run(
                algorithm, bind(problem.outline, attention.on(q.device), dropout, prepared), q, k, v, return_lse
            )
        listener = recorder()
        choice, value = self._found(q, k, v, attention, dropout, return_lse, name)
        if listener is None:
            if choice.short is not None and dropout == 0.0:
                return choice.short(q, k, v, value.__dict__[FLAT][1])
            return _run(choice.algorithm, _bound(choice, value, dropout, prepared), q, k, v, return_lse)
        with without_modes():
            wanted, watching = listener.call(choice.algorithm.name, q, k, v, attention)
            if wanted != choice.algorithm.name:
                choice, value = self._found(q, k, v, attention, dropout, return_lse, wanted)
        with watching:
            return _run(choice.algorithm, _bound(choice, value, dropout, prepared), q, k, v, return_lse)

    def _found(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        attention: Attention,
        dropout: float,
        return_lse: bool,
        name: str | None,
    ) -> tuple[Choice, Attention]:
        """The choice for one call, kept by everything that it depends on, and the value where q is."""
        for x in (q, k, v):  # what has no sizes makes no key, and what is sparse the key of what is not
            if not isinstance(x, Tensor) or x.is_nested or x.layout is not torch.strided:
                check_tensors(q, k, v)
        state = attention.__dict__
        structure, tensors = state.get(FLAT) or attention.flatten()
        about, given = state.get(ABOUT) or attention.about(), traits(q, k, v, tensors)
        key = (self, name, return_lse, dropout > 0, about, *given)
        try:
            choice = look(key)
            if choice is EXACT:
                key = (self, name, return_lse, dropout > 0, structure, *given)
                choice = look(key)
        except TypeError:  # something in the value cannot be compared
            check_state(attention)
            raise
        if choice is None:
            choice = self._chosen(key, q, k, v, attention, dropout, return_lse, name)
        elif choice.looks:
            checked = lambda: attention.check(check_tensors(q, k, v)) or True  # noqa: E731
            recall_from(tensors, ("checked", key), checked, MOST_CHECKED)
        if not choice.moves:
            return choice, attention

        def move() -> Attention:
            if choice.any_numbers:
                attention.check(check_tensors(q, k, v))
            value = attention.on(q.device)
            value.flatten()
            return value

        if any([x.requires_grad for x in tensors]):
            return choice, move()
        stream = stream_of(q.device) if q.is_cuda else None
        return choice, recall_from(tensors, ("moved", structure, q.shape, k.shape, q.device, stream), move)

    def _chosen(
        self,
        key: tuple[Any, ...],
        q: Tensor,
        k: Tensor,
        v: Tensor,
        attention: Attention,
        dropout: float,
        return_lse: bool,
        name: str | None,
    ) -> Choice:
        check_state(attention)
        (structure, tensors), numbered = attention.flatten(), key[4] is not attention.flatten()[0]
        options = {"dropout": dropout, "return_lse": return_lse}
        with without_modes():  # a choice is made from sizes alone, whatever mode watches the arithmetic
            problem, there = pose(q, k, v, attention, **options), attention.on(q.device)
            moves, exact = there is not attention, (*key[:4], structure, *key[5:])
            constant = None if moves or problem.outline.holds_tensors else bind(problem.outline, attention, 0.0)
            algorithm = (
                self._at_such_lengths(problem, exact, attention.about()) if name is None else self.choose(problem, name)
            )
            # Lengths on a GPU are not looked at: that would mean to wait.
            lengths = [
                x for m, facts in zip(problem.masks, problem.facts, strict=True) if facts.real for x in m.flatten()[1]
            ]
            looks = len(tensors) > len(lengths) or not all([x.is_cuda for x in lengths])
            any_numbers = False
            if numbered and moves and problem.on_cuda and there.about() is there.flatten()[0]:
                unknown = pose(q, k, v, there, **options)  # of lengths that are data, as the moved ones are
                any_numbers = refusal(algorithm, unknown) is None
                problem = unknown if any_numbers else problem
            if numbered and not any_numbers:
                remember(key, EXACT)
                key = exact
            short = None
            if problem.sink is None and not dropout:
                short = algorithm.shortcut(problem)
            choice = Choice(problem.outline, algorithm, moves, looks, constant, any_numbers, short)
        return remember(key, choice)

    def _at_such_lengths(self, problem: Problem, key: tuple[Any, ...], value: Structure) -> Algorithm:
        """The choice, which is made once for the many lengths of a decode step, and for lengths of sequences or
        documents that are as many and about as long, if it stays exact.
        """
        shape = problem.shape
        planner, _, return_lse, drops, structure, wanted, _, *types = key
        value = (*value[:4],) if shape.T == 1 else value  # positions go with the length
        alike = replace(shape, S=length_class(shape.T, shape.S)[1])
        if shape.T > 1 and value == structure:
            return self.choose(problem)
        alike = ("lengths", planner, return_lse, drops, value, wanted, alike, *types)
        algorithm = look(alike)
        if algorithm is None or refusal(algorithm, problem) is not None:
            return remember(alike, self.choose(problem))
        return algorithm


def _run(
    algorithm: Algorithm, problem: Problem, q: Tensor, k: Tensor, v: Tensor, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    """What the algorithm gives, with the sink joined to it where there is one."""
    out, lse = algorithm.run(problem, q, k, v)
    if problem.sink is None or algorithm.joins_sink(problem):
        return out, lse
    assert lse is not None
    return join_sink(out, lse, problem.sink, return_lse)


def _bound(choice: Choice, attention: Attention, dropout: float, prepared: Prepared | None) -> Problem:
    """The problem of a call."""
    if dropout == 0.0 and choice.problem is not None and (prepared is None or not choice.problem.masks):
        return choice.problem
    return bind(choice.outline, attention, dropout, prepared)


def summed(own: Cost, costs: list[Cost]) -> Cost:
    """What parts cost together, one after the other."""
    for cost in costs:
        own = own + cost
    return own
