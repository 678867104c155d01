"""Marking one answer: how it was read, whether it is right, and where it differs from what is true."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from regard.grading.formulas.bounds import Unreadable
from regard.grading.marking.feedback import (
    Counterexample,
    Mark,
    right,
    sentence,
    shown,
    total,
    unanswered,
    waiting,
    wrong,
)
from regard.grading.marking.formulas import CALLED, apart, as_counted, in_flops, mark_formula, mark_order
from regard.grading.questions.question import too_large
from regard.grading.questions.truth import Entry
from regard.grading.reading.numbers import READERS, close
from regard.grading.reading.wording import LONGEST, letter_of, truth_of

NONE, ALL = {"none", "none of them", "none of these", "none of the above"}, {"all", "all of them", "all of the above"}
BETWEEN = re.compile(r"[\s,;/&+\[\]\"'{}]+|\band\b", re.IGNORECASE)


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
    none_of_them = question.kind == "select" and isinstance(given, list | tuple)
    text = given.strip() if isinstance(given, str) else given
    if given is None or (isinstance(text, str | list | tuple | Mapping) and not text and not none_of_them):
        return _parts(entry, {}) if question.kind == "parts" else unanswered(question)
    try:
        found = marked(entry, given)
    except Unreadable as error:
        return waiting(question, f"Could not be read: {error}")
    return found if found.right or found.parts else replace(found, reading=found.reading or found.read_as)


def marked(entry: Entry, given: Any) -> Mark:
    """The mark of an answer that was given; raises `Unreadable`."""
    question = entry.question
    if question.kind == "parts":
        return _parts(entry, given)
    if problem := too_large(given):
        raise Unreadable(problem)
    match question.kind:
        case "formula":
            return mark_formula(entry, given)
        case "order":
            return mark_order(entry, given)
        case "choice":
            return _choice(entry, given)
        case "select":
            return _select(entry, given)
        case "text":
            return waiting(question, "To be marked by hand.", free=True)
        case "truth":
            return _truth(entry, given)
        case _:
            return _numbers(entry, given)


def _parts(entry: Entry, given: Any) -> Mark:
    question = entry.question
    names = [part.id for part in entry.parts]
    if not isinstance(given, Mapping):
        asked = ", ".join(f"{question.id}.{name} = …" for name in names)
        raise Unreadable(f"it has {len(names)} parts: write {asked}")
    extra = [str(name)[:40] for name in given if name not in names]
    remarks = (f"There is no part {extra[0]!r}; the parts are {', '.join(names)}.",) if extra else ()
    parts = tuple(mark(part, given.get(part.id)) for part in entry.parts)
    read_as = "; ".join(f"{part.id}: {part.read_as}" for part in parts if part.read_as)
    mistake = next((part.mistake for part in parts if part.mistake), "")
    whole = Mark(id=question.id, out_of=question.points, read_as=read_as, feedback=remarks, mistake=mistake)
    return total(whole, parts)


def _numbers(entry: Entry, given: Any) -> Mark:
    question = entry.question
    read = READERS[question.kind]
    written = read(given)
    answer = as_counted(question, written)
    digits = question.form.least_digits
    found = close(answer, entry.truth, digits)
    if found.right:
        remarks = [sentence(found.reason)] if found.reason else []
        return right(question, str(answer), *remarks, *in_flops(question, answer))
    if answer is not written and close(written, entry.truth, digits).right:
        return wrong(question, str(answer), mistake=CALLED)
    if not answer.sure:
        raise Unreadable(f"there are words around {answer} that may change it; write the numbers alone")
    if close(answer, entry.truth, 1).right:  # a rounded truth may be a rounded mistake too
        few = f"Right as far as it goes, but too few digits: give at least {digits} significant digits."
        return replace(wrong(question, str(answer)), feedback=(few,))
    known = next((m for m in question.mistakes if close(answer, read(m.answer).values, 1).right), None)
    if found.transposed or found.yours is None:
        return wrong(question, str(answer), sentence(found.reason), mistake=known)
    yours, true = apart(found.yours, found.true)
    example = Counterexample(sizes={}, yours=yours, true=true)
    lines = (sentence(found.reason), f"Yours is {example.yours}; the true value is {example.true}.")
    return wrong(question, str(answer), *lines, mistake=known, counterexample=example)


def _choice(entry: Entry, given: Any) -> Mark:
    """A letter, in brackets or not, or the words of one choice."""
    choices, said = entry.question.form.choices, _words(given)
    letter = letter_of(said, choices)
    if letter is None:
        listed = ", ".join(choices)
        raise Unreadable(f"it must be one of the letters {listed}: got {said[:60]!r}; write the letter alone")
    return _one_of(entry, letter, f"{letter}: {choices[letter]}", f"{letter} is not the right choice.")


def _select(entry: Entry, given: Any) -> Mark:
    """All letters that apply: what is rightly chosen less what is wrongly chosen, as a share of the true ones.

    Where none is true, any letter takes all points.
    """
    question, choices = entry.question, entry.question.form.choices
    said = ", ".join(map(_words, given)) or "none" if isinstance(given, list | tuple) else _words(given)
    chosen = _letters(said, choices)
    if chosen is None:
        listed = ", ".join(choices)
        raise Unreadable(f"it must be letters of {listed}, or none: got {said[:60]!r}; write them as 'a, c'")
    true, read_as = set(entry.truth), ", ".join(chosen) or "none"
    if set(chosen) == true:
        return right(question, read_as)
    apart = [letter for letter in choices if (letter in true) != (letter in chosen)]
    known = [mistake for mistake in question.mistakes if mistake.answer in apart]
    lines = [sentence(f"{mistake.name}: {mistake.hint}") for mistake in known[1:]]
    lost = [f"{letter} {'belongs' if letter in true else 'does not belong'} to it" for letter in apart]
    share = max(0, 2 * len(true & set(chosen)) - len(chosen)) / len(true) if true else 0
    points = round(question.points * share, 2)
    mistake = replace(known[0], points=points) if known else None
    return wrong(question, read_as, *lines, f"{'; '.join(lost)}.", mistake=mistake, points=points)


def _letters(said: str, choices: Mapping[str, str]) -> list[str] | None:
    """The letters that are meant, in the order of the choices; None where something else is said.

    >>> [_letters(said, {"a": "x", "b": "y", "c": "z"}) for said in ("(a) and C", "ca", "None.", "all", "x", "a, d")]
    [['a', 'c'], ['a', 'c'], [], ['a', 'b', 'c'], ['a'], None]
    """
    word = said.strip(" .!()").casefold()
    if word in NONE | ALL:
        return list(choices) if word in ALL else []
    pieces = [piece for piece in BETWEEN.split(said) if piece.strip("()[].")]
    found = [letter_of(said, choices)] if letter_of(said, choices) else [letter_of(piece, choices) for piece in pieces]
    if None in found and len(pieces) == 1:
        found = [letter if letter in choices else None for letter in word]
    return None if None in found or not found else [letter for letter in choices if letter in found]


def _truth(entry: Entry, given: Any) -> Mark:
    said = _words(given)
    answer = truth_of(said)
    if answer is None:
        raise Unreadable(f"it must be true or false: got {said[:60]!r}; write true or false, and then why")
    return _one_of(entry, answer, shown(answer), f"The statement is {shown(entry.truth)}.")


def _one_of(entry: Entry, answer: str | bool, read_as: str, line: str) -> Mark:
    """One of the few answers that there are: right, a known mistake, or wrong, as the line says."""
    if answer == entry.truth:
        return right(entry.question, read_as)
    known = next((mistake for mistake in entry.question.mistakes if mistake.answer == answer), None)
    return wrong(entry.question, read_as, *([] if known else [line]), mistake=known)


def _words(given: Any) -> str:
    """What was given as text with single spaces; of anything but text and numbers the type."""
    text = str(given)[:LONGEST] if isinstance(given, str | int | float) else type(given).__name__
    return " ".join(text.split())
