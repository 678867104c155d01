"""What a person is told about an answer: the mark, where the answer fails, and how values are written."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from html import escape
from typing import Any, Literal

from regard.grading.questions.question import Mistake, Question

Told = Literal["verdict", "hints", "full"]  # how much of a mark is told
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
class ByHand:
    """That a person marked an answer: who, a remark, and what the machine had given, None where it had not marked."""

    by: str = ""
    remark: str = ""
    machine: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Mark:
    """What an answer is worth, and why.

    `read_as` is the answer as it was understood, empty where it could not be read, and `reading` of a wrong one a
    normal form, the same for all who wrote the same in other words; `feedback` are lines of plain text;
    `mistake` is the name of a known mistake; `unread` says that the answer, or that to a part, waits for a person: it
    could not be understood, or it is `free` text; `hand` is what a person has said of it; `parts` are the marks of
    subquestions, in their order.
    """

    id: str
    points: float = 0.0
    out_of: float
    right: bool = False
    read_as: str = ""
    reading: str = ""
    feedback: tuple[str, ...] = ()
    counterexample: Counterexample | None = None
    mistake: str = ""
    unread: bool = False
    free: bool = False
    hand: ByHand | None = None
    parts: tuple["Mark", ...] = ()

    @property
    def verdict(self) -> str:
        """The mark in some words. What waits for a person is not called wrong."""
        if self.right:
            return "right"
        leaves = self.parts or (self,)
        waiting = [part for part in leaves if part.unread]
        if waiting:
            word = "to be marked by hand" if all(part.free for part in waiting) else "not read"
            return word if len(waiting) == len(leaves) else f"partly {word}"
        return "partly right" if self.points else "wrong"

    @property
    def lines(self) -> Iterator[str]:
        """All that is told, line by line: the verdict first, then how it was read, then why."""
        yield f"{self.id}: {self.verdict}, {self.points:g} of {self.out_of:g} points"
        if self.read_as and not self.parts:
            yield f"Read as {self.read_as}"
        yield from (*self.said_by_hand, *self.feedback)
        for part in self.parts:
            yield from part.lines

    @property
    def said_by_hand(self) -> tuple[str, ...]:
        """That a person marked it, with the remark, and what the machine had given."""
        if self.hand is None:
            return ()
        machine = "" if self.hand.machine is None else f"; the machine gave {self.hand.machine:g}"
        who = f" ({self.hand.by})" if self.hand.by else ""
        return (f"Marked by hand{who}{machine}.", *([self.hand.remark] if self.hand.remark else []))

    def __repr__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        first, *more = [escape(line) for line in self.lines]
        return "<br>".join([f"<strong>{first}</strong>", *more])

    def _repr_markdown_(self) -> str:
        first, *more = self.lines
        return "\n".join([f"**{first}**", "", *[f"- {line}" for line in more]])

    def json(self) -> dict[str, Any]:
        """Plain data for `json.dumps`."""
        return asdict(self) | {"verdict": self.verdict, "parts": [part.json() for part in self.parts]}


def withhold(mark: Mark, told: Told) -> Mark:
    """A mark that tells less: "hints" names mistakes and where a formula is wrong, but nothing true; "verdict" neither.

    >>> from regard.grading import check
    >>> print(*withhold(check("udl.1a", "3D² + 3"), "hints").feedback, sep=chr(10))
    A bias vector counted as one number: each of the three biases has D entries.
    It is wrong at D = 2.
    """
    if told == "full" or (not mark.parts and (mark.unread or not mark.read_as)):
        return mark
    parts = tuple([withhold(part, told) for part in mark.parts])
    if told == "verdict":
        return replace(mark, feedback=(), mistake="", counterexample=None, parts=parts)
    where = mark.counterexample.sizes if mark.counterexample else {}
    kept = [*mark.feedback[: bool(mark.mistake)], *([f"It is wrong at {at(where)}."] if where else [])]
    kept += [line for line in mark.feedback if line.startswith("Hint: ")]
    return replace(mark, feedback=mark.feedback if mark.right else tuple(kept), counterexample=None, parts=parts)


def right(question: Question, read_as: str, *remarks: str) -> Mark:
    """All points; remarks may still be made."""
    points = question.points
    return Mark(id=question.id, out_of=points, points=points, right=True, read_as=read_as, feedback=remarks)


def wrong(
    question: Question,
    read_as: str,
    *lines: str,
    mistake: Mistake | None = None,
    points: float = 0.0,
    counterexample: Counterexample | None = None,
) -> Mark:
    """Some of the points, or those of a known mistake. Its name and hint come first, else the question's hint last."""
    if mistake:
        lines = (sentence(f"{mistake.name}{': ' * bool(mistake.hint)}{mistake.hint}"), *lines)
        points = points if mistake.points is None else mistake.points
    elif question.hint:
        lines = (*lines, f"Hint: {sentence(question.hint)}")
    return Mark(
        id=question.id,
        out_of=question.points,
        points=points,
        read_as=read_as,
        feedback=lines,
        mistake=mistake.name if mistake else "",
        counterexample=counterexample,
    )


def unanswered(question: Question) -> Mark:
    return Mark(id=question.id, out_of=question.points, feedback=("Not answered.",))


def waiting(question: Question, line: str, free: bool = False) -> Mark:
    """An answer that waits for a person: a text, or one that could not be understood or marked, and why."""
    return Mark(id=question.id, out_of=question.points, feedback=(line,), unread=True, free=free)


def override(mark: Mark, points: float, hand: ByHand) -> Mark:
    """The points that a person gives instead; what the machine gave and said stays."""
    return replace(
        mark,
        points=points,
        right=points == mark.out_of,
        unread=False,
        feedback=() if mark.free else mark.feedback,
        hand=replace(hand, machine=None if mark.unread else mark.points),
    )


def total(mark: Mark, parts: tuple[Mark, ...]) -> Mark:
    """A question's mark from those of its parts."""
    return replace(
        mark,
        points=round(sum(part.points for part in parts), 2),
        right=all(part.right for part in parts),
        unread=any(part.unread for part in parts),
        parts=parts,
    )


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
