"""AttentionConv and ThinHeads as drop-ins: shapes, borders, strides, gradients, and every message."""

import copy

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d, pad

from regard import attend
from regard.attention import Attention, Grid, Hard, Quadratic
from regard.layers.convolutional import AttentionConv, Stencil, ThinHeads
from tests.refusals import refused


def build(stencil: Stencil, **options) -> AttentionConv:
    return AttentionConv(3, 4, stencil, dtype=torch.float64, **options)


def kernel(layer: AttentionConv) -> Tensor:
    """The weights of the layer as those of a convolution."""
    return layer.taps().permute(2, 1, 0).unflatten(2, layer.stencil.size)


def by_torch(layer: AttentionConv, x: Tensor) -> Tensor:
    """The convolution on the grid that the layer claims to be, by torch's own words."""
    stencil = layer.stencil
    mode = "constant" if stencil.padding_mode == "zeros" else "replicate"
    padded = pad(x, stencil.widths_of_pads(), mode)
    bias = layer.heads.value.bias
    return conv2d(padded, kernel(layer), bias, stride=stencil.strides, dilation=stencil.dilations)


STENCILS = {
    "plain": Stencil(size=(3, 3)),
    "same": Stencil(size=(3, 5), padding="same"),
    "valid": Stencil(size=(5, 3), padding="valid", stride=2),
    "one tap": Stencil(size=(1, 1), stride=(2, 3)),
    "uneven": Stencil(size=(3, 5), padding=(2, 1), stride=(2, 1), dilation=(1, 2)),
    "an even kernel": Stencil(size=(2, 4), padding=(1, 2)),
    "an even kernel, same": Stencil(size=(2, 4), padding="same", dilation=(3, 1)),
    "patches": Stencil(size=(4, 4), stride=4),
    "replicate": Stencil(size=(3, 3), padding="same", padding_mode="replicate", dilation=2),
    "replicate, more than the reach": Stencil(size=(3, 3), padding=(4, 3), padding_mode="replicate"),
    "replicate, less than the reach": Stencil(size=(5, 7), padding=(1, 2), padding_mode="replicate", stride=(1, 2)),
    "zeros, more than the reach": Stencil(size=(3, 3), padding=5),
}


@pytest.mark.parametrize("name", STENCILS)
@pytest.mark.parametrize("weighting", [Hard(), None], ids=["Hard", "Softmax"])
def test_heads_on_the_taps_are_the_convolution(name: str, weighting: Hard | None):
    layer = build(STENCILS[name], weighting=weighting, sharpness=45.0)
    x = torch.randn(2, 3, 9, 8, dtype=torch.float64)
    torch.testing.assert_close(layer(x), by_torch(layer, x), rtol=1e-12, atol=1e-12)


def test_nine_heads_are_a_3x3_convolution_of_any_number_of_channels_as_nyu_2b_corrected():
    for out in (1, 2, 17):
        layer = AttentionConv(3, out, Stencil(size=(3, 3), padding=1), weighting=Hard(), dtype=torch.float64)
        assert layer.heads.num_heads == 9
        x = torch.randn(1, 3, 5, 6, dtype=torch.float64)
        torch.testing.assert_close(layer(x), by_torch(layer, x), rtol=1e-12, atol=1e-12)


def test_in_a_line():
    stencil = Stencil(size=(5,), stride=2, padding=3, dilation=2)
    layer = build(stencil, weighting=Hard())
    x = torch.randn(2, 3, 11, dtype=torch.float64)
    theirs = torch.nn.functional.conv1d(x, kernel(layer), layer.heads.value.bias, stride=2, padding=3, dilation=2)
    torch.testing.assert_close(layer(x), theirs, rtol=1e-12, atol=1e-12)


def test_blunt_heads_are_not_the_convolution():
    layer = build(STENCILS["same"], sharpness=0.5)
    x = torch.randn(2, 3, 9, 8, dtype=torch.float64)
    assert (layer(x) - by_torch(layer, x)).abs().max() > 0.1


def test_pads_must_be_visible_as_conv_e1():
    """Without pads as keys, heads at the border go to the nearest pixel: right for replicate, wrong for zeros."""
    layer = build(Stencil(size=(3, 3), padding=1), weighting=Hard())
    x = torch.randn(1, 3, 5, 5, dtype=torch.float64)
    unpadded = layer.heads(x.flatten(2).mT, Grid(5, 5)).mT.unflatten(2, (5, 5))
    right = layer(x)
    torch.testing.assert_close(unpadded[..., 1:-1, 1:-1], right[..., 1:-1, 1:-1])
    assert (unpadded - right).abs().max() > 0.1
    replicate = conv2d(pad(x, (1, 1, 1, 1), "replicate"), kernel(layer), layer.heads.value.bias)
    torch.testing.assert_close(unpadded, replicate, rtol=1e-12, atol=1e-12)


