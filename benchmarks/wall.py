"""Wall time of a call, host and device together, as a program meets it; contenders take turns.

*Queued* is many calls with one synchronisation at the end: the host runs ahead of the device where it can.
*Synchronised* waits for the device after each. On a CPU both are the same, and are measured once.
"""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch

from benchmarks.record import Bar
from benchmarks.timing import HOPELESS, Effort, Timing
from regard.analysis.calibration import timing
from regard.analysis.calibration.timing import Run, explain, time_calls

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
    reads = {name: partial(_sample, contenders[name], device, repeats[name]) for name in once}
    samples, failed = timing.take_turns(reads, count, slow=once.keys() - hopeful)
    for name, found in samples.items():
        results[name] = failed.get(name) or Times(*[Timing(tuple(one)) for one in zip(*found, strict=True)])
    return {name: results[name] for name in contenders}


def warmed(contender: Contender, device: torch.device) -> float:
    """Seconds of a call that is not the first."""
    _stock(contender, 4)
    contender.run()
    times = [time_calls(contender.run, device)]
    while len(times) < 3 and times[-1] <= 1.0:
        times.append(time_calls(contender.run, device))
    return min(times) / contender.calls


def _sample(contender: Contender, device: torch.device, repeats: int) -> tuple[float, float]:
    """Seconds per call of so many runs waited for once, and of fewer waited for one by one."""
    _stock(contender, repeats)
    one = time_calls(contender.run, device, repeats) / contender.calls
    if device.type != "cuda":
        return one, one
    repeats = max(1, repeats // 4)
    _stock(contender, repeats)
    return one, statistics.median([time_calls(contender.run, device) for _ in range(repeats)]) / contender.calls


def _stock(contender: Contender, runs: int) -> None:
    if contender.stock is not None:
        contender.stock(runs)
