"""What commands print and write: lines, tables, progress, whole files, and one line for input they cannot use."""

import contextlib
import inspect
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer


class BadInput(Exception):  # noqa: N818 - named by what came
    """The user gave something that cannot be used; it has the form of Typer's own errors."""

    exit_code = 2

    def format_message(self) -> str:
        return str(self)


@contextlib.contextmanager
def bad_input() -> Iterator[None]:
    """Tell what is wrong with the user's input in one line; a mistake of ours deserves its traceback."""
    from regard.checks import MissingExtra

    try:
        yield
    except (ValueError, MissingExtra) as error:
        raise BadInput(str(error)) from error
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        raise BadInput(f"{where}{error.strerror or error}") from error


class OutputLost(Exception):  # noqa: N818 - named by what happened
    """Standard output takes no more: its reader has gone, or its disk is full."""


@contextlib.contextmanager
def printing() -> Iterator[None]:
    """Tell an error of standard output from those of the files that a command reads and writes."""
    try:
        yield
    except OSError as error:
        raise OutputLost from error


def echo(text: str = "", nl: bool = True) -> None:
    """Print a text at once."""
    with printing():
        typer.echo(text, nl=nl)


def in_paragraphs(text: str | None) -> str:
    """A docstring for help: Typer would end lines where ours end, in the middle of the terminal's."""
    paragraphs = inspect.cleandoc(text or "").split("\n\n")
    return "\n\n".join([" ".join(paragraph.split()) for paragraph in paragraphs])


def show(*parts: Any) -> None:
    """Print what Rich draws."""
    from rich.console import Console

    with printing():
        for part in parts:
            Console(highlight=False).print(part)


def show_result(result: Any, as_json: bool) -> None:
    """Print a result that has both forms."""
    if as_json:
        echo(result.json())
    else:
        show(result.rich())


@contextlib.contextmanager
def progress_bar(doing: str) -> Iterator[Callable[[int, int | None], None]]:
    """A progress bar on stderr, if that is a terminal; the elapsed time shows that slow work is alive."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(doing, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def check_file(option: str, path: Path | None, endings: Sequence[str] = ()) -> None:
    """Raise unless a file can be written there: asked before the work, not after it."""
    if path is None:
        return
    if endings and path.suffix.lower() not in endings:
        raise ValueError(
            f"{option} must name a file that ends in {' or '.join(endings)}: got {str(path)!r}; "
            f"use {path.stem}{endings[0]}"
        )
    if path.is_dir():
        raise ValueError(f"{option} must name a file: got the folder {str(path)!r}; add a name")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"{option} must name a file in a folder that exists: got {str(path)!r}; make the folder")


def write_file(path: Path, content: str | bytes) -> None:
    """Write all of a file or nothing: a full disk leaves what was there, and the error names the path."""
    from regard.tasks.files import write_atomically

    data = content.encode() if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():  # a pipe or a device has no other name to be written under
            path.write_bytes(data)
            return
        with write_atomically(path.resolve()) as file:  # where a link leads, the link stays
            file.write(data)
    except OSError as error:
        raise ValueError(f"{path} could not be written: {error.strerror or error}; nothing was changed") from error


def write_figure(path: Path, figure: Any) -> None:
    """Write a figure in the format that the file's ending names."""
    format = path.suffix.lower().removeprefix(".")
    drawn = io.BytesIO()
    figure.savefig(drawn, format=format, metadata={"Date": None} if format == "svg" else None)
    write_file(path, drawn.getvalue())
