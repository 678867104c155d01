"""Taking tokens apart by cells, cutting bands into blocks, merging unions: each step undone, each mistake noticed."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard import attend, plan
from regard.algorithms import Refused
from regard.algorithms.composite import cells as partitioned
from regard.algorithms.composite import folding
from regard.algorithms.composite import union as merged
from regard.algorithms.content import banded
from regard.attention import (
    Attention,
    Axial,
    Blocks,
    Causal,
    Content,
    Dilated,
    Everything,
    GlobalTokens,
    Grid,
    KeyPadding,
    Mask,
    Padding,
    Places,
    Positions,
    SameColumn,
    SameRow,
    Sequence,
    Strided,
    Tiles,
    Window,
)
from regard.attention.reference import reference
from tests.strategies import grids, sequences

IN_LINE = st.one_of(
    st.builds(Blocks, st.integers(1, 9), st.integers(0, 9)),
    st.builds(Strided, st.integers(1, 9)),
    st.tuples(st.integers(1, 4), st.integers(1, 7)).map(lambda sizes: Strided(sizes[0]) & Blocks(sizes[1])),
)
ON_GRID = st.one_of(
    st.builds(Tiles, st.integers(1, 5), st.integers(1, 5), st.integers(0, 5), st.integers(0, 5)),
    st.just(SameRow()),
    st.just(SameColumn()),
    st.builds(lambda tiles: tiles & SameColumn(), st.builds(Tiles, st.integers(1, 3), st.integers(1, 3))),
)


LINES = sequences(st.integers(1, 20), 9, st.integers(1, 3))
GRIDS = grids(st.integers(1, 6), 4, st.integers(1, 3))


def folds() -> st.SearchStrategy[tuple[Mask, Places]]:
    on_lines = st.tuples(IN_LINE, st.builds(Places, LINES, LINES))
    return on_lines | st.tuples(ON_GRID, st.builds(Places, GRIDS, GRIDS))


def folded(mask: Mask, places: Places) -> folding.Folded:
    return folding.fold(tuple(part.facts(places).cells for part in mask.conjuncts), places)


def full_map(mask: Mask, places: Places) -> torch.Tensor:
    T, S = places.queries.count, places.keys.count
    b, h, i, j = (torch.arange(n) for n in (1, 1, T, S))
    return mask.slab(b, h, i, j, places).expand(1, 1, T, S)[0, 0]


@given(folds())
def test_cells_hold_exactly_the_visible_pairs(drawn: tuple[Mask, Places]):
    """Every visible pair stands in one cell, no other pair in any, and offsets inside a cell are what they were."""
    mask, places = drawn
    found = torch.zeros(places.queries.count, places.keys.count, dtype=torch.int64)
    for kind in folded(mask, places).kinds:
        inner = Places.of_key(kind.key)
        for i, j in zip(kind.queries.index, kind.keys.index, strict=True):
            found[i[:, None], j] += 1
            outside = places.offsets(0, i[:, None], j, mask)
            within = inner.offsets(0, torch.arange(len(i))[:, None], torch.arange(len(j)), mask)
            assert all(torch.equal(a + 0 * b, b + 0 * a) for a, b in zip(outside, within, strict=True))
    assert torch.equal(found, full_map(mask, places).long())


@given(folds(), st.integers(1, 3), st.integers(1, 2))
def test_what_is_taken_apart_is_put_together_again(drawn: tuple[Mask, Places], B: int, H: int):
    mask, places = drawn
    T = places.queries.count
    x = torch.randn(B, H, T, 3)
    cells = folded(mask, places)
    parts = [folding.take(kind.queries, x) for kind in cells.kinds]
    whole = folding.put_all(cells, parts, B, H, T, x, 7.0)
    seen = full_map(mask, places).any(1)
    assert torch.equal(whole, torch.where(seen[:, None], x, torch.tensor(7.0)))


def test_cells_that_fill_the_tokens_need_no_index():
    """A view and one copy, which a GPU does at the speed of its memory."""
    for mask, keys in (
        (Blocks(8), Sequence(64)),
        (Strided(8), Sequence(64)),
        (Tiles(4, 2), Grid(8, 8)),
        (SameColumn(), Grid(8, 8)),
    ):
        cells = folded(mask, Places(keys, keys))
        (kind,) = cells.kinds
        assert kind.queries.view is not None
        assert kind.keys.view is not None
        assert cells.order is None


def tensors(N: int = 96, dtype: torch.dtype = torch.float64) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(2, 2, N, 8, generator=generator, dtype=dtype) for _ in range(3)]


PATTERNS: list[tuple[str, Mask, Positions | None]] = [
    ("banded", Causal() & Window(5), None),
    ("banded", Window(40, 3), None),
    ("partitioned", Tiles(3, 5, 1, 2), Grid(8, 12)),
    ("partitioned", Causal() & Dilated(5, 4), None),
    ("partitioned", Blocks(10) & Padding([96, 33]) & Causal(), None),
    ("merged", Axial(), Grid(8, 12)),
    ("merged", Causal() & (Window(3) | Strided(7)), None),
    ("merged", (Window(2, 2) | GlobalTokens(3) | Strided(11)) & KeyPadding([96, 50]), None),
]


def off_by(name: str, mask: Mask, keys: Positions | None) -> float:
    q, k, v = tensors()
    attention = Attention(mask=mask, keys=keys)
    exact = reference(q, k, v, attention)[0]
    return float((attend(q, k, v, attention, algorithm=name) - exact).abs().max())


@pytest.mark.parametrize(("name", "mask", "keys"), PATTERNS, ids=str)
def test_each_pattern_by_its_algorithm(name: str, mask: Mask, keys: Positions | None):
    assert off_by(name, mask, keys) < 1e-12


MISTAKES = {
    "cells put back in the order they were taken": (
        folding,
        "put",
        lambda side, part, B: part.unflatten(0, (B, -1)).transpose(1, 2).flatten(2, 3),
        ("partitioned", Strided(8), None),
    ),
    "parts of a union that overlap": (
        merged,
        "split",
        lambda masks: [part & Causal() for part in (Window(3), Strided(7))],
        PATTERNS[6],
    ),
    "a band one key too narrow": (
        banded,
        "_bias",
        lambda found, q: banded._made_bias(found, q.dtype, q.device).roll(1, -1),
        PATTERNS[0],
    ),
    "the masks beside the cells forgotten": (
        partitioned,
        "_inside",
        lambda problem, kind, device, inside=partitioned._inside: replace(
            inside(problem, kind, device), mask=Everything()
        ),
        PATTERNS[3],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_noticed(mistake: str, monkeypatch: pytest.MonkeyPatch):
    module, function, broken, pattern = MISTAKES[mistake]
    assert off_by(*pattern) < 1e-12
    monkeypatch.setattr(module, function, broken)
    assert off_by(*pattern) > 1e-3


def test_reality_follows_the_count():
    """Never dense where a way by cells exists: the plan's FLOPs are those of the cells, far below the square."""
    with torch.device("meta"):
        q = k = v = torch.empty(1, 1, 4096, 64)
    square = 2 * 4096**2 * 128
    for mask, keys, pairs in (
        (Tiles(8, 8), Grid(64, 64), 64 * 4096),
        (SameColumn(), Grid(64, 64), 64 * 4096),
        (Strided(64), None, 64 * 4096),
        (Blocks(256), None, 256 * 4096),
    ):
        chosen = plan(q, k, v, Attention(mask=mask, keys=keys), device="cpu")
        (candidate,) = [candidate for candidate in chosen.candidates if candidate.name == chosen.chosen]
        assert candidate.cost is not None
        assert (chosen.chosen, candidate.cost.flops) == ("partitioned", 2 * pairs * 128)
        assert candidate.cost.flops < square / 10


