"""How costs grow with the number of tokens: curves, their exponents at the end, and where one overtakes another."""

import math
from collections.abc import Callable, Iterator
from typing import Any, Literal

from regard.explore.api import Response

QUANTITIES = ("flops", "bytes", "memory", "seconds")
OURS, FULL, PROJECTIONS = "this mechanism", "full attention", "projections"
FEW = 256  # steps of which many can be looked at
LOOKS = 600  # for one kind of cost
# Where costs jump and may drop: around multiples of a block, and at every multiple of a small stride.
BLOCKS = [*range(192, 1025, 64), *[1 << power for power in range(11, 16)]]
EDGES = [*range(128, 162), *[edge + by for edge in BLOCKS for by in (-1, 0, 1, 2)]]

Costs = dict[str, dict[str, float | None]]  # of each curve, by quantity
Numbers = list[float | None]


class CostCurve(Response):
    """A cost over the sizes; `exponent` says how it grows at the end, as a power of the tokens."""

    name: str
    kind: Literal["ours", "full", "projections", "algorithm"]
    flops: Numbers
    bytes: Numbers
    memory: Numbers
    seconds: Numbers
    exponent: dict[str, float | None]


class Crossing(Response):
    """From so many `tokens` on `left` costs less than `right`, or, where `more`, at least as much.

    Where not `exact`, this holds at the sizes that were looked at, and another may differ.
    """

    quantity: str
    left: str
    right: str
    tokens: int
    more: bool
    exact: bool


class Growth:
    """Costs at growing sizes: `at(step)` gives the chosen algorithm and all costs there, and is called once a step."""

    def __init__(
        self, steps: list[int], tokens: Callable[[int], int], at: Callable[[int], tuple[str | None, Costs]]
    ) -> None:
        self.steps, self.tokens, self.ask = steps, tokens, at
        self.known: dict[int, tuple[str | None, Costs]] = {}

    def at(self, step: int) -> tuple[str | None, Costs]:
        if step not in self.known:
            self.known[step] = self.ask(step)
        return self.known[step]

    def value(self, name: str, quantity: str, step: int) -> float | None:
        return self.at(step)[1].get(name, {}).get(quantity)

    def curves(self) -> list[CostCurve]:
        """All of them; algorithms where they do not refuse."""
        kinds: dict[str, Any] = {OURS: "ours", FULL: "full", PROJECTIONS: "projections"}
        curves = []
        for name in dict.fromkeys([*kinds, *[name for step in self.steps for name in self.at(step)[1]]]):
            numbers = {quantity: [self.value(name, quantity, step) for step in self.steps] for quantity in QUANTITIES}
            exponent = {quantity: self.slope(found) for quantity, found in numbers.items()}
            curves.append(CostCurve(name=name, kind=kinds.get(name, "algorithm"), **numbers, exponent=exponent))
        return curves

    def slope(self, numbers: Numbers) -> float | None:
        """The exponent between the last two steps: 2 where twice the tokens cost four times as much."""
        before, after = numbers[-2:]
        if not before or not after:
            return None
        return math.log(after / before) / math.log(self.tokens(self.steps[-1]) / self.tokens(self.steps[-2]))

    def crossings(self, left: str, right: str) -> Iterator[Crossing]:
        """Where one overtakes the other for the last time, for each quantity that both have."""
        for quantity in QUANTITIES:
            found = [(step, self.is_more(left, right, quantity, step)) for step in self.steps]
            known = [(step, more) for step, more in found if more is not None]
            turns = [(a, b) for a, b in zip(known, known[1:], strict=False) if a[1] != b[1]]
            if turns:
                (low, _), (_, more) = turns[-1]
                later = [step for step, _ in known if step >= low]
                last = self.last(left, right, quantity, later, not more)
                exact = len(self.known) < LOOKS and self.is_steady(left, right, quantity)
                if not exact:
                    last = self.last(left, right, quantity, self.odd(later), not more)
                yield Crossing(
                    quantity=quantity, left=left, right=right, tokens=self.tokens(last + 1), more=more, exact=exact
                )

    def last(self, left: str, right: str, quantity: str, steps: list[int], more: bool) -> int:
        """The last step at which the left one costs at least as much, or less, as it does at the first of these.

        Costs have jumps, so that between two steps anything may happen, unless the bounds there exclude it: halves are
        looked at until they do, from the end on.
        """
        parts = list(zip(steps, steps[1:], strict=False))
        while True:
            low, high = parts.pop()
            middle, is_here = (low + high) // 2, self.is_more(left, right, quantity, low) in (more, None)
            if is_here and middle == low:
                return low
            if is_here:
                parts = []  # what comes before does not matter any more
            elif middle == low or len(self.known) >= LOOKS:
                continue
            if is_here or not self.is_never(left, right, quantity, low, high, more):
                at_middle = self.is_more(left, right, quantity, middle) in (more, None)
                parts += [(middle, high)] if at_middle else [(low, middle), (middle, high)]

    def odd(self, steps: list[int]) -> list[int]:
        """More of them, off the multiples of blocks, at which a cost that drops is low."""
        more = [] if self.are_few else [step + i * step // 8 + 1 for step in steps[:-1] for i in range(8)]
        return sorted({*steps, *more})

    @property
    def are_few(self) -> bool:
        return self.steps[-1] - self.steps[0] <= FEW

    def is_never(self, left: str, right: str, quantity: str, low: int, high: int, more: bool) -> bool:
        """Whether bounds say that from `low` to `high` the left one never costs at least as much, or less."""
        one, other = self.bounds(left, quantity, low, high), self.bounds(right, quantity, low, high)
        if one is None or other is None:
            return False
        return one[1] < other[0] if more else one[0] >= other[1]

    def bounds(self, name: str, quantity: str, low: int, high: int) -> tuple[float, float] | None:
        """The least and the most that it costs from `low` to `high`, where the cost of each algorithm never drops;
        to half, where steps are few.

        The fastest is chosen: none that is slower at `low` already than the fastest is at `high`.
        """
        slack = 2 if self.are_few and low < high and name == OURS else 1
        fastest = self.value(name, "seconds", high)
        least, most = list[float](), list[float]()
        for option in self.options(name, low) | self.options(name, high):
            begin, soonest, end = (
                self.value(option, *which) for which in ((quantity, low), ("seconds", low), (quantity, high))
            )
            if fastest is not None and soonest is not None and soonest > slack * fastest:
                continue
            if begin is None or end is None:
                return None
            least.append(begin)
            most.append(end)
        return (min(least) / slack, max(most) * slack) if least else None

    def options(self, name: str, step: int) -> set[str]:
        """The curves among which the step's cost is: of the mechanism, those of its algorithms."""
        return set(self.at(step)[1]) - {OURS, FULL, PROJECTIONS} if name == OURS else {name}

    def is_steady(self, left: str, right: str, quantity: str) -> bool:
        """Whether no cost that bounds are made of drops anywhere that was looked at, nor where jumps are likely."""
        steps = sorted({*self.known, *[step for step in EDGES if step < self.steps[-1]]})
        for low, high in zip(steps, steps[1:], strict=False):
            for option in self.options(left, high) | self.options(right, high):
                for which in {quantity, "seconds"}:
                    before, after = self.value(option, which, low), self.value(option, which, high)
                    if before is not None and after is not None and before > after:
                        return False
        return True

    def is_more(self, left: str, right: str, quantity: str, step: int) -> bool | None:
        """Whether the left one costs at least as much."""
        one, other = self.value(left, quantity, step), self.value(right, quantity, step)
        return None if one is None or other is None else one >= other
