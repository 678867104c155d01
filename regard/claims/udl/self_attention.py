"""Problems 12.1 to 12.3: the numbers of a self-attention layer, layers that stack, tokens that change places."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm

from regard.algorithms import weights
from regard.attention import Attention, Bias, Sequence
from regard.claims.claim import CORRECTED, HOLDS, REFUTED, Finding, Findings, View, claim
from regard.claims.findings import Count, agrees, equals
from regard.claims.small_runs import drawn
from regard.layers import MultiHead, Widths
from regard.models import BlockConfig, PositionConfig
from regard.models.block import Block
from regard.models.stack import Stack

SIZES = [{"D": D} for D in (1, 2, 3, 8, 65)]
BOTH = [{"N": N, "D": D} for N, D in ((2, 3), (1, 4), (4, 1), (5, 8), (64, 16))]
DEPTHS = (1, 4, 16)
DRAWS, D, N = 3, 5, 7
EXACT = 1e-12


@claim("udl.1a", REFUTED, document={"biases": lambda D: 3}, twin={"weights": lambda D: 3 * D})
def projections(weights: Count = lambda D: 3 * D * D, biases: Count = lambda D: 3 * D) -> Findings:
    """Count the built projections of q, k and v."""

    def count(D: int, kind: str) -> int:
        layer = MultiHead(D, 1, device="meta")
        parts: list[nn.Module] = [layer.query, layer.key, layer.value]
        return sum(tensor.numel() for part in parts for name, tensor in part.named_parameters() if name == kind)

    yield agrees("weights of q, k, v", weights, lambda D: count(D, "weight"), SIZES)
    yield agrees("biases of q, k, v", biases, lambda D: count(D, "bias"), SIZES)


@claim(
    "udl.1b",
    HOLDS,
    twin={"entries": lambda N, D: N * D},
    view=View("patterns", "See and count the weights", {"mask": "everything", "tokens": 64}),
)
def map_entries(entries: Count = lambda N, D: N * N) -> Findings:
    """Count the map that a built layer gives, and how many of its entries anything is mixed with."""

    def draw_map(N: int, D: int) -> Tensor:
        layer = MultiHead(D, 1).requires_grad_(False)
        fill(layer, N)
        return layer.weights(drawn(1, N, D, seed=N, dtype=torch.float32))

    yield agrees("attention weights", entries, lambda N, D: draw_map(N, D).numel(), BOTH)
    yield agrees("weights above zero", entries, lambda N, D: int((draw_map(N, D) > 0).sum()), BOTH)


@claim("udl.1c", REFUTED, document={"biases": lambda N, D: N * N}, twin={"weights": lambda N, D: D * D * N})
def fully_connected(weights: Count = lambda N, D: D * D * N * N, biases: Count = lambda N, D: D * N) -> Findings:
    """Count the built layer from all numbers of all tokens to as many."""

    def build(N: int, D: int) -> nn.Linear:
        return nn.Linear(N * D, N * D, device="meta")

    yield agrees("weights of the fully connected layer", weights, lambda N, D: build(N, D).weight.numel(), BOTH)
    yield agrees("biases of the fully connected layer", biases, lambda N, D: build(N, D).bias.numel(), BOTH)


@claim("udl.2", HOLDS, twin={"out": lambda D: D // 2})
def stacking(out: Callable[[int], int] = lambda D: D) -> Findings:
    """Put layers that give the stated width on top of each other, each added to what came in."""
    for width in (4, 30):
        yield stack_layers(width, out(width))
    x = drawn(2, 5, 8, seed=0, dtype=torch.float32)
    stacks = [Stack(BlockConfig(width=8, num_heads=2), depth, PositionConfig(kind="none")) for depth in DEPTHS]
    shapes = {tuple(stack(x)[0].shape) for stack in stacks}
    told = f"stacks of {', '.join(map(str, DEPTHS))} blocks give {', '.join(map(str, shapes))}"
    yield Finding("stacks of blocks", shapes == {(2, 5, 8)}, f"of tokens (2, 5, 8) {told}")
    with torch.no_grad():
        for block in [block for stack in stacks for block in stack.blocks]:
            assert isinstance(block, Block)
            for last in (block.attention.out, block.feed_forward.out):
                fill(last, None)
        through = torch.stack([stack(x)[0] for stack in stacks])
    norm = layer_norm(x, (8,)).expand_as(through)  # pre-norm stacks end with one
    yield equals("blocks whose parts give zeros, against what came in, normed", through, norm, 1e-6)


def stack_layers(D: int, out: int) -> Finding:
    """As many layers as one likes of width D to `out`, with residual connections; a gradient must come back."""
    name = f"layers from width {D} to {out}"
    for depth in DEPTHS:
        x = torch.ones(1, 3, D, requires_grad=True)
        y = x
        for number in range(depth):
            layer = MultiHead(Widths(query=D, head=D, out=out), 1)
            fill(layer, number)
            added = layer(y)
            if added.shape != y.shape:  # a width of 1 would be spread over the others, and an error is torch's affair
                shapes = f"{tuple(added.shape)} for {tuple(y.shape)}, which do not add up entry by entry"
                return Finding(name, False, f"{name}: layer {number + 1} gives {shapes}")
            y = y + added
        y.sum().backward()
        if x.grad is None or not bool(x.grad.isfinite().all()):
            return Finding(name, False, f"{name}: no finite gradient comes back through {depth} of them")
    return Finding(name, True, f"{name}: {', '.join(map(str, DEPTHS))} of them, x + layer(x), keep (1, 3, {D})")


def fill(layer: nn.Module, seed: int | None) -> None:
    """Random parameters, or zeros."""
    generator = torch.Generator().manual_seed(seed or 0)
    with torch.no_grad():
        for parameter in layer.parameters():
            drawn = torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype) / parameter.shape[-1]
            parameter.copy_(drawn if seed is not None else torch.zeros_like(drawn))


Layer = Callable[[Tensor], Tensor]


@claim(
    "udl.3",
    CORRECTED,
    document={"logits": lambda A, P: A, "axis": 0},
    twin={"result": lambda attends, X, P: attends(X)},
)
def permutation(
    result: Callable[[Layer, Tensor, Tensor], Tensor] = lambda attends, X, P: attends(X) @ P,
    logits: Callable[[Tensor, Tensor], Tensor] = lambda A, P: P.mT @ A @ P,
    axis: int = 1,
) -> Findings:
    """Permute the tokens of a random layer, and compare every step of the derivation with what it computes.

    Stated are Sa[XP], the logits of XP from those of X, and the axis of X along which the tokens lie.
    """
    generator = torch.Generator().manual_seed(0)
    layer = MultiHead(D, 1, bias=False, out_bias=False, dtype=torch.float64).requires_grad_(False)
    fill(layer, 0)
    X = 3 * torch.randn(DRAWS, D, N, generator=generator, dtype=torch.float64)
    P = torch.stack([torch.eye(N).double()[torch.randperm(N, generator=generator)] for _ in range(DRAWS)])

    def attends(X: Tensor) -> Tensor:
        return layer(X.mT).mT

    def compared(X: Tensor) -> Tensor:
        """`KᵀQ` of tokens in columns, scaled: one row for each key."""
        return layer.key(X.mT) @ layer.query(X.mT).mT / D**0.5

    A, inner = compared(X), logits(compared(X), P)
    yield equals("Sa[XP] as stated", attends(X @ P), result(attends, X, P), EXACT)
    mixed = layer.out((layer.value(X.mT).mT @ softmax(A)).mT).mT
    yield equals("the layer, against W_O·V·softmax[KᵀQ]", attends(X), mixed, EXACT)
    yield compare_entry(compared(X @ P), inner, A)
    passed = "P past the softmax: P·softmax[logits of XP] = softmax[KᵀQ]·P"
    yield equals(passed, P @ softmax(inner), softmax(A) @ P, EXACT, detail=True)
    before, after = ([list(map(tuple, x.movedim(axis - 2, 0).tolist())) for x in xs] for xs in (X, X @ P))
    kept = min(sum(token in old for token in new) for old, new in zip(before, after, strict=True))
    shown = f"XP has {kept} of the {X.shape[1 + axis]} {('rows', 'columns')[axis]} of X, which is {D} × {N}"
    yield Finding("tokens that P permutes", kept == X.shape[1 + axis], shown, detail=True)


def softmax(logits: Tensor) -> Tensor:
    """The weights of given logits, a query in each column, by the library."""
    value = Attention(scores=Bias(logits.mT[:, None]), queries=Sequence(N), keys=Sequence(N))
    return weights(None, None, value)[:, 0].mT


def compare_entry(found: Tensor, stated: Tensor, before: Tensor) -> Finding:
    """The logits of XP against the stated ones, told by the entry that is furthest off."""
    gap = (found - stated).abs()
    draw, key, query = (int(place) for place in torch.unravel_index(gap.argmax(), gap.shape))
    here, old, said = (logits[draw, key, query].item() for logits in (found, before, stated))
    told = f"is {old:.3f}, and {here:.3f} of the permuted tokens; stated {said:.3f}"
    shown = f"PᵀKᵀQP: the logit of key {key + 1} and query {query + 1} {told}".replace("-", "−")
    return Finding("PᵀKᵀQP as stated", bool(gap.max() <= EXACT * found.abs().max()), shown, detail=True)
