"""One number as people write it: its value, the place value of its last digit, and whether it is the true one."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any, TypeVar

from regard.analysis.formulas import Negative, Node, Product, Quotient, Symbol, is_constant
from regard.grading.formulas.bounds import MAX_DIGITS, MAX_TEXT, Undefined, Unreadable
from regard.grading.formulas.evaluation import evaluate
from regard.grading.reading.reading import order_of, read
from regard.grading.reading.spelling import GROUP, SUPERSCRIPTS, number, shown
from regard.grading.reading.surroundings import APPROXIMATELY, RELATION, denies, is_name, plain, without_words

if TYPE_CHECKING:
    from mpmath.ctx_mp_python import _mpf as mpf

Read = TypeVar("Read")
SCALES = {
    "%": -2, "‰": -3, "k": 3, "K": 3, "M": 6, "G": 9, "B": 9, "T": 12, r"\%": -2, "percent": -2, "thousand": 3,
    "million": 6, "Mio": 6, "billion": 9, "Mrd": 9, "bn": 9,
}  # fmt: skip
TEN = (
    r"(?:(?:\s*+(?:[·×*⋅xX]|\\cdot|\\times)|\s++)\s*+10\s*+"
    r"(?:(?:\^|\*\*)\s*+[{(]?\s*+(?P<ten>[-−–+]?\s*+[0-9]+)\s*+[)}]?|(?P<small>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)))?+"
)
DIGITS = (
    rf"[1-9][0-9]{{0,2}}(?:{GROUP}[0-9]{{3}})+(?![0-9])(?:\.[0-9]*)?|[0-9]+(?:,|\{{,\}})[0-9]+"
    r"|[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+"
)
LITERAL = re.compile(
    rf"(?P<sign>[-−–+])?\s*+(?P<digits>{DIGITS})(?:\s*+[eE]\s*+(?P<e>[-+−–]?[0-9]+))?+{TEN}"
    r"\s*+(?P<scale>\\?%|‰|[kKMGBT](?![A-Za-z])|(?:thousand|million|billion|percent|Mio|Mrd|bn)\b\.?)?+\s*+"
)
NUMERAL = re.compile(rf"(?<![0-9.,_])(?P<digits>{DIGITS})(?:[eE](?P<e>[-+−–]?[0-9]+))?")
COMMA = re.compile(r"([0-9]+)(?:,|\{,\})([0-9]+)")
SPACED = re.compile(r"(?<![0-9.,_])[1-9][0-9]{0,2}(?:[ \u00a0][0-9]{3})+(?![0-9])")
PREFIXED = re.compile(r"(?<=[0-9\s])([kKMGT])(?:MACs?|FLOPs?|FLOPS|[Pp]arams|[Oo]ps)\s*+$")
# softmax(Q K^T/√d_k) V: a side in letters, which says how the result was found
LETTERS_ALONE = re.compile(
    r"(?:\\?(?:softmax|Attention|LayerNorm|Sa|sqrt|exp|log|ln|max|min|cdot|times|top|frac)(?![A-Za-z])"
    r"|[^\W\d_]{1,2}(?![^\W\d_])(?:_\{?\w++\}?|[₀-₉]++)?+|[\s()\[\]{}+·×*/^ᵀ⊤'−-]|√[0-9]*+)++"
)
GROUPED = re.compile(r"(?<![0-9.,_'’])[1-9][0-9]{0,2}(?:(?:['’][0-9]{3})+|(?:\.[0-9]{3}){2,})(?![0-9.'’])")
FACTOR = re.compile(
    r"(?:by\s+)?(?:a\s+)?factor\s+(?:of\s+)?([\w.,/^ ]+)|[x×]\s*([0-9.]+)|([\w.]+)\s+times|([0-9.]+)\s*(?:[x×]|-?fold)",
    re.IGNORECASE,
)
NUMERALS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
IN_WORDS = {word: str(value) for value, word in enumerate(NUMERALS)}
SLACK = Fraction(1, 10**9)  # of the largest entry: what float64 arithmetic leaves in a truth
SINGLE = Fraction(1, 10**6)  # of the largest entry: what float32 arithmetic leaves in an answer of 7 digits
LETTER = "Q"  # stands for the one rounded number of 5.64 * 1000 while its factor is found


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One number as given: its value, and the place value of its last digit (None: exact, such as `1/3` or `7`)."""

    text: str
    value: "Fraction | mpf"
    unit: Fraction | None = None
    other: "Entry | None" = field(default=None, repr=False)  # 5,638 is 5638, and here 5.638; 67,109 K the other way

    def times(self, factor: "Fraction | mpf", text: str) -> "Entry":
        """The number times a constant, with the relative precision that it has."""
        size: Any = factor
        other = self.other and self.other.times(factor, text)
        unit = None if self.unit is None else self.unit * abs(exact(factor))
        return Entry(text=text, value=self.value * size, unit=unit, other=other)


