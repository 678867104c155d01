"""The loss by parts is torch's own of whole scores, in value, gradient and guess, and holds no whole scores."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from regard.models import (
    BlockConfig,
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    Output,
    Recurrent,
    RecurrentConfig,
)
from regard.models import cross_entropy as module
from regard.models.cross_entropy import IGNORED, score_words
from tests.tolerances import ALLOWANCES, ROUNDINGS, Results

N, C, V = 37, 24, 101


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of eight tokens, so that there are five."""
    monkeypatch.setattr(module, "HELD", 8 * V)
    monkeypatch.setattr(module, "LEAST", 1)


def made(dtype: torch.dtype, ignored: bool = True) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    hidden, weight, bias = (torch.randn(*size, generator=generator).to(dtype) for size in ((N, C), (V, C), (V,)))
    targets = torch.randint(V, (N,), generator=generator)
    return hidden, weight, bias, targets.masked_fill(torch.arange(N) % 4 == 0, IGNORED) if ignored else targets


def whole(hidden: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None, smoothing: float) -> Tensor:
    logits = linear(hidden, weight, bias)
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return cross_entropy(logits, targets, ignore_index=IGNORED, label_smoothing=smoothing)


def ours(hidden: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None, smoothing: float) -> Tensor:
    return score_words(hidden, weight, targets, bias, smoothing=smoothing).loss


def results(loss: Callable[..., Tensor], parts: Any, dtype: torch.dtype, smoothing: float, biased: bool) -> Results:
    hidden, weight, bias, targets = parts
    learnt = [x.to(dtype).detach().requires_grad_() for x in (hidden, weight, bias)[: 3 if biased else 2]]
    found = loss(learnt[0], learnt[1], targets, learnt[2] if biased else None, smoothing)
    grads = torch.autograd.grad(100 * found, learnt)  # of size 1, not of 1/N
    names = ("hidden", "weight", "bias")
    return {"loss": found.detach()} | {f"gradient of {n}": g for n, g in zip(names, grads, strict=False)}


def off(got: Results, own: Results, exact: Results) -> list[str]:
    """What is further from float64 than torch's own in this type, but for a few roundings of float32 sums."""
    found = []
    for name, x in exact.items():
        assert got[name].dtype == own[name].dtype
        dtype = got["gradient of hidden"].dtype
        error, least = ((y[name].double() - x).abs().max().item() for y in (got, own))
        rounding = torch.finfo(torch.promote_types(dtype, torch.float32)).eps * x.abs().max().item()
        if error > ALLOWANCES[dtype].largest * least + ROUNDINGS * rounding:
            found.append(f"{name}: {error:.3g}, torch's own {least:.3g}")
    return found


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("ignored", [False, True])
def test_it_is_torchs_own(dtype: torch.dtype, smoothing: float, biased: bool, ignored: bool):
    parts = made(dtype, ignored)
    exact = results(whole, parts, torch.float64, smoothing, biased)
    own, got = (results(loss, parts, dtype, smoothing, biased) for loss in (whole, ours))
    assert off(got, own, exact) == []


@pytest.mark.parametrize(
    ("dtype", "smoothing", "biased", "scores"),
    [(torch.float32, 0.0, False, 8), (torch.bfloat16, 0.1, True, 8), (torch.float16, 0.1, False, 1)],
)
def test_by_the_kernel_it_is_too(
    dtype: torch.dtype, smoothing: float, biased: bool, scores: int, monkeypatch: pytest.MonkeyPatch
):
    """In Triton's interpreter, rows that its threads have at once, and in several goes."""
    words = pytest.importorskip("regard.algorithms.kernels.tokens.words", reason="needs Triton")
    monkeypatch.setattr(words, "EIGHT", scores)
    monkeypatch.setattr(words, "WARPS", 1)
    monkeypatch.setattr(module, "_kernel", lambda x, V: (words.judge, -V % words.MULTIPLE))
    parts = made(dtype)
    exact = results(whole, parts, torch.float64, smoothing, biased)
    own, got = (results(loss, parts, dtype, smoothing, biased) for loss in (whole, ours))
    assert off(got, own, exact) == []
    hidden, weight, bias, targets = parts
    found = score_words(hidden, weight, targets, bias if biased else None)
    logits = linear(hidden, weight, bias if biased else None)
    assert found.guesses.equal(logits.argmax(1).where(targets != IGNORED, -1))
    targets[1] = V
    monkeypatch.setattr(module, "readable", lambda x: False)  # as on a GPU, where targets are not looked at
    assert score_words(hidden, weight, targets).loss.isnan()


