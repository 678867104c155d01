"""The programs of `kernels/tiled.py` that run on the GPU, in Triton.

Tensors are (B, H, T, D), of which D is contiguous; logits are in base 2. `s*b`, `s*h`, `s*t` are strides. A tile of
queries visits the tiles of keys at the edges of what it sees, then those between that all of its queries see: where
there are but few, all in one loop.
"""
# pyright: basic, reportGeneralTypeIssues=false, reportUnboundVariable=false

import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)
FREE = ["H", "R", "T", "S", "low", "high", "wq", "wk", "dy0", "dx0", "sqy", "sqx", "sky", "skx"]
FREE += ["between", "each", "dropped", "larger", "cap"]  # one kernel for all of them
SLOPES, BEFORE, QUADRATIC = tl.constexpr(1), tl.constexpr(2), tl.constexpr(3)
PER_ROW = tl.constexpr(4)  # numbers of a query that the keys' gradients read: log-sum-exp, dO·o, and two of no meaning
INNER, EDGES, ALL = tl.constexpr(0), tl.constexpr(1), tl.constexpr(2)  # of the tiles of an interval


@triton.jit
def tanh(x):
    """By a series near zero, where the quotient of exponentials would lose its digits."""
    y = x * x
    series = x + x * y * (-0.33333333 + y * (0.13333333 - y * 0.053968254))
    return tl.where(y < 0.04, series, 1.0 - 2.0 / (1.0 + tl.exp2(x * (2.0 * LOG2E))))


@triton.jit
def _first_keys(rows, low, LOW: tl.constexpr):
    return rows + low if LOW else rows * 0


@triton.jit
def _end_keys(rows, high, prefix, end, HIGH: tl.constexpr, PREFIX: tl.constexpr):
    """Behind the last key that each of the queries sees."""
    if HIGH:
        stop = rows + high + 1
        if PREFIX:
            stop = tl.maximum(stop, prefix)
        return tl.minimum(stop, end)
    return rows * 0 + end


@triton.jit
def _extent(lengths, prefixes, b, T, S, LENGTHS: tl.constexpr, PREFIX: tl.constexpr):
    """Behind the last real query, behind the last real key, and behind the prefix of a row."""
    end_q, end_k, prefix = T, S, 0
    if LENGTHS > 0:
        end_k = tl.minimum(tl.maximum(tl.load(lengths + b), 0), S).to(tl.int32)
        if LENGTHS == 2:
            end_q = tl.minimum(T, end_k)
    if PREFIX:
        prefix = tl.minimum(tl.load(prefixes + b), S).to(tl.int32)
    return end_q, end_k, prefix


@triton.jit
def _span(spans, b, index, n, between, each, SPANS: tl.constexpr):
    """The first and the last token of the documents in which tokens stand; none for pads and behind all tokens."""
    first, last = index * 0, index * 0 + n
    if SPANS > 0:
        spans += b * each
        first = tl.load(spans + index, mask=index < n, other=1 << 30)
        last = tl.load(spans + between + index, mask=index < n, other=-1)
    return first, last


@triton.jit
def _kept(seed, n, rows, columns, dropped):
    """Which weights dropout keeps: a hash of the seed, the row of the batch, the head, the query and the key."""
    word = tl.load(seed)
    x = _mixed(word.to(tl.uint32) + n.to(tl.uint32) * 0x9E3779B1)
    x = _mixed(x ^ (word >> 32).to(tl.uint32))
    x = _mixed((rows.to(tl.uint32) * 0x85EBCA77 + x) ^ (columns.to(tl.uint32) * 0xC2B2AE3D))
    return (x >> 1).to(tl.int32) >= dropped


@triton.jit
def _mixed(x):
    x = (x ^ (x >> 16)) * 0x7FEB352D
    x = (x ^ (x >> 15)) * 0x846CA68B
    return x ^ (x >> 16)


@triton.jit
def _places(index, w, sy, sx, y0, x0, AXES: tl.constexpr):
    """Coordinates of tokens, row by row on a grid w wide: computed, for loads would have to change threads."""
    if AXES == 1:
        x = index.to(tl.float32) * sx + x0
        return x, x
    row = tl.floor((index.to(tl.float32) + 0.5) / w)
    return row * sy + y0, (index.to(tl.float32) - row * w) * sx + x0


@triton.jit
def _parameters(theta, h, scale, TERM: tl.constexpr):
    """Of a head, in units of the scale, as products are: a, b, c, and the centre as it is."""
    a, b, c, cy, cx = 0.0, 0.0, 0.0, 0.0, 0.0
    if TERM != QUADRATIC and TERM > 0:
        a = tl.load(theta + h) / scale
    if TERM == QUADRATIC:
        a = tl.load(theta + h * 5) / scale
        b = tl.load(theta + h * 5 + 1) / scale
        c = tl.load(theta + h * 5 + 2) / scale
        cy = tl.load(theta + h * 5 + 3)
        cx = tl.load(theta + h * 5 + 4)
    return a, b, c, cy, cx


