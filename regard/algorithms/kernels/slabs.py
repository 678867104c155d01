"""Attention on the CPU slab by slab: some queries, and all the keys that they may see, one fused call each.

A slab's softmax is complete, so nothing has to be merged, and masks and score terms are evaluated on it alone. Where a
compiler or a transform is at work one operator does all slabs, and is given mask and bias as tensors. The kernel has no
dropout, no cap, and no gradient of a bias: there a slab's map is made piece by piece, small enough to stay in a cache.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard.algorithms.kernels.dropout import Draws, new_seed
from regard.algorithms.kernels.layouts import laid_out
from regard.algorithms.kernels.sdpa import flash_gradients
from regard.attention.eager import are_moderate, given, is_eager, once, refuse_transforms
from regard.attention.masks.mask import any_of
from regard.attention.reference import Index
from regard.attention.torch_private import flash_cpu, is_dispatched

SIZE = 128  # queries and keys in a block: small enough to follow a mask, large enough for the kernel
LONGEST = 8  # blocks in a slab whose mask has to be written out
PIECE = 1 << 20  # pairs of a map that is made: few enough for a cache, enough for all threads
CPU = torch.device("cpu")


@dataclass(frozen=True, eq=False)
class Slab:
    """A range of batch rows and of heads, queries and keys in order, and what is known of the mask on them."""

    rows: range
    heads: range
    queries: Tensor
    keys: Tensor
    causal: bool = False  # the kernel's own causal flag says all
    doubtful: Tensor | None = None  # which of the keys, as they come, the mask must be asked about; None: none

    @property
    def index(self) -> Index:
        """Four index vectors."""
        rows, heads = (torch.arange(side[0], side[-1] + 1, device=CPU) for side in (self.rows, self.heads))
        return rows, heads, self.queries, self.keys

    def groups(self, heads_per_group: int) -> range:
        """The key-value heads that these heads share."""
        return range(self.heads[0] // heads_per_group, self.heads[-1] // heads_per_group + 1)


class Pairs(ABC):
    """What is known of the pairs of a slab; `leaves` are the tensors of the scores that may learn."""

    @abstractmethod
    def allowed(self, slab: Slab) -> Tensor:
        """Who may attend to whom, broadcastable to (rows, heads, queries, keys)."""

    @abstractmethod
    def bias(self, slab: Slab, leaves: tuple[Tensor, ...]) -> Tensor | None:
        """What is added to the logits, broadcastable likewise."""


@dataclass(frozen=True, eq=False)
class Written(Pairs):
    """Mask and bias as tensors, broadcastable to (B, H, T, S); None where there is none."""

    mask: Tensor | None

    def allowed(self, slab: Slab) -> Tensor:
        assert self.mask is not None
        return _cut(self.mask, slab)

    def bias(self, slab: Slab, leaves: tuple[Tensor, ...]) -> Tensor | None:
        return _cut(leaves[0], slab) if leaves else None


def _cut(x: Tensor, slab: Slab) -> Tensor:
    rows, heads, queries, keys = slab.index
    x = x.index_select(0, rows) if x.shape[0] > 1 else x
    x = x.index_select(1, heads) if x.shape[1] > 1 else x
    return x.index_select(2, queries).index_select(3, keys)


class Cut(NamedTuple):
    """How attention is cut: by real tokens of each row, by documents, or by blocks of pairs that may be visible."""

    # real (B, S); numbers of documents (B|1, S), int32; some and every, as (B, H, T/SIZE, S/SIZE); none: a written mask
    maps: tuple[Tensor, ...]
    hides_queries: bool = False
    causal: bool = False

    def slabs(self, B: int, H: int, T: int, S: int, has_bias: bool) -> Iterator[Slab]:
        if len(self.maps) == 1 and self.maps[0].dtype == torch.int32:
            return _documents(self.maps[0], self.causal, B, H)
        if len(self.maps) == 1:
            return _sequences(self.maps[0], self.hides_queries, self.causal, H, T)
        # Biases are written out for every row and head of a slab: one block at a time keeps that linear.
        return _blocks(self.maps[0], self.maps[1], B, H, T, S, longest=1 if has_bias else None)


def _sequences(real: Tensor, hides_queries: bool, causal: bool, H: int, T: int) -> Iterator[Slab]:
    """One slab per row of a padded batch: its real tokens, causal among themselves or not."""
    for row, tokens in enumerate(real):
        keys = tokens.nonzero()[:, 0]
        if len(keys):
            queries = keys if hides_queries else torch.arange(T, device=CPU)
            yield Slab(range(row, row + 1), range(H), queries, keys, causal=causal)


def _documents(numbers: Tensor, causal: bool, B: int, H: int) -> Iterator[Slab]:
    """One slab per document of each row, or of all rows where they are cut alike."""
    for row, tokens in enumerate(numbers):
        found, counts = tokens.unique_consecutive(return_counts=True)
        first = 0
        for number, count in zip(found.tolist(), counts.tolist(), strict=True):
            if number >= 0:
                index = torch.arange(first, first + count, device=CPU)
                rows = range(B) if len(numbers) == 1 else range(row, row + 1)
                yield Slab(rows, range(H), index, index, causal=causal)
            first += count


def _blocks(some: Tensor, every: Tensor, B: int, H: int, T: int, S: int, longest: int | None) -> Iterator[Slab]:
    """Runs of query blocks that see the same key blocks, with those keys; `longest` bounds the runs, None does not."""
    some = some.expand(-1, -1, -(-T // SIZE), -(-S // SIZE))
    some, every = torch.broadcast_tensors(some, every)
    for b in range(some.shape[0]):
        rows = range(B) if some.shape[0] == 1 else range(b, b + 1)
        for h in range(some.shape[1]):
            heads = range(H) if some.shape[1] == 1 else range(h, h + 1)
            partial = some[b, h] & ~every[b, h]
            full = (~partial).all(1).tolist()
            for first, last in _runs(some[b, h].tolist(), full, longest):
                queries = torch.arange(first * SIZE, min((last + 1) * SIZE, T), device=CPU)
                keys = some[b, h, first].repeat_interleave(SIZE)[:S].nonzero()[:, 0]
                doubtful = None
                if not full[first]:
                    doubtful = partial[first : last + 1].any(0).repeat_interleave(SIZE)[keys].nonzero()[:, 0]
                yield Slab(rows, heads, queries, keys, doubtful=doubtful)


def _runs(visits: list[list[bool]], full: list[bool], longest: int | None) -> Iterator[tuple[int, int]]:
    """First and last of consecutive query blocks that see the same key blocks, if any."""
    first = 0
    for r in range(1, len(visits) + 1):
        same = r < len(visits) and visits[r] == visits[first] and full[r] == full[first]
        limit = longest if longest is not None else len(visits) if full[first] else LONGEST
        if same and r - first < limit:
            continue
        if any(visits[first]):
            yield first, r - 1
        first = r


@dataclass(frozen=True, eq=False)
class Work:
    """All about one call but its tensors."""

    cut: Cut
    pairs: Pairs
    beta: float
    has_bias: bool
    wants_lse: bool
    is_finite: bool = False  # the bias is −∞ nowhere
    dropout: float = 0.0
    cap: float | int | None = None

    def slabs(self, q: Tensor, k: Tensor) -> Iterator[Slab]:
        B, H, T = q.shape[:3]
        return self.cut.slabs(B, H, T, k.shape[2], self.has_bias)

    def draws(self, seed: Tensor | None) -> Draws | None:
        return None if seed is None else Draws(self.dropout, seed)


def may_ask(q: Tensor) -> bool:
    """Whether there are numbers, that values may be asked about slab by slab; else mask and bias must be `Written`."""
    return is_eager(q) and not q.is_meta and not is_dispatched()


def attend_by_slabs(
    work: Work, q: Tensor, k: Tensor, v: Tensor, leaves: tuple[Tensor, ...]
) -> tuple[Tensor, Tensor | None]:
    """Output and log-sum-exp."""
    seed = new_seed(q.device) if work.dropout else None
    if may_ask(q):
        out, lse = _Slabs.apply(work, seed, q, k, v, *leaves)  # pyright: ignore[reportGeneralTypeIssues]
    else:
        assert isinstance(work.pairs, Written)
        cut, mask, bias = work.cut, work.pairs.mask, leaves[0] if leaves else None
        refuse_transforms(q, k, v, *leaves, *cut.maps, *(() if mask is None else (mask,)), maps=False)
        numbers = [cut.hides_queries, cut.causal, work.wants_lse]
        scales = [work.beta, work.dropout, float(work.cap or 0)]
        out, lse = _operator(q, k, v, list(cut.maps), mask, bias, seed, scales, numbers)
    return out, lse if work.wants_lse else None


class _Slabs(torch.autograd.Function):
    """Quicker to call than an operator, and it may ask values about their pairs."""

    @staticmethod
    @given
    def forward(
        ctx: Any, work: Work, seed: Tensor | None, q: Tensor, k: Tensor, v: Tensor, *leaves: Tensor
    ) -> tuple[Tensor, Tensor]:
        out, lse = _forward(work, work.draws(seed), q, k, v, leaves)
        ctx.work, ctx.seed = work, seed
        ctx.save_for_backward(q, k, v, out, lse, *leaves)
        ctx.set_materialize_grads(True)
        if not work.wants_lse:
            ctx.mark_non_differentiable(lse)
        return out, lse

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor, grad_lse: Tensor) -> tuple[Tensor | None, ...]:
        grads = [grad.contiguous(), grad_lse] if ctx.work.wants_lse else [grad.contiguous()]
        wanted = [n for n, want in enumerate(ctx.needs_input_grad[5:]) if want]
        saved = ctx.saved_tensors  # once: a checkpoint computes them again when they are asked for
        found = iter(_backward(ctx.work, ctx.work.draws(ctx.seed), grads, saved[:5], saved[5:], wanted))
        dq, dk, dv = next(found), next(found), next(found)
        return None, None, dq, dk, dv, *[next(found) if want else None for want in ctx.needs_input_grad[5:]]


@torch.library.custom_op("regard::slabs", mutates_args=(), device_types="cpu")
def _operator(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    maps: list[Tensor],
    mask: Tensor | None,
    bias: Tensor | None,
    seed: Tensor | None,
    scales: list[float],
    numbers: list[bool],
) -> tuple[Tensor, Tensor]:
    leaves = () if bias is None else (bias,)
    work = _work(maps, mask, bias, scales, numbers)
    return _forward(work, work.draws(seed), q, k, v, leaves)


def _work(
    maps: list[Tensor], mask: Tensor | None, bias: Tensor | None, scales: list[float], numbers: list[bool]
) -> Work:
    """Of β, the dropout and the cap, 0 for none, and of what hides queries, is causal, and is wanted."""
    (beta, dropout, cap), (hides_queries, causal, wants_lse) = scales, numbers
    cut = Cut(tuple(maps or _block_maps(mask)), hides_queries, causal)
    return Work(cut, Written(mask), beta, bias is not None, wants_lse, dropout=dropout, cap=cap or None)


def _block_maps(mask: Tensor | None) -> list[Tensor]:
    """Some and every, read off a mask that is there: a compiler would make other graphs for a single block."""
    if mask is None:
        return [torch.ones(1, 1, 1, 1, dtype=torch.bool, device=CPU)] * 2
    T, S = mask.shape[2:]

    def some_of(pairs: Tensor) -> Tensor:
        padded = pad(pairs, (0, -S % SIZE, 0, -T % SIZE))
        return any_of(any_of(padded.unflatten(3, (-1, SIZE)), 4).unflatten(2, (-1, SIZE)), 3)

    return [some_of(mask), ~some_of(~mask)]


@_operator.register_fake
def _(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    maps: list[Tensor],
    mask: Tensor | None,
    bias: Tensor | None,
    seed: Tensor | None,
    scales: list[float],
    numbers: list[bool],
) -> tuple[Tensor, Tensor]:
    exact = torch.promote_types(q.dtype, torch.float32)
    return q.new_empty(*q.shape[:3], v.shape[3]), q.new_empty(q.shape[:3], dtype=exact)


@torch.library.custom_op("regard::slabs_backward", mutates_args=(), device_types="cpu")
def _operator_backward(
    grads: list[Tensor],
    saved: list[Tensor],
    maps: list[Tensor],
    mask: Tensor | None,
    bias: Tensor | None,
    seed: Tensor | None,
    scales: list[float],
    numbers: list[bool],
    learns: bool,
) -> list[Tensor]:
    leaves = () if bias is None else (bias,)
    work = _work(maps, mask, bias, scales, numbers)
    return _backward(work, work.draws(seed), grads, saved, leaves, [0] if learns else [])


@_operator_backward.register_fake
def _(
    grads: list[Tensor],
    saved: list[Tensor],
    maps: list[Tensor],
    mask: Tensor | None,
    bias: Tensor | None,
    seed: Tensor | None,
    scales: list[float],
    numbers: list[bool],
    learns: bool,
) -> list[Tensor]:
    like = [*saved[:3], bias] if learns and bias is not None else saved[:3]
    return [torch.empty_like(x, memory_format=torch.contiguous_format) for x in like]


def _save(ctx, inputs, output) -> None:
    q, k, v, ctx.maps, ctx.mask, bias, seed, ctx.scales, ctx.numbers = inputs
    ctx.has_bias, ctx.has_seed = bias is not None, seed is not None
    ctx.save_for_backward(q, k, v, *output, *[x for x in (seed, bias) if x is not None])


def _differentiate(ctx, grad: Tensor, grad_lse: Tensor):
    q, k, v, out, lse, *others = ctx.saved_tensors
    seed = others[0] if ctx.has_seed else None
    bias = others[-1] if ctx.has_bias else None
    learns = ctx.has_bias and ctx.needs_input_grad[5]
    grads = [grad.contiguous(), grad_lse] if ctx.numbers[2] else [grad.contiguous()]
    saved = [q, k, v, out, lse]
    found = _operator_backward(grads, saved, ctx.maps, ctx.mask, bias, seed, ctx.scales, ctx.numbers, learns)
    return *found[:3], [None] * len(ctx.maps), None, found[3] if learns else None, None, None, None


_operator.register_autograd(_differentiate, setup_context=_save)


def _forward(
    work: Work, draws: Draws | None, q: Tensor, k: Tensor, v: Tensor, leaves: tuple[Tensor, ...]
) -> tuple[Tensor, Tensor]:
    out = q.new_zeros(*q.shape[:3], v.shape[3])
    lse = torch.full(q.shape[:3], -torch.inf, dtype=torch.promote_types(q.dtype, torch.float32), device=q.device)
    for slab in work.slabs(q, k):
        x = _operands(work, q, k, v, slab, leaves)
        if draws is None and work.cap is None:
            part, norm = flash_cpu(x.q, x.k, x.v, 0.0, slab.causal, attn_mask=x.bias, scale=work.beta)
        else:
            part, norm = _by_pieces(work, draws, x, slab.causal)
        part = part[..., : v.shape[3]]
        if x.empty is not None:
            part = part.masked_fill(x.empty, 0)
            norm = norm.masked_fill(x.empty.squeeze(-1), -torch.inf)
        _put(out, slab.rows, slab.heads, slab.queries, part)
        _put(lse, slab.rows, slab.heads, slab.queries, norm)
    return out, lse


def _backward(
    work: Work,
    draws: Draws | None,
    grads: list[Tensor],
    saved: Any,
    leaves: tuple[Tensor, ...],
    wanted: list[int],
) -> list[Tensor]:
    """Gradients of q, k, v, then of the leaves whose numbers are `wanted`. `grads` is that of the output, and perhaps
    that of the log-sum-exp.
    """
    q, k, v, out, lse = saved
    targets = [q, k, v, *[leaves[n] for n in wanted]]
    totals = [torch.zeros(x.shape, dtype=torch.promote_types(x.dtype, torch.float32), device=x.device) for x in targets]
    for slab in work.slabs(q, k):
        groups = slab.groups(q.shape[1] // k.shape[1])
        if wanted or draws is not None or work.cap is not None:
            parts = _by_products(work, draws, grads, q, k, v, slab, leaves, wanted)
        else:
            parts = _by_flash(work, grads, q, k, v, out, lse, slab, leaves)
        _put(totals[0], slab.rows, slab.heads, slab.queries, parts[0])
        for total, part in zip(totals[1:3], parts[1:3], strict=True):
            if len(slab.heads) > len(groups):
                part = part.unflatten(1, (len(groups), -1)).sum(2)
            _add(total, slab.rows, groups, slab.keys, part)
        for total, part in zip(totals[3:], parts[3:], strict=True):
            total += part
    return [total.to(x.dtype) for total, x in zip(totals, targets, strict=True)]


class _Operands(NamedTuple):
    """What the kernel gets for one slab: one width, one key head per head, and nothing that nobody sees."""

    q: Tensor
    k: Tensor
    v: Tensor
    bias: Tensor | None
    empty: Tensor | None  # rows that see nothing


def _operands(work: Work, q: Tensor, k: Tensor, v: Tensor, slab: Slab, leaves: tuple[Tensor, ...]) -> _Operands:
    heads_per_group = q.shape[1] // k.shape[1]
    groups = slab.groups(heads_per_group)
    q = _take(q, slab.rows, slab.heads, slab.queries)
    k, v = (_take(x, slab.rows, groups, slab.keys) for x in (k, v))
    if len(slab.heads) > len(groups):
        k, v = k.repeat_interleave(heads_per_group, 1), v.repeat_interleave(heads_per_group, 1)
    hidden, bias, empty = None, None, None
    if slab.doubtful is not None:
        allowed = work.pairs.allowed(replace(slab, keys=slab.keys[slab.doubtful]))
        is_doubtful = len(slab.doubtful) == len(slab.keys)  # else every query sees some key
        if not ((seen := any_of(allowed, -2)).all() or are_moderate(q, k, v)):  # no weight hides a NaN
            unseen = ~seen if is_doubtful else _spread(~seen, slab.doubtful, len(slab.keys))
            k, v = k.masked_fill(unseen[..., None], 0), v.masked_fill(unseen[..., None], 0)
        if is_doubtful and not (live := any_of(allowed, -1)[..., None]).all():
            empty = ~live
            q = q.masked_fill(empty, 0)
        hidden = ~allowed if is_doubtful else _spread(~allowed, slab.doubtful, len(slab.keys))
    if work.has_bias:
        wide = torch.promote_types(q.dtype, torch.float32)  # the kernel would round a bias to the type of q
        q, k, v = q.to(wide), k.to(wide), v.to(wide)
        added = work.pairs.bias(slab, leaves)
        assert added is not None
        # In place of what is added to a hidden pair, which may be no number: −∞ + NaN is NaN.
        bias = added.to(wide) if hidden is None else added.to(wide).masked_fill(hidden, -torch.inf)
        if not work.is_finite and (dead := bias.detach().amax(-1, keepdim=True) == -torch.inf).any():
            empty = dead  # of those that see nothing too
    elif hidden is not None:
        bias = q.new_zeros(()).masked_fill(hidden, -torch.inf)
    if bias is not None and empty is not None:
        bias = bias.masked_fill(empty, 0)
    if bias is not None:
        bias = bias.expand(*q.shape[:3], k.shape[2])
    width = max(q.shape[3], v.shape[3])
    return _Operands(laid_out(q, width), laid_out(k, width), laid_out(v, width), bias, empty)


def _by_flash(
    work: Work,
    grads: list[Tensor],
    q: Tensor,
    k: Tensor,
    v: Tensor,
    out: Tensor,
    lse: Tensor,
    slab: Slab,
    leaves: tuple[Tensor, ...],
) -> list[Tensor]:
    """Gradients of one slab's q, k and v by the kernel."""
    D, E = q.shape[3], v.shape[3]
    x = _operands(work, q, k, v, slab, leaves)
    out, lse, *grads = (_take(y, slab.rows, slab.heads, slab.queries) for y in (out, lse, *grads))
    if x.empty is not None:
        # At log-sum-exp +∞ every weight of the row is exactly 0, and with it every gradient.
        grads[0] = grads[0].masked_fill(x.empty, 0)
        lse = lse.masked_fill(x.empty.squeeze(-1), torch.inf)
    if len(grads) == 2 and x.empty is not None:
        grads[1] = grads[1].masked_fill(x.empty.squeeze(-1), 0)
    grads[0], out = grads[0].to(x.q.dtype), out.to(x.q.dtype)
    dq, dk, dv = flash_gradients(grads, x.q, x.k, x.v, out, lse, slab.causal, x.bias, work.beta)
    return [dq[..., :D], dk[..., :D], dv[..., :E]]


