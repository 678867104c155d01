"""Gaussian heads and relative tables as values: what they mean, and what they refuse."""

import pytest
import torch

from regard import attend, plan, weights
from regard.attention import (
    Attention,
    Causal,
    Content,
    Grid,
    Hard,
    Neighbours,
    Places,
    Quadratic,
    RelativeTable,
    Sequence,
    Shape,
    Window,
)


def test_a_gaussian_is_what_it_says():
    """Logits of one query, written out: `−(δ − Δ)ᵀ M (δ − Δ)` with δ = key − query."""
    centre = torch.tensor([[0.5, -1.0]], dtype=torch.float64)
    matrix = torch.tensor([[[2.0, 0.5], [0.5, 1.0]]], dtype=torch.float64)
    term = Quadratic(centre, matrix)
    places = Places(Grid(1, 1, start=(1, 2)), Grid(3, 4))
    logits = term.whole(places, 1, torch.float64, torch.device("cpu"))[0, 0].view(3, 4)
    for r in range(3):
        for c in range(4):
            away = torch.tensor([r - 1.0, c - 2.0], dtype=torch.float64) - centre[0]
            torch.testing.assert_close(logits[r, c], -(away @ matrix[0] @ away), rtol=0, atol=1e-12)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_sharp_head_reads_the_pixel_at_its_centre(sign: int):
    """Key = query + centre: an asymmetric centre tells the sign."""
    value = Attention(Quadratic(torch.tensor([[sign * 1.0, 0.0]]), torch.tensor([50.0])), keys=Grid(3, 3))
    middle = weights(None, None, value)[0, 0, 4].view(3, 3)
    assert middle[1 + sign, 1] > 0.999


def test_a_table_reads_its_middle_at_offset_zero():
    table = torch.zeros(1, 5)
    table[0, 3] = 9.0  # δ = +1
    maps = weights(None, None, Attention(RelativeTable(table), keys=Sequence(3)))
    assert maps[0, 0].argmax(-1).tolist() == [1, 2, 0]  # the last query has no key after it: all are equal, first wins


def test_a_bound_clamps():
    table = torch.tensor([[-9.0, 0.0, 9.0]])
    bounded = RelativeTable(table, bound=2).bounded
    assert bounded.tolist() == [[-2, 0, 2]]


@pytest.mark.parametrize("distance", [1e3, 1e6])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_centre_far_outside_sees_the_border_and_gives_no_nan(distance: float, dtype: torch.dtype):
    v = torch.randn(1, 1, 16, 3, dtype=dtype, requires_grad=True)
    centre = torch.tensor([[distance, -distance]], requires_grad=True)
    precision = torch.tensor([0.5], requires_grad=True)
    value = Attention(Quadratic(centre, precision), keys=Grid(4, 4))
    for name in [c.name for c in plan(None, None, v, value).candidates if c.refusal is None]:
        out = attend(None, None, v, value, algorithm=name)
        torch.testing.assert_close(out[0, 0], v[0, 0, 12].expand(16, 3))  # bottom left
        for grad in torch.autograd.grad(out.float().square().sum(), (v, centre, precision)):
            assert grad.isfinite().all(), name


def test_no_content_needs_no_queries_and_keys():
    v = torch.randn(2, 2, 12, 5)
    value = Attention(Quadratic(torch.randn(4, 2), torch.rand(4) + 0.1), keys=Grid(3, 4))
    given = torch.randn(2, 4, 12, 8), torch.randn(2, 2, 12, 8)
    torch.testing.assert_close(attend(None, None, v, value), attend(*given, v, value))
    assert weights(None, None, value).shape == (1, 4, 12, 12)


def gaussian(precision: list, centre: tuple = (0.0, 0.0)) -> Attention:
    return Attention(Quadratic(torch.tensor([centre]), torch.tensor([precision])), keys=Grid(2, 2))


