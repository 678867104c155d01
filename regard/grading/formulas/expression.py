"""A formula as a person wrote it: read, shown, evaluated and compared."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from math import ceil, floor
from typing import Self

from regard.formulas import Node, Number, Power, Product, decimal, is_constant, walk, write
from regard.grading.formulas.algebra import Algebra, Beyond
from regard.grading.formulas.bounds import MAX_SHOWN, NEAR, SEARCHED, SIZES, WORK, TooLarge, Undefined, Unreadable
from regard.grading.formulas.cases import proved, ratio_of
from regard.grading.formulas.domain import Domain
from regard.grading.formulas.evaluation import Value, evaluate, same
from regard.grading.reading.reading import Formula, read
from regard.grading.reading.tokens import quoted

Difference = tuple[dict[str, Fraction], Value | None, Value]  # sizes, the answer's value or None, the true one
FAR = 24  # sizes about the numbers of a formula

__all__ = ["Comparison", "Domain", "Expression", "Undefined", "Unreadable", "compare", "parse"]


@dataclass(frozen=True, kw_only=True)
class Expression(Formula):
    r"""One formula, or a chain `a = b = c` of them, in known symbols; `str` gives it as it was read.

    >>> str(parse(r"\frac{N(N+1)}{2}", ["N"])), parse("½N(N+1)", ["N"]).canonical()
    ('N·(N + 1)/2', '(N² + N)/2')
    """

    factor: Fraction = field(default=Fraction(1), repr=False)  # of what was written: 1/2 where FLOPs were

    def __str__(self) -> str:
        written = " = ".join(map(write, self.trees))
        return written if self.factor == 1 else f"{written} {'FLOPs' if self.unit == 'flops' else self.unit}"

    @property
    def tree(self) -> Node:
        """The last side, which is the result."""
        return self.trees[-1] if self.factor == 1 else Product((Number(self.factor), self.trees[-1]))

    @property
    def sides(self) -> tuple[Self, ...]:
        """The sides of `a = b = c`, each alone; one for a plain formula."""
        return tuple(replace(self, trees=(tree,)) for tree in self.trees)

    def canonical(self) -> str:
        """The normal form of the last side, or the formula as read where it has none or a very long one.

        Every symbol counts as positive, so that √(D²) is D.

        >>> parse("3D(D+1)", ["D"]).canonical()
        '3·D² + 3·D'
        """
        algebra = Algebra(self.symbols, frozenset(self.symbols))
        try:
            form = algebra.tidy(algebra.normal(self.tree))
        except Beyond:
            return write(self.tree)
        return write(algebra.tree(form) if len(form.over) <= MAX_SHOWN else self.tree)

    def tight(self) -> Self | None:
        """The other reading, where `1/2D` is 1/(2D), `d^-1/2` is d^(−1/2), `log N D` is log(N·D); or None."""
        trees = read(self.text, self.symbols, tight=True, order=True).trees
        return None if trees == self.trees else replace(self, trees=trees)

    def times(self, factor: Fraction) -> Self:
        """Every side times a constant."""
        return replace(self, factor=self.factor * factor)

    def evaluate(self, sizes: Mapping[str, int | Fraction]) -> Value:
        """The last side at these sizes: exact where rational, else to 50 digits; `Undefined` where it has no value.

        >>> parse("(k+1)^n", ["k", "n"]).evaluate({"k": 2, "n": 10})
        Fraction(59049, 1)
        """
        return evaluate(self.tree, sizes)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Whether an answer is the truth, what this rests on, and the smallest sizes where it is not."""

    equal: bool
    proof: str  # "identity", "cases", "all 8 sizes" of a finite domain, "a counterexample", "different polynomials"
    counterexample: dict[str, Fraction] | None = None
    yours: Value | None = None  # None beside a counterexample: the answer has no value there
    true: Value | None = None
    factor: Fraction | None = None  # the answer is this constant times the truth
    side: int = 0  # which side of `a = b = c` differs
    hint: str = ""  # "0.33 is rounded; write 1/3": what made a formula miss the truth by a hair


def parse(text: str, symbols: Sequence[str]) -> Expression:
    """Read a formula in these symbols; raises `Unreadable` with what is wrong, where, and what to do."""
    return Expression(**vars(read(text, tuple(symbols))))


def compare(answer: Expression, truth: Expression, domain: Domain) -> Comparison:
    """Every side of the answer against the truth, at all sizes of the domain.

    >>> domain = Domain.parse({"D": "positive"})
    >>> compare(parse("3D(D+1)", ["D"]), parse("3D² + 3D", ["D"]), domain).proof
    'identity'
    >>> wrong = compare(parse("3D² + 3", ["D"]), parse("3D² + 3D", ["D"]), domain)
    >>> wrong.counterexample, wrong.yours, wrong.true
    ({'D': Fraction(2, 1)}, Fraction(15, 1), Fraction(18, 1))
    """
    if missing := [name for name in (*answer.symbols, *truth.symbols) if name not in domain.symbols]:
        names = ", ".join(dict.fromkeys(missing))
        raise ValueError(f"every symbol needs a rule: got none for {names}; add it to the domain")
    results = []
    trees = [side.tree for side in answer.sides]
    for side, tree in enumerate(trees):
        number = is_constant(tree) and not is_constant(truth.tree) and not all(map(is_constant, trees))
        if number and is_value(tree, truth.tree, domain):
            continue
        result = compare_trees(tree, truth.tree, domain, side)
        if not result.equal:
            return result
        results.append(result)
    return next((result for result in results if result.proof != "identity"), results[-1])


