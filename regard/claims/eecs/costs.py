"""Questions 2c and 2d: what multi-head attention costs, and which part of it decides."""

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from regard.algorithms import attend
from regard.analysis import Formulas, formulas
from regard.analysis.cost.growth import growth
from regard.analysis.cost.polynomials import crossovers
from regard.analysis.cost.symbolic import Made
from regard.analysis.formulas import Polynomial, order
from regard.claims.chart import Lines
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.small_runs import seeded
from regard.claims.timing import one_thread, processor_seconds
from regard.layers import MultiHead
from regard.layers.multihead import split_heads

HEADS = 4
Powers = frozenset[tuple[int, int, int]]  # of n_t, n_s and D, a triple for each term


def layer(D: int) -> MultiHead:
    return MultiHead(D, HEADS, device="meta")


def empty(n: int, D: int) -> Tensor:
    return torch.empty(1, n, D, device="meta")


def cross(T: int, S: int, D: int) -> Made:
    return layer(D), (empty(T, D), empty(S, D))


def own(N: int, D: int) -> Made:
    return layer(D), (empty(N, D),)


def causal(N: int, D: int) -> Made:
    return layer(D), (empty(N, D),), {"causal": True}


@functools.cache
def counted(kind: str) -> Formulas:
    """The cost as a polynomial, checked against the count at these sizes and at half of them."""
    if kind == "cross":
        return formulas(cross, factors={"D": HEADS}, T=24, S=40, D=32)
    return formulas(own if kind == "self" else causal, factors={"D": HEADS}, N=24, D=32)


def complexity(said: Powers) -> Sequence[Finding]:
    """The class of the counted polynomial, how constant its ratio to the stated sum is, and fitted exponents."""
    found = counted("cross").forward
    T, S, D = (Polynomial.symbol(name) for name in ("T", "S", "D"))
    stated = Polynomial({})
    for t, s, d in said:
        stated = stated + power(T, t) * power(S, s) * power(D, d)
    same = order(found) == order(stated)
    shown = f"counted: {found} FLOPs, {order(found)}{'' if same else f', not {order(stated)}'}"
    grid = [{"T": t, "S": s, "D": d} for t in (1, 64, 4096) for s in (1, 64, 4096) for d in (8, 128, 2048)]
    ratios = [float(found(**at)) / float(stated(**at)) for at in grid]
    flat = max(ratios) / min(ratios)
    spread = f"counted over stated lies between {min(ratios):.3g} and {max(ratios):.3g} over {len(grid)} sizes"
    return [Finding("class", same, shown), Finding("ratio", flat < 4, spread), *fitted(said)]


def power(x: Polynomial, exponent: int) -> Polynomial:
    product = Polynomial({(): 1})
    for _ in range(exponent):
        product = product * x
    return product


def fitted(said: Powers) -> Iterable[Finding]:
    """Exponents of the counts far out along each size, against the highest powers that are stated."""
    stated = {
        "D": max(d for _, _, d in said),
        "n_t": max(t for t, _, _ in said),
        "n_s": max(s for _, s, _ in said),
        "n_t = n_s": max(t + s for t, s, _ in said),
    }
    for name, exponent in exponents().items():
        shown = f"as {name} grows alone: fitted exponent {exponent:.3f}, stated {stated[name]}"
        yield Finding(f"exponent of {name}", abs(exponent - stated[name]) < 0.02, shown)


@functools.cache
def exponents() -> dict[str, float]:
    """Fitted to the counts of the built layer, the other sizes small."""

    def both(N: int, D: int) -> Made:
        return cross(N, N, D)

    far = (1 << 12, 1 << 14, 1 << 16)
    found = {
        "D": growth(cross, "D", far, measure=None, T=2, S=2),
        "n_t": growth(cross, "T", far, measure=None, S=8, D=8),
        "n_s": growth(cross, "S", far, measure=None, T=8, D=8),
        "n_t = n_s": growth(both, "N", far, measure=None, D=8),
    }
    return {name: slope.exponent or 0.0 for name, slope in found.items()}


@dataclass(frozen=True)
class Crossings:
    """Where logits and mixing cost as much as projections: a number of tokens, or, between two sequences, a width."""

    own: Callable[[Any], Any]  # of D
    causal: Callable[[Any], Any]  # of D
    cross: Callable[[Any, Any], Any]  # of n_t and n_s


def crossing(said: Crossings) -> Sequence[Finding]:
    """The crossovers as expressions, then counts and times on both sides of the first."""
    import sympy

    D, T, S = (sympy.Symbol(name, positive=True) for name in ("D", "T", "S"))
    found = [
        solved("self-attention", "self", "N", said.own(D)),
        solved("causal self-attention", "causal", "N", said.causal(D)),
        solved("cross-attention", "cross", "D", said.cross(T, S)),
        sides(said),
    ]
    for N, width, what in ((32, 1024, "short and wide"), (2048, 16, "long and thin")):
        project, mix = seconds(N, width)
        longer = said.own(width) < N
        holds = mix > project if longer else project > mix
        times = f"projections {1e3 * project:.2g} ms, logits and mixing {1e3 * mix:.2g} ms"
        shown = f"{what}, N = {N:,}, D = {width:,}: {times}{'' if holds else ', against what is stated'}"
        found.append(Finding(what, holds, shown))
    return found


