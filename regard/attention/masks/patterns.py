"""Sparse patterns of tokens in a line: blocks, and tokens that see and are seen by all."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.attention.masks.facts import FREE, BlockMap, Cell, Facts, Index
from regard.attention.masks.mask import Mask
from regard.attention.positions.positions import Places, block_ends, positions_of
from regard.attention.positions.sizes import number, surely
from regard.attention.scores.term import Shape
from regard.checks import check_whole


@dataclass(frozen=True, eq=False)
class Blocks(Mask):
    """Keys in the query's own block of `size` tokens: `⌊(i + shift)/size⌋ = ⌊(j + shift)/size⌋` for positions i, j."""

    size: int
    shift: int = 0

    def __post_init__(self) -> None:
        check_whole("size", self.size, 1)
        check_whole("shift", self.shift, 0)

    def check(self, shape: Shape, places: Places) -> None:
        places.line(self)

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        queries, keys = places.line(self)
        return (queries.at(b, i) + self.shift) // self.size == (keys.at(b, j) + self.shift) // self.size

    def facts(self, places: Places) -> Facts:
        return Facts(
            full=self._is_full(places),
            rows=not places.is_static,
            heads=False,
            band=((1 - self.size, self.size - 1), FREE),
            cells=(Cell(self.size, self.shift),),
            positional=True,
        )

    def _is_full(self, places: Places) -> bool:
        if not places.is_static:
            return False
        ends = [(side.at(0, i) + self.shift) // self.size for side in places.line(self) for i in (0, side.n - 1)]
        return all([surely(number(end) == number(ends[0])) for end in ends])


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

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        queries, keys = places.line(self)
        return (queries.at(b, i) < self.count) | (keys.at(b, j) < self.count)

    def facts(self, places: Places) -> Facts:
        full = places.is_static and any(
            [surely(number(side.at(0, side.n - 1)) < self.count) for side in places.line(self)]
        )
        return Facts(full=full, rows=not places.is_static, heads=False, positional=True)

    def blocks(self, places: Places, size: int, device: torch.device) -> BlockMap:
        queries, keys = places.line(self)
        first_q, last_q = (end[:, None, :, None] < self.count for end in block_ends(queries, size, device))
        first_k, last_k = (end[:, None, None, :] < self.count for end in block_ends(keys, size, device))
        return BlockMap(first_q | first_k, last_q | last_k)

    def sides(self, places: Places, device: torch.device) -> tuple[Tensor, Tensor]:
        queries, keys = (positions_of(side, device)[:, None] < self.count for side in places.line(self))
        return queries | keys[..., :1], keys | queries[..., :1]
