"""In which order data come: mixed anew in every epoch, a function of the seed, resumable anywhere, shardable."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from regard.checks import check_sizes


@dataclass(frozen=True)
class Position:
    """The next batch: its number in an epoch."""

    epoch: int = 0
    batch: int = 0


START = Position()


@dataclass(frozen=True, kw_only=True)
class Order:
    """Batches of `size` indices below `count`, every one of them once in an epoch, for shard `shard` of `shards`.

    What comes is a function of the seed and the position alone: nothing but the position needs to be saved. All
    shards together take every index once; those beyond the last whole batch of all shards wait for another epoch.

    >>> order = Order(count=10, size=2, seed=0)
    >>> sorted(order.epoch(0).flatten().tolist())
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    >>> after, batch = next(order.take(Position(epoch=7, batch=4)))
    >>> after, batch.equal(order.epoch(7)[4])
    (Position(epoch=8, batch=0), True)
    """

    count: int
    size: int
    seed: int
    shard: int = 0
    shards: int = 1

    def __post_init__(self) -> None:
        check_sizes(self, "count", "size", "shards")
        if not 0 <= self.shard < self.shards:
            raise ValueError(f"shard must be one of 0…{self.shards - 1}: got shard={self.shard}")
        if self.size * self.shards > self.count:
            raise ValueError(
                f"a batch of every shard must fit into the data: got {self.shards} × {self.size} for {self.count}; "
                "lower the batch size"
            )

    @property
    def batches_per_epoch(self) -> int:
        return self.count // (self.size * self.shards)

    def epoch(self, number: int) -> Int[Tensor, "batches size"]:
        """The indices of an epoch, a row per batch of this shard."""
        generator = torch.Generator().manual_seed(mixed(self.seed, number))
        used = self.batches_per_epoch * self.size * self.shards
        order = torch.randperm(self.count, generator=generator)[:used]
        return order.view(self.batches_per_epoch, self.shards, self.size)[:, self.shard]

    def take(self, start: Position = START) -> Iterator[tuple[Position, Int[Tensor, " size"]]]:
        """Batches without end from a position on, each with the position of the one after it."""
        epoch, first = start.epoch, start.batch
        while True:
            rows = self.epoch(epoch)
            for batch in range(first, len(rows)):
                last = batch + 1 == len(rows)
                yield (Position(epoch + 1, 0) if last else Position(epoch, batch + 1)), rows[batch]
            epoch, first = epoch + 1, 0


def mixed(seed: int, epoch: int) -> int:
    """A seed for an epoch: near ones must not give near orders."""
    value = (seed * 0x9E3779B97F4A7C15 + epoch * 0xBF58476D1CE4E5B9 + 1) % 2**64
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    return (value ^ (value >> 31)) % 2**63
