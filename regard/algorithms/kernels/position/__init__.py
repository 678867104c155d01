"""Values mixed by maps of positions alone."""
