"""What went wrong once, or would without anyone noticing: autocast, kept tensors, second derivatives, far places."""

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from regard import attend
from regard.analysis import attention_from_conv, attention_from_network, prune
from regard.attention import Attention, Content, Grid, Hard, Quadratic
from regard.attention.reference import reference
from regard.layers import AttentionConv, GatedMultiHead, Gaussian, GaussianHeads, PositionedMultiHead, Stencil

LAYERS = {
    "gaussian heads": lambda: (GaussianHeads(16, 4), True),
    "full gaussian heads": lambda: (GaussianHeads(16, 4, kind="full"), True),
    "content and position": lambda: (PositionedMultiHead(16, Gaussian(4)), False),
    "gated": lambda: (GatedMultiHead(16, Gaussian(4)), False),
}


def call(layer: nn.Module, alone: bool, x: torch.Tensor) -> torch.Tensor:
    return layer(x, Grid(6, 6)) if alone else layer(x, keys=Grid(6, 6))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", LAYERS)
def test_autocast_trains(name: str, dtype: torch.dtype):
    layer, alone = LAYERS[name]()
    x = torch.randn(2, 36, 16).to(dtype)
    with torch.autocast("cpu", torch.bfloat16):
        y = call(layer, alone, x)
    y.float().square().sum().backward()
    assert y.dtype == torch.bfloat16
    assert all(p.grad is not None and p.grad.isfinite().all() for p in layer.parameters())
    exact = call(layer, alone, x.float())
    assert (y.float() - exact).norm() < 0.02 * exact.norm()


def test_autocast_leaves_a_precision_alone():
    heads = Gaussian(3, kind="full")
    with torch.no_grad():
        heads.log_precision.add_(torch.randn_like(heads.log_precision))
    wide = heads.precision
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(heads.precision, wide)


@pytest.mark.parametrize("name", LAYERS)
def test_inference_does_not_spoil_training(name: str):
    layer, alone = LAYERS[name]()
    x = torch.randn(2, 36, 16)
    with torch.inference_mode():
        call(layer, alone, x)
    call(layer, alone, x).sum().backward()


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_of_inference_mode_works_there(name: str):
    with torch.inference_mode():
        layer, alone = LAYERS[name]()
        assert call(layer, alone, torch.randn(2, 36, 16)).isfinite().all()


def test_fake_tensors_are_not_kept():
    layer = GaussianHeads(16, 4)
    with FakeTensorMode(allow_non_fake_inputs=True):
        layer(torch.randn(2, 35, 16), Grid(5, 7))
    assert type(layer(torch.randn(2, 35, 16), Grid(5, 7))) is torch.Tensor