BAD = {
    "zero precision": (lambda: gaussian(0.0), "precision must be positive"),
    "negative precision": (lambda: gaussian(-1.0), "precision must be positive"),
    "precision NaN": (lambda: gaussian(float("nan")), "precision must be positive"),
    "a negative axis": (lambda: gaussian([1.0, -1.0]), "precision must be positive"),
    "not positive definite": (lambda: gaussian([[1.0, 2.0], [2.0, 1.0]]), "positive definite"),
    "not symmetric": (lambda: gaussian([[2.0, 1.0], [0.0, 2.0]]), "symmetric"),
    "tokens that do not fill the grid": (
        lambda: Attention(Quadratic(torch.zeros(1, 2), torch.ones(1)), keys=Grid(2, 3)),
        "give 4 positions",
    ),
    "a gaussian of a grid in a line": (
        lambda: Attention(Quadratic(torch.zeros(1, 2), torch.ones(1)), keys=Sequence(4)),
        "Grid",
    ),
    "a gaussian of a line on a grid": (
        lambda: Attention(Quadratic(torch.zeros(1, 1), torch.ones(1)), keys=Grid(2, 2)),
        "Sequence",
    ),
    "a table too small": (lambda: Attention(RelativeTable(torch.zeros(1, 1, 3)), keys=Grid(2, 2)), "size 3"),
    "an even table": (lambda: Attention(RelativeTable(torch.zeros(1, 4)), keys=Sequence(4)), "odd"),
    "a whole-number table": (
        lambda: Attention(RelativeTable(torch.zeros(1, 7, dtype=torch.long)), keys=Sequence(4)),
        "floating point",
    ),
    "a bound of zero": (lambda: Attention(RelativeTable(torch.zeros(1, 7), bound=0), keys=Sequence(4)), "positive"),
    "an axis that is none": (lambda: Attention(RelativeTable(torch.zeros(1, 7), axis=2), keys=Grid(2, 2)), "axis is 0"),
    "neighbours in a line": (
        lambda: Attention(RelativeTable(torch.zeros(1, 7)), Neighbours(1, 1), keys=Sequence(4)),
        "Window",
    ),
    "content without q": (lambda: Attention(Content(), keys=Sequence(4)), "needs q and k"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_says_what_must_hold(name: str, unhooked):
    build, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        attend(None, None, torch.randn(1, 1, 4, 3), build())


def test_a_window_makes_a_small_table_enough():
    v = torch.randn(1, 1, 20, 3)
    attend(None, None, v, Attention(RelativeTable(torch.zeros(1, 7)), Window(3, 3), keys=Sequence(20)))
    with pytest.raises(ValueError, match="visible offsets"):
        attend(None, None, v, Attention(RelativeTable(torch.zeros(1, 5)), Window(3, 3), keys=Sequence(20)))
    attend(None, None, v, Attention(RelativeTable(torch.zeros(1, 3, 3)), Neighbours(1, 1), keys=Grid(4, 5)))


def test_masks_of_a_line_have_no_place_on_a_grid(unhooked):
    value = Attention(Quadratic(torch.zeros(1, 2), torch.ones(1)), Causal(), keys=Grid(2, 2))
    with pytest.raises(ValueError, match="tokens in a line"):
        attend(None, None, torch.randn(1, 1, 4, 3), value)


def test_blocks_of_neighbours_are_safe():
    """A block said to be empty is, and one said to be full is."""
    places = Places(Grid(5, 7, start=(1, 0), step=(2, 1)), Grid(9, 8))
    i, j = torch.arange(35)[:, None], torch.arange(72)
    for mask in (Neighbours(1, 2), Neighbours(0, 0), Neighbours(9, 9), ~Neighbours(2, 1)):
        allowed = mask.allows(0, 0, i, j, places)
        some, every = mask.blocks(places, 4, torch.device("cpu"))
        for r in range(some.shape[2]):
            for c in range(some.shape[3]):
                block = allowed[4 * r : 4 * r + 4, 4 * c : 4 * c + 4]
                assert bool(some[0, 0, r, c]) or not block.any()
                assert bool(block.all()) or not bool(every[0, 0, r, c])


def test_hard_ties_go_to_the_first_key():
    """A centre halfway between four pixels picks the upper left one, by every algorithm."""
    value = Attention(Quadratic(torch.tensor([[0.5, 0.5]]), torch.ones(1)), weighting=Hard(), keys=Grid(3, 3))
    v = torch.arange(9.0).view(1, 1, 9, 1)
    for name in ("reference", "gather", "shared"):
        assert attend(None, None, v, value, algorithm=name)[0, 0, 0, 0] == 0


def test_shapes_of_values_are_checked(unhooked):
    with pytest.raises(ValueError, match=r"centre must be \(H, 1\)"):
        Quadratic(torch.zeros(3), torch.ones(3))
    with pytest.raises(ValueError, match="precision must be"):
        Quadratic(torch.zeros(3, 2), torch.ones(2))
    with pytest.raises(ValueError, match="one centre per head"):
        Attention(Quadratic(torch.zeros(3, 2), torch.ones(3)), keys=Grid(2, 2)).check(Shape(1, 2, 1, 4, 4, 0, 3))


def test_content_of_no_width_is_refused(unhooked):
    """A width of zero is how scores without content are carried inside; from outside it must not pass for content."""
    nothing = torch.empty(1, 1, 4, 0)
    with pytest.raises(ValueError, match="columns"):
        attend(nothing, nothing, torch.randn(1, 1, 4, 3))
    with pytest.raises(ValueError, match="columns"):
        weights(nothing, nothing)
