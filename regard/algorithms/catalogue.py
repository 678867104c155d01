"""All algorithms, in the order in which the planner prefers them where times are equal, or cannot be known.

A compiler that keeps a size open, to serve any length by one graph, leaves no times to compare: the first of this list
that does not refuse is taken. It is the one for long sequences: one fused kernel before several, those that see few
pairs before those that see all, and what is made of blocks of a map, or of the whole of it, last.
"""

from regard.algorithms.composite.cells import Partitioned
from regard.algorithms.composite.union import Merged
from regard.algorithms.content.augmented import Augmented
from regard.algorithms.content.banded import Banded
from regard.algorithms.content.blockwise import Blockwise
from regard.algorithms.content.decode import Decode
from regard.algorithms.content.fused import Fused
from regard.algorithms.content.masked import Masked
from regard.algorithms.content.packed import Packed
from regard.algorithms.content.tiled import Tiled
from regard.algorithms.linear.causal import Chunked
from regard.algorithms.linear.unordered import Linear
from regard.algorithms.planning.planner import Planner
from regard.algorithms.position.convolution import Convolution
from regard.algorithms.position.gather import Gather
from regard.algorithms.position.separable import Separable
from regard.algorithms.position.shared_map import SharedMap
from regard.algorithms.position.toeplitz import Toeplitz
from regard.algorithms.reference import Reference

PLANNER = Planner()
PLANNER.algorithms += [
    Decode(),
    Fused(),
    Tiled(),
    Augmented(),
    Banded(),
    Partitioned(PLANNER),
    Packed(),
    Gather(),
    Separable(),
    Convolution(),
    Toeplitz(),
    SharedMap(),
    Linear(),
    Chunked(),
    Blockwise(),
    Merged(PLANNER),
    Masked(),
    Reference(),
]
