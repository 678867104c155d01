"""What a reader is told of a claim, read from the Markdown beside its check.

A claim has a heading of the second level, its question, a list, and the derivation. The list has its versions, each
with its formula at the end, the letters (`where`), the method and the code; items before the first claim hold for all.

    ## udl.1a Weights and biases of the projections

    N tokens of width D pass through attention: how many weights and biases make q, k and v?

    - **document** 3D² weights and 3 biases $3D^2 + 3$
    - **ours** 3D² weights and 3D biases $3D^2 + 3D$
    - **twin** 3D weights and 3D biases $3D + 3D$
    - **where** D: width of a token
    - **method** exact
    - **code** regard.layers.multihead:MultiHead

    Each of $q = W_q x + b_q$, $k$, $v$ maps $D$ numbers to $D$ …

In the method `{NAME}` and `{NAME:,}` stand for constants of the module, so that a number is written once.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROLES = ("document", "ours", "twin")
ITEM = re.compile(r"- \*\*(\w+)\*\*\s+(.*)")
FORMULA = re.compile(r"(.*?)\s*\$([^$]+)\$")  # of a version: what stands at the end
CONSTANT = re.compile(r"\{([A-Z][A-Z_]*)(:[^{}]*)?\}")


@dataclass(frozen=True, kw_only=True)
class Texts:
    """What a reader is told beside the verdict."""

    asks: str  # the question, in our words
    derivation: str  # paragraphs; formulas between dollars, in LaTeX
    quantities: Mapping[str, str] = field(default_factory=dict)  # what each letter stands for
    method: str = "exact"  # exact, or the tolerance, the seeds, the confidence
    code: tuple[str, ...] = ()  # where to read it: module:name of the library


@dataclass(frozen=True)
class Version:
    """One way to say it: in words, as a formula (LaTeX), and what the check is given."""

    text: str
    formula: str
    value: Mapping[str, Any]


def read_texts(path: Path, id: str, constants: Mapping[str, Any]) -> tuple[str, Texts, Mapping[str, tuple[str, str]]]:
    """The title and the texts of one claim, and by role the text and the formula of each version.

    `constants` are what the method may name.
    """
    shared, sections = _sections(path)
    if id not in sections:
        raise ValueError(f"{path.name} must have a heading '## {id} …': got {', '.join(sections) or 'none'}")
    title, body = sections[id]
    asks, items, derivation = _parts(body)
    known = {"where", "method", "code", *ROLES}
    if unknown := sorted(set(items) - known):
        raise ValueError(f"{path.name}, {id}: no item is called {unknown[0]!r}; use {', '.join(sorted(known))}")
    letters = "; ".join(found for found in (shared.get("where"), items.get("where")) if found)
    method = items.get("method", shared.get("method", "exact"))
    return (
        title,
        Texts(
            asks=asks,
            derivation=derivation,
            quantities=dict(_split(entry, path, id) for entry in letters.split("; ") if entry),
            method=CONSTANT.sub(lambda found: format(constants[found[1]], (found[2] or ":")[1:]), method),
            code=tuple(items.get("code", shared.get("code", "")).split(", ")),
        ),
        {role: _version(items[role]) for role in ROLES if role in items},
    )


@functools.cache
def _sections(path: Path) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """The items that all claims of a file share, and by id the title and the body of each."""
    top, *parts = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    sections = {}
    for part in parts:
        heading, _, body = part.partition("\n")
        id, _, title = heading.partition(" ")
        sections[id] = (title.strip(), body.strip())
    return _parts(top)[1], sections


def _parts(body: str) -> tuple[str, dict[str, str], str]:
    """What stands before the list, the items of it by name, and what stands behind it."""
    paragraphs = [" ".join(part.split("\n")) if part[:2] != "- " else part for part in body.split("\n\n") if part]
    place = next((number for number, part in enumerate(paragraphs) if part.startswith("- ")), len(paragraphs))
    lines = paragraphs[place].replace("\n  ", " ").split("\n") if place < len(paragraphs) else []
    found = [ITEM.fullmatch(line.strip()) for line in lines]
    items = {match[1]: match[2] for match in found if match}
    return "\n\n".join(paragraphs[:place]), items, "\n\n".join(paragraphs[place + 1 :])


def _split(entry: str, path: Path, id: str) -> tuple[str, str]:
    letter, colon, meaning = entry.partition(": ")
    if not colon:
        raise ValueError(f"{path.name}, {id}: letters are 'D: width; N: tokens': got {entry!r}")
    return letter.strip(), meaning.strip()


def _version(text: str) -> tuple[str, str]:
    found = FORMULA.fullmatch(text)
    return (found[1], found[2]) if found else (text, "")
