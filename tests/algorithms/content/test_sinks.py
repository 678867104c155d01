"""Sinks: a logit of each head that takes weight and gives nothing, whatever algorithm computes the rest."""

import json

import pytest
import torch
from torch import Tensor, nn

from regard import Attention, attend, plan, weights
from regard.algorithms.kernels import sdpa_with_sink
from regard.attention import Cache, Causal, Content, Everything, KeyPadding, Mask, Slopes, Softmax, Window
from regard.layers import MultiHead
from tests.algorithms.cases import Case, build
from tests.algorithms.harness import EQUAL, verdicts
from tests.tolerances import near

MASKS = (Everything(), Causal(), Causal() & Window(5))
ALONE = {"banded": "cpu", "packed": "cpu", "tiled": "cuda"}  # where an algorithm runs, if it does not everywhere


def tensors(G: int = 2, device: torch.device | str = "cpu") -> tuple[Tensor, ...]:
    """Q (2,4,12,8), k, v and a sink, which learn."""
    generator = torch.Generator().manual_seed(0)
    made = [torch.randn(2, n, 12, 8, generator=generator) for n in (4, G, G)]
    made.append(torch.randn(4, generator=generator))
    return tuple([x.to(device).requires_grad_() for x in made])


@pytest.mark.parametrize("mask", MASKS, ids=str)
def test_equal_to_the_eager_attention_of_gpt_oss(mask: Mask, device: torch.device):
    """Theirs joins the sink to the logits as one more column, and drops it after the softmax."""
    modeling = pytest.importorskip("transformers.models.gpt_oss.modeling_gpt_oss")
    q, k, v, sink = tensors(device=device)
    module = nn.Module()
    module.num_key_value_groups, module.sinks, module.training = 2, sink, False
    b, h, i, j = (torch.arange(n) for n in (1, 1, 12, 12))
    hidden = torch.zeros(1, 1, 12, 12).masked_fill(~mask.slab(b, h, i, j, Attention().places(12, 12)), -torch.inf)
    theirs, their_map = modeling.eager_attention_forward(module, q, k, v, hidden.to(device), scaling=8**-0.5)
    attention = Attention(mask=mask, weighting=Softmax(sink))
    ours = attend(q, k, v, attention)
    torch.testing.assert_close(ours.transpose(1, 2), theirs, **near(device))
    torch.testing.assert_close(weights(q, k, attention), their_map, **near(device))
    came = torch.randn(ours.shape, generator=torch.Generator().manual_seed(1)).to(device)
    leaves = [q, k, v, sink]
    pairs = [torch.autograd.grad(out, leaves, grad) for out, grad in ((ours, came), (theirs, came.transpose(1, 2)))]
    for mine, other in zip(*pairs, strict=True):
        torch.testing.assert_close(mine, other, **near(device))


@pytest.mark.parametrize("name", ["reference", "packed", "masked", "blockwise", "tiled"])
def test_a_row_that_sees_nothing_gives_zeros_and_the_sink(name: str, device: torch.device):
    if ALONE.get(name, device.type) != device.type or (name == "masked" and device.type == "cuda"):
        pytest.skip("the algorithm gives no log-sum-exp there")
    q, k, v, sink = tensors(device=device)
    attention = Attention(mask=KeyPadding([5, 0]), weighting=Softmax(sink))
    out, lse = attend(q, k, v, attention, algorithm=name, return_lse=True)
    assert (out[1] == 0).all()
    torch.testing.assert_close(lse[1], sink[:, None].expand(4, 12))
    (grad,) = torch.autograd.grad(lse[1].sum(), sink)
    torch.testing.assert_close(grad, torch.full((4,), 12.0, device=device))
    (grad,) = torch.autograd.grad(attend(q, k, v, attention, algorithm=name)[1].sum(), sink)
    assert (grad == 0).all()


