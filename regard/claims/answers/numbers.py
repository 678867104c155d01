"""Numbers, vectors and matrices as people write them, with the digits they gave."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

from regard.claims.answers.bounds import MAX_ENTRIES, MAX_TEXT, Undefined, Unreadable
from regard.claims.answers.evaluation import evaluate
from regard.claims.answers.reading import UNIT, plain, read
from regard.claims.answers.spelling import GROUP, SUPERSCRIPTS, number, shown

if TYPE_CHECKING:
    from mpmath.ctx_mp_python import _mpf as mpf

SCALES = {"%": -2, "‰": -3, "k": 3, "K": 3, "M": 6, "G": 9, "B": 9, "T": 12}
TEN = (
    r"(?:\s*(?:[·×*⋅]|\\cdot|\\times)\s*10\s*"
    r"(?:(?:\^|\*\*)\s*\{?\s*(?P<ten>[-−–+]?\s*[0-9]+)\s*\}?|(?P<small>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)))?"
)
DIGITS = rf"[0-9]{{1,3}}(?:{GROUP}[0-9]{{3}})+(?:\.[0-9]*)?|[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+"
LITERAL = re.compile(
    rf"\s*(?P<sign>[-−–+])?\s*(?P<digits>{DIGITS})(?:[eE](?P<e>[-+−]?[0-9]+))?{TEN}"
    r"\s*(?P<scale>\\?%|‰|[kKMGBT](?![A-Za-z])|(?:thousand|million|billion)\b)?\s*"
)
WORDS = {"thousand": 3, "million": 6, "billion": 9, r"\%": -2}
SLACK = Fraction(1, 10**9)  # of the largest entry: what float64 arithmetic leaves in a truth
KIND = r"\s*\{[pbvBV]?(?:small)?(?:matrix|array)\}"
MATRIX = re.compile(rf"\\begin{KIND}(?:\{{[lcr| ]*\}})?(.*?)\\end{KIND}", re.DOTALL)
OPEN, CLOSE = "([{", ")]}"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One number as given: its value, and the place value of its last digit (None: exact, such as `1/3` or `7`)."""

    text: str
    value: "Fraction | mpf"
    unit: Fraction | None = None


@dataclass(frozen=True, kw_only=True)
class Given:
    """What was given: entries row by row, and the shape: () a number, (n,) a vector, (n, m) a matrix.

    >>> given = parse_matrix("0.450 1/3; 0 1")
    >>> given.shape, given.entries[0].unit, str(given)
    ((2, 2), Fraction(1, 1000), '[[0.450, 1/3], [0, 1]]')
    """

    shape: tuple[int, ...]
    entries: tuple[Entry, ...]

    def __str__(self) -> str:
        texts = [entry.text for entry in self.entries]
        if not self.shape:
            return texts[0]
        if len(self.shape) == 1:
            return f"({', '.join(texts)})"
        width = self.shape[1]
        rows = [", ".join(texts[start : start + width]) for start in range(0, len(texts), width)]
        return "[" + ", ".join(f"[{row}]" for row in rows) + "]"


@dataclass(frozen=True, kw_only=True)
class Closeness:
    """Whether what was given is the truth rounded to the digits given, and if not where and why."""

    right: bool
    reason: str = ""  # why it is wrong, or the hint beside a right one ("truncated, not rounded")
    entry: tuple[int, ...] | None = None  # the first entry that differs, counted from 0; () for a number
    yours: "Fraction | mpf | None" = None
    true: "Fraction | mpf | None" = None
    transposed: bool = False


def parse_number(given: object) -> Given:
    """Read `0.450`, `1/3`, `2^{-5}`, `67.1M`, `82.1 %`, `5.638·10⁻⁴²`, an int, a float …; raises `Unreadable`.

    >>> parse_number("67.1M").entries[0]
    Entry(text='67.1M', value=Fraction(67100000, 1), unit=Fraction(100000, 1))
    """
    return Given(shape=(), entries=(entry(given),))


def parse_vector(given: object) -> Given:
    """Read `(a, b, c)`, `[a b c]`, `a; b; c` or a list; raises `Unreadable`."""
    if isinstance(given, str):
        rows = split_rows(bounded(given))
        column = all(len(row) == 1 for row in rows)
        parts: Sequence[object] = [row[0] for row in rows] if column else rows[0]
        if len(rows) > 1 and not column:
            raise Unreadable(
                f"a vector must be one row or one column: got {len(rows)} rows in {shown(given)}; write a, b, c"
            )
    else:
        parts = listed(given, "a vector")
    if not parts:
        raise Unreadable("a vector must have entries: got none; write a, b, c")
    return Given(shape=(len(parts),), entries=tuple(map(entry, limited(parts))))


