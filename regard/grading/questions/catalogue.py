"""Questions from TOML, the built-in ones and a teacher's own in one format; errors name file, table and key."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from regard.checks import nearest
from regard.grading.questions.question import COUNTS, KINDS, BadQuestion, Form, Mistake, Question, Truth, too_large
from regard.grading.reading.wording import clashes

MOST_BYTES = 4 << 20  # of a file of questions: a thousand long ones
WITH_SYMBOLS, WITH_CHOICES = ("formula", "order"), ("choice", "select")


class Digits(str):
    """A number of a TOML file as it is written there: 0.450 has three digits."""

    __slots__ = ()


def read_questions(path: Path | str) -> tuple[Question, ...]:
    """The questions of a TOML file; its own functions (`counted = "module.py:build"`) lie beside it.

    ```toml
    [[question]]
    id = "1a"
    text = "How many parameters have three linear maps of width D, with biases?"
    kind = "formula"
    points = 4
    symbols = { D = "positive" }
    answer = "3D² + 3D"
    ```
    """
    path = Path(path)
    if not path.is_file():
        raise BadQuestion(f"{path} is not there: give the TOML file of the questions")
    if path.stat().st_size > MOST_BYTES:
        raise BadQuestion(f"{path} is larger than {MOST_BYTES:,} bytes: questions are text")
    try:
        return parse_questions(path.read_bytes().decode("utf-8"), str(path))
    except UnicodeDecodeError as error:
        raise BadQuestion(f"{path} is not UTF-8 (byte {error.start}): save it as UTF-8") from error


@cache
def built_in_questions() -> tuple[Question, ...]:
    """The questions that come with regard, in the order of their documents."""
    text = resources.files("regard.grading.questions").joinpath("questions.toml").read_text("utf-8")
    return parse_questions(text, "questions.toml")


def select(questions: Sequence[Question], ids: Sequence[str]) -> tuple[Question, ...]:
    """The questions of these ids or documents (`udl` takes all `udl.…`), all without one; in the questions' order."""
    known = [question.id for question in questions]
    documents = {id.split(".")[0] for id in known}
    for id in ids:
        if id not in known and id not in documents:
            advice = nearest(id, [*known, *sorted(documents)], "see regard questions")
            raise ValueError(f"no question or document is called {id!r}: {advice}")
    return tuple(q for q in questions if not ids or q.id in ids or q.id.split(".")[0] in ids)


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


def parse_questions(text: str, file: str) -> tuple[Question, ...]:
    """The questions that a text in TOML holds."""
    try:
        tables = tomllib.loads(text, parse_float=Digits)
    except (ValueError, RecursionError) as error:  # a number too long, or lists too deep, for Python to read
        raise BadQuestion(f"{file} is not TOML: {error}") from error
    if extra := [key for key in tables if key != "question"]:
        raise BadQuestion(f"{file}: unknown key {extra[0]!r} beside the questions: each one is a table [[question]]")
    rows = tables.get("question", [])
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise BadQuestion(f"{file} has no question: write each one as a table [[question]]")
    questions: list[Question] = []
    for number, row in enumerate(rows, 1):
        table = _Table(row, file, f"question {number}")
        questions.append(table.question())
        if problem := _clash([question.id for question in questions]):
            raise table.error("id", problem)
    return tuple(questions)


def _clash(ids: Sequence[str]) -> str:
    """What is wrong with the last id: an answer sheet has a key for each, and `1` has no place for `1.a` beside it."""
    *others, last = ids
    for id in others:
        if id == last:
            return f"{last!r} is there twice; ids are unique"
        if id.startswith(f"{last}.") or last.startswith(f"{id}."):
            return f"{last!r} and {id!r} clash: one is the beginning of the other; join by a dash what is no part of it"
    return ""


