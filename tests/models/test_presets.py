"""Presets have the sizes of what they are named after, and can be built and run at any size without memory."""

import dataclasses
from collections import Counter
from typing import Any

import pytest
import torch
import transformers
from torch import nn
from torch._subclasses import FakeTensorMode

from regard.models import PRESETS, GridConfig, build, vary


def gpt2(depth: int, width: int, heads: int) -> Any:
    config = transformers.GPT2Config(n_layer=depth, n_embd=width, n_head=heads)
    return transformers.GPT2LMHeadModel, config


def bert(depth: int, width: int, heads: int, hidden: int) -> Any:
    sizes = {"hidden_size": width, "num_hidden_layers": depth, "num_attention_heads": heads}
    return transformers.BertForPreTraining, transformers.BertConfig(intermediate_size=hidden, **sizes)


def t5(depth: int, width: int, heads: int, hidden: int, head: int = 64) -> Any:
    sizes = {"d_model": width, "d_kv": head, "d_ff": hidden, "num_layers": depth, "num_heads": heads}
    return transformers.T5ForConditionalGeneration, transformers.T5Config(**sizes)


def vit(depth: int, width: int, heads: int, hidden: int, patch: int) -> Any:
    sizes = {"hidden_size": width, "num_hidden_layers": depth, "num_attention_heads": heads, "patch_size": patch}
    config = transformers.ViTConfig(**sizes, intermediate_size=hidden, num_labels=1000)
    return transformers.ViTForImageClassification, config


def llama(depth: int, width: int, heads: int, hidden: int, groups: int | None = None, words: int = 32000) -> Any:
    sizes = {"hidden_size": width, "num_hidden_layers": depth, "num_attention_heads": heads, "vocab_size": words}
    config = transformers.LlamaConfig(**sizes, intermediate_size=hidden, num_key_value_heads=groups)
    return transformers.LlamaForCausalLM, config


def resnet(depths: list[int]) -> Any:
    return transformers.ResNetForImageClassification, transformers.ResNetConfig(
        hidden_sizes=[64, 128, 256, 512], depths=depths, layer_type="basic", num_labels=1000
    )


THEIRS = {
    "gpt2": gpt2(12, 768, 12),
    "gpt2-medium": gpt2(24, 1024, 16),
    "gpt2-large": gpt2(36, 1280, 20),
    "gpt2-xl": gpt2(48, 1600, 25),
    "bert-base": bert(12, 768, 12, 3072),
    "bert-large": bert(24, 1024, 16, 4096),
    "t5-small": t5(6, 512, 8, 2048),
    "t5-base": t5(12, 768, 12, 3072),
    "t5-large": t5(24, 1024, 16, 4096),
    "t5-3b": t5(24, 1024, 32, 16384, 128),
    "t5-11b": t5(24, 1024, 128, 65536, 128),
    "vit-base": vit(12, 768, 12, 3072, 16),
    "vit-large": vit(24, 1024, 16, 4096, 16),
    "vit-huge": vit(32, 1280, 16, 5120, 14),
    "resnet-18": resnet([2, 2, 2, 2]),
    "llama-7b": llama(32, 4096, 32, 11008),
    "llama-13b": llama(40, 5120, 40, 13824),
    "llama-33b": llama(60, 6656, 52, 17920),
    "llama-65b": llama(80, 8192, 64, 22016),
    "llama2-70b": llama(80, 8192, 64, 28672, 8),
    "llama3-8b": llama(32, 4096, 32, 14336, 8, 128256),
    "llama3-70b": llama(80, 8192, 64, 28672, 8, 128256),
}
SIZES = {  # as published
    "llama3.1-8b": 8_030_261_248,
    "llama3.1-405b": 405_853_388_800,
    "llama3.2-1b": 1_235_814_400,
    "llama3.2-3b": 3_212_749_824,
    "distilbert-base": 66_985_530,
    "mistral-7b": 7_241_732_096,
    "roberta-base": 124_697_433,
    "qwen2-7b": 7_615_616_512,
    "qwen3-8b": 8_190_735_360,
}
DAVITS = {"davit-tiny", "davit-small", "davit-base"}  # test_davit.py has their sizes
ALONE = {"transformer-base", "transformer-big", "attention-only"}


