"""Question 3: string reversal by LSTMs, without attention and with it, and what the attention looks at.

A run of the recipe `reversal` has numbers of the names `plain characters 11`, `attention strings 7`, `plain forced 9`
(parts of one, by model, metric and length; forced: given the true characters before), and `map 0 10` (written letter,
read letter).
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from regard.algorithms import attend, weights
from regard.attention import Attention, Content, KeyPadding
from regard.claims.chart import Lines, Matrices
from regard.claims.claim import BORNE_OUT, BUILT, Finding, Findings, View, claim
from regard.claims.experiments import Result, result
from regard.claims.findings import equals
from regard.claims.small_runs import seeded, sizes
from regard.layers import DotProductAttention
from regard.models import Recurrent, RecurrentConfig
from regard.tasks import reversal

WORD = "abacadabacc"
METRICS = {"characters": "characters", "forced": "forced characters", "strings": "strings"}
SLACK = 0.01  # by which curves may cross, of some hundred strings
EXACT = 1e-12
RUN = View("runs", "See how the reversal was trained", {"run": "reversal"})

# Low and high ends at the longest strings, by the model and whether the run is the recipe's small one.
LONGEST = {
    ("plain", False): {"characters": (0.8, 0.94), "strings": (0.2, 0.55)},
    ("plain", True): {"characters": (0.7, 0.84), "strings": (0.1, 0.32)},
    ("attention", False): {"characters": (0.995, 1.0), "strings": (0.98, 1.0)},
    ("attention", True): {"characters": (0.96, 1.0), "strings": (0.85, 1.0)},
}


def run() -> Result:
    return result("reversal")


def lengths(found: Result) -> list[int]:
    """The lengths that the run was validated at."""
    return sizes(found, "plain characters ")


def curve(found: Result, model: str, metric: str) -> list[float]:
    return [found[f"{model} {metric} {length}"] for length in lengths(found)]


def percent(*values: float) -> str:
    return ", ".join(f"{100 * value:.1f}" for value in values)


def over_lengths() -> Lines:
    """Accuracy against length, of both models by both metrics."""
    found, names = run(), {"plain": "without attention", "attention": "with attention"}
    return Lines(
        title=f"Reversal: what is right, by length [{found.source}]",
        x=lengths(found),
        y={
            f"{words}, {metric}": curve(found, model, metric)
            for model, words in names.items()
            for metric in ("characters", "strings")
        },
        x_label="length",
        y_label="part that is right",
    )


@claim("ist.3a", BORNE_OUT, document={"number": 0.821}, twin={"rises": True}, recipe="reversal", view=RUN,
       chart=over_lengths)  # fmt: skip
def without_attention(number: float | None = None, rises: bool = False) -> Findings:
    """Where the run has the document's one number; else the fall over the length, and how strings part from letters."""
    found = run()
    if number is not None:
        yield placed("plain", number, found)
        return
    letters, strings = curve(found, "plain", "characters"), curve(found, "plain", "strings")
    at = lengths(found)
    holds = all((row[-1] > row[0]) if rises else (row[-1] < row[0] - SLACK) for row in (letters, strings))
    shown = f"characters {percent(*letters)} %, strings {percent(*strings)} % at lengths {', '.join(map(str, at))}"
    yield Finding("over the length", holds, f"{shown}, stated to {'rise' if rises else 'fall'} [{found.source}]")
    alone, n = letters[-1] ** at[-1], at[-1]
    shown = f"strings of {n}: {percent(strings[-1])} % are right; were letters right independently, "
    shown += f"{percent(letters[-1])} %^{n} = {percent(alone)} %"
    yield Finding("mistakes come together", strings[-1] > alone, f"{shown} [{found.source}]")
    yield from within("plain", found)
    yield asked()


@claim("ist.3b", BORNE_OUT, document={"number": 0.999}, twin={"ahead": False}, recipe="reversal", view=RUN,
       chart=over_lengths)  # fmt: skip
