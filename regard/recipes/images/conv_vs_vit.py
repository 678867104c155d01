"""A ConvNet against a vision transformer over growing shares of one set of images, each from several seeds."""

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from regard.analysis.figures import PALETTE
from regard.recipes.images.task import (
    Convolutions,
    ImagesConfig,
    ImageTask,
    Model,
    Transformer,
    checksum,
    image_sets,
    settings,
)
from regard.recipes.recipe import Outcome, Recipe, Resources, Training
from regard.recipes.report import Panel, line_figure, render, training_figure
from regard.tasks.images import check_share
from regard.training import Descent, Execution, Schedule, Settings, Trained

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("ConvNet", "ViT")
ERRORS = 2  # standard errors from zero, from which on a gap counts as one


@dataclass(frozen=True, kw_only=True)
class RaceConfig(ImagesConfig):
    """Shares of the images, of which each is learnt by both models, as many steps, from every seed.

    A seed also says which images the shares have.
    """

    shares: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3, 1.0)
    convolutions: Convolutions = field(default_factory=lambda: Convolutions(widths=(64, 128, 256), depths=(2, 2, 2)))
    transformer: Transformer = field(default_factory=Transformer)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.shares or sorted(set(self.shares)) != list(self.shares):
            raise ValueError(f"shares must be one or more rising numbers: got shares={self.shares}; use 0.1,1")
        if self.share != 1:
            raise ValueError(f"shares says how many images are learnt: got share={self.share} too; leave it out")
        for share in self.shares:
            check_share("shares", share)

    @property
    def models(self) -> dict[str, Model]:
        return dict(zip(KINDS, (self.convolutions, self.transformer), strict=True))


def trainings(config: RaceConfig, resources: Resources) -> dict[str, Training]:
    """By the number of images, the model and the seed: `500-ViT-seed-0`."""
    train, test = image_sets(config, resources)
    data, found = checksum(config, train, test), {}
    for model in config.models.values():
        model.on(train.images.shape[-1], len(train.classes))  # refuses sizes that do not fit before anything is trained
    for share in config.shares:
        for seed in config.training.seeds(config.seeds):
            part = train.part(share, seed)
            for kind, model in config.models.items():
                task = ImageTask(config, model, part, test, data)
                found[f"{len(part)}-{kind}-seed-{seed}"] = Training(task, replace(config.training, seed=seed))
    return found


def measure(config: RaceConfig, models: Mapping[str, Trained]) -> Outcome:
    """Accuracy of both on each number of images, on average over the seeds, and which is ahead."""
    right: dict[tuple[int, str], list[float]] = {}
    for one in models.values():
        kind = KINDS[0] if isinstance(one.task.model, Convolutions) else KINDS[1]
        right.setdefault((one.task.count, kind), []).append(one.task.evaluate(one.model)["accuracy"])
    counts = sorted({count for count, _ in right})
    numbers = {"seeds": float(config.seeds)}
    for count in counts:
        for kind in KINDS:
            numbers |= _mean(f"{kind} on {count}", right[count, kind])
        gaps = [conv - vit for conv, vit in zip(*[right[count, kind] for kind in KINDS], strict=True)]
        numbers |= _mean(f"gap on {count}", gaps)
    for kind in KINDS:
        one = next(one for name, one in models.items() if f"-{kind}-" in name)
        numbers[f"parameters of {kind}"] = float(sum(p.numel() for p in one.model.parameters()))
    ahead = {count: leader(numbers, count, config.seeds) for count in counts}
    most = {name: one for name, one in models.items() if one.task.count == counts[-1]}
    first = next(iter(models.values()))
    text = render(
        "images/conv_vs_vit.md.j2",
        config=config,
        task=first.task,
        numbers=numbers,
        counts=counts,
        kinds=KINDS,
        ahead=ahead,
        conclusion=conclude(ahead, numbers),
    )
    return Outcome(
        numbers=numbers,
        headline=conclude(ahead, numbers),
        text=text,
        figures={"accuracy": accuracy_figure(counts, numbers), "training": training_figure(most, ("accuracy",))},
        claims={"conv-vs-vit": numbers},
    )


