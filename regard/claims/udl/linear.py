"""Problem 12.10: exp(k·q) replaced by g(k)·g(q)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from regard.algorithms import attend, plan, weights
from regard.attention import Attention, Causal, Elu, Exp, Features, Kernel, LinearState, RandomFeatures
from regard.attention.weighting.features import Own
from regard.claims.chart import Lines
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import agrees, equals
from regard.claims.timing import one_thread, processor_seconds

EXACT = 1e-12
SIZES = [{"N": N, "D": D, "Dg": Dg} for N, D, Dg in ((64, 16, 16), (16, 16, 16), (512, 64, 8), (40, 8, 96))]
LENGTHS = {"linear": (4096, 16384), "reference": (768, 3072)}  # measured

# `signed` keeps the vectors as they are, so that g(q)·g(k) may be negative.
MAPS: dict[str, Callable[[], Features]] = {"elu + 1": Elu, "exp": Exp, "signed": lambda: Own(lambda x: x)}


@dataclass(frozen=True)
class Linearised:
    """Multiply-adds both ways, the shortest sequence for which it pays, the entries of the map, and which g will do."""

    linear: Callable[[int, int, int], int]  # of N, D and D_g
    quadratic: Callable[[int, int, int], int]
    pays: Callable[[int, int, int], bool]
    entries: Callable[[int, int, int], int]
    fit: tuple[str, ...]  # features that give weights


def linearised(stated: Linearised) -> Sequence[Finding]:
    """Outputs both ways, counts both ways, times, and what a signed g does."""
    return [
        price(stated),
        equal(),
        causal(),
        agrees("multiply-adds by sums", stated.linear, lambda N, D, Dg: counted(N, D, Dg)["linear"], SIZES),
        agrees("multiply-adds by pairs", stated.quadratic, lambda N, D, Dg: counted(N, D, Dg)["reference"], SIZES),
        *[threshold(D, Dg, stated.pays) for D, Dg in ((16, 16), (64, 8), (8, 96))],
        agrees("weights that exist", stated.entries, map_entries, SIZES),
        measured(),
        *[positive(name, name in stated.fit) for name in MAPS],
    ]


def vectors(N: int, D: int, seed: int = 0) -> Tensor:
    """Queries, keys and values."""
    return torch.randn(3, 1, 1, N, D, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def spec(name: str = "elu + 1") -> Attention:
    return Attention(weighting=Kernel(MAPS[name]()))


def equal() -> Finding:
    """The sum over keys taken once, against the map with all pairs."""
    q, k, v = vectors(50, 6)
    by_pairs, by_sums = (attend(q, k, v, spec(), algorithm=name) for name in ("reference", "linear"))
    return equals("outputs by the sums, against the map", by_pairs, by_sums, EXACT)


def causal() -> Finding:
    """A running sum, token by token, against the masked map."""
    q, k, v = vectors(20, 6)
    kernel = Kernel(Elu())
    state, rows = LinearState.empty(kernel, 1, 1, 6, 6, dtype=torch.float64), []
    for t in range(20):
        here = slice(t, t + 1)
        state = state.step(k[:, :, here], v[:, :, here])
        rows.append(state.read(q[:, :, here]))
    masked = attend(q, k, v, Attention(mask=Causal(), weighting=kernel), algorithm="reference")
    return equals("a running sum, against the causal map", masked, torch.cat(rows, 2), EXACT)


@cache
def counted(N: int, D: int, Dg: int) -> dict[str, int]:
    """Multiply-adds of each algorithm for features of width D_g, the features themselves left out."""
    q = torch.empty(1, 1, N, D, device="meta")
    features = Own(lambda x: x.new_ones(*x.shape[:-1], Dg), Dg)
    found = plan(q, q, q, Attention(weighting=Kernel(features)))
    return {each.name: each.cost.flops // 2 for each in found.candidates if each.cost is not None}


def price(stated: Linearised) -> Finding:
    """The answer in one line: multiply-adds both ways at one size."""
    N, D = 4096, 64
    sums, pairs = (counted(N, D, D)[name] for name in ("linear", "reference"))
    said = (stated.linear(N, D, D), stated.quadratic(N, D, D))
    holds = said == (sums, pairs)
    shown = f"N = {N:,}, D = D_g = {D}: {sums:,} multiply-adds by sums, {pairs:,} by pairs, {pairs / sums:.0f} times"
    return Finding("cost", holds, f"{shown} as many{'' if holds else f'; stated {said[0]:,} and {said[1]:,}'}")


def threshold(D: int, Dg: int, said: Callable[[int, int, int], bool]) -> Finding:
    """From how many tokens on the sums take fewer multiply-adds than the pairs."""

    def first(cheaper: Callable[[int], bool]) -> int:
        return next(N for N in range(1, 1000) if cheaper(N))

    found = first(lambda N: counted(N, D, Dg)["linear"] < counted(N, D, Dg)["reference"])
    stated = first(lambda N: said(N, D, Dg))
    shown = (
        f"D = {D}, D_g = {Dg}: the sums are cheaper from N = {found} on{'' if found == stated else f', not {stated}'}"
    )
    return Finding(f"where it pays, D = {D}, D_g = {Dg}", found == stated, shown)


def map_entries(N: int, D: int, Dg: int) -> int:
    """The map is there for who asks, and is as large as ever."""
    q, k, _ = vectors(N, D)
    features = RandomFeatures.draw(Dg, D, dtype=torch.float64)
    return int((weights(q, k, Attention(weighting=Kernel(features))) > 0).sum())


@cache
@one_thread()
def seconds(name: str, N: int) -> float:
    """Processor time of one thread, the least of a few calls."""
    q, k, v = vectors(N, 16).float()
    return processor_seconds(lambda: attend(q, k, v, spec(), algorithm=name), tries=4)


def measured() -> Finding:
    """Four times the tokens: less than seven times the time by sums, and more than that by pairs."""
    sums, pairs = (seconds(name, long) / seconds(name, short) for name, (short, long) in LENGTHS.items())
    shown = f"four times the tokens take {sums:.1f} times as long by sums, {pairs:.1f} times by pairs"
    return Finding("time", sums < 7 < pairs, shown)


def positive(name: str, said: bool) -> Finding:
    """Whether features give weights: no entry below zero, so that each output is a mean of values."""
    low, far = 1.0, 0.0
    for seed in range(3):
        q, k, v = vectors(30, 4, seed)
        low = min(low, weights(q, k, spec(name)).min().item())
        far = max(far, (attend(q, k, v, spec(name)).abs().max() / v.abs().max()).item())
    found = low >= 0 and far <= 1 + EXACT
    shown = f"g = {name}: least weight {low:.3g}, outputs up to {far:.3g} of the largest value"
    instead = "" if found == said else f"; stated {'weights' if said else 'no weights'}"
    return Finding(f"g = {name}", found == said, f"{shown}{instead}")


def chart() -> Lines:
    """Multiply-adds against the number of tokens, both ways."""
    D, lengths = 64, [16, 32, 64, 128, 256, 1024, 4096]
    return Lines(
        title=f"Multiply-adds of one head (D = D_g = {D}), counted",
        x=lengths,
        y={
            "by sums": [counted(N, D, D)["linear"] for N in lengths],
            "by pairs": [counted(N, D, D)["reference"] for N in lengths],
        },
        x_label="tokens N",
        y_label="multiply-adds",
        log_x=True,
        log_y=True,
        marks={"equally many (N = D_g)": D},
    )


OURS = Linearised(
    linear=lambda N, D, Dg: N * Dg * (2 * D + 1),
    quadratic=lambda N, D, Dg: N * N * (D + Dg),
    pays=lambda N, D, Dg: Dg * (2 * D + 1) < N * (D + Dg),
    entries=lambda N, D, Dg: N * N,
    fit=("elu + 1", "exp"),
)

CLAIMS = (
    Claim(
        id="udl.10",
        title="Linear attention",
        texts=Texts(
            asks="Replace exp(k·q) by g(k)·g(q). Why is attention cheaper then, when, and what does g have to keep?",
            derivation="The output is "
            "$o_i = \\frac{\\sum_j (g(q_i)^\\top g(k_j))\\, v_j}{\\sum_j g(q_i)^\\top g(k_j)} = "
            "\\frac{g(q_i)^\\top \\sum_j g(k_j) v_j^\\top}{g(q_i)^\\top \\sum_j g(k_j)}$. The sums over $j$ hold for "
            "all queries and are taken once: $N D D_g$ multiply-adds, and as many to read them, with $N D_g$ for the "
            "denominators. By pairs it is $N^2(D + D_g)$.\n\n"
            "So it pays for $N > D_g\\frac{2D+1}{D + D_g}$, which is $D_g < N$ where $D_g = D$; $2D_g < N$ is "
            "enough for every $D$. With a causal mask the sums run along: each token adds its own $g(k)v^\\top$ before "
            "its query reads.\n\n"
            "The quotient is a mean of values only if $g(k) \\cdot g(q) > 0$, as for elu + 1 or exp. A signed $g$ "
            "gives negative weights and denominators near zero. And only the *outputs* get cheaper: the weights, "
            "to whoever wants to see them, are still $N^2$ numbers.",
            quantities={"N": "tokens", "D": "width of a value", "D_g": "width of g(k) and g(q)"},
            method="float64, tolerance 1e-12; exact counts at four sizes; processor time on one thread, best "
            "of four, up to 16,384 tokens",
            code=(
                "regard.attention.weighting.weighting:Kernel",
                "regard.attention.cache.linear_state:LinearState",
                "regard.algorithms.linear.unordered:Linear",
            ),
        ),
        ours=Version(
            "N·D_g·(2D + 1) instead of N²(D + D_g): it pays for D_g < N (at D_g = D); g·g must be positive; "
            "the map is still N²",
            r"\frac{g(q)^\top \sum_j g(k_j) v_j^\top}{g(q)^\top \sum_j g(k_j)}",
            OURS,
        ),
        twin=Version(
            "any g will do, signed ones too",
            r"g(k) \cdot g(q) \in \mathbb{R}",
            Linearised(OURS.linear, OURS.quadratic, OURS.pays, OURS.entries, tuple(MAPS)),
        ),
        check=linearised,
        expected=Verdict.ANSWERED,
        chart=chart,
    ),
)