def entry(given: object) -> Entry:
    """One number: text keeps its digits, an int or Fraction is exact, a float has the digits that it prints."""
    if isinstance(given, Entry):
        return given
    if isinstance(given, bool) or not isinstance(given, str | int | float | Fraction | Decimal):
        raise Unreadable(f"a number must be a number or text: got {type(given).__name__}; write it as 0.450 or 1/3")
    if isinstance(given, int | Fraction):
        if max(abs(given.numerator), given.denominator) >= 10**MAX_DIGITS:  # Python prints 4,300 digits at most
            raise Unreadable(f"a number may have {MAX_DIGITS} digits: got more; write it as a power, such as 2^100")
        return Entry(text=str(given), value=Fraction(given))
    if isinstance(given, float | Decimal):
        if not isfinite(given):
            raise Unreadable(f"a number must be finite: got {given}; write it in digits")
        given = repr(given) if isinstance(given, float) else str(given)
    return written(given)


@lru_cache(maxsize=1024)
def written(text: str, spaced: bool = False) -> Entry:
    """A written number: digits with their place value, or an expression such as `1/3`, which is exact.

    `spaced`: 67 108 864 is one number, as it is where no other can stand beside it.
    """
    if len(text) > MAX_TEXT:
        raise Unreadable(f"a number may have {MAX_TEXT} characters: got {len(text)}; give the number alone")
    bare = plain(text).replace("$", " ").strip().rstrip(".").strip()
    bare = GROUPED.sub(lambda found: re.sub(r"\D", "", found[0]), bare)
    if spaced:  # a number alone, not one of several
        found = FACTOR.fullmatch(bare)
        bare = next(filter(None, found.groups())) if found else bare
        bare = IN_WORDS.get(bare.casefold(), bare)
    bare = re.sub(r"^[≈~∼]\s*+", "", without_name(bare))
    bare = PREFIXED.sub(r"\1", without_words(bare, ()).strip())
    if spaced:
        bare = SPACED.sub(lambda found: re.sub(r"\s", "_", found[0]), bare)
    if match := LITERAL.fullmatch(bare):
        return literal(text.strip(), match)
    if "=" in bare or APPROXIMATELY.search(bare):
        return replace(result_of(bare, written, agree), text=text.strip())
    found = computed(text.strip(), bare)
    if found.value != 0 and abs(order_of(found.value)) > MAX_DIGITS:
        raise Unreadable(f"a number may have {MAX_DIGITS} digits: got {shown(text)}; use smaller exponents")
    return found


def without_name(text: str) -> str:
    """Without `name =` or a lone `=` before it; a bound such as `c < 5` is no number."""
    found = RELATION.search(text)
    if found is None or not text[found.end() :].strip():
        return text
    if re.sub("[:=]", "", found[0]):
        raise Unreadable(f"a number is asked for, not a bound: got {shown(text)}; write what it equals")
    left = text[: found.start()]
    return text[found.end() :].strip() if not left.strip() or is_name(left, ()) else text


