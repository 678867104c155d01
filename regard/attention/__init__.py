"""What is computed: scores, masks, weighting, positions, and the reference that defines them."""

from regard.attention.attention import Attention
from regard.attention.cache.cache import Cache
from regard.attention.cache.linear_state import LinearState
from regard.attention.masks.documents import Documents, Prefix
from regard.attention.masks.facts import BlockMap, Cell, Facts, Real, Runs
from regard.attention.masks.grid import Axial, Neighbours, SameColumn, SameRow, Tiles
from regard.attention.masks.mask import And, Dense, Everything, Mask, Not, Or
from regard.attention.masks.offsets import Causal, Dilated, OffsetMask, Strided, Window
from regard.attention.masks.padding import KeyPadding, Padding
from regard.attention.masks.patterns import Blocks, GlobalTokens
from regard.attention.positions.pooling import pool, pool_positions, pool_real
from regard.attention.positions.positions import Grid, Places, Positions, Sequence
from regard.attention.scores.relative import Quadratic, RelativeTable
from regard.attention.scores.term import Bias, Content, Shape, Slopes, Sum, Term, TermFacts
from regard.attention.weighting.features import Elu, Exp, Features, Identity, Own, RandomFeatures, Relu, SquaredRelu
from regard.attention.weighting.weighting import Hard, Kernel, Softmax, Weighting

__all__ = [
    "And",
    "Attention",
    "Axial",
    "Bias",
    "BlockMap",
    "Blocks",
    "Cache",
    "Causal",
    "Cell",
    "Content",
    "Dense",
    "Dilated",
    "Documents",
    "Elu",
    "Everything",
    "Exp",
    "Facts",
    "Features",
    "GlobalTokens",
    "Grid",
    "Hard",
    "Identity",
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
    "Prefix",
    "Quadratic",
    "RandomFeatures",
    "Real",
    "RelativeTable",
    "Relu",
    "Runs",
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
    "TermFacts",
    "Tiles",
    "Weighting",
    "Window",
    "pool",
    "pool_positions",
    "pool_real",
]
