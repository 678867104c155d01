"""Questions from TOML, the built-in ones and a teacher's own in one format; errors name file, table and key."""

from collections.abc import Sequence
from pathlib import Path

from regard.claims.answers.question import Question


class BadQuestion(ValueError):  # noqa: N818 - named by what is the matter
    """A question that cannot be asked or marked: the message names the file, the table and the key."""


def read_questions(path: Path | str) -> tuple[Question, ...]:
    """The questions of a TOML file; its own functions (`counted = "module.py:build"`) lie beside it."""
    ...


def built_in_questions() -> tuple[Question, ...]:
    """The questions that come with regard, in the order of their documents."""
    ...


def select(questions: Sequence[Question], ids: Sequence[str]) -> tuple[Question, ...]:
    """The questions of these ids or documents (`udl` takes all `udl.…`); an unknown one names its neighbours."""
    ...
