"""Gaussian heads as matplotlib figures: ellipses around the query, maps of a query, the nearest kernel."""

import itertools
import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regard.analysis.convolution.heads import Ellipse, KernelFit, Layer, QueryMap, ellipses, nearest_kernel, query_map
from regard.analysis.figures import BLUE, FAINT, INK, ORANGE, PALETTE, figure_of_panels
from regard.attention import Grid, Positions

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


def draw_query_map(layer: Layer, positions: Positions, query: int | Sequence[int]) -> "Figure":
    """The map of one query for each head, each from zero to its own largest weight, which is written beside it."""
    answer = query_map(layer, positions, query)
    if isinstance(positions, Grid):
        return _draw_maps(answer, positions)
    at = [positions.at(0, i) for i in range(positions.n)]
    figure, panels = figure_of_panels(len(answer.maps), 1, (6.0, 0.6), 0.5)
    for head, (panel, weights) in enumerate(zip(panels, answer.maps, strict=True)):
        is_last = head == len(answer.maps) - 1
        panel.axvspan(answer.query[0] - 0.5, answer.query[0] + 0.5, color=ORANGE, alpha=0.3, linewidth=0)
        panel.bar(at, weights, width=0.85 * positions.step, color=BLUE)
        panel.set(
            yticks=[],
            ylim=(0, 1.1 * max(weights)),
            xlim=_span([p + half for p in (*at, *answer.query) for half in (-0.5, 0.5)]),
        )
        panel.set_ylabel(str(head), rotation=0, ha="right", va="center", fontsize=9)
        panel.text(1.01, 0.5, f"max {max(weights):.2g}", transform=panel.transAxes, va="center", fontsize=8, color=INK)
        panel.tick_params(labelsize=8, length=0, colors=INK, labelbottom=is_last)
        panel.locator_params(axis="x", integer=True)
        panel.spines[["left", "right", "top"]].set_visible(False)
        panel.spines["bottom"].set_color(FAINT)
    _caption(figure, f"weights seen from the query at {answer.query[0]} (orange), each row with its own scale")
    return figure


def _draw_maps(answer: QueryMap, positions: Grid) -> "Figure":
    (top, left), (down, right), (y, x) = positions.start, positions.step, answer.query
    height, width = positions.h * down, positions.w * right
    extent = (left - right / 2, left - right / 2 + width, top - down / 2 + height, top - down / 2)
    columns = math.ceil(math.sqrt(len(answer.maps)))
    figure, panels = figure_of_panels(
        len(answer.maps), columns, (1.9, 0.3 + 1.8 * min(max(height / width, 0.3), 3.0)), 0.3
    )
    for head, (panel, weights) in enumerate(zip(panels, answer.maps, strict=True)):
        largest = max(map(max, weights))
        panel.imshow(weights, cmap="Blues", vmin=0, vmax=largest, extent=extent, interpolation="nearest")
        _square(panel, (x, y), (right, down), facecolor="none", edgecolor=ORANGE, linewidth=1.6, zorder=3)
        panel.set(xticks=[], yticks=[], xlim=_span([*extent[:2], x - right / 2, x + right / 2]))
        panel.set_ylim(_span([*extent[2:], y - down / 2, y + down / 2]))
        panel.invert_yaxis()
        panel.set_title(f"head {head} · max {largest:.2g}", fontsize=9)
        panel.spines[:].set_color(INK)
    _caption(figure, f"weights seen from the query at {answer.query} (orange), white 0, darkest the head's largest")
    return figure


