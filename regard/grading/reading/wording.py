"""Answers in words: the letter or the text of a choice, and true or false, in the ways people say them."""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate

from regard.grading.reading.tokens import GREEK
from regard.grading.reading.vocabulary import class_of

LONGEST = 2_000  # characters of an answer in words
FONT = r"\\(?:math(?:rm|bf|it|sf|bb|cal)|text(?:rm|bf|it)?|operatorname\*?|boldsymbol|bm|boxed|fbox)(?![A-Za-z])"
SIGNS = {
    r"[−–—‐‑]": "-",
    r"[‘’]": "'",
    rf"{FONT}\s*\{{([^{{}}]*)\}}": r" \1",  # the space, so that \top before it still ends there
    rf"{FONT}|\\left\b|\\right\b|\\[()\[\]]|\$": " ",
    r"-+>|⟶|\\(?:to|rightarrow)\b|\b(?:(?:goes|tends) )?to\b(?=\s*(?:\+?\s*∞|\\infty|inf|0|zero))": "→",
    r"\\infty\b|\b(?i:infinity|inf)\b": "∞",
    r"→\s*\+\s*∞": "→∞",
    r"\b(\w)\s+by\s+(\w)\b": r"\1x\2",
    r"[×·⋅∙*]|\\(?:times|cdot)\b": "x",
    r"\^\{?\s*(?:T\b|⊤|\\top\b|\\intercal\b)\s*\}?|⊤": "ᵀ",
    r"\\softmax\b": "softmax",
    **{rf"\\?\b(?:{name})\b": letter for name, letter in GREEK.items() if len(name) > 2},
    **{rf"\\?\b{name.upper()}\b": GREEK[name].upper() for name in GREEK if len(name) > 2 and name.islower()},
}
PRODUCT = re.compile(r"[·⋅∙*]|\\cdot\b")  # not ×: "m × n" is a size, "mn" a number
EMPHASIS = re.compile(r"(?<!\S)(\*{1,3}|_{1,2}|`)(\S|[^\s*_`][^*_`]*[^\s*_`])\1(?!\w)")
PERSON = r"(?:(?:i (?:think|choose|pick|say)|it(?:'s| is)|the|my)\s+)*"
CALLED = rf"(?:{PERSON}(?:answer|choice|option|letter)?(?:\s+is)?\s*[:=]?\s*)?"
LETTER = re.compile(
    rf"{CALLED}[(\[{{\"'“‘]*(?P<letter>[\w-]+?)(?P<sign>\s*[)\]}}\"'”’.,:;=!]+|\s+[-–—→]+\s|\s*(?=\()|(?=\s(?:because|since|as)\b)|\s*$)"
    r"(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
CONCLUSION = re.compile(
    r"[,;.]?\s*(?:\b(?:so|hence|thus|therefore|i\.e\.)|⇒|=>)[,:]?\s+(?=[^.,;]{1,12}$)", re.IGNORECASE
)
AROUND = " .!'\"`“”„‘«»*_()=✓✔"
YES = {"true", "t", "yes", "y", "right", "correct", "holds", "1", "wahr", "ja"}
NO = {"false", "f", "no", "n", "wrong", "incorrect", "untrue", "0", "falsch", "nein", "nope"}
LEADING = "i think that believe say it this is the a statement claim answer does do it's that's here so i'd"
LEADS = frozenset(LEADING.split())
DOUBTING = "or if unless maybe perhaps sometimes partly only when both neither sure long well idea clue depends"
DOUBTS = frozenset(DOUBTING.split())
CLAUSE = re.compile(r"([,;:.!()—–=]|\bbecause\b|\bsince\b|\bas\b| - |-+>|=+>|→|⟶|⇒|-{2,}|\bbut\b)")


def letter_of(said: str, choices: Mapping[str, str]) -> str | None:
    """The letter that is meant: `b`, `(B)`, `option b`, `b) its text`, or its text; None where none or several are.

    >>> choices = {"a": "β → 0", "b": "β → ∞"}
    >>> [letter_of(said, choices) for said in ("A", "(b)", "b: β→∞", "beta -> infinity", "a: β → ∞", "c")]
    ['a', 'b', 'b', 'b', None, None]
    """
    said = said[:LONGEST].strip()
    if said in choices:
        return said
    said = EMPHASIS.sub(r"\2", re.sub(rf"^{FONT}\s*\{{(.*)\}}$", r"\1", said.strip("$ "))).strip()
    found = None if "?" in said else LETTER.fullmatch(said)
    letter = found and _of_one(found["letter"], {letter: letter for letter in choices}, str)
    rest = found["rest"].strip() if found else ""
    if letter and not rest:
        return letter
    if by_text := _of_text(said, choices):
        return by_text
    if (end := CONCLUSION.search(said)) and (last := letter_of(said[end.end() :], choices)):
        return last if letter_of(said[: end.start()], choices) in (None, last) else None
    aside = found is not None and ("," in found["sign"] or not found["sign"].strip())
    return letter if letter and _fits(_unwrapped(rest), letter, choices, aside) else None


def _fits(rest: str, letter: str, choices: Mapping[str, str], aside: bool) -> bool:
    """Whether what follows a letter says the text of its choice, or a part of it, or why; and not that of another."""
    if re.match(r"(?:because|since|as|for)\b", rest, re.IGNORECASE):
        return True
    if (meant := _of_text(rest, choices)) is not None:
        return meant == letter
    texts = {key: loose(text).casefold() for key, text in choices.items()}
    start = [key for key, text in texts.items() if _begins(loose(rest).casefold(), text)]
    if start:
        return start == [letter]
    words = re.findall(r"[^\W\d_]{3,}", rest.casefold())
    if not words or any(word in choices or class_of(word) in ("deny", "hedge", "alter") for word in rest.split()):
        return False
    own = [key for word in words for key, text in texts.items() if word[:6] in text]
    telling = [word for word in words if 0 < sum(word[:6] in text for text in texts.values()) < len(texts)]
    if any(word[:6] not in texts[letter] for word in telling):
        return False
    return (aside and len(words) > 1) or (bool(own) and 2 * len(telling) >= len(words))


def _begins(one: str, two: str) -> bool:
    """Whether one is the beginning of the other, and long enough to mean it."""
    short, long = sorted((one, two), key=len)
    return len(short) > 8 and long.startswith(short)


def _of_text(said: str, choices: Mapping[str, str]) -> str | None:
    """The letter of the choice whose text was said, in brackets or not, or else said with other signs and articles."""
    bare = _unwrapped(re.sub(rf"^{CALLED}", "", said, flags=re.IGNORECASE))
    found = (_of_one(text, choices, normal) for normal in (plain, loose) for text in (said, bare))
    return next((letter for letter in found if letter), None)


def _unwrapped(said: str) -> str:
    """Without one pair of round brackets around all of it: `(t × n)`, but not `(a)(b)`."""
    inside = said.strip().rstrip(" .!")
    if not (inside.startswith("(") and inside.endswith(")")):
        return said
    depths = list(accumulate((sign == "(") - (sign == ")") for sign in inside))
    return inside[1:-1] if 0 not in depths[:-1] and depths[-1] == 0 else said


def _of_one(said: str, names: Mapping[str, str], normal: Callable[[str], str]) -> str | None:
    """The key whose name was said, in this letter case, or else in another one where that is unambiguous."""
    for case in (str, str.casefold):
        found = [key for key, name in names.items() if case(normal(name)) == case(normal(said))]
        if len(found) == 1:
            return found[0]
    return None


def plain(text: str) -> str:
    """A text as it is compared: without spaces, quotes around it and a full stop, its signs in one spelling."""
    for pattern, sign in SIGNS.items():
        text = re.sub(pattern, sign, text)
    return re.sub(r"\s", "", text).strip('`"“”.').removeprefix("'").removesuffix("'")


def loose(text: str) -> str:
    """A text without the signs of products, hyphens between words and an article before it.

    >>> loose("Sa[X] · P") == loose("Sa[X] P"), loose("the padding-mask") == loose("padding mask"), loose("x-y")
    (True, True, 'x-y')
    """
    text = re.sub(r"^\s*the\s", "", text, flags=re.IGNORECASE)
    return re.sub(r"(?<=[A-Za-z]{3})-(?=[A-Za-z]{3})", "", plain(PRODUCT.sub(" ", text)))


def clashes(choices: Mapping[str, str]) -> Iterator[str]:
    """What makes an answer mean two choices at once."""
    pairs = [(one, two) for one in choices for two in choices if one != two]
    for one, two in pairs:
        if one.casefold() == two.casefold():
            yield f"the letters {one} and {two} differ by their case alone"
        if plain(choices[one]) == plain(choices[two]):
            yield f"{one} and {two} have the same text {choices[one]!r}"
        if plain(choices[one]).casefold() == two.casefold():
            yield f"the text {choices[one]!r} of {one} is also the letter of another choice, {two}"


def truth_of(said: str) -> bool | None:
    """Whether true or false is meant; None where that is not clear.

    >>> [truth_of(said) for said in ("T", "It is true.", "false, because β > 0", "not true", "no, it is true", "maybe")]
    [True, True, False, False, None, None]
    """
    text = re.sub(rf"{FONT}\s*\{{([^{{}}]*)\}}", r" \1 ", said[:LONGEST]).replace("’", "'").casefold()
    text = re.sub(r"\b(is|do|does)n't\b", r"\1 not", text.replace("$", " ").removesuffix("()"))
    arrow = re.match(r"\W*\w\s*(?:-+>|→|⟶|=+>|⇒|as\b)", text)
    if "?" in text or arrow or re.search(r"\bas (?:long|well|far|much|soon|often|if|though|in)\b", text):
        return None
    first, *pieces = CLAUSE.split(text.strip(AROUND))
    others = list(zip(pieces[::2], pieces[1::2], strict=True))
    while others and set(first.split()) <= LEADS | {"✓"}:  # the answer: false
        first = others.pop(0)[1]
    truth = _verdict(first.split())
    if truth is None:
        return None
    turned = [_verdict(clause.split(), pure=sign in ("because", "since", "as"), later=True) for sign, clause in others]
    return None if (not truth) in turned else truth


def _verdict(words: list[str], pure: bool = False, later: bool = False) -> bool | None:
    """What a clause says: a word for it, perhaps denied, after words that only lead to it, and what it is said of."""
    words = [word.strip(AROUND) for word in words if word.strip(AROUND)]
    turned = False
    while words and (words[0] in LEADS or words[0] == "not"):
        turned = turned or words[0] == "not"
        words = words[1:]
    if words[:1] == ["hold"] and turned:
        words, turned = ["false", *words[1:]], False
    if not words or words[0] not in YES | NO or (turned and words[0] in NO and not later):
        return None
    rest = words[1:]
    doubtful = not later and not (DOUBTS | YES | NO).isdisjoint(rest)
    if rest and (pure or len(words[0]) == 1 or doubtful):
        return None
    return (words[0] in YES) is not turned
