"""Masks by their picture: each predicate drawn, composed, and asked what it knows from sizes alone."""

import re
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from regard.attention import (
    Attention,
    Axial,
    Blocks,
    Causal,
    Content,
    Dense,
    Dilated,
    Everything,
    GlobalTokens,
    Grid,
    KeyPadding,
    Mask,
    Neighbours,
    Padding,
    Places,
    RelativeTable,
    SameColumn,
    SameRow,
    Sequence,
    Shape,
    Slopes,
    Strided,
    Tiles,
    Window,
)
from regard.attention.cache.rules import LINE
from regard.attention.masks.facts import UNKNOWN, Real
from regard.attention.reference import reference


def drawn(mask: Mask, T: int = 5, S: int = 5, **positions) -> str:
    """The first row and head of the batch, `#` where a query may attend, a line per query."""
    places = Attention(mask=mask, **positions).places(T, S)
    index = (torch.zeros(1, dtype=torch.long), torch.zeros(1, dtype=torch.long), torch.arange(T), torch.arange(S))
    allowed = mask.slab(*index, places).expand(1, 1, T, S)[0, 0]
    return " ".join("".join("#" if seen else "." for seen in row) for row in allowed.tolist())


PICTURES = {
    "everything": (Everything(), "##### ##### ##### ##### #####"),
    "causal": (Causal(), "#.... ##... ###.. ####. #####"),
    "window of one before": (Window(1), "#.... ##... .##.. ..##. ...##"),
    "window both ways": (Window(1, 2), "###.. ####. .#### ..### ...##"),
    "window of oneself": (Window(0), "#.... .#... ..#.. ...#. ....#"),
    "strided": (Strided(2), "#.#.# .#.#. #.#.# .#.#. #.#.#"),
    "blocks": (Blocks(2), "##... ##... ..##. ..##. ....#"),
    "shifted blocks": (Blocks(2, shift=1), "#.... .##.. .##.. ...## ...##"),
    "blocks shifted by a whole one": (Blocks(2, shift=4), "##... ##... ..##. ..##. ....#"),
    "dilated": (Dilated(2, 1, 1), "#.#.. .#.#. #.#.# .#.#. ..#.#"),
    "dilated backwards": (Dilated(3, 1), "#.... .#... ..#.. #..#. .#..#"),
    "global token": (GlobalTokens(1), "##### #.... #.... #.... #...."),
    "global tokens and window": (Window(1, 1) | GlobalTokens(1), "##### ###.. ####. #.### #..##"),
    "causal blocks": (Causal() & Blocks(3), "#.... ##... ###.. ...#. ...##"),
    "not blocks": (~Blocks(2), "..### ..### ##..# ##..# ####."),
    "every place": (Strided(1), "##### ##### ##### ##### #####"),
    "key padding": (KeyPadding([2]), "##... ##... ##... ##... ##..."),
    "padding": (Padding([2]), "##... ##... ..... ..... ....."),
    "no token": (Padding([0]), "..... ..... ..... ..... ....."),
    "map": (Padding(torch.tensor([[True, False, True, False, False]])), "#.#.. ..... #.#.. ..... ....."),
    "opposite map": (
        KeyPadding.from_padding_mask(torch.tensor([[True, False, False, False, True]])),
        ".###. .###. .###. .###. .###.",
    ),
    "dense": (Dense(torch.eye(5).bool()), "#.... .#... ..#.. ...#. ....#"),
    "dense with sizes of one": (Dense(torch.eye(5).bool()[None, None]), "#.... .#... ..#.. ...#. ....#"),
    "and": (Causal() & Window(1, 1), "#.... ##... .##.. ..##. ...##"),
    "or": (Window(0) | KeyPadding([1]), "#.... ##... #.#.. #..#. #...#"),
    "not": (~Causal(), ".#### ..### ...## ....# ....."),
    "not twice": (~~Causal(), "#.... ##... ###.. ####. #####"),
    "local and strided": (Causal() & (Window(1) | Strided(3)), "#.... ##... .##.. #.##. .#.##"),
    "neither": (~(Causal() | Strided(2)), ".#.#. ..#.# ...#. ....# ....."),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures(name: str):
    mask, picture = PICTURES[name]
    assert drawn(mask) == picture


def test_causal_aligns_the_last_query_with_the_last_key():
    assert drawn(Causal(), T=2, S=5) == "####. #####"
    assert drawn(Causal(), T=5, S=2) == ".. .. .. #. ##"
    assert drawn(Causal(), T=1, S=5) == "#####"


def test_positions_move_a_window():
    assert drawn(Window(1), T=2, S=5, queries=Sequence(2, start=1)) == "##... .##.."
    assert drawn(Window(2, 1), T=2, S=5, queries=Sequence(2, start=4), keys=Sequence(5, step=2)) == ".##.. ..##."
    assert drawn(Causal(), T=2, S=3, queries=Sequence(2, start=torch.tensor([1]))) == "##. ###"


PIXELS = {
    "neighbours": (Neighbours(1, 2), "..... ##### ##### ##### ....."),
    "same row": (SameRow(), "..... ..... ##### ..... ....."),
    "same column": (SameColumn(), "..#.. ..#.. ..#.. ..#.. ..#.."),
    "axial": (Axial(), "..#.. ..#.. ##### ..#.. ..#.."),
    "tiles": (Tiles(2, 3), "..... ..... ###.. ###.. ....."),
    "shifted tiles": (Tiles(2, 3, down=1, right=1), "..... ..### ..### ..... ....."),
    "axial in a tile": (Axial() & Tiles(3, 3), "..#.. ..#.. ###.. ..... ....."),
}


@pytest.mark.parametrize("name", PIXELS)
def test_what_the_middle_of_five_by_five_pixels_sees(name: str):
    mask, picture = PIXELS[name]
    row = drawn(mask, 25, 25, keys=Grid(5, 5)).split()[12]
    assert " ".join(row[5 * n : 5 * n + 5] for n in range(5)) == picture


def test_a_list_is_a_size_and_a_tensor_is_data():
    for real, lengths in (([2, 3], (2, 3)), ((2, 3), (2, 3)), (torch.tensor([2, 3]), None)):
        for mask in (KeyPadding(real), Padding(real)):
            facts = mask.facts(LINE)
            assert facts.real == Real(queries=isinstance(mask, Padding), prefix=True, lengths=lengths)
    assert KeyPadding(torch.ones(2, 3) > 0).facts(LINE).real == Real(queries=False, prefix=False, lengths=None)


FULL = [
    (Causal(), {}, 1, 5, True),
    (Causal(), {}, 2, 5, False),
    (Causal(), {"queries": Sequence(2, start=4)}, 2, 5, True),
    (Causal(), {"queries": Sequence(2, start=torch.tensor([9]))}, 2, 5, False),
    (Window(4, 4), {}, 5, 5, True),
    (Window(4, 3), {}, 5, 5, False),
    (Strided(1), {}, 5, 5, True),
    (Window(4, 4) & Everything(), {}, 5, 5, True),
    (Window(4, 4) & Causal(), {}, 5, 5, False),
    (Window(4, 4) | Causal(), {}, 5, 5, True),
    (~Causal(), {}, 5, 5, False),
    (Blocks(5), {}, 5, 5, True),
    (Blocks(5, shift=1), {}, 5, 5, False),
    (Blocks(5, shift=1), {"keys": Sequence(4, start=-1)}, 4, 4, True),
    (Blocks(50), {"queries": Sequence(5, start=torch.tensor([0]))}, 5, 5, False),
    (Dilated(1, 4, 4), {}, 5, 5, True),
    (Dilated(2, 4, 4), {}, 5, 5, False),
    (GlobalTokens(5), {}, 5, 5, True),
    (GlobalTokens(4), {}, 5, 5, False),
    (GlobalTokens(5), {}, 1, 6, False),
    (GlobalTokens(1), {"queries": Sequence(1)}, 1, 6, True),
    (Tiles(2, 3), {"keys": Grid(2, 3)}, 6, 6, True),
    (Tiles(2, 3, right=1), {"keys": Grid(2, 3)}, 6, 6, False),
    (SameRow(), {"keys": Grid(1, 6)}, 6, 6, True),
    (SameColumn(), {"keys": Grid(1, 6)}, 6, 6, False),
    (Axial(), {"keys": Grid(6, 1)}, 6, 6, True),
    (Axial(), {"keys": Grid(2, 3)}, 6, 6, False),
    (Neighbours(1, 2), {"keys": Grid(2, 3)}, 6, 6, True),
]


@pytest.mark.parametrize(("mask", "positions", "T", "S", "full"), FULL, ids=str)
def test_a_mask_knows_from_sizes_whether_it_hides_anything(mask: Mask, positions: dict, T: int, S: int, full: bool):
    assert mask.facts(Attention(mask=mask, **positions).places(T, S)).full == full
    assert not full or "." not in drawn(mask, T, S, **positions)


def test_conjuncts_are_the_parts_of_an_intersection():
    either = Causal() | Strided(2)
    mask = Causal() & (Everything() & Window(1)) & either
    assert [repr(part) for part in mask.conjuncts] == [
        "Causal()",
        "Window(before=1, after=0)",
        "(Causal() | Strided(stride=2))",
    ]


def test_a_union_is_the_masks_in_it():
    mask = Causal() & (Window(1) | (Strided(2) | Blocks(3)))
    assert [repr(part) for part in mask.disjuncts] == [repr(mask)]
    either = mask.conjuncts[1]
    names = ["Window(before=1, after=0)", "Strided(stride=2)", "Blocks(size=3, shift=0)"]
    assert [repr(part) for part in either.disjuncts] == names
    assert [repr(part) for part in Axial().disjuncts] == ["SameRow()", "SameColumn()"]


@dataclass(frozen=True, eq=False)
class OddBlocks(Blocks):
    """Blocks of which the odd queries alone see anything."""

    def allows(self, b, h, i, j, places):
        return super().allows(b, h, i, j, places) & (i % 2 == 1)


@dataclass(frozen=True, eq=False)
class Backwards(Dilated):
    """The mirror image of a dilated window."""

    def holds(self, delta):
        return super().holds(-delta)


def test_what_a_parent_knows_is_not_taken_for_known_of_a_mask_that_decides_otherwise():
    odd, mirrored = OddBlocks(3), Backwards(2, 4)
    assert drawn(odd) == "..... ###.. ..... ...## ....."
    assert drawn(mirrored) == "#.#.# .#.#. ..#.# ...#. ....#"
    for mask in (odd, mirrored):
        assert mask.facts(LINE) == UNKNOWN
        assert mask.conjuncts == mask.disjuncts == (mask,)
        some, every = mask.blocks(LINE, 1, torch.device("cpu"))
        assert some.all()
        assert not every.any()


SWIN = [(7, 3, 14, 21), (4, 2, 8, 12), (2, 1, 4, 6)]


@pytest.mark.parametrize(("size", "shift", "h", "w"), SWIN)
def test_shifted_tiles_are_the_windows_of_swin(size: int, shift: int, h: int, w: int):
    """Their construction: roll the image, cut it into windows, hide pairs of regions that the roll brought together."""
    regions = torch.zeros(h, w, dtype=torch.long)
    slices = (slice(0, -size), slice(-size, -shift), slice(-shift, None))
    for number, (down, right) in enumerate([(a, b) for a in slices for b in slices]):
        regions[down, right] = number
    window = torch.arange(h)[:, None] // size * w + torch.arange(w) // size
    # After the roll by −shift, pixel (r, c) of the rolled image is pixel (r + shift, c + shift) of the image.
    rolled = torch.stack([window, regions]).roll((shift, shift), (1, 2)).flatten(1)
    expected = (rolled[:, :, None] == rolled[:, None, :]).all(0)
    places = Places(Grid(h, w), Grid(h, w))
    index = torch.zeros(1, dtype=torch.long), torch.zeros(1, dtype=torch.long), *[torch.arange(h * w)] * 2
    ours = Tiles(size, size, down=size - shift, right=size - shift).slab(*index, places)
    assert torch.equal(ours[0, 0], expected)


def table_by_hand(table: Tensor, grid: Grid) -> Tensor:
    """The bias of every pair, 0 where the table has no entry: those must be hidden."""
    n, (high, wide) = grid.count, (size // 2 for size in table.shape[1:])
    bias = torch.zeros(table.shape[0], n, n, dtype=table.dtype)
    for i, j in [(i, j) for i in range(n) for j in range(n)]:
        down, right = (k - q for q, k in zip(divmod(i, grid.w), divmod(j, grid.w), strict=True))
        if abs(down) <= high and abs(right) <= wide:
            bias[:, i, j] = table[:, down + high, right + wide]
    return bias


@pytest.mark.parametrize("shift", [0, 4])
def test_a_table_of_the_size_of_a_tile_is_enough(shift: int):
    """(2·7 − 1)² numbers, as in Swin, on an image of any size."""
    grid, mask = Grid(9, 15), Tiles(7, 7, down=shift, right=shift)
    table = torch.randn(2, 13, 13, dtype=torch.float64)
    q, k, v = (torch.randn(1, 2, grid.count, 4, dtype=torch.float64) for _ in range(3))
    attention = Attention(Content() + RelativeTable(table), mask, keys=grid)
    attention.check(Shape(1, 2, 2, grid.count, grid.count, 4, 4))
    logits = q @ k.mT / 2 + table_by_hand(table, grid)
    index = torch.zeros(1, dtype=torch.long), torch.arange(2), *[torch.arange(grid.count)] * 2
    allowed = mask.slab(*index, attention.places(grid.count, grid.count))
    expected = torch.softmax(logits.masked_fill(~allowed, -torch.inf), -1) @ v
    torch.testing.assert_close(reference(q, k, v, attention)[0], expected)


@pytest.mark.parametrize(
    ("mask", "places", "sizes"),
    [
        (Tiles(7, 7), {"keys": Grid(20, 20)}, (13, 13)),
        (Tiles(7, 5, down=3), {"keys": Grid(20, 20)}, (13, 9)),
        (Tiles(7, 7) & SameRow(), {"keys": Grid(20, 20)}, (1, 13)),
        (SameColumn(), {"keys": Grid(4, 20)}, (7, 1)),
        (Axial(), {"keys": Grid(4, 20)}, (7, 39)),
        (Blocks(8), {"keys": Sequence(400)}, (15,)),
        (Blocks(8) & Causal(), {"keys": Sequence(400)}, (15,)),
        (Dilated(3, 2), {"keys": Sequence(400)}, (13,)),
        (Window(2) | Blocks(4), {"keys": Sequence(400)}, (7,)),
        (Window(2) | GlobalTokens(1), {"keys": Sequence(400)}, (799,)),
    ],
    ids=str,
)
def test_a_table_covers_what_the_mask_leaves(mask: Mask, places: dict, sizes: tuple[int, ...]):
    n = places["keys"].count
    shape = Shape(1, 2, 2, n, n, 4, 4)
    Attention(RelativeTable(torch.zeros(2, *sizes)), mask, **places).check(shape)
    for axis, size in enumerate(sizes):
        if size > 1:
            smaller = [size - 2 * (axis == other) for other, size in enumerate(sizes)]
            with pytest.raises(ValueError, match="table"):
                Attention(RelativeTable(torch.zeros(2, *smaller)), mask, **places).check(shape)


HUGE = 1 << 62
BAD = {
    "size must be a whole number from 1 to below 2^62: got size=0; use 1 or more": lambda: Blocks(0),
    "got size=-3": lambda: Blocks(-3),
    "got size=2.0": lambda: Blocks(2.0),  # pyright: ignore[reportArgumentType]
    "shift must be a whole number from 0 to below 2^62: got shift=-1; use 0 or more": lambda: Blocks(4, -1),
    f"got size={HUGE}": lambda: Blocks(HUGE),
    f"got shift={HUGE}": lambda: Blocks(4, HUGE),
    "step must be a whole number from 1 to below 2^62: got step=0; use 1 or more": lambda: Dilated(0, 1),
    "before must be a whole number from 0 to below 2^62: got before=-1": lambda: Dilated(2, -1),
    "after must be a whole number from 0 to below 2^62: got after=-1": lambda: Dilated(2, 1, -1),
    f"step · before must be a whole number from 0 to below 2^62: got step · before={HUGE}": lambda: Dilated(
        HUGE // 2, 2
    ),
    f"step · after must be a whole number from 0 to below 2^62: got step · after={HUGE}": lambda: Dilated(
        2, 0, HUGE // 2
    ),
    "count must be a whole number from 1 to below 2^62: got count=0; use 1 or more": lambda: GlobalTokens(0),
    "count must be a whole number from 1 to below 2^62: got count=None": lambda: GlobalTokens(None),  # pyright: ignore[reportArgumentType]
    "rows must be a whole number from 1 to below 2^62: got rows=0; use 1 or more": lambda: Tiles(0, 3),
    "columns must be a whole number from 1 to below 2^62: got columns=0": lambda: Tiles(3, 0),
    "down must be a whole number from 0 to below 2^62: got down=-2; use 0 or more": lambda: Tiles(3, 3, -2),
    "right must be a whole number from 0 to below 2^62: got right=-1": lambda: Tiles(3, 3, 0, -1),
}


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize("message", BAD)
def test_numbers_that_are_none(message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        BAD[message]()


def test_the_largest_numbers_do_not_overflow():
    far = HUGE - 1
    assert drawn(Blocks(far, shift=far - 2)) == "##... ##... ..### ..### ..###"
    assert drawn(Dilated(far, 1, 1)) == "#.... .#... ..#.. ...#. ....#"
    assert drawn(GlobalTokens(far), 1, 3) == "###"
    assert drawn(Tiles(far, 1), 4, 4, keys=Grid(2, 2)) == "#.#. .#.# #.#. .#.#"


FITS_NOT = [
    (Blocks(3), Grid(3, 4), "Blocks(size=3, shift=0) needs tokens in a line: got queries=Grid(h=3, w=4"),
    (Dilated(3, 1), Grid(3, 4), "Dilated(step=3, before=1, after=0) needs tokens in a line"),
    (GlobalTokens(3), Grid(3, 4), "GlobalTokens(count=3) needs tokens in a line: got queries=Grid(h=3, w=4"),
    (Causal() & Blocks(3), Grid(3, 4), "needs tokens in a line"),
    (SameRow(), Sequence(12), "SameRow() is for Grid positions: got queries=Sequence(n=12, start=0, step=1)"),
    (SameRow(), Sequence(12), "use Blocks for tokens in a line"),
    (SameColumn(), Sequence(12), "use Strided for tokens in a line"),
    (Axial(), Sequence(12), "use Window(…) | Strided(…) for tokens in a line"),
    (Tiles(2, 2), Sequence(12), "Tiles(rows=2, columns=2, down=0, right=0) is for Grid positions"),
    (Tiles(2, 2), Sequence(12), "use Blocks for tokens in a line"),
    (~Neighbours(1, 1) | Tiles(2, 2), Sequence(12), "use Window for tokens in a line"),
]


@pytest.mark.parametrize(("mask", "keys", "message"), FITS_NOT, ids=str)
def test_masks_of_a_grid_and_of_a_line(mask: Mask, keys: Grid | Sequence, message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        Attention(mask=mask, keys=keys).check(Shape(1, 1, 1, 12, 12, 4, 4))


def test_a_grid_and_a_line_do_not_meet():
    for mask in (Tiles(2, 2), Blocks(2)):
        with pytest.raises(ValueError, match=r"got queries=Sequence\(n=12, .*, keys=Grid\(h=3, w=4"):
            Attention(mask=mask, queries=Sequence(12), keys=Grid(3, 4)).check(Shape(1, 1, 1, 12, 12, 4, 4))


@pytest.mark.compiled
def test_no_compiler_is_shown_truths_as_bytes():
    """Triton refuses to read a truth, one bit to it, as a byte: the definition would not compile for a GPU."""
    seen: list[torch.dtype] = []

    def look(graph: torch.fx.GraphModule, inputs: list[Tensor]):
        seen.extend([node.meta["example_value"].dtype for node in graph.graph.nodes if "example_value" in node.meta])
        return graph.forward

    q, attention = torch.randn(1, 1, 3, 4), Attention(mask=Dense(torch.eye(3, dtype=torch.bool)[None, None]))
    compiled = torch.compile(lambda q: reference(q, q, q, attention)[0], backend=look, fullgraph=True)
    torch.testing.assert_close(compiled(q), q)
    assert torch.bool in seen
    assert torch.uint8 not in seen


@pytest.mark.parametrize(
    "drop", [lambda a, b: a and b, lambda a, b: a or b, lambda a, b: not a], ids=["and", "or", "not"]
)
def test_words_that_would_drop_a_mask_or_a_term_are_refused(drop):
    with pytest.raises(ValueError, match=r"got Causal\(\); use &, \| and ~"):
        drop(Causal(), KeyPadding((1,)))
    with pytest.raises(ValueError, match=r"got Content\(beta=None\); use \+"):
        drop(Content(), Slopes(torch.ones(1)))
