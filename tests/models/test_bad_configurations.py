"""Every message of configurations and models, with the offending value in it."""

from typing import Any

import pytest
import torch

from regard.attention import Cache
from regard.layers.positions import RotaryScaling
from regard.models import (
    PRESETS,
    BlockConfig,
    Decoder,
    DecoderConfig,
    EncoderConfig,
    EncoderDecoderConfig,
    GridConfig,
    Mechanism,
    NormConfig,
    PositionConfig,
    ViT,
    ViTConfig,
    build,
    vary,
)
from tests.refusals import refused

pytestmark = pytest.mark.usefixtures("unhooked")

BLOCK = BlockConfig(width=8, num_heads=2)


WRONG: list[tuple[type, dict[str, Any], str]] = [
    (BlockConfig, {"width": 100, "num_heads": 8}, "num_heads must divide width: got width=100, num_heads=8; use 4, 5"),
    (BlockConfig, {"width": 8, "num_heads": 4, "num_groups": 3}, "num_groups must divide num_heads: got num_heads=4"),
    (BlockConfig, {"width": 8, "num_heads": 2, "hidden": 0}, "hidden must be a whole number from 1 to below 2^62: got"),
    (BlockConfig, {"width": 8, "num_heads": 2, "activation": "gelo"}, "unknown activation 'gelo': did you mean gelu"),
    (NormConfig, {"eps": 0}, "eps must be positive: got eps=0; use 1e-5"),
    (Mechanism, {"mask": "causal"}, "mask must be a value such as Causal() or Dense(tensor): got 'causal'"),
    (Mechanism, {"beta": float("inf")}, "beta must be finite: got beta=inf"),
    (PositionConfig, {"kind": "rotatory"}, "unknown positions 'rotatory': did you mean rotary"),
    (PositionConfig, {"context": 0}, "context must be a whole number from 1 to below 2^62: got context=0"),
    (PositionConfig, {"base": 1}, "base must be above 1: got base=1; use 10000"),
    (PositionConfig, {"kind": "buckets", "num_buckets": 6}, "buckets come in 4 equal parts: got num_buckets=6; use 32"),
    (PositionConfig, {"scaling": 8}, "scaling must be a RotaryScaling: got 8; use RotaryScaling(factor=…)"),
    (
        PositionConfig,
        {"scaling": RotaryScaling(factor=8)},
        "rotary positions alone are scaled: got kind='learned'; use",
    ),
    (
        DecoderConfig,
        {"headless": True},
        "a head that is not there cannot be tied: got headless=True, tied=True; use ti",
    ),
    (DecoderConfig, {"vocabulary": 0}, "vocabulary must be a whole number from 1 to below 2^62: got vocabulary=0"),
    (DecoderConfig, {"block": 8}, "block must be a BlockConfig: got 8; use BlockConfig(…)"),
    (DecoderConfig, {"dropout": 1.0}, "dropout is a probability below 1: got dropout=1.0; use 0.0 for none"),
    (EncoderConfig, {"heads": "words"}, "heads must be a tuple of names: got 'words'; use ('words',)"),
    (EncoderConfig, {"heads": ("word",)}, "unknown head 'word': did you mean words?"),
    (EncoderConfig, {"heads": ("next_sentence",)}, "next_sentence reads what the pooler gives: got heads=('next_sent"),
    (EncoderDecoderConfig, {"scaled": "heads"}, "unknown scaled 'heads': did you mean head?"),
    (EncoderDecoderConfig, {"decoder_depth": 0}, "decoder_depth must be a whole number from 1 to below 2^62: got"),
    (ViTConfig, {"patch": 15}, "patch must divide image: got image=224, patch=15; use 8, 14 or 16"),
    (ViTConfig, {"positions": "rotary"}, "unknown positions 'rotary': use one of learned, sinusoidal"),
    (GridConfig, {"encoding": "iso"}, "unknown encoding 'iso': "),
    (GridConfig, {"mechanism": Mechanism(beta=2.0)}, "heads on a grid have no β to choose: got beta=2.0; leave it out"),
]


