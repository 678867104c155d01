"""What a person is told about an answer: the mark, where the answer fails, and how values are written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from regard.grading.questions.question import Mistake, Question

SMALLEST = Fraction(1, 10**300)  # beyond it and its inverse a float has no digits


@dataclass(frozen=True, kw_only=True)
class Counterexample:
    """Sizes at which a formula is wrong, its value there and the true one, as texts that are ready to print.

    `breakdown` says of which parts the true value consists.
    """

    sizes: Mapping[str, int | str]
    yours: str
    true: str
    breakdown: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """What an answer is worth, and why.

    `read_as` is the answer as it was understood, empty where it could not be read; `feedback` are lines of plain text;
    `mistake` is the name of a known mistake; `unread` says that the answer, or that to a part, could not be understood,
    so that a person may mark it by hand; `parts` are the marks of subquestions, in their order.
    """

    id: str
    points: float
    out_of: float
    right: bool
    read_as: str = ""
    feedback: tuple[str, ...] = ()
    counterexample: Counterexample | None = None
    mistake: str = ""
    unread: bool = False
    parts: tuple["Mark", ...] = ()

    @property
    def breakdown(self) -> Mapping[str, str]:
        """Of which parts the true value at the counterexample consists."""
        return self.counterexample.breakdown if self.counterexample else {}

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
            "unread": self.unread,
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
    said = more.pop("hint", question.hint)
    hint = (f"Hint: {sentence(said)}",) if said and not mistake else ()
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
    return Mark(id=question.id, points=0.0, out_of=question.points, right=False, feedback=lines, unread=True)


def shown(value: Any) -> str:
    """A value as people write it.

    >>> [shown(value) for value in (67108864, Fraction(1, 3), Fraction(-3289, 500), 5.637741e-42, None)]
    ['67,108,864', '1/3', '-6.578', '5.63774e-42', 'undefined']
    >>> shown(10**5000), shown(Fraction(10**400, 3)), shown(Fraction(-1, 10**400))
    ('1.00000e5000', '3.33333e399', '-1.00000e-400')
    """
    if value is None:
        return "undefined"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) or (isinstance(value, Fraction) and value.denominator == 1):
        whole = int(value)
        return f"{whole:,}" if abs(whole) < 10**24 else _scientific(Fraction(whole))
    if isinstance(value, Fraction) and not SMALLEST < abs(value) < 1 / SMALLEST:
        return _scientific(value)
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


def _scientific(value: Fraction) -> str:
    """Six digits of a number for which `float` is too small, and `str` too slow."""
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.5e}".replace("e+", "e")


def sentence(text: str) -> str:
    """Words as a sentence, with a capital and a full stop."""
    first = text[:1].upper() if text[:1].isascii() else text[:1]  # a β stays one
    return first + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
