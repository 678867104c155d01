"""Which questions are asked: the built-in ones or a teacher's own, all or some of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from regard.grading.questions.catalogue import built_in_questions, read_questions, select
from regard.grading.questions.question import Question


def asked(own: Sequence[Path] = (), begins: Sequence[str] = ()) -> tuple[Question, ...]:
    """The questions of the files `own`, or else the built-in ones, whose ids are or begin with one of these words.

    `udl` takes the document, `udl.1` takes udl.1a and udl.1b but not udl.10.
    """
    questions = tuple([question for file in own for question in read_questions(file)]) if own else built_in_questions()
    ids = [question.id for question in questions]
    twice = next((id for number, id in enumerate(ids) if id in ids[:number]), None)
    if twice is not None:
        raise ValueError(f"an id must belong to one question: got {twice!r} in two files; rename one")
    if taken := {"id", "name"} & set(ids):
        raise ValueError(f"an id must not be {taken.pop()!r}, under which a submission says whose it is; rename it")
    words = [id for word in begins for id in [id for id in ids if _begins(id, word)] or [word]]
    return select(questions, words)  # which names the neighbours of an unknown word


def _begins(id: str, word: str) -> bool:
    rest = id.removeprefix(word)
    return id.startswith(word) and (not rest or not rest[0].isdigit() or not word[-1:].isdigit())


def plain(question: Question) -> dict[str, Any]:
    """A question without its truth, or the hint that is given with a mark, for `json.dumps`."""
    asks = {
        "id": question.id,
        "text": question.text,
        "points": question.points,
    }
    if question.subquestions:
        return asks | {"parts": [plain(part) for part in question.subquestions]}
    form = question.form
    return asks | {"kind": form.kind, "symbols": dict(form.symbols), "choices": dict(form.choices)}
