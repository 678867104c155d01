"""`regard pattern` draws a mask; `regard reach` composes masks into the receptive field of a stack."""

from typing import Annotated, Any

import typer

from regard.commands.options import (
    MASKS,
    GridSize,
    Pixel,
    Stride,
    Svg,
    read_pixel,
    read_places,
    refuse,
    size,
)
from regard.commands.output import bad_input, echo, show_result, write_figure


def pattern(
    mask: Annotated[str, typer.Argument(metavar="MASK", help=MASKS, show_default=False)],
    tokens: Annotated[int | None, size("Queries; by default the longest length given, or 64.")] = None,
    keys: Annotated[int | None, size("Keys; by default as many as queries.")] = None,
    grid: GridSize = None,
    stride: Stride = None,
    pixel: Pixel = None,
    row: Annotated[int, typer.Option(min=0, metavar="N", help="Row of a padded batch, from 0.")] = 0,
    block: Annotated[int, size("Side of the blocks to count; kernels have 128.")] = 16,
    svg: Svg = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print map, view and counts as JSON.")] = False,
) -> None:
    """Draw a mask, and count the pairs that it leaves visible and the blocks that a kernel visits for them.

    Counts are exact. [b]Examples[/b]:

    regard pattern "causal & (window(4) | strided(8))"

    regard pattern "window(256, 256) | global_tokens(4)" --tokens 16384 --block 128

    regard pattern "tiles(4, 4, down=2, right=2)" --grid 12x16 --pixel 5,7 --svg tiles.svg
    """
    with bad_input():
        from regard.analysis.mechanisms import batch_of
        from regard.analysis.reach.figures import draw_picture
        from regard.analysis.reach.patterns import picture, text
        from regard.attention.notation import parse_mask

        visible = parse_mask(mask)
        places = read_places(grid, stride, tokens, keys, default=batch_of(visible)[1] or 64)
        drawn = picture(visible, places, block=block, pixel=read_pixel(pixel), row=row)
        if svg is not None:
            write_figure(svg, draw_picture(drawn, mask))
    echo(drawn.json() if as_json else text(drawn, mask))


def reach(
    mask: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help=f"{MASKS} If repeated, layers take them in turn.", show_default=False),
    ] = None,
    layers: Annotated[int, size("Layers.")] = 12,
    tokens: Annotated[int | None, size("Tokens; by default the longest length given, or 4096.")] = None,
    grid: GridSize = None,
    heads_argmax: Annotated[
        int | None, size("Instead of a mask: this many heads, each of which takes one key for every query.")
    ] = None,
    tied: Annotated[bool, typer.Option("--tied", help="Argmax heads choose the same keys in every layer.")] = False,
    residual: Annotated[bool, typer.Option(help="Whether a residual connection surrounds each layer.")] = True,
    output: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="The output to follow, from 0; by default one that most tokens reach."),
    ] = None,
    pixel: Pixel = None,
    row: Annotated[int | None, typer.Option(min=0, metavar="N", help="Row of a padded batch, from 0.")] = None,
    svg: Svg = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON.")] = False,
) -> None:
    """Count the tokens that reach an output, layer by layer: the receptive field of a stack of attention layers.

    Counts are exact, of the composed masks, beside the formula where one is known. [b]Examples[/b]:

    regard reach --mask "causal & window(256)" --layers 12 --tokens 4096

    regard reach --mask "tiles(8, 8)" --mask "tiles(8, 8, down=4, right=4)" --grid 56x56 --layers 6 --svg swin.svg

    regard reach --heads-argmax 2 --layers 8
    """
    with bad_input():
        from regard.analysis.mechanisms import batch_of
        from regard.analysis.reach.argmax_graphs import argmax_reach
        from regard.analysis.reach.figures import draw_argmax, draw_reach
        from regard.analysis.reach.receptive_field import reach as compose
        from regard.attention.notation import parse_mask

        result: Any
        if heads_argmax is not None:
            useless = {"--mask": mask, "--grid": grid, "--output": output, "--pixel": pixel, "--row": row}
            refuse("--heads-argmax chooses any token of a line", useless)
            result = argmax_reach(tokens or 4096, heads_argmax, layers, residual=residual, tied=tied)
        else:
            if tied:
                raise ValueError("--tied is for argmax heads: got none; add --heads-argmax 2")
            masks = [parse_mask(text) for text in mask or ["everything"]]
            longest = max([batch_of(each)[1] or 0 for each in masks])
            positions = read_places(grid, None, tokens, None, default=longest or 4096).keys
            followed = read_output(output, read_pixel(pixel), positions)
            result = compose(list(masks), positions, layers, residual=residual, output=followed, row=row or 0)
        if svg is not None:
            title = " then ".join(mask or ["everything"])
            write_figure(svg, draw_reach(result, title) if heads_argmax is None else draw_argmax(result))
    show_result(result, as_json)


def read_output(output: int | None, pixel: tuple[int, int] | None, positions: Any) -> int | None:
    """The token whose receptive field is followed, by its number or, on a grid, its row and column."""
    from regard.attention import Grid

    if pixel is None:
        return output
    row, column = pixel
    if not isinstance(positions, Grid):
        raise ValueError(f"a pixel stands on a grid: got --pixel {row},{column} without one; use --output")
    if output is not None:
        raise ValueError(f"one output is followed: got --output {output} and --pixel too; use one of the two")
    if row >= positions.h or column >= positions.w:
        raise ValueError(f"--pixel must lie on {positions.h} × {positions.w} pixels: got {row},{column}; use 0,0")
    return row * positions.w + column
