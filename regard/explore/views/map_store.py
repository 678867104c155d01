"""Maps in memory: taken layer by layer while a model computes them, with a thumbnail of every head."""

import contextlib
import math
from dataclasses import dataclass, field
from typing import Literal

import torch
from jaxtyping import Float, Shaped, UInt8
from torch import Tensor

from regard.explore.api import Response
from regard.explore.cancellation import check_cancelled
from regard.explore.views.map_scores import Scores, measure_heads
from regard.models.tokens import KeptMaps, Maps
from regard.tasks.readers import Reading
from regard.training import compact, expand

EXACT, HALF, MOST = 48 * 2**20, 420 * 2**20, 560 * 2**20  # bytes of all maps: up to here float32, float16, at all
THUMBNAIL = 64  # pixels along a side
BRIGHT, THUMBNAIL_BRIGHT = 0.995, 0.97  # of the weights of a head, and of its thumbnail, are within the colours
TYPES = {torch.float32: "float32", torch.float16: "float16", torch.uint8: "uint8"}
ROWS = 128  # of a map that are summed at a time, in the processor's cache
SAMPLED = 256  # rows and columns, about, that are searched for the largest weights

Type = Literal["float32", "float16", "uint8"]


class AllTaken(Exception):  # noqa: N818 - named by what it says
    """All maps are taken; the rest of the pass is of no use."""


@dataclass(frozen=True, eq=False)
class Layer:
    """The maps of a layer: (H, T, S), or maxima over squares of `pool` where all would not fit; bytes are roots."""

    weights: Shaped[Tensor, "H t s"]
    thumbnails: UInt8[Tensor, "H y x"]
    limits: list[float]  # for each head, the weight at which its colours end
    rows: int
    columns: int
    scores: Scores  # of what its heads do
    pool: int = 1
    known: list["Facts"] | None = None  # of each head, where they cannot be computed from what is kept

    def facts(self, head: int) -> "Facts":
        return measure(to_weights(self.weights[head])) if self.known is None else self.known[head]


class Facts(Response):
    """Means over the queries of a head: the entropy in bits, and the distance at which it looks, in tokens."""

    entropy: float
    distance: float


