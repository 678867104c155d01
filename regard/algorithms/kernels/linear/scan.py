"""Causal linear attention in one pass over the tokens.

    o_i = g(q_i)ᵀ S_i / g(q_i)ᵀ z_i        [S_i, z_i] = Σ_{j ≤ i} g(k_j) [v_j, 1]ᵀ

A program walks over the chunks of one head with the state in registers. Where there are too few heads to fill the GPU,
their sequences are cut into segments: each program first sums up its own keys and values, adds what the program of the
segment before it has published, publishes the result for the next one, and then walks over its tokens, which are still
in the cache. Programs take numbers in the order in which they start, so nobody waits for one that has not begun.

Two numbers, on an H200 with 8 rows of 16384 tokens, 16 heads of width 64, bfloat16: 69 GFLOP over 771 TFLOP/s are
0.09 ms, q, k, v and o over 4.27 TB/s are 0.25 ms. It takes 0.26 ms without feature map and denominator, 0.43 ms with
`Elu` and denominator, whose exponentials and extra products the loads do not hide. Going back: 0.23 ms and 0.50 ms
where everything is read once, 0.63 ms by two passes; it takes 0.67 and 1.64 ms. In 2 rows of 65536 tokens keys and
values are read twice, 0.38 ms; it takes 0.42 and 0.46 ms, and 0.99 and 1.70 ms going back.
"""

# ruff: noqa: SIM102 — what is known when a kernel is compiled is asked first, alone
# pyright: reportGeneralTypeIssues=false
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import pad
from torch.utils.flop_counter import register_flop_formula
from triton.language.extra import libdevice

from regard.algorithms.kernels.launch import current
from regard.algorithms.kernels.layouts import laid_out
from regard.algorithms.kernels.linear import causal_sums
from regard.algorithms.kernels.tiles import shared_memory
from regard.algorithms.planning.machines import table_of
from regard.attention import Content, Elu, Exp, Features, Identity, Kernel, Own, Relu, SquaredRelu
from regard.attention.torch_private import is_dispatched
from regard.attention.weighting.weighting import divided

# Tokens of a chunk, whose pairs are computed by the quadratic form; warps; loads in flight; tiles as wide as values.
TUNED = {"forward": (64, 4, 4, 1), "queries": (64, 4, 4, 2), "keys": (64, 4, 4, 2)}
MEMORY = 230_000  # bytes of shared memory at most
STATE = 1 << 14  # numbers of a state that registers hold
WIDE_ROOM = 140_000  # bytes of shared memory without which products of float32 take half of it
SEGMENT = 2048  # tokens at most; longer ones leave the cache before they are read again
SHORTEST = 256  # tokens of a segment
FEW = 100  # heads that leave a GPU idle: to read keys and values twice costs less
MANY = 264  # programs that fill a GPU, two to a processor: where features are computed, one waits too often

SIZES = ["N", "B", "H", "G", "segments", "length"]  # of which no kernel of its own is made
MAPS = {"": 0, "Identity": 0, "Elu": 1, "Relu": 2, "SquaredRelu": 3, "Exp": 4}
FEATURES: dict[str, Features] = {
    "": Own(lambda x: x),
    "Identity": Identity(),
    "Elu": Elu(),
    "Relu": Relu(),
    "SquaredRelu": SquaredRelu(),
    "Exp": Exp(),
}


@triton.jit
def _exp(x, ON_GPU: tl.constexpr):
    """Without the steps that keep numbers below 1e-38 exact."""
    if ON_GPU:
        return libdevice.fast_expf(x)
    return tl.exp(x)


@triton.jit
def _mapped(x, MAP: tl.constexpr, ON_GPU: tl.constexpr):
    """g(x), number by number."""
    if MAP == 1:
        x = tl.where(x > 0, x + 1, _exp(x, ON_GPU))
    elif MAP == 2:
        x = tl.where(x <= 0, 0.0, x)
    elif MAP == 3:
        x = tl.where(x <= 0, 0.0, x * x)
    elif MAP == 4:
        x = _exp(x, ON_GPU)
    return x


@triton.jit
def _slope(x, MAP: tl.constexpr, ON_GPU: tl.constexpr):
    """g′(x)."""
    if MAP == 1:
        x = tl.where(x > 0, 1.0, _exp(x, ON_GPU))
    elif MAP == 2:
        x = tl.where(x > 0, 1.0, 0.0)
    elif MAP == 3:
        x = tl.where(x <= 0, 0.0, 2 * x)
    elif MAP == 4:
        x = _exp(x, ON_GPU)
    return x


@triton.jit
def _features(x, there, F: tl.constexpr, BF: tl.constexpr, MAP: tl.constexpr, ON_GPU: tl.constexpr):
    """g(x), zeros in place of tokens that are not there and of columns beyond the width."""
    if MAP > 0:
        x = tl.where(there[:, None], _mapped(x.to(tl.float32), MAP, ON_GPU), 0.0)
        if F < BF:
            x = tl.where(tl.arange(0, BF)[None, :] < F, x, 0.0)
    return x


@triton.jit
def _rows(mask, row, first, N, C: tl.constexpr, HAS_MASK: tl.constexpr, EVEN: tl.constexpr):
    """Which tokens of a chunk are there; EVEN where chunks are whole."""
    tokens = first + tl.arange(0, C)
    there = tl.full([C], True, tl.int1) if EVEN else tokens < N
    if HAS_MASK:
        there = tl.load(mask + row * N + tokens, mask=there, other=0) != 0
    return there


