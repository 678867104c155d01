"""Mixing, projecting and adding up in another order gives the same sum, and the same gradients."""

import importlib

import pytest
import torch

from regard import attend
from regard.algorithms import attend_projected
from regard.algorithms.planning import kept
from regard.attention import Attention, Everything, Grid, Mask, Neighbours, Quadratic, RelativeTable, Term

B, H, C, OUT = 3, 5, 6, 4

# Sums of a few hundred numbers of size 1, in float64.
CLOSE = {"rtol": 0, "atol": 1e-11}


def terms(kind: str) -> Term:
    centre = 2 * torch.randn(H, 2, dtype=torch.float64)
    precision = {"isotropic": (H,), "diagonal": (H, 2)}.get(kind)
    if precision:
        return Quadratic(centre.requires_grad_(), (0.1 + torch.rand(precision, dtype=torch.float64)).requires_grad_())
    if kind == "full":
        root = torch.randn(H, 2, 2, dtype=torch.float64)
        matrix = root @ root.mT + 0.1 * torch.eye(2, dtype=torch.float64)
        return Quadratic(centre.requires_grad_(), matrix.requires_grad_())
    tables = [torch.randn(H, 21, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    return RelativeTable(tables[0], axis=0) + RelativeTable(tables[1], axis=1)


module = importlib.import_module("regard.algorithms.attend_projected")  # of the package it is the function


def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """By axes, whatever the sizes."""
    kept.forget()
    monkeypatch.setattr(module, "_is_cheaper", lambda *_: True)


ORDERS = [(kind, order) for kind in ("isotropic", "diagonal", "tables") for order in ("chosen", "by axes")]


@pytest.mark.parametrize(("kind", "order"), [*ORDERS, ("full", "chosen")])  # full couples rows and columns
@pytest.mark.parametrize("queries", [None, Grid(4, 6, start=(1, -2)), Grid(2, 2, step=(2, 3))], ids=repr)
@pytest.mark.parametrize("mask", [Everything(), Neighbours(1, 2)], ids=repr)
def test_it_is_the_projection_of_the_heads(
    kind: str, queries: Grid | None, mask: Mask, order: str, monkeypatch: pytest.MonkeyPatch
):
    if order == "by axes":
        always(monkeypatch)
    x = torch.randn(B, 24, C, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(OUT, H * C, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(OUT, dtype=torch.float64, requires_grad=True)
    attention = Attention(terms(kind), mask, None, queries, Grid(4, 6))
    heads = attend(None, None, x[:, None], attention, algorithm="reference")
    wanted = torch.nn.functional.linear(heads.transpose(1, 2).flatten(2), weight, bias)
    got = attend_projected(x, attention, weight, bias)
    torch.testing.assert_close(got, wanted, **CLOSE)
    leaves = [x, weight, bias, *attention.flatten()[1]]
    grad = torch.randn_like(wanted)
    for ours, theirs in zip(
        torch.autograd.grad(got, leaves, grad), torch.autograd.grad(wanted, leaves, grad), strict=True
    ):
        torch.testing.assert_close(ours, theirs, **CLOSE)


def test_a_value_that_nobody_sees_reaches_nothing(monkeypatch: pytest.MonkeyPatch):
    always(monkeypatch)
    x = torch.randn(1, 25, C)
    x[:, 24] = torch.nan  # a corner that no kept pixel has for a neighbour
    attention = Attention(
        Quadratic(torch.zeros(H, 2), torch.ones(H)), Neighbours(1, 1), None, Grid(2, 2, step=(2, 2)), Grid(5, 5)
    )
    assert attend_projected(x, attention, torch.randn(OUT, H * C)).isfinite().all()


def test_the_choice_follows_the_sizes():
    """A wide layer on a large grid goes by axes; sixteen pixels do not, nor anything that the kernel takes."""

    def by_axes(side: int, rows: int, device: str, dtype: torch.dtype) -> bool:
        x = torch.empty(rows, 1, side * side, 400, device="meta", dtype=dtype)
        attention = Attention(Quadratic(torch.zeros(9, 2), torch.ones(9)), keys=Grid(side, side))
        q, k = module.without_content(None, None, x, attention)
        return module._is_cheaper(module.pose(q, k, x, attention, device=device), 400)

    assert by_axes(64, 8, "cpu", torch.float32)
    assert by_axes(128, 2, "h200", torch.float32)
    assert not by_axes(4, 1024, "cpu", torch.float32)
    assert not by_axes(64, 8, "h200", torch.bfloat16)
