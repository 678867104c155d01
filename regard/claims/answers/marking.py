"""Marking one answer: how it was read, whether it is right, and where it differs from what is true."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from regard.claims.answers.key import Entry


@dataclass(frozen=True, kw_only=True)
class Counterexample:
    """Sizes at which a formula is wrong, its value there and the true one, as text that is ready to print."""

    sizes: Mapping[str, int]
    yours: str
    true: str


@dataclass(frozen=True, kw_only=True)
class Mark:
    """What an answer is worth, and why.

    `read_as` is the answer as it was understood, empty where it could not be read; `feedback` are lines of plain text;
    `breakdown` says of which parts the true value at the counterexample consists; `mistake` is the name of a known
    mistake; `parts` are the marks of subquestions, in their order.
    """

    id: str
    points: float
    out_of: float
    right: bool
    read_as: str = ""
    feedback: tuple[str, ...] = ()
    counterexample: Counterexample | None = None
    breakdown: Mapping[str, str] = field(default_factory=dict)
    mistake: str = ""
    parts: tuple["Mark", ...] = ()

    def json(self) -> dict[str, Any]:
        """Plain data for `json.dumps`."""
        ...


def mark(entry: Entry, given: Any) -> Mark:
    """Mark an answer as it was given: text, a number, a list, a list of lists, a mapping for subquestions, None.

    Never raises because of what was given; the same answer always gets the same mark.
    """
    ...