@pytest.mark.parametrize(
    ("name", "attention", "reason"),
    [
        ("banded", Attention(mask=Causal()), "an end on either side"),
        ("banded", Attention(mask=Window(3) & KeyPadding([9, 4])), "an end on either side"),
        ("partitioned", Attention(mask=Window(3)), "needs a mask of cells"),
        ("partitioned", Attention(mask=Blocks(4) & ~Blocks(6)), "masks of offsets and paddings: not Not"),
        ("partitioned", Attention(mask=Blocks(4), queries=Sequence(96, torch.tensor([0, 5]))), "same in every row"),
        ("merged", Attention(mask=Window(3)), "needs exactly one union"),
    ],
    ids=str,
)
def test_refusals_say_why(name: str, attention: Attention, reason: str):
    q, k, v = tensors()
    with pytest.raises(Refused, match=f"algorithm '{name}' refuses: .*{reason.replace('(', '.').replace(')', '.')}"):
        attend(q, k, v, attention, algorithm=name)


def test_padding_of_queries_that_stand_elsewhere_is_refused():
    q, k, v = tensors()
    attention = Attention(Content(), Blocks(4) & Padding([96, 50]), None, Sequence(96, start=3), None)
    with pytest.raises(Refused, match="takes Padding where queries and keys stand at the same places"):
        attend(q, k, v, attention, algorithm="partitioned")


def test_a_plan_numbers_no_more_tokens_than_memory_holds():
    """A sequence too long to list its cells is planned at once, by another algorithm."""
    x = torch.empty(1, 1, partitioned.LONGEST + 1, 8, device="meta")
    made = plan(x, x, x, Attention(mask=Blocks(128)))
    (candidate,) = [candidate for candidate in made.candidates if candidate.name == "partitioned"]
    assert candidate.refusal == "numbers the tokens of every cell: takes at most 16,777,216"
    assert made.chosen == "blockwise"
