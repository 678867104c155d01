"""The published models' own layers, with their weights copied: Swin's, and the DaViT of Florence-2."""

import pytest
import torch
from torch import Tensor, nn

from regard.attention import Grid
from regard.layers import ChannelAttention, DualBlock, FeedForward, WindowAttention

pytest.importorskip("transformers", reason="the peers' layers come from transformers")

from transformers.models.florence2 import modeling_florence2 as florence
from transformers.models.florence2.configuration_florence2 import Florence2VisionConfig
from transformers.models.swin import modeling_swin as swin
from transformers.models.swin.configuration_swin import SwinConfig

CLOSE = {"rtol": 1e-5, "atol": 1e-5}  # Swin's softmax is in float32 whatever the input
EXACT = {"rtol": 0, "atol": 1e-11}


def lively(layer: nn.Module) -> nn.Module:
    """Weights so large that the maps are far from uniform."""
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(std=0.3)
    return layer.double().eval()


def copy(ours: nn.Module, theirs: nn.Module) -> None:
    ours.load_state_dict(theirs.state_dict())


def swin_layer(window: int, shift: int, grid: Grid) -> swin.SwinLayer:
    config = SwinConfig(window_size=window, attn_implementation="eager", hidden_act="gelu", mlp_ratio=2.0)
    return lively(swin.SwinLayer(config, 12, (grid.h, grid.w), 3, shift_size=shift))


def from_swin(theirs: swin.SwinLayer, window: int, shifted: bool) -> WindowAttention:
    ours = WindowAttention(12, 3, window=window, shifted=shifted, dtype=torch.float64)
    source = theirs.attention
    parts = ((ours.query, "q_proj"), (ours.key, "k_proj"), (ours.value, "v_proj"), (ours.out, "o_proj"))
    for part, name in parts:
        copy(part, getattr(source, name))
    table = source.relative_position_bias.relative_position_bias_table.detach()
    side = 2 * window - 1
    with torch.no_grad():  # theirs is read at query − key, ours at key − query
        ours.position.tables[0].copy_(table.view(side, side, 3).permute(2, 0, 1).flip(1, 2))
    return ours


