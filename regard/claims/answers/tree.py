"""The tree of a formula: eight kinds of node, nothing that could run."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Number:
    """A number, exact: `0.450` is 9/20."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Symbol:
    """A size of the question, or the constants `e` and `π` (which no question may redefine by accident)."""

    name: str
    constant: bool = False


@dataclass(frozen=True, slots=True)
class Negative:
    """−body."""

    body: "Node"


@dataclass(frozen=True, slots=True)
class Sum:
    """a + b + c."""

    terms: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Product:
    """a · b · c."""

    factors: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Quotient:
    """over / under."""

    over: "Node"
    under: "Node"


@dataclass(frozen=True, slots=True)
class Power:
    """base ^ exponent; exp(x) is a power of the constant e."""

    base: "Node"
    exponent: "Node"


@dataclass(frozen=True, slots=True)
class Call:
    """sqrt, log (natural, or to the base of a second argument), min, max, ceil, floor or abs."""

    name: str
    arguments: "tuple[Node, ...]"


Node = Number | Symbol | Negative | Sum | Product | Quotient | Power | Call

E = Symbol("e", constant=True)
PI = Symbol("π", constant=True)


def children(node: Node) -> tuple[Node, ...]:
    match node:
        case Number() | Symbol():
            return ()
        case Negative(body):
            return (body,)
        case Sum(parts) | Product(parts) | Call(_, parts):
            return parts
        case Quotient(first, second) | Power(first, second):
            return first, second


def walk(root: Node) -> Iterator[tuple[Node, int]]:
    """Every node with its depth, without recursion: the tree may not have been bounded yet."""
    stack = [(root, 1)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        stack.extend((child, depth + 1) for child in children(node))


def is_constant(node: Node) -> bool:
    return not any(isinstance(part, Symbol) and not part.constant for part, _ in walk(node))
