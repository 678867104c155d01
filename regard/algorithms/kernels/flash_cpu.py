"""The CPU's fused kernel with its log-sum-exp, which sdpa keeps to itself, and the gradients of both."""

import torch
from torch import Tensor
from torch.autograd.forward_ad import unpack_dual

from regard.algorithms.kernels.layouts import widen as widen_to

flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default
_flash_backward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default


def refuse_forward_mode(*tensors: Tensor) -> None:
    """Raise where a forward-mode derivative is asked for: an operator without one would answer zero."""
    if not torch.compiler.is_compiling() and any(unpack_dual(x).tangent is not None for x in tensors):
        raise RuntimeError(
            "packed, blockwise and banded attention have no forward-mode derivative; use algorithm='reference'"
        )


def flash_backward(
    grads: list[Tensor],
    q: Tensor,
    k: Tensor,
    v: Tensor,
    out: Tensor,
    lse: Tensor,
    causal: bool,
    bias: Tensor | None,
    beta: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients by the kernel, from those of the output and perhaps of the log-sum-exp, which it has no argument for.

    It forms `dS = P ∘ (dO vᵀ − rows of dO·o)`, and the log-sum-exp adds `P ∘ dl`. So it is given one column more, in
    which v is 0, o is 1 and dO is −dl.
    """
    width = q.shape[3]
    if len(grads) == 1:
        grad, out = widen_to(grads[0], width), widen_to(out, width)
        return _flash_backward(grad, q, k, v, out, lse, 0.0, causal, attn_mask=bias, scale=beta)
    wider = width + 16  # a whole vector register
    grad, out = widen_to(grads[0], wider), widen_to(out, wider)
    grad[..., width], out[..., width] = -grads[1].to(grad.dtype), 1
    q, k, v = (widen_to(x, wider) for x in (q, k, v))
    return _flash_backward(grad, q, k, v, out, lse, 0.0, causal, attn_mask=bias, scale=beta)


@torch.library.custom_op("regard::flash_with_lse", mutates_args=(), device_types="cpu")
def flash_with_lse(q: Tensor, k: Tensor, v: Tensor, bias: Tensor, beta: float) -> tuple[Tensor, Tensor]:
    """Output and log-sum-exp under an additive mask, one width and one key head per head, with gradients of both."""
    out, lse = flash(q, k, v, 0.0, False, attn_mask=bias.expand(*q.shape[:3], -1), scale=beta)
    return out.contiguous(), lse.contiguous()


@flash_with_lse.register_fake
def _(q: Tensor, k: Tensor, v: Tensor, bias: Tensor, beta: float) -> tuple[Tensor, Tensor]:
    exact = torch.promote_types(q.dtype, torch.float32)
    return q.new_empty(q.shape), q.new_empty(q.shape[:3], dtype=exact)


@torch.library.custom_op("regard::flash_with_lse_backward", mutates_args=(), device_types="cpu")
def _backward(
    grads: list[Tensor], q: Tensor, k: Tensor, v: Tensor, bias: Tensor, out: Tensor, lse: Tensor, beta: float
) -> list[Tensor]:
    bias = bias.expand(*q.shape[:3], -1)
    width = q.shape[3]
    found = flash_backward(grads, q, k, v, out, lse, False, bias, beta)
    return [x[..., :width].contiguous() for x in found]


@_backward.register_fake
def _(grads: list[Tensor], q: Tensor, k: Tensor, v: Tensor, bias: Tensor, out: Tensor, lse: Tensor, beta: float):
    return [x.new_empty(x.shape) for x in (q, k, v)]


def _save(ctx, inputs, output) -> None:
    *tensors, ctx.beta = inputs
    ctx.save_for_backward(*tensors, *output)


def _differentiate(ctx, grad: Tensor, grad_lse: Tensor):
    return *_backward([grad.contiguous(), grad_lse], *ctx.saved_tensors, ctx.beta), None, None


flash_with_lse.register_autograd(_differentiate, setup_context=_save)
