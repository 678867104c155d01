"""Image models of attention heads alone, or of convolutions, on the digits of the package, on CIFAR-10, or others."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from regard.analysis import nearest_kernel
from regard.analysis.convolution.figures import draw_heads
from regard.recipes.images.heads import (
    DEGENERATE,
    Playback,
    course_figure,
    list_heads,
    maps_figure,
    measure_gaussians,
    measure_maps,
    measure_pruned,
)
from regard.recipes.images.task import (
    GAUSSIAN,
    Convolutions,
    Heads,
    ImagesConfig,
    ImageTask,
    checksum,
    image_sets,
    settings,
)
from regard.recipes.recipe import Outcome, Recipe, Resources, Training
from regard.recipes.report import render, training_figure
from regard.recipes.results import Published
from regard.tasks.readers import Inputs
from regard.training import Descent, Execution, Recording, Schedule, Settings, Trained
from regard.training.records import RECORDING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = {
    "isotropic": "gaussian heads, which learn a centre and a width each",
    "diagonal": "gaussian heads, which learn a centre, a width along rows and one along columns each",
    "full": "gaussian heads, which learn a centre and a whole covariance each",
    "learned": "heads, which learn a table of rows and one of columns each",
    "learned + content": "heads, which compare what tokens hold, and learn vectors of the offsets between them",
}
# Of CIFAR-10's test images: Cordonnier, Loukas, Jaggi, ICLR 2020, table 1.
PUBLISHED = {"isotropic": 0.938, "learned": 0.918, "learned + content": 0.871, None: 0.938}


@dataclass(frozen=True, kw_only=True)
class HeadsConfig(ImagesConfig):
    """Images for a model of heads alone."""

    model: Heads = field(default_factory=Heads)


@dataclass(frozen=True, kw_only=True)
class ConvolutionsConfig(ImagesConfig):
    """Images for a model of convolutions."""

    model: Convolutions = field(default_factory=Convolutions)


def trainings(config: HeadsConfig | ConvolutionsConfig, resources: Resources) -> dict[str, Training]:
    """One training for each seed."""
    train, test = image_sets(config, resources)
    task = ImageTask(config, config.model, train.part(config.share), test, checksum(config, train, test))
    config.model.on(task.side, len(train.classes))  # refuses sizes that do not fit before anything is trained
    return {
        f"seed-{seed}": Training(task, replace(config.training, seed=seed))
        for seed in config.training.seeds(config.seeds)
    }


def measure(config: HeadsConfig | ConvolutionsConfig, models: Mapping[str, Trained]) -> Outcome:
    """Accuracy by seed, where the heads began and ended, and which of them can be left out."""
    task: ImageTask = next(iter(models.values())).task
    numbers: dict[str, float] = {}
    for name, one in models.items():
        numbers |= {f"{name} {what}": value for what, value in task.evaluate(one.model).items()}
        if config.flips:
            numbers[f"{name} accuracy mirrored"] = task.evaluate(one.model, mirrored=True)["accuracy"]
    numbers["parameters"] = float(sum(p.numel() for p in next(iter(models.values())).model.parameters()))
    encoding = config.model.encoding if isinstance(config.model, Heads) else None
    if task.is_cifar10 and config.share == config.tested == 1 and encoding in PUBLISHED:
        numbers["published accuracy"] = PUBLISHED[encoding]
    figures: dict[str, Figure] = {}
    claims, side, kernel = {}, 0, ()
    if isinstance(config.model, Heads):
        side = task.side // config.model.patch
        played = {name: Playback(Recording(one.folder / RECORDING), side) for name, one in models.items()}
        first = next(iter(played.values()))
        if encoding in GAUSSIAN:
            numbers |= measure_gaussians(played, config.model.depth, side) | measure_pruned(models, side)
            names = [f"layer {1 + n}, {when}" for when in ("before", "after") for n in range(config.model.depth)]
            figures["heads"] = draw_heads([*first.heads[0], *first.heads[-1]], names=names, reach=min(side, 16))
            figures["course"] = course_figure(played, side)
            kernel = nearest_kernel(first.heads[-1][0]).kernel_size
            if encoding == "isotropic" and config.share == 1:
                name = "cifar10-gaussian" if task.is_cifar10 else "digits-gaussian"
                claims[name] = list_heads(played, numbers, side)
        else:
            numbers |= measure_maps(played, side)
            figures["maps"] = maps_figure(first, config.model.patch)
    figures["training"] = training_figure(models, ("accuracy",))
    text = render(
        "images/classification.md.j2",
        config=config,
        task=task,
        models=models,
        numbers=numbers,
        encoding=encoding,
        kind=KINDS.get(encoding or ""),
        is_gaussian=encoding in GAUSSIAN,
        degenerate=DEGENERATE,
        side=side,
        kernel=kernel,
    )
    right = [100 * numbers[f"{name} accuracy"] for name in models]
    over = f" on average over {len(right)} seeds, {min(right):.1f} to {max(right):.1f} %" if len(right) > 1 else ""
    headline = f"{fmean(right):.1f} % of {len(task.test):,} test images right{over}"
    return Outcome(numbers=numbers, headline=headline, text=text, figures=figures, claims=claims)


def inputs(config: Mapping[str, Any], training: str) -> Inputs | None:
    """Test images, of models with heads."""
    model = config.get("model", {})
    if not isinstance(model, Mapping):
        raise ValueError(f"a run on images must have the settings of a model: got {model!r:.40}")
    return Inputs(kind="image", images=360 if config.get("data") is None else 1000) if "encoding" in model else None


def _recipe(
    name: str, about: str, config: HeadsConfig | ConvolutionsConfig, published: float | None = None, **sizes: Any
) -> Recipe[Any]:
    """A recipe of these sizes and a smoke test with a tiny model, which takes the digits unless it is given images.

    `published` is the accuracy that Cordonnier et al. found.
    """
    model, plain = config.model, settings(9, 32, position_rate=None)
    tiny = Convolutions(widths=(8,), depths=(1,))
    if isinstance(model, Heads):
        tiny = Heads(depth=2, width=8, hidden=16, patch=model.patch, encoding=model.encoding)
    training = replace(plain, evaluate_every=3, schedule=Schedule(warmup=2))
    smoke = replace(config, data=None, seeds=2, training=training, model=tiny)  # pyright: ignore[reportArgumentType]
    found = "Cordonnier, Loukas, Jaggi, ICLR 2020"
    beside = () if published is None else (Published(number="seed-0 accuracy", value=published, source=found),)
    how: dict[str, Any] = {"trainings": trainings, "measure": measure, "inputs": inputs, "published": beside}
    return Recipe(name=name, about=about, config=config, **sizes, smoke=smoke, **how)


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
# As Cordonnier et al. trained on CIFAR-10, 300 epochs of batches of 100; products are in bfloat16.
AS_PUBLISHED = Settings(
    steps=150_000,
    batch=100,
    descent=Descent(kind="sgd", rate=0.1, momentum=0.9, decay=1e-4, decay_all=True, clip=None),
    schedule=Schedule(warmup=7500),
    save_every=10,
    execution=Execution(precision="bfloat16", compiled=True),
)


PAPER = Heads(depth=6, width=400, num_heads=9, hidden=512, patch=2, dropout=0.1)


def _cifar10(name: str, about: str, model: Heads | Convolutions, epochs: int = 140) -> Recipe[Any]:
    """The published setting, a fast one, and a small one of a tenth of the images, for a CPU.

    The fast one has fewer and larger batches, at twice the rate, with a decay that shrinks weights as much in fewer
    steps.
    """
    how: dict[str, Any] = {"data": "cifar10", "seeds": 1, "training": AS_PUBLISHED}
    if isinstance(model, Heads):
        config, encoding, position_rate = HeadsConfig(**how, model=model), model.encoding, 5e-2
        small = replace(model, depth=2, width=32, hidden=64, dropout=0.0)
    else:
        config, encoding, position_rate = ConvolutionsConfig(**how, model=model), None, None
        small = Convolutions()
    fast, steps = AS_PUBLISHED, epochs * 200
    fast = replace(
        fast,
        steps=steps,
        batch=250,
        descent=replace(fast.descent, rate=0.2, decay=3e-4, clip=1.0),
        schedule=Schedule(warmup=steps // 20),
        evaluate_every=400,
    )
    few: Any = replace(settings(160, 50, position_rate=position_rate), evaluate_every=40)
    return _recipe(
        name,
        about,
        config,
        PUBLISHED[encoding],
        fast=replace(config, smoothing=0.1, erase=8, training=fast),
        small=replace(config, share=0.1, tested=0.1, training=few, model=small),  # pyright: ignore[reportArgumentType]
    )


RECIPES = {
    made.name: made
    for made in (
        _recipe(
            "digits-gaussian",
            "An image model of gaussian heads alone, four times: accuracy, and where every head goes in training.",
            HeadsConfig(),
            small=SMALL,
        ),
        _recipe(
            "digits-learned",
            "The same with a learned table of rows and one of columns for every head: accuracy, and the maps.",
            HeadsConfig(seeds=2, model=Heads(encoding="learned")),
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
        ),
        _recipe(
            "digits-conv",
            "A residual network of convolutions with as many parameters, on the same images: accuracy.",
            ConvolutionsConfig(training=settings(position_rate=None)),
        ),
        _cifar10(
            "cifar10-gaussian",
            "Six layers of gaussian heads alone on CIFAR-10, as published: accuracy, where heads go, which can go.",
            PAPER,
        ),
        _cifar10(
            "cifar10-learned",
            "The same with a learned table of rows and one of columns for every head: accuracy, and the maps.",
            replace(PAPER, encoding="learned"),
        ),
        _cifar10(
            "cifar10-content",
            "The same with heads that compare what tokens hold and learn offsets too: accuracy, and maps of images.",
            replace(PAPER, encoding="learned + content"),
        ),
        _cifar10(
            "cifar10-resnet18",
            "ResNet-18 with a stem of 3 × 3, trained alike on the same images: accuracy.",
            Convolutions(widths=(64, 128, 256, 512), depths=(2, 2, 2, 2)),
            epochs=40,
        ),
    )
}
