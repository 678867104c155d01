"""What came out, for a terminal. Strangers' words are `Text`, so that Rich reads no markup in them."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from regard.claims.answers.marking import Mark
from regard.claims.answers.question import Question
from regard.claims.grading.grade import Graded
from regard.claims.grading.marks import number
from regard.claims.grading.summary import Summary

MOST_LINES = 10  # of wrong answers and of refused files; all are in the pages


def one(questions: Sequence[Question], graded: Graded) -> Iterator[RenderableType]:
    """A line per question, then what to say to those that are not right, then the total."""
    table = Table("question", "points", "verdict", "read as", box=None, pad_edge=False)
    for mark in graded.marks:
        verdict = Text(_verdict(mark), "green" if mark.right else "yellow" if mark.points else "red")
        points = Text(f"{number(mark.points)} of {number(mark.out_of)}")
        table.add_row(Text(mark.id), points, verdict, Text(mark.read_as))
    yield table
    for mark in graded.marks:
        if not mark.right:
            yield Text(f"\n{mark.id}: {graded.given[mark.id]}", "bold")
            for part in mark.parts or (mark,):
                if not part.right:
                    yield from (Padding(line, (0, 0, 0, 2)) for line in _why(part, "" if part is mark else part.id))
    yield from (Text(note, "red") for note in graded.notes)
    answered = sum(mark.out_of for mark in graded.marks)
    left = len(questions) - len(graded.marks)
    more = (
        f"; {left} more questions are worth {number(sum(each.points for each in questions) - answered)}" if left else ""
    )
    yield Text(f"\n{number(graded.points)} of {number(answered)} points{more}")


def _verdict(mark: Mark) -> str:
    return "right" if mark.right else "partly right" if mark.points else "wrong"


def _why(mark: Mark, label: str) -> Iterator[Text]:
    if label:
        yield Text(label, "bold")
    yield from (Text(line) for line in mark.feedback)


def many(summary: Summary, graded: Sequence[Graded]) -> Iterator[RenderableType]:
    """The class in short: points, what was refused and why, the most common wrong answers."""
    yield Text(
        f"{summary.graded} graded, {summary.refused} refused; mean {number(summary.mean)}, "
        f"median {number(summary.median)} of {number(summary.out_of)} points"
    )
    refused = [each for each in graded if each.refused]
    yield from (Text(f"  {each.file}: {each.status}", "red") for each in refused[:MOST_LINES])
    if len(refused) > MOST_LINES:
        yield Text(f"  and {len(refused) - MOST_LINES} more")
    if summary.wrong:
        table = Table("", "question", "read as", "", box=None, pad_edge=False, title="most common wrong answers")
        for each in summary.wrong[:MOST_LINES]:
            table.add_row(Text(str(each.count)), Text(each.id), Text(each.reading), Text(each.mistake or each.feedback))
        yield table
