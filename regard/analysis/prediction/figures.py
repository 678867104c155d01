"""Where the time goes, drawn: the roofline of one machine with a model's modules on it, and the steps of meshes."""

from typing import TYPE_CHECKING, Any

from regard.algorithms.planning.machines import Machine
from regard.algorithms.planning.report import si
from regard.analysis.figures import INK, PALETTE, draw_bar, figure_of_panels, style_axes
from regard.analysis.prediction.cluster import ClusterCost
from regard.analysis.prediction.prediction import Prediction, Spent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 8  # parts that are named


def roofline_figure(time: Prediction, machine: Machine, title: str) -> "Figure":
    """FLOP/s of each part against its FLOPs per byte, below what the machine's memory and arithmetic allow.

    A part is a module with its own operations; those that differ in a number alone are one. The area of a point is its
    share of the time.
    """
    points = _parts(time.modules)
    if not points:
        raise ValueError(f"a roofline needs matrix products: got {title}, which has none; leave out --roofline")
    others = 1 - sum(spent.device for spent in points.values()) / time.device
    how = "compiled" if time.compiled else "eager"
    says = f"{title} on {machine.name}, {how}: {si(time.seconds, 's')} predicted"
    figure, (panel,) = figure_of_panels(1, 1, (7.2, 4.4), 0.5, f"{says}\n{others:.0%} in parts without products")
    places = {name: spent.flops / spent.bytes for name, spent in points.items()}
    low, high = min([1.0, *places.values()]) / 2, 4 * max([machine.half / machine.bandwidth, *places.values()])
    grid = [low * (high / low) ** (n / 99) for n in range(100)]
    for name, rate, line in (("half", machine.half, "-"), ("single", machine.single, ":")):
        roof = [min(rate, x * machine.bandwidth) for x in grid]
        panel.plot(grid, roof, line, color=INK, linewidth=1.4, label=f"{name} precision")
    for number, name in enumerate(sorted(points, key=lambda one: -points[one].device)[:MOST]):
        spent = points[name]
        share, height = spent.device / time.device, spent.flops / spent.device
        label = f"{number + 1}  {name}: {spent.bound}, {share:.0%}"
        size, colour = 60 + 900 * share, PALETTE[number % len(PALETTE)]
        panel.scatter([places[name]], [height], s=size, color=colour, alpha=0.8, zorder=4, label=label)
        centred: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7, "color": "white", "zorder": 5}
        panel.text(places[name], height, str(number + 1), **centred)
    panel.set(xscale="log", yscale="log", xlim=(low, high))
    style_axes(panel, "FLOPs for each byte that is moved", "FLOP/s", grid="both")
    legend = panel.legend(frameon=False, fontsize=7.5, labelcolor=INK, loc="lower right")
    for handle in legend.legend_handles[2:]:
        handle.set_sizes([30.0])  # pyright: ignore[reportAttributeAccessIssue, reportOptionalMemberAccess]
    return figure


def _parts(modules: dict[str, Spent]) -> dict[str, Spent]:
    """Time by module, numbers taken out of their names, where there are products.

    >>> list(
    ...     _parts({"blocks.0.out": Spent(1.0, flops=2.0, bytes=1.0), "blocks.1.out": Spent(1.0, flops=2.0, bytes=1.0)})
    ... )
    ['blocks.*.out']
    """
    found: dict[str, Spent] = {}
    for name, spent in modules.items():
        shown = ".".join(["*" if part.isdecimal() else part for part in name.split(".")]) or "the model itself"
        found[shown] = found.get(shown, Spent()) + spent
    return {name: spent for name, spent in found.items() if spent.flops and spent.bytes and spent.device}


def cluster_figure(found: ClusterCost) -> "Figure":
    """The step of each mesh, as a bar of what it is spent on."""
    job, size = found.job, (7.2, 0.6 + 0.55 * len(found.estimates))
    title = f"{job.architecture.name} on {found.gpus} × {job.machine.name}: GPU-hours"
    figure, (panel,) = figure_of_panels(1, 1, size, 0.9, title)
    names = list(dict.fromkeys([name for one in found.estimates for name in one.seconds]))
    for row, one in enumerate(found.estimates):
        end = draw_bar(panel, row, {name: one.seconds.get(name, 0.0) for name in names})
        panel.text(end, row, f" {found.hours(one):,.0f} h", va="center", fontsize=8, color=INK)
    panel.set_yticks(range(len(found.estimates)), [str(one.mesh) for one in found.estimates], fontsize=8, color=INK)
    panel.invert_yaxis()
    style_axes(panel, "seconds of a step")
    panel.margins(x=0.15)
    handles: Any = panel.containers[: len(names)]  # of the first bar, which has all of them
    figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    return figure
