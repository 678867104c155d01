"""The layer as the document defines it: its parameters, one row of its output, and its heads as a sum."""

import copy
import functools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.analysis import formulas
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import agrees, equals
from regard.layers import MultiHead, Widths

EXACT = 1e-12  # of float64, relative to the largest entry
SEEDS = (0, 1, 2)
NAMES = ("N_h", "D_i", "D_hid", "D_o", "D_out")


@dataclass(frozen=True)
class Parameters:
    """Numbers of parameters as functions of the sizes: of all heads, of the output, and biases of q, k and v."""

    heads: Callable[..., Any]
    output: Callable[..., Any]
    biases: Callable[..., Any]


def built(N_h: int, D_i: int, D_hid: int, D_o: int, D_out: int) -> MultiHead:
    """The document's layer: N_h heads, no biases of q, k and v, an output with one."""
    widths = Widths(query=D_i, head=D_hid, head_value=D_o, out=D_out)
    return MultiHead(widths, N_h, bias=False, device="meta")


def counted(kind: str, **sizes: int) -> int:
    layer = built(**sizes)
    parts = [layer.out] if kind == "output" else [layer.query, layer.key, layer.value]
    name = "bias" if kind == "biases" else ""
    return sum(p.numel() for part in parts for own, p in part.named_parameters() if name in own)


@functools.cache
def polynomials() -> dict[str, Any]:
    """The built layer's parameters as SymPy polynomials, by part."""

    def make(N: int, **sizes: int) -> tuple[MultiHead, tuple[Tensor]]:
        return built(**sizes), (torch.empty(1, N, sizes["D_i"], device="meta"),)

    found = formulas(make, N=3, N_h=4, D_i=6, D_hid=5, D_o=7, D_out=10)
    heads = found["query"].parameters + found["key"].parameters + found["value"].parameters
    return {"heads": heads.sympy(), "output": found["out"].parameters.sympy()}


def count_parameters(stated: Parameters) -> Sequence[Finding]:
    """Count built layers of random sizes, and compare the polynomials."""
    import sympy

    drawn = random.Random(0)
    sizes = [{name: drawn.randint(1, 40) for name in NAMES} for _ in range(20)]
    symbols = {symbol.name: symbol for kind in ("heads", "output") for symbol in polynomials()[kind].free_symbols}
    found = []
    for kind, words in (("heads", "parameters of the heads"), ("output", "parameters of the output")):
        number = functools.partial(counted, kind)
        found.append(agrees(words, getattr(stated, kind), number, sizes))
        said, true = sympy.expand(getattr(stated, kind)(**symbols)), sympy.expand(polynomials()[kind])
        holds = bool(sympy.expand(said - true) == 0)
        found.append(Finding(words, holds, f"{words}: {true} as counted{'' if holds else f', not {said}'}"))
    found.append(agrees("biases of q, k and v", stated.biases, functools.partial(counted, "biases"), sizes))
    return found


@dataclass(frozen=True)
class Row:
    """What the output at one pixel is made of: the rows of Z that it needs, and the matrices that head h takes."""

    rows: Callable[[int, int], Sequence[int]]  # of the query's pixel and the number of pixels
    matrices: Callable[[int], int]  # the index of the matrices in head h


def random_layer(seed: int, heads: int = 3, bias: bool = True) -> tuple[MultiHead, Tensor, torch.Generator]:
    """A layer of random weights and 7 tokens of width 5, in float64."""
    generator = torch.Generator().manual_seed(seed)
    widths = Widths(query=5, head=4, head_value=2, out=6)
    layer = MultiHead(widths, heads, bias=False, out_bias=bias, dtype=torch.float64)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64) / 2)
    return layer, torch.randn(1, 7, 5, generator=generator, dtype=torch.float64), generator


def with_matrices(layer: MultiHead, index: Callable[[int], int]) -> MultiHead:
    """The same layer whose head h has the matrices of head `index(h)`."""
    order = torch.tensor([index(head) for head in range(layer.num_heads)])
    changed = copy.deepcopy(layer)
    with torch.no_grad():
        for part in (changed.query, changed.key, changed.value):
            part.weight.copy_(part.weight.unflatten(0, (layer.num_heads, -1))[order].flatten(0, 1))
    return changed


def gradients(layer: MultiHead, y: Tensor, Z: Tensor, towards: Tensor) -> list[Tensor]:
    return list(torch.autograd.grad((y * towards).sum(), [Z, *layer.parameters()]))


