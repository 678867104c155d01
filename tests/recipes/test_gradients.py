"""Gradients against depth: norms by hand, explosions that do not end a run, the same numbers after a stop."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional

from regard.analysis.sensitivity.depth import Wired
from regard.claims.nyu import training
from regard.recipes import find_recipe, start_run
from regard.recipes.gradients import (
    WIRINGS,
    DigitReader,
    DigitTask,
    GradientsConfig,
    Wiring,
    measure_gradients,
    measure_start,
)
from regard.tasks.digits import digits
from regard.training import Progress, Settings, limit_threads, train
from tests.recipes.running import read_by_claims, stop_at

SMOKE = find_recipe("gradients").smoke


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with limit_threads(1):
        yield


@pytest.mark.slow
def test_a_stopped_run_comes_to_the_same_numbers(tmp_path: Path):
    whole = start_run("gradients", tmp_path / "whole", size="smoke").train()
    plan = start_run("gradients", tmp_path / "stopped", size="smoke")
    stop_at(plan, 3, "no-norm-plain-depth-2")
    assert plan.train().numbers == whole.numbers == whole.claims["gradients"]
    for name in ("pre-norm with residual", "no norm without residual"):
        assert 0 <= whole.numbers[f"{name}, depth 2: accuracy"] <= 1
        assert whole.numbers[f"{name}, depth 2: steps left out"] == 0
        ratio = (
            whole.numbers[f"{name}, depth 2: gradient of block 1"]
            / whole.numbers[f"{name}, depth 2: gradient of block 2"]
        )
        assert whole.numbers[f"{name}, depth 2: gradient ratio"] == ratio
    assert set(whole.figures) == {"gradients", "accuracy"}
    assert len(whole.headline) <= 100


@pytest.mark.slow
def test_the_small_version_shows_what_depth_does(tmp_path: Path):
    numbers = start_run("gradients", tmp_path / "a", size="small").train().numbers
    right = {wiring.name: numbers[f"{wiring.at(16)}accuracy"] for wiring in WIRINGS}
    both = right.pop("pre-norm with residual")
    assert both > 0.25 > 0.2 > max(right.values()), "post-norm learns later"


def norm_of(parameters: Iterable[nn.Parameter]) -> float:
    return math.sqrt(math.fsum(p.grad.square().sum().item() for p in parameters if p.grad is not None))


def test_norms_are_those_of_a_stack_written_out():
    torch.manual_seed(0)
    model = DigitReader(SMOKE, Wiring("pre", residual=True), 3).double()
    images, labels = digits()[0].images[:5].double(), digits()[0].labels[:5]
    x = y = (images[:, 0] @ model.rows.weight.T + model.rows.bias + model.places).detach().requires_grad_()
    for block in model.blocks:
        assert isinstance(block, Wired)
        for part, norm in zip(block.parts, block.norms, strict=True):
            y = y + part(functional.layer_norm(y, (8,), norm.weight, norm.bias))  # pyright: ignore[reportArgumentType]
    y = functional.layer_norm(y, (8,))
    y.retain_grad()
    functional.cross_entropy(model.head(y.mean(1)), labels).backward()
    assert x.grad is not None
    assert y.grad is not None
    found, by_hand = measure_gradients(model, images, labels), [norm_of(block.parameters()) for block in model.blocks]
    assert found.blocks == pytest.approx(by_hand, rel=1e-9)
    assert found.ratio == pytest.approx(by_hand[0] / by_hand[2], rel=1e-9)
    assert found.tokens == pytest.approx((x.grad.norm() / y.grad.norm()).item(), rel=1e-9)
    assert max(by_hand) > 1.05 * min(by_hand), "blocks differ, so that a wrong order would be seen"


def test_without_norm_and_residual_gradients_fade_and_with_both_they_do_not():
    config = GradientsConfig(depths=(12,), width=16, num_heads=2, hidden=32, starts=2)
    ratios = {wiring.name: measure_start(config, wiring, 12).ratio for wiring in (WIRINGS[0], WIRINGS[-1])}
    assert ratios["no norm without residual"] < 0.01 < 0.3 < ratios["pre-norm with residual"]


class Exploding(DigitTask):
    """One whose weights are so large that the gradients are beyond float32."""

    def build(self) -> nn.Module:
        model = super().build()
        with torch.no_grad():
            for parameter in model.blocks.parameters():  # pyright: ignore[reportAttributeAccessIssue]
                parameter.mul_(1e12)
        return model


def test_explosions_are_counted_over_a_stop_and_do_not_end_the_training(tmp_path: Path):
    def stop(progress: Progress, numbers: Mapping[str, float]) -> None:
        if progress.step == 2:
            raise KeyboardInterrupt

    task, settings = Exploding(SMOKE, WIRINGS[2], 2), Settings(steps=3, batch=4, evaluate_every=1)
    with pytest.raises(KeyboardInterrupt):
        train(task, settings, tmp_path, on_step=stop)
    found = task.evaluate(train(task, settings, tmp_path).model)
    assert (found["left out"], found["test loss"] < 3.5e38) == (3, True)


def test_a_step_that_is_not_left_out_has_the_gradients_of_the_loss():
    task = DigitTask(SMOKE, WIRINGS[0], 2)
    torch.manual_seed(0)
    model, generator = task.build(), torch.Generator()
    batch = task.batch(torch.arange(6), generator)
    plain = functional.cross_entropy(model(batch[0]), batch[1])
    expected = torch.autograd.grad(plain, list(model.parameters()))
    loss = task.loss(model, batch, generator)
    (loss / 2).backward()
    assert loss.item() == plain.item()
    for parameter, gradient in zip(model.parameters(), expected, strict=True):
        assert parameter.grad is not None
        assert torch.equal(parameter.grad, gradient / 2)
    assert task.evaluate(model)["left out"] == 0


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"depths": (4, 2)}, r"depths must be one or more rising numbers from 1 on: got depths=\(4, 2\)"),
        ({"num_heads": 5}, "num_heads must divide width: got width=32, num_heads=5; use"),
        ({"starts": 0}, "starts must be .*got starts=0"),
    ],
)
def test_bad_settings_are_named(wrong: dict[str, object], says: str):
    with pytest.raises(ValueError, match=says):
        GradientsConfig(**wrong)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(("depth", "both", "says"), [(16, 0.9, True), (16, 0.3, False), (8, 0.9, None)])
def test_the_claim_reads_a_deep_run(depth: int, both: float, says: bool | None, tmp_path: Path):
    numbers = {f"{wiring.at(depth)}accuracy": 0.4 for wiring in WIRINGS} | {
        f"{WIRINGS[0].at(depth)}accuracy": both,
        f"{WIRINGS[1].at(depth)}accuracy": 0.95,  # post-norm has both too
    }
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "claims.json").write_text(json.dumps({"gradients": {"command": "", "numbers": numbers}}))
    with read_by_claims(tmp_path):
        found = list(training.learnt())
    assert [finding.holds for finding in found] == ([] if says is None else [says])
    assert all("at most 40 %" in finding.shown and "[run a]" in finding.shown for finding in found)
