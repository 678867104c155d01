"""Algorithms for kernel weighting."""
