"""Costs as a table for people: a tree of modules, those that are alike folded into one."""

import re
from typing import TYPE_CHECKING, Any

from regard.algorithms.planning.report import si
from regard.analysis.cost.report import Memory, ModelCost, ModuleCost, Work

if TYPE_CHECKING:
    from rich.console import Group


def rich_cost(cost: ModelCost, depth: int) -> "Group":
    """Totals, then every module down to a depth, then memory, then what could not be counted."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    modules = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))  # 80 characters hold it
    modules.add_column("module", no_wrap=True, overflow="ellipsis", max_width=28)
    for title in ("parameters", "forward", "attention", "backward", "executed"):  # FLOPs
        modules.add_column(title, justify="right", no_wrap=True, min_width=len(title))
    for label, row, times in folded(cost.modules, depth):
        named = Text.assemble(label, "  ", (_kind(row, times), "dim"))
        modules.add_row(named, *_numbers(row), style="bold" if row.name == "" else "")
    totals = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    totals.add_column("")
    for title in ("FLOPs needed", "executed", "elementwise", "bytes"):
        totals.add_column(title, justify="right", no_wrap=True)
    for name, work in (("forward", cost.forward), ("backward", cost.backward)):
        totals.add_row(name, *_work(work))
    frozen = f", {cost.parameters - cost.trainable:,} of them frozen" if cost.trainable != cost.parameters else ""
    parts: list[Any] = [Text(f"{cost.parameters:,} parameters{frozen}", style="bold"), totals]
    parts.append(Padding(modules, (1, 0, 0, 0)))
    if cost.memory is not None:
        parts.append(Padding(_memory(cost.memory), (1, 0, 0, 0)))
    for name, count in cost.unknown.items():
        parts.append(Text(f"not counted: {name}, {count} times; the FLOPs are a lower bound", style="yellow"))
    parts += [Text(note, style="dim") for note in cost.notes]
    return Group(*parts)


def folded(modules: tuple[ModuleCost, ...], depth: int) -> list[tuple[str, ModuleCost, int]]:
    """Rows to show: label, module, how many are alike; brothers with numbers for names fold where they are."""
    rows: list[tuple[str, ModuleCost, int]] = []
    hidden: set[str] = set()
    by_name = {module.name: module for module in modules}
    for module in modules:
        above = module.name.rpartition(".")[0]
        if module.depth > depth or module.name in hidden or above in hidden:
            hidden.add(module.name)
            continue
        alike = _alike(module, by_name)
        hidden.update(alike)
        rows.append((_label(module, len(alike)), module, 1 + len(alike)))
    return rows


def _alike(module: ModuleCost, by_name: dict[str, ModuleCost]) -> list[str]:
    """The names of the brothers that follow a numbered module without a difference."""
    above, _, last = module.name.rpartition(".")
    if not re.fullmatch(r"\d+", last):
        return []
    names = []
    number = int(last) + 1
    while (other := by_name.get(f"{above}.{number}" if above else str(number))) is not None and _same(module, other):
        names.append(other.name)
        number += 1
    return names


def _same(one: ModuleCost, other: ModuleCost) -> bool:
    return (one.kind, one.parameters, one.forward, one.backward) == (
        other.kind,
        other.parameters,
        other.forward,
        other.backward,
    )


def _label(module: ModuleCost, followers: int) -> str:
    last = module.name.rpartition(".")[2]
    if followers:
        last = f"{last} … {int(last) + followers}"
    return " " * module.depth + (last or "all")


def _kind(module: ModuleCost, times: int) -> str:
    return module.kind if times == 1 else f"{module.kind} × {times}, each"


def _numbers(row: ModuleCost) -> tuple[str, ...]:
    executed = row.forward.executed + row.backward.executed
    flops = (row.forward.flops, row.attention, row.backward.flops, executed)
    return si(row.parameters, "") if row.parameters else "", *[si(count, "") if count else "" for count in flops]


def _work(work: Work) -> tuple[str, ...]:
    return (
        si(work.flops, "FLOP"),
        si(work.executed, "FLOP"),
        si(work.elementwise, ""),
        si(work.bytes, "B"),
    )


def _memory(memory: Memory) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    shown = {
        "parameters": memory.parameters,
        "gradients": memory.gradients,
        "optimizer": memory.optimizer,
        "activations": memory.activations,
        "peak, training": memory.peak,
        "peak, inference": memory.inference,
    }
    for title in shown:
        table.add_column(title, justify="right")
    table.add_row(*[si(count, "B") if count else "" for count in shown.values()])
    return table
