"""Modules: they own the parameters and build the attention value anew in every forward pass."""

from regard.layers.buckets import Buckets
from regard.layers.channel import ChannelAttention
from regard.layers.content_heads import ContentHeads
from regard.layers.convolutional import AttentionConv, Stencil, ThinHeads
from regard.layers.dual import ChannelBlock, DualBlock, LocalPositions, WindowBlock
from regard.layers.feed_forward import FeedForward
from regard.layers.multihead import MultiHead, Widths
from regard.layers.packing import Packing
from regard.layers.patches import Patches
from regard.layers.pooled import PooledMultiHead
from regard.layers.positional import GatedMultiHead, GaussianHeads, PositionedMultiHead, PositionHeads
from regard.layers.positions import LearnedPositions, SinusoidalPositions
from regard.layers.recurrent import DotProductAttention
from regard.layers.relative import Gaussian, RelativePositions, Tables
from regard.layers.rotary import Llama3Scaling, Rotary, RotaryScaling, Rotation, YarnScaling
from regard.layers.scaled_dot_product import scaled_dot_product_attention
from regard.layers.window import WindowAttention

__all__ = [
    "AttentionConv",
    "Buckets",
    "ChannelAttention",
    "ChannelBlock",
    "ContentHeads",
    "DotProductAttention",
    "DualBlock",
    "FeedForward",
    "GatedMultiHead",
    "Gaussian",
    "GaussianHeads",
    "LearnedPositions",
    "Llama3Scaling",
    "LocalPositions",
    "MultiHead",
    "Packing",
    "Patches",
    "PooledMultiHead",
    "PositionHeads",
    "PositionedMultiHead",
    "RelativePositions",
    "Rotary",
    "RotaryScaling",
    "Rotation",
    "SinusoidalPositions",
    "Stencil",
    "Tables",
    "ThinHeads",
    "Widths",
    "WindowAttention",
    "WindowBlock",
    "YarnScaling",
    "scaled_dot_product_attention",
]
