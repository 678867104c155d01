"""Which queries see anything and which keys are seen at all, found without a map where the mask allows it."""

import torch
from torch import Tensor

from regard.attention.masks.mask import Bound, Mask
from regard.attention.masks.offsets import Causal, Window
from regard.attention.masks.padding import KeyPadding, Padding, RealTokens
from regard.attention.positions.positions import Places, Sequence

CHUNK = 1 << 24  # pairs decided at once when only the definition can tell


def on_one_line(places: Places) -> bool:
    """Positions are index plus a known constant, so that a band of offsets is a band of the index table."""
    queries, keys = places.queries, places.keys
    return (
        isinstance(queries, Sequence) and isinstance(keys, Sequence) and places.is_static and queries.step == keys.step
    )


def band(masks: tuple[Mask, ...], places: Places) -> tuple[Bound, Bound]:
    """The diagonals `low ≤ j − i ≤ high` of the index table outside which these masks hide all; None: no bound."""
    low: Bound = None
    high: Bound = None
    if not on_one_line(places):
        return low, high
    queries, keys = places.line(masks)
    shift = queries.at(0, 0) - keys.at(0, 0)
    for mask in masks:
        if type(mask) is Causal or type(mask) is Window:  # a subclass may mean something else
            after = mask.after if isinstance(mask, Window) else 0
            bound = (shift + after) // keys.step
            high = bound if high is None else min(high, bound)
        if type(mask) is Window:
            bound = -((mask.before - shift) // keys.step)
            low = bound if low is None else max(low, bound)
    return low, high


def visible(mask: Mask, places: Places, B: int, H: int, device: torch.device) -> tuple[Tensor | None, Tensor | None]:
    """Queries that see a key, (B|1, H|1, T), and keys that a query sees, (B|1, H|1, S); None when all do."""
    masks = tuple([part for part in mask.conjuncts if not part.is_full(places)])
    if not masks:
        return None, None
    if on_one_line(places) and all([type(part) in (Causal, Window, KeyPadding, Padding) for part in masks]):
        return _in_band(masks, places, device)
    return _by_definition(mask, places, B, H, device)


def _in_band(masks: tuple[Mask, ...], places: Places, device: torch.device) -> tuple[Tensor | None, Tensor | None]:
    """A query sees a key when its band holds a real one: a difference of two prefix sums."""
    T, S = places.queries.count, places.keys.count
    i, j = torch.arange(T, device=device), torch.arange(S, device=device)
    real_q, real_k = (
        torch.ones(1, T, dtype=torch.bool, device=device),
        torch.ones(1, S, dtype=torch.bool, device=device),
    )
    for mask in masks:
        if isinstance(mask, RealTokens):
            rows = torch.arange(len(mask.real), device=device)[:, None]
            real_k = real_k & mask.is_real(rows, j)
            real_q = real_q & mask.is_real(rows, i) if isinstance(mask, Padding) else real_q
    low, high = band(masks, places)
    low, high = (-T if low is None else low), (S if high is None else high)
    live = real_q & _holds_any(real_k, i + low, i + high)
    seen = real_k & _holds_any(real_q, j - high, j - low)
    return live[:, None], seen[:, None]


def _holds_any(real: Tensor, first: Tensor, last: Tensor) -> Tensor:
    """Is any token real among first…last, for each pair of ends? Ends may lie outside."""
    n = real.shape[1]
    counts = torch.nn.functional.pad(real.long().cumsum(1), (1, 0))
    first, last = first.clamp(0, n), (last + 1).clamp(0, n)
    return counts[:, last] > counts[:, first]


def _by_definition(mask: Mask, places: Places, B: int, H: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Every pair decided, some queries at a time: linear in memory. A compiler fuses the whole into one reduction."""
    T, S = places.queries.count, places.keys.count
    b, h, i, j = (torch.arange(n, device=device) for n in (B, H, T, S))
    live, seen = [], torch.zeros(1, 1, S, dtype=torch.bool, device=device)
    for some in (i,) if torch.compiler.is_compiling() else i.split(max(1, CHUNK // (B * H * S))):
        allowed = mask.slab(b, h, some, j, places)
        allowed = allowed[(None,) * (4 - allowed.ndim)].expand(-1, -1, len(some), S)
        live.append(allowed.any(3))
        seen = seen | allowed.any(2)
    return torch.cat(live, 2), seen
