"""Masks and receptive fields as matplotlib figures: who sees whom, and what reaches one output layer by layer."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from regard.analysis.figures import BLUE, FAINT, INK, ORANGE, PALE_BLUE, figure_of_panels, style_axes
from regard.analysis.reach.argmax_graphs import ArgmaxReach
from regard.analysis.reach.patterns import Cells, PatternPicture, View, picture
from regard.analysis.reach.receptive_field import Reach, runs
from regard.attention import Grid, Places
from regard.attention.notation import parse_mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

IN_LINE = (
    "causal",
    "window(4, 4)",
    "dilated(3, 3, 3)",
    "window(2, 2) | global_tokens(2)",
    "blocks(8)",
    "blocks(8, shift=4)",
    "causal & blocks(8)",
    "causal & (window(3) | strided(8))",
    "causal & documents(9, 14, 6)",
    "prefix(8)",
)
REGION_CELLS = 96  # at most so many along a side of a region
ON_GRID = ("neighbours(1, 1)", "same_row", "same_column", "axial", "tiles(4, 4)", "tiles(4, 4, down=2, right=2)")


def draw_picture(picture: PatternPicture, title: str | None = None) -> "Figure":
    """The map of a mask, a row for each query; on a grid also what one pixel sees."""
    number = 1 if picture.view is None else 2
    figure, panels = figure_of_panels(number, number, (3.4, 3.6), 0.3, title or picture.mask)
    cell = "" if picture.cell == 1 else f"\ncells of {picture.cell} × {picture.cell} pairs, pale where in part"
    _draw_map(panels[0], picture, f"{100 * picture.share:.3g} % of the pairs are visible{cell}")
    if picture.view is not None:
        _draw_view(panels[1], picture.view, f"the query at {picture.view.pixel} sees {picture.view.seen:,} keys")
    return figure


def draw_patterns() -> "Figure":
    """Every pattern of the library, by the text that writes it: in a line of 32 tokens, or on 8 × 8 pixels."""
    pixels = Places(Grid(8, 8), Grid(8, 8))
    figure, panels = figure_of_panels(len(IN_LINE) + 2 * len(ON_GRID), 4, (2.2, 2.45), 0.1)
    rest = iter(panels)
    for text in IN_LINE:
        drawn = picture(parse_mask(text), 32)
        _draw_map(next(rest), drawn, _captioned(text, drawn))
    for text in ON_GRID:
        drawn = picture(parse_mask(text), pixels, pixel=(4, 4))
        assert drawn.view is not None
        _draw_map(next(rest), drawn, _captioned(text, drawn))
        _draw_view(next(rest), drawn.view, f"one of 8 × 8 pixels\nsees {drawn.view.seen}")
    return figure


def _captioned(text: str, drawn: PatternPicture) -> str:
    return f"{text}\n{100 * drawn.share:.3g} % of the pairs"


def _draw_map(panel: "Axes", picture: PatternPicture, title: str) -> None:
    _draw_cells(panel, picture.cells, title)
    panel.set_xlabel("keys", fontsize=8, color=INK)
    panel.set_ylabel("queries", fontsize=8, color=INK)


def _draw_view(panel: "Axes", view: View, title: str) -> None:
    from matplotlib.patches import Rectangle

    _draw_cells(panel, view.cells, title)
    if view.own is not None:
        panel.add_patch(Rectangle((view.own[1], view.own[0]), 1, 1, facecolor="none", edgecolor=ORANGE, linewidth=1.6))


def _draw_cells(panel: "Axes", cells: Cells, title: str) -> None:
    for level, colour in ((2, BLUE), (1, PALE_BLUE)):
        if rectangles := list(_rectangles(cells, level)):
            panel.add_patch(_patch(rectangles, colour))
    panel.set(xlim=(0, len(cells[0])), ylim=(len(cells), 0), aspect="equal", xticks=[], yticks=[])
    panel.spines[:].set(color=INK, linewidth=0.6)
    panel.set_title(title, fontsize=8.5, color=INK)


def _patch(rectangles: list[tuple[int, int, int, int]], colour: str) -> Any:
    """All rectangles as one path: a thousandth of the size of a thousand paths."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    corners = [
        corner for x, y, w, h in rectangles for corner in ((x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y))
    ]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(rectangles)
    # A thin edge closes the seams that a viewer would draw between neighbours.
    return PathPatch(Path(corners, codes), facecolor=colour, edgecolor=colour, linewidth=0.3, joinstyle="miter")


