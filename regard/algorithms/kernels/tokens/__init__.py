"""Kernels of tokens that are written or learnt: what stands beside attention in a model."""
