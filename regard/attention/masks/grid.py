"""Masks of tokens on a grid: neighbours, rows and columns, tiles."""

import functools
import itertools
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

from regard.attention.masks.mask import BlockMap, Bound, Everything, Mask, Span
from regard.attention.masks.offsets import Window, check_whole
from regard.attention.masks.patterns import Blocks
from regard.attention.positions.positions import Grid, Places, block_edges
from regard.attention.scores.term import Shape


class Rectangle(NamedTuple):
    """A rectangle of pixels in each run of the raster, by the positions of its edges; not every run has one."""

    rows: Span
    columns: Span
    exists: Tensor


class GridMask(Mask):
    """A mask of pixels; `instead` names its cousin for tokens in a line."""

    instead: ClassVar[str] = "Window"

    def check(self, shape: Shape, places: Places) -> None:
        if places.num_axes != 2:
            raise ValueError(
                f"{self!r} is for Grid positions: got queries={places.queries!r}, keys={places.keys!r}; "
                f"use {self.instead} for tokens in a line"
            )

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        """Blocks are runs of the raster, at most three rectangles each, of which all pairs are asked."""
        queries, keys = places.queries, places.keys
        assert isinstance(queries, Grid)
        assert isinstance(keys, Grid)
        some, every = [], []
        for q, k in itertools.product(*(_rectangles(side, size, device) for side in (queries, keys))):
            q = _upright(q)
            found, exists = self.within(q, k), q.exists & k.exists
            some.append(found.some & exists)
            every.append(found.every | ~exists)
        some, every = functools.reduce(torch.bitwise_or, some), functools.reduce(torch.bitwise_and, every)
        return BlockMap(some[None, None], every[None, None])

    def within(self, queries: Rectangle, keys: Rectangle) -> BlockMap:
        """What is known of the pairs of a pixel in the one rectangle and a pixel in the other."""
        raise NotImplementedError(f"{type(self).__name__} must define within(queries, keys)")


@dataclass(frozen=True, eq=False)
class Neighbours(GridMask):
    """Keys at most `rows` above or below and `columns` left or right of the query, itself included.

    >>> Neighbours(1, 2).along(1)
    Window(before=2, after=2)
    """

    rows: int
    columns: int

    def __post_init__(self) -> None:
        check_whole("rows", self.rows, 0)
        check_whole("columns", self.columns, 0)

    @property
    def sides(self) -> tuple[Window, Window]:
        return Window(self.rows, self.rows), Window(self.columns, self.columns)

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        row, column = places.offsets(b, i, j, self)
        return (row >= -self.rows) & (row <= self.rows) & (column >= -self.columns) & (column <= self.columns)

    def within(self, queries: Rectangle, keys: Rectangle) -> BlockMap:
        return _both(self.sides, queries, keys)

    def is_full(self, places: Places) -> bool:
        return _both_full(self.sides, places, self)

    def along(self, axis: int) -> Mask:
        return self.sides[axis]

    def bounds(self, axis: int) -> tuple[Bound, Bound]:
        return self.sides[axis].bounds(axis)

    @property
    def is_relative(self) -> bool:
        return True


class SameLine(GridMask):
    """Keys at the query's own place along one axis of the grid."""

    fixed: ClassVar[int]

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        return places.offsets(b, i, j, self)[self.fixed] == 0

    def within(self, queries: Rectangle, keys: Rectangle) -> BlockMap:
        return Window(0).between(_side(queries, self.fixed), _side(keys, self.fixed))

    def is_full(self, places: Places) -> bool:
        return places.num_axes == 2 and Window(0).is_full(places.axis(self.fixed, self))

    def along(self, axis: int) -> Mask:
        return Window(0) if axis == self.fixed else Everything()

    def bounds(self, axis: int) -> tuple[Bound, Bound]:
        return (0, 0) if axis == self.fixed else (None, None)

    def cell(self, axis: int, position: Any) -> Any:
        return position if axis == self.fixed else 0 * position

    @property
    def is_relative(self) -> bool:
        return True


@dataclass(frozen=True, eq=False)
class SameRow(SameLine):
    """Keys in the query's own row: one half of axial attention.

    Ho et al., *Axial Attention in Multidimensional Transformers*, 2019.
    """

    fixed: ClassVar[int] = 0
    instead: ClassVar[str] = "Blocks"


