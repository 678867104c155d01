"""What surrounds a formula: its name, units, remarks, words and signs of programs, all blanked or respelt."""

import re
import unicodedata

from regard.grading.formulas.bounds import Unreadable
from regard.grading.reading.spelling import refusal, shown, words

UNITS = (
    "parameters?", "params", "weights?", "bias(?:es)?", "multiply-adds?", "multiply-accumulates?", "multiplications?",
    "additions?", "MACs?", "FLOPs?", "operations?", "ops", "bytes", "numbers?", "entries", "entry", "tokens?", "heads?",
    "taps?", "columns?", "rows?", "pixels?", "steps?", "offsets?", "pairs?", "zeros?", "features?", "keys?", "queries",
    "values", "layers?", "elements?", "scalars?", "matrices", "vectors?", "channels?", "dimensions?", "scores?",
)  # fmt: skip
ADJECTIVES = "attention|trainable|learnable|learned|free|scalar|weight|bias|query|key|value|query-key|key-value"
UNIT_WORD = rf"(?:(?:{ADJECTIVES})\s++)*+(?:{'|'.join(UNITS)})(?![A-Za-z_])"
UNIT = re.compile(
    rf"(?:(?P<open>\\(?:text|mathrm|textrm)\s*+\{{\s*+)|(?<![A-Za-z\\_^{{-]))"
    rf"(?P<unit>{UNIT_WORD}(?:\s++(?:and|or)\s++{UNIT_WORD})?+)\s*+(?(open)\}})"
    r"(?=\s*+(?:[-+−–=≈·×*/)\].,;$]|$))",
    re.IGNORECASE,
)
REMARK = re.compile(
    rf"(?<![A-Za-z])\(\s*+(?:(?:{UNIT_WORD}|(?:the|of|for|in|all|with|and|plus|total)(?![A-Za-z_]))[\s,+&/-]*+)++\)(?=\s*+(?:[-+−–=≈.,;]|$))",
    re.IGNORECASE,
)
OPERAND = re.compile(r"[\w)\]}|%⌉⌋.]\s*\Z")
AROUND = re.compile(r"^\s*+(?:\\\(|\\\[|`)|(?:\\\)|\\\]|`|[.;,])\s*+$")
APPROXIMATELY = re.compile(r"≈|≃|≅|≐|~=|∼|\\approx(?![a-z])|\\simeq(?![a-z])|\\sim(?![a-z])")
# Possessive, so that no text takes more than one pass.
WORD = r"\\?[^\W\d_]++[0-9]*+"
BELOW = r"(?:\s*+_\s*+(?:\{(?:[^{}=]++|\{[^{}=]*+\})*+\}|\\?\w++)|[₀-₉]++)?+"
ABOVE = r"(?:\s*+(?:\^\{?+(?:[*∗⋆★'′†⊤]|\\(?:ast|star|prime|top)(?![A-Za-z])|\(?\w\)?|[A-Z])\}?+|[*∗⋆★'′†ᵀ⊤]))?+"
ACCENT = r"\\(?:hat|bar|vec|tilde|overline|mathbf|mathrm|mathit|text|operatorname|bm|boldsymbol)\s*+\{[^{}=]*+\}"
THING = rf"(?:{ACCENT}|{WORD}){BELOW}{ABOVE}"
BRACKETED = r"(?:\((?:[^()=<>≤≥]++|\([^()=<>≤≥]*+\))*+\)|\[(?:[^\[\]=<>≤≥]++|\[[^\[\]=<>≤≥]*+\])*+\])"
CHANGE = r"(?:∂|\\partial(?![A-Za-z])|d)\s*+"
# One name: T(N), n*, Var(q·k), ‖y − β‖, ∂y_i/∂z_j, or letters in a row such as A x. Possessive: one pass.
NAME = re.compile(
    rf"#?\s*+{THING}\s*+(?:{BRACKETED})?+{ABOVE}|(?:\\?[^\W\d_]{BELOW}{ABOVE}\s*+){{2,3}}"
    r"|‖[^‖=]++‖[₂2]?|\|\|[^|=]++\|\||\\\|[^|=]++\\\|"
    rf"|{CHANGE}(?:{THING})\s*+/\s*+{CHANGE}(?:{THING})"
    r"|\\[dt]?frac\s*+\{\s*+(?:∂|\\partial|d)(?:[^{}=]++|\{[^{}=]*+\})++\}"
    r"\s*+\{\s*+(?:∂|\\partial|d)(?:[^{}=]++|\{[^{}=]*+\})++\}"
)
DESCRIPTION = re.compile(
    rf"(?:(?:{UNIT_WORD}|{ADJECTIVES}|the|final|total|number|count|amount|sum|cost|answer|result|my|of|for|in|is|it|this)"
    r"(?![A-Za-z_])[\s:]*+)++",
    re.IGNORECASE,
)
DENIALS = {
    "not", "no", "nor", "never", "neither", "wrong", "false", "instead", "or", "and", "than", "without", "unlike",
    "either", "maybe", "perhaps", "guess", "unless", "except", "vs", "versus", "if", "but", "with", "per",
}  # fmt: skip
RELATION = re.compile(r":?==?|[<>≤≥≦≧⩽⩾]=?|\\(?:leq?|geq?|leqslant|geqslant|lt|gt)(?![A-Za-z])")
LESS = re.compile(r"[<≤≦⩽]|\\l(?:eq?|eqslant|t)(?![A-Za-z])")
MORE = re.compile(r"[>≥≧⩾]|\\g(?:eq?|eqslant|t)(?![A-Za-z])")
FONT = re.compile(r"_\s*+(?P<open>\{\s*+)?+\\(?:rm|text|mathrm|mathit|textrm|mathsf|it)(?![A-Za-z])\s*+"
                  r"(?P<brace>\{\s*+)?+(?P<name>[^\W_]++)\s*+(?(brace)\})\s*+(?(open)\})")  # fmt: skip
