"""What a recipe is: a configuration, what to train with it, and what to measure and report of the trained models."""

import importlib
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, get_args, get_origin

from regard.checks import nearest
from regard.recipes.results import Published
from regard.training import Descent, Execution, Schedule, Settings, Task, Trained

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regard.tasks.readers import Inputs

Config = TypeVar("Config")
Size = Literal["full", "fast", "small", "smoke"]
OnData = Callable[[str, int, int], None]  # while data are prepared: what, how many are done, and of how many
SILENT: OnData = lambda what, done, total: None  # noqa: E731 - a value of that type


@dataclass(frozen=True)
class Resources:
    """What a recipe may use beside its configuration: a folder for prepared data, and a call to report progress."""

    cache: Path
    on_data: OnData = SILENT


@dataclass(frozen=True)
class Training:
    """One model to train."""

    task: Task
    settings: Settings


def on_one_thread(
    steps: int, batch: int, every: int | None = None, *, warmup: int = 0, floor: float = 0.0, **descent: Any
) -> Settings:
    """Settings of a training that is evaluated `every` so many steps: small models are as fast on one thread.

    >>> on_one_thread(100, 32, rate=1e-2).execution.threads
    1
    """
    return Settings(
        steps=steps,
        batch=batch,
        evaluate_every=every,
        descent=Descent(**descent),
        schedule=Schedule(warmup=warmup, floor=floor),
        execution=Execution(threads=1),
    )


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came out: numbers by their names, a line of them, Markdown with figures, and what claims will read.

    `text` refers to a figure `map` as `![What it shows](map.svg)`.
    """

    numbers: Mapping[str, float]
    headline: str
    text: str
    figures: Mapping[str, "Figure"] = field(default_factory=dict)
    save: Callable[[Path], None] = lambda folder: None  # writes what else a finished run's folder gets
    claims: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Recipe(Generic[Config]):
    """An experiment as one command.

    `trainings` says what is trained, by names that are folders of the run; `measure` looks at the trained models, and
    may do so again at any time. `fast` is a configuration of the same models with a shorter training, `small` one of
    about a minute, whose numbers show the effect that the recipe is about, and `smoke` one of seconds, whose numbers
    mean nothing. A recipe that reads data has a field `data` in its configuration: a path, or None for what ships with
    the package. A configuration refuses sizes that no model can have when it is made, so that a run says so before it
    trains anything. `inputs` tells from the settings of a run what one of its trained models reads, so that its maps
    can be shown. `published` are the numbers that stand beside ours in docs/results.md.
    """

    name: str
    about: str
    config: Config
    smoke: Config
    trainings: Callable[[Config, Resources], Mapping[str, Training]]
    measure: Callable[[Config, Mapping[str, Trained]], Outcome]
    fast: Config | None = None
    small: Config | None = None
    inputs: Callable[[Mapping[str, Any], str], "Inputs | None"] = lambda config, training: None
    published: tuple[Published, ...] = ()

    def at(self, size: Size) -> Config:
        """The configuration of this size."""
        found = {"full": self.config, "fast": self.fast, "small": self.small, "smoke": self.smoke}[size]
        if found is None:
            raise ValueError(f"{self.name} has no {size} version; leave out --{size}, or try it with --smoke")
        return found


MODULES = {  # of regard.recipes, by the names of the recipes
    "reversal": "reversal",
    "digits-gaussian": "images.classification",
    "digits-learned": "images.classification",
    "digits-content": "images.classification",
    "digits-conv": "images.classification",
    "cifar10-gaussian": "images.classification",
    "cifar10-learned": "images.classification",
    "cifar10-content": "images.classification",
    "cifar10-resnet18": "images.classification",
    "conv-vs-vit": "images.conv_vs_vit",
    "language": "text.language",
    "shakespeare": "text.language",
    "translation": "text.translation",
    "objectives": "text.objectives",
    "heads": "heads",
    "gradients": "gradients",
}
NAMES = list(MODULES)


def find_recipe(name: str) -> Recipe[Any]:
    """The recipe of this name."""
    if name not in MODULES:
        raise ValueError(f"no recipe is called {name!r}: {nearest(name, NAMES)}")
    module = importlib.import_module(f"regard.recipes.{MODULES[name]}")
    return module.RECIPES[name]


def override(config: Config, changes: Sequence[str]) -> Config:
    """The configuration with these changes, each `name=value` or `part.name=value`, in the type of its field.

    >>> settings = override(Settings(steps=10, batch=4), ["steps=100", "descent.rate=3e-3", "patience=none"])
    >>> settings.steps, settings.descent.rate, settings.patience
    (100, 0.003, None)
    """
    tree: dict[str, Any] = {}
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"a change must be name=value: got {change!r}; write training.steps=100")
        *parts, last = name.strip().split(".")
        own, branch = config, tree
        for depth, part in enumerate(parts):
            own, branch = _find_field(own, part, ".".join(parts[:depth])), branch.setdefault(part, {})
            if not is_dataclass(own):
                raise ValueError(f"{part!r} has no parts: got {change!r}; write {part}={text.strip()}")
        value = _find_field(own, last, ".".join(parts))
        if is_dataclass(value):
            inner = [field.name for field in fields(value)]
            raise ValueError(f"{last!r} has the parts {', '.join(inner)}: got {change!r}; write {last}.{inner[0]}=…")
        branch[last] = _parse(typing.get_type_hints(type(own))[last], text.strip(), name.strip())
    return _replace(config, tree)


def _find_field(config: Any, name: str, within: str = "") -> Any:
    names = sorted(field.name for field in fields(config))
    if name not in names:
        raise ValueError(f"{within or 'the recipe'} has no setting {name!r}: {nearest(name, names)}")
    return getattr(config, name)


def _replace(config: Any, tree: Mapping[str, Any]) -> Any:
    """Make all changes at once, because two of them may need each other."""
    parts = {name: getattr(config, name) for name in tree}
    return replace(
        config,
        **{name: _replace(part, tree[name]) if is_dataclass(part) else tree[name] for name, part in parts.items()},
    )


def _parse(hint: Any, text: str, name: str) -> Any:
    """The text as a value of this type, of the setting of that name."""
    if isinstance(hint, types.UnionType) or get_origin(hint) is typing.Union:
        kinds = get_args(hint)
        if text.lower() == "none" and type(None) in kinds:
            return None
        hint = next(kind for kind in kinds if kind is not type(None))
    if get_origin(hint) is Literal:
        if text not in get_args(hint):
            raise ValueError(f"{name} must be {' or '.join(map(str, get_args(hint)))}: got {text!r}")
        return text
    if get_origin(hint) is tuple:
        kinds, texts = get_args(hint), [part.strip() for part in text.split(",") if part.strip()]
        if Ellipsis not in kinds and len(texts) != len(kinds):
            raise ValueError(f"{name} must be {len(kinds)} values with commas between: got {text!r}")
        return tuple(_parse(kinds[0], part, name) for part in texts)
    if hint is bool:
        if text.lower() not in ("true", "false", "yes", "no"):
            raise ValueError(f"{name} must be true or false: got {text!r}")
        return text.lower() in ("true", "yes")
    if hint is str:
        return text
    try:
        return int(text.replace("_", "")) if hint is int else float(text)
    except ValueError as error:
        kind = "a whole number" if hint is int else "a number"
        raise ValueError(f"{name} must be {kind}: got {text!r}") from error


def list_settings(config: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The settings of a configuration as a dict, by the names that `override` takes.

    >>> list(list_settings({"lengths": [3, 6], "training": {"steps": 10}}))
    [('lengths', [3, 6]), ('training.steps', 10)]
    """
    for name, value in config.items():
        if isinstance(value, Mapping):
            yield from list_settings(value, f"{before}{name}.")
        else:
            yield before + name, value


