"""The command line: parse, call, print. What computes is imported when a command runs, so that help comes at once."""

import io
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from regard.commands.claims import claims
from regard.commands.cost import cost
from regard.commands.explore import explore
from regard.commands.grade import grade, questions
from regard.commands.models import classify, embed
from regard.commands.output import Device, Number, bad_input, show, size
from regard.commands.train import evaluate, resume, runs, train
from regard.commands.writing import generate, translate


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


app = typer.Typer(
    cls=Commands,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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


MASKS = (
    "Who may attend to whom: everything, causal, window(before, after), strided(n), dilated(step, before, after), "
    "blocks(size, shift), global_tokens(n), key_padding(length, …), padding(length, …), documents(length, …) or "
    "documents([length, …], …), prefix(length, …); on a grid neighbours(rows, columns), tiles(rows, columns, down, "
    "right), same_row, same_column, axial. Joined by & | ~ and parentheses."
)
MaskText = Annotated[str, typer.Option(metavar="TEXT", help=MASKS)]
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
WeightingText = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="From scores to weights: softmax, hard, or linear attention by the features elu, relu, squared_relu, exp, "
        "random_features(count).",
    ),
]
Cached = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="N tokens are in a cache already: what do --tokens more cost (1 by default), and what the cache?",
    ),
]
Lengths = Annotated[
    str | None,
    typer.Option(
        metavar="N,N,…", help="A padded batch: real tokens per row, as 512,1024,4096. Adds padding(…) to the mask."
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print chosen, device, dtype, backward, shape, attention, candidates as JSON.")
]


@app.command()
def plan(
    batch: Annotated[int | None, size("Rows B; by default one per length given, or 4.")] = None,
    heads: Annotated[int, size("Heads H.")] = 16,
    groups: Annotated[int | None, size("Key-value heads G, a divisor of the heads; by default all of them.")] = None,
    tokens: Annotated[int | None, size("Queries T; by default the longest length given, or 4096.")] = None,
    keys: Annotated[int | None, size("Keys S; by default as many as queries.")] = None,
    width: Annotated[int, size("Width D of a head's queries and keys; without content, of its values.")] = 64,
    value_width: Annotated[int | None, size("Width E of a head's values; by default that width.")] = None,
    grid: GridText = None,
    stride: StrideText = None,
    mask: MaskText = "everything",
    scores: ScoresText = "content",
    weighting: WeightingText = None,
    hard: Annotated[
        bool, typer.Option("--hard", help="One-hot at the largest logit: short for --weighting hard.")
    ] = False,
    cached: Cached = None,
    lengths: Lengths = None,
    dtype: Number = None,
    device: Device = None,
    backward: Annotated[bool, typer.Option("--backward/--forward-only", help="Count the way back too, or not.")] = True,
    dropout: Annotated[float, typer.Option(metavar="P", help="Probability of dropping a weight.")] = 0.0,
    lse: Annotated[bool, typer.Option("--lse", help="Ask for the log-sum-exp of the logits too.")] = False,
    as_json: Json = False,
) -> None:
    """Show every algorithm's cost or reason to refuse, and which one [b]attend[/b] would choose.

    Nothing is computed: a plan for a machine that you don't have costs nothing. [b]Examples[/b]:

    regard plan --mask "causal & window(256)" --tokens 16384 --device h200

    regard plan --heads 32 --groups 8 --keys 8192 --tokens 1 --forward-only --json

    regard plan --grid 64x64 --scores gaussian --heads 9 --groups 1 --width 400 --device h200

    regard plan --mask causal --cached 32768 --heads 32 --groups 8 --device h200

    regard plan --mask causal --weighting elu --tokens 16384
    """
    with bad_input():
        from regard.commands import options

        device = options.this_machine() if device is None else device.lower()
        visible = options.visible_pairs(mask, lengths)
        rows, longest = options.batch_of(visible)
        places = options.placed(grid, stride, tokens, keys, default=longest or (4096 if cached is None else 1))
        weight = options.weighting_of(weighting, hard, width)
        attention = options.mechanism(scores, visible, weight, places, heads, backward and cached is None)
        counts = (batch or rows or 4, heads, groups or heads, places.queries.count, places.keys.count)
        sizes = (*counts, width, value_width or width)
        if cached is not None:
            useless = {"--dropout": dropout, "--lse": lse, "--grid": grid, "--keys": keys, "--lengths": lengths}
            result = options.after_cache(cached, sizes, attention, dtype, device, useless)
        else:
            result = options.planned(sizes, attention, dtype, device, backward, dropout, lse)
    _show(result, as_json)


def _show(result: Any, as_json: bool) -> None:
    if as_json:
        typer.echo(result.json())
        return
    show(result.rich())


@app.command()
def pattern(
    mask: Annotated[str, typer.Argument(metavar="MASK", help=MASKS, show_default=False)],
    tokens: Annotated[int | None, size("Queries; by default the longest length given, or 64.")] = None,
    keys: Annotated[int | None, size("Keys; by default as many as queries.")] = None,
    grid: GridText = None,
    stride: StrideText = None,
    pixel: Annotated[
        str | None,
        typer.Option(metavar="R,C", help="On a grid, the query whose view is drawn; by default in the middle."),
    ] = None,
    row: Annotated[int, typer.Option(min=0, metavar="N", help="Row of a padded batch, from 0.")] = 0,
    block: Annotated[int, size("Side of the blocks that are counted; kernels have 128.")] = 16,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also draw it into this SVG file.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print map, view and counts as JSON.")] = False,
) -> None:
    """Draw a mask, and count the pairs that it leaves visible and the blocks that a kernel visits for them.

    Counts are exact. [b]Examples[/b]:

    regard pattern "causal & (window(4) | strided(8))"

    regard pattern "window(256, 256) | global_tokens(4)" --tokens 16384 --block 128

    regard pattern "tiles(4, 4, down=2, right=2)" --grid 12x16 --pixel 5,7 --svg tiles.svg
    """
    with bad_input():
        from regard.analysis.reach.patterns import picture, text
        from regard.attention.notation import parse_mask
        from regard.commands import options

        visible = parse_mask(mask)
        places = options.placed(grid, stride, tokens, keys, default=options.batch_of(visible)[1] or 64)
        drawn = picture(visible, places, block=block, pixel=options.pixel_of(pixel), row=row)
        if svg is not None:
            options.write_svg(svg, drawn, mask)
    typer.echo(drawn.json() if as_json else text(drawn, mask))


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

    from regard.commands.tour import picture, run

    if svg is not None:
        with bad_input():
            svg.write_text(picture(), encoding="utf-8")
    agrees = run(Console(highlight=False))
    if not agrees:
        raise typer.Exit(1)


@app.command()
def reach(
    mask: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT", help=f"{MASKS} Given several times, layers take them in turn.", show_default=False
        ),
    ] = None,
    layers: Annotated[int, size("Layers.")] = 12,
    tokens: Annotated[int | None, size("Tokens; by default the longest length given, or 4096.")] = None,
    grid: GridText = None,
    heads_argmax: Annotated[
        int | None, size("In place of a mask: as many heads, each of which takes one key for every query.")
    ] = None,
    tied: Annotated[bool, typer.Option("--tied", help="Argmax heads choose the same keys in every layer.")] = False,
    residual: Annotated[bool, typer.Option(help="A residual connection around each layer, or none.")] = True,
    output: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="The output that is followed, from 0; by default one that most reach."),
    ] = None,
    pixel: Annotated[str | None, typer.Option(metavar="R,C", help="The same on a grid: its row and column.")] = None,
    row: Annotated[int | None, typer.Option(min=0, metavar="N", help="Row of a padded batch, from 0.")] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also draw it into this SVG file.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON.")] = False,
) -> None:
    """Count the tokens that reach an output, layer by layer: the receptive field of a stack of attention layers.

    Counts are exact, of the composed masks, beside the formula where one is known. [b]Examples[/b]:

    regard reach --mask "causal & window(256)" --layers 12 --tokens 4096

    regard reach --mask "tiles(8, 8)" --mask "tiles(8, 8, down=4, right=4)" --grid 56x56 --layers 6 --svg swin.svg

    regard reach --heads-argmax 2 --layers 8
    """
    with bad_input():
        from regard.commands import options

        useless = {"--mask": mask, "--grid": grid, "--output": output, "--pixel": pixel, "--row": row}
        result: Any = options.chosen_by_heads(heads_argmax, tokens, layers, residual, tied, useless)
        if result is None:
            followed = options.pixel_of(pixel)
            result = options.reached(mask, grid, tokens, layers, residual, output, followed, row or 0)
        if svg is not None:
            options.write_reach(svg, result, " then ".join(mask or ["everything"]))
    _show(result, as_json)


app.command()(explore)
app.command()(claims)
app.command()(questions)
app.command()(grade)
app.command()(train)
app.command()(runs)
app.command()(resume)
app.command()(evaluate)
app.command()(cost)
app.command()(classify)
app.command()(embed)
app.command()(generate)
app.command()(translate)
