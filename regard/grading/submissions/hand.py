"""Marks by hand, in a file beside the answers: read, held against the answers that they were given for, and applied.

A mark is for one answer, known by its hash, whoever gave it; or, with `submission`, for one submission alone:

```toml
[[mark]]
question = "udl.6b"
hash = "3f0c1d5e8a42"           # as `regard grade FOLDER --unread FILE` writes it
points = 2
remark = "names both tasks, compares nothing"
by = "EM"

[[mark]]
submission = "ada.toml"         # or the student's id
question = "udl.1a"
points = 4
```
"""

import hashlib
import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from regard.checks import nearest
from regard.grading.marking.feedback import ByHand, Mark, override, total, unanswered
from regard.grading.questions.question import Question
from regard.grading.questions.tables import Table, decoded, tables_of
from regard.grading.submissions.grade import Graded

HASH = 12  # hexadecimal digits: of a class's answers no two share them by chance
LARGEST = 16 << 20  # bytes
KEYS = ("question", "answer", "hash", "given_by", "submission", "points", "remark", "by")
FIRST = """# Answers that wait for a person, identical ones once. Give points, and if you like a remark and who you are;
# regard grade … --marks THIS_FILE applies them. What has no points still waits.
"""


@dataclass(frozen=True, kw_only=True)
class HandMark:
    """A mark by hand, as a file has it: `points` is None while nobody has filled them in; `where` names the table."""

    question: str
    points: float | None
    hand: ByHand
    hash: str = ""
    submission: str = ""
    given_by: tuple[str, ...] = ()
    where: str = ""


def hash_of(answer: str) -> str:
    """A few digits that tell whether an answer has changed; spaces and line ends don't count.

    >>> hash_of("3D² + 3D"), hash_of(" 3D²  + 3D ") == hash_of("3D² + 3D")
    ('dca77e1ab5e4', True)
    """
    return hashlib.sha256(" ".join(answer.split()).encode()).hexdigest()[:HASH]


def marks_beside(path: Path) -> Path:
    """Where the marks of a folder lie: beside it, where no student's file can be, `submissions.marks.toml`."""
    folder = (path if path.is_dir() else path.parent).resolve()
    return folder.with_name(f"{folder.name}.marks.toml")


def read_marks(path: Path, questions: Sequence[Question]) -> tuple[HandMark, ...]:
    """The marks of a file; a ValueError names the file, the table and the key."""
    if not path.is_file() or path.stat().st_size > LARGEST:
        raise ValueError(f"--marks must be a file of marks below {LARGEST >> 20} MiB: got {path}; see --unread")
    leaves = {id: leaf for question in questions for id, leaf in _leaves(question)}
    return tuple([_mark(table, leaves) for table in tables_of(decoded(path), str(path), "mark")])


def _leaves(question: Question) -> Iterator[tuple[str, Question]]:
    """What can be marked: the parts of a question, and the whole, where somebody answered it as one."""
    yield from [(f"{question.id}.{part.id}", part) for part in question.subquestions]
    yield question.id, question


def _mark(table: Table, leaves: dict[str, Question]) -> HandMark:
    table.only(KEYS)
    id, answer, submission = (table.text(key, "") for key in ("question", "answer", "submission"))
    given_by, points = table.row.get("given_by", []), table.row.get("points", "")
    if not isinstance(given_by, list) or not all(isinstance(name, str) for name in given_by):
        raise table.error("given_by", f"must be a list of files: got {given_by!r}; leave it as it was written")
    if id not in leaves:
        known = nearest(id, leaves, "see regard questions")
        raise table.error("question", f"must be a question, or a part of one: got {id!r}; {known}")
    points = None if points == "" else table.number("points", points, leaves[id].points)
    hash = table.text("hash", "") or (hash_of(answer) if answer else "")
    if not hash and not submission:
        raise table.error("hash", "must say which answer it is for: got no hash and no submission; give one of them")
    return HandMark(
        question=id,
        points=points,
        hand=ByHand(by=table.text("by", ""), remark=table.text("remark", "")),
        hash=hash,
        submission=submission,
        given_by=tuple(given_by),
        where=f"{table.file}, {table.name}",
    )


