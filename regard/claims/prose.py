"""Text with formulas between dollars, *stress* and `code`: as HTML with MathML, or as characters."""

import functools
import html
import re
from collections.abc import Callable

from regard.checks import MissingExtra

PARTS = re.compile(r"(\$[^$]+\$|`[^`]+`|\*[^*\s](?:[^*]*[^*\s])?\*)")

# Commands of LaTeX that are one character; what is not here is written by its name.
CHARACTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "epsilon": "ε", "eta": "η",
    "theta": "θ", "lambda": "λ", "mu": "μ", "nu": "ν", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ",
    "varphi": "φ", "psi": "ψ", "omega": "ω", "Delta": "Δ", "Sigma": "Σ", "Theta": "Θ", "Lambda": "Λ", "Phi": "Φ",
    "Omega": "Ω", "sum": "Σ", "prod": "Π", "int": "∫", "partial": "∂", "nabla": "∇", "infty": "∞", "to": "→",
    "rightarrow": "→", "Rightarrow": "⇒", "Leftrightarrow": "⇔", "iff": "⇔", "mapsto": "↦", "le": "≤", "leq": "≤",
    "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "equiv": "≡", "sim": "∼", "ll": "≪", "gg": "≫",
    "in": "∈", "notin": "∉", "subset": "⊂", "cup": "∪", "cap": "∩", "cdot": "·", "times": "×", "pm": "±", "top": "ᵀ",
    "lVert": "‖", "rVert": "‖", "Vert": "‖", "lvert": "|", "rvert": "|", "vert": "|", "mid": "|", "lfloor": "⌊",
    "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩", "ldots": "…", "dots": "…", "cdots": "⋯",
    "odot": "⊙", "otimes": "⊗", "oplus": "⊕", "circ": "∘", "star": "⋆", "prime": "′", "forall": "∀", "exists": "∃",
    "ell": "ℓ", "leftarrow": "←", "gets": "←", "uparrow": "↑", "downarrow": "↓", "lnot": "¬", "neg": "¬", "land": "∧",
    "lor": "∨", "bmod": " mod ", "log": "log", "ln": "ln", "exp": "exp", "min": "min", "max": "max", "tanh": "tanh",
    "lim": "lim", "quad": "  ", "qquad": "    ", "propto": "∝", "lbrace": "{", "rbrace": "}", "colon": ":",
}  # fmt: skip
SPACING = {",": " ", ";": " ", ":": " ", "!": "", " ": " ", "{": "{", "}": "}", "%": "%", "_": "_", "#": "#", "|": "‖"}
SILENT = {"left", "right", "bigl", "bigr", "Bigl", "Bigr", "big", "Big", "displaystyle", "limits", "nolimits"}
WORDS = {"text", "mathrm", "operatorname", "mathbf", "mathcal", "mathbb", "boldsymbol", "mathit", "textbf", "textit"}
ACCENTS = {"tilde": "̃", "widetilde": "̃", "hat": "̂", "bar": "̄", "overline": "̄", "vec": "⃗"}
RAISED = str.maketrans("0123456789+-−=()nihtTx⊤", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱʰᵗᵀˣᵀ") | {ord("ᵀ"): "ᵀ"}
LOWERED = str.maketrans("0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
FRACTIONS = ("frac", "dfrac", "tfrac")
KNOWN = {*CHARACTERS, *SILENT, *WORDS, *ACCENTS, *FRACTIONS, "sqrt"}  # the commands that a formula here may use
TOKEN = re.compile(r"\\([A-Za-z]+)|\\(.)|([{}^_])|(\s+)|(.)", re.DOTALL)


def page(text: str) -> str:
    """Paragraphs of HTML.

    >>> page("all `D` of *them*")
    '<p>all <code>D</code> of <em>them</em></p>'
    """
    return "".join(f"<p>{inline(paragraph)}</p>" for paragraph in text.strip().split("\n\n"))


def inline(text: str) -> str:
    """A line of HTML, escaped."""
    return _translated(text, html.escape, mathml, "<code>{}</code>", "<em>{}</em>")


def characters(text: str) -> str:
    r"""The text with its formulas in characters.

    >>> characters(r"so $\beta \to \infty$ and $\frac{D}{H+1} = x_i^2$")
    'so β → ∞ and D/(H+1) = xᵢ²'
    """
    return _translated(text, str, unicode_of, "{}", "{}")


def _translated(text: str, plain: Callable[[str], str], formula: Callable[[str], str], code: str, stress: str) -> str:
    found = []
    for part in PARTS.split(text):
        if len(part) > 2 and part[0] == part[-1] == "$":
            found.append(formula(part[1:-1]))
        elif len(part) > 2 and part[0] == part[-1] == "`":
            found.append(code.format(plain(part[1:-1])))
        elif len(part) > 2 and part[0] == part[-1] == "*":
            found.append(stress.format(plain(part[1:-1])))
        else:
            found.append(plain(part))
    return "".join(found)


@functools.cache
def mathml(latex: str, block: bool = False) -> str:
    """A formula as MathML, which browsers typeset themselves."""
    try:
        from latex2mathml.converter import convert
    except ImportError as error:
        raise MissingExtra("typeset formulas", "latex2mathml", "claims") from error
    return convert(latex, display="block" if block else "inline")


@functools.cache
def unicode_of(latex: str) -> str:
    """A formula in one line of characters."""
    words, rest = _group(TOKEN.findall(latex), 0)
    assert rest >= len(TOKEN.findall(latex)), latex
    return re.sub(r" {2,}", " ", words).strip()


def _group(tokens: list[tuple[str, ...]], start: int) -> tuple[str, int]:
    """The characters of tokens up to a closing brace, and the place behind it."""
    found, place = "", start
    while place < len(tokens):
        name, escaped, mark, space, plain = tokens[place]
        place += 1
        if mark == "}":
            return found, place
        if mark in ("^", "_"):
            argument, place = _argument(tokens, place)
            found += _moved(argument, mark)
        elif mark == "{":
            inner, place = _group(tokens, place)
            found += inner
        elif name:
            said, place = _command(name, tokens, place)
            found += said
        else:
            found += SPACING.get(escaped, escaped) if escaped else (" " if space else plain.replace("-", "−"))
    return found, place


def _argument(tokens: list[tuple[str, ...]], place: int) -> tuple[str, int]:
    """What a command or a mark takes: the next group, command or character."""
    while place < len(tokens) and tokens[place][3]:
        place += 1
    if place == len(tokens):
        return "", place
    name, escaped, mark, _, plain = tokens[place]
    if mark == "{":
        return _group(tokens, place + 1)
    return _command(name, tokens, place + 1) if name else (escaped or mark or plain, place + 1)


def _command(name: str, tokens: list[tuple[str, ...]], place: int) -> tuple[str, int]:
    if name in SILENT:
        return "", place
    if name in FRACTIONS:
        above, place = _argument(tokens, place)
        below, place = _argument(tokens, place)
        return f"{_whole(above)}/{_whole(below)}", place
    if name == "sqrt":
        inner, place = _argument(tokens, place)
        return f"√{_whole(inner)}", place
    if name in ACCENTS:
        inner, place = _argument(tokens, place)
        return f"{inner}{ACCENTS[name]}", place
    if name in WORDS:
        return _argument(tokens, place)
    said = CHARACTERS.get(name, name)
    return (f" {said} " if said in "→⇒⇔≤≥≠≈≡∼≪≫∈∉×↦←" else said), place


def _whole(text: str) -> str:
    """In brackets unless it is one thing.

    >>> _whole("D"), _whole("H+1")
    ('D', '(H+1)')
    """
    return text if re.fullmatch(r"[\w√.²³ᵀ]+|\|[^|]*\||‖[^‖]*‖", text) else f"({text})"


def _moved(argument: str, mark: str) -> str:
    """Raised or lowered, in characters where there are such, with the mark otherwise."""
    argument = argument.strip()
    if argument in ("ᵀ", "′", "⋆"):
        return argument
    table = RAISED if mark == "^" else LOWERED
    if argument and all(ord(character) in table for character in argument):
        return argument.translate(table)
    is_word = len(argument) == 1 or (mark == "_" and argument.isalnum())
    return f"{mark}{argument}" if is_word else f"{mark}({argument})"
