"""Formulas are polynomials in the sizes, equal to the count at any of them; what is none is refused."""

import os
import random
from collections.abc import Callable
from functools import cache
from typing import Any

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import pytest
import sympy
import torch
import transformers
from torch import Tensor, nn

from regard.analysis.cost import Formulas, cost, formulas
from regard.analysis.cost.symbolic import NotPolynomial, check_counts, preset_formulas
from regard.formulas import Polynomial
from regard.layers import MultiHead
from regard.models import PRESETS, build, vary
from tests.analysis.cost.by_hand import Call, floats, words

B, N, D, F, V, H = (Polynomial.symbol(name) for name in "BNDFVH")
Made = tuple[nn.Module, tuple[Any, ...]]


class SelfAttention(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.attention(x, x, x, need_weights=False)[0]


class Causal(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention = MultiHead(width, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.attention(x, causal=True)


def multi_head(B: int, N: int, D: int) -> Made:
    return SelfAttention(D), (floats(B, N, D),)


def causal(B: int, N: int, D: int) -> Made:
    return Causal(D), (floats(B, N, D),)


def encoder_layer(B: int, N: int, D: int, F: int) -> Made:
    return nn.TransformerEncoderLayer(D, 4, F, batch_first=True), (floats(B, N, D),)


def lstm(B: int, N: int, D: int, F: int) -> Made:
    return nn.LSTM(D, F, batch_first=True), (floats(B, N, D),)


def convolution(B: int, N: int, D: int, F: int) -> Made:
    return nn.Conv1d(D, F, 3, padding=1), (floats(B, D, N),)


def gpt2(B: int, N: int) -> Made:
    config = transformers.GPT2Config(vocab_size=31, n_positions=4096, n_embd=24, n_layer=1, n_head=4)
    return transformers.GPT2LMHeadModel(config), (words(B, N),)


PROJECTED = 8 * B * N * D * D
PAIRS = 4 * B * N * N * D
ALL: dict[str, tuple[Callable[..., Made], dict[str, int], Polynomial, Polynomial, Polynomial]] = {
    # what makes it, by what sizes must be divisible, and by hand: parameters, forward, what backward leaves out
    "multi-head": (multi_head, {"D": 4}, 4 * D * D + 4 * D, PROJECTED + PAIRS, 6 * B * N * D * D),
    # N(N + 1)/2 pairs
    "causal": (causal, {"D": 4}, 4 * D * D + 4 * D, PROJECTED + PAIRS / 2 + 2 * B * N * D, 6 * B * N * D * D),
    "encoder layer": (
        encoder_layer, {"D": 4},
        4 * D * D + 4 * D + 2 * D * F + F + D + 4 * D, PROJECTED + PAIRS + 4 * B * N * D * F, 6 * B * N * D * D,
    ),
    # four gates; no gradient to x nor to the first state
    "LSTM": (
        lstm, {},
        4 * F * (D + F + 2), 8 * B * N * F * (D + F), 8 * B * N * F * D + 8 * B * F * F,
    ),
    "convolution": (convolution, {}, 3 * D * F + F, 6 * B * N * D * F, 6 * B * N * D * F),
    "GPT-2": (
        gpt2, {},
        Polynomial.of(31 * 24 + 4096 * 24 + 12 * 24**2 + 13 * 24 + 2 * 24),
        B * N * 24 * 24 * 24 + 48 * B * N * (N + 1) + 2 * 24 * 31 * B * N, Polynomial({}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_formulas_are_those_by_hand_and_give_the_count(name: str):
    make, factors, parameters, forward, unasked = ALL[name]
    names = sorted(make.__annotations__.keys() - {"return"})
    draw = random.Random(name)
    sizes = [{s: draw.randint(2, 9) * factors.get(s, 1) for s in names} for _ in range(2)]
    found = formulas(make, factors=factors, **sizes[0])
    assert (found.parameters, found.forward, found.backward) == (parameters, forward, 2 * forward - unasked)
    assert found.sizes == sizes[0]
    module, inputs = make(**sizes[1])
    c = cost(module, *inputs, optimizer=None)
    for row in found.modules:
        counted = c[row.name]
        assert row.parameters(**sizes[1]) == counted.parameters
        assert (row.forward(**sizes[1]), row.backward(**sizes[1])) == (counted.forward.flops, counted.backward.flops)
        assert row.attention(**sizes[1]) == counted.attention


def test_sympy_reads_the_formula():
    found = formulas(multi_head, factors={"D": 4}, B=1, N=8, D=16)
    n, d = sympy.symbols("N D", positive=True)
    attention = found[""].attention.sympy().subs("B", 1)
    (crossover,) = sympy.solve(found[""].attention.sympy() - found[""].rest.sympy(), n)
    assert crossover == 2 * d  # the projections against the pairs
    assert sympy.degree(attention, n) == 2
    assert found.forward.leading("N") == PAIRS
    assert found.forward.leading("D") == PROJECTED


@cache
def of_preset(name: str) -> Formulas:
    return preset_formulas(PRESETS[name], batch=2, tokens=None if "vit" in name else 16)


FAMILIES = [
    ("gpt2", "gpt2-medium"),
    pytest.param("llama-7b", "llama-13b", marks=pytest.mark.slow),
    ("vit-base", "vit-large"),
    pytest.param("bert-base", "bert-large", marks=pytest.mark.slow),
    pytest.param("t5-small", "t5-base", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "other"), FAMILIES)
def test_the_formula_of_a_preset_holds_for_its_family(name: str, other: str):
    found = of_preset(name)
    config = vary(PRESETS[other], depth=3)
    block = config.block
    sizes = {"B": 3, "N": 20, "L": 3, "D": block.width, "H": block.num_heads, "K": block.head_width}
    sizes |= {"V": getattr(config, "vocabulary", 0), "F": block.hidden or 4 * block.width, "R": 14, "M": 1000, "P": 0}
    if "vit" not in name:
        sizes["P"] = config.positions.context
    sizes = {s: sizes[s] for s in found.sizes}
    with torch.device("meta"):
        c = cost(build(config), *config.inputs(3, None if "vit" in name else 20), optimizer=None)
    whole = found.modules[0]
    assert whole.parameters(**sizes) == c.parameters
    assert (whole.forward(**sizes), whole.backward(**sizes)) == (c.forward.flops, c.backward.flops)


def test_gpt2_as_it_is_said():
    found = of_preset("gpt2")
    L = Polynomial.symbol("L")
    attended = 2 * B * N * (N + 1) * D  # logits and mixture of N(N + 1)/2 pairs
    assert found.forward == L * (24 * B * N * D * D + attended) + 2 * B * N * D * V
    assert found.backward == 2 * found.forward
    # the words once, positions, in each layer 12·D² + 13·D, and the last norm
    P = Polynomial.symbol("P")
    assert found.parameters == V * D + P * D + L * (12 * D * D + 13 * D) + 2 * D


def test_a_model_that_takes_another_way_at_other_sizes_is_refused():
    def make(B: int, N: int) -> Made:
        twice = lambda x: x @ x.mT @ x if N > 100 else x @ x.mT  # noqa: E731
        return Call(twice), (floats(B, N, 8),)

    with pytest.raises(NotPolynomial, match=r"is not one polynomial: .*the model does something else elsewhere"):
        formulas(make, B=2, N=5)
    with pytest.raises(NotPolynomial):  # halves of odd sizes
        formulas(lambda B, N: (Call(lambda x: x[:, : N // 2] @ x.mT), (floats(B, N, 8),)), B=2, N=6)


def test_a_false_polynomial_is_caught():
    """The check that every formula goes through, on formulas that are off by one term."""
    found = formulas(multi_head, factors={"D": 4}, B=2, N=3, D=8)
    check_counts(found, multi_head, {"B": 2, "N": 5, "D": 12})
    for change in (lambda p: p + 1, lambda p: p + B * N, lambda p: 2 * p):
        wrong = type(found)(tuple(row.each(change) for row in found.modules), found.sizes)
        with pytest.raises(NotPolynomial, match=r"at \{'B': 2, 'N': 5, 'D': 12\} are \(624, "):
            check_counts(wrong, multi_head, {"B": 2, "N": 5, "D": 12})
