"""Modules, which own the parameters and build a fresh attention value in every forward pass."""

from regard.layers.channel import ChannelAttention
from regard.layers.convolutional import AttentionConv, Stencil, ThinHeads
from regard.layers.dual_block import ChannelBlock, DualBlock, LocalPositions, WindowBlock
from regard.layers.feed_forward import FeedForward
from regard.layers.multihead import MultiHead, Widths
from regard.layers.packing import Packing
from regard.layers.patches import Patches
from regard.layers.pooled import PooledMultiHead
from regard.layers.position_heads import ContentHeads, GatedMultiHead, GaussianHeads, PositionedMultiHead, PositionHeads
from regard.layers.positions import (
    DynamicScaling,
    LearnedPositions,
    Llama3Scaling,
    LongScaling,
    Rotary,
    RotaryScaling,
    Rotation,
    SinusoidalPositions,
    YarnScaling,
)
from regard.layers.recurrent import DotProductAttention
from regard.layers.relative_positions import Buckets, Gaussian, RelativePositions, Tables
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
    "DynamicScaling",
    "FeedForward",
    "GatedMultiHead",
    "Gaussian",
    "GaussianHeads",
    "LearnedPositions",
    "Llama3Scaling",
    "LocalPositions",
    "LongScaling",
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
