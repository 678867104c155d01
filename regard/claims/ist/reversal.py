"""Question 3: string reversal by LSTMs, without attention and with it, and what the attention looks at.

The numbers of a run have the names `plain characters 11`, `attention strings 7`, `plain forced 9` (parts of one, by
model, metric and length; forced: characters given the true ones before), and `map 0 10` (written letter, read letter).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from regard.claims.chart import Lines, Matrices
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.experiments import Result, result
from regard.claims.small_runs import fit, seeded
from regard.models import Recurrent, RecurrentConfig
from regard.tasks import reversal
from regard.tasks.reversal import Batch

RECIPE = "reversal"
LENGTHS = (3, 5, 7, 9, 11)
STEPS, RATE, BATCH, VALIDATED = 500, 3e-3, 64, 500
WORD = "abacadabacc"
METRICS = {"characters": "right characters", "forced": "with true ones before", "strings": "right strings"}


def small() -> Mapping[str, float]:
    """Both models on the same batches, then validated on strings that no batch is likely to have held."""
    numbers: dict[str, float] = {}
    for name in ("plain", "attention"):
        with seeded(0):
            config = RecurrentConfig(vocabulary=reversal.VOCABULARY, width=32, hidden=64, attention=name == "attention")
            model = Recurrent(config)
        fit(model, strings(seed=1), reversal.loss, STEPS, RATE)
        source = torch.Generator().manual_seed(2)
        for length in LENGTHS:
            batch = reversal.draw(VALIDATED, length, source)
            free, forced = reversal.accuracy(model, batch), reversal.forced_accuracy(model, batch)
            numbers |= {f"{name} characters {length}": free.characters, f"{name} strings {length}": free.strings}
            numbers[f"{name} forced {length}"] = forced.characters
        if config.attention:
            numbers |= word_map(model)
    return numbers


def strings(seed: int) -> Iterator[Batch]:
    """A batch of each length in turn: none has pads, which costs the LSTMs no packing."""
    source = torch.Generator().manual_seed(seed)
    while True:
        yield from (reversal.draw(BATCH, length, source) for length in LENGTHS)


@torch.no_grad()
def word_map(model: Recurrent) -> dict[str, float]:
    """What each written letter of `abacadabacc` looks at among those read."""
    batch = reversal.batch_of([WORD])
    maps = model(batch.source, batch.target, maps=True).maps
    assert maps is not None
    rows = maps["cross"][0][0, 0].tolist()
    return {f"map {i} {j}": weight for i, row in enumerate(rows) for j, weight in enumerate(row)}


def run() -> Result:
    return result(RECIPE, small)


def lengths(found: Result) -> list[int]:
    """The lengths that the run was validated at."""
    return sorted(int(name.split()[-1]) for name in found.numbers if name.startswith("plain characters"))


def curve(found: Result, model: str, metric: str) -> list[float]:
    return [found[f"{model} {metric} {length}"] for length in lengths(found)]


@dataclass(frozen=True)
class Accuracies:
    """Between what and what the accuracy of a model lies, by metric, at the shortest strings and at the longest."""

    model: str
    shortest: Callable[[str], tuple[float, float]]
    longest: Callable[[str], tuple[float, float]]
    gain: float | None = None  # at least so many more strings than without attention, at the longest


def accuracies(said: Accuracies) -> Sequence[Finding]:
    """The stated ranges against the run, a finding for each metric."""
    found = run()
    at = ", ".join(map(str, lengths(found)))
    findings = []
    for metric, words in METRICS.items():
        values = curve(found, said.model, metric)
        low, high = said.shortest(metric), said.longest(metric)
        holds = low[0] <= values[0] <= low[1] and high[0] <= values[-1] <= high[1]
        written = ", ".join(f"{100 * value:.1f}" for value in values)
        borne = "" if holds else f"; {stated(low, high)} not borne out at this size"
        findings.append(Finding(metric, holds, f"{words} at lengths {at}: {written} %{borne} [{found.source}]"))
    if said.gain is not None:
        more = curve(found, "attention", "strings")[-1] - curve(found, "plain", "strings")[-1]
        words = f"attention gets {100 * more:+.1f} points of strings right at length {lengths(found)[-1]}"
        shown = f"{words}, {100 * said.gain:.0f} or more stated [{found.source}]"
        findings.append(Finding("gain", more >= said.gain, shown))
    return findings


def stated(*ranges: tuple[float, float]) -> str:
    """Ranges in percent, each once."""
    return " to ".join(dict.fromkeys(f"{100 * low:.0f}–{100 * high:.0f} %" for low, high in ranges))


@dataclass(frozen=True)
class Band:
    """Where the weight of a map lies: the places that a written letter looks at, and the least part of it there."""

    where: str
    places: Callable[[int, int], set[int]]  # of the letter's place and the number of letters
    least: float


def band(said: Band) -> Sequence[Finding]:
    """The weight in the stated places, and the letters that look there most."""
    found = run()
    rows = drawn(found)
    T = len(rows)
    kept = [sum(row[j] for j in said.places(i, T) if 0 <= j < T) for i, row in enumerate(rows)]
    most = [row.index(max(row)) in said.places(i, T) for i, row in enumerate(rows)]
    even = sum(len(said.places(i, T) & set(range(T))) for i in range(T)) / T**2
    mass, least = sum(kept) / T, said.least
    words = f"{100 * mass:.0f} % of the map of {WORD} lies {said.where}, {100 * even:.0f} % of an even one"
    borne = "" if mass >= least else f"; {100 * least:.0f} % stated, not borne out at this size"
    return [
        Finding("weight", mass >= least, f"{words}{borne} [{found.source}]"),
        Finding(
            "largest",
            sum(most) >= least * T,
            f"{sum(most)} of {T} letters look most {said.where}, {100 * least:.0f} % stated [{found.source}]",
        ),
    ]


def drawn(found: Result) -> list[list[float]]:
    T = len(WORD)
    return [[found[f"map {i} {j}"] for j in range(T)] for i in range(T)]


def over_lengths() -> Lines:
    """Accuracy against length, of both models by both metrics."""
    found = run()
    names = {"plain": "without attention", "attention": "with attention"}
    return Lines(
        title="Reversal: what is right, by length",
        x=lengths(found),
        y={
            f"{words}, {metric}": curve(found, model, metric)
            for model, words in names.items()
            for metric in ("characters", "strings")
        },
        x_label="length",
        y_label="part that is right",
    )


def word_drawn() -> Matrices:
    """The map of `abacadabacc`."""
    return Matrices(
        title=f"Reversing {WORD}: what each letter looks at",
        panels={"attention": drawn(run())},
        row_label="written",
        column_label="read",
        rows=list(reversed(WORD)),
        columns=list(WORD),
    )


METHOD = (
    f"data: random strings over four letters of lengths {', '.join(map(str, LENGTHS))}, a batch of {BATCH} of each in "
    f"turn; budget: {STEPS} steps of Adam at {RATE}, clipped to norm 1, LSTMs of width 64 on embeddings of 32, the "
    f"same for both; validated on {VALIDATED} new strings of each length, written greedily; fixed seeds; figure: "
)
CODE = ("regard.tasks.reversal:accuracy", "regard.models.recurrent:Recurrent", "regard.claims.small_runs:fit")
QUANTITIES = {
    "characters": "letters that are right, each given those that the model wrote before",
    "with true ones before": "letters that are right, each given the true ones before, as in training",
    "strings": "strings that are right in every letter",
}


def always(low: float, high: float) -> Callable[[str], tuple[float, float]]:
    return lambda metric: (low, high)


PLAIN = Claim(
    id="ist.3a",
    title="Reversal without attention",
    kind="experiment",
    texts=Texts(
        asks="An LSTM encoder-decoder without attention learns to reverse strings over four letters. How accurate does "
        "it get?",
        derivation="All that the decoder knows of the string is the encoder's last state. A string of $n$ letters "
        "holds $2n$ bits, and a state learns to keep some of them before it keeps all: short strings come out right, "
        "long ones in their first letters, which were read last.\n\n"
        "A string of $n$ letters that are right with probability $p$ each is right as a whole about $p^n$ of the time, "
        "so that letters and strings part as $n$ grows. One number says little without length and metric: 82.1 % can "
        "be either, at some length.",
        quantities=QUANTITIES,
        method=f"{METHOD}accuracy against length",
        code=CODE,
    ),
    document=Version(
        "82.1 % (length and metric not given)",
        r"0.821",
        Accuracies("plain", always(0.801, 0.841), always(0.801, 0.841)),
    ),
    ours=Version(
        "nearly all at the shortest strings, less at the longest, of strings far less than of characters",
        r"n \mapsto \text{accuracy}(n)",
        Accuracies("plain", always(0.95, 1.0), lambda metric: (0.0, 0.8) if metric == "strings" else (0.4, 0.97)),
    ),
    twin=Version(
        "as good at the longest strings as at the shortest",
        r"\text{accuracy}(n) \geq 0.95",
        Accuracies("plain", always(0.95, 1.0), always(0.95, 1.0)),
    ),
    check=accuracies,
    expected=Verdict.EXPERIMENT,
    chart=over_lengths,
)
WITH_ATTENTION = Claim(
    id="ist.3b",
    title="Reversal with attention",
    kind="experiment",
    texts=Texts(
        asks="The same with dot-product attention to the encoder's states, and the same budget: how accurate?",
        derivation="With $c_i = \\sum_j \\operatorname{softmax}_j(s_i^\\top h_j)\\, h_j$ the decoder looks up letter "
        "$n + 1 - i$ where it was read. The last state need not hold the string any more, only where one is in it.\n\n"
        "What is left to learn is which place to look at, and that does not get harder with each letter of four as "
        "keeping them does.",
        quantities=QUANTITIES,
        method=f"{METHOD}accuracy against length",
        code=("regard.layers.recurrent:DotProductAttention", *CODE),
    ),
    document=Version(
        "99.9 %, against 82.1 % without (length and metric not given)",
        r"0.999",
        Accuracies("attention", always(0.99, 1.0), always(0.99, 1.0), gain=0.178),
    ),
    ours=Version(
        "97 % of characters and 85 % of strings or more at every length, far more strings than without",
        r"\text{accuracy}(n) \geq 0.97",
        Accuracies(
            "attention", always(0.97, 1.0), lambda metric: (0.85 if metric == "strings" else 0.97, 1.0), gain=0.1
        ),
    ),
    twin=Version(
        "no better than without",
        r"\text{accuracy}(n) \leq 0.85",
        Accuracies("attention", always(0.0, 1.0), always(0.0, 0.85)),
    ),
    check=accuracies,
    expected=Verdict.EXPERIMENT,
    chart=over_lengths,
)
MAP = Claim(
    id="ist.3c",
    title="The map of a reversal",
    kind="experiment",
    texts=Texts(
        asks="Draw the attention of the trained model for abacadabacc. Is it diagonal, in reverse order?",
        derivation="Letter $i$ of the reversal is letter $n + 1 - i$ of the string, so the map should lie on the "
        "anti-diagonal $j = n + 1 - i$.\n\n"
        "But $h_j$ is a recurrent state: it knows letter $j$, and the letters before it less and less. Letter $j$ can "
        "be looked up in $h_{j+1}$ as well, and the decoder's own state knows the first letters anyway. Nothing in the "
        "loss prefers one over the other: the weight lies at the anti-diagonal *or one place beside it*.",
        quantities={"i": "place of a written letter", "j": "place of a read letter", "n": "their number, 11"},
        method=f"{METHOD}the map; an even map has 26 % within one place of the anti-diagonal",
        code=("regard.models.recurrent:Recurrent", "regard.layers.recurrent:DotProductAttention"),
    ),
    document=Version(
        "on the anti-diagonal",
        r"j = n + 1 - i",
        Band("on the anti-diagonal", lambda i, T: {T - 1 - i}, 0.65),
    ),
    ours=Version(
        "within one place of the anti-diagonal",
        r"\lvert j - (n + 1 - i) \rvert \leq 1",
        Band("within one place of the anti-diagonal", lambda i, T: {T - 2 - i, T - 1 - i, T - i}, 0.65),
    ),
    twin=Version(
        "within one place of the main diagonal",
        r"\lvert j - i \rvert \leq 1",
        Band("within one place of the main diagonal", lambda i, T: {i - 1, i, i + 1}, 0.65),
    ),
    check=band,
    expected=Verdict.EXPERIMENT,
    chart=word_drawn,
)
