"""Heads as a sum, one-hot heads as a convolution: which tap belongs to which head, and how wide the heads must be."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from regard.analysis import (
    attention_as_printed,
    attention_from_conv,
    conv_from_attention,
    thin_attention_from_conv,
    thin_conv,
)
from regard.attention import Grid, Hard
from regard.attention import Sequence as Line
from regard.claims.claim import CORRECTED, HOLDS, Finding, Findings, View, claim
from regard.claims.conv.layer import SEEDS, draw_layer
from regard.claims.findings import equals
from regard.layers import AttentionConv, Gaussian, PositionHeads

EXACT = 1e-14  # relative to the convolution's own size


def draw_conv(seed: int, inside: int = 3, out: int = 4, size: int = 3, **options: Any) -> nn.Conv2d:
    """A convolution with a random kernel, without any symmetry, in float64."""
    conv = nn.Conv2d(inside, out, size, **options, dtype=torch.float64)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in conv.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return conv


def draw_image(seed: int, channels: int = 3, sides: tuple[int, int] = (7, 8)) -> Tensor:
    generator = torch.Generator().manual_seed(100 + seed)
    return torch.randn(2, channels, *sides, generator=generator, dtype=torch.float64)


@torch.no_grad()
def miss(layer: Callable[[Tensor], Tensor], conv: nn.Module, x: Tensor) -> float:
    """The largest difference, relative to the convolution's largest output; infinite where the shapes differ."""
    found, true = layer(x), conv(x)
    return float((found - true).abs().max() / true.abs().max()) if found.shape == true.shape else float("inf")


Merge = Callable[[Tensor, Tensor, int, int], Tensor]  # of W_v^h, W_out, h and the number of heads


@claim("conv.c1", HOLDS, twin={"merge": lambda value, out, head, heads: value @ out[head::heads]})
def sum_over_heads(
    merge: Merge = lambda value, out, head, heads: value @ out.unflatten(0, (heads, -1))[head],
) -> Findings:
    """The layer against `Σ_h softmax(A^h) Z W^h + b`, and the library's heads of position, which hold the W^h."""
    for seed in SEEDS:
        heads = 2 + seed
        layer, Z, _ = draw_layer(seed, heads)
        out, bias, values = layer.out.weight.T, layer.out.bias, layer.value.weight.unflatten(0, (heads, -1)).mT
        merged = torch.cat([merge(value, out, head, heads) for head, value in enumerate(values)])  # the W^h in a column
        with torch.no_grad():
            mixed = torch.cat((layer.weights(Z) @ Z[:, None]).unbind(1), -1)  # the softmax(A^h) Z in a row
            yield equals(f"{heads} heads of width 2, seed {seed}", layer(Z), mixed @ merged + bias, 1e-12)
            position = PositionHeads(5, Gaussian(heads, axes=1).double(), out_width=6, project=False).double()
            position.value.load_state_dict({"weight": merged.T, "bias": bias})
            mixed = position.weights(Line(7)) @ Z[:, None]
            heads_first = torch.cat((mixed @ values).unbind(1), -1) @ out + bias
            yield equals(f"{heads} heads of position, by their W^h", position(Z, Line(7)), heads_first, 1e-12)


def build_heads(conv: nn.Conv2d, attends: int, tap: int) -> AttentionConv:
    """One-hot heads at q ± f(h) with the weights W at ± f(h), f(h) going over the kernel in raster order."""
    layer, _ = attention_from_conv(conv, weighting=Hard())
    taps = layer.taps().detach()  # W^conv at f(h)
    layer.place_heads(attends * layer.stencil.offsets(), 1.0)
    with torch.no_grad():
        ordered = taps if tap == 1 else taps.flip(0)  # −f(h) is tap −1−h of the raster
        layer.heads.value.weight.copy_(ordered.flatten(0, 1).T)
    return layer


@claim(
    "conv.c2",
    CORRECTED,
    document={"attends": -1},
    twin={"tap": -1},
    view=View("heads", "See the kernel that heads make, and its distance to a convolution"),
)
def bijection(attends: int = 1, tap: int = 1) -> Findings:
    """Build heads at q ± f(h) with W at ± f(h), of kernels with and without symmetry, and read the kernel back."""
    inside, zeros, back, even, reached = [], [], [], [], True
    for seed in SEEDS:
        conv, padded, x = draw_conv(seed), draw_conv(seed, padding=1), draw_image(seed)
        layer = build_heads(padded, attends, tap)
        inside.append(miss(build_heads(conv, attends, tap), conv, x))
        zeros.append(miss(layer, padded, x))
        found = conv_from_attention(layer)[0]
        reached &= found.kernel_size == (3, 3) and miss(found, layer, x) <= EXACT
        back.append(float((found.weight - padded.weight).detach().abs().max() / padded.weight.detach().abs().max()))
        padded.weight.data += padded.weight.data.flip(2, 3)
        even.append(miss(build_heads(padded, attends, tap), padded, x))
    yield Finding("a 3 × 3 convolution", reached, "9 one-hot heads on a bijection of shifts are some 3 × 3 convolution")
    shown = f"for kernels with W_δ = W_−δ the layer is off by {max(even):.0e}"
    yield Finding("symmetric kernels", max(even) <= EXACT, shown)
    sign = {1: "+", -1: "−"}
    heads = f"heads that look at q {sign[attends]} f(h) with W_{sign[tap]}f(h)"
    measured = {
        f"{heads} miss an asymmetric kernel, inside the image, by": inside,
        "with zero tokens as keys, at borders too, by": zeros,
        "the heads' own kernel differs from the given one by": back,
    }
    for words, errors in measured.items():
        holds = max(errors) <= EXACT
        shown = f"{words} {f'{max(errors):.0e}' if holds else f'{min(errors):.2f} and more'} of its size"
        yield Finding(words, holds, shown, detail=True)
    yield from conditions()