def test_a_stride_computes_the_kept_pixels_alone_as_conv_e3():
    stencil = Stencil(size=(3, 3), padding=1, stride=(2, 3))
    layer, full = build(stencil), build(Stencil(size=(3, 3), padding=1))
    full.load_state_dict(layer.state_dict())
    x = torch.randn(1, 3, 8, 10, dtype=torch.float64)
    assert layer.weights((8, 10)).shape[2] == 4 * 4  # ⌈8/2⌉ · ⌈10/3⌉ queries
    torch.testing.assert_close(layer(x), full(x)[:, :, ::2, ::3])
    pooled = torch.nn.functional.avg_pool2d(full(x), (2, 3), ceil_mode=True)
    assert (pooled - layer(x)).abs().max() > 0.1  # a pooling that mixes is no stride


def test_it_is_what_attend_computes():
    layer = build(Stencil(size=(3, 3), padding="same", padding_mode="replicate"), sharpness=0.7)
    x = torch.randn(2, 3, 4, 5, dtype=torch.float64)
    term = Quadratic(layer.position.centre, layer.position.precision)
    o = attend(None, None, x.flatten(2).mT[:, None], Attention(term, queries=Grid(4, 5), keys=Grid(4, 5)))
    y = torch.einsum("bhtc,hco->bot", o, layer.taps()) + layer.heads.value.bias[:, None]
    torch.testing.assert_close(layer(x), y.unflatten(2, (4, 5)))


@pytest.mark.parametrize("kind", ["isotropic", "diagonal", "full"])
@pytest.mark.parametrize("name", ["uneven", "replicate"])
def test_gradients_of_values_weights_centres_and_precisions(kind: str, name: str):
    layer = build(STENCILS[name], kind=kind, sharpness=0.6, num_heads=4)
    names, tensors = zip(*layer.named_parameters(), strict=True)
    assert {"heads.position.centre", "heads.position.log_precision", "heads.value.weight"} <= set(names)
    x = torch.randn(1, 3, 5, 8, dtype=torch.float64, requires_grad=True)

    def run(x: Tensor, *parameters: Tensor) -> Tensor:
        return torch.func.functional_call(layer, dict(zip(names, parameters, strict=True)), (x,))

    assert torch.autograd.gradcheck(run, (x, *tensors), fast_mode=True)
    for gradient in torch.autograd.grad(layer(x).square().sum(), tensors):
        assert gradient.abs().max() > 0


def test_hard_heads_learn_their_weights_alone():
    layer = build(Stencil(size=(3, 3)), weighting=Hard())
    layer(torch.randn(1, 3, 5, 5, dtype=torch.float64)).sum().backward()
    assert layer.position.centre.grad is None
    assert layer.heads.value.weight.grad is not None


def test_a_head_finds_the_pixel_that_it_should_read():
    layer = AttentionConv(1, 1, Stencil(size=(1, 1), padding_mode="replicate"), sharpness=0.7)
    x = torch.randn(4, 1, 8, 8)
    wanted = x.roll((-1, 1), (2, 3))[..., 1:-1, 1:-1]  # the pixel one below and one to the left
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.2)
    for _ in range(60):
        optimizer.zero_grad()
        (layer(x)[..., 1:-1, 1:-1] - wanted).square().mean().backward()
        optimizer.step()
    assert (layer.position.centre - torch.tensor([[1.0, -1.0]])).abs().max() < 0.1
    assert layer.position.precision.min() > 2  # and has become sharp


def test_a_drop_in():
    layer = build(Stencil(size=(3, 3), padding=1))
    x = torch.randn(2, 3, 5, 6, dtype=torch.float64)
    y = layer(x)
    assert y.view(2, -1).shape == (2, 4 * 30)  # contiguous, like a convolution's
    torch.testing.assert_close(layer(x[0]), y[0])  # a single image
    twin = build(Stencil(size=(3, 3), padding=1), sharpness=3.0)
    twin.load_state_dict(layer.state_dict())
    assert torch.equal(twin(x), y)
    assert torch.equal(copy.deepcopy(layer)(x), y)
    half = copy.deepcopy(layer).bfloat16()
    assert half(x.bfloat16()).dtype == torch.bfloat16
    assert (half(x.bfloat16()).double() - y).abs().max() < 0.05
    assert "size=(3, 3)" in repr(layer)


def test_fewer_heads_take_the_taps_nearest_to_the_middle():
    layer = build(Stencil(size=(3, 3), dilation=2), num_heads=5)
    assert layer.position.centre.tolist() == [[-2, 0], [0, -2], [0, 0], [0, 2], [2, 0]]


def test_weights_start_as_a_convolution_starts_them():
    layer = AttentionConv(16, 32, Stencil(size=(3, 3)))
    limit = nn.Conv2d(16, 32, 3).weight.detach().abs().max()
    assert layer.taps().detach().abs().max() == pytest.approx(float(limit), rel=0.02)


