"""ResNet-18: equal to transformers' with its weights copied, the published sizes, clear errors."""

import copy
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor, nn
from transformers.models.resnet.modeling_resnet import ResNetConvLayer

from regard.analysis.cost import cost
from regard.models import PRESETS, ResNet, ResNetConfig, build, vary
from tests.analysis.cost.by_hand import product
from tests.refusals import refused

SMALL = ResNetConfig(image=40, widths=(6, 10, 14), depths=(1, 2, 1), classes=5)


def pair(stem: str) -> tuple[ResNet, nn.Module]:
    """Ours and theirs, with the same weights far from those of the beginning."""
    config = transformers.ResNetConfig(
        embedding_size=6, hidden_sizes=[6, 10, 14], depths=[1, 2, 1], layer_type="basic", num_labels=5
    )
    ours, theirs = ResNet(vary(SMALL, stem=stem)), transformers.ResNetForImageClassification(config)
    if stem == "small":
        theirs.resnet.embedder = ResNetConvLayer(3, 6)
    with torch.no_grad():
        for tensor in theirs.parameters():
            tensor.add_(0.2 * torch.randn_like(tensor))
        for name, tensor in theirs.named_buffers():
            if name.endswith("running_var"):
                tensor.uniform_(0.5, 2)
            elif name.endswith("running_mean"):
                tensor.normal_()
    states = zip(ours.state_dict(), theirs.state_dict().values(), strict=True)  # both in the order of the wiring
    ours.load_state_dict(dict(states))
    return ours.double(), theirs.double()


def results(model: nn.Module, images: Tensor) -> list[Tensor]:
    out = model(images) if isinstance(model, ResNet) else model(images, output_hidden_states=True)
    hidden = out.hidden if isinstance(model, ResNet) else out.hidden_states[-1].flatten(2).mT
    (out.logits.square().sum() + hidden.sum()).backward()
    return [hidden, out.logits, *[p.grad for p in model.parameters()], *model.buffers()]


@pytest.mark.parametrize("training", [False, True], ids=["eval", "train"])
@pytest.mark.parametrize("stem", ["image", "small"])
def test_transformers_resnet_with_gradients_and_statistics(stem: str, training: bool):
    """At an odd size, where every halving rounds up."""
    images = torch.randn(3, 3, 37, 50, dtype=torch.float64)
    got, wanted = (results(model.train(training), images) for model in pair(stem))
    assert got[0].shape == (3, 3 * 4 if stem == "image" else 10 * 13, 14)
    for one, other in zip(got, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


def test_the_statistics_of_the_batch_are_not_those_kept():
    ours, _ = pair("small")
    images = torch.randn(3, 3, 8, 8, dtype=torch.float64)
    assert (ours.train()(images).logits - ours.eval()(images).logits).abs().max() > 1e-2


@pytest.mark.parametrize(
    ("changes", "parameters"), [({}, 11_689_512), ({"stem": "small", "image": 32, "classes": 10}, 11_173_962)]
)
def test_the_published_sizes(changes: dict[str, Any], parameters: int):
    config = vary(PRESETS["resnet-18"], **changes)
    with torch.device("meta"):
        model = build(config)
        out = model(*config.inputs(2))
    assert sum(p.numel() for p in model.parameters()) == parameters
    assert out.hidden.shape == (2, config.num_tokens, 512)
    assert out.maps is None


def test_the_cost_by_hand():
    """1.8 billion multiply-adds at 224 pixels."""
    config = PRESETS["resnet-18"]
    with torch.device("meta"):
        c = cost(build(config), *config.inputs(2), optimizer=None)
    forward = product(2 * 112**2, 49 * 3, 64) + product(2 * 56**2, 9 * 64, 4 * 64) + product(2, 512, 1000)
    for before, width, side in ((64, 128, 28), (128, 256, 14), (256, 512, 7)):
        forward += product(2 * side**2, (9 + 1) * before + 3 * 9 * width, width)
    assert c.forward.flops == forward
    assert round(forward / 4e9, 1) == 1.8
    assert not c.unknown


@pytest.mark.compiled
def test_one_graph():
    """Kernels of convolutions, which take half a minute to compile, are torch's matter."""
    model = ResNet(SMALL)
    compiled = torch.compile(copy.deepcopy(model), fullgraph=True, backend="eager")
    images = torch.randn(2, 3, 40, 40)
    torch.testing.assert_close(compiled(images).logits, model(images).logits, rtol=1e-4, atol=1e-4)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"stem": "imag"}, "unknown stem 'imag': did you mean image?"),
    ({"image": 0}, "image must be a whole number from 1 to below 2^62: got image=0"),
    ({"widths": [64, 128]}, "widths must be a tuple, a number for each stage: got [64, 128]; use (1, 2) for two"),
    ({"depths": ()}, "depths must be a tuple, a number for each stage: got (); use (1, 2) for two"),
    ({"depths": (2, 2, 0, 2)}, "depths[2] must be a whole number from 1 to below 2^62: got depths[2]=0; use 1 or more"),
    ({"depths": (2, 2)}, "must have as many stages: got widths=(64, 128, 256, 512), depths=(2, 2); give each stage"),
]


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize(("options", "message"), WRONG, ids=[message for _, message in WRONG])
def test_configurations_are_checked_when_they_are_made(options: dict[str, Any], message: str):
    with refused(message):
        ResNetConfig(**options)


@pytest.mark.usefixtures("unhooked")
def test_what_the_model_refuses():
    model = ResNet(SMALL)
    images = torch.zeros(2, 3, 8, 8)
    for wrong, options, message in (
        (images, {"maps": True}, "a ResNet has no attention to show: got maps=True; leave it out, or use a ViT"),
        (images[0], {}, "images must be (B, 3, h, w) with a pixel or more: got shape (3, 8, 8); a single image is"),
        (images[:, :1], {}, "images must be (B, 3, h, w) with a pixel or more: got shape (2, 1, 8, 8)"),
        (images[..., :0], {}, "images must be (B, 3, h, w) with a pixel or more: got shape (2, 3, 8, 0)"),
    ):
        with refused(message):
            model(wrong, **options)
    with pytest.raises(ValueError, match=r"images of 40 pixels are 9 tokens in the last stage: got tokens=4; use vary"):
        SMALL.inputs(1, 4)
