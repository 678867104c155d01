"""Sentences are translated by a Transformer, and by LSTMs with attention and without: BLEU, samples, and maps."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from regard.analysis.figures import INK, figure_of_panels
from regard.checks import MissingExtra, check_probability, check_sizes, check_whole
from regard.layers import FeedForward, MultiHead
from regard.models import BlockConfig, EncoderDecoder, EncoderDecoderConfig, Recurrent, RecurrentConfig
from regard.models.cross_entropy import IGNORED
from regard.recipes.recipe import Outcome, Recipe, Resources, Training, on_one_thread
from regard.recipes.report import Panel, line_figure, render, training_figure
from regard.recipes.results import Published
from regard.tasks import sentences
from regard.tasks.files import write_atomically
from regard.tasks.parallel_text import Buckets, Pairs, Rows, folder_pairs
from regard.tasks.text import BytePairs, prepare_bpe, write_vocabulary
from regard.tasks.tokens import fingerprint
from regard.training import Descent, Execution, Schedule, Settings, Task, Trained, device_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODELS = {"transformer": "Transformer", "attention": "LSTM with attention", "plain": "LSTM without attention"}
SPECIAL = ("[pad]", "[begin]", "[end]")
PAD, BEGIN, END = range(3)
STEP = 8  # tokens that widths of batches are whole multiples of, so that a GPU sees few shapes
GROUPS = 4  # of the test sentences, by length
RESAMPLED = 1000  # test sets drawn for the error of BLEU
TRANSLATED = 256  # sentences at a time


@dataclass(frozen=True, kw_only=True)
class TransformerSizes:
    """An encoder and a decoder of these sizes on one shared embedding, which is the head too."""

    width: int = 128
    depth: int = 4
    num_heads: int = 4
    hidden: int = 256
    dropout: float = 0.3  # of embeddings and of what each part adds
    inner_dropout: float = 0.0  # of attention weights and hidden features
    rate: float = 4e-3
    steps: int | None = None  # None: as training.steps

    def __post_init__(self) -> None:
        check_probability("inner_dropout", self.inner_dropout)
        self.on(3)  # refuses sizes that do not fit

    def on(self, vocabulary: int) -> EncoderDecoderConfig:
        block = BlockConfig(width=self.width, num_heads=self.num_heads, hidden=self.hidden)
        return EncoderDecoderConfig(vocabulary=vocabulary, depth=self.depth, block=block, dropout=self.dropout)

    def build(self, vocabulary: int) -> nn.Module:
        model = EncoderDecoder(self.on(vocabulary))
        for part in model.modules():
            if isinstance(part, MultiHead | FeedForward):
                part.dropout = self.inner_dropout
        return model


@dataclass(frozen=True, kw_only=True)
class RecurrentSizes:
    """Both LSTM models have these; only one attends."""

    width: int = 256
    hidden: int = 512
    depth: int = 1
    dropout: float = 0.5
    rate: float = 2e-3
    steps: int | None = 3000  # None: as training.steps

    def __post_init__(self) -> None:
        self.on(3, attention=True)

    def on(self, vocabulary: int, *, attention: bool) -> RecurrentConfig:
        return RecurrentConfig(
            vocabulary=vocabulary,
            width=self.width,
            hidden=self.hidden,
            depth=self.depth,
            attention=attention,
            dropout=self.dropout,
        )


@dataclass(frozen=True, kw_only=True)
class TranslationConfig:
    """A folder of parallel text, its byte pairs, the models, and how they write.

    A step learns from one batch of about `tokens_per_batch` tokens of the longer side, pads included: sentences of
    similar length, so that there are few.
    """

    data: str | None = None  # a folder with train.en, train.de, val.en …, .gz or not
    sentences: int = 0  # pairs of a small language, which are made up where there is no data
    source: str = "en"
    target: str = "de"
    test: str = "test_2016_flickr"  # the split to test on
    pairs: int | None = None  # to learn from at most; None: all
    tested: int | None = None  # sentences to translate at most; None: all
    pieces: int = 8000  # byte pairs that both languages share
    models: tuple[str, ...] = tuple(MODELS)
    transformer: TransformerSizes = field(default_factory=TransformerSizes)
    recurrent: RecurrentSizes = field(default_factory=RecurrentSizes)
    tokens_per_batch: int = 8192
    smoothing: float = 0.1  # of the labels
    beams: int = 5
    length_penalty: float = 1.0
    shown: int = 3  # test sentences of the report, the first two with maps
    training: Settings = field(
        default_factory=lambda: Settings(
            steps=6000,
            batch=1,
            evaluate_every=500,
            descent=Descent(betas=(0.9, 0.98)),
            schedule=Schedule(warmup=1000),
            execution=Execution(precision="bfloat16"),
        )
    )

    def __post_init__(self) -> None:
        check_whole("sentences", self.sentences, 0)
        check_sizes(self, "pieces", "tokens_per_batch", "beams", "shown")
        check_sizes(self, "pairs", "tested", optional=True)
        check_probability("smoothing", self.smoothing)
        if unknown := [name for name in self.models if name not in MODELS] or not self.models:
            raise ValueError(f"models must be some of {', '.join(MODELS)}: got {unknown or 'none'}; use transformer")
        if self.training.batch != 1:
            raise ValueError(
                f"a step takes one batch of similar lengths: got training.batch={self.training.batch}; leave it at 1, "
                f"and change tokens_per_batch={self.tokens_per_batch}"
            )

    def settings(self, kind: str) -> Settings:
        """The settings of one of the models; LSTMs are in float32, for not every library has them in bfloat16."""
        sizes = self.transformer if kind == "transformer" else self.recurrent
        steps = self.training.steps if sizes.steps is None else min(sizes.steps, self.training.steps)
        precision = self.training.execution.precision if kind == "transformer" else "float32"
        return replace(
            self.training,
            steps=steps,
            descent=replace(self.training.descent, rate=sizes.rate),
            execution=replace(self.training.execution, precision=precision),
        )


@dataclass(frozen=True, eq=False)
class Split:
    """Pairs, and both sides as rows of tokens: of the target with the tokens that begin and end it."""

    pairs: Pairs
    source: Rows
    target: Rows

    def batch(self, index: Int[Tensor, " B"]) -> tuple[Int[Tensor, "B S"], Int[Tensor, " B"], Int[Tensor, "B T"]]:
        """Sources, their lengths, and targets."""
        source, lengths = self.source.take(index, STEP)
        return source, lengths, self.target.take(index, STEP)[0]


@dataclass(frozen=True, eq=False)
class Translation(Task):
    """Predict each token of a translation from the source and the tokens before it."""

    config: TranslationConfig
    kind: str
    vocabulary: BytePairs
    splits: Mapping[str, Split]  # train, validation, test

    judged_by = "minus validation loss"

    @cached_property
    def buckets(self) -> dict[str, Buckets]:
        return {
            name: Buckets(
                torch.maximum(split.source.lengths, split.target.lengths).tolist(), self.config.tokens_per_batch
            )
            for name, split in self.splits.items()
        }

    @property
    def count(self) -> int:
        """The number of batches; an epoch takes about every pair once."""
        return len(self.buckets["train"])

    def build(self) -> nn.Module:
        if self.kind == "transformer":
            return self.config.transformer.build(len(self.vocabulary))
        return Recurrent(self.config.recurrent.on(len(self.vocabulary), attention=self.kind == "attention"))

    def batch(self, examples: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        return self.splits["train"].batch(self.buckets["train"].draw(int(examples[0]), generator))

    def num_rows(self, examples: Tensor) -> int:
        return len(self.buckets["train"].fixed(int(examples[0])))

    def check_parts(self, batch: int, parts: int) -> None:
        fewest = min([self.num_rows(torch.tensor([number])) for number in range(self.count)])
        if fewest < parts:
            raise ValueError(
                f"every batch must have a sentence for each of {parts} processes: got one of {fewest}; raise "
                f"tokens_per_batch={self.config.tokens_per_batch}"
            )

    def weight(self, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        return (to_come(batch[2]) != IGNORED).sum()

    def loss(self, model: Any, batch: tuple[Tensor, Tensor, Tensor], generator: torch.Generator) -> Tensor:
        source, lengths, target = batch
        how = {"targets": to_come(target), "smoothing": self.config.smoothing}
        return model(source, target[:, :-1], lengths=lengths, **how).loss

    def evaluate(self, model: Any) -> Mapping[str, float]:
        """The loss of a token of the validation pairs, in nats, and the share of tokens that are the likeliest."""
        split, buckets, device = self.splits["validation"], self.buckets["validation"], device_of(model)
        nats = right = count = torch.zeros((), device=device)
        for number in range(len(buckets)):
            source, lengths, target = (part.to(device) for part in split.batch(buckets.fixed(number)))
            wanted = to_come(target)
            out = model(source, target[:, :-1], lengths=lengths, targets=wanted)
            nats, right = nats + out.nats.sum(), right + (out.guesses == wanted).sum()
            count = count + (wanted != IGNORED).sum()
        loss = (nats / count).item()
        return {"validation loss": loss, self.judged_by: -loss, "accuracy": (right / count).item()}

    def fingerprint(self) -> str:
        """A checksum of all sentences and of the vocabulary."""
        digest = hashlib.sha256(fingerprint(self.vocabulary).encode())
        for split in self.splits.values():
            digest.update("\n".join((*split.pairs.source, *split.pairs.target)).encode())
        return digest.hexdigest()[:32]

    def translate(self, model: Any, sources: Rows, beams: int) -> list[list[int]]:
        """The tokens that the model writes for each source."""
        lengths = sources.lengths.tolist()
        order, written = sorted(range(len(sources)), key=lengths.__getitem__), {}
        for start in range(0, len(order), TRANSLATED):
            rows = order[start : start + TRANSLATED]
            prompts = [sources.tokens[row, : lengths[row]].tolist() for row in rows]
            how = {"beams": beams, "length_penalty": self.config.length_penalty} if beams > 1 else {}
            room = 2 * lengths[rows[-1]] + 10
            found = model.generate(prompts, max_new=room, ends=(END,), start=BEGIN, **how)
            written |= {
                row: [token for token in one.tokens if token != END] for row, one in zip(rows, found, strict=True)
            }
        return [written[row] for row in range(len(order))]

    def text(self, tokens: Sequence[int]) -> str:
        return self.vocabulary.decode(tokens).strip()


def to_come(target: Int[Tensor, "B T+1"]) -> Int[Tensor, "B T"]:
    """The token after each, and none after the last."""
    return target[:, 1:].masked_fill(target[:, 1:] == PAD, IGNORED)


def trainings(config: TranslationConfig, resources: Resources) -> dict[str, Training]:
    _sacrebleu()  # said now, not after the training
    found = read_splits(config)
    sides = (found["train"].source, found["train"].target)
    text = "\n".join([f" {sentence}" for side in sides for sentence in side])
    how = {"special": SPECIAL, "progress": partial(resources.on_data, "byte pairs")}
    vocabulary = prepare_bpe(text, resources.cache, vocabulary=config.pieces, **how)
    splits = {}
    for name, pairs in found.items():
        progress = partial(resources.on_data, f"tokens of {name} pairs")
        source, target = (
            [vocabulary.encode(f" {sentence}") for sentence in side]  # so that a first word is as any other
            for side in (pairs.source, pairs.target)
        )
        progress(len(pairs), len(pairs))
        splits[name] = Split(pairs, Rows.of(source), Rows.of([[BEGIN, *row, END] for row in target]))
    return {
        kind: Training(Translation(config, kind, vocabulary, splits), config.settings(kind)) for kind in config.models
    }


def read_splits(config: TranslationConfig) -> dict[str, Pairs]:
    """The pairs to learn from, to validate on and to test on."""
    if config.data is None and not config.sentences:
        raise ValueError(
            "translation reads a folder of parallel text: got none; use --data FOLDER with train.en, train.de, val.en, "
            f"val.de, {config.test}.en, {config.test}.de, .gz or not, or try --smoke"
        )
    if config.data is None:
        made = make_pairs(config.sentences)
        tenth = max(1, config.sentences // 10)
        parts = {"train": slice(2 * tenth, None), "validation": slice(tenth), "test": slice(tenth, 2 * tenth)}
        found = {name: Pairs(made.source[part], made.target[part]) for name, part in parts.items()}
    else:
        names = {"train": "train", "validation": "val", "test": config.test}
        read = partial(folder_pairs, config.data, config.source, config.target, empty="drop")
        found = {name: read(split=split) for name, split in names.items()}
    for name, most in (("train", config.pairs), ("validation", config.tested), ("test", config.tested)):
        found[name] = Pairs(found[name].source[:most], found[name].target[:most])
    return found


def make_pairs(count: int) -> Pairs:
    """Sentences of a small language; their translations have the words in inverted order and in capitals.

    >>> made = make_pairs(1)
    >>> made.source[0].upper().split()[::-1] == made.target[0].split()
    True
    """
    words = sentences.Language().pairs(count, torch.Generator().manual_seed(0))[:, 0]
    source = [sentences.to_words(row) for row in words]
    return Pairs(tuple(source), tuple([" ".join(text.upper().split()[::-1]) for text in source]))


@dataclass(frozen=True)
class Bleu:
    """A score of a whole test set by sacrebleu, half the width of its 95 % interval, and how it was computed."""

    score: float
    half: float
    signature: str


def measure_bleu(written: Sequence[str], references: Sequence[str]) -> Bleu:
    """BLEU of detokenised text against one reference each; the interval is that of test sets drawn from this one.

    Papineni et al., *BLEU: a method for automatic evaluation of machine translation*, ACL 2002. Post, *A call for
    clarity in reporting BLEU scores*, WMT 2018.
    """
    metric = _sacrebleu().BLEU()
    score, signature = metric.corpus_score(list(written), [list(references)]).score, str(metric.get_signature())
    drawn = _sacrebleu().BLEU().corpus_score(list(written), [list(references)], n_bootstrap=RESAMPLED)
    return Bleu(score, drawn._ci, signature)


def _sacrebleu() -> Any:
    try:
        from sacrebleu import metrics
    except ImportError as error:
        raise MissingExtra("BLEU", "sacrebleu", "train") from error
    return metrics


def measure(config: TranslationConfig, models: Mapping[str, Trained]) -> Outcome:
    """BLEU of each model with beams and without, by the length of the source, samples, and maps."""
    numbers: dict[str, float] = {}
    written: dict[str, list[list[int]]] = {}
    scores: dict[str, Bleu] = {}
    for kind, one in models.items():
        task: Translation = one.task
        test = task.splits["test"]
        written[kind] = task.translate(one.model, test.source, config.beams)
        scores[kind] = measure_bleu([task.text(row) for row in written[kind]], test.pairs.target)
        greedy = [task.text(row) for row in task.translate(one.model, test.source, 1)]
        numbers |= {
            f"{kind} BLEU": scores[kind].score,
            f"{kind} BLEU half interval": scores[kind].half,
            f"{kind} BLEU greedy": _sacrebleu().BLEU().corpus_score(greedy, [list(test.pairs.target)]).score,
            f"{kind} parameters": sum([parameter.numel() for parameter in one.model.parameters()]),
        }
        numbers |= {f"{kind} {name}": value for name, value in task.evaluate(one.model).items()}
    first: Translation = next(iter(models.values())).task
    test = first.splits["test"]
    texts = {kind: [first.text(row) for row in rows] for kind, rows in written.items()}
    numbers |= {f"{config.source}-{config.target} {kind} BLEU": score.score for kind, score in scores.items()}
    groups, by_length = measure_lengths(texts, test.pairs)
    numbers |= {"pairs learnt from": len(first.splits["train"].pairs), "pieces": len(first.vocabulary)}
    shown = range(min(config.shown, len(test.pairs)))
    mapped = {kind: one for kind, one in models.items() if kind != "plain"}
    figures = {
        f"maps-{number}": maps_figure(mapped, test.source.tokens[row, : test.source.lengths[row]], written, row)
        for number, row in enumerate(shown[:2] if mapped else ())
    }
    names = {kind: MODELS[kind] for kind in models}
    lines = {names[kind]: (groups, values) for kind, values in by_length.items()}
    panel = Panel(title="BLEU", x="words of the source, on average", lines=lines)
    return Outcome(
        numbers=numbers,
        headline=f"BLEU {config.source}→{config.target}: "
        + ", ".join([f"{scores[kind].score:.1f} {name}" for kind, name in names.items()]),
        text=render(
            "text/translation.md.j2",
            config=config,
            numbers=numbers,
            names=names,
            signature=next(iter(scores.values())).signature,
            tested=len(test.pairs),
            samples=[
                {"source": test.pairs.source[row], "reference": test.pairs.target[row]}
                | {"written": {name: texts[kind][row] for kind, name in names.items()}}
                for row in shown
            ],
            maps=list(figures),
        ),
        figures={**figures, "lengths": line_figure([panel]), "training": training_figure(models, ("validation loss",))},
        save=partial(save_texts, texts=texts, references=test.pairs.target, vocabulary=first.vocabulary),
    )


def save_texts(
    folder: Path, *, texts: Mapping[str, list[str]], references: Sequence[str], vocabulary: BytePairs
) -> None:
    """A file of each model's translations and one of the references, line by line, as sacrebleu reads them."""
    for name, lines in {**texts, "reference": references}.items():
        with write_atomically(folder / "translations" / f"{name}.txt") as file:
            file.write("".join([f"{' '.join(line.split())}\n" for line in lines]).encode())
    write_vocabulary(folder / "translations" / "vocabulary.json", vocabulary)


