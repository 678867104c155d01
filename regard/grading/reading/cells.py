"""The cells of a vector or matrix as people write it: brackets, commas, spaces, lines, LaTeX, what a program prints."""

import re

from regard.grading.formulas.bounds import MAX_TEXT, Unreadable
from regard.grading.reading.spelling import shown
from regard.grading.reading.surroundings import is_name, plain

KIND = r"\s*\{[pbvBV]?(?:small)?(?:matrix|array)\*?\}"
BEGIN, END = re.compile(rf"\\begin{KIND}(?:\[[lcr]\])?(?:\{{[lcr| ]*\}})?"), re.compile(rf"\\end{KIND}")
BREAK = re.compile(r"\\\\(?:\s*\[[0-9.]+\s*[a-z]{2}\])?")
PROGRAM = re.compile(
    r"(?:(?:torch|np|numpy|jnp)\.)?(?:[Tt]ensor|n?d?array|[Mm]atrix|list|tuple|c)\s*(\(.*\))", re.DOTALL
)
SETTING = re.compile(r",\s*(?:dtype|device|requires_grad|grad_fn)\s*=[^,()\[\]]*")
OPEN, CLOSE = "([{⟨", ")]}⟩"
COMMA_NUMBER = re.compile(r"[-−–+]?[0-9]+(?:,[0-9]+)?(?:[eE][-+−]?[0-9]+)?(?:\s*\\?%)?")
TRANSPOSED = r"\s*(?:\^\s*\{?\s*\\?(?:[Tt⊤'′]|top|intercal|prime)\s*\}?|ᵀ|⊤|['′]|\.T|\.t\(\)|\.transpose\(\))"


def bounded(text: str) -> str:
    """A text short enough for a vector or matrix of numbers, without what surrounds it, its spaces single."""
    if len(text) > 10 * MAX_TEXT:
        raise Unreadable(
            f"a vector or matrix may have {10 * MAX_TEXT} characters: got {len(text)}; give the numbers alone"
        )
    text = plain(text).replace("\\langle", "⟨").replace("\\rangle", "⟩")
    return re.sub(r"[^\S\n]++", " ", text.replace("$", " ")).strip().rstrip(".").strip()


def without_program(text: str) -> str:
    """`[1, 2]` of `tensor([1, 2], dtype=torch.float64)`."""
    found = PROGRAM.fullmatch(SETTING.sub("", text).strip())
    return unwrapped(found[1]) if found else text


def separated(text: str) -> str:
    """`a; b` of `a | b`, and `⟨a, b⟩` of `<a, b>`."""
    if text[:1] == "<" and text[-1:] == ">" and text.count("<") == text.count(">") == 1:
        text = f"⟨{text[1:-1]}⟩"
    parts = text.strip("|").split("|")
    plain_parts = "," not in text or all(COMMA_NUMBER.fullmatch(part.strip()) for part in parts)
    return "; ".join(parts) if len(parts) > 1 and plain_parts and not re.search(r"[;\n=]", text) else text


def transposition(text: str) -> tuple[str, bool]:
    """A matrix without the mark of its transposition, and whether it had one; rows may not have any."""
    text = re.sub(r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])", "", text).strip()
    bare = re.sub(rf"(?<=[)\]}}⟩]){TRANSPOSED}$", "", text)
    if re.search(rf"[)\]⟩]{TRANSPOSED}", bare):
        raise Unreadable(f"a part of a matrix must not be transposed: got {shown(text)}; write its rows")
    return bare, bare != text


def equations(text: str, signs: str = ",;\n") -> list[str]:
    """The parts of `u1 = 1, u2 = −6`, each of which is an equation of its own; else none."""
    parts = top_level(unwrapped(text), signs) if "=" in text else []
    if len(parts) < 2 or not all("=" in part for part in parts):
        return []
    names = [name for part in parts if is_name(name := part.partition("=")[0], ())]
    indices = [int(found[1]) for name in names if (found := re.search(r"([0-9]{1,6})[\s})\]]*$", name))]
    if len(indices) == len(parts) and indices != list(range(indices[0], indices[0] + len(parts))):
        raise Unreadable(f"entries must be in their order: got {', '.join(map(str, indices))}; sort them")
    return parts


def split_rows(text: str, column: bool = False) -> list[list[str]]:
    """The rows of a written vector or matrix, each as its cells; in a column `0,5; 0,3` has decimal commas."""
    if (begin := BEGIN.search(text)) and (end := END.search(text, begin.end())):
        rows = [row for row in BREAK.split(text[begin.end() : end.start()]) if row.strip()]
        return [[cell.strip() for cell in row.split("&")] for row in rows]
    inside = unwrapped(without_program(text))
    parts = top_level(inside, ",;\n") if inside.lstrip()[:1] in OPEN else []
    wrapped = [unwrapped(part) for part in parts]
    if len(parts) > 1 and all(one != two.strip() for one, two in zip(wrapped, parts, strict=True)):
        return [split_cells(row) for row in wrapped]
    if not inside:
        raise Unreadable("a vector or matrix must have entries: got none; write a, b, c or rows a b; c d")
    lines = [line.strip().rstrip(";") for line in top_level(inside, "\n")]
    if len(lines) > 1 and any(len(top_level(line, ";")) > 1 for line in lines):  # as a spreadsheet writes it
        return [split_cells(unwrapped(line)) for line in lines]
    rows = top_level(inside, ";\n") if re.search(r"[;\n]", inside.strip()) else [inside]
    if (
        len(rows) == 1
        and len(parts := re.findall(r"\[([^\[\]]*)\]", inside)) > 1
        and not re.sub(r"\[[^\[\]]*\]|\s", "", inside)
    ):
        return [split_cells(row) for row in parts]
    if column and len(rows) > 1 and all(COMMA_NUMBER.fullmatch(row.strip()) for row in rows):
        return [[row.strip()] for row in rows]
    return [split_cells(unwrapped(row.strip().rstrip(","))) for row in rows if row.strip()]


def split_cells(row: str) -> list[str]:
    """By `&` or commas, or by spaces where there are none of them (`a b`, but `1 / 3` is one)."""
    row = unwrapped(re.sub(r"\s++", " ", row))
    if "&" in row:
        return [cell.strip() for cell in row.split("&")]
    if len(cells := top_level(row, ";")) > 1:
        return [cell.strip() for cell in cells]
    if ", " in row:  # then a comma between digits belongs to them: 67,108,864, 3 and 0,465, 0,035
        row = re.sub(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))|(?<=(?<![0-9,.])0),(?=[0-9]{2,}(?!,?[0-9]))", "{,}", row)
    elif " " in row.strip() and all(map(COMMA_NUMBER.fullmatch, row.split())):
        return row.split()  # 0,5 0,3: spaces part the cells, and commas are decimal
    cells = top_level(row, ",")
    if len(cells) == 1:
        joined = re.sub(r" ?([*/^·×+⋅]|\*\*) ?| (%)|(?<= )([-−]) ", lambda found: found[0].strip(), row.strip())
        joined = re.sub(r"(?<=[0-9]) ([xX]) (?=10)", r"\1", joined)
        cells = joined.split()
    return [cell.replace("{,}", ",").strip() for cell in cells if cell.strip()]


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
    text = re.sub(rf"(?<=[)\]}}⟩]){TRANSPOSED}$", "", text)
    if not text or text[0] not in OPEN or text[-1] != CLOSE[OPEN.index(text[0])]:
        return text
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in OPEN) - (sign in CLOSE)
        if depth == 0 and place < len(text) - 1:
            return text
    return text[1:-1].strip()
