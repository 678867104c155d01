"""Charts as SVG, by matplotlib."""

import io
import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from regard.analysis.figures import INK, figure_of_panels, style_axes
from regard.claims.chart import Bars, Chart, Lines, Matrices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which all eyes tell apart; the lines' own marks say the rest.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#666666")
MARKS = ("o", "s", "^", "D", "v", "P", "X")
LABELLED = 12  # at most so many rows or columns carry a label
WRITTEN = 8  # up to so many columns, cells carry their numbers


def draw(chart: Chart) -> "Figure":
    """The chart as a figure."""
    if isinstance(chart, Matrices):
        return _matrices(chart)
    figure, (panel,) = figure_of_panels(1, 1, (6.0, 3.4), 0.3)
    (_lines if isinstance(chart, Lines) else _bars)(panel, chart)  # pyright: ignore[reportArgumentType]
    _title(figure, chart.title)
    return figure


def svg(chart: Chart, name: str) -> str:
    """The chart as the text of an SVG, to stand in a page; `name` makes its inner names its own there."""
    figure = draw(chart)  # says what to install where matplotlib is missing
    import matplotlib

    page = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.id": f"figure-{name}"}):
        figure.savefig(page, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = page.getvalue()
    return text[text.index("<svg") :]


def _title(figure: "Figure", title: str) -> None:
    letters = round(14 * figure.get_figwidth())  # that stand in one line
    figure.suptitle("\n".join(textwrap.wrap(title, letters)), fontsize=10, color=INK)


def _lines(panel: "Axes", chart: Lines) -> None:
    for number, (name, values) in enumerate(chart.y.items()):
        colour = COLOURS[number % len(COLOURS)]
        sparse = len(chart.x) <= 30
        panel.plot(
            chart.x,
            values,
            color=colour,
            marker=MARKS[number % len(MARKS)] if sparse else None,
            markersize=4,
            linewidth=1.6,
            label=name,
        )
        if name in (chart.bands or {}):
            low, high = (chart.bands or {})[name]
            panel.fill_between(chart.x, low, high, color=colour, alpha=0.18, linewidth=0)
    if chart.log_x:
        _logarithmic(panel.xaxis, chart.x)
    if chart.log_y:
        _logarithmic(panel.yaxis, [value for values in chart.y.values() for value in values])
    for name, place in (chart.marks or {}).items():
        panel.axvline(place, color=INK, linestyle=":", linewidth=1)
        panel.text(place, 1.0, f" {name}", transform=panel.get_xaxis_transform(), fontsize=8, color=INK, va="bottom")
    style_axes(panel, chart.x_label, chart.y_label, grid="y")
    if len(chart.y) > 1:
        panel.legend(frameon=False, fontsize=8)


def _bars(panel: "Axes", chart: Bars) -> None:
    width = 0.8 / len(chart.groups)
    for number, (name, values) in enumerate(chart.groups.items()):
        places = [place + (number - (len(chart.groups) - 1) / 2) * width for place in range(len(chart.names))]
        panel.bar(places, values, width=0.92 * width, color=COLOURS[number % len(COLOURS)], label=name)
    panel.set_xticks(range(len(chart.names)), chart.names)
    if max(map(len, chart.names)) * len(chart.names) > 70:
        panel.tick_params(axis="x", rotation=25)
    style_axes(panel, y=chart.y_label, grid="y")
    if len(chart.groups) > 1:
        panel.legend(frameon=False, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)


def _matrices(chart: Matrices) -> "Figure":
    columns = min(len(chart.panels), 4)
    figure, panels = figure_of_panels(len(chart.panels), columns, (2.6 if columns > 2 else 3.2, 2.9), 0.4)
    low, high = scale(chart)
    image = None
    for panel, (name, rows) in zip(panels, chart.panels.items(), strict=True):
        image = panel.imshow(
            rows, cmap="RdBu_r" if chart.signed else "Blues", vmin=low, vmax=high, interpolation="nearest"
        )
        panel.set_title(name, fontsize=9, color=INK)
        _label(panel, rows, chart)
        if len(rows[0]) <= WRITTEN and len(rows) <= WRITTEN:
            _write(panel, rows, low, high, chart.signed)
    values = {value for rows in chart.panels.values() for row in rows for value in row}
    if image is not None and not values <= {0, 1}:
        figure.colorbar(image, ax=panels, shrink=0.7).ax.tick_params(labelsize=8)
    figure.supxlabel(chart.column_label, fontsize=9, color=INK)
    figure.supylabel(chart.row_label, fontsize=9, color=INK)
    _title(figure, chart.title)
    return figure


def scale(chart: Matrices) -> tuple[float, float]:
    """The ends of the colour scale: around zero, or from zero or the least value to the largest."""
    numbers = [value for rows in chart.panels.values() for row in rows for value in row if math.isfinite(value)]
    largest = max([abs(value) for value in numbers], default=1.0) or 1.0
    return (-largest, largest) if chart.signed else (min(0.0, *numbers), max(numbers) or 1.0)


def _logarithmic(axis: "Axis", values: Sequence[float]) -> None:
    """A logarithmic axis, whose few places are written out where they lie within a decade or two."""
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator, StrMethodFormatter

    (axis.axes.set_xscale if axis is axis.axes.xaxis else axis.axes.set_yscale)("log")
    positive = [value for value in values if value > 0]
    axis.set_minor_formatter(NullFormatter())
    if positive and max(positive) < 300 * min(positive):
        axis.set_major_locator(LogLocator(2 if min(positive) >= 1 else 10, subs=(1.0,), numticks=12))
        axis.set_minor_locator(NullLocator())
        if min(positive) >= 1:
            axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _label(panel: "Axes", rows: Sequence[Sequence[float]], chart: Matrices) -> None:
    """Name rows and columns; a few without names are numbered from 1, as in the texts and on the page."""
    panel.locator_params(axis="both", integer=True, nbins=6)
    for given, count, place in (
        (chart.rows, len(rows), panel.set_yticks),
        (chart.columns, len(rows[0]), panel.set_xticks),
    ):
        names = [str(n) for n in range(1, count + 1)] if given is None and count <= LABELLED else given
        if names is not None and len(names) == count:
            step = -(-count // LABELLED)  # one label in so many
            place(range(0, count, step), names[::step])
    if chart.columns is not None and max(map(len, chart.columns)) * len(chart.columns) > 24:
        panel.tick_params(axis="x", rotation=30)
    panel.tick_params(labelsize=8, colors=INK, length=0)


def _write(panel: "Axes", rows: Sequence[Sequence[float]], low: float, high: float, signed: bool) -> None:
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            share = (value - low) / (high - low)
            dark = share > 0.6 if not signed else abs(2 * share - 1) > 0.7
            panel.text(j, i, f"{value:.2g}", ha="center", va="center", fontsize=7, color="white" if dark else INK)
