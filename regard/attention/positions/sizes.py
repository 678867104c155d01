"""Sizes that are numbers, or symbols of a formula: a symbol that must be compared counts as large."""

from typing import Any

import torch

Count = Any  # an int, or a SymPy expression: formulas are written once for both
LARGE = 1 << 40


def is_symbol(count: Count) -> bool:
    """Whether it is a formula."""
    return not torch.compiler.is_compiling() and hasattr(count, "free_symbols")


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
    return min(one, other)


def most(one: Count, other: Count) -> Count:
    """The larger of two counts."""
    if is_symbol(one) or is_symbol(other):
        return one if number(one) >= number(other) else other
    return max(one, other)
