"""The marks of many as a table of CSV that a spreadsheet opens without harm."""

import csv
import io
from collections.abc import Sequence

from regard.grading.questions.question import Question
from regard.grading.submissions.grade import Graded
from regard.grading.submissions.submission import shown

LONGEST_STATUS = 400  # characters: a cell, not a page


def marks_csv(questions: Sequence[Question], graded: Sequence[Graded]) -> str:
    """A line per submission: file, name, the points of each question, empty where it has no answer, total, status.

    `not read` counts the answers that are left to a person; the status names them.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    ids = [harmless(question.id) for question in questions]
    writer.writerow(["file", "name", *ids, "total", "out of", "not read", "status"])
    out_of = number(sum(question.points for question in questions))
    for each in graded:
        points = {mark.id: number(mark.points) for mark in each.marks}
        row = [points.get(question.id, "") for question in questions]
        total, unread = ("", "") if each.refused else (number(each.points), len(each.unread))
        status = harmless(shown(each.status, LONGEST_STATUS))
        writer.writerow([harmless(each.file), harmless(each.name), *row, total, out_of, unread, status])
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
