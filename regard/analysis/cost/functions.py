"""Functions that are counted as one, since what torch makes of them depends on the device.

They are the recurrent layers, and scaled dot product attention for a GPU that is not there.
"""

from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from regard.algorithms.planning.cost import Count
from regard.analysis.cost.masks import known
from regard.analysis.cost.operations import Products, Wanted, backward_products, dense_pairs, forward_products
from regard.analysis.cost.watch import Watch

RECURRENT = frozenset({"lstm", "gru", "rnn_tanh", "rnn_relu"})


class WholeFunctions(TorchFunctionMode):
    """Counts those functions for a `Watch`."""

    def __init__(self, watch: Watch, for_cuda: bool) -> None:
        super().__init__()
        self.watch, self.for_cuda = watch, for_cuda

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in RECURRENT and len(args) == 9:
            return _run_recurrent(self.watch, name, args)
        if func is functional.scaled_dot_product_attention and self.for_cuda and _has_cuda_kernel(*args, **kwargs):
            return _run_sdpa(self.watch, *args, **kwargs)
        return func(*args, **kwargs)


def _has_cuda_kernel(q: Tensor, k: Tensor, v: Tensor, attn_mask: Tensor | None = None, *_: Any, **__: Any) -> bool:
    """Whether one of CUDA's kernels would take this call, without a map of pairs."""
    same = q.dtype == k.dtype == v.dtype and q.ndim == k.ndim == v.ndim == 4
    wants_bias = attn_mask is not None and attn_mask.requires_grad
    return same and not wants_bias and q.shape[-1] % 8 == 0 and v.shape[-1] % 8 == 0 and q.dtype != torch.float64


def _run_sdpa(
    watch: Watch,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Run the CPU's kernel, which keeps in memory what CUDA's kernels keep: the output and a number per row."""
    del dropout_p, enable_gqa
    mask = attn_mask
    if mask is not None and mask.dtype == torch.bool:
        mask = torch.zeros_like(mask, dtype=q.dtype).masked_fill_(~mask, -torch.inf)
    if mask is not None:
        mask = mask.expand(q.shape[0], q.shape[1], q.shape[2], k.shape[2])
    kernel = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    if q.shape[-1] == v.shape[-1]:
        return kernel(q, k, v, 0.0, is_causal, attn_mask=mask, scale=scale)[0]
    named = {"query": q, "key": k, "value": v, "is_causal": is_causal}
    with unset_fake_temporarily():
        pairs, widths = dense_pairs(named, mask, watch.sizes, "cuda", watch.read_pairs)
    back = backward_products(pairs, *widths, Wanted.by(q, k, v)).needed
    width = max(q.shape[-1], v.shape[-1])
    padded = [functional.pad(x, (0, width - x.shape[-1])) for x in (q, k, v)]
    with watch.scope(forward_products(pairs, *widths).needed, back):  # zeros are computed, and not needed
        out = kernel(*padded, 0.0, is_causal, attn_mask=mask, scale=scale or q.shape[-1] ** -0.5)[0]
    return out[..., : v.shape[-1]]


def _run_recurrent(watch: Watch, name: str, args: tuple[Any, ...]) -> Any:
    """LSTM, GRU and plain recurrent layers: every step multiplies its input and its state once by each weight."""
    if isinstance(args[1], Tensor) and isinstance(args[3], (list, tuple)):  # packed sequences
        x, batch_sizes, hx, weights, _, num_layers, _, _, two_ways = args
        batch_first = False
    else:
        x, hx, weights, _, num_layers, _, _, two_ways, batch_first = args
        batch_sizes = None
    states = list(hx) if isinstance(hx, (list, tuple)) else [hx]
    directions = 2 if two_ways else 1
    each = len(weights) // (num_layers * directions)
    sizes = watch.sizes(x)
    if batch_sizes is not None:
        lengths = known(batch_sizes)
        starts = watch.read(x.shape[0] if lengths is None else int(lengths[0]))
        steps = sizes[0]
    else:
        steps = sizes[0] * sizes[1] if x.ndim == 3 else sizes[0]
        starts = (sizes[0] if batch_first else sizes[1]) if x.ndim == 3 else 1
    wants_hidden = any(state.requires_grad for state in states)
    forward: Count = 0
    backward: Count = 0
    for n, weight in enumerate(weights):
        if weight.ndim < 2:
            continue
        rows, columns = watch.sizes(weight)
        once = 2 * steps * rows * columns
        forward = forward + once
        backward = backward + (once if weight.requires_grad else 0)
        if n % each == 1 and not wants_hidden:  # nobody asks for the gradient of the first state
            once = 2 * (steps - starts) * rows * columns
        if n % each or n >= each * directions or x.requires_grad:  # no input of the first layer
            backward = backward + once
    width = states[0].shape[-1] * directions
    return _Recurrence.apply(watch, (name, forward, backward), width, x, len(states), *states, *weights)


class _Recurrence(torch.autograd.Function):
    """Outputs and gradients of the right sizes, and no arithmetic; the watch counts the products."""

    @staticmethod
    def forward(
        ctx: Any,
        watch: Watch,
        counted: tuple[str, Count, Count],
        width: int,
        x: Tensor,
        num_states: int,
        *tensors: Tensor,
    ) -> Any:
        out = x.new_empty(*x.shape[:-1], width)
        states = [state.new_empty(state.shape) for state in tensors[:num_states]]
        weights = tensors[num_states:]
        gates = x.new_empty(*x.shape[:-1], sum(w.shape[0] for w in weights if w.ndim == 2) // 2)
        ctx.save_for_backward(x, out, gates, *tensors)
        ctx.watch, ctx.counted = watch, counted
        watch.add_products(counted[0], Products.all_needed(counted[1]), (x, out, gates, *tensors))
        return (out, *states)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        x, _, gates, *tensors = ctx.saved_tensors
        name, _, flops = ctx.counted
        ctx.watch.add_products(f"{name}_backward", Products.all_needed(flops), (x, gates, *tensors, *grads))
        wanted = zip((x, *tensors), (ctx.needs_input_grad[3], *ctx.needs_input_grad[5:]), strict=True)
        of_x, *found = [torch.empty_like(t) if want else None for t, want in wanted]
        return None, None, None, of_x, None, *found
