"""`regard train`, `runs`, `resume` and `evaluate`: parse, call, print."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.words import bad_input, show

if TYPE_CHECKING:
    from regard.recipes import Run

Folder = Annotated[Path, typer.Option("--runs", metavar="FOLDER", help="Where the folders of runs lie.")]
RunName = Annotated[
    str, typer.Argument(metavar="RUN", help="The name of a run, as regard runs tells it, or its folder.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")]


def train(
    recipe: Annotated[str, typer.Argument(metavar="RECIPE", help="What to train: reversal.")],
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change the recipe: training.steps=100; repeatable."),
    ] = None,
    smoke: Annotated[bool, typer.Option("--smoke", help="A version of seconds, whose numbers mean nothing.")] = False,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Of the run; by default RECIPE-1, -2, …")] = None,
    folder: Folder = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """Train by a recipe: models, measurements, figures and a report, in a folder of its own.

    A run that is stopped, however, goes on with `regard resume`, as if it had not been. [b]Examples[/b]:

    regard train reversal

    regard train reversal --set training.steps=500 --set hidden=32
    """
    with bad_input():
        from regard.recipes import begin, changed, new_name, plain
        from regard.recipes import recipe as named

        chosen = named(recipe)
        config = changed(chosen.smoke if smoke else chosen.config, changes or [])
        words = [*(f"--set {change}" for change in changes or []), *(["--smoke"] if smoke else [])]
        place = folder / (name or new_name(folder, recipe))
        run = begin(place, recipe, plain(config), " ".join(["regard train", recipe, *words]))
        _cook(run)
    _show(run, as_json)


def resume(run: RunName, folder: Folder = Path("runs"), as_json: AsJson = False) -> None:
    """Go on with a run from its last checkpoint, bit for bit as if it had not stopped."""
    with bad_input():
        found = _found(run, folder)
        if found.result is None:
            _cook(found)
    _show(found, as_json)


def runs(folder: Folder = Path("runs"), as_json: AsJson = False) -> None:
    """Say what was trained, how far it is, and with what result."""
    from rich.table import Table

    with bad_input():
        from regard.recipes import all_runs

        found = all_runs(folder)
    if as_json:
        plain = [{"run": run.name, "recipe": run.recipe, "started": run.started, "result": run.result} for run in found]
        typer.echo(json.dumps(plain, indent=1))
        return
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for head in ("run", "started", "how far", "command"):
        table.add_column(head)
    for run in found:
        steps = ", ".join(f"{name} {step:,}" for name, step in run.progress().items())
        table.add_row(run.name, run.started, "done" if run.result is not None else steps or "begun", run.command)
    show(table if found else f"no runs in {folder}; begin one with regard train reversal")


def evaluate(run: RunName, folder: Folder = Path("runs"), as_json: AsJson = False) -> None:
    """Print the report of a run that is done."""
    with bad_input():
        found = _found(run, folder)
        if found.result is None:
            raise ValueError(f"{found.name} must be done: it is not; use regard resume {found.name}")
    _show(found, as_json)


def _found(name: str, folder: Path) -> "Run":
    from regard.recipes import all_runs, find

    for place in (Path(name), folder / name):
        if (place / "run.json").is_file():
            return find(place)
    known = ", ".join(run.name for run in all_runs(folder)) or "none"
    raise ValueError(f"no run is called {name!r} in {folder}: there is {known}")


def _cook(run: "Run") -> None:
    from regard.recipes import rebuilt
    from regard.recipes import recipe as named

    chosen = named(run.recipe)
    try:
        with _watching() as watch:
            chosen.cook(rebuilt(type(chosen.config), run.config), run, watch)
    except ImportError as error:  # it says what to install
        raise ValueError(str(error)) from error
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

        def watch(name: str, steps: int, progress: Any, numbers: Mapping[str, float]) -> None:
            if name not in tasks:
                tasks[name] = bars.add_task(name, total=steps, completed=progress.step - 1, said="")
            task = next(task for task in bars.tasks if task.id == tasks[name])
            rate = "" if task.speed is None else f", {task.speed:.0f} steps/s"
            bars.update(tasks[name], completed=progress.step, said=f"loss {numbers['loss']:.4f}{rate}")

        yield watch


def _show(run: "Run", as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"run": run.name, "folder": str(run.folder), "numbers": run.result}))
        return
    from rich.markdown import Markdown

    text = (run.folder / "report.md").read_text(encoding="utf-8")
    show(Markdown("\n".join(line for line in text.splitlines() if not line.startswith("!["))), f"in {run.folder}")
