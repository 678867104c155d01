"""The programs of `scan`: a chunk of tokens after the other, with the state in registers."""

# ruff: noqa: SIM102 — what is known when a kernel is compiled is asked first, alone
# pyright: reportGeneralTypeIssues=false
import triton
import triton.language as tl
from triton.language.extra import libdevice

SIZES = ["N", "B", "H", "G", "segments", "length"]  # of which no kernel of its own is made


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
def forward(
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
def differentiate_queries(
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
def differentiate_keys(
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
