"""DaViT's block and its parts: the wiring written out, the counts of the paper's model, learning."""

import pytest
import torch
from torch import nn

from regard.attention import Grid
from regard.layers import ChannelBlock, DualBlock, FeedForward, LocalPositions, WindowBlock

EXACT = {"rtol": 0, "atol": 1e-12}
Float64 = {"dtype": torch.float64}


@pytest.mark.parametrize(
    ("activation", "torchs"), [("gelu", nn.GELU()), ("relu", nn.ReLU()), ("silu", nn.SiLU())], ids=repr
)
def test_feed_forward_is_two_linear_layers(activation: str, torchs: nn.Module):
    layer = FeedForward(6, 10, activation, **Float64)
    nn.init.normal_(layer.inner.bias)
    nn.init.normal_(layer.out.bias)
    x = torch.randn(2, 5, 6, **Float64)
    hidden = torchs(x @ layer.inner.weight.T + layer.inner.bias)
    torch.testing.assert_close(layer(x), hidden @ layer.out.weight.T + layer.out.bias, **EXACT)
    assert FeedForward(6, 10, activation, bias=False).inner.bias is None


def test_feed_forward_drops_hidden_features_in_training_only():
    layer = FeedForward(6, 1000, "relu", dropout=0.5, **Float64)
    x = torch.randn(1, 400, 6, **Float64)
    wanted = layer.eval()(x)
    assert torch.equal(layer(x), wanted)
    dropped = layer.train()(x)
    assert not torch.equal(dropped, wanted)
    share = torch.dot(dropped.flatten(), wanted.flatten()) / wanted.square().sum()
    assert share.item() == pytest.approx(1, abs=0.1)  # kept features count double, so the mean stays


def test_local_positions_are_a_filter_for_each_channel():
    layer = LocalPositions(3, **Float64)
    nn.init.normal_(layer.conv.weight)
    nn.init.normal_(layer.conv.bias)
    x = torch.randn(2, 20, 3, **Float64)
    image, wanted = x.view(2, 4, 5, 3), x.view(2, 4, 5, 3).clone() + layer.conv.bias
    for r in range(4):
        for c in range(5):
            for dr in (-1, 0, 1):
                for dc in (-1, 0, 1):
                    if 0 <= r + dr < 4 and 0 <= c + dc < 5:
                        wanted[:, r, c] += image[:, r + dr, c + dc] * layer.conv.weight[:, 0, dr + 1, dc + 1]
    torch.testing.assert_close(layer(x, Grid(4, 5)), wanted.view(2, 20, 3), **EXACT)


@pytest.mark.parametrize("kind", ["window", "channel"])
def test_a_half_is_its_four_lines(kind: str):
    if kind == "window":
        block = WindowBlock(8, 2, window=3, shifted=True, tables=True, ratio=1.5, **Float64)
    else:
        block = ChannelBlock(8, 2, ratio=1.5, beta=0.7, **Float64)
    assert block.feed_forward.inner.weight.shape == (12, 8)
    for parameter in block.parameters():
        nn.init.normal_(parameter, std=0.5)
    x, grid = torch.randn(2, 35, 8, **Float64), Grid(5, 7)
    y = block.position(x, grid)
    normed = block.norm(y)
    y = y + (block.attention(normed, keys=grid) if kind == "window" else block.attention(normed))
    y = block.second_position(y, grid)
    y = y + block.feed_forward(block.second_norm(y))
    torch.testing.assert_close(block(x, grid), y, **EXACT)


def test_the_dual_block_is_window_then_channel():
    block = DualBlock(8, 2, 4, (2, 3), ratio=2, beta="positions", dropout=0.25)
    assert block.window.attention.window == (2, 3)
    assert block.window.attention.position is None
    assert block.channel.attention.by_positions
    assert {m.dropout for m in block.modules() if isinstance(getattr(m, "dropout", None), float)} == {0.25}
    block.eval()
    x, grid = torch.randn(2, 35, 8), Grid(5, 7)
    assert torch.equal(block(x, grid), block.channel(block.window(x, grid), grid))


@pytest.mark.parametrize("width", [96, 192, 384, 768])
def test_the_number_of_parameters_is_the_papers(width: int):
    """DaViT-Tiny's four widths, with heads and groups of 32 channels.

    In each half 4C² + 4C in the attention, 8C² + 5C in the feed-forward, two norms, two filters of nine numbers each.
    """
    block = DualBlock(width, width // 32, width // 32, 7, device="meta")
    half = 12 * width**2 + (4 + 5) * width + 2 * 2 * width + 2 * 10 * width
    assert sum(p.numel() for p in block.parameters()) == 2 * half


@pytest.mark.slow
def test_it_learns():
    """What no window and no channel alone could: the mean of the image, at every pixel."""
    block = DualBlock(8, 2, 2, 2, ratio=2)
    optimizer = torch.optim.Adam(block.parameters(), lr=1e-2)
    losses = []
    for _ in range(150):
        x = torch.randn(16, 16, 8)
        loss = (block(x, Grid(4, 4)) - x.mean(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]
