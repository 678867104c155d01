"""How people spell the parts of a formula: symbols in their many ways, numbers, signs, brackets."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile

from regard.analysis.formulas import PI, E, Number, Symbol
from regard.grading.formulas.bounds import MAX_DEPTH, MAX_DIGITS, Unreadable
from regard.grading.reading.grammar import Word

GREEK_NAMES = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu
    nu xi omicron pi rho sigma tau upsilon phi chi psi omega
"""
GREEK: dict[str, str] = dict(zip(GREEK_NAMES.split(), "αβγδεζηθικλμνξοπρστυφχψω", strict=True))
GREEK |= {name.capitalize(): letter.upper() for name, letter in GREEK.items()}
NAMES = {letter: name for name, letter in GREEK.items()}
SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿᵏᵈʰˡᵐᵗˢᴺᴰᴸᴷᴴ", "0123456789+-()nkdhlmtsNDLKH", strict=True))
SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789aehijklmnoprstuvx", strict=True))
TO_SUBSCRIPT = {plain: small for small, plain in SUBSCRIPTS.items()}
FUNCTIONS = {
    "sqrt": "sqrt", "exp": "exp", "ln": "log", "log": "log", "lg": "lg", "min": "min", "max": "max", "ceil": "ceil",
    "floor": "floor", "abs": "abs",
}  # fmt: skip
CLOSERS = {"(": ")", "[": "]", "{": "}", "|": "|", "⌈": "⌉", "⌊": "⌋"}
BRACKET_WORDS = {"|": "BAR", "⌈": "CEIL", "⌉": "CEIL", "⌊": "FLOOR", "⌋": "FLOOR"}
LATEX_BRACKETS = {
    r"\{": "{", r"\}": "}", r"\lvert": "|", r"\rvert": "|", r"\vert": "|", r"\lceil": "⌈", r"\rceil": "⌉",
    r"\lfloor": "⌊", r"\rfloor": "⌋", r"\lbrack": "[", r"\rbrack": "]",
}  # fmt: skip

SPACE = r"(?:\s|\\[,;:! ]|~|\\(?:q?quad|left|right|displaystyle|[bB]igg?[lrm]?)(?![A-Za-z]))+"
GROUP = r"(?:,|\{,\}|\\,|[\u2009\u202f])"
TEN = r"(?:[·×*⋅]|\\cdot|\\times)\s*10\s*(?:\^|\*\*|[⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹])"
# 0,465 and 5,638e-42 have a decimal comma: groups begin with no 0 and stand before no power of ten.
THOUSANDS = rf"[1-9][0-9]{{0,2}}(?:{GROUP}[0-9]{{3}})+(?![0-9]|[eE][-+]?[0-9]|\s*{TEN})"
SPACED = r"[1-9][0-9]{0,2}(?:[ \u00a0][0-9]{3}){2,}(?![0-9])"
NUMBER = rf"(?:{THOUSANDS}|{SPACED}|[0-9]+(?:_[0-9]+)*)(?:\.[0-9]+)?|\.[0-9]+"
# log2 N is the logarithm to the base 2, but log2 before a sign is that of 2.
ARGUMENT = r"(?=\s*(?:[^\W\d_]|[(\[{√⌈⌊]|\\(?!cdot|times|ast|div|right|q?quad|[^A-Za-z{]))|\s+[0-9])"
SPOKEN = {"minus": "MINUS", "plus": "PLUS", "times": "TIMES"}
SIGNS = {
    "POWER": r"\*\*|\^|↑",
    "TIMES": r"[*·×⋅∙•∗]|\\(?:cdot|times|ast)(?![A-Za-z])",
    "OVER": r"[/÷∕⁄]|\\div(?![A-Za-z])",
    "MINUS": r"[-−–—‐‑]",
    "PLUS": r"\+",
    "EQUALS": r"[=≡]|\\equiv(?![A-Za-z])",
    "COMMA": r",",
}


@dataclass(frozen=True)
class Spelling:
    """The words of one set of symbols: a single pattern, and what each spelling stands for."""

    pattern: re.Pattern[str]
    symbols: dict[str, tuple[str, bool]]  # spelling → (symbol, whether this is its other letter case)