@pytest.mark.parametrize(
    ("window", "shift", "grid"),
    [
        (4, 0, Grid(8, 12)),
        (4, 2, Grid(8, 12)),
        (7, 0, Grid(14, 21)),
        (7, 3, Grid(14, 21)),
        (7, 3, Grid(7, 7)),  # as in the last stage: one window, which they do not shift either
    ],
    ids=str,
)
def test_swins_layer(window: int, shift: int, grid: Grid):
    theirs = swin_layer(window, shift, grid)
    ours = from_swin(theirs, window, shifted=shift > 0)
    feed_forward = FeedForward(12, 24, dtype=torch.float64)
    copy(feed_forward.inner, theirs.mlp.fc1)
    copy(feed_forward.out, theirs.mlp.fc2)
    x = torch.randn(2, grid.count, 12, dtype=torch.float64, requires_grad=True)
    wanted = theirs(x, (grid.h, grid.w))[0]
    y = x + ours(theirs.layernorm_before(x), keys=grid)
    got = y + feed_forward(theirs.layernorm_after(y))
    torch.testing.assert_close(got, wanted, **CLOSE)
    back = torch.randn_like(got)
    for one, other in zip(*(torch.autograd.grad(z, x, back) for z in (got, wanted)), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


def test_a_table_that_is_not_reversed_would_be_seen():
    grid = Grid(8, 12)
    theirs = swin_layer(4, 2, grid)
    ours = from_swin(theirs, 4, shifted=True)
    x = torch.randn(2, grid.count, 12, dtype=torch.float64)
    wanted = theirs(x, (8, 12))[0] - theirs.mlp(theirs.layernorm_after(x + ours(theirs.layernorm_before(x), keys=grid)))
    torch.testing.assert_close(x + ours(theirs.layernorm_before(x), keys=grid), wanted, **CLOSE)
    with torch.no_grad():
        ours.position.tables[0].copy_(ours.position.tables[0].flip(1, 2))
    assert (x + ours(theirs.layernorm_before(x), keys=grid) - wanted).abs().max() > 1e-2


def florence_config() -> Florence2VisionConfig:
    sizes = {"embed_dim": [24], "num_heads": [3], "num_groups": [4], "depths": [1]}
    config = Florence2VisionConfig(**sizes, window_size=4, drop_path_rate=0.0)
    config._attn_implementation = "eager"
    return config


def copy_packed(ours: nn.Module, theirs: nn.Module) -> None:
    """Three projections from one, and the last."""
    weights, biases = theirs.qkv.weight.chunk(3), theirs.qkv.bias.chunk(3)
    with torch.no_grad():
        for part, weight, bias in zip((ours.query, ours.key, ours.value), weights, biases, strict=True):
            part.weight.copy_(weight)
            part.bias.copy_(bias)
    copy(ours.out, theirs.proj)


@pytest.mark.parametrize("T", [1, 35, 96])
def test_florences_channel_attention(T: int):
    theirs = lively(florence.Florence2VisionChannelAttention(florence_config(), 0))
    ours = ChannelAttention(24, 4, beta="positions", dtype=torch.float64)
    copy_packed(ours, theirs)
    x = torch.randn(2, T, 24, dtype=torch.float64)
    torch.testing.assert_close(ours(x), theirs(x), **EXACT)


def window_pair() -> tuple[WindowAttention, nn.Module]:
    theirs = lively(florence.Florence2VisionWindowAttention(florence_config(), 0))
    ours = WindowAttention(24, 3, window=4, tables=False, dtype=torch.float64)
    copy_packed(ours, theirs)
    return ours, theirs


def test_florences_window_attention():
    ours, theirs = window_pair()
    x = torch.randn(2, 8, 12, 24, dtype=torch.float64)
    torch.testing.assert_close(ours(x.flatten(1, 2), keys=Grid(8, 12)), theirs(x), **EXACT)


def test_they_see_the_zeros_in_tiles_that_the_border_cuts():
    """Whole tiles are equal; in the others theirs gives weight to pads, whose keys are the bias."""
    ours, theirs = window_pair()
    x = torch.randn(2, 8, 10, 24, dtype=torch.float64)
    got, wanted = ours(x.flatten(1, 2), keys=Grid(8, 10)).view_as(x), theirs(x).view_as(x)
    torch.testing.assert_close(got[:, :, :8], wanted[:, :, :8], **EXACT)
    assert ((got - wanted)[:, :, 8:].abs().amax((0, 3)) > 1e-3).all()


def dual_pair(seed: int = 0) -> tuple[DualBlock, nn.Module]:
    torch.manual_seed(seed)
    theirs = lively(florence.Florence2VisionBlock(florence_config(), 0, 0.0, 0.0))
    ours = DualBlock(24, 3, 4, 4, beta="positions", dtype=torch.float64)
    halves = ((ours.window, theirs.spatial_block, "window_attn"), (ours.channel, theirs.channel_block, "channel_attn"))
    for half, source, name in halves:
        copy(half.position.conv, source.conv1)
        copy(half.second_position.conv, source.conv2)
        copy(half.norm, source.norm1)
        copy(half.second_norm, source.norm2)
        copy(half.feed_forward.inner, source.ffn.fc1)
        copy(half.feed_forward.out, source.ffn.fc2)
        copy_packed(half.attention, getattr(source, name))
    return ours, theirs


def tokens(image: Tensor) -> Tensor:
    return image.flatten(2).mT


def test_florences_block_with_its_gradients():
    ours, theirs = dual_pair()
    image = torch.randn(2, 24, 8, 12, dtype=torch.float64, requires_grad=True)
    got, wanted = ours(tokens(image), Grid(8, 12)), tokens(theirs(image))
    torch.testing.assert_close(got, wanted, **EXACT)
    back = torch.randn_like(got)
    one, other = (torch.autograd.grad(y, image, back)[0] for y in (got, wanted))
    torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


def test_the_papers_beta_is_not_florences():
    ours, theirs = dual_pair()
    ours.channel.attention.by_positions, ours.channel.attention.beta = False, 6**-0.5
    image = torch.randn(2, 24, 8, 12, dtype=torch.float64)
    assert (ours(tokens(image), Grid(8, 12)) - tokens(theirs(image))).abs().max() > 1e-2
