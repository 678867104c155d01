"""Modules: they own the parameters and build the attention value anew in every forward pass."""

from regard.layers.multihead import MultiHead, Widths
from regard.layers.scaled_dot_product import scaled_dot_product_attention

__all__ = ["MultiHead", "Widths", "scaled_dot_product_attention"]
