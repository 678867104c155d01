"""Receptive fields against boolean powers of the masks' maps, and against gradients through stacks of attention."""

import json
import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from regard import Attention, attend
from regard.analysis import Chosen, reach
from regard.analysis.reach import composition
from regard.analysis.reach.composition import ByAxes, ByOffsets, ByTables, Stack, compose, grow
from regard.attention import (
    Axial,
    Blocks,
    Causal,
    Dense,
    Dilated,
    GlobalTokens,
    Grid,
    KeyPadding,
    Mask,
    Neighbours,
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
from tests.strategies import grid_masks, grids, joined, line_masks, sequences

# The type-checking hook picks the item of a list that it looks at by `random`.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")


def whole(mask: Mask, positions: Positions, row: int = 0, heads: int = 1) -> Tensor:
    """The map of all pairs, heads united."""
    N, places = positions.count, Places(positions, positions)
    seen = mask.slab(torch.tensor([row]), torch.arange(heads), torch.arange(N), torch.arange(N), places)
    return seen[(None,) * (4 - seen.ndim)].expand(1, heads, N, N)[0].any(0)


def powers(maps: list[Tensor], residual: bool) -> list[Tensor]:
    """What reaches each output after each layer: out[i, j] where token j reaches output i."""
    N = len(maps[0])
    reached, out = torch.eye(N), []
    for seen in maps:
        step = seen.float() + torch.eye(N) if residual else seen.float()
        reached = (step @ reached > 0).float()
        out.append(reached.bool())
    return out


def assert_exact(result, expected: list[Tensor]) -> None:
    assert len(result.depths) == len(expected)
    for at, exact, reached in zip(result.depths, expected, result.reached, strict=True):
        counts = exact.sum(1)
        assert (at.fewest, at.most) == (int(counts.min()), int(counts.max()))
        assert at.mean == pytest.approx(float(counts.double().mean()))
        assert torch.equal(reached, exact[result.output])
        assert at.here == int(counts[result.output])
        assert at.formula in (None, at.here)
    assert torch.equal(result.missing, ~expected[-1][result.output])


SMALL, NUMBER = st.integers(1, 7), st.integers(0, 6)
LINE = joined(line_masks(NUMBER, SMALL), max_leaves=2)
GRID = joined(grid_masks(st.integers(0, 2), SMALL, NUMBER), max_leaves=2)


@st.composite
def stacks(draw: st.DrawFn) -> tuple[list[Mask], Positions]:
    step = st.sampled_from([1, 1, 2, 3])
    masks, positions = draw(
        st.sampled_from([(LINE, sequences(st.integers(1, 26), 5, step)), (GRID, grids(SMALL, 5, step))])
    )
    return draw(st.lists(masks, min_size=1, max_size=3)), draw(positions)


@settings(max_examples=100, deadline=None)
@given(drawn=stacks(), more=st.integers(0, 3), residual=st.booleans(), place=st.floats(0, 0.999))
def test_counts_and_sets_are_those_of_boolean_powers(drawn, more: int, residual: bool, place: float):
    masks, positions = drawn
    depth, output = len(masks) + more, int(place * positions.count)
    result = reach(masks, positions, depth, residual=residual, output=output)
    maps = [whole(masks[layer % len(masks)], positions) for layer in range(depth)]
    assert_exact(result, powers(maps, residual))
    assert result.output == output


@pytest.mark.parametrize(
    ("mask", "positions", "way"),
    [
        (Causal() & Window(7), Sequence(100), ByOffsets),
        (Dilated(3, 2, 1), Sequence(100, 5, 3), ByOffsets),
        (Causal() & (Window(2) | Strided(8)), Sequence(50), ByOffsets),
        (Window(4) | Strided(8), Sequence(50), ByTables),  # at the border a jump ahead has no place to land
        (Window(3, 3) | GlobalTokens(2), Sequence(50), ByTables),
        (Axial(), Grid(6, 9), ByOffsets),
        (Neighbours(1, 2), Grid(6, 9), ByAxes),
        (Tiles(4, 4, 2, 2), Grid(6, 9), ByAxes),
        (~Window(3, 3), Sequence(50), ByTables),  # 1 ahead is 5 ahead and 4 back
    ],
    ids=str,
)
def test_each_way_is_taken_and_exact(mask: Mask, positions: Positions, way: type):
    for residual in (True, False):
        found = grow(Stack((mask,) * 4, positions, residual))
        assert isinstance(found, way)
        expected = powers([whole(mask, positions)] * 4, residual)
        for exact, count in zip(expected, found.counts(), strict=True):
            assert torch.equal(count, exact.sum(1))
        for output in (0, 17, positions.count - 1):
            assert all(map(torch.equal, found.follow(output), [exact[output] for exact in expected]))


def test_sums_of_offsets_alone_would_count_too_much():
    """Why the border must be asked: 8 ahead and 3 back is 5 ahead, but 8 tokens have no place 8 ahead of the first."""
    mask, positions = Window(4) | Strided(8), Sequence(8)
    offsets = {delta for delta in range(-7, 8) if -4 <= delta <= 0} | {8, -8}
    assert 5 in {a + b for a in offsets for b in offsets}
    assert not reach(mask, positions, 2, output=0).reached[1, 5]


@pytest.mark.parametrize("sparse", [1, 10**9])
def test_both_boolean_products(monkeypatch: pytest.MonkeyPatch, sparse: int):
    monkeypatch.setattr(composition, "SPARSE", sparse)
    for density in (0.0, 0.02, 0.5):
        table, reached = torch.rand(70, 70) < density, torch.rand(70, 70) < 0.1
        reached[3] = True
        assert torch.equal(compose(table, reached), table.float() @ reached.float() > 0)


def test_sixteen_thousand_tokens():
    result = reach(Causal() & Window(256), 16384, 12)
    assert [at.most for at in result.depths] == [1 + 256 * n for n in range(1, 13)]
    assert result.depths[11].mean == sum(1 + min(i, 256 * 12) for i in range(16384)) / 16384
    assert result.output == 8192
    pixels = reach(Neighbours(1, 1), Grid(128, 128), 100)
    assert pixels.depths[-1].fewest == 101**2
    assert pixels.depths[-1].most == 128**2


def test_layers_that_differ_and_heads_that_are_united():
    N = 30
    heads = [Window(1), Strided(7), Dense(torch.rand(N, N) < 0.05)]
    result = reach([heads, Causal() & Blocks(9), [Window(0, 2)]], N)
    united = torch.stack([whole(head, Sequence(N)) for head in heads]).any(0)
    maps = [united, whole(Causal() & Blocks(9), Sequence(N)), whole(Window(0, 2), Sequence(N))]
    assert_exact(result, powers(maps, True))
    # The order matters: the other way round is another stack.
    turned = reach([[Window(0, 2)], Causal() & Blocks(9), heads], N)
    assert [at.mean for at in turned.depths] != [at.mean for at in result.depths]


def test_chosen_keys_and_maps_of_several_heads_and_rows():
    N, H = 20, 3
    weights = torch.rand(2, H, N, N)
    index = weights.argmax(-1)
    for row in (0, 1):
        seen = torch.nn.functional.one_hot(index[row], N).any(0)
        for residual in (True, False):
            assert_exact(reach(index, N, 3, residual=residual, row=row), powers([seen] * 3, residual))
        assert_exact(reach(Dense(weights > 0.97), N, 3, row=row), powers([(weights[row] > 0.97).any(0)] * 3, True))
        padded = KeyPadding([5, 12]) & Window(2, 2)
        assert_exact(reach(padded, N, 4, row=row), powers([whole(padded, Sequence(N), row)] * 4, True))
    assert_exact(
        reach([index[0, :1], index[0]], N), powers([whole(Chosen(index[0, :1]), Sequence(N)), seen_of(index[0])], True)
    )
    starts = Sequence(N, start=torch.tensor([0, 3]))
    assert_exact(reach(Blocks(8), starts, 2, row=1), powers([whole(Blocks(8), starts, 1)] * 2, True))


def seen_of(index: Tensor) -> Tensor:
    return torch.nn.functional.one_hot(index, index.shape[1]).any(0)


class ByHead(Mask):
    """Head h sees the key h before the query."""

    def allows(self, b, h, i, j, places):
        return i - j == h

    def varies(self, places):
        return False, True


def test_a_mask_of_ones_own_that_differs_between_heads():
    result = reach(ByHead(), 12, 2, num_heads=3)
    assert_exact(result, powers([whole(ByHead(), Sequence(12), heads=3)] * 2, True))
    assert [at.most for at in result.depths] == [3, 5]


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("mask", [Causal() & Window(2), Blocks(5) & ~Window(0), Padding([7]) & Strided(2)], ids=str)
def test_gradients_flow_from_exactly_these_tokens(mask: Mask, residual: bool):
    """Values pass through layers whose weights are given: the gradient of an output is where the tokens reach it."""
    N, depth = 11, 3
    result = reach(mask, N, depth, residual=residual, output=6)
    q, k = torch.randn(2, 1, 2, N, 4).double()
    tokens = torch.randn(1, 2, N, 4).double().requires_grad_()
    x = tokens
    for layer in range(depth):
        x = attend(q, k, x, Attention(mask=mask)) + (x if residual else 0)
        (slope,) = torch.autograd.grad(x[0, 0, 6].sum(), tokens, retain_graph=True)
        assert torch.equal(slope[0].abs().sum((0, 2)) > 0, result.reached[layer])


def test_what_never_arrives_is_told_from_what_has_not_yet():
    blocks = reach(Blocks(8), 20, 3, output=10)
    assert blocks.settled == 1
    assert blocks.missing.nonzero()[:, 0].tolist() == [*range(8), *range(16, 20)]
    assert "12 tokens do not reach output 10 however many layers: 0…7 and others" in str(blocks)
    window = reach(Causal() & Window(2), 20, 3, output=19)
    assert window.settled is None
    assert "13 tokens do not reach output 19 by 3 layers: 0…12\n" in str(window)
    swin = reach([Tiles(2, 2), Tiles(2, 2)], Grid(4, 4), 6)
    assert swin.settled is None  # of different layers nothing is said
    assert "every token reaches output 10 from layer 2 on" in str(reach(Window(6, 6), 20, 3))


def test_it_prints_a_table_and_is_plain_data():
    result = reach([SameRow(), SameColumn()], Grid(4, 6))
    lines = str(result).splitlines()
    assert lines[:2] == ["SameRow() then SameColumn()", "4 × 6 pixels · with the residual connection"]
    assert lines[3].split() == ["layers", "fewest", "mean", "most", "output", "(2,", "3)", "convolution", "3", "×", "3"]
    assert [line.split() for line in lines[4:6]] == [
        ["1", "6", "6.0", "6", "6", "9"],
        ["2", "24", "24.0", "24", "24", "20"],
    ]
    assert lines[-1] == "formula for output (2, 3): h·w with h rows, w columns"
    assert "no formula is known for this stack" in str(reach(Blocks(3) | Window(1), 9, 2))
    assert "without a residual" in str(reach(Causal(), 9, 2, residual=False))
    read = json.loads(reach(Window(1, 1), 9, 2, output=4).json())
    assert read["depths"][1] == {
        "layers": 2, "fewest": 3, "mean": 39 / 9, "most": 5, "here": 5, "formula": 5, "convolution": 5
    }  # fmt: skip
    assert (read["missing"], read["missing_runs"]) == (4, [[0, 1], [7, 8]])
    assert read["formula"]["most"] == "Min(N, 2*n + 1)"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: reach(Causal(), 9), "depth must be given with one mask for all layers: got Causal() alone; use depth"),
        (lambda: reach(Causal(), 9, 0), "depth must be from 1 to 1024 layers: got depth=0; use 12"),
        (lambda: reach(Causal(), 9, 1025), "got depth=1025"),
        (lambda: reach([Causal(), Window(1)], 9, 1), "at least one layer per mask: got depth=1 for 2; leave it out"),
        (lambda: reach([], 9), "got an empty list; give Everything()"),
        (lambda: reach([Causal(), []], 9), "got an empty list in layer 2; a boolean tensor is Dense(tensor)"),
        (lambda: reach([Causal(), "causal"], 9), "got str in layer 2"),  # pyright: ignore
        (lambda: reach(torch.rand(9, 9), 9, 1), "whole numbers of shape (H, T) or (B, H, T): got float32[9, 9]; use"),
        (lambda: reach(torch.zeros(2, 8).long(), 9, 1), "each of 9 queries in 1 rows: got (2, 8); use (H, 9)"),
        (lambda: reach(torch.full((2, 9), 9), 9, 1), "chosen keys must lie in 0…8: got 9; count the tokens from 0"),
        (lambda: reach(torch.full((2, 9), -1), 9, 1), "must lie in 0…8: got -1"),
        (lambda: reach(Causal(), 9, 1, output=9), "output must be one of the 9 tokens: got output=9; use 0…8"),
        (lambda: reach(Causal(), 9, 1, output=-1), "got output=-1"),
        (lambda: reach(Causal(), 0, 1), "tokens must be at least 1: got 0; use 4096"),
        (lambda: reach(Padding([4, 5]), 9, 1, row=2), "row must be one of the 2 that the masks and positions have"),
        (lambda: reach(Padding([4, 10]), 9, 1), "lengths must lie in 0…S=9: got 10 in row 1"),
        (lambda: reach(ByHead(), 9, 1), "num_heads must be given where heads differ: got none"),
        (lambda: reach(Axial(), 9, 1), "Axial() is for Grid positions"),
        (lambda: reach(Blocks(2), Grid(3, 3), 1), "needs tokens in a line"),
        (lambda: reach(Dense(torch.ones(5, 5).bool()), 9, 1), "got (5, 5)"),
        (
            lambda: reach([Blocks(8), Window(1) | Blocks(4)], 8193),
            "all pairs of Blocks(size=8, shift=0) then (Window(before=1, after=0) | Blocks(size=4, shift=0)) must be "
            "decided, of at most 8,192 tokens: got 8,193; use fewer tokens",
        ),
    ],
)
def test_bad_input(call, message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
