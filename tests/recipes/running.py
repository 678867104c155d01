"""Runs that are stopped, and runs that claims read."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from regard.claims import experiments
from regard.recipes import Plan
from regard.training import Progress


def stop_at(plan: Plan, step: int, name: str | None = None) -> None:
    """Train until this step of a training, or of any, and then stop as a user would."""

    def stop(training: str, steps: int, progress: Progress, numbers: object) -> None:
        if name in (None, training) and progress.step == step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan.train(stop)


@contextmanager
def read_by_claims(*folders: Path) -> Iterator[None]:
    """Let claims read the runs in these folders alone."""
    token = experiments.runs.set(folders)
    try:
        yield
    finally:
        experiments.runs.reset(token)
