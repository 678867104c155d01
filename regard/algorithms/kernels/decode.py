# pyright: reportInvalidTypeForm=false, reportGeneralTypeIssues=false
"""Few queries against many keys on the GPU: blocks of keys are dealt out evenly, whatever the lengths of the rows.

Rows of different lengths have different numbers of blocks. Each program reads the lengths, counts the blocks of all
rows, and takes an equal share of them: a run that may begin in one row and end in another. What several programs have
computed of one row is joined by the last of them. The heads of a group are rows of one tile, so that keys and values
are read once.

H200, bfloat16, 32 heads on 8 of width 128, one query in each of 16 rows of 32,768 keys: 0.02 ms of products at
771 TFLOP/s (0.09 with the tile's empty rows), 0.50 ms of memory at 4.27 TB/s.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from regard.algorithms.kernels.tiled_programs import tanh
from regard.algorithms.kernels.tiles import Tiles, fitted, need_of_output
from regard.algorithms.planning.kept import Prepared, look, recall, remember
from regard.attention.eager import is_eager, may_keep
from regard.attention.torch_private import is_dispatched, stream_of

MOST_ROWS = 4096  # of a batch, that one program counts the blocks of
SHARES = 2  # programs to a multiprocessor: as many as run at once
LN_2 = 0.6931471805599453
LEAST = 2  # blocks that a program takes at least
EVEN = 10  # one in so many programs may be idle if that leaves all tiles whole
JOINED = 8192  # numbers of parts that are joined at once
MOST_JOINED = 16 * JOINED  # of one tile


class Work(NamedTuple):
    """All about a call but its tensors."""

    beta: float
    shift: int = 0
    low: int | None = None
    high: int | None = None
    cap: float = 0.0  # of the logits; 0 is none
    wants_lse: bool = True
    prepared: Prepared | None = None  # where what is made for the call is to be found again


def attend_few(
    q: Tensor, k: Tensor, v: Tensor, work: Work, lengths: Tensor | None = None, starts: Tensor | None = None
) -> tuple[Tensor, Tensor | None]:
    """Output (B, H, T, E), a view of (B, T, H, E) memory, and log-sum-exp (B, H, T) of content softmax.

    Row b has `lengths[b]` keys. Its query i stands at `starts[b] + shift + i` among them, and sees those at an offset,
    key − query, in low…high. Lengths are whole numbers (B,), starts int64 (B,), on the device of q, without gaps.
    """
    if torch.compiler.is_compiling():
        return _operator(q, k, v, lengths, starts, work.beta, work.shift, work.low, work.high, work.cap)
    return _attend(q, k, v, lengths, starts, work)


@torch.library.custom_op("regard::few_queries", mutates_args=())
def _operator(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    lengths: Tensor | None,
    starts: Tensor | None,
    beta: float,
    shift: int,
    low: int | None,
    high: int | None,
    cap: float,
) -> tuple[Tensor, Tensor]:
    out, lse = _attend(q, k, v, lengths, starts, Work(beta, shift, low, high, cap))
    assert lse is not None
    return out, lse


@_operator.register_fake
def _(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    lengths: Tensor | None,
    starts: Tensor | None,
    beta: float,
    shift: int,
    low: int | None,
    high: int | None,
    cap: float,
) -> tuple[Tensor, Tensor]:
    B, H, T, _ = q.shape
    return q.new_empty(B, T, H, v.shape[3]).transpose(1, 2), q.new_empty(B, H, T, dtype=torch.float32)


def _attend(
    q: Tensor, k: Tensor, v: Tensor, lengths: Tensor | None, starts: Tensor | None, work: Work
) -> tuple[Tensor, Tensor | None]:
    if is_dispatched() or not is_eager(q):  # there is nothing to launch a kernel on
        return define(q, k, v, lengths, starts, work)
    if q.is_cuda and q.device.index != torch.cuda.current_device():
        with torch.cuda.device(q.device):
            return _attend(q, k, v, lengths, starts, work)
    B, H, T, _ = q.shape
    lengths, starts = (x if x is None else x.contiguous() for x in (lengths, starts))
    out = q.new_empty((B, T, H, v.shape[3]))
    lse = q.new_empty((B, H, T), dtype=torch.float32) if work.wants_lse else None
    if not (q.stride(3) == k.stride(3) == v.stride(3) == 1):
        q, k, v = (x if x.stride(3) == 1 else x.clone(memory_format=torch.contiguous_format) for x in (q, k, v))
    if B <= MOST_ROWS:
        _launch(q, k, v, out, lse, lengths, starts, work)
    else:
        for first in range(0, B, MOST_ROWS):
            some = slice(first, first + MOST_ROWS)
            others = [None if x is None else x[some] for x in (lse, lengths, starts)]
            _launch(q[some], k[some], v[some], out[some], others[0], others[1], others[2], work)
    return out.view(B, H, 1, -1) if T == 1 else out.transpose(1, 2), lse


def define(
    q: Tensor, k: Tensor, v: Tensor, lengths: Tensor | None, starts: Tensor | None, work: Work
) -> tuple[Tensor, Tensor | None]:
    """What the kernel computes, by plain operations."""
    (B, H, T, D), (G, S) = q.shape, k.shape[1:3]
    wide = torch.promote_types(q.dtype, torch.float32)
    keys, queries = torch.arange(S, device=q.device), torch.arange(work.shift, work.shift + T, device=q.device)
    if starts is not None:
        queries = starts[:, None] + queries
    offsets = (keys - queries[..., None]).expand(B, T, S)
    allowed = torch.ones_like(offsets, dtype=torch.bool)
    if lengths is not None:
        allowed = allowed & (keys < lengths[:, None, None])
    if work.low is not None:
        allowed = allowed & (offsets >= work.low)
    if work.high is not None:
        allowed = allowed & (offsets <= work.high)
    seen = allowed.any(1)[:, None, :, None]
    k, v = torch.where(seen, k, 0).to(wide), torch.where(seen, v, 0).to(wide)
    logits = (work.beta * q.to(wide).reshape(B, G, -1, D) @ k.mT).view(B, H, T, S)
    if work.cap:
        logits = work.cap * torch.tanh(logits / work.cap)
    logits = torch.where(allowed[:, None], logits, -torch.inf)
    lse = logits.logsumexp(3)
    weights = torch.where(allowed[:, None], (logits - torch.where(lse.isinf(), 0, lse)[..., None]).exp(), 0)
    out = (weights.view(B, G, -1, S) @ v).view(B, H, T, -1)
    return out.to(q.dtype).transpose(1, 2).contiguous().transpose(1, 2), lse


def _power_of_two(n: int) -> int:
    """The next one from n on."""
    return 1 << (n - 1).bit_length()


def counted(B: int) -> int:
    """Rows of the batch, padded, among which programs look for theirs: up to 32 within a warp, without a barrier."""
    return max(32, _power_of_two(B))


def tile_of(rows: int, width: int, item: int, is_aligned: bool, device: torch.device) -> Tiles:
    """The tile for so many queries of a group, padded, of this width and of so many bytes to a number."""
    # Of 64 rows Hopper's own products, to which Triton 3.6 hands wrong operands where it loads number by number.
    height = min(64 if is_aligned else 32, max(16, _power_of_two(rows)))
    tiles = Tiles(height, max(16, min(128, 16384 // (width * item))), warps=4, stages=2 if item == 4 else 3)
    # Products of float32 split their operands.
    return fitted(tiles, need_of_output(width, width, item, copies=1.75 if item == 4 else 1), device)


def num_shares(device: torch.device) -> int:
    """Among how many programs the keys are dealt out."""
    if device.type != "cuda":
        return SHARES
    return SHARES * torch.cuda.get_device_properties(device).multi_processor_count


@dataclass(frozen=True, eq=False)
class Kind:
    """What calls of one kind share: sizes that do not depend on the number of keys, and the compiled kernel."""

    tile: Tiles
    columns: int  # tiles of one row of the batch
    shares: int  # programs, at most
    most: int  # of them that share a tile
    room: int  # numbers of their parts
    constants: tuple[Any, ...]
    kernel: Any = None


def _prepare(q: Tensor, k: Tensor, v: Tensor, lengths: Tensor | None, starts: Tensor | None, work: Work) -> Kind:
    (B, H, T, D), (_, G, _, E) = q.shape, v.shape
    rows = H // G * T
    width, value_width = (max(16, _power_of_two(n)) for n in (D, E))
    is_aligned = not any([n % 8 for x in (k, v) for n in x.stride()[:3]])
    tile = tile_of(rows, max(width, value_width), q.element_size(), is_aligned, q.device)
    real = min(tile.queries, _power_of_two(rows))
    constants = {
        "UNIT": 8 if is_aligned else 1,  # of strides, so that the compiler knows it
        "D": D,
        "E": E,
        "WIDE_D": width,
        "WIDE_E": value_width,
        "ROWS": tile.queries,
        "REAL": real,
        "KEYS": tile.keys,
        "PARTS": max(2, min(16, JOINED // (real * value_width))),
        "COUNTED": counted(B),
        "ALIKE": B == 1 or (lengths is None and starts is None),
        "PRECISION": "tf32x3" if q.dtype == torch.float32 else "ieee",
        "ONE_QUERY": T == 1,
        "LENGTHS": lengths is not None,
        "STARTS": starts is not None,
        "LOW": work.low is not None,
        "HIGH": work.high is not None,
        "CAP": work.cap > 0,
        "LSE": work.wants_lse,
    }
    shares, numbers = num_shares(q.device), real * value_width
    return Kind(
        tile,
        G * -(-rows // tile.queries),
        shares,
        max(8, MOST_JOINED // numbers),
        2 * shares * (numbers + real),
        tuple(constants.values()),
    )


def _launch(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    out: Tensor,
    lse: Tensor | None,
    lengths: Tensor | None,
    starts: Tensor | None,
    work: Work,
) -> None:
    """Write output and log-sum-exp."""
    (B, H, T, D), (_, G, S, E), (beta, shift, low, high, cap, wants_lse, _) = q.shape, v.shape, work
    device, strides = q.device, (*q.stride()[:3], *k.stride()[:3], *v.stride()[:3])
    large = B if B == 1 else counted(B)  # for which the kernel is compiled
    of_lengths = None if lengths is None else lengths.dtype
    key = ("decode", q.dtype, device, H, G, T, D, E, strides, large, of_lengths, starts is None, low is None)
    key = (*key, high is None, cap > 0, wants_lse)
    found: Kind = look(key) or _prepare(q, k, v, lengths, starts, work)
    tile, segments, seen, least = found.tile, B * found.columns, S, LEAST
    if lengths is None and starts is None:
        if low is not None or high is not None:
            first = 0 if low is None else max(0, shift + low)
            seen = (S if high is None else min(S, shift + high + T)) - first
        tiles = -(-segments // found.shares)  # of each program, if none is cut
        if segments * EVEN >= (EVEN - 1) * tiles * found.shares:
            least = tiles * max(1, -(-seen // tile.keys))
    blocks = segments * max(1, -(-seen // tile.keys))
    shares = min(found.shares, segments * found.most, -(-blocks // LEAST))
    stream = stream_of(device) if device.type == "cuda" else None
    counters, parts = _workspace(device, stream, segments, found.room, work.prepared)
    numbers = (beta / LN_2, cap / LN_2, *strides, B, H, G, T, S, shares, least, shift, low or 0, high or 0)
    tensors = (q, k, v, out, lse, counters, parts, lengths, starts)
    addresses = [None if x is None else x.data_ptr() for x in tensors]
    is_aligned = not any([address is not None and address & 15 for address in addresses])
    if found.kernel is not None and is_aligned:
        # Triton's own way to a compiled kernel looks at each argument, which takes longer than all else here.
        found.kernel[(shares, 1, 1)](*addresses, *numbers, *found.constants, stream=stream)
        return
    launch: Any = _share[(shares,)]
    kernel = launch(*tensors, *numbers, *found.constants, num_warps=tile.warps, num_stages=tile.stages)
    if kernel is not None and is_aligned:
        remember(key, replace(found, kernel=kernel))


def _workspace(
    device: torch.device, stream: int | None, segments: int, room: int, prepared: Prepared | None
) -> tuple[Tensor, Tensor]:
    """Counters of the programs that have finished with a tile, all zero as the kernel leaves them, and room for the
    parts.
    """
    count = 1024 if segments <= 1024 else _power_of_two(segments)

    def make() -> tuple[Tensor, Tensor]:
        counters = torch.zeros(count, dtype=torch.int32, device=device)
        return counters, torch.empty(room, dtype=torch.float32, device=device)

    key = ("workspace of decode", device, stream, count, room)
    return recall(key, make) if prepared is None or may_keep() else prepared.recall_from((), key, make)


@triton.jit
def _bounds(lengths, starts, b, inside, T, S, shift, low, high, LENGTHS, STARTS, LOW, HIGH):
    """The first key that any query of row b sees, the one behind the last, and where its first query stands."""
    zero = tl.zeros_like(b) if LENGTHS or STARTS else tl.full((), 0, tl.int32)
    first, last, at = zero, zero + S, zero.to(tl.int64) + shift
    if LENGTHS:
        last = tl.minimum(tl.maximum(tl.load(lengths + b, mask=inside, other=0), 0), S).to(tl.int32)
    if STARTS:
        at += tl.load(starts + b, mask=inside, other=0)
    if LOW:
        first = tl.minimum(tl.maximum(at + low, 0), S).to(tl.int32)
    if HIGH:
        last = tl.minimum(last, tl.minimum(tl.maximum(at + high + T, 0), S)).to(tl.int32)
    return first, tl.maximum(first, last), at


@triton.jit(do_not_specialize=["B", "H", "G", "T", "S", "shares", "least", "shift", "low", "high"])
def _share(
    q,
    k,
    v,
    out,
    lse,
    counters,
    parts,
    lengths,
    starts,
    beta: tl.float32,
    cap: tl.float32,
    q_row,
    q_head,
    q_token,
    k_row,
    k_head,
    k_token,
    v_row,
    v_head,
    v_token,
    B: tl.int32,
    H: tl.int32,
    G: tl.int32,
    T: tl.int32,
    S: tl.int32,
    shares: tl.int32,
    least: tl.int32,
    shift: tl.int64,
    low: tl.int64,
    high: tl.int64,
    UNIT: tl.constexpr,
    D: tl.constexpr,
    E: tl.constexpr,
    WIDE_D: tl.constexpr,
    WIDE_E: tl.constexpr,
    ROWS: tl.constexpr,
    REAL: tl.constexpr,
    KEYS: tl.constexpr,
    PARTS: tl.constexpr,
    COUNTED: tl.constexpr,
    ALIKE: tl.constexpr,
    PRECISION: tl.constexpr,
    ONE_QUERY: tl.constexpr,
    LENGTHS: tl.constexpr,
    STARTS: tl.constexpr,
    LOW: tl.constexpr,
    HIGH: tl.constexpr,
    CAP: tl.constexpr,
    LSE: tl.constexpr,
):
    """One program's share of the blocks, tile after tile. A tile is some rows of the heads of one group, at most ROWS;
    of its parts, REAL rows are kept. The rows of the batch are ALIKE where all have as many keys, or there is one.
    """
    program, rows = tl.program_id(0), H // G * T
    tiles = tl.cdiv(rows, ROWS)
    columns = G * tiles
    # How many blocks each row of the batch has for each of its tiles: at least one, which writes that there is nothing.
    counted = tl.arange(0, COUNTED)
    if not ALIKE:
        firsts, lasts, _ = _bounds(
            lengths, starts, counted, counted < B, T, S, shift, low, high, LENGTHS, STARTS, LOW, HIGH
        )
        blocks = tl.where(counted < B, tl.maximum(tl.cdiv(lasts - firsts, KEYS), 1), 0)
        through, whole = tl.cumsum(blocks) * columns, tl.sum(blocks) * columns
    else:
        first, last, at = _bounds(
            lengths, starts, program * 0, True, T, S, shift, low, high, LENGTHS, STARTS, LOW, HIGH
        )
        count = tl.maximum(tl.cdiv(last - first, KEYS), 1)
        whole = B * columns * count
    share = tl.maximum(tl.cdiv(whole, shares), least)
    unit = program * share
    end = tl.minimum(unit + share, whole)
    d, mine = tl.arange(0, WIDE_D), tl.arange(0, ROWS)
    levels = parts + 2 * shares * REAL * WIDE_E
    if not ALIKE:
        b, before, behind, count, first, last, at = unit, unit, unit, unit, unit, unit, unit.to(tl.int64)
    while unit < end:
        if not ALIKE:
            if unit >= behind:  # another row of the batch
                b = tl.sum(((through <= unit) & (counted < B)).to(tl.int32))
                before = tl.sum(tl.where(counted < b, blocks, 0)) * columns
                count = tl.sum(tl.where(counted == b, blocks, 0))
                behind = before + count * columns
                first, last, at = _bounds(lengths, starts, b, True, T, S, shift, low, high, LENGTHS, STARTS, LOW, HIGH)
        else:
            b, before = unit // (columns * count), unit // (columns * count) * (columns * count)
        column = (unit - before) // count
        begin = unit - before - column * count
        stop = tl.minimum(count, begin + end - unit)
        g, row = column // tiles, column % tiles * ROWS + mine
        h, i = g * (H // G) + row // T, row % T
        long = b.to(tl.int64)
        queries = q + long * q_row + h[:, None].to(tl.int64) * q_head + i[:, None] * q_token + d[None, :]
        own = tl.load(queries, mask=(row < rows)[:, None] & (d < D)[None, :], other=0.0)
        keys = k + (long * (k_row // UNIT) + g.to(tl.int64) * (k_head // UNIT)) * UNIT
        values = v + (long * (v_row // UNIT) + g.to(tl.int64) * (v_head // UNIT)) * UNIT
        since = tl.minimum(tl.maximum(at + i + low, 0), S).to(tl.int32)
        until = tl.minimum(tl.maximum(at + i + high, -1), S).to(tl.int32)
        mixed, level = _attend_blocks(
            own, keys, values, beta, cap, k_token // UNIT * UNIT, v_token // UNIT * UNIT, begin, stop, first, last,
            since, until, row < rows, ROWS, KEYS, D, E, WIDE_D, WIDE_E, PRECISION, ONE_QUERY, LOW, HIGH, CAP,
        )  # fmt: skip
        if stop - begin == count:
            _write(out, lse, mixed, level, b, g, row, rows, H, G, T, E, WIDE_E, LSE)
        else:
            part = 2 * program + (unit > program * share).to(tl.int32)
            counter = counters + b * columns + column
            _leave(
                out, lse, parts, levels, counter, part, mixed, level, unit - begin, count, share, b, g,
                column % tiles * ROWS, rows, H, G, T, E, ROWS, REAL, WIDE_E, PARTS, LSE,
            )  # fmt: skip
        unit += stop - begin


@triton.jit
def _attend_blocks(
    own, keys, values, beta, cap, k_token, v_token, begin, stop, first, last, since, until, is_row, ROWS: tl.constexpr,
    KEYS: tl.constexpr, D, E, WIDE_D: tl.constexpr, WIDE_E: tl.constexpr, PRECISION: tl.constexpr, ONE_QUERY, LOW, HIGH,
    CAP,
):  # fmt: skip
    """Output and base-2 log-sum-exp of a tile of queries over some blocks of the keys first…last − 1; several queries
    each see those since…until of them.
    """
    d, e, n = tl.arange(0, WIDE_D), tl.arange(0, WIDE_E), tl.arange(0, KEYS)
    top = tl.full((ROWS,), -float("inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    mixed = tl.zeros((ROWS, WIDE_E), tl.float32)
    for block in tl.range(begin, stop):
        j = first + block * KEYS
        here = j + n < last
        where = keys + j.to(tl.int64) * k_token + ((n * k_token)[None, :] + d[:, None])
        key = tl.load(where, mask=here[None, :] & (d < D)[:, None], other=0.0)
        logits = tl.dot(own, key, input_precision=PRECISION) * beta
        if CAP:
            logits = cap * tanh(logits * (1.0 / cap))
        allowed = here[None, :] & is_row[:, None]
        if not ONE_QUERY:
            if LOW:
                allowed = allowed & ((j + n)[None, :] >= since[:, None])
            if HIGH:
                allowed = allowed & ((j + n)[None, :] <= until[:, None])
        logits = tl.where(allowed, logits, -float("inf"))
        higher = tl.maximum(top, tl.max(logits, 1))
        level = tl.where(higher == -float("inf"), 0.0, higher)
        weights = tl.exp2(logits - level[:, None])
        scale = tl.exp2(top - level)
        total = total * scale + tl.sum(weights, 1)
        where = values + j.to(tl.int64) * v_token + ((n * v_token)[:, None] + e[None, :])
        value = tl.load(where, mask=here[:, None] & (e < E)[None, :], other=0.0)
        mixed = tl.dot(weights.to(value.dtype), value, mixed * scale[:, None], input_precision=PRECISION)
        top = higher
    total = tl.where(total == 0.0, 1.0, total)  # of a query that sees nothing
    return mixed / total[:, None], top + tl.log2(total)


@triton.jit
def _leave(
    out, lse, parts, levels, counter, part, mixed, level, start, count, share, b, g, row, rows, H, G, T, E,
    ROWS: tl.constexpr, REAL: tl.constexpr, WIDE_E: tl.constexpr, PARTS: tl.constexpr, LSE,
):  # fmt: skip
    """Put a part of a tile where the program that comes last will find it, and join all of them if this is it."""
    r, e = tl.arange(0, ROWS), tl.arange(0, WIDE_E)
    place = part * REAL + r
    tl.store(parts + place[:, None] * WIDE_E + e[None, :], mixed, mask=(r < REAL)[:, None])
    tl.store(levels + place, level, mask=r < REAL)
    one, other = start // share, (start + count - 1) // share  # the programs that share the tile
    tl.debug_barrier()  # one thread counts for all
    if tl.atomic_add(counter, 1, sem="acq_rel") == other - one:
        tl.store(counter, 0)
        joined, joined_level = _join(parts, levels, start, share, one, other, REAL, WIDE_E, PARTS)
        _write(out, lse, joined, joined_level, b, g, row + tl.arange(0, REAL), rows, H, G, T, E, WIDE_E, LSE)


@triton.jit
def _join(parts, levels, start, share, one, other, REAL: tl.constexpr, WIDE_E: tl.constexpr, PARTS: tl.constexpr):
    """A tile from the parts that programs `one` to `other` have computed of the blocks from `start` on."""
    r, e = tl.arange(0, REAL), tl.arange(0, WIDE_E)
    top = tl.full((REAL,), -float("inf"), tl.float32)
    total = tl.zeros((REAL,), tl.float32)
    mixed = tl.zeros((REAL, WIDE_E), tl.float32)
    for some in tl.range(one, other + 1, PARTS):
        for part in tl.static_range(PARTS):  # whose loads do not wait for each other
            program = some + part
            place = (2 * program + (start > program * share).to(tl.int32)) * REAL + r
            inside = (program <= other) & (r < REAL)
            level = tl.load(levels + place, mask=inside, other=-float("inf"), cache_modifier=".cg")
            numbers = parts + place[:, None] * WIDE_E + e[None, :]
            tile = tl.load(numbers, mask=inside[:, None], other=0.0, cache_modifier=".cg")
            higher = tl.maximum(top, level)
            safe = tl.where(higher == -float("inf"), 0.0, higher)
            weight, scale = tl.exp2(level - safe), tl.exp2(top - safe)
            total = total * scale + weight
            mixed = mixed * scale[:, None] + weight[:, None] * tile
            top = higher
    total = tl.where(total == 0.0, 1.0, total)
    return mixed / total[:, None], top + tl.log2(total)


@triton.jit
def _write(out, lse, mixed, level, b, g, row, rows, H, G, T, E, WIDE_E: tl.constexpr, LSE):
    """Put the rows of a tile in their places."""
    e = tl.arange(0, WIDE_E)
    h, i = g * (H // G) + row // T, row % T
    place = (b.to(tl.int64) * T + i) * H + h
    mask = (row < rows)[:, None] & (e < E)[None, :]
    tl.store(out + place[:, None] * E + e[None, :], mixed.to(out.dtype.element_ty), mask=mask)
    if LSE:
        tl.store(lse + (b.to(tl.int64) * H + h) * T + i, level * 0.6931471805599453, mask=row < rows)
