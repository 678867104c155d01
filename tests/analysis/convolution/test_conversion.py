"""Convolutions into attention and back: exact under Hard, within the certificate under Softmax; signs, thin heads."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from regard.analysis import (
    Certificate,
    attention_as_printed,
    attention_from_conv,
    conv_from_attention,
    thin_attention_from_conv,
    thin_conv,
)
from regard.attention import Grid, Hard, Sequence
from regard.layers import GaussianHeads, PositionHeads
from regard.layers.convolutional import AttentionConv, Stencil

# Torch warns that it copies the image for an even kernel and padding="same".
pytestmark = pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")


@st.composite
def convolutions(draw: st.DrawFn, dtype: torch.dtype = torch.float64) -> tuple[nn.Module, Tensor]:
    """Any convolution that can be converted, and an image for it."""
    axes = draw(st.integers(1, 2))

    def each(*choices: int) -> tuple[int, ...]:
        return tuple(draw(st.sampled_from(choices)) for _ in range(axes))

    kernel, dilation = each(1, 2, 3, 5), each(1, 2, 3)
    padding = draw(st.sampled_from(["numbers", "numbers", "same", "valid"]))
    stride = (1,) * axes if padding == "same" else each(1, 2, 3)
    groups, inside, out = draw(st.sampled_from([1, 1, 2, 3])), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    torch.manual_seed(draw(st.integers(0, 1000)))
    conv = (nn.Conv1d if axes == 1 else nn.Conv2d)(
        groups * inside,
        groups * out,
        kernel,
        stride,
        each(0, 1, 2, 5) if padding == "numbers" else padding,
        dilation,
        groups=groups,
        bias=draw(st.booleans()),
        padding_mode=draw(st.sampled_from(["zeros", "replicate"])),
        dtype=dtype,
    )
    sizes = [d * (k - 1) + 1 + draw(st.sampled_from([0, 1, 4])) for k, d in zip(kernel, dilation, strict=True)]
    return conv, torch.randn(2, groups * inside, *sizes, dtype=dtype)


def error_of(ours: nn.Module, theirs: nn.Module, x: Tensor) -> float:
    """The largest norm of a pixel's difference."""
    with torch.no_grad():
        left, right = ours(x), theirs(x)
    assert left.shape == right.shape
    return float((left.double() - right.double()).norm(dim=1).max())


def norm_of(x: Tensor) -> float:
    return float(x.norm(dim=1).max())


@given(case=convolutions())
def test_hard_heads_are_the_convolution(case: tuple[nn.Conv2d, Tensor]):
    conv, x = case
    layer, certificate = attention_from_conv(conv, weighting=Hard())
    assert error_of(layer, conv, x) < 1e-12
    assert certificate.truncation(norm_of(x)) == 0
    back, _ = conv_from_attention(layer)
    assert error_of(back, conv, x) < 1e-12


@given(case=convolutions(), sharpness=st.floats(0.1, 45))
def test_soft_heads_are_within_the_certificate(case: tuple[nn.Conv2d, Tensor], sharpness: float):
    conv, x = case
    layer, certificate = attention_from_conv(conv, sharpness=sharpness)
    assert error_of(layer, conv, x) <= certificate.bound(norm_of(x))
    back, certificate = conv_from_attention(layer)
    assert error_of(back, layer, x) <= certificate.bound(norm_of(x))
    assert error_of(back, conv, x) < 1e-12


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_narrow_types_are_within_the_certificate(dtype: torch.dtype):
    for seed in range(20):
        torch.manual_seed(seed)
        conv = nn.Conv2d(8, 8, 3, padding=2, dilation=2, padding_mode=("zeros", "replicate")[seed % 2]).to(dtype)
        x = torch.randn(2, 8, 7, 9).to(dtype)
        for sharpness in (2.0, 8.0, None):
            layer, certificate = attention_from_conv(conv, sharpness=sharpness)
            assert certificate.dtype == dtype
            assert error_of(layer, conv, x) <= certificate.bound(norm_of(x.double()))


