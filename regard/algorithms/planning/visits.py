"""How many pairs, or blocks of pairs, a mask leaves to compute, counted without a map of pairs."""

import functools
import math
from collections.abc import Iterator
from typing import Any

import torch

from regard.algorithms.planning.kept import recall
from regard.algorithms.planning.problem import Problem
from regard.attention import Facts, Grid, Mask, Places, Real, Sequence
from regard.attention.eager import may_keep
from regard.attention.masks.facts import BlockMap, Bound
from regard.attention.masks.visibility import index_band, on_one_line
from regard.attention.positions.sizes import Count, is_symbol, least, most, number

MOST = 1 << 26  # blocks that are counted one by one
CHUNK = 1 << 14  # of them in one go: they fit a cache, and one thread does them
CPU = torch.device("cpu")


def in_band(rows: Any, columns: Any, low: Bound, high: Bound) -> Any:
    """Number of cells (i, j) of a rows × columns table with `low ≤ j − i ≤ high`.

    >>> in_band(4, 4, None, 0), in_band(4, 4, -1, 1), in_band(2, 5, None, 3)
    (10, 10, 9)
    """
    upper = rows * columns if high is None else _up_to(rows, columns, high)
    return upper if low is None else upper - _up_to(rows, columns, low - 1)


def _up_to(n: Any, m: Any, d: Any) -> Any:
    """Cells of an n × m table with `j − i ≤ d`: Σ_i clamp(i + d + 1, 0, m)."""
    return _triangle(n + d) - _triangle(d) - _triangle(n + d - m) + _triangle(d - m)


def _triangle(x: Any) -> Any:
    if not number(x) > 0:
        return 0
    return x * (x + 1) / 2 if is_symbol(x) else x * (x + 1) // 2


