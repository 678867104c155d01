"""Close relatives of the models that we have: the numbers of transformers' eager attention, there and back."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor

from regard import models
from regard.layers import DynamicScaling
from regard.models.hugging_face.configurations import describe, read
from regard.models.hugging_face.keys import ELSEWHERE
from tests.models.published import EAGER, LENGTHS, LLAMA, REAL, SIZES, T5, T, V, saved
from tests.models.shaking import shaken
from tests.refusals import refused

ROPE = {"rope_theta": 500.0}
LONG = {
    "short_factor": [1.0, 1.2, 1.4, 2.0],
    "long_factor": [1.5, 3.0, 4.0, 6.0],
    "original_max_position_embeddings": 5,
}
ENCODER = SIZES | {"vocab_size": V, "layer_norm_eps": 1e-3}
ROBERTA = ENCODER | {"type_vocab_size": 1, "max_position_embeddings": 18}
DISTILBERT = {"vocab_size": V, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 40, "max_position_embeddings": 16}
LABELS = {"id2label": {0: "cat", 1: "dog", 2: "owl"}}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "bert of sequences": ("BertForSequenceClassification", ENCODER | LABELS),
    "bert of tokens": ("BertForTokenClassification", ENCODER | LABELS),
    "roberta": ("RobertaForMaskedLM", ROBERTA),
    "roberta of sequences": ("RobertaForSequenceClassification", ROBERTA | LABELS),
    "roberta of tokens": ("RobertaForTokenClassification", ROBERTA | {"pad_token_id": 4}),
    "roberta base": ("RobertaModel", ROBERTA),
    "xlm-roberta": ("XLMRobertaForMaskedLM", ROBERTA | {"type_vocab_size": 2}),
    "distilbert": ("DistilBertForMaskedLM", DISTILBERT),
    "distilbert of sequences": ("DistilBertForSequenceClassification", DISTILBERT | LABELS),
    "distilbert base": ("DistilBertModel", DISTILBERT | {"activation": "relu"}),
    "qwen2": ("Qwen2ForCausalLM", LLAMA),
    "qwen2 tied": ("Qwen2ForCausalLM", LLAMA | {"tie_word_embeddings": True}),
    "qwen2 base": ("Qwen2Model", LLAMA),
    "qwen3": ("Qwen3ForCausalLM", LLAMA | {"head_dim": 6}),
    "mt5": ("MT5ForConditionalGeneration", T5),
    "dynamic, short": (
        "LlamaForCausalLM",
        LLAMA | {"max_position_embeddings": T, "rope_parameters": {"rope_type": "dynamic", "factor": 3.0, **ROPE}},
    ),
    "dynamic, long": (
        "LlamaForCausalLM",
        LLAMA | {"max_position_embeddings": 4, "rope_parameters": {"rope_type": "dynamic", "factor": 3.0, **ROPE}},
    ),
    "longrope, short": (
        "LlamaForCausalLM",
        LLAMA
        | {"max_position_embeddings": 40}
        | {"rope_parameters": {"rope_type": "longrope", **LONG, "original_max_position_embeddings": T, **ROPE}},
    ),
    "longrope, long": (
        "Qwen2ForCausalLM",
        LLAMA | {"max_position_embeddings": 40, "rope_parameters": {"rope_type": "longrope", **LONG, **ROPE}},
    ),
}


def made(case: str) -> Any:
    """A small model in which no weight has a value that could hide a mistake, such as a bias of zero."""
    name, options = CASES[case]
    kind = getattr(transformers, name)
    return shaken(kind(kind.config_class(**options, **EAGER)), by=0.1)


def run_theirs(theirs: Any, words: Tensor) -> dict[str, Tensor]:
    mask = REAL.long()
    if theirs.config.is_encoder_decoder:
        out = theirs(words, mask, decoder_input_ids=words[:, :5], output_attentions=True)
    else:
        out = theirs(words, attention_mask=mask, output_attentions=True)
    maps = out.get("attentions", out.get("decoder_attentions"))
    found = {"logits": out.get("logits"), "hidden": out.get("last_hidden_state"), "map": maps[-1].transpose(1, 2)}
    return {name: x for name, x in found.items() if x is not None}


def run_ours(ours: Any, words: Tensor, names: Any) -> dict[str, Tensor]:
    more = [words[:, :5]] if isinstance(ours, models.EncoderDecoder) else []
    out = ours(words, *more, LENGTHS, maps=True)
    found = {"logits": out.logits, "hidden": out.hidden, "map": out.maps["self"][-1].transpose(1, 2)}
    return {name: found[name] for name in names}


def the_same(ours: Any, theirs: Any) -> None:
    """At real tokens within 1e-5, relative to the largest number."""
    words = torch.randint(5, V, (2, T))  # none that stands for a pad
    want = run_theirs(theirs, words)
    got = run_ours(ours, words, want)
    for name, one in want.items():
        pair = [x[REAL] if x.shape[:2] == REAL.shape else x for x in (got[name], one)]
        assert (pair[0] - pair[1]).abs().max() <= 1e-5 * max(1.0, float(pair[1].detach().abs().max())), name


@pytest.mark.parametrize("case", CASES)
def test_there_and_back(case: str, tmp_path: Path) -> None:
    theirs = made(case)
    ours = models.load(saved(theirs, tmp_path / "theirs"))
    the_same(ours, theirs)
    models.save(ours, tmp_path / "ours")
    kind = getattr(transformers, json.loads((tmp_path / "ours/config.json").read_text())["architectures"][0])
    again, info = kind.from_pretrained(tmp_path / "ours", output_loading_info=True, **EAGER)
    assert not any(info.values()), info
    the_same(ours, again)
    held = models.load(tmp_path / "ours").config
    assert repr(describe(held)) == repr(describe(ours.config))


@pytest.mark.parametrize("case", ["qwen2", "qwen3", "dynamic, long", "longrope, long"])
def test_writing_token_by_token(case: str, tmp_path: Path) -> None:
    """Behind a cache, where lengths grow past the point at which rotations change."""
    theirs = made(case)
    theirs.config.eos_token_id = theirs.generation_config.eos_token_id = None
    ours: Any = models.load(saved(theirs, tmp_path))
    prompt = torch.randint(3, V, (1, 3))
    want = theirs.generate(prompt, max_new_tokens=9, do_sample=False, pad_token_id=0)
    assert ours.generate(prompt.tolist()[0], max_new=9).tokens == tuple(want[0, 3:].tolist())


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"model_type": "mixtral"}, "model_type must be one of bert, distilbert, roberta"),
        ({"model_type": "llama", "rope_scaling": {"rope_type": "proportional"}}, "must be of type default, linear"),
        ({"model_type": "qwen2", "use_sliding_window": True}, "use_sliding_window must be False"),
        ({"model_type": "qwen3", "layer_types": ["sliding_attention"]}, "must all be 'full_attention'"),
        ({"model_type": "qwen3", "attention_bias": True}, "attention_bias must be False"),
        ({"model_type": "bert", "architectures": ["BertForMultipleChoice"]}, "got 'BertForMultipleChoice'"),
    ],
)
def test_what_is_refused_has_a_door(config: dict[str, Any], says: str) -> None:
    with refused(says) as caught:
        read(config)
    assert str(caught.value).endswith(ELSEWHERE)


def test_rotations_of_mistral_grow_from_the_context_that_it_has_by_default():
    scaling = {"model_type": "mistral", "rope_scaling": {"type": "dynamic", "factor": 2.0}}
    assert read(scaling).positions.scaling == DynamicScaling(factor=2.0, original=131072)
