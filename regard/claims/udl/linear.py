"""Problem 12.10: exp(k·q) replaced by g(k)·g(q)."""

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor
from torch.nn.functional import elu

from regard.algorithms import attend, plan, weights
from regard.attention import Attention, Causal, Elu, Exp, Features, Kernel, LinearState, RandomFeatures
from regard.attention.weighting.features import Own
from regard.claims.chart import Lines
from regard.claims.claim import ANSWERED, Finding, Findings, View, claim
from regard.claims.findings import Count, agrees, equals, processor_seconds
from regard.claims.small_runs import drawn
from regard.training import limit_threads

EXACT = 1e-12
SIZES = [{"N": N, "D": D, "Dg": Dg} for N, D, Dg in ((64, 16, 16), (16, 16, 16), (512, 64, 8), (40, 8, 96))]
LENGTHS = {"linear": (4096, 16384), "reference": (768, 3072)}  # measured

# `signed` keeps the vectors as they are, so that g(q)·g(k) may be negative.
MAPS: dict[str, Callable[[], Features]] = {"elu + 1": Elu, "exp": Exp, "signed": lambda: Own(lambda x: x)}


def draw_vectors(N: int, D: int, seed: int = 0) -> Tensor:
    """Queries, keys and values."""
    return drawn(3, 1, 1, N, D, seed=seed)


def by_kernel(name: str = "elu + 1") -> Attention:
    return Attention(weighting=Kernel(MAPS[name]()))


@cache
def counted(N: int, D: int, Dg: int) -> dict[str, int]:
    """Multiply-adds of each algorithm for features of width D_g, the features themselves left out."""
    q = torch.empty(1, 1, N, D, device="meta")
    features = Own(lambda x: x.new_ones(*x.shape[:-1], Dg), Dg)
    found = plan(q, q, q, Attention(weighting=Kernel(features)))
    return {each.name: each.cost.flops // 2 for each in found.candidates if each.cost is not None}


@cache
@limit_threads(1)
def seconds(name: str, N: int) -> float:
    """Processor time of one thread, the least of a few calls."""
    q, k, v = draw_vectors(N, 16).float()
    return processor_seconds(lambda: attend(q, k, v, by_kernel(), algorithm=name), tries=4)


def draw_counts() -> Lines:
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


@claim(
    "udl.10",
    ANSWERED,
    twin={"fit": tuple(MAPS)},
    chart=draw_counts,
    view=View("patterns", "See linear attention against all pairs", {"mask": "causal", "weighting": "elu"}),
)
def linearised(
    linear: Count = lambda N, D, Dg: N * Dg * (2 * D + 1),
    quadratic: Count = lambda N, D, Dg: N * N * (D + Dg),
    pays: Callable[..., bool] = lambda N, D, Dg: Dg * (2 * D + 1) < N * (D + Dg),
    entries: Count = lambda N, D, Dg: N * N,
    fit: tuple[str, ...] = ("elu + 1", "exp"),
) -> Findings:
    """Outputs both ways, counts both ways, times, and what a signed g does.

    Stated are the multiply-adds by sums and by pairs, when the sums are fewer, the entries of the map, and which g give
    weights.
    """
    N, D = 4096, 64
    sums, by_pairs = (counted(N, D, D)[name] for name in ("linear", "reference"))
    said = tuple(count(N=N, D=D, Dg=D) for count in (linear, quadratic))
    shown = f"{sums:,} multiply-adds by sums, {by_pairs:,} by pairs, {by_pairs / sums:.0f} times as many"
    wrong = "" if said == (sums, by_pairs) else f"; stated {said[0]:,} and {said[1]:,}"
    yield Finding("cost", not wrong, f"N = {N:,}, D = D_g = {D}: {shown}{wrong}")
    yield from compare_outputs()
    yield agrees("multiply-adds by sums", linear, lambda N, D, Dg: counted(N, D, Dg)["linear"], SIZES)
    yield agrees("multiply-adds by pairs", quadratic, lambda N, D, Dg: counted(N, D, Dg)["reference"], SIZES)
    for D, Dg in ((16, 16), (64, 8), (8, 96)):
        costs = ((N, counted(N, D, Dg)) for N in range(1, 1000))
        found = next(N for N, cost in costs if cost["linear"] < cost["reference"])
        stated = next(N for N in range(1, 1000) if pays(N=N, D=D, Dg=Dg))
        wrong = "" if found == stated else f", not {stated}"
        shown = f"D = {D}, D_g = {Dg}: the sums are cheaper from N = {found} on{wrong}"
        yield Finding(f"where it pays, D = {D}, D_g = {Dg}", found == stated, shown)
    yield agrees("weights that exist", entries, count_entries, SIZES)
    sums, by_pairs = (seconds(name, long) / seconds(name, short) for name, (short, long) in LENGTHS.items())
    shown = f"four times the tokens take {sums:.1f} times as long by sums, {by_pairs:.1f} times by pairs"
    yield Finding("time", sums < 7 < by_pairs, shown)
    for name in MAPS:
        yield find_weights(name, name in fit)


def compare_outputs() -> Findings:
    """Both ways against the formula, and a running sum, token by token, against the masked map."""
    q, k, v = draw_vectors(50, 6)
    g_q, g_k = elu(q) + 1, elu(k) + 1
    formula = g_q @ (g_k.mT @ v) / (g_q @ g_k.sum(2, keepdim=True).mT)
    for name, way in (("linear", "the sums"), ("reference", "the map")):
        found = attend(q, k, v, by_kernel(), algorithm=name)
        yield equals(f"outputs by {way}, as the formula says", found, formula, EXACT)
    kernel = Kernel(Elu())
    state, rows = LinearState.empty(kernel, 1, 1, 6, 6, dtype=torch.float64), []
    for t in range(20):
        here = slice(t, t + 1)
        state = state.step(k[:, :, here], v[:, :, here])
        rows.append(state.read(q[:, :, here]))
    q, k, v = (x[:, :, :20] for x in (q, k, v))
    masked = attend(q, k, v, Attention(mask=Causal(), weighting=kernel), algorithm="reference")
    yield equals("a running sum, against the causal map", masked, torch.cat(rows, 2), EXACT)


def count_entries(N: int, D: int, Dg: int) -> int:
    """The map is there for who asks, and is as large as ever."""
    q, k, _ = draw_vectors(N, D)
    features = RandomFeatures.draw(Dg, D, dtype=torch.float64)
    return int((weights(q, k, Attention(weighting=Kernel(features))) > 0).sum())


def find_weights(name: str, said: bool) -> Finding:
    """Whether features give weights: no entry below zero, so that each output is a mean of values."""
    low, far = 1.0, 0.0
    for seed in range(3):
        q, k, v = draw_vectors(30, 4, seed)
        low = min(low, weights(q, k, by_kernel(name)).min().item())
        far = max(far, (attend(q, k, v, by_kernel(name)).abs().max() / v.abs().max()).item())
    found = low >= 0 and far <= 1 + EXACT
    shown = f"g = {name}: least weight {low:.3g}, outputs up to {far:.3g} of the largest value"
    instead = "" if found == said else f"; stated {'weights' if said else 'no weights'}"
    return Finding(f"g = {name}", found == said, f"{shown}{instead}")
