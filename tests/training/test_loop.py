"""The loop: it learns, it stops when it should, and a killed run goes on bit for bit."""

import math
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from regard.tasks.digits import digits
from regard.training import (
    Checkpoints,
    Descent,
    Diverged,
    Execution,
    Metrics,
    Progress,
    Schedule,
    Settings,
    load_trained,
    train,
)
from regard.training.checkpoints import collect_weights
from tests.training.learner import SETTINGS, Digits, Stopped, stop_at

LEARNER = "tests.training.learner"
SHORT = replace(SETTINGS, steps=20)


def lines(folder: Path) -> dict[int, set[str]]:
    """What was said of each step, by however many processes."""
    found: dict[int, set[str]] = {}
    text = (folder / "losses").read_text()
    for line in text[: text.rfind("\n") + 1].splitlines():
        found.setdefault(int(line.split()[0]), set()).add(line)
    return found


@pytest.mark.slow  # one kill, with loader processes, is in test_execution.py
@pytest.mark.parametrize("kills", [12])
def test_killed_again_and_again_it_is_the_run_that_never_stopped(tmp_path: Path, kills: int):
    """Real processes, killed by SIGKILL: every loss and gradient norm, in all its bits, and the weights at the end."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for folder in (whole, broken):
        folder.mkdir()
    seen: list[str] = []

    def watch(progress: Progress, numbers: Mapping[str, float]) -> None:
        seen.append(f"{progress.step} {numbers['loss'].hex()} {numbers['gradient'].hex()}")

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    model = train(Digits(), SETTINGS, whole, on_step=watch).model
    torch.set_num_threads(threads)
    chance = random.Random(1)
    (broken / "losses").touch()
    for _ in range(kills):
        size = (broken / "losses").stat().st_size
        with subprocess.Popen([sys.executable, "-m", LEARNER, str(broken)]) as process:
            while process.poll() is None and (broken / "losses").stat().st_size < size + 200:  # a few steps
                time.sleep(0.002)
            time.sleep(chance.uniform(0, 0.05))
            process.kill()
    subprocess.run([sys.executable, "-m", LEARNER, str(broken)], check=True)
    said = lines(broken)
    assert sorted(said) == list(range(1, 61))
    assert [next(iter(said[step])) for step in range(1, 61)] == seen
    assert all(len(each) == 1 for each in said.values()), "a step made twice is the same step"
    last = Checkpoints(broken / "checkpoints").last()
    assert last is not None
    assert all(tensor.equal(last.tensors["model"][name]) for name, tensor in collect_weights(model).items())
    assert Metrics(broken / "metrics.jsonl").read() == Metrics(whole / "metrics.jsonl").read()


def test_it_learns_and_keeps_the_best(tmp_path: Path):
    before = torch.get_rng_state()
    train(Digits(), SETTINGS, tmp_path)
    assert before.equal(torch.get_rng_state()), "the random numbers of others are theirs"
    found = Metrics(tmp_path / "metrics.jsonl").read()
    assert [line["step"] for line in found if "accuracy" in line] == [10, 20, 30, 40, 50, 60]
    assert [line["step"] for line in found] == list(range(1, 61)), "and ten losses between two evaluations"
    assert found[-1]["accuracy"] > 0.85
    assert found[0]["loss"] > 2 * found[-1]["loss"]
    best = Checkpoints(tmp_path / "checkpoints").best()
    assert best is not None
    assert best.facts["progress"]["best"] == max(line["accuracy"] for line in found if "accuracy" in line)


def test_it_stops_where_nothing_gets_better(tmp_path: Path):
    class Stuck(Digits):
        def evaluate(self, model: Any) -> Mapping[str, float]:
            return {"accuracy": 0.5}

    train(Stuck(), replace(SETTINGS, patience=2), tmp_path)
    assert Metrics(tmp_path / "metrics.jsonl").read()[-1]["step"] == 30
    train(Stuck(), replace(SETTINGS, patience=2), tmp_path)
    assert Metrics(tmp_path / "metrics.jsonl").read()[-1]["step"] == 30, "and is over when it is called again"


class Breaks(Digits):
    steps = 0

    def loss(self, model: Any, batch: Any, generator: torch.Generator) -> Tensor:
        self.steps += 1
        return super().loss(model, batch, generator) * (math.nan if self.steps == 2 * 14 else 1)


def test_a_loss_that_is_no_number_stops_it_before_anything_is_saved(tmp_path: Path):
    with pytest.raises(Diverged, match="the loss must be finite: got nan at step 13 for examples") as raised:
        train(Breaks(), SETTINGS, tmp_path)
    assert f"the last checkpoint is {tmp_path / 'checkpoints' / 'step-000000010'}" in str(raised.value)
    train(Digits(), SETTINGS, tmp_path)
    assert Metrics(tmp_path / "metrics.jsonl").read()[-1]["step"] == 60


def test_a_step_ahead_gives_the_same_numbers_in_the_same_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """As on a GPU, whose numbers are read one step late: the same lines, checkpoints and calls, and the same error."""
    seen: dict[bool, list[tuple[int, float, bool]]] = {False: [], True: []}
    for ahead, calls in seen.items():
        monkeypatch.setattr("regard.training.loop._computes_ahead", lambda device, ahead=ahead: ahead)
        train(
            Digits(),
            SETTINGS,
            tmp_path / str(ahead),
            on_step=lambda at, numbers, calls=calls: calls.append((at.step, numbers["loss"], "accuracy" in numbers)),
        )
    assert seen[True] == seen[False]
    a, b = (Metrics(tmp_path / name / "metrics.jsonl").read() for name in ("True", "False"))
    assert a == b
    with pytest.raises(Diverged, match="got nan at step 13 for examples"):
        train(Breaks(), SETTINGS, tmp_path / "broken")
    assert Checkpoints(tmp_path / "broken" / "checkpoints").steps() == [10]


def test_sgd_goes_on_where_it_stopped_though_not_every_evaluation_was_saved(tmp_path: Path):
    descent = Descent(kind="sgd", rate=0.05, decay=1e-3, decay_all=True, clip=None)
    settings = replace(SETTINGS, steps=50, save_every=2, descent=descent)
    whole = train(Digits(), settings, tmp_path / "whole").model
    assert Checkpoints(tmp_path / "whole" / "checkpoints").steps()[-2:] == [40, 50], "the last is always saved"
    with pytest.raises(Stopped):
        train(Digits(), settings, tmp_path / "broken", on_step=stop_at(37))
    assert Checkpoints(tmp_path / "broken" / "checkpoints").steps() == [20]
    broken = train(Digits(), settings, tmp_path / "broken").model
    assert all(
        a.equal(b) for a, b in zip(collect_weights(whole).values(), collect_weights(broken).values(), strict=True)
    )
    a, b = (Metrics(tmp_path / name / "metrics.jsonl").read() for name in ("whole", "broken"))
    assert a == b
    assert a[-1]["loss"] < 0.5 * a[0]["loss"]
    groups = descent.optimizer(whole).param_groups
    assert [(group["weight_decay"], group["momentum"]) for group in groups] == [(1e-3, 0.9)] * 2


def test_accumulated_batches_are_one_large_batch(tmp_path: Path):
    class Plain(Digits):
        def build(self) -> torch.nn.Module:
            return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 10))

        def batch(self, examples: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
            return digits()[0].images[examples], digits()[0].labels[examples]

        def loss(self, model: Any, batch: Any, generator: torch.Generator) -> Tensor:
            images, labels = batch
            return torch.nn.functional.cross_entropy(model(images), labels)

    one = train(Plain(), replace(SETTINGS, steps=3, batch=32, accumulate=2), tmp_path / "a").model
    two = train(Plain(), replace(SETTINGS, steps=3, batch=64, accumulate=1), tmp_path / "b").model
    for (name, a), b in zip(collect_weights(one).items(), collect_weights(two).values(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5, msg=name)


class Recorded(Digits):
    def record(self, model: Any) -> Mapping[str, Tensor]:
        return {"weights": model[1].weight}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training of two evaluations, of which the last is the best, to copy and to damage."""
    folder = tmp_path_factory.mktemp("finished")
    train(Recorded(), SHORT, folder)
    return folder