def test_the_certificate_is_not_vacuous():
    """For random kernels and images the bound is some ten times the error: 9 on average, 50 at most."""
    ratios = []
    for seed in range(40):
        torch.manual_seed(seed)
        padding_mode = ("zeros", "replicate")[seed % 2]
        conv = nn.Conv2d(4, 5, 3, padding=seed % 3, padding_mode=padding_mode).double()
        x = torch.randn(2, 4, 8, 8).double()
        layer, certificate = attention_from_conv(conv, sharpness=(1.0, 4.0, 9.0, 16.0)[seed % 4])
        ratios.append(certificate.bound(norm_of(x)) / error_of(layer, conv, x))
    assert min(ratios) >= 1
    assert sum(ratios) / len(ratios) < 20
    assert max(ratios) < 100


def test_an_error_may_be_asked_for_and_is_met_tightly():
    conv = nn.Conv2d(3, 8, 5, padding=2, stride=2).double()
    x = torch.randn(2, 3, 11, 11).double()
    for error in (1e-1, 1e-4, 1e-9):
        layer, certificate = attention_from_conv(conv, error=error, norm=norm_of(x))
        assert error_of(layer, conv, x) <= certificate.bound() <= error
        assert certificate.bound() > 0.999 * error
    for error in torch.linspace(0.01, 0.1, 20).tolist():  # though float32 rounds the sharpness
        _, certificate = attention_from_conv(nn.Conv2d(3, 8, 5), error=error, norm=2.0)
        assert 0.99 * error < certificate.bound() <= error


def test_a_smaller_bound_than_the_certificate_is_refuted():
    """The negative control: with the gap as 1 − θ(2α)^−P, a plausible mistake, the error is larger than the bound."""
    conv = nn.Conv2d(4, 5, 3, padding=1).double()
    x = torch.randn(2, 4, 8, 8).double()
    layer, certificate = attention_from_conv(conv, sharpness=4.0)
    assert error_of(layer, conv, x) > certificate.bound(norm_of(x), sharpness=8.0)


ASYMMETRIC = {
    "one side": nn.Conv2d(3, 4, 3, padding=1).double(),
    "line": nn.Conv1d(3, 4, 5, padding=4, dilation=2).double(),
}


@pytest.mark.parametrize("conv", ASYMMETRIC.values(), ids=ASYMMETRIC)
def test_both_signs_are_right_and_the_printed_one_is_the_flipped_kernel_as_conv_c2(conv: nn.Conv2d):
    x = torch.randn(2, 3, *[9] * (conv.weight.ndim - 2)).double()
    ours, _ = attention_from_conv(conv, sign="key − query")
    theirs, _ = attention_from_conv(conv, sign="query - key")
    assert error_of(ours, conv, x) < 1e-13
    assert error_of(theirs, conv, x) < 1e-13
    assert torch.equal(ours.position.centre, -theirs.position.centre)
    assert torch.equal(ours.taps(), theirs.taps().flip(0))

    printed = attention_as_printed(conv)
    assert torch.equal(printed.position.centre, theirs.position.centre)
    assert torch.equal(printed.taps(), ours.taps())
    with torch.no_grad():
        assert error_of(printed, conv, x) > 0.3 * norm_of(conv(x))  # off by its own size
    flipped, _ = conv_from_attention(printed)
    axes = tuple(range(2, conv.weight.ndim))
    torch.testing.assert_close(flipped.weight, conv.weight.flip(axes), rtol=0, atol=0)
    symmetric = nn.Conv2d(3, 4, 3, padding=1).double() if len(axes) == 2 else nn.Conv1d(3, 4, 5).double()
    symmetric.weight.data += symmetric.weight.data.flip(axes)
    assert error_of(attention_as_printed(symmetric), symmetric, x) < 1e-13


def test_fewer_heads_keep_the_largest_taps_and_the_certificate_counts_the_others():
    conv = nn.Conv2d(3, 4, 3, padding=1).double()
    conv.weight.data[:, :, 0] *= 1e-3
    x = torch.randn(1, 3, 6, 6).double()
    layer, certificate = attention_from_conv(conv, num_heads=6)
    assert layer.position.centre[:, 0].tolist() == [0, 0, 0, 1, 1, 1]
    assert certificate.missing > 0
    assert 1e-5 < error_of(layer, conv, x) <= certificate.bound(norm_of(x)) < 0.1


