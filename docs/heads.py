"""Draws docs/heads.svg: `python docs/heads.py`. Nine heads that are a convolution, nine that training begins with."""

from pathlib import Path

import torch

from regard.analysis import attention_from_conv
from regard.analysis.figures import draw_heads
from regard.layers import Gaussian

torch.manual_seed(1)
taps, _ = attention_from_conv(torch.nn.Conv2d(3, 8, 3, padding=1), sharpness=4.0)
names = ["a 3×3 convolution as attention", "heads as training begins"]
draw_heads([taps, Gaussian(9)], names=names, reach=5).savefig(Path(__file__).with_name("heads.svg"))
