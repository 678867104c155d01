"""Problem 12.9: attention between patches against attention between channels (DaViT)."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor

from regard.algorithms import attend
from regard.analysis import ModelCost, cost
from regard.attention import Attention, Content, Grid
from regard.claims.chart import Bars
from regard.claims.claim import ANSWERED, Finding, Findings, View, claim
from regard.claims.findings import Count, agrees, equals
from regard.claims.small_runs import seeded
from regard.layers import ChannelAttention, MultiHead, WindowAttention

GROUP, WINDOW = 32, 8  # channels of a group, patches along a side of a window
DAVIT = {"N": 256, "C": 512}  # 16 × 16 patches
SIZES = [DAVIT, {"N": 64, "C": 96}, {"N": 1024, "C": 64}]

LAYERS: dict[str, Callable[..., Any]] = {
    "between patches": lambda C, **where: MultiHead(C, 1, **where),
    "between channels": lambda C, **where: ChannelAttention(C, 1, **where),
    f"groups of {GROUP} channels": lambda C, **where: ChannelAttention(C, C // GROUP, **where),
    f"windows of {WINDOW} × {WINDOW} patches": lambda C, **where: WindowAttention(
        C, 1, window=WINDOW, tables=False, **where
    ),
}
PATCHES, CHANNELS, GROUPED, WINDOWS = LAYERS


def where(name: str, N: int) -> dict[str, Any]:
    return {"keys": Grid(round(N**0.5), round(N**0.5))} if name == WINDOWS else {}


@cache
def counted(name: str, N: int, C: int) -> ModelCost:
    x = torch.empty(1, N, C, device="meta")
    return cost(LAYERS[name](C, device="meta"), x, backward=False, **where(name, N))


def between(name: str, N: int, C: int) -> int:
    """Multiply-adds between the projections."""
    return counted(name, N, C)[""].attention // 2


def around(name: str, N: int, C: int) -> int:
    """Multiply-adds of the four projections."""
    return sum(counted(name, N, C)[part].forward.flops for part in ("query", "key", "value", "out")) // 2


def draw_counts() -> Bars:
    """Multiply-adds at DaViT's sizes."""
    return Bars(
        title="Multiply-adds on 16 × 16 patches of width 512, counted (millions)",
        names=list(LAYERS),
        groups={
            "logits and mixing": [between(name, **DAVIT) / 1e6 for name in LAYERS],
            "four projections": [around(name, **DAVIT) / 1e6 for name in LAYERS],
        },
        y_label="million multiply-adds",
    )


@claim(
    "udl.9",
    ANSWERED,
    twin={"channels": lambda N, C: 2 * N * N * C},
    chart=draw_counts,
    view=View(
        "patterns", "See windows of patches, and their cost", {"mask": "tiles(8, 8)", "grid": [16, 16], "tokens": 256}
    ),
)
def dual_attention(
    patches: Count = lambda N, C: 2 * N * N * C,
    channels: Count = lambda N, C: 2 * C * C * N,
    grouped: Count = lambda N, C: 2 * GROUP * C * N,
    windows: Count = lambda N, C: 2 * WINDOW**2 * N * C,
    projections: Count = lambda N, C: 4 * N * C * C,
    patch_entries: Count = lambda N, C: N * N,
    channel_entries: Count = lambda N, C: C * C,
) -> Findings:
    """Count the built layers, DaViT's sizes among them, and compare what they compute with its definition."""
    apart = [between(name, **DAVIT) for name in (PATCHES, CHANNELS)]
    whole = [count + around(name, **DAVIT) for count, name in zip(apart, (PATCHES, CHANNELS), strict=True)]
    said, ratio = channels(**DAVIT) / patches(**DAVIT), apart[1] / apart[0]
    shown = (
        f"patches {apart[0] / 1e6:.1f}M, channels {apart[1] / 1e6:.1f}M multiply-adds: {ratio:g} times as many, "
        f"{whole[1] / whole[0]:g} with projections ({around(PATCHES, **DAVIT) / 1e6:.1f}M)"
    )
    holds = said == ratio == DAVIT["C"] / DAVIT["N"]
    yield Finding("ratio of channels to patches", holds, f"{shown}{'' if holds else f'; stated {said:g} times'}")
    for name, stated in zip(LAYERS, (patches, channels, grouped, windows), strict=True):
        yield agrees(f"multiply-adds, {name}", stated, lambda N, C, name=name: between(name, N, C), SIZES)
    for name, stated in ((PATCHES, patch_entries), (CHANNELS, channel_entries)):

        def entries(N: int, C: int, name: str = name) -> int:
            return LAYERS[name](C, device="meta").weights(torch.empty(1, N, C, device="meta")).numel()

        projected = f"multiply-adds of the projections ({name})"
        yield agrees(projected, projections, lambda N, C, name=name: around(name, N, C), SIZES)
        yield agrees(f"softmax entries {name}", stated, entries, SIZES)
    for name in (GROUPED, WINDOWS):
        yield compare_with_pieces(name)


def compare_with_pieces(name: str) -> Finding:
    """A layer of groups or windows against attention inside each of them, before the last projection."""
    N, C = (2 * WINDOW) ** 2, 2 * GROUP

    def cut(x: Tensor) -> Tensor:
        """(B, N, C) → (B, pieces, tokens, width); of groups a channel is a token, its entries are the patches."""
        tiles = x.unflatten(1, (2, WINDOW, 2, WINDOW)).transpose(2, 3).flatten(3, 4).flatten(1, 2)
        return x.mT.unflatten(1, (-1, GROUP)) if name == GROUPED else tiles

    with seeded(0), torch.no_grad():
        layer, x = LAYERS[name](C, dtype=torch.float64), torch.randn(1, N, C).double()
        layer.out = torch.nn.Identity()
        found = cut(layer(x, **where(name, N)))
        q, k, v = (cut(part(x)) for part in (layer.query, layer.key, layer.value))
    scaled = Attention(Content((GROUP if name == GROUPED else C) ** -0.5))
    return equals(f"{name}, against attention in each of them", found, attend(q, k, v, scaled), 1e-12)
