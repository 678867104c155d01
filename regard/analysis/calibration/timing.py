"""The clock: seconds per call, on the device and of its host, and contenders that take turns."""

import time
from collections.abc import Callable, Collection
from typing import TypeVar

import torch

Run = Callable[[], object]
Sample = TypeVar("Sample")


def take_turns(
    reads: dict[str, Callable[[], Sample]], turns: int, slow: Collection[str] = ()
) -> tuple[dict[str, list[Sample]], dict[str, str]]:
    """What each reads in rounds A, B, C, then B, C, A …, of which slow ones take part in two; and why some failed.

    >>> import itertools
    >>> count = itertools.count()
    >>> take_turns({name: lambda: next(count) for name in "abc"}, 3, slow="c")
    ({'a': [0, 5, 6], 'b': [1, 3, 7], 'c': [2, 4]}, {})
    """
    samples: dict[str, list[Sample]] = {name: [] for name in reads}
    errors: dict[str, str] = {}
    for turn in range(turns):
        names = [name for name in reads if turn < 2 or name not in slow]
        first = turn % max(len(names), 1)
        for name in names[first:] + names[:first]:
            if name not in errors:
                try:
                    samples[name].append(reads[name]())
                except Exception as error:  # a failure is a result, not the end of the run
                    errors[name] = explain(error)
    return samples, errors


def time_calls(run: Run, device: torch.device, repeats: int = 1) -> float:
    """Seconds per call of so many calls, waited for once."""
    synchronize(device)
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    synchronize(device)
    return (time.perf_counter() - start) / repeats


def host_seconds(run: Run, device: torch.device, calls: int) -> float:
    """Seconds per call on the host; on a GPU without waiting for the device, whose queue holds this many calls."""
    synchronize(device)
    start = time.perf_counter()
    for _ in range(calls):
        run()
    seconds = (time.perf_counter() - start) / calls
    synchronize(device)
    return seconds


def synchronize(device: torch.device) -> None:
    """Wait for what the device has been given."""
    if device.type != "cpu":
        torch.accelerator.synchronize(device)


def explain(error: Exception) -> str:
    """The first line of an error, for a table."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"error: {type(error).__name__}: {lines[0][:160] if lines else ''}"
