"""On a GPU: models give there what they give on the CPU, and write the same tokens."""

import copy
from typing import Any

import pytest
import torch

from regard import models
from regard.models import PRESETS, Recurrent, RecurrentConfig, build, vary
from regard.models.writing.captured import Captured, Program
from tests.models.shaking import shaken

pytestmark = pytest.mark.gpu
SMALL = {"depth": 2, "width": 64, "num_heads": 4, "vocabulary": 60, "hidden": 80}
PROMPTS = [[5, 6, 7, 8, 9], [11, 12], [20, 21, 22]]
NAMES = {"gpt2": {}, "llama3-8b": {"num_groups": 2}, "bert-base": {}, "t5-small": {}}


def both(name: str, dtype: torch.dtype = torch.float32, **changes: Any) -> tuple[Any, Any]:
    """The same model on the CPU in float64, and on the GPU."""
    torch.manual_seed(0)
    model = shaken(build(vary(PRESETS[name], **SMALL | NAMES[name] | changes)), by=0.2).to(dtype)
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


class Asked(Program):
    """A step that is asked for anew each time, by the same kernels as the recorded one."""

    def _record(self, model: Any) -> Any:
        self._count()
        scores = self._step(model)
        return lambda: scores.copy_(self._step(model)), scores


@pytest.mark.parametrize("name", ["gpt2", "llama3-8b"])
@pytest.mark.parametrize("batch", [1, 3, 20])
def test_a_recorded_program_is_the_modules(name: str, batch: int):
    """Recorded, the kernels give the same numbers to the last bit, in bfloat16 too."""
    exact, model = both(name, torch.bfloat16)
    words = torch.randint(60, (batch, 12))
    lengths = tuple([1 + row % 4 for row in range(batch)])
    with torch.inference_mode():
        asked, recorded = model.reader(batch, 300), model.reader(batch, 300)
        asked.step.patience = recorded.step.patience = 0
        assert recorded.read(words[:, :4].cuda(), lengths).equal(asked.read(words[:, :4].cuda(), lengths))
        asked.step.program = Asked(model, asked.caches)
        for more in range(4, 12):
            token = words[:, more : more + 1].cuda()
            got = recorded.read(token)
            assert got.equal(asked.read(token))
            whole = torch.cat((words[0, :1], words[0, 4 : more + 1]))[None]
            want = exact(whole).logits[0, -1]
            torch.testing.assert_close(got[0].cpu().double(), want, atol=0.06 * want.abs().max().item(), rtol=0)
        assert recorded.step.program is not None


@pytest.mark.parametrize("settings", [{}, {"temperature": 0.9, "seed": 3}, {"repetition_penalty": 1.5}, {"beams": 3}])
def test_a_recorded_program_writes_the_same_tokens(settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    """In float32: other kernels round otherwise, and in bfloat16 that would change a token now and then."""
    _, model = both("llama3-8b", torch.float32)
    with torch.inference_mode():
        recorded = [model.generate(PROMPTS, max_new=40, ends=(3,), **settings) for _ in range(2)]
        monkeypatch.setattr(Captured, "of", lambda model: None)
        plain = model.generate(PROMPTS, max_new=40, ends=(3,), **settings)
    for each in recorded:  # the second by what the first has recorded
        assert [row.tokens for row in each] == [row.tokens for row in plain]


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
