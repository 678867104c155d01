"""How kernels are cut into tiles, and smaller ones for GPUs whose programs have less memory than an H200's.

Tiles were chosen on an H200. A program keeps the tile that is its own in shared memory, those that pass by, one less
than loads are in flight, and the pairs of both; `tests/algorithms/test_compiled_for.py` compares that with what Triton
allocates.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch

LARGEST = 232_448  # bytes of shared memory that a program on an H200 may take
SMALLEST = 16  # queries or keys of a product
SLACK = 2048  # bytes of numbers per row


class Tiles(NamedTuple):
    """How a kernel is cut: queries and keys in a tile, warps, and loads in flight."""

    queries: int
    keys: int
    warps: int
    stages: int
    registers: int | None = None  # of a thread at most, so that more programs run side by side
    one_loop: bool = False  # over edges and what is between them: the quickest where that is not much


Need = Callable[[Tiles], int]  # bytes of shared memory


def shared_memory(device: torch.device) -> int:
    """Bytes that a program may take."""
    if device.type != "cuda":
        return LARGEST
    return getattr(torch.cuda.get_device_properties(device), "shared_memory_per_block_optin", LARGEST)


def fitted(tiles: Tiles, need: Need, device: torch.device, smallest: int = SMALLEST) -> Tiles:
    """The tiles, or smaller ones that the device has room for.

    Loads in flight are given up first, to two, then the longer side of the tile is halved.
    """
    room = shared_memory(device)
    if room >= LARGEST:
        return tiles
    while need(tiles) > room:
        if tiles.stages > 2:
            tiles = tiles._replace(stages=tiles.stages - 1)
        elif tiles.keys >= tiles.queries and tiles.keys > smallest:
            tiles = tiles._replace(keys=tiles.keys // 2)
        elif tiles.queries > smallest:
            tiles = tiles._replace(queries=tiles.queries // 2)
        else:
            raise ValueError(
                f"the smallest tiles need {need(tiles):,} bytes of shared memory: got {room:,} on {device}; "
                "name another algorithm"
            )
    return tiles


def need_of_output(D: int, E: int, item: int, copies: float = 1) -> Need:
    """Of a tile of queries that keys and values pass by: `q, (k, v)…, p`."""

    def need(tiles: Tiles) -> int:
        passing = max(1, tiles.stages - 1) * tiles.keys * (D + E)
        return int(copies * item * (tiles.queries * D + passing + tiles.queries * tiles.keys)) + SLACK

    return need


def need_of_gradients(D: int, E: int, item: int, by: str, copies: int = 1) -> Need:
    """Of a tile of queries, or `by` "keys" of keys, that the others and their gradients pass by, both ways round."""

    def need(tiles: Tiles) -> int:
        own, others = (tiles.keys, tiles.queries) if by == "keys" else (tiles.queries, tiles.keys)
        passing = max(1, tiles.stages - 1) * others
        return copies * item * ((own + passing) * (D + E) + tiles.queries * tiles.keys) + SLACK

    return need