@triton.jit
def _tile(x, first, stride, there, WIDTH: tl.constexpr, BLOCK: tl.constexpr, C: tl.constexpr):
    """Vectors of a chunk, (C, BLOCK), zeros where there are none."""
    columns = tl.arange(0, BLOCK)
    at = x + tl.cast(first, tl.int64) * stride + tl.arange(0, C)[:, None] * stride + columns[None, :]
    if WIDTH == BLOCK:
        return tl.load(at, mask=there[:, None], other=0.0)
    return tl.load(at, mask=there[:, None] & (columns[None, :] < WIDTH), other=0.0)


@triton.jit
def _put(x, value, first, stride, N, WIDTH: tl.constexpr, BLOCK: tl.constexpr, C: tl.constexpr, EVEN: tl.constexpr):
    """Store vectors of a chunk."""
    columns = tl.arange(0, BLOCK)
    at = x + tl.cast(first, tl.int64) * stride + tl.arange(0, C)[:, None] * stride + columns[None, :]
    inside = _rows(x, 0, first, N, C, False, EVEN)[:, None]
    if WIDTH < BLOCK:
        inside = inside & (columns[None, :] < WIDTH)
    tl.store(at, value.to(x.dtype.element_ty), mask=inside)


@triton.jit
def _load_state(x, F: tl.constexpr, E: tl.constexpr, BF: tl.constexpr, BE: tl.constexpr):
    """A state (F, E + 1) as (E, F) and (F)."""
    f, e = tl.arange(0, BF), tl.arange(0, BE)
    S = tl.load(x + f[None, :] * (E + 1) + e[:, None], mask=(f[None, :] < F) & (e[:, None] < E), other=0.0)
    return S, tl.load(x + f * (E + 1) + E, mask=f < F, other=0.0)


@triton.jit
def _store_state(x, S, z, F: tl.constexpr, E: tl.constexpr, BF: tl.constexpr, BE: tl.constexpr):
    f, e = tl.arange(0, BF), tl.arange(0, BE)
    tl.store(x + f[None, :] * (E + 1) + e[:, None], S, mask=(f[None, :] < F) & (e[:, None] < E))
    tl.store(x + f * (E + 1) + E, z, mask=f < F)


@triton.jit
def _hand_over(sums, flags, S, z, heads, head, segment, last, BF: tl.constexpr, BE: tl.constexpr):
    """The state before a segment, from the one of the segment before it; S and z are what this one adds."""
    f, e = tl.arange(0, BF), tl.arange(0, BE)
    size: tl.constexpr = BF * BE + BF
    place = (segment * heads + head).to(tl.int64)
    to_S, to_z = e[:, None] * BF + f[None, :], BF * BE + f
    before_S, before_z = tl.zeros([BE, BF], tl.float32), tl.zeros([BF], tl.float32)
    if segment > 0:
        while tl.atomic_add(flags + place - heads, 0, sem="acquire") == 0:
            pass
        before_S = tl.load(sums + (place - heads) * size + to_S, cache_modifier=".cg")
        before_z = tl.load(sums + (place - heads) * size + to_z, cache_modifier=".cg")
        S += before_S
        z += before_z
    if segment < last:
        tl.store(sums + place * size + to_S, S)
        tl.store(sums + place * size + to_z, z)
        tl.debug_barrier()
        tl.atomic_xchg(flags + place, 1, sem="release")
    return before_S, before_z


@triton.jit
def _program(flags, heads, segments, SEGMENTED: tl.constexpr):
    """Which head and segment: numbers are taken in the order in which programs start."""
    if SEGMENTED:
        number = tl.atomic_add(flags + heads * segments, 1)
        return number % heads, number // heads
    return tl.program_id(0), 0


@triton.jit
def _before(
    k, v, real, start, sums, flags, k_token, v_token, row, group, head, heads, segment, segments, begin, stop, N,
    F: tl.constexpr, E: tl.constexpr, BF: tl.constexpr, BE: tl.constexpr, C: tl.constexpr,
    MAP: tl.constexpr, DOT: tl.constexpr, PRECISION: tl.constexpr, HAS_REAL: tl.constexpr, HAS_START: tl.constexpr,
    HAS_Z: tl.constexpr, SEGMENTED: tl.constexpr, STAGES: tl.constexpr, EVEN: tl.constexpr, ON_GPU: tl.constexpr,
):  # fmt: skip
    """The state before a segment; that after it is published. Z is z in every row, so that products sum it up."""
    S, z = tl.zeros([BE, BF], tl.float32), tl.zeros([BF], tl.float32)
    if HAS_START:
        if segment == 0:
            S, z = _load_state(start + group * F * (E + 1), F, E, BF, BE)
    Z = tl.broadcast_to(z[None, :], [C, BF])
    if SEGMENTED:
        kept_S, kept_Z = S, Z
        if segment < segments - 1:
            for first in tl.range(begin, stop, C, num_stages=STAGES):
                there = _rows(real, row, first, N, C, HAS_REAL, EVEN)
                fk = _features(_tile(k, first, k_token, there, F, BF, C), there, F, BF, MAP, ON_GPU).to(DOT)
                w = _tile(v, first, v_token, there, E, BE, C).to(DOT)
                S = tl.dot(tl.trans(w), fk, S, input_precision=PRECISION)
                if HAS_Z:
                    Z = tl.dot(tl.full([C, C], 1.0, DOT), fk, Z, input_precision=PRECISION)
        before_S, z = _hand_over(sums, flags, S, tl.sum(Z, 0) / C, heads, head, segment, segments - 1, BF, BE)
        S, Z = kept_S + before_S, kept_Z + z[None, :]
    return S, Z


