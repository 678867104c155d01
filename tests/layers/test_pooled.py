"""Attention to pooled tokens: a mechanism of its own, equal to full attention where, and only where, it should be."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import avg_pool1d, avg_pool2d

from regard.attention import Causal, Dense, Grid, Neighbours, Sequence, Window
from regard.layers import MultiHead, PooledMultiHead, Widths

EXACT = {"rtol": 0, "atol": 1e-12}
Float64 = {"dtype": torch.float64}
NAN = float("nan")


def results(layer: torch.nn.Module, x: Tensor, **call) -> list[Tensor]:
    """The output, and the gradients of the input and of every parameter."""
    x = x.clone().requires_grad_()
    y = layer(x, **call)
    return [y, *torch.autograd.grad(y.square().sum(), [x, *layer.parameters()])]


def pads(*lengths: int) -> Tensor:
    return torch.arange(max(lengths)) >= torch.tensor(lengths)[:, None]


@pytest.mark.parametrize(
    "call",
    [
        {},
        {"mask": Causal()},
        {"mask": Window(2, 1), "key_padding_mask": pads(12, 5)},
        {"keys": Grid(3, 4), "mask": Neighbours(1, 1)},
        {"mask": Dense(torch.rand(12, 12) < 0.5)},
    ],
    ids=str,
)
def test_pools_of_one_are_multihead_bit_by_bit(call: dict):
    layer = PooledMultiHead(8, 4, pool=1, num_groups=2)
    x = torch.randn(2, 12, 8)
    for got, wanted in zip(results(layer, x, **call), results(layer.heads, x, **call), strict=True):
        assert torch.equal(got, wanted)
    assert torch.equal(layer.weights(x, **call), layer.heads.weights(x, **call))


@pytest.mark.parametrize(("n", "size"), [(12, 3), (13, 4), (7, 9)])
def test_runs_of_a_line_are_torchs_average_pool(n: int, size: int):
    layer = PooledMultiHead(8, 4, size, **Float64)
    x = torch.randn(2, n, 8, **Float64)
    means = avg_pool1d(x.mT, size, ceil_mode=True, count_include_pad=False).mT
    torch.testing.assert_close(layer(x), layer.heads(x, means), **EXACT)
    maps = layer.weights(x)
    assert maps.shape == (2, 4, n, -(-n // size))
    torch.testing.assert_close(maps, layer.heads.weights(x, means), **EXACT)


@pytest.mark.parametrize("size", [2, (2, 3), (1, 7)])
def test_tiles_of_a_grid_are_torchs_average_pool(size):
    layer = PooledMultiHead(8, 4, size, **Float64)
    x = torch.randn(2, 35, 8, **Float64)
    image = avg_pool2d(x.mT.unflatten(2, (5, 7)), size, ceil_mode=True, count_include_pad=False)
    torch.testing.assert_close(layer(x, keys=Grid(5, 7)), layer.heads(x, image.flatten(2).mT), **EXACT)


def test_runs_of_equal_tokens_are_full_attention():
    """Three copies of a key have three times its weight, and so has their mean, when all runs are whole."""
    layer = PooledMultiHead(8, 4, 3, **Float64)
    x = torch.randn(2, 5, 8, **Float64).repeat_interleave(3, 1)
    torch.testing.assert_close(layer(x), layer.heads(x), **EXACT)
    torch.testing.assert_close(layer.weights(x), layer.heads.weights(x).unflatten(3, (5, 3)).sum(4), **EXACT)


def test_otherwise_it_is_another_mechanism():
    layer = PooledMultiHead(8, 4, 3, beta=3.0, **Float64)
    x = torch.randn(2, 15, 8, **Float64)
    assert (layer(x) - layer.heads(x)).abs().max() > 1e-2


@pytest.mark.parametrize("size", [2, 3, 20])
def test_pads_count_for_nothing(size: int):
    """Each row gives what it gives alone and short, gradients included; NaN in pads reaches nothing."""
    layer = PooledMultiHead(8, 4, size, **Float64)
    lengths = (11, 4, 1)
    pad = pads(*lengths)
    x = torch.randn(3, 11, 8, **Float64)
    noisy = x.masked_fill(pad[..., None], NAN).requires_grad_()
    q = torch.randn(3, 5, 8, **Float64)
    y = layer(q, noisy, key_padding_mask=pad)
    alone = [x[row : row + 1, :n].clone().requires_grad_() for row, n in enumerate(lengths)]
    wanted = torch.cat([layer(q[row : row + 1], piece) for row, piece in enumerate(alone)])
    torch.testing.assert_close(y, wanted, **EXACT)
    parameters, back = list(layer.parameters()), torch.randn_like(y)
    got = torch.autograd.grad(y, [noisy, *parameters], back)
    expected = torch.autograd.grad(wanted, [*alone, *parameters], back)
    assert torch.equal(got[0][pad], torch.zeros_like(got[0][pad]))
    torch.testing.assert_close(got[0][~pad], torch.cat([piece[0] for piece in expected[:3]]), **EXACT)
    for one, other in zip(got[1:], expected[3:], strict=True):
        torch.testing.assert_close(one, other, **EXACT)


def test_a_row_of_pads_alone_sees_nothing():
    layer = PooledMultiHead(8, 4, 2)
    x = torch.randn(2, 6, 8)
    pad = torch.tensor([[True] * 6, [False] * 6])
    assert torch.equal(layer(x, key_padding_mask=pad)[0], layer.heads.out.bias.expand(6, 8))
    assert torch.equal(layer.weights(x, key_padding_mask=pad)[0], torch.zeros(4, 6, 3))


def test_a_mask_sees_a_mean_at_the_middle_of_its_run():
    layer = PooledMultiHead(8, 4, (2, 3), **Float64)
    x = torch.randn(2, 54, 8, **Float64)
    maps = layer.weights(x, keys=Grid(6, 9), mask=Neighbours(1, 2))
    for i in range(54):
        row, column = divmod(i, 9)
        seen = [abs(2 * r - row) <= 1 and abs(3 * c + 1 - column) <= 2 for r in range(3) for c in range(3)]
        assert torch.equal(maps[:, :, i] > 0, torch.tensor(seen).expand(2, 4, 9))
    dense = Dense(maps[0, 0] > 0)
    means = avg_pool2d(x.mT.unflatten(2, (6, 9)), (2, 3)).flatten(2).mT
    torch.testing.assert_close(
        layer(x, keys=Grid(6, 9), mask=Neighbours(1, 2)), layer.heads(x, means, mask=dense), **EXACT
    )


def test_without_positions_the_last_query_stands_at_the_last_key():
    layer = PooledMultiHead(8, 4, 3, **Float64)
    q, k = torch.randn(2, 4, 8, **Float64), torch.randn(2, 12, 8, **Float64)
    maps = layer.weights(q, k, mask=Window(3, 1))
    for i, place in enumerate(range(8, 12)):
        seen = [-3 <= middle - place <= 1 for middle in (1, 4, 7, 10)]
        assert torch.equal(maps[:, :, i] > 0, torch.tensor(seen).expand(2, 4, 4))
    given = layer(q, k, mask=Window(3, 1), queries=Sequence(4, start=8), keys=Sequence(12))
    assert torch.equal(layer(q, k, mask=Window(3, 1)), given)


def test_widths_values_of_their_own_and_dropout():
    layer = PooledMultiHead(Widths(query=8, key=6, value=5, out=7), 4, 2, dropout=0.5, bias=False, out_bias=False)
    q, k, v = torch.randn(2, 3, 8), torch.randn(2, 9, 6), torch.randn(2, 9, 5)
    assert layer(q, k, v).shape == (2, 3, 7)
    assert not torch.equal(layer(q, k, v), layer(q, k, v))
    layer.eval()
    means = [avg_pool1d(x.mT, 2, ceil_mode=True, count_include_pad=False).mT for x in (k, v)]
    torch.testing.assert_close(layer(q, k, v), layer.heads(q, *means), rtol=0, atol=1e-6)
    assert "pool=2" in repr(layer)


def test_pools_before_it_projects():
    """Keys and values are projected after they are pooled, so their projections cost a pool-th too."""
    layer = PooledMultiHead(8, 4, 3)
    seen = {}
    for name in ("query", "key", "value"):
        layer.heads.get_submodule(name).register_forward_hook(
            lambda module, inputs, output, name=name: seen.update({name: inputs[0].shape[1]})
        )
    layer(torch.randn(2, 12, 8))
    assert seen == {"query": 12, "key": 4, "value": 4}


def test_multihead_is_inside():
    layer = PooledMultiHead(8, 4, 2)
    plain = MultiHead(8, 4)
    plain.load_state_dict(layer.heads.state_dict())
    assert [name for name, _ in layer.named_children()] == ["heads"]
