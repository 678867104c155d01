"""How it is computed: the planner, and one file per algorithm with `refuses`, `cost` and `run`."""

from regard.algorithms.attend import attend, weights
from regard.algorithms.planner import Plan, Refused, plan
from regard.algorithms.projected import attend_projected

__all__ = ["Plan", "Refused", "attend", "attend_projected", "plan", "weights"]
