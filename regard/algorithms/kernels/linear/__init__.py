"""Kernels of causal linear attention."""