@dataclass(eq=False)
class MapStore:
    """The maps of one pass, layer by layer and kind by kind, as precise as their number allows.

    `context` and `predicts` tell of the model for how many tokens it was made, and whether it says what comes next.
    """

    reading: Reading
    context: int | None = None
    predicts: bool = False
    layers: dict[str, list[Layer]] = field(default_factory=dict)
    limits: dict[tuple[str, int, int], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Run the model as far as the last of its maps."""
        with torch.inference_mode(), contextlib.suppress(AllTaken):
            self.reading.forward(_Streamed(store=self))

    def add(self, kind: str, maps: Float[Tensor, "1 H T S"]) -> None:
        check_cancelled()
        self.layers[kind].append(self._layer(kind, maps[0]))
        if sum(map(len, self.layers.values())) == self.reading.count:
            raise AllTaken

    def _layer(self, kind: str, maps: Float[Tensor, "H T S"]) -> Layer:
        thumbnails = compact(pool(maps, -(-maps.shape[1] // THUMBNAIL), -(-maps.shape[2] // THUMBNAIL)))
        limits = bright(thumbnails, THUMBNAIL_BRIGHT)
        weights, step = self.reading.weights, 1
        while weights > MOST * step**2:
            step += 1
        known = None
        if 4 * weights <= EXACT:
            kept = maps.float().contiguous()
        elif 2 * weights <= HALF:
            kept = maps.half()
        else:
            kept = compact(pool(maps, step, step))
            known = [measure(map.float()) for map in maps]  # maxima are another distribution, and bytes lose the tails
        scores = measure_heads(
            maps,
            self.reading.axes.get(self.reading.kinds[kind][0]),
            is_self=kind != "cross",
            in_line=not self.reading.patches,
        )
        return Layer(kept, thumbnails, limits, maps.shape[1], maps.shape[2], scores, step, known)

    @property
    def bytes(self) -> int:
        return sum(layer.weights.nbytes + layer.thumbnails.nbytes for found in self.layers.values() for layer in found)

    def limit(self, kind: str, number: int, head: int) -> float:
        """The weight at which the colours of a head end: few are larger, of a sample where there are many."""
        key = kind, number, head
        if key not in self.limits:
            map = self.layers[kind][number].weights[head]
            rows, columns = (max(1, round(size / SAMPLED)) for size in map.shape)
            self.limits[key] = bright(compact(to_weights(map[::rows, ::columns]))[None], BRIGHT)[0]
        return self.limits[key]


@dataclass(frozen=True, kw_only=True)
class _Streamed(Maps):
    """Maps that are taken one by one, so that a model never holds them all."""

    store: MapStore

    def kept(self, kinds: tuple[str, ...], depth: int, num_heads: int) -> KeptMaps:
        return _Taken(kinds, self.store)


class _Taken(KeptMaps):
    """Where a stack of blocks puts its maps; those of the first stack of an encoder-decoder have their own kind."""

    def __init__(self, kinds: tuple[str, ...], store: MapStore) -> None:
        super().__init__(kinds, None, None)
        self.store = store
        is_encoder = "encoder" in store.reading.kinds and not store.layers
        self.names = {kind: "encoder" if is_encoder and kind == "self" else kind for kind in kinds}
        for name in self.names.values():
            store.layers.setdefault(name, [])

    def add(self, kind: str, map: Float[Tensor, "B H T S"]) -> None:
        self.store.add(self.names[kind], map)


def pool(maps: Float[Tensor, "H T S"], down: int, right: int) -> Float[Tensor, "H t s"]:
    """The largest of every `down` × `right` weights, fewer at the ends.

    >>> pool(torch.arange(6.0).view(1, 2, 3), 2, 2)
    tensor([[[4., 5.]]])
    """
    for axis, step in ((1, down), (2, right)):
        if step > 1:
            rest = -maps.shape[axis] % step
            if rest:
                maps = torch.nn.functional.pad(maps, (0, rest) if axis == 2 else (0, 0, 0, rest))
            maps = maps.unflatten(axis, (-1, step)).amax(axis + 1)
    return maps


def to_weights(kept: Shaped[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """The weights of what is kept, in float32."""
    return expand(kept) if kept.dtype == torch.uint8 else kept.float()


def measure(map: Float[Tensor, "T S"]) -> Facts:
    """Bits of entropy −Σ a log₂ a and distance Σ a·|i − j|, means over the rows that look at something.

    >>> measure(torch.eye(4)), measure(torch.full((1, 4), 0.25)).entropy
    (Facts(entropy=0.0, distance=0.0), 2.0)
    """
    sums, j = map.sum(1), torch.arange(float(map.shape[1]))
    entropy, distance = torch.empty_like(sums), torch.empty_like(sums)
    for first in range(0, len(map), ROWS):
        check_cancelled()
        rows = map[first : first + ROWS]
        i = torch.arange(first, first + len(rows))[:, None]
        entropy[first : first + ROWS] = torch.special.entr(rows).sum(1)
        distance[first : first + ROWS] = (j - i).abs_().mul_(rows).sum(1)
    seen = sums > 0
    sums = sums[seen]
    # Of rows that do not quite sum to one, as bytes do not: −Σ a/s log a/s = (−Σ a log a)/s + log s.
    bits = (entropy[seen] / sums + sums.log()).mean() / math.log(2)
    return Facts(entropy=bits.nan_to_num().item(), distance=(distance[seen] / sums).mean().nan_to_num().item())


def bright(roots: UInt8[Tensor, "H y x"], share: float) -> list[float]:
    """For each head, the weight that this share of its weights above 0 do not exceed."""
    counts = torch.stack([torch.bincount(one.flatten(), minlength=256) for one in roots])[:, 1:].cumsum(1)
    place = (counts < share * counts[:, -1:]).sum(1) + 1
    return expand(place.clamp(max=255).to(torch.uint8)).tolist()


def cut_tile(
    layer: Layer, head: int, rows: tuple[int, int] | None, columns: tuple[int, int] | None, most: int
) -> tuple[Shaped[Tensor, "r c"], tuple[int, int], tuple[int, int], int]:
    """Part of a head: its weights, its rows and columns rounded to whole squares, and the side of the squares.

    Each number is the largest of a square of weights, as small as `most` numbers a side allow.
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
        found = pool(found[None].float(), step, step)[0].to(found.dtype)
    return found, spans[0], spans[1], step * layer.pool
