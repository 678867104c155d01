"""What all tests of benchmarks share: one thread, and verdicts of their own."""

import pytest
import torch

from benchmarks import contest, grid_contest


@pytest.fixture(autouse=True)
def one_thread():
    """Sizes this small are slower with more, and other workers want the cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def own_checks(monkeypatch):
    """Verdicts are remembered for a run; those of other tests, some wrong on purpose, are none of this one's."""
    monkeypatch.setattr(contest, "_verdicts", {})
    monkeypatch.setattr(grid_contest, "_checks", {})
