"""Costs over sizes: curves, how steep they are in the end, and where one overtakes another."""

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Literal

from regard.explore.api import Reply

QUANTITIES = ("flops", "bytes", "memory", "seconds")
OURS, FULL, PROJECTIONS = "this mechanism", "full attention", "projections"

Costs = dict[str, dict[str, float | None]]  # of each curve, by quantity
Numbers = list[float | None]


class CostCurve(Reply):
    """A cost over the sizes; `exponent` says how it grows at the end, as a power of the tokens."""

    name: str
    kind: Literal["ours", "full", "projections", "algorithm"]
    flops: Numbers
    bytes: Numbers
    memory: Numbers
    seconds: Numbers
    exponent: dict[str, float | None]


class Crossing(Reply):
    """From so many `tokens` on `left` costs less than `right`, or, where `more`, at least as much."""

    quantity: str
    left: str
    right: str
    tokens: int
    more: bool


class Growing:
    """Costs at growing steps: `at` gives the algorithm that is chosen there and what everything costs, once a step."""

    def __init__(
        self, steps: list[int], tokens: Callable[[int], int], at: Callable[[int], tuple[str | None, Costs]]
    ) -> None:
        self.steps, self.tokens, self.at = steps, tokens, cache(at)

    def chosen(self, step: int) -> str | None:
        return self.at(step)[0]

    def value(self, name: str, quantity: str, step: int) -> float | None:
        return self.at(step)[1].get(name, {}).get(quantity)

    def curves(self) -> list[CostCurve]:
        """All of them; algorithms where they do not refuse."""
        kinds: dict[str, Literal["ours", "full", "projections"]] = {}
        kinds |= {OURS: "ours", FULL: "full", PROJECTIONS: "projections"}
        names = dict.fromkeys(kinds) | dict.fromkeys([name for step in self.steps for name in self.at(step)[1]])
        return [self.curve(name, kinds.get(name, "algorithm")) for name in names]

    def curve(self, name: str, kind: Literal["ours", "full", "projections", "algorithm"]) -> CostCurve:
        numbers = {quantity: [self.value(name, quantity, step) for step in self.steps] for quantity in QUANTITIES}
        return CostCurve(
            name=name, kind=kind, **numbers, exponent={key: self.slope(found) for key, found in numbers.items()}
        )

    def slope(self, numbers: Numbers) -> float | None:
        """The exponent between the last two steps: 2 where twice the tokens cost four times as much."""
        before, after = numbers[-2:]
        if not before or not after:
            return None
        return math.log(after / before) / math.log(self.tokens(self.steps[-1]) / self.tokens(self.steps[-2]))

    def crossings(self, left: str, right: str) -> Iterator[Crossing]:
        """Where one overtakes the other for the last time, exact to a step, for each quantity that both have."""
        for quantity in QUANTITIES:
            found = [(step, self.is_more(left, right, quantity, step)) for step in self.steps]
            known = [(step, more) for step, more in found if more is not None]
            turns = [(a, b) for a, b in zip(known, known[1:], strict=False) if a[1] != b[1]]
            if turns:
                (low, _), (high, more) = turns[-1]
                while high - low > 1:
                    middle = (low + high) // 2
                    if self.is_more(left, right, quantity, middle) == more:
                        high = middle
                    else:
                        low = middle
                yield Crossing(quantity=quantity, left=left, right=right, tokens=self.tokens(high), more=more)

    def is_more(self, left: str, right: str, quantity: str, step: int) -> bool | None:
        """Whether the left one costs at least as much."""
        one, other = self.value(left, quantity, step), self.value(right, quantity, step)
        return None if one is None or other is None else one >= other
