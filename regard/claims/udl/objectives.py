"""Problem 12.6: what BERT is trained to do, and whether two tasks teach more than one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from regard.claims.chart import Bars, Matrices
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.experiments import Result, result
from regard.claims.findings import mean
from regard.claims.small_runs import fit, seeded
from regard.tasks.sentences import (
    IGNORED,
    SECOND,
    Examples,
    Language,
    Objective,
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


@dataclass(frozen=True)
class Tasks:
    """What kind two tasks are of, and which tasks make their targets of the text alone."""

    kinds: Mapping[str, str]
    from_text: frozenset[str]


def tasks(stated: Tasks) -> Sequence[Finding]:
    """Look at the data of each task, train on each, and ask two worlds for their labels."""
    return [
        *[of_kind(name, kind) for name, kind in stated.kinds.items()],
        *[learnt(name) for name in NAMES],
        *[labelled(name, name in stated.from_text) for name in NAMES],
    ]


@cache
def drawn(name: str, contrary: bool = False, seed: int = 99, count: int = TEXTS) -> tuple[Tensor, Examples]:
    """New sentences of the language, and what a task makes of them."""
    language = Language(contrary=contrary)
    generator = torch.Generator().manual_seed(seed)
    pairs = language.pairs(count, generator)
    return pairs, objectives(language)[name].examples(pairs, generator)


def of_kind(name: str, stated: str) -> Finding:
    """Generative: the targets are the words that are missing. Contrastive: they tell true pairs from mixed ones."""
    pairs, examples = drawn(name)
    original, tokens, targets = text(pairs[:, 0], pairs[:, 1]), examples.tokens, examples.targets
    if targets.ndim == 2:
        restored = torch.where(targets == IGNORED, tokens, targets)
        share = (restored == original).all(1).double().mean().item()
        found, why = "generative", f"the targets put in restore {100 * share:g} % of {len(tokens):,} texts"
    else:
        sources = {tuple(row) for row in pairs[:, 1].tolist()}
        mixed = tokens[targets == 0]
        known = all(tuple(row) in sources for row in mixed[:, SECOND].tolist())
        share = float(known and bool((tokens[targets == 1] == original[targets == 1]).all()))
        found, why = "contrastive", f"{len(mixed):,} of {len(tokens):,} texts have the second sentence of another"
    kind = found if share == 1 else "neither"
    said = "" if kind == stated else f", not {stated}"
    return Finding(f"kind of {NAMES[name]}", kind == stated, f"{NAMES[name]} is {kind}{said}: {why}")


@cache
def trained(names: tuple[str, ...], steps: int, seed: int = 0) -> Reader:
    """A small encoder after training on these tasks, `BATCH` texts a step in all."""
    language = Language()
    found = objectives(language)
    with seeded(seed):
        reader = Reader(list(NAMES)).eval()
    if names:
        size = BATCH // len(names)
        fit(reader, batches(language, [found[name] for name in names], size, seed=1 + seed), total_loss, steps, RATE)
    return reader


def objective(name: str) -> Objective:
    return objectives(Language())[name]


@cache
def accuracy(name: str) -> tuple[Tensor, float]:
    """Whether each target of new texts is guessed after training, and the share that reading nothing would get."""
    examples = drawn(name)[1]
    return objective(name).right(trained((name,), STEPS[name]), examples), objective(name).chance(examples)


def learnt(name: str) -> Finding:
    right, chance = accuracy(name)
    found = mean(right.double())
    after = f"{found} right after {STEPS[name]} steps (99 %, {found.draws:,} new targets)"
    shown = f"{NAMES[name]}: {after}, chance {chance:.3f}"
    return Finding(f"{NAMES[name]} is learnt", found.value - found.half > chance, shown)


def labelled(name: str, from_text: bool) -> Finding:
    """The same texts in a world of contrary facts: targets made of the text cannot differ."""
    (_, here), (_, there) = drawn(name), drawn(name, contrary=True)
    assert torch.equal(here.tokens, there.tokens)
    differ = int((here.targets != there.targets).sum())
    asked = int((here.targets != IGNORED).sum())
    shown = f"{NAMES[name]}: of {asked:,} targets of the same texts {differ:,} differ where the facts are contrary"
    return Finding(f"targets of {NAMES[name]}", (differ == 0) == from_text, shown, detail=True)


def learnt_chart() -> Bars:
    """Accuracy after training, and chance."""
    found = {name: accuracy(name) for name in NAMES}
    return Bars(
        title="Four tasks learnt by a small encoder from a small language",
        names=list(NAMES.values()),
        groups={
            "right": [right.double().mean().item() for right, _ in found.values()],
            "chance": [chance for _, chance in found.values()],
        },
        y_label="share of targets",
    )


@dataclass(frozen=True)
class Gains:
    """By how much two tasks together do better in the mean of all probes than one of them alone: from, to."""

    over: Mapping[str, tuple[float, float]]


def ablation() -> dict[str, float]:
    """Accuracies `"{trained} on {probed}"`: a linear probe of features that were learnt by one task, two, or none."""
    numbers: dict[str, list[float]] = {}
    for name, names in TRAINED.items():
        for seed in SEEDS:
            reader = trained(names, PRETRAINING, seed)
            for probed in NAMES:
                train, test = (drawn(probed, seed=n, count=PROBED[n])[1] for n in (0, 1))
                right = probe(reader, objective(probed), train, test)
                numbers.setdefault(f"{name} on {probed}", []).append(right.double().mean().item())
    return {name: sum(values) / len(values) for name, values in numbers.items()}


def measured() -> Result:
    return result("objectives", ablation)


def gains(stated: Gains) -> Sequence[Finding]:
    """Compare the mean over the four probes."""
    numbers = measured()
    averages = {name: sum(numbers[f"{name} on {probed}"] for probed in NAMES) / len(NAMES) for name in TRAINED}
    found = []
    for alone, (low, high) in stated.over.items():
        gain = averages["both"] - averages[alone]
        holds = low <= gain <= high
        shown = (
            f"mean of four probes: both tasks {averages['both']:.3f}, {NAMES[alone]} alone {averages[alone]:.3f}"
            f"{'' if holds else ', not borne out at this size'} [{numbers.source}]"
        )
        found.append(Finding(f"both against {NAMES[alone]} alone", holds, shown))
    return found


def ablation_chart() -> Matrices:
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


LANGUAGE = (
    "a seeded grammar of 43 words in four topics; sentences of five words, each about the object of the one before"
)
BERT = {"words": "generative", "next": "contrastive"}

CLAIMS = (
    Claim(
        id="udl.6",
        title="What BERT is trained to do",
        texts=Texts(
            asks="Is predicting masked words a generative or a contrastive task, and next-sentence prediction? "
            "Name two more self-supervised tasks for sentences.",
            derivation="*Masked words* are generative: the targets are the missing part of the text itself, and put in "
            "they restore it. *Next sentence* is contrastive: true pairs are told from pairs whose second half comes "
            "from elsewhere.\n\n"
            "*Inverted word order*, telling whether a sentence was turned round, is a third: its targets too are made "
            "of the text, by who turned it.\n\n"
            "*Inference verification* is not: whether a sentence follows from another is no function of the two texts. "
            "Two worlds that differ only in their facts have the same texts and the contrary labels, so somebody who "
            "knows the facts has to write them: it is supervised.",
            quantities={"chance": "the share of the best answer that is the same for all texts"},
            method=f"{LANGUAGE}; encoder of one block, width 32, 4 heads; 20 to 80 Adam steps of 64 texts; "
            "1,000 new texts, 99 % intervals",
            code=(
                "regard.tasks.sentences:MaskedWords",
                "regard.tasks.sentences:NextSentence",
                "regard.tasks.sentences:InvertedOrder",
                "regard.tasks.sentences:Inference",
            ),
        ),
        document=Version(
            "masked words generative, next sentence contrastive; self-supervised too: word order and inference",
            r"\text{targets} = f(\text{text})",
            Tasks(BERT, frozenset(NAMES)),
        ),
        ours=Version(
            "the same, but inference verification needs labels that no text gives",
            r"\text{labels} = f(\text{text}, \text{facts})",
            Tasks(BERT, frozenset(NAMES) - {"inference"}),
        ),
        twin=Version(
            "masked words contrastive, next sentence generative",
            r"\text{targets} = f(\text{text})",
            Tasks({"words": "contrastive", "next": "generative"}, frozenset(NAMES) - {"inference"}),
        ),
        check=tasks,
        expected=Verdict.CORRECTED,
        chart=learnt_chart,
    ),
    Claim(
        id="udl.6b",
        title="Two tasks against one",
        texts=Texts(
            asks="Does training on masked words and next sentence together give a more complete understanding?",
            derivation="An encoder is trained on masked words, on next sentence, or on both, with the same number of "
            "texts, and then frozen. Linear probes say what can be read from its features: each of these two tasks, "
            "and word order and inference, which none was trained on.\n\n"
            "Both together teach much that next sentence alone does not: it never has to know single words. "
            "Masked words alone already carry what the other task asks for, since a word is guessed from the topic of "
            "both sentences; in the small version the second task adds nothing measurable to it.",
            quantities={"gain": "mean accuracy of four probes with both tasks, minus that with one"},
            method=f"{LANGUAGE}; encoder of one block, width 32; 120 steps of 64 texts (32 for each of two tasks); "
            "mean of 3 seeds; ridge probes fitted to 800 texts, tested on 500; differences below 0.05 count as none",
            code=("regard.tasks.sentences:Reader", "regard.tasks.sentences:probe"),
        ),
        document=Version(
            "both together teach more than either alone",
            r"\text{both} > \max(\text{words}, \text{next})",
            Gains({"words": (MARGIN, 1.0), "next": (MARGIN, 1.0)}),
        ),
        ours=Version(
            "both together teach more than next sentence alone, and no less than masked words alone",
            r"\text{both} > \text{next}, \quad \text{both} \geq \text{words} - 0.05",
            Gains({"words": (-MARGIN, 1.0), "next": (MARGIN, 1.0)}),
        ),
        twin=Version(
            "the two tasks are in each other's way: together they teach less than either alone",
            r"\text{both} < \min(\text{words}, \text{next})",
            Gains({"words": (-1.0, -MARGIN), "next": (-1.0, -MARGIN)}),
        ),
        check=gains,
        expected=Verdict.BORNE_OUT,
        chart=ablation_chart,
    ),
)
