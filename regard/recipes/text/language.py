"""A Transformer learns the characters or byte pairs of a text: what it predicts, what it looks at, what it writes."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.algorithms import Context
from regard.analysis.figures import INK, figure_of_panels
from regard.checks import check_sizes, check_whole
from regard.models import BlockConfig, Decoder, DecoderConfig, NormConfig, PositionConfig, save
from regard.models.hugging_face.configurations import kind_of, write
from regard.models.hugging_face.folder import Source
from regard.recipes.recipe import Outcome, Recipe, Resources, Training, on_one_thread
from regard.recipes.report import Panel, line_figure, render, training_figure
from regard.recipes.results import Published
from regard.tasks import sentences
from regard.tasks.files import write_atomically
from regard.tasks.readers import Inputs, TextReader
from regard.tasks.text import BYTES, Characters, Vocabulary, read_text, write_vocabulary
from regard.tasks.tokens import Prepared, prepare
from regard.training import Descent, Execution, Schedule, Settings, Task, Trained, compact, device_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from torch.distributed import ProcessGroup

MOST_BYTES = 4  # of a character in UTF-8
LOST = "\N{REPLACEMENT CHARACTER}"  # what bytes decode to that are no whole character
FIRST = 8  # positions of a context, with little before them
COUNTED = 20_000_000  # tokens that baselines count at most, so that sorting their pairs takes seconds
SAMPLES: dict[str, dict[str, Any]] = {
    "The likeliest token each time": {},
    "Drawn at temperature 0.8": {"temperature": 0.8},
}


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
        self.decoder(1)  # which refuses sizes that do not fit

    def decoder(self, vocabulary: int) -> DecoderConfig:
        """The configuration of the decoder for so many tokens."""
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
    """A text, its tokens, a model, and what is measured."""

    data: str | None = None  # a file of UTF-8, .gz or not
    sentences: int = 0  # of a small language, which are made up where there is no data
    tokens: str = "characters"  # or a number of byte pairs
    share: float = 0.1  # of the text, at its end, to validate on
    model: ModelConfig = field(default_factory=ModelConfig)
    validated: int = 400  # contexts to validate on, at most
    shown: int = 24  # tokens of the maps
    prompt: str | None = None  # what the samples continue; None: a line of the text to validate on
    written: int = 400  # tokens of a sample
    # On a busy machine two threads take several times as long as one, for they wait for each other at every product.
    training: Settings = field(
        default_factory=lambda: on_one_thread(
            2000, 16, every=200, rate=3e-3, decay=0.1, betas=(0.9, 0.99), warmup=100, floor=0.05
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
    """Predict the next token from those before it.

    Models are judged by minus the bits, because likelihood is what is learnt; the share of right tokens may still rise
    when the probabilities are already worse.
    """

    config: LanguageConfig
    text: Prepared

    judged_by = "minus bits per character"

    @property
    def count(self) -> int:
        """The number of cells in which contexts begin; an epoch sees about every token once."""
        return self.text.train.num_starts(self.config.model.context) // self._cell

    @property
    def _cell(self) -> int:
        """The tokens of a cell: as many as a context, or fewer where a short text would not fill a batch."""
        context = self.config.model.context
        return max(1, min(context, self.text.train.num_starts(context) // self.config.training.batch))

    def build(self) -> nn.Module:
        return Decoder(self.config.model.decoder(len(self.text.vocabulary)))

    def batch(self, examples: Tensor, generator: torch.Generator) -> Int[Tensor, "B T+1"]:
        """Contexts that begin at random in each cell."""
        starts = examples * self._cell + torch.randint(self._cell, examples.shape, generator=generator)
        return self.text.train.block(starts, self.config.model.context)

    def loss(self, model: Any, batch: Int[Tensor, "B T+1"], generator: torch.Generator) -> Tensor:
        return model(batch[:, :-1], targets=batch[:, 1:]).loss

    def split_loss(
        self, model: Any, batch: Int[Tensor, "B T+1"], generator: torch.Generator, group: "ProcessGroup"
    ) -> tuple[Tensor, float]:
        context = Context.of(group, batch.shape[1] - 1)
        tokens, targets = context.split(batch[:, :-1]), context.split(batch[:, 1:])
        return model(tokens, context=context, targets=targets).loss, targets.numel()

    def evaluate(self, model: Any) -> Mapping[str, float]:
        found = self.judge(*self.predict(model))
        return found | {self.judged_by: -found["bits per character"]}

    def fingerprint(self) -> str:
        """A checksum of both parts of the text and of the vocabulary."""
        files = (self.text.train, self.text.validation)
        return "-".join([f"{file.header.source[:16]}-{file.header.vocabulary[:16]}" for file in files])

    def record(self, model: Any) -> Mapping[str, Tensor]:
        """The maps of the beginning of the text to validate on."""
        maps = {f"maps.text.{layer}": compact(weights) for layer, weights in enumerate(self.maps(model))}
        return maps | {"inputs.text": self.beginning}

    def reader(self, model: Any) -> TextReader:
        vocabulary = self.text.vocabulary
        return TextReader(model, vocabulary, vocabulary.decode(self.beginning.tolist()))

    @cached_property
    def validation(self) -> Int[Tensor, "N T+1"]:
        """Contexts to validate on, each with the token after it: always the same, evenly spread, none overlapping."""
        context = self.config.model.context
        there = (len(self.text.validation) - 1) // context
        taken = min(there, self.config.validated)
        return self.text.validation.block(torch.arange(taken) * there // taken * context, context)

    @cached_property
    def characters(self) -> int:
        """The number of characters that begin in the tokens to predict; a context may begin within one."""
        texts = [self.text.vocabulary.decode(row) for row in self.validation[:, 1:].tolist()]
        return sum([len(text.lstrip(LOST)) for text in texts])

    @property
    def beginning(self) -> Int[Tensor, " shown"]:
        return self.validation[0, : min(self.config.shown, self.config.model.context)]

    def predict(self, model: Any) -> tuple[Float[Tensor, "N T"], Bool[Tensor, "N T"]]:
        """The loss at each position of the validation contexts, in nats, and whether the likeliest token is right."""
        found = []
        for block in self.validation.split(self.config.training.batch):
            tokens = block.to(device_of(model))
            out = model(tokens[:, :-1], targets=tokens[:, 1:])
            found.append((out.nats.double().cpu(), (out.guesses == tokens[:, 1:]).cpu()))
        nats, right = zip(*found, strict=True)
        return torch.cat(nats), torch.cat(right)

    def judge(self, nats: Float[Tensor, "N T"], right: Bool[Tensor, "N T"]) -> dict[str, float]:
        """The numbers to judge a model by.

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
        """Bits per character for a mean of nats per token."""
        return nats * self.validation[:, 1:].numel() / math.log(2) / self.characters

    def maps(self, model: Any) -> list[Float[Tensor, "H T T"]]:
        """The maps of the beginning of the validation text, by layer."""
        out = model(self.beginning[None].to(device_of(model)), maps=True)
        return [weights[0].float().cpu() for weights in out.maps["self"]]