def parse_matrix(given: object) -> Given:
    """Read a list of lists, `[[a, b], [c, d]]`, rows by newline or `;`, or a LaTeX matrix; raises `Unreadable`."""
    rows: list[Sequence[object]]
    if isinstance(given, str):
        rows = list(split_rows(bounded(given)))
    else:
        rows = [
            split_cells(row) if isinstance(row, str) else listed(row, "a row")
            for row in limited(listed(given, "a matrix"))
        ]
    widths = {len(row) for row in rows}
    if len(widths) != 1 or widths == {0}:
        found = ", ".join(str(len(row)) for row in rows[:12])
        raise Unreadable(f"a matrix must have rows of one length: got lengths {found or 'none'}; write a b; c d")
    parts = limited([part for row in rows for part in row])
    return Given(shape=(len(rows), widths.pop()), entries=tuple(map(entry, parts)))


def bounded(text: str) -> str:
    """A text short enough for a vector or matrix of numbers, without what surrounds it."""
    if len(text) > 10 * MAX_TEXT:
        raise Unreadable(
            f"a vector or matrix may have {10 * MAX_TEXT} characters: got {len(text)}; give the numbers alone"
        )
    text = "".join(map(plain, text)).strip().strip("$").strip()
    return re.split("[=≈]", text)[-1].strip()


def listed(given: object, what: str) -> Sequence[Any]:
    given = given.tolist() if hasattr(given, "tolist") else given  # pyright: ignore[reportAttributeAccessIssue]
    if not isinstance(given, list | tuple):
        raise Unreadable(f"{what} must be a list or text: got {type(given).__name__}; write [a, b, c]")
    return given


def limited(parts: Sequence[Any]) -> Sequence[Any]:
    if len(parts) > MAX_ENTRIES:
        raise Unreadable(f"a vector or matrix may have {MAX_ENTRIES} entries: got {len(parts)}; give fewer")
    length = sum(len(part) for part in parts if isinstance(part, str))
    if length > 10 * MAX_TEXT:
        raise Unreadable(
            f"a vector or matrix may have {10 * MAX_TEXT} characters: got {length}; give the numbers alone"
        )
    return parts


def split_rows(text: str) -> list[list[str]]:
    """The rows of a written vector or matrix, each as its cells."""
    if match := MATRIX.search(text):
        rows = [row for row in match[1].split("\\\\") if row.strip()]
        return [[cell.strip() for cell in row.split("&")] for row in rows]
    inside = unwrapped(text)
    parts = top_level(inside, ",;\n") if inside.lstrip()[:1] in OPEN else []
    wrapped = [unwrapped(part) for part in parts]
    if len(parts) > 1 and all(one != two.strip() for one, two in zip(wrapped, parts, strict=True)):
        return [split_cells(row) for row in wrapped]
    if not inside:
        raise Unreadable("a vector or matrix must have entries: got none; write a, b, c or rows a b; c d")
    rows = top_level(inside, ";\n") if re.search(r"[;\n]", inside.strip()) else [inside]
    if (
        len(rows) == 1
        and len(parts := re.findall(r"\[([^\[\]]*)\]", inside)) > 1
        and not re.sub(r"\[[^\[\]]*\]|\s", "", inside)
    ):
        return [split_cells(row) for row in parts]
    return [split_cells(unwrapped(row.strip().rstrip(","))) for row in rows if row.strip()]


def split_cells(row: str) -> list[str]:
    """By `&` or commas, or by spaces where there are none of them (`a b`, but `1 / 3` is one)."""
    row = unwrapped(row)
    if "&" in row:
        return [cell.strip() for cell in row.split("&")]
    if re.search(r",\s", row):  # then a comma between digits only groups them: 67,108,864, 3
        row = re.sub(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))", "_", row)
    cells = top_level(row, ",")
    if len(cells) == 1:
        joined = re.sub(r"\s*([*/^·×+⋅]|\*\*)\s*|\s+(%)|(?<=\s)([-−])\s+", lambda found: found[0].strip(), row.strip())
        cells = joined.split()
    return [cell.strip() for cell in cells if cell.strip()]


