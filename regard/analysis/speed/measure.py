"""A training step as it is: its time and its peak memory, to stand beside what was predicted."""

import statistics
import time
from typing import Any, NamedTuple

import torch
from torch import nn

from regard.analysis.cost.count import float_outputs
from regard.analysis.cost.memory import OPTIMIZERS


class Measured(NamedTuple):
    """Seconds of a step, the median, and the most bytes that were allocated; None where nobody counts them."""

    seconds: float
    peak: int | None


def measure_step(
    module: nn.Module,
    inputs: tuple[Any, ...],
    keywords: dict[str, Any] | None = None,
    *,
    optimizer: str | None = "adamw",
    steps: int = 10,
    warmup: int = 3,
) -> Measured:
    """Train for a few steps and read the clock: forward, backward from what comes out, and a step of the optimizer.

    >>> measure_step(nn.Linear(4, 4), (torch.ones(2, 4),), steps=2).peak is None
    True
    """
    keywords = keywords or {}
    parameters = [p for p in module.parameters() if p.requires_grad]
    on_cuda = any(p.is_cuda for p in parameters)
    stepper = OPTIMIZERS[optimizer](parameters, lr=1e-4) if optimizer is not None and parameters else None

    def step() -> None:
        module.zero_grad(set_to_none=True)
        ends = [x for x in float_outputs(module(*inputs, **keywords)) if x.requires_grad]
        torch.autograd.backward(ends, [torch.ones_like(x) for x in ends])
        del ends
        if stepper is not None:
            stepper.step()

    for _ in range(warmup):
        step()
    if on_cuda:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        step()
        if on_cuda:
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    peak = torch.cuda.max_memory_allocated() if on_cuda else None
    return Measured(statistics.median(times), peak)
