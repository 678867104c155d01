"""Attention by content over the listed blocks of any mask, whose bits are read where a block is seen in part.

A block of 128 × 128 pairs is left out, computed without a mask, or computed under its bits: 4 KB that hold the answers
of the mask's definition, by query and by key. What is decided once serves every call, and no kernel is compiled for
a mask.

Two numbers, for 16 documents in N = 16384 tokens, causal, 16 heads of 64, in bfloat16: the listed blocks hold 24 M
pairs, so that forward takes 4·64·16·24 M = 98 GFLOP, 0.13 ms at 771 TFLOP/s, and both 0.44 ms; q, k, v and o are
134 MB, 0.03 ms at 4.27 TB/s. Measured: 0.37 and 1.45 ms, FlexAttention with its mask ready 0.59 and 1.67.
"""

# pyright: reportOperatorIssue=false, reportGeneralTypeIssues=false
# Inside a kernel numbers are Triton's own.

from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from regard.algorithms.kernels.block_lists import list_blocks
from regard.algorithms.kernels.launch import Launch, are_aligned
from regard.algorithms.kernels.layouts import laid_out
from regard.algorithms.kernels.tiled_programs import PER_ROW, numbers_of_rows
from regard.algorithms.kernels.tiles import Tiles, fitted, need_of_gradients, need_of_output
from regard.algorithms.planning.kept import look, remember
from regard.attention.eager import given, once
from regard.attention.masks.mask import Mask
from regard.attention.masks.visibility import steps_of
from regard.attention.positions.positions import Places

SIZE = 128  # tokens of a block
WORDS = tl.constexpr(4)  # of 32 bits for each query of a block
LOG2E = tl.constexpr(1.4426950408889634)
LN2 = tl.constexpr(0.6931471805599453)


@dataclass(frozen=True, eq=False)
class Decided:
    """The answers of a mask: of each block of queries the keys' blocks seen in part and in full, and the other way
    round, as numbers and lists; the bits of blocks seen in part; tokens that take part.
    """

    lists: list[Tensor]  # (rows, heads, n) and (rows, heads, n, m), int32, four times: rows and heads may be 1
    slots: Tensor  # (rows, heads, T/128, S/128), int32: where the bits of a block are
    bits: Tensor  # (slots, 2, 128, 4), int32: of each query and of each key the other side, 32 to a word
    live: Tensor  # queries that see a key, (rows, heads, T), bytes
    seen: Tensor  # keys that a query sees, (rows, heads, S), bytes

    @property
    def steps(self) -> tuple[int, int]:
        """How many maps further the next row's is, and the next head's."""
        rows, heads = self.live.shape[:2]
        return heads if rows > 1 else 0, 1 if heads > 1 else 0


