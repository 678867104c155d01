"""Question 4: what the Transformer costs beside recurrent models, and what its weights depend on."""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from regard.analysis import cost
from regard.attention import Elu, Kernel, Window
from regard.claims.chart import Lines, Numbers
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.findings import agrees
from regard.claims.nyu.chains import longest_path, steps
from regard.claims.small_runs import seeded
from regard.claims.timing import one_thread, processor_seconds
from regard.layers import MultiHead

RECURRENT = {"LSTM": nn.LSTM, "GRU": nn.GRU, "RNN": nn.RNN}


@functools.cache
def products(kind: str, n: int, d: int) -> int:
    """Multiply-adds of a built layer for n tokens of width d."""
    x = torch.empty(1, n, d, device="meta")
    if kind == "attention":
        layer = MultiHead(d, 1, device="meta")
    else:
        layer = RECURRENT[kind](d, d, batch_first=True, device="meta")
    return int(cost(layer, x, backward=False).forward.flops) // 2


def exponent(counted: Callable[[int], int], sizes: Sequence[int]) -> float:
    """By which power a count grows from the smaller to the larger size."""
    small, large = sizes
    return math.log(counted(large) / counted(small)) / math.log(large / small)


@dataclass(frozen=True)
class Layers:
    """What a layer of attention costs beside recurrent ones, over n tokens of width d."""

    powers: tuple[int, int]  # of n and of d in what grows fastest with n
    steps: Callable[[int], int]
    path: Callable[[int], int]
    products: Mapping[str, Callable[..., int]] = field(default_factory=dict)
    cheaper_below: Mapping[str, Callable[[int], int]] = field(default_factory=dict)  # the n where the costs are equal


def beside_recurrence(stated: Layers) -> Sequence[Finding]:
    """Exponents, steps and paths; counts where they are stated, and both sides of each crossover; time."""
    d, far = 4, (2**16, 2**18)  # so far out that the pairs alone decide
    in_n = exponent(lambda n: products("attention", n, d), far)
    in_d = exponent(lambda d: products("attention", far[1], d), (2, 8))
    N = 24
    turns, ways = ({way: found(way, N, d, 3) for way in ("attention", "recurrence")} for found in (steps, longest_path))
    findings = [
        Finding(
            "growth with n",
            abs(in_n - stated.powers[0]) < 0.01,
            f"the cost of attention grows as n^{in_n:.3f}, stated n^{stated.powers[0]}",
        ),
        Finding(
            "steps in turn",
            turns["attention"] == stated.steps(N),
            f"{N} tokens take attention {turns['attention']} step in turn, a recurrence {turns['recurrence']}",
        ),
        Finding(
            "longest path",
            ways["attention"] == stated.path(N),
            f"the first of {N} tokens reaches the last output by {ways['attention']} layer of attention, by "
            f"{ways['recurrence']} cells of a recurrence",
        ),
        Finding(
            "growth with d",
            abs(in_d - stated.powers[1]) < 0.01,
            f"at n = {far[1]:,} the cost also grows as d^{in_d:.3f}: O(n²d); stated d^{stated.powers[1]}",
            detail=True,
        ),
    ]
    sizes = [{"n": 8, "d": 4}, {"n": 3, "d": 16}]
    for kind, formula in stated.products.items():
        findings.append(agrees(f"multiply-adds of {kind}", formula, functools.partial(products, kind), sizes))
    findings += [crossover(kind, at) for kind, at in stated.cheaper_below.items()]
    return [*findings, timed()]


COMPARED = {-1: "cheaper", 0: "equal", 1: "dearer"}