def _rectangles(cells: Cells, level: int) -> Iterator[tuple[int, int, int, int]]:
    """Left, top, width and height of rectangles that cover the cells of a level: runs, joined where rows repeat them.

    >>> list(_rectangles(((2, 2, 0), (2, 2, 0), (0, 0, 2)), 2))
    [(0, 0, 2, 2), (2, 2, 1, 1)]
    """
    going: dict[tuple[int, int], int] = {}  # runs of the row above, and where they began
    for y in range(len(cells) + 1):
        here = list(runs(torch.tensor(cells[y]) == level)) if y < len(cells) else []
        for run in [run for run in going if run not in here]:
            top, (first, last) = going.pop(run), run
            yield first, top, last - first + 1, y - top
        for run in here:
            going.setdefault(run, y)


def draw_reach(reach: Reach, title: str | None = None) -> "Figure":
    """Tokens against depth beside a convolution of as many taps, and which tokens reach the output, layer by layer."""
    figure, (growth, region) = figure_of_panels(2, 2, (4.4, 3.6), 0.3, title or " then ".join(reach.masks))
    layers = [at.layers for at in reach.depths]
    kernel = " × ".join(map(str, reach.taps))
    growth.fill_between(
        layers, [at.fewest for at in reach.depths], [at.most for at in reach.depths], color=PALE_BLUE, linewidth=0
    )
    growth.plot(layers, [at.most for at in reach.depths], color=BLUE, marker="o", markersize=3, label="most, to fewest")
    growth.plot(layers, [at.here for at in reach.depths], color=ORANGE, linewidth=1, label=reach.output_name)
    convolution = [at.convolution for at in reach.depths]
    growth.plot(layers, convolution, color=INK, linestyle="--", linewidth=1, label=f"convolution {kernel}")
    _finish(growth, reach.tokens)
    (_draw_grid if len(reach.sides) == 2 else _draw_line)(region, reach)
    return figure


def draw_argmax(reach: ArgmaxReach) -> "Figure":
    """The bound, the graph that attains it, and random graphs, with their fewest and most, against depth."""
    title = f"{reach.heads} argmax head{'s' * (reach.heads > 1)}: {reach.law}"
    figure, (panel,) = figure_of_panels(1, 1, (4.8, 3.6), 0.3, title)
    layers = [at.layers for at in reach.depths]
    low, high = [at.fewest for at in reach.depths], [at.most for at in reach.depths]
    panel.fill_between(layers, low, high, color=PALE_BLUE, linewidth=0)
    panel.plot(layers, [at.mean for at in reach.depths], color=BLUE, label=f"random, {reach.draws} graphs")
    panel.plot(layers, [at.bound for at in reach.depths], color=INK, linestyle="--", linewidth=1, label="bound")
    widest = [at.widest for at in reach.depths]
    panel.plot(layers, widest, color=ORANGE, marker="o", markersize=4, linestyle="none", label="attained")
    _finish(panel, reach.tokens)
    return figure


def _finish(panel: "Axes", tokens: int) -> None:
    panel.axhline(tokens, color=FAINT, linewidth=1, zorder=0)
    panel.set_yscale("symlog", base=2, linthresh=1)
    panel.set(ylim=(0, 1.6 * tokens))
    panel.set_yticks(_ticks(tokens), [f"{n:,}" for n in _ticks(tokens)])
    panel.minorticks_off()
    panel.locator_params(axis="x", integer=True)
    style_axes(panel, "layers", "tokens that reach an output")
    panel.legend(frameon=False, fontsize=8, loc="lower right")