def _mean(name: str, values: list[float]) -> dict[str, float]:
    """The mean, and the deviation of a single training, 0 where there is but one."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return {name: statistics.fmean(values), f"deviation of {name}": deviation}


def leader(numbers: Mapping[str, float], count: int, seeds: int) -> str | None:
    """Who is ahead on so many images; None where the gap is within two standard errors of its mean.

    >>> leader({"gap on 500": 0.04, "deviation of gap on 500": 0.02}, 500, seeds=3)
    'ConvNet'
    >>> leader({"gap on 500": 0.01, "deviation of gap on 500": 0.02}, 500, seeds=3) is None
    True
    """
    gap, error = numbers[f"gap on {count}"], numbers[f"deviation of gap on {count}"] / math.sqrt(seeds)
    return None if abs(gap) <= ERRORS * error else KINDS[0] if gap > 0 else KINDS[1]


def conclude(ahead: Mapping[int, str | None], numbers: Mapping[str, float]) -> str:
    """Whether one overtakes the other, in a line.

    >>> conclude({50: "ConvNet", 500: None, 5000: "ViT"}, {"gap on 50": 0.1, "gap on 5000": -0.02})
    'the ViT overtakes between 50 and 5,000 images: ConvNet − ViT +10.0 → −2.0 points'
    """
    counts, decided = list(ahead), [(count, who) for count, who in ahead.items() if who]
    ends = [f"{100 * numbers[f'gap on {count}']:+.1f}".replace("-", "−") for count in (counts[0], counts[-1])]
    gap = f"ConvNet − ViT {ends[0]} → {ends[1]} points"
    changes = [(a, b) for a, b in zip(decided, decided[1:], strict=False) if a[1] != b[1]]
    if not decided:
        return f"neither is ahead beyond errors, on {counts[0]:,} to {counts[-1]:,} images: {gap}"
    if not changes:
        who = decided[0][1]
        where = "throughout" if len(decided) == len(counts) else "where the errors tell"
        return f"the {who} is ahead {where}, {counts[0]:,} to {counts[-1]:,} images: {gap}"
    if len(changes) == 1:
        (low, _), (high, who) = changes[0]
        return f"the {who} overtakes between {low:,} and {high:,} images: {gap}"
    return f"the lead changes {len(changes)} times between {counts[0]:,} and {counts[-1]:,} images: {gap}"


def accuracy_figure(counts: list[int], numbers: Mapping[str, float]) -> "Figure":
    """Accuracy of both and their gap against the number of images, with a deviation to each side."""
    lines = {kind: [100 * numbers[f"{kind} on {count}"] for count in counts] for kind in KINDS}
    gaps = [100 * numbers[f"gap on {count}"] for count in counts]
    how = {"x": "images to learn from", "logs": (True, False), "ticks": counts}
    panels = [
        Panel(title="new images told right, %", lines={kind: (counts, own) for kind, own in lines.items()}, **how),
        Panel(title="ConvNet − ViT, points", lines={"gap": (counts, gaps)}, **how),
    ]
    figure = line_figure(panels)
    drawn = [(0, PALETTE[n], own, kind) for n, (kind, own) in enumerate(lines.items())]
    for panel, colour, own, name in (*drawn, (1, PALETTE[len(KINDS)], gaps, "gap")):
        errors = [100 * numbers[f"deviation of {name} on {count}"] for count in counts]
        figure.axes[panel].errorbar(counts, own, errors, fmt="none", ecolor=colour, capsize=3, linewidth=1)
    figure.axes[1].axhline(0, color="#b0b0b0", linewidth=1, linestyle="--")
    return figure


SMALL_MODELS = {
    "convolutions": Convolutions(widths=(8, 16, 32), depths=(1, 1, 1)),
    "transformer": Transformer(depth=2, width=32, num_heads=4, hidden=64, patch=2),
}
RECIPES = {
    "conv-vs-vit": Recipe(
        name="conv-vs-vit",
        about="A ConvNet against a ViT on 1 % to all of CIFAR-10, three seeds each: who is ahead, and where it turns.",
        config=RaceConfig(
            data="cifar10",
            seeds=3,
            training=Settings(
                steps=1500,
                batch=256,
                evaluate_every=150,
                save_every=10,
                descent=Descent(rate=1e-3, decay=0.05),
                schedule=Schedule(warmup=75),
                execution=Execution(precision="bfloat16", compiled=True),
            ),
        ),
        # Some 19 thousand parameters each, on 49, 273 and all 1,437 of the digits.
        small=RaceConfig(
            shares=(0.035, 0.19, 1.0), seeds=2, training=replace(settings(120, 32), evaluate_every=120), **SMALL_MODELS
        ),
        smoke=RaceConfig(
            shares=(0.1, 1.0),
            seeds=2,
            training=replace(settings(6, 32), evaluate_every=3),
            convolutions=Convolutions(widths=(8,), depths=(1,)),
            transformer=Transformer(depth=1, width=8, num_heads=2, hidden=16, patch=2),
        ),
        trainings=trainings,
        measure=measure,
    )
}
