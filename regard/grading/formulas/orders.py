"""Orders of growth in several sizes: whether `O(N²D + N)` is the class `Θ(N²D)`.

Every size may go to infinity or stay where it is, on its own, except where the domain orders two of them (a divisor is
at most what it divides). Then a product of powers is covered by a sum of such products exactly when its exponents lie
under the convex hull of theirs: N·D is redundant in O(N² + D²), as the geometric mean is at most the arithmetic one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import combinations
from typing import Any, NamedTuple

from regard.formulas import (
    Call,
    Monomial,
    Negative,
    Node,
    Number,
    Polynomial,
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
LOG = "log "  # before the name of a size
SLOW = Fraction(1, 1000)  # log N counts as N^(1/1000): above every constant, below every power that can be written


class Growth(NamedTuple):
    """A term of an order: its factor, the exponent of each size in the domain's order, and how it is written."""

    factor: Fraction
    exponents: tuple[Fraction, ...]
    text: str


@dataclass(frozen=True, kw_only=True)
class Order(Expression):
    r"""An order of growth: the letter it was written with ("O", "Θ", "Ω" or "" for none) and what is inside.

    >>> parse_order(r"\mathcal{O}(4N^2 D + N D)", ["N", "D"]).canonical()
    'O(N²·D)'
    """

    def __str__(self) -> str:
        return " = ".join(f"{self.letter}({write(tree)})" if self.letter else write(tree) for tree in self.trees)

    def canonical(self) -> str:
        """Its growing terms without constants, each covered by no other; as it was read where it has no such terms."""
        domain = Domain.parse(dict.fromkeys(self.symbols, "positive"))
        try:
            terms = essential(growths(self, domain), domain)
        except Unreadable:
            return str(self)
        return f"{self.letter or 'Θ'}({' + '.join(term.text for term in terms)})"


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
    return Order(**vars(read(text, tuple(symbols), order=True)))


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
    for number, side in enumerate(answer.sides):
        result = compare_side(side, truth, domain, number)
        if not result.equal:
            break
    return result


def compare_side(answer: Order, truth: Order, domain: Domain, side: int) -> OrderComparison:
    if compare_exactly(answer, truth, domain):
        return OrderComparison(equal=True, side=side)
    yours, true = growths(answer, domain), growths(truth, domain)
    kept = essential(yours, domain)
    missing, excess = (
        tuple(f"{term.text}, as {way}" for term in terms if (way := escape(term, others, domain)))
        for terms, others in ((essential(true, domain), kept), (kept, true))
    )
    found = redundancies(yours, kept, domain)
    return OrderComparison(equal=not missing + excess, redundant=found, missing=missing, excess=excess, side=side)


def compare_exactly(answer: Order, truth: Order, domain: Domain) -> bool:
    """Whether they are equal formulas with exponents such as 2^N, which are no powers of the sizes."""
    nodes = [node for order in (answer, truth) for node, _ in walk(order.tree)]
    if all(is_constant(node.exponent) for node in nodes if isinstance(node, Power)):
        return False
    result = compare(answer, truth, domain)
    if result.equal or (result.factor or 0) > 0:
        return True
    only = "an order with a size in an exponent can only be equal to the same formula, up to a constant"
    raise Unreadable(f"{only}: got {answer}; write the term that grows fastest, as simply as possible")


def redundancies(terms: list[Growth], kept: list[Growth], domain: Domain) -> tuple[str, ...]:
    found = []
    for term in terms:
        if term not in kept:
            by = next((other for other in kept if escape(term, [other], domain) is None), None)
            names = by.text if by else " + ".join(other.text for other in kept)
            found.append(f"{term.text}, which {names} covers")
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


def growths(order: Order, domain: Domain) -> list[Growth]:
    """The terms of an order, multiplied out; negative ones are left out where a positive one covers them."""
    terms = [growth(monomial, factor, domain) for monomial, factor in expanded(order.tree).terms.items()]
    positive = [term for term in terms if term.factor > 0]
    everything = [Fraction(1)] * len(domain.symbols)
    for term in terms:
        below = any(along(other, everything) > along(term, everything) for other in positive)
        if term.factor < 0 and (not below or escape(term, positive, domain)):
            got = f"−{term.text}, which no other term outgrows"
            raise Unreadable(f"an order must be a sum of growing terms: got {got}; write them without differences")
    if not positive:
        raise Unreadable(f"an order must have a term: got {order}, which is zero; write what grows fastest")
    return positive


