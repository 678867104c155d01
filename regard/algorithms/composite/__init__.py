"""Algorithms that cut a problem into others."""
