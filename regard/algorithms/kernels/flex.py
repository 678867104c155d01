"""Blockwise attention on the GPU: FlexAttention, given block masks that never come from a dense map."""

import itertools
import types
from collections.abc import Callable
from threading import RLock
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import AuxOutput, AuxRequest, BlockMask, flex_attention
from torch.nn.functional import pad

from regard.algorithms.kernels.block_lists import list_blocks
from regard.algorithms.kernels.layouts import laid_out
from regard.algorithms.planning.kept import recall
from regard.algorithms.planning.problem import Problem
from regard.attention import Attention, Places, Sequence
from regard.attention.masks.mask import has_blocks
from regard.attention.masks.visibility import Sides, decide, known_sides, visible
from regard.attention.positions.sizes import surely
from regard.attention.torch_private import is_dispatched
from regard.attention.value import unflatten

SIZE = 128  # FlexAttention's own block
NARROWEST = 16  # its smallest head width
FAR = 1 << 30  # and the tokens of a sequence are fewer than that
_compiling = RLock()  # two threads must not compile one kernel at once


def attend_by_flex(problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
    """Any mask and any score term, compiled once for each kind of problem."""
    attention = problem.attention
    lists, sides = _visits(problem, q)
    staged = not all([facts.positional for facts in problem.terms])
    relative = problem.outline.mask.relative and all([facts.movable for facts in problem.terms])
    options = (problem.return_lse, staged, relative)
    mask = attention.mask.placed(problem.places, q.device)
    if mask is not attention.mask:
        attention = Attention(attention.scores, mask, attention.weighting, attention.queries, attention.keys)
    q, k, v = laid_out(q), laid_out(k), laid_out(v)
    D, E = problem.shape.D, problem.shape.E
    if torch.compiler.is_compiling() or is_dispatched():
        out, lse = _attend(q, k, v, attention, problem.beta, lists, sides, options)
    else:
        structure, tensors = attention.flatten()
        attention = unflatten(tensors, structure)
        dtypes = tuple([x.dtype for x in tensors])
        hides = tuple([side is not None for side in sides])
        kind = (structure, dtypes, q.dtype, q.shape[1], k.shape[1], D, E, torch.is_grad_enabled(), hides, options)
        with _compiling:
            out, lse = recall(("flex", kind), _compiled)(q, k, v, attention, problem.beta, lists, sides, options)
    return out[..., :E], lse


def _attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attention: Attention,
    beta: float,
    lists: list[Tensor] | None,
    sides: Sides,
    options: tuple[bool, bool, bool],
) -> tuple[Tensor, Tensor | None]:
    """Blank what nobody sees, for the kernel multiplies it by zero, and visit the listed blocks; None: all of them."""
    return_lse, staged, relative = options
    exact = attention.places(q.shape[2], k.shape[2])
    places = _with_start_as_data(exact, q.shape[0], q.device, relative)
    q, k, v = _blank(q, k, v, *sides)
    terms = attention.biases
    scorers = [term.scorer(places, shift=not return_lse) for term in terms]
    cap = None if attention.content is None else attention.content.cap
    blocks = None
    if lists is not None:

        def allows(b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
            allowed = attention.mask.allows(b, h, i, j, places)
            return allowed if isinstance(allowed, Tensor) else (i == i) & allowed

        blocks = BlockMask((q.shape[2], k.shape[2]), *lists, BLOCK_SIZE=(SIZE, SIZE), mask_mod=allows)

    def score(logit: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        if cap is not None:
            logit = cap * torch.tanh(logit / cap)
        for scorer in scorers:
            logit = logit + scorer(b, h, i, j)
        return logit

    q, k, v = (pad(x, (0, NARROWEST - x.shape[3])) if x.shape[3] < NARROWEST else x for x in (q, k, v))
    found = flex_attention(
        q,
        k,
        v,
        score_mod=score if terms or cap is not None else None,
        block_mask=blocks,
        scale=beta,
        enable_gqa=not surely(q.shape[1] == k.shape[1]),
        return_aux=AuxRequest(lse=True) if return_lse else None,
        kernel_options=_options(q, k, staged),
    )
    if not return_lse:
        assert isinstance(found, Tensor)
        return found, None
    out, aux = found
    assert isinstance(aux, AuxOutput)
    return out, aux.lse


def _options(q: Tensor, k: Tensor, staged: bool) -> Any:
    """What the kernel must be told."""
    options: dict[str, Any] = {}
    if staged:
        options["num_stages"] = 1  # a bias is staged beside keys and values: deeper pipelines overflow shared memory
    groups = q.shape[1] // k.shape[1]
    if not surely(groups == 1) and not surely(q.shape[2] * groups <= SIZE):
        # For fewer than 128 queries there is a kernel that takes all heads of a group at once, if they fit a block.
        options["FORCE_USE_FLEX_ATTENTION"] = True
    return options or None


NUMBERS = itertools.count()


def _compiled() -> Callable[..., tuple[Tensor, Tensor | None]]:
    """A compiled function for one kind of problem; sizes are dynamic.

    torch counts recompilations by code object and gives up after eight, so each kind gets a code object of its own.
    """
    code = _attend.__code__.replace(co_name=f"flex_{next(NUMBERS)}")
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
    starts = [side.start for side in (queries, keys)]
    near = all([not isinstance(start, Tensor) and surely(start > -FAR) and surely(start < FAR) for start in starts])
    zeros = torch.zeros(B, dtype=torch.int32 if near else torch.int64, device=device)
    first, second = (queries.start - keys.start, 0) if relative else (queries.start, zeros + keys.start)
    return Places(_starting(queries, zeros + first), _starting(keys, second))


def _starting(side: Sequence, start: Tensor | int) -> Sequence:
    """The sequence with another start, of whatever type: `Sequence` itself would make it 64 bits wide."""
    moved = Sequence(side.n, 0, side.step)
    object.__setattr__(moved, "start", start)
    return moved


def _visits(problem: Problem, q: Tensor) -> tuple[list[Tensor] | None, Sides]:
    """The blocks that this call visits, None for all; the queries that see a key and the keys that are seen."""
    if not problem.masks:
        return None, (None, None)
    mask, places, shape = problem.attention.mask, problem.places, problem.shape
    if torch.compiler.is_compiling() or is_dispatched():
        return _listed_blocks(problem, q.device), visible(mask, places, shape.B, shape.H, q.device)
    return problem.made("flex", q.device, lambda: _decided(problem, q.device))


def _decided(problem: Problem, device: torch.device) -> tuple[list[Tensor], Sides]:
    """From what is known of the mask, or else by its definition. Where sizes alone decide, the host waits to know
    whether anything is to be blanked.
    """
    mask, places, shape = problem.attention.mask, problem.places, problem.shape
    sides = known_sides(mask, places, shape.B if problem.outline.mask.rows else 1, device)
    if sides is not None and has_blocks(mask, places):
        lists = _listed_blocks(problem, device)
    else:
        (some, every), *sides = decide(mask.placed(places, device), places, shape.B, shape.H, SIZE, device)
        lists, sides = list_blocks(some, every), (sides[0], sides[1])
    by_sizes = len(mask.flatten()[1]) == 0 and places.is_static
    if by_sizes and all([side is None or bool(side.all()) for side in sides]):
        return lists, (None, None)
    return lists, sides


def _listed_blocks(problem: Problem, device: torch.device) -> list[Tensor]:
    shape, facts = problem.shape, problem.outline.mask
    sizes = (shape.B if facts.rows else 1, shape.H if facts.heads else 1, -(-shape.T // SIZE), -(-shape.S // SIZE))
    some, every = problem.attention.mask.blocks(problem.places, SIZE, device)
    return list_blocks(some.expand(sizes).contiguous(), every.expand(sizes).contiguous())


def _blank(q: Tensor, k: Tensor, v: Tensor, live: Tensor | None, seen: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    if live is not None:
        q = q.masked_fill(~live[..., None], 0)
    if seen is not None:
        if seen.shape[1] > 1 and k.shape[1] != q.shape[1]:  # heads of one group see different keys
            k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
        k, v = k.masked_fill(~seen[..., None], 0), v.masked_fill(~seen[..., None], 0)
    return q, k, v
