"""The cells of a vector or matrix: brackets, commas, spaces, lines, LaTeX, tables, and what a program prints."""

import re
from itertools import accumulate

from regard.grading.formulas.bounds import MAX_TEXT, Unreadable
from regard.grading.reading.statements import settle, speak, unit_of
from regard.grading.reading.tokens import OPERANDS, Reader, Word, plain, quoted, refusal, split_at

Sides = list[tuple[str, list[Word]]]
SETTING = re.compile(r",\s*+(?:dtype|device|requires_grad|grad_fn)\s*+=[^,()\[\]]*+")
TIGHT = re.compile(r"(?<=[0-9]),(?=[0-9])")
JOINED = re.compile(r"(?<![0-9,.])(?:0,[0-9]{2,}|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?![0-9.]|,[0-9])|[0-9]+(?:,[0-9]+)?")
SPACED = re.compile(r"[-−–+]?[0-9]+(?:,[0-9]+)?(?:[eE][-+−]?[0-9]+)?%?")


def check_length(length: int) -> None:
    if length > (most := 10 * MAX_TEXT):
        raise Unreadable(f"a vector or matrix may have {most} characters: got {length}; give the numbers alone")


def bounded(text: str) -> str:
    """A text short enough for a vector or matrix of numbers, its tables and programs as plain lists."""
    check_length(len(text))
    text = SETTING.sub("", plain(text)).strip()
    if text[:1] == "<" and text[-1:] == ">":
        text = f"⟨{text[1:-1]}⟩"
    if "|" in text:
        lines = [line.strip().strip("|") for line in text.split("\n")]
        text = "\n".join(line.replace("|", "&") for line in lines if not re.fullmatch(r"[\s|:-]*", line))
    return text


def words_of(text: str, column: bool) -> tuple[list[Word], str, str]:
    """The tokens of a list, after it is known which of its commas stand inside numbers; its text; its unit."""
    text = bounded(text)
    chunks = text.strip("()[]{} ").split()
    parted = "&" in text or (";" in text and (column or "\n" in text.strip()))
    if not parted and not (len(chunks) > 1 and all(map(SPACED.fullmatch, chunks))):
        if ", " in text:  # then a comma between digits belongs to them: 67,108,864, 3 and 0,465, 0,035
            text = JOINED.sub(lambda found: found[0] if is_joined(found[0]) else TIGHT.sub(", ", found[0]), text)
        else:
            text = TIGHT.sub(", ", text)
    words = settle(Reader(text, (), listed=True).read(), ())
    return speak(words), text, unit_of(text, words)


def is_joined(digits: str) -> bool:
    whole, _, part = digits.partition(",")
    return bool(part) and (
        (whole == "0" and len(part) > 1) or (0 < len(whole) < 4 and all(len(one) == 3 for one in part.split(",")))
    )


def answer_words(words: list[Word], text: str) -> list[Word]:
    """Without the words around a list, and what follows as a reason; what denies or doubts is refused."""
    made: list[Word] = []
    for word in words:
        if word.type == "WORD":
            if word.value in ("reason", "restate") and any(one.type == "NUMBER" for one in made):
                break
            inside = any(one.type == "NUMBER" for one in made) and sum(one.turn for one in made)
            if word.says("deny", "hedge", "alter") or (word.says("other") and inside):
                what = f"unknown word {quoted(text[word.column - 1 : word.end])}"
                raise refusal(what, text, word.column, "give the list alone")
            made.append(word)
        elif word.type == "BREAK" and word.value == "?":
            raise Unreadable(f"an answer must not be a question: got {quoted(text)}; write the answer alone")
        elif word.type != "CONCLUDE":
            made.append(word)
    while made and (made[-1].type in ("COMMA", "WORD") or (made[-1].type == "BREAK" and made[-1].value != "box")):
        made.pop()
    return made


def parts_of(words: list[Word], signs: set[str]) -> list[list[Word]]:
    """The parts between these signs where no bracket is open, without empty ones."""
    cut = lambda word: (word.value if word.type == "BREAK" else word.type) in signs | {"box", "boxed"}  # noqa: E731
    return [part for _, part in split_at(words, cut) if part]


def sides_of(words: list[Word]) -> Sides:
    """The sides of an equation, each with the sign before it."""
    parts = split_at(words, lambda word: word.type in ("EQUALS", "ABOUT", "LESS", "MORE", "COLON"))
    return [(sign.type if sign else "", side) for sign, side in parts if side or sign]