def apply_marks(
    questions: Sequence[Question], graded: Sequence[Graded], marks: Sequence[HandMark]
) -> tuple[list[Graded], list[str]]:
    """The submissions with their marks by hand, and what a teacher has to know: marks that are stale, or nobody's.

    One for a submission goes before one for an answer. A mark whose answer has changed is told, and not applied.
    """
    filled = [mark for mark in marks if mark.points is not None]
    known = {"", *[name for each in graded for name in (each.file, each.student)]}
    unknown = {mark.submission for mark in filled} - known
    warnings = [f"marks by hand for {name!r}, which is not among the submissions" for name in sorted(unknown)]
    by_name: dict[tuple[str, str], list[HandMark]] = {}
    by_hash: dict[tuple[str, str], list[HandMark]] = {}
    for mark in filled:
        for name in (mark.submission, *mark.given_by):
            by_name.setdefault((mark.question, name), []).append(mark)
        if not mark.submission:
            by_hash.setdefault((mark.question, mark.hash), []).append(mark)
    found, ids = [], list(dict.fromkeys([mark.question for mark in filled]))
    for each in graded:
        for id in [] if each.refused else ids:
            named = [mark for name in {each.file, each.student} - {""} for mark in by_name.get((id, name), ())]
            hash = hash_of(each.written(id)) if each.written(id) else ""
            own = [mark for mark in named if mark.submission and mark.hash in ("", hash)]
            if chosen := own or by_hash.get((id, hash)):
                each = replace(each, marks=_applied(questions, each.marks, _only(chosen, f"{each.file}, {id}")))
            elif named:
                where = f"{each.file}, {id}: marked by hand ({named[0].where})"
                warnings.append(f"{where}, but the answer has changed since: mark it anew")
        found.append(each)
    return found, warnings


def _only(marks: Sequence[HandMark], place: str) -> HandMark:
    if len({mark.points for mark in marks}) > 1:
        tables = " and ".join([mark.where for mark in marks])
        raise ValueError(f"{place}: must have one mark by hand: got {tables}; delete one")
    return marks[-1]


def _applied(questions: Sequence[Question], marks: tuple[Mark, ...], hand: HandMark) -> tuple[Mark, ...]:
    """All marks of a submission, with the one by hand in its place; a question that was not answered may have one."""
    question = next(each for each in questions if hand.question in dict(_leaves(each)))
    parts = tuple([unanswered(part) for part in question.subquestions])
    there = {mark.id: mark for mark in marks}
    old = there.get(question.id, total(unanswered(question), parts) if parts else unanswered(question))
    assert hand.points is not None
    name = hand.question.removeprefix(f"{question.id}.")
    if old.parts and hand.question != question.id:
        changed = [override(part, hand.points, hand.hand) if part.id == name else part for part in old.parts]
        new = total(old, tuple(changed))
    else:
        new = override(replace(old, parts=()), hand.points, hand.hand)
    order = {each.id: number for number, each in enumerate(questions)}
    return tuple(sorted((there | {new.id: new}).values(), key=lambda mark: order[mark.id]))


def unread_toml(questions: Sequence[Question], graded: Sequence[Graded], known: Sequence[HandMark] = ()) -> str:
    """Tables to be filled in, one for all answers that are alike, those that a file already has left out."""
    groups: dict[str, dict[str, list[Graded]]] = {}
    for each in graded:
        for id in each.unread:
            groups.setdefault(id, {}).setdefault(hash_of(each.written(id)), []).append(each)
    has = {(mark.question, mark.hash) for mark in known}
    lines: list[str] = []
    for id, leaf in [(id, leaf) for question in questions for id, leaf in _leaves(question)]:
        new = {hash: same for hash, same in groups.get(id, {}).items() if (id, hash) not in has}
        if new:
            lines += ["", *textwrap.wrap(f"{id} ({leaf.points:g} points): {leaf.text}", 116, **COMMENT)]
            lines += [f"#   {points:g}: {' '.join(what.split())}" for what, points in leaf.truth.rubric.items()]
        for hash, same in sorted(new.items(), key=lambda item: (-len(item[1]), item[0])):
            reasons = [line for line in same[0].unread[id].feedback if not leaf.truth.rubric]
            lines += ["", *[line for reason in reasons for line in textwrap.wrap(reason, 116, **COMMENT)], "[[mark]]"]
            lines += [f"question = {_toml(id)}", f"answer = {_toml(same[0].written(id))}", f"hash = {_toml(hash)}"]
            lines += [f"given_by = [{', '.join([_toml(each.file) for each in same])}]"]
            lines += ['points = ""', 'remark = ""', 'by = ""']
    return "\n".join(lines) + "\n" if lines else ""


COMMENT: Any = {"initial_indent": "# ", "subsequent_indent": "# "}


def _toml(text: str) -> str:
    """A text of TOML; one of several lines stands as it is read."""
    escaped = [json.dumps(line, ensure_ascii=False)[1:-1] for line in text.split("\n")]
    return f'"{escaped[0]}"' if len(escaped) == 1 else '"""\n' + "\n".join(escaped) + '"""'