def size(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize("name", THEIRS)
def test_as_many_parameters_as_transformers_has(name: str):
    model, config = THEIRS[name]
    with torch.device("meta"):
        assert size(build(name)) == size(model(config))


@pytest.mark.parametrize("name", SIZES)
def test_as_many_parameters_as_published(name: str):
    with torch.device("meta"):
        assert size(build(name)) == SIZES[name]


def test_every_preset_is_compared_or_known():
    assert set(PRESETS) == set(THEIRS) | set(SIZES) | ALONE | DAVITS


@pytest.mark.parametrize(
    ("encoding", "millions"), [("isotropic", 12.1), ("full", 12.1), ("learned", 12.1), ("learned + content", 29.5)]
)
def test_the_attention_only_model_has_the_sizes_of_its_paper(encoding: str, millions: float):
    """Table 1 of Cordonnier et al.; their learned encoding, of 12.3 million, learns two factors of our tables."""
    with torch.device("meta"):
        assert round(size(build(GridConfig(encoding=encoding))) / 1e6, 1) == millions


@pytest.mark.parametrize(("name", "millions"), [("transformer-base", 63.1), ("transformer-big", 214.2)])
def test_the_original_has_about_the_sizes_of_its_paper(name: str, millions: float):
    """65 and 213 million there, whose exact vocabulary is not told."""
    with torch.device("meta"):
        assert round(size(build(name)) / 1e6, 1) == millions


@pytest.mark.parametrize("name", ["gpt2", "bert-base", "t5-small", "transformer-base", "vit-base", "llama2-70b"])
def test_sizes_may_be_anything_where_nothing_is_allocated(name: str):
    """Large primes that tell which size is which: nothing may loop over them, or need their memory."""
    groups = {"num_groups": 1009} if name == "llama2-70b" else {}
    images = {"image": 14 * 113, "patch": 14} if name == "vit-base" else {"vocabulary": 10007}
    context = {"context": 4099} if name in ("gpt2", "bert-base") else {}
    sizes = {"depth": 2, "num_heads": 2 * 1009, "head": 2 * 1013, "width": 2 * 10133, "hidden": 10007}
    config = vary(PRESETS[name], **sizes, **groups, **images, **context)
    with FakeTensorMode():
        model = build(config)
        out = model(*config.inputs(7, *([] if name == "vit-base" else [4001])))
        out.logits.sum().backward()
    assert out.hidden.shape == (7, 113**2 + 1 if name == "vit-base" else 4001, 2 * 10133)


@pytest.mark.parametrize("encoding", ["isotropic", "full", "learned + content"])
def test_so_may_the_sizes_of_grids(encoding: str):
    config = vary(PRESETS["attention-only"], depth=2, image=2 * 113, num_heads=1009, width=2 * 1013, encoding=encoding)
    with FakeTensorMode():
        out = build(config)(*config.inputs(7))
        out.logits.sum().backward()
    assert out.hidden.shape == (7, 113**2, 2 * 1013)


@pytest.mark.parametrize("name", sorted(ALONE | {"gpt2", "bert-base", "t5-small", "vit-base", "llama3-8b"}))
def test_a_preset_runs_on_meta_and_gives_what_it_should(name: str):
    config = PRESETS[name]
    with torch.device("meta"):
        model = build(name)
        inputs = config.inputs(2) if name in ("vit-base", "attention-only") else config.inputs(2, 11)
        out = model(*inputs)
    assert out.logits.is_meta
    assert model.config is config
    classes = {"vit-base": (1000,), "attention-only": (10,)}.get(name)
    assert out.logits.shape == (2, *(classes or (11, config.vocabulary)))


def test_no_field_of_a_configuration_has_the_name_of_another():
    """So that `vary` cannot mean two things."""

    def names(config: Any) -> list[str]:
        parts = [getattr(config, field.name) for field in dataclasses.fields(config)]
        inner = [name for part in parts if type(part).__module__.startswith("regard.models") for name in names(part)]
        return [field.name for field in dataclasses.fields(config)] + inner

    for config in PRESETS.values():
        assert max(Counter(names(config)).values()) == 1


def test_a_varied_configuration_is_checked_again():
    config = vary(PRESETS["gpt2"], width=64, num_heads=4, context=128, rms=True)
    assert (config.block.width, config.block.num_heads, config.positions.context, config.block.norm.rms) == (
        (64, 4, 128, True)
    )
    assert PRESETS["gpt2"].block.width == 768
    with pytest.raises(ValueError, match=r"num_heads must divide width: got width=768, num_heads=7; use 4, 6 or 8"):
        vary(PRESETS["gpt2"], num_heads=7)
    with pytest.raises(ValueError, match=r"DecoderConfig has no 'num_head': did you mean num_heads or head\?"):
        vary(PRESETS["gpt2"], num_head=4)


@pytest.mark.usefixtures("unhooked")
def test_unknown_presets_name_their_neighbours():
    with pytest.raises(ValueError, match=r"unknown preset 'gpt-2': did you mean gpt2"):
        build("gpt-2")
    with pytest.raises(ValueError, match=r"build takes a configuration or the name of a preset: got 12; use build"):
        build(12)  # pyright: ignore[reportArgumentType]
