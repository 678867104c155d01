"""What the image models learnt: how many images they tell right, where their heads went, and pictures of both."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from regard.analysis import nearest_kernel
from regard.analysis.convolution.figures import draw_heads
from regard.analysis.convolution.heads import term_of
from regard.analysis.figures import INK, ORANGE, figure_of_panels
from regard.attention import Quadratic
from regard.recipes.recipe import Outcome
from regard.recipes.report import Panel, line_figure, table, training_figure
from regard.training import Recording, Trained, expand
from regard.training.loop import RECORDING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MASS = 0.9  # of a head's weight, inside its ellipse
NARROWER, FURTHER = 0.95, 0.1  # what counts as narrower, as a factor, and as further out, in tokens
KINDS = {
    "isotropic": "gaussian heads, which learn a centre and a width each",
    "diagonal": "gaussian heads, which learn a centre, a width along rows and one along columns each",
    "full": "gaussian heads, which learn a centre and a whole covariance each",
    "learned": "heads, which learn a table of rows and one of columns each",
    "learned + content": "heads, which compare what tokens hold, and learn vectors of the offsets between them",
}


@dataclass(frozen=True)
class Played:
    """What one training recorded, step by step."""

    recording: Recording
    side: int  # of the images, in tokens

    @cached_property
    def steps(self) -> list[int]:
        return self.recording.steps()

    @cached_property
    def heads(self) -> list[list[Quadratic]]:
        """Gaussian heads by step and layer, each precision a matrix; of other heads there are no layers."""
        return [_recorded(self.recording.read(step)) for step in self.steps]

    def maps(self, step: int) -> tuple[Tensor, dict[tuple[int, int], Tensor]]:
        """The queries, and the maps (H, T, S) by image and layer."""
        kept = self.recording.read(step)
        names = sorted(name for name in kept if name.startswith("maps."))
        keys = [(int(name.split(".")[1].removeprefix("image-")), int(name.split(".")[2])) for name in names]
        every = torch.arange(self.side**2)
        return kept.get("queries", every), {key: expand(kept[name]) for key, name in zip(keys, names, strict=True)}


def _recorded(kept: Mapping[str, Tensor]) -> list[Quadratic]:
    layers = sum(name.startswith("heads.") for name in kept) // 2
    return [heads_of(kept[f"heads.{layer}.centre"], kept[f"heads.{layer}.precision"]) for layer in range(layers)]


def heads_of(centre: Tensor, precision: Tensor) -> Quadratic:
    """With a matrix of precision for every head, in float64."""
    return term_of(Quadratic(centre, precision))[0]


def distances(heads: Quadratic) -> Tensor:
    """Of the centres from the query, (H,)."""
    return heads.centre.norm(dim=1)


def widths(heads: Quadratic) -> Tensor:
    """Standard deviations along an axis, (H,): 1/√(2α) of precision α, else their geometric mean, det(2M)^(−1/4).

    >>> widths(heads_of(torch.zeros(2, 2), torch.tensor([[0.5, 0.5], [0.5, 0.125]]))).tolist()
    [1.0, 1.41...]
    """
    return torch.linalg.det(2 * heads.precision).pow(-0.25)


def area(heads: Quadratic, side: int) -> int:
    """How many offsets between pixels lie inside the ellipse of some head that holds 90 % of its weight.

    Inside is where exp(−xᵀMx) ≥ 0.1, x from the centre.

    >>> area(heads_of(torch.tensor([[0.0, 0.0], [2.0, 0.0]]), torch.tensor([2.0, 2.0])), side=8)
    9
    """
    line = torch.arange(-side + 1, side, dtype=torch.float64)
    away = torch.cartesian_prod(line, line)[:, None] - heads.centre.cpu()  # (offsets, H, 2)
    form = torch.einsum("ohi,hij,ohj->oh", away, heads.precision.cpu(), away)
    return int((form <= -math.log(1 - MASS)).any(1).sum())


def outward(first: Sequence[Quadratic], last: Sequence[Quadratic]) -> int:
    """Heads above the lowest layer that end narrower and further out than they began."""
    pairs = zip(first[1:], last[1:], strict=True)
    moved = [(widths(b) < NARROWER * widths(a)) & (distances(b) > distances(a) + FURTHER) for a, b in pairs]
    return sum(int(layer.sum()) for layer in moved)


def spread(queries: Tensor, maps: Tensor, side: int) -> tuple[float, float]:
    """How far the keys lie from the query, by their weights, and how many they are: exp of the entropy.

    >>> spread(torch.arange(4), torch.full((1, 4, 4), 0.25), 2)
    (0.85..., 4.0...)
    """
    weights = maps / maps.sum(-1, keepdim=True)
    place = torch.stack([torch.arange(side**2) // side, torch.arange(side**2) % side], 1).float()
    away = torch.cdist(place[queries], place)
    entropy = -torch.xlogy(weights, weights).sum(-1)
    return (weights * away).sum(-1).mean().item(), entropy.exp().mean().item()


def measure(config: Any, made: Mapping[str, Trained]) -> Outcome:
    """Accuracies by seed, and of heads where they began and ended."""
    task, numbers = next(iter(made.values())).task, {}
    for name, one in made.items():
        numbers |= {f"{name} {what}": value for what, value in one.task.evaluate(one.model).items()}
    numbers["parameters"] = float(sum(p.numel() for p in next(iter(made.values())).model.parameters()))
    text = [_images(config, task), _model(config, numbers), _accuracies(made, numbers, len(task.test))]
    figures: dict[str, Figure] = {}
    claims = {}
    if encoding := getattr(config.model, "encoding", None):
        side = task.side // config.model.patch
        played = {name: Played(Recording(one.folder / RECORDING), side) for name, one in made.items()}
        if encoding in ("isotropic", "diagonal", "full"):
            numbers |= _gaussian_numbers(played, config.model.depth, side)
            text.append(_gaussian_text(config, numbers, played, side))
            first = next(iter(played.values()))
            both = [*first.heads[0], *first.heads[-1]]
            names = [f"layer {1 + n}, {when}" for when in ("before", "after") for n in range(config.model.depth)]
            figures["heads"] = draw_heads(both, names=names, reach=min(side, 16))
            figures["course"] = course_figure(played, side)
            if encoding == "isotropic":
                claims["digits-gaussian"] = claimed(played, numbers, side)
        else:
            numbers |= _map_numbers(played, side)
            text.append(_map_text(config, numbers))
            figures["maps"] = maps_figure(next(iter(played.values())), task, config.model.patch)
    figures["training"] = training_figure(made, ("accuracy",))
    text.append("![Training](training.svg)")
    return Outcome(
        numbers=numbers,
        headline=headline(made, numbers, len(task.test)),
        text="\n\n".join(text),
        figures=figures,
        claims=claims,
    )


def claimed(played: Mapping[str, Played], numbers: Mapping[str, float], side: int) -> dict[str, float]:
    """Every head at every evaluation, as `run.epoch.layer.head.row`, `….column` and `….width`, for claims to read."""
    found = {"side": float(side)}
    for name, one in played.items():
        run = name.removeprefix("seed-")
        found[f"{run}.accuracy"] = numbers[f"{name} accuracy"]
        for epoch, layers in enumerate(one.heads):
            for layer, heads in enumerate(layers, 1):
                rows = torch.cat((heads.centre, widths(heads)[:, None]), 1).tolist()
                for head, values in enumerate(rows, 1):
                    place = zip(("row", "column", "width"), values, strict=True)
                    found |= {f"{run}.{epoch}.{layer}.{head}.{what}": value for what, value in place}
    return found


def headline(made: Mapping[str, Trained], numbers: Mapping[str, float], count: int) -> str:
    shares = [100 * numbers[f"{name} accuracy"] for name in made]
    over = f" on average over {len(shares)} seeds, {min(shares):.1f} to {max(shares):.1f} %" if len(shares) > 1 else ""
    return f"{mean(shares):.1f} % of {count:,} test images right{over}"


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _gaussian_numbers(played: Mapping[str, Played], depth: int, side: int) -> dict[str, float]:
    """Means over trainings and heads, by layer, before and after."""
    numbers = {}
    for layer in range(depth):
        for when, at in (("before", 0), ("after", -1)):
            own = [one.heads[at][layer] for one in played.values()]
            found = {
                "width": mean([widths(heads).mean().item() for heads in own]),
                "distance": mean([distances(heads).mean().item() for heads in own]),
                "area": mean([float(area(heads, side)) for heads in own]),
            }
            numbers |= {f"layer {1 + layer} {what} {when}": value for what, value in found.items()}
    numbers["heads outward"] = float(sum(outward(one.heads[0], one.heads[-1]) for one in played.values()))
    last = [heads for one in played.values() for heads in one.heads[-1]]
    numbers["layers that are a kernel's grid"] = float(sum(nearest_kernel(heads).is_bijection for heads in last))
    return numbers


def _map_numbers(played: Mapping[str, Played], side: int) -> dict[str, float]:
    """Means over trainings, images, queries and heads, by layer, before and after."""
    found: dict[str, list[float]] = {}
    for one in played.values():
        for when, step in (("before", one.steps[0]), ("after", one.steps[-1])):
            queries, maps = one.maps(step)
            for (_, layer), own in maps.items():
                for what, value in zip(("distance", "keys"), spread(queries, own, side), strict=True):
                    found.setdefault(f"layer {1 + layer} {what} {when}", []).append(value)
    return {name: mean(values) for name, values in found.items()}


def _images(config: Any, task: Any) -> str:
    source = "handwritten digits that come with the package" if config.data is None else config.data
    varied = " and ".join(["moved"] * config.crops + ["mirrored"] * config.flips)
    return (
        f"{len(task.train):,} images to learn from, {f'{varied} at random' if varied else 'as they are'}, and "
        f"{len(task.test):,} to test on, {task.side} × {task.side} pixels, {len(task.train.classes)} classes: "
        f"{source}."
    )


def _model(config: Any, numbers: Mapping[str, float]) -> str:
    model, training = config.model, config.training
    if not hasattr(model, "encoding"):
        stages = zip(model.depths, model.widths, strict=True)
        blocks = [f"{depth} block{'s' * (depth > 1)} of {width} channels" for depth, width in stages]
        about = f"The model is a residual network: a convolution of 3 × 3 pixels, then {' and '.join(blocks)}"
    else:
        token = "pixel" if model.patch == 1 else f"patch of {model.patch} × {model.patch} pixels"
        about = (
            f"Every {token} is a token. The model has {model.depth} layers of {model.num_heads} "
            f"{KINDS[model.encoding]}; it is {model.width} wide, with {model.hidden} hidden features between layers"
        )
    own = training.descent.position_rate
    rates = f"rate {training.descent.rate:g}" + ("" if own is None else f", of positions {own:g}")
    return (
        f"{about}: {numbers['parameters']:,.0f} parameters. It is trained for {training.steps:,} steps of "
        f"{training.batch} images by AdamW at {rates}, from {config.seeds} seed{'s' * (config.seeds > 1)}."
    )


def _accuracies(made: Mapping[str, Trained], numbers: Mapping[str, float], count: int) -> str:
    rows = [
        [
            name.removeprefix("seed-"),
            f"{100 * numbers[f'{name} accuracy']:.2f} %",
            f"{numbers[f'{name} test_loss']:.3f}",
        ]
        for name in made
    ]
    return f"{table(['seed', 'right', 'test loss'], rows)}\n\nOne test image is {100 / count:.2g} %."


def _gaussian_text(config: Any, numbers: Mapping[str, float], played: Mapping[str, Played], side: int) -> str:
    depth, H, runs = config.model.depth, config.model.num_heads, len(played)
    offsets, geometric = (2 * side - 1) ** 2, config.model.encoding != "isotropic"
    rows = [
        [str(layer), *(_change(numbers, f"layer {layer} {what}", form) for what, form in
                       (("width", ".2f"), ("distance", ".2f"), ("area", ".0f")))]
        for layer in range(1, 1 + depth)
    ]  # fmt: skip
    kernel = " × ".join(map(str, nearest_kernel(next(iter(played.values())).heads[-1][0]).kernel_size))
    parts = [
        f"Where the heads went, on average over {H} heads and {runs} seed{'s' * (runs > 1)}, before → after, in "
        f"tokens. A width is the standard deviation along an axis{', of two the geometric mean' * geometric}; a "
        f"distance is that of the centre from the query; the area is how many of {offsets} offsets between tokens "
        f"lie where some head has {100 * MASS:.0f} % of its weight.",
        table(["layer", "width", "distance", "area"], rows),
    ]
    said = []
    if depth > 1:
        above, count = (depth - 1) * H * runs, numbers["heads outward"]
        said.append(
            f"Of {above} heads above the lowest layer, {count:.0f} end{'s' * (count == 1)} narrower by 5 % or more and "
            f"further out by a tenth of a token or more."
        )
    grids = numbers["layers that are a kernel's grid"]
    said.append(
        f"Of {depth * runs} layers, {grids:.0f} end{'s' * (grids == 1)} as the grid of a {kernel} kernel, each of its "
        f"taps the peak of one head."
    )
    parts += [
        " ".join(said),
        f"![Heads around the query before and after training, of {next(iter(played))}](heads.svg)",
        "![Width, distance and area of the heads over training](course.svg)",
    ]
    return "\n\n".join(parts)


def _map_text(config: Any, numbers: Mapping[str, float]) -> str:
    rows = [
        [str(layer), *(_change(numbers, f"layer {layer} {what}", ".2f") for what in ("distance", "keys"))]
        for layer in range(1, 1 + config.model.depth)
    ]
    content = config.model.encoding == "learned + content"
    shown = "two test images" if content else "any image, for the maps are the same for all"
    return (
        f"Where the heads look, on average over heads, queries and seeds, before → after, in tokens, on {shown}. The "
        f"distance is that of the keys from the query, by their weights; the number of keys is exp of the weights' "
        f"entropy, {numbers['layer 1 keys before']:.1f} at the start.\n\n"
        f"{table(['layer', 'distance', 'keys'], rows)}\n\n"
        f"![Maps of the query in the middle{', of two images' * content}](maps.svg)"
    )


def _change(numbers: Mapping[str, float], name: str, form: str) -> str:
    return f"{numbers[f'{name} before']:{form}} → {numbers[f'{name} after']:{form}}"


def course_figure(played: Mapping[str, Played], side: int) -> "Figure":
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
            values = [mean([ask(one.heads[at][layer]) for one in played.values()]) for at in range(count)]
            lines[f"layer {1 + layer}"] = (steps, values)
        panels.append(Panel(title=title, x="step", lines=lines, dots=False))
    return line_figure(panels, columns=3)


def maps_figure(played: Played, task: Any, patch: int) -> "Figure":
    """The map of the query nearest the middle for every head, a row for each layer, and of each image where it says."""
    queries, maps = played.maps(played.steps[-1])
    side, kept = played.side, played.recording.read(played.steps[-1])
    places = torch.stack([queries // side, queries % side], 1)
    at = int((places - side / 2 + 0.75).norm(dim=1).argmin())  # of an even side, before the middle
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
    """The query, as an orange square."""
    from matplotlib.patches import Rectangle

    corner = (place[1] * size - 0.5, place[0] * size - 0.5)
    panel.add_patch(Rectangle(corner, size, size, fill=False, edgecolor=ORANGE, linewidth=1.3))
