"""What a whole class did: the distribution of points, how each question went, which wrong answers are common."""

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from regard.claims.answers.marking import Mark
from regard.claims.answers.question import Question
from regard.claims.grading.grade import Graded

BINS = 10
MOST_WRONG = 50  # different answers; beyond them nobody reads


@dataclass(frozen=True, kw_only=True)
class Bin:
    """How many submissions have from `low` to below `high` points; the last one takes its end too."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, kw_only=True)
class Success:
    """How a question went: those who answered it, those who were right, and the mean points of all."""

    id: str
    text: str
    out_of: float
    answered: int
    right: int
    mean: float


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
    out_of: float
    mean: float
    median: float
    bins: tuple[Bin, ...]
    questions: tuple[Success, ...]
    wrong: tuple[Wrong, ...]

    def json(self) -> dict[str, Any]:
        """Plain data for `json.dumps`."""
        return asdict(self)


def summarise(questions: Sequence[Question], graded: Sequence[Graded]) -> Summary:
    """Count it all; the same submissions give the same summary, in whatever order they were marked."""
    there = [each for each in graded if not each.refused]
    points = [each.points for each in there]
    out_of = sum(question.points for question in questions)
    return Summary(
        graded=len(there),
        refused=len(graded) - len(there),
        out_of=out_of,
        mean=statistics.fmean(points) if points else 0.0,
        median=statistics.median(points) if points else 0.0,
        bins=_bins(points, out_of),
        questions=tuple(_successes(questions, there)),
        wrong=tuple(_wrong(questions, there)),
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
            mean=sum(mark.points for mark in found) / max(1, len(there)),
        )


def _wrong(questions: Sequence[Question], there: Sequence[Graded]) -> list[Wrong]:
    """By canonical reading, the most frequent first; then in the order of the questions."""
    found: dict[tuple[int, str, str], list[Mark]] = {}
    place = {question.id: number for number, question in enumerate(questions)}
    for each in there:
        for question in each.marks:
            for mark in question.parts or (question,):
                label = question.id if mark is question else f"{question.id}, {mark.id}"
                if label in each.readings:
                    found.setdefault((place[question.id], label, each.readings[label]), []).append(mark)
    order = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))[:MOST_WRONG]
    firsts = [(id, reading, len(same), min(same, key=_line)) for (_, id, reading), same in order]
    return [
        Wrong(id=id, reading=reading, count=count, mistake=first.mistake, feedback=_line(first))
        for id, reading, count, first in firsts
    ]


def _line(mark: Mark) -> str:
    """The first line of feedback that does not only repeat the mistake's name."""
    return next(iter(mark.feedback[1 if mark.mistake else 0 :]), "")