@functools.cache
def conditions() -> tuple[Finding, ...]:
    """What the theorem needs: zero tokens at the border, an odd kernel; and the sign that the document means."""
    padded, x = draw_conv(0, padding=1), draw_image(0)
    without = draw_conv(0, padding=1, padding_mode="replicate")  # heads that see the image alone
    border = miss(attention_from_conv(without, weighting=Hard())[0], padded, x)
    library = [
        miss(build_heads(padded, -1, -1), padded, x),
        miss(build_heads(padded, -1, 1), attention_as_printed(padded, weighting=Hard()), x),
        miss(attention_from_conv(padded, weighting=Hard(), sign="query − key")[0], padded, x),
    ]
    offsets = attention_from_conv(draw_conv(0, size=2))[0].stencil.offsets().tolist()
    mirrored = [[-row, -column] for row, column in offsets]
    return (
        Finding("zero tokens are needed", border > 0.1, f"without zero tokens the border is off by {border:.2f}"),
        Finding("q − f(h)", max(library) <= EXACT, "heads at q − f(h) need W_−f(h): then they are right"),
        Finding("odd K", sorted(offsets) != sorted(mirrored), "for K = 2 the shifts are not those of the mirror image"),
    )


class Measured(NamedTuple):
    """What a kernel of some channels needs, and what the constructions with heads of width one miss."""

    narrowest: int
    rank: int  # of the best one-hot heads that are thinner by one
    next_value: float  # the singular value that they leave out
    is_lost: bool  # whether that is how far their taps are from the kernel's
    below: float  # what they miss
    several: float
    soft: float
    num_soft: int


@functools.cache
def measure(inside: int, out: int) -> Measured:
    conv, x = draw_conv(inside, inside, out, padding=1), draw_image(out, inside)
    narrowest = next(width for width in range(1, max(inside, out) + 1) if thin_conv(conv, width)[1] <= 1e-12)
    thin, left_out = thin_conv(conv, narrowest - 1)
    best, _ = attention_from_conv(thin, weighting=Hard())  # by Eckart and Young, no heads of this rank do better
    lost = torch.linalg.matrix_norm((thin.weight - conv.weight).detach().permute(2, 3, 0, 1), 2).max()
    rank, is_lost = int(torch.linalg.matrix_rank(best.taps(), rtol=1e-10).max()), abs(float(lost) - left_out) < 1e-12
    soft, several = thin_attention_from_conv(conv), functools.partial(split_heads, conv)
    errors = [miss(layer, conv, x) for layer in (best, several, soft)]
    return Measured(narrowest, rank, left_out, is_lost, *errors, num_soft=len(soft.logits))


def split_heads(conv: nn.Conv2d, x: Tensor) -> Tensor:
    """What heads of width one give, as many per tap as its rank: the terms of the singular value decomposition."""
    one, _ = attention_from_conv(conv, weighting=Hard())
    left, values, right = torch.linalg.svd(one.taps(), full_matrices=False)
    terms = (left * values[:, None]).mT[..., None] * right[:, :, None]  # (taps, rank, C_in, C_out)
    position = Gaussian(terms.shape[0] * terms.shape[1], dtype=torch.float64)
    position.set(one.stencil.offsets().double().repeat_interleave(terms.shape[1], 0), torch.ones(position.num_heads))
    options: dict[str, Any] = {"out_width": conv.out_channels, "project": False, "weighting": Hard()}
    heads = PositionHeads(conv.in_channels, position, **options, dtype=torch.float64)
    heads.value.load_state_dict({"weight": terms.flatten(0, 2).T, "bias": conv.bias})
    h, w = x.shape[2:]
    tokens = nn.functional.pad(x, (1, 1, 1, 1)).flatten(2).mT
    return heads(tokens, Grid(h + 2, w + 2, start=(-1, -1)), Grid(h, w)).mT.unflatten(2, (h, w))


Width = Callable[[int, int], int]  # of the channels in and out


@claim("conv.c2r", CORRECTED, document={"others": min, "heads": None}, twin={"one_hot": max})
def least_width(
    one_hot: Width = min, others: Width = lambda a, b: 1, heads: Width | None = lambda a, b: 2 * a * b
) -> Findings:
    """One-hot heads of each width at their best; several thin ones per shift, and thin soft ones."""
    for inside, out in ((3, 4), (4, 2), (3, 3)):
        true, said, channels = measure(inside, out), one_hot(inside, out), f"{inside} → {out} channels"
        less = f"at {true.narrowest - 1} they leave out {true.next_value:.2f} and miss by {true.below:.2f}"
        shown = f"{channels}: one-hot heads, one per shift, need D_o = {true.narrowest} ({less}); stated {said}"
        holds = said == true.narrowest == true.rank + 1 and true.is_lost and true.below > 0.1
        yield Finding(f"one-hot, {channels}", holds, shown)
        said, count = others(inside, out), None if heads is None else heads(inside, out)
        ways = f"several heads per shift are off by {true.several:.0e}, {true.num_soft} soft ones by {true.soft:.0e}"
        is_exact = max(true.several, true.soft) <= 10 * EXACT
        shown = f"{channels}: D_o = 1 will do, {ways}; stated {said}{'' if count is None else f', by {count}'}"
        holds = is_exact and said == 1 and count in (None, true.num_soft)
        yield Finding(f"in general, {channels}", holds, shown, detail=True)
