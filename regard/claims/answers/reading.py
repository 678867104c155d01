"""From text to trees: what surrounds a formula is blanked, the rest is parsed, and the result is bounded."""

import re
import unicodedata
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, cast

from regard.claims.answers.bounds import (
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
from regard.claims.answers.evaluation import evaluate, real
from regard.claims.answers.grammar import Word, parser
from regard.claims.answers.spelling import refusal, shown, words
from regard.claims.answers.tree import (
    Call,
    Node,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
    children,
    is_constant,
    walk,
)

if TYPE_CHECKING:
    from mpmath.ctx_mp_python import _mpf as mpf

UNITS = (
    "parameters", "parameter", "params", "weights", "weight", "biases", "bias", "multiply-adds", "multiply-add",
    "multiplications", "additions", "MACs", "MAC", "FLOPs", "FLOPS", "FLOP", "flops", "operations", "ops", "bytes",
    "numbers", "entries", "tokens",
)  # fmt: skip
UNIT = re.compile(rf"(?<![A-Za-z\\])(?:\\(?:text|mathrm)\s*+\{{)?+\s*+(?<![A-Za-z\\])({'|'.join(UNITS)})\s*\}}?\s*$")
AROUND = re.compile(r"^\s*(?:\${1,2}|\\\(|\\\[|`)|(?:\${1,2}|\\\)|\\\]|`)\s*$")
APPROXIMATELY = re.compile(r"≈|≃|≅|≐|~=|∼|\\approx(?![a-z])|\\simeq(?![a-z])|\\sim(?![a-z])")
# Possessive, so that no text takes more than one pass.
NAMED = re.compile(r"\s*+#?\s*+(?:\\?[^\W\d]\w*+(?:_?\{\\?\w++(?:\{\w++\})?+\})?+\s*+)++(?:\([\w\s,]*+\)\s*+)?+")
GROUPED = re.compile(r"[0-9],[0-9]{3}(?![0-9])")
CHOOSES = re.compile(r"min|max")


def plain(sign: str) -> str:
    """Full-width and mathematical letters, and the micro sign, as the ordinary ones; all else as it is."""
    code = ord(sign)
    if 0xFF01 <= code <= 0xFF5E or 0x1D400 <= code <= 0x1D7FF or code == 0xB5:
        return unicodedata.normalize("NFKC", sign)
    return sign


def blanked(text: str, start: int, end: int) -> str:
    """The text with spaces there, so that columns stay what the writer sees."""
    return text[:start] + " " * (end - start) + text[end:]


def cleaned(text: str, symbols: tuple[str, ...]) -> str:
    """Without dollar signs, a leading `≈`, what follows a later one, a name before `=`, a unit and a full stop."""
    text = "".join(map(plain, text))
    for _ in range(2):
        for match in reversed(list(AROUND.finditer(text))):
            text = blanked(text, *match.span())
    if match := re.search(r"[.;,]\s*$", text):
        text = blanked(text, *match.span())
    if (match := UNIT.search(text)) and match[1] not in symbols:
        text = blanked(text, *match.span())
    while match := APPROXIMATELY.search(text):
        before = text[: match.start()]
        leading = not before.strip() or (NAMED.fullmatch(before) and "=" not in before)
        text = blanked(text, 0 if leading else match.start(), match.end() if leading else len(text))
    name, equals, rest = text.partition("=")
    if equals and rest.strip() and NAMED.fullmatch(name) and not is_product(name, symbols):
        text = blanked(text, 0, len(name) + 1)
    return text


def is_product(name: str, symbols: tuple[str, ...]) -> bool:
    """Whether `ND` is N·D, a side of its own, and not the name of what is asked for."""
    try:
        return len(words(name, symbols)) > 1
    except Unreadable:
        return False


def read(text: str, symbols: tuple[str, ...], tight: bool = False) -> tuple[Node, ...]:
    """The tree of each side of `a = b = c`; raises `Unreadable`."""
    from lark import UnexpectedToken

    if not isinstance(text, str):
        raise Unreadable(f"a formula must be text: got {type(text).__name__}; write it in quotes")
    if len(text) > MAX_TEXT:
        raise Unreadable(f"a formula may have {MAX_TEXT} characters: got {len(text)}; give the formula alone")
    clear = cleaned(text, symbols)
    if not clear.strip():
        raise Unreadable(f"a formula must not be empty: got {shown(text)}; write a number or a formula")
    if CHOOSES.search(clear) and (match := GROUPED.search(clear)):
        raise refusal("a comma between digits may group them or part two arguments", clear, match.start() + 1,
                      "write the number without commas, or a space after the comma")  # fmt: skip
    try:
        trees = cast("tuple[Node, ...]", parser(tight).parse(cast(Any, words(clear, symbols))))
    except UnexpectedToken as error:
        refuse(error.token, clear)
    for tree in trees:
        bound(tree)
    return trees


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
