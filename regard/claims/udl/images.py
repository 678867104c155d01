"""Problems 12.8 and 12.9: cheaper attention between patches, and attention between channels (DaViT)."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

from regard.algorithms import attend, plan, weights
from regard.analysis import ModelCost, cost, picture
from regard.attention import (
    Attention,
    Axial,
    Content,
    Dilated,
    GlobalTokens,
    Grid,
    Mask,
    Neighbours,
    Places,
    SameColumn,
    SameRow,
    Sequence,
    Strided,
    Tiles,
    Window,
)
from regard.claims.chart import Bars, Matrices
from regard.claims.claim import ANSWERED, Finding, Findings, View, claim
from regard.claims.findings import Count, agrees, equals
from regard.claims.small_runs import drawn, seeded
from regard.layers import ChannelAttention, MultiHead, PooledMultiHead, WindowAttention

SIDES = [{"n": n} for n in (8, 32, 16)]  # patches along a side of the image
TILE, BAND, STEP, REACH, POOL = 4, 8, 4, 2, 4
WIDTH = 8  # of a head
POOLED = f"keys pooled {POOL}×{POOL}"


def masks(n: int) -> dict[str, tuple[Mask, Grid | Sequence]]:
    """The ways by their names, on a grid of n × n patches or in a line of n² tokens."""
    grid, line = Grid(n, n), Sequence(n * n)
    return {
        f"windows {TILE}×{TILE}": (Tiles(TILE, TILE), grid),
        "neighbours 3×3": (Neighbours(1, 1), grid),
        f"dilated, step {STEP}": (Dilated(STEP, REACH, REACH), line),
        "strided, step n + 1": (Strided(n + 1), line),  # a step of n would be the columns
        "window and a global token": (Window(BAND, BAND) | GlobalTokens(1), line),
        "axial": (Axial(), grid),
        "rows": (SameRow(), grid),
        "columns": (SameColumn(), grid),
    }


@cache
def pairs(name: str, n: int) -> int:
    """Visible pairs; of pooled keys the built layer's multiply-adds between its projections over those of a pair."""
    if name != POOLED:
        mask, places = masks(n)[name]
        return picture(mask, Places(places, places)).counts.visible
    layer = PooledMultiHead(WIDTH, 1, pool=POOL, device="meta")
    x = torch.empty(1, n * n, WIDTH, device="meta")
    return cost(layer, x, keys=Grid(n, n), backward=False)["heads"].attention // (4 * WIDTH)


def draw_maps() -> Matrices:
    """Who sees whom among 8 × 8 patches."""
    n, panels = 8, {}
    for name, (mask, places) in masks(n).items():
        found = picture(mask, Places(places, places))
        panels[f"{name}: {100 * found.share:.2g} %"] = [[level / 2 for level in row] for row in found.cells]
    with torch.no_grad():
        seen = PooledMultiHead(WIDTH, 1, pool=POOL).weights(torch.zeros(1, n * n, WIDTH), keys=Grid(n, n))[0, 0] > 0
    panels[f"{POOLED}: {100 * seen.shape[1] / n**2:.2g} %"] = seen.double().tolist()
    return Matrices(
        title="Who sees whom among 8 × 8 patches (dark: seen), and the share of all pairs",
        panels=panels,
        row_label="query patch",
        column_label="key patch",
    )


@claim(
    "udl.8",
    ANSWERED,
    twin={"axial": lambda n: n**2 * 2 * n},
    chart=draw_maps,
    view=View(
        "patterns", "See a cheaper pattern, its plan and its cost", {"mask": "axial", "grid": [16, 16], "tokens": 256}
    ),
)
def cheaper_ways(
    windows: Count = lambda n: n**2 * TILE**2,
    neighbours: Count = lambda n: (3 * n - 2) ** 2,
    dilated: Count = lambda n: (2 * REACH + 1) * n**2 - STEP * REACH * (REACH + 1),
    strided: Count = lambda n: n * (n - 1) ** 2 + n**2,
    global_token: Count = lambda n: (2 * BAND + 3) * n**2 - BAND * (BAND + 1) - 2 * BAND - 2,
    axial: Count = lambda n: n**2 * (2 * n - 1),
    rows: Count = lambda n: n**3,
    columns: Count = lambda n: n**3,
    pooled: Count = lambda n: n**4 // POOL**2,
) -> Findings:
    """Count the pairs of each way, plan it, and compare it with the definition."""
    ways = (windows, neighbours, dilated, strided, global_token, axial, rows, columns, pooled)
    stated = dict(zip((*masks(1), POOLED), ways, strict=True))
    counts = {name: pairs(name, 32) for name in stated}
    shares = ", ".join(f"{100 * count / 32**4:.2g} % {name.partition(',')[0]}" for name, count in counts.items())
    wrong = [name for name, way in stated.items() if counts[name] != way(n=32)]
    told = f"not as many as stated of {', '.join(wrong)}" if wrong else shares
    yield Finding("shares of all pairs", not wrong, f"of all pairs on 32 × 32 patches are left: {told}")
    for name, way in stated.items():
        yield agrees(f"pairs of {name}", way, lambda n, name=name: pairs(name, n), SIDES)
    yield compute_less(stated)
    yield from compute_exactly(stated)
    n = 8
    with seeded(0):
        layer, x = PooledMultiHead(WIDTH, 2, pool=POOL, dtype=torch.float64), torch.randn(1, n * n, WIDTH).double()
    means = avg_pool2d(x.mT.unflatten(2, (n, n)), POOL).flatten(2).mT
    with torch.no_grad():
        found, stated_so = layer(x, keys=Grid(n, n)), layer.heads(x, means)
    yield equals(f"{POOLED}, against attention to the means", found, stated_so, 1e-12)


def compute_less(stated: dict[str, Count]) -> Finding:
    """What the algorithm of the fewest FLOPs computes on 64 × 64 patches, against attention between all of them."""
    n = 64
    q = torch.empty(1, 1, n * n, WIDTH, device="meta")
    shares = {}
    for name, (mask, places) in masks(n).items():
        candidates = plan(q, q, q, Attention(mask=mask, queries=places, keys=places)).candidates
        shares[name] = min(each.cost.flops for each in candidates if each.cost is not None) / (4 * n**4 * WIDTH)
    dearest = max(shares, key=lambda name: shares[name])
    enough = all(shares[name] >= stated[name](n=n) / n**4 for name in shares)
    shown = f"on 64 × 64 patches an exact algorithm computes {100 * shares[dearest]:.2g} % of n⁴ at most ({dearest})"
    return Finding("what is computed", enough and shares[dearest] < 0.5, shown)


def compute_exactly(stated: dict[str, Count]) -> Findings:
    """What is computed for each pattern, against its definition, and whom the definition's map sees."""
    n, found, defined, wrong = 8, [], [], []
    q, k, v = drawn(3, 1, 1, n * n, WIDTH, seed=0)
    for name, (mask, places) in masks(n).items():
        value = Attention(mask=mask, queries=places, keys=places)
        defined.append(attend(q, k, v, value, algorithm="reference"))
        found.append(attend(q, k, v, value))
        wrong += [name] if int((weights(q, k, value) > 0).sum()) != stated[name](n=n) else []
    yield equals(f"{len(found)} patterns as computed", torch.stack(defined), torch.stack(found), 1e-12)
    shown = f"the maps of {len(found) - len(wrong)} of {len(found)} patterns have as many weights above zero as stated"
    yield Finding("maps", not wrong, f"{shown}{', not of ' * bool(wrong)}{', '.join(wrong)}")


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
