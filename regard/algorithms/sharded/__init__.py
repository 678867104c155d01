"""Attention over sequences whose tokens lie on several processes."""
