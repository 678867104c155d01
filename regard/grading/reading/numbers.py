"""Numbers, vectors and matrices as people write them, with the digits they gave."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from regard.grading.formulas.bounds import MAX_ENTRIES, MAX_TEXT, Unreadable
from regard.grading.reading.cells import (
    bounded,
    equations,
    separated,
    split_cells,
    split_rows,
    transposition,
    without_program,
)
from regard.grading.reading.digits import Entry, brief, close_entry, entry, exact, result_of, written
from regard.grading.reading.spelling import shown
from regard.grading.reading.surroundings import is_name

if TYPE_CHECKING:
    from mpmath.ctx_mp_python import _mpf as mpf

__all__ = ["Closeness", "Entry", "Given", "close", "parse_matrix", "parse_number", "parse_vector"]


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

    def other(self) -> "Given | None":
        """The other reading, where `5,638` is 5.638 and `67,109 K` is 67109 K; None where there is none."""
        if not any(entry.other for entry in self.entries):
            return None
        return Given(shape=self.shape, entries=tuple(entry.other or entry for entry in self.entries))


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
    return Given(shape=(), entries=(written(given, spaced=True) if isinstance(given, str) else entry(given),))


def parse_vector(given: object) -> Given:
    """Read `(a, b, c)`, `[a b c]`, `a; b; c`, `u1 = a, u2 = b` or a list; raises `Unreadable`."""
    if not isinstance(given, str):
        return vector(listed(given, "a vector"))
    text = without_program(separated(bounded(given)))
    if parts := equations(text):
        return vector(parts)
    return vector_of(text) if is_plain(text) else result_of(text, vector_of, agree)


def vector_of(text: str) -> Given:
    if re.fullmatch(r"[(\[]?\s*[-−–]?[0-9.,]+(?:\s*/\s*[-−–]?[0-9.,]+){2,}\s*[)\]]?", text.strip()):
        raise Unreadable(f"the entries of a vector must be separated by ; or ,: got {shown(text)}; write a; b; c")
    rows = split_rows(text, column=True)
    column = all(len(row) == 1 for row in rows)
    if len(rows) > 1 and not column:
        raise Unreadable(
            f"a vector must be one row or one column: got {len(rows)} rows in {shown(text)}; write a, b, c"
        )
    return vector([row[0] for row in rows] if column else rows[0])


def vector(parts: Sequence[object]) -> Given:
    if not parts:
        raise Unreadable("a vector must have entries: got none; write a, b, c")
    return Given(shape=(len(parts),), entries=tuple(map(entry, limited(parts))))


def parse_matrix(given: object) -> Given:
    """Read a list of lists, `[[a, b], [c, d]]`, rows by newline or `;`, or a LaTeX matrix; raises `Unreadable`."""
    if isinstance(given, str):
        text = without_program(bounded(given))
        rows = [row.split("=") for row in equations(text, "\n;")]
        if rows and all(len(row) == 2 and is_name(row[0], ()) for row in rows):
            return matrix([split_cells(row[1]) for row in rows])
        return matrix_of(text) if is_plain(text) else result_of(text, matrix_of, agree)
    return matrix(
        [
            split_cells(row) if isinstance(row, str) else listed(row, "a row")
            for row in limited(listed(given, "a matrix"))
        ]
    )


def matrix_of(text: str) -> Given:
    text, turned = transposition(text)
    found = matrix(split_rows(text))
    if not turned:
        return found
    rows, columns = found.shape
    entries = tuple(found.entries[row * columns + column] for column in range(columns) for row in range(rows))
    return Given(shape=(columns, rows), entries=entries)


def matrix(rows: Sequence[Sequence[object]]) -> Given:
    widths = {len(row) for row in rows}
    if len(widths) != 1 or widths == {0}:
        found = ", ".join(str(len(row)) for row in rows[:12])
        raise Unreadable(f"a matrix must have rows of one length: got lengths {found or 'none'}; write a b; c d")
    parts = limited([part for row in rows for part in row])
    return Given(shape=(len(rows), widths.pop()), entries=tuple(map(entry, parts)))


def is_plain(text: str) -> bool:
    return not any(sign in text for sign in ("=", "≈", "≃", "≅", "≐", "∼", "\\approx", "\\sim"))


def agree(one: Given, two: Given) -> bool:
    """Whether two sides are the same to the digits of one of them."""
    return close(one, two, 1).right or close(two, one, 1).right


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


def close(given: Given, truth: object, least_digits: int = 3) -> Closeness:
    """Whether each entry is the truth rounded to the digits given, of which there must be enough.

    `5,638` may be thousands or have a decimal comma: it is right if it is so in either reading.

    >>> close(parse_number("0.33"), 1 / 3).reason
    'at least 3 significant digits are needed: got 0.33; give more digits'
    >>> close(parse_number("0.333"), 1 / 3).right, close(parse_number("0.666"), 2 / 3).reason
    (True, 'truncated, not rounded: 0.666 should be 0.667')
    """
    found, other = judged(given, truth, least_digits), given.other()
    if other is None:
        return found
    doubtful = next(one for one in given.entries if one.other)
    assert doubtful.other is not None
    as_read = comma_read(doubtful.text, doubtful, doubtful.other)
    if found.right:
        return found
    again = judged(other, truth, least_digits)
    if not again.right:
        return replace(found, reason=f"{found.reason} ({as_read})")
    as_read = comma_read(doubtful.text, doubtful.other, doubtful)
    return replace(again, reason="; ".join(filter(None, (as_read, again.reason))))


def comma_read(text: str, chosen: Entry, left: Entry) -> str:
    """How a comma was read, and what to write instead."""
    grouped = "; write the number without a comma" if chosen.unit is not None and chosen.value > left.value else ""
    return f"{text} read as {brief(exact(chosen.value))}" + (grouped or ": write the decimal point as '.'")


def judged(given: Given, truth: object, least_digits: int) -> Closeness:
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
    if not shape:
        return "a number"
    return f"{shape[0]} {'entry' if shape[0] == 1 else 'entries'}" if len(shape) == 1 else f"{shape[0]} × {shape[1]}"
