"""The truths of the built-in questions, counted on built layers and models; each function takes the question's sizes.

A function gives a module, a module with the inputs that it is called with, or the number itself, perhaps by part.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.algorithms import attend, weights
from regard.attention import Attention, Axial, Blocks, Everything, Grid, Mask
from regard.layers import ChannelAttention, DotProductAttention, MultiHead, Patches, Tables, Widths
from regard.models import Block, BlockConfig, ViT, ViTConfig

Called = tuple[nn.Module, tuple[Tensor, ...]]
META = torch.device("meta")


def tokens(n: int, width: int) -> Tensor:
    return torch.empty(1, n, width, device=META)


def projections(D: int) -> nn.Module:
    """Queries, keys and values of one head."""
    return _without_output(MultiHead(D, 1, device=META))


def fully_connected(N: int, D: int) -> nn.Module:
    """One linear layer from all N tokens to all N tokens."""
    return nn.Linear(N * D, N * D, device=META)


def attention_weights(N: int, H: int = 1) -> int:
    return MultiHead(H, H).weights(torch.randn(1, N, H)).numel()


def head_projections(D: int, H: int) -> nn.Module:
    """Queries, keys and values of H heads of width D/H, without biases."""
    return _without_output(MultiHead(D, H, bias=False, device=META))


def one_head_projection(N: int, D: int, H: int) -> Called:
    """One projection of one of H heads."""
    return MultiHead(Widths(query=D, head=D // H), 1, device=META).query, (tokens(N, D),)


class Computed(nn.Module):
    """A module without parameters that computes a function."""

    def __init__(self, function: Callable[..., Tensor]) -> None:
        super().__init__()
        self.forward = function


def logits(N: int, D: int, H: int) -> Called:
    heads = torch.empty(1, H, N, D // H, device=META)
    return Computed(lambda q, k: q @ k.mT), (heads, heads)


def self_attention(n: int, d: int) -> Called:
    return MultiHead(d, 1, device=META), (tokens(n, d),)


def cross_attention(n_t: int, n_s: int, D: int) -> Called:
    return MultiHead(D, 1, device=META), (tokens(n_t, D), tokens(n_s, D))


def windows(N: int, w: int, D: int) -> Called:
    """Attention within blocks of w tokens."""
    return _mixing(Blocks(w)), (torch.empty(1, 1, N, D, device=META),)


def axial_weights(h: int, w: int) -> int:
    """Weights where a pixel sees its row and its column."""
    x = torch.randn(1, 1, h * w, 2)
    return int((weights(x, x, Attention(mask=Axial(), keys=Grid(h, w))) > 0).sum())


class NextToken(nn.Module):
    """One more token behind those whose keys and values are kept."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = MultiHead(width, 1, device=META)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        key, value = self.layer.remember(x)
        return self.layer.recall(x, (torch.cat((keys, key), 2), torch.cat((values, value), 2)))


def next_token(N: int, D: int) -> Called:
    kept = torch.empty(1, 1, N, D, device=META)
    return NextToken(D), (tokens(1, D), kept, kept)


def new_weights(N: int, D: int) -> int:
    """Weights that one query gives to N kept keys and its own."""
    return MultiHead(D, 1).weights(torch.randn(1, 1, D), torch.randn(1, N + 1, D), causal=True).numel()


def channel_attention(num_groups: int = 1) -> int:
    """Multiply-adds of logits and mixing between 512 channels over 256 positions."""
    layer = ChannelAttention(512, num_groups, device=META)
    return _work(layer, tokens(256, 512)) - _work(nn.Linear(512, 512, device=META), tokens(256, 512)) * 4


grouped_channels = partial(channel_attention, 16)


def patch_work(mask: Mask) -> int:
    """Multiply-adds of logits and mixing between 16×16 patches of 512 channels."""
    return _work(_mixing(mask), torch.empty(1, 1, 256, 512, device=META))


patch_attention = partial(patch_work, Everything())
tiled_patches = partial(patch_work, Blocks(64))  # in tiles of 8×8: four tiles of 64


def four_projections() -> int:
    return _work(MultiHead(512, 1, device=META), tokens(256, 512)) - patch_attention()


def features_attention(mix: Callable[..., Tensor], N: int, D: int, D_g: int) -> Called:
    """The outputs of given features of queries and keys, and of values."""
    return Computed(mix), (tokens(N, D_g), tokens(N, D_g), tokens(N, D))


# `g(q)ᵀ Σ g(k) vᵀ`, the sum once and then a product for each query; the same by way of all N² weights.
linear_attention = partial(features_attention, lambda q, k, v: q @ (k.mT @ v))
quadratic_attention = partial(features_attention, lambda q, k, v: (q @ k.mT) @ v)


def recurrence(kind: type[nn.RNNBase], n: int, d: int) -> Called:
    return kind(d, d, batch_first=True, device=META), (tokens(n, d),)  # pyright: ignore[reportCallIssue]


lstm, gru, plain_recurrence = (partial(recurrence, kind) for kind in (nn.LSTM, nn.GRU, nn.RNN))


