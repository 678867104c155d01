"""Modules: they own the parameters and build the attention value anew in every forward pass."""

from regard.layers.convolutional import AttentionConv, Stencil, ThinHeads
from regard.layers.multihead import MultiHead, Widths
from regard.layers.positional import GatedMultiHead, GaussianHeads, PositionedMultiHead, PositionHeads
from regard.layers.relative import Gaussian, RelativePositions, Tables
from regard.layers.scaled_dot_product import scaled_dot_product_attention

__all__ = [
    "AttentionConv",
    "GatedMultiHead",
    "Gaussian",
    "GaussianHeads",
    "MultiHead",
    "PositionHeads",
    "PositionedMultiHead",
    "RelativePositions",
    "Stencil",
    "Tables",
    "ThinHeads",
    "Widths",
    "scaled_dot_product_attention",
]