def crossover(kind: str, at: Callable[[int], int]) -> Finding:
    """Whether attention is cheaper below the stated n, equal there, and dearer above."""
    d = 4
    n = at(d)
    signs = {m: compare(products("attention", m, d), products(kind, m, d)) for m in (n - 1, n, n + 1) if m > 0}
    words = ", ".join(f"{COMPARED[sign]} at n = {m}" for m, sign in signs.items())
    holds = all(sign == compare(m, n) for m, sign in signs.items())
    shown = f"attention beside {kind} at d = {d}: {words}"
    return Finding(f"crossover with {kind}", holds, shown)


def compare(a: int, b: int) -> int:
    return (a > b) - (a < b)


@functools.cache
def timed() -> Finding:
    """Steps in turn take time: a plain recurrence with a fraction of the products is the slower one."""
    n, d = 512, 16
    with seeded(40), torch.inference_mode(), one_thread():
        x = torch.randn(1, n, d)
        attention, recurrence = MultiHead(d, 1), nn.RNN(d, d, batch_first=True)
        fast, slow = processor_seconds(lambda: attention(x)), processor_seconds(lambda: recurrence(x))
    fewer = products("attention", n, d) / products("RNN", n, d)
    return Finding(
        "measured time",
        slow > fast,
        f"n = {n}, d = {d}: an RNN has {fewer:.0f} times fewer multiply-adds and takes "
        f"{'longer' if slow > fast else 'less time'}: its steps wait for each other",
    )


def crossovers() -> Lines:
    d = 16
    sizes = [4, 8, 16, 32, 64]
    curves: dict[str, Numbers] = {
        kind: [float(products(kind, n, d)) for n in sizes] for kind in ("attention", *RECURRENT)
    }
    return Lines(
        title=f"Multiply-adds of one layer at width d = {d}",
        x=sizes,
        y=curves,
        x_label="tokens n",
        y_label="multiply-adds",
        log_x=True,
        log_y=True,
        marks={"n = d: as a GRU": d, "n = 2d: as an LSTM": 2 * d},
    )


COUNTS = {
    "attention": lambda n, d: 4 * n * d * d + 2 * n * n * d,
    "LSTM": lambda n, d: 8 * n * d * d,
    "GRU": lambda n, d: 6 * n * d * d,
    "RNN": lambda n, d: 2 * n * d * d,
}

BESIDE = Claim(
    id="nyu.4a",
    title="A Transformer beside recurrent models",
    texts=Texts(
        asks="What does a layer of self-attention gain over a recurrent layer, and what does it cost?",
        derivation="It is parallel (one step in turn, a recurrence needs $n$) and short (any two tokens are one layer "
        "apart). $O(n^2)$ per layer holds for a fixed width; with the width it is $O(n^2 d)$, besides the "
        "projections' $O(n d^2)$.\n\n"
        "Counted in multiply-adds: four projections $4nd^2$, logits and mixing $n^2 d$ each. An LSTM has four gates "
        "with two matrices each, $8nd^2$; a GRU three, $6nd^2$; a plain RNN one, $2nd^2$. So $4nd^2 + 2n^2d < 8nd^2$ "
        "for $n < 2d$: for a sentence and a width of hundreds attention is the *cheaper* layer. Beside a GRU it is "
        "for $n < d$, beside a plain RNN never.",
        quantities={"n": "tokens", "d": "width of tokens, states and outputs"},
        method="counts exact; exponents from counts at n = 2^16 and 2^18; steps in turn by the longest chain of "
        "products in the graph of the built layer, less that of one token; paths by gradients; time: of the "
        "processor, on one thread, only compared",
        code=("regard.analysis.cost.count:cost", "regard.analysis.reach.path_lengths:paths"),
    ),
    document=Version(
        "parallel, long range, O(n²) per layer", r"O(n^2)", Layers((2, 0), steps=lambda n: 1, path=lambda n: 1)
    ),
    ours=Version(
        "parallel, long range, 4nd² + 2n²d multiply-adds: fewer than an LSTM for n < 2d, than a GRU for n < d",
        r"4nd^2 + 2n^2d = O(nd^2 + n^2d)",
        Layers(
            (2, 1),
            steps=lambda n: 1,
            path=lambda n: 1,
            products=COUNTS,
            cheaper_below={"LSTM": lambda d: 2 * d, "GRU": lambda d: d, "RNN": lambda d: 0},
        ),
    ),
    twin=Version(
        "attention is dearer than an LSTM from n = d on",
        r"n < d",
        Layers((2, 1), steps=lambda n: 1, path=lambda n: 1, cheaper_below={"LSTM": lambda d: d}),
    ),
    check=beside_recurrence,
    expected=Verdict.CORRECTED,
    chart=crossovers,
)


