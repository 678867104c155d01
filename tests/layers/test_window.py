"""Window attention: each tile by itself, borders that cut tiles, shifted edges, tables of offsets."""

import itertools

import pytest
import torch
from torch import Tensor

from regard.attention import Everything, Grid, Neighbours, Places, Sequence, Tiles
from regard.layers import MultiHead, PositionedMultiHead, Tables, Widths, WindowAttention

EXACT = {"rtol": 0, "atol": 1e-12}
Float64 = {"dtype": torch.float64}


def runs(n: int, size: int, shifted: bool) -> list[range]:
    """The stretches into which an axis of n pixels is cut; shifted ones begin with half a window."""
    first = size // 2 if shifted and n > size else size
    edges = [0, *range(first, n, size), n]
    return [range(low, high) for low, high in zip(edges, edges[1:], strict=False) if low < high]


def tile_by_tile(layer: WindowAttention, x: Tensor, h: int, w: int) -> Tensor:
    """Every tile cut out and attended to alone, by products that are written out."""
    y = torch.zeros_like(x)
    rows, columns = (runs(n, size, layer.shifted) for n, size in zip((h, w), layer.window, strict=True))
    for some_rows, some_columns in itertools.product(rows, columns):
        pixels = list(itertools.product(some_rows, some_columns))
        tokens = torch.tensor([r * w + c for r, c in pixels])
        q, k, v = (
            part(x[:, tokens]).unflatten(2, (layer.num_heads, -1)).transpose(1, 2)
            for part in (layer.query, layer.key, layer.value)
        )
        logits = q @ k.mT / q.shape[3] ** 0.5
        if layer.position is not None:
            table = layer.position.tables[0]
            M, N = layer.window
            for (i, (r, c)), (j, (s, d)) in itertools.product(enumerate(pixels), repeat=2):
                logits[:, :, i, j] = logits[:, :, i, j] + table[:, s - r + M - 1, d - c + N - 1]
        mixed = torch.softmax(logits, -1) @ v
        y = y.index_copy(1, tokens, layer.out(mixed.transpose(1, 2).flatten(2)))
    return y


def lively(layer: WindowAttention) -> WindowAttention:
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(std=0.5)
    return layer


