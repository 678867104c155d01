"""The key-value cache: what it keeps, what it gives back, and that it goes on after whatever was done to it."""

import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch
from torch import Tensor

from regard import attend
from regard.attention import (
    Attention,
    Cache,
    Causal,
    Content,
    Quadratic,
    Slopes,
    Strided,
    Window,
)
from regard.attention.cache.rules import looks_back
from tests.tolerances import PIECES

CAUSAL = Attention(mask=Causal())
LOCAL = Attention(mask=Causal() & Window(3))


def piece(n: int, batch: int = 2, groups: int = 1, width: int = 4) -> tuple[Tensor, Tensor]:
    return torch.randn(batch, groups, n, width), torch.randn(batch, groups, n, width)


def filled(n: int, attention: Attention = CAUSAL, **limit: int) -> Cache:
    cache = Cache(2, 1, 4, **(limit or {"capacity": 10}))
    cache.append(*piece(n), attention)
    return cache


@dataclass
class Rows:
    """What a cache should be: all tokens of every row, (n, 3·width) of queries, keys and values side by side."""

    cache: Cache
    attention: Attention
    tokens: list[Tensor] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tokens = self.tokens or [torch.empty(0, 12, dtype=torch.float64) for _ in range(self.cache.batch)]

    def append(self, counts: list[int]) -> None:
        """Append new tokens, and compare their outputs with those of each row's whole sequence."""
        new = torch.randn(len(counts), max(counts), 12, dtype=torch.float64)
        q, k, v = (x[:, None] for x in new.split(4, 2))
        out = attend(q, *self.cache.append(k, v, self.attention, counts, start=[len(row) for row in self.tokens]))
        for row, count in enumerate(counts):
            self.tokens[row] = torch.cat((self.tokens[row], new[row, :count]))
            if count:
                q, k, v = (x[None, None] for x in self.tokens[row].split(4, 1))
                whole = attend(q, k, v, self.attention, algorithm="reference")
                torch.testing.assert_close(out[row, :, :count], whole[0, :, -count:], **PIECES)
        assert self.cache.lengths == tuple(map(len, self.tokens))

    def rollback(self, counts: list[int]) -> None:
        """Go back, where a window has kept what the mask will look at."""
        back = looks_back(self.attention.mask) or 0
        left = [len(row) - count for row, count in zip(self.tokens, counts, strict=True)]
        rows = zip(left, self.cache.starts, counts, strict=True)
        if any([count and start > max(0, length - back) for length, start, count in rows]):
            with pytest.raises(ValueError, match="keeps the tokens from"):
                self.cache.rollback(counts)
            return
        self.cache.rollback(counts)
        self.tokens = [row[:length] for row, length in zip(self.tokens, left, strict=True)]

    def reorder(self, index: list[int]) -> None:
        self.cache.reorder(torch.tensor(index) if len(index) % 2 else index)
        self.tokens = [self.tokens[row] for row in index]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    ("attention", "limit"),
    [
        (CAUSAL, {"capacity": 60}),
        (LOCAL, {"capacity": 60}),
        (LOCAL, {"window": 4}),
        (LOCAL, {"window": 9}),
        (Attention(Content() + Slopes(torch.tensor([0.3])), Window(2) | Window(6) & Strided(3)), {"window": 7}),
    ],
    ids=["causal", "local", "windowed", "wide window", "slopes"],
)
def test_rows_go_on_as_if_nothing_had_happened(attention: Attention, limit: dict[str, int], seed: int, tmp_path: Path):
    """Appends, rollbacks, reorders, forks and reloads in any order: outputs are those of the tokens that are left."""
    chance = random.Random(seed)
    rows = Rows(Cache(3, 1, 4, **limit, dtype=torch.float64), attention)
    for _ in range(12):
        counts = [chance.choice((0, 1, 1, 2, 4)) for _ in rows.tokens]
        counts = counts if chance.random() < 0.5 else counts[:1] * len(counts)
        if any(counts):
            rows.append(counts)
        match chance.randrange(6):
            case 0:
                rows.rollback([min(len(row), chance.randrange(4)) for row in rows.tokens])
            case 1:
                rows.reorder([chance.randrange(len(rows.tokens)) for _ in range(chance.choice((2, 3, 3, 4)))])
            case 2:
                left = Rows(rows.cache.fork(), attention, list(rows.tokens))
                left.append([1] * len(left.tokens))
            case 3:
                rows.cache.save(tmp_path / "cache.safetensors")
                rows.cache = Cache.load(tmp_path / "cache.safetensors")


