"""No misuse of a cache goes unnoticed, and none changes it."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from regard.attention import (
    Attention,
    Bias,
    Cache,
    Causal,
    Content,
    Dense,
    Elu,
    Everything,
    Grid,
    Kernel,
    KeyPadding,
    Mask,
    Neighbours,
    Padding,
    Quadratic,
    RelativeTable,
    Sequence,
    Strided,
    Term,
    Window,
)
from tests.refusals import refused

CAUSAL = Attention(mask=Causal())
LOCAL = Attention(mask=Causal() & Window(3))


def piece(n: int, batch: int = 2, groups: int = 1, width: int = 4) -> tuple[Tensor, Tensor]:
    return torch.randn(batch, groups, n, width), torch.randn(batch, groups, n, width)


def filled(n: int, attention: Attention = CAUSAL, **limit: int) -> Cache:
    cache = Cache(2, 1, 4, **(limit or {"capacity": 10}))
    cache.append(*piece(n), attention)
    return cache


MADE: dict[str, tuple[Callable[[], object], str]] = {
    "no limit": (
        lambda: Cache(1, 1, 4),
        "a cache has a capacity or a window: got capacity=None, window=None; give one of them",
    ),
    "two limits": (
        lambda: Cache(1, 1, 4, capacity=8, window=4),
        "a cache has a capacity or a window: got capacity=8, window=4; give one of them",
    ),
    "no rows": (lambda: Cache(0, 1, 4, capacity=8), "batch must be a whole number from 1 to below 2^62: got batch=0"),
    "no groups": (lambda: Cache(1, 0, 4, capacity=8), "num_groups must be a whole number from 1"),
    "no window": (lambda: Cache(1, 1, 4, window=0), "window must be a whole number from 1 to below 2^62: got window=0"),
    "no capacity": (lambda: Cache(1, 1, 4, capacity=0), "capacity must be a whole number from 1"),
    "negative width": (lambda: Cache(1, 1, -1, 4, capacity=8), "width must be a whole number from 0"),
    "no values": (lambda: Cache(1, 1, 0, capacity=8), "value_width must be a whole number from 1"),
    "whole numbers": (
        lambda: Cache(1, 1, 4, capacity=8, dtype=torch.int64),
        "a cache must be floating point: got torch.int64; use the type of k and v",
    ),
}


@pytest.mark.parametrize("case", MADE)
def test_a_cache_that_cannot_be(case: str):
    make, message = MADE[case]
    with refused(message):
        make()


def masked(mask: Mask) -> tuple:
    return (*piece(1), Attention(mask=mask))


GRAD = torch.randn(2, 1, 1, 4, requires_grad=True)
PIECE = piece(1)
APPENDED: dict[str, tuple[tuple, str]] = {
    "positions twice": (
        (*PIECE, CAUSAL, None, 1),
        "a piece must begin where the row ends: got start=1 in row 0 of 3: positions 1…1 would be fed twice; "
        "append what "
        "follows, or rollback",
    ),
    "positions twice in a row": (
        (*piece(5), CAUSAL, None, [3, 0]),
        "got start=0 in row 1 of 3: positions 0…2 would be fed twice",
    ),
    "a gap": (
        (*PIECE, CAUSAL, None, (3, 7)),
        "got start=7 in row 1 of 3: positions 3…6 are missing; append them first",
    ),
    "start of other rows": (
        (*PIECE, CAUSAL, None, [3, 3, 3]),
        "start must have one number for each row: got 3 for B=2",
    ),
    "start as a tensor": (
        (*PIECE, CAUSAL, None, torch.tensor([3, 3])),
        "start must be plain numbers, one for each row: got a tensor; use start.tolist()",
    ),
    "start as text": ((*PIECE, CAUSAL, None, "3"), "start must be plain whole numbers, one for each row: got '3'"),
    "past capacity": (
        (*piece(8), CAUSAL),
        "a row holds at most capacity=10 tokens: got 8 more for row 0, which holds 3; make the cache larger, "
        "or give it "
        "a window",
    ),
    "past capacity in a row": ((*piece(8), CAUSAL, [7, 8]), "got 8 more for row 1, which holds 3"),
    "a map": (
        masked(Dense(torch.ones(4, 4).bool()) & Causal()),
        "a cache takes masks that positions decide: got Dense(",
    ),
    "key padding": (
        masked(Causal() & KeyPadding((2, 3))),
        "a cache knows which tokens are real: got KeyPadding((2, 3)) in the mask; give append the lengths=… "
        "of the piece",
    ),
    "padding inside": (masked(Causal() & ~Padding((2, 3))), "got Padding((2, 3)) in the mask"),
    "neighbours": (masked(Neighbours(1, 1) & Causal()), "Neighbours(rows=1, columns=1) is for Grid positions"),
    "everything": (
        masked(Everything()),
        "a cached query must not see tokens that are still to come: got mask=Everything(); use mask & Causal()",
    ),
    "a window that looks ahead": (
        masked(Window(3, after=1)),
        "got mask=Window(before=3, after=1); use mask & Causal()",
    ),
    "half causal": (masked(Causal() | Strided(2)), "must not see tokens that are still to come"),
    "not causal": (masked(~Causal()), "must not see tokens that are still to come"),
    "a bias": (
        (*PIECE, Attention(Content() + Bias(torch.zeros(4, 4)), Causal())),
        "a cache takes scores of content and positions: got Bias(float32[4, 4]), which says nothing of tokens to come; "
        "use Slopes, Quadratic or RelativeTable",
    ),
    "a gaussian on a grid": (
        (*PIECE, Attention(Content() + Quadratic(torch.zeros(1, 2), torch.ones(1)), Causal())),
        "a cache holds tokens in a line: got Quadratic(centre=float32[1, 2], precision=float32[1]) for a "
        "grid; use a term "
        "of one axis",
    ),
    "a table of a grid": (
        (*PIECE, Attention(RelativeTable(torch.zeros(1, 9, 9)), Causal())),
        "got RelativeTable(float32[1, 9, 9]) for a grid",
    ),
    "a table of rows": (
        (*PIECE, Attention(RelativeTable(torch.zeros(1, 9), axis=0), Causal())),
        "got RelativeTable(float32[1, 9], axis=0) for a grid",
    ),
    "a table too short": (
        (*PIECE, Attention(Content() + RelativeTable(torch.zeros(1, 5)), Causal())),
        "a relative table must cover the visible offsets: got ±2 along axis 0, where the positions and the "
        "mask leave ±3",
    ),
    "queries": (
        (*PIECE, Attention(mask=Causal(), queries=Sequence(1, start=3))),
        "a cache sets the positions itself, one token after the other: got queries=Sequence(n=1, start=3, "
        "step=1); leave "
        "it out, and state where the piece begins by start=…",
    ),
    "a grid": ((*PIECE, Attention(mask=Causal(), keys=Grid(2, 2))), "got keys=Grid(h=2, w=2"),
    "a kernel": (
        (*PIECE, Attention(mask=Causal(), weighting=Kernel(Elu()))),
        f"a cache keeps keys and values, for Softmax() or Hard(): got {Kernel(Elu())!r}, which needs but a sum over "
        "the tokens so far; use LinearState",
    ),
    "a mask for an attention": ((*PIECE, Causal()), "append needs the Attention of the new queries: got Causal()"),
    "another batch": (
        (*piece(1, batch=3), CAUSAL),
        "k must be (B, G, n, D) = (2, 1, n, 4): got shape (3, 1, 1, 4); make a cache of these sizes",
    ),
    "other groups": ((*piece(1, groups=2), CAUSAL), "k must be (B, G, n, D) = (2, 1, n, 4): got shape (2, 2, 1, 4)"),
    "another width": ((*piece(1, width=5), CAUSAL), "k must be (B, G, n, D) = (2, 1, n, 4): got shape (2, 1, 1, 5)"),
    "another value width": (
        (PIECE[0], piece(1, width=5)[1], CAUSAL),
        "v must be (B, G, n, E) = (2, 1, n, 4): got shape (2, 1, 1, 5)",
    ),
    "no heads": ((PIECE[0][:, 0], PIECE[1], CAUSAL), "k must be (B, G, n, D) = (2, 1, n, 4): got shape (2, 1, 4)"),
    "another type": (
        (PIECE[0].half(), PIECE[1], CAUSAL),
        "k must be torch.float32 on cpu, as the cache: got torch.float16 on cpu; use Cache(…, dtype=torch.float16, "
        "device='cpu')",
    ),
    "another device": ((PIECE[0], PIECE[1].to("meta"), CAUSAL), "v must be torch.float32 on cpu, as the cache: got"),
    "a gradient": ((GRAD, PIECE[1], CAUSAL), "a cache keeps no gradient: got k that needs one; use torch.no_grad()"),
    "a gradient of values": ((PIECE[0], GRAD, CAUSAL), "a cache keeps no gradient: got v that needs one"),
    "keys without values": ((PIECE[0], piece(2)[1], CAUSAL), "k and v must have one length: got n=1 and 2; give each"),
    "nothing": ((*piece(0), CAUSAL), "a piece needs a token or more: got n=0; leave the call out"),
    "nothing real": ((*PIECE, CAUSAL, [0, 0]), "a piece needs a real token in some row: got lengths=(0, 0)"),
    "more than there are": (
        (*PIECE, CAUSAL, [1, 2]),
        "lengths must lie in 0…n=1: got 2 in row 1; count the real tokens",
    ),
    "fewer than none": ((*PIECE, CAUSAL, [-1, 1]), "lengths must lie in 0…n=1: got -1 in row 0"),
    "lengths as a tensor": ((*PIECE, CAUSAL, torch.tensor([1, 0])), "got a tensor; use lengths.tolist()"),
    "lengths as fractions": (
        (*PIECE, CAUSAL, [1.0, 0.0]),
        "lengths must be plain whole numbers, one for each row: got [1",
    ),
    "lengths of other rows": (
        (*PIECE, CAUSAL, [1]),
        "lengths must have one number for each row: got 1 for B=2; give 2",
    ),
}


def unchanged(cache: Cache, change: Callable[[Cache], object], message: str) -> None:
    """The change is refused with this message, and leaves the cache as it was."""
    before = cache.fork()
    with refused(message):
        change(cache)
    assert vars(cache).keys() == vars(before).keys()
    for name, value in vars(before).items():
        now = vars(cache)[name]
        assert torch.equal(now, value) if isinstance(value, Tensor) else now == value


@pytest.mark.parametrize("case", APPENDED)
def test_a_refused_append_changes_nothing(case: str, unhooked):
    given, message = APPENDED[case]
    unchanged(filled(3), lambda cache: cache.append(*given), message)


def test_a_gradient_that_nobody_wants_is_no_misuse():
    with torch.no_grad():
        keys, _, _ = filled(3).append(GRAD, GRAD, CAUSAL)
    assert not keys.requires_grad


WINDOWED: dict[str, tuple[Mask, str]] = {
    "no window": (
        Causal(),
        "a cache with window=4 needs a mask that looks at most 3 tokens back: got mask=Causal(), by which a "
        "query sees all "
        "tokens before it; use mask & Window(before=3)",
    ),
    "one too wide": (
        Window(4),
        "got mask=Window(before=4, after=0), by which a query sees 4 tokens before it; use mask & "
        "Window(before=3), or a "
        "cache with window=5",
    ),
    "one side without": (Window(2) | Causal(), "by which a query sees all tokens before it"),
}


@pytest.mark.parametrize("case", WINDOWED)
def test_a_mask_that_disagrees_with_the_window(case: str):
    mask, message = WINDOWED[case]
    unchanged(filled(6, LOCAL, window=4), lambda cache: cache.append(*piece(1), Attention(mask=mask)), message)


def test_a_mask_that_shows_what_a_rollback_has_left_behind():
    cache = filled(20, Attention(mask=Window(3)), window=9)
    cache.rollback(6)
    message = (
        "the tokens that the mask shows must be kept: got mask=Window(before=8, after=0), which shows token "
        "6 to the next "
        "query of row 0, rolled back to 14, where the tokens from 11 are kept; give the cache a larger window"
    )
    unchanged(cache, lambda cache: cache.append(*piece(1), Attention(mask=Window(8))), message)
    assert cache.append(*piece(1), Attention(mask=Window(3)))[0].shape[2] == 4


class Mine(Mask):
    """A mask that says nothing of itself."""


class MyTerm(Term):
    """A term that says nothing of itself."""


def test_masks_and_terms_that_do_not_say_that_positions_decide():
    cache = filled(3)
    unchanged(
        cache,
        lambda cache: cache.append(*piece(1), Attention(mask=Causal() & Mine())),
        "use Causal, Window or Strided, or a mask whose facts say positional",
    )
    unchanged(
        cache,
        lambda cache: cache.append(*piece(1), Attention(Content() + MyTerm(), Causal())),
        "a cache takes scores of content and positions: got <",
    )


CHANGED: dict[str, tuple[Callable[[Cache], object], str]] = {
    "rollback of more than there is": (
        lambda cache: cache.rollback(4),
        "count must lie in 0…length: got 4 for row 0 of 3; roll back what was appended",
    ),
    "rollback of less than nothing": (lambda cache: cache.rollback([0, -1]), "got -1 for row 1 of 3"),
    "rollback of other rows": (
        lambda cache: cache.rollback([1]),
        "count must have one number for each row: got 1 for B=2",
    ),
    "rollback by a tensor": (lambda cache: cache.rollback(torch.tensor(1)), "use count.tolist()"),
    "truncate to more": (
        lambda cache: cache.truncate((3, 4)),
        "lengths must lie in 0…3: got 4 for row 1; a cache grows by append",
    ),
    "truncate to less than nothing": (lambda cache: cache.truncate(-1), "lengths must lie in 0…3: got -1 for row 0"),
    "a row that is not there": (
        lambda cache: cache.reorder([0, 2]),
        "index must lie in 0…1: got 2; name rows of the cache",
    ),
    "a row from the end": (lambda cache: cache.reorder(torch.tensor([-1])), "index must lie in 0…1: got -1"),
    "rows as fractions": (
        lambda cache: cache.reorder(torch.tensor([0.0])),
        "index must be int64 of shape (n,): got torch.float32 of shape (1,); use .long()",
    ),
    "rows in a square": (
        lambda cache: cache.reorder(torch.zeros(1, 1, dtype=torch.long)),
        "index must be int64 of shape (n,): got torch.int64 of shape (1, 1)",
    ),
    "no rows": (lambda cache: cache.reorder([]), "index must be plain whole numbers, one for each row: got []"),
    "no rows of a tensor": (lambda cache: cache.reorder(torch.zeros(0).long()), "got torch.int64 of shape (0,)"),
}


@pytest.mark.parametrize("case", CHANGED)
def test_a_change_that_cannot_be(case: str, unhooked):
    change, message = CHANGED[case]
    unchanged(filled(3), change, message)


def test_a_window_rolls_back_as_far_as_its_mask_can_see():
    """9 tokens kept, of which the next query sees 3 and itself: 6 may go."""
    cache = filled(20, LOCAL, window=9)
    message = (
        "a cache with window=9 keeps the tokens from 11 in row 0: got lengths=13, whose next query looks "
        "back to 10; keep "
        "14 tokens or more, or give the cache a larger window"
    )
    unchanged(cache, lambda cache: cache.rollback(7), message)
    cache.rollback(6)
    assert (cache.lengths, cache.starts) == ((14, 14), (11, 11))
    unchanged(cache, lambda cache: cache.truncate([14, 0]), "keeps the tokens from 11 in row 1: got lengths=0")