LEAD = re.compile(
    r"\s*+(?:at most(?![A-Za-z])|((?:[A-Za-z-]++\s*+)+?)(?::(?!=)|(?<=\s)is(?![A-Za-z_])|equals(?![A-Za-z_])))",
    re.IGNORECASE,
)
TOTAL = re.compile(r"(?<=[\w)\]}²³ ])\s(?:in\s++)?(?:total|altogether|overall)\s*+$", re.IGNORECASE)
MODULE = re.compile(r"(?<![\w.\\])(?:math|np|numpy|torch|jnp)\.(?=[a-z])")
LISTED = re.compile(r"(?:min|max)\s*+[(\[{][^()\[\]{}]*+[)\]}]", re.IGNORECASE)
POW = re.compile(r"(?<![\w\\])pow\(([^(),]++),([^(),]++)\)")
WHOLE = re.compile(r"(?<![\w)\]}*/^·×.])(?<![*/^·×] )(\w++|\([^()]*+\))\s*+//\s*+(\w++)(?!\s*+(?:\*\*|\^|[(.]))")
# 0,5 and 3,0 have a decimal comma; 1,234 may not, a pair (1,2) is none, and D^2,3D are two answers.
DECIMAL = re.compile(r"(?<![\w.,])(?:0,[0-9]++|[0-9]++,(?:[0-9]{1,2}|[0-9]{4,}))(?![0-9,.])")
LINES = re.compile(r"(?<=[\w)\]}|⌉⌋])(?<!\\cdot)(?<!\\times)(?<!\\left)[^\S\n]*+\n\s*+(?=[\w(√⌈⌊])")
CHOOSES = re.compile(r"min|max", re.IGNORECASE)
# The soft hyphen, signs without width, and the implied function application and product.
INVISIBLE: dict[int, str] = dict.fromkeys((0xAD, 0x200B, 0x2060, 0x2061, 0x2062, 0xFEFF), "")


def plain(text: str) -> str:
    """Full-width and mathematical letters, and the micro sign, as the ordinary ones; invisible signs left out."""
    return "".join(map(ordinary, text)) if not text.isascii() else text


def ordinary(sign: str) -> str:
    code = ord(sign)
    if 0xFF01 <= code <= 0xFF5E or 0x1D400 <= code <= 0x1D7FF or code == 0xB5:
        return unicodedata.normalize("NFKC", sign)
    return INVISIBLE.get(code, sign)


def blanked(text: str, start: int, end: int) -> str:
    """The text with spaces there, so that columns stay what the writer sees."""
    return text[:start] + " " * (end - start) + text[end:]


def cleaned(text: str, symbols: tuple[str, ...]) -> str:
    """Without dollar signs and a full stop, units and remarks, a leading `≈`, what follows a later one, `name =`."""
    text = plain(text).replace("$", " ")
    for _ in range(3):
        for match in reversed(list(AROUND.finditer(text))):
            text = blanked(text, *match.span())
    text = respelt(text, symbols)
    refuse_parts(text, symbols)
    text = without_words(FONT.sub(lambda found: f"_{{{found['name']}}}".ljust(len(found[0])), text), symbols)
    while match := APPROXIMATELY.search(text):
        before = text[: match.start()]
        leading = not before.strip() or is_name(before, symbols)
        text = blanked(text, 0 if leading else match.start(), match.end() if leading else len(text))
    text = without_left(text, symbols)
    if match := LINES.search(text):
        raise refusal("a second line begins", text, match.end() + 1, "give one formula, with a sign between its lines")
    return text


