"""Marking formulas and orders: counterexamples at the smallest sizes, known mistakes, credit for right parts."""

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar, cast

from regard.formulas import write
from regard.grading.formulas.bounds import SAME, Unasked, Undefined, Unreadable
from regard.grading.formulas.domain import Domain
from regard.grading.formulas.expression import Comparison, Expression, compare, parse
from regard.grading.formulas.orders import Order, compare_orders, parse_order
from regard.grading.marking.credit import credited
from regard.grading.marking.feedback import Counterexample, Mark, at, listed, right, sentence, shown, wrong
from regard.grading.questions.question import Mistake, Question
from regard.grading.questions.truth import Entry, first_difference
from regard.grading.reading.numbers import Given, exact

HALF = Fraction(1, 2)
# Truths and mistakes that stay read: some hundred questions with a dozen each.
known_formula, known_order = lru_cache(4096)(parse), lru_cache(4096)(parse_order)
FLOPS = Mistake(
    answer=None, name="FLOPs instead of multiply-adds", hint="one multiply-add is two FLOPs, and counts once here"
)
CALLED = Mistake(answer=None, name="multiply-adds called FLOPs", hint="FLOPs are twice as many")
Read = TypeVar("Read", bound=Expression)


def mark_formula(entry: Entry, given: Any) -> Mark:
    """Equal over the whole domain, or wrong at the smallest sizes where it differs."""
    question = entry.question
    try:
        written = parse(_text(given), question.symbols)
    except Unasked as error:
        return wrong(question, "", sentence(str(error)))
    against = _against_counts if entry.truth is None else _against_formula
    found = against(entry, as_counted(question, written))
    return found if found.right else replace(found, reading=written.canonical())


def _against_formula(entry: Entry, answer: Expression) -> Mark:
    question = entry.question
    domain, truth = question.domain, known_formula(entry.truth, question.symbols)
    read = [(reading, _compared(reading, truth, domain)) for reading in _readings(answer)]
    for reading, found in read:
        if found is not None and found.equal:
            remarks = [*_how_read(reading, answer), *_chain(answer), *in_flops(question, answer)]
            return right(question, str(reading), *remarks)
    if answer.several and not all(_is_right(side, answer, domain) for side in answer.sides):
        raise Unreadable(f"two answers that differ were given: {answer}; give one")
    if not answer.sure:
        raise Unreadable(f"there are words around {answer} that may change it; write the formula alone")
    if answer.factor != 1 and _is_right(answer.times(1 / answer.factor), truth, domain):
        return _wrong_formula(entry, answer, read[0][1], CALLED, [])
    for reading, found in read:
        if known := next(filter(None, (_known_mistake(question, side) for side in reading.sides)), None):
            return _wrong_formula(entry, reading, found, known, _how_read(reading, answer))
    return _wrong_formula(entry, answer, read[0][1], None, [])


Counts = TypeVar("Counts", bound=Expression | Given)


def as_counted(question: Question, answer: Counts) -> Counts:
    """An answer in the unit that the question counts in: half as many multiply-adds as FLOPs, or twice as many."""
    flops = question.truth.count == "flops" or re.search(r"FLOP|operations|additions", question.text)
    if answer.unit == ("multiply-adds" if flops else "flops") and question.truth.count != "parameters":
        return cast("Counts", answer.times(Fraction(2) if flops else HALF))
    return answer


def in_flops(question: Question, answer: Expression | Given) -> list[str]:
    """What to say of a right answer that was given in another unit."""
    changed = as_counted(question, answer) is not answer
    return ["Read as FLOPs, of which one multiply-add takes two."] if changed and answer.unit == "flops" else []


def apart(yours: Any, true: Any) -> tuple[str, str]:
    """Two values as they are shown, with so many digits that they differ where they do.

    >>> apart(exact("0.465369"), exact("0.4653688"))
    ('0.465369', '0.4653688')
    """
    one, two = shown(yours), shown(true)
    if one != two or yours is None or true is None:
        return one, two
    with localcontext() as context:
        for context.prec in range(7, 2 * SAME):
            values = [Decimal(n.numerator) / Decimal(n.denominator) for n in (exact(yours), exact(true))]
            if values[0] != values[1]:
                return str(values[0]), str(values[1])
    return one, two


def _compared(answer: Expression, truth: Expression, domain: Domain) -> Comparison | None:
    """None where the answer and the truth have values at no common sizes."""
    try:
        return compare(answer, truth, domain)
    except Undefined:
        return None


def _is_right(answer: Expression, truth: Expression, domain: Domain) -> bool:
    """Whether it is surely equal, or of the same class if both are orders."""
    try:
        if isinstance(answer, Order) and isinstance(truth, Order):
            return compare_orders(answer, truth, domain).equal
        return compare(answer, truth, domain).equal
    except (Undefined, Unreadable):
        return False  # also orders that cannot be compared, such as 2^N and N


def _readings(answer: Read) -> list[Read]:
    """From left to right, and where `1/2D` is 1/(2D)."""
    try:
        other = answer.tight()
    except Unreadable:
        return [answer]
    return [answer] if other is None else [answer, other]


def _how_read(reading: Expression, answer: Expression) -> list[str]:
    said = f"Read as {reading}; brackets would say so: from left to right it is {answer}."
    return [] if reading is answer else [said]


