"""What four objectives teach an encoder, each alone and together: masked words, next sentence, word order, inference.

Each is trained from several seeds; then the encoder is frozen, and a linear probe says how much of each objective can
be read from its features.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from regard.analysis.figures import INK, PALETTE, figure_of_panels
from regard.checks import check_sizes, check_whole
from regard.models.cross_entropy import IGNORED
from regard.recipes.recipe import Outcome, Recipe, Resources, Training, on_one_thread
from regard.recipes.report import render, training_figure
from regard.tasks import corpus, sentences
from regard.tasks.sentences import Examples, Reader, Source, probe
from regard.tasks.text import prepare_bpe, read_text
from regard.training import Descent, Execution, Schedule, Settings, Task, Trained, device_of
from regard.training.batches import move
from regard.training.task import take_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = {
    "words": "masked words",
    "next": "next sentence",
    "order": "inverted word order",
    "inference": "inference",
}
TOGETHER = {"both": ("words", "next"), "all": tuple(NAMES)}
TRAINED = {"nothing": (), **{name: (name,) for name in NAMES}, **TOGETHER}
LABELS = {"nothing": "nothing", **NAMES, "both": "words and next sentence", "all": "all four"}


@dataclass(frozen=True, kw_only=True)
class ObjectivesConfig:
    """The texts, the encoder, and how many texts are drawn for a probe to be fitted to and tested on.

    A step takes `training.batch` texts in all: with two objectives half of them for each.
    """

    data: str | None = None  # a folder that holds both files below
    lines: str = "tinyshakespeare/input.txt"  # a play, whose lines follow each other
    captions: str = "multi30k/train.en.gz"  # a sentence in each line
    pieces: int = 4000  # byte pairs
    made_up: bool = False  # whether a small language takes the place of data that are not given
    width: int = 128
    depth: int = 3
    num_heads: int = 4
    dropout: float = 0.1
    seeds: int = 3
    probed: tuple[int, int] = (4000, 2000)
    training: Settings = field(
        default_factory=lambda: Settings(
            steps=2000,
            batch=128,
            evaluate_every=500,
            descent=Descent(rate=1e-3, decay=0.01),
            schedule=Schedule(warmup=200),
            execution=Execution(workers=2),  # a batch of captions takes as long to make as a step on a GPU
        )
    )

    def __post_init__(self) -> None:
        check_sizes(self, "pieces", "width", "depth", "num_heads")
        check_whole("seeds", self.seeds, 2)  # one has no error
        if self.training.batch < len(NAMES):
            raise ValueError(f"batch must hold a text of each objective: got {self.training.batch}; use 4 or more")
        if min(self.probed) < 2:
            raise ValueError(f"probed must be two numbers of texts, from 2 on: got probed={self.probed}")
        self.reader(sentences.MadeUp(sentences.Language()), ())  # refuses sizes that do not fit

    def reader(self, source: Source, names: Sequence[str]) -> Reader:
        sizes = {"width": self.width, "depth": self.depth, "num_heads": self.num_heads, "dropout": self.dropout}
        return Reader(source, names, **sizes)


@dataclass(frozen=True, eq=False)
class Objectives(Task):
    """Learn some of the objectives, and tell how often each is right on texts that are never learnt from."""

    config: ObjectivesConfig
    source: Source
    names: tuple[str, ...]

    judged_by = "accuracy"
    leaves_out = True  # the heads of objectives that are not learnt

    @property
    def count(self) -> int:
        """Every batch has new texts: an epoch is a hundred batches."""
        return 100 * self.config.training.batch

    def build(self) -> nn.Module:
        return self.config.reader(self.source, self.names)

    def batch(self, examples: Tensor, generator: torch.Generator) -> dict[str, Examples]:
        return {name: self.source.draw(name, len(examples) // len(self.names), generator) for name in self.names}

    def check_parts(self, batch: int, parts: int) -> None:
        many = parts * len(self.names)
        if parts > 1 and batch % many:
            raise ValueError(
                f"batch must have as many texts of each of {len(self.names)} objectives for each of {parts} processes: "
                f"got batch={batch}; use {max(1, batch // many) * many}"
            )

    def part(self, examples: Tensor, generator: torch.Generator, rows: slice) -> dict[str, Examples]:
        whole, many = self.batch(examples, generator), len(self.names)
        own = slice(rows.start // many, rows.stop // many)
        return {name: take_rows(texts, own, len(texts.tokens)) for name, texts in whole.items()}

    def loss(self, model: Any, batch: Mapping[str, Examples], generator: torch.Generator) -> Tensor:
        return model(batch)

    def weight(self, batch: Mapping[str, Examples]) -> Tensor:
        return torch.stack([(texts.targets != IGNORED).sum() for texts in batch.values()])

    def evaluate(self, model: Any) -> Mapping[str, float]:
        """The share of right answers for each objective, and their mean."""
        found = {name: self.right(model, name).mean().item() for name in self.names}
        return {f"{name} right": share for name, share in found.items()} | {
            "accuracy": sum(found.values()) / len(found)
        }

    def fingerprint(self) -> str:
        return self.source.fingerprint()

    def right(self, model: Any, name: str) -> Tensor:
        return self.source.objectives[name].right(model, move(self.tested(name), device_of(model))).double()

    def tested(self, name: str) -> Examples:
        return draw_probed(self.source, self.config.probed, name)[1]


def draw_probed(source: Source, probed: tuple[int, int], name: str) -> tuple[Examples, Examples]:
    """Examples to fit a probe to and to test on: the same in all trainings, the latter of texts that are held out."""
    generators = [torch.Generator().manual_seed(2**31 + seed) for seed in (0, 1)]
    fitted, tested = probed
    return source.draw(name, fitted, generators[0]), source.draw(name, tested, generators[1], held_out=True)


def trainings(config: ObjectivesConfig, resources: Resources) -> dict[str, Training]:
    """One training for each of the combinations and each seed."""
    source = make_source(config, resources)
    return {
        f"{name}-{seed}": Training(Objectives(config, source, names), replace(config.training, seed=seed))
        for name, names in TRAINED.items()
        for seed in config.training.seeds(config.seeds)
        if names
    }


def make_source(config: ObjectivesConfig, resources: Resources) -> Source:
    """The texts of the data, or the small language."""
    if config.data is None:
        if not config.made_up:
            raise ValueError(
                f"objectives reads two texts: got none; use --data FOLDER with {config.lines} and {config.captions}, "
                "or --set lines=… --set captions=…; --small learns a small language"
            )
        return sentences.MadeUp(sentences.Language())
    folder = Path(config.data)
    lines = corpus.read_lines(folder / config.lines)
    captions = tuple([line.strip() for line in read_text(folder / config.captions).splitlines() if line.strip()])
    learnt = [part[: len(part) - int(corpus.HELD_OUT * len(part))] for part in ([one for one, _ in lines], captions)]
    text = "\n".join([f" {sentence}" for part in learnt for sentence in part])
    how = {"special": corpus.SPECIAL, "progress": partial(resources.on_data, "byte pairs")}
    return corpus.Corpus(lines, captions, prepare_bpe(text, resources.cache, vocabulary=config.pieces, **how))


def measure(config: ObjectivesConfig, models: Mapping[str, Trained]) -> Outcome:
    """How often each objective is right where it was trained alone, and what probes find in all encoders."""
    first: Objectives = next(iter(models.values())).task
    source, device = first.source, device_of(next(iter(models.values())).model)
    drawn = {name: draw_probed(source, config.probed, name) for name in NAMES}
    numbers: dict[str, float] = {}
    for name in NAMES:
        own = [
            one.task.right(one.model, name).mean().item() for key, one in models.items() if key.startswith(f"{name}-")
        ]
        numbers |= _mean(f"{name} right", own)
        numbers[f"{name} chance"] = source.objectives[name].chance(drawn[name][1])
    shares: dict[str, dict[str, list[float]]] = {trained: {name: [] for name in NAMES} for trained in TRAINED}
    for seed in config.training.seeds(config.seeds):
        for trained in TRAINED:
            reader = models[f"{trained}-{seed}"].model if trained != "nothing" else _untrained(first, seed, device)
            for name, parts in drawn.items():
                fitted, tested = (move(part, device) for part in parts)
                right = probe(reader, source.objectives[name], fitted, tested)
                shares[trained][name].append(right.double().mean().item())
    for trained, found in shares.items():
        for name, values in found.items():
            numbers |= _mean(f"{trained} on {name}", values)
        numbers |= _mean(f"{trained} on average", [fmean(each) for each in zip(*found.values(), strict=True)])
    gains = {alone: measure_gain(shares, "both", alone) for alone in ("words", "next", "nothing")}
    numbers |= {f"both over {alone}": gain for alone, (gain, _) in gains.items()}
    numbers |= {f"both over {alone} error": error for alone, (_, error) in gains.items()}
    best = max(TRAINED, key=lambda trained: numbers[f"{trained} on average"])
    return Outcome(
        numbers=numbers,
        headline=f"mean of four probes: {numbers['nothing on average']:.3f} untrained, "
        f"{numbers['words on average']:.3f} masked words, {numbers['next on average']:.3f} next sentence, "
        f"{numbers['both on average']:.3f} both, {numbers['all on average']:.3f} all",
        text=render(
            "text/objectives.md.j2", config=config, numbers=numbers, names=NAMES, labels=LABELS, best=LABELS[best]
        ),
        figures={
            "probes": probes_figure(numbers),
            "training": training_figure(
                {key: one for key, one in models.items() if key.endswith(f"-{config.training.seed}")}, ("accuracy",)
            ),
        },
        claims={"objectives": numbers},
    )


def measure_gain(shares: Mapping[str, Mapping[str, Sequence[float]]], one: str, other: str) -> tuple[float, float]:
    """By how much the mean of the probes is better after `one`, and the error of it: seeds are compared in pairs.

    >>> shares = {"a": {"words": [0.5, 0.7]}, "b": {"words": [0.4, 0.4]}}
    >>> [round(number, 3) for number in measure_gain(shares, "a", "b")]
    [0.2, 0.1]
    """
    sides = ([fmean(each) for each in zip(*shares[key].values(), strict=True)] for key in (one, other))
    found = _mean("gain", [a - b for a, b in zip(*sides, strict=True)])
    return found["gain"], found["gain error"]


def _mean(name: str, values: Sequence[float]) -> dict[str, float]:
    """The mean over the seeds, and its standard error."""
    return {name: fmean(values), f"{name} error": stdev(values) / math.sqrt(len(values))}


def _untrained(task: Objectives, seed: int, device: torch.device) -> Reader:
    """An encoder as a training of this seed begins with."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return task.config.reader(task.source, ()).to(device).eval()


