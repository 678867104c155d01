"""The memory of a run on fake tensors: every storage that it makes is followed until nobody holds it any more."""

import functools
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_flatten

from regard.analysis.cost.report import Memory
from regard.checks import check_known

ROUNDED = 512  # bytes: the CUDA allocator gives whole multiples
WORKSPACE = 1 << 25  # bytes that cuBLAS keeps on a GPU of today, once for each thread that multiplies
OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adamw": torch.optim.AdamW,
    "adam": torch.optim.Adam,
    "sgd": torch.optim.SGD,
    "momentum": functools.partial(torch.optim.SGD, momentum=0.9),
}


class Allocations:
    """Bytes that live now and the most that ever lived, in each phase of a training step."""

    def __init__(self, optimizer: str | None, on_cuda: bool) -> None:
        if optimizer is not None:
            check_known("optimizer", optimizer, OPTIMIZERS)
        self.optimizer, self.on_cuda = optimizer, on_cuda
        self.live, self.peak = 0, 0
        self.known: dict[int, weakref.ref[Any]] = {}
        self.bytes: dict[str, int] = dict.fromkeys(Memory.__dataclass_fields__, 0)

    def begin(self, module: nn.Module, inputs: Any) -> None:
        """Track what exists before the first operation."""
        held = {
            "parameters": list(module.parameters()),
            "buffers": list(module.buffers()),
            "inputs": tree_flatten(inputs)[0],
        }
        for name, tensors in held.items():
            before = self.live
            self.track(tensors)
            self.bytes[name] = self.live - before
        self.base = self.peak = self.live

    def track(self, out: Any) -> None:
        """Track the results of an operation: what is new among them lives from now on."""
        for x in out if isinstance(out, (list, tuple)) else (out,):
            if isinstance(x, (list, tuple)):
                self.track(x)
            elif isinstance(x, Tensor):
                self._follow(x.untyped_storage())

    def _follow(self, storage: torch.UntypedStorage) -> None:
        key = id(storage)
        if key in self.known:
            return
        size = _round_up(storage)

        def gone(_: Any) -> None:
            del self.known[key]
            self.live -= size

        self.known[key] = weakref.ref(storage, gone)
        self.live += size
        self.peak = max(self.peak, self.live)

    def end_forward(self) -> None:
        """Note what the forward pass keeps for the backward pass."""
        self.bytes["activations"] = self.live - self.base
        self.bytes["peak"] = self.peak + self._workspaces(1)

    def end_inference(self) -> None:
        """Note the peak of a forward pass that kept nothing."""
        self.bytes["inference"] = self.peak + self._workspaces(1)
        self.peak = self.live

    def run_step(self, module: nn.Module) -> torch.optim.Optimizer | None:
        """Run the optimizer's own step without contents; its state stays for every later step, in what is given."""
        wanted = [p for p in module.parameters() if p.grad is not None]
        graded = {id(p.grad.untyped_storage()): p.grad for p in wanted if p.grad is not None}
        self.bytes["gradients"] = sum(_round_up(x.untyped_storage()) for x in graded.values())
        passes, held = self.peak, None
        if self.optimizer is not None and self.on_cuda and wanted and isinstance(wanted[0], FakeTensor):
            before = self.live
            self.peak = self.live
            held = self.make_optimizer(wanted)
            held.step()
            self.bytes["optimizer"] = self.live - before
        elif self.optimizer is not None and wanted:
            self.bytes["optimizer"] = self._state_one_by_one(wanted)
        self.bytes["peak"] = max(passes + self.bytes["optimizer"], self.peak) + self._workspaces(2)
        return held

    def _workspaces(self, threads: int) -> int:
        """What the library of matrix products holds: autograd multiplies in a thread of its own."""
        return threads * WORKSPACE if self.on_cuda else 0

    def _state_one_by_one(self, parameters: list[nn.Parameter]) -> int:
        """Bytes of the state of an optimizer that goes from parameter to parameter, as on the CPU."""
        adam = self.optimizer in ("adamw", "adam")
        copies = 2 if adam else 1 if self.optimizer == "momentum" else 0
        sizes = [_round_up(p.untyped_storage()) for p in parameters]
        state = copies * sum(sizes) + (ROUNDED * len(sizes) if adam else 0)
        self.peak = max(self.peak, self.live + state + (max(sizes) if adam else 0))
        return state

    def make_optimizer(self, parameters: list[nn.Parameter]) -> torch.optim.Optimizer:
        """The optimizer as it runs by default: on CUDA all parameters at once."""
        assert self.optimizer is not None
        return OPTIMIZERS[self.optimizer](parameters, foreach=self.on_cuda)


def _round_up(storage: torch.UntypedStorage) -> int:
    return -(-storage.nbytes() // ROUNDED) * ROUNDED
