"""Question 3: string reversal by LSTMs, without attention and with it, and what the attention looks at.

The numbers of a run have the names `plain characters 11`, `attention strings 7`, `plain forced 9` (parts of one, by
model, metric and length; forced: characters given the true ones before), and `map 0 10` (written letter, read letter).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch

from regard.claims.chart import Lines, Matrices
from regard.claims.claim import Claim, Finding, Texts, Verdict, Version
from regard.claims.experiments import Result, result
from regard.claims.small_runs import fit, seeded, sizes
from regard.models import Recurrent, RecurrentConfig
from regard.tasks import reversal
from regard.tasks.reversal import Batch

RECIPE = "reversal"
LENGTHS = (3, 5, 7, 9, 11)
STEPS, RATE, BATCH, VALIDATED = 500, 3e-3, 64, 500
WORD = "abacadabacc"
METRICS = {"characters": "characters", "forced": "forced characters", "strings": "strings"}


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
    return sizes(found, "plain characters ")


def curve(found: Result, model: str, metric: str) -> list[float]:
    return [found[f"{model} {metric} {length}"] for length in lengths(found)]


Ranges = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Accuracies:
    """What is said of a model's accuracy over the length: in every run, and in the small one."""

    model: str
    number: float | None = None  # one number, of which neither length nor metric is given
    rises: bool | None = None  # whether it is higher at the longest strings than at the shortest
    ahead: bool | None = None  # whether it is, at every length, at least that of the model without attention
    longest: Ranges = field(default_factory=dict)  # in the small run, at the longest strings, by metric


SLACK = 0.01  # five of 500 strings, by which curves may cross


def accuracies(said: Accuracies) -> Sequence[Finding]:
    """The metrics against each other, then what is stated, against the run."""
    found = run()
    findings = [ordered(said.model, found)]
    if said.rises is not None:
        findings.append(trend(said.model, said.rises, found))
    if said.ahead is not None:
        findings.append(beside(said.ahead, found))
    if said.number is not None:
        findings.insert(0, placed(said.model, said.number, found))
    if found.is_small:
        findings += [within(said.model, metric, *ends, found) for metric, ends in said.longest.items()]
    return findings


def percent(values: Sequence[float]) -> str:
    return ", ".join(f"{100 * value:.1f}" for value in values)


def ordered(model: str, found: Result) -> Finding:
    """A string that is right is right in every letter: at no length are there more of them than right letters."""
    letters, strings = curve(found, model, "characters"), curve(found, model, "strings")
    at = ", ".join(map(str, lengths(found)))
    shown = f"characters {percent(letters)} %, strings {percent(strings)} % at lengths {at} [{found.source}]"
    return Finding("metrics", all(s <= c for s, c in zip(strings, letters, strict=True)), shown)


def trend(model: str, rises: bool, found: Result) -> Finding:
    """From the shortest strings to the longest, by characters and strings."""
    ends = {metric: curve(found, model, metric) for metric in ("characters", "strings")}
    holds = all((row[-1] > row[0] + SLACK) == rises for row in ends.values())
    words = "; ".join(f"{metric} {100 * row[0]:.1f} → {100 * row[-1]:.1f} %" for metric, row in ends.items())
    first, *_, last = lengths(found)
    shown = f"length {first} → {last}: {words}, stated to {'rise' if rises else 'fall or stay'} [{found.source}]"
    return Finding("trend", holds, shown)


def beside(ahead: bool, found: Result) -> Finding:
    """Strings right with attention less those without, at every length."""
    rows = [curve(found, model, "strings") for model in ("attention", "plain")]
    more = [a - b for a, b in zip(*rows, strict=True)]
    points = ", ".join(f"{100 * gain:+.1f}" for gain in more)
    at = ", ".join(map(str, lengths(found)))
    shown = f"strings with attention less without, at lengths {at}: {points} points [{found.source}]"
    return Finding("beside", all(gain >= -SLACK for gain in more) == ahead, shown)


def placed(model: str, number: float, found: Result) -> Finding:
    """Between which lengths of this run each metric has the number, or that all are above it."""
    at = lengths(found)
    places, nowhere = [], []
    letters = curve(found, model, "characters")
    if min(letters) >= number:
        shown = f"{100 * min(letters):.1f} % of characters and more at lengths {at[0]} to {at[-1]}"
        return Finding("number", True, f"{shown}, at least {100 * number:.1f} % [{found.source}]")
    for metric, words in METRICS.items():
        row = curve(found, model, metric)
        pairs = zip(at, at[1:], row, row[1:], strict=False)
        between = next((f"{m} and {n}" for m, n, a, b in pairs if a >= number > b), None)
        places += [f"of {words} between lengths {between}"] if between else []
        nowhere += [] if between else [words]
    places += [f"nowhere of {words}" for words in nowhere]
    shown = f"{100 * number:.1f} % is what this run has {', '.join(places)} [{found.source}]"
    return Finding("number", len(nowhere) < len(METRICS), shown)


def within(model: str, metric: str, low: float, high: float, found: Result) -> Finding:
    """A range for the longest strings, which is that of the small run."""
    value = curve(found, model, metric)[-1]
    shown = f"{100 * value:.1f} % of {METRICS[metric]} at length {lengths(found)[-1]}, stated {percent([low])} to "
    return Finding(f"{metric}, here", low <= value <= high, f"{shown}{percent([high])} % of this run [{found.source}]")


@dataclass(frozen=True)
class Band:
    """Where the weight of a map lies: the places that a written letter looks at, and the least part of it there."""

    where: str
    places: Callable[[int, int], set[int]]  # of the letter's place and the number of letters
    least: float


