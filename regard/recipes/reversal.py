"""String reversal by LSTMs without attention and with it, and by a Transformer: accuracy by length, and the map."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn

from regard.checks import check_whole
from regard.models import BlockConfig, EncoderDecoder, EncoderDecoderConfig, Recurrent, RecurrentConfig
from regard.models.block import NormConfig
from regard.recipes.recipe import Outcome, Recipe, Resources, Training, on_one_thread
from regard.recipes.report import Panel, format_percent, line_figure, map_figure, render, training_figure
from regard.tasks import reversal
from regard.tasks.readers import Inputs, StringReader
from regard.tasks.reversal import Accuracy, Batch
from regard.training import Settings, Task, Trained, compact, device_of
from regard.training.batches import move

MODELS = {"plain": "LSTM without attention", "attention": "LSTM with attention", "transformer": "Transformer"}
WORD = "abacadabacc"
STRINGS = Inputs(kind="letters", examples=(WORD, "abcdabcd", "dddddaaaaa", "abcabcabcabcabc"))


@dataclass(frozen=True, kw_only=True)
class TransformerSizes:
    """Sizes of the encoder and of the decoder, which learn at a rate of their own and without dropout."""

    depth: int = 2
    width: int = 64
    num_heads: int = 4
    rate: float = 2e-3

    def __post_init__(self) -> None:
        _ = self.model  # which refuses what cannot be

    @property
    def model(self) -> EncoderDecoderConfig:
        hidden = 2 * self.width
        block = BlockConfig(width=self.width, num_heads=self.num_heads, hidden=hidden, norm=NormConfig(first=True))
        return EncoderDecoderConfig(vocabulary=reversal.VOCABULARY, depth=self.depth, block=block)


@dataclass(frozen=True, kw_only=True)
class ReversalConfig:
    """Strings of several lengths, of which each step draws one; both LSTMs have the same sizes and settings."""

    lengths: tuple[int, ...] = (3, 6, 9, 12, 15)
    width: int = 8
    hidden: int = 128
    dropout: float = 0.3  # with it, the attention learns to look where the letter is
    transformer: TransformerSizes = field(default_factory=TransformerSizes)
    validated: int = 500  # strings of each length
    training: Settings = field(
        default_factory=lambda: on_one_thread(1150, 64, every=100, rate=5e-3, warmup=50, floor=0.05)
    )

    def __post_init__(self) -> None:
        if not self.lengths or min(self.lengths) < 1:
            raise ValueError(f"lengths must be one or more, of at least 1: got lengths={self.lengths}")
        check_whole("validated", self.validated, 1)
        _ = self.recurrent(attention=False)  # which refuses what cannot be

    def recurrent(self, *, attention: bool) -> RecurrentConfig:
        return RecurrentConfig(
            vocabulary=reversal.VOCABULARY,
            width=self.width,
            hidden=self.hidden,
            attention=attention,
            dropout=self.dropout,
        )


@dataclass(frozen=True)
class Reversal(Task):
    """Reverse strings with one of the models."""

    config: ReversalConfig
    kind: str

    judged_by = "characters"

    @property
    def count(self) -> int:
        """Every batch has new strings; an epoch is as many batches as there are lengths."""
        return self.config.training.batch * len(self.config.lengths)

    def build(self) -> nn.Module:
        if self.kind == "transformer":
            return EncoderDecoder(self.config.transformer.model)
        return Recurrent(self.config.recurrent(attention=self.kind == "attention"))

    def batch(self, examples: Tensor, generator: torch.Generator) -> Batch:
        lengths = self.config.lengths
        length = lengths[int(torch.randint(len(lengths), (), generator=generator))]
        return reversal.draw(len(examples), length, generator)

    def loss(self, model: Any, batch: Batch, generator: torch.Generator) -> Tensor:
        return reversal.loss(model, batch)

    def evaluate(self, model: Any) -> Mapping[str, float]:
        """Accuracy at the longest strings."""
        found = self.accuracies(model)[max(self.config.lengths)]
        return {"characters": found.characters, "strings": found.strings}

    def record(self, model: Any) -> Mapping[str, Tensor]:
        """The maps of a word, from written letters to the letters that were read."""
        if self.kind == "plain":
            return {}
        batch = word_batch(model)
        maps = {f"maps.word.{layer}": compact(found[0]) for layer, found in enumerate(cross_maps(model, batch))}
        return {"inputs.word": batch.source[0], **maps}

    def reader(self, model: Any) -> StringReader | None:
        return None if self.kind == "plain" else StringReader(model)

    def accuracies(self, model: Any) -> dict[int, Accuracy]:
        """Accuracy by length of what the model writes on its own, on strings that are the same in every run."""
        return {batch.source.shape[1]: reversal.accuracy(model, batch) for batch in self.validation(model)}

    def validation(self, model: nn.Module) -> Iterator[Batch]:
        generator, device = torch.Generator().manual_seed(2**31 + self.config.training.seed), device_of(model)
        drawn = (reversal.draw(self.config.validated, length, generator) for length in sorted(self.config.lengths))
        return (move(batch, device) for batch in drawn)


def trainings(config: ReversalConfig, resources: Resources) -> dict[str, Training]:
    own = replace(config.training, descent=replace(config.training.descent, rate=config.transformer.rate))
    settings = {name: own if name == "transformer" else config.training for name in MODELS}
    return {name: Training(Reversal(config, name), settings[name]) for name in MODELS}


def measure(config: ReversalConfig, models: Mapping[str, Trained]) -> Outcome:
    """Accuracies by model, metric and length, and the share of the map beside the anti-diagonal."""
    numbers: dict[str, float] = {}
    for name, one in models.items():
        for length, found in one.task.accuracies(one.model).items():
            numbers |= {f"{name} characters {length}": found.characters, f"{name} strings {length}": found.strings}
        for batch in one.task.validation(one.model):
            forced = reversal.forced_accuracy(one.model, batch)
            numbers[f"{name} forced {batch.source.shape[1]}"] = forced.characters
    with_attention = models["attention"]
    *_, longest = with_attention.task.validation(with_attention.model)
    numbers["mass beside the anti-diagonal"] = mass_beside(cross_maps(with_attention.model, longest)[0][:, 0])
    maps = {MODELS["attention"]: word_maps(with_attention.model)[0, 0]} | find_best_head(models["transformer"].model)
    rows = maps[MODELS["attention"]].tolist()
    numbers |= {f"map {i} {j}": weight for i, row in enumerate(rows) for j, weight in enumerate(row)}
    at = max(config.lengths)
    right = [f"{format_percent(numbers[f'{name} characters {at}'], 1)} {text}" for name, text in MODELS.items()]
    return Outcome(
        numbers=numbers,
        headline=f"right letters at length {at}: {', '.join(right)}",
        text=render("reversal.md.j2", config=config, numbers=numbers, models=MODELS, word=WORD),
        figures={
            "accuracy": accuracy_figure(config, numbers),
            "map": map_figure(
                {name: weights.tolist() for name, weights in maps.items()},
                rows=WORD[::-1],
                columns=WORD,
                labels=("written", "read"),
            ),
            "training": training_figure(models, ("characters",)),
        },
        claims={"reversal": numbers},
    )


def cross_maps(model: Any, batch: Batch) -> list[Tensor]:
    """(B, H, T, S) of each layer: what each written letter looks at."""
    with torch.no_grad():
        return model(batch.source, batch.target, maps=True).maps["cross"]


def word_batch(model: nn.Module) -> Batch:
    return move(reversal.batch_of([WORD]), device_of(model))


def word_maps(model: nn.Module) -> Tensor:
    """(layers, H, T, S) of the word."""
    return torch.cat(cross_maps(model, word_batch(model))).float().cpu()


def find_best_head(model: nn.Module) -> dict[str, Tensor]:
    """The map of the Transformer's head that looks most at the letter to copy, by its name."""
    maps = word_maps(model)
    masses = [mass_beside(one) for one in maps.flatten(0, 1)]
    layer, head = divmod(masses.index(max(masses)), maps.shape[1])
    return {f"{MODELS['transformer']}, layer {layer + 1}, head {head + 1}": maps[layer, head]}


