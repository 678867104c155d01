"""What a person is told about an answer: the mark, where the answer fails, and how values are written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from regard.claims.answers.question import Mistake, Question


@dataclass(frozen=True, kw_only=True)
class Counterexample:
    """Sizes at which a formula is wrong, its value there and the true one, as texts that are ready to print."""

    sizes: Mapping[str, int | str]
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
        found = self.counterexample
        return {
            "id": self.id,
            "points": self.points,
            "out_of": self.out_of,
            "right": self.right,
            "read_as": self.read_as,
            "feedback": list(self.feedback),
            "counterexample": found and {"sizes": dict(found.sizes), "yours": found.yours, "true": found.true},
            "breakdown": dict(self.breakdown),
            "mistake": self.mistake,
            "parts": [part.json() for part in self.parts],
        }


def right(question: Question, read_as: str, *remarks: str) -> Mark:
    """All points; remarks may still be made."""
    points = question.points
    return Mark(id=question.id, points=points, out_of=points, right=True, read_as=read_as, feedback=remarks)


def wrong(question: Question, read_as: str, *lines: str, mistake: Mistake | None = None, **more: Any) -> Mark:
    """Some of the points, or those of a known mistake. Its name and hint come first, else the question's hint last."""
    points = more.pop("points", 0.0)
    known = (sentence(f"{mistake.name}{': ' * bool(mistake.hint)}{mistake.hint}"),) if mistake else ()
    hint = (f"Hint: {sentence(question.hint)}",) if question.hint and not mistake else ()
    if mistake and mistake.points is not None:
        points = mistake.points
    return Mark(
        id=question.id,
        points=points,
        out_of=question.points,
        right=False,
        read_as=read_as,
        feedback=(*known, *lines, *hint),
        mistake=mistake.name if mistake else "",
        **more,
    )


def unanswered(question: Question) -> Mark:
    return Mark(id=question.id, points=0.0, out_of=question.points, right=False, feedback=("Not answered.",))


def unread(question: Question, reason: str) -> Mark:
    """An answer that cannot be understood, with the reason and what to write."""
    lines = (f"Could not be read: {reason}",)
    return Mark(id=question.id, points=0.0, out_of=question.points, right=False, feedback=lines)


def shown(value: Any) -> str:
    """A value as people write it.

    >>> [shown(value) for value in (67108864, Fraction(1, 3), Fraction(-3289, 500), 5.637741e-42, None)]
    ['67,108,864', '1/3', '-6.578', '5.63774e-42', 'undefined']
    """
    if value is None:
        return "undefined"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) or (isinstance(value, Fraction) and value.denominator == 1):
        whole = int(value)
        return f"{whole:,}" if abs(whole) < 10**24 else _scientific(whole)
    if isinstance(value, Fraction) and Fraction(decimal := f"{float(value):.6g}") == value:
        return decimal
    if isinstance(value, Fraction) and value.denominator < 1000 and abs(value) < 1000:
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, Fraction | float):
        return f"{float(value):.6g}"
    import mpmath

    return str(mpmath.nstr(value, 6))


def at(sizes: Mapping[str, Any]) -> str:
    """`D = 2, H = 1`."""
    return ", ".join(f"{name} = {shown(n)}" for name, n in sizes.items())


def listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _scientific(whole: int) -> str:
    digits = str(abs(whole))
    return f"{'−' * (whole < 0)}{digits[0]}.{digits[1:6]}e{len(digits) - 1}"


def sentence(text: str) -> str:
    """Words as a sentence, with a capital and a full stop."""
    first = text[:1].upper() if text[:1].isascii() else text[:1]  # a β stays one
    return first + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
