"""What was counted."""

from collections import Counter
from dataclasses import dataclass, field

from regard.algorithms.planning.cost import Count


@dataclass
class Tally:
    """What the operations of one name did in one module."""

    needed: Count = 0
    attention: Count = 0  # of what is needed, logits and mixing
    executed: Count = 0
    elementwise: Count = 0
    bytes: Count = 0
    calls: int = 0


@dataclass
class Trace:
    """What was counted: tallies by (phase, module, operation), and what could not be."""

    tallies: dict[tuple[str, str, str], Tally] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)
    notes: dict[str, None] = field(default_factory=dict)

    def tally(self, phase: str, module: str, name: str) -> Tally:
        return self.tallies.setdefault((phase, module, name), Tally())
