"""Draws docs/patterns.svg: `python docs/patterns.py`. Every sparse pattern, by the text that writes it."""

from pathlib import Path

import matplotlib

from regard.analysis.pattern_figures import draw_patterns

with matplotlib.rc_context({"svg.hashsalt": "regard"}):  # the same figure gives the same file
    draw_patterns().savefig(Path(__file__).with_name("patterns.svg"), metadata={"Date": None})
