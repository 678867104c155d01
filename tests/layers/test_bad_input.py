"""Every message of the layers, with the offending value in it."""

import re

import pytest
import torch

from regard.layers import MultiHead, Widths, scaled_dot_product_attention

pytestmark = pytest.mark.usefixtures("unhooked")


def refused(message: str):
    return pytest.raises(ValueError, match=re.escape(message))


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
