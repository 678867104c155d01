"""Relative positions in buckets: near offsets one by one, far ones together."""

import math

import torch
from jaxtyping import Int
from torch import Tensor, nn

from regard.attention import RelativeTable
from regard.checks import check_whole


class Buckets(nn.Module):
    """A learned number for each head and bucket of offsets: a table that covers sequences of any length.

    Half of the buckets hold one distance each, the others grow with the logarithm of the distance up to `most`, beyond
    which all is one bucket. `both` gives keys before and after the query buckets of their own; without it all keys
    after the query count as the query's own place.

    >>> Buckets(8).term(5)
    RelativeTable(float32[8, 11])
    >>> Buckets(1, both=False).bucket(torch.tensor([-1000, -20, -3, 0, 2]))
    tensor([31, 17,  3,  0,  0])

    Raffel et al., *Exploring the Limits of Transfer Learning*, JMLR 2020, section 2.1.
    """

    def __init__(self, num_heads: int, num_buckets: int = 32, most: int = 128, *, both: bool = True) -> None:
        super().__init__()
        check_whole("num_heads", num_heads, 1)
        check_buckets(num_buckets, most, both)
        self.most, self.both = most, both
        self.table = nn.Parameter(torch.empty(num_buckets, num_heads))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.table, std=0.02)

    def bucket(self, offset: Int[Tensor, " n"]) -> Int[Tensor, " n"]:
        """The bucket of each offset δ = key − query."""
        count = self.table.shape[0] // (2 if self.both else 1)
        distance = offset.abs() if self.both else (-offset).clamp(min=0)
        near = count // 2
        # In float32 and in this order, as published: at 16, 32, 64 the logarithms are whole numbers but for rounding.
        far = torch.log(distance.clamp(min=near).float() / near) / math.log(self.most / near) * (count - near)
        place = torch.where(distance < near, distance, (near + far.long()).clamp(max=count - 1))
        return place + count * (offset > 0) if self.both else place

    def term(self, reach: int) -> RelativeTable:
        """The score term for offsets up to `reach` in size, which T tokens need for T − 1."""
        offsets = torch.arange(-reach, reach + 1, device=self.table.device)
        return RelativeTable(self.table[self.bucket(offsets)].T)

    def extra_repr(self) -> str:
        return f"num_heads={self.table.shape[1]}, num_buckets={self.table.shape[0]}, most={self.most}, both={self.both}"


def check_buckets(num_buckets: int, most: int, both: bool) -> None:
    """Raise unless there are near buckets and far ones on each side, and `most` is far."""
    parts = 4 if both else 2
    if num_buckets < parts or num_buckets % parts:
        raise ValueError(f"buckets come in {parts} equal parts: got num_buckets={num_buckets}; use 32")
    if most <= num_buckets // parts:
        raise ValueError(
            f"most must be beyond the {num_buckets // parts} distances with a bucket each: got most={most}; use 128"
        )
