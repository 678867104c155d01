"""Question 1: attention by hand, digit by digit."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from regard.algorithms import plan
from regard.attention import Attention
from regard.claims.chart import Matrices
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.ist import example
from regard.claims.ist.example import DOCUMENT, agrees, rounded, worked_example

Printed = Mapping[str, tuple[str, ...]]  # digits, by the name of what they are of

QUERY_BY_HAND = ("weights", "output")
ONE_HEAD = ("Z, rows 1, 2", "Z, rows 3, 4")
TWO_HEADS = tuple(f"out, row {row}" for row in (1, 2, 3, 4))
INSIDE = ("P, row 2", "P⁽²⁾, row 1", "Z⁽²⁾, column")
PROJECTED: dict[str, tuple[str, ...]] = {
    "Q": ("-2.25", "4.5", "1.25", "2", "-1.25", "4.75", "-2.75", "-3.5"),
    "K": ("5.75", "1.5", "2", "-0.5", "4.5", "2", "-2.5", "0.5"),
    "V": ("-2.5", "-7.5", "0.25", "0", "-2", "-5.25", "-0.75", "-1.5"),
}


def chosen(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    return {name: DOCUMENT[name] for name in names}


def digits(computed: Mapping[str, Tensor], printed: Printed) -> list[Finding]:
    """Whether each computed number, rounded to as many places as are printed, has the printed digits."""
    found = []
    for name, said in printed.items():
        values = computed[name].flatten().tolist()
        wrong = [(value, text) for value, text in zip(values, said, strict=True) if not agrees(value, text)]
        shown = f"{name}: all {len(said)} numbers have the printed digits, {said[0]} the first"
        if wrong:
            shown = f"{name}: {rounded(*wrong[0])} is computed where {wrong[0][1]} is stated"
        found.append(Finding(name, not wrong, shown))
    return found


def by_every_algorithm(printed: Printed) -> Sequence[Finding]:
    """The digits by each algorithm of the library that takes the example, the chosen one first."""
    ready = worked_example()
    candidates = plan(ready.q, ready.k, ready.v, Attention()).candidates
    takes = [candidate.name for candidate in candidates if candidate.refusal is None]
    found = digits(ready.quantities, printed)
    for name in takes:
        good = all(finding.holds for finding in digits(worked_example(name).quantities, printed))
        shown = f"the algorithm {name} gives {'the same' if good else 'other'} digits"
        found.append(Finding(name, good, shown))
    return found


def inside(printed: Printed) -> Sequence[Finding]:
    """The digits of the intermediates, and every weight of both maps against 50-digit arithmetic."""
    ready = worked_example()
    computed = ready.quantities | {"Q": ready.q[0, 0], "K": ready.k[0, 0], "V": ready.v[0, 0]}
    exact = [precise_map(ready.q[0, head].tolist(), ready.k[0, head].tolist()) for head in (0, 1)]
    gap = (ready.maps - torch.tensor(exact, dtype=torch.float64)).abs().max().item()
    shown = f"the {ready.maps.numel()} weights of both maps are within {gap:.0e} of those in 50 digits"
    return [*digits(computed, printed), Finding("50 digits", gap < 1e-15, shown)]


def precise_map(q: list[list[float]], k: list[list[float]]) -> list[list[float]]:
    """The softmax of `q kᵀ/√D` in 50 digits, rounded at the end."""
    import mpmath

    with mpmath.workdps(50):
        rows = []
        for row in q:
            dots = [mpmath.fdot([(mpmath.mpf(a), mpmath.mpf(b)) for a, b in zip(row, key, strict=True)]) for key in k]
            powers = [mpmath.exp(dot / mpmath.sqrt(len(row))) for dot in dots]
            rows.append([float(power / mpmath.fsum(powers)) for power in powers])
        return rows


def maps() -> Matrices:
    """Both heads' maps."""
    first, second = worked_example().maps.tolist()
    tokens = [str(n + 1) for n in range(len(example.X))]
    return Matrices(
        title="What each head looks at",
        panels={"head 1": first, "head 2, all ones": second},
        row_label="query",
        column_label="key",
        rows=tokens,
        columns=tokens,
    )


DATA = {
    "X": "four tokens as rows: (−2, 1, ½), (1, 1½, −½), (−1½, 1, −½), (−2, −2½, 1½)",
    "W_Q, W_K, W_V": "rows (1, −1½), (0, 2), (−½, −1); (−1½, −1), (2½, 0), (½, −1); (1, 2½), (−½, −2), (0, −1)",
    "W_O": "rows (−1, 1½, 2), (0, −1, −2), (1, −1½, 0), (2, 0, 1)",
}
METHOD = "float64, rounded to the printed places: every digit must agree, by every algorithm that takes the example"
CODE = ("regard.claims.ist.example:worked_example", "regard.algorithms:attend", "regard.algorithms:weights")


def claim(letter: str, title: str, texts: tuple[str, str], ours: Version, twin: Version) -> Claim:
    check: Callable[[Printed], Sequence[Finding]] = inside if letter == "p" else by_every_algorithm
    method = METHOD if letter != "p" else "float64, every printed digit; all weights against 50 digits (mpmath)"
    asks, derivation = texts
    return Claim(
        id=f"ist.1{letter}",
        title=title,
        texts=Texts(asks=asks, derivation=derivation, quantities=DATA, method=method, code=CODE),
        ours=ours,
        twin=twin,
        check=check,
        expected=Verdict.HOLDS,
        chart=maps if letter == "p" else None,
    )


