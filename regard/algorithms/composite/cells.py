"""Masks of cells, as blocks, tiles, rows, columns and strides are: each cell attends on its own, as a row of a batch.

Tokens of different cells never meet, so cells are taken apart, attended to by whatever is cheapest for tokens so few,
and put back. Scores and masks that depend on offsets alone are the same in every cell that is alike.
"""

import functools

import torch
from torch import Tensor

from regard.algorithms.composite.folding import Folded, Kind, fold, put_all, symbolic_kinds, take
from regard.algorithms.planning.algorithm import Algorithm, told
from regard.algorithms.planning.cost import Cost, inputs, output
from regard.algorithms.planning.planner import Planner, summed
from regard.algorithms.planning.problem import Problem
from regard.attention import Attention, Everything, Facts, KeyPadding, Mask, Padding, Places, Shape
from regard.attention.masks.mask import real_tokens
from regard.attention.positions.sizes import fixed, is_symbol, most, surely

LONGEST = 1 << 24  # tokens
MOST = 65_535  # rows of a batch that the CUDA kernels take


class Partitioned(Algorithm):
    """Each kind of cell by its cheapest algorithm, and the tensors taken apart and put together."""

    name = "partitioned"
    takes_cap = True
    any_device = True
    any_length = False  # every length has cells of its own

    def __init__(self, planner: Planner) -> None:
        self.planner = planner

    def refuses(self, problem: Problem) -> str | None:
        if not any([_is_partition(facts, problem.places) for facts in problem.facts]):
            return "needs a mask of cells: Blocks, Tiles, SameRow, SameColumn, Strided or Dilated"
        if not problem.places.is_static:
            return "takes positions that are the same in every row"
        for facts, term in zip(problem.terms, problem.attention.biases, strict=True):
            if not (facts.positional and facts.movable):
                return told("takes scores of offsets, the same in alike cells: not {}", type(term).__name__)
        for facts, mask in zip(problem.facts, problem.masks, strict=True):
            if _is_partition(facts, problem.places):
                continue
            if facts.real is None and not (facts.relative and facts.positional and not facts.rows):
                return told("takes beside cells masks of offsets and paddings: not {}", type(mask).__name__)
            if facts.real is not None and facts.real.queries and problem.places.key[0] != problem.places.key[1]:
                return "takes Padding where queries and keys stand at the same places"
        if is_symbol(problem.shape.T) or is_symbol(problem.shape.S):
            return None
        if any([not surely(n <= LONGEST) for n in (fixed(problem.shape.T), fixed(problem.shape.S))]):
            return told("numbers the tokens of every cell: takes at most {:,}", LONGEST)
        if problem.on_cuda and any([surely(problem.shape.B * kind.count > MOST) for kind in _kinds(problem)]):
            return told("the kernels take batches of at most {:,} rows", MOST)
        return None

    def cost(self, problem: Problem) -> Cost:
        parts = _parts(problem)
        return summed(_moving(problem, parts), [self.planner.choose(part).cost(part) for part in parts])

    def seconds(self, problem: Problem) -> float:
        parts, machine = _parts(problem), problem.machine
        own, times = _moving(problem, parts), [self.planner.seconds(part) for part in parts]
        host = machine.host.get(self.name, (0.0, 0.0))[1 if problem.backward else 0]
        return most(host, own.bytes / machine.bandwidth + own.launches * machine.launch) + sum(times)

    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        B, H, T = q.shape[:3]
        folded = _folded(problem)
        outs, sums = [], []
        for kind in folded.kinds:
            value = _inside(problem, kind, q.device)
            parts = take(kind.queries, q), take(kind.keys, k), take(kind.keys, v)
            out, lse = self.planner.solve(*parts, value, dropout=problem.dropout, return_lse=problem.return_lse)
            outs.append(out)
            if lse is not None:
                sums.append(lse[..., None])
        whole = put_all(folded, outs, B, H, T, v, 0.0)
        if not folded.kinds:  # nobody sees anything: zeros, whose gradients are zeros too
            whole = whole + sum([x[:, :, :0].sum() for x in (q, k, v)])
        if not problem.return_lse:
            return whole, None
        wide = q.new_empty(1, dtype=problem.wide)
        return whole, put_all(folded, sums, B, H, T, wide, -torch.inf)[..., 0]


def _is_partition(facts: Facts, places: Places) -> bool:
    """Whether the mask is *being in the same cell*."""
    return len(facts.cells) == places.num_axes


def _folded(problem: Problem) -> Folded:
    cells = [facts.cells for facts in problem.facts if _is_partition(facts, problem.places)]
    return fold(tuple(cells), problem.places)


def _kinds(problem: Problem) -> tuple[Kind, ...]:
    """The kinds of cells; where sizes are symbols, as if cells filled them."""
    if is_symbol(problem.shape.T) or is_symbol(problem.shape.S):
        cells = [facts.cells for facts in problem.facts if _is_partition(facts, problem.places)]
        return symbolic_kinds(cells, problem.places)
    return _folded(problem).kinds


def _moving(problem: Problem, parts: list[Problem]) -> Cost:
    """All that is in a cell with queries and keys read and written once more, on the way back too."""
    moved = sum([inputs(part.shape, part.item) + output(part.shape, part.item) for part in parts])
    passes, launches = (6, 40) if problem.backward else (2, 15)
    return Cost(flops=0, bytes=passes * moved, memory=moved, launches=launches * len(parts))


def _parts(problem: Problem) -> list[Problem]:
    """One problem for each kind of cell."""
    shape = problem.shape
    parts = []
    for kind in _kinds(problem):
        inner = Shape(shape.B * kind.count, shape.H, shape.G, kind.num_queries, kind.num_keys, shape.D, shape.E)
        parts.append(problem.within(inner, _inside(problem, kind, None), problem.return_lse))
    return parts


def _inside(problem: Problem, kind: Kind, device: torch.device | None) -> Attention:
    """The mechanism inside a cell: the same scores, at its own places, and the masks that are left.

    A mask of offsets is itself; a padding becomes the map of what is real in each cell. Without a device it has the
    sizes of that map, to plan with.
    """
    attention, B = problem.attention, problem.shape.B
    masks: list[Mask] = []
    for mask, facts in zip(problem.masks, problem.facts, strict=True):
        if _is_partition(facts, problem.places):
            continue
        if facts.real is None:
            masks.append(mask)
            continue
        own = Padding if facts.real.queries else KeyPadding
        if device is None:
            if is_symbol(kind.num_keys) or is_symbol(B * kind.count):
                continue
            masks.append(own(torch.empty(B * kind.count, kind.num_keys, dtype=torch.bool, device="meta")))
        else:
            tokens = real_tokens(mask, problem.places, B, device)
            masks.append(own(tokens[:, kind.keys.index.to(device).flatten()].reshape(B * kind.count, -1)))
    places = Places.of_key(kind.key)
    mask = functools.reduce(Mask.__and__, masks, Everything())
    return Attention(attention.scores, mask, attention.weighting, places.queries, places.keys)
