"""Answers in words: the letter or the text of a choice, and true or false, in the ways people say them."""

import re
from collections.abc import Callable, Iterator, Mapping

LONGEST = 2_000  # characters of an answer in words
GREEK = dict(zip(["alpha", "beta", "gamma", "delta", "epsilon", "sigma", "theta", "lambda"], "αβγδεσθλ", strict=True))
SIGNS = {
    r"[−–—‐‑]": "-",
    r"-+>|⟶|\\(?:to|rightarrow)\b": "→",
    r"\\infty\b|\binfinity\b|\binf\b": "∞",
    r"[×·⋅∙*]|\\(?:times|cdot)\b": "x",
    r"\^\{?(?:T|⊤|\\top|\\intercal)\b\}?|⊤": "ᵀ",
    r"\\left\b|\\right\b|\$": "",
    **{rf"\\?\b{name}\b": letter for name, letter in GREEK.items()},
}
CALLED = r"(?:(?:the\s+)?(?:answer|choice|option|letter)(?:\s+is)?\s*[:=]?\s*)?"
REASON = re.compile(r"\s*(?:because|since|as|for)\b|\s*$", re.IGNORECASE)
YES = {"true", "t", "yes", "y", "right", "correct", "holds", "it holds", "it does", "1"}
NO = {"false", "f", "no", "n", "wrong", "incorrect", "does not hold", "it does not", "it doesn't", "untrue", "0"}
LEAD = re.compile(r"(?:i think|answer:?|(?:it|this|that|the (?:statement|claim)) is|it's|that's|is)\s+")


def letter_of(said: str, choices: Mapping[str, str]) -> str | None:
    """The letter that is meant: `b`, `(B)`, `option b`, `b) its text`, or its text; None where none or several are.

    >>> choices = {"a": "β → 0", "b": "β → ∞"}
    >>> [letter_of(said, choices) for said in ("A", "(b)", "b: β→∞", "beta -> infinity", "a: β → ∞", "c")]
    ['a', 'b', 'b', 'b', None, None]
    """
    said = said[:LONGEST].strip()
    if said in choices:
        return said
    letters = {letter: letter for letter in choices}
    found = re.fullmatch(rf"{CALLED}[(\[{{\"'`]*([\w-]+)[)\]}}\"'`.,:;]*", said, re.IGNORECASE)
    if found and (letter := _of_one(found[1], letters, str)):
        return letter
    named = re.fullmatch(
        rf"{CALLED}[(\[]?([\w-]+?)\s*(?:[)\].,:;=]+|\s[-–—]\s|(?=\s(?:because|since)\b))(.+)",
        said,
        re.IGNORECASE | re.DOTALL,
    )
    by_text = _of_one(said, choices, plain)
    if by_text or not named:
        return by_text
    letter, rest = _of_one(named[1], letters, str), named[2]
    return letter if letter and (REASON.match(rest) or _of_one(rest, choices, plain) == letter) else None


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
    clauses = [_one_truth(clause) for clause in re.split(r"[,;:.!()—–]|\bbecause\b|\bsince\b| - ", text)]
    whole = _one_truth(text)
    if whole is not None:
        return whole
    return None if (not clauses[0]) in clauses[1:] else clauses[0]


def _one_truth(clause: str) -> bool | None:
    clause = clause.strip(" .!'\"`*_()")
    while lead := LEAD.match(clause):
        clause = clause[lead.end() :]
    turned = clause.startswith("not ")
    clause = clause.removeprefix("not ")
    return None if clause not in YES | NO else (clause in YES) is not turned
