"""Question 1: what noise on one key, or on one query, does to the weights and the outputs."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.analysis import Perturbation, perturb_key, perturb_query, reweight, softmax_jacobian, weights_jacobian
from regard.attention import Attention, Content
from regard.claims.chart import Lines, Matrices
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import equals, mean
from regard.claims.nyu.columns import drawn, logits, rows

BETA = 0.6
SIZE = 6  # of everything in the figures
LETTERS = {
    "K, Q, V": "keys, queries, values: one in each of m, n, m columns",
    "a": "the weights of one query, a column of A",
    "β": "the factor of the logits",
    "ε": "the noise, added to key i or to query i",
    "t": "what it adds to a logit",
}


@dataclass(frozen=True)
class KeyNoise:
    """What noise on key i changes, for each query q: the logits, the weights after, and which of the m × n move."""

    logits: Callable[[Tensor, int, int], Tensor]  # of t (n,), i and m: the change, m × n
    weights: Callable[[Tensor, Tensor, int], Tensor]  # of A (m × n), t and i: the new A
    slope: Callable[[Tensor, Tensor, int], Tensor]  # of the same: the change of A to first order
    moved: Callable[[int, int, int], Tensor]  # of m, n and i: a map of m × n


def problem(m: int, n: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Q, K, V and the noise ε, tokens as columns."""
    return drawn(4, n, seed=11), drawn(4, m, seed=12), drawn(m, m, seed=13), drawn(4, seed=14)


def noisy_key(stated: KeyNoise) -> Sequence[Finding]:
    """Logits, weights and what moved, measured with noise on key 2; and the first order by finite differences."""
    m, n, i = 6, 5, 2
    Q, K, V, noise = problem(m, n)
    found = perturb_key(rows(Q), rows(K), rows(V), Attention(Content(BETA)), key=i, noise=noise)
    A, after, t = found.before[0, 0].T, found.after[0, 0].T, BETA * noise @ Q
    K_noisy = K.clone()
    K_noisy[:, i] += noise
    shift = logits(Q, K_noisy, BETA) - logits(Q, K, BETA)
    touched = int((shift.abs() > 1e-12).sum(0).max())
    said = stated.logits(t, i, m)
    moves = (reweight(A.T, said.T).T - A).abs().max().item()
    count, promised = int(found.moved.sum()), stated.moved(m, n, i)
    small = perturb_key(rows(Q), rows(K), None, Attention(Content(BETA)), key=i, noise=1e-6 * noise)
    slope = small.change[0, 0].T / 1e-6
    outputs = int(found.outputs_moved.sum())
    return [
        Finding(
            "which weights move",
            found.moved[0, 0].T.equal(promised),
            f"noise on key {i}: {count} of {m * n} weights and {outputs} of {n} outputs move; "
            f"stated {int(promised.sum())} weights",
        ),
        Finding(
            "the logits",
            bool((shift - said).abs().max() < 1e-12),
            f"noise on key {i} changes {touched} logit of each query's {m}; "
            f"stated {int((said != 0).sum(0).max())}, which moves the weights by {moves:.1g}",
        ),
        equals("the weights after it", after, stated.weights(A, t, i), 1e-12),
        equals("finite difference of the map at ε = 1e-6", slope, stated.slope(A, t, i), 1e-4),
    ]


def closed(A: Tensor, t: Tensor, i: int) -> Tensor:
    """`a_i e^t / (1 − a_i + a_i e^t)` for key i, `a_j / (…)` for the others."""
    new = A.clone()
    new[i] *= t.exp()
    return new / (1 - A[i] + A[i] * t.exp())


def at_key(t: Tensor, i: int, m: int) -> Tensor:
    """The numbers t in row i, zeros elsewhere."""
    return torch.zeros(m, len(t), dtype=t.dtype).index_fill(0, torch.tensor([i]), 1) * t


def alone(A: Tensor, new: Tensor, i: int) -> Tensor:
    """Row i of the new map, all else as before."""
    return torch.where(torch.arange(len(A))[:, None] == i, new, A)


