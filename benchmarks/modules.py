"""Whole modules: nn.MultiheadAttention, x-transformers' Attention and regard's MultiHead with the same weights."""

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.contest import TOLERANCES, distance
from benchmarks.peers import Unavailable
from benchmarks.record import Row, race
from benchmarks.setting import Setting, progress
from benchmarks.timing import Result, Run, explain, interleave

Forward = Callable[[Tensor, Tensor], Tensor]  # of the input (B, T, C) and its pads (B, T), True = pad
Maker = Callable[[nn.MultiheadAttention, str], tuple[nn.Module, Forward]]


def modules(setting: Setting) -> list[Row]:
    """Self-attention with projections, forward and backward together, without a mask, causal, and padded."""
    B, T, C, H = setting.pick(full=(8, 2048, 1024, 16) if setting.on_cuda else (4, 512, 512, 8), tiny=(2, 64, 64, 2))
    torch.manual_seed(0)
    source = nn.MultiheadAttention(C, H, bias=False, batch_first=True, device=setting.device, dtype=setting.dtype)
    rows = []
    for mask in ("none", "causal", "padding"):
        label = f"{mask} B{B} N{T} C{C} H{H} {str(setting.dtype).removeprefix('torch.')}"
        progress("modules", label)
        drawn = _draw(B, T, source, mask)
        results: dict[str, Result] = {}
        runs: dict[str, list[Run]] = {}
        for name, make in MAKERS.items():
            try:
                wrong = _verdict(make, source, mask, *drawn)
                if wrong is None:
                    runs[name] = [_run(*make(source, mask), *drawn)]
                else:
                    results[name] = wrong
            except Unavailable as reason:
                results[name] = str(reason)
            except Exception as error:
                results[name] = explain(error)
        results |= interleave(runs, setting.device, setting.effort)
        results = {name: results[name] for name in MAKERS}
        rows.append(
            race("modules", label, "both", results, [name for name in MAKERS if not name.startswith("regard")], None)
        )
    return rows


def _run(module: nn.Module, forward: Forward, x: Tensor, pads: Tensor, grad: Tensor) -> Run:
    parameters = list(module.parameters())
    return lambda: torch.autograd.grad(forward(x, pads), [x, *parameters], grad)


def _draw(B: int, T: int, source: nn.MultiheadAttention, mask: str) -> tuple[Tensor, Tensor, Tensor]:
    """Input, pads and the gradient of the output; half of the tokens are pads, and no gradient arrives there."""
    weight = source.out_proj.weight
    x, grad = (torch.randn(B, T, source.embed_dim, device=weight.device).to(weight.dtype) for _ in range(2))
    lengths = torch.linspace(1, T, B, device=weight.device).long()
    pads = torch.arange(T, device=weight.device) >= lengths[:, None]
    if mask == "padding":
        grad = grad.masked_fill(pads[..., None], 0)
    return x.requires_grad_(), pads, grad


def _verdict(
    make: Maker, source: nn.MultiheadAttention, mask: str, x: Tensor, pads: Tensor, grad: Tensor
) -> str | None:
    """None when output and input gradient equal those of torch's module in float64, at the size that is timed.

    A smaller problem would be computed by another algorithm.
    """
    _, forward = make(source, mask)
    _, exactly = _torch(copy.deepcopy(source).double(), mask)
    wide = x.detach().double().requires_grad_()
    real = ~pads[..., None] if mask == "padding" else torch.ones_like(pads)[..., None]
    out, wanted = forward(x, pads) * real, exactly(wide, pads) * real
    (gradient,) = torch.autograd.grad(out, x, grad)
    (wanted_gradient,) = torch.autograd.grad(wanted, wide, grad.double())
    worst = max(distance(out, wanted.detach()), distance(gradient, wanted_gradient))
    # Four projections round once more each.
    return None if worst <= 2 * TOLERANCES[x.dtype] else f"wrong: off by {worst:.1e}"


def _torch(source: nn.MultiheadAttention, mask: str) -> tuple[nn.Module, Forward]:
    def forward(x: Tensor, pads: Tensor) -> Tensor:
        hidden, causal = None, mask == "causal"
        if causal:
            T = x.shape[1]
            hidden = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        keys = pads if mask == "padding" else None
        return source(x, x, x, key_padding_mask=keys, attn_mask=hidden, is_causal=causal, need_weights=False)[0]

    return source, forward


def _regard(source: nn.MultiheadAttention, mask: str) -> tuple[nn.Module, Forward]:
    from regard.attention import Padding
    from regard.layers import MultiHead

    layer = MultiHead.from_torch(source)
    if mask == "padding":
        return layer, lambda x, pads: layer(x, mask=Padding.from_padding_mask(pads))
    return layer, lambda x, pads: layer(x, causal=mask == "causal")


def _regard_drop_in(source: nn.MultiheadAttention, mask: str) -> tuple[nn.Module, Forward]:
    """Called with the peers' argument, which hides pad keys only."""
    from regard.layers import MultiHead

    layer = MultiHead.from_torch(source)
    if mask != "padding":
        raise Unavailable("as regard")
    return layer, lambda x, pads: layer(x, key_padding_mask=pads)


def _x_transformers(source: nn.MultiheadAttention, mask: str) -> tuple[nn.Module, Forward]:
    try:
        from x_transformers.x_transformers import Attention
    except ImportError as error:
        raise Unavailable("not installed") from error
    C, H = source.embed_dim, source.num_heads
    layer: Any = Attention(dim=C, dim_head=C // H, heads=H, causal=mask == "causal", flash=True)
    weight = source.out_proj.weight
    layer = layer.to(weight.device, weight.dtype)
    with torch.no_grad():
        for linear, part in zip((layer.to_q, layer.to_k, layer.to_v), source.in_proj_weight.chunk(3), strict=True):
            linear.weight.copy_(part)
        layer.to_out.weight.copy_(weight)

    def forward(x: Tensor, pads: Tensor) -> Tensor:
        out = layer(x, mask=~pads if mask == "padding" else None)
        return out[0] if isinstance(out, tuple) else out

    return layer, forward


MAKERS: dict[str, Maker] = {
    "regard": _regard,
    "regard, key_padding_mask": _regard_drop_in,
    "nn.MultiheadAttention": _torch,
    "x-transformers": _x_transformers,
}