def mass_beside(maps: Tensor) -> float:
    """The mean share of a written letter's weights within one position of the letter that it copies.

    >>> mass_beside(torch.eye(4).flip(0)[None]), round(mass_beside(torch.full((1, 11, 11), 1 / 11)), 3)
    (1.0, 0.256)
    """
    T = maps.shape[-1]
    place = torch.arange(T, device=maps.device)
    beside = ((T - 1 - place)[:, None] - place).abs() <= 1
    return (maps * beside).sum(-1).mean().item()


def accuracy_figure(config: ReversalConfig, numbers: Mapping[str, float]) -> Any:
    """Right letters and right strings against the length, for all models."""
    lengths = sorted(config.lengths)
    panels = [
        Panel(
            title=f"right {metric}, %",
            x="length",
            lines={
                text: (lengths, [100 * numbers[f"{name} {metric} {length}"] for length in lengths])
                for name, text in MODELS.items()
            },
            limits=(-3, 103),
            ticks=lengths,
        )
        for metric in ("characters", "strings")
    ]
    return line_figure(panels)


RECIPES = {
    "reversal": Recipe(
        name="reversal",
        about="LSTMs reverse strings, without attention and with it, and a Transformer: accuracy by length, the map.",
        config=ReversalConfig(),
        smoke=ReversalConfig(
            lengths=(3, 5),
            width=8,
            hidden=16,
            transformer=TransformerSizes(depth=1, width=16, rate=1e-2),
            validated=20,
            training=on_one_thread(20, 16, every=10, rate=1e-2),
        ),
        small=ReversalConfig(
            lengths=(3, 5, 7, 9, 11),
            width=16,
            hidden=64,
            dropout=0.1,
            transformer=TransformerSizes(depth=1, width=32, rate=1e-2),
            validated=250,
            training=on_one_thread(300, 64, every=300, rate=8e-3, warmup=20, floor=0.05),
        ),
        trainings=trainings,
        measure=measure,
        inputs=lambda config, training: None if training == "plain" else STRINGS,
    )
}
