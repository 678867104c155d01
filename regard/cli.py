"""The command line: parse, call, print. What computes is imported when a command runs, so that help comes at once."""

import contextlib
import io
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from regard.algorithms import Plan
    from regard.attention import Attention

LARGEST = 2**60  # numbers in one tensor: beyond it torch cannot count the bytes


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
    except (ValueError, OSError) as error:
        raise BadInput(str(error)) from error


class Commands(TyperGroup):
    """Commands whose bad input ends in one line on stderr and exit code 2, never in a box or a traceback."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a terminal without ▶ shows ? rather than nothing
        try:
            result = super().main(*args, standalone_mode=False, **extra)
        except typer.Abort:
            typer.echo("regard: stopped", err=True)
            sys.exit(1)
        except Exception as error:
            # Typer's own errors share no public class; each brings its message and its exit code.
            if not hasattr(error, "format_message"):
                raise
            shown: Any = error
            typer.echo(f"regard: {' '.join(shown.format_message().split())}", err=True)
            sys.exit(shown.exit_code)
        sys.exit(result if isinstance(result, int) else 0)


app = typer.Typer(cls=Commands, add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"regard {version('regard')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Say what attention you mean. Get the fastest exact way to compute it, and what it costs."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _size(help: str) -> Any:
    return typer.Option(min=1, metavar="N", help=help)


Mask = Annotated[
    str,
    typer.Option(
        metavar="TEXT",
        help="Who may attend to whom: everything, causal, window(before, after), strided(n), "
        "key_padding(length, …), padding(length, …), joined by & | ~ and parentheses.",
    ),
]
Scores = Annotated[
    str, typer.Option(metavar="TEXT", help="What is scored: content, content(beta=0.3), slopes, joined by +.")
]
Lengths = Annotated[
    str | None,
    typer.Option(
        metavar="N,N,…", help="A padded batch: real tokens per row, as 512,1024,4096. Adds padding(…) to the mask."
    ),
]
Number = Annotated[
    Literal["bfloat16", "float16", "float32", "float64"] | None,
    typer.Option(
        metavar="TYPE", help="bfloat16, float16, float32 or float64; by default bfloat16 on a GPU, float32 on a CPU."
    ),
]
Device = Annotated[
    str | None, typer.Option(metavar="NAME", help="cpu, cuda or h200, present or not; by default this machine.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print chosen, device, dtype, backward, shape, attention, candidates as JSON.")
]


@app.command()
def plan(
    batch: Annotated[int | None, _size("Rows B; by default one per length given, or 4.")] = None,
    heads: Annotated[int, _size("Heads H.")] = 16,
    groups: Annotated[int | None, _size("Key-value heads G, a divisor of the heads; by default all of them.")] = None,
    tokens: Annotated[int | None, _size("Queries T; by default the longest length given, or 4096.")] = None,
    keys: Annotated[int | None, _size("Keys S; by default as many as queries.")] = None,
    width: Annotated[int, _size("Width D of a head's queries and keys.")] = 64,
    value_width: Annotated[int | None, _size("Width E of a head's values; by default D.")] = None,
    mask: Mask = "everything",
    scores: Scores = "content",
    hard: Annotated[bool, typer.Option("--hard", help="One-hot at the largest logit instead of softmax.")] = False,
    lengths: Lengths = None,
    dtype: Number = None,
    device: Device = None,
    backward: Annotated[bool, typer.Option("--backward/--forward-only", help="Count the way back too, or not.")] = True,
    dropout: Annotated[float, typer.Option(metavar="P", help="Probability of dropping a weight.")] = 0.0,
    lse: Annotated[bool, typer.Option("--lse", help="Ask for the log-sum-exp of the logits too.")] = False,
    as_json: Json = False,
) -> None:
    """Show every algorithm's cost or reason to refuse, and which one [b]attend[/b] would choose.

    Nothing is computed: a plan for a machine that you don't have costs nothing.

    [b]Examples[/b]

    regard plan

    regard plan --mask "causal & window(256)" --tokens 16384 --device h200

    regard plan --lengths 512,1024,2048,4096 --mask causal

    regard plan --heads 32 --groups 8 --keys 8192 --tokens 1 --forward-only --json
    """
    with bad_input():
        device = _this_machine() if device is None else device.lower()
        attention = _attention(mask, scores, lengths, heads, hard)
        rows, longest = _batch_of(attention)
        T = tokens or longest or 4096
        sizes = (batch or rows or 4, heads, groups or heads, T, keys or T, width, value_width or width)
        result = _planned(sizes, attention, dtype, device, backward, dropout, lse)
    if as_json:
        typer.echo(result.json())
        return
    from rich.console import Console

    from regard.algorithms.report import rich_table

    Console(highlight=False).print(rich_table(result))


@app.command()
def tour(
    svg: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also draw the maps and the plan into this SVG file.", show_default=False),
    ] = None,
) -> None:
    """Walk through a worked example, two attention maps and a plan, in a minute.

    Every number is computed on the spot and checked against the published one; exit code 1 if one differs.
    """
    from rich.console import Console

    from regard.tour import picture, run

    if svg is not None:
        with bad_input():
            svg.write_text(picture(), encoding="utf-8")
    agrees = run(Console(highlight=False))
    if not agrees:
        raise typer.Exit(1)


def _this_machine() -> str:
    import torch

    from regard.algorithms.ceilings import table_of

    return table_of(torch.device("cuda" if torch.cuda.is_available() else "cpu")).name


def _attention(mask: str, scores: str, lengths: str | None, heads: int, hard: bool) -> "Attention":
    from regard.attention import Attention, Everything, Hard, Padding, Softmax
    from regard.attention.notation import parse_mask, parse_scores

    visible = parse_mask(mask)
    if lengths is not None:
        padding = Padding(_whole_numbers(lengths))
        visible = padding if isinstance(visible, Everything) else visible & padding
    return Attention(parse_scores(scores, heads), visible, Hard() if hard else Softmax())


def _whole_numbers(lengths: str) -> list[int]:
    for part in lengths.split(","):
        if not (part.strip().isascii() and part.strip().isdigit() and len(part) < 19):
            raise ValueError(
                f"--lengths must be whole numbers with commas: got {part!r} in {lengths!r}; write 512,1024"
            )
    return [int(part) for part in lengths.split(",")]


def _batch_of(attention: "Attention") -> tuple[int | None, int | None]:
    """Rows and longest row of the padded batch that the mask speaks of, if it does."""
    from regard.attention.padding import RealTokens

    for mask in attention.mask.conjuncts:
        if isinstance(mask, RealTokens) and mask.lengths:
            return len(mask.lengths), max(mask.lengths)
    return None, None


def _planned(
    sizes: tuple[int, ...],
    attention: "Attention",
    dtype: str | None,
    device: str,
    backward: bool,
    dropout: float,
    lse: bool,
) -> "Plan":
    from regard.algorithms import plan
    from regard.algorithms.ceilings import table

    B, H, G, T, S, D, E = sizes
    number = dtype or ("float32" if table(device).kind == "cpu" else "bfloat16")
    q, k, v = (_promise(shape, number, backward) for shape in ((B, H, T, D), (B, G, S, D), (B, G, S, E)))
    return plan(q, k, v, attention, dropout=dropout, return_lse=lse, device=device)


def _promise(shape: tuple[int, ...], dtype: str, backward: bool) -> Any:
    """A tensor of these sizes without numbers in it."""
    import torch

    if math.prod(shape) > LARGEST:
        raise ValueError(f"a tensor may hold at most 2**60 numbers: got sizes {shape}; use smaller ones")
    return torch.empty(shape, dtype=getattr(torch, dtype), device="meta", requires_grad=backward)
