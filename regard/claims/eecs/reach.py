"""Question 2a: how far argmax attention reaches."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.algorithms import attend, weights
from regard.analysis import argmax_bound, argmax_reach
from regard.analysis.reach.argmax_graphs import ArgmaxDepth, count_reached
from regard.attention import Attention, Hard
from regard.claims.chart import Lines
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version

SIZES = [(1, 3), (2, 3), (3, 2), (4, 2), (1, 6)]  # heads, layers
WIDE = 1000


@dataclass(frozen=True)
class Field:
    """How many tokens reach an output of n layers of k argmax heads over N tokens: the most and the fewest."""

    most: Callable[[int, int, int], int]  # of k, n, N
    fewest: Callable[[int, int, int], int]


def field(said: Field) -> Sequence[Finding]:
    """The most against the widest graph and random ones, then the two ends that a formula in k and n leaves out."""
    return [
        *(attained(said, WIDE, k, n) for k, n in SIZES),
        exceeded(said),
        law(),
        real(),
        attained(said, 100, 2, 6, detail=True),
        reached_always(said),
    ]


@functools.cache
def reached(N: int, k: int, n: int) -> ArgmaxDepth:
    """After the last layer, over 16 random patterns too."""
    return argmax_reach(N, k, n).depths[-1]


def attained(said: Field, N: int, k: int, n: int, *, detail: bool = False) -> Finding:
    """The stated most against the graph that is built to reach as far as any."""
    widest, stated = reached(N, k, n).widest, said.most(k, n, N)
    heads = f"{k} head{'s' * (k > 1)}, {n} layers, {N:,} tokens"
    but = "" if widest == stated else f", not {stated:,}"
    shown = f"{heads}: the widest pattern reaches {widest:,}{but}"
    return Finding(f"widest of {N}", widest == stated, shown, detail)


def exceeded(said: Field) -> Finding:
    """No random graph reaches further than stated."""
    over = [(k, n) for k, n in SIZES if reached(WIDE, k, n).most > said.most(k, n, WIDE)]
    shown = f"no output of 80 random patterns reaches more than stated, over {len(SIZES)} sizes"
    if over:
        k, n = over[0]
        reach = reached(WIDE, k, n).most
        shown = f"{k} heads, {n} layers: an output of a random pattern reaches {reach}, not {said.most(k, n, WIDE)}"
    return Finding("random", not over, shown)


def law() -> Finding:
    """The library's formula of the bound against the counts on the widest pattern."""
    sizes = [(k, n, N) for k, n in SIZES for N in (10, WIDE)]
    wrong = [(k, n, N) for k, n, N in sizes if argmax_bound(k, n, N) != reached(N, k, n).widest]
    shown = f"the library's bound is attained at {len(sizes) - len(wrong)} of {len(sizes)} sizes, N = 10 and {WIDE:,}"
    return Finding("bound", not wrong, shown)


def real() -> Finding:
    """Hard attention with residuals itself: the inputs that an output has a gradient to are those of its graph."""
    N, k, n = 40, 2, 3
    source = torch.Generator().manual_seed(0)
    x = torch.ones(1, 1, N, 1, dtype=torch.float64, requires_grad=True)
    hard, y, graph = Attention(weighting=Hard()), x, []
    for _ in range(n):
        q, key = (torch.randn(1, k, N, 4, generator=source, dtype=torch.float64) for _ in range(2))
        graph.append(weights(q, key, hard)[0].argmax(-1))
        y = y + attend(q, key, y.expand(1, k, N, 1), hard).sum(1, keepdim=True)  # all positive: nothing cancels
    counts = [gradient_reach(y[0, 0, i, 0], x) for i in range(N)]
    same = counts == count_reached(graph)[-1].tolist()
    shown = f"gradients through {n} layers of {k} real argmax heads reach {min(counts)} to {max(counts)} tokens, as "
    return Finding("real heads", same, f"{shown}{'' if same else 'not '}by following their choices")


def gradient_reach(output: Tensor, x: Tensor) -> int:
    (gradient,) = torch.autograd.grad(output, x, retain_graph=True)
    return int(gradient.count_nonzero())


def reached_always(said: Field) -> Finding:
    """The fewest: heads that choose their own token, and random ones."""
    k, n = 2, 6
    own = [torch.arange(WIDE).expand(k, WIDE)] * n
    at = reached(WIDE, k, n)
    fewest, stated = min(at.fewest, int(count_reached(own)[-1].min())), said.fewest(k, n, WIDE)
    drawn = f"random ones {at.fewest} to {at.most}, {at.mean:.0f} in the mean, of {at.bound}"
    shown = f"{k} heads, {n} layers: heads that choose themselves reach {fewest}, {drawn}"
    return Finding("fewest", fewest == stated, shown, detail=True)


def growth() -> Lines:
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


CLAIMS = {
    "2a": Claim(
        id="eecs.2a",
        title="The receptive field of argmax attention",
        texts=Texts(
            asks="Each of k heads attends to one token only, the argmax, and a residual connection keeps the token "
            "itself. How many input tokens can an output depend on after n layers?",
            derivation="An output of one layer depends on its own token and one for each head: $k + 1$. Each of these, "
            "one layer further down, on at most $k + 1$ again, so at most $(k+1)^n$ after $n$ layers, and never more "
            "than there are: $\\min(N, (k+1)^n)$.\n\n"
            "It is attained. Let head $a = 1, \\dots, k$ of layer $l$ read the token $a(k+1)^l$ further on, around a "
            "circle. What reaches output $i$ stands at $i + \\sum_l a_l (k+1)^l$ with digits $a_l \\in \\{0, \\dots, "
            "k\\}$: numbers of $n$ digits in base $k + 1$, each exactly once.\n\n"
            "It is the *most*, not what every pattern has: where heads choose the same tokens, or themselves, ways "
            "meet and fewer are reached, down to one. And the values are what is followed; the *choice* of a token "
            "compares all keys and so depends on all of them.",
            quantities={"N": "tokens", "k": "heads", "n": "layers"},
            method="exact counts on the widest pattern and on 16 random ones from fixed seeds; gradients of hard "
            "attention in float64",
            code=(
                "regard.analysis.reach.argmax_graphs:argmax_reach",
                "regard.analysis.reach.argmax_graphs:widest_graph",
            ),
        ),
        document=Version("(k+1)ⁿ", r"(k+1)^n", Field(lambda k, n, N: (k + 1) ** n, lambda k, n, N: (k + 1) ** n)),
        ours=Version(
            "at most min(N, (k+1)ⁿ), attained; as few as 1",
            r"1 \leq \cdot \leq \min(N, (k+1)^n)",
            Field(lambda k, n, N: min(N, (k + 1) ** n), lambda k, n, N: 1),
        ),
        twin=Version("at most min(N, kⁿ)", r"\min(N, k^n)", Field(lambda k, n, N: min(N, k**n), lambda k, n, N: 1)),
        check=field,
        expected=Verdict.CORRECTED,
        chart=growth,
    ),
}