def solved(name: str, kind: str, symbol: str, stated: Any) -> Finding:
    """The size at which the counted polynomials are equal, as an expression."""
    import sympy

    found = counted(kind)
    at = crossovers(found, symbol)[0].at
    same = at is not None and sympy.simplify(at - stated) == 0
    shown = f"{name}: equal FLOPs at {symbol}* = {at}{'' if same else f', not {stated}'}"
    return Finding(name, bool(same), shown.replace("*", "·").replace(f"{symbol}· =", f"{symbol}* ="))


def sides(said: Crossings) -> Finding:
    """Which part costs more, over a grid of sizes."""
    parts = counted("self").modules[0]
    grid = [(N, D) for D in (8, 32, 128, 1024) for N in (1, D, 2 * D - 1, 2 * D + 1, 3 * D, 64 * D)]
    wrong = [(N, D) for N, D in grid if (parts.attention(N=N, D=D) > parts.rest(N=N, D=D)) != (said.own(D) < N)]
    shown = f"counted at {len(grid)} sizes, logits and mixing cost more exactly beyond the stated length"
    if wrong:
        N, D = wrong[0]
        costs = f"logits and mixing {parts.attention(N=N, D=D):,}, projections {parts.rest(N=N, D=D):,} FLOPs"
        shown = f"N = {N:,}, D = {D:,}: {costs}, against what is stated"
    return Finding("both sides", not wrong, shown)


@functools.cache
@one_thread()
@torch.no_grad()
def seconds(N: int, D: int) -> tuple[float, float]:
    """Processor time of the projections, and of what lies between them, on one thread."""
    with seeded(0):
        built, x = MultiHead(D, HEADS), torch.randn(1, N, D)
    projections: list[nn.Linear] = [built.query, built.key, built.value, built.out]
    q, k, v = (split_heads(part(x), HEADS) for part in projections[:3])
    project = processor_seconds(lambda: [part(x) for part in projections])
    return project, processor_seconds(lambda: attend(q, k, v))


def costs() -> Lines:
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


CLAIMS = {
    "2c": Claim(
        id="eecs.2c",
        title="The complexity of multi-head attention",
        texts=Texts(
            asks="n_t queries attend to n_s keys and values, all of width D, in any number of heads: at what cost?",
            derivation="Queries and output are projected by $D \\times D$ matrices for $n_t$ tokens, keys and values "
            "for $n_s$: $2 n_t D^2 + 2 n_s D^2$ multiply-adds. A logit of one head is a product of width $D/h$; there "
            "are $h\\, n_t n_s$ of them, so $n_t n_s D$ whatever $h$, and as much again to mix the values.\n\n"
            "In all $2(n_t D^2 + n_s D^2 + n_t n_s D)$ multiply-adds, twice that in FLOPs: no term bounds another, so "
            "all three stay in $\\Theta(n_t D^2 + n_s D^2 + n_t n_s D)$.",
            quantities={"n_t, n_s": "queries and keys (T, S below)", "D": "width of the model", "h": "heads"},
            method="the count of the built layer as an exact polynomial; exponents fitted to counts up to 65,536",
            code=("regard.analysis:formulas", "regard.analysis.formulas:order"),
        ),
        ours=Version(
            "Θ(n_t D² + n_s D² + n_t n_s D)",
            r"\Theta(n_t D^2 + n_s D^2 + n_t n_s D)",
            frozenset({(1, 0, 2), (0, 1, 2), (1, 1, 1)}),
        ),
        twin=Version(
            "Θ(n_t D² + n_s D² + n_t n_s)",
            r"\Theta(n_t D^2 + n_s D^2 + n_t n_s)",
            frozenset({(1, 0, 2), (0, 1, 2), (1, 1, 0)}),
        ),
        check=complexity,
        expected=Verdict.HOLDS,
    ),
    "2d": Claim(
        id="eecs.2d",
        title="Which part of the cost decides",
        texts=Texts(
            asks="For which sequences do the projections dominate the cost of multi-head attention, and for which the "
            "logits and the mixing?",
            derivation="Self-attention has $4ND^2$ multiply-adds of projections against $2N^2D$ of logits and mixing: "
            "equal at $N^* = 2D$. Short and wide, $N < 2D$, the projections dominate; long and thin the others.\n\n"
            "With a causal mask only $N(N+1)/2$ pairs are needed: $4ND^2 = N(N+1)D$ at $N^* = 4D - 1$. Between $n_t$ "
            "queries and $n_s$ keys $2(n_t + n_s)D^2 = 2 n_t n_s D$ at $D = \\frac{n_t n_s}{n_t + n_s}$, half of the "
            "harmonic mean of the lengths.",
            quantities={"N": "tokens", "D": "width of the model", "n_t, n_s": "queries and keys (T, S below)"},
            method="exact polynomials of the built layer, solved; counts at 24 sizes; processor time on one "
            "thread, best of five, at sizes where the parts differ by a factor of ten or more",
            code=("regard.analysis.cost.polynomials:crossovers", "regard.analysis:formulas"),
        ),
        ours=Version(
            "N* = 2D; causal 4D − 1; between two sequences D = n_t n_s/(n_t + n_s)",
            r"N^* = 2D",
            Crossings(lambda D: 2 * D, lambda D: 4 * D - 1, lambda T, S: T * S / (T + S)),
        ),
        twin=Version(
            "N* = D/2; causal D; between two sequences D = n_t + n_s",
            r"N^* = D/2",
            Crossings(lambda D: D / 2, lambda D: D, lambda T, S: T + S),
        ),
        check=crossing,
        expected=Verdict.HOLDS,
        chart=costs,
    ),
}
