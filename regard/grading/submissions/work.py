"""What a child does: read a file, or mark answers. It needs the key alone, no torch, no teacher's code."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from regard.grading.marking.marking import mark
from regard.grading.questions.key import Key
from regard.grading.submissions.submission import Asked, printable, read_submission

LONGEST_ANSWER, LONGEST_LINE = 20_000, 1000  # characters of an answer that are kept, and of other texts


@dataclass(frozen=True)
class Reading:
    """Read a file, which may be a symbolic link with `follow`: whose it is, and what it answers."""

    asked: Asked
    others: Asked
    follow: bool

    def warm(self) -> None: ...

    def __call__(self, path: Path) -> dict[str, Any]:
        try:
            submission = read_submission(path, self.asked, self.follow, self.others)
        except ValueError as error:
            return {"refused": printable(str(error), LONGEST_LINE)}
        said = {"name": submission.name, "student": submission.student, "notes": submission.notes}
        return harmless(said) | {"given": _given(submission.answers), "answers": _bounded(submission.answers)}


@dataclass(frozen=True)
class Marking:
    """Mark answers to questions by their ids."""

    key: Key

    def warm(self) -> None:
        """Mark what is known once, true and wrong, so that grammars and truths are read before anything is forked."""
        for leaf in [leaf for entry in self.key for leaf in entry.parts or (entry,)]:
            for answer in (leaf.truth, *[mistake.answer for mistake in leaf.question.mistakes]):
                mark(leaf, answer)

    def __call__(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        marks = [mark(entry, answers[entry.id]) for entry in self.key if entry.id in answers]
        return {"marks": harmless([asdict(each) for each in marks])}


def _given(answers: Mapping[str, Any]) -> dict[str, str]:
    """The answers as they were given, those to parts one by one: `udl.2.weights`."""
    given = {}
    for id, answer in answers.items():
        parts = {f"{id}.{name}": part for name, part in answer.items()} if isinstance(answer, Mapping) else {id: answer}
        given |= {label: _written(each) for label, each in parts.items()}
    return given


def _bounded(answer: Any) -> Any:
    """Texts without what is beyond the longest that is read: a notebook's would not fit into what a child may say."""
    if isinstance(answer, Mapping):
        return {name: _bounded(part) for name, part in answer.items()}
    return answer[: LONGEST_ANSWER + 1] if isinstance(answer, str) else answer


def _written(answer: Any) -> str:
    """An answer as it may be shown, with its lines; of one that is cut off a hash keeps it apart from others."""
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    lines = [printable(line, LONGEST_ANSWER) for line in text[:LONGEST_ANSWER].splitlines()]
    cut = f"… #{hashlib.sha256(text.encode(errors='replace')).hexdigest()}" if len(text) > LONGEST_ANSWER else ""
    return "\n".join(lines) + cut


def harmless(data: Any) -> Any:
    """All text in it without what steers a terminal: feedback repeats what was given."""
    if isinstance(data, str):
        return printable(data, LONGEST_LINE)
    if isinstance(data, Mapping):
        return {name: harmless(value) for name, value in data.items()}  # names are the questions', not the stranger's
    return [harmless(each) for each in data] if isinstance(data, list | tuple) else data
