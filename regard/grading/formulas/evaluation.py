"""The value of a formula at some sizes: a fraction where it is rational, 50 digits where it is not."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from math import ceil, floor, isqrt
from operator import add, mul, truediv
from typing import Any

import mpmath
from mpmath.ctx_mp_python import _mpf as mpf

from regard.formulas import Call, Negative, Node, Number, Power, Product, Quotient, Sum, Symbol
from regard.grading.formulas.bounds import DIGITS, MAX_BITS, MAX_LOG_BITS, SAME, TooLarge, Undefined

Value = Fraction | mpf


def evaluate(tree: Node, sizes: Mapping[str, int | Fraction]) -> Value:
    """The value of a tree at these sizes; `Undefined` where it has none."""
    with mpmath.workdps(DIGITS + 10):
        return value(tree, {name: Fraction(size) for name, size in sizes.items()})


def same(one: Value, two: Value) -> bool:
    """Equal exactly, or in all but the last digits of a value that is not rational."""
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return one == two
    with mpmath.workdps(DIGITS + 10):
        one, two = real(one), real(two)
        return abs(one - two) <= mpmath.mpf(10) ** -SAME * max(abs(one), abs(two), mpmath.mpf(10) ** -15)


def value(node: Node, sizes: Mapping[str, Fraction]) -> Value:
    match node:
        case Number(number):
            return number
        case Symbol(name, constant):
            if constant:
                return +mpmath.e if name == "e" else +mpmath.pi
            if name not in sizes:
                got = ", ".join(sizes) or "nothing"
                raise Undefined(f"{name} needs a size: got sizes for {got}; give one for {name}")
            return sizes[name]
        case Negative(body):
            return -value(body, sizes)
        case Sum(terms):
            return folded([value(term, sizes) for term in terms], add)
        case Product(factors):
            return folded([value(factor, sizes) for factor in factors], mul)
        case Quotient(over, under):
            top, bottom = value(over, sizes), value(under, sizes)
            if bottom == 0:
                raise Undefined("a division by zero; check the denominator at these sizes")
            return folded([top, bottom], truediv)
        case Power(base, exponent):
            return raised_to(value(base, sizes), value(exponent, sizes))
        case Call(name, arguments):
            return applied(name, [value(argument, sizes) for argument in arguments])


def folded(values: list, operation: Callable) -> Value:
    return reduce(lambda one, two: tamed(operation(*alike(one, two))), values)


def alike(one: Any, two: Any) -> tuple[Any, Any]:
    """Both as fractions, or both to 50 digits."""
    return (one, two) if isinstance(one, Fraction) and isinstance(two, Fraction) else (real(one), real(two))


def real(number: Value) -> mpf:
    return mpmath.mpf(number.numerator) / number.denominator if isinstance(number, Fraction) else number


def tamed(number: Value) -> Value:
    """A fraction that has grown too long, to 50 digits; a logarithm that has, refused."""
    if isinstance(number, Fraction):
        long = number.numerator.bit_length() + number.denominator.bit_length() > MAX_BITS
        return real(number) if long else number
    if not mpmath.isfinite(number) or (number and abs(mpmath.mag(number)).bit_length() > MAX_LOG_BITS):
        raise TooLarge("a value is too large to compute; use smaller exponents")
    return number


def raised_to(base: Any, exponent: Any) -> Value:
    """A power, its length estimated before anything is computed."""
    if base == 0:
        if exponent < 0:
            raise Undefined("a negative power of zero, which is a division by zero; check the base at these sizes")
        return Fraction(int(exponent == 0))
    whole = isinstance(exponent, Fraction) and exponent.denominator == 1
    if base < 0 and not whole:
        raise Undefined("a broken power of a negative number; check the base at these sizes")
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        if exponent.denominator == 2 and (root := exact_root(base)) is not None:
            base, exponent, whole = root, exponent * 2, True
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if whole and bits * abs(exponent.numerator) <= MAX_BITS:
            return base**exponent.numerator
    log_size = abs(mpmath.mag(real(base))) + 1
    if mpmath.mag(real(exponent)) + log_size.bit_length() > MAX_LOG_BITS:
        raise TooLarge("a tower of powers is too large to compute; use smaller exponents")
    return tamed(mpmath.power(real(base), exponent.numerator if whole else real(exponent)))


def exact_root(number: Fraction) -> Fraction | None:
    if number < 0:
        return None
    over, under = isqrt(number.numerator), isqrt(number.denominator)
    return Fraction(over, under) if over * over == number.numerator and under * under == number.denominator else None


def applied(name: str, arguments: list) -> Value:
    first = arguments[0]
    if name == "sqrt":
        if first < 0:
            raise Undefined("the square root of a negative number; check what is under the root at these sizes")
        return raised_to(first, Fraction(1, 2))
    if name == "log":
        return logarithm(first, arguments[1] if len(arguments) > 1 else None)
    if name in ("min", "max"):
        return reduce(lambda one, two: sorted(alike(one, two))[name == "max"], arguments)
    if name == "abs":
        return abs(first)
    first = first if isinstance(first, Fraction) else settled(first)
    return Fraction(floor(first) if name == "floor" else ceil(first))


def settled(number: mpf) -> Value:
    """An integer for a number a hair's breadth beside it: √2·√2 rounds down to 2, not to 1."""
    if mpmath.mag(number) > 150:
        raise TooLarge("a value is too large to be rounded to an integer; use smaller exponents")
    nearest = mpmath.nint(number)
    return Fraction(int(nearest)) if abs(number - nearest) < mpmath.mpf(10) ** -(SAME // 2) else number


def logarithm(number: Any, base: Fraction | None) -> Value:
    if number <= 0:
        raise Undefined("the logarithm of a number that is not positive; check its argument at these sizes")
    if number == 1:
        return Fraction(0)
    result = mpmath.log(real(number)) / (mpmath.log(real(base)) if base is not None else 1)
    if base is not None and isinstance(number, Fraction):
        power = int(mpmath.nint(result))
        if abs(power) < MAX_BITS and base**power == number:
            return Fraction(power)
    return result
