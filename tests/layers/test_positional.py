"""Layers that attend by position: the paper's counts, one positional map for a batch, gates, and learning."""

import pytest
import torch
from torch import nn

from regard import attend, weights
from regard.attention import Attention, Causal, Content, Everything, Grid, Hard, Neighbours, Sequence
from regard.layers import GatedMultiHead, Gaussian, GaussianHeads, MultiHead, PositionedMultiHead, PositionHeads, Tables

EXACT = {"rtol": 0, "atol": 1e-12}


def test_the_published_model_has_its_published_number_of_parameters():
    """Six layers of nine gaussian heads, width 400, feed-forward 512, on 16×16 pixels of 12 numbers: 12.09 million."""

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.heads = GaussianHeads(400, 9)
            self.first, self.second = nn.LayerNorm(400), nn.LayerNorm(400)
            self.feed_forward = nn.Sequential(nn.Linear(400, 512), nn.GELU(), nn.Linear(512, 400))

    model = nn.Sequential(nn.Linear(12, 400), *[Layer() for _ in range(6)], nn.Linear(400, 10))
    count = sum(p.numel() for p in model.parameters())
    assert count == 12 * 400 + 400 + 6 * (1_600_827 + 1600 + 410_512) + 4010
    assert round(count / 1e6, 2) == 12.09


@pytest.mark.parametrize("kind", ["isotropic", "diagonal", "full"])
def test_gaussian_heads_are_the_definition(kind: str):
    layer = GaussianHeads(6, 4, kind=kind, out_width=5, dtype=torch.float64)
    x = torch.randn(2, 12, 6, dtype=torch.float64)
    maps = layer.weights(Grid(3, 4))
    assert maps.shape == (1, 4, 12, 12)
    mixed = (maps @ x[:, None]).transpose(1, 2).flatten(2)
    projected = nn.functional.linear(mixed, layer.value.weight, layer.value.bias)
    torch.testing.assert_close(layer(x, Grid(3, 4)), layer.out(projected), **EXACT)


@pytest.mark.parametrize("kind", ["isotropic", "diagonal", "full"])
@pytest.mark.parametrize("axes", [1, 2])
def test_heads_stay_where_they_are_put(kind: str, axes: int):
    heads = Gaussian(3, axes=axes, kind=kind, dtype=torch.float64)
    root = torch.randn(3, axes, axes, dtype=torch.float64)
    precision = {
        "isotropic": torch.rand(3, dtype=torch.float64) + 0.1,
        "diagonal": torch.rand(3, axes, dtype=torch.float64) + 0.1,
        "full": root @ root.mT + torch.eye(axes, dtype=torch.float64),
    }[kind]
    centre = torch.randn(3, axes, dtype=torch.float64)
    heads.set(centre, precision)
    torch.testing.assert_close(heads.precision, precision, rtol=1e-12, atol=1e-12)
    assert torch.equal(heads.centre, centre)
    with pytest.raises(ValueError, match="positive"):
        heads.set(centre, -precision)


def test_a_precision_stays_positive_whatever_the_optimizer_does():
    heads = Gaussian(3, kind="full")
    with torch.no_grad():
        heads.log_precision.add_(torch.randn_like(heads.log_precision) * 3)
    assert (torch.linalg.eigvalsh(heads.precision.double()) > 0).all()


@pytest.mark.parametrize("position", [Gaussian(4), Tables(4, (2, 3)), Tables(4, (2, 3), kind="axes")], ids=repr)
def test_content_plus_position_is_the_sum_of_logits(position):
    layer = PositionedMultiHead(8, position.double(), dtype=torch.float64)
    x = torch.randn(2, 12, 8, dtype=torch.float64)
    maps = layer.weights(x, keys=Grid(3, 4))
    plain = MultiHead.attention(layer, Everything(), None, Grid(3, 4))
    split = [y.unflatten(2, (4, 2)).transpose(1, 2) for y in (layer.query(x), layer.key(x))]
    both = Attention(Content() + position.term(), keys=Grid(3, 4))
    torch.testing.assert_close(maps, weights(*split, both), **EXACT)
    assert (maps - weights(*split, plain)).abs().max() > 1e-4
    v = layer.value(x).unflatten(2, (4, 2)).transpose(1, 2)
    wanted = layer.out((maps @ v).transpose(1, 2).flatten(2))
    torch.testing.assert_close(layer(x, keys=Grid(3, 4)), wanted, **EXACT)


def test_gated_heads_mix_two_softmaxes():
    layer = GatedMultiHead(8, Gaussian(4).double(), dtype=torch.float64)
    with torch.no_grad():
        layer.gate.copy_(torch.tensor([-20.0, 20.0, 0.0, 1.0]))
    x = torch.randn(2, 12, 8, dtype=torch.float64)
    maps = layer.weights(x, keys=Grid(3, 4))
    torch.testing.assert_close(maps.sum(-1), torch.ones_like(maps[..., 0]), **EXACT)
    positional = weights(None, None, Attention(layer.position.term(), keys=Grid(3, 4)))
    torch.testing.assert_close(maps[:, 1:2], positional[:, 1:2].expand(2, -1, -1, -1), rtol=0, atol=1e-8)
    assert (maps[0, 0] - maps[1, 0]).abs().max() > 1e-3  # content differs between rows, position does not
    v = layer.value(x).unflatten(2, (4, 2)).transpose(1, 2)
    wanted = layer.out((maps @ v).transpose(1, 2).flatten(2))
    torch.testing.assert_close(layer(x, keys=Grid(3, 4)), wanted, **EXACT)


