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

from regard.attention.positions.positions import Places
from regard.attention.scores.term import Shape, check_map, read_map, slab_map
from regard.attention.value import Value, show

Bound = int | None
Span = tuple[Tensor, Tensor]  # the first and the last position of runs of tokens

KNOWN = ("bounds", "cell", "along", "conjuncts", "disjuncts")
DECIDES = {"allows": (*KNOWN, "is_relative", "by_position"), "holds": KNOWN}


class BlockMap(NamedTuple):
    """Two maps over blocks of pairs, broadcastable to (B, H, T/size, S/size)."""

    some: Bool[Tensor, "..."]
    every: Bool[Tensor, "..."]


class Mask(Value):
    """A predicate over pairs of a query and a key."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        # A subclass that decides otherwise than its parent may mean something else: forget what the parent knew.
        decided = [name for name in DECIDES if name in cls.__dict__]
        for name in [name for way in decided for name in DECIDES[way]]:
            if name not in cls.__dict__:
                setattr(cls, name, Mask.__dict__[name])

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

    def bounds(self, axis: int) -> tuple[Bound, Bound]:
        """The smallest and the largest offset along an axis that it may allow; None: no bound."""
        return None, None

    def cell(self, axis: int, position: Any) -> Any:
        """The number of the cell in which a position stands along an axis, where the mask is *being in the same cell*
        along every axis; None where it is not.
        """
        return None

    @property
    def is_relative(self) -> bool:
        """Whether offsets alone decide, so that tokens may be moved together."""
        return False

    @property
    def conjuncts(self) -> tuple["Mask", ...]:
        """The masks whose intersection this is."""
        return (self,)

    @property
    def disjuncts(self) -> tuple["Mask", ...]:
        """The masks whose union this is."""
        return (self,)

    @property
    def by_position(self) -> bool:
        """Whether positions alone decide, no index and no tensor over pairs: then a piece is masked as the whole is."""
        return self.is_relative


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

    @property
    def is_relative(self) -> bool:
        return self.left.is_relative and self.right.is_relative

    @property
    def by_position(self) -> bool:
        return self.left.by_position and self.right.by_position


@dataclass(frozen=True, eq=False)
class And(Pair):
    """Pairs that both masks allow."""

    left: Mask
    right: Mask

    def join(self, left: Any, right: Any) -> Any:
        return left & right

    def is_full(self, places: Places) -> bool:
        return self.left.is_full(places) and self.right.is_full(places)

    def bounds(self, axis: int) -> tuple[Bound, Bound]:
        lows, highs = zip(self.left.bounds(axis), self.right.bounds(axis), strict=True)
        return (
            max([low for low in lows if low is not None], default=None),
            min([high for high in highs if high is not None], default=None),
        )

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

    @property
    def disjuncts(self) -> tuple[Mask, ...]:
        return self.left.disjuncts + self.right.disjuncts

    def bounds(self, axis: int) -> tuple[Bound, Bound]:
        (low, high), (other_low, other_high) = self.left.bounds(axis), self.right.bounds(axis)
        return (
            None if low is None or other_low is None else min(low, other_low),
            None if high is None or other_high is None else max(high, other_high),
        )

    def __repr__(self) -> str:
        return f"({self.left!r} | {self.right!r})"


@dataclass(frozen=True, eq=False)
class Not(Mask):
    """Pairs that the mask forbids."""

    mask: Mask

    def check(self, shape: Shape, places: Places) -> None:
        self.mask.check(shape, places)

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        allowed = self.mask.allows(b, h, i, j, places)
        return not allowed if isinstance(allowed, bool) else ~allowed  # ~True is -2

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        return ~self.mask.slab(b, h, i, j, places)

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        inner = self.mask.blocks(places, size, device)
        return BlockMap(~inner.every, ~inner.some)

    def varies(self, places: Places) -> tuple[bool, bool]:
        return self.mask.varies(places)

    @property
    def is_relative(self) -> bool:
        return self.mask.is_relative

    @property
    def by_position(self) -> bool:
        return self.mask.by_position

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

    @property
    def is_relative(self) -> bool:
        return True


def _check_mask(sign: str, other: object) -> None:
    if not isinstance(other, Mask):
        raise ValueError(f"{sign} joins two masks: got {type(other).__name__}; a boolean tensor is Dense(tensor)")


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