@dataclass(frozen=True, eq=False)
class SameColumn(SameLine):
    """Keys in the query's own column: the other half of axial attention."""

    fixed: ClassVar[int] = 1
    instead: ClassVar[str] = "Strided"


@dataclass(frozen=True, eq=False)
class Axial(GridMask):
    """Keys in the query's own row or its own column.

    Huang et al., *CCNet: Criss-Cross Attention*, ICCV 2019. For alternating layers use `SameRow` and `SameColumn`.
    """

    instead: ClassVar[str] = "Window(…) | Strided(…)"

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        row, column = places.offsets(b, i, j, self)
        return (row == 0) | (column == 0)

    def within(self, queries: Rectangle, keys: Rectangle) -> BlockMap:
        row, column = SameRow().within(queries, keys), SameColumn().within(queries, keys)
        return BlockMap(row.some | column.some, row.every | column.every)

    def is_full(self, places: Places) -> bool:
        return SameRow().is_full(places) or SameColumn().is_full(places)

    @property
    def disjuncts(self) -> tuple[Mask, ...]:
        return SameRow(), SameColumn()

    @property
    def is_relative(self) -> bool:
        return True


@dataclass(frozen=True, eq=False)
class Tiles(GridMask):
    """Keys in the query's own tile of `rows` × `columns` pixels: window attention on an image.

    Tile edges lie where `row + down` and `column + right` are multiples, with smaller tiles at the border.

    >>> Tiles(7, 7, down=4, right=4).along(0)
    Blocks(size=7, shift=4)

    Liu et al., *Swin Transformer*, ICCV 2021: their window size is M = `rows` = `columns`, their shift s = ⌊M/2⌋ of the
    image is `down` = `right` = M − s; what they mask after the cyclic shift are the pairs of different tiles here.
    """

    rows: int
    columns: int
    down: int = 0
    right: int = 0

    instead: ClassVar[str] = "Blocks"

    def __post_init__(self) -> None:
        for name in ("rows", "columns"):
            check_whole(name, getattr(self, name), 1)
        for name in ("down", "right"):
            check_whole(name, getattr(self, name), 0)

    @property
    def sides(self) -> tuple[Blocks, Blocks]:
        return Blocks(self.rows, self.down), Blocks(self.columns, self.right)

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        queries, keys = places.queries, places.keys
        assert isinstance(queries, Grid)
        assert isinstance(keys, Grid)
        (row_q, column_q), (row_k, column_k) = queries.at(b, i), keys.at(b, j)
        same_row = (row_q + self.down) // self.rows == (row_k + self.down) // self.rows
        return same_row & ((column_q + self.right) // self.columns == (column_k + self.right) // self.columns)

    def within(self, queries: Rectangle, keys: Rectangle) -> BlockMap:
        return _both(self.sides, queries, keys)

    def is_full(self, places: Places) -> bool:
        return _both_full(self.sides, places, self)

    def along(self, axis: int) -> Mask:
        return self.sides[axis]

    def bounds(self, axis: int) -> tuple[Bound, Bound]:
        return self.sides[axis].bounds(axis)

    def cell(self, axis: int, position: Any) -> Any:
        return self.sides[axis].cell(axis, position)

    @property
    def by_position(self) -> bool:
        return True


def _both(sides: tuple[Window, Window] | tuple[Blocks, Blocks], queries: Rectangle, keys: Rectangle) -> BlockMap:
    """A mask of rows and one of columns, both of which must allow a pair."""
    row, column = (sides[axis].between(_side(queries, axis), _side(keys, axis)) for axis in (0, 1))
    return BlockMap(row.some & column.some, row.every & column.every)


def _both_full(sides: tuple[Mask, Mask], places: Places, who: object) -> bool:
    return places.num_axes == 2 and all([sides[axis].is_full(places.axis(axis, who)) for axis in (0, 1)])


def _side(rectangle: Rectangle, axis: int) -> Span:
    return rectangle.rows if axis == 0 else rectangle.columns


def _upright(rectangle: Rectangle) -> Rectangle:
    """The same runs down a column, to meet others along a row."""
    (top, bottom), (left, right), exists = rectangle
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
