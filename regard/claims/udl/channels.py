"""Problem 12.9: attention between patches against attention between channels (DaViT)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from regard.analysis import ModelCost, cost
from regard.attention import Grid
from regard.claims.chart import Bars
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import agrees
from regard.layers import ChannelAttention, MultiHead, WindowAttention

GROUP, WINDOW = 32, 8  # channels of a group, patches along a side of a window
SIZES = [{"N": N, "C": C} for N, C in ((256, 512), (64, 96), (1024, 64))]

Count = Callable[[int, int], int]  # of N patches and C channels


@dataclass(frozen=True)
class Dual:
    """Multiply-adds of logits and mixing between patches and between channels, and what stands around them."""

    patches: Count
    channels: Count
    grouped: Count  # channels in groups of 32
    windows: Count  # patches in windows of 8 × 8
    projections: Count  # all four, of either
    patch_entries: Count  # of the softmax
    channel_entries: Count


@cache
def built(kind: str, N: int, C: int) -> tuple[Any, dict[str, Any]]:
    """A layer without contents, and how it is called."""
    side = round(N**0.5)
    layers: dict[str, Callable[[], tuple[Any, dict[str, Any]]]] = {
        "patches": lambda: (MultiHead(C, 1, device="meta"), {}),
        "channels": lambda: (ChannelAttention(C, 1, device="meta"), {}),
        "grouped": lambda: (ChannelAttention(C, C // GROUP, device="meta"), {}),
        "windows": lambda: (
            WindowAttention(C, 1, window=WINDOW, tables=False, device="meta"),
            {"keys": Grid(side, side)},
        ),
    }
    return layers[kind]()


@cache
def counted(kind: str, N: int, C: int) -> ModelCost:
    layer, keywords = built(kind, N, C)
    return cost(layer, torch.empty(1, N, C, device="meta"), backward=False, **keywords)


def between(kind: str, N: int, C: int) -> int:
    """Multiply-adds between the projections."""
    return counted(kind, N, C)[""].attention // 2


def around(kind: str, N: int, C: int) -> int:
    """Multiply-adds of the four projections."""
    return sum(counted(kind, N, C)[part].forward.flops for part in ("query", "key", "value", "out")) // 2


def entries(kind: str, N: int, C: int) -> int:
    layer, keywords = built(kind, N, C)
    return layer.weights(torch.empty(1, N, C, device="meta"), **keywords).numel()


def dual(stated: Dual) -> Sequence[Finding]:
    """Count the built layers, DaViT's sizes among them."""
    found = [
        agrees(f"multiply-adds, {name}", getattr(stated, kind), lambda N, C, kind=kind: between(kind, N, C), SIZES)
        for kind, name in NAMES.items()
    ]
    found += [
        agrees(f"multiply-adds of the projections ({kind})", stated.projections, projected(kind), SIZES)
        for kind in ("patches", "channels")
    ]
    found += [
        agrees("softmax entries between patches", stated.patch_entries, lambda N, C: entries("patches", N, C), SIZES),
        agrees(
            "softmax entries between channels", stated.channel_entries, lambda N, C: entries("channels", N, C), SIZES
        ),
    ]
    return [at_davit(stated), *found]


NAMES = {
    "patches": "between patches",
    "channels": "between channels",
    "grouped": f"groups of {GROUP} channels",
    "windows": f"windows of {WINDOW} × {WINDOW} patches",
}


def projected(kind: str) -> Count:
    return lambda N, C: around(kind, N, C)


def at_davit(stated: Dual) -> Finding:
    """The answer in one line: the numbers of 16 × 16 patches of width 512."""
    N, C = 256, 512
    said = stated.channels(N, C) / stated.patches(N, C)
    ratio = between("channels", N, C) / between("patches", N, C)
    whole = (between("channels", N, C) + around("channels", N, C)) / (
        between("patches", N, C) + around("patches", N, C)
    )
    shown = (
        f"patches {millions('patches')}, channels {millions('channels')} multiply-adds: {ratio:g} times as many, "
        f"{whole:g} with projections ({around('patches', N, C) / 1e6:.1f}M)"
    )
    holds = said == ratio == C / N
    return Finding("ratio of channels to patches", holds, f"{shown}{'' if holds else f'; stated {said:g} times'}")


def millions(kind: str) -> str:
    return f"{between(kind, 256, 512) / 1e6:.1f}M"


def chart() -> Bars:
    """Multiply-adds at DaViT's sizes."""
    N, C = 256, 512
    return Bars(
        title="Multiply-adds on 16 × 16 patches of width 512, counted (millions)",
        names=list(NAMES.values()),
        groups={
            "logits and mixing": [between(kind, N, C) / 1e6 for kind in NAMES],
            "four projections": [around(kind, N, C) / 1e6 for kind in NAMES],
        },
        y_label="million multiply-adds",
    )


OURS = Dual(
    patches=lambda N, C: 2 * N * N * C,
    channels=lambda N, C: 2 * C * C * N,
    grouped=lambda N, C: 2 * GROUP * C * N,
    windows=lambda N, C: 2 * WINDOW**2 * N * C,
    projections=lambda N, C: 4 * N * C * C,
    patch_entries=lambda N, C: N * N,
    channel_entries=lambda N, C: C * C,
)

CLAIMS = (
    Claim(
        id="udl.9",
        title="Between patches or between channels",
        texts=Texts(
            asks="DaViT: 16×16 patches of width 512. What does attention cost between patches, and between channels?",
            derivation="Between patches a logit is a product over $C$ channels, and there are $N^2$ of them; mixing "
            "costs as much: $2N^2C = 67.1$ million multiply-adds at $N = 256$, $C = 512$. Between channels the tokens "
            "are the channels and a product runs over $N$ patches: $2C^2N = 134.2$ million. The ratio is $C/N = 2$.\n\n"
            "Around both stand four projections of $NC^2$ each, $4NC^2 = 268.4$ million in all. With them the ratio is "
            "$402.7/335.5 = 1.2$. The softmax goes over $N^2 = 65{,}536$ or $C^2 = 262{,}144$ entries.\n\n"
            "DaViT uses neither whole: groups of 32 channels take $2 \\cdot 32\\, C N = 8.4$ million, windows of "
            "$8 \\times 8$ patches $2 \\cdot 64\\, N C = 16.8$ million, both linear in $N$.",
            quantities={"N": "patches", "C": "channels, the width of a patch"},
            method="exact counts of built layers at three sizes, N = 256 and C = 512 among them",
            code=(
                "regard.layers.channel:ChannelAttention",
                "regard.layers.window:WindowAttention",
                "regard.layers.multihead:MultiHead",
            ),
        ),
        ours=Version(
            "2N²C = 67.1M between patches, 2C²N = 134.2M between channels; 8.4M in groups, 16.8M in windows",
            r"\frac{2C^2N}{2N^2C} = \frac{C}{N} = 2",
            OURS,
        ),
        twin=Version(
            "between channels as much as between patches, 2N²C",
            r"2N^2C",
            Dual(
                patches=OURS.patches,
                channels=OURS.patches,
                grouped=OURS.grouped,
                windows=OURS.windows,
                projections=OURS.projections,
                patch_entries=OURS.patch_entries,
                channel_entries=OURS.channel_entries,
            ),
        ),
        check=dual,
        expected=Verdict.ANSWERED,
        chart=chart,
    ),
)
