"""Formulas as people read them: the tree as it was read, in Unicode or LaTeX, and the normal form."""

from fractions import Fraction
from typing import TYPE_CHECKING

from regard.claims.answers.algebra import Algebra, Opaque, Ratio
from regard.claims.answers.bounds import MAX_DIGITS
from regard.claims.answers.spelling import NAMES
from regard.claims.answers.tree import Call, Negative, Node, Number, Power, Product, Quotient, Sum, Symbol

if TYPE_CHECKING:
    from sympy.polys.rings import PolyElement

RAISED = str.maketrans("0123456789-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ")
SMALL = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ^√∛"
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
SUM, PRODUCT, POWER, ATOM = range(4)
LONG = 10**6  # denominators of decimals, which are better written as decimals
BRACKETS = {"abs": ("|", "|"), "ceil": ("⌈", "⌉"), "floor": ("⌊", "⌋")}
LATEX_BRACKETS = {"abs": (r"\left|", r"\right|"), "ceil": (r"\lceil ", r"\rceil"), "floor": (r"\lfloor ", r"\rfloor")}


def raised(exponent: str) -> str:
    """² for 2, ⁻¹ for −1, ^(k + 1) for what has no small form."""
    plain = exponent.replace("−", "-")
    if plain.translate(RAISED).isascii() or not all(sign in "0123456789-n" for sign in plain):
        return f"^{exponent}" if exponent.isalnum() else f"^({exponent})"
    return plain.translate(RAISED)


