"""From a run's folder to its result: train what the recipe says, measure, report; and measure again later."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch

from regard.recipes.changes import changed, rebuilt
from regard.recipes.recipe import Outcome, Recipe, Supplies, Trained, Training, recipe
from regard.recipes.run import Run, begin, check_free
from regard.tasks.whole_files import whole_file
from regard.training import Progress, on_threads, train, trained

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
    told: Told | None = None,
) -> Run:
    """A new run of a recipe with these changes, in a folder; its data are read, and nothing is trained yet."""
    chosen = recipe(name)
    words = [word for change in changes for word in ("--set", change)] + ["--smoke"] * smoke
    check_free(place)
    if data is not None:
        if not hasattr(chosen.config, "data"):
            raise ValueError(f"{name} makes its own data: got --data {data}; leave it out")
        source = data if ":" in data.split("/")[0] else str(Path(data).expanduser().resolve())
        changes, words = [*changes, f"data={source}"], [*words, "--data", data]
    config = changed(chosen.smoke if smoke else chosen.config, changes)
    chosen.trainings(config, _supplies(place, told))  # what is wrong with the data is said before there is a run
    return begin(place, name, asdict(config), shlex.join(["regard", "train", name, *words]), smoke=smoke)


def cook(run: Run, watch: Watch = silent, device: str = "cpu", told: Told | None = None) -> Outcome:
    """Train what is not trained yet and finish the run; one process at a time."""
    chosen, config = _read(run)
    with run.locked():
        made = {}
        for name, training in chosen.trainings(config, _supplies(run.folder, told)).items():
            place, step = run.folder / name, partial(watch, name, training.settings.steps)
            train(training.task, training.settings, place, device=device, watch=step)
            made[name] = _trained(training, place, device)
        outcome = _measured(chosen, config, made)
        _write_figures(run.folder, outcome)
        run.finish(
            numbers=outcome.numbers,
            headline=outcome.headline,
            report=page(run, outcome, made, device),
            claims={} if run.smoke else outcome.claims,
        )
    return outcome


def measure(run: Run, changes: Sequence[str] = (), device: str = "cpu") -> tuple[Outcome, dict[str, Trained]]:
    """Measure the models of a run as they are in their last checkpoints; it may be training meanwhile.

    Nothing is written. Changes may say how to measure, such as `lengths=24` of longer strings than were learnt.
    """
    chosen, config = _read(run)
    config = changed(config, changes)
    made = {}
    for name, training in chosen.trainings(config, _supplies(run.folder, None)).items():
        made[name] = _trained(training, run.folder / name, device)
    return _measured(chosen, config, made), made


def page(run: Run, outcome: Outcome, made: Mapping[str, Trained], device: str) -> str:
    """The report: what was asked, what came out, and on what machine."""
    threads = next(iter(made.values())).threads or torch.get_num_threads()
    plural = "s" if threads > 1 else ""
    kind = torch.cuda.get_device_name(device) if device.startswith("cuda") else f"CPU, {threads} thread{plural}"
    steps = ", ".join(f"{one.step:,} steps of {name}" for name, one in made.items())
    if len(made) > 4:
        steps = f"{sum(one.step for one in made.values()):,} steps of {len(made)} trainings"
    return (
        f"# {run.recipe}: {outcome.headline}\n\n`{run.command}`\n\n{outcome.text.strip()}\n\n"
        f"---\n\nRun {run.name}, begun {run.started}. {steps}. {kind}, torch {torch.__version__}.\n"
    )


def _read(run: Run) -> tuple[Recipe[Any], Any]:
    chosen = recipe(run.recipe)
    return chosen, rebuilt(type(chosen.config), run.config)


def _trained(training: Training, folder: Path, device: str) -> Trained:
    step, model = trained(training.task, training.settings, folder, device=device)
    return Trained(training, model, step, folder)


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
