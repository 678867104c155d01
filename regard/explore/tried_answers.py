"""Answers that somebody tries: marked as `regard grade` does it, in a process of their own with limits."""

import atexit
import threading
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from regard.explore.api import Asked, Reply
from regard.explore.desk import Desk

if TYPE_CHECKING:
    from regard.claims.answers import Entry
    from regard.claims.answers import Question as Exercise
    from regard.claims.grading.isolation import Isolation, Outcome

SECONDS, MEMORY = 5.0, 512  # that marking an answer may take, and MiB
EXAMPLES = 3  # answers to try
Id = Annotated[str, Field(min_length=1, max_length=20)]


class Exercised(Reply):
    """A question that can be answered, or one part of it, with answers to try, of which most are wrong."""

    question: str
    part: str
    text: str  # of the question
    asks: str  # what its part asks beside it
    kind: str
    how: str  # it is written
    choices: dict[str, str]
    examples: list[str]


class AnswerAsked(Asked):
    """An answer to a question, or to one of its parts, as somebody wrote it."""

    question: Id
    part: Annotated[str, Field(max_length=40)] = ""
    answer: Annotated[str, Field(min_length=1, max_length=2000)]


class Counter(Reply):
    """Sizes at which a formula is wrong, the smallest; the true value there is the sum of its parts, if it has some."""

    sizes: dict[str, int | str]
    yours: str
    true: str
    breakdown: dict[str, str]


class AnswerReply(Reply):
    """A mark, in the words of `regard grade`."""

    word: str  # right, partly right, wrong, not read
    read_as: str
    feedback: list[str]
    counterexample: Counter | None
    mistake: str
    points: float
    out_of: float


def answer(desk: Desk, asked: AnswerAsked) -> AnswerReply:
    """The mark of an answer: whether it is right, how it was read, and the smallest sizes at which it is wrong."""
    try:
        entry = _entry(desk, asked.question, asked.part)
        outcome = MARKER.mark(entry, asked.answer)
    except (ImportError, OSError) as error:  # it says what to install, or that this system cannot
        raise ValueError(str(error)) from error
    if outcome.refused:
        said = [f"Could not be marked: it {outcome.refused}"]
        return AnswerReply(
            word="not read", read_as="", feedback=said, counterexample=None, mistake="", points=0, out_of=entry.points
        )
    return AnswerReply(**{name: outcome.result[name] for name in AnswerReply.model_fields})


def exercises(claim: str) -> "list[Exercised]":
    """The questions on a claim, those with parts by their parts."""
    from regard.claims.answers import built_in_questions

    return [
        _exercised(question, part)
        for question in built_in_questions()
        if question.claim == claim
        for part in question.subquestions or (question,)
    ]


def _exercised(question: "Exercise", part: "Exercise") -> Exercised:
    from regard.claims.answers.sheets import how_to_answer

    given = [mistake.answer for mistake in part.mistakes[: EXAMPLES - 1]]
    given += [] if part.truth.answer is None else [part.truth.answer]
    return Exercised(
        question=question.id,
        part="" if part is question else part.id,
        text=question.text,
        asks="" if part is question else part.text,
        kind=part.kind,
        how=how_to_answer(part),
        choices=dict(part.form.choices),
        examples=sorted({_written(each) for each in given}),  # so that the true one has no place of its own
    )


def _written(value: Any) -> str:
    """An answer of a file of questions, as somebody would write it.

    >>> _written([["0.5", 1], [2, 3]]), _written(True)
    ('[[0.5, 1], [2, 3]]', 'true')
    """
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _entry(desk: Desk, question: str, part: str) -> "Entry":
    from regard.claims.answers import built_in_questions, compile_key, select

    chosen = [one for one in select(built_in_questions(), [question]) if one.id == question]
    if not chosen:
        raise ValueError(f"question must be one of those on a claim: got the document {question!r}; use one of them")
    whole = desk.kept.get(("key", question), lambda: (compile_key(chosen)[question], 50_000))
    parts = {one.id: one for one in whole.parts}
    if (part or parts) and part not in parts:
        raise ValueError(f"part must be one of {', '.join(parts) or 'none'} in {question}: got {part!r:.60}")
    return parts[part] if part else whole


@dataclass(frozen=True)
class Trying:
    """What a child does: mark one answer."""

    entry: "Entry"

    def warm(self) -> None:
        """Mark what is true, so that the grammar is read before anything is forked."""
        from regard.claims.answers import mark
        from regard.claims.answers.key import as_lists

        mark(self.entry, as_lists(self.entry.truth))

    def __call__(self, task: str) -> dict[str, Any]:
        from regard.claims.answers import mark
        from regard.claims.grading.grade import verdict
        from regard.claims.grading.work import harmless

        found = mark(self.entry, task)
        return harmless(asdict(found) | {"word": verdict(found)})


class Marker:
    """The helper that marks all answers, one by one: it starts with the first, and a new one follows one that ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._isolation: Isolation | None = None

    def mark(self, entry: "Entry", given: str) -> "Outcome":
        from regard.claims.grading.isolation import Isolation, Limits

        with self._lock:
            tasks = [given]
            if self._isolation is None:
                self._isolation = Isolation(Limits(seconds=SECONDS, memory=MEMORY))
                atexit.register(self.close)
                tasks.append("")  # it warms up where there are several
            try:
                return dict(self._isolation.run(Trying(entry), tasks))[0]
            except RuntimeError as error:
                self.close()
                raise ValueError(f"the answer must be marked: {error}; try it again") from error

    def close(self) -> None:
        """End the helper, if there is one."""
        if self._isolation is not None:
            self._isolation.close()
            self._isolation = None
            atexit.unregister(self.close)


MARKER = Marker()