@pytest.mark.parametrize("algorithm", ["shared", "separable"])
def test_a_second_derivative_is_refused_where_it_would_be_wrong(algorithm: str):
    v = torch.randn(2, 1, 12, 64, requires_grad=True)
    centre = torch.randn(2, 2, requires_grad=True)
    value = Attention(Quadratic(centre, torch.ones(2)), keys=Grid(3, 4))
    out = attend(None, None, v, value, algorithm=algorithm)
    (first,) = torch.autograd.grad(out.square().sum(), v, create_graph=True)
    with pytest.raises(RuntimeError, match="no second derivative; use algorithm='reference'"):
        first.square().sum().backward()


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # torch warns itself
@pytest.mark.parametrize("name", ["gaussian heads", "full gaussian heads"])
def test_transforms_of_functions(name: str):
    """`torch.func.grad` and a derivative in a direction agree with autograd."""
    layer, alone = LAYERS[name]()
    x, along = torch.randn(2, 36, 16), torch.randn(2, 36, 16)

    def loss(x: torch.Tensor) -> torch.Tensor:
        return call(layer, alone, x).square().sum()

    leaf = x.clone().requires_grad_()
    (wanted,) = torch.autograd.grad(loss(leaf), leaf)
    torch.testing.assert_close(torch.func.grad(loss)(x), wanted, rtol=1e-4, atol=1e-4)
    _, slope = torch.func.jvp(loss, (x,), (along,))
    torch.testing.assert_close(slope, (wanted * along).sum(), rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("distance", [3.0, 30.0, 300.0])
def test_far_centres_keep_their_gradients(distance: float):
    """Content plus a gaussian, in float32: the gradients of centre and precision against float64."""
    q, k, v = (torch.randn(1, 1, 144, 8) for _ in range(3))
    centre, precision = torch.tensor([[distance, 1.0]]), torch.tensor([0.2])
    grad = torch.randn(1, 1, 144, 8)

    def gradients(dtype: torch.dtype, run) -> list[torch.Tensor]:
        leaves = [x.to(dtype).requires_grad_() for x in (centre, precision)]
        value = Attention(Content() + Quadratic(*leaves), keys=Grid(12, 12))
        out = run(q.to(dtype), k.to(dtype), v.to(dtype), value)
        return [x.double() for x in torch.autograd.grad(out, leaves, grad.to(dtype))]

    exact = gradients(torch.float64, lambda *call: reference(*call)[0])
    for got, wanted in zip(gradients(torch.float32, attend), exact, strict=True):
        torch.testing.assert_close(got, wanted, rtol=2e-3, atol=2e-3)


def test_a_far_head_keeps_its_digits_without_content():
    v = torch.randn(1, 1, 64, 3)
    value = Attention(Quadratic(torch.tensor([[1000.0, 0.4]]), torch.ones(1)), keys=Grid(8, 8))
    wide = Attention(Quadratic(torch.tensor([[1000.0, 0.4]]).double(), torch.ones(1).double()), keys=Grid(8, 8))
    exact = attend(None, None, v.double(), wide, algorithm="reference")
    for name in ("shared", "separable"):
        torch.testing.assert_close(attend(None, None, v, value, algorithm=name).double(), exact, rtol=0, atol=1e-6)


def test_a_module_that_occurs_twice_counts_twice():
    conv = nn.Conv2d(1, 1, 3, padding=1, bias=False).double()
    nn.init.ones_(conv.weight)
    network = nn.Sequential(conv, conv)
    converted, certificate = attention_from_network(network, sharpness=2.0, norm=1.0)
    bound = certificate.bound()
    assert bound is not None
    for _ in range(20):
        x = torch.randn(1, 1, 8, 8, dtype=torch.float64).sign()
        assert (converted(x) - network(x)).norm(dim=1).max() <= bound


def test_far_taps_of_a_half_precision_convolution():
    conv = nn.Conv1d(1, 1, 3, padding=257, dilation=257, bias=False).bfloat16()
    layer, certificate = attention_from_conv(conv, weighting=Hard(), norm=1.0)
    x = torch.ones(1, 1, 600).bfloat16() * torch.linspace(-1, 1, 600).bfloat16()
    error = (layer(x) - conv(x)).double().norm(dim=1).max()
    assert error <= certificate.bound(1.0)


def test_layers_can_be_made_without_numbers():
    AttentionConv(3, 8, Stencil(size=(3, 3)), device="meta")
    GaussianHeads(8, 3, kind="full", device="meta")


def test_half_precision_layers_keep_whole_places():
    layer = AttentionConv(1, 1, Stencil(size=(3, 3)), kind="full", dtype=torch.bfloat16)
    assert layer.position.centre.dtype == torch.float32


@pytest.mark.parametrize("extreme", [-200.0, 200.0])
def test_a_precision_cannot_run_away(extreme: float):
    layer = GaussianHeads(4, 2)
    with torch.no_grad():
        layer.position.log_precision.fill_(extreme)
    assert layer(torch.randn(1, 9, 4), Grid(3, 3)).isfinite().all()


def test_heads_to_prune_may_come_in_a_tensor():
    layer = GaussianHeads(4, 5)
    pruned, change = prune(layer, torch.tensor([0, 3]))
    assert pruned.num_heads == 3
    assert change.removed == (0, 3)


@pytest.mark.parametrize("options", [{"step": 2}, {"start": 1}, {"start": [0, 0]}, {"start": (0.5, 0.5)}])
def test_a_grid_says_what_it_needs(options: dict, unhooked):
    with pytest.raises(ValueError, match="two whole numbers"):
        Grid(2, 2, **options)


def test_a_position_must_be_one(unhooked):
    from regard.layers import PositionHeads

    with pytest.raises(ValueError, match=r"use Gaussian\(num_heads\)"):
        PositionHeads(8, 9)
