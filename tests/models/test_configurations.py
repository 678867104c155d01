"""config.json: what it says is meant, and what we cannot mean is refused with its name and value."""

from typing import Any

import pytest

from regard.models import PRESETS, vary
from regard.models.hugging_face.configurations import read, write
from tests.refusals import refused

SMALL = {"model_type": "gpt2", "n_layer": 1, "n_embd": 8, "n_head": 2}
WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"model_type": "mamba"},
        "mistral, mt5, qwen2, qwen3, t5, vit: got 'mamba'; load it by transformers",
    ),
    ({"architectures": ["GPT2ForSequenceClassification"]}, "GPT2Model: got 'GPT2ForSequenceClassification'"),
    ({"n_layer": "1"}, "n_layer in config.json must be of type int: got '1'; correct it"),
    ({"n_layer": True}, "n_layer in config.json must be of type int: got True; correct it"),
    ({"n_embd": 9}, "num_heads must divide width: got width=9, num_heads=2"),
    ({"activation_function": "gelu_10"}, "unknown activation_function 'gelu_10': did you mean gelu"),
    ({"resid_pdrop": 0.2}, "a model has one dropout: got resid_pdrop=0.2, embd_pdrop=0.1, attn_pdrop=0.1; use load(…,"),
    ({"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx must be False, the only one that is"),
    ({"add_cross_attention": True}, "add_cross_attention must be False, the only one that is implemented: got True"),
    ({"pruned_heads": {"0": [1]}}, "pruned_heads must be {}, the only one that is implemented: got {'0': [1]}"),
    (
        {"quantization_config": {"bits": 4}},
        "quantization_config must be None, the only one that is implemented: got {'b",
    ),
    (
        {"soft_cap": 30, "sinks": 4},
        "they could change numbers: got 2 unknown (sinks=4, soft_cap=30); use load(…, ignore=",
    ),
    (
        {"model_type": "bert", "position_embedding_type": "relative_key"},
        "must be 'absolute', the only one that is impl",
    ),
    (
        {"model_type": "bert", "is_decoder": True},
        "is_decoder must be False, the only one that is implemented: got True",
    ),
    (
        {"model_type": "llama", "attention_bias": True},
        "mlp_bias must be as attention_bias: got False and True; load",
    ),
    ({"model_type": "t5", "feed_forward_proj": "gated-tanh"}, "unknown feed_forward_proj 'tanh': "),
    (
        {"model_type": "t5", "dense_act_fn": "gelu"},
        "dense_act_fn must be 'relu', the only one that is implemented: got",
    ),
    ({"model_type": "t5", "is_encoder_decoder": False}, "is_encoder_decoder must be True, the only one that is implem"),
    ({"model_type": "vit", "qkv_bias": False}, "qkv_bias must be True, the only one that is implemented: got False"),
    ({"model_type": "vit", "image_size": [224, 112]}, "image_size in config.json must be of type int: got [224, 112]"),
]


@pytest.mark.parametrize(("keys", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_a_configuration_cannot_mean(keys: dict[str, Any], message: str):
    with refused(message):
        read((SMALL if "model_type" not in keys else {}) | keys)


def test_configurations_as_they_were_published():
    """Keys of old files, those that are absent, and a key that the user knows to be harmless."""
    old = {"n_ctx": 1024, "summary_type": "cls_index", "task_specific_params": {}, "n_other": 0}
    assert read(SMALL | old, ignore=("n_other",)) == vary(PRESETS["gpt2"], depth=1, width=8, num_heads=2, dropout=0.1)
    for name, kind in (("bert-base", "bert"), ("llama-7b", "llama"), ("t5-small", "t5")):
        assert write(read({"model_type": kind}, dropout=0.0)) == write(PRESETS[name]) | (
            {"architectures": ["BertModel"]} if kind == "bert" else {}
        )
    assert read({"model_type": "vit", "image_size": [32, 32], "num_labels": 7}).classes == 7
    rope = {"rope_theta": 500000.0, "rope_scaling": None, "num_key_value_heads": 8, "vocab_size": 128256}
    sizes = {"intermediate_size": 14336, "rms_norm_eps": 1e-5, "max_position_embeddings": 8192}
    assert write(read({"model_type": "llama"} | rope | sizes)) == write(PRESETS["llama3-8b"])