@triton.jit
def _with_term(
    s, ky, kx, y, x, a, b, c, TERM: tl.constexpr, AXES: tl.constexpr, FULL: tl.constexpr, SAME_ROW: tl.constexpr
):  # fmt: skip
    """Products s with a position term, both in units of the scale; and a part for each query that is still to be taken.

    Where every visible key stands before its query, −m·|x| is m·key − m·query. Where the keys of a tile share one row
    of a grid, what depends on it is a number per query.
    """
    if TERM == BEFORE:
        return s + (a * kx)[None, :], a * x
    rest = x * 0.0
    dx = kx[None, :] - x[:, None]
    if TERM == SLOPES:
        return s - a * tl.abs(dx), rest
    if AXES == 1:
        return s - b * dx * dx, rest
    if SAME_ROW:
        dy = ky - y
        slope = b * dx + (c * dy)[:, None] if FULL else b * dx
        return s - slope * dx, a * dy * dy
    dy = ky[None, :] - y[:, None]
    s = s - b * dx * dx - a * dy * dy
    if FULL:
        s -= c * dy * dx
    return s, rest


@triton.jit
def _range(begin, stop, inner, outer, SIZE: tl.constexpr, WHICH: tl.constexpr):
    """From where to where a loop goes: over the tiles that all see, over all, or over as many as are at the edges."""
    if WHICH == INNER:
        return inner, outer
    return begin // SIZE * SIZE, stop if WHICH == ALL else stop - (outer - inner)


@triton.jit
def _tile(at, inner, outer, WHICH: tl.constexpr):
    """Where the tile of a step begins: a loop over edges leaves out what is between them."""
    return tl.where(at < inner, at, at - inner + outer) if WHICH == EDGES else at


@triton.jit
def _where_seen(x, hidden, columns, first, last, at, inner, outer, WHICH: tl.constexpr, BOTH: tl.constexpr):
    """What the queries of a tile see of it, elsewhere `hidden`; asked pair by pair at the edges alone."""
    if WHICH == EDGES:
        x = tl.where(_sees(columns[None, :], first[:, None], last[:, None], BOTH), x, hidden)
    if WHICH == ALL:  # noqa: SIM102 - which is known when this is compiled, where is not
        if (at < inner) | (at >= outer):
            x = tl.where(_sees(columns[None, :], first[:, None], last[:, None], BOTH), x, hidden)
    return x


@triton.jit
def _sees(columns, first, last, BOTH: tl.constexpr):
    """Which keys lie in the interval of which query: where it has but one end, one comparison tells."""
    return (columns >= first) & (columns < last) if BOTH else columns < last


@triton.jit
def _visit_keys(
    acc, total, top, q, K, V, spans, seed, nh, rows, dropped, wk, sky, skx, first, last, y, x, y0, x0, a, b, c, sks,
    svs,
    scale, cap, low_k, high_k, inner, outer,
    D: tl.constexpr, E: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, BN: tl.constexpr, WHICH: tl.constexpr,
    BOTH: tl.constexpr, CAP: tl.constexpr, TERM: tl.constexpr, AXES: tl.constexpr, FULL: tl.constexpr,
    SAME_ROW: tl.constexpr, SPANS: tl.constexpr, DROPS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    d, e, n = tl.arange(0, BD), tl.arange(0, BE), tl.arange(0, BN)
    start, end = _range(low_k, high_k, inner, outer, BN, WHICH)
    for at in tl.range(start, end, BN):
        j = _tile(at, inner, outer, WHICH)
        columns = j + n
        known = (columns >= low_k) & (columns < high_k)
        if WHICH != INNER and SPANS == 2:  # pads stand between the documents
            known &= tl.load(spans + columns, mask=known, other=-1) >= 0
        k_at, v_at = K + columns[None, :] * sks + d[:, None], V + columns[:, None] * svs + e[None, :]
        if WHICH != INNER:
            k = tl.load(k_at, mask=known[None, :] & (d[:, None] < D), other=0.0)
        elif BD == D:
            k = tl.load(k_at)
        else:
            k = tl.load(k_at, mask=d[:, None] < D, other=0.0)
        s = tl.dot(q, k, input_precision=PRECISION)
        if CAP:
            s = cap * tanh(s * (1.0 / cap))
        if TERM > 0:
            if SAME_ROW:
                ky, kx0 = _places(j, wk, sky, skx, y0, x0, AXES)
                kx = n.to(tl.float32) * skx + kx0
            else:
                ky, kx = _places(columns, wk, sky, skx, y0, x0, AXES)
            s, less = _with_term(s, ky, kx, y, x, a, b, c, TERM, AXES, FULL, SAME_ROW)
            less *= scale
        s = _where_seen(s, float("-inf"), columns, first, last, j, inner, outer, WHICH, BOTH)
        # The scale is positive: the largest logit is that of the largest product.
        new = tl.maximum(top, tl.max(s, 1) * scale - less if TERM > 0 else tl.max(s, 1) * scale)
        base = tl.where(new == float("-inf"), 0.0, new) if WHICH != INNER else new
        p = tl.exp2(s * scale - (base + less if TERM > 0 else base)[:, None])
        share = tl.exp2(top - base)
        total = total * share + tl.sum(p, 1)
        acc = acc * share[:, None]
        if WHICH != INNER:
            v = tl.load(v_at, mask=known[:, None] & (e[None, :] < E), other=0.0)
        elif BE == E:
            v = tl.load(v_at)
        else:
            v = tl.load(v_at, mask=e[None, :] < E, other=0.0)
        if DROPS:
            p = tl.where(_kept(seed, nh, rows[:, None], columns[None, :], dropped), p, 0.0)
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision=PRECISION)
        top = new
    return acc, total, top


