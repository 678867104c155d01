"""Marking formulas and orders: counterexamples at the smallest sizes, known mistakes, credit for right parts."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from regard.claims.answers.bounds import Undefined, Unreadable
from regard.claims.answers.credit import credited
from regard.claims.answers.domain import Domain
from regard.claims.answers.expression import Comparison, Expression, compare, parse
from regard.claims.answers.feedback import Counterexample, Mark, at, listed, right, shown, unread, wrong
from regard.claims.answers.key import Entry, first_difference
from regard.claims.answers.orders import Order, compare_orders, parse_order
from regard.claims.answers.question import Mistake, Question

KEPT = 4096  # truths and mistakes that stay read: some hundred questions with a dozen each
FLOPS = Mistake(
    answer=None, name="FLOPs instead of multiply-adds", hint="one multiply-add is two FLOPs, and counts once here"
)


def mark_formula(entry: Entry, given: Any) -> Mark:
    """Equal over the whole domain, or wrong at the smallest sizes where it differs."""
    question = entry.question
    try:
        answer = parse(_text(given), tuple(question.form.symbols))
    except Unreadable as error:
        return unread(question, str(error))
    if entry.truth is None:
        return _against_counts(entry, answer)
    domain, truth = _domain(_rules(question)), _expression(entry.truth, tuple(question.form.symbols))
    try:
        found = compare(answer, truth, domain)
    except Undefined as error:
        return wrong(question, str(answer), f"It has no value to compare: {error}.")
    if found.equal:
        return right(question, str(answer), *_chain(answer))
    tight = answer.tight()
    if tight is not None and _equal(tight, truth, domain):
        return right(
            question, str(tight), f"Read as {tight}; brackets would say so: from left to right it is {answer}."
        )
    return _wrong_formula(entry, answer, truth, found)


def _wrong_formula(entry: Entry, answer: Expression, truth: Expression, found: Comparison) -> Mark:
    question = entry.question
    sizes = found.counterexample or {}
    true_parts = _breakdown(entry, sizes)
    value = f"the true value is {shown(found.true)}{_sum(true_parts)}"
    gives = "your formula has no value" if found.yours is None else f"your formula gives {shown(found.yours)}"
    lines = [f"At {at(sizes)} {gives}; {value}."] if sizes else [f"It gives {shown(found.yours)}; {value}."]
    side = answer.sides[found.side]
    if len(answer.sides) > 1:
        lines.insert(0, f"Of the chain, {side} differs.")
    known = _known_formula(question, side)
    if known is None and found.factor is not None:
        if question.truth.count == "multiply-adds" and found.factor == 2:
            known = FLOPS
        else:
            lines.append(f"It is {shown(found.factor)} times the true formula.")
    points = 0.0
    if question.parts:
        points, line = _credit(question, side, truth)
        lines += line
    return wrong(
        question,
        str(answer),
        *lines,
        mistake=known,
        points=points,
        counterexample=Counterexample(sizes=_plain(sizes), yours=shown(found.yours), true=shown(found.true)),
        breakdown={name: shown(part) for name, part in true_parts.items()},
    )


def _credit(question: Question, answer: Expression, truth: Expression) -> tuple[float, list[str]]:
    """Points by part; where all are right, terms that belong to no part count as one part more."""
    symbols = tuple(question.form.symbols)
    parts = {name: _expression(text, symbols) for name, text in question.parts.items()}
    good, extra = credited(answer, truth, parts, _domain(_rules(question)))
    if not good:
        return 0.0, []
    missed = [name for name in parts if name not in good]
    rest = f"; not: {listed(missed)}" if missed else ", but there are terms that belong to no part" if extra else ""
    return round(question.points * len(good) / (len(parts) + (not missed)), 2), [f"Credited: {listed(good)}{rest}."]


def _against_counts(entry: Entry, answer: Expression) -> Mark:
    """The counts are the truth: the answer must give each of them."""
    question = entry.question
    for reading in (answer, answer.tight()):
        if reading is not None and all(first_difference(side, entry.counts) is None for side in reading.sides):
            return right(question, str(reading), f"It gives what was counted at {len(entry.counts)} sizes.")
    differing = [(side, first_difference(side, entry.counts)) for side in answer.sides]
    _, difference = next((side, found) for side, found in differing if found is not None)
    assert difference is not None
    count, value = difference
    gives = "your formula has no value" if value is None else f"your formula gives {shown(value)}"
    line = f"At {at(count.sizes)} {gives}; the count is {shown(count.value)}{_sum(count.parts)}."
    return wrong(
        question,
        str(answer),
        line,
        mistake=_known_formula(question, answer),
        counterexample=Counterexample(sizes=_plain(count.sizes), yours=shown(value), true=shown(count.value)),
        breakdown={name: shown(part) for name, part in count.parts.items()},
    )


def mark_order(entry: Entry, given: Any) -> Mark:
    """The same class of growth, as all sizes go to infinity independently."""
    question = entry.question
    symbols = tuple(question.form.symbols)
    domain = _domain(_rules(question))
    try:
        answer = parse_order(_text(given), symbols)
        found = compare_orders(answer, _order(entry.truth, symbols), domain)  # refuses what is no order: O(0), O(−N)
    except (Unreadable, Undefined) as error:
        return unread(question, str(error))
    read_as = f"{answer.letter or 'Θ'}({answer.expression})"
    if found.equal:
        remarks = [f"Not needed: {listed(list(found.redundant))}."] if found.redundant else []
        if answer.letter == "Ω":
            remarks.append("Ω says at least; at least and at most is Θ.")
        return right(question, read_as, *remarks)
    lines = [f"Missing: {term}." for term in found.missing]
    lines += [f"Too much: {term}{'' if found.missing else ': an upper bound, but not tight'}." for term in found.excess]
    known = next((m for m in question.mistakes if _same_order(answer, m, symbols, domain)), None)
    return wrong(question, read_as, *lines, mistake=known)


def _same_order(answer: Order, mistake: Mistake, symbols: tuple[str, ...], domain: Domain) -> bool:
    return compare_orders(answer, _order(str(mistake.answer), symbols), domain).equal


def _known_formula(question: Question, answer: Expression) -> Mistake | None:
    domain, symbols = _domain(_rules(question)), tuple(question.form.symbols)
    for mistake in question.mistakes:
        if _equal(answer, _expression(str(mistake.answer), symbols), domain):
            return mistake
    return None


def _equal(one: Expression, two: Expression, domain: Domain) -> bool:
    try:
        return compare(one, two, domain).equal
    except Undefined:
        return False


def _breakdown(entry: Entry, sizes: Mapping[str, Any]) -> dict[str, Any]:
    """The true value by part at these sizes: by the parts of the formula, or as counted there."""
    question = entry.question
    symbols = tuple(question.form.symbols)
    if question.parts and sizes:
        try:
            return {name: _expression(text, symbols).evaluate(sizes) for name, text in question.parts.items()}
        except Undefined:
            return {}
    counted = (count.parts for count in entry.counts if dict(count.sizes) == dict(sizes))
    return dict(next(counted, {}))


def _chain(answer: Expression) -> list[str]:
    return ["Every side of the chain is right."] if len(answer.sides) > 1 else []


def _sum(parts: Mapping[str, Any]) -> str:
    return f" = {' + '.join(f'{shown(value)} ({name})' for name, value in parts.items())}" if len(parts) > 1 else ""


def _plain(sizes: Mapping[str, Any]) -> dict[str, int | str]:
    return {name: int(n) if n.denominator == 1 else str(n) for name, n in sizes.items()}


def _text(given: Any) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise Unreadable(f"a formula is one line of text: got a {type(given).__name__}; write it in quotes")
    return str(given)


def _rules(question: Question) -> tuple[tuple[str, str], ...]:
    return tuple(question.form.symbols.items())


@lru_cache(KEPT)
def _domain(rules: tuple[tuple[str, str], ...]) -> Domain:
    return Domain.parse(dict(rules))


@lru_cache(KEPT)
def _expression(text: str, symbols: tuple[str, ...]) -> Expression:
    return parse(text, symbols)


@lru_cache(KEPT)
def _order(text: str, symbols: tuple[str, ...]) -> Order:
    return parse_order(text, symbols)
