"""Formulas as exact rational functions: polynomials over ℚ in the symbols, and in a generator for each function.

A square root is a generator r with r² = what is under it; `log N`, `floor(N/2)`, `2^n` are generators of their own,
the same one wherever the argument has the same normal form. What comes out equal is equal wherever both are defined.
"""

from fractions import Fraction
from functools import lru_cache, reduce
from math import comb, isqrt, lcm, prod
from typing import TYPE_CHECKING, NamedTuple, cast

from regard.formulas import (
    Call,
    E,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
    power,
    product,
)
from regard.grading.formulas import bounds

if TYPE_CHECKING:
    from sympy.polys.rings import PolyElement, PolyRing

LONG = 10**6  # denominators of decimals, which are better written as decimals
SMALL_PRIMES = tuple(n for n in range(2, 100) if all(n % d for d in range(2, isqrt(n) + 1)))


class Beyond(Exception):  # noqa: N818 (never leaves the comparison)
    """No normal form: too large to multiply out, or divided by zero; sizes are compared instead."""


class Ratio(NamedTuple):
    """over / under, not reduced: to compare two, cross-multiply."""

    over: "PolyElement"
    under: "PolyElement"


class Opaque(NamedTuple):
    """A generator that is no symbol: a root of `order`, a logarithm, a power with a symbolic exponent, a function."""

    name: str
    arguments: tuple[Ratio, ...]
    order: int = 0


@lru_cache(maxsize=256)
def ring_of(symbols: tuple[str, ...]) -> "PolyRing":
    from sympy import QQ
    from sympy.polys.orderings import lex
    from sympy.polys.rings import PolyRing

    return PolyRing([f"x{index}" for index in range(len(symbols) + bounds.MAX_OPAQUE)], QQ, lex)


