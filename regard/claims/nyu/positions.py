"""Question 3: what self-attention sees of order, which permutations it can be, and attention among neighbours."""

import functools
import itertools
import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from regard.algorithms import weights
from regard.analysis import attention_from_conv
from regard.attention import Attention, Causal, Content, Window
from regard.attention import Sequence as Line
from regard.claims.chart import Lines, Matrices
from regard.claims.claim import CORRECTED, Finding, Findings, View, claim
from regard.claims.findings import equals
from regard.claims.small_runs import drawn, seeded
from regard.layers import MultiHead, PositionHeads, Tables, Widths
from regard.models import BlockConfig, PositionConfig, Stack

# What a stack is made of besides content: its positions, and whether a token sees the earlier ones alone.
ARRANGEMENTS = {
    "nothing else": ("none", False),
    "learned positions": ("learned", False),
    "sinusoidal positions": ("sinusoidal", False),
    "a causal mask": ("none", True),
}
BLIND = 1e-12


@functools.cache
def measure_defect(arrangement: str) -> float:
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


def count_places(n: int) -> list[float]:
    """The outputs of a uniform causal head: the first token has the value 1, all others 0."""
    q = torch.zeros(1, 1, n, 4, dtype=torch.float64)
    return weights(q, q, Attention(Content(), Causal()))[0, 0, :, 0].tolist()


def draw_places() -> Lines:
    n = 16
    return Lines(
        title="A causal head counts: its output at place t of a marked first token",
        x=list(range(1, n + 1)),
        y={"uniform causal head": count_places(n), "the same without a mask": [1 / n] * n},
        x_label="place t",
        y_label="output",
    )


@claim(
    "nyu.3b",
    CORRECTED,
    document={"blind": ("nothing else", "a causal mask"), "marked": lambda t, n: 1 / n},
    twin={"blind": ()},
    chart=draw_places,
    view=View("playground", "See a uniform causal head count", {"mask": "causal", "beta": 0.0}),
)
def order(
    blind: Sequence[str] = ("nothing else",), marked: Callable[[int, int], float] = lambda t, n: 1 / t
) -> Findings:
    """Permute the tokens of a stack of two blocks, and read a marked first token."""
    for name in ARRANGEMENTS:
        gap, said = measure_defect(name), name in blind
        sees = "order cannot be seen" if gap < BLIND else "order is seen"
        shown = f"with {name}: permuted outputs are off by {gap:.1e}, {sees}"
        yield Finding(name, said == (gap < BLIND), shown, detail=name == "a causal mask")
    n = 6
    true, said = count_places(n), [marked(t, n) for t in range(1, n + 1)]
    place = next((t for t in range(n) if abs(true[t] - said[t]) > 1e-14), n - 1)
    holds = abs(true[place] - said[place]) <= 1e-14
    shown = f"a uniform causal head over a marked first token gives {true[place]:.4f} at t = {place + 1}"
    yield Finding("the marked token", holds, shown if holds else f"{shown}, not {said[place]:.4f}", detail=True)


N, WIDTH = 4, 3
SHARP = 1000.0

Permutation = tuple[int, ...]


def permutations_of(n: int) -> list[Permutation]:
    return list(itertools.permutations(range(n)))


def draw_tokens(n: int) -> Tensor:
    """Draw tokens of norm one."""
    return nn.functional.normalize(drawn(n, WIDTH, seed=36), dim=1)


def build_permuting(permutation: Permutation, beta: float) -> MultiHead:
    """Queries are made of the place that is wanted, keys of the own place, values of the content."""
    n = len(permutation)
    widths = Widths(query=WIDTH + n, head=n, head_value=WIDTH, out=WIDTH)
    layer = MultiHead(widths, 1, bias=False, out_bias=False, beta=beta, dtype=torch.float64).requires_grad_(False)
    for part in (layer.query, layer.key, layer.value):
        part.weight.zero_()
    layer.query.weight[list(permutation), WIDTH + torch.arange(n)] = 1
    layer.key.weight[:, WIDTH:] = torch.eye(n)
    layer.value.weight[:, :WIDTH] = torch.eye(WIDTH)
    layer.out.weight.copy_(torch.eye(WIDTH))
    return layer


def with_places(x: Tensor) -> Tensor:
    """Tokens (n, C) with their places as extra coordinates, (1, n, C + n)."""
    return torch.cat((x, torch.eye(len(x), dtype=x.dtype)), 1)[None]


def miss(permutation: Permutation, beta: float) -> float:
    """The largest error of the built layer, which is told places, against the permuted tokens."""
    x = draw_tokens(len(permutation))
    return (build_permuting(permutation, beta)(with_places(x))[0] - x[list(permutation)]).abs().max().item()


