"""Image models of attention heads alone, or of convolutions, on the digits of the package or any set of images.

The file begins with what is trained, and ends with what is measured: accuracy, and where the heads went.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from regard.analysis import nearest_kernel
from regard.analysis.convolution.figures import draw_heads
from regard.analysis.convolution.heads import term_of
from regard.analysis.figures import INK, ORANGE, figure_of_panels
from regard.attention import Quadratic
from regard.checks import check_sizes
from regard.layers import Gaussian
from regard.models import GridConfig, GridModel, ResNet, ResNetConfig
from regard.recipes.recipe import Outcome, Recipe, Resources, Training
from regard.recipes.report import Panel, line_figure, render, training_figure
from regard.tasks.digits import CLASSES, digits
from regard.tasks.images import ImageSet, augment, read_images
from regard.tasks.readers import ImageReader, Inputs
from regard.training import (
    Descent,
    Execution,
    Recording,
    Schedule,
    Settings,
    Task,
    Trained,
    compact,
    device_of,
    expand,
)
from regard.training.loop import RECORDING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EVALUATED = 120  # images at a time
MAP_BYTES = 200_000  # of all maps that are recorded at a step
MASS = 0.9  # of a head's weight, inside its ellipse
NARROWER, FURTHER = 0.95, 0.1  # what counts as narrower, as a factor, and as further out, in tokens
KINDS = {
    "isotropic": "gaussian heads, which learn a centre and a width each",
    "diagonal": "gaussian heads, which learn a centre, a width along rows and one along columns each",
    "full": "gaussian heads, which learn a centre and a whole covariance each",
    "learned": "heads, which learn a table of rows and one of columns each",
    "learned + content": "heads, which compare what tokens hold, and learn vectors of the offsets between them",
}


@dataclass(frozen=True, kw_only=True)
class Heads:
    """Sizes of the attention-only model, and how its heads attend: see `GridConfig`."""

    depth: int = 3
    width: int = 32
    num_heads: int = 9
    hidden: int = 64
    patch: int = 1  # pixels on a side of a token
    encoding: str = "isotropic"
    dropout: float = 0.0

    def __post_init__(self) -> None:
        self.on(self.patch, 1)

    def on(self, side: int, classes: int) -> GridConfig:
        """The model's configuration for images of this side, which refuses sizes that do not fit."""
        return GridConfig(image=side, classes=classes, **vars(self))

    def build(self, side: int, classes: int) -> nn.Module:
        return GridModel(self.on(side, classes))


@dataclass(frozen=True, kw_only=True)
class Convolutions:
    """Sizes of the residual network with a 3 × 3 stem; by default it has as many parameters as the heads."""

    widths: tuple[int, ...] = (24, 48)
    depths: tuple[int, ...] = (1, 1)

    def __post_init__(self) -> None:
        self.on(1, 1)

    def on(self, side: int, classes: int) -> ResNetConfig:
        return ResNetConfig(image=side, stem="small", classes=classes, widths=self.widths, depths=self.depths)

    def build(self, side: int, classes: int) -> nn.Module:
        return ResNet(self.on(side, classes))


def settings(steps: int = 660, batch: int = 64, **descent: Any) -> Settings:
    """By default, 30 epochs of the digits."""
    return Settings(
        steps=steps,
        batch=batch,
        descent=Descent(**{"rate": 4e-3, "position_rate": 5e-2, **descent}),
        schedule=Schedule(warmup=20),
        execution=Execution(threads=1),
    )


@dataclass(frozen=True, kw_only=True)
class ImagesConfig:
    """The images, their augmentation, and the number of trainings, each from a seed of its own.

    `crop` moves every image by up to an eighth of its side and `flip` mirrors half of them. None means both for images
    of `data`, and neither for the digits of the package, because a mirrored digit is not a digit.
    """

    data: str | None = None  # a folder or tar of images, or hf:NAME; None: the digits of the package
    test: str = "test"  # the split to test on
    side: int | None = None  # the size that images of `data` are scaled to; None: as they are
    crop: bool | None = None
    flip: bool | None = None
    seeds: int = 4
    training: Settings = field(default_factory=settings)

    def __post_init__(self) -> None:
        check_sizes(self, "seeds")
        check_sizes(self, "side", optional=True)

    @property
    def crops(self) -> bool:
        return self.data is not None if self.crop is None else self.crop

    @property
    def flips(self) -> bool:
        return self.data is not None if self.flip is None else self.flip


