"""The benchmark of the loop's own time measures each of its parts."""

import importlib.util

import pytest

from benchmarks import training_overhead


@pytest.mark.parametrize("has_board", [True, False])
def test_parts_are_timed_with_and_without_tensorboard(has_board: bool, tmp_path, monkeypatch: pytest.MonkeyPatch):
    find, each = importlib.util.find_spec, training_overhead._each
    if not has_board:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "tensorboard" else find(name))
    monkeypatch.setattr(training_overhead, "_each", lambda call, count: each(call, 5))
    rows = training_overhead.parts(tmp_path)
    assert "flush of TensorBoard" in [row.case for row in rows]
