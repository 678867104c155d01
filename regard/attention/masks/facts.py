"""What is known of a mask without asking it pair by pair."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from jaxtyping import Bool
from torch import Tensor

from regard.attention.positions.positions import Index
from regard.attention.positions.sizes import least, most

Bound = int | None
Range = tuple[Bound, Bound]  # the smallest and the largest; None: no bound
Span = tuple[Tensor, Tensor]  # the first and the last position of runs of tokens
FREE: Range = (None, None)


class BlockMap(NamedTuple):
    """Two maps over blocks of pairs, broadcastable to (B, H, T/size, S/size): may one be visible, are all of them?"""

    some: Bool[Tensor, "..."]
    every: Bool[Tensor, "..."]


@dataclass(frozen=True)
class Cell:
    """Cells along one axis: runs of `size` positions, counted from −shift; or the positions of each residue modulo it.

    Of size 0 there is one cell.

    >>> [Cell(4, shift=1).number(position) for position in range(8)]
    [0, 0, 0, 1, 1, 1, 1, 2]
    """

    size: int
    shift: int = 0
    residue: bool = False

    def number(self, position: Index) -> Any:
        """The number of the cell in which a position stands."""
        if self.size == 0:
            return 0 * position
        return position % self.size if self.residue else (position + self.shift) // self.size

    def between(self, queries: Span, keys: Span) -> BlockMap:
        """What is known of the pairs of runs, each given by its first and its last position."""
        if self.residue:
            low, high = keys[0] - queries[1], keys[1] - queries[0]  # the offsets between the runs
            multiple = high // self.size * self.size >= low  # the last multiple at or below high
            return BlockMap(multiple, ((low == high) | (self.size == 1)) & (low % self.size == 0))
        (low_q, high_q), (low_k, high_k) = ([self.number(end) for end in side] for side in (queries, keys))
        return BlockMap((low_q <= high_k) & (low_k <= high_q), (low_q == high_k) & (low_k == high_q))


@dataclass(frozen=True)
class Real:
    """The mask hides the pads of each row: its keys, and with `queries` its queries, which are the same tokens."""

    queries: bool
    prefix: bool  # real tokens stand before the pads
    lengths: tuple[int, ...] | None  # where they are sizes and not data


@dataclass(frozen=True)
class Runs:
    """The mask is *being in the same document*: runs of tokens that are queries and keys; pads are in none."""

    lengths: tuple[tuple[int, ...], ...] | None  # in each row, or once for all, where they are sizes and not data
    most: int | None  # how many a row may have, where that is a size
    prefix: bool  # documents follow each other, and pads stand behind the last


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What one class of masks says of itself at some positions; left out, nothing is known and everything may vary.

    Facts are numbers and flags, never tensors, and are found without reading one. Bands and cells are along each axis
    of the places: one in a line, rows and columns on a grid.
    """

    full: bool = False  # it hides nothing
    rows: bool = True  # it may differ between rows of the batch
    heads: bool = True  # it may differ between heads
    band: tuple[Range, ...] = (FREE, FREE)  # offsets, key − query, outside which it hides all
    interval: bool = False  # it is that band and nothing else
    cells: tuple[Cell, ...] = ()  # it is *being in the same cell* along every axis
    real: Real | None = None  # it hides pads and nothing else
    documents: Runs | None = None  # it is *being in the same document*
    prefix: bool = False  # it hides what is behind the query, but for keys at positions below its row's `num_real`
    relative: bool = False  # offsets alone decide, so that tokens may be moved together
    positional: bool = False  # positions and the head alone decide: a piece is masked as the whole is

    def __post_init__(self) -> None:
        if len(self.band) == 1:
            object.__setattr__(self, "band", (self.band[0], FREE))


UNKNOWN = Facts()


def within(band: Range, queries: Span, keys: Span) -> BlockMap:
    """What an interval of offsets leaves of the pairs of runs."""
    low, high = keys[0] - queries[1], keys[1] - queries[0]
    least, most = band
    some = every = low <= high
    if least is not None:
        some, every = some & (high >= least), every & (low >= least)
    if most is not None:
        some, every = some & (low <= most), every & (high <= most)
    return BlockMap(some, every)


def both(one: Range, other: Range) -> Range:
    """The offsets of both ranges."""
    (low, high), (other_low, other_high) = one, other
    return (
        other_low if low is None else low if other_low is None else most(low, other_low),
        other_high if high is None else high if other_high is None else least(high, other_high),
    )


def either(one: Range, other: Range) -> Range:
    """A range that holds both."""
    (low, high), (other_low, other_high) = one, other
    return (
        None if low is None or other_low is None else least(low, other_low),
        None if high is None or other_high is None else most(high, other_high),
    )