def probes_figure(numbers: Mapping[str, float]) -> "Figure":
    """A panel for each objective that is probed: the share right after each training, with errors over the seeds."""
    figure, panels = figure_of_panels(len(NAMES), 2, (4.2, 2.8), 0.5)
    for panel, (name, title) in zip(panels, NAMES.items(), strict=True):
        heights = [numbers[f"{trained} on {name}"] for trained in TRAINED]
        errors = [numbers[f"{trained} on {name} error"] for trained in TRAINED]
        colours = [PALETTE[1] if name in parts else PALETTE[0] for parts in TRAINED.values()]
        panel.bar(range(len(TRAINED)), heights, yerr=errors, color=colours, width=0.7, ecolor=INK, capsize=2)
        panel.axhline(numbers[f"{name} chance"], color=INK, linewidth=0.8, linestyle=":")
        panel.set_title(f"probed for {title}", fontsize=9, color=INK)
        panel.set_xticks(range(len(TRAINED)), list(TRAINED), rotation=30)
        panel.set_ylim(0, 1)
        panel.tick_params(labelsize=7, colors=INK)
        panel.spines[["right", "top"]].set_visible(False)
    return figure


# A seeded grammar of 43 words: half a minute, and what the claims run where no run is recorded.
SMALL = ObjectivesConfig(
    made_up=True,
    width=32,
    depth=1,
    dropout=0.0,
    probed=(800, 500),
    training=replace(on_one_thread(120, 64, every=120, rate=3e-3), schedule=Schedule(kind="constant")),
)
RECIPES = {
    "objectives": Recipe(
        name="objectives",
        about="Masked words, next sentence, word order and inference, each alone and together, probed for the others.",
        config=ObjectivesConfig(),
        smoke=replace(
            SMALL, width=16, seeds=2, probed=(60, 40), training=replace(SMALL.training, steps=4, evaluate_every=2)
        ),
        small=SMALL,
        trainings=trainings,
        measure=measure,
    )
}