def map_of_content(x: Tensor, sign: float, beta: float) -> Tensor:
    """The map of a head with W_k = 1, W_q = ±1 and no positions."""
    return weights(sign * x[None, None], x[None, None], Attention(Content(beta)))[0, 0]


@functools.cache
def measure_equivariance(n: int) -> float:
    """The largest defect of f(PX) = P f(X) over layers of three seeds without positions, and all P of n tokens."""
    gaps = []
    for seed in (36, 37, 38):
        with seeded(seed), torch.no_grad():
            layer, x = MultiHead(8, 2, dtype=torch.float64), torch.randn(1, n, 8, dtype=torch.float64)
            y = layer(x)
            gaps += [(layer(x[:, list(p)]) - y[:, list(p)]).abs().max().item() for p in permutations_of(n)]
    return max(gaps)


def count_central(n: int) -> int:
    """Count the permutations T of n tokens with TP = PT for every P: all that an equivariant map can be."""
    every = permutations_of(n)
    return sum(all(T[P[t]] == P[T[t]] for P in every for t in range(n)) for T in every)


def stands_out(x: Tensor) -> bool:
    """Whether no token has a larger product with another than with itself."""
    products = x @ x.T
    others = products.clone().fill_diagonal_(-torch.inf)
    return bool((products.diagonal() > others.amax(1)).all())


def token_sets() -> dict[str, list[Tensor]]:
    """Tokens of one norm, of norms from 1 to 3 at right angles, and with one that is 1.01 times another."""
    equal = list(nn.functional.normalize(drawn(20, N, WIDTH, seed=39), dim=2))
    longer = equal[0].clone()
    longer[1] = 1.01 * longer[0]
    square = torch.diag(torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64))
    return {"20 sets of equal norms": equal, "norms 1, 2, 3, orthogonal": [square], "x₂ = 1.01·x₁": [longer]}


def draw_sharpening() -> Matrices:
    x = with_places(draw_tokens(N))
    return Matrices(
        title="The map of a head built to permute four tokens, as β grows",
        panels={
            f"β = {beta:g}": build_permuting((2, 0, 3, 1), beta).weights(x)[0, 0].tolist()
            for beta in (0.01, 2.0, 5.0, 100.0)
        },
        row_label="query",
        column_label="key",
    )


@claim(
    "nyu.3c",
    CORRECTED,
    document={"beta": 0.01, "without": math.factorial, "itself": lambda x: True},
    twin={"reaches": lambda n: [tuple(range(n))]},
    chart=draw_sharpening,
    view=View("playground", "See weights of 0 and 1", {"hard": True}),
)
def permute(
    reaches: Callable[[int], list[Permutation]] = permutations_of,
    beta: float = 100.0,
    without: Callable[[int], int] = lambda n: 2 if n == 2 else 1,
    itself: Callable[[Tensor], bool] = stands_out,
) -> Findings:
    """Build the permutations that a layer `reaches` with positions; then the stated β, no positions, content alone.

    `without` is how many permutations of n tokens are left without positions, `itself` of which tokens q = k = x makes
    the identity.
    """
    reached = reaches(N)
    worst = max(miss(p, SHARP) for p in reached)
    missed = sum(p not in reached and miss(p, SHARP) < 1e-12 for p in permutations_of(N))
    shown = f"{len(reached)} of the 24 permutations of {N} tokens are built to {worst:.0e}, {missed} more can be"
    yield Finding("all of them", worst < 1e-12 and not missed, shown)
    limit = miss((1, 2, 3, 0), beta)
    shown = f"at β = {beta:g} the layer built for a cycle of {N} misses it by {limit:.2g}"
    yield Finding("the limit of β", limit < 1e-12, shown, detail=True)
    share = build_permuting((1, 2, 3, 0), 2.0).weights(with_places(draw_tokens(N)))[0, 0, 0]
    said = torch.tensor([1, math.exp(2), 1, 1], dtype=torch.float64) / (math.exp(2) + N - 1)
    yield equals("the weights at β = 2, of e^β and 1s", share, said, 1e-13)
    for n in (2, 3, 4):
        gap, left, said = measure_equivariance(n), count_central(n), without(n)
        shown = f"without positions f(PX) = P f(X) to {gap:.0e}: {left} of {math.factorial(n)} permutations of {n} "
        shown += f"tokens commute{'s' * (left == 1)} with every P, stated {said}"
        yield Finding(f"without positions, {n}", gap < 1e-12 and left == said, shown, detail=True)
    for name, sets in token_sets().items():
        own = [map_of_content(x, 1, 1e6).diagonal().min().item() for x in sets]
        holds = all(itself(x) == (weight > 1 - 1e-12) for x, weight in zip(sets, own, strict=True))
        shown = f"q = k = x, {name}: the least weight of a token on itself is {min(own):.3g} at β = 10⁶"
        yield Finding(f"identity by content, {name}", holds, shown, detail=True)
    swap = map_of_content(draw_tokens(2), -1, SHARP)[0, 1].item()
    shown = f"two tokens swap by content with weight {swap:.3g}, for q = −k"
    yield Finding("the swap of two by content", swap > 1 - 1e-12, shown)


