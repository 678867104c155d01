"""What is kept from call to call: everything that is, is here, and its key says all that it depends on.

A key names the device and the type of the tensors that are kept under it, which are made on that device, outside
inference mode. Nothing is kept while a compiler, a transform or a mode is at work, or a CUDA graph is captured. What is
made from tensors is kept for these tensors, as long as they live and are not written to.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields, is_dataclass
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import ref

import torch
from torch import Tensor
from torch.nn import Parameter

from regard.attention.eager import may_keep
from regard.attention.torch_private import version
from regard.attention.value import Value

if TYPE_CHECKING:
    from regard.algorithms.sharded.context import Context

K = TypeVar("K")

MOST = 10_000  # things
LARGEST = 512 << 20  # bytes of all tensors together
MOST_COPIED = 1 << 28  # numbers of a tensor from which something was made
MOST_CHECKED = 1 << 12  # numbers of a tensor whose contents are checked: lengths, starts, centres, precisions
_kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
_lock = RLock()  # a tensor may die, and what was made from it be given back, while something is being kept
_bytes = 0


def look(key: Hashable) -> Any:
    """What was made for this key, if anything was; for what holds no tensor, and may be used whatever is at work."""
    found = _kept.get(key)
    return None if found is None else found[0]


def remember(key: Hashable, made: K) -> K:
    """Keep something that holds no tensor."""
    if may_keep():
        _keep(key, made, 0)
    return made


def recall(key: Hashable, make: Callable[[], K]) -> K:
    """What was made for this key, or is made now; None is not kept."""
    if not may_keep():
        return make()
    found = _kept.get(key)
    if found is not None:
        return found[0]
    with torch.inference_mode(False):  # training may come later
        made = make()
    _keep(key, made, size_of(made))
    return made


def recall_from(tensors: tuple[Tensor, ...], key: Hashable, make: Callable[[], K], largest: int = MOST_COPIED) -> K:
    """What was made for this key from these very tensors, if nobody wrote to them since; or is made now.

    On the CPU those of up to `largest` numbers are compared with a copy: torch does not count what is written by
    `.data`, or by NumPy into memory that is shared.
    """
    if not tensors:
        return recall(key, make)
    versions: list[tuple[int, int] | None] = [_version(x) for x in tensors] if may_keep() else [None]
    if None in versions:
        return make()
    key = (key, *[id(x) for x in tensors])
    found: Made | None = look(key)
    if found is not None and found.versions == versions and found.is_of(tensors):
        return found.made
    watched = [x if x.device.type == "cpu" and x.numel() <= largest else None for x in tensors]
    if torch.is_inference_mode_enabled():
        with torch.inference_mode(False):
            made, copies = make(), _copied(watched)
    else:
        made, copies = make(), _copied(watched)

    # A reference lives as long as what is kept; the tensor's death before that gives it back.
    kept = Made(made, [ref(x, lambda _: _forget(key)) for x in tensors], versions, copies)
    _keep(key, kept, size_of(made) + size_of(copies))
    return made


def _copied(tensors: list[Tensor | None]) -> list[Tensor | None]:
    return [None if x is None else x.detach().clone() for x in tensors]


def _version(x: Tensor) -> tuple[int, int] | None:
    """How often it was written to, and where it is; None where torch does not tell."""
    count = version(x) if type(x) in (Tensor, Parameter) else None
    return None if count is None else (count, x.data_ptr())


def lay_by(owner: Any, key: Hashable, thing: Any, size: int) -> None:
    """Keep something that one at a time may use, of so many bytes, until `take` or as long as its owner lives.

    It must not hold the owner, which would live on by it.
    """
    key = (key, id(owner))
    if may_keep():
        _keep(key, Made(thing, [ref(owner, lambda _: _forget(key))], [], []), size)


def take(owner: Any, key: Hashable) -> Any:
    """What was laid by for this owner, if anything is there; it is kept no longer."""
    with _lock:
        found: Made | None = look((key, id(owner)))
        _drop((key, id(owner)))
    return found.made if found is not None and found.tensors[0]() is owner else None


@dataclass(frozen=True)
class Made:
    """Something, and the tensors that it was made from, or its owner."""

    made: Any
    tensors: list[ref[Any]]
    versions: list[tuple[int, int] | None]
    copies: list[Tensor | None]

    def is_of(self, tensors: tuple[Tensor, ...]) -> bool:
        """Whether it was made from these, as they are: others may be where they were."""
        if not all([of() is x for of, x in zip(self.tensors, tensors, strict=True)]):
            return False
        return all([copy is None or torch.equal(copy, x) for copy, x in zip(self.copies, tensors, strict=True)])


def _keep(key: Hashable, made: Any, size: int) -> None:
    global _bytes
    if made is None or size > LARGEST // 2:
        return
    with _lock:
        _drop(key)
        _kept[key] = made, size
        _bytes += size
        while _kept and (_bytes > LARGEST or len(_kept) > MOST):
            size = _kept.popitem(last=False)[1][1]  # the oldest; what dies with it may give back more
            _bytes -= size


def _forget(key: Hashable) -> None:
    """Give back what belonged to something that is no more."""
    if _kept is not None:  # pyright: ignore[reportUnnecessaryComparison] - as it is when the process ends
        _drop(key)


def _drop(key: Hashable) -> None:
    global _bytes
    with _lock:
        found = _kept.pop(key, None)
        if found is not None:
            _bytes -= found[1]


class Prepared:
    """What calls of `attend` need on the device beside q, k and v, made by the first that needs it: lists of blocks,
    packing, masks.

    A stack of layers makes one in each pass and hands it to every layer. Without one `attend` finds again what it made
    for the same tensors, but not in inference mode, in a compiled graph, or while a CUDA graph is captured.

    With a `context` the tokens of q, k and v are this process's part of longer sequences, and the value is that of the
    whole: layers that hand it on attend across processes. Calls that name no algorithm take `algorithm`, as in a
    program that is recorded, where the host's price of a call counts for nothing.

    >>> Prepared()
    Prepared(0 things)
    """

    def __init__(self, context: "Context | None" = None, algorithm: str | None = None) -> None:
        self.context, self.algorithm = context, algorithm
        self._things: list[tuple[Hashable, tuple[Tensor, ...], Any]] = []

    def recall_from(self, tensors: tuple[Tensor, ...], key: Hashable, make: Callable[[], K]) -> K:
        """What was made for this key from these very tensors, or is made now."""
        for known, origins, made in self._things:
            if known == key and all([one is other for one, other in zip(origins, tensors, strict=True)]):
                return made
        made = make()
        self._things.append((key, tensors, made))
        return made

    def __repr__(self) -> str:
        return f"Prepared({len(self._things)} things)"


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
    if isinstance(thing, Value):
        return sum([x.nbytes for x in thing.flatten()[1]])
    if is_dataclass(thing) and not isinstance(thing, type):
        return sum([size_of(getattr(thing, field.name)) for field in fields(thing)])
    return 0
