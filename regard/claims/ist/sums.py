"""Question 2: attention written with sums over vectors."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from regard.algorithms import attend
from regard.claims.claim import CORRECTED, Findings, View, claim
from regard.claims.findings import equals
from regard.claims.ist import example
from regard.claims.small_runs import seeded
from regard.layers import MultiHead, Widths

TOKENS, EXACT = 5, 1e-12
Summed = Callable[[Tensor, Tensor], Tensor]  # of the token's value and the token itself
Width = Callable[[int, int], int]  # of the tokens' width C and the heads' D


def mix(q: list[Tensor], k: list[Tensor], summed: list[Tensor], d: int) -> list[Tensor]:
    """`z_i = Σ_j a_ij · summed_j` with `a_ij ∝ exp(q_i·k_j/√d)`, one sum after the other."""
    rows = []
    for query in q:
        powers = [torch.exp(query @ key / math.sqrt(d)) for key in k]
        total = torch.stack(powers).sum()
        rows.append(torch.stack([power / total * each for power, each in zip(powers, summed, strict=True)]).sum(0))
    return rows


def loops(heads: list[tuple[Tensor, ...]], W_O: Tensor, x: Tensor, d: Width, summed: Summed) -> Tensor:
    """`[z⁽¹⁾ … z⁽ᴴ⁾] W_O`, row by row; a matrix of a head has a row for each entry of a token."""
    parts = []
    for W_q, W_k, W_v in heads:
        q, k, v = ([W.T @ token for token in x] for W in (W_q, W_k, W_v))
        mixed = [summed(value, token) for value, token in zip(v, x, strict=True)]
        parts.append(mix(q, k, mixed, d(x.shape[1], W_q.shape[1])))
    return torch.stack([torch.cat(rows) @ W_O for rows in zip(*parts, strict=True)])


def build(C: int, H: int, D: int) -> tuple[MultiHead, list[tuple[Tensor, ...]], Tensor]:
    """A layer of random matrices, these by head, and tokens."""
    with seeded(C):
        layer = MultiHead(Widths(query=C, head=D), H, bias=False, out_bias=False, dtype=torch.float64)
        for parameter in layer.requires_grad_(False).parameters():
            parameter.normal_()
        x = torch.randn(TOKENS, C, dtype=torch.float64)
    whole = (layer.query.weight, layer.key.weight, layer.value.weight)
    return layer, [tuple(W[h * D : (h + 1) * D].T for W in whole) for h in range(H)], x


@claim(
    "ist.2",
    CORRECTED,
    document={"in_words": lambda v, x: x},
    twin={"d": lambda C, D: C},
    view=View("playground", "See the sums for a small sequence"),
)
def sums(d: Width = lambda C, D: D, in_words: Summed = lambda v, x: v) -> Findings:
    """The sums against the library: without projections, with heads, on the practical's own numbers, as its prose."""
    with seeded(0):
        x = torch.randn(TOKENS, 4, dtype=torch.float64)
    alone, tokens = torch.stack(mix(list(x), list(x), list(x), d(4, 4))), x[None, None]
    yield equals("part 1, sums of x_j, against attend", alone, attend(tokens, tokens, tokens)[0, 0], EXACT)
    for C, H, D in ((4, 2, 4), (6, 2, 3), (3, 4, 5)):
        layer, heads, x = build(C, H, D)
        found = loops(heads, layer.out.weight.T, x, d, lambda v, x: v)
        yield equals(f"part 2, {H} heads of width {D} on tokens of width {C}", found, layer(x[None])[0], EXACT)
    first = tuple(example.matrix(W) for W in (example.W_Q, example.W_K, example.W_V))
    heads, x = [first, tuple(torch.ones_like(W) for W in first)], example.matrix(example.X)
    found = loops(heads, example.matrix(example.W_OUT), x, d, lambda v, x: v)
    printed = example.worked_example().quantities
    stated = torch.stack([printed[f"out, row {row}"] for row in (1, 2, 3, 4)])
    yield equals("part 2 on the numbers of question 1", found, stated, EXACT)
    layer, heads, x = build(4, 2, 4)
    found = loops(heads, layer.out.weight.T, x, d, in_words)
    yield equals("part 2 as its words say it", found, layer(x[None])[0], EXACT, detail=True)
