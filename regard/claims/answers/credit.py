"""Credit for the parts of a formula that are right: the coefficients of their monomials are those of the truth."""

from collections.abc import Mapping, Sequence
from typing import Any

from regard.claims.answers.domain import Domain
from regard.claims.answers.expression import Expression


def credited(
    answer: Expression, truth: Expression, parts: Mapping[str, Expression], domain: Domain
) -> tuple[list[str], bool]:
    """The parts that an answer has right, and whether it has terms that belong to no part.

    >>> formulas = {"weights": "3D²", "biases": "3D", "wrong": "3D² + 3", "true": "3D² + 3D"}
    >>> from regard.claims.answers.expression import parse
    >>> read = {name: parse(text, ["D"]) for name, text in formulas.items()}
    >>> parts = {name: read[name] for name in ("weights", "biases")}
    >>> credited(read["wrong"], read["true"], parts, Domain.parse({"D": "positive"}))
    (['weights'], True)
    """
    from regard.claims.answers.algebra import Algebra, Beyond

    algebra = Algebra(domain.symbols, domain.positive)
    trees = [formula.tree for formula in (answer, truth, *parts.values())]
    try:
        yours, true, *terms = _over_one_denominator(algebra, [algebra.tidy(algebra.normal(tree)) for tree in trees])
    except Beyond:
        return [], False
    monomials = {name: set(part) for name, part in zip(parts, terms, strict=True)}
    good = [name for name, own in monomials.items() if own and all(yours.get(m, 0) == true.get(m, 0) for m in own)]
    return good, not set(yours) <= set(true).union(*monomials.values())


def _over_one_denominator(algebra: Any, ratios: Sequence[Any]) -> list[dict[Any, Any]]:
    """Coefficients by monomial, after all have been brought to one denominator; a `Beyond` where that is too large."""
    unders = list(dict.fromkeys(ratio.under for ratio in ratios))
    numerators = []
    for ratio in ratios:
        numerator = ratio.over
        for under in unders:
            if under != ratio.under:
                numerator = algebra.multiplied(numerator, under)
        numerators.append(dict(numerator.terms()))
    return numerators
