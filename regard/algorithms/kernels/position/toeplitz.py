"""Products with a map that depends on the distance of rows and of columns alone, of which only the blocks are written.

Keys are read backwards: then a query and a key meet at the *sum* of their places, and blocks go on as the queries do.
"""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard.attention.eager import given, is_eager, once
from regard.attention.positions.sizes import is_symbol

TALL = 256  # rows of a matrix that multiplies values, or more
AREA = 1 << 21  # numbers that one product gives to the gradient of the kernel, or more: a tile for each processor


class Axis(NamedTuple):
    """Query i stands at key `stride·i`, and every distance `j − stride·i` is met by some pair."""

    queries: int
    keys: int
    stride: int

    @property
    def distances(self) -> int:
        """How many there are, from that of the last query and the first key."""
        return self.keys + self.stride * (self.queries - 1)


class BlockSizes(NamedTuple):
    """Rows of queries in a block of the matrices for outputs, for gradients of values, and for those of the kernel."""

    out: int
    back: int
    side: int


def block_sizes(rows: Axis, columns: Axis, G: int, heads: int) -> BlockSizes:
    """For G groups of so many heads."""
    wide, high = heads * columns.queries, rows.stride * columns.keys
    return BlockSizes(
        _even(rows.queries, -(-TALL // wide)),
        _even(-(-rows.keys // rows.stride), -(-TALL // high)),
        _even(rows.queries, 1 if is_symbol(G * wide * high) else math.ceil(math.sqrt(AREA / (G * wide * high)))),
    )


def _even(n: int, least: int) -> int:
    """A size of blocks of n, at least so large, that leaves the last one not much smaller.

    >>> _even(48, 11), _even(64, 4), _even(5, 9)
    (12, 4, 5)
    """
    if is_symbol(n) or is_symbol(least):
        return least
    return -(-n // max(1, n // least))


def quotient(kernel: Tensor, denominators: Tensor, v: Tensor, rows: Axis, columns: Axis) -> Tensor:
    """`Σ_j kernel(j − i) v_j` over the denominators, (B, H, T, E), as a view of (B, T, H, E) memory.

    The kernel is (H, distances of rows, of columns) and the denominators (H, h′, w′), both in float64; v (B, G, S, E).
    """
    if is_eager(v):
        out = _Quotient.apply(kernel, denominators, v, rows, columns)
        assert isinstance(out, Tensor)
        return out
    if torch.compiler.is_compiling():
        return _forward(kernel, denominators, v, [*rows, *columns])
    out = _mixed(kernel.to(v.dtype), v, rows, columns) * _inverse(denominators, v)
    return out.to(v.dtype).permute(4, 1, 3, 0, 2, 5).flatten(3, 4).flatten(1, 2).transpose(1, 2)


class _Quotient(torch.autograd.Function):
    """Quicker to call than an operator."""

    @staticmethod
    @given
    def forward(ctx: Any, kernel: Tensor, denominators: Tensor, v: Tensor, rows: Axis, columns: Axis) -> Tensor:
        out = _divided(kernel, denominators, v, rows, columns)
        ctx.save_for_backward(kernel, denominators, v, out)
        ctx.axes = rows, columns
        return out

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        wanted = list(ctx.needs_input_grad[:3])
        kernel, denominators, v, out = ctx.saved_tensors
        rows, columns = ctx.axes
        found = iter(_gradients(grad, kernel, denominators, v, out, rows, columns, wanted))
        return *[next(found) if want else None for want in wanted], None, None


@torch.library.custom_op("regard::toeplitz", mutates_args=())
def _forward(kernel: Tensor, denominators: Tensor, v: Tensor, sizes: list[int]) -> Tensor:
    return _divided(kernel, denominators, v, Axis(*sizes[:3]), Axis(*sizes[3:]))


@_forward.register_fake
def _(kernel: Tensor, denominators: Tensor, v: Tensor, sizes: list[int]) -> Tensor:
    return v.new_empty(v.shape[0], sizes[0] * sizes[3], kernel.shape[0], v.shape[3]).transpose(1, 2)


@torch.library.custom_op("regard::toeplitz_backward", mutates_args=())
def _backward(grad: Tensor, saved: list[Tensor], sizes: list[int], wanted: list[bool]) -> list[Tensor]:
    kernel, denominators, v, out = saved
    return _gradients(grad, kernel, denominators, v, out, Axis(*sizes[:3]), Axis(*sizes[3:]), wanted)


@_backward.register_fake
def _(grad: Tensor, saved: list[Tensor], sizes: list[int], wanted: list[bool]) -> list[Tensor]:
    kernel, denominators, v, _out = saved
    B, G, S, E = v.shape
    backwards = v.new_empty(G, S, B, E).permute(2, 0, 1, 3)
    like = (kernel.new_empty(kernel.shape), denominators.new_empty(denominators.shape), backwards)
    return [x for x, want in zip(like, wanted, strict=True) if want]


def _save(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    *tensors, ctx.sizes = inputs
    ctx.save_for_backward(*tensors, output)


def _differentiate(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    wanted = list(ctx.needs_input_grad[:3])
    found = iter(_backward(grad, list(ctx.saved_tensors), ctx.sizes, wanted))
    return *[next(found) if want else None for want in wanted], None


_forward.register_autograd(_differentiate, setup_context=_save)


def _divided(kernel: Tensor, denominators: Tensor, v: Tensor, rows: Axis, columns: Axis) -> Tensor:
    out = v.new_empty(v.shape[0], rows.queries * columns.queries, kernel.shape[0], v.shape[3]).transpose(1, 2)
    mixed = _mixed(kernel.to(v.dtype), v, rows, columns)
    torch.mul(mixed, _inverse(denominators, v), out=_by_group(out, v.shape[1], rows, columns))
    return out


def _inverse(denominators: Tensor, v: Tensor) -> Tensor:
    """One over the mean weight, (G, h′, H/G, w′, 1, 1): numerators are means too, which float16 can hold."""
    inverse = (v.shape[2] / denominators).to(torch.promote_types(v.dtype, torch.float32))
    return inverse.unflatten(0, (v.shape[1], -1)).transpose(1, 2)[..., None, None]


def _by_group(x: Tensor, G: int, rows: Axis, columns: Axis) -> Tensor:
    """(B, H, T, E) as a view (G, h′, H/G, w′, B, E)."""
    return x.unflatten(1, (G, -1)).unflatten(3, (rows.queries, columns.queries)).permute(1, 3, 2, 4, 0, 5)


def _mixed(kernel: Tensor, v: Tensor, rows: Axis, columns: Axis) -> Tensor:
    """Numerators over the number of keys, (G, h′, H/G, w′, B, E)."""
    (B, G, S, E), heads = v.shape, kernel.shape[0] // v.shape[1]
    size = block_sizes(rows, columns, G, heads).out
    number = -(-rows.queries // size)
    kernel = _longer(kernel.flip(1, 2), rows.keys + rows.stride * (number * size - 1))
    blocks = kernel.unflatten(0, (G, heads)).unfold(2, rows.keys + rows.stride * (number - 1) * size, rows.stride)
    blocks = blocks.unfold(3, columns.keys, columns.stride).transpose(1, 2)  # (G, size, H/G, w′, …, w)
    table = blocks.reshape(G, size * heads * columns.queries, -1)
    values = v.flip(2).permute(1, 2, 0, 3).reshape(G, S, B * E)
    out = _slices_times(table, values, rows.stride * size * columns.keys, 1 / S)
    return out.view(G, number * size, heads, columns.queries, B, E)[:, : rows.queries]


def _longer(kernel: Tensor, length: int) -> Tensor:
    """Zeros after the last row, up to so many: the last block may reach beyond the grid."""
    return kernel if kernel.shape[1] == length else pad(kernel, (0, 0, 0, length - kernel.shape[1]))


def _slices_times(table: Tensor, values: Tensor, step: int, factor: float) -> Tensor:
    """Slices of the table (G, M, …), each `step` columns after the last, times the values (G, K, N): (G, n, M, N).

    The slices overlap: they are views, which a batched product reads without a copy.
    """
    slices = table.unfold(2, values.shape[1], step).transpose(1, 2)
    G, n, M, _ = slices.shape
    if not is_eager(values):
        values = factor * values
        return torch.stack([some @ matrix for some, matrix in zip(slices, values, strict=True)])
    out = values.new_empty(G, n, M, values.shape[2])
    for some, matrix, slot in zip(slices, values, out, strict=True):
        torch.baddbmm(slot, some, matrix.expand(n, -1, -1), beta=0, alpha=factor, out=slot)
    return out


def _gradients(
    grad: Tensor,
    kernel: Tensor,
    denominators: Tensor,
    v: Tensor,
    out: Tensor,
    rows: Axis,
    columns: Axis,
    wanted: list[bool],
) -> list[Tensor]:
    """Those of kernel, denominators and values that are wanted."""
    G, S = v.shape[1:3]
    inverse = _inverse(denominators, v)
    laid = _by_group(grad, G, rows, columns)
    numerators = grad.new_empty(laid.shape)
    torch.mul(laid, inverse, out=numerators)
    found = []
    if wanted[0]:
        found.append(_grad_of_kernel(numerators, v, rows, columns).to(kernel.dtype) / S)
    if wanted[1]:
        # From the rounded numerators as well, so that what all values have in common cancels.
        total = (numerators * _by_group(out, G, rows, columns)).sum((4, 5), dtype=inverse.dtype)
        found.append((total.transpose(1, 2).to(kernel.dtype) / -S).reshape(denominators.shape))
    if wanted[2]:
        found.append(_grad_of_values(kernel.to(v.dtype), numerators, rows, columns))
    return found


def _grad_of_values(kernel: Tensor, numerators: Tensor, rows: Axis, columns: Axis) -> Tensor:
    """The transposed product: blocks of keys, backwards again, against the rows of all queries and heads."""
    G, _, heads, _, B, E = numerators.shape
    size = block_sizes(rows, columns, G, heads).back
    stride, S = rows.stride, rows.keys * columns.keys
    number = -(-rows.keys // (stride * size))
    kernel = _longer(kernel.flip(1, 2), stride * (rows.queries + number * size - 1))
    blocks = kernel.unflatten(0, (G, heads)).unfold(2, stride * size, stride)
    blocks = blocks.unfold(3, columns.keys, columns.stride).permute(0, 4, 5, 2, 1, 3)  # (G, block, w, …, H/G, w′)
    table = blocks.reshape(G, stride * size * columns.keys, -1)
    step = size * heads * columns.queries
    grad = _slices_times(table, numerators.view(G, -1, B * E), step, 1 / S).view(G, -1, B, E)
    return grad[:, :S].permute(2, 0, 1, 3).flip(2)


def _grad_of_kernel(numerators: Tensor, v: Tensor, rows: Axis, columns: Axis) -> Tensor:
    """`Σ g_i v_jᵀ` over the pairs of each distance: for blocks at each distance of blocks, then along the diagonals.

    The blocks at one distance lie in two slices, so that one product adds them up, and no pair beyond the grid is made.
    """
    G, _, heads, w, B, E = numerators.shape
    side = block_sizes(rows, columns, G, heads).side
    stride, wide = rows.stride, torch.promote_types(v.dtype, torch.float32)
    exact = v.dtype if v.is_cuda else wide  # on the GPU products of half precision add up in float32
    n, m = -(-rows.queries // side), -(-rows.keys // (stride * side))
    left = _in_blocks(numerators.to(exact), n, side)
    right = _in_blocks(v.to(exact).unflatten(2, (rows.keys, -1)).permute(1, 2, 3, 0, 4), m, stride * side).mT
    length = stride * ((n + m) * side - 1)  # distances of rows, with those of what was added
    room, slots = _room(v, wide, (G, side, heads * w, (n + m - 1) * right.shape[2]), stride * columns.keys)
    for distance, slot in enumerate(slots.flatten(1, 2).tensor_split(n + m - 1, 2), start=1 - n):
        first, last = max(0, -distance), min(n, m - distance)
        a = left[:, :, first * B * E : last * B * E]
        b = right[:, (first + distance) * B * E : (last + distance) * B * E]
        torch.bmm(a, b, out=slot) if wide == exact else torch.bmm(a, b, wide, out=slot)
    by_row = _shifted(room, slots, stride * columns.keys).unflatten(3, (length, columns.keys))
    room, slots = _room(v, wide, (G * heads, w, length, columns.keys), columns.stride)
    torch.sum(by_row, 1, out=slots.view(G, heads * w, length, columns.keys))
    grad = _shifted(room, slots, columns.stride).sum(1)
    return grad[:, stride * (n * side - rows.queries) :][:, : rows.distances]


def _in_blocks(x: Tensor, number: int, size: int) -> Tensor:
    """Rows (G, n, …, B, E) in blocks, the last with zeros, as (G, size · …, number · B · E)."""
    added = number * size - x.shape[1]
    if added:
        x = torch.cat((x, x.new_zeros(x.shape[0], added, *x.shape[2:])), 1)
    x = x.unflatten(1, (number, size)).movedim(1, -3)
    return x.flatten(-3).flatten(1, -2)


def _room(like: Tensor, dtype: torch.dtype, sizes: tuple[int, int, int, int], shift: int) -> tuple[Tensor, Tensor]:
    """Memory for numbers of these sizes (…, n, …, m) in rows that have n − 1 shifts of zeros before and after them."""
    gap = shift * (sizes[1] - 1)
    pitch = sizes[3] + gap
    room = like.new_empty(sizes[0] * sizes[1] * sizes[2] * pitch + gap, dtype=dtype)
    rows = room[gap:].view(*sizes[:3], pitch)
    room[:gap] = 0
    rows[..., sizes[3] :] = 0
    return room, rows[..., : sizes[3]]


def _shifted(room: Tensor, slots: Tensor, shift: int) -> Tensor:
    """`[…, i, …, c]` is the slot `[…, i, …, c − shift·(n − 1 − i)]`, or zero: diagonals as columns."""
    outer, along, row, _ = slots.stride()
    return room.as_strided((*slots.shape[:3], row), (outer, along + shift, row, 1))
