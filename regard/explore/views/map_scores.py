"""What heads do, measured: the weight that a head puts on a pattern, beside what even attention would put there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

ROWS = 96  # queries, evenly spaced, of which the dense patterns are measured
MARGIN = 0.3  # above even attention, from which a head is called by a pattern
SPREAD = 0.8  # of the largest entropy, from which a head is called spread
PLAIN = ("first token", "last token", "diagonal", "same token")  # patterns that tell less of what was read


@dataclass(frozen=True)
class Scores:
    """For each pattern the share of weight of each head, mean over the queries; and the share of even attention."""

    shares: dict[str, list[float]]
    even: dict[str, float]

    def tag(self, head: int) -> list[str]:
        """The patterns that a head is called by, the strongest first."""
        above = {name: share[head] - self.even[name] for name, share in self.shares.items() if name != "spread"}
        found = sorted((name for name in above if above[name] >= MARGIN), key=lambda name: -above[name])
        return [*found, *(["spread"] if self.shares.get("spread", {head: 0.0})[head] >= SPREAD else [])]

    def telling(self, head: int) -> float:
        """How much a head stands out: its strongest pattern above even attention; half of it for a plain one."""
        above = [
            (share[head] - self.even[name]) * (0.5 if name in PLAIN else 1.0)
            for name, share in self.shares.items()
            if name != "spread"
        ]
        return max(above, default=0.0)


def measure_heads(
    maps: Float[Tensor, "H T S"], tokens: Sequence[str] | None = None, *, is_self: bool = True, in_line: bool = True
) -> Scores:
    """The scores of a layer's heads.

    `is_self` where queries and keys are the same tokens, `in_line` where these are a sequence and no picture; `tokens`
    name them, by which repeated ones are known.

    >>> measure_heads(torch.eye(5)[[0, 0, 1, 2, 3]][None]).tag(0)
    ['previous token']
    """
    T, S = maps.shape[1:]
    is_causal = is_self and T == S > 1 and not bool(maps[:, 0, 1:].any())
    seen = torch.arange(1.0, T + 1) if is_causal else torch.full((T,), float(S))
    shares, even = dict[str, list[float]](), dict[str, float]()

    def add(name: str, weights: Float[Tensor, "H n"], rows: Tensor | slice, keys: Tensor | float = 1.0) -> None:
        """The weight that some rows put on `keys` keys of a pattern; a row that sees only these says nothing."""
        wide = seen[rows] > keys
        if wide.any():
            shares[name] = weights[:, wide].mean(1).nan_to_num().tolist()
            even[name] = (keys / seen[rows])[wide].mean().item()

    add("diagonal", maps.diagonal(0, 1, 2), slice(min(T, S)))
    if in_line or not is_self:
        add("first token", maps[:, :, 0], slice(T))
        if not is_causal:
            add("last token", maps[:, :, -1], slice(T))
    if in_line and is_self and T == S:
        add("previous token", maps.diagonal(-1, 1, 2), slice(1, T))
        if not is_causal:
            add("next token", maps.diagonal(1, 1, 2), slice(T - 1))
    if in_line and T == S and not is_causal:
        add("reversal", maps.flip(2).diagonal(0, 1, 2), slice(T))
    rows = torch.linspace(0, T - 1, min(T, ROWS)).round().long()
    part = maps[:, rows].float()
    if in_line and is_self and T == S and tokens is not None and len(tokens) == T:
        for name, pattern in find_repeats(tokens, rows).items():
            has = pattern.any(1)
            share = torch.einsum("hrs,rs->hr", part[:, has], pattern[has].float())
            add(name, share, rows[has], pattern[has].sum(1))
    wide = seen[rows] > 1
    if wide.any():
        entropy = torch.special.entr(part[:, wide]).sum(2) / seen[rows][wide].log()
        shares["spread"], even["spread"] = entropy.mean(1).nan_to_num().clamp(0, 1).tolist(), 1.0
    return Scores(shares, even)


def find_repeats(tokens: Sequence[str], rows: Int[Tensor, " r"]) -> dict[str, Bool[Tensor, "r S"]]:
    """For queries of a text, where the same token stood before, and what came after it there.

    >>> {name: one.nonzero().tolist() for name, one in find_repeats(["a", "b", "a"], torch.arange(3)).items()}
    {'same token': [[2, 0]], 'induction': [[2, 1]]}
    """
    numbers = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
    ids = torch.tensor([numbers[token] for token in tokens])
    place = torch.arange(len(tokens))
    before = place < rows[:, None]
    same = (ids == ids[rows][:, None]) & before
    after = torch.nn.functional.pad(same[:, :-1], (1, 0)) & before
    return {"same token": same, "induction": after}


def find_telling(layers: Sequence[Scores], heads: Sequence[int]) -> tuple[int, int]:
    """The layer and the head that stand out most; the first of equals."""
    found = [
        (scores.telling(head), -number, -head) for number, scores in enumerate(layers) for head in range(heads[number])
    ]
    _, number, head = max(found, default=(math.nan, 0, 0))
    return -number, -head
