"""Formulas: their tree, the one way they are written, and exact polynomials with their order of growth.

Whatever has a formula to show makes a tree of it and calls `write`: costs, receptive fields, answers that people typed
and the normal forms of these.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Union


@dataclass(frozen=True, slots=True)
class Number:
    """A number, exact: `0.450` is 9/20."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Symbol:
    """A size, or one of the constants `e` and `π`."""

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
    """sqrt, cbrt, log (natural, or to the base of a second argument), min, max, ceil, floor, abs or mod."""

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


def rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node with each of its parts changed."""
    match node:
        case Negative(body):
            return Negative(change(body))
        case Sum(parts) | Product(parts):
            return type(node)(tuple(map(change, parts)))
        case Quotient(one, two) | Power(one, two):
            return type(node)(change(one), change(two))
        case Call(name, arguments):
            return Call(name, tuple(map(change, arguments)))
    return node


def walk(root: Node) -> Iterator[tuple[Node, int]]:
    """Every node with its depth, without recursion: the tree may not have been bounded yet."""
    stack = [(root, 1)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        stack.extend((child, depth + 1) for child in children(node))


def is_constant(node: Node) -> bool:
    return not any(isinstance(part, Symbol) and not part.constant for part, _ in walk(node))


def ratio(value: Fraction | int) -> Node:
    """A number as an integer or a quotient of two, where `Number` would be written as a decimal."""
    value = Fraction(value)
    size: Node = Number(abs(value))
    if value.denominator != 1:
        size = Quotient(Number(Fraction(abs(value.numerator))), Number(Fraction(value.denominator)))
    return Negative(size) if value < 0 else size


def product(factors: list[Node]) -> Node:
    """A product of any number of factors."""
    return Product(tuple(factors)) if len(factors) > 1 else factors[0] if factors else Number(Fraction(1))


def power(base: Node, exponent: Fraction | int) -> Node:
    return base if exponent == 1 else Power(base, ratio(exponent))


RAISED = str.maketrans("0123456789-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ")
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
SUM, PRODUCT, POWER, ATOM = range(4)  # how tightly a text binds
MAX_DIGITS = 400  # of a number that is written out
BRACKETS = {"abs": ("|", "|"), "ceil": ("⌈", "⌉"), "floor": ("⌊", "⌋")}
ROOTS = {"sqrt": "√", "cbrt": "∛"}


def write(node: Node, least: int = SUM) -> str:
    """A formula in Unicode; in brackets where it binds weaker than its place asks.

    >>> N = Symbol("N")
    >>> write(Quotient(Product((N, Sum((N, Number(Fraction(1)))))), Number(Fraction(2))))
    'N·(N + 1)/2'
    """
    text, level = _write(node)
    return text if level >= least else f"({text})"


def _write(node: Node) -> tuple[str, int]:
    """The text of a node, and how tightly it binds."""
    match node:
        case Number(value):
            text = decimal(value)
            return text, SUM if value < 0 else PRODUCT if "/" in text or "·" in text else ATOM
        case Symbol(name):
            return name, ATOM
        case Negative(body):
            return "−" + write(body, PRODUCT), SUM
        case Sum(terms):
            text = write(terms[0], SUM if not isinstance(terms[0], Sum) else PRODUCT)
            for term in terms[1:]:
                part = write(term, SUM if isinstance(term, Negative | Number) else PRODUCT)
                text += f" − {part[1:]}" if part.startswith("−") else f" + {part}"
            return text, SUM
        case Product(factors):
            first, *rest = factors
            # 1/2·D could be read in two ways: the fraction stands in brackets.
            plain = isinstance(first, Negative) or (isinstance(first, Number) and "/" not in decimal(first.value))
            parts = [write(first, SUM if plain else POWER), *[write(factor, POWER) for factor in rest]]
            return "·".join(parts), PRODUCT if not parts[0].startswith("−") else SUM
        case Quotient(over, under):
            return f"{write(over, PRODUCT)}/{write(under, POWER)}", PRODUCT
        case Power(base, exponent):
            return write(base, ATOM) + raise_text(write(exponent)), POWER
        case Call(name, arguments):
            return _write_call(name, [write(argument) for argument in arguments])


def _write_call(name: str, texts: list[str]) -> tuple[str, int]:
    if name in BRACKETS and "|" not in texts[0]:  # ||D|| could be read in two ways
        left, right = BRACKETS[name]
        return f"{left}{texts[0]}{right}", ATOM
    if name in ROOTS:
        return ROOTS[name] + (texts[0] if texts[0].isalnum() else f"({texts[0]})"), POWER
    if name == "log":
        return f"log{''.join(texts[1:]).translate(LOWERED)}({texts[0]})", ATOM
    return f"{name}({', '.join(texts)})", ATOM


def raise_text(exponent: str) -> str:
    """² for 2, ⁻¹ for −1, ^(k + 1) for what has no small form."""
    plain = exponent.replace("−", "-")
    if plain.translate(RAISED).isascii() or not all(sign in "0123456789-n" for sign in plain):
        return f"^{exponent}" if exponent.isalnum() else f"^({exponent})"
    return plain.translate(RAISED)


def decimal(number: Fraction) -> str:
    """`0.45` for 9/20, `1/3` for 1/3, `5.638·10⁻⁴²` for a very small one; six digits of what is too long to print."""
    if max(abs(number.numerator), number.denominator) >= 10**MAX_DIGITS:
        return _round(number)
    if number.denominator == 1 and abs(number) < 10**21:
        return str(number.numerator).replace("-", "−")
    places = next((n for n in range(number.denominator.bit_length()) if 10**n % number.denominator == 0), None)
    if places is None:
        return f"{number.numerator}/{number.denominator}".replace("-", "−")
    digits = str(abs(number.numerator) * 10**places // number.denominator)
    sign = "−" if number < 0 else ""
    if places <= 12 and number.denominator > 1:
        digits = digits.rjust(places + 1, "0")
        return f"{sign}{digits[:-places]}.{digits[-places:]}"
    exponent, mantissa = len(digits) - 1 - places, digits.rstrip("0")
    point = f".{mantissa[1:]}" if len(mantissa) > 1 else ""
    return f"{sign}{mantissa[0]}{point}·10{raise_text(str(exponent))}"


def _round(number: Fraction) -> str:
    """Six digits and a power of ten."""
    import mpmath

    text = str(mpmath.nstr(mpmath.mpf(number.numerator) / number.denominator, 6, min_fixed=0, max_fixed=0))
    mantissa, _, power = text.replace("-", "−").partition("e")
    return f"{mantissa}·10{raise_text(power.replace('+', ''))}" if power else mantissa


FUNCTIONS = {"Min": "min", "Max": "max", "floor": "floor", "ceiling": "ceil", "log": "log", "Abs": "abs", "Mod": "mod"}
GREEK = {"alpha": "α", "beta": "β", "delta": "δ", "Delta": "Δ"}


def write_sympy(expression: Any) -> str:
    """A SymPy expression, its cases one after the other.

    >>> import sympy
    >>> write_sympy(sympy.sympify("sqrt(6*D - 1)/2 + D**2"))
    'D² + √(6·D − 1)/2'
    """
    import sympy

    def condition(case: Any) -> str:
        if isinstance(case, sympy.Or):
            return " or ".join(map(condition, case.args))
        if not case.is_Relational:
            return str(case)
        relation = "=" if isinstance(case, sympy.Eq) else case.rel_op
        return f"{write_sympy(case.lhs)} {relation} {write_sympy(case.rhs)}"

    if not isinstance(expression, sympy.Piecewise):
        return write(_read_sympy(expression))
    pieces: Any = expression.args
    cases = [
        (write_sympy(value), "otherwise" if case is sympy.true else f"if {condition(case)}") for value, case in pieces
    ]
    return "; ".join(f"{value} {case}" for value, case in cases)


def _read_sympy(expression: Any) -> Node:
    """The tree of a SymPy expression, its terms in the order in which SymPy prints them."""
    import sympy

    if expression.is_Rational:
        return ratio(Fraction(int(expression.p), int(expression.q)))
    if expression.is_Symbol:
        name, _, index = expression.name.partition("_")
        return Symbol(GREEK[name] + index.translate(LOWERED) if name in GREEK else expression.name)
    if expression.is_Add:
        return Sum(tuple(map(_read_sympy, expression.as_ordered_terms())))
    if expression.is_Mul and expression.as_coeff_Mul()[0] < 0:
        return Negative(_read_sympy(-expression))
    over, under = sympy.fraction(expression)
    if under != 1:
        return Quotient(_read_sympy(over), _read_sympy(under))
    if expression.is_Mul:
        return Product(tuple(map(_read_sympy, expression.as_ordered_factors())))
    if expression.is_Pow:
        if expression.exp == sympy.Rational(1, 2):
            return Call("sqrt", (_read_sympy(expression.base),))
        return Power(_read_sympy(expression.base), _read_sympy(expression.exp))
    if (name := type(expression).__name__) in FUNCTIONS:
        return Call(FUNCTIONS[name], tuple(map(_read_sympy, expression.args)))
    return Symbol(str(expression))


Monomial = tuple[tuple[str, int], ...]  # (symbol, exponent), by name
Rational = int | Fraction


class Polynomial:
    """A sum of monomials with rational coefficients; exponents may be negative (D/H).

    >>> N, D = Polynomial.symbol("N"), Polynomial.symbol("D")
    >>> print((N + 1) * N / 2 * D)
    D·N²/2 + D·N/2
    >>> ((N + 1) * N / 2)(N=4)
    10
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Monomial, Rational]) -> None:
        self.terms = {monomial: Fraction(c) for monomial, c in terms.items() if c}

    @classmethod
    def symbol(cls, name: str) -> "Polynomial":
        return cls({((name, 1),): 1})

    @classmethod
    def of(cls, value: Union["Polynomial", Rational]) -> "Polynomial":
        return value if isinstance(value, Polynomial) else cls({(): value})

    def __add__(self, other: Any) -> "Polynomial":
        if not isinstance(other, (Polynomial, int, Fraction)):
            return NotImplemented
        total = dict(self.terms)
        for monomial, c in Polynomial.of(other).terms.items():
            total[monomial] = total.get(monomial, Fraction(0)) + c
        return Polynomial(total)

    __radd__ = __add__

    def __neg__(self) -> "Polynomial":
        return Polynomial({monomial: -c for monomial, c in self.terms.items()})

    def __sub__(self, other: Any) -> "Polynomial":
        return self + (-Polynomial.of(other))

    def __rsub__(self, other: Any) -> "Polynomial":
        return Polynomial.of(other) - self

    def __mul__(self, other: Any) -> "Polynomial":
        if not isinstance(other, (Polynomial, int, Fraction)):
            return NotImplemented
        total: dict[Monomial, Fraction] = {}
        for left, a in self.terms.items():
            for right, b in Polynomial.of(other).terms.items():
                monomial = _multiply(left, right, 1)
                total[monomial] = total.get(monomial, Fraction(0)) + a * b
        return Polynomial(total)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Polynomial":
        """By a number or a single term."""
        ((monomial, c),) = Polynomial.of(other).terms.items()
        return Polynomial({_multiply(left, monomial, -1): a / c for left, a in self.terms.items()})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Polynomial, int, Fraction)):
            return NotImplemented
        return self.terms == Polynomial.of(other).terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __deepcopy__(self, memo: Any) -> "Polynomial":
        return self

    def __call__(self, **sizes: Rational) -> Rational:
        """The value at these sizes, exactly."""
        total = Fraction(0)
        for monomial, c in self.terms.items():
            value = c
            for name, exponent in monomial:
                value *= Fraction(sizes[name]) ** exponent
            total += value
        return int(total) if total.denominator == 1 else total

    def replace(self, name: str, value: "Polynomial") -> "Polynomial":
        """Another expression for a symbol; a single term where the symbol is divided by."""
        total = Polynomial({})
        for monomial, c in self.terms.items():
            term = Polynomial({tuple((n, e) for n, e in monomial if n != name): c})
            for _ in range(abs(dict(monomial).get(name, 0))):
                term = term * value if dict(monomial)[name] > 0 else term / value
            total = total + term
        return total

    def degree(self, name: str) -> int:
        """The largest exponent of a symbol."""
        return max((dict(monomial).get(name, 0) for monomial in self.terms), default=0)

    def leading(self, name: str) -> "Polynomial":
        """The terms that grow fastest with a symbol.

        >>> N, D = Polynomial.symbol("N"), Polynomial.symbol("D")
        >>> print((8 * N * D * D + 4 * N * N * D).leading("N"))
        4·D·N²
        """
        most = self.degree(name)
        return Polynomial({m: c for m, c in self.terms.items() if dict(m).get(name, 0) == most})

    @property
    def symbols(self) -> set[str]:
        return {name for monomial in self.terms for name, _ in monomial}

    def sympy(self) -> Any:
        """The same as a SymPy expression in positive symbols."""
        import sympy

        total = sympy.Integer(0)
        for monomial, c in self.terms.items():
            term: Any = sympy.Rational(c.numerator, c.denominator)
            for name, exponent in monomial:
                term = term * sympy.Symbol(name, positive=True) ** exponent
            total = total + term
        return total

    @property
    def tree(self) -> Node:
        """The sum of its terms, the largest degree first."""
        terms = []
        for monomial, c in sorted(self.terms.items(), key=lambda term: (-sum(e for _, e in term[0]), term[0])):
            over = [power(Symbol(name), e) for name, e in monomial if e > 0]
            under = [power(Symbol(name), -e) for name, e in monomial if e < 0]
            if abs(c.numerator) != 1 or not over:
                over.insert(0, Number(Fraction(abs(c.numerator))))
            if c.denominator != 1:
                under.insert(0, Number(Fraction(c.denominator)))
            term = Quotient(product(over), product(under)) if under else product(over)
            terms.append(Negative(term) if c < 0 else term)
        return Sum(tuple(terms)) if len(terms) > 1 else terms[0] if terms else Number(Fraction(0))

    def __str__(self) -> str:
        return write(self.tree)

    __repr__ = __str__


