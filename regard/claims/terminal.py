"""Charts in characters, for a terminal."""

import math
from collections.abc import Sequence

from rich.text import Text

from regard.claims.chart import Bars, Chart, Lines, Matrices
from regard.claims.drawing import scale

WIDTH, HEIGHT = 60, 14  # characters of a plot
MARKS = "●▲■◆▼✚✖"
STYLES = ("blue", "red", "green", "magenta", "yellow", "cyan", "white")
SHADES = " ░▒▓█"
CELLS = 32  # rows or columns of a matrix; a larger one is drawn by the means of its parts


def in_characters(chart: Chart) -> Text:
    """The chart, its title first."""
    body = {Lines: _lines, Bars: _bars, Matrices: _matrices}[type(chart)](chart)
    return Text.assemble((chart.title, "bold"), "\n", body)


def _lines(chart: Lines) -> Text:
    xs = _axis(chart.x, chart.log_x)
    curves = {name: _axis(values, chart.log_y) for name, values in chart.y.items()}
    points = [y for values in curves.values() for y in values if y is not None]
    low, high = min(points), max(points)
    left, right = min(x for x in xs if x is not None), max(x for x in xs if x is not None)
    cells = [[(" ", "")] * WIDTH for _ in range(HEIGHT)]
    # The first curve last: what was measured stands above the formula that it follows.
    for number, values in reversed(list(enumerate(curves.values()))):
        for x, y in zip(xs, values, strict=True):
            if x is not None and y is not None:
                column = round((x - left) / ((right - left) or 1) * (WIDTH - 1))
                row = HEIGHT - 1 - round((y - low) / ((high - low) or 1) * (HEIGHT - 1))
                cells[row][column] = (MARKS[number % len(MARKS)], STYLES[number % len(STYLES)])
    text = Text()
    for row, line in enumerate(cells):
        end = {0: _number(high, chart.log_y), HEIGHT - 1: _number(low, chart.log_y)}.get(row, "")
        text.append(f"{end:>9} │", "dim")
        text.append(Text.assemble(*line))
        text.append("\n")
    ends = f"{_number(left, chart.log_x)}{_number(right, chart.log_x):>{WIDTH - len(_number(left, chart.log_x))}}"
    text.append(f"{'':>9} └{'─' * WIDTH}\n{'':>11}{ends}\n", "dim")
    text.append(f"{'':>11}{chart.x_label} → {chart.y_label}", "dim")
    for name, place in (chart.marks or {}).items():
        text.append(f"\n{'':>11}┊ {name}: {place:g}", "dim")
    return Text.assemble(text, "\n", _legend(list(chart.y)))


def _axis(values: Sequence[float], log: bool) -> list[float | None]:
    """Places along an axis; None where there is none to show."""
    return [
        None if not math.isfinite(value) or (log and value <= 0) else (math.log10(value) if log else float(value))
        for value in values
    ]


def _number(place: float, log: bool) -> str:
    return f"{10**place if log else place:.3g}"


def _legend(names: Sequence[str]) -> Text:
    parts = [
        Text(f"{MARKS[number % len(MARKS)]} {name}", STYLES[number % len(STYLES)]) for number, name in enumerate(names)
    ]
    return Text.assemble(" " * 11, Text("   ").join(parts))


def _bars(chart: Bars) -> Text:
    room = max(map(len, chart.names))
    values = [value for group in chart.groups.values() for value in group if math.isfinite(value)]
    high = max([abs(value) for value in values], default=1)
    text = Text()
    for index, name in enumerate(chart.names):
        for number, group in enumerate(chart.groups.values()):
            value = group[index]
            length = round(abs(value) / (high or 1) * 40) if math.isfinite(value) else 0
            text.append(f"{name if number == 0 else '':>{room}} ", "dim")
            text.append(f"{'█' * length} {value:.4g}\n", STYLES[number % len(STYLES)])
    text.append(chart.y_label, "dim")
    return Text.assemble(text, "\n", _legend(list(chart.groups))) if len(chart.groups) > 1 else text


def _matrices(chart: Matrices) -> Text:
    low, high = scale(chart)
    text = Text()
    for name, rows in chart.panels.items():
        text.append(f"{name}\n", "bold dim")
        for row in coarse(rows):
            for value in row:
                if not math.isfinite(value):
                    text.append("? ", "dim")
                    continue
                share = abs(value) / high if chart.signed else (value - low) / (high - low)
                shade = SHADES[min(int(share * len(SHADES)), len(SHADES) - 1)] * 2
                text.append(shade, "red" if chart.signed and value > 0 else "blue")
            text.append("▏\n", "dim")
    text.append(f"{chart.row_label} ↓   {chart.column_label} →   dark: {high:.3g}", "dim")
    return text


def coarse(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    """Means over equal parts where a matrix is larger than a terminal shows.

    >>> coarse([[1.0, 2.0]])
    [[1.0, 2.0]]
    >>> len(coarse([[1.0] * 70] * 40)), len(coarse([[1.0] * 70] * 40)[0])
    (20, 24)
    """
    from torch import float64, nn, tensor

    sides = -(-len(rows) // CELLS), -(-len(rows[0]) // CELLS)
    return nn.functional.avg_pool2d(tensor(rows, dtype=float64)[None], sides, ceil_mode=True)[0].tolist()
