"""Blockwise attention on the GPU: FlexAttention, given block masks that never come from a dense map."""

import functools
import types
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import AuxOutput, AuxRequest, BlockMask, flex_attention

from regard.algorithms.kernels.layouts import widen
from regard.attention import Attention, Bias, Places, Sequence
from regard.attention.masks.visibility import visible

SIZE = 128  # FlexAttention's own block
NARROWEST = 16  # its smallest head width
FAR = 1 << 30  # and the tokens of a sequence are fewer than that


def attend_by_flex(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    """Any mask and any score term, compiled once for each kind of problem."""
    attention = attention.on(q.device)
    lists = _block_lists(attention, q, k)
    hides = lists is not None and _hides_tokens(attention, q, k)
    if torch.compiler.is_compiling():
        out, lse = _attend(q, k, v, attention, lists, hides, return_lse)
    else:
        structure, _ = attention.flatten()
        kind = (structure, q.dtype, q.shape[1], k.shape[1], q.shape[3], v.shape[3], torch.is_grad_enabled(), return_lse)
        out, lse = _compiled(kind)(q, k, v, attention, lists, hides, return_lse)
    return out, lse


def _attend(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, lists: list[Tensor] | None, hides: bool, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    """Blank what nobody sees, for the kernel multiplies it by zero, and visit the listed blocks; None: all of them."""
    D, E = q.shape[3], v.shape[3]
    exact = attention.places(q.shape[2], k.shape[2])
    places = _with_start_as_data(exact, q.shape[0], q.device, attention.mask.is_relative)
    if hides:
        q, k, v = _blank(q, k, v, attention, exact)
    terms = attention.biases
    scorers = [term.scorer(places, shift=not return_lse) for term in terms]
    blocks = None
    if lists is not None:

        def allows(b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
            return attention.mask.allows(b, h, i, j, places)

        blocks = BlockMask((q.shape[2], k.shape[2]), *lists, BLOCK_SIZE=(SIZE, SIZE), mask_mod=allows)

    def score(logit: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        for scorer in scorers:
            logit = logit + scorer(b, h, i, j)
        return logit

    found = flex_attention(
        widen(q, max(NARROWEST, q.shape[3])),
        widen(k, max(NARROWEST, k.shape[3])),
        widen(v, max(NARROWEST, v.shape[3])),
        score_mod=score if terms else None,
        block_mask=blocks,
        scale=0.0 if attention.content is None else attention.content.scale(D),
        enable_gqa=q.shape[1] != k.shape[1],
        return_aux=AuxRequest(lse=True) if return_lse else None,
        kernel_options=_options(q, k, attention),
    )
    if not return_lse:
        assert isinstance(found, Tensor)
        return found[..., :E], None
    out, aux = found
    assert isinstance(aux, AuxOutput)
    return out[..., :E], aux.lse


def _options(q: Tensor, k: Tensor, attention: Attention) -> Any:
    """What the kernel must be told."""
    options: dict[str, Any] = {}
    if any([isinstance(term, Bias) for term in attention.biases]):
        options["num_stages"] = 1  # a bias is staged beside keys and values: deeper pipelines overflow shared memory
    if q.shape[1] > k.shape[1] and q.shape[2] * (q.shape[1] // k.shape[1]) > SIZE:
        # For fewer than 128 queries there is a kernel that takes all heads of a group at once, if they fit a block.
        options["FORCE_USE_FLEX_ATTENTION"] = True
    return options or None


@functools.cache
def _compiled(kind: Any) -> Callable[..., tuple[Tensor, Tensor | None]]:
    """One compiled function for each kind of problem; sizes are dynamic.

    torch counts recompilations by code object and gives up after eight, so each kind gets a code object of its own.
    """
    code = _attend.__code__.replace(co_name=f"flex_{_compiled.cache_info().currsize}")
    own = types.FunctionType(code, _attend.__globals__, code.co_name, _attend.__defaults__, _attend.__closure__)
    return torch.compile(own, fullgraph=True)


def _with_start_as_data(places: Places, B: int, device: torch.device, relative: bool) -> Places:
    """The same places, with what depends on sizes as tensors: a kernel cannot capture a symbolic size.

    Where offsets alone decide, one tensor does: the distance of the two starts.
    """
    queries, keys = places.queries, places.keys
    if not (isinstance(queries, Sequence) and isinstance(keys, Sequence)):
        return places
    # Where 32 bits are enough to count in, the kernel counts twice as fast.
    near = all([not isinstance(side.start, Tensor) and -FAR < side.start < FAR for side in (queries, keys)])
    zeros = torch.zeros(B, dtype=torch.int32 if near else torch.int64, device=device)
    starts = (queries.start - keys.start, 0) if relative else (queries.start, zeros + keys.start)
    return Places(_starting(queries, zeros + starts[0]), _starting(keys, starts[1]))


def _starting(side: Sequence, start: Tensor | int) -> Sequence:
    """The sequence with another start, of whatever type: `Sequence` itself would make it 64 bits wide."""
    moved = Sequence(side.n, 0, side.step)
    object.__setattr__(moved, "start", start)
    return moved


def _block_lists(attention: Attention, q: Tensor, k: Tensor) -> list[Tensor] | None:
    """The blocks that this call visits, None for all; remembered when they depend on sizes alone."""
    B, H, T, S = *q.shape[:3], k.shape[2]
    if attention.mask.is_full(attention.places(T, S)):
        return None
    structure, tensors = Attention(mask=attention.mask, queries=attention.queries, keys=attention.keys).flatten()
    if torch.compiler.is_compiling() or tensors:
        return list_blocks(tensors, repr(structure), B, H, T, S, q.device)
    return _static_lists(repr(structure), B, H, T, S, q.device)


def _hides_tokens(attention: Attention, q: Tensor, k: Tensor) -> bool:
    """Whether a query may see nothing, or a key be seen by nobody; found out once where sizes alone decide."""
    structure, tensors = Attention(mask=attention.mask, queries=attention.queries, keys=attention.keys).flatten()
    if torch.compiler.is_compiling() or tensors:
        return True
    return _static_hides(repr(structure), q.shape[1], q.shape[2], k.shape[2], q.device)


@functools.lru_cache(maxsize=256)
def _static_hides(structure: str, H: int, T: int, S: int, device: torch.device) -> bool:
    attention = Attention.unflatten(structure, [])
    sides = visible(attention.mask, attention.places(T, S), 1, H, device)
    return any([side is not None and not bool(side.all()) for side in sides])


@functools.lru_cache(maxsize=256)
def _static_lists(structure: str, B: int, H: int, T: int, S: int, device: torch.device) -> list[Tensor]:
    return list_blocks([], structure, B, H, T, S, device)


@torch.library.custom_op("regard::list_blocks", mutates_args=())
def list_blocks(
    tensors: list[Tensor], structure: str, B: int, H: int, T: int, S: int, device: torch.device
) -> list[Tensor]:
    """Which blocks to visit, as FlexAttention lists them: by query block and by key block, in part and in full.

    An operator of its own, because the sort that torch's compiler makes of a symbolic length reads out of bounds
    (pytorch issue 160018).
    """
    attention = Attention.unflatten(structure, tensors)
    places = attention.places(T, S)
    shape = _block_shape(attention, B, H, T, S)
    some, every = (x.expand(shape) for x in attention.mask.blocks(places, SIZE, device))
    part, full = some & ~every, some & every
    # The kernel takes each list for neighbouring numbers, and `argsort` keeps the strides that it finds.
    return [x.contiguous() for chosen in (part, full, part.mT, full.mT) for x in _listed(chosen.contiguous())]


@list_blocks.register_fake
def _(tensors: list[Tensor], structure: str, B: int, H: int, T: int, S: int, device: torch.device) -> list[Tensor]:
    shape = _block_shape(Attention.unflatten(structure, tensors), B, H, T, S)
    flipped = (*shape[:2], shape[3], shape[2])
    sizes = [size for kind in (shape, shape, flipped, flipped) for size in (kind[:3], kind)]
    return [torch.empty(size, dtype=torch.int32, device=device) for size in sizes]


def _block_shape(attention: Attention, B: int, H: int, T: int, S: int) -> tuple[int, int, int, int]:
    by_row, by_head = attention.mask.varies(attention.places(T, S))
    return B if by_row else 1, H if by_head else 1, -(-T // SIZE), -(-S // SIZE)


def _listed(chosen: Tensor) -> tuple[Tensor, Tensor]:
    """How many blocks each row visits, and their numbers first in the list."""
    return chosen.sum(-1, dtype=torch.int32), chosen.int().argsort(dim=-1, descending=True, stable=True).int()


def _blank(q: Tensor, k: Tensor, v: Tensor, attention: Attention, places: Places) -> tuple[Tensor, Tensor, Tensor]:
    live, seen = visible(attention.mask, places, q.shape[0], q.shape[1], q.device)
    if live is not None:
        q = q.masked_fill(~live[..., None], 0)
    if seen is not None:
        if seen.shape[1] > 1 and k.shape[1] != q.shape[1]:  # heads of one group see different keys
            k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
        k, v = k.masked_fill(~seen[..., None], 0), v.masked_fill(~seen[..., None], 0)
    return q, k, v