def trainings(config: LanguageConfig, resources: Resources) -> dict[str, Training]:
    path = _find_text(config, resources)
    if "\n" not in (text := read_text(path))[:-1]:
        raise ValueError(
            "a text must have two lines or more, for what is learnt from and what is validated on: got one of "
            f"{len(text)} characters in {path}; break it into lines"
        )
    progress = partial(resources.on_data, f"tokens of {path.name}")
    made = prepare(path, resources.cache / "text", config.vocabulary, share=config.share, progress=progress)
    context, least = config.model.context, min(len(made.train), len(made.validation))
    if least <= context:
        raise ValueError(
            f"a text must have more tokens than a context on both sides: got {len(made.train)} to learn from and "
            f"{len(made.validation)} to validate on in {path}, and model.context={context}; use a longer text, or "
            f"model.context={max(1, least // 2)}"
        )
    if (count := len(choose_prompt(config, made))) > context:
        raise ValueError(f"prompt must have at most model.context={context} tokens: got {count}; use a shorter one")
    return {"decoder": Training(Language(config, made), config.training)}


def _find_text(config: LanguageConfig, resources: Resources) -> Path:
    """The file to read: the one that was given, or made-up sentences."""
    if config.data is not None:
        return Path(config.data)
    if not config.sentences:
        raise ValueError(
            "language reads a text: got none; use --data book.txt, a file of UTF-8, .gz or not, or try --smoke"
        )
    path = resources.cache / f"sentences-{config.sentences}.txt"
    pairs = sentences.Language().pairs(config.sentences, torch.Generator().manual_seed(0))[:, 0]
    with write_atomically(path) as file:
        file.write("".join([f"{sentences.to_words(words)}.\n" for words in pairs]).encode())
    return path


