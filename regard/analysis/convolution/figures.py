"""Gaussian heads as matplotlib figures: ellipses around the query."""

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regard.analysis.convolution.heads import Ellipse, Layer, ellipses
from regard.analysis.figures import FAINT, INK, PALETTE, figure_of_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Point = tuple[float | int, float | int]  # x to the right, y down: column and row

LIGHT = ("#88CCEE", "#DDCC77")  # colours of the palette that need dark text on them
FARTHEST = 16  # pixels from the query that a panel shows by default
BADGE = 0.2  # inches from one number to the next


def draw_heads(
    layers: Layer | Sequence[Layer],
    *,
    masses: Sequence[float] = (0.5, 0.9),
    names: Sequence[str] | None = None,
    reach: int | None = None,
) -> "Figure":
    """Each layer's heads around the query pixel: the ellipse of the smallest mass filled, the others as lines.

    Panels share one scale, `reach` pixels to each side. An arrow at the edge is a head whose centre lies beyond.
    """
    given: list[Layer] = list(layers) if isinstance(layers, list | tuple) else [layers]  # pyright: ignore[reportAssignmentType]
    if not given:
        raise ValueError("layers must be one or more: got none; give a layer or a list of layers")
    if names is not None and len(names) != len(given):
        raise ValueError(f"names must be one per layer: got {len(names)} for {len(given)} layers; name each")
    if reach is not None and reach < 1:
        raise ValueError(f"reach must be at least one pixel: got reach={reach}; None shows all heads")
    answers = [ellipses(layer, sorted(masses)) for layer in given]
    reach = _reach(answers) if reach is None else reach
    in_line = all(len(heads[0].centre) == 1 for heads in answers)
    size = (4.2, 0.7 + 0.24 * max(map(len, answers))) if in_line else (3.4, 3.4)
    columns = min(len(given), 2 if in_line or len(given) == 4 else 3)
    figure, panels = figure_of_panels(len(given), columns, size, 0.4)
    for number, (panel, heads) in enumerate(zip(panels, answers, strict=True)):
        if names is not None or len(given) > 1:
            panel.set_title(f"layer {number + 1}" if names is None else names[number], fontsize=10)
        draw = _draw_intervals if len(heads[0].centre) == 1 else _draw_ellipses
        draw(panel, heads, reach)
    _explain_masses(figure, sorted(masses))
    return figure


def _draw_ellipses(panel: "Axes", heads: Sequence[Ellipse], reach: int) -> None:
    from matplotlib.patches import Ellipse as Patch

    half = reach + 0.5
    _draw_pixels(panel, half)
    for ellipse in heads:
        colour, centre = _colour(ellipse.head), _point(ellipse.centre)
        dashes = "solid" if ellipse.head < len(PALETTE) else "dashed"  # a second round of the colours
        for number, axes in enumerate(ellipse.half_axes):
            long, short = (min(axis, 1000 * reach) for axis in axes)
            if math.hypot(*centre) - long > 2 * reach:
                continue  # all of it lies outside the panel
            patch = Patch(centre, 2 * long, 2 * short, angle=math.degrees(ellipse.angle), edgecolor=colour)
            patch.set(facecolor=colour if number == 0 else "none", alpha=0.3 if number == 0 else 0.9, linestyle=dashes)
            panel.add_patch(patch)
    _square(panel, (0, 0), facecolor="none", edgecolor="black", linewidth=1.6, zorder=3)
    colours = [_colour(ellipse.head) for ellipse in heads]
    _badges(panel, [_point(ellipse.centre) for ellipse in heads], colours, half, BADGE * (2 * reach + 1) / 3)


def _draw_intervals(panel: "Axes", heads: Sequence[Ellipse], reach: int) -> None:
    panel.vlines([n + 0.5 for n in range(-reach - 1, reach + 1)], -1, len(heads), color=FAINT, linewidth=0.6, zorder=0)
    _square(panel, (0, len(heads) / 2 - 0.5), (1, len(heads)), facecolor="none", edgecolor="black", linewidth=1.2)
    for row, ellipse in enumerate(heads):
        colour, x = _colour(ellipse.head), ellipse.centre[0]
        for number, (half,) in enumerate(ellipse.half_axes):
            low, high = max(x - half, -2 * reach), min(x + half, 2 * reach)
            panel.plot([low, high], [row, row], color=colour, linewidth=1.5 if number else 6, solid_capstyle="butt")
        if abs(x) <= reach + 0.5:
            panel.plot([x], [row], marker="o", color="white", markeredgecolor=colour, markersize=5)
        else:
            edge = math.copysign(reach + 0.4, x)
            _arrow(panel, (edge * 0.88, row), (edge, row), colour)
    panel.set(xlim=(-reach - 0.5, reach + 0.5), ylim=(len(heads) - 0.3, -0.7), yticks=range(len(heads)))
    panel.set_xlabel("offset from the query", fontsize=8)
    panel.set_ylabel("head", fontsize=8)
    panel.tick_params(labelsize=8, length=0, colors=INK)
    panel.spines[:].set_visible(False)


