"""Closed forms against counts, argmax graphs against their bound, paths against layers and counters."""

import itertools
import json
import re
from dataclasses import dataclass
from typing import Any

import pytest
import sympy
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from regard.analysis import (
    argmax_bound,
    argmax_reach,
    convolution_reach,
    paths,
    random_graph,
    reach,
    reach_formula,
    widest_graph,
)
from regard.analysis.reach.argmax_graphs import count_reached
from regard.analysis.reach.composition import Stack, grow
from regard.attention import (
    Axial,
    Blocks,
    Causal,
    Dilated,
    Everything,
    GlobalTokens,
    Grid,
    Mask,
    Neighbours,
    Positions,
    SameColumn,
    SameRow,
    Sequence,
    Strided,
    Tiles,
    Window,
)

KNOWN: list[tuple[list[Mask], Positions]] = [
    ([Everything()], Sequence(7)),
    ([Causal()], Sequence(7, start=-3)),
    ([Window(2, 1)], Sequence(12)),
    ([Window(2, 1)], Sequence(2)),
    ([Window(5, 3)], Sequence(12, step=2)),
    ([Causal() & Window(3)], Sequence(12)),
    ([Window(1) | Window(0, 2) | Window(1, 1)], Sequence(12)),
    ([Dilated(3, 2, 1)], Sequence(20)),
    ([Dilated(3, 2, 1)], Sequence(20, 4, 2)),
    ([Dilated(3, 2, 2) & Strided(2) & Causal()], Sequence(30)),
    ([Strided(4)], Sequence(11)),
    ([Blocks(4, 1)], Sequence(3)),
    ([Blocks(4, 1)], Sequence(5)),
    ([Blocks(4, 6)], Sequence(13, start=-5)),
    ([Causal() & Blocks(5) & Window(2)], Sequence(13)),
    ([GlobalTokens(3)], Sequence(9)),
    ([GlobalTokens(3)], Sequence(2)),
    ([Window(2, 1) | GlobalTokens(3)], Sequence(13)),
    ([Causal() | GlobalTokens(2)], Sequence(9)),
    ([Window(2), Causal(), Window(1, 1)], Sequence(13)),
    ([Window(1, 2), Window(0), Window(3)], Sequence(13)),
    ([Neighbours(1, 2)], Grid(5, 8)),
    ([Neighbours(2, 3)], Grid(5, 8, step=(2, 3))),
    ([Tiles(2, 3, 1, 1)], Grid(5, 8, start=(1, 0))),
    ([Tiles(3, 4) & Neighbours(1, 1)], Grid(5, 8)),
    ([SameRow()], Grid(3, 4)),
    ([SameColumn()], Grid(3, 4)),
    ([SameRow(), SameColumn()], Grid(3, 4)),
    ([SameRow(), Neighbours(1, 0)], Grid(3, 4)),
    ([Axial()], Grid(3, 4)),
    ([SameColumn() | SameRow()], Grid(3, 4)),
]


@pytest.mark.parametrize(("masks", "positions"), KNOWN, ids=str)
def test_formulas_are_the_counts_at_every_output(masks: list[Mask], positions: Positions):
    for residual in (True, False):
        layers = tuple(itertools.islice(itertools.cycle(masks), 4))
        for depth, counts in enumerate(grow(Stack(layers, positions, residual)).counts(), 1):
            known = reach_formula(masks[0] if len(masks) == 1 else layers[:depth], positions, residual)
            assert known is not None
            assert [known.value(positions, i, depth) for i in range(positions.count)] == counts.tolist()
            assert known.largest(positions, depth) == int(counts.max())


def test_formulas_read_as_in_books():
    N, n = sympy.symbols("N n", integer=True, positive=True)
    i = sympy.Symbol("i", integer=True, nonnegative=True)
    window = reach_formula(Window(3, 2), Sequence(100))
    assert window is not None
    assert window.most == sympy.Min(N, 1 + n * (3 + 2))
    assert window.at == 1 + sympy.Min(3 * n, i) + sympy.Min(2 * n, N - 1 - i)
    causal, everything = reach_formula(Causal(), Sequence(100)), reach_formula(Everything(), Sequence(100))
    assert causal is not None
    assert causal.at == i + 1
    assert everything is not None
    assert everything.most == N


@dataclass(frozen=True, eq=False)
class Odd(Window):
    """A window of its own kind: what is known of windows does not hold for it."""

    def holds(self, delta: Any) -> Any:
        return delta == -self.before


