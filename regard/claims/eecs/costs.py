"""Questions 2c and 2d: what multi-head attention costs, and which part of it decides."""

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from regard.algorithms import attend
from regard.analysis import Formulas, formulas, picture
from regard.analysis.cost.growth import growth
from regard.analysis.cost.polynomials import crossovers
from regard.analysis.cost.symbolic import Made
from regard.attention import Causal
from regard.claims.chart import Lines
from regard.claims.claim import HOLDS, Finding, Findings, View, claim
from regard.claims.findings import Count, agrees, processor_seconds
from regard.claims.small_runs import seeded
from regard.formulas import Polynomial, order
from regard.layers import MultiHead
from regard.layers.multihead import split_heads
from regard.training import limit_threads

HEADS = 4


def cross(T: int, S: int, D: int) -> Made:
    return MultiHead(D, HEADS, device="meta"), tuple(torch.empty(1, n, D, device="meta") for n in (T, S))


def own(N: int, D: int) -> Made:
    layer, (x, _) = cross(N, 1, D)[:2]
    return layer, (x,)


def causal(N: int, D: int) -> Made:
    return *own(N, D)[:2], {"causal": True}


@functools.cache
def counted(kind: str) -> Formulas:
    """The cost as a polynomial, checked against the count at these sizes and at half of them."""
    if kind == "cross":
        return formulas(cross, factors={"D": HEADS}, T=24, S=40, D=32)
    return formulas(own if kind == "self" else causal, factors={"D": HEADS}, N=24, D=32)


@functools.cache
def exponents() -> dict[str, float]:
    """Fitted to the counts of the built layer, the other sizes small."""
    far = (1 << 12, 1 << 14, 1 << 16)
    found = {
        "D": growth(cross, "D", far, measure=None, T=2, S=2),
        "n_t": growth(cross, "T", far, measure=None, S=8, D=8),
        "n_s": growth(cross, "S", far, measure=None, T=8, D=8),
        "n_t = n_s": growth(lambda N, D: cross(N, N, D), "N", far, measure=None, D=8),
    }
    return {name: slope.exponent or 0.0 for name, slope in found.items()}


@claim(
    "eecs.2c",
    HOLDS,
    twin={"class_of": lambda T, S, D: T * D * D + S * D * D + T * S},
    view=View("patterns", "See the cost as sequences grow", {"mask": "everything", "width": 64}),
)
def complexity(class_of: Callable[..., Any] = lambda T, S, D: T * D * D + S * D * D + T * S * D) -> Findings:
    """The class of the counted polynomial, how constant its ratio to the stated sum is, and fitted exponents."""
    found, stated = counted("cross").forward, class_of(*map(Polynomial.symbol, "TSD"))
    same = order(found) == f"Θ({stated})"  # no stated term bounds another
    yield Finding("class", same, f"counted: {found} FLOPs, {order(found)}{'' if same else f', not Θ({stated})'}")
    grid = [{"T": t, "S": s, "D": d} for t in (1, 64, 4096) for s in (1, 64, 4096) for d in (8, 128, 2048)]
    ratios = [float(found(**at)) / float(stated(**at)) for at in grid]
    shown = f"counted over stated lies between {min(ratios):.3g} and {max(ratios):.3g} over {len(grid)} sizes"
    yield Finding("ratio", max(ratios) < 4 * min(ratios), shown)
    for name, exponent in exponents().items():
        grown = {"n_t": "T", "n_s": "S", "n_t = n_s": "TS"}.get(name, name)
        power = max(sum(e for symbol, e in monomial if symbol in grown) for monomial in stated.terms)
        shown = f"as {name} grows alone: fitted exponent {exponent:.3f}, stated {power}"
        yield Finding(f"exponent of {name}", abs(exponent - power) < 0.02, shown)


@functools.cache
@limit_threads(1)
@torch.no_grad()
def seconds(N: int, D: int) -> tuple[float, float]:
    """Processor time of the projections, and of what lies between them, on one thread."""
    with seeded(0):
        built, x = MultiHead(D, HEADS), torch.randn(1, N, D)
    projections: list[nn.Linear] = [built.query, built.key, built.value, built.out]
    q, k, v = (split_heads(part(x), HEADS) for part in projections[:3])
    project = processor_seconds(lambda: [part(x) for part in projections])
    return project, processor_seconds(lambda: attend(q, k, v))