def is_value(tree: Node, truth: Node, domain: Domain) -> bool:
    """Whether a number, written after a right formula, is its value at some sizes: C/N = 2."""
    for sizes in islice(domain.points(), Pair(tree, truth).patience):
        with suppress(Undefined):
            if same(evaluate(tree, {}), evaluate(truth, sizes)):
                return True
    return False


def compare_trees(yours: Node, true: Node, domain: Domain, side: int) -> Comparison:
    """By an identity, by sizes at which they differ, or case by case; raises `Unreadable` where none of it decides."""
    factor, different = ratio_of(yours, true, domain)
    if factor == 1:
        return Comparison(equal=True, proof="identity", factor=factor, side=side)
    pair = Pair(yours, true)
    found = None
    if not different:
        found = pair.difference(spread_then_all(domain), enough=SIZES)
        found = found or pair.difference(far_sizes(yours, true, domain))
    if different or found:
        found = pair.difference(domain.points()) or found or pair.difference(domain.sample(2 * SIZES))
        found = found or pair.difference(far_sizes(yours, true, domain))
    if not found and not (different and not is_finite(domain, pair.patience)):
        return Comparison(equal=True, proof=proof_of(pair, domain), side=side)
    at, one, two = found or (None, None, None)
    proof = "a counterexample" if found else "different polynomials"
    hint = rounded_factor(yours, factor)
    result = Comparison(equal=False, proof=proof, counterexample=at, yours=one, true=two, side=side, hint=hint)
    return result if hint else replace(result, factor=factor)


def proof_of(pair: "Pair", domain: Domain) -> str:
    """What an equality rests on, where no size shows a difference: all sizes, or all cases."""
    if is_finite(domain, pair.patience) and pair.difference(domain.points()) is None and pair.tried:
        return f"all {pair.tried} sizes"
    if not pair.tried and pair.difference(spread_then_all(domain), enough=SIZES) is None and not pair.tried:
        raise Undefined("formulas are compared where both have values: found no such sizes; change the domain")
    if pair.yours == pair.true:
        return "identity"
    if proved(pair.yours, pair.true, domain):
        return "cases"
    shown = quoted(write(pair.yours), 60)
    raise Unreadable(f"{shown} agrees at all sizes that were tried, which proves nothing; simplify it")


def is_finite(domain: Domain, patience: int) -> bool:
    return len(list(islice(domain.points(), patience))) < patience


def far_sizes(yours: Node, true: Node, domain: Domain) -> Iterator[dict[str, Fraction]]:
    """Sizes about the numbers that stand in the formulas, where a threshold may lie."""
    numbers = {abs(node.value) for tree in (yours, true) for node, _ in walk(tree) if isinstance(node, Number)}
    for node in [node for tree in (yours, true) for node, _ in walk(tree) if isinstance(node, Power)]:
        with suppress(Undefined):
            value = evaluate(node, {}) if is_constant(node) else None
            numbers |= {value} if isinstance(value, Fraction) else set()
    large = [number for number in numbers if number > 8]
    edges = sorted({edge for n in large for edge in (floor(n), 2 * ceil(n) + 2, floor(n) + 1)})
    base = next(domain.points())
    for edge in edges[-FAR:]:
        for chosen in (*({name} for name in domain.symbols), set(domain.symbols)):
            sizes = {name: Fraction(edge) if name in chosen else size for name, size in base.items()}
            for one in ({}, {name: size + 1 for name, size in sizes.items() if name in chosen}):
                if domain.contains(sizes | one):
                    yield sizes | one


def rounded_factor(tree: Node, factor: Fraction | None) -> str:
    """What to write for `0.333N` where N/3 is true: it is not 0.999 times the truth, but rounded."""
    if factor is None or abs(factor - 1) > NEAR:
        return ""
    for value in {node.value for node, _ in walk(tree) if isinstance(node, Number)}:
        meant, written = value / factor, decimal(value)
        last = Fraction(1, 10 ** len(written.partition(".")[2]))
        near = abs(meant - value) < (last if abs(meant) > abs(value) else last / 2)  # truncated, or rounded
        if "." in written and near and meant.denominator < min(1000, value.denominator):
            return f"{written} is rounded; write {meant}"
    return ""


def spread_then_all(domain: Domain) -> Iterator[dict[str, Fraction]]:
    spread = domain.sample(2 * SIZES)
    yield from spread
    yield from (sizes for sizes in domain.points() if sizes not in spread)


class Pair:
    """Two formulas at one size after the other, up to a bounded amount of work."""

    def __init__(self, yours: Node, true: Node):
        self.yours, self.true, self.tried = yours, true, 0
        self.patience = min(SEARCHED, WORK // sum(1 for tree in (yours, true) for _ in walk(tree)))

    def difference(self, points: Iterable[dict[str, Fraction]], enough: int | None = None) -> "Difference | None":
        """The first sizes where they differ, with both values; sizes where the truth has none are passed over."""
        self.tried = 0
        for sizes in islice(points, self.patience):
            true = yours = None
            try:
                true = evaluate(self.true, sizes)
                yours = evaluate(self.yours, sizes)
            except Undefined as error:  # a value too large to compute says nothing, none where there is a true one does
                if true is None or isinstance(error, TooLarge):
                    continue
            if yours is None or not same(yours, true):
                return sizes, yours, true
            self.tried += 1
            if self.tried == enough:
                break
        return None
