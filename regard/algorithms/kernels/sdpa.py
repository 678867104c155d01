"""The kernels behind torch's `scaled_dot_product_attention`, each called by its own name: never its quadratic fallback.

The operators check nothing: a last stride other than 1 gives garbage, no keys at all kill the process. `attend_by`
hands them what they were promised. Under a compiler sdpa itself is called, with one kernel allowed, and on devices
whose kernels we do not know ("any") with all.
"""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import pad, scaled_dot_product_attention

from regard.algorithms.kernels.layouts import laid_out, multiple_of_eight
from regard.algorithms.planning.machines import Machine
from regard.attention import Shape, torch_private
from regard.attention.positions.sizes import surely

REGISTER = 16  # numbers of a vector register of the CPU
SMALL, FEW = 128, 256  # queries and keys, and heads of all rows, up to which the efficient kernel is quicker than flash
LONG, MANY = 512, 1 << 23  # queries, or pairs of more than SMALL queries, from which on cuDNN is worth its planning
FLASH = 80  # the capability from which on GPUs have flash and cuDNN
NARROW, LARGE = 192, 1 << 17  # widths that flash goes back from on GPUs with less shared memory than this
BACKENDS = {
    "cpu": SDPBackend.FLASH_ATTENTION,
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
}


def fastest(q: Tensor, v: Tensor, machine: Machine) -> str:
    """The fastest kernel for these sizes among those that the machine has.

    cuDNN is, but it plans for 50 ms whenever it meets new sizes: not for decoding, nor where the kernel takes
    microseconds, nor where a compiler keeps the number of queries open. Of the others the efficient one asks least of
    the host, which is all that counts where there is next to nothing to do.
    """
    if machine.kind != "cuda":
        return "cpu" if machine.kind == "cpu" else "any"
    D, E = q.shape[3], v.shape[3]
    if q.dtype == torch.float32 or not (surely(D <= 256) and surely(E <= 256)) or machine.capability < FLASH:
        return "efficient"
    if machine.shared < LARGE and not (surely(D <= NARROW) and surely(E <= NARROW)):
        return "efficient"  # on such GPUs flash does not go back
    small = surely(q.shape[2] <= SMALL) and surely(v.shape[2] <= SMALL) and surely(q.shape[1] == v.shape[1])
    if small and not torch.compiler.is_compiling():
        return "efficient" if q.shape[0] * q.shape[1] <= FEW else "flash"
    T, heads = q.shape[2], q.shape[0] * q.shape[1]
    pays = surely(T >= LONG) or (surely(T >= SMALL) and surely(heads * T * v.shape[2] >= MANY))
    return "cudnn" if surely(D <= 128) and surely(E <= 128) and pays else "flash"


def attend_by(
    kernel: str,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    beta: float,
    causal: bool = False,
    bias: Tensor | None = None,
    dropout: float = 0.0,
) -> Tensor:
    """Attention of q (B,H,T,D), k (B,G,S,D), v (B,G,S,E) by one kernel, of any widths and layouts.

    `causal` hides the keys after each query, both counted from 0. A bias, added to the logits, is for "cpu" and
    "efficient", which gives it a gradient; it broadcasts to (B,H,T,S), and may hide by −∞ but not empty a row.
    """
    E = v.shape[3]
    q, k, v, bias = prepared_for(kernel, q, k, v, bias)
    if torch.compiler.is_compiling() or kernel == "any":
        grouped = not surely(k.shape[1] == q.shape[1])
        with nullcontext() if kernel == "any" else sdpa_kernel(BACKENDS[kernel]):
            out = scaled_dot_product_attention(
                q, k, v, attn_mask=bias, dropout_p=dropout, is_causal=causal, scale=beta, enable_gqa=grouped
            )
        return out if out.shape[3] == E else out[..., :E]
    if kernel == "cpu":
        out = torch_private.flash_cpu(q, k, v, dropout, causal, attn_mask=bias, scale=beta)[0]
    elif kernel == "flash":
        out = torch_private.flash(q, k, v, dropout, causal, False, scale=beta)[0]
    else:
        learns = q.requires_grad or k.requires_grad or v.requires_grad or (bias is not None and bias.requires_grad)
        learns = learns and torch.is_grad_enabled()
        if kernel == "efficient":
            out = torch_private.efficient(q, k, v, bias, learns, dropout, causal, scale=beta)[0]
        else:
            out = torch_private.cudnn(q, k, v, bias, learns, dropout, causal, False, scale=beta)[0]
    return out if out.shape[3] == E else out[..., :E]


