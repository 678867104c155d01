"""Question 4: what the feed-forward, the norms and the residuals do in a Transformer."""

import functools
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.algorithms import attend, weights
from regard.analysis.sensitivity.depth import Flow, Norm, Wired, depth_flows, flow
from regard.claims.chart import Lines
from regard.claims.claim import CORRECTED, HOLDS, REFUTED, Finding, Findings, claim
from regard.claims.experiments import latest
from regard.claims.findings import equals
from regard.claims.small_runs import seeded
from regard.layers import FeedForward, MultiHead
from regard.models.block import EVERYTHING, Around, Block, BlockConfig, NormConfig

EXACT = 1e-12
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
    gradient = [statistics.geometric_mean(each) for each in zip(*[one.gradient for one in found], strict=True)]
    similarity = [statistics.mean(each) for each in zip(*[one.similarity for one in found], strict=True)]
    return Flow(DEPTHS, tuple(gradient), tuple(similarity))


def draw_similarities() -> Lines:
    return Lines(
        title="Mean cosine between tokens against depth, one seed",
        x=list(DEPTHS),
        y={name: list(found.similarity) for name, found in of_seed(0).items()},
        x_label="blocks",
        y_label="mean cosine of two tokens",
        log_x=True,
    )


GAPS = {"attention": 0.0, "feed-forward": 2.0}


@claim(
    "nyu.4c",
    CORRECTED,
    document={"apart": True},
    twin={"gaps": {"attention": 2.0, "feed-forward": 2.0}},
    chart=draw_similarities,
)
def feed_forward(
    gaps: Mapping[str, float] = GAPS,  # |f(0,0) + f(1,1) − f(0,1) − f(1,0)|: 0 for every affine map, 2 for XOR
    linear_at: Callable[[int], bool] = lambda n: n == 1,  # whether attention alone is linear over n tokens
    apart: bool = False,  # whether the feed-forward makes positions different that were not
) -> Findings:
    """XOR at one token, the hull, additivity over the number of tokens, and equal positions."""
    corners = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float64)[:, None]  # four rows of one token
    with seeded(47):
        layers = {"attention": MultiHead(2, 1, dtype=torch.float64), "feed-forward": xor()}
    for name, layer in layers.items():
        a, b, c, d = layer(corners).detach()[:, 0, 0]
        gap = abs((a + d - b - c).item())
        shown = f"one token: {name} has the corner gap {gap:.1g} (XOR: 2), stated {gaps[name]:g}"
        yield Finding(f"XOR by {name}", abs(gap - gaps[name]) < EXACT, shown)
    yield hull()
    for n in (1, 2, 5):
        with seeded(45), torch.no_grad():
            layer = MultiHead(6, 2, bias=False, out_bias=False, dtype=torch.float64)
            x, y = torch.randn(2, 1, n, 6, dtype=torch.float64)
            total = layer(x) + layer(y)
            gap = ((layer(x + y) - total).norm() / total.norm()).item()
        shown = f"attention over {n} token{'s' * (n > 1)}: f(x + y) is off f(x) + f(y) by {gap:.1e}"
        yield Finding(f"linear over {n}", linear_at(n) == (gap < EXACT), shown, detail=n > 1)
    with seeded(46), torch.no_grad():
        x = torch.randn(1, 1, 6, dtype=torch.float64).expand(1, 2, 6)
        first, second = FeedForward(6, 12, "relu", dtype=torch.float64)(x)[0]
    gap = (first - second).abs().max().item()
    shown = f"two positions that are equal are {gap:.0g} apart after the feed-forward: it acts on each alone"
    yield Finding("equal positions", apart == (gap > EXACT), shown, detail=True)