@dataclass(frozen=True)
class Adaptive:
    """The layers whose mixing of tokens depends on the input."""

    layers: frozenset[str]


def mixing(name: str, x: Tensor) -> Tensor:
    """By what a layer multiplies its tokens at this input: a map, or the derivative of outputs by inputs."""
    with seeded(41):
        attention, conv = MultiHead(3, 1, dtype=torch.float64), nn.Conv1d(3, 3, 3, padding=1, dtype=torch.float64)
    if name == "attention":
        return attention.weights(x)
    jacobian = torch.autograd.functional.jacobian(lambda x: conv(x.mT).mT, x, create_graph=True)
    assert isinstance(jacobian, Tensor)
    return jacobian


def adapts(stated: Adaptive) -> Sequence[Finding]:
    """How the mixing differs between two inputs, and its Jacobian."""
    draw = torch.Generator().manual_seed(42)
    x, y = (torch.randn(1, 4, 3, dtype=torch.float64, generator=draw) for _ in range(2))
    findings = []
    for name in ("attention", "convolution"):
        moved = (mixing(name, x) - mixing(name, y)).abs().max().item()
        jacobian = torch.autograd.functional.jacobian(functools.partial(mixing, name), x)
        assert isinstance(jacobian, Tensor)
        size = jacobian.norm().item()
        findings.append(
            Finding(
                name,
                (name in stated.layers) == (moved > 1e-3 and size > 1e-3) and (moved > 1e-3) == (size > 0),
                f"{name}: its mixing differs by {moved:.2g} between two inputs, its Jacobian has norm {size:.2g}",
            )
        )
    return findings


ADAPTIVE = Claim(
    id="nyu.4ad",
    title="Weights that adapt",
    texts=Texts(
        asks="Do the weights with which attention mixes tokens depend on the input, and those of a convolution?",
        derivation="Attention mixes by $A = \\operatorname{softmax}(\\beta X W_q W_k^\\top X^\\top)$, a function of "
        "$X$ with $\\partial A / \\partial X \\neq 0$. A convolution mixes by its kernel: $\\partial y_q / \\partial "
        "x_{q+\\delta} = W_\\delta$ is the same for every input, and its derivative by the input is exactly zero.",
        quantities={"A": "map of the head", "X": "tokens", "W_δ": "kernel at an offset"},
        method="float64, autograd, two inputs",
        code=("regard.layers.multihead:MultiHead",),
    ),
    ours=Version(
        "attention's weights adapt to each input, a convolution's do not",
        r"\frac{\partial A}{\partial X} \neq 0",
        Adaptive(frozenset({"attention"})),
    ),
    twin=Version(
        "both adapt", r"\frac{\partial W_\delta}{\partial X} \neq 0", Adaptive(frozenset({"attention", "convolution"}))
    ),
    check=adapts,
    expected=Verdict.HOLDS,
)


@dataclass(frozen=True)
class Scaling:
    """By which power of n the cost grows for long inputs, for each mechanism."""

    powers: Mapping[str, int]


def mechanism(name: str) -> tuple[MultiHead, dict[str, Any]]:
    with seeded(43):
        if name == "linear attention":
            return MultiHead(16, 1, weighting=Kernel(Elu())), {}
        return MultiHead(16, 1), {"mask": Window(before=7)} if name == "a window of 8 keys" else {}


