"""The doctor sees what a model's layers would ask for, without weights and without contents."""

import json

import pytest
import torch
import transformers
from transformers import AttentionInterface

from regard.algorithms.planning.report import plain
from regard.integrations.transformers.doctor import Examination, examine
from tests.integrations.families import IMAGE, VISION, configuration

ON_CPU = {
    "batch": 2,
    "tokens": 9,
    "real": None,
    "cached": 0,
    "dtype": torch.float32,
    "device": "cpu",
    "training": False,
}


def saved(config, folder, architecture: str | None = None):
    config.architectures = [architecture] if architecture else None
    config.save_pretrained(folder)
    return folder


def test_kinds_of_layers_are_told_apart(tmp_path):
    folder = saved(configuration("Gemma3Text"), tmp_path, "Gemma3ForCausalLM")
    found = examine(folder, Examination(**ON_CPU))
    assert [layer.modules for layer in found.layers] == [("model.layers.0.self_attn",), ("model.layers.1.self_attn",)]
    masks = [str(layer.plan.problem.stated.mask) for layer in found.layers]
    assert masks == ["Window(before=3, after=0)", "Causal()"]
    assert (found.layers[1].plan.chosen, found.layers[1].instead) == ("fused", "kernel")
    assert found.layers[0].instead == "kernel, all pairs"
    assert "fused takes no mask but Causal()" in found.layers[0].why
    assert "regard_doctor" not in AttentionInterface()
    told = json.loads(found.json())
    assert told["family"] == "Gemma3ForCausalLM"
    assert told["layers"][1]["algorithm"] == "fused"
    assert told["seconds"] == pytest.approx(sum(layer["seconds"] for layer in told["layers"]))
    assert "[2] model.layers.1.self_attn" in plain(found.rich(), 100)


def test_pads_caches_sinks_and_experts(tmp_path):
    folder = saved(configuration("GptOss", sliding_window=400), tmp_path, "GptOssForCausalLM")
    on_gpu = {"real": (9, 4), "device": "h200", "dtype": torch.bfloat16, "training": True}
    padded = examine(folder / "config.json", Examination(**{**ON_CPU, **on_gpu}))
    for facts in [layer.facts() for layer in padded.layers]:  # which is cheapest is the machine's table to say
        assert "tiled" in facts["exact"]
        assert facts["seconds"] == min(facts["exact"].values())
    assert all(layer.instead == "eager: no sinks" and layer.plan.problem.backward for layer in padded.layers)
    assert "Padding(int64[2])" in str(padded.layers[0].plan.problem.stated.mask)
    cached = examine(folder, Examination(**{**ON_CPU, "tokens": None, "cached": 30}))
    assert {(layer.plan.problem.shape.T, layer.plan.problem.shape.S) for layer in cached.layers} == {(1, 31)}


def test_images_biases_and_cross_attention(tmp_path):
    vit = examine(saved(transformers.ViTConfig(**VISION, **IMAGE), tmp_path / "vit"), Examination(**ON_CPU))
    assert [(len(layer.modules), layer.plan.problem.shape.T) for layer in vit.layers] == [(2, 10)]
    t5 = saved(configuration("T5"), tmp_path / "t5", "T5ForConditionalGeneration")
    found = examine(t5, Examination(**{**ON_CPU, "training": True}))
    assert {layer.instead for layer in found.layers} == {"math, all pairs"}
    assert sum(len(layer.modules) for layer in found.layers) == 6


def test_what_cannot_be_examined_says_why(tmp_path):
    with pytest.raises(ValueError, match=r"must hold a config.json: got .*nothing"):
        examine(tmp_path / "nothing", Examination(**ON_CPU))
    (tmp_path / "config.json").write_text('{"model_type": "nonsense"}')
    with pytest.raises(ValueError, match=r"is no configuration that transformers knows: .*nonsense"):
        examine(tmp_path, Examination(**ON_CPU))
    bloom = transformers.BloomConfig(hidden_size=32, n_layer=1, n_head=4, vocab_size=50)
    with pytest.raises(ValueError, match="for layers that call the attention function: got add of a model"):
        examine(saved(bloom, tmp_path / "bloom"), Examination(**ON_CPU))
    openai = transformers.OpenAIGPTConfig(n_embd=32, n_layer=1, n_head=4, vocab_size=50)
    with pytest.raises(ValueError, match="OpenAIGPTModel asks for no attention function, it computes attention itself"):
        examine(saved(openai, tmp_path / "openai"), Examination(**ON_CPU))