CASES = {
    "tiles fit": ((4, 6), 2),
    "borders cut them": ((5, 7), 3),
    "rows and columns": ((5, 7), (2, 3)),
    "a tile is a row": ((3, 5), (1, 5)),
    "larger than the image": ((3, 4), 7),
    "one axis fits": ((3, 8), 3),
}


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("tables", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_it_is_each_tile_by_itself(case: str, shifted: bool, tables: bool):
    (h, w), window = CASES[case]
    layer = lively(WindowAttention(6, 2, window=window, shifted=shifted, tables=tables, **Float64))
    x = torch.randn(2, h * w, 6, **Float64, requires_grad=True)
    got, wanted = layer(x, keys=Grid(h, w)), tile_by_tile(layer, x, h, w)
    torch.testing.assert_close(got, wanted, **EXACT)
    inputs, back = [x, *layer.parameters()], torch.randn_like(got)
    for one, other in zip(*(torch.autograd.grad(y, inputs, back) for y in (got, wanted)), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)


def test_the_map_is_zero_between_tiles():
    layer = lively(WindowAttention(6, 2, window=3, shifted=True))
    maps = layer.weights(torch.randn(2, 35, 6), keys=Grid(5, 7))
    cell = torch.tensor([[3 * ((r + 2) // 3) + (c + 2) // 3 for c in range(7)] for r in range(5)]).flatten()
    together = cell[:, None] == cell
    assert torch.equal(maps > 0, together.expand_as(maps))
    torch.testing.assert_close(maps.sum(-1), torch.ones(2, 2, 35), rtol=0, atol=1e-6)


def test_windows_of_one_pixel_see_themselves():
    layer = WindowAttention(6, 2, window=1, **Float64)
    x = torch.randn(2, 12, 6, **Float64)
    torch.testing.assert_close(layer(x, keys=Grid(3, 4)), layer.out(layer.value(x)), **EXACT)


def test_a_window_that_holds_the_image_is_attention_with_tables():
    layer = lively(WindowAttention(6, 2, window=(3, 4), shifted=True, **Float64))
    whole = PositionedMultiHead(6, Tables(2, (2, 3), **Float64), **Float64)
    whole.load_state_dict(layer.state_dict())
    x = torch.randn(2, 12, 6, **Float64)
    torch.testing.assert_close(layer(x, keys=Grid(3, 4)), whole(x, keys=Grid(3, 4)), **EXACT)


@pytest.mark.parametrize(
    ("grid", "tiles"),
    [
        (Grid(14, 21), "Tiles(rows=7, columns=6, down=4, right=3)"),
        (Grid(7, 7), "Tiles(rows=7, columns=6, down=0, right=3)"),
        (Grid(8, 6), "Tiles(rows=7, columns=6, down=4, right=0)"),
        (Grid(3, 2), "Tiles(rows=7, columns=6, down=0, right=0)"),
        (Grid(7, 3, start=(1, 0), step=(1, 3)), "Tiles(rows=7, columns=6, down=4, right=3)"),
    ],
    ids=repr,
)
def test_an_axis_that_one_tile_holds_is_not_shifted(grid: Grid, tiles: str):
    places = Places(grid, grid)
    assert repr(WindowAttention(6, 2, window=(7, 6), shifted=True).tiles(places)) == tiles
    assert repr(WindowAttention(6, 2, window=(7, 6)).tiles(places)) == "Tiles(rows=7, columns=6, down=0, right=0)"


def test_shifted_windows_connect_what_plain_ones_keep_apart():
    plain, shifted = (lively(WindowAttention(6, 2, window=4, shifted=s, **Float64)) for s in (False, True))
    x = torch.randn(1, 64, 6, **Float64, requires_grad=True)

    def reached(y: Tensor) -> Tensor:
        """From which pixels the pixel (3, 3), last of its plain window, hears something."""
        return (torch.autograd.grad(y[0, 3 * 8 + 3].sum(), x)[0][0].abs().sum(1) > 0).view(8, 8)

    once = reached(plain(x, keys=Grid(8, 8)))
    assert torch.equal(once.nonzero(), torch.cartesian_prod(torch.arange(4), torch.arange(4)))
    both = reached(shifted(plain(x, keys=Grid(8, 8)), keys=Grid(8, 8)))
    assert both.all()


def test_other_masks_pads_and_queries_work_as_in_multihead():
    layer = lively(WindowAttention(6, 2, window=3, tables=False, **Float64))
    plain = MultiHead(6, 2, **Float64)
    plain.load_state_dict(layer.state_dict())
    x, grid = torch.randn(2, 35, 6, **Float64), Grid(5, 7)
    pad = torch.zeros(2, 35, dtype=torch.bool)
    pad[0, 20:] = pad[1, :3] = True
    noisy = x.masked_fill(pad[..., None], float("nan"))
    wanted = plain(x, key_padding_mask=pad, mask=Neighbours(1, 1) & Tiles(3, 3), keys=grid)
    got = layer(noisy, key_padding_mask=pad, mask=Neighbours(1, 1), keys=grid)
    torch.testing.assert_close(got[~pad], wanted[~pad], **EXACT)
    few = Grid(2, 3, start=(1, 0), step=(2, 3))
    some = layer(x.view(2, 5, 7, 6)[:, 1:4:2, ::3].flatten(1, 2), x, queries=few, keys=grid)
    torch.testing.assert_close(some, layer(x, keys=grid).view(2, 5, 7, 6)[:, 1:4:2, ::3].flatten(1, 2), **EXACT)


def test_positions_of_queries_alone_are_those_of_the_keys():
    layer = lively(WindowAttention(6, 2, window=3))
    x = torch.randn(2, 35, 6)
    assert torch.equal(layer(x, queries=Grid(5, 7)), layer(x, keys=Grid(5, 7)))


def test_widths_and_dropout_reach_the_heads():
    layer = WindowAttention(Widths(query=6, head=5), 2, window=3, dropout=0.5, bias=False, out_bias=False)
    assert layer.query.weight.shape == (10, 6)
    assert layer.query.bias is None
    assert layer.out.bias is None
    x = torch.randn(2, 35, 6)
    assert not torch.equal(layer(x, keys=Grid(5, 7)), layer(x, keys=Grid(5, 7)))
    layer.eval()
    assert torch.equal(layer(x, keys=Grid(5, 7)), layer(x, keys=Grid(5, 7)))


def test_the_number_of_parameters_is_swins():
    """Four projections of 96 with biases, and 13² numbers for each of three heads."""
    count = sum(p.numel() for p in WindowAttention(96, 3, window=7).parameters())
    assert count == 4 * (96 * 96 + 96) + 13 * 13 * 3


def test_the_value_says_what_it_is():
    layer = WindowAttention(6, 2, window=3)
    attention = layer.attention(Everything(), None, Grid(5, 7))
    assert repr(attention.scores) == "Content(beta=None) + RelativeTable(float32[2, 5, 5])"
    assert repr(attention.mask) == "Tiles(rows=3, columns=3, down=0, right=0)"
    assert "window=(3, 3), shifted=False" in repr(layer)
    with pytest.raises(ValueError, match="needs the grid of its tokens"):
        layer.attention(Everything(), None, Sequence(35))
