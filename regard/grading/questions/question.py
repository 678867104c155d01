"""A question as data: what is asked, what is true, what it is worth, and the wrong answers that are known."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

from regard.grading.formulas.domain import Domain
from regard.grading.reading.tokens import spelling

Kind = Literal["number", "vector", "matrix", "formula", "order", "choice", "select", "truth", "text", "parts"]
Count = Literal["parameters", "multiply-adds", "flops", "value"]
KINDS: tuple[str, ...] = tuple(kind for kind in get_args(Kind) if kind != "parts")  # those that a table may name
COUNTS: tuple[str, ...] = get_args(Count)


MOST_BITS = 1_400  # of a whole number: some 400 digits, more than any answer has and fewer than `str` refuses
MOST_VALUES = 100_000  # of an answer or a table


def too_large(value: Any) -> str:
    """Why a value of a TOML file, with all that is in it, is too large to be worked with; empty if it is not."""
    open_values, seen = [value], 0
    while open_values:
        seen += 1
        one = open_values.pop()
        if isinstance(one, int) and one.bit_length() > MOST_BITS:
            return "a whole number may have 400 digits: got more; write it as a power, such as 2^100"
        if seen > MOST_VALUES:
            return f"an answer may have {MOST_VALUES:,} entries: got more; give fewer"
        if isinstance(one, Mapping | list | tuple):
            open_values += one.values() if isinstance(one, Mapping) else one
    return ""


class BadQuestion(ValueError):  # noqa: N818 - named by what is the matter
    """A question, or a mark by hand, that cannot be used: the message names the file, the table and the key."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """How an answer is given: its kind, the symbols of a formula with their rules, the letters of a choice.

    Of a "select" several letters may be true, or none; a "text" is marked by hand, along a rubric. The kind "parts" is
    that of a question with subquestions, which has no answer of its own.
    """

    kind: Kind
    symbols: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)
    least_digits: int = 3


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What is true: an answer, a function that counts it (`module:function` or `file.py:function`), or both.

    `rubric` are the criteria by which a person marks a text, each with its points. `file` is the one that says so,
    beside which its functions lie, and `table` the table of it, for errors.
    """

    answer: Any = None
    counted: str | None = None
    count: Count = "value"
    rubric: Mapping[str, float] = field(default_factory=dict)
    file: str = ""
    table: str = ""


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A wrong answer that is known, by name, with what to say to it, and what it is worth if that is said."""

    answer: Any
    name: str
    hint: str = ""
    points: float | None = None


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question; `parts` are named summands of its truth, `subquestions` are answered one by one.

    `claim` is the claim that it asks about, by default that of its id.
    """

    id: str
    text: str
    points: float
    form: Form
    truth: Truth
    parts: Mapping[str, str] = field(default_factory=dict)
    mistakes: tuple[Mistake, ...] = ()
    subquestions: tuple["Question", ...] = ()
    claim: str = ""
    hint: str = ""

    @property
    def kind(self) -> Kind:
        return self.form.kind

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The symbols of a formula or an order."""
        return tuple(self.form.symbols)

    @cached_property
    def domain(self) -> Domain:
        """The sizes that it is about."""
        with self.blames("symbols", ValueError):
            spelling(self.symbols)  # refuses what is no symbol, and two spellings of one
            return Domain.parse(self.form.symbols)

    def bad(self, key: str, problem: str) -> BadQuestion:
        """The error that something is wrong with a key of this question's table."""
        table = self.truth.table or f"question {self.id!r}"
        return BadQuestion(f"{self.truth.file + ', ' if self.truth.file else ''}{table}, {key}: {problem}")

    @contextmanager
    def blames(self, key: str, *errors: type[Exception]) -> Iterator[None]:
        """Turn these errors inside into one of a key of this question's table."""
        try:
            yield
        except errors as error:
            raise self.bad(key, str(error)) from error
