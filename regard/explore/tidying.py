"""Give memory back to the system while nobody asks."""

import ctypes
import gc
import threading
from collections.abc import Callable

ARENA_MAX = -8  # a number of glibc's malloc.h
PAUSE = 3.0  # seconds without a question after which there is time to tidy up


def share() -> None:
    """Have all threads allocate from one place, for of their own places glibc returns the ends never."""
    choose = getattr(ctypes.CDLL(None), "mallopt", None)
    if choose is not None:
        choose(ARENA_MAX, 1)


def tidy() -> None:
    """Free what is in cycles, and return freed memory, which the C library else keeps for itself."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc alone
    if trim is not None:
        trim(0)


def tidying(asked: Callable[[], int], stopped: Callable[[], bool]) -> None:
    """Tidy up once after every spell of questions, `asked()` of which have come so far."""
    seen = tidied = asked()
    while not stopped():
        threading.Event().wait(PAUSE)
        if asked() == seen != tidied:
            tidy()
            tidied = seen
        seen = asked()
