"""Question 4: the Transformer beside recurrent models: cost, weights, longer inputs, long range."""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from regard.analysis import cost, paths
from regard.attention import Elu, Kernel, Window
from regard.claims.chart import Lines
from regard.claims.claim import BORNE_OUT, CORRECTED, HOLDS, REFUTED, Finding, Findings, View, claim
from regard.claims.findings import Count, agrees, processor_seconds
from regard.claims.ist.reversal import asked, curve, lengths, percent, run
from regard.claims.nyu.chains import longest_path, steps
from regard.claims.small_runs import seeded
from regard.layers import MultiHead
from regard.training import limit_threads

RECURRENT = {"LSTM": nn.LSTM, "GRU": nn.GRU, "RNN": nn.RNN}
COUNTS: dict[str, Count] = {
    "attention": lambda n, d: 4 * n * d * d + 2 * n * n * d,
    "LSTM": lambda n, d: 8 * n * d * d,
    "GRU": lambda n, d: 6 * n * d * d,
    "RNN": lambda n, d: 2 * n * d * d,
}
EQUAL_AT: dict[str, Count] = {"LSTM": lambda d: 2 * d, "GRU": lambda d: d, "RNN": lambda d: 0}
SIZES = [{"n": 8, "d": 4}, {"n": 3, "d": 16}]


def build(kind: str, d: int) -> tuple[nn.Module, dict[str, Any]]:
    """A layer without contents, and what it is called with."""
    if kind in RECURRENT:
        return RECURRENT[kind](d, d, batch_first=True, device="meta"), {}
    weighting = Kernel(Elu()) if kind == "linear attention" else None
    how = {"mask": Window(before=7)} if kind == "a window of 8 keys" else {}
    return MultiHead(d, 1, weighting=weighting, device="meta"), how


@functools.cache
def count_products(kind: str, n: int, d: int = 16) -> int:
    """Multiply-adds of a built layer for n tokens of width d."""
    layer, how = build(kind, d)
    return int(cost(layer, torch.empty(1, n, d, device="meta"), backward=False, **how).forward.flops) // 2


def exponent(counted: Callable[[int], int], sizes: Sequence[int]) -> float:
    """By which power a count grows from the smaller to the larger size."""
    small, large = sizes
    return math.log(counted(large) / counted(small)) / math.log(large / small)


def draw_products() -> Lines:
    d, sizes = 16, [4, 8, 16, 32, 64]
    return Lines(
        title=f"Multiply-adds of one layer at width d = {d}",
        x=sizes,
        y={kind: [float(count_products(kind, n, d)) for n in sizes] for kind in COUNTS},
        x_label="tokens n",
        y_label="multiply-adds",
        log_x=True,
        log_y=True,
        marks={"n = d: as a GRU": d, "n = 2d: as an LSTM": 2 * d},
    )


@claim(
    "nyu.4a",
    CORRECTED,
    document={"powers": (2, 0), "products": {}, "equal_at": {}},
    twin={"products": {}, "equal_at": {"LSTM": lambda d: d}},
    chart=draw_products,
    view=View("patterns", "See what it costs as inputs grow", {"mask": "everything", "width": 16, "heads": 1}),
)
def beside_recurrence(
    powers: tuple[int, int] = (2, 1),  # of n and of d in what grows fastest with n
    in_turn: int = 1,
    path: int = 1,
    products: Mapping[str, Count] = COUNTS,
    equal_at: Mapping[str, Count] = EQUAL_AT,  # the n up to which attention is the cheaper one
) -> Findings:
    """Exponents, steps and paths; counts where they are stated, and both sides of each crossover; time."""
    N, d, far = 24, 4, (2**16, 2**18)  # so far out that the pairs alone decide
    in_n = exponent(lambda n: count_products("attention", n, d), far)
    shown = f"the cost of attention grows as n^{in_n:.3f}, stated n^{powers[0]}"
    yield Finding("growth with n", abs(in_n - powers[0]) < 0.01, shown)
    table = paths(N, d, 3)
    turns, ways = ([found(way, N, d, 3) for way in ("attention", "recurrence")] for found in (steps, longest_path))
    same = all(table[way].steps == n for way, n in zip(("attention", "recurrence"), turns, strict=True))
    shown = f"{N} tokens take attention {turns[0]} step in turn, a recurrence {turns[1]}"
    yield Finding("steps in turn", turns[0] == in_turn and same, shown)
    same = all(table[way].path == n for way, n in zip(("attention", "recurrence"), ways, strict=True))
    shown = f"the first of {N} tokens reaches the last output by {ways[0]} layer of attention, by {ways[1]} cells of a "
    yield Finding("longest path", ways[0] == path and same, f"{shown}recurrence")
    in_d = exponent(lambda d: count_products("attention", far[1], d), (2, 8))
    shown = f"at n = {far[1]:,} the cost also grows as d^{in_d:.3f}: O(n²d); stated d^{powers[1]}"
    yield Finding("growth with d", abs(in_d - powers[1]) < 0.01, shown, detail=True)
    for kind, formula in products.items():
        yield agrees(f"multiply-adds of {kind}", formula, functools.partial(count_products, kind), SIZES)
    for kind, at in equal_at.items():
        yield crossover(kind, at(d=d), d)
    yield compare_times()


