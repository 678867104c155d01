"""Problem 12.8: ways to make attention between patches cheaper than quadratic."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import torch

from regard.algorithms import attend, plan
from regard.analysis import cost, picture
from regard.attention import (
    Attention,
    Axial,
    Dilated,
    GlobalTokens,
    Grid,
    Mask,
    Neighbours,
    Places,
    SameColumn,
    SameRow,
    Strided,
    Tiles,
    Window,
)
from regard.attention import Sequence as Line
from regard.claims.chart import Matrices
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import agrees, equals
from regard.layers import PooledMultiHead

SIDES = [{"n": n} for n in (8, 16, 32)]  # patches along a side of the image
TILE, NEAR, BAND, STEP, REACH, POOL = 4, 1, 8, 4, 2, 4
WIDTH = 8  # of a head

WINDOWS, GLOBAL, DIAGONALS = f"windows {TILE}×{TILE}", "window and a global token", "strided, step n + 1"

# On a grid of n × n patches, or in a line of n² tokens.
MASKS: dict[str, Callable[[int], tuple[Mask, Grid | Line]]] = {
    WINDOWS: lambda n: (Tiles(TILE, TILE), Grid(n, n)),
    "neighbours 3×3": lambda n: (Neighbours(NEAR, NEAR), Grid(n, n)),
    f"dilated, step {STEP}": lambda n: (Dilated(STEP, REACH, REACH), Line(n * n)),
    DIAGONALS: lambda n: (Strided(n + 1), Line(n * n)),  # a step of n would be the columns
    GLOBAL: lambda n: (Window(BAND, BAND) | GlobalTokens(1), Line(n * n)),
    "axial": lambda n: (Axial(), Grid(n, n)),
    "rows": lambda n: (SameRow(), Grid(n, n)),
    "columns": lambda n: (SameColumn(), Grid(n, n)),
}
POOLED = f"keys pooled {POOL}×{POOL}"

Ways = Mapping[str, Callable[[int], int]]  # pairs of a query and a key, of n, by the name of the way


def ways(stated: Ways) -> Sequence[Finding]:
    """Count the pairs of each way, plan it, and compare it with the definition."""
    found = [agrees(f"pairs of {name}", stated[name], lambda n, name=name: pairs(name, n), SIDES) for name in MASKS]
    found.append(agrees(f"pairs of {POOLED}", stated[POOLED], pooled_pairs, SIDES))
    return [shares(stated), *found, cheaper(stated), exact()]


def shares(stated: Ways) -> Finding:
    """The answer in one line: the share of all pairs that each way leaves on 32 × 32 patches."""
    n = 32
    counted = {name: pairs(name, n) for name in MASKS} | {POOLED: pooled_pairs(n)}
    named = {"windows": WINDOWS, "neighbours": "neighbours 3×3", "a global token": GLOBAL, "axial": "axial"}
    listed = [f"{short} {100 * counted[name] / n**4:.2g} %" for short, name in (named | {"pooled": POOLED}).items()]
    wrong = [
        f"{name}: {count:,} pairs, not {stated[name](n):,}"
        for name, count in counted.items()
        if stated[name](n) != count
    ]
    shown = wrong[0] if wrong else f"of {n**4:,} pairs on 32 × 32 patches: {', '.join(listed)}"
    return Finding("shares of all pairs", not wrong, shown)


@cache
def pairs(name: str, n: int) -> int:
    mask, places = MASKS[name](n)
    return picture(mask, Places(places, places)).counts.visible


@cache
def pooled_pairs(n: int) -> int:
    """Multiply-adds of the built layer between its projections, over those of a pair: logits and mixing."""
    layer = PooledMultiHead(WIDTH, 1, pool=POOL, device="meta")
    x = torch.empty(1, n * n, WIDTH, device="meta")
    return cost(layer, x, keys=Grid(n, n), backward=False)["heads"].attention // (4 * WIDTH)


def cheaper(stated: Ways) -> Finding:
    """What the algorithm of the fewest FLOPs computes on 64 × 64 patches, against attention between all of them."""
    n = 64
    q = torch.empty(1, 1, n * n, WIDTH, device="meta")
    shares = {}
    for name, make in MASKS.items():
        mask, places = make(n)
        candidates = plan(q, q, q, Attention(mask=mask, queries=places, keys=places)).candidates
        shares[name] = min(each.cost.flops for each in candidates if each.cost is not None) / (4 * n**4 * WIDTH)
    dearest = max(shares, key=lambda name: shares[name])
    enough = all(shares[name] >= stated[name](n) / n**4 for name in MASKS)
    shown = f"on 64 × 64 patches an exact algorithm computes {100 * shares[dearest]:.2g} % of n⁴ at most ({dearest})"
    return Finding("what is computed", enough and shares[dearest] < 0.5, shown)


def exact() -> Finding:
    """What is computed for each pattern, against its definition."""
    n, gaps, scale = 8, [], []
    for make in MASKS.values():
        mask, places = make(n)
        generator = torch.Generator().manual_seed(0)
        q, k, v = torch.randn(3, 1, 2, n * n, WIDTH, generator=generator, dtype=torch.float64)
        value = Attention(mask=mask, queries=places, keys=places)
        scale.append(attend(q, k, v, value, algorithm="reference"))
        gaps.append(attend(q, k, v, value))
    return equals(f"{len(gaps)} patterns as computed", torch.stack(scale), torch.stack(gaps), 1e-12)


def chart() -> Matrices:
    """Who sees whom among 8 × 8 patches."""
    n = 8
    panels = {}
    for name, make in MASKS.items():
        mask, places = make(n)
        found = picture(mask, Places(places, places))
        panels[f"{name}: {100 * found.share:.2g} %"] = [[level / 2 for level in row] for row in found.cells]
    layer = PooledMultiHead(WIDTH, 1, pool=POOL)
    with torch.no_grad():
        seen = layer.weights(torch.zeros(1, n * n, WIDTH), keys=Grid(n, n))[0, 0] > 0
    panels[f"{POOLED}: {100 * seen.shape[1] / n**2:.2g} %"] = seen.double().tolist()
    return Matrices(
        title="Who sees whom among 8 × 8 patches (dark: seen), and the share of all pairs",
        panels=panels,
        row_label="query patch",
        column_label="key patch",
    )


OURS: dict[str, Callable[[int], int]] = {
    WINDOWS: lambda n: n**2 * TILE**2,
    "neighbours 3×3": lambda n: (3 * n - 2) ** 2,
    f"dilated, step {STEP}": lambda n: (2 * REACH + 1) * n**2 - STEP * REACH * (REACH + 1),
    DIAGONALS: lambda n: n * (n - 1) ** 2 + n**2,
    GLOBAL: lambda n: (2 * BAND + 3) * n**2 - BAND * (BAND + 1) - 2 * BAND - 2,
    "axial": lambda n: n**2 * (2 * n - 1),
    "rows": lambda n: n**3,
    "columns": lambda n: n**3,
    POOLED: lambda n: n**4 // POOL**2,
}

CLAIMS = (
    Claim(
        id="udl.8",
        title="Cheaper attention between patches",
        texts=Texts(
            asks="ViT's attention is quadratic in the number of patches. Name two ways to make it cheaper.",
            derivation="All pairs of $N = n^2$ patches are $n^4$. *Local windows*: tiles of $M \\times M$ patches "
            "leave $N M^2$ pairs, and the nearest $3 \\times 3$ patches $(3n - 2)^2$, both linear in $N$. *Dilated and "
            "strided* patterns see $2r + 1$ patches a step $s$ apart, $(2r+1)N - s\\,r(r+1)$ pairs, or every "
            "$(n+1)$-th patch, which lie on diagonals of the image: $n(n-1)^2 + n^2$ pairs.\n\n"
            "*Global tokens*: beside a window of $2w + 1$, one token (such as the class token) sees and is seen by "
            "all: $(2w + 3)N - w(w + 1) - 2w - 2$ pairs, and any two patches are two layers apart.\n\n"
            "*Axial* attention sees the own row and column, $N(2n - 1)$ pairs or $N^{3/2}$; as two layers, rows and "
            "then columns, $Nn$ pairs each. *Pooled keys*: means of $p \\times p$ patches as keys and values leave "
            "$N^2/p^2$ pairs, which is still quadratic.",
            quantities={"n": "patches along a side", "N": "patches, n²"},
            method="visible pairs counted at n = 8, 16 and 32; the algorithms' own counts at n = 64; computed against "
            "the definition in float64 to 1e-12",
            code=(
                "regard.attention.masks.grid:Tiles",
                "regard.attention.masks.grid:Axial",
                "regard.attention.masks.offsets:Dilated",
                "regard.attention.masks.patterns:GlobalTokens",
                "regard.layers.pooled:PooledMultiHead",
                "regard.analysis.reach.patterns:picture",
            ),
        ),
        ours=Version(
            "windows, neighbours, dilated, global tokens: linear in N; axial, strided: N^(3/2); pooled: N²/p²",
            r"N M^2, \quad N(2n-1), \quad \frac{N^2}{p^2}",
            OURS,
        ),
        twin=Version(
            "as ours, but axial attention has 2n keys for each query",
            r"N \cdot 2n",
            OURS | {"axial": lambda n: n**2 * 2 * n},
        ),
        check=ways,
        expected=Verdict.ANSWERED,
        chart=chart,
    ),
)
