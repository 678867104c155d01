"""A question as data: what is asked, what is true, what it is worth, and the wrong answers that are known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Kind = Literal["number", "vector", "matrix", "formula", "order", "choice", "truth"]
Count = Literal["parameters", "multiply-adds", "flops", "value"]
KINDS: tuple[str, ...] = get_args(Kind)
COUNTS: tuple[str, ...] = get_args(Count)


@dataclass(frozen=True, kw_only=True)
class Form:
    """How an answer is given: its kind, the symbols of a formula with their rules, the letters of a choice."""

    kind: Kind
    symbols: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)
    least_digits: int = 3


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What is true: an answer, a function that counts it (`module:function` or `file.py:function`), or both."""

    answer: Any = None
    counted: str | None = None
    count: Count = "value"


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A wrong answer that is known, by name, with what to say to it and what it is worth."""

    answer: Any
    name: str
    hint: str = ""
    points: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question; `parts` are named summands of its truth, `subquestions` are answered one by one."""

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
