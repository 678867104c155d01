"""The marks of many as a table of CSV that a spreadsheet opens without harm."""

import csv
import io
from collections.abc import Sequence

from regard.grading.questions.question import Question
from regard.grading.submissions.grade import Graded
from regard.grading.submissions.submission import printable

LONGEST_STATUS = 400  # characters: a cell, not a page


def marks_csv(questions: Sequence[Question], graded: Sequence[Graded]) -> str:
    """A line per submission: whose it is, the points of each question and part, empty without an answer, total, status.

    `not read` counts the answers that wait for a person, `by hand` those that one has marked; the status names them.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    ids = [id for each in questions for id in (each.id, *[f"{each.id}.{part.id}" for part in each.subquestions])]
    heads = ["file", "student", "name", *map(harmless, ids), "total", "out of", "not read", "by hand", "status"]
    writer.writerow(heads)
    out_of = number(sum(question.points for question in questions))
    for each in graded:
        points = {id: number(mark.points) for id, mark in [*each.answers, *[(mark.id, mark) for mark in each.marks]]}
        counts = [number(each.points), out_of, len(each.unread), len(each.by_hand)]
        counts = ["", out_of, "", ""] if each.refused else counts
        who = [harmless(text) for text in (each.file, each.student, each.name)]
        status = harmless(printable(each.status, LONGEST_STATUS))
        writer.writerow([*who, *[points.get(id, "") for id in ids], *counts, status])
    return text.getvalue()


def harmless(cell: str) -> str:
    """A spreadsheet computes what begins with one of these; behind an apostrophe it is text.

    >>> harmless("=HYPERLINK(...)"), harmless("Ada")
    ("'=HYPERLINK(...)", 'Ada')
    """
    return f"'{cell}" if cell.strip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠", "|", "%")) else cell


def number(points: float) -> str:
    """Points as people write them.

    >>> number(4.0), number(2.5), number(1 / 3)
    ('4', '2.5', '0.33')
    """
    return f"{points:.2f}".rstrip("0").rstrip(".")
