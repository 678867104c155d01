"""What the heads of an image model do in training: where gaussian heads go, what others look at, which are degenerate.

What is measured comes first, the figures last.
"""

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from regard.analysis import nearest_kernel
from regard.analysis.convolution.heads import KINDS, examine, prune, term_of
from regard.analysis.figures import INK, ORANGE, figure_of_panels
from regard.attention import Grid, Quadratic
from regard.models import GridModel
from regard.recipes.report import Panel, line_figure
from regard.training import Recording, Trained, expand

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MASS = 0.9  # of a head's weight, inside its ellipse
NARROWER, FURTHER = 0.95, 0.1  # what counts as narrower, as a factor, and as further out, in tokens
DEGENERATE = (*KINDS, "degenerate")  # in one way, or in any


@dataclass(frozen=True)
class Playback:
    """What one training recorded, step by step."""

    recording: Recording
    side: int  # of the images, in tokens

    @cached_property
    def steps(self) -> list[int]:
        return self.recording.steps()

    @cached_property
    def heads(self) -> list[list[Quadratic]]:
        """Gaussian heads by step and layer, with a matrix of precision each; no layers where the heads are others."""
        found = []
        for step in self.steps:
            kept = self.recording.read(step)
            layers = range(sum(name.startswith("heads.") for name in kept) // 2)
            found.append([heads_of(kept[f"heads.{n}.centre"], kept[f"heads.{n}.precision"]) for n in layers])
        return found

    def maps(self, step: int) -> tuple[Tensor, dict[tuple[int, int], Tensor]]:
        """The queries, and the maps (H, T, S) by image and layer."""
        kept = self.recording.read(step)
        names = sorted(name for name in kept if name.startswith("maps."))
        keys = [(int(name.split(".")[1].removeprefix("image-")), int(name.split(".")[2])) for name in names]
        every = torch.arange(self.side**2)
        return kept.get("queries", every), {key: expand(kept[name]) for key, name in zip(keys, names, strict=True)}


def heads_of(centre: Tensor, precision: Tensor) -> Quadratic:
    """Heads with a matrix of precision each, in float64."""
    return term_of(Quadratic(centre, precision))[0]


def distances(heads: Quadratic) -> Tensor:
    """Distances of the centres from the query, (H,)."""
    return heads.centre.norm(dim=1)


def widths(heads: Quadratic) -> Tensor:
    """Standard deviations along an axis, (H,): 1/√(2α) of precision α, else their geometric mean, det(2M)^(−1/4).

    >>> widths(heads_of(torch.zeros(2, 2), torch.tensor([[0.5, 0.5], [0.5, 0.125]]))).tolist()
    [1.0, 1.41...]
    """
    return torch.linalg.det(2 * heads.precision).pow(-0.25)


def area(heads: Quadratic, side: int) -> int:
    """The number of offsets between pixels inside some head's ellipse of 90 % of its weight.

    Inside means exp(−xᵀMx) ≥ 0.1, with x from the centre.

    >>> area(heads_of(torch.tensor([[0.0, 0.0], [2.0, 0.0]]), torch.tensor([2.0, 2.0])), side=8)
    9
    """
    line = torch.arange(-side + 1, side, dtype=torch.float64)
    away = torch.cartesian_prod(line, line)[:, None] - heads.centre.cpu()  # (offsets, H, 2)
    form = torch.einsum("ohi,hij,ohj->oh", away, heads.precision.cpu(), away)
    return int((form <= -math.log(1 - MASS)).any(1).sum())


def outward(first: Sequence[Quadratic], last: Sequence[Quadratic]) -> int:
    """The number of heads above the lowest layer that end narrower and further out than they began."""
    pairs = zip(first[1:], last[1:], strict=True)
    moved = [(widths(b) < NARROWER * widths(a)) & (distances(b) > distances(a) + FURTHER) for a, b in pairs]
    return sum(int(layer.sum()) for layer in moved)


def spread(queries: Tensor, maps: Tensor, side: int) -> tuple[float, float]:
    """The mean distance of the keys from the query, by their weights, and their number: exp of the entropy.

    >>> spread(torch.arange(4), torch.full((1, 4, 4), 0.25), 2)
    (0.85..., 4.0...)
    """
    weights = maps / maps.sum(-1, keepdim=True)
    place = torch.stack([torch.arange(side**2) // side, torch.arange(side**2) % side], 1).float()
    away = torch.cdist(place[queries], place)
    entropy = -torch.xlogy(weights, weights).sum(-1)
    return (weights * away).sum(-1).mean().item(), entropy.exp().mean().item()


def list_heads(played: Mapping[str, Playback], numbers: Mapping[str, float], side: int) -> dict[str, float]:
    """Every head before and after, for claims to read: `run.evaluation.layer.head.row`, `….column` and `….width`."""
    found = {"side": float(side)}
    for name, one in played.items():
        run = name.removeprefix("seed-")
        found[f"{run}.accuracy"] = numbers[f"{name} accuracy"]
        for at in (0, len(one.heads) - 1):
            for layer, heads in enumerate(one.heads[at], 1):
                rows = torch.cat((heads.centre, widths(heads)[:, None]), 1).tolist()
                for head, values in enumerate(rows, 1):
                    place = zip(("row", "column", "width"), values, strict=True)
                    found |= {f"{run}.{at}.{layer}.{head}.{what}": value for what, value in place}
    return found


def measure_pruned(models: Mapping[str, Trained], side: int) -> dict[str, float]:
    """How many heads are degenerate, of all trainings, and the mean accuracy without them, where there are any."""
    numbers = {}
    for kind in DEGENERATE:
        found = {name: without_heads(one.model, side, kind) for name, one in models.items()}
        numbers[f"{kind} heads"] = float(sum(count for _, count in found.values()))
        if numbers[f"{kind} heads"]:
            right = [models[name].task.evaluate(pruned)["accuracy"] for name, (pruned, _) in found.items()]
            numbers[f"accuracy without {kind} heads"] = fmean(right)
    return numbers


def without_heads(model: GridModel, side: int, kind: str) -> tuple[GridModel, int]:
    """A copy of a model of gaussian heads without those that are degenerate in a way, and how many these are.

    A layer keeps its first head where all would go.
    """
    new, count = copy.deepcopy(model), 0
    for block in new.blocks:
        layer: Any = block.attention
        states = examine(heads_of(layer.position.centre.cpu(), layer.position.precision.cpu()), Grid(side, side))
        gone = [state.head for state in states if (state.kinds if kind == "degenerate" else kind in state.kinds)]
        gone = gone[1:] if len(gone) == len(states) else gone
        if gone:
            block.attention = prune(layer, gone)[0]
        count += len(gone)
    return new, count


def measure_gaussians(played: Mapping[str, Playback], depth: int, side: int) -> dict[str, float]:
    """Means over trainings and heads, by layer, before and after."""
    numbers = {}
    for layer in range(depth):
        for when, at in (("before", 0), ("after", -1)):
            own = [one.heads[at][layer] for one in played.values()]
            found = {
                "width": fmean([widths(heads).mean().item() for heads in own]),
                "distance": fmean([distances(heads).mean().item() for heads in own]),
                "area": fmean([float(area(heads, side)) for heads in own]),
            }
            numbers |= {f"layer {1 + layer} {what} {when}": value for what, value in found.items()}
    numbers["heads outward"] = float(sum(outward(one.heads[0], one.heads[-1]) for one in played.values()))
    last = [heads for one in played.values() for heads in one.heads[-1]]
    numbers["layers that are a kernel's grid"] = float(sum(nearest_kernel(heads).is_bijection for heads in last))
    return numbers


def measure_maps(played: Mapping[str, Playback], side: int) -> dict[str, float]:
    """Means over trainings, images, queries and heads, by layer, before and after."""
    found: dict[str, list[float]] = {}
    for one in played.values():
        for when, step in (("before", one.steps[0]), ("after", one.steps[-1])):
            queries, maps = one.maps(step)
            for (_, layer), own in maps.items():
                for what, value in zip(("distance", "keys"), spread(queries, own, side), strict=True):
                    found.setdefault(f"layer {1 + layer} {what} {when}", []).append(value)
    return {name: fmean(values) for name, values in found.items()}


def course_figure(played: Mapping[str, Playback], side: int) -> "Figure":
    """Mean width, distance and area of each layer over the evaluations, on average over the trainings."""
    count = min(len(one.heads) for one in played.values())
    steps = next(iter(played.values())).steps[:count]
    questions = {
        "mean width of the heads, tokens": lambda heads: widths(heads).mean().item(),
        "mean distance from the query, tokens": lambda heads: distances(heads).mean().item(),
        "offsets covered": lambda heads: float(area(heads, side)),
    }
    panels = []
    for title, ask in questions.items():
        lines = {}
        for layer in range(len(next(iter(played.values())).heads[0])):
            values = [fmean([ask(one.heads[at][layer]) for one in played.values()]) for at in range(count)]
            lines[f"layer {1 + layer}"] = (steps, values)
        panels.append(Panel(title=title, x="step", lines=lines, dots=False))
    return line_figure(panels, columns=3)


def maps_figure(played: Playback, patch: int) -> "Figure":
    """The map of the query nearest the middle for every head, a row for each layer and image."""
    queries, maps = played.maps(played.steps[-1])
    side, kept = played.side, played.recording.read(played.steps[-1])
    places = torch.stack([queries // side, queries % side], 1)
    at = int((places - side / 2 + 0.75).norm(dim=1).argmin())  # with an even side, the one before the middle
    row, column = places[at].tolist()
    H = next(iter(maps.values())).shape[0]
    figure, panels = figure_of_panels(len(maps) * (H + 1), H + 1, (0.95, 1.0), 0.3)
    for number, ((image, layer), own) in enumerate(sorted(maps.items())):
        first, *others = panels[number * (H + 1) : (number + 1) * (H + 1)]
        first.imshow(kept[f"inputs.image-{image}"].permute(1, 2, 0).numpy(), cmap="Greys", vmin=0)
        _mark(first, (row, column), patch)
        first.set_ylabel(f"layer {1 + layer}", fontsize=8, color=INK)
        for head, (panel, weights) in enumerate(zip(others, own[:, at], strict=True)):
            panel.imshow(weights.view(side, side).numpy(), cmap="Blues", vmin=0)
            _mark(panel, (row, column), 1)
            if not number:
                panel.set_title(f"head {head}", fontsize=8, color=INK)
            panel.set_xlabel(f"{weights.max():.2f}", fontsize=6.5, color=INK, labelpad=1)
    for panel in panels:
        panel.set(xticks=[], yticks=[])
        panel.spines[:].set_color("#bbbbbb")
    figure.suptitle(f"weights seen from the token at ({row}, {column}), white 0, darkest the number below", fontsize=9)
    return figure


def _mark(panel: Any, place: tuple[int, int], size: int) -> None:
    """Draw the query as an orange square."""
    from matplotlib.patches import Rectangle

    corner = (place[1] * size - 0.5, place[0] * size - 0.5)
    panel.add_patch(Rectangle(corner, size, size, fill=False, edgecolor=ORANGE, linewidth=1.3))