ASKED = 0.65  # of the weight, and of the letters: the document says diagonal, without a number


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
    borne = "" if mass >= least else f"; {100 * least:.0f} % asked by this check"
    return [
        Finding("weight", mass >= least, f"{words}{borne} [{found.source}]"),
        Finding(
            "largest",
            sum(most) >= least * T,
            f"{sum(most)} of {T} letters look most {said.where}, {100 * least:.0f} % asked by this check "
            f"[{found.source}]",
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
        title=f"Reversing {WORD}",
        panels={"attention": drawn(run())},
        row_label="written",
        column_label="read",
        rows=list(reversed(WORD)),
        columns=list(WORD),
    )


METHOD = (
    f"data: random strings over four letters of lengths {', '.join(map(str, LENGTHS))}, a batch of {BATCH} of each in "
    f"turn; budget: {STEPS} steps of Adam at {RATE}, clipped to norm 1, LSTMs of width 64 on embeddings of 32, the "
    f"same for both; validated on {VALIDATED} new strings of each length, written greedily; fixed "
    "seeds; what is stated is of any run, the ranges at the longest strings of the small one; figure: "
)
CODE = (
    "regard.tasks.reversal:accuracy",
    "regard.models.architectures.recurrent:Recurrent",
    "regard.claims.small_runs:fit",
)
QUANTITIES = {
    "characters": "letters that are right, each given those that the model wrote before",
    "forced characters": "letters that are right, each given the true ones before, as in training",
    "strings": "strings that are right in every letter",
}


PLAIN = Claim(
    id="ist.3a",
    title="Reversal without attention",
    texts=Texts(
        asks="An LSTM encoder-decoder without attention learns to reverse strings over four letters. How accurate does "
        "it get?",
        derivation="All that the decoder knows of the string is the encoder's last state. A string of $n$ letters "
        "holds $2n$ bits, and a state learns to keep some of them before it keeps all: short strings come out right, "
        "long ones in their first letters, which were read last.\n\n"
        "A string of $n$ letters that are right with probability $p$ each is right as a whole about $p^n$ of the time, "
        "so that letters and strings part as $n$ grows. One number says little without length and metric: 82.1 % can "
        "be either, at some length, and the check says at which.",
        quantities=QUANTITIES,
        method=f"{METHOD}accuracy against length",
        code=CODE,
    ),
    document=Version("82.1 % (length and metric not given)", r"0.821", Accuracies("plain", number=0.821)),
    ours=Version(
        "it falls with the length, of strings below that of characters: one number needs its length and metric",
        r"n \mapsto \text{accuracy}(n)",
        Accuracies("plain", rises=False, longest={"characters": (0.4, 0.97), "strings": (0.0, 0.8)}),
    ),
    twin=Version(
        "it is higher at the longest strings than at the shortest",
        r"\text{accuracy}(n) \uparrow",
        Accuracies("plain", rises=True),
    ),
    check=accuracies,
    expected=Verdict.BORNE_OUT,
    chart=over_lengths,
)
WITH_ATTENTION = Claim(
    id="ist.3b",
    title="Reversal with attention",
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
        Accuracies("attention", number=0.999, ahead=True),
    ),
    ours=Version(
        "at every length at least that without attention, of strings below that of characters",
        r"\text{accuracy}_{\text{attention}}(n) \geq \text{accuracy}_{\text{plain}}(n)",
        Accuracies("attention", ahead=True, longest={"characters": (0.97, 1.0), "strings": (0.85, 1.0)}),
    ),
    twin=Version(
        "at some length fewer strings than without attention",
        r"\text{accuracy}_{\text{attention}}(n) < \text{accuracy}_{\text{plain}}(n)",
        Accuracies("attention", ahead=False),
    ),
    check=accuracies,
    expected=Verdict.BORNE_OUT,
    chart=over_lengths,
)
MAP = Claim(
    id="ist.3c",
    title="The map of a reversal",
    texts=Texts(
        asks="Draw the attention of the trained model for abacadabacc. Is it diagonal, in reverse order?",
        derivation="Letter $i$ of the reversal is letter $n + 1 - i$ of the string, so the map should lie on the "
        "anti-diagonal $j = n + 1 - i$.\n\n"
        "But $h_j$ is a recurrent state: it knows letter $j$, and the letters before it less and less. Letter $j$ can "
        "be looked up in $h_{j+1}$ as well, and the decoder's own state knows the first letters anyway. Nothing in the "
        "loss prefers one over the other: the weight lies at the anti-diagonal *or one place beside it*.",
        quantities={"i": "place of a written letter", "j": "place of a read letter", "n": "their number, 11"},
        method=f"{METHOD}the map. The document says diagonal and no number: this check asks for {100 * ASKED:.0f} % of "
        "the weight, and as many letters, in the stated places; an even map has 26 % within one place of the "
        "anti-diagonal",
        code=("regard.models.architectures.recurrent:Recurrent", "regard.layers.recurrent:DotProductAttention"),
    ),
    document=Version(
        "on the anti-diagonal",
        r"j = n + 1 - i",
        Band("on the anti-diagonal", lambda i, T: {T - 1 - i}, ASKED),
    ),
    ours=Version(
        "within one place of the anti-diagonal",
        r"\lvert j - (n + 1 - i) \rvert \leq 1",
        Band("within one place of the anti-diagonal", lambda i, T: {T - 2 - i, T - 1 - i, T - i}, ASKED),
    ),
    twin=Version(
        "within one place of the main diagonal",
        r"\lvert j - i \rvert \leq 1",
        Band("within one place of the main diagonal", lambda i, T: {i - 1, i, i + 1}, ASKED),
    ),
    check=band,
    expected=Verdict.BORNE_OUT,
    chart=word_drawn,
)
