"""Noise on a key or a query: the closed form against the computed map, its first order, and what may not move."""

import math

import pytest
import torch
from torch import Tensor

from regard import Attention, attend, weights
from regard.analysis import perturb_key, perturb_query, reweight
from regard.attention import Bias, Causal, Content, Hard, Padding, Window
from tests.refusals import refused


def drawn(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


Q, K, V = drawn(2, 4, 5, 3, seed=0), drawn(2, 2, 6, 3, seed=1), drawn(2, 2, 6, 7, seed=2)
MECHANISMS = [
    Attention(),
    Attention(Content(-1.3) + Bias(drawn(4, 5, 6, seed=3)), mask=Causal()),
    Attention(mask=Window(before=1, after=1)),
]


@pytest.mark.parametrize("attention", MECHANISMS)
def test_the_closed_form_is_the_map_after(attention: Attention):
    noise = 2 * drawn(2, 2, 3, seed=4)
    found = perturb_key(Q, K, V, attention, key=2, noise=noise)
    moved = K.clone()
    moved[:, :, 2] += noise
    assert found.after.equal(weights(Q, moved, attention))
    assert found.output_after is not None
    assert found.output_after.equal(attend(Q, moved, V, attention))
    torch.testing.assert_close(found.predicted, found.after)
    a, t = found.before, found.shift[..., 2:3]
    normaliser = 1 - a[..., 2:3] + a[..., 2:3] * t.exp()
    torch.testing.assert_close(found.after[..., 2:3], a[..., 2:3] * t.exp() / normaliser)
    torch.testing.assert_close(found.after[..., 3:], a[..., 3:] / normaliser)
    seen = a[..., 2:3] > 0
    alone = seen & (a == 1)  # the one key that a query sees keeps weight 1
    assert found.moved.equal((a > 0) & seen & ~alone)
    assert found.outputs_moved.equal(found.moved.any(-1))
    energy = (found.after - found.before).square().sum((2, 3))
    torch.testing.assert_close(found.energy, energy)
    torch.testing.assert_close(found.output_energy, found.output_change.square().sum((2, 3)))


@pytest.mark.parametrize("attention", MECHANISMS)
def test_noise_on_a_query_stays_in_its_row(attention: Attention):
    found = perturb_query(Q, K, V, attention, query=3, noise=2 * drawn(3, seed=5))
    torch.testing.assert_close(found.predicted, found.after)
    assert found.moved[:, :, 3].equal(found.before[:, :, 3] > 0)
    assert found.moved.any((0, 1, 3)).tolist() == [False, False, False, True, False]
    assert found.outputs_moved.any((0, 1)).tolist() == [False, False, False, True, False]


def test_first_order_is_off_by_the_square_of_the_noise():
    for perturb, place in ((perturb_key, {"key": 1}), (perturb_query, {"query": 1})):
        gaps = []
        for size in (1e-2, 1e-3):
            found = perturb(Q, K, None, noise=size * drawn(3, seed=6), **place)  # pyright: ignore[reportArgumentType]
            gaps.append((found.change - found.first_order).abs().max().item())
        assert math.log10(gaps[0] / gaps[1]) == pytest.approx(2, abs=0.05)


def test_hidden_keys_and_empty_rows():
    padded = Attention(mask=Padding((4, 3)))
    k = Q[:, :2].clone()
    k[:, :, 4] = torch.nan
    found = perturb_key(Q, k, V[:, :, :5], padded, key=4, noise=torch.ones(3).double())
    assert not found.moved.any()
    assert not found.outputs_moved.any()
    assert not found.predicted[1, :, 3:].any()
    torch.testing.assert_close(found.predicted, found.after)
    assert reweight(torch.zeros(2), torch.ones(2)).tolist() == [0, 0]


def test_refusals():
    noise = torch.ones(3).double()
    with refused("use Content, Softmax"):
        perturb_key(Q, K, V, Attention(weighting=Hard()), key=0, noise=noise)
    with refused("key must be one of those given: got key=6 for shape (2, 2, 6, 3)"):
        perturb_key(Q, K, V, key=6, noise=noise)
    with refused("query must be one of those given: got query=-1"):
        perturb_query(Q, K, V, query=-1, noise=noise)
    with refused("noise must be (3,), or one for each row and head (2, 4, 3): got (2,)"):
        perturb_query(Q, K, V, query=0, noise=noise[:2])
    with refused("(2, 2, 3): got (1,)"):
        perturb_key(Q, K, V, key=0, noise=noise[:1])
    with refused("noise must be finite"):
        perturb_key(Q, K, V, key=0, noise=noise * torch.nan)
    with refused("got v=None; give v"):
        _ = perturb_key(Q, K, None, key=0, noise=noise).output_change