def test_thin_soft_heads_are_any_convolution_as_conv_c2r():
    for conv in (
        nn.Conv2d(3, 4, 3, stride=2, padding=1),
        nn.Conv2d(4, 2, (5, 2), padding="same", dilation=(1, 2), padding_mode="replicate", groups=2),
        nn.Conv1d(2, 3, 3, padding=5, bias=False),
    ):
        layer = thin_attention_from_conv(conv.double())
        x = torch.randn(2, conv.in_channels, *[7] * (conv.weight.ndim - 2)).double()
        assert error_of(layer, conv, x) < 1e-13
        assert len(layer.logits) == 2 * conv.in_channels * conv.out_channels


def test_thin_one_hot_heads_are_not_as_conv_c2r():
    """A head of value width D_o has rank W^h ≤ D_o: what it misses at least, and who attains it."""
    conv = nn.Conv2d(4, 4, 3, padding=1, bias=False).double()
    for width in (1, 2, 3):
        thin, miss = thin_conv(conv, width)
        taps = thin.weight.detach().flatten(2).permute(2, 0, 1)
        assert torch.linalg.matrix_rank(taps).max() == width
        values = torch.linalg.svdvals(conv.weight.detach().flatten(2).permute(2, 0, 1))
        assert miss == pytest.approx(float(values[:, width].max()))
        # Any other thin layer misses as much: of width + 1 orthogonal inputs one is outside what its tap sees.
        worst = int(values[:, width].argmax())
        other = torch.randn(4, width).double() @ torch.randn(width, 4).double()
        gap = conv.weight.detach().flatten(2)[:, :, worst] - other
        assert float(torch.linalg.matrix_norm(gap, 2)) >= miss
        assert error_of(thin, conv, torch.randn(1, 4, 5, 5).double()) > 0.1 * miss
    same, miss = thin_conv(conv, 4)
    assert miss == 0
    assert error_of(same, conv, torch.randn(1, 4, 5, 5).double()) < 1e-13


class Image(nn.Module):
    """Heads on tokens, taking images."""

    def __init__(self, layer: PositionHeads) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor) -> Tensor:
        sizes = tuple(x.shape[2:])
        positions = Grid(*sizes) if len(sizes) == 2 else Sequence(*sizes)
        return self.layer(x.flatten(2).mT, positions).mT.unflatten(2, sizes)


@st.composite
def heads(draw: st.DrawFn) -> tuple[GaussianHeads, Tensor]:
    axes, H = draw(st.integers(1, 2)), draw(st.integers(1, 6))
    kind = draw(st.sampled_from(["isotropic", "diagonal"]))
    torch.manual_seed(draw(st.integers(0, 1000)))
    flags = {"project": draw(st.booleans()), "bias": draw(st.booleans())}
    weighting = Hard() if draw(st.booleans()) else None
    layer = GaussianHeads(3, H, axes=axes, kind=kind, out_width=4, **flags, weighting=weighting, dtype=torch.float64)
    nn.init.normal_(layer.value.weight)
    halves = torch.randint(-8, 9, (H, axes)).double() / 2
    shift = draw(st.sampled_from([0.0, 0.1, 0.4])) * (2 * torch.rand(H, axes).double() - 1)
    precision = draw(st.floats(0.2, 40)) * (0.5 + torch.rand(layer.position.log_precision.shape).double())
    layer.position.set(halves + shift, precision)
    return layer, torch.randn(2, 3, *[draw(st.sampled_from([1, 4, 7])) for _ in range(axes)]).double()


