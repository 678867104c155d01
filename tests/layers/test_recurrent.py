"""Attention between the states of recurrent networks, against its formula for each pair, one after the other."""

import math

import pytest
import torch
from torch import Tensor

from regard.layers import DotProductAttention
from tests.refusals import refused

LENGTHS = (5, 2, 1)


def states() -> tuple[Tensor, Tensor]:
    return torch.randn(3, 4, 6).double().requires_grad_(), torch.randn(3, 5, 6).double().requires_grad_()


def by_hand(layer: DotProductAttention, s: Tensor, memory: Tensor, beta: float = 1.0) -> tuple[Tensor, Tensor]:
    """s̃ and the map, query by query; W_c as its two halves."""
    of_context, of_state = layer.combine.weight.split(6, 1)
    bias = 0.0 if layer.combine.bias is None else layer.combine.bias
    found, maps = [], []
    for row, length in enumerate(LENGTHS):
        h = memory[row, :length]
        for query in s[row]:
            scores = torch.stack([beta * (query * key).sum() for key in h])
            a = scores.exp() / scores.exp().sum()
            context = sum(weight * key for weight, key in zip(a, h, strict=True))
            found.append(torch.tanh(of_context @ context + of_state @ query + bias))
            maps.append(torch.cat((a, a.new_zeros(5 - length))))
    return torch.stack(found).view(3, 4, 6), torch.stack(maps).view(3, 1, 4, 5)


@pytest.mark.parametrize(("bias", "as_tensor"), [(False, True), (True, False)])
def test_it_is_its_formula_with_gradients(bias: bool, as_tensor: bool):
    layer, (s, memory) = DotProductAttention(6, bias=bias).double(), states()
    lengths = torch.tensor(LENGTHS) if as_tensor else LENGTHS
    out, (expected, expected_map) = layer(s, memory, lengths), by_hand(layer, s, memory)
    torch.testing.assert_close(out, expected, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(layer.weights(s, memory, lengths), expected_map, rtol=1e-12, atol=1e-12)
    wanted = [s, memory, *layer.parameters()]
    assert len(wanted) == 3 + bias
    for got, right in zip(*(torch.autograd.grad(y.square().sum(), wanted) for y in (out, expected)), strict=True):
        torch.testing.assert_close(got, right, rtol=1e-11, atol=1e-11)
    scaled, _ = by_hand(layer, s, memory, beta=1 / math.sqrt(6))  # the control: there is no scale
    assert (out - scaled).abs().max() > 1e-2


def test_nothing_in_the_pads_of_a_memory_matters():
    layer, (s, memory) = DotProductAttention(6).double(), states()
    real = torch.arange(5) < torch.tensor(LENGTHS)[:, None]
    noise = torch.where(real[:, :, None], memory.detach(), math.nan).requires_grad_()
    wanted = (s, *layer.parameters())
    results = []
    for h in (memory, noise):
        out = layer(s, h, LENGTHS)
        results.append((out, *torch.autograd.grad(out.square().sum(), (*wanted, h))))
    torch.testing.assert_close(*results, rtol=0, atol=0)
    assert not results[1][-1][~real].any()
    assert layer(s, noise).isnan().any()  # the control: without lengths all is real


def test_a_row_without_memory_has_no_context():
    layer, (s, memory) = DotProductAttention(6).double(), states()
    alone = torch.tanh(s[1] @ layer.combine.weight[:, 6:].T)
    torch.testing.assert_close(layer(s, memory, (5, 0, 2))[1], alone, rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("unhooked")
def test_what_does_not_fit_is_refused():
    layer, s = DotProductAttention(6), torch.zeros(2, 4, 6)
    with refused("width must be a whole number from 1 to below 2^62: got width=0; use 1 or more"):
        DotProductAttention(0)
    with refused("s must be (B, T, 6): got shape (2, 6); a single sequence is s[None]"):
        layer(s[:, 0], s)
    with refused("memory must be (B, S, 6): got shape (2, 4, 5)"):
        layer.weights(s, s[:, :, :5])
    with refused("s and memory must have the same number of rows: got B=2 and B=1; repeat the memory for every row"):
        layer(s, s[:1])
    with refused("lengths must lie in 0…S=4: got 5 in row 1"):
        layer(s, s, (4, 5))
    with refused("KeyPadding must have shape (B,) = (2,): got (3,); give one entry per row"):
        layer(s, s, (4, 3, 2))


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # torch's compiler warns of torch
@pytest.mark.filterwarnings("ignore:`torch._prims_common:FutureWarning")
def test_it_compiles_in_one_graph():
    layer, (s, memory) = DotProductAttention(6).double(), states()
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    lengths = torch.tensor(LENGTHS)
    torch.testing.assert_close(compiled(s, memory, lengths), layer(s, memory, lengths), rtol=1e-12, atol=1e-12)