@dataclass(frozen=True, kw_only=True)
class HeadsConfig(ImagesConfig):
    """Images for a model of heads alone."""

    model: Heads = field(default_factory=Heads)


@dataclass(frozen=True, kw_only=True)
class ConvolutionsConfig(ImagesConfig):
    """Images for a model of convolutions."""

    model: Convolutions = field(default_factory=Convolutions)


@dataclass(frozen=True, eq=False)
class ImageTask(Task):
    """Tell the class of an image."""

    config: HeadsConfig | ConvolutionsConfig
    train: ImageSet
    test: ImageSet

    judged_by = "accuracy"

    @property
    def count(self) -> int:
        return len(self.train)

    @property
    def side(self) -> int:
        return self.train.images.shape[-1]

    def build(self) -> nn.Module:
        return self.config.model.build(self.side, len(self.train.classes))

    def batch(self, examples: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        return self.train.batch(examples)

    def loss(self, model: Any, batch: tuple[Tensor, Tensor], generator: torch.Generator) -> Tensor:
        images, labels = batch
        if self.config.crops or self.config.flips:
            pad = max(1, self.side // 8) if self.config.crops else 0
            images = augment(images, generator, pad=pad, flip=self.config.flips)
        return cross_entropy(model(to_rgb(images)).logits.float(), labels)

    def evaluate(self, model: Any) -> Mapping[str, float]:
        right = loss = torch.zeros((), device=device_of(model))
        for part in torch.arange(len(self.test)).split(EVALUATED):
            images, labels = self.test.batch(part, device_of(model))
            logits = model(to_rgb(images)).logits.float()
            right = right + (logits.argmax(1) == labels).sum()
            loss = loss + cross_entropy(logits, labels, reduction="sum")
        return {"accuracy": right.item() / len(self.test), "test_loss": loss.item() / len(self.test)}

    def fingerprint(self) -> str:
        """A checksum of all images and labels; the digits of the package never change."""
        if self.config.data is None:
            return ""
        digest = hashlib.sha256()
        for part in (self.train, self.test):
            digest.update(part.images.numpy().data)
            digest.update(part.labels.numpy().data)
        return digest.hexdigest()[:32]

    def record(self, model: Any) -> Mapping[str, Tensor]:
        """Centres and precisions of gaussian heads, and the maps of one image, or of two where the maps depend on it.

        `queries` are the tokens whose rows of the maps are recorded, where not all of them are.
        """
        if not isinstance(model, GridModel):
            return {}
        kept = {}
        for layer, block in enumerate(model.blocks):
            position = getattr(block.attention, "position", None)
            if isinstance(position, Gaussian):
                kept[f"heads.{layer}.centre"], kept[f"heads.{layer}.precision"] = position.centre, position.precision
        images = to_rgb(self.test.batch(self.shown, device_of(model))[0])
        for layer, maps in enumerate(model(images, maps=True).maps["self"]):
            for number, own in enumerate(maps[: len(self.shown)]):
                kept[f"maps.image-{number}.{layer}"] = compact(own[:, self.queries])
        kept |= {f"inputs.image-{number}": self.test.images[index] for number, index in enumerate(self.shown)}
        is_all = len(self.queries) == (self.side // model.config.patch) ** 2
        return kept if is_all else kept | {"queries": self.queries}

    def reader(self, model: Any) -> ImageReader | None:
        return ImageReader(model, self.test) if isinstance(model, GridModel) else None

    @cached_property
    def shown(self) -> list[int]:
        """Test images whose maps are recorded: one, or two of different classes for heads that attend by content."""
        assert isinstance(self.config.model, Heads)
        if self.config.model.encoding != "learned + content":
            return [0]
        others = (self.test.labels != self.test.labels[0]).nonzero().flatten().tolist()
        return [0, *others[:1]]

    @cached_property
    def queries(self) -> Tensor:
        """Tokens whose rows of the maps are recorded: all, or a coarser grid where that would be too much."""
        model = self.config.model
        assert isinstance(model, Heads)
        n = self.side // model.patch
        row = len(self.shown) * model.depth * model.num_heads * n * n
        steps = (step for step in range(1, n + 1) if len(range(step // 2, n, step)) ** 2 * row <= MAP_BYTES)
        step = next(steps, n)
        places = torch.arange(step // 2, n, step)
        return (places[:, None] * n + places).flatten()


def to_rgb(images: Tensor) -> Tensor:
    """Three channels, for grey images too."""
    return images.expand(-1, 3, -1, -1)


def image_sets(config: ImagesConfig, resources: Resources) -> tuple[ImageSet, ImageSet]:
    """Images to learn from and to test on, both normalised by those to learn from."""
    if config.data is None:
        if config.side is not None:
            raise ValueError(f"side scales the images of --data: got side={config.side} without; leave it out")
        # Their 17 shades as bytes that are multiples of 15: normalised, the very values that the digits have.
        names = tuple(map(str, range(CLASSES)))
        train, test = (ImageSet((240 * part.images).to(torch.uint8), part.labels, names) for part in digits())
        return train, test.normalised_as(train)
    train, test = (_split(config.data, split, config.side, resources) for split in ("train", config.test))
    if train.classes != test.classes:
        raise ValueError(
            f"images to test on must be of the classes that are learnt: got {', '.join(test.classes)} in "
            f"{config.test!r} for {', '.join(train.classes)}"
        )
    shapes = [tuple(part.images.shape[1:]) for part in (train, test)]
    if shapes[0] != shapes[1] or shapes[0][1] != shapes[0][2]:
        got = " and ".join(" × ".join(map(str, shape)) for shape in dict.fromkeys(shapes))
        raise ValueError(f"images must be square and all of one size: got {got} in {config.data}; use --set side=32")
    return train, test.normalised_as(train)


def _split(source: str, split: str, side: int | None, resources: Resources) -> ImageSet:
    name = hashlib.sha256(json.dumps([source, split, side]).encode()).hexdigest()[:16]
    progress = partial(resources.on_data, f"reading {split} images")
    try:
        return read_images(
            source, split=split, side=side, cache=resources.cache / f"images-{name}.npy", progress=progress
        )
    except ValueError as error:
        raise ValueError(
            f"images must have a split to learn from, train, and one to test on, test or --set test=NAME: of "
            f"{split!r}, {error}"
        ) from error


def trainings(config: HeadsConfig | ConvolutionsConfig, resources: Resources) -> dict[str, Training]:
    """One training for each seed."""
    task = ImageTask(config, *image_sets(config, resources))
    config.model.on(task.side, len(task.train.classes))  # refuses sizes that do not fit before anything is trained
    seeds = range(config.training.seed, config.training.seed + config.seeds)
    return {f"seed-{seed}": Training(task, replace(config.training, seed=seed)) for seed in seeds}


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


def measure(config: HeadsConfig | ConvolutionsConfig, models: Mapping[str, Trained]) -> Outcome:
    """Accuracy by seed, and where the heads began and ended."""
    task: ImageTask = next(iter(models.values())).task
    numbers: dict[str, float] = {}
    for name, one in models.items():
        numbers |= {f"{name} {what}": value for what, value in task.evaluate(one.model).items()}
    numbers["parameters"] = float(sum(p.numel() for p in next(iter(models.values())).model.parameters()))
    encoding = config.model.encoding if isinstance(config.model, Heads) else None
    is_gaussian = encoding in ("isotropic", "diagonal", "full")
    figures: dict[str, Figure] = {}
    claims, side, kernel = {}, 0, ()
    if isinstance(config.model, Heads):
        side = task.side // config.model.patch
        played = {name: Playback(Recording(one.folder / RECORDING), side) for name, one in models.items()}
        first = next(iter(played.values()))
        if is_gaussian:
            numbers |= measure_gaussians(played, config.model.depth, side)
            names = [f"layer {1 + n}, {when}" for when in ("before", "after") for n in range(config.model.depth)]
            figures["heads"] = draw_heads([*first.heads[0], *first.heads[-1]], names=names, reach=min(side, 16))
            figures["course"] = course_figure(played, side)
            kernel = nearest_kernel(first.heads[-1][0]).kernel_size
            if encoding == "isotropic":
                claims["digits-gaussian"] = list_heads(played, numbers, side)
        else:
            numbers |= measure_maps(played, side)
            figures["maps"] = maps_figure(first, config.model.patch)
    figures["training"] = training_figure(models, ("accuracy",))
    text = render(
        "digits.md.j2",
        config=config,
        task=task,
        models=models,
        numbers=numbers,
        variations=["moved"] * config.crops + ["mirrored"] * config.flips,
        encoding=encoding,
        kind=KINDS.get(encoding or ""),
        is_gaussian=is_gaussian,
        side=side,
        kernel=kernel,
    )
    right = [100 * numbers[f"{name} accuracy"] for name in models]
    over = f" on average over {len(right)} seeds, {min(right):.1f} to {max(right):.1f} %" if len(right) > 1 else ""
    headline = f"{fmean(right):.1f} % of {len(task.test):,} test images right{over}"
    return Outcome(numbers=numbers, headline=headline, text=text, figures=figures, claims=claims)


def list_heads(played: Mapping[str, Playback], numbers: Mapping[str, float], side: int) -> dict[str, float]:
    """Every head at every evaluation for claims to read: `run.epoch.layer.head.row`, `….column` and `….width`."""
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


def _recipe(
    name: str,
    about: str,
    config: HeadsConfig | ConvolutionsConfig,
    tiny: Heads | Convolutions,
    small: HeadsConfig | None = None,
) -> Recipe[Any]:
    training = replace(config.training, steps=9, batch=32, evaluate_every=3, schedule=Schedule(warmup=2))
    smoke = replace(config, seeds=2, training=training, model=tiny)  # pyright: ignore[reportArgumentType]
    sizes = {"config": config, "small": small, "smoke": smoke}
    return Recipe(name=name, about=about, **sizes, trainings=trainings, measure=measure, inputs=_inputs)


def _inputs(config: Mapping[str, Any], training: str) -> Inputs | None:
    """Test images, of models with heads."""
    model = config.get("model", {})
    if not isinstance(model, Mapping):
        raise ValueError(f"a run on images must have the settings of a model: got {model!r:.40}")
    return Inputs(kind="image", images=360 if config.get("data") is None else 1000) if "encoding" in model else None


TINY = Heads(depth=2, width=8, hidden=16)
# A little more than two epochs: at a rate that does not fall, the heads go where they go in 30.
SMALL = HeadsConfig(
    seeds=3,
    model=Heads(width=16, hidden=32),
    training=replace(
        settings(100, 32, rate=6e-3, position_rate=6e-2),
        evaluate_every=50,
        schedule=Schedule(kind="constant", warmup=5),
    ),
)
RECIPES = {
    made.name: made
    for made in (
        _recipe(
            "digits-gaussian",
            "An image model of gaussian heads alone, four times: accuracy, and where every head goes in training.",
            HeadsConfig(),
            TINY,
            SMALL,
        ),
        _recipe(
            "digits-learned",
            "The same with a learned table of rows and one of columns for every head: accuracy, and the maps.",
            HeadsConfig(seeds=2, model=Heads(encoding="learned")),
            replace(TINY, encoding="learned"),
        ),
        _recipe(
            "digits-content",
            "The same with heads that compare what tokens hold and learn offsets too: accuracy, and maps of images.",
            HeadsConfig(
                seeds=2,
                # Single pixels say little: with them, these heads learn many times slower.
                model=Heads(encoding="learned + content", patch=2, width=20, hidden=40),
                training=settings(steps=1320, batch=32, rate=6e-3, position_rate=None),
            ),
            replace(TINY, encoding="learned + content", patch=2),
        ),
        _recipe(
            "digits-conv",
            "A residual network of convolutions with as many parameters, on the same images: accuracy.",
            ConvolutionsConfig(training=settings(position_rate=None)),
            Convolutions(widths=(8,), depths=(1,)),
        ),
    )
}
