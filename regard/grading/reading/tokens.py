"""From text to tokens: numbers, symbols in their many spellings, signs, brackets, words; one pass, whatever is asked.

What a word does to the answer around it is said by `vocabulary.py`, which tokens are the answer by `statements.py`.
A name that is no symbol of the question is a token all the same, so that it can be named to its writer.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, cast

from regard.formulas import PI, E, Number, Symbol
from regard.grading.formulas.bounds import MAX_DEPTH, MAX_DIGITS, Unreadable
from regard.grading.formulas.evaluation import Value
from regard.grading.reading.vocabulary import FUNCTIONS, GLUED, LATEX_BRACKETS, SCALES, SIGNS, SILENT, class_of

GREEK_NAMES = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu
    nu xi omicron pi rho sigma tau upsilon phi chi psi omega
"""
GREEK: dict[str, str] = dict(zip(GREEK_NAMES.split(), "αβγδεζηθικλμνξοπρστυφχψω", strict=True))
GREEK |= {name.capitalize(): letter.upper() for name, letter in GREEK.items()}
NAMES = {letter: name for name, letter in GREEK.items()}
SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿᵏᵈʰˡᵐᵗˢᴺᴰᴸᴷᴴ", "0123456789+-()nkdhlmtsNDLKH", strict=True))
SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789aehijklmnoprstuvx", strict=True))
LOWERED = {plain: small for small, plain in SUBSCRIPTS.items()}
CLOSERS = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "|": "|", "⌈": "⌉", "⌊": "⌋", "‖": "‖", "dress": "}", "box": "}"}
KINDS = {"|": "BAR", "⌈": "CEIL", "⌉": "CEIL", "⌊": "FLOOR", "⌋": "FLOOR", "‖": "NORM"}
ORDERS = {"O": "O", "Ο": "O", "bigo": "O", "o": "o", "Θ": "Θ", "ϴ": "Θ", "θ": "Θ", "theta": "Θ", "Ω": "Ω", "omega": "Ω"}
OPENING = {"LPAR", "LBAR", "LCEIL", "LFLOOR", "LNORM"}
CLOSING = {"RPAR", "RBAR", "RCEIL", "RFLOOR", "RNORM"}
OPERANDS = {"NUMBER", "SYMBOL", "FOREIGN", "RPAR", "RBAR", "RCEIL", "RFLOOR"}

