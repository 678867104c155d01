"""Which tensors an object holds, however deep."""

from collections.abc import Iterator
from typing import Any

from torch import Tensor


def tensors_in(thing: Any, seen: set[int] | None = None) -> Iterator[Tensor]:
    """Those in containers and in the attributes of objects."""
    seen = set() if seen is None else seen
    if id(thing) in seen:
        return
    seen.add(id(thing))
    parts: list[Any] = []
    if isinstance(thing, Tensor):
        yield thing
    elif isinstance(thing, dict):
        parts = [*thing.keys(), *thing.values()]
    elif isinstance(thing, list | tuple | set):
        parts = [*thing]
    elif hasattr(thing, "__dict__") and not isinstance(thing, type) and not callable(thing):
        parts = [*vars(thing).values()]
    for part in parts:
        yield from tensors_in(part, seen)
