"""A piece of a value says of its pairs what the whole says of them, whatever the mask and the terms."""

import zlib

import pytest
import torch

from regard.attention import Grid, Places, Sequence
from regard.attention.positions.positions import Cut
from tests.algorithms.cases import MASKS, SCORES, Call, Case, build, is_meant

CASES = [
    Case(mask=mask, scores=scores, positions=positions)
    for mask in MASKS
    for scores in SCORES
    for positions in ("no positions", "start per row", "keys with step 3", "grid")
]
ALONE = ("no positions", "grid")


def is_taken(case: Case) -> bool:
    """Every mask and every term by itself, and a few of the others."""
    few = case.scores != "content" or case.positions not in ALONE
    few = few and not (case.mask == "everything" and case.positions in ALONE)
    return is_meant(case) and (not few or zlib.crc32(str(case).encode()) % 60 == 0)


CASES = [case for case in CASES if is_taken(case)]
CUTS = [(range(5, 13), range(9, 32)), (range(8, 16), range(8, 16)), (range(30, 32), range(1)), (range(32), range(4, 8))]


def cut_of(call: Call, queries: range, keys: range) -> Cut:
    return Cut(call.attention.places(call.q.shape[2], call.k.shape[2]), queries, keys)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_piece_is_a_piece_of_the_whole(case: Case):
    call = build(case, torch.device("cpu"))
    value, (B, H, T, _), S = call.attention, call.q.shape, call.k.shape[2]
    b, h, i, j = (torch.arange(n) for n in (B, H, T, S))
    for queries, keys in CUTS:
        cut = cut_of(call, queries, keys)
        piece, own = value.piece(cut), (b, h, torch.arange(len(queries)), torch.arange(len(keys)))
        some = (..., slice(queries.start, queries.stop), slice(keys.start, keys.stop))
        allowed = value.mask.slab(b, h, i, j, cut.whole)[some]
        assert torch.equal(piece.mask.slab(*own, cut.places).expand_as(allowed), allowed)
        for term, part in zip(value.biases, piece.biases, strict=True):
            whole = term.slab(b, h, i, j, cut.whole).expand(B, H, T, S)[some]
            assert torch.equal(part.slab(*own, cut.places).expand_as(whole), whole)
        sizes = (B, H, -(-len(queries) // 4), -(-len(keys) // 4))
        known = [x.expand(sizes) for x in piece.mask.blocks(cut.places, 4, torch.device("cpu"))]
        for q in range(0, len(queries), 4):
            for k in range(0, len(keys), 4):
                pairs = allowed[..., q : q + 4, k : k + 4]
                maybe, surely = (x[..., q // 4, k // 4] for x in known)
                assert not (pairs.any(3).any(2) & ~maybe).any()
                assert not (~pairs.all(3).all(2) & surely).any()


def test_pixels_have_positions_in_whole_rows_alone():
    on_grid = Places(Grid(4, 3), Grid(4, 3))
    assert Cut(on_grid, range(3, 9), range(12)).places.key == Places(Grid(2, 3, start=(1, 0)), Grid(4, 3)).key
    assert not Cut(on_grid, range(4, 9), range(12)).is_placed
    assert Cut(Places(Sequence(9, start=2), Sequence(9)), range(4, 9), range(3)).places.key == ((5, 6, 1), (3, 0, 1))
