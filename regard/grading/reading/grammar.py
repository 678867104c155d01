"""The grammar of formulas, as an LALR(1) parser of Lark over the tokens of `tokens.py`, and the trees it builds.

Brackets arrive paired, `²` arrives as `^ ( 2 )`, and a number can only begin a run of factors, so that `2 3`, `67 108`
and `D2` are refused instead of guessed. What can be meant in two ways has two readings, the second one called tight.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from regard.checks import MissingExtra
from regard.formulas import Call, E, Negative, Node, Number, Power, Product, Quotient, Sum
from regard.grading.formulas.bounds import Unreadable
from regard.grading.reading.tokens import Word

if TYPE_CHECKING:
    from lark import Lark

GRAMMAR = """
    start: sum (EQUALS sum)*
    ?sum: term | term ((PLUS | MINUS) term)+ -> sum
    ?term: signed (TIMES signed | OVER signed | FLOORED signed)* -> term
    signed: (MINUS | PLUS)? run
    ?run: head factor* -> run
    ?head: numeral | factor
    ?factor: atom | atom POWER exponent -> power | bracket | bracket POWER exponent -> power | application
    ?numeral: NUMBER | NUMBER POWER exponent -> power
    ?exponent: base | base POWER exponent -> power | (MINUS | PLUS) exponent -> signed_exponent
    ?base: NUMBER | atom | bracket | bracket_call
    ?atom: SYMBOL | FRACTION argument argument -> fraction | LBAR sum RBAR -> enclosed
         | LCEIL sum RCEIL -> enclosed | LFLOOR sum RFLOOR -> enclosed
    bracket: LPAR sum (COMMA sum)* RPAR
    ?argument: bracket | NUMBER | SYMBOL
    ?application: bracket_call | bracket_call POWER exponent -> power
         | FUNCTION open_argument -> open_call | FUNCTION POWER raised open_argument -> open_call
         | FUNCTION POWER raised bracket -> call
    ?bracket_call: FUNCTION bracket -> call
    ?raised: NUMBER | bracket
    ?open_argument: NUMBER | NUMBER POWER exponent -> power | atom | atom POWER exponent -> power
    %declare EQUALS PLUS MINUS TIMES OVER FLOORED POWER NUMBER SYMBOL FUNCTION FRACTION COMMA
    %declare LPAR RPAR LBAR RBAR LCEIL RCEIL LFLOOR RFLOOR
