"""Operations on single numbers, counted one by one while an expression is evaluated."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Scalar:
    """A number that enters every multiplication and every addition into a tally; it can do nothing else."""

    value: float
    tally: Counter[str]

    def __mul__(self, other: "Scalar") -> "Scalar":
        self.tally["multiplications"] += 1
        return Scalar(self.value * other.value, self.tally)

    def __add__(self, other: "Scalar") -> "Scalar":
        self.tally["additions"] += 1
        return Scalar(self.value + other.value, self.tally)


def count_operations(evaluate: Callable[..., Any], *arrays: Any) -> tuple[int, float]:
    """The multiplications and additions of an expression in these arrays, whose result is a number, and that number.

    An inner product of n entries takes n multiplications and n − 1 additions.

    >>> count_operations(lambda W, x: x @ (W @ x), np.ones((2, 2)), np.ones(2))
    (9, 4.0)
    """
    tally: Counter[str] = Counter()
    wrap = np.vectorize(lambda value: Scalar(float(value), tally), otypes=[object])
    value = evaluate(*[wrap(array) for array in arrays]).value
    return tally.total(), value
