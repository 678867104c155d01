"""Questions from TOML, the built-in ones and a teacher's own in one format; errors name file, table and key."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from regard.checks import nearest
from regard.grading.questions.question import COUNTS, KINDS, BadQuestion, Form, Kind, Mistake, Question, Truth
from regard.grading.questions.tables import Table, decoded, tables_of
from regard.grading.reading.wording import clashes

MOST_BYTES = 4 << 20  # of a file of questions: a thousand long ones


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
    return parse_questions(decoded(path), str(path))


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
    questions: list[Question] = []
    for table in tables_of(text, file, "question"):
        questions.append(_question(table))
        if problem := _clash([question.id for question in questions]):
            raise table.error("id", problem)
    if not questions:
        raise BadQuestion(f"{file} has no question: write each one as a table [[question]]")
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


# What only some kinds have.
OWN_KEYS: dict[str, tuple[str, tuple[str, ...]]] = {
    "symbols": ("are those of a formula or an order", ("formula", "order")),
    "choices": ("are those of a choice", ("choice", "select")),
    "parts": ("are summands of a formula", ("formula",)),
    "rubric": ("is for texts, which are marked by hand", ("text",)),
    "counted": ("is for what a function can give", ("number", "vector", "matrix", "formula", "truth")),
    "mistake": ("is for what is not marked by hand", tuple(kind for kind in KINDS if kind != "text")),
}
ASKED = {"id", "text", "symbols", "hint"}
KEYS_OF_PART = ASKED | {"kind", "answer", "counted", "count", "choices", "least_digits", "points", *OWN_KEYS}
KEYS = KEYS_OF_PART | {"claim", "part"}
KEYS_OF_MISTAKE = {"answer", "name", "hint", "points"}


def _question(table: Table) -> Question:
    """A question of the file."""
    table.only(KEYS)
    id = _id(table)
    if not (tables := table.tables("part")):
        return _leaf(table, id, {})
    for key in table.row:
        if key in KEYS_OF_PART - ASKED:
            raise table.error(key, "stands in the tables [[question.part]] here; leave it out beside them")
    inherited = table.texts("symbols")
    subquestions = []
    for part in tables:
        part.only(KEYS_OF_PART)
        subquestions.append(_leaf(part, _id(part), inherited))
        if problem := _clash([each.id for each in subquestions]):
            raise part.error("id", problem)
    return Question(
        id=id,
        text=table.text("text").strip(),
        points=sum(part.points for part in subquestions),
        form=Form(kind="parts", symbols=inherited),
        truth=Truth(file=table.file, table=table.name),
        subquestions=tuple(subquestions),
        claim=table.text("claim", id).strip(),
        hint=table.text("hint", "").strip(),
    )


def _id(table: Table) -> str:
    id = table.text("id")
    if not all(letter.isalnum() or letter in "._-" for letter in id) or not id[0].isalnum():
        raise table.error("id", f"must be letters, digits, dots, dashes: got {id!r}")
    return id


def _leaf(table: Table, id: str, inherited: Mapping[str, str]) -> Question:
    """A question, or a part of one, that is answered at once."""
    row, kind = table.row, table.one_of("kind", KINDS)
    for key, (what, kinds) in OWN_KEYS.items():
        if key in row and kind not in kinds:
            raise table.error(key, f"{what}: the kind is {kind!r}; leave {'them' if key.endswith('s') else 'it'} out")
    answer, counted, rubric = row.get("answer"), row.get("counted"), row.get("rubric", {})
    if kind == "text" and not (isinstance(rubric, dict) and rubric):
        raise table.error("rubric", f'must be criteria with their points, {{ "…" = 2 }}: got {rubric!r}; add one')
    rubric = {name: table.number(f"rubric.{name}", points) for name, points in rubric.items()}
    if answer is None and counted is None and not rubric:
        raise table.error("answer", 'is missing; give it, or counted = "module.py:function", or both')
    if counted is not None and table.text("counted").count(":") != 1:
        raise table.error("counted", f"must be module:function or file.py:function: got {counted!r}")
    if "count" in row and counted is None:
        raise table.error("count", "says what of the counted thing is counted; give counted too")
    whole = sum(rubric.values()) if rubric else 1.0
    points = table.number("points", row.get("points", whole))
    if rubric and points != whole:
        raise table.error("points", f"must be what the rubric adds up to: got {points:g}, not {whole:g}; leave it out")
    count = table.one_of("count", COUNTS, "value")
    return Question(
        id=id,
        text=table.text("text").strip(),
        points=points,
        form=_form(table, kind, inherited),
        truth=Truth(answer=answer, counted=counted, count=count, rubric=rubric, file=table.file, table=table.name),
        parts=table.texts("parts"),
        mistakes=tuple(_mistake(each, points) for each in table.tables("mistake")),
        claim=table.text("claim", id).strip(),
        hint=table.text("hint", "").strip(),
    )


def _form(table: Table, kind: Kind, inherited: Mapping[str, str]) -> Form:
    choices, symbols = table.texts("choices"), {}
    if kind in ("formula", "order"):
        symbols = {**inherited, **table.texts("symbols")}
        if not symbols:
            raise table.error("symbols", f'are missing: {kind}s have some; write symbols = {{ D = "positive" }}')
    if kind in ("choice", "select") and len(choices) < 2:
        raise table.error("choices", f'must be two or more: got {len(choices)}; write {{ a = "…", b = "…" }}')
    for problem in clashes(choices):
        raise table.error("choices", f"must be told apart: {problem}; change one")
    digits = table.row.get("least_digits", 3)
    if type(digits) is not int or not 1 <= digits <= 15:
        raise table.error("least_digits", f"must be a whole number from 1 to 15: got {digits!r}")
    return Form(kind=kind, symbols=symbols, choices=choices, least_digits=digits)


def _mistake(table: Table, out_of: float) -> Mistake:
    table.only(KEYS_OF_MISTAKE)
    if "answer" not in table.row:
        raise table.error("answer", "is missing; it is the wrong answer")
    points = table.number("points", table.row["points"]) if "points" in table.row else None
    if points is not None and not points < out_of:
        raise table.error("points", f"must be fewer than the question's {out_of:g}: got {points:g}")
    name, hint = table.text("name").strip(), table.text("hint", "").strip()
    return Mistake(answer=table.row["answer"], name=name, hint=hint, points=points)