def _ticks(tokens: int) -> list[int]:
    """0, all tokens, and powers of two that leave room between."""
    top = max(1, math.floor(math.log2(tokens)))
    apart = max(1, top // 5)
    return [0, *[1 << power for power in range(0, top, apart) if 1 << power + 1 <= tokens], tokens]


def _draw_line(panel: "Axes", reach: Reach) -> None:
    """A row of cells for each layer, pale where only a part of the tokens of a cell reach the output."""
    cell = -(-reach.tokens // REGION_CELLS)
    padded = torch.nn.functional.pad(reach.reached, (0, -reach.tokens % cell))
    sizes = torch.nn.functional.pad(torch.ones(reach.tokens, dtype=torch.long), (0, -reach.tokens % cell))
    found = padded.unflatten(1, (-1, cell)).sum(2)
    whole = found == sizes.unflatten(0, (-1, cell)).sum(1)
    for layer, (some, every) in enumerate(zip(found > 0, whole, strict=True), 1):
        _bars(panel, some & ~every, layer - 0.5, PALE_BLUE)
        _bars(panel, every, layer - 0.5, BLUE)
    panel.plot([reach.output // cell + 0.5], [0.2], marker="v", color=ORANGE, clip_on=False, zorder=3)
    panel.set(xlim=(0, found.shape[1]), ylim=(len(found) + 0.5, 0), xticks=[])
    panel.locator_params(axis="y", integer=True)
    each = "" if cell == 1 else f"\na cell is {cell} tokens, pale where in part"
    _entitle(panel, f"what reaches {reach.output_name}, at the mark{each}")
    panel.set_xlabel(f"{reach.tokens:,} tokens", fontsize=8, color=INK)
    panel.set_ylabel("layers", fontsize=8, color=INK)


def _draw_grid(panel: "Axes", reach: Reach) -> None:
    """Each pixel by the first layer through which it reaches the output, the darker the earlier."""
    from matplotlib.colors import to_hex, to_rgb
    from matplotlib.patches import Rectangle

    h, w = reach.sides
    cell = -(-max(h, w) // REGION_CELLS)
    depth = len(reach.depths)
    first = torch.where(reach.reached.any(0), reach.reached.long().argmax(0), depth).view(h, w)
    padded = torch.nn.functional.pad(first, (0, -w % cell, 0, -h % cell), value=depth)
    cells = padded.unflatten(1, (-1, cell)).unflatten(0, (-1, cell)).amin((1, 3))
    dark, pale = to_rgb(BLUE), (0.9, 0.95, 0.98)
    for layer in range(depth):
        share = layer / max(depth - 1, 1)
        red, green, blue = (a + share * (b - a) for a, b in zip(dark, pale, strict=True))
        colour = to_hex((red, green, blue))
        for y, line in enumerate(cells == layer):
            _bars(panel, line, y, colour)
    r, c = (side // cell for side in divmod(reach.output, w))
    panel.add_patch(Rectangle((c, r), 1, 1, facecolor="none", edgecolor=ORANGE, linewidth=1.6))
    panel.set(xlim=(0, cells.shape[1]), ylim=(len(cells), 0), aspect="equal", xticks=[], yticks=[])
    each = "" if cell == 1 else f"\na cell is {cell} × {cell} pixels, by the first of them"
    _entitle(panel, f"what reaches {reach.output_name}: layer 1 dark, layer {depth} pale{each}")


def _bars(panel: "Axes", marked: Tensor, top: float, colour: str) -> None:
    found = [(first, last - first + 1) for first, last in runs(marked)]
    if found:
        # A thin edge closes the seams that a viewer would draw between neighbours.
        panel.broken_barh(found, (top, 1), facecolor=colour, edgecolor=colour, linewidth=0.3)


def _entitle(panel: "Axes", title: str) -> None:
    panel.set_title(title, fontsize=8.5, color=INK)
    panel.tick_params(labelsize=8, colors=INK)
    panel.spines[:].set(color=INK, linewidth=0.6)
