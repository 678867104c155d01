"""Problem 12.4: the derivatives of the softmax, where it is saturated and in general."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from regard.algorithms import weights
from regard.analysis.sensitivity.jacobians import precise_softmax_jacobian, softmax_jacobian, weights_jacobian
from regard.attention import Attention, Content
from regard.claims.chart import Matrices
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version

LOGITS = (-3.0, 1.0, 100.0, 5.0, -1.0)
DIGITS = 50
MOST = 0.25  # no derivative of a softmax is larger: y(1 − y) ≤ 1/4


@dataclass(frozen=True)
class Saturated:
    """The largest of the derivatives, up to an error, and what share of the most possible it is: from, to."""

    largest: float
    error: float
    sensitivity: tuple[float, float]


def saturated(stated: Saturated) -> Sequence[Finding]:
    """All 25 derivatives, in float64 and in 50 digits, and how far the outputs really move."""
    import mpmath

    exact = precise()
    places = [(i, j) for i in range(5) for j in range(5)]
    i, j = max(places, key=lambda place: abs(exact[place[0]][place[1]]))
    largest = float(abs(exact[i][j]))
    name = f"∂y{i + 1}/∂z{j + 1}"
    within = abs(largest - stated.largest) <= stated.error
    found = Finding(
        "the largest of the 25 derivatives",
        within,
        f"the largest of 25 is {name} = {mpmath.nstr(exact[i][j], 4)}{'' if within else f', not {stated.largest:g}'}",
    )
    low, high = stated.sensitivity
    share, words = largest / MOST, ("insensitive", "very sensitive")  # below a hundredth of the most, or above
    shown = f"a logit moved by 1 moves no output by more than {moved():.1e}: {words[share > 0.01]}"
    if not low <= share <= high:
        shown += f", not {words[high > 0.01]}"
    sensitive = Finding("sensitivity", low <= share <= high, shown)
    return [found, sensitive, in_float64(), cancelled()]


@cache
def precise() -> list[list[Any]]:
    return precise_softmax_jacobian(LOGITS, digits=DIGITS)


def in_float64() -> Finding:
    """Each of the 25 by the stable form, against 50 digits."""
    stable = softmax_jacobian(torch.tensor(LOGITS, dtype=torch.float64)).tolist()
    gaps = [
        float(abs(ours - exact) / abs(exact))
        for row, precise_row in zip(stable, precise(), strict=True)
        for ours, exact in zip(row, precise_row, strict=True)
    ]
    shown = f"float64 by y·Σ of the others is within {max(gaps):.0e} of 50 digits in all {len(gaps)}"
    return Finding("25 derivatives in float64", len(gaps) == 25 and max(gaps) < 1e-13, shown)


def cancelled() -> Finding:
    """The same by `y(1 − y)`, from the library's weights: `1 − y` cancels."""
    y = softmax(torch.tensor(LOGITS, dtype=torch.float64))[2].item()
    naive = y * (1 - y)
    return Finding("y₃(1 − y₃) in float64", naive == 0, f"y₃(1 − y₃) in float64 is {naive:g}: y₃ is rounded to {y:g}")


def softmax(z: torch.Tensor) -> torch.Tensor:
    """The weights of one query, 1, over keys z at β = 1."""
    one = torch.ones(1, 1, 1, 1, dtype=z.dtype)
    return weights(one, z.reshape(1, 1, -1, 1), Attention(Content(1.0))).flatten()


def moved() -> float:
    """The most that any output moves when one logit moves by 1."""
    z = torch.tensor(LOGITS, dtype=torch.float64)
    steps = torch.cat((torch.eye(5), -torch.eye(5))).double()
    return max([(softmax(z + step) - softmax(z)).abs().max().item() for step in steps])


def chart() -> Matrices:
    """The sizes of all derivatives, here and at logits a fiftieth of these."""
    panels = {}
    for name, factor in (("z", 1.0), ("z / 50", 0.02)):
        jacobian = softmax_jacobian(torch.tensor(LOGITS, dtype=torch.float64) * factor)
        panels[name] = [[math.log10(abs(value)) for value in row] for row in jacobian.tolist()]
    numbers = [str(n) for n in range(1, 6)]
    title = "log₁₀ of |∂yᵢ/∂zⱼ|: saturated at z, alive at z/50"
    return Matrices(
        title=title, panels=panels, row_label="output i", column_label="logit j", rows=numbers, columns=numbers
    )


@dataclass(frozen=True)
class Derivatives:
    """The derivatives of `y = softmax(z)` as functions of y: of an output by its own logit, and by another."""

    own: Callable[[Any], Any]  # y_i ↦ ∂y_i/∂z_i
    other: Callable[[Any, Any], Any]  # y_i, y_j ↦ ∂y_i/∂z_j


def derivatives(stated: Derivatives) -> Sequence[Finding]:
    """By SymPy for three logits, and by autograd through the library's map at random ones."""
    return [symbolic(stated), by_autograd(stated)]


def symbolic(stated: Derivatives) -> Finding:
    import sympy

    z = sympy.symbols("z1:4")
    total = sum(sympy.exp(each) for each in z)
    y = [sympy.exp(each) / total for each in z]
    rests = []
    for i in range(3):
        for j in range(3):
            said = stated.own(y[i]) if i == j else stated.other(y[i], y[j])
            rests.append(sympy.cancel(sympy.together(sympy.diff(y[i], z[j]) - said)))
    wrong = [rest for rest in rests if rest != 0]
    shown = f"for three logits {9 - len(wrong)} of 9 derivatives minus the stated ones are 0 in SymPy"
    return Finding("symbolic derivatives", not wrong, shown)