def test_memory_is_bounded_by_the_window():
    cache = Cache(1, 1, 4, window=32)
    size, k, v = cache.bytes, *piece(1, batch=1)
    places = {cache._keys.data_ptr(), cache._values.data_ptr()}
    most = 0
    for _ in range(500):
        keys, values, placed = cache.append(k, v, LOCAL)
        most = max(most, keys.untyped_storage().nbytes() + values.untyped_storage().nbytes())
    assert (cache.lengths, cache.starts) == ((500,), (500 - 32,))
    assert placed.queries is not None
    assert placed.queries.start == 499
    assert size == cache.bytes == most == 2 * 32 * cache.bytes_per_token
    assert {cache._keys.data_ptr(), cache._values.data_ptr()} == places


def test_a_prompt_longer_than_the_room_does_not_enlarge_it():
    cache = Cache(2, 1, 4, window=4)
    size, (k, v) = cache.bytes, piece(100)
    cache.append(k[:, :, :3], v[:, :, :3], LOCAL)
    keys, values, placed = cache.append(k[:, :, 3:], v[:, :, 3:], LOCAL)
    torch.testing.assert_close(attend(k[:, :, 3:], keys, values, placed), attend(k, k, v, LOCAL)[:, :, 3:])
    assert (cache.bytes, cache.lengths, cache.starts) == (size, (100, 100), (96, 96))
    assert cache._keys.shape == (2, 1, 8, 4)


def test_a_token_is_moved_once_per_window_at_most(monkeypatch: pytest.MonkeyPatch):
    """Amortised: the tokens that move to the front are `window` in every `window` appends."""
    from regard.attention.cache import cache as module

    moved, right = [], module.take
    monkeypatch.setattr(module, "take", lambda buffer, slots, count: moved.append(count) or right(buffer, slots, count))
    cache, x = Cache(1, 1, 4, window=16), piece(1, batch=1)
    for _ in range(1600):
        cache.append(*x, LOCAL)
    assert sum(moved) <= 2 * 1600  # keys and values


def test_keys_come_back_as_views():
    cache = filled(3)
    keys, values, _ = cache.append(*piece(1), CAUSAL)
    for x, buffer in ((keys, cache._keys), (values, cache._values)):
        assert x.shape[2] == 4
        assert x.untyped_storage().data_ptr() == buffer.untyped_storage().data_ptr()


def test_rows_that_agree_have_positions_known_to_the_planner():
    cache = filled(3)
    _, _, placed = cache.append(*piece(2), Attention(mask=Causal() & Strided(2)))
    assert repr(placed.queries) == "Sequence(n=2, start=3, step=1)"
    assert repr(placed.keys) == "Sequence(n=5, start=0, step=1)"
    assert repr(placed.mask) == "Causal() & Strided(stride=2)"


def test_rows_that_differ_have_positions_and_padding_of_their_own():
    cache = Cache(2, 1, 4, window=4)
    cache.append(*piece(8), LOCAL, lengths=[8, 2])
    _, _, placed = cache.append(*piece(3), LOCAL, lengths=[1, 2])
    assert placed.queries.start.tolist() == [8, 2]
    assert placed.keys.start.tolist() == [4, 0]
    assert repr(placed.mask) == "Causal() & Window(before=3, after=0) & KeyPadding((5, 4))"
    assert (cache.lengths, cache.starts) == ((9, 4), (5, 0))


def test_rows_that_were_padded_alike_need_no_padding_once_they_end_together():
    cache = Cache(2, 1, 4, capacity=8)
    cache.append(*piece(3), CAUSAL, lengths=[3, 1])
    _, _, placed = cache.append(*piece(3), CAUSAL, lengths=[1, 3])
    assert repr(placed.mask) == "Causal()"
    assert placed.queries.start.tolist() == [3, 1]