def _wrong_formula(
    entry: Entry, answer: Expression, found: Comparison | None, known: Mistake | None, remarks: list[str]
) -> Mark:
    question = entry.question
    if found is None:
        return wrong(question, str(answer), *remarks, "It has no value that could be compared.", mistake=known)
    sizes = found.counterexample or {}
    line, example = _difference(sizes, found.yours, found.true, _breakdown(entry, sizes), "the true value")
    lines = [line]
    side = answer.sides[found.side]
    if len(answer.sides) > 1:
        lines.insert(0, f"Of the chain, {side} differs.")
    if known is None and found.factor is not None:
        if question.truth.count == "multiply-adds" and found.factor == 2:
            known = FLOPS
        else:
            lines.append(f"It is {shown(found.factor)} times the true formula.")
    if found.hint:
        lines.append(sentence(found.hint))
    points = 0.0
    if question.parts:
        points, line = _credit(entry, side, known)
        lines += line
    return wrong(
        question,
        str(answer),
        *remarks,
        *lines,
        mistake=known,
        points=points,
        counterexample=example,
    )


def _credit(entry: Entry, answer: Expression, known: Mistake | None) -> tuple[float, list[str]]:
    """Points by part; where all are right, terms that belong to no part count as one part more.

    A known mistake says what these terms are, so that the line of credit does not say it again in other words.
    """
    question = entry.question
    parts = {name: known_formula(text, question.symbols) for name, text in question.parts.items()}
    good, extra = credited(answer, known_formula(entry.truth, question.symbols), parts, question.domain)
    if not good:
        return 0.0, []
    missed = [name for name in parts if name not in good]
    rest = f"; not: {listed(missed)}" if missed else ""
    if extra and known is None:
        rest += "; some terms belong to no part"
    return round(question.points * len(good) / (len(parts) + (not missed)), 2), [f"Credited: {listed(good)}{rest}."]


def _against_counts(entry: Entry, answer: Expression) -> Mark:
    """The counts are the truth: the answer must give each of them."""
    question = entry.question
    for reading in _readings(answer):
        if all(first_difference(side, entry.counts) is None for side in reading.sides):
            sizes = f"It gives what was counted at {len(entry.counts)} sizes."
            return right(question, str(reading), *_how_read(reading, answer), sizes)
    differences = [first_difference(side, entry.counts) for side in answer.sides]
    count, value = next(found for found in differences if found is not None)
    line, example = _difference(count.sizes, value, count.value, count.parts, "the count")
    return wrong(question, str(answer), line, mistake=_known_mistake(question, answer), counterexample=example)


def mark_order(entry: Entry, given: Any) -> Mark:
    """The same class of growth, as all sizes go to infinity independently."""
    question = entry.question
    symbols, domain = question.symbols, question.domain
    truth = known_order(entry.truth, symbols)
    answer = parse_order(_text(given), symbols)
    readings = _readings(answer)
    for reading in readings:
        if _is_right(reading, truth, domain):
            remarks = _how_read(reading, answer)
            if redundant := compare_orders(reading, truth, domain).redundant:
                remarks.append(f"Not needed: {listed(list(redundant))}.")
            if answer.letter == "Ω":
                remarks.append("Ω says at least; at least and at most is Θ.")
            return right(question, _inside(reading), *remarks)
    known = ((found, reading) for reading in readings if (found := _known_mistake(question, reading)))
    mistake, reading = next(known, (None, answer))
    lines: list[str] = []
    try:
        found = compare_orders(reading, truth, domain)  # refuses what is no order: O(0), O(−N)
        lines += [*_how_read(reading, answer), *(f"Missing: {term}." for term in found.missing)]
        tight = "" if found.missing else ": an upper bound, but not tight"
        lines += [f"Too much: {term}{tight}." for term in found.excess]
    except (Unreadable, Undefined) as error:
        if not mistake:
            raise Unreadable(str(error)) from None
    marked = wrong(question, _inside(reading), *lines, mistake=mistake)
    return replace(marked, reading=replace(answer, letter="Θ").canonical())


def _inside(order: Order) -> str:
    return f"{order.letter or 'Θ'}({' = '.join(map(write, order.trees))})"


def _known_mistake(question: Question, answer: Expression) -> Mistake | None:
    read = known_order if isinstance(answer, Order) else known_formula
    formulas = ((mistake, read(str(mistake.answer), question.symbols)) for mistake in question.mistakes)
    return next((mistake for mistake, formula in formulas if _is_right(answer, formula, question.domain)), None)


def _breakdown(entry: Entry, sizes: Mapping[str, Any]) -> dict[str, Any]:
    """The true value by part at these sizes: by the parts of the formula, or as counted there."""
    question = entry.question
    if question.parts and sizes:
        try:
            return {n: known_formula(text, question.symbols).evaluate(sizes) for n, text in question.parts.items()}
        except Undefined:
            return {}
    counted = (count.parts for count in entry.counts if dict(count.sizes) == dict(sizes))
    return dict(next(counted, {}))


def _chain(answer: Expression) -> list[str]:
    return ["Every side of the chain is right."] if len(answer.sides) > 1 else []


def _difference(
    sizes: Mapping[str, Any], yours: Any, true: Any, parts: Mapping[str, Any], what: str
) -> tuple[str, Counterexample]:
    """What a formula gives beside what is true, which is the sum of the parts: in words, and as a counterexample."""
    one, two = apart(yours, true)
    breakdown = {name: shown(part) for name, part in parts.items()}
    where = f"At {at(sizes)} your formula" if sizes else "It"
    gives = "has no value" if yours is None else f"gives {one}"
    summed = f" = {' + '.join(f'{part} ({name})' for name, part in breakdown.items())}" if len(parts) > 1 else ""
    plain = {name: int(n) if n.denominator == 1 else str(n) for name, n in sizes.items()}
    example = Counterexample(sizes=plain, yours=one, true=two, breakdown=breakdown)
    return f"{where} {gives}; {what} is {two}{summed}.", example


def _text(given: Any) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise Unreadable(f"a formula is one line of text: got a {type(given).__name__}; write it in quotes")
    return str(given)
