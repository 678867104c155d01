"""Operations counted one by one, and orders of growth read from counted polynomials."""

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from regard.analysis.formulas import Polynomial, Sum, Symbol, power, product, write

Powers = tuple[int, int]  # of N and of D


@dataclass
class Tally:
    """How many multiplications and additions the numbers of one evaluation went through."""

    operations: int = 0


@dataclass(frozen=True)
class Number:
    """A number that tells its tally of every multiplication and every addition; nothing else is counted.

    >>> tally = Tally()
    >>> (
    ...     inner([Number(2.0, tally), Number(3.0, tally)], [Number(4.0, tally), Number(5.0, tally)]).value,
    ...     tally.operations,
    ... )
    (23.0, 3)
    """

    value: float
    tally: Tally = field(repr=False)

    def __mul__(self, other: "Number") -> "Number":
        self.tally.operations += 1
        return Number(self.value * other.value, self.tally)

    def __add__(self, other: "Number") -> "Number":
        self.tally.operations += 1
        return Number(self.value + other.value, self.tally)


Vector = Sequence[Number]


def inner(a: Vector, b: Vector) -> Number:
    """An inner product of n entries: n multiplications and n − 1 additions."""
    return functools.reduce(operator.add, [x * y for x, y in zip(a, b, strict=True)])


def times(matrix: Sequence[Vector], x: Vector) -> list[Number]:
    """A matrix times a vector: an inner product for each row."""
    return [inner(row, x) for row in matrix]


def numbers(tensor: Tensor, tally: Tally) -> Any:
    """A vector or a matrix of counted numbers."""
    return [numbers(part, tally) for part in tensor] if tensor.ndim else Number(float(tensor), tally)


def drawn(*sizes: int, seed: int = 0) -> Tensor:
    """Normal numbers in float64."""
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def order(found: Polynomial, **instead: str) -> frozenset[Powers]:
    """The powers of N and D of the terms that no other term dominates; `instead` reads one size as another.

    >>> N, D, S = (Polynomial.symbol(name) for name in "NDS")
    >>> sorted(order(N * N * D + N * D * D + N * D)), sorted(order(N * S * D, S="N"))
    ([(1, 2), (2, 1)], [(2, 1)])
    """
    terms = []
    for monomial in found.terms:
        powers = {"N": 0, "D": 0}
        for name, exponent in monomial:
            powers[instead.get(name, name)] += exponent
        terms.append((powers["N"], powers["D"]))
    return leading(terms)


def leading(terms: Sequence[Powers] | frozenset[Powers]) -> frozenset[Powers]:
    """The terms that no other one dominates.

    >>> sorted(leading([(2, 2), (2, 1), (1, 2)]))
    [(2, 2)]
    """
    return frozenset((n, d) for n, d in terms if not any((n, d) != (m, e) and n <= m and d <= e for m, e in terms))


def written(terms: frozenset[Powers]) -> str:
    """An order in words.

    >>> written(frozenset({(1, 2), (2, 1)}))
    'O(N²·D + N·D²)'
    """
    parts = [[power(Symbol(name), n) for name, n in zip("ND", powers, strict=True) if n] for powers in sorted(terms)]
    return f"O({write(Sum(tuple(map(product, parts[::-1]))))})"


def slope(low: float, high: float, factor: float) -> float:
    """The exponent of a power law that takes one count to the other when the size grows by the factor."""
    return math.log(high / low) / math.log(factor)