INVISIBLE: dict[int, str] = dict.fromkeys((0xAD, 0x200B, 0x2060, 0x2061, 0x2062, 0xFEFF), "")
BOLD = re.compile(r"(?<![\w)*.])(\*\*|__)(?=[^\s*_])([^*\n]*[^\s*])\1(?![\w(*])")
# D_{\text{hid}}, D_{hid}, D_\mathrm{hid} as D_hid
BELOW = re.compile(
    r"_\s*+(?P<open>\{\s*+)?+(?:\\(?:rm|it|text[a-z]*+|math[a-z]++)(?![A-Za-z])\s*+(?P<brace>\{\s*+)?+)?+"
    r"(?P<name>\\?[^\W_]++)\s*+(?(brace)\}\s*+)(?(open)\})"
)
GROUP = r"(?:,|\{,\}|\\,|[\u2009\u202f'’])"
SEVERAL = r"[1-9][0-9]{0,2}(?:[ \u00a0][0-9]{3}){2,}(?![0-9])|[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}(?![0-9.])"
GROUPED = rf"[1-9][0-9]{{0,2}}(?:{GROUP}[0-9]{{3}}){{2,}}(?![0-9]|,[0-9])(?:\.[0-9]+)?|{SEVERAL}"
PAIRED = rf"[0-9]+{GROUP}[0-9]+(?![0-9.])(?!,[0-9])"
DIGITS = r"[0-9]+(?:_[0-9]+)*(?:\.[0-9]+)*|\.[0-9]+"
TEN = r"(?P<ten> ?[eE] ?[-+−–]?[0-9]+(?![0-9]|\.[0-9]))?+"
TIMES_TEN = (
    r"(?:(?:\s*+(?:[·×*⋅xX]|\\cdot|\\times)|\s++)\s*+10\s*+(?:(?:\^|\*\*)\s*+[{(]?\s*+(?P<power>[-−–+]?\s*+[0-9]+)\s*+[)}]?"
    r"|(?P<small>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)))?+"
)
UNITS = r"(?=(?:MACs?|FLOPs?|FLOPS|[Pp]arams?|[Oo]ps)\b)"
NAMED = "|".join(word for word in SCALES if len(word) > 1)
SCALE = rf"(?:[\s$]*+(?P<scale>\\?%|‰|[kKMGBT](?![A-Za-z])|[kKMGBT]{UNITS}|(?:{NAMED})\b\.?))?+"
SMALL = "".join((*SUPERSCRIPTS, *SUBSCRIPTS, "ᵀ"))
LETTERS = re.compile(rf"(?:[^\W\d_{SMALL}](?:['’](?=[a-z]))?+|(?<=[a-z])-(?=[a-z]{{2}}))++")
DOTTED = re.compile(
    r"(?P<big>[Bb]ig[- ]?O(?=\s*[(\[{]|\s+of\s))|(?P<restate>i\.? ?e\.)|(?P<reason>e\.? ?g\.)"
    r"|(?P<skip>(?:math|np|numpy|torch|jnp|sp|sympy)\.)(?=[A-Za-z])"
)
INDEX = re.compile(
    r"\s*+(?:_\s*+\{?\s*+([0-9]{1,3})\s*+\}?|([₀-₉]{1,3}))"
    r"|(2|10)(?![0-9.,])(?=\s*(?:[^\W\d_]|[(\[{√⌈⌊]|\\(?!cdot|times|right))|\s+[0-9])"
)
OTHER = re.compile(
    r"(?P<ROW>\\\\(?:\s*\[[0-9.]+\s*[a-z]{2}\])?|\\cr(?![A-Za-z])|\n)"
    r"|(?P<SPACE>\$|~(?!=)|\\[,;:! ()\[\]]|`|[^\S\n]+)"
    r"|(?P<MATRIX>\\(?:begin|end)\s*\{[a-zA-Z]*(?:matrix|array)\*?\}(?:\[[lcr]\])?(?:\{[lcr| ]*\})?)"
    r"|(?P<ENVIRONMENT>\\(?:begin|end)\s*\{[A-Za-z]+\*?\})"
    r"|(?P<COMMAND>\\(?:[A-Za-z]+\*?|[{}|]))"
    r"|(?P<RAISED>[" + "".join(SUPERSCRIPTS) + r"]+)"
    r"|(?P<VULGAR>[¼-¾⅐-⅞])"
    r"|(?P<SIGN>\*\*|//|:=|==>|<=|>=|=>|==|-+>|~=|!=|\.\.+|ᵀ|[^\w\s\\])"
)


@dataclass(frozen=True, kw_only=True)
class Numeral:
    """A number as given: its value, and the place value of its last digit (None: exact, such as `1/3` or `7`)."""

    text: str
    value: Value
    unit: Fraction | None = None
    other: "Numeral | None" = field(default=None, repr=False)  # 5,638 is 5638, and here 5.638; 67,109 K the other way
    scaled: bool = field(default=False, repr=False)  # 8.4M


class Word(NamedTuple):
    """A token: its type, its value (a node, a name, what a word does), its column from 1, whether space precedes."""

    type: str
    value: Any
    column: int
    spaced: bool = False
    literal: Numeral | None = None
    end: int = 0
    start_pos = end_pos = line = end_line = end_column = None  # Lark copies these to its end token

    @property
    def turn(self) -> int:
        """1 where a bracket opens, −1 where one closes."""
        return (self.type in OPENING) - (self.type in CLOSING)

    def says(self, *classes: str) -> bool:
        """Whether it is a word that does one of these."""
        return self.type == "WORD" and self.value in classes


def split_at(words: list[Word], cuts: Callable[[Word], bool]) -> list[tuple[Word | None, list[Word]]]:
    """The tokens between those that cut where no bracket is open, each run with the token before it."""
    parts: list[tuple[Word | None, list[Word]]] = [(None, [])]
    depth = 0
    for word in words:
        depth += word.turn
        if not depth and cuts(word):
            parts.append((word, []))
        else:
            parts[-1][1].append(word)
    return parts


def text_of(words: list[Word], text: str) -> str:
    """The text that some tokens were made of."""
    return text[words[0].column - 1 : max(word.end for word in words)].strip()


