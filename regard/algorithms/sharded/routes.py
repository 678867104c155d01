"""The two ways to attend across processes, what each costs, and which is taken: from sizes alone, so that all agree.

Gathered, every process receives all keys and values, and then computes; going back it sends their gradients. Round the
ring the same bytes come a shard at a time while it computes, and once more on the way back, where every shard is either
computed by a kernel of sdpa, or once more by whatever algorithm. So the ring is for long sequences, whose arithmetic
hides what is sent, and keeps less; gathered is for short ones, and for values that the ring refuses.
"""

from dataclasses import dataclass, replace

from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning.cost import Cost, output
from regard.algorithms.planning.machines import Machine
from regard.algorithms.planning.planner import Candidate, Refused, summed
from regard.algorithms.planning.problem import Flags, Problem, bind, outlined
from regard.algorithms.sharded.context import Context
from regard.algorithms.sharded.pairs import keys_within, schedule
from regard.algorithms.sharded.ring import direct
from regard.attention import Hard, Kernel, Softmax
from regard.attention.positions.positions import Cut
from regard.checks import nearest

ROUTES = ("gathered", "ring")
LATENCY = {"cpu": 200e-6, "cuda": 20e-6, "other": 100e-6}  # seconds from the call to the first byte
# Bytes per second that one process receives: NVLink or PCIe in one direction, as data sheets say; of CPUs, gloo.
LINKS = {
    "cpu": 1e9,
    "a100": 300e9,
    "h100": 450e9,
    "h200": 450e9,
    "b200": 900e9,
    "l40s": 32e9,
    "t4": 16e9,
    "cuda": 25e9,
    "other": 5e9,
}


@dataclass(frozen=True)
class Spread:
    """A problem whose tokens lie on several processes; the sizes are of the whole."""

    problem: Problem
    context: Context

    @property
    def machine(self) -> Machine:
        return self.problem.machine

    @property
    def link(self) -> float:
        """Bytes per second that one process receives."""
        return self.context.link or LINKS.get(self.machine.name, LINKS[self.machine.kind])

    def sent(self, shards: int) -> int:
        """Bytes of keys and values of so many other processes."""
        shape, count = self.problem.shape, self.context.count
        return self.problem.item * shape.B * shape.G * (shape.D + shape.E) * (-(-shape.S // count) * shards)

    def part(self, queries: range, keys: range, flags: Flags, weighting: object = None) -> Problem:
        """A piece of the problem."""
        problem, value = self.problem, self.problem.stated
        whole = self.problem.places
        piece = value.piece(Cut(whole, queries, keys))
        if weighting is not None:
            piece = replace(piece, weighting=weighting)
        shape = replace(problem.shape, T=len(queries), S=len(keys))
        outline = outlined(shape, piece, problem.dtype, problem.machine, flags, problem.outline.holds_tensors)
        return bind(outline, piece, problem.dropout)


def refuses(route: str, problem: Problem) -> str | None:
    """Why a route would not give what the whole does."""
    if route == "gathered":
        return None
    if isinstance(problem.attention.weighting, Hard):
        return "shards are joined by their log-sum-exps, and Hard() has none"
    if problem.dropout:
        return "goes back by computing each shard again, for which it would have to drop the same weights"
    return None


def candidates(spread: Spread) -> tuple[Candidate, ...]:
    """What each route costs the process that has most to do, or why it refuses."""
    found = []
    for route, price in (("gathered", _price_gathered), ("ring", _price_ring)):
        reason = refuses(route, spread.problem)
        cost, seconds = price(spread) if reason is None else (None, None)
        found.append(Candidate(route, cost, seconds, reason))
    return tuple(found)


def choose(spread: Spread, name: str | None) -> str:
    """The named route, or the faster that does not refuse."""
    name = name or spread.context.route
    if name is not None:
        check_route(name)
        reason = refuses(name, spread.problem)
        if reason is not None:
            raise Refused(f"algorithm {name!r} refuses: {reason}; leave algorithm=None to choose one that does not")
        return name
    if spread.context.count == 1:
        return "gathered"
    exact = [(one.seconds, one.name) for one in candidates(spread) if one.seconds is not None]
    return min(exact)[1]


def check_route(name: str) -> None:
    """Raise unless it is one."""
    if name not in ROUTES:
        raise ValueError(f"unknown algorithm {name!r} for tokens on several processes: {nearest(name, ROUTES)}")


def _busiest(spread: Spread) -> int:
    problem, context = spread.problem, spread.context
    return schedule(problem.attention.mask, problem.places, context).busiest()


def _price_gathered(spread: Spread) -> tuple[Cost, float]:
    problem, context = spread.problem, spread.context
    mask, whole, flags = problem.attention.mask, problem.places, problem.outline.flags
    runs = context.runs(_busiest(spread))
    parts = [spread.part(run, keys_within(mask, whole, run) or range(1), flags) for run in runs]
    sent = spread.sent(context.count - 1)
    held = spread.sent(context.count)
    passes = 2 if problem.backward else 1
    own = Cost(0, 4 * passes * held, passes * held, 8 * passes, passes * sent)
    cost = summed(own, [PLANNER.choose(part).cost(part) for part in parts])
    seconds = sum([PLANNER.seconds(part) for part in parts]) + own.bytes / spread.machine.bandwidth
    return cost, seconds + passes * (sent / spread.link + LATENCY[spread.machine.kind])


def _price_ring(spread: Spread) -> tuple[Cost, float]:
    problem, context, machine = spread.problem, spread.context, spread.machine
    flags = replace(problem.outline.flags, sink=False)
    found = schedule(problem.attention.mask, problem.places, context)
    pairs = [pair for of_step in found.pairs[found.busiest()] for pair in of_step]
    kernel, shard = problem.kernel, spread.sent(1)
    weighting = Softmax() if kernel is None else Kernel(kernel.features, normalise=False)
    costs, seconds = [], 0.0
    for pair in pairs:
        part = spread.part(pair.queries, pair.keys, replace(flags, return_lse=False), weighting)
        fast = direct(part.attention, part.shape, part.dtype, machine) if problem.softmax else None
        if fast is not None:
            costs.append(PLANNER.named("fused").cost(part))
            seconds += PLANNER.named("fused").seconds(part)
            continue
        there = replace(flags, return_lse=problem.softmax, backward=False, bias_backward=False)
        both = replace(there, backward=problem.backward, bias_backward=problem.bias_backward)
        for wanted in (there, both) if problem.backward else (there,):
            part = spread.part(pair.queries, pair.keys, wanted, weighting)
            algorithm = PLANNER.choose(part)
            costs.append(algorithm.cost(part))
            seconds += algorithm.seconds(part)
    steps = len(found.steps) - 1
    sent = steps * shard * (3 if problem.backward else 1)
    merged = output(replace(problem.shape, T=-(-problem.shape.T // context.count)), problem.wide.itemsize)
    passes = 6 if problem.backward else 3
    own = Cost(
        0, passes * merged * len(pairs), 2 * merged + (6 if problem.backward else 2) * shard, 8 * len(pairs), sent
    )
    seconds += own.bytes / machine.bandwidth + own.launches * machine.launch
    waits = (2 if problem.backward else 1) * steps * LATENCY[machine.kind]
    return summed(own, costs), max(seconds, sent / spread.link) + waits
