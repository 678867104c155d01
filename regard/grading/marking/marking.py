"""Marking one answer: how it was read, whether it is right, and where it differs from what is true."""

from collections.abc import Mapping
from typing import Any

from regard.grading.formulas.bounds import Unreadable
from regard.grading.marking.feedback import (
    Counterexample,
    Mark,
    right,
    sentence,
    shown,
    unanswered,
    unread,
    wrong,
)
from regard.grading.marking.formulas import CALLED, apart, as_counted, in_flops, mark_formula, mark_order
from regard.grading.questions.key import READERS, Entry, as_lists
from regard.grading.questions.question import Mistake, Question, too_large
from regard.grading.reading.numbers import Given, close
from regard.grading.reading.wording import LONGEST, letter_of, truth_of

__all__ = ["Counterexample", "Mark", "mark"]


def mark(entry: Entry, given: Any) -> Mark:
    """Mark an answer as it was given: text, a number, a list, a list of lists, a mapping for subquestions, None.

    Never raises because of what was given; the same answer always gets the same mark.

    >>> from regard.grading import built_in_questions, compile_key, select
    >>> key = compile_key(select(built_in_questions(), ["udl.1a"]))
    >>> found = mark(key["udl.1a"], "3D^2 + 3")
    >>> found.points, found.counterexample.sizes, found.counterexample.yours, found.counterexample.true
    (2.0, {'D': 2}, '15', '18')
    >>> print(*found.feedback, sep=chr(10))
    A bias vector counted as one number: each of the three biases has D entries.
    At D = 2 your formula gives 15; the true value is 18 = 12 (weights) + 6 (biases).
    Credited: weights; not: biases.
    """
    question = entry.question
    if given is None or (isinstance(given, str | list | tuple | Mapping) and not _trimmed(given)):
        return _without_answer(entry)
    if question.kind == "parts":
        return _parts(entry, given)
    if problem := too_large(given):
        return unread(question, problem)
    match question.kind:
        case "formula":
            return mark_formula(entry, given)
        case "order":
            return mark_order(entry, given)
        case "choice":
            return _choice(entry, given)
        case "truth":
            return _truth(entry, given)
        case _:
            return _numbers(entry, given)


def _trimmed(given: Any) -> Any:
    return given.strip() if isinstance(given, str) else given


def _without_answer(entry: Entry) -> Mark:
    if entry.question.kind != "parts":
        return unanswered(entry.question)
    return _sum(entry.question, tuple(_without_answer(part) for part in entry.parts), ())


def _parts(entry: Entry, given: Any) -> Mark:
    question = entry.question
    names = [part.id for part in entry.parts]
    if not isinstance(given, Mapping):
        asked = ", ".join(f"{question.id}.{name} = …" for name in names)
        return unread(question, f"it has {len(names)} parts: write {asked}")
    extra = [str(name)[:40] for name in given if name not in names]
    remarks = (f"There is no part {extra[0]!r}; the parts are {', '.join(names)}.",) if extra else ()
    return _sum(question, tuple(mark(part, given.get(part.id)) for part in entry.parts), remarks)


def _sum(question: Question, parts: tuple[Mark, ...], remarks: tuple[str, ...]) -> Mark:
    return Mark(
        id=question.id,
        points=round(sum(part.points for part in parts), 2),
        out_of=question.points,
        right=all(part.right for part in parts),
        read_as="; ".join(f"{part.id}: {part.read_as}" for part in parts if part.read_as),
        feedback=remarks,
        mistake=next((part.mistake for part in parts if part.mistake), ""),
        unread=any(part.unread for part in parts),
        parts=parts,
    )


def _numbers(entry: Entry, given: Any) -> Mark:
    question = entry.question
    read = READERS[question.kind]
    try:
        written = read(given)
        answer = as_counted(question, written)
    except Unreadable as error:
        return unread(question, str(error))
    digits = question.form.least_digits
    found = close(answer, as_lists(entry.truth), digits)
    if found.right:
        remarks = [sentence(found.reason)] if found.reason else []
        return right(question, str(answer), *remarks, *in_flops(question, answer))
    if answer is not written and close(written, as_lists(entry.truth), digits).right:
        return wrong(question, str(answer), mistake=CALLED)
    if not answer.sure:
        return unread(question, f"there are words around {answer} that may change it; write the numbers alone")
    if close(answer, as_lists(entry.truth), 1).right:  # a rounded truth may be a rounded mistake too
        few = f"Right as far as it goes, but too few digits: give at least {digits} significant digits."
        return wrong(question, str(answer), few, hint="")
    known = next((m for m in question.mistakes if close(answer, _value(read, m), 1).right), None)
    if _is_transposed(answer, entry.truth, digits):
        return wrong(question, str(answer), "This is the transposed matrix: rows and columns are exchanged.")
    if found.yours is None:
        return wrong(question, str(answer), sentence(found.reason), mistake=known)
    yours, true = apart(found.yours, found.true)
    example = Counterexample(sizes={}, yours=yours, true=true)
    lines = (sentence(found.reason), f"Yours is {example.yours}; the true value is {example.true}.")
    return wrong(question, str(answer), *lines, mistake=known, counterexample=example)


def _is_transposed(answer: Given, truth: Any, digits: int) -> bool:
    if len(answer.shape) != 2:
        return False
    rows, columns = answer.shape
    entries = tuple(answer.entries[row * columns + column] for column in range(columns) for row in range(rows))
    return close(Given(shape=(columns, rows), entries=entries), as_lists(truth), digits).right


def _value(read: Any, mistake: Mistake) -> Any:
    given = read(mistake.answer)
    values = [entry.value for entry in given.entries]
    if not given.shape:
        return values[0]
    columns = given.shape[-1]
    rows = [values[start : start + columns] for start in range(0, len(values), columns)]
    return rows if len(given.shape) == 2 else rows[0]


def _choice(entry: Entry, given: Any) -> Mark:
    """A letter, in brackets or not, or the words of one choice."""
    question = entry.question
    choices = question.form.choices
    letter = letter_of(_words(given), choices)
    if letter is None:
        listed = ", ".join(choices)
        return unread(
            question, f"it must be one of the letters {listed}: got {_words(given)[:60]!r}; write the letter alone"
        )
    read_as = f"{letter}: {choices[letter]}"
    if letter == entry.truth:
        return right(question, read_as)
    known = _known(question, letter)
    return wrong(question, read_as, *([] if known else [f"{letter} is not the right choice."]), mistake=known)


def _truth(entry: Entry, given: Any) -> Mark:
    question = entry.question
    answer = truth_of(_words(given))
    if answer is None:
        return unread(
            question, f"it must be true or false: got {_words(given)[:60]!r}; write true or false, and then why"
        )
    if answer is entry.truth:
        return right(question, shown(answer))
    known = _known(question, answer)
    line = f"The statement is {shown(entry.truth)}."
    return wrong(question, shown(answer), *([] if known else [line]), mistake=known)


def _known(question: Question, answer: Any) -> Mistake | None:
    return next((mistake for mistake in question.mistakes if mistake.answer == answer), None)


def _words(given: Any) -> str:
    """What was given as text with single spaces; of anything but text and numbers the type."""
    text = str(given)[:LONGEST] if isinstance(given, str | int | float) else type(given).__name__
    return " ".join(text.split())
