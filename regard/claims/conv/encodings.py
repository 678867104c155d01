"""The gaussian relative encoding: which vector makes it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from regard.algorithms import weights
from regard.analysis.formulas import write_sympy
from regard.attention import Attention, Grid, RelativeTable
from regard.claims.claim import CORRECTED, Finding, Findings, View, claim
from regard.claims.findings import equals
from regard.layers import Gaussian, PositionedMultiHead

EXACT = 1e-12
ALPHAS = torch.tensor([0.3, 1.0, 2.5], dtype=torch.float64)  # one per head, as of the centres
CENTRES = torch.tensor([(1.0, -2.0), (0.5, 3.0), (-1.25, 0.0)], dtype=torch.float64)
GRID = Grid(5, 6)

Logit = Callable[..., Any]  # of α, δ₁, δ₂, Δ₁, Δ₂: of numbers, symbols or tensors
Vector = Callable[..., tuple[Any, Any, Any]]  # of α, Δ₁, Δ₂


def symbols() -> Any:
    import sympy

    return sympy.symbols("alpha delta_1 delta_2 Delta_1 Delta_2", real=True)


def remaining_term(v: tuple[Any, Any, Any], d1: Any, d2: Any) -> Any:
    """The logit Z_q W_q W_kᵀ Z_kᵀ + Z_q W_q W̃_kᵀ r_δ + Z_k W_k u + r_δᵀ W̃_k v for W_q = W_k = 0 and W̃_k = I.

    Tokens are rows; r_δ = (‖δ‖², δ₁, δ₂), u and v are columns.
    """
    import sympy

    x, y, u = (sympy.Matrix(sympy.symbols(f"{name}_1:4")) for name in "xyu")
    r, position = sympy.Matrix([d1**2 + d2**2, d1, d2]), sympy.eye(3)
    q, k = x.T * sympy.zeros(3, 3), y.T * sympy.zeros(3, 3)
    return sympy.expand((q * k.T + q * position.T * r + k * u + r.T * position * sympy.Matrix(v))[0])


def tabulate(logit: Logit) -> Attention:
    """Heads with a stated logit, as a table over all offsets of the grid."""
    rows, columns = (torch.arange(-n + 1, n, dtype=torch.float64) for n in (GRID.h, GRID.w))
    d1, d2 = rows[:, None], columns.expand(len(rows), -1)
    heads = zip(ALPHAS, CENTRES, strict=True)
    return Attention(RelativeTable(torch.stack([logit(a, d1, d2, *centre) for a, centre in heads])), keys=GRID)


def by_vector(vector: Vector) -> Logit:
    """The logit v·r_δ."""

    def logit(a: Tensor, d1: Tensor, d2: Tensor, c1: Tensor, c2: Tensor) -> Tensor:
        v = vector(a, c1, c2)
        return v[0] * (d1**2 + d2**2) + v[1] * d1 + v[2] * d2

    return logit


@claim(
    "conv.b1",
    CORRECTED,
    document={"vector": lambda a, c1, c2: (-a, 2 * a * c1, 2 * a * c1)},
    twin={
        "vector": lambda a, c1, c2: (-a, -2 * a * c1, -2 * a * c2),
        "logit": lambda a, d1, d2, c1, c2: -a * (d1**2 + d2**2 + 2 * (d1 * c1 + d2 * c2)),
    },
    view=View("heads", "Move the centre of such a head"),
)
def reduced_logit(
    vector: Vector = lambda a, c1, c2: (-a, 2 * a * c1, 2 * a * c2),
    logit: Logit = lambda a, d1, d2, c1, c2: -a * (d1**2 + d2**2 - 2 * (d1 * c1 + d2 * c2)),
) -> Findings:
    """The stated logit and vector in symbols, and their maps against those of a layer without content."""
    import sympy

    a, d1, d2, c1, c2 = symbols()
    rest = sympy.expand(-a * ((d1 - c1) ** 2 + (d2 - c2) ** 2) - logit(a, d1, d2, c1, c2))
    miss = sympy.factor(sympy.expand(remaining_term(vector(a, c1, c2), d1, d2) - logit(a, d1, d2, c1, c2)))
    position = Gaussian(len(ALPHAS), dtype=torch.float64)
    position.set(CENTRES, ALPHAS)
    layer = PositionedMultiHead(6, position, bias=False, dtype=torch.float64)
    x = torch.randn(1, GRID.count, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    with torch.no_grad():
        layer.query.weight.zero_()
        layer.key.weight.zero_()
        maps = layer.weights(x, keys=GRID)
    stated, made = (weights(None, None, tabulate(own)) for own in (logit, by_vector(vector)))
    yield Finding("the logit", not rest.has(d1, d2), f"−α‖δ − Δ‖² less the logit is {write_sympy(rest)}")
    yield equals("maps by the logit against gaussian heads", maps, stated, EXACT)
    shown = f"v·r_δ with the vector as written is off by {write_sympy(miss)}"
    yield Finding("the vector", miss == 0, shown, detail=True)
    yield equals("maps by the vector against gaussian heads", maps, made, EXACT, detail=True)