def test_a_sink_of_minus_infinity_takes_nothing():
    """Heads without a sink beside heads with one, in rows that see nothing too."""
    q, k, v, sink = tensors()
    none = sink.detach().clone()
    none[1:3] = -torch.inf
    none.requires_grad_()
    plain, joined = Attention(mask=KeyPadding([5, 0])), Attention(mask=KeyPadding([5, 0]), weighting=Softmax(none))
    expected = attend(q, k, v, plain, return_lse=True)
    for name in ("reference", "masked"):
        found = attend(q, k, v, joined, algorithm=name, return_lse=True)
        for got, exact in zip(found, expected, strict=True):
            torch.testing.assert_close(got[:, 1:3], exact[:, 1:3])
        grads = torch.autograd.grad([found[0].sum(), found[1][0].sum()], [q, k, v, none])
        assert all(grad.isfinite().all() for grad in grads)
        assert (grads[3][1:3] == 0).all()


def test_gradients_that_a_share_of_nearly_one_would_round_away(device: torch.device):
    """With a sink far below the logits its gradient is exp(−30): 1 − σ would be 0 in float32."""
    q, k, v, _ = tensors(device=device)
    sink = torch.full((4,), -30.0, device=device, requires_grad=True)
    found = torch.autograd.grad(attend(q, k, v, Attention(weighting=Softmax(sink))).square().sum(), sink)[0]
    wide = [x.detach().double().requires_grad_() for x in (q, k, v, sink)]
    out = attend(*wide[:3], Attention(weighting=Softmax(wide[3])), algorithm="reference")
    torch.testing.assert_close(found.double(), torch.autograd.grad(out.square().sum(), wide[3])[0], rtol=1e-5, atol=0)


def test_a_plan_says_that_the_log_sum_exp_is_for_the_sink():
    q, k, v, sink = tensors()
    made = plan(q, k, v, Attention(mask=Causal(), weighting=Softmax(sink)))
    assert "weighting=Softmax(sink=float32[4])" in json.loads(made.json())["attention"]
    assert "log-sum-exp for the sink" in " ".join(str(made).split())
    plain = plan(q, k, v, Attention(mask=Causal()))
    for name in ("fused", "masked", "blockwise", "reference"):
        with_sink, without = (next(one.cost for one in found.candidates if one.name == name) for found in (made, plain))
        assert with_sink is not None
        assert without is not None
        assert with_sink.flops == without.flops
        assert with_sink.bytes > without.bytes


def test_dropout_acts_on_the_weights():
    """With values that are unit vectors the output is the map: each weight is dropped, or stands for two."""
    q, k, _, sink = tensors(G=4)
    attention = Attention(weighting=Softmax(sink))
    torch.manual_seed(0)
    got = attend(q, k, torch.eye(12).expand(2, 4, 12, 12), attention, dropout=0.5)
    kept = got != 0
    assert 0.4 < kept.float().mean() < 0.6
    torch.testing.assert_close(got[kept], 2 * weights(q, k, attention)[kept])


@pytest.mark.parametrize("scores", [Content(), Content() + Slopes(torch.tensor([0.1, 0.2, 0.3, 0.4]))], ids=str)
@pytest.mark.parametrize("mask", [Causal(), Causal() & Window(4)], ids=str)
def test_one_token_at_a_time(scores: Content, mask: Mask, device: torch.device):
    q, k, v, sink = (x.detach() for x in tensors(device=device))
    attention = Attention(scores, mask, Softmax(sink)).on(device)
    cache = Cache(2, 2, 8, 8, capacity=12, device=device)
    steps = [
        attend(q[:, :, t : t + 1], *cache.append(k[:, :, t : t + 1], v[:, :, t : t + 1], attention)) for t in range(12)
    ]
    torch.testing.assert_close(torch.cat(steps, 2), attend(q, k, v, attention), **near(device))


def test_a_layer_learns_its_sink_and_keeps_it():
    sink = nn.Parameter(torch.zeros(4))
    layer = MultiHead(16, 4, weighting=Softmax(sink))
    assert dict(layer.named_parameters())["weighting_0"] is sink
    x = torch.randn(2, 6, 16)
    layer(x, causal=True).square().sum().backward()
    assert sink.grad is not None
    assert (sink.grad != 0).all()
    other = MultiHead(16, 4, weighting=Softmax(nn.Parameter(torch.ones(4))))
    assert not torch.equal(other(x), layer(x))
    other.load_state_dict(layer.state_dict())
    assert torch.equal(other(x), layer(x))
    assert (layer.weights(x).sum(-1) < 1).all()


