"""A compiled layer is one graph, computes the same, and is compiled once."""

import copy
from collections.abc import Callable, Collection
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
CALLS: dict[str, Callable[[], dict[str, Any]]] = {
    "plain": lambda: {},
    "causal": lambda: {"causal": True},
    "padded": lambda: {"key_padding_mask": PAD.clone()},
    "padded and causal": lambda: {"key_padding_mask": PAD.clone(), "causal": True},
    "window": lambda: {"mask": Window(2, 1)},
    "padding": lambda: {"mask": Padding(~PAD)},
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


def by_backend(names: Collection[str], generated: Collection[str] = ()) -> list[Any]:
    """Each name through the graphs, and some through code that torch generates of them, which takes ten times as long.

    What our layers decide is in the graphs. Code is generated of all others in `make test-all`.
    """
    graphs = [pytest.param(name, "aot_eager", id=name) for name in names if name not in generated]
    return graphs + [
        pytest.param(name, "inductor", id=f"{name}, generated", marks=() if name in generated else pytest.mark.slow)
        for name in names
    ]


@pytest.mark.parametrize(("name", "backend"), by_backend(CALLS, generated=("padded and causal",)))
def test_one_graph_forward_and_backward(name: str, backend: str):
    layer = MultiHead(12, 6, num_groups=2)
    compiled = torch.compile(copy.deepcopy(layer), fullgraph=True, backend=backend)
    x = torch.randn(2, 9, 12)

    def both(module: torch.nn.Module) -> dict[str, Tensor]:
        return results(module, x, **CALLS[name]())

    assert_together(both(compiled), both(layer), apart(layer, both))
    with torch._dynamo.config.patch(error_on_recompile=True):
        both(compiled)


POSITIONAL = {
    "gaussian heads": lambda: (GaussianHeads(8, 4), (Grid(3, 4),), {}),
    "full gaussian heads": lambda: (GaussianHeads(8, 4, kind="full"), (Grid(3, 4),), {}),
    "strided gaussian heads": lambda: (GaussianHeads(8, 4), (Grid(3, 4), Grid(2, 2, step=(2, 2))), {}),
    "tables": lambda: (PositionHeads(8, Tables(4, (2, 3), bound=2)), (Grid(3, 4),), {}),
    "content and gaussians": lambda: (PositionedMultiHead(8, Gaussian(4)), (), {"keys": Grid(3, 4)}),
    "gated": lambda: (GatedMultiHead(8, Gaussian(4)), (), {"keys": Grid(3, 4)}),
}


@pytest.mark.parametrize(("name", "backend"), by_backend(POSITIONAL))
def test_positional_layers_are_one_graph(name: str, backend: str):
    layer, arguments, options = POSITIONAL[name]()
    x = torch.randn(2, 12, 8)
    compiled = torch.compile(copy.deepcopy(layer), fullgraph=True, backend=backend)

    def both(module: torch.nn.Module) -> dict[str, Tensor]:
        return results(module, x, *arguments, **options)

    assert_together(both(compiled), both(layer), apart(layer, both))
