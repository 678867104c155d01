"""Layers for images, and pooled heads, compiled: one graph, the same results, nothing compiled twice."""

import copy

import pytest
import torch
from torch import Tensor

from regard.attention import Grid
from regard.layers import ChannelAttention, DualBlock, PooledMultiHead, WindowAttention
from tests.layers.test_compiled import by_backend, results
from tests.tolerances import apart, assert_together

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),  # torch's compiler warns of torch
    pytest.mark.filterwarnings("ignore:`torch._prims_common:FutureWarning"),
]

PAD = torch.tensor([[False] * 12, [False] * 7 + [True] * 5])
CALLS = {
    "channels": lambda: (ChannelAttention(8, 2, beta="positions"), (), {"key_padding_mask": PAD}),
    "windows": lambda: (WindowAttention(8, 2, window=2, shifted=True), (), {"keys": Grid(3, 4)}),
    "dual": lambda: (DualBlock(8, 2, 2, 2), (Grid(3, 4),), {}),
    "pooled": lambda: (PooledMultiHead(8, 2, (2, 3)), (), {"keys": Grid(3, 4), "key_padding_mask": PAD}),
}


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch.compiler.reset()


@pytest.mark.parametrize(("name", "backend"), by_backend(CALLS))
def test_one_graph_forward_and_backward(name: str, backend: str):
    layer, arguments, options = CALLS[name]()
    compiled = torch.compile(copy.deepcopy(layer), fullgraph=True, backend=backend)
    x = torch.randn(2, 12, 8)

    def both(module: torch.nn.Module) -> dict[str, Tensor]:
        return results(module, x, *arguments, **options)

    assert_together(both(compiled), both(layer), apart(layer, both))
    with torch._dynamo.config.patch(error_on_recompile=True):
        both(compiled)
