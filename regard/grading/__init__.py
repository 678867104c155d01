"""Questions about attention, and answers to them: read as people write them, compared exactly, marked with reasons.

questions = built_in_questions()             # or read_questions("mine.toml")
key = compile_key(questions)                 # truths by formula and by count, which must agree
mark(key["udl.1a"], "3D² + 3").feedback      # what is wrong, and at which sizes
check("udl.1a", "3D² + 3")                   # the same at once, in a notebook or a script
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regard.grading.formulas.domain import Domain
    from regard.grading.formulas.expression import Comparison, Expression, Undefined, Unreadable, compare, parse
    from regard.grading.formulas.orders import Order, OrderComparison, compare_orders, parse_order
    from regard.grading.marking.feedback import Counterexample, Mark
    from regard.grading.marking.marking import check, mark
    from regard.grading.questions.catalogue import built_in_questions, parse_questions, read_questions, select
    from regard.grading.questions.key import Entry, Key, compile_key
    from regard.grading.questions.question import BadQuestion, Form, Mistake, Question, Truth
    from regard.grading.questions.sheets import worksheet_markdown, worksheet_toml
    from regard.grading.reading.numbers import close, parse_matrix, parse_number, parse_vector

_HOMES = {
    "questions.catalogue": ("built_in_questions", "parse_questions", "read_questions", "select"),
    "formulas.domain": ("Domain",),
    "formulas.expression": ("Comparison", "Expression", "Undefined", "Unreadable", "compare", "parse"),
    "marking.feedback": ("Counterexample", "Mark"),
    "questions.key": ("Entry", "Key", "compile_key"),
    "marking.marking": ("check", "mark"),
    "reading.numbers": ("close", "parse_matrix", "parse_number", "parse_vector"),
    "formulas.orders": ("Order", "OrderComparison", "compare_orders", "parse_order"),
    "questions.question": ("BadQuestion", "Form", "Mistake", "Question", "Truth"),
    "questions.sheets": ("worksheet_markdown", "worksheet_toml"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "BadQuestion",
    "Comparison",
    "Counterexample",
    "Domain",
    "Entry",
    "Expression",
    "Form",
    "Key",
    "Mark",
    "Mistake",
    "Order",
    "OrderComparison",
    "Question",
    "Truth",
    "Undefined",
    "Unreadable",
    "built_in_questions",
    "check",
    "close",
    "compare",
    "compare_orders",
    "compile_key",
    "mark",
    "parse",
    "parse_matrix",
    "parse_number",
    "parse_order",
    "parse_questions",
    "parse_vector",
    "read_questions",
    "select",
    "worksheet_markdown",
    "worksheet_toml",
]


def __getattr__(name: str) -> Any:
    """Parsers and algebra are read when they are first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
