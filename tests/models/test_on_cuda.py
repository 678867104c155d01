"""On a GPU: models give there what they give on the CPU, and write the same tokens."""

import copy
from typing import Any

import pytest
import torch

from regard import models
from regard.models import PRESETS, Recurrent, RecurrentConfig, build, vary

pytestmark = pytest.mark.gpu
SMALL = {"depth": 2, "width": 64, "num_heads": 4, "vocabulary": 60, "hidden": 80}
PROMPTS = [[5, 6, 7, 8, 9], [11, 12], [20, 21, 22]]
NAMES = {"gpt2": {}, "llama3-8b": {"num_groups": 2}, "bert-base": {}, "t5-small": {}}


def both(name: str, dtype: torch.dtype = torch.float32, **changes: Any) -> tuple[Any, Any]:
    """The same model on the CPU in float64, and on the GPU."""
    torch.manual_seed(0)
    model = build(vary(PRESETS[name], **SMALL | NAMES[name] | changes)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    model = model.to(dtype)
    return copy.deepcopy(model).double(), model.to("cuda")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("where", ["cpu", "cuda"])
@pytest.mark.parametrize("name", NAMES)
def test_padded_batches(name: str, where: str, dtype: torch.dtype):
    """Lengths that the host knows, which leave pads out of all products, and lengths that the GPU alone knows."""
    exact, model = both(name, dtype)
    words, lengths = torch.randint(60, (3, 9)), torch.tensor([9, 4, 1])
    inputs = (words, words[:, :5]) if name == "t5-small" else (words,)
    want = exact(*inputs, lengths=lengths).logits
    got = model(*(each.cuda() for each in inputs), lengths=lengths.to(where)).logits
    real = slice(None) if name == "t5-small" else torch.arange(9) < lengths[:, None]
    near = copy.deepcopy(model).cpu()(*inputs, lengths=lengths).logits
    rounding = (near.double() - want)[real].abs().max().item()
    tolerance = 3 * rounding + 1e-3 * want[real].abs().max().item()  # TF32 may be on
    torch.testing.assert_close(got.cpu().double()[real], want[real], atol=tolerance, rtol=0)


@pytest.mark.parametrize("name", ["gpt2", "llama3-8b", "t5-small"])
def test_the_same_tokens_are_written(name: str):
    exact, model = both(name, torch.float64)
    start = {"start": 0} if name == "t5-small" else {}
    for settings in ({}, {"beams": 3}, {"repetition_penalty": 1.5}):
        one = exact.generate(PROMPTS, max_new=8, ends=(3,), **start, **settings)
        other = model.generate(PROMPTS, max_new=8, ends=(3,), **start, **settings)
        assert [row.tokens for row in other] == [row.tokens for row in one]
    drawn = [model.generate(PROMPTS[:1], max_new=8, temperature=1.0, seed=4, **start)[0].tokens for _ in range(2)]
    assert drawn[0] == drawn[1]


def test_the_short_way_in_half_precision():
    exact, model = both("llama3-8b", torch.bfloat16)
    words = torch.randint(60, (2, 9))
    with torch.inference_mode():
        reader = model.reader(2, 9)
        assert reader.step is not None
        reader.read(words[:, :4].cuda())
        for at in range(4, 9):
            got, want = reader.read(words[:, at : at + 1].cuda()), exact(words[:, : at + 1]).logits[:, -1]
            torch.testing.assert_close(got.cpu().double(), want, atol=0.06 * want.abs().max().item(), rtol=0)


def test_rows_of_different_lengths_take_the_short_way_too():
    exact, model = both("llama3-8b", torch.bfloat16)
    words, lengths = torch.randint(60, (3, 9)), (4, 1, 3)
    with torch.inference_mode():
        reader = model.reader(3, 300)
        reader.read(words[:, :4].cuda(), lengths)
        assert reader.step.fits(reader.caches, words[:, :1].cuda())
        for more in range(4):
            got = reader.read(words[:, more : more + 1].cuda()).cpu().double()
            for row, length in enumerate(lengths):
                want = exact(torch.cat((words[row, :length], words[row, : more + 1]))[None]).logits[0, -1]
                torch.testing.assert_close(got[row], want, atol=0.06 * want.abs().max().item(), rtol=0)


def test_an_lstm_writes():
    torch.manual_seed(0)
    model = Recurrent(RecurrentConfig(vocabulary=9, width=16, hidden=32)).double().eval()
    want = model.generate([[1, 2, 3, 4], [5, 6]], start=0, max_new=6)
    assert model.cuda().generate([[1, 2, 3, 4], [5, 6]], start=0, max_new=6) == want


def test_a_model_is_loaded_to_the_gpu(tmp_path: Any):
    exact, _ = both("gpt2")
    models.save(exact.float(), tmp_path / "m")
    model = models.load(tmp_path / "m", device="cuda")
    assert {parameter.device.type for parameter in model.parameters()} == {"cuda"}
    for name, parameter in model.named_parameters():
        assert parameter.cpu().equal(exact.get_parameter(name))
    assert model.generate([5, 6, 7], max_new=4).tokens == exact.generate([5, 6, 7], max_new=4).tokens
