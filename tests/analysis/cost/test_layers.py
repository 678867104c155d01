"""Our own layers against counts by hand, DaViT's among them at the sizes of the textbook's question."""

import pytest
import torch

from regard.analysis.cost import cost
from regard.attention import Elu, Grid, Kernel, Window
from regard.layers import ChannelAttention, DualBlock, GaussianHeads, MultiHead, PooledMultiHead, WindowAttention
from tests.analysis.cost.by_hand import FOUR, B, C, Case, D, H, S, T, floats, mixed, product, triangle

X, MEMORY = floats(B, T, C), floats(B, S, C)
PROJECTED = product(B * T, C, 4 * C)
INPUTS = product(B * T, C, 3 * C)


def test_multi_head():
    Case(
        make=lambda: MultiHead(C, H), inputs=(X,), keywords={"causal": True},
        parameters=FOUR, forward=PROJECTED + mixed(B * H * triangle(T)), unasked=INPUTS,
    ).check()  # fmt: skip
    # a window of two keys before and one after: 4·T less those beyond the ends
    window = 4 * T - (2 + 1) - 1
    Case(
        make=lambda: MultiHead(C, H, dropout=0.1), inputs=(X,), keywords={"mask": Window(2, 1)},
        parameters=FOUR, forward=PROJECTED + mixed(B * H * window), unasked=INPUTS,
    ).check()  # fmt: skip


def test_multi_head_with_pads():
    pads = torch.zeros(B, T, dtype=torch.bool)
    pads[1, 4:] = True
    for causal, pairs in ((False, T * (T + 4)), (True, triangle(T) + triangle(T, 4))):
        Case(
            make=lambda: MultiHead(C, H), inputs=(X,), keywords={"key_padding_mask": pads, "causal": causal},
            parameters=FOUR, forward=PROJECTED + mixed(H * pairs), unasked=INPUTS,
        ).check()  # fmt: skip


def test_grouped_heads_and_cross_attention():
    G = 2
    width = G * D  # of keys and values
    Case(
        make=lambda: MultiHead(C, H, num_groups=G, bias=False),
        inputs=(X, MEMORY),
        parameters=2 * C * C + 2 * C * width + C,  # the output has its bias
        forward=product(B * T, C, 2 * C) + product(B * S, C, 2 * width) + mixed(B * H * T * S),
        unasked=product(B * T, C, C) + product(B * S, C, 2 * width),
    ).check()


def test_linear_attention():
    n = 512
    c = cost(MultiHead(C, H, weighting=Kernel(Elu())), floats(B, n, C))
    # sums of keys by values, queries by them and by the sum of keys
    assert c.forward.flops == product(B * n, C, 4 * C) + B * H * 2 * n * D * (2 * D + 1)
    assert c.backward.flops == 2 * c.forward.flops - product(B * n, C, 3 * C)
    assert c.parameters == FOUR


@pytest.mark.parametrize("width", [16, 64])
def test_gaussian_heads_on_a_grid(width: int):
    heads, h, w = 3, 12, 16
    tokens = B * h * w
    c = cost(GaussianHeads(width, heads), floats(B, h * w, width), Grid(h, w))
    assert c.parameters == heads * width**2 + width + width**2 + width + 2 * heads + heads
    # columns of every head, then each head's block of the projection, then rows of all heads, then the output
    mixing = 2 * tokens * heads * width * (w + h)
    columns = 2 * tokens * heads * width * w
    maps = product(tokens, heads * width, width) + product(tokens, width, width)
    assert c.forward.flops == c.forward.executed == mixing + maps
    assert c.backward.flops == c.backward.executed == 2 * c.forward.flops - columns  # none to the pixels
    assert not c.unknown


N, P = 256, 512  # 16×16 patches, 512 channels


def test_davit_between_patches_channels_and_in_windows():
    """The numbers of the question, in multiply-adds: 268.4M, 67.1M, 134.2M, 8.4M, 16.8M."""
    x, image = floats(1, N, P), Grid(16, 16)
    projected = 2 * 268_435_456
    assert projected == 8 * N * P**2
    patches = cost(MultiHead(P, 1), x)
    channels, groups = cost(ChannelAttention(P), x), cost(ChannelAttention(P, 16), x)
    windows = cost(WindowAttention(P, 8, window=8, tables=False), x, keys=image)
    for c, pairs in (
        (patches, 67_108_864), (channels, 134_217_728), (groups, 8_388_608), (windows, 16_777_216),
    ):  # fmt: skip
        assert c.forward.flops == projected + 2 * pairs
        assert c.backward.flops == 2 * c.forward.flops - 6 * N * P**2
        assert c.parameters == 4 * P**2 + 4 * P
    assert channels.forward.flops / patches.forward.flops == pytest.approx(1.2)


def test_the_dual_block():
    h, w, ratio = 8, 12, 2
    n, hidden = h * w, ratio * C
    c = cost(DualBlock(C, num_heads=H, num_groups=2, window=4, ratio=ratio), floats(B, n, C), Grid(h, w))
    filters = C * product(B * n, 9, 1)
    shared = 2 * filters + product(B * n, C, 4 * C) + product(B * n, C, 2 * hidden)
    window = shared + mixed(B * H * n * 16)  # tiles of 4×4
    channel = shared + mixed(B * 2 * 16**2, n)  # 2 groups of 16 channels, which are n wide
    assert (c["window"].forward.flops, c["channel"].forward.flops) == (window, channel)
    assert c.forward.flops == window + channel
    assert c.backward.flops == 2 * (window + channel) - filters  # none to the pixels
    block = 2 * (9 * C + C) + 2 * 2 * C + FOUR + 2 * C * hidden + hidden + C
    assert c.parameters == 2 * block


def test_windows_with_tables_and_shifts():
    layer = WindowAttention(C, H, window=4, shifted=True)
    h = w = 8
    c = cost(layer, floats(B, h * w, C), keys=Grid(h, w))
    # along each axis tiles of 2, 4 and 2: 4 + 16 + 4 pairs
    assert c.forward.flops == product(B * h * w, C, 4 * C) + mixed(B * H * 24 * 24)
    assert c.backward.flops == 2 * c.forward.flops - product(B * h * w, C, 3 * C)
    assert c.parameters == FOUR + H * 7 * 7


def test_pooled_keys_are_fewer():
    h = w = 8
    n = h * w
    c = cost(PooledMultiHead(C, H, pool=2), floats(B, n, C), keys=Grid(h, w))
    assert c.forward.flops == product(B * n, C, 2 * C) + product(B * n // 4, C, 2 * C) + mixed(B * H * n * n // 4)
