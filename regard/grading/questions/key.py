"""The key: every question with its truth as plain data, so that marking needs no torch and no teacher's code."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

from regard.checks import nearest
from regard.grading.formulas.expression import Comparison, Expression, Pair, Undefined, Unreadable, compare, parse
from regard.grading.formulas.orders import compare_orders, parse_order
from regard.grading.marking.feedback import Mark, at, shown
from regard.grading.marking.marking import mark, marked
from regard.grading.questions.catalogue import built_in_questions, read_questions
from regard.grading.questions.question import Question
from regard.grading.questions.truth import Entry, counts, first_difference, plain, value_of
from regard.grading.reading.numbers import READERS, close

SHAPES = {"number": 0, "vector": 1, "matrix": 2}
TRIED = 60  # sizes at which a true formula may have its first value


@dataclass(frozen=True)
class Key:
    """The compiled questions by their id: plain data, which can be pickled and sent to other processes.

    `key["udl.1a"]` is an entry, which `mark(entry, given)` takes; `for entry in key` goes in the questions' order.
    """

    entries: Mapping[str, Entry]

    def __getitem__(self, id: str) -> Entry:
        """The entry of this id; an unknown one raises a ValueError that names its neighbours."""
        if id not in self.entries:
            raise ValueError(f"no question is called {id!r}: {nearest(id, self.entries)}")
        return self.entries[id]

    def __contains__(self, id: str) -> bool:
        return id in self.entries

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def points(self) -> float:
        """What all the questions are worth."""
        return sum(entry.points for entry in self)


def compile_key(questions: Sequence[Question]) -> Key:
    """Work out every truth, by its formula and by its count, which must agree (else a `BadQuestion`, a ValueError)."""
    return Key({question.id: entry_of(question) for question in questions})


def check(id: str, answer: Any, own: Path | str | None = None) -> Mark:
    """Mark an answer to a built-in question, to a part of one (`udl.9.patches`), or to one of a file of your own.

    >>> check("udl.1a", "3D² + 3")
    udl.1a: partly right, 2 of 4 points
    Read as 3·D² + 3
    A bias vector counted as one number: each of the three biases has D entries.
    At D = 2 your formula gives 15; the true value is 18 = 12 (weights) + 6 (biases).
    Credited: weights; not: biases.
    """
    questions = built_in_questions() if own is None else read_questions(own)
    whole = next((question for question in questions if id == question.id or id.startswith(f"{question.id}.")), None)
    names = [part.id for part in whole.subquestions] if whole else []
    part = id.removeprefix(f"{whole.id}.") if whole and id != whole.id else ""
    if whole is None or (part and part not in names):
        known = [f"{whole.id}.{name}" for name in names] if names and whole else [each.id for each in questions]
        raise ValueError(f"no question is called {id!r}: {nearest(id, known, 'see regard questions')}")
    entry = compile_key([whole])[whole.id]
    return mark(entry.parts[names.index(part)] if part else entry, answer)


def entry_of(question: Question) -> Entry:
    """One question's truth, worked out and checked, as are its parts and known mistakes."""
    entry = _with_truth(question)
    for mistake in question.mistakes:
        key, given = f"mistake {mistake.name!r}", mistake.answer
        if question.kind == "select":  # a letter that belongs to the answer and is missing, or that does not
            given = list({*entry.truth} ^ {given})
        with question.blames(key, Unreadable):
            found = marked(entry, given)
        if not found.mistake:
            why = "is the true answer" if found.right else f"is not marked as it: {' '.join(found.feedback)}"
            raise question.bad(key, f"{mistake.answer!r} {why}")
    return entry


def _with_truth(question: Question) -> Entry:
    match question.kind:
        case "parts":
            return Entry(question=question, parts=tuple(entry_of(part) for part in question.subquestions))
        case "formula":
            return _formula(question)
        case "order":
            return _order(question)
        case "choice" | "select":
            return _choice(question)
        case "text":
            return Entry(question=question, truth=question.truth.answer)
        case "truth":
            return _truth(question)
        case _:
            return _numbers(question)


