"""Exact polynomials in sizes, and how a size is read as one."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Union

Monomial = tuple[tuple[str, int], ...]  # (symbol, exponent), by name
Number = int | Fraction


class Polynomial:
    """A sum of monomials with rational coefficients; exponents may be negative (D/H).

    >>> N, D = Polynomial.symbol("N"), Polynomial.symbol("D")
    >>> print((N + 1) * N / 2 * D)
    D·N²/2 + D·N/2
    >>> ((N + 1) * N / 2)(N=4)
    10
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Monomial, Number]) -> None:
        self.terms = {monomial: Fraction(c) for monomial, c in terms.items() if c}

    @classmethod
    def symbol(cls, name: str) -> "Polynomial":
        return cls({((name, 1),): 1})

    @classmethod
    def of(cls, value: Union["Polynomial", Number]) -> "Polynomial":
        return value if isinstance(value, Polynomial) else cls({(): value})

    def __add__(self, other: Any) -> "Polynomial":
        if not isinstance(other, (Polynomial, int, Fraction)):
            return NotImplemented
        total = dict(self.terms)
        for monomial, c in Polynomial.of(other).terms.items():
            total[monomial] = total.get(monomial, Fraction(0)) + c
        return Polynomial(total)

    __radd__ = __add__

    def __neg__(self) -> "Polynomial":
        return Polynomial({monomial: -c for monomial, c in self.terms.items()})

    def __sub__(self, other: Any) -> "Polynomial":
        return self + (-Polynomial.of(other))

    def __rsub__(self, other: Any) -> "Polynomial":
        return Polynomial.of(other) - self

    def __mul__(self, other: Any) -> "Polynomial":
        if not isinstance(other, (Polynomial, int, Fraction)):
            return NotImplemented
        total: dict[Monomial, Fraction] = {}
        for left, a in self.terms.items():
            for right, b in Polynomial.of(other).terms.items():
                monomial = _joined(left, right, 1)
                total[monomial] = total.get(monomial, Fraction(0)) + a * b
        return Polynomial(total)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Polynomial":
        """By a number or a single term."""
        ((monomial, c),) = Polynomial.of(other).terms.items()
        return Polynomial({_joined(left, monomial, -1): a / c for left, a in self.terms.items()})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Polynomial, int, Fraction)):
            return NotImplemented
        return self.terms == Polynomial.of(other).terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __deepcopy__(self, memo: Any) -> "Polynomial":
        return self

    def __call__(self, **sizes: Number) -> Number:
        """The value at these sizes, exactly."""
        total = Fraction(0)
        for monomial, c in self.terms.items():
            value = c
            for name, exponent in monomial:
                value *= Fraction(sizes[name]) ** exponent
            total += value
        return int(total) if total.denominator == 1 else total

    def replace(self, name: str, value: "Polynomial") -> "Polynomial":
        """Another expression for a symbol; a single term where the symbol is divided by."""
        total = Polynomial({})
        for monomial, c in self.terms.items():
            term = Polynomial({tuple((n, e) for n, e in monomial if n != name): c})
            for _ in range(abs(dict(monomial).get(name, 0))):
                term = term * value if dict(monomial)[name] > 0 else term / value
            total = total + term
        return total

    def degree(self, name: str) -> int:
        """The largest exponent of a symbol."""
        return max((dict(monomial).get(name, 0) for monomial in self.terms), default=0)

    def leading(self, name: str) -> "Polynomial":
        """The terms that grow fastest with a symbol.

        >>> N, D = Polynomial.symbol("N"), Polynomial.symbol("D")
        >>> print((8 * N * D * D + 4 * N * N * D).leading("N"))
        4·D·N²
        """
        most = self.degree(name)
        return Polynomial({m: c for m, c in self.terms.items() if dict(m).get(name, 0) == most})

    @property
    def symbols(self) -> set[str]:
        return {name for monomial in self.terms for name, _ in monomial}

    def sympy(self) -> Any:
        """The same as a SymPy expression in positive symbols."""
        import sympy

        total = sympy.Integer(0)
        for monomial, c in self.terms.items():
            term: Any = sympy.Rational(c.numerator, c.denominator)
            for name, exponent in monomial:
                term = term * sympy.Symbol(name, positive=True) ** exponent
            total = total + term
        return total

    def __str__(self) -> str:
        """Largest degree first."""
        if not self.terms:
            return "0"
        ordered = sorted(self.terms.items(), key=lambda item: (-sum(e for _, e in item[0]), item[0]))
        text = " + ".join([_written(monomial, c) for monomial, c in ordered])
        return text.replace("+ -", "− ").replace("-", "−")

    __repr__ = __str__


def _joined(left: Monomial, right: Monomial, sign: int) -> Monomial:
    exponents = dict(left)
    for name, exponent in right:
        exponents[name] = exponents.get(name, 0) + sign * exponent
    return tuple(sorted((name, e) for name, e in exponents.items() if e))


def _written(monomial: Monomial, c: Fraction) -> str:
    above = [name + _power(e) for name, e in monomial if e > 0]
    below = [name + _power(-e) for name, e in monomial if e < 0]
    number = abs(c.numerator)
    top = "·".join(([str(number)] if number != 1 or not above else []) + above)
    bottom = ([str(c.denominator)] if c.denominator != 1 else []) + below
    sign = "-" if c < 0 else ""
    return sign + top + (f"/{'·'.join(bottom)}" if len(bottom) == 1 else f"/({'·'.join(bottom)})" if bottom else "")


def _power(exponent: int) -> str:
    return "" if exponent == 1 else str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
