"""What is told of a trained language model: counts to compare it with, figures, samples, and a folder to load."""

import json
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor

from regard.analysis.figures import INK, figure_of_panels
from regard.models import save
from regard.models.hugging_face.configurations import kind_of, write
from regard.models.hugging_face.folder import Source
from regard.recipes.report import Panel, line_figure, table
from regard.tasks.files import write_atomically
from regard.tasks.text import Characters, Vocabulary, write_vocabulary
from regard.training import Trained

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regard.recipes.language import LanguageConfig

FIRST = 8  # places of a context, with little before them
COUNTED = 20_000_000  # tokens at most, so that sorting their pairs takes seconds
SAMPLES: dict[str, dict[str, Any]] = {
    "The likeliest token each time": {},
    "Drawn at temperature 0.8": {"temperature": 0.8},
}


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


def by_context(nats: Float[Tensor, "N T"]) -> dict[str, float]:
    """The loss where little, some and most of a context was read, and how far it falls to the last, ± standard errors.

    >>> import torch
    >>> found = by_context(torch.tensor([4.0] * 8 + [3.0] * 16 + [2.0] * 8).repeat(2, 1))
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


def samples(model: Any, vocabulary: Vocabulary, prompt: list[int], count: int) -> dict[str, str]:
    """A prompt and what the model writes behind it, by how tokens are chosen."""
    return {name: vocabulary.decode([*prompt, *_written(model, prompt, count, how)]) for name, how in SAMPLES.items()}


def _written(model: Any, prompt: list[int], count: int, how: Mapping[str, Any]) -> list[int]:
    """As many tokens; beyond a context the model goes on from the last half of one, as learned positions end there."""
    context, read, found = model.config.positions.context, prompt, []
    while len(found) < count:
        room = min(count - len(found), context + 1 - len(read))
        seed = {"seed": len(found)} if how else {}
        found += model.generate(read, max_new=room, **how, **seed).tokens
        read = [*prompt, *found][-max(1, context // 2) :]
    return found


def model_folder(one: Trained, vocabulary: Vocabulary) -> tuple[str, Callable[[Path], None]]:
    """What to say of the folder that `regard.models.load` reads the model from, and how to write it into a run."""
    try:
        write(one.model.config)
    except ValueError as error:
        return f"The model is in its checkpoints alone: {error}.", lambda folder: None
    if not one.is_over:
        return "The model will be saved when its training is over.", lambda folder: None

    def keep(folder: Path) -> None:
        place = folder / "model"
        write_vocabulary(place / "vocabulary.json", vocabulary)
        with write_atomically(place / "tokenizer.json") as file:
            file.write(tokenizer_json(vocabulary).encode())
        # No token ends a text: transformers would take numbers of other vocabularies for those that do.
        one.model.source = Source(folder=place, config=dict.fromkeys(("bos_token_id", "eos_token_id")), companions=())
        save(one.model, place)  # puts the weights into place last

    kind = {"gpt2": "GPT-2", "llama": "Llama"}[kind_of(one.model.config)]
    return (
        f"The folder `model` of this run holds it as a {kind} that `regard generate` and transformers read, with its "
        "tokens in `tokenizer.json`.",
        keep,
    )


def tokenizer_json(vocabulary: Vocabulary) -> str:
    """The tokenizer.json of a vocabulary: that of byte pairs is one, that of characters is a word for each."""
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
    """The loss against how many tokens the model has read, in groups twice as long each, and what counts give."""
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


def headline(numbers: Mapping[str, float]) -> str:
    bits, bigram, unigram = (numbers[f"{kind}bits per character"] for kind in ("", "bigram ", "unigram "))
    return (
        f"{bits:.3f} bits per character (bigrams {bigram:.3f}, unigrams {unigram:.3f}), "
        f"{100 * numbers['accuracy']:.1f} % of tokens"
    )


def report(config: "LanguageConfig", numbers: Mapping[str, float], written: Mapping[str, str], kept: str) -> str:
    model, training, bits = config.model, config.training, "bits per character"
    kinds = {"uniform ": "all tokens alike", "unigram ": "counts of tokens", "bigram ": "counts of pairs"}
    nats = numbers["validation loss"] / numbers[bits]  # per token, of a bit per character
    rows = [
        [text, f"{numbers[kind + bits]:.3f}", f"{math.exp(nats * numbers[kind + bits]):.2f}"]
        for kind, text in (kinds | {"": "Transformer"}).items()
    ]
    what = "characters" if config.tokens == "characters" else "byte pairs"
    counted = min(COUNTED, int(numbers["tokens to learn from"]))
    shown = "\n\n".join([f"{name}:\n\n{_as_code(text)}" for name, text in written.items()])
    return (
        f"A text of {numbers['tokens to learn from']:,} tokens, of a vocabulary of {numbers['vocabulary']:,} {what}, "
        f"is learnt by a Transformer of {model.depth} layers, width {model.width}, {model.num_heads} heads and "
        f"{numbers['parameters']:,} parameters, which reads {model.context} tokens at a time. It has seen "
        f"{numbers['tokens seen']:,} tokens in steps of {training.batch * training.accumulate} contexts at rate "
        f"{training.descent.rate:g}, and is validated on {numbers['characters validated on']:,} characters behind the "
        f"text that it learns from, as are counts of {counted:,} tokens of that text, with one added to each.\n\n"
        f"{table(['predicted by', bits, 'perplexity of a token'], rows)}\n\n"
        f"The likeliest token is the right one in {100 * numbers['accuracy']:.1f} % of all places. {_learnt(numbers)} "
        f"{_context(min(FIRST, model.context), numbers)}\n\n{kept}\n\n"
        f"![The loss by the number of tokens read](places.svg)\n\n## Samples\n\n{shown}\n\n"
        "## Maps\n\nWhat each token (row) of the beginning of the text that is validated on looks at (columns), with "
        "↵ for the end of a line and ␣ for a space.\n\n"
        "![Attention maps, a row for each layer](maps.svg)\n\n![Training](training.svg)\n"
    )


def _learnt(numbers: Mapping[str, float]) -> str:
    """Whether there is more than counts of pairs have."""
    gain = numbers["bigram bits per character"] - numbers["bits per character"]
    if gain <= 0:
        return "It predicts no better than counts of pairs: nothing beyond them is shown to be learnt."
    return f"It needs {gain:.3f} bits per character less than counts of pairs."


def _context(places: int, numbers: Mapping[str, float]) -> str:
    """Whether the loss falls along the context by more than chance, from its beginning on and later."""
    last, told = numbers["loss of the last quarter"], []
    for name, since in (("first places", f"first {places} places"), ("second quarter", "second quarter")):
        before, error = numbers[f"loss of the {name}"], numbers[f"error of the fall since the {name}"]
        verdict = "helps" if before - last > 2 * error else "is not shown to help"
        told.append(
            f"From the {since} of a context to its last quarter the loss falls by {before - last:.3f} ± {error:.3f} "
            f"nats, from {before:.3f} to {last:.3f}: what is read in between {verdict}."
        )
    return " ".join(told)


def _as_code(text: str) -> str:
    """Indented, which no text can end."""
    return textwrap.indent(text, "    ", lambda line: True)
