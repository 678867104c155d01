"""`regard train`, `runs`, `resume` and `evaluate`: parse, call, print."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.commands.output import bad_input, show

if TYPE_CHECKING:
    from regard.recipes import Run

Folder = Annotated[Path, typer.Option("--runs", metavar="FOLDER", help="Where the folders of runs lie.")]
RunName = Annotated[
    str, typer.Argument(metavar="RUN", help="The name of a run, as regard runs tells it, or its folder.")
]
Device = Annotated[
    str | None, typer.Option("--device", metavar="DEVICE", help="cpu or cuda; by default a GPU where there is one.")
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
    smoke: Annotated[bool, typer.Option("--smoke", help="A version of seconds, whose numbers mean nothing.")] = False,
    settings: Annotated[bool, typer.Option("--settings", help="Say what can be changed, and train nothing.")] = False,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Of the run; by default RECIPE-1, -2, …")
    ] = None,
    device: Device = None,
    folder: Folder = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Train by a recipe: models, measurements, figures and a report, in a folder of its own.

    A run that is stopped, however, goes on with `regard resume`, as if it had not been. [b]Examples[/b]:

    regard train reversal

    regard train reversal --set training.steps=500 --set hidden=32
    """
    with bad_input():
        from regard.recipes import changed, new_name, order
        from regard.recipes import recipe as named

        given = {"--set": changes, "--data": data, "--smoke": smoke, "--settings": settings, "--name": name}
        if recipe is None:
            if useless := [word for word, value in given.items() if value]:
                raise ValueError(f"{useless[0]} is of a recipe: got none; regard train lists them")
            return _list()
        if settings:
            if useless := [word for word in ("--data", "--name") if given[word]]:
                raise ValueError(f"--settings trains nothing: got {useless[0]}; leave it out")
            chosen = named(recipe)
            return _list_settings(changed(chosen.smoke if smoke else chosen.config, changes or []))
        if name is not None and Path(name).name != name:
            raise ValueError(f"a run's name is no path: got {name!r}; use --runs FOLDER --name NAME")
        where = _device(device)
        with _imports_said(), _watching() as (_, told):
            place = folder / (name or new_name(folder, recipe))
            run = order(recipe, place, smoke=smoke, changes=changes or [], data=data, device=where, told=told)
        _cook(run, where)
        return _show(run, as_json)


def resume(
    run: RunName,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Go on otherwise: training.descent.rate=1e-4; repeatable."),
    ] = None,
    device: Device = None,
    folder: Folder = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Go on with a run from its last checkpoint, bit for bit as if it had not stopped.

    It goes on where it began, on the CPU or a GPU, unless told otherwise.
    """
    with bad_input():
        from regard.recipes import change

        found = _found(run, folder)
        if changes and found.result is not None:
            raise ValueError(f"{found.name} must not be done to go on otherwise: it is; train it anew")
        if found.result is None:
            found = change(found, changes) if changes else found
            _cook(found, _device(device or found.device))
        _show(found, as_json)


def runs(folder: Folder = Path("runs"), as_json: AsJson = False) -> None:
    """Say what was trained, how far it is, and with what result."""
    from rich.table import Table

    with bad_input():
        from regard.recipes import listed

        found, wrong = listed(folder)
    if as_json:
        plain: list[dict[str, Any]] = [
            {"run": run.name, "recipe": run.recipe, "command": run.command, "started": run.started, "state": run.state}
            | {"steps": run.progress(), "headline": run.headline, "result": run.result}
            for run in found
        ]
        plain += [{"run": name, "state": "unreadable", "why": why} for name, why in wrong.items()]
        typer.echo(json.dumps(plain, indent=1))
        return
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for head in ("run", "started", "state", "result"):
        table.add_column(head)
    for run in found:
        steps = ", ".join(f"{name} {step:,}" for name, step in run.progress().items())
        table.add_row(run.name, run.started[:16].replace("T", " "), run.state, run.headline or steps or "begun")
    for unreadable, why in wrong.items():
        table.add_row(unreadable, "", "unreadable", why)
    show(table if found or wrong else f"no runs in {folder}; begin one with regard train reversal")


def evaluate(
    run: RunName,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Measure otherwise: lengths=24,32; repeatable."),
    ] = None,
    device: Device = None,
    folder: Folder = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Measure the models of a run again, from their last checkpoints; it may be training meanwhile.

    Nothing of the run is written. [b]Example[/b]:

    regard evaluate reversal-1 --set lengths=24,32
    """
    with bad_input():
        from regard.recipes import measure, page

        found = _found(run, folder)
        where = _device(device or found.device)
        with _imports_said(), _warnings_said():
            outcome, made = measure(found, changes or [], where)
        text = page(found, outcome, made, where)
    if as_json:
        typer.echo(json.dumps({"run": found.name, "folder": str(found.folder), "numbers": dict(outcome.numbers)}))
        return
    _print(text)


