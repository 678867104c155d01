"""What a training writes down: lines and TensorBoard say the same once each, and recorded tensors come back."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.training import Metrics, Recording, compact, expand, train
from tests.budget import examples
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
        train(Digits(), SHORT, tmp_path, on_step=stop_at(10))  # two lines after the last checkpoint, which come again
    assert [step for step, _ in told(tmp_path)["loss"]][-1] == 10
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


SHARES = st.lists(st.floats(0, 1, width=32), min_size=2, max_size=20)


@settings(max_examples=examples(200))
@given(SHARES)
def test_weights_come_back_within_the_stated_error(shares: list[float]):
    weights = torch.tensor(shares)
    kept = compact(weights)
    assert kept.dtype == torch.uint8
    off, bound = (expand(kept) - weights).abs(), weights.sqrt() / 255 + 1 / 255**2 / 4
    assert (off <= bound + 1e-6).all()  # what float32 itself rounds
    by_size = weights.argsort()
    assert (kept[by_size].int().diff() >= 0).all(), "the order of weights is kept"


def test_the_stated_error_is_reached():
    """A bound that nothing comes near would be no bound."""
    weights = torch.linspace(0, 1, 100_001)
    off, bound = (expand(compact(weights)) - weights).abs(), weights.sqrt() / 255 + 1 / 255**2 / 4
    assert (off / bound).max() > 0.99
    assert (expand(compact(weights.sqrt())) - weights.sqrt()).abs().max() > 0.0015


def test_rounding_beyond_the_ends_and_of_whole_maps():
    assert compact(torch.tensor([-1e-7, 1 + 1e-6])).tolist() == [0, 255]
    maps = torch.rand(3, 4, 5, dtype=torch.bfloat16)
    assert expand(compact(maps)).shape == maps.shape


def test_recorded_steps_are_read_rewound_and_named(tmp_path: Path):
    recording = Recording(tmp_path / "recording")
    assert recording.steps() == []
    recording.rewind(0)
    for step in (0, 5, 10):
        recording.write(step, {"heads.0.centre": torch.arange(6.0).view(2, 3).T * step})
    recording.write(15, {})
    (tmp_path / "recording" / ".unfinished-0123").touch()  # of a killed run
    assert recording.steps() == [0, 5, 10]
    assert recording.read(5)["heads.0.centre"].equal(torch.tensor([[0.0, 15.0], [5.0, 20.0], [10.0, 25.0]]))
    with pytest.raises(ValueError, match=r"step must be one that was recorded: got 15, not among \[0, 5, 10\]"):
        recording.read(15)
    recording.rewind(5)
    assert recording.steps() == [0, 5]


def test_a_flipped_byte_is_told_whoever_reads(tmp_path: Path):
    recording = Recording(tmp_path)
    recording.write(5, {"maps.word.0": torch.arange(6.0).view(2, 3)})
    path = recording.path(5)
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ValueError, match=r"step-000000005.safetensors must be a recording as it was written"):
        recording.read(5)
    with pytest.warns(UserWarning, match=r"got another checksum; it is left out, and kept as step-000000005.damaged"):
        recording.rewind(5)
    assert recording.steps() == []
    assert (tmp_path / "step-000000005.damaged").is_file()
