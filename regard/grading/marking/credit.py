"""Credit for the parts of a formula that are right: a sum of some parts, or the monomials that belong to one alone."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from regard.grading.formulas.algebra import Algebra, Beyond, Ratio
from regard.grading.formulas.domain import Domain
from regard.grading.formulas.expression import Expression

if TYPE_CHECKING:
    from sympy.polys.rings import PolyElement

MOST_PARTS = 10  # whose sums are all tried


def credited(
    answer: Expression, truth: Expression, parts: Mapping[str, Expression], domain: Domain
) -> tuple[list[str], bool]:
    """The parts that an answer has right, and whether it has terms that belong to no part.

    Where the answer is the sum of some parts, these. Else a part is right if its monomials have the coefficients of the
    truth, which says nothing where parts share a monomial: then none is credited.

    >>> formulas = {"weights": "3D²", "biases": "3D", "wrong": "3D² + 3", "true": "3D² + 3D"}
    >>> from regard.grading.formulas.expression import parse
    >>> read = {name: parse(text, ["D"]) for name, text in formulas.items()}
    >>> parts = {name: read[name] for name in ("weights", "biases")}
    >>> credited(read["wrong"], read["true"], parts, Domain.parse({"D": "positive"}))
    (['weights'], True)
    """
    algebra = Algebra(domain.symbols, domain.positive)
    trees = [formula.tree for formula in (answer, truth, *parts.values())]
    try:
        yours, true, *terms = _over_one_denominator(algebra, [algebra.tidy(algebra.normal(tree)) for tree in trees])
    except Beyond:
        return [], False
    by_name = dict(zip(parts, terms, strict=True))
    numbers = range(len(parts) - 1, 0, -1) if len(parts) <= MOST_PARTS else ()
    for names in (names for number in numbers for names in combinations(parts, number)):  # not all, the most first
        if sum((by_name[name] for name in names), start=algebra.ring.zero) == yours:
            return list(names), False
    if any(set(one) & set(two) for one, two in combinations(terms, 2)):
        return [], False
    good = [name for name, own in by_name.items() if own and all(yours.get(m, 0) == true.get(m, 0) for m in own)]
    return good, not set(yours) <= set(true).union(*terms)


def _over_one_denominator(algebra: Algebra, ratios: Sequence[Ratio]) -> "list[PolyElement]":
    """The numerators, after all have been brought to one denominator; a `Beyond` where that is too large."""
    unders = list(dict.fromkeys(ratio.under for ratio in ratios))
    numerators = []
    for ratio in ratios:
        numerator = ratio.over
        for under in unders:
            if under != ratio.under:
                numerator = algebra.multiplied(numerator, under)
        numerators.append(numerator)
    return numerators
