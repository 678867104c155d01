"""From text to trees: the sides of the answer that a text gives are parsed, and the result is bounded."""

from dataclasses import dataclass, field
from math import gcd
from typing import Any, NoReturn, cast

import mpmath

from regard.formulas import (
    Call,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Symbol,
    children,
    is_constant,
    rebuilt,
    walk,
)
from regard.grading.formulas import bounds
from regard.grading.formulas.bounds import TooLarge, Unasked, Undefined, Unreadable
from regard.grading.formulas.cases import put
from regard.grading.formulas.evaluation import Value, evaluate, real
from regard.grading.reading.grammar import parser
from regard.grading.reading.statements import Answer, Chain, find_answer
from regard.grading.reading.tokens import Word, known, quoted, refusal


@dataclass(frozen=True, kw_only=True)
class Formula:
    """What a text in some symbols says: a tree for each side of `a = b = c`, the result last."""

    text: str
    symbols: tuple[str, ...]
    trees: tuple[Node, ...] = field(repr=False)
    letter: str = ""  # of an order of growth: "O", "Θ", "Ω" or "" for none
    unit: str = ""  # "flops" or "multiply-adds" where it was named
    sure: bool = field(default=True, repr=False)  # no word was passed over that is not known
    several: bool = field(default=False, repr=False)  # more than one answer was given


def read(text: str, symbols: tuple[str, ...], tight: bool = False, order: bool = False) -> Formula:
    """The tree of each side of `a = b = c`; raises `Unreadable`, for a foreign symbol or an order `Unasked`."""
    if not isinstance(text, str):
        raise Unreadable(f"a formula must be text: got {type(text).__name__}; write it in quotes")
    if len(text) > bounds.MAX_TEXT:
        raise Unreadable(f"a formula may have {bounds.MAX_TEXT} characters: got {len(text)}; give the formula alone")
    answer = find_answer(text, symbols)
    said = [sides_of(chain, answer, symbols, tight) for chain in answer.chains]
    exact = [sides for sides in said if sides and not any(map(letters_of, sides))]
    said = exact if exact and not order else said
    trees = [tree for sides in (*said[1:], *said[:1]) for tree in sides]
    letters = [letter for tree in trees for letter in letters_of(tree)]
    if "o" in letters:
        raise Unreadable("o says less than this order, which is none: write O or Θ")
    if letters and not order:
        kind, asked = Unasked if answer.sure else Unreadable, "an exact formula is asked for, not an order of growth"
        raise kind(f"{asked}: got {letters[0]}(…); write what is inside exactly")
    trees = [unwrapped(tree) for tree in trees] if letters else trees
    for tree in trees:
        bound(tree)
    return Formula(
        text=text,
        symbols=symbols,
        trees=tuple(trees),
        letter=letters[0] if letters else "",
        unit=answer.unit,
        sure=answer.sure,
        several=sum(map(bool, said)) > 1,
    )


def sides_of(chain: Chain, answer: Answer, symbols: tuple[str, ...], tight: bool) -> list[Node]:
    """The trees of a chain in the symbols of the question; none where it is only a remark."""
    sides = [words for kind, words in chain.sides if kind != "ABOUT"] or [chain.sides[0][1]]
    try:
        found = [tree_of(words, answer, symbols, tight) for words in sides]
        clean = [tree for tree in found if not foreign(tree, symbols)]
        mixed = [tree for tree in found if tree not in clean and names_in(tree).keys() & symbols]
        if found[-1] not in clean or mixed:
            names = foreign(mixed[0] if mixed else found[-1], symbols)
            raise unasked(answer, symbols, names, chain.sure and found[-1] not in clean)
    except Unreadable:
        if chain.optional:
            return []
        raise
    return clean


def letters_of(tree: Node) -> list[str]:
    """The letters of orders in a tree."""
    return [node.name for node, _ in walk(tree) if isinstance(node, Call) and node.name in "oOΘΩ"]


def names_in(tree: Node) -> dict[str, None]:
    """The symbols and names of a tree, in their order."""
    return dict.fromkeys(node.name for node, _ in walk(tree) if isinstance(node, Symbol) and not node.constant)


def foreign(tree: Node, symbols: tuple[str, ...]) -> list[str]:
    """Names that are no symbols of the question."""
    return [name for name in names_in(tree) if name not in symbols]


def unasked(answer: Answer, symbols: tuple[str, ...], names: list[str], sure: bool) -> Unreadable:
    """What to say of a formula in other symbols: it is wrong, unless words around it may explain them."""
    words = [word for chain in answer.chains for _, side in chain.sides for word in side]
    column = min((word.column for word in words if word.type == "FOREIGN" and word.value in names), default=1)
    error = refusal(f"unknown word {quoted(names[-1])}", answer.text, column, known(symbols))
    return Unasked(str(error)) if sure and symbols else error


