"""How many pairs of a query and a key a mask leaves, in which part of the map, and in how many blocks: exact counts.

Offsets are counted where they alone decide. Else blocks are asked first, and pairs only where a block is in doubt.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from regard.algorithms.planning.visits import MOST, ask_blocks
from regard.attention import Grid, Mask, Places, Sequence

OFFSETS = 1 << 24  # at most so many are asked
FINE = 128  # tokens along the side of the blocks that are asked
DOUBT = 1 << 28  # pairs in doubt that are decided one by one: all of 16,384 × 16,384
ASKED = 1 << 20  # of them at once
CHUNK = 1 << 20  # blocks at once


class Seen(NamedTuple):
    """How many keys each query sees, (T,), and how much of each cell of the map is visible: 0 none, 1 part, 2 all.

    Where not `is_exact`, a cell of which a part is visible may be hidden altogether.
    """

    keys: Tensor
    cells: Tensor
    is_exact: bool


def count_visible(mask: Mask, places: Places, cell: int, row: int = 0) -> Seen:
    """Counts over one row of the batch; a cell of the map has `cell` × `cell` pairs."""
    is_even = places.is_static and places.queries.step == places.keys.step
    facts = mask.facts(places)
    relative = is_even and facts.relative and not facts.rows
    if relative and places.num_axes == 1:
        return _count_in_line(mask, places, cell)
    in_doubt = _find_doubt(mask, places, min(cell, FINE), row)
    if in_doubt is not None:
        keys, blocks = _count_by_blocks(mask, places, min(cell, FINE), row, *in_doubt)
        return Seen(keys, _cell_levels(sums(blocks, max(1, cell // FINE)), places, cell), True)
    keys = None
    if relative:
        keys = _count_by_offsets(mask, places)
    elif places.is_static and facts.cells:
        keys = _count_by_cells(mask, places)
    if keys is not None:
        cells = [some.long() + every.long() for _, some, every in _ask_blocks(mask, places, cell, row)]
        return Seen(keys, torch.cat(cells), False)
    raise ValueError(
        f"the pairs of {mask!r} must be decided one by one, at most 2^28 of them: got {places.queries.count:,} × "
        f"{places.keys.count:,}; use fewer tokens, where the pattern is the same"
    )


def _count_by_offsets(mask: Mask, places: Places) -> Tensor:
    """Keys that each query sees: along each axis the sum over the offsets of all keys from it."""
    seen = ask_offsets(mask, places)
    for axis in range(places.num_axes):
        queries, keys = places.axis(axis, mask).line(mask)
        seen = sum_over_keys(seen, axis, queries.n, keys.n)
    return seen.flatten()


def sum_over_keys(seen: Tensor, axis: int, queries: int, keys: int) -> Tensor:
    """For each query the sum over all keys, along one axis of numbers by offset, from the last query to the first."""
    first = torch.arange(queries - 1, -1, -1)  # of the keys' offsets, for each query
    upto = torch.cat([torch.zeros_like(seen.narrow(axis, 0, 1)), seen.cumsum(axis)], axis)
    return upto.index_select(axis, first + keys) - upto.index_select(axis, first)


def ask_offsets(mask: Mask, places: Places) -> Tensor:
    """1 where an offset is visible, along each axis from the last query and first key to the opposite."""
    lines = [places.axis(axis, mask).line(mask) for axis in range(places.num_axes)]
    numbers = [queries.n + keys.n - 1 for queries, keys in lines]
    if math.prod(numbers) > OFFSETS:
        raise ValueError(f"at most 2^24 offsets are counted: got {math.prod(numbers):,}; use fewer tokens")
    starts = [keys.at(0, 0) - keys.step * (queries.n - 1) for queries, keys in lines]
    if len(lines) == 1:
        line = Places(Sequence(1, lines[0][0].start), Sequence(numbers[0], starts[0], lines[0][1].step))
    else:
        (rows, _), (columns, _) = lines
        keys = Grid(numbers[0], numbers[1], (starts[0], starts[1]), (rows.step, columns.step))
        line = Places(Grid(1, 1, (rows.at(0, 0), columns.at(0, 0))), keys)
    zero = torch.zeros(1, dtype=torch.long)
    allowed = mask.slab(zero, zero, zero, torch.arange(math.prod(numbers)), line)
    return allowed.expand(1, 1, 1, -1).reshape(numbers).long()


def _count_in_line(mask: Mask, places: Places, cell: int) -> Seen:
    """Sums over offsets give the cells too: how many keys a query sees up to each edge."""
    T, S = places.queries.count, places.keys.count
    upto = torch.nn.functional.pad(ask_offsets(mask, places).cumsum(0), (1, 0))
    first = torch.arange(T - 1, -1, -1)
    edges = torch.arange(0, S + cell, cell).clamp(max=S)
    cells = []
    for some in first.split(cell):
        at_edges = upto[some[:, None] + edges]
        cells.append((at_edges[:, 1:] - at_edges[:, :-1]).sum(0))
    return Seen(upto[first + S] - upto[first], _cell_levels(torch.stack(cells), places, cell), True)


def _count_by_cells(mask: Mask, places: Places) -> Tensor:
    """Keys that each query sees: those in its own cell along every axis."""
    seen = torch.ones(1, dtype=torch.long)
    for axis, cell in enumerate(mask.facts(places).cells):
        queries, keys = (cell.number(side.at(0, torch.arange(side.n))) for side in places.axis(axis, mask).line(mask))
        known, numbers = keys.unique(return_counts=True)
        nearest = torch.searchsorted(known, queries).clamp(max=len(known) - 1)
        seen = (seen[:, None] * torch.where(known[nearest] == queries, numbers[nearest], 0)).flatten()
    return seen


def _find_doubt(mask: Mask, places: Places, size: int, row: int) -> tuple[Tensor, Tensor] | None:
    """Which blocks are visible, and which are in doubt, (T/size, S/size); None where that is too much to decide."""
    T, S = places.queries.count, places.keys.count
    shape = (-(-T // size), -(-S // size))
    if math.prod(shape) > MOST // 4:
        return None
    found = list(_ask_blocks(mask, places, size, row))
    every = torch.cat([every for _, _, every in found])
    part = torch.cat([some & ~every for _, some, every in found])
    return (every, part) if int(part.sum()) * size * size <= DOUBT else None


def _ask_blocks(mask: Mask, places: Places, size: int, row: int) -> Iterator[tuple[int, Tensor, Tensor]]:
    """What is known of each block in one row of the batch: pieces of a few, each with its first row of blocks."""
    for first, (some, every) in ask_blocks(mask, places, size, CHUNK):
        yield first, some[row % len(some)], every[row % len(every)]


def _count_by_blocks(
    mask: Mask, places: Places, size: int, row: int, every: Tensor, part: Tensor
) -> tuple[Tensor, Tensor]:
    """Keys that each query sees, and visible pairs in each block; pairs are decided where a block is in doubt."""
    T, S = places.queries.count, places.keys.count
    (of_queries, of_keys), place = (lengths(n, size) for n in (T, S)), torch.arange(size)
    blocks = every * of_queries[:, None] * of_keys
    seen = (every * of_keys).sum(1).repeat_interleave(of_queries)
    b, h = torch.tensor(row), torch.tensor(0)
    for some in part.nonzero().split(max(1, ASKED // size**2)):
        i, j = (size * some[:, 0])[:, None] + place, (size * some[:, 1])[:, None] + place
        real = (i < T)[:, :, None] & (j < S)[:, None, :]
        allowed = mask.allows(b, h, i.clamp(max=T - 1)[:, :, None], j.clamp(max=S - 1)[:, None, :], places) & real
        keys = allowed.sum(2)
        blocks[some[:, 0], some[:, 1]] = keys.sum(1)
        seen.index_add_(0, i[i < T], keys[i < T])
    return seen, blocks


def count_visited(mask: Mask, places: Places, size: int, row: int = 0) -> tuple[int, int, int]:
    """Blocks in all, those that may hold a visible pair, and the pairs in these."""
    T, S = places.queries.count, places.keys.count
    total = -(-T // size) * -(-S // size)
    if total > MOST:
        enough = 1 << math.ceil(math.log2(math.sqrt(T * S / MOST)))
        raise ValueError(
            f"at most 2^26 blocks are counted: got {total:,} of {size} × {size}; use blocks of {enough} tokens or more"
        )
    of_queries, of_keys = lengths(T, size), lengths(S, size)
    visited = pairs = 0
    for first, some, _ in _ask_blocks(mask, places, size, row):
        visited += int(some.sum())
        pairs += int(((some * of_keys).sum(1) * of_queries[first : first + len(some)]).sum())
    return total, visited, pairs


def lengths(n: int, size: int) -> Tensor:
    """Tokens in each block, the last one cut at n."""
    return (n - torch.arange(0, n, size)).clamp(max=size)


def sums(blocks: Tensor, together: int) -> Tensor:
    """Sums over squares of so many blocks."""
    for axis in (0, 1):
        blocks = torch.stack([some.sum(axis) for some in blocks.split(together, axis)], axis)
    return blocks


def _cell_levels(visible: Tensor, places: Places, cell: int) -> Tensor:
    pairs = lengths(places.queries.count, cell)[:, None] * lengths(places.keys.count, cell)
    return levels(visible, pairs)


def levels(visible: Tensor, of: Tensor) -> Tensor:
    """0 where none are visible, 1 where some are, 2 where all are."""
    return (visible > 0).long() + (visible == of).long()