def crossover(kind: str, n: int, d: int) -> Finding:
    """Whether attention is cheaper below the stated n, equal there, and dearer above."""
    gaps = {m: count_products("attention", m, d) - count_products(kind, m, d) for m in (n - 1, n, n + 1) if m > 0}
    signs = {m: (gap > 0) - (gap < 0) for m, gap in gaps.items()}
    words = ", ".join(f"{('equal', 'dearer', 'cheaper')[sign]} at n = {m}" for m, sign in signs.items())
    holds = all(sign == (m > n) - (m < n) for m, sign in signs.items())
    return Finding(f"crossover with {kind}", holds, f"attention beside {kind} at d = {d}: {words}")


@functools.cache
def compare_times() -> Finding:
    """Steps in turn take time: a plain recurrence with a fraction of the products is the slower one."""
    n, d = 512, 16
    with seeded(40), torch.inference_mode(), limit_threads(1):
        x = torch.randn(1, n, d)
        attention, recurrence = MultiHead(d, 1), nn.RNN(d, d, batch_first=True)
        fast, slow = processor_seconds(lambda: attention(x)), processor_seconds(lambda: recurrence(x))
    fewer = count_products("attention", n, d) / count_products("RNN", n, d)
    shown = f"n = {n}, d = {d}: an RNN has {fewer:.0f} times fewer multiply-adds and takes "
    shown += f"{'longer' if slow > fast else 'less time'}: its steps wait for each other"
    return Finding("measured time", slow > fast, shown)


@claim(
    "nyu.4ad",
    HOLDS,
    twin={"adaptive": ("attention", "convolution")},
    view=View("maps", "See weights adapt to your own text", {"model": "language"}),
)
def adapts(adaptive: Sequence[str] = ("attention",)) -> Findings:
    """How what a layer mixes tokens by differs between two inputs, and its Jacobian."""
    with seeded(41):
        attention, conv = MultiHead(3, 1, dtype=torch.float64), nn.Conv1d(3, 3, 3, padding=1, dtype=torch.float64)
        x, y = torch.randn(2, 1, 4, 3, dtype=torch.float64)

    def mix(name: str, x: Tensor) -> Tensor:
        if name == "attention":
            return attention.weights(x)
        return differentiate(lambda x: conv(x.mT).mT, x, create_graph=True)

    for name in ("attention", "convolution"):
        moved = (mix(name, x) - mix(name, y)).abs().max().item()
        size = differentiate(functools.partial(mix, name), x).norm().item()
        holds = (name in adaptive) == (moved > 1e-3 and size > 1e-3) and (moved > 1e-3) == (size > 0)
        shown = f"{name}: its mixing differs by {moved:.2g} between two inputs, its Jacobian has norm {size:.2g}"
        yield Finding(name, holds, shown)
    with torch.no_grad():
        gap = (attention(x) - attention.out(attention.weights(x)[0] @ attention.value(x))).abs().max().item()
    yield Finding("the map mixes", gap < 1e-13, f"the output is W_O of the map times the values, to {gap:.0e}")


def differentiate(function: Callable[[Tensor], Tensor], x: Tensor, create_graph: bool = False) -> Tensor:
    jacobian = torch.autograd.functional.jacobian(function, x, create_graph=create_graph)
    assert isinstance(jacobian, Tensor)
    return jacobian


