"""The key-value cache: what was computed for the tokens so far, so that each new one costs one row of the map."""

import copy
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.attention.attention import Attention
from regard.attention.cache.file import read, write
from regard.attention.cache.rules import (
    Counts,
    check_cacheable,
    check_documents,
    check_piece,
    check_start,
    count_real,
    looks_back,
    per_row,
)
from regard.attention.masks.documents import Documents, check_alike
from regard.attention.masks.mask import Mask
from regard.attention.masks.padding import KeyPadding
from regard.attention.positions.positions import LINE, Sequence
from regard.attention.scores.term import Content, Shape
from regard.attention.torch_private import assert_soon
from regard.attention.weighting.weighting import Softmax
from regard.checks import check_tensor, check_whole

Numbers = tuple[int, ...] | list[int]
HOST = torch.device("cpu")  # where a cache counts


@dataclass(frozen=True, eq=False, kw_only=True)
class Location:
    """Where a piece goes in caches that hold the same tokens, and what its queries see."""

    before: Counts  # tokens of each row
    counts: Counts  # of the piece that are real
    ends: Counts
    low: int  # slots that are seen
    high: int
    room: int | None = None  # that is needed where the buffers are full
    back: int = 0  # how far the mask looks
    mask: Mask
    queries: Sequence
    keys: Sequence
    shape: Shape  # with as many heads as groups
    window: int | None = None
    slots: Tensor | None = None  # where a tensor counts
    placed: dict[tuple[Any, ...], Attention] = field(default_factory=dict)

    def place(self, attention: Attention) -> Attention:
        """The mechanism with the positions of the piece, and with the padding of rows of different lengths.

        Layers that differ in nothing but their weights get the same value, so that it is taken apart once.
        """
        content, weighting = attention.scores, attention.weighting
        is_plain = type(content) is Content and type(weighting) is Softmax and weighting.sink is None
        key = (content.beta, content.cap) if is_plain else None  # pyright: ignore[reportAttributeAccessIssue]
        if key is not None and (found := self.placed.get(key)) is not None:
            return found
        check_cacheable(attention, self.window)
        placed = Attention(attention.scores, self.mask, attention.weighting, self.queries, self.keys)
        placed.check(replace(self.shape, H=attention.heads or self.shape.G))
        if key is not None:
            self.placed[key] = placed
        return placed