TAPS, TOKENS, CHANNELS = 5, 12, 4
SIDE = TAPS // 2
NEAR = Window(before=SIDE, after=SIDE)


def build_local() -> tuple[PositionHeads, MultiHead]:
    """A head that attends by position alone, and one that compares contents."""
    with seeded(37):
        table = Tables(1, SIDE, dtype=torch.float64)
        nn.init.normal_(table.tables[0])
        by_position = PositionHeads(CHANNELS, table, project=False, bias=False, dtype=torch.float64)
        by_content = MultiHead(CHANNELS, 1, bias=False, out_bias=False, dtype=torch.float64)
    return by_position.requires_grad_(False), by_content.requires_grad_(False)


def outer(a: Tensor, W: Tensor) -> Tensor:
    """The kernel (Co, Ci, K) of one head, by its weights over the taps (K) and its matrix (Co, Ci)."""
    return W[:, :, None] * a


@claim(
    "nyu.3d",
    CORRECTED,
    document={"heads": lambda K: 1, "additive": ("position", "content")},
    twin={"kernel": lambda a, W: outer(a.flip(0), W)},
    view=View(
        "patterns",
        "See attention among neighbours",
        {"mask": "neighbours(1, 1)", "grid": [16, 16], "tokens": 256},
    ),
)
def neighbours(
    kernel: Callable[[Tensor, Tensor], Tensor] = outer,
    heads: Callable[[int], int] = lambda K: K,
    additive: Sequence[str] = ("position",),
) -> Findings:
    """Compare one head by position with a convolution, make a general kernel of heads, and add up inputs."""
    by_position, by_content = build_local()
    x, y = drawn(1, TOKENS, CHANNELS, seed=0), drawn(1, TOKENS, CHANNELS, seed=1)
    a = by_position.weights(Line(TOKENS), mask=NEAR)[0, 0, SIDE, :TAPS]
    conv = nn.functional.conv1d(x.mT, kernel(a, by_position.value.weight)).mT
    inner = by_position(x, Line(TOKENS), mask=NEAR)[:, SIDE : TOKENS - SIDE]
    yield equals("one head by position, inside the line", inner, conv, 1e-13)
    assert isinstance(by_position.position, Tables)
    said = torch.softmax(by_position.position.tables[0][0], 0)
    yield equals("its weights are the softmax of its table", a, said, 1e-13)

    with seeded(38):
        general = nn.Conv1d(CHANNELS, CHANNELS, TAPS, padding="same", dtype=torch.float64).requires_grad_(False)
    values = torch.linalg.svdvals(general.weight.permute(2, 0, 1).flatten(1))  # of the taps (K, Co·Ci)
    count = heads(TAPS)
    left, fewer = ((values[rank:].norm() / values.norm()).item() for rank in (count, TAPS - 1))
    shown = f"a random kernel of {TAPS} taps: {count} head{'s' * (count != 1)} a_δ·W leave{'s' * (count == 1)} "
    shown += f"{100 * left:.0f} % of it unmade, {TAPS - 1} heads {100 * fewer:.0f} %"
    yield Finding("heads of a general kernel", left < 1e-12 and count <= TAPS, shown, detail=True)
    built, _ = attention_from_conv(general)
    yield equals(f"{built.heads.num_heads} heads as a convolution of {TAPS}", built(x.mT), general(x.mT), 1e-12)

    ways = {
        "position": lambda x: by_position(x, Line(TOKENS), mask=NEAR),
        "content": lambda x: by_content(x, mask=NEAR),
    }
    for kind, f in ways.items():
        apart = f(x) + f(y)
        gap = ((f(x + y) - apart).norm() / apart.norm()).item()
        shown = f"a window with {kind} alone as logits: f(x + y) is off f(x) + f(y) by {gap:.1e}"
        yield Finding(f"additive by {kind}", (kind in additive) == (gap < 1e-12), shown, detail=kind == "content")