def first_order(A: Tensor, t: Tensor, i: int) -> Tensor:
    """`t·a_i(e_i − a)` in every column."""
    return t * A[i] * (at_key(torch.ones_like(t), i, len(A)) - A)


@dataclass(frozen=True)
class Drift:
    """Mean and spread of `a_i' − a_i` under noise of mean zero, by a_i and the variance of t."""

    mean: Callable[[float, float], float]
    spread: Callable[[float, float], float]


SHARES = (0.15, 0.4, 0.85)
VARIANCE = 0.04  # of t: the formulas are the first terms of series in it
PAIRS = 10_000


@functools.cache
def noisy(share: float) -> tuple[Perturbation, Tensor]:
    """Draws ±ε on key 0, whose weight is `share`, and all values; the others share the rest."""
    q, others = drawn(1, 1, 1, 4, seed=21), torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
    shares = torch.cat((torch.tensor([share], dtype=torch.float64), (1 - share) * others))
    k = shares.log()[:, None] * q[0, 0] / (BETA * q.square().sum())  # so that β·qᵀk is the logarithm of the share
    noise = drawn(PAIRS, 1, 4, seed=22) * math.sqrt(VARIANCE) / (BETA * q.norm())
    v = drawn(1, 1, 4, 3, seed=23)
    both = torch.cat((noise, -noise))
    q, k, v = q.expand(len(both), -1, -1, -1), k.expand(len(both), 1, -1, -1), v.expand(len(both), -1, -1, -1)
    return perturb_key(q, k, v, Attention(Content(BETA)), key=0, noise=both), v[0, 0]


def measured(share: float) -> Tensor:
    """`a_i' − a_i`, the mean over ±ε: pairs in place of single draws, so that what is odd in ε drops out."""
    change = noisy(share)[0].change[:, 0, 0, 0]
    return (change[:PAIRS] + change[PAIRS:]) / 2


def averages(stated: Drift) -> Sequence[Finding]:
    """The mean over draws against the stated one, and the size of one draw's change."""
    findings = []
    for share in SHARES:
        drawn_mean, said = mean(measured(share)), stated.mean(share, VARIANCE)
        verb = "contains" if drawn_mean.admits(said) else "leaves out"
        shown = f"a_i = {share}: E[a_i′] − a_i = {drawn_mean} (99 %, {PAIRS:,} pairs ±ε) {verb} {said:.3g}"
        findings.append(Finding(f"the mean at a_i = {share}", drawn_mean.admits(said), shown))
        found, v = noisy(share)
        one, said = found.change[:PAIRS, 0, 0, 0].std().item(), stated.spread(share, VARIANCE)
        shown = f"a_i = {share}: one draw moves a_i by {one:.4f} (root mean square), stated {said:.4f}"
        findings.append(Finding(f"one draw at a_i = {share}", abs(one - said) <= 0.05 * one, shown))
        assert found.output_before is not None
        lever = (v[0] - found.output_before[0, 0, 0]).norm().item() / (1 - share)
        output = found.output_change[:PAIRS].square().sum(-1).mean().sqrt().item()
        shown = f"a_i = {share}: one draw moves h by {output:.4f} (root mean square), stated {said * lever:.4f}"
        findings.append(Finding(f"the output at a_i = {share}", abs(output - said * lever) <= 0.05 * output, shown))
    return findings


def drift_chart() -> Lines:
    shares = [0.05 + 0.1 * step for step in range(10)]
    means = [mean(measured(share)) for share in shares]
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


def drift(a: float, variance: float) -> float:
    return variance / 2 * a * (1 - a) * (1 - 2 * a)


@dataclass(frozen=True)
class QueryNoise:
    """What noise on query i changes: which columns, by how much to first order, and against noise on a key."""

    columns: Callable[[int, int], set[int]]  # of n and i
    slope: Callable[[Tensor, Tensor, Tensor], Tensor]  # of column a, of K and of ε: its change over ε → 0
    ratio: Callable[[int, int], tuple[float, float]]  # of m and n: energy by a query's noise over a key's, from … to


NUM_QUERIES = 8
DRAWS = 600


