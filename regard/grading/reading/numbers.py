"""Numbers, vectors and matrices as people write them, with the digits they gave, and whether they are the true ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import floor, isfinite, log10
from typing import Any

import mpmath

from regard.formulas import Negative, Node, Product, Quotient, Symbol, is_constant
from regard.grading.formulas.bounds import MAX_DIGITS, MAX_ENTRIES, MAX_TEXT, Undefined, Unreadable
from regard.grading.formulas.evaluation import Value, evaluate
from regard.grading.reading.lists import answer_words, check_length, equations, parts_of, rows_in, sides_of, words_of
from regard.grading.reading.reading import order_of, parsed
from regard.grading.reading.statements import find_answer
from regard.grading.reading.tokens import Numeral, Word, known, quoted, refusal, text_of

TRANSPOSED = "this is the transposed matrix: rows and columns are exchanged"
SLACK = Fraction(1, 10**9)  # of the largest entry: what float64 arithmetic leaves in a truth
SINGLE = Fraction(1, 10**6)  # of the largest entry: what float32 arithmetic leaves in an answer of 7 digits
SCALED_DIGITS = 2  # of 8.4M: who rounds to millions says so


@dataclass(frozen=True, kw_only=True)
class Given:
    """What was given: entries row by row, and the shape: () a number, (n,) a vector, (n, m) a matrix.

    >>> given = parse_matrix("0.450 1/3; 0 1")
    >>> given.shape, given.entries[0].unit, str(given)
    ((2, 2), Fraction(1, 1000), '[[0.450, 1/3], [0, 1]]')
    """

    shape: tuple[int, ...]
    entries: tuple[Numeral, ...]
    unit: str = ""  # "flops" or "multiply-adds" where it was named
    sure: bool = field(default=True, repr=False)

    def __str__(self) -> str:
        texts = [entry.text for entry in self.entries]
        if len(self.shape) < 2:
            return f"({', '.join(texts)})" if self.shape else texts[0]
        width = self.shape[1]
        rows = [", ".join(texts[start : start + width]) for start in range(0, len(texts), width)]
        return f"[{', '.join(f'[{row}]' for row in rows)}]"

    @property
    def values(self) -> Any:
        """The numbers alone: one, a tuple of them, or a tuple of rows."""
        values = tuple(entry.value for entry in self.entries)
        if len(self.shape) < 2:
            return values if self.shape else values[0]
        return tuple(values[start : start + self.shape[1]] for start in range(0, len(values), self.shape[1]))

    def transposed(self) -> "Given":
        """The matrix with rows and columns exchanged; anything else as it is."""
        if len(self.shape) != 2:
            return self
        rows, columns = self.shape
        entries = tuple(self.entries[row * columns + column] for column in range(columns) for row in range(rows))
        return replace(self, shape=(columns, rows), entries=entries)

    def times(self, factor: Fraction) -> "Given":
        return replace(self, entries=tuple(times(entry, factor, entry.text) for entry in self.entries))


@dataclass(frozen=True, kw_only=True)
class Closeness:
    """Whether what was given is the truth rounded to the digits given, and if not where and why."""

    right: bool
    reason: str = ""  # why it is wrong, or the hint beside a right one ("truncated, not rounded")
    yours: Value | None = None
    true: Value | None = None
    transposed: bool = False


def times(number: Numeral, factor: Value, text: str) -> Numeral:
    """A number times a constant, with the relative precision that it has."""
    size: Any = factor
    unit = None if number.unit is None else number.unit * abs(exact(factor))
    other = number.other and times(number.other, factor, text)
    return replace(number, text=text, value=number.value * size, unit=unit, other=other)


def parse_number(given: object) -> Given:
    """Read `0.450`, `1/3`, `2^{-5}`, `67.1M`, `82.1 %`, `5.638·10⁻⁴²`, an int, a float …; raises `Unreadable`.

    >>> parse_number("67.1M").entries[0]
    Numeral(text='67.1M', value=Fraction(67100000, 1), unit=Fraction(100000, 1))
    """
    return written(given) if isinstance(given, str) else Given(shape=(), entries=(entry(given),))


def entry(given: object) -> Numeral:
    """One number: text keeps its digits, an int or Fraction is exact, a float has the digits that it prints."""
    if isinstance(given, bool) or not isinstance(given, str | int | float | Fraction | Decimal):
        raise Unreadable(f"a number must be a number or text: got {type(given).__name__}; write it as 0.450 or 1/3")
    if isinstance(given, int | Fraction):
        if max(abs(given.numerator), given.denominator) >= 10**MAX_DIGITS:  # Python prints 4,300 digits at most
            raise Unreadable(f"a number may have {MAX_DIGITS} digits: got more; write it as a power, such as 2^100")
        return Numeral(text=str(given), value=Fraction(given))
    if isinstance(given, float | Decimal):
        if not isfinite(given):
            raise Unreadable(f"a number must be finite: got {given}; write it in digits")
        given = repr(given) if isinstance(given, float) else str(given)
    return written(given).entries[0]


@lru_cache(maxsize=1024)
def written(text: str) -> Given:
    """A written number: digits with their place value, or an expression such as `1/3`, which is exact."""
    if len(text) > MAX_TEXT:
        raise Unreadable(f"a number may have {MAX_TEXT} characters: got {len(text)}; give the number alone")
    answer = find_answer(text, ())
    results = [result_of(chain.sides, answer.text, text) for chain in answer.chains]
    for other in results[1:]:
        if not agree(results[0], other):
            raise Unreadable(f"one number is asked for: got {quoted(text)}; give the result alone")
    return Given(shape=(), entries=(replace(results[0], text=text.strip()),), unit=answer.unit, sure=answer.sure)


def result_of(sides: Sequence[tuple[str, list[Word]]], clear: str, text: str) -> Numeral:
    """The result of `a = b ≈ c`, which is b; every side agrees with it, or is in letters and says how it was found."""
    found: list[tuple[str, list[Numeral]]] = []
    for kind, words in sides:
        if len(sides) > 1 and any(word.type in ("FOREIGN", "LNORM") for word in words):
            continue
        if not words:
            raise no_value(text)
        found.append((kind, [computed(words, clear)]))
    return agreed(found, text)[0]


def agreed(sides: list[tuple[str, list[Numeral]]], text: str) -> list[Numeral]:
    """The last side before an ≈, with which every side must agree."""
    if not sides:
        raise no_value(text)
    about = next((place for place, (kind, _) in enumerate(sides) if kind == "ABOUT" and place), len(sides))
    result = sides[about - 1][1]
    if not all(len(side) == len(result) and all(map(agree, side, result)) for _, side in sides if side is not result):
        raise Unreadable(f"the sides of an equation must agree: got {quoted(text)}; give the result alone")
    return result


def no_value(text: str) -> Unreadable:
    return Unreadable(f"an answer must have a value: got {quoted(text)}; give the result alone")


def agree(one: Numeral, two: Numeral) -> bool:
    """Whether one is the other to the digits given, whichever of them has fewer."""
    pairs = [(one, exact(two.value)), (two, exact(one.value))]
    return any(close_entry(mine, true, abs(true), 1)[0] for mine, true in pairs)


def computed(words: list[Word], text: str) -> Numeral:
    """An expression: exact, but a rounded number times or over a constant keeps its relative precision."""
    if foreign := next((word for word in words if word.type == "FOREIGN"), None):
        raise refusal(f"unknown word {quoted(foreign.value)}", text, foreign.column, known(()))
    shown = text_of(words, text)
    literals = [(place, word.literal) for place, word in enumerate(words) if word.literal]
    rounded = [(place, literal) for place, literal in literals if literal.unit or literal.other]
    if len(rounded) > 1:  # 5.64 * 1e-42 has one rounded number
        rounded = [(place, one) for place, one in rounded if one.value != Fraction(10) ** order(exact(one.value))]
    if len(rounded) == 1:
        ((place, digits),) = rounded
        letter = words[place]._replace(type="FOREIGN", value="#")
        tree = parsed([*words[:place], letter, *words[place + 1 :]], text)
        if is_linear(tree):
            return times(digits, value_of(tree, {"#": 1}, shown), shown)
    value = value_of(parsed(words, text), {}, shown)
    if value != 0 and abs(order_of(value)) > MAX_DIGITS:
        raise Unreadable(f"a number may have {MAX_DIGITS} digits: got {quoted(shown)}; use smaller exponents")
    return Numeral(text=shown, value=value)


def value_of(tree: Node, sizes: dict[str, int], text: str) -> Value:
    try:
        return evaluate(tree, sizes)
    except Undefined as error:
        raise Unreadable(f"a number must have a value: {error}; got {quoted(text)}") from None


def is_linear(node: Node) -> bool:
    """Whether a tree is a constant times the letter that stands for the one rounded number."""
    match node:
        case Symbol(name):
            return name == "#"
        case Negative(body):
            return is_linear(body)
        case Quotient(over, under):
            return is_constant(under) and is_linear(over)
        case Product(factors):
            rest = [factor for factor in factors if not is_constant(factor)]
            return len(rest) == 1 and is_linear(rest[0])
    return False


def parse_vector(given: object) -> Given:
    """Read `(a, b, c)`, `[a b c]`, `a; b; c`, `u1 = a, u2 = b` or a list; raises `Unreadable`."""
    if isinstance(given, str):
        found, unit = rows_of(given, column=True)
        if len(found) > 1 and {len(row) for row in found} != {1}:
            raise Unreadable(f"a vector must be one row or one column: got {len(found)} rows; write a, b, c")
        return Given(shape=(len(cells := [cell for row in found for cell in row]),), entries=tuple(cells), unit=unit)
    parts = limited(listed(given, "a vector"))
    if not parts:
        raise Unreadable("a vector must have entries: got none; write a, b, c")
    return Given(shape=(len(parts),), entries=tuple(map(entry, parts)))


def parse_matrix(given: object) -> Given:
    """Read a list of lists, `[[a, b], [c, d]]`, rows by newline or `;`, or a LaTeX matrix; raises `Unreadable`."""
    if isinstance(given, str):
        found, unit = rows_of(given)
        return replace(matrix(found), unit=unit)
    rows = limited(listed(given, "a matrix"))
    found = [rows_of(row)[0] if isinstance(row, str) else [list(map(entry, listed(row, "a row")))] for row in rows]
    return matrix([row for several in found for row in several])


READERS = {"number": parse_number, "vector": parse_vector, "matrix": parse_matrix}


def rows_of(given: str, column: bool = False) -> tuple[list[list[Numeral]], str]:
    """The rows of a written list: of `a = b ≈ c` those of b, with which every side must agree."""
    words, text, unit = words_of(given, column)
    words = answer_words(words, text)
    if parts := equations(words):
        if any(not side for part in parts for _, side in sides_of(part)):
            raise no_value(given)
        values = [[one for one in sides_of(part) if one[1][0].type not in ("FOREIGN", "WORD")] for part in parts]
        if all(len(rows_in(sides[-1][1], text)[0]) > 1 for sides in values if sides) and all(values):
            return [[computed(cell, text) for cell in rows_in(sides[-1][1], text)[0]] for sides in values], unit
        return [[result_of(sides, text, given)] for sides in values], unit
    written = sides_of(words)
    sides = [(kind, side) for kind, side in written if not is_description(side)]
    if any(kind in ("LESS", "MORE") for kind, _ in sides):
        raise Unreadable(f"numbers are asked for, not bounds: got {quoted(given)}; write what they equal")
    if not words:
        raise Unreadable("a vector or matrix must have entries: got none; write a, b, c")
    if len(written) > 1 and not written[-1][1]:
        raise no_value(given)
    found = [[[computed(cell, text) for cell in limited(row)] for row in rows_in(side, text)] for _, side in sides]
    flats = [(kind, [one for row in rows for one in row]) for (kind, _), rows in zip(sides, found, strict=True)]
    result = agreed(flats, given)
    if len(flats[0][1]) == 1 and sum(word.type == "OVER" for word in words) > 1:
        raise Unreadable(f"the entries of a vector must be separated by ; or ,: got {quoted(given)}; write a; b; c")
    return next(rows for rows, (_, flat) in zip(found, flats, strict=True) if flat is result), unit


def is_description(words: list[Word]) -> bool:
    """Whether a side is a name or letters that say how the result was found: softmax(K q/√d_k)."""
    letters = [word for word in words if word.type in ("FOREIGN", "LNORM") and word.value not in ("c", "T", "t")]
    if letters and len(parts_of(words, {"COMMA", ";", "\n"})) > 1 and any(word.type == "NUMBER" for word in words):
        raise Unreadable(f"one list is asked for: got {quoted(str(letters[0].value))} within another; give one alone")
    return bool(letters) or not any(word.type == "NUMBER" for word in words)


def matrix(rows: Sequence[Sequence[Numeral]]) -> Given:
    widths = {len(row) for row in rows}
    if len(widths) != 1 or widths == {0}:
        found = ", ".join(str(len(row)) for row in rows[:12])
        raise Unreadable(f"a matrix must have rows of one length: got lengths {found or 'none'}; write a b; c d")
    entries = limited([part for row in rows for part in row])
    return Given(shape=(len(rows), widths.pop()), entries=tuple(entries))


def listed(given: object, what: str) -> Sequence[Any]:
    given = given.tolist() if hasattr(given, "tolist") else given  # pyright: ignore[reportAttributeAccessIssue]
    if not isinstance(given, list | tuple):
        raise Unreadable(f"{what} must be a list or text: got {type(given).__name__}; write [a, b, c]")
    return given


def limited(parts: Sequence[Any]) -> Sequence[Any]:
    if len(parts) > MAX_ENTRIES:
        raise Unreadable(f"a vector or matrix may have {MAX_ENTRIES} entries: got {len(parts)}; give fewer")
    check_length(sum(len(part) for part in parts if isinstance(part, str)))
    return parts


def close(given: Given, truth: object, least_digits: int = 3) -> Closeness:
    """Whether each entry is the truth rounded to the digits given, of which there must be enough.

    `5,638` may be thousands or have a decimal comma: it is right if it is so in either reading.

    >>> close(parse_number("0.33"), 1 / 3).reason
    'at least 3 significant digits are needed: got 0.33; give more digits'
    >>> close(parse_number("0.333"), 1 / 3).right, close(parse_number("0.666"), 2 / 3).reason
    (True, 'truncated, not rounded: 0.666 should be 0.667')
    """
    found = judged(given, truth, least_digits)
    doubtful = next(((one, one.other) for one in given.entries if one.other), None)
    if found.right or not doubtful:
        return found
    other = replace(given, entries=tuple(entry.other or entry for entry in given.entries))
    again = judged(other, truth, least_digits)
    chosen, left = doubtful[::-1] if again.right else doubtful
    grouped = chosen.unit is not None and chosen.value > left.value
    todo = "; write the number without a comma" if grouped else ": write the decimal point as '.'"
    as_read = f"{chosen.text} read as {brief(exact(chosen.value))}{todo}"
    if not again.right:
        return replace(found, reason=f"{found.reason} ({as_read})")
    return replace(again, reason="; ".join(filter(None, (as_read, again.reason))))


def judged(given: Given, truth: object, least_digits: int) -> Closeness:
    shape, values = flat(truth)
    scale = max(map(abs, values), default=Fraction(0))
    turned = given.transposed()
    pairs = zip(turned.entries, values, strict=False)
    swapped = len(shape) == 2 and turned.shape == shape
    swapped = swapped and all(close_entry(mine, true, scale, least_digits)[0] for mine, true in pairs)
    if shape != given.shape:
        shapes = f"the shape must be {named(shape)}: got {named(given.shape)}; check rows and columns"
        return Closeness(right=False, reason=TRANSPOSED if swapped else shapes, transposed=swapped)
    hint = ""
    for place, (mine, true) in enumerate(zip(given.entries, values, strict=True)):
        right, why = close_entry(mine, true, scale, least_digits)
        words = place_of(place, shape)
        if not right:
            reason = TRANSPOSED if swapped else words + why
            return Closeness(right=False, reason=reason, yours=mine.value, true=true, transposed=swapped)
        hint = hint or (words + why if why else "")
    return Closeness(right=True, reason=hint)


def flat(truth: Any) -> tuple[tuple[int, ...], list[Fraction]]:
    """The shape and the entries of a number, a list, a list of lists, or anything with `tolist()`."""
    truth = truth.tolist() if hasattr(truth, "tolist") else truth
    if not isinstance(truth, list | tuple):
        return (), [exact(truth)]
    if truth and isinstance(truth[0], list | tuple):
        return (len(truth), len(truth[0])), [exact(value) for row in truth for value in row]
    return (len(truth),), [exact(value) for value in truth]


def place_of(place: int, shape: tuple[int, ...]) -> str:
    """The words for the place of an entry."""
    if len(shape) < 2:
        return f"entry {place + 1}: " if shape else ""
    row, column = divmod(place, shape[1])
    return f"row {row + 1}, column {column + 1}: "


def named(shape: tuple[int, ...]) -> str:
    if not shape:
        return "a number"
    return f"{shape[0]} {'entry' if shape[0] == 1 else 'entries'}" if len(shape) == 1 else f"{shape[0]} × {shape[1]}"


def close_entry(mine: Numeral, true: Fraction, scale: Fraction, least_digits: int) -> tuple[bool, str]:
    """Whether one entry is right, and why not or what could be better."""
    slack = SLACK * scale
    value = exact(mine.value)
    error = abs(value - true)
    if error <= slack:
        return True, ""
    unit = mine.unit or (Fraction(1) if value.denominator == 1 else None)
    if unit is None:
        return False, "the value differs"
    truncated = error < unit and abs(value) < abs(true)
    if error > unit / 2 + slack and not truncated:
        single = mine.unit is not None and value.denominator > 1 and order(value) - order(mine.unit) >= 6
        if single and error <= SINGLE * scale:  # so many digits as a float32 has, of what is no count
            return True, "right to single precision"
        return False, "the value differs" + rounded_integer(mine, value, true)
    needed = Fraction(10) ** (max(order(scale), order(value)) - least_digits + 1)
    enough = mine.scaled and 10 ** (SCALED_DIGITS - 1) * unit <= abs(value) and error <= unit / 2
    if unit > needed and not enough:
        return False, f"at least {least_digits} significant digits are needed: got {mine.text}; give more digits"
    if error <= unit / 2 + slack:
        return True, ""
    return True, f"truncated, not rounded: {mine.text} should be {brief(round(true / unit) * unit)}"


def brief(value: Fraction) -> str:
    """Twelve digits, also of what no float can hold."""
    small = abs(order(value)) < 300
    return f"{float(value):.12g}" if small else str(mpmath.nstr(mpmath.mpf(value.numerator) / value.denominator, 12))


def rounded_integer(mine: Numeral, value: Fraction, true: Fraction) -> str:
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
        return exact(entry(value).value)
    with mpmath.workdps(60):
        return Fraction(str(mpmath.mpf(value)))
