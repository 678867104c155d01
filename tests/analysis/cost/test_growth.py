"""Exponents of counts are exact; times are there, and nothing is said about how long they are."""

import json
import re

import pytest
import torch
from torch import nn

from regard.analysis.cost.growth import growth


class Mixing(nn.Module):
    """Every token with every token, and nothing else."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return nn.functional.scaled_dot_product_attention(tokens, tokens, tokens)


def mixing(N: int, D: int) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    return Mixing(), (torch.empty(1, 2, N, D, device="meta"),)


def layer(N: int, D: int = 16) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    return nn.Linear(D, D), (torch.empty(N, D, device="meta"),)


def test_exponents_of_linear_and_quadratic_costs_are_exact():
    quadratic = growth(mixing, "N", [12, 35, 128], measure=None, D=8)
    assert [step.flops for step in quadratic.steps] == [4 * 2 * 8 * n * n for n in (12, 35, 128)]
    assert [step.exponent for step in quadratic.steps] == [None, 2.0, 2.0]
    assert quadratic.exponent == 2.0
    assert growth(layer, "N", [3, 10, 100], measure=None).exponent == 1.0
    assert growth(layer, "D", [3, 10, 100], measure=None, N=4).exponent == 2.0


def test_between_two_powers_the_exponent_climbs():
    def encoder(N: int) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
        return nn.TransformerEncoderLayer(16, 2, 64, batch_first=True), (torch.empty(1, N, 16, device="meta"),)

    found = growth(encoder, "N", [8, 96, 4096], measure=None)
    _, first, second = [step.exponent for step in found.steps]
    assert first is not None
    assert second is not None
    assert found.exponent is not None
    assert 1 < first < found.exponent < second < 2  # 96 = 6·16 tokens cost as much in attention as beside it


def test_no_products_have_no_exponent():
    found = growth(lambda N: (nn.ReLU(), (torch.empty(N, device="meta"),)), "N", [2, 4], measure=None)
    assert (found.exponent, found.time_exponent, found.threads) == (None, None, None)


def test_times_are_measured_and_shown():
    calls: list[tuple[int, int]] = []
    found = growth(mixing, "N", [16, 64], measure=0.01, progress=lambda done, total: calls.append((done, total)), D=8)
    assert calls == [(done, 4) for done in range(5)]
    assert all(step.seconds is not None and step.seconds > 0 for step in found.steps)
    assert found.time_exponent is not None
    assert found.threads == torch.get_num_threads()
    told = json.loads(found.json())
    assert (told["fixed"], told["exponent"], len(told["steps"])) == ({"D": 8}, 2.0, 2)
    text = str(found)
    for words in ("D = 8", "FLOP/s", "16.4 kFLOP", "FLOPs ∝ N^2.00", "time ∝ N^", "of the CPU"):
        assert words in text


def test_indices_and_keywords_without_contents_can_be_measured():
    def words(N: int) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
        model = nn.Sequential(nn.Embedding(10, 8), nn.Linear(8, 10))
        return model, (torch.empty(1, N, dtype=torch.long, device="meta"),)

    def named(N: int) -> tuple[nn.Module, tuple[()], dict[str, torch.Tensor]]:
        return nn.Linear(8, 10), (), {"input": torch.empty(N, 8, device="meta")}

    assert growth(words, "N", [4, 8], measure=0.01).exponent == 1.0
    assert growth(named, "N", [4, 8], measure=0.01).exponent == 1.0


@pytest.mark.parametrize(
    ("symbol", "sizes", "fixed", "message"),
    [
        ("R", [4, 8], {"D": 8}, "symbol must be a size that make takes: got 'R'; use one of N, D"),
        ("N", [4, 8], {}, "every size but N must be fixed: got none for D; give D=…"),
        ("N", [4, 8], {"D": 8, "K": 3}, "make takes no size K: got K=3; it takes N, D"),
        ("N", [4, 8], {"D": 8, "N": 3}, "N must grow: got N=3 too; leave it out"),
        ("N", [8, 4], {"D": 8}, "each larger than the one before, from 1: got [8, 4]"),
        ("N", [8], {"D": 8}, "sizes must be two or more"),
    ],
)
def test_bad_input(symbol: str, sizes: list[int], fixed: dict[str, int], message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        growth(mixing, symbol, sizes, measure=None, progress=None, **fixed)


def test_a_module_without_contents_is_counted_but_not_measured():
    def make(N: int) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
        return nn.Linear(4, 4, device="meta"), (torch.empty(N, 4),)

    with pytest.raises(ValueError, match="must have contents to be measured: got one on meta"):
        growth(make, "N", [2, 4], measure=0.01)
    with pytest.raises(ValueError, match=re.escape("measure must be seconds above 0, or None: got 0")):
        growth(layer, "N", [2, 4], measure=0)
