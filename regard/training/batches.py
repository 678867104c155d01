"""Which examples make which batch: an order that the seed decides, and batches made here or by other processes."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from regard.checks import check_sizes
from regard.training.task import Share, Task, map_tensors


@dataclass(frozen=True)
class Position:
    """The next batch: its number in an epoch."""

    epoch: int = 0
    batch: int = 0


START = Position()


@dataclass(frozen=True, kw_only=True)
class Order:
    """Batches of `size` indices below `count`, every one of them once in an epoch.

    What comes is a function of the seed and the position alone: nothing but the position needs to be saved, and
    processes that share a batch need not talk. Indices beyond the last whole batch wait for another epoch.

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

    def __post_init__(self) -> None:
        check_sizes(self, "count", "size")
        if self.size > self.count:
            raise ValueError(f"a batch must fit into the data: got {self.size} for {self.count}; lower the batch size")

    @property
    def batches_per_epoch(self) -> int:
        return self.count // self.size

    def epoch(self, number: int) -> Int[Tensor, "batches size"]:
        """The indices of an epoch, a row per batch."""
        generator = torch.Generator().manual_seed(mix_seed(self.seed, number))
        order = torch.randperm(self.count, generator=generator)
        return order[: self.batches_per_epoch * self.size].view(self.batches_per_epoch, self.size)

    def take(self, start: Position = START) -> Iterator[tuple[Position, Int[Tensor, " size"]]]:
        """Batches without end from a position on, each with the position of the one after it."""
        epoch, first = start.epoch, start.batch
        while True:
            rows = self.epoch(epoch)
            for batch in range(first, len(rows)):
                last = batch + 1 == len(rows)
                yield (Position(epoch + 1, 0) if last else Position(epoch, batch + 1)), rows[batch]
            epoch, first = epoch + 1, 0


def mix_seed(seed: int, number: int) -> int:
    """A seed for an epoch, a batch or a step: near ones must not give near random numbers."""
    value = (seed * 0x9E3779B97F4A7C15 + number * 0xBF58476D1CE4E5B9 + 1) % 2**64
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    return (value ^ (value >> 31)) % 2**63


class Batch(NamedTuple):
    """What a task makes of some examples, the numbers of the whole batch, and the position of the batch after it.

    `share` says which rows they are, where processes share them.
    """

    after: Position
    examples: Tensor
    content: Any
    share: Share | None = None


@dataclass(frozen=True)
class _Batches(Dataset[Batch]):
    """A batch by its key: a function of the seed and the key alone."""

    task: Task
    seed: int
    part: tuple[int, int] | None  # which of how many; None: all

    def __getitem__(self, key: tuple[Position, Position, Tensor]) -> Batch:
        at, after, examples = key
        generator = torch.Generator().manual_seed(mix_seed(mix_seed(self.seed + 1, at.epoch), at.batch))
        if self.part is None:
            return Batch(after, examples, self.task.batch(examples, generator))
        total, (number, parts) = self.task.num_rows(examples), self.part
        first, last = number * total // parts, (number + 1) * total // parts
        content = self.task.part(examples, generator, slice(first, last))
        return Batch(after, examples, content, Share(first, last - first, total))


def make_batches(
    task: Task,
    order: Order,
    start: Position,
    workers: int,
    *,
    pin: bool = False,
    part: tuple[int, int] | None = None,
) -> Generator[Batch, None, None]:
    """Batches without end from a position on; worker processes begin with the first one and keep two each ahead.

    With `part`, which of how many, a batch has these of its rows.
    """
    keys, source = _keys(order, start), _Batches(task, order.seed, part)
    if not workers:
        yield from map(source.__getitem__, keys)
        return
    # A generator of its own: without one the loader takes its workers' seeds from torch's random numbers, and a
    # resumed run would take them twice.
    loader = DataLoader(
        source,
        batch_size=None,
        sampler=keys,  # pyright: ignore[reportArgumentType] - any iterable will do
        num_workers=workers,
        collate_fn=_leave,  # pyright: ignore[reportArgumentType] - of one batch, not of a list
        pin_memory=pin,
        worker_init_fn=_begin,
        generator=torch.Generator().manual_seed(order.seed),
    )
    try:
        yield from loader
    except RuntimeError as error:
        if "DataLoader worker" not in str(error):
            raise
        first = str(error).partition("\n")[0]
        raise ValueError(f"processes that make batches must live: got {first}; lower workers={workers}") from error


def _keys(order: Order, start: Position) -> Iterator[tuple[Position, Position, Tensor]]:
    at = start
    for after, examples in order.take(start):
        yield at, after, examples
        at = after


def _leave(batch: Batch) -> Batch:
    return batch


def _begin(worker: int) -> None:
    """Outlive a first signal that reaches all processes: the parent needs batches until the end of its step."""
    end_with_parent()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: signal.signal(number, signal.SIG_DFL))


def end_with_parent() -> None:
    """End this process when its parent ends; torch looks too, but misses a parent that died before the first look."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def move(content: Any, device: torch.device) -> Any:
    """The same with every tensor on the device."""
    if device.type == "cpu":
        return content
    return map_tensors(content, lambda tensor: tensor.to(device, non_blocking=True))
