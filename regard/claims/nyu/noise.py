"""Question 1: what noise on one key, or on one query, does to the weights and the outputs."""

import functools
import math
from collections.abc import Callable

import torch
from torch import Tensor

from regard.analysis import Perturbation, perturb_key, perturb_query, reweight, softmax_jacobian, weights_jacobian
from regard.attention import Attention, Content
from regard.claims.chart import Lines, Matrices
from regard.claims.claim import REFUTED, Finding, Findings, View, claim
from regard.claims.findings import equals, mean
from regard.claims.nyu.attention import logits, rows
from regard.claims.small_runs import drawn

BETA = 0.6
M, N, NOISY = 6, 5, 3  # keys, queries, and the key or query, counted from 1, that gets the noise
ROW = NOISY - 1
SMALL = 1e-6  # of the noise, for differences
ATTENTION = Attention(Content(BETA))

Map = Callable[[Tensor, Tensor], Tensor]  # of A (M × N) and of t (N): another map


def problem() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Draw Q, K, V and the noise ε, tokens as columns."""
    return drawn(4, N, seed=11), drawn(4, M, seed=12), drawn(3, M, seed=13), drawn(4, seed=14)


def perturb(side: str, size: float = 1.0) -> Perturbation:
    """Add the noise to noisy key or query of the problem."""
    Q, K, V, noise = problem()
    change = perturb_key if side == "key" else perturb_query
    return change(rows(Q), rows(K), rows(V), ATTENTION, noise=size * noise, **{side: ROW})  # pyright: ignore[reportArgumentType]


def at_key(t: Tensor) -> Tensor:
    """The numbers t in its row, zeros elsewhere."""
    return torch.zeros(M, N, dtype=t.dtype).index_fill(0, torch.tensor([ROW]), 1) * t


def reweighted(A: Tensor, t: Tensor) -> Tensor:
    """`a_i e^t / (1 − a_i + a_i e^t)` for key i, `a_j / (…)` for the others."""
    return A * at_key(t).exp() / (1 - A[ROW] + A[ROW] * t.exp())


def first_order(A: Tensor, t: Tensor) -> Tensor:
    """`t·a_i(e_i − a)` in every column."""
    return t * A[ROW] * (at_key(torch.ones_like(t)) - A)


def at_key_alone(old: Tensor, new: Tensor) -> Tensor:
    """Its row of the new map, all else as before."""
    return torch.where(torch.arange(1, M + 1)[:, None] == NOISY, new, old)


def draw_moved(side: str) -> Matrices:
    """Draw the map before and after, and the change in its own scale: keys downwards, numbered as in the text."""
    found = perturb(side)
    top = found.change.abs().max()
    panels = {"A, before": found.before, "A′, after": found.after, f"(A′ − A) / {top:.2f}": found.change / top}
    return Matrices(
        title=f"What noise on {side} {NOISY} does to the weights",
        panels={name: x[0, 0].T.round(decimals=3).tolist() for name, x in panels.items()},
        row_label="key",
        column_label="query",
        signed=True,
    )


NOISE = {"on": "key", "index": 1, "noise": [0.5, -0.5]}  # in the playground, which counts from 0


@claim(
    "nyu.1e",
    REFUTED,
    document={
        "shift": lambda t: t.expand(M, -1),
        "after": lambda A, t: at_key_alone(A, reweighted(A, t)),
        "slope": lambda A, t: at_key_alone(torch.zeros_like(A), first_order(A, t)),
    },
    twin={"after": lambda A, t: A * at_key(t).exp() / (1 + A[ROW] * t.exp())},
    chart=lambda: draw_moved("key"),
    view=View("playground", "Move a key, and see which weights move", {"noise": NOISE, "deeper": True}),
)
def noisy_key(
    shift: Callable[[Tensor], Tensor] = at_key, after: Map = reweighted, slope: Map = first_order
) -> Findings:
    """Measure which logits and weights noise on a key moves, and by how much; to first order by differences."""
    Q, K, _, noise = problem()
    found = perturb("key")
    A, t = found.before[0, 0].T, BETA * noise @ Q
    promised = after(A, t) != A
    moved, outputs = found.moved[0, 0].T, int(found.outputs_moved.sum())
    yield Finding(
        "which weights move",
        moved.equal(promised) and outputs == N,
        f"noise on key {NOISY}: {int(moved.sum())} of {M * N} weights and {outputs} of {N} outputs move; "
        f"stated {int(promised.sum())} weights",
    )
    noisy = K.clone()
    noisy[:, ROW] += noise
    change, said = logits(Q, noisy, BETA) - logits(Q, K, BETA), shift(t)
    moves = (reweight(A.T, said.T).T - A).abs().max().item()
    yield Finding(
        "the logits",
        bool((change - said).abs().max() < 1e-12 and (found.shift[0, 0].T - said).abs().max() < 1e-12),
        f"noise on key {NOISY} changes {int((change.abs() > 1e-12).sum(0).max())} logit of each query's {M}; "
        f"stated {int((said != 0).sum(0).max())}, which moves the weights by {moves:.1g}",
    )
    both = torch.cat((found.after[0, 0], found.predicted[0, 0])).T
    yield equals("the weights after it, measured and by perturb_key", both, after(A, t).repeat(1, 2), 1e-12)
    difference = perturb("key", SMALL).change[0, 0].T / SMALL
    yield equals(f"finite difference of the map at ε = {SMALL:.0e}", difference, slope(A, t), 1e-4)
    yield equals("the first order by perturb_key", found.first_order[0, 0].T, slope(A, t), 1e-12)


SHARES = (0.15, 0.4, 0.85)
VARIANCE = 0.04  # of t: the formulas are the first terms of series in it
PAIRS = 10_000


@functools.cache
def draw_noise(share: float) -> tuple[Perturbation, Tensor]:
    """Draws ±ε on the first key, whose weight is `share`, and all values; the other keys share the rest."""
    q, others = drawn(1, 1, 1, 4, seed=21), torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
    shares = torch.cat((torch.tensor([share], dtype=torch.float64), (1 - share) * others))
    k = shares.log()[:, None] * q[0, 0] / (BETA * q.square().sum())  # so that β·qᵀk is the logarithm of the share
    noise = drawn(PAIRS, 1, 4, seed=22) * math.sqrt(VARIANCE) / (BETA * q.norm())
    v = drawn(1, 1, 4, 3, seed=23)
    q, k, values = (x.expand(2 * PAIRS, 1, -1, -1) for x in (q, k, v))
    return perturb_key(q, k, values, ATTENTION, key=0, noise=torch.cat((noise, -noise))), v[0, 0]


def measure_drift(share: float) -> Tensor:
    """`a_i' − a_i`, the mean over ±ε: pairs in place of single draws, so that what is odd in ε drops out."""
    change = draw_noise(share)[0].change[:, 0, 0, 0]
    return (change[:PAIRS] + change[PAIRS:]) / 2


def drift(a: float, variance: float) -> float:
    return variance / 2 * a * (1 - a) * (1 - 2 * a)


def draw_drift() -> Lines:
    shares = [0.05 + 0.1 * step for step in range(10)]
    means = [mean(measure_drift(share)) for share in shares]
    return Lines(
        title=f"Noise of mean zero on key i moves the mean of its weight (Var t = {VARIANCE})",
        x=shares,
        y={
            "measured": [found.value for found in means],
            "½ Var(t) a(1 − a)(1 − 2a)": [drift(share, VARIANCE) for share in shares],
            "the document: nothing": [0.0] * len(shares),
        },
        x_label="a_i, the weight before",
        y_label="E[a_i′] − a_i",
        bands={"measured": ([x.value - x.half for x in means], [x.value + x.half for x in means])},
    )


@claim(
    "nyu.1e2",
    REFUTED,
    document={"moves": lambda a, variance: 0.0, "spread": lambda a, variance: 0.0},
    twin={"moves": lambda a, variance: variance / 2 * a * (1 - a)},
    chart=draw_drift,
    view=View("playground", "Move a key, and see by how much weights move", {"noise": NOISE, "deeper": True}),
)
def average(
    moves: Callable[[float, float], float] = drift,
    spread: Callable[[float, float], float] = lambda a, variance: math.sqrt(variance) * a * (1 - a),
) -> Findings:
    """Compare the mean over draws with the stated one, and the size of one draw's change, of the weight and of h."""
    for share in SHARES:
        drawn_mean, said = mean(measure_drift(share)), moves(share, VARIANCE)
        verb = "contains" if drawn_mean.admits(said) else "leaves out"
        shown = f"a_i = {share}: E[a_i′] − a_i = {drawn_mean} (99 %, {PAIRS:,} pairs ±ε) {verb} {said:.3g}"
        yield Finding(f"the mean at a_i = {share}", drawn_mean.admits(said), shown)
        found, v = draw_noise(share)
        one, said = found.change[:PAIRS, 0, 0, 0].std().item(), spread(share, VARIANCE)
        shown = f"a_i = {share}: one draw moves a_i by {one:.4f} (root mean square), stated {said:.4f}"
        yield Finding(f"one draw at a_i = {share}", abs(one - said) <= 0.05 * one, shown)
        assert found.output_before is not None
        said *= (v[0] - found.output_before[0, 0, 0]).norm().item() / (1 - share)
        h = found.output_change[:PAIRS].square().sum(-1).mean().sqrt().item()
        shown = f"a_i = {share}: one draw moves h by {h:.4f} (root mean square), stated {said:.4f}"
        yield Finding(f"the output at a_i = {share}", abs(h - said) <= 0.05 * h, shown)


