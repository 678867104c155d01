"""Masks against definitions written a second time, pair by pair in plain Python, and what they know of themselves."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from regard.attention import (
    Axial,
    Blocks,
    Causal,
    Dilated,
    Everything,
    GlobalTokens,
    Grid,
    Mask,
    Neighbours,
    Places,
    SameColumn,
    SameRow,
    Sequence,
    Strided,
    Tiles,
    Window,
)
from tests.budget import examples
from tests.strategies import B, grids, sequences

# The type-checking hook picks the item of a list that it looks at by `random`.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")

CPU = torch.device("cpu")


def start_of(position: int, size: int, shift: int) -> int:
    """Where the block begins that holds a position: one goes back to the nearest edge."""
    while (position + shift) % size:
        position -= 1
    return position


Pixel = tuple[int, int]


class Pattern(NamedTuple):
    """A mask, and whether the key at one position may be seen from another, as one would tell a child."""

    mask: Mask
    sees: Callable[[Any, Any], bool]


def blocks(size: int, shift: int) -> Pattern:
    return Pattern(Blocks(size, shift), lambda q, k: 0 <= k - start_of(q, size, shift) < size)


def dilated(step: int, before: int, after: int) -> Pattern:
    return Pattern(Dilated(step, before, after), lambda q, k: k in [q + step * n for n in range(-before, after + 1)])


def global_tokens(count: int) -> Pattern:
    return Pattern(GlobalTokens(count), lambda q, k: min(q, k) < count)


def window(before: int, after: int) -> Pattern:
    return Pattern(Window(before, after), lambda q, k: k in range(q - before, q + after + 1))


def strided(stride: int) -> Pattern:
    return Pattern(Strided(stride), lambda q, k: abs(q - k) in range(0, 10_000, stride))


def neighbours(rows: int, columns: int) -> Pattern:
    return Pattern(
        Neighbours(rows, columns), lambda q, k: math.dist(q[:1], k[:1]) <= rows and math.dist(q[1:], k[1:]) <= columns
    )


def tiles(rows: int, columns: int, down: int, right: int) -> Pattern:
    def sees(q: Pixel, k: Pixel) -> bool:
        top, left = start_of(q[0], rows, down), start_of(q[1], columns, right)
        return top <= k[0] < top + rows and left <= k[1] < left + columns

    return Pattern(Tiles(rows, columns, down, right), sees)


few, some = st.integers(0, 7), st.integers(1, 7)
LINE = st.one_of(
    st.just(Pattern(Causal(), lambda q, k: k <= q)),
    st.builds(window, few, few),
    st.builds(strided, some),
    st.builds(blocks, some, st.integers(0, 20)),
    st.builds(dilated, some, few, few),
    st.builds(global_tokens, some),
)
GRID = st.one_of(
    st.builds(neighbours, few, few),
    st.builds(tiles, some, some, st.integers(0, 9), st.integers(0, 9)),
    st.just(Pattern(SameRow(), lambda q, k: q[0] == k[0])),
    st.just(Pattern(SameColumn(), lambda q, k: q[1] == k[1])),
    st.just(Pattern(Axial(), lambda q, k: q[0] == k[0] or q[1] == k[1])),
)
ANYWHERE = st.just(Pattern(Everything(), lambda q, k: True))


def composed(single: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
    def pairs(inner: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
        return st.one_of(
            st.builds(lambda a, b: Pattern(a.mask & b.mask, lambda q, k: a.sees(q, k) and b.sees(q, k)), inner, inner),
            st.builds(lambda a, b: Pattern(a.mask | b.mask, lambda q, k: a.sees(q, k) or b.sees(q, k)), inner, inner),
            st.builds(lambda a: Pattern(~a.mask, lambda q, k: not a.sees(q, k)), inner),
        )

    return st.recursive(single | ANYWHERE, pairs, max_leaves=4)


def lines(steps: int, by_row: bool) -> st.SearchStrategy[Sequence]:
    return sequences(st.integers(1, 14), 20, st.integers(1, steps), by_row=by_row)


def planes(steps: int) -> st.SearchStrategy[Grid]:
    return grids(st.integers(1, 5), 9, st.integers(1, steps))


def placed(line: st.SearchStrategy[Pattern], grid: st.SearchStrategy[Pattern], steps: int, by_row: bool = True):
    """Patterns with places that they are for; queries and keys stand on lines, or grids, of their own."""
    on_lines = st.builds(Places, lines(steps, by_row), lines(steps, by_row))
    return st.tuples(line, on_lines) | st.tuples(grid, st.builds(Places, planes(steps), planes(steps)))


def position(side: Any, row: int, token: int) -> Any:
    """Where a token stands, by the definition of `Sequence` and `Grid`."""
    if isinstance(side, Grid):
        return tuple(s + t * n for s, t, n in zip(side.start, side.step, divmod(token, side.w), strict=True))
    start = side.start[row].item() if isinstance(side.start, Tensor) else side.start
    return start + side.step * token


def truth(pattern: Pattern, places: Places) -> Tensor:
    """Every pair decided one by one, (B, 1, T, S)."""
    return torch.tensor(
        [
            [
                [
                    [pattern.sees(position(places.queries, b, i), position(places.keys, b, j)) for j in range(keys)]
                    for i in range(places.queries.count)
                ]
            ]
            for b in range(B)
            for keys in [places.keys.count]
        ]
    )


def slab(mask: Mask, places: Places) -> Tensor:
    index = (torch.arange(n) for n in (B, 1, places.queries.count, places.keys.count))
    return mask.slab(*index, places).expand(B, 1, places.queries.count, places.keys.count)


def in_blocks(pairs: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """By brute force: does a block hold a visible pair, and are all of its pairs visible?"""
    cells = [[block.flatten(2) for block in row.split(size, 3)] for row in pairs.split(size, 2)]
    some = [torch.stack([block.any(2) for block in row], 2) for row in cells]
    every = [torch.stack([block.all(2) for block in row], 2) for row in cells]
    return torch.stack(some, 2), torch.stack(every, 2)


@settings(max_examples=examples(300))
@given(drawn=placed(composed(LINE), composed(GRID), steps=3))
def test_every_pair_is_decided_as_by_hand(drawn: tuple[Pattern, Places]):
    pattern, places = drawn
    assert torch.equal(slab(pattern.mask, places), truth(pattern, places))


@given(drawn=placed(composed(LINE), composed(GRID), steps=3, by_row=False))
def test_a_pair_of_plain_numbers_gives_a_plain_answer(drawn: tuple[Pattern, Places]):
    pattern, places = drawn
    i, j = places.queries.count - 1, places.keys.count // 2
    seen = pattern.sees(position(places.queries, 0, i), position(places.keys, 0, j))
    assert pattern.mask.allows(0, 0, i, j, places) is seen


@settings(max_examples=examples(300))
@given(drawn=placed(composed(LINE), composed(GRID), steps=3), size=st.integers(1, 9))
def test_blocks_err_on_the_safe_side(drawn: tuple[Pattern, Places], size: int):
    pattern, places = drawn
    some, every = in_blocks(truth(pattern, places), size)
    claimed = pattern.mask.blocks(places, size, CPU)
    assert not (some & ~claimed.some).any(), "a visible pair in a block that would not be visited"
    assert not (claimed.every & ~every).any(), "a hidden pair in a block that would be computed without its mask"


@settings(max_examples=examples(300))
@given(drawn=placed(LINE, GRID, steps=1), size=st.integers(1, 9))
def test_blocks_of_one_pattern_are_exact_where_no_place_is_skipped(drawn: tuple[Pattern, Places], size: int):
    pattern, places = drawn
    some, every = in_blocks(truth(pattern, places), size)
    claimed = pattern.mask.blocks(places, size, CPU)
    assert torch.equal(claimed.some.expand_as(some), some)
    assert torch.equal(claimed.every.expand_as(every), every)


INEXACT = {
    "keys that the steps leave out": (Window(0), Sequence(4), Sequence(4, start=-1, step=5)),
    "blocks that the steps leave out": (Blocks(1), Sequence(2, step=2), Sequence(2, start=1, step=2)),
    "each of two in the block, never both": (Window(2) & Strided(4), Sequence(2, start=3), Sequence(2)),
    "one of two everywhere, neither alone": (Causal() | ~Causal(), Sequence(4), Sequence(4)),
}


@pytest.mark.parametrize("name", INEXACT)
def test_where_blocks_are_not_exact(name: str):
    """A block is judged by the ends of its runs: steps in between, and masks that are joined, may leave it in doubt."""
    mask, queries, keys = INEXACT[name]
    places = Places(queries, keys)
    some, every = in_blocks(slab(mask, places), 4)
    claimed = mask.blocks(places, 4, CPU)
    assert claimed.some.any()
    assert not claimed.every.any()
    assert not some.any() or every.all()


@settings(max_examples=examples(300))
@given(drawn=placed(composed(LINE), composed(GRID), steps=3))
def test_offsets_lie_within_the_bounds(drawn: tuple[Pattern, Places]):
    pattern, places = drawn
    b, _, i, j = slab(pattern.mask, places).nonzero().unbind(1)
    for axis, offset in enumerate(places.offsets(b, i, j, pattern)):
        low, high = pattern.mask.facts(places).band[axis]
        assert low is None or (offset >= low).all()
        assert high is None or (offset <= high).all()


@pytest.mark.parametrize(
    ("mask", "bounds"),
    [
        (Causal(), [(None, 0)]),
        (Window(3, 5), [(-3, 5)]),
        (Strided(3), [(None, None)]),
        (Blocks(4, 2), [(-3, 3)]),
        (Dilated(3, 2, 4), [(-6, 12)]),
        (Dilated(3, 2), [(-6, 0)]),
        (GlobalTokens(2), [(None, None)]),
        (Causal() & Blocks(4), [(-3, 0)]),
        (Window(2) | Window(0, 5), [(-2, 5)]),
        (Window(2) | Strided(2), [(None, None)]),
        (~Window(2), [(None, None)]),
        (Everything(), [(None, None)]),
        (Neighbours(1, 2), [(-1, 1), (-2, 2)]),
        (Tiles(3, 5), [(-2, 2), (-4, 4)]),
        (SameRow(), [(0, 0), (None, None)]),
        (SameColumn(), [(None, None), (0, 0)]),
        (Axial(), [(None, None), (None, None)]),
        (SameRow() & Tiles(3, 5), [(0, 0), (-4, 4)]),
    ],
    ids=str,
)
def test_bounds_are_attained(mask: Mask, bounds: list):
    places = Places(Sequence(30), Sequence(30)) if len(bounds) == 1 else Places(Grid(9, 9), Grid(9, 9))
    assert list(mask.facts(places).band[: len(bounds)]) == bounds
    b, _, i, j = slab(mask, places).nonzero().unbind(1)
    for (low, high), offset in zip(bounds, places.offsets(b, i, j, mask), strict=True):
        assert int(offset.min()) == (low if low is not None else offset.min())
        assert int(offset.max()) == (high if high is not None else offset.max())


def cells(mask: Mask, places: Places, row: int, side: Any, token: int) -> list[int]:
    """The numbers of the cell in which a token stands, along each axis; none where the mask is no mask of cells."""
    numbers = position(side, row, token)
    numbers = numbers if isinstance(numbers, tuple) else (numbers,)
    known = mask.facts(places).cells
    return [cell.number(n) for cell, n in zip(known, numbers, strict=True)] if known else []


@settings(max_examples=examples(200))
@given(drawn=placed(composed(LINE), composed(GRID), steps=3))
def test_tokens_of_one_cell_see_each_other_and_no_others(drawn: tuple[Pattern, Places]):
    pattern, places = drawn
    if not pattern.mask.facts(places).cells:
        return
    seen = truth(pattern, places)
    for b, i, j in [(b, i, j) for b in range(B) for i in range(seen.shape[2]) for j in range(seen.shape[3])]:
        mine, other = (cells(pattern.mask, places, b, side, n) for side, n in ((places.queries, i), (places.keys, j)))
        assert (mine == other) == bool(seen[b, 0, i, j])


@settings(max_examples=examples(200))
@given(drawn=placed(composed(LINE), composed(GRID), steps=3, by_row=False), by=st.tuples(st.integers(-9, 9), some))
def test_a_relative_mask_may_be_moved(drawn: tuple[Pattern, Places], by: tuple[int, int]):
    pattern, places = drawn

    def moved(side: Any) -> Any:
        if isinstance(side, Grid):
            return Grid(side.h, side.w, (side.start[0] + by[0], side.start[1] + by[1]), side.step)
        return Sequence(side.n, side.start + by[0], side.step)

    facts = pattern.mask.facts(places)
    if facts.relative:
        assert facts.positional
        there = Places(moved(places.queries), moved(places.keys))
        assert torch.equal(slab(pattern.mask, places), slab(pattern.mask, there))


def test_which_masks_are_relative():
    line, grid = Places(Sequence(9), Sequence(9)), Places(Grid(3, 3), Grid(3, 3))
    relative = {line: [Causal(), Window(3), Strided(2), Dilated(2, 3)]}
    relative[grid] = [Neighbours(1, 1), SameRow(), SameColumn(), Axial()]
    fixed = {line: [Blocks(3), GlobalTokens(1)], grid: [Tiles(2, 2)]}
    for places, masks in relative.items():
        assert all(mask.facts(places).relative and (~mask).facts(places).relative for mask in masks)
    for places, masks in fixed.items():
        for mask in masks:
            assert not mask.facts(places).relative
            assert not (mask & relative[places][0]).facts(places).relative
            for part in (mask, ~mask, mask | relative[places][0]):
                assert part.facts(places).positional


@settings(max_examples=examples(200))
@given(drawn=placed(composed(LINE), st.nothing(), steps=3, by_row=False), first=st.integers(0, 13))
def test_a_piece_is_masked_as_the_whole_is(drawn: tuple[Pattern, Places], first: int):
    """For a mask of positions a later query is what it was: a cache counts on it."""
    pattern, places = drawn
    queries = places.queries
    if pattern.mask.facts(places).positional and first < queries.count:
        piece = Places(Sequence(queries.count - first, position(queries, 0, first), queries.step), places.keys)
        assert torch.equal(slab(pattern.mask, piece), slab(pattern.mask, places)[:, :, first:])


@settings(max_examples=examples(300))
@given(drawn=placed(composed(LINE), composed(GRID), steps=2))
def test_what_a_mask_knows_from_sizes_is_so(drawn: tuple[Pattern, Places]):
    mask, places = drawn[0].mask, drawn[1]
    pairs = slab(mask, places)
    facts = mask.facts(places)
    assert not facts.full or pairs.all()
    assert facts.rows or torch.equal(pairs[0], pairs[1])
    assert not facts.heads
    if facts.interval:
        b, i, j = (x.flatten() for x in torch.meshgrid(*[torch.arange(n) for n in pairs[:, 0].shape], indexing="ij"))
        inside = torch.ones(len(b), dtype=torch.bool)
        for (low, high), offset in zip(facts.band, places.offsets(b, i, j, mask), strict=False):
            inside &= (offset >= (-1000 if low is None else low)) & (offset <= (1000 if high is None else high))
        assert torch.equal(inside.view_as(pairs), pairs)
    every = torch.ones_like(pairs)
    assert torch.equal(math.prod([slab(part, places) for part in mask.conjuncts], start=every), pairs)
    assert torch.equal(sum([slab(part, places) for part in mask.disjuncts], start=~every), pairs)


@settings(max_examples=examples(300))
@given(drawn=placed(LINE, GRID, steps=1, by_row=False))
def test_one_pattern_knows_exactly_when_it_hides_nothing(drawn: tuple[Pattern, Places]):
    pattern, places = drawn
    assert pattern.mask.facts(places).full == bool(truth(pattern, places).all())


@given(drawn=st.tuples(GRID, st.builds(Places, planes(3), planes(3))))
def test_rows_times_columns(drawn: tuple[Pattern, Places]):
    mask, places = drawn[0].mask, drawn[1]
    rows, columns = mask.along(0), mask.along(1)
    if rows is None or columns is None:
        assert isinstance(mask, Axial)
        return
    row, column = (slab(side, places.axis(axis, mask))[0, 0] for axis, side in enumerate((rows, columns)))
    assert torch.equal(torch.kron(row.int(), column.int()).bool(), slab(mask, places)[0, 0])
