"""One thread for what is small or timed: several would wait for each other longer than they work."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch computes with one thread inside, and with as many as before outside.

    >>> before = torch.get_num_threads()
    >>> with one_thread():
    ...     print(torch.get_num_threads())
    1
    >>> torch.get_num_threads() == before
    True
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def processor_seconds(call: Callable[[], object], tries: int = 12) -> float:
    """The least processor time of a few calls, after one that warms up: what else the machine does is not in it."""
    call()
    times = []
    for _ in range(tries):
        start = time.thread_time()
        call()
        times.append(time.thread_time() - start)
    return min(times)
