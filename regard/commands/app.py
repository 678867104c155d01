"""The application: its commands by name, and how each of them ends.

What computes is imported inside the commands, so that help, the version and shell completion don't wait for torch.
Exit codes: 0; 1 if a check failed or nobody takes the output; 2 for input that cannot be used; 130 after Ctrl-C.
"""

import contextlib
import io
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from regard.commands.bench import bench
from regard.commands.claims import claims
from regard.commands.cost import cost
from regard.commands.explore import explore
from regard.commands.grade import autograder, grade, questions
from regard.commands.models import classify, embed, generate, translate
from regard.commands.options import Svg
from regard.commands.output import OutputLost, bad_input, echo, in_paragraphs, printing, write_file
from regard.commands.plan import calibrate, doctor, plan
from regard.commands.reach import pattern, reach
from regard.commands.train import evaluate, resume, runs, train


class Application(TyperGroup):
    """Commands that end in one line on stderr and an exit code, never in a box or a traceback."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a terminal without ▶ shows ? rather than nothing
        try:
            result = super().main(*args, standalone_mode=False, **extra)
            sys.stdout.flush()
        except (OutputLost, OSError) as error:
            cause = error.__cause__ if isinstance(error, OutputLost) else error
            if not isinstance(cause, OSError) or cause.filename is not None:
                raise  # help is printed by Typer; an error of any other file is a mistake of ours
            end_output()
            if not isinstance(cause, BrokenPipeError):  # whoever closes a pipe wants no more
                typer.echo(f"regard: standard output could not be written: {cause.strerror}", err=True)
            sys.exit(1)
        except typer.Abort:
            typer.echo("regard: stopped", err=True)
            sys.exit(130)
        except Exception as error:
            # Typer's own errors share no public class; each brings its message and its exit code.
            if not hasattr(error, "format_message"):
                raise
            told: Any = error
            typer.echo(f"regard: {' '.join(told.format_message().split())}", err=True)
            sys.exit(told.exit_code)
        sys.exit(result if isinstance(result, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise typer.Abort from error


def end_output() -> None:
    """Let what is left in the buffer go nowhere: Python would fail to write it once more when it exits."""
    with contextlib.suppress(OSError, ValueError):  # no file behind it, as in tests
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


app = typer.Typer(
    cls=Application,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        echo(f"regard {version('regard')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Say what attention you mean. Get the fastest exact way to compute it, and what it costs."""
    if context.invoked_subcommand is None:
        echo(context.get_help())


def tour(svg: Svg = None) -> None:
    """Walk through a worked example, two attention maps and a plan, in a minute.

    Every number is computed on the spot and compared with the published one; exit code 1 if one differs.
    """
    with bad_input():
        from rich.console import Console

        from regard.commands.tour import draw_svg, run

        if svg is not None:
            write_file(svg, draw_svg())
    with printing():
        agrees = run(Console(highlight=False))
    if not agrees:
        raise typer.Exit(1)


for command in (
    *(plan, pattern, tour, reach, explore),
    *(claims, questions, grade, autograder),
    *(train, runs, resume, evaluate),
    *(cost, doctor, calibrate, classify, embed, generate, translate),
):
    app.command(help=in_paragraphs(command.__doc__))(command)
app.add_typer(bench, name="bench")
