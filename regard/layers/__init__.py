"""Modules: they own the parameters and build the attention value anew in every forward pass."""

from regard.layers.channel import ChannelAttention
from regard.layers.convolutional import AttentionConv, Stencil, ThinHeads
from regard.layers.dual import ChannelBlock, DualBlock, LocalPositions, WindowBlock
from regard.layers.feed_forward import FeedForward
from regard.layers.multihead import MultiHead, Widths
from regard.layers.pooled import PooledMultiHead
from regard.layers.positional import GatedMultiHead, GaussianHeads, PositionedMultiHead, PositionHeads
from regard.layers.relative import Gaussian, RelativePositions, Tables
from regard.layers.scaled_dot_product import scaled_dot_product_attention
from regard.layers.window import WindowAttention

__all__ = [
    "AttentionConv",
    "ChannelAttention",
    "ChannelBlock",
    "DualBlock",
    "FeedForward",
    "GatedMultiHead",
    "Gaussian",
    "GaussianHeads",
    "LocalPositions",
    "MultiHead",
    "PooledMultiHead",
    "PositionHeads",
    "PositionedMultiHead",
    "RelativePositions",
    "Stencil",
    "Tables",
    "ThinHeads",
    "Widths",
    "WindowAttention",
    "WindowBlock",
    "scaled_dot_product_attention",
]