def with_attention(number: float | None = None, ahead: bool = True) -> Findings:
    """Strings right with attention less those without, at every length; the document's number, or ours."""
    found = run()
    if number is not None:
        yield placed("attention", number, found)
    rows = [curve(found, model, "strings") for model in ("attention", "plain")]
    more = [a - b for a, b in zip(*rows, strict=True)]
    points, at = (", ".join(row) for row in ([f"{100 * gain:+.1f}" for gain in more], map(str, lengths(found))))
    is_ahead = min(more) >= -SLACK and more[-1] > 0.1
    shown = f"strings with attention less without, at lengths {at}: {points} points [{found.source}]"
    yield Finding("beside", is_ahead == ahead, shown)
    if number is None:
        yield from within("attention", found)
        yield asked()


def placed(model: str, number: float, found: Result) -> Finding:
    """Where each metric of this run has the number; whether one has, or characters are at least so many everywhere."""
    at, places = lengths(found), []
    for metric, words in METRICS.items():
        row = curve(found, model, metric)
        passed = next((n for n, value in enumerate(row) if value < number), len(row))
        where = "at every length" if passed in (0, len(row)) else f"between lengths {at[passed - 1]} and {at[passed]}"
        places.append(f"{words} {('below', 'pass')[passed > 0] if passed < len(row) else 'above'} it {where}")
    holds = any("between" in place for place in places) or (number > 0.99 and "above" in places[0])
    shown = f"{percent(number)} %: in this run {', '.join(places)} [{found.source}]"
    return Finding("number", holds, shown)


def within(model: str, found: Result) -> Findings:
    """Ranges for the longest strings, of a run with the recipe's own settings."""
    for metric, (low, high) in {} if found.is_changed else LONGEST[model, found.is_small].items():
        value = curve(found, model, metric)[-1]
        shown = (
            f"{percent(value)} % of {metric} at length {lengths(found)[-1]}, stated {percent(low)} to {percent(high)}"
        )
        yield Finding(f"{metric} at the longest", low <= value <= high, f"{shown} % [{found.source}]")


class Known:
    """Writes letters that are known, whatever it reads."""

    def __init__(self, letters: Tensor) -> None:
        self.logits = functional.one_hot(letters, reversal.VOCABULARY).double()

    def __call__(self, source: Tensor, target: Tensor, lengths: Any = None) -> Any:
        return SimpleNamespace(logits=self.logits)

    def reader(self, source: Tensor, lengths: Any = None) -> Any:
        columns = iter(self.logits.unbind(1))
        return SimpleNamespace(read=lambda letter: next(columns))


def asked() -> Finding:
    """What the task counts as right: Python's own reversal of each string, and of copies what agrees by chance."""
    batch = reversal.draw(500, len(WORD), torch.Generator().manual_seed(0))
    backwards = torch.tensor([row[::-1] for row in batch.source.tolist()])
    kinds = {"reverses": Known(backwards), "copies": Known(batch.source)}
    free = {name: reversal.accuracy(model, batch).characters for name, model in kinds.items()}
    forced = {name: reversal.forced_accuracy(model, batch).characters for name, model in kinds.items()}
    good = all(each["reverses"] == 1 and each["copies"] < 0.4 for each in (free, forced))
    right = (
        f"who reverses has {percent(free['reverses'])} % of characters right, who copies {percent(free['copies'])} %"
    )
    return Finding("what is asked", good, f"of 500 strings of {len(WORD)} {right}")


Lookup = Callable[[Tensor, Tensor, Tensor], Tensor]  # of W_c, the context c and the state s