QUERIES, DRAWS = 8, 600


@functools.cache
def energy_ratio(m: int, n: int) -> float:
    """The mean energy that noise on a query brings to the map, over that of equal noise on a key."""
    energies = []
    for change, place, seed in ((perturb_query, {"query": 0}, 31), (perturb_key, {"key": 0}, 32)):
        q, k = drawn(DRAWS, 1, n, 64, seed=seed), drawn(DRAWS, 1, m, 64, seed=seed + 2)
        noise = 0.05 * drawn(DRAWS, 1, 64, seed=seed + 4)
        energies.append(change(q, k, None, noise=noise, **place).energy.mean().item())  # pyright: ignore[reportArgumentType]
    return energies[0] / energies[1]


@claim(
    "nyu.1f",
    REFUTED,
    document={"columns": frozenset(range(1, N + 1)), "ratio": lambda m, n: (1.0, math.inf)},
    twin={"ratio": lambda m, n: (0.9 * n / m, 1.1 * n / m)},
    chart=lambda: draw_moved("query"),
    view=View(
        "playground", "Move a query, and see which weights move", {"noise": NOISE | {"on": "query"}, "deeper": True}
    ),
)
def noisy_query(
    columns: frozenset[int] = frozenset({NOISY}),
    slope: Callable[[Tensor, Tensor, Tensor], Tensor] = lambda a, K, noise: (
        softmax_jacobian(weights=a, beta=BETA) @ K.T @ noise
    ),
    ratio: Callable[[int, int], tuple[float, float]] = lambda m, n: (0.9 * m / n, 1.1 * m / n),
) -> Findings:
    """Measure which columns noise on a query moves, their first order in three ways, and the energies."""
    Q, K, _, noise = problem()
    found, by_key = perturb("query"), perturb("key")
    moved, by_key_moved = ({query + 1 for query in range(N) if x.moved[0, 0, query].any()} for x in (found, by_key))
    outputs = {query + 1 for query in range(N) if found.outputs_moved[0, 0, query]}
    yield Finding(
        "which columns move",
        moved == outputs == columns,
        f"noise on query {NOISY} moves {len(moved)} of {N} columns and {len(outputs)} output "
        f"(noise on key {NOISY}: {len(by_key_moved)} columns); stated {len(columns)}",
    )
    said = slope(found.before[0, 0, ROW], K, noise)
    difference = perturb("query", SMALL).change[0, 0, ROW] / SMALL
    yield equals(f"finite difference at ε = {SMALL:.0e}", difference, said, 1e-4)
    exact = weights_jacobian(rows(Q), rows(K), ATTENTION)[0, 0, ROW, :, 0, 0, ROW] @ noise
    both = torch.stack((exact, found.first_order[0, 0, ROW]))
    yield equals("the first order by autograd and by perturb_query", both, said.expand(2, -1), 1e-12)
    yield equals("the weights after it by perturb_query's closed form", found.after, found.predicted, 1e-12)
    for keys in (QUERIES, 4 * QUERIES, QUERIES // 4):
        (low, high), energy = ratio(keys, QUERIES), energy_ratio(keys, QUERIES)
        shown = f"m = {keys}, n = {QUERIES}: a query's noise brings {energy:.2f} times a key's energy "
        shown += f"(m/n = {keys / QUERIES:g}; stated {low:.2f} to {'∞' if high == math.inf else f'{high:.2f}'})"
        yield Finding(f"energies at m = {keys}, n = {QUERIES}", low < energy < high, shown)
