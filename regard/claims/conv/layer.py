"""The layer as the document defines it: its parameters, one row of its output, and its gaussian encoding."""

import functools
import random
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from regard.algorithms import weights
from regard.analysis import formulas
from regard.attention import Attention, Grid, RelativeTable
from regard.claims.claim import CORRECTED, HOLDS, Finding, Findings, View, claim
from regard.claims.findings import Count, agrees, equals
from regard.claims.small_runs import drawn
from regard.formulas import write_sympy
from regard.layers import Gaussian, MultiHead, PositionedMultiHead, Widths

EXACT = 1e-12  # of float64, relative to the largest entry
SEEDS = (0, 1, 2)
ALPHAS = torch.tensor([0.3, 1.0, 2.5], dtype=torch.float64)  # one per head, as of the centres
CENTRES = torch.tensor([(1.0, -2.0), (0.5, 3.0), (-1.25, 0.0)], dtype=torch.float64)
GRID = Grid(5, 6)


def build_layer(N_h: int, D_i: int, D_hid: int, D_o: int, D_out: int) -> MultiHead:
    """The document's layer: N_h heads, no biases of q, k and v, an output with one."""
    return MultiHead(Widths(query=D_i, head=D_hid, head_value=D_o, out=D_out), N_h, bias=False, device="meta")


@functools.cache
def counted_parameters() -> dict[str, Any]:
    """The parameters of the heads and of the output, as polynomials."""

    def make(N: int, **sizes: int) -> tuple[MultiHead, tuple[Tensor]]:
        return build_layer(**sizes), (torch.empty(1, N, sizes["D_i"], device="meta"),)

    found = formulas(make, N=3, N_h=4, D_i=6, D_hid=5, D_o=7, D_out=10)
    heads = found["query"].parameters + found["key"].parameters + found["value"].parameters
    return {"heads": heads, "output": found["out"].parameters}


@claim("conv.a1", HOLDS, twin={"heads": lambda N_h, D_i, D_hid, D_o, D_out: N_h * D_i * (D_hid + D_o)})
def parameters(
    heads: Count = lambda N_h, D_i, D_hid, D_o, D_out: N_h * D_i * (2 * D_hid + D_o),
    output: Count = lambda N_h, D_i, D_hid, D_o, D_out: N_h * D_o * D_out + D_out,
    biases: Count = lambda **_: 0,
) -> Findings:
    """Count built layers of random sizes, and compare polynomials."""
    drawn, names = random.Random(0), ("N_h", "D_i", "D_hid", "D_o", "D_out")
    sizes = [{name: drawn.randint(1, 40) for name in names} for _ in range(20)]

    def count(parts: tuple[str, ...], kind: str, **at: int) -> int:
        layer = build_layer(**at)
        return sum(p.numel() for part in parts for name, p in getattr(layer, part).named_parameters() if kind in name)

    projections = ("query", "key", "value")
    yield agrees("parameters of the heads", heads, functools.partial(count, projections, ""), sizes)
    yield agrees("parameters of the output", output, functools.partial(count, ("out",), ""), sizes)
    yield agrees("biases of q, k and v", biases, functools.partial(count, projections, "bias"), sizes)
    for part, stated in (("heads", heads), ("output", output)):
        true = counted_parameters()[part]
        said = stated(**{name: type(true).symbol(name) for name in names})
        shown = f"as a polynomial, the {part}: {true}{'' if said == true else f', not {said}'}"
        yield Finding(f"polynomial of the {part}", said == true, shown)


def draw_layer(seed: int, num_heads: int) -> tuple[MultiHead, Tensor, torch.Generator]:
    """A layer of random weights with β = 1, and 7 tokens of width 5, in float64."""
    generator = torch.Generator().manual_seed(seed)
    widths = Widths(query=5, head=4, head_value=2, out=6)
    layer = MultiHead(widths, num_heads, bias=False, beta=1.0, dtype=torch.float64)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64) / 2)
    return layer, torch.randn(1, 7, 5, generator=generator, dtype=torch.float64), generator


Rows = Callable[[int, int], Iterable[int]]  # of the query's pixel and the number of pixels


@claim(
    "conv.a2",
    CORRECTED,
    document={"matrices": lambda head: 0},
    twin={"rows": lambda pixel, N: range(pixel + 1)},
)
def one_row(rows: Rows = lambda pixel, N: range(N), matrices: Callable[[int], int] = lambda head: head) -> Findings:
    """Compute one row from the stated rows, by the layer and by the formula, and see which rows it feels."""
    forward = backward = printed = 0.0
    are_named, counts = True, ""
    for seed in SEEDS:
        layer, Z, generator = draw_layer(seed, 3)
        Z.requires_grad_()
        pixel = 2 + seed
        named = list(rows(pixel, 7))
        whole, alone = layer(Z)[0, pixel], layer(Z[:, pixel : pixel + 1], Z[:, named])[0, 0]
        towards = torch.randn(whole.shape, generator=generator, dtype=torch.float64)
        inputs = [Z, *layer.parameters()]
        ours, theirs = (torch.autograd.grad((y * towards).sum(), inputs) for y in (alone, whole))
        forward = max(forward, relative_gap(alone, whole))
        backward = max(backward, *map(relative_gap, ours, theirs))
        printed = max(printed, relative_gap(row_by_formula(layer, Z[0], pixel, named, matrices), alone))
        felt = (theirs[0][0].norm(dim=1) > 1e-6).nonzero().flatten().tolist()
        are_named &= felt == sorted({*named, pixel})
        counts = f"{len(felt)} of 7 rows of Z have a gradient, {len({*named, pixel})} are named"
    yield Finding("one row", forward <= EXACT, f"one row computed alone is off by {forward:.0e} of the layer's own")
    yield Finding("gradients", backward <= EXACT, f"its gradients, of Z and of weights, are off by {backward:.0e}")
    yield Finding("all rows that it needs", are_named, counts)
    shown = f"the formula, with the matrices that it gives to head h, is off by {printed:.1g} of the row's size"
    yield Finding("matrices of each head", printed <= EXACT, shown, detail=True)


def row_by_formula(layer: MultiHead, Z: Tensor, pixel: int, rows: list[int], matrices: Callable[[int], int]) -> Tensor:
    """`concat_h[softmax(Z_q W_q W_kᵀ Zᵀ) Z W_v] W_out + b_out`, with the matrices of this index in head h."""
    matrix = [part.weight.unflatten(0, (layer.num_heads, -1)).mT for part in (layer.query, layer.key, layer.value)]
    heads = []
    for head in range(layer.num_heads):
        W_q, W_k, W_v = (own[matrices(head)] for own in matrix)
        heads.append((Z[pixel] @ W_q @ W_k.T @ Z[rows].T).softmax(0) @ Z[rows] @ W_v)
    return torch.cat(heads) @ layer.out.weight.T + layer.out.bias


def relative_gap(found: Tensor, true: Tensor) -> float:
    return float((found - true).detach().abs().max() / true.detach().abs().max())


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
    x = drawn(1, GRID.count, 6, seed=0)
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
