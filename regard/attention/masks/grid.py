"""Masks of tokens on a grid: neighbours, rows and columns, tiles."""

from dataclasses import dataclass
from typing import Any, ClassVar

from regard.attention.masks.facts import FREE, Cell, Facts, Index
from regard.attention.masks.mask import Everything, Mask
from regard.attention.masks.offsets import Window
from regard.attention.masks.patterns import Blocks
from regard.attention.positions.positions import Grid, Places
from regard.attention.scores.term import Shape
from regard.checks import check_whole


class GridMask(Mask):
    """A mask of pixels; `instead` names its cousin for tokens in a line."""

    instead: ClassVar[str] = "Window"

    def check(self, shape: Shape, places: Places) -> None:
        if places.num_axes != 2:
            raise ValueError(
                f"{self!r} is for Grid positions: got queries={places.queries!r}, keys={places.keys!r}; "
                f"use {self.instead} for tokens in a line"
            )


def _is_full(sides: tuple[Mask, Mask], places: Places) -> bool:
    """Whether a mask of rows and one of columns, both of which must allow a pair, hide nothing."""
    return places.num_axes == 2 and all([sides[axis].facts(places.axis(axis, sides)).full for axis in (0, 1)])


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

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        row, column = places.offsets(b, i, j, self)
        return (row >= -self.rows) & (row <= self.rows) & (column >= -self.columns) & (column <= self.columns)

    def facts(self, places: Places) -> Facts:
        return Facts(
            full=_is_full((Window(self.rows, self.rows), Window(self.columns, self.columns)), places),
            rows=False,
            heads=False,
            band=((-self.rows, self.rows), (-self.columns, self.columns)),
            interval=True,
            relative=True,
            positional=True,
        )

    def along(self, axis: int) -> Mask:
        reach = (self.rows, self.columns)[axis]
        return Window(reach, reach)


def _same_line(axis: int, places: Places) -> Facts:
    """Keys at the query's own position along one axis."""
    cells = [Cell(0), Cell(0)]
    cells[axis] = Cell(1)
    return Facts(
        full=places.num_axes == 2 and Window(0).facts(places.axis(axis, cells)).full,
        rows=False,
        heads=False,
        band=((0, 0), FREE) if axis == 0 else (FREE, (0, 0)),
        interval=True,
        cells=tuple(cells),
        relative=True,
        positional=True,
    )


@dataclass(frozen=True, eq=False)
class SameRow(GridMask):
    """Keys in the query's own row: one half of axial attention.

    Ho et al., *Axial Attention in Multidimensional Transformers*, 2019.
    """

    instead: ClassVar[str] = "Blocks"

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        return places.offsets(b, i, j, self)[0] == 0

    def facts(self, places: Places) -> Facts:
        return _same_line(0, places)

    def along(self, axis: int) -> Mask:
        return Window(0) if axis == 0 else Everything()


@dataclass(frozen=True, eq=False)
class SameColumn(GridMask):
    """Keys in the query's own column: the other half of axial attention."""

    instead: ClassVar[str] = "Strided"

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        return places.offsets(b, i, j, self)[1] == 0

    def facts(self, places: Places) -> Facts:
        return _same_line(1, places)

    def along(self, axis: int) -> Mask:
        return Window(0) if axis == 1 else Everything()


@dataclass(frozen=True, eq=False)
class Axial(GridMask):
    """Keys in the query's own row or its own column.

    Huang et al., *CCNet: Criss-Cross Attention*, ICCV 2019. For alternating layers use `SameRow` and `SameColumn`.
    """

    instead: ClassVar[str] = "Window(…) | Strided(…)"

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        row, column = places.offsets(b, i, j, self)
        return (row == 0) | (column == 0)

    def facts(self, places: Places) -> Facts:
        full = _same_line(0, places).full or _same_line(1, places).full
        return Facts(full=full, rows=False, heads=False, relative=True, positional=True)

    @property
    def disjuncts(self) -> tuple[Mask, ...]:
        return SameRow(), SameColumn()


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

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        queries, keys = places.queries, places.keys
        assert isinstance(queries, Grid)
        assert isinstance(keys, Grid)
        (row_q, column_q), (row_k, column_k) = queries.at(b, i), keys.at(b, j)
        same_row = (row_q + self.down) // self.rows == (row_k + self.down) // self.rows
        return same_row & ((column_q + self.right) // self.columns == (column_k + self.right) // self.columns)

    def facts(self, places: Places) -> Facts:
        return Facts(
            full=_is_full((Blocks(self.rows, self.down), Blocks(self.columns, self.right)), places),
            rows=False,
            heads=False,
            band=((1 - self.rows, self.rows - 1), (1 - self.columns, self.columns - 1)),
            cells=(Cell(self.rows, self.down), Cell(self.columns, self.right)),
            positional=True,
        )

    def along(self, axis: int) -> Mask:
        return Blocks(self.rows, self.down) if axis == 0 else Blocks(self.columns, self.right)