"""
SEVERAL = {"min", "max", "pow", "over", "mod", "product", "sum"}  # functions of more than one argument
LOGARITHMS = {"lg": "log_2", "lg tight": "log_10"}  # in computing, and in ISO 80000
ENCLOSED = {"LBAR": "abs", "LCEIL": "ceil", "LFLOOR": "floor"}


class Bracket(tuple):
    """What stood between brackets: one node, or several before a function is applied to them."""

    @property
    def node(self) -> Node:
        if len(self) != 1:
            raise Unreadable(
                f"a comma separates the arguments of min and max only: got {len(self)} parts in one bracket; "
                "write a decimal point as '.', and one formula per answer"
            )
        return self[0]


class OpenCall(tuple):
    """A function before an argument without brackets: `log N D` is log(N)·D, in the tight reading log(N·D).

    After a number it is the other way round: `log 2N` is log(2N), in the tight reading log(2)·N.
    """


def node_of(part: Any) -> Node:
    if isinstance(part, Bracket):
        return part.node
    if isinstance(part, Word):
        return part.value
    return apply(*part) if isinstance(part, OpenCall) else part


def product(factors: list[Node]) -> Node:
    """One flat product; the nodes of `2·D·D`, not of `(2·D)·D`."""
    flat: list[Node] = []
    for factor in factors:
        flat.extend(factor.factors if isinstance(factor, Product) else (factor,))
    return flat[0] if len(flat) == 1 else Product(tuple(flat))


def negative(node: Node) -> Node:
    return Number(-node.value) if isinstance(node, Number) else Negative(node)


WRITTEN: dict[str, Callable[..., Node]] = {
    "exp": lambda one: Power(E, one),
    "square": lambda one: Power(one, Number(Fraction(2))),
    "cube": lambda one: Power(one, Number(Fraction(3))),
    "pow": Power,
    "over": Quotient,
    "mod": lambda one, two: Sum((one, negative(product([two, Call("floor", (Quotient(one, two),))])))),
    "product": lambda *factors: product(list(factors)),
    "sum": lambda *terms: Sum(terms),
}


def apply(function: str, exponent: Node | None, arguments: tuple[Node, ...]) -> Node:
    """A function token, such as `log`, `log_2`, `root_3`, applied to its arguments."""
    name, _, index = LOGARITHMS.get(function, function).partition("_")
    if name in SEVERAL and len(arguments) < 2:
        raise Unreadable(f"{name} needs at least two arguments separated by commas: got one; write {name}(a, b)")
    if name not in SEVERAL and not (name == "log" and len(arguments) == 2 and not index):
        arguments = (Bracket(arguments).node,)
    if name in ("pow", "over", "mod") and len(arguments) != 2:
        raise Unreadable(f"{name} takes two arguments: got {len(arguments)}; write it with signs")
    if name == "root":
        node: Node = Power(arguments[0], Number(Fraction(1, int(index))))
    elif name in WRITTEN:
        node = WRITTEN[name](*arguments)
    else:
        node = Call(name, (*arguments, Number(Fraction(int(index)))) if index else arguments)
    return node if exponent is None else Power(node, exponent)


class Builder:
    """What each rule becomes. `tight` reads `1/2D` as 1/(2D), `log N D` as log(N·D) and `lg N` to the base 10."""

    def __init__(self, tight: bool):
        self.tight = tight

    def start(self, parts: list) -> tuple[Node, ...]:
        return tuple(parts[::2])

    def sum(self, parts: list) -> Node:
        terms = [parts[0]]
        for sign, term in zip(parts[1::2], parts[2::2], strict=True):
            terms.append(negative(term) if sign.type == "MINUS" else term)
        return Sum(tuple(terms))

    def term(self, parts: list) -> Node:
        node = product(parts[0])
        for sign, run in zip(parts[1::2], parts[2::2], strict=True):
            if sign.type == "TIMES":
                node = product([node, *run])
            elif sign.type == "FLOORED":
                node = product([Call("floor", (Quotient(node, run[0]),)), *run[1:]])
            elif self.tight:
                node = Quotient(node, product(run))
            else:
                node = product([Quotient(node, run[0]), *run[1:]])
        return node

    def signed(self, parts: list) -> list[Node]:
        first, *rest = parts[-1]
        return [negative(first), *rest] if len(parts) > 1 and parts[0].type == "MINUS" else parts[-1]

    def run(self, parts: list) -> list[Node]:
        """Juxtaposed factors; an open call may take what follows it, up to the next one, as its argument."""
        factors: list[Node] = []
        place = 0
        while place < len(parts):
            part = parts[place]
            place += 1
            if isinstance(part, OpenCall) and self.tight != isinstance(part[2][0], Number):
                function, exponent, (argument,) = part
                taken = list(takewhile(lambda part: not isinstance(part, OpenCall), parts[place:]))
                place += len(taken)
                part = apply(function, exponent, (product([argument, *map(node_of, taken)]),))
            factors.append(node_of(part))
        return factors

    def power(self, parts: list) -> Node:
        return Power(node_of(parts[0]), node_of(parts[2]))

    def signed_exponent(self, parts: list) -> Node:
        node = node_of(parts[1])
        return negative(node) if parts[0].type == "MINUS" else node

    def bracket(self, parts: list) -> Bracket:
        return Bracket(node_of(part) for part in parts[1::2])

    def fraction(self, parts: list) -> Node:
        return Quotient(node_of(parts[1]), node_of(parts[2]))

    def enclosed(self, parts: list) -> Node:
        return Call(ENCLOSED[parts[0].type], (parts[1],))

    def call(self, parts: list) -> Node:
        return apply(*self.open_call(parts))

    def open_call(self, parts: list) -> OpenCall:
        function, *raised, last = parts
        name = "lg tight" if self.tight and function.value == "lg" else function.value
        arguments = tuple(last) if isinstance(last, Bracket) else (node_of(last),)
        return OpenCall((name, node_of(raised[1]) if raised else None, arguments))


@lru_cache(maxsize=2)
def parser(tight: bool) -> "Lark":
    """The parser of token lists; built once per reading, whatever the symbols."""
    try:
        from lark import Lark
        from lark.lexer import Lexer
    except ImportError as error:
        raise MissingExtra("reading formulas", "lark", "claims") from error

    class Made(Lexer):
        """The tokens are made by `tokens.py`, which knows the symbols of the question."""

        def __init__(self, lexer_conf: object):
            del lexer_conf

        def lex(self, lexer_state: Any, parser_state: object = None):
            return iter(lexer_state)

    return Lark(GRAMMAR, parser="lalr", lexer=Made, transformer=Builder(tight), maybe_placeholders=False)
