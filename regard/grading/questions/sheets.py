"""Worksheets: questions to print, as Markdown, to fill in, as TOML, and for a program, as plain data."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from regard.grading.questions.question import Question

WIDTH = 116  # of comments in a TOML sheet
HOW = {
    "number": "a number, as '0.465', '1/3', '67.1M' or '5.6e-42'",
    "vector": "a vector, as '(0.1, 0.2)'",
    "matrix": "a matrix, as '[[1, 2], [3, 4]]', or row by row: '1 2; 3 4'",
    "formula": "a formula",
    "order": "an order of growth, as 'Θ(…)'",
    "choice": "a letter",
    "select": "all letters that apply, as 'a, c', or 'none'; a wrong letter takes away what a right one gives",
    "truth": "'true' or 'false'",
    "text": "some sentences, which a person marks",
}


def worksheet_markdown(questions: Sequence[Question], teacher: bool = False) -> str:
    """The questions with their points, symbols and choices, as Markdown; for a teacher with answers and rubrics too.

    >>> from regard.grading.questions.catalogue import built_in_questions, select
    >>> print(worksheet_markdown(select(built_in_questions(), ["udl.1b"])))
    # Questions
    <BLANKLINE>
    1 question, 2 points.
    <BLANKLINE>
    ## udl.1b (2 points)
    <BLANKLINE>
    How many attention weights does one head compute for N tokens that attend to each other, without a mask?
    <BLANKLINE>
    *A formula in N (N positive).*
    <BLANKLINE>
    """
    total = sum(question.points for question in questions)
    lines = ["# Questions", "", f"{_many(len(questions), 'question')}, {_points(total)}.", ""]
    for question in questions:
        lines += [f"## {question.id} ({_points(question.points)})", "", question.text, ""]
        for part in question.subquestions:
            lines += [f"**{part.id}** ({_points(part.points)}). {part.text}", "", *_asked(part, teacher)]
        if not question.subquestions:
            lines += _asked(question, teacher)
    return "\n".join(lines)


def worksheet_toml(questions: Sequence[Question]) -> str:
    """A sheet to fill in: a key for every answer, empty, with the question above it as a comment.

    >>> from regard.grading.questions.catalogue import built_in_questions, select
    >>> print(worksheet_toml(select(built_in_questions(), ["udl.1b"])))
    # Write each answer between its quotes; what stays empty is not answered.
    name = ''
    <BLANKLINE>
    # udl.1b (2 points)
    # How many attention weights does one head compute for N tokens that attend to each other, without a mask?
    # Answer: a formula in N (N positive).
    udl.1b = ''
    <BLANKLINE>
    """
    lines = ["# Write each answer between its quotes; what stays empty is not answered.", "name = ''", ""]
    for question in questions:
        lines += [f"# {question.id} ({_points(question.points)})", *_comment(question.text)]
        for part in question.subquestions:
            lines += [*_comment(f"{part.id} ({_points(part.points)}): {part.text}"), *_answer(part)]
            lines.append(f"{_key(question.id)}.{_key(part.id)} = {_empty(part)}")
        if not question.subquestions:
            lines += [*_answer(question), f"{_key(question.id)} = {_empty(question)}"]
        lines.append("")
    return "\n".join(lines)


def question_json(question: Question) -> dict[str, Any]:
    """A question without its truth, or the hint that is given with a mark, for `json.dumps`."""
    asks = {"id": question.id, "text": question.text, "points": question.points}
    if question.subquestions:
        return asks | {"parts": [question_json(part) for part in question.subquestions]}
    form = question.form
    return asks | {"kind": form.kind, "symbols": dict(form.symbols), "choices": dict(form.choices)}


def how_to_answer(question: Question) -> str:
    """What kind of answer is expected: `a formula in D, H (D positive, H divides D)`."""
    form = question.form
    how = HOW[form.kind]
    if form.symbols:
        rules = ", ".join(f"{name} {rule}" for name, rule in form.symbols.items())
        return f"{how} in {', '.join(form.symbols)} ({rules})"
    digits = form.least_digits if form.kind in ("number", "vector", "matrix") else 0
    return f"{how}; {_many(digits, 'digit')} or more where it is rounded" if digits else how


def _asked(question: Question, teacher: bool) -> Iterator[str]:
    for letter, text in question.form.choices.items():
        yield f"- {letter}: {text}"
    if question.form.choices:
        yield ""
    how = how_to_answer(question)
    yield from (f"*{how[0].upper()}{how[1:]}.*", "")
    if not teacher:
        return
    answer, counted = question.truth.answer, question.truth.counted
    said = [] if answer is None else [", ".join(answer) or "none" if question.kind == "select" else str(answer)]
    said += [f"counted by `{counted}`"] if counted else []
    yield from (f"Answer: {'; '.join(said)}.", "") if said else ()
    known = [f"- known mistake `{mistake.answer}`: {mistake.name}" for mistake in question.mistakes]
    yield from [f"- [ ] {what} ({_points(points)})" for what, points in question.truth.rubric.items()] or known
    yield ""


def _answer(question: Question) -> Iterator[str]:
    for letter, text in question.form.choices.items():
        yield from _comment(f"{letter}: {text}", "   ")
    yield from _comment(f"Answer: {how_to_answer(question)}.")


def _empty(question: Question) -> str:
    return "'''\n'''" if question.kind == "text" else "''"  # several lines of text, or one


def _comment(text: str, indent: str = "") -> list[str]:
    lines = [line for paragraph in text.splitlines() for line in textwrap.wrap(paragraph, WIDTH - len(indent))]
    return [f"# {indent}{line}" for line in lines]


def _key(id: str) -> str:
    """An id as a key of TOML: its dots may stand as they are, other letters need quotes."""
    return ".".join(part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else f'"{part}"' for part in id.split("."))


def _points(points: float) -> str:
    return _many(points, "point")


def _many(count: float, word: str) -> str:
    return f"{count:g} {word}{'' if count == 1 else 's'}"
