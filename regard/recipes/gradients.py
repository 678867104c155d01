"""How norms and residuals act with depth: the gradients of a new stack, and whether it learns to read digits."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from regard.analysis.sensitivity.depth import Norm, Wired, similarity
from regard.checks import check_divides, check_sizes
from regard.layers import FeedForward, MultiHead
from regard.recipes.recipe import Outcome, Recipe, Resources, Training, on_one_thread
from regard.recipes.report import Panel, line_figure, render
from regard.tasks.digits import CLASSES, SIDE, digits
from regard.training import Settings, Task, Trained, device_of

LARGEST = torch.finfo(torch.float32).max  # replaces a loss that is not finite


@dataclass(frozen=True)
class Wiring:
    """Where the norm is, and whether a residual passes around the parts of a block."""

    norm: Norm
    residual: bool

    @property
    def name(self) -> str:
        return f"{self._norm}-norm {'with' if self.residual else 'without'} residual".replace("no-norm", "no norm")

    def folder(self, depth: int) -> str:
        return f"{self._norm}-norm-{'residual' if self.residual else 'plain'}-depth-{depth}"

    def at(self, depth: int) -> str:
        """The prefix of the names of its numbers."""
        return f"{self.name}, depth {depth}: "

    @property
    def _norm(self) -> str:
        return "no" if self.norm == "none" else self.norm


WIRINGS = [Wiring(norm, residual) for residual in (True, False) for norm in ("pre", "post", "none")]


@dataclass(frozen=True, kw_only=True)
class GradientsConfig:
    """Stacks of these depths in every wiring, trained alike; gradients are means over `starts` initialisations."""

    depths: tuple[int, ...] = (2, 4, 8, 16, 32)
    width: int = 32
    num_heads: int = 4
    hidden: int = 64
    starts: int = 3
    training: Settings = field(default_factory=lambda: on_one_thread(250, 32, every=50, rate=2e-3, warmup=30))

    def __post_init__(self) -> None:
        if not self.depths or sorted(set(self.depths)) != list(self.depths) or self.depths[0] < 1:
            raise ValueError(f"depths must be one or more rising numbers from 1 on: got depths={self.depths}")
        check_divides("width", self.width, "num_heads", self.num_heads)
        check_sizes(self, "hidden", "starts")


class DigitReader(nn.Module):
    """Reads a digit whose rows are tokens: embedding, blocks, mean over tokens, linear layer."""

    left_out: Tensor

    def __init__(self, config: GradientsConfig, wiring: Wiring, depth: int) -> None:
        super().__init__()
        C = config.width
        self.rows, self.places = nn.Linear(SIDE, C), nn.Parameter(torch.randn(SIDE, C))
        parts = [(MultiHead(C, config.num_heads), FeedForward(C, config.hidden, "relu")) for _ in range(depth)]
        self.blocks = nn.ModuleList([Wired(two, C, residual=wiring.residual, norm=wiring.norm) for two in parts])
        self.norm = nn.LayerNorm(C) if wiring.norm == "pre" else nn.Identity()
        self.head = nn.Linear(C, CLASSES)
        self.register_buffer("left_out", torch.zeros((), dtype=torch.int64))  # steps

    def embed(self, images: Float[Tensor, "B 1 8 8"]) -> Float[Tensor, "B 8 C"]:
        return self.rows(images[:, 0]) + self.places

    def through(self, x: Float[Tensor, "B 8 C"]) -> Float[Tensor, "B 8 C"]:
        for block in self.blocks:
            x = block(x)
        return self.norm(x)

    def forward(self, images: Float[Tensor, "B 1 8 8"]) -> Float[Tensor, "B classes"]:
        return self.head(self.through(self.embed(images)).mean(1))


@dataclass(frozen=True)
class DigitTask(Task):
    """Read digits with one stack."""

    config: GradientsConfig
    wiring: Wiring
    depth: int

    judged_by = "accuracy"
    goes_on = True  # a stack that explodes is an outcome of the experiment, and not its end

    @property
    def count(self) -> int:
        return len(digits()[0])

    def build(self) -> nn.Module:
        return DigitReader(self.config, self.wiring, self.depth)

    def batch(self, examples: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        train, _ = digits()
        return train.images[examples], train.labels[examples]

    def loss(self, model: Any, batch: tuple[Tensor, Tensor], generator: torch.Generator) -> Tensor:
        images, labels = batch
        return functional.cross_entropy(model(images), labels)

    def leave_out(self, model: Any) -> None:
        model.left_out += 1

    def evaluate(self, model: Any) -> Mapping[str, float]:
        """Accuracy on digits that no training sees; logits that are not finite count as wrong."""
        (_, test), device = digits(), device_of(model)
        labels, logits = test.labels.to(device), model(test.images.to(device))
        right = (logits.argmax(1) == labels) & logits.isfinite().all(1)
        loss = bound(functional.cross_entropy(logits, labels)).item()
        return {"accuracy": right.double().mean().item(), "test loss": loss, "left out": model.left_out.item()}


def bound(value: Tensor) -> Tensor:
    return value.nan_to_num(nan=LARGEST, posinf=LARGEST)


@dataclass(frozen=True)
class Gradients:
    """Gradient norms before training: of each block's parameters; at the tokens before the blocks over that after them.

    `cosine` is the mean cosine of two tokens after the blocks.
    """

    blocks: Sequence[float]
    tokens: float
    cosine: float

    @property
    def ratio(self) -> float:
        """The first block's norm over the last one's: below 1 where a gradient fades on its way back."""
        return self.blocks[0] / self.blocks[-1]


def measure_gradients(model: DigitReader, images: Float[Tensor, "B 1 8 8"], labels: Int[Tensor, " B"]) -> Gradients:
    """The gradients of the cross-entropy of these images."""
    with torch.enable_grad():
        x = model.embed(images)
        y = model.through(x)
        loss = functional.cross_entropy(model.head(y.mean(1)), labels)
        of_blocks = [list(block.parameters()) for block in model.blocks]
        before, after, *found = torch.autograd.grad(loss, [x, y, *(one for block in of_blocks for one in block)])
    left = iter(found)
    norms = [nn.utils.get_total_norm([next(left) for _ in block]).item() for block in of_blocks]
    return Gradients(norms, (before.norm() / after.norm()).item(), similarity(y.detach()))


def measure_start(config: GradientsConfig, wiring: Wiring, depth: int) -> Gradients:
    """Gradients before training on the first digits, in float64: geometric means over the starts."""
    train, found = digits()[0], []
    for start in range(config.starts):
        torch.manual_seed(config.training.seed + start)
        model = DigitReader(config, wiring, depth).double()
        found.append(measure_gradients(model, train.images[:64].double(), train.labels[:64]))
    return Gradients(
        [geometric_mean(norms) for norms in zip(*(one.blocks for one in found), strict=True)],
        geometric_mean([one.tokens for one in found]),
        statistics.mean(one.cosine for one in found),
    )


def geometric_mean(norms: Sequence[float]) -> float:
    """The geometric mean, where 0 counts as 1e−300 and what is not finite as 1e300.

    >>> round(geometric_mean([1e-4, 1e4]), 12), f"{geometric_mean([torch.inf, 1.0]):.0e}"
    (1.0, '1e+150')
    """
    return statistics.geometric_mean(max(norm, 1e-300) if norm < 1e300 else 1e300 for norm in norms)


def trainings(config: GradientsConfig, resources: Resources) -> dict[str, Training]:
    return {
        wiring.folder(depth): Training(DigitTask(config, wiring, depth), config.training)
        for wiring in WIRINGS
        for depth in config.depths
    }


def measure(config: GradientsConfig, models: Mapping[str, Trained]) -> Outcome:
    """For each wiring and depth: gradients before training, and what was learnt."""
    numbers: dict[str, float] = {}
    deepest = config.depths[-1]
    for wiring in WIRINGS:
        for depth in config.depths:
            at, begun, one = wiring.at(depth), measure_start(config, wiring, depth), models[wiring.folder(depth)]
            found = one.task.evaluate(one.model)
            numbers |= {
                f"{at}gradient ratio": begun.ratio,
                f"{at}gradient at the tokens": begun.tokens,
                f"{at}gradient of block 1": begun.blocks[0],
                f"{at}cosine of tokens": begun.cosine,
                f"{at}accuracy": found["accuracy"],
                f"{at}loss": found["test loss"],
                f"{at}steps left out": found["left out"],
            }
            if depth == deepest:
                numbers |= {f"{at}gradient of block {place}": norm for place, norm in enumerate(begun.blocks, 1)}
    results = [summarise(config, numbers, wiring) for wiring in WIRINGS]
    right = [100 * one.accuracies[deepest] for one in results]
    both = ", ".join(f"{right[n]:.0f} % {WIRINGS[n].norm}-norm" for n in (0, 1))
    return Outcome(
        numbers=numbers,
        headline=f"digits right at depth {deepest}: {both} with residual, at best {max(right[2:]):.0f} % otherwise",
        text=render("gradients.md.j2", config=config, numbers=numbers, results=results, tested=len(digits()[1])),
        figures={"gradients": gradients_figure(config, numbers), "accuracy": accuracy_figure(config, numbers)},
        claims={"gradients": numbers},
    )


def by_depth(config: GradientsConfig, numbers: Mapping[str, float], what: str, factor: float = 1) -> dict[str, Any]:
    """Lines against depth, one for each wiring."""
    depths = list(config.depths)
    return {
        wiring.name: (depths, [factor * numbers[f"{wiring.at(depth)}{what}"] for depth in depths]) for wiring in WIRINGS
    }


def gradients_figure(config: GradientsConfig, numbers: Mapping[str, float]) -> Any:
    """Norms block by block in the deepest stacks, and three norms against depth."""
    deepest = config.depths[-1]
    places = list(range(1, deepest + 1))
    layers = {
        wiring.name: (places, [numbers[f"{wiring.at(deepest)}gradient of block {place}"] for place in places])
        for wiring in WIRINGS
    }
    titles = {
        "gradient of block 1": "gradient of the first block",
        "gradient ratio": "gradient of the first block / of the last",
        "gradient at the tokens": "gradient at the tokens, before / after",
    }
    panels = [
        Panel(title=f"gradient of each of {deepest} blocks", x="block", lines=layers, logs=(False, True), dots=False)
    ]
    panels += [
        Panel(title=title, x="blocks", lines=by_depth(config, numbers, what), logs=(True, True), ticks=config.depths)
        for what, title in titles.items()
    ]
    return add_legend(line_figure(panels))


def accuracy_figure(config: GradientsConfig, numbers: Mapping[str, float]) -> Any:
    ticks, x, log_x = config.depths, "blocks", (True, False)
    right, losses = by_depth(config, numbers, "accuracy", 100), by_depth(config, numbers, "loss")
    alike = by_depth(config, numbers, "cosine of tokens")
    panels = [
        Panel(title="digits read right, %", x=x, lines=right, limits=(0, 103), logs=log_x, ticks=ticks),
        Panel(title="loss on the test, nats", x=x, lines=losses, logs=(True, True), ticks=ticks),
        Panel(title="cosine of two tokens as they begin", x=x, lines=alike, limits=(0, 1.03), logs=log_x, ticks=ticks),
    ]
    return add_legend(line_figure(panels, columns=3))


def add_legend(figure: Any) -> Any:
    """Put one legend below all panels, and dash the lines of stacks without residual."""
    for axes in figure.axes:
        for line in axes.lines:
            line.set_linestyle("--" if "without" in line.get_label() else "-")
    legend = figure.axes[0].get_legend()
    handles, names = figure.axes[0].get_legend_handles_labels()
    legend.remove()
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure


@dataclass(frozen=True)
class WiringResult:
    """What a wiring comes to with depth: the gradient of the first block, digits read right, and steps left out."""

    wiring: Wiring
    shallow: float  # the gradient's norm in the shallowest stack
    deep: float  # and in the deepest
    accuracies: Mapping[int, float]  # by depth
    left_out: Mapping[int, int]  # steps, by depth

    @property
    def change(self) -> str:
        """What the gradient of the first block does from the shallowest stack to the deepest."""
        if self.deep < self.shallow / 1000:
            return "vanishes"
        return "explodes" if self.deep > 1000 * self.shallow else "keeps its size"

    @property
    def learns(self) -> list[int]:
        """The depths at which nine digits in ten are read right."""
        return [depth for depth, right in self.accuracies.items() if right >= 0.9]

    @property
    def chance(self) -> list[int]:
        """The depths at which hardly more is read right than by chance."""
        return [depth for depth, right in self.accuracies.items() if right < 0.2]

    @property
    def learns_deepest(self) -> bool:
        return max(self.accuracies) in self.learns


def summarise(config: GradientsConfig, numbers: Mapping[str, float], wiring: Wiring) -> WiringResult:
    first, last = (numbers[f"{wiring.at(depth)}gradient of block 1"] for depth in (config.depths[0], config.depths[-1]))
    accuracies = {depth: numbers[f"{wiring.at(depth)}accuracy"] for depth in config.depths}
    left_out = {depth: int(numbers[f"{wiring.at(depth)}steps left out"]) for depth in config.depths}
    return WiringResult(wiring, first, last, accuracies, left_out)


RECIPES = {
    "gradients": Recipe(
        name="gradients",
        about="Norms and residuals against depth: gradients of six wirings, and which of them learn to read digits.",
        config=GradientsConfig(),
        smoke=GradientsConfig(
            depths=(1, 2),
            width=8,
            num_heads=2,
            hidden=8,
            starts=1,
            training=on_one_thread(4, 8, every=2),
        ),
        small=GradientsConfig(
            depths=(2, 16),
            width=16,
            num_heads=1,
            hidden=32,
            starts=1,
            training=on_one_thread(40, 64, every=40, rate=1e-2, warmup=5, floor=0.05),
        ),
        trainings=trainings,
        measure=measure,
    )
}
