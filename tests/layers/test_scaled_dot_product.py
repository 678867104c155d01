"""The course document's function (eecs.1): equal where the printed one is right, right where it is not."""

import inspect
import math

import pytest
import torch
from torch import Tensor

from regard.layers import scaled_dot_product_attention


def printed(q: Tensor, k: Tensor, v: Tensor, key_padding_mask: Tensor | None = None, causal: bool = False) -> Tensor:
    """The document's function as it prints it."""
    logits = q @ k.transpose(1, 2)
    logits = logits / math.sqrt(q.shape[-1])
    if key_padding_mask is not None:
        logits = logits.masked_fill(key_padding_mask[:, None, :], -torch.inf)
    if causal:
        above = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool).triu(1)
        logits = logits.masked_fill(above, -torch.inf)
    return torch.softmax(logits, -1, dtype=torch.float32).to(q.dtype) @ v


def test_the_signature_is_the_document_s():
    assert (
        inspect.signature(scaled_dot_product_attention).parameters.keys()
        == inspect.signature(printed).parameters.keys()
    )


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("padded", [False, True])
def test_it_equals_the_printed_one_where_that_is_right(causal: bool, padded: bool):
    q, k, v = torch.randn(2, 5, 8), torch.randn(2, 5, 8), torch.randn(2, 5, 3)
    pad = torch.tensor([[False] * 5, [False] * 3 + [True] * 2]) if padded else None
    inputs = [x.requires_grad_() for x in (q, k, v)]
    ours = scaled_dot_product_attention(q, k, v, pad, causal)
    theirs = printed(q, k, v, pad, causal)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)
    for mine, their in zip(
        torch.autograd.grad(ours.square().sum(), inputs),
        torch.autograd.grad(theirs.square().sum(), inputs),
        strict=True,
    ):
        torch.testing.assert_close(mine, their, rtol=1e-5, atol=1e-5)


def test_queries_and_keys_may_differ_in_number():
    q, k, v = torch.randn(2, 3, 8), torch.randn(2, 7, 8), torch.randn(2, 7, 4)
    torch.testing.assert_close(scaled_dot_product_attention(q, k, v), printed(q, k, v), rtol=1e-5, atol=1e-6)


def test_an_empty_row_is_zero_where_the_printed_one_is_nan():
    x = torch.randn(2, 4, 8, requires_grad=True)
    pad = torch.tensor([[False] * 4, [True] * 4])
    assert printed(x, x, x, pad)[1].isnan().all()
    y = scaled_dot_product_attention(x, x, x, pad)
    assert (y[1] == 0).all()
    (gradient,) = torch.autograd.grad(y.sum(), x)
    assert gradient.isfinite().all()
    assert (gradient[1] == 0).all()


def test_one_cached_query_sees_everything_where_the_printed_one_sees_the_first_key():
    q, k, v = torch.randn(2, 1, 8), torch.randn(2, 6, 8), torch.randn(2, 6, 8)
    assert torch.equal(printed(q, k, v, causal=True), v[:, :1])
    torch.testing.assert_close(scaled_dot_product_attention(q, k, v, causal=True), printed(q, k, v))


def test_the_last_queries_of_a_causal_sequence_may_come_alone():
    x = torch.randn(2, 6, 8)
    whole = scaled_dot_product_attention(x, x, x, causal=True)
    torch.testing.assert_close(scaled_dot_product_attention(x[:, 4:], x, x, causal=True), whole[:, 4:])


def test_half_precision_does_not_overflow_where_the_printed_one_does():
    q = torch.full((1, 2, 64), 40.0, dtype=torch.float16)  # q·k = 102 400 > 65 504, but 12 800 after the division
    v = torch.randn(1, 2, 64).half()
    assert printed(q, q, v).isnan().all()
    torch.testing.assert_close(scaled_dot_product_attention(q, q, v), v.mean(1, keepdim=True).expand(1, 2, 64))


def test_float64_stays_float64_where_the_printed_one_is_rounded_to_float32():
    q, k, v = torch.randn(3, 2, 5, 8, dtype=torch.float64)
    exact = torch.softmax(q @ k.mT / math.sqrt(8), -1) @ v
    assert (printed(q, k, v) - exact).abs().max() > 1e-9
    torch.testing.assert_close(scaled_dot_product_attention(q, k, v), exact, rtol=1e-13, atol=1e-14)