def unwrapped(node: Node) -> Node:
    """Without the letters of orders: O(N) + O(D) as N + D."""
    if isinstance(node, Call) and node.name in ("O", "Θ", "Ω"):
        return unwrapped(node.arguments[0])
    return rebuilt(node, unwrapped)


def tree_of(words: list[Word], answer: Answer, symbols: tuple[str, ...], tight: bool) -> Node:
    """The tree of one side, with what is defined beside it put in."""
    tree = parsed(words, answer.text, tight)
    for _ in range(3):
        names = [name for name in foreign(tree, symbols) if name in answer.definitions]
        if not names:
            break
        values = {name: parsed(answer.definitions[name], answer.text, tight) for name in names}
        tree = put(tree, values)
    return tree


def parsed(words: list[Word], text: str, tight: bool = False) -> Node:
    """The tree of these tokens."""
    from lark import UnexpectedToken

    if not words:
        raise Unreadable(f"a formula must not be empty: got {quoted(text)}; write a number or a formula")
    made = [
        word._replace(type="SYMBOL", value=Symbol(word.value))
        if word.type == "FOREIGN"
        else word._replace(type=word.type.replace("NORM", "BAR"))
        for word in words
    ]
    try:
        return cast("tuple[Node, ...]", parser(tight).parse(cast(Any, broken_powers(made) if tight else made)))[-1]
    except UnexpectedToken as error:
        refuse(error.token, text)


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
    what, todo = (
        f"unexpected {quoted(text[token.column - 1 : token.column])}",
        "write a number, a symbol or a bracket here",
    )
    if token.type == "NUMBER":
        what, todo = "a number follows a factor without a sign", "write ^ for a power or · for a product"
    elif token.type == "COMMA":
        todo = "write a decimal point as '.', and thousands in groups of three"
    raise refusal(what, text, token.column, todo)


def bound(tree: Node) -> None:
    """Refuse what would cost too much to compute, before any of it is computed."""
    count = 0
    for count, (_, depth) in enumerate(walk(tree), start=1):
        if depth > bounds.MAX_DEPTH + 1:
            raise Unreadable(f"a formula may be {bounds.MAX_DEPTH} operations deep: got more; write it flatter")
        if count > bounds.MAX_NODES:
            most = f"{bounds.MAX_NODES} numbers, symbols and operations"
            raise Unreadable(f"a formula may have {most}: got more; shorten it")
    if any(isinstance(node, Power) for node, _ in walk(tree)):
        degree(tree)


def degree(node: Node) -> tuple[float, int]:
    """A bound of the degree in all symbols, and how many symbolic exponents stand inside one another."""
    inner = [degree(child) for child in children(node)]
    degrees, towers = [size for size, _ in inner], [height for _, height in inner]
    size, tower = max(degrees, default=0), max(towers, default=0)
    match node:
        case Symbol(_, constant):
            size = float(not constant)
        case Power() if is_constant(node):
            check_magnitude(node)
            size, tower = 0, 0
        case Power(_, exponent) if is_constant(exponent):
            size = degrees[0] * constant_exponent(exponent)
        case Power():
            size, tower = 1, max(towers[0], towers[1] + 1)
        case Product() | Quotient():
            size = sum(degrees)
    if tower > bounds.MAX_TOWER:
        most = f"symbols may stand in {bounds.MAX_TOWER} exponents of one another"
        raise Unreadable(f"{most}: got {tower}; write it flatter")
    if size > 4 * bounds.MAX_EXPONENT:
        most = f"a formula may have degree {4 * bounds.MAX_EXPONENT}"
        raise Unreadable(f"{most}: got about {size:.0f}; use smaller exponents")
    return size, tower


def constant_exponent(node: Node) -> float:
    try:
        power = abs(evaluate(node, {}))
    except Undefined as error:
        raise Unreadable(f"an exponent must have a value: {error}") from None
    if power > bounds.MAX_EXPONENT:
        most = f"the exponent of a symbol may be {bounds.MAX_EXPONENT} at most"
        raise Unreadable(f"{most}: got {quoted(str(power))}; use a smaller one")
    return float(power)


def check_magnitude(node: Power) -> None:
    """Refuse `9^9^9^9` and other numbers with more digits than anybody means."""
    try:
        number = evaluate(node, {})
        found = f"about 10^{order_of(number)}" if number and abs(order_of(number)) > bounds.MAX_DIGITS else ""
    except TooLarge:
        found = "a tower of powers"
    except Undefined:
        return  # 0^(-1) can be read; it is undefined when it is evaluated
    if found:
        raise Unreadable(f"a number may have {bounds.MAX_DIGITS} digits: got {found}; use smaller exponents")


def order_of(number: Value) -> int:
    """The power of ten of a number, without writing it out."""
    return int(mpmath.mag(real(number)) * 0.30103)
