"""torch's kernels with a sink: a logit of each head that takes weight and gives nothing.

    o′ = o·σ(l − s)        l′ = log(exp l + exp s)

The kernels give the log-sum-exp l, and no gradient to it. Going back they form `P = exp(logits − l)` and the row sums
of dO·o from what they are handed: handed l′ and o′, they give the gradients with the sink, at no cost.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad
from torch.utils.flop_counter import register_flop_formula

from regard.algorithms.kernels.layouts import laid_out
from regard.algorithms.kernels.sdpa import prepared_for
from regard.attention import torch_private
from regard.attention.eager import is_eager, refuse_transforms

ROWS = 32  # of a log-sum-exp of the efficient kernel, to a multiple of which it is filled up


def attend_with_sink(
    kernel: str,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    sink: Tensor,
    *,
    beta: float,
    causal: bool = False,
    bias: Tensor | None = None,
) -> Tensor:
    """As `attend_by`, with a sink (H,); no row may be empty."""
    learns = torch.is_grad_enabled() and any([x.requires_grad for x in (q, k, v, sink)])
    E = v.shape[3]
    q, k, v, bias = prepared_for(kernel, q, k, v, bias)
    if is_eager(q) and not learns:  # an operator costs the host some ten microseconds
        return _joined(q, k, v, bias, sink, kernel, beta, causal)[0][..., :E]
    refuse_transforms(q, k, v, sink, maps=True)
    return _operator(q, k, v, bias, sink, kernel, beta, causal)[0][..., :E]


def _joined(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, sink: Tensor, kernel: str, beta: float, causal: bool
) -> tuple[Tensor, Tensor]:
    """O′ and l′, of the kernel's o and l."""
    out, lse = forward_by(kernel, q, k, v, bias, beta, causal)
    s = sink.to(lse.dtype)[:, None]
    joined = _empty_output(q, v)
    torch.mul(out, torch.sigmoid(lse - s)[..., None], out=joined)
    return joined, torch.logaddexp(lse, s).contiguous()


@torch.library.custom_op("regard::sdpa_with_sink", mutates_args=(), device_types=("cpu", "cuda"))
def _operator(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, sink: Tensor, kernel: str, beta: float, causal: bool
) -> tuple[Tensor, Tensor]:
    q, k, v = (laid_out(x) for x in (q, k, v))
    return _joined(q, k, v, bias, sink, kernel, beta, causal)


@_operator.register_fake
def _(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, sink: Tensor, kernel: str, beta: float, causal: bool
) -> tuple[Tensor, Tensor]:
    exact = torch.promote_types(q.dtype, torch.float32)
    return _empty_output(q, v), q.new_empty(q.shape[:3], dtype=exact)


def _empty_output(q: Tensor, v: Tensor) -> Tensor:
    """Heads lie inside tokens, as the kernels lay them: merging them is free."""
    B, H, T, _ = q.shape
    return q.new_empty(B, T, H, v.shape[3]).transpose(1, 2)


def forward_by(
    kernel: str, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, beta: float, causal: bool
) -> tuple[Tensor, Tensor]:
    """Output and log-sum-exp (B, H, T), of what `prepared_for` gave."""
    if kernel == "cpu":
        found = torch_private.flash_cpu(q, k, v, 0.0, causal, attn_mask=bias, scale=beta)
    elif kernel == "flash":
        found = torch_private.flash(q, k, v, 0.0, causal, False, scale=beta)
    elif kernel == "efficient":
        found = torch_private.efficient(q, k, v, bias, True, 0.0, causal, scale=beta)
    else:
        found = torch_private.cudnn(q, k, v, bias, True, 0.0, causal, False, scale=beta)
    B, H, T, _ = q.shape
    return found[0], found[1].reshape(B, H, -1)[..., :T]


