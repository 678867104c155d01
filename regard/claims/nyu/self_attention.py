"""Question 3: what self-attention is, what speaks for it and against it."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.analysis import cost, paths
from regard.claims.chart import Lines, Numbers
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import agrees, equals
from regard.claims.nyu import head_counts, neighbours, order
from regard.claims.nyu.chains import build, longest_path, made, steps
from regard.claims.small_runs import seeded
from regard.layers import MultiHead, Widths

HANDMADE = (
    (-0.75220098, -1.50668721),
    (-2.29564869, -6.58686077),
    (-1.07141415, -2.47595506),
    (-0.74812187, -1.4971829),
)


@dataclass(frozen=True)
class Use:
    """A layer and what it is called with."""

    name: str
    layer: MultiHead
    q: Tensor
    k: Tensor
    v: Tensor

    @property
    def out(self) -> Tensor:
        return self.layer(self.q, self.k, self.v)

    @property
    def sequences(self) -> int:
        """How many different sequences the output depends on, by its gradient."""
        given = {id(x): x for x in (self.q, self.k, self.v)}
        gradients = torch.autograd.grad(self.out.square().sum(), list(given.values()))
        return sum(bool(gradient.any()) for gradient in gradients)


@dataclass(frozen=True)
class Definition:
    """Which uses of a layer are called self-attention."""

    is_self: Callable[[Use], bool]


def handmade() -> Use:
    """Practical 10's example: four tokens of width 3, a head of width 2, and no projection after it."""
    x = torch.tensor([[-2, 1, 0.5], [1, 1.5, -0.5], [-1.5, 1, -0.5], [-2, -2.5, 1.5]]).double().requires_grad_()
    layer = MultiHead(Widths(query=3, head=2, out=2), 1, bias=False, out_bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.query.weight.copy_(torch.tensor([[1, 0, -0.5], [-1.5, 2, -1]]))
        layer.key.weight.copy_(torch.tensor([[-1.5, 2.5, 0.5], [-1, 0, -1]]))
        layer.value.weight.copy_(torch.tensor([[1, -0.5, 0], [2.5, -2, -1]]))
        layer.out.weight.copy_(torch.eye(2))
    return Use("the example by hand", layer, x[None], x[None], x[None])


@functools.cache
def uses() -> tuple[Use, ...]:
    with seeded(30):
        layer = MultiHead(8, 2, dtype=torch.float64)
        x, same, memory = (torch.randn(1, n, 8, dtype=torch.float64, requires_grad=True) for n in (5, 5, 7))
        hand = handmade()
    own = hand.q.detach().requires_grad_()
    return (
        Use(hand.name, hand.layer, own, own, own),
        Use("the layer of an encoder", layer, x, x, x),
        Use("a decoder that looks at an encoder", layer, x, memory, memory),
        Use("the same with sequences of one length", layer, x, same, same),
    )


def definition(stated: Definition) -> Sequence[Finding]:
    """The stated definition against the number of sequences that each output depends on."""
    findings = []
    for use in uses():
        count, said = use.sequences, stated.is_self(use)
        widths = f"width {use.q.shape[2]} → {use.out.shape[2]}"
        of = "one sequence" if count == 1 else f"{count} sequences"
        called = f"by this definition {'self-attention' if said else 'not self-attention'}"
        link = "yet" if said != (count == 1) else "and"
        shown = f"{use.name}, {widths}: {called}, {link} q, k, v come from {of}"
        findings.append(Finding(use.name, said == (count == 1), shown))
    numbers = equals(
        "the example's four rows", uses()[0].out[0].detach(), torch.tensor(HANDMADE, dtype=torch.float64), 1e-8
    )
    return [*findings, numbers]


DEFINITION = Claim(
    id="nyu.3def",
    title="What self-attention is",
    texts=Texts(
        asks="What makes an attention layer a *self*-attention layer?",
        derivation="The word says where queries, keys and values come from: $Q = W_q X$, $K = W_k X$, $V = W_v X$ of "
        "*one* sequence $X$. In cross-attention the queries come from one sequence, the keys and values of another.\n\n"
        "Widths do not decide. The output has the width of $W_v$, or of the last projection, and both are free: the "
        "worked example of practical 10 attends from $X$ to $X$ and maps width 3 to 2. And the cross-attention of a "
        "Transformer's decoder maps width $D$ to $D$ without being self-attention.",
        quantities={"X": "the sequence", "D": "width of a token"},
        method="the number of sequences by the gradient of the output; the example's numbers to 1e-8",
        code=("regard.layers.multihead:MultiHead", "regard.layers.multihead:Widths"),
    ),
    document=Version(
        "attention whose output is as wide as its input",
        r"D_{out} = D_{in}",
        Definition(lambda use: use.out.shape[2] == use.q.shape[2]),
    ),
    ours=Version(
        "attention whose queries, keys and values come from one sequence",
        r"Q = W_q X,\; K = W_k X,\; V = W_v X",
        Definition(lambda use: use.q is use.k and use.k is use.v),
    ),
    twin=Version(
        "attention with as many queries as keys", r"n = m", Definition(lambda use: use.q.shape[1] == use.k.shape[1])
    ),
    check=definition,
    expected=Verdict.REFUTED,
)


@dataclass(frozen=True)
class Layer:
    """Of N tokens of width D: pairs that one layer joins, layers or cells that join all, steps in turn, products."""

    pairs: Callable[..., int]
    path: Callable[..., int]
    steps: Callable[..., int]
    products: Callable[..., int]


SIZES = [{"N": 6, "D": 4, "K": 3}, {"N": 11, "D": 8, "K": 2}]


@functools.cache
def joined(way: str, N: int, D: int, K: int) -> int:
    """Pairs of an output and an input whose Jacobian is not zero: of the outputs' sums of squares, one by one."""
    with seeded(31):
        layer, x = build(way, D, K), torch.randn(1, N, D, requires_grad=True)
    outputs = layer(x)[0].square().sum(1)
    rows = [torch.autograd.grad(output, x, retain_graph=True)[0][0].any(1) for output in outputs]
    return int(torch.stack(rows).sum())


@functools.cache
def counted(way: str, N: int, D: int, K: int) -> int:
    """Multiply-adds of a built layer."""
    x = torch.empty(1, N, D, device="meta")
    given = torch.empty(1, D, N + K - 1, device="meta") if way == "convolution" else x
    return int(cost(made(way, D, K, "meta"), given, backward=False).forward.flops) // 2


def table(stated: Mapping[str, Layer]) -> Sequence[Finding]:
    """Every entry of the table, against what is built and counted, and attention opened up."""
    findings = []
    for way, layer in stated.items():
        for name, said, true in (
            ("pairs joined by one layer", layer.pairs, functools.partial(joined, way)),
            ("longest path", layer.path, functools.partial(longest_path, way)),
            ("steps in turn", layer.steps, functools.partial(steps, way)),
            ("multiply-adds", layer.products, functools.partial(counted, way)),
        ):
            findings.append(agrees(f"{way}: {name}", said, true, SIZES))
    return [*findings, *opened()]


@functools.cache
def opened() -> tuple[Finding, ...]:
    """Attention can be looked into: its output is its map times its values. Order is not seen."""
    with seeded(32):
        layer, x = MultiHead(8, 1, dtype=torch.float64), torch.randn(1, 6, 8, dtype=torch.float64)
        turn = torch.randperm(6)
    with torch.no_grad():
        by_map = layer.out(layer.weights(x)[:, 0] @ layer.value(x))
        return (
            equals("the output is the visible map times the values", layer(x), by_map, 1e-13),
            equals("permuted tokens give permuted outputs", layer(x[:, turn]), layer(x)[:, turn], 1e-13),
        )


def drawn() -> Lines:
    sizes = [2**n for n in range(2, 13)]
    names = {"attention": "attention", "convolution": "convolution, K = 3", "recurrence": "recurrence"}
    curves: dict[str, Numbers] = {
        title: [float(paths(N, 1, 3)[way].path) for N in sizes] for way, title in names.items()
    }
    curves["convolution, dilations 3^l"] = [float(paths(N, 1, 3)["dilated convolution"].path) for N in sizes]
    return Lines(
        title="Layers or cells between the first token and the last",
        x=sizes,
        y=curves,
        x_label="tokens N",
        y_label="longest path",
        log_x=True,
        log_y=True,
    )


TABLE = {
    "attention": Layer(
        pairs=lambda N, D, K: N * N,
        path=lambda N, D, K: 1,
        steps=lambda N, D, K: 1,
        products=lambda N, D, K: 4 * N * D * D + 2 * N * N * D,
    ),
    "convolution": Layer(
        pairs=lambda N, D, K: N * K - K * (K - 1) // 2,
        path=lambda N, D, K: -(-(N - 1) // (K - 1)),
        steps=lambda N, D, K: 1,
        products=lambda N, D, K: K * N * D * D,
    ),
    "recurrence": Layer(
        pairs=lambda N, D, K: N * (N + 1) // 2,
        path=lambda N, D, K: N,
        steps=lambda N, D, K: N,
        products=lambda N, D, K: 2 * N * D * D,
    ),
}
ATTENTION = TABLE["attention"]

BENEFITS = Claim(
    id="nyu.3a",
    title="For and against self-attention",
    texts=Texts(
        asks="What are the benefits and the drawbacks of self-attention beside convolution and recurrence?",
        derivation="*For it*: one layer joins every token with every token, so that the longest path is 1, where "
        "convolutions of $K$ taps need $\\lceil (N-1)/(K-1) \\rceil$ layers and a recurrence $N$ cells. All outputs "
        "are computed at once: 1 step in turn against $N$. And the map by which it mixes the values can be looked "
        "at.\n\n"
        "*Against it*: a permutation of the tokens permutes the outputs, so that order must be told. And the pairs "
        "are paid for: $4ND^2$ multiply-adds of projections and $2N^2D$ of logits and mixing, where a convolution "
        "costs $KND^2$ and a plain recurrence $2ND^2$, which both grow as $N$.",
        quantities={"N": "tokens", "D": "width", "K": "taps of the convolution, which looks back"},
        method="counts exact at two sizes; pairs, layers and cells by gradients, steps in turn by the longest chain of "
        "products in the graph of the built layer, less that of one token; the last two findings in float64 to 1e-13",
        code=("regard.analysis.reach.path_lengths:paths", "regard.analysis.cost.count:cost"),
    ),
    ours=Version(
        "every pair at once, by a path of 1, in one step; at 4ND² + 2N²D multiply-adds, and without order",
        r"4ND^2 + 2N^2D",
        TABLE,
    ),
    twin=Version(
        "the same at a cost that grows as N",
        r"4ND^2",
        TABLE
        | {
            "attention": Layer(
                pairs=ATTENTION.pairs,
                path=ATTENTION.path,
                steps=ATTENTION.steps,
                products=lambda N, D, K: 4 * N * D * D,
            )
        },
    ),
    check=table,
    expected=Verdict.HOLDS,
    chart=drawn,
)

CLAIMS = (DEFINITION, BENEFITS, *head_counts.CLAIMS, *order.CLAIMS, *neighbours.CLAIMS)
