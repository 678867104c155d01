"""The result of a count: totals, modules, operations, memory; printed as a table, JSON or CSV."""

import json
import operator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from regard.algorithms.planning.cost import Count
from regard.algorithms.planning.report import si
from regard.analysis.prediction.prediction import Prediction, Spent
from regard.analysis.tables import Printed, new_table, stack, write_csv
from regard.checks import nearest

if TYPE_CHECKING:
    from rich.text import Text

ALIKE = operator.attrgetter("kind", "parameters", "forward", "backward")  # what numbered modules of one row share


@dataclass(frozen=True)
class Work:
    """One pass.

    `flops` are those of matrix products that the mathematics needs, two per multiply-add: only visible pairs of
    attention, nothing twice. `executed` is what this path computes: whole blocks of kernels, the hidden half of a
    causal map where it is not skipped, logits computed again in the backward pass, checkpoints filled again.
    `elementwise` counts the elements that other arithmetic goes over, `bytes` what operations read and write when each
    runs alone.
    """

    flops: Count = 0
    executed: Count = 0
    elementwise: Count = 0
    bytes: Count = 0

    def __add__(self, other: "Work") -> "Work":
        return Work(*map(operator.add, vars(self).values(), vars(other).values()))

    def __sub__(self, other: "Work") -> "Work":
        return Work(*map(operator.sub, vars(self).values(), vars(other).values()))


@dataclass(frozen=True)
class ModuleCost:
    """One module with all that is inside it; of its parameters a token meets those that are active."""

    name: str
    kind: str
    parameters: int
    trainable: int
    active: int
    forward: Work
    backward: Work
    attention: Count = 0  # of the forward FLOPs those of logits and of mixing
    time: Spent | None = None  # predicted, on the device

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

    def rich(self) -> Any:
        """One row, for Rich."""
        shown = {
            "parameters": self.parameters,
            "gradients": self.gradients,
            "optimizer": self.optimizer,
            "activations": self.activations,
            "peak, training": self.peak,
            "peak, inference": self.inference,
        }
        table = new_table(numbers=shown)
        table.add_row(*[si(count, "B") if count else "" for count in shown.values()])
        return table


@dataclass(frozen=True, kw_only=True)
class ModelCost(Printed):
    """What a module costs on the given inputs.

    `unknown` names the operations that could not be counted and how often they ran: where it is not empty, the FLOPs
    are a lower bound. `notes` says what was assumed. `active` are the parameters that one token meets: all of them but
    those of experts that are not chosen for it.
    """

    parameters: int
    trainable: int
    active: int
    forward: Work
    backward: Work
    modules: tuple[ModuleCost, ...]
    operations: dict[str, dict[str, Work]] = field(repr=False)
    unknown: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    memory: Memory | None = None
    time: Prediction | None = None

    def __getitem__(self, name: str) -> ModuleCost:
        """One module by its name."""
        for module in self.modules:
            if module.name == name:
                return module
        raise KeyError(f"no module {name!r}: {nearest(name, [module.name for module in self.modules])}")

    def json(self) -> str:
        """All of it; numbers are numbers, polynomials text."""
        time = None if self.time is None else self.time.json()
        return json.dumps(asdict(self) | {"time": time}, indent=1, default=str)

    def csv(self) -> str:
        """A line per module, from the whole to its parts."""
        names, passes = ("flops", "executed", "elementwise", "bytes"), ("forward", "backward")
        rows: list[list[Any]] = [
            ["module", "kind", "parameters", "trainable", "active", *(f"{p} {n}" for p in passes for n in names)]
        ]
        rows[0] += ["forward seconds", "backward seconds", "bound"]
        for module in self.modules:
            work = [getattr(getattr(module, p), n) for p in passes for n in names]
            time = module.time or Spent()
            work += [time.forward, time.backward, time.bound]
            rows.append([module.name, module.kind, module.parameters, module.trainable, module.active, *work])
        return write_csv(rows)

    def rich(self, depth: int = 3) -> Any:
        """Totals, then every module down to a depth, then memory, then what could not be counted."""
        modules = new_table("module", padding=2)
        for title in ("parameters", "forward", "attention", "backward", "executed"):  # FLOPs
            modules.add_column(title, justify="right", no_wrap=True, min_width=len(title))
        for label, row, style in fold(self.modules, depth):
            executed = row.forward.executed + row.backward.executed
            counts = (row.parameters, row.forward.flops, row.attention, row.backward.flops, executed)
            modules.add_row(label, *[si(count, "") if count else "" for count in counts], style=style)
        totals = new_table("")
        for title in ("FLOPs needed", "executed", "elementwise", "bytes"):
            totals.add_column(title, justify="right", no_wrap=True)
        for name, work in (("forward", self.forward), ("backward", self.backward)):
            flops = (si(work.flops, "FLOP"), si(work.executed, "FLOP"))
            totals.add_row(name, *flops, si(work.elementwise, ""), si(work.bytes, "B"))
        frozen = f", {self.parameters - self.trainable:,} of them frozen" if self.trainable != self.parameters else ""
        active = f", {self.active:,} of them active for a token" if self.active != self.parameters else ""
        parts: list[Any] = [(f"{self.parameters:,} parameters{active}{frozen}", "bold"), totals, "", modules]
        if self.memory is not None:
            parts += ["", self.memory.rich()]
        if self.time is not None:
            parts += ["", self.time.rich(), "", self._times(depth)]
        for name, count in self.unknown.items():
            parts.append((f"not counted: {name}, {count} times; the FLOPs are a lower bound", "yellow"))
        return stack(*parts, *[(note, "dim") for note in self.notes])

    def _times(self, depth: int) -> Any:
        """Seconds of every module down to a depth, their share, and what they are spent on."""
        table = new_table("time by module", padding=2)
        for title in ("forward", "backward", "share", "bound by"):
            table.add_column(title, justify="left" if title == "bound by" else "right", no_wrap=True)
        whole = self.time.device if self.time is not None else 0.0
        for label, row, style in fold(self.modules, depth):
            if row.time is None or row.time.device == 0:
                continue
            cells = [si(seconds, "s") if seconds else "" for seconds in (row.time.forward, row.time.backward)]
            table.add_row(label, *cells, f"{row.time.device / whole:.1%}", row.time.bound, style=style)
        return table


