"""Question 2: multi-head attention as the document writes it, and what heads correspond to in a convolution."""

import functools
import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from regard.algorithms import attend
from regard.analysis import attention_from_conv
from regard.attention import Attention, Content
from regard.claims.chart import Lines
from regard.claims.claim import CORRECTED, REFUTED, Finding, Findings, View, claim
from regard.claims.findings import Count, agrees, equals
from regard.claims.small_runs import drawn
from regard.layers import ChannelAttention, MultiHead

WIDTH, HEADS, TOKENS = 12, 3, 5  # more tokens than a head is wide, fewer than the model
HEAD = WIDTH // HEADS

Formula = Callable[..., Tensor]


def build_layer() -> MultiHead:
    """A layer with weights of its own generator and no biases, as the document has none."""
    built = MultiHead(WIDTH, HEADS, bias=False, out_bias=False, device="meta", dtype=torch.float64)
    for seed, part in enumerate((built.query, built.key, built.value, built.out)):
        part.weight = nn.Parameter(drawn(*part.weight.shape, seed=50 + seed) / math.sqrt(WIDTH), requires_grad=False)
    return built


def build_channels(layer: MultiHead, beta: float) -> ChannelAttention:
    """Attention between channels with the same q, k, v, and nothing after it."""
    found = ChannelAttention(WIDTH, bias=False, out_bias=False, beta=beta, device="meta", dtype=torch.float64)
    for name in ("query", "key", "value"):
        getattr(found, name).weight = getattr(layer, name).weight
    found.out.weight = nn.Parameter(torch.eye(WIDTH, dtype=torch.float64), requires_grad=False)
    return found


def attend_columns(Q: Tensor, K: Tensor, V: Tensor, beta: float = 1 / math.sqrt(HEAD)) -> Tensor:
    """`V·softargmax_β(KᵀQ)` as it is printed, which is right for tokens as columns."""
    return V @ torch.softmax(beta * K.T @ Q, 0)


@claim(
    "nyu.2a",
    CORRECTED,
    document={
        "project": lambda W, X: X @ W.T,
        "key": lambda W_k, W_v, K, V: W_v @ V,
        "mix": attend_columns,
        "join": lambda heads, W: (torch.cat([head.T for head in heads], 1) @ W.T).T,
    },
    twin={"join": lambda heads, W: W @ torch.stack(heads).mean(0).repeat(len(heads), 1)},
    view=View("playground", "See two heads and their W_O", {"head": 1}),
)
def multi_head(
    project: Formula = lambda W, X: W @ X,
    key: Formula = lambda W_k, W_v, K, V: W_k @ K,
    mix: Formula = lambda q, k, v, beta: attend_columns(q.T, k.T, v.T, beta).T,
    join: Formula = lambda heads, W: W @ torch.cat(heads),
) -> Findings:
    """Compare each step of the formula with the built layer.

    `project` is of W (D × C) and X (C × n), `key` gives K^(i), `mix` is what the products make of tokens as rows, and
    `join` puts the heads (D × n) together by W^O.
    """
    layer = build_layer()
    Q, K, V = drawn(WIDTH, TOKENS, seed=61), drawn(WIDTH, TOKENS + 2, seed=62), drawn(WIDTH, TOKENS + 2, seed=63)
    whole, W_out = layer(Q.T[None], K.T[None], V.T[None])[0].T, layer.out.weight
    of_heads = list(zip(*(part.weight.chunk(HEADS) for part in (layer.query, layer.key, layer.value)), strict=True))
    right = [attend_columns(q @ Q, k @ K, v @ V) for q, k, v in of_heads]
    yield equals("heads concatenated, then W^O", whole, join(right, W_out), 1e-13)

    at = f"tokens as columns, {WIDTH} × {TOKENS}, a head of width {HEAD}"
    try:
        size = tuple(project(torch.zeros(HEAD, WIDTH), torch.zeros(WIDTH, TOKENS)).shape)
        shown = f"{at}: the product is {size[0]} × {size[1]}"
    except RuntimeError:  # what torch raises for sizes that do not fit
        size, shown = (), f"{at}: the product as written does not exist"
    yield Finding("the projections fit", size == (HEAD, TOKENS), shown, detail=True)
    theirs = [attend_columns(q @ Q, key(k, v, K, V), v @ V) for q, k, v in of_heads]
    yield equals("the layer with K^(i) as written", whole, W_out @ torch.cat(theirs), 1e-13, detail=True)

    X, beta = drawn(TOKENS, WIDTH, seed=64), 1 / math.sqrt(WIDTH)  # tokens as rows: where the printed products exist
    q, k, v = (part(X) for part in (layer.query, layer.key, layer.value))
    between_tokens = attend(q[None, None], k[None, None], v[None, None], Attention(Content(beta)))[0, 0]
    between_channels = build_channels(layer, beta)(X[None])[0]
    gaps = [(mix(q, k, v, beta) - other).abs().max().item() for other in (between_tokens, between_channels)]
    shown = f"tokens as rows: the formula is {gaps[0]:.1g} from attention between tokens, {gaps[1]:.1g} from channels'"
    yield Finding("the softmax is between tokens", gaps[0] < 1e-13, shown, detail=True)
    printed = attend_columns(q, k, v, beta)
    yield equals("as printed, with tokens as rows, it is ChannelAttention", between_channels, printed, 1e-13)