def write_setting(value: Any) -> str:
    """A value as `override` reads it.

    >>> write_setting((0.5, 1)), write_setting(None)
    ('0.5,1', 'none')
    """
    if isinstance(value, list | tuple):
        return ",".join(map(write_setting, value))
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def from_json(kind: type[Config], values: Mapping[str, Any]) -> Config:
    """A configuration from the JSON of its `dataclasses.asdict`; unknown and missing names are errors.

    A field of `metadata={"optional": True}` came later than others: runs that do not name it take its default, which is
    what was done before.
    """
    hints = typing.get_type_hints(kind)
    unknown = [name for name in values if name not in hints]
    if unknown:
        raise ValueError(f"{kind.__name__} has no {unknown[0]!r}: {nearest(unknown[0], sorted(hints))}")
    needed = [field.name for field in fields(kind) if not field.metadata.get("optional")]  # pyright: ignore[reportArgumentType]
    if missing := [name for name in needed if name not in values]:
        raise ValueError(f"{kind.__name__} must have all of its settings: got no {missing[0]!r}")
    read = {}
    for name, value in values.items():
        if is_dataclass(hints[name]) and isinstance(hints[name], type):
            read[name] = from_json(hints[name], value)
        else:
            read[name] = tuple(value) if isinstance(value, list) else value
    return kind(**read)