def test_a_fork_and_its_origin_do_not_see_each_other():
    cache = filled(3)
    other = cache.fork()
    other.append(torch.full((2, 1, 1, 4), 9.0), torch.full((2, 1, 1, 4), 9.0), CAUSAL)
    assert (cache.lengths, other.lengths) == ((3, 3), (4, 4))
    keys, _, _ = cache.append(*piece(1), CAUSAL)
    assert not (keys == 9).any()


def test_reorder_repeats_rows_for_beams():
    cache = Cache(2, 1, 4, capacity=8)
    k, v = piece(3)
    cache.append(k, v, CAUSAL, lengths=[3, 2])
    cache.reorder([1, 1, 0])
    assert (cache.batch, cache.lengths) == (3, (2, 2, 3))
    new = piece(1, batch=3)
    keys, values, _ = cache.append(*new, CAUSAL)
    assert torch.equal(keys[2, :, :3], k[0])
    assert torch.equal(values[1, :, :3], torch.cat((v[1, :, :2], new[1][1]), 1))
    assert cache.bytes == 3 * 8 * cache.bytes_per_token


def test_reset_forgets_all_but_the_memory():
    cache = filled(8, LOCAL, window=4)
    cache.reset()
    keys, _, placed = cache.append(*piece(2), LOCAL, start=0)
    assert (keys.shape[2], placed.queries.start, cache.lengths, cache.starts) == (2, 0, (2, 2), (0, 0))


def test_a_cache_made_for_inference_is_written_to_inside_and_outside():
    with torch.inference_mode():
        cache = filled(2)
        cache.append(*piece(1), CAUSAL)
        cache.reorder([0, 0, 1])
        cache = cache.fork()
    cache.append(*piece(1, batch=3), CAUSAL)
    assert cache.lengths == (4, 4, 4)


def test_a_later_append_spoils_no_gradient_unnoticed():
    """Queries may learn while keys do not; where the way back needs keys that were written over, torch says so."""
    cache, q = filled(3, LOCAL, window=4), torch.randn(2, 1, 1, 4, requires_grad=True)
    keys, values, placed = cache.append(*piece(1), LOCAL)
    (right,) = torch.autograd.grad(attend(q, keys.clone(), values.clone(), placed).sum(), q)
    outs = {name: attend(q, keys, values, placed, algorithm=name).sum() for name in ("reference", "fused", "blockwise")}
    cache.append(*piece(5), LOCAL)
    torch.testing.assert_close(torch.autograd.grad(outs["reference"], q)[0], right)  # it has copies of its own
    for name in ("fused", "blockwise"):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            torch.autograd.grad(outs[name], q)


def test_sizes():
    cache = Cache(2, 3, 4, 5, capacity=7, dtype=torch.bfloat16)
    assert cache.bytes_per_token == 3 * (4 + 5) * 2
    assert cache.bytes == 2 * 7 * cache.bytes_per_token
    assert (cache.batch, cache.dtype, cache.device) == (2, torch.bfloat16, torch.device("cpu"))
    assert Cache(10_000, 128, 128, window=100_000, device="meta").bytes == 2 * 10**9 * 128 * 2 * 128 * 4
    assert repr(cache) == "Cache(batch=2, num_groups=3, width=4, value_width=5, capacity=7, lengths=(0, 0))"
    assert repr(filled(5, LOCAL, window=4)).endswith("value_width=4, window=4, lengths=(5, 5))")


def test_scores_of_positions_alone_need_no_keys():
    term = Attention(Quadratic(torch.tensor([[-1.0]]), torch.tensor([0.5])), Causal())
    cache, v = Cache(1, 1, 0, 4, capacity=6), torch.randn(1, 1, 6, 4)
    outs = []
    for x in v.split(2, 2):
        keys, values, placed = cache.append(x[..., :0], x, term)
        assert keys.shape == (*values.shape[:3], 0)
        outs.append(attend(None, None, values, placed))
    torch.testing.assert_close(torch.cat(outs, 2), attend(None, None, v, term))
