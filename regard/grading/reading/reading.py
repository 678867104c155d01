"""From text to trees: what remains of an answer without its surroundings is parsed, and the result is bounded."""

import re
from fractions import Fraction
from math import gcd
from typing import TYPE_CHECKING, Any, NoReturn, cast

from regard.analysis.formulas import (
    Call,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
    children,
    is_constant,
    walk,
)
from regard.grading.formulas.bounds import (
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_EXPONENT,
    MAX_NODES,
    MAX_TEXT,
    MAX_TOWER,
    TooLarge,
    Undefined,
    Unreadable,
)
from regard.grading.formulas.evaluation import evaluate, real
from regard.grading.reading.grammar import Word, parser
from regard.grading.reading.spelling import Misread, refusal, shown, words
from regard.grading.reading.surroundings import CHOOSES, cleaned

if TYPE_CHECKING:
    from mpmath.ctx_mp_python import _mpf as mpf

GROUPED = re.compile(r"[0-9],[0-9]{3}(?![0-9])")
DOTTED = re.compile(r"[0-9]+(?:\.[0-9]+){2,}")


def read(text: str, symbols: tuple[str, ...], tight: bool = False) -> tuple[Node, ...]:
    """The tree of each side of `a = b = c`; raises `Unreadable`."""
    if not isinstance(text, str):
        raise Unreadable(f"a formula must be text: got {type(text).__name__}; write it in quotes")
    if len(text) > MAX_TEXT:
        raise Unreadable(f"a formula may have {MAX_TEXT} characters: got {len(text)}; give the formula alone")
    clear = cleaned(text, symbols)
    if not clear.strip():
        raise Unreadable(f"a formula must not be empty: got {shown(text)}; write a number or a formula")
    try:
        trees = parsed(clear, symbols, tight)
    except Misread as error:
        raise (error.quoting(text) if len(text) == len(clear) else error) from None
    for tree in trees:
        bound(tree)
    return trees


def parsed(clear: str, symbols: tuple[str, ...], tight: bool) -> tuple[Node, ...]:
    from lark import UnexpectedToken

    if CHOOSES.search(clear) and (match := GROUPED.search(clear)):
        raise refusal("a comma between digits may group them or part two arguments", clear, match.start() + 1,
                      "write the number without commas, or a space after the comma")  # fmt: skip
    if match := DOTTED.search(clear):
        raise refusal("dots do not group digits, the dot is the decimal point:", clear, match.start() + 1,
                      f"write {match[0].replace('.', '')}, or one dot alone")  # fmt: skip
    made = words(clear, symbols)
    try:
        return cast("tuple[Node, ...]", parser(tight).parse(cast(Any, broken_powers(made) if tight else made)))
    except UnexpectedToken as error:
        refuse(error.token, clear)


def broken_powers(made: list[Word]) -> list[Word]:
    """`d^-1/2` as d^(−1/2): exponents in lowest terms, proper or negative, so that N^2/2 stays N²/2."""
    result: list[Word] = []
    for place, word in enumerate(made):
        result.append(word)
        if word.type != "OVER" or not 0 < place < len(made) - 1:
            continue
        over, under = made[place - 1], made[place + 1]
        start = place - 2 if made[place - 2].type != "MINUS" else place - 3
        further = place + 2 < len(made) and made[place + 2].type == "POWER"
        if over.type != "NUMBER" or under.type != "NUMBER" or start < 0 or made[start].type != "POWER" or further:
            continue
        top, bottom = over.value.value, under.value.value
        exact = top.denominator == bottom.denominator == 1 and gcd(int(top), int(bottom)) == 1 and bottom > 1
        if exact and (start < place - 2 or top < bottom):
            sign = [made[place - 2]] if start < place - 2 else []
            value = Word("NUMBER", Number(top / bottom), over.column)
            at = len(result) - 2 - len(sign)
            made[place + 1] = Word("RPAR", ")", under.column)
            result[at:] = [Word("LPAR", "(", over.column), *sign, value]
    return result


def refuse(token: object, text: str) -> NoReturn:
    """Say what stands where the grammar allows it not."""
    if not isinstance(token, Word):
        raise refusal("the formula ends too early", text, len(text.rstrip()), "write what comes after this sign")
    if token.type == "NUMBER":
        raise refusal(
            "a number follows a factor without a sign", text, token.column, "write ^ for a power or · for a product"
        )
    if token.type == "COMMA":
        raise refusal(
            "unexpected ','", text, token.column, "write a decimal point as '.', and thousands in groups of three"
        )
    written = "this sign" if token.value is None else shown(text[token.column - 1])
    raise refusal(f"unexpected {written}", text, token.column, "write a number, a symbol or a bracket here")


def bound(tree: Node) -> None:
    """Refuse what would cost too much to compute, before any of it is computed."""
    count = 0
    for count, (_, depth) in enumerate(walk(tree), start=1):
        if depth > MAX_DEPTH + 1:
            raise Unreadable(f"a formula may be {MAX_DEPTH} operations deep: got more; write it flatter")
        if count > MAX_NODES:
            raise Unreadable(f"a formula may have {MAX_NODES} numbers, symbols and operations: got more; shorten it")
    if any(isinstance(node, Power) for node, _ in walk(tree)):
        degree(tree)


def degree(node: Node) -> tuple[float, int]:
    """A bound of the degree in all symbols, and how many symbolic exponents stand inside one another."""
    inner = [degree(child) for child in children(node)]
    tower = max((height for _, height in inner), default=0)
    degrees = [size for size, _ in inner]
    match node:
        case Symbol(_, constant):
            return float(not constant), 0
        case Power() if is_constant(node):
            magnitude(node)
            return 0, 0
        case Power(_, exponent) if is_constant(exponent):
            result = degrees[0] * abs(constant_exponent(exponent)), tower
        case Power():
            tower = max(inner[0][1], inner[1][1] + 1)
            if tower > MAX_TOWER:
                raise Unreadable(
                    f"symbols may stand in {MAX_TOWER} exponents inside one another: got {tower}; write it flatter"
                )
            return 1, tower
        case Sum() | Call():
            return max(degrees, default=0), tower
        case Product() | Quotient():
            result = sum(degrees), tower
        case _:
            return max(degrees, default=0), tower
    if result[0] > 4 * MAX_EXPONENT:
        raise Unreadable(
            f"a formula may have degree {4 * MAX_EXPONENT}: got about {result[0]:.0f}; use smaller exponents"
        )
    return result


def constant_exponent(node: Node) -> float:
    try:
        power = evaluate(node, {})
    except Undefined as error:
        raise Unreadable(f"an exponent must have a value: {error}") from None
    if abs(power) > MAX_EXPONENT:
        raise Unreadable(
            f"the exponent of a symbol may be {MAX_EXPONENT} at most: got {shown(str(power))}; use a smaller one"
        )
    return float(power)


def magnitude(node: Power) -> None:
    """Refuse `9^9^9^9` and other numbers with more digits than anybody means."""
    try:
        number = evaluate(node, {})
    except TooLarge:
        raise Unreadable(
            f"a number may have {MAX_DIGITS} digits: got a tower of powers; use smaller exponents"
        ) from None
    except Undefined:
        return  # 0^(-1) can be read; it is undefined when it is evaluated
    if number != 0 and abs(order_of(number)) > MAX_DIGITS:
        raise Unreadable(
            f"a number may have {MAX_DIGITS} digits: got about 10^{order_of(number)}; use smaller exponents"
        )


def order_of(number: "Fraction | mpf") -> int:
    """The power of ten of a number, without writing it out."""
    import mpmath

    return int(mpmath.mag(real(number)) * 0.30103)