def flip(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-3] + bytes([content[-3] ^ 1]) + content[-2:])


@pytest.mark.parametrize(
    ("damage", "says", "lost"),
    [
        (
            lambda folder: flip(folder / "checkpoints/step-000000020/model.safetensors"),
            "step 10 is used: .*step-000000020/model.safetensors is not what was written",
            set(),
        ),
        (
            lambda folder: shutil.rmtree(folder / "checkpoints/step-000000020"),
            "the checkpoint of step 20 is missing from .*, and that of step 10 is used",
            set(),
        ),
        (
            lambda folder: shutil.rmtree(folder / "checkpoints"),
            "all checkpoints are missing from .*checkpoints: training begins anew",
            set(),
        ),
        (
            lambda folder: flip(folder / "recording/step-000000010.safetensors"),
            "step-000000010.safetensors must be .* as it was written: got another checksum; it is left out",
            {"recording/step-000000010.safetensors"},
        ),
        (
            lambda folder: (folder / "metrics.jsonl").unlink(),
            "metrics.jsonl must have lines up to step 20: got no line",
            {"metrics.jsonl"},
        ),
    ],
    ids=["flipped", "missing", "all-missing", "recording", "metrics"],
)
def test_what_was_damaged_is_told_on_a_resume_and_made_again(
    finished: Path, tmp_path: Path, damage: Callable[[Path], None], says: str, lost: set[str]
):
    shutil.copytree(finished, tmp_path / "damaged")
    damage(tmp_path / "damaged")
    with pytest.warns(UserWarning, match=says):
        train(Recorded(), SHORT, tmp_path / "damaged")
    for path in finished.glob("**/*"):
        name = str(path.relative_to(finished))
        if path.is_file() and "tfevents" not in name and name not in lost:
            assert (tmp_path / "damaged" / name).read_bytes() == path.read_bytes(), name
    if "metrics.jsonl" not in lost:
        train(Recorded(), SHORT, tmp_path / "damaged")  # once: a warning would be an error here


