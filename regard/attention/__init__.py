"""What is computed: scores, masks, weighting, positions, and the reference that defines them."""

from regard.attention.attention import Attention
from regard.attention.grid_masks import Neighbours
from regard.attention.masks import And, BlockMap, Causal, Dense, Everything, Mask, Not, OffsetMask, Or, Strided, Window
from regard.attention.padding import KeyPadding, Padding
from regard.attention.positions import Grid, Places, Positions, Sequence
from regard.attention.relative import Quadratic, RelativeTable
from regard.attention.scores import Bias, Content, Shape, Slopes, Sum, Term
from regard.attention.weighting import Hard, Softmax, Weighting

__all__ = [
    "And",
    "Attention",
    "Bias",
    "BlockMap",
    "Causal",
    "Content",
    "Dense",
    "Everything",
    "Grid",
    "Hard",
    "KeyPadding",
    "Mask",
    "Neighbours",
    "Not",
    "OffsetMask",
    "Or",
    "Padding",
    "Places",
    "Positions",
    "Quadratic",
    "RelativeTable",
    "Sequence",
    "Shape",
    "Slopes",
    "Softmax",
    "Strided",
    "Sum",
    "Term",
    "Weighting",
    "Window",
]