def xor() -> FeedForward:
    """relu(x₁ − x₂) + relu(x₂ − x₁), which is XOR at the corners."""
    layer = FeedForward(2, 2, "relu", bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.inner.weight.copy_(torch.tensor([[1.0, -1.0], [-1.0, 1.0]]))
        layer.out.weight.copy_(torch.tensor([[1.0, 1.0], [0.0, 0.0]]))
    return layer


def hull() -> Finding:
    """How far outputs of a head, and outputs after W_O, lie beyond the values over 200 directions; and A·V − o."""
    with seeded(46), torch.no_grad():
        q, k, v = torch.randn(3, 1, 1, 9, 4, dtype=torch.float64)
        o, directions = attend(q, k, v)[0, 0], torch.randn(4, 200, dtype=torch.float64)
        A = weights(q, k)[0, 0]
        gap = max((A @ v[0, 0] - o).abs().max().item(), (A.sum(1) - 1).abs().max().item(), -A.min().item())
        farthest = (v[0, 0] @ directions).amax(0)
        after = o @ torch.randn(4, 4, dtype=torch.float64)
        beyond, projected = ((each @ directions - farthest).max().item() for each in (o, after))
    shown = f"outputs of a head lie in the hull of the values by {-beyond:.2f}, after W_O outside by {projected:.2f}"
    return Finding("the hull of the values", beyond < EXACT < projected and gap < EXACT, shown)


def draw_gradients() -> Lines:
    return Lines(
        title="Gradient norm at the input against depth",
        x=list(DEPTHS),
        y={name: list(typical(name).gradient) for name in WIRINGS},
        x_label="blocks",
        y_label="norm of the gradient at the input",
        log_x=True,
        log_y=True,
    )


ROOT = NORMED_TOKENS**-0.5
KEPT = {
    "neither": (1e-19, 1e-16),
    "residual alone": (1e15, 1e19),
    "norm alone, before": (ROOT / 4, ROOT * 4),
    "norm alone, after": (ROOT / 4, ROOT * 4),
    "both, pre-norm": (0.3, 3.0),
    "both, post-norm": (0.1, 3.0),
}
EQUAL = {"norm alone, before": 4, "norm alone, after": 4, "both, pre-norm": None, "both, post-norm": 16}


@claim("nyu.4d", HOLDS, twin={"kept": KEPT | {"residual alone": (0.2, 5.0)}}, recipe="gradients", chart=draw_gradients)
def stability(
    kept: Mapping[str, tuple[float, float]] = KEPT,  # of the gradient norm at the input, after 64 blocks
    equal_from: Mapping[str, int | None] = EQUAL,  # of the depths 1, 2, 4, …, 64, from which on all tokens are one
) -> Findings:
    """Four combinations, the norm before or after, over depth; the same wirings by hand; what a run learnt."""
    for name, (low, high) in kept.items():
        norm, _ = typical(name).at(64)
        single = [each.at(64)[0] for each in flows()[name]]
        seeds = f"{len(single)} seeds: {min(single):.1g} to {max(single):.1g}"
        shown = f"{name}: gradient {norm:.2g} at the input of 64 blocks ({seeds}), stated {low:g} to {high:g}"
        yield Finding(f"gradient, {name}", low <= norm <= high, shown)
    for name, said in equal_from.items():
        pairs = list(zip(DEPTHS, typical(name).similarity, strict=True))
        found = next((depth for depth, similarity in pairs if similarity > 0.999), None)
        row = ", ".join(f"{similarity:.4f}" for _, similarity in pairs[1:])
        at = ", ".join(map(str, DEPTHS[1:]))
        said_from, found_from = (f"equal from {depth}" if depth else "never equal" for depth in (said, found))
        shown = f"{name}: cosine of tokens {row} after {at} blocks: {found_from}"
        shown += "" if found == said else f", stated {said_from}"
        yield Finding(f"tokens, {name}", found == said, shown)
    yield from wired()
    yield from learnt()


def wired() -> Iterator[Finding]:
    """The six wirings, and the blocks of which models are built, against sums and norms written out."""
    with seeded(48), torch.no_grad():
        x = torch.randn(2, 5, 8, dtype=torch.float64)
        configs = [BlockConfig(width=8, num_heads=2, norm=NormConfig(first=first)) for first in (True, False)]
        blocks = [Block(config).double() for config in configs]
        for parameter in (parameter for block in blocks for parameter in block.parameters()):
            parameter.normal_()
    yield followed(x, lambda y: blocks[1](y, Around(mask=EVERYTHING)))
    for block, name in zip(blocks, ("both, pre-norm", "both, post-norm"), strict=True):
        parts, norms = (block.attention, block.feed_forward), (block.norm, block.feed_forward_norm)
        with torch.no_grad():
            built = block(x, Around(mask=EVERYTHING))
            yield equals(f"a model's block, {name}", built, write_out(x, parts, norms, *WIRINGS[name]), EXACT)
            if name == "both, post-norm":
                found = [Wired(parts, 8, residual=residual, norm=norm) for residual, norm in WIRINGS.values()]
                plain = [nn.LayerNorm(8, dtype=torch.float64)] * 2
                stated = [write_out(x, parts, plain, *wiring) for wiring in WIRINGS.values()]
                all_six = torch.stack([each.double()(x) for each in found])
                yield equals("the six wirings", all_six, torch.stack(stated), EXACT)


def followed(x: Tensor, block: Callable[[Tensor], Tensor]) -> Finding:
    """What `flow` says of one block against its whole Jacobian, of which it draws one row, and every pair of tokens."""
    module = nn.Module()
    module.forward = block
    found = [flow([module], x, (1,), seed=seed) for seed in range(50)]
    jacobian = torch.autograd.functional.jacobian(block, x)
    assert isinstance(jacobian, Tensor)
    y, (i, j) = block(x).detach(), torch.triu_indices(5, 5, 1)
    cosine = functional.cosine_similarity(y[:, i], y[:, j], dim=2).mean().item()
    mean = statistics.mean(each.gradient[0] ** 2 for each in found)
    ratio = mean / (jacobian.square().sum().item() / y.numel())
    shown = (
        f"one block: squares of the gradients are {ratio:.2f} of ‖∂y/∂x‖²/size, the cosine {found[0].similarity[0]:.3f}"
    )
    holds = abs(ratio - 1) < 0.3 and abs(found[0].similarity[0] - cosine) < EXACT
    return Finding("the flow through one block", holds, f"{shown} as by pairs {cosine:.3f}")


def write_out(x: Tensor, parts: Sequence[nn.Module], norms: Sequence[nn.Module], residual: bool, norm: Norm) -> Tensor:
    """Part after part, `x + part(norm(x))` or `norm(x + part(x))`, without what the wiring has not."""
    for part, one in zip(parts, norms, strict=True):
        assert isinstance(one, nn.LayerNorm)
        normed = functools.partial(functional.layer_norm, normalized_shape=(8,), weight=one.weight, bias=one.bias)
        z = part(normed(x) if norm == "pre" else x) + (x if residual else 0)
        x = normed(z) if norm == "post" else z
    return x


LEARNT = re.compile(r"(?P<wiring>[\w -]+), depth (?P<depth>\d+): accuracy")
DEEP = 16  # blocks, from which on the wirings differ


def learnt() -> Iterator[Finding]:
    """Of a recorded run of the recipe `gradients` that is deep enough: what the deepest stacks learnt."""
    run = latest("gradients")
    found = [] if run is None else [match for name in run.numbers if (match := LEARNT.fullmatch(name))]
    if run is None or (deepest := max([int(match["depth"]) for match in found], default=0)) < DEEP:
        return
    right = {match["wiring"]: run[match[0]] for match in found if int(match["depth"]) == deepest}
    both, rest = right["pre-norm with residual"], {k: v for k, v in right.items() if "-norm with residual" not in k}
    best = max(rest, key=lambda name: rest[name])
    shown = f"{deepest} blocks, trained: {100 * both:.0f} % of digits right with pre-norm and residual, with one of "
    shown += f"the two or neither at most {100 * rest[best]:.0f} % ({best}) [{run.source}]"
    yield Finding("learnt", both > rest[best], shown)


PARTS: dict[str, Callable[[int], nn.Module]] = {
    "layer norm": NormConfig().make,
    "batch norm": nn.BatchNorm1d,
    "residual": lambda width: Block(BlockConfig(width=width, num_heads=2)),
}


def apply(layer: nn.Module, x: Tensor) -> Tensor:
    """The layer on rows of one token each."""
    return layer(x[:, None], Around(mask=EVERYTHING))[:, 0] if isinstance(layer, Block) else layer(x)


@claim(
    "nyu.4bn",
    REFUTED,
    document={"passes_on": ("residual", "batch norm")},
    twin={"ignores_batch": ("layer norm", "residual", "batch norm")},
)
def norms(
    ignores_batch: Sequence[str] = ("layer norm", "residual"),  # the output at one row
    passes_on: Sequence[str] = ("residual",),  # its input, when all that it learns is zero
) -> Findings:
    """Other rows changed, and parameters set to zero."""
    with seeded(48):
        layers = {name: make(6).double() for name, make in PARTS.items()}
        x = torch.randn(8, 6, dtype=torch.float64)
        other = torch.cat((x[:1], 3 + 2 * torch.randn(7, 6, dtype=torch.float64)))
    for name, layer in layers.items():
        gap = (apply(layer, x)[0] - apply(layer, other)[0]).abs().max().item()
        shown = f"{name}: one row's output moves by {gap:.2g} when the rest of its batch changes"
        yield Finding(f"{name} and the batch", (name in ignores_batch) == (gap < EXACT), shown)
    for name, layer in layers.items():
        for parameter in layer.parameters():
            nn.init.zeros_(parameter)
        jacobian = torch.autograd.functional.jacobian(lambda x, layer=layer: apply(layer, x)[0], x)
        assert isinstance(jacobian, Tensor)
        gap = (jacobian[:, 0] - torch.eye(6, dtype=torch.float64)).abs().max().item()
        does = "passes its input on" if gap < EXACT else "does not pass its input on"
        shown = f"{name} with all parameters 0 {does}: ∂y/∂x is off the identity by {gap:g}"
        yield Finding(f"{name} at zero", (name in passes_on) == (gap < EXACT), shown)
