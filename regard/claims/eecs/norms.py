"""Question 3: what LayerNorm and BatchNorm depend on, and how long a normalised row is."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from regard.claims.chart import Matrices
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.models.block import NormConfig

Entries = Callable[[int, int, int, int], set[tuple[int, int]]]  # of i, j, B, D


@dataclass(frozen=True)
class Dependence:
    """Which entries of x the entry y_ij depends on, after LayerNorm and after BatchNorm in training."""

    layer: Entries
    batch: Entries


def row(i: int, j: int, B: int, D: int) -> set[tuple[int, int]]:
    return {(i, d) for d in range(D)}


def column(i: int, j: int, B: int, D: int) -> set[tuple[int, int]]:
    return {(b, j) for b in range(B)}


def jacobian(norm: nn.Module, B: int, D: int, seed: int = 0) -> Tensor:
    """∂y/∂x, (B, D, B, D)."""
    x = torch.randn(B, D, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    found = torch.autograd.functional.jacobian(norm.double(), x)
    assert isinstance(found, Tensor)
    return found


def layer_norm(D: int) -> nn.Module:
    return NormConfig().make(D)


def dependence(said: Dependence) -> Sequence[Finding]:
    """Which derivatives are not zero, at several sizes; and where the statement ends."""
    found = []
    for name, make, stated in (("LayerNorm", layer_norm, said.layer), ("BatchNorm", nn.BatchNorm1d, said.batch)):
        for seed, (B, D) in enumerate([(3, 3), (3, 5), (5, 4)]):
            J = jacobian(make(D), B, D, seed)
            wrong = [(i, j) for i in range(B) for j in range(D) if touched(J, i, j) != stated(i, j, B, D)]
            shown = (
                f"{name}, B = {B}, D = {D}: each y_ij moves with the {len(touched(J, 0, 0))} entries stated, no other"
            )
            if wrong:
                i, j = wrong[0]
                has, said_so = touched(J, i, j), stated(i, j, B, D)
                b, d = min(has ^ said_so)
                does = "moves" if (b, d) in has else "does not move"
                shown = f"{name}, B = {B}, D = {D}: y_{i}{j} {does} with x_{b}{d}, against what is stated"
            found.append(Finding(name, not wrong, shown))
    pair = jacobian(NormConfig(eps=1e-12).make(2), 3, 2).abs().max().item()
    shown = f"of two entries LayerNorm leaves the sign: at D = 2, ε = 1e-12 no derivative exceeds {pair:.0e}"
    found.append(Finding("D = 2", pair < 1e-6, shown))
    own = all(touched(jacobian(nn.BatchNorm1d(4).eval(), 3, 4), i, j) == {(i, j)} for i in range(3) for j in range(4))
    shown = f"in evaluation mode BatchNorm's y_ij moves with {'x_ij alone' if own else 'other entries too'}"
    return [*found, Finding("evaluation", own, shown)]


def touched(J: Tensor, i: int, j: int) -> set[tuple[int, int]]:
    """The entries of x whose derivative is not exactly zero."""
    return {(int(b), int(d)) for b, d in J[i, j].nonzero()}


def entries() -> Matrices:
    """How strongly one output depends on each input."""
    B, D = 5, 6
    panels: dict[str, Sequence[Sequence[float]]] = {
        "LayerNorm": jacobian(layer_norm(D), B, D)[2, 3].abs().tolist(),
        "BatchNorm, training": jacobian(nn.BatchNorm1d(D), B, D)[2, 3].abs().tolist(),
    }
    return Matrices(
        title="What y₃₄ depends on: |∂y₃₄/∂x|",
        panels=panels,
        row_label="row of the batch",
        column_label="feature",
        rows=[str(b + 1) for b in range(B)],
        columns=[str(d + 1) for d in range(D)],
    )


@dataclass(frozen=True)
class Length:
    """‖y − β‖ after LayerNorm: for one γ of all features, and between what for a γ of each."""

    of: Callable[[float, int, float, float], float]  # γ, D, σ, ε
    between: Callable[[list[float], int], tuple[float, float]] | None = None  # γ of each feature, D


def normalised(x: Tensor, gamma: Tensor, eps: float) -> float:
    """‖y − β‖ of torch's LayerNorm with a random β."""
    norm = nn.LayerNorm(x.shape[-1], eps=eps, dtype=torch.float64).requires_grad_(False)
    norm.weight.copy_(gamma)
    norm.bias.copy_(torch.randn(len(x), generator=torch.Generator().manual_seed(9), dtype=torch.float64))
    return (norm(x) - norm.bias).norm().item()


