"""A Transformer learns the characters or byte pairs of a text: what it predicts, what it looks at, what it writes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from regard.checks import check_sizes, check_whole
from regard.models import BlockConfig, Decoder, DecoderConfig, NormConfig, PositionConfig
from regard.recipes.language_report import (
    baselines,
    by_context,
    headline,
    maps_figure,
    model_folder,
    places_figure,
    report,
    samples,
)
from regard.recipes.recipe import Outcome, Recipe, Resources, Training
from regard.recipes.report import training_figure
from regard.tasks import sentences
from regard.tasks.files import write_atomically
from regard.tasks.text import BYTES, read_text
from regard.tasks.tokens import Prepared, prepare
from regard.training import Descent, Execution, Schedule, Settings, Task, Trained, compact, device_of

MOST_BYTES = 4  # of a character in UTF-8
LOST = "\N{REPLACEMENT CHARACTER}"  # what bytes are read as that are no whole character


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """A decoder as Llama's; GPT-2's has positions=learned, norm.rms=false, gated=false and bias=true.

    >>> decoder = ModelConfig(width=96, context=32).decoder(vocabulary=100)
    >>> decoder.positions.context, decoder.block.hidden
    (32, 256)
    """

    width: int = 128
    depth: int = 4
    num_heads: int = 4
    hidden: int | None = None  # of the feed-forward; None: 4·width, of a gated one 8/3·width, in whole 32s
    gated: bool = True  # a feed-forward gated by SiLU, else one with GELU
    bias: bool = False
    norm: NormConfig = field(default_factory=lambda: NormConfig(rms=True))
    context: int = 128  # tokens that are read at a time
    positions: Literal["learned", "sinusoidal", "rotary", "buckets", "none"] = "rotary"
    dropout: float = 0.0

    def __post_init__(self) -> None:
        self.decoder(1)  # which refuses what cannot be

    def decoder(self, vocabulary: int) -> DecoderConfig:
        """For so many tokens."""
        gated = 32 * math.ceil(8 * self.width / 3 / 32)  # three matrices with the weights of two of 4·width
        block = BlockConfig(
            width=self.width,
            num_heads=self.num_heads,
            hidden=gated if self.gated and self.hidden is None else self.hidden,
            gated=self.gated,
            activation="silu" if self.gated else "gelu",
            bias=self.bias,
            norm=self.norm,
        )
        return DecoderConfig(
            vocabulary=vocabulary,
            depth=self.depth,
            block=block,
            positions=PositionConfig(kind=self.positions, context=self.context),
            dropout=self.dropout,
        )


@dataclass(frozen=True, kw_only=True)
class LanguageConfig:
    """A text, its tokens, a model, and what is looked at."""

    data: str | None = None  # a file of UTF-8, .gz or not
    sentences: int = 0  # of a small language, made up where there is no data
    tokens: str = "characters"  # or so many byte pairs
    share: float = 0.1  # of the text, its end, to validate on
    model: ModelConfig = field(default_factory=ModelConfig)
    validated: int = 400  # contexts to validate on, at most
    shown: int = 24  # tokens of the maps
    prompt: str | None = None  # what the samples go on from; None: a line of the text to validate on
    written: int = 400  # tokens of a sample
    # On a busy machine two threads take several times as long as one, for they wait for each other at every product.
    training: Settings = field(
        default_factory=lambda: Settings(
            steps=2000,
            batch=16,
            evaluate_every=200,
            descent=Descent(rate=3e-3, decay=0.1, betas=(0.9, 0.99)),
            schedule=Schedule(warmup=100, floor=0.05),
            execution=Execution(threads=1),
        )
    )

    def __post_init__(self) -> None:
        if self.tokens != "characters" and not (self.tokens.isdecimal() and int(self.tokens) >= BYTES):
            raise ValueError(
                f"tokens must be characters, or a number of byte pairs from {BYTES} on: got tokens={self.tokens}; "
                "use tokens=1000"
            )
        check_whole("sentences", self.sentences, 0)
        check_sizes(self, "validated", "shown", "written")
        if self.prompt == "":
            raise ValueError("prompt must have a character or more: got none; use prompt=none for a line of the text")

    @property
    def vocabulary(self) -> Literal["characters"] | int:
        return "characters" if self.tokens == "characters" else int(self.tokens)


@dataclass(frozen=True, eq=False)
class Language(Task):
    """The next token from those before it.

    Judged by minus the bits, for likelihood is what is learnt; the share of right tokens may still rise when the
    probabilities are already worse.
    """

    config: LanguageConfig
    text: Prepared

    judged_by = "minus bits per character"

    @property
    def count(self) -> int:
        """Of the cells in which contexts begin: an epoch sees about every token once."""
        return self.text.train.places(self.config.model.context) // self._cell

    @property
    def _cell(self) -> int:
        """Places of a cell: as many as a context, or fewer where a short text would not fill a batch."""
        context = self.config.model.context
        return max(1, min(context, self.text.train.places(context) // self.config.training.batch))

    def build(self) -> nn.Module:
        return Decoder(self.config.model.decoder(len(self.text.vocabulary)))

    def batch(self, examples: Tensor, generator: torch.Generator) -> Int[Tensor, "B T+1"]:
        """From somewhere in each cell on."""
        starts = examples * self._cell + torch.randint(self._cell, examples.shape, generator=generator)
        return self.text.train.block(starts, self.config.model.context)

    def loss(self, model: Any, batch: Int[Tensor, "B T+1"], generator: torch.Generator) -> Tensor:
        return cross_entropy(model(batch[:, :-1]).logits.flatten(0, 1).float(), batch[:, 1:].flatten())

    def evaluate(self, model: Any) -> Mapping[str, float]:
        found = self.judged(*self.predicted(model))
        return found | {self.judged_by: -found["bits per character"]}

    def fingerprint(self) -> str:
        """Of both parts of the text, and of what the tokens mean."""
        files = (self.text.train, self.text.validation)
        return "-".join([f"{file.header.source[:16]}-{file.header.vocabulary[:16]}" for file in files])

    def record(self, model: Any) -> Mapping[str, Tensor]:
        """The maps of the beginning of the text to validate on."""
        maps = {f"maps.text.{layer}": compact(weights) for layer, weights in enumerate(self.maps(model))}
        return maps | {"inputs.text": self.beginning}

    @cached_property
    def validation(self) -> Int[Tensor, "N T+1"]:
        """Contexts to validate on, each with the token behind it: the same always, none overlapping, evenly spread."""
        context = self.config.model.context
        there = (len(self.text.validation) - 1) // context
        taken = min(there, self.config.validated)
        return self.text.validation.block(torch.arange(taken) * there // taken * context, context)

    @cached_property
    def characters(self) -> int:
        """How many begin in what is to be predicted there; a context may begin within one."""
        texts = [self.text.vocabulary.decode(row) for row in self.validation[:, 1:].tolist()]
        return sum([len(text.lstrip(LOST)) for text in texts])

    @property
    def beginning(self) -> Int[Tensor, " shown"]:
        return self.validation[0, : min(self.config.shown, self.config.model.context)]

    def predicted(self, model: Any) -> tuple[Float[Tensor, "N T"], Bool[Tensor, "N T"]]:
        """The loss at each place of the contexts to validate on, in nats, and whether the likeliest token is right."""
        found = []
        for block in self.validation.split(self.config.training.batch):
            tokens = block.to(device_of(model))
            logits, targets = model(tokens[:, :-1]).logits.float(), tokens[:, 1:]
            nats = cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view_as(targets)
            found.append((nats.double().cpu(), (logits.argmax(-1) == targets).cpu()))
        nats, right = zip(*found, strict=True)
        return torch.cat(nats), torch.cat(right)

    def judged(self, nats: Float[Tensor, "N T"], right: Bool[Tensor, "N T"]) -> dict[str, float]:
        """Numbers to judge by.

        bits per character = Σ −log₂ p / characters: the same measure for any tokens; perplexity = exp(nats per token)
        """
        mean = nats.mean().item()
        return {
            "bits per character": self.bits(mean),
            "validation loss": mean,
            "perplexity": math.exp(mean),
            "accuracy": right.double().mean().item(),
        }

    def bits(self, nats: float) -> float:
        """Per character, of a mean of nats per token."""
        return nats * self.validation[:, 1:].numel() / math.log(2) / self.characters

    def maps(self, model: Any) -> list[Float[Tensor, "H T T"]]:
        """What each token of the beginning looks at, by layer."""
        out = model(self.beginning[None].to(device_of(model)), maps=True)
        return [weights[0].float().cpu() for weights in out.maps["self"]]


def trainings(config: LanguageConfig, resources: Resources) -> dict[str, Training]:
    path = _source(config, resources)
    if "\n" not in (text := read_text(path))[:-1]:
        raise ValueError(
            "a text must have two lines or more, for what is learnt from and what is validated on: got one of "
            f"{len(text)} characters in {path}; break it into lines"
        )
    told = partial(resources.on_data, f"tokens of {path.name}")
    made = prepare(path, resources.cache / "text", config.vocabulary, share=config.share, progress=told)
    context, least = config.model.context, min(len(made.train), len(made.validation))
    if least <= context:
        raise ValueError(
            f"a text must have more tokens than a context on both sides: got {len(made.train)} to learn from and "
            f"{len(made.validation)} to validate on in {path}, and model.context={context}; use a longer text, or "
            f"model.context={max(1, least // 2)}"
        )
    if (count := len(prompt_of(config, made))) > context:
        raise ValueError(f"prompt must have at most model.context={context} tokens: got {count}; use a shorter one")
    return {"decoder": Training(Language(config, made), config.training)}


def _source(config: LanguageConfig, resources: Resources) -> Path:
    """The file to read: what was given, or sentences that are made up."""
    if config.data is not None:
        return Path(config.data)
    if not config.sentences:
        raise ValueError(
            "language reads a text: got none; use --data book.txt, a file of UTF-8, .gz or not, or try --smoke"
        )
    path = resources.cache / f"sentences-{config.sentences}.txt"
    pairs = sentences.Language().pairs(config.sentences, torch.Generator().manual_seed(0))[:, 0]
    with write_atomically(path) as file:
        file.write("".join([f"{sentences.written(words)}.\n" for words in pairs]).encode())
    return path


def prompt_of(config: LanguageConfig, text: Prepared) -> list[int]:
    """The tokens that the samples go on from."""
    if config.prompt is not None:
        return text.vocabulary.encode(config.prompt)
    tokens = text.validation.tokens[: MOST_BYTES * config.shown].tolist()
    lines = text.vocabulary.decode(tokens).strip().splitlines()
    line = text.vocabulary.encode(lines[0][: config.shown]) if lines else tokens
    return line[: max(1, config.model.context // 2)]


def measure(config: LanguageConfig, made: Mapping[str, Trained]) -> Outcome:
    """Bits per character beside those of counts, what more context gives, maps, and samples."""
    one = made["decoder"]
    task: Language = one.task
    vocabulary = task.text.vocabulary
    nats, right = task.predicted(one.model)
    counted = baselines(task.text.train.tokens, task.validation, len(vocabulary))
    numbers = task.judged(nats, right) | {f"{name} bits per character": task.bits(n) for name, n in counted.items()}
    steps, training = one.last_step, config.training
    numbers |= by_context(nats) | {
        "parameters": sum([parameter.numel() for parameter in one.model.parameters()]),
        "vocabulary": len(vocabulary),
        "tokens to learn from": len(task.text.train),
        "tokens seen": steps * training.batch * training.accumulate * config.model.context,
        "characters validated on": task.characters,
    }
    prompt = prompt_of(config, task.text)
    said, keep = model_folder(one, vocabulary)
    return Outcome(
        numbers=numbers,
        headline=headline(numbers),
        text=report(config, numbers, samples(one.model, vocabulary, prompt, config.written), said),
        save=keep,
        figures={
            "places": places_figure(nats.mean(0).tolist(), counted),
            "maps": maps_figure(task.maps(one.model), [vocabulary.decode([n]) for n in task.beginning.tolist()]),
            "training": training_figure(made, ("bits per character",)),
        },
    )


RECIPES = {
    "language": Recipe(
        name="language",
        about="A Transformer learns the characters or byte pairs of a text: bits per character, maps, samples.",
        config=LanguageConfig(),
        smoke=LanguageConfig(
            sentences=400,
            model=ModelConfig(width=32, depth=2, num_heads=2, context=32),
            validated=20,
            shown=24,
            written=80,
            training=Settings(
                steps=30, batch=8, evaluate_every=10, descent=Descent(rate=1e-2), execution=Execution(threads=1)
            ),
        ),
        trainings=trainings,
        measure=measure,
    )
}
