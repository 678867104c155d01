"""Folders of Hugging Face: what transformers saves is loaded with the same numbers, and what we save it loads."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torch import Tensor

from regard import models
from regard.models import PRESETS, build, vary
from tests.budget import examples
from tests.models.published import CASES, EAGER, C, V, bert, copied, gpt2, saved, the_same, with_tokenizer
from tests.models.shaking import shaken
from tests.refusals import refused


def stored_names(folder: Path) -> set[str]:
    return {name for file in folder.glob("*.safetensors") for name in load_file(file)}


@pytest.mark.parametrize("case", CASES)
def test_there_and_back(case: str, tmp_path: Path):
    theirs = shaken(CASES[case]())
    pieces = {"max_shard_size": "20KB"} if "1" in case or case == "gpt2" else {}
    ours = models.load(saved(theirs, tmp_path / "theirs", **pieces))
    assert (tmp_path / "theirs" / "model.safetensors.index.json").exists() == bool(pieces)
    assert not ours.training
    the_same(ours, theirs)

    models.save(ours, tmp_path / "ours", max_shard=10**9 if pieces else 20_000)
    assert (tmp_path / "ours" / "model.safetensors.index.json").exists() != bool(pieces)
    again, info = type(theirs).from_pretrained(tmp_path / "ours", output_loading_info=True, **EAGER)
    assert not any(info.values()), info
    before = theirs.state_dict()
    assert before.keys() == again.state_dict().keys()
    assert stored_names(tmp_path / "ours") == stored_names(tmp_path / "theirs")
    for name, weight in again.state_dict().items():
        assert torch.equal(weight, before[name]), name
    the_same(ours, again)
    assert {p.name for p in tmp_path.iterdir()} == {"theirs", "ours"}  # nothing is left beside them
    config, original = (json.loads((tmp_path / at / "config.json").read_text()) for at in ("ours", "theirs"))
    untied = {"tie_word_embeddings": False} if case == "t5 v1.1" else {}  # which transformers writes as tied
    assert config == config | original | untied
    assert models.load(tmp_path / "ours").config == ours.config


@pytest.mark.parametrize("case", ["bert", "gpt2"])  # the others compute in float32 whatever the type
def test_float64_is_loaded_as_stored(case: str, tmp_path: Path):
    theirs = shaken(CASES[case]()).double()
    ours = models.load(saved(theirs, tmp_path))
    assert {weight.dtype for weight in ours.parameters()} == {torch.float64}
    the_same(ours, theirs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small GPT-2 with a tokenizer, not to be written to."""
    return with_tokenizer(saved(shaken(gpt2()), tmp_path_factory.mktemp("gpt2")))


def rewritten(path: Path, change: Callable[[dict[str, Tensor]], Any]) -> None:
    tensors = load_file(path / "model.safetensors")
    change(tensors)
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})


def test_types_devices_and_dropout(folder: Path):
    half = models.load(folder, dtype=torch.bfloat16, device="cpu", dropout=0.3)
    assert {weight.dtype for weight in half.parameters()} == {torch.bfloat16}
    assert torch.equal(half.embedding.weight, models.load(folder).embedding.weight.bfloat16())
    assert (half.config.dropout, models.load(folder).config.dropout) == (0.3, 0.1)
    assert models.load(folder, device="meta").embedding.weight.is_meta
    assert all(weight.requires_grad for weight in half.parameters())
    with refused("dtype must be one of torch.float64, torch.float32, torch.float16, torch.bfloat16: got torch.int8"):
        models.load(folder, dtype=torch.int8)
    with refused("dropout is a probability below 1: got dropout=1.5"):
        models.load(folder, dropout=1.5)


