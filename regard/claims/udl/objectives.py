"""Problem 12.6: what BERT is trained to do, and whether two tasks teach more than one."""

from functools import cache

import torch
from torch import Tensor

from regard.claims.chart import Bars, Matrices
from regard.claims.claim import CORRECTED, PARTLY_BORNE_OUT, Finding, Findings, claim
from regard.claims.experiments import Result, result
from regard.tasks.sentences import IGNORED, SECOND, Examples, Language, objectives, text

NAMES = {
    "words": "masked words",
    "next": "next sentence",
    "order": "inverted word order",
    "inference": "inference verification",
}
TEXTS = 1000
TRAINED = ("nothing", "words", "next", "both")
MARGIN = 0.05  # of accuracy: less is as much
LANGUAGE = (
    "a seeded grammar of 43 words in four topics; sentences of five words, each about the object of the one before"
)


@cache
def drawn(name: str, contrary: bool = False, seed: int = 99, count: int = TEXTS) -> tuple[Tensor, Examples]:
    """New sentences of the language, and what a task makes of them."""
    language = Language(contrary=contrary)
    generator = torch.Generator().manual_seed(seed)
    pairs = language.pairs(count, generator)
    return pairs, objectives(language)[name].examples(pairs, generator)


def measured() -> Result:
    """What the recipe found: of each objective the share right after training on it, and what probes find."""
    return result("objectives")


def draw_learnt() -> Bars:
    """Accuracy after training, and chance."""
    numbers = measured()
    return Bars(
        title=f"Four tasks, each learnt by an encoder of its own [{numbers.source}]",
        names=list(NAMES.values()),
        groups={
            "right": [numbers[f"{name} right"] for name in NAMES],
            "chance": [numbers[f"{name} chance"] for name in NAMES],
        },
        y_label="share of targets",
    )


@claim(
    "udl.6",
    CORRECTED,
    document={"from_text": tuple(NAMES)},
    twin={"words": "contrastive", "next": "generative"},
    chart=draw_learnt,
)
def tasks(
    words: str = "generative", next: str = "contrastive", from_text: tuple[str, ...] = ("words", "next", "order")
) -> Findings:
    """Look at the data of each task, train on each, and ask two worlds for their labels.

    Stated are the kinds of BERT's two tasks, and which tasks make their targets of the text alone.
    """
    yield compare_kind("words", words)
    yield compare_kind("next", next)
    numbers = measured()
    for name, full in NAMES.items():
        right, error, chance = (numbers[f"{name} {what}"] for what in ("right", "right error", "chance"))
        shown = f"{full}: {right:.3f} ± {error:.3f} right on new texts, chance {chance:.3f} [{numbers.source}]"
        yield Finding(f"{full} is learnt", right - 3 * error > chance, shown)
    for name, full in NAMES.items():
        here, there = drawn(name)[1], drawn(name, contrary=True)[1]
        assert torch.equal(here.tokens, there.tokens)  # the same texts in a world of contrary facts
        differ, asked = int((here.targets != there.targets).sum()), int((here.targets != IGNORED).sum())
        shown = f"{full}: of {asked:,} targets of the same texts {differ:,} differ where the facts are contrary"
        yield Finding(f"targets of {full}", (differ == 0) == (name in from_text), shown, detail=True)
    pairs, examples = drawn("order")
    second = torch.where(examples.targets[:, None] == 1, pairs[:, 1].flip(1), pairs[:, 1])
    turned = int((examples.tokens == text(pairs[:, 0], second)).all(1).sum())
    shown = f"inverted word order: in {turned:,} of {TEXTS:,} texts the target says whether the second was turned round"
    yield Finding("turned round", turned == TEXTS, shown)


def compare_kind(name: str, stated: str) -> Finding:
    """Generative: the targets are the words that are missing. Contrastive: they tell true pairs from mixed ones."""
    pairs, examples = drawn(name)
    original, tokens, targets = text(pairs[:, 0], pairs[:, 1]), examples.tokens, examples.targets
    if targets.ndim == 2:
        restored = torch.where(targets == IGNORED, tokens, targets)
        share = (restored == original).all(1).double().mean().item()
        hidden = tokens != original
        fits = share == 1 and bool((hidden == (targets != IGNORED)).all() and hidden.any(1).all())
        found, why = "generative", f"the targets put in restore {100 * share:g} % of {len(tokens):,} texts"
    else:
        sources = {tuple(row) for row in pairs[:, 1].tolist()}
        mixed = tokens[targets == 0]
        known = all(tuple(row) in sources for row in mixed[:, SECOND].tolist())
        others = (tokens[:, SECOND] == original[:, SECOND]).all(1)[targets == 0].double().mean().item() < 0.1
        fits = known and others and bool((tokens[targets == 1] == original[targets == 1]).all())
        found, why = "contrastive", f"{len(mixed):,} of {len(tokens):,} texts have the second sentence of another"
    kind = found if fits else "neither"
    said = "" if kind == stated else f", not {stated}"
    return Finding(f"kind of {NAMES[name]}", kind == stated, f"{NAMES[name]} is {kind}{said}: {why}")


def draw_ablation() -> Matrices:
    """What was learnt by each, probed for each."""
    numbers = measured()
    return Matrices(
        title=f"Linear probes of frozen features: share right [{numbers.source}]",
        panels={"accuracy": [[numbers[f"{name} on {probed}"] for probed in NAMES] for name in TRAINED]},
        row_label="trained on",
        column_label="probed for",
        rows=["nothing", NAMES["words"], NAMES["next"], "both"],
        columns=list(NAMES.values()),
    )


@claim(
    "udl.6b",
    PARTLY_BORNE_OUT,
    document={"over_words": (MARGIN, 1.0)},
    twin={"over_words": (-1.0, -MARGIN), "over_next": (-1.0, -MARGIN)},
    chart=draw_ablation,
    recipe="objectives",
)
def two_tasks(
    over_words: tuple[float, float] = (-MARGIN, 1.0),
    over_next: tuple[float, float] = (MARGIN, 1.0),
    over_nothing: tuple[float, float] = (MARGIN, 1.0),
) -> Findings:
    """Compare the mean over the four probes: by how much both tasks do better than one alone, from, to."""
    numbers = measured()
    for alone, (low, high) in {"words": over_words, "next": over_next, "nothing": over_nothing}.items():
        gain, error = numbers[f"both over {alone}"], numbers[f"both over {alone} error"]
        holds, name = low <= gain <= high, "untrained" if alone == "nothing" else f"{NAMES[alone]} alone"
        averages = f"both tasks {numbers['both on average']:.3f}, {name} {numbers[f'{alone} on average']:.3f}"
        told = f"{averages}, gain {gain:+.3f} ± {error:.3f}"
        shown = f"mean of four probes: {told}{'' if holds else ', not borne out at this size'} [{numbers.source}]"
        yield Finding(f"both against {name}", holds, shown)
