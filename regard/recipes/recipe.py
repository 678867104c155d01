"""What a recipe is: a configuration, and what to train, measure and report with it."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from regard.algorithms.problem import nearest
from regard.recipes.run import Run
from regard.training import Progress

Config = TypeVar("Config")

# Of a training: its name, its steps in all, how far it is, and the numbers of the last step.
Watch = Callable[[str, int, Progress, Mapping[str, float]], None]


@dataclass(frozen=True, kw_only=True)
class Recipe(Generic[Config]):
    """An experiment as one command.

    `cook` trains in the run's folder and finishes the run; called again on a run that was cut off, it goes on from the
    checkpoints. `smoke` is a configuration of seconds, whose numbers mean nothing.
    """

    name: str
    about: str
    config: Config
    smoke: Config
    cook: Callable[[Config, Run, Watch], None]


NAMES = ["reversal"]


def recipe(name: str) -> Recipe[Any]:
    """The recipe of this name."""
    if name not in NAMES:
        raise ValueError(f"no recipe is called {name!r}: {nearest(name, NAMES)}")
    return importlib.import_module(f"regard.recipes.{name.replace('-', '_')}").RECIPE


def silent(name: str, steps: int, progress: Progress, numbers: Mapping[str, float]) -> None:
    """Watch nothing."""
