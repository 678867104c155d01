"""Tables of a TOML file, of questions or of marks by hand, whose errors name the file, the table and the key."""

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from regard.checks import nearest
from regard.grading.questions.question import BadQuestion, too_large


class Digits(str):
    """A number of a TOML file as it is written there: 0.450 has three digits."""

    __slots__ = ()


class Table:
    """One table of a file."""

    def __init__(self, row: dict[str, Any], file: str, name: str) -> None:
        self.row, self.file = row, file
        self.name = f"{name} ({row['id']})" if isinstance(row.get("id"), str) else name
        for key, value in row.items():
            if problem := too_large(value):
                raise self.error(key, problem)

    def error(self, key: str, problem: str) -> BadQuestion:
        return BadQuestion(f"{self.file}, {self.name}, {key}: {problem}")

    def only(self, keys: Iterable[str]) -> None:
        for key in self.row:
            if key not in keys:
                raise self.error(key, f"unknown key; {nearest(key, sorted(keys))}")

    def text(self, key: str, default: str | None = None) -> str:
        value = self.row.get(key, default)
        if value is None:
            raise self.error(key, "is missing; it is a text")
        if not isinstance(value, str) or isinstance(value, Digits) or (default is None and not value.strip()):
            raise self.error(key, f"must be a text: got {value!r}; put it in quotes")
        return value

    def number(self, key: str, value: Any, most: float | None = None) -> float:
        """A value of the table as a number."""
        is_number = isinstance(value, int | float | Digits) and not isinstance(value, bool)
        if not is_number or not 0 <= float(value) < 1e6 or (most is not None and float(value) > most):
            end = "" if most is None else f" to {most:g}"
            raise self.error(key, f"must be a number from 0{end}: got {value!r}; correct it")
        return float(value)

    def texts(self, key: str) -> dict[str, str]:
        """A table of texts; numbers are texts too."""
        value = self.row.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(entry, str | int) for entry in value.values()):
            raise self.error(key, f'must be a table of texts, such as {{ D = "…" }}: got {value!r}')
        return {name: str(entry) for name, entry in value.items()}

    def one_of(self, key: str, names: Sequence[str], default: str | None = None) -> Any:
        value = self.text(key, default)
        if value not in names:
            raise self.error(key, f"must be one of {', '.join(names)}: got {value!r}; {nearest(value, names)}")
        return value

    def tables(self, key: str) -> "list[Table]":
        rows = self.row.get(key, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise self.error(key, f"must be tables [[question.{key}]]: got {rows!r}")
        return [Table(row, self.file, f"{self.name}, {key} {number}") for number, row in enumerate(rows, 1)]


def decoded(path: Path) -> str:
    """The text of a file."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadQuestion(f"{path} is not UTF-8 (byte {error.start}): save it as UTF-8") from error


def tables_of(text: str, file: str, name: str) -> list[Table]:
    """The tables `[[name]]` of a text in TOML, which has nothing else."""
    try:
        found = tomllib.loads(text, parse_float=Digits)
    except (ValueError, RecursionError) as error:  # a number too long, or lists too deep, for Python to read
        raise BadQuestion(f"{file} is not TOML: {error}") from error
    if extra := [key for key in found if key != name]:
        raise BadQuestion(f"{file}: unknown key {extra[0]!r} beside the {name}s: each one is a table [[{name}]]")
    rows = found.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadQuestion(f"{file} must hold tables alone: got {name} = {rows!r:.60}; write each one as [[{name}]]")
    return [Table(row, file, f"{name} {number}") for number, row in enumerate(rows, 1)]