# The lengths between which each is compared: the pairs of attention must be most of its cost.
LONG = {"attention": (2**14, 2**16), "a window of 8 keys": (2**9, 2**11), "linear attention": (2**9, 2**11)}


@functools.cache
def slowdown(n: int, times: int) -> float:
    """How much longer a layer takes for so many times the tokens, measured."""
    with seeded(44), torch.inference_mode(), limit_threads(1):
        layer, few, many = MultiHead(16, 1), torch.randn(1, n, 16), torch.randn(1, times * n, 16)
        return processor_seconds(lambda: layer(many), 3) / processor_seconds(lambda: layer(few))


def draw_growth() -> Lines:
    sizes = [64, 256, 1024, 4096]
    return Lines(
        title="Multiply-adds of a layer at width 16, relative to 64 tokens",
        x=sizes,
        y={name: [count_products(name, n) / count_products(name, sizes[0]) for n in sizes] for name in LONG},
        x_label="tokens n",
        y_label="times those at 64",
        log_x=True,
        log_y=True,
    )


@claim(
    "nyu.4b",
    REFUTED,
    document={"powers": {"attention": 1}},
    twin={"powers": {"attention": 2, "a window of 8 keys": 2}},
    chart=draw_growth,
    view=View("patterns", "See the cost of a window as inputs grow", {"mask": "window(7)", "width": 16, "heads": 1}),
)
def longer(powers: Mapping[str, int] = dict.fromkeys(LONG, 1) | {"attention": 2}) -> Findings:
    """By which power of n the cost of each mechanism grows at long inputs, counted; and measured."""
    for name, said in powers.items():
        found = exponent(functools.partial(count_products, name), LONG[name])
        ratio = count_products(name, LONG[name][1]) / count_products(name, LONG[name][0])
        shown = f"{name}: 4 times the tokens cost {ratio:.1f} times as much, n^{found:.2f}, stated n^{said}"
        yield Finding(name, abs(found - said) < 0.02, shown)
    slower = slowdown(2048, 4) > 6  # a cost that grows as n takes 4 times as long, as n² 16 times; some of it is fixed
    shown = f"measured: 4 times the tokens take {'more' if slower else 'less'} than 6 times as long"
    yield Finding("measured time", slower == (powers["attention"] > 1), shown)


KINDS = {"attention": "with attention", "plain": "without"}
Range = tuple[float, float]


def draw_lengths() -> Lines:
    """Letters given the true ones before them, and strings written freely, against the length."""
    found = run()
    return Lines(
        title=f"Reversal by an LSTM encoder-decoder [{found.source}]",
        x=lengths(found),
        y={
            f"{words}, {name}": curve(found, kind, metric)
            for metric, words in (("forced", "letters"), ("strings", "strings"))
            for kind, name in KINDS.items()
        },
        x_label="length of the string",
        y_label="right",
    )


@claim(
    "nyu.4lr",
    BORNE_OUT,
    document={"attention": None},
    twin={"plain": (-0.03, 0.03)},
    recipe="reversal",
    view=View("runs", "See how the reversal was trained", {"run": "reversal"}),
    chart=draw_lengths,
)
def fall(plain: Range = (0.05, 1.0), attention: Range | None = (-0.02, 0.02)) -> Findings:
    """The part of letters that is lost from the shortest strings to the longest; whole strings; what is asked."""
    found = run()
    at, rows = lengths(found), {kind: curve(found, kind, "forced") for kind in KINDS}
    lost = {kind: row[0] - row[-1] for kind, row in rows.items()}
    for kind, said in (("plain", plain), ("attention", attention)):
        if said is None or found.is_changed:  # of other settings only that more is lost without
            continue
        shown = f"LSTM {KINDS[kind]}: {percent(*rows[kind])} % of letters at lengths {', '.join(map(str, at))}"
        shown += f", {percent(lost[kind])} points lost [{found.source}]"
        yield Finding(kind, said[0] <= lost[kind] <= said[1], shown)
    more = lost["plain"] - lost["attention"]
    yield Finding("without", more > 0, f"without attention {percent(more)} points more are lost [{found.source}]")
    a, b = (curve(found, kind, "strings")[-1] for kind in KINDS)
    shown = f"whole strings of {at[-1]} written freely: {percent(a)} % with attention, {percent(b)} % without"
    yield Finding("strings", a > b, f"{shown} [{found.source}]")
    if attention is not None:
        yield asked()
