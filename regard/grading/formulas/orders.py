"""Orders of growth in several sizes: whether `O(N²D + N)` is the class `Θ(N²D)`.

Every size may go to infinity or stay where it is, on its own, except where the domain orders two of them (a divisor is
at most what it divides). Then a product of powers is covered by a sum of such products exactly when its exponents lie
under the convex hull of theirs: N·D is redundant in O(N² + D²), as the geometric mean is at most the arithmetic one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

from regard.formulas import (
    Call,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
    decimal,
    is_constant,
    power,
    product,
    raise_text,
    walk,
    write,
)
from regard.grading.formulas.bounds import MAX_SIZES_OF_ORDER, MAX_TERMS, MAX_TERMS_OF_ORDER, Unreadable
from regard.grading.formulas.domain import Domain
from regard.grading.formulas.evaluation import evaluate
from regard.grading.formulas.expression import Expression, compare
from regard.grading.reading.reading import read

LARGE = 10**30  # factors beyond are shown rounded
INFINITE = Fraction(10**9)
SLOW = Fraction(1, 1000)  # log N counts as N^(1/1000): above every constant, below every power that can be written


@dataclass(frozen=True)
class Growth:
    """factor · Π symbol^power · Π log(symbol)^power."""

    factor: Fraction
    powers: tuple[Fraction, ...]
    logs: tuple[Fraction, ...]

    def times(self, other: "Growth", sign: int = 1) -> "Growth":
        pairs = (self.powers, other.powers), (self.logs, other.logs)
        powers, logs = (tuple(a + sign * b for a, b in zip(*pair, strict=True)) for pair in pairs)
        return Growth(self.factor * other.factor**sign, powers, logs)

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


@dataclass(frozen=True, kw_only=True)
class Order:
    r"""An order of growth: the letter it was written with ("O", "Θ", "Ω" or "" for none) and what is inside.

    >>> parse_order(r"\mathcal{O}(4N^2 D + N D)", ["N", "D"]).canonical()
    'O(N²·D)'
    """

    letter: str
    expression: Expression

    def __str__(self) -> str:
        return " = ".join(f"{self.letter}({side})" if self.letter else str(side) for side in self.expression.sides)

    def tight(self) -> "Order | None":
        """The other reading, where `N log ND` is N·log(N·D); None where there is none."""
        other = self.expression.tight()
        return other and replace(self, expression=other)

    def canonical(self) -> str:
        """Its growing terms without constants, each covered by no other; as it was read where it has no such terms."""
        domain = Domain.parse(dict.fromkeys(self.expression.symbols, "positive"))
        try:
            terms = essential(growths(self.expression, domain), domain)
        except Unreadable:
            return str(self)
        return f"{self.letter or 'Θ'}({' + '.join(term.text(domain.symbols) for term in terms)})"


@dataclass(frozen=True, kw_only=True)
class OrderComparison:
    """Whether two orders are the same class, and in words what is too much and what is too little."""

    equal: bool
    redundant: tuple[str, ...] = ()  # "N·D, which N²·D covers", "the factor 4": true, accepted, and named
    missing: tuple[str, ...] = ()  # "N·D², as D → ∞ with N fixed": of the truth, not covered by the answer
    excess: tuple[str, ...] = ()  # "N³, as N → ∞ with D fixed": of the answer, an upper bound but not tight
    side: int = 0  # which side of `O(N) = O(2N)` this is said of


def parse_order(text: str, symbols: Sequence[str]) -> Order:
    r"""Read `O(N²D)`, `\Theta(N)`, `\mathcal{O}(N)`, `O(N) + O(D)` or a bare expression; raises `Unreadable`."""
    names = tuple(symbols)
    found = read(text, names, order=True)
    expression = Expression(text=text, symbols=names, trees=found.trees, sure=found.sure)
    return Order(letter=found.letter, expression=expression)


def compare_orders(answer: Order, truth: Order, domain: Domain) -> OrderComparison:
    """Two orders as classes of functions of the sizes of the domain; every side of `O(N) = O(2N)` must be right.

    >>> domain = Domain.parse({"N": "positive", "D": "positive"})
    >>> order = lambda text: parse_order(text, domain.symbols)
    >>> compare_orders(order("O(4N²D + ND)"), order("Θ(N²D)"), domain).redundant
    ('N·D, which N²·D covers', 'the factor 4')
    >>> compare_orders(order("O(N²)"), order("Θ(N²D)"), domain).missing
    ('N²·D, as D → ∞ with N fixed',)
    """
    result = OrderComparison(equal=True)
    for number, side in enumerate(answer.expression.sides):
        result = compare_side(replace(answer, expression=side), truth, domain, number)
        if not result.equal:
            break
    return result


def compare_side(answer: Order, truth: Order, domain: Domain, side: int) -> OrderComparison:
    if compare_exactly(answer, truth, domain):
        return OrderComparison(equal=True, side=side)
    yours, true = growths(answer.expression, domain), growths(truth.expression, domain)
    kept = essential(yours, domain)
    missing, excess = (
        tuple(f"{term.text(domain.symbols)}, as {way}" for term in terms if (way := escape(term, others, domain)))
        for terms, others in ((essential(true, domain), kept), (kept, true))
    )
    found = redundancies(yours, kept, domain)
    return OrderComparison(equal=not missing + excess, redundant=found, missing=missing, excess=excess, side=side)


def compare_exactly(answer: Order, truth: Order, domain: Domain) -> bool:
    """Whether they are equal formulas with exponents such as 2^N, which are no powers of the sizes."""
    nodes = [node for order in (answer, truth) for node, _ in walk(order.expression.tree)]
    if all(is_constant(node.exponent) for node in nodes if isinstance(node, Power)):
        return False
    result = compare(answer.expression, truth.expression, domain)
    if result.equal or (result.factor or 0) > 0:
        return True
    only = "an order with a size in an exponent can only be equal to the same formula, up to a constant"
    raise Unreadable(f"{only}: got {answer}; write the term that grows fastest, as simply as possible")


def redundancies(terms: list[Growth], kept: list[Growth], domain: Domain) -> tuple[str, ...]:
    found = []
    for term in terms:
        if term not in kept:
            by = next((other for other in kept if escape(term, [other], domain) is None), None)
            names = by.text(domain.symbols) if by else " + ".join(other.text(domain.symbols) for other in kept)
            found.append(f"{term.text(domain.symbols)}, which {names} covers")
    constants = dict.fromkeys(term.factor for term in kept if term.factor != 1)
    shown = (str(factor) if factor.numerator < LARGE else decimal(factor) for factor in constants)
    return (*found, *(f"the factor {factor}" for factor in shown))


def essential(terms: list[Growth], domain: Domain) -> list[Growth]:
    """The terms that the others do not cover; of two that cover each other the first."""
    kept = list(terms)
    for term in reversed(terms):
        others = [other for other in kept if other is not term]
        if is_below_one(term, others, domain):
            kept = others
    if len(kept) > MAX_TERMS_OF_ORDER:
        most = f"{MAX_TERMS_OF_ORDER} terms, none above another"
        raise Unreadable(f"an order may have {most}: got {len(kept)}; write the fastest")
    for term in reversed(kept[:]):
        others = [other for other in kept if other is not term]
        if others and escape(term, others, domain) is None:
            kept = others
    return kept


def is_below_one(term: Growth, others: Iterable[Growth], domain: Domain) -> bool:
    """Whether one of the others is at least the term in every direction."""
    return any(all(along(term, way) <= along(other, way) for way in rays(domain)) for other in others)


def escape(term: Growth, others: Iterable[Growth], domain: Domain) -> str | None:
    """The direction in which a term outgrows all the others, in words; None if they cover it.

    Sizes are t^x: maximise x·term − max x·other over x ≥ 0 with the domain's orderings, x ≤ 1.
    """
    others = list(others)
    most = lambda way: max((along(other, way) for other in others), default=-INFINITE)  # noqa: E731
    way: Sequence[Fraction] | None = next((way for way in rays(domain) if along(term, way) > most(way)), None)
    if way is None and not is_below_one(term, others, domain):
        way = best_direction(term, others, domain)
    return None if way is None else in_words(way, domain.symbols, [term, *others])


@lru_cache(maxsize=128)
def rays(domain: Domain) -> tuple[tuple[Fraction, ...], ...]:
    """Directions in which some sizes grow alike and the others stay: the edges of what the domain allows."""
    symbols, orderings = domain.symbols, list(domain.orderings())
    if len(symbols) > MAX_SIZES_OF_ORDER:
        most = f"an order may have {MAX_SIZES_OF_ORDER} sizes"
        raise Unreadable(f"{most}: got {len(symbols)}; leave out those that it does not name")
    sets = [set(chosen) for number in range(1, len(symbols) + 1) for chosen in combinations(symbols, number)]
    closed = [chosen for chosen in sets if all(large in chosen for small, large in orderings if small in chosen)]
    return tuple(tuple(Fraction(name in chosen) for name in symbols) for chosen in closed)


def along(term: Growth, way: Sequence[Fraction]) -> Fraction:
    return sum((power * step for power, step in zip(term.exponents, way, strict=True)), Fraction(0))


def best_direction(term: Growth, others: list[Growth], domain: Domain) -> list[Fraction] | None:
    """The linear program, solved exactly."""
    from sympy import Rational
    from sympy.solvers.simplex import linprog

    number = len(domain.symbols)
    pairs = [list(zip(term.exponents, other.exponents, strict=True)) for other in others]
    # maximise s: s ≤ x·term − x·other for every other
    rows: list[list] = [[*(Rational(*(b - a).as_integer_ratio()) for a, b in pair), 1] for pair in pairs]
    rows += [[*((x == small) - (x == large) for x in domain.symbols), 0] for small, large in domain.orderings()]
    best, way = linprog([0] * number + [-1], rows, [0] * len(rows), bounds=[(0, 1)] * number + [(0, 1000)])
    return [Fraction(str(step)) for step in way[:number]] if best < 0 else None


def in_words(way: Sequence[Fraction], symbols: Sequence[str], terms: list[Growth]) -> str:
    """`N → ∞ with D fixed`, `D = N → ∞`, `D = N^(1/2), N → ∞`; of the sizes that the terms name."""
    moving = [(name, step) for name, step in zip(symbols, way, strict=True) if step]
    named = [any(term.exponents[place] for term in terms) for place in range(len(symbols))]
    still = [name for name, step, matters in zip(symbols, way, named, strict=True) if matters and not step]
    lead, pace = max(moving, key=lambda pair: pair[1])
    equal = [name for name, step in moving if step == pace]
    slower = [f"{name} = {lead}{raise_text(str(step / pace))}" for name, step in moving if step != pace]
    fixed = f" with {', '.join(still)} fixed" if still else ""
    return ", ".join([*slower, " = ".join(equal) + " → ∞"]) + fixed


def growths(expression: Expression, domain: Domain) -> list[Growth]:
    """The terms of an order, multiplied out; negative ones are left out where a positive one covers them."""
    terms = merged(Expansion(domain).terms(expression.tree))
    positive = [term for term in terms if term.factor > 0]
    everything = [Fraction(1)] * len(domain.symbols)
    for term in terms:
        below = any(along(other, everything) > along(term, everything) for other in positive)
        if term.factor < 0 and (not below or escape(term, positive, domain)):
            got = f"−{term.text(domain.symbols)}, which no other term outgrows"
            raise Unreadable(f"an order must be a sum of growing terms: got {got}; write them without differences")
    if not positive:
        raise Unreadable(f"an order must have a term: got {expression}, which is zero; write what grows fastest")
    return positive


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
        if is_constant(node):  # exact where it is rational; of another only the sign matters
            value: Any = evaluate(node, {})
            exact = value if isinstance(value, Fraction) else Fraction(1 if value > 0 else -1)
            return [self.constant(exact)] if exact else []
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
        built = "powers, products, sums, logarithms and max"
        raise Unreadable(f"an order must be built of {built}: got min; write the term that it is")

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
            one = f"{place} of an order must be one positive term"
            raise Unreadable(f"{one}: got {len(terms)} terms; write the fastest")
        return terms[0]

    def power(self, base: Node, exponent: Node) -> list[Growth]:
        if not is_constant(exponent):
            built = "an order must be built of powers of the sizes"
            raise Unreadable(f"{built}: got a size in an exponent; write powers such as N²")
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
        powers, logs = (tuple(power * n for n in exponents) for exponents in (term.powers, term.logs))
        return Growth(Fraction(1), powers, logs)

    def logarithm(self, node: Node) -> list[Growth]:
        """log(N²D) is of the order log N + log D."""
        term = self.single(node, "the logarithm")
        if any(power < 0 for power in term.powers):
            raise Unreadable("the logarithm of an order must be that of a growing term: got a quotient; write log N")
        powers = zip(self.symbols, term.powers, strict=True)
        return [Growth(Fraction(1), self.zero, self.unit(name)) for name, power in powers if power]