def test_an_older_checkpoint_is_never_loaded_without_a_word(finished: Path, tmp_path: Path):
    shutil.copytree(finished, tmp_path / "damaged")
    flip(tmp_path / "damaged/checkpoints/step-000000020/model.safetensors")
    with pytest.warns(UserWarning, match="a checkpoint is damaged, and that of step 10 is used"):
        assert load_trained(Recorded(), SHORT, tmp_path / "damaged").step == 10


def test_parts_that_are_built_in_eval_mode_stay_so(tmp_path: Path):
    """A frozen norm: its statistics do not move, neither before a stop nor after."""

    class Frozen(Digits):
        def build(self) -> torch.nn.Module:
            model = super().build()
            model[2].eval()
            return model

    def stop(progress: Progress, numbers: Mapping[str, float]) -> None:
        if progress.step == 23:
            raise KeyboardInterrupt

    whole = train(Frozen(), SETTINGS, tmp_path / "whole").model
    assert whole[2].running_mean.eq(0).all()
    with pytest.raises(KeyboardInterrupt):
        train(Frozen(), SETTINGS, tmp_path / "broken", on_step=stop)
    broken = train(Frozen(), SETTINGS, tmp_path / "broken").model
    assert all(
        a.equal(b) for a, b in zip(collect_weights(whole).values(), collect_weights(broken).values(), strict=True)
    )


def test_damaged_files_beside_the_weights_do_not_end_a_run(finished: Path, tmp_path: Path):
    shutil.copytree(finished, tmp_path / "run")
    metrics = tmp_path / "run/metrics.jsonl"
    lines = metrics.read_text().splitlines()
    metrics.write_text("\n".join([*lines[:12], "\0" * 40, *lines[13:]]) + "\n")
    longer = replace(SHORT, steps=30)
    with pytest.warns(UserWarning, match=r"line 13 of .*metrics.jsonl is damaged"):
        train(Recorded(), longer, tmp_path / "run")
    assert [line["step"] for line in Metrics(metrics).read()] == [*range(1, 13), *range(21, 31)]


def test_a_damaged_best_checkpoint_is_told_and_the_last_given_back(tmp_path: Path):
    class Peaks(Digits):
        judged = 0

        def evaluate(self, model: Any) -> Mapping[str, float]:
            self.judged += 1
            return {"accuracy": -self.judged}

    patient = replace(SHORT, patience=9)
    train(Peaks(), patient, tmp_path)
    checkpoints = Checkpoints(tmp_path / "checkpoints")
    last = checkpoints.last()
    assert last is not None
    (checkpoints.path(10) / "model.safetensors").write_bytes(b"")
    with pytest.warns(UserWarning, match="the best checkpoint is damaged, and the last is used"):
        model = train(Peaks(), patient, tmp_path).model
    assert all(tensor.equal(last.tensors["model"][name]) for name, tensor in collect_weights(model).items())


def test_what_is_no_number_is_never_the_best(tmp_path: Path):
    class Unsure(Digits):
        judged = 0

        def evaluate(self, model: Any) -> Mapping[str, float]:
            self.judged += 1
            return {"accuracy": [math.nan, 0.5, 0.4][self.judged - 1]}

    train(Unsure(), replace(SETTINGS, steps=30), tmp_path)
    best = Checkpoints(tmp_path / "checkpoints").best()
    assert best is not None
    assert best.step == 20


