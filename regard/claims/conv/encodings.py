"""The gaussian relative encoding: which vector makes it, and what it leaves out of the square."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.algorithms import attend, weights
from regard.analysis.formulas import write_sympy
from regard.attention import Attention, Grid, Quadratic, RelativeTable
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import equals
from regard.layers import Gaussian, PositionedMultiHead

EXACT = 1e-12
ALPHAS, CENTRES = (0.3, 1.0, 2.5), ((1.0, -2.0), (0.5, 3.0), (-1.25, 0.0))  # one of each per head
GRID = Grid(5, 6)


def features(row: Any, column: Any) -> tuple[Any, Any, Any]:
    """r_δ = (‖δ‖², δ₁, δ₂), of numbers, symbols or tensors."""
    return row * row + column * column, row, column


@dataclass(frozen=True)
class Encoding:
    """The vector v of a head of precision α and centre Δ, and the logit that it is to make with r_δ."""

    vector: Callable[..., tuple[Any, Any, Any]]  # of α, Δ₁, Δ₂
    logit: Callable[..., Any]  # of α, δ₁, δ₂, Δ₁, Δ₂


def symbols() -> dict[str, Any]:
    import sympy

    names = {"alpha": "alpha", "d1": "delta_1", "d2": "delta_2", "c1": "Delta_1", "c2": "Delta_2"}
    return {short: sympy.Symbol(name, real=True) for short, name in names.items()}


def remaining(vector: tuple[Any, Any, Any], s: dict[str, Any]) -> Any:
    """The logit Z_q W_q W_kᵀ Z_kᵀ + Z_q W_q W̃_kᵀ r_δ + Z_k W_k u + r_δᵀ W̃_k v for W_q = W_k = 0 and W̃_k = I.

    Tokens are rows; r_δ, u and v are columns.
    """
    import sympy

    x, y, u = (sympy.Matrix(sympy.symbols(f"{name}_1:4")) for name in "xyu")
    v, r = sympy.Matrix(vector), sympy.Matrix(features(s["d1"], s["d2"]))
    query, key, position = sympy.zeros(3, 3), sympy.zeros(3, 3), sympy.eye(3)
    q, k = x.T * query, y.T * key
    return sympy.expand((q * k.T + q * position.T * r + k * u + r.T * position * v)[0])


def table(logit: Callable[[Tensor, Tensor, int], Tensor]) -> RelativeTable:
    """A stated logit as a table over all offsets of the grid, one per head."""
    rows, columns = (torch.arange(-n + 1, n, dtype=torch.float64) for n in (GRID.h, GRID.w))
    row, column = rows[:, None].expand(-1, len(columns)), columns.expand(len(rows), -1)
    return RelativeTable(torch.stack([logit(row, column, head) for head in range(len(ALPHAS))]))


@functools.cache
def gaussian_maps() -> Tensor:
    """The maps of a layer with content and position whose content is switched off: W_q = W_k = 0."""
    position = Gaussian(len(ALPHAS), dtype=torch.float64)
    position.set(_double(CENTRES), _double(ALPHAS))
    layer = PositionedMultiHead(6, position, bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.query.weight.zero_()
        layer.key.weight.zero_()
    x = torch.randn(1, GRID.count, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return layer.weights(x, keys=GRID).detach()


def reduced_logit(stated: Encoding) -> Sequence[Finding]:
    """The stated logit and vector, in symbols and as maps of a built layer."""
    import sympy

    s = symbols()
    square = -s["alpha"] * ((s["d1"] - s["c1"]) ** 2 + (s["d2"] - s["c2"]) ** 2)
    logit = stated.logit(*[s[name] for name in ("alpha", "d1", "d2", "c1", "c2")])
    rest = sympy.expand(square - logit)
    is_gaussian = not rest.has(s["d1"]) and not rest.has(s["d2"])
    made = remaining(stated.vector(s["alpha"], s["c1"], s["c2"]), s)
    miss = sympy.factor(sympy.expand(made - logit))

    def by_logit(row: Tensor, column: Tensor, head: int) -> Tensor:
        return stated.logit(ALPHAS[head], row, column, *CENTRES[head])

    def by_vector(row: Tensor, column: Tensor, head: int) -> Tensor:
        v = stated.vector(ALPHAS[head], *CENTRES[head])
        return sum((a * b for a, b in zip(v, features(row, column), strict=True)), torch.zeros_like(row))

    maps = [weights(None, None, Attention(table(logit), keys=GRID)) for logit in (by_logit, by_vector)]
    return [
        Finding("the logit", is_gaussian, f"−α‖δ − Δ‖² less the logit is {write_sympy(rest)}"),
        equals("maps by the logit against gaussian heads", gaussian_maps(), maps[0], EXACT),
        Finding(
            "the vector", miss == 0, f"v·r_δ with the vector as written is off by {write_sympy(miss)}", detail=True
        ),
        equals("maps by the vector against gaussian heads", gaussian_maps(), maps[1], EXACT, detail=True),
    ]


def _double(numbers: Any) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


Constant = Callable[[Any, Any], Any]


def completed_square(constant: Constant) -> Sequence[Finding]:
    """`v·r_δ = −α(‖δ − Δ‖² + c)` in symbols, and c from the log-sum-exp of the two built mechanisms."""
    import sympy

    s = symbols()
    vector = (-s["alpha"], 2 * s["alpha"] * s["c1"], 2 * s["alpha"] * s["c2"])
    away = (s["d1"] - s["c1"]) ** 2 + (s["d2"] - s["c2"]) ** 2
    miss = sympy.factor(sympy.expand(remaining(vector, s) + s["alpha"] * (away + constant(s["c1"], s["c2"]))))

    def by_vector(row: Tensor, column: Tensor, head: int) -> Tensor:
        (first, second), r = CENTRES[head], features(row, column)
        return -ALPHAS[head] * (r[0] - 2 * first * r[1] - 2 * second * r[2])

    quadratic = Quadratic(_double(CENTRES), _double(ALPHAS))
    ones = torch.ones(1, 1, GRID.count, 1, dtype=torch.float64)
    sums = [
        attend(None, None, ones, Attention(term, keys=GRID), return_lse=True)[1]
        for term in (table(by_vector), quadratic)
    ]
    said = torch.tensor([-a * constant(*c) for a, c in zip(ALPHAS, CENTRES, strict=True)], dtype=torch.float64)
    found = (sums[0] - sums[1])[0]
    return [
        Finding("in symbols", miss == 0, f"v·r_δ + α(‖δ − Δ‖² + c) is {write_sympy(miss)}"),
        equals("−αc, the difference of log-sum-exps", found, said[:, None].expand_as(found), 1e-11),
    ]


LETTERS = {
    "$\\alpha$": "precision of the head, above zero",
    "$\\Delta$": "its centre, an offset in rows and columns",
    "$\\delta$": "the offset between key and query",
    "$r_\\delta$": "the encoding of an offset, (‖δ‖², δ₁, δ₂)",
}

CLAIMS = (
    Claim(
        id="conv.b1",
        title="The gaussian encoding as a dot product",
        texts=Texts(
            asks="The relative logit has four terms in W_q, W_k, W̃_k, u and v. Take W_q = W_k = 0 and W̃_k = I, with "
            "r_δ = (‖δ‖², δ₁, δ₂). Which v makes a gaussian around the offset Δ, and what is the logit?",
            derivation="With tokens as rows and $r_\\delta$, $u$, $v$ as columns, the logit is "
            "$Z_q W_q W_k^\\top Z_k^\\top + Z_q W_q \\tilde W_k^\\top r_\\delta + Z_k W_k u + "
            "r_\\delta^\\top \\tilde W_k v$. Only the last term is left: $v \\cdot r_\\delta$.\n\n"
            "With $v = -\\alpha (1, -2\\Delta_1, -2\\Delta_2)$ it is "
            "$-\\alpha (\\lVert\\delta\\rVert^2 - 2 \\delta \\cdot \\Delta)$, which is "
            "$-\\alpha \\lVert\\delta - \\Delta\\rVert^2$ plus $\\alpha\\lVert\\Delta\\rVert^2$: a constant over the "
            "keys, which the softmax drops.\n\nThe document prints the vector with $\\Delta_1$ twice. That logit is "
            "off by $2\\alpha\\delta_2(\\Delta_1 - \\Delta_2)$, zero for heads on the diagonal alone.",
            quantities=LETTERS | {"$v$": "the head's position vector"},
            method="exact in SymPy; maps of a built layer in float64 on a 5 × 6 grid, three heads, to 1e-12",
            code=("regard.attention.scores.relative:Quadratic", "regard.layers.position_heads:PositionedMultiHead"),
        ),
        document=Version(
            "the logit is −α(‖δ‖² − 2 δ·Δ), by v = −α(1, −2Δ₁, −2Δ₁)",
            r"v = -\alpha (1, -2\Delta_1, -2\Delta_1)",
            Encoding(
                lambda a, c1, c2: (-a, 2 * a * c1, 2 * a * c1),
                lambda a, d1, d2, c1, c2: -a * (d1**2 + d2**2 - 2 * (d1 * c1 + d2 * c2)),
            ),
        ),
        ours=Version(
            "the logit is −α(‖δ‖² − 2 δ·Δ), by v = −α(1, −2Δ₁, −2Δ₂)",
            r"v = -\alpha (1, -2\Delta_1, -2\Delta_2), \quad v \cdot r_\delta = "
            r"-\alpha (\lVert\delta\rVert^2 - 2 \delta \cdot \Delta)",
            Encoding(
                lambda a, c1, c2: (-a, 2 * a * c1, 2 * a * c2),
                lambda a, d1, d2, c1, c2: -a * (d1**2 + d2**2 - 2 * (d1 * c1 + d2 * c2)),
            ),
        ),
        twin=Version(
            "the logit is −α(‖δ‖² + 2 δ·Δ), by v = −α(1, 2Δ₁, 2Δ₂)",
            r"v = -\alpha (1, 2\Delta_1, 2\Delta_2)",
            Encoding(
                lambda a, c1, c2: (-a, -2 * a * c1, -2 * a * c2),
                lambda a, d1, d2, c1, c2: -a * (d1**2 + d2**2 + 2 * (d1 * c1 + d2 * c2)),
            ),
        ),
        check=reduced_logit,
        expected=Verdict.CORRECTED,
    ),
    Claim(
        id="conv.d2",
        title="The constant of the completed square",
        texts=Texts(
            asks="Show that the gaussian encoding's logit is −α(‖δ − Δ‖² + c), and give c.",
            derivation="$\\lVert\\delta - \\Delta\\rVert^2 = \\lVert\\delta\\rVert^2 - 2\\delta\\cdot\\Delta + "
            "\\lVert\\Delta\\rVert^2$, so $v \\cdot r_\\delta = -\\alpha(\\lVert\\delta\\rVert^2 - "
            "2\\delta\\cdot\\Delta) = -\\alpha(\\lVert\\delta - \\Delta\\rVert^2 - \\lVert\\Delta\\rVert^2)$ and "
            "$c = -\\lVert\\Delta\\rVert^2$.\n\nA constant moves all logits of a row alike: maps do not change, the "
            "log-sum-exp changes by $-\\alpha c = \\alpha\\lVert\\Delta\\rVert^2$, which is how it is measured here.",
            quantities=LETTERS | {"$c$": "a constant over the keys"},
            method="exact in SymPy; log-sum-exps of two built mechanisms in float64 to 1e-11",
            code=("regard.attention.scores.relative:Quadratic", "regard.algorithms.attend:attend"),
        ),
        ours=Version(
            "c = −‖Δ‖²",
            r"v \cdot r_\delta = -\alpha (\lVert\delta - \Delta\rVert^2 + c), \quad c = -\lVert\Delta\rVert^2",
            lambda c1, c2: -(c1**2 + c2**2),
        ),
        twin=Version("c = +‖Δ‖²", r"c = \lVert\Delta\rVert^2", lambda c1, c2: c1**2 + c2**2),
        check=completed_square,
        expected=Verdict.HOLDS,
    ),
)
