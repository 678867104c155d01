"""How it is computed: the planner, and one file per algorithm with `refuses`, `cost` and `run`."""

from regard.algorithms.attend import attend, plan, weights
from regard.algorithms.attend_linear import attend_linear
from regard.algorithms.attend_projected import attend_projected
from regard.algorithms.next_token import NextToken, next_token
from regard.algorithms.planning.kept import Prepared
from regard.algorithms.planning.planner import Plan, Refused
from regard.algorithms.sharded.context import Context

__all__ = [
    "Context",
    "NextToken",
    "Plan",
    "Prepared",
    "Refused",
    "attend",
    "attend_linear",
    "attend_projected",
    "next_token",
    "plan",
    "weights",
]
