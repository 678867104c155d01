"""How far apart a query and a key may be that see each other."""

import torch
from torch import Tensor

from regard.attention.masks.facts import both
from regard.attention.masks.mask import Mask
from regard.attention.positions.positions import Places, Sequence
from regard.attention.positions.sizes import most
from regard.attention.torch_private import is_dispatched, transforms_of


def reach(mask: Mask, places: Places, who: object) -> tuple[int, ...]:
    """The largest |offset| along each axis that the positions have and the mask may leave; an upper bound.

    Starts that cannot be read without waiting count as 0.
    """
    return tuple([most(most(-low, high), 0) for low, high in offset_ranges(mask, places, who)])


def offset_ranges(mask: Mask, places: Places, who: object) -> list[tuple[int, int]]:
    """The smallest and the largest offset along each axis that may be visible."""
    ranges = []
    band = mask.facts(places).band
    for axis in range(places.num_axes):
        queries, keys = places.axis(axis, who).line(who)
        (first_q, last_q), (first_k, last_k) = _ends(queries), _ends(keys)
        low, high = both((first_k - last_q, last_k - first_q), band[axis])
        assert low is not None
        assert high is not None
        ranges.append((low, high))
    return ranges


def _ends(side: Sequence) -> tuple[int, int]:
    low, high = 0, 0
    if not isinstance(side.start, Tensor):
        low = high = side.start
    elif readable(side.start):
        low, high = int(side.start.min()), int(side.start.max())
    return low, high + side.step * (side.n - 1)


def readable(x: Tensor) -> bool:
    """On the host, and holding numbers: not on a GPU, not a placeholder of a compiler, of a mode or of a map."""
    if torch.compiler.is_compiling() or is_dispatched() or transforms_of(x)[1]:
        return False
    return x.device.type == "cpu" and type(x) in (Tensor, torch.nn.Parameter)
