"""Masks of tokens in a line that depend on offsets alone: causal, windows, strides, dilated windows."""

from dataclasses import dataclass
from typing import Any

from regard.attention.masks.facts import FREE, Cell, Facts, Index, Range
from regard.attention.masks.mask import Mask
from regard.attention.positions.positions import Places
from regard.attention.positions.sizes import number, surely
from regard.attention.scores.term import Shape
from regard.checks import check_whole


class OffsetMask(Mask):
    """A mask that depends on the offset δ = key − query alone; subclasses define `holds`."""

    def holds(self, delta: Index) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define holds(delta)")

    def check(self, shape: Shape, places: Places) -> None:
        places.line(self)

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        return self.holds(places.offset(b, i, j, self))


def _interval(places: Places, band: Range) -> Facts:
    """An interval of offsets hides nothing where all offsets that there are lie inside."""
    full = False
    if places.is_static:
        (low, high), (least, most) = places.offset_range(band), band
        full = (least is None or surely(least <= number(low))) and (most is None or surely(number(high) <= most))
    return _offsets(places, full, band, interval=True)


def _offsets(
    places: Places, full: bool, band: Range = FREE, cells: tuple[Cell, ...] = (), interval: bool = False
) -> Facts:
    return Facts(
        full=full,
        rows=not places.is_static,
        heads=False,
        band=(band, FREE),
        interval=interval,
        cells=cells,
        relative=True,
        positional=True,
    )


@dataclass(frozen=True, eq=False)
class Causal(OffsetMask):
    """Keys at or before the query: `δ ≤ 0`. Without positions the last query stands at the last key."""

    def holds(self, delta: Index) -> Any:
        return delta <= 0

    def facts(self, places: Places) -> Facts:
        return _interval(places, (None, 0))


@dataclass(frozen=True, eq=False)
class Window(OffsetMask):
    """Exactly `before` keys before the query, `after` keys after it, and the query's own position."""

    before: int
    after: int = 0

    def __post_init__(self) -> None:
        check_whole("before", self.before, 0)
        check_whole("after", self.after, 0)

    def holds(self, delta: Index) -> Any:
        return (delta >= -self.before) & (delta <= self.after)

    def facts(self, places: Places) -> Facts:
        return _interval(places, (-self.before, self.after))


@dataclass(frozen=True, eq=False)
class Strided(OffsetMask):
    """Every `stride`-th key counted from the query: `δ ≡ 0 (mod stride)`."""

    stride: int

    def __post_init__(self) -> None:
        check_whole("stride", self.stride, 1)

    def holds(self, delta: Index) -> Any:
        return delta % self.stride == 0

    def facts(self, places: Places) -> Facts:
        full = self.stride == 1
        if places.is_static and not full:
            low, high = places.offset_range(self)
            full = surely(number(low) == number(high)) and surely(low % self.stride == 0)
        return _offsets(places, full, cells=(Cell(self.stride, residue=True),))


@dataclass(frozen=True, eq=False)
class Dilated(OffsetMask):
    """A window with gaps: exactly `before` keys before the query and `after` after it, `step` apart, and itself.

    >>> Dilated(2, before=3).conjuncts
    (Window(before=6, after=0), Strided(stride=2))
    """

    step: int
    before: int
    after: int = 0

    def __post_init__(self) -> None:
        check_whole("step", self.step, 1)
        check_whole("before", self.before, 0)
        check_whole("after", self.after, 0)
        check_whole("step · before", self.step * self.before, 0)
        check_whole("step · after", self.step * self.after, 0)

    def holds(self, delta: Index) -> Any:
        return (delta >= -self.step * self.before) & (delta <= self.step * self.after) & (delta % self.step == 0)

    def facts(self, places: Places) -> Facts:
        full = all([part.facts(places).full for part in Dilated.conjuncts.fget(self)])  # pyright: ignore[reportOptionalCall]
        return _offsets(places, full, (-self.step * self.before, self.step * self.after))

    @property
    def conjuncts(self) -> tuple[Mask, ...]:
        return Window(self.step * self.before, self.step * self.after), Strided(self.step)
