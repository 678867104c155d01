"""Problem 12.5: what several heads cost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from regard.algorithms import Prepared, attend
from regard.analysis import ModelCost, cost
from regard.attention import Attention
from regard.claims.chart import Lines
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import agrees
from regard.layers import MultiHead

SIZES = [{"N": N, "D": D, "H": H} for N, D, H in ((6, 8, 2), (6, 8, 1), (6, 8, 4), (6, 8, 8), (20, 24, 6))]

Count = Callable[[int, int, int], int]  # of N, D and H


@dataclass(frozen=True)
class HeadCosts:
    """What H heads of width D/H cost on N tokens: numbers learnt, multiply-adds, entries of maps."""

    head_parameters: Count  # of one projection of one head
    parameters: Count  # of one projection, all heads
    head_projection: Count  # multiply-adds of one projection of one head
    head_logits: Count  # multiply-adds of one head's logits
    logits: Count  # of all heads
    map_entries: Count  # all heads: what the softmax goes over, and what a kept map holds


class MapInMemory(MultiHead):
    """Multi-head attention by the definition, which keeps the map: what fused kernels avoid."""

    def mix(
        self, q: Tensor, k: Tensor, v: Tensor, attention: Attention, dropout: float, prepared: Prepared | None
    ) -> Tensor:
        return attend(q, k, v, attention, dropout=dropout, algorithm="reference")


@cache
def counted(N: int, D: int, H: int, mapped: bool = False) -> ModelCost:
    kind = MapInMemory if mapped else MultiHead
    x = torch.empty(1, N, D, device="meta")
    return cost(kind(D, H, bias=False, out_bias=False, device="meta"), x, backward=False)


def heads(stated: HeadCosts) -> Sequence[Finding]:
    """Count built layers over the number of heads."""
    return [
        agrees("numbers in a head's projection", stated.head_parameters, lambda N, D, H: D * rows(D, H), SIZES),
        agrees("numbers in a projection", stated.parameters, lambda N, D, H: learnt(D, H), SIZES),
        agrees(
            "multiply-adds of a head's projection",
            stated.head_projection,
            lambda N, D, H: counted(N, D, H)["query"].forward.flops // 2 // H,
            SIZES,
        ),
        agrees("multiply-adds of a head's logits", stated.head_logits, lambda N, D, H: logits(N, D, H) // H, SIZES),
        agrees("multiply-adds of all logits", stated.logits, logits, SIZES),
        agrees("entries of the maps", stated.map_entries, entries, SIZES),
        kept_bytes(stated.map_entries),
    ]


def rows(D: int, H: int) -> int:
    """The outputs of a head's projection, each of which reads all D inputs: rows of `query.weight`."""
    weight = MultiHead(D, H, device="meta").query.weight
    assert weight.shape[1] == D
    return weight.shape[0] // H


def learnt(D: int, H: int) -> int:
    layer = MultiHead(D, H, device="meta")
    (count,) = {part.weight.numel() for part in (layer.query, layer.key, layer.value)}
    return count


def logits(N: int, D: int, H: int) -> int:
    """Half of the multiply-adds between the projections: the other half mixes values of the same width."""
    return counted(N, D, H)[""].attention // 2 // 2


def entries(N: int, D: int, H: int) -> int:
    return MultiHead(D, H, device="meta").weights(torch.empty(1, N, D, device="meta")).numel()


def kept_bytes(stated: Count) -> Finding:
    """Bytes that the definition moves beyond those of one head: whole passes over the entries of the maps."""
    N, D = 64, 16
    more = {H: bytes_moved(N, D, H) - bytes_moved(N, D, 1) for H in (2, 4, 8, 16)}
    said = {H: stated(N, D, H) - stated(N, D, 1) for H in more}
    passes = [more[H] / said[H] / 4 if said[H] else 0.0 for H in more]
    steady = min(passes) >= 2 and max(passes) - min(passes) < 0.1 * max(passes)
    total = bytes_moved(N, D, 16) / bytes_moved(N, D, 1)
    shown = f"bytes with the map in memory: {total:.1f} times as many at H = 16 as at H = 1 (N = {N}, D = {D})"
    entries = f"stated {stated(N, D, 16) / stated(N, D, 1):g} times the entries"
    return Finding("bytes of the maps", steady, f"{shown}; {entries}")


