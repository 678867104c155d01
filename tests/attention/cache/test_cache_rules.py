"""What masks and score terms say of themselves, by which a cache takes or refuses them, is true of every pair."""

import pytest
import torch

from regard.attention import (
    Blocks,
    Causal,
    Dense,
    Dilated,
    Everything,
    GlobalTokens,
    KeyPadding,
    Mask,
    Padding,
    Places,
    Quadratic,
    RelativeTable,
    Sequence,
    Slopes,
    Strided,
    Term,
    Window,
)
from regard.attention.cache.rules import LINE, hides_future, looks_back

N = 30
SINGLE = [
    Everything(),
    Causal(),
    Window(0),
    Window(4),
    Window(2, 3),
    Strided(3),
    Dilated(3, before=2),
    Dilated(2, before=3, after=1),
    Blocks(5, shift=2),
    GlobalTokens(3),
]
PAIRS = [join(a, b) for n, a in enumerate(SINGLE) for b in SINGLE[:n] for join in (Mask.__and__, Mask.__or__)]
MASKS = [*SINGLE, *PAIRS, *[~mask for mask in SINGLE], *[~mask & Causal() for mask in PAIRS[::3]]]

HEADS = 2
TERMS: list[Term] = [
    Slopes(torch.tensor([0.3, 0.7])),
    Quadratic(torch.tensor([[-2.0], [3.5]]), torch.tensor([0.2, 1.0])),
    RelativeTable(torch.randn(HEADS, 2 * N + 1, generator=torch.Generator().manual_seed(0))),
]


def whole(part: Mask | Term, places: Places) -> torch.Tensor:
    """The map over all pairs, (H, T, S)."""
    index = [torch.arange(n) for n in (1, HEADS, places.queries.count, places.keys.count)]
    part_map = part.slab(*index, places)
    return part_map.expand(1, HEADS, places.queries.count, places.keys.count)[0]


@pytest.mark.parametrize("mask", MASKS, ids=repr)
def test_no_key_lies_beyond_what_a_mask_says(mask: Mask):
    allowed = whole(mask, Places(Sequence(N), Sequence(N)))[0]
    query, key = allowed.nonzero().unbind(1)
    back = looks_back(mask)
    assert not (hides_future(mask) and (key > query).any())
    assert back is None or not (query - key > back).any()


def test_masks_that_a_cache_needs_are_known_as_such():
    """Else everything could be refused, and no pair would be wrong."""
    known = {mask: looks_back(mask) for mask in (Causal() & Blocks(5), Dilated(3, before=2), Window(2) | Window(4))}
    assert all(hides_future(mask) for mask in known)
    assert list(known.values()) == [4, 6, 4]


@pytest.mark.parametrize("part", [*MASKS, *TERMS], ids=repr)
def test_a_piece_of_the_map_is_the_map_of_the_piece(part: Mask | Term):
    """What positions decide is the same for tokens 7…11 and keys 4…19 alone."""
    facts = part.facts() if isinstance(part, Term) else part.facts(LINE)
    assert facts.positional
    complete = whole(part, Places(Sequence(N), Sequence(N)))
    piece = whole(part, Places(Sequence(5, start=7), Sequence(16, start=4)))
    assert torch.equal(piece, complete[:, 7:12, 4:20])


@pytest.mark.parametrize("mask", [Dense(torch.ones(3, 3).bool()), KeyPadding((2,)), Padding((2,))], ids=repr)
def test_tensors_over_pairs_and_lengths_are_not_decided_by_positions(mask: Mask):
    for part in (mask, mask & Causal(), Causal() | ~mask):
        assert not part.facts(LINE).positional