# The lengths between which each is compared: the pairs of attention must be most of its cost.
LONG = {"attention": (2**14, 2**16), "a window of 8 keys": (2**9, 2**11), "linear attention": (2**9, 2**11)}


@functools.cache
def flops(name: str, n: int) -> int:
    layer, how = mechanism(name)
    return int(cost(layer, torch.empty(1, n, 16, device="meta"), backward=False, **how).forward.flops)


@functools.cache
def slowdown(n: int, times: int) -> float:
    """How much longer a layer takes for so many times the tokens, measured."""
    layer, _ = mechanism("attention")
    with seeded(44), torch.inference_mode(), one_thread():
        few, many = torch.randn(1, n, 16), torch.randn(1, times * n, 16)
        return processor_seconds(lambda: layer(many), 3) / processor_seconds(lambda: layer(few))


def longer(stated: Scaling) -> Sequence[Finding]:
    """Count at long inputs, and measure."""
    findings = []
    for name, said in stated.powers.items():
        found = exponent(functools.partial(flops, name), LONG[name])
        ratio = flops(name, LONG[name][1]) / flops(name, LONG[name][0])
        shown = f"{name}: 4 times the tokens cost {ratio:.1f} times as much, n^{found:.2f}, stated n^{said}"
        findings.append(Finding(name, abs(found - said) < 0.02, shown))
    times, n = 4, 2048
    slower = slowdown(n, times)
    # A cost that grows as n takes 4 times as long, one that grows as n² 16 times; 6 leaves room for what is fixed.
    holds = (slower > 6) == (stated.powers["attention"] > 1)
    shown = f"measured: {times} times the tokens take {'more' if slower > 6 else 'less'} than 6 times as long"
    return [*findings, Finding("measured time", holds, shown)]


def growing() -> Lines:
    sizes = [64, 256, 1024, 4096]
    return Lines(
        title="FLOPs of a layer at width 16, relative to 64 tokens",
        x=sizes,
        y={name: [flops(name, n) / flops(name, sizes[0]) for n in sizes] for name in LONG},
        x_label="tokens n",
        y_label="times the FLOPs at 64",
        log_x=True,
        log_y=True,
    )


LONGER = Claim(
    id="nyu.4b",
    title="Longer inputs",
    texts=Texts(
        asks="Does attention scale to longer inputs without a significant increase of its cost?",
        derivation="Every token is compared with every token: $n^2$ logits of $d$ multiply-adds each, and as much for "
        "the mixing. Four times the tokens cost sixteen times as much once $n \\gg 2d$. No parameter is added, which "
        "may be what was meant: the *weights* do not grow, the work does.\n\n"
        "It grows as $n$ only if the mechanism is another one: a window of $w$ keys costs $2nwd$, kernel weighting "
        "$2nd^2$ (features as wide as a head).",
        quantities={"n": "tokens", "d": "width, 16 here"},
        method="counts at 4 times the tokens (attention 2^14 and 2^16, the others 2^9 and 2^11), exponents to 0.02; "
        "time of the processor at 2,048 and 8,192 tokens, only compared with 6",
        code=("regard.analysis.cost.count:cost", "regard.attention.weighting.weighting:Kernel"),
    ),
    document=Version("longer inputs do not significantly increase the cost", r"O(n)", Scaling({"attention": 1})),
    ours=Version(
        "the cost grows quadratically, unless the mechanism is changed",
        r"O(n^2)",
        Scaling({"attention": 2, "a window of 8 keys": 1, "linear attention": 1}),
    ),
    twin=Version(
        "the cost grows quadratically with a window too",
        r"O(n^2)",
        Scaling({"attention": 2, "a window of 8 keys": 2}),
    ),
    check=longer,
    expected=Verdict.REFUTED,
    chart=growing,
)

CLAIMS = (BESIDE, ADAPTIVE, LONGER)
