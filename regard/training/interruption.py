"""Ctrl-C, and the SIGTERM of a scheduler, between two steps: a training saves what it has, and then ends."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interruption:
    """The first signal to end that came while a training was in a step; None until then."""

    number: int | None = None

    def end(self) -> None:
        """Do what the signal would have done without this, once: a handler of somebody's own may let all go on."""
        if self.number is not None:
            number, self.number = self.number, None
            signal.raise_signal(number)


@contextmanager
def hold_signals(is_held: bool = True) -> Iterator[Interruption]:
    """Note the first SIGINT or SIGTERM instead of ending; a second one ends at once, wherever the program is.

    Signals that are ignored stay so, and a thread that is not the main one, which gets none, holds none.

    >>> with hold_signals() as interruption:
    ...     signal.raise_signal(signal.SIGINT)
    ...     interruption.number == signal.SIGINT
    True
    """
    interruption, before = Interruption(), {}

    def note(number: int, frame: FrameType | None) -> None:
        interruption.number = number
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)
        before.clear()

    if is_held and threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, note)
    try:
        yield interruption
    finally:
        restore()
