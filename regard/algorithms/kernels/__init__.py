"""Kernels, and the tensors that they are given."""