def result_of(text: str, read_side: Callable[[str], Read], agreeing: Callable[[Read, Read], bool]) -> Read:
    """The result of `name = a = b ≈ c`, which is b; every side is a name, letters alone, or agrees with it."""
    chains = [chain for chain in APPROXIMATELY.split(text) if chain.strip()]
    sides = [side for chain in chains for side in chain.split("=") if side.strip() and not is_name(side, ())]
    ends = [chain.split("=")[-1] for chain in chains]
    read_sides: dict[str, Read] = {}
    refused: Unreadable | None = None
    for side in dict.fromkeys(sides):
        try:
            read_sides[side] = read_side(side)
        except Unreadable as error:
            if denies(side) or not LETTERS_ALONE.fullmatch(side):
                raise
            refused = error
    result = next((read_sides[end] for end in ends if end in read_sides), None)
    if result is None or chains[-1].split("=")[-1].strip() == "":
        raise refused or Unreadable(f"an answer must have a value: got {shown(text)}; give the result alone")
    if not all(side is result or agreeing(side, result) for side in read_sides.values()):
        raise Unreadable(f"the sides of an equation must agree: got {shown(text)}; give the result alone")
    return result


def agree(one: Entry, two: Entry) -> bool:
    """Whether one is the other to the digits given, whichever of them has fewer."""
    pairs = [(one, exact(two.value)), (two, exact(one.value))]
    return any(close_entry(mine, true, abs(true), 1)[0] for mine, true in pairs)


def computed(text: str, bare: str) -> Entry:
    """An expression: exact, but a rounded number times or over a constant keeps its relative precision."""
    scale = re.search(r"\s*+(\\?%|‰)\s*+$", bare)
    power = Fraction(10) ** SCALES[scale[1]] if scale else Fraction(1)
    bare = bare[: scale.start()] if scale else bare
    found = [(place, literal(place[0], place)) for place in NUMERAL.finditer(bare)]
    found = [pair for pair in found if pair[1].unit is not None or pair[1].other]
    if re.search(r"[(\[{]\s*+[-−–]?[0-9]++,[0-9]++\s*+[)\]}]", bare):  # (1,2) may be a pair: refused by `read`
        found = []
    if len(found) > 1:  # 5.64 * 1e-42 has one rounded number
        found = [pair for pair in found if not is_power_of_ten(exact(pair[1].value))]
    if len(found) == 1:
        ((place, rounded),) = found
        factor = factor_of(f"{bare[: place.start()]}({LETTER}){bare[place.end() :]}")
        if factor is not None:
            return rounded.times(factor * power, text)  # pyright: ignore[reportOperatorIssue]
    trees = read(bare, ())
    try:
        value: Any = evaluate(trees[-1], {})
    except Undefined as error:
        raise Unreadable(f"a number must have a value: {error}; got {shown(text)}") from None
    return Entry(text=text, value=value * power)


def is_power_of_ten(value: Fraction) -> bool:
    return value > 0 and value == Fraction(10) ** order(value)


def factor_of(text: str) -> "Fraction | mpf | None":
    """The constant c where the text is c · Q; None where it is something else."""
    try:
        tree = read(text, (LETTER,))[-1]
        return evaluate(tree, {LETTER: 1}) if is_linear(tree) else None
    except (Unreadable, Undefined):
        return None


def is_linear(node: Node) -> bool:
    match node:
        case Symbol(name):
            return name == LETTER
        case Negative(body):
            return is_linear(body)
        case Quotient(over, under):
            return is_constant(under) and is_linear(over)
        case Product(factors):
            rest = [factor for factor in factors if not is_constant(factor)]
            return len(rest) == 1 and is_linear(rest[0])
    return False


