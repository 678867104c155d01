"""Question 3: what LayerNorm and BatchNorm depend on, and how long a normalised row is."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from regard.claims.chart import Matrices
from regard.claims.claim import CORRECTED, HOLDS, Finding, Findings, claim
from regard.claims.small_runs import drawn
from regard.models.block import NormConfig

Places = set[tuple[int, int]]
Entries = Callable[[int, int, int, int], Places]  # of i, j, B, D: what y_ij depends on


def row(i: int, j: int, B: int, D: int) -> Places:
    return {(i, d) for d in range(D)}


def column(i: int, j: int, B: int, D: int) -> Places:
    return {(b, j) for b in range(B)}


def jacobian(norm: nn.Module, B: int, D: int, seed: int = 0) -> Tensor:
    """∂y/∂x, (B, D, B, D)."""
    x = drawn(B, D, seed=seed)
    found = torch.autograd.functional.jacobian(norm.double(), x)
    assert isinstance(found, Tensor)
    return found


def touched(J: Tensor, i: int, j: int) -> Places:
    """The entries of x whose derivative is not exactly zero."""
    return {(int(b), int(d)) for b, d in J[i, j].nonzero()}


def draw_entries() -> Matrices:
    """How strongly one output depends on each input."""
    B, D = 5, 6
    norms = {"LayerNorm": NormConfig().make(D), "BatchNorm, training": nn.BatchNorm1d(D)}
    return Matrices(
        title="What y₃₄ depends on: |∂y₃₄/∂x|",
        panels={name: jacobian(norm, B, D)[2, 3].abs().tolist() for name, norm in norms.items()},
        row_label="row of the batch",
        column_label="feature",
        rows=list("12345"),
        columns=list("123456"),
    )


@claim("eecs.3a", HOLDS, twin={"layer": column, "batch": row}, chart=draw_entries)
def dependence(layer: Entries = row, batch: Entries = column) -> Findings:
    """Which derivatives are not zero, at several sizes; and where the statement ends.

    Stated is what an entry depends on after LayerNorm, and after BatchNorm in training.
    """
    for name, make, stated in (("LayerNorm", NormConfig().make, layer), ("BatchNorm", nn.BatchNorm1d, batch)):
        for seed, (B, D) in enumerate([(3, 3), (3, 5), (5, 4)]):
            J, at = jacobian(make(D), B, D, seed), f"{name}, B = {B}, D = {D}:"
            wrong = [(i, j) for i in range(B) for j in range(D) if touched(J, i, j) != stated(i, j, B, D)]
            shown = f"{at} each y_ij moves with the {len(touched(J, 0, 0))} entries stated, no other"
            if wrong:
                i, j = wrong[0]
                has, said = touched(J, i, j), stated(i, j, B, D)
                b, d = min(has ^ said)
                does = "moves" if (b, d) in has else "does not move"
                shown = f"{at} y_{i}{j} {does} with x_{b}{d}, against what is stated"
            yield Finding(name, not wrong, shown)
    pair = jacobian(NormConfig(eps=1e-12).make(2), 3, 2).abs().max().item()
    shown = f"of two entries LayerNorm leaves the sign: at D = 2, ε = 1e-12 no derivative exceeds {pair:.0e}"
    yield Finding("D = 2", pair < 1e-6, shown)
    J = jacobian(nn.BatchNorm1d(4).eval(), 3, 4)
    own = all(touched(J, i, j) == {(i, j)} for i in range(3) for j in range(4))
    shown = f"in evaluation mode BatchNorm's y_ij moves with {'x_ij alone' if own else 'other entries too'}"
    yield Finding("evaluation", own, shown)


def normalised(x: Tensor, gamma: Tensor, eps: float) -> float:
    """‖y − β‖ of the library's norm with a random β; of torch's at ε = 0, which the library refuses."""
    D = len(x)
    norm = (NormConfig(eps=eps).make(D) if eps else nn.LayerNorm(D, eps=0)).double().requires_grad_(False)
    norm.get_parameter("weight").copy_(gamma)
    beta = norm.get_parameter("bias")
    beta.copy_(drawn(D, seed=9))
    return (norm(x) - beta).norm().item()


def shrink(gamma: float, D: int, sigma: float, eps: float) -> float:
    """|γ|√D·σ/√(σ² + ε), and NaN for 0/0."""
    spread = math.sqrt(sigma**2 + eps)
    return abs(gamma) * math.sqrt(D) * sigma / spread if spread else math.nan


def between_ends(gamma: list[float], D: int) -> tuple[float, float]:
    return min(map(abs, gamma)) * math.sqrt(D), max(map(abs, gamma)) * math.sqrt(D)


Length = Callable[[float, int, float, float], float]  # of γ, D, σ, ε


@claim(
    "eecs.3b",
    CORRECTED,
    document={"length": lambda gamma, D, sigma, eps: gamma * math.sqrt(D), "between": None},
    twin={"length": lambda gamma, D, sigma, eps: shrink(gamma, D, sigma, eps) * math.sqrt(D), "between": None},
)
def lengths(
    length: Length = shrink, between: Callable[[list[float], int], tuple[float, float]] | None = between_ends
) -> Findings:
    """Measure ‖y − β‖ for one γ of all features, of constant rows too, and for a γ of each.

    Stated is the length for one γ, and between what it lies for a γ of each feature.
    """
    yield measure("γ > 0, ε = 0", length, (0.5, 1.0, 3.0), (0.0,))
    yield measure("γ < 0, ε = 0", length, (-0.5, -2.0), (0.0,), detail=True)
    yield measure("ε > 0", length, (-2.0, 1.0), (1e-5, 0.1, 10.0), detail=True)
    x = torch.full((4,), 0.75, dtype=torch.float64)  # its mean is exact
    for eps in (0.0, 1e-5):
        found, stated = normalised(x, torch.ones_like(x), eps), length(1.0, 4, 0.0, eps)
        holds = stated == found or (math.isnan(stated) and math.isnan(found))
        shown = f"a constant row at ε = {eps:g} has the length {found:g}{'' if holds else f', not {stated:g}'}"
        yield Finding(f"constant row, ε = {eps:g}", holds, shown, detail=True)
    if between is None:
        return
    source, inside = torch.Generator().manual_seed(5), 0
    for D in [3, 8, 64] * 20:
        gamma, x = (torch.randn(D, generator=source, dtype=torch.float64) for _ in range(2))
        low, high = between(gamma.tolist(), D)
        inside += low <= normalised(x, gamma, 0.0) <= high
    yield Finding("vector γ", inside == 60, f"vector γ: {inside} of 60 random rows lie between the stated ends")
    gamma, rows = (
        torch.tensor([-3.0, 3.0, 0.5, 0.5]).double(),
        torch.tensor([[0.0, 0, 1, -1], [1.0, -1, 0, 0]]).double(),
    )
    low, high = (normalised(x, gamma, 0.0) for x in rows)
    stated = between(gamma.tolist(), 4)
    reached = abs(low - stated[0]) < 1e-12 and abs(high - stated[1]) < 1e-12
    shown = f"γ = (−3, 3, ½, ½): rows reach {low:g} and {high:g}, stated {stated[0]:g} to {stated[1]:g}"
    yield Finding("ends", reached, shown)


def measure(
    name: str, length: Length, gammas: Sequence[float], epsilons: Sequence[float], *, detail: bool = False
) -> Finding:
    """The stated length against the measured one, for random rows of several widths."""
    shown, worst = "", 0.0
    for seed, D in enumerate((2, 3, 16, 257)):
        x = drawn(D, seed=seed) * 1.7 + 0.3
        sigma = x.std(correction=0).item()
        for gamma, eps in [(gamma, eps) for gamma in gammas for eps in epsilons]:
            found, stated = normalised(x, torch.full_like(x, gamma), eps), length(gamma, D, sigma, eps)
            worst = max(worst, abs(found - stated) / found)
            if abs(found - stated) > 1e-12 * found and not shown:
                at = f"γ = {gamma:g}, D = {D}, σ = {sigma:.3f}, ε = {eps:g}"
                shown = f"{at}: the length is {found:.6g}, not {stated:.6g}"
    shown = shown or f"{name}: the length is as stated for rows of 2 to 257 entries, to {worst:.0e}"
    return Finding(name, worst <= 1e-12, shown, detail)
