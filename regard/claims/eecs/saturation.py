"""Question 1a: why the logits are divided by √d."""

import functools
import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from regard.algorithms import attend, weights
from regard.analysis.sensitivity.jacobians import saturation, softmax_jacobian
from regard.attention import Attention, Content
from regard.claims.chart import Lines
from regard.claims.claim import CORRECTED, Finding, Findings, View, claim
from regard.claims.findings import equals, mean, means

KEYS, SHARP = 10, 0.9
DRAWN, TURNED = (16, 64), (256, 1024, 4096, 16384)
WIDTHS = DRAWN + TURNED
UNSCALED = Attention(Content(beta=1.0))


@functools.cache
def squared_logits(d: int, attention: Attention) -> Tensor:
    """Of independent standard normal q and k: with one key the log-sum-exp is the logit."""
    source = torch.Generator().manual_seed(d)
    q, k = (torch.randn(20_000, 1, 1, d, generator=source) for _ in range(2))
    return attend(q, k, k[..., :1], attention, return_lse=True)[1].square()


@functools.cache
def largest(d: int, *, scaled: bool = False) -> Tensor:
    """The largest of ten weights, drawn many times.

    For wide d the axes are turned so that q lies on the first: the logits are then |q| times one coordinate of each
    key, which is the same distribution exactly.
    """
    source = torch.Generator().manual_seed(d)
    if d in DRAWN:
        q, k = (torch.randn(5_000, 1, n, d, generator=source) for n in (1, KEYS))
    else:
        lengths = np.sqrt(np.random.default_rng(d).chisquare(d, 100_000))
        q = torch.tensor(lengths, dtype=torch.float32).view(-1, 1, 1, 1)
        k = torch.randn(100_000, 1, KEYS, 1, generator=source)
    beta = 1 / math.sqrt(d) if scaled else 1.0
    return weights(q, k, Attention(Content(beta=beta))).amax(-1).flatten()


def saturated(n: int) -> tuple[Tensor, Tensor]:
    """Weights with the largest 1 − ε and the rest shared at random, or all on one key; and ε."""
    source = torch.Generator().manual_seed(n)
    eps = torch.logspace(-6, -1, 60, dtype=torch.float64)
    share = torch.rand(60, n - 1, generator=source, dtype=torch.float64) ** 8
    share[::2] = torch.eye(n - 1, dtype=torch.float64)[0]
    return torch.cat((1 - eps[:, None], eps[:, None] * share / share.sum(1, keepdim=True)), 1), eps


def draw_probability() -> Lines:
    """Saturation against d."""
    soft = [mean(largest(d) < SHARP) for d in WIDTHS]
    return Lines(
        title="How often ten keys share: P(a_max < 0.9)",
        x=WIDTHS,
        y={
            "unscaled": [m.value for m in soft],
            "3.38/√d": [min(1.0, 3.38 / math.sqrt(d)) for d in WIDTHS],
            "divided by √d": [mean(largest(d, scaled=True) < SHARP).value for d in WIDTHS],
        },
        x_label="d",
        y_label="probability",
        log_x=True,
        log_y=True,
        bands={"unscaled": ([m.value - m.half for m in soft], [m.value + m.half for m in soft])},
    )


