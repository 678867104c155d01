"""Question 3: what self-attention sees of order, and how it permutes."""

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.algorithms import weights
from regard.attention import Attention, Causal, Content
from regard.claims.chart import Lines, Matrices, Numbers
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.small_runs import seeded
from regard.layers import MultiHead, Widths
from regard.models import BlockConfig, PositionConfig, Stack

# What a stack is made of besides content: its positions, and whether a token sees the later ones.
ARRANGEMENTS = {
    "nothing else": ("none", False),
    "learned positions": ("learned", False),
    "sinusoidal positions": ("sinusoidal", False),
    "a causal mask": ("none", True),
}
BLIND = 1e-12


@dataclass(frozen=True)
class Blind:
    """With what besides content order cannot be seen, and the output of a marked first token at place t of n."""

    to: frozenset[str]
    marked: Callable[[int, int], float]


@functools.cache
def defect(arrangement: str) -> float:
    """How far permuted outputs are from the outputs of permuted tokens, relative; the least of three seeds."""
    kind, causal = ARRANGEMENTS[arrangement]
    found = []
    for seed in (33, 34, 35):
        with seeded(seed), torch.no_grad():
            stack = Stack(BlockConfig(width=16, num_heads=2), 2, PositionConfig(kind=kind), causal=causal).double()
            x, turn = torch.randn(1, 7, 16, dtype=torch.float64), torch.randperm(7)
            y = stack(x)[0]
            found.append(((stack(x[:, turn])[0] - y[:, turn]).norm() / y.norm()).item())
    return max(found) if max(found) < BLIND else min(found)


def marks(n: int) -> Tensor:
    """A uniform causal head: the first token has the value 1, all others 0."""
    q = torch.zeros(1, 1, n, 4, dtype=torch.float64)
    return weights(q, q, Attention(Content(), Causal()))[0, 0, :, 0]


def sight(stated: Blind) -> Sequence[Finding]:
    """Permute the tokens of a stack of two blocks, and read the marked token."""
    findings = []
    for name in ARRANGEMENTS:
        gap, said = defect(name), name in stated.to
        sees = "order cannot be seen" if gap < BLIND else "order is seen"
        shown = f"with {name}: permuted outputs are off by {gap:.1e}, {sees}"
        findings.append(Finding(name, said == (gap < BLIND), shown, detail=name == "a causal mask"))
    n = 6
    true, said = marks(n).tolist(), [stated.marked(t, n) for t in range(1, n + 1)]
    place = next((t for t in range(n) if abs(true[t] - said[t]) > 1e-12), n - 1)
    shown = f"a uniform causal head over a marked first token gives {true[place]:.4f} at t = {place + 1}"
    holds = abs(true[place] - said[place]) <= 1e-12
    findings.append(
        Finding("the marked token", holds, shown if holds else f"{shown}, not {said[place]:.4f}", detail=True)
    )
    return findings


def counter() -> Lines:
    n = 16
    return Lines(
        title="A causal head counts: its output at place t of a marked first token",
        x=list(range(1, n + 1)),
        y={"uniform causal head": marks(n).tolist(), "the same without a mask": [1 / n] * n},
        x_label="place t",
        y_label="output",
    )


ORDER = Claim(
    id="nyu.3b",
    title="Order without positions",
    texts=Texts(
        asks="Can self-attention without positional encodings tell the order of its tokens?",
        derivation="Without a mask it cannot. For a permutation $P$ of the tokens, $q$, $k$ and $v$ are permuted, the "
        "logits become $P S P^\\top$, the softmax of each row the same, and the output $P A P^\\top P V = P (A V)$: "
        "permuted tokens give permuted outputs. Feed-forward networks and norms act on each token by itself and "
        "change nothing.\n\n"
        "A causal mask is not permuted along, so the argument breaks at $P S P^\\top$. It even counts: a head with "
        "equal logits sees $t$ tokens at place $t$; if the first of them is marked with the value 1 and all others "
        "have 0, its output is $1/t$. That is a position.",
        quantities={"P": "a permutation of the tokens", "S": "logits", "A": "weights", "t": "place of the query"},
        method="stacks of two blocks in float64, three seeds; blind means below 1e-12",
        code=("regard.models.stack:Stack", "regard.attention.masks.offsets:Causal"),
    ),
    document=Version(
        "without positions order cannot be seen",
        r"f(PX) = P f(X)",
        Blind(frozenset({"nothing else", "a causal mask"}), lambda t, n: 1 / n),
    ),
    ours=Version(
        "without positions order cannot be seen, unless a causal mask shows it",
        r"f(PX) = P f(X) \text{ without a mask}",
        Blind(frozenset({"nothing else"}), lambda t, n: 1 / t),
    ),
    twin=Version(
        "order is seen without positions and without a mask",
        r"f(PX) \neq P f(X)",
        Blind(frozenset(), lambda t, n: 1 / t),
    ),
    check=sight,
    expected=Verdict.CORRECTED,
    chart=counter,
)