def patches(P: int, C: int, D: int) -> nn.Module:
    with META:
        return Patches(P, D, C)


def vision_positions(s: int, D: int) -> int:
    """Position parameters of a vision transformer on s × s patches."""
    config = ViTConfig(depth=1, block=BlockConfig(width=D, num_heads=1), image=s, patch=1, classes=None)
    with META:
        return sum(p.numel() for p in ViT(config).positions.parameters())


def block(D: int) -> nn.Module:
    with META:
        return Block(BlockConfig(width=D, num_heads=1))


def convolution_heads(N_h: int, D_i: int, D_hid: int, D_o: int, D_out: int) -> nn.Module:
    """Heads without biases, of their own widths."""
    return _without_output(_general(N_h, D_i, D_hid, D_o, D_out))


def convolution_output(N_h: int, D_i: int, D_hid: int, D_o: int, D_out: int) -> nn.Module:
    return _general(N_h, D_i, D_hid, D_o, D_out).out


def taps(K: int, D_out: int) -> int:
    """Heads of the attention that is a K×K convolution."""
    from regard.analysis import attention_from_conv

    return attention_from_conv(nn.Conv2d(1, D_out, K, padding=K // 2))[0].heads.num_heads


def same_padding(K: int, d: int) -> int:
    """The zeros on each side that keep the size under a kernel of K and a dilation of d."""
    length, pad = d * K, 0
    pixels, kernel = torch.empty(1, 1, length, device=META), torch.empty(1, 1, K, device=META)
    while functional.conv1d(pixels, kernel, padding=pad, dilation=d).shape[2] < length:
        pad += 1
    return pad


def kernel_span(K: int, d: int) -> int:
    """Pixels between the first tap and the last: the shortest input that such a convolution takes."""
    kernel, span = torch.empty(1, 1, K, device=META), 1
    while (K - 1) * d >= span or functional.conv1d(torch.empty(1, 1, span, device=META), kernel, dilation=d).shape[
        2
    ] < 1:
        span += 1
    return span


def offsets(h: int, w: int) -> int:
    """Entries of a table of all offsets between h × w pixels, of one head."""
    return sum(table.numel() for table in Tables(1, (h - 1, w - 1), device=META).parameters())


def recurrent_attention(d: int) -> nn.Module:
    return DotProductAttention(d, device=META)


def strided_share(h: int, w: int, s: int) -> Fraction:
    """The share of pixels that a convolution of stride s keeps."""
    kernel = torch.empty(1, 1, 1, 1, device=META)
    return Fraction(functional.conv2d(torch.empty(1, 1, h, w, device=META), kernel, stride=s).numel(), h * w)


def argmax_tokens(k: int, n: int) -> int:
    """Tokens that reach an output through n layers of k argmax heads, in the graph that reaches the most."""
    from regard.analysis.reach.argmax_graphs import count_reached, widest_graph

    graph = widest_graph((k + 1) ** n + 1, k, n)
    return int(count_reached(graph[::-1])[-1].max())


def norm_reach(kind: type[nn.Module], B: int, D: int) -> int:
    """Entries of the input on which one output of a norm depends."""
    x = torch.randn(B, D, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    (gradient,) = torch.autograd.grad(kind(D).double().train()(x.requires_grad_())[0, 0], x)
    return int((gradient != 0).sum())


layer_norm_reach, batch_norm_reach = partial(norm_reach, nn.LayerNorm), partial(norm_reach, nn.BatchNorm1d)


def cached_query_sees() -> int:
    """Keys that the last query sees, with the causal mask at the last key."""
    layer = MultiHead(2, 1)
    return int((layer.weights(torch.randn(1, 1, 2), torch.randn(1, 5, 2), causal=True) > 0).sum())


def logit_operations(D: int) -> int:
    """Multiplications and additions of the four terms of one logit, each from scratch, counted one by one."""
    from regard.analysis.cost.scalars import count_operations

    def four_terms(W: Any, x: Any) -> Any:
        first, *others = [(W @ x) @ (W @ x) for _ in range(4)]
        return sum(others, first)

    return count_operations(four_terms, torch.ones(D, D), torch.ones(D))[0]


def _without_output(layer: MultiHead) -> nn.Module:
    return nn.ModuleDict({"query": layer.query, "key": layer.key, "value": layer.value})


def _general(N_h: int, D_i: int, D_hid: int, D_o: int, D_out: int) -> MultiHead:
    widths = Widths(query=D_i, head=D_hid, head_value=D_o, out=D_out)
    return MultiHead(widths, N_h, bias=False, device=META)


def _mixing(mask: Mask) -> nn.Module:
    """Logits and mixing alone, under a mask."""
    return Computed(lambda x: attend(x, x, x, Attention(mask=mask)))


def _work(module: nn.Module, *inputs: Tensor) -> int:
    """Multiply-adds of matrix products."""
    from regard.analysis import cost

    return int(cost(module, *inputs, backward=False).forward.flops) // 2
