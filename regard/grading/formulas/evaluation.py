"""The value of a formula at some sizes: a fraction where it is rational, 50 digits where it is not."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from math import ceil, floor, isqrt
from operator import add, mul, truediv
from typing import TYPE_CHECKING, Any

from regard.analysis.formulas import Call, Negative, Node, Number, Power, Product, Quotient, Sum, Symbol
from regard.grading.formulas.bounds import DIGITS, MAX_BITS, MAX_LOG_BITS, SAME, TooLarge, Undefined

if TYPE_CHECKING:
    from mpmath.ctx_mp_python import _mpf as mpf


def evaluate(tree: Node, sizes: Mapping[str, int | Fraction]) -> "Fraction | mpf":
    """The value of a tree at these sizes; `Undefined` where it has none."""
    import mpmath

    with mpmath.workdps(DIGITS + 10):
        return value(tree, {name: Fraction(size) for name, size in sizes.items()})


def same(one: "Fraction | mpf", two: "Fraction | mpf") -> bool:
    """Equal exactly, or in all but the last digits of a value that is not rational."""
    if isinstance(one, Fraction) and isinstance(two, Fraction):
        return one == two
    import mpmath

    with mpmath.workdps(DIGITS + 10):
        one, two = real(one), real(two)
        return abs(one - two) <= mpmath.mpf(10) ** -SAME * max(abs(one), abs(two), mpmath.mpf(10) ** -15)


def value(node: Node, sizes: Mapping[str, Fraction]) -> "Fraction | mpf":
    match node:
        case Number(number):
            return number
        case Symbol(name, constant):
            if constant:
                return constant_value(name)
            if name not in sizes:
                raise Undefined(
                    f"{name} needs a size: got sizes for {', '.join(sizes) or 'nothing'}; give one for {name}"
                )
            return sizes[name]
        case Negative(body):
            return -value(body, sizes)
        case Sum(terms):
            return folded([value(term, sizes) for term in terms], add)
        case Product(factors):
            return folded([value(factor, sizes) for factor in factors], mul)
        case Quotient(over, under):
            return divided(value(over, sizes), value(under, sizes))
        case Power(base, exponent):
            raised = value(exponent, sizes)
            return raised_to(value(base, sizes), raised)
        case Call(name, arguments):
            return applied(name, [value(argument, sizes) for argument in arguments])


def folded(values: list, operation: Callable) -> "Fraction | mpf":
    return reduce(lambda one, two: tamed(operation(*alike(one, two))), values)


def alike(one: Any, two: Any) -> tuple[Any, Any]:
    """Both as fractions, or both to 50 digits."""
    return (one, two) if isinstance(one, Fraction) and isinstance(two, Fraction) else (real(one), real(two))


def constant_value(name: str) -> "mpf":
    import mpmath

    return +mpmath.e if name == "e" else +mpmath.pi


def real(number: "Fraction | mpf") -> "mpf":
    import mpmath

    return mpmath.mpf(number.numerator) / number.denominator if isinstance(number, Fraction) else number


def tamed(number: "Fraction | mpf") -> "Fraction | mpf":
    """A fraction that has grown too long, to 50 digits; a logarithm that has, refused."""
    if isinstance(number, Fraction):
        long = number.numerator.bit_length() + number.denominator.bit_length() > MAX_BITS
        return real(number) if long else number
    import mpmath

    if not mpmath.isfinite(number) or (number and abs(mpmath.mag(number)).bit_length() > MAX_LOG_BITS):
        raise TooLarge("a value is too large to compute; use smaller exponents")
    return number


def divided(over: Any, under: Any) -> "Fraction | mpf":
    if under == 0:
        raise Undefined("a division by zero; check the denominator at these sizes")
    return folded([over, under], truediv)


def raised_to(base: Any, exponent: Any) -> "Fraction | mpf":
    """A power, its length estimated before anything is computed."""
    import mpmath

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
    if whole:
        return tamed(mpmath.power(real(base), exponent.numerator))
    return tamed(mpmath.power(real(base), real(exponent)))


def exact_root(number: Fraction) -> Fraction | None:
    if number < 0:
        return None
    over, under = isqrt(number.numerator), isqrt(number.denominator)
    return Fraction(over, under) if over * over == number.numerator and under * under == number.denominator else None


def applied(name: str, arguments: list) -> "Fraction | mpf":
    first = arguments[0]
    if name == "sqrt":
        if first < 0:
            raise Undefined("the square root of a negative number; check what is under the root at these sizes")
        return raised_to(first, Fraction(1, 2)) if first != 0 else Fraction(0)
    if name == "log":
        return logarithm(first, arguments[1] if len(arguments) > 1 else None)
    if name in ("min", "max"):
        best = first
        for other in arguments[1:]:
            smaller, larger = sorted(alike(best, other))
            best = smaller if name == "min" else larger
        return best
    if name == "abs":
        return abs(first)
    if not isinstance(first, Fraction):
        first = settled(first)
    return Fraction(floor(first) if name == "floor" else ceil(first))


def settled(number: "mpf") -> "Fraction | mpf":
    """A number a hair's breadth beside an integer is that integer: √2·√2 rounds down to 2, not to 1."""
    import mpmath

    if mpmath.mag(number) > 150:
        raise TooLarge("a value is too large to be rounded to an integer; use smaller exponents")
    nearest = mpmath.nint(number)
    return Fraction(int(nearest)) if abs(number - nearest) < mpmath.mpf(10) ** -(SAME // 2) else number


def logarithm(number: Any, base: Fraction | None) -> "Fraction | mpf":
    import mpmath

    if number <= 0:
        raise Undefined("the logarithm of a number that is not positive; check its argument at these sizes")
    result = mpmath.log(real(number)) / (mpmath.log(real(base)) if base is not None else 1)
    if number == 1:
        return Fraction(0)
    if base is not None and isinstance(number, Fraction):
        power = int(mpmath.nint(result))
        if abs(power) < MAX_BITS and base**power == number:
            return Fraction(power)
    return result