def spellings(symbol: str) -> Iterator[str]:
    r"""`n_t`, `n_{t}`, `nₜ`; `β`, `beta`, `\beta`."""
    base, _, below = symbol.partition("_")
    if not below and (match := re.fullmatch(r"([^\W\d_]+)(\d+)", symbol)):
        base, below = match.groups()
    name = base.lstrip("\\")
    letter = GREEK.get(name, name)
    bases = [letter, *((NAMES[letter], "\\" + NAMES[letter]) if letter in NAMES else ())]
    if not below:
        yield from bases
        return
    below = below.strip("{}")
    under = GREEK.get(below.lstrip("\\"), below)
    tails = ["_" + under, f"_{{{under}}}"]
    if under in NAMES:
        tails += [f"_{NAMES[under]}", f"_\\{NAMES[under]}", f"_{{{NAMES[under]}}}", f"_{{\\{NAMES[under]}}}"]
    if all(sign in TO_SUBSCRIPT for sign in under):
        tails.append("".join(TO_SUBSCRIPT[sign] for sign in under))
    if "_" not in symbol:
        tails.append(under)
    yield from (base + tail for base in bases for tail in tails)


def other_case(symbol: str) -> Iterator[str]:
    base, mark, below = symbol.partition("_")
    for one in {base, base.swapcase()}:
        for two in {below, below.swapcase()}:
            if (one, two) != (base, below) and not (len(base) > 1 and one != base):
                yield one + mark + two


@lru_cache(maxsize=256)
def spelling(symbols: tuple[str, ...]) -> Spelling:
    """The pattern of these symbols: functions, then the longest spelling of a symbol first."""
    for symbol in symbols:
        if not re.fullmatch(r"\\?[^\W\d_]+\d*(?:_\{?\\?[^\W_]+\}?)?", symbol) or symbol in FUNCTIONS:
            raise ValueError(
                f"a symbol must be letters, perhaps with a subscript: got {symbol!r}; write N, d_model or β"
            )
    known = {variant: (symbol, False) for symbol in symbols for variant in spellings(symbol)}
    if len({owner for owner, _ in known.values()}) < len(symbols):
        raise ValueError(f"symbols must differ: got {', '.join(symbols)}; leave one of the two spellings out")
    joined = re.compile("(?:" + "|".join(map(re.escape, known)) + ")+") if known else re.compile("(?!)")
    for symbol in symbols:
        if "_" in symbol and not joined.fullmatch(tight := symbol.replace("_", "").replace("{", "").replace("}", "")):
            known.setdefault(tight, (symbol, False))
    folded: dict[str, set[str]] = {}
    for symbol in symbols:
        for variant in other_case(symbol):
            for written in spellings(variant):
                folded.setdefault(written, set()).add(symbol)
    for written, owners in folded.items():
        if len(owners) == 1 and written not in known and written not in ("e", "π", "\\pi", "pi"):
            known[written] = (owners.pop(), True)
    plain = [name for name in FUNCTIONS if not joined.fullmatch(name)]
    doubtful = [name for name in FUNCTIONS if joined.fullmatch(name)]
    exact = {symbol for symbol, _ in known.items()}
    scientific = "".join(letter for letter in "eE" if letter not in exact or known[letter][1])
    power_of_ten = rf"(?:[{scientific}][+-]?[0-9]+)?" if scientific else ""
    words = sorted(known, key=lambda word: (-len(word), word))
    capitals = [
        name.upper() for name in FUNCTIONS if not re.fullmatch(f"(?:{'|'.join(map(re.escape, words))})+", name.upper())
    ]
    constants = [r"\\?pi(?![A-Za-z])|π"] * ("π" not in known) + [r"e|\\(?:mathrm|text)\{e\}|\\e(?![A-Za-z])"] * (
        "e" not in known
    )
    names = "|".join(
        [
            rf"\\(?:{'|'.join(FUNCTIONS)})(?![A-Za-z])",
            *plain,
            *(rf"{name}(?=\s*[(\[{{])" for name in (*doubtful, *capitals)),
        ]
    )
    groups = {
        "SPACE": SPACE,
        "DIGITS": r"\\[dtc]?frac\s*[0-9]\s*[0-9](?![0-9])",
        "FRACTION": r"\\[dtc]?frac(?![A-Za-z])",
        "NUMBER": rf"(?:{NUMBER}){power_of_ten}",
        "VULGAR": "[" + "".join(chr(code) for code in (*range(0xBC, 0xBF), *range(0x2150, 0x215F))) + "]",
        "LOG": rf"\\?log(?:\s*(?:_\s*\{{?\s*[0-9]{{1,3}}\s*\}}?|[₀-₉]{{1,3}})|(?:2|10)(?![0-9.,]){ARGUMENT})",
        "ROOT": r"\\sqrt\s*\[\s*[2-9]\s*\]|[√∛∜]",
        "SPOKEN": "|".join(rf"{sign}(?![A-Za-z])" for sign in SPOKEN if not joined.fullmatch(sign)) or "(?!)",
        "OPERATOR": rf"\\(?:operatorname|mathrm|text)\s*\{{\s*(?:{'|'.join(FUNCTIONS)})\s*\}}",
        "FUNCTION": names,
        "SYMBOL": "|".join(map(re.escape, words)) or "(?!)",
        "CONSTANT": "|".join(constants) or "(?!)",
        "RAISED": "[" + "".join(SUPERSCRIPTS) + "]+",
        **SIGNS,
        "CROSS": "(?!)" if any(word[0] in "xX" for word in words) else r"(?<!\b0)[xX](?=\s*[^\W_]|\s*[(\[{√⌈⌊\\])",
        "BRACKET": r"\\(?:[{}]|[lr]?vert|[lr](?:ceil|floor|brack))|[()\[\]{}|⌈⌉⌊⌋]",
    }
    return Spelling(re.compile("|".join(f"(?P<{name}>{part})" for name, part in groups.items())), known)


