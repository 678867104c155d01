"""Algorithms that cut a problem into others: what the parts cost together."""

from regard.algorithms.planning.cost import Cost
from regard.algorithms.planning.problem import Problem


def cost_of_parts(own: Cost, parts: list[Problem]) -> Cost:
    """Each part by its cheapest algorithm, and what cutting and joining take themselves."""
    from regard.algorithms.planning.planner import choose

    for part in parts:
        own = own + choose(part).cost(part)
    return own


def seconds_of_parts(own: Cost, problem: Problem, parts: list[Problem]) -> float:
    """Predicted time: each part at the pace of its own algorithm."""
    from regard.algorithms.planning.planner import choose, time_of

    total = own.bytes / problem.ceilings.bandwidth + own.launches * problem.ceilings.launch
    for part in parts:
        total = total + time_of(part, choose(part))
    return total
