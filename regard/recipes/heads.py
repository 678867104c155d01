"""Whether the number of heads matters: a sweep at a fixed width, on a task that needs several heads."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn

from regard.analysis.figures import PALETTE
from regard.checks import check_divides, check_sizes
from regard.recipes.recipe import Outcome, Recipe, Resources, Training, on_one_thread
from regard.recipes.report import Panel, format_percent, line_figure, map_figure, render, training_figure
from regard.tasks.neighbours import Neighbours, Ring
from regard.training import Settings, Task, Trained, compact, device_of, expand

GAP = "#b0b0b0"  # between the maps of the heads


@dataclass(frozen=True, kw_only=True)
class HeadsConfig:
    """Numbers of heads at one width, each trained with several seeds, of which the training's own is the first."""

    heads: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    width: int = 32
    words: int = 8
    tokens: int = 16
    neighbours: tuple[int, ...] = (-3, -2, -1, 1, 2, 3)
    seeds: int = 3
    validated: int = 256  # rings
    training: Settings = field(
        default_factory=lambda: on_one_thread(800, 64, every=100, rate=1e-2, warmup=50, floor=0.05)
    )

    def __post_init__(self) -> None:
        if not self.heads or sorted(set(self.heads)) != list(self.heads):
            raise ValueError(f"heads must be one or more rising numbers: got heads={self.heads}")
        for num_heads in self.heads:
            check_divides("width", self.width, "heads", num_heads)
        check_sizes(self, "seeds", "validated")
        _ = self.ring

    @property
    def ring(self) -> Ring:
        return Ring(words=self.words, tokens=self.tokens, neighbours=self.neighbours)

    def names(self, num_heads: int) -> list[str]:
        """The names of the trainings with so many heads."""
        return [f"heads-{num_heads}-seed-{seed}" for seed in self.training.seeds(self.seeds)]


@dataclass(frozen=True)
class NeighbourTask(Task):
    """Name the neighbours with so many heads; every batch has new rings."""

    config: HeadsConfig
    num_heads: int

    judged_by = "accuracy"

    @property
    def count(self) -> int:
        return self.config.training.batch

    def build(self) -> nn.Module:
        return Neighbours(self.config.ring, width=self.config.width, num_heads=self.num_heads)

    def batch(self, examples: Tensor, generator: torch.Generator) -> Tensor:
        return self.config.ring.draw(len(examples), generator)

    def loss(self, model: Any, batch: Tensor, generator: torch.Generator) -> Tensor:
        return self.config.ring.loss(model, batch)

    def evaluate(self, model: Any) -> Mapping[str, float]:
        """Accuracy and loss on rings that are the same for all numbers of heads and all seeds."""
        ring, words = self.config.ring, self.validation(model)
        return {"accuracy": ring.accuracy(model, words), "validation loss": ring.loss(model, words).item()}

    def record(self, model: Any) -> Mapping[str, Tensor]:
        words = self.validation(model)[:1]
        return {"inputs.ring": words[0], "maps.ring.0": compact(model.maps(words)[0])}

    def validation(self, model: nn.Module) -> Tensor:
        generator = torch.Generator().manual_seed(2**31 + self.config.training.seed)
        return self.config.ring.draw(self.config.validated, generator).to(device_of(model))

    def count_held(self, model: Any) -> int:
        """The number of neighbours with a head of their own, which gives them over half of its weight on average."""
        maps = model.maps(self.validation(model))
        T = maps.shape[-1]
        place = torch.arange(T, device=maps.device)
        shares = [maps[:, :, place, (place + shift) % T].mean((0, 2)) for shift in self.config.neighbours]
        return int((torch.stack(shares).amax(1) > 0.5).sum())


def trainings(config: HeadsConfig, resources: Resources) -> dict[str, Training]:
    return {
        name: Training(NeighbourTask(config, num_heads), replace(config.training, seed=seed))
        for num_heads in config.heads
        for name, seed in zip(config.names(num_heads), config.training.seeds(config.seeds), strict=True)
    }


