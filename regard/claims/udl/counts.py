"""Problem 12.1: how many weights and biases, of attention and of a fully connected layer."""

import torch
from torch import nn

from regard.claims.claim import HOLDS, REFUTED, Findings, View, claim
from regard.claims.findings import Count, agrees
from regard.layers import MultiHead

SIZES = [{"D": D} for D in (1, 2, 3, 8, 65)]
BOTH = [{"N": N, "D": D} for N, D in ((2, 3), (1, 4), (4, 1), (5, 8), (64, 16))]


@claim("udl.1a", REFUTED, document={"biases": lambda D: 3}, twin={"weights": lambda D: 3 * D})
def projections(weights: Count = lambda D: 3 * D * D, biases: Count = lambda D: 3 * D) -> Findings:
    """Count the built projections of q, k and v."""

    def count(D: int, kind: str) -> int:
        layer = MultiHead(D, 1, device="meta")
        parts: list[nn.Module] = [layer.query, layer.key, layer.value]
        return sum(tensor.numel() for part in parts for name, tensor in part.named_parameters() if name == kind)

    yield agrees("weights of q, k, v", weights, lambda D: count(D, "weight"), SIZES)
    yield agrees("biases of q, k, v", biases, lambda D: count(D, "bias"), SIZES)


@claim(
    "udl.1b",
    HOLDS,
    twin={"entries": lambda N, D: N * D},
    view=View("patterns", "See and count the weights", {"mask": "everything", "tokens": 64}),
)
def map_entries(entries: Count = lambda N, D: N * N) -> Findings:
    """Count the map that a built layer gives, and how many of its entries anything is mixed with."""

    def draw_map(N: int, D: int) -> torch.Tensor:
        generator = torch.Generator().manual_seed(N)
        layer = MultiHead(D, 1)
        with torch.no_grad():
            for parameter in layer.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=generator) / D)
            return layer.weights(torch.randn(1, N, D, generator=generator))

    yield agrees("attention weights", entries, lambda N, D: draw_map(N, D).numel(), BOTH)
    yield agrees("weights above zero", entries, lambda N, D: int((draw_map(N, D) > 0).sum()), BOTH)


@claim("udl.1c", REFUTED, document={"biases": lambda N, D: N * N}, twin={"weights": lambda N, D: D * D * N})
def fully_connected(weights: Count = lambda N, D: D * D * N * N, biases: Count = lambda N, D: D * N) -> Findings:
    """Count the built layer from all numbers of all tokens to as many."""

    def build(N: int, D: int) -> nn.Linear:
        return nn.Linear(N * D, N * D, device="meta")

    yield agrees("weights of the fully connected layer", weights, lambda N, D: build(N, D).weight.numel(), BOTH)
    yield agrees("biases of the fully connected layer", biases, lambda N, D: build(N, D).bias.numel(), BOTH)
