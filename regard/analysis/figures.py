"""What all figures share: colours, and panels in rows.

matplotlib is imported where it is used. A figure belongs to whoever asked for it: no pyplot, no global state. Save it
with `figure.savefig("heads.svg")`; text in an SVG stays text.
"""

import functools
import math
from typing import TYPE_CHECKING, Any, Literal

from regard.checks import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Paul Tol's muted colours, which everybody can tell apart.
PALETTE = ("#332288", "#CC6677", "#117733", "#88CCEE", "#882255", "#DDCC77", "#44AA99", "#AA4499", "#999933")
BLUE, PALE_BLUE, ORANGE, INK, FAINT = "#0072B2", "#A9CDE3", "#D55E00", "#333333", "#e4e4e4"


def figure_of_panels(
    number: int, columns: int, size: tuple[float, float], extra: float, title: str = ""
) -> "tuple[Figure, list[Axes]]":
    """A figure of panels of that size in inches, row after row, with extra height for what stands above or below."""
    rows = math.ceil(number / columns)
    inches = (columns * size[0], rows * size[1] + extra)
    figure = _figure_class()(figsize=inches, layout="constrained", facecolor="white")
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for empty in panels[number:]:
        empty.remove()
    if title:
        figure.suptitle(title, fontsize=10, color=INK)
    return figure, panels[:number]


def style_axes(panel: "Axes", x: str = "", y: str = "", *, grid: Literal["both", "x", "y"] | None = None) -> None:
    """Label the axes, draw them at the left and below alone, and a faint grid behind what is shown."""
    panel.set_xlabel(x, fontsize=9, color=INK)
    panel.set_ylabel(y, fontsize=9, color=INK)
    panel.tick_params(which="both", labelsize=8, colors=INK)
    panel.spines[["right", "top"]].set_visible(False)
    if grid is not None:
        panel.grid(axis=grid, color=FAINT, linewidth=0.6)
        panel.set_axisbelow(True)


def draw_bar(panel: "Axes", row: int, parts: dict[str, float]) -> float:
    """A bar of parts one after the other, each in the colour of its number; where it ends."""
    left = 0.0
    for number, (name, width) in enumerate(parts.items()):
        panel.barh(row, width, left=left, color=PALETTE[number % len(PALETTE)], height=0.6, label=name)
        left += width
    return left


@functools.cache
def _figure_class() -> Any:
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("figures", "matplotlib", "figures") from error

    class TextFigure(Figure):
        """A figure whose text stays text when it is saved as SVG."""

        def savefig(self, fname: Any, **options: Any) -> None:
            with matplotlib.rc_context({"svg.fonttype": "none"}):
                super().savefig(fname, **options)

    return TextFigure
