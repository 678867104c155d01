"""What reports are made of: templates beside the recipes, and figures of lines, maps and trainings."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from regard.analysis.figures import INK, PALETTE, figure_of_panels
from regard.checks import MissingExtra
from regard.training import Metrics, Trained

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.figure import Figure

Matrix = Sequence[Sequence[float]]


def render(template: str, **values: Any) -> str:
    """The Markdown of a template beside the recipes.

    A template formats a number by `number(".3f")`, a share by `percent(1)`, and text that must stay as it is by `code`.
    """
    return _templates().get_template(template).render(**values)


@cache
def _templates() -> "Environment":
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise MissingExtra("reports", "jinja2", "train") from error
    made = Environment(
        loader=PackageLoader("regard.recipes", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["number"] = format
    made.filters["percent"] = format_percent
    made.filters["code"] = lambda text: textwrap.indent(text, "    ", lambda line: True)  # which no text can end
    return made


def format_percent(share: float, places: int) -> str:
    """A share of one.

    >>> format_percent(0.8333, 1)
    '83.3 %'
    """
    return f"{100 * share:.{places}f} %"


@dataclass(frozen=True, kw_only=True)
class Panel:
    """The lines of one panel by their names, as x and y; a name has the same colour in all panels."""

    title: str
    x: str
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    limits: tuple[float, float] | None = None  # of y
    logs: tuple[bool, bool] = (False, False)  # whether x and y are drawn as logarithms
    ticks: Sequence[float] | None = None  # of x
    dots: bool = True


def line_figure(panels: Sequence[Panel], columns: int = 2) -> "Figure":
    """Panels side by side, one legend in the first."""
    figure, all_axes = figure_of_panels(len(panels), min(columns, len(panels)), (3.6, 3.0), 0.3)
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    for axes, panel in zip(all_axes, panels, strict=True):
        for name, (xs, ys) in panel.lines.items():
            colour = PALETTE[names.index(name) % len(PALETTE)]
            marks = {"marker": "o", "markersize": 4} if panel.dots else {}
            axes.plot(xs, ys, color=colour, label=name, linewidth=1.4, **marks)
        for axis, is_log in zip("xy", panel.logs, strict=True):
            if is_log:
                axes.set(**{f"{axis}scale": "log"})
        if panel.limits is not None:
            axes.set_ylim(*panel.limits)
        if panel.ticks is not None:
            axes.set_xticks(panel.ticks, [f"{tick:g}" for tick in panel.ticks])
            axes.minorticks_off()
        axes.set_title(panel.title, fontsize=9, color=INK)
        axes.set_xlabel(panel.x, fontsize=8, color=INK)
        axes.tick_params(labelsize=8, colors=INK)
        axes.spines[["right", "top"]].set_visible(False)
    if len(names) > 1:
        all_axes[0].legend(frameon=False, fontsize=7)
    return figure


def map_figure(
    maps: Mapping[str, Matrix],
    *,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    labels: tuple[str, str] = ("", ""),
) -> "Figure":
    """Maps side by side, each from white at 0 to blue at 1, with names of rows and columns where they are given."""
    figure, all_axes = figure_of_panels(len(maps), min(3, len(maps)), (3.6, 3.6), 0.3)
    for axes, (name, weights) in zip(all_axes, maps.items(), strict=True):
        axes.imshow(weights, cmap="Blues", vmin=0, vmax=1)
        axes.set_title(name, fontsize=9, color=INK)
        axes.set_xticks(range(len(columns)), list(columns))
        axes.set_yticks(range(len(rows)), list(rows))
        axes.set_ylabel(labels[0], fontsize=8, color=INK)
        axes.set_xlabel(labels[1], fontsize=8, color=INK)
        axes.tick_params(labelsize=7, colors=INK, length=0)
    return figure


def training_figure(models: Mapping[str, Trained], judged: Sequence[str]) -> "Figure":
    """The loss and the numbers that models are judged by, over the steps of every training."""
    lines = {name: Metrics(one.folder / "metrics.jsonl").read() for name, one in models.items()}
    panels = []
    for number in ("loss", *judged):
        found = {name: [line for line in own if number in line] for name, own in lines.items()}
        curves = {name: ([line["step"] for line in own], [line[number] for line in own]) for name, own in found.items()}
        panels.append(Panel(title=number, x="step", lines=curves, logs=(False, number == "loss"), dots=False))
    return line_figure(panels)
