"""Ways to find something out: a count against a formula, two tensors, a mean with its confidence, a time."""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from torch import Tensor

from regard.claims.claim import Finding

Sizes = Mapping[str, int]
Count = Callable[..., int]  # of sizes, by their names


def agrees(name: str, stated: Count, counted: Count, sizes: Iterable[Sizes], *, detail: bool = False) -> Finding:
    """Whether a stated number is the counted one at all these sizes; the first that is not is the counterexample.

    >>> agrees("biases", lambda D: 3, lambda D: 3 * D, [{"D": 1}, {"D": 2}]).shown
    'biases: 6 at D = 2, not 3'
    """
    all_sizes = list(sizes)
    for at in all_sizes:
        true, said = counted(**at), stated(**at)
        if true != said:
            return Finding(name, False, f"{name}: {true:,} at {written(at)}, not {said:,}", detail)
    last = all_sizes[-1]
    return Finding(
        name, True, f"{name}: {counted(**last):,} at {written(last)}, as at all {len(all_sizes)} sizes", detail
    )


def written(sizes: Mapping[str, object]) -> str:
    """Sizes in words.

    >>> written({"N": 3, "D": 1024})
    'N = 3, D = 1,024'
    """
    return ", ".join(
        f"{name} = {size:,}" if isinstance(size, int) else f"{name} = {size}" for name, size in sizes.items()
    )


def equals(name: str, found: Tensor, stated: Tensor, tolerance: float, *, detail: bool = False) -> Finding:
    """Whether two tensors are equal up to `tolerance` times the size of the largest entry."""
    if found.shape != stated.shape:
        shapes = f"shape {tuple(found.shape)}, not {tuple(stated.shape)}"
        return Finding(name, False, f"{name}: {shapes}", detail)
    scale = max(found.abs().max().item(), 1e-300)
    gap = (found - stated).abs().max().item() / scale
    holds = gap <= tolerance  # a NaN is not
    return Finding(
        name, holds, f"{name}: off by {gap:.1e} of its size ({'≤' if holds else 'not ≤'} {tolerance:.0e})", detail
    )


@dataclass(frozen=True)
class Mean:
    """A mean over draws with its 99 % confidence interval."""

    value: float
    half: float
    draws: int

    def __str__(self) -> str:
        return f"{self.value:.4g} ± {self.half:.1g}"

    def admits(self, stated: float) -> bool:
        return abs(stated - self.value) <= self.half


def mean(samples: Tensor) -> Mean:
    """The mean of independent draws, by the normal approximation.

    >>> import torch
    >>> mean(torch.tensor([0.0, 1.0] * 5000)).admits(0.5), mean(torch.tensor([0.0, 1.0] * 5000)).admits(0.55)
    (True, False)
    """
    values = samples.double().flatten()
    deviation = values.std().item() / math.sqrt(values.numel())
    return Mean(values.mean().item(), 2.5758 * deviation, values.numel())


def means(name: str, samples: Tensor, stated: float) -> Finding:
    """Whether a stated mean lies in the 99 % interval of the drawn one."""
    drawn = mean(samples)
    holds = drawn.admits(stated)
    verb = "contains" if holds else "leaves out"
    return Finding(name, holds, f"{name}: {drawn} (99 %, {drawn.draws:,} draws) {verb} {stated:.4g}")


def processor_seconds(call: Callable[[], object], tries: int = 12) -> float:
    """The least processor time of a few calls, after one that warms up: what else the machine does is not in it."""
    call()
    times = []
    for _ in range(tries):
        start = time.thread_time()
        call()
        times.append(time.thread_time() - start)
    return min(times)