def test_gated_heads_need_positions():
    with pytest.raises(ValueError, match="positions"):
        GatedMultiHead(8, Gaussian(4))(torch.randn(1, 4, 8))


def test_a_stride_computes_the_kept_pixels_alone():
    layer = GaussianHeads(5, 3, dtype=torch.float64)
    x = torch.randn(2, 30, 5, dtype=torch.float64)
    whole = layer(x, Grid(5, 6)).view(2, 5, 6, 5)
    kept = layer(x, Grid(5, 6), queries=Grid(3, 3, step=(2, 2))).view(2, 3, 3, 5)
    torch.testing.assert_close(kept, whole[:, ::2, ::2], **EXACT)


def test_in_a_line_and_under_a_mask():
    layer = GaussianHeads(5, 3, axes=1)
    x = torch.randn(2, 7, 5)
    y = layer(x, Sequence(7), mask=Causal())
    later = x.clone()
    later[:, 4:] += 1
    assert torch.equal(layer(later, Sequence(7), mask=Causal())[:, :4], y[:, :4])
    near = GaussianHeads(5, 3)
    moved = near(later, Grid(1, 7), mask=Neighbours(0, 1))[:, :3]
    torch.testing.assert_close(moved, near(x, Grid(1, 7), mask=Neighbours(0, 1))[:, :3], rtol=0, atol=1e-6)


def test_hard_heads_shift_the_image():
    layer = PositionHeads(1, Gaussian(1), project=False, bias=False, weighting=Hard())
    layer.position.set(torch.tensor([[0.0, 1.0]]), torch.ones(1))
    nn.init.ones_(layer.value.weight)
    x = torch.arange(12.0).view(1, 12, 1)
    assert layer(x, Grid(3, 4)).flatten().tolist() == [1, 2, 3, 3, 5, 6, 7, 7, 9, 10, 11, 11]


def test_a_head_learns_to_move():
    """Gradients reach centres through every layer of the library: a head finds the shift that made the data."""
    torch.manual_seed(3)
    layer = PositionHeads(1, Gaussian(1, spread=0.1), project=False, bias=False)
    nn.init.ones_(layer.value.weight)
    layer.value.weight.requires_grad_(False)
    x = torch.randn(16, 64, 1)
    target = torch.roll(x.view(16, 8, 8), (-1, 1), (1, 2))  # each pixel reads the one below it, to the left
    optimizer = torch.optim.Adam(layer.position.parameters(), lr=0.1)
    for _ in range(200):
        inside = layer(x, Grid(8, 8)).view(16, 8, 8)[:, 1:-1, 1:-1]
        loss = (inside - target[:, 1:-1, 1:-1]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert layer.position.centre.detach()[0].round().tolist() == [1, -1]
    assert loss < 0.01  # a sharp head need not stand in the middle of its pixel


def test_half_precision_values_keep_single_precision_places():
    layer = GaussianHeads(8, 3)
    layer.value.to(torch.bfloat16)
    layer.out.to(torch.bfloat16)
    y = layer(torch.randn(1, 9, 8, dtype=torch.bfloat16), Grid(3, 3))
    assert y.dtype == torch.bfloat16
    assert layer.position.term().centre.dtype == torch.float32


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Gaussian(0), "got num_heads=0; use 1 or more"),
        (lambda: Gaussian(3, axes=3), "axes must be one or two: got axes=3; use 2 for pixels"),
        (lambda: Gaussian(3, kind="round"), "unknown kind 'round': use one of isotropic, diagonal, full"),
        (lambda: Tables(3, (2, -1)), r"reach must be from 0, one for .* got reach=\(2, -1\); use \(7, 7\)"),
        (lambda: Tables(3, (2, 2), kind="rows"), "kind"),
        (lambda: Tables(3, 4, kind="axes"), "grid"),
        (lambda: GaussianHeads(0, 3), "width"),
        (lambda: GaussianHeads(4, 3)(torch.randn(1, 8, 4), Grid(3, 3)), "give 8 positions"),
        (lambda: GaussianHeads(4, 3)(torch.randn(1, 9, 5), Grid(3, 3)), "4"),
    ],
)
def test_bad_input(build, message: str, unhooked):
    with pytest.raises(ValueError, match=message):
        build()


def test_attention_of_a_layer_can_be_planned():
    layer = GaussianHeads(4, 3)
    out = attend(None, None, torch.randn(1, 1, 9, 4), layer.attention(Grid(3, 3)))
    assert out.shape == (1, 3, 9, 4)


@pytest.mark.parametrize("bias", [True, False])
def test_two_projections_may_be_one(bias: bool, monkeypatch: pytest.MonkeyPatch):
    layer = GaussianHeads(6, 4, out_width=5, bias=bias, dtype=torch.float64)
    x = torch.randn(2, 12, 6, dtype=torch.float64, requires_grad=True)
    leaves = [x, *layer.parameters()]
    wanted = layer(x, Grid(3, 4))
    monkeypatch.setattr(GaussianHeads, "_folds", lambda *_: True)
    got = layer(x, Grid(3, 4))
    torch.testing.assert_close(got, wanted)
    grad = torch.randn_like(wanted)
    for mine, other in zip(
        torch.autograd.grad(got, leaves, grad), torch.autograd.grad(wanted, leaves, grad), strict=True
    ):
        torch.testing.assert_close(mine, other)
