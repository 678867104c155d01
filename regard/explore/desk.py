"""What a server or a notebook has at hand: the shelf, and what was loaded or computed and may be asked for again."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from regard.explore.shelf import Shelf

MOST = 1280 * 2**20  # bytes that are kept in all: a model of GPT-2's size, and maps of two texts of 1,024 tokens


@dataclass
class _Making:
    """A value that is being made, and how many wait for it: the next of them makes it where the first one fails."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    wanted_by: int = 0


class Kept:
    """Values by their keys, the latest used ones, of so many bytes in all; what several ask for is made once.

    >>> kept = Kept(most=10)
    >>> kept.get("a", lambda: ("A", 6)), kept.get("b", lambda: ("B", 6)), kept.get("a", lambda: ("again", 6))
    ('A', 'B', 'again')
    """

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._making: dict[Hashable, _Making] = {}

    def get(self, key: Hashable, make: Callable[[], tuple[Any, int]]) -> Any:
        """The value of a key, from `make`, which gives its bytes too, where it is not there."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
            own = self._making.setdefault(key, _Making())
            own.wanted_by += 1
        try:
            with own.lock:
                with self._lock:
                    if key in self._values:
                        return self._values[key][0]
                value, size = make()
                with self._lock:
                    self._values[key] = (value, size)
                    while self.size > self.most and len(self._values) > 1:
                        self._values.popitem(last=False)
                return value
        finally:
            with self._lock:
                own.wanted_by -= 1
                if not own.wanted_by:
                    del self._making[key]

    @property
    def size(self) -> int:
        return sum(size for _, size in self._values.values())

    def clear(self) -> None:
        with self._lock:
            self._values.clear()


@dataclass(frozen=True)
class Desk:
    """The shelf, and what is kept."""

    shelf: Shelf = field(default_factory=Shelf)
    kept: Kept = field(default_factory=Kept)