N, WIDTH = 4, 3
SHARP = 1000.0


@dataclass(frozen=True)
class Permutes:
    """Permutations that a layer can be with positions, along which β, and without; of which tokens the identity."""

    reaches: Callable[[int], Sequence[tuple[int, ...]]]
    betas: tuple[float, ...]
    without: Callable[[int], int]  # how many permutations of n tokens a layer without positions can be
    itself: Callable[[Tensor], bool]  # of tokens (N, C): whether q = k = x makes the identity of them


def every(n: int) -> list[tuple[int, ...]]:
    return list(itertools.permutations(range(n)))


def rows(n: int, width: int) -> Tensor:
    """Tokens of norm one."""
    x = torch.randn(n, width, dtype=torch.float64, generator=torch.Generator().manual_seed(36))
    return torch.nn.functional.normalize(x, dim=1)


def permuting(permutation: Sequence[int], beta: float) -> MultiHead:
    """Queries are made of the place that is wanted, keys of the own place, values of the content."""
    n = len(permutation)
    widths = Widths(query=WIDTH + n, head=n, head_value=WIDTH, out=WIDTH)
    layer = MultiHead(widths, 1, bias=False, out_bias=False, beta=beta, dtype=torch.float64)
    with torch.no_grad():
        for part in (layer.query, layer.key, layer.value):
            part.weight.zero_()
        layer.query.weight[list(permutation), WIDTH + torch.arange(n)] = 1
        layer.key.weight[:, WIDTH:] = torch.eye(n)
        layer.value.weight[:, :WIDTH] = torch.eye(WIDTH)
        layer.out.weight.copy_(torch.eye(WIDTH))
    return layer


def by_content(x: Tensor, sign: float, beta: float) -> Tensor:
    """The map of a head with W_k = 1, W_q = ±1 and no positions."""
    return weights(sign * x[None, None], x[None, None], Attention(Content(beta)))[0, 0]


def off(permutation: Sequence[int], beta: float) -> float:
    """The largest error of the built layer, which is told places, against the permuted tokens."""
    n = len(permutation)
    x = rows(n, WIDTH)
    with seeded(0), torch.no_grad():
        y = permuting(permutation, beta)(torch.cat((x, torch.eye(n, dtype=torch.float64)), 1)[None])[0]
    return (y - x[list(permutation)]).abs().max().item()


@functools.cache
def equivariance(n: int) -> float:
    """The largest defect of f(PX) = P f(X) over layers of three seeds without positions, and all P of n tokens."""
    gaps = []
    for seed in (36, 37, 38):
        with seeded(seed), torch.no_grad():
            layer, x = MultiHead(8, 2, dtype=torch.float64), torch.randn(1, n, 8, dtype=torch.float64)
            y = layer(x)
            gaps += [(layer(x[:, list(p)]) - y[:, list(p)]).abs().max().item() for p in every(n)]
    return max(gaps)


def central(n: int) -> list[tuple[int, ...]]:
    """The permutations T of n tokens with TP = PT for every P: all that an equivariant map can be."""
    return [T for T in every(n) if all(T[P[t]] == P[T[t]] for P in every(n) for t in range(n))]


def token_sets() -> dict[str, list[Tensor]]:
    """Tokens of one norm, of norms from 1 to 3 at right angles, and with one that is 1.01 times another."""
    draw = torch.Generator().manual_seed(39)
    drawn = [torch.randn(N, WIDTH, dtype=torch.float64, generator=draw) for _ in range(20)]
    equal = [torch.nn.functional.normalize(x, dim=1) for x in drawn]
    longer = equal[0].clone()
    longer[1] = 1.01 * longer[0]
    square = torch.diag(torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64))
    return {"20 sets of equal norms": equal, "norms 1, 2, 3, orthogonal": [square], "x₂ = 1.01·x₁": [longer]}


def by_itself(stated: Permutes) -> list[Finding]:
    """The least weight with which a token sees itself, for q = k = x, against what is stated of these tokens."""
    findings = []
    for name, sets in token_sets().items():
        own = [by_content(x, 1, 1e6).diagonal().min().item() for x in sets]
        holds = all(stated.itself(x) == (weight > 1 - 1e-12) for x, weight in zip(sets, own, strict=True))
        shown = f"q = k = x, {name}: the least weight of a token on itself is {min(own):.3g} at β = 10⁶"
        findings.append(Finding(f"identity by content, {name}", holds, shown, detail=True))
    return findings


