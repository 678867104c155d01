"""The fused attention operations of torch and of FlexAttention: pairs that are visible and pairs that are visited."""

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor

from regard.algorithms.planning.cost import Count
from regard.analysis.cost import masks
from regard.analysis.cost.kinds import words
from regard.analysis.cost.known import known
from regard.analysis.cost.products import Pairs, Sizes, triangle

FORWARD = words(
    """
    aten._scaled_dot_product_flash_attention_for_cpu aten._scaled_dot_product_flash_attention
    aten._scaled_dot_product_efficient_attention aten._scaled_dot_product_cudnn_attention
    aten._scaled_dot_product_fused_attention_overrideable aten._scaled_dot_product_attention_math_for_mps
    """
)
BACKWARD = words(
    """
    aten._scaled_dot_product_flash_attention_for_cpu_backward aten._scaled_dot_product_flash_attention_backward
    aten._scaled_dot_product_efficient_attention_backward aten._scaled_dot_product_cudnn_attention_backward
    aten._scaled_dot_product_fused_attention_overrideable_backward
    """
)
RAGGED = frozenset({"aten._flash_attention_forward", "aten._efficient_attention_forward", "torch_attn._varlen_attn"})
RAGGED_BACKWARD = frozenset(
    {"aten._flash_attention_backward", "aten._efficient_attention_backward", "torch_attn._varlen_attn_backward"}
)
TILE = 128  # queries and keys that GPU kernels take at once


class Widths(NamedTuple):
    """D and E."""

    D: Count
    E: Count


def bound(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments by the names of the operation's schema."""
    given = {argument.name: value for argument, value in zip(func._schema.arguments, args, strict=False)}
    return {argument.name: argument.default_value for argument in func._schema.arguments} | given | kwargs


def first(named: dict[str, Any], *names: str) -> Any:
    """The first of these arguments that is given."""
    return next((named[name] for name in names if named.get(name) is not None), None)


def dense_pairs(named: dict[str, Any], sizes: Sizes, name: str, read: Callable[[int], Count]) -> tuple[Pairs, Widths]:
    """Pairs of (B,H,T,D) queries and (B,G,S,D) keys under a causal flag or a mask.

    `read` turns a count of pairs into a number or a polynomial.
    """
    q, k, v = first(named, "query", "q"), first(named, "key", "k"), first(named, "value", "v")
    rows = sizes(q)[0] * sizes(q)[1] if q.ndim == 4 else sizes(q)[0]
    T, S = sizes(q)[-2], sizes(k)[-2]
    mask = first(named, "attn_mask", "attn_bias", "bias")
    visible = visited = rows * T * S
    if named.get("is_causal"):
        visible = rows * triangle(T, S, q.shape[-2] <= k.shape[-2])
        if isinstance(T, int) and isinstance(S, int):
            visited = rows * (cpu_blocks(T, S) if "cpu" in name else tiles(T, S))
        else:
            visited = visible
    elif isinstance(mask, Tensor):
        seen = masks.seen(mask)
        if seen is not None:
            visible = read(masks.count_visible(seen, (*q.shape[:-1], k.shape[-2])))
    return Pairs(visible, visited), Widths(sizes(q)[-1], sizes(v)[-1])


def cpu_blocks(T: int, S: int) -> int:
    """Pairs that torch's CPU kernel computes of a causal map: each block of queries takes the keys up to its last one.

    >>> cpu_blocks(64, 64), cpu_blocks(1024, 1024)
    (3072, 655360)
    """
    size = 256 if T >= 768 else 64 if T >= 192 else 32
    return sum(min(size, T - start) * min(start + min(size, T - start), S) for start in range(0, T, size))


def tiles(T: int, S: int) -> int:
    """Pairs of a causal map in tiles of 128 × 128, as GPU kernels compute them.

    >>> tiles(256, 256), tiles(100, 100)
    (49152, 10000)
    """
    return sum(min(TILE, T - start) * min(start + TILE, S) for start in range(0, T, TILE))


def ragged_pairs(named: dict[str, Any], sizes: Sizes) -> tuple[Pairs, Widths, bool]:
    """Pairs of sequences laid end to end, (total, H, D); whether the sequences' ends are known."""
    q, k, v = (first(named, name, name[0]) for name in ("query", "key", "value"))
    heads, D, E = sizes(q)[-2], sizes(q)[-1], sizes(v)[-1]
    ends_q = first(named, "cum_seq_q", "cu_seqlens_q", "cu_seq_q")
    ends_k = first(named, "cum_seq_k", "cu_seqlens_k", "cu_seq_k")
    causal = bool(first(named, "is_causal", "custom_mask_type"))
    if ends_q is None:  # (B, T, H, D)
        T, S = sizes(q)[1], sizes(k)[1]
        rows = sizes(q)[0] * heads
        once = triangle(T, S, q.shape[1] <= k.shape[1]) if causal else T * S
        return Pairs(rows * once, rows * once), Widths(D, E), True
    lengths_q, lengths_k = _lengths(ends_q), _lengths(ends_k)
    if lengths_q is None or lengths_k is None:
        most = heads * sizes(q)[0] * first(named, "max_k", "max_seqlen_k", "max_seqlen_batch_k")
        return Pairs(most, most), Widths(D, E), False
    pairs = zip(lengths_q, lengths_k, strict=True)
    count = heads * sum(triangle(T, S, T <= S) if causal else T * S for T, S in pairs)
    return Pairs(count, count), Widths(D, E), True


def _lengths(ends: Tensor) -> list[int] | None:
    value = known(ends)
    return None if value is None else value.diff().tolist()


def flex_pairs(
    operands: tuple[Tensor, ...], block_mask: tuple[Any, ...], sizes: Sizes, read: Callable[[int], Count]
) -> tuple[Pairs, Widths, bool]:
    """FlexAttention's operands and the parts of its block mask: its lists of blocks say what is visited.

    The predicate says what is visible; whether that could be asked comes third.
    """
    q, k, v = operands
    B, H, T, D = sizes(q)
    lengths = (q.shape[2], k.shape[2])
    widths = Widths(D, sizes(v)[-1])
    everything = B * H * T * sizes(k)[2]
    partial = known(block_mask[2])
    full = None if block_mask[4] is None else known(block_mask[4])
    if partial is None or (full is None and block_mask[4] is not None):
        return Pairs(everything, everything), widths, False
    mask_mod, size = block_mask[-1], (block_mask[-3], block_mask[-2])
    blocks = int(partial.sum()) + (0 if full is None else int(full.sum()))
    every = q.shape[0] * q.shape[1] // (partial.shape[0] * partial.shape[1])
    whole = min(blocks * size[0] * size[1] * every, q.shape[0] * q.shape[1] * lengths[0] * lengths[1])
    visited = whole if isinstance(everything, int) else everything
    count = _asked(mask_mod, (partial.shape[0], partial.shape[1], *lengths))
    if count is None:
        return Pairs(visited, visited), widths, False
    return Pairs(read(count * every), visited), widths, True


def _asked(mask_mod: Callable[..., Any], shape: tuple[int, int, int, int]) -> int | None:
    """Pairs that the predicate allows, asked one by one; None for more than 2^26 of them."""
    import torch
    from torch._subclasses.fake_tensor import unset_fake_temporarily

    B, H, T, S = shape
    if B * H * T * S > 1 << 26:
        return None
    with unset_fake_temporarily():
        b, h, i, j = (torch.arange(n) for n in shape)
        allowed = mask_mod(b[:, None, None, None], h[:, None, None], i[:, None], j)
        return int(torch.as_tensor(allowed).expand(shape).sum())
