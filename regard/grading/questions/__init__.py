"""Questions as data, what is true of them, and the sheets to fill in."""
