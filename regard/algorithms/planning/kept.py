"""What is kept from call to call: everything that is, is here, and its key says all that it depends on.

A key names the device and the type of the tensors that are kept under it, which are made on that device, outside
inference mode. Nothing is kept while a compiler, a transform or a mode is at work, or a CUDA graph is captured.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from threading import Lock
from typing import Any, TypeVar

import torch
from torch import Tensor

from regard.attention.eager import may_keep

K = TypeVar("K")

MOST = 10_000  # things
LARGEST = 512 << 20  # bytes of all tensors together
_kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
_lock = Lock()
_bytes = 0


def look(key: Hashable) -> Any:
    """What was made for this key, if anything was; for what holds no tensor, and may be used whatever is at work."""
    found = _kept.get(key)
    return None if found is None else found[0]


def recall(key: Hashable, make: Callable[[], K]) -> K:
    """What was made for this key, or is made now; None is not kept."""
    global _bytes
    if not may_keep():
        return make()
    found = _kept.get(key)
    if found is not None:
        return found[0]
    with torch.inference_mode(False):  # training may come later
        made = make()
    size = size_of(made)
    if made is None or size > LARGEST // 8:
        return made
    with _lock:
        if key not in _kept:
            _kept[key] = made, size
            _bytes += size
        while _bytes > LARGEST or len(_kept) > MOST:
            _bytes -= _kept.popitem(last=False)[1][1]  # the oldest
    return made


def forget() -> None:
    """Give everything back, as at the start of a process."""
    global _bytes
    with _lock:
        _kept.clear()
        _bytes = 0


def size_of(thing: Any) -> int:
    """Bytes of the tensors in it."""
    if isinstance(thing, Tensor):
        return thing.nbytes
    if isinstance(thing, list | tuple):
        return sum([size_of(part) for part in thing])
    if is_dataclass(thing) and not isinstance(thing, type):
        return sum([size_of(getattr(thing, field.name)) for field in fields(thing)])
    return 0
