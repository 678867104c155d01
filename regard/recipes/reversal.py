"""String reversal by LSTMs without attention and with it: how far each gets with the same budget, and the map."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from regard.analysis.figures import BLUE, INK, ORANGE, figure_of_panels
from regard.models import Recurrent, RecurrentConfig
from regard.recipes.recipe import Recipe, Watch
from regard.recipes.run import Run
from regard.tasks import reversal
from regard.tasks.reversal import Accuracy, Batch
from regard.tasks.whole_files import whole_file
from regard.training import Descent, Progress, Schedule, Settings, train

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODELS = {"plain": "LSTM without attention", "attention": "LSTM with attention"}
WORD = "abacadabacc"


@dataclass(frozen=True, kw_only=True)
class ReversalConfig:
    """Strings of some lengths, a batch of each in turn; the same sizes, steps and rate for both models."""

    lengths: tuple[int, ...] = (8, 12, 16, 20)
    width: int = 32
    hidden: int = 64
    dropout: float = 0.0
    validated: int = 500  # strings of each length
    training: Settings = field(
        default_factory=lambda: Settings(
            steps=3000,
            batch=64,
            evaluate_every=250,
            descent=Descent(rate=3e-3),
            schedule=Schedule(warmup=50, floor=0.05),
        )
    )

    def __post_init__(self) -> None:
        if not self.lengths or min(self.lengths) < 1:
            raise ValueError(f"lengths must be one or more, of at least 1: got lengths={self.lengths}")


@dataclass(frozen=True)
class Reversal:
    """The task of one of the models."""

    config: ReversalConfig
    attention: bool

    judged_by = "characters"

    @property
    def count(self) -> int:
        """Strings are drawn anew for every batch; an epoch is a batch of every length."""
        return self.config.training.batch * len(self.config.lengths)

    def build(self) -> Recurrent:
        config = self.config
        return Recurrent(
            RecurrentConfig(
                vocabulary=reversal.VOCABULARY,
                width=config.width,
                hidden=config.hidden,
                attention=self.attention,
                dropout=config.dropout,
            )
        )

    def loss(self, model: Any, examples: Tensor, generator: torch.Generator) -> Tensor:
        lengths = self.config.lengths
        length = lengths[int(torch.randint(len(lengths), (), generator=generator))]
        return reversal.loss(model, reversal.draw(len(examples), length, generator))

    def evaluate(self, model: Any) -> Mapping[str, float]:
        """At the longest strings."""
        found = self.accuracies(model)[max(self.config.lengths)]
        return {"characters": found.characters, "strings": found.strings}

    def accuracies(self, model: Any) -> dict[int, Accuracy]:
        """By length, of what the model writes on its own, on strings that are the same in every run."""
        return {batch.source.shape[1]: reversal.accuracy(model, batch) for batch in self.validation()}

    def validation(self) -> Iterator[Batch]:
        generator = torch.Generator().manual_seed(2**31 + self.config.training.seed)
        return (reversal.draw(self.config.validated, length, generator) for length in sorted(self.config.lengths))


def cook(config: ReversalConfig, run: Run, watch: Watch) -> None:
    """Train both, then measure, draw and report."""
    trained = {}
    for name in MODELS:

        def told(progress: Progress, numbers: Mapping[str, float], name: str = name) -> None:
            watch(name, config.training.steps, progress, numbers)

        task = Reversal(config, name == "attention")
        trained[name] = train(task, config.training, run.folder / name, watch=told)
    numbers = measured(config, trained)
    _save(run, "accuracy.svg", accuracy_figure(config, numbers))
    _save(run, "map.svg", map_figure(map_of(trained["attention"], WORD)))
    run.finish(numbers, report(config, numbers, run), {"reversal": numbers})


def measured(config: ReversalConfig, trained: Mapping[str, nn.Module]) -> dict[str, float]:
    """Accuracies by model, metric and length, and the share of the map beside the anti-diagonal."""
    numbers: dict[str, float] = {}
    for name, model in trained.items():
        task = Reversal(config, name == "attention")
        for length, found in task.accuracies(model).items():
            numbers |= {f"{name} characters {length}": found.characters, f"{name} strings {length}": found.strings}
        for batch in task.validation():
            forced = reversal.forced_accuracy(model, batch)  # pyright: ignore[reportArgumentType]
            numbers[f"{name} forced {batch.source.shape[1]}"] = forced.characters
    model = trained["attention"]
    batch = list(Reversal(config, True).validation())[-1]
    numbers["mass beside the anti-diagonal"] = near(maps_of(model, batch))
    rows = map_of(model, WORD).tolist()
    numbers |= {f"map {i} {j}": weight for i, row in enumerate(rows) for j, weight in enumerate(row)}
    return numbers


@torch.no_grad()
def maps_of(model: Any, batch: Batch) -> Tensor:
    """(B, T, S): what each written letter looks at."""
    return model(batch.source, batch.target, maps=True).maps["cross"][0][:, 0]


def map_of(model: Any, word: str) -> Tensor:
    return maps_of(model, reversal.batch_of([word]))[0]


def near(maps: Tensor) -> float:
    """The mean share of a written letter's weights within one place of the letter that it copies.

    >>> near(torch.eye(4).flip(0)[None]), round(near(torch.full((1, 11, 11), 1 / 11)), 3)
    (1.0, 0.256)
    """
    T = maps.shape[-1]
    place = torch.arange(T)
    beside = ((T - 1 - place)[:, None] - place).abs() <= 1
    return (maps * beside).sum(-1).mean().item()


def accuracy_figure(config: ReversalConfig, numbers: Mapping[str, float]) -> "Figure":
    """Right letters and right strings against the length, for both models."""
    figure, panels = figure_of_panels(2, 2, (3.6, 3.0), 0.3)
    lengths = sorted(config.lengths)
    for panel, metric in zip(panels, ("characters", "strings"), strict=True):
        for name, colour in (("plain", ORANGE), ("attention", BLUE)):
            values = [100 * numbers[f"{name} {metric} {length}"] for length in lengths]
            panel.plot(lengths, values, color=colour, marker="o", markersize=4, label=MODELS[name])
        panel.set(ylim=(-3, 103), xticks=lengths)
        panel.set_title(f"right {metric}, %", fontsize=9, color=INK)
        panel.set_xlabel("length", fontsize=8, color=INK)
        panel.tick_params(labelsize=8, colors=INK)
        panel.spines[["right", "top"]].set_visible(False)
    panels[0].legend(frameon=False, fontsize=8, loc="lower left")
    return figure


def map_figure(weights: Tensor) -> "Figure":
    """What each letter that is written looks at among those that were read."""
    figure, (panel,) = figure_of_panels(1, 1, (4.2, 4.0), 0.2)
    panel.imshow(weights.tolist(), cmap="Blues", vmin=0, vmax=1)
    panel.set_xticks(range(len(WORD)), list(WORD))
    panel.set_yticks(range(len(WORD)), list(WORD[::-1]))
    panel.set_xlabel("read", fontsize=9, color=INK)
    panel.set_ylabel("written", fontsize=9, color=INK)
    panel.tick_params(labelsize=8, colors=INK, length=0)
    return figure


def _save(run: Run, name: str, figure: "Figure") -> None:
    with whole_file(run.folder / name) as file:
        figure.savefig(file, format="svg", metadata={"Date": None})


def report(config: ReversalConfig, numbers: Mapping[str, float], run: Run) -> str:
    """The page of the run."""
    lengths = sorted(config.lengths)
    head = "| model | metric | " + " | ".join(f"length {length}" for length in lengths) + " |\n"
    rows = "".join(
        f"| {text} | {metric} | "
        + " | ".join(f"{100 * numbers[f'{name} {metric} {length}']:.2f} %" for length in lengths)
        + " |\n"
        for name, text in MODELS.items()
        for metric in ("characters", "strings")
    )
    training = config.training
    return (
        f"# String reversal: {run.name}\n\n`{run.command}`\n\n"
        f"Both models: embeddings {config.width} wide, one LSTM of {config.hidden} each way, {training.steps:,} steps "
        f"on {training.batch} strings, rate {training.descent.rate:g}. Validated on {config.validated} strings of each "
        "length, which the models write on their own.\n\n"
        f"{head}|{'---|' * (2 + len(lengths))}\n{rows}\n"
        f"With attention, {100 * numbers['mass beside the anti-diagonal']:.1f} % of the weights lie within one place "
        f"of the letter that is copied, at length {lengths[-1]}.\n\n"
        f"![Accuracy against length](accuracy.svg)\n\n![The map of {WORD}](map.svg)\n"
    )


RECIPE = Recipe(
    name="reversal",
    about="LSTMs reverse strings of four letters, without attention and with it: accuracy by length, and the map.",
    config=ReversalConfig(),
    smoke=ReversalConfig(
        lengths=(3, 5),
        width=8,
        hidden=16,
        validated=20,
        training=Settings(steps=20, batch=16, evaluate_every=10, descent=Descent(rate=1e-2)),
    ),
    cook=cook,
)
