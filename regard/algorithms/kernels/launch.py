"""Triton kernels started at the least cost to the host.

Triton looks at every argument of every call, which takes longer than small kernels run. A `Launch` holds all arguments
but the addresses, and the kernel that Triton compiled for them, which is started at once.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.library import wrap_triton

from regard.algorithms.planning.kept import look, remember
from regard.attention.torch_private import stream_of

OPTIONS = ("num_warps", "num_stages", "maxnreg", "launch_pdl")  # how Triton names what `tiles` says


class Launch:
    """A kernel with all its arguments but tensors: whole numbers and fractions, then what it is compiled for.

    `strides` are those of the tensors, which stand first among the numbers, and `types` what their types are. Where all
    strides are multiples of 16 that 32 bits hold, launches with the same constants and types share a compiled kernel;
    the kernel must not be specialised for the other numbers.
    """

    def __init__(
        self,
        kernel: Any,
        programs: int,
        strides: tuple[int, ...],
        numbers: tuple[Any, ...],
        constants: tuple[Any, ...],
        tiles: tuple[int | None, ...],
        types: tuple[Any, ...],
    ) -> None:
        self.kernel, self.programs, self.tiles = kernel, programs, tiles
        self.rest = (*strides, *numbers, *constants)
        self.key = (kernel, constants, tiles, types)
        self.regular = all([stride % 16 == 0 and stride < 1 << 31 for stride in strides])
        self.compiled: dict[torch.device, Any] = {}

    def __call__(self, device: torch.device, tensors: tuple[Tensor | None, ...], aligned: bool | None) -> None:
        """Run on these tensors; `aligned`: their addresses are multiples of 16, or None where a graph is made of it."""
        if aligned is None:
            options = dict(zip(OPTIONS[:2], self.tiles, strict=False))  # a compiler takes no others
            wrap_triton(self.kernel)[(self.programs,)](*tensors, *self.rest, **options)
            return
        if device.type == "cuda" and device.index != torch.cuda.current_device():
            with torch.cuda.device(device):  # a kernel is loaded where it is current
                self(device, tensors, aligned)
            return
        compiled = self.compiled.get(device) if aligned else None
        if compiled is None and aligned and self.regular:
            compiled = look((self.key, device))
        if compiled is None:
            options = dict(zip(OPTIONS, self.tiles, strict=False))
            compiled = self.kernel[(self.programs,)](*tensors, *self.rest, **options)
            if aligned and self.regular and compiled is not None:  # the interpreter compiles nothing
                self.compiled[device] = remember((self.key, device), compiled)
            return
        self.compiled[device] = compiled
        addresses = [None if x is None else x.data_ptr() for x in tensors]
        about = (compiled.function, compiled.packed_metadata, None, None, None)
        compiled.run(self.programs, 1, 1, stream_of(device), *about, *addresses, *self.rest)


def current(device: torch.device) -> AbstractContextManager[Any]:
    """In which Triton, which starts kernels on the current device, starts them on this one."""
    is_current = device.type != "cuda" or device.index == torch.cuda.current_device()
    return nullcontext() if is_current else torch.cuda.device(device)


def are_aligned(*tensors: Tensor) -> bool:
    """Whether the addresses are multiples of 16."""
    bits = 0
    for x in tensors:
        bits |= x.data_ptr()
    return bits & 15 == 0
