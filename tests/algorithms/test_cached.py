"""Decoding piece by piece with a cache gives what the whole sequence gives in one call."""

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from regard import attend, plan
from regard.attention import (
    Attention,
    Blocks,
    Cache,
    Causal,
    Content,
    Dilated,
    GlobalTokens,
    Hard,
    KeyPadding,
    Mask,
    Quadratic,
    RelativeTable,
    Sequence,
    Slopes,
    Softmax,
    Strided,
    Term,
    Window,
)
from regard.attention.cache import cache
from regard.attention.cache.rules import looks_back
from regard.attention.reference import reference
from tests.tolerances import ONE_QUERY, PIECES

MASKS: dict[str, Callable[[int], Mask]] = {
    "causal": lambda w: Causal(),
    "window": lambda w: Window(w),
    "window of oneself": lambda w: Window(0),
    "causal window": lambda w: Causal() & Window(w, 3),
    "strided": lambda w: Causal() & Strided(3),
    "all but every third": lambda w: ~Strided(3) & Causal(),
    "window or strided": lambda w: (Window(w) | Strided(4)) & Causal(),
    "two windows": lambda w: Window(w) & Strided(2) | Window(1),
    "a hole": lambda w: Window(w) & ~Window(1),
    "dilated": lambda w: Dilated(2, before=w),
    "blocks": lambda w: Blocks(w + 1, shift=1) & Causal(),
    "global tokens": lambda w: (Window(w) | GlobalTokens(2)) & Causal(),
}

N = 24  # the longest sequence


def gaussian(H: int, draw: torch.Generator) -> Quadratic:
    centre = -3 + 3 * torch.randn(H, 1, generator=draw, dtype=torch.float64)
    return Quadratic(centre, torch.linspace(0.02, 1, H, dtype=torch.float64))


def table(H: int, draw: torch.Generator) -> RelativeTable:
    """Long enough for the pads of a piece too, which stand behind the last real token."""
    return RelativeTable(torch.randn(H, 4 * N + 1, generator=draw, dtype=torch.float64))


SCORES: dict[str, Callable[[int, torch.Generator], Term]] = {
    "content": lambda H, draw: Content(),
    "beta": lambda H, draw: Content(-0.3),
    "slopes": lambda H, draw: Content() + Slopes.geometric(H),
    "gaussian": lambda H, draw: Content() + gaussian(H, draw),
    "table": lambda H, draw: Content() + table(H, draw),
    "gaussian alone": gaussian,
    "slopes and table alone": lambda H, draw: Slopes.geometric(H) + table(H, draw),
}


@dataclass(frozen=True)
class Case:
    """One sequence for each row, cut into pieces."""

    seed: int
    mask: str
    back: int  # how far the masks that have a width look back
    scores: str
    hard: bool
    groups: int
    pieces: tuple[tuple[int, ...], ...]  # tokens of each row in each piece
    room: int | None  # what a windowed cache has beyond what the mask needs; None: no window

    def __str__(self) -> str:
        words = [self.mask, self.scores, "hard" * self.hard, "ragged" * self.ragged]
        return f"{self.seed} {' + '.join(word for word in words if word)} {'' if self.room is None else 'windowed'}"

    @property
    def ragged(self) -> bool:
        return any(len(set(piece)) > 1 for piece in self.pieces)

    @property
    def totals(self) -> tuple[int, ...]:
        return tuple(map(sum, zip(*self.pieces, strict=True)))


def draw(seed: int) -> Case:
    """A random case; the kinds of masks and scores take turns."""
    chance = random.Random(seed)
    mask, back = list(MASKS)[seed % len(MASKS)], chance.choice((1, 2, 3, 6))
    batch, ragged = chance.choice((1, 2, 3)), chance.random() < 0.5
    pieces, totals, longest = [], [0] * batch, chance.randrange(1, N + 1)
    while max(totals) < longest:
        n = min(chance.choice((1, 1, 1, 2, 3, 7, 15)), longest - max(totals))
        counts = [chance.randrange(n + 1) if ragged else n for _ in totals]
        if any(counts):
            pieces.append(tuple(counts))
            totals = [total + count for total, count in zip(totals, counts, strict=True)]
    bounded = looks_back(MASKS[mask](back)) is not None
    return Case(
        seed=seed,
        mask=mask,
        back=back,
        scores=chance.choice(list(SCORES)),
        hard=chance.random() < 0.2,
        groups=chance.choice((1, 2, 4)),
        pieces=tuple(pieces),
        room=chance.choice((0, 0, 1, 4)) if bounded and chance.random() < 0.7 else None,
    )