@pytest.mark.parametrize(
    ("mask", "positions"),
    [
        (Odd(3), Sequence(9)),
        (Window(1) | Strided(3), Sequence(9)),
        (Window(1) | Blocks(3), Sequence(9)),
        (Blocks(2) & Blocks(3), Sequence(9)),
        (Blocks(4), Sequence(9, step=2)),
        (~Causal(), Sequence(9)),
        (GlobalTokens(2), Sequence(9, start=1)),
        (GlobalTokens(2) & Causal(), Sequence(9)),
        (Window(2), Sequence(9, start=torch.tensor([0]))),
        (Axial() & Neighbours(1, 1), Grid(3, 3)),
        (Neighbours(1, 1) | SameRow(), Grid(3, 3)),
    ],
    ids=str,
)
def test_where_no_formula_is_known_none_is_given(mask: Mask, positions: Positions):
    assert reach_formula(mask, positions) is None


def test_different_layers_without_a_formula():
    assert reach_formula([Dilated(2, 1), Dilated(3, 1)], Sequence(9)) is None
    assert reach_formula([Blocks(2), Blocks(2, 1)], Sequence(9)) is None


SIZES = [(1, 1, 3), (7, 1, 4), (30, 2, 3), (27, 2, 4), (100, 3, 3), (64, 3, 4)]


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize(("tokens", "k", "depth"), SIZES)
def test_the_widest_graph_attains_the_bound_and_no_random_one_exceeds_it(
    tokens: int, k: int, depth: int, residual: bool, tied: bool
):
    bounds = [argmax_bound(k, n, tokens, residual=residual, tied=tied) for n in range(1, depth + 1)]
    powers = [
        sum(k**m for m in range(n + 1)) if tied and residual else (k + residual) ** n for n in range(1, depth + 1)
    ]
    assert bounds == [min(tokens, power) for power in powers]
    graph: list[Any] = list(widest_graph(tokens, k, depth, residual=residual, tied=tied))
    widest = reach(graph, tokens, residual=residual, output=0)
    assert [at.here for at in widest.depths] == [at.most for at in widest.depths] == bounds
    if not (tied and residual):
        assert [at.fewest for at in widest.depths] == bounds
    random: list[Any] = list(random_graph(tokens, k, depth, tied=tied, seed=3))
    for at, bound in zip(reach(random, tokens, residual=residual).depths, bounds, strict=True):
        assert at.most <= bound
    result = argmax_reach(tokens, k, depth, residual=residual, tied=tied, draws=3)
    assert [(at.bound, at.widest) for at in result.depths] == [(bound, bound) for bound in bounds]
    assert all(at.fewest <= at.mean <= at.most <= at.bound for at in result.depths)


def test_digits_in_another_base_do_not_attain_it():
    wrong: list[Any] = list(widest_graph(100, 2, 3, residual=False))
    assert reach(wrong, 100).depths[2].most < argmax_bound(2, 3, 100)


def test_outputs_that_are_followed_are_counted_right():
    for residual in (True, False):
        graph: list[Any] = list(random_graph(40, 2, 3, seed=1))
        counts = grow(Stack(reach_layers(graph), Sequence(40), residual)).counts()[-1]
        assert torch.equal(count_reached(graph, residual=residual)[-1], counts)


def reach_layers(graph: list[Any]) -> tuple[Mask, ...]:
    from regard.analysis import Chosen

    return tuple([Chosen(index) for index in graph])


def test_random_graphs_are_seeded_and_spread():
    first, second = argmax_reach(300, 2, 6, draws=4), argmax_reach(300, 2, 6, draws=4)
    assert first == second != argmax_reach(300, 2, 6, draws=4, seed=9)
    at = first.depths[4]
    assert at.bound == 243
    assert 100 < at.mean < 200  # with so few tokens choices collide
    assert at.spread > 1
    assert json.loads(first.json())["formula"] == "Min(N, (k + 1)**n)"
    assert "formula of the bound: min(N, (k + 1)ⁿ)" in str(first)
    assert "4 graphs from seed 0, 64 outputs of each" in str(first)


