"""Every message of the layers, with the offending value in it."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from regard.algorithms import Prepared, attend, attend_linear, attend_projected
from regard.attention import Attention, Cache, Causal, Elu, Grid, Kernel, LinearState, Sequence, Slopes, pool
from regard.attention.notation import parse_mask
from regard.layers import (
    Buckets,
    ContentHeads,
    Gaussian,
    LearnedPositions,
    MultiHead,
    Packing,
    PooledMultiHead,
    PositionedMultiHead,
    Rotary,
    SinusoidalPositions,
    Tables,
    Widths,
    scaled_dot_product_attention,
)
from tests.refusals import refused

pytestmark = pytest.mark.usefixtures("unhooked")


@pytest.mark.parametrize(
    ("width", "num_heads", "use"), [(100, 8, "4, 5 or 10"), (7, 2, "1 or 7"), (64, 100, "16, 32 or 64"), (1, 2, "1")]
)
def test_heads_that_do_not_divide_the_width(width: int, num_heads: int, use: str):
    with refused(f"num_heads must divide width: got width={width}, num_heads={num_heads}; use {use}"):
        MultiHead(width, num_heads)


@pytest.mark.parametrize(("num_groups", "use"), [(3, "1, 2 or 4"), (0, "1, 2 or 4"), (16, "2, 4 or 8")])
def test_groups_that_do_not_divide_the_heads(num_groups: int, use: str):
    with refused(f"num_groups must divide num_heads: got num_heads=8, num_groups={num_groups}; use {use}"):
        MultiHead(64, 8, num_groups=num_groups)


def test_no_heads():
    with refused("num_heads must be a whole number from 1 to below 2^62: got num_heads=0"):
        MultiHead(Widths(query=64, head=8), 0)


@pytest.mark.parametrize("name", ["query", "key", "value", "head", "head_value", "out"])
def test_no_width(name: str):
    with refused(f"{name} must be a whole number from 1 to below 2^62: got {name}=0"):
        Widths(**{"query": 8} | {name: 0})


@pytest.mark.parametrize("dropout", [-0.1, 1.0])
def test_dropout_that_is_no_probability_below_one(dropout: float):
    with refused(f"dropout is a probability below 1: got dropout={dropout}"):
        MultiHead(12, 3, dropout=dropout)


def test_beta_that_is_not_finite():
    with refused("beta must be finite: got beta=inf"):
        MultiHead(12, 3, beta=float("inf"))


def test_inputs_of_a_wrong_width_are_named_with_the_one_expected():
    layer = MultiHead(Widths(query=12, key=7, value=5), 3)
    q, k, v = torch.zeros(2, 4, 12), torch.zeros(2, 6, 7), torch.zeros(2, 6, 5)
    with refused("q must be (B, T, 12): got shape (2, 6, 7)"):
        layer(k, k, v)
    with refused("k must be (B, S, 7): got shape (2, 6, 5)"):
        layer(q, v, v)
    with refused("v must be (B, S, 5): got shape (2, 6, 7)"):
        layer(q, k)
    with refused("k must be (B, S, 7): got shape (2, 4, 12)"):
        layer.weights(q)


def test_a_single_sequence_needs_a_batch():
    layer = MultiHead(12, 3)
    with refused("q must be (B, T, 12): got shape (4, 12); a single sequence is q[None]"):
        layer(torch.zeros(4, 12))
    with refused("q must be (B, T, 8): got shape (4, 8); a single sequence is q[None]"):
        scaled_dot_product_attention(torch.zeros(4, 8), torch.zeros(1, 4, 8), torch.zeros(1, 4, 8))


def test_lengths_and_batches_that_differ():
    layer = MultiHead(12, 3)
    with refused("k and v must have one length: got S=5 and 6"):
        layer(torch.zeros(2, 4, 12), torch.zeros(2, 5, 12), torch.zeros(2, 6, 12))
    with refused("q, k and v must have one batch size: got B=2, 3 and 3"):
        layer(torch.zeros(2, 4, 12), torch.zeros(3, 5, 12))


@pytest.mark.parametrize(
    ("mask", "got"),
    [
        (torch.zeros(2, 5), "torch.float32 of shape (2, 5)"),
        (torch.zeros(2, 5, dtype=torch.long), "torch.int64 of shape (2, 5)"),
        (torch.zeros(2, 4, dtype=torch.bool), "torch.bool of shape (2, 4)"),
        (torch.zeros(5, 2, dtype=torch.bool), "torch.bool of shape (5, 2)"),
        (torch.zeros(2, 1, 1, 5, dtype=torch.bool), "torch.bool of shape (2, 1, 1, 5)"),
    ],
)
def test_padding_mask_of_a_wrong_type_or_shape(mask: torch.Tensor, got: str):
    q, k = torch.zeros(2, 4, 12), torch.zeros(2, 5, 12)
    message = f"key_padding_mask must be boolean of shape (B, S) = (2, 5), True = a pad: got {got}"
    layer = MultiHead(12, 3)
    with refused(message):
        layer(q, k, k, mask)
    with refused(message):
        layer.weights(q, k, mask)
    with refused(message):
        scaled_dot_product_attention(q, k, k, mask)


def test_the_function_names_the_width_it_expected():
    with refused("k must be (B, S, 8): got shape (1, 4, 6)"):
        scaled_dot_product_attention(torch.zeros(1, 4, 8), torch.zeros(1, 4, 6), torch.zeros(1, 4, 6))


X = torch.zeros(2, 4, 12)
LAYER = MultiHead(12, 3)
STATE = LinearState.empty(Kernel(Elu()), 2, 3, 4, 4)
HEADS = torch.zeros(2, 3, 4, 4)
LINEAR = Attention(mask=Causal(), weighting=Kernel(Elu()))
PLACED = Attention(Slopes(torch.ones(3)))

# name: the call, and what the message must begin with.
OTHER_KINDS: dict[str, tuple[Callable[[], Any], str]] = {
    "q in a list": (lambda: LAYER([[1.0]]), "q needs a tensor: got list"),
    "no memory": (lambda: LAYER.recall(X, LAYER.remember(None)), "k needs a tensor: got NoneType"),
    "pads in a list": (lambda: LAYER(X, key_padding_mask=[True]), "key_padding_mask needs a boolean tensor (B, S)"),
    "causal by a mask": (lambda: LAYER(X, causal=Causal()), "causal must be True or False: got Causal()"),
    "a number for a cache": (lambda: LAYER(X, cache=3), "cache must be a Cache: got 3"),
    "a number for a rotation": (lambda: LAYER(X, rotation=3), "rotation must be a Rotation: got 3"),
    "lengths for a packing": (lambda: LAYER(X, packing=(3, 1)), "packing must be a Packing: got (3, 1)"),
    "a stream of another width": (lambda: LAYER(X, add=torch.zeros(12)), "add must be (B, T, 12): got shape (12,)"),
    "groups by name": (lambda: MultiHead(12, 3, num_groups="3"), "num_groups must be a whole number from 1"),
    "q of the function in a list": (lambda: scaled_dot_product_attention([1.0], X, X), "q needs a tensor: got list"),
    "a mask that is none": (lambda: PooledMultiHead(12, 3, 2)(X, mask=3), "mask must be a value"),
    "positions by name": (lambda: PositionedMultiHead(12, "gaussian"), "position must be Gaussian or Tables"),
    "a spread of words": (lambda: Gaussian(3, spread="2"), "spread must be from 0"),
    "axes by a flag": (lambda: Gaussian(3, axes=True), "axes must be one or two: got axes=True"),
    "half a reach": (lambda: Tables(3, reach=(1.5, 2)), "reach must be from 0"),
    "a reach of one number": (lambda: ContentHeads(12, 3, reach=3), "reach is the largest offset"),
    "no buckets": (lambda: Buckets(3, None), "num_buckets must be a whole number from 1"),
    "buckets up to nowhere": (lambda: Buckets(3, most=float("nan")), "most must be a whole number from 1"),
    "waves of no width": (lambda: SinusoidalPositions(None), "width must be a whole number from 2"),
    "turns of no width": (lambda: Rotary("8"), "width must be a whole number from 2"),
    "tokens of another row": (lambda: Packing((5, 1), 4), "a packing takes how many of the 4 tokens"),
    "a packing of nothing": (lambda: Packing((), 4), "a packing takes how many of the 4 tokens"),
    "a negative position": (
        lambda: LearnedPositions(8, 4)(torch.tensor([3, -1])),
        "positions must lie among the 8 that are learned: got -1…3",
    ),
    "positions that are flags": (
        lambda: LearnedPositions(2, 4)(torch.tensor([True])),
        "positions must be whole numbers: got torch.bool",
    ),
    "positions on a grid": (lambda: LearnedPositions(8, 4)(Grid(2, 2)), "positions must be a Sequence"),
    "tokens that are none": (lambda: attend_linear(None, HEADS, HEADS, LINEAR), "q needs a tensor: got NoneType"),
    "a state by a number": (
        lambda: attend_linear(HEADS, HEADS, HEADS, LINEAR, state=3),
        "state must be a LinearState: got 3",
    ),
    "keys for a state in a list": (lambda: STATE.step([1.0], HEADS), "k needs a tensor: got list"),
    "queries for a state in a list": (lambda: STATE.read([1.0]), "q needs a tensor: got list"),
    "a state of nothing": (
        lambda: LinearState.from_tensors(Kernel(Elu()), None),
        "a state is saved as tensors by name",
    ),
    "a state by words": (
        lambda: LinearState.from_tensors(Kernel(Elu()), STATE.tensors() | {"sum_k": "0"}),
        "sum_k needs a tensor: got str",
    ),
    "a type by name": (
        lambda: Cache(2, 3, 4, capacity=8, dtype="float32"),
        "a cache must be floating point: got float32",
    ),
    "keys for a cache in a list": (
        lambda: Cache(2, 3, 4, capacity=8).append([1.0], HEADS, Attention(mask=Causal())),
        "k needs a tensor: got list",
    ),
    "an index of nothing": (lambda: Cache(2, 3, 4, capacity=8).reorder(None), "index must be plain whole numbers"),
    "a count by hand": (lambda: Cache(2, 3, 4, capacity=8).count_by((0, 0)), "count_by needs a tensor: got tuple"),
    "a count of other rows": (
        lambda: Cache(2, 3, 4, capacity=8).count_by(torch.zeros(3).long()),
        "slots must be int64",
    ),
    "tokens to be projected in a list": (
        lambda: attend_projected([1.0], PLACED, torch.zeros(5, 36)),
        "x needs a tensor: got list",
    ),
    "a projection of other heads": (
        lambda: attend_projected(X, PLACED, torch.zeros(5, 24)),
        "weight must be (Co, H·C) with H=3, C=12, and bias (Co,): got (5, 24) and None",
    ),
    "a context by a number": (
        lambda: attend(HEADS, HEADS, HEADS, prepared=Prepared(3)),
        "the context of a Prepared must be a Context: got 3",
    ),
    "tokens to be pooled in a list": (lambda: pool([1.0], Grid(2, 2), 2), "x needs a tensor: got list"),
    "tokens pooled nowhere": (lambda: pool(X, None, 2), "positions must be a Sequence or a Grid: got None"),
    "a mask that is no text": (lambda: parse_mask(3), "a mask must be text: got 3"),
}


@pytest.mark.parametrize("name", OTHER_KINDS)
def test_arguments_of_another_kind(name: str):
    call, message = OTHER_KINDS[name]
    with refused(message) as error:
        call()
    assert str(error.value).startswith(message)


def test_starts_before_the_first_learned_position_count_as_the_first():
    """Rows padded on the left: a negative index would read the last positions."""
    layer = LearnedPositions(8, 4)
    found = layer(Sequence(3, start=torch.tensor([-2, 6])))
    assert found.equal(layer.weight[torch.tensor([[0, 0, 0], [6, 7, 7]])])
