"""Pictures of masks as matplotlib figures, made of rectangles: one pattern, or a gallery of all there are."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from regard.analysis.figures import BLUE, INK, ORANGE, figure_of_panels
from regard.analysis.patterns import Cells, PatternPicture, View, picture
from regard.attention import Grid, Mask, Places
from regard.attention.notation import parse_mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALE = "#A9CDE3"  # cells of which a part is visible
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
ON_GRID = ("neighbours(1, 1)", "same_row", "same_column", "axial", "tiles(4, 4)", "tiles(4, 4, down=2, right=2)")


def draw_pattern(
    mask: Mask,
    tokens: int | Places,
    keys: int | None = None,
    *,
    pixel: tuple[int, int] | None = None,
    row: int = 0,
    title: str | None = None,
) -> "Figure":
    """The map of a mask, a row for each query; on a grid also what one pixel sees. Arguments are those of `picture`."""
    return draw_picture(picture(mask, tokens, keys, pixel=pixel, row=row), title)


def draw_picture(picture: PatternPicture, title: str | None = None) -> "Figure":
    """The same for a picture that is there already."""
    number = 1 if picture.view is None else 2
    figure, panels = figure_of_panels(number, number, (3.4, 3.6), 0.3)
    cell = "" if picture.cell == 1 else f"\ncells of {picture.cell} × {picture.cell} pairs, pale where in part"
    _draw_map(panels[0], picture, f"{100 * picture.share:.3g} % of the pairs are visible{cell}")
    if picture.view is not None:
        _draw_view(panels[1], picture.view, f"the query at {picture.view.pixel} sees {picture.view.seen:,} keys")
    figure.suptitle(title or picture.mask, fontsize=10, color=INK)
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
    for level, colour in ((2, BLUE), (1, PALE)):
        patch = _patch(list(_rectangles(cells, level)), colour)
        if patch is not None:
            panel.add_patch(patch)
    panel.set(xlim=(0, len(cells[0])), ylim=(len(cells), 0), aspect="equal", xticks=[], yticks=[])
    panel.spines[:].set(color=INK, linewidth=0.6)
    panel.set_title(title, fontsize=8.5, color=INK)


def _patch(rectangles: list[tuple[int, int, int, int]], colour: str) -> Any:
    """All rectangles as one path: a thousandth of the size of a thousand paths."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if not rectangles:
        return None
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
        runs = list(_runs(cells[y], level)) if y < len(cells) else []
        for run in [run for run in going if run not in runs]:
            top = going.pop(run)
            yield run[0], top, run[1] - run[0], y - top
        for run in runs:
            going.setdefault(run, y)


def _runs(line: tuple[int, ...], level: int) -> Iterator[tuple[int, int]]:
    """First and one past the last of neighbours that have the level."""
    edges = [
        x for x in range(len(line) + 1) if (x < len(line) and line[x] == level) != (x > 0 and line[x - 1] == level)
    ]
    return zip(edges[::2], edges[1::2], strict=True)
