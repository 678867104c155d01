"""Formulas as a table for people."""

from typing import TYPE_CHECKING, Any

from regard.analysis.cost.crossovers import crossovers, dominant
from regard.analysis.cost.polynomial import Polynomial
from regard.analysis.cost.presets import LEGEND
from regard.analysis.cost.symbolic import Formulas

if TYPE_CHECKING:
    from rich.console import Group


def rich_formulas(found: Formulas, depth: int) -> "Group":
    """The sizes, the totals, every module down to a depth, what dominates, and where parts cost the same."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    sizes = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
    for name, size in found.sizes.items():
        sizes.add_row(name, f"{size:,}", LEGEND.get(name, ""))
    totals = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
    for name in ("parameters", "forward", "backward"):
        polynomial: Polynomial = getattr(found, name)
        totals.add_row(name, Text(str(polynomial), overflow="fold"), f"= {int(polynomial(**found.sizes)):,}")
    modules = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for title in ("module", "kind", "parameters", "forward FLOPs"):
        modules.add_column(title, overflow="fold")
    for row in found.modules[1:]:
        level = row.name.count(".") + 1
        if level <= depth:
            label = "  " * (level - 1) + row.name.rpartition(".")[2]
            modules.add_row(label, row.kind, str(row.parameters), str(row.forward))
    parts: list[Any] = [sizes, Padding(totals, (1, 0, 1, 0))]
    if modules.row_count:
        parts.append(modules)
    parts.append(Padding(_asymptotics(found), (1, 0, 0, 0)))
    parts += [Text(f"not counted: {name}, {count} times", style="yellow") for name, count in found.unknown.items()]
    parts += [Text(note, style="dim") for note in found.notes]
    return Group(*parts)


def _asymptotics(found: Formulas) -> Any:
    """Which terms decide as each size grows, and where attention overtakes the rest."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for title in ("as", "the FLOPs are", "because of"):
        table.add_column(title, overflow="fold")
    for symbol in found.sizes:
        if symbol in found.forward.symbols:
            leading = dominant(found.forward, symbol)
            table.add_row(f"{symbol} → ∞", leading.order, str(leading.terms))
    crossings = [Text(str(crossing)) for crossing in crossovers(found, _tokens(found))]
    return Group(table, *crossings)


def _tokens(found: Formulas) -> str:
    """The symbol that attention is quadratic in."""
    return "N" if "N" in found.sizes or "R" not in found.sizes else "R"
