"""Submissions against the key: which files there are, and what became of each."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from regard.claims.answers.expression import parse
from regard.claims.answers.key import Entry, Key, as_lists, compile_key
from regard.claims.answers.marking import Counterexample, Mark, mark
from regard.claims.answers.orders import parse_order
from regard.claims.answers.question import Question
from regard.claims.grading.isolation import Isolation, Limits
from regard.claims.grading.submission import Asked, read_submission, shown

LONGEST_ANSWER, LONGEST_FILE, LONGEST_TEXT = 300, 120, 60  # characters that are shown
Task = tuple[Path, bool]  # a file, and whether it may be a symbolic link
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, kw_only=True)
class Graded:
    """What became of a submission: a mark for every question that it answers, or the reason why there is none.

    `given` has the answers as written; `readings` what the wrong ones read as, in a normal form where they have one.
    """

    file: str
    name: str = ""
    refused: str = ""
    notes: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    readings: Mapping[str, str] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()

    @property
    def points(self) -> float:
        return sum(each.points for each in self.marks)

    @property
    def status(self) -> str:
        if self.refused:
            return f"refused: {self.refused}"
        return "; ".join(["graded", *self.notes])

    def json(self) -> dict[str, Any]:
        """Plain data for `json.dumps`."""
        return asdict(self) | {"points": self.points, "status": self.status}


@dataclass(frozen=True)
class Reading:
    """The work of a child: read one file, say which questions it answers."""

    asked: Asked

    def warm(self) -> None: ...

    def __call__(self, task: Task) -> dict[str, Any]:
        try:
            return {"ids": list(read_submission(task[0], self.asked, task[1]).answers)}
        except ValueError as error:
            return {"refused": str(error)}


@dataclass(frozen=True)
class Marking:
    """The work of a child: read one file, mark its answers. It needs the key alone, no torch and no teacher's code."""

    asked: Asked
    key: Key

    def warm(self) -> None:
        """Mark what is known once, true and wrong, so that grammars and truths are read before anything is forked."""
        for leaf in [leaf for entry in self.key for leaf in entry.parts or (entry,)]:
            for answer in (as_lists(leaf.truth), *[mistake.answer for mistake in leaf.question.mistakes]):
                mark(leaf, answer)

    def __call__(self, task: Task) -> dict[str, Any]:
        try:
            submission = read_submission(task[0], self.asked, task[1])
        except ValueError as error:
            return {"refused": str(error)}
        answers = {entry.id: submission.answers[entry.id] for entry in self.key if entry.id in submission.answers}
        marks = [(self.key[id], answer, mark(self.key[id], answer)) for id, answer in answers.items()]
        plain = {
            "name": submission.name,
            "notes": submission.notes,
            "given": {id: _written(answer) for id, answer in answers.items()},
            "readings": {label: reading for each in marks for label, reading in _readings(*each)},
            "marks": [asdict(found) for _, _, found in marks],
        }
        return _harmless(plain)


def _readings(entry: Entry, answer: Any, found: Mark) -> Iterator[tuple[str, str]]:
    """Wrong answers by a normal form, so that those who wrote the same in other words are counted together."""
    if found.parts:
        for part, mark_of_part in zip(entry.parts, found.parts, strict=True):
            for _, reading in _readings(part, answer.get(part.id), mark_of_part):
                yield f"{entry.id}, {part.id}", reading
    elif not found.right:
        symbols = tuple(entry.question.form.symbols)
        if found.read_as and entry.question.kind == "formula":
            yield entry.id, parse(str(answer), symbols).canonical()
        elif found.read_as and entry.question.kind == "order":
            yield entry.id, replace(parse_order(str(answer), symbols), letter="Θ").canonical()
        elif answer is not None:
            yield entry.id, found.read_as or f"could not be read: {shown(_written(answer), LONGEST_TEXT)}"


def submissions(folder: Path, recursive: bool = False) -> list[Path]:
    """Everything in a folder that calls itself *.toml, links and pipes too: each is told of later."""
    found = []
    for place, folders, files in os.walk(folder):  # it does not follow links
        found += [Path(place, name) for name in (*folders, *files) if name.lower().endswith(".toml")]
        if not recursive:
            break
    if not found:
        further = "" if recursive else "; use --recursive to look into its folders"
        raise ValueError(f"a folder must hold submissions, each a file NAME.toml: got none in {folder}{further}")
    return sorted(found)


def grade(
    questions: Sequence[Question],
    path: Path,
    recursive: bool = False,
    limits: Limits | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> list[Graded]:
    """Grade one file, or every submission of a folder, each in a process of its own; in the order of their names."""
    if not path.exists():
        raise ValueError(f"{path} must be a file of answers or a folder of them: there is no such thing")
    several = path.is_dir()
    if recursive and not several:
        raise ValueError(f"--recursive looks into a folder: got the file {path}; leave it out")
    files = submissions(path, recursive) if several else [path]
    names = [_file_name(file, path if several else path.parent) for file in files]
    tasks = [(file, not several) for file in files]  # who names one file may name a link to it
    asked = {question.id: [part.id for part in question.subquestions] for question in questions}
    done: dict[int, Graded] = {}
    with Isolation(limits) as isolation:  # starts first, and imports while truths are worked out
        if not several:  # the truths of a few answers take less time than all
            ((_, outcome),) = isolation.run(Reading(asked), tasks)
            if "ids" not in (found := outcome.result or {"refused": outcome.refused}):
                return [_graded(names[0], found)]
            questions = [question for question in questions if question.id in found["ids"]]
        marking = Marking(asked, compile_key(questions))
        for number, outcome in isolation.run(marking, tasks, jobs or cores()):
            done[number] = _graded(names[number], outcome.result or {"refused": outcome.refused})
            if progress is not None:
                progress(len(done), len(files))
    return [done[number] for number in range(len(files))]


def cores() -> int:
    """How many processes run at once by default."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _file_name(path: Path, folder: Path) -> str:
    """Within the folder; a name need not be UTF-8."""
    return shown(os.fsencode(path.relative_to(folder)).decode("utf-8", "replace"), LONGEST_FILE)


def _written(answer: Any) -> str:
    """An answer as it was given, to be shown."""
    return shown(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False), LONGEST_ANSWER)


def _harmless(data: Any) -> Any:
    """All text in it without what steers a terminal: feedback repeats what was given."""
    if isinstance(data, str):
        return shown(data, 1000)
    if isinstance(data, Mapping):
        return {shown(str(name), 100): _harmless(value) for name, value in data.items()}
    return [_harmless(each) for each in data] if isinstance(data, list | tuple) else data


def _graded(file: str, result: dict[str, Any]) -> Graded:
    """From a child's plain data."""
    if "refused" in result:
        return Graded(file=file, refused=result["refused"])
    marks = tuple([_mark(each) for each in result["marks"]])
    return Graded(file=file, **result | {"marks": marks, "notes": tuple(result["notes"])})


def _mark(data: dict[str, Any]) -> Mark:
    example = data["counterexample"]
    fields = {
        "feedback": tuple(data["feedback"]),
        "counterexample": None if example is None else Counterexample(**example),
        "parts": tuple([_mark(part) for part in data["parts"]]),
    }
    return Mark(**data | fields)
