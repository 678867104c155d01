"""Pictures of masks against maps made pair by pair, and what is drawn of them read back."""

import io
import json
import math
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from torch import Tensor

from regard.analysis import PatternPicture, picture
from regard.analysis.figures import _figure_class
from regard.analysis.reach import patterns, visible_pairs
from regard.analysis.reach.figures import IN_LINE, ON_GRID, draw_patterns, draw_picture
from regard.analysis.reach.patterns import CELLS, DRAWN, text
from regard.attention import (
    Axial,
    Blocks,
    Causal,
    Dense,
    Dilated,
    Everything,
    GlobalTokens,
    Grid,
    KeyPadding,
    Mask,
    Padding,
    Places,
    Sequence,
    Strided,
    Tiles,
    Window,
)
from regard.attention.notation import WORDS, parse_mask
from regard.checks import MissingExtra
from tests.budget import examples
from tests.strategies import grid_masks, grids, joined, line_masks, sequences

# The type-checking hook picks the item of a list that it looks at by `random`.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")

ROOT = Path(__file__).parents[3]


def whole(mask: Mask, places: Places, row: int = 0) -> Tensor:
    """The map of all pairs in one row of the batch."""
    T, S = places.queries.count, places.keys.count
    index = torch.tensor([row]), torch.zeros(1, dtype=torch.long), torch.arange(T), torch.arange(S)
    return mask.slab(*index, places).expand(1, 1, T, S)[0, 0]


def in_cells(pairs: Tensor, cell: int) -> list[list[int]]:
    """0, 1 or 2 where none, some or all pairs of a cell are visible."""
    return [[int(c.any()) + int(c.all()) for c in line.split(cell, 1)] for line in pairs.split(cell, 0)]


