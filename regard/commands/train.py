"""`regard train`, `runs`, `resume` and `evaluate`: recipes, and the runs that they leave."""

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.commands.options import Device, Runs, present_device, refuse
from regard.commands.output import bad_input, echo, show

if TYPE_CHECKING:
    from regard.recipes import Plan, Run
    from regard.recipes.recipe import Size
    from regard.training import Processes

LINE_EVERY = 10.0  # seconds between two lines of progress where there is no terminal to draw bars on
RunName = Annotated[
    str, typer.Argument(metavar="RUN", help="The name of a run, as regard runs prints it, or its folder.")
]
Jobs = Annotated[
    int,
    typer.Option("--jobs", metavar="N", min=1, help="Train so many models of the run at a time, each by a process."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")]


def train(
    recipe: Annotated[
        str | None, typer.Argument(metavar="RECIPE", help="What to train; without one, all recipes are listed.")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change the recipe: training.steps=100; repeatable."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data", metavar="PATH", help="A text, or images: a folder or tar of classes, CIFAR, MNIST, hf:NAME."
        ),
    ] = None,
    smoke: Annotated[
        bool,
        typer.Option("--smoke", help="Try it in seconds, with --data in a minute or two; the numbers mean nothing."),
    ] = False,
    small: Annotated[
        bool, typer.Option("--small", help="A small version, in about a minute, that shows the effect.")
    ] = False,
    fast: Annotated[bool, typer.Option("--fast", help="The same models with a shorter training.")] = False,
    settings: Annotated[bool, typer.Option("--settings", help="List what can be changed, and train nothing.")] = False,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Name of the run; by default RECIPE-1, -2, …")
    ] = None,
    jobs: Jobs = 1,
    device: Device = None,
    folder: Runs = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Train by a recipe: models, measurements, figures and a report, in a folder of its own.

    A run that was stopped in any way goes on with `regard resume` as if it had not been. [b]Examples[/b]:

    regard train reversal

    regard train reversal --set training.steps=500 --set hidden=32
    """
    with bad_input():
        from regard.recipes import find_recipe, override

        sizes: dict[Size, bool] = {"smoke": smoke, "small": small, "fast": fast}
        given = {"--set": changes, "--data": data, **{f"--{one}": value for one, value in sizes.items()}}
        given |= {"--settings": settings, "--name": name}
        if recipe is None:
            if useless := [option for option, value in given.items() if value]:
                raise ValueError(f"{useless[0]} needs a recipe: got none; regard train lists them")
            _list_recipes(as_json)
            return
        chosen: list[Size] = [one for one, is_chosen in sizes.items() if is_chosen]
        if len(chosen) > 1:
            raise ValueError(f"--{chosen[0]} and --{chosen[1]} are two sizes: got both; leave one out")
        size: Size = chosen[0] if chosen else "full"
        if settings:
            refuse("--settings trains nothing", {"--data": data, "--name": name})
            _list_settings(override(find_recipe(recipe).at(size), changes or []), as_json)
            return
        if name is not None and Path(name).name != name:
            raise ValueError(f"--name must be a name, not a path: got {name!r}; use --runs FOLDER --name NAME")
        with _join(device) as (where, everybody):
            with show_progress(everybody.is_first) as (_, on_data):
                options = {"size": size, "changes": changes or [], "data": data, "on_data": on_data}
                plan = _begin(recipe, folder, name, where, everybody, options)
            _train(plan.run, where, everybody, jobs, plan)
            if everybody.is_first:
                _show_report(plan.run, as_json)


def _begin(
    recipe: str, folder: Path, name: str | None, device: str, everybody: "Processes", options: dict[str, Any]
) -> "Plan":
    """Start a run, or go on with it where `torchrun` has started this command again; the first process writes."""
    from regard.recipes import next_name, plan_run, read_run, start_run
    from regard.training.distribution import is_restarted, may_restart

    if name is None and may_restart():
        raise ValueError("--max-restarts of torchrun needs the name of the run: got none; add --name NAME")
    started: list[Plan] = []

    def start() -> str:
        place = folder / (name or next_name(folder, recipe))
        if not (is_restarted() and (place / "run.json").is_file()):
            own = device if everybody.is_alone else device.partition(":")[0]  # which of a machine's GPUs, it is told
            started.append(start_run(recipe, place, device=own, **options))
        return str(place)

    place = Path(everybody.by_first(start))
    return started[0] if started else plan_run(read_run(place), on_data=options["on_data"])


@contextmanager
def _join(device: str | None) -> Iterator[tuple[str, "Processes"]]:
    """The device of this process, and the processes that `torchrun` started; the first speaks for all."""
    from regard.training import Processes, join_processes
    from regard.training.distribution import Ended

    try:
        with join_processes(present_device(device)) as where:
            yield where, Processes.of(None, where)
    except Ended:
        raise typer.Exit(2) from None


def resume(
    run: RunName,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a setting: training.descent.rate=1e-4; repeatable."),
    ] = None,
    jobs: Jobs = 1,
    device: Device = None,
    folder: Runs = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Continue a run from its last checkpoint, bit for bit as if it had not stopped.

    It continues on the device where it began, unless told otherwise.
    """
    with bad_input():
        from regard.recipes import change_run, read_run
        from regard.training.distribution import is_restarted

        found = _find_run(run, folder)
        if changes and found.result is not None:
            raise ValueError(f"a run that is done has no settings to change: got {found.name}; train it anew")
        with _join(device or found.device) as (where, everybody):
            if changes and not is_restarted():
                everybody.by_first(lambda: change_run(found, changes) and None)
                found = read_run(found.folder)
            if found.result is None:
                _train(found, where, everybody, jobs)
            if everybody.is_first:
                _show_report(found, as_json)


def runs(folder: Runs = Path("runs"), as_json: AsJson = False) -> None:
    """List what was trained, how far it is, and with what result."""
    with bad_input():
        from regard.recipes import list_runs

        found, unreadable = list_runs(folder)
    if as_json:
        facts: list[dict[str, Any]] = [
            {"run": run.name, "recipe": run.recipe, "command": run.command, "size": run.size, "started": run.started}
            | {"state": run.state, "steps": run.progress(), "headline": run.headline, "result": run.result}
            for run in found
        ]
        facts += [{"run": name, "state": "unreadable", "why": why} for name, why in unreadable.items()]
        echo(json.dumps(facts, indent=1))
        return
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("run", no_wrap=True)  # resume takes the whole name
    for head in ("started", "state", "result"):
        table.add_column(head)
    for run in found:
        steps = ", ".join(f"{name} {step:,}" for name, step in run.progress().items())
        state = run.state if run.size == "full" else f"{run.state}, {run.size}"
        table.add_row(run.name, run.started[:16].replace("T", " "), state, run.headline or steps or "begun")
    for name, why in unreadable.items():
        table.add_row(name, "", "unreadable", why)
    show(table if found or unreadable else f"no runs in {folder}; begin one with regard train reversal")


def evaluate(
    run: RunName,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change how it is measured, not what was trained: lengths=24,32; repeatable.",
        ),
    ] = None,
    device: Device = None,
    folder: Runs = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Measure the models of a run again, from their last checkpoints; it may be training meanwhile.

    Nothing of the run is written. [b]Example[/b]:

    regard evaluate reversal-1 --set lengths=24,32
    """
    with bad_input():
        from regard.recipes import plan_run
        from regard.training.checkpoints import Unfit

        found = _find_run(run, folder)
        where = present_device(device or found.device)
        with print_warnings():
            plan = plan_run(found, changes or [])
            try:
                outcome, models = plan.evaluate(where)
            except Unfit as error:
                if not changes:
                    raise
                raise ValueError(
                    f"--set must leave the models as {found.name} trained them: got {', '.join(changes)}; change only "
                    f"how they are measured, such as lengths=24,32 of reversal ({error})"
                ) from error
        text = plan.report(outcome, models, where)
    if as_json:
        echo(json.dumps({"run": found.name, "folder": str(found.folder), "numbers": dict(outcome.numbers)}))
        return
    _show_markdown(text)


def _find_run(name: str, folder: Path) -> "Run":
    from regard.recipes import list_runs, read_run

    for place in (Path(name), folder / name):
        if (place / "run.json").is_file():
            return read_run(place)
    known = ", ".join(run.name for run in list_runs(folder)[0]) or "none"
    raise ValueError(f"no run is called {name!r} in {folder}: there is {known}")


def _list_recipes(as_json: bool) -> None:
    from regard.recipes import NAMES, find_recipe

    about = {name: find_recipe(name).about for name in NAMES}
    if as_json:
        echo(json.dumps(about, indent=1, ensure_ascii=False))
        return
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    for name, text in about.items():
        table.add_row(f"[b]{name}[/b]", text)
    show(table, "regard train RECIPE --settings lists what can be changed; --smoke tries it in seconds")


def _list_settings(config: Any, as_json: bool) -> None:
    from regard.recipes.recipe import list_settings, write_setting

    settings = dict(list_settings(asdict(config)))
    if as_json:
        echo(json.dumps(settings, indent=1, default=str))
        return
    for name, value in settings.items():
        echo(f"{name}={write_setting(value)}")


def _train(run: "Run", device: str, everybody: "Processes", jobs: int, plan: "Plan | None" = None) -> None:
    from regard.recipes import plan_run

    try:
        with print_warnings(), show_progress(everybody.is_first) as (on_step, on_data):
            plan = plan or plan_run(run, on_data=on_data)
            plan.train(on_step, device, jobs)
    except KeyboardInterrupt:
        typer.echo(f"regard: stopped; continue with: regard resume {run.folder}", err=True)
        raise typer.Exit(130) from None


@contextmanager
def print_warnings() -> Iterator[None]:
    """Print each warning as a line of its own, without its place in the code."""
    import warnings

    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: typer.echo(f"warning: {message}", err=True)
        yield


OnStep = Callable[[str, int, Any, Mapping[str, float]], None]
OnData = Callable[[str, int, int], None]


@contextmanager
def show_progress(is_shown: bool = True) -> Iterator[tuple[OnStep, OnData]]:
    """Show each training on stderr: a bar in a terminal, elsewhere a line now and then."""
    from rich.console import Console

    if not is_shown:
        yield lambda *_: None, lambda *_: None
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        lines = Lines()
        yield lines.on_step, lines.on_data
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    text, numbers = TextColumn("{task.description}"), TextColumn("{task.fields[numbers]}")
    columns = (text, BarColumn(), MofNCompleteColumn(), numbers, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bars = Bars(progress)
        yield bars.on_step, bars.on_data


class Bars:
    """A bar for the training that goes on, with its loss, its rate and the time that is left."""

    def __init__(self, progress: Any) -> None:
        self.progress = progress
        self.tasks: dict[str, Any] = {}
        self.drawn = 0.0

    def on_step(self, name: str, steps: int, at: Any, numbers: Mapping[str, float]) -> None:
        if time.monotonic() < self.drawn + 0.1 and name in self.tasks and at.step < steps:
            return  # nobody sees more, and a bar takes a tenth of a millisecond
        self.drawn = time.monotonic()
        if name not in self.tasks:
            for done in [task for task in self.progress.tasks if task.finished]:
                self.progress.update(done.id, visible=False)  # thirty bars are more than a terminal has lines
            self.tasks[name] = self.progress.add_task(name, total=steps, completed=at.step - 1, numbers="")
        task = next(task for task in self.progress.tasks if task.id == self.tasks[name])
        rate = "" if task.speed is None else f", {task.speed:.0f} steps/s"
        self.progress.update(task.id, completed=at.step, numbers=f"loss {numbers['loss']:.4f}{rate}")

    def on_data(self, what: str, done: int, total: int) -> None:
        if what not in self.tasks:
            self.tasks[what] = self.progress.add_task(what, total=total, numbers="")
        self.progress.update(self.tasks[what], completed=done, total=total)


class Lines:
    """A line when a training begins and ends, and every ten seconds between: for logs, which keep no bars."""

    def __init__(self) -> None:
        self.printed: dict[str, float] = {}

    def on_step(self, name: str, steps: int, at: Any, numbers: Mapping[str, float]) -> None:
        if self.is_due(name, at.step == steps):
            self.print(f"{name}: step {at.step:,} of {steps:,}, loss {numbers['loss']:.4f}")

    def on_data(self, what: str, done: int, total: int) -> None:
        if self.is_due(what, done == total):
            self.print(f"{what}: {done:,} of {total:,}")

    def is_due(self, name: str, is_last: bool) -> bool:
        if name in self.printed and not is_last and time.monotonic() < self.printed[name] + LINE_EVERY:
            return False
        self.printed[name] = time.monotonic()
        return True

    def print(self, line: str) -> None:
        with contextlib.suppress(OSError):  # a training goes on although nobody reads its log
            print(line, file=sys.stderr, flush=True)


def _show_report(run: "Run", as_json: bool) -> None:
    if as_json:
        echo(json.dumps({"run": run.name, "folder": str(run.folder), "numbers": run.result}))
        return
    _show_markdown((run.folder / "report.md").read_text(encoding="utf-8"))
    show(f"in {run.folder}")


def _show_markdown(text: str) -> None:
    """A report without its figures, which a terminal does not show."""
    from rich.markdown import Markdown

    show(Markdown("\n".join(line for line in text.splitlines() if not line.startswith("!["))))
