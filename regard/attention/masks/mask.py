"""Who may attend to whom: predicates over (row, head, query, key), True = may attend, composed with & | ~.

`allows` decides single pairs and is the definition. All else that a class says of itself makes it faster, and holds for
that class alone: a subclass starts from "nothing is known". `facts` says what is known from sizes. `blocks` decides
whole blocks of pairs without looking at the pairs, so that a block-sparse algorithm never builds the dense map: a block
is *some* when it may hold an allowed pair and *every* when all its pairs surely are. Both err on the safe side.
"""

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from regard.attention.masks.facts import FREE, UNKNOWN, BlockMap, Facts, Index, Span, both, either, within
from regard.attention.positions.positions import Cut, Grid, Places, Sequence, block_edges, block_ends
from regard.attention.positions.sizes import surely
from regard.attention.scores.term import Shape, check_answer, check_map, map_piece, read_map, slab_map
from regard.attention.value import Value, show
from regard.checks import check_tensor

STATEMENTS = ("facts", "blocks", "slab", "conjuncts", "disjuncts", "along", "documents", "num_real", "sides", "piece")


class Mask(Value):
    """A predicate over pairs of a query and a key.

    One's own is a frozen dataclass whose fields hold all it knows:

    >>> @dataclass(frozen=True, eq=False)
    ... class Thirds(Mask):
    ...     def allows(self, b, h, i, j, places):
    ...         return j % 3 == 0
    >>> index = torch.arange(1), torch.arange(1), torch.arange(2), torch.arange(4)
    >>> Thirds().slab(*index, Places(Sequence(2), Sequence(4)))[0, 0].int()
    tensor([[1, 0, 0, 1],
            [1, 0, 0, 1]], dtype=torch.int32)
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        for name in STATEMENTS:
            if name not in cls.__dict__:
                setattr(cls, name, Mask.__dict__[name])

    def __and__(self, other: "Mask") -> "Mask":
        _check_mask("&", other)
        return self if type(other) is Everything else And(self, other)

    def __or__(self, other: "Mask") -> "Mask":
        _check_mask("|", other)
        return Or(self, other)

    def __invert__(self) -> "Mask":
        return Not(self)

    def __bool__(self) -> bool:
        raise ValueError(
            f"`and`, `or` and `not` would take one mask and drop the other: got {self!r}; use &, | and ~, or is None"
        )

    def check(self, shape: Shape, places: Places) -> None:
        """Raise unless this mask fits tensors of these sizes."""

    @property
    def batch(self) -> int | None:
        """The number of rows that it is for, None when it fits any."""
        return None

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        """May query i attend to key j in row b, head h? Indices are numbers or tensors that broadcast."""
        raise NotImplementedError(f"{type(self).__name__} must define allows(b, h, i, j, places)")

    def facts(self, places: Places) -> Facts:
        """What is known from sizes alone."""
        return UNKNOWN

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Bool[Tensor, "#b #h i j"]:
        """The predicate on rows b, heads h, queries i and keys j, four index vectors."""
        allowed = self.allows(b[:, None, None, None], h[:, None, None], i[:, None], j, places)
        if isinstance(allowed, bool | np.bool_):
            allowed = torch.full((), bool(allowed), device=i.device)
        if not isinstance(allowed, Tensor) or allowed.dtype != torch.bool:
            got = allowed.dtype if isinstance(allowed, Tensor) else repr(allowed)
            raise ValueError(
                f"{self!r} must answer by booleans, True = may attend: got {got}; use return, and ==, < or >"
            )
        check_answer(self, allowed, (b, h, i, j))
        allowed = allowed[(None,) * (4 - allowed.ndim)]
        return allowed.expand(-1, -1, i.shape[0], j.shape[0])

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        """What is known of each block of `size` × `size` pairs, broadcastable to (B, H, T/size, S/size)."""
        facts = self.facts(places)
        for parts, join in ((self.conjuncts, torch.bitwise_and), (self.disjuncts, torch.bitwise_or)):
            if len(parts) > 1:
                found = [part.blocks(places, size, device) for part in parts]
                return BlockMap(*[functools.reduce(join, maps) for maps in zip(*found, strict=True)])
        if facts.real is not None and (self.batch is not None or not facts.rows):
            return _of_tokens(self, facts.real.queries, places, size, device)
        if facts.documents is not None:
            return _of_documents(self, places, size, device)
        if not facts.full and (facts.interval or facts.cells or any([ends != FREE for ends in facts.band])):
            some, every = _of_runs(facts, places, size, device)
            return BlockMap(some, every if facts.interval or facts.cells else torch.zeros_like(every))
        shape = (1, 1, -(-places.queries.count // size), -(-places.keys.count // size))
        ones = torch.ones(shape, dtype=torch.bool, device=device)
        return BlockMap(ones, ones if facts.full else ~ones)

    @property
    def conjuncts(self) -> tuple["Mask", ...]:
        """The masks whose intersection this is."""
        return (self,)

    @property
    def disjuncts(self) -> tuple["Mask", ...]:
        """The masks whose union this is."""
        return (self,)

    def along(self, axis: int) -> "Mask | None":
        """The mask along one axis of a grid, where this is a mask of rows times one of columns; else None."""
        return None

    def documents(self, places: Places, device: torch.device) -> Int[Tensor, "rows S"] | None:
        """The number of each token's document, which grows along a row of the batch, or one row for all; −1 at pads.

        Where its `facts` say that it is one of documents; else None.
        """
        return None

    def num_real(self, device: torch.device) -> Int[Tensor, " B"] | None:
        """How many tokens of each row are real, where its `facts` say that those come first; None to count them."""
        return None

    def sides(
        self, places: Places, device: torch.device
    ) -> tuple[Bool[Tensor, "rows heads T"], Bool[Tensor, "rows heads S"]] | None:
        """Which queries see a key, and which keys a query sees, where a class can tell without its pairs; else None."""
        return None

    def piece(self, cut: Cut) -> "Mask":
        """The mask of a piece of all pairs, at the places of the cut, whose tokens count from 0 there."""
        if self.facts(cut.whole).positional and cut.is_placed:
            return self
        return MaskPiece(self, cut.whole, cut.queries, cut.keys)

    def placed(self, places: Places, device: torch.device) -> "Mask":
        """The same mask at these places, with all tensors that `allows` reads made: a kernel can make none."""
        return self


class Pair(Mask):
    """Two masks joined by one operation."""

    left: Mask
    right: Mask

    def join(self, left: Any, right: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define join(left, right)")

    def check(self, shape: Shape, places: Places) -> None:
        _check_mask(type(self).__name__, self.left)
        _check_mask(type(self).__name__, self.right)
        self.left.check(shape, places)
        self.right.check(shape, places)

    @property
    def batch(self) -> int | None:
        return self.left.batch if self.left.batch not in (None, 1) else self.right.batch

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        return self.join(self.left.allows(b, h, i, j, places), self.right.allows(b, h, i, j, places))

    def placed(self, places: Places, device: torch.device) -> Mask:
        left, right = self.left.placed(places, device), self.right.placed(places, device)
        return self if left is self.left and right is self.right else type(self)(left, right)  # pyright: ignore[reportCallIssue]


@dataclass(frozen=True, eq=False)
class And(Pair):
    """Pairs that both masks allow."""

    left: Mask
    right: Mask

    def join(self, left: Any, right: Any) -> Any:
        return left & right

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        return self.left.slab(b, h, i, j, places) & self.right.slab(b, h, i, j, places)

    def facts(self, places: Places) -> Facts:
        left, right = self.left.facts(places), self.right.facts(places)
        return Facts(
            full=left.full and right.full,
            rows=left.rows or right.rows,
            heads=left.heads or right.heads,
            band=tuple([both(one, other) for one, other in zip(left.band, right.band, strict=True)]),
            interval=left.interval and right.interval,
            relative=left.relative and right.relative,
            positional=left.positional and right.positional,
        )

    @property
    def conjuncts(self) -> tuple[Mask, ...]:
        return self.left.conjuncts + self.right.conjuncts

    def piece(self, cut: Cut) -> Mask:
        return self.left.piece(cut) & self.right.piece(cut)

    def __repr__(self) -> str:
        return f"{self.left!r} & {self.right!r}"


@dataclass(frozen=True, eq=False)
class Or(Pair):
    """Pairs that at least one mask allows."""

    left: Mask
    right: Mask

    def join(self, left: Any, right: Any) -> Any:
        return left | right

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        return self.left.slab(b, h, i, j, places) | self.right.slab(b, h, i, j, places)

    def facts(self, places: Places) -> Facts:
        left, right = self.left.facts(places), self.right.facts(places)
        return Facts(
            full=left.full or right.full,
            rows=left.rows or right.rows,
            heads=left.heads or right.heads,
            band=tuple([either(one, other) for one, other in zip(left.band, right.band, strict=True)]),
            relative=left.relative and right.relative,
            positional=left.positional and right.positional,
        )

    @property
    def disjuncts(self) -> tuple[Mask, ...]:
        return self.left.disjuncts + self.right.disjuncts

    def piece(self, cut: Cut) -> Mask:
        return self.left.piece(cut) | self.right.piece(cut)

    def __repr__(self) -> str:
        return f"({self.left!r} | {self.right!r})"


@dataclass(frozen=True, eq=False)
class Not(Mask):
    """Pairs that the mask forbids."""

    mask: Mask

    def check(self, shape: Shape, places: Places) -> None:
        if not isinstance(self.mask, Mask):
            raise ValueError(f"Not inverts a mask: got {type(self.mask).__name__}; a boolean tensor is Dense(tensor)")
        self.mask.check(shape, places)

    @property
    def batch(self) -> int | None:
        return self.mask.batch

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        allowed = self.mask.allows(b, h, i, j, places)
        return not allowed if isinstance(allowed, bool) else ~allowed  # ~True is -2

    def placed(self, places: Places, device: torch.device) -> Mask:
        inner = self.mask.placed(places, device)
        return self if inner is self.mask else type(self)(inner)

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        return ~self.mask.slab(b, h, i, j, places)

    def facts(self, places: Places) -> Facts:
        inner = self.mask.facts(places)
        return Facts(rows=inner.rows, heads=inner.heads, relative=inner.relative, positional=inner.positional)

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        inner = self.mask.blocks(places, size, device)
        return BlockMap(~inner.every, ~inner.some)

    def piece(self, cut: Cut) -> Mask:
        return Not(self.mask.piece(cut))

    def __repr__(self) -> str:
        return f"~({self.mask!r})" if isinstance(self.mask, And) else f"~{self.mask!r}"


@dataclass(frozen=True, eq=False)
class Everything(Mask):
    """Every query may attend to every key."""

    KNOWN: ClassVar[Facts] = Facts(full=True, rows=False, heads=False, interval=True, relative=True, positional=True)

    def __and__(self, other: Mask) -> Mask:
        _check_mask("&", other)
        return other if type(self) is Everything else And(self, other)

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        return (i == i) & (j == j)  # True in the shape of the pair, also inside a traced kernel

    def facts(self, places: Places) -> Facts:
        return self.KNOWN

    @property
    def conjuncts(self) -> tuple[Mask, ...]:
        return ()

    def along(self, axis: int) -> Mask | None:
        return self


def _check_mask(sign: str, other: object) -> None:
    if not isinstance(other, Mask):
        raise ValueError(f"{sign} joins two masks: got {type(other).__name__}; a boolean tensor is Dense(tensor)")


@dataclass(frozen=True, eq=False)
class Dense(Mask):
    """A boolean map given as a tensor, (T,S), (H,T,S) or (B,H,T,S), True = may attend; H and B may be 1."""

    tensor: Bool[Tensor, "..."]

    def __post_init__(self) -> None:
        check_tensor("Dense", self.tensor, "a boolean tensor, True = may attend")
        if self.tensor.dtype != torch.bool:
            raise ValueError(
                f"Dense must be boolean, True = may attend: got {self.tensor.dtype}; use tensor.bool(), or Bias to add"
            )

    def check(self, shape: Shape, places: Places) -> None:
        check_map("Dense", self.tensor, shape)

    @property
    def batch(self) -> int | None:
        return self.tensor.shape[0] if self.tensor.ndim == 4 else None

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        return read_map(self.tensor, b, h, i, j)

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        return slab_map(self.tensor, b, h, i, j).expand(-1, -1, i.shape[0], j.shape[0])

    def facts(self, places: Places) -> Facts:
        B, H = (1, 1, *self.tensor.shape)[-4:-2]
        return Facts(rows=not surely(B == 1), heads=not surely(H == 1))

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        maps = self.tensor.to(device)[(None,) * (4 - self.tensor.ndim)]
        B, H, T, S = maps.shape
        rows, columns = -(-T // size), -(-S // size)

        def some_of(allowed: Tensor) -> Tensor:
            padded = torch.nn.functional.pad(allowed, (0, columns * size - S, 0, rows * size - T))
            return any_of(any_of(padded.view(B, H, rows, size, columns, size), 5), 3)

        return BlockMap(some_of(maps), ~some_of(~maps))

    def piece(self, cut: Cut) -> Mask:
        return Dense(map_piece(self.tensor, cut))

    def __repr__(self) -> str:
        return f"Dense({show(self.tensor)})"


@dataclass(frozen=True, eq=False)
class MaskPiece(Mask):
    """What a mask says of a piece of the pairs, asked where it stands in the whole: any mask has pieces."""

    inner: Mask
    around: Places
    queries: range
    keys: range

    @property
    def batch(self) -> int | None:
        return self.inner.batch

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        return self.inner.allows(b, h, i + self.queries.start, j + self.keys.start, self.around)

    def slab(self, b: Tensor, h: Tensor, i: Tensor, j: Tensor, places: Places) -> Tensor:
        return self.inner.slab(b, h, i + self.queries.start, j + self.keys.start, self.around)

    def facts(self, places: Places) -> Facts:
        """Offsets are what they are in the whole, where positions say them."""
        inner = self.inner.facts(self.around)
        is_placed = Cut(self.around, self.queries, self.keys).is_placed
        return Facts(
            full=inner.full, rows=inner.rows, heads=inner.heads, band=inner.band if is_placed else (FREE, FREE)
        )

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        """A block of the piece lies across up to four of the whole: it has no pair that none of them has."""
        counts = [-(-side.count // size) for side in (self.around.queries, self.around.keys)]
        some, every = (x.expand(*x.shape[:2], *counts) for x in self.inner.blocks(self.around, size, device))
        for dim, run in ((2, self.queries), (3, self.keys)):
            first, last = ((edge + run.start) // size for edge in block_edges(len(run), size, device))
            some = some.index_select(dim, first) | some.index_select(dim, last)
            every = every.index_select(dim, first) & every.index_select(dim, last)
        return BlockMap(some, every)

    def placed(self, places: Places, device: torch.device) -> Mask:
        return MaskPiece(self.inner.placed(self.around, device), self.around, self.queries, self.keys)


def has_blocks(mask: Mask, places: Places) -> bool:
    """Whether `blocks` tells full blocks and empty ones from the others."""
    if isinstance(mask, Not):
        return has_blocks(mask.mask, places)
    if isinstance(mask, MaskPiece):
        return has_blocks(mask.inner, mask.around)
    for parts in (mask.conjuncts, mask.disjuncts):
        if len(parts) > 1:
            return all([has_blocks(part, places) for part in parts])
    facts = mask.facts(places)
    known = facts.full or facts.interval or facts.cells or facts.real is not None or facts.documents is not None
    return bool(known) or type(mask).blocks is not Mask.blocks


def leaves(mask: Mask) -> Iterator[Mask]:
    """The masks that `&`, `|` and `~` joined into this one."""
    if isinstance(mask, Pair):
        yield from leaves(mask.left)
        yield from leaves(mask.right)
    elif isinstance(mask, Not):
        yield from leaves(mask.mask)
    else:
        yield mask


def real_tokens(mask: Mask, places: Places, B: int, device: torch.device) -> Bool[Tensor, "B S"]:
    """The tokens that a mask of pads leaves, read off its diagonal: where its `facts` say that it is one."""
    rows, tokens = torch.arange(B, device=device)[:, None], torch.arange(places.keys.count, device=device)
    return mask.allows(rows, torch.zeros_like(rows), tokens, tokens, places).expand(B, -1)


def any_of(pairs: Bool[Tensor, "..."], dim: int) -> Bool[Tensor, "..."]:
    """Whether one of the pairs along a dimension is true.

    As the largest of bytes: for that a CPU has instructions, where `any` goes from one to the next. A compiler's
    kernels for a GPU cannot read a truth as a byte.
    """
    if torch.compiler.is_compiling() or not pairs.is_cpu:
        return pairs.any(dim)
    return pairs.view(torch.uint8).amax(dim).view(torch.bool)


def run_ends(numbers: Int[Tensor, "rows S"]) -> tuple[Int[Tensor, "rows S"], Int[Tensor, "rows S"]]:
    """The first and the last token of the run of equal numbers in which each token stands."""
    tokens = torch.arange(numbers.shape[1], device=numbers.device).expand_as(numbers)
    differs = numbers[:, 1:] != numbers[:, :-1]
    begins, ends = (torch.nn.functional.pad(differs, pad, value=True) for pad in ((1, 0), (0, 1)))
    first = torch.where(begins, tokens, 0).cummax(1).values
    last = torch.where(ends, tokens, numbers.shape[1]).flip(1).cummin(1).values.flip(1)
    return first, last


def _of_tokens(mask: Mask, hides_queries: bool, places: Places, size: int, device: torch.device) -> BlockMap:
    real = real_tokens(mask.on(device), places, mask.batch or 1, device)
    pad = (0, -real.shape[1] % size)
    some = torch.nn.functional.pad(real, pad, value=False).unflatten(1, (-1, size)).any(2)[:, None, None, :]
    every = torch.nn.functional.pad(real, pad, value=True).unflatten(1, (-1, size)).all(2)[:, None, None, :]
    return BlockMap(some.mT & some, every.mT & every) if hides_queries else BlockMap(some, every)


def _of_documents(mask: Mask, places: Places, size: int, device: torch.device) -> BlockMap:
    """Numbers grow along a row, so that two blocks share a document where the ranges of their numbers meet."""
    numbers = mask.documents(places, device)
    assert numbers is not None
    pad, far = (0, -numbers.shape[1] % size), places.keys.count
    parts = torch.nn.functional.pad(numbers, pad, value=-1).unflatten(1, (-1, size))
    low, high = torch.where(parts < 0, far, parts).amin(2)[:, None, None, :], parts.amax(2)[:, None, None, :]
    real = (torch.nn.functional.pad(numbers, pad, value=0) >= 0).unflatten(1, (-1, size)).all(2)[:, None, None, :]
    some = (low <= high.mT) & (low.mT <= high)
    return BlockMap(some, (low == high.mT) & (low.mT == high) & real & real.mT)


def _of_runs(facts: Facts, places: Places, size: int, device: torch.device) -> BlockMap:
    """What intervals or cells along each axis leave of the runs of tokens that blocks are made of."""

    def between(axis: int, queries: Span, keys: Span) -> BlockMap:
        return facts.cells[axis].between(queries, keys) if facts.cells else within(facts.band[axis], queries, keys)

    queries, keys = places.queries, places.keys
    if isinstance(queries, Sequence) and isinstance(keys, Sequence):
        (first_q, last_q), (first_k, last_k) = block_ends(queries, size, device), block_ends(keys, size, device)
        return between(
            0,
            (first_q[:, None, :, None], last_q[:, None, :, None]),
            (first_k[:, None, None, :], last_k[:, None, None, :]),
        )
    assert isinstance(queries, Grid)
    assert isinstance(keys, Grid)
    # Blocks are runs of the raster, at most three rectangles each, of which all pairs are asked.
    some, every = [], []
    for q, k in itertools.product(*(_rectangles(side, size, device) for side in (queries, keys))):
        q = q.upright()
        row, column = between(0, q.rows, k.rows), between(1, q.columns, k.columns)
        exists = q.exists & k.exists
        some.append(row.some & column.some & exists)
        every.append((row.every & column.every) | ~exists)
    some, every = functools.reduce(torch.bitwise_or, some), functools.reduce(torch.bitwise_and, every)
    return BlockMap(some[None, None], every[None, None])


class Rectangle(NamedTuple):
    """A rectangle of pixels in each run of the raster, by the positions of its edges; not every run has one."""

    rows: Span
    columns: Span
    exists: Tensor

    def upright(self) -> "Rectangle":
        """The same runs down a column, to meet others along a row."""
        (top, bottom), (left, right), exists = self
        return Rectangle((top[:, None], bottom[:, None]), (left[:, None], right[:, None]), exists[:, None])


def _rectangles(grid: Grid, size: int, device: torch.device) -> list[Rectangle]:
    """Runs of `size` pixels in raster order: the end of a row, whole rows, and the beginning of a row.

    One rectangle is enough where rows hold whole runs, or runs whole rows.
    """
    first, last = block_edges(grid.count, size, device)
    top, bottom, left, right = first // grid.w, last // grid.w, first % grid.w, last % grid.w
    zero, edge, wraps = torch.zeros_like(first), torch.full_like(first, grid.w - 1), bottom > top
    if grid.w % size == 0 or size % grid.w == 0:
        parts = [(top, bottom, left, right, torch.ones_like(wraps))]
    else:
        parts = [
            (top, top, left, torch.where(wraps, edge, right), torch.ones_like(wraps)),
            (bottom, bottom, zero, right, wraps),
            (top + 1, bottom - 1, zero, edge, bottom > top + 1),
        ]
    return [
        Rectangle((_place(grid, 0, a), _place(grid, 0, b)), (_place(grid, 1, c), _place(grid, 1, d)), exists)
        for a, b, c, d, exists in parts[: 2 if size <= grid.w else 3]
    ]


def _place(grid: Grid, axis: int, number: Tensor) -> Tensor:
    return grid.start[axis] + grid.step[axis] * number
