"""Maps as they are kept: taken layer by layer while a model computes them, with a small picture of every head."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import torch
from jaxtyping import Float, Shaped, UInt8
from torch import Tensor

from regard.explore.work import check
from regard.models.tokens import KeptMaps, Maps
from regard.training import compact, expand

EXACT, HALF, MOST = 48 * 2**20, 420 * 2**20, 560 * 2**20  # bytes of all maps in float32, in float16, at all
LAYER = 2**27  # weights of one layer, which are in memory at once, in float32
THUMB = 64  # pixels on a side of a head's small picture
MOST_SEEN, SMALL_SEEN = 0.995, 0.97  # of the weights of a head, and of its small picture, are within the colours
TYPES = {torch.float32: "float32", torch.float16: "float16", torch.uint8: "uint8"}
ROWS = 128  # of a map that are summed at a time, in the processor's cache
SAMPLED = 256  # rows and columns, about, of those that are looked through for the largest weights

Type = Literal["float32", "float16", "uint8"]


class Enough(Exception):  # noqa: N818 - named by what it says
    """All maps are there; what the model would compute after them is of no use here."""


@dataclass(frozen=True, eq=False)
class Layer:
    """The maps of a layer: (H, T, S), or maxima over squares of `pool` where all would be too much; bytes are roots."""

    weights: Shaped[Tensor, "H t s"]
    thumbs: UInt8[Tensor, "H y x"]
    limits: list[float]  # of every head: up to where its colours go
    rows: int
    columns: int
    pool: int = 1
    known: list["Facts"] | None = None  # of every head, where what is kept no longer tells

    def facts(self, head: int) -> "Facts":
        return facts(numbers(self.weights[head])) if self.known is None else self.known[head]


@dataclass(frozen=True, eq=False)
class Facts:
    """Of a head: means over its queries of the bits of entropy and of how far away it looks, in tokens."""

    entropy: float
    distance: float


@dataclass(eq=False)
class Sheets:
    """The maps of one pass, `count` layers by their kinds, as precise as `weights` numbers in all allow."""

    count: int
    weights: int
    encoder: bool = False  # whether the first stack is an encoder, whose maps are a kind of their own
    layers: dict[str, list[Layer]] = field(default_factory=dict)
    limits: dict[tuple[str, int, int], float] = field(default_factory=dict)

    def taking(self) -> Maps:
        """What to give a model as `maps`."""
        return Streamed(into=self.stack)

    def stack(self, kinds: tuple[str, ...]) -> "Taken":
        is_first = not self.layers
        names = {"self": "encoder"} if self.encoder and is_first else {}
        for kind in kinds:
            self.layers.setdefault(names.get(kind, kind), [])
        return Taken(kinds, lambda kind, map: self.add(names.get(kind, kind), map))

    def add(self, kind: str, maps: Float[Tensor, "1 H T S"]) -> None:
        check()
        self.layers.setdefault(kind, []).append(self._layer(maps[0]))
        if sum(map(len, self.layers.values())) == self.count:
            raise Enough

    def _layer(self, maps: Float[Tensor, "H T S"]) -> Layer:
        thumbs = compact(pooled(maps, -(-maps.shape[1] // THUMB), -(-maps.shape[2] // THUMB)))
        limits = bright(thumbs, SMALL_SEEN)
        pool = 1
        while self.weights > MOST * pool**2:
            pool += 1
        known = None
        if 4 * self.weights <= EXACT:
            kept = maps.float().contiguous()
        elif 2 * self.weights <= HALF:
            kept = maps.half()
        else:
            kept = compact(pooled(maps, pool, pool))
            known = [facts(map.float()) for map in maps]  # maxima are another distribution, and bytes lose the tails
        return Layer(kept, thumbs, limits, maps.shape[1], maps.shape[2], pool, known)

    @property
    def bytes(self) -> int:
        return sum(layer.weights.nbytes + layer.thumbs.nbytes for found in self.layers.values() for layer in found)

    def limit(self, kind: str, number: int, head: int) -> float:
        """Up to where the colours of a head go: few of its weights are larger, of a sample where there are many."""
        place = kind, number, head
        if place not in self.limits:
            map = self.layers[kind][number].weights[head]
            rows, columns = (max(1, round(size / SAMPLED)) for size in map.shape)
            self.limits[place] = bright(compact(numbers(map[::rows, ::columns]))[None], MOST_SEEN)[0]
        return self.limits[place]


@dataclass(frozen=True, kw_only=True)
class Streamed(Maps):
    """Maps that are taken one by one, so that a model never holds them all."""

    into: Callable[[tuple[str, ...]], "Taken"]

    def kept(self, kinds: tuple[str, ...], depth: int, num_heads: int) -> KeptMaps:
        return self.into(kinds)


class Taken(KeptMaps):
    """Where a stack of blocks puts its maps."""

    def __init__(self, kinds: tuple[str, ...], take: Callable[[str, Tensor], None]) -> None:
        super().__init__(kinds, None, None)
        self.take = take

    def add(self, kind: str, map: Float[Tensor, "B H T S"]) -> None:
        self.take(kind, map)


def pooled(maps: Float[Tensor, "H T S"], down: int, right: int) -> Float[Tensor, "H t s"]:
    """The largest of every `down` × `right` weights, fewer at the ends.

    >>> pooled(torch.arange(6.0).view(1, 2, 3), 2, 2)
    tensor([[[4., 5.]]])
    """
    for axis, step in ((1, down), (2, right)):
        if step > 1:
            rest = -maps.shape[axis] % step
            if rest:
                maps = torch.nn.functional.pad(maps, (0, rest) if axis == 2 else (0, 0, 0, rest))
            maps = maps.unflatten(axis, (-1, step)).amax(axis + 1)
    return maps


def numbers(kept: Shaped[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Weights of what is kept."""
    return expand(kept) if kept.dtype == torch.uint8 else kept.float()


