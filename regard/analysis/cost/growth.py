"""How a cost grows with one size: exponents from counts, and from times measured beside them."""

import inspect
import json
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from regard.algorithms.planning.report import si
from regard.analysis.cost.symbolic import Make, count_at
from regard.analysis.tables import Printed, new_table, stack

Progress = Callable[[int, int], None]  # steps done, and all there are


@dataclass(frozen=True)
class Step:
    """One size: forward FLOPs, the time of a forward pass, and how both grew since the size before, as exponents."""

    size: int
    flops: int
    seconds: float | None = None
    exponent: float | None = None
    time_exponent: float | None = None


@dataclass(frozen=True)
class Growth(Printed):
    """FLOPs, and seconds where measured, at several sizes, and the exponents fitted to all of them."""

    columns = 100

    symbol: str
    fixed: dict[str, int]
    steps: tuple[Step, ...]
    exponent: float | None
    time_exponent: float | None
    threads: int | None  # of the measurement

    def json(self) -> str:
        """The numbers for a program."""
        return json.dumps(asdict(self))

    def rich(self) -> Any:
        """The table of sizes, for Rich."""
        measured = self.threads is not None
        times = ("time", "exponent", "FLOP/s") if measured else ()
        table = new_table(numbers=(self.symbol, "FLOPs", "exponent", *times))
        for step in self.steps:
            cells = [f"{step.size:,}", si(step.flops, "FLOP"), _write_exponent(step.exponent)]
            if step.seconds is not None:
                rate = si(step.flops / step.seconds, "FLOP/s")
                cells += [si(step.seconds, "s"), _write_exponent(step.time_exponent), rate]
            table.add_row(*cells)
        fixed = " · ".join(f"{name} = {size:,}" for name, size in self.fixed.items())
        says = f"fitted: FLOPs ∝ {self.symbol}^{_write_exponent(self.exponent)}"
        if measured:
            threads = f"{self.threads} thread{'s' * (self.threads != 1)} of the CPU"
            says += f", time ∝ {self.symbol}^{_write_exponent(self.time_exponent)} (forward, {threads}, medians)"
        return stack((fixed, "cyan"), "", table, "", says)


def growth(
    make: Make,
    symbol: str,
    sizes: Sequence[int],
    *,
    measure: float | None = 0.2,
    progress: Progress | None = None,
    **fixed: int,
) -> Growth:
    """Count a model at several sizes, run it on the CPU, and fit exponents: log cost = exponent · log size + constant.

    `make(**sizes)` gives a module, its inputs and perhaps its keywords, as for `formulas`; tensors without contents are
    filled to be measured. `measure` is how many seconds are spent on each size, None for counts alone.

    >>> from torch import nn
    >>> def make(N, D):
    ...     return nn.Linear(D, D), (torch.empty(N, D, device="meta"),)
    >>> growth(make, "N", [8, 32, 128], measure=None, D=16).exponent
    1.0
    >>> growth(make, "D", [8, 32, 128], measure=None, N=16).exponent
    2.0
    """
    _check_sizes(make, symbol, sizes, fixed)
    if measure is not None and measure <= 0:
        raise ValueError(f"measure must be seconds above 0, or None: got {measure}")
    total = len(sizes) * (1 if measure is None else 2)
    report = progress or (lambda done, total: None)
    report(0, total)
    flops: list[int] = []
    for size in sizes:
        flops.append(int(count_at(make, **fixed, **{symbol: size}).forward.flops))
        report(len(flops), total)
    seconds: list[float] = []
    for size in sizes if measure is not None else ():
        assert measure is not None
        seconds.append(_measure(make, fixed | {symbol: size}, measure))
        report(len(flops) + len(seconds), total)
    steps = [
        Step(
            size,
            flops[n],
            seconds[n] if seconds else None,
            _fit(sizes[n - 1 : n + 1], flops[n - 1 : n + 1]) if n else None,
            _fit(sizes[n - 1 : n + 1], seconds[n - 1 : n + 1]) if n and seconds else None,
        )
        for n, size in enumerate(sizes)
    ]
    threads = torch.get_num_threads() if seconds else None
    fitted = _fit(sizes, seconds) if seconds else None
    return Growth(symbol, dict(fixed), tuple(steps), _fit(sizes, flops), fitted, threads)


def _check_sizes(make: Make, symbol: str, sizes: Sequence[int], fixed: dict[str, int]) -> None:
    if len(sizes) < 2 or list(sizes) != sorted(set(sizes)) or sizes[0] < 1:
        raise ValueError(f"sizes must be two or more, each larger than the one before, from 1: got {list(sizes)}")
    if symbol in fixed:
        raise ValueError(f"{symbol} must grow: got {symbol}={fixed[symbol]} too; leave it out")
    takes = inspect.signature(make).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in takes.values()):
        return
    if symbol not in takes:
        raise ValueError(f"symbol must be a size that make takes: got {symbol!r}; use one of {', '.join(takes)}")
    if unused := [name for name in fixed if name not in takes]:
        name = unused[0]
        raise ValueError(f"make takes no size {name}: got {name}={fixed[name]}; it takes {', '.join(takes)}")
    if missing := [name for name, p in takes.items() if p.default is p.empty and name not in {symbol, *fixed}]:
        raise ValueError(
            f"every size but {symbol} must be fixed: got none for {', '.join(missing)}; give {missing[0]}=…"
        )


def _measure(make: Make, sizes: dict[str, int], measure: float) -> float:
    """The median time of a forward pass that keeps nothing, after a warm-up."""
    from torch.utils.benchmark import Timer

    module, inputs, *more = make(**sizes)
    if any(tensor.is_meta for tensor in (*module.parameters(), *module.buffers())):
        raise ValueError(
            "a module must have contents to be measured: got one on meta; build it on the CPU, or measure=None"
        )
    module.eval()
    keywords = more[0] if more else {}
    names = {"module": module, "inputs": tree_map(_fill, inputs), "keywords": tree_map(_fill, keywords)}
    with torch.inference_mode():
        timer = Timer("module(*inputs, **keywords)", globals=names, num_threads=torch.get_num_threads())
        return timer.blocked_autorange(min_run_time=measure).median


def _fill(value: Any) -> Any:
    """Contents for a tensor that has none: noise, or zeros where numbers are indices."""
    if not (isinstance(value, Tensor) and value.is_meta):
        return value
    draw = torch.randn if value.is_floating_point() else torch.zeros
    return draw(value.shape, dtype=value.dtype)


def _fit(sizes: Sequence[int], costs: Sequence[int | float]) -> float | None:
    """The exponent: whole where the costs are a power of the sizes exactly, else by least squares in logarithms.

    >>> _fit([3, 9, 10], [27, 729, 1000]), round(_fit([1, 10, 100], [1, 10, 1000]), 3), _fit([1, 2], [0, 3])
    (3.0, 1.5, None)
    """
    if min(costs) <= 0:
        return None
    slope = statistics.linear_regression([math.log(size) for size in sizes], [math.log(cost) for cost in costs]).slope
    whole = round(slope)
    pairs = list(zip(sizes, costs, strict=True))
    if whole >= 0 and all(cost * sizes[0] ** whole == costs[0] * size**whole for size, cost in pairs):
        return float(whole)
    return slope


def _write_exponent(exponent: float | None) -> str:
    return "" if exponent is None else f"{exponent:.2f}"
