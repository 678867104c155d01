"""Problem 12.4: the derivatives of the softmax, where it is saturated and in general."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from regard.algorithms import weights
from regard.analysis.sensitivity.jacobians import precise_softmax_jacobian, softmax_jacobian, weights_jacobian
from regard.attention import Attention, Content
from regard.claims.chart import Matrices
from regard.claims.claim import HOLDS, REFUTED, Finding, Findings, View, claim
from regard.claims.findings import equals
from regard.claims.small_runs import drawn

LOGITS = torch.tensor([-3.0, 1.0, 100.0, 5.0, -1.0], dtype=torch.float64)
DIGITS = 50
MOST = 0.25  # no derivative of a softmax is larger: y(1 − y) ≤ 1/4
ONE = torch.ones(1, 1, 1, 1, dtype=torch.float64)
UNSCALED = Attention(Content(1.0))


def draw_sizes() -> Matrices:
    """The sizes of all derivatives, here and at logits a fiftieth of these."""
    found = {"z": softmax_jacobian(LOGITS), "z / 50": softmax_jacobian(LOGITS / 50)}
    return Matrices(
        title="log₁₀ of |∂yᵢ/∂zⱼ|: saturated at z, alive at z/50",
        panels={name: [[math.log10(abs(value)) for value in row] for row in J.tolist()] for name, J in found.items()},
        row_label="output i",
        column_label="logit j",
        rows=list("12345"),
        columns=list("12345"),
    )


@claim(
    "udl.4",
    REFUTED,
    document={"largest": 0.0, "error": 1e-6, "sensitivity": (0.01, 1.0)},
    twin={"largest": 0.0, "error": 0.0},
    chart=draw_sizes,
    view=View("playground", "See a saturated softmax and its Jacobian", {"beta": 50.0}),
)
def saturated(
    largest: float = 5.638e-42, error: float = 0.0005e-42, sensitivity: tuple[float, float] = (0.0, 1e-40)
) -> Findings:
    """All 25 derivatives, in float64 and in 50 digits, and how far the outputs really move.

    Stated are the largest up to an error, and between which shares of the most possible it lies.
    """
    import mpmath

    exact = precise_softmax_jacobian(LOGITS.tolist(), digits=DIGITS)
    i, j = max([(i, j) for i in range(5) for j in range(5)], key=lambda place: abs(exact[place[0]][place[1]]))
    found = float(abs(exact[i][j]))
    within = abs(found - largest) <= error
    told = f"∂y{i + 1}/∂z{j + 1} = {mpmath.nstr(exact[i][j], 4)}{'' if within else f', not {largest:g}'}"
    yield Finding("the largest of the 25 derivatives", within, f"the largest of 25 is {told}")
    (low, high), share = sensitivity, found / MOST
    holds, words = low <= share <= high, ("insensitive", "very sensitive")  # below a hundredth of the most, or above
    steps = torch.cat((torch.eye(5), -torch.eye(5))).double()
    moved = max([(softmax(LOGITS + step) - softmax(LOGITS)).abs().max().item() for step in steps])
    told = f"{words[share > 0.01]}{'' if holds else f', not {words[high > 0.01]}'}"
    yield Finding("sensitivity", holds, f"a logit moved by 1 moves no output by more than {moved:.1e}: {told}")
    pairs = zip(softmax_jacobian(LOGITS).flatten().tolist(), [entry for row in exact for entry in row], strict=True)
    gap = max(float(abs(ours - true) / abs(true)) for ours, true in pairs)
    shown = f"float64 by y·Σ of the others is within {gap:.0e} of {DIGITS} digits in all 25"
    yield Finding("25 derivatives in float64", gap < 1e-13, shown)
    y = softmax(LOGITS)[2].item()
    shown = f"y₃(1 − y₃) in float64 is {y * (1 - y):g}: y₃ is rounded to {y:g}"
    yield Finding("y₃(1 − y₃) in float64", y * (1 - y) == 0, shown)


def softmax(z: Tensor) -> Tensor:
    """The weights of one query, 1, over keys z at β = 1."""
    return weights(ONE, z.reshape(1, 1, -1, 1), UNSCALED).flatten()


@claim(
    "udl.4c",
    HOLDS,
    twin={"other": lambda y, by: 0 * y * by},
    view=View("playground", "See the Jacobian of a row of weights"),
)
def derivatives(
    own: Callable[[Any], Any] = lambda y: y * (1 - y), other: Callable[[Any, Any], Any] = lambda y, by: -y * by
) -> Findings:
    """By SymPy for three logits, by autograd through the library's map and by its formula at random ones.

    Stated are the derivatives of an output by its own logit and by another, as functions of the outputs.
    """
    import sympy

    z = sympy.symbols("z1:4")
    y = [sympy.exp(each) / sum(map(sympy.exp, z)) for each in z]
    places = [(i, j) for i in range(3) for j in range(3)]
    said = [own(y[i]) if i == j else other(y[i], y[j]) for i, j in places]
    rests = [sympy.cancel(sympy.together(sympy.diff(y[i], z[j]) - s)) for (i, j), s in zip(places, said, strict=True)]
    shown = f"for three logits {rests.count(0)} of 9 derivatives minus the stated ones are 0 in SymPy"
    yield Finding("symbolic derivatives", rests.count(0) == 9, shown)

    def stated(z: Tensor) -> Tensor:
        y = torch.stack([softmax(row) for row in z])
        return torch.where(torch.eye(6, dtype=torch.bool), own(y)[..., None], other(y[..., None], y[..., None, :]))

    x = drawn(3, 6, seed=0)
    by_autograd = [weights_jacobian(ONE, row.reshape(1, 1, 6, 1), UNSCALED, by="k").reshape(6, 6) for row in x]
    yield equals("autograd through the map of 6 logits", torch.stack(by_autograd), stated(x), 1e-14)
    yield equals("the library's formula", softmax_jacobian(x), stated(x), 1e-14)
    yield equals("its formula at β = 3, ∂softmax(3z)/∂z", softmax_jacobian(x, beta=3), 3 * stated(3 * x), 1e-14)
