"""Submissions against the key: which files there are, and what became of each."""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from regard.grading.marking.feedback import Counterexample, Mark, Told, waiting, withhold
from regard.grading.questions.key import compile_key
from regard.grading.questions.question import Question
from regard.grading.submissions.formats import FORMATS
from regard.grading.submissions.isolation import Isolation, Limits
from regard.grading.submissions.students import Scheme, student_of
from regard.grading.submissions.submission import Asked, printable
from regard.grading.submissions.work import Marking, Reading

LONGEST_FILE, LONGEST_REASON = 120, 400  # characters that are shown
HASH = 12  # hexadecimal digits: nobody finds a second name with the same
ALONE = 0.1  # of a submission's time for one answer, when they are marked one by one
Progress = Callable[[int, int | None], None]
Answers = Mapping[str, Any]  # by their questions' ids


@dataclass(frozen=True, kw_only=True)
class Graded:
    """What became of a submission: a mark for every question that it answers, or the reason why there is none.

    `given` has the answers as written, by the question's id, or its id and its part's: `udl.2.weights`.
    """

    file: str
    name: str = ""
    student: str = ""
    refused: str = ""
    notes: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()

    @property
    def points(self) -> float:
        return sum(each.points for each in self.marks)

    @property
    def answers(self) -> Iterator[tuple[str, Mark]]:
        """Every mark with the id under which its answer was given, parts one by one."""
        for mark in self.marks:
            yield from [(f"{mark.id}.{part.id}", part) for part in mark.parts] or [(mark.id, mark)]

    def written(self, id: str) -> str:
        """An answer as it was given; that to a question by those to its parts, where they were not marked as such."""
        parts = [f"{label}: {text}" for label, text in self.given.items() if label.startswith(f"{id}.")]
        return self.given.get(id, "; ".join(parts))

    @property
    def unread(self) -> dict[str, Mark]:
        """The answers that could not be read: a person has to."""
        return {id: mark for id, mark in self.answers if mark.unread}

    @property
    def by_hand(self) -> list[str]:
        """The answers that a person has marked."""
        return [id for id, mark in self.answers if mark.hand]

    @property
    def status(self) -> str:
        if self.refused:
            return f"refused: {self.refused}"
        unread = [id for id, mark in self.unread.items() if not mark.free]
        waiting = [f"not read, to be marked by hand: {', '.join(unread)}"] if unread else []
        free = [id for id in self.unread if id not in unread]
        waiting += [f"to be marked by hand: {', '.join(free)}"] if free else []
        done = [f"marked by hand: {', '.join(self.by_hand)}"] if self.by_hand else []
        return "; ".join(["graded", *waiting, *done, *self.notes])

    def told(self, told: Told) -> "Graded":
        """The same with as much feedback as students shall have."""
        return replace(self, marks=tuple([withhold(mark, told) for mark in self.marks]))

    def json(self) -> dict[str, Any]:
        """Plain data for `json.dumps`."""
        more = {"points": self.points, "unread": list(self.unread), "by_hand": self.by_hand, "status": self.status}
        return asdict(self) | more | {"marks": [mark.json() for mark in self.marks]}


def submissions(folder: Path, recursive: bool = False) -> list[Path]:
    """All files of a folder but hidden ones, links and pipes too: what is none of the formats is told of later."""
    found = []
    for place, folders, files in os.walk(folder):  # it does not follow links
        names = [*files, *[name for name in folders if name.lower().endswith(tuple(FORMATS))]]
        found += [Path(place, name) for name in names if not name.startswith(".")]
        if not recursive:
            break
    if not any(path.name.lower().endswith(tuple(FORMATS)) for path in found):
        further = "" if recursive else "; use --recursive to look into its folders"
        formats, got = ", ".join(FORMATS), ", ".join(sorted([path.name for path in found])[:3]) or "none"
        raise ValueError(f"a folder must hold submissions, files that end in {formats}: got {got} in {folder}{further}")
    return sorted(found)