def one_row(stated: Row) -> Sequence[Finding]:
    """Compute one row alone and compare it with the whole layer's, and see which rows of Z it feels."""
    forward, backward, printed, felt = 0.0, 0.0, 0.0, []
    for seed in SEEDS:
        layer, Z, generator = random_layer(seed)
        Z.requires_grad_()
        N, pixel = Z.shape[1], 2 + seed
        rows = list(stated.rows(pixel, N))
        whole, alone = layer(Z)[:, pixel], layer(Z[:, pixel : pixel + 1], Z[:, rows])[:, 0]
        towards = torch.randn(whole.shape, generator=generator, dtype=torch.float64)
        ours, theirs = (gradients(layer, y, Z, towards) for y in (alone, whole))
        as_printed = with_matrices(layer, stated.matrices)(Z)[:, pixel]
        forward = max(forward, off(alone, whole))
        backward = max(backward, *[off(a, b) for a, b in zip(ours, theirs, strict=True)])
        printed = max(printed, off(as_printed, whole))
        touched = theirs[0][0].norm(dim=1) > 1e-6
        felt.append((set(torch.arange(N)[touched].tolist()), {*rows, pixel}))
    true, named = (len(rows) for rows in felt[-1])
    return [
        Finding("one row", forward <= EXACT, f"one row computed alone is off by {forward:.0e} of the layer's own"),
        Finding("its gradients", backward <= EXACT, f"its gradients, of Z and of weights, are off by {backward:.0e}"),
        Finding(
            "all rows it names",
            all(rows == said for rows, said in felt),
            f"{true} of 7 rows of Z have a gradient, {named} are named",
        ),
        Finding(
            "matrices of each head",
            printed <= EXACT,
            f"head h with the matrices that the formula gives it: the output is off by {printed:.2g} of its size",
            detail=True,
        ),
    ]


def off(found: Tensor, true: Tensor) -> float:
    return float((found - true).detach().abs().max() / true.detach().abs().max())


Merge = Callable[[Tensor, Tensor, int, int], Tensor]


def sum_over_heads(merge: Merge) -> Sequence[Finding]:
    """The layer against `Σ_h softmax(A^h) Z W^h + b`, with W^h by the stated rule."""
    found = []
    for seed in SEEDS:
        heads = 2 + seed
        layer, Z, _ = random_layer(seed, heads)
        maps, out = layer.weights(Z), layer.out.weight.T
        total = layer.out.bias
        for head, value in enumerate(layer.value.weight.unflatten(0, (heads, -1))):
            total = total + maps[:, head] @ Z @ merge(value.T, out, head, heads)
        found.append(equals(f"{heads} heads of width 2, seed {seed}", layer(Z).detach(), total.detach(), EXACT))
    return found


