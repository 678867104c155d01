"""Masks as pictures: who sees whom, what one pixel sees, and how many pairs and blocks that is.

A picture is plain data, for a page or a program; `text` draws it in a terminal.
"""

import json
import math
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from regard.analysis.reach.visible_pairs import FINE, OFFSETS, count_visible, count_visited, lengths, levels, sums
from regard.attention import Attention, Grid, Mask, Places, Positions, Shape

DRAWN = 64  # tokens of which each is drawn by itself
CELLS = 32  # at most so many along a side, where there are more tokens
SHADES = ("  ", "░░", "██")  # hidden, visible in part, visible

Cells = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Counts:
    """Visible pairs and the most keys that a query sees; of all `blocks`, those that are `visited`, and their pairs."""

    visible: int
    most: int
    block: int
    blocks: int
    visited: int
    visited_pairs: int


@dataclass(frozen=True)
class View:
    """What the query of one pixel sees: a cell for every `cell` × `cell` keys, `own` that of its own position."""

    pixel: tuple[int, int]
    seen: int
    cell: int
    cells: Cells
    own: tuple[int, int] | None


@dataclass(frozen=True)
class PatternPicture:
    """A mask on its positions. Each of the `cells` holds `cell` × `cell` pairs: 0 hidden, 1 visible in part, 2 visible.

    `queries` and `keys` are numbers of tokens, or rows and columns. It is that of one `row` of a batch of `rows`. Where
    not `is_exact`, a cell in part *may* hold a visible pair.
    """

    mask: str
    queries: tuple[int, ...]
    keys: tuple[int, ...]
    row: int
    rows: int
    cell: int
    cells: Cells
    is_exact: bool
    counts: Counts
    view: View | None

    @property
    def pairs(self) -> int:
        return math.prod(self.queries) * math.prod(self.keys)

    @property
    def share(self) -> float:
        """Visible pairs, of all."""
        return self.counts.visible / self.pairs

    def json(self) -> str:
        """The picture for a program."""
        return json.dumps(asdict(self) | {"pairs": self.pairs, "share": self.share})


