"""What was counted, as values: totals, modules, operations; printed as a table, or JSON, or CSV."""

import csv
import io
import json
from dataclasses import asdict, dataclass, field
from typing import Any

from regard.algorithms.planning.cost import Count
from regard.algorithms.planning.report import plain
from regard.checks import nearest


@dataclass(frozen=True)
class Work:
    """One pass.

    `flops` are those of matrix products that the mathematics needs, two per multiply-add: only visible pairs of
    attention, nothing twice. `executed` is what this path computes: whole blocks of kernels, the hidden half of a
    causal map where it is not skipped, logits computed again on the way back, checkpoints filled again. `elementwise`
    counts the elements that other arithmetic goes over, `bytes` what operations read and write when each runs alone.
    """

    flops: Count = 0
    executed: Count = 0
    elementwise: Count = 0
    bytes: Count = 0

    def __add__(self, other: "Work") -> "Work":
        return Work(
            self.flops + other.flops,
            self.executed + other.executed,
            self.elementwise + other.elementwise,
            self.bytes + other.bytes,
        )


@dataclass(frozen=True)
class ModuleCost:
    """One module with all that is inside it."""

    name: str
    kind: str
    parameters: int
    trainable: int
    forward: Work
    backward: Work
    attention: Count = 0  # of the forward FLOPs those of logits and of mixing

    @property
    def depth(self) -> int:
        return self.name.count(".") + 1 if self.name else 0


@dataclass(frozen=True)
class Memory:
    """Bytes: what lies there throughout, what a pass keeps, and the most at any time.

    `activations` are kept from forward to backward, the outputs among them. `peak` is the most while training, one
    step after the other; `inference` the most of a forward pass that keeps nothing.
    """

    parameters: int
    buffers: int
    inputs: int
    gradients: int
    optimizer: int
    activations: int
    peak: int
    inference: int


@dataclass(frozen=True)
class ModelCost:
    """What a module costs on the given inputs.

    `unknown` names the operations that could not be counted and how often they ran: where it is not empty, the FLOPs
    are a lower bound. `notes` says what was assumed.
    """

    parameters: int
    trainable: int
    forward: Work
    backward: Work
    modules: tuple[ModuleCost, ...]
    operations: dict[str, dict[str, Work]] = field(repr=False)
    unknown: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    memory: Memory | None = None

    def __getitem__(self, name: str) -> ModuleCost:
        """One module by its name."""
        for module in self.modules:
            if module.name == name:
                return module
        raise KeyError(f"no module {name!r}: {nearest(name, [module.name for module in self.modules])}")

    def json(self) -> str:
        """All of it; numbers are numbers, polynomials text."""
        return json.dumps(asdict(self), indent=1, default=str)

    def csv(self) -> str:
        """A line per module, from the whole to its parts."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        names = ("flops", "executed", "elementwise", "bytes")
        passes = ("forward", "backward")
        writer.writerow(["module", "kind", "parameters", "trainable", *(f"{p} {n}" for p in passes for n in names)])
        for module in self.modules:
            work: list[Any] = [getattr(getattr(module, p), n) for p in passes for n in names]
            writer.writerow([module.name, module.kind, module.parameters, module.trainable, *work])
        return out.getvalue()

    def rich(self, depth: int = 3) -> Any:
        """The table for Rich, with modules down to a depth."""
        from regard.analysis.cost.table import rich_cost

        return rich_cost(self, depth)

    def __str__(self) -> str:
        return plain(self.rich(), width=110)