@claim(
    "ist.3m",
    BUILT,
    twin={"beta": lambda C: C**-0.5, "combined": lambda W, c, s: torch.tanh(torch.cat((s, c), -1) @ W.T)},
)
def as_module(
    beta: Callable[[int], float] = lambda C: 1.0,
    combined: Lookup = lambda W, c, s: torch.tanh(torch.cat((c, s), -1) @ W.T),
) -> Findings:
    """The module against the formula, on padded rows, and inside the recurrent model."""
    C, lengths = 8, (6, 3)
    with seeded(0):
        s, h = (torch.randn(2, n, C, dtype=torch.float64) for n in (4, 6))
        layer = DotProductAttention(C, dtype=torch.float64).requires_grad_(False)
        layer.combine.weight.normal_()
    a = Attention(Content(beta=beta(C)), KeyPadding(lengths))
    context, map = attend(s[:, None], h[:, None], h[:, None], a)[:, 0], weights(s[:, None], h[:, None], a)
    dirty = h.clone()
    dirty[1, 3:] = torch.nan
    yield equals("the map", layer.weights(s, h, lengths), map, EXACT)
    yield equals("s̃ with pads in a row", layer(s, h, lengths), combined(layer.combine.weight, context, s), EXACT)
    yield equals("s̃ with NaN in the pads", layer(s, dirty, lengths), layer(s, h, lengths), 0.0)
    inputs = (s[:, :2].clone().requires_grad_(), h[:, :3].clone().requires_grad_())
    good = torch.autograd.gradcheck(layer, inputs, raise_exception=False)
    yield Finding("gradients", good, f"gradients {'agree' if good else 'disagree'} with finite differences")
    yield in_model(beta, combined)


@torch.no_grad()
def in_model(beta: Callable[[int], float], combined: Lookup) -> Finding:
    """The recurrent model's logits from its decoder's states, by the formula."""
    with seeded(0):
        config = RecurrentConfig(vocabulary=5, width=6, hidden=8)
        model, (source, target) = Recurrent(config).double().eval(), config.inputs(2, 5, target=4)
    memory, state = model.encode(source)
    s, _ = model.decode(target, state)
    heads, a = memory[:, None], Attention(Content(beta=beta(config.hidden)))
    context, logits = attend(s[:, None], heads, heads, a)[:, 0], model(source, target).logits
    assert model.attention is not None
    assert logits is not None
    stated = model.head(combined(model.attention.combine.weight, context, s))
    return equals("logits of the LSTM encoder-decoder", logits, stated, EXACT)


def word_map(found: Result) -> list[list[float]]:
    T = len(WORD)
    return [[found[f"map {i} {j}"] for j in range(T)] for i in range(T)]


def draw_map() -> Matrices:
    """The map of the word."""
    return Matrices(
        title=f"Reversing {WORD} [{run().source}]",
        panels={"attention": word_map(run())},
        row_label="written",
        column_label="read",
        rows=list(reversed(WORD)),
        columns=list(WORD),
    )


Places = Callable[[int, int], set[int]]  # that a written letter looks at, of its place and the number of letters


@claim(
    "ist.3c",
    BORNE_OUT,
    document={"places": lambda i, T: {T - 1 - i}, "where": "on the anti-diagonal"},
    twin={"places": lambda i, T: {i - 1, i, i + 1}, "where": "within one place of the main diagonal"},
    recipe="reversal",
    view=View("maps", "See the map of a trained model", {"model": "reversal/attention", "text": WORD}),
    chart=draw_map,
)
def band(
    places: Places = lambda i, T: {T - 2 - i, T - 1 - i, T - i}, where: str = "within one place of the anti-diagonal"
) -> Findings:
    """Whether most of the weight is in the stated places, and most letters look there most."""
    found = run()
    rows, T = word_map(found), len(WORD)
    mass = sum(row[j] for i, row in enumerate(rows) for j in places(i, T) & set(range(T))) / T
    even = sum(len(places(i, T) & set(range(T))) for i in range(T)) / T**2
    shown = f"{100 * mass:.1f} % of the map of {WORD} lies {where}, of an even map {100 * even:.0f} %"
    yield Finding("weight", mass > 0.5, f"{shown}{'' if mass > 0.5 else ': not most of it'} [{found.source}]")
    most = sum(row.index(max(row)) in places(i, T) for i, row in enumerate(rows))
    yield Finding("largest", most > T / 2, f"{most} of {T} letters look most {where} [{found.source}]")