def top_level(text: str, signs: str) -> list[str]:
    """The parts between these signs where no bracket is open."""
    parts, start, depth = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign in OPEN) - (sign in CLOSE)
        if sign in signs and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [part for part in (*parts, text[start:]) if part.strip()]


def unwrapped(text: str) -> str:
    """Without one pair of brackets that holds all of it, and a transposition mark after them."""
    text = re.sub(r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])", "", text).strip()
    text = re.sub(r"(?<=[)\]}])(?:\^\{?\\?(?:T|top|intercal)\}?|ᵀ|⊤)$", "", text)
    if not text or text[0] not in OPEN or text[-1] != CLOSE[OPEN.index(text[0])]:
        return text
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in OPEN) - (sign in CLOSE)
        if depth == 0 and place < len(text) - 1:
            return text
    return text[1:-1].strip()


def entry(given: object) -> Entry:
    """One number: text keeps its digits, an int or Fraction is exact, a float has the digits that it prints."""
    if isinstance(given, Entry):
        return given
    if isinstance(given, bool) or not isinstance(given, str | int | float | Fraction | Decimal):
        raise Unreadable(f"a number must be a number or text: got {type(given).__name__}; write it as 0.450 or 1/3")
    if isinstance(given, int | Fraction):
        return Entry(text=str(given) if abs(given) < 10**400 else "a very large number", value=Fraction(given))
    if isinstance(given, float | Decimal):
        if not isfinite(given):
            raise Unreadable(f"a number must be finite: got {given}; write it in digits")
        given = repr(given) if isinstance(given, float) else str(given)
    return written(given)


@lru_cache(maxsize=1024)
def written(text: str) -> Entry:
    """A written number: digits with their place value, or an expression such as `1/3`, which is exact."""
    if len(text) > MAX_TEXT:
        raise Unreadable(f"a number may have {MAX_TEXT} characters: got {len(text)}; give the number alone")
    bare = "".join(map(plain, text)).strip().strip("$").strip()
    bare = UNIT.sub("", re.sub(r"^(?:[^\W\d_]\w*\s*=\s*)?[≈~∼]?\s*|(?<=\d)\.$", "", bare))
    if match := LITERAL.fullmatch(bare):
        return literal(text.strip(), match)
    if "=" in bare:
        return last_side(text, bare)
    scale = re.search(r"\s*(\\?%|‰)\s*$", bare)
    trees = read(bare[: scale.start()] if scale else bare, ())
    try:
        value: Any = evaluate(trees[-1], {})
    except Undefined as error:
        raise Unreadable(f"a number must have a value: {error}; got {shown(text)}") from None
    power = {"‰": Fraction(1, 1000)}.get(scale[1], Fraction(1, 100)) if scale else Fraction(1)
    return Entry(text=text.strip(), value=value * power)


def last_side(text: str, bare: str) -> Entry:
    """`1/3 = 0.333` with the digits of its last side, which the others must agree with."""
    *others, last = map(written, bare.split("="))
    for other in others:
        if not close_entry(last, exact(other.value), abs(exact(other.value)), 1)[0]:
            raise Unreadable(f"the sides of an equation must agree: got {shown(text)}; give the result alone")
    return Entry(text=text.strip(), value=last.value, unit=last.unit)


def literal(text: str, match: re.Match[str]) -> Entry:
    digits = re.sub(rf"{GROUP}|_", "", match["digits"])
    small = "".join(SUPERSCRIPTS[sign] for sign in match["small"] or "")
    exponents = [match["e"], match["ten"], small]
    powers = [re.sub(r"\s", "", exponent or "0").replace("−", "-").replace("–", "-") for exponent in exponents]
    if any(len(power) > 5 for power in powers):
        raise Unreadable(f"a power of ten may have 4 digits: got {shown(text)}; write it shorter")
    power = sum(map(int, powers)) + (
        SCALES.get(match["scale"]) or WORDS.get(match["scale"]) or 0 if match["scale"] else 0
    )
    value = number(f"{digits.rstrip('.') if '.' in digits else digits}e{power}")
    places = len(digits.partition(".")[2])
    exact = "." not in digits and power == 0
    unit = None if exact else number(f"1e{power - places}")
    return Entry(text=text, value=-value if match["sign"] in ("-", "−", "–") else value, unit=unit)


