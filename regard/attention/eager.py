"""Whether tensors are what they seem: numbers in memory, neither traced, nor transformed, nor fake.

Hand-written gradients are for such tensors alone; what they need is here too.
"""

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.forward_ad import unpack_dual
from torch.linalg import vector_norm
from torch.nn import Parameter

from regard.attention.torch_private import is_dispatched, is_forward_mode, is_transformed, transforms_of

MODERATE = 1e15


def is_eager(x: Tensor) -> bool:
    """Whether hand-written gradients may be used: no compiler, no functorch transform, no forward-mode derivative."""
    return not (torch.compiler.is_compiling() or is_transformed() or is_forward_mode())


def may_keep() -> bool:
    """Whether tensors that are made now may be kept for later calls.

    Not while a compiler, a transform or a dispatch mode (fake tensors, a counter) is at work, and nothing made while a
    CUDA graph is captured, whose memory belongs to the graph.
    """
    if torch.compiler.is_compiling() or is_transformed() or is_forward_mode() or is_dispatched():
        return False
    return not (torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing())


def are_moderate(*tensors: Tensor) -> bool:
    """Whether all numbers are known to be finite, and so small that sums of their products are: a weight of zero hides
    them then. By their norms, and on the CPU alone, where nobody waits for them.

    Copies without what nobody sees take ten times as long, and a training step goes back through them.
    """
    if not may_keep() or not all([x.is_cpu and type(x) in (Tensor, Parameter) for x in tensors]):
        return False
    with torch.no_grad():
        # All numbers of float16 are small, and its norm is slow: a sum tells whether they are finite.
        sizes = [x.sum().abs() if x.dtype == torch.float16 else vector_norm(x) for x in tensors]
        return all([bool(size < MODERATE) for size in sizes])


def given(forward: Callable[..., Any]) -> Callable[..., Any]:
    """A `forward` that notes which of its inputs learn, for `once`."""

    @functools.wraps(forward)
    def wrapped(ctx: Any, *inputs: Any) -> Any:
        ctx.given = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
        return forward(ctx, *inputs)

    return wrapped


def once(backward: Callable[..., Any]) -> Callable[..., Any]:
    """A `backward` whose results raise when they are differentiated again, by whatever was given or comes back.

    torch's own `once_differentiable` notices that only where the incoming gradient needs one.
    """

    @functools.wraps(backward)
    def wrapped(ctx: Any, *grads: Any) -> Any:
        if not torch.is_grad_enabled():
            return backward(ctx, *grads)
        with torch.no_grad():
            found = backward(ctx, *grads)
        sources = [*ctx.given, *[x for x in grads if isinstance(x, Tensor) and x.requires_grad]]
        single = not isinstance(found, tuple)
        results = [_Last.apply(x, *sources) if isinstance(x, Tensor) else x for x in ((found,) if single else found)]
        return results[0] if single else tuple(results)

    return wrapped


class _Last(torch.autograd.Function):
    """The tensor itself, which belongs to what it was made from, and cannot be differentiated."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, *sources: Tensor) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        raise RuntimeError("this algorithm has no second derivative; use algorithm='reference'")


def refuse_forward_mode(*tensors: Tensor) -> None:
    """Raise where a forward-mode derivative is asked for: an operator without one would answer zero."""
    if torch.compiler.is_compiling() or not is_forward_mode():
        return
    if any([unpack_dual(x).tangent is not None for x in tensors]):
        raise RuntimeError("this algorithm has no forward-mode derivative; use algorithm='reference'")


def refuse_transforms(*tensors: Tensor, maps: bool) -> None:
    """Raise where an operator of our own is asked for what torch cannot derive of it: a forward-mode derivative, one of
    `torch.func`, or, unless it `maps`, a map.
    """
    refuse_forward_mode(*tensors)
    if torch.compiler.is_compiling() or not is_transformed():
        return
    differentiated, mapped = (any(found) for found in zip(*[transforms_of(x) for x in tensors], strict=True))
    if differentiated:
        raise RuntimeError("this algorithm has no derivative under torch.func; use algorithm='reference', or autograd")
    if mapped and not maps:
        raise RuntimeError("this algorithm cannot be mapped by torch.func; use algorithm='reference', or a batch")
