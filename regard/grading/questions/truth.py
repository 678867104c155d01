"""Truths: a question with its own; and those that are counted, on what a function of the sizes builds."""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, permutations
from math import isfinite
from numbers import Rational
from pathlib import Path
from typing import Any

from regard.grading.formulas.bounds import DIGITS
from regard.grading.formulas.domain import Domain
from regard.grading.formulas.evaluation import mpf, same
from regard.grading.formulas.expression import Expression, Undefined
from regard.grading.questions.question import BadQuestion, Question

Sizes = dict[str, int | Fraction]

# How many sizes are counted, the smallest and then those that tell symbols apart. A run is counted in some 30 ms, all
# else in less than one. Without a formula the counts are all that an answer is held against.
CHECKED = {"parameters": (4, 4), "value": (4, 4), "multiply-adds": (0, 2), "flops": (0, 2)}
ALONE = {"parameters": (24, 12), "value": (24, 12), "multiply-adds": (6, 6), "flops": (6, 6)}
DISTINCT = (2, 3, 4, 5, 6, 7, 8)  # sizes that tell symbols apart, with divisors and odd ones among them
SLACK = 1e-9  # by which a counted float may differ from a formula, relative to it
MOST_LINES = 12  # of a breakdown by single parameters, as numbered layers have them


