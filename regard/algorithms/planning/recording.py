"""Who wants to know of the calls of `attend`: a counter of costs. Nobody is asked while a compiler is at work."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import torch
from torch import Tensor

from regard.algorithms.planning.machines import Machine
from regard.attention import Attention

Call = Callable[[str, Tensor, Tensor, Tensor, Attention], tuple[str, AbstractContextManager[None]]]


@dataclass(frozen=True)
class Recorder:
    """Is told of every call, the algorithm's name and the operands: it gives the name of the algorithm to run, mostly
    the same, and what the call runs in.
    """

    call: Call
    parts: list[str] = field(default_factory=list)  # what the products that run now are for, the innermost last
    machine: Machine | None = None  # for which the CPU stands in


_recorder: ContextVar[Recorder | None] = ContextVar("recorder", default=None)


recorder = _recorder.get  # who records the calls of this context, if anybody does; not for compilers


def machine_for(device: torch.device) -> Machine | None:
    """The machine for which the CPU stands in while a cost is counted, if it does."""
    if device.type != "cpu" or torch.compiler.is_compiling():
        return None
    listener = recorder()
    return None if listener is None else listener.machine


@contextmanager
def recorded(call: Call, machine: Machine | None = None) -> Iterator[Recorder]:
    """Tell `call` of every call of `attend` in this context; the CPU may stand in for a machine that is not here."""
    made = Recorder(call, machine=machine)
    token = _recorder.set(made)
    try:
        yield made
    finally:
        _recorder.reset(token)


@contextmanager
def part(name: str) -> Iterator[None]:
    """Tell who records what products are for: "mixing" of values, or their "projection"."""
    listener = None if torch.compiler.is_compiling() else recorder()
    if listener is None:
        yield
        return
    listener.parts.append(name)
    try:
        yield
    finally:
        listener.parts.pop()