def choose_prompt(config: LanguageConfig, text: Prepared) -> list[int]:
    """The tokens that the samples continue."""
    if config.prompt is not None:
        return text.vocabulary.encode(config.prompt)
    tokens = text.validation.tokens[: MOST_BYTES * config.shown].tolist()
    lines = text.vocabulary.decode(tokens).strip().splitlines()
    line = text.vocabulary.encode(lines[0][: config.shown]) if lines else tokens
    return line[: max(1, config.model.context // 2)]


def measure(config: LanguageConfig, models: Mapping[str, Trained]) -> Outcome:
    """Bits per character beside those of counts, the gain from more context, maps, and samples."""
    one = models["decoder"]
    task: Language = one.task
    vocabulary = task.text.vocabulary
    nats, right = task.predict(one.model)
    counted = baselines(task.text.train.tokens, task.validation, len(vocabulary))
    numbers = task.judge(nats, right) | {f"{name} bits per character": task.bits(n) for name, n in counted.items()}
    training, context = config.training, config.model.context
    numbers |= measure_context(nats) | {
        "parameters": sum([parameter.numel() for parameter in one.model.parameters()]),
        "vocabulary": len(vocabulary),
        "tokens to learn from": len(task.text.train),
        "tokens seen": one.last_step * training.batch * training.accumulate * context,
        "characters validated on": task.characters,
    }
    bits, bigram, unigram = (numbers[f"{kind}bits per character"] for kind in ("", "bigram ", "unigram "))
    saved, save = save_model(one, vocabulary)
    text = render(
        "text/language.md.j2",
        config=config,
        numbers=numbers,
        counted=min(COUNTED, len(task.text.train)),
        perplexity=lambda kind: math.exp(numbers["validation loss"] / bits * numbers[f"{kind}bits per character"]),
        first=min(FIRST, context),
        samples=write_samples(one.model, vocabulary, choose_prompt(config, task.text), config.written),
        saved=saved,
    )
    return Outcome(
        numbers=numbers,
        headline=f"{bits:.3f} bits per character (bigrams {bigram:.3f}, unigrams {unigram:.3f}), "
        f"{100 * numbers['accuracy']:.1f} % of tokens",
        text=text,
        save=save,
        figures={
            "places": places_figure(nats.mean(0).tolist(), counted),
            "maps": maps_figure(task.maps(one.model), [vocabulary.decode([n]) for n in task.beginning.tolist()]),
            "training": training_figure(models, ("bits per character",)),
        },
    )


def baselines(tokens: np.ndarray, blocks: Int[Tensor, "N T+1"], size: int) -> dict[str, float]:
    """Nats per token of the blocks, but for their first tokens, by counts c of `tokens`, n in all, V = `size`.

        uniform: p = 1/V     unigram: p(t) = (c(t) + 1) / (n + V)     bigram: p(t | s) = (c(st) + 1) / (c(s) + V)

    >>> import torch
    >>> found = baselines(np.array([0, 1, 0, 1, 0]), torch.tensor([[0, 1, 0]]), 2)
    >>> {name: round(math.exp(-nats), 3) for name, nats in found.items()}
    {'uniform': 0.5, 'unigram': 0.495, 'bigram': 0.75}
    """
    known = np.asarray(tokens[:COUNTED], dtype=np.int64)
    before, after = (blocks[:, part].flatten().numpy() for part in (slice(None, -1), slice(1, None)))
    single, first = np.bincount(known, minlength=size), np.bincount(known[:-1], minlength=size)
    pairs, counts = np.unique(known[:-1] * size + known[1:], return_counts=True)
    wanted = before * size + after
    place = np.minimum(np.searchsorted(pairs, wanted), len(pairs) - 1)
    both = np.where(pairs[place] == wanted, counts[place], 0)
    return {
        "uniform": math.log(size),
        "unigram": float(np.log((len(known) + size) / (single[after] + 1)).mean()),
        "bigram": float(np.log((first[before] + size) / (both + 1)).mean()),
    }


def measure_context(nats: Float[Tensor, "N T"]) -> dict[str, float]:
    """The loss after little, some and most of a context, and the standard error of its fall to the last quarter.

    >>> import torch
    >>> found = measure_context(torch.tensor([4.0] * 8 + [3.0] * 16 + [2.0] * 8).repeat(2, 1))
    >>> [found[f"loss of the {part}"] for part in ("first places", "second quarter", "last quarter")]
    [4.0, 3.0, 2.0]
    """
    quarter = max(1, nats.shape[1] // 4)
    last = nats[:, -quarter:].mean(1)
    found = {"loss of the last quarter": last.mean().item()}
    second = nats[:, min(quarter, nats.shape[1] - 1) : 2 * quarter]
    for name, part in (("first places", nats[:, :FIRST]), ("second quarter", second)):
        fall = part.mean(1) - last
        error = fall.std().item() / math.sqrt(len(fall)) if len(fall) > 1 else abs(fall.item())
        found |= {f"loss of the {name}": part.mean().item(), f"error of the fall since the {name}": error}
    return found


def write_samples(model: Any, vocabulary: Vocabulary, prompt: list[int], count: int) -> dict[str, str]:
    """Let the model continue a prompt by `count` tokens, in each way of choosing tokens.

    Beyond a context the model continues the last half of one, because learned positions end there.
    """
    context, written = model.config.positions.context, {}
    for name, choice in SAMPLES.items():
        read, found = prompt, []
        while len(found) < count:
            room = min(count - len(found), context + 1 - len(read))
            seed = {"seed": len(found)} if choice else {}
            found += model.generate(read, max_new=room, **choice, **seed).tokens
            read = [*prompt, *found][-max(1, context // 2) :]
        written[name] = vocabulary.decode([*prompt, *found])
    return written


def save_model(one: Trained, vocabulary: Vocabulary) -> tuple[str, Callable[[Path], None]]:
    """A sentence about the folder that `regard.models.load` can read, and the call that writes it into a run."""
    try:
        write(one.model.config)
    except ValueError as error:
        return f"The model is in its checkpoints alone: {error}.", lambda folder: None
    if not one.is_over:
        return "The model will be saved when its training is over.", lambda folder: None

    def save_folder(folder: Path) -> None:
        place = folder / "model"
        write_vocabulary(place / "vocabulary.json", vocabulary)
        with write_atomically(place / "tokenizer.json") as file:
            file.write(tokenizer_json(vocabulary).encode())
        # No token ends a text; without these, transformers would take its own default numbers for such tokens.
        one.model.source = Source(folder=place, config=dict.fromkeys(("bos_token_id", "eos_token_id")), companions=())
        save(one.model, place)  # puts the weights into place last

    kind = {"gpt2": "GPT-2", "llama": "Llama"}[kind_of(one.model.config)]
    return (
        f"The folder `model` of this run holds it as a {kind} that `regard generate` and transformers read, with its "
        "tokens in `tokenizer.json`.",
        save_folder,
    )


def tokenizer_json(vocabulary: Vocabulary) -> str:
    """The tokenizer.json of a vocabulary; one of characters becomes a tokenizer with a word for each character."""
    if not isinstance(vocabulary, Characters):
        return vocabulary.json()
    numbers = {character: vocabulary.encode(character)[0] for character in vocabulary.characters}
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [],
            "pre_tokenizer": {
                "type": "Split",
                "pattern": {"Regex": r"[\s\S]"},
                "behavior": "Isolated",
                "invert": False,
            },
            "decoder": {"type": "Fuse"},
            "model": {"type": "WordLevel", "vocab": numbers, "unk_token": "[unknown]"},
        }
    )


def places_figure(nats: Sequence[float], counted: Mapping[str, float]) -> "Figure":
    """The loss against the number of tokens read, in groups of doubling length, beside that of counts."""
    ends = [1]
    while ends[-1] < len(nats):
        ends.append(min(2 * ends[-1], len(nats)))
    groups = list(zip([0, *ends], ends, strict=False))
    xs = [math.sqrt((low + 1) * high) for low, high in groups]
    lines = {"Transformer": (xs, [sum(nats[low:high]) / (high - low) for low, high in groups])}
    lines |= {f"{name}s": ([1, ends[-1]], [counted[name]] * 2) for name in ("bigram", "unigram")}
    panel = Panel(title="loss, nats per token", x="tokens read", lines=lines, logs=(True, False), ticks=ends)
    return line_figure([panel])


def maps_figure(maps: Sequence[Float[Tensor, "H T T"]], words: Sequence[str]) -> "Figure":
    """A row of panels for each layer, a panel for each head, from white at 0 to blue at 1."""
    heads = len(maps[0])
    names = [_label(word) for word in words]
    figure, panels = figure_of_panels(len(maps) * heads, heads, (2.7, 2.8), 0.2)
    for number, panel in enumerate(panels):
        layer, head = divmod(number, heads)
        panel.imshow(maps[layer][head].tolist(), cmap="Blues", vmin=0, vmax=1)
        panel.set_title(f"layer {layer}, head {head}", fontsize=8, color=INK)
        turned = 90 if max(map(len, names)) > 1 else 0
        panel.set_xticks(range(len(names)), names, rotation=turned)
        panel.set_yticks(range(len(names)), names)
        panel.tick_params(labelsize=min(7, 150 / len(names)), colors=INK, length=0, pad=1)
    return figure


def _label(word: str) -> str:
    r"""A token as a figure can show it: two dollars would be taken for a formula, and no SVG may hold a form feed.

    >>> _label(" $x$\n\f")
    '␣\\$x\\$↵·'
    """
    signs = {"\n": "↵", " ": "␣", "$": r"\$"}
    return "".join([signs.get(letter, letter if letter.isprintable() else "·") for letter in word])


SMOKE = LanguageConfig(
    sentences=400,
    model=ModelConfig(width=32, depth=2, num_heads=2, context=32),
    validated=20,
    shown=24,
    written=80,
    training=on_one_thread(30, 8, every=10, rate=1e-2),
)
SMALL = LanguageConfig(
    model=ModelConfig(width=64, depth=2, num_heads=4, context=64),
    validated=200,
    written=200,
    training=on_one_thread(800, 16, every=200, rate=5e-3, decay=0.1, betas=(0.9, 0.99), warmup=50, floor=0.05),
)
# The sizes of nanoGPT's model of characters, in Llama's form, and a rate that falls to zero in half as many steps: by
# then it has read each character 30 times, and more makes it worse.
SHAKESPEARE = LanguageConfig(
    model=ModelConfig(width=384, depth=6, num_heads=6, context=256, dropout=0.2),
    validated=10**6,
    training=Settings(
        steps=2200,
        batch=64,
        evaluate_every=200,
        descent=Descent(rate=1e-3, decay=0.1, betas=(0.9, 0.99)),
        schedule=Schedule(warmup=100),
        execution=Execution(precision="bfloat16"),
    ),
)
NANOGPT = "nanoGPT's config/train_shakespeare_char.py, 6 layers of width 384, 5000 iterations; its best evaluation"
LANGUAGE = Recipe(
    name="language",
    about="A Transformer learns the characters or byte pairs of a text: bits per character, maps, samples.",
    config=LanguageConfig(),
    smoke=SMOKE,
    small=SMALL,
    trainings=trainings,
    measure=measure,
    inputs=lambda config, training: Inputs(kind="text"),
)
RECIPES = {
    "language": LANGUAGE,
    "shakespeare": replace(
        LANGUAGE,
        name="shakespeare",
        about="The same at the size of nanoGPT's model of Tiny Shakespeare, for a GPU.",
        config=SHAKESPEARE,
        # 1.4697 nats of a character; in bits, so that any tokens can be compared.
        published=(
            Published(number="bits per character", value=1.4697 / math.log(2), source=NANOGPT, better="smaller"),
        ),
    ),
}
