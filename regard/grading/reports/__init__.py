"""What became of a class: marks as CSV, pages, a summary and the terminal."""
