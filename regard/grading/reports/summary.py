"""What a whole class did: the distribution of points, how each question went, which wrong answers are common."""

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any

from regard.grading.marking.feedback import Mark
from regard.grading.questions.question import Question
from regard.grading.submissions.grade import Graded
from regard.grading.submissions.submission import printable

BINS = 10
MOST_WRONG = 50  # different answers; beyond them nobody reads
LONGEST = 300  # characters of an answer in a list
MOST_UNREAD = 1000  # answers that are listed; all of them are in the pages of their submissions


@dataclass(frozen=True, kw_only=True)
class Bin:
    """How many submissions have from `low` to below `high` points; the last one takes its end too."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, kw_only=True)
class Success:
    """How a question went: those who answered it, those who were right or not read, and the mean points of all."""

    id: str
    text: str
    out_of: float
    answered: int
    right: int
    unread: int
    mean: float


@dataclass(frozen=True, kw_only=True)
class Unread:
    """An answer that waits for a person, and why."""

    file: str
    id: str
    given: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Wrong:
    """A wrong answer that several gave, in whatever notation: what it reads as, and what is the matter with it."""

    id: str
    reading: str
    count: int
    mistake: str
    feedback: str


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The class as a whole; refused submissions count only as such."""

    graded: int
    refused: int
    num_unread: int
    out_of: float
    mean: float
    median: float
    bins: tuple[Bin, ...]
    questions: tuple[Success, ...]
    unread: tuple[Unread, ...]
    wrong: tuple[Wrong, ...]
    warnings: tuple[str, ...] = ()

    def json(self) -> dict[str, Any]:
        """Plain data for `json.dumps`."""
        return asdict(self)


def summarise(questions: Sequence[Question], graded: Sequence[Graded], warnings: Sequence[str] = ()) -> Summary:
    """Count it all; the same submissions give the same summary, in whatever order they were marked."""
    there = [each for each in graded if not each.refused]
    points = [each.points for each in there]
    out_of = sum(question.points for question in questions)
    unread = [
        Unread(file=each.file, id=id, given=printable(each.written(id), LONGEST), reason=_line(mark))
        for each in there
        for id, mark in each.unread.items()
    ]
    return Summary(
        graded=len(there),
        refused=len(graded) - len(there),
        num_unread=len(unread),
        out_of=out_of,
        mean=statistics.fmean(points) if points else 0.0,
        median=statistics.median(points) if points else 0.0,
        bins=_bins(points, out_of),
        questions=tuple(_successes(questions, there)),
        unread=tuple(sorted(unread, key=astuple)[:MOST_UNREAD]),
        wrong=tuple(_wrong(questions, there)),
        warnings=tuple(warnings),
    )


def _bins(points: Sequence[float], out_of: float) -> tuple[Bin, ...]:
    places = Counter([min(BINS - 1, int(BINS * each / (out_of or 1))) for each in points])
    edges = [out_of * n / BINS for n in range(BINS + 1)]
    return tuple([Bin(low=edges[n], high=edges[n + 1], count=places[n]) for n in range(BINS)])


def _successes(questions: Sequence[Question], there: Sequence[Graded]) -> Iterator[Success]:
    marks: dict[str, list[Mark]] = {question.id: [] for question in questions}
    for each in there:
        for mark in each.marks:
            marks[mark.id].append(mark)
    for question in questions:
        found = marks[question.id]
        yield Success(
            id=question.id,
            text=question.text,
            out_of=question.points,
            answered=len(found),
            right=sum(mark.right for mark in found),
            unread=sum(mark.unread for mark in found),
            mean=sum(mark.points for mark in found) / max(1, len(there)),
        )


def _wrong(questions: Sequence[Question], there: Sequence[Graded]) -> list[Wrong]:
    """By canonical reading, the most frequent first; then in the order of the questions."""
    found: dict[tuple[int, str, str], list[Mark]] = {}
    place = {question.id: number for number, question in enumerate(questions)}
    place |= {f"{each.id}.{part.id}": place[each.id] for each in questions for part in each.subquestions}
    for each in there:
        for id, mark in each.answers:
            if mark.reading:
                found.setdefault((place[id], id, mark.reading), []).append(mark)
    order = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))[:MOST_WRONG]
    firsts = [(id, reading, len(same), min(same, key=_line)) for (_, id, reading), same in order]
    return [
        Wrong(id=id, reading=reading, count=count, mistake=first.mistake, feedback=_line(first))
        for id, reading, count, first in firsts
    ]


def _line(mark: Mark) -> str:
    """The first line of feedback that does not only repeat the mistake's name."""
    return next(iter(mark.feedback[1 if mark.mistake else 0 :]), "")
