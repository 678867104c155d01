"""What is recorded comes back, but for a rounding whose size is known."""

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.training import Recording, compact, expanded
from tests.budget import examples

SHARES = st.lists(st.floats(0, 1, width=32), min_size=2, max_size=20)


@settings(max_examples=examples(200))
@given(SHARES)
def test_weights_come_back_within_the_stated_error(shares: list[float]):
    weights = torch.tensor(shares)
    kept = compact(weights)
    assert kept.dtype == torch.uint8
    off, bound = (expanded(kept) - weights).abs(), weights.sqrt() / 255 + 1 / 255**2 / 4
    assert (off <= bound + 1e-6).all()  # what float32 itself rounds
    by_size = weights.argsort()
    assert (kept[by_size].int().diff() >= 0).all(), "the order of weights is kept"


def test_the_stated_error_is_reached():
    """A bound that nothing comes near would be no bound."""
    weights = torch.linspace(0, 1, 100_001)
    off, bound = (expanded(compact(weights)) - weights).abs(), weights.sqrt() / 255 + 1 / 255**2 / 4
    assert (off / bound).max() > 0.99
    assert (expanded(compact(weights.sqrt())) - weights.sqrt()).abs().max() > 0.0015


def test_rounding_beyond_the_ends_and_of_whole_maps():
    assert compact(torch.tensor([-1e-7, 1 + 1e-6])).tolist() == [0, 255]
    maps = torch.rand(3, 4, 5, dtype=torch.bfloat16)
    assert expanded(compact(maps)).shape == maps.shape


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