def close(given: Given, truth: object, least_digits: int = 3) -> Closeness:
    """Whether each entry is the truth rounded to the digits given, of which there must be enough.

    >>> close(parse_number("0.33"), 1 / 3).reason
    'at least 3 significant digits are needed: got 0.33; give more digits'
    >>> close(parse_number("0.333"), 1 / 3).right, close(parse_number("0.666"), 2 / 3).reason
    (True, 'truncated, not rounded: 0.666 should be 0.667')
    """
    shape, values = flat(truth)
    if shape != given.shape:
        return Closeness(
            right=False, reason=f"the shape must be {named(shape)}: got {named(given.shape)}; check rows and columns"
        )
    scale = max(map(abs, values), default=Fraction(0))
    hint = ""
    for place, (mine, true) in enumerate(zip(given.entries, values, strict=True)):
        right, why = close_entry(mine, true, scale, least_digits)
        if not right:
            where = index_of(place, shape)
            swapped = is_transposed(given, values, scale, least_digits)
            reason = (
                "this is the transposed matrix: rows and columns are exchanged" if swapped else place_words(where) + why
            )
            return Closeness(right=False, reason=reason, entry=where, yours=mine.value, true=true, transposed=swapped)
        hint = hint or (place_words(index_of(place, shape)) + why if why else "")
    return Closeness(right=True, reason=hint)


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
        return False, "the value differs" + rounded_integer(mine, value, true)
    needed = Fraction(10) ** (max(order(scale), order(value)) - least_digits + 1)
    if unit > needed:
        return False, f"at least {least_digits} significant digits are needed: got {mine.text}; give more digits"
    if error <= unit / 2 + slack:
        return True, ""
    return True, f"truncated, not rounded: {mine.text} should be {float(round(true / unit) * unit):.12g}"


def rounded_integer(mine: Entry, value: Fraction, true: Fraction) -> str:
    """A hint for 67100000, which does not say how many of its digits are meant."""
    zeros = len(str(value)) - len(str(value).rstrip("0"))
    if mine.unit is None and value.denominator == 1 and zeros and abs(value - true) <= Fraction(10) ** zeros / 2:
        digits = str(value).rstrip("0")
        return f": {mine.text} is taken as exact; write a rounded number as {digits}e{zeros}"
    return ""


def order(number: Fraction) -> int:
    """The power of ten of its first digit."""
    if number == 0:
        return -400
    guess = floor(log10(abs(number.numerator)) - log10(number.denominator))
    return guess + (abs(number) >= Fraction(10) ** (guess + 1)) - (abs(number) < Fraction(10) ** guess)


def is_transposed(given: Given, values: list[Fraction], scale: Fraction, least_digits: int) -> bool:
    if len(given.shape) != 2 or given.shape[0] != given.shape[1]:
        return False
    width = given.shape[1]
    turned = [values[column * width + row] for row in range(width) for column in range(width)]
    return all(
        close_entry(mine, true, scale, least_digits)[0] for mine, true in zip(given.entries, turned, strict=True)
    )


def flat(truth: Any) -> tuple[tuple[int, ...], list[Fraction]]:
    """The shape and the entries of a number, a list, a list of lists, or anything with `tolist()`."""
    if hasattr(truth, "tolist"):
        truth = truth.tolist()
    if isinstance(truth, Given):
        return truth.shape, [exact(one.value) for one in truth.entries]
    if not isinstance(truth, list | tuple):
        return (), [exact(truth)]
    if truth and isinstance(truth[0], list | tuple):
        return (len(truth), len(truth[0])), [exact(value) for row in truth for value in row]
    return (len(truth),), [exact(value) for value in truth]


def exact(value: Any) -> Fraction:
    if isinstance(value, int | float | Fraction | Decimal):
        return Fraction(value)
    if isinstance(value, str):
        return exact(written(value).value)
    import mpmath

    with mpmath.workdps(60):
        return Fraction(str(mpmath.mpf(value)))


def index_of(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return () if not shape else (place,) if len(shape) == 1 else divmod(place, shape[1])


def place_words(where: tuple[int, ...]) -> str:
    return (
        ""
        if not where
        else f"entry {where[0] + 1}: "
        if len(where) == 1
        else f"row {where[0] + 1}, column {where[1] + 1}: "
    )


def named(shape: tuple[int, ...]) -> str:
    return "a number" if not shape else f"{shape[0]} entries" if len(shape) == 1 else f"{shape[0]} × {shape[1]}"
