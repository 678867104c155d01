"""What a computation costs, in numbers that may as well be symbols."""

from dataclasses import dataclass
from typing import Any

from regard.attention.positions.sizes import Count, is_symbol, most

PROGRAMS = 264  # that keep a large GPU at work: two on each multiprocessor


@dataclass(frozen=True)
class Cost:
    """The work of one call; with a backward pass, of both passes together.

    `flops` counts matrix products only, two per multiply-add. `bytes` is what must cross the memory bus. `memory` is
    the peak beyond the inputs. `launches` counts kernels or calls, each of which has a fixed price. `sent` is the
    bytes that come from other processes.
    """

    flops: Count
    bytes: Count
    memory: Count
    launches: Count = 1
    sent: Count = 0

    def __add__(self, other: "Cost") -> "Cost":
        """One after the other: work adds up, the larger peak stays."""
        return Cost(
            self.flops + other.flops,
            self.bytes + other.bytes,
            most(self.memory, other.memory),
            self.launches + other.launches,
            self.sent + other.sent,
        )


def products(pairs: Count, D: Count, E: Count, backward: bool, recompute: bool) -> Count:
    """FLOPs of the matrix products over `pairs` (query, key): logits and mixing, and twice that to go back.

    Forward `q kᵀ` and `P v`; backward `dP = dO vᵀ`, `dV = Pᵀ dO`, `dQ = dS k`, `dK = dSᵀ q`. An algorithm that keeps no
    map computes `q kᵀ` again on the way back.
    """
    forward = 2 * pairs * (D + E)
    if not backward:
        return forward
    return 3 * forward + (2 * pairs * D if recompute else 0)


def idle(shape: Any, rows: int) -> float:
    """How many times longer products take because programs compute tiles of so many queries, or are too few."""
    if any([is_symbol(size) for size in (shape.B, shape.H, shape.T)]):
        return 1.0
    tiles = -(-shape.T // rows)
    programs = max(1, shape.B * shape.H * tiles)
    return tiles * rows / max(1, shape.T) * max(1.0, PROGRAMS / 2 / programs)


def inputs(shape: Any, item: int) -> Count:
    """Bytes of q, k and v."""
    return item * (shape.B * shape.H * shape.T * shape.D + shape.B * shape.G * shape.S * (shape.D + shape.E))


def output(shape: Any, item: int) -> Count:
    """Bytes of the output."""
    return item * shape.B * shape.H * shape.T * shape.E


def traffic(shape: Any, item: int, backward: bool) -> Count:
    """Bytes to read q, k, v and write o once; going back reads them and o, dO, and writes dq, dk, dv."""
    once = inputs(shape, item) + output(shape, item)
    return 3 * once + output(shape, item) if backward else once


def kept(shape: Any, item: int, backward: bool) -> Count:
    """Bytes that kernels hold: the output and a number per row; going back dq, dk, dv, and a float32 sum for dq."""
    rows = shape.B * shape.H * shape.T
    forward = output(shape, item) + 4 * rows
    return forward + inputs(shape, item) + 4 * rows * shape.D if backward else forward
