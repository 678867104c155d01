"""Questions about attention, and answers to them: read as people write them, compared exactly, marked with reasons.

questions = built_in_questions()             # or read_questions("mine.toml")
key = compile_key(questions)                 # truths by formula and by count, which must agree
mark(key["udl.1a"], "3D² + 3").feedback      # what is wrong, and at which sizes
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regard.claims.answers.catalogue import built_in_questions, parse_questions, read_questions, select
    from regard.claims.answers.domain import Domain
    from regard.claims.answers.expression import Comparison, Expression, Undefined, Unreadable, compare, parse
    from regard.claims.answers.feedback import Counterexample, Mark
    from regard.claims.answers.key import Entry, Key, compile_key
    from regard.claims.answers.marking import mark
    from regard.claims.answers.numbers import close, parse_matrix, parse_number, parse_vector
    from regard.claims.answers.orders import Order, OrderComparison, compare_orders, parse_order
    from regard.claims.answers.question import BadQuestion, Form, Mistake, Question, Truth
    from regard.claims.answers.sheets import worksheet_markdown, worksheet_toml

_HOMES = {
    "catalogue": ("built_in_questions", "parse_questions", "read_questions", "select"),
    "domain": ("Domain",),
    "expression": ("Comparison", "Expression", "Undefined", "Unreadable", "compare", "parse"),
    "feedback": ("Counterexample", "Mark"),
    "key": ("Entry", "Key", "compile_key"),
    "marking": ("mark",),
    "numbers": ("close", "parse_matrix", "parse_number", "parse_vector"),
    "orders": ("Order", "OrderComparison", "compare_orders", "parse_order"),
    "question": ("BadQuestion", "Form", "Mistake", "Question", "Truth"),
    "sheets": ("worksheet_markdown", "worksheet_toml"),
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
