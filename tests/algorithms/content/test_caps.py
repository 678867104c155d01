"""Soft caps: the scaled product of query and key bent to stay within ±c, before the mask and other terms."""

import pytest
import torch
from torch import Tensor, nn

from regard import Attention, attend, plan, weights
from regard.algorithms import Refused
from regard.attention import (
    Cache,
    Causal,
    Content,
    Elu,
    Everything,
    Kernel,
    Mask,
    Padding,
    Places,
    Sequence,
    Slopes,
    Softmax,
    Window,
)
from regard.attention.notation import parse_scores
from regard.layers import MultiHead
from regard.models import BlockConfig
from regard.models.block import Mechanism
from tests.algorithms.cases import Case, build
from tests.algorithms.harness import EQUAL, verdicts
from tests.tolerances import near

TAKES = {"reference", "blockwise", "packed", "partitioned", "merged"}


def tensors(device: torch.device | str = "cpu") -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, heads, 12, 8, generator=generator).to(device).requires_grad_() for heads in (4, 2, 2))
    return q, k, v


@pytest.mark.parametrize("mask", [Everything(), Causal(), Causal() & Window(5)], ids=str)
def test_equal_to_the_eager_attention_of_gemma_2(mask: Mask, device: torch.device):
    modeling = pytest.importorskip("transformers.models.gemma2.modeling_gemma2")
    q, k, v = tensors(device)
    module = nn.Module()
    module.num_key_value_groups = 2
    module.eval()
    b, h, i, j = (torch.arange(n) for n in (1, 1, 12, 12))
    hidden = torch.zeros(1, 1, 12, 12).masked_fill(~mask.slab(b, h, i, j, Attention().places(12, 12)), -torch.inf)
    theirs, their_map = modeling.eager_attention_forward(module, q, k, v, hidden.to(device), scaling=0.7, softcap=1.5)
    attention = Attention(Content(0.7, cap=1.5), mask)
    ours = attend(q, k, v, attention)
    torch.testing.assert_close(ours.transpose(1, 2), theirs, **near(device))
    torch.testing.assert_close(weights(q, k, attention), their_map, **near(device))
    came = torch.randn(ours.shape, generator=torch.Generator().manual_seed(1)).to(device)
    pairs = [torch.autograd.grad(out, [q, k, v], grad) for out, grad in ((ours, came), (theirs, came.transpose(1, 2)))]
    for mine, other in zip(*pairs, strict=True):
        torch.testing.assert_close(mine, other, **near(device))


RUNS = {
    "blockwise": Case(scores="cap and bias", mask="causal window", shape="grouped heads"),
    "packed": Case(scores="cap", mask="causal lengths", dtype="bfloat16"),
    "partitioned": Case(scores="cap", mask="blocks", weighting="sink"),
    "merged": Case(scores="cap", mask="window or strided"),
}


@pytest.mark.parametrize("name", RUNS)
def test_equal_where_it_is_computed(name: str, device: torch.device):
    if name == "packed" and device.type == "cuda":
        pytest.skip("packed runs on the CPU")
    assert verdicts(build(RUNS[name], device), [name]) == {name: EQUAL}


@pytest.mark.parametrize("device", ["cpu", "h200"])
def test_refused_with_a_reason_elsewhere(device: str):
    q, k, v = tensors()
    for mask in (Everything(), Causal(), Causal() & Window(3), Padding([5, 12])):
        for candidate in plan(q, k, v, Attention(Content(cap=5), mask), device=device).candidates:
            assert candidate.name in TAKES or candidate.refusal is not None
    with pytest.raises(Refused, match="algorithm 'fused' refuses: has no soft cap"):
        attend(q, k, v, Attention(Content(cap=5)), algorithm="fused")


def test_a_cap_far_above_the_scores_changes_nothing():
    q, k, v = tensors()
    for name in ("reference", "blockwise"):
        capped = attend(q, k, v, Attention(Content(cap=1e6), Causal()), algorithm=name)
        torch.testing.assert_close(capped, attend(q, k, v, Attention(mask=Causal())), rtol=0, atol=1e-6)


