"""Sizes that are numbers, symbols of a formula, or sizes that a compiler keeps open.

A symbol that must be compared counts as large. Of an open size nothing is asked but what holds whatever it turns out
to be: anything else would make the compiler's graph one for some sizes alone.
"""

from typing import Any

import torch

from regard.attention.torch_private import has_known_value, is_known_true

Count = Any  # an int, a SymPy expression, or a compiler's size: formulas are written once for all
LARGE = 1 << 40


def is_symbol(count: Count) -> bool:
    """Whether it is a formula."""
    return not torch.compiler.is_compiling() and hasattr(count, "free_symbols")


def is_open(count: Count) -> bool:
    """Whether a compiler is at work and keeps this size open."""
    return torch.compiler.is_compiling() and not has_known_value(count)


def surely(condition: Any) -> bool:
    """Whether a comparison of sizes holds; of open sizes, whether it holds whatever they turn out to be."""
    return is_known_true(condition) if torch.compiler.is_compiling() else bool(condition)


def fixed(count: Count) -> Any:
    """The number of an open size, for which alone the compiler's graph is from now on; any other count itself."""
    if not torch.compiler.is_compiling():
        return count
    return len(range(count)) if count >= 0 else -len(range(-count))  # a length is what a compiler takes for a number


def is_whole(count: object) -> bool:
    """Whether it is a whole number, or what a compiler or a formula takes for one."""
    if isinstance(count, int | torch.SymInt):
        return not isinstance(count, bool)
    return is_symbol(count) and getattr(count, "is_integer", None) is not False


def number(count: Count) -> Any:
    """The count itself, or that of a formula for large sizes."""
    return count.subs(dict.fromkeys(count.free_symbols, LARGE)) if is_symbol(count) else count


def least(one: Count, other: Count) -> Count:
    """The smaller of two counts.

    >>> import sympy
    >>> least(3, 5), least(sympy.Symbol("N"), 128)
    (3, 128)
    """
    if is_symbol(one) or is_symbol(other):
        return one if number(one) <= number(other) else other
    if is_open(one) or is_open(other):
        return one if surely(one <= other) else other if surely(other <= one) else torch.sym_min(one, other)
    return min(one, other)


def most(one: Count, other: Count) -> Count:
    """The larger of two counts."""
    if is_symbol(one) or is_symbol(other):
        return one if number(one) >= number(other) else other
    if is_open(one) or is_open(other):
        return one if surely(one >= other) else other if surely(other >= one) else torch.sym_max(one, other)
    return max(one, other)
