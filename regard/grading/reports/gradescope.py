"""Marks for Gradescope: the results of one submission as it reads them, and an autograder that it can be given."""

import io
import json
import shlex
import zipfile
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from regard.grading.marking.feedback import Mark, unanswered
from regard.grading.questions.catalogue import read_questions
from regard.grading.questions.question import Question
from regard.grading.reports.pages import environment
from regard.grading.submissions.formats import FORMATS
from regard.grading.submissions.grade import Graded, submissions

PACKAGE = Path(__file__).parents[2]
LEFT_OUT = ("explore", "shipped", "__pycache__")  # the page, and trained models
LARGEST = 1 << 20  # bytes of a file of the package: data of trainings, which no marking needs
EXECUTABLE = 0o755 << 16
MADE = (1980, 1, 1, 0, 0, 0)  # the same questions give the same archive


def the_one(path: Path) -> Path:
    """The file of answers in a folder that should hold just one, beside what is no answer."""
    if not path.is_dir():
        return path
    found = [file for file in submissions(path, recursive=True) if file.suffix.lower() in FORMATS]
    if len(found) != 1:
        names = ", ".join([file.name for file in found])
        raise ValueError(f"one file of answers must be handed in: got {names}; delete all but one")
    return found[0]


def results_json(questions: Sequence[Question], graded: Graded) -> str:
    """The content of results.json: a test for every question or part, and what there is to say of all.

    What waits for a person has no score yet, so that it does not look failed.
    """
    if graded.refused:
        return refusal_json(f"{graded.file} {graded.refused}")
    marks = {mark.id: mark for mark in graded.marks}
    tests = [test for question in questions for test in _tests(question, marks.get(question.id))]
    waiting = [f"To be marked by hand: {', '.join(graded.unread)}."] if graded.unread else []
    said = {"output": "\n".join([*graded.notes, *waiting]), "output_format": "text", "visibility": "visible"}
    return json.dumps({"score": graded.points} | said | {"tests": tests}, ensure_ascii=False, indent=1)


def refusal_json(reason: str) -> str:
    """The results of what could not be marked at all."""
    return json.dumps({"score": 0, "output": reason, "visibility": "visible", "tests": []}, ensure_ascii=False)


def _tests(question: Question, mark: Mark | None) -> Iterator[dict[str, Any]]:
    parts = question.subquestions if mark is None or mark.parts else ()
    for number, leaf in enumerate(parts or (question,)):
        found = unanswered(leaf) if mark is None else mark.parts[number] if parts else mark
        name = f"{question.id}.{leaf.id}" if parts else leaf.id
        _, *lines = found.lines
        score = {} if found.unread else {"score": found.points, "max_score": found.out_of}
        status = {} if found.unread else {"status": "passed" if found.right else "failed"}
        said = {"output": "\n".join(lines), "output_format": "text", "visibility": "visible"}
        yield {"name": f"{name} ({found.verdict})"} | score | status | said


def autograder_zip(own: Sequence[Path], options: Sequence[str]) -> bytes:
    """An archive with setup.sh, run_autograder, the package itself and the files of a teacher's own questions.

    `options` are those of `regard grade`, as for chosen questions.
    """
    made = environment()
    files: dict[str, bytes] = {}
    for number, path in enumerate(own, 1):
        options = [*options, "--own", f"questions/{number}/{path.name}"]
        files |= {f"questions/{number}/{name}": path.with_name(name).read_bytes() for name in _needed(path)}
    for path in sorted(PACKAGE.rglob("*")):
        inner = path.relative_to(PACKAGE)
        if path.is_file() and not set(inner.parts) & set(LEFT_OUT) and path.stat().st_size < LARGEST:
            files[f"{PACKAGE.name}/{inner.as_posix()}"] = path.read_bytes()
    required = [each.partition(";") for each in metadata.requires("regard") or []]
    packages = [name.strip() for name, _, when in required if "extra" not in when or "claims" in when]
    words = {"packages": shlex.join(packages), "options": shlex.join(options)}
    scripts = {name: made.get_template(f"{name}.j2").render(words) + "\n" for name in ("setup.sh", "run_autograder")}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in (scripts | files).items():
            entry = zipfile.ZipInfo(name, MADE)
            entry.external_attr = EXECUTABLE if name in scripts else 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def _needed(path: Path) -> set[str]:
    """A file of questions and the modules beside it that count for them."""
    leaves = [leaf for question in read_questions(path) for leaf in question.subquestions or (question,)]
    modules = [str(leaf.truth.counted).partition(":")[0] for leaf in leaves if leaf.truth.counted]
    return {path.name, *[module for module in modules if module.endswith(".py")]}