def bytes_moved(N: int, D: int, H: int) -> int:
    return counted(N, D, H, mapped=True).forward.bytes


def chart() -> Lines:
    """Costs against the number of heads, as multiples of those of one head."""
    N, D, counts = 64, 32, [1, 2, 4, 8, 16, 32]

    def relative(values: list[int]) -> list[float]:
        return [value / values[0] for value in values]

    return Lines(
        title=f"H heads of width D/H against one of width D (N = {N}, D = {D}), counted",
        x=counts,
        y={
            "numbers learnt": relative([learnt(D, H) for H in counts]),
            "multiply-adds": relative([counted(N, D, H).forward.flops for H in counts]),
            "entries of maps": relative([entries(N, D, H) for H in counts]),
            "bytes, map in memory": relative([bytes_moved(N, D, H) for H in counts]),
            "D²/H, as the document has it": relative([D * D // H for H in counts]),
        },
        x_label="heads H",
        y_label="times that of one head",
        log_x=True,
        log_y=True,
    )


OURS = HeadCosts(
    head_parameters=lambda N, D, H: D * D // H,
    parameters=lambda N, D, H: D * D,
    head_projection=lambda N, D, H: N * D * D // H,
    head_logits=lambda N, D, H: N * N * D // H,
    logits=lambda N, D, H: N * N * D,
    map_entries=lambda N, D, H: H * N * N,
)

CLAIMS = (
    Claim(
        id="udl.5",
        title="The cost of several heads",
        texts=Texts(
            asks="What do H heads of width D/H cost, one of them and all together, against one head of width D?",
            derivation="Each head projects from *all* $D$ inputs to $D/H$ outputs: $D \\cdot D/H$ numbers for each of "
            "q, k and v, not $(D/H)^2$. All heads together have $H \\cdot D^2/H = D^2$ per projection and $3D^2$ for "
            "the three, whatever $H$.\n\n"
            "On $N$ tokens a head's projection takes $ND^2/H$ multiply-adds and its logits $N^2D/H$; all heads "
            "together $ND^2$ and $N^2D$, again whatever $H$. Mixing the values costs as much as the logits.\n\n"
            "What does grow is the softmax: each head has a map of its own, so there are $H N^2$ entries to normalise, "
            "and to store unless a fused kernel never writes them.",
            quantities={"N": "tokens", "D": "width of a token", "H": "heads, of width D/H each"},
            method="exact counts of built layers at five sizes; bytes counted on the path that stores the map",
            code=("regard.layers.multihead:MultiHead", "regard.analysis.cost.count:cost"),
        ),
        document=Version(
            "O((D/H)²) for each head, H·(D/H)² = D²/H parameters in all",
            r"H \cdot \left(\frac{D}{H}\right)^2 = \frac{D^2}{H}",
            HeadCosts(
                head_parameters=lambda N, D, H: (D // H) ** 2,
                parameters=lambda N, D, H: D * D // H,
                head_projection=lambda N, D, H: N * (D // H) ** 2,
                head_logits=OURS.head_logits,
                logits=OURS.logits,
                map_entries=OURS.map_entries,
            ),
        ),
        ours=Version(
            "D²/H for each head and projection, D² for all; N²D for the logits whatever H; H·N² map entries",
            r"H \cdot D \cdot \frac{D}{H} = D^2",
            OURS,
        ),
        twin=Version(
            "as ours, but the maps have N² entries however many heads there are",
            r"N^2",
            HeadCosts(
                head_parameters=OURS.head_parameters,
                parameters=OURS.parameters,
                head_projection=OURS.head_projection,
                head_logits=OURS.head_logits,
                logits=OURS.logits,
                map_entries=lambda N, D, H: N * N,
            ),
        ),
        check=heads,
        expected=Verdict.REFUTED,
        chart=chart,
    ),
)