def by_autograd(stated: Derivatives) -> Finding:
    gap = 0.0
    for seed in range(3):
        z = torch.randn(6, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        one = torch.ones(1, 1, 1, 1, dtype=torch.float64)
        jacobian = weights_jacobian(one, z.reshape(1, 1, 6, 1), Attention(Content(1.0)), by="k").reshape(6, 6)
        y = softmax(z)
        said = torch.stack([torch.stack([stated.other(a, b) for b in y]) for a in y])
        said[range(6), range(6)] = torch.stack([stated.own(a) for a in y])
        gap = max(gap, (jacobian - said).abs().max().item())
    shown = f"autograd through the map differs by at most {gap:.1e} (6 logits, 3 seeds)"
    return Finding("derivatives by autograd", gap < 1e-14, shown)


CLAIMS = (
    Claim(
        id="udl.4",
        title="A saturated softmax",
        texts=Texts(
            asks="What are the 25 derivatives of softmax(−3, 1, 100, 5, −1), and what does that say of it?",
            derivation="With $y = \\operatorname{softmax}(z)$ the derivatives are $y_i(1 - y_i)$ and $-y_iy_j$. Here "
            "$y_3 = 1 - \\varepsilon$ with $\\varepsilon \\approx e^{5-100} = 5.5 \\cdot 10^{-42}$ and a little more, "
            "so all of them vanish; the largest is "
            "$\\partial y_3/\\partial z_3 = y_3\\sum_{j \\neq 3} y_j = 5.638 \\cdot 10^{-42}$. Computed as "
            "$y_3(1 - y_3)$ in float64 it is 0, for $y_3$ is rounded to 1.\n\n"
            "A derivative of zero says that the output does *not* react: the softmax is *in*sensitive here. What "
            "suffers is learning, since no gradient comes back through it.",
            quantities={"z": "logits (−3, 1, 100, 5, −1)", "y": "softmax(z)"},
            method="float64 by the stable form, and 50 digits by mpmath; relative tolerance 1e-13",
            code=(
                "regard.analysis.sensitivity.jacobians:softmax_jacobian",
                "regard.analysis.sensitivity.jacobians:precise_softmax_jacobian",
            ),
        ),
        document=Version(
            "all 25 are about 0, so the softmax is very sensitive",
            r"\frac{\partial y_i}{\partial z_j} \approx 0",
            Saturated(0.0, 1e-6, (0.01, 1.0)),
        ),
        ours=Version(
            "the largest is ∂y₃/∂z₃ = 5.638·10⁻⁴²: saturated, and insensitive",
            r"\max_{i,j} \left|\frac{\partial y_i}{\partial z_j}\right| = 5.638 \cdot 10^{-42}",
            Saturated(5.638e-42, 0.0005e-42, (0.0, 1e-40)),
        ),
        twin=Version(
            "the largest is exactly 0, as y₃(1 − y₃) in float64 says",
            r"\frac{\partial y_3}{\partial z_3} = 0",
            Saturated(0.0, 0.0, (0.0, 1e-40)),
        ),
        check=saturated,
        expected=Verdict.REFUTED,
        chart=chart,
    ),
    Claim(
        id="udl.4c",
        title="Derivatives of the softmax",
        texts=Texts(
            asks="Derive the derivatives of a softmax by its logits.",
            derivation="Let $S = \\sum_k e^{z_k}$ and $y_i = e^{z_i}/S$. By the quotient rule "
            "$\\frac{\\partial y_i}{\\partial z_i} = \\frac{e^{z_i}S - e^{2z_i}}{S^2} = y_i(1 - y_i)$, and for "
            "$j \\neq i$ $\\frac{\\partial y_i}{\\partial z_j} = -\\frac{e^{z_i}e^{z_j}}{S^2} = -y_iy_j$.\n\n"
            "As a matrix, $J = \\operatorname{diag}(y) - yy^\\top$. Its rows add up to zero: a constant added to all "
            "logits changes nothing.",
            quantities={"z": "logits", "y": "softmax(z)"},
            method="identically zero in SymPy for three logits; autograd in float64 to 1e-14, six logits, seeds 0 to 2",
            code=(
                "regard.analysis.sensitivity.jacobians:softmax_jacobian",
                "regard.analysis.sensitivity.jacobians:weights_jacobian",
            ),
        ),
        ours=Version(
            "∂y_i/∂z_i = y_i(1 − y_i), ∂y_i/∂z_j = −y_i·y_j",
            r"\frac{\partial y_i}{\partial z_i} = y_i(1 - y_i), \quad \frac{\partial y_i}{\partial z_j} = -y_iy_j",
            Derivatives(lambda y: y * (1 - y), lambda y, other: -y * other),
        ),
        twin=Version(
            "every output has a logit of its own: ∂y_i/∂z_j = 0, as of a sigmoid",
            r"\frac{\partial y_i}{\partial z_i} = y_i(1 - y_i), \quad \frac{\partial y_i}{\partial z_j} = 0",
            Derivatives(lambda y: y * (1 - y), lambda y, other: 0 * y),
        ),
        check=derivatives,
        expected=Verdict.HOLDS,
    ),
)
