"""Batches in their order, made here or ahead of time by other processes, the same ones either way."""

import multiprocessing
import os
import threading
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from regard.training.order import Order, Position, mixed
from regard.training.task import Task


class Drawn(NamedTuple):
    """A batch, the numbers of its examples, and the position of the one after it."""

    after: Position
    examples: Tensor
    content: Any


@dataclass(frozen=True)
class _Batches(Dataset[Drawn]):
    """A batch by its key: a function of the seed and the key alone."""

    task: Task
    seed: int

    def __getitem__(self, key: tuple[Position, Position, Tensor]) -> Drawn:
        at, after, examples = key
        generator = torch.Generator().manual_seed(mixed(mixed(self.seed + 1, at.epoch), at.batch))
        return Drawn(after, examples, self.task.batch(examples, generator))


def draw(task: Task, order: Order, start: Position, workers: int, *, pin: bool = False) -> Generator[Drawn, None, None]:
    """Batches without end from a position on; with workers, who begin when one is asked for, two of each ahead."""
    keys, source = _keys(order, start), _Batches(task, order.seed)
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
        collate_fn=_as_it_is,  # pyright: ignore[reportArgumentType] - of one batch, not of a list
        pin_memory=pin,
        worker_init_fn=_end_with_parent,
        generator=torch.Generator().manual_seed(order.seed),
    )
    try:
        yield from loader
    except RuntimeError as error:
        if "DataLoader worker" not in str(error):
            raise
        first = str(error).partition("\n")[0]
        raise ValueError(f"processes that make batches must live: got {first}; lower workers={workers}") from error


def moved(content: Any, device: torch.device) -> Any:
    """The same with every tensor on the device."""
    if device.type == "cpu":
        return content
    if isinstance(content, Tensor):
        return content.to(device, non_blocking=True)
    if isinstance(content, Mapping):
        return {key: moved(value, device) for key, value in content.items()}
    if isinstance(content, tuple | list):
        parts = [moved(value, device) for value in content]
        return type(content)(*parts) if hasattr(content, "_fields") else type(content)(parts)
    if is_dataclass(content) and not isinstance(content, type):
        parts = {field.name: moved(getattr(content, field.name), device) for field in fields(content) if field.init}
        return replace(content, **parts)
    return content


def _keys(order: Order, start: Position) -> Iterator[tuple[Position, Position, Tensor]]:
    at = start
    for after, examples in order.take(start):
        yield at, after, examples
        at = after


def _as_it_is(drawn: Drawn) -> Drawn:
    return drawn


def _end_with_parent(worker: int) -> None:
    """However that ends: torch looks for it too, but misses one that died before the first look."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