@pytest.mark.parametrize("mode", ["zeros", "replicate"])
@pytest.mark.parametrize("size", [(3, 3), (2, 5)])
def test_thin_heads_are_softmaxes_over_the_taps(mode: str, size: tuple[int, int]):
    stencil = Stencil(size=size, padding=(2, 1), stride=(1, 2), dilation=(2, 1), padding_mode=mode)
    layer = ThinHeads(torch.tensor([0, 1, 1]), 2, stencil, dtype=torch.float64)
    nn.init.normal_(layer.logits)
    x = torch.randn(2, 2, 7, 8, dtype=torch.float64)
    share = layer.logits.flatten(1).softmax(1).view_as(layer.logits)
    weight = torch.zeros(2, 2, *size, dtype=torch.float64)
    for head, channel in enumerate((0, 1, 1)):
        weight[:, channel] += layer.mix.weight[:, head, None, None] * share[head]
    padded = pad(x, stencil.widths_of_pads(), "constant" if mode == "zeros" else "replicate")
    theirs = conv2d(padded, weight, layer.mix.bias, stride=stencil.strides, dilation=stencil.dilations)
    torch.testing.assert_close(layer(x), theirs, rtol=1e-12, atol=1e-12)
    assert torch.autograd.grad(layer(x).square().sum(), layer.logits)[0].abs().max() > 0


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 3}, "size must have one entry in a line, two on a grid: got size=3; use (3, 3)"),
        ({"size": (3, 3, 3)}, "size must have one entry in a line, two on a grid: got size=(3, 3, 3)"),
        ({"size": (3, 0)}, "size must be a whole number from 1, or 2 of them: got size=(3, 0)"),
        ({"size": (3,), "stride": 0}, "stride must be a whole number from 1, or 1 of them: got stride=0"),
        ({"size": (3, 3), "stride": 1.5}, "stride must be a whole number from 1, or 2 of them: got stride=1.5"),
        ({"size": (3, 3), "dilation": (1,)}, "dilation must be a whole number from 1, or 2 of them: got dilation=(1,)"),
        ({"size": (3, 3), "padding": -1}, "got padding=-1; or use 'same' or 'valid'"),
        ({"size": (3, 3), "padding": "full"}, "got padding='full'; or use 'same' or 'valid'"),
        (
            {"size": (3, 3), "padding": "same", "stride": (1, 2)},
            "padding='same' needs stride 1: got stride=(1, 2); give the padding in numbers",
        ),
        ({"size": (3, 3), "padding_mode": "circular"}, "got 'circular'; pad the image yourself, and use padding=0"),
        ({"size": (3, 3), "padding_mode": "reflect"}, "padding_mode must be 'zeros' (visible pads) or 'replicate'"),
    ],
)
def test_stencils_that_are_none(options: dict, message: str):
    with refused(message):
        Stencil(**options)


@pytest.mark.usefixtures("unhooked")
def test_layers_and_images_that_do_not_fit():
    stencil = Stencil(size=(3, 3))
    with refused("num_heads must be from 1 to the kernel's 9 taps: got num_heads=10; use a larger kernel"):
        AttentionConv(3, 4, stencil, num_heads=10)
    with refused("sharpness must be positive and finite: got sharpness=inf; the limit is weighting=Hard()"):
        AttentionConv(3, 4, stencil, sharpness=float("inf"))
    with refused("sharpness must be positive and finite: got sharpness=-1"):
        AttentionConv(3, 4, stencil, sharpness=-1)
    with refused("width must be a whole number from 1 to below 2^62: got width=0"):
        AttentionConv(0, 4, stencil)
    layer = AttentionConv(3, 4, stencil)
    with refused("x must be (B, 3, h, w): got shape (1, 4, 5, 5)"):
        layer(torch.zeros(1, 4, 5, 5))
    with refused("x must be (B, 3, h, w): got shape (3, 5)"):
        layer(torch.zeros(3, 5))
    with refused("the padded image must hold the kernel: got an image of (2, 5) for Stencil(size=(3, 3)"):
        layer(torch.zeros(1, 3, 2, 5))
    with refused("x must be (B, 3, n): got shape (1, 2, 7)"):
        AttentionConv(3, 4, Stencil(size=(3,)))(torch.zeros(1, 2, 7))
    with refused("x must be (B, 2, h, w): got shape (1, 3, 5, 5)"):
        ThinHeads(torch.tensor([0, 1]), 3, stencil)(torch.zeros(1, 3, 5, 5))


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=pytest.mark.slow)])
@pytest.mark.parametrize("weighting", [Hard(), None], ids=["Hard", "Softmax"])
def test_it_compiles_to_one_graph(weighting: Hard | None, backend: str):
    torch.compiler.reset()
    layer = AttentionConv(3, 4, STENCILS["uneven"], weighting=weighting)
    x = torch.randn(2, 3, 9, 8)
    compiled = torch.compile(layer, fullgraph=True, backend=backend)
    torch.testing.assert_close(compiled(x), layer(x), rtol=1e-5, atol=1e-5)
