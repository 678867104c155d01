"""Attention that one can look at and touch: a page in the browser, and the same views in a notebook."""
