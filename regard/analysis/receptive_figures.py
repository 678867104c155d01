"""Receptive fields as matplotlib figures: their size against depth, and the region that grows around one output."""

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from regard.analysis.argmax_graphs import ArgmaxReach
from regard.analysis.figures import BLUE, FAINT, INK, ORANGE, figure_of_panels
from regard.analysis.receptive_field import Reach, runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALE = "#A9CDE3"
CELLS = 96  # at most so many along a side of a region


def draw_reach(reach: Reach, title: str | None = None) -> "Figure":
    """Tokens against depth beside a convolution of as many taps, and which tokens reach the output, layer by layer."""
    figure, (growth, region) = figure_of_panels(2, 2, (4.4, 3.6), 0.3)
    layers = [at.layers for at in reach.depths]
    kernel = " × ".join(map(str, reach.taps))
    growth.fill_between(
        layers, [at.fewest for at in reach.depths], [at.most for at in reach.depths], color=PALE, linewidth=0
    )
    growth.plot(layers, [at.most for at in reach.depths], color=BLUE, marker="o", markersize=3, label="most, to fewest")
    growth.plot(layers, [at.here for at in reach.depths], color=ORANGE, linewidth=1, label=reach.place)
    convolution = [at.convolution for at in reach.depths]
    growth.plot(layers, convolution, color=INK, linestyle="--", linewidth=1, label=f"convolution {kernel}")
    _finish(growth, reach.tokens)
    (_on_grid if len(reach.sides) == 2 else _in_line)(region, reach)
    figure.suptitle(title or " then ".join(reach.masks), fontsize=10, color=INK)
    return figure


def draw_argmax(reach: ArgmaxReach) -> "Figure":
    """The bound, the graph that attains it, and random graphs, with their fewest and most, against depth."""
    figure, (panel,) = figure_of_panels(1, 1, (4.8, 3.6), 0.3)
    layers = [at.layers for at in reach.depths]
    low, high = [at.fewest for at in reach.depths], [at.most for at in reach.depths]
    panel.fill_between(layers, low, high, color=PALE, linewidth=0)
    panel.plot(layers, [at.mean for at in reach.depths], color=BLUE, label=f"random, {reach.draws} graphs")
    panel.plot(layers, [at.bound for at in reach.depths], color=INK, linestyle="--", linewidth=1, label="bound")
    widest = [at.widest for at in reach.depths]
    panel.plot(layers, widest, color=ORANGE, marker="o", markersize=4, linestyle="none", label="attained")
    _finish(panel, reach.tokens)
    figure.suptitle(f"{reach.heads} argmax head{'s' * (reach.heads > 1)}: {reach.law}", fontsize=10, color=INK)
    return figure


def _finish(panel: "Axes", tokens: int) -> None:
    panel.axhline(tokens, color=FAINT, linewidth=1, zorder=0)
    panel.set_yscale("symlog", base=2, linthresh=1)
    panel.set(ylim=(0, 1.6 * tokens))
    panel.set_yticks(_ticks(tokens), [f"{n:,}" for n in _ticks(tokens)])
    panel.minorticks_off()
    panel.set_xlabel("layers", fontsize=8, color=INK)
    panel.set_ylabel("tokens that reach an output", fontsize=8, color=INK)
    panel.locator_params(axis="x", integer=True)
    panel.tick_params(labelsize=8, colors=INK)
    panel.spines[["right", "top"]].set_visible(False)
    panel.legend(frameon=False, fontsize=8, loc="lower right")


def _ticks(tokens: int) -> list[int]:
    """0, all tokens, and powers of two that leave room between."""
    top = max(1, math.floor(math.log2(tokens)))
    apart = max(1, top // 5)
    return [0, *[1 << power for power in range(0, top, apart) if 1 << power + 1 <= tokens], tokens]


def _in_line(panel: "Axes", reach: Reach) -> None:
    """A row of cells for each layer, pale where only a part of the tokens of a cell reach the output."""
    cell = -(-reach.tokens // CELLS)
    padded = torch.nn.functional.pad(reach.reached, (0, -reach.tokens % cell))
    sizes = torch.nn.functional.pad(torch.ones(reach.tokens, dtype=torch.long), (0, -reach.tokens % cell))
    found = padded.unflatten(1, (-1, cell)).sum(2)
    whole = found == sizes.unflatten(0, (-1, cell)).sum(1)
    for layer, (some, every) in enumerate(zip(found > 0, whole, strict=True), 1):
        _bars(panel, some & ~every, layer - 0.5, PALE)
        _bars(panel, every, layer - 0.5, BLUE)
    panel.plot([reach.output // cell + 0.5], [0.2], marker="v", color=ORANGE, clip_on=False, zorder=3)
    panel.set(xlim=(0, found.shape[1]), ylim=(len(found) + 0.5, 0), xticks=[])
    panel.locator_params(axis="y", integer=True)
    each = "" if cell == 1 else f"\na cell is {cell} tokens, pale where in part"
    _entitle(panel, f"what reaches {reach.place}, at the mark{each}")
    panel.set_xlabel(f"{reach.tokens:,} tokens", fontsize=8, color=INK)
    panel.set_ylabel("layers", fontsize=8, color=INK)


def _on_grid(panel: "Axes", reach: Reach) -> None:
    """Each pixel by the first layer through which it reaches the output, the darker the earlier."""
    from matplotlib.colors import to_hex, to_rgb
    from matplotlib.patches import Rectangle

    h, w = reach.sides
    cell = -(-max(h, w) // CELLS)
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
    r, c = (place // cell for place in divmod(reach.output, w))
    panel.add_patch(Rectangle((c, r), 1, 1, facecolor="none", edgecolor=ORANGE, linewidth=1.6))
    panel.set(xlim=(0, cells.shape[1]), ylim=(len(cells), 0), aspect="equal", xticks=[], yticks=[])
    each = "" if cell == 1 else f"\na cell is {cell} × {cell} pixels, by the first of them"
    _entitle(panel, f"what reaches {reach.place}: layer 1 dark, layer {depth} pale{each}")


def _bars(panel: "Axes", marked: Tensor, top: float, colour: str) -> None:
    found = [(first, last - first + 1) for first, last in runs(marked)]
    if found:
        # A thin edge closes the seams that a viewer would draw between neighbours.
        panel.broken_barh(found, (top, 1), facecolor=colour, edgecolor=colour, linewidth=0.3)


def _entitle(panel: "Axes", title: str) -> None:
    panel.set_title(title, fontsize=8.5, color=INK)
    panel.tick_params(labelsize=8, colors=INK)
    panel.spines[:].set(color=INK, linewidth=0.6)
