"""Values on a grid mixed along rows and along columns by maps that all rows of a batch share.

    o_bh[i, u] = Σ_j Σ_w rows_h[i, j] columns_h[u, w] v_bg[j, w]

A grid of at most 16 × 16 fits into one tile: one kernel mixes both ways, and one makes all gradients, so that nothing
between is written. Larger grids go axis by axis, and write the values in between once.

Nine heads of width 400 on 32,768 tokens of a 16 × 16 grid in bfloat16, on an H200: 7.5 GFLOP forward (10 µs) and 262 MB
(61 µs); backward 19 GFLOP (24 µs) and 288 MB (68 µs). On 64 × 64: 30 GFLOP (39 µs) and 734 MB (172 µs); backward
91 GFLOP (117 µs) and 1.2 GB (282 µs).
"""

# Triton states no types of launches.
# pyright: reportCallIssue=false, reportArgumentType=false, reportAssignmentType=false, reportOperatorIssue=false
# pyright: reportIndexIssue=false, reportGeneralTypeIssues=false

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.utils.flop_counter import register_flop_formula

from regard.algorithms.kernels.launch import Launch, are_aligned, current
from regard.algorithms.kernels.tiles import shared_memory
from regard.algorithms.planning.kept import look, remember
from regard.attention.eager import given, is_eager, once
from regard.attention.torch_private import is_dispatched, is_fake, let_graphs_see

SMALL = 16  # rows and columns of a grid that fits into one tile
CHANNELS = 16  # in such a tile
LARGEST = 128  # queries and keys of one axis in a tile
CHUNK = 4  # blocks of channels in a program
PROGRAMS = 264  # that fill a GPU
FURTHEST = 1 << 24  # numbers from one token to the next


class Axis(NamedTuple):
    """Sizes of a program along one axis: outputs, inputs and channels, and its warps and stages."""

    outputs: int
    inputs: int
    channels: int
    warps: int
    stages: int