def picture(
    mask: Mask,
    tokens: int | Places,
    keys: int | None = None,
    *,
    block: int = 16,
    pixel: tuple[int, int] | None = None,
    row: int = 0,
) -> PatternPicture:
    """The picture of a mask for so many queries and keys, or on given positions.

    `block` is the side of the blocks that are counted as visited. On a grid the `pixel`, row and column, says whose
    view is drawn: by default the one in the middle. `row` is the row of the batch, where rows differ.

    >>> from regard.attention import Causal, Strided, Window
    >>> picture(Causal() & (Window(2) | Strided(4)), 16, block=4).counts
    Counts(visible=69, most=6, block=4, blocks=16, visited=10, visited_pairs=160)
    """
    places = tokens if isinstance(tokens, Places) else Attention().places(tokens, tokens if keys is None else keys)
    rows = _check(mask, places, block, row)
    longest = max(places.queries.count, places.keys.count)
    cell = 1 if longest <= DRAWN else -(-longest // CELLS)
    cell = cell if cell <= FINE else -(-cell // FINE) * FINE
    view = _view(mask, places, pixel, row)
    found = count_visible(mask, places, cell, row)
    counts = Counts(int(found.keys.sum()), int(found.keys.max()), block, *count_visited(mask, places, block, row))
    sides, cells = (_sides(places.queries), _sides(places.keys)), _listed(found.cells)
    return PatternPicture(repr(mask), sides[0], sides[1], row, rows, cell, cells, found.is_exact, counts, view)


def _check(mask: Mask, places: Places, block: int, row: int) -> int:
    """The rows of the batch that the mask and its positions have, or what does not fit."""
    for name, side in (("queries", places.queries), ("keys", places.keys)):
        if side.count > OFFSETS // 2:
            raise ValueError(
                f"a picture has at most 2^23 {name}: got {side.count:,}; use fewer, the pattern is the same"
            )
    if not 1 <= block <= OFFSETS:
        raise ValueError(f"block must be from 1 to 2^24: got block={block}; use 16, or 128 as the kernels do")
    rows = [len(side.start) for side in (places.queries, places.keys) if isinstance(side.start, Tensor)]
    B = max([mask.batch or 1, *rows])
    if not 0 <= row < B:
        raise ValueError(f"row must be one of the {B} that the mask and its positions have: got row={row}; use 0")
    mask.check(Shape(B, 1, 1, places.queries.count, places.keys.count, 1, 1), places)
    return B


def _sides(side: Positions) -> tuple[int, ...]:
    return (side.h, side.w) if isinstance(side, Grid) else (side.n,)


def _view(mask: Mask, places: Places, pixel: tuple[int, int] | None, row: int) -> View | None:
    queries, keys = places.queries, places.keys
    if not (isinstance(queries, Grid) and isinstance(keys, Grid)):
        if pixel is not None:
            raise ValueError(f"a pixel stands on a grid: got pixel={pixel} for tokens in a line; leave it out")
        return None
    r, c = pixel if pixel is not None else (queries.h // 2, queries.w // 2)
    if not (0 <= r < queries.h and 0 <= c < queries.w):
        raise ValueError(
            f"pixel must lie on the grid of queries: got {(r, c)} on {queries.h} × {queries.w} pixels; use (0, 0)"
        )
    query = r * queries.w + c
    b, h, i, j = torch.tensor([row]), torch.tensor([0]), torch.tensor([query]), torch.arange(keys.count)
    allowed = mask.slab(b, h, i, j, places).expand(1, 1, 1, -1).reshape(keys.h, keys.w)
    cell = -(-max(keys.h, keys.w) // CELLS)
    pixels = lengths(keys.h, cell)[:, None] * lengths(keys.w, cell)
    cells = _listed(levels(sums(allowed.long(), cell), pixels))
    (down, off_row), (right, off_column) = (
        divmod(at - start, step) for at, start, step in zip(queries.at(0, query), keys.start, keys.step, strict=True)
    )
    has_own = not off_row and not off_column and 0 <= down < keys.h and 0 <= right < keys.w
    return View((r, c), int(allowed.sum()), cell, cells, (down // cell, right // cell) if has_own else None)


def _listed(cells: Tensor) -> Cells:
    return tuple([tuple(line) for line in cells.tolist()])


def text(picture: PatternPicture, title: str | None = None) -> str:
    """The picture for a terminal: the map, what a pixel sees, and the counts."""
    counts = picture.counts
    queries, keys = (
        f"{side[0]:,} {name}" if len(side) == 1 else f"{name} on {side[0]:,} × {side[1]:,} pixels"
        for name, side in (("queries", picture.queries), ("keys", picture.keys))
    )
    of_batch = "" if picture.rows == 1 else f"; row {picture.row} of a batch of {picture.rows}"
    lines = [title or picture.mask, f"{queries} down, {keys} across{of_batch}"]
    lines += _frame(_draw_halves(picture.cells) if picture.cell == 1 else _draw_shades(picture.cells))
    if picture.cell > 1:
        doubt = "" if picture.is_exact else "; ░ may be all hidden"
        lines.append(f"each cell is {picture.cell} × {picture.cell} pairs: █ visible, ░ in part, blank hidden{doubt}")
    if picture.view is not None:
        lines += ["", *_draw_view(picture.view, math.prod(picture.keys))]
    share = f"{100 * picture.share:.3g} %"
    visited = f"{100 * counts.visited_pairs / picture.pairs:.3g} %"
    lines += [
        "",
        f"visible  {counts.visible:,} of {picture.pairs:,} pairs, {share}; a query sees at most {counts.most:,} keys",
        f"visited  {counts.visited:,} of {counts.blocks:,} blocks of {counts.block} × {counts.block}: "
        f"{counts.visited_pairs:,} pairs, {visited}",
    ]
    return "\n".join(lines)


def _draw_view(view: View, keys: int) -> list[str]:
    lines = _draw_shades(view.cells)
    if view.own is not None:
        row, column = view.own
        lines[row] = f"{lines[row][: 2 * column]}<>{lines[row][2 * column + 2 :]}"
    each = "" if view.cell == 1 else f"; each cell is {view.cell} × {view.cell} pixels"
    title = f"the query at row {view.pixel[0]}, column {view.pixel[1]} (<>) sees {view.seen:,} of {keys:,} keys{each}"
    return [title, *_frame(lines)]


def _draw_shades(cells: Cells) -> list[str]:
    """A line for each row, two characters to a cell."""
    return ["".join([SHADES[level] for level in line]) for line in cells]


def _draw_halves(cells: Cells) -> list[str]:
    """Two rows to a line, by half blocks."""
    empty = (0,) * len(cells[0])
    pairs = [(cells[n], cells[n + 1] if n + 1 < len(cells) else empty) for n in range(0, len(cells), 2)]
    return ["".join([" ▀▄█"[(a > 0) + 2 * (b > 0)] for a, b in zip(*pair, strict=True)]) for pair in pairs]


def _frame(lines: list[str]) -> list[str]:
    width = len(lines[0])
    return [f"┌{'─' * width}┐", *[f"│{line}│" for line in lines], f"└{'─' * width}┘"]
