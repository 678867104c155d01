"""Which queries see anything and which keys are seen at all, found without a map where the facts allow it."""

import torch
from torch import Tensor

from regard.attention.masks.facts import Facts, Range
from regard.attention.masks.mask import Mask, real_tokens, run_ends
from regard.attention.positions.positions import Places, Sequence
from regard.attention.positions.sizes import least, most, surely

CHUNK = 1 << 24  # pairs decided at once when only the definition can tell


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


def visible(mask: Mask, places: Places, B: int, H: int, device: torch.device) -> tuple[Tensor | None, Tensor | None]:
    """Queries that see a key, (B|1, H|1, T), and keys that a query sees, (B|1, H|1, S); None when all do."""
    known = [(part, part.facts(places)) for part in mask.conjuncts]
    known = [(part, facts) for part, facts in known if not facts.full]
    if not known:
        return None, None
    if on_one_line(places) and all([_is_known(facts) for _, facts in known]):
        return _in_band(known, places, B, device)
    return _by_definition(mask, places, B, H, device)


def _is_known(facts: Facts) -> bool:
    return facts.interval or facts.real is not None or facts.documents is not None


def _in_band(
    known: list[tuple[Mask, Facts]], places: Places, B: int, device: torch.device
) -> tuple[Tensor | None, Tensor | None]:
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
        live.append(allowed.any(3))
        seen = seen | allowed.any(2)
    return torch.cat(live, 2), seen
