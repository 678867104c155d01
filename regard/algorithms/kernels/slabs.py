"""Cutting attention into slabs: some queries, and all the keys that they may see.

A slab's softmax is complete, so nothing has to be merged, and masks and score terms are evaluated on it alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.attention import Causal, Mask, Places
from regard.attention.masks.padding import Padding, RealTokens
from regard.attention.reference import Index

SIZE = 128  # queries and keys in a block: small enough to follow a mask, large enough for the kernel
LONGEST = 8  # blocks in a slab whose mask has to be written out


@dataclass(frozen=True, eq=False)
class Slab:
    """A range of batch rows and of heads, queries and keys in order, and what is known of the mask on them."""

    rows: range
    heads: range
    queries: Tensor
    keys: Tensor
    causal: bool = False  # the kernel's own causal flag says all
    masked: bool = False  # some pair may be hidden: evaluate the mask

    @property
    def index(self) -> Index:
        """Four index vectors."""
        return torch.tensor(self.rows), torch.tensor(self.heads), self.queries, self.keys

    def groups(self, heads_per_group: int) -> range:
        """The key-value heads that these heads share."""
        return range(self.heads[0] // heads_per_group, self.heads[-1] // heads_per_group + 1)


def sequences(mask: Mask, places: Places, H: int) -> Iterator[Slab]:
    """One slab per row of a padded batch: its real tokens, causal among themselves or not."""
    (padding,) = [part for part in mask.conjuncts if isinstance(part, RealTokens)]
    causal = any(isinstance(part, Causal) and not part.is_full(places) for part in mask.conjuncts)
    assert isinstance(padding.real, Tensor)
    for row, real in enumerate(padding.real):
        tokens = real.nonzero()[:, 0] if real.dtype == torch.bool else torch.arange(int(real))
        if len(tokens):
            queries = tokens if isinstance(padding, Padding) else torch.arange(places.queries.count)
            yield Slab(range(row, row + 1), range(H), queries, tokens, causal=causal)


def blocks(mask: Mask, places: Places, B: int, H: int, longest: int | None) -> Iterator[Slab]:
    """Runs of query blocks that see the same key blocks, with those keys; `longest` bounds the runs, None does not."""
    T, S = places.queries.count, places.keys.count
    some, every = mask.blocks(places, SIZE, torch.device("cpu"))
    some = some.expand(-1, -1, -(-T // SIZE), -(-S // SIZE))
    some, every = torch.broadcast_tensors(some, every)
    for b in range(some.shape[0]):
        rows = range(B) if some.shape[0] == 1 else range(b, b + 1)
        for h in range(some.shape[1]):
            heads = range(H) if some.shape[1] == 1 else range(h, h + 1)
            full = (every[b, h] | ~some[b, h]).all(1).tolist()
            for first, last in _runs(some[b, h].tolist(), full, longest):
                queries = torch.arange(first * SIZE, min((last + 1) * SIZE, T))
                keys = some[b, h, first].repeat_interleave(SIZE)[:S].nonzero()[:, 0]
                yield Slab(rows, heads, queries, keys, masked=not full[first])


def _runs(visits: list[list[bool]], full: list[bool], longest: int | None) -> Iterator[tuple[int, int]]:
    """First and last of consecutive query blocks that see the same key blocks, if any."""
    first = 0
    for r in range(1, len(visits) + 1):
        same = r < len(visits) and visits[r] == visits[first] and full[r] == full[first]
        limit = longest if longest is not None else len(visits) if full[first] else LONGEST
        if same and r - first < limit:
            continue
        if any(visits[first]):
            yield first, r - 1
        first = r
