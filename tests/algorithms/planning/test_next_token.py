"""What one more token costs (udl.7): one row of the map, not the whole of it."""

import json

import pytest
import torch

from regard.algorithms.next_token import next_token
from regard.attention import Attention, Bias, Causal, Shape, Window

CAUSAL = Attention(mask=Causal())
SHAPE = Shape(B=2, H=8, G=2, T=1, S=1001, D=64, E=32)


def test_one_query_against_all_keys():
    found = next_token(SHAPE, CAUSAL, device="h200", dtype=torch.bfloat16)
    assert found.flops == (2 * 2 * 8 * 1001 * 96, 2 * 2 * 8 * 1001 * 1002 // 2 * 96)
    assert found.bytes_per_token == 2 * 2 * 96 * 2
    assert found.bytes == 1001 * found.bytes_per_token


def test_cost_grows_linearly_where_the_whole_grows_quadratically():
    costs = [next_token(Shape(1, 1, 1, 1, N, 64, 64), CAUSAL).flops for N in (1000, 2000, 4000)]
    assert [cost[0] for cost in costs] == [2 * N * 128 for N in (1000, 2000, 4000)]
    assert costs[2][1] / costs[1][1] == pytest.approx(4, rel=1e-3)


def test_behind_a_window_nothing_grows():
    found = [next_token(Shape(1, 1, 1, 1, N, 64, 64), Attention(mask=Window(255))) for N in (1000, 100_000)]
    assert found[0].flops[0] == found[1].flops[0] == 2 * 256 * 128
    assert found[0].bytes == found[1].bytes == 256 * 512
    assert found[0].bytes_per_token == 0
    young = next_token(Shape(1, 1, 1, 1, 100, 64, 64), Attention(mask=Window(255)))
    assert (young.bytes, young.bytes_per_token) == (100 * 512, 512)


def test_a_first_piece_is_the_whole():
    found = next_token(Shape(1, 1, 1, 50, 50, 64, 64), CAUSAL)
    assert found.flops[0] == found.flops[1]


def test_it_prints_and_tells_programs():
    found = next_token(SHAPE, CAUSAL)
    assert (
        "one more token after 1,000: 3.08 MFLOP; computing all 1,001 again: 1.54 GFLOP, 501 times as much"
        in " ".join(str(found).split())
    )
    told = json.loads(found.json())
    assert set(told) == {"cached", "again", "cache"}
    assert told["cache"] == {"bytes": found.bytes, "bytes_per_token": found.bytes_per_token}
    assert told["cached"]["shape"]["T"] == 1


@pytest.mark.parametrize(
    ("shape", "attention", "message"),
    [
        (Shape(1, 1, 1, 5, 4, 8, 8), CAUSAL, "new tokens are among all tokens: got T=5, S=4; use T from 1 to S"),
        (Shape(1, 1, 1, 1, 4, 8, 8), Attention(), "must not see tokens that are still to come: got mask=Everything"),
        (Shape(1, 1, 1, 1, 4, 8, 8), Attention(Bias(torch.zeros(4, 4)), Causal()), "Bias"),
    ],
)
def test_what_cannot_be_cached_has_no_next_token(shape: Shape, attention: Attention, message: str):
    with pytest.raises(ValueError, match=message):
        next_token(shape, attention)