def number(text: str) -> Fraction:
    """The value of a written number, refused before it is computed when it is too long."""
    plain = re.sub(r"[,_{}\\\s\u2009\u202f]", "", text)
    mantissa, _, exponent = plain.lower().partition("e")
    if len(mantissa) > MAX_DIGITS or len(exponent) > 5 or abs(int(exponent or 0)) > MAX_DIGITS:
        raise Unreadable(
            f"a number may have {MAX_DIGITS} digits at most: got {shown(text)}; write it as a power, such as 2^100"
        )
    return Fraction(plain)


def shown(text: str, longest: int = 24) -> str:
    """Somebody's text made safe to print: short, marks and controls as code points."""
    safe = "".join(
        sign if sign.isprintable() and unicodedata.category(sign)[0] != "M" else f"\\u{ord(sign):04x}"
        for sign in text[:longest]
    )
    return f"'{safe}{'…' if len(text) > longest else ''}'"


class Misread(Unreadable):
    """A refusal that names a place; the text there can be quoted again as it was given, before it was blanked."""

    place: tuple[str, int, str]

    def quoting(self, text: str) -> "Misread":
        what, column, todo = self.place
        return refusal(what, text, column, todo)


def refusal(what: str, text: str, column: int, todo: str) -> Misread:
    """`what` at `column` (from 1) of `text`, with the bit of text there, and what to do."""
    start = max(0, column - 9)
    bit = ("…" if start else "") + shown(text[start : column + 11], 40)[1:-1] + ("…" if len(text) > column + 11 else "")
    error = Misread(f"{what} at column {column} of '{bit}'; {todo}")
    error.place = what, column, todo
    return error


def unknown(text: str, start: int, symbols: Sequence[str]) -> Misread:
    """What to say of a place where nothing that can be read begins."""
    sign = text[start]
    known = f"the symbols here are {', '.join(symbols)}" if symbols else "there are no symbols here, only numbers"
    if sign.isalpha() or sign == "\\":
        word = sign + "".join(takewhile(str.isalpha, text[start + 1 :]))
        return refusal(f"unknown word {shown(word)}", text, start + 1, known)
    if sign == "_":
        return refusal("unknown subscript", text, start + 1, known)
    if not sign.isprintable() or unicodedata.category(sign)[0] in "CM":
        name = f"U+{ord(sign):04X} {unicodedata.name(sign, 'a control character')}"
        return refusal(f"unreadable character {name}", text, start + 1, "retype this place in plain letters")
    return refusal(f"unexpected {shown(sign)}", text, start + 1, "use + − · / ^ ( ) and the symbols of the question")


