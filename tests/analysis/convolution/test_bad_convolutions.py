"""Every message of the conversions, with the offending value in it."""

import math

import pytest
import torch
from torch import Tensor, nn

from regard.analysis import attention_as_printed, attention_from_conv, conv_from_attention, thin_conv
from regard.layers import Gaussian, PositionHeads, Tables
from regard.layers.convolutional import AttentionConv, Stencil
from tests.refusals import refused

pytestmark = pytest.mark.usefixtures("unhooked")


class Own(nn.Conv2d):
    def forward(self, input: Tensor) -> Tensor:
        return super().forward(input) + 1


def hooked() -> nn.Conv2d:
    conv = nn.Conv2d(1, 1, 3)
    conv.register_forward_hook(lambda module, x, y: y + 1)
    return conv


def broken() -> nn.Conv2d:
    conv = nn.Conv2d(1, 1, 3)
    conv.weight.data[0, 0, 0, 0] = math.nan
    return conv


@pytest.mark.parametrize(
    ("conv", "message"),
    [
        (nn.Linear(2, 2), "conv must be an nn.Conv1d or nn.Conv2d: got Linear"),
        (nn.Conv3d(1, 1, 3), "conv must be an nn.Conv1d or nn.Conv2d: got Conv3d"),
        (nn.ConvTranspose2d(1, 1, 3), "got ConvTranspose2d; a transposed one is a convolution of the image with zeros"),
        (nn.Conv2d(1, 1, 3, padding=1, padding_mode="reflect"), "padding_mode must be 'zeros' (visible pads) or"),
        (nn.Conv1d(1, 1, 3, padding=1, padding_mode="circular"), "got 'circular'; pad the image yourself"),
        (Own(1, 1, 3), "conv must compute what Conv2d does: got Own with a forward or hooks of its own"),
        (hooked(), "conv must compute what Conv2d does: got Conv2d with a forward or hooks of its own"),
        (broken(), "weights must be finite: got Conv2d with NaN or infinity"),
        (nn.LazyConv2d(1, 3), "weights must be real numbers: got LazyConv2d with none yet"),
        (
            nn.Conv2d(1, 1, 3, dtype=torch.complex64),
            "weights must be real numbers: got Conv2d with none yet, or complex",
        ),
    ],
)
def test_what_is_no_convolution_of_ours(conv: nn.Module, message: str):
    with refused(message):
        attention_from_conv(conv)


def test_wishes_that_cannot_be_met():
    conv = nn.Conv2d(2, 2, 3)
    with refused("give a sharpness, or an error with its norm: got sharpness=None, error=0.1, norm=None"):
        attention_from_conv(conv, error=0.1)
    with refused("give a sharpness, or an error with its norm: got sharpness=3.0, error=0.1, norm=1.0"):
        attention_from_conv(conv, sharpness=3.0, error=0.1, norm=1.0)
    with refused("num_heads must be from 1 to the kernel's 9 taps: got num_heads=10; leave it out"):
        attention_from_conv(conv, num_heads=10)
    with refused("precision must be positive: got -1.0 in head 0"):
        attention_from_conv(conv, sharpness=-1.0)
    with refused("sign must be 'key − query' (ours) or 'query − key' (the document's): got 'plus'"):
        attention_from_conv(conv, sign="plus")
    with refused("'query − key' needs a kernel with a centre, odd along each axis: got size=(2, 3); use 'key − query'"):
        attention_from_conv(nn.Conv2d(1, 1, (2, 3)), sign="query − key")
    with refused("needs a kernel with a centre, odd along each axis: got size=(4,)"):
        attention_as_printed(nn.Conv1d(1, 1, 4))
    with refused("error must be above what infinite sharpness leaves"):
        attention_from_conv(conv, error=1e-9, norm=1.0)  # below the rounding of float32
    with refused("norm must be the largest norm of a pixel's channels: got norm=-1"):
        attention_from_conv(conv, norm=-1)
    with refused("head_width must be a whole number from 1 to below 2^62: got head_width=0"):
        thin_conv(conv, 0)


def test_layers_that_are_no_convolution():
    with refused("layer must be an AttentionConv, or PositionHeads with Gaussian positions: got PositionHeads"):
        conv_from_attention(PositionHeads(4, Tables(2, (3, 3))))
    layer = PositionHeads(4, Gaussian(2))
    layer.position.centre.data = torch.tensor([[1e6, 0.0], [1.0, 0.0]])
    with refused("centres must fit a kernel of 65536 taps: got (2000001, 1); prune far heads first"):
        conv_from_attention(layer)
    layer.position.centre.data[0, 0] = math.nan
    with refused("centres must be finite: got NaN or infinity"):
        conv_from_attention(layer)
    uneven = AttentionConv(1, 1, Stencil(size=(2, 3), padding="same"))
    uneven.place_heads(uneven.position.centre.detach() + 2, 5.0)
    with refused("a convolution pads both ends alike: got Stencil(size=(2, 3)"):
        conv_from_attention(uneven)
    mixed = AttentionConv(1, 1, Stencil(size=(3, 3), padding=(0, 1)))
    mixed.place_heads(2 * mixed.position.centre.detach(), 5.0)
    with refused("heads that leave the image must meet pads on both axes or on none"):
        conv_from_attention(mixed)
