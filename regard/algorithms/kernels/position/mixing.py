"""Values mixed by maps that all rows of a batch share, heads laid side by side so that merging them is free."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.eager import given, is_eager, once


def mix(maps: Float[Tensor, "H T S"], v: Float[Tensor, "B G S E"]) -> Float[Tensor, "B H T E"]:
    """`o_bh = maps_h · v_bg`, as a view of (B, T, H, E) memory. Maps may be wider than v, which they are rounded to."""
    H, G = maps.shape[0], v.shape[1]
    if not is_eager(v):
        grouped = maps.to(v.dtype).unflatten(0, (G, H // G))
        return torch.einsum("grts,bgse->btgre", grouped, v).flatten(2, 3).transpose(1, 2)
    mixed = _Mixed.apply(maps, v)
    assert isinstance(mixed, Tensor)
    return mixed


class _Mixed(torch.autograd.Function):
    """The product without copies of the map for each row, nor of the output for each head."""

    @staticmethod
    @given
    def forward(ctx: Any, maps: Tensor, v: Tensor) -> Tensor:
        ctx.exact = maps.dtype
        maps = rounded(maps, v)
        ctx.save_for_backward(maps, v)
        return _mixed(maps, v)

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        maps, v = ctx.saved_tensors
        if _is_small(maps, v):
            grad = grad.contiguous()  # once, for both
        grad_maps = _grad_of_maps(grad, v, maps.shape[0]) if ctx.needs_input_grad[0] else None
        grad_v = _grad_of_values(grad, maps, v) if ctx.needs_input_grad[1] else None
        return None if grad_maps is None else grad_maps.to(ctx.exact), grad_v


def rounded(maps: Tensor, v: Tensor) -> Tensor:
    """The maps in the type of v. The far ends of gaussians are numbers so small that a CPU takes ten times as long."""
    maps = maps.to(v.dtype)
    if maps.is_cuda or maps.dtype == torch.float16:
        return maps
    return torch.threshold(maps, torch.finfo(maps.dtype).tiny, 0.0)


def _mixed(maps: Tensor, v: Tensor) -> Tensor:
    (H, T, S), (B, G, _, E) = maps.shape, v.shape
    if G == 1:  # the rows of all heads are one matrix, in the order of the output
        rows = maps.transpose(0, 1).reshape(T * H, S)
        return times(rows, v[:, 0]).view(B, T, H, E).transpose(1, 2)
    if _is_small(maps, v):
        mixed = torch.bmm(maps.repeat(B, 1, 1), v.reshape(B * H, S, E))
        return mixed.view(B, H, T, E).transpose(1, 2).contiguous().transpose(1, 2)
    out = v.new_empty(B, T, H, E)
    for h in range(H):
        times(maps[h], v[:, h * G // H], out[:, :, h])
    return out.transpose(1, 2)


def times(matrix: Tensor, rows: Tensor, out: Tensor | None = None) -> Tensor:
    """One matrix times each of (B, S, E). On the CPU a batched product does not see that they share it, and crawls."""
    if rows.is_cuda:
        return torch.bmm(matrix.expand(len(rows), -1, -1), rows, out=out)
    if out is None:
        out = rows.new_empty(len(rows), matrix.shape[0], rows.shape[2])
    if matrix.numel() <= rows[0].numel():
        return out.copy_(torch.bmm(matrix.repeat(len(rows), 1, 1), rows))
    for row, slot in zip(rows, out, strict=True):
        torch.mm(matrix, row, out=slot) if slot.is_contiguous() else slot.copy_(matrix @ row)
    return out


def _is_small(maps: Tensor, v: Tensor) -> bool:
    """Maps smaller than the values that they mix: a copy for each row costs less than a call for each head."""
    return v.shape[1] == maps.shape[0] and maps.shape[1] <= v.shape[3]


def _grad_of_values(grad: Tensor, maps: Tensor, v: Tensor) -> Tensor:
    (B, H, T, E), (G, S) = grad.shape, v.shape[1:3]
    if G == 1:
        columns = maps.permute(2, 1, 0).reshape(S, T * H)
        rows = grad.transpose(1, 2).reshape(B, T * H, E)
        return times(columns, rows)[:, None]
    if _is_small(maps, v):
        return torch.bmm(maps.mT.repeat(B, 1, 1), grad.reshape(B * H, T, E)).view(B, H, S, E)
    out = grad.new_zeros(B, G, S, E) if G < H else grad.new_empty(B, G, S, E)
    for h in range(H):
        slot = out[:, h * G // H]
        if G == H:
            times(maps[h].mT, grad[:, h], slot)
        else:
            slot += times(maps[h].mT, grad[:, h])
    return out


def _grad_of_maps(grad: Tensor, v: Tensor, H: int) -> Tensor:
    """`Σ_b grad_bh v_bgᵀ`, added in float32: row by row where the maps are small, else as one product over all rows."""
    (B, _, T, E), (G, S) = grad.shape, v.shape[1:3]
    exact = torch.promote_types(grad.dtype, torch.float32)
    if T * S <= 2 * (T + S) * E and G in (1, H):
        if G == 1:
            rows = grad.transpose(1, 2).reshape(B, T * H, E)
            return torch.bmm(rows, v[:, 0].mT).sum(0, dtype=exact).view(T, H, S).transpose(0, 1)
        rows, values = grad.reshape(B * H, T, E), v.reshape(B * H, S, E)
        return torch.bmm(rows, values.mT).view(B, H, T, S).sum(0, dtype=exact)
    left = grad.permute(1, 2, 0, 3).reshape(G, H // G * T, B * E)
    right = v.permute(1, 2, 0, 3).reshape(G, S, B * E)
    return torch.bmm(left, right.mT).view(H, T, S)
