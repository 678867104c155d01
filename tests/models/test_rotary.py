"""Rotary positions as Llama's are published: the numbers of transformers thousands of tokens on, and both spellings."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from regard import models
from regard.attention import Sequence
from regard.layers.positions import Llama3Scaling, Rotary, RotaryScaling, YarnScaling
from regard.models import PRESETS, Decoder, build, vary
from regard.models.hugging_face.configurations import read, write
from tests.models.published import LLAMA, V, saved
from tests.models.shaking import shaken
from tests.refusals import refused

LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
YARN = {"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": 4096}
SCALED: dict[str, tuple[dict[str, Any], RotaryScaling | None]] = {
    "default": ({"rope_type": "default"}, None),
    "linear": ({"rope_type": "linear", "factor": 2.5}, RotaryScaling(factor=2.5)),
    "llama3.1": (LLAMA3 | {"original_max_position_embeddings": 8192}, Llama3Scaling(factor=8)),
    "llama3 others": (
        {
            "rope_type": "llama3",
            "factor": 3.3,
            "low_freq_factor": 0.7,
            "high_freq_factor": 5,
            "original_max_position_embeddings": 500,
        },
        Llama3Scaling(factor=3.3, low=0.7, high=5, original=500),
    ),
    "yarn": (YARN, YarnScaling(factor=16, original=4096)),
    "yarn others": (
        YARN | {"factor": 3.3, "beta_fast": 20.0, "beta_slow": 2.0, "attention_factor": 0.8},
        YarnScaling(factor=3.3, original=4096, low=2, high=20, attention=0.8),
    ),
    "yarn of few tokens": (
        YARN | {"original_max_position_embeddings": 6},
        YarnScaling(factor=16, original=6),
    ),
}


@pytest.mark.parametrize("case", SCALED)
@pytest.mark.parametrize(("width", "base"), [(64, 500000), (10, 10000.0)])
def test_rotations_are_those_of_transformers(case: str, width: int, base: float):
    """To the last bit of a frequency: at 100,000 tokens one is a hundredth of a turn."""
    rope, scaling = SCALED[case]
    config = transformers.LlamaConfig(
        hidden_size=width,
        num_attention_heads=1,
        max_position_embeddings=131072,
        rope_theta=base,
        rope_scaling=dict(rope),
    )
    cos, sin = LlamaRotaryEmbedding(config)(torch.empty(0), torch.arange(99_990, 100_000)[None])
    ours = Rotary(width, base, scaling)(Sequence(10, 99_990))
    torch.testing.assert_close(torch.cat((ours.cos, ours.cos), -1)[None], cos, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(torch.cat((ours.sin, ours.sin), -1)[None], sin, rtol=1e-6, atol=1e-6)


def test_half_types_are_turned_by_angles_in_float32():
    rotary, half = Rotary(64, 500000, Llama3Scaling(factor=8)), torch.empty(0, dtype=torch.bfloat16)
    one, other = rotary(Sequence(9, 70_001), half), rotary(Sequence(9, 70_001))
    assert one.cos.dtype == torch.bfloat16
    assert one.cos.equal(other.cos.bfloat16())
    assert "scaling=Llama3Scaling(factor=8, original=8192, low=1, high=4)" in repr(rotary)


@pytest.mark.compiled
@pytest.mark.parametrize("case", ["llama3.1", "yarn others"])
def test_scaled_rotations_are_one_graph(case: str):
    rotary, x = Rotary(16, 500000, SCALED[case][1]), torch.randn(2, 3, 5, 16)
    whole = torch.compile(lambda x: rotary(Sequence(5, 7000), x).turn(x), fullgraph=True, backend="eager")
    assert whole(x).equal(rotary(Sequence(5, 7000), x).turn(x))


def test_stretched_keys_are_cached_stretched():
    sizes = {"depth": 2, "width": 8, "num_heads": 2, "hidden": 8, "vocabulary": V}
    model = build(vary(PRESETS["llama-7b"], **sizes, scaling=YarnScaling(factor=8, original=16))).double().eval()
    words, caches = torch.randint(V, (2, 30)), model.caches(2, 30)
    with torch.no_grad():
        pieces = [model(piece, caches=caches).logits for piece in words.split([10, 1, 19], 1)]
        torch.testing.assert_close(torch.cat(pieces, 1), model(words).logits, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kind", ["llama3", "linear", "yarn"])
def test_logits_thousands_of_tokens_on(kind: str, tmp_path: Path):
    """Loaded, saved, and loaded by transformers from each of the two spellings alone."""
    more = {} if kind == "linear" else {"original_max_position_embeddings": 1024}
    rope = (LLAMA3 if kind == "llama3" else {"rope_type": kind, "factor": 8.0}) | more | {"rope_theta": 5000.0}
    sizes = LLAMA | {"num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1}
    config = transformers.LlamaConfig(**sizes, max_position_embeddings=8192, rope_parameters=rope)
    theirs = shaken(transformers.LlamaForCausalLM(config))
    words = torch.randint(V, (1, 5000))
    ours = models.load(saved(theirs, tmp_path / "theirs"))
    with torch.no_grad():
        want, found = theirs(words, logits_to_keep=1000).logits, ours(words).logits
        torch.testing.assert_close(found[:, -1000:], want, rtol=1e-5, atol=1e-5)
        unscaled = Decoder(vary(ours.config, scaling=None))
        unscaled.load_state_dict(ours.state_dict())
        assert (unscaled(words).logits - found).abs().max() > 0.1  # the control: it matters there

        models.save(ours, tmp_path / "ours")
        written = json.loads((tmp_path / "ours" / "config.json").read_text())
        for missing in (("rope_parameters",), ("rope_scaling", "rope_theta"), ()):
            one_spelling = {key: value for key, value in written.items() if key not in missing}
            (tmp_path / "ours" / "config.json").write_text(json.dumps(one_spelling))
            assert read(one_spelling) == ours.config
            again = transformers.LlamaForCausalLM.from_pretrained(tmp_path / "ours")
            assert again(words, logits_to_keep=1000).logits.equal(want)


WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"rope_scaling": {"type": "proportional", "factor": 2.0}},
        "must be of type default, linear, llama3, yarn, dynamic, longrope: got 'proportional'; load it by transformers",
    ),
    (
        {"rope_parameters": {"rope_type": "longrope"}},
        "rope_parameters of type longrope must say short_factor, long_factor: got",
    ),
    (
        {"rope_scaling": LLAMA3},
        "rope_scaling of type llama3 must say original_max_position_embeddings: got {'rope_type'",
    ),
    ({"rope_parameters": {"rope_type": "linear"}}, "rope_parameters of type linear must say factor: got {'rope_type'"),
    (
        {"rope_parameters": {"factor": 2}},
        "of type default says rope_theta and no more: got ['factor']; load it by",
    ),
    (
        {"rope_scaling": YARN | {"mscale": 1.0, "truncate": False}},
        "says rope_theta, factor, original_max_position_embeddings, beta_slow, beta_fast, attention_factor and no "
        "more: got ['mscale', 'truncate']",
    ),
    ({"rope_scaling": {"type": "linear", "factor": "2"}}, "factor in config.json must be of type float: got '2'"),
    (
        {"rope_scaling": {"type": "linear", "factor": 0.5}},
        "factor must be finite, and 1 or more: got factor=0.5; use 8",
    ),
    (
        {"rope_scaling": {"type": "linear", "factor": 2.0}, "rope_parameters": {"rope_type": "default"}},
        "must be told once, or twice alike: got rope_scaling={'type': 'linear', 'factor': 2.0}, rope_parameters={'rop",
    ),
    (
        {"rope_theta": 10.0, "rope_parameters": {"rope_theta": 20.0}},
        "got rope_theta=10.0, rope_parameters={'rope_theta': 20.0}; remove one",
    ),
]


@pytest.mark.parametrize(("keys", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_rotary_positions_cannot_mean(keys: dict[str, Any], message: str):
    with refused(message):
        read({"model_type": "llama"} | keys)


@pytest.mark.usefixtures("unhooked")
def test_scalings_that_cannot_be():
    for options, message in (
        ({"factor": float("inf")}, "factor must be finite, and 1 or more: got factor=inf"),
        ({"factor": 8, "original": 0}, "original must be a whole number from 1 to below 2^62: got original=0"),
        ({"factor": 8, "low": 4}, "low must be positive and below high: got low=4, high=4; use 1 and 4"),
    ):
        with refused(message):
            Llama3Scaling(**options)
    with refused("attention must be finite and positive: got attention=0; leave it out"):
        YarnScaling(factor=8, original=9, attention=0)
    with refused("scaling must be a RotaryScaling: got 8; use RotaryScaling(factor=…)"):
        Rotary(8, scaling=8)  # pyright: ignore[reportArgumentType]


def test_a_scaling_that_no_folder_can_say():
    class Other(RotaryScaling):
        pass

    small = vary(PRESETS["llama3.1-8b"], depth=1)
    assert write(read(write(small))) == write(small)
    with refused("a folder of llama must say all of a configuration: got scaling="):
        write(vary(small, scaling=Other(factor=2)))
    assert isinstance(build(vary(small, width=8, num_heads=2, head=4, num_groups=1, vocabulary=9)), Decoder)
