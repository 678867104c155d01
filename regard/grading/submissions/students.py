"""Whose a submission is: said in the file, or by the names that learning platforms give to what they hand over."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from regard.grading.submissions.grade import Graded

Scheme = Literal["answers", "file", "folder", "moodle", "canvas"]
MOODLE = re.compile(r"(?P<name>[^_]+)_(?P<id>\d+)_assignsubmission_[a-z]+_?.*")
CANVAS = re.compile(r"(?P<name>[^_]+)(?:_LATE)?_(?P<id>\d+)_\d+_.*", re.IGNORECASE)
FEWEST = 3  # answers that two people must share, all of them, before it is told


def student_of(path: PurePath, scheme: Scheme) -> tuple[str, str]:
    """Identifier and name of a student, from a path within the folder of submissions; empty where it does not tell.

    >>> student_of(PurePath("Ada Lovelace_4711_assignsubmission_file_/answers.toml"), "moodle")
    ('4711', 'Ada Lovelace')
    >>> student_of(PurePath("lovelaceada_LATE_815_99_answers.txt"), "canvas")
    ('815', 'lovelaceada')
    >>> student_of(PurePath("s123/answers.toml"), "folder"), student_of(PurePath("s123.toml"), "file")
    (('s123', ''), ('s123', ''))
    """
    if scheme in ("file", "folder"):
        return (path.stem if scheme == "file" else path.parent.name), ""
    pattern = {"moodle": MOODLE, "canvas": CANVAS}.get(scheme)
    found = next(filter(None, [pattern.fullmatch(part) for part in path.parts]), None) if pattern else None
    return (found["id"], found["name"]) if found else ("", "")


def duplicates(graded: "Sequence[Graded]") -> Iterator[str]:
    """What a teacher should look at: two submissions of one student, and two students with the same answers."""
    there = [each for each in graded if not each.refused]
    by_student: dict[str, list[Graded]] = {}
    by_answers: dict[frozenset[tuple[str, str]], list[Graded]] = {}
    for each in there:
        by_student.setdefault(each.student or each.file, []).append(each)
        if len(each.given) >= FEWEST:
            by_answers.setdefault(frozenset(each.given.items()), []).append(each)
    for student, found in by_student.items():
        if len(found) > 1:
            yield f"{len(found)} submissions of student {student}: {', '.join([each.file for each in found])}"
    for found in by_answers.values():
        if len({each.student or each.file for each in found}) > 1:
            yield f"the same answers, letter for letter, in {', '.join([each.file for each in found])}"