CASES = [draw(seed) for seed in range(240)]


def whole_and_pieces(case: Case, device: torch.device) -> tuple[Tensor, Tensor]:
    """The output of one call, and that of the pieces, for all real tokens one after the other."""
    H, D, E, B, longest = 4, 6, 5, len(case.totals), max(case.totals)
    numbers = torch.Generator().manual_seed(case.seed)
    q, k, v = (
        torch.randn(B, heads, longest, width, generator=numbers, dtype=torch.float64).to(device)
        for heads, width in ((H, D), (case.groups, D), (case.groups, E))
    )
    scores, mask = SCORES[case.scores](H, numbers), MASKS[case.mask](case.back)
    attention = Attention(scores, mask, Hard() if case.hard else Softmax()).on(device)
    whole = Attention(attention.scores, mask & KeyPadding(case.totals), attention.weighting)
    expected = attend(q, k, v, whole, algorithm="reference")

    window = None if case.room is None else looks_back(mask) + 1 + case.room
    capacity = longest if window is None else None
    store = Cache(B, case.groups, D, E, capacity=capacity, window=window, dtype=q.dtype, device=device)
    out = torch.full_like(expected, torch.nan)
    for counts in case.pieces:
        starts, n = store.lengths, max(counts)
        piece = [torch.full((B, x.shape[1], n, x.shape[3]), torch.nan).to(x) for x in (q, k, v)]  # pads are NaN
        for row, (start, count) in enumerate(zip(starts, counts, strict=True)):
            for part, x in zip(piece, (q, k, v), strict=True):
                part[row, :, :count] = x[row, :, start : start + count]
        lengths = counts if len(set(counts)) > 1 else None
        result = attend(piece[0], *store.append(piece[1], piece[2], attention, lengths, start=starts))
        for row, (start, count) in enumerate(zip(starts, counts, strict=True)):
            out[row, :, start : start + count] = result[row, :, :count]
    real = torch.arange(longest, device=device) < torch.tensor(case.totals, device=device)[:, None]
    return expected.transpose(1, 2)[real], out.transpose(1, 2)[real]


def is_equal(case: Case, device: torch.device) -> bool:
    expected, out = whole_and_pieces(case, device)
    return torch.allclose(out, expected, **PIECES)


def test_the_cases_are_of_all_kinds():
    assert {case.mask for case in CASES} == set(MASKS)
    assert {case.scores for case in CASES} == set(SCORES)
    windowed = [case for case in CASES if case.room is not None]
    for kind in (windowed, [case for case in CASES if case.room is None]):
        assert sum(case.ragged for case in kind) > 20
        assert sum(not case.ragged for case in kind) > 20
        assert sum(case.hard for case in kind) > 10
        assert {case.groups for case in kind} == {1, 2, 4}
    assert sum(len(case.pieces) > 4 for case in CASES) > 100


@pytest.mark.parametrize("case", CASES, ids=str)
def test_pieces_equal_the_whole(case: Case, device):
    expected, out = whole_and_pieces(case, device)
    torch.testing.assert_close(out, expected, **PIECES)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("lengths", [None, (3, 5, 1)], ids=["alike", "ragged"])
def test_pieces_equal_the_whole_in_the_types_that_kernels_take(dtype: torch.dtype, lengths, device):
    """Against the definition in float64."""
    B, H, G, D, total = 3, 4, 2, 16, 12
    q, k, v = (torch.randn(B, heads, total, D, device=device).to(dtype) for heads in (H, G, G))
    counts = lengths or (5,) * B
    store, causal = Cache(B, G, D, capacity=total, dtype=dtype, device=device), Attention(mask=Causal())
    attend(q[:, :, :5], *store.append(k[:, :, :5], v[:, :, :5], causal, lengths))
    for _ in range(4):
        at = store.lengths
        x, y, z = (torch.stack([row[:, n : n + 1] for row, n in zip(x, at, strict=True)]) for x in (q, k, v))
        out = attend(x, *store.append(y, z, causal))
    q, k, v = (x.double() for x in (q, k, v))
    expected = reference(q, k, v, causal)[0]
    last = torch.stack([expected[row, :, n + 3] for row, n in enumerate(counts)])
    torch.testing.assert_close(out[:, :, 0].double(), last, rtol=0, atol=ONE_QUERY[dtype])


