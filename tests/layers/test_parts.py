"""The parts of models against their formulas: positions of every kind, gates, patches, heads with content on a grid."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional
from transformers.models.t5.modeling_t5 import T5Attention

from regard import weights
from regard.attention import Attention, Causal, Content, Documents, Elu, Grid, Kernel, Neighbours, Sequence, Slopes
from regard.layers import (
    Buckets,
    ContentHeads,
    FeedForward,
    LearnedPositions,
    MultiHead,
    Patches,
    Rotary,
    SinusoidalPositions,
)
from tests.refusals import refused


def close(ours: Tensor, theirs: Tensor) -> None:
    torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-10)


def test_learned_positions_are_rows_of_a_table():
    layer = LearnedPositions(10, 4)
    assert layer(Sequence(3, start=2, step=3)).equal(layer.weight[[2, 5, 8]])
    start = torch.tensor([0, 8])
    assert layer(Sequence(3, start)).equal(
        layer.weight[torch.tensor([[0, 1, 2], [8, 9, 9]])]
    )  # a pad may stand beyond the last
    with refused("positions must lie among the 10 that are learned: got 8…10; use shorter sequences"):
        layer(Sequence(3, start=8))
    with refused("count must be a whole number from 1 to below 2^62: got count=0"):
        LearnedPositions(0, 4)


def test_waves():
    double = torch.zeros(0, dtype=torch.float64)
    layer = SinusoidalPositions(8, base=100)
    p = torch.tensor([3.0, 4.0, 5.0]).double()
    y = layer(Sequence(3, start=3), double)
    for i in range(4):
        close(y[:, 2 * i], torch.sin(p * 100 ** (-2 * i / 8)))
        close(y[:, 2 * i + 1], torch.cos(p * 100 ** (-2 * i / 8)))
    ragged = layer(Sequence(2, torch.tensor([3, 0])), double)
    close(ragged[0], y[:2])
    half = SinusoidalPositions(4, base=100)
    grid = layer(Grid(2, 3), double)
    close(grid[:, :4], half(Sequence(2), double).repeat_interleave(3, 0))
    close(grid[:, 4:], half(Sequence(3), double).repeat(2, 1))
    assert layer(Sequence(4000), torch.zeros(0, dtype=torch.bfloat16)).dtype == torch.bfloat16
    with refused("waves come in pairs: got width=7; use an even number"):
        SinusoidalPositions(7)
    with refused("waves of rows and columns need a multiple of 4: got width=6"):
        SinusoidalPositions(6)(Grid(2, 2))


def test_turned_heads_know_their_offset_alone():
    rotary, (q, k) = Rotary(8, base=50), torch.randn(2, 1, 2, 1, 8).double()
    double = torch.zeros(0, dtype=torch.float64)

    def product(i: int, j: int) -> Tensor:
        return (rotary(Sequence(1, i), double).turn(q) * rotary(Sequence(1, j), double).turn(k)).sum(-1)

    close(product(3, 7), product(103, 107))
    assert (product(3, 7) - product(3, 8)).abs().min() > 1e-6
    x = torch.randn(2, 3, 4, 8).double()
    angle = torch.arange(2.0, 6.0).double()[:, None] * 50 ** (-torch.arange(0, 8, 2).double() / 8)
    turned = torch.view_as_complex(torch.stack(x.chunk(2, -1), -1)) * torch.polar(torch.ones_like(angle), angle)
    y = rotary(Sequence(4, 2), double).turn(x)
    close(y, torch.cat((turned.real, turned.imag), -1))
    ragged = rotary(Sequence(4, torch.tensor([2, 9])), double).turn(x)
    close(ragged[0], y[0])
    close(ragged[1], rotary(Sequence(4, 9), double).turn(x)[1])


@pytest.mark.usefixtures("unhooked")
def test_rotations_that_do_not_fit():
    with refused("a head is turned in pairs: got width=5; use an even number"):
        Rotary(5)
    with refused("base must be above 1: got base=1; use 10000"):
        Rotary(4, base=1)
    with refused("a rotation of 3 tokens turns heads of width 4: got 5 tokens of width 4; use Rotary(4)(Sequence(5))"):
        Rotary(4)(Sequence(3)).turn(torch.zeros(1, 2, 5, 4))
    x = torch.zeros(1, 3, 8)
    with refused("a rotation is for tokens that attend to themselves: got k; leave one of them out"):
        MultiHead(8, 2)(x, x, rotation=Rotary(4)(Sequence(3)))


@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize(("num_buckets", "most"), [(32, 128), (8, 20)])
def test_buckets_are_those_of_t5(both: bool, num_buckets: int, most: int):
    layer, offsets = Buckets(3, num_buckets, most, both=both), torch.arange(-300, 301)
    theirs = T5Attention._relative_position_bucket(offsets, both, num_buckets, most)
    assert layer.bucket(offsets).equal(theirs)
    assert layer.term(300).table.equal(layer.table[theirs].T)


def test_buckets_that_cannot_be():
    with refused("buckets come in 4 equal parts: got num_buckets=30; use 32"):
        Buckets(1, 30)
    with refused("most must be beyond the 16 distances with a bucket each: got most=16; use 128"):
        Buckets(1, most=16, both=False)
    with refused("num_heads must be a whole number from 1 to below 2^62: got num_heads=0"):
        Buckets(0)


def test_positions_begin_anew_in_each_document():
    """Heads that are turned, learned vectors and waves, in a row of two documents and in a row for each."""
    x, cut = torch.randn(1, 7, 16, dtype=torch.float64), Documents((3, 4))
    at = cut.positions(7, x.device)
    layer, rotary = MultiHead(16, 4, dtype=torch.float64), Rotary(4)
    learned, waves = LearnedPositions(4, 16), SinusoidalPositions(16)
    together = layer(x, causal=True, mask=cut, rotation=rotary(at, x))
    for place in (slice(0, 3), slice(3, 7)):
        n = place.stop - place.start
        alone = layer(x[:, place], causal=True, rotation=rotary(Sequence(n), x))
        close(together[:, place], alone)
        assert learned(at)[0, place].equal(learned(Sequence(n)))
        assert waves(at, x)[0, place].equal(waves(Sequence(n), x))
    with refused("positions must lie among the 4 that are learned: got 0…4; use shorter sequences"):
        learned(Documents((2, 5)).positions(7, x.device))


def test_heads_take_terms_rotations_and_weightings():
    layer, x = MultiHead(16, 4, num_groups=2).double(), torch.randn(2, 5, 16).double()
    rotation, slopes = Rotary(4)(Sequence(5), x), Slopes.geometric(4)
    q, k = (linear(x).unflatten(2, (-1, 4)).transpose(1, 2) for linear in (layer.query, layer.key))
    how = {"causal": True, "term": slopes, "rotation": rotation}
    maps = weights(rotation.turn(q), rotation.turn(k), Attention(Content() + slopes, Causal()))
    close(layer.weights(x, **how), maps)
    values = layer.value(x).unflatten(2, (2, 4)).transpose(1, 2).repeat_interleave(2, 1)
    close(layer(x, **how), layer.out((maps @ values).transpose(1, 2).flatten(2)))
    linear = MultiHead(16, 4, weighting=Kernel(Elu())).double()
    q, k = (functional.elu(part(x).unflatten(2, (4, 4)).transpose(1, 2)) + 1 for part in (linear.query, linear.key))
    close(linear.weights(x), (q @ k.mT) / (q @ k.mT).sum(-1, keepdim=True))
    assert "weighting=Kernel(Elu())" in repr(linear)


def test_gates():
    layer, x = FeedForward(6, 10, "silu", gated=True).double(), torch.randn(2, 3, 6).double()
    gate = layer.gate(x)
    close(layer(x), layer.out(gate * torch.sigmoid(gate) * layer.inner(x)))
    assert FeedForward(6, 10).gate is None
    approximate, x = FeedForward(6, 10, "gelu_approximate").double(), approximate_input()
    z = approximate.inner(x)
    curve = 0.5 * z * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (z + 0.044715 * z**3)))
    close(approximate(x), approximate.out(curve))
    assert (approximate(x) - approximate.out(functional.gelu(z))).abs().max() > 1e-6


def approximate_input() -> Tensor:
    return 2 * torch.randn(2, 3, 6).double()


@pytest.mark.usefixtures("unhooked")
def test_patches():
    layer, images = Patches(2, 5).double(), torch.randn(2, 3, 4, 6).double()
    y = layer(images)
    second_row = images[:, :, 2:4, 0:2].flatten(1)  # patch 3 of 2 × 3
    close(y[:, 3], second_row @ layer.conv.weight.flatten(1).T + layer.conv.bias)
    message = "images must be (B, 3, h, w) with h and w multiples of 2: got shape (2, 3, 4, 5); resize or crop them"
    with refused(message):
        layer(images[..., :5])
    with refused("size must be a whole number from 1 to below 2^62: got size=0"):
        Patches(0, 5)


@pytest.mark.parametrize(("h", "w"), [(3, 4), (4, 2)])
def test_content_heads_are_their_definition(h: int, w: int):
    """Every pair by itself: the query against the key, and against the vector of its offset."""
    C, H = 6, 2
    layer, x = ContentHeads(C, H, (3, 3)).double(), torch.randn(2, h * w, C).double()
    with torch.no_grad():
        layer.rows.normal_()
        layer.columns.normal_()
    q, k = (linear(x).unflatten(2, (H, C)) for linear in (layer.query, layer.key))  # (B, T, H, C)
    row, column = torch.arange(h * w) // w, torch.arange(h * w) % w
    between = torch.cat((layer.rows[row - row[:, None] + 3], layer.columns[column - column[:, None] + 3]), -1)
    logits = torch.einsum("bihc,bjhc->bhij", q, k) + torch.einsum("bihc,ijc->bhij", q, between)
    maps = (logits / C**0.5).softmax(-1)
    close(layer.weights(x, Grid(h, w)), maps)
    mixed = torch.einsum("bhij,bjc->bihc", maps, x).flatten(2)
    close(layer(x, Grid(h, w)), layer.out(layer.value(mixed)))
    near = layer.weights(x, Grid(h, w), mask=Neighbours(1, 1))[0, 0, 0].view(h, w)
    assert (near > 0).sum() == 4
    assert near[:2, :2].sum().isclose(torch.ones(()).double())


@pytest.mark.usefixtures("unhooked")
def test_content_heads_that_do_not_fit():
    with refused("head must be even, for rows and columns alike: got head=3; use 32"):
        ContentHeads(6, 2, (3, 3), head=3)
    with refused("reach is the largest offset in rows and in columns: got reach=(3, -1); use (15, 15)"):
        ContentHeads(6, 2, (3, -1))
    layer = ContentHeads(6, 2, (3, 3))
    with refused("offsets up to (3, 3) are learned: got Grid(h=5, w=2, start=(0, 0), step=(1, 1)); use at most 4 rows"):
        layer(torch.zeros(1, 10, 6), Grid(5, 2))
    with refused("content heads stand on all pixels of a grid: got Sequence(n=4, start=0, step=1); use Grid(h, w)"):
        layer(torch.zeros(1, 4, 6), Sequence(4))
