"""Every message of the layers for images and of pooled heads, with the offending value in it."""

import pytest
import torch

from regard.attention import Causal, Dense, GlobalTokens, Grid, KeyPadding, Padding, Sequence, Tiles, Window
from regard.layers import (
    ChannelAttention,
    ChannelBlock,
    DualBlock,
    FeedForward,
    LocalPositions,
    PooledMultiHead,
    WindowAttention,
    WindowBlock,
)
from tests.refusals import refused

pytestmark = pytest.mark.usefixtures("unhooked")

X = torch.zeros(2, 12, 8)
SHORT = torch.zeros(2, 11, dtype=torch.bool)


@pytest.mark.parametrize("make", [ChannelAttention, ChannelBlock])
@pytest.mark.parametrize(("num_groups", "use"), [(5, "2, 4 or 8"), (0, "1, 2 or 4")])
def test_groups_that_do_not_divide_the_channels(make, num_groups: int, use: str):
    with refused(f"num_groups must divide width: got width=8, num_groups={num_groups}; use {use}"):
        make(8, num_groups)


def test_channel_attention():
    with refused("beta must be a number or 'positions': got beta='tokens'; leave it out for 1/√(C/G)"):
        ChannelAttention(8, beta="tokens")
    with refused("beta must be finite: got beta=nan"):
        ChannelAttention(8, beta=float("nan"))
    with refused("dropout is a probability below 1: got dropout=1.0"):
        ChannelAttention(8, dropout=1.0)
    layer = ChannelAttention(8)
    with refused("x must be (B, T, 8): got shape (12, 8); a single sequence is x[None]"):
        layer(X[0])
    with refused("x must be (B, T, 8): got shape (2, 8, 12)"):
        layer.weights(X.mT)
    wrong = "key_padding_mask must be boolean of shape (B, S) = (2, 12), True = a pad: got torch.bool of shape (2, 11)"
    with refused(wrong):
        layer(X, SHORT)
    with refused(wrong):
        layer.weights(X, SHORT)
    with refused("key_padding_mask must be boolean of shape (B, S) = (2, 12), True = a pad: got torch.int64"):
        layer(X, torch.zeros(2, 12, dtype=torch.long))


@pytest.mark.parametrize("make", [WindowAttention, WindowBlock])
@pytest.mark.parametrize(
    ("window", "message"),
    [
        (0, "rows must be a whole number from 1 to below 2^62: got rows=0; use 1 or more"),
        ((2, -1), "columns must be a whole number from 1 to below 2^62: got columns=-1; use 1 or more"),
        (2.5, "rows must be a whole number from 1 to below 2^62: got rows=2.5; use 1 or more"),
        ((2, 2, 2), "window must be one size, or rows and columns: got window=(2, 2, 2); use 7 or (7, 7)"),
    ],
)
def test_windows_that_are_no_sizes(make, window, message: str):
    with refused(message):
        make(8, 2, window=window)


def test_window_attention_needs_its_grid():
    layer = WindowAttention(8, 2, window=2)
    with refused("window attention needs the grid of its tokens: got queries=None, keys=None; use keys=Grid(h, w)"):
        layer(X)
    with refused("got queries=None, keys=Sequence(n=12, start=0, step=1); use keys=Grid(h, w)"):
        layer.weights(X, keys=Sequence(12))
    with refused("got queries=Sequence(n=12, start=0, step=1), keys=Grid(h=3, w=4"):
        layer(X, queries=Sequence(12), keys=Grid(3, 4))
    with refused("for 12 tokens; give 12 positions"):
        layer(X, keys=Grid(3, 5))
    with refused("Causal() needs tokens in a line"):
        layer(X, causal=True, keys=Grid(3, 4))
    with refused("num_heads must divide width: got width=8, num_heads=3; use 1, 2 or 4"):
        WindowAttention(8, 3, window=2)


def test_feed_forward():
    with refused("width must be a whole number from 1 to below 2^62: got width=0"):
        FeedForward(0, 4)
    with refused("hidden must be a whole number from 1 to below 2^62: got hidden=0"):
        FeedForward(4, 0)
    with refused("unknown activation 'gelo': did you mean gelu?"):
        FeedForward(4, 4, "gelo")
    with refused("unknown activation 'tanh': use one of gelu, relu, silu"):
        FeedForward(4, 4, "tanh")
    with refused("dropout is a probability below 1: got dropout=-0.5"):
        FeedForward(4, 4, dropout=-0.5)
    with refused("x must be (B, T, 4): got shape (2, 12, 8)"):
        FeedForward(4, 4)(X)