def assert_true(drawn: PatternPicture, mask: Mask, places: Places, row: int = 0) -> None:
    pairs = whole(mask, places, row)
    assert drawn.counts.visible == int(pairs.sum())
    assert drawn.counts.most == int(pairs.sum(1).max())
    assert drawn.pairs == pairs.numel()
    assert drawn.share == pytest.approx(float(pairs.float().mean()))
    if drawn.is_exact:
        assert [list(line) for line in drawn.cells] == in_cells(pairs, drawn.cell)
    some = mask.blocks(places, drawn.counts.block, torch.device("cpu")).some
    shape = tuple(-(-n // drawn.counts.block) for n in pairs.shape)
    some = some[row % len(some), 0].expand(shape)
    spread = some.repeat_interleave(drawn.counts.block, 0).repeat_interleave(drawn.counts.block, 1)
    assert (drawn.counts.blocks, drawn.counts.visited) == (math.prod(shape), int(some.sum()))
    assert drawn.counts.visited_pairs == int(spread[: pairs.shape[0], : pairs.shape[1]].sum())


NUMBER, SIZE = st.integers(0, 40), st.integers(1, 40)
LINE = line_masks(NUMBER, SIZE) | NUMBER.map(lambda length: KeyPadding([3, length]))
GRID = grid_masks(st.integers(0, 5), st.integers(1, 9), NUMBER)


@st.composite
def masked(draw: st.DrawFn) -> tuple[Mask, Places]:
    step = st.sampled_from([1, 1, 2])
    mask, sides = draw(
        st.sampled_from(
            [
                (LINE, sequences(st.integers(41, 150), 9, step)),
                (GRID, grids(st.integers(1, 12), 9, step)),
            ]
        )
    )
    return draw(joined(mask, max_leaves=2)), Places(draw(sides), draw(sides))


@settings(max_examples=examples(200))
@given(drawn=masked(), block=st.integers(1, 40), fine=st.sampled_from([1, 4, 128]))
def test_counts_and_cells_are_those_of_the_map(drawn: tuple[Mask, Places], block: int, fine: int):
    mask, places = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(visible_pairs, "ASKED", 100)  # many rounds in few pairs
        patch.setattr(visible_pairs, "CHUNK", 10)
        patch.setattr(visible_pairs, "FINE", fine)
        patch.setattr(patterns, "FINE", fine)
        found = picture(mask, places, block=block)
    assert found.is_exact
    assert_true(found, mask, places)


@settings(max_examples=examples(200))
@given(drawn=masked(), block=st.integers(1, 40))
def test_too_many_pairs_in_doubt_are_counted_in_closed_form_or_not_at_all(drawn: tuple[Mask, Places], block: int):
    mask, places = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(visible_pairs, "DOUBT", -1)
        facts = mask.facts(places)
        if not facts.cells and not (facts.relative and places.queries.step == places.keys.step):
            with pytest.raises(ValueError, match="must be decided one by one"):
                picture(mask, places, block=block)
            return
        found = picture(mask, places, block=block)
    assert_true(found, mask, places)
    true = in_cells(whole(mask, places), found.cell)
    for line, exact in zip(found.cells, true, strict=True):
        assert all(level == 1 or level == real for level, real in zip(line, exact, strict=True))


BY_ROW = [
    (Padding([9, 40]) & Causal(), Places(Sequence(40), Sequence(40))),
    (KeyPadding(torch.tensor([9, 40])) | Blocks(7), Places(Sequence(40), Sequence(40))),
    (Window(3) | GlobalTokens(2), Places(Sequence(70, torch.tensor([0, 30])), Sequence(100))),
    (Dense(torch.rand(2, 1, 90, 90) < 0.3), Places(Sequence(90), Sequence(90))),
]


@pytest.mark.parametrize(("mask", "places"), BY_ROW, ids=str)
def test_a_row_of_the_batch(mask: Mask, places: Places):
    pictures = [picture(mask, places, row=row) for row in (0, 1)]
    assert pictures[0].cells != pictures[1].cells
    for row, drawn in enumerate(pictures):
        assert_true(drawn, mask, places, row)
        assert (drawn.row, drawn.rows) == (row, 2)
        assert f"row {row} of a batch of 2" in text(drawn)


def test_sixteen_thousand_tokens_take_no_map():
    drawn = picture(Window(300, 300) | GlobalTokens(64), 16384, block=128)
    in_band = 601 * 16384 - 300 * 301
    assert drawn.counts.visible == in_band + 2 * sum(16384 - 301 - i for i in range(64))
    assert drawn.counts.most == 16384
    assert drawn.cell == 512
    assert drawn.is_exact
    assert drawn.cells[20][0] == 1
    assert drawn.cells[20][10] == 0


@pytest.mark.slow
def test_closed_forms_go_on():
    far = 1 << 22
    drawn = picture(Causal() & (Window(4) | Strided(8)), far, block=1 << 12)
    rows = [min(i, 4) + 1 + max(0, i // 8) for i in range(64)]
    assert drawn.counts.visible == sum(rows) + sum(5 + i // 8 for i in range(64, far))
    side = 2048
    image = Places(Grid(side, side), Grid(side, side))
    assert picture(Tiles(8, 16), image, block=4096).counts.visible == side * side * 128
    assert picture(Axial(), image, block=4096).counts.visible == side * side * (2 * side - 1)


def test_what_a_pixel_sees():
    places = Places(Grid(3, 4, step=(2, 2)), Grid(6, 8))
    mask = Tiles(4, 4, down=2, right=2)
    for r, c in [(0, 0), (1, 3), (2, 1)]:
        view = picture(mask, places, pixel=(r, c)).view
        assert view is not None
        row = whole(mask, places)[4 * r + c].view(6, 8)
        assert [list(line) for line in view.cells] == (2 * row.long()).tolist()
        assert (view.pixel, view.seen, view.own) == ((r, c), int(row.sum()), (2 * r, 2 * c))
    middle = picture(mask, places).view
    assert middle is not None
    assert middle.pixel == (1, 2)
    beside = picture(mask, Places(Grid(3, 4, (1, 1), (2, 2)), Grid(3, 4, step=(2, 2)))).view
    assert beside is not None
    assert beside.own is None
    large = picture(Axial(), Places(Grid(100, 70), Grid(100, 70)), pixel=(99, 0)).view
    assert large is not None
    assert (large.cell, large.own, large.seen) == (4, (24, 0), 169)
    assert large.cells[24][5] == large.cells[3][0] == 1
    assert picture(Causal(), 9).view is None


def filled(lines: list[str]) -> list[str]:
    """The rows of a drawing between its frame, half blocks taken apart."""
    inside = [line[1:-1] for line in lines if line.startswith("│")]
    halves = [["".join("#" if c in half else "." for c in line) for half in ("▀█", "▄█")] for line in inside]
    return [row for pair in halves for row in pair]


@pytest.mark.parametrize("tokens", [1, 2, 7, 32, 63, DRAWN])
def test_half_blocks_draw_every_pair(tokens: int):
    mask = Causal() & (Window(4) | Strided(8))
    drawn = picture(mask, tokens)
    lines = text(drawn, "a title").splitlines()
    pairs = whole(mask, Places(Sequence(tokens), Sequence(tokens)))
    expected = ["".join("#" if seen else "." for seen in row) for row in pairs.tolist()]
    assert filled(lines)[:tokens] == expected
    assert filled(lines)[tokens:] == ["." * tokens] * (tokens % 2)
    assert lines[0] == "a title"
    assert lines[1] == f"{tokens} queries down, {tokens} keys across"
    assert max(map(len, lines)) <= 80 - 2
    assert f"visible  {int(pairs.sum()):,} of {tokens**2:,} pairs" in lines[-2]


def test_shades_draw_cells_and_say_so():
    drawn = picture(Causal(), 100, block=32)
    lines = text(drawn).splitlines()
    assert drawn.cell == 4
    inside = [line[1:-1] for line in lines if line.startswith("│")]
    assert len(inside) == 25 <= CELLS
    for n, line in enumerate(inside):
        assert line == "██" * n + "░░" + "  " * (24 - n)
    assert "each cell is 4 × 4 pairs: █ visible, ░ in part, blank hidden" in lines
    assert lines[-2:] == [
        "visible  5,050 of 10,000 pairs, 50.5 %; a query sees at most 100 keys",
        "visited  10 of 16 blocks of 32 × 32: 6,544 pairs, 65.4 %",
    ]


def test_doubt_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(visible_pairs, "DOUBT", -1)
    assert "░ may be all hidden" in text(picture(Axial(), Places(Grid(9, 9), Grid(9, 9))))


def test_the_view_is_drawn_with_its_query():
    lines = text(picture(Tiles(2, 3), Places(Grid(4, 6), Grid(4, 6)), pixel=(1, 4))).splitlines()
    assert lines[1] == "queries on 4 × 6 pixels down, keys on 4 × 6 pixels across"
    start = lines.index("the query at row 1, column 4 (<>) sees 6 of 24 keys")
    assert lines[start + 2 : start + 6] == ["│      ██████│", "│      ██<>██│", "│            │", "│            │"]


def test_a_picture_is_plain_data():
    drawn = picture(Axial(), Places(Grid(3, 3), Grid(3, 3)))
    read = json.loads(drawn.json())
    assert read["counts"]["visible"] == 45
    assert read["share"] == pytest.approx(45 / 81)
    assert read["cells"] == [list(line) for line in drawn.cells]
    assert repr(parse_mask(read["mask"])) == "Axial()"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: picture(Causal(), 9, block=0), "block must be from 1 to 2^24: got block=0; use 16"),
        (lambda: picture(Causal(), 9, pixel=(1, 1)), "a pixel stands on a grid: got pixel=(1, 1)"),
        (lambda: picture(Axial(), Places(Grid(2, 3), Grid(2, 3)), pixel=(2, 0)), "got (2, 0) on 2 × 3 pixels"),
        (lambda: picture(Axial(), Places(Grid(2, 3), Grid(2, 3)), pixel=(0, -1)), "pixel must lie on the grid"),
        (lambda: picture(Axial(), 9), "Axial() is for Grid positions"),
        (lambda: picture(Blocks(3), Places(Grid(2, 3), Grid(2, 3))), "needs tokens in a line"),
        (lambda: picture(Padding([3]), 4, 5), "T = S: got T=4, S=5"),
        (lambda: picture(Padding([3, 9]), 5), "lengths must lie in 0…S=5: got 9 in row 1"),
        (lambda: picture(Padding([3, 4]), 5, row=2), "row must be one of the 2 that the mask and its positions have"),
        (lambda: picture(Causal(), 5, row=1), "one of the 1 that"),
        (lambda: picture(Dense(torch.ones(3, 5, 5).bool()), 5), "B=1, H=1, T=5, S=5: got (3, 5, 5)"),
        (lambda: picture(Causal(), 1 << 24), "at most 2^23 queries: got 16,777,216; use fewer"),
        (lambda: picture(Causal(), 9, 1 << 24), "at most 2^23 keys: got 16,777,216"),
        (
            lambda: picture(Causal(), 1 << 20),
            "at most 2^26 blocks are counted: got 4,294,967,296 of 16 × 16; use blocks of 128",
        ),
        (lambda: picture(Causal() | Blocks(8), 1 << 20, block=128), "at most 2^28 of them: got 1,048,576 × 1,048,576"),
        (
            lambda: picture(Axial(), Places(Grid(2048, 2048), Grid(4096, 1024)), block=9999),
            "at most 2^24 offsets are counted",
        ),
    ],
)
def test_bad_input(call, message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


def test_the_advice_on_blocks_is_enough():
    assert picture(Causal(), 1 << 20, block=128).counts.blocks == 1 << 26


def area(panel, colour: str) -> Tensor:
    """What is filled in a colour, as a map of cells: every rectangle of the path painted."""
    width, height = (round(abs(a - b)) for a, b in (panel.get_xlim(), panel.get_ylim()))
    painted = torch.zeros(height, width, dtype=torch.long)
    for patch in panel.patches:
        if isinstance(patch, PathPatch) and matplotlib.colors.to_hex(patch.get_facecolor()) == colour.lower():
            for corners in torch.tensor(patch.get_path().vertices).view(-1, 5, 2).long():
                (left, top), (right, bottom) = corners.amin(0).tolist(), corners.amax(0).tolist()
                painted[top:bottom, left:right] += 1
    return painted


@pytest.mark.parametrize(
    "mask", [Causal() & (Window(4) | Strided(8)), Blocks(7, 2), ~Dilated(3, 2), Everything()], ids=str
)
@pytest.mark.parametrize("tokens", [20, 300])
def test_rectangles_cover_each_cell_once(mask: Mask, tokens: int):
    drawn = picture(mask, tokens)
    (panel,) = draw_picture(picture(mask, tokens)).axes
    cells = torch.tensor(drawn.cells)
    assert torch.equal(area(panel, "#0072B2"), (cells == 2).long())
    assert torch.equal(area(panel, "#A9CDE3"), (cells == 1).long())
    assert panel.get_ylim() == (len(cells), 0)  # queries run downwards


def test_a_grid_has_two_panels_with_the_query_framed():
    places = Places(Grid(5, 7), Grid(5, 7))
    drawn = picture(Tiles(2, 3), places, pixel=(3, 4))
    shown, view = draw_picture(drawn, "tiles(2, 3)").axes
    assert drawn.view is not None
    assert torch.equal(2 * area(view, "#0072B2"), torch.tensor(drawn.view.cells))
    (frame,) = [patch for patch in view.patches if isinstance(patch, Rectangle)]
    assert (frame.get_x(), frame.get_y(), frame.get_width(), frame.get_height()) == (4, 3, 1, 1)
    assert "% of the pairs" in shown.get_title()
    assert view.get_title() == "the query at (3, 4) sees 6 keys"


def svg(figure: Figure) -> str:
    file = io.StringIO()
    figure.savefig(file, format="svg")
    return file.getvalue()


def words(root: ElementTree.Element) -> list[str]:
    return ["".join(found.itertext()) for found in root.iter("{http://www.w3.org/2000/svg}text")]


def strokes(root: ElementTree.Element) -> list[int]:
    """How many rectangles each path of the figure has."""
    return [path.get("d", "").count("M") for path in root.iter("{http://www.w3.org/2000/svg}path")]


def test_the_gallery_shows_every_pattern_there_is():
    texts = " ".join([*IN_LINE, *ON_GRID])
    named = {word.name for word in WORDS} - {"everything", "key_padding", "padding"}
    assert {name for name in named if re.search(rf"\b{name}\b", texts)} == named
    titles = [panel.get_title().split("\n")[0] for panel in draw_patterns().axes]
    assert [title for title in titles if title != "one of 8 × 8 pixels"] == [*IN_LINE, *ON_GRID]


def test_the_picture_in_the_docs_is_that_of_today():
    """Texts and rectangles, whatever matplotlib's version says of the rest."""
    file = ROOT / "docs" / "images" / "patterns.svg"
    assert file.stat().st_size < 300_000
    written, drawn = ElementTree.parse(file).getroot(), ElementTree.fromstring(svg(draw_patterns()))
    assert words(written) == words(drawn)
    assert strokes(written) == strokes(drawn)


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    monkeypatch.setattr("regard.analysis.figures._figure_class", _figure_class.__wrapped__)  # which has kept none
    with pytest.raises(
        MissingExtra, match=r"figures must have matplotlib: got none; use pip install 'regard\[figures\]'"
    ):
        draw_picture(picture(Causal(), 9))
