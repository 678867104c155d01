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
from torch.nn import Parameter, functional

from regard.attention.eager import is_eager
from regard.attention.torch_private import is_dispatched, is_overridden, onednn_linear

WORTH = 1 << 21  # multiplications that are worth a call, which takes some 10 µs more
WIDE = 1 << 18  # numbers of a matrix that is worth it, however few the rows
OWN = functional.linear  # a profiler may put another one in its place


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
    if not IS_QUICKER or _is_watched(x) or not _pays(x, weight) or not _may_be_given(x, weight, bias):
        return functional.linear(x, weight, bias)
    given = (x, weight) if bias is None else (x, weight, bias)
    if torch.is_grad_enabled() and any([one.requires_grad for one in given]):
        return _Product.apply(x, weight, bias)  # pyright: ignore[reportReturnType]
    return onednn_linear(x, weight, bias)


def _is_watched(x: Tensor) -> bool:
    """Whether something is at work that knows torch's own product alone, or oneDNN is switched off."""
    is_traced = torch.jit.is_tracing()  # pyright: ignore[reportPrivateImportUsage] - it is documented
    if is_traced or not is_eager(x) or is_dispatched() or is_overridden() or torch.is_autocast_enabled("cpu"):
        return True
    return functional.linear is not OWN or not torch.backends.mkldnn.enabled


def _pays(x: Tensor, weight: Tensor) -> bool:
    return weight.numel() >= WIDE or x.numel() * len(weight) >= WORTH


def _may_be_given(x: Tensor, weight: Tensor, bias: Tensor | None) -> bool:
    """Whether they are what the operator takes for granted: matrices and a row of numbers whose sizes fit."""
    fits = x.ndim > 1 and weight.ndim == 2 and x.shape[-1] == weight.shape[1]
    fits = fits and (bias is None or (bias.shape == weight.shape[:1] and _is_plain(bias) and bias.is_contiguous()))
    return fits and all([_is_plain(one) and (one.is_contiguous() or one.mT.is_contiguous()) for one in (x, weight)])


def _is_plain(x: Tensor) -> bool:
    """Whether these are float32 numbers in memory."""
    return type(x) in (Tensor, Parameter) and x.is_cpu and x.dtype == torch.float32 and x.layout == torch.strided


class _Product(torch.autograd.Function):
    """The operator has no gradients of its own."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        of_x, of_weight, _ = ctx.needs_input_grad
        # Nothing that is not needed: it would stay in memory, and could not be written to.
        ctx.save_for_backward(x if of_weight else None, weight if of_x else None)
        return onednn_linear(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        x, weight = ctx.saved_tensors
        of_bias, grad = ctx.needs_input_grad[2], grad.contiguous()
        grads = grad.reshape(-1, grad.shape[-1])
        return (
            None if weight is None else multiply(grad, weight.T),
            None if x is None else multiply(grads.T, x.reshape(-1, x.shape[-1]).T),
            grads.sum(0) if of_bias else None,
        )
