"""Channel attention: the definition written out, pads that count for nothing, positions in any order."""

import math

import pytest
import torch
from torch import Tensor, nn

from regard.layers import ChannelAttention

EXACT = {"rtol": 0, "atol": 1e-12}
Float64 = {"dtype": torch.float64}


def lively(layer: nn.Module) -> nn.Module:
    """Biases begin at zero, where mistakes with them cannot be seen."""
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.5)
    return layer


def by_hand(layer: ChannelAttention, x: Tensor, beta: float) -> tuple[Tensor, Tensor]:
    """Output and map, position by position summed, from the parameters alone."""
    B, T, C = x.shape
    G = layer.num_groups
    q, k, v = (
        torch.einsum("btc,dc->btd", x, linear.weight).add(0 if linear.bias is None else linear.bias)
        for linear in (layer.query, layer.key, layer.value)
    )
    q, k, v = (y.reshape(B, T, G, C // G) for y in (q, k, v))
    logits = beta * torch.einsum("btgc,btgd->bgcd", q, k)
    exponentials = (logits - logits.amax(-1, keepdim=True)).exp()
    maps = exponentials / exponentials.sum(-1, keepdim=True)
    mixed = torch.einsum("bgcd,btgd->btgc", maps, v).reshape(B, T, C)
    y = torch.einsum("btc,dc->btd", mixed, layer.out.weight)
    return y if layer.out.bias is None else y + layer.out.bias, maps


@pytest.mark.parametrize(("num_groups", "T"), [(1, 7), (3, 7), (4, 1), (12, 5), (2, 63)])
@pytest.mark.parametrize("bias", [True, False])
def test_it_is_the_definition_with_its_gradients(num_groups: int, T: int, bias: bool):
    layer = lively(ChannelAttention(12, num_groups, bias=bias, out_bias=bias, **Float64))
    x = torch.randn(3, T, 12, **Float64, requires_grad=True)
    wanted, maps = by_hand(layer, x, 1 / math.sqrt(12 / num_groups))
    got = layer(x)
    torch.testing.assert_close(got, wanted, **EXACT)
    torch.testing.assert_close(layer.weights(x), maps, **EXACT)
    back = torch.randn_like(got)
    inputs = [x, *layer.parameters()]
    for one, other in zip(*(torch.autograd.grad(y, inputs, back) for y in (got, wanted)), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("beta", "number"), [(0.3, 0.3), (-2, -2.0), ("positions", 1 / math.sqrt(7))])
def test_beta_is_what_is_said(beta, number: float):
    layer = lively(ChannelAttention(12, 3, beta=beta, **Float64))
    x = torch.randn(2, 7, 12, **Float64)
    wanted, maps = by_hand(layer, x, number)
    torch.testing.assert_close(layer(x), wanted, **EXACT)
    torch.testing.assert_close(layer.weights(x), maps, **EXACT)
    assert (layer.weights(x) - by_hand(layer, x, 0.5)[1]).abs().max() > 1e-3  # the default


def test_the_authors_code_with_the_parts_relabelled():
    """They compare their k with their v, and mix their q."""
    layer = lively(ChannelAttention(12, 3, **Float64))
    x = torch.randn(2, 7, 12, **Float64)
    theirs = {"k": layer.query, "v": layer.key, "q": layer.value}
    q, k, v = (theirs[name](x).reshape(2, 7, 3, 4).transpose(1, 2) for name in "qkv")
    mixed = torch.softmax(4**-0.5 * (k.mT @ v), -1) @ q.mT  # (B, G, C/G, T)
    wanted = layer.out(mixed.permute(0, 3, 1, 2).reshape(2, 7, 12))
    torch.testing.assert_close(layer(x), wanted, **EXACT)


@pytest.mark.parametrize("beta", [None, "positions"])
@pytest.mark.parametrize("noise", [float("nan"), float("inf"), 1e30])
def test_pads_count_for_nothing(beta, noise: float):
    """Each row gives what it gives alone and short; so do all gradients."""
    layer = lively(ChannelAttention(12, 3, beta=beta, **Float64))
    lengths = (9, 4, 1)
    x = torch.randn(3, 9, 12, **Float64)
    pad = torch.arange(9) >= torch.tensor(lengths)[:, None]
    x = x.masked_fill(pad[..., None], noise).requires_grad_()
    y = layer(x, pad)
    assert torch.equal(y[pad], torch.zeros_like(y[pad]))
    alone = [x.detach()[row : row + 1, :length].requires_grad_() for row, length in enumerate(lengths)]
    short = [layer(piece) for piece in alone]
    for row, (length, piece) in enumerate(zip(lengths, short, strict=True)):
        torch.testing.assert_close(y[row : row + 1, :length], piece, **EXACT)
        maps = layer.weights(x, pad)[row : row + 1]
        torch.testing.assert_close(maps, layer.weights(alone[row]), **EXACT)
    total = y.square().sum()
    parameters = list(layer.parameters())
    got = torch.autograd.grad(total, [x, *parameters])
    wanted = torch.autograd.grad(torch.cat([z.flatten() for z in short]).square().sum(), [*alone, *parameters])
    assert torch.equal(got[0][pad], torch.zeros_like(got[0][pad]))
    torch.testing.assert_close(got[0][~pad], torch.cat([z[0] for z in wanted[:3]]), rtol=1e-10, atol=1e-10)
    for one, other in zip(got[1:], wanted[3:], strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)


def test_a_row_of_pads_alone_gives_zeros():
    for beta in (None, "positions"):
        layer = lively(ChannelAttention(12, 3, beta=beta))
        x = torch.full((2, 5, 12), float("nan"))
        x[1] = torch.randn(5, 12)
        x.requires_grad_()
        y = layer(x, torch.tensor([[True] * 5, [False] * 5]))
        assert torch.equal(y[0], torch.zeros(5, 12))
        gradients = torch.autograd.grad(y.sum(), [x, *layer.parameters()])
        assert all(gradient.isfinite().all() for gradient in gradients)
        assert torch.equal(gradients[0][0], torch.zeros(5, 12))


def test_the_order_of_the_positions_does_not_matter():
    layer = lively(ChannelAttention(12, 3, **Float64))
    x, order = torch.randn(2, 11, 12, **Float64), torch.randperm(11)
    torch.testing.assert_close(layer(x[:, order]), layer(x)[:, order], **EXACT)
    torch.testing.assert_close(layer.weights(x[:, order]), layer.weights(x), **EXACT)


def test_groups_keep_to_themselves():
    """A channel of one group moves no mixed channel of another: seen before the last projection."""
    layer = lively(ChannelAttention(12, 3, **Float64))
    with torch.no_grad():
        for linear in (layer.query, layer.key, layer.value, layer.out):
            linear.weight.copy_(torch.eye(12))
    x = torch.randn(1, 5, 12, **Float64)
    moved = x.clone()
    moved[..., 4:8] += 1
    change = (layer(moved) - layer(x)).abs().amax((0, 1))
    assert (change[:4] == 0).all()
    assert (change[4:8] > 1e-3).all()
    assert (change[8:] == 0).all()


@pytest.mark.parametrize(("dtype", "allowed"), [(torch.float32, 1e-5), (torch.bfloat16, 3e-2)])
def test_narrow_types_round_and_no_more(dtype: torch.dtype, allowed: float):
    layer = ChannelAttention(64, 4, **Float64)
    x = torch.randn(2, 50, 64, **Float64).to(dtype)
    wanted = layer(x.double())
    got = layer.to(dtype)(x)
    assert got.dtype == dtype
    assert (got - wanted).abs().max() < allowed * wanted.abs().max()


def test_dropout_acts_in_training_only():
    layer = lively(ChannelAttention(12, 3, dropout=0.5))
    x = torch.randn(2, 7, 12)
    assert not torch.equal(layer(x), layer(x))
    layer.eval()
    plain = ChannelAttention(12, 3)
    plain.load_state_dict(layer.state_dict())
    assert torch.equal(layer(x), plain(x))


def test_it_prints_what_it_is():
    assert "num_groups=4, beta=0.5, dropout=0.0" in repr(ChannelAttention(16, 4))
    assert "beta='positions'" in repr(ChannelAttention(16, 4, beta="positions"))