@triton.jit
def _swap(z, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    """(A, B·C) to (B, A·C)."""
    return tl.reshape(tl.permute(tl.reshape(z, (A, B, C)), (1, 0, 2)), (B, A * C))


@triton.jit
def _mix_small(
    x, rows, columns, out,
    x_b, x_h, x_j, x_w, o_b, o_h, o_i, o_u,
    P: tl.constexpr, J: tl.constexpr, U: tl.constexpr, W: tl.constexpr, E: tl.constexpr,
    GROUPS: tl.constexpr, GROUP: tl.constexpr,
    N: tl.constexpr, C: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """A block of channels of one row of the batch, mixed by the maps of a group of heads, one after the other."""
    program = tl.program_id(0)
    blocks = tl.cdiv(E, C)
    c = (program % blocks) * C + tl.arange(0, N * C) % C
    g = ((program // blocks) % GROUPS).to(tl.int64)
    b = (program // blocks // GROUPS).to(tl.int64)
    n, outer = tl.arange(0, N), tl.arange(0, N * C) // C
    inside = (n < W)[:, None] & ((outer < J) & (c < E))[None, :]
    values = tl.load(x + b * x_b + g * x_h + n[:, None] * x_w + (outer * x_j + c)[None, :], inside, 0.0)  # w, (j, c)
    kept = (n < P)[:, None] & ((outer < U) & (c < E))[None, :]
    targets = out + b * o_b + n[:, None] * o_i + (outer * o_u + c)[None, :]  # i, (u, c)
    in_rows, in_columns = (n < P)[:, None] & (n < J)[None, :], (n < U)[:, None] & (n < W)[None, :]
    for m in range(g * GROUP, (g + 1) * GROUP):
        by_row = tl.load(rows + m * P * J + n[:, None] * J + n[None, :], in_rows, 0.0)
        by_column = tl.load(columns + m * U * W + n[:, None] * W + n[None, :], in_columns, 0.0)
        z = tl.dot(by_column, values, input_precision=PRECISION).to(values.dtype)
        o = tl.dot(by_row, _swap(z, N, N, C), input_precision=PRECISION)
        tl.store(targets + m * o_h, o.to(values.dtype), kept)


@triton.jit
def _gradients_small(
    x, rows, columns, grad, dx, d_maps,
    x_b, x_h, x_j, x_w, g_b, g_h, g_i, g_u, d_b, d_h, d_j, d_w,
    P: tl.constexpr, J: tl.constexpr, U: tl.constexpr, W: tl.constexpr, E: tl.constexpr,
    GROUPS: tl.constexpr, GROUP: tl.constexpr,
    N: tl.constexpr, C: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """The gradient of that block, and what it adds to those of the maps."""
    program = tl.program_id(0)
    blocks = tl.cdiv(E, C)
    c = (program % blocks) * C + tl.arange(0, N * C) % C
    g = ((program // blocks) % GROUPS).to(tl.int64)
    b = (program // blocks // GROUPS).to(tl.int64)
    H: tl.constexpr = GROUPS * GROUP
    share = d_maps + (b * blocks + program % blocks) * H * (P * J + U * W)
    n, outer = tl.arange(0, N), tl.arange(0, N * C) // C
    inside = (n < W)[:, None] & ((outer < J) & (c < E))[None, :]
    arrives = (n < P)[:, None] & ((outer < U) & (c < E))[None, :]
    values = tl.load(x + b * x_b + g * x_h + n[:, None] * x_w + (outer * x_j + c)[None, :], inside, 0.0)  # w, (j, c)
    total = tl.zeros((N, N * C), tl.float32)
    in_rows, in_columns = (n < P)[:, None] & (n < J)[None, :], (n < U)[:, None] & (n < W)[None, :]
    at_rows, at_columns = n[:, None] * J + n[None, :], n[:, None] * W + n[None, :]
    for m in range(g * GROUP, (g + 1) * GROUP):
        arriving = tl.load(grad + b * g_b + m * g_h + n[:, None] * g_i + (outer * g_u + c)[None, :], arrives, 0.0)
        by_row = tl.load(rows + m * P * J + at_rows, in_rows, 0.0)
        by_column = tl.load(columns + m * U * W + at_columns, in_columns, 0.0)
        z = _swap(tl.dot(by_column, values, input_precision=PRECISION).to(values.dtype), N, N, C)  # j, (u, c)
        dr = tl.dot(arriving, tl.trans(z), input_precision=PRECISION)
        tl.store(share + m * P * J + at_rows, dr, in_rows)
        dz = tl.dot(tl.trans(by_row), arriving, input_precision=PRECISION).to(values.dtype)
        dz = _swap(dz, N, N, C)  # u, (j, c)
        dc = tl.dot(dz, tl.trans(values), input_precision=PRECISION)
        tl.store(share + H * P * J + m * U * W + at_columns, dc, in_columns)
        total = tl.dot(tl.trans(by_column), dz, total, input_precision=PRECISION)
    targets = dx + b * d_b + g * d_h + n[:, None] * d_w + (outer * d_j + c)[None, :]
    tl.store(targets, total.to(values.dtype), inside)


@triton.jit
def _mix_axis(
    x, maps, out,
    x_b, x_h, x_n, x_r, o_b, o_h, o_n, o_r, m_h, m_o, m_n,
    M, N, R, E, HEADS, GROUP, CHUNK,
    SUM: tl.constexpr, WHOLE: tl.constexpr,
    OB: tl.constexpr, NB: tl.constexpr, C: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """One axis: `out_h = maps_h · x_g`, or the sum over the heads h of a group, for some of the other axis."""
    program = tl.program_id(0)
    across = tl.cdiv(E, C)
    items = R * across
    blocks = tl.cdiv(items, CHUNK)
    start = (program % blocks) * CHUNK
    program //= blocks
    blocks = tl.cdiv(M, OB)
    o = (program % blocks) * OB + tl.arange(0, OB)
    program //= blocks
    h = (program % HEADS).to(tl.int64)
    b = (program // HEADS).to(tl.int64)
    n, there = tl.arange(0, NB), (o < M)[:, None]
    target = out + b * o_b + h * o_h + o[:, None] * o_n.to(tl.int64)
    if SUM:
        source, first, steps = x + b * x_b, h * GROUP, GROUP
    else:
        source, first, steps = x + b * x_b + h // GROUP * x_h, h, 1
    if WHOLE and not SUM:
        weights = tl.load(maps + h * m_h + o[:, None] * m_o + n[None, :] * m_n, there & (n < N)[None, :], 0.0)
        values = source + n[:, None] * x_n.to(tl.int64)
        for item in range(start, min(start + CHUNK, items)):
            r, c = (item // across).to(tl.int64), (item % across * C + tl.arange(0, C))[None, :]
            tile = tl.load(values + r * x_r + c, (n < N)[:, None] & (c < E), 0.0)
            mixed = tl.dot(weights, tile, input_precision=PRECISION)
            tl.store(target + r * o_r + c, mixed.to(tile.dtype), there & (c < E))
    else:
        blocks = tl.cdiv(N, NB)
        for item in range(start, min(start + CHUNK, items)):
            r, c = (item // across).to(tl.int64), (item % across * C + tl.arange(0, C))[None, :]
            mixed = tl.zeros((OB, C), tl.float32)
            for step in range(steps * blocks):
                m, k = first + step // blocks, (step % blocks) * NB + n
                weights = tl.load(maps + m * m_h + o[:, None] * m_o + k[None, :] * m_n, there & (k < N)[None, :], 0.0)
                values = source + r * x_r + k[:, None] * x_n.to(tl.int64) + c
                if SUM:
                    values += m * x_h
                tile = tl.load(values, (k < N)[:, None] & (c < E), 0.0)
                mixed = tl.dot(weights, tile, mixed, input_precision=PRECISION)
            tl.store(target + r * o_r + c, mixed.to(x.dtype.element_ty), there & (c < E))


@triton.jit
def _gradients_axis(
    x, maps, grad, dx, d_maps,
    x_b, x_h, x_n, x_r, g_b, g_h, g_n, g_r, d_b, d_h, d_n, d_r,
    M, N, R, E, B, H, GROUP, SHARES,
    VALUES: tl.constexpr,
    OB: tl.constexpr, NB: tl.constexpr, C: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """What a share of batch, other axis and channels adds to the gradient of a map, and where wanted that of x."""
    program = tl.program_id(0)
    m = (program % H).to(tl.int64)
    program //= H
    share = program % SHARES
    program //= SHARES
    blocks = tl.cdiv(N, NB)
    n = (program % blocks) * NB + tl.arange(0, NB)
    o = (program // blocks) * OB + tl.arange(0, OB)
    inside, arrives = (n < N)[:, None], (o < M)[:, None]
    at_map, in_map = o[:, None] * N + n[None, :], arrives & (n < N)[None, :]
    blocks = tl.cdiv(E, C)
    total = tl.zeros((OB, NB), tl.float32)
    sources = x + m // GROUP * x_h + n[:, None] * x_n.to(tl.int64)
    arrivals = grad + m * g_h + o[:, None] * g_n.to(tl.int64)
    targets = dx + m * d_h + n[:, None] * d_n.to(tl.int64)
    if VALUES:
        weights = tl.trans(tl.load(maps + m * M * N + at_map, in_map, 0.0))
    for item in range(share, B * R * blocks, SHARES):
        c = ((item % blocks) * C + tl.arange(0, C))[None, :]
        r = (item // blocks % R).to(tl.int64)
        b = (item // blocks // R).to(tl.int64)
        values = tl.load(sources + b * x_b + r * x_r + c, inside & (c < E), 0.0)
        arriving = tl.load(arrivals + b * g_b + r * g_r + c, arrives & (c < E), 0.0)
        total = tl.dot(arriving, tl.trans(values), total, input_precision=PRECISION)
        if VALUES:
            back = tl.dot(weights, arriving, input_precision=PRECISION).to(values.dtype)
            tl.store(targets + b * d_b + r * d_r + c, back, inside & (c < E))
    tl.store(d_maps + (share * H + m) * M * N + at_map, total, in_map)


def mix_grid(rows: Tensor, columns: Tensor, v: Tensor) -> Tensor:
    """The values (B, G, S, E) mixed by maps (H, h′, h) and (H, w′, w), as a view (B, H, T, E) of (B, T, H, E) memory.

    Maps may be wider than v, which they are rounded to; their gradients add up in float32.
    """
    if is_eager(v) and not is_dispatched():
        out = _Mixed.apply(rows, columns, v)
        assert isinstance(out, Tensor)
        return out
    narrow = [maps.detach().to(v.dtype).contiguous() for maps in (rows, columns)]
    return _operator(rows, columns, narrow[0], narrow[1], v)[0].transpose(1, 2)


def reference(rows: Tensor, columns: Tensor, v: Tensor) -> Tensor:
    """The same by products of torch."""
    x, by_group = v.unflatten(2, (rows.shape[2], columns.shape[2])), rows.to(v.dtype).unflatten(0, (v.shape[1], -1))
    between = torch.einsum("grij,bgjwe->bgriwe", by_group, x).flatten(1, 2)
    return torch.einsum("huw,bhiwe->biuhe", columns.to(v.dtype), between).flatten(1, 2).transpose(1, 2)


class _Mixed(torch.autograd.Function):
    """Quicker to call than an operator."""

    @staticmethod
    @given
    def forward(ctx: Any, rows: Tensor, columns: Tensor, v: Tensor) -> Tensor:
        ctx.kinds = rows.dtype, columns.dtype
        rows, columns = rows.to(v.dtype).contiguous(), columns.to(v.dtype).contiguous()
        out, between = _forward(rows, columns, v)
        ctx.save_for_backward(rows, columns, v, between)
        return out

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        d_rows, d_columns, dx = _gradients(grad, *ctx.saved_tensors)
        found = d_rows.to(ctx.kinds[0]), d_columns.to(ctx.kinds[1]), dx
        return tuple([x if want else None for x, want in zip(found, ctx.needs_input_grad, strict=True)])


# The kernels take any strides: a compiler need not copy what it gives.
@torch.library.custom_op("regard::mix_grid", mutates_args=(), tags=(torch.Tag.flexible_layout,))
def _operator(
    wide_rows: Tensor, wide_columns: Tensor, rows: Tensor, columns: Tensor, v: Tensor
) -> tuple[Tensor, Tensor]:
    """The output (B, T, H, E) of rounded maps; the wide ones get the gradients."""
    out, between = _forward(rows.contiguous(), columns.contiguous(), v)
    return out.transpose(1, 2), between


@_operator.register_fake
def _(wide_rows: Tensor, wide_columns: Tensor, rows: Tensor, columns: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    return _empty(rows, columns, v)


def _inside(wide_rows: Tensor, wide_columns: Tensor, rows: Tensor, columns: Tensor, v: Tensor) -> Any:
    if not _suits_graphs(rows, columns, v):
        return NotImplemented
    out, between = _forward(rows.contiguous(), columns.contiguous(), v, in_graph=True)
    return out.transpose(1, 2), between


let_graphs_see(_operator, _inside)


@torch.library.custom_op("regard::mix_grid_backward", mutates_args=(), tags=(torch.Tag.flexible_layout,))
def _operator_backward(
    grad: Tensor, rows: Tensor, columns: Tensor, v: Tensor, between: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    found = _gradients(grad.transpose(1, 2), rows.contiguous(), columns.contiguous(), v, between.contiguous())
    return found[0], found[1].clone() if found[1].storage_offset() else found[1], found[2].contiguous()


@_operator_backward.register_fake
def _(grad: Tensor, rows: Tensor, columns: Tensor, v: Tensor, between: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    d_rows, d_columns = (maps.new_empty(maps.shape, dtype=torch.float32) for maps in (rows, columns))
    return d_rows, d_columns, v.new_empty(v.shape)


def _inside_backward(grad: Tensor, rows: Tensor, columns: Tensor, v: Tensor, between: Tensor) -> Any:
    if not _suits_graphs(rows, columns, v, grad):
        return NotImplemented
    return _gradients(grad.transpose(1, 2), rows.contiguous(), columns.contiguous(), v, between, in_graph=True)


let_graphs_see(_operator_backward, _inside_backward)


def _suits_graphs(rows: Tensor, columns: Tensor, v: Tensor, *others: Tensor) -> bool:
    """Whether a compiler is to launch the kernel itself: there is one for small grids, and it must know all numbers."""
    numbers = [n for x in (rows, columns, v, *others) for n in (*x.shape, *x.stride())]
    known = v.is_cuda and not any([isinstance(n, torch.SymInt) for n in numbers])
    return known and v.numel() > 0 and _is_small(rows, columns)


def _save(ctx: Any, inputs: tuple[Tensor, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*inputs[2:], output[1])
    ctx.kinds = inputs[0].dtype, inputs[1].dtype


def _differentiate(ctx: Any, grad: Tensor | None, _: Tensor | None) -> tuple[Tensor | None, ...]:
    if grad is None:
        return None, None, None, None, None
    d_rows, d_columns, dx = _operator_backward(grad, *ctx.saved_tensors)
    return d_rows.to(ctx.kinds[0]), d_columns.to(ctx.kinds[1]), None, None, dx


_operator.register_autograd(_differentiate, setup_context=_save)


@register_flop_formula(torch.ops.regard.mix_grid)
def _flops(wide_rows: Any, wide_columns: Any, rows: Any, columns: Any, v: Any, *_: Any, **__: Any) -> int:
    (H, P, J), (U, W), B, E = rows, columns[1:], v[0], v[3]
    return 2 * B * H * P * W * (J + U) * E


@register_flop_formula(torch.ops.regard.mix_grid_backward)
def _flops_backward(grad: Any, rows: Any, columns: Any, v: Any, between: Any, *_: Any, **__: Any) -> int:
    (H, P, J), W = rows, columns[2]
    again = 0 if len(between) > 1 else 2 * v[0] * H * P * J * W * v[3]
    return 2 * _flops(rows, columns, rows, columns, v) + again


def _is_small(rows: Tensor, columns: Tensor) -> bool:
    return max(*rows.shape[1:], *columns.shape[1:]) <= SMALL


def _empty(rows: Tensor, columns: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Room for the output (B, T, H, E), and for what is kept between the two axes."""
    (H, P, _), (U, W), (B, E) = rows.shape, columns.shape[1:], v.shape[::3]
    between = (0,) if _is_small(rows, columns) else (B, H, P, W, E)
    # Not by `new_empty`: a compiler takes equal ones in a graph for one.
    out, kept = (torch.empty(shape, dtype=v.dtype, device=v.device) for shape in ((B, P * U, H, E), between))
    return out, kept


def _forward(rows: Tensor, columns: Tensor, v: Tensor, in_graph: bool = False) -> tuple[Tensor, Tensor]:
    """By maps in the type of v, without gaps."""
    (H, P, J), (U, W), (B, G, _, E) = rows.shape, columns.shape[1:], v.shape
    memory, between = _empty(rows, columns, v)
    out = memory.transpose(1, 2)
    if not out.numel():
        return out, between
    v = _side_by_side(v)
    x, o = v.unflatten(2, (J, W)), out.unflatten(2, (P, U))
    if _is_small(rows, columns):
        constants = (P, J, U, W, E, G, H // G, SMALL, CHANNELS, _precision(v))
        strides = (*x.stride()[:4], *o.stride()[:4])
        _launch(_mix_small, B * G * -(-E // CHANNELS), (v, rows, columns, memory), strides, constants, in_graph)
        return out, between
    _along(_by_row(x), rows, _by_row(between, like=x))
    _along(between, columns, o)
    return out, between


def _gradients(
    grad: Tensor, rows: Tensor, columns: Tensor, v: Tensor, between: Tensor, in_graph: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """Those of the maps in float32."""
    (H, P, J), (U, W), (B, G, _, E) = rows.shape, columns.shape[1:], v.shape
    if not grad.numel():
        return torch.zeros_like(rows, dtype=torch.float32), torch.zeros_like(columns, dtype=torch.float32), v.clone()
    v, grad = _side_by_side(v), _side_by_side(grad)
    x, g = v.unflatten(2, (J, W)), grad.unflatten(2, (P, U))
    dx = torch.empty(B, G, J, W, E, dtype=v.dtype, device=v.device)
    if _is_small(rows, columns):
        shares = B * -(-E // CHANNELS)
        d_maps = torch.empty(shares, H * (P * J + U * W), dtype=torch.float32, device=v.device)
        constants = (P, J, U, W, E, G, H // G, SMALL, CHANNELS, _precision(v))
        strides = (*x.stride()[:4], *g.stride()[:4], *dx.stride()[:4])
        _launch(_gradients_small, shares * G, (v, rows, columns, grad, dx, d_maps), strides, constants, in_graph)
        d_rows, d_columns = d_maps.sum(0).split((H * P * J, H * U * W))
        return d_rows.view(H, P, J), d_columns.view(H, U, W), dx.flatten(2, 3)
    back = torch.empty_like(between)
    d_columns = _along_back(between, columns, g, back)
    by_row, onto = _by_row(back, like=x), _by_row(dx, like=x)
    d_rows = _along_back(_by_row(x), rows, by_row, onto if G == H else None)
    if G != H:
        _along(by_row, rows.mT, onto, total=True)
    return d_rows, d_columns, dx.flatten(2, 3)


def _launch(
    kernel: Any,
    programs: int,
    tensors: tuple[Tensor, ...],
    strides: tuple[int, ...],
    constants: tuple[Any, ...],
    in_graph: bool,
) -> None:
    if is_fake(tensors[0]) and not in_graph:
        return
    key = ("grid", kernel, programs, strides, constants, tensors[0].dtype)
    launch = look(key)
    if launch is None:
        launch = remember(key, Launch(kernel, programs, strides, (), constants, (2, 1), (tensors[0].dtype,)))
    launch(tensors[0].device, tensors, None if in_graph else are_aligned(*tensors))


def _side_by_side(x: Tensor) -> Tensor:
    """Channels as neighbouring numbers, tokens not further apart than a kernel counts."""
    return x if x.stride(3) == 1 and x.stride(2) < FURTHEST else x.contiguous()


def _by_row(x: Tensor, like: Tensor | None = None) -> Tensor:
    """(B, H, h, w, E) as (B, H, w, h, E), or where the rows of `like` have no gaps as (B, H, 1, h, w·E)."""
    like = x if like is None else like
    return x.flatten(3).unsqueeze(2) if like.stride(3) == like.shape[4] else x.transpose(2, 3)


def _precision(x: Tensor) -> str:
    return "ieee" if x.dtype == torch.float32 else "tf32"


def _axis(M: int, N: int, x: Tensor) -> Axis:
    M, N = (min(LARGEST, max(16, triton.next_power_of_2(n))) for n in (M, N))
    if x.dtype == torch.float32:
        return Axis(M, N, 32, 8, 1)
    axis = Axis(M, N, 128, 4, 3) if max(M, N) <= 64 else Axis(M, N, 64, 8, 3)
    # Beside the loads in flight, less one, a program holds a map and its gradient; only an H200 has room for all.
    room = shared_memory(x.device) // x.itemsize - 2 * M * N - 1024
    fitting = 1 + max(1, room // (axis.channels * (M + N)))
    return axis._replace(stages=min(axis.stages, fitting))


def _along(x: Tensor, maps: Tensor, out: Tensor, total: bool = False) -> None:
    """Mix N of (B, G or H, other, N, E) to M of (B, H, other, M, E), or in `total` of (B, G, other, M, E)."""
    (_, M, N), (B, heads, R, _, E) = maps.shape, out.shape
    a = _axis(M, N, x)
    items, chunk = R * triton.cdiv(E, a.channels), 1 if total else CHUNK
    grid = (B * heads * triton.cdiv(items, chunk) * triton.cdiv(M, a.outputs),)
    group = maps.shape[0] // (heads if total else x.shape[1])
    (x_b, x_h, x_r, x_n, _), (o_b, o_h, o_r, o_n, _) = x.stride(), out.stride()
    if is_fake(x):
        return
    with current(x.device):
        _mix_axis[grid](
            x, maps, out, x_b, x_h, x_n, x_r, o_b, o_h, o_n, o_r, *maps.stride(), M, N, R, E, heads, group, chunk,
            total, a.inputs >= N, a.outputs, a.inputs, a.channels, _precision(x),
            num_warps=a.warps, num_stages=a.stages,
        )  # fmt: skip


def _along_back(x: Tensor, maps: Tensor, grad: Tensor, dx: Tensor | None) -> Tensor:
    """The gradient of the maps, in float32, and into dx that of x where one tile holds a map."""
    (H, M, N), (B, G, R, _, E) = maps.shape, x.shape
    a = _axis(M, N, x)
    blocks = triton.cdiv(M, a.outputs) * triton.cdiv(N, a.inputs)
    shares = max(1, min(PROGRAMS // (H * blocks), B * R * triton.cdiv(E, a.channels)))
    d_maps = x.new_empty(shares, H, M, N, dtype=torch.float32)
    (x_b, x_h, x_r, x_n, _), (g_b, g_h, g_r, g_n, _) = x.stride(), grad.stride()
    values = dx is not None and blocks == 1
    target = x if dx is None else dx
    d_b, d_h, d_r, d_n, _ = target.stride()
    if is_fake(x):
        return d_maps.sum(0)
    with current(x.device):
        _gradients_axis[(H * shares * blocks,)](
            x, maps, grad, target, d_maps, x_b, x_h, x_n, x_r, g_b, g_h, g_n, g_r, d_b, d_h, d_n, d_r,
            M, N, R, E, B, H, H // G, shares, values, a.outputs, a.inputs, a.channels, _precision(x),
            num_warps=a.warps, num_stages=a.stages,
        )  # fmt: skip
    if dx is not None and not values:
        _along(grad, maps.mT, dx)
    return d_maps.sum(0)
