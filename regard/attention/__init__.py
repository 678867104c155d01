"""What is computed: scores, masks, weighting, positions, and the reference that defines them."""

from regard.attention.attention import Attention
from regard.attention.cache import Cache
from regard.attention.features import Elu, Exp, Features, Own, RandomFeatures, Relu, SquaredRelu
from regard.attention.grid_masks import Axial, Neighbours, SameColumn, SameRow, Tiles
from regard.attention.linear_state import LinearState
from regard.attention.masks import And, BlockMap, Dense, Everything, Mask, Not, Or
from regard.attention.offset_masks import Causal, OffsetMask, Strided, Window
from regard.attention.padding import KeyPadding, Padding
from regard.attention.patterns import Blocks, Dilated, GlobalTokens
from regard.attention.pooling import pool, pool_positions, pool_real
from regard.attention.positions import Grid, Places, Positions, Sequence
from regard.attention.relative import Quadratic, RelativeTable
from regard.attention.scores import Bias, Content, Shape, Slopes, Sum, Term
from regard.attention.weighting import Hard, Kernel, Softmax, Weighting

__all__ = [
    "And",
    "Attention",
    "Axial",
    "Bias",
    "BlockMap",
    "Blocks",
    "Cache",
    "Causal",
    "Content",
    "Dense",
    "Dilated",
    "Elu",
    "Everything",
    "Exp",
    "Features",
    "GlobalTokens",
    "Grid",
    "Hard",
    "Kernel",
    "KeyPadding",
    "LinearState",
    "Mask",
    "Neighbours",
    "Not",
    "OffsetMask",
    "Or",
    "Own",
    "Padding",
    "Places",
    "Positions",
    "Quadratic",
    "RandomFeatures",
    "RelativeTable",
    "Relu",
    "SameColumn",
    "SameRow",
    "Sequence",
    "Shape",
    "Slopes",
    "Softmax",
    "SquaredRelu",
    "Strided",
    "Sum",
    "Term",
    "Tiles",
    "Weighting",
    "Window",
    "pool",
    "pool_positions",
    "pool_real",
]