@triton.jit
def _key_tiles(
    first_q, last_q, low, high, prefix, end_k, firsts, lasts, BN: tl.constexpr,
    LOW: tl.constexpr, HIGH: tl.constexpr, PREFIX: tl.constexpr, SPANS: tl.constexpr,
):  # fmt: skip
    """The keys [begin, stop) that one of these queries sees, and the tiles [inner, outer) that all of them see."""
    begin = tl.maximum(first_q + low, 0) if LOW else 0
    full_begin = tl.maximum(last_q + low, 0) if LOW else 0
    stop, full_stop = end_k, end_k
    if HIGH:
        stop, full_stop = last_q + high + 1, first_q + high + 1
        if PREFIX:
            stop, full_stop = tl.maximum(stop, prefix), tl.maximum(full_stop, prefix)
        stop, full_stop = tl.minimum(stop, end_k), tl.minimum(full_stop, end_k)
    if SPANS > 0:
        begin, full_begin = tl.maximum(begin, tl.min(firsts, 0)), tl.maximum(full_begin, tl.max(firsts, 0))
        stop, full_stop = tl.minimum(stop, tl.max(lasts, 0) + 1), tl.minimum(full_stop, tl.min(lasts, 0) + 1)
    some = last_q >= first_q  # behind the last real query nothing is visited
    begin, stop, full_stop = tl.where(some, begin, 0), tl.where(some, stop, 0), tl.where(some, full_stop, 0)
    inner = tl.minimum(tl.cdiv(full_begin, BN) * BN, tl.cdiv(stop, BN) * BN)
    outer = tl.maximum(full_stop // BN * BN, inner)
    return begin, stop, inner, outer


@triton.jit
def _single(scale, larger, cap, dy0, dx0, sqy, sqx, sky, skx):
    """Fractions in single precision: a compiler's graph gives them in double."""
    scale, larger, cap = tl.cast(scale, tl.float32), tl.cast(larger, tl.float32), tl.cast(cap, tl.float32)
    dy0, dx0, sqy, sqx = (
        tl.cast(dy0, tl.float32), tl.cast(dx0, tl.float32), tl.cast(sqy, tl.float32), tl.cast(sqx, tl.float32)
    )  # fmt: skip
    return scale, larger, cap, dy0, dx0, sqy, sqx, tl.cast(sky, tl.float32), tl.cast(skx, tl.float32)


@triton.jit(do_not_specialize=FREE)
def attend(
    Q, K, V, Out, Lse, lengths, prefixes, theta, spans, seed,
    sqb, sqh, sqt, skb, skh, sks, svb, svh, svs, sob, soh, sot, H, R, T, S, low, high, scale,
    wq, wk, dy0, dx0, sqy, sqx, sky, skx,
    between, each, dropped, larger, cap,
    D: tl.constexpr, E: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    LOW: tl.constexpr, HIGH: tl.constexpr, LENGTHS: tl.constexpr, PREFIX: tl.constexpr,
    CAP: tl.constexpr, TERM: tl.constexpr, AXES: tl.constexpr, FULL: tl.constexpr, SPANS: tl.constexpr,
    DROPS: tl.constexpr, SAME_ROW: tl.constexpr, PRECISION: tl.constexpr, ONE_LOOP: tl.constexpr,
):  # fmt: skip
    scale, larger, cap, dy0, dx0, sqy, sqx, sky, skx = _single(scale, larger, cap, dy0, dx0, sqy, sqx, sky, skx)
    tiles = tl.cdiv(T, BM)
    n, tile = tl.program_id(0) // tiles, tiles - 1 - tl.program_id(0) % tiles  # the longest first
    b, h = (n // H).to(tl.int64), n % H
    end_q, end_k, prefix = _extent(lengths, prefixes, b, T, S, LENGTHS, PREFIX)
    first_q = tile * BM
    last_q = tl.minimum(first_q + BM, end_q) - 1
    rows = first_q + tl.arange(0, BM)
    d, e = tl.arange(0, BD), tl.arange(0, BE)
    Q += b * sqb + h.to(tl.int64) * sqh
    K += b * skb + (h // R).to(tl.int64) * skh
    V += b * svb + (h // R).to(tl.int64) * svh
    q = tl.load(Q + rows[:, None] * sqt + d[None, :], mask=(rows[:, None] < end_q) & (d[None, :] < D), other=0.0)
    first = _first_keys(rows, low, LOW)
    last = _end_keys(rows, high, prefix, end_k, HIGH, PREFIX)
    firsts, lasts = _span(spans, b, rows, T, between, each, SPANS)
    if SPANS > 0:
        first, last = tl.maximum(first, firsts), tl.minimum(last, lasts + 1)
    begin, stop, inner, outer = _key_tiles(
        first_q, last_q, low, high, prefix, end_k, firsts, lasts, BN, LOW, HIGH, PREFIX, SPANS
    )
    lasts_at = spans + b * each + between if SPANS == 2 else spans
    y, x, y0, x0 = rows, rows, 0.0, 0.0
    pa, pb, pc, cy, cx = _parameters(theta, h, scale, TERM)
    if TERM > 0:
        y0, x0 = _places(first_q, wq, sqy, sqx, 0.0, 0.0, AXES)
        y, x = _places(rows, wq, sqy, sqx, cy - y0, cx - x0, AXES)
        y0, x0 = dy0 - y0, dx0 - x0
    acc = tl.zeros((BM, BE), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    top = tl.full((BM,), float("-inf"), tl.float32)
    scale2 = scale * LOG2E
    for part in tl.static_range(1 if ONE_LOOP else 2):
        acc, total, top = _visit_keys(
            acc, total, top, q, K, V, lasts_at, seed, n, rows, dropped, wk, sky, skx, first, last, y, x, y0, x0,
            pa, pb, pc, sks, svs, scale2, cap, begin, stop, inner, outer,
            D, E, BD, BE, BN, ALL if ONE_LOOP else EDGES if part == 0 else INNER,
            LOW or SPANS > 0, CAP, TERM, AXES, FULL, SAME_ROW, SPANS, DROPS, PRECISION,
        )  # fmt: skip
    live = (total > 0) & (rows < end_q)
    acc = tl.where(live[:, None], acc * (larger / tl.where(live, total, 1.0))[:, None], 0.0)
    Out += b * sob + h.to(tl.int64) * soh
    stored = (rows[:, None] < T) & (e[None, :] < E)
    tl.store(Out + rows[:, None] * sot + e[None, :], acc.to(Out.dtype.element_ty), mask=stored)
    lse = tl.where(live, (top + tl.log2(tl.where(live, total, 1.0))) / LOG2E, float("-inf"))
    tl.store(Lse + n.to(tl.int64) * T + rows, lse, mask=rows < T)


@triton.jit
def _of_seen(p, columns, rows, first, last, kfirst, klast, LOW: tl.constexpr, SPANS: tl.constexpr):
    """Weights of keys, one below the other, by queries that see them; queries without a key have none already."""
    p = tl.where(_sees(columns[:, None], first[None, :], last[None, :], LOW), p, 0.0)
    if SPANS > 0:
        p = tl.where((rows[None, :] >= kfirst[:, None]) & (rows[None, :] <= klast[:, None]), p, 0.0)
    return p


@triton.jit
def numbers_of_rows(Rows, i, low, high, BM: tl.constexpr, MASKED: tl.constexpr):
    """Log-sum-exps, in base 2, and dO·o of a tile of queries.

    They are loaded side by side, for each is so little that every thread would load all that it needs of it.
    """
    at = i * PER_ROW + tl.arange(0, BM * PER_ROW)
    if MASKED:
        numbers = tl.load(Rows + at, mask=(at >= low * PER_ROW) & (at < high * PER_ROW), other=float("inf"))
    else:
        numbers = tl.load(Rows + at)
    first, second = tl.split(numbers.reshape(BM, 2, 2))
    lse, _ = tl.split(first)
    delta, _ = tl.split(second)
    return lse, tl.where(delta < float("inf"), delta, 0.0) if MASKED else delta


@triton.jit
def _visit_queries(
    dk, dv, k, v, Q, Grad, Rows, seed, nh, dropped, larger, kfirst, klast, wq, sqy, sqx, columns, ky, kx, y0,
    x0, a, b, c, sqt, sgt, scale, cap, low, high, prefix,
    low_q, high_q, end_k, inner, outer,
    D: tl.constexpr, E: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, BM: tl.constexpr, WHICH: tl.constexpr,
    LOW: tl.constexpr, HIGH: tl.constexpr, PREFIX: tl.constexpr, CAP: tl.constexpr,
    TERM: tl.constexpr, AXES: tl.constexpr, FULL: tl.constexpr, SAME_ROW: tl.constexpr,
    SPANS: tl.constexpr, DROPS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    d, e, m = tl.arange(0, BD), tl.arange(0, BE), tl.arange(0, BM)
    start, end = _range(low_q, high_q, inner, outer, BM, WHICH)
    for at in tl.range(start, end, BM):
        i = _tile(at, inner, outer, WHICH)
        rows = i + m
        known = (rows >= low_q) & (rows < high_q)
        q_at, g_at = Q + rows[:, None] * sqt + d[None, :], Grad + rows[:, None] * sgt + e[None, :]
        if WHICH != INNER:
            first = _first_keys(rows, low, LOW)
            last = _end_keys(rows, high, prefix, end_k, HIGH, PREFIX)
            known &= first < last  # what sees nothing may hold anything
            if SPANS > 0:
                known &= tl.load(Rows + rows * PER_ROW, mask=known, other=float("inf")) < float("inf")
            q = tl.load(q_at, mask=known[:, None] & (d[None, :] < D), other=0.0)
            grad = tl.load(g_at, mask=known[:, None] & (e[None, :] < E), other=0.0)
            lse, delta = numbers_of_rows(Rows, i, low_q, high_q, BM, True)
        else:
            q = tl.load(q_at) if BD == D else tl.load(q_at, mask=d[None, :] < D, other=0.0)
            grad = tl.load(g_at) if BE == E else tl.load(g_at, mask=e[None, :] < E, other=0.0)
            lse, delta = numbers_of_rows(Rows, i, low_q, high_q, BM, False)
        s = tl.dot(k, tl.trans(q), input_precision=PRECISION)
        if CAP:
            share = tanh(s * (1.0 / cap))
            s = cap * share
        if TERM > 0:  # offsets are even in what is squared: queries and keys may change places
            if SAME_ROW:
                y, x_first = _places(i, wq, sqy, sqx, y0, x0, AXES)
                x = m.to(tl.float32) * sqx + x_first
            else:
                y, x = _places(rows, wq, sqy, sqx, y0, x0, AXES)
            if TERM == BEFORE:
                s += (a * kx)[:, None]
                lse += scale * a * x
            else:
                s, less = _with_term(s, y, x, ky, kx, a, b, c, TERM, AXES, FULL, SAME_ROW)
                if SAME_ROW:
                    s -= less[:, None]
        p = tl.exp2(s * scale - lse[None, :])
        if WHICH == EDGES:
            p = _of_seen(p, columns, rows, first, last, kfirst, klast, LOW, SPANS)
        if WHICH == ALL:  # noqa: SIM102
            if (i < inner) | (i >= outer):
                p = _of_seen(p, columns, rows, first, last, kfirst, klast, LOW, SPANS)
        dp = tl.dot(v, tl.trans(grad), input_precision=PRECISION)
        if DROPS:
            keep = _kept(seed, nh, rows[None, :], columns[:, None], dropped)
            dv = tl.dot(tl.where(keep, p * larger, 0.0).to(grad.dtype), grad, dv, input_precision=PRECISION)
            dp = tl.where(keep, dp * larger, 0.0)
        else:
            dv = tl.dot(p.to(grad.dtype), grad, dv, input_precision=PRECISION)
        ds = p * (dp - delta[None, :])
        if CAP:
            ds *= 1.0 - share * share
        dk = tl.dot(ds.to(q.dtype), q, dk, input_precision=PRECISION)
    return dk, dv


@triton.jit
def _query_tiles(
    first_k, last_k, low, high, prefix, end_q, firsts, lasts, BM: tl.constexpr, BN: tl.constexpr,
    LOW: tl.constexpr, HIGH: tl.constexpr, PREFIX: tl.constexpr, SPANS: tl.constexpr,
):  # fmt: skip
    """The queries [begin, stop) that see some of these keys, and the tiles [inner, outer) that see all of them."""
    begin, stop, full_begin, full_stop = 0, end_q, 0, end_q
    if HIGH:
        begin, full_begin = tl.maximum(first_k - high, 0), tl.maximum(last_k - high, 0)
        if PREFIX:
            begin = tl.where(first_k < prefix, 0, begin)
            full_begin = tl.where(last_k < prefix, 0, full_begin)
    if LOW:
        stop, full_stop = tl.minimum(end_q, last_k - low + 1), tl.minimum(end_q, first_k - low + 1)
    if SPANS > 0:
        begin, full_begin = tl.maximum(begin, tl.min(firsts, 0)), tl.maximum(full_begin, tl.max(firsts, 0))
        stop, full_stop = tl.minimum(stop, tl.max(lasts, 0) + 1), tl.minimum(full_stop, tl.min(lasts, 0) + 1)
    stop = tl.where(last_k < first_k, begin, tl.maximum(stop, begin))
    full_stop = tl.where(last_k < first_k + BN - 1, 0, full_stop)  # behind the last key there are none
    inner = tl.minimum(tl.cdiv(full_begin, BM) * BM, tl.cdiv(stop, BM) * BM)
    return begin, stop, inner, tl.maximum(full_stop // BM * BM, inner)


@triton.jit(do_not_specialize=FREE)
def differentiate_keys(
    Q, K, V, Grad, Rows, DK, DV, lengths, prefixes, theta, spans, seed,
    sqb, sqh, sqt, skb, skh, sks, svb, svh, svs, sgb, sgh, sgt, sdkb, sdkh, sdks, sdvb, sdvh, sdvs,
    H, R, T, S, low, high, scale, wq, wk, dy0, dx0, sqy, sqx, sky, skx, between, each, dropped, larger, cap,
    D: tl.constexpr, E: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    LOW: tl.constexpr, HIGH: tl.constexpr, LENGTHS: tl.constexpr, PREFIX: tl.constexpr,
    CAP: tl.constexpr, TERM: tl.constexpr, AXES: tl.constexpr, FULL: tl.constexpr, SPANS: tl.constexpr,
    DROPS: tl.constexpr, SAME_ROW: tl.constexpr, PRECISION: tl.constexpr, ONE_LOOP: tl.constexpr,
):  # fmt: skip
    """Gradients of a tile of keys and values, from all query heads of the group."""
    scale, larger, cap, dy0, dx0, sqy, sqx, sky, skx = _single(scale, larger, cap, dy0, dx0, sqy, sqx, sky, skx)
    tiles = tl.cdiv(S, BN)
    n, tile = tl.program_id(0) // tiles, tl.program_id(0) % tiles
    G = H // R
    b, g = (n // G).to(tl.int64), n % G
    end_q, end_k, prefix = _extent(lengths, prefixes, b, T, S, LENGTHS, PREFIX)
    first_k = tile * BN
    last_k = tl.minimum(first_k + BN, end_k) - 1
    columns = first_k + tl.arange(0, BN)
    d, e = tl.arange(0, BD), tl.arange(0, BE)
    kfirst, klast = _span(spans, b, columns, S, between, each, SPANS)
    begin, stop, inner, outer = _query_tiles(
        first_k, last_k, low, high, prefix, end_q, kfirst, klast, BM, BN, LOW, HIGH, PREFIX, SPANS
    )
    # Keys of the tile that no query sees are not read.
    seen_from = begin + low if LOW else 0
    seen_to = end_k
    if HIGH:
        seen_to = stop - 1 + high + 1
        if PREFIX:
            seen_to = tl.maximum(seen_to, prefix)
        seen_to = tl.minimum(seen_to, end_k)
    seen_to = tl.where(stop > begin, seen_to, first_k)
    known = (columns >= seen_from) & (columns < seen_to) & (klast >= 0)
    K += b * skb + g.to(tl.int64) * skh
    V += b * svb + g.to(tl.int64) * svh
    k = tl.load(K + columns[:, None] * sks + d[None, :], mask=known[:, None] & (d[None, :] < D), other=0.0)
    v = tl.load(V + columns[:, None] * svs + e[None, :], mask=known[:, None] & (e[None, :] < E), other=0.0)
    ky, kx, y0, x0 = columns, columns, 0.0, 0.0
    if TERM > 0:
        y0, x0 = _places(first_k, wk, sky, skx, dy0, dx0, AXES)
        ky, kx = _places(columns, wk, sky, skx, dy0 - y0, dx0 - x0, AXES)
        y0, x0 = -y0, -x0
    dk = tl.zeros((BN, BD), tl.float32)
    dv = tl.zeros((BN, BE), tl.float32)
    scale2 = scale * LOG2E
    for r in range(R):
        h = g * R + r
        row = (b * H + h) * T
        at, grad_at = Q + b * sqb + h.to(tl.int64) * sqh, Grad + b * sgb + h.to(tl.int64) * sgh
        pa, pb, pc, cy, cx = _parameters(theta, h, scale, TERM)
        for part in tl.static_range(1 if ONE_LOOP else 2):
            dk, dv = _visit_queries(
                dk, dv, k, v, at, grad_at, Rows + row * PER_ROW, seed, b * H + h, dropped, larger, kfirst, klast,
                wq, sqy, sqx, columns, ky, kx, y0 + cy, x0 + cx, pa, pb, pc, sqt, sgt, scale2, cap,
                low, high, prefix, begin, stop, end_k, inner, outer,
                D, E, BD, BE, BM, ALL if ONE_LOOP else EDGES if part == 0 else INNER, LOW, HIGH, PREFIX, CAP,
                TERM, AXES, FULL, SAME_ROW, SPANS, DROPS, PRECISION,
            )  # fmt: skip
    DK += b * sdkb + g.to(tl.int64) * sdkh
    DV += b * sdvb + g.to(tl.int64) * sdvh
    dk_at, dv_at = DK + columns[:, None] * sdks + d[None, :], DV + columns[:, None] * sdvs + e[None, :]
    tl.store(dk_at, (dk * scale).to(DK.dtype.element_ty), mask=(columns[:, None] < S) & (d[None, :] < D))
    tl.store(dv_at, dv.to(DV.dtype.element_ty), mask=(columns[:, None] < S) & (e[None, :] < E))


@triton.jit
def _visit_keys_again(
    dq, w1, w2, w3, w4, w5, q, grad, lse, delta, K, V, spans, seed, nh, rows, dropped, larger, wk, sky, skx, first,
    last, y, x, y0, x0, a, b, c, sks, svs, scale, cap,
    low_k, high_k, inner, outer,
    D: tl.constexpr, E: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, BN: tl.constexpr, WHICH: tl.constexpr,
    BOTH: tl.constexpr, CAP: tl.constexpr, TERM: tl.constexpr, AXES: tl.constexpr, FULL: tl.constexpr,
    SAME_ROW: tl.constexpr, LEARNS: tl.constexpr,
    SPANS: tl.constexpr, DROPS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    d, e, n = tl.arange(0, BD), tl.arange(0, BE), tl.arange(0, BN)
    start, end = _range(low_k, high_k, inner, outer, BN, WHICH)
    for at in tl.range(start, end, BN):
        j = _tile(at, inner, outer, WHICH)
        columns = j + n
        known = (columns >= low_k) & (columns < high_k)
        if WHICH != INNER and SPANS == 2:
            known &= tl.load(spans + columns, mask=known, other=-1) >= 0
        k_at, v_at = K + columns[None, :] * sks + d[:, None], V + columns[None, :] * svs + e[:, None]
        if WHICH != INNER:
            k = tl.load(k_at, mask=known[None, :] & (d[:, None] < D), other=0.0)
            v = tl.load(v_at, mask=known[None, :] & (e[:, None] < E), other=0.0)
        else:
            k = tl.load(k_at) if BD == D else tl.load(k_at, mask=d[:, None] < D, other=0.0)
            v = tl.load(v_at) if BE == E else tl.load(v_at, mask=e[:, None] < E, other=0.0)
        s = tl.dot(q, k, input_precision=PRECISION)
        if CAP:
            share = tanh(s * (1.0 / cap))
            s = cap * share
        if TERM > 0:
            if SAME_ROW:
                ky, kx0 = _places(j, wk, sky, skx, y0, x0, AXES)
                kx = n.to(tl.float32) * skx + kx0
            else:
                ky, kx = _places(columns, wk, sky, skx, y0, x0, AXES)
            s, less = _with_term(s, ky, kx, y, x, a, b, c, TERM, AXES, FULL, SAME_ROW)
            p = tl.exp2(s * scale - (lse + scale * less)[:, None])
        else:
            p = tl.exp2(s * scale - lse[:, None])
        dp = tl.dot(grad, v, input_precision=PRECISION)
        if DROPS:
            dp = tl.where(_kept(seed, nh, rows[:, None], columns[None, :], dropped), dp * larger, 0.0)
        ds = p * (dp - delta[:, None])
        ds = _where_seen(ds, 0.0, columns, first, last, j, inner, outer, WHICH, BOTH)
        if LEARNS:
            dx = kx[None, :] - x[:, None]
            if TERM != QUADRATIC:
                w1 += tl.sum(ds * tl.abs(dx), 1)
            elif SAME_ROW:
                dy, by_x = ky - y, ds * dx
                of_row, of_x = tl.sum(ds, 1), tl.sum(by_x, 1)
                w1 += dy * dy * of_row
                w2 += tl.sum(by_x * dx, 1)
                w4 += dy * of_row
                w5 += of_x
                if FULL:
                    w3 += dy * of_x
            else:
                dy = ky[None, :] - y[:, None]
                w2 += tl.sum(ds * dx * dx, 1)
                w5 += tl.sum(ds * dx, 1)
                if AXES == 2:
                    w1 += tl.sum(ds * dy * dy, 1)
                    w4 += tl.sum(ds * dy, 1)
                    if FULL:
                        w3 += tl.sum(ds * dy * dx, 1)
        if CAP:  # a query that sees nothing may hold anything, and has no slope then
            ds = tl.where(ds == 0.0, 0.0, ds * (1.0 - share * share))
        dq = tl.dot(ds.to(k.dtype), tl.trans(k), dq, input_precision=PRECISION)
    return dq, w1, w2, w3, w4, w5


@triton.jit(do_not_specialize=FREE)
def differentiate_queries(
    Q, K, V, Grad, Lse, Rows, DQ, Sums, Out, GradLse, lengths, prefixes, theta, spans, seed,
    sqb, sqh, sqt, skb, skh, sks, svb, svh, svs, sgb, sgh, sgt, sdb, sdh, sdt, sob, soh, sot,
    H, R, T, S, low, high, scale, wq, wk, dy0, dx0, sqy, sqx, sky, skx, between, each, dropped, larger, cap,
    D: tl.constexpr, E: tl.constexpr, BD: tl.constexpr, BE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    LOW: tl.constexpr, HIGH: tl.constexpr, LENGTHS: tl.constexpr, PREFIX: tl.constexpr,
    CAP: tl.constexpr, TERM: tl.constexpr, AXES: tl.constexpr, FULL: tl.constexpr, SPANS: tl.constexpr,
    DROPS: tl.constexpr, SAME_ROW: tl.constexpr, LEARNS: tl.constexpr, LSE: tl.constexpr, PRECISION: tl.constexpr,
    ONE_LOOP: tl.constexpr,
):  # fmt: skip
    """Gradients of a tile of queries, and its part of the sums that the gradients of the term's parameters are."""
    scale, larger, cap, dy0, dx0, sqy, sqx, sky, skx = _single(scale, larger, cap, dy0, dx0, sqy, sqx, sky, skx)
    tiles = tl.cdiv(T, BM)
    n, tile = tl.program_id(0) // tiles, tiles - 1 - tl.program_id(0) % tiles
    b, h = (n // H).to(tl.int64), n % H
    end_q, end_k, prefix = _extent(lengths, prefixes, b, T, S, LENGTHS, PREFIX)
    first_q = tile * BM
    last_q = tl.minimum(first_q + BM, end_q) - 1
    rows = first_q + tl.arange(0, BM)
    d, e = tl.arange(0, BD), tl.arange(0, BE)
    Q, Grad = Q + b * sqb + h.to(tl.int64) * sqh, Grad + b * sgb + h.to(tl.int64) * sgh
    K, V = K + b * skb + (h // R).to(tl.int64) * skh, V + b * svb + (h // R).to(tl.int64) * svh
    known = rows < end_q
    q = tl.load(Q + rows[:, None] * sqt + d[None, :], mask=known[:, None] & (d[None, :] < D), other=0.0)
    grad = tl.load(Grad + rows[:, None] * sgt + e[None, :], mask=known[:, None] & (e[None, :] < E), other=0.0)
    lse = tl.load(Lse + n.to(tl.int64) * T + rows, mask=known, other=float("inf"))
    # Rows of dO·o, less the gradient of the log-sum-exp: what rows of dP are compared with, here and for the keys.
    Out += b * sob + h.to(tl.int64) * soh
    out = tl.load(Out + rows[:, None] * sot + e[None, :], mask=known[:, None] & (e[None, :] < E), other=0.0)
    delta = tl.sum(out.to(tl.float32) * grad.to(tl.float32), 1)
    if LSE:
        delta -= tl.load(GradLse + n.to(tl.int64) * T + rows, mask=known, other=0.0)
    lse = tl.where(lse == float("-inf"), float("inf"), lse * LOG2E)
    delta = tl.where(lse < float("inf"), delta, 0.0)  # of a query that sees nothing, whatever its gradient is
    at = Rows + (n.to(tl.int64) * T + rows) * PER_ROW
    tl.store(at, lse, mask=known)
    tl.store(at + 1, delta, mask=known)
    first = _first_keys(rows, low, LOW)
    last = _end_keys(rows, high, prefix, end_k, HIGH, PREFIX)
    firsts, lasts = _span(spans, b, rows, T, between, each, SPANS)
    if SPANS > 0:
        first, last = tl.maximum(first, firsts), tl.minimum(last, lasts + 1)
    begin, stop, inner, outer = _key_tiles(
        first_q, last_q, low, high, prefix, end_k, firsts, lasts, BN, LOW, HIGH, PREFIX, SPANS
    )
    lasts_at = spans + b * each + between if SPANS == 2 else spans
    y, x, y0, x0 = rows, rows, 0.0, 0.0
    pa, pb, pc, cy, cx = _parameters(theta, h, scale, TERM)
    if TERM > 0:
        y0, x0 = _places(first_q, wq, sqy, sqx, 0.0, 0.0, AXES)
        y, x = _places(rows, wq, sqy, sqx, cy - y0, cx - x0, AXES)
        y0, x0 = dy0 - y0, dx0 - x0
    dq, w1 = tl.zeros((BM, BD), tl.float32), tl.zeros((BM,), tl.float32)
    w2, w3, w4, w5 = w1, w1, w1, w1
    scale2 = scale * LOG2E
    for part in tl.static_range(1 if ONE_LOOP else 2):
        dq, w1, w2, w3, w4, w5 = _visit_keys_again(
            dq, w1, w2, w3, w4, w5, q, grad, lse, delta, K, V, lasts_at, seed, n, rows, dropped, larger,
            wk, sky, skx, first, last, y, x, y0, x0, pa, pb, pc, sks, svs, scale2, cap, begin, stop,
            inner, outer, D, E, BD, BE, BN, ALL if ONE_LOOP else EDGES if part == 0 else INNER,
            LOW or SPANS > 0, CAP, TERM, AXES, FULL, SAME_ROW, LEARNS, SPANS, DROPS, PRECISION,
        )  # fmt: skip
    at = DQ + b * sdb + h.to(tl.int64) * sdh + rows[:, None] * sdt + d[None, :]
    tl.store(at, (dq * scale).to(DQ.dtype.element_ty), mask=(rows[:, None] < T) & (d[None, :] < D))
    if LEARNS:
        part = Sums + tl.program_id(0).to(tl.int64) * 5
        tl.store(part, tl.sum(w1, 0))
        tl.store(part + 1, tl.sum(w2, 0))
        tl.store(part + 2, tl.sum(w3, 0))
        tl.store(part + 3, tl.sum(w4, 0))
        tl.store(part + 4, tl.sum(w5, 0))
