"""Blockwise attention on the GPU: FlexAttention, given block masks that never come from a dense map."""

import functools
import types
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import AuxRequest, BlockMask, flex_attention
from torch.nn.functional import pad

from regard.attention import Attention, Bias, Mask, Places
from regard.attention.visibility import visible

SIZE = 128  # FlexAttention's own block
NARROWEST = 16  # its smallest head width
SHALLOW: Any = {"num_stages": 1}  # a bias is staged beside keys and values, and deeper pipelines overflow shared memory


def attend_by_flex(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    """Any mask and any score term; what nobody sees is blanked first, for a kernel multiplies it by zero."""
    attention = attention.on(q.device)
    D, E = q.shape[3], v.shape[3]
    scale = 0.0 if attention.content is None else attention.content.scale(D)
    q, k, v = _blank(q, k, v, attention)
    q, k, v = (_widen(x) for x in (q, k, v))
    places = attention.places(q.shape[2], k.shape[2])
    structure, tensors = attention.flatten()
    if torch.compiler.is_compiling():
        blocks = block_mask(attention.mask, places, q.device)
        out, lse = _call(q, k, v, attention, blocks, scale)
    else:
        blocks = (
            block_mask(attention.mask, places, q.device)
            if tensors
            else _static_blocks(repr(structure), q.shape[2], k.shape[2], q.device)
        )
        kind = (structure, q.dtype, q.shape[1], k.shape[1], q.shape[3], v.shape[3], torch.is_grad_enabled())
        out, lse = _compiled(kind)(q, k, v, attention, blocks, scale)
    return out[..., :E], lse if return_lse else None


def _call(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, blocks: BlockMask | None, scale: float
) -> tuple[Tensor, Tensor]:
    places = attention.places(q.shape[2], k.shape[2])
    terms = attention.biases

    def score(logit: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        for term in terms:
            logit = logit + term.at(b, h, i, j, places)
        return logit

    out, aux = flex_attention(
        q,
        k,
        v,
        score_mod=score if terms else None,
        block_mask=blocks,
        scale=scale,
        enable_gqa=q.shape[1] != k.shape[1],
        return_aux=AuxRequest(lse=True),
        kernel_options=SHALLOW if any([isinstance(term, Bias) for term in terms]) else None,
    )
    assert isinstance(out, Tensor)
    assert aux.lse is not None
    return out, aux.lse


@functools.cache
def _compiled(kind: Any) -> Callable[..., tuple[Tensor, Tensor]]:
    """One compiled function for each kind of problem; sizes are dynamic.

    torch counts recompilations by code object and gives up after eight, so each kind gets a code object of its own.
    """
    code = _call.__code__.replace(co_name=f"flex_{_compiled.cache_info().currsize}")
    own = types.FunctionType(code, _call.__globals__, code.co_name, _call.__defaults__, _call.__closure__)
    return torch.compile(own, fullgraph=True)


def block_mask(mask: Mask, places: Places, device: torch.device) -> BlockMask | None:
    """The blocks to visit, from the mask's own knowledge of blocks; None when nothing is hidden."""
    if mask.is_full(places):
        return None
    T, S = places.queries.count, places.keys.count
    some, every = torch.broadcast_tensors(*mask.blocks(places, SIZE, device))
    some, every = (x.expand(-1, -1, -(-T // SIZE), -(-S // SIZE)) for x in (some, every))

    def allows(b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return mask.allows(b, h, i, j, places)

    return BlockMask.from_kv_blocks(
        *_listed(some & ~every), *_listed(some & every), BLOCK_SIZE=SIZE, mask_mod=allows, seq_lengths=(T, S)
    )


def _listed(chosen: Tensor) -> tuple[Tensor, Tensor]:
    """How many key blocks each query block visits, and their numbers first in the list."""
    return chosen.sum(-1, dtype=torch.int32), chosen.int().argsort(dim=-1, descending=True, stable=True).int()


@functools.lru_cache(maxsize=256)
def _static_blocks(structure: str, T: int, S: int, device: torch.device) -> BlockMask | None:
    attention = Attention.unflatten(structure, [])
    return block_mask(attention.mask, attention.places(T, S), device)


def _blank(q: Tensor, k: Tensor, v: Tensor, attention: Attention) -> tuple[Tensor, Tensor, Tensor]:
    places = attention.places(q.shape[2], k.shape[2])
    live, seen = visible(attention.mask, places, q.shape[0], q.shape[1], q.device)
    if live is not None:
        q = q.masked_fill(~live[..., None], 0)
    if seen is not None:
        if seen.shape[1] > 1 and k.shape[1] != q.shape[1]:  # heads of one group see different keys
            k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
        k, v = k.masked_fill(~seen[..., None], 0), v.masked_fill(~seen[..., None], 0)
    return q, k, v


def _widen(x: Tensor) -> Tensor:
    return x if x.shape[3] >= NARROWEST else pad(x, (0, NARROWEST - x.shape[3]))