SHAPES = [{"K": K, "channels": channels} for K in (3, 1, 5) for channels in (1, 4, 9, 20)]


@functools.cache
def convert(K: int, channels: int, heads: int | None = None) -> tuple[int, float]:
    """Heads of the attention in place of a random convolution, and what it misses, over the largest output."""
    conv = nn.Conv2d(3, channels, K, padding=K // 2, bias=False, device="meta", dtype=torch.float64)
    conv.weight = nn.Parameter(drawn(*conv.weight.shape, seed=K * 100 + channels), requires_grad=False)
    built, _ = attention_from_conv(conv, num_heads=heads)
    x = drawn(1, 3, 7, 7, seed=71)
    true = conv(x)
    return built.heads.num_heads, ((built(x) - true).abs().max() / true.abs().max()).item()


def draw_heads() -> Lines:
    counts = list(range(1, 10))
    return Lines(
        title="A 3×3 convolution by so many one-hot heads: it takes nine",
        x=counts,
        y={f"{c} output channels": [convert(3, c, count)[1] for count in counts] for c in (1, 4, 20)},
        x_label="heads",
        y_label="largest miss, over the largest output",
    )


@claim(
    "nyu.2b",
    REFUTED,
    document={"count": lambda K, channels: channels},
    twin={"count": lambda K, channels: K},
    chart=draw_heads,
    view=View("heads", "See the kernel that heads make"),
)
def taps(count: Count = lambda K, channels: K * K) -> Findings:
    """Count the heads of an exact layer, and measure what a layer with the stated number of heads misses."""
    yield agrees("heads of an exact layer", count, lambda **at: convert(**at)[0], SHAPES)
    said = {channels: count(3, channels) for channels in (1, 4, 9, 20)}
    missed = {channels: convert(3, channels, min(number, 9))[1] for channels, number in said.items()}
    worst = max(missed, key=lambda channels: missed[channels])
    shown = f"3×3, output channels: {worst}, heads: {said[worst]}; misses {missed[worst]:.1g} of the output"
    yield Finding("that many heads are enough", missed[worst] < 1e-13, shown)
    fewer = min(convert(3, channels, 8)[1] for channels in said)
    shown = f"8 heads in place of 9 taps miss {fewer:.1g} of the output or more, whatever the channels"
    yield Finding("one head fewer is too few", fewer > 0.01, shown)
    exact = max(convert(**at)[1] for at in SHAPES)
    shown = f"9 heads are the 3×3 convolution to 1, 4, 9 and 20 channels, 25 the 5×5: off by {exact:.0e}"
    yield Finding("K² heads express any number of channels", exact < 1e-13, shown)