@triton.jit(do_not_specialize=SIZES)
def _forward(
    q, k, v, live, real, start, out, end, sums, flags,
    q_row, q_head, q_token, k_row, k_head, k_token, v_row, v_head, v_token, o_row, o_head, o_token,
    N, B, H, G, segments, length,
    F: tl.constexpr, E: tl.constexpr, BF: tl.constexpr, BE: tl.constexpr, C: tl.constexpr,
    MAP: tl.constexpr, NORMALISE: tl.constexpr, DOT: tl.constexpr, PRECISION: tl.constexpr,
    HAS_LIVE: tl.constexpr, HAS_REAL: tl.constexpr, HAS_START: tl.constexpr, HAS_END: tl.constexpr,
    SEGMENTED: tl.constexpr, STAGES: tl.constexpr, EVEN: tl.constexpr, ON_GPU: tl.constexpr,
):  # fmt: skip
    """Outputs, and the state after the last key."""
    head, segment = _program(flags, B * H, segments, SEGMENTED)
    b, h = (head // H).to(tl.int64), head % H
    g = h // (H // G)
    q += b * q_row + h.to(tl.int64) * q_head
    k += b * k_row + g.to(tl.int64) * k_head
    v += b * v_row + g.to(tl.int64) * v_head
    out += b * o_row + h.to(tl.int64) * o_head
    begin = segment * length
    stop = tl.minimum(begin + length, N)
    S, Z = _before(
        k, v, real, start, sums, flags, k_token, v_token, b, b * G + g,
        head, B * H, segment, segments, begin, stop, N,
        F, E, BF, BE, C, MAP, DOT, PRECISION, HAS_REAL, HAS_START, NORMALISE or HAS_END, SEGMENTED, STAGES, EVEN,
        ON_GPU,
    )  # fmt: skip
    one = tl.full([C, 16], 1.0, DOT)
    full = tl.full([C, C], 1.0, DOT)
    index = tl.arange(0, C)
    for first in tl.range(begin, stop, C, num_stages=STAGES):
        there = _rows(real, b, first, N, C, HAS_REAL, EVEN)
        asks = _rows(live, b, first, N, C, HAS_LIVE, EVEN)
        wide = _features(_tile(q, first, q_token, asks, F, BF, C), asks, F, BF, MAP, ON_GPU)
        fq = wide.to(DOT)
        if NORMALISE:
            bottom = tl.sum(wide.to(tl.float32) * Z, 1)
        fk = _features(_tile(k, first, k_token, there, F, BF, C), there, F, BF, MAP, ON_GPU).to(DOT)
        w = _tile(v, first, v_token, there, E, BE, C).to(DOT)
        pairs = tl.dot(fq, tl.trans(fk), input_precision=PRECISION)
        pairs = tl.where(index[:, None] >= index[None, :], pairs, 0.0).to(DOT)
        top = tl.dot(fq, tl.trans(S.to(DOT)), input_precision=PRECISION)
        top = tl.dot(pairs, w, top, input_precision=PRECISION)
        if NORMALISE:
            bottom += tl.sum(tl.dot(pairs, one, input_precision=PRECISION), 1) / 16
            top *= (1 / tl.where(bottom == 0, float("inf"), bottom))[:, None]
        _put(out, top, first, o_token, N, E, BE, C, EVEN)
        S = tl.dot(tl.trans(w), fk, S, input_precision=PRECISION)
        if NORMALISE or HAS_END:
            Z = tl.dot(full, fk, Z, input_precision=PRECISION)
    if HAS_END:
        if (segment == segments - 1) & (h % (H // G) == 0):
            _store_state(end + (b * G + g) * F * (E + 1), S, tl.sum(Z, 0) / C, F, E, BF, BE)


@triton.jit(do_not_specialize=SIZES)
def _backward_queries(
    grad, q, k, v, live, real, start, dq, inverse, slopes, sums, flags,
    g_row, g_head, g_token, q_row, q_head, q_token, k_row, k_head, k_token, v_row, v_head, v_token,
    d_row, d_head, d_token, N, B, H, G, segments, length,
    F: tl.constexpr, E: tl.constexpr, BF: tl.constexpr, BE: tl.constexpr, C: tl.constexpr,
    MAP: tl.constexpr, NORMALISE: tl.constexpr, DOT: tl.constexpr, PRECISION: tl.constexpr,
    HAS_LIVE: tl.constexpr, HAS_REAL: tl.constexpr, HAS_START: tl.constexpr,
    SEGMENTED: tl.constexpr, STAGES: tl.constexpr, EVEN: tl.constexpr, ON_GPU: tl.constexpr,
):  # fmt: skip
    """The gradient of q, and for every query one over its denominator, and the gradient of that over it."""
    head, segment = _program(flags, B * H, segments, SEGMENTED)
    b, h = (head // H).to(tl.int64), head % H
    g = h // (H // G)
    q += b * q_row + h.to(tl.int64) * q_head
    k += b * k_row + g.to(tl.int64) * k_head
    v += b * v_row + g.to(tl.int64) * v_head
    grad += b * g_row + h.to(tl.int64) * g_head
    dq += b * d_row + h.to(tl.int64) * d_head
    begin = segment * length
    stop = tl.minimum(begin + length, N)
    S, Z = _before(
        k, v, real, start, sums, flags, k_token, v_token, b, b * G + g,
        head, B * H, segment, segments, begin, stop, N,
        F, E, BF, BE, C, MAP, DOT, PRECISION, HAS_REAL, HAS_START, NORMALISE, SEGMENTED, STAGES, EVEN, ON_GPU,
    )  # fmt: skip
    index = tl.arange(0, C)
    full = tl.full([C, C], 1.0, DOT)
    ones = tl.where(index[:, None] >= index[None, :], 1.0, 0.0).to(DOT)
    for first in tl.range(begin, stop, C, num_stages=STAGES):
        there = _rows(real, b, first, N, C, HAS_REAL, EVEN)
        asks = _rows(live, b, first, N, C, HAS_LIVE, EVEN)
        x = _tile(q, first, q_token, asks, F, BF, C)
        fk = _features(_tile(k, first, k_token, there, F, BF, C), there, F, BF, MAP, ON_GPU).to(DOT)
        w = _tile(v, first, v_token, there, E, BE, C).to(DOT)
        seeds = _tile(grad, first, g_token, asks, E, BE, C).to(DOT)
        pairs = tl.dot(seeds, tl.trans(w), input_precision=PRECISION)
        pairs = tl.where(index[:, None] >= index[None, :], pairs, 0.0).to(DOT)
        found = tl.dot(seeds, S.to(DOT), input_precision=PRECISION)
        found = tl.dot(pairs, fk, found, input_precision=PRECISION)
        if NORMALISE:
            below = tl.dot(ones, fk, Z, input_precision=PRECISION)
            fq = _features(x, asks, F, BF, MAP, ON_GPU).to(tl.float32)
            bottom = tl.sum(fq * below, 1)
            over = 1 / tl.where(bottom == 0, float("inf"), bottom)
            slope = -tl.sum(fq * found, 1) * over
            found = (found + below * slope[:, None]) * over[:, None]
            at, inside = (b * H + h) * N + first + index, _rows(live, b, first, N, C, False, EVEN)
            tl.store(inverse + at, over, mask=inside)
            tl.store(slopes + at, slope, mask=inside)
            Z = tl.dot(full, fk, Z, input_precision=PRECISION)
        if MAP > 0:
            found = tl.where(asks[:, None], found * _slope(x.to(tl.float32), MAP, ON_GPU), 0.0)
        _put(dq, found, first, d_token, N, F, BF, C, EVEN)
        S = tl.dot(tl.trans(w), fk, S, input_precision=PRECISION)


@triton.jit
def _queries(
    grad, q, live, inverse, slopes, g_head, g_token, q_head, q_token, row, r, first, N,
    F: tl.constexpr, E: tl.constexpr, BF: tl.constexpr, BE: tl.constexpr, C: tl.constexpr, MAP: tl.constexpr,
    NORMALISE: tl.constexpr, DOT: tl.constexpr, HAS_LIVE: tl.constexpr, EVEN: tl.constexpr, ON_GPU: tl.constexpr,
):  # fmt: skip
    """Of one head and chunk: `g(q_i)/d_i`, the gradient of the output, and s_i as `_backward_queries` found it."""
    asks = _rows(live, row, first, N, C, HAS_LIVE, EVEN)
    fq = _features(_tile(q + r * tl.cast(q_head, tl.int64), first, q_token, asks, F, BF, C), asks, F, BF, MAP, ON_GPU)
    seeds = _tile(grad + r * tl.cast(g_head, tl.int64), first, g_token, asks, E, BE, C).to(DOT)
    slope = tl.zeros([C], tl.float32)
    if NORMALISE:
        at, inside = r * N + first + tl.arange(0, C), _rows(live, row, first, N, C, False, EVEN)
        fq = fq.to(tl.float32) * tl.load(inverse + at, mask=inside, other=0.0)[:, None]
        slope = tl.load(slopes + at, mask=inside, other=0.0)
    return fq.to(DOT), seeds, slope


@triton.jit
def _after(
    grad, q, live, end, inverse, slopes, sums, flags, g_head, g_token, q_head, q_token,
    row, head, heads, segment, segments, begin, chunks, N,
    F: tl.constexpr, E: tl.constexpr, BF: tl.constexpr, BE: tl.constexpr, C: tl.constexpr, R: tl.constexpr,
    MAP: tl.constexpr, NORMALISE: tl.constexpr, DOT: tl.constexpr, PRECISION: tl.constexpr, HAS_LIVE: tl.constexpr,
    HAS_END: tl.constexpr, SEGMENTED: tl.constexpr, STAGES: tl.constexpr, EVEN: tl.constexpr, ON_GPU: tl.constexpr,
):  # fmt: skip
    """The gradient of the state after a segment; that of the state before it is published."""
    S, z = tl.zeros([BE, BF], tl.float32), tl.zeros([BF], tl.float32)
    if HAS_END:
        if segment == 0:
            S, z = _load_state(end + head.to(tl.int64) * F * (E + 1), F, E, BF, BE)
    Z = tl.broadcast_to(z[None, :], [C, BF])
    if SEGMENTED:
        kept_S, kept_Z = S, Z
        if segment < segments - 1:
            for step in tl.range(0, chunks * R, num_stages=STAGES):
                first, r = begin + step // R * C, step % R
                fq, seeds, slope = _queries(
                    grad, q, live, inverse, slopes, g_head, g_token, q_head, q_token, row, r, first, N,
                    F, E, BF, BE, C, MAP, NORMALISE, DOT, HAS_LIVE, EVEN, ON_GPU,
                )  # fmt: skip
                S = tl.dot(tl.trans(seeds), fq, S, input_precision=PRECISION)
                if NORMALISE:
                    Z = tl.dot(tl.broadcast_to(slope[None, :], [C, C]).to(DOT), fq, Z, input_precision=PRECISION)
        before_S, z = _hand_over(sums, flags, S, tl.sum(Z, 0) / C, heads, head, segment, segments - 1, BF, BE)
        S, Z = kept_S + before_S, kept_Z + z[None, :]
    return S, Z


@triton.jit
def _grad_values(fk, fq, seeds, found, C: tl.constexpr, DOT: tl.constexpr, PRECISION: tl.constexpr):
    """Add what the queries of a chunk give to its values."""
    index = tl.arange(0, C)
    pairs = tl.dot(fk, tl.trans(fq), input_precision=PRECISION)
    pairs = tl.where(index[:, None] <= index[None, :], pairs, 0.0).to(DOT)
    return tl.dot(pairs, seeds, found, input_precision=PRECISION)


@triton.jit
def _grad_keys(
    w, fq, seeds, slope, found, S, Z,
    C: tl.constexpr, NORMALISE: tl.constexpr, DOT: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Add what the queries of a chunk give to its keys, and to the state before it."""
    index = tl.arange(0, C)
    pairs = tl.dot(w, tl.trans(seeds), input_precision=PRECISION)
    if NORMALISE:
        pairs += slope[None, :]
        Z = tl.dot(tl.broadcast_to(slope[None, :], [C, C]).to(DOT), fq, Z, input_precision=PRECISION)
    pairs = tl.where(index[:, None] <= index[None, :], pairs, 0.0).to(DOT)
    found = tl.dot(pairs, fq, found, input_precision=PRECISION)
    return found, tl.dot(tl.trans(seeds), fq, S, input_precision=PRECISION), Z


@triton.jit(do_not_specialize=SIZES)
def _backward_keys(
    grad, q, k, v, live, real, grad_end, inverse, slopes, dk, dv, grad_start, sums, flags,
    g_row, g_head, g_token, q_row, q_head, q_token, k_row, k_head, k_token, v_row, v_head, v_token,
    dk_row, dk_head, dk_token, dv_row, dv_head, dv_token, N, B, H, G, segments, length,
    F: tl.constexpr, E: tl.constexpr, BF: tl.constexpr, BE: tl.constexpr, C: tl.constexpr, R: tl.constexpr,
    MAP: tl.constexpr, NORMALISE: tl.constexpr, DOT: tl.constexpr, PRECISION: tl.constexpr,
    HAS_LIVE: tl.constexpr, HAS_REAL: tl.constexpr, HAS_END: tl.constexpr, HAS_START: tl.constexpr,
    SEGMENTED: tl.constexpr, STAGES: tl.constexpr, EVEN: tl.constexpr, ON_GPU: tl.constexpr,
):  # fmt: skip
    """The gradients of k, v and the state before the first key, from the last chunk to the first.

    The state is `Σ_{i ≥ j} g(q_i)/d_i [do_i, s_i]ᵀ` over the queries of all R heads of a group.
    """
    head, segment = _program(flags, B * G, segments, SEGMENTED)
    b, h = (head // G).to(tl.int64), head % G
    q, grad = q + b * q_row + h.to(tl.int64) * R * q_head, grad + b * g_row + h.to(tl.int64) * R * g_head
    k, v = k + b * k_row + h.to(tl.int64) * k_head, v + b * v_row + h.to(tl.int64) * v_head
    dk, dv = dk + b * dk_row + h.to(tl.int64) * dk_head, dv + b * dv_row + h.to(tl.int64) * dv_head
    inverse, slopes = inverse + (b * H + h * R) * N, slopes + (b * H + h * R) * N
    begin = (segments - 1 - segment) * length  # the last segment goes first
    chunks = tl.cdiv(tl.minimum(length, N - begin), C)
    S, Z = _after(
        grad, q, live, grad_end, inverse, slopes, sums, flags, g_head, g_token, q_head, q_token,
        b, head, B * G, segment, segments, begin, chunks, N,
        F, E, BF, BE, C, R, MAP, NORMALISE, DOT, PRECISION, HAS_LIVE, HAS_END, SEGMENTED, STAGES, EVEN, ON_GPU,
    )  # fmt: skip
    for step in tl.range(0, chunks, num_stages=STAGES):
        first = begin + (chunks - 1 - step) * C
        there = _rows(real, b, first, N, C, HAS_REAL, EVEN)
        x = _tile(k, first, k_token, there, F, BF, C)
        fk = _features(x, there, F, BF, MAP, ON_GPU).to(DOT)
        w = _tile(v, first, v_token, there, E, BE, C).to(DOT)
        state = S.to(DOT)
        found_v = tl.dot(fk, tl.trans(state), input_precision=PRECISION)
        if R == 1:
            fq, seeds, slope = _queries(
                grad, q, live, inverse, slopes, g_head, g_token, q_head, q_token, b, 0, first, N,
                F, E, BF, BE, C, MAP, NORMALISE, DOT, HAS_LIVE, EVEN, ON_GPU,
            )  # fmt: skip
            found_v = _grad_values(fk, fq, seeds, found_v, C, DOT, PRECISION)
            _put(dv, tl.where(there[:, None], found_v, 0.0), first, dv_token, N, E, BE, C, EVEN)  # early: registers
            found_k = tl.dot(w, state, Z, input_precision=PRECISION)
            found_k, S, Z = _grad_keys(w, fq, seeds, slope, found_k, S, Z, C, NORMALISE, DOT, PRECISION)
        else:
            found_k = tl.dot(w, state, Z, input_precision=PRECISION)
            for r in range(R):
                fq, seeds, slope = _queries(
                    grad, q, live, inverse, slopes, g_head, g_token, q_head, q_token, b, r, first, N,
                    F, E, BF, BE, C, MAP, NORMALISE, DOT, HAS_LIVE, EVEN, ON_GPU,
                )  # fmt: skip
                found_v = _grad_values(fk, fq, seeds, found_v, C, DOT, PRECISION)
                found_k, S, Z = _grad_keys(w, fq, seeds, slope, found_k, S, Z, C, NORMALISE, DOT, PRECISION)
            _put(dv, tl.where(there[:, None], found_v, 0.0), first, dv_token, N, E, BE, C, EVEN)
        if MAP > 0:
            found_k = found_k * _slope(x.to(tl.float32), MAP, ON_GPU)
        _put(dk, tl.where(there[:, None], found_k, 0.0), first, dk_token, N, F, BF, C, EVEN)
    if HAS_START:
        if segment == segments - 1:
            _store_state(grad_start + head.to(tl.int64) * F * (E + 1), S, tl.sum(Z, 0) / C, F, E, BF, BE)


def _block(width: int) -> int:
    """Columns of a tile."""
    return max(16, 1 << (width - 1).bit_length())


class Sizes(NamedTuple):
    """Of tiles and of segments."""

    BF: int
    BE: int
    heads: int
    segments: int
    length: int

    @classmethod
    def of(cls, heads: int, N: int, F: int, E: int, few: int) -> "Sizes":
        """Sequences are cut where there are fewer heads than `few`."""
        BF, BE = _block(F), _block(E)
        if heads >= few or N <= SHORTEST:
            return cls(BF, BE, heads, 1, N)
        even = -(-N * heads // (MANY * 64)) * 64
        length = min(SEGMENT, max(SHORTEST, even))
        return cls(BF, BE, heads, -(-N // length), length)

    def shared(self, device: torch.device) -> tuple[Tensor | None, Tensor | None]:
        """Room for the states between segments, and flags that say which of them are there."""
        if self.segments == 1:
            return None, None
        number = self.heads * self.segments
        sums = torch.empty(number * self.BF * (self.BE + 1), dtype=torch.float32, device=device)
        return sums, torch.zeros(number + 1, dtype=torch.int32, device=device)

    def options(self, kernel: str, q: Tensor, v: Tensor) -> dict[str, Any]:
        """What all kernels are compiled for."""
        BF, BE, (chunk, warps, stages, tiles), N = self.BF, self.BE, TUNED[kernel], v.shape[2]
        # float16 cannot hold sums of many tokens: its numbers are multiplied in tf32, which has as many digits.
        half = v.dtype == torch.bfloat16 and v.is_cuda
        wide = BF * BE > 64 * 64
        # As many loads in flight as shared memory has room for, beside operands that are computed: of two programs
        # where there are many, of one where there are few.
        operands = 2 * BF * (BE + chunk) if half else 4 * BF * (BE + 2 * chunk)
        room = min(MEMORY, shared_memory(v.device) - 1024) // (1 if wide or self.segments == 1 else 2) - operands
        each = chunk * (2 * BF * q.itemsize + tiles * BE * v.itemsize)
        return {
            "BF": BF,
            "BE": BE,
            "C": chunk,
            "DOT": tl.bfloat16 if half else tl.float32,
            "PRECISION": {torch.float32: "tf32x3", torch.float16: "tf32", torch.bfloat16: "ieee"}[v.dtype],
            "SEGMENTED": self.segments > 1,
            "EVEN": N % chunk == 0 and self.length % chunk == 0,
            "ON_GPU": v.is_cuda,
            "STAGES": max(1, min(stages, room // each)),
            "num_warps": 8 if wide else warps,
        }


class Given(NamedTuple):
    """What a call knows beside its tensors."""

    map: str  # of `MAPS`; none where q and k are features already
    normalise: bool
    wants_end: bool
    wide: bool  # the output is float32, whatever the type of the values


def _contiguous(x: Tensor | None) -> Tensor | None:
    return x if x is None else x.contiguous()


def _run_forward(
    q: Tensor, k: Tensor, v: Tensor, live: Tensor | None, real: Tensor | None, start: Tensor | None, given: Given
) -> tuple[Tensor, Tensor]:
    (B, H, N, F), (G, E) = q.shape, (k.shape[1], v.shape[3])
    q, k, v = _readable(q), _readable(k), _readable(v)
    live, real, start = _contiguous(live), _contiguous(real), _contiguous(start)
    sizes = Sizes.of(B * H, N, F, E, FEW)
    out = _empty_output(q, v, given)
    end = _empty_end(k, v, given)
    sums, flags = sizes.shared(q.device)
    forward: Any = _forward
    with current(q.device):
        forward[(sizes.heads * sizes.segments,)](
            q, k, v, live, real, start, out, end, sums, flags,
            *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *out.stride()[:3],
            N, B, H, G, sizes.segments, sizes.length,
            F=F, E=E, MAP=MAPS[given.map], NORMALISE=given.normalise,
            HAS_LIVE=live is not None, HAS_REAL=real is not None, HAS_START=start is not None, HAS_END=given.wants_end,
            **sizes.options("forward", q, v),
        )  # fmt: skip
    return out, end


def _run_backward(
    grad: Tensor,
    grad_end: Tensor | None,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    live: Tensor | None,
    real: Tensor | None,
    start: Tensor | None,
    given: Given,
    wanted: list[bool],
) -> list[Tensor]:
    """The gradients of q, k, v and the start that are wanted."""
    live, real, start, grad_end = (_contiguous(x) for x in (live, real, start, grad_end))
    (B, H, N, F), (G, E) = q.shape, (k.shape[1], v.shape[3])
    grad, q, k, v = _readable(grad), _readable(q), _readable(k), _readable(v)
    dq, dk, dv = _empty_like(q), _empty_like(k), _empty_like(v)
    grad_start = None if start is None else torch.empty_like(start)
    inverse, slopes = (q.new_empty((2, B, H, N) if given.normalise else (2, 1), dtype=torch.float32)).unbind(0)
    common = {
        "F": F,
        "E": E,
        "MAP": MAPS[given.map],
        "NORMALISE": given.normalise,
        "HAS_LIVE": live is not None,
        "HAS_REAL": real is not None,
        "HAS_START": start is not None,
    }
    few = MANY if MAPS[given.map] or given.normalise else FEW
    strides = (*grad.stride()[:3], *q.stride()[:3], *k.stride()[:3], *v.stride()[:3])
    if wanted[0] or given.normalise:
        sizes = Sizes.of(B * H, N, F, E, few)
        backward: Any = _backward_queries
        with current(q.device):
            backward[(sizes.heads * sizes.segments,)](
                grad, q, k, v, live, real, start, dq, inverse, slopes, *sizes.shared(q.device),
                *strides, *dq.stride()[:3], N, B, H, G, sizes.segments, sizes.length,
                **common, **sizes.options("queries", q, v),
            )  # fmt: skip
    if any(wanted[1:]):
        sizes = Sizes.of(B * G, N, F, E, few)
        backward_keys: Any = _backward_keys
        with current(q.device):
            backward_keys[(sizes.heads * sizes.segments,)](
                grad, q, k, v, live, real, grad_end, inverse, slopes, dk, dv, grad_start, *sizes.shared(q.device),
                *strides, *dk.stride()[:3], *dv.stride()[:3], N, B, H, G, sizes.segments, sizes.length,
                R=H // G, HAS_END=grad_end is not None, **common, **sizes.options("keys", q, v),
            )  # fmt: skip
    found = (dq, dk, dv, grad_start)
    return [x for x, want in zip(found, wanted, strict=True) if want and x is not None]


def _readable(x: Tensor) -> Tensor:
    return x if x.stride(3) == 1 else laid_out(x)


def _empty_like(x: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.preserve_format if x.stride(3) == 1 else torch.contiguous_format)


def _empty_output(q: Tensor, v: Tensor, given: Given) -> Tensor:
    """Heads lie side by side where those of q do, so that merging them is free."""
    (B, H, N, _), E, dtype = q.shape, v.shape[3], torch.float32 if given.wide else v.dtype
    if q.stride(1) < q.stride(2):
        return q.new_empty(B, N, H, E, dtype=dtype).transpose(1, 2)
    return q.new_empty(B, H, N, E, dtype=dtype)


def _empty_end(k: Tensor, v: Tensor, given: Given) -> Tensor:
    shape = (*k.shape[:2], k.shape[3], v.shape[3] + 1) if given.wants_end else (0,)
    return k.new_empty(shape, dtype=torch.float32)


def attended(
    q: Float[Tensor, "B H N F"],
    k: Float[Tensor, "B G N F"],
    v: Float[Tensor, "B G N E"],
    live: Bool[Tensor, "B N"] | None,
    real: Bool[Tensor, "B N"] | None,
    start: Float[Tensor, "B G F E1"] | None,
    map: str,
    normalise: bool,
    wants_end: bool,
) -> tuple[Float[Tensor, "B H N E"], Float[Tensor, "B G F E1"] | None]:
    """Outputs in the type of v where query i sees the keys up to i and all that `start` holds, and the sums after them.

    `map` is one of `MAPS`, "" where q and k are features already. Tokens that are not `live` ask nothing and get zeros,
    those that are not `real` are no keys; nothing of either is read.
    """
    machine = table_of(v.device)
    small = machine.kind == "cuda" and machine.shared < WIDE_ROOM and v.dtype != torch.bfloat16
    E, most = v.shape[3], (STATE // 2 if small else STATE) // _block(k.shape[3])
    if most >= E:
        out, end = _scanned(q, k, v, live, real, start, Given(map, normalise, wants_end, wide=False))
        return out, end if wants_end else None
    # A state too large for registers: slices of [v, 1], each with a state of its own.
    values = pad(v, (0, 1), value=1.0) if normalise else v
    starts = [None] * len(values.split(most, 3))
    if start is not None:
        ones = torch.cat((start[..., :E], start[..., E:]), -1) if normalise else start[..., :E]
        starts = [torch.cat((part, start[..., E:]), -1) for part in ones.split(most, 3)]
    given = Given(map, normalise=False, wants_end=wants_end, wide=True)
    parts = [
        _scanned(q, k, part, live, real, first, given)
        for part, first in zip(values.split(most, 3), starts, strict=True)
    ]
    out = torch.cat([out for out, _ in parts], 3)
    out = divided(out[..., :E], out[..., E:]) if normalise else out
    if not wants_end:
        return out.to(v.dtype), None
    sums = torch.cat([end[..., :-1] for _, end in parts], 3)[..., :E]
    return out.to(v.dtype), torch.cat((sums, parts[0][1][..., -1:]), 3)


def _scanned(
    q: Tensor, k: Tensor, v: Tensor, live: Tensor | None, real: Tensor | None, start: Tensor | None, given: Given
) -> tuple[Tensor, Tensor]:
    if torch.compiler.is_compiling() or is_dispatched():
        return _operator(q, k, v, live, real, start, given.map, given.normalise, given.wants_end, given.wide)
    out, end = _Scan.apply(q, k, v, live, real, start, given)  # pyright: ignore[reportGeneralTypeIssues]
    return out, end


class _Scan(torch.autograd.Function):
    """Quicker to call than an operator. States are computed again on the way back."""

    @staticmethod
    def forward(
        ctx: Any,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        live: Tensor | None,
        real: Tensor | None,
        start: Tensor | None,
        given: Given,
    ) -> tuple[Tensor, Tensor]:
        out, end = _run_forward(q, k, v, live, real, start, given)
        ctx.save_for_backward(q, k, v, live, real, start)
        ctx.set_materialize_grads(False)
        ctx.settings = given
        return out, end

    @staticmethod
    def backward(ctx: Any, grad: Tensor | None, grad_end: Tensor | None) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        q, k, v, live, real, start = ctx.saved_tensors
        given: Given = ctx.settings
        wanted = [bool(ctx.needs_input_grad[n]) for n in (0, 1, 2, 5)]
        if grad is None and grad_end is None:
            return (None,) * 7
        if torch.is_grad_enabled():  # somebody will differentiate the gradient itself
            found = _gradients_by_products(grad, grad_end, q, k, v, live, real, start, given, wanted, create_graph=True)
        else:
            grad = _empty_output(q, v, given).zero_() if grad is None else grad
            found = _run_backward(grad, grad_end, q, k, v, live, real, start, given, wanted)
        left = iter(found)
        dq, dk, dv, dstart = (next(left) if want else None for want in wanted)
        return dq, dk, dv, None, None, dstart, None


def by_products(
    q: Tensor, k: Tensor, v: Tensor, live: Tensor | None, real: Tensor | None, start: Tensor | None, given: Given
) -> tuple[Tensor, Tensor]:
    """The same by torch's products: what the kernels are compared with, counted by and differentiated twice by."""
    kernel = Kernel(FEATURES[given.map], given.normalise)
    out, end = causal_sums.attended(q, k, v, live, real, start, kernel, Content())
    return out if given.wide else out.to(v.dtype), end if given.wants_end else end.new_empty(0)


def _gradients_by_products(
    grad: Tensor | None,
    grad_end: Tensor | None,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    live: Tensor | None,
    real: Tensor | None,
    start: Tensor | None,
    given: Given,
    wanted: list[bool],
    create_graph: bool = False,
) -> list[Tensor]:
    with torch.enable_grad():
        leaves = [x if create_graph or x is None else x.detach().requires_grad_() for x in (q, k, v, start)]
        outputs = by_products(leaves[0], leaves[1], leaves[2], live, real, leaves[3], given)  # pyright: ignore[reportArgumentType]
        pairs = [(x, seed) for x, seed in zip(outputs, (grad, grad_end), strict=True) if seed is not None]
        inputs = [x for x, want in zip(leaves, wanted, strict=True) if want and x is not None]
        found = torch.autograd.grad(
            [x for x, _ in pairs],
            inputs,
            [seed for _, seed in pairs],
            create_graph=create_graph,
            materialize_grads=True,
        )
    return list(found)


@torch.library.custom_op("regard::linear_scan", mutates_args=())
def _operator(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    live: Tensor | None,
    real: Tensor | None,
    start: Tensor | None,
    map: str,
    normalise: bool,
    wants_end: bool,
    wide: bool,
) -> tuple[Tensor, Tensor]:
    given = Given(map, normalise, wants_end, wide)
    return (by_products if is_dispatched() else _run_forward)(q, k, v, live, real, start, given)


@_operator.register_fake
def _(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    live: Tensor | None,
    real: Tensor | None,
    start: Tensor | None,
    map: str,
    normalise: bool,
    wants_end: bool,
    wide: bool,
) -> tuple[Tensor, Tensor]:
    given = Given(map, normalise, wants_end, wide)
    return _empty_output(q, v, given), _empty_end(k, v, given)


@torch.library.custom_op("regard::linear_scan_backward", mutates_args=())
def _operator_backward(
    grad: Tensor,
    grad_end: Tensor | None,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    live: Tensor | None,
    real: Tensor | None,
    start: Tensor | None,
    map: str,
    normalise: bool,
    wants_end: bool,
    wide: bool,
    wanted: list[bool],
) -> list[Tensor]:
    run = _gradients_by_products if is_dispatched() else _run_backward
    return run(grad, grad_end, q, k, v, live, real, start, Given(map, normalise, wants_end, wide), wanted)


@_operator_backward.register_fake
def _(
    grad: Tensor,
    grad_end: Tensor | None,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    live: Tensor | None,
    real: Tensor | None,
    start: Tensor | None,
    map: str,
    normalise: bool,
    wants_end: bool,
    wide: bool,
    wanted: list[bool],
) -> list[Tensor]:
    like = [_empty_like(q), _empty_like(k), _empty_like(v), None if start is None else torch.empty_like(start)]
    return [x for x, want in zip(like, wanted, strict=True) if want and x is not None]


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    *tensors, map, normalise, wants_end, wide = inputs
    ctx.save_for_backward(*tensors)
    ctx.settings = Given(map, normalise, wants_end, wide)


def _differentiate(ctx: Any, grad: Tensor, grad_end: Tensor) -> tuple[Tensor | None, ...]:
    wanted = [bool(ctx.needs_input_grad[n]) for n in (0, 1, 2, 5)]
    grad_end_or_none = grad_end if ctx.settings.wants_end else None
    left = iter(_operator_backward(grad, grad_end_or_none, *ctx.saved_tensors, *ctx.settings, wanted))
    dq, dk, dv, dstart = (next(left) if want else None for want in wanted)
    return dq, dk, dv, None, None, dstart, None, None, None, None


_operator.register_autograd(_differentiate, setup_context=_save)


@register_flop_formula(torch.ops.regard.linear_scan)
def _flops(q: Any, k: Any, v: Any, *_: Any, **__: Any) -> int:
    return q[0] * k[1] * causal_sums.flops(q[2], q[1] // k[1], q[3], v[3], backward=False)


@register_flop_formula(torch.ops.regard.linear_scan_backward)
def _flops_backward(grad: Any, grad_end: Any, q: Any, k: Any, v: Any, *_: Any, **__: Any) -> int:
    N, r, F, E = q[2], q[1] // k[1], q[3], v[3]
    both, forward = (causal_sums.flops(N, r, F, E, backward) for backward in (True, False))
    return q[0] * k[1] * (both - forward)
