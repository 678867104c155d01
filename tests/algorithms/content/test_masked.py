"""The mask as a tensor: what sees nothing, what nobody sees, and terms of rows that start at places of their own."""

import pytest
import torch

from regard import attend, plan
from regard.algorithms import Refused
from regard.attention import Attention, Bias, Causal, Content, Dense, Everything, KeyPadding, RelativeTable, Sequence
from regard.attention.eager import are_moderate
from regard.attention.reference import reference


@pytest.mark.parametrize("algorithm", ["masked", "blockwise"])
@pytest.mark.parametrize("hidden", [torch.nan, -torch.inf, 1e300, 1e30, 2.0])
def test_what_sees_nothing_or_is_not_seen_reaches_nothing(hidden: float, algorithm: str):
    """One row of the map is empty and one key is seen by nobody; other rows and keys are used by all."""
    allowed = torch.ones(5, 5, dtype=torch.bool)
    allowed[1], allowed[:, 3] = False, False
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, 2, 5, 4, generator=generator, dtype=torch.float64) for _ in range(3))
    q[:, :, 1], k[:, :, 3], v[:, :, 3] = hidden, hidden, hidden
    leaves = [x.requires_grad_() for x in (q, k, v)]
    value = Attention(mask=Dense(allowed))
    out, expected = attend(q, k, v, value, algorithm=algorithm), reference(q, k, v, value)[0]
    torch.testing.assert_close(out, expected)
    assert bool((out[:, :, 1] == 0).all())
    grad = torch.randn(out.shape, generator=generator, dtype=out.dtype)
    found, wanted = (torch.autograd.grad(x, leaves, grad) for x in (out, expected))
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other)


def test_terms_of_rows_that_start_at_places_of_their_own():
    generator = torch.Generator().manual_seed(0)
    q = torch.randn(3, 2, 2, 4, generator=generator, dtype=torch.float64)
    k, v = (torch.randn(3, 2, 6, 4, generator=generator, dtype=torch.float64) for _ in range(2))
    value = Attention(
        Content() + RelativeTable(torch.randn(2, 21, generator=generator)),
        Causal(),
        queries=Sequence(2, start=torch.tensor([4, 0, 2])),
    )
    out = attend(q, k, v, value, algorithm="masked")
    torch.testing.assert_close(out, reference(q, k, v, value)[0])


@pytest.mark.parametrize("mask", [Everything(), Causal()], ids=str)
def test_a_bias_in_the_type_of_q_is_added_as_it_is(mask, device):
    """Of a kernel that rounded the logits, whose steps are of 1/2 here, the output would be off by a tenth."""
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, 3, 40, 16, generator=generator).bfloat16() for _ in range(3))
    bias = (64 + torch.randn(1, 3, 40, 40, generator=generator)).bfloat16()
    q, k, v, bias = (x.to(device) for x in (q, k, v, bias))
    out = attend(q, k, v, Attention(Content() + Bias(bias), mask), algorithm="masked")
    exact = reference(*[x.double() for x in (q, k, v)], Attention(Content() + Bias(bias.double()), mask))[0]
    torch.testing.assert_close(out.double(), exact, rtol=2**-7, atol=2**-8)
    with pytest.raises(Refused, match="would round score terms to half precision"):
        attend(q, k, v, Attention(Content() + Bias(bias.float()), mask), algorithm="masked")


def test_on_a_gpu_a_bias_in_the_type_of_q_learns():
    """As T5's do; on the CPU, and of other terms, the kernel gives no gradient."""
    q, k, v = (torch.empty(8, 12, 512, 64, device="meta", dtype=torch.bfloat16) for _ in range(3))
    bias = torch.empty(1, 12, 512, 512, device="meta", dtype=torch.bfloat16, requires_grad=True)
    attention = Attention(Content() + Bias(bias), Causal())
    assert plan(q, k, v, attention, device="h200").chosen == "masked"
    (masked,) = [one for one in plan(q, k, v, attention, device="cpu").candidates if one.name == "masked"]
    assert "gives no gradient to score terms" in (masked.refusal or "")
    wide = Attention(Content() + Bias(torch.empty(1, 12, 1024, 1024, device="meta", dtype=q.dtype, requires_grad=True)))
    large = [torch.empty(64, 12, 1024, 64, device="meta", dtype=q.dtype) for _ in range(3)]
    (masked,) = [one for one in plan(*large, wide, device="h200").candidates if one.name == "masked"]
    assert masked.refusal == "would hold a gradient of more than 1 GB"


@pytest.mark.cpu
@pytest.mark.parametrize("return_lse", [False, True])
@pytest.mark.parametrize(("dtype", "large"), [(torch.bfloat16, 1e5), (torch.float32, 1e5), (torch.float64, 1e13)])
def test_large_numbers_of_a_query_that_sees_nothing_reach_nothing(dtype: torch.dtype, large: float, return_lse: bool):
    """Going back, exp(logit − log-sum-exp) is ∞ where both are large and rounded apart; 0 · ∞ is no number."""
    generator = torch.Generator().manual_seed(0)
    leaves = [torch.randn(1, 1, n, 16, generator=generator, dtype=torch.float64) for n in (33, 40, 40)]
    leaves = [(large * x).to(dtype).requires_grad_() for x in leaves]
    value = Attention(Content(0.3), KeyPadding(torch.tensor([0])))
    outs = attend(*leaves, value, algorithm="masked", return_lse=return_lse)
    outs = outs if isinstance(outs, tuple) else (outs,)
    for found in torch.autograd.grad(outs, leaves, [torch.ones_like(out) for out in outs]):
        assert bool((found == 0).all())


@pytest.mark.cpu
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_numbers_are_moderate_where_a_weight_of_zero_hides_them(dtype):
    x = torch.randn(3, 4, generator=torch.Generator().manual_seed(0)).to(dtype)
    assert are_moderate(x, x.mT)
    for hidden in (torch.nan, torch.inf, -torch.inf, *([] if dtype == torch.float16 else [1e16])):
        y = x.clone()
        y[1, 2] = hidden
        assert not are_moderate(x, y)
    x[0, 0], x[1, 1] = torch.inf, -torch.inf
    assert not are_moderate(x)