def _multiply(left: Monomial, right: Monomial, sign: int) -> Monomial:
    exponents = dict(left)
    for name, exponent in right:
        exponents[name] = exponents.get(name, 0) + sign * exponent
    return tuple(sorted((name, e) for name, e in exponents.items() if e))


@dataclass(frozen=True)
class Dominant:
    """What is left of a cost as one size grows: the leading terms, and their class without coefficients."""

    symbol: str
    terms: Polynomial
    order: str


def dominant(polynomial: Polynomial, symbol: str) -> Dominant:
    """The leading terms for `symbol` → ∞, and their class; other sizes stay in it.

    >>> N, D = Polynomial.symbol("N"), Polynomial.symbol("D")
    >>> layer = 24 * N * D * D + 4 * N * N * D
    >>> dominant(layer, "N"), dominant(layer, "D").order
    (Dominant(symbol='N', terms=4·D·N², order='Θ(D·N²)'), 'Θ(D²·N)')
    """
    terms = polynomial.leading(symbol)
    # A cost whose leading term is negative, N·w − w²/2, holds for w ≤ N alone: there no power of w alone decides.
    grows = any(c > 0 for c in terms.terms.values())
    return Dominant(symbol, terms, order(terms if grows else polynomial))


def order(polynomial: Polynomial) -> str:
    """The class of a cost as all its sizes grow: the terms that no other one bounds, without coefficients.

    >>> N, D = Polynomial.symbol("N"), Polynomial.symbol("D")
    >>> order(8 * N * D * D + 2 * N * N * D + 2 * N * D)
    'Θ(D·N² + D²·N)'
    """
    # Negative terms never raise a class: the positive ones bound them.
    monomials = [monomial for monomial, c in polynomial.terms.items() if c > 0]
    largest = [m for m in monomials if not any(_divides(m, other) for other in monomials if other != m)]
    return f"Θ({Polynomial(dict.fromkeys(largest, 1) or {(): 1})})"


def _divides(small: Monomial, large: Monomial) -> bool:
    """Whether no exponent is larger: sizes are at least 1, so that then the term is no larger either."""
    below, above = dict(small), dict(large)
    return all(below.get(name, 0) <= above.get(name, 0) for name in {*below, *above})