def literal(text: str, match: re.Match[str]) -> Entry:
    """Digits with a power of ten; one comma before three digits groups them, but may be a decimal one."""
    groups = {"sign": None, "e": None, "ten": None, "small": None, "scale": None} | match.groupdict()
    small = "".join(SUPERSCRIPTS[sign] for sign in groups["small"] or "")
    exponents = [groups["e"], groups["ten"], small]
    powers = [re.sub(r"\s", "", exponent or "0").replace("−", "-").replace("–", "-") for exponent in exponents]
    if any(len(power) > 5 for power in powers):
        raise Unreadable(f"a power of ten may have 4 digits: got {shown(text)}; write it shorter")
    power = sum(map(int, powers)) + (SCALES[groups["scale"].rstrip(".")] if groups["scale"] else 0)
    negative = groups["sign"] in ("-", "−", "–")
    comma = COMMA.fullmatch(match["digits"])
    if comma is None:
        return numeral(text, re.sub(rf"{GROUP}|_", "", match["digits"]), power, negative)
    whole, part = comma.groups()
    decimal = numeral(text, f"{whole}.{part}", power, negative)
    if whole[0] == "0" or len(part) != 3 or len(whole) > 3:
        return decimal
    grouped = numeral(text, whole + part, power, negative)
    if any(exponents) or groups["scale"]:  # 5,638e-42 is more often 5.638e-42, but 67,109 K is 67109 K
        return replace(decimal, other=grouped)
    return replace(grouped, other=decimal)


def numeral(text: str, digits: str, power: int, negative: bool) -> Entry:
    value = number(f"{digits.rstrip('.') if '.' in digits else digits}e{power}")
    places = len(digits.partition(".")[2])
    unit = None if "." not in digits and power == 0 else number(f"1e{power - places}")
    return Entry(text=text, value=-value if negative else value, unit=unit)


def close_entry(mine: Entry, true: Fraction, scale: Fraction, least_digits: int) -> tuple[bool, str]:
    """Whether one entry is right, and why not or what could be better."""
    slack = SLACK * scale
    value = exact(mine.value)
    error = abs(value - true)
    if error <= slack:
        return True, ""
    unit = mine.unit
    if unit is None and value.denominator == 1:
        unit = Fraction(1)
    if unit is None:
        return False, "the value differs"
    truncated = error < unit and abs(value) < abs(true)
    if error > unit / 2 + slack and not truncated:
        if is_single(mine, value) and error <= SINGLE * scale:
            return True, "right to single precision"
        return False, "the value differs" + rounded_integer(mine, value, true)
    needed = Fraction(10) ** (max(order(scale), order(value)) - least_digits + 1)
    if unit > needed:
        return False, f"at least {least_digits} significant digits are needed: got {mine.text}; give more digits"
    if error <= unit / 2 + slack:
        return True, ""
    return True, f"truncated, not rounded: {mine.text} should be {brief(round(true / unit) * unit)}"


def is_single(mine: Entry, value: Fraction) -> bool:
    """Whether so many digits are given as a float32 has, of what is no count."""
    return mine.unit is not None and value.denominator > 1 and order(value) - order(mine.unit) >= 6


def brief(value: Fraction) -> str:
    """Twelve digits, also of what no float can hold."""
    import mpmath

    return (
        f"{float(value):.12g}"
        if abs(order(value)) < 300
        else str(mpmath.nstr(mpmath.mpf(value.numerator) / value.denominator, 12))
    )


def rounded_integer(mine: Entry, value: Fraction, true: Fraction) -> str:
    """A hint for 67100000, which does not say how many of its digits are meant."""
    if mine.unit is not None or value.denominator > 1:
        return ""
    digits = str(value).rstrip("0")
    zeros = len(str(value)) - len(digits)
    if zeros and abs(value - true) <= Fraction(10) ** zeros / 2:
        return f": {mine.text} is taken as exact; write a rounded number as {digits}e{zeros}"
    return ""


def order(number: Fraction) -> int:
    """The power of ten of its first digit."""
    if number == 0:
        return -MAX_DIGITS
    guess = floor(log10(abs(number.numerator)) - log10(number.denominator))
    return guess + (abs(number) >= Fraction(10) ** (guess + 1)) - (abs(number) < Fraction(10) ** guess)


def exact(value: Any) -> Fraction:
    if isinstance(value, int | float | Fraction | Decimal):
        return Fraction(value)
    if isinstance(value, str):
        return exact(written(value).value)
    import mpmath

    with mpmath.workdps(60):
        return Fraction(str(mpmath.mpf(value)))
