"""Algorithms for scores of positions alone."""
