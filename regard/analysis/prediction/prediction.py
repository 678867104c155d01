"""The predicted time of a step: by pass, by module, and what bounds each; beside what was measured."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from regard.algorithms.planning.machines import Machine
from regard.algorithms.planning.report import si
from regard.analysis.prediction.roofline import Kernel, Operation, fused, one_by_one, peak_rate
from regard.analysis.tables import Printed, new_table, stack

PHASES = ("forward", "backward", "step")


@dataclass(frozen=True)
class Spent:
    """Seconds on the device by pass and by what they are spent on; `flops` are executed, `bytes` cross the memory."""

    forward: float = 0.0
    backward: float = 0.0
    step: float = 0.0
    bounds: dict[str, float] = field(default_factory=dict)
    flops: float = 0.0
    bytes: float = 0.0

    @property
    def device(self) -> float:
        return self.forward + self.backward + self.step

    @property
    def bound(self) -> str:
        """What most of the time is spent on."""
        return max(self.bounds, key=self.bounds.__getitem__, default="")

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            self.forward + other.forward,
            self.backward + other.backward,
            self.step + other.step,
            {name: self.bounds.get(name, 0.0) + other.bounds.get(name, 0.0) for name in self.bounds | other.bounds},
            self.flops + other.flops,
            self.bytes + other.bytes,
        )


@dataclass(frozen=True, kw_only=True)
class Prediction(Printed):
    """A training step, or where there is no backward pass a forward pass, on a machine.

    A GPU and its host work side by side: each kernel begins when the host has come to it and the one before is done.
    `seconds` is when the last is done, `first_token` when the forward pass is. `rate` is the peak that utilisation is a
    share of: the data sheet's, where there is one.
    """

    machine: str
    basis: str
    compiled: bool
    forward: float  # seconds on the device
    backward: float
    step: float  # of the optimizer
    host: float
    seconds: float
    first_token: float
    kernels: int
    flops: float  # that the mathematics needs
    rate: float
    tokens: int  # or images, or rows: the unit says
    unit: str
    modules: dict[str, Spent]
    operations: dict[str, Spent]
    measured: float | None = None  # seconds of a step

    @property
    def device(self) -> float:
        return self.forward + self.backward + self.step

    @property
    def utilisation(self) -> float:
        """Model FLOPs utilisation: the FLOPs that are needed over those that the peak would do in this time."""
        return self.flops / (self.rate * self.seconds)

    @property
    def error(self) -> float | None:
        """Of the prediction, as a share of what was measured."""
        return None if self.measured is None else self.seconds / self.measured - 1

    def json(self) -> dict[str, Any]:
        derived = ("device", "utilisation", "error")
        numbers = {name: getattr(self, name) for name in derived}
        return asdict(self) | numbers | {"tokens_per_second": self.tokens / self.seconds}

    def rich(self) -> Any:
        """The step and its passes, for Rich."""
        how = "compiled" if self.compiled else "eager"
        whole = {"forward": self.forward, "backward": self.backward, "optimizer": self.step, "host": self.host}
        table = new_table(numbers=(*whole, "step", f"{self.unit}/s", "utilisation"))
        cells = [si(seconds, "s") if seconds else "" for seconds in (*whole.values(), self.seconds)]
        rate = self.tokens / self.seconds
        table.add_row(*cells, f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}", f"{self.utilisation:.1%}")
        lines: list[Any] = [(f"predicted for {self.machine}, {how}: {self.basis}", "bold"), table]
        bounds = sum(self.operations.values(), Spent()).bounds
        largest = sorted(bounds, key=bounds.__getitem__, reverse=True)
        shares = [f"{bound} {bounds[bound] / self.device:.0%}" for bound in largest]
        waits = "the host is slower than the device; " if self.host > self.device else ""
        lines.append((f"{waits}the device spends {', '.join(shares)}", "dim"))
        if self.backward:
            says = f"time to the first token {si(self.first_token, 's')}: one forward pass over all tokens"
            lines.append((says, "dim"))
        if self.measured is not None and self.error is not None:
            lines.append(f"measured {si(self.measured, 's')}: the prediction is off by {self.error:+.1%}")
        return stack(*lines)


def predict(
    operations: Sequence[Operation], machine: Machine, *, flops: float, inputs: tuple[int, str], compiled: bool = False
) -> Prediction:
    """The time of a run whose operations were entered."""
    kernels = fused(operations) if compiled else one_by_one(operations)
    modules: dict[str, Spent] = {}
    names: dict[str, Spent] = {}
    seconds: dict[str, float] = dict.fromkeys(PHASES, 0.0)
    host = done = first = 0.0
    for kernel in kernels:
        time, main = kernel.time(machine, compiled), kernel.largest
        seconds[main.phase] += time.device
        is_launch = compiled and main.phase != "step"  # by a compiler's own code, without views or a graph
        host += machine.dispatch[0] if is_launch else time.host
        done = max(done, host) + time.device
        first = done if main.phase == "forward" else first
        flop = sum(one.flops for one in kernel.operations)
        moved = sum(kernel.reads.values()) + sum(kernel.writes.values())
        for where, key in ((modules, main.module), (names, main.name)):
            ahead, back, step = (time.device if main.phase == phase else 0.0 for phase in PHASES)
            spent = Spent(ahead, back, step, {time.bound: time.device}, flop, moved)
            where[key] = where.get(key, Spent()) + spent
    return Prediction(
        machine=machine.name,
        basis=machine.basis,
        compiled=compiled,
        **seconds,
        host=host,
        seconds=done,
        first_token=first,
        kernels=len(kernels),
        flops=flops,
        rate=peak_rate(machine, _main_type(kernels)),
        tokens=inputs[0],
        unit=inputs[1],
        modules=modules,
        operations=names,
    )


def _main_type(kernels: Sequence[Kernel]) -> Any:
    """The type of most products."""
    import torch

    found: dict[Any, float] = {}
    for kernel in kernels:
        first = kernel.operations[0]
        if first.kind in ("product", "attention") and first.dtype.is_floating_point:
            found[first.dtype] = found.get(first.dtype, 0.0) + first.flops
    return max(found, key=found.__getitem__) if found else torch.float32