@torch.library.custom_op("regard::sdpa_with_sink_backward", mutates_args=(), device_types=("cpu", "cuda"))
def _operator_backward(
    grad: Tensor, saved: list[Tensor], bias: Tensor | None, kernel: str, beta: float, causal: bool
) -> list[Tensor]:
    q, k, v, sink, out, lse = saved
    exact = lse.dtype
    # Each row sends the sink what it sends all its logits together, less what it sends those of the keys.
    shares = (sink.to(exact)[:, None] - lse).exp()
    to_sink = -(shares * (grad.to(exact) * out).sum(-1)).sum((0, 2))
    grad, q, k, v, out = (laid_out(x) for x in (grad, q, k, v, out))
    found = backward_by(kernel, grad, q, k, v, bias, out, lse, beta, causal)
    return [*[x.to(y.dtype).contiguous() for x, y in zip(found, (q, k, v), strict=True)], to_sink.to(sink.dtype)]


@_operator_backward.register_fake
def _(grad: Tensor, saved: list[Tensor], bias: Tensor | None, kernel: str, beta: float, causal: bool) -> list[Tensor]:
    return [x.new_empty(x.shape) for x in saved[:4]]


def backward_by(
    kernel: str,
    grad: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    bias: Tensor | None,
    out: Tensor,
    lse: Tensor,
    beta: float,
    causal: bool,
) -> tuple[Tensor, ...]:
    """The kernel's own way back, for a log-sum-exp and an output that other keys or a sink may have a part in.

    Without dropout it reads no seed, but must be handed one.
    """
    T, S = q.shape[2], k.shape[2]
    if kernel == "cpu":
        return torch_private.flash_cpu_backward(grad, q, k, v, out, lse, 0.0, causal, attn_mask=bias, scale=beta)
    if kernel == "flash":
        seeds = [torch.empty(size, dtype=torch.uint64, device=q.device) for size in ((2,), ())]
        return torch_private.flash_backward(grad, q, k, v, out, lse, None, None, T, S, 0.0, causal, *seeds, scale=beta)
    seeds = [torch.empty((), dtype=torch.int64, device=q.device) for _ in range(2)]
    if kernel == "efficient":
        lse = pad(lse, (0, -T % ROWS), value=torch.inf)
        wanted = [True, True, True, False]
        return torch_private.efficient_backward(grad, q, k, v, bias, out, lse, *seeds, 0.0, wanted, causal, scale=beta)[
            :3
        ]
    lse = lse[..., None]
    return torch_private.cudnn_backward(
        grad, q, k, v, out, lse, *seeds, bias, None, None, T, S, 0.0, causal, scale=beta
    )


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    q, k, v, bias, sink, ctx.kernel, ctx.beta, ctx.causal = inputs
    ctx.save_for_backward(q, k, v, sink, *output, bias)


def _differentiate(ctx: Any, grad: Tensor, _: Any) -> tuple[Tensor | None, ...]:
    *saved, bias = ctx.saved_tensors
    dq, dk, dv, to_sink = _operator_backward(grad, saved, bias, ctx.kernel, ctx.beta, ctx.causal)
    return dq, dk, dv, None, to_sink, None, None, None


_operator.register_autograd(_differentiate, setup_context=_save)


def _refuse_to_differentiate(ctx: Any, *grads: Any) -> None:
    raise RuntimeError("this algorithm has no second derivative; use algorithm='reference'")


_operator_backward.register_autograd(_refuse_to_differentiate)


@register_flop_formula([torch.ops.regard.sdpa_with_sink])
def _flops(q: Any, k: Any, v: Any, *rest: Any, **others: Any) -> int:
    (B, H, T, D), (S, E) = q, v[2:]
    return 2 * B * H * T * S * (D + E)


@register_flop_formula([torch.ops.regard.sdpa_with_sink_backward])
def _flops_backward(grad: Any, saved: Any, *rest: Any, **others: Any) -> int:
    """Logits again, dP, and the three gradients."""
    (B, H, T, D), (S, E) = saved[0], saved[2][2:]
    return 2 * B * H * T * S * (3 * D + 2 * E)
