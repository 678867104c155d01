"""One thread for what is small or timed: several would wait for each other longer than they work."""

from collections.abc import Iterator
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
