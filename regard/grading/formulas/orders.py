"""Orders of growth in several sizes: whether `O(N²D + N)` is the class `Θ(N²D)`.

Every size may go to infinity or stay where it is, on its own, except where the domain orders two of them (a divisor is
at most what it divides). Then a product of powers is covered by a sum of such products exactly when its exponents lie
under the convex hull of theirs: N·D is redundant in O(N² + D²), as the geometric mean is at most the arithmetic one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from regard.analysis.formulas import Node, Power, decimal, is_constant, raise_text, walk
from regard.grading.formulas.bounds import MAX_SIZES_OF_ORDER, MAX_TERMS_OF_ORDER, Unreadable
from regard.grading.formulas.domain import Domain
from regard.grading.formulas.expression import Expression, compare
from regard.grading.formulas.growth import Expansion, Growth, merged
from regard.grading.reading.reading import read

LARGE = 10**30  # factors beyond are shown rounded
INFINITE = Fraction(10**9)


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
        return other and Order(letter=self.letter, expression=other)

    def canonical(self, domain: Domain | None = None) -> str:
        """Its growing terms without constants, each covered by no other; as it was read where it has no such terms."""
        symbols = self.expression.symbols
        domain = domain or Domain.parse(dict.fromkeys(symbols, "positive"))
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
        result = compare_side(Order(letter=answer.letter, expression=side), truth, domain, number)
        if not result.equal:
            break
    return result


def compare_side(answer: Order, truth: Order, domain: Domain, side: int) -> OrderComparison:
    if compare_exactly(answer, truth, domain):
        return OrderComparison(equal=True, side=side)
    yours, true = growths(answer.expression, domain), growths(truth.expression, domain)
    kept = essential(yours, domain)
    missing = [(term, way) for term in essential(true, domain) if (way := escape(term, kept, domain))]
    excess = [(term, way) for term in kept if (way := escape(term, true, domain))]
    return OrderComparison(
        equal=not missing and not excess,
        redundant=redundancies(yours, kept, domain),
        missing=tuple(f"{term.text(domain.symbols)}, as {way}" for term, way in missing),
        excess=tuple(f"{term.text(domain.symbols)}, as {way}" for term, way in excess),
        side=side,
    )


def compare_exactly(answer: Order, truth: Order, domain: Domain) -> bool:
    """Whether they are equal formulas with exponents such as 2^N, which are no powers of the sizes."""
    symbolic = [has_symbolic_power(order.expression.tree) for order in (answer, truth)]
    if not any(symbolic):
        return False
    result = compare(answer.expression, truth.expression, domain)
    if result.equal or (result.factor or 0) > 0:
        return True
    raise Unreadable(
        f"an order with a size in an exponent can only be equal to the same formula, up to a constant: got {answer}; "
        "write the term that grows fastest, as simply as possible"
    )


def has_symbolic_power(node: Node) -> bool:
    return any(isinstance(part, Power) and not is_constant(part.exponent) for part, _ in walk(node))


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
    ways = rays(domain)
    for term in reversed(terms):
        others = [other for other in kept if other is not term]
        if any(all(along(term, way) <= along(other, way) for way in ways) for other in others):
            kept = others
    if len(kept) > MAX_TERMS_OF_ORDER:
        raise Unreadable(
            f"an order may have {MAX_TERMS_OF_ORDER} terms, none above another: got {len(kept)}; write the fastest"
        )
    for term in reversed(kept[:]):
        others = [other for other in kept if other is not term]
        if others and escape(term, others, domain) is None:
            kept = others
    return kept


def escape(term: Growth, others: Iterable[Growth], domain: Domain) -> str | None:
    """The direction in which a term outgrows all the others, in words; None if they cover it.

    Sizes are t^x: maximise x·term − max x·other over x ≥ 0 with the domain's orderings, x ≤ 1.
    """
    others = list(others)
    ways = rays(domain)
    for way in ways:
        if along(term, way) > max((along(other, way) for other in others), default=-INFINITE):
            return in_words(way, domain.symbols, [term, *others])
    if any(all(along(term, way) <= along(other, way) for way in ways) for other in others):
        return None
    way = best_direction(term, others, domain)
    return None if way is None else in_words(way, domain.symbols, [term, *others])


@lru_cache(maxsize=128)
def rays(domain: Domain) -> tuple[tuple[Fraction, ...], ...]:
    """Directions in which some sizes grow alike and the others stay: the edges of what the domain allows."""
    symbols, orderings = domain.symbols, list(domain.orderings())
    if len(symbols) > MAX_SIZES_OF_ORDER:
        raise Unreadable(
            f"an order may have {MAX_SIZES_OF_ORDER} sizes: got {len(symbols)}; leave out those that it does not name"
        )
    sets = [set(chosen) for number in range(1, len(symbols) + 1) for chosen in combinations(symbols, number)]
    closed = [chosen for chosen in sets if all(large in chosen for small, large in orderings if small in chosen)]
    return tuple(tuple(Fraction(name in chosen) for name in symbols) for chosen in closed)


def along(term: Growth, way: Sequence[Fraction]) -> Fraction:
    return sum((power * step for power, step in zip(term.exponents, way, strict=True)), Fraction(0))


def best_direction(term: Growth, others: list[Growth], domain: Domain) -> list[Fraction] | None:
    """The linear program, solved exactly."""
    from sympy import Rational
    from sympy.solvers.simplex import linprog

    def exact(values: Iterable[Fraction]) -> list:
        return [Rational(value.numerator, value.denominator) for value in values]

    number = len(domain.symbols)
    # maximise s: s ≤ x·term − x·other for every other
    rows = [
        exact([*(b - a for a, b in zip(term.exponents, other.exponents, strict=True)), Fraction(1)]) for other in others
    ]
    for small, large in domain.orderings():
        rows.append([(name == small) - (name == large) for name in domain.symbols] + [0])
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
            raise Unreadable(
                f"an order must be a sum of growing terms: got −{term.text(domain.symbols)}, which no other term "
                "outgrows; write the terms that grow, without differences"
            )
    if not positive:
        raise Unreadable(
            f"an order must have a term: got {expression}, which is zero; write the term that grows fastest"
        )
    return positive
