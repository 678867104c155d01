"""Figures of cost are read back: their parts add up to the total, and what they say is text."""

import io
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure
from torch import nn

from regard.analysis.cost.figures import MAX_PARTS, cost_figure, cost_figure_of_counts, split_cost
from regard.analysis.cost.polynomials import Formulas, ModuleFormulas
from regard.analysis.cost.symbolic import count_at, formulas
from regard.formulas import Polynomial

NONE = Polynomial({})


def encoder(B: int, N: int, D: int) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    first = nn.TransformerEncoderLayer(D, 8, 4 * D, batch_first=True)
    second = nn.TransformerEncoderLayer(D, 8, 4 * D, batch_first=True)
    return nn.Sequential(nn.Linear(D, D), first, second, nn.Linear(D, 10)), (torch.empty(B, N, D, device="meta"),)


@cache
def of_encoder() -> Formulas:
    return formulas(encoder, factors={"D": 8}, B=1, N=16, D=64)


def of_rows(rows: Mapping[str, tuple[Polynomial | int, Polynomial | int]]) -> Formulas:
    """Formulas of modules that have these forward FLOPs, and of them those of attention."""
    of = Polynomial.of
    return Formulas(
        tuple([ModuleFormulas(name, "Part", NONE, of(a), NONE, of(b)) for name, (a, b) in rows.items()]), {}
    )


def words(figure: Figure) -> list[str]:
    """Every text of the figure's SVG."""
    file = io.StringIO()
    figure.savefig(file, format="svg")
    root = ElementTree.fromstring(file.getvalue())
    return ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]


def curves(figure: Figure) -> dict[str, list[tuple[float, float]]]:
    lines = {str(line.get_label()): line.get_xydata() for line in figure.axes[0].lines}
    return {name: [(x, y) for x, y in np.asarray(points)] for name, points in lines.items() if name[0] != "_"}


def test_parts_of_any_module_in_formulas_and_in_numbers():
    found = split_cost(of_encoder())
    assert {name: str(part) for name, part in found.items()} == {
        "attention": "8·B·D·N²",
        "projections": "16·B·D²·N",
        "linear1 + linear2": "32·B·D²·N",
        "Linear": "2·B·D²·N + 20·B·D·N",
    }
    numbers = split_cost(count_at(encoder, B=2, N=24, D=64))
    assert numbers == {name: part(B=2, N=24, D=64) for name, part in found.items()}


def test_the_first_block_of_a_preset_stands_for_all_layers():
    """GPT-2's rows, with N = D = 1: the tied head, worth V, has no module."""
    L, V = Polynomial.symbol("L"), Polynomial.symbol("V")
    rows = {"": (28 * L + V, 4 * L), "stack": (28 * L, 4 * L), "stack.blocks": (28 * L, 4 * L)}
    rows |= {"stack.blocks.0": (28, 4), "stack.blocks.0.attention": (12, 4), "stack.blocks.0.attention.query": (2, 0)}
    rows |= {"stack.blocks.0.feed_forward": (16, 0)}
    assert split_cost(of_rows(rows)) == {
        "attention": 4 * L,
        "projections": 8 * L,
        "feed forward": 16 * L,
        "Part itself": V,
    }


def test_what_an_attention_module_wraps_is_its_projections():
    """BERT's names: attention.self mixes, attention.output projects, and neither is the feed-forward."""
    sizes = {"": (90, 10), "attention": (50, 10), "attention.self": (40, 10), "attention.output": (10, 0)}
    sizes |= {"intermediate": (20, 0), "output": (20, 0)}
    assert split_cost(of_rows(sizes)) == {"attention": 10, "projections": 40, "intermediate + output": 40}


def test_the_figure_marks_crossovers_and_the_size():
    figure = cost_figure(replace(of_encoder(), sizes={"B": 1, "N": 16, "D": 128}), title="two layers")
    said = words(figure)
    assert "MultiheadAttention: N* = 2·D = 256" in said
    assert "TransformerEncoderLayer: N* = 6·D = 768" in said
    assert "two layers: forward FLOPs" in said
    assert "B = 1 · D = 128" in said
    assert any(re.fullmatch(r"N = 16: [\d.]+ MFLOP", text) for text in said)
    drawn = curves(figure)
    assert list(drawn) == ["total", "attention", "projections", "linear1 + linear2", "Linear"]
    size, flops = drawn["total"][50]
    assert flops == pytest.approx(sum(points[50][1] for name, points in drawn.items() if name != "total"))
    assert flops == pytest.approx(float(of_encoder().forward(B=1, N=size, D=128)))  # pyright: ignore[reportArgumentType]
    dotted = [np.asarray(line.get_xdata())[0] for line in figure.axes[0].lines if line.get_linestyle() == ":"]
    assert dotted[:2] == [256, 768]
    low, high = figure.axes[0].get_xlim()
    assert low == 2
    assert high > 8 * 768


def test_counts_are_joined():
    figure = cost_figure_of_counts({n: count_at(encoder, B=1, N=n, D=64) for n in (8, 32)}, title="counted")
    assert "counted: forward FLOPs" in words(figure)
    drawn = curves(figure)
    assert drawn["attention"] == [(8, 8 * 64 * 8**2), (32, 8 * 64 * 32**2)]
    assert drawn["total"][1][1] == count_at(encoder, B=1, N=32, D=64).forward.flops


def test_many_parts_are_few_curves():
    N = Polynomial.symbol("N")
    rows = [ModuleFormulas("", "Model", NONE, sum(range(1, 12)) * N, NONE, NONE)]
    rows += [ModuleFormulas(f"part_{n}", "Linear", NONE, n * N, NONE, NONE) for n in range(1, 12)]
    drawn = curves(cost_figure(Formulas(tuple(rows), {"N": 4})))
    assert len(drawn) == 1 + MAX_PARTS
    size, flops = drawn["others"][0]
    assert flops == pytest.approx(sum(range(1, 12 - MAX_PARTS + 1)) * size)


def test_bad_input():
    with pytest.raises(ValueError, match="got 'R'; use one of B, N, D"):
        cost_figure(of_encoder(), "R")
    with pytest.raises(ValueError, match="counts must be at two sizes or more: got 0"):
        cost_figure_of_counts({})
