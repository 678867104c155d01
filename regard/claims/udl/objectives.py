"""Problem 12.6: what BERT is trained to do, and whether two tasks teach more than one."""

from functools import cache

import torch
from torch import Tensor

from regard.claims.chart import Bars, Matrices
from regard.claims.claim import CORRECTED, PARTLY_BORNE_OUT, Finding, Findings, claim
from regard.claims.experiments import Result, result
from regard.claims.findings import mean
from regard.claims.small_runs import fit, seeded
from regard.tasks.sentences import (
    IGNORED,
    SECOND,
    Examples,
    Language,
    Reader,
    batches,
    objectives,
    probe,
    text,
    total_loss,
)

NAMES = {
    "words": "masked words",
    "next": "next sentence",
    "order": "inverted word order",
    "inference": "inference verification",
}
STEPS = {"words": 50, "next": 80, "order": 20, "inference": 20}
BATCH, RATE, TEXTS = 64, 3e-3, 1000
PROBED = (800, 500)  # texts that a probe is fitted to, and tested on
SEEDS = (0, 1, 2)
PRETRAINING = 120  # steps before the probes
TRAINED = {"nothing": (), "words": ("words",), "next": ("next",), "both": ("words", "next")}
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


@cache
def trained(names: tuple[str, ...], steps: int, seed: int = 0) -> Reader:
    """A small encoder after training on these tasks, `BATCH` texts a step in all."""
    language = Language()
    found = [objectives(language)[name] for name in names]
    with seeded(seed):
        reader = Reader(list(NAMES)).eval()
    if found:
        fit(reader, batches(language, found, BATCH // len(found), seed=1 + seed), total_loss, steps, RATE)
    return reader


@cache
def accuracy(name: str) -> tuple[Tensor, float]:
    """Whether each target of new texts is guessed after training, and the share that reading nothing would get."""
    objective, examples = objectives(Language())[name], drawn(name)[1]
    return objective.right(trained((name,), STEPS[name]), examples).double(), objective.chance(examples)


def draw_learnt() -> Bars:
    """Accuracy after training, and chance."""
    found = [accuracy(name) for name in NAMES]
    return Bars(
        title="Four tasks learnt by a small encoder from a small language",
        names=list(NAMES.values()),
        groups={"right": [right.mean().item() for right, _ in found], "chance": [chance for _, chance in found]},
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
    for name, full in NAMES.items():
        right, chance = accuracy(name)
        found = mean(right)
        after = f"{found} right after {STEPS[name]} steps (99 %, {found.draws:,} new targets)"
        yield Finding(f"{full} is learnt", found.value - found.half > chance, f"{full}: {after}, chance {chance:.3f}")
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


def run_ablation() -> dict[str, float]:
    """Accuracies `"{trained} on {probed}"`: a linear probe of features that were learnt by one task, two, or none."""
    numbers: dict[str, list[float]] = {}
    for name, names in TRAINED.items():
        for seed in SEEDS:
            reader = trained(names, PRETRAINING, seed)
            for probed in NAMES:
                train, test = (drawn(probed, seed=n, count=PROBED[n])[1] for n in (0, 1))
                right = probe(reader, objectives(Language())[probed], train, test)
                numbers.setdefault(f"{name} on {probed}", []).append(right.double().mean().item())
    return {name: sum(values) / len(values) for name, values in numbers.items()}


def measured() -> Result:
    return result("objectives", run_ablation)


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
    averages = {name: sum(numbers[f"{name} on {probed}"] for probed in NAMES) / len(NAMES) for name in TRAINED}
    for alone, (low, high) in {"words": over_words, "next": over_next, "nothing": over_nothing}.items():
        holds, name = (
            low <= averages["both"] - averages[alone] <= high,
            "untrained" if alone == "nothing" else f"{NAMES[alone]} alone",
        )
        told = f"both tasks {averages['both']:.3f}, {name} {averages[alone]:.3f}"
        shown = f"mean of four probes: {told}{'' if holds else ', not borne out at this size'} [{numbers.source}]"
        yield Finding(f"both against {name}", holds, shown)