def direct(kernel: str, shape: Shape, beta: float, causal: bool) -> Callable[..., tuple[Tensor, None]]:
    """What `attend_by` does, in the fewest steps, for q, k and v of these sizes whose types have been checked; whatever
    is given beside them is left alone.
    """
    D, E, grouped = shape.D, shape.E, shape.G != shape.H
    if kernel == "any" or _widths(D, E, kernel) != (D, E) or (kernel == "efficient" and grouped):
        return lambda q, k, v, _: (attend_by(kernel, q, k, v, beta=beta, causal=causal), None)
    if kernel == "cpu":
        flash = torch_private.flash_cpu
        return lambda q, k, v, _: (flash(laid_out(q), laid_out(k), laid_out(v), 0.0, causal, scale=beta)[0], None)
    if kernel == "flash":
        flash = torch_private.flash
        return lambda q, k, v, _: (flash(laid_out(q), laid_out(k), laid_out(v), 0.0, causal, scale=beta)[0], None)
    call = torch_private.efficient if kernel == "efficient" else torch_private.cudnn

    def run(q: Tensor, k: Tensor, v: Tensor, _: Any) -> tuple[Tensor, None]:
        learns = torch.is_grad_enabled() and (q.requires_grad or k.requires_grad or v.requires_grad)
        return call(laid_out(q), laid_out(k), laid_out(v), None, learns, 0.0, causal, scale=beta)[0], None

    return run


