"""The short way of one more token is the general way, or is not taken; weights lie where they are read fast."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from regard import models
from regard.attention import Elu, Hard, Kernel, Window
from regard.models import PRESETS, build, vary
from regard.models.hugging_face.weights import HUGE, settle
from regard.models.writing.step import Step

SMALL = {"depth": 2, "width": 32, "num_heads": 4, "vocabulary": 50, "hidden": 40}


def small(name: str = "gpt2", **changes: Any) -> Any:
    torch.manual_seed(0)
    model = build(vary(PRESETS[name], **SMALL | changes)).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    return model


CASES: dict[str, dict[str, Any]] = {
    "gpt2": {},
    "llama with grouped heads": {"name": "llama3-8b", "num_groups": 2},
    "qwen with norms of heads": {"name": "qwen3-8b", "num_groups": 2},
    "post-norm, relu, waves": {"first": False, "activation": "relu", "kind": "sinusoidal"},
    "its own β and head width": {"beta": 0.3, "head": 6, "kind": "none"},
    "rms, gated, no biases": {"rms": True, "gated": True, "bias": False},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("batch", [1, 3])
def test_the_short_way_is_the_general_way(case: str, batch: int, monkeypatch: pytest.MonkeyPatch):
    model = small(**CASES[case])
    words = torch.randint(50, (batch, 9))
    reader = model.reader(batch, 9)
    assert reader.step is not None
    taken: list[int] = []
    monkeypatch.setattr(Step, "__call__", lambda *given, way=Step.__call__: taken.append(1) or way(*given))
    with torch.inference_mode():
        reader.read(words[:, :4])
        for at in range(4, 9):
            got = reader.read(words[:, at : at + 1])
            torch.testing.assert_close(got, model(words[:, : at + 1]).logits[:, -1], rtol=1e-9, atol=1e-9)
    assert len(taken) == 5
    full = "a row holds at most capacity=9 tokens: got 1 more for row 0, which holds 9"
    with torch.no_grad(), pytest.raises(ValueError, match=full):
        reader.read(words[:, :1])
    with pytest.raises(ValueError, match="a cache keeps no gradient"):
        model.reader(batch, 9).read(words[:, :1])


def test_rows_of_different_lengths_take_the_short_way_too():
    model = small("llama3-8b", num_groups=2)
    words, lengths = torch.randint(50, (3, 9)), (4, 1, 3)
    reader = model.reader(3, 300)
    with torch.inference_mode():
        reader.read(words[:, :4], lengths)
        assert reader.step.fits(reader.caches, words[:, :1])
        for more in range(4):
            got = reader.read(words[:, more : more + 1])
            for row, length in enumerate(lengths):
                whole = torch.cat((words[row, :length], words[row, : more + 1]))[None]
                torch.testing.assert_close(got[row], model(whole).logits[0, -1], rtol=1e-9, atol=1e-9)


def test_caches_grow_with_what_is_read():
    model = small("llama3-8b", num_groups=2)
    words = torch.randint(50, (1, 400))
    with torch.inference_mode():
        reader = model.reader(1, 10**12)  # which no memory holds
        before = reader.caches[0].bytes
        reader.read(words[:, :200])
        reader.read(words[:, 200:399])
        got = reader.read(words[:, 399:])
        torch.testing.assert_close(got, model(words).logits[:, -1], rtol=1e-9, atol=1e-9)
    assert before < reader.caches[0].bytes < 4 * before


def test_autocast_narrows_the_caches_too():
    model = small("llama3-8b", num_groups=2).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert model(torch.randint(50, (1, 5))).logits.shape == (1, 5, 50)
        assert len(model.generate([1, 2, 3], max_new=4).tokens) == 4


class Louder(nn.Linear):
    """A layer of somebody else's, in the place of ours."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * super().forward(x)


def louder(model: Any) -> None:
    model.stack.blocks[1].feed_forward.out = Louder(40, 32, dtype=torch.float64)


def listened(model: Any) -> None:
    model.stack.blocks[0].attention.out.register_forward_hook(lambda module, given, out: 2 * out)


def replaced(model: Any) -> None:
    norm = model.stack.blocks[0].norm
    norm.forward = lambda x: 2 * x


def twice(model: Any) -> None:
    class Twice(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return 2 * x

    nn.utils.parametrize.register_parametrization(model.stack.blocks[0].attention.query, "weight", Twice())


@pytest.mark.parametrize(
    ("changes", "alter"),
    [
        ({"mask": Window(before=3)}, None),
        ({"kind": "buckets"}, None),
        ({"weighting": Hard()}, None),
        ({}, louder),
        ({}, listened),
        ({}, twice),
        ({}, replaced),
    ],
    ids=["window", "buckets", "hard", "another layer", "a hook", "a parametrization", "another forward"],
)
def test_what_it_does_not_know_goes_the_general_way(changes: dict[str, Any], alter: Any):
    model = small(**changes)
    if alter is not None:
        alter(model)
    words = torch.randint(50, (2, 6))
    with torch.no_grad():
        reader = model.reader(2, 6)
        reader.read(words[:, :5])
        got = reader.read(words[:, 5:])
        torch.testing.assert_close(got, model(words).logits[:, -1], rtol=1e-9, atol=1e-9)
    assert reader.step is None


def test_a_model_in_training_goes_the_general_way():
    assert Step.of(small(dropout=0.5).train().stack) is None
    assert Step.of(small(weighting=Kernel(Elu())).stack) is None


def test_large_weights_lie_in_huge_pages(tmp_path: Path):
    model = small(width=256, vocabulary=3000).float()
    models.save(model, tmp_path / "m")
    loaded = models.load(tmp_path / "m")
    for name, parameter in loaded.named_parameters():
        assert parameter.equal(model.get_parameter(name)), name
        assert parameter.requires_grad
        assert parameter.untyped_storage().nbytes() == parameter.nbytes  # others save it alone
    assert loaded.embedding.weight.nbytes > HUGE
    assert loaded.embedding.weight.data_ptr() % HUGE == 0


def test_a_loaded_model_writes_learns_and_is_copied_as_any(tmp_path: Path):
    """After a step of training, the short way knows the new weights."""
    import copy

    from safetensors.torch import load_file, save_model

    models.save(small().float(), tmp_path / "m")
    model = models.load(tmp_path / "m", dropout=0.0)
    words = torch.randint(50, (1, 6))
    first = model.generate(words, max_new=4)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    model(words).logits[..., 7].sum().neg().backward()
    optimizer.step()
    second = model.generate(words, max_new=4)
    assert second[0].tokens == (7, 7, 7, 7) != first[0].tokens
    assert copy.deepcopy(model).generate(words, max_new=4)[0].tokens == second[0].tokens
    save_model(model, str(tmp_path / "plain.safetensors"))
    assert load_file(tmp_path / "plain.safetensors")["embedding.weight"].equal(model.embedding.weight)


def test_memory_is_given_to_those_without():
    with torch.device("meta"):
        model = build(vary(PRESETS["t5-small"], **SMALL))
    settle(model, "cpu")
    assert all(not parameter.is_meta for parameter in model.parameters())
    assert {name for name, _ in model.named_parameters()} == {
        name for name, _ in build(vary(PRESETS["t5-small"], **SMALL)).named_parameters()
    }
