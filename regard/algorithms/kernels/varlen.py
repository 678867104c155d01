"""Padded and packed batches on the GPU, without moving a byte and without telling the host a length.

The variable-length kernel reads one long row of tokens cut into segments. It is given the padded tensors as they lie,
each sequence cut into three: (real queries, real keys), (pad queries, no keys), (no queries, pad keys). Two of the
three have an empty side, so no pad is ever read, and pads' outputs and gradients are written as zeros.
"""

import inspect

import torch
from torch import Tensor
from torch.nn.attention.varlen import varlen_attn
from torch.nn.functional import pad

from regard.algorithms.kernels.layouts import laid_out, multiple_of_eight


def attend_by_segments(
    q: Tensor, k: Tensor, v: Tensor, real: Tensor, prefix: bool, pads_queries: bool, causal: bool, scale: float
) -> Tensor:
    """Content softmax over the real tokens (B, S), with `prefix` those at the front; their queries, or all queries."""
    lengths = real.sum(1)
    if prefix:
        return _segments(q, k, v, lengths, pads_queries, causal, scale)
    # Scattered real tokens are first brought to the front, in order, and taken back at the end.
    order = (~real).int().argsort(dim=1, stable=True)
    k, v = _gather(k, order), _gather(v, order)
    if not pads_queries:
        return _segments(q, k, v, lengths, False, causal, scale)
    return _gather(_segments(_gather(q, order), k, v, lengths, True, causal, scale), order.argsort(1))


def _gather(x: Tensor, order: Tensor) -> Tensor:
    return x.gather(2, order[:, None, :, None].expand(-1, x.shape[1], -1, x.shape[3]))


def _segments(
    q: Tensor, k: Tensor, v: Tensor, lengths: Tensor, pads_queries: bool, causal: bool, scale: float
) -> Tensor:
    B, H, T, _ = q.shape
    S, E = k.shape[2], v.shape[3]
    width = multiple_of_eight(max(q.shape[3], E))
    q, k, v = (laid_out(x, width) for x in (q, k, v))
    lengths = lengths.clamp(0, S).int()
    # Rows of (B,T,H,D) are read in place with H heads; (B,H,T,D) is read in place as B·H sequences of one head.
    by_head = k.shape[1] == H and q.is_contiguous()
    if by_head:
        lengths = lengths.repeat_interleave(H)
        q_, k_, v_ = (x.reshape(-1, 1, width) for x in (q, k, v))
    else:
        q_, k_, v_ = (x.transpose(1, 2).reshape(-1, x.shape[1], width) for x in (q, k, v))
    real_q = lengths if pads_queries else torch.full_like(lengths, T)
    ends_q, ends_k = _ends(real_q, T, T), _ends(lengths, 0, S)
    out = _kernel(q_, k_, v_, ends_q, ends_k, T, S, causal, scale)
    out = out.view(B, H, T, width) if by_head else out.view(B, T, H, width).transpose(1, 2)
    return out[..., :E]


def _ends(real: Tensor, second: int, whole: int) -> Tensor:
    """Where the three segments of each sequence end: after its real tokens, then at `second` (0: nowhere new), then
    at its whole length; with a leading 0.
    """
    starts = torch.arange(len(real), device=real.device, dtype=torch.int32) * whole
    middle = torch.full_like(real, whole) if second else real
    ends = starts[:, None] + torch.stack([real, middle, torch.full_like(real, whole)], 1)
    return pad(ends.flatten(), (1, 0))


def attend_by_documents(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    numbers: Tensor,
    most: int,
    prefix: bool,
    longest: int,
    causal: bool,
    scale: float,
) -> Tensor:
    """Content softmax within each document of a row, given by the numbers of the tokens' documents, (B|1, S)."""
    B, H, T, _ = q.shape
    E = v.shape[3]
    width = multiple_of_eight(max(q.shape[3], E))
    q, k, v = (laid_out(x, width) for x in (q, k, v))
    q_, k_, v_ = (x.transpose(1, 2).reshape(-1, x.shape[1], width) for x in (q, k, v))
    ends_q, ends_k = document_ends(numbers, most, prefix, B)
    out = _kernel(q_, k_, v_, ends_q, ends_k, longest, longest, causal, scale)
    return out.view(B, T, H, width).transpose(1, 2)[..., :E]


def document_ends(numbers: Tensor, most: int, prefix: bool, batch: int) -> tuple[Tensor, Tensor]:
    """Where the segments of `batch` rows of S queries, and of keys, end, with a leading 0, int32.

    `numbers` (rows, S), of which each serves batch/rows rows in turn, say the document of each token, below `most`; −1
    marks a pad. Each document is a segment. The pads behind the last one are two: queries without keys, then keys
    without queries. Unless `prefix`, so are the pads before each document.

    >>> ends = document_ends(torch.tensor([[0, 0, 0, 1, 1, -1]]), 2, prefix=True, batch=1)
    >>> [side.tolist() for side in ends]
    [[0, 3, 5, 6, 6], [0, 3, 5, 5, 6]]
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
    begins = torch.arange(batch, device=numbers.device, dtype=torch.int32)[:, None] * S
    found = [pad((begins + side.repeat_interleave(batch // rows, 0)).flatten(), (1, 0)) for side in sides]
    return found[0], found[1]


def longest_segment(lengths: tuple[tuple[int, ...], ...], tokens: int) -> int:
    """The most tokens of a segment of `document_ends`, pads too: the kernel writes no zeros beyond it.

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
