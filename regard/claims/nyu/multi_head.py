"""Question 2: multi-head attention as the document writes it, and what heads correspond to in a convolution."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from regard.algorithms import attend
from regard.analysis import attention_from_conv
from regard.attention import Attention, Content
from regard.claims.chart import Lines
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import agrees, equals
from regard.claims.nyu.attention import drawn
from regard.layers import ChannelAttention, MultiHead

WIDTH, HEADS, TOKENS = 12, 3, 5  # more tokens than a head is wide, fewer than the model
Weights = tuple[Tensor, Tensor, Tensor]  # W_q, W_k, W_v of one head, each D × C: they multiply columns from the left


@dataclass(frozen=True)
class Written:
    """The steps of multi-head attention as formulas, on tokens as columns unless said otherwise."""

    project: Callable[[Tensor, Tensor], Tensor]  # of W (D × C) and X (C × n), in the order that is printed
    key: Callable[[Weights, Tensor, Tensor], Tensor]  # K^(i) of the weights, K and V
    attend: Callable[[Tensor, Tensor, Tensor, float], Tensor]  # H^(i), in whatever way the projections leave the tokens
    join: Callable[[list[Tensor], Tensor], Tensor]  # of the heads (D × n) and W^O (C × H·D): the output, C × n
    beta: Callable[[int], float]


def layer() -> MultiHead:
    """A layer with weights of its own generator and no biases, as the document has none."""
    built = MultiHead(WIDTH, HEADS, bias=False, out_bias=False, device="meta", dtype=torch.float64)
    for seed, part in enumerate((built.query, built.key, built.value, built.out)):
        part.weight = nn.Parameter(drawn(*part.weight.shape, seed=50 + seed) / math.sqrt(WIDTH), requires_grad=False)
    return built


def tokens() -> tuple[Tensor, Tensor, Tensor]:
    """Q, K and V as columns, different sequences: C × n, C × m, C × m."""
    return drawn(WIDTH, TOKENS, seed=61), drawn(WIDTH, TOKENS + 2, seed=62), drawn(WIDTH, TOKENS + 2, seed=63)


def written(stated: Written) -> Sequence[Finding]:
    """Each step of the formula against the built layer."""
    built, (Q, K, V) = layer(), tokens()
    whole = built(Q.T[None], K.T[None], V.T[None])[0].T
    parts = [linear.weight.chunk(HEADS) for linear in (built.query, built.key, built.value)]
    per_head: list[Weights] = list(zip(*parts, strict=True))
    right = [one_head(w, Q, w[1] @ K, V, 1 / math.sqrt(WIDTH / HEADS)) for w in per_head]
    theirs = [one_head(w, Q, stated.key(w, K, V), V, stated.beta(WIDTH // HEADS)) for w in per_head]
    return [
        equals("heads concatenated, then W^O", whole, stated.join(right, built.out.weight), 1e-13),
        fits(stated),
        equals(
            "the layer with K^(i) and β as written", whole, built.out.weight @ torch.cat(theirs), 1e-13, detail=True
        ),
        reading(stated),
    ]


def one_head(weights: Weights, Q: Tensor, keys: Tensor, V: Tensor, beta: float) -> Tensor:
    """H^(i), D × n, by `attend`, rows at the border."""
    q, k, v = (x.T[None, None] for x in (weights[0] @ Q, keys, weights[2] @ V))
    return attend(q, k, v, Attention(Content(beta)))[0, 0].T


def fits(stated: Written) -> Finding:
    """Whether the products have sizes that fit, tokens being columns."""
    W, X = torch.zeros(WIDTH // HEADS, WIDTH), torch.zeros(WIDTH, TOKENS)
    at = f"tokens as columns, {WIDTH} × {TOKENS}, a head of width {WIDTH // HEADS}"
    try:
        shape = tuple(stated.project(W, X).shape)
    except RuntimeError:  # what torch raises for sizes that do not fit
        return Finding("the projections fit", False, f"{at}: the product as written does not exist", detail=True)
    right = shape == (WIDTH // HEADS, TOKENS)
    return Finding("the projections fit", right, f"{at}: the product is {shape[0]} × {shape[1]}", detail=True)


def reading(stated: Written) -> Finding:
    """The attention that is left when the projections are read as they are printed, against a layer of tokens."""
    built = layer()
    X = drawn(TOKENS, WIDTH, seed=64)  # tokens as rows: the one reading in which the printed products exist
    q, k, v = (linear(X) for linear in (built.query, built.key, built.value))
    beta = 1 / math.sqrt(WIDTH)
    found = stated.attend(q, k, v, beta)
    between_tokens = attend(q[None, None], k[None, None], v[None, None], Attention(Content(beta)))[0, 0]
    channels = channel_layer(built, beta)(X[None])[0]
    gaps = [(found - other).abs().max().item() for other in (between_tokens, channels)]
    shown = f"tokens as rows: the formula is {gaps[0]:.1g} from attention between tokens, {gaps[1]:.1g} from channels'"
    return Finding("the softmax is between tokens", gaps[0] < 1e-13, shown, detail=True)


def channel_layer(built: MultiHead, beta: float) -> ChannelAttention:
    """Attention between channels with the same q, k, v, and nothing after it."""
    found = ChannelAttention(WIDTH, bias=False, out_bias=False, beta=beta, device="meta", dtype=torch.float64)
    for name in ("query", "key", "value"):
        getattr(found, name).weight = getattr(built, name).weight
    found.out.weight = nn.Parameter(torch.eye(WIDTH, dtype=torch.float64), requires_grad=False)
    return found


def by_columns(q: Tensor, k: Tensor, v: Tensor, beta: float) -> Tensor:
    """`V·softargmax_β(KᵀQ)` of tokens as columns, given rows: transposed first."""
    return (v.T @ torch.softmax(beta * k @ q.T, 0)).T


@dataclass(frozen=True)
class Heads:
    """How many heads stand for a K × K convolution with so many output channels."""

    count: Callable[[int, int], int]


SHAPES = [{"K": K, "channels": channels} for K in (3, 1, 5) for channels in (1, 4, 9, 20)]


@functools.cache
def converted(K: int, channels: int, heads: int | None = None) -> tuple[int, float]:
    """Heads of the attention in place of a random convolution, and what it misses, over the largest output."""
    conv = nn.Conv2d(3, channels, K, padding=K // 2, bias=False, device="meta", dtype=torch.float64)
    conv.weight = nn.Parameter(drawn(*conv.weight.shape, seed=K * 100 + channels), requires_grad=False)
    built, _ = attention_from_conv(conv, num_heads=heads)
    x = drawn(1, 3, 7, 7, seed=71)
    true = conv(x)
    return built.heads.num_heads, ((built(x) - true).abs().max() / true.abs().max()).item()


def heads(stated: Heads) -> Sequence[Finding]:
    """The count of an exact layer, and what a layer with the stated number of heads misses."""
    exact = max(converted(**at)[1] for at in SHAPES)
    said = {channels: stated.count(3, channels) for channels in (1, 4, 9, 20)}
    missed = {channels: converted(3, channels, min(count, 9))[1] for channels, count in said.items()}
    worst = max(missed, key=lambda channels: missed[channels])
    return [
        agrees("heads of an exact layer", stated.count, lambda **at: converted(**at)[0], SHAPES),
        Finding(
            "that many heads are enough",
            missed[worst] < 1e-13,
            f"3×3, output channels: {worst}, heads: {said[worst]}; misses {missed[worst]:.1g} of the output",
        ),
        Finding(
            "K² heads express any number of channels",
            exact < 1e-13,
            f"9 heads are the 3×3 convolution to 1, 4, 9 and 20 channels, 25 the 5×5: off by {exact:.0e}",
        ),
    ]


def heads_chart() -> Lines:
    counts = list(range(1, 10))
    return Lines(
        title="A 3×3 convolution by so many one-hot heads: it takes nine",
        x=counts,
        y={f"{c} output channels": [converted(3, c, count)[1] for count in counts] for c in (1, 4, 20)},
        x_label="heads",
        y_label="largest miss, over the largest output",
    )


def kept(heads: list[Tensor], W: Tensor) -> Tensor:
    return W @ torch.cat(heads)


CLAIMS = (
    Claim(
        id="nyu.2a",
        title="Multi-head attention, in one convention",
        texts=Texts(
            asks="How are several heads of attention computed and put together?",
            derivation="With tokens as columns a projection multiplies from the left: $Q^{(i)} = W_q^{(i)} Q$, "
            "$K^{(i)} = W_k^{(i)} K$, $V^{(i)} = W_v^{(i)} V$. Each head is $H^{(i)} = V^{(i)} "
            "\\operatorname{softargmax}_\\beta(K^{(i)\\top} Q^{(i)})$ with $\\beta = 1/\\sqrt D$ of the head's width, "
            "and the output is $W^O [H^{(1)}; \\dots; H^{(h)}]$, heads stacked.\n\n"
            "The document concatenates and multiplies by $W^O$, which is right. It prints $K^{(i)} = V W_v^{(i)}$, a "
            "slip that gives every head its values as keys, and it multiplies from the right ($Q W_q$, "
            "$\\operatorname{Concat} \\cdot W^O$) while the softmax stays that of columns. With tokens as columns "
            "these products do not exist.\n\n"
            "With tokens as rows, as the products want it, $K^\\top Q$ is $D \\times D$: it compares *channels*, and "
            "for $n = m$ the formula is channel attention.",
            quantities={
                "Q, K, V": "C × n, C × m, C × m: a token in each column",
                "C, h, D": "model width, number of heads, width of a head (C = hD)",
                "W_q, W_k, W_v": "D × C, for each head",
                "W^O": "C × hD",
            },
            method="float64, C = 12, h = 3, n = 5, m = 7, tolerance 1e-13 of the largest entry; sizes exact",
            code=("regard.layers.multihead:MultiHead", "regard.layers.channel:ChannelAttention"),
        ),
        document=Version(
            "K^(i) = V·W_v^(i), Q·W_q^(i), Concat·W^O, softargmax(KᵀQ) down the columns",
            r"\operatorname{Concat}(H^{(1)}, \dots, H^{(h)}) W^O, \quad K^{(i)} = V W_v^{(i)}",
            Written(
                project=lambda W, X: X @ W.T,
                key=lambda w, K, V: w[2] @ V,
                attend=lambda q, k, v, beta: v @ torch.softmax(beta * k.T @ q, 0),
                join=lambda heads, W: (torch.cat([head.T for head in heads], 1) @ W.T).T,
                beta=lambda D: 1 / math.sqrt(D),
            ),
        ),
        ours=Version(
            "W_q^(i)Q, W_k^(i)K, W_v^(i)V, then W^O[H^(1); …; H^(h)], β = 1/√D in every head",
            r"W^O [H^{(1)}; \dots; H^{(h)}], \quad K^{(i)} = W_k^{(i)} K",
            Written(
                project=lambda W, X: W @ X,
                key=lambda w, K, V: w[1] @ K,
                attend=by_columns,
                join=kept,
                beta=lambda D: 1 / math.sqrt(D),
            ),
        ),
        twin=Version(
            "the heads' mean in place of their concatenation, repeated to fit W^O",
            r"W^O [\bar H; \dots; \bar H], \quad \bar H = \frac1h \sum_i H^{(i)}",
            Written(
                project=lambda W, X: W @ X,
                key=lambda w, K, V: w[1] @ K,
                attend=by_columns,
                join=lambda heads, W: W @ torch.stack(heads).mean(0).repeat(len(heads), 1),
                beta=lambda D: 1 / math.sqrt(D),
            ),
        ),
        check=written,
        expected=Verdict.CORRECTED,
    ),
    Claim(
        id="nyu.2b",
        title="What heads are in a convolution",
        texts=Texts(
            asks="To what in a ConvNet do the heads of multi-head attention correspond?",
            derivation="A head that attends from each pixel to the one at the shift $f(h)$ contributes $W^h x_{q + "
            "f(h)}$. A $K \\times K$ convolution is $y_q = \\sum_\\delta W_\\delta x_{q + \\delta}$, a sum over $K^2$ "
            "shifts. So one-hot heads correspond to the *taps* of the kernel, $W^h = W_{f(h)}$, and there are $K^2$ of "
            "them (of soft heads other numbers do: see `conv.c2r`).\n\n"
            "The output channels are the rows of every $W^h$: $D_{out}$ of them, whatever the number of heads. Nine "
            "heads express 3 × 3 convolutions to any number of channels; fewer one-hot heads leave taps out, one head "
            "for each channel is too few for one channel and too many for twenty. What carries over of the comparison "
            "is that heads and channels are both computed in parallel and then mixed by the next linear map.",
            quantities={"K": "the kernel is K × K", "D_out": "output channels", "W_δ": "D_out × D_in, a tap's matrix"},
            method="counts exact at K = 1, 3, 5 and 1 to 20 channels; outputs in float64 within 1e-13 of the largest",
            code=("regard.analysis.convolution.conversion:attention_from_conv",),
        ),
        document=Version("heads are like output channels", r"h = D_{out}", Heads(lambda K, channels: channels)),
        ours=Version("one-hot heads are taps, K² of them for any D_out", r"h = K^2", Heads(lambda K, channels: K * K)),
        twin=Version("heads are the rows of the kernel, K of them", r"h = K", Heads(lambda K, channels: K)),
        check=heads,
        expected=Verdict.REFUTED,
        chart=heads_chart,
    ),
)
