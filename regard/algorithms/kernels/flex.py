"""Blockwise attention on the GPU: FlexAttention, given block masks that never come from a dense map."""

import itertools
import types
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import AuxOutput, AuxRequest, BlockMask, flex_attention
from torch.nn.functional import pad

from regard.algorithms.kernels.layouts import laid_out
from regard.algorithms.planning.kept import recall
from regard.algorithms.planning.problem import Problem
from regard.attention import Attention, Mask, Places, Sequence
from regard.attention.masks.visibility import visible
from regard.attention.positions.sizes import surely
from regard.attention.torch_private import is_dispatched
from regard.attention.value import unflatten

SIZE = 128  # FlexAttention's own block
NARROWEST = 16  # its smallest head width
FAR = 1 << 30  # and the tokens of a sequence are fewer than that


def attend_by_flex(problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
    """Any mask and any score term, compiled once for each kind of problem."""
    attention = problem.attention
    lists, hides = _block_lists(problem, q)
    staged = not all([facts.positional for facts in problem.terms])
    relative = problem.outline.mask.relative and all([facts.movable for facts in problem.terms])
    options = (hides, problem.return_lse, staged, relative)
    mask = attention.mask.placed(problem.places, q.device)
    if mask is not attention.mask:
        attention = Attention(attention.scores, mask, attention.weighting, attention.queries, attention.keys)
    q, k, v = laid_out(q), laid_out(k), laid_out(v)
    D, E = problem.shape.D, problem.shape.E
    if torch.compiler.is_compiling() or is_dispatched():
        out, lse = _attend(q, k, v, attention, problem.beta, lists, options)
    else:
        structure, tensors = attention.flatten()
        attention = unflatten(tensors, structure)
        dtypes = tuple([x.dtype for x in tensors])
        kind = (structure, dtypes, q.dtype, q.shape[1], k.shape[1], D, E, torch.is_grad_enabled(), options)
        out, lse = recall(("flex", kind), _compiled)(q, k, v, attention, problem.beta, lists, options)
    return out[..., :E], lse


def _attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attention: Attention,
    beta: float,
    lists: list[Tensor] | None,
    options: tuple[bool, bool, bool, bool],
) -> tuple[Tensor, Tensor | None]:
    """Blank what nobody sees, for the kernel multiplies it by zero, and visit the listed blocks; None: all of them."""
    hides, return_lse, staged, relative = options
    exact = attention.places(q.shape[2], k.shape[2])
    places = _with_start_as_data(exact, q.shape[0], q.device, relative)
    if hides:
        q, k, v = _blank(q, k, v, attention.mask, exact)
    terms = attention.biases
    scorers = [term.scorer(places, shift=not return_lse) for term in terms]
    blocks = None
    if lists is not None:

        def allows(b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
            allowed = attention.mask.allows(b, h, i, j, places)
            return allowed if isinstance(allowed, Tensor) else (i == i) & allowed

        blocks = BlockMask((q.shape[2], k.shape[2]), *lists, BLOCK_SIZE=(SIZE, SIZE), mask_mod=allows)

    def score(logit: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        for scorer in scorers:
            logit = logit + scorer(b, h, i, j)
        return logit

    q, k, v = (pad(x, (0, NARROWEST - x.shape[3])) if x.shape[3] < NARROWEST else x for x in (q, k, v))
    found = flex_attention(
        q,
        k,
        v,
        score_mod=score if terms else None,
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


def _block_lists(problem: Problem, q: Tensor) -> tuple[list[Tensor] | None, bool]:
    """The blocks that this call visits, None for all, and whether a query may see nothing or a key be seen by nobody.

    Where sizes alone decide, both are found out once.
    """
    if not problem.masks:
        return None, False
    mask, shape = problem.attention.mask, problem.shape
    lists = problem.made("flex lists", q.device, lambda: _listed_blocks(problem, q.device))
    if torch.compiler.is_compiling() or is_dispatched() or len(mask.flatten()[1]) > 0 or not problem.places.is_static:
        return lists, True
    rows = shape.B if problem.outline.mask.rows else 1

    def hides() -> tuple[bool]:
        sides = visible(mask, problem.places, rows, shape.H, q.device)
        return (any([side is not None and not bool(side.all()) for side in sides]),)

    return lists, problem.made("flex hides", q.device, hides)[0]


def _listed_blocks(problem: Problem, device: torch.device) -> list[Tensor]:
    shape, facts = problem.shape, problem.outline.mask
    sizes = (shape.B if facts.rows else 1, shape.H if facts.heads else 1, -(-shape.T // SIZE), -(-shape.S // SIZE))
    some, every = problem.attention.mask.blocks(problem.places, SIZE, device)
    return list_blocks(some.expand(sizes).contiguous(), every.expand(sizes).contiguous())


@torch.library.custom_op("regard::list_blocks", mutates_args=())
def list_blocks(some: Tensor, every: Tensor) -> list[Tensor]:
    """Which blocks to visit, as FlexAttention lists them: by query block and by key block, in part and in full.

    An operator of its own, because the sort that torch's compiler makes of a symbolic length reads out of bounds
    (pytorch issue 160018).
    """
    part, full = some & ~every, some & every
    # The kernel takes each list for neighbouring numbers, and `argsort` keeps the strides that it finds.
    return [x.contiguous() for chosen in (part, full, part.mT, full.mT) for x in _listed(chosen.contiguous())]


@list_blocks.register_fake
def _(some: Tensor, every: Tensor) -> list[Tensor]:
    shape = some.shape
    flipped = (*shape[:2], shape[3], shape[2])
    sizes = [size for kind in (shape, shape, flipped, flipped) for size in (kind[:3], kind)]
    return [torch.empty(size, dtype=torch.int32, device=some.device) for size in sizes]


def _listed(chosen: Tensor) -> tuple[Tensor, Tensor]:
    """How many blocks each row visits, and their numbers first in the list."""
    return chosen.sum(-1, dtype=torch.int32), chosen.int().argsort(dim=-1, descending=True, stable=True).int()


def _blank(q: Tensor, k: Tensor, v: Tensor, mask: Mask, places: Places) -> tuple[Tensor, Tensor, Tensor]:
    live, seen = visible(mask, places, q.shape[0], q.shape[1], q.device)
    if live is not None:
        q = q.masked_fill(~live[..., None], 0)
    if seen is not None:
        if seen.shape[1] > 1 and k.shape[1] != q.shape[1]:  # heads of one group see different keys
            k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
        k, v = k.masked_fill(~seen[..., None], 0), v.masked_fill(~seen[..., None], 0)
    return q, k, v
