"""Draw the figures of the guides: `python docs/images/draw.py` writes cost.svg, heads.svg and patterns.svg."""

from pathlib import Path

import matplotlib
import torch

from regard.analysis import attention_from_conv
from regard.analysis.convolution.figures import draw_heads
from regard.analysis.cost.figures import cost_figure
from regard.analysis.cost.symbolic import preset_formulas
from regard.analysis.reach.figures import draw_patterns
from regard.layers import Gaussian
from regard.models import PRESETS

torch.manual_seed(1)
convolution, _ = attention_from_conv(torch.nn.Conv2d(3, 8, 3, padding=1), sharpness=4.0)
heads = {"a 3×3 convolution as attention": convolution, "heads as training begins": Gaussian(9)}
figures = {
    "cost": cost_figure(preset_formulas(PRESETS["gpt2"]), title="GPT-2"),
    "heads": draw_heads([*heads.values()], names=[*heads], reach=5),
    "patterns": draw_patterns(),
}
with matplotlib.rc_context({"svg.hashsalt": "regard"}):  # the same figure gives the same file
    for name, figure in figures.items():
        figure.savefig(Path(__file__).with_name(f"{name}.svg"), metadata={"Date": None})
