"""Masks of tokens in a line that depend on offsets alone: causal, windows, strides."""

from dataclasses import dataclass
from typing import Any

import torch

from regard.attention.masks.mask import BlockMap, Bound, Mask, Span
from regard.attention.positions.positions import Places
from regard.attention.scores.term import Shape

FARTHEST = 1 << 62  # offsets are 64-bit integers


def check_whole(name: str, number: int, least: int) -> None:
    """Raise unless this is a whole number from `least` that 64-bit offsets can hold."""
    if not isinstance(number, int) or isinstance(number, bool) or not least <= number < FARTHEST:
        raise ValueError(
            f"{name} must be a whole number from {least} to below 2^62: got {name}={number!r}; use {least} or more"
        )


class OffsetMask(Mask):
    """A mask that depends on the offset δ = key − query alone; subclasses say so for one δ and for a range."""

    def holds(self, delta: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define holds(delta)")

    def holds_somewhere(self, low: Any, high: Any) -> Any:
        """May hold for an offset in [low, high]; True when unsure."""
        raise NotImplementedError(f"{type(self).__name__} must define holds_somewhere(low, high)")

    def holds_everywhere(self, low: Any, high: Any) -> Any:
        """Surely holds for every offset in [low, high]; False when unsure."""
        raise NotImplementedError(f"{type(self).__name__} must define holds_everywhere(low, high)")

    def check(self, shape: Shape, places: Places) -> None:
        places.line(self)

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        return self.holds(places.offset(b, i, j, self))

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        low, high = places.block_offsets(size, self, device)
        return BlockMap(self.holds_somewhere(low, high), self.holds_everywhere(low, high))

    def between(self, queries: Span, keys: Span) -> BlockMap:
        """What is known of the pairs of runs, each given by its first and its last position."""
        low, high = keys[0] - queries[1], keys[1] - queries[0]
        return BlockMap(self.holds_somewhere(low, high), self.holds_everywhere(low, high))

    def is_full(self, places: Places) -> bool:
        return places.is_static and bool(self.holds_everywhere(*places.offset_range(self)))

    def varies(self, places: Places) -> tuple[bool, bool]:
        return not places.is_static, False

    @property
    def is_relative(self) -> bool:
        return True


@dataclass(frozen=True, eq=False)
class Causal(OffsetMask):
    """Keys at or before the query: `δ ≤ 0`. Without positions the last query stands at the last key."""

    def holds(self, delta: Any) -> Any:
        return delta <= 0

    def holds_somewhere(self, low: Any, high: Any) -> Any:
        return low <= 0

    def holds_everywhere(self, low: Any, high: Any) -> Any:
        return high <= 0

    def bounds(self, axis: int) -> tuple[Bound, Bound]:
        return None, 0


@dataclass(frozen=True, eq=False)
class Window(OffsetMask):
    """Exactly `before` keys before the query, `after` keys after it, and the query's own place."""

    before: int
    after: int = 0

    def __post_init__(self) -> None:
        check_whole("before", self.before, 0)
        check_whole("after", self.after, 0)

    def holds(self, delta: Any) -> Any:
        return (delta >= -self.before) & (delta <= self.after)

    def holds_somewhere(self, low: Any, high: Any) -> Any:
        return (high >= -self.before) & (low <= self.after)

    def holds_everywhere(self, low: Any, high: Any) -> Any:
        return (low >= -self.before) & (high <= self.after)

    def bounds(self, axis: int) -> tuple[Bound, Bound]:
        return -self.before, self.after


@dataclass(frozen=True, eq=False)
class Strided(OffsetMask):
    """Every `stride`-th key counted from the query: `δ ≡ 0 (mod stride)`."""

    stride: int

    def __post_init__(self) -> None:
        check_whole("stride", self.stride, 1)

    def holds(self, delta: Any) -> Any:
        return delta % self.stride == 0

    def holds_somewhere(self, low: Any, high: Any) -> Any:
        return high // self.stride * self.stride >= low  # the last multiple at or below high

    def holds_everywhere(self, low: Any, high: Any) -> Any:
        return ((low == high) | (self.stride == 1)) & (low % self.stride == 0)

    def cell(self, axis: int, position: Any) -> Any:
        return position % self.stride
