"""Problem 12.1: how many weights and biases, of attention and of a fully connected layer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import agrees
from regard.layers import MultiHead

SIZES = [{"D": D} for D in (1, 2, 3, 8, 65)]
BOTH = [{"N": N, "D": D} for N, D in ((2, 3), (1, 4), (4, 1), (5, 8), (64, 16))]


@dataclass(frozen=True)
class Counts:
    """Weights and biases as functions of the sizes."""

    weights: Callable[..., int]
    biases: Callable[..., int]


def projections(stated: Counts) -> Sequence[Finding]:
    """Count the built projections of q, k and v."""
    return [
        agrees("weights of q, k, v", stated.weights, lambda D: counted(D, "weight"), SIZES),
        agrees("biases of q, k, v", stated.biases, lambda D: counted(D, "bias"), SIZES),
    ]


def counted(D: int, kind: str) -> int:
    layer = MultiHead(D, 1, device="meta")
    parts: list[nn.Module] = [layer.query, layer.key, layer.value]
    return sum(tensor.numel() for part in parts for name, tensor in part.named_parameters() if name == kind)


def map_entries(stated: Callable[..., int]) -> Sequence[Finding]:
    """Count the map that a built layer gives, and how many of its entries anything is mixed with."""
    return [
        agrees("attention weights", stated, lambda N, D: maps(N, D).numel(), BOTH),
        agrees("weights above zero", stated, lambda N, D: int((maps(N, D) > 0).sum()), BOTH),
    ]


def maps(N: int, D: int) -> torch.Tensor:
    """The map of one head."""
    generator = torch.Generator().manual_seed(N)
    layer = MultiHead(D, 1)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) / D)
        return layer.weights(torch.randn(1, N, D, generator=generator))


def fully_connected(stated: Counts) -> Sequence[Finding]:
    """Count the built layer from all numbers of all tokens to as many."""

    def built(N: int, D: int) -> nn.Linear:
        return nn.Linear(N * D, N * D, device="meta")

    return [
        agrees("weights of the fully connected layer", stated.weights, lambda N, D: built(N, D).weight.numel(), BOTH),
        agrees("biases of the fully connected layer", stated.biases, lambda N, D: built(N, D).bias.numel(), BOTH),
    ]


CLAIMS = (
    Claim(
        id="udl.1a",
        title="Weights and biases of the projections",
        texts=Texts(
            asks="N tokens of width D pass through attention: how many weights and biases make q, k and v?",
            derivation="Each of $q = W_q x + b_q$, $k$, $v$ maps $D$ numbers to $D$: a $D \\times D$ matrix and a bias "
            "*vector* of $D$ entries. The tokens share them, so $N$ does not appear.",
            quantities={"D": "width of a token"},
            code=("regard.layers.multihead:MultiHead",),
        ),
        document=Version("3D² weights and 3 biases", r"3D^2 + 3", Counts(lambda D: 3 * D * D, lambda D: 3)),
        ours=Version("3D² weights and 3D biases", r"3D^2 + 3D", Counts(lambda D: 3 * D * D, lambda D: 3 * D)),
        twin=Version("3D weights and 3D biases", r"3D + 3D", Counts(lambda D: 3 * D, lambda D: 3 * D)),
        check=projections,
        expected=Verdict.REFUTED,
    ),
    Claim(
        id="udl.1b",
        title="Attention weights",
        texts=Texts(
            asks="How many attention weights does one head compute for N tokens of width D?",
            derivation="Every output is a mixture of all $N$ values, so each of $N$ queries has a weight for each of "
            "$N$ keys: $N^2$ numbers, whatever $D$. They are computed, not learnt, and each query's add up to one. "
            "With $H$ heads there are $H N^2$.",
            quantities={"N": "tokens", "D": "width of a token"},
            code=("regard.layers.multihead:MultiHead", "regard.algorithms.attend:weights"),
        ),
        ours=Version("N² attention weights", r"N^2", lambda N, D: N * N),
        twin=Version("one weight for each number of each token, N·D", r"N D", lambda N, D: N * D),
        check=map_entries,
        expected=Verdict.HOLDS,
    ),
    Claim(
        id="udl.1c",
        title="A fully connected layer in its place",
        texts=Texts(
            asks="A fully connected layer maps all DN numbers of N tokens to as many: how many weights and biases?",
            derivation="The layer is $y = Wx + b$ with $x$ and $y$ of $DN$ entries. $W$ has $(DN)^2 = D^2N^2$, and $b$ "
            "has one for each output: $DN$, not $N^2$. The two are equal only at $N = D$.\n\n"
            "Attention needs $3D^2 + 3D$ numbers for its projections, whatever $N$; its $N^2$ weights are computed.",
            quantities={"N": "tokens", "D": "width of a token"},
            code=("regard.layers.multihead:MultiHead",),
        ),
        document=Version(
            "D²N² weights and N² biases",
            r"D^2N^2 + N^2",
            Counts(lambda N, D: D * D * N * N, lambda N, D: N * N),
        ),
        ours=Version(
            "D²N² weights and DN biases",
            r"D^2N^2 + DN",
            Counts(lambda N, D: D * D * N * N, lambda N, D: D * N),
        ),
        twin=Version(
            "D²N weights, shared by the tokens, and DN biases",
            r"D^2N + DN",
            Counts(lambda N, D: D * D * N, lambda N, D: D * N),
        ),
        check=fully_connected,
        expected=Verdict.REFUTED,
    ),
)