def decide(
    mask: Mask, places: Places, B: int, H: int, device: torch.device, most: int, compact: bool = False
) -> Decided | None:
    """Every pair decided by the definition, a few blocks of queries at a time; None beyond `most` bytes of bits.

    No map of all pairs is made but of their bits, of which `compact` keeps those of blocks that are seen in part: the
    host waits to know how many.
    """
    mask = mask.placed(places, device)
    T, S = places.queries.count, places.keys.count
    b, h, i, j = (torch.arange(n, device=device) for n in (B, H, T, S))
    rows, heads = mask.slab(b, h, i[:1], j[:1], places).shape[:2]  # 1 where it is the same for all
    n, m = -(-T // SIZE), -(-S // SIZE)
    if rows * heads * n * m * SIZE * SIZE // 4 > most:
        return None
    counts = torch.empty(rows, heads, n, m, dtype=torch.int32, device=device)
    bits = torch.empty(rows, heads, n, m, 2, SIZE, WORDS.value, dtype=torch.int32, device=device)
    live = torch.zeros(rows, heads, T, dtype=torch.uint8, device=device)
    seen = torch.zeros(rows, heads, S, dtype=torch.uint8, device=device)
    b, h, into = b[:rows], h[:heads], (counts, bits, live, seen)
    for row, head, first in steps_of(rows, heads, T, S, SIZE):
        allowed = mask.slab(b[row], h[head], i[first], j, places).contiguous()
        pack(allowed, into, row.start, head.start, first.start // SIZE)
    # Blocks that are cut short by the last token count as seen in part: their bits say what there is.
    some, every = counts > 0, counts == SIZE * SIZE
    bits, slots = bits.flatten(0, 3), torch.arange(counts.numel(), dtype=torch.int32, device=device)
    if compact:
        part = (some & ~every).flatten()
        bits, slots = bits[part], part.cumsum(0, dtype=torch.int32) - 1
    return Decided(list_blocks(some, every), slots.view_as(counts), bits, live, seen)


def pack(allowed: Tensor, into: tuple[Tensor, Tensor, Tensor, Tensor], row: int, head: int, line: int) -> None:
    """Write how many pairs of each block are allowed, which, and to which tokens: from a row, a head and a block on."""
    (B, H, T, S), (_, heads, n, m) = allowed.shape, into[0].shape
    lines, device = -(-T // SIZE), allowed.device
    numbers = (H, T, S, lines, heads, n, into[2].shape[2], row, head, line)
    launch = Launch(_pack, B * H * lines * m, (), numbers, (SIZE,), (8, 1), (device,))
    launch(device, (allowed, *into), are_aligned(allowed))


@triton.jit(do_not_specialize=["H", "T", "S", "lines", "heads", "n", "tokens", "row", "first", "start"])
def _pack(
    allowed, counts, bits, live, seen, H, T, S, lines, heads, n, tokens, row, first, start, SIZE: tl.constexpr
):  # fmt: skip
    m, own = tl.cdiv(S, SIZE), tl.arange(0, SIZE)
    pid = tl.program_id(0)
    column, line, head = pid % m, pid // m % lines, pid // (lines * m)
    which = ((row + head // H) * heads + first + head % H).to(tl.int64)
    i, j = line * SIZE + own, column * SIZE + own
    at = (head.to(tl.int64) * T + i)[:, None] * S + j[None, :]
    pairs = tl.load(allowed + at, mask=(i < T)[:, None] & (j < S)[None, :], other=0).to(tl.int32)
    block = (which * n + start + line) * m + column
    tl.store(counts + block, tl.sum(tl.sum(pairs, 1), 0))
    tile = bits + block * (2 * SIZE * WORDS)
    words = tl.sum(tl.reshape(pairs << (own % 32)[None, :], (SIZE, WORDS, 32)), 2)
    tl.store(tile + own[:, None] * WORDS + tl.arange(0, WORDS)[None, :], words)
    words = tl.sum(tl.reshape(pairs << (own % 32)[:, None], (WORDS, 32, SIZE)), 1)
    tl.store(tile + SIZE * WORDS + own[None, :] * WORDS + tl.arange(0, WORDS)[:, None], words)
    # Several blocks may say the same of a token.
    some = tl.max(pairs, 1)
    tl.store(live + which * tokens + start * SIZE + i, some.to(tl.uint8), mask=some > 0)
    some = tl.max(pairs, 0)
    tl.store(seen + which * S + j, some.to(tl.uint8), mask=some > 0)


def attend_by_blocks(q: Tensor, k: Tensor, v: Tensor, decided: Decided, beta: float) -> tuple[Tensor, Tensor]:
    """The output (B, H, T, E) and the log-sum-exp (B, H, T) in float32."""
    return _BlockSparse.apply(q, k, v, decided, beta)  # pyright: ignore[reportReturnType]


class _BlockSparse(torch.autograd.Function):
    """One kernel forward, two backward."""

    @staticmethod
    @given
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, decided: Decided, beta: float) -> tuple[Tensor, Tensor]:
        out, lse = forward(q, k, v, decided, beta)
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.decided, ctx.beta = decided, beta
        ctx.set_materialize_grads(False)
        return out, lse

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor | None, grad_lse: Tensor | None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        q, k, v, out, lse = ctx.saved_tensors
        grad = torch.zeros_like(out) if grad is None else grad
        return *backward(q, k, v, out, lse, grad, grad_lse, ctx.decided, ctx.beta), None, None


def tiles_of(kind: str, q: Tensor, v: Tensor) -> Tiles:
    """What is quickest on an H200, or less where a GPU has no room for it: a word of bits is not cut.

    Going back, both kernels are one launch, which holds operands as they are and transposed.
    """
    D, E, item = _power(q.shape[3]), _power(v.shape[3]), q.itemsize
    copies = 2 if item == 2 else 1
    need = need_of_output(D, E, item) if kind == "forward" else need_of_gradients(D, E, item, by=kind, copies=copies)
    return fitted(_tiles_of_width(kind, max(q.shape[3], v.shape[3]), q.dtype), need, q.device, smallest=32)


def _tiles_of_width(kind: str, width: int, dtype: torch.dtype) -> Tiles:
    """By the kernel, the wider of the two widths, and the type."""
    if dtype == torch.float32:
        return Tiles(64, 32, 4, 2) if width <= 64 else Tiles(32, 32, 4, 1)
    table = {
        "forward": (Tiles(64, 64, 4, 2, 128), Tiles(64, 64, 4, 3), Tiles(64, 32, 4, 2)),
        "keys": (Tiles(32, 64, 4, 3, 168), Tiles(32, 64, 4, 3), Tiles(32, 64, 8, 2)),
        "queries": (Tiles(64, 64, 4, 3, 168), Tiles(64, 32, 4, 3), Tiles(64, 32, 8, 2)),
    }
    return table[kind][0 if width <= 64 else 1 if width <= 128 else 2]


def forward(
    q: Tensor, k: Tensor, v: Tensor, decided: Decided, beta: float, tiles: Tiles | None = None
) -> tuple[Tensor, Tensor]:
    """Output and log-sum-exp; heads lie side by side in the output where they do in q."""
    q, k, v = laid_out(q), laid_out(k), laid_out(v)
    key = _key(tiles, decided, beta, q, k, v)
    side_by_side, launch = look(key) or remember(key, _forward_of(q, k, v, decided, beta, tiles))
    (B, H, T, _), E, device = q.shape, v.shape[3], q.device
    out = q.new_empty((B, T, H, E)).transpose(1, 2) if side_by_side else q.new_empty((B, H, T, E))
    lse = q.new_empty((B, H, T), dtype=torch.float32)
    maps = (*decided.lists[:4], decided.slots, decided.bits, decided.seen)
    launch(device, (q, k, v, out, lse, *maps), are_aligned(q, k, v))
    return out, lse


def _key(*parts: Any) -> tuple[Any, ...]:
    """What launches with such tensors share: sizes, strides, types, and which maps a mask has."""
    tiles, decided, beta, *tensors = parts
    q, v = tensors[0], tensors[2]
    shapes = [x.stride() for x in tensors]
    return ("block sparse", tiles, decided.steps, beta, q.dtype, q.device, q.shape, v.shape, *shapes, _precision(q))


def _forward_of(
    q: Tensor, k: Tensor, v: Tensor, decided: Decided, beta: float, tiles: Tiles | None
) -> tuple[bool, Launch]:
    (B, H, T, D), (G, S, E) = q.shape, v.shape[1:]
    side_by_side = q.stride(1) < q.stride(2)
    out = (T * H * E, E, H * E) if side_by_side else (H * T * E, T * E, E)
    tiles = tiles or tiles_of("forward", q, v)
    launch = Launch(
        _forward,
        -(-T // tiles.queries) * B * H,
        (*q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *out),
        (beta, H, H // G, T, S, *decided.steps),
        (D, E, _power(D), _power(E), SIZE, tiles.queries, tiles.keys, _precision(q)),
        tiles[2:5],
        (q.dtype, q.device),
    )
    return side_by_side, launch


def backward(
    q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, grad: Tensor, grad_lse: Tensor | None, decided: Decided,
    beta: float, tiles: tuple[Tiles, Tiles] | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The gradients of q, k and v."""
    q, k, v, grad = laid_out(q), laid_out(k), laid_out(v), laid_out(grad)
    dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    rows = lse.new_empty(*lse.shape, PER_ROW.value)
    key = (grad_lse is None, _key(tiles, decided, beta, q, k, v, grad))
    launches = look(key)
    if launches is None:
        launches = _backward_of(q, k, v, out, grad, dq, dk, dv, grad_lse is not None, decided, beta, tiles)
        remember(key, launches)
    aligned = are_aligned(q, k, v, grad)
    launches[0](q.device, (out, grad, lse, lse if grad_lse is None else grad_lse.contiguous(), rows), aligned)
    maps = (*decided.lists, decided.slots, decided.bits, decided.live, decided.seen)
    launches[1](q.device, (q, k, v, grad, rows, dq, dk, dv, *maps), aligned)
    return dq, dk, dv


def _backward_of(
    q: Tensor, k: Tensor, v: Tensor, out: Tensor, grad: Tensor, dq: Tensor, dk: Tensor, dv: Tensor, of_lse: bool,
    decided: Decided, beta: float, tiles: tuple[Tiles, Tiles] | None,
) -> tuple[Launch, Launch]:  # fmt: skip
    (B, H, T, D), (G, S, E) = q.shape, v.shape[1:]
    types = (q.dtype, q.device)
    sums = Launch(
        _numbers,
        -(-T // SIZE) * B * H,
        (*out.stride()[:3], *grad.stride()[:3]),
        (H, T),
        (E, _power(E), SIZE, of_lse),
        (4, 1),
        types,
    )
    by_key, by_query = tiles or (tiles_of("keys", q, v), tiles_of("queries", q, v))
    products = Launch(
        _backward,
        -(-S // by_key.keys) * B * G + -(-T // by_query.queries) * B * H,
        tuple([step for x in (q, k, v, grad, dq, dk, dv) for step in x.stride()[:3]]),
        (beta, B, H, H // G, T, S, *decided.steps),
        (D, E, _power(D), _power(E), SIZE, *by_key[:2], *by_query[:2], _precision(q)),
        (by_key.warps, min(by_key.stages, by_query.stages), by_key.registers),
        types,
    )
    return sums, products


def _power(width: int) -> int:
    """The next power of two, from the narrowest tile of a product."""
    return max(16, 1 << (width - 1).bit_length())


def _precision(q: Tensor) -> str:
    """Of products in float32, as torch's own products are."""
    return "tf32" if q.dtype != torch.float32 or torch.get_float32_matmul_precision() != "highest" else "ieee"


FREE = ["B", "H", "R", "T", "S", "by_row", "by_head"]  # numbers for which no kernel of their own is compiled


@triton.jit
def _tile(pointer, first, stride, rows, columns, take, WIDTH: tl.constexpr, BLOCK: tl.constexpr, MASKED: tl.constexpr):
    """Rows from `first` on; of a masked tile those to `take`, and zeros in place of the others."""
    at = pointer + first.to(tl.int64) * stride + rows[:, None] * stride + columns[None, :]
    if MASKED:
        if WIDTH == BLOCK:
            return tl.load(at, mask=take[:, None], other=0.0)
        return tl.load(at, mask=take[:, None] & (columns < WIDTH)[None, :], other=0.0)
    if WIDTH == BLOCK:
        return tl.load(at)
    return tl.load(at, mask=(columns < WIDTH)[None, :], other=0.0)


@triton.jit
def _allowed(bits, rows, inner, BLOCK: tl.constexpr):
    """Which of the pairs of a block's rows with its columns from `inner` on are allowed: a few words for each row."""
    columns = tl.arange(0, BLOCK)
    words = tl.load(bits + rows * WORDS + inner // 32)[:, None]
    for word in tl.static_range(1, BLOCK // 32):
        more = tl.load(bits + rows * WORDS + inner // 32 + word)
        words = tl.where((columns // 32 == word)[None, :], more[:, None], words)
    return (words >> (columns % 32)[None, :]) & 1 != 0


@triton.jit
def _attend(
    q, acc, total, top, k, v, numbers, count, slots, bits, seen, scale, line, S, k_s, v_s,
    D: tl.constexpr, E: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, SIZE: tl.constexpr, BM: tl.constexpr,
    BN: tl.constexpr, PRECISION: tl.constexpr, PART: tl.constexpr,
):  # fmt: skip
    """Add the listed blocks, seen in part or in full, to the sums of a tile of queries."""
    d, e, rows = tl.arange(0, BD), tl.arange(0, BE), tl.arange(0, BN)
    i = (line * BM) % SIZE + tl.arange(0, BM)
    EACH: tl.constexpr = SIZE // BN
    block = tl.load(numbers, mask=count > 0, other=0)
    for step in range(0, count * EACH):
        inner = (step % EACH) * BN
        first = block * SIZE + inner
        real = first + rows < S
        keys = _tile(k, first, k_s, rows, d, real, D, BD, PART)
        logits = tl.dot(q, tl.trans(keys), input_precision=PRECISION)
        if PART:
            allowed = _allowed(bits + tl.load(slots + block).to(tl.int64) * (2 * SIZE * WORDS), i, inner, BN)
            logits = tl.where(allowed, logits, float("-inf"))
        highest = tl.maximum(top, tl.max(logits, 1) * scale)
        # A query that has seen nothing yet stays at −∞.
        safe = tl.where(highest == float("-inf"), 0.0, highest) if PART else highest
        p = tl.exp2(logits * scale - safe[:, None])
        shrink = tl.exp2(top - safe)
        total = total * shrink + tl.sum(p, 1)
        take = real
        if PART:
            take = tl.load(seen + first + rows, mask=real, other=0) != 0
        values = _tile(v, first, v_s, rows, e, take, E, BE, PART)
        acc = tl.dot(p.to(values.dtype), values, acc * shrink[:, None], input_precision=PRECISION)
        top = highest
        block = tl.load(numbers + (step + 1) // EACH, mask=step + 1 < count * EACH, other=0)  # on its way in time
    return acc, total, top


@triton.jit(do_not_specialize=FREE)
def _forward(
    q, k, v, out, lse, part_count, part, full_count, full, slots, bits, seen,
    q_b, q_h, q_t, k_b, k_h, k_s, v_b, v_h, v_s, o_b, o_h, o_t, beta, H, R, T, S, by_row, by_head,
    D: tl.constexpr, E: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, SIZE: tl.constexpr, BM: tl.constexpr,
    BN: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    lines, n, m = tl.cdiv(T, BM), tl.cdiv(T, SIZE), tl.cdiv(S, SIZE)
    head = tl.program_id(0) // lines
    line = lines - 1 - tl.program_id(0) % lines  # under a causal mask the last have most to do
    b, h = (head // H).to(tl.int64), (head % H).to(tl.int64)
    which = b * by_row + h * by_head
    i, d, e = line * BM + tl.arange(0, BM), tl.arange(0, BD), tl.arange(0, BE)
    rows, inside = tl.arange(0, BM), i < T
    queries = _tile(q + b * q_b + h * q_h, line * BM, q_t, rows, d, inside, D, BD, True)
    k += b * k_b + h // R * k_h
    v += b * v_b + h // R * v_h
    block = which * n + line * BM // SIZE
    slots += block * m
    scale = beta * LOG2E
    acc = tl.zeros((BM, BE), tl.float32)
    total, top = tl.zeros((BM,), tl.float32), tl.full((BM,), float("-inf"), tl.float32)
    acc, total, top = _attend(
        queries, acc, total, top, k, v, part + block * m, tl.load(part_count + block), slots, bits, seen + which * S,
        scale, line, S, k_s, v_s, D, E, BD, BE, SIZE, BM, BN, PRECISION, True,
    )  # fmt: skip
    acc, total, top = _attend(
        queries, acc, total, top, k, v, full + block * m, tl.load(full_count + block), slots, bits, seen, scale, line,
        S, k_s, v_s, D, E, BD, BE, SIZE, BM, BN, PRECISION, False,
    )  # fmt: skip
    total = tl.where(total == 0.0, 1.0, total)  # of a query that sees nothing, whose top is −∞
    acc = acc / total[:, None]
    at = out + b * o_b + h * o_h + (line * BM).to(tl.int64) * o_t + rows[:, None] * o_t + e[None, :]
    tl.store(at, acc.to(out.dtype.element_ty), mask=inside[:, None] & (e < E)[None, :])
    tl.store(lse + head.to(tl.int64) * T + i, top * LN2 + tl.log(total), mask=inside)


@triton.jit(do_not_specialize=FREE)
def _numbers(
    out, grad, lse, grad_lse, numbers, o_b, o_h, o_t, g_b, g_h, g_t, H, T,
    E: tl.constexpr, BE: tl.constexpr, BM: tl.constexpr, OF_LSE: tl.constexpr,
):  # fmt: skip
    """The log-sum-exp of each query, in base 2, and `Σ_e out·grad` less the gradient of the log-sum-exp."""
    lines = tl.cdiv(T, BM)
    head, line = tl.program_id(0) // lines, tl.program_id(0) % lines
    b, h = (head // H).to(tl.int64), (head % H).to(tl.int64)
    rows, e = tl.arange(0, BM), tl.arange(0, BE)
    inside = line * BM + rows < T
    outs = _tile(out + b * o_b + h * o_h, line * BM, o_t, rows, e, inside, E, BE, True).to(tl.float32)
    grads = _tile(grad + b * g_b + h * g_h, line * BM, g_t, rows, e, inside, E, BE, True).to(tl.float32)
    found = tl.sum(outs * grads, 1)
    at = head.to(tl.int64) * T + line * BM + rows
    if OF_LSE:
        found -= tl.load(grad_lse + at, mask=inside, other=0.0)
    tl.store(numbers + at * PER_ROW, tl.load(lse + at, mask=inside, other=0.0) * LOG2E, mask=inside)
    tl.store(numbers + at * PER_ROW + 1, found, mask=inside)


@triton.jit
def _to_keys(
    dk, dv, keys, values, q, grad, of_rows, numbers, count, slots, bits, live, scale, column, T, m, q_t, g_t,
    D: tl.constexpr, E: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, SIZE: tl.constexpr, BM: tl.constexpr,
    BN: tl.constexpr, PRECISION: tl.constexpr, PART: tl.constexpr,
):  # fmt: skip
    """Add what the listed blocks of one head's queries say to a tile of keys and values."""
    d, e, rows = tl.arange(0, BD), tl.arange(0, BE), tl.arange(0, BM)
    j = (column * BN) % SIZE + tl.arange(0, BN)
    EACH: tl.constexpr = SIZE // BM
    block = tl.load(numbers, mask=count > 0, other=0)
    for step in range(0, count * EACH):
        inner = (step % EACH) * BM
        first = block * SIZE + inner
        take = first + rows < T
        if PART:
            take = tl.load(live + first + rows, mask=take, other=0) != 0
        norm, mean = numbers_of_rows(of_rows, first, 0, T, BM, PART)
        queries = _tile(q, first, q_t, rows, d, take, D, BD, PART)
        p = tl.exp2(tl.dot(keys, tl.trans(queries), input_precision=PRECISION) * scale - norm[None, :])
        if PART:
            tile = bits + (2 * tl.load(slots + block * m) + 1).to(tl.int64) * (SIZE * WORDS)
            allowed = _allowed(tile, j, inner, BM)
            p = tl.where(allowed, p, 0.0)
        grads = _tile(grad, first, g_t, rows, e, take, E, BE, PART)
        dv = tl.dot(p.to(grads.dtype), grads, dv, input_precision=PRECISION)
        ds = p * (tl.dot(values, tl.trans(grads), input_precision=PRECISION) - mean[None, :])
        if PART:
            ds = tl.where(allowed, ds, 0.0)  # whatever stands in values that these queries do not see
        dk = tl.dot(ds.to(queries.dtype), queries, dk, input_precision=PRECISION)
        block = tl.load(numbers + (step + 1) // EACH, mask=step + 1 < count * EACH, other=0)
    return dk, dv


@triton.jit
def _to_queries(
    dq, queries, grads, norm, mean, k, v, numbers, count, slots, bits, seen, scale, line, S, k_s, v_s,
    D: tl.constexpr, E: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, SIZE: tl.constexpr, BM: tl.constexpr,
    BN: tl.constexpr, PRECISION: tl.constexpr, PART: tl.constexpr,
):  # fmt: skip
    """Add what the listed blocks of keys say to a tile of queries."""
    d, e, rows = tl.arange(0, BD), tl.arange(0, BE), tl.arange(0, BN)
    i = (line * BM) % SIZE + tl.arange(0, BM)
    EACH: tl.constexpr = SIZE // BN
    block = tl.load(numbers, mask=count > 0, other=0)
    for step in range(0, count * EACH):
        inner = (step % EACH) * BN
        first = block * SIZE + inner
        take = first + rows < S
        if PART:
            take = tl.load(seen + first + rows, mask=take, other=0) != 0
        keys = _tile(k, first, k_s, rows, d, take, D, BD, PART)
        p = tl.exp2(tl.dot(queries, tl.trans(keys), input_precision=PRECISION) * scale - norm[:, None])
        values = _tile(v, first, v_s, rows, e, take, E, BE, PART)
        ds = p * (tl.dot(grads, tl.trans(values), input_precision=PRECISION) - mean[:, None])
        if PART:
            allowed = _allowed(bits + tl.load(slots + block).to(tl.int64) * (2 * SIZE * WORDS), i, inner, BN)
            ds = tl.where(allowed, ds, 0.0)
        dq = tl.dot(ds.to(keys.dtype), keys, dq, input_precision=PRECISION)
        block = tl.load(numbers + (step + 1) // EACH, mask=step + 1 < count * EACH, other=0)
    return dq


@triton.jit
def _of_keys(
    pid, q, k, v, grad, of_rows, grad_k, grad_v, part_count, part, full_count, full, slots, bits, live, beta,
    H, R, T, S, by_row, by_head, q_b, q_h, q_t, k_b, k_h, k_s, v_b, v_h, v_s, g_b, g_h, g_t,
    dk_b, dk_h, dk_s, dv_b, dv_h, dv_s,
    D: tl.constexpr, E: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, SIZE: tl.constexpr, BM: tl.constexpr,
    BN: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    columns, n, m, G = tl.cdiv(S, BN), tl.cdiv(T, SIZE), tl.cdiv(S, SIZE), H // R
    head, column = pid // columns, pid % columns
    b, g = (head // G).to(tl.int64), (head % G).to(tl.int64)
    d, e, rows = tl.arange(0, BD), tl.arange(0, BE), tl.arange(0, BN)
    inside = column * BN + rows < S
    keys = _tile(k + b * k_b + g * k_h, column * BN, k_s, rows, d, inside, D, BD, True)
    values = _tile(v + b * v_b + g * v_h, column * BN, v_s, rows, e, inside, E, BE, True)
    dk, dv = tl.zeros((BN, BD), tl.float32), tl.zeros((BN, BE), tl.float32)
    for r in range(0, R):
        h = g * R + r
        which = b * by_row + h * by_head
        block = which * m + column * BN // SIZE
        at = slots + which * n * m + column * BN // SIZE
        own = (b * H + h) * T
        dk, dv = _to_keys(
            dk, dv, keys, values, q + b * q_b + h * q_h, grad + b * g_b + h * g_h, of_rows + own * PER_ROW,
            part + block * n, tl.load(part_count + block), at, bits, live + which * T, beta * LOG2E, column, T, m, q_t,
            g_t, D, E, BD, BE, SIZE, BM, BN, PRECISION, True,
        )  # fmt: skip
        dk, dv = _to_keys(
            dk, dv, keys, values, q + b * q_b + h * q_h, grad + b * g_b + h * g_h, of_rows + own * PER_ROW,
            full + block * n, tl.load(full_count + block), at, bits, live, beta * LOG2E, column, T, m, q_t, g_t,
            D, E, BD, BE, SIZE, BM, BN, PRECISION, False,
        )  # fmt: skip
    start = (column * BN).to(tl.int64)
    to = grad_k + b * dk_b + g * dk_h + start * dk_s + rows[:, None] * dk_s + d[None, :]
    tl.store(to, (dk * beta).to(grad_k.dtype.element_ty), mask=inside[:, None] & (d < D)[None, :])
    to = grad_v + b * dv_b + g * dv_h + start * dv_s + rows[:, None] * dv_s + e[None, :]
    tl.store(to, dv.to(grad_v.dtype.element_ty), mask=inside[:, None] & (e < E)[None, :])


@triton.jit
def _of_queries(
    pid, q, k, v, grad, of_rows, grad_q, part_count, part, full_count, full, slots, bits, seen, beta,
    H, R, T, S, by_row, by_head, q_b, q_h, q_t, k_b, k_h, k_s, v_b, v_h, v_s, g_b, g_h, g_t, dq_b, dq_h, dq_t,
    D: tl.constexpr, E: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, SIZE: tl.constexpr, BM: tl.constexpr,
    BN: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    lines, n, m = tl.cdiv(T, BM), tl.cdiv(T, SIZE), tl.cdiv(S, SIZE)
    head, line = pid // lines, lines - 1 - pid % lines
    b, h = (head // H).to(tl.int64), (head % H).to(tl.int64)
    which = b * by_row + h * by_head
    d, e, rows = tl.arange(0, BD), tl.arange(0, BE), tl.arange(0, BM)
    inside = line * BM + rows < T
    queries = _tile(q + b * q_b + h * q_h, line * BM, q_t, rows, d, inside, D, BD, True)
    grads = _tile(grad + b * g_b + h * g_h, line * BM, g_t, rows, e, inside, E, BE, True)
    own = head.to(tl.int64) * T + line * BM + rows
    norm = tl.load(of_rows + own * PER_ROW, mask=inside, other=0.0)
    mean = tl.load(of_rows + own * PER_ROW + 1, mask=inside, other=0.0)
    k += b * k_b + h // R * k_h
    v += b * v_b + h // R * v_h
    block = which * n + line * BM // SIZE
    slots += block * m
    dq = tl.zeros((BM, BD), tl.float32)
    dq = _to_queries(
        dq, queries, grads, norm, mean, k, v, part + block * m, tl.load(part_count + block), slots, bits,
        seen + which * S, beta * LOG2E, line, S, k_s, v_s, D, E, BD, BE, SIZE, BM, BN, PRECISION, True,
    )  # fmt: skip
    dq = _to_queries(
        dq, queries, grads, norm, mean, k, v, full + block * m, tl.load(full_count + block), slots, bits, seen,
        beta * LOG2E, line, S, k_s, v_s, D, E, BD, BE, SIZE, BM, BN, PRECISION, False,
    )  # fmt: skip
    to = grad_q + b * dq_b + h * dq_h + (line * BM).to(tl.int64) * dq_t + rows[:, None] * dq_t + d[None, :]
    tl.store(to, (dq * beta).to(grad_q.dtype.element_ty), mask=inside[:, None] & (d < D)[None, :])


@triton.jit(do_not_specialize=FREE)
def _backward(
    q, k, v, grad, of_rows, grad_q, grad_k, grad_v, part_count, part, full_count, full, part_count_q, part_q,
    full_count_q, full_q, slots, bits, live, seen,
    q_b, q_h, q_t, k_b, k_h, k_s, v_b, v_h, v_s, g_b, g_h, g_t, dq_b, dq_h, dq_t, dk_b, dk_h, dk_s, dv_b, dv_h, dv_s,
    beta, B, H, R, T, S, by_row, by_head,
    D: tl.constexpr, E: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, SIZE: tl.constexpr, KEYS_M: tl.constexpr,
    KEYS_N: tl.constexpr, QUERIES_M: tl.constexpr, QUERIES_N: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """The first programs are of keys, which have more to do, the others of queries."""
    pid, of_keys = tl.program_id(0), tl.cdiv(S, KEYS_N) * B * (H // R)
    if pid < of_keys:
        _of_keys(
            pid, q, k, v, grad, of_rows, grad_k, grad_v, part_count_q, part_q, full_count_q, full_q, slots, bits,
            live, beta, H, R, T, S, by_row, by_head, q_b, q_h, q_t, k_b, k_h, k_s, v_b, v_h, v_s, g_b, g_h, g_t,
            dk_b, dk_h, dk_s, dv_b, dv_h, dv_s, D, E, BD, BE, SIZE, KEYS_M, KEYS_N, PRECISION,
        )  # fmt: skip
    else:
        _of_queries(
            pid - of_keys, q, k, v, grad, of_rows, grad_q, part_count, part, full_count, full, slots, bits, seen,
            beta, H, R, T, S, by_row, by_head, q_b, q_h, q_t, k_b, k_h, k_s, v_b, v_h, v_s, g_b, g_h, g_t,
            dq_b, dq_h, dq_t, D, E, BD, BE, SIZE, QUERIES_M, QUERIES_N, PRECISION,
        )  # fmt: skip
