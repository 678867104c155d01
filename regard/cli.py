"""The command line: parse, call, print. What computes is imported when a command runs, so that help comes at once."""

import contextlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from regard.algorithms import Plan
    from regard.attention import Attention, Mask, Places


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


MaskText = Annotated[
    str,
    typer.Option(
        metavar="TEXT",
        help="Who may attend to whom: everything, causal, window(before, after), strided(n), "
        "neighbours(rows, columns), key_padding(length, …), padding(length, …), joined by & | ~ and parentheses.",
    ),
]
ScoresText = Annotated[
    str,
    typer.Option(
        metavar="TEXT",
        help="What is scored: content, content(beta=0.3), slopes, gaussian, diagonal_gaussian, full_gaussian, table, "
        "table(bound), row_table, column_table, joined by +. Without content there is neither q nor k.",
    ),
]
GridText = Annotated[
    str | None,
    typer.Option("--grid", metavar="HxW", help="Tokens on a grid of H rows and W columns, in place of a line."),
]
StrideText = Annotated[
    str | None,
    typer.Option("--stride", metavar="N|NxM", help="Queries at every Nth row and Mth column of the grid alone."),
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
    width: Annotated[int, _size("Width D of a head's queries and keys; without content, of its values.")] = 64,
    value_width: Annotated[int | None, _size("Width E of a head's values; by default that width.")] = None,
    grid: GridText = None,
    stride: StrideText = None,
    mask: MaskText = "everything",
    scores: ScoresText = "content",
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

    regard plan --grid 64x64 --scores gaussian --heads 9 --groups 1 --width 400 --device h200
    """
    with bad_input():
        device = _this_machine() if device is None else device.lower()
        visible = _visible(mask, lengths)
        rows, longest = _batch_of(visible)
        places = _line(tokens or longest or 4096, keys, stride) if grid is None else _grid(grid, stride, tokens, keys)
        attention = _attention(scores, visible, places, heads, hard, backward)
        T, S = places.queries.count, places.keys.count
        sizes = (batch or rows or 4, heads, groups or heads, T, S, width, value_width or width)
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


def _visible(mask: str, lengths: str | None) -> "Mask":
    from regard.attention import Everything, Padding
    from regard.attention.notation import parse_mask

    visible = parse_mask(mask)
    if lengths is None:
        return visible
    padding = Padding(_whole_numbers(lengths))
    return padding if isinstance(visible, Everything) else visible & padding


def _line(tokens: int, keys: int | None, stride: str | None) -> "Places":
    from regard.attention import Attention

    if stride is not None:
        raise ValueError(f"--stride keeps pixels of a grid: got --stride {stride} without one; add --grid 64x64")
    return Attention().places(tokens, keys or tokens)


def _grid(grid: str, stride: str | None, tokens: int | None, keys: int | None) -> "Places":
    """Keys at all pixels, queries at those that the stride keeps."""
    from regard.attention import Grid, Places

    for option, count in (("--tokens", tokens), ("--keys", keys)):
        if count is not None:
            raise ValueError(f"--grid says how many tokens there are: got {option} {count} too; use one of the two")
    pixels = Grid(*_sides("--grid", grid, "64x64"))
    if stride is None:
        return Places(pixels, pixels)
    down, right = _sides("--stride", stride, "2 or 2x3", one_for_both=True)
    return Places(Grid(-(-pixels.h // down), -(-pixels.w // right), step=(down, right)), pixels)


def _sides(option: str, text: str, example: str, one_for_both: bool = False) -> tuple[int, int]:
    parts = text.lower().split("x")
    if one_for_both and len(parts) == 1:
        parts = parts * 2
    if len(parts) != 2 or not all(_is_whole(part) and int(part) for part in parts):
        raise ValueError(
            f"{option} must be whole numbers from 1 to below 10**18, rows x columns: got {text!r}; write {example}"
        )
    return int(parts[0]), int(parts[1])


def _attention(scores: str, visible: "Mask", places: "Places", heads: int, hard: bool, backward: bool) -> "Attention":
    from regard.attention import Attention, Content, Grid, Hard, Softmax
    from regard.attention.notation import parse_scores

    terms = parse_scores(scores, heads, places, learns=backward)
    on_grid = isinstance(places.keys, Grid)
    scores_content = any(isinstance(term, Content) for term in terms.terms)
    # In a line q says how many queries there are, and where; on a grid, or without q, only places do.
    must_say = (on_grid or not scores_content) and places.queries.count != places.keys.count
    queries, keys = places.queries if must_say else None, places.keys if on_grid else None
    return Attention(terms, visible, Hard() if hard else Softmax(), queries, keys)


def _whole_numbers(lengths: str) -> list[int]:
    for part in lengths.split(","):
        if not _is_whole(part):
            raise ValueError(
                f"--lengths must be whole numbers with commas: got {part!r} in {lengths!r}; write 512,1024"
            )
    return [int(part) for part in lengths.split(",")]


def _is_whole(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdigit() and len(text) < 19


def _batch_of(visible: "Mask") -> tuple[int | None, int | None]:
    """Rows and longest row of the padded batch that the mask speaks of, if it does."""
    from regard.attention.padding import RealTokens

    for mask in visible.conjuncts:
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
    import torch

    from regard.algorithms import plan
    from regard.algorithms.ceilings import table
    from regard.attention.notation import check_sizes, placeholder

    B, H, G, T, S, D, E = sizes
    number = getattr(torch, dtype or ("float32" if table(device).kind == "cpu" else "bfloat16"))
    reads = attention.content is not None
    q, k = (placeholder(shape, number, backward) if reads else None for shape in ((B, H, T, D), (B, G, S, D)))
    v = placeholder((B, G, S, E), number, backward)
    check_sizes((B, H, T, E))  # of the output
    return plan(q, k, v, attention, dropout=dropout, return_lse=lse, device=device)
