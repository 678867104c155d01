"""Crossovers are exact: their expressions, and the FLOPs on both sides of them."""

import json
import re
from functools import cache
from typing import Any

import pytest
import sympy
import torch
from torch import nn

from regard.analysis.cost.polynomials import Formulas, ModuleFormulas, crossing, crossovers
from regard.analysis.cost.symbolic import formulas, preset_formulas
from regard.formulas import Polynomial, dominant, order
from regard.layers import MultiHead
from regard.models import PRESETS

B, N, D, R, T, S = map(Polynomial.symbol, "BNDRTS")
NONE = Polynomial({})


def x(*shape: int) -> torch.Tensor:
    return torch.empty(*shape, device="meta")


def exact(text: str) -> Any:
    """An expression in positive symbols, which is what the formulas have."""
    return sympy.parse_expr(text, {name: sympy.Symbol(name, positive=True) for name in "BDFHLMNRSTV"})


class CausalEncoder(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(width, 8, 4 * width, batch_first=True)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1], device=tokens.device)
        return self.layer(tokens, mask, is_causal=True)


MAKERS = {
    "attention": lambda B, N, D: (nn.MultiheadAttention(D, 8, batch_first=True), (x(B, N, D),) * 3),
    "encoder": lambda B, N, D: (nn.TransformerEncoderLayer(D, 8, 4 * D, batch_first=True), (x(B, N, D),)),
    "causal encoder": lambda B, N, D: (CausalEncoder(D), (x(B, N, D),)),
    "causal heads": lambda B, N, D: (MultiHead(D, 8), (x(B, N, D),), {"causal": True}),
}


@cache
def found(kind: str) -> Formulas:
    if kind == "gpt2":
        return preset_formulas(PRESETS["gpt2"], tokens=1024)
    return formulas(MAKERS[kind], factors={"D": 8}, B=1, N=16, D=64)


def written_by_hand(attention: Polynomial, rest: Polynomial, **sizes: int) -> Formulas:
    return Formulas((ModuleFormulas("", "Layer", NONE, attention + rest, NONE, attention),), sizes)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("attention", [("", "MultiheadAttention", "2*D")]),
        ("encoder", [("self_attn", "MultiheadAttention", "2*D"), ("", "TransformerEncoderLayer", "6*D")]),
        (
            "causal encoder",
            [
                ("layer.self_attn", "MultiheadAttention", "4*D - 1"),
                ("layer", "TransformerEncoderLayer", "12*D - 1"),
            ],
        ),
        ("causal heads", [("", "MultiHead", "4*D - 1")]),
        (
            "gpt2",
            [
                ("stack.blocks.0.attention", "MultiHead", "4*D - 1"),
                ("stack.blocks.0", "Block", "12*D - 1"),
                ("", "Decoder", "12*D - 1 + V/L"),
            ],
        ),
    ],
)
def test_attention_overtakes_the_rest_where_the_formula_says(kind: str, expected: list[tuple[str, str, str]]):
    rows = crossovers(found(kind))
    assert [(row.module, row.kind, row.at) for row in rows] == [(m, k, exact(at)) for m, k, at in expected]
    for row in rows:
        module, sizes = found(kind)[row.module], found(kind).sizes
        assert row.value is not None
        assert row.value == pytest.approx(float(row.at.subs({exact(name): size for name, size in sizes.items()})))
        below, above = ({**sizes, "N": int(row.value) + step} for step in (-1, 1))
        assert module.attention(**below) < module.rest(**below)
        assert module.attention(**above) > module.rest(**above)


def test_modules_that_cross_alike_are_one():
    (_, block, _) = crossovers(found("gpt2"))
    assert block.alike == ("stack", "stack.blocks")
    assert str(block) == "Block stack.blocks.0: attention costs more beyond N* = 12·D − 1 = 9,215"
    told = json.loads(block.json())
    assert (told["at"], told["value"], told["beyond"]) == ("12*D - 1", 9215, 1)