def _formula(question: Question) -> Entry:
    domain = question.domain  # first, for it says what is wrong with the symbols
    truth = None if question.truth.answer is None else _true_formula(question)
    counted = () if question.truth.counted is None else counts(question, domain)
    if truth is None:
        if question.parts:
            raise question.bad("parts", "are summands of the answer: give the answer as a formula too")
        return Entry(question=question, counts=counted)
    if found := first_difference(truth, counted):
        count, value = found
        raise question.bad(
            "answer",
            f"the formula and the count disagree at {at(count.sizes)}: {truth.canonical()} is {shown(value)}, "
            f"{question.truth.counted} counts {shown(count.value)} ({question.truth.count})",
        )
    if question.parts:
        for name, part in question.parts.items():
            _parsed(question, f"parts.{name}", part)
        whole = _parsed(question, "parts", " + ".join(f"({part})" for part in question.parts.values()))
        found = _compared(question, "parts", whole, truth)
        if not found.equal:
            values = f"{shown(found.yours)}, the answer {shown(found.true)}"
            raise question.bad(
                "parts", f"must add up to the answer: at {at(found.counterexample or {})} they are {values}"
            )
    return Entry(question=question, truth=str(question.truth.answer), counts=counted)


def _true_formula(question: Question) -> Expression:
    """The formula of the answer, which has values in the domain, and one of them on all sides of a chain."""
    truth = _parsed(question, "answer", question.truth.answer)
    found = _compared(question, "answer", truth, truth)
    if not found.equal:
        values = f"{shown(found.yours)} and {shown(found.true)}"
        raise question.bad("answer", f"the sides of {truth} differ: at {at(found.counterexample or {})} {values}")
    pair = Pair(truth.tree, truth.tree)
    pair.difference(islice(question.domain.points(), TRIED))
    if not pair.tried:
        raise question.bad("answer", f"must have values: {truth} has none at {at(next(question.domain.points()))}")
    return truth


def _order(question: Question) -> Entry:
    """An order that can be compared, at least with itself."""
    text, domain = str(question.truth.answer), question.domain
    with question.blames("answer", Unreadable, Undefined):
        order = parse_order(text, question.symbols)
        found = compare_orders(order, order, domain)
    if not found.equal:
        raise question.bad("answer", f"{text!r} is no order of growth: its sides differ")
    return Entry(question=question, truth=text)


def _numbers(question: Question) -> Entry:
    answer = question.truth.answer
    with question.blames("answer", Unreadable):
        given = None if answer is None else READERS[question.kind](answer)
    truth = plain(given.values) if given is not None else None
    if not _is_finite(truth):
        raise question.bad("answer", f"is too large to be compared: got {answer!r}; use a number below 1e300")
    if question.truth.counted is not None:
        truth = value_of(question)
        if _depth(truth) != SHAPES[question.kind]:
            raise question.bad("counted", f"must give a {question.kind}: got {truth!r}")
        if given is not None:
            found = close(given, truth, 1)
            if not found.right:
                values = f"the answer is {shown(found.yours)}, {question.truth.counted} gives {shown(found.true)}"
                raise question.bad(
                    "answer", f"and count disagree: {values}" if found.yours is not None else found.reason
                )
    return Entry(question=question, truth=truth)


def _choice(question: Question) -> Entry:
    letters, truth, several = list(question.form.choices), question.truth.answer, question.kind == "select"
    if several and not isinstance(truth, list):
        raise question.bad("answer", f'must be a list of letters, [] for none of them: got {truth!r}; write ["a"]')
    given = [("answer", letter) for letter in (truth if several else [truth])]
    for key, letter in given + [(f"mistake {m.name!r}", m.answer) for m in question.mistakes]:
        if letter not in letters:
            raise question.bad(key, f"must be one of the choices {', '.join(letters)}: got {letter!r}")
    return Entry(question=question, truth=tuple(sorted(set(truth))) if several else truth)


def _truth(question: Question) -> Entry:
    answer = question.truth.answer
    if answer is not None and not isinstance(answer, bool):
        raise question.bad("answer", f"must be true or false, without quotes: got {answer!r}")
    if question.truth.counted is not None:
        counted = value_of(question)
        if not isinstance(counted, bool):
            raise question.bad("counted", f"must give True or False: got {counted!r}")
        if answer is not None and counted is not answer:
            raise question.bad(
                "answer", f"and count disagree: {shown(answer)}, {question.truth.counted} gives {counted}"
            )
        answer = counted
    return Entry(question=question, truth=answer)


def _parsed(question: Question, key: str, text: Any) -> Expression:
    with question.blames(key, Unreadable):
        return parse(str(text), question.symbols)


def _compared(question: Question, key: str, formula: Expression, truth: Expression) -> Comparison:
    """A teacher's formula beside the answer; what cannot be decided is a fault of the question."""
    with question.blames(key, Unreadable, Undefined):
        return compare(formula, truth, question.domain)


def _is_finite(truth: Any) -> bool:
    return all(map(_is_finite, truth)) if isinstance(truth, tuple) else not isinstance(truth, float) or isfinite(truth)


def _depth(value: Any) -> int:
    return 1 + max((_depth(entry) for entry in value), default=0) if isinstance(value, tuple) else 0