@given(case=heads())
def test_gaussian_heads_anywhere_are_within_the_certificate_of_their_convolution(case: tuple[GaussianHeads, Tensor]):
    layer, x = case
    conv, certificate = conv_from_attention(layer)
    assert conv.padding_mode == "replicate"
    assert all(size % 2 for size in conv.kernel_size)
    assert error_of(Image(layer), conv, x) <= certificate.bound(norm_of(x))


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    mode=st.sampled_from(["zeros", "replicate"]),
    padding=st.sampled_from([0, 1, 3]),
    weighting=st.sampled_from([Hard(), None]),
)
def test_heads_that_left_their_taps_are_held_by_another_kernel(
    seed: int, mode: str, padding: int, weighting: Hard | None
):
    torch.manual_seed(seed)
    stencil = Stencil(size=(3, 5), padding=padding, stride=(2, 1), padding_mode=mode)
    layer = AttentionConv(2, 3, stencil, weighting=weighting, dtype=torch.float64)
    layer.place_heads(torch.randint(-4, 5, (15, 2)) + 0.2 * torch.rand(15, 2), 5.0)
    conv, certificate = conv_from_attention(layer)
    x = torch.randn(2, 2, 7, 8).double()
    assert error_of(layer, conv, x) <= certificate.bound(norm_of(x))


def test_the_smallest_odd_kernel_and_a_common_dilation_are_found():
    layer = GaussianHeads(2, 4, dtype=torch.float64)
    layer.position.set(torch.tensor([[0, -6], [4, 0], [4, 0], [-4, 3]]).double(), torch.full((4,), 30.0).double())
    conv, _ = conv_from_attention(layer)
    assert (conv.kernel_size, conv.dilation, conv.padding) == ((3, 5), (4, 3), (4, 6))
    taps = (layer.out.weight @ layer.value.weight).T.unflatten(0, (4, 2))
    torch.testing.assert_close(conv.weight[:, :, 2, 2], (taps[1] + taps[2]).T)  # two heads on one tap add up
    inward = AttentionConv(2, 3, Stencil(size=(3, 3), dilation=2), weighting=Hard(), dtype=torch.float64)
    inward.place_heads(inward.position.centre.detach() / 2, 5.0)  # no head reaches as far as the first query stands
    conv, _ = conv_from_attention(inward)
    assert (conv.kernel_size, conv.dilation, conv.padding) == ((5, 5), (1, 1), (0, 0))
    assert error_of(conv, inward, torch.randn(1, 2, 7, 8).double()) < 1e-13


def test_half_way_between_two_pixels_a_hard_head_is_the_first_ones_tap():
    layer = AttentionConv(2, 3, Stencil(size=(3, 3), padding=1), weighting=Hard(), dtype=torch.float64)
    layer.place_heads(layer.position.centre.detach() + 0.5, 5.0)
    conv, certificate = conv_from_attention(layer)
    assert certificate.truncation(1.0) == 0
    assert error_of(conv, layer, torch.randn(1, 2, 7, 8).double()) < 1e-13


def test_a_full_covariance_is_certified_where_no_target_leaves_the_keys():
    torch.manual_seed(3)
    stencil = Stencil(size=(3, 3), padding=1)
    matrix = torch.tensor([[5.0, 4.5], [4.5, 5.0]]).double().expand(9, 2, 2)
    x = torch.randn(2, 2, 8, 8).double()
    for mode, scope in (("zeros", "everywhere"), ("replicate", "inside")):
        stencil = Stencil(size=(3, 3), padding=1, padding_mode=mode)
        layer = AttentionConv(2, 3, stencil, kind="full", dtype=torch.float64)
        layer.position.set(stencil.offsets().double(), matrix)
        conv, certificate = conv_from_attention(layer)
        assert certificate.scope == scope
        difference = (layer(x) - conv(x)).detach().norm(dim=1)
        assert difference[:, 1:-1, 1:-1].max() <= certificate.bound(norm_of(x)) < 20
        if scope == "everywhere":
            assert difference.max() <= certificate.bound(norm_of(x))


def test_gradients_flow_through_the_converted_layer():
    conv = nn.Conv2d(2, 3, 3, padding=1).double()
    layer, _ = attention_from_conv(conv, sharpness=2.0)
    x = torch.randn(1, 2, 5, 5).double()
    layer(x).square().sum().backward()
    for name, parameter in layer.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 1e-6, name
    conv.weight.requires_grad_(False)
    frozen, _ = attention_from_conv(conv)
    assert not frozen.heads.value.weight.requires_grad


def test_certificates_know_the_norm_they_were_made_for():
    _, certificate = attention_from_conv(nn.Conv2d(2, 2, 3), norm=2.0)
    assert isinstance(certificate, Certificate)
    assert certificate.bound() == certificate.bound(2.0)
