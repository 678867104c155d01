"""Which queries see anything and which keys are seen at all, found without a map where the facts allow it."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard.attention.masks.facts import BlockMap, Facts, Range
from regard.attention.masks.mask import Mask, any_of, real_tokens, run_ends
from regard.attention.positions.positions import Places, Sequence
from regard.attention.positions.sizes import least, most, surely

CHUNK = 1 << 24  # pairs decided at once when only the definition can tell
TILES = 1 << 21  # pairs decided at once for blocks: 17 MB for each map of whole numbers that a definition makes
Sides = tuple[Tensor | None, Tensor | None]  # queries that see a key, keys that a query sees; None when all do


def on_one_line(places: Places) -> bool:
    """Positions are index plus a known constant, so that a band of offsets is a band of the index table."""
    queries, keys = places.queries, places.keys
    return (
        isinstance(queries, Sequence)
        and isinstance(keys, Sequence)
        and places.is_static
        and surely(queries.step == keys.step)
    )


def index_band(facts: tuple[Facts, ...], places: Places) -> Range:
    """The diagonals `low ≤ j − i ≤ high` of the index table outside which these masks hide all; None: no bound."""
    low, high = None, None
    if not on_one_line(places):
        return low, high
    queries, keys = places.line(places)
    shift = queries.at(0, 0) - keys.at(0, 0)
    for fact in facts:
        first, last = fact.band[0]
        if first is not None:
            bound = -((-first - shift) // keys.step)
            low = bound if low is None else most(low, bound)
        if last is not None:
            bound = (shift + last) // keys.step
            high = bound if high is None else least(high, bound)
    return low, high


def visible(mask: Mask, places: Places, B: int, H: int, device: torch.device) -> Sides:
    """Queries that see a key, (B|1, H|1, T), and keys that a query sees, (B|1, H|1, S); None when all do."""
    sides = known_sides(mask, places, B, device)
    return _by_definition(mask, places, B, H, device) if sides is None else sides


def known_sides(mask: Mask, places: Places, B: int, device: torch.device) -> Sides | None:
    """What `visible` answers where no pair needs to be decided for it; else None."""
    known = [(part, part.facts(places)) for part in mask.conjuncts]
    known = [(part, facts) for part, facts in known if not facts.full]
    if not known:
        return None, None
    simple = [facts.interval or facts.real is not None or facts.documents is not None for _, facts in known]
    if all(simple) and on_one_line(places):
        return _in_band(known, places, B, device)
    if len(known) > 1:
        return None
    only = known[0][0]
    if len(only.disjuncts) == 1:
        return only.sides(places, device)
    union: Sides | None = None
    for part in only.disjuncts:  # a token that takes part in one of them does in the union
        sides = known_sides(part, places, B, device)
        if sides is None:
            return None
        union = sides if union is None else (_either(union[0], sides[0]), _either(union[1], sides[1]))
    return union


def _either(one: Tensor | None, other: Tensor | None) -> Tensor | None:
    return None if one is None or other is None else one | other


def _in_band(known: list[tuple[Mask, Facts]], places: Places, B: int, device: torch.device) -> Sides:
    """A query sees a key when its band, within its document, holds a real one: a difference of two prefix sums."""
    T, S = places.queries.count, places.keys.count
    i, j = torch.arange(T, device=device), torch.arange(S, device=device)
    real_q, real_k = (torch.ones(1, n, dtype=torch.bool, device=device) for n in (T, S))
    runs = []
    for mask, facts in known:
        if facts.real is not None:
            real = real_tokens(mask, places, B, device)
            real_k = real_k & real
            real_q = real_q & real if facts.real.queries else real_q
        numbers = mask.documents(places, device) if facts.documents is not None else None
        if numbers is not None:
            real_q, real_k = real_q & (numbers >= 0), real_k & (numbers >= 0)
            runs.append(run_ends(numbers))
    low, high = index_band(tuple([facts for _, facts in known]), places)
    low, high = (-T if low is None else low), (S if high is None else high)
    keys, queries = ((i + low)[None], (i + high)[None]), ((j - high)[None], (j - low)[None])
    for first, last in runs:  # of tokens that are queries and keys
        keys, queries = ((torch.maximum(a, first), torch.minimum(b, last)) for a, b in (keys, queries))
    live, seen = real_q & _holds_any(real_k, *keys), real_k & _holds_any(real_q, *queries)
    return live[:, None], seen[:, None]


def _holds_any(real: Tensor, first: Tensor, last: Tensor) -> Tensor:
    """Is any token real among first…last, for each pair of ends, (rows, n) or (1, n)? Ends may lie outside."""
    rows, n = max(real.shape[0], first.shape[0]), real.shape[1]
    counts = torch.nn.functional.pad(real.long().cumsum(1), (1, 0)).expand(rows, -1)
    first, last = (ends.clamp(0, n).expand(rows, -1) for ends in (first, last + 1))
    return counts.gather(1, last) > counts.gather(1, first)


def _by_definition(mask: Mask, places: Places, B: int, H: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Every pair decided, some queries at a time: linear in memory. A compiler fuses the whole into one reduction."""
    T, S = places.queries.count, places.keys.count
    b, h, i, j = (torch.arange(n, device=device) for n in (B, H, T, S))
    live, seen = [], torch.zeros(1, 1, S, dtype=torch.bool, device=device)
    for some in (i,) if torch.compiler.is_compiling() else i.split(max(1, CHUNK // (B * H * S))):
        allowed = mask.slab(b, h, some, j, places)
        live.append(any_of(allowed, 3))
        seen = seen | any_of(allowed, 2)
    return torch.cat(live, 2), seen


class Decided(NamedTuple):
    """What the definition of a mask says of blocks of pairs, and of tokens, broadcastable to all rows and heads."""

    blocks: BlockMap
    live: Tensor  # queries that see a key, (B|1, H|1, T)
    seen: Tensor  # keys that a query sees, (B|1, H|1, S)


def decide(mask: Mask, places: Places, B: int, H: int, size: int, device: torch.device) -> Decided:
    """Every pair decided, a few blocks of queries at a time: linear in memory."""
    T, S = places.queries.count, places.keys.count
    b, h, i, j = (torch.arange(n, device=device) for n in (B, H, T, S))
    rows, heads = mask.slab(b, h, i[:1], j[:1], places).shape[:2]  # 1 where it is the same for all
    count = torch.zeros(rows, heads, -(-T // size), -(-S // size), dtype=torch.int32, device=device)
    live = torch.zeros(rows, heads, T, dtype=torch.bool, device=device)
    seen = torch.zeros(rows, heads, S, dtype=torch.bool, device=device)
    for row, head, first in steps_of(rows, heads, T, S, size):
        allowed = mask.slab(b[:rows][row], h[:heads][head], i[first], j, places)
        queries = allowed.shape[2]
        whole = pad(allowed, (0, -S % size, 0, -queries % size))
        by_query = whole.unflatten(3, (-1, size)).sum(4, dtype=torch.int32)
        found = by_query.unflatten(2, (-1, size)).sum(3, dtype=torch.int32)
        block = first.start // size
        count[row, head, block : block + found.shape[2]] = found
        live[row, head, first] = by_query.any(3)[:, :, :queries]
        seen[row, head] |= any_of(allowed, 2)
    lengths = [(n - torch.arange(0, n, size, device=device)).clamp(max=size) for n in (T, S)]
    return Decided(BlockMap(count > 0, count == lengths[0][:, None] * lengths[1]), live, seen)


def count_pairs(mask: Mask, places: Places, B: int, H: int) -> int:
    """How many pairs of all rows and heads the mask allows: every one decided, some queries at a time."""
    b, h, i, j = (torch.arange(n, device="cpu") for n in (B, H, places.queries.count, places.keys.count))
    rows, heads = mask.slab(b, h, i[:1], j[:1], places).shape[:2]  # 1 where it is the same for all
    steps = steps_of(rows, heads, len(i), len(j), 1)
    found = [int(mask.slab(b[:rows][row], h[:heads][head], i[first], j, places).sum()) for row, head, first in steps]
    return sum(found) * (B // rows) * (H // heads)


def steps_of(rows: int, heads: int, T: int, S: int, size: int) -> Iterator[tuple[slice, slice, slice]]:
    """Rows, heads and whole blocks of queries that are decided at once."""
    blocks = -(-T // size)
    row, head, block = (
        max(1, min(most, TILES // each)) for most, each in ((rows, heads * T * S), (heads, T * S), (blocks, size * S))
    )
    for b in range(0, rows, row):
        for h in range(0, heads, head):
            for i in range(0, blocks, block):
                yield slice(b, b + row), slice(h, h + head), slice(i * size, (i + block) * size)