@pytest.mark.parametrize(("config", "options", "message"), WRONG, ids=[message for *_, message in WRONG])
def test_configurations_are_checked_when_they_are_made(config: Any, options: dict[str, Any], message: str):
    needed: dict[type, dict[str, Any]] = {
        DecoderConfig: {"vocabulary": 10, "depth": 1, "block": BLOCK},
        EncoderConfig: {"vocabulary": 10, "depth": 1, "block": BLOCK},
        EncoderDecoderConfig: {"vocabulary": 10, "depth": 1, "block": BLOCK},
        ViTConfig: {"depth": 1, "block": BLOCK},
    }
    with refused(message):
        config(**needed.get(config, {}) | options)


def test_tokens_that_are_none():
    model = Decoder(DecoderConfig(vocabulary=10, depth=1, block=BLOCK, positions=PositionConfig(context=6)))
    words = torch.zeros(2, 4, dtype=torch.long)
    with refused(
        "tokens must be whole numbers (B, T) with a token or more: got torch.float32 of shape (2, 4); a single"
    ):
        model(words.float())
    with refused("tokens must be whole numbers (B, T) with a token or more: got torch.int64 of shape (2, 0)"):
        model(words[:, :0])
    with refused("tokens must lie in 0…9: got 10; use the tokenizer of this model, and lengths for pads"):
        model(words + 10)
    with refused("tokens must lie in 0…9: got -1; use the tokenizer"):
        model(words - 1)
    with refused("lengths must have one number for each row: got 3 for B=2"):
        model(words, lengths=(1, 2, 3))
    with refused("lengths must lie in 0…S=4: got 5 in row 1"):
        model(words, lengths=(4, 5))
    with refused("positions must lie among the 6 that are learned: got 0…6; use shorter sequences"):
        model(torch.zeros(1, 7, dtype=torch.long))


def test_caches_that_do_not_fit():
    model = Decoder(DecoderConfig(vocabulary=10, depth=2, block=BLOCK, positions=PositionConfig(context=6)))
    words, caches = torch.zeros(2, 4, dtype=torch.long), model.caches(2, 20)
    with refused("each block needs a cache: got 1 for 2 blocks; use model.caches(…)"):
        model(words, caches=caches[:1])
    with refused("maps are of whole sequences: got maps=True with caches; leave out one of them"):
        model(words, maps=True, caches=caches)
    with refused("a cache keeps no gradient"):
        model(words, caches=caches)
    with torch.no_grad():
        model(words, (4, 1), caches=caches)
        with refused("positions must lie among the 6 that are learned: got rows of 7 tokens; use shorter sequences"):
            model(words[:, :3], (3, 3), caches=caches)
        model(words[:, :3], (2, 3), caches=caches)  # what stands beyond the last place is a pad
        assert caches[0].lengths == (6, 4)
        with refused("caches must hold the same tokens: got lengths [(0, 0), (6, 4)]; use those of one model"):
            model(words, caches=(caches[0], Cache(2, 2, 4, capacity=9)))


def test_images_of_another_size():
    config = vary(PRESETS["vit-base"], depth=1, width=8, num_heads=2, image=8, patch=4)
    with refused("images must be ('B', 3, 8, 8): got shape (1, 3, 8, 12); resize them"):
        ViT(config)(torch.zeros(1, 3, 8, 12))
    with refused("images of 8 pixels are 5 tokens in patches of 4: got tokens=6; use vary(config, image=…)"):
        config.inputs(1, 6)
    with refused("images of 32 pixels are 256 tokens in patches of 2: got tokens=6; use vary(config, image=…)"):
        GridConfig().inputs(1, 6)
    grid = build(vary(GridConfig(), depth=1, width=8, image=8))
    assert grid(torch.zeros(1, 3, 12, 8)).hidden.shape == (1, 24, 8)  # gaussians stand on any grid
    learned = build(vary(GridConfig(), depth=1, width=8, image=8, encoding="learned"))
    with refused("a relative table must cover the visible offsets: got ±3 along axis 0"):
        learned(torch.zeros(1, 3, 12, 8))
