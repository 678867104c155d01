"""TensorBoard's own reader finds the numbers of `metrics.jsonl`, once each, however often a run was taken up."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy
import pytest

from regard.training import Metrics, train
from tests.training.learner import SETTINGS, Digits, Stopped, stop_at

SHORT = replace(SETTINGS, steps=12, evaluate_every=4)
Points = dict[str, list[tuple[int, float]]]


def told(folder: Path) -> Points:
    """By name, the steps and the numbers, in TensorBoard's precision."""
    found: Points = {}
    for line in Metrics(folder / "metrics.jsonl").read():
        for name, value in line.items():
            if name != "step":
                found.setdefault(name, []).append((line["step"], float(numpy.float32(value))))
    return found


def shown(folder: Path) -> Points:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    reader = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    reader.Reload()
    return {name: [(each.step, each.value) for each in reader.Scalars(name)] for name in reader.Tags()["scalars"]}


def test_it_shows_what_the_lines_say_also_after_a_resume(tmp_path: Path):
    with pytest.raises(Stopped):
        train(Digits(), SHORT, tmp_path, watch=stop_at(10))  # two lines after the last checkpoint, which come again
    assert [step for step, _ in told(tmp_path)["loss"]][-1] == 9
    train(Digits(), SHORT, tmp_path)
    assert len(list(tmp_path.glob("events.*"))) == 1
    assert shown(tmp_path) == told(tmp_path)
    assert [step for step, _ in shown(tmp_path)["loss"]] == list(range(1, 13))
    assert [step for step, _ in shown(tmp_path)["accuracy"]] == [4, 8, 12]


def test_training_does_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    train(Digits(), SHORT, tmp_path / "with")
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "tensorboard" else there(name, *more)
    )
    train(Digits(), SHORT, tmp_path / "without")
    assert list((tmp_path / "with").glob("events.*"))
    assert not list((tmp_path / "without").glob("events.*"))
    assert told(tmp_path / "with") == told(tmp_path / "without")
