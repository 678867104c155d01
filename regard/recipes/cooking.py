"""From a run's folder to its result: train what the recipe says, measure, report; and measure again later."""

import importlib.util
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from regard.checks import MissingExtra
from regard.recipes.changes import changed, plain, rebuilt
from regard.recipes.recipe import Outcome, Recipe, Supplies, Trained, Training, recipe
from regard.recipes.run import FACTS, Run, begin, new_folder
from regard.tasks.images import HUB
from regard.tasks.whole_files import whole_file
from regard.training import Order, Progress, on_threads, train, trained

# Of a training: its name, its steps in all, how far it is, and the numbers of the last step.
Watch = Callable[[str, int, Progress, Mapping[str, float]], None]
Told = Callable[[str, int, int], None]  # while data are prepared: what, how many are done, and of how many


def silent(name: str, steps: int, progress: Progress, numbers: Mapping[str, float]) -> None:
    """Watch nothing."""


def order(
    name: str,
    place: Path,
    *,
    smoke: bool,
    changes: Sequence[str] = (),
    data: str | None = None,
    device: str = "cpu",
    told: Told | None = None,
) -> Run:
    """A new run of a recipe with these changes, in a folder; data and sizes are checked, and nothing is trained yet."""
    chosen = recipe(name)
    if importlib.util.find_spec("matplotlib") is None:  # said now, not after an hour of training
        raise MissingExtra("the figures of a report", "matplotlib", "train")
    words = [word for change in changes for word in ("--set", change)] + ["--smoke"] * smoke
    words += ["--data", data] if data is not None else []
    if data is not None and not hasattr(chosen.config, "data"):
        raise ValueError(f"{name} makes its own data: got --data {data}; leave it out")
    config = changed(chosen.smoke if smoke else chosen.config, changes)
    if source := data or getattr(config, "data", None):  # from wherever it is resumed
        config = replace(config, data=source if source.startswith(HUB) else str(Path(source).expanduser().resolve()))
    with new_folder(place):
        planned = _checked(chosen.trainings(config, _supplies(place, told)))
        return begin(
            place,
            recipe=name,
            config=plain(config),
            command=shlex.join(["regard", "train", name, *words]),
            smoke=smoke,
            data=_fingerprint(planned),
            device=device,
        )


def change(run: Run, changes: Sequence[str]) -> Run:
    """The same run, to go on with other settings, such as a lower rate."""
    _, config = _read(run)
    words = shlex.join([word for one in changes for word in ("--set", one)])
    return run.rewritten(config=plain(changed(config, changes)), command=f"{run.command} (resumed with {words})")


def cook(run: Run, watch: Watch = silent, device: str | None = None, told: Told | None = None) -> Outcome:
    """Train what is not trained yet, where it began unless told, and finish the run; one process at a time."""
    chosen, config = _read(run)
    device = device or run.device
    with run.locked():
        made = {}
        for name, training in _planned(run, chosen, config, told).items():
            place, step = run.folder / name, partial(watch, name, training.settings.steps)
            train(training.task, training.settings, place, device=device, watch=step)
            made[name] = _trained(training, place, device)
        outcome = _measured(chosen, config, made)
        _write_figures(run.folder, outcome)
        outcome.keep(run.folder)
        run.finish(
            numbers=outcome.numbers,
            headline=outcome.headline,
            report=page(run, outcome, made, device),
            claims={} if run.smoke else outcome.claims,
        )
    return outcome


def measure(run: Run, changes: Sequence[str] = (), device: str | None = None) -> tuple[Outcome, dict[str, Trained]]:
    """Measure the models of a run as they are in their last checkpoints; it may be training meanwhile.

    Nothing of the run is written. Changes may say how to measure, such as `lengths=24` of strings longer than were
    learnt.
    """
    chosen, config = _read(run)
    config = changed(config, changes)
    planned = _planned(run, chosen, config, None)
    if missing := [name for name in planned if not (run.folder / name / "checkpoints").is_dir()]:
        raise ValueError(
            f"every model of {run.name} must have a checkpoint to be measured: got none of {missing[0]} yet; wait for "
            f"its first evaluation, or use regard resume {run.name} if it was stopped"
        )
    made = {name: _trained(training, run.folder / name, device or run.device) for name, training in planned.items()}
    return _measured(chosen, config, made), made


