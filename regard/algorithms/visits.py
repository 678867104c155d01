"""How many pairs, or blocks of pairs, a mask leaves to compute, counted without a map."""

from typing import Any

from regard.algorithms.problem import Problem
from regard.attention.padding import Padding, RealTokens
from regard.attention.visibility import Bound, band


def in_band(rows: Any, columns: Any, low: Bound, high: Bound) -> Any:
    """Number of cells (i, j) of a rows × columns table with `low ≤ j − i ≤ high`.

    >>> in_band(4, 4, None, 0), in_band(4, 4, -1, 1), in_band(2, 5, None, 3)
    (10, 10, 9)
    """
    upper = rows * columns if high is None else _up_to(rows, columns, high)
    return upper if low is None else upper - _up_to(rows, columns, low - 1)


def _up_to(n: Any, m: Any, d: Any) -> Any:
    """Cells of an n × m table with `j − i ≤ d`: Σ_i clamp(i + d + 1, 0, m)."""
    return _triangle(n + d) - _triangle(d) - _triangle(n + d - m) + _triangle(d - m)


def _triangle(x: Any) -> Any:
    if not x > 0:
        return 0
    return x * (x + 1) // 2 if isinstance(x, int) else x * (x + 1) / 2


def visited(problem: Problem, size: int = 1) -> Any:
    """Pairs in the blocks of `size` × `size` that may hold a visible pair, over all rows and heads.

    Exact for conjunctions of causal, window and padding masks with lengths known as sizes, where `size` divides the
    sequences. Otherwise an upper bound: lengths that are data count as full, other masks as hiding nothing.
    """
    shape = problem.shape
    low, high = band(problem.masks, problem.places)
    # A block row r meets the block columns that the band of its first and last query meets.
    if low is not None:
        low = -((size - 1 - low) // size)
    if high is not None:
        high = (high + size - 1) // size
    known = [mask for mask in problem.masks if isinstance(mask, RealTokens) and mask.lengths is not None]
    total = 0
    for row in range(shape.B) if known else range(1):
        queries, keys = shape.T, shape.S
        for mask in known:
            assert mask.lengths is not None
            keys = min(keys, mask.lengths[row])
            queries = min(queries, mask.lengths[row]) if isinstance(mask, Padding) else queries
        total = total + in_band(-(-queries // size), -(-keys // size), low, high)
    rows = 1 if known else shape.B
    return rows * shape.H * total * size * size
