"""Masks of cells, as blocks, tiles, rows, columns and strides are: each cell attends on its own, as a row of a batch.

Tokens of different cells never meet, so cells are taken apart, attended to by whatever is cheapest for tokens so few,
and put back. Scores and masks that depend on offsets alone are the same in every cell that is alike.
"""

import functools

import torch
from torch import Tensor

from regard.algorithms.composite.folding import Cells, fold, is_partition, put_all, take
from regard.algorithms.composite.parts import cost_of_parts, seconds_of_parts
from regard.algorithms.planning.cost import Cost, inputs, output
from regard.algorithms.planning.problem import Problem, within
from regard.attention import Attention, Bias, Everything, KeyPadding, Mask, Padding, Places, Shape
from regard.attention.masks.padding import RealTokens

NAME = "partitioned"
LONGEST = 1 << 24  # tokens
MOST = 65_535  # rows of a batch that the CUDA kernels take


def refuses(problem: Problem) -> str | None:
    cells, others = split(problem.masks, problem.places)
    if not cells:
        return "needs a mask of cells: Blocks, Tiles, SameRow, SameColumn, Strided or Dilated"
    if not problem.places.is_static:
        return "takes positions that are the same in every row"
    if any([isinstance(term, Bias) for term in problem.attention.biases]):
        return "takes no Bias: its entries belong to pairs"
    for mask in others:
        if not (mask.is_relative or isinstance(mask, RealTokens)):
            return f"takes beside cells masks of offsets and paddings: not {mask!r}"
        if isinstance(mask, Padding) and problem.places.key[0] != problem.places.key[1]:
            return "takes Padding where queries and keys stand at the same places"
    if max(problem.shape.T, problem.shape.S) > LONGEST:
        return f"numbers the tokens of every cell: takes at most {LONGEST:,}"
    if problem.on_cuda and any([problem.shape.B * kind.count > MOST for kind in fold(cells, problem.places).kinds]):
        return f"the kernels take batches of at most {MOST:,} rows"
    return None


def split(masks: tuple[Mask, ...], places: Places) -> tuple[tuple[Mask, ...], tuple[Mask, ...]]:
    """The masks of cells, and the others."""
    cells = tuple([mask for mask in masks if is_partition(mask, places)])
    return cells, tuple([mask for mask in masks if not is_partition(mask, places)])


def cost(problem: Problem) -> Cost:
    """Each kind of cell by its cheapest algorithm, and the tensors taken apart and put together."""
    return cost_of_parts(_moving(problem), _inner_problems(problem))


def seconds(problem: Problem) -> float:
    return seconds_of_parts(_moving(problem), problem, _inner_problems(problem))


def _moving(problem: Problem) -> Cost:
    """Everything read and written once more, on the way back too."""
    moved = inputs(problem.shape, problem.item) + output(problem.shape, problem.item)
    passes, launches = (6, 40) if problem.backward else (2, 15)
    kinds = len(fold(split(problem.masks, problem.places)[0], problem.places).kinds)
    return Cost(flops=0, bytes=passes * moved, memory=moved, launches=launches * kinds)


def _inner_problems(problem: Problem) -> list[Problem]:
    """One problem for each kind of cell."""
    shape = problem.shape
    cells, others = split(problem.masks, problem.places)
    problems = []
    for kind in fold(cells, problem.places).kinds:
        B = shape.B * kind.count
        inner = Shape(B, shape.H, shape.G, kind.num_queries, kind.num_keys, shape.D, shape.E)
        attention = _attention(problem.attention, others, kind, shape.B, torch.device("meta"))
        problems.append(within(problem, inner, attention, problem.return_lse))
    return problems


def run(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention, *, dropout: float, return_lse: bool
) -> tuple[Tensor, Tensor | None]:
    from regard.algorithms.attend import attend

    B, H, T, S = *q.shape[:3], k.shape[2]
    attention = attention.on(q.device)
    places = attention.places(T, S)
    cells, others = split(tuple([mask for mask in attention.mask.conjuncts if not mask.is_full(places)]), places)
    folded = fold(cells, places)
    outs, sums = [], []
    for kind in folded.kinds:
        inner = _attention(attention, others, kind, B, q.device)
        parts = take(kind.queries, q), take(kind.keys, k), take(kind.keys, v)
        if return_lse:
            out, lse = attend(*parts, inner, dropout=dropout, return_lse=True)
            sums.append(lse[..., None])
        else:
            out = attend(*parts, inner, dropout=dropout)
        outs.append(out)
    whole = put_all(folded, outs, B, H, T, v, 0.0)
    if not folded.kinds:  # nobody sees anything: zeros, whose gradients are zeros too
        whole = whole + sum([x[:, :, :0].sum() for x in (q, k, v)])
    if not return_lse:
        return whole, None
    exact = q.new_empty(1, dtype=torch.promote_types(q.dtype, torch.float32))
    return whole, put_all(folded, sums, B, H, T, exact, -torch.inf)[..., 0]


def _attention(attention: Attention, others: tuple[Mask, ...], kind: Cells, B: int, device: torch.device) -> Attention:
    """The mechanism inside a cell: the same scores, at its own places, and the masks that are left."""
    masks = [_inside(mask, kind, B, device) for mask in others]
    mask = functools.reduce(Mask.__and__, masks, Everything())
    places = Places.of_key(kind.key)
    return Attention(attention.scores, mask, attention.weighting, places.queries, places.keys)


def _inside(mask: Mask, kind: Cells, B: int, device: torch.device) -> Mask:
    """A mask of offsets is itself; a padding becomes the map of what is real in each cell."""
    if not isinstance(mask, RealTokens):
        return mask
    own = Padding if isinstance(mask, Padding) else KeyPadding
    if device.type == "meta":
        return own(torch.empty(B * kind.count, kind.num_keys, dtype=torch.bool, device=device))
    rows, tokens = torch.arange(B, device=device)[:, None], kind.keys.index.to(device).flatten()
    return own(mask.on(device).is_real(rows, tokens).view(B * kind.count, -1))