def measure(config: HeadsConfig, models: Mapping[str, Trained]) -> Outcome:
    """For each number of heads the accuracy over the seeds, the loss, and how many neighbours have a head."""
    numbers: dict[str, float] = {}
    for H in config.heads:
        own = [models[name] for name in config.names(H)]
        found = [one.task.evaluate(one.model) for one in own]
        right = [each["accuracy"] for each in found]
        numbers |= {
            f"accuracy of {H}": statistics.mean(right),
            f"lowest accuracy of {H}": min(right),
            f"highest accuracy of {H}": max(right),
            f"loss of {H}": statistics.mean(each["validation loss"] for each in found),
            f"neighbours with a head of {H}": statistics.mean(one.task.count_held(one.model) for one in own),
        }
    # The fewest heads of those that are right most often.
    best = max(config.heads, key=lambda H: (numbers[f"accuracy of {H}"], -H))
    first = {H: models[config.names(H)[0]] for H in config.heads}
    shown = {count_heads(H): H for H in sorted({config.heads[0], best, config.heads[-1]})}
    said = [f"{format_percent(numbers[f'accuracy of {H}'], 1)} with {name}" for name, H in shown.items()]
    spread = max(numbers[f"highest accuracy of {H}"] - numbers[f"lowest accuracy of {H}"] for H in config.heads)
    return Outcome(
        numbers=numbers,
        headline=f"neighbours named right: {', '.join(said)}",
        text=render("heads.md.j2", config=config, numbers=numbers, best=best, shown=list(shown), spread=spread),
        figures={
            "accuracy": accuracy_figure(config, numbers),
            "training": training_figure({count_heads(H): one for H, one in first.items()}, ("accuracy",)),
            "maps": maps_figure({name: first[H].task.record(first[H].model) for name, H in shown.items()}),
        },
        claims={"heads": numbers},
    )


def count_heads(number: int) -> str:
    return "1 head" if number == 1 else f"{number} heads"


def accuracy_figure(config: HeadsConfig, numbers: Mapping[str, float]) -> Any:
    """Mean accuracy against H, with a band from the lowest to the highest seed; and the loss."""
    heads = list(config.heads)
    right, low, high = (
        [100 * numbers[f"{which}accuracy of {H}"] for H in heads] for which in ("", "lowest ", "highest ")
    )
    loss = [numbers[f"loss of {H}"] for H in heads]
    x = f"heads, which share a width of {config.width}"
    figure = line_figure(
        [
            Panel(
                title="neighbours named right, %",
                x=x,
                lines={"": (heads, right)},
                limits=(0, 103),
                logs=(True, False),
                ticks=heads,
            ),
            Panel(title="loss, nats", x=x, lines={"": (heads, loss)}, logs=(True, True), ticks=heads),
        ]
    )
    figure.axes[0].fill_between(heads, low, high, color=PALETTE[0], alpha=0.2, linewidth=0)
    figure.axes[0].axhline(100 / config.words, color=GAP, linewidth=1, linestyle="--")
    figure.axes[0].text(heads[0], 100 / config.words + 1.5, "by chance", fontsize=7, color="#777777")
    return figure


def maps_figure(recorded: Mapping[str, Mapping[str, Tensor]]) -> Any:
    """The maps of all heads on the same ring, those of one model together in a panel."""
    tiles = {name: tile_maps(expand(kept["maps.ring.0"]).cpu()) for name, kept in recorded.items()}
    figure = map_figure({name: tile.tolist() for name, tile in tiles.items()}, labels=("place", "looked at"))
    for axes in figure.axes:
        axes.set_facecolor(GAP)
    return figure


def tile_maps(maps: Tensor) -> Tensor:
    """Arrange maps in a nearly square grid, with lines of NaN between them.

    >>> tile_maps(torch.ones(3, 2, 2)).isnan().int().tolist()
    [[0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 1, 1, 1]]
    """
    H, T, S = maps.shape
    columns = next(n for n in range(1, H + 1) if n * n >= H)
    rows = -(-H // columns)
    whole = torch.full((rows * (T + 1) - 1, columns * (S + 1) - 1), torch.nan)
    for number, one in enumerate(maps):
        top, left = number // columns * (T + 1), number % columns * (S + 1)
        whole[top : top + T, left : left + S] = one
    return whole


RECIPES = {
    "heads": Recipe(
        name="heads",
        about="One block says which words stand around each place: accuracy against the number of heads, the maps.",
        config=HeadsConfig(),
        smoke=HeadsConfig(
            heads=(1, 2, 8),
            width=8,
            words=4,
            tokens=6,
            neighbours=(-1, 1),
            seeds=2,
            validated=16,
            training=on_one_thread(20, 8, every=10, rate=1e-2),
        ),
        small=HeadsConfig(
            tokens=10,
            neighbours=(-2, -1, 1, 2),
            seeds=1,
            validated=128,
            training=on_one_thread(200, 32, every=200, rate=1.5e-2, warmup=10, floor=0.05),
        ),
        trainings=trainings,
        measure=measure,
    )
}
