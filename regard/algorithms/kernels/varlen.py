"""Padded and packed batches on the GPU, without moving a byte and without telling the host a length.

The variable-length kernel reads one long row of tokens cut into segments. It is given the padded tensors as they lie,
each sequence cut into three: (real queries, real keys), (pad queries, no keys), (no queries, pad keys). Two of the
three have an empty side, so no pad is ever read, and pads' outputs and gradients are written as zeros.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard.algorithms.kernels.layouts import laid_out, multiple_of_eight
from regard.algorithms.planning.kept import recall
from regard.attention.eager import may_keep
from regard.attention.masks.padding import sent
from regard.attention.positions.sizes import surely
from regard.attention.torch_private import efficient_segments, flash_segments, stream_of

MOST_SEGMENTS = 65_535  # of one call: CUDA counts no further along a side of a grid
TOP_LEFT = 1  # how the efficient kernel calls a causal mask that has the first query at the first key

# Which queries look at the real keys: all of them; all, those of `attend_prefixes`; the real ones; the pads alone.
Looking = Literal["all", "prefix", "real", "pads"]


@dataclass(frozen=True, eq=False)
class Segments:
    """How one long row of queries, and one of keys, are cut: where each segment ends, int32, with a leading 0."""

    ends_q: Tensor
    ends_k: Tensor
    order: Tensor | None = None  # (B, S), which brings scattered real tokens to the front
    empty: Tensor | None = None  # (B, 1, 1, 1), sequences without a real token


def attend_by_segments(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    segments_of: Callable[[int], Segments],
    per_row: int,
    longest: tuple[int, int],
    hides_queries: bool,
    causal: bool,
    scale: float,
    dropout: float = 0.0,
) -> Tensor:
    """Content softmax within the segments of every row: of all heads together, or, asked for H of them, of each head.

    There are so many segments per row, none with more queries and keys than `longest`.
    """
    B, H, T, _ = q.shape
    E = v.shape[3]
    width = multiple_of_eight(max(q.shape[3], E))
    q, k, v = laid_out(q, width), laid_out(k, width), laid_out(v, width)
    # Rows of (B,T,H,D) are read in place with H heads; (B,H,T,D) is read in place as B·H sequences of one head.
    by_head = k.shape[1] == H and q.is_contiguous() and surely(per_row * B * H <= MOST_SEGMENTS)
    segments = segments_of(H if by_head else 1)
    if segments.order is not None:
        k, v = _gather(k, segments.order), _gather(v, segments.order)
        q = _gather(q, segments.order) if hides_queries else q
    if by_head:
        rows = [x.reshape(-1, 1, width) for x in (q, k, v)]
    else:
        rows = [x.transpose(1, 2).reshape(-1, x.shape[1], width) for x in (q, k, v)]
    out = _kernel(rows[0], rows[1], rows[2], segments.ends_q, segments.ends_k, *longest, causal, scale, dropout)
    out = out.view(B, H, T, width) if by_head else out.view(B, T, H, width).transpose(1, 2)
    if segments.order is not None and hides_queries:
        out = _gather(out, segments.order.argsort(1))
    return out if width == E else out[..., :E]


def attend_prefixes(
    q: Tensor, k: Tensor, v: Tensor, segments_of: Callable[[int], Segments], scale: float, dropout: float
) -> Tensor:
    """Content softmax of query i over the real keys among 0…i: by the kernel that puts a segment's first query at its
    first key.

    It is slower than the other for long sequences, but one call. A key head per head.
    """
    (B, H, T, _), (_, _, S, E) = q.shape, v.shape
    q, k, v = (laid_out(x, multiple_of_eight(x.shape[3])) for x in (q, k, v))
    by_head = q.is_contiguous() and surely(3 * B * H <= MOST_SEGMENTS)
    segments = segments_of(H if by_head else 1)
    assert segments.empty is not None
    # Of no keys the kernel makes 0/0, and leaves the gradient of the query as it finds it.
    q, heads = q.masked_fill(segments.empty, 0), 1 if by_head else H
    q, k, v = ((x if by_head else x.transpose(1, 2)).reshape(1, -1, heads, x.shape[3]) for x in (q, k, v))
    learns = torch.is_grad_enabled() and (q.requires_grad or k.requires_grad or v.requires_grad)
    ends = (segments.ends_q, segments.ends_k, T, S)
    out = efficient_segments(q, k, v, None, *ends, dropout, TOP_LEFT, learns, scale=scale)[0]
    out = out.view(B, H, T, -1) if by_head else out.view(B, T, H, -1).transpose(1, 2)
    out = out if out.shape[3] == E else out[..., :E]
    return out.masked_fill(segments.empty, 0)


def _gather(x: Tensor, order: Tensor) -> Tensor:
    return x.gather(2, order[:, None, :, None].expand(-1, x.shape[1], -1, x.shape[3]))


def of_lengths(lengths: Tensor, S: int, looking: Looking, num_queries: int, heads: int) -> Segments:
    """The segments of sequences whose first tokens, so many, are real; lengths beyond S count as S.

    >>> segments = of_lengths(torch.tensor([1]), 2, "all", num_queries=3, heads=1)
    >>> segments.ends_q.tolist(), segments.ends_k.tolist()
    ([0, 3, 3, 3], [0, 1, 1, 2])
    """
    B, device = lengths.shape[0], lengths.device
    stream = stream_of(device) if device.type == "cuda" else None
    key = ("segments", B, S, looking, num_queries, heads, device, stream)
    whole, share = recall(key, lambda: _pattern(B, S, looking, num_queries, heads, device))
    empty = lengths.view(B, 1, 1, 1) <= 0 if looking == "prefix" else None
    lengths = lengths.long().clamp(0, S).view(1, B, 1, 1)
    if not may_keep():  # a compiler or a transform knows no results in given memory
        found = pad(torch.addcmul(whole, lengths, share).flatten(1).int(), (1, 0))
    else:  # as few steps as there can be: every batch has its own lengths
        count = 3 * B * heads
        found = torch.zeros(2, count + 1, dtype=torch.int32, device=device)
        behind = found.as_strided((2, B, heads, 3), (count + 1, 3 * heads, 3, 1), 1)
        torch.addcmul(whole, lengths, share, out=behind)
    ends_q, ends_k = found.unbind(0)
    return Segments(ends_q, ends_k, None, empty)


def _pattern(
    B: int, S: int, looking: Looking, num_queries: int, heads: int, device: torch.device
) -> tuple[Tensor, Tensor]:
    """Where the segments of queries and of keys end, (2, B, heads, 3): at these tokens, plus this share of the length.

    Each sequence has real tokens, then pads of queries, then pads of keys.
    """
    T = num_queries
    all_look = looking in ("all", "prefix")
    whole = (T, T, T) if all_look else (0, T, T), (0, 0, S)
    share = (0, 0, 0) if all_look else (1, 0, 0), (0, 1, 0) if looking == "pads" else (1, 1, 0)
    lengths, ends, shares = sent((T, S, *whole[0], *whole[1], *share[0], *share[1]), device).split([2, 6, 6])
    starts = torch.arange(B * heads, device=device) * lengths[:, None]
    return starts.view(2, B, heads, 1) + ends.view(2, 1, 1, 3), shares.view(2, 1, 1, 3)


def of_tokens(real: Tensor, looking: Looking, num_queries: int, heads: int) -> Segments:
    """The segments of sequences whose real tokens (B, S) stand anywhere."""
    order = (~real).int().argsort(dim=1, stable=True)
    found = of_lengths(real.sum(1), real.shape[1], looking, num_queries, heads)
    return replace(found, order=order)


def of_documents(numbers: Tensor, most: int, prefix: bool, rows_of_each: int) -> Segments:
    """The segments of documents: `numbers` (rows, S), which serve so many rows each in turn, say that of each token,
    below `most`; −1 marks a pad.

    The pads behind the last document are two segments: queries without keys, then keys without queries. Unless
    `prefix`, so are the pads before each document.

    >>> segments = of_documents(torch.tensor([[0, 0, 0, 1, 1, -1]]), 2, prefix=True, rows_of_each=1)
    >>> segments.ends_q.tolist(), segments.ends_k.tolist()
    ([0, 3, 5, 6, 6], [0, 3, 5, 5, 6])
    """
    rows, S = numbers.shape
    far = torch.where(numbers < 0, most, numbers)  # pads belong to what follows them, the last ones to nothing
    ahead = far.flip(1).cummin(1).values.flip(1).contiguous()
    document = torch.arange(most, device=numbers.device, dtype=numbers.dtype).expand(rows, -1).contiguous()
    ends = torch.searchsorted(ahead, document, right=True, out_int32=True)
    starts = torch.searchsorted(numbers.cummax(1).values.contiguous(), document, out_int32=True).minimum(ends)
    ends_q = ends_k = ends
    if not prefix:
        before = pad(ends[:, :-1], (1, 0))
        ends_q = torch.stack([starts, starts, ends], 2).flatten(1)
        ends_k = torch.stack([before, starts, ends], 2).flatten(1)
    whole = torch.full_like(ends[:, :1], S)
    sides = torch.cat([ends_q, whole, whole], 1), torch.cat([ends_k, ends[:, -1:], whole], 1)
    begins = torch.arange(rows * rows_of_each, device=numbers.device, dtype=torch.int32)[:, None] * S
    found = [pad((begins + side.repeat_interleave(rows_of_each, 0)).flatten(), (1, 0)) for side in sides]
    return Segments(found[0], found[1])


def of_document_lengths(
    lengths: tuple[tuple[int, ...], ...], S: int, rows_of_each: int, device: torch.device
) -> Segments:
    """The same segments where the lengths of documents are plain numbers: the device is sent where they end.

    >>> segments = of_document_lengths(((3, 2),), 6, rows_of_each=1, device=torch.device("cpu"))
    >>> segments.ends_q.tolist(), segments.ends_k.tolist()
    ([0, 3, 5, 6, 6], [0, 3, 5, 5, 6])
    """
    ends_q, ends_k = [0], [0]
    for n in range(len(lengths) * rows_of_each):
        begin, row = n * S, lengths[n // rows_of_each]
        ends = [begin + end for end in itertools.accumulate(row)]
        ends_q += [*ends, begin + S, begin + S]
        ends_k += [*ends, ends[-1] if ends else begin, begin + S]
    found = sent((*ends_q, *ends_k), device, torch.int32)
    return Segments(found[: len(ends_q)], found[len(ends_q) :])


def longest_segment(lengths: tuple[tuple[int, ...], ...], tokens: int) -> int:
    """The most tokens of a segment of `of_documents`, pads too: the kernel writes no zeros beyond it.

    >>> longest_segment(((3, 2), (4,)), 9)
    5
    """
    return max([max(*row, tokens - sum(row), 0) for row in lengths])


def _kernel(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    ends_q: Tensor,
    ends_k: Tensor,
    T: int,
    S: int,
    causal: bool,
    scale: float,
    dropout: float,
) -> Tensor:
    """Content softmax of (tokens, heads, width), segment by segment.

    Of one query at most, the kernel would take all segments to have one, and read grouped heads in its place.
    """
    T = T if q.shape[1] == k.shape[1] else max(T, 2)
    return flash_segments(q, k, v, ends_q, ends_k, T, S, dropout, causal, False, scale=scale)[0]
