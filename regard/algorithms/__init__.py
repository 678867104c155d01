"""How it is computed: the planner, and one file per algorithm with `refuses`, `cost` and `run`."""

from regard.algorithms.attend import attend, weights
from regard.algorithms.planner import Plan, Refused, plan

__all__ = ["Plan", "Refused", "attend", "plan", "weights"]
