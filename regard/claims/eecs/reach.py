"""Question 2a: how far argmax attention reaches."""

import functools
from collections.abc import Callable

import torch

from regard.algorithms import attend, weights
from regard.analysis import argmax_bound, argmax_reach
from regard.analysis.reach.argmax_graphs import ArgmaxDepth, count_reached
from regard.attention import Attention, Hard
from regard.claims.chart import Lines
from regard.claims.claim import CORRECTED, Finding, Findings, View, claim

SIZES = [(1, 3), (2, 3), (3, 2), (4, 2), (1, 6)]  # heads, layers
WIDE = 1000
Field = Callable[[int, int, int], int]  # tokens that reach an output, of k heads, n layers and N tokens


@functools.cache
def reached(N: int, k: int, n: int) -> ArgmaxDepth:
    """After the last layer, over 16 random patterns too."""
    return argmax_reach(N, k, n).depths[-1]


def draw_growth() -> Lines:
    """Receptive field growth: the bound, the pattern that attains it, random patterns."""
    k, N, depth = 2, 2000, 9
    depths = argmax_reach(N, k, depth).depths
    return Lines(
        title=f"Tokens that reach an output, {k} argmax heads, {N:,} tokens",
        x=[at.layers for at in depths],
        y={
            "(k+1)ⁿ": [(k + 1) ** at.layers for at in depths],
            "widest pattern": [at.widest for at in depths],
            "random patterns": [at.mean for at in depths],
        },
        x_label="layers",
        y_label="tokens",
        log_y=True,
        bands={"random patterns": ([at.fewest for at in depths], [at.most for at in depths])},
    )


@claim(
    "eecs.2a",
    CORRECTED,
    document={"most": lambda k, n, N: (k + 1) ** n, "fewest": lambda k, n, N: (k + 1) ** n},
    twin={"most": lambda k, n, N: min(N, k**n)},
    chart=draw_growth,
    view=View("patterns", "See a receptive field grow", {"mask": "window(1)", "layers": 6, "tokens": 100}),
)
def receptive_field(most: Field = lambda k, n, N: min(N, (k + 1) ** n), fewest: Field = lambda k, n, N: 1) -> Findings:
    """The most against the widest graph and random ones, then the two ends that a formula in k and n leaves out."""
    for k, n, N in [*[(k, n, WIDE) for k, n in SIZES], (2, 6, 100)]:
        widest, stated = reached(N, k, n).widest, most(k, n, N)
        but = "" if widest == stated else f", not {stated:,}"
        shown = f"{k} head{'s' * (k > 1)}, {n} layers, {N:,} tokens: the widest pattern reaches {widest:,}{but}"
        yield Finding(f"widest of {N}", widest == stated, shown, detail=N < WIDE)
    over = sum(reached(WIDE, k, n).most > most(k, n, WIDE) for k, n in SIZES)
    shown = f"16 random patterns reach more than stated at {over} of {len(SIZES)} sizes"
    yield Finding("random", not over, shown)
    sizes = [(k, n, N) for k, n in SIZES for N in (10, WIDE)]
    right = sum(argmax_bound(k, n, N) == reached(N, k, n).widest for k, n, N in sizes)
    shown = f"the library's bound is attained at {right} of {len(sizes)} sizes, N = 10 and {WIDE:,}"
    yield Finding("bound", right == len(sizes), shown)
    yield compare_gradients()
    k, n = 2, 6
    own = [torch.arange(WIDE).expand(k, WIDE)] * n  # heads that choose their own token
    at = reached(WIDE, k, n)
    found = min(at.fewest, int(count_reached(own)[-1].min()))
    drawn = f"random ones {at.fewest} to {at.most}, {at.mean:.0f} in the mean, of {at.bound}"
    shown = f"{k} heads, {n} layers: heads that choose themselves reach {found}, {drawn}"
    yield Finding("fewest", found == fewest(k, n, WIDE), shown, detail=True)


def compare_gradients() -> Finding:
    """Hard attention with residuals itself: the inputs that an output has a gradient to are those of its graph."""
    N, k, n = 40, 2, 3
    source = torch.Generator().manual_seed(0)
    x = torch.ones(1, 1, N, 1, dtype=torch.float64, requires_grad=True)
    hard, y, graph = Attention(weighting=Hard()), x, []
    for _ in range(n):
        q, key = (torch.randn(1, k, N, 4, generator=source, dtype=torch.float64) for _ in range(2))
        graph.append(weights(q, key, hard)[0].argmax(-1))
        y = y + attend(q, key, y.expand(1, k, N, 1), hard).sum(1, keepdim=True)  # all positive: nothing cancels
    gradients = [torch.autograd.grad(y[0, 0, i, 0], x, retain_graph=True)[0] for i in range(N)]
    counts = [int(gradient.count_nonzero()) for gradient in gradients]
    same = counts == count_reached(graph)[-1].tolist()
    shown = f"gradients through {n} layers of {k} real argmax heads reach {min(counts)} to {max(counts)} tokens, as "
    return Finding("real heads", same, f"{shown}{'' if same else 'not '}by following their choices")
