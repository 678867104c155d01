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
    """Lines of one panel: by their names, the places and the values; the colour of a name is the same in all panels."""

    title: str
    x: str
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    limits: tuple[float, float] | None = None  # of the values
    logs: tuple[bool, bool] = (False, False)  # whether x and y are drawn as logarithms
    ticks: Sequence[float] | None = None  # of x
    dots: bool = True


def line_figure(panels: Sequence[Panel], columns: int = 2) -> "Figure":
    """Panels side by side, one legend in the first."""
    figure, places = figure_of_panels(len(panels), min(columns, len(panels)), (3.6, 3.0), 0.3)
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    for place, panel in zip(places, panels, strict=True):
        for name, (xs, ys) in panel.lines.items():
            colour = PALETTE[names.index(name) % len(PALETTE)]
            marks = {"marker": "o", "markersize": 4} if panel.dots else {}
            place.plot(xs, ys, color=colour, label=name, linewidth=1.4, **marks)
        for axis, is_log in zip("xy", panel.logs, strict=True):
            if is_log:
                place.set(**{f"{axis}scale": "log"})
        if panel.limits is not None:
            place.set_ylim(*panel.limits)
        if panel.ticks is not None:
            place.set_xticks(panel.ticks, [f"{tick:g}" for tick in panel.ticks])
            place.minorticks_off()
        place.set_title(panel.title, fontsize=9, color=INK)
        place.set_xlabel(panel.x, fontsize=8, color=INK)
        place.tick_params(labelsize=8, colors=INK)
        place.spines[["right", "top"]].set_visible(False)
    if len(names) > 1:
        places[0].legend(frameon=False, fontsize=7)
    return figure


def map_figure(
    maps: Mapping[str, Matrix],
    *,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    axes: tuple[str, str] = ("", ""),
) -> "Figure":
    """Maps side by side, each from white at 0 to blue at 1, with the words of its rows and columns where given."""
    figure, places = figure_of_panels(len(maps), min(3, len(maps)), (3.6, 3.6), 0.3)
    for place, (name, weights) in zip(places, maps.items(), strict=True):
        place.imshow(weights, cmap="Blues", vmin=0, vmax=1)
        place.set_title(name, fontsize=9, color=INK)
        place.set_xticks(range(len(columns)), list(columns))
        place.set_yticks(range(len(rows)), list(rows))
        place.set_ylabel(axes[0], fontsize=8, color=INK)
        place.set_xlabel(axes[1], fontsize=8, color=INK)
        place.tick_params(labelsize=7, colors=INK, length=0)
    return figure


def training_figure(models: Mapping[str, Trained], judged: Sequence[str]) -> "Figure":
    """The loss and the numbers judged by, over the steps, of every training."""
    lines = {name: Metrics(one.folder / "metrics.jsonl").read() for name, one in models.items()}
    panels = []
    for number in ("loss", *judged):
        found = {name: [line for line in own if number in line] for name, own in lines.items()}
        curves = {name: ([line["step"] for line in own], [line[number] for line in own]) for name, own in found.items()}
        panels.append(Panel(title=number, x="step", lines=curves, logs=(False, number == "loss"), dots=False))
    return line_figure(panels)
