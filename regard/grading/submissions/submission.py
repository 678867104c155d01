r"""One submission: a small file of answers by their question's id, read with suspicion.

```toml
name = "Ada Lovelace"
id = "s123"
udl.1a = "3D² + 3D"            # or "udl.1a" = …, or 1a = … under [udl]
udl.1b = '\frac{D}{H}'         # LaTeX in single quotes, where TOML leaves the backslash alone
nyu.3 = [[1, 0], [0, 1]]
```
"""

import os
import re
import stat
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regard.checks import nearest
from regard.grading.formulas.bounds import MAX_DIGITS
from regard.grading.submissions.formats import FORMATS

Asked = Mapping[str, Sequence[str]]  # the questions' ids, each with the names of its parts, if it is answered by parts
NOTHING: Asked = {}
LARGEST = 256 * 1024  # bytes: fifty long answers take a tenth of it
LARGEST_NOTEBOOK = 16 * LARGEST  # with what it has printed and drawn
LONGEST_NAME, LONGEST_KEY, LONGEST_NOTE = 80, 60, 300  # characters that are shown
MOST_NOTES = 20
DEEPEST_LIST = 2  # a matrix

_JOINERS = "\u200c\u200d"  # they show nothing, but Persian and Sinhala names are written with them
# "\frac" in double quotes is a form feed and "rac"; nobody writes a form feed, a backspace or a tab before these words.
_EATEN = re.compile(r"\f|\x08|\t(?=imes|heta|frac|ext|au\b)|\r(?=ight)")
_LETTERS = {"\f": r"\f", "\b": r"\b", "\t": r"\t", "\r": r"\r"}
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFLNK: "a symbolic link", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


@dataclass(frozen=True, kw_only=True)
class Submission:
    """Answers by their question's id, whose they are, and notes on what could not be used."""

    name: str = ""
    student: str = ""
    answers: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_submission(path: Path, asked: Asked, follow: bool = False, others: Asked = NOTHING) -> Submission:
    """The answers of a file to the questions `asked`; a ValueError says why it cannot be used.

    A symbolic link is used only with `follow`. An empty answer is none.
    """
    return parse_submission(_decode(_read(path, follow)), asked, path.suffix.lower(), others)


def parse_submission(text: str, asked: Asked, format: str = ".toml", others: Asked = NOTHING) -> Submission:
    """The answers in a text of one of the formats; those to `others`, which exist but are not asked, are left out.

    >>> parse_submission("udl.1a = '3D²'", {"udl.1a": (), "udl.1b": ()}).answers
    {'udl.1a': '3D²'}
    >>> parse_submission("udl.1a = '3D²'; udl.1c = '4D²'".replace(";", chr(10)), {"udl.1a": ()}).notes
    ("there is no question 'udl.1c': did you mean udl.1a?",)
    """
    known = {**asked, **others}
    names = {*known, *[f"{id}.{part}" for id, parts in known.items() for part in parts], "name", "id"}
    tables, notes = FORMATS[format](text, names)
    said: dict[str, str] = {}
    for key in ("name", "id"):
        for given in [table.pop(key) for table in tables if key in table]:
            if isinstance(given, str) or (key == "id" and type(given) is int):
                said[key] = printable(str(given).strip(), LONGEST_NAME)
            else:
                notes.insert(0, f'{key} must be text: got {_kind(given)}; write {key} = "…"')
    answers, more = _answers(tables, known)
    notes += more
    if notes and not answers:
        nothing = "got no answers at all, and " if said and not any(tables) else ""
        raise ValueError(f"answers no question: {nothing}{printable(notes[0], LONGEST_NOTE)}")
    if not any(tables):
        raise ValueError("answers no question: got no answers at all; fill in what regard questions --toml prints")
    if len(notes) > MOST_NOTES:
        notes = [*notes[:MOST_NOTES], f"and {len(notes) - MOST_NOTES} more like these"]
    return Submission(
        name=said.get("name", ""),
        student=said.get("id", ""),
        answers={id: answer for id, answer in answers.items() if id in asked},
        notes=tuple(notes),
    )


