"""Who may attend to whom: predicates over (row, head, query, key), True = may attend, composed with & | ~.

A mask answers twice. `allows` decides single pairs and is the definition. `blocks` decides whole blocks of pairs
without looking at the pairs, so that a block-sparse algorithm never builds the dense map: a block is *some* when it
may hold an allowed pair and *every* when all its pairs surely are. Both err on the safe side, and compose.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool
from torch import Tensor

from regard.attention.positions import Places
from regard.attention.scores import Shape, check_map, read_map, slab_map
from regard.attention.value import Value, show

FARTHEST = 1 << 62  # offsets are 64-bit integers


class BlockMap(NamedTuple):
    """Two maps over blocks of pairs, broadcastable to (B, H, T/size, S/size)."""

    some: Bool[Tensor, "..."]
    every: Bool[Tensor, "..."]


class Mask(Value):
    """A predicate over pairs of a query and a key."""

    def __and__(self, other: "Mask") -> "Mask":
        _check_mask("&", other)
        return self if isinstance(other, Everything) else And(self, other)

    def __or__(self, other: "Mask") -> "Mask":
        _check_mask("|", other)
        return Or(self, other)

    def __invert__(self) -> "Mask":
        return Not(self)

    def check(self, shape: Shape, places: Places) -> None:
        """Raise unless this mask fits tensors of these sizes."""

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        """May query i attend to key j in row b, head h? Indices are numbers or tensors that broadcast."""
        raise NotImplementedError(f"{type(self).__name__} must define allows(b, h, i, j, places)")

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        """The predicate on rows b, heads h, queries i and keys j (index vectors): broadcastable to (b, h, i, j)."""
        return self.allows(b[:, None, None, None], h[:, None, None], i[:, None], j, places)

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        """What is known of each block; nothing, unless a subclass knows more."""
        shape = (1, 1, -(-places.queries.count // size), -(-places.keys.count // size))
        ones = torch.ones(shape, dtype=torch.bool, device=device)
        return BlockMap(ones, ~ones)

    def is_full(self, places: Places) -> bool:
        """True when the mask provably hides nothing, known from sizes alone."""
        return False

    def varies(self, places: Places) -> tuple[bool, bool]:
        """Whether it may differ between rows of the batch, and between heads."""
        return False, False

    def along(self, axis: int) -> "Mask | None":
        """The mask along one axis of a grid, where this is a mask of rows times one of columns; else None."""
        return None

    @property
    def conjuncts(self) -> tuple["Mask", ...]:
        """The masks whose intersection this is."""
        return (self,)


class Pair(Mask):
    """Two masks joined by one operation, which serves pairs and blocks alike."""

    left: Mask
    right: Mask

    def join(self, left: Any, right: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define join(left, right)")

    def check(self, shape: Shape, places: Places) -> None:
        self.left.check(shape, places)
        self.right.check(shape, places)

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        return self.join(self.left.allows(b, h, i, j, places), self.right.allows(b, h, i, j, places))

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        return self.join(self.left.slab(b, h, i, j, places), self.right.slab(b, h, i, j, places))

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        left, right = self.left.blocks(places, size, device), self.right.blocks(places, size, device)
        return BlockMap(self.join(left.some, right.some), self.join(left.every, right.every))

    def varies(self, places: Places) -> tuple[bool, bool]:
        left, right = self.left.varies(places), self.right.varies(places)
        return left[0] or right[0], left[1] or right[1]


@dataclass(frozen=True, eq=False)
class And(Pair):
    """Pairs that both masks allow."""

    left: Mask
    right: Mask

    def join(self, left: Any, right: Any) -> Any:
        return left & right

    def is_full(self, places: Places) -> bool:
        return self.left.is_full(places) and self.right.is_full(places)

    @property
    def conjuncts(self) -> tuple[Mask, ...]:
        return self.left.conjuncts + self.right.conjuncts

    def __repr__(self) -> str:
        return f"{self.left!r} & {self.right!r}"


@dataclass(frozen=True, eq=False)
class Or(Pair):
    """Pairs that at least one mask allows."""

    left: Mask
    right: Mask

    def join(self, left: Any, right: Any) -> Any:
        return left | right

    def is_full(self, places: Places) -> bool:
        return self.left.is_full(places) or self.right.is_full(places)

    def __repr__(self) -> str:
        return f"({self.left!r} | {self.right!r})"


@dataclass(frozen=True, eq=False)
class Not(Mask):
    """Pairs that the mask forbids."""

    mask: Mask

    def check(self, shape: Shape, places: Places) -> None:
        self.mask.check(shape, places)

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        return ~self.mask.allows(b, h, i, j, places)

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        return ~self.mask.slab(b, h, i, j, places)

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        inner = self.mask.blocks(places, size, device)
        return BlockMap(~inner.every, ~inner.some)

    def varies(self, places: Places) -> tuple[bool, bool]:
        return self.mask.varies(places)

    def __repr__(self) -> str:
        return f"~({self.mask!r})" if isinstance(self.mask, And) else f"~{self.mask!r}"


@dataclass(frozen=True, eq=False)
class Everything(Mask):
    """Every query may attend to every key."""

    def __and__(self, other: Mask) -> Mask:
        _check_mask("&", other)
        return other

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        return (i == i) & (j == j)  # True in the shape of the pair, also inside a traced kernel

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        some = super().blocks(places, size, device).some
        return BlockMap(some, some)

    def is_full(self, places: Places) -> bool:
        return True

    @property
    def conjuncts(self) -> tuple[Mask, ...]:
        return ()


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

    def is_full(self, places: Places) -> bool:
        return places.is_static and bool(self.holds_everywhere(*places.offset_range(self)))

    def varies(self, places: Places) -> tuple[bool, bool]:
        return not places.is_static, False


def _check_mask(sign: str, other: object) -> None:
    if not isinstance(other, Mask):
        raise ValueError(f"{sign} joins two masks: got {type(other).__name__}; a boolean tensor is Dense(tensor)")


def check_whole(name: str, number: int, least: int) -> None:
    """Raise unless this is a whole number from `least` that 64-bit offsets can hold."""
    if not isinstance(number, int) or not least <= number < FARTHEST:
        raise ValueError(
            f"{name} must be a whole number from {least} to below 2^62: got {name}={number!r}; use {least} or more"
        )


@dataclass(frozen=True, eq=False)
class Causal(OffsetMask):
    """Keys at or before the query: `δ ≤ 0`. Without positions the last query stands at the last key."""

    def holds(self, delta: Any) -> Any:
        return delta <= 0

    def holds_somewhere(self, low: Any, high: Any) -> Any:
        return low <= 0

    def holds_everywhere(self, low: Any, high: Any) -> Any:
        return high <= 0


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


@dataclass(frozen=True, eq=False)
class Dense(Mask):
    """A boolean map given as a tensor, (T,S), (H,T,S) or (B,H,T,S), True = may attend; H and B may be 1."""

    tensor: Bool[Tensor, "..."]

    def __post_init__(self) -> None:
        if self.tensor.dtype != torch.bool:
            raise ValueError(
                f"Dense must be boolean, True = may attend: got {self.tensor.dtype}; use tensor.bool(), or Bias to add"
            )

    def check(self, shape: Shape, places: Places) -> None:
        check_map("Dense", self.tensor, shape)

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        return read_map(self.tensor, b, h, i, j)

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        return slab_map(self.tensor, b, h, i, j)

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        maps = self.tensor.to(device)[(None,) * (4 - self.tensor.ndim)]
        B, H, T, S = maps.shape
        rows, columns = -(-T // size), -(-S // size)

        def any_of(allowed: Tensor) -> Tensor:
            padded = torch.nn.functional.pad(allowed, (0, columns * size - S, 0, rows * size - T))
            return padded.view(B, H, rows, size, columns, size).any(5).any(3)

        return BlockMap(any_of(maps), ~any_of(~maps))

    def varies(self, places: Places) -> tuple[bool, bool]:
        sizes = (1, 1, *self.tensor.shape)[-4:]
        return sizes[0] > 1, sizes[1] > 1

    def __repr__(self) -> str:
        return f"Dense({show(self.tensor)})"
