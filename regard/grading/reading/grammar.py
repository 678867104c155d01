"""The grammar of formulas, as an LALR(1) parser of Lark over the tokens of `tokens.py`, and the trees it builds.

Brackets arrive paired, `²` arrives as `^ ( 2 )`, and a number can only begin a run of factors, so that `2 3`, `67 108`
and `D2` are refused instead of guessed. What can be meant in two ways has two readings, the second one called tight.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from regard.analysis.formulas import Call, E, Negative, Node, Number, Power, Product, Quotient, Sum
from regard.checks import MissingExtra
from regard.grading.formulas.bounds import Unreadable
from regard.grading.reading.tokens import Word

if TYPE_CHECKING:
    from lark import Lark

GRAMMAR = """
    start: sum (EQUALS sum)*
    ?sum: term | term ((PLUS | MINUS) term)+ -> sum
    ?term: signed (TIMES signed | OVER signed | FLOORED signed)* -> term
    signed: run | MINUS run -> minus | PLUS run -> plus
    ?run: head factor* -> run
    ?head: numeral | factor
    ?factor: atom | atom POWER exponent -> power | bracket | bracket POWER exponent -> power | application
    ?numeral: NUMBER | NUMBER POWER exponent -> power
    ?exponent: base | base POWER exponent -> power | MINUS exponent -> minus_exponent | PLUS exponent -> plus_exponent
    ?base: NUMBER | atom | bracket | bracket_call
    ?atom: SYMBOL | FRACTION argument argument -> fraction | LBAR sum RBAR -> absolute
         | LCEIL sum RCEIL -> ceiling | LFLOOR sum RFLOOR -> floor
    bracket: LPAR sum (COMMA sum)* RPAR
    ?argument: bracket | NUMBER | SYMBOL
    ?application: bracket_call | bracket_call POWER exponent -> power
         | FUNCTION open_argument -> open_call | FUNCTION POWER raised open_argument -> raised_open_call
         | FUNCTION POWER raised bracket -> raised_call
    ?bracket_call: FUNCTION bracket -> call
    ?raised: NUMBER | bracket
    ?open_argument: NUMBER | NUMBER POWER exponent -> power | atom | atom POWER exponent -> power
    %declare EQUALS PLUS MINUS TIMES OVER FLOORED POWER NUMBER SYMBOL FUNCTION FRACTION COMMA
    %declare LPAR RPAR LBAR RBAR LCEIL RCEIL LFLOOR RFLOOR
"""


SEVERAL = {"min", "max", "pow", "over", "mod", "product", "sum"}  # functions of more than one argument
LOGARITHMS = {"lg": "log_2", "lg tight": "log_10"}  # in computing, and in ISO 80000


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


def apply(function: str, exponent: Node | None, arguments: tuple[Node, ...]) -> Node:
    """A function token, such as `log`, `log_2`, `root_3`, applied to its arguments."""
    name, _, index = LOGARITHMS.get(function, function).partition("_")
    if name in SEVERAL and len(arguments) < 2:
        raise Unreadable(f"{name} needs at least two arguments separated by commas: got one; write {name}(a, b)")
    if name not in SEVERAL and not (name == "log" and len(arguments) == 2 and not index):
        arguments = (Bracket(arguments).node,)
    if name in ("pow", "over", "mod") and len(arguments) != 2:
        raise Unreadable(f"{name} takes two arguments: got {len(arguments)}; write it with signs")
    match name:
        case "exp":
            node: Node = Power(E, arguments[0])
        case "root":
            node = Power(arguments[0], Number(Fraction(1, int(index))))
        case "square" | "cube":
            node = Power(arguments[0], Number(Fraction(2 if name == "square" else 3)))
        case "pow":
            node = Power(*arguments)
        case "over":
            node = Quotient(*arguments)
        case "mod":
            one, two = list(arguments)
            node = Sum((one, negative(product([two, Call("floor", (Quotient(one, two),))]))))
        case "product":
            node = product(list(arguments))
        case "sum":
            node = Sum(arguments)
        case _:
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
        return parts[-1]

    plus = signed

    def minus(self, parts: list) -> list[Node]:
        first, *rest = parts[-1]
        return [negative(first), *rest]

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

    def minus_exponent(self, parts: list) -> Node:
        return negative(node_of(parts[1]))

    def plus_exponent(self, parts: list) -> Node:
        return node_of(parts[1])

    def bracket(self, parts: list) -> Bracket:
        return Bracket(node_of(part) for part in parts[1::2])

    def fraction(self, parts: list) -> Node:
        return Quotient(node_of(parts[1]), node_of(parts[2]))

    def absolute(self, parts: list) -> Node:
        return Call("abs", (parts[1],))

    def ceiling(self, parts: list) -> Node:
        return Call("ceil", (parts[1],))

    def floor(self, parts: list) -> Node:
        return Call("floor", (parts[1],))

    def name(self, function: Word) -> str:
        return "lg tight" if self.tight and function.value == "lg" else function.value

    def call(self, parts: list) -> Node:
        return apply(self.name(parts[0]), None, tuple(parts[1]))

    def raised_call(self, parts: list) -> Node:
        return apply(self.name(parts[0]), node_of(parts[2]), tuple(parts[3]))

    def open_call(self, parts: list) -> OpenCall:
        return OpenCall((self.name(parts[0]), None, (node_of(parts[1]),)))

    def raised_open_call(self, parts: list) -> OpenCall:
        return OpenCall((self.name(parts[0]), node_of(parts[2]), (node_of(parts[3]),)))


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
