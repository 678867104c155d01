"""Medians of interleaved rounds, on the device's own clock."""

import functools
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch

from regard.analysis.calibration.timing import Run, explain, synchronize, take_turns


@dataclass(frozen=True)
class Timing:
    """Seconds per call in each round, in the order of the rounds."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def spread(self) -> float:
        """Distance of the quartiles over the median; 0 for fewer than three rounds."""
        if len(self.samples) < 3:
            return 0.0
        first, _, third = statistics.quantiles(self.samples, n=4, method="inclusive")
        return (third - first) / self.median

    def over(self, other: "Timing") -> float:
        """Its time over the other's, round by round, so that a drift of the machine cancels; the median of that.

        >>> Timing((2.0, 4.0, 6.0)).over(Timing((1.0, 2.0, 3.0)))
        2.0
        """
        return statistics.median(a / b for a, b in zip(self.samples, other.samples, strict=False))


def over(one: object, other: object) -> float | None:
    """The one's time over the other's, where both were measured."""
    return one.over(other) if isinstance(one, Timing) and isinstance(other, Timing) else None


Result = Timing | str  # a time, or why there is none
HOPELESS = (
    8.0  # times the fastest, well beyond every bar: such a contender runs in two rounds only, the others get its time
)


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How long to measure: at most `seconds` per comparison, but `rounds[0]` rounds, and `rounds[1]` are enough."""

    seconds: float
    rounds: tuple[int, int]
    slice: float  # seconds of work between two readings of the clock


def interleave(runs: dict[str, list[Run]], device: torch.device, effort: Effort) -> dict[str, Result]:
    """Time all contenders in rounds A, B, C, then B, C, A …; each rotates among its runs, one per input set.

    A contender that raises is reported with its error and takes no further part.
    """
    slices: dict[str, Slice] = {}
    errors: dict[str, str] = {}
    for name, sets in runs.items():
        try:
            slices[name] = _sized(sets, device, effort)
        except Exception as error:  # a peer's failure is a result, not the end of the run
            errors[name] = explain(error)
    fastest = min((piece.once for piece in slices.values()), default=0.0)
    hopeful = [name for name, piece in slices.items() if piece.once <= HOPELESS * fastest]
    fewest, most = effort.rounds
    count = min(most, max(fewest, int(effort.seconds / max(sum(slices[name].seconds for name in hopeful), 1e-9))))
    reads = {name: piece.read for name, piece in slices.items()}
    samples, failed = take_turns(reads, count, slow=slices.keys() - hopeful)
    errors |= failed
    return {name: errors[name] if name in errors else Timing(tuple(samples[name])) for name in runs}


class Slice(NamedTuple):
    """A piece of work between two readings of the clock."""

    read: Callable[[], float]  # seconds per call
    once: float  # a first estimate of them
    seconds: float  # what the whole piece takes


def _sized(sets: list[Run], device: torch.device, effort: Effort) -> Slice:
    """As many calls as fill a slice, warmed up."""
    # Every input set once: lazy initialisation, compilation and the allocator's first growth stay out of the numbers.
    for run in sets:
        run()
    synchronize(device)
    start = time.perf_counter()
    sets[0]()
    enqueued = time.perf_counter() - start
    synchronize(device)
    once = time.perf_counter() - start
    repeats = max(1, min(64, round(effort.slice / once)))
    if device.type != "cuda":
        return Slice(lambda: _cpu_slice(sets, repeats), once, repeats * once)
    return Slice(lambda: _cuda_slice(sets, repeats, enqueued * repeats), once, repeats * (once + enqueued))


def _cpu_slice(sets: list[Run], repeats: int) -> float:
    start = time.perf_counter()
    for n in range(repeats):
        sets[n % len(sets)]()
    return (time.perf_counter() - start) / repeats


def _cuda_slice(sets: list[Run], repeats: int, host: float) -> float:
    """Seconds on the device alone: it sleeps until the host has enqueued the slice, so launches cost nothing."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(int(min(1.5 * host + 1e-4, 0.05) * _cycles_per_second()))
    begin.record()
    for n in range(repeats):
        sets[n % len(sets)]()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3 / repeats


@functools.cache
def _cycles_per_second() -> float:
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(1_000_000)
    begin.record()
    torch.cuda._sleep(20_000_000)
    end.record()
    end.synchronize()
    return 20_000_000 / (begin.elapsed_time(end) / 1e3)
