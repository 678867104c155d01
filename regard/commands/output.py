"""What the commands share: sizes, types and devices as options, bad input in one line, a bar for long work."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

import typer


class BadInput(Exception):  # noqa: N818 - named by what came
    """What the user gave cannot be used; in the form of Typer's own errors."""

    exit_code = 2

    def format_message(self) -> str:
        return str(self)


@contextlib.contextmanager
def bad_input() -> Iterator[None]:
    """What is wrong with the user's words, as opposed to a mistake of ours, which deserves its traceback."""
    try:
        yield
    except BrokenPipeError:  # nobody reads on, which is nobody's mistake
        raise
    except (ValueError, OSError) as error:
        raise BadInput(str(error)) from error


@contextlib.contextmanager
def bar(says: str) -> Iterator[Callable[[int, int | None], None]]:
    """A progress bar on stderr, where somebody looks at it."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(says)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def show(*parts: Any) -> None:
    """Print what Rich draws."""
    from rich.console import Console

    for part in parts:
        Console(highlight=False).print(part)


def size(help: str) -> Any:
    return typer.Option(min=1, metavar="N", help=help)


Number = Annotated[
    Literal["bfloat16", "float16", "float32", "float64"] | None,
    typer.Option(
        metavar="TYPE", help="bfloat16, float16, float32 or float64; by default bfloat16 on a GPU, float32 on a CPU."
    ),
]
Device = Annotated[
    str | None, typer.Option(metavar="NAME", help="cpu, cuda or h200, present or not; by default this machine.")
]
