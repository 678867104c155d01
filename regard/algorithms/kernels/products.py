"""Products in float32 on a CPU by oneDNN, where MKL, which torch asks, leaves half of the processor idle.

On processors of AMD with AVX-512 MKL keeps to registers of half the width, and one row is multiplied by a matrix on one
thread. On an EPYC of the fifth generation, a thread, 2048 × 768 × 3072: 106 GFLOP/s by MKL, 226 by oneDNN; two threads,
a row by 3072 × 768: 18 GB/s by MKL, 40 by oneDNN.
"""

import platform
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter
from torch.nn.functional import linear

from regard.attention.eager import is_eager
from regard.attention.torch_private import is_dispatched, onednn_linear

WORTH = 1 << 21  # multiplications that are worth a call, which takes some 10 µs more
WIDE = 1 << 18  # numbers of a matrix that is worth it, however few the rows


def _is_of_amd() -> bool:
    """Whether the processor is one of AMD's, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    return "AuthenticAMD" in (info.read_text() if info.exists() else platform.processor())


# Asked once: what processor it is does not change.
IS_QUICKER = (
    torch.backends.mkl.is_available()
    and torch.backends.mkldnn.is_available()
    and torch.backends.cpu.get_cpu_capability().startswith("AVX512")
    and _is_of_amd()
)


def multiply(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """X Wᵀ + b, of x (…, C) and W (O, C), by what is quickest: `torch.nn.functional.linear`, or the same by oneDNN.

    >>> multiply(torch.ones(2, 3), torch.eye(3)).equal(torch.ones(2, 3))
    True
    """
    if not IS_QUICKER or not is_eager(x) or not _pays(x, weight) or is_dispatched() or torch.is_autocast_enabled("cpu"):
        return linear(x, weight, bias)
    given = (x, weight) if bias is None else (x, weight, bias)
    if not all([_may_be_given(one) for one in given]):
        return linear(x, weight, bias)
    if torch.is_grad_enabled() and any([one.requires_grad for one in given]):
        return _Product.apply(x, weight, bias)  # pyright: ignore[reportReturnType]
    return onednn_linear(x, weight, bias)


def _pays(x: Tensor, weight: Tensor) -> bool:
    numbers = weight.numel()
    return numbers >= WIDE or (numbers > 0 and x.numel() // x.shape[-1] * numbers >= WORTH)


def _may_be_given(x: Tensor) -> bool:
    """Whether it is what the operator takes for granted: float32 numbers in memory, row by row or column by column."""
    is_usual = type(x) in (Tensor, Parameter) and x.is_cpu and x.dtype == torch.float32
    return is_usual and (x.is_contiguous() or x.mT.is_contiguous())


class _Product(torch.autograd.Function):
    """The operator has no gradients of its own."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        return onednn_linear(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        # Where a second derivative is wanted, by what has one.
        times = linear if torch.is_grad_enabled() else onednn_linear
        grad = grad.contiguous()
        grads, rows = grad.flatten(0, -2), x.flatten(0, -2)
        return (
            times(grad, weight.T) if of_x else None,
            times(grads.T, rows.T) if of_weight else None,
            grads.sum(0) if of_bias else None,
        )
