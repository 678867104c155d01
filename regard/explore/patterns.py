"""Patterns: who sees whom under a mask, and which tokens reach an output through layers of masks."""

from collections.abc import Callable
from typing import Annotated, TypeVar

import torch
from pydantic import Field

from regard.analysis import reach
from regard.analysis.counting import FINE, seen, visits
from regard.analysis.formulas import write_sympy
from regard.analysis.reach.receptive_field import Depth
from regard.analysis.written import batch_of
from regard.attention import Attention, Grid, Places, Shape
from regard.attention.notation import parse_mask
from regard.claims.timing import one_thread
from regard.explore.api import Asked, Binary, Reply
from regard.explore.desk import Desk
from regard.explore.work import check

TOKENS, SIDE, LAYERS = 1 << 17, 256, 64  # at most
FOLLOWED = 4096  # tokens of which each may reach each
DRAWN = 512  # cells along a side of the map

Text = Annotated[str, Field(max_length=300)]
Whole = Annotated[int, Field(ge=0)]
Side = Annotated[int, Field(ge=1, le=SIDE)]
Kept = TypeVar("Kept", bound=Reply | Binary)


class Stand(Asked):
    """Where the tokens are: so many in a line, or on a grid of rows and columns, which goes first."""

    tokens: Annotated[int, Field(ge=1, le=TOKENS)] = 512
    grid: tuple[Side, Side] | None = None

    @property
    def places(self) -> Places:
        if self.grid is None:
            return Attention().places(self.tokens, self.tokens)
        return Places(Grid(*self.grid), Grid(*self.grid))


class PatternAsked(Stand):
    """A mask, the side of the blocks that a kernel visits, and the row of a padded batch."""

    mask: Text = "everything"
    block: Annotated[int, Field(ge=1, le=4096)] = 128
    row: Whole = 0


class ReachAsked(Stand):
    """Masks that layers take in turn, and the output that is followed: by default one that most tokens reach."""

    masks: Annotated[tuple[Text, ...], Field(min_length=1, max_length=8)] = ("everything",)
    layers: Annotated[int, Field(ge=1, le=LAYERS)] = 12
    residual: bool = True
    output: Whole | None = None
    row: Whole = 0


class PatternHead(Reply):
    """Exact counts, and a map of rows × columns cells (uint8): 0 hidden, 1 visible in part, 2 visible.

    A cell holds `cell` × `cell` pairs; queries of a row of cells see from `fewest` to `most` keys. Where not
    `is_exact`, a cell in part may hold no visible pair.
    """

    mask: str
    tokens: int
    cell: int
    rows: int
    columns: int
    is_exact: bool
    pairs: int
    visible: int
    fewest: list[int]
    most: list[int]
    block: int
    blocks: int
    visited: int
    visited_pairs: int
    batch: int | None  # rows of a padded batch


class ReachHead(Reply):
    """How the receptive field grows, and which tokens have reached the output: (layers, tokens) of uint8, 0 or 1."""

    masks: list[str]
    sides: list[int]
    tokens: int
    output: int
    depths: list[Depth]
    formula: str | None
    legend: str | None
    settled: int | None
    taps: list[int]


def pattern(desk: Desk, asked: PatternAsked) -> Binary:
    """The map of a mask and exact counts: a `PatternHead`, then its cells."""
    return remembered(desk, "pattern", asked, lambda: _pattern(asked))


def _pattern(asked: PatternAsked) -> Binary:
    mask, places = parse_mask(asked.mask), asked.places
    rows, _ = batch_of(mask)
    if asked.row >= (rows or 1):
        raise ValueError(f"row must be one of the {rows or 1} that the mask speaks of: got {asked.row}; use 0")
    N = places.keys.count
    mask.check(Shape(rows or 1, 1, 1, N, N, 1, 1), places)
    cell = -(-N // DRAWN)
    cell = cell if cell <= FINE else -(-cell // FINE) * FINE
    found = seen(mask, places, cell, asked.row)
    check()
    blocks, visited, visited_pairs = visits(mask, places, asked.block, asked.row)
    by_row = found.keys.split(cell)
    head = PatternHead(
        mask=repr(mask),
        tokens=N,
        cell=cell,
        rows=found.cells.shape[0],
        columns=found.cells.shape[1],
        is_exact=found.is_exact,
        pairs=N * N,
        visible=int(found.keys.sum()),
        fewest=[int(some.min()) for some in by_row],
        most=[int(some.max()) for some in by_row],
        block=asked.block,
        blocks=blocks,
        visited=visited,
        visited_pairs=visited_pairs,
        batch=rows,
    )
    return Binary(head, found.cells.to(torch.uint8).numpy().tobytes())


def reached(desk: Desk, asked: ReachAsked) -> Binary:
    """How many tokens, and which, reach an output after each layer: a `ReachHead`, then (layers, tokens) of uint8."""
    return remembered(desk, "reach", asked, lambda: _reached(asked))


def _reached(asked: ReachAsked) -> Binary:
    tokens = asked.places.keys
    if tokens.count > FOLLOWED:
        raise ValueError(f"at most {FOLLOWED:,} tokens are followed: got {tokens.count:,}; use fewer, it grows alike")
    masks = [parse_mask(text) for text in asked.masks][: asked.layers]
    found = reach(list(masks), tokens, asked.layers, residual=asked.residual, output=asked.output, row=asked.row)
    head = ReachHead(
        masks=list(found.masks),
        sides=list(found.sides),
        tokens=found.tokens,
        output=found.output,
        depths=list(found.depths),
        formula=None if found.formula is None else write_sympy(found.formula.at),
        legend=None if found.formula is None else found.formula.legend,
        settled=found.settled,
        taps=list(found.taps),
    )
    return Binary(head, found.reached.to(torch.uint8).numpy().tobytes())


def remembered(desk: Desk, name: str, asked: Asked, make: Callable[[], Kept]) -> Kept:
    """The answer, remembered for who comes back to a mechanism."""

    def made() -> tuple[Kept, int]:
        with one_thread():  # each step is small, and cores are shared
            answer = make()
        return answer, len(answer.data) + 4096 if isinstance(answer, Binary) else 65536

    return desk.kept.get((name, asked), made)
