"""The loop on a GPU: it learns there, in bfloat16 and compiled too, goes on where it stopped, and can change places."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from regard.training import Checkpoints, Execution, Settings, train
from regard.training.checkpoints import collect_weights
from regard.training.loop import OutOfMemory
from tests.training.learner import SETTINGS, Digits, Stopped, losses, stop_at

pytestmark = pytest.mark.gpu

STEPS = 40


def stopped(folder: Path, settings: Settings, device: str, at: int) -> None:
    with pytest.raises(Stopped):
        train(Digits(), settings, folder, device=device, on_step=stop_at(at))


@pytest.mark.parametrize(
    "execution",
    [Execution(), Execution(precision="bfloat16"), Execution(workers=2), Execution(compiled=True)],
    ids=["float32", "bfloat16", "workers", "compiled"],
)
def test_it_learns_and_goes_on_where_it_stopped(tmp_path: Path, execution: Execution):
    settings = replace(SETTINGS, steps=STEPS, execution=execution)
    whole = train(Digits(), settings, tmp_path / "whole", device="cuda").model
    stopped(tmp_path / "broken", settings, "cuda", at=25)
    broken = train(Digits(), settings, tmp_path / "broken", device="cuda").model
    assert losses(tmp_path / "whole")[-1] < 0.5 * losses(tmp_path / "whole")[0]
    assert losses(tmp_path / "broken") == losses(tmp_path / "whole"), "this model's kernels add up in a fixed order"
    assert all(
        a.equal(b) for a, b in zip(collect_weights(whole).values(), collect_weights(broken).values(), strict=True)
    )


def test_a_run_moves_from_the_cpu_to_the_gpu_and_back(tmp_path: Path):
    settings = replace(SETTINGS, steps=STEPS)
    reference = train(Digits(), settings, tmp_path / "cpu").model
    stopped(tmp_path / "moves", settings, "cpu", at=15)
    stopped(tmp_path / "moves", settings, "cuda", at=27)
    train(Digits(), settings, tmp_path / "moves")
    assert len(losses(tmp_path / "moves")) == STEPS
    assert abs(losses(tmp_path / "moves")[-1] - losses(tmp_path / "cpu")[-1]) < 0.5, "dropout is another on a GPU"
    last = Checkpoints(tmp_path / "moves" / "checkpoints").last()
    assert last is not None
    assert last.tensors["model"].keys() == collect_weights(reference).keys()


def test_too_large_a_step_says_what_to_lower(tmp_path: Path):
    class Large(Digits):
        def loss(self, model: Any, batch: Any, generator: torch.Generator) -> torch.Tensor:
            return super().loss(model, batch, generator) + torch.empty(2**44, device="cuda").sum()

    with pytest.raises(OutOfMemory, match="batch=32 does not"):
        train(Large(), SETTINGS, tmp_path, device="cuda")