def test_local_positions_and_blocks():
    layer = LocalPositions(8)
    with refused("grid must say where the tokens stand: got Sequence(n=12, start=0, step=1); use Grid(h, w)"):
        layer(X, Sequence(12))
    with refused("positions of the tokens must match the tensor: got Grid(h=3, w=5, start=(0, 0), step=(1, 1)) for 12"):
        layer(X, Grid(3, 5))
    with refused("x must be (B, T, 8): got shape (2, 12, 7)"):
        layer(X[..., :7], Grid(3, 4))
    with refused("grid must say where the tokens stand: got (3, 4); use Grid(h, w)"):
        DualBlock(8, 2, 2, 2)(X, (3, 4))
    for ratio in (0, -1, 0.1, float("nan")):
        with refused(f"ratio must leave a hidden feature or more: got ratio={ratio} for width=8; use 4"):
            DualBlock(8, 2, 2, 2, ratio=ratio)


@pytest.mark.parametrize("pool", [0, 1.5, (2, 0), (2, 2, 2)])
def test_pools_that_are_no_sizes(pool):
    with refused(f"a pool must be a whole number from 1, or two on a grid: got {pool}; use 2 or (2, 2)"):
        PooledMultiHead(8, 2, pool)


def test_pooled_heads_and_what_they_are_given():
    layer = PooledMultiHead(8, 2, (2, 2))
    with refused("a pool of rows and columns is for a grid: got (2, 2) for Sequence(n=12, start=0, step=1)"):
        layer(X)
    with refused("positions of the keys must match the tensor: got Grid(h=3, w=5, start=(0, 0), step=(1, 1)) for 12"):
        layer(X, keys=Grid(3, 5))
    with refused("q must be (B, T, 8): got shape (2, 12, 7)"):
        layer(X[..., :7], X, keys=Grid(3, 4))
    with refused("k must be (B, S, 8): got shape (2, 12, 7)"):
        layer.weights(X, X[..., :7], keys=Grid(3, 4))
    with refused("v must be (B, S, 8): got shape (2, 12, 7)"):
        layer(X, X, X[..., :7], keys=Grid(3, 4))
    with refused("key_padding_mask must be boolean of shape (B, S) = (2, 12), True = a pad: got torch.bool of shape"):
        layer(X, key_padding_mask=SHORT, keys=Grid(3, 4))
    with refused("tokens, pads and positions must match: got x (2, 11, 8)"):
        layer(X, X, X[:, 1:], keys=Grid(3, 4))


@pytest.mark.parametrize(
    "mask", [Causal(), Window(3), Causal() & Window(3, 2), Causal() | GlobalTokens(2), ~Causal()], ids=repr
)
def test_pooled_heads_cannot_hide_the_future(mask):
    """A mean holds tokens of both sides: what would hide one must hide neither."""
    part = "Window(before=3, after=0)" if isinstance(mask, Window) else "Causal()"
    message = f"a mean mixes tokens before a query with tokens after it: got {part}, which hides the latter"
    for method in (PooledMultiHead(8, 2, 2), PooledMultiHead(8, 2, 2).weights):
        with refused(f"{message}; use MultiHead, or pool=1"):
            method(X, mask=mask)


@pytest.mark.parametrize(
    "mask",
    [
        Dense(torch.ones(12, 6, dtype=torch.bool)),
        KeyPadding([6, 3]),
        Padding([6, 6]),
        Window(2, 2) & KeyPadding([6, 3]),
    ],
    ids=repr,
)
def test_masks_of_tokens_that_are_no_more(mask):
    """Lengths and maps count tokens as they were before pooling, or after: no guess."""
    part = mask.conjuncts[-1]
    with refused(f"pooled tokens take masks that positions decide: got {part!r}; give pads as key_padding_mask"):
        PooledMultiHead(8, 2, 2)(X, mask=mask)


def test_masks_on_a_grid_are_taken():
    layer = PooledMultiHead(8, 2, 2)
    assert layer(X, keys=Grid(3, 4), mask=Tiles(2, 2)).shape == (2, 12, 8)
    with refused("needs tokens in a line"):
        layer(X, keys=Grid(3, 4), mask=Causal())