def opened(run: Run, name: str, device: str = "cpu") -> Trained:
    """One of the models of a run by its name, as it is in its last checkpoint; it may be training meanwhile."""
    chosen, config = _read(run)
    planned = _planned(run, chosen, config, None)
    if name not in planned:
        raise ValueError(f"{run.name} must train what is opened: got {name!r}, not among {', '.join(planned)}")
    return _trained(planned[name], run.folder / name, device)


def page(run: Run, outcome: Outcome, made: Mapping[str, Trained], device: str) -> str:
    """The report: what was asked, what came out, and on what machine."""
    threads = next(iter(made.values())).threads or torch.get_num_threads()
    plural = "s" if threads > 1 else ""
    kind = torch.cuda.get_device_name(device) if device.startswith("cuda") else f"CPU, {threads} thread{plural}"
    steps = ", ".join(f"{one.learnt.reached:,} steps of {name}" for name, one in made.items())
    if len(made) > 4:
        steps = f"{sum(one.learnt.reached for one in made.values()):,} steps of {len(made)} trainings"
    return (
        f"# {run.recipe}: {outcome.headline}\n\n`{run.command}`\n\n{outcome.text.strip()}\n\n"
        f"---\n\nRun {run.name}, begun {run.started}. {steps}. {kind}, torch {torch.__version__}.\n"
    )


def _read(run: Run) -> tuple[Recipe[Any], Any]:
    chosen = recipe(run.recipe)
    try:
        return chosen, rebuilt(type(chosen.config), run.config)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{run.folder / FACTS} must hold settings of {run.recipe}: got {error}; use the regard that made it"
        ) from error


def _planned(run: Run, chosen: Recipe[Any], config: Any, told: Told | None) -> Mapping[str, Training]:
    """What the run trains, on the data that it began with."""
    planned = chosen.trainings(config, _supplies(run.folder, told))
    if config.__dict__.get("data") == run.config.get("data") and _fingerprint(planned) != run.data:
        raise ValueError(f"the data of {run.name} must be those that it began with: {run.config.get('data')} changed")
    return planned


def _checked(planned: Mapping[str, Training]) -> Mapping[str, Training]:
    """What cannot be built, or has fewer examples than a batch, is said before anything is trained."""
    for training in planned.values():
        Order(count=training.task.count, size=training.settings.batch, seed=training.settings.seed)
        with torch.device("meta"):
            training.task.build()
    return planned


def _fingerprint(planned: Mapping[str, Training]) -> str:
    found = dict.fromkeys(training.task.fingerprint() for training in planned.values())
    return " ".join(found).strip()


def _trained(training: Training, folder: Path, device: str) -> Trained:
    return Trained(training, trained(training.task, training.settings, folder, device=device), folder)


def _supplies(folder: Path, told: Told | None) -> Supplies:
    cache = folder.parent / ".cache"
    return Supplies(cache) if told is None else Supplies(cache, told)


def _measured(chosen: Recipe[Any], config: Any, made: Mapping[str, Trained]) -> Outcome:
    with torch.no_grad(), torch.random.fork_rng(devices=[]), on_threads(next(iter(made.values())).threads):
        torch.manual_seed(0)
        return chosen.measure(config, made)


def _write_figures(folder: Path, outcome: Outcome) -> None:
    for name, figure in outcome.figures.items():
        with whole_file(folder / f"{name}.svg") as file:
            figure.savefig(file, format="svg", metadata={"Date": None})