class Algebra:
    """One ring for all the formulas to be compared; `positive` symbols let √(D²) be D, `whole` ones ⌊D + x⌋ D + ⌊x⌋."""

    def __init__(self, symbols: tuple[str, ...], positive: frozenset[str], whole: frozenset[str] = frozenset()):
        self.symbols, self.ring = symbols, ring_of(symbols)
        self.integers = whole
        self.index = {name: place for place, name in enumerate(symbols)}
        self.positive = {self.index[name] for name in positive if name in self.index}
        self.work = 0
        self.opaque: list[Opaque] = []
        self.places: dict[Opaque, int] = {}

    def normal(self, node: Node) -> Ratio:
        """The rational function of a tree; raises `Beyond`."""
        match node:
            case Number(value):
                return self.number(value)
            case Symbol(name, constant):
                return self.generator(Opaque(name, ())) if constant else self.whole(self.ring.gens[self.index[name]])
            case Negative(body):
                over, under = self.normal(body)
                return Ratio(-over, under)
            case Sum(terms):
                return self.total([self.normal(term) for term in terms])
            case Product(factors):
                return reduce(self.times, map(self.normal, factors))
            case Quotient(over, under):
                return self.times(self.normal(over), self.inverse(self.normal(under)))
            case Power(base, exponent):
                return self.power(base, exponent)
            case Call(name, arguments):
                return self.call(name, [self.normal(argument) for argument in arguments])

    def quotient(self, one: Node, two: Node) -> Fraction | None:
        """The constant c with one = c · two; None where there is none. Raises `Beyond`."""
        first, second = self.normal(one), self.normal(two)
        left, right = self.multiplied(first.over, second.under), self.multiplied(second.over, first.under)
        if left == right:
            return Fraction(1)
        ratio = left.LC / right.LC if left and right else None
        return Fraction(int(ratio.numerator), int(ratio.denominator)) if ratio and left == right * ratio else None

    def number(self, value: Fraction) -> Ratio:
        return self.whole(self.ring.ground_new(self.ring.domain(value.numerator, value.denominator)))

    def whole(self, over: "PolyElement") -> Ratio:
        return Ratio(over, self.ring.one)

    def total(self, terms: list[Ratio]) -> Ratio:
        """A sum; terms over the same denominator are added without multiplying it."""
        over, under = terms[0]
        for term in terms[1:]:
            if term.under == under:
                over = over + term.over
            else:
                over = self.multiplied(over, term.under) + self.multiplied(term.over, under)
                under = self.multiplied(under, term.under)
        return Ratio(over, under)

    def times(self, one: Ratio, two: Ratio) -> Ratio:
        return Ratio(self.multiplied(one.over, two.over), self.multiplied(one.under, two.under))

    def inverse(self, ratio: Ratio) -> Ratio:
        if not ratio.over:
            raise Beyond
        return Ratio(ratio.under, ratio.over)

    def multiplied(self, one: "PolyElement", two: "PolyElement") -> "PolyElement":
        self.spend(len(one) * len(two))
        product = one * two
        if len(product) > bounds.MAX_TERMS:
            raise Beyond
        return self.reduced(product)

    def spend(self, pairs: int) -> None:
        """Count pairs of terms before they are multiplied."""
        self.work += pairs
        if self.work > bounds.MAX_WORK:
            raise Beyond

    def reduced(self, poly: "PolyElement") -> "PolyElement":
        """r² replaced by what is under the root, for each root."""
        for place, opaque in enumerate(self.opaque, start=len(self.symbols)):
            if opaque.order and any(monomial[place] >= opaque.order for monomial in poly):
                result = self.ring.zero
                root, inside = self.ring.gens[place], opaque.arguments[0].over
                for monomial, factor in poly.terms():
                    times, rest = divmod(monomial[place], opaque.order)
                    kept = (*monomial[:place], 0, *monomial[place + 1 :])
                    result += self.raised(inside, times) * self.ring.term_new(kept, factor) * root**rest
                poly = self.reduced(result)
        return poly

    def raised(self, poly: "PolyElement", exponent: int) -> "PolyElement":
        """poly^exponent, when its terms and the length of its coefficients can be bounded beforehand."""
        bits = max((c.numerator.bit_length() + c.denominator.bit_length() for c in poly.values()), default=0)
        if exponent > bounds.MAX_EXPONENT and not poly.is_monomial:
            raise Beyond
        terms = comb(exponent + len(poly) - 1, exponent) if len(poly) > 1 else 1
        if exponent * bits > bounds.MAX_BITS or terms > bounds.MAX_TERMS:
            raise Beyond
        self.spend(terms * exponent)
        return self.reduced(poly**exponent) if exponent else self.ring.one

    def power(self, base: Node, exponent: Node) -> Ratio:
        above = self.normal(exponent)
        if not (above.over.is_ground and above.under.is_ground):
            return self.symbolic_power(base, above)
        value = above.over.LC / above.under.LC if above.over else self.ring.domain.zero
        over, under = int(value.numerator), int(value.denominator)
        below = self.normal(base)
        if over < 0:
            below, over = self.inverse(below), -over
        return self.to_power(self.root(below, under) if under > 1 else below, over)

    def to_power(self, ratio: Ratio, exponent: int) -> Ratio:
        over, under = ratio if exponent >= 0 else self.inverse(ratio)
        return Ratio(self.raised(over, abs(exponent)), self.raised(under, abs(exponent)))

    def symbolic_power(self, base: Node, exponent: Ratio) -> Ratio:
        """b^(2n + 1) = (b^n)² · b, 4^n = (2^n)², 2^(n/2) = √(2^n): a generator per base and monomial of exponents."""
        if not exponent.under.is_ground:
            return self.generator(Opaque("power", (self.tidy(self.normal(base)), self.tidy(exponent))))
        broken = lcm(*(int((c / exponent.under.LC).denominator) for c in exponent.over.values()))
        if broken > bounds.MAX_EXPONENT:
            raise Beyond
        if broken > 1:
            return self.root(self.symbolic_power(base, Ratio(exponent.over * broken, exponent.under)), broken)
        if base == E and (found := self.unlogged(exponent)):
            return found
        result = self.whole(self.ring.one)
        for factor, multiplicity in self.bases(base):
            for monomial, c in exponent.over.terms():
                count = int(c / exponent.under.LC) * multiplicity
                if sum(monomial):
                    step = self.whole(self.ring.term_new(monomial, self.ring.domain.one))
                    part = self.generator(Opaque("power", (factor, step)))
                else:
                    part = factor
                result = self.times(result, self.to_power(part, count))
        return result

    def unlogged(self, exponent: Ratio) -> Ratio | None:
        """e^(n·log x) = x^n: None where the exponent is something else than one such term."""
        ((monomial, c),) = exponent.over.terms() if len(exponent.over) == 1 else [((), None)]
        logs = [place for place, n in enumerate(monomial) if n and place >= len(self.symbols)]
        if len(logs) != 1 or monomial[logs[0]] != 1 or self.opaque[logs[0] - len(self.symbols)].name != "log":
            return None
        inside = self.tree(self.opaque[logs[0] - len(self.symbols)].arguments[0])
        rest = self.ring.term_new((*monomial[: logs[0]], 0, *monomial[logs[0] + 1 :]), c)
        return self.power(inside, self.tree(Ratio(rest, exponent.under)))

    def bases(self, base: Node) -> list[tuple[Ratio, int]]:
        """A base as a product of powers whose own powers are independent: 12 as 2²·3."""
        ratio = self.tidy(self.normal(base))
        if not (ratio.over and all(map(self.is_positive, ratio))):
            return [(ratio, 1)]
        return [(self.whole(factor), n) for factor, n in self.split(ratio)]

    def split(self, ratio: Ratio) -> list[tuple["PolyElement", int]]:
        """A ratio in lowest terms as factors with multiplicities, those of the denominator negative."""
        found = []
        for poly, sign in zip(ratio, (1, -1), strict=True):
            content, primitive = poly.primitive()
            numbers = [(self.ring.ground_new(self.ring.domain(p)), n) for p, n in small_factors(int(content))]
            found += [(factor, sign * n) for factor, n in [*numbers, *self.factors(primitive)]]
        return found

    def generator(self, opaque: Opaque) -> Ratio:
        """The generator of a function of arguments in normal form: a new one, or the same as before."""
        place = self.places.get(opaque)
        if place is None:
            if len(self.opaque) == bounds.MAX_OPAQUE:
                raise Beyond
            place = self.places[opaque] = len(self.symbols) + len(self.opaque)
            self.opaque.append(opaque)
            positive = opaque.name == "power" and all(map(self.is_positive, opaque.arguments[0]))
            if positive or opaque.name in ("e", "π", "root"):
                self.positive.add(place)
        return self.whole(self.ring.gens[place])

    def tidy(self, ratio: Ratio) -> Ratio:
        """The ratio in lowest terms with integer coefficients, the denominator's first one positive."""
        over, under = ratio
        if len(over) + len(under) > bounds.MAX_CANCELLED and not under.is_ground:
            raise Beyond
        for place, opaque in enumerate(self.opaque, start=len(self.symbols)):
            if opaque.order and under.is_monomial and (left := under.LM[place]):
                root = self.ring.gens[place] ** (opaque.order - left)
                over, under = self.multiplied(over, root), self.multiplied(under, root)
        if not (under == 1 and all(c.denominator == 1 for c in over.values())):
            over, under = over.cancel(under)
        return Ratio(-over, -under) if under.LC < 0 else Ratio(over, under)

    def is_positive(self, poly: "PolyElement") -> bool:
        """Whether every term is positive at every size: a sufficient test."""
        return all(
            c > 0 and all(n % 2 == 0 or place in self.positive for place, n in enumerate(monomial))
            for monomial, c in poly.terms()
        )

    def factors(self, poly: "PolyElement") -> list[tuple["PolyElement", int]]:
        """Positive irreducible factors with their multiplicities, and all the rest as one."""
        if poly == 1:
            return []
        if len(poly) == 1 and poly.LC == 1:
            powers = [(place, n) for place, n in enumerate(poly.LM) if n]
            others = [self.ring.gens[place] ** n for place, n in powers if place not in self.positive]
            positive = [(self.ring.gens[place], n) for place, n in powers if place in self.positive]
            return [*positive, (prod(others, start=self.ring.one), 1)] if others else positive
        if len(poly) > bounds.MAX_FACTORED or (len(poly) > 1 and max(map(sum, poly)) > bounds.MAX_FACTORED_DEGREE):
            return [(poly, 1)]
        _, found = poly.factor_list()
        found = [(-factor, n) if factor.LC < 0 else (factor, n) for factor, n in found]
        positive = [(factor, n) for factor, n in found if self.is_positive(factor)]
        rest: PolyElement = poly
        for factor, n in positive:
            rest = cast("PolyElement", rest.exquo(factor**n))
        rest = rest.primitive()[1]
        return positive if rest == 1 else [*positive, (rest, 1)]

    def root(self, ratio: Ratio, order: int) -> Ratio:
        """√(a/b) = √(a·b)/b, squares taken out of the root; likewise for the third root and further ones."""
        over, under = self.tidy(ratio)
        if not over:
            return self.whole(over)
        if not self.is_positive(under):
            raise Beyond
        inside = self.multiplied(over, self.raised(under, order - 1))
        outside, roots = self.ring.one, self.ring.one
        for factor, n in self.split(self.whole(inside)):
            times, left = divmod(n, order)
            outside = outside * factor**times
            if left:
                roots = roots * self.generator(Opaque("root", (self.whole(factor),), order)).over ** left
        return Ratio(self.multiplied(outside, roots), under)

    def call(self, name: str, arguments: list[Ratio]) -> Ratio:
        if name == "sqrt":
            return self.root(arguments[0], 2)
        tidy = [self.tidy(argument) for argument in arguments]
        if name == "log":
            top = self.logarithm(tidy[0])
            return top if len(tidy) == 1 else self.times(top, self.inverse(self.logarithm(tidy[1])))
        if name == "abs":
            for over in (tidy[0].over, -tidy[0].over):
                if self.is_positive(over) and self.is_positive(tidy[0].under):
                    return Ratio(over, tidy[0].under)
            return self.root(self.times(tidy[0], tidy[0]), 2)
        if name in ("floor", "ceil") and self.is_whole(tidy[0]):
            return self.rounded(name, *tidy[0])
        if name in ("min", "max"):
            tidy = sorted(set(tidy), key=str)
            if len(tidy) == 1:
                return tidy[0]
        return self.generator(Opaque(name, tuple(tidy)))

    def is_whole(self, ratio: Ratio) -> bool:
        """Whether a fraction is one of integers, the denominator positive."""
        used = {place for poly in ratio for monomial in poly for place, n in enumerate(monomial) if n}
        return self.is_positive(ratio.under) and all(
            place < len(self.symbols) and self.symbols[place] in self.integers for place in used
        )

    def rounded(self, name: str, over: "PolyElement", under: "PolyElement") -> Ratio:
        """⌈p/q⌉ = ⌊(p − 1)/q⌋ + 1 and ⌊(kq + r)/q⌋ = k + ⌊r/q⌋, so that all ways to round have one form."""
        if name == "ceil":
            low = self.rounded("floor", over - 1, under)
            return Ratio(low.over + low.under, low.under)
        if under.is_ground:
            floors = {monomial: int(c) // int(under.LC) for monomial, c in over.terms()}
            quotient = self.ring.from_dict({m: self.ring.domain(c) for m, c in floors.items() if c})
            rest = over - quotient * under
        else:
            (quotient,), rest = over.div([under])
            if any(c.denominator > 1 for poly in (quotient, rest) for c in poly.values()):
                quotient, rest = self.ring.zero, over
        if not rest:
            return self.whole(quotient)
        if rest.is_ground and under.is_ground:
            return self.whole(quotient + int(rest.LC) // int(under.LC))
        if rest.LC < 0:  # ⌊−p/q⌋ = −⌈p/q⌉
            high = self.rounded("ceil", -rest, under)
            return Ratio(quotient * high.under - high.over, high.under)
        return self.total([self.whole(quotient), self.generator(Opaque("floor", (self.tidy(Ratio(rest, under)),)))])

    def logarithm(self, ratio: Ratio) -> Ratio:
        """log(4N²/D) = 2 log 2 + 2 log N − log D, where the factors are positive."""
        if not ratio.over:
            raise Beyond
        logs = [self.generator(Opaque("log", (self.whole(factor),))).over * n for factor, n in self.split(ratio)]
        return self.whole(sum(logs, start=self.ring.zero))

    def tree(self, ratio: Ratio) -> Node:
        """The normal form as a tree: `3·D² + 3·D`, `(N² + N)/2`, `D/(H·K)`."""
        over, under = ratio
        if under.is_ground and under.LC > LONG:
            over, under = over.quo_ground(under.LC), under.ring.one
        if under == 1:
            return self.sum_tree(over)
        negative = len(over) == 1 and over.LC < 0
        quotient = Quotient(self.sum_tree(-over if negative else over), self.sum_tree(under))
        return Negative(quotient) if negative else quotient

    def sum_tree(self, poly: "PolyElement") -> Node:
        """The terms, the largest degree first."""
        terms = []
        for monomial, factor in sorted(poly.terms(), key=lambda term: (-sum(term[0]), tuple(-n for n in term[0]))):
            factors = [power(self.generator_tree(place), n) for place, n in enumerate(monomial) if n]
            size = Fraction(int(factor.numerator), int(factor.denominator))
            if abs(size) != 1 or not factors:
                factors.insert(0, Number(abs(size)))
            term = product(factors)
            terms.append(Negative(term) if size < 0 else term)
        return Sum(tuple(terms)) if len(terms) > 1 else terms[0] if terms else Number(Fraction(0))

    def generator_tree(self, place: int) -> Node:
        """A symbol, or the function that a generator stands for."""
        if place < len(self.symbols):
            return Symbol(self.symbols[place])
        opaque = self.opaque[place - len(self.symbols)]
        arguments = tuple(self.tree(argument) for argument in opaque.arguments)
        if not arguments:
            return Symbol(opaque.name, constant=True)
        if opaque.name == "power":
            return Power(*arguments)
        over = opaque.arguments[0].over
        if opaque.order == 2 and over.is_monomial and all(n % 2 == 0 for n in over.LM) and over.LC == 1:
            return Call("abs", (self.tree(self.whole(self.ring.term_new(tuple(n // 2 for n in over.LM), over.LC))),))
        roots = {2: "sqrt", 3: "cbrt"}
        return Call(roots.get(opaque.order, f"root{opaque.order}") if opaque.order else opaque.name, arguments)


def small_factors(number: int) -> list[tuple[int, int]]:
    """Primes below 100 with their multiplicities, and what is left as one: factoring it could take for ever."""
    found = []
    for prime in SMALL_PRIMES:
        count = 0
        while number % prime == 0:
            number, count = number // prime, count + 1
        if count:
            found.append((prime, count))
    if number == 1:
        return found
    root = isqrt(number)
    return [*found, (root, 2) if root * root == number else (number, 1)]
