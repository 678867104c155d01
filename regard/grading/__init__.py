"""Questions about attention, and answers to them: read as people write them, compared exactly, marked with reasons.

questions = built_in_questions()             # or read_questions("mine.toml")
key = compile_key(questions)                 # truths by formula and by count, which must agree
mark(key["udl.1a"], "3D² + 3").feedback      # what is wrong, and at which sizes
check("udl.1a", "3D² + 3")                   # the same at once, in a notebook or a script
"""

from regard.grading.formulas.domain import Domain
from regard.grading.formulas.expression import Comparison, Expression, Undefined, Unreadable, compare, parse
from regard.grading.formulas.orders import Order, OrderComparison, compare_orders, parse_order
from regard.grading.marking.feedback import Counterexample, Mark
from regard.grading.marking.marking import mark
from regard.grading.questions.catalogue import built_in_questions, parse_questions, read_questions, select
from regard.grading.questions.key import Key, check, compile_key
from regard.grading.questions.question import BadQuestion, Form, Mistake, Question, Truth
from regard.grading.questions.sheets import worksheet_markdown, worksheet_toml
from regard.grading.questions.truth import Entry
from regard.grading.reading.numbers import close, parse_matrix, parse_number, parse_vector

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
