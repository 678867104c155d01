"""Counted visits and analytic blocks against brute force."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode

from regard.algorithms.catalogue import PLANNER
from regard.algorithms.kernels import flex, slabs
from regard.algorithms.planning import kept, visits
from regard.algorithms.planning.problem import Problem, pose
from regard.algorithms.planning.visits import in_band, pieces, visited
from regard.attention import (
    Attention,
    Axial,
    Blocks,
    Causal,
    Dilated,
    Documents,
    Everything,
    GlobalTokens,
    Grid,
    KeyPadding,
    Mask,
    Neighbours,
    Padding,
    Places,
    Prefix,
    SameColumn,
    SameRow,
    Sequence,
    Strided,
    Tiles,
    Window,
)
from regard.attention.masks.visibility import visible
from tests.budget import examples
from tests.strategies import (
    B,
    H,
    dense_masks,
    documents,
    grid_masks,
    joined,
    key_paddings,
    lengths,
    line_masks,
    paddings,
    prefixes,
    sequences,
)

# The type-checking hook picks the item of a list that it looks at by `random`.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")

CPU = torch.device("cpu")
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


def positions(n: int) -> st.SearchStrategy[Sequence]:
    return sequences(st.just(n), 20, st.integers(1, 3), by_row=True)


def analytic(T: int, S: int) -> st.SearchStrategy[Mask]:
    """Masks whose blocks are known exactly."""
    windows = st.builds(Window, st.integers(0, 30), st.integers(0, 30))
    masks = st.just(Causal()) | st.just(Everything()) | windows | key_paddings(S)
    if T == S:
        masks |= paddings(S) | documents(S)
    return masks | prefixes(30)


NUMBER, SIZE = st.integers(0, 9), st.integers(1, 9)


def any_mask(T: int, S: int) -> st.SearchStrategy[Mask]:
    return joined(analytic(T, S) | dense_masks(T, S) | line_masks(NUMBER, SIZE))


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


@settings(max_examples=examples(150))
@given(drawn=masked(), size=st.integers(1, 9))
def test_blocks_err_on_the_safe_side(drawn: tuple, size: int):
    mask, places, T, S = drawn
    some, every = in_blocks(every_pair(mask, places, T, S), size)
    claimed = mask.blocks(places, size, CPU)
    assert not (some & ~claimed.some).any(), "a visible pair in a block that would not be visited"
    assert not (claimed.every & ~every).any(), "a hidden pair in a block that would be computed without its mask"


@settings(max_examples=examples(150))
@given(drawn=masked(of=analytic, steps=False), size=st.integers(1, 9))
def test_blocks_of_simple_masks_are_exact(drawn: tuple, size: int):
    mask, places, T, S = drawn
    some, every = in_blocks(every_pair(mask, places, T, S), size)
    claimed = mask.blocks(places, size, CPU)
    assert torch.equal(claimed.some.expand_as(some), some)
    assert torch.equal(claimed.every.expand_as(every), every)


@settings(max_examples=examples(150))
@given(drawn=masked())
def test_a_full_mask_hides_nothing(drawn: tuple):
    mask, places, T, S = drawn
    if mask.facts(places).full:
        assert every_pair(mask, places, T, S).all()


@settings(max_examples=examples(150))
@given(drawn=masked())
def test_pairs_decided_one_by_one_are_those_of_the_slab(drawn: tuple):
    mask, places, T, S = drawn
    pairs = every_pair(mask, places, T, S)
    for b, h, i, j in ((0, 0, 0, 0), (B - 1, H - 1, T - 1, S - 1), (B - 1, 0, T // 2, S // 3)):
        one = mask.allows(*(torch.tensor(n) for n in (b, h, i, j)), places)
        assert bool(one) == bool(pairs[b, h, i, j])


@settings(max_examples=examples(150))
@given(drawn=masked())
def test_who_sees_and_who_is_seen(drawn: tuple):
    mask, places, T, S = drawn
    pairs = every_pair(mask, places, T, S)
    sees, seen = visible(mask, places, B, H, CPU)
    sees = torch.ones(1, 1, T, dtype=torch.bool) if sees is None else sees
    seen = torch.ones(1, 1, S, dtype=torch.bool) if seen is None else seen
    assert torch.equal(sees.expand(B, H, T), pairs.any(3))
    assert torch.equal(seen.expand(B, H, S), pairs.any(2))


def problem_of(attention: Attention, T: int, S: int) -> Problem:
    q, k = torch.empty(B, H, T, 1, device="meta"), torch.empty(B, H, S, 1, device="meta")
    return pose(q, k, k, attention)


@st.composite
def countable(draw: st.DrawFn) -> tuple[Attention, int, int]:
    """Masks that sizes alone decide, joined in any way, on lines and on grids of steps of their own."""
    sides = [draw(st.tuples(st.integers(1, 6), st.integers(1, 6))) for _ in range(2)]
    T, S = (h * w for h, w in sides)
    S = draw(st.sampled_from([S, T]))
    start, step = st.integers(-9, 9), st.integers(1, 2)
    if S == T and draw(st.booleans()):
        grids = [Grid(*sides[0], draw(st.tuples(start, start)), draw(st.tuples(step, step))) for _ in range(2)]
        leaves, (queries, keys) = grid_masks(NUMBER, SIZE, NUMBER), grids
    else:
        queries, keys = (draw(st.builds(Sequence, st.just(n), start, step)) for n in (T, S))
        queries = draw(st.sampled_from([queries, None]))
        leaves = line_masks(NUMBER, SIZE) | lengths(40).map(Prefix)
    leaves |= lengths(S).map(KeyPadding)
    if T == S:
        leaves |= lengths(S).map(Padding) | documents(S).filter(lambda mask: mask.rows is not None)
    mask: Mask = Everything()
    for part in draw(st.lists(leaves | joined(leaves), min_size=1, max_size=3)):
        mask = mask & part
    return Attention(mask=mask, queries=queries, keys=keys), T, S


def in_whole_blocks(mask: Mask, places: Places, T: int, S: int, size: int) -> int:
    some = mask.blocks(places, size, CPU).some.expand(B, H, -(-T // size), -(-S // size))
    return size * size * int(some.sum())


@settings(max_examples=examples(300))
@given(drawn=countable(), size=st.integers(1, 9), chunk=st.sampled_from([1, 7, 1 << 14]))
def test_visited_blocks_are_counted_exactly(drawn: tuple, size: int, chunk: int):
    attention, T, S = drawn
    problem = problem_of(attention, T, S)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(visits, "CHUNK", chunk)
        kept.forget()
        counted = visited(problem, size)
    assert counted == in_whole_blocks(attention.mask, problem.places, T, S, size)
    assert visited(problem) == int(every_pair(attention.mask, problem.places, T, S).sum())


@settings(max_examples=examples(150))
@given(drawn=countable(), size=st.integers(1, 9))
def test_what_cannot_be_counted_is_bounded(drawn: tuple, size: int):
    attention, T, S = drawn
    problem = problem_of(attention, T, S)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(visits, "MOST", 0)
        kept.forget()
        bound = visited(problem, size)
    kept.forget()
    assert bound >= in_whole_blocks(attention.mask, problem.places, T, S, size)


@settings(max_examples=examples(150))
@given(drawn=masked(), size=st.integers(1, 9))
def test_what_data_decide_is_bounded(drawn: tuple, size: int):
    mask, places, T, S = drawn
    problem = problem_of(Attention(mask=mask, queries=places.queries, keys=places.keys), T, S)
    assert visited(problem, size) >= in_whole_blocks(mask, places, T, S, size)


def test_pairs_of_bands_and_paddings_are_counted_in_closed_form(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(visits, "_counted", None)
    far = 1 << 40
    attention = Attention(mask=Causal() & Window(9) & KeyPadding([far, far]))
    assert visited(problem_of(attention, far, far)) == H * B * (10 * far - 45)
    assert (
        visited(problem_of(Attention(mask=Causal()), 1 << 30, 1 << 30), 128)
        == H * B * (1 << 22) * ((1 << 23) + 1) * 128**2
    )


def test_pairs_of_documents_are_counted_in_closed_form(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(visits, "_counted", None)
    far = 1 << 40
    cut = Documents(((far, 7), (3, far)))
    each = [2 * (far**2 + k * k) for k in (7, 3)]
    assert visited(problem_of(Attention(mask=cut), far + 7, far + 7)) == sum(each)
    triangles = [2 * (n * (n + 1) // 2) for n in (far, 7, 3, far)]
    assert visited(problem_of(Attention(mask=Causal() & cut), far + 7, far + 7)) == sum(triangles)
    bands = [2 * n for n in (2 * far - 1, 2 * 7 - 1, 2 * 3 - 1, 2 * far - 1)]
    assert visited(problem_of(Attention(mask=cut & Window(1)), far + 7, far + 7)) == sum(bands)
    padded = Attention(mask=cut & Window(1) & KeyPadding((far + 7, 2)))
    assert visited(problem_of(padded, far + 7, far + 7)) == sum(bands[:2]) + 2 * (2 * 2)


@pytest.mark.parametrize(
    ("queries", "size", "most"),
    [(Sequence(50, -3, 2), 4, 3), (Grid(7, 5, (1, -2), (2, 3)), 4, 3), (Grid(8, 4), 8, 2), (Grid(3, 8), 4, 1)],
    ids=str,
)
def test_pieces_are_the_whole(queries: Sequence | Grid, size: int, most: int):
    keys = Sequence(9) if isinstance(queries, Sequence) else Grid(3, 3)
    found = list(pieces(Places(queries, keys), size, most))
    assert [first for first, _ in found][:2] == [0, -(-found[0][1].queries.count // size)]
    positions = [piece.queries.at(0, n) for _, piece in found for n in range(piece.queries.count)]
    assert positions == [queries.at(0, n) for n in range(queries.count)]
    assert all(piece.queries.count % size == 0 for _, piece in found[:-1])


# What a mask leaves, and where: a sequence of several blocks, the last one short, or images of several blocks.
LINE = {"queries": Sequence(700, 5), "keys": Sequence(900, -3)}
SAME = {"keys": Sequence(1000)}
IMAGE = {"keys": Grid(24, 36)}
IMAGES = {"queries": Grid(24, 24, step=(2, 3)), "keys": Grid(48, 13)}
REALITY = {
    "causal": (Causal(), LINE),
    "window": (Window(100, 20), LINE),
    "dilated": (Dilated(40, 3, 2), LINE),
    "strided": (Strided(300), LINE),
    "causal window or strided": (Causal() & (Window(30) | Strided(256)), LINE),
    "blocks": (Blocks(200, shift=30), LINE),
    "causal blocks": (Causal() & Blocks(300), SAME),
    "not blocks": (~Blocks(500), LINE),
    "window or global tokens": (Window(40, 40) | GlobalTokens(3), SAME),
    "blocks of key lengths": (Blocks(256) & KeyPadding([900, 130]), LINE),
    "blocks of lengths": (Padding([999, 256]) & Blocks(256) & Causal(), SAME),
    "documents": (Documents(((300, 450, 250), (1000,))), SAME),
    "causal documents": (Causal() & Documents((300, 0, 450)), SAME),
    "window of documents": (Window(130, 20) & Documents((600, 400)), SAME),
    "prefix": (Prefix(300), LINE),
    "prefix of each row": (Prefix((300, 0)), SAME),
    "causal or lengths": (Causal() | KeyPadding([300, 1]), LINE),
    "neighbours": (Neighbours(2, 3), IMAGE),
    "tiles": (Tiles(8, 9), IMAGE),
    "shifted tiles": (Tiles(7, 7, down=4, right=4), IMAGE),
    "same row": (SameRow(), IMAGE),
    "same column": (SameColumn(), IMAGE),
    "axial": (Axial(), IMAGE),
    "tiles of two grids": (Tiles(9, 5), IMAGES),
    "same row of two grids": (SameRow(), IMAGES),
}


@pytest.mark.parametrize("name", REALITY)
def test_reality_follows_the_count(name: str):
    """On the CPU as many blocks are gathered, and on the GPU as many listed, as the plan pays for."""
    mask, positions = REALITY[name]
    attention = Attention(mask=mask, **positions)
    S = positions["keys"].count
    T = positions.get("queries", positions["keys"]).count
    problem = problem_of(attention, T, S)
    planned = visited(problem, slabs.SIZE) // slabs.SIZE**2

    gathered = 0
    maps = mask.blocks(problem.places, slabs.SIZE, CPU)
    for slab in slabs.Cut(tuple(maps)).slabs(B, H, T, S, has_bias=False):
        blocks_q, blocks_k = (index // slabs.SIZE for index in (slab.queries, slab.keys))
        for index, blocks, n in ((slab.queries, blocks_q, T), (slab.keys, blocks_k, S)):
            whole = [torch.arange(b * slabs.SIZE, min(n, (b + 1) * slabs.SIZE)) for b in blocks.unique().tolist()]
            assert torch.equal(index, torch.cat(whole))
        gathered += len(slab.rows) * len(slab.heads) * len(blocks_q.unique()) * len(blocks_k.unique())
    assert gathered == planned

    lists = flex._listed_blocks(problem, CPU)
    rows, heads = lists[0].shape[:2]
    listed = int(lists[0].sum() + lists[2].sum()) * (B // rows) * (H // heads)
    assert listed == planned
    assert flex.SIZE == slabs.SIZE

    everything = B * H * -(-T // slabs.SIZE) * -(-S // slabs.SIZE)
    assert 0 < planned < everything or name in ("axial", "strided", "same column")  # whose every block holds a pair
    shown = PLANNER.named("blockwise").cost(problem).flops
    assert shown == 2 * planned * slabs.SIZE**2 * 2  # widths of one


def test_counting_leaves_no_trace_of_fake_tensors():
    """Nothing can be counted while tensors have no numbers; what is remembered then must not be taken for the count."""
    attention = Attention(mask=Window(40, 40) | GlobalTokens(3))
    kept.forget()
    problem = problem_of(attention, 1000, 1000)
    with FakeTensorMode():
        bound = visited(problem, 128)
    assert bound == B * H * 8 * 8 * 128**2
    assert visited(problem, 128) < bound
