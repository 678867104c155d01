"""What property tests draw from: positions, masks of every kind, and ways to join them."""

import torch
from hypothesis import strategies as st
from torch import Tensor

from regard.attention import (
    Axial,
    Blocks,
    Causal,
    Dense,
    Dilated,
    Documents,
    Everything,
    GlobalTokens,
    Grid,
    KeyPadding,
    Mask,
    Neighbours,
    Padding,
    Prefix,
    SameColumn,
    SameRow,
    Sequence,
    Strided,
    Tiles,
    Window,
)

B, H = 2, 2  # rows and heads of what differs between them

Numbers = st.SearchStrategy[int]
Masks = st.SearchStrategy[Mask]


def sequences(count: Numbers, start: int, steps: Numbers, *, by_row: bool = False) -> st.SearchStrategy[Sequence]:
    """Lines that start at most so far from 0, with `by_row` also at a place of each row's own."""
    starts: st.SearchStrategy = st.integers(-start, start)
    if by_row:
        starts |= st.lists(starts, min_size=B, max_size=B).map(torch.tensor)
    return st.builds(Sequence, count, starts, steps)


def grids(side: Numbers, start: int, steps: Numbers) -> st.SearchStrategy[Grid]:
    """Grids whose corner lies at most so far from 0 along each axis."""
    starts = st.integers(-start, start)
    return st.builds(Grid, side, side, st.tuples(starts, starts), st.tuples(steps, steps))


def line_masks(number: Numbers, size: Numbers) -> Masks:
    """The masks of positions on a line."""
    return st.one_of(
        st.sampled_from([Causal(), Everything()]),
        st.builds(Window, number, number),
        st.builds(Strided, size),
        st.builds(Dilated, size, number, number),
        st.builds(Blocks, size, number),
        st.builds(GlobalTokens, size),
    )


def grid_masks(number: Numbers, size: Numbers, shift: Numbers) -> Masks:
    """The masks of positions on a grid; `number` is for neighbours, `size` and `shift` for tiles."""
    return st.one_of(
        st.sampled_from([SameRow(), SameColumn(), Axial(), Everything()]),
        st.builds(Neighbours, number, number),
        st.builds(Tiles, size, size, shift, shift),
    )


def lengths(most: int) -> st.SearchStrategy[list[int]]:
    """A length for each row."""
    return st.lists(st.integers(0, most), min_size=B, max_size=B)


def flags(*sizes: int) -> st.SearchStrategy[Tensor]:
    """Boolean tensors, from all False to all True."""
    return st.integers(0, 2**16).map(
        lambda seed: torch.rand(*sizes, generator=torch.Generator().manual_seed(seed)) < seed % 7 / 6
    )


def key_paddings(S: int) -> Masks:
    return (lengths(S) | lengths(S).map(torch.tensor) | flags(B, S)).map(KeyPadding)


def paddings(S: int) -> Masks:
    return (lengths(S) | lengths(S).map(torch.tensor) | flags(B, S)).map(Padding)


def prefixes(most: int) -> Masks:
    return (st.integers(0, most) | lengths(most) | lengths(most).map(torch.tensor)).map(Prefix)


def dense_masks(T: int, S: int) -> Masks:
    return (flags(T, S) | flags(H, T, S) | flags(B, 1, T, S) | flags(B, H, T, S)).map(Dense)


def documents(S: int) -> st.SearchStrategy[Documents]:
    """Rows cut anywhere, with empty documents and pads: as sizes, as data, or by ids."""
    row = st.lists(st.integers(0, S), max_size=4).map(lambda cuts: _cut_at([0, *sorted(cuts)]))
    rows = st.lists(row, min_size=B, max_size=B)
    tensors = st.lists(st.lists(st.integers(0, S), min_size=3, max_size=3), min_size=B, max_size=B)
    data = tensors.map(lambda rows: torch.tensor([_cut_at([0, *sorted(row)]) for row in rows]))
    ids = st.lists(st.sampled_from([-1, 0, 1]), min_size=S, max_size=S).map(_ids_of_steps)
    most = st.none() | st.just(S)
    return (row.filter(len) | rows | data | data.map(lambda x: x[0])).map(Documents) | st.builds(
        lambda ids, most: Documents(ids=ids, most=most), ids | ids.map(lambda x: x[0]), most
    )


def _cut_at(ends: list[int]) -> list[int]:
    return [after - before for before, after in zip(ends, ends[1:], strict=False)]


def _ids_of_steps(steps: list[int]) -> Tensor:
    """Ids that grow where a step is 1, and are negative where it is −1; the second row is the first from its end."""
    moves = torch.tensor(steps)
    return torch.stack([torch.where(row < 0, -1, row.clamp(min=0).cumsum(0)) for row in (moves, moves.flip(0))])


def joined(leaves: Masks, max_leaves: int = 4) -> Masks:
    """Masks, and masks made of them by `&`, `|` and `~`."""
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(lambda a, b: a & b, inner, inner),
            st.builds(lambda a, b: a | b, inner, inner),
            st.builds(lambda a: ~a, inner),
        ),
        max_leaves=max_leaves,
    )