def printable(text: str, longest: int) -> str:
    r"""A stranger's words as they may be shown: on one line, of bounded length, without what steers a terminal.

    >>> printable("a\x1b[2Jb\nc" + "!" * 10, 12)
    'a�[2Jb c!!!!…'
    """
    text = (text[:longest] + "…" if len(text) > longest else text).replace("\n", " ")
    return text if text.isprintable() else "".join([letter if _visible(letter) else "�" for letter in text])


def _visible(letter: str) -> bool:
    """Not so are controls, marks of direction, line separators, tags, lone surrogates and what has no width."""
    return letter.isprintable() or letter in _JOINERS or unicodedata.category(letter) == "Zs"


def _read(path: Path, follow: bool) -> bytes:
    """The bytes of a plain file; nothing else is opened, so that nothing waits and nothing happens."""
    largest = LARGEST_NOTEBOOK if path.suffix.lower() == ".ipynb" else LARGEST
    try:
        _check(os.stat(path, follow_symlinks=follow), largest)
        if path.suffix.lower() not in FORMATS:
            raise ValueError(f"is not read: got {path.suffix or 'no ending'}; hand in {' or '.join(FORMATS)}")
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))
        with open(file, "rb") as stream:
            _check(os.fstat(file), largest)  # again: it may have been exchanged meanwhile
            data = stream.read(largest + 1)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from error
    if len(data) > largest:
        raise ValueError(f"must have at most {largest // 1024} kB: got more; send the answers alone")
    return data


def _check(found: os.stat_result, largest: int) -> None:
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        raise ValueError(f"must be a file: got {_KINDS.get(kind, 'a device')}; put the file itself there")
    if found.st_size > largest:
        raise ValueError(f"must have at most {largest // 1024} kB: got {found.st_size // 1024}; send the answers alone")


def _decode(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError("must be UTF-8: got UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")  # editors of Windows begin with a mark
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"must be UTF-8: got byte {data[error.start]:#x} in line {line}; save it as UTF-8") from None


def _answers(tables: Sequence[dict[str, Any]], asked: Asked) -> tuple[dict[str, Any], list[str]]:
    """Tables within tables as ids with dots; a table is an answer only where a question has parts."""
    answers: dict[str, Any] = {}
    notes: list[str] = []
    parts = {f"{id}.{name}": (id, name) for id, names in asked.items() for name in names}
    beginnings = {id[:dot] for id in [*asked, *parts] for dot in range(len(id)) if id[dot] == "."}
    open_tables = [("", table) for table in tables[::-1]]
    while open_tables:
        path, inner = open_tables.pop()
        for word, given in inner.items():
            id = f"{path}.{word}" if path else word
            if isinstance(given, dict) and id in beginnings:
                open_tables.append((id, given))
                continue
            whole, name = parts.get(id, (id, ""))
            if whole not in asked:
                notes.append(_unknown(id, asked) if len(notes) < MOST_NOTES else "")
            elif wrong := _unusable(given):
                notes.append(f"{id}: an answer is text, a number, or rows of numbers: got {wrong}")
            elif not isinstance(given, str) or given.strip():
                place, key = (answers.setdefault(whole, {}), name) if name else (answers, id)
                if not isinstance(place, dict) or key in place:
                    raise ValueError(f"{id} must be answered once: got two answers; delete one")
                place[key] = _as_written(given)
    return answers, notes


def _unknown(id: str, asked: Asked) -> str:
    short = printable(id, LONGEST_KEY)
    return f"there is no question {short!r}: {nearest(short, asked, 'see regard questions')}"


def _unusable(given: Any, lists: int = DEEPEST_LIST) -> str | None:
    """What is wrong with the type of an answer, in which so many lists may stand in each other."""
    if isinstance(given, list):
        if not given:
            return "an empty list"
        if not lists:
            return "lists in lists in lists"
        return next((wrong for each in given if (wrong := _unusable(each, lists - 1))), None)
    if isinstance(given, int) and abs(given) >= 10**MAX_DIGITS:  # 0xff… gets past tomllib, but cannot be printed
        return f"a number of more than {MAX_DIGITS} digits"
    return None if isinstance(given, str | int) else _kind(given)


def _kind(given: Any) -> str:
    kinds = {str: "text", bool: "true or false", int: "a number", dict: "a table", list: "a list"}
    return kinds.get(type(given), "a date or a time")


def _as_written(given: Any) -> Any:
    return _EATEN.sub(lambda found: _LETTERS[found.group()], given) if isinstance(given, str) else given