def grade(
    questions: Sequence[Question],
    path: Path,
    recursive: bool = False,
    limits: Limits | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    students: Scheme = "answers",
    others: Sequence[Question] = (),
) -> list[Graded]:
    """Grade one file, or every submission of a folder, each in a process of its own; in the order of their names.

    `students` says where a student's identifier stands: in the answers, or in the names of files or folders. Answers to
    `others` are passed over.
    """
    if not path.exists():
        raise ValueError(f"{path} must be a file of answers or a folder of them: there is no such thing")
    several = path.is_dir()
    if recursive and not several:
        raise ValueError(f"--recursive looks into a folder: got the file {path}; leave it out")
    files = submissions(path, recursive) if several else [path]
    paths = [file.relative_to(path if several else path.parent) for file in files]
    who = [(file_name(os.fsencode(each)), *student_of(each, students)) for each in paths]
    asked, beside = _names(questions), _names(others)
    reading = Reading(asked, beside, follow=not several)  # who names one file may name a link to it
    jobs = jobs or (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    with Isolation(limits) as isolation:
        outcomes = dict(isolation.run(reading, files, jobs))
        found = [outcomes[number] for number in range(len(files))]
        read: list[dict[str, Any]] = [each.result or {"refused": each.refused} for each in found]
        answers = [each.pop("answers", {}) for each in read]
        if not several:  # the truths of a few answers take less time than all
            questions = [question for question in questions if question.id in answers[0]]
        marked = mark_all(isolation, Marking(compile_key(questions)), answers, jobs, progress)
    return [_graded(*whose, found | marks) for whose, found, marks in zip(who, read, marked, strict=True)]


def _names(questions: Sequence[Question]) -> Asked:
    return {question.id: [part.id for part in question.subquestions] for question in questions}


def mark_all(
    isolation: Isolation, marking: Marking, answers: Sequence[Answers], jobs: int, progress: Progress | None
) -> list[dict[str, Any]]:
    """The marks of each submission. One whose child does not live to tell them has a child for every answer.

    Then an answer that ends its child is left to a person, and the others have their marks.
    """
    results: list[dict[str, Any]] = [{"marks": []} for _ in answers]
    single: list[tuple[int, str]] = []
    for done, (number, outcome) in enumerate(isolation.run(marking, answers, jobs), 1):
        results[number] |= outcome.result or {}
        single += [(number, entry.id) for entry in marking.key if outcome.refused and entry.id in answers[number]]
        if progress is not None:
            progress(done, len(answers))
    alone = replace(isolation.limits, seconds=ALONE * isolation.limits.seconds)
    marked = dict(isolation.run(marking, [{id: answers[number][id]} for number, id in single], jobs, alone))
    for place, (number, id) in enumerate(single):
        found = marked[place].result or {"marks": [_not_marked(marking, id, marked[place].refused)]}
        results[number]["marks"] += found["marks"]
    return results


def _not_marked(marking: Marking, id: str, reason: str) -> dict[str, Any]:
    line = f"Could not be marked: it {printable(reason, LONGEST_REASON)}"
    return asdict(waiting(marking.key[id].question, line))


def file_name(path: bytes) -> str:
    r"""A path to be shown, which need not be UTF-8; where it is not shown as it is, a hash keeps it apart from others.

    >>> file_name(b"ada.toml"), file_name(b"a\xff.toml"), file_name(b"a\xfe.toml")
    ('ada.toml', 'a�.toml #034b0983dc44', 'a�.toml #4e6ad0a54e51')
    """
    text = path.decode("utf-8", "replace")
    short = printable(text, LONGEST_FILE)
    return short if short == text and "\ufffd" not in text else f"{short} #{hashlib.sha256(path).hexdigest()[:HASH]}"


def _graded(file: str, student: str, name: str, result: dict[str, Any]) -> Graded:
    """From a child's plain data; what the platform says of a student goes before what the student says."""
    who: dict[str, Any] = {"student": printable(student, LONGEST_FILE), "name": printable(name, LONGEST_FILE)}
    if "refused" in result:
        return Graded(file=file, refused=result["refused"], **who)
    marks = tuple([_mark(each) for each in result["marks"]])
    said = {key: text or result[key] for key, text in who.items()}
    return Graded(file=file, **result | said | {"marks": marks, "notes": tuple(result["notes"])})


def _mark(data: dict[str, Any]) -> Mark:
    example = data["counterexample"]
    fields = {
        "hand": None,  # no child has hands
        "feedback": tuple(data["feedback"]),
        "counterexample": None if example is None else Counterexample(**example),
        "parts": tuple([_mark(part) for part in data["parts"]]),
    }
    return Mark(**data | fields)
