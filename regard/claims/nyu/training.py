"""Question 4: what the feed-forward, the norms and the residuals do in a Transformer."""

import functools
import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from regard.algorithms import attend, weights
from regard.analysis.sensitivity.depth import Flow, Norm, depth_flows
from regard.claims.chart import Lines
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.experiments import latest
from regard.claims.nyu import long_range
from regard.claims.small_runs import seeded
from regard.layers import FeedForward, MultiHead


@dataclass(frozen=True)
class Nonlinear:
    """The numbers of tokens at which attention alone is linear, and the corner gap of XOR that each part can make."""

    linear_at: Callable[[int], bool]
    gaps: Mapping[str, float]  # |f(0,0) + f(1,1) − f(0,1) − f(1,0)|: 0 for every affine map, 2 for XOR


def linearity(n: int) -> float:
    """How far attention of a sum of inputs is from the sum of its outputs, relative."""
    with seeded(45), torch.no_grad():
        layer = MultiHead(6, 2, bias=False, out_bias=False, dtype=torch.float64)
        x, y = torch.randn(2, 1, n, 6, dtype=torch.float64)
        apart = layer(x) + layer(y)
        return ((layer(x + y) - apart).norm() / apart.norm()).item()


def corner_gap(layer: nn.Module) -> float:
    """What tells XOR from every affine map, of the first output of a layer at the four corners."""
    corners = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float64)
    with torch.no_grad():
        a, b, c, d = layer(corners[:, None])[:, 0, 0]  # four sequences of one token
    return abs((a + d - b - c).item())