def measure_lengths(texts: Mapping[str, list[str]], pairs: Pairs) -> tuple[list[float], dict[str, list[float]]]:
    """The mean length of each group of sources, in words, from the shortest to the longest, and BLEU of each model."""
    counts = [len(sentence.split()) for sentence in pairs.source]
    order = sorted(range(len(counts)), key=counts.__getitem__)
    size = -(-len(order) // GROUPS)
    groups = [order[start : start + size] for start in range(0, len(order), size)]
    metric = _sacrebleu().BLEU()
    found = {
        kind: [
            metric.corpus_score([own[row] for row in group], [[pairs.target[row] for row in group]]).score
            for group in groups
        ]
        for kind, own in texts.items()
    }
    return [sum([counts[row] for row in group]) / len(group) for group in groups], found


def maps_figure(
    models: Mapping[str, Trained], source: Int[Tensor, " S"], written: Mapping[str, list[list[int]]], row: int
) -> "Figure":
    """What each model looks at in the source (columns) for every token that it writes (rows), the mean over heads."""
    panels: list[tuple[str, Tensor, list[str]]] = []
    for kind, one in models.items():
        own, decode = written[kind][row], one.task.vocabulary.decode
        tokens = torch.tensor([[BEGIN, *own]], device=device_of(one.model))
        out = one.model(source[None].to(tokens.device), tokens, maps=True)
        rows = [*[_label(decode([token])) for token in own], "[end]"]
        for layer, weights in enumerate(out.maps["cross"]):
            title = f"{MODELS[kind]}, layer {layer}" if len(out.maps["cross"]) > 1 else MODELS[kind]
            panels.append((title, weights[0].float().mean(0).cpu(), rows))
    vocabulary = next(iter(models.values())).task.vocabulary
    columns = [_label(vocabulary.decode([token])) for token in source.tolist()]
    figure, axes = figure_of_panels(len(panels), min(3, len(panels)), (3.4, 3.4), 0.6)
    for panel, (title, weights, rows) in zip(axes, panels, strict=True):
        panel.imshow(weights.tolist(), cmap="Blues", vmin=0, vmax=1, aspect="auto")
        panel.set_title(title, fontsize=9, color=INK)
        panel.set_xticks(range(len(columns)), columns, rotation=90)
        panel.set_yticks(range(len(rows)), rows)
        panel.tick_params(labelsize=6, colors=INK, length=0)
    return figure


def _label(piece: str) -> str:
    """A piece as a figure can show it: two dollars would be taken for a formula."""
    return "".join([letter if letter.isprintable() else "·" for letter in piece.strip()]).replace("$", r"\$") or "·"


SMOKE = TranslationConfig(
    sentences=300,
    pieces=500,
    transformer=TransformerSizes(width=16, depth=1, num_heads=2, hidden=32, dropout=0.0, rate=1e-2),
    recurrent=RecurrentSizes(width=16, hidden=16, dropout=0.0, rate=1e-2),
    tokens_per_batch=256,
    beams=2,
    training=on_one_thread(12, 1, every=6),
)
SMALL = TranslationConfig(
    pairs=6000,
    tested=100,
    pieces=2000,
    transformer=TransformerSizes(width=96, depth=2, hidden=192, dropout=0.1, rate=5e-3),
    recurrent=RecurrentSizes(width=96, hidden=128, dropout=0.1, rate=5e-3, steps=None),
    tokens_per_batch=1024,
    training=on_one_thread(160, 1, every=80, betas=(0.9, 0.98), warmup=40),
)
WU = (
    "Wu et al., *Good for Misconceived Reasons*, ACL 2021: a Transformer of 2.6 M parameters on the same pairs; on "
    "tokenised lower case, so not quite comparable"
)
RECIPES = {
    "translation": Recipe(
        name="translation",
        about="A Transformer and LSTMs with and without attention translate captions: BLEU, samples, maps.",
        config=TranslationConfig(),
        smoke=SMOKE,
        small=SMALL,
        trainings=trainings,
        measure=measure,
        published=(
            Published(number="en-de transformer BLEU", value=38.0, source="the bar that we set ourselves"),
            Published(number="en-de transformer BLEU", value=41.02, source=WU),
            Published(number="en-fr transformer BLEU", value=61.8, source=WU),
        ),
    )
}
