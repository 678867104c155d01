"""DaViT: equal to the backbone of Florence-2 with its weights copied, the published sizes, maps, stochastic depth."""

import copy
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers.models.florence2.configuration_florence2 import Florence2VisionConfig
from transformers.models.florence2.modeling_florence2 import Florence2VisionBackbone

from regard.analysis.cost import cost
from regard.analysis.cost.symbolic import preset_formulas
from regard.attention import Grid
from regard.layers import ChannelBlock, WindowBlock
from regard.models import PRESETS, DaViT, DaViTConfig, build, vary
from tests.analysis.cost.by_hand import mixed, product
from tests.refusals import refused

SMALL = DaViTConfig(image=64, widths=(12, 24), depths=(1, 2), num_heads=(2, 3), window=4, classes=5)


def lively(model: nn.Module) -> Any:
    """Weights so large that the maps are far from uniform."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    return model.double()


def copied(ours: nn.Module, theirs: nn.Module) -> None:
    ours.load_state_dict(theirs.state_dict())


def packed(ours: nn.Module, theirs: nn.Module) -> None:
    """Three projections from one, and the last."""
    weights, biases = theirs.qkv.weight.detach().chunk(3), theirs.qkv.bias.detach().chunk(3)
    for part, weight, bias in zip((ours.query, ours.key, ours.value), weights, biases, strict=True):
        part.load_state_dict({"weight": weight, "bias": bias})
    copied(ours.out, theirs.proj)


def pair() -> tuple[DaViT, nn.Module]:
    sizes = {"embed_dim": [12, 24], "num_heads": [2, 3], "num_groups": [2, 3], "depths": [1, 2], "window_size": 4}
    patches = {"patch_size": [7, 2], "patch_stride": [4, 2], "patch_padding": [3, 0], "patch_prenorm": [False, True]}
    config = Florence2VisionConfig(**sizes, **patches, drop_path_rate=0.0)
    config._attn_implementation = "eager"
    theirs = lively(Florence2VisionBackbone(config)).eval()
    ours = lively(DaViT(vary(SMALL, beta="positions"))).eval()
    for stage, (conv, blocks) in enumerate(zip(theirs.convs, theirs.blocks, strict=True)):
        copied(ours.embeddings[stage].conv, conv.conv)
        copied(ours.embeddings[stage].norm, conv.norm)
        for block, source in zip(ours.stages[stage], blocks, strict=True):
            packed(block.window.attention, source.spatial_block.window_attn)
            packed(block.channel.attention, source.channel_block.channel_attn)
            for half, part in ((block.window, source.spatial_block), (block.channel, source.channel_block)):
                copied(half.position.conv, part.conv1)
                copied(half.second_position.conv, part.conv2)
                copied(half.norm, part.norm1)
                copied(half.second_norm, part.norm2)
                copied(half.feed_forward.inner, part.ffn.fc1)
                copied(half.feed_forward.out, part.ffn.fc2)
    return ours, theirs


def random_images(*size: int) -> Tensor:
    return torch.randn(2, 3, *size, dtype=torch.float64, requires_grad=True)


def test_florences_backbone_with_its_gradients():
    ours, theirs = pair()
    images = random_images(32, 64)
    got, wanted = ours(images), theirs(images).last_hidden_state.flatten(2).mT
    torch.testing.assert_close(got.hidden, wanted, rtol=0, atol=1e-10)
    back = torch.randn_like(wanted)
    one, other = (torch.autograd.grad(y, images, back, retain_graph=True)[0] for y in (got.hidden, wanted))
    torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-8)
    logits = nn.functional.layer_norm(wanted.mean(1), (24,), ours.norm.weight, ours.norm.bias) @ ours.head.weight.T
    torch.testing.assert_close(got.logits, logits + ours.head.bias, rtol=0, atol=1e-10)


def test_the_papers_beta_is_not_florences():
    ours, theirs = pair()
    papers = DaViT(SMALL).double()
    copied(papers, ours)
    images = random_images(32, 64)
    assert (papers(images).hidden - theirs(images).last_hidden_state.flatten(2).mT).abs().max() > 1e-2


@pytest.mark.parametrize(("name", "parameters"), [("tiny", 28_360_168), ("small", 49_745_896), ("base", 87_954_408)])
def test_the_published_sizes(name: str, parameters: int):
    config = PRESETS[f"davit-{name}"]
    with torch.device("meta"):
        model, images = build(config), config.inputs(2)
    out = model(*images)
    assert sum(p.numel() for p in model.parameters()) == parameters
    assert out.hidden.shape == (2, 49, 768 if name != "base" else 1024)
    assert out.logits.shape == (2, 1000)


def test_the_cost_by_hand():
    """4.5 billion multiply-adds at 224 pixels."""
    config = PRESETS["davit-tiny"]
    with torch.device("meta"):
        model, images = build(config), config.inputs(2)
    c = cost(model, *images, optimizer=None)
    forward, before = product(2, 768, 1000), 0
    for width, depth, heads, side in ((96, 1, 3, 56), (192, 1, 6, 28), (384, 3, 12, 14), (768, 1, 24, 7)):
        n = 2 * side**2
        half = product(n, 12 * width + 2 * 9, width)  # four projections, feed-forward of 4C, two filters of 3×3
        window, channel = mixed(heads * n * 49, 32), mixed(2 * heads * 32**2, side**2)
        forward += product(n, 4 * before if before else 3 * 49, width) + depth * (2 * half + window + channel)
        before = width
    assert c.forward.flops == forward
    assert round(forward / 4e9, 1) == 4.5
    assert not c.unknown


def test_formulas_are_refused():
    message = "formulas are of models whose layers all have the same sizes: got DaViTConfig; count it at given sizes"
    with refused(message):
        preset_formulas(PRESETS["davit-tiny"])


def test_maps_are_those_that_mix():
    """What the attention of each half sees gives its map; images whose border cuts windows, too."""
    model = lively(DaViT(SMALL)).eval()
    seen: list[tuple[nn.Module, Tensor]] = []
    for blocks in model.stages:
        for block in blocks:
            for half in (block.window, block.channel):
                half.attention.register_forward_pre_hook(lambda layer, inputs: seen.append((layer, inputs[0])))
    images = random_images(40, 64)
    out, plain = model(images, maps=True), model(images)
    assert torch.equal(out.hidden, plain.hidden)
    assert plain.maps is None
    sides = (10, 16), (5, 8), (5, 8)
    assert [m.shape for m in out.maps["window"]] == [(2, 2, 160, 160), (2, 3, 40, 40), (2, 3, 40, 40)]
    assert [m.shape for m in out.maps["channel"]] == [(2, 2, 6, 6), (2, 3, 8, 8), (2, 3, 8, 8)]
    for n in range(3):
        (window, x), (channel, y) = seen[2 * n : 2 * n + 2]
        torch.testing.assert_close(out.maps["window"][n], window.weights(x, keys=Grid(*sides[n])))
        torch.testing.assert_close(out.maps["channel"][n], channel.weights(y))


def test_every_parameter_learns():
    model = lively(DaViT(SMALL))
    model(random_images(32, 32)).logits.square().sum().backward()
    assert [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()] == []


@pytest.mark.parametrize("kind", ["window", "channel"])
def test_rows_pass_by_a_branch_or_count_double(kind: str):
    half = lively(WindowBlock(8, 2, window=2) if kind == "window" else ChannelBlock(8, 2))
    half.skipped = 0.5
    x, grid = torch.randn(1, 12, 8, dtype=torch.float64).expand(64, -1, -1), Grid(3, 4)

    def wanted(first: float, second: float) -> Tensor:
        y = half.position(x[:1], grid)
        y = half.second_position(y + first * half.mix(half.norm(y), grid), grid)
        return y + second * half.feed_forward(half.second_norm(y))

    got = half.train()(x, grid)
    cases = torch.cat([wanted(first, second) for first in (0, 2) for second in (0, 2)])
    is_case = (got[:, None] - cases).abs().amax((2, 3)) < 1e-9
    assert is_case.sum(1).eq(1).all()
    assert is_case.any(0).all()
    torch.testing.assert_close(half.eval()(x, grid)[:1], wanted(1, 1), rtol=0, atol=1e-9)


def test_stochastic_depth_grows_from_none_in_the_first_half():
    model = DaViT(vary(SMALL, stochastic_depth=0.25))
    rates = [half.skipped for blocks in model.stages for block in blocks for half in (block.window, block.channel)]
    assert rates == pytest.approx([0, 0.05, 0.1, 0.15, 0.2, 0.25])
    images = torch.randn(1, 3, 32, 32).expand(8, -1, -1, -1)
    assert model(images).hidden.std(0).max() > 1e-3
    assert model.eval()(images).hidden.std(0).max() < 1e-4


@pytest.mark.slow
@pytest.mark.compiled
def test_one_graph():
    """Backward, and the kernels of its blocks, are compiled in the tests of layers."""
    model = DaViT(vary(SMALL, depths=(1, 1), image=32))
    compiled = torch.compile(copy.deepcopy(model), fullgraph=True, backend="eager")
    images = torch.randn(2, 3, 32, 32)
    torch.testing.assert_close(compiled(images).logits, model(images).logits, rtol=1e-4, atol=1e-4)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"window": 0}, "window must be a whole number from 1 to below 2^62: got window=0"),
    (
        {"depths": (1, 1)},
        "widths and depths and num_heads must have as many stages: got widths=(96, 192, 384, 768), de",
    ),
    ({"num_heads": (3, 6, 5, 24)}, "num_heads[2] must divide widths[2]: got widths[2]=384, num_heads[2]=5; use 3, 4"),
    ({"image": 200}, "image must be a multiple of patch and of 2 for each later stage, 32: got image=200; use 224"),
    ({"beta": "position"}, "beta must be a number or 'positions': got beta='position'; leave it out for 1/√(C/G)"),
    ({"beta": float("nan")}, "beta must be finite: got beta=nan"),
    ({"dropout": 1.0}, "dropout is a probability below 1: got dropout=1.0; use 0.0 for none"),
    ({"stochastic_depth": 1.5}, "stochastic_depth is a probability below 1: got stochastic_depth=1.5; use 0.0"),
]


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize(("options", "message"), WRONG, ids=[message for _, message in WRONG])
def test_configurations_are_checked_when_they_are_made(options: dict[str, Any], message: str):
    with refused(message):
        DaViTConfig(**options)


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize("size", [(3, 32, 32), (2, 1, 32, 32), (2, 3, 32, 36), (2, 3, 0, 32)])
def test_images_of_another_size(size: tuple[int, ...]):
    message = f"images must be (B, 3, h, w) with h and w multiples of 8: got shape {size}; resize or crop them"
    with refused(message):
        DaViT(SMALL)(torch.zeros(size))
    with pytest.raises(
        ValueError, match=r"images of 64 pixels are 64 tokens in the last stage: got tokens=4; use vary"
    ):
        SMALL.inputs(1, 4)