def words(text: str, symbols: tuple[str, ...]) -> list[Word]:
    """The tokens of a text, brackets paired and superscripts turned into powers; raises `Unreadable`."""
    made: list[Word] = []
    cases: dict[str, tuple[bool, str]] = {}
    open_brackets: list[tuple[str, int]] = []
    spelt = spelling(symbols)
    position = 0
    while position < len(text):
        match = spelt.pattern.match(text, position)
        if match is None or not match[0]:
            raise unknown(text, position, symbols)
        kind, written, column = match.lastgroup, match[0], position + 1
        position = match.end()
        # lastgroup is the last *closed* group, which is the outer, named one.
        if kind == "SPACE":
            continue
        if kind == "SYMBOL":
            owner, folded = spelt.symbols[written]
            before = cases.setdefault(owner, (folded, written))
            if before[0] != folded:
                raise refusal(
                    f"{shown(before[1])} and {shown(written)} both appear, but only {owner} is a symbol",
                    text,
                    column,
                    f"write {owner} for it, and nothing else",
                )
            made.append(Word("SYMBOL", Symbol(owner), column))
        elif kind == "BRACKET":
            made.append(bracket(LATEX_BRACKETS.get(written, written), text, column, open_brackets))
        elif kind == "RAISED":
            made += raised(written, column, symbols)
        elif kind == "CROSS":  # a times sign between two factors, else a letter that is no symbol
            if not made or made[-1].type not in ("NUMBER", "SYMBOL", "RPAR", "RBAR", "RCEIL", "RFLOOR"):
                raise unknown(text, column - 1, symbols)
            made.append(Word("TIMES", written, column))
        else:
            made.append(word(kind or "", match, column))
    if open_brackets:
        sign, column = open_brackets[-1]
        raise refusal(f"'{sign}' is opened and never closed", text, column, f"close it with '{CLOSERS[sign]}'")
    return made


def bracket(sign: str, text: str, column: int, open_brackets: list[tuple[str, int]]) -> Word:
    """Pair a bracket with the one that it closes; `|` closes when the innermost open one is a `|`."""
    name = BRACKET_WORDS.get(sign, "PAR")
    innermost = open_brackets[-1][0] if open_brackets else ""
    if sign in CLOSERS and not (sign == "|" and innermost == "|"):
        if len(open_brackets) >= MAX_DEPTH:
            raise refusal(
                f"more than {MAX_DEPTH} brackets inside one another",
                text,
                column,
                "multiply out, or leave brackets away",
            )
        open_brackets.append((sign, column))
        return Word("L" + name, sign, column)
    if not open_brackets:
        raise refusal(f"'{sign}' closes nothing", text, column, "remove it, or open it before")
    if CLOSERS[innermost] != sign:
        raise refusal(
            f"'{innermost}' of column {open_brackets[-1][1]} is closed by '{sign}'",
            text,
            column,
            f"close it with '{CLOSERS[innermost]}'",
        )
    open_brackets.pop()
    return Word("R" + name, sign, column)


def raised(written: str, column: int, symbols: tuple[str, ...]) -> list[Word]:
    """`⁻⁴²` as `^ ( − 4 2 )`."""
    inside = words("".join(SUPERSCRIPTS[sign] for sign in written), symbols)
    moved = [Word(one.type, one.value, column) for one in inside]
    return [Word("POWER", "^", column), Word("LPAR", "(", column), *moved, Word("RPAR", ")", column)]


def word(kind: str, match: re.Match[str], column: int) -> Word:
    written = match[0]
    if kind == "NUMBER":
        return Word(kind, Number(number(written)), column)
    if kind == "VULGAR":
        over, under = unicodedata.normalize("NFKC", written).split("⁄")
        return Word("NUMBER", Number(Fraction(int(over), int(under or 1))), column)
    if kind == "DIGITS":
        over, under = re.findall("[0-9]", written)
        if under == "0":
            raise Unreadable(
                f"a fraction needs a denominator that is not zero: got {shown(written)} at column {column}; correct it"
            )
        return Word("NUMBER", Number(Fraction(int(over), int(under))), column)
    if kind == "CONSTANT":
        return Word("SYMBOL", PI if "π" in written or "pi" in written else E, column)
    if kind == "LOG":
        base = "".join(SUBSCRIPTS.get(sign, sign) for sign in written if sign.isdigit()) or "2"
        if int(base) < 2:
            raise Unreadable(
                f"the base of a logarithm must be at least 2: got {base} at column {column}; use 2, 10 or ln"
            )
        return Word("FUNCTION", f"log_{int(base)}", column)
    if kind == "ROOT":
        index = {"√": "2", "∛": "3", "∜": "4"}.get(written) or re.sub(r"\D", "", written)
        return Word("FUNCTION", "sqrt" if index == "2" else f"root_{index}", column)
    if kind in ("FUNCTION", "OPERATOR"):
        return Word("FUNCTION", FUNCTIONS[re.findall("[a-z]+", written.lower())[-1]], column)
    return Word(SPOKEN.get(written, kind), written, column)