def equations(words: list[Word]) -> list[list[Word]]:
    """The parts of `u1 = 1, u2 = −6`, each of which is an equation of its own; else none."""
    bare, _ = unwrapped(words)
    parts = parts_of(bare, {"COMMA", ";", "\n"})
    if len(parts) < 2 or not all(any(word.type in ("EQUALS", "COLON") for word in part) for part in parts):
        return []
    indices = []
    for part in parts:
        named = part[0].type == "FOREIGN"
        if named and len(part) > 1 and part[1].type == "NUMBER":
            indices.append(int(part[1].value.value))
        elif named and (found := re.search(r"([0-9]{1,6})$", str(part[0].value))):
            indices.append(int(found[1]))
    if len(indices) == len(parts) and indices != list(range(indices[0], indices[0] + len(parts))):
        raise Unreadable(f"entries must be in their order: got {', '.join(map(str, indices))}; sort them")
    return parts


def unwrapped(words: list[Word]) -> tuple[list[Word], bool]:
    """Without brackets that hold all of it, a program's name before them, and a transposition mark after them."""
    turned = False
    while words:
        marks = transposition(words)
        if marks:
            words, turned = words[:-marks], not turned
            continue
        start = 1 if words[0].type in ("WORD", "FOREIGN") and len(words) > 1 and words[1].type == "LPAR" else 0
        if words[start].type != "LPAR" or words[-1].type != "RPAR":
            return words, turned
        if 0 in list(accumulate(word.turn for word in words))[start:-1]:
            return words, turned
        words = words[start + 1 : -1]
    return words, turned


def transposition(words: list[Word]) -> int:
    """How many tokens at the end are the mark of a transposition: `ᵀ`, `^T`, `.T`, `'`."""
    kinds = [word.type if word.type != "FOREIGN" or word.value not in ("T", "t") else "T" for word in words[-5:]]
    found = re.search(r"RPAR ((?:POWER |BREAK )?(?:T|TRANSPOSED)|POWER LPAR (?:T|TRANSPOSED) RPAR)$", " ".join(kinds))
    return len(found[1].split()) if found and found[1] != "T" else 0


def cells_of(row: list[Word]) -> list[list[Word]]:
    """By `&`, `;` or commas, or by spaces where there are none of them (`a b`, but `1 / 3` is one)."""
    row, _ = unwrapped([word for word in row if word.type != "WORD" or word.value == "other"])
    for signs in ({"AND"}, {";"}, {"COMMA"}):
        if len(parts := parts_of(row, signs)) > 1:
            return parts
    cells: list[list[Word]] = [[]]
    depth = 0
    for place, word in enumerate(row):
        depth += word.turn
        before = row[place - 1] if place else None
        ends = before is not None and (before.type in OPERANDS or before.turn < 0)
        following = row[place + 1] if place + 1 < len(row) else None
        signed = word.type in ("MINUS", "PLUS") and following is not None and not following.spaced
        opens = word.turn > 0
        begins = signed or opens or word.type in ("NUMBER", "FUNCTION", "FRACTION")
        if depth == opens and ends and word.spaced and begins:
            cells.append([])
        if word.type not in ("COMMA", "BREAK"):
            cells[-1].append(word)
    return [cell for cell in cells if cell]


def rows_in(words: list[Word], text: str) -> list[list[list[Word]]]:
    """The rows of a written vector or matrix, each as its cells."""
    words, turned = unwrapped(words)
    if not any(word.type in OPERANDS for word in words):
        raise Unreadable("a vector or matrix must have entries: got none; write a, b, c or rows a b; c d")
    groups = parts_of(words, {"COMMA", ";", "\n"})
    several = [group for part in groups for group in cells_of(part)] if is_bracketed(groups) else groups
    wrapped = [unwrapped(group) for group in several]
    if len(several) > 1 and all(len(inside) < len(group) for (inside, _), group in zip(wrapped, several, strict=True)):
        if any(transposition(group) for group in several):
            raise Unreadable(f"a part of a matrix must not be transposed: got {quoted(text)}; write its rows")
        rows = [cells_of(inside) for inside, _ in wrapped]
    else:
        lines = parts_of(words, {"\n"})
        lines = lines if len(lines) > 1 else parts_of(words, {";"})
        rows = [cells_of(line) for line in lines]
    if not turned:
        return rows
    if len({len(row) for row in rows}) > 1:
        raise Unreadable("a matrix must have rows of one length: got others; write a b; c d")
    return [list(column) for column in zip(*rows, strict=True)] if len(rows) > 1 and len(rows[0]) > 1 else rows


def is_bracketed(groups: list[list[Word]]) -> bool:
    """Whether brackets stand beside one another without a sign between: `[1 2] [3 4]`."""
    return all(
        group[0].type == "LPAR" and group[-1].type == "RPAR" and unwrapped(group)[0] is group for group in groups
    )