@dataclass(frozen=True)
class NextToken(Printed):
    """One step of decoding behind `cached` tokens: its cost, bytes of cache and parameters, the least time it takes.

    Of the parameters those that are `active` are read: all of them but those of experts that no row chooses.
    """

    cached: int
    batch: int
    cost: ModelCost
    cache: int
    parameters: int
    active: int
    device: str
    basis: str  # of the device's table: what was measured, or not
    seconds: float

    def json(self) -> str:
        return json.dumps(asdict(self), indent=1, default=str)

    def csv(self) -> str:
        return self.cost.csv()

    def rich(self, depth: int = 3) -> Any:
        """The bytes and the time, then the cost of the step with modules down to a depth."""
        rows = f"{self.batch} row" + ("s" if self.batch > 1 else "")
        active = f", {si(self.active, 'B')} of them active" if self.active != self.parameters else ""
        read = "active parameters" if active else "parameters"
        lines = (
            f"one more token behind {self.cached:,}, {rows}: cache {si(self.cache, 'B')}, parameters "
            f"{si(self.parameters, 'B')}{active}",
            f"at least {si(self.seconds, 's')} on {self.device}: {read} and cache once through its memory",
            f"table {self.device}: {self.basis}",
        )
        return stack(*[(line, "bold") for line in lines], "", self.cost.rich(depth))


def fold(modules: tuple[ModuleCost, ...], depth: int) -> list[tuple["Text", ModuleCost, str]]:
    """Rows to show: label, module, style; numbered modules without a difference become one row."""
    from rich.text import Text

    rows: list[tuple[Text, ModuleCost, str]] = []
    hidden: set[str] = set()
    by_name = {module.name: module for module in modules}
    for module in modules:
        above, _, last = module.name.rpartition(".")
        if module.depth > depth or module.name in hidden or above in hidden:
            hidden.add(module.name)
            continue
        times = 1
        if last.isdecimal():
            while (other := by_name.get(f"{above}.{int(last) + times}".lstrip("."))) and ALIKE(module) == ALIKE(other):
                hidden.add(other.name)
                times += 1
        label = last if times == 1 else f"{last} … {int(last) + times - 1}"
        kind = module.kind if times == 1 else f"{module.kind} × {times}, each"
        named = Text.assemble(" " * module.depth + (label or "all"), "  ", (kind, "dim"))
        rows.append((named, module, "" if module.name else "bold"))
    return rows
