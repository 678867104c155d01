"""Blocks that are computed again give what they give otherwise, bit for bit, and keep less."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from regard.analysis import cost
from regard.models import PRESETS, build, vary
from regard.tasks.digits import digits
from regard.training import Execution, train
from regard.training.recomputation import find_blocks, recomputing
from tests.training.learner import SETTINGS, Digits, Stopped, losses, stop_at
from tests.training.many import Reader, Weighed, start

SMALL = replace(SETTINGS, steps=8, evaluate_every=4)
AGAIN = replace(SMALL, execution=Execution(threads=1, recompute=True))


def test_a_training_is_the_same_bit_for_bit_and_resumes_so(tmp_path: Path):
    plain = train(Weighed(), SMALL, tmp_path / "plain").model
    found = train(Weighed(), AGAIN, tmp_path / "again").model
    with pytest.raises(Stopped):
        train(Weighed(), AGAIN, tmp_path / "stopped", on_step=stop_at(6))
    train(Weighed(), AGAIN, tmp_path / "stopped")
    assert losses(tmp_path / "again") == losses(tmp_path / "plain") == losses(tmp_path / "stopped")
    for name, tensor in plain.state_dict().items():
        assert tensor.equal(found.state_dict()[name]), name
    assert not any("forward" in vars(part) for part in found.modules()), "the model is as it was"


@pytest.mark.slow
def test_two_processes_draw_again_what_they_drew(tmp_path: Path):
    train(Weighed(), replace(AGAIN, steps=12, evaluate_every=3), tmp_path / "one")
    process = start(2, "-m", "tests.training.many", str(tmp_path), "data:2", "shard:2", "recompute")
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    for mesh in ("data:2", "shard:2"):
        torch.testing.assert_close(losses(tmp_path / mesh), losses(tmp_path / "one"), rtol=1e-5, atol=0)


def test_less_is_kept_and_more_is_computed():
    config = vary(PRESETS["gpt2"], depth=4, width=64, num_heads=2, vocabulary=100)
    model, inputs = build(config).train(), config.inputs(2, 64)
    plain = cost(model, *inputs)
    with recomputing(model):
        again = cost(model, *inputs)
    assert again.forward == plain.forward
    assert again.backward.flops == plain.backward.flops
    blocks = [plain[f"stack.blocks.{n}"].forward.executed for n in range(4)]
    last = [plain[f"stack.blocks.{n}.feed_forward.out"].forward.executed for n in range(4)]  # nobody needs its output
    assert again.backward.executed == plain.backward.executed + sum(blocks) - sum(last)
    assert again.memory is not None
    assert plain.memory is not None
    assert again.memory.activations < plain.memory.activations / 2


def test_without_gradients_and_in_eval_blocks_run_as_they_are():
    model, calls = Reader(), []
    model.blocks[0].register_forward_hook(lambda *_: calls.append(torch.is_grad_enabled()))
    images = digits()[0].images[:4]
    with recomputing(model):
        assert model.eval()(images).equal(model(images))
        assert len(find_blocks(model)) == 2


def test_what_is_refused():
    with (
        pytest.raises(ValueError, match="got Linear, which lists none; leave recompute out"),
        recomputing(nn.Linear(2, 2)),
    ):
        pass
    normed = nn.ModuleDict({"blocks": nn.ModuleList([nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))])})
    with pytest.raises(ValueError, match="no batch norm, which would count twice: got Sequential"), recomputing(normed):
        pass
    with pytest.raises(ValueError, match="got recompute and compiled; use one"):
        Execution(recompute=True, compiled=True)
    assert find_blocks(Digits().build()) == []