SCALAR = {"id", "text", "kind", "answer", "counted", "count", "choices", "symbols", "least_digits", "hint", "points"}
KEYS_OF_PART = SCALAR | {"parts", "mistake", "rubric"}
KEYS = KEYS_OF_PART | {"claim", "part"}
KEYS_OF_MISTAKE = {"answer", "name", "hint", "points"}
BESIDE_SUBQUESTIONS = (
    "kind",
    "answer",
    "counted",
    "count",
    "choices",
    "least_digits",
    "parts",
    "mistake",
    "points",
    "rubric",
)


class _Table:
    """One table of a file, whose errors say which it is."""

    def __init__(self, row: dict[str, Any], file: str, name: str) -> None:
        self.row, self.file = row, file
        self.name = f"{name} ({row['id']})" if isinstance(row.get("id"), str) else name
        for key, value in row.items():
            if problem := too_large(value):
                raise self.error(key, problem)

    def error(self, key: str, problem: str) -> BadQuestion:
        return BadQuestion(f"{self.file}, {self.name}, {key}: {problem}")

    def only(self, keys: set[str]) -> None:
        for key in self.row:
            if key not in keys:
                raise self.error(key, f"unknown key; {nearest(key, sorted(keys))}")

    def text(self, key: str, default: str | None = None) -> str:
        value = self.row.get(key, default)
        if value is None:
            raise self.error(key, "is missing; it is a text")
        if not isinstance(value, str) or isinstance(value, Digits) or (default is None and not value.strip()):
            raise self.error(key, f"must be a text: got {value!r}")
        return value

    def points(self, default: float | None) -> float | None:
        value = self.row.get("points", default)
        return None if value is None else self._number("points", value)

    def _number(self, key: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float | Digits) or not 0 <= float(value) < 1e6:
            raise self.error(key, f"must be a number from 0: got {value!r}")
        return float(value)

    def rubric(self, kind: str) -> dict[str, float]:
        """Criteria with their points, of a text alone."""
        value = self.row.get("rubric", {})
        if value and kind != "text":
            raise self.error("rubric", f"is for texts, which are marked by hand: the kind is {kind!r}; leave it out")
        if kind == "text" and not (isinstance(value, dict) and value):
            raise self.error("rubric", f'must be criteria with their points, {{ "…" = 2 }}: got {value!r}; add one')
        return {name: self._number(f"rubric.{name}", points) for name, points in value.items()}

    def texts(self, key: str) -> dict[str, str]:
        """A table of texts; numbers are texts too."""
        value = self.row.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(entry, str | int) for entry in value.values()):
            raise self.error(key, f'must be a table of texts, such as {{ D = "…" }}: got {value!r}')
        return {name: str(entry) for name, entry in value.items()}

    def one_of(self, key: str, names: Sequence[str], default: str | None = None) -> Any:
        value = self.text(key, default)
        if value not in names:
            raise self.error(key, f"must be one of {', '.join(names)}: got {value!r}; {nearest(value, names)}")
        return value

    def tables(self, key: str) -> list["_Table"]:
        rows = self.row.get(key, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise self.error(key, f"must be tables [[question.{key}]]: got {rows!r}")
        return [_Table(row, self.file, f"{self.name}, {key} {number}") for number, row in enumerate(rows, 1)]

    def question(self) -> Question:
        """A question of the file."""
        self.only(KEYS)
        id = self._id()
        if not (tables := self.tables("part")):
            return self._leaf(id, {})
        for key in BESIDE_SUBQUESTIONS:
            if key in self.row:
                raise self.error(key, "stands in the tables [[question.part]] here; leave it out beside them")
        inherited = self.texts("symbols")
        subquestions = []
        for table in tables:
            table.only(KEYS_OF_PART)
            subquestions.append(table._leaf(table._id(), inherited))
            if problem := _clash([part.id for part in subquestions]):
                raise table.error("id", problem)
        return Question(
            id=id,
            text=self.text("text").strip(),
            points=sum(part.points for part in subquestions),
            form=Form(kind="parts", symbols=inherited),
            truth=Truth(file=self.file, table=self.name),
            subquestions=tuple(subquestions),
            claim=self.text("claim", id).strip(),
            hint=self.text("hint", "").strip(),
        )

    def _id(self) -> str:
        id = self.text("id")
        if not all(letter.isalnum() or letter in "._-" for letter in id) or not id[0].isalnum():
            raise self.error("id", f"must be letters, digits, dots, dashes: got {id!r}")
        return id

    def _leaf(self, id: str, inherited: Mapping[str, str]) -> Question:
        """A question, or a part of one, that is answered at once."""
        form = self._form(inherited)
        answer, counted, rubric = self.row.get("answer"), self.row.get("counted"), self.rubric(form.kind)
        for key in ("counted", "mistake") if rubric else ():
            if key in self.row:
                raise self.error(key, "is not looked at in a text, which is marked by hand; leave it out")
        if answer is None and counted is None and not rubric:
            raise self.error("answer", 'is missing; give it, or counted = "module.py:function", or both')
        if counted is not None and self.text("counted").count(":") != 1:
            raise self.error("counted", f"must be module:function or file.py:function: got {counted!r}")
        if "count" in self.row and counted is None:
            raise self.error("count", "says what of the counted thing is counted; give counted too")
        parts = self.texts("parts")
        if parts and form.kind != "formula":
            raise self.error("parts", f"are summands of a formula: the kind is {form.kind!r}; leave them out")
        points = self.points(sum(rubric.values()) if rubric else 1.0)
        assert points is not None
        if rubric and points != sum(rubric.values()):
            whole = sum(rubric.values())
            raise self.error(
                "points", f"must be what the rubric adds up to: got {points:g}, not {whole:g}; leave it out"
            )
        count = self.one_of("count", COUNTS, "value")
        return Question(
            id=id,
            text=self.text("text").strip(),
            points=points,
            form=form,
            truth=Truth(answer=answer, counted=counted, count=count, rubric=rubric, file=self.file, table=self.name),
            parts=parts,
            mistakes=tuple(table._mistake(points) for table in self.tables("mistake")),
            claim=self.text("claim", id).strip(),
            hint=self.text("hint", "").strip(),
        )

    def _form(self, inherited: Mapping[str, str]) -> Form:
        kind = self.one_of("kind", KINDS)
        choices, symbols = self.texts("choices"), self.texts("symbols")
        if symbols and kind not in WITH_SYMBOLS:
            raise self.error("symbols", f"are those of a formula or an order: the kind is {kind!r}; leave them out")
        symbols = (dict(inherited) | symbols) if kind in WITH_SYMBOLS else {}
        if kind in WITH_SYMBOLS and not symbols:
            raise self.error("symbols", f'are missing: {kind}s have some; write symbols = {{ D = "positive" }}')
        if choices and kind not in WITH_CHOICES:
            raise self.error("choices", f"are those of a choice: the kind is {kind!r}; leave them out")
        if kind in WITH_CHOICES and len(choices) < 2:
            raise self.error("choices", f'must be two or more: got {len(choices)}; write {{ a = "…", b = "…" }}')
        for problem in clashes(choices):
            raise self.error("choices", f"must be told apart: {problem}; change one")
        digits = self.row.get("least_digits", 3)
        if type(digits) is not int or not 1 <= digits <= 15:
            raise self.error("least_digits", f"must be a whole number from 1 to 15: got {digits!r}")
        return Form(kind=kind, symbols=symbols, choices=choices, least_digits=digits)

    def _mistake(self, out_of: float) -> Mistake:
        self.only(KEYS_OF_MISTAKE)
        if "answer" not in self.row:
            raise self.error("answer", "is missing; it is the wrong answer")
        points = self.points(None)
        if points is not None and not points < out_of:
            raise self.error("points", f"must be fewer than the question's {out_of:g}: got {points:g}")
        return Mistake(
            answer=self.row["answer"], name=self.text("name").strip(), hint=self.text("hint", "").strip(), points=points
        )
