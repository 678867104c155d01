r"""Files of answers in the formats that people hand in, each as tables of answers by their question's id.

TOML and JSON are read as they are; `.txt` by lines `udl.1a: 3D² + 3D`, an answer goes on until the next one begins;
`.csv` by rows `udl.1a, 3D² + 3D`, or a row of ids with one of answers under it; of a notebook the cells that are tagged
with an id or begin with one. Nothing is executed, and what a notebook has printed is not looked at.
"""

import csv
import io
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator
from typing import Any

Table = dict[str, Any]
Read = tuple[list[Table], list[str]]  # tables of answers, and notes on what could not be used

_KEY = r"[\w\"'-]+(?:[ \t]*\.[ \t]*[\w\"'-]+)*"
_BLOCK = re.compile(rf"^(?=[ \t]*(?:\[{_KEY}\]|{_KEY}[ \t]*=))", re.MULTILINE)
_QUOTED = re.compile(r'"(.*)"\s*(?:#[^"]*)?')
_ID = re.compile(r"\w[\w.-]*")
LONGEST_ID = 80  # with what stands around it


def read_toml(text: str, names: Collection[str]) -> Read:
    """All of it at once; where that fails, answer by answer, so that one bad escape spoils no other answer."""
    try:
        return [tomllib.loads(text, parse_float=str)], []  # as written: 0.450 has three digits
    except RecursionError:
        raise ValueError("is nested too deeply: an answer is text, a number, or rows of numbers") from None
    except ValueError as error:
        tables, notes = _piecewise(text)
        if not tables:
            form = "answers stand in single quotes, each id once: udl.1a = '3D^2'"
            raise ValueError(f"is not TOML: {str(error)[:300]}; {form}") from None
        return tables, notes


def _piecewise(text: str) -> Read:
    """Every `key = value` alone: as TOML, or else as the text that somebody meant."""
    tables: list[Table] = []
    notes: list[str] = []
    header = ""
    for block in _BLOCK.split(text):
        key, _, value = block.partition("=")
        id = header + re.sub(r"[\"'\s]", "", key)
        if block.lstrip().startswith("["):
            header = re.sub(r"[\[\]\"'\s]", "", block.partition("]")[0]) + "."
        elif _ID.fullmatch(id):
            lines = value.strip().splitlines() or [""]
            while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
                lines.pop()  # the comment above the next question
            try:
                tables.append({id: tomllib.loads(f"value = {value}", parse_float=str)["value"]})
            except (ValueError, RecursionError) as error:
                meant, why = _meant("\n".join(lines))
                tables += [{id: meant}] if meant else []
                notes.append(f"{id}: {why}" if meant else f"{id} is not read: {str(error)[:200]}")
    return tables, notes


def _meant(value: str) -> tuple[str, str]:
    r"""The text that was meant by a value that is not TOML, and what to tell of it; empty where none was.

    >>> _meant(r'"\sqrt{d}"')
    ('\\sqrt{d}', 'taken with its backslashes as they are; LaTeX stands in single quotes')
    >>> _meant("3D² # twice")
    ('3D²', 'taken as text, which stands in single quotes')
    >>> _meant("'3D²")
    ('3D²', 'taken as text, though the quote before it is not closed; write a second one behind it')
    """
    if value.startswith(("[", "{", '"""', "'''")) or not value.isprintable():
        return "", ""
    if found := _QUOTED.fullmatch(value):
        text = found[1].replace('\\"', '"').replace("\\\\", "\\")
        return text, "taken with its backslashes as they are; LaTeX stands in single quotes"
    text = re.sub(r"\s#.*", "", value).strip()
    is_open = text[:1] in ("'", '"') and (len(text) == 1 or text[-1] != text[0])
    advice = ", though the quote before it is not closed; write a second one behind it" if is_open else ""
    return text.strip("'\" "), f"taken as text{advice or ', which stands in single quotes'}"


def read_json(text: str, names: Collection[str]) -> Read:
    """An object of answers by their ids, in objects or not; null is no answer."""
    table = _json(text)
    if not isinstance(table, dict):
        raise ValueError('must be an object of answers: got something else; write {"udl.1a": "3D^2"}')
    return [table], []


