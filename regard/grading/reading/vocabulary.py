"""The words and signs that people write around and inside answers, each with what it does there."""

import re

FUNCTIONS = {
    "sqrt": "sqrt", "exp": "exp", "ln": "log", "log": "log", "lg": "lg", "min": "min", "max": "max", "ceil": "ceil",
    "ceiling": "ceil", "floor": "floor", "abs": "abs", "pow": "pow", "rational": "over", "mod": "mod", "cbrt": "root_3",
}  # fmt: skip
GLUED = re.compile("|".join(("sqrt", "exp", "log", "ln")))  # without space beside symbols: NlogN
SCALES = {
    "%": -2, "‰": -3, "k": 3, "K": 3, "M": 6, "G": 9, "B": 9, "T": 12, "percent": -2, "thousand": 3, "million": 6,
    "Million": 6, "Mio": 6, "mio": 6, "billion": 9, "Mrd": 9, "bn": 9, "mil": 6, "mln": 6,
}  # fmt: skip
SIGNS: dict[str, str] = {
    sign: kind
    for kind, signs in {
        "POWER": "** ^ ↑",
        "TIMES": r"* · × ⋅ ∙ • ∗ \cdot \times \ast \bullet",
        "OVER": r"/ ÷ ∕ ⁄ \div",
        "FLOORED": "//",
        "MINUS": "- − – — ‐ ‑",
        "PLUS": "+",
        "EQUALS": r"= == := ≡ ∈ \equiv \in \coloneqq",
        "ABOUT": r"≈ ≃ ≅ ≐ ~= ∼ \approx \simeq \sim \cong",
        "LESS": r"< ≤ ≦ ⩽ <= \le \leq \leqslant \lt",
        "MORE": r"> ≥ ≧ ⩾ >= \ge \geq \geqslant \gt",
        "CONCLUDE": r"⇒ ⟹ → ⟶ => ==> -> --> ∴ \Rightarrow \implies \to \rightarrow \therefore \Longrightarrow",
        "DENY": r"≠ != \ne \neq",
        "ROOT": "√ ∛ ∜",
        "COMMA": ",",
        "COLON": ":",
        "AND": "&",
        "TRANSPOSED": r"ᵀ ⊤ ' ′ ’ \top \intercal \prime",
        "BREAK": '; . ! ? " “ ” „ ‘ « » # @ ✓ ✔',
        "ELLIPSIS": ".. ... …",
        "FOREIGN": r"∂ Δ ∇ ∞ \partial \nabla \infty \ldots \dots \ell",
    }.items()
    for sign in signs.split()
}
# LaTeX that only spaces, sizes or dresses what follows; with a brace it dresses the group.
DRESS = """
    quad qquad left right middle displaystyle textstyle limits nonumber notag big Big bigg Bigg bigl bigr Bigl Bigr
    biggl biggr Biggl Biggr bigm mathbf mathrm mathit mathsf mathcal mathbb mathtt text textrm textbf textit texttt
    bm rm bf it operatorname boldsymbol cal mbox hbox underline ensuremath boxed fbox hat bar vec tilde
    overline widehat label hline
"""
SILENT = frozenset(DRESS.split())
LATEX_BRACKETS = {
    "{": "{", "}": "}", "|": "‖", "lvert": "|", "rvert": "|", "vert": "|", "lVert": "‖", "rVert": "‖", "Vert": "‖",
    "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "lbrack": "[", "rbrack": "]", "langle": "⟨",
    "rangle": "⟩",
}  # fmt: skip

COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
NUMERALS = {word: value for value, word in enumerate(COUNTED.split())}
# What words do: those that speak signs, those that say nothing, those that count, and those that turn the sense.
CLASSES = {
    "spoken": """plus minus times over squared cubed square root cube to the power of divided multiplied by minimum
        maximum smaller larger product sum difference half twice double and fold raised at most up""",
    "filler": """a an is are it its it's this that be equals equal gives get gets we i have has my our you count amount
        cost number in on exactly only just about approximately approx around roughly ca circa letter factor
        all need needs takes take there use using i'd say think which then here below under
        order big simply value altogether overall included including""",
    "unit": """parameter parameters param params weight weights bias biases multiplications multiplication additions
        addition operation operations ops op bytes byte numbers entries entry tokens token heads head taps tap columns
        column rows row pixels pixel steps step offsets offset pairs pair zeros features feature keys key queries query
        values layers layer elements element scalars scalar matrices matrix vectors vector channels channel dimensions
        dimension scores score attention trainable learnable learned free multiply-adds multiply-add
        multiply-accumulates mac macs madds madd flop flops gflops mflops floating-point maps map
        logits projections projection""",
    "for": "for",
    "conclude": "so hence therefore thus total answer result finally yields implies final",
    "reason": "because since where with as due when given cause weil denn assuming from counted independent provided",
    "restate": "ie viz namely equivalently simplified simplifies",
    "deny": "not no nor never neither wrong false instead unlike rather don't isn't doesn't incorrect",
    "hedge": "or maybe perhaps either guess possibly probably vs versus unsure depending sure depends",
    "alter": """per each every almost nearly less more than if unless but bigger greater above least both beyond exceeds
        exceed without except excluding ignoring""",
}  # fmt: skip
CLASS = {word: name for name, words in CLASSES.items() for word in words.split()}
CLASS |= dict.fromkeys(NUMERALS, "spoken")


def class_of(word: str) -> str:
    """What a word does; empty for one that is not known."""
    return CLASS.get(word.casefold().replace("’", "'"), "")
