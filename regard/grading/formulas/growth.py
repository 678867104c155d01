"""The terms of an order of growth: products of powers of the sizes and of their logarithms."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

from regard.analysis.formulas import (
    Call,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
    is_constant,
    power,
    product,
    write,
)
from regard.grading.formulas.bounds import MAX_TERMS, Unreadable
from regard.grading.formulas.domain import Domain
from regard.grading.formulas.evaluation import evaluate

SLOW = Fraction(1, 1000)  # log N counts as N^(1/1000): above every constant, below every power that can be written


@dataclass(frozen=True)
class Growth:
    """factor · Π symbol^power · Π log(symbol)^power."""

    factor: Fraction
    powers: tuple[Fraction, ...]
    logs: tuple[Fraction, ...]

    def times(self, other: "Growth", sign: int = 1) -> "Growth":
        powers = tuple(a + sign * b for a, b in zip(self.powers, other.powers, strict=True))
        logs = tuple(a + sign * b for a, b in zip(self.logs, other.logs, strict=True))
        return Growth(self.factor * (other.factor if sign > 0 else 1 / other.factor), powers, logs)

    @cached_property
    def exponents(self) -> tuple[Fraction, ...]:
        return tuple(power + SLOW * log for power, log in zip(self.powers, self.logs, strict=True))

    def text(self, symbols: Sequence[str]) -> str:
        over, under = [], []
        for name, exponent, log in zip(symbols, self.powers, self.logs, strict=True):
            for base, n in ((Symbol(name), exponent), (Call("log", (Symbol(name),)), log)):
                if n:
                    (over if n > 0 else under).append(power(base, abs(n)))
        return write(Quotient(product(over), product(under)) if under else product(over))


def merged(terms: list[Growth]) -> list[Growth]:
    """Like terms added up."""
    factors: dict[tuple, Fraction] = {}
    for term in terms:
        key = term.powers, term.logs
        factors[key] = factors.get(key, Fraction(0)) + term.factor
    return [Growth(factor, *key) for key, factor in factors.items() if factor]


class Expansion:
    """A tree as a sum of products of powers and logarithms."""

    def __init__(self, domain: Domain):
        self.symbols = domain.symbols
        self.zero = (Fraction(0),) * len(self.symbols)

    def constant(self, factor: Fraction) -> Growth:
        return Growth(factor, self.zero, self.zero)

    def unit(self, name: str) -> tuple[Fraction, ...]:
        return tuple(Fraction(symbol == name) for symbol in self.symbols)

    def terms(self, node: Node) -> list[Growth]:
        if is_constant(node):
            return self.number(node)
        match node:
            case Symbol(name):
                return [Growth(Fraction(1), self.unit(name), self.zero)]
            case Negative(body):
                return [self.constant(Fraction(-1)).times(term) for term in self.terms(body)]
            case Sum(parts):
                return [term for part in parts for term in self.terms(part)]
            case Product(factors):
                return self.product([self.terms(factor) for factor in factors])
            case Quotient(over, under):
                below = self.single(under, "a denominator")
                return [term.times(below, -1) for term in self.terms(over)]
            case Power(base, exponent):
                return self.power(base, exponent)
            case Call("log", arguments):
                return self.logarithm(arguments[0])
            case Call("sqrt", arguments):
                return self.power(arguments[0], Number(Fraction(1, 2)))
            case Call("max", arguments):
                return [term for part in arguments for term in self.terms(part)]
            case Call("ceil", arguments):
                return [*self.terms(arguments[0]), self.constant(Fraction(1))]
            case Call("floor" | "abs", arguments):
                return self.terms(arguments[0])
        raise Unreadable(
            "an order must be built of powers, products, sums, logarithms and max: got min; write the term that it is"
        )

    def number(self, node: Node) -> list[Growth]:
        """A constant: exact where it is rational; of another only the sign matters."""
        value = evaluate(node, {})
        exact = value if isinstance(value, Fraction) else Fraction(1 if cast(Any, value) > 0 else -1)
        return [self.constant(exact)] if exact else []

    def product(self, lists: list[list[Growth]]) -> list[Growth]:
        result = [self.constant(Fraction(1))]
        for terms in lists:
            if len(result) * len(terms) > MAX_TERMS:
                raise Unreadable(f"an order may have {MAX_TERMS} terms: got more; write the ones that grow fastest")
            result = merged([one.times(two) for one in result for two in terms])
        return result

    def single(self, node: Node, place: str) -> Growth:
        terms = self.terms(node)
        if len(terms) != 1 or terms[0].factor < 0:
            raise Unreadable(
                f"{place} of an order must be one positive term: got {len(terms)} terms; write the fastest"
            )
        return terms[0]

    def power(self, base: Node, exponent: Node) -> list[Growth]:
        if not is_constant(exponent):
            raise Unreadable(
                "an order must be built of powers of the sizes: got a size in an exponent; write powers such as N²"
            )
        power = evaluate(exponent, {})
        if not isinstance(power, Fraction):
            raise Unreadable("an exponent of an order must be rational: got another; write it as a fraction")
        terms = self.terms(base)
        if power > 0 and all(term.factor > 0 for term in terms):  # (a + b)^p and a^p + b^p are of the same order
            return [self.lifted(term, power) for term in terms]
        if power.denominator == 1 and power >= 0:
            return self.product([terms] * int(power))
        return [self.lifted(self.single(base, "the base of a negative power"), power)]

    def lifted(self, term: Growth, power: Fraction) -> Growth:
        scaled = [tuple(power * n for n in exponents) for exponents in (term.powers, term.logs)]
        return Growth(Fraction(1), scaled[0], scaled[1])

    def logarithm(self, node: Node) -> list[Growth]:
        """log(N²D) is of the order log N + log D."""
        term = self.single(node, "the logarithm")
        if any(power < 0 for power in term.powers):
            raise Unreadable("the logarithm of an order must be that of a growing term: got a quotient; write log N")
        return [
            Growth(Fraction(1), self.zero, self.unit(name))
            for name, power in zip(self.symbols, term.powers, strict=True)
            if power
        ]
