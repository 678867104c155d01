"""Counted visits and analytic blocks against brute force."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.algorithms.problem import pose
from regard.algorithms.visits import in_band, visited
from regard.attention import (
    Attention,
    Causal,
    Dense,
    Everything,
    KeyPadding,
    Mask,
    Padding,
    Places,
    Sequence,
    Strided,
    Window,
)
from regard.attention.visibility import visible

# The type-checking hook picks the item of a list that it looks at by `random`.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")

CPU = torch.device("cpu")
B, H = 2, 2
small = st.integers(1, 30)
bounds = st.none() | st.integers(-40, 40)


@given(rows=st.integers(0, 30), columns=st.integers(0, 30), low=bounds, high=bounds)
def test_cells_in_a_band(rows: int, columns: int, low: int | None, high: int | None):
    if low is not None and high is not None and low > high:
        low, high = high, low
    brute = sum(
        (low is None or j - i >= low) and (high is None or j - i <= high) for i in range(rows) for j in range(columns)
    )
    assert in_band(rows, columns, low, high) == brute


def positions(n: int) -> st.SearchStrategy:
    start = st.integers(-20, 20) | st.lists(st.integers(-20, 20), min_size=B, max_size=B).map(torch.tensor)
    return st.builds(Sequence, st.just(n), start, st.integers(1, 3))


def lengths(n: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, n), min_size=B, max_size=B)


def flags(*sizes: int) -> st.SearchStrategy[torch.Tensor]:
    return st.integers(0, 2**16).map(
        lambda seed: torch.rand(*sizes, generator=torch.Generator().manual_seed(seed)) < seed % 7 / 6
    )


def analytic(T: int, S: int) -> st.SearchStrategy[Mask]:
    """Masks whose blocks are known exactly."""
    windows = st.builds(Window, st.integers(0, 30), st.integers(0, 30))
    keys = lengths(S).map(KeyPadding) | lengths(S).map(torch.tensor).map(KeyPadding) | flags(B, S).map(KeyPadding)
    masks = st.just(Causal()) | st.just(Everything()) | windows | keys
    if T == S:
        masks |= lengths(S).map(Padding) | flags(B, S).map(Padding)
    return masks


def any_mask(T: int, S: int) -> st.SearchStrategy[Mask]:
    dense = flags(T, S).map(Dense) | flags(H, T, S).map(Dense) | flags(B, 1, T, S).map(Dense)
    leaves = analytic(T, S) | dense | st.integers(1, 9).map(Strided)
    pairs = (lambda pair: pair[0] & pair[1], lambda pair: pair[0] | pair[1], lambda pair: ~pair[0])
    return st.recursive(leaves, lambda m: st.tuples(m, m, st.sampled_from(pairs)).map(lambda x: x[2](x)), max_leaves=4)


@st.composite
def masked(draw: st.DrawFn, of=any_mask, steps: bool = True) -> tuple[Mask, Places, int, int]:
    T = draw(small)
    S = draw(st.just(T) | small)
    queries, keys = draw(positions(T)), draw(positions(S))
    if not steps:
        queries, keys = Sequence(T, queries.start), Sequence(S, keys.start)
    return draw(of(T, S)), Places(queries, keys), T, S


def every_pair(mask: Mask, places: Places, T: int, S: int) -> torch.Tensor:
    index = (torch.arange(n) for n in (B, H, T, S))
    return mask.slab(*index, places).expand(B, H, T, S)


def in_blocks(pairs: torch.Tensor, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """By brute force: does a block hold an allowed pair, and are all of its pairs allowed?"""
    rows = pairs.split(size, 2)
    cells = [row.split(size, 3) for row in rows]
    some = [torch.stack([block.flatten(2).any(2) for block in row], 2) for row in cells]
    every = [torch.stack([block.flatten(2).all(2) for block in row], 2) for row in cells]
    return torch.stack(some, 2), torch.stack(every, 2)


@settings(max_examples=150)
@given(drawn=masked(), size=st.integers(1, 9))
def test_blocks_err_on_the_safe_side(drawn: tuple, size: int):
    mask, places, T, S = drawn
    some, every = in_blocks(every_pair(mask, places, T, S), size)
    claimed = mask.blocks(places, size, CPU)
    assert not (some & ~claimed.some).any(), "a visible pair in a block that would not be visited"
    assert not (claimed.every & ~every).any(), "a hidden pair in a block that would be computed without its mask"


@settings(max_examples=150)
@given(drawn=masked(of=analytic, steps=False), size=st.integers(1, 9))
def test_blocks_of_simple_masks_are_exact(drawn: tuple, size: int):
    mask, places, T, S = drawn
    some, every = in_blocks(every_pair(mask, places, T, S), size)
    claimed = mask.blocks(places, size, CPU)
    assert torch.equal(claimed.some.expand_as(some), some)
    assert torch.equal(claimed.every.expand_as(every), every)


@settings(max_examples=150)
@given(drawn=masked())
def test_a_full_mask_hides_nothing(drawn: tuple):
    mask, places, T, S = drawn
    if mask.is_full(places):
        assert every_pair(mask, places, T, S).all()


@settings(max_examples=150)
@given(drawn=masked())
def test_pairs_decided_one_by_one_are_those_of_the_slab(drawn: tuple):
    mask, places, T, S = drawn
    pairs = every_pair(mask, places, T, S)
    for b, h, i, j in ((0, 0, 0, 0), (B - 1, H - 1, T - 1, S - 1), (B - 1, 0, T // 2, S // 3)):
        one = mask.allows(*(torch.tensor(n) for n in (b, h, i, j)), places)
        assert bool(one) == bool(pairs[b, h, i, j])


@settings(max_examples=150)
@given(drawn=masked())
def test_who_sees_and_who_is_seen(drawn: tuple):
    mask, places, T, S = drawn
    pairs = every_pair(mask, places, T, S)
    sees, seen = visible(mask, places, B, H, CPU)
    sees = torch.ones(1, 1, T, dtype=torch.bool) if sees is None else sees
    seen = torch.ones(1, 1, S, dtype=torch.bool) if seen is None else seen
    assert torch.equal(sees.expand(B, H, T), pairs.any(3))
    assert torch.equal(seen.expand(B, H, S), pairs.any(2))


@st.composite
def countable(draw: st.DrawFn) -> tuple[Attention, int, int]:
    """Conjunctions of causal, window and padding with lengths as sizes."""
    T = draw(small)
    S = draw(st.just(T) | small)
    simple = [st.just(Causal()), st.builds(Window, st.integers(0, 12), st.integers(0, 12)), lengths(S).map(KeyPadding)]
    if T == S:
        simple.append(lengths(S).map(Padding))
    mask: Mask = Everything()
    for part in draw(st.lists(st.one_of(simple), min_size=1, max_size=3)):
        mask = mask & part
    step = draw(st.integers(1, 2))
    queries = draw(st.none() | st.builds(Sequence, st.just(T), st.integers(-9, 9), st.just(step)))
    return Attention(mask=mask, queries=queries, keys=Sequence(S, draw(st.integers(-9, 9)), step)), T, S


@settings(max_examples=150)
@given(drawn=countable(), size=st.integers(1, 9))
def test_visited_pairs_are_counted_exactly(drawn: tuple, size: int):
    attention, T, S = drawn
    q, k = torch.empty(B, H, T, 1, device="meta"), torch.empty(B, H, S, 1, device="meta")
    problem = pose(q, k, k, attention)
    pairs = every_pair(attention.mask, problem.places, T, S)
    assert visited(problem) == int(pairs.sum())
    some = attention.mask.blocks(problem.places, size, CPU).some.expand(B, H, -(-T // size), -(-S // size))
    visits = size * size * int(some.sum())
    # The last block is counted as whole, so where one is cut short the count is an upper bound.
    assert visited(problem, size) == visits if T % size == S % size == 0 else visited(problem, size) >= visits