def permutations(stated: Permutes) -> Sequence[Finding]:
    """Build them all; then with the stated β, without positions, and by content alone."""
    reached = list(stated.reaches(N))
    worst = max(off(p, SHARP) for p in reached)
    missed = len([p for p in every(N) if p not in reached and off(p, SHARP) < 1e-12])
    limit = off((1, 2, 3, 0), stated.betas[-1])
    findings = [
        Finding(
            "all of them",
            worst < 1e-12 and not missed,
            f"{len(reached)} of the 24 permutations of {N} tokens are built to {worst:.0e}, {missed} more can be",
        ),
        Finding(
            "the limit of β",
            limit < 1e-12,
            f"at β = {stated.betas[-1]:g} the layer built for a cycle of {N} misses it by {limit:.2g}",
            detail=True,
        ),
    ]
    for n in (2, 3, 4):
        gap, left, said = equivariance(n), len(central(n)), stated.without(n)
        shown = f"without positions f(PX) = P f(X) to {gap:.0e}: {left} of {len(every(n))} permutations of {n} tokens "
        shown += f"commute{'s' * (left == 1)} with every P, stated {said}"
        findings.append(Finding(f"without positions, {n}", gap < 1e-12 and left == said, shown, detail=True))
    swap = by_content(rows(2, WIDTH), -1, SHARP)[0, 1].item()
    shown = f"two tokens swap by content with weight {swap:.3g}, for q = −k"
    return [*findings, *by_itself(stated), Finding("the swap of two by content", swap > 1 - 1e-12, shown)]


def stands_out(x: Tensor) -> bool:
    """Whether no token has a larger product with another than with itself."""
    products = x @ x.T
    others = products.clone().fill_diagonal_(-torch.inf)
    return bool((products.diagonal() > others.amax(1)).all())


def sharpening() -> Matrices:
    turn, eye = (2, 0, 3, 1), torch.eye(N, dtype=torch.float64)
    x = torch.cat((rows(N, WIDTH), eye), 1)[None]
    with seeded(0), torch.no_grad():
        maps: dict[str, Sequence[Numbers]] = {
            f"β = {beta:g}": permuting(turn, beta).weights(x)[0, 0].tolist() for beta in (0.01, 2.0, 5.0, 100.0)
        }
    return Matrices(
        title="The map of a head built to permute four tokens, as β grows",
        panels=maps,
        row_label="query",
        column_label="key",
    )


PERMUTATIONS = Claim(
    id="nyu.3c",
    title="Identity and permutations",
    texts=Texts(
        asks="Can a self-attention layer pass its tokens on unchanged, or in another order?",
        derivation="*With positions*, any permutation $\\pi$: give each token its place $e_t$ as extra coordinates, "
        "make the query of place $t$ the vector $e_{\\pi(t)}$ and the key of place $j$ the vector $e_j$. The logits "
        "are $\\beta$ at $j = \\pi(t)$ and 0 elsewhere; the weight of $\\pi(t)$ is $e^\\beta/(e^\\beta + N - 1) \\to "
        "1$ as $\\beta \\to \\infty$. A *small* $\\beta$ gives $1/N$ to all.\n\n"
        "*Without positions*, a layer $f$ has $f(PX) = P f(X)$ for every relabelling $P$. If $f(X) = TX$ for all $X$ "
        "then $TP = PT$ for all $P$: for $N \\ge 3$ this leaves the identity alone, since a $T$ that moves $a$ to $b$ "
        "does not commute with the swap of $b$ and a third token (for $N = 2$ the swap is left too: attend to what is "
        "least like you). So a fixed permutation other than the identity *needs positions*.\n\n"
        "The identity by content, $q_t = k_t = x_t$, needs $\\lVert x_t \\rVert^2 > x_t^\\top x_j$ for all $j$: "
        "certain for different keys of one norm, false where a longer token points the same way, be it by 1 %.",
        quantities={"β": "factor of the logits", "π": "the permutation", "N": "tokens"},
        method="float64, built layers, all 24 permutations of 4 tokens, to 1e-12; f(PX) = P f(X) by layers of three "
        "seeds and all P of 2, 3 and 4 tokens; those that commute with every P counted",
        code=("regard.layers.multihead:MultiHead", "regard.attention.scores.term:Content"),
    ),
    document=Version(
        "self-attention can be the identity or any permutation, with small β, from the tokens alone",
        r"\beta \to 0",
        Permutes(every, (1.0, 0.1, 0.01), math.factorial, lambda x: True),
    ),
    ours=Version(
        "it can be any permutation with positions as β → ∞; without them, for N ≥ 3, the identity alone",
        r"\beta \to \infty",
        Permutes(every, (1.0, 10.0, 100.0), lambda n: 2 if n == 2 else 1, stands_out),
    ),
    twin=Version(
        "it can be the identity and no other permutation, with positions or without",
        r"T = I",
        Permutes(lambda n: [tuple(range(n))], (1.0, 10.0, 100.0), lambda n: 2 if n == 2 else 1, stands_out),
    ),
    check=permutations,
    expected=Verdict.CORRECTED,
    chart=sharpening,
)

CLAIMS = (ORDER, PERMUTATIONS)