def test_cross_attention_and_images():
    """D = TS/(T + S) for cross-attention; on an image of R × R patches and a class token the root of R² is taken."""
    cross = written_by_hand(4 * B * D * S * T, 4 * B * D * D * (S + T), B=1, T=16, S=48, D=64)
    (row,) = crossovers(cross, "D")
    assert (row.at, row.value, row.beyond) == (exact("S*T/(S + T)"), 12, -1)
    assert str(row) == "Layer: the rest costs more beyond D* = S·T/(S + T) = 12"
    tokens = R * R + 1
    image = written_by_hand(4 * B * D * tokens * tokens, 24 * B * D * D * tokens, B=1, R=14, D=768)
    (row,) = crossovers(image, "R")
    assert row.at == exact("sqrt(6*D - 1)")
    assert str(row) == "Layer: attention costs more beyond R* = √(6·D − 1) ≈ 67.9"


def test_no_crossover_where_there_is_none():
    """Linear attention grows as its projections do, both grow alike with the batch, and no size is below 1."""
    linear = written_by_hand(4 * B * N * D * D / 8, 8 * B * N * D * D, B=1, N=16, D=64)
    (row,) = crossovers(linear)
    assert (row.at, row.value) == (None, None)
    assert str(row) == "Layer: the rest costs more at every N"
    assert [row.value for row in crossovers(found("encoder"), "B")] == [None]
    assert crossing(4 * N, Polynomial.of(1), "N").value is None
    same = written_by_hand(N, N, N=3)
    assert str(crossovers(same)[0]) == "Layer: attention and the rest cost the same at every N"
    assert crossovers(written_by_hand(4 * N * N, NONE, N=3)) == ()  # nothing stands around it


def test_of_several_roots_the_last_counts_and_one_without_a_formula_has_a_value():
    """(N − 2)(N − 7) = 0; and N³ = N + D, whose root is no nested square root."""
    twice = crossing(N * N + 14, 9 * N, "N")
    assert (twice.at, twice.value, twice.beyond) == (sympy.Integer(7), 7, 1)
    cubic = crossing(N * N * N, N + D, "N", D=6)
    assert (cubic.at, cubic.value) == (None, 2)
    assert str(crossing(N * N * N, N + D, "N", D=7)) == "N* ≈ 2.09"


def test_recurrent_layers_against_attention():
    """Attention is cheaper than an LSTM for n < 2d, than a GRU for n < d, and never than a plain recurrent layer."""
    attention = 8 * N * D * D + 4 * N * N * D
    found = [crossing(attention, gates * 4 * N * D * D, "N", D=64) for gates in (4, 3, 1)]
    assert [place.at for place in found] == [exact("2*D"), exact("D"), None]
    assert [place.beyond for place in found] == [1, 1, 1]


def test_what_leads_as_a_size_grows():
    forward = found("gpt2").forward
    assert order(forward) == "Θ(B·D·L·N² + B·D²·L·N + B·D·N·V)"
    leading = {symbol: dominant(forward, symbol) for symbol in "NDL"}
    assert (str(leading["N"].terms), leading["N"].order) == ("2·B·D·L·N²", "Θ(B·D·L·N²)")
    assert (str(leading["D"].terms), leading["D"].order) == ("24·B·D²·L·N", "Θ(B·D²·L·N)")
    assert leading["L"].order == "Θ(B·D·L·N² + B·D²·L·N)"


def test_order_keeps_what_no_other_term_bounds():
    assert order(4 * D * D * T + 4 * D * D * S + 4 * D * S * T) == "Θ(D·S·T + D²·S + D²·T)"
    assert order(N * N / 2 + N / 2 + 100) == "Θ(N²)"
    assert order(Polynomial.of(3)) == "Θ(1)"
    window = N * T - T * T / 2  # T ≤ N keys are seen
    assert (dominant(window, "N").order, dominant(window, "T").order) == ("Θ(N·T)", "Θ(N·T)")


def test_bad_input():
    with pytest.raises(ValueError, match=re.escape("a size of these formulas: got 'R'; use one of B, N, D")):
        crossovers(found("encoder"), "R")
    with pytest.raises(KeyError, match="no module 'head'"):
        found("encoder")["head"]
    with pytest.raises(ValueError, match="sizes must tell every symbol but N: got none for D"):
        crossing(N * D, 2 * D * D, "N", N=3)
