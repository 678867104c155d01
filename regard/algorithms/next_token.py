"""What one more token costs: one query against the keys that are kept, and not the whole square again."""

import json
from dataclasses import dataclass
from typing import Any

import torch

from regard.algorithms.attend import plan
from regard.algorithms.planning.planner import Plan
from regard.attention import Attention, Cache, Shape
from regard.attention.cache.rules import looks_back


@dataclass(frozen=True, eq=False)
class NextToken:
    """The plan of new tokens behind a cache, the plan of computing all tokens again, and what the cache takes.

    `bytes` holds for all rows: what the tokens so far keep. `bytes_per_token` is what each further one adds, 0 behind a
    window, which forgets as many as it learns.
    """

    cached: Plan
    again: Plan
    bytes: int
    bytes_per_token: int

    @property
    def flops(self) -> tuple[Any, Any]:
        """Of the new tokens alone, and of all again, each by its chosen algorithm."""
        cached, again = (_chosen(plan).cost for plan in (self.cached, self.again))
        assert cached is not None
        assert again is not None
        return cached.flops, again.flops

    def json(self) -> str:
        """Both plans and the cache, for a program."""
        cache = {"bytes": self.bytes, "bytes_per_token": self.bytes_per_token}
        plans = {"cached": json.loads(self.cached.json()), "again": json.loads(self.again.json())}
        return json.dumps(plans | {"cache": cache})

    def rich(self) -> Any:
        """The plan of the new tokens as a table, and the rest in a sentence, for Rich."""
        from rich.console import Group
        from rich.padding import Padding

        return Group(self.cached.rich(), Padding(summary(self), (1, 0, 0, 0)))

    def __str__(self) -> str:
        from regard.algorithms.planning.report import plain

        return plain(self.rich())


def _chosen(plan: Plan) -> Any:
    (candidate,) = [candidate for candidate in plan.candidates if candidate.name == plan.chosen]
    return candidate


def next_token(
    shape: Shape, attention: Attention, *, dtype: torch.dtype = torch.float32, device: str = "cpu"
) -> NextToken:
    """Plan `shape.T` new tokens where `shape.S` are known with them, as a cache would ask for them.

    >>> from regard.attention import Causal
    >>> after = next_token(Shape(B=1, H=8, G=8, T=1, S=1001, D=64, E=64), Attention(mask=Causal()))
    >>> after.flops == (2 * 8 * 1001 * 128, 2 * 8 * (1001 * 1002 // 2) * 128), after.bytes_per_token
    (True, 4096)
    """
    if not 1 <= shape.T <= shape.S:
        raise ValueError(f"new tokens are among all tokens: got T={shape.T}, S={shape.S}; use T from 1 to S")
    back = looks_back(attention.mask)
    limits = {"capacity": shape.S} if back is None or back >= shape.S else {"window": back + 1}
    cache = Cache(shape.B, shape.G, shape.D, shape.E, dtype=dtype, device="meta", **limits)
    k, v = (torch.empty(shape.B, shape.G, shape.S, width, dtype=dtype, device="meta") for width in (shape.D, shape.E))
    q = torch.empty(shape.B, shape.H, shape.S, shape.D, dtype=dtype, device="meta")
    known = shape.S - shape.T
    with torch.no_grad():
        again = plan(q, k, v, attention, device=device)
        if known:
            cache.append(k[:, :, :known], v[:, :, :known], attention)
        keys, values, placed = cache.append(k[:, :, known:], v[:, :, known:], attention)
        cached = plan(q[:, :, known:], keys, values, placed, device=device)
    kept = min(shape.S, shape.S if back is None else back + 1)
    grows = back is None or back >= shape.S
    each = shape.B * cache.bytes_per_token
    return NextToken(cached, again, kept * each, each if grows else 0)


def summary(found: NextToken) -> str:
    """In a sentence or two."""
    from regard.algorithms.planning.report import si

    shape = found.cached.problem.shape
    total = found.again.problem.shape.S
    new, all_again = found.flops
    tokens = "one more token" if shape.T == 1 else f"{shape.T:,} more tokens"
    return (
        f"{tokens} after {total - shape.T:,}: {si(new, 'FLOP')}; computing all {total:,} again: "
        f"{si(all_again, 'FLOP')}, {all_again / new:,.0f} times as much. "
        f"The cache holds {si(found.bytes, 'B')}, and each further token adds {si(found.bytes_per_token, 'B')}."
    )