def _draw_pixels(panel: "Axes", half: float) -> None:
    """The faint grid of pixels, `half` to each side of the query, rows downwards."""
    edges = [n + 0.5 for n in range(-math.ceil(half), math.ceil(half))]
    for draw_lines in (panel.vlines, panel.hlines):
        draw_lines(edges, -half, half, color=FAINT, linewidth=0.6, zorder=0)
    panel.set(xlim=(-half, half), ylim=(half, -half), aspect="equal")
    panel.tick_params(labelsize=8, length=0, colors=INK)
    panel.locator_params(integer=True, nbins=7)
    panel.spines[:].set_color(FAINT)


def _badges(panel: "Axes", centres: Sequence[Point], colours: Sequence[str], half: float, size: float) -> None:
    """The number of each head at its centre, moved aside where two would overlap, or with an arrow at the edge."""
    beyond = [max(abs(x), abs(y)) / half for x, y in centres]
    tips = [(x / max(far, 1), y / max(far, 1)) for (x, y), far in zip(centres, beyond, strict=True)]
    tails = [(0.85 * x, 0.85 * y) if far > 1 else (x, y) for (x, y), far in zip(tips, beyond, strict=True)]
    centres = _spread(tails, size, half)
    for number, (centre, tip, colour) in enumerate(zip(centres, tips, colours, strict=True)):
        if beyond[number] > 1:
            _arrow(panel, centre, tip, colour)
        else:
            panel.plot(*zip(tip, centre, strict=True), color=colour, linewidth=0.8)
            panel.plot(*tip, marker="o", markersize=2.5, color=colour)
        box = {"boxstyle": "circle,pad=0.2", "facecolor": colour, "edgecolor": "white", "linewidth": 0.7}
        ink = "black" if colour in LIGHT else "white"
        font = 7.5 if number < 10 else 6
        panel.text(*centre, str(number), ha="center", va="center", fontsize=font, color=ink, bbox=box, zorder=4)


def _spread(points: Sequence[Point], size: float, half: float) -> list[Point]:
    """Points near these that lie `size` apart in the panel, found by pushing close ones away from each other."""
    room = max(half - 0.6 * size, 0.0)
    moved = [[min(max(n, -room), room) for n in point] for point in points]
    for _ in range(100):
        for (a, p), (_, q) in itertools.combinations(enumerate(moved), 2):
            dx, dy = q[0] - p[0], q[1] - p[1]
            if math.hypot(dx, dy) < 1e-6 * size:  # they coincide: any direction will do
                dx, dy = 1e-6 * size * math.cos(a), 1e-6 * size * math.sin(a)
            push = (size / math.hypot(dx, dy) - 1) / 2
            if push > 0:
                for point, sign in ((p, -1), (q, 1)):
                    for axis, step in enumerate((dx, dy)):
                        point[axis] = min(max(point[axis] + sign * push * step, -room), room)
    return [(x, y) for x, y in moved]


def _arrow(panel: "Axes", tail: Point, tip: Point, colour: str) -> None:
    panel.annotate("", tip, tail, arrowprops={"arrowstyle": "-|>", "color": colour, "shrinkA": 0, "shrinkB": 0})


def _square(panel: "Axes", centre: Point, size: Point = (1, 1), **style: Any) -> None:
    from matplotlib.patches import Rectangle

    panel.add_patch(Rectangle((centre[0] - size[0] / 2, centre[1] - size[1] / 2), *size, **style))


def _explain_masses(figure: "Figure", masses: Sequence[float]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(facecolor=INK, alpha=0.35, label=f"{100 * masses[0]:.3g} % of the weight")]
    handles += [Line2D([], [], color=INK, label=f"{100 * mass:.3g} %") for mass in masses[1:]]
    handles.append(Patch(facecolor="none", edgecolor="black", linewidth=1.6, label="query"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=8)


def _reach(answers: Sequence[Sequence[Ellipse]]) -> int:
    """Pixels to each side of the query that show every head, except those whose centre lies beyond FARTHEST."""
    heads = [head for heads in answers for head in heads if max(map(abs, head.centre)) <= FARTHEST]
    ends = [max(map(abs, head.centre)) + head.half_axes[-1][0] for head in heads]
    return math.ceil(min(max(ends, default=1.0), FARTHEST))


def _point(position: Sequence[float | int]) -> Point:
    """Row and column as x and y; a line lies along x."""
    return (position[-1], position[0] if len(position) == 2 else 0.0)


def _colour(head: int) -> str:
    return PALETTE[head % len(PALETTE)]