def decimal(number: Fraction) -> str:
    """`0.45` for 9/20, `1/3` for 1/3, `5.638·10⁻⁴²` for a very small one; six digits of what is too long to print."""
    if max(abs(number.numerator), number.denominator) >= 10**MAX_DIGITS:
        return rounded(number)
    if number.denominator == 1 and abs(number) < 10**21:
        return str(number.numerator).replace("-", "−")
    twos = fives = 0
    rest = number.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest > 1:
        return f"{number.numerator}/{number.denominator}".replace("-", "−")
    places = max(twos, fives)
    digits = str(abs(number.numerator) * 10**places // number.denominator)
    sign = "−" if number < 0 else ""
    if places <= 12 and number.denominator > 1:
        digits = digits.rjust(places + 1, "0")
        return f"{sign}{digits[:-places]}.{digits[-places:]}"
    exponent, mantissa = len(digits) - 1 - places, digits.rstrip("0")
    point = f".{mantissa[1:]}" if len(mantissa) > 1 else ""
    return f"{sign}{mantissa[0]}{point}·10{raised(str(exponent))}"


def rounded(number: Fraction) -> str:
    import mpmath

    text = str(mpmath.nstr(mpmath.mpf(number.numerator) / number.denominator, 6, min_fixed=0, max_fixed=0))
    mantissa, _, power = text.replace("-", "−").partition("e")
    return f"{mantissa}·10{raised(power.replace('+', ''))}" if power else mantissa


class Unicode:
    """How each node is written in plain text; `Latex` overrides what differs."""

    times, minus = "·", "−"

    def write(self, node: Node, least: int = SUM) -> str:
        """The node, in brackets when it binds weaker than its place asks."""
        text, level = self.written(node)
        return text if level >= least else self.bracketed(text)

    def written(self, node: Node) -> tuple[str, int]:
        match node:
            case Number(value):
                return self.number(value)
            case Symbol(name):
                return self.symbol(name), ATOM
            case Negative(body):
                return self.minus + self.write(body, PRODUCT), SUM
            case Sum(terms):
                text = self.write(terms[0], SUM if not isinstance(terms[0], Sum) else PRODUCT)
                for term in terms[1:]:
                    part = self.write(term, SUM if isinstance(term, Negative | Number) else PRODUCT)
                    text += (
                        f" {self.minus} {part.removeprefix(self.minus)}"
                        if part.startswith(self.minus)
                        else f" + {part}"
                    )
                return text, SUM
            case Product(factors):
                first, *rest = factors
                # 1/2·D could be read in two ways: the fraction stands in brackets.
                plain = isinstance(first, Negative) or (isinstance(first, Number) and "/" not in decimal(first.value))
                parts = [self.write(first, SUM if plain else POWER)]
                parts += [self.write(factor, POWER) for factor in rest]
                return self.times.join(parts), PRODUCT if not parts[0].startswith(self.minus) else SUM
            case Quotient(over, under):
                return self.quotient(over, under)
            case Power(base, exponent):
                return self.power(base, exponent)
            case Call(name, arguments):
                return self.call(name, arguments)

    def bracketed(self, text: str) -> str:
        return f"({text})"

    def number(self, value: Fraction) -> tuple[str, int]:
        text = decimal(value)
        level = SUM if value < 0 else PRODUCT if "/" in text or "·" in text else ATOM
        return text, level

    def symbol(self, name: str) -> str:
        return name

    def quotient(self, over: Node, under: Node) -> tuple[str, int]:
        return f"{self.write(over, PRODUCT)}/{self.write(under, POWER)}", PRODUCT

    def power(self, base: Node, exponent: Node) -> tuple[str, int]:
        return self.write(base, ATOM) + raised(self.write(exponent)), POWER

    def call(self, name: str, arguments: tuple[Node, ...]) -> tuple[str, int]:
        if name in BRACKETS:
            left, right = BRACKETS[name]
            return f"{left}{self.write(arguments[0])}{right}", ATOM
        if name == "sqrt":
            inside = self.write(arguments[0])
            return f"√{inside if inside.isalnum() else self.bracketed(inside)}", POWER
        if name == "log":
            inside, *base = map(self.write, arguments)
            return f"log{''.join(base).translate(LOWERED)}({inside})", ATOM
        return f"{name}({', '.join(map(self.write, arguments))})", ATOM


class Latex(Unicode):
    """The same tree in LaTeX."""

    times, minus = r" \cdot ", "-"

    def bracketed(self, text: str) -> str:
        return rf"\left({text}\right)"

    def number(self, value: Fraction) -> tuple[str, int]:
        text, level = super().number(value)
        text = text.replace("−", "-")
        if "/" in text:
            over, under = text.split("/")
            return rf"\frac{{{over}}}{{{under}}}", level
        if "·" in text:
            mantissa, _ = text.split("·")
            exponent = text[len(mantissa) + 3 :].translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
            return rf"{mantissa} \cdot 10^{{{exponent}}}", level
        return text, level

    def symbol(self, name: str) -> str:
        base, _, below = name.partition("_")
        base, below = (f"\\{NAMES[part]}" if part in NAMES else part for part in (base, below))
        base = base if len(base) == 1 or base.startswith("\\") else rf"\mathrm{{{base}}}"
        if not below:
            return base
        return f"{base}_{{{below}}}" if len(below) == 1 or below.startswith("\\") else rf"{base}_{{\mathrm{{{below}}}}}"

    def quotient(self, over: Node, under: Node) -> tuple[str, int]:
        return rf"\frac{{{self.write(over)}}}{{{self.write(under)}}}", POWER

    def power(self, base: Node, exponent: Node) -> tuple[str, int]:
        return f"{self.write(base, ATOM)}^{{{self.write(exponent)}}}", POWER

    def call(self, name: str, arguments: tuple[Node, ...]) -> tuple[str, int]:
        if name in LATEX_BRACKETS:
            left, right = LATEX_BRACKETS[name]
            return f"{left}{self.write(arguments[0])}{right}", ATOM
        if name == "sqrt":
            return rf"\sqrt{{{self.write(arguments[0])}}}", ATOM
        base = f"_{{{self.write(arguments[1])}}}" if name == "log" and len(arguments) > 1 else ""
        shown = arguments[:1] if name == "log" else arguments
        return rf"\{name}{base}\left({', '.join(map(self.write, shown))}\right)", ATOM


class Normal:
    """The normal form of a rational function, as text."""

    def __init__(self, algebra: Algebra):
        self.algebra = algebra

    def ratio(self, ratio: Ratio) -> str:
        """`3·D² + 3·D`, `(N² + N)/2`, `D/(H·K)`."""
        over, under = ratio
        if under.is_ground and under.LC > LONG:
            over, under = over.quo_ground(under.LC), under.ring.one
        if under == 1:
            return self.sum(over)
        above = self.sum(over) if len(over) <= 1 else f"({self.sum(over)})"
        below = self.sum(under)
        return f"{above}/{below if is_single(under) else f'({below})'}"

    def sum(self, poly: "PolyElement") -> str:
        if not poly:
            return "0"
        text = ""
        for monomial, factor in sorted(poly.terms(), key=lambda term: (-sum(term[0]), tuple(-n for n in term[0]))):
            size = Fraction(int(factor.numerator), int(factor.denominator))
            part = self.term(monomial, abs(size))
            text += (f" {'−' if size < 0 else '+'} " if text else "−" if size < 0 else "") + part
        return text

    def term(self, monomial: tuple[int, ...], size: Fraction) -> str:
        parts = [self.power(self.generator(place), n) for place, n in enumerate(monomial) if n]
        if size != 1 or not parts:
            parts.insert(0, decimal(size))
        return "·".join(parts)

    def power(self, base: str, exponent: int) -> str:
        if exponent == 1:
            return base
        return (f"({base})" if any(sign in SMALL for sign in base) else base) + raised(str(exponent))

    def generator(self, place: int) -> str:
        symbols = self.algebra.symbols
        return symbols[place] if place < len(symbols) else self.opaque(self.algebra.opaque[place - len(symbols)])

    def opaque(self, opaque: Opaque) -> str:
        texts = [self.ratio(argument) for argument in opaque.arguments]
        if not texts:
            return opaque.name
        if opaque.name in BRACKETS:
            left, right = BRACKETS[opaque.name]
            return left + texts[0] + right
        if opaque.name == "root":
            inside = texts[0] if texts[0].isalnum() else f"({texts[0]})"
            return ("√" if opaque.order == 2 else "∛" if opaque.order == 3 else f"root{opaque.order}") + inside
        if opaque.name == "power":
            base = texts[0] if texts[0].isalnum() else f"({texts[0]})"
            return base + raised(texts[1])
        return f"{opaque.name}({', '.join(texts)})"


def is_single(poly: "PolyElement") -> bool:
    """Whether it is a number alone or one generator to a power: what needs no brackets under a fraction bar."""
    (monomial, factor), *rest = poly.terms()
    return not rest and ((factor == 1 and sum(map(bool, monomial)) == 1) or not any(monomial))
