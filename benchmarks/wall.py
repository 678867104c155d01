"""Wall time of a call, host and device together, as a program meets it; contenders take turns.

*Queued* is many calls with one synchronisation at the end: the host runs ahead of the device where it can.
*Synchronised* waits for the device after each. On a CPU both are the same, and are measured once.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch

from benchmarks.record import Bar
from benchmarks.timing import HOPELESS, Effort, Run, Timing, explain, synchronize

MOST = 200  # calls between two readings of the clock


@dataclass(frozen=True)
class Contender:
    """What is run. `stock` makes ready, outside the clock, what so many runs take each anew: a batch's lengths."""

    run: Run
    stock: Callable[[int], None] | None = None
    calls: int = 1  # in one run; times are per call


class Times(NamedTuple):
    queued: Timing
    synchronised: Timing

    def on(self, clock: str) -> Timing:
        return self.synchronised if clock == "synchronised" else self.queued


@dataclass(frozen=True)
class Near(Bar):
    """A ratio to the peer, or a number of seconds behind it: for calls so short that no ratio is fair."""

    peer: float  # its seconds
    slack: float  # seconds

    def met(self, value: float) -> bool:
        return super().met(value) or self.peer / value - self.peer <= self.slack

    def __str__(self) -> str:
        return f"{1e6 * self.slack:g} µs behind or {super().__str__()}"


def clocks(device: torch.device) -> tuple[str, ...]:
    return ("queued", "synchronised") if device.type == "cuda" else ("wall",)


def take_turns(contenders: dict[str, Contender], device: torch.device, effort: Effort) -> dict[str, Times | str]:
    """The times of each contender per call, one sample a turn, or why there are none.

    All are warmed up first. One that is hopelessly slow takes two turns only.
    """
    results: dict[str, Times | str] = {}
    once: dict[str, float] = {}
    for name, contender in contenders.items():
        try:
            once[name] = warmed(contender, device)
        except Exception as error:  # one that fails does not hide the others
            results[name] = explain(error)
    fastest = min(once.values(), default=0.0)
    hopeful = [name for name in once if once[name] <= HOPELESS * fastest]
    repeats = {name: max(1, min(MOST, round(effort.slice / (once[name] * contenders[name].calls)))) for name in once}
    per_turn = sum([2 * repeats[name] * once[name] * contenders[name].calls for name in hopeful])
    count = min(effort.rounds[1], max(effort.rounds[0], int(effort.seconds / max(per_turn, 1e-9))))
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in once}
    for turn in range(count):
        names = list(once) if turn < 2 else hopeful
        first = turn % max(len(names), 1)
        for name in names[first:] + names[:first]:
            samples[name].append(_sample(contenders[name], device, repeats[name]))
    for name, found in samples.items():
        results[name] = Times(*[Timing(tuple(one)) for one in zip(*found, strict=True)])
    return {name: results[name] for name in contenders}


def warmed(contender: Contender, device: torch.device) -> float:
    """Seconds of a call that is not the first."""
    _stock(contender, 4)
    contender.run()
    synchronize(device)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        contender.run()
        synchronize(device)
        times.append(time.perf_counter() - start)
        if times[-1] > 1.0:
            break
    return min(times) / contender.calls


def queued(contender: Contender, device: torch.device, repeats: int) -> float:
    """Seconds per call of so many runs, waited for once."""
    _stock(contender, repeats)
    synchronize(device)
    start = time.perf_counter()
    for _ in range(repeats):
        contender.run()
    synchronize(device)
    return (time.perf_counter() - start) / repeats / contender.calls


def _sample(contender: Contender, device: torch.device, repeats: int) -> tuple[float, float]:
    one = queued(contender, device, repeats)
    if device.type != "cuda":
        return one, one
    repeats = max(1, repeats // 4)
    _stock(contender, repeats)
    synchronize(device)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        contender.run()
        synchronize(device)
        times.append(time.perf_counter() - start)
    return one, statistics.median(times) / contender.calls


def _stock(contender: Contender, runs: int) -> None:
    if contender.stock is not None:
        contender.stock(runs)
