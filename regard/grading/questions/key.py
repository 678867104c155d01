"""The key: every question with its truth as plain data, so that marking needs no torch and no teacher's code."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from typing import Any

from regard.checks import nearest
from regard.grading.formulas.domain import Domain
from regard.grading.formulas.expression import Comparison, Expression, Pair, Undefined, Unreadable, compare, parse
from regard.grading.formulas.orders import Order, compare_orders, parse_order
from regard.grading.marking.feedback import at, shown
from regard.grading.questions.question import Question
from regard.grading.questions.truth import Counted, agrees, counts, plain, value_of
from regard.grading.reading.numbers import Given, close, parse_matrix, parse_number, parse_vector

READERS = {"number": parse_number, "vector": parse_vector, "matrix": parse_matrix}
SHAPES = {"number": 0, "vector": 1, "matrix": 2}
TRIED = 60  # sizes at which a true formula may have its first value


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A question with its truth: a formula or an order as text, numbers, the letter of a choice, True or False.

    `counts` are those of a formula that was counted; its truth is None where no formula was given. `parts` are the
    entries of subquestions, in their order.
    """

    question: Question
    truth: Any = None
    counts: tuple[Counted, ...] = ()
    parts: tuple["Entry", ...] = ()

    @property
    def id(self) -> str:
        return self.question.id

    @property
    def points(self) -> float:
        return self.question.points


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


def entry_of(question: Question) -> Entry:
    """One question's truth, worked out and checked, as are its parts and known mistakes."""
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


def _check_mistakes(question: Question, is_true: Callable[[str, Any], bool]) -> None:
    """Refuse a known mistake that is no mistake; `is_true` gets its key and its answer."""
    for mistake in question.mistakes:
        if is_true(key := f"mistake {mistake.name!r}", mistake.answer):
            raise question.bad(key, f"{mistake.answer!r} is the true answer")


def _formula(question: Question) -> Entry:
    domain = question.domain  # first, for it says what is wrong with the symbols
    truth = None if question.truth.answer is None else _true_formula(question)
    counted = () if question.truth.counted is None else counts(question, domain)
    if truth is None:
        if question.parts:
            raise question.bad("parts", "are summands of the answer: give the answer as a formula too")
        _check_mistakes(question, lambda *given: first_difference(_parsed(question, *given), counted) is None)
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
    _check_mistakes(question, lambda key, text: _compared(question, key, _parsed(question, key, text), truth).equal)
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


def first_difference(answer: Expression, counted: tuple[Counted, ...]) -> tuple[Counted, Any] | None:
    """The first count that a formula does not give, and what it gives there: None where it has no value."""
    for count in counted:
        try:
            value = answer.evaluate(count.sizes)
        except Undefined:
            return count, None
        if not agrees(count.value, value):
            return count, value
    return None


def _order(question: Question) -> Entry:
    domain = question.domain
    truth = _true_order(question, "answer", question.truth.answer)
    _check_mistakes(question, lambda *given: same_order(_true_order(question, *given), truth, domain))
    return Entry(question=question, truth=str(question.truth.answer))


def _true_order(question: Question, key: str, text: Any) -> Order:
    """An order that can be compared, at least with itself."""
    with question.blames(key, Unreadable, Undefined):
        order = parse_order(str(text), question.symbols)
        found = compare_orders(order, order, question.domain)
    if not found.equal:
        raise question.bad(key, f"{text!r} is no order of growth: its sides differ")
    return order


def same_order(one: Order, two: Order, domain: Domain) -> bool:
    """Whether they are one class; orders that cannot be compared, such as 2^N and N, are two."""
    try:
        return compare_orders(one, two, domain).equal
    except (Unreadable, Undefined):
        return False


def _numbers(question: Question) -> Entry:
    answer = question.truth.answer
    given = None if answer is None else _given(question, "answer", answer)
    truth = plain(values_of(given)) if given is not None else None
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
    _check_mistakes(question, lambda *given: close(_given(question, *given), truth, 1).right)
    return Entry(question=question, truth=truth)


def _choice(question: Question) -> Entry:
    letters, truth, several = list(question.form.choices), question.truth.answer, question.kind == "select"
    if several and not isinstance(truth, list):
        raise question.bad("answer", f'must be a list of letters, [] for none of them: got {truth!r}; write ["a"]')
    given = [("answer", letter) for letter in (truth if several else [truth])]
    for key, letter in given + [(f"mistake {m.name!r}", m.answer) for m in question.mistakes]:
        if letter not in letters:
            raise question.bad(key, f"must be one of the choices {', '.join(letters)}: got {letter!r}")
        if key != "answer" and letter == truth:
            raise question.bad(key, f"{letter!r} is the true answer")
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
    for mistake in question.mistakes:
        if mistake.answer is not (not answer):
            raise question.bad(
                f"mistake {mistake.name!r}", f"the wrong answer is {shown(not answer)}: got {mistake.answer!r}"
            )
    return Entry(question=question, truth=answer)


def _parsed(question: Question, key: str, text: Any) -> Expression:
    with question.blames(key, Unreadable):
        return parse(str(text), question.symbols)


def _compared(question: Question, key: str, formula: Expression, truth: Expression) -> Comparison:
    """A teacher's formula beside the answer; what cannot be decided is a fault of the question."""
    with question.blames(key, Unreadable, Undefined):
        return compare(formula, truth, question.domain)


def _given(question: Question, key: str, answer: Any) -> Given:
    with question.blames(key, Unreadable):
        return READERS[question.kind](answer)


def values_of(given: Given) -> Any:
    """The numbers that were given, as a number, a tuple or a tuple of rows."""
    values = tuple(entry.value for entry in given.entries)
    if not given.shape:
        return values[0]
    if len(given.shape) == 1:
        return values
    columns = given.shape[1]
    return tuple(values[start : start + columns] for start in range(0, len(values), columns))


def _is_finite(truth: Any) -> bool:
    return all(map(_is_finite, truth)) if isinstance(truth, tuple) else not isinstance(truth, float) or isfinite(truth)


def _depth(value: Any) -> int:
    return 1 + max((_depth(entry) for entry in value), default=0) if isinstance(value, tuple) else 0