class Cache:
    """Keys and values of the tokens so far, B rows that may have different lengths, allocated once.

    The queries of a piece, against all that was appended, get what they get in the whole sequence:

        o_i = Σ_{j ≤ i} softmax_j(scores_ij where the mask allows) · v_j        i in the piece, j from the first token

    A row holds up to `capacity` tokens. With `window` instead it may go on for ever: the last `window` tokens are kept,
    in twice that room, and the mask must see no others. A row counts its tokens from position 0. All counting is done
    on the host, so that nothing waits for a GPU.

    >>> from regard import attend
    >>> from regard.attention import Causal
    >>> q, k, v = (torch.randn(1, 2, 5, 8) for _ in range(3))
    >>> cache, causal = Cache(1, 2, 8, capacity=16), Attention(mask=Causal())
    >>> pieces = [attend(x, *cache.append(y, z, causal)) for x, y, z in zip(*(x.split(2, 2) for x in (q, k, v)))]
    >>> torch.allclose(torch.cat(pieces, 2), attend(q, k, v, causal), atol=1e-6)
    True
    >>> cache
    Cache(batch=1, num_groups=2, width=8, value_width=8, capacity=16, lengths=(5,))
    """

    def __init__(
        self,
        batch: int,
        num_groups: int,
        width: int,
        value_width: int | None = None,
        *,
        capacity: int | None = None,
        window: int | None = None,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        value_width = width if value_width is None else value_width
        dtype = torch.get_default_dtype() if dtype is None else dtype
        sizes = {"batch": batch, "num_groups": num_groups, "value_width": value_width}
        sizes |= {name: n for name, n in (("capacity", capacity), ("window", window)) if n is not None}
        check_whole("width", width, 0)  # 0 where scores have no content
        for name, size in sizes.items():
            check_whole(name, size, 1)
        if (capacity is None) == (window is None):
            raise ValueError(
                f"a cache has a capacity or a window: got capacity={capacity}, window={window}; give one of them"
            )
        if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
            raise ValueError(f"a cache must be floating point: got {dtype}; use the type of k and v")
        self.num_groups, self.width, self.value_width = num_groups, width, value_width
        self.capacity, self.window = capacity, window
        room = capacity if window is None else 2 * window
        assert room is not None
        with torch.inference_mode(False):  # a cache made for inference is written to outside of it too
            self._keys = torch.zeros(batch, num_groups, room, width, dtype=dtype, device=device)
            self._values = torch.zeros(batch, num_groups, room, value_width, dtype=dtype, device=device)
        self.reset()

    def reset(self) -> None:
        """Forget all tokens; the memory stays."""
        self._lengths = (0,) * self.batch
        self._starts = self._lengths  # the position of the first token that is kept
        self._bases = self._lengths  # the position of the token in the first slot of the buffer
        self._back = 0  # how far back masks have looked
        self._slots: Tensor | None = None

    @property
    def batch(self) -> int:
        return self._keys.shape[0]

    @property
    def dtype(self) -> torch.dtype:
        return self._keys.dtype

    @property
    def device(self) -> torch.device:
        return self._keys.device

    @property
    def lengths(self) -> Counts:
        """The number of tokens that each row has been given: the position of the next."""
        return self._lengths

    @property
    def starts(self) -> Counts:
        """The position of the first token that each row still has: 0 without a window."""
        return self._starts

    @property
    def bytes(self) -> int:
        """The memory of the buffers, whatever they hold."""
        return self._keys.nbytes + self._values.nbytes

    @property
    def bytes_per_token(self) -> int:
        """What one token of one row takes."""
        return self.num_groups * (self.width + self.value_width) * self.dtype.itemsize

    def __repr__(self) -> str:
        limit = f"capacity={self.capacity}" if self.window is None else f"window={self.window}"
        sizes = f"num_groups={self.num_groups}, width={self.width}, value_width={self.value_width}"
        return f"Cache(batch={self.batch}, {sizes}, {limit}, lengths={self._lengths})"

    def append(
        self,
        k: Float[Tensor, "B G n D"],
        v: Float[Tensor, "B G n E"],
        attention: Attention,
        lengths: Numbers | Documents | None = None,
        start: int | Numbers | None = None,
    ) -> tuple[Float[Tensor, "B G S D"], Float[Tensor, "B G S E"], Attention]:
        """Add n tokens to every row, and give what `attend` needs for their queries: keys, values and the Attention.

        `lengths` says how many of them are real in each row, the rest being pads at its end, which are not kept and
        whose queries get nothing of meaning. `start` states where the piece begins, which must be where the row ends.
        The Attention comes back with positions, and with the padding of rows of different lengths. Keys and values are
        views, good until the cache is changed. An error leaves the cache as it was.

        Where `lengths` are `Documents`, k and v are rows packed with them, and each document goes to a row of its own,
        in order, of a cache that is empty. Keys, values and Attention that come back are of the packed rows.
        """
        if isinstance(lengths, Documents):
            return self._append_documents(k, v, attention, lengths, start)
        check_piece(k, v, self._keys, self._values)  # before all else
        location = self.locate(attention, k.shape[2], lengths, start)
        placed = location.place(attention)
        return *self.store(location, k, v), placed

    def locate(
        self, attention: Attention, n: int, lengths: Numbers | None = None, start: int | Numbers | None = None
    ) -> Location:
        """Where n more tokens of every row go, and what their queries see; nothing is changed.

        Caches that hold the same tokens have one answer: a stack of layers asks once in each pass.
        """
        if self._slots is not None:
            return self._locate_counted(attention, n, self._slots, lengths, start)
        counts = count_real(lengths, self.batch, n)
        if start is not None:
            check_start(start, self._lengths, n)
        ends = tuple([length + count for length, count in zip(self._lengths, counts, strict=True)])
        self._check_capacity(counts)
        check_cacheable(attention, self.window)
        back = looks_back(attention.mask)
        firsts = self._first_seen(attention, back)

        fits = max(minus(ends, self._bases)) <= self._keys.shape[2]
        bases = self._bases if fits else self._starts
        low, high = min(minus(firsts, bases)), max(minus(ends, bases))
        real = minus(ends, bases, low)
        return Location(
            before=self._lengths,
            counts=counts,
            ends=ends,
            low=low,
            high=high,
            room=None if fits else high,
            back=back or 0,
            mask=_hide_pads(attention.mask, real, n),
            queries=Sequence(n, _start(self._lengths)),
            keys=Sequence(max(real), _start([base + low for base in bases])),
            shape=Shape(self.batch, self.num_groups, self.num_groups, n, high - low, self.width, self.value_width),
            window=self.window,
        )

    def store(
        self, location: Location, k: Float[Tensor, "B G n D"], v: Float[Tensor, "B G n E"]
    ) -> tuple[Float[Tensor, "B G S D"], Float[Tensor, "B G S E"]]:
        """Put tokens where they go, and give the keys and values that their queries see."""
        check_piece(k, v, self._keys, self._values)
        if location.slots is not None:
            for buffer, x in ((self._keys, k), (self._values, v)):
                buffer.scatter_(2, location.slots[:, None, None, None].expand_as(x), x)
            return self._keys, self._values
        if location.before != self._lengths or k.shape[2] != location.queries.n:
            raise ValueError(
                f"tokens go where they were located: got {k.shape[2]} for rows of {self._lengths}, where "
                f"{location.queries.n} for rows of {location.before} were; locate them again"
            )
        keys, values = self._write(k, v, location.counts, location.ends, location.room)
        self._back = max(self._back, location.back)
        low, count = location.low, location.high - location.low
        return keys.narrow(2, low, count), values.narrow(2, low, count)

    def count_by(self, slots: Int[Tensor, " B"] | None) -> None:
        """Let a tensor where the cache is say how many tokens each row holds, read anew whenever one is appended.

        For a program that is captured once and runs many times: it takes one token of each row of a cache that keeps
        all, sees the whole room, and counts itself. `advance` says afterwards how often it ran; None ends this.
        """
        if slots is not None and self.window is not None:
            raise ValueError(f"a window is counted on the host: got {self!r}; make a cache with a capacity")
        if slots is not None:
            check_tensor("count_by", slots)
            if slots.shape != (self.batch,) or slots.dtype != torch.int64:
                raise ValueError(
                    f"slots must be int64 of shape (B,) = ({self.batch},): got {slots.dtype} of shape "
                    f"{tuple(slots.shape)}; use torch.tensor(cache.lengths)"
                )
        self._slots = slots

    def advance(self, count: int) -> None:
        """So many tokens more are in every row."""
        self._check_capacity((count,) * self.batch)
        self._lengths = tuple([length + count for length in self._lengths])

    @property
    def state(self) -> tuple[Any, ...]:
        """All that says where the next tokens go: equal for caches that hold the same tokens."""
        return self._lengths, self._starts, self._bases, self._keys.shape[2], self.window, id(self._slots)

    @property
    def slots(self) -> Int[Tensor, " B"] | None:
        """What counts the tokens, if not the host."""
        return self._slots

    @property
    def buffers(self) -> tuple[Float[Tensor, "B G R D"], Float[Tensor, "B G R E"]]:
        """The memory of keys and values, whatever it holds."""
        return self._keys, self._values

    def _locate_counted(self, attention: Attention, n: int, slots: Tensor, lengths: object, start: object) -> Location:
        """The same for rows that a tensor counts."""
        if n != 1 or lengths is not None or start is not None:
            raise ValueError(f"a program appends one token to every row: got n={n}, lengths={lengths}, start={start}")
        check_cacheable(attention, None)
        room, padding = self._keys.shape[2], KeyPadding(slots + 1)
        return Location(
            before=self._lengths,
            counts=(1,) * self.batch,
            ends=self._lengths,
            low=0,
            high=room,
            mask=padding if _hides_future_alone(attention.mask) else attention.mask & padding,
            queries=Sequence(1, slots),
            keys=Sequence(room),
            shape=Shape(self.batch, self.num_groups, self.num_groups, 1, room, self.width, self.value_width),
            slots=slots,
        )

    def _append_documents(
        self, k: Tensor, v: Tensor, attention: Attention, documents: Documents, start: int | Numbers | None
    ) -> tuple[Tensor, Tensor, Attention]:
        check_documents(documents, k, v, self.batch, self._lengths)
        check_cacheable(attention, self.window)
        check_alike(attention.mask, attention.scores.terms)
        B, _, S, _ = k.shape
        rows = documents.rows
        assert rows is not None
        lengths, firsts = [], []
        for row in range(B):
            own = rows[row % len(rows)]
            lengths += own
            firsts += [row * S + sum(own[:number]) for number in range(len(own))]
        tokens = torch.tensor(firsts, device=HOST)[:, None] + torch.arange(max(1, *lengths), device=HOST)
        index = _on(tokens.clamp(max=B * S - 1), k.device)
        apart = [x.transpose(1, 2).flatten(0, 1)[index].transpose(1, 2) for x in (k, v)]
        self.append(apart[0], apart[1], attention, lengths, start)
        return k, v, Attention(attention.scores, attention.mask & documents, attention.weighting)

    def grow(self, capacity: int) -> None:
        """Make room for rows of up to `capacity` tokens."""
        check_whole("capacity", capacity, 1)
        if self.capacity is None or capacity < self.capacity:
            raise ValueError(f"a capacity grows: got {capacity} for {self!r}; make another cache")
        with torch.inference_mode(False):
            for name in ("_keys", "_values"):
                old = getattr(self, name)
                new = old.new_zeros(*old.shape[:2], capacity, old.shape[3])
                new[:, :, : old.shape[2]] = old
                setattr(self, name, new)
        self.capacity = capacity

    def _check_capacity(self, counts: Counts) -> None:
        for row, (length, count) in enumerate(zip(self._lengths, counts, strict=True)):
            if self.capacity is not None and length + count > self.capacity:
                raise ValueError(
                    f"a row holds at most capacity={self.capacity} tokens: got {count} more for row {row}, which holds "
                    f"{length}; make the cache larger, or give it a window"
                )

    def _first_seen(self, attention: Attention, back: int | None) -> Counts:
        """The position of the first token that the next query of each row may see."""
        firsts = tuple([0 if back is None else max(0, length - back) for length in self._lengths])
        for row, (first, kept) in enumerate(zip(firsts, self._starts, strict=True)):
            if first < kept:
                raise ValueError(
                    f"the tokens that the mask shows must be kept: got mask={attention.mask!r}, which shows token "
                    f"{first} to the next query of row {row}, rolled back to {self._lengths[row]}, where the tokens "
                    f"from {kept} are kept; give the cache a larger window"
                )
        return firsts

    def _write(self, k: Tensor, v: Tensor, counts: Counts, ends: Counts, room: int | None) -> tuple[Tensor, Tensor]:
        """Put the piece behind what is there, and give the tensors that hold both.

        With `room` the buffers are full: what is kept moves to their front, or, where a piece is longer than they are,
        to tensors of that room, of which the buffers then get the end.
        """
        buffers, lengths = (self._keys, self._values), self._lengths
        targets, bases = list(buffers), self._bases
        if room is not None:
            count, slots = max(minus(lengths, self._starts)), minus(self._starts, self._bases)
            kept = [take(buffer, slots, count).clone() for buffer in buffers]  # it may overlap where it goes
            if room > buffers[0].shape[2]:
                targets = [x.new_zeros(*x.shape[:2], room, x.shape[3]) for x in buffers]
            for target, old in zip(targets, kept, strict=True):
                target[:, :, :count] = old
            bases = self._starts
        put(targets, (k, v), minus(lengths, bases), counts)
        starts = self._starts
        if self.window is not None:
            starts = tuple([max(start, end - self.window) for start, end in zip(starts, ends, strict=True)])
        if targets[0] is not buffers[0]:
            tails = [take(target, minus(starts, bases), max(minus(ends, starts))) for target in targets]
            for buffer, tail in zip(buffers, tails, strict=True):
                buffer[:, :, : tail.shape[2]] = tail
            bases = starts
        self._lengths, self._starts, self._bases = ends, starts, bases
        return targets[0], targets[1]

    def rollback(self, count: int | Numbers) -> None:
        """Drop the last `count` tokens, of every row or one number for each; see `truncate`."""
        counts = per_row("count", count, self.batch)
        for row, (dropped, length) in enumerate(zip(counts, self._lengths, strict=True)):
            if not 0 <= dropped <= length:
                raise ValueError(
                    f"count must lie in 0…length: got {dropped} for row {row} of {length}; roll back what was appended"
                )
        self.truncate(minus(self._lengths, counts))

    def truncate(self, lengths: int | Numbers) -> None:
        """Drop all tokens from these lengths on, as if they had never been appended.

        With a window what came before the tokens that are kept is gone: rows of `window` tokens under a mask that looks
        m back can drop `window − m` of them.
        """
        wanted = per_row("lengths", lengths, self.batch)
        for row, (length, now, kept) in enumerate(zip(wanted, self._lengths, self._starts, strict=True)):
            if not 0 <= length <= now:
                raise ValueError(f"lengths must lie in 0…{now}: got {length} for row {row}; a cache grows by append")
            if length < now and kept > max(0, length - self._back):
                raise ValueError(
                    f"a cache with window={self.window} keeps the tokens from {kept} in row {row}: got lengths={length}"
                    f", whose next query looks back to {max(0, length - self._back)}; keep {kept + self._back} tokens "
                    "or more, or give the cache a larger window"
                )
        self._lengths = wanted

    def reorder(self, index: Tensor | Numbers) -> None:
        """Let row i be what row `index[i]` was, in place; there may be more rows than before, or fewer: beams.

        An index on a GPU is read back only when rows differ in length.
        """
        rows = self._rows(index)
        where = index if isinstance(index, Tensor) else torch.tensor(rows, device=HOST)
        count, slots = max(minus(self._lengths, self._starts)), minus(self._starts, self._bases)
        parts = [take(x, slots, count).index_select(0, where.to(x.device)) for x in (self._keys, self._values)]
        if len(rows) != self.batch:
            with torch.inference_mode(False):
                self._keys, self._values = (x.new_zeros(len(rows), *x.shape[1:]) for x in (self._keys, self._values))
        self._keys[:, :, :count], self._values[:, :, :count] = parts
        self._lengths = tuple([self._lengths[row] for row in rows])
        self._starts = self._bases = tuple([self._starts[row] for row in rows])

    def _rows(self, index: Tensor | Numbers) -> Counts:
        """The rows that are wanted; where all are alike, any number does for one that only the GPU knows."""
        if isinstance(index, Tensor):
            if index.ndim != 1 or index.dtype != torch.int64 or not len(index):
                raise ValueError(
                    f"index must be int64 of shape (n,): got {index.dtype} of shape {tuple(index.shape)}; use .long()"
                )
            if index.is_cuda and len({*zip(self._lengths, self._starts, strict=True)}) == 1:
                assert_soon(((index >= 0) & (index < self.batch)).all(), f"index must lie in 0…{self.batch - 1}")
                return (0,) * len(index)
            index = index.tolist()
        rows = per_row("index", index, len(index) if isinstance(index, list | tuple) else 0)
        for row in rows:
            if not 0 <= row < self.batch:
                raise ValueError(f"index must lie in 0…{self.batch - 1}: got {row}; name rows of the cache")
        return rows

    def fork(self) -> "Cache":
        """An independent copy: what is appended to one is not in the other."""
        other = copy.copy(self)
        with torch.inference_mode(False):
            other._keys, other._values = self._keys.clone(), self._values.clone()
        return other

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tokens that are kept to a safetensors file, whole or not at all."""
        sizes, slots = minus(self._lengths, self._starts), minus(self._starts, self._bases)
        # Slots behind a row's tokens may hold dropped ones.
        pads = torch.arange(max(sizes), device=HOST) >= torch.tensor(sizes, device=HOST)[:, None]
        k, v = (
            take(x, slots, max(sizes)).cpu().masked_fill(pads[:, None, :, None], 0) for x in (self._keys, self._values)
        )
        limits = {"capacity": self.capacity, "window": self.window, "back": self._back}
        write(path, {"k": k, "v": v}, limits | {"lengths": self._lengths, "starts": self._starts})

    @classmethod
    def load(cls, path: str | PathLike[str], device: torch.device | str | None = None) -> "Cache":
        """The cache that was saved; it goes on as the first would have."""
        tensors, facts = read(path, "k", "v")
        k, v = tensors["k"], tensors["v"]
        (B, G, count, D), E = k.shape, v.shape[3]
        cache = cls(B, G, D, E, capacity=facts["capacity"], window=facts["window"], dtype=k.dtype, device=device)
        cache._keys[:, :, :count], cache._values[:, :, :count] = k.to(cache.device), v.to(cache.device)
        cache._lengths, cache._back = tuple(facts["lengths"]), facts["back"]
        cache._starts = cache._bases = tuple(facts["starts"])
        return cache


def minus(left: Counts, right: Counts, less: int = 0) -> Counts:
    """One difference for each row."""
    return tuple([a - b - less for a, b in zip(left, right, strict=True)])


def _hides_future_alone(mask: Mask) -> bool:
    facts = mask.facts(LINE)
    return facts.interval and facts.band[0] == (None, 0)


def _hide_pads(mask: Mask, real: Counts, n: int) -> Mask:
    """The mask of n queries, of rows of so many keys."""
    if len(set(real)) == 1:
        return mask
    # A single query stands behind all real keys of its row: to hide pads is to hide the future.
    return KeyPadding(real) if n == 1 and _hides_future_alone(mask) else mask & KeyPadding(real)


def _start(positions: Counts | list[int]) -> int | Tensor:
    """One number where all rows agree, so that algorithms know it; else one for each."""
    return positions[0] if len(set(positions)) == 1 else torch.tensor(positions, device=HOST)


def take(buffer: Float[Tensor, "B G R W"], slots: Counts, count: int) -> Float[Tensor, "B G n W"]:
    """`count` tokens of every row, from the row's own slot on; beyond the end of the buffer its last one."""
    if len(set(slots)) == 1:
        return buffer[:, :, slots[0] : slots[0] + count]
    rows = torch.arange(buffer.shape[0], device=buffer.device)[:, None]
    places = _on(torch.tensor(slots, device=HOST), buffer.device)[:, None] + torch.arange(count, device=buffer.device)
    return buffer[rows, :, places.clamp(max=buffer.shape[2] - 1)].transpose(1, 2)


def put(buffers: list[Tensor], pieces: tuple[Tensor, ...], slots: Counts, counts: Counts) -> None:
    """Write the first `counts` tokens of every row of a piece into its buffer, from the row's own slot on."""
    if len(set(slots)) == 1:  # the pads of shorter rows come along, to slots that hold nothing yet
        most = max(counts)
        for buffer, x in zip(buffers, pieces, strict=True):
            buffer.narrow(2, slots[0], most).copy_(x if x.shape[2] == most else x[:, :, :most])
        return
    each = torch.tensor(counts, device=HOST)
    rows = torch.arange(len(counts), device=HOST).repeat_interleave(each)
    tokens = torch.arange(len(rows), device=HOST) - (each.cumsum(0) - each)[rows]
    index = _on(torch.stack((rows, tokens, tokens + torch.tensor(slots, device=HOST)[rows])), buffers[0].device)
    for buffer, x in zip(buffers, pieces, strict=True):
        buffer[index[0], :, index[2]] = x[index[0], :, index[1]]


def _on(numbers: Tensor, device: torch.device) -> Tensor:
    """Small numbers of the host on the device, without waiting for it."""
    return numbers.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else numbers.to(device)
