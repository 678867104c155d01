"""Problem 12.5: what several heads cost, and why they are narrow."""

from functools import cache

import torch
from torch import Tensor

from regard.algorithms import Prepared, attend
from regard.analysis import ModelCost, cost
from regard.attention import Attention
from regard.claims.chart import Lines
from regard.claims.claim import REFUTED, Finding, Findings, View, claim
from regard.claims.findings import Count, agrees
from regard.layers import MultiHead, Widths

SIZES = [{"N": N, "D": D, "H": H} for N, D, H in ((6, 8, 2), (6, 8, 1), (6, 8, 4), (6, 8, 8), (20, 24, 6))]
WIDE = SIZES[2:]  # with heads of width D


class MapInMemory(MultiHead):
    """Multi-head attention by the definition, which keeps the map: what fused kernels avoid."""

    def mix(
        self, q: Tensor, k: Tensor, v: Tensor, attention: Attention, dropout: float, prepared: Prepared | None
    ) -> Tensor:
        return attend(q, k, v, attention, dropout=dropout, algorithm="reference")


def build(D: int, H: int, width: int | None = None, *, mapped: bool = False) -> MultiHead:
    """A layer of H heads without contents, of width D/H each unless given."""
    kind = MapInMemory if mapped else MultiHead
    return kind(Widths(query=D, head=width), H, bias=False, out_bias=False, device="meta")


@cache
def counted(N: int, D: int, H: int, width: int | None = None, *, mapped: bool = False) -> ModelCost:
    return cost(build(D, H, width, mapped=mapped), torch.empty(1, N, D, device="meta"), backward=False)


def count_logits(N: int, D: int, H: int, width: int | None = None) -> int:
    """Half of the multiply-adds between the projections: the other half mixes values of the same width."""
    return counted(N, D, H, width)[""].attention // 2 // 2


def count_entries(N: int, D: int, H: int) -> int:
    return build(D, H).weights(torch.empty(1, N, D, device="meta")).numel()


def draw_costs() -> Lines:
    """Costs against the number of heads, as multiples of those of one head."""
    N, D, heads = 64, 32, [1, 2, 4, 8, 16, 32]

    def relative(values: list[int]) -> list[float]:
        return [value / values[0] for value in values]

    return Lines(
        title=f"H heads of width D/H, and of width D, against one (N = {N}, D = {D}), counted",
        x=heads,
        y={
            "numbers learnt": relative([counted(N, D, H).parameters for H in heads]),
            "multiply-adds": relative([counted(N, D, H).forward.flops for H in heads]),
            "entries of maps": relative([count_entries(N, D, H) for H in heads]),
            "bytes, map in memory": relative([counted(N, D, H, mapped=True).forward.bytes for H in heads]),
            "multiply-adds, width D": relative([counted(N, D, H, D).forward.flops for H in heads]),
            "bytes, width D": relative([counted(N, D, H, D).forward.bytes for H in heads]),
            "D²/H, as the document has it": relative([D * D // H for H in heads]),
        },
        x_label="heads H",
        y_label="times that of one head",
        log_x=True,
        log_y=True,
    )


@claim(
    "udl.5",
    REFUTED,
    document={
        "head_parameters": lambda N, D, H: (D // H) ** 2,
        "parameters": lambda N, D, H: D * D // H,
        "head_projection": lambda N, D, H: N * (D // H) ** 2,
    },
    twin={"map_entries": lambda N, D, H: N * N},
    chart=draw_costs,
    view=View("patterns", "See what heads cost", {"mask": "everything", "heads": 8, "width": 4, "tokens": 64}),
)
def head_costs(
    head_parameters: Count = lambda N, D, H: D * D // H,
    parameters: Count = lambda N, D, H: D * D,
    head_projection: Count = lambda N, D, H: N * D * D // H,
    head_logits: Count = lambda N, D, H: N * N * D // H,
    logits: Count = lambda N, D, H: N * N * D,
    map_entries: Count = lambda N, D, H: H * N * N,
    wide_parameters: Count = lambda N, D, H: 3 * H * D * D,
    wide_logits: Count = lambda N, D, H: H * N * N * D,
    wide_bytes: Count = lambda N, D, H: 4 * (H - 1) * (4 * D * D + 8 * N * D),
) -> Findings:
    """Count built layers over the number of heads, of width D/H and of width D."""

    def learnt(D: int, H: int, width: int | None = None) -> list[int]:
        layer = build(D, H, width)
        return [part.weight.numel() for part in (layer.query, layer.key, layer.value)]

    def learnt_once(N: int, D: int, H: int) -> int:
        (count,) = set(learnt(D, H))
        return count

    def projection(N: int, D: int, H: int) -> int:
        return counted(N, D, H)["query"].forward.flops // 2 // H

    def bytes_more(N: int, D: int, H: int) -> int:
        return counted(N, D, H, D).forward.bytes - counted(N, D, H).forward.bytes

    yield agrees("numbers in a head's projection", head_parameters, lambda N, D, H: learnt(D, H)[0] // H, SIZES)
    yield agrees("numbers in a projection", parameters, learnt_once, SIZES)
    yield agrees("multiply-adds of a head's projection", head_projection, projection, SIZES)
    yield agrees("multiply-adds of a head's logits", head_logits, lambda N, D, H: count_logits(N, D, H) // H, SIZES)
    yield agrees("multiply-adds of all logits", logits, count_logits, SIZES)
    yield agrees("entries of the maps", map_entries, count_entries, SIZES)
    yield compare_bytes(map_entries)
    wide = "heads of width D"
    yield agrees(f"numbers of q, k, v, {wide}", wide_parameters, lambda N, D, H: sum(learnt(D, H, D)), WIDE)
    yield agrees(f"multiply-adds of all logits, {wide}", wide_logits, lambda N, D, H: count_logits(N, D, H, D), WIDE)
    yield agrees(f"bytes beyond those of width D/H, {wide}", wide_bytes, bytes_more, WIDE)


def compare_bytes(stated: Count) -> Finding:
    """Bytes that the definition moves beyond those of one head: whole passes over the entries of the maps."""
    N, D, heads = 64, 16, (2, 4, 16)
    moved = {H: counted(N, D, H, mapped=True).forward.bytes for H in (1, *heads)}
    said = {H: stated(N=N, D=D, H=H) - stated(N=N, D=D, H=1) for H in heads}
    passes = [(moved[H] - moved[1]) / said[H] / 4 if said[H] else 0.0 for H in heads]
    steady = min(passes) >= 2 and max(passes) - min(passes) < 0.1 * max(passes)
    times = f"{moved[16] / moved[1]:.1f} times as many at H = 16 as at H = 1 (N = {N}, D = {D})"
    entries = stated(N=N, D=D, H=16) / stated(N=N, D=D, H=1)
    shown = f"bytes with the map in memory: {times}; stated {entries:g} times the entries"
    return Finding("bytes of the maps", steady, shown)