def draw_kernel(
    layer: Layer, kernel_size: int | Sequence[int] | None = None, dilation: int | Sequence[int] = 1
) -> "Figure":
    """The nearest kernel: its taps as squares, and each head at its centre with a line to its tap.

    A tap is blue where its head has its peak there, the darker the less soft the head is. It is empty with an orange
    line where the head looks elsewhere, dashed where there is no head. Orange heads have no tap.
    """
    fit = nearest_kernel(layer, kernel_size, dilation)
    centres = [_point(ellipse.centre) for ellipse in ellipses(layer)]
    reach = [n // 2 * step for n, step in zip(fit.kernel_size, fit.dilation, strict=True)]
    half = (reach[-1] + 1.5, reach[0] + 1.5 if len(reach) == 2 else 0.8)
    inch = min(0.7, 4.0 / max(half))  # of one pixel
    figure, (panel,) = figure_of_panels(1, 1, (max(0.8 + 2 * inch * half[0], 3.6), 0.8 + 2 * inch * half[1]), 0.4)
    _draw_pixels(panel, half)
    if len(reach) == 1:
        panel.set_yticks([])
    for tap in fit.free:
        _square(panel, _point(tap), edgecolor=INK, linestyle="dashed", facecolor="none")
    colours = [
        INK if tap is not None and tap == peak else ORANGE for tap, peak in zip(fit.taps, fit.peaks, strict=True)
    ]
    badges = _badges(panel, centres, colours, half, BADGE / inch)
    for head, tap in enumerate(fit.taps):
        if tap is not None:
            x, y = _point(tap)
            is_inside = abs(centres[head][0]) <= half[0] and abs(centres[head][1]) <= half[1]
            end = centres[head] if is_inside else badges[head]
            _draw_tap(panel, fit, head, below=end[1] < y)
            panel.plot([x, end[0]], [y, end[1]], color=colours[head], linewidth=1)
    sizes = " × ".join(map(str, fit.kernel_size))
    steps = "" if set(fit.dilation) == {1} else f", dilation {' × '.join(map(str, fit.dilation))}"
    farthest = max([distance for distance in fit.distances if distance is not None], default=0.0)
    verdict = "a bijection" if fit.is_bijection else "not a bijection"
    title = f"kernel {sizes}{steps}: {verdict}\nfarthest {farthest:.2g} px, softest {max(fit.softness):.2g}"
    panel.set_title(title, fontsize=9)
    return figure


def _draw_tap(panel: "Axes", fit: KernelFit, head: int, below: bool) -> None:
    """A head's tap, and in the half where its badge is not, how soft the head is or where else it looks."""
    tap, peak, softness = fit.taps[head], fit.peaks[head], fit.softness[head]
    assert tap is not None
    x, y = _point(tap)
    if peak == tap:
        _square(panel, (x, y), facecolor=BLUE, alpha=0.05 + 0.55 * (1 - softness), linewidth=0)
    _square(panel, (x, y), edgecolor=INK, facecolor="none")
    panel.plot([x], [y], marker=".", color=INK, markersize=4)
    elsewhere = "a tie" if peak is None else f"looks at {','.join(map(str, peak))}".replace("-", "−")
    text = f"soft {softness:.2g}" if peak == tap else elsewhere
    panel.text(x, y + (0.28 if below else -0.28), text, ha="center", va="center", fontsize=7, color=INK)


def _draw_ellipses(panel: "Axes", heads: Sequence[Ellipse], reach: int) -> None:
    from matplotlib.patches import Ellipse as Patch

    half = (reach + 0.5, reach + 0.5)
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


def _draw_pixels(panel: "Axes", half: Point) -> None:
    """The faint grid of pixels, `half` to each side of the query, rows downwards."""
    (width, height), lines = half, {"color": FAINT, "linewidth": 0.6, "zorder": 0}
    panel.vlines([n + 0.5 for n in range(-math.ceil(width), math.ceil(width))], -height, height, **lines)
    panel.hlines([n + 0.5 for n in range(-math.ceil(height), math.ceil(height))], -width, width, **lines)
    panel.set(xlim=(-width, width), ylim=(height, -height), aspect="equal")
    panel.tick_params(labelsize=8, length=0, colors=INK)
    panel.locator_params(integer=True, nbins=7)
    panel.spines[:].set_color(FAINT)


def _badges(
    panel: "Axes", centres: Sequence[Point], colours: Sequence[str], half: Point, size: float
) -> Sequence[Point]:
    """The number of each head at its centre, moved aside where two would overlap, or with an arrow at the edge."""
    beyond = [max(abs(x) / half[0], abs(y) / half[1]) for x, y in centres]
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
    return centres


def _spread(points: Sequence[Point], size: float, half: Point) -> list[Point]:
    """Points near these that lie `size` apart in the panel, found by pushing close ones away from each other."""
    room = [max(side - 0.6 * size, 0.0) for side in half]
    moved = [[min(max(n, -side), side) for n, side in zip(point, room, strict=True)] for point in points]
    for _ in range(100):
        for (a, p), (_, q) in itertools.combinations(enumerate(moved), 2):
            dx, dy = q[0] - p[0], q[1] - p[1]
            if math.hypot(dx, dy) < 1e-6 * size:  # they coincide: any direction will do
                dx, dy = 1e-6 * size * math.cos(a), 1e-6 * size * math.sin(a)
            push = (size / math.hypot(dx, dy) - 1) / 2
            if push > 0:
                for point, sign in ((p, -1), (q, 1)):
                    for axis, step in enumerate((dx, dy)):
                        point[axis] = min(max(point[axis] + sign * push * step, -room[axis]), room[axis])
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


def _caption(figure: "Figure", text: str) -> None:
    figure.suptitle(textwrap.fill(text, int(15 * figure.get_figwidth())), fontsize=9)


def _reach(answers: Sequence[Sequence[Ellipse]]) -> int:
    """Pixels to each side of the query that show every head, except those whose centre lies beyond FARTHEST."""
    heads = [head for heads in answers for head in heads if max(map(abs, head.centre)) <= FARTHEST]
    ends = [max(map(abs, head.centre)) + head.half_axes[-1][0] for head in heads]
    return math.ceil(min(max(ends, default=1.0), FARTHEST))


def _span(numbers: Sequence[float | int]) -> Point:
    return min(numbers) - 0.1, max(numbers) + 0.1


def _point(position: Sequence[float | int]) -> Point:
    """Row and column as x and y; a line lies along x."""
    return (position[-1], position[0] if len(position) == 2 else 0.0)


def _colour(head: int) -> str:
    return PALETTE[head % len(PALETTE)]
