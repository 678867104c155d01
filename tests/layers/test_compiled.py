"""A compiled layer is one graph, computes the same, and is compiled once."""

import copy
from collections.abc import Collection, Iterable
from typing import Any

import pytest
import torch
from torch import Tensor

from regard.attention import Grid, Padding, Window
from regard.layers import GatedMultiHead, Gaussian, GaussianHeads, MultiHead, PositionedMultiHead, PositionHeads, Tables
from tests.tolerances import apart, assert_together

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),  # torch's compiler warns of torch
    pytest.mark.filterwarnings("ignore:`torch._prims_common:FutureWarning"),
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


def results(layer: torch.nn.Module, x: Tensor, *arguments, **call) -> dict[str, Tensor]:
    """The output, and the gradients of the input and of every parameter."""
    x = x.detach().to(next(layer.parameters()).dtype).requires_grad_()
    y = layer(x, *arguments, **call)
    grads = torch.autograd.grad(y.square().sum(), [x, *layer.parameters()])
    return {"out": y.detach()} | {f"gradient {n}": grad for n, grad in enumerate(grads)}


def in_turn(names: Iterable[str], long: Collection[str]) -> list[Any]:
    """All names, of which the long ones, near what others compile, go to `make test-all`."""
    return [pytest.param(name, marks=pytest.mark.slow) if name in long else name for name in names]


@pytest.mark.parametrize("name", in_turn(CALLS, ("plain", "padded", "padding")))
def test_one_graph_forward_and_backward(name: str):
    layer = MultiHead(12, 6, num_groups=2)
    compiled = torch.compile(copy.deepcopy(layer), fullgraph=True)
    x = torch.randn(2, 9, 12)
    limits = apart(layer, lambda layer: results(layer, x, **CALLS[name]))
    assert_together(results(compiled, x, **CALLS[name]), results(layer, x, **CALLS[name]), limits)


def test_a_second_call_compiles_nothing():
    compiled = torch.compile(MultiHead(12, 3), fullgraph=True)
    for _ in range(2):
        results(compiled, torch.randn(2, 9, 12), key_padding_mask=PAD.clone(), causal=True)
    with torch._dynamo.config.patch(error_on_recompile=True):
        results(compiled, torch.randn(2, 9, 12), key_padding_mask=PAD.clone(), causal=True)


POSITIONAL = {
    "gaussian heads": lambda: (GaussianHeads(8, 4), (Grid(3, 4),), {}),
    "full gaussian heads": lambda: (GaussianHeads(8, 4, kind="full"), (Grid(3, 4),), {}),
    "strided gaussian heads": lambda: (GaussianHeads(8, 4), (Grid(3, 4), Grid(2, 2, step=(2, 2))), {}),
    "tables": lambda: (PositionHeads(8, Tables(4, (2, 3), bound=2)), (Grid(3, 4),), {}),
    "content and gaussians": lambda: (PositionedMultiHead(8, Gaussian(4)), (), {"keys": Grid(3, 4)}),
    "gated": lambda: (GatedMultiHead(8, Gaussian(4)), (), {"keys": Grid(3, 4)}),
}


@pytest.mark.parametrize("name", in_turn(POSITIONAL, ("full gaussian heads", "strided gaussian heads", "gated")))
def test_positional_layers_are_one_graph(name: str):
    layer, arguments, options = POSITIONAL[name]()
    x = torch.randn(2, 12, 8)
    compiled = torch.compile(copy.deepcopy(layer), fullgraph=True)

    def both(module: torch.nn.Module) -> dict[str, Tensor]:
        return results(module, x, *arguments, **options)

    assert_together(both(compiled), both(layer), apart(layer, both))
