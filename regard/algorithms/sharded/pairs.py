"""Which runs of queries meet which runs of keys: found from sizes alone, so that all processes find the same."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from regard.algorithms.planning.kept import recall
from regard.algorithms.sharded.context import Context
from regard.attention import Facts, Mask, Places
from regard.attention.masks.facts import both
from regard.attention.masks.visibility import index_band
from regard.attention.positions.positions import Cut


@dataclass(frozen=True)
class Pair:
    """A run of one process's queries and a run of another's keys that may see each other, and where they are kept."""

    queries: range  # in the sequence
    keys: range
    asks: slice  # among the tokens of their process
    answers: slice

    @property
    def size(self) -> int:
        return len(self.queries) * len(self.keys)


@dataclass(frozen=True)
class Schedule:
    """What process `rank` computes with the keys of process `rank − step`, for each step that somebody needs."""

    steps: tuple[int, ...]
    pairs: tuple[tuple[tuple[Pair, ...], ...], ...]  # of each process and step

    def busiest(self) -> int:
        """The process with the most pairs."""
        work = [sum([pair.size for pairs in steps for pair in pairs]) for steps in self.pairs]
        return work.index(max(work))


def schedule(mask: Mask, whole: Places, context: Context) -> Schedule:
    """All pairs of runs but those that the mask surely hides."""
    key = ("schedule", mask.flatten()[0], *context.key)
    if not whole.is_static:
        return _schedule(mask, whole, context)
    return recall((*key, whole.key), lambda: _schedule(mask, whole, context))


def _schedule(mask: Mask, whole: Places, context: Context) -> Schedule:
    facts = [part.facts(whole) for part in mask.conjuncts]
    ranks = range(context.count)
    keys = [_placed(context.runs(rank, memory=True)) for rank in ranks]
    found = []
    for rank in ranks:
        queries = _placed(context.runs(rank))
        of_rank = []
        for step in ranks:
            pairs = [
                Pair(asked, answering, asks, answers)
                for asked, asks in queries
                for answering, answers in keys[(rank - step) % context.count]
                if not is_hidden(facts, Cut(whole, asked, answering))
            ]
            of_rank.append(tuple(pairs))
        found.append(of_rank)
    steps = [step for step in ranks if step == 0 or any([of_rank[step] for of_rank in found])]
    return Schedule(tuple(steps), tuple([tuple([of_rank[step] for step in steps]) for of_rank in found]))


def _placed(runs: tuple[range, ...]) -> list[tuple[range, slice]]:
    """Runs of tokens, and where they are among all tokens of their process."""
    ends = list(accumulate([len(run) for run in runs]))
    return [(run, slice(end - len(run), end)) for run, end in zip(runs, ends, strict=True)]


def is_hidden(facts: list[Facts], cut: Cut) -> bool:
    """Whether one of these masks surely hides every pair of the cut."""
    return any([_hides_offsets(fact, cut) or _hides_pads(fact, cut) or _parts(fact, cut) for fact in facts])


def _hides_offsets(facts: Facts, cut: Cut) -> bool:
    places = cut.places
    if not (cut.is_placed and places.is_static):
        return False
    for axis in range(places.num_axes):
        low, high = both(places.axis(axis, facts).offset_range(facts), facts.band[axis])
        if low is not None and high is not None and low > high:
            return True
    return False


def _hides_pads(facts: Facts, cut: Cut) -> bool:
    if facts.real is None or facts.real.lengths is None:
        return False
    first = max(cut.keys.start, cut.queries.start) if facts.real.queries else cut.keys.start
    return first >= max(facts.real.lengths)


def _parts(facts: Facts, cut: Cut) -> bool:
    """Whether queries and keys are in different documents, in every row."""
    if facts.documents is None or facts.documents.lengths is None:
        return False
    for lengths in facts.documents.lengths:
        ends = list(accumulate(lengths))
        (first_q, last_q), (first_k, last_k) = (
            (bisect_right(ends, run.start), bisect_right(ends, run.stop - 1)) for run in (cut.queries, cut.keys)
        )
        first, last = max(first_q, first_k), min(last_q, last_k)
        if first <= last and first < len(ends):
            return False
    return True


def keys_within(mask: Mask, whole: Places, queries: range) -> range:
    """The keys outside which these queries see nothing, as far as bands of offsets tell."""
    low, high = index_band(tuple([part.facts(whole) for part in mask.conjuncts]), whole)
    S = whole.keys.count
    first = 0 if low is None else min(max(queries.start + low, 0), S)
    last = S if high is None else max(min(queries.stop + high, S), first)
    return range(first, last)