CLAIMS = (
    claim(
        "a",
        "One query by hand",
        (
            "A query q = (−2, 1, −1) attends to the four tokens X, which are keys and values at once: what are the "
            "weights, and what is the output?",
            "The dot products $X q$ are $(4.5, 0, 4.5, 0)$. Divided by $\\sqrt{3}$ the two large ones are "
            "$4.5/\\sqrt{3} = 2.598$, so the weights are $e^{2.598} : 1 : e^{2.598} : 1$, that is "
            "$\\frac{1}{2 + 2e^{-2.598}} = 0.46537$ twice and $0.03463$ twice.\n\n"
            "The output $\\sum_j a_j x_j$ is almost the middle of tokens 1 and 3, $(-1.75, 1, 0)$.",
        ),
        Version("weights (0.465…, 0.035…) twice over", r"\operatorname{softmax}(Xq/\sqrt{3})", chosen(QUERY_BY_HAND)),
        Version(
            "the digits without the division by √3",
            r"\operatorname{softmax}(Xq)",
            {
                "weights": ("0.49450653", "0.00549347", "0.49450653", "0.00549347"),
                "output": ("-1.73626632", "0.98351959", "0.00549347"),
            },
        ),
    ),
    claim(
        "b",
        "One head of self-attention",
        (
            "With the matrices W_Q, W_K, W_V of width 3 to 2, what does one head of self-attention make of X?",
            "$Q = X W_Q$, $K = X W_K$, $V = X W_V$ have rows of width 2, so the logits are divided by $\\sqrt{2}$, "
            "the width of the *head*: $Z = \\operatorname{softmax}(QK^\\top/\\sqrt{2})\\,V$, row by row.\n\n"
            "Tokens 1 and 4 both attend to token 4 with more than 0.998, so their rows of $Z$ are almost "
            "$v_4 = (-0.75, -1.5)$. The input has width 3 and the output width 2: self-attention need not keep it.",
        ),
        Version("Z, eight numbers", r"\operatorname{softmax}(QK^\top/\sqrt{2})\,V", chosen(ONE_HEAD)),
        Version(
            "the digits without the division by √2",
            r"\operatorname{softmax}(QK^\top)\,V",
            {
                "Z, rows 1, 2": ("-0.75015517", "-1.50046675", "-2.31823494", "-6.68258637"),
                "Z, rows 3, 4": ("-0.96055189", "-2.13409257", "-0.74986018", "-1.49979027"),
            },
        ),
    ),
    claim(
        "c",
        "Two heads, concatenated and projected",
        (
            "A second head has matrices of ones. Both are concatenated and multiplied by W_O: what comes out?",
            "With matrices of ones every token becomes the sum of its entries, twice: $(-\\frac12, 2, -1, -3)$. The "
            "second head is computed as the first, and its two columns are equal.\n\n"
            "$[Z^{(1)}, Z^{(2)}]$ is $4 \\times 4$ and its product with $W_O$ is $4 \\times 3$: the first two rows of "
            "$W_O$ belong to the first head, the last two to the second.",
        ),
        Version("twelve numbers", r"[Z^{(1)}, Z^{(2)}]\,W_O", chosen(TWO_HEADS)),
        Version(
            "the digits with the heads in the other order",
            r"[Z^{(2)}, Z^{(1)}]\,W_O",
            {
                "out, row 1": ("-1.49929208", "-0.00484019", "-1.50668721"),
                "out, row 2": ("-17.46662675", "4.44210130", "-6.58686077"),
                "out, row 3": ("-3.20266172", "0.19678995", "-2.47595506"),
                "out, row 4": ("-0.74296241", "-0.37757982", "-1.49718290"),
            },
        ),
    ),
    claim(
        "p",
        "Inside both heads",
        (
            "What are Q, K and V, the maps P and P⁽²⁾ of both heads, and Z⁽²⁾? Draw both maps.",
            "$P = \\operatorname{softmax}(QK^\\top/\\sqrt{2})$ has a row for each query, and each row sums to one. "
            "Token 2 splits its attention between tokens 1 and 3; the others look at token 4, or mostly.\n\n"
            "In the second head the logit of a pair is $2 s_i s_j/\\sqrt{2}$, with $s$ the sum of a token's entries: "
            "every token with $s < 0$ looks most at token 4, which has the most negative sum, and token 2, the only "
            "one with $s > 0$, at itself.",
        ),
        Version("the intermediates", r"P = \operatorname{softmax}(QK^\top/\sqrt{2})", PROJECTED | chosen(INSIDE)),
        Version(
            "the digits with the softmax down each column",
            r"P_{ij} = \frac{e^{\ell_{ij}}}{\sum_i e^{\ell_{ij}}}",
            PROJECTED
            | {
                "P, row 2": ("0.999279451", "0.963046853", "0.982658127", "0.000638402767"),
                "P⁽²⁾, row 1": ("0.118306921", "0.000848429312", "0.0267590116", "0.0000247463407"),
                "Z⁽²⁾, column": ("-0.08428985", "1.98701101", "-0.13871870", "-4.26400246"),
            },
        ),
    ),
)
