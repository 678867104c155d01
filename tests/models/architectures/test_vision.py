"""Vision transformers: other sizes, without a head, with a pooler; all as transformers computes them."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file

from regard import models
from regard.models import PRESETS, ViT, vary
from regard.models.hugging_face.configurations import read, write
from tests.models.published import EAGER, SIZES, saved, the_same, vit
from tests.models.shaking import shaken
from tests.refusals import refused

SMALL = {"depth": 1, "width": 32, "num_heads": 4, "hidden": 40, "image": 12, "patch": 4}


def base(pooler: bool, **options: Any) -> Any:
    config = transformers.ViTConfig(**SIZES, image_size=12, patch_size=4, **options, **EAGER)
    return transformers.ViTModel(config, add_pooling_layer=pooler)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    theirs = shaken(vit())
    return models.load(saved(theirs, tmp_path_factory.mktemp("vit"))), theirs


@pytest.mark.parametrize("size", [(20, 20), (8, 16), (4, 36)])  # 4 × 36 has as many patches as 12 × 12
def test_positions_are_interpolated(pair: tuple[Any, Any], size: tuple[int, int]):
    ours, theirs = pair
    images = torch.randn(2, 3, *size)
    with torch.no_grad():
        out = ours(images, maps=True, interpolate=True)
        want = theirs(images, interpolate_pos_encoding=True, output_attentions=True)
        turned = ours(images.mT, interpolate=True)
    torch.testing.assert_close(out.logits, want.logits, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(out.maps["self"][-1], want.attentions[-1], rtol=1e-5, atol=1e-5)
    assert (turned.logits - want.logits).abs().max() > 1e-3  # rows are not columns


def test_interpolated_positions_learn(pair: tuple[Any, Any]):
    ours, _ = pair
    ours(torch.randn(1, 3, 8, 20), interpolate=True).logits.sum().backward()
    assert (ours.positions.weight.grad != 0).all()
    ours.zero_grad()


def test_images_of_another_size(pair: tuple[Any, Any]):
    ours, _ = pair
    with refused("images must be ('B', 3, 12, 12): got shape (1, 3, 8, 12); resize them, or use interpolate=True"):
        ours(torch.randn(1, 3, 8, 12))
    with refused("images must be (B, 3, h, w) with h and w multiples of 4: got shape (1, 3, 10, 12)"):
        ours(torch.randn(1, 3, 10, 12), interpolate=True)
    with refused("images must be (B, 3, h, w) with h and w multiples of 4: got shape (1, 4, 8, 12)"):
        ours(torch.randn(1, 4, 8, 12), interpolate=True)


def test_waves_take_any_grid():
    config = vary(PRESETS["vit-base"], **SMALL, positions="sinusoidal")
    small, large = ViT(config).eval(), ViT(vary(config, image=20)).eval()
    large.load_state_dict(small.state_dict())  # nothing is learned for a place
    images = torch.randn(1, 3, 20, 20)
    torch.testing.assert_close(small(images, interpolate=True).logits, large(images).logits)
    assert small(images[..., :8], interpolate=True).hidden.shape == (1, 11, 32)
    with refused("got shape (1, 3, 20, 20); resize them, or use interpolate=True"):
        small(images)


@pytest.mark.parametrize("pooler", [True, False])
def test_there_and_back_without_a_head(pooler: bool, tmp_path: Path):
    theirs = shaken(base(pooler))
    ours = models.load(saved(theirs, tmp_path / "theirs"))
    assert (ours.config.classes, ours.config.pooler) == (None, pooler)
    the_same(ours, theirs)
    out = ours(torch.randn(1, 3, 12, 12))
    assert out.logits is None
    assert (out.pooled is None) != pooler
    models.save(ours, tmp_path / "ours")
    again, info = transformers.ViTModel.from_pretrained(
        tmp_path / "ours", add_pooling_layer=pooler, output_loading_info=True, **EAGER
    )
    assert not any(info.values()), info
    names = [set(load_file(tmp_path / at / "model.safetensors")) for at in ("ours", "theirs")]
    assert names[0] == names[1]
    the_same(ours, again)
    models.save(ours, tmp_path / "ours")  # the same goes over it
    if pooler:
        with refused("with pooler=True; use another folder"):
            models.save(ViT(vary(ours.config, pooler=False)), tmp_path / "ours")


def test_a_pooler_beside_a_head(tmp_path: Path):
    config = vary(PRESETS["vit-base"], **SMALL, classes=3, pooler=True)
    ours = ViT(config).eval()
    models.save(ours, tmp_path)
    again = models.load(tmp_path)
    assert again.config == config
    images = torch.randn(1, 3, 12, 12)
    assert torch.equal(again(images).pooled, ours(images).pooled)
    assert torch.equal(again(images).logits, ours(images).logits)


def test_configurations():
    headless = vary(PRESETS["vit-base"], classes=None, hidden=3072)
    assert write(headless)["architectures"] == ["ViTModel"]
    assert "id2label" not in write(headless)
    assert read(write(headless)) == headless
    pooled = vary(headless, pooler=True)
    assert read(write(pooled), ["pooler.dense.weight"]) == pooled
    no_name = {"model_type": "vit", "num_labels": 7, "pooler_act": "relu", "pooler_output_size": 5}
    assert read(no_name, ["layernorm.bias"]) == headless
    assert read(no_name, ["classifier.bias"]).classes == 7
    assert read(no_name | {"architectures": ["ViTForImageClassification"]}, ["layernorm.bias"]).classes == 7
    with refused("pooler_act must be 'tanh', the only one that is implemented: got 'relu'; load it by transformers"):
        read(no_name, ["pooler.dense.bias"])
    with refused("pooler_output_size must be 768, the only one that is implemented: got 5; load it by transformers"):
        read(no_name | {"pooler_act": "tanh"}, ["pooler.dense.bias"])
    assert read({"model_type": "vit", "pooler_output_size": None}, ["pooler.dense.bias"]) == pooled
    with refused("classes must be a whole number from 1 to below 2^62: got classes=0"):
        vary(headless, classes=0)