@claim(
    "eecs.1a",
    CORRECTED,
    document={"soft": lambda d: 0.0, "rough": lambda d: 0.0, "bound": lambda n, eps: (n * eps) ** 2},
    twin={"variance": math.sqrt, "bound": lambda n, eps: eps**2},
    chart=draw_probability,
    view=View("playground", "See the softmax without its scale", {"beta": 1.0}),
)
def collapse(
    variance: Callable[[int], float] = lambda d: d,
    scaled: float = 1.0,
    soft: Callable[[int], float] = lambda d: 3.38 / math.sqrt(d),
    rough: Callable[[int], float] = lambda d: 3 / math.sqrt(d),
    bound: Callable[[int, float], float] = lambda n, eps: 4 * eps**2,
) -> Findings:
    """Variance and bound, then the two things that the review leaves out.

    Stated are the variance of a logit and of one divided by √d, P(a_max < 0.9) for ten keys up to 5 % from d = 256 on
    and up to 15 % from d = 16 on, and a bound of ‖J‖² for n keys and ε = 1 − a_max.
    """
    for d in (*DRAWN, 256):
        yield means(f"variance of a logit at d = {d}", squared_logits(d, UNSCALED), variance(d))
    for d in DRAWN:
        yield means(f"variance of a logit as the library scales it at d = {d}", squared_logits(d, Attention()), scaled)
    shares = []
    for n in (2, KEYS, 100):
        a, eps = saturated(n)
        bounds = torch.tensor([bound(n, e) for e in eps.tolist()], dtype=torch.float64)
        shares.append(softmax_jacobian(weights=a).square().sum((1, 2)) / bounds)
    worst = max(share.max().item() for share in shares)
    shown = f"‖J‖² is at most {100 * worst:.4g} % of its bound over 180 saturated softmaxes of 2, 10 and 100 keys"
    yield Finding("bound", worst <= 1, shown)
    for d in TURNED:
        drawn, stated = mean(largest(d) < SHARP), soft(d)
        holds = abs(drawn.value - stated) <= drawn.half + 0.05 * drawn.value
        shown = f"P(a_max < 0.9) at d = {d:,}: {drawn} (99 %, {drawn.draws:,} draws), stated {stated:.3g}"
        yield Finding(f"soft at {d}", holds, shown, detail=True)
    found = {d: mean(largest(d) < SHARP).value for d in WIDTHS}
    off = {d: abs(rough(d) / value - 1) for d, value in found.items()}
    d = max(off, key=lambda d: off[d])
    narrow = ", ".join(f"{found[d] * math.sqrt(d):.2f} at {d}" for d in DRAWN)
    told = f"stated {rough(d) * math.sqrt(d):.3g}, at most {100 * off[d]:.0f} % off at {len(WIDTHS)} widths (d = {d:,})"
    shown = f"√d·P(a_max < 0.9) is {narrow}; {told}"
    yield Finding("at every width", off[d] <= 0.15, shown, detail=True)
    yield compare_limit(soft)
    best = shares[1].max().item()
    shown = f"for {KEYS} keys the bound is {1 / best:.3g} times the largest ‖J‖² there is"
    yield Finding("sharp", best > 0.95, shown, detail=True)
    yield from compare_traces()


def compare_limit(soft: Callable[[int], float]) -> Finding:
    """The constant that √d·P tends to, by the density of the gap between the two largest of ten normals at zero."""
    import mpmath

    gap = mpmath.quad(lambda x: mpmath.npdf(x) ** 2 * mpmath.ncdf(x) ** (KEYS - 2), [-8, 0, 2, 8])
    true, stated = float(KEYS * (KEYS - 1) * gap * mpmath.log(9)), soft(1 << 40) * (1 << 20)
    return Finding("limit", abs(true - stated) < 0.005, f"√d·P → {true:.4f} as d → ∞, stated {stated:.3g}", detail=True)


def compare_traces() -> Findings:
    """‖J‖ ≤ 1 − Σa² ≤ 2ε, of drawn logits too; there the Jacobian, its norm and its trace against their definitions."""
    source = torch.Generator().manual_seed(3)
    logits = torch.randn(2_000, KEYS, generator=source, dtype=torch.float64) * 8
    drawn = saturation(logits)
    found = [drawn, *(saturation(weights=saturated(n)[0]) for n in (2, 10, 100))]
    slack = 1 + 1e-12
    holds = all(bool(((s.jacobian <= s.trace * slack) & (s.trace <= s.bound * slack)).all()) for s in found)
    yield Finding("trace", holds, f"‖J‖ ≤ 1 − Σa² ≤ 2ε {'in all' if holds else 'not in all'} of 2,180 softmaxes")
    a = torch.softmax(logits, 1)
    J = torch.diag_embed(a) - a[:, :, None] * a[:, None, :]
    yield equals("J of 2,000 of them, against diag(a) − aaᵀ", softmax_jacobian(logits), J, 1e-12)
    sizes = torch.stack((J.flatten(1).norm(dim=1), 1 - a.square().sum(1), 2 - 2 * a.amax(1)))
    yield equals("‖J‖, 1 − Σa² and 2ε of them", torch.stack((drawn.jacobian, drawn.trace, drawn.bound)), sizes, 1e-12)