def growth(monomial: Monomial, factor: Fraction, domain: Domain) -> Growth:
    powers = {name: Fraction(n) for name, n in monomial}
    pairs = [(powers.get(name, Fraction(0)), powers.get(LOG + name, Fraction(0))) for name in domain.symbols]
    over, under = [], []
    for name, exponents in zip(domain.symbols, pairs, strict=True):
        for base, n in zip((Symbol(name), Call("log", (Symbol(name),))), exponents, strict=True):
            if n:
                (over if n > 0 else under).append(power(base, abs(n)))
    text = write(Quotient(product(over), product(under)) if under else product(over))
    return Growth(factor, tuple(n + SLOW * log for n, log in pairs), text)


def expanded(node: Node) -> Polynomial:
    """A tree as a sum of products of powers of the sizes and of their logarithms, which are symbols `log N`."""
    if is_constant(node):  # exact where it is rational; of another only the sign matters
        value: Any = evaluate(node, {})
        return Polynomial.of(value if isinstance(value, Fraction) else 1 if value > 0 else -1)
    match node:
        case Symbol(name):
            return Polynomial.symbol(name)
        case Negative(body):
            return -expanded(body)
        case Sum(parts) | Call("max", parts):
            return sum(map(expanded, parts), Polynomial({}))
        case Product(factors):
            return reduce(times, map(expanded, factors))
        case Quotient(over, under):
            return expanded(over) / single(expanded(under), "a denominator")
        case Power(base, exponent):
            return raised(expanded(base), exponent)
        case Call("sqrt", (inner,)):
            return raised(expanded(inner), Number(Fraction(1, 2)))
        case Call("log", (inner, *_)):
            return logarithm(expanded(inner))
        case Call("ceil", (inner,)):
            return expanded(inner) + 1
        case Call("floor" | "abs", (inner,)):
            return expanded(inner)
    built = "powers, products, sums, logarithms and max"
    raise Unreadable(f"an order must be built of {built}: got min; write the term that it is")


def times(one: Polynomial, two: Polynomial) -> Polynomial:
    if len(one.terms) * len(two.terms) > MAX_TERMS:
        raise Unreadable(f"an order may have {MAX_TERMS} terms: got more; write the ones that grow fastest")
    return one * two


def single(terms: Polynomial, place: str) -> Polynomial:
    if len(terms.terms) != 1 or min(terms.terms.values()) < 0:
        one = f"{place} of an order must be one positive term"
        raise Unreadable(f"{one}: got {len(terms.terms)} terms; write the fastest")
    return terms


def raised(base: Polynomial, exponent: Node) -> Polynomial:
    if not is_constant(exponent):
        built = "an order must be built of powers of the sizes"
        raise Unreadable(f"{built}: got a size in an exponent; write powers such as N²")
    power = evaluate(exponent, {})
    if not isinstance(power, Fraction):
        raise Unreadable("an exponent of an order must be rational: got another; write it as a fraction")
    positive = power > 0 and all(factor > 0 for factor in base.terms.values())
    if not positive and power.denominator == 1 and power >= 0:
        return reduce(times, [base] * int(power), Polynomial.of(1))
    # (a + b)^p and a^p + b^p are of the same order
    terms = base if positive else single(base, "the base of a negative power")
    lifted: dict[Any, int] = {tuple((name, n * power) for name, n in monomial): 1 for monomial in terms.terms}
    return Polynomial(lifted)


def logarithm(inside: Polynomial) -> Polynomial:
    """log(N²D) is of the order log N + log D."""
    (monomial,) = single(inside, "the logarithm").terms
    powers = [(name, n) for name, n in monomial if not name.startswith(LOG)]
    if any(n < 0 for _, n in powers):
        raise Unreadable("the logarithm of an order must be that of a growing term: got a quotient; write log N")
    return Polynomial({((LOG + name, 1),): 1 for name, _ in powers})
