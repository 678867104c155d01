"""Which tokens of a text are the answer: statements, parted by signs and words, and what each of them is there for.

The words that part statements say what the next one is: a conclusion (`so`, `total`, a box), a reason (`because`), what
is denied (`not`) or left open (`or`), the same once more (`i.e.`). The answer is what is concluded, else what stands
first, and what is left open or said once more must agree with it. A word that could turn the sense (`per`, `almost`)
makes the answer unreadable, not wrong.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from regard.formulas import Number, Symbol
from regard.grading.formulas.bounds import Unreadable
from regard.grading.reading.tokens import OPERANDS, Reader, Word, known, plain, quoted, refusal, split_at, text_of
from regard.grading.reading.vocabulary import CLASSES, NUMERALS

MODEL = {"model", "emb", "embed", "embedding", "seq", "tokens", "tok", "hidden"}  # D_model is D
WIDTH = {"k", "key", "q", "head", "h"}  # d_k is d where that is the only symbol
SIGNS = {"PLUS", "MINUS", "TIMES", "OVER", "FLOORED", "POWER"}
RELATIONS = {"EQUALS", "ABOUT", "LESS", "MORE"}
FLOPS = {"flop", "flops", "gflops", "mflops", "gflop", "mflop"}
MACS = {"mac", "macs", "madd", "madds", "multiply-add", "multiply-adds", "multiply-accumulates"}


@dataclass
class Statement:
    """Some tokens, what they are there for, and the name that they are given."""

    role: str = "plain"
    words: list[Word] = field(default_factory=list)
    label: str = ""


@dataclass
class Chain:
    """`a = b ≈ c`: each side with the sign before it; names of what is asked for are left out."""

    sides: list[tuple[str, list[Word]]]
    name: str = ""
    sure: bool = True  # no word was passed over that is not known
    unit: str = ""
    optional: bool = False  # said after the answer: if it can be read it must agree, else it is a remark


@dataclass
class Answer:
    """The chain that is the answer, those that must agree with it, what names stand for, and the unit it is in."""

    text: str
    chains: list[Chain]
    definitions: dict[str, list[Word]]
    unit: str = ""

    @property
    def sure(self) -> bool:
        return all(chain.sure for chain in self.chains)


@lru_cache(maxsize=1024)  # a class repeats answers, and each has two readings
def find_answer(text: str, symbols: tuple[str, ...]) -> Answer:
    """The answer in a text, not to be changed; raises `Unreadable`."""
    clear = plain(text)
    if re.fullmatch(r"\|\s[^|]*\s\|", clear.strip()):  # a cell of a table
        clear = clear.replace("|", " ")
    words = settle(Reader(clear, symbols).read(), symbols)
    statements = split(without_remarks(speak(words), clear), clear)
    definitions: dict[str, list[Word]] = {}
    chains: dict[str, list[Chain]] = {"plain": [], "conclude": [], "agree": [], "deny": [], "reason": []}
    last = max((place for place, one in enumerate(statements) if one.role == "conclude" and has_value(one)), default=-1)
    for place, statement in enumerate(statements):
        collect(statement, place < last, chains, definitions, symbols, clear)
    concluded, first = chains["conclude"], chains["plain"]
    names = dict.fromkeys(chain.name for chain in [*first, *chains["agree"]] if chain.name)
    if not concluded and len(names) > 1:
        one, two = list(names)[:2]
        raise Unreadable(f"one formula is asked for: got {quoted(one)} and {quoted(two)} apart; add the parts")
    found = concluded[-1:] or [chain for chain in first if not chain.name] or first or chains["reason"][:1]
    if not found:
        denied = "an answer says what is, not what is not", "write the answer alone"
        what, todo = denied if chains["deny"] else ("a formula must not be empty", "write a number or a formula")
        raise Unreadable(f"{what}: got {quoted(text)}; {todo}")
    unit = found[0].unit or unit_of(clear, words)
    others = [chain for chain in chains["agree"] if chain.unit in ("", unit) and not (concluded and chain.optional)]
    return Answer(clear, [*found, *others], definitions, unit)


def has_value(statement: Statement) -> bool:
    return any(word.type in OPERANDS for word in statement.words)


def collect(
    statement: Statement,
    working: bool,
    chains: dict[str, list[Chain]],
    definitions: dict[str, list[Word]],
    symbols: tuple[str, ...],
    text: str,
) -> None:
    """Put a statement where it belongs; what is no answer, as the `working` before a conclusion, may be anything."""
    role = statement.role if not working or statement.role == "deny" else "reason"
    later = bool(chains["plain"] or chains["conclude"])
    words = statement.words
    comment = any(word.type == "WORD" and word.value not in ("filler", "unit") for word in words)
    if role == "plain" and later and (comment or words[0].type == "PLUS"):
        return  # a remark
    try:
        chain = chain_of(statement, symbols, text)
    except Unreadable:
        remark = later and role == "plain" and any(word.type in ("WORD", "FOREIGN") for word in words)
        if role in ("reason", "deny", "restate") or remark:
            return
        raise
    if chain is None:
        return
    if chain.name and len(chain.sides) == 1:
        definitions.setdefault(chain.name, chain.sides[0][1])
    chain.optional = later and role in ("plain", "restate")
    if role in ("hedge", "restate") or chain.optional:
        chains["agree" if later else "plain"].append(chain)
    else:
        chains[role].append(chain)


def settle(words: list[Word], symbols: tuple[str, ...]) -> list[Word]:
    """Names in another letter case, and `d_model`, as the symbols they are, where these do not stand beside them."""
    exact = {word.value.name for word in words if word.type == "SYMBOL"}
    made = []
    for word in words:
        if word.type == "FOLDED":
            owner, name = word.value
            kind, value = ("FOREIGN", name) if owner in exact else ("SYMBOL", Symbol(owner))
            word = word._replace(type=kind, value=value)
        elif word.type == "FOREIGN":
            base, _, below = word.value.partition("_")
            alike = [base] if base in symbols else [one for one in symbols if one.casefold() == base.casefold()]
            meant = below.casefold() in MODEL or (below in WIDTH and len(symbols) == 1)
            if len(alike) == 1 and meant and alike[0] not in exact:
                word = word._replace(type="SYMBOL", value=Symbol(alike[0]))
        made.append(word)
    return made


# What is said, and the tokens for it; `several(` opens a call that "and" parts and the next word closes.
SAID = """
    to the power of: ^; to the power: ^; to the: ^; squared: ^ 2; cubed: ^ 3; square root of: sqrt; square root: sqrt
    root of: sqrt; root: sqrt; square of: square; cube of: cube; divided by: /; over: /; multiplied by: *; times: *
    plus: +; minus: -; half of: 1/2 *; half: 1/2; twice: 2; double: 2; at most: ; up to: ; raised: ; min of: min (
    max of: max (; minimum of: min (; smaller of: min (; maximum of: max (; larger of: max (; product of: product (
    sum of: sum (
"""
TOKENS = {"^": "POWER", "/": "OVER", "*": "TIMES", "+": "PLUS", "-": "MINUS", "(": "LPAR"}
PAIRS = [pair.partition(":") for line in SAID.strip().splitlines() for pair in line.split(";")]
PHRASES: dict[tuple[str, ...], list[str]] = {(word,): [str(value)] for word, value in NUMERALS.items()}
PHRASES.update((tuple(map(str, said.split())), [*map(str, signs.split())]) for said, _, signs in PAIRS)
LEFT = {"and": "and", "most": "alter", "up": "alter", "at": "for"}  # words of phrases that stand alone


def speak(words: list[Word]) -> list[Word]:
    """Signs for what is said in words: `N squared`, `one over the square root of d`, `the minimum of a and b`."""
    made: list[Word] = []
    place, open_calls = 0, 0
    while place < len(words):
        word = words[place]
        said = tuple(
            one.value if one.type == "WORD" or one.value in ("min", "max") else "" for one in words[place : place + 4]
        )
        phrase = next((said[:length] for length in (4, 3, 2, 1) if said[:length] in PHRASES), ())
        place += len(phrase) or 1
        if phrase:
            made += [spoken(sign, word.column) for sign in PHRASES[phrase]]
            open_calls += "(" in PHRASES[phrase]
        elif word.says("and") and open_calls:
            made.append(word._replace(type="COMMA"))
        elif word.says("fold") and made and made[-1].type == "MINUS":
            made.pop()
        elif open_calls and (word.type in ("BREAK", "WORD") or word.type in RELATIONS):
            made += [Word("RPAR", ")", word.column)] * open_calls + [word]
            open_calls = 0
        elif word.type == "WORD" and word.value != "other" and word.value not in CLASSES:
            made.append(word._replace(value=LEFT.get(word.value, "filler")))
        else:
            made.append(word)
    return made + [Word("RPAR", ")", len(made))] * open_calls


def spoken(sign: str, column: int) -> Word:
    """The token of a sign, a number or a function of `SAID`."""
    if sign[0].isdigit():
        return Word("NUMBER", Number(Fraction(sign)), column, True)
    return Word(TOKENS.get(sign, "FUNCTION"), sign, column, True)


def unit_of(text: str, words: list[Word]) -> str:
    """Whether FLOPs or multiply-adds are named as what is counted: the last unit outside of reasons."""
    found = ""
    for word in words:
        if word.says("reason"):
            break
        if word.says("unit"):
            written = text_of([word], text).casefold()
            found = "flops" if written in FLOPS else "multiply-adds" if written in MACS else found
    return found


def without_remarks(words: list[Word], text: str) -> list[Word]:
    """Without brackets in which words or names stand after an operand: `D² (weights)`, `K² (one per tap)`."""
    made: list[Word] = []
    starts: list[int] = []
    for word in words:
        made.append(word)
        if word.turn > 0:
            starts.append(len(made) - 1)
        elif word.turn < 0 and starts:
            start = starts.pop()
            inside = made[start + 1 : -1]
            before = made[start - 1] if start else None
            if word.type != "RPAR" or not inside or not speaks(inside, before):
                continue
            if inside[0].says("alter") and text_of(inside[:1], text) != "every":
                raise conditional(inside[0], text)
            called = before is not None and before.type in ("WORD", "FOREIGN") and not made[start].spaced
            if before is None and word is words[-1]:
                made = inside
            elif not called and (
                before is None or before.turn < 0 or before.type in (*OPERANDS, "BREAK", "COMMA", "WORD")
            ):
                made[start:] = []
    return made


def conditional(word: Word, text: str) -> Unreadable:
    return refusal("a condition changes the answer", text, word.column, "write one formula for all of it")


def speaks(inside: list[Word], before: Word | None) -> bool:
    """Whether a bracket holds words, an equation or names alone."""
    if before is not None and before.type in ("FUNCTION", "FRACTION", "POWER"):
        return False
    if any(word.type in ("WORD", "DENY", "CONCLUDE", *RELATIONS) for word in inside):
        return True
    names = [word for word in inside if word.type in ("SYMBOL", "NUMBER", "FOREIGN")]
    return bool(names) and before is not None and all(word.type == "FOREIGN" for word in names)


def split(words: list[Word], text: str) -> list[Statement]:
    """Statements, each with its role."""
    made = [Statement()]
    depth = 0

    def begin(role: str) -> None:
        if made[-1].words or role != "plain":
            made.append(Statement(role))

    for place, word in enumerate(words):
        depth += word.turn
        now, value = made[-1], word.value if word.type == "WORD" else ""
        following = words[place + 1] if place + 1 < len(words) else None
        kinds = [one.type for one in words[place + 1 : place + 3]]
        if depth:
            now.words.append(word)
        elif word.type == "BREAK" and word.value == "?":
            raise Unreadable(f"an answer must not be a question: got {quoted(text)}; write the answer alone")
        elif word.type == "BREAK" or word.type == "COMMA":
            inner = now.role == "reason" and word.type == "COMMA" and any(one.words for one in made[:-1])
            begin("conclude" if word.value == "box" else "reason" if inner else "plain")
        elif word.type in ("CONCLUDE", "DENY"):
            begin(word.type.lower())
        elif word.type == "MINUS" and word.spaced and kinds == ["WORD", "WORD"]:
            begin("plain")  # a dash
        elif word.type == "COLON" and now.role == "reason":
            begin("conclude")
        elif word.type == "COLON":
            label(now, word, text)
        elif value == "for" and has_value(now) and kinds in (["SYMBOL", "EQUALS"], ["FOREIGN", "EQUALS"]):
            begin("reason")  # for D = 1
        elif value == "and":
            conjoin(word, following, now, begin)
        elif value == "conclude" and following and following.type == "WORD" and text_of([following], text) == "that":
            begin("reason")
        elif value == "conclude" or (value in ("reason", "deny", "hedge", "restate") and now.role != "reason"):
            begin(value)
        else:
            now.words.append(word)
    return [one for one in made if one.words or one.role == "deny"]


def conjoin(word: Word, following: Word | None, now: Statement, begin: Callable[[str], None]) -> None:
    """`D² weights and D biases` is a sum, `in rows and columns` words, and `D and D²` are two answers."""
    if now.role in ("reason", "deny") or not has_value(now):
        now.words.append(word._replace(value="filler"))
    elif now.words[-1].says("unit") and following and following.type in (*OPERANDS, "LPAR", "FUNCTION"):
        now.words.append(word._replace(type="PLUS"))
    else:
        begin("hedge")


def label(statement: Statement, colon: Word, text: str) -> None:
    """What stands before a colon names what follows, unless both are factors of a ratio."""
    if not any(word.type in ("WORD", "FOREIGN") for word in statement.words):
        statement.words += [colon._replace(type="OVER", value="/")] if statement.words else []
        return
    statement.label = text_of(statement.words, text)
    if statement.role == "hedge" or statement.label.casefold().endswith(("sum", "together", "overall", "altogether")):
        statement.role = "conclude"
    statement.words = []


def chain_of(statement: Statement, symbols: tuple[str, ...], text: str) -> Chain | None:
    """The sides of a statement without words; None where it holds no number and no symbol."""
    parts = split_at(statement.words, lambda word: word.type in RELATIONS)
    sides = [(sign.type if sign else "", side) for sign, side in parts]
    name = statement.label
    first = sides[0][1]
    if [kind for kind, _ in sides] == ["", "MORE"] and first and sides[1][1] and first[0].type != "FOREIGN":
        sides = sides[:1] if sides[1][1][0].type in ("FOREIGN", "WORD") else sides
    if len(sides) > 1 and is_name(first, sides[1:], symbols):
        name = name or (first[0].value if len(first) == 1 and first[0].type == "FOREIGN" else text_of(first, text))
        bound = sides[1][0] == "LESS" and symbols and first[0].type != "SYMBOL"  # T(N) < 2N
        sides = [("EQUALS" if bound else sides[1][0], sides[1][1]), *sides[2:]]
    elif len(sides) > 1 and not first and sides[1][0] in ("EQUALS", "ABOUT"):
        sides = sides[1:]
    if any(kind in ("LESS", "MORE") for kind, _ in sides):
        sign = next(word for word in statement.words if word.type in ("LESS", "MORE"))
        todo = "write what it equals, or a bound as: name < formula"
        raise refusal(f"unexpected {quoted(sign.value)}", text, sign.column, todo)
    bare = [(kind, *without_words(words, text, symbols)) for kind, words in sides]
    value = any(word.type in OPERANDS | {"FUNCTION"} or word.turn > 0 for _, words, _ in bare for word in words)
    if not value and (len(sides) == 1 or not any(words for _, words, _ in bare)):
        return None
    sure = all(known for *_, known in bare)
    return Chain([(kind, words) for kind, words, _ in bare], name, sure, unit_of(text, statement.words))


def is_name(words: list[Word], others: list[tuple[str, list[Word]]], symbols: tuple[str, ...]) -> bool:
    """Whether a left side only names what is asked for, and is no answer of its own."""
    if not words or any(word.says("deny", "alter", "hedge") for word in words):
        return False
    if any(word.type == "LNORM" or (word.type == "WORD" and word.value != "for") for word in words):
        return True
    if any(word.type == "FOREIGN" for word in words):  # d_k, T(N), ∂y/∂z, but not a product with a symbol
        depths = accumulate(word.turn for word in words)
        return words[0].value in ("∂", "\\partial") or not any(
            word.type == "SYMBOL" and not depth for word, depth in zip(words, depths, strict=True)
        )
    bare = [word for word in words if word.type not in ("TIMES", "POWER", "LPAR", "RPAR", "TRANSPOSED", "WORD")]
    if len(bare) != 1 or bare[0].type != "SYMBOL" or words[0] is not bare[0]:
        return False
    return len(words) > 1 or bare[0].value not in [word.value for _, side in others for word in side]


def without_words(words: list[Word], text: str, symbols: tuple[str, ...]) -> tuple[list[Word], bool]:
    """A side without what is said around and inside it, and whether all of that is known."""
    made: list[Word] = []
    sure, skipping = True, False
    for place, word in enumerate(words):
        if word.type != "WORD":
            skipping = False
            made.append(word)
            continue
        if word.value == "alter":
            raise conditional(word, text)
        rest = [one for one in words[place + 1 :] if one.type != "WORD"]
        operand = not made or made[-1].type in SIGNS
        thing = word.value in ("unit", "other")
        signed = not rest or rest[0].type in SIGNS
        misplaced = thing and operand and signed and (bool(made) or (bool(rest) and rest[0].type != "MINUS"))
        if misplaced or (word.value == "other" and not skipping and made and rest):
            raise refusal(f"unknown word {quoted(text_of([word], text))}", text, word.column, known(symbols))
        skipping = skipping or (word.value == "for" and bool(made))
        sure = sure and (word.value != "other" or skipping)
    while made and made[-1].type in ("TIMES", "BREAK", "TRANSPOSED", "COLON"):  # 4×, 4 times
        made.pop()
    return made[bool(made) and made[0].type == "TIMES" :], sure  # ×4
