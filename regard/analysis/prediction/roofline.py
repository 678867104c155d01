"""How long operations take on a machine: the slower of arithmetic and memory, and what a kernel takes anyway.

A matrix product on a GPU is cut into tiles, one for each multiprocessor at a time, and the last wave of them waits like
a full one. Attention has the prices of the planner. Nothing here is fitted to the step of a model: the rates are those
of the machine's table, the rest is counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch

from regard.algorithms.planning.machines import CEILINGS, Machine

# Tiles of a product, rows by columns, and the share of the rate at which full waves of them run: a tile of m × n reads
# m + n numbers from shared memory for m·n multiply-adds.
TILES = ((128, 256, 1.0), (256, 128, 1.0), (128, 128, 0.85), (64, 128, 0.65), (64, 64, 0.45), (16, 128, 0.15))
# Matrix units do not take float32. A thread adds up 8 × 8 numbers in its registers, for 16 that it reads: any tile that
# gives it so many keeps the arithmetic busy. Tiles of 32 × 32 give it 4 × 4, and one read for every eight products.
SINGLE_TILES = ((128, 128, 1.0), (64, 128, 1.0), (128, 64, 1.0), (64, 64, 1.0), (128, 32, 1.0), (32, 32, 0.85))
SPLIT = 512  # the least of the inner dimension that one program takes where it is split
# What follows was measured on an H200, in the section `ceilings` of benchmarks/prediction.py, on sizes of no model.
WAVE = 0.8e-6  # seconds to fill and to drain a wave
# Rows in half precision that do not start at multiples of 16 bytes get older kernels, at these shares of the rate:
# where an operand is read so, and where the result alone is written so.
MISALIGNED = {"read": 0.18, "written": 0.125}
# Kernels of rows that do not keep up with the memory, and their share of it.
SLOW = {
    **dict.fromkeys(("native_layer_norm", "native_group_norm", "_fused_rms_norm"), 0.36),
    **dict.fromkeys(("native_layer_norm_backward", "native_group_norm_backward", "_fused_rms_norm_backward"), 0.34),
}
ACROSS = 0.24  # of sums over other dimensions than the last
# Kernels that read more than once what they are given: gradients of a norm's input, then those of its weights; a wide
# softmax, to add up its row first.
PASSES = {
    **dict.fromkeys(("native_layer_norm_backward", "_fused_rms_norm_backward", "native_group_norm_backward"), 2.0),
    **dict.fromkeys(("_softmax", "_log_softmax"), 2.0),
    **dict.fromkeys(("_softmax_backward_data", "_log_softmax_backward_data"), 1.5),
}


class Product(NamedTuple):
    """`batch` products of (m, k) by (k, n); `odd` says where rows do not start at multiples of 16 bytes: in what is
    "read", or in what is "written" alone.
    """

    batch: int
    m: int
    n: int
    k: int
    odd: str = ""


class Access(NamedTuple):
    """A tensor that an operation reads or writes: its number, which changes when it is written, and its bytes."""

    tensor: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation. `device` and `host` are seconds where they are known otherwise: calls of attention."""

    phase: str  # forward, backward or step
    module: str
    name: str
    kind: str  # product, attention, arithmetic or copy
    flops: int
    dtype: torch.dtype
    reads: tuple[Access, ...] = ()
    writes: tuple[Access, ...] = ()
    products: tuple[Product, ...] = ()
    device: float | None = None
    host: float | None = None
    mixes_rows: bool = False  # it adds up along other dimensions than the last: no kernel of rows takes it in

    @property
    def bytes(self) -> int:
        return sum(access.bytes for access in (*self.reads, *self.writes))


class Time(NamedTuple):
    """Seconds on the device and of the host, and what they are spent on: arithmetic, memory, launches, attention."""

    device: float
    host: float
    bound: str


@dataclass
class Kernel:
    """What runs in one go: an operation, or those that a compiler makes one of."""

    operations: list[Operation]
    reads: dict[int, int] = field(default_factory=dict)  # bytes by tensor
    writes: dict[int, int] = field(default_factory=dict)

    @property
    def largest(self) -> Operation:
        return max(self.operations, key=lambda operation: operation.bytes)

    def time(self, machine: Machine, compiled: bool = False) -> Time:
        """Its time on a machine; a compiler pads rows that are odd, where that is quicker."""
        first = self.operations[0]
        if first.device is not None:
            return Time(first.device, first.host or 0.0, "attention")
        passes, share = 1.0, 1.0
        if len(self.operations) == 1 and machine.kind == "cuda":
            passes = PASSES.get(first.name, 1.0)
            share = ACROSS if first.mixes_rows else SLOW.get(first.name, 1.0)
        memory = (passes * sum(self.reads.values()) + sum(self.writes.values())) / (machine.bandwidth * share)
        arithmetic = 0.0
        if first.kind == "product":
            arithmetic = sum(product_seconds(one, machine, first.dtype) for one in first.products)
            arithmetic = arithmetic or first.flops / machine.rate(first.dtype)
            if compiled and any(one.odd for one in first.products):
                even = sum(product_seconds(one._replace(odd=""), machine, first.dtype) for one in first.products)
                arithmetic = min(arithmetic, even + 2 * memory)
        on_gpu = machine.kind == "cuda"
        fixed = machine.kernel if on_gpu else machine.launch
        bound = "arithmetic" if arithmetic > memory else "memory"
        bound = "launches" if max(arithmetic, memory) < fixed else bound
        return Time(max(arithmetic, memory) + fixed, first.host or 0.0, bound)


