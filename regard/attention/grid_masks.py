"""Masks of tokens on a grid."""

from dataclasses import dataclass
from typing import Any

import torch

from regard.attention.masks import BlockMap, Mask, Window, check_whole
from regard.attention.positions import Grid, Places, block_edges
from regard.attention.scores import Shape


@dataclass(frozen=True, eq=False)
class Neighbours(Mask):
    """Keys at most `rows` above or below and `columns` left or right of the query, itself included.

    >>> Neighbours(1, 2).along(1)
    Window(before=2, after=2)
    """

    rows: int
    columns: int

    def __post_init__(self) -> None:
        check_whole("rows", self.rows, 0)
        check_whole("columns", self.columns, 0)

    def check(self, shape: Shape, places: Places) -> None:
        if places.num_axes != 2:
            raise ValueError(
                f"{self!r} is for Grid positions: got queries={places.queries!r}, keys={places.keys!r}; "
                "use Window for tokens in a line"
            )

    def along(self, axis: int) -> Mask:
        reach = (self.rows, self.columns)[axis]
        return Window(reach, reach)

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        row, column = places.offsets(b, i, j, self)
        return (row >= -self.rows) & (row <= self.rows) & (column >= -self.columns) & (column <= self.columns)

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        """BlockMap are runs of the raster: their rows decide, and their columns where one row holds them."""
        queries, keys = places.queries, places.keys
        assert isinstance(queries, Grid)
        assert isinstance(keys, Grid)
        some, every = True, True
        for axis, reach in ((0, self.rows), (1, self.columns)):
            low_q, high_q = _span(queries, axis, size, device)
            low_k, high_k = _span(keys, axis, size, device)
            low, high = low_k[None, :] - high_q[:, None], high_k[None, :] - low_q[:, None]
            some = some & (high >= -reach) & (low <= reach)
            every = every & (low >= -reach) & (high <= reach)
        return BlockMap(some[None, None], every[None, None])

    def is_full(self, places: Places) -> bool:
        return places.num_axes == 2 and all([self.along(axis).is_full(places.axis(axis, self)) for axis in (0, 1)])


def _span(grid: Grid, axis: int, size: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Smallest and largest row (or column) of each run of `size` tokens."""
    first, last = block_edges(grid.count, size, device)
    if axis == 0:
        low, high = first // grid.w, last // grid.w
    else:
        one_row = first // grid.w == last // grid.w
        low = torch.where(one_row, first % grid.w, 0)
        high = torch.where(one_row, last % grid.w, grid.w - 1)
    return grid.start[axis] + grid.step[axis] * low, grid.start[axis] + grid.step[axis] * high