def visited(problem: Problem, size: int = 1) -> Count:
    """Pairs in the blocks of `size` × `size` that may hold a visible pair, over all rows and heads.

    The last blocks count as whole ones. Exact where sizes alone decide: as many blocks as the mask's own `blocks` says.
    Otherwise an upper bound: lengths that are data count as full, other masks with tensors, and masks of places that
    are data, as hiding nothing. Where blocks cannot be counted (sizes that are symbols, a compiler at work, more than
    2^26 blocks) bands and paddings alone are seen to hide something; where pairs are counted, documents are too.
    """
    pads = [facts.real for facts in problem.facts if facts.real is not None and facts.real.lengths is not None]
    others, known = _by_sizes(problem) if _may_count(problem) else ([], [])
    blocks = None
    if others and not _is_closed(known, problem, size):
        mask = functools.reduce(Mask.__and__, others)
        extents = tuple([(-(-queries // size), -(-keys // size)) for queries, keys in _extents(problem, pads)])
        rows = problem.shape.B if any([facts.rows for facts in known]) else 1
        key = ("visits", mask.flatten()[0], problem.places.key, size, problem.shape.B, rows, extents)
        (blocks,) = recall(key, lambda: (_counted(mask, problem.places, size, problem.shape.B, rows, extents),))
    if blocks is None:
        blocks = _in_bands(problem, pads, size)
    return problem.shape.H * blocks * size * size


def _is_closed(known: list[Facts], problem: Problem, size: int) -> bool:
    """Whether the closed form of bands is exact: no last block is cut short, and documents are of pairs."""
    whole = problem.shape.T % size == 0 and problem.shape.S % size == 0
    if len([facts for facts in known if facts.documents is not None]) > (1 if size == 1 else 0):
        return False
    bands = [facts.interval or facts.documents is not None for facts in known]
    return whole and on_one_line(problem.places) and all(bands)


def _by_sizes(problem: Problem) -> tuple[list[Mask], list[Facts]]:
    """The masks but paddings that are known without a tensor, and what is known of them."""
    masks, known = [], []
    for mask, facts in zip(problem.masks, problem.facts, strict=True):
        if problem.places.is_static and facts.real is None and len(mask.flatten()[1]) == 0:
            masks.append(mask)
            known.append(facts)
    return masks, known


def _may_count(problem: Problem) -> bool:
    """Whether numbers are numbers, and tensors tensors."""
    return may_keep() and isinstance(problem.shape.T, int) and isinstance(problem.shape.S, int)


def _extents(problem: Problem, pads: list[Real]) -> list[tuple[Any, Any]]:
    """How many queries and how many keys are real: in each row, or once for all rows."""
    extents = []
    for row in range(len(pads[0].lengths or ())) if pads else range(1):
        queries, keys = problem.shape.T, problem.shape.S
        for real in pads:
            assert real.lengths is not None
            keys = least(keys, real.lengths[row])
            queries = least(queries, real.lengths[row]) if real.queries else queries
        extents.append((queries, keys))
    return extents


def _in_bands(problem: Problem, pads: list[Real], size: int) -> Count:
    """Blocks of all rows that bands and paddings leave, in closed form."""
    low, high = index_band(problem.facts, problem.places)
    # A block row r meets the block columns that the band of its first and last query meets.
    if low is not None:
        low = -((size - 1 - low) // size)
    if high is not None:
        high = (high + size - 1) // size
    extents = _extents(problem, pads)
    parts = _within_documents(problem, extents) if size == 1 else [[extent] for extent in extents]
    rows = problem.shape.B if len(parts) == 1 else 1
    cells = [(-(-queries // size), -(-keys // size)) for row in parts for queries, keys in row]
    return rows * sum([in_band(queries, keys, low, high) for queries, keys in cells])


def _within_documents(problem: Problem, extents: list[tuple[Any, Any]]) -> list[list[tuple[Any, Any]]]:
    """The extents of the documents of each row, or of all rows: those of the row itself, without known documents."""
    for facts in problem.facts:
        if facts.documents is not None and facts.documents.lengths is not None:
            rows = facts.documents.lengths
            count = max(len(rows), len(extents))
            return [_cut(rows[row % len(rows)], *extents[row % len(extents)]) for row in range(count)]
    return [[extent] for extent in extents]


def _cut(lengths: tuple[int, ...], queries: Any, keys: Any) -> list[tuple[Any, Any]]:
    """How many queries and keys of each document are among the first of a row."""
    parts, first = [], 0
    for length in lengths:
        sides = [least(length, most(side - first, 0)) for side in (queries, keys)]
        parts.append((sides[0], sides[1]))
        first += length
    return parts


def _counted(
    mask: Mask, places: Places, size: int, B: int, rows: int, extents: tuple[tuple[int, int], ...]
) -> int | None:
    """Blocks of all rows within each row's extent that the mask leaves; None where they are too many."""
    if rows * -(-places.queries.count // size) * -(-places.keys.count // size) > MOST:
        return None
    total = 0
    for first, (some, _) in ask_blocks(mask, places, size, CHUNK // rows):
        for row in range(max(rows, len(extents))):
            queries, keys = extents[row % len(extents)]
            total += int(some[row % len(some), : max(0, queries - first), :keys].sum())
    return total * B // max(rows, len(extents))


def ask_blocks(mask: Mask, places: Places, size: int, most: int) -> Iterator[tuple[int, BlockMap]]:
    """The number of the first row of blocks, and what is known of those from there on, (rows | 1, T/size, S/size).

    Where positions decide, at most so many blocks are asked at once; else all of them.
    """
    columns = -(-places.keys.count // size)
    each = max(1, most // columns)
    for first, piece in pieces(places, size, each) if mask.facts(places).positional else [(0, places)]:
        lines = -(-piece.queries.count // size)
        yield first, BlockMap(*[x[:, 0].expand(-1, lines, columns) for x in mask.blocks(piece, size, CPU)])


def pieces(places: Places, size: int, most: int) -> Iterator[tuple[int, Places]]:
    """The places of at most so many blocks of queries after the other, and the number of the first block.

    Queries on a grid are cut between rows, so that a piece may be longer.

    >>> [(first, piece.queries) for first, piece in pieces(Places(Grid(5, 2), Grid(5, 2)), size=2, most=3)]
    [(0, Grid(h=3, w=2, start=(0, 0), step=(1, 1))), (3, Grid(h=2, w=2, start=(3, 0), step=(1, 1)))]
    """
    queries = places.queries
    if isinstance(queries, Sequence):
        for first in range(0, queries.n, most * size):
            start = queries.start + queries.step * first
            yield first // size, Places(Sequence(min(most * size, queries.n - first), start, queries.step), places.keys)
        return
    together = math.lcm(queries.w, size) // queries.w  # rows after which a block ends with a row
    rows = max(together, most * size // queries.w // together * together)
    for first in range(0, queries.h, rows):
        start = (queries.start[0] + queries.step[0] * first, queries.start[1])
        piece = Grid(min(rows, queries.h - first), queries.w, start, queries.step)
        yield first * queries.w // size, Places(piece, places.keys)