def quoted(text: str, longest: int = 24) -> str:
    """Somebody's text made safe to print: short, marks and controls as code points."""
    safe = "".join(
        sign if sign.isprintable() and unicodedata.category(sign)[0] != "M" else f"\\u{ord(sign):04x}"
        for sign in text[:longest]
    )
    return f"'{safe}{'…' if len(text) > longest else ''}'"


def refusal(what: str, text: str, column: int, todo: str) -> Unreadable:
    """`what` at `column` (from 1) of `text`, with the bit of text there, and what to do."""
    start = max(0, column - 9)
    bit = "…" * bool(start) + quoted(text[start : column + 11], 40)[1:-1] + "…" * (len(text) > column + 11)
    return Unreadable(f"{what} at column {column} of '{bit}'; {todo}")


def plain(text: str) -> str:
    """Ordinary letters for full-width and mathematical ones, plain subscripts, no Markdown; columns stay."""
    if not text.isascii():
        text = "".join(
            unicodedata.normalize("NFKC", sign)
            if 0xFF01 <= ord(sign) <= 0xFF5E or 0x1D400 <= ord(sign) <= 0x1D7FF or ord(sign) == 0xB5
            else INVISIBLE.get(ord(sign), sign)
            for sign in text
        )
    text = BELOW.sub(lambda found: f"_{found['name']}".ljust(len(found[0])), text)
    return BOLD.sub(lambda found: f"  {found[2]}  ", text)


def spellings(symbol: str) -> Iterator[str]:
    r"""`n_t`, `nₜ`; `β`, `beta`, `\beta`."""
    base, _, below = symbol.partition("_")
    if not below and (match := re.fullmatch(r"([^\W\d_]+)(\d+)", symbol)):
        base, below = match.groups()
    letter = GREEK.get(base.lstrip("\\"), base.lstrip("\\"))
    bases = [letter, *((NAMES[letter], "\\" + NAMES[letter]) if letter in NAMES else ())]
    below = below.strip("{}").lstrip("\\")
    under = GREEK.get(below, below)
    tails = [f"_{one}" for one in (under, NAMES.get(under), NAMES.get(under) and f"\\{NAMES[under]}") if one]
    if under and all(sign in LOWERED for sign in under):
        tails.append("".join(LOWERED[sign] for sign in under))
    if under and "_" not in symbol:
        tails.append(under)
    yield from (base + tail for base in bases for tail in tails or [""])


@lru_cache(maxsize=256)
def spelling(symbols: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, tuple[str, bool]]]:
    """The spellings of these symbols, the longest first; each with its symbol, and whether in the other letter case."""
    for symbol in symbols:
        if not re.fullmatch(r"\\?[^\W\d_]+\d*(?:_\{?\\?[^\W_]+\}?)?", symbol) or symbol in FUNCTIONS:
            letters = "a symbol must be letters, perhaps with a subscript"
            raise ValueError(f"{letters}: got {symbol!r}; write N, d_model or β")
    known = {variant: (symbol, False) for symbol in symbols for variant in spellings(symbol)}
    if len({owner for owner, _ in known.values()}) < len(symbols):
        raise ValueError(f"symbols must differ: got {', '.join(symbols)}; leave one of the two spellings out")
    joined = re.compile("(?:" + "|".join(map(re.escape, known)) + ")+") if known else re.compile("(?!)")
    folded: dict[str, set[str]] = {}
    for symbol in symbols:
        base, mark, below = symbol.partition("_")
        if mark and not joined.fullmatch(tight := base + below.strip("{}")):
            known.setdefault(tight, (symbol, False))
        for one, two in {(one, two) for one in (base, base.swapcase()) for two in (below, below.swapcase())}:
            if (one, two) != (base, below) and (len(base) == 1 or one == base):
                for written in spellings(one + mark + two):
                    folded.setdefault(written, set()).add(symbol)
    for written, owners in folded.items():
        if len(owners) == 1 and written not in known and written not in ("e", "π", "\\pi", "pi"):
            known[written] = (owners.pop(), True)
    words = sorted(known, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(re.escape, words)) or "(?!)"), known


@lru_cache(maxsize=16)
def number_pattern(listed: bool, counting: bool, scientific: bool) -> re.Pattern[str]:
    """Numbers: with commas inside or between them, and with what else may follow."""
    final = r"[0-9]+\.(?=[\s,;\])&}]|$)|" if listed else ""
    number = f"(?P<grouped>{GROUPED})|(?P<paired>{PAIRED})|(?P<digits>{final}{DIGITS})"
    return re.compile(f"(?:{number}){TEN if scientific else ''}{TIMES_TEN + SCALE if counting else ''}")