@functools.cache
def ratio(m: int, n: int) -> float:
    """The mean energy that noise on a query brings to the map, over that of equal noise on a key."""
    energies = []
    for perturb, place, seed in ((perturb_query, {"query": 0}, 31), (perturb_key, {"key": 0}, 32)):
        q, k = drawn(DRAWS, 1, n, 64, seed=seed), drawn(DRAWS, 1, m, 64, seed=seed + 2)
        noise = 0.05 * drawn(DRAWS, 1, 64, seed=seed + 4)
        energies.append(perturb(q, k, None, noise=noise, **place).energy.mean().item())  # pyright: ignore[reportArgumentType]
    return energies[0] / energies[1]


def noisy_query(stated: QueryNoise) -> Sequence[Finding]:
    """Which columns move, their first order by finite differences and by autograd, and the energies."""
    m, n, i = 6, 5, 2
    Q, K, V, noise = problem(m, n)
    attention = Attention(Content(BETA))
    found = perturb_query(rows(Q), rows(K), rows(V), attention, query=i, noise=noise)
    moved = {column for column in range(n) if found.moved[0, 0, column].any()}
    by_key = perturb_key(rows(Q), rows(K), None, attention, key=i, noise=noise)
    others = {column for column in range(n) if by_key.moved[0, 0, column].any()}
    said = stated.columns(n, i)
    small = perturb_query(rows(Q), rows(K), None, attention, query=i, noise=1e-6 * noise)
    slope = stated.slope(found.before[0, 0, i], K, noise)
    exact = weights_jacobian(rows(Q), rows(K), attention)[0, 0, i, :, 0, 0, i] @ noise
    findings = [
        Finding(
            "which columns move",
            moved == said,
            f"noise on query {i} moves {len(moved)} of {n} columns (noise on key {i}: {len(others)}); "
            f"stated {len(said)}",
        ),
        equals("finite difference at ε = 1e-6", small.change[0, 0, i] / 1e-6, slope, 1e-4),
        equals("derivative by autograd", exact, slope, 1e-12),
    ]
    for keys in (NUM_QUERIES, 4 * NUM_QUERIES, NUM_QUERIES // 4):
        low, high = stated.ratio(keys, NUM_QUERIES)
        energy = ratio(keys, NUM_QUERIES)
        shown = f"m = {keys}, n = {NUM_QUERIES}: a query's noise brings {energy:.2f} times a key's energy "
        shown += f"(m/n = {keys / NUM_QUERIES:g}; stated {low:.2f} to {'∞' if high == math.inf else f'{high:.2f}'})"
        findings.append(Finding(f"energies at m = {keys}, n = {NUM_QUERIES}", low < energy < high, shown))
    return findings


def query_slope(a: Tensor, K: Tensor, noise: Tensor) -> Tensor:
    """`β(diag a − aaᵀ)Kᵀε`."""
    return softmax_jacobian(weights=a, beta=BETA) @ K.T @ noise


def moved_chart(perturb: Callable[..., Perturbation], side: str) -> Matrices:
    """The change of the map and of the outputs, a column for each query."""
    Q, K, V, noise = problem(SIZE, SIZE)
    found = perturb(rows(Q), rows(K), rows(V), Attention(Content(BETA)), noise=noise, **{side: 2})
    panels = {"weights, A′ − A": found.change, "outputs, H′ − H": found.output_change}
    return Matrices(
        title=f"What noise on {side} 2 moves, each panel over its largest change",
        panels={name: (x[0, 0].T / x.abs().max()).tolist() for name, x in panels.items()},
        row_label="key, or output entry",
        column_label="query",
        signed=True,
    )


CLAIMS = (
    Claim(
        id="nyu.1e",
        title="Noise on a key: what changes",
        texts=Texts(
            asks="Noise ε is added to key i. Which logits, which weights and which outputs change, and how?",
            derivation="The logits of a query are $\\beta k_j^\\top q$, so only the $i$-th changes, by $t = \\beta "
            "\\epsilon^\\top q$. Adding $t$ to *all* logits, as in $K^\\top q + \\epsilon^\\top q$, would change "
            "nothing: the softmax drops a constant.\n\n"
            "The weights share one normaliser $Z = \\sum_j e^{s_j}$, which becomes $Z (1 - a_i + a_i e^t)$. So "
            "*every* weight changes, $a_i' = a_i e^t / (1 - a_i + a_i e^t)$ and $a_j' = a_j / (1 - a_i + a_i e^t)$."
            "\n\n"
            "To first order $\\Delta a = \\beta (\\epsilon^\\top q) \\, a_i (e_i - a)$, column $i$ of the softmax's "
            "Jacobian. This is so for every query with $\\epsilon^\\top q \\neq 0$, so all outputs change.",
            quantities=LETTERS,
            method="float64, m = 6, n = 5, noise on key 2: formula within 1e-12, differences at ε = 1e-6 within 1e-4",
            code=(
                "regard.analysis.sensitivity.perturbation:perturb_key",
                "regard.analysis.sensitivity.perturbation:reweight",
            ),
        ),
        document=Version(
            "the logits become Kᵀq + εᵀq, and only the attention to key i changes",
            r"K^\top q + \epsilon^\top q",
            KeyNoise(
                lambda t, i, m: t.expand(m, -1),
                lambda A, t, i: alone(A, closed(A, t, i), i),
                lambda A, t, i: alone(torch.zeros_like(A), first_order(A, t, i), i),
                lambda m, n, i: (torch.arange(m) == i)[:, None].expand(m, n),
            ),
        ),
        ours=Version(
            "logit i of every query changes by t = βεᵀq, and with the normaliser all its weights",
            r"a_i' = \frac{a_i e^t}{1 - a_i + a_i e^t}, \quad a_j' = \frac{a_j}{1 - a_i + a_i e^t}",
            KeyNoise(at_key, closed, first_order, lambda m, n, i: torch.ones(m, n, dtype=torch.bool)),
        ),
        twin=Version(
            "all weights change, with the normaliser 1 + a_i e^t",
            r"a_i' = \frac{a_i e^t}{1 + a_i e^t}, \quad a_j' = \frac{a_j}{1 + a_i e^t}",
            KeyNoise(
                at_key,
                lambda A, t, i: closed(A, t, i) * (1 - A[i] + A[i] * t.exp()) / (1 + A[i] * t.exp()),
                first_order,
                lambda m, n, i: torch.ones(m, n, dtype=torch.bool),
            ),
        ),
        check=noisy_key,
        expected=Verdict.REFUTED,
        chart=lambda: moved_chart(perturb_key, "key"),
    ),
    Claim(
        id="nyu.1e2",
        title="Noise on a key: on the average",
        texts=Texts(
            asks="The noise on key i has mean zero. Do the weights and the output hardly change because of that?",
            derivation="A law of large numbers is about means of many draws; an input has one. One draw moves the "
            "weight by about $t a_i (1 - a_i)$, of root mean square $\\sigma_t a_i (1 - a_i)$ with $\\sigma_t^2 = "
            "\\beta^2 \\operatorname{Var}(\\epsilon^\\top q)$, and the output by exactly $\\Delta h = \\Delta a_i "
            "(v_i - h) / (1 - a_i)$.\n\n"
            "The mean moves too, as the weight is a curved function of the noise: $a_i'(t)$ is the logistic function, "
            "whose second derivative at 0 is $a_i (1 - a_i)(1 - 2 a_i)$. With $E[t] = 0$, $E[a_i'] - a_i = \\frac12 "
            "\\sigma_t^2 a_i (1 - a_i)(1 - 2 a_i) + O(\\sigma_t^4)$: up below one half, down above it.",
            quantities=LETTERS | {"σ_t": "standard deviation of t = βεᵀq", "h": "the query's output, h = Σ a_j v_j"},
            method=f"Monte-Carlo, {PAIRS:,} pairs ±ε of normal noise with Var(t) = {VARIANCE}, 99 % intervals for the "
            "mean; root mean squares within 5 %",
            code=("regard.analysis.sensitivity.perturbation:perturb_key",),
        ),
        document=Version(
            "noise of mean zero hardly changes the weights and the output",
            r"E[a_i'] = a_i",
            Drift(lambda a, variance: 0.0, lambda a, variance: 0.0),
        ),
        ours=Version(
            "one draw moves a_i by σ_t·a_i(1 − a_i), the mean moves by ½σ_t²·a_i(1 − a_i)(1 − 2a_i)",
            r"E[a_i'] - a_i \approx \frac12 \beta^2 \operatorname{Var}(\epsilon^\top q)\, a_i (1 - a_i)(1 - 2a_i)",
            Drift(drift, lambda a, variance: math.sqrt(variance) * a * (1 - a)),
        ),
        twin=Version(
            "the mean moves by ½σ_t²·a_i(1 − a_i)",
            r"E[a_i'] - a_i \approx \frac12 \beta^2 \operatorname{Var}(\epsilon^\top q)\, a_i (1 - a_i)",
            Drift(
                lambda a, variance: variance / 2 * a * (1 - a), lambda a, variance: math.sqrt(variance) * a * (1 - a)
            ),
        ),
        check=averages,
        expected=Verdict.REFUTED,
        chart=drift_chart,
    ),
    Claim(
        id="nyu.1f",
        title="Noise on a query, against noise on a key",
        texts=Texts(
            asks="Noise ε is added to query i. How much of the attention matrix changes: more than by noise on a key?",
            derivation="Query $i$ enters the logits of column $i$ alone, which change by $\\beta K^\\top \\epsilon$. "
            "So one column of $A$ and one output change, to first order by $\\beta (\\operatorname{diag} a - a "
            "a^\\top) K^\\top \\epsilon$. Noise on a key reaches *every* column.\n\n"
            "How large is the change? Let $J = \\operatorname{diag} a - a a^\\top$ and let keys, queries and noise "
            "have independent entries of variance 1, 1 and $\\sigma^2$. A query's noise brings the energy $\\beta^2 "
            "\\lVert J K^\\top \\epsilon \\rVert^2 \\approx \\beta^2 \\sigma^2 d \\lVert J \\rVert_F^2$. A key's "
            "noise brings $\\beta^2 (\\epsilon^\\top q)^2 \\lVert J e_i \\rVert^2$ in each of $n$ columns, and a "
            "column of $J$ has on the average $1/m$ of $\\lVert J \\rVert_F^2$: together $\\beta^2 \\sigma^2 d \\, "
            "\\frac{n}{m} \\lVert J \\rVert_F^2$. The ratio is $m / n$: equal for as many keys as queries.",
            quantities=LETTERS | {"m, n": "numbers of keys and queries"},
            method=f"float64; differences at ε = 1e-6 within 1e-4, autograd 1e-12; energies: {DRAWS} draws at d = 64, "
            "n = 8 and m = 8, 32, 2, the ratio within 10 % of m/n",
            code=(
                "regard.analysis.sensitivity.perturbation:perturb_query",
                "regard.analysis.sensitivity.jacobians:weights_jacobian",
            ),
        ),
        document=Version(
            "the whole matrix changes, and more than by noise on a key",
            r"\Delta A\ \text{full},\quad \lVert \Delta A_q \rVert > \lVert \Delta A_k \rVert",
            QueryNoise(lambda n, i: set(range(n)), query_slope, lambda m, n: (1.0, math.inf)),
        ),
        ours=Version(
            "column i changes, by β(diag a − aaᵀ)Kᵀε to first order; the energy is about m/n of a key's",
            r"\Delta a = \beta (\operatorname{diag} a - a a^\top) K^\top \epsilon, \quad \text{ratio} \approx m/n",
            QueryNoise(lambda n, i: {i}, query_slope, lambda m, n: (0.9 * m / n, 1.1 * m / n)),
        ),
        twin=Version(
            "column i changes; the energy is about n/m of a key's",
            r"\text{ratio} \approx n/m",
            QueryNoise(lambda n, i: {i}, query_slope, lambda m, n: (0.9 * n / m, 1.1 * n / m)),
        ),
        check=noisy_query,
        expected=Verdict.REFUTED,
        chart=lambda: moved_chart(perturb_query, "query"),
    ),
)