def test_a_map_of_many_tokens_is_capped_too():
    """Which has a quicker way, without a cap."""
    q, k = torch.randn(2, 1, 2, 300, 8).unbind(0)
    with torch.no_grad():
        found = weights(q, k, Attention(Content(cap=0.1)))
    assert float((found.amax(-1) / found.amin(-1)).max()) < 1.2215  # exp(2·0.1)


def test_dropout_under_a_cap():
    q, k, _ = tensors()
    attention, eye = Attention(Content(cap=0.5)), torch.eye(12).expand(2, 2, 12, 12)
    torch.manual_seed(0)
    got = attend(q, k, eye, attention, dropout=0.5, algorithm="blockwise")
    kept = got != 0
    assert 0.4 < kept.float().mean() < 0.6
    torch.testing.assert_close(got[kept], 2 * weights(q, k, attention)[kept], rtol=1e-3, atol=1e-4)


def test_one_token_at_a_time(device: torch.device):
    q, k, v = (x.detach() for x in tensors(device))
    attention = Attention(Content(cap=0.7) + Slopes.geometric(4), Causal(), Softmax(torch.zeros(4))).on(device)
    cache = Cache(2, 2, 8, 8, capacity=12, device=device)
    steps = [
        attend(q[:, :, t : t + 1], *cache.append(k[:, :, t : t + 1], v[:, :, t : t + 1], attention)) for t in range(12)
    ]
    torch.testing.assert_close(torch.cat(steps, 2), attend(q, k, v, attention), **near(device))


def test_a_layer_and_a_block_are_capped():
    layer, x = MultiHead(16, 4, beta=Content(2.0, cap=0.25)), torch.randn(2, 6, 16)
    assert layer.beta == 2.0
    assert "beta=2.0, cap=0.25" in repr(layer)
    shares = layer.weights(x).detach()
    assert float((shares.amax(-1) / shares.amin(-1)).max()) < 1.65  # exp(2·0.25)
    block = BlockConfig(width=16, num_heads=4, mechanism=Mechanism(cap=30.0, sink=True)).attention(0.0)
    assert block.content.cap == 30.0
    assert block.weighting is not None
    assert "Softmax(sink=float32[4])" in repr(block)


@pytest.mark.compiled
def test_one_graph_with_gradients():
    q, k, v = tensors()

    def call(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return attend(q, k, v, Attention(Content(cap=0.5), Causal()), algorithm="blockwise")

    torch.compiler.reset()
    results = []
    for function in (call, torch.compile(call, fullgraph=True, backend="aot_eager")):
        out = function(q, k, v)
        results.append([out, *torch.autograd.grad(out.square().sum(), [q, k, v])])
    for got, exact in zip(*results, strict=True):
        torch.testing.assert_close(got, exact, rtol=0, atol=2e-5)


def test_a_cap_in_words():
    places = Places(Sequence(4), Sequence(4))
    assert repr(parse_scores("content(cap=50)", 8, places)) == "Content(beta=None, cap=50)"
    assert repr(parse_scores("content(0.3, cap=5.5) + slopes", 8)) == "Content(beta=0.3, cap=5.5) + Slopes(float32[8])"


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize(
    ("cap", "message"),
    [
        (0, "cap must be positive and finite: got cap=0; leave it out for none"),
        (-1.5, "cap must be positive and finite: got cap=-1.5"),
        (float("inf"), "cap must be positive and finite: got cap=inf"),
        ("5", "cap must be a plain number: got '5'; use float(cap)"),
    ],
)
def test_bad_caps(cap, message: str):
    with pytest.raises(ValueError, match="cap") as caught:
        Content(cap=cap)
    assert message in str(caught.value)


def test_linear_attention_has_no_cap():
    q, k, v = tensors()
    with pytest.raises(ValueError, match=r"has no logits to cap: got Content\(beta=None, cap=5\); leave the cap out"):
        attend(q, k, v, Attention(Content(cap=5), weighting=Kernel(Elu())))