class Reader:
    """One text, from left to right; `listed`: several numbers are meant."""

    def __init__(self, text: str, symbols: tuple[str, ...], listed: bool = False):
        self.text, self.symbols, self.listed = text, symbols, listed
        self.pattern, self.spelt = spelling(symbols)
        exact = {symbol for symbol, (_, folded) in self.spelt.items() if not folded}
        self.numbers = number_pattern(listed, not symbols, not exact & {"e", "E"})
        self.made: list[Word] = []
        self.open: list[tuple[str, int]] = []
        self.place, self.spaced = 0, False

    def read(self) -> list[Word]:
        """The tokens; raises `Unreadable`."""
        text = self.text
        while self.place < len(text):
            start, sign = self.place, text[self.place]
            if "0" <= sign <= "9" or (sign == "." and "0" <= text[start + 1 : start + 2] <= "9"):
                self.digits()
            elif sign.isalpha() and sign not in SMALL:
                self.letters()
            elif found := OTHER.match(text, start):
                self.other(found)
            if self.place == start:
                raise self.unknown()
        if self.open:
            sign, column = self.open[-1]
            raise refusal(f"'{sign}' is opened and never closed", text, column, f"close it with '{CLOSERS[sign]}'")
        return self.made

    def add(self, type: str, value: Any, length: int, literal: Numeral | None = None) -> None:
        self.made.append(Word(type, value, self.place + 1, self.spaced, literal, self.place + length))
        self.place, self.spaced = self.place + length, False

    def skip(self, length: int) -> None:
        self.place, self.spaced = self.place + length, True

    def digits(self) -> None:
        """A number, with the power of ten, the scale and the commas that belong to it."""
        found = self.numbers.match(self.text, self.place)
        assert found is not None
        groups = found.groupdict()
        if (groups.get("power") or groups.get("small")) and self.follows("OVER", "POWER", "FUNCTION"):  # 1/2 · 10^3
            found = number_pattern(self.listed, False, True).match(self.text, self.place)
            assert found is not None
            groups = found.groupdict()
        scale = (groups.get("scale") or "").lstrip("\\").rstrip(".")
        raised = "".join(SUPERSCRIPTS[sign] for sign in groups.get("small") or "")
        tens = [re.sub(r"[eE\s+]", "", one or "") for one in (groups.get("ten"), groups.get("power"), raised)]
        if max(map(len, tens)) > 5:
            raise too_long(found[0])
        power = sum(int(re.sub("[−–]", "-", ten) or 0) for ten in tens) + SCALES.get(scale, 0)
        rounded = any(tens) or bool(scale)
        made = lambda digits: literal(found[0].strip(), digits, power, bool(scale), rounded)  # noqa: E731
        pair = groups.get("paired")
        digits = groups["digits"] or re.sub(r"[^0-9.]", "", groups.get("grouped") or (pair or "").replace(",", "."))
        digits = digits.replace(".", "") if groups.get("grouped") and digits.count(".") > 1 else digits
        if digits.count(".") > 1:
            todo = f"write {digits.replace('.', '')}, or one dot alone"
            raise self.refusal("dots do not group digits, the dot is the decimal point:", todo)
        if scale in ("%", "‰") and self.follows("OVER"):  # 25/2 %
            self.add("NUMBER", Number(Fraction(digits)), 0)
            self.add("OVER", "/", 0)
            return self.add("NUMBER", Number(Fraction(10) ** -SCALES[scale]), len(found[0]))
        return self.paired(found, made, rounded) if pair else self.number(made(digits.replace("_", "")), found[0])

    def paired(self, found: re.Match[str], made: Callable[[str], Numeral], rounded: bool) -> None:
        """Digits with a comma, or another sign that groups, between them: a decimal, thousands, or two numbers."""
        whole, part = re.split(r"\D+", found["paired"])
        between = self.follows("LPAR") and [word.type for word in self.made[-2:-1]] != ["POWER"]
        two = between and self.text[found.end() : found.end() + 1] in (")", "]")
        if two or (self.follows("POWER") and whole != "0"):
            return self.number(literal(whole, whole, 0, False, False), whole)
        thousands = len(part) == 3 and len(whole) <= 3
        if "," not in found["paired"]:
            return self.number(made(whole + part), found[0]) if thousands else None
        one = made(f"{whole}.{part}")
        if whole[0] != "0" and thousands:  # 5,638 is 5638, 5,638e-42 is not
            one, other = (one, made(whole + part)) if rounded else (made(whole + part), one)
            one = replace(one, other=other)
        return self.number(one, found[0])

    def number(self, literal: Numeral, written: str) -> None:
        self.add("NUMBER", Number(cast("Fraction", literal.value)), len(written), literal)

    def follows(self, *types: str) -> bool:
        """Whether the last token is one of these."""
        return bool(self.made) and self.made[-1].type in types

    def refusal(self, what: str, todo: str) -> Unreadable:
        return refusal(what, self.text, self.place + 1, todo)

    def letters(self) -> None:
        """A run of letters: a word that is known, a product of symbols and functions, or a name."""
        text, start = self.text, self.place
        if found := DOTTED.match(text, start):
            if found["skip"]:
                return self.skip(len(found[0]))
            if found["big"]:
                return self.add("FUNCTION", "O", len(found[0]))
            return self.add("WORD", found.lastgroup, len(found[0]))
        match = LETTERS.match(text, start)
        run = match[0] if match else text[start]
        if "-" in run and not class_of(run):
            run = run.partition("-")[0]
        end, lower = start + len(run), run.casefold()
        below = text[end : end + 1] == "_" or text[end : end + 1] in SUBSCRIPTS
        called = re.match(r"\s*\}?\s*(?:\\left|\\[bB]igg?l?)?\s*[(\[{]", text[end : end + 20])
        spelt, after = self.product(start)
        whole = bool(spelt) and after >= end
        kind = "" if below else class_of(run)
        if run in ("a", "A", "i", "I") and not re.match(r"\s+[^\W\d_]{2}", text[end : end + 9]):
            kind = ""  # a name, not the article
        if lower in FUNCTIONS and not (below and lower != "log") and (not whole or (called and not run.isupper())):
            self.add("FUNCTION", FUNCTIONS[lower], len(run))
            return self.index(FUNCTIONS[lower])
        if kind and not (whole and (len(run) < 3 or kind == "unit")):
            return self.add("WORD", lower if kind == "spoken" else kind, len(run))
        if whole:
            return self.pieces(spelt, after)
        if called and (letter := ORDERS.get(run) or ORDERS.get(lower)):
            return self.add("FUNCTION", letter, len(run))
        return self.name(run)

    def product(self, start: int) -> tuple[list[tuple[str, str]], int]:
        """A run as symbols and functions without space between: `nd`, `n_tn_sD`, `NlogN`, `NxN`, `ae`; or none."""
        pieces: list[tuple[str, str]] = []
        place, text = start, self.text
        while place < len(text) and (
            (text[place].isalpha() and text[place] not in SMALL) or (place == start and text[place] == "\\")
        ):
            if found := self.pattern.match(text, place):
                pieces.append(("SYMBOL", found[0]))
                after = text[found.end() : found.end() + 1]
                if after == "_" or (after in SUBSCRIPTS and after):
                    return [], place
            elif found := GLUED.match(text, place):
                pieces.append(("FUNCTION", found[0]))
            elif text[place] == "e":
                pieces.append(("CONSTANT", "e"))
            elif text[place] in "xX" and pieces and text[place + 1 : place + 2].isalpha():
                pieces.append(("TIMES", "x"))
            else:
                return [], place
            place += len(pieces[-1][1])
        proper = any(kind == "SYMBOL" for kind, _ in pieces) or pieces == [("CONSTANT", "e")]
        return (pieces if proper else []), place

    def pieces(self, spelt: list[tuple[str, str]], end: int) -> None:
        for kind, written in spelt:
            if kind == "SYMBOL":
                owner, folded = self.spelt[written]
                self.add("FOLDED" if folded else "SYMBOL", (owner, written) if folded else Symbol(owner), len(written))
            elif kind == "FUNCTION":
                self.add("FUNCTION", FUNCTIONS[written.lower()], len(written))
            else:
                self.add("SYMBOL" if kind == "CONSTANT" else kind, E, 1)
        self.place = end
        if spelt[-1][0] == "FUNCTION":
            self.index(self.made[-1].value)

    def index(self, function: str) -> None:
        """The base of a logarithm: `log_2`, `log₂`, `log2 N`, but log2 before a sign is that of 2."""
        found = INDEX.match(self.text, self.place) if function == "log" else None
        if found:
            base = int("".join(SUBSCRIPTS.get(sign, sign) for sign in next(filter(None, found.groups()))))
            if base < 2:
                where = f"{base} at column {self.place}"
                raise Unreadable(f"the base of a logarithm must be at least 2: got {where}; use 2, 10 or ln")
            self.made[-1] = self.made[-1]._replace(value=f"log_{base}")
            self.place = found.end()

    def name(self, run: str) -> None:
        """What is no symbol of the question: a name with a subscript or of a letter or two, else a word."""
        end = self.place + len(run)
        found = re.compile(r"_(\\?[^\W_]+)|([₀-₉ₐ-ₜ]+)").match(self.text, end)
        below = "".join(SUBSCRIPTS.get(sign, sign) for sign in found[1] or found[2]) if found else ""
        greek = GREEK.get(run, run if run in NAMES else "")
        if run in ("pi", "π") and not below:
            return self.add("SYMBOL", PI, len(run))
        if run in ("x", "X") and not below and self.is_cross():
            return self.add("TIMES", run, 1)
        if below or greek or len(run) == 1:
            length = len(run) + len(found[0] if found else "")
            return self.add("FOREIGN", (greek or run) + f"_{below}" * bool(below), length)
        if len(run) <= 3 and (run.isupper() or self.pattern.match(run)):
            for _ in run:
                one = self.pattern.match(self.text, self.place)
                if one:
                    self.pieces([("SYMBOL", one[0])], self.place + len(one[0]))
                elif self.place < end:
                    self.add("FOREIGN", self.text[self.place], 1)
            return None
        return self.add("WORD", "other", len(run))

    def is_cross(self) -> bool:
        """Whether an x is a times sign: between two factors, or beside the only one."""
        after = self.text[self.place + 1 :].lstrip()[:1]
        if not self.made:
            return after.isdigit()
        before = self.follows(*OPERANDS, "FOLDED") and self.text[self.place - 1] != "0"
        return before and (after.isalnum() or after in tuple("([{√⌈⌊\\.") or not (after or self.symbols))

    def other(self, found: re.Match[str]) -> None:
        kind, written = found.lastgroup, found[0]
        if kind == "SPACE":
            self.skip(len(written))
        elif kind in ("ROW", "ENVIRONMENT"):
            self.add("BREAK", "\n", len(written))
        elif kind == "MATRIX":
            self.add("LPAR" if "begin" in written else "RPAR", "matrix", len(written))
        elif kind == "COMMAND":
            self.command(written, written.strip("\\*"))
        elif kind == "RAISED":
            inside = Reader("".join(SUPERSCRIPTS[sign] for sign in written), self.symbols).read()
            column = self.place + 1
            words = [one._replace(column=column) for one in inside]
            self.made += [Word("POWER", "^", column), Word("LPAR", "(", column), *words, Word("RPAR", ")", column)]
            self.place += len(written)
        elif kind == "VULGAR":
            over, under = unicodedata.normalize("NFKC", written).split("⁄")
            self.add("NUMBER", Number(Fraction(int(over), int(under or 1))), 1)
        elif written in "()[]{}|⌈⌉⌊⌋⟨⟩‖":
            self.bracket(written, 1)
        else:
            self.sign(written)

    def sign(self, written: str) -> None:
        kind = SIGNS.get(written)
        if kind is None or (written == "!" and self.symbols and self.follows(*OPERANDS, "FOLDED")):  # a factorial
            return
        if written == ";" and not self.listed and self.open and self.open[-1][0] in ("(", "{", "["):
            self.add("COMMA", written, 1)  # MIN(a;b)
        elif kind == "ROOT":
            self.add("FUNCTION", {"√": "sqrt", "∛": "root_3", "∜": "root_4"}[written], 1)
        else:
            self.add(kind, written, len(written))

    def command(self, written: str, name: str) -> None:
        text, after = self.text, self.place + len(written)
        if name in SILENT:
            gap = len(text[after : after + 20]) - len(text[after : after + 20].lstrip())
            if text[after + gap : after + gap + 1] == "{" and name not in ("left", "right"):
                boxed = name in ("boxed", "fbox")
                self.open.append(("box" if boxed else "dress", self.place + 1))
                return self.add("BREAK", "box", len(written) + gap + 1) if boxed else self.skip(len(written) + gap + 1)
            return self.skip(len(written))
        if name in LATEX_BRACKETS:
            return self.bracket(LATEX_BRACKETS[name], len(written))
        if name.endswith("frac") and len(name) < 6:
            found = re.compile(r"\s*+([0-9])\s*+([0-9])(?![0-9])").match(text, after)
            if found and found[2] == "0":
                raise self.refusal("a fraction needs a denominator that is not zero", "correct it")
            if found:
                return self.add("NUMBER", Number(Fraction(int(found[1]), int(found[2]))), found.end() - self.place)
            return self.add("FRACTION", written, len(written))
        if name == "sqrt":
            found = re.compile(r"\s*+\[\s*+([2-9])\s*+\]").match(text, after)
            function = f"root_{found[1]}" if found and found[1] != "2" else "sqrt"
            return self.add("FUNCTION", function, len(written) + len(found[0] if found else ""))
        if name.casefold() in FUNCTIONS:
            self.add("FUNCTION", FUNCTIONS[name.casefold()], len(written))
            return self.index(self.made[-1].value)
        if "\\" + name in SIGNS:
            return self.add(SIGNS["\\" + name], written, len(written))
        spelt, end = self.product(self.place)
        if spelt and end == after:
            return self.pieces(spelt, end)
        if name in ("Theta", "Omega", "O"):
            return self.add("FUNCTION", GREEK.get(name, name), len(written))
        if name in GREEK:
            self.place += 1
            return self.name(name)
        return self.add("SYMBOL", E, 2) if name == "e" else None

    def bracket(self, sign: str, length: int) -> None:
        """Pair a bracket with the one that it closes; `|` closes when the innermost open one is a `|`."""
        name, column = KINDS.get(sign, "PAR"), self.place + 1
        innermost = self.open[-1][0] if self.open else ""
        if sign in CLOSERS and not (sign in "|‖" and innermost == sign):
            if len(self.open) >= MAX_DEPTH:
                what = f"more than {MAX_DEPTH} brackets inside one another"
                raise self.refusal(what, "multiply out, or leave brackets away")
            self.open.append((sign, column))
            return self.add("L" + name, sign, length)
        if not innermost:
            raise self.refusal(f"'{sign}' closes nothing", "remove it, or open it before")
        if CLOSERS[innermost] != sign:
            what = f"'{innermost}' of column {self.open[-1][1]} is closed by '{sign}'"
            raise self.refusal(what, f"close it with '{CLOSERS[innermost]}'")
        self.open.pop()
        if innermost in ("dress", "box"):
            return self.skip(length) if innermost == "dress" else self.add("BREAK", "boxed", length)
        return self.add("R" + name, sign, length)

    def unknown(self) -> Unreadable:
        """What to say of a place where nothing that can be read begins."""
        sign = self.text[self.place]
        if word := re.compile(r"\\[A-Za-z]*").match(self.text, self.place):
            return self.refusal(f"unknown word {quoted(word[0])}", known(self.symbols))
        if sign == "_":
            return self.refusal("unknown subscript", known(self.symbols))
        if not sign.isprintable() or unicodedata.category(sign)[0] in "CM":
            name = f"U+{ord(sign):04X} {unicodedata.name(sign, 'a control character')}"
            return self.refusal(f"unreadable character {name}", "retype this place in plain letters")
        return self.refusal(f"unexpected {quoted(sign)}", "use + − · / ^ ( ) and the symbols of the question")


def too_long(text: str) -> Unreadable:
    most = f"a number may have {MAX_DIGITS} digits at most"
    return Unreadable(f"{most}: got {quoted(text)}; write it as a power, such as 2^100")


def known(symbols: tuple[str, ...]) -> str:
    return f"the symbols here are {', '.join(symbols)}" if symbols else "there are no symbols here, only numbers"


def literal(text: str, digits: str, power: int, scaled: bool, rounded: bool) -> Numeral:
    """The value of digits, refused before it is computed when they are too many."""
    places = len(digits.partition(".")[2])
    if len(digits) > MAX_DIGITS or abs(power) > MAX_DIGITS:
        raise too_long(text)
    unit = Fraction(10) ** (power - places) if "." in digits or rounded else None
    return Numeral(text=text, value=Fraction(digits.rstrip(".")) * Fraction(10) ** power, unit=unit, scaled=scaled)
