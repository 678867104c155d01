"""Masks and score terms as a user writes them: five lines each, and nothing said of themselves."""

from dataclasses import dataclass

from torch import Tensor

from regard.attention import (
    Blocks,
    Causal,
    Documents,
    KeyPadding,
    Mask,
    Padding,
    Prefix,
    SameRow,
    Slopes,
    Strided,
    Term,
    Window,
)


@dataclass(frozen=True, eq=False)
class Thirds(Mask):
    """Of the key alone."""

    def allows(self, b, h, i, j, places):
        return j % 3 == 0


@dataclass(frozen=True, eq=False)
class ByRow(Mask):
    """Of row, query and key; a query of row 1 sees nothing."""

    def allows(self, b, h, i, j, places):
        return ((b + i + j) % 2 == 0) & (b != 1)


@dataclass(frozen=True, eq=False)
class ByHead(Mask):
    """Of head and key."""

    reach: int

    def allows(self, b, h, i, j, places):
        return j <= i + self.reach * h


class StrictlyCausal(Causal):
    """Keys before the query, without itself."""

    def holds(self, delta):
        return delta < 0


class OddWindow(Window):
    """Every other place of a window."""

    def allows(self, b, h, i, j, places):
        return super().allows(b, h, i, j, places) & ((i + j) % 2 == 0)


class OddBlocks(Blocks):
    """Blocks that even queries alone look at."""

    def allows(self, b, h, i, j, places):
        return super().allows(b, h, i, j, places) & (i % 2 == 0)


class Shifted(Strided):
    """Offsets one beyond the multiples."""

    def holds(self, delta):
        return super().holds(delta - 1)


class Pads(KeyPadding):
    """The pads, and not the tokens."""

    def allows(self, b, h, i, j, places):
        return ~super().allows(b, h, i, j, places)


class FirstPads(Padding):
    """Real tokens of even rows alone."""

    def allows(self, b, h, i, j, places):
        return super().allows(b, h, i, j, places) & (b % 2 == 0)


class EvenDocuments(Documents):
    """Documents that even queries alone look at."""

    def allows(self, b, h, i, j, places):
        return super().allows(b, h, i, j, places) & (i % 2 == 0)


class NoPrefix(Prefix):
    """The keys that a prefix hides."""

    def allows(self, b, h, i, j, places):
        return ~super().allows(b, h, i, j, places)


class OtherRows(SameRow):
    """All rows but the query's own."""

    def allows(self, b, h, i, j, places):
        return ~super().allows(b, h, i, j, places)


@dataclass(frozen=True, eq=False)
class ByIndex(Term):
    """A number for each key, read by its index."""

    weight: Tensor

    def __repr__(self) -> str:
        return "ByIndex()"

    def at(self, b, h, i, j, places):
        return self.weight * (j - i) / 8


@dataclass(frozen=True, eq=False)
class ByBatch(Term):
    """A number that rows have of their own."""

    def at(self, b, h, i, j, places):
        return 0.1 * ((b + 1) * (j % 4))


class Halved(Slopes):
    """Half the penalty, and none for even keys."""

    def at(self, b, h, i, j, places):
        return super().at(b, h, i, j, places) * (j % 2) / 2