@pytest.mark.compiled
@pytest.mark.parametrize("mask", [Causal(), Causal() & Window(5)], ids=str)
def test_one_graph_with_gradients(mask: Mask):
    q, k, v, sink = tensors()

    def call(q: Tensor, k: Tensor, v: Tensor, sink: Tensor) -> Tensor:
        return attend(q, k, v, Attention(mask=mask, weighting=Softmax(sink)))

    torch.compiler.reset()
    results = []
    for function in (call, torch.compile(call, fullgraph=True, backend="aot_eager")):
        out = function(q, k, v, sink)
        results.append([out, *torch.autograd.grad(out.square().sum(), [q, k, v, sink])])
    for got, exact in zip(*results, strict=True):
        torch.testing.assert_close(got, exact, rtol=0, atol=2e-5)


RUNS = {
    "fused": Case(mask="causal", weighting="sink", shape="grouped heads"),
    "banded": Case(mask="causal window", weighting="sink"),
    "packed": Case(mask="causal lengths", weighting="sink", dtype="bfloat16"),
    "masked": Case(mask="dense per row and head", weighting="sink"),
    "blockwise": Case(mask="not both", weighting="sink", scores="bias and slopes"),
    "partitioned": Case(mask="blocks", weighting="sink"),
    "merged": Case(mask="window or strided", weighting="sink"),
    "separable": Case(scores="gaussian alone", positions="grid", weighting="sink"),
    "shared": Case(scores="full gaussian alone", positions="grid", weighting="sink"),
    "convolution": Case(scores="bounded table alone", positions="grid", weighting="sink"),
    "toeplitz": Case(scores="bounded table alone", positions="grid", weighting="sink"),
    "tiled": Case(mask="causal window", weighting="sink", dtype="bfloat16"),
}


@pytest.mark.parametrize("name", RUNS)
def test_what_gives_a_log_sum_exp_takes_a_sink(name: str, device: torch.device):
    if ALONE.get(name, device.type) != device.type:
        pytest.skip(f"{name} runs on {ALONE[name]}")
    assert verdicts(build(RUNS[name], device), [name]) == {name: EQUAL}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Softmax([0.0, 1.0]), "sink needs a tensor: got list; use torch.tensor"),  # pyright: ignore[reportArgumentType]
        (lambda: Softmax(torch.tensor([1, 2])), "sink must be floating point: got torch.int64; use sink.float()"),
    ],
)
@pytest.mark.usefixtures("unhooked")
def test_bad_sinks(make, message: str):
    with pytest.raises(ValueError, match="sink") as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("sink", "message"),
    [
        (torch.zeros(3), "Softmax needs one sink per head: got shape (3,) for H=4; use torch.zeros(4)"),
        (torch.zeros(()), "Softmax needs one sink per head: got shape () for H=4; use torch.zeros(4)"),
        (torch.zeros(4).double(), "score terms, features and sinks may be at most torch.float32"),
    ],
)
@pytest.mark.usefixtures("unhooked")
def test_sinks_that_do_not_fit(sink: Tensor, message: str):
    q, k, v, _ = tensors()
    for call in (
        lambda: attend(q, k, v, Attention(weighting=Softmax(sink))),
        lambda: weights(q, k, Attention(weighting=Softmax(sink))),
    ):
        with pytest.raises(ValueError, match="sink") as caught:
            call()
        assert message in str(caught.value)


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch.*", "ignore::UserWarning:torch.*")
def test_the_operator_keeps_its_promises_to_the_compiler():
    q, k, v, sink = tensors()
    torch.library.opcheck(sdpa_with_sink._operator, (q, k, v, None, sink, "cpu", 0.3, True))


@pytest.mark.parametrize("algorithm", [None, "fused", "masked"])
def test_a_second_derivative_is_refused_with_advice(algorithm: str | None):
    q, k, v, sink = tensors()
    mask = Everything() if algorithm == "fused" else Causal()
    out = attend(q, k, v, Attention(mask=mask, weighting=Softmax(sink)), algorithm=algorithm)
    (grad,) = torch.autograd.grad(out.sum(), [q], create_graph=True)
    with pytest.raises(RuntimeError, match="no second derivative; use algorithm='reference'"):
        grad.sum().backward()