@pytest.mark.parametrize(
    ("kernel", "stride", "dilation"),
    [([3, 3, 3], [1, 1, 1], [1, 1, 1]), ([3, 2, 5], [2, 1, 3], [1, 4, 2]), ([2, 2, 2], [1, 1, 1], [1, 2, 4])],
)
def test_convolutions_against_their_gradients(kernel: list[int], stride: list[int], dilation: list[int]):
    x = torch.randn(1, 1, 200).double().requires_grad_()
    y, found = x, convolution_reach(kernel, 3, stride, dilation)
    for layer in range(3):
        weight = torch.ones(1, 1, kernel[layer]).double()
        y = nn.functional.conv1d(y, weight, stride=stride[layer], dilation=dilation[layer])
        (slope,) = torch.autograd.grad(y[0, 0, y.shape[2] // 2], x, retain_graph=True)
        seen = slope[0, 0].nonzero()[:, 0]
        assert found.tokens[layer] == len(seen)
        assert found.span[layer] == int(seen[-1] - seen[0]) + 1


@pytest.mark.parametrize(("tokens", "kernel"), [(2, 3), (28, 3), (27, 3), (64, 5), (9, 2)])
def test_the_longest_path_is_the_depth_at_which_all_are_joined(tokens: int, kernel: int):
    """The first token reaches the last output after so many layers, and not one layer earlier."""
    table = paths(tokens, 16, kernel)
    dilations = [kernel**layer for layer in range(table["dilated convolution"].path)]
    window = Window(kernel - 1)
    stacks: dict[str, list[Mask]] = {
        "attention": [Causal()],
        "window": [window] * table["window"].path,
        "convolution": [window] * table["convolution"].path,
        "dilated convolution": [Dilated(dilation, kernel - 1) for dilation in dilations],
    }
    for name, masks in stacks.items():
        seen = grow(Stack(tuple(masks), Sequence(tokens))).follow(tokens - 1)
        assert [bool(reached[0]) for reached in seen] == [False] * (table[name].path - 1) + [True]
    assert (table["recurrence"].path, table["recurrence"].steps) == (tokens, tokens)


def test_dilated_taps_to_both_sides_may_never_join_the_ends():
    """80 back is 81 back and 1 ahead: the one leaves the sequence before the first token, the other after the last."""
    for dilations in ([1, 3, 9, 27, 81], [81, 27, 9, 3, 1]):
        masks: list[Any] = [Dilated(dilation, 1, 1) for dilation in dilations]
        assert convolution_reach(3, 5, dilation=dilations).tokens[-1] == 243 > 2 * 81
        assert not reach(masks, 81, output=80).reached[-1, 0]


def test_flops_of_layers_are_those_counted():
    N, D, K = 12, 8, 3
    table = paths(N, D, K)
    x = torch.randn(1, N, D)
    linear = nn.ModuleList([nn.Linear(D, D, bias=False) for _ in range(4)])
    with FlopCounterMode(display=False) as attention:
        q, k, v = (linear[n](x) for n in range(3))
        linear[3]((q @ k.mT).softmax(-1) @ v)
    with FlopCounterMode(display=False) as convolution:
        nn.functional.conv1d(nn.functional.pad(x.mT, (K - 1, 0)), torch.randn(D, D, K))
    recur, state = nn.ModuleList([nn.Linear(D, D) for _ in range(2)]), torch.zeros(1, D)
    with FlopCounterMode(display=False) as recurrence:
        for token in range(N):
            state = (recur[0](x[:, token]) + recur[1](state)).tanh()
    counted = {"attention": attention, "convolution": convolution, "recurrence": recurrence}
    assert {name: table[name].flops for name in counted} == {n: c.get_total_flops() for n, c in counted.items()}
    assert table["window"].flops == table["attention"].flops - 4 * N * N * D + 4 * N * K * D
    symbols = paths()
    sizes = dict(zip(sympy.symbols("N D K", positive=True, integer=True), (N, D, K), strict=True))
    for name in counted:
        assert symbols[name].flops.subs(sizes) == table[name].flops


def test_the_table_of_paths():
    made = json.loads(paths(4096, 512, 3).json())
    assert [row["path"] for row in made["ways"]] == [1, 2048, 2048, 8, 4096]
    assert [row["steps"] for row in made["ways"]] == [1, 1, 1, 1, 4096]
    assert json.loads(paths().json())["ways"][2]["path"] == "ceiling((N - 1)/(K - 1))"
    printed = str(paths(4096, 512, 3))
    assert "N=4096 tokens, width D=512, K=3 keys or taps; all layers look back" in printed
    assert re.search(r"recurrence +4,294,967,296 +4,096 +4,096 +4,294,967,296", printed)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: argmax_reach(9, 0, 2), "k must be from 1 to 1,048,576: got k=0; use 12"),
        (lambda: argmax_reach(0, 2, 2), "tokens must be from 1 to 1,048,576: got tokens=0"),
        (lambda: argmax_reach(9, 2, 0), "depth must be from 1 to 1,024: got depth=0"),
        (lambda: argmax_reach(9, 2, 2, draws=0), "draws must be a whole number from 1 to below 2^62: got draws=0"),
        (lambda: widest_graph(1 << 19, 4, 2), "at most 1,048,576 choices: got 4 · 524,288; use fewer tokens"),
        (lambda: convolution_reach(3, 0), "depth must be a whole number from 1 to below 2^62: got depth=0"),
        (lambda: convolution_reach([3, 3], 3), "kernel must be a number from 1 for each of 3 layers: got [3, 3]; use"),
        (lambda: convolution_reach(3, 2, dilation=0), "dilation must be a number from 1 for each of 2 layers: got 0"),
        (lambda: paths(1), "tokens must be at least 2: got tokens=1; use 3"),
        (lambda: paths(9, 8, 1), "kernel must be at least 2: got kernel=1; use 3"),
        (lambda: paths()["lstm"], "a way must be one of attention, window, convolution, dilated convolution, rec"),
    ],
)
def test_bad_input(call, message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
