"""What a recipe is: a configuration, what to train with it, and what to measure and report of the trained models."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from regard.checks import nearest
from regard.training import Learnt, Settings, Task

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Config = TypeVar("Config")


@dataclass(frozen=True)
class Supplies:
    """What a recipe may use beside its configuration: a folder for prepared data, and a bar for preparing them.

    `told(what, done, total)` is called while data are read.
    """

    cache: Path
    told: Callable[[str, int, int], None] = lambda what, done, total: None


@dataclass(frozen=True)
class Training:
    """One model that is trained."""

    task: Task
    settings: Settings


@dataclass(frozen=True)
class Trained:
    """One that was: its model in `eval` mode, and the folder with its metrics and recording."""

    training: Training
    learnt: Learnt
    folder: Path

    @property
    def model(self) -> Any:
        return self.learnt.model

    @property
    def task(self) -> Any:
        return self.training.task

    @property
    def threads(self) -> int | None:
        return self.training.settings.execution.threads


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came out: numbers by their names, a line of them, Markdown with figures, and what claims will read.

    `text` refers to a figure `map` as `![What it shows](map.svg)`.
    """

    numbers: Mapping[str, float]
    headline: str
    text: str
    figures: Mapping[str, "Figure"] = field(default_factory=dict)
    keep: Callable[[Path], None] = lambda folder: None  # what else a finished run's folder gets
    claims: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Recipe(Generic[Config]):
    """An experiment as one command.

    `trainings` says what is trained, by names that are folders of the run; `measure` looks at the trained models, and
    may do so again at any time. `smoke` is a configuration of seconds, whose numbers mean nothing. A recipe that reads
    data has a field `data` in its configuration: a path, or None for what ships with the package.
    """

    name: str
    about: str
    config: Config
    smoke: Config
    trainings: Callable[[Config, Supplies], Mapping[str, Training]]
    measure: Callable[[Config, Mapping[str, Trained]], Outcome]


MODULES = {  # of regard.recipes, by the names of the recipes
    "reversal": "reversal",
    "digits-gaussian": "digits",
    "digits-learned": "digits",
    "digits-content": "digits",
    "digits-conv": "digits",
    "language": "language",
    "heads": "heads",
    "gradients": "gradients",
}
NAMES = list(MODULES)


def recipe(name: str) -> Recipe[Any]:
    """The recipe of this name."""
    if name not in MODULES:
        raise ValueError(f"no recipe is called {name!r}: {nearest(name, NAMES)}")
    module = importlib.import_module(f"regard.recipes.{MODULES[name]}")
    return module.RECIPES[name]