@dataclass(frozen=True, kw_only=True)
class Counted:
    """What was counted at some sizes, as a whole and by part."""

    sizes: Mapping[str, int | Fraction]
    value: Any
    parts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A question with its truth: a formula or an order as text, numbers, the letter of a choice, True or False.

    `counts` are those of a formula that was counted; its truth is None where no formula was given. `parts` are the
    entries of subquestions, in their order.
    """

    question: Question
    truth: Any = None
    counts: tuple[Counted, ...] = ()
    parts: tuple["Entry", ...] = ()

    @property
    def id(self) -> str:
        return self.question.id

    @property
    def points(self) -> float:
        return self.question.points


def counts(question: Question, domain: Domain) -> tuple[Counted, ...]:
    """The counts of a formula at the sizes where it is checked."""
    function = function_of(question)
    kind = question.truth.count
    few, distinct = (ALONE if question.truth.answer is None else CHECKED)[kind]
    return tuple(count_at(question, function, sizes) for sizes in chosen_sizes(domain, few, distinct))


def value_of(question: Question) -> Any:
    """The value of a question without symbols: a number, a list, a list of lists, True or False."""
    return count_at(question, function_of(question), {}).value


def chosen_sizes(domain: Domain, few: int, distinct: int) -> list[Sizes]:
    """The smallest sizes of the domain, and some where all symbols differ; more of the smallest where none do."""
    symbols = domain.symbols
    assigned: Iterator[Sizes] = (dict(zip(symbols, n, strict=True)) for n in permutations(DISTINCT, len(symbols)))
    apart = list(islice(filter(domain.contains, assigned), distinct))
    smallest = islice(domain.points(), few + distinct - len(apart))
    return [{name: plain(n) for name, n in point.items()} for point in smallest] + apart


def function_of(question: Question) -> Callable[..., Any]:
    """The function that `counted` names, of an installed module or of a file beside the questions."""
    module_name, _, name = str(question.truth.counted).partition(":")
    module = _from_file(question, module_name) if module_name.endswith(".py") else _installed(question, module_name)
    function = getattr(module, name, None)
    if not callable(function):
        raise question.bad("counted", f"{module_name} has no function {name!r}; write def {name}(…) there")
    return function


def count_at(question: Question, function: Callable[..., Any], sizes: Sizes) -> Counted:
    """Call the function with the sizes, and count what it gives."""
    with _named(question, f"{question.truth.counted}({', '.join(f'{name}={n}' for name, n in sizes.items())})"):
        made = function(**sizes)
        if question.truth.count == "value":
            value, parts = _value(question, made)
        elif question.truth.count == "parameters":
            value, parts = _parameters(question, made)
        else:
            value, parts = _work(question, made)
    return Counted(sizes=sizes, value=value, parts={name: part for name, part in parts.items() if part})


@contextmanager
def _named(question: Question, call: str) -> Iterator[None]:
    """A teacher's code may raise anything, and leave by `sys.exit`: it goes on, with the question's name."""
    try:
        yield
    except BadQuestion:
        raise
    except (Exception, SystemExit) as error:
        raise question.bad("counted", f"{call} raised {type(error).__name__}: {error}") from error


def first_difference(answer: Expression, counted: tuple[Counted, ...]) -> tuple[Counted, Any] | None:
    """The first count that a formula does not give, and what it gives there: None where it has no value."""
    for count in counted:
        try:
            value = answer.evaluate(count.sizes)
        except Undefined:
            return count, None
        if not agrees(count.value, value):
            return count, value
    return None


def agrees(counted: Any, formula: Any) -> bool:
    """Whether a count is the value of a formula: exactly, or to nine digits where it was counted as a float.

    >>> agrees(6, Fraction(6)), agrees(0.1, Fraction(1, 10)), agrees(5.6e-42, 0.0), agrees(3.0, float("inf"))
    (True, True, False, False)
    """
    if isinstance(counted, int | Fraction):
        return same(Fraction(counted), Fraction(formula) if isinstance(formula, int) else formula)
    import mpmath

    with mpmath.workdps(DIGITS):
        one = mpmath.mpf(counted)
        two = mpmath.mpf(formula.numerator) / formula.denominator if isinstance(formula, Fraction) else formula
        return bool(mpmath.isfinite(one) and mpmath.isfinite(two) and abs(one - two) <= SLACK * abs(one))


def _value(question: Question, made: Any) -> tuple[Any, dict[str, Any]]:
    parts = dict(made) if isinstance(made, Mapping) else {}
    if parts and not all(_is_number(part) for part in parts.values()):
        raise question.bad("counted", f"must give numbers for the parts: got {_described(made)}")
    as_list: Callable[[], Any] | None = getattr(made, "tolist", None)
    value = sum(parts.values()) if parts else as_list() if as_list else made
    if question.form.symbols and not _is_number(value):
        raise question.bad("counted", f"must give a number, or numbers by part: got {_described(made)}")
    if question.kind != "truth" and not _are_numbers(value):
        raise question.bad("counted", f"must give finite numbers, as a {question.kind}: got {_described(made)}")
    return plain(value), {name: plain(part) for name, part in parts.items()}


def _parameters(question: Question, made: Any) -> tuple[int, dict[str, int]]:
    """All of them, and those of each child; those of numbered or no children by their own names."""
    from torch import nn

    module = made[0] if isinstance(made, tuple) and made else made
    if not isinstance(module, nn.Module):
        raise question.bad(
            "counted",
            f'must give a torch module, whose parameters are counted: got {_described(made)}; or count = "value"',
        )
    whole = _size(module)
    names = {name: _label(module, name) for name, _ in module.named_children()}
    own = {name: parameter.numel() for name, parameter in module.named_parameters()}
    if list(names) == list(names.values()) != [] or len(own) > MOST_LINES:
        parts = {names[name]: _size(child) for name, child in module.named_children()}
    else:
        parts = own
    return whole, parts if sum(parts.values()) == whole else {}


def _label(module: Any, name: str) -> str:
    """The name of a child, with its type where the name is a number, as in `nn.Sequential`."""
    return f"{type(module.get_submodule(name)).__name__} {name}" if name.isdecimal() else name


def _work(question: Question, made: Any) -> tuple[int, dict[str, int]]:
    from torch import nn

    from regard.analysis import cost

    if not isinstance(made, tuple) or not 2 <= len(made) <= 3 or not isinstance(made[0], nn.Module):
        raise question.bad(
            "counted", f"must give a torch module and a tuple of its inputs, module, (x, …): got {_described(made)}"
        )
    module, inputs, keywords = (*made, {}) if len(made) == 2 else made
    found = cost(module, *inputs, backward=False, **keywords)
    if found.unknown:
        raise question.bad("counted", f"runs operations that cannot be counted: {', '.join(found.unknown)}")
    unit = 2 if question.truth.count == "multiply-adds" else 1
    children = [part for part in found.modules if part.depth == 1]
    parts = {_label(module, part.name): int(part.forward.flops) // unit for part in children}
    if found.modules[0].attention and not any(part.attention for part in children):
        parts["logits and mixing"] = int(found.modules[0].attention) // unit
    whole = int(found.forward.flops) // unit
    return whole, parts if sum(parts.values()) == whole else {}


def _installed(question: Question, name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise question.bad(
            "counted", f"cannot import {name!r}: {error}; a file beside the questions is {name}.py:…"
        ) from error


def _from_file(question: Question, name: str) -> Any:
    path = Path(question.truth.file).parent / name
    if not path.is_file():
        raise question.bad("counted", f"{path} is not there; it stands beside the questions")
    label = f"counted by {path.resolve()}"
    spec = importlib.util.spec_from_file_location(label, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[label] = module  # dataclasses look their module up there
    with _named(question, str(path)):
        spec.loader.exec_module(module)
    return module


def _size(module: Any) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and (
        isinstance(value, Rational) or (isinstance(value, float) and isfinite(value))
    )


def _are_numbers(value: Any) -> bool:
    return all(map(_are_numbers, value)) if isinstance(value, list | tuple) else _is_number(value)


def plain(value: Any) -> Any:
    """Numbers of any type as Python's own, the same in every process; tuples of them for vectors and matrices."""
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    if isinstance(value, Rational) and not isinstance(value, bool):
        exact = Fraction(value)
        return int(exact) if exact.denominator == 1 else exact
    return float(value) if isinstance(value, float | mpf) else value


def _described(made: Any) -> str:
    text = repr(made)
    return text if len(text) <= 60 else f"a {type(made).__name__}"