def respelt(text: str, symbols: tuple[str, ...]) -> str:
    """Without words around the answer, and with what spreadsheets and Python write in the signs of formulas."""
    if (match := LEAD.match(text)) and (match[1] is None or DESCRIPTION.fullmatch(match[1])):
        text = blanked(text, 0, match.end())
    text = TOTAL.sub(lambda found: " " * len(found[0]), text)
    text = MODULE.sub(lambda found: " " * len(found[0]), text)
    text = LISTED.sub(lambda found: found[0] if "," in found[0] else found[0].replace(";", ","), text)
    if "pow(" in text and not is_spelt("pow", symbols):
        text = POW.sub(r"((\1)^(\2))", text)
    text = WHOLE.sub(r"floor(\1/\2)", text)
    return text if CHOOSES.search(text) else DECIMAL.sub(with_point, text)


def with_point(found: re.Match[str]) -> str:
    before, after = found.string[: found.start()].rstrip(" -−–"), found.string[found.end() :].lstrip()
    power = re.search(r"(?:\^|\*\*)\s*[({\[]?$", before)
    pair = before[-1:] in ("(", "[", "{") and after[:1] in (")", "]", "}")
    doubtful = (pair and not power) or (power and not found[0].startswith("0,"))
    return found[0] if doubtful else found[0].replace(",", ".")


def refuse_parts(text: str, symbols: tuple[str, ...]) -> None:
    """Refuse `weights = 3D²; biases = 3D`, which is no chain."""
    lines = [line.partition("=") for line in re.split(r"[;,\n]", text)]
    names = dict.fromkeys(" ".join(name.split()) for name, sign, _ in lines if sign and is_name(name, symbols))
    if len(names) > 1:
        one, two = list(names)[:2]
        raise Unreadable(f"one formula is asked for: got {shown(one)} and {shown(two)} apart; add the parts")


def without_left(text: str, symbols: tuple[str, ...]) -> str:
    """Without `name =` or `name <`, or without `> name`; what is no name stays, as a side or to be refused."""
    found = RELATION.search(text)
    if found is None or not text[found.end() :].strip():
        return text
    left, right = text[: found.start()], text[found.end() :]
    if "=" in found[0] and not MORE.match(found[0]) and not LESS.match(found[0]):
        named = not left.strip() or (is_name(left, symbols) and not is_repeated(left, right, symbols))
        return blanked(text, 0, found.end()) if named else text
    if LESS.match(found[0]) and is_name(left, symbols):
        return blanked(text, 0, found.end())
    surely = not is_name(left, symbols) or (is_spelt(left, symbols) and not is_spelt(right, symbols))
    if MORE.match(found[0]) and is_name(right, symbols) and left.strip() and surely:
        return blanked(text, found.start(), len(text))
    raise refusal(f"unexpected {shown(found[0])}", text, found.start() + 1,
                  "write what it equals, or a bound as: name < formula")  # fmt: skip


def is_name(text: str, symbols: tuple[str, ...]) -> bool:
    """Whether a left side only names what is asked for, and is no answer of its own."""
    text = text.strip()
    if not text or denies(text):
        return False
    if not NAME.fullmatch(text):
        return bool(DESCRIPTION.fullmatch(text)) and not is_product(text, symbols)
    parts = text.split()
    if len(parts) > 1 and all(map(str.isalpha, parts)) and any(part in symbols for part in parts):
        return False
    head = re.match(r"(\w+)\s*[(\[]", text)
    return not is_product(text.rstrip(" *∗⋆^{}"), symbols) and not (head and is_spelt(head[1], symbols))


def denies(text: str) -> bool:
    return not DENIALS.isdisjoint(re.findall(r"[^\W\d_]+", text.casefold()))


def is_repeated(left: str, right: str, symbols: tuple[str, ...]) -> bool:
    """Whether `N = N²` says of a size that it is something else, so that no name is given to the right side."""
    if left.strip() not in symbols:
        return False
    try:
        return words(left, symbols)[0].value in [word.value for word in words(right, symbols)]
    except Unreadable:
        return False


def without_words(text: str, symbols: tuple[str, ...]) -> str:
    """Without units after a factor (`3D² weights + 3D biases`) and a last remark that only names them."""
    for match in reversed(list(REMARK.finditer(text))):
        if text[: match.start()].strip() and not is_spelt(match[0], symbols):
            text = blanked(text, *match.span())
    for match in reversed(list(UNIT.finditer(text))):
        if OPERAND.search(text[max(0, match.start() - 40) : match.start()]) and not is_spelt(match["unit"], symbols):
            text = blanked(text, *match.span())
    return text


def is_spelt(word: str, symbols: tuple[str, ...]) -> bool:
    """Whether a word can be read in the symbols: `MAC` is M·A·C where these are sizes."""
    try:
        return bool(words(word, symbols))
    except Unreadable:
        return False


def is_product(name: str, symbols: tuple[str, ...]) -> bool:
    """Whether `ND` is N·D, a side of its own, and not the name of what is asked for."""
    try:
        return len(words(name, symbols)) > 1
    except Unreadable:
        return False