def prepared_for(
    kernel: str, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """What the kernel is promised: widths, layouts and heads that it takes, and a bias for all pairs."""
    (B, H, T, D), (rows, G, S, key_width), (value_rows, value_heads, values, E) = q.shape, k.shape, v.shape
    # What sdpa checks before it calls a kernel.
    assert B == rows == value_rows
    assert value_heads == G
    assert values == S
    assert key_width == D
    assert T > 0
    assert S > 0
    assert H % G == 0
    assert q.dtype == k.dtype == v.dtype
    width, value_width = _widths(D, E, kernel)
    q, k = (laid_out(q), laid_out(k)) if width == D else (laid_out(q, width), laid_out(k, width))
    v = laid_out(v) if value_width == E else laid_out(v, value_width)
    if kernel == "efficient" and G != H:
        k, v = (x.repeat_interleave(H // G, 1) for x in (k, v))
    if bias is not None:
        bias = _laid_out_bias(bias, q, k)
    return q, k, v, bias


def _widths(D: int, E: int, kernel: str) -> tuple[int, int]:
    """Widths that the kernel takes: flash wants one for all, the CUDA kernels want multiples of eight."""
    if kernel in ("cpu", "any"):
        return (D, E) if D == E else (max(D, E), max(D, E))
    if kernel == "flash":
        return multiple_of_eight(max(D, E)), multiple_of_eight(max(D, E))
    return multiple_of_eight(D), multiple_of_eight(E)


def _laid_out_bias(bias: Tensor, q: Tensor, k: Tensor) -> Tensor:
    """The bias in the type of q, for all pairs."""
    if bias.dtype == torch.bool:
        bias = q.new_zeros(()).masked_fill(~bias, -torch.inf)
    bias = bias.to(q.dtype).expand(*bias.shape[:-1], k.shape[2])
    return (aligned(bias) if q.is_cuda else bias).expand(*q.shape[:3], k.shape[2])


def aligned(bias: Tensor) -> Tensor:
    """A bias as a GPU's kernel is promised it: neighbouring numbers, each row at a multiple of sixteen of them."""
    S = bias.shape[-1]
    if not bias.is_cuda:
        return bias
    if torch.compiler.is_compiling():  # where things lie is the compiler's choice
        return bias if surely(S % 16 == 0) else pad(bias, (0, -S % 16))[..., :S]
    if bias.stride(-1) == 1 and bias.stride(-2) % 16 == 0 and bias.storage_offset() % 16 == 0:
        return bias
    return pad(bias.contiguous(), (0, -S % 16))[..., :S]


def attend_with_lse(q: Tensor, k: Tensor, v: Tensor, bias: Tensor, beta: float) -> tuple[Tensor, Tensor]:
    """Output and log-sum-exp of the CPU's kernel under a bias, one width and one key head per head, with gradients of
    both.
    """
    return _with_lse(laid_out(q), laid_out(k), laid_out(v), bias, beta)


@torch.library.custom_op("regard::flash_with_lse", mutates_args=(), device_types="cpu")
def _with_lse(q: Tensor, k: Tensor, v: Tensor, bias: Tensor, beta: float) -> tuple[Tensor, Tensor]:
    q, k, v = (laid_out(x) for x in (q, k, v))
    out, lse = torch_private.flash_cpu(q, k, v, 0.0, False, attn_mask=bias.expand(*q.shape[:3], -1), scale=beta)
    return out.contiguous(), lse.contiguous()


@_with_lse.register_fake
def _(q: Tensor, k: Tensor, v: Tensor, bias: Tensor, beta: float) -> tuple[Tensor, Tensor]:
    exact = torch.promote_types(q.dtype, torch.float32)
    return q.new_empty(q.shape), q.new_empty(q.shape[:3], dtype=exact)


@torch.library.custom_op("regard::flash_with_lse_backward", mutates_args=(), device_types="cpu")
def _backward(
    grads: list[Tensor], q: Tensor, k: Tensor, v: Tensor, bias: Tensor, out: Tensor, lse: Tensor, beta: float
) -> list[Tensor]:
    bias = bias.expand(*q.shape[:3], -1)
    width = q.shape[3]
    found = flash_gradients(grads, q, k, v, out, lse, False, bias, beta)
    return [x[..., :width].contiguous() for x in found]


@_backward.register_fake
def _(
    grads: list[Tensor], q: Tensor, k: Tensor, v: Tensor, bias: Tensor, out: Tensor, lse: Tensor, beta: float
) -> list[Tensor]:
    return [x.new_empty(x.shape) for x in (q, k, v)]


def _save(ctx, inputs, output) -> None:
    *tensors, ctx.beta = inputs
    ctx.save_for_backward(*tensors, *output)


def _differentiate(ctx, grad: Tensor, grad_lse: Tensor):
    return *_backward([grad.contiguous(), grad_lse], *ctx.saved_tensors, ctx.beta), None, None


_with_lse.register_autograd(_differentiate, setup_context=_save)


def flash_gradients(
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
    """Gradients by the CPU's kernel, from those of the output and perhaps of the log-sum-exp, which it has no word for.

    It forms `dS = P ∘ (dO vᵀ − rows of dO·o)`, and the log-sum-exp adds `P ∘ dl`. So it is given one column more, in
    which v is 0, o is 1 and dO is −dl.
    """
    width = q.shape[3]
    if len(grads) == 1:
        tensors = [laid_out(x, width) for x in (grads[0], q, k, v, out)]
        return torch_private.flash_cpu_backward(*tensors, lse, 0.0, causal, attn_mask=bias, scale=beta)
    wider = width + REGISTER
    grad, q, k, v, out = (pad(x, (0, wider - x.shape[3])).contiguous() for x in (grads[0], q, k, v, out))
    grad[..., width], out[..., width] = -grads[1].to(grad.dtype), 1
    return torch_private.flash_cpu_backward(grad, q, k, v, out, lse, 0.0, causal, attn_mask=bias, scale=beta)
