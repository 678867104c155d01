"""Where the queries and the keys stand. Queries and keys may stand in different places: a cache, a stride."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.attention.positions.sizes import is_symbol, is_whole, number, surely
from regard.attention.value import Value, show
from regard.checks import FARTHEST

Index = int | Tensor


@dataclass(frozen=True, eq=False)
class Sequence(Value):
    """Token i of row b stands at `start[b] + step·i`.

    >>> Sequence(4, start=10, step=2).at(0, 3)
    16
    """

    n: int
    start: int | Tensor = 0
    step: int = 1

    def __post_init__(self) -> None:
        if not all([is_whole(x) for x in (self.n, self.step, 0 if isinstance(self.start, Tensor) else self.start)]):
            raise ValueError(
                f"n, start and step must be whole numbers: got n={self.n!r}, start={self.start!r}, step={self.step!r}; "
                "use int"
            )
        if surely(number(self.n) < 0):
            raise ValueError(f"n must be at least 0: got n={self.n}; it is the number of tokens")
        if not isinstance(self.start, Tensor):
            _check_ends(self, (self.start, self.start + self.step * self.n))
        if self.step < 1:
            raise ValueError(f"step must be at least 1: got step={self.step}; reverse the tokens themselves")
        wrong = isinstance(self.start, Tensor) and torch.promote_types(self.start.dtype, torch.int64) != torch.int64
        if isinstance(self.start, Tensor) and (wrong or self.start.ndim != 1 or self.start.dtype == torch.bool):
            raise ValueError(
                "start must be a whole number or one whole number per row, shape (B,): "
                f"got {self.start.dtype} of shape {tuple(self.start.shape)}; use .long()"
            )
        if isinstance(self.start, Tensor) and self.start.dtype != torch.int64:
            object.__setattr__(self, "start", self.start.long())  # small types wrap where positions are subtracted

    @property
    def count(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={self.n}, start={show(self.start)}, step={self.step})"

    def at(self, b: Index, i: Index) -> Any:
        """The position of token i in row b: numbers in, number out; tensors in, tensor out."""
        start = self.start[b] if isinstance(self.start, Tensor) else self.start
        return start + self.step * i

    def piece(self, tokens: range) -> "Sequence":
        """Where these tokens stand.

        >>> Sequence(8, start=10, step=2).piece(range(3, 5))
        Sequence(n=2, start=16, step=2)
        """
        return Sequence(len(tokens), self.start + self.step * tokens.start, self.step)


@dataclass(frozen=True, eq=False)
class Grid(Value):
    """Tokens in raster order on h × w pixels; pixel (r, c) stands at `start + step·(r, c)`.

    >>> Grid(2, 3, step=(1, 2)).at(0, 5)
    (1, 4)
    """

    h: int
    w: int
    start: tuple[int, int] = (0, 0)
    step: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        pairs = (("start", self.start), ("step", self.step), ("h and w", (self.h, self.w)))
        for name, pair in pairs:
            if not isinstance(pair, tuple) or len(pair) != 2 or not all([is_whole(n) for n in pair]):
                raise ValueError(f"{name} of a grid must be two whole numbers, rows first: got {pair!r}; use (1, 1)")
        ends = zip(self.start, self.step, (self.h, self.w), strict=True)
        _check_ends(self, (*self.start, *[start + step * n for start, step, n in ends]))
        if any([surely(number(size) < 1) for size in (self.h, self.w, *self.step)]):
            raise ValueError(
                f"a grid needs positive sizes and steps: got h={self.h}, w={self.w}, step={self.step}; use 1 or more"
            )

    @property
    def count(self) -> int:
        return self.h * self.w

    def axis(self, number: int) -> Sequence:
        """The rows (0) or the columns (1) as a sequence.

        >>> Grid(2, 3, step=(1, 2)).axis(1)
        Sequence(n=3, start=0, step=2)
        """
        return Sequence((self.h, self.w)[number], self.start[number], self.step[number])

    def at(self, b: Index, i: Index) -> tuple[Any, Any]:
        """Row and column of token i."""
        return self.start[0] + self.step[0] * (i // self.w), self.start[1] + self.step[1] * (i % self.w)

    def piece(self, tokens: range) -> "Grid | None":
        """Where these tokens stand, if they are whole rows of pixels; else None.

        >>> Grid(4, 3).piece(range(6, 12)), Grid(4, 3).piece(range(2))
        (Grid(h=2, w=3, start=(2, 0), step=(1, 1)), None)
        """
        if tokens.start % self.w or len(tokens) % self.w:
            return None
        top = self.start[0] + self.step[0] * (tokens.start // self.w)
        return Grid(len(tokens) // self.w, self.w, (top, self.start[1]), self.step)


Positions = Sequence | Grid


def _check_ends(positions: Positions, ends: tuple[Any, ...]) -> None:
    """Raise where a position is known to be so far away that 64 bits cannot hold an offset."""
    for end in ends:
        if not is_symbol(end) and surely(abs(end) >= FARTHEST):
            raise ValueError(
                f"positions must lie between −2^62 and 2^62: got {positions!r}; count from a place that is nearer"
            )


def check_positions(positions: Positions, batch: int, count: int, side: str) -> None:
    """Raise unless these are `count` positions for each of `batch` rows."""
    if positions.count != count:
        raise ValueError(
            f"positions of the {side} must match the tensor: got {positions!r} for {count} tokens; "
            f"give {count} positions"
        )
    start = positions.start
    if isinstance(start, Tensor) and start.shape[0] != batch:
        raise ValueError(
            f"start of the {side} must have one entry per row: got {start.shape[0]} for B={batch}; use expand"
        )


@dataclass(frozen=True, eq=False)
class Places(Value):
    """The positions of both sides: `offset` is δ = key − query, the project's one sign convention."""

    queries: Positions
    keys: Positions

    def line(self, who: object) -> tuple[Sequence, Sequence]:
        """Both sides as sequences, for masks and scores that need an order."""
        if isinstance(self.queries, Sequence) and isinstance(self.keys, Sequence):
            return self.queries, self.keys
        use = "Sequence positions" if isinstance(self.queries, Grid) == isinstance(self.keys, Grid) else "one kind"
        raise ValueError(f"{who!r} needs tokens in a line: got queries={self.queries!r}, keys={self.keys!r}; use {use}")

    def offset(self, b: Index, i: Index, j: Index, who: object) -> Any:
        """Signed distance from query i to key j."""
        queries, keys = self.line(who)
        return keys.at(b, j) - queries.at(b, i)

    def offsets(self, b: Index, i: Index, j: Index, who: object) -> tuple[Any, ...]:
        """The offset from query i to key j along every axis: one in a line, row and column on a grid."""
        if isinstance(self.queries, Grid) and isinstance(self.keys, Grid):
            pairs = zip(self.keys.at(b, j), self.queries.at(b, i), strict=True)
            return tuple([key - query for key, query in pairs])
        return (self.offset(b, i, j, who),)

    @property
    def key(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """What static places are, as numbers: equal for equal places, to remember by."""
        sides = [
            (side.count, side.h, side.start, side.step) if isinstance(side, Grid) else (side.n, side.start, side.step)
            for side in (self.queries, self.keys)
        ]
        return sides[0], sides[1]

    @classmethod
    def of_key(cls, key: tuple[tuple[Any, ...], tuple[Any, ...]]) -> "Places":
        """The positions of such a key."""
        sides = [Grid(side[1], side[0] // side[1], *side[2:]) if len(side) == 4 else Sequence(*side) for side in key]
        return cls(sides[0], sides[1])

    @property
    def num_axes(self) -> int:
        return 2 if isinstance(self.queries, Grid) and isinstance(self.keys, Grid) else 1

    def axis(self, number: int, who: object) -> "Places":
        """The positions along one axis alone, as sequences: the rows (0) or the columns (1) of grids."""
        if not (isinstance(self.queries, Grid) and isinstance(self.keys, Grid)):
            assert number == 0
            return Places(*self.line(who))
        return Places(self.queries.axis(number), self.keys.axis(number))

    @property
    def is_static(self) -> bool:
        """Known without reading a tensor."""
        return not (isinstance(self.queries.start, Tensor) or isinstance(self.keys.start, Tensor))

    def offset_range(self, who: object) -> tuple[int, int]:
        """The smallest and largest offset of all pairs, when positions are static."""
        queries, keys = self.line(who)
        return keys.at(0, 0) - queries.at(0, queries.n - 1), keys.at(0, keys.n - 1) - queries.at(0, 0)


@dataclass(frozen=True)
class Cut:
    """A piece of all pairs: these queries and these keys, each a run of tokens of the whole.

    >>> Cut(Places(Sequence(8), Sequence(8)), range(4, 8), range(2)).places
    Places(queries=Sequence(n=4, start=4, step=1), keys=Sequence(n=2, start=0, step=1))
    """

    whole: Places
    queries: range
    keys: range

    @property
    def is_placed(self) -> bool:
        """Whether positions can say where both sides stand; pixels that are no whole rows have none."""
        return self.whole.queries.piece(self.queries) is not None and self.whole.keys.piece(self.keys) is not None

    @property
    def places(self) -> Places:
        """Where both sides stand; of pixels that are no whole rows their numbers, which nobody should ask for."""
        queries, keys = self.whole.queries.piece(self.queries), self.whole.keys.piece(self.keys)
        if queries is None or keys is None:
            return Places(*[Sequence(len(run), run.start) for run in (self.queries, self.keys)])
        return Places(queries, keys)


LINE = Places(Sequence(2), Sequence(2))  # what a mask says of itself in a line is the same for all lengths


def block_ends(side: Sequence, size: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Positions of the first and the last token of each run of `size`, shapes (B|1, n/size)."""
    first, last = block_edges(side.n, size, device)
    return _rows(side, first), _rows(side, last)


def positions_of(side: Sequence, device: torch.device) -> Tensor:
    """Where each token stands, (B, n) when rows start at different places, else (1, n)."""
    return _rows(side, torch.arange(side.n, device=device))


def block_edges(n: int, size: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """First and last index of each block of `size`, the last block cut at n."""
    first = torch.arange(0, n, size, device=device)
    return first, (first + size - 1).clamp(max=n - 1)


def _rows(side: Sequence, index: Tensor) -> Tensor:
    """Positions of `index` for each row: (B, n) when rows start at different places, else (1, n)."""
    if isinstance(side.start, Tensor):
        return side.start.to(index.device)[:, None] + side.step * index[None]
    return side.at(0, index)[None]
