"""Llamas without a head, and Mistral, which is a Llama with a window: there and back."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from regard import models
from regard.attention import Everything, Window
from regard.models import PRESETS, build, vary
from regard.models.hugging_face.configurations import read, write
from tests.models.published import EAGER, LLAMA, V, saved, t5, the_same
from tests.models.shaking import shaken
from tests.refusals import refused


def made(name: str, **options: Any) -> Any:
    model = getattr(transformers, name)
    return shaken(model(model.config_class(**LLAMA | options, **EAGER)))


CASES = {
    "llama base": ("LlamaModel", {}),
    "llama base tied": ("LlamaModel", {"tie_word_embeddings": True}),
    "mistral": ("MistralForCausalLM", {"sliding_window": 3}),
    "mistral without a window": ("MistralForCausalLM", {"sliding_window": None}),
    "mistral base": ("MistralModel", {"sliding_window": 3, "rope_scaling": {"rope_type": "linear", "factor": 2.0}}),
}


@pytest.mark.parametrize("case", CASES)
def test_there_and_back(case: str, tmp_path: Path):
    name, options = CASES[case]
    theirs = made(name, **options)
    ours = models.load(saved(theirs, tmp_path / "theirs"))
    the_same(ours, theirs)
    base = name.endswith("Model")
    assert ours.config.headless == (base and "tied" not in case)
    assert (ours(torch.zeros(1, 2, dtype=torch.long)).logits is None) == ours.config.headless

    models.save(ours, tmp_path / "ours")
    config, original = (json.loads((tmp_path / at / "config.json").read_text()) for at in ("ours", "theirs"))
    renamed = {"model_type": "llama", "architectures": ["LlamaForCausalLM"]} if "without" in case else {}
    assert config == config | original | renamed
    kind = getattr(transformers, config["architectures"][0])
    again, info = kind.from_pretrained(tmp_path / "ours", output_loading_info=True, **EAGER)
    assert not any(info.values()), info
    the_same(ours, again)
    held = models.load(tmp_path / "ours").config
    assert repr(held) == repr(ours.config)  # masks have no equality


def test_a_model_without_a_head_that_was_never_loaded(tmp_path: Path):
    sizes = {"depth": 1, "width": 8, "num_heads": 2, "hidden": 8, "vocabulary": V}
    ours = build(vary(PRESETS["llama-7b"], **sizes, headless=True))
    models.save(ours, tmp_path)
    _, info = transformers.LlamaModel.from_pretrained(tmp_path, output_loading_info=True)
    assert not any(info.values()), info
    with refused("words are scored by a head: got headless=True; use a model that has one"):
        ours.scores(torch.zeros(1, 8))
    published = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(published | {"architectures": ["LlamaForCausalLM"]}))
    with refused("got 1 (lm_head.weight) missing; use a folder with the weights of its head"):
        models.load(tmp_path)


def test_windows_of_mistral():
    """As many keys as sliding_window says, oneself among them; without one it is a Llama."""
    assert read({"model_type": "mistral", "sliding_window": 6}).block.mechanism.mask.before == 5
    none = read({"model_type": "mistral", "sliding_window": None})
    assert isinstance(none.block.mechanism.mask, Everything)
    assert write(none)["model_type"] == "llama"
    defaults = transformers.MistralConfig().to_dict()
    mine = write(read({"model_type": "mistral"}))
    same = {key for key in mine if key in defaults} - {"architectures", "rope_parameters", "head_dim"}
    assert len(same) == 13
    assert {key: mine[key] for key in same} == {key: defaults[key] for key in same}
    with refused("before must be a whole number from 0 to below 2^62: got before=-1"):
        read({"model_type": "mistral", "sliding_window": 0})
    with refused("sliding_window must be None, the only one that is implemented: got 6"):
        read({"model_type": "llama", "sliding_window": 6})
    with refused("a folder of llama must say all of a configuration: got mask=Window(before=3, after=1), which it"):
        write(vary(PRESETS["llama-7b"], mask=Window(before=3, after=1)))


def test_parts_of_t5(tmp_path: Path):
    """The whole without a head has that of its embedding; an encoder alone is another model."""
    theirs = shaken(t5("T5Model"))
    ours = models.load(saved(theirs, tmp_path / "model"))
    the_same(ours, theirs)
    with refused(
        "architectures of t5 must be among T5ForConditionalGeneration, T5WithLMHeadModel, T5Model: got 'T5Enc"
    ):
        models.load(saved(t5("T5EncoderModel"), tmp_path / "encoder"))
