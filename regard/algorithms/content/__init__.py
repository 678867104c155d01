"""Algorithms for scores with content."""
