"""The layer as the document defines it: its parameters, and one row of its output."""

import functools
import random
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from regard.analysis import formulas
from regard.claims.claim import CORRECTED, HOLDS, Finding, Findings, claim
from regard.claims.findings import Count, agrees
from regard.layers import MultiHead, Widths

EXACT = 1e-12  # of float64, relative to the largest entry
SEEDS = (0, 1, 2)


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
    weights = [part.weight.unflatten(0, (layer.num_heads, -1)).mT for part in (layer.query, layer.key, layer.value)]
    heads = []
    for head in range(layer.num_heads):
        W_q, W_k, W_v = (weight[matrices(head)] for weight in weights)
        heads.append((Z[pixel] @ W_q @ W_k.T @ Z[rows].T).softmax(0) @ Z[rows] @ W_v)
    return torch.cat(heads) @ layer.out.weight.T + layer.out.bias


def relative_gap(found: Tensor, true: Tensor) -> float:
    return float((found - true).detach().abs().max() / true.detach().abs().max())