def xor() -> FeedForward:
    """relu(x₁ − x₂) + relu(x₂ − x₁), which is XOR at the corners."""
    layer = FeedForward(2, 2, "relu", bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.inner.weight.copy_(torch.tensor([[1.0, -1.0], [-1.0, 1.0]]))
        layer.out.weight.copy_(torch.tensor([[1.0, 1.0], [0.0, 0.0]]))
    return layer


def hull() -> tuple[float, float, float]:
    """How far outputs of a head, and outputs after W_O, lie beyond the values over 200 directions; and A·V − o."""
    with seeded(46), torch.no_grad():
        q, k, v = torch.randn(3, 1, 1, 9, 4, dtype=torch.float64)
        o, directions = attend(q, k, v)[0, 0], torch.randn(4, 200, dtype=torch.float64)
        A = weights(q, k)[0, 0]
        gap = max((A @ v[0, 0] - o).abs().max().item(), (A.sum(1) - 1).abs().max().item(), -A.min().item())
        farthest = (v[0, 0] @ directions).amax(0)
        after = o @ torch.randn(4, 4, dtype=torch.float64)
        return (o @ directions - farthest).max().item(), (after @ directions - farthest).max().item(), gap


def feed_forward(stated: Nonlinear) -> Sequence[Finding]:
    """XOR at one token, the hull, and additivity over the number of tokens."""
    with seeded(47):
        layers = {"attention": MultiHead(2, 1, dtype=torch.float64), "feed-forward": xor()}
    findings = []
    for name, layer in layers.items():
        gap, said = corner_gap(layer), stated.gaps[name]
        shown = f"one token: {name} has the corner gap {gap:.1g} (XOR: 2), stated {said:g}"
        findings.append(Finding(f"XOR by {name}", abs(gap - said) < 1e-12, shown))
    beyond, projected, gap = hull()
    findings.append(
        Finding(
            "the hull of the values",
            beyond < 1e-12 < projected and gap < 1e-12,
            f"outputs of a head lie in the hull of the values by {-beyond:.2f}, after W_O outside by {projected:.2f}",
        )
    )
    for n in (1, 2, 5):
        gap = linearity(n)
        shown = f"attention over {n} token{'s' * (n > 1)}: f(x + y) is off f(x) + f(y) by {gap:.1e}"
        holds = stated.linear_at(n) == (gap < 1e-12)
        findings.append(Finding(f"linear over {n}", holds, shown, detail=n > 1))
    return findings


GAPS = {"attention": 0.0, "feed-forward": 2.0}


def similarities() -> Lines:
    return Lines(
        title="Mean cosine between tokens against depth, one seed",
        x=list(DEPTHS),
        y={name: list(flow.similarity) for name, flow in of_seed(0).items()},
        x_label="blocks",
        y_label="mean cosine of two tokens",
        log_x=True,
    )


FEED_FORWARD = Claim(
    id="nyu.4c",
    title="What the feed-forward brings",
    texts=Texts(
        asks="Is it the feed-forward layer that brings the non-linearity into a Transformer?",
        derivation="*In each position*, yes. The output of a head is $\\sum_j a_j v_j$ with $a_j \\ge 0$, $\\sum_j "
        "a_j = 1$: a point in the convex hull of the values, which are linear in the tokens. For one token the weight "
        "is 1 and attention is the affine map $W_O W_v x + b$: every affine map has $f(0,0) + f(1,1) = f(0,1) + "
        "f(1,0)$, XOR has $0$ and $2$. A feed-forward of two hidden units makes it: $\\operatorname{relu}(x_1 - x_2) "
        "+ \\operatorname{relu}(x_2 - x_1)$.\n\n"
        "*Over several tokens* attention is itself non-linear in $X$: the weights depend on it. And averages pull "
        "tokens together: the figure shows how alike they become with depth.",
        quantities={"a": "weights of a query", "v": "values", "W_O": "output projection, which may leave the hull"},
        method="float64, to 1e-12; the hull by 200 directions",
        code=("regard.layers.feed_forward:FeedForward", "regard.layers.multihead:MultiHead"),
    ),
    document=Version(
        "the feed-forward layer brings the non-linearity, attention being linear",
        r"f(x + y) = f(x) + f(y)",
        Nonlinear(lambda n: True, GAPS),
    ),
    ours=Version(
        "it brings the non-linearity in each position; attention over several tokens is non-linear too",
        r"f(x + y) = f(x) + f(y) \text{ for } N = 1",
        Nonlinear(lambda n: n == 1, GAPS),
    ),
    twin=Version(
        "attention makes XOR of a single token",
        r"f(0,0) + f(1,1) \neq f(0,1) + f(1,0)",
        Nonlinear(lambda n: n == 1, {"attention": 2.0, "feed-forward": 2.0}),
    ),
    check=feed_forward,
    expected=Verdict.CORRECTED,
    chart=similarities,
)

DEPTHS = (1, 2, 4, 8, 16, 64)
# What no norm holds differs by 1e35: three seeds tell. A norm alone and post-norm are near each other.
SEEDS, TOKENS = 3, 32
NORMED_SEEDS, NORMED_TOKENS = 6, 16
WIRINGS: dict[str, tuple[bool, Norm]] = {
    "neither": (False, "none"),
    "residual alone": (True, "none"),
    "norm alone, before": (False, "pre"),
    "norm alone, after": (False, "post"),
    "both, pre-norm": (True, "pre"),
    "both, post-norm": (True, "post"),
}


@functools.cache
def of_seed(seed: int) -> Mapping[str, Flow]:
    normed = {name: wiring for name, wiring in WIRINGS.items() if wiring[1] != "none"}
    bare = {name: wiring for name, wiring in WIRINGS.items() if name not in normed and seed < SEEDS}
    found = depth_flows(DEPTHS, bare, tokens=TOKENS, seed=seed) if bare else {}
    return found | depth_flows(DEPTHS, normed, tokens=NORMED_TOKENS, seed=seed)


@functools.cache
def flows() -> Mapping[str, list[Flow]]:
    """By wiring, a flow for each seed."""
    found = [of_seed(seed) for seed in range(NORMED_SEEDS)]
    return {name: [each[name] for each in found if name in each] for name in WIRINGS}


def typical(name: str) -> Flow:
    """Geometric means of the gradients over the seeds, of which single ones scatter tenfold, and mean cosines."""
    found = flows()[name]
    gradient = [statistics.geometric_mean(each) for each in zip(*[flow.gradient for flow in found], strict=True)]
    similarity = [statistics.mean(each) for each in zip(*[flow.similarity for flow in found], strict=True)]
    return Flow(DEPTHS, tuple(gradient), tuple(similarity))


@dataclass(frozen=True)
class Kept:
    """Between what the gradient norm at the input lies after 64 blocks, and from which depth on all tokens are one."""

    gradient: Mapping[str, tuple[float, float]]  # of the geometric mean over the seeds
    equal_from: Mapping[str, int | None]  # of the depths 1, 2, 4, …, 64


def stability(stated: Kept) -> Sequence[Finding]:
    """Four combinations, the norm before or after, over depth."""
    findings = []
    for name, (low, high) in stated.gradient.items():
        norm, _ = typical(name).at(64)
        single = [flow.at(64)[0] for flow in flows()[name]]
        seeds = f"{len(single)} seeds: {min(single):.1g} to {max(single):.1g}"
        shown = f"{name}: gradient {norm:.2g} at the input of 64 blocks ({seeds}), stated {low:g} to {high:g}"
        findings.append(Finding(f"gradient, {name}", low <= norm <= high, shown))
    for name, said in stated.equal_from.items():
        pairs = list(zip(DEPTHS, typical(name).similarity, strict=True))
        found = next((depth for depth, similarity in pairs if similarity > 0.999), None)
        row = ", ".join(f"{similarity:.4f}" for _, similarity in pairs[1:])
        at = ", ".join(map(str, DEPTHS[1:]))
        said_from, found_from = (f"equal from {depth}" if depth else "never equal" for depth in (said, found))
        shown = f"{name}: cosine of tokens {row} after {at} blocks: {found_from}"
        shown += "" if found == said else f", stated {said_from}"
        findings.append(Finding(f"tokens, {name}", found == said, shown))
    return [*findings, *learnt()]


def learnt() -> Sequence[Finding]:
    """Of a recorded run of the recipe `gradients` that is deep enough: what the deepest stacks learnt."""
    run = latest("gradients")
    found = [] if run is None else [match for name in run.numbers if (match := LEARNT.fullmatch(name))]
    if run is None or (deepest := max([int(match["depth"]) for match in found], default=0)) < DEEP:
        return []
    right = {match["wiring"]: run[match[0]] for match in found if int(match["depth"]) == deepest}
    both, rest = right["pre-norm with residual"], {k: v for k, v in right.items() if "-norm with residual" not in k}
    best = max(rest, key=lambda name: rest[name])
    shown = f"{deepest} blocks, trained: {100 * both:.0f} % of digits right with pre-norm and residual, with one of "
    shown += f"the two or neither at most {100 * rest[best]:.0f} % ({best}) [{run.source}]"
    return [Finding("learnt", both > rest[best], shown)]


def gradients() -> Lines:
    return Lines(
        title="Gradient norm at the input against depth",
        x=list(DEPTHS),
        y={name: list(typical(name).gradient) for name in WIRINGS},
        x_label="blocks",
        y_label="norm of the gradient at the input",
        log_x=True,
        log_y=True,
    )


LEARNT = re.compile(r"(?P<wiring>[\w -]+), depth (?P<depth>\d+): accuracy")
DEEP = 16  # blocks, from which on the wirings differ
KEPT = {
    "neither": (1e-19, 1e-16),
    "residual alone": (1e15, 1e19),
    "norm alone, before": (NORMED_TOKENS**-0.5 / 4, NORMED_TOKENS**-0.5 * 4),
    "norm alone, after": (NORMED_TOKENS**-0.5 / 4, NORMED_TOKENS**-0.5 * 4),
    "both, pre-norm": (0.3, 3.0),
    "both, post-norm": (0.1, 3.0),
}
EQUAL = {"norm alone, before": 4, "norm alone, after": 4, "both, pre-norm": None, "both, post-norm": 16}

STABLE = Claim(
    id="nyu.4d",
    title="Norms and residuals",
    texts=Texts(
        asks="Do layer norms and residual connections keep gradients stable in deep stacks?",
        derivation="Both *together* do. Take blocks of attention and a ReLU feed-forward with Xavier weights. For "
        "tokens that are alike attention keeps the variance, and the feed-forward multiplies it by $\\frac12 \\cdot "
        "\\frac25 \\cdot \\frac85 = 0.32$: with neither, 64 blocks shrink a gradient by about $0.32^{32} \\approx "
        "10^{-16}$, and by another $1/\\sqrt T$ since the mean of tokens alone survives. With a residual alone the "
        "variances add: $(1 + 1)(1 + 0.32)$ per block, $10^{13}$ after 64, and more through the softmax, whose logits "
        "grow as the square of the tokens.\n\n"
        "A norm alone keeps the size of the tokens, yet averages make all of them equal within four blocks, and only "
        "the gradient of their mean comes through, some $1/\\sqrt T$ of it. With both, pre-norm adds a bounded part to "
        "a growing sum, whose share of each block falls as $1/L$: the gradient stays near 1 for every seed, and tokens "
        "remain apart. Post-norm divides each sum by its size: the gradient stays within a factor of ten, and tokens "
        "last four times as long as with a norm alone, 16 blocks instead of 4, not for ever.\n\n"
        "So *single* gradients do not tell a norm alone from post-norm with residuals: both scatter between some 0.01 "
        "and 10 from seed to seed. The tokens do.",
        quantities={"T": f"tokens: {TOKENS} without a norm, {NORMED_TOKENS} with one", "L": "blocks, up to 64"},
        method=f"blocks as they begin, width 64, 64 heads of width 1, float64; geometric means over {NORMED_SEEDS} "
        f"seeds ({SEEDS} without a norm), of which single ones lie up to forty times higher or lower; equal means a "
        "mean cosine above 0.999; for a norm alone 1/√T within a factor of 4 is stated; heads of width 16 explode "
        "further, beyond 1e90, with a residual alone",
        code=("regard.analysis.sensitivity.depth:depth_flows", "regard.analysis.sensitivity.depth:flow"),
    ),
    ours=Version(
        "both together: neither vanishes, the residual alone explodes, the norm alone makes all tokens equal",
        r"\lVert \partial y / \partial x \rVert \approx 1",
        Kept(KEPT, EQUAL),
    ),
    twin=Version(
        "a residual alone keeps gradients stable",
        r"x + f(x)",
        Kept(KEPT | {"residual alone": (0.2, 5.0)}, EQUAL),
    ),
    check=stability,
    expected=Verdict.HOLDS,
    chart=gradients,
)


@dataclass(frozen=True)
class Normed:
    """The parts whose output at one row ignores the batch, and those that pass x on when what they learn is zero."""

    ignores_batch: frozenset[str]
    passes_on: frozenset[str]


class Residual(nn.Module):
    """x + Wx."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.part = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.part(x)


PARTS: dict[str, Callable[[int], nn.Module]] = {
    "layer norm": nn.LayerNorm,
    "batch norm": nn.BatchNorm1d,
    "residual": Residual,
}


@functools.cache
def moved(name: str) -> float:
    """How one row's output changes when the other rows of its batch do, in training."""
    with seeded(48):
        layer = PARTS[name](6).double()
        x = torch.randn(8, 6, dtype=torch.float64)
        other = torch.cat((x[:1], 3 + 2 * torch.randn(7, 6, dtype=torch.float64)))
        return (layer(x)[0] - layer(other)[0]).abs().max().item()


@functools.cache
def passed(name: str) -> float:
    """How far the Jacobian of a row is from the identity when all that the part learns is zero."""
    with seeded(49):
        layer = PARTS[name](6).double()
        x = torch.randn(8, 6, dtype=torch.float64)
    for parameter in layer.parameters():
        nn.init.zeros_(parameter)
    jacobian = torch.autograd.functional.jacobian(lambda x: layer(x)[0], x)
    assert isinstance(jacobian, Tensor)
    return (jacobian[:, 0] - torch.eye(6, dtype=torch.float64)).abs().max().item()


def norms(stated: Normed) -> Sequence[Finding]:
    """Other rows changed, and parameters set to zero."""
    findings = []
    for name in PARTS:
        gap, said = moved(name), name in stated.ignores_batch
        shown = f"{name}: one row's output moves by {gap:.2g} when the rest of its batch changes"
        findings.append(Finding(f"{name} and the batch", said == (gap < 1e-12), shown))
    for name in PARTS:
        gap, said = passed(name), name in stated.passes_on
        kept = "passes its input on" if gap < 1e-12 else "does not pass its input on"
        shown = f"{name} with all parameters 0 {kept}: ∂y/∂x is off the identity by {gap:g}"
        findings.append(Finding(f"{name} at zero", said == (gap < 1e-12), shown))
    return findings


NORMS = Claim(
    id="nyu.4bn",
    title="Layer norm, batch norm and residuals",
    texts=Texts(
        asks="Does layer norm depend on the batch, and is the residual connection something that batch norm does as "
        "well?",
        derivation="Layer norm takes mean and variance over the entries of one token: $y = \\gamma (x - \\mu)/\\sigma "
        "+ \\beta$ with $\\mu$, $\\sigma$ of this $x$. Other rows do not occur in it. Batch norm takes them over the "
        "rows, so that in training each row's output moves with the others; in evaluation it uses stored numbers.\n\n"
        "A residual connection $x + f(x)$ is another thing: with $f = 0$ its Jacobian is the identity. Batch norm (or "
        "layer norm) with $\\gamma = \\beta = 0$ gives 0 for every input, Jacobian 0. Neither norm contains a "
        "residual, and a residual needs neither: the two are unrelated, though networks with either norm use both.",
        quantities={"μ, σ": "mean and deviation", "γ, β": "learned scale and shift"},
        method="float64, training mode, 8 rows of 6; below 1e-12 counts as no change",
        code=("regard.models.block:NormConfig", "regard.models.block:Block"),
    ),
    document=Version(
        "layer norm brings no shift between batches; the residual also happens with batch normalization",
        r"\operatorname{BN}(x) = x + f(x)",
        Normed(frozenset({"layer norm", "residual"}), frozenset({"residual", "batch norm"})),
    ),
    ours=Version(
        "layer norm brings no shift between batches; the residual is unrelated to either norm",
        r"\frac{\partial (x + f(x))}{\partial x} = I + f'(x)",
        Normed(frozenset({"layer norm", "residual"}), frozenset({"residual"})),
    ),
    twin=Version(
        "batch norm brings no shift between batches",
        r"\mu, \sigma \text{ of one row}",
        Normed(frozenset({"layer norm", "residual", "batch norm"}), frozenset({"residual"})),
    ),
    check=norms,
    expected=Verdict.REFUTED,
)

CLAIMS = (*long_range.CLAIMS, FEED_FORWARD, STABLE, NORMS)
