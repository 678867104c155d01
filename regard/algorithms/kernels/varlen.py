"""Padded and packed batches on the GPU, without moving a byte and without telling the host a length.

The variable-length kernel reads one long row of tokens cut into segments. It is given the padded tensors as they lie,
each sequence cut into three: (real queries, real keys), (pad queries, no keys), (no queries, pad keys). Two of the
three have an empty side, so no pad is ever read, and pads' outputs and gradients are written as zeros.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.attention.varlen import varlen_attn
from torch.nn.functional import pad

from regard.algorithms.kernels.layouts import laid_out, multiple_of_eight


@dataclass(frozen=True, eq=False)
class Segments:
    """How one long row of queries, and one of keys, are cut: where each segment ends, int32, with a leading 0."""

    ends_q: Tensor
    ends_k: Tensor
    order: Tensor | None = None  # (B, S), which brings scattered real tokens to the front


def attend_by_segments(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    segments_of: Callable[[int], Segments],
    longest: tuple[int, int],
    hides_queries: bool,
    causal: bool,
    scale: float,
) -> Tensor:
    """Content softmax within the segments of every row: of all heads together, or, asked for H of them, of each head.

    No segment has more queries and keys than `longest`.
    """
    B, H, T, _ = q.shape
    E = v.shape[3]
    width = multiple_of_eight(max(q.shape[3], E))
    q, k, v = (laid_out(x, width) for x in (q, k, v))
    # Rows of (B,T,H,D) are read in place with H heads; (B,H,T,D) is read in place as B·H sequences of one head.
    by_head = k.shape[1] == H and q.is_contiguous()
    segments = segments_of(H if by_head else 1)
    if segments.order is not None:
        k, v = _gather(k, segments.order), _gather(v, segments.order)
        q = _gather(q, segments.order) if hides_queries else q
    if by_head:
        rows = [x.reshape(-1, 1, width) for x in (q, k, v)]
    else:
        rows = [x.transpose(1, 2).reshape(-1, x.shape[1], width) for x in (q, k, v)]
    out = _kernel(rows[0], rows[1], rows[2], segments.ends_q, segments.ends_k, *longest, causal, scale)
    out = out.view(B, H, T, width) if by_head else out.view(B, T, H, width).transpose(1, 2)
    if segments.order is not None and hides_queries:
        out = _gather(out, segments.order.argsort(1))
    return out[..., :E]


def _gather(x: Tensor, order: Tensor) -> Tensor:
    return x.gather(2, order[:, None, :, None].expand(-1, x.shape[1], -1, x.shape[3]))


def of_pads(real: Tensor, prefix: bool, hides_queries: bool, num_queries: int, heads: int) -> Segments:
    """The segments of the real tokens (B, S), with `prefix` those at the front; their queries, or all queries.

    >>> segments = of_pads(torch.tensor([[True, False]]), prefix=True, hides_queries=False, num_queries=3, heads=1)
    >>> segments.ends_q.tolist(), segments.ends_k.tolist()
    ([0, 3, 3, 3], [0, 1, 1, 2])
    """
    order = None if prefix else (~real).int().argsort(dim=1, stable=True)
    lengths = real.sum(1, dtype=torch.int32)
    lengths = lengths if heads == 1 else lengths.repeat_interleave(heads)
    queries = lengths if hides_queries else torch.full_like(lengths, num_queries)
    return Segments(_ends(queries, num_queries, num_queries), _ends(lengths, 0, real.shape[1]), order)


def _ends(real: Tensor, second: int, whole: int) -> Tensor:
    """Where the three segments of each sequence end: after its real tokens, then at `second` (0: nowhere new), then
    at its whole length; with a leading 0.
    """
    starts = torch.arange(len(real), device=real.device, dtype=torch.int32) * whole
    middle = torch.full_like(real, whole) if second else real
    ends = starts[:, None] + torch.stack([real, middle, torch.full_like(real, whole)], 1)
    return pad(ends.flatten(), (1, 0))


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


def longest_segment(lengths: tuple[tuple[int, ...], ...], tokens: int) -> int:
    """The most tokens of a segment of `of_documents`, pads too: the kernel writes no zeros beyond it.

    >>> longest_segment(((3, 2), (4,)), 9)
    5
    """
    return max([max(*row, tokens - sum(row), 0) for row in lengths])


_CAUSAL_BY_FLAG = "is_causal" in inspect.signature(varlen_attn).parameters
_GROUPED_BY_FLAG = "enable_gqa" in inspect.signature(varlen_attn).parameters


def _kernel(
    q: Tensor, k: Tensor, v: Tensor, ends_q: Tensor, ends_k: Tensor, T: int, S: int, causal: bool, scale: float
) -> Tensor:
    """`varlen_attn`, whose way of saying "causal" and "grouped" changed between releases of torch."""
    options: dict[str, object] = {"scale": scale}
    if causal:
        options |= {"is_causal": True} if _CAUSAL_BY_FLAG else {"window_size": (-1, 0)}
    if _GROUPED_BY_FLAG:
        options["enable_gqa"] = q.shape[1] != k.shape[1]
    elif q.shape[1] != k.shape[1]:
        k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    return varlen_attn(q, k, v, ends_q, ends_k, T, S, **options)  # pyright: ignore[reportArgumentType, reportReturnType]
