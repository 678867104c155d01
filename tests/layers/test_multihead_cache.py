"""Layers that decode with a cache: pieces equal the whole, and what a cache cannot use is refused."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from regard.attention import Cache, Causal, Grid, KeyPadding, Mask, Sequence, Strided, Window
from regard.layers import GatedMultiHead, Gaussian, MultiHead, PositionedMultiHead, Tables, Widths
from tests.refusals import refused
from tests.tolerances import PIECES

N = 17
LAYERS: dict[str, Callable[[], MultiHead]] = {
    "plain": lambda: MultiHead(24, 4),
    "grouped": lambda: MultiHead(Widths(query=24, head=5, head_value=3, out=7), 6, num_groups=2, bias=False, beta=0.4),
    "gaussian": lambda: PositionedMultiHead(24, Gaussian(4, axes=1), num_groups=2),
    "table": lambda: PositionedMultiHead(24, Tables(4, reach=2 * N)),
    "gated": lambda: GatedMultiHead(24, Gaussian(4, axes=1)),
}
MASKS: dict[str, Mask] = {"causal": Causal(), "window": Window(4), "strided": Causal() & Strided(2)}


def cache_for(layer: MultiHead, batch: int, **limit: int) -> Cache:
    heads, groups = layer.num_heads, layer.num_groups
    widths = layer.query.out_features // heads, layer.value.out_features // groups
    return Cache(batch, groups, *widths, **limit, dtype=layer.query.weight.dtype)


def whole(layer: MultiHead, x: Tensor, mask: Mask) -> Tensor:
    positions = Sequence(x.shape[1])
    return layer(x, mask=mask, queries=positions, keys=positions)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("name", LAYERS)
@torch.no_grad()
def test_pieces_equal_the_whole(name: str, mask: str):
    layer, x = LAYERS[name]().double(), torch.randn(2, N, 24, dtype=torch.float64)
    limit = {"window": 5} if mask == "window" else {"capacity": N}
    cache, at, pieces = cache_for(layer, 2, **limit), 0, []
    for piece in x.split([6, 1, 1, 3, 1, 1, 4], 1):
        pieces.append(layer(piece, mask=MASKS[mask], cache=cache, start=at))
        at += piece.shape[1]
    torch.testing.assert_close(torch.cat(pieces, 1), whole(layer, x, MASKS[mask]), **PIECES)


@pytest.mark.parametrize("name", LAYERS)
@torch.no_grad()
def test_rows_of_different_lengths_equal_each_row_alone(name: str):
    layer, x = LAYERS[name]().double(), torch.randn(2, N, 24, dtype=torch.float64)
    prompt = x[:, :6].clone()
    prompt[1, 2:] = torch.nan  # pads
    cache = cache_for(layer, 2, capacity=N)
    first = layer(prompt, causal=True, cache=cache, lengths=[6, 2])
    second = layer(torch.stack((x[0, 6:7], x[1, 2:3])), causal=True, cache=cache, start=(6, 2))
    for row, length in enumerate((6, 2)):
        alone = whole(layer, x[row : row + 1, : length + 1], Causal())[0]
        torch.testing.assert_close(torch.cat((first[row, :length], second[row])), alone, **PIECES)


def test_a_layer_decodes_as_its_document_says():
    layer, x = MultiHead(24, 4), torch.randn(1, 3, 24)
    cache = Cache(1, 4, 6, capacity=3)
    with torch.inference_mode():
        steps = [layer(x[:, i : i + 1], causal=True, cache=cache) for i in range(3)]
    torch.testing.assert_close(torch.cat(steps, 1), layer(x, causal=True), rtol=0, atol=1e-6)


X = torch.zeros(2, 3, 24)
REFUSED = {
    "cross-attention": ((X, X), {}, "a cache takes q alone: got k, but it is for tokens that attend to themselves"),
    "values": (
        (X, None, X),
        {},
        "a cache takes q alone: got v, but it is for tokens that attend to themselves; leave v",
    ),
    "pads": (
        (X, None, None, torch.zeros(2, 3).bool()),
        {},
        "a cache takes q alone: got key_padding_mask, but it counts real tokens; give the lengths of the piece",
    ),
    "queries": ((X,), {"queries": Sequence(3)}, "got queries, but it counts positions itself; leave queries out"),
    "keys": ((X,), {"keys": Grid(1, 3)}, "got keys, but it counts positions itself; leave keys out"),
    "no causal": ((X,), {"causal": False}, "a cached query must not see tokens that are still to come"),
    "padding": ((X,), {"mask": KeyPadding((1, 2))}, "a cache knows which tokens are real: got KeyPadding((1, 2))"),
    "twice": ((X,), {"start": 1}, "a piece must begin where the row ends: got start=1 in row 0 of 0"),
    "too many": ((torch.zeros(2, 9, 24),), {}, "a row holds at most capacity=8 tokens: got 9 more for row 0"),
}


@pytest.mark.parametrize("case", REFUSED)
@torch.no_grad()
def test_what_a_cache_cannot_use(case: str):
    given, options, message = REFUSED[case]
    layer = MultiHead(24, 4)
    cache = cache_for(layer, 2, capacity=8)
    with refused(message):
        layer(*given, **{"causal": True} | options, cache=cache)
    assert cache.lengths == (0, 0)


@pytest.mark.parametrize("layer", [PositionedMultiHead(24, Gaussian(4)), PositionedMultiHead(24, Tables(4, (3, 3)))])
@torch.no_grad()
def test_positions_on_a_grid_are_refused(layer: PositionedMultiHead):
    with refused("a cache holds tokens in a line: got"):
        layer(X, causal=True, cache=cache_for(layer, 2, capacity=8))


@pytest.mark.parametrize("name", ["lengths", "start"])
def test_what_is_for_a_piece_needs_a_cache(name: str):
    message = f"{name} is for a piece of a sequence: got {name} without a cache; give cache=…"
    with refused(message):
        MultiHead(24, 4)(X, causal=True, **{name: (3, 3)})


def test_a_layer_that_learns_is_told_to_decode_without_gradients():
    layer = MultiHead(24, 4)
    with refused("a cache keeps no gradient: got k that needs one; use torch.no_grad"):
        layer(X, causal=True, cache=cache_for(layer, 2, capacity=8))