def shrunk(gamma: float, D: int, sigma: float, eps: float) -> float:
    """|γ|√D·σ/√(σ² + ε), and NaN for 0/0."""
    spread = math.sqrt(sigma**2 + eps)
    return abs(gamma) * math.sqrt(D) * sigma / spread if spread else math.nan


def lengths(said: Length) -> Sequence[Finding]:
    found = [
        measured("γ > 0, ε = 0", said, (0.5, 1.0, 3.0), (0.0,)),
        measured("γ < 0, ε = 0", said, (-0.5, -2.0), (0.0,), detail=True),
        measured("ε > 0", said, (-2.0, 1.0), (1e-5, 0.1, 10.0), detail=True),
        flat(said, 0.0),
        flat(said, 1e-5),
    ]
    return found if said.between is None else [*found, *vectors(said.between)]


def measured(
    name: str, said: Length, gammas: Sequence[float], epsilons: Sequence[float], *, detail: bool = False
) -> Finding:
    """The stated length against the measured one, for random rows of several widths."""
    shown, worst = "", 0.0
    for seed, D in enumerate((2, 3, 16, 257)):
        x = torch.randn(D, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * 1.7 + 0.3
        sigma = x.std(correction=0).item()
        for gamma in gammas:
            for eps in epsilons:
                length, stated = normalised(x, torch.full_like(x, gamma), eps), said.of(gamma, D, sigma, eps)
                gap = abs(length - stated) / length
                worst = max(worst, gap)
                if gap > 1e-12 and not shown:
                    at = f"γ = {gamma:g}, D = {D}, σ = {sigma:.3f}, ε = {eps:g}"
                    shown = f"{at}: the length is {length:.6g}, not {stated:.6g}"
    if not shown:
        shown = f"{name}: the length is as stated for rows of 2 to 257 entries, to {worst:.0e}"
    return Finding(name, worst <= 1e-12, shown, detail)


def flat(said: Length, eps: float) -> Finding:
    """A row of equal entries."""
    x = torch.full((4,), 0.75, dtype=torch.float64)  # its mean is exact
    length, stated = normalised(x, torch.ones_like(x), eps), said.of(1.0, 4, 0.0, eps)
    holds = stated == length or (math.isnan(stated) and math.isnan(length))
    shown = f"a constant row at ε = {eps:g} has the length {length:g}{'' if holds else f', not {stated:g}'}"
    return Finding(f"constant row, ε = {eps:g}", holds, shown, detail=True)


def vectors(between: Callable[[list[float], int], tuple[float, float]]) -> list[Finding]:
    """A γ for each feature: the ends hold, and both are reached where two features share them."""
    source = torch.Generator().manual_seed(5)
    outside = 0
    for D in (3, 8, 64):
        for _ in range(20):
            gamma, x = (torch.randn(D, generator=source, dtype=torch.float64) for _ in range(2))
            low, high = between(gamma.tolist(), D)
            outside += not low <= normalised(x, gamma, 0.0) <= high
    gamma = torch.tensor([-3.0, 3.0, 0.5, 0.5], dtype=torch.float64)
    rows = ([0.0, 0.0, 1.0, -1.0], [1.0, -1.0, 0.0, 0.0])
    ends = [normalised(torch.tensor(x, dtype=torch.float64), gamma, 0.0) for x in rows]
    stated = between(gamma.tolist(), 4)
    reached = all(abs(a - b) < 1e-12 for a, b in zip(ends, stated, strict=True))
    return [
        Finding("vector γ", not outside, f"vector γ: {60 - outside} of 60 random rows lie between the stated ends"),
        Finding(
            "ends",
            reached,
            f"γ = (−3, 3, ½, ½): rows reach {ends[0]:g} and {ends[1]:g}, stated {stated[0]:g} to {stated[1]:g}",
        ),
    ]


CLAIMS = {
    "3a": Claim(
        id="eecs.3a",
        title="What LayerNorm and BatchNorm depend on",
        texts=Texts(
            asks="x is a batch of B rows of width D. Which entries of x does the entry y_ij depend on after LayerNorm, "
            "which after BatchNorm?",
            derivation="LayerNorm computes $y_{ij} = \\gamma_j (x_{ij} - \\mu_i)/\\sqrt{\\sigma_i^2 + \\varepsilon} + "
            "\\beta_j$ with the mean and variance of *row* $i$. BatchNorm has those of *column* $j$, in training; in "
            "evaluation they are constants, and $y_{ij}$ depends on $x_{ij}$ alone.\n\n"
            "The derivative $\\frac{\\partial y_{ij}}{\\partial x_{il}} = \\frac{\\gamma_j}{s_i}\\left(\\delta_{jl} - "
            "\\frac{1}{D} - \\frac{\\hat{x}_{ij}\\hat{x}_{il}}{D}\\right)$, with $s_i$ the root and $\\hat{x}$ the "
            "normalised row, is not zero for almost every row of three entries or more. Of two entries only the sign "
            "of their difference is left: $\\hat{x} = \\pm(1, -1)$, and the derivative is zero up to $\\varepsilon$.",
            quantities={"i": "row of the batch", "j": "feature", "B, D": "rows and features, three or more"},
            method="Jacobians by autograd in float64 at (B, D) = (3, 3), (3, 5), (5, 4): zero means exactly zero",
            code=("regard.models.block:NormConfig",),
        ),
        ours=Version("LayerNorm: row i; BatchNorm: column j", r"x_{i\cdot} \mid x_{\cdot j}", Dependence(row, column)),
        twin=Version("LayerNorm: column j; BatchNorm: row i", r"x_{\cdot j} \mid x_{i\cdot}", Dependence(column, row)),
        check=dependence,
        expected=Verdict.HOLDS,
        chart=entries,
    ),
    "3b": Claim(
        id="eecs.3b",
        title="How long a normalised row is",
        texts=Texts(
            asks="After LayerNorm with one γ and one β for all features and ε = 0, what is ‖y − β1‖?",
            derivation="$\\sum_j (x_j - \\mu)^2 = D\\sigma^2$ by the definition of $\\sigma$, so "
            "$\\lVert y - \\beta\\mathbf{1} \\rVert = \\lvert\\gamma\\rvert\\sqrt{D}\\,\\sigma/\\sqrt{\\sigma^2 + "
            "\\varepsilon}$: for $\\varepsilon = 0$ and a row not constant $\\lvert\\gamma\\rvert\\sqrt{D}$. "
            "It is $\\lvert\\gamma\\rvert$, not $\\gamma$: a length is not negative.\n\n"
            "A constant row has $\\sigma = 0$: its length is 0 for every $\\varepsilon > 0$, and $0/0$ at "
            "$\\varepsilon = 0$.\n\n"
            "With a $\\gamma_j$ for each feature $\\sum_j \\gamma_j^2\\hat{x}_j^2$ is a mean of the $\\gamma_j^2$ with "
            "weights $\\hat{x}_j^2$ of sum $D$, so the length is between $\\min\\lvert\\gamma_j\\rvert\\sqrt{D}$ and "
            "$\\max\\lvert\\gamma_j\\rvert\\sqrt{D}$. An end is reached where two features share it.",
            quantities={"γ, β": "gain and offset", "D": "entries of a row", "σ": "its deviation, over D not D − 1"},
            method="measured on torch's LayerNorm in float64, relative gap at most 1e-12; D = 2 to 257",
            code=("regard.models.block:NormConfig",),
        ),
        document=Version("γ√D", r"\gamma\sqrt{D}", Length(lambda gamma, D, sigma, eps: gamma * math.sqrt(D))),
        ours=Version(
            "|γ|√D·σ/√(σ² + ε), that is |γ|√D at ε = 0 for a row that is not constant",
            r"\lvert\gamma\rvert\sqrt{D}\,\frac{\sigma}{\sqrt{\sigma^2 + \varepsilon}}",
            Length(
                shrunk,
                lambda gamma, D: (min(map(abs, gamma)) * math.sqrt(D), max(map(abs, gamma)) * math.sqrt(D)),
            ),
        ),
        twin=Version(
            "|γ|·D",
            r"\lvert\gamma\rvert D",
            Length(lambda gamma, D, sigma, eps: shrunk(gamma, D, sigma, eps) * math.sqrt(D)),
        ),
        check=lengths,
        expected=Verdict.CORRECTED,
    ),
}