CLAIMS = (
    Claim(
        id="conv.a1",
        title="Parameters of multi-head attention",
        texts=Texts(
            asks="Multi-head self-attention maps tokens of width D_i to width D_out by N_h heads, with query and key "
            "width D_hid and value width D_o. How many parameters do the heads hold, and how many the output?",
            derivation="Head $h$ has $W_q, W_k \\in \\mathbb{R}^{D_i \\times D_{hid}}$ and "
            "$W_v \\in \\mathbb{R}^{D_i \\times D_o}$: together $D_i (2 D_{hid} + D_o)$ numbers, and there are $N_h$ "
            "heads.\n\nThe heads side by side are $N_h D_o$ wide. The output maps them to $D_{out}$ numbers and adds "
            "$b_{out}$: $N_h D_o D_{out} + D_{out}$. The document's layer adds no bias to queries, keys and values.",
            quantities={
                "$N_h$": "heads",
                "$D_i$": "width of a token",
                "$D_{hid}$": "width of a query and of a key",
                "$D_o$": "width of a value",
                "$D_{out}$": "width of the output",
            },
            method="exact: 20 layers of random sizes counted, and the counted polynomials compared",
            code=("regard.layers.multihead:MultiHead", "regard.analysis.cost.symbolic:formulas"),
        ),
        ours=Version(
            "the heads hold N_h·D_i·(2·D_hid + D_o) parameters, the output N_h·D_o·D_out + D_out",
            r"N_h D_i (2 D_{hid} + D_o), \quad N_h D_o D_{out} + D_{out}",
            Parameters(
                heads=lambda N_h, D_i, D_hid, D_o, D_out: N_h * D_i * (2 * D_hid + D_o),
                output=lambda N_h, D_i, D_hid, D_o, D_out: N_h * D_o * D_out + D_out,
                biases=lambda **_: 0,
            ),
        ),
        twin=Version(
            "the heads hold N_h·D_i·(D_hid + D_o) parameters: queries and keys share a matrix",
            r"N_h D_i (D_{hid} + D_o), \quad N_h D_o D_{out} + D_{out}",
            Parameters(
                heads=lambda N_h, D_i, D_hid, D_o, D_out: N_h * D_i * (D_hid + D_o),
                output=lambda N_h, D_i, D_hid, D_o, D_out: N_h * D_o * D_out + D_out,
                biases=lambda **_: 0,
            ),
        ),
        check=count_parameters,
        expected=Verdict.HOLDS,
    ),
    Claim(
        id="conv.a2",
        title="What one output pixel needs",
        texts=Texts(
            asks="Which part of the input does multi-head self-attention need for its output at a single pixel q?",
            derivation="Row $q$ of the output is "
            "$\\operatorname{concat}_h \\left[ \\operatorname{softmax}(Z_q W_q^{(h)} W_k^{(h)\\top} Z^\\top)\\, "
            "Z W_v^{(h)} \\right] W_{out} + b_{out}$. Queries enter by row $q$ alone, keys and values by all rows: "
            "none of them can be left out, for the softmax gives each a weight above zero.\n\n"
            "The document's formula for several heads writes $W_q$, $W_k$, $W_v$ without the index $(h)$. Read as it "
            "stands, all heads would compute the same.",
            quantities={"$Z$": "tokens, one row per pixel", "$q$": "the pixel that is computed", "$h$": "a head"},
            method=f"float64, {len(SEEDS)} random layers of 3 heads on 7 tokens, forward and all gradients to 1e-12",
            code=("regard.layers.multihead:MultiHead",),
        ),
        document=Version(
            "row q of the queries and all of Z; heads written with one W_q, W_k, W_v",
            r"\operatorname{softmax}(Z_q W_q W_k^\top Z^\top) Z W_v",
            Row(lambda pixel, N: range(N), lambda head: 0),
        ),
        ours=Version(
            "row q of the queries and all of Z; each head has matrices of its own",
            r"\operatorname{softmax}(Z_q W_q^{(h)} W_k^{(h)\top} Z^\top) Z W_v^{(h)}",
            Row(lambda pixel, N: range(N), lambda head: head),
        ),
        twin=Version(
            "row q of the queries, and the rows of Z up to q",
            r"\operatorname{softmax}(Z_q W_q^{(h)} W_k^{(h)\top} Z_{\le q}^\top) Z_{\le q} W_v^{(h)}",
            Row(lambda pixel, N: range(pixel + 1), lambda head: head),
        ),
        check=one_row,
        expected=Verdict.CORRECTED,
    ),
    Claim(
        id="conv.c1",
        title="Multi-head attention as a sum over heads",
        texts=Texts(
            asks="Heads are concatenated and then projected. Write the layer as a sum over heads with one matrix each.",
            derivation="A row of concatenated heads times $W_{out}$ is the sum, over heads, of each head times the "
            "rows of $W_{out}$ that it meets: rows $hD_o \\ldots (h+1)D_o$, the block of head $h$. The head is "
            "$\\operatorname{softmax}(A^{(h)}) Z W_v^{(h)}$, and a product of matrices may be bracketed in any way, so "
            "$\\operatorname{softmax}(A^{(h)}) Z \\left( W_v^{(h)} W_{out}[\\text{block } h] \\right)$. The bias is "
            "added once.",
            quantities={
                "$A^{(h)}$": "logits of head h",
                "$W_v^{(h)}$": "its value projection, D_i × D_o",
                "$W_{out}$": "the output projection, N_h·D_o × D_out",
                "$b$": "the output's bias",
            },
            method="float64, random layers of 2, 3 and 4 heads, to 1e-12 of the largest entry",
            code=("regard.layers.multihead:MultiHead", "regard.layers.position_heads:PositionHeads"),
        ),
        ours=Version(
            "Σ_h softmax(A^h) Z W^h + b, where W^h is W_v^h times the rows of W_out of head h",
            r"\sum_h \operatorname{softmax}(A^{(h)}) Z W^{(h)} + b, "
            r"\quad W^{(h)} = W_v^{(h)} W_{out}[h D_o : (h+1) D_o]",
            lambda value, out, head, heads: value @ out.unflatten(0, (heads, -1))[head],
        ),
        twin=Version(
            "W^h is W_v^h times every N_h-th row of W_out, beginning with row h",
            r"W^{(h)} = W_v^{(h)} W_{out}[h :: N_h]",
            lambda value, out, head, heads: value @ out[head::heads],
        ),
        check=sum_over_heads,
        expected=Verdict.HOLDS,
    ),
)
