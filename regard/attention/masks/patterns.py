"""Sparse patterns of tokens in a line: blocks, dilated windows, tokens that see and are seen by all."""

from dataclasses import dataclass
from typing import Any

import torch

from regard.attention.masks.mask import BlockMap, Bound, Mask, Span
from regard.attention.masks.offsets import OffsetMask, Strided, Window, check_whole
from regard.attention.positions.positions import Places, block_ends
from regard.attention.scores.term import Shape


@dataclass(frozen=True, eq=False)
class Blocks(Mask):
    """Keys in the query's own block of `size` tokens: `⌊(i + shift)/size⌋ = ⌊(j + shift)/size⌋` for positions i, j.

    >>> [Blocks(4, shift=1).cell(0, position) for position in range(8)]
    [0, 0, 0, 1, 1, 1, 1, 2]
    """

    size: int
    shift: int = 0

    def __post_init__(self) -> None:
        check_whole("size", self.size, 1)
        check_whole("shift", self.shift, 0)

    def check(self, shape: Shape, places: Places) -> None:
        places.line(self)

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        queries, keys = places.line(self)
        return self._block(queries.at(b, i)) == self._block(keys.at(b, j))

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        return self.between(*_runs(places, self, size, device))

    def between(self, queries: Span, keys: Span) -> BlockMap:
        """What is known of the pairs of runs, each given by its first and its last position."""
        (low_q, high_q), (low_k, high_k) = ([self._block(end) for end in side] for side in (queries, keys))
        return BlockMap((low_q <= high_k) & (low_k <= high_q), (low_q == high_k) & (low_k == high_q))

    def is_full(self, places: Places) -> bool:
        if not places.is_static:
            return False
        ends = [self._block(side.at(0, i)) for side in places.line(self) for i in (0, side.n - 1)]
        return min(ends) == max(ends)

    def varies(self, places: Places) -> tuple[bool, bool]:
        return not places.is_static, False

    def bounds(self, axis: int) -> tuple[Bound, Bound]:
        return 1 - self.size, self.size - 1

    @property
    def by_position(self) -> bool:
        return True

    def cell(self, axis: int, position: Any) -> Any:
        return self._block(position)

    def _block(self, position: Any) -> Any:
        return (position + self.shift) // self.size


@dataclass(frozen=True, eq=False)
class Dilated(OffsetMask):
    """A window with gaps: exactly `before` keys before the query and `after` after it, `step` apart, and itself.

    >>> Dilated(2, before=3).conjuncts
    (Window(before=6, after=0), Strided(stride=2))
    """

    step: int
    before: int
    after: int = 0

    def __post_init__(self) -> None:
        check_whole("step", self.step, 1)
        check_whole("before", self.before, 0)
        check_whole("after", self.after, 0)
        check_whole("step · before", self.step * self.before, 0)
        check_whole("step · after", self.step * self.after, 0)

    @property
    def window(self) -> Window:
        return Window(self.step * self.before, self.step * self.after)

    @property
    def conjuncts(self) -> tuple[Mask, ...]:
        return self.window, Strided(self.step)

    def holds(self, delta: Any) -> Any:
        return (delta >= -self.step * self.before) & (delta <= self.step * self.after) & (delta % self.step == 0)

    def holds_somewhere(self, low: Any, high: Any) -> Any:
        # Both ends of the window are multiples: offsets that meet it and hold a multiple hold one inside.
        return self.window.holds_somewhere(low, high) & Strided(self.step).holds_somewhere(low, high)

    def holds_everywhere(self, low: Any, high: Any) -> Any:
        return self.window.holds_everywhere(low, high) & Strided(self.step).holds_everywhere(low, high)

    def bounds(self, axis: int) -> tuple[Bound, Bound]:
        return self.window.bounds(axis)


@dataclass(frozen=True, eq=False)
class GlobalTokens(Mask):
    """Tokens before position `count` see every key, and every query sees them.

    Beside a window they carry what is far away: `Window(w, w) | GlobalTokens(n)`. Positions count from 0, so that the
    later pieces of a sequence see the same ones.

    Beltagy et al., *Longformer*, 2020; Zaheer et al., *Big Bird*, NeurIPS 2020.
    """

    count: int

    def __post_init__(self) -> None:
        check_whole("count", self.count, 1)

    def check(self, shape: Shape, places: Places) -> None:
        places.line(self)

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        queries, keys = places.line(self)
        return (queries.at(b, i) < self.count) | (keys.at(b, j) < self.count)

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        (first_q, last_q), (first_k, last_k) = _runs(places, self, size, device)
        return BlockMap((first_q < self.count) | (first_k < self.count), (last_q < self.count) | (last_k < self.count))

    def is_full(self, places: Places) -> bool:
        return places.is_static and any([side.at(0, side.n - 1) < self.count for side in places.line(self)])

    @property
    def by_position(self) -> bool:
        return True

    def varies(self, places: Places) -> tuple[bool, bool]:
        return not places.is_static, False


def _runs(places: Places, who: object, size: int, device: torch.device) -> tuple[Span, Span]:
    """First and last position of each run of queries and of keys, broadcastable to (B, 1, T/size, S/size)."""
    queries, keys = places.line(who)
    first_q, last_q = (end[:, None, :, None] for end in block_ends(queries, size, device))
    first_k, last_k = (end[:, None, None, :] for end in block_ends(keys, size, device))
    return (first_q, last_q), (first_k, last_k)