def from_zero(self, attention):
    """Every piece begins at position 0."""
    placed = RIGHT["place"](self, attention)
    return Attention(placed.scores, placed.mask, placed.weighting, Sequence(self.queries.n), placed.keys)


def pads_seen(self, attention):
    placed = RIGHT["place"](self, attention)
    return Attention(placed.scores, attention.mask, placed.weighting, placed.queries, placed.keys)


def causal_forgotten(self, attention):
    """Padding instead of Causal for pieces of several tokens too."""
    placed = RIGHT["place"](self, attention)
    masks = [part for part in placed.mask.conjuncts if isinstance(part, KeyPadding)]
    return Attention(placed.scores, (masks or [placed.mask])[0], placed.weighting, placed.queries, placed.keys)


RIGHT = {"place": cache.Location.place, "take": cache.take, "put": cache.put}
MISTAKES = {
    "positions from 0 for every piece": (cache.Location, "place", from_zero),
    "window one too short": (cache, "looks_back", lambda mask: max(0, (looks_back(mask) or N) - 1)),
    "the start of the first row for all": (cache, "_start", lambda positions: positions[0]),
    "pads are seen": (cache.Location, "place", pads_seen),
    "padding instead of causal": (cache.Location, "place", causal_forgotten),
    "what is kept begins one too late": (
        cache,
        "take",
        lambda buffer, slots, count: RIGHT["take"](buffer, tuple(slot + 1 for slot in slots), count),
    ),
    "all rows written at the place of the first": (
        cache,
        "put",
        lambda buffers, pieces, slots, counts: RIGHT["put"](buffers, pieces, slots[:1] * len(slots), counts),
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_broken_cache_is_caught(mistake: str, device, monkeypatch: pytest.MonkeyPatch, unhooked):
    where, name, broken = MISTAKES[mistake]
    monkeypatch.setattr(where, name, broken)
    for case in CASES:
        try:
            if not is_equal(case, device):
                return
        except (ValueError, RuntimeError):  # a broken cache may fail elsewhere too; that is not what is counted
            continue
    pytest.fail(f"{mistake}: no case shows it")


def test_a_new_token_changes_no_earlier_output_and_costs_one_row(device):
    """A new token is one query against all keys: `2·(N+1)·(D+E)` per head, and no other output is computed again."""
    B, H, D, total = 2, 4, 8, 33
    q, k, v = (torch.randn(B, H, total, D, dtype=torch.float64, device=device) for _ in range(3))
    causal = Attention(mask=Causal())
    before = attend(q[:, :, :-1], k[:, :, :-1], v[:, :, :-1], causal)
    after = attend(q, k, v, causal)
    torch.testing.assert_close(after[:, :, :-1], before, **PIECES)

    store = Cache(B, H, D, capacity=total, dtype=q.dtype, device=device)
    store.append(k[:, :, :-1], v[:, :, :-1], causal)
    keys, values, placed = store.append(k[:, :, -1:], v[:, :, -1:], causal)
    torch.testing.assert_close(attend(q[:, :, -1:], keys, values, placed), after[:, :, -1:], **PIECES)
    costs = {c.name: c.cost for c in plan(q[:, :, -1:], keys, values, placed, device="cpu").candidates if c.cost}
    assert costs["reference"].flops == costs["fused"].flops == B * H * 2 * total * (D + D)


def test_a_window_leaves_the_fused_kernel_one_query_without_a_mask(device):
    """The keys that come back are those that the query sees, so nothing is left to hide."""
    store, window = Cache(1, 1, 4, window=4, device=device), Attention(mask=Causal() & Window(3))
    for _ in range(20):
        x = torch.randn(1, 1, 1, 4, device=device)
        keys, values, placed = store.append(x, x, window)
    assert keys.shape[2] == 4
    assert plan(x, keys, values, placed).problem.masks == ()
    assert {c.name for c in plan(x, keys, values, placed, device="cpu").candidates if c.cost} >= {"fused"}


def test_one_query_of_ragged_rows_needs_no_causal_mask(device):
    store, causal = Cache(2, 1, 4, capacity=8, device=device), Attention(mask=Causal())
    x = torch.randn(2, 1, 3, 4, device=device)
    store.append(x, x, causal, lengths=[3, 1])
    keys, values, placed = store.append(x[:, :, :1], x[:, :, :1], causal)
    assert repr(placed.mask) == "KeyPadding((4, 2))"
    assert {c.name for c in plan(x[:, :, :1], keys, values, placed, device="cpu").candidates if c.cost} >= {"packed"}
