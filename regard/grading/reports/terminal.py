"""What came out, for a terminal. Strangers' words are `Text`, so that Rich reads no markup in them."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from regard.grading.marking.feedback import Mark
from regard.grading.questions.question import Question
from regard.grading.reports.marks import number
from regard.grading.reports.summary import Summary
from regard.grading.submissions.grade import Graded
from regard.grading.submissions.submission import printable

MOST_LINES = 10  # of wrong answers, of those not read, and of refused files; all are in the pages
STYLES = {"right": "green", "partly right": "yellow", "wrong": "red"}
UNREAD = "magenta"
LONGEST, LONGEST_ANSWER = 60, 300  # characters of an answer in a list, and of one alone


def one(questions: Sequence[Question], graded: Graded, warnings: Sequence[str] = ()) -> Iterator[RenderableType]:
    """A line per question, then what to say to those that are not right, then the total."""
    if graded.refused:
        yield Text(f"{graded.file}: {graded.status}", "red")
        return
    table = Table("question", "points", "verdict", "read as", box=None, pad_edge=False)
    for mark in graded.marks:
        word = f"{mark.verdict}{', by hand' if any(part.hand for part in mark.parts or (mark,)) else ''}"
        points = Text(f"{number(mark.points)} of {number(mark.out_of)}")
        table.add_row(Text(mark.id), points, Text(word, STYLES.get(mark.verdict, UNREAD)), Text(mark.read_as))
    yield table
    for mark in graded.marks:
        if not mark.right or mark.hand:
            yield Text("")
            for part in mark.parts or (mark,):
                if not part.right or part.hand:
                    yield from _why(graded, mark.id if part is mark else f"{mark.id}.{part.id}", part)
    yield from (Text(note, "red") for note in (*graded.notes, *warnings))
    answered = sum(mark.out_of for mark in graded.marks)
    left = len(questions) - len(graded.marks)
    worth = number(sum(each.points for each in questions) - answered)
    more = f"; {left} more question{' is' if left == 1 else 's are'} worth {worth}" if left else ""
    yield Text(f"\n{number(graded.points)} of {number(answered)} points{more}")
    if graded.unread:
        yield Text(f"{_wait(len(graded.unread))}: {', '.join(graded.unread)}", UNREAD)


def _why(graded: Graded, id: str, mark: Mark) -> Iterator[RenderableType]:
    yield Text(f"{id}: {printable(graded.written(id), LONGEST_ANSWER)}", "bold")
    yield from (Padding(Text(line), (0, 0, 0, 2)) for line in (*mark.said_by_hand, *mark.feedback))


def _wait(count: int) -> str:
    return f"{count} answer{' waits' if count == 1 else 's wait'} for a person, to be marked by hand"


def many(summary: Summary, graded: Sequence[Graded]) -> Iterator[RenderableType]:
    """The class in short: points, what was refused or not read and why, the most common wrong answers."""
    yield Text(
        f"{summary.graded} graded, {summary.refused} refused; mean {number(summary.mean)}, "
        f"median {number(summary.median)} of {number(summary.out_of)} points"
    )
    yield from (Text(warning, "red") for warning in summary.warnings)
    refused = [each for each in graded if each.refused]
    yield from (Text(f"  {each.file}: {each.status}", "red") for each in refused[:MOST_LINES])
    if len(refused) > MOST_LINES:
        yield Text(f"  and {len(refused) - MOST_LINES} more")
    if summary.num_unread:
        yield Text(_wait(summary.num_unread), UNREAD)
    yield from (
        Text(f"  {each.file}, {each.id}: {printable(each.given, LONGEST)}", UNREAD)
        for each in summary.unread[:MOST_LINES]
    )
    if summary.num_unread > MOST_LINES:
        yield Text(f"  and {summary.num_unread - MOST_LINES} more")
    if summary.wrong:
        table = Table("", "question", "read as", "", box=None, pad_edge=False, title="most common wrong answers")
        for each in summary.wrong[:MOST_LINES]:
            table.add_row(Text(str(each.count)), Text(each.id), Text(each.reading), Text(each.mistake or each.feedback))
        yield table
