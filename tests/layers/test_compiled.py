"""A compiled layer is one graph, computes the same, and is compiled once."""

import copy

import pytest
import torch
from torch import Tensor

from regard.attention import Padding, Window
from regard.layers import MultiHead

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),  # torch's compiler warns of torch
]

PAD = torch.tensor([[False] * 9, [False] * 6 + [True] * 3])
CALLS = {
    "plain": {},
    "causal": {"causal": True},
    "padded": {"key_padding_mask": PAD},
    "padded and causal": {"key_padding_mask": PAD, "causal": True},
    "window": {"mask": Window(2, 1)},
    "padding": {"mask": Padding(~PAD)},
}


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch.compiler.reset()


def results(layer: torch.nn.Module, x: Tensor, **call) -> list[Tensor]:
    """The output, and the gradients of the input and of every parameter."""
    x = x.clone().requires_grad_()
    y = layer(x, **call)
    return [y, *torch.autograd.grad(y.square().sum(), [x, *layer.parameters()])]


@pytest.mark.parametrize("name", CALLS)
def test_one_graph_forward_and_backward(name: str):
    layer = MultiHead(12, 6, num_groups=2)
    compiled = torch.compile(copy.deepcopy(layer), fullgraph=True)
    x = torch.randn(2, 9, 12)
    for got, expected in zip(results(compiled, x, **CALLS[name]), results(layer, x, **CALLS[name]), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)


def test_a_second_call_compiles_nothing():
    compiled = torch.compile(MultiHead(12, 3), fullgraph=True)
    for _ in range(2):
        results(compiled, torch.randn(2, 9, 12), key_padding_mask=PAD.clone(), causal=True)
    with torch._dynamo.config.patch(error_on_recompile=True):
        results(compiled, torch.randn(2, 9, 12), key_padding_mask=PAD.clone(), causal=True)
