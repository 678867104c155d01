"""Figures of claims as plain numbers, which the page draws."""

import math
from collections.abc import Iterable
from typing import Literal

from regard.claims import Bars, Chart, Lines, Matrices
from regard.explore.api import Reply

Number = int | float | None  # None where it is not finite


class Curve(Reply):
    """A curve, with the ends of its band where it has one."""

    name: str
    y: list[Number]
    low: list[Number] | None
    high: list[Number] | None


class LinesChart(Reply):
    """Curves over one axis."""

    kind: Literal["lines"]
    title: str
    x: list[Number]
    curves: list[Curve]
    x_label: str
    y_label: str
    log_x: bool
    log_y: bool
    marks: dict[str, float]


class BarsChart(Reply):
    """Numbers by name, side by side."""

    kind: Literal["bars"]
    title: str
    names: list[str]
    groups: dict[str, list[Number]]
    y_label: str
    log_y: bool


class Panel(Reply):
    """A matrix, row by row."""

    name: str
    rows: int
    columns: int
    values: list[Number]


class MatricesChart(Reply):
    """Matrices side by side in one scale, of which `limit` is the end."""

    kind: Literal["matrices"]
    title: str
    panels: list[Panel]
    row_label: str
    column_label: str
    rows: list[str] | None
    columns: list[str] | None
    signed: bool
    limit: float


ChartData = LinesChart | BarsChart | MatricesChart


def chart_data(chart: Chart) -> ChartData:
    """The numbers of a figure."""
    match chart:
        case Lines():
            return _lines(chart)
        case Bars():
            return BarsChart(
                kind="bars",
                title=chart.title,
                names=list(chart.names),
                groups={name: _numbers(values) for name, values in chart.groups.items()},
                y_label=chart.y_label,
                log_y=chart.log_y,
            )
        case Matrices():
            return _matrices(chart)


def _lines(chart: Lines) -> LinesChart:
    bands = chart.bands or {}
    curves = [
        Curve(
            name=name,
            y=_numbers(values),
            low=_numbers(bands[name][0]) if name in bands else None,
            high=_numbers(bands[name][1]) if name in bands else None,
        )
        for name, values in chart.y.items()
    ]
    return LinesChart(
        kind="lines",
        title=chart.title,
        x=_numbers(chart.x),
        curves=curves,
        x_label=chart.x_label,
        y_label=chart.y_label,
        log_x=chart.log_x,
        log_y=chart.log_y,
        marks=chart.marks or {},
    )


def _matrices(chart: Matrices) -> MatricesChart:
    from regard.claims.drawing import scale

    low, high = scale(chart)
    panels = [
        Panel(name=name, rows=len(rows), columns=len(rows[0]), values=_numbers(value for row in rows for value in row))
        for name, rows in chart.panels.items()
    ]
    return MatricesChart(
        kind="matrices",
        title=chart.title,
        panels=panels,
        row_label=chart.row_label,
        column_label=chart.column_label,
        rows=None if chart.rows is None else list(chart.rows),
        columns=None if chart.columns is None else list(chart.columns),
        signed=low < 0,
        limit=max(-low, high),
    )


def _numbers(values: Iterable[float]) -> list[Number]:
    """Whole numbers are written without a point: masks are long, and made of them."""
    return [_number(float(value)) for value in values]


def _number(value: float) -> Number:
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