def _found(name: str, folder: Path) -> "Run":
    from regard.recipes import all_runs, find

    for place in (Path(name), folder / name):
        if (place / "run.json").is_file():
            return find(place)
    known = ", ".join(run.name for run in all_runs(folder)) or "none"
    raise ValueError(f"no run is called {name!r} in {folder}: there is {known}")


def _list() -> None:
    from rich.table import Table

    from regard.recipes import NAMES
    from regard.recipes import recipe as named

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    for name in NAMES:
        table.add_row(f"[b]{name}[/b]", named(name).about)
    show(table, "regard train RECIPE --settings says what can be changed; --smoke tries it in seconds")


def _list_settings(config: Any) -> None:
    for name, value in _flat(config):
        typer.echo(f"{name}={value}")


def _flat(config: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    from dataclasses import fields, is_dataclass

    for field in fields(config):
        value = getattr(config, field.name)
        if is_dataclass(value):
            yield from _flat(value, f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.name}", ",".join(map(str, value)) if isinstance(value, tuple) else value


def _device(name: str | None) -> str:
    import torch

    if name is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        kind = torch.device(name).type
    except RuntimeError as error:
        raise ValueError(f"device must be cpu or cuda: got {name!r}") from error
    if kind not in ("cpu", "cuda") or (kind == "cuda" and not torch.cuda.is_available()):
        raise ValueError(f"device must be one that is there: got {name!r}; use cpu")
    return name


@contextmanager
def _imports_said() -> Iterator[None]:
    """An extra that is not installed says how to install it: that is all a user needs."""
    try:
        yield
    except ImportError as error:
        raise ValueError(str(error)) from error


@contextmanager
def _warnings_said() -> Iterator[None]:
    """In a line of their own, without the place in the code."""
    import warnings

    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: typer.echo(f"warning: {message}", err=True)
        yield


def _cook(run: "Run", device: str) -> None:
    from regard.recipes import cook

    try:
        with _imports_said(), _warnings_said(), _watching() as (watch, told):
            cook(run, watch, device, told)
    except KeyboardInterrupt:
        typer.echo(f"stopped; go on with: regard resume {run.folder}", err=True)
        raise typer.Exit(130) from None


@contextmanager
def _watching() -> Iterator[Any]:
    """A bar for every training, with its rate, its loss and the time that is left, where somebody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[said]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks: dict[str, Any] = {}
        drawn = 0.0

        def watch(name: str, steps: int, progress: Any, numbers: Mapping[str, float]) -> None:
            nonlocal drawn
            if time.monotonic() < drawn + 0.1 and name in tasks and progress.step < steps:
                return  # nobody sees more, and a bar takes a tenth of a millisecond
            drawn = time.monotonic()
            if name not in tasks:
                for done in tasks.values():  # thirty bars are more than a terminal has lines
                    bars.update(done, visible=False)
                tasks[name] = bars.add_task(name, total=steps, completed=progress.step - 1, said="")
            task = next(task for task in bars.tasks if task.id == tasks[name])
            rate = "" if task.speed is None else f", {task.speed:.0f} steps/s"
            bars.update(tasks[name], completed=progress.step, said=f"loss {numbers['loss']:.4f}{rate}")

        def told(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total, said="")
            bars.update(tasks[what], completed=done, total=total)

        yield watch, told


def _show(run: "Run", as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"run": run.name, "folder": str(run.folder), "numbers": run.result}))
        return
    _print((run.folder / "report.md").read_text(encoding="utf-8"))
    show(f"in {run.folder}")


def _print(text: str) -> None:
    """A report without its figures, which a terminal does not show."""
    from rich.markdown import Markdown

    show(Markdown("\n".join(line for line in text.splitlines() if not line.startswith("!["))))