@pytest.mark.parametrize("wrong", ["smoothing", "ignored", "factor"])
def test_a_wrong_one_would_be_caught(wrong: str):
    def broken(hidden: Tensor, weight: Tensor, targets: Tensor, bias: Tensor | None, smoothing: float) -> Tensor:
        if wrong == "ignored":
            return ours(hidden, weight, targets.where(targets != IGNORED, 0), bias, smoothing)
        return ours(hidden, weight, targets, bias, 0.0 if wrong == "smoothing" else smoothing) * (
            0.99 if wrong == "factor" else 1.0
        )

    parts = made(torch.float32)
    exact = results(whole, parts, torch.float64, 0.1, True)
    own, got = (results(loss, parts, torch.float32, 0.1, True) for loss in (whole, broken))
    assert off(got, own, exact)


def test_nats_and_guesses_of_each():
    hidden, weight, bias, targets = made(torch.float64)
    found = score_words(hidden[None], weight, targets[None], bias, smoothing=0.3)
    logits, real = linear(hidden, weight, bias), targets != IGNORED
    nats = cross_entropy(logits, targets, ignore_index=IGNORED, reduction="none")
    torch.testing.assert_close(found.nats, nats[None])
    assert found.guesses.equal(logits.argmax(1).where(real, -1)[None])
    assert not found.nats.requires_grad
    assert score_words(hidden, weight, torch.full((N,), IGNORED)).loss.isnan(), "as torch's own"


def test_what_is_summed_in_float32():
    """A part whose gradient is below half a unit of the sum so far is lost in bfloat16, and there are many."""
    weight = torch.zeros(V, C, dtype=torch.bfloat16, requires_grad=True)
    hidden, targets = torch.ones(4096, C, dtype=torch.bfloat16), torch.zeros(4096, dtype=torch.long)
    score_words(hidden, weight, targets).loss.backward()
    assert weight.grad is not None
    assert weight.grad.dtype == torch.bfloat16
    assert weight.grad[0, 0].item() == pytest.approx(1 / V - 1, rel=2**-8)
    assert weight.grad[1, 0].item() == pytest.approx(1 / V, rel=2**-8)


def test_under_autocast_products_are_bfloat16_and_gradients_of_the_weight_float32():
    hidden, weight, bias, targets = made(torch.float32)
    weight.requires_grad_()
    hidden.requires_grad_()
    with torch.autocast("cpu", torch.bfloat16):
        found = score_words(hidden, weight, targets, bias).loss
    found.backward()
    exact = ours(hidden.double(), weight.double(), targets, bias.double(), 0.0)
    assert found.dtype == torch.float32
    assert weight.grad is not None
    assert weight.grad.dtype == hidden.grad.dtype == torch.float32  # pyright: ignore[reportOptionalMemberAccess]
    assert found.item() == pytest.approx(exact.item(), rel=2**-8)
    assert found.item() != pytest.approx(exact.item(), rel=1e-6), "computed in float32"


def test_only_what_learns_has_a_gradient_and_it_may_be_asked_for_twice():
    hidden, weight, bias, targets = made(torch.float64)
    assert not score_words(hidden, weight, targets).loss.requires_grad
    bias.requires_grad_()
    found = score_words(hidden, weight, targets, bias).loss
    found.backward(retain_graph=True)
    once = bias.grad.clone()  # pyright: ignore[reportOptionalMemberAccess]
    found.backward()
    torch.testing.assert_close(bias.grad, 2 * once)
    with torch.no_grad():
        assert not score_words(hidden, weight, targets, bias).loss.requires_grad


def test_a_second_derivative_raises():
    hidden, weight, _, targets = made(torch.float64)
    hidden.requires_grad_()
    (grad,) = torch.autograd.grad(score_words(hidden, weight, targets).loss, hidden, create_graph=True)
    with pytest.raises(RuntimeError, match="no second derivative"):
        grad.sum().backward()


def test_transforms_take_the_definition():
    hidden, weight, bias, targets = made(torch.float64)
    got = torch.func.grad(lambda w: ours(hidden, w, targets, bias, 0.1))(weight)
    torch.testing.assert_close(got, torch.func.grad(lambda w: whole(hidden, w, targets, bias, 0.1))(weight))


