"""From a run's folder to its result: train what the recipe says, measure, report; and measure again later."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch

from regard.recipes.changes import changed, rebuilt
from regard.recipes.recipe import Outcome, Recipe, Supplies, Trained, recipe
from regard.recipes.run import Run, begin
from regard.tasks.whole_files import whole_file
from regard.training import Progress, on_threads, train, trained

# Of a training: its name, its steps in all, how far it is, and the numbers of the last step.
Watch = Callable[[str, int, Progress, Mapping[str, float]], None]
Told = Callable[[str, int, int], None]  # while data are prepared: what, how many are done, and of how many


def silent(name: str, steps: int, progress: Progress, numbers: Mapping[str, float]) -> None:
    """Watch nothing."""


def order(name: str, place: Path, *, smoke: bool, changes: Sequence[str] = (), data: str | None = None) -> Run:
    """A new run of a recipe with these changes, in a folder; nothing is trained yet."""
    chosen = recipe(name)
    words = [f"--set {change}" for change in changes] + ["--smoke"] * smoke
    if data is not None:
        if not hasattr(chosen.config, "data"):
            raise ValueError(f"{name} makes its own data: got --data {data}; leave it out")
        source = data if ":" in data.split("/")[0] else str(Path(data).expanduser().resolve())
        changes, words = [*changes, f"data={source}"], [*words, f"--data {data}"]
    config = changed(chosen.smoke if smoke else chosen.config, changes)
    return begin(place, name, asdict(config), " ".join(["regard train", name, *words]))


def cook(run: Run, watch: Watch = silent, device: str = "cpu", told: Told | None = None) -> Outcome:
    """Train what is not trained yet and finish the run; one process at a time."""
    chosen, config = _read(run)
    with run.locked():
        made = {}
        for name, training in chosen.trainings(config, _supplies(run, told)).items():
            place, step = run.folder / name, partial(watch, name, training.settings.steps)
            model = train(training.task, training.settings, place, device=device, watch=step)
            made[name] = Trained(training, model, training.settings.steps, place)
        outcome = _measured(chosen, config, made)
        _write_figures(run.folder, outcome)
        run.finish(
            numbers=outcome.numbers,
            headline=outcome.headline,
            report=page(run, outcome, made, device),
            claims=outcome.claims,
        )
    return outcome


def measure(run: Run, changes: Sequence[str] = (), device: str = "cpu") -> tuple[Outcome, dict[str, Trained]]:
    """Measure the models of a run as they are in their last checkpoints; it may be training meanwhile.

    Nothing is written. Changes may say how to measure, such as `lengths=24` of longer strings than were learnt.
    """
    chosen, config = _read(run)
    config = changed(config, changes)
    made = {}
    for name, training in chosen.trainings(config, _supplies(run, None)).items():
        step, model = trained(training.task, training.settings, run.folder / name, device=device)
        made[name] = Trained(training, model, step, run.folder / name)
    return _measured(chosen, config, made), made


def page(run: Run, outcome: Outcome, made: Mapping[str, Trained], device: str) -> str:
    """The report: what was asked, what came out, and on what machine."""
    kind = (
        torch.cuda.get_device_name(device) if device.startswith("cuda") else f"CPU, {torch.get_num_threads()} threads"
    )
    steps = ", ".join(f"{name} {one.step:,}" for name, one in made.items())
    return (
        f"# {run.recipe}: {outcome.headline}\n\n`{run.command}`\n\n{outcome.text.strip()}\n\n"
        f"---\n\nRun {run.name}, begun {run.started}. Steps: {steps}. {kind}, torch {torch.__version__}.\n"
    )


def _read(run: Run) -> tuple[Recipe[Any], Any]:
    chosen = recipe(run.recipe)
    return chosen, rebuilt(type(chosen.config), run.config)


def _supplies(run: Run, told: Told | None) -> Supplies:
    cache = run.folder.parent / ".cache"
    return Supplies(cache) if told is None else Supplies(cache, told)


def _measured(chosen: Recipe[Any], config: Any, made: Mapping[str, Trained]) -> Outcome:
    with torch.no_grad(), torch.random.fork_rng(devices=[]), on_threads(next(iter(made.values())).threads):
        torch.manual_seed(0)
        return chosen.measure(config, made)


def _write_figures(folder: Path, outcome: Outcome) -> None:
    for name, figure in outcome.figures.items():
        with whole_file(folder / f"{name}.svg") as file:
            figure.savefig(file, format="svg", metadata={"Date": None})
