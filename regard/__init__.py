"""Say what attention you mean. Get the fastest exact way to compute it, what it costs, and a proof that it is right."""

from regard.algorithms import Plan, attend, plan, weights
from regard.attention import Attention

__all__ = ["Attention", "Plan", "attend", "plan", "weights"]
