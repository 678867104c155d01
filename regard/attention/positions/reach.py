"""How far apart a query and a key may be that see each other."""

from torch import Tensor

from regard.attention.masks.mask import Mask
from regard.attention.positions.positions import Places, Sequence


def reach(mask: Mask, places: Places, who: object) -> tuple[int, ...]:
    """The largest |offset| along each axis that the positions have and the mask may leave; an upper bound."""
    return tuple([max(-low, high, 0) for low, high in offset_ranges(mask, places, who)])


def offset_ranges(mask: Mask, places: Places, who: object) -> list[tuple[int, int]]:
    """The smallest and the largest offset along each axis that may be visible."""
    ranges = []
    for axis in range(places.num_axes):
        line = places.axis(axis, who)
        low, high = _range(line)
        for part in mask.conjuncts:
            least, most = part.bounds(axis)
            low, high = low if least is None else max(low, least), high if most is None else min(high, most)
        ranges.append((low, high))
    return ranges


def _range(line: Places) -> tuple[int, int]:
    """Offsets of all pairs. Starts that lie on a GPU are not waited for: they count as 0."""
    queries, keys = line.line(line)
    (first_q, last_q), (first_k, last_k) = _ends(queries), _ends(keys)
    return first_k - last_q, last_k - first_q


def _ends(side: Sequence) -> tuple[int, int]:
    low, high = 0, 0
    if not isinstance(side.start, Tensor):
        low = high = side.start
    elif side.start.device.type == "cpu" and type(side.start) is Tensor:
        low, high = int(side.start.min()), int(side.start.max())
    return low, high + side.step * (side.n - 1)