def draw_costs() -> Lines:
    """FLOPs of both parts against the number of tokens."""
    D, sizes = 64, [2**n for n in range(3, 13)]
    whole, half = counted("self").modules[0], counted("causal").modules[0]
    return Lines(
        title=f"FLOPs of one layer, D = {D}: equal parts at N = 2D, with a causal mask at 4D − 1",
        x=sizes,
        y={
            "projections": [float(whole.rest(N=N, D=D)) for N in sizes],
            "logits and mixing": [float(whole.attention(N=N, D=D)) for N in sizes],
            "logits and mixing, causal": [float(half.attention(N=N, D=D)) for N in sizes],
        },
        x_label="tokens N",
        y_label="FLOPs",
        log_x=True,
        log_y=True,
        marks={"2D": 2 * D, "4D − 1": 4 * D - 1},
    )


@claim(
    "eecs.2d",
    HOLDS,
    twin={"own": lambda D: D / 2, "causal": lambda D: D, "cross": lambda T, S: T + S},
    chart=draw_costs,
    view=View("patterns", "See where the parts of the cost cross", {"mask": "causal", "heads": 1, "width": 64}),
)
def crossing(
    own: Callable[[Any], Any] = lambda D: 2 * D,
    causal: Callable[[Any], Any] = lambda D: 4 * D - 1,
    cross: Callable[[Any, Any], Any] = lambda T, S: T * S / (T + S),
    pairs: Count = lambda N: N * (N + 1) // 2,
) -> Findings:
    """The crossovers as expressions, then counts and times on both sides of the first.

    Stated is where logits and mixing cost as much as projections: so many tokens, with a causal mask too, or a width
    between two sequences; and the pairs that a causal mask leaves.
    """
    import sympy

    D, T, S = (sympy.Symbol(name, positive=True) for name in "DTS")
    parts = (("self-attention", "self", "N", own(D)), ("causal self-attention", "causal", "N", causal(D)))
    for name, kind, symbol, stated in (*parts, ("cross-attention", "cross", "D", cross(T, S))):
        at = crossovers(counted(kind), symbol)[0].at
        same = at is not None and sympy.simplify(at - stated) == 0
        told = f"{at}{'' if same else f', not {stated}'}".replace("*", "·")
        yield Finding(name, bool(same), f"{name}: equal FLOPs at {symbol}* = {told}")
    sizes = [{"N": N} for N in (1, 2, 7, 40)]
    yield agrees("pairs of the causal mask", pairs, lambda N: picture(Causal(), N).counts.visible, sizes)
    yield agrees("weights above zero of a causal layer", pairs, count_weights, sizes)
    yield compare_sides(own)
    for N, width, what in ((32, 1024, "short and wide"), (2048, 16, "long and thin")):
        project, mix = seconds(N, width)
        holds = mix > project if own(width) < N else project > mix
        times = f"projections {1e3 * project:.2g} ms, logits and mixing {1e3 * mix:.2g} ms"
        shown = f"{what}, N = {N:,}, D = {width:,}: {times}{'' if holds else ', against what is stated'}"
        yield Finding(what, holds, shown)


def count_weights(N: int) -> int:
    """Entries of one head's map that are not zero."""
    with seeded(N), torch.no_grad():
        return int((MultiHead(8, 1).weights(torch.randn(1, N, 8), causal=True) > 0).sum())


def compare_sides(own: Callable[[Any], Any]) -> Finding:
    """Which part costs more, over a grid of sizes."""
    parts = counted("self").modules[0]
    grid = [(N, D) for D in (8, 32, 128, 1024) for N in (1, D, 2 * D - 1, 2 * D + 1, 3 * D, 64 * D)]
    wrong = [(N, D) for N, D in grid if (parts.attention(N=N, D=D) > parts.rest(N=N, D=D)) != (own(D) < N)]
    shown = f"counted at {len(grid)} sizes, logits and mixing cost more exactly beyond the stated length"
    if wrong:
        N, D = wrong[0]
        costs = f"logits and mixing {parts.attention(N=N, D=D):,}, projections {parts.rest(N=N, D=D):,} FLOPs"
        shown = f"N = {N:,}, D = {D:,}: {costs}, against what is stated"
    return Finding("both sides", not wrong, shown)