def test_a_folder_is_trained_in_once_at_a_time(tmp_path: Path):
    def again(progress: Progress, numbers: Mapping[str, float]) -> None:
        train(Digits(), SETTINGS, tmp_path)

    with pytest.raises(ValueError, match="is used by one process at a time"):
        train(Digits(), SETTINGS, tmp_path, on_step=again)


def test_another_rate_is_taken_over_on_a_resume(tmp_path: Path):
    train(Digits(), replace(SETTINGS, steps=10), tmp_path)
    slower = replace(SETTINGS, steps=20, descent=replace(SETTINGS.descent, rate=1e-9))
    before = Checkpoints(tmp_path / "checkpoints").last()
    model = train(Digits(), slower, tmp_path).model
    assert before is not None
    torch.testing.assert_close(
        collect_weights(model)["1.weight"], before.tensors["model"]["1.weight"], atol=1e-6, rtol=0
    )


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: Settings(steps=0, batch=1), "steps must be"),
        (lambda: Execution(precision="half"), "got precision='half'"),  # pyright: ignore[reportArgumentType]
        (lambda: Schedule(kind="linear"), "got kind='linear'"),  # pyright: ignore[reportArgumentType]
        (lambda: Schedule(floor=2.0), "floor must be a share from 0 to 1: got floor=2.0"),
    ],
)
def test_settings_that_cannot_be(wrong: Any, says: str):
    with pytest.raises(ValueError, match=says):
        wrong()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_after_the_step_with_a_checkpoint_of_it(tmp_path: Path, number: int):
    """Between two evaluations; what goes on then is, to the last bit and line, the run that never stopped."""

    def ask(progress: Progress, numbers: Mapping[str, float]) -> None:
        if progress.step == 23:
            signal.raise_signal(number)

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    settings = replace(SETTINGS, evaluate_every=20)  # a line every second step
    try:
        whole = train(Digits(), settings, tmp_path / "whole").model
        with pytest.raises(KeyboardInterrupt):
            train(Digits(), settings, tmp_path / "broken", on_step=ask)
    finally:
        signal.signal(signal.SIGTERM, before)
    last = Checkpoints(tmp_path / "broken/checkpoints").last()
    assert last is not None
    assert last.step == 24, "the step after the one in whose telling the signal came"
    broken = train(Digits(), settings, tmp_path / "broken").model
    pairs = zip(collect_weights(whole).values(), collect_weights(broken).values(), strict=True)
    assert all(a.equal(b) for a, b in pairs)
    kept = [(tmp_path / name / "metrics.jsonl").read_text() for name in ("whole", "broken")]
    assert kept[0] == kept[1]


def test_a_second_signal_ends_it_at_once(tmp_path: Path):
    def ask(progress: Progress, numbers: Mapping[str, float]) -> None:
        if progress.step == 23:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(Digits(), SETTINGS, tmp_path, on_step=ask)
    last = Checkpoints(tmp_path / "checkpoints").last()
    assert last is not None
    assert last.step == 20


def test_a_signal_that_is_ignored_ends_nothing(tmp_path: Path):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        train(Digits(), SHORT, tmp_path, on_step=lambda *_: signal.raise_signal(signal.SIGINT))
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_signal_that_somebody_else_takes_ends_nothing(tmp_path: Path):
    """As the SIGTERM of a scheduler that warns: it is passed on once, after a checkpoint."""

    def ask(progress: Progress, numbers: Mapping[str, float]) -> None:
        if progress.step == 3:
            signal.raise_signal(signal.SIGTERM)
        saved[progress.step] = last.step if (last := Checkpoints(tmp_path / "checkpoints").last()) else 0

    heard: list[int] = []
    saved: dict[int, int] = {}
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        train(Digits(), SHORT, tmp_path, on_step=ask)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM]
    assert [saved[step] for step in (3, 4, 5, 9, 10)] == [0, 4, 4, 4, 10]


def test_a_signal_in_the_last_step_ends_what_follows_too(tmp_path: Path):
    def ask(progress: Progress, numbers: Mapping[str, float]) -> None:
        if progress.step == SHORT.steps:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(Digits(), SHORT, tmp_path, on_step=ask)
    last = Checkpoints(tmp_path / "checkpoints").last()
    assert last is not None
    assert last.step == SHORT.steps