def peak_rate(machine: Machine, dtype: torch.dtype) -> float:
    """FLOP/s in this type that utilisation is a share of: the data sheet's, where there is one, else the table's."""
    half, single, double, _ = CEILINGS.get(machine.name, (machine.half, machine.single, machine.double, 0.0))
    return {4: single, 8: double}.get(dtype.itemsize, half)


def product_seconds(product: Product, machine: Machine, dtype: torch.dtype) -> float:
    """Seconds of the arithmetic of a matrix product, by the best of the tiles.

    Worked: 8192 × 768 by 768 × 768 on 132 processors. Tiles of 128 × 256 are 64 · 3 = 192, which is two waves; those of
    128 × 128 are 384, three waves of half the work, 1.5 / 0.85 = 1.76 of a larger wave, and better.
    """
    batch, m, n, k, odd = product
    rate = machine.rate(dtype) * (MISALIGNED.get(odd, 1.0) if dtype.itemsize == 2 else 1.0)
    if machine.processors <= 1:
        return 2 * batch * m * n * k / machine.rate(dtype)
    best = float("inf")
    for rows, columns, share in SINGLE_TILES if dtype == torch.float32 else TILES:
        tiles = batch * -(-m // rows) * -(-n // columns)
        parts = max(1, min(machine.processors // tiles, k // SPLIT))
        waves = -(-tiles * parts // machine.processors)
        each = machine.processors * 2 * rows * columns * -(-k // parts) / (rate * share)
        best = min(best, waves * (each + WAVE))
    return best


def one_by_one(operations: Sequence[Operation]) -> list[Kernel]:
    """Each operation is a kernel, as torch runs it eagerly."""
    return [Kernel([one], _merged(one.reads), _merged(one.writes)) for one in operations]


def fused(operations: Sequence[Operation]) -> list[Kernel]:
    """Kernels as a compiler makes them: what lies between two products, and goes over the same rows, is one.

    A tensor that is made and used up inside of one kernel is never written. On the way back, one that a kernel of the
    forward pass made is made again, from what that kernel had read, where this is less to read. The optimizer's step is
    not compiled.
    """
    groups, home = _groups(operations)
    used_by: dict[int, set[int]] = {}
    for operation, group in zip(operations, home, strict=True):
        for access in operation.reads:
            used_by.setdefault(access.tensor, set()).add(group)
    made_by = {access.tensor: group for one, group in zip(operations, home, strict=True) for access in one.writes}
    kernels = [Kernel(list(members)) for members in groups]
    for operation, group in zip(operations, home, strict=True):
        for access in operation.reads:
            if made_by.get(access.tensor) != group:
                kernels[group].reads[access.tensor] = max(access.bytes, kernels[group].reads.get(access.tensor, 0))
    for number, kernel in enumerate(kernels):
        if kernel.operations[0].phase == "backward":
            _make_again(kernel, kernels, made_by, number)
    still_read = {tensor for kernel in kernels for tensor in kernel.reads}
    for operation, group in zip(operations, home, strict=True):
        keeps = operation.kind in ("product", "attention") or operation.phase == "step"
        for access in operation.writes:
            if keeps or access.tensor in still_read or access.tensor not in used_by:
                kernels[group].writes[access.tensor] = access.bytes
    return [kernel for kernel in kernels if kernel.reads or kernel.writes or kernel.operations[0].device is not None]


def _groups(operations: Sequence[Operation]) -> tuple[list[list[Operation]], list[int]]:
    """Operations by kernel, and the kernel of each: those of one depth between products that hand tensors on."""
    depth: dict[int, int] = {}  # of tensors: how many products lie before them
    groups: list[list[Operation]] = []
    open_at: dict[tuple[str, int, int], int] = {}  # by phase, depth and a tensor that is at hand: the group
    home: list[int] = []
    for operation in operations:
        level = max([depth.get(access.tensor, 0) for access in operation.reads], default=0)
        alone = operation.kind in ("product", "attention") or operation.phase == "step" or operation.mixes_rows
        group = None
        if not alone:
            keys = [(operation.phase, level, access.tensor) for access in operation.reads]
            group = next((open_at[key] for key in keys if key in open_at), None)
        if group is None:
            group = len(groups)
            groups.append([])
        groups[group].append(operation)
        home.append(group)
        for access in operation.writes:
            depth[access.tensor] = level + (1 if alone else 0)
        if not alone:
            for access in (*operation.reads, *operation.writes):
                open_at.setdefault((operation.phase, level, access.tensor), group)
    return groups, home


def _make_again(kernel: Kernel, kernels: list[Kernel], made_by: dict[int, int], number: int) -> None:
    """Read what a kernel of the forward pass had read instead of what it made, where that is less."""
    for tensor in list(kernel.reads):
        source = kernels[made_by[tensor]] if made_by.get(tensor, number) != number else None
        if (
            source is None
            or source.operations[0].kind in ("product", "attention")
            or kernel.operations[0].kind == "product"
        ):
            continue
        if source.operations[0].phase != "forward":
            continue
        more = {key: count for key, count in source.reads.items() if key not in kernel.reads}
        if sum(more.values()) < kernel.reads[tensor]:
            del kernel.reads[tensor]
            kernel.reads |= more


def _merged(accesses: Sequence[Access]) -> dict[int, int]:
    found: dict[int, int] = {}
    for tensor, count in accesses:
        found[tensor] = max(count, found.get(tensor, 0))
    return found
