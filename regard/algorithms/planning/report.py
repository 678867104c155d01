"""A plan as a table for people."""

import io
import math
from typing import TYPE_CHECKING

from regard.algorithms.planning.planner import Candidate, Plan
from regard.algorithms.planning.problem import Problem

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text

PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}


def plain(shown: object, width: int = 80) -> str:
    """What Rich shows, in plain text, `width` characters wide; refusals wrap and are never cut."""
    from rich.console import Console

    file = io.StringIO()
    console = Console(file=file, width=width, color_system=None, force_terminal=False, force_jupyter=False)
    console.print(shown)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def rich_table(plan: Plan) -> "Group":
    """The plan for Rich: what is computed, what each exact algorithm costs, the chosen one first, then the refusals."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table

    costs = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    costs.add_column("", width=1)
    costs.add_column("algorithm", no_wrap=True, min_width=9)
    spread = any([candidate.cost is not None and candidate.cost.sent for candidate in plan.candidates])
    for title in ("FLOPs", "bytes", "peak memory", *["received"] * spread, "time"):
        costs.add_column(title, justify="right", no_wrap=True)
    costs.add_column("")
    # A reason is a sentence: beside six columns of numbers it would be a ribbon, so it has the width of the page.
    refusals = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
    refusals.add_column("", width=1)
    refusals.add_column("algorithm", no_wrap=True, min_width=9)
    refusals.add_column("reason", overflow="fold")
    for candidate in sorted(plan.candidates, key=lambda candidate: _order(plan, candidate)):
        chosen = candidate.name == plan.chosen
        if candidate.cost is None:
            refusals.add_row("", candidate.name, f"refused: {candidate.refusal}", style="dim")
        else:
            *work, seconds = figures(candidate)
            received = [si(candidate.cost.sent, "B")] * spread
            row = ("▶" if chosen else "", candidate.name, *work, *received, seconds, "chosen" if chosen else "")
            costs.add_row(*row, style="bold green" if chosen else "")
    parts = [heading(plan.problem), Padding(costs, (1, 0, 0, 0))]
    if refusals.row_count:
        parts.append(refusals)
    return Group(*parts)


def heading(problem: Problem) -> "Text":
    """The value, and what it is computed on."""
    from rich.text import Text

    sizes = " ".join(f"{name}={getattr(problem.shape, name)}" for name in problem.shape.__match_args__)
    facts = [sizes, str(problem.dtype).removeprefix("torch."), problem.machine.name]
    facts.append("forward and backward" if problem.backward else "forward only")
    facts += ["dropout"] * (problem.dropout > 0) + ["log-sum-exp"] * problem.outline.flags.return_lse
    facts += ["log-sum-exp for the sink"] * problem.sink_alone
    about = f"table {problem.machine.name}: {problem.machine.basis}"
    parts = ((repr(problem.stated), "bold"), "\n", (" · ".join(facts), "cyan"), "\n", (about, "cyan"))
    return Text.assemble(*parts, overflow="fold")


def figures(candidate: Candidate) -> tuple[str, str, str, str]:
    """Work, traffic, memory beyond the inputs and predicted time, as people say them."""
    cost, seconds = candidate.cost, candidate.seconds
    assert cost is not None
    assert seconds is not None
    return si(cost.flops, "FLOP"), si(cost.bytes, "B"), si(cost.memory, "B"), si(seconds, "s")


def si(value: float | int, unit: str) -> str:
    """Three significant digits and a prefix.

    >>> si(4_300_000_000_000, "FLOP"), si(3.1e-4, "s"), si(999.96, "B"), si(0, "B")
    ('4.3 TFLOP', '310 µs', '1 kB', '0 B')
    """
    rounded = float(f"{value:.3g}")  # before the prefix is chosen: 999.96 is 1 k
    power = 3 * math.floor(math.log10(rounded) / 3) if rounded else 0
    power = min(max(power, min(PREFIXES)), max(PREFIXES))
    return f"{rounded / 10**power:.12g} {PREFIXES[power]}{unit}"


def _order(plan: Plan, candidate: Candidate) -> tuple[bool, float]:
    """The chosen one first, then the faster, then those that refuse in their usual order."""
    return candidate.name != plan.chosen, math.inf if candidate.seconds is None else candidate.seconds