def facts(map: Float[Tensor, "T S"]) -> Facts:
    """Bits of entropy −Σ a log₂ a and distance Σ a·|i − j|, means over the rows that look at something.

    >>> facts(torch.eye(4)), facts(torch.full((1, 4), 0.25)).entropy
    (Facts(entropy=0.0, distance=0.0), 2.0)
    """
    sums, j = map.sum(1), torch.arange(float(map.shape[1]))
    entropy, distance = torch.empty_like(sums), torch.empty_like(sums)
    for first in range(0, len(map), ROWS):
        check()
        rows = map[first : first + ROWS]
        i = torch.arange(first, first + len(rows))[:, None]
        entropy[first : first + ROWS] = torch.special.entr(rows).sum(1)
        distance[first : first + ROWS] = (j - i).abs_().mul_(rows).sum(1)
    seen = sums > 0
    sums = sums[seen]
    # Of rows that do not quite sum to one, as bytes do not: −Σ a/s log a/s = (−Σ a log a)/s + log s.
    bits = (entropy[seen] / sums + sums.log()).mean() / math.log(2)
    return Facts(bits.nan_to_num().item(), (distance[seen] / sums).mean().nan_to_num().item())


def bright(roots: UInt8[Tensor, "H y x"], share: float) -> list[float]:
    """The weight that so many of a head's weights above 0 do not exceed."""
    counts = torch.stack([torch.bincount(one.flatten(), minlength=256) for one in roots])[:, 1:].cumsum(1)
    place = (counts < share * counts[:, -1:]).sum(1) + 1
    return expand(place.clamp(max=255).to(torch.uint8)).tolist()


def part(
    layer: Layer, head: int, rows: tuple[int, int] | None, columns: tuple[int, int] | None, most: int
) -> tuple[Shaped[Tensor, "r c"], tuple[int, int], tuple[int, int], int]:
    """Of a head the rows and columns from … to, which they are in truth, and of how many weights a side each is the
    largest, that there be at most `most` of them.
    """
    spans = []
    for wanted, size in ((rows, layer.rows), (columns, layer.columns)):
        first, last = (0, size) if wanted is None else (max(0, wanted[0]), min(size, wanted[1]))
        if first >= last:
            raise ValueError(f"a part of a map must have tokens, from 0 to {size}: got {first} to {last}")
        spans.append((first - first % layer.pool, min(size, last + -last % layer.pool)))
    cut = [slice(first // layer.pool, -(-last // layer.pool)) for first, last in spans]
    found = layer.weights[head][cut[0], cut[1]]
    step = -(-max(found.shape) // most)
    if step > 1:
        found = pooled(found[None].float(), step, step)[0].to(found.dtype)
    return found, spans[0], spans[1], step * layer.pool
