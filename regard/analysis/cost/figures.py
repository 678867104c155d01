"""Costs against a size, part by part, as matplotlib figures; `figure.savefig("cost.svg")` keeps text as text."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from regard.algorithms.planning.report import si
from regard.analysis.cost.polynomials import Crossover, Formulas, check_symbol, crossovers
from regard.analysis.cost.report import ModelCost
from regard.analysis.figures import FAINT, INK, ORANGE, figure_of_panels
from regard.analysis.formulas import Polynomial, write_sympy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999933")  # Okabe and Ito's
MOST = len(COLOURS)  # parts; smaller ones are drawn as one
POINTS = 96
LONGEST = 36  # characters of a formula beside a line


@dataclass(frozen=True)
class Curve:
    """One part of the cost: FLOPs at each size."""

    name: str
    flops: Sequence[float]


def cost_figure(
    found: Formulas,
    symbol: str = "N",
    at: Mapping[str, int] | None = None,
    *,
    span: tuple[float, float] | None = None,
    title: str | None = None,
) -> "Figure":
    """Forward FLOPs against a size, both in logarithms, by part: attention, its projections, and what else there is.

    Dotted lines stand where attention costs as much as the rest of a module. `at` changes other sizes, `span` the
    range; by default it holds the size of the formulas and all crossovers. The point is the total at that size.
    """
    check_symbol(found, symbol)
    for name in at or {}:
        check_symbol(found, name)
    found = replace(found, sizes=found.sizes | dict(at or {}))
    marks = [mark for mark in crossovers(found, symbol) if mark.value is not None]
    here = found.sizes[symbol]
    low, high = _span(span, [here, *[mark.value for mark in marks if mark.value is not None]])
    sizes = [low * (high / low) ** (step / (POINTS - 1)) for step in range(POINTS)]
    curves = [Curve(name, [_value(part, found, symbol, size) for size in sizes]) for name, part in parts(found).items()]
    figure, panel = _panel(symbol)
    _draw(panel, sizes, _few(curves))
    panel.set_xlim(low, high)
    _mark(panel, [mark for mark in marks if mark.value is not None and low <= mark.value <= high])
    if low <= here <= high:
        _point(panel, symbol, here, found.forward(**found.sizes))
    others = " · ".join(f"{name} = {size:,}" for name, size in found.sizes.items() if name != symbol)
    _finish(figure, f"{title or found.modules[0].kind}: forward FLOPs", others)
    return figure


def cost_figure_of_counts(counts: Mapping[int, ModelCost], symbol: str = "N", title: str | None = None) -> "Figure":
    """The same for a model without formulas: its counts at several sizes, joined by lines."""
    if len(counts) < 2:
        raise ValueError(f"counts must be at two sizes or more: got {len(counts)}; count the model at another size")
    if min(counts) < 1:
        raise ValueError(f"sizes must be at least 1: got {min(counts)}")
    sizes = sorted(counts)
    found = [parts_of_count(counts[size]) for size in sizes]
    names = dict.fromkeys([name for part in found for name in part])
    curves = [Curve(name, [float(part.get(name, 0)) for part in found]) for name in names]
    figure, panel = _panel(symbol)
    _draw(panel, sizes, _few(curves), marker="o", markersize=3)
    _finish(figure, f"{title or counts[sizes[0]].modules[0].kind}: forward FLOPs", "")
    return figure


@dataclass(frozen=True)
class Row:
    """One module with all that is inside it: its forward FLOPs, and of those the ones of attention."""

    name: str
    kind: str
    forward: Any
    attention: Any

    @property
    def label(self) -> str:
        """Its name in the module around it, or its kind where that is a number."""
        last = self.name.rpartition(".")[2]
        return self.kind if last == "" or last.isdigit() else last.replace("_", " ")


def parts(found: Formulas) -> dict[str, Polynomial]:
    """What the forward FLOPs are made of: attention, its projections, and other modules by their names.

    >>> import torch
    >>> from torch import nn
    >>> from regard.analysis.cost.symbolic import formulas
    >>> def make(N, D):
    ...     return nn.TransformerEncoderLayer(D, 8, 4 * D), (torch.empty(N, 1, D, device="meta"),)
    >>> parts(formulas(make, factors={"D": 8}, N=16, D=64))
    {'attention': 4·D·N², 'projections': 8·D²·N, 'linear1 + linear2': 16·D²·N}
    """
    return _parts([Row(row.name, row.kind, row.forward, row.attention) for row in found.modules])


def parts_of_count(counted: ModelCost) -> dict[str, int]:
    """The same in numbers."""
    return _parts([Row(row.name, row.kind, row.forward.flops, row.attention) for row in counted.modules])


def _parts(rows: list[Row]) -> dict[str, Any]:
    children: dict[str, list[Row]] = {}
    for row in rows[1:]:
        children.setdefault(row.name.rpartition(".")[0], []).append(row)
    total: dict[str, Any] = {"attention": 0, "projections": 0}
    _split(rows[0], children, 1, total)
    return {name: part for name, part in total.items() if part != 0}


def _split(row: Row, children: dict[str, list[Row]], times: Any, total: dict[str, Any]) -> None:
    """Add the parts of one module: it is the attention layer, or its modules that hold attention are split further."""

    def add(name: str, flops: Any) -> None:
        total[name] = total.get(name, 0) + times * flops

    inside = [child for child in children.get(row.name, []) if child.forward != 0]
    holders = [child for child in inside if child.attention != 0]
    layers = Polynomial.symbol("L")
    if len(inside) == 1 and inside[0].forward != row.forward and layers * inside[0].forward == row.forward:
        _split(inside[0], children, times * layers, total)  # of the layers of a preset the first is there
        return
    if _is_layer(row, children):
        add("attention", row.attention)
        add("projections", row.forward - row.attention)
        return
    for child in holders:
        _split(child, children, times, total)
    others = [child for child in inside if child.attention == 0]
    if any(_is_layer(child, children) for child in holders):  # a block: what stands beside attention is one part
        if others:
            add(" + ".join(dict.fromkeys([child.label for child in others])), sum(child.forward for child in others))
    else:
        for child in others:
            add(child.label, child.forward)
    own, mixed = (sum(getattr(child, name) for child in inside) for name in ("forward", "attention"))
    add("attention", row.attention - mixed)
    add(f"{row.kind} itself", row.forward - own - (row.attention - mixed))


def _is_layer(row: Row, children: dict[str, list[Row]]) -> bool:
    """An attention layer: no module inside holds attention, or it is called attention, with projections around that."""
    holders = [child for child in children.get(row.name, []) if child.attention != 0]
    name = row.name.rpartition(".")[2].lower()
    called_so = "attention" in name or "attn" in name
    return row.attention != 0 and (not holders or (called_so and any(_is_layer(child, children) for child in holders)))


def _value(part: Polynomial, found: Formulas, symbol: str, size: float) -> float:
    return float(part(**(found.sizes | {symbol: size})))  # pyright: ignore[reportArgumentType]


def _span(span: tuple[float, float] | None, sizes: list[int | float]) -> tuple[float, float]:
    """A decade, nearly, to each side of all that is marked."""
    if span is None:
        return max(min(sizes) / 8, 1), 8 * max(sizes)
    low, high = span
    if not 0 < low < high:
        raise ValueError(f"span must be two sizes, 0 < from < to: got {low} and {high}")
    return low, high


def _few(curves: list[Curve]) -> list[Curve]:
    """The largest parts; the others as one."""
    if len(curves) <= MOST:
        return curves
    by_size = sorted(curves, key=lambda curve: -max(curve.flops))
    kept, others = by_size[: MOST - 1], by_size[MOST - 1 :]
    rest = Curve("others", [sum(flops) for flops in zip(*[curve.flops for curve in others], strict=True)])
    return [*[curve for curve in curves if curve in kept], rest]


def _panel(symbol: str) -> "tuple[Figure, Axes]":
    figure, (panel,) = figure_of_panels(1, 1, (7.2, 4.4), 0.5)
    panel.set(xscale="log", yscale="log")
    panel.set_xlabel(symbol, fontsize=9, color=INK)
    panel.set_ylabel("forward FLOPs", fontsize=9, color=INK)
    panel.tick_params(which="both", labelsize=8, colors=INK)
    panel.grid(color=FAINT, linewidth=0.6)
    panel.set_axisbelow(True)
    panel.spines[["right", "top"]].set_visible(False)
    return figure, panel


def _draw(panel: "Axes", sizes: Sequence[float], curves: Sequence[Curve], **style: Any) -> None:
    total = [sum(flops) for flops in zip(*[curve.flops for curve in curves], strict=True)]
    panel.plot(sizes, _shown(total), color=INK, linewidth=2.2, label="total", **style)
    for number, (curve, colour) in enumerate(zip(curves, COLOURS, strict=False)):
        dashes = "-" if number < 2 else "--" if number % 2 else "-."  # parts that cost the same show through
        panel.plot(sizes, _shown(curve.flops), dashes, color=colour, linewidth=1.5, label=curve.name, **style)


def _shown(flops: Sequence[float]) -> list[float]:
    """A logarithm has no place for nothing."""
    return [n if n > 0 else math.nan for n in flops]


def _mark(panel: "Axes", marks: Sequence[Crossover]) -> None:
    """A dotted line at each size where attention costs as much as the rest of a module, and its formula along it."""
    width = math.log(panel.get_xlim()[1] / panel.get_xlim()[0])
    last, is_high = -math.inf, False
    for mark in marks:
        assert mark.value is not None
        place = math.log(mark.value) / width
        is_high = place - last < 0.04 and not is_high  # too near for two labels side by side: one below, one above
        last = place
        panel.axvline(mark.value, color=INK, linewidth=0.9, linestyle=":", zorder=1)
        panel.text(
            mark.value,
            0.98 if is_high else 0.02,
            _label(mark),
            transform=panel.get_xaxis_transform(),
            rotation=90,
            ha="right",
            va="top" if is_high else "bottom",
            fontsize=7.5,
            color=INK,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.6},
        )


def _label(mark: Crossover) -> str:
    """The kind of the module and where it crosses, without a formula that is too long to read."""
    place, formula = mark.crossing, "" if mark.at is None else write_sympy(mark.at)
    shown = f" = {formula}" if formula and len(formula) <= LONGEST else ""
    return f"{mark.kind}: {place.symbol}*{shown} {place.number}"


def _point(panel: "Axes", symbol: str, here: int, flops: Any) -> None:
    panel.plot([here], [float(flops)], marker="o", color=ORANGE, markeredgecolor="white", markersize=8, zorder=5)
    text = f"{symbol} = {here:,}: {si(float(flops), 'FLOP')}"
    panel.annotate(
        text, (here, float(flops)), (-8, 8), textcoords="offset points", ha="right", fontsize=8.5, color=INK, zorder=5
    )


def _finish(figure: "Figure", title: str, facts: str) -> None:
    figure.suptitle(f"{title}\n{facts}".rstrip(), fontsize=10, color=INK)
    figure.legend(loc="outside right upper", frameon=False, fontsize=8.5, labelcolor=INK)