def _json(text: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> Table:
        found = {key: value for key, value in pairs if value is not None}
        if len({key for key, _ in pairs}) < len(pairs):
            raise ValueError("each id must stand there once: got one twice; delete one")
        return found

    try:
        return json.loads(text, parse_float=str, parse_constant=str, object_pairs_hook=once)
    except RecursionError:
        raise ValueError("is nested too deeply: an answer is text, a number, or rows of numbers") from None
    except json.JSONDecodeError as error:
        raise ValueError(f'is not JSON: {error}; write {{"udl.1a": "3D^2"}}, with every \\ doubled') from None


def read_text(text: str, names: Collection[str], comments: bool = True) -> Read:
    """Lines `id: answer`; lines that begin with # are comments, and those before the first answer nobody's."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        if begins := _beginning(line, names):
            found.append((begins[0], [begins[1]]))
        elif not (comments and line.lstrip().startswith("#")):
            found[-1][1].append(line)
    stray = [line for line in found[0][1] if line.strip()]
    notes = [f"not read, for it stands before the first answer: {stray[0].strip()[:60]!r}"] if stray else []
    return [{id: _unquoted("\n".join(lines).strip())} for id, lines in found[1:]], notes


def _beginning(line: str, names: Collection[str]) -> tuple[str, str] | None:
    """The id with which a line begins, and what follows it; None where it goes on with what was before.

    An id that nobody asked for counts too, where others begin as it does. One that is a number needs its colon.

    >>> _beginning("**udl.1a**: 3D", ["udl.1a"]), _beginning("udl.7 = 1", ["udl.1a"]), _beginning("2", ["2"])
    (('udl.1a', '3D'), ('udl.7', '1'), None)
    """
    sign = re.search("[:=]", line[:LONGEST_ID])
    head, rest = (line[: sign.start()], line[sign.end() :].lstrip(" \t*_")) if sign else (line[:LONGEST_ID], "")
    id = head.strip(" \t#*>_`-")
    document = id.partition(".")[0] + "."
    known = id in names or (document in id and any(name.startswith(document) for name in names))
    alone = line.strip(" \t#*>_`-") == id and not id.isdecimal() and id not in ("id", "name")
    return (id, rest) if known and _ID.fullmatch(id) and (sign or alone) else None


def _unquoted(text: str) -> str:
    return (
        text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" and text[0] not in text[1:-1] else text
    )


def read_csv(text: str, names: Collection[str]) -> Read:
    """Rows of an id and its answer, or a row of ids and one of answers."""
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise ValueError(f"is not CSV: {error}; write a row for each answer: udl.1a,3D^2") from None
    if rows and sum(cell.strip() in names for cell in rows[0]) > 1:
        if len(rows) != 2:
            raise ValueError(
                f"must be the answers of one person: got {len(rows) - 1} rows of them; make a file for each"
            )
        return [dict(zip([cell.strip() for cell in rows[0]], rows[1], strict=False))], []
    first = 1 if rows and rows[0][0].strip() not in names else 0  # a heading
    return [{row[0].strip(): delimiter.join(row[1:])} for row in rows[first:]], []


def read_notebook(text: str, names: Collection[str]) -> Read:
    """The sources of cells, of Markdown and of code, as text."""
    cells = book.get("cells") if isinstance(book := _json(text), dict) else None
    if not isinstance(cells, list):
        raise ValueError("must be a notebook of format 4, with cells: got none; save it anew in Jupyter")
    return [table for cell in cells if isinstance(cell, dict) for table in _cell(cell, names)], []


def _cell(cell: Table, names: Collection[str]) -> Iterator[Table]:
    source, metadata = cell.get("source", ""), cell.get("metadata")
    lines = source if isinstance(source, list) else [source]
    text = "".join([line for line in lines if isinstance(line, str)])
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    tagged = [tag for tag in tags if isinstance(tag, str) and tag in names] if isinstance(tags, list) else []
    if _beginning(text.strip().partition("\n")[0], names):
        yield from read_text(text, names, comments=cell.get("cell_type") == "code")[0]
    elif tagged:
        yield {tagged[0]: text.strip()}


FORMATS: dict[str, Callable[[str, Collection[str]], Read]] = {
    ".toml": read_toml,
    ".txt": read_text,
    ".json": read_json,
    ".csv": read_csv,
    ".ipynb": read_notebook,
}