class _Piece(NamedTuple):
    """A part of a slab's map."""

    rows: slice
    heads: slice
    queries: slice
    keys: slice

    def of(self, x: Tensor) -> Tensor:
        """What x (rows, heads, queries, …) has at these queries, rows and heads as one; a view where it can be."""
        return x[self.rows, self.heads, self.queries].flatten(0, 1)

    def among_keys(self, x: Tensor) -> Tensor:
        """What x (rows, heads, keys, …) has at these keys, likewise."""
        return x[self.rows, self.heads, self.keys].flatten(0, 1)


def _pieces(x: "_Operands", causal: bool) -> Iterator[_Piece]:
    """Pieces of about PIECE pairs: some rows of all heads, some heads of one row, or a block of queries of one head.

    Under the kernel's causal flag the last query of a piece sees its last key.
    """
    (B, H, T), S = x.q.shape[:3], x.k.shape[2]
    queries = min(T, SIZE if causal else max(SIZE, PIECE // S))
    heads = min(H, max(1, PIECE // (queries * S)))
    rows = min(B, max(1, PIECE // (queries * S * H)))
    for b in range(0, B, rows):
        for h in range(0, H, heads):
            for i in range(0, T, queries):
                last = min(i + queries, T)
                yield _Piece(slice(b, b + rows), slice(h, h + heads), slice(i, last), slice(last if causal else S))


def _logits(work: Work, x: "_Operands", piece: _Piece, causal: bool) -> tuple[Tensor, Tensor | None]:
    """The logits of a piece in at least float32, (rows · heads, queries, keys), −∞ where hidden; under a cap c also
    the slope of `c·tanh(s / c)`.
    """
    wide = torch.promote_types(x.q.dtype, torch.float32)
    q, k = piece.of(x.q).to(wide), piece.among_keys(x.k).to(wide)
    if x.bias is not None and work.cap is None:
        return torch.baddbmm(piece.of(x.bias).to(wide), q, k.mT, alpha=work.beta), None
    logits = torch.baddbmm(q.new_empty(1, 1, 1), q, k.mT, beta=0, alpha=work.beta / (work.cap or 1))
    slope = None
    if work.cap is not None:
        logits.tanh_()
        slope = 1 - logits.square()
        logits.mul_(work.cap)
    if x.bias is not None:
        logits += piece.of(x.bias).to(wide)
    elif causal:
        side = q.shape[1]
        logits[:, :, -side:] += logits.new_full((side, side), -torch.inf).triu(1)
    return logits, slope


def _weights(logits: Tensor, x: "_Operands", piece: _Piece) -> Tensor:
    """The softmax of a piece's logits, in their place."""
    weights = torch.softmax(logits, -1, out=logits)
    if x.bias is not None:
        # The far ends of gaussians are numbers so small that a CPU takes ten times as long.
        torch.threshold_(weights, torch.finfo(weights.dtype).tiny, 0)
    if x.empty is not None:
        weights.masked_fill_(piece.of(x.empty.expand(*x.q.shape[:3], 1)), 0)
    return weights


def _by_pieces(work: Work, draws: Draws | None, x: "_Operands", causal: bool) -> tuple[Tensor, Tensor]:
    """Output and log-sum-exp of a slab under a cap, or some of whose weights are dropped; the log-sum-exp only where it
    is wanted.
    """
    wide = torch.promote_types(x.q.dtype, torch.float32)
    out = x.q.new_empty(*x.q.shape[:3], x.v.shape[3], dtype=wide)
    lse = x.q.new_zeros(x.q.shape[:3], dtype=wide)
    for piece in _pieces(x, causal):
        logits, _ = _logits(work, x, piece, causal)
        if work.wants_lse:
            lse[piece[:3]] = logits.logsumexp(-1).view_as(lse[piece[:3]])
        weights = _weights(logits, x, piece)
        if draws is not None:
            weights.mul_(draws.keep(weights.shape, wide))
        mixed = torch.bmm(weights, piece.among_keys(x.v).to(wide))
        mixed = mixed if draws is None else mixed.mul_(draws.scale)
        out[piece[:3]] = mixed.view_as(out[piece[:3]])
    return out, lse


def _by_products(
    work: Work,
    draws: Draws | None,
    grads: list[Tensor],
    q: Tensor,
    k: Tensor,
    v: Tensor,
    slab: Slab,
    leaves: tuple[Tensor, ...],
    wanted: list[int],
) -> list[Tensor]:
    """Gradients of one slab where the bias learns, weights are dropped or logits capped, for which the kernel has none.

    P = softmax(β·q kᵀ + bias)     K = keep / (1 − p)     G = P ∘ K ∘ (dO vᵀ)     dS = G − P ∘ (rows of G − dl)

    Under a cap what goes on to q and k is dS times the slope of the cap.

    The rows are of G and not of dO·o: o has been rounded, and what all keys have in common must cancel.
    """
    D, E = q.shape[3], v.shape[3]
    x = _operands(work, q, k, v, slab, leaves)
    wide = torch.promote_types(q.dtype, torch.float32)
    grads = [_take(grad, slab.rows, slab.heads, slab.queries).to(wide) for grad in grads]
    if draws is not None:
        grads[0] = grads[0] * draws.scale
    if x.empty is not None:  # 0 · ∞ where an incoming gradient is not finite
        grads[0] = grads[0].masked_fill(x.empty, 0)
    dq = x.q.new_empty(*x.q.shape[:3], D, dtype=wide)
    dk = x.k.new_zeros(*x.k.shape[:3], D, dtype=wide)
    dv = x.v.new_zeros(*x.v.shape[:3], E, dtype=wide)
    dlogits = x.q.new_empty(*x.q.shape[:3], x.k.shape[2], dtype=wide) if wanted else None
    for piece in _pieces(x, slab.causal):
        logits, slope = _logits(work, x, piece, slab.causal)
        weights = _weights(logits, x, piece)
        kept = weights if draws is None else draws.keep(weights.shape, wide).mul_(weights)
        grad = piece.of(grads[0])
        piece.among_keys(dv).baddbmm_(kept.mT, grad)
        part = torch.bmm(grad, piece.among_keys(x.v)[..., :E].to(wide).mT).mul_(kept)
        common = part.sum(-1, keepdim=True)
        if len(grads) == 2:
            common -= piece.of(grads[1])[..., None]
        part.addcmul_(weights, common, value=-1)
        if x.empty is not None:
            part.masked_fill_(piece.of(x.empty.expand(*x.q.shape[:3], 1)), 0)
        if dlogits is not None:
            dlogits[piece[:3]] = part.view_as(dlogits[piece[:3]])
        if slope is not None:
            part.mul_(slope)
        found = torch.bmm(part, piece.among_keys(x.k)[..., :D].to(wide)).mul_(work.beta)
        dq[piece[:3]] = found.view_as(dq[piece[:3]])
        piece.among_keys(dk).baddbmm_(part.mT, piece.of(x.q)[..., :D].to(wide), alpha=work.beta)
    if dlogits is None:
        return [dq, dk, dv]
    return [dq, dk, dv, *_bias_gradients(work.pairs, slab, leaves, wanted, dlogits)]


def _bias_gradients(
    pairs: Pairs, slab: Slab, leaves: tuple[Tensor, ...], wanted: list[int], dlogits: Tensor
) -> list[Tensor]:
    """From the gradient of a slab's logits to those of the leaves."""

    def bias(*learnt: Tensor) -> Tensor:
        given = tuple([learnt[wanted.index(n)] if n in wanted else leaf for n, leaf in enumerate(leaves)])
        found = pairs.bias(slab, given)
        assert found is not None
        return found

    if isinstance(pairs, Written):  # inside an operator there is no autograd
        made, pull_back, *_ = torch.func.vjp(bias, *[leaves[n] for n in wanted])
        return list(pull_back(dlogits.sum_to_size(made.shape).to(made.dtype)))
    learnt = [leaves[n].detach().requires_grad_() for n in wanted]
    with torch.enable_grad():
        made = bias(*learnt)
    cotangent = dlogits.sum_to_size(made.shape).to(made.dtype)
    return list(torch.autograd.grad(made, learnt, cotangent, materialize_grads=True))


def _take(x: Tensor, rows: range, heads: range, tokens: Tensor) -> Tensor:
    """Read x at these rows, heads and tokens: a view where the tokens are a run."""
    x = x[rows[0] : rows[-1] + 1, heads[0] : heads[-1] + 1]
    return x[:, :, _run(tokens)] if _run(tokens) else x.index_select(2, tokens)


def _put(x: Tensor, rows: range, heads: range, tokens: Tensor, part: Tensor) -> None:
    target = x[rows[0] : rows[-1] + 1, heads[0] : heads[-1] + 1]
    if _run(tokens):
        target[:, :, _run(tokens)] = part
    else:
        target.index_copy_(2, tokens, part.to(x.dtype))


def _spread(part: Tensor, places: Tensor, count: int) -> Tensor:
    """Zeros, but in the last dimension this part at these places among so many."""
    whole = part.new_zeros(*part.shape[:-1], count)
    if _run(places):
        whole[..., _run(places)] = part
        return whole
    return whole.index_copy_(-1, places, part)


def _add(x: Tensor, rows: range, heads: range, tokens: Tensor, part: Tensor) -> None:
    target = x[rows[0] : rows[-1] + 1, heads[0] : heads[-1] + 1]
    if _run(tokens):
        target[:, :, _run(tokens)] += part
    else:
        target.index_add_(2, tokens, part.to(x.dtype))


def _run(tokens: Tensor) -> slice | None:
    """The slice that these increasing token numbers are, when they leave none out."""
    first, last = int(tokens[0]), int(tokens[-1])
    return slice(first, last + 1) if last - first + 1 == len(tokens) else None
