"""Draws docs/cost.svg: `python docs/cost.py`. What GPT-2 costs against the tokens that it reads, by part."""

from pathlib import Path

import matplotlib

from regard.analysis.cost.figures import cost_figure
from regard.analysis.cost.presets import preset_formulas
from regard.models import PRESETS

with matplotlib.rc_context({"svg.hashsalt": "regard"}):  # the same figure gives the same file
    figure = cost_figure(preset_formulas(PRESETS["gpt2"]), title="GPT-2")
    figure.savefig(Path(__file__).with_name("cost.svg"), metadata={"Date": None})
