"""By whatever means a training is computed: what it promises holds."""

import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from regard.tasks.digits import digits
from regard.training import Checkpoints, Execution, Metrics, OutOfMemory, load_trained, train
from regard.training.checkpoints import collect_weights
from tests.training.learner import SETTINGS, Digits, Stopped, alive, losses, stop_at, until


class Plain(Digits):
    """Without anything that is drawn while the model is called, which a compiler draws otherwise."""

    def build(self) -> nn.Module:
        return nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.Tanh(), nn.Linear(16, 10))


def test_bfloat16_learns_and_is_judged_in_bfloat16(tmp_path: Path):
    kinds: dict[str, set[torch.dtype]] = {"loss": set(), "evaluate": set(), "record": set()}

    class Watched(Digits):
        def loss(self, model: Any, batch: Any, generator: torch.Generator) -> Tensor:
            kinds["loss"].add(model(batch[0]).dtype)
            return super().loss(model, batch, generator)

        def evaluate(self, model: Any) -> Mapping[str, float]:
            kinds["evaluate"].add(model(digits()[1].images[:2]).dtype)
            return super().evaluate(model)

        def record(self, model: Any) -> Mapping[str, Tensor]:
            kinds["record"].add(model(digits()[1].images[:2]).dtype)
            return {}

    model = train(Watched(), replace(SETTINGS, execution=Execution(threads=1, precision="bfloat16")), tmp_path).model
    assert all(found == {torch.bfloat16} for found in kinds.values()), kinds
    assert {tensor.dtype for tensor in model.parameters()} == {torch.float32}
    assert Metrics(tmp_path / "metrics.jsonl").read()[-1]["accuracy"] > 0.85


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # torch's compiler warns of torch
@pytest.mark.filterwarnings("ignore:`torch._prims_common:FutureWarning")
def test_compiled_it_is_the_same_training_and_resumes_bit_for_bit(tmp_path: Path):
    settings = replace(SETTINGS, steps=12, evaluate_every=4)
    compiled = replace(settings, execution=Execution(threads=1, compiled=True))
    train(Plain(), settings, tmp_path / "eager")
    train(Plain(), compiled, tmp_path / "whole")
    torch.testing.assert_close(losses(tmp_path / "whole"), losses(tmp_path / "eager"), rtol=1e-4, atol=0)
    with pytest.raises(Stopped):
        train(Plain(), compiled, tmp_path / "stopped", on_step=stop_at(6))
    train(Plain(), compiled, tmp_path / "stopped")
    whole, stopped = ((tmp_path / name / "metrics.jsonl").read_bytes() for name in ("whole", "stopped"))
    assert stopped == whole
    found = load_trained(Plain(), settings, tmp_path / "stopped")
    step, model = found.step, found.model
    assert step == 12, "and what was saved is the model, not its compiled form"
    assert not any("_orig_mod" in name for name in collect_weights(model))


def test_killed_with_its_loader_processes_it_goes_on_bit_for_bit_and_leaves_none(tmp_path: Path):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    broken.mkdir()
    said = broken / "losses"
    said.touch()
    train(Digits(), SETTINGS, whole)
    words = [sys.executable, "-m", "tests.training.learner", str(broken), "2"]
    with subprocess.Popen(words, start_new_session=True) as process:
        assert until(lambda: len(said.read_bytes().splitlines()) > 12 or process.poll() is not None, 60)
        helped = alive(process.pid)
        process.kill()
    killed = time.monotonic()
    assert len(helped) == 3, "the learner and two that made its batches"
    assert len(said.read_bytes().splitlines()) < SETTINGS.steps, "it was killed on its way"
    subprocess.run(words, check=True)
    assert (broken / "metrics.jsonl").read_bytes() == (whole / "metrics.jsonl").read_bytes()
    ours, theirs = (Checkpoints(folder / "checkpoints").load(60).tensors for folder in (whole, broken))
    assert all(tensor.equal(theirs[part][name]) for part in ours for name, tensor in ours[part].items())
    assert until(lambda: not alive(process.pid), killed + 10 - time.monotonic()), "torch's own look every 5 s"


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.\nand much more"),
        RuntimeError("[enforce fail at alloc_cpu.cpp:117] . DefaultCPUAllocator: can't allocate memory: you tried"),
        MemoryError("Unable to allocate 2 GiB"),
    ],
    ids=["gpu", "cpu", "python"],
)
def test_what_does_not_fit_names_the_setting_to_lower(tmp_path: Path, error: Exception):
    class Large(Digits):
        def loss(self, model: Any, batch: Any, generator: torch.Generator) -> Tensor:
            raise error

    with pytest.raises(OutOfMemory, match=r"batch=32 does not \(.*allocate.*\); lower batch, and raise accumulate=2"):
        train(Large(), SETTINGS, tmp_path)


def test_other_errors_of_a_step_are_told_as_they_are(tmp_path: Path):
    class Wrong(Digits):
        def loss(self, model: Any, batch: Any, generator: torch.Generator) -> Tensor:
            return model(batch[0][:, :, :3])

    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        train(Wrong(), SETTINGS, tmp_path)


def test_patience_gives_the_best_model_back(tmp_path: Path):
    class Peaks(Digits):
        judged = 0

        def evaluate(self, model: Any) -> Mapping[str, float]:
            self.judged += 1
            return {"accuracy": [0.3, 0.6, 0.5, 0.4, 0.9][self.judged - 1]}

    settings = replace(SETTINGS, patience=2)
    model = train(Peaks(), settings, tmp_path).model
    checkpoints = Checkpoints(tmp_path / "checkpoints")
    best, last = checkpoints.best(), checkpoints.last()
    assert best is not None
    assert last is not None
    assert (best.step, last.step) == (20, 40)
    kept = collect_weights(model)
    assert all(tensor.equal(best.tensors["model"][name]) for name, tensor in kept.items())
    assert not kept["1.weight"].equal(last.tensors["model"]["1.weight"])
    later = load_trained(Peaks(), settings, tmp_path)
    assert (later.step, later.last_step, later.is_over) == (20, 40, True)
    assert all(tensor.equal(kept[name]) for name, tensor in collect_weights(later.model).items())
    assert not model.training