class Largest(TorchDispatchMode):
    """The most numbers of a tensor that any operation makes."""

    most = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        self.most = max([self.most, *[x.numel() for x in tree_leaves(out) if isinstance(x, Tensor)]])
        return out


@pytest.mark.parametrize("part", [8, 16])
def test_no_whole_scores_are_held(part: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "HELD", part * V)
    hidden, weight, bias, targets = (torch.cat([x] * 10) if x.shape[0] == N else x for x in made(torch.float32))
    sizes = {}
    for name, loss in (("whole", whole), ("ours", ours)):
        learnt = [x.clone().requires_grad_() for x in (hidden, weight, bias)]
        with Largest() as mode:
            loss(learnt[0], learnt[1], targets, learnt[2], 0.0).backward()
        sizes[name] = mode.most
    assert sizes["whole"] == 10 * N * V
    assert sizes["ours"] <= max(part * V, 10 * N * C, V * C)


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # torch's compiler warns of torch
@pytest.mark.filterwarnings("ignore:`torch._prims_common:FutureWarning")
def test_compiled_it_is_the_same():
    parts = made(torch.float32)
    compiled = torch.compile(ours, fullgraph=True, backend="aot_eager")
    for smoothing, biased in ((0.0, False), (0.1, True)):
        want, got = (results(loss, parts, torch.float32, smoothing, biased) for loss in (ours, compiled))
        torch.testing.assert_close(got, want)
    with torch.no_grad():
        torch.testing.assert_close(compiled(*parts[:2], parts[3], None, 0.0), ours(*parts[:2], parts[3], None, 0.0))


BLOCK = BlockConfig(width=16, num_heads=2)
MODELS: dict[str, Callable[[], nn.Module]] = {
    "decoder": lambda: Decoder(DecoderConfig(vocabulary=V, depth=1, block=BLOCK)),
    "decoder with a head": lambda: Decoder(DecoderConfig(vocabulary=V, depth=1, block=BLOCK, tied=False)),
    "encoder": lambda: Encoder(EncoderConfig(vocabulary=V, depth=1, block=BLOCK, heads=("words",))),
    "encoder-decoder": lambda: EncoderDecoder(EncoderDecoderConfig(vocabulary=V, depth=1, block=BLOCK)),
    "recurrent": lambda: Recurrent(RecurrentConfig(vocabulary=V, width=8, hidden=16)),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_give_the_loss_of_their_scores(name: str):
    torch.manual_seed(0)
    model, two = MODELS[name]().double(), name in ("encoder-decoder", "recurrent")
    tokens, targets = torch.randint(V, (2, 3, 7))[0], torch.randint(V, (3, 7))
    targets[1, 5:] = IGNORED
    inputs = (torch.randint(V, (3, 4)), tokens) if two else (tokens,)
    grads = []
    for asked in (False, True):
        one = copy.deepcopy(model)
        out: Output = one(*inputs, **({"targets": targets} if asked else {}))
        loss = out.loss
        if loss is None:
            assert out.logits is not None
            loss = cross_entropy(out.logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
        else:
            assert out.logits is None
        loss.backward()
        grads.append({name: p.grad for name, p in one.named_parameters() if p.grad is not None} | {"": loss.detach()})
    torch.testing.assert_close(*grads)


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"targets": torch.full((N,), V)}, rf"targets must lie in 0…{V - 1}, or be -100 .*: got {V}"),
        ({"targets": torch.full((N,), -1)}, "got -1; use the tokenizer"),
        (
            {"targets": torch.zeros(3, dtype=torch.long)},
            r"got hidden \(37, 24\), targets \(3,\) and weight \(101, 24\)",
        ),
        ({"smoothing": 2.0}, "smoothing"),
    ],
)
def test_what_is_refused(change: dict[str, Any], says: str):
    hidden, weight, _, targets = made(torch.float32)
    call: dict[str, Any] = {"hidden": hidden, "weight": weight, "targets": targets} | change
    with pytest.raises(ValueError, match=says):
        score_words(**call)


def test_an_encoder_without_words_refuses_targets():
    model = Encoder(EncoderConfig(vocabulary=V, depth=1, block=BLOCK, heads=("pooler",)))
    with pytest.raises(ValueError, match=r"targets are words: got heads=\('pooler',\); add 'words'"):
        model(torch.zeros(1, 2, dtype=torch.long), targets=torch.zeros(1, 2, dtype=torch.long))
