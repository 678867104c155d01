"""Costs against a size, part by part, as matplotlib figures; `figure.savefig("cost.svg")` keeps text as text."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regard.algorithms.planning.report import si
from regard.analysis.cost.polynomials import Crossover, Formulas, check_symbol, crossovers
from regard.analysis.cost.report import ModelCost
from regard.analysis.figures import INK, ORANGE, figure_of_panels, style_axes
from regard.formulas import Polynomial, write_sympy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999933")  # Okabe and Ito's
MAX_PARTS = len(COLOURS)  # smaller ones are drawn as one
POINTS = 96
LONGEST = 36  # characters of a formula beside a line

Curves = dict[str, list[float]]  # FLOPs at each size, by part


def cost_figure(found: Formulas, symbol: str = "N", *, title: str | None = None) -> "Figure":
    """Forward FLOPs against a size, both in logarithms, by part: attention, its projections, and what else there is.

    Dotted lines stand where attention costs as much as the rest of a module. The point is the total at the formulas'
    own size.
    """
    check_symbol(found, symbol)
    marks = [mark for mark in crossovers(found, symbol) if mark.value is not None]
    here = found.sizes[symbol]
    marked = [here, *[mark.value for mark in marks if mark.value is not None]]
    low, high = max(min(marked) / 8, 1), 8 * max(marked)  # nearly a decade to each side
    sizes = [low * (high / low) ** (step / (POINTS - 1)) for step in range(POINTS)]
    places: list[dict[str, Any]] = [found.sizes | {symbol: n} for n in sizes]
    curves = {name: [float(part(**place)) for place in places] for name, part in split_cost(found).items()}
    others = " · ".join(f"{name} = {size:,}" for name, size in found.sizes.items() if name != symbol)
    figure, panel = _draw_curves(symbol, sizes, curves, title or found.modules[0].kind, others)
    panel.set_xlim(low, high)
    _draw_crossovers(panel, marks)
    total = float(found.forward(**found.sizes))
    panel.plot([here], [total], marker="o", color=ORANGE, markeredgecolor="white", markersize=8, zorder=5)
    text = f"{symbol} = {here:,}: {si(total, 'FLOP')}"
    above = {"textcoords": "offset points", "ha": "right", "fontsize": 8.5, "color": INK, "zorder": 5}
    panel.annotate(text, (here, total), (-8, 8), **above)
    return figure


def cost_figure_of_counts(counts: Mapping[int, ModelCost], title: str | None = None) -> "Figure":
    """Forward FLOPs of a model without formulas: its counts at several sizes, joined by lines."""
    if len(counts) < 2:
        raise ValueError(f"counts must be at two sizes or more: got {len(counts)}; count the model at another size")
    if min(counts) < 1:
        raise ValueError(f"sizes must be at least 1: got {min(counts)}")
    sizes = sorted(counts)
    found = [split_cost(counts[size]) for size in sizes]
    names = dict.fromkeys([name for part in found for name in part])
    curves = {name: [float(part.get(name, 0)) for part in found] for name in names}
    kind = counts[sizes[0]].modules[0].kind
    return _draw_curves("N", sizes, curves, title or kind, "", marker="o", markersize=3)[0]


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


def split_cost(found: Formulas | ModelCost) -> dict[str, Any]:
    """What the forward FLOPs are made of: attention, its projections, and other modules by their names.

    >>> import torch
    >>> from torch import nn
    >>> from regard.analysis.cost.symbolic import formulas
    >>> def make(N, D):
    ...     return nn.TransformerEncoderLayer(D, 8, 4 * D), (torch.empty(N, 1, D, device="meta"),)
    >>> split_cost(formulas(make, factors={"D": 8}, N=16, D=64))
    {'attention': 4·D·N², 'projections': 8·D²·N, 'linear1 + linear2': 16·D²·N}
    """
    if isinstance(found, Formulas):
        rows = [Row(row.name, row.kind, row.forward, row.attention) for row in found.modules]
    else:
        rows = [Row(row.name, row.kind, row.forward.flops, row.attention) for row in found.modules]
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


def _draw_curves(
    symbol: str, sizes: Sequence[float], curves: Curves, title: str, facts: str, **style: Any
) -> "tuple[Figure, Axes]":
    """The total and its parts on logarithmic axes; beyond seven parts the smallest are one."""
    if len(curves) > MAX_PARTS:
        by_size = sorted(curves, key=lambda name: -max(curves[name]))
        others = [curves[name] for name in by_size[MAX_PARTS - 1 :]]
        curves = {name: flops for name, flops in curves.items() if name in by_size[: MAX_PARTS - 1]}
        curves["others"] = [sum(flops) for flops in zip(*others, strict=True)]
    figure, (panel,) = figure_of_panels(1, 1, (7.2, 4.4), 0.5, f"{title}: forward FLOPs\n{facts}".rstrip())
    panel.set(xscale="log", yscale="log")
    style_axes(panel, symbol, "forward FLOPs", grid="both")
    total = [sum(flops) for flops in zip(*curves.values(), strict=True)]
    lines: list[tuple[str, Sequence[float], str, str, float]] = [("total", total, "-", INK, 2.2)]
    for number, ((name, flops), colour) in enumerate(zip(curves.items(), COLOURS, strict=False)):
        dashes = "-" if number < 2 else "--" if number % 2 else "-."  # parts that cost the same show through
        lines.append((name, flops, dashes, colour, 1.5))
    for name, flops, dashes, colour, width in lines:
        shown = [n if n > 0 else math.nan for n in flops]  # 0 has no logarithm
        panel.plot(sizes, shown, dashes, color=colour, linewidth=width, label=name, **style)
    figure.legend(loc="outside right upper", frameon=False, fontsize=8.5, labelcolor=INK)
    return figure, panel


def _draw_crossovers(panel: "Axes", marks: Sequence[Crossover]) -> None:
    """A dotted line at each size where attention costs as much as the rest of a module, and its formula along it."""
    width = math.log(panel.get_xlim()[1] / panel.get_xlim()[0])
    last, is_high = -math.inf, False
    for mark in marks:
        assert mark.value is not None
        place = math.log(mark.value) / width
        is_high = place - last < 0.04 and not is_high  # too near for two labels side by side: one below, one above
        last = place
        formula = "" if mark.at is None else write_sympy(mark.at)
        shown = f" = {formula}" if 0 < len(formula) <= LONGEST else ""
        panel.axvline(mark.value, color=INK, linewidth=0.9, linestyle=":", zorder=1)
        panel.text(
            mark.value,
            0.98 if is_high else 0.02,
            f"{mark.kind}: {mark.symbol}*{shown} {mark.number}",
            transform=panel.get_xaxis_transform(),
            rotation=90,
            ha="right",
            va="top" if is_high else "bottom",
            fontsize=7.5,
            color=INK,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.6},
        )
