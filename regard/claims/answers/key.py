"""The key: every question with its truth as plain data, so that marking needs no torch and no teacher's code."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from regard.claims.answers.question import Question


@dataclass(frozen=True, kw_only=True)
class Counted:
    """What was counted on the built thing at some sizes, as a whole and by part."""

    sizes: Mapping[str, int]
    value: int
    parts: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A question with its truth: `truth` as text or numbers, `counts` at the smallest sizes, if it was counted.

    `parts` are the key's entries of its subquestions, in their order.
    """

    question: Question
    truth: str | tuple[float, ...] | tuple[tuple[float, ...], ...]
    counts: tuple[Counted, ...] = ()
    parts: tuple["Entry", ...] = ()

    @property
    def id(self) -> str:
        return self.question.id

    @property
    def points(self) -> float:
        return self.question.points


@dataclass(frozen=True)
class Key:
    """The compiled questions by their id: plain data, which can be pickled and sent to other processes.

    `key["udl.1a"]` is an entry, which `mark(entry, given)` takes; `for entry in key` goes in the questions' order.
    """

    entries: Mapping[str, Entry]

    def __getitem__(self, id: str) -> Entry:
        """The entry of this id; an unknown one raises a ValueError that names its neighbours."""
        ...

    def __contains__(self, id: str) -> bool:
        return id in self.entries

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def points(self) -> float:
        """What all the questions are worth."""
        return sum(entry.points for entry in self)


def compile_key(questions: Sequence[Question]) -> Key:
    """Work out every truth, by its formula and by its count, which must agree (else a `BadQuestion`, a ValueError)."""
    ...
