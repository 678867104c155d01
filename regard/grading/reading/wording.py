"""Answers in words: the letter or the text of a choice, and true or false, in the ways people say them."""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate

LONGEST = 2_000  # characters of an answer in words
GREEK = dict(zip(["alpha", "beta", "gamma", "delta", "epsilon", "sigma", "theta", "lambda"], "αβγδεσθλ", strict=True))
FONT = r"\\(?:math(?:rm|bf|it|sf|bb)|text(?:rm|bf|it)?|operatorname\*?|boldsymbol)(?![A-Za-z])"
SIGNS = {
    r"[−–—‐‑]": "-",
    r"[‘’]": "'",
    rf"{FONT}\s*\{{([^{{}}]*)\}}": r" \1",  # the space, so that \top before it still ends there
    rf"{FONT}|\\left\b|\\right\b|\\[()\[\]]|\$": " ",
    r"-+>|⟶|\\(?:to|rightarrow)\b|\b(?:goes|tends) to\b": "→",
    r"\\infty\b|\b(?i:infinity|inf)\b": "∞",
    r"→\s*\+\s*∞": "→∞",
    r"\b(\w)\s+by\s+(\w)\b": r"\1x\2",
    r"[×·⋅∙*]|\\(?:times|cdot)\b": "x",
    r"\^\{?\s*(?:T\b|⊤|\\top\b|\\intercal\b)\s*\}?|⊤": "ᵀ",
    r"\\softmax\b": "softmax",
    **{rf"\\?\b{name}\b": letter for name, letter in GREEK.items()},
    **{rf"\\?\b(?:{name.title()}|{name.upper()})\b": letter.upper() for name, letter in GREEK.items()},
}
PRODUCT = re.compile(r"[·⋅∙*]|\\cdot\b")  # not ×: "m × n" is a size, "mn" a number
EMPHASIS = re.compile(r"(?<!\S)(\*{1,3}|_{1,2})(\S|[^\s*_][^*_]*[^\s*_])\1(?!\w)")
CALLED = r"(?:(?:the\s+)?(?:answer|choice|option|letter)(?:\s+is)?\s*[:=]?\s*)?"
REASON = re.compile(r"\s*(?:because|since|as|for)\b|\s*$", re.IGNORECASE)
AROUND = " .!'\"`“”„‘«»*_()="
YES = {"true", "t", "yes", "y", "right", "correct", "holds", "it holds", "it does", "1"}
NO = {"false", "f", "no", "n", "wrong", "incorrect", "does not hold", "it does not", "it doesn't", "untrue", "0"}
SUBJECT = r"(?:it|this|that|(?:(?:the|this|that) )?(?:statement|claim|answer))"
LEAD = re.compile(rf"(?:i think(?: that)?|{SUBJECT} is|it's|that's|is)(?: ?: ?| )|(?:the )?answer(?: ?[:=] ?| )")
# After a single letter an arrow or "as" may belong to a formula (n → ∞); "as long as" is a condition.
CLAUSE = re.compile(
    r"[,;:.!()—–]|\bbecause\b|\bsince\b| - |(?<=\S)(?<!\b\w) ?(?:-+>|=+>|→|⟶|⇒|-{2,}|"
    r"\bas\b(?! (?:long|far|well|soon|much|often|if|though)\b))"
)
TWICE = re.compile(r"\bnot (?:false|wrong|incorrect|untrue|no)\b")


def letter_of(said: str, choices: Mapping[str, str]) -> str | None:
    """The letter that is meant: `b`, `(B)`, `option b`, `b) its text`, or its text; None where none or several are.

    >>> choices = {"a": "β → 0", "b": "β → ∞"}
    >>> [letter_of(said, choices) for said in ("A", "(b)", "b: β→∞", "beta -> infinity", "a: β → ∞", "c")]
    ['a', 'b', 'b', 'b', None, None]
    """
    said = said[:LONGEST].strip()
    if said in choices:
        return said
    said = EMPHASIS.sub(r"\2", said)
    letters = {letter: letter for letter in choices}
    found = re.fullmatch(rf"{CALLED}[(\[{{\"'`“‘]*([\w-]+)[)\]}}\"'`”’.,:;!]*", said, re.IGNORECASE)
    if found and (letter := _of_one(found[1], letters, str)):
        return letter
    named = re.fullmatch(
        rf"{CALLED}[(\[]?([\w-]+?)\s*(?:[)\].,:;=!]+|\s[-–—]\s|(?=\()|(?=\s(?:because|since)\b))(.+)",
        said,
        re.IGNORECASE | re.DOTALL,
    )
    by_text = _of_text(said, choices)
    if by_text or not named:
        return by_text
    letter, rest = _of_one(named[1], letters, str), named[2]
    reason = REASON.match(_unwrapped(rest))
    return letter if letter and (reason or _of_text(rest, choices) == letter) else None


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
    text = " ".join(said[:LONGEST].casefold().replace("’", "'").split())
    text = _without_lead(re.sub(r"\bisn't\b", "is not", text).removesuffix("()"))
    clauses = CLAUSE.split(text)
    truths = [_one_truth(clause) for clause in clauses]
    return None if TWICE.search(clauses[0]) or (not truths[0]) in truths[1:] else truths[0]


def _without_lead(clause: str) -> str:
    clause = clause.strip(AROUND)
    while lead := LEAD.match(clause):
        clause = clause[lead.end() :].strip(AROUND)
    return clause


def _one_truth(clause: str) -> bool | None:
    clause = _without_lead(clause)
    turned = clause.startswith("not ")
    clause = clause.removeprefix("not ")
    return None if clause not in YES | NO else (clause in YES) is not turned
