"""The short way of one more token is the general way, or is not taken; weights lie where they are read fast."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from regard import models
from regard.attention import Elu, Hard, Kernel, Window
from regard.models import PRESETS, build, vary
from regard.models.memory import HUGE, beside, settle
from regard.models.step import Step

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
    "post-norm, relu, waves": {"first": False, "activation": "relu", "kind": "sinusoidal"},
    "its own β and head width": {"beta": 0.3, "head": 6, "kind": "none"},
    "rms, gated, no biases": {"rms": True, "gated": True, "bias": False},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("batch", [1, 3])
def test_the_short_way_is_the_general_way(case: str, batch: int):
    model = small(**CASES[case])
    words = torch.randint(50, (batch, 9))
    reader = model.reader(batch, 9)
    assert reader.step is not None
    taken = []
    step = reader.step
    reader.step = lambda *given: taken.append(1) or step(*given)
    with torch.inference_mode():
        reader.read(words[:, :4])
        for at in range(4, 9):
            got = reader.read(words[:, at : at + 1])
            torch.testing.assert_close(got, model(words[:, : at + 1]).logits[:, -1], rtol=1e-9, atol=1e-9)
    assert len(taken) == 5
    with pytest.raises(ValueError, match="a row holds at most capacity=9 tokens: got 1 more for row 0, which holds 9"):
        reader.read(words[:, :1])


class Louder(nn.Linear):
    """A layer of somebody else's, in the place of ours."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * super().forward(x)


def louder(model: Any) -> None:
    model.stack.blocks[1].feed_forward.out = Louder(40, 32, dtype=torch.float64)


def listened(model: Any) -> None:
    model.stack.blocks[0].attention.out.register_forward_hook(lambda module, given, out: 2 * out)


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
    ],
    ids=["window", "buckets", "hard", "another layer", "a hook", "a parametrization"],
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


def test_weights_lie_in_one_piece(tmp_path: Path):
    model = small(width=256, vocabulary=3000).float()
    models.save(model, tmp_path / "m")
    loaded = models.load(tmp_path / "m")
    pieces = {parameter.untyped_storage().data_ptr() for parameter in loaded.parameters()}
    assert len(pieces) == 1
    for name, parameter in loaded.named_parameters():
        assert parameter.equal(model.get_parameter(name)), name
        assert parameter.requires_grad
        assert parameter.is_contiguous()
    attention = loaded.stack.blocks[1].attention
    joint = beside([attention.query.weight, attention.key.weight, attention.value.weight])
    assert joint is not None
    assert joint.equal(torch.cat([attention.query.weight, attention.key.weight, attention.value.weight]))
    assert next(iter(pieces)) % 4096 == 0
    assert sum(parameter.nbytes for parameter in loaded.parameters()) > HUGE


def test_a_loaded_model_writes_learns_and_is_copied_as_any(tmp_path: Path):
    """After a step of training, the short way knows the new weights."""
    import copy

    from safetensors.torch import load_file, save_file

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
    save_file(model.state_dict(), tmp_path / "plain.safetensors")
    assert load_file(tmp_path / "plain.safetensors")["embedding.weight"].equal(model.embedding.weight)


def test_memory_is_given_to_those_without():
    with torch.device("meta"):
        model = build(vary(PRESETS["t5-small"], **SMALL))
    settle(model, "cpu")
    assert all(not parameter.is_meta for parameter in model.parameters())
    assert {name for name, _ in model.named_parameters()} == {
        name for name, _ in build(vary(PRESETS["t5-small"], **SMALL)).named_parameters()
    }