def test_a_tokenizer_comes_along(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    ours = models.load(folder)
    assert ours.tokenizer.encode("once upon a").ids == [1, 2, 0]
    models.save(ours, tmp_path / "saved")
    assert models.load(tmp_path / "saved").tokenizer.get_vocab_size() == 3
    (tmp_path / "saved" / "tokenizer.json").unlink()
    assert models.load(tmp_path / "saved").tokenizer is None
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert ours.tokenizer.encode("once").ids == [1]  # it is there already
    with pytest.raises(ImportError, match=r"must have tokenizers: got none; use pip install 'regard\[models\]'"):
        models.load(folder).tokenizer.encode("once")


def test_old_files_hold_more(tmp_path: Path):
    """Masks, positions, a head that is the embedding again, norms by their old names."""
    theirs = shaken(gpt2())
    want = models.load(saved(theirs, tmp_path / "gpt2")).state_dict()

    def add(tensors: dict[str, Tensor]) -> None:
        tensors["transformer.h.0.attn.bias"] = torch.ones(1, 1, 16, 16).bool()
        tensors["transformer.h.1.attn.masked_bias"] = torch.tensor(-1e4)
        tensors["lm_head.weight"] = tensors["transformer.wte.weight"].clone()

    rewritten(tmp_path / "gpt2", add)
    torch.testing.assert_close(models.load(tmp_path / "gpt2").state_dict(), want, rtol=0, atol=0)
    rewritten(tmp_path / "gpt2", lambda tensors: tensors.pop("transformer.wte.weight"))  # the head is the embedding
    torch.testing.assert_close(models.load(tmp_path / "gpt2").state_dict(), want, rtol=0, atol=0)

    want = models.load(saved(shaken(bert("BertForPreTraining")), tmp_path / "bert")).state_dict()

    def age(tensors: dict[str, Tensor]) -> None:
        for name in [name for name in tensors if "LayerNorm" in name]:
            tensors[name.replace("weight", "gamma").replace("bias", "beta")] = tensors.pop(name)
        tensors["bert.embeddings.position_ids"] = torch.arange(512)[None]
        tensors["cls.predictions.decoder.weight"] = tensors["bert.embeddings.word_embeddings.weight"].clone()

    rewritten(tmp_path / "bert", age)
    torch.testing.assert_close(models.load(tmp_path / "bert").state_dict(), want, rtol=0, atol=0)
    rewritten(tmp_path / "bert", lambda tensors: tensors["cls.predictions.decoder.weight"].add_(1))
    with refused(
        "cls.predictions.decoder.weight must be the same as bert.embeddings.word_embeddings.weight: got other"
    ):
        models.load(tmp_path / "bert")


def test_a_head_that_differs_is_not_tied(folder: Path, tmp_path: Path):
    """As transformers does, whatever config.json says."""
    path = copied(folder, tmp_path / "gpt2")
    rewritten(path, lambda tensors: tensors.update({"lm_head.weight": torch.randn(V, C)}))
    ours = models.load(path)
    assert not ours.config.tied
    the_same(ours, transformers.GPT2LMHeadModel.from_pretrained(path, **EAGER).eval())


def test_tensors_that_do_not_fit(folder: Path, tmp_path: Path):
    path = copied(folder, tmp_path / "gpt2")

    def spoil(tensors: dict[str, Tensor]) -> None:
        for name in [name for name in tensors if ".h.1." in name]:
            del tensors[name]
        tensors["score.weight"] = torch.zeros(2, C)
        tensors["transformer.wpe.weight"] = torch.zeros(17, C)

    rewritten(path, spoil)
    with refused(
        "tensors must be those of the model: got 12 (transformer.h.1.attn.c_attn.bias, transformer.h.1.attn.c_attn."
        "weight, transformer.h.1.attn.c_proj.bias, …) missing, 1 (score.weight) superfluous, "
        "1 (transformer.wpe.weight (17, 32) for (16, 32)) of another shape; use files and a config.json that belong"
    ):
        models.load(path)
    with refused("config.json must fit the weights: got 1000000000 blocks, and 17 tensors; correct it"):
        models.load(copied(path, tmp_path / "deep", n_layer=10**9))

    rewritten(path, lambda tensors: tensors.update({"wte.weight": torch.zeros(V, C)}))
    with refused("a weight must be there once: got transformer.wte.weight and wte.weight; remove one"):
        models.load(path)
    with refused("got 1 (lm_head.weight) missing; use a folder with the weights of its head"):
        models.load(copied(folder, tmp_path / "untied", tie_word_embeddings=False))

    mixed = copied(folder, tmp_path / "mixed")
    rewritten(mixed, lambda t: t.update({"transformer.ln_f.bias": t["transformer.ln_f.bias"].double()}))
    with refused("weights must be of one type: got F32, F64; use load(…, dtype=torch.float32)"):
        models.load(mixed)
    assert models.load(mixed, dtype=torch.float32).stack.norm.bias.dtype == torch.float32
    rewritten(mixed, lambda t: t.update({"transformer.ln_f.bias": t["transformer.ln_f.bias"].int()}))
    with refused("weights must be of type F64, F32, F16, BF16: got I32; load it by transformers"):
        models.load(mixed)


def test_folders_that_are_none(folder: Path, tmp_path: Path):
    with refused("a model is loaded from a folder with config.json: got 'gpt2' without; download the model's files"):
        models.load("gpt2")
    path = copied(folder, tmp_path / "pickled")
    (path / "model.safetensors").rename(path / "pytorch_model.bin")
    with refused(f"and nothing is unpickled: got ['pytorch_model.bin'] in {path}; save it anew with transformers'"):
        models.load(path)
    for text, message in (("{", "config.json must be JSON: got"), ("[]", "config.json must be an object of JSON: got")):
        (path / "config.json").write_text(text)
        with refused(message):
            models.load(path)

    path = copied(folder, tmp_path / "index")
    (path / "model.safetensors").rename(path / "shard.safetensors")
    for file in ("../gpt2/model.safetensors", "shard.bin", 3):
        (path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"wte.weight": file}}))
        with refused(f"must name safetensors files of its folder: got {file!r} for wte.weight; save it anew"):
            models.load(path)
    for file, message in (("none.safetensors", "none.safetensors, No such file"), ("shard.safetensors", "got 29 (")):
        (path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"wte.weight": file}}))
        with refused(message):
            models.load(path)

    path = copied(folder, tmp_path / "tf")
    save_file(load_file(path / "model.safetensors"), path / "model.safetensors", metadata={"format": "tf"})
    with refused("safetensors must have format 'pt': got {'format': 'tf'}"):
        models.load(path)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole GPT-2 in a few kilobytes, to be spoilt and mended."""
    path = tmp_path_factory.mktemp("tiny")
    config = vary(PRESETS["gpt2"], depth=1, width=4, num_heads=2, hidden=4, vocabulary=5, context=3)
    models.save(build(config), path)
    return path


@given(st.data())
@settings(max_examples=examples(150))
def test_a_spoilt_file_is_an_error_before_anything_is_built(tiny: Path, data: st.DataObject):
    """One bit of the header is another, or the file is cut off."""
    whole = (tiny / "model.safetensors").read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    if data.draw(st.booleans()):
        at, bit = data.draw(st.integers(0, header - 1)), data.draw(st.integers(0, 7))
        spoilt = whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :]
    else:
        spoilt = whole[: data.draw(st.integers(0, len(whole) - 1))]
    try:
        (tiny / "model.safetensors").write_bytes(spoilt)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch.nn.Module, "to_empty", lambda *_, **__: pytest.fail("memory was taken"))
            with pytest.raises(ValueError):
                models.load(tiny)
    finally:
        (tiny / "model.safetensors").write_bytes(whole)
    models.load(tiny)


def test_a_pointer_of_git_is_told_from_weights(tmp_path: Path):
    folder = saved(gpt2(), tmp_path)
    (folder / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    with pytest.raises(ValueError, match="which only points to one; use git lfs pull"):
        models.load(folder)
