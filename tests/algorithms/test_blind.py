"""Where no query sees any key: zeros that belong to the graph; and what cannot be differentiated says so."""

from typing import Any

import pytest
import torch

from regard import Attention, attend
from regard.attention import (
    Bias,
    Blocks,
    Causal,
    Content,
    Elu,
    Kernel,
    Mask,
    RelativeTable,
    Sequence,
    Slopes,
    Strided,
    Window,
)


@pytest.mark.parametrize(
    ("name", "attention"),
    [
        ("partitioned", Attention(mask=Blocks(8), queries=Sequence(4, 100), keys=Sequence(4))),
        ("merged", Attention(mask=Blocks(8) | Blocks(4), queries=Sequence(4, 100), keys=Sequence(4))),
        ("chunked", Attention(None, Causal(), Kernel(Elu()), Sequence(4), Sequence(4, 100))),
    ],
)
def test_gradients_are_zeros(name: str, attention: Attention):
    tensors = [torch.randn(1, 1, 4, 8, requires_grad=True) for _ in range(3)]
    out = attend(*tensors, attention, algorithm=name)
    assert not out.any()
    for grad in torch.autograd.grad(out.sum(), tensors):
        assert not grad.any()


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # torch's own transforms warn of torch
@pytest.mark.parametrize(
    ("name", "mask", "return_lse"),
    [("merged", Window(3) | Strided(8), False), ("banded", Window(3), True), ("blockwise", Window(3), False)],
)
def test_forward_mode_raises_and_is_never_zero(name: str, mask: Mask, return_lse: bool):
    x = torch.randn(1, 2, 300, 8)

    def function(x: torch.Tensor) -> torch.Tensor:
        found = attend(x, x, x, Attention(mask=mask), algorithm=name, return_lse=return_lse)
        return found[0] if isinstance(found, tuple) else found

    with pytest.raises(RuntimeError, match="no forward-mode derivative; use algorithm='reference'"):
        torch.func.jvp(function, (x,), (x,))


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
@pytest.mark.parametrize("name", ["blockwise", "masked"])
@pytest.mark.parametrize("return_lse", [False, True])
@pytest.mark.parametrize(("make", "size"), [(Bias, (2, 9, 9)), (Slopes, (2,)), (RelativeTable, (2, 17))])
def test_forward_mode_of_scores_alone_is_never_zero(name: str, return_lse: bool, make: Any, size: tuple[int, ...]):
    q, k, v = torch.randn(3, 1, 2, 9, 8)

    def function(x: torch.Tensor) -> torch.Tensor:
        found = attend(q, k, v, Attention(Content() + make(x)), algorithm=name, return_lse=return_lse)
        return found[0] if isinstance(found, tuple) else found

    with pytest.raises((RuntimeError, NotImplementedError), match="forward"):  # torch's own kernel, or ours
        torch.func.jvp(function, (torch.randn(size),), (torch.ones(size),))


@pytest.mark.filterwarnings("ignore::UserWarning:torch.*")
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
@pytest.mark.parametrize("name", ["toeplitz", "convolution", "shared", "reference"])
def test_a_linear_map_is_traced(name: str):
    """Torch traces the derivative: a product without its first summand once ended the process there."""
    table, v = torch.randn(2, 13, dtype=torch.float64), torch.randn(1, 2, 7, 3, dtype=torch.float64)

    def function(table: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return attend(None, None, v, Attention(RelativeTable(table, bound=3.0)), algorithm=name)

    _, derivative = torch.func.linearize(function, table, v)
    _, exact = torch.func.jvp(function, (table, v), (table, v))
    torch.testing.assert_close(derivative(table, v), exact)


@pytest.mark.compiled
def test_a_window_compiles_at_any_length():
    @torch.compile(fullgraph=True, backend="aot_eager")
    def windowed(x: torch.Tensor) -> torch.Tensor:
        return attend(x, x, x, Attention(mask=Causal() & Window(3)))

    for n in (512, 600, 700):
        x = torch.randn(1, 2, n, 8)
        torch.testing.assert_close(windowed(x), attend(x, x, x, Attention(mask=Causal() & Window(3))))
