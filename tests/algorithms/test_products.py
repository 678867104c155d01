"""Products by oneDNN are those of torch, in the same places, wherever they are taken."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import linear
from torch.overrides import TorchFunctionMode
from torch.utils.flop_counter import FlopCounterMode

from regard.algorithms.kernels import products
from regard.algorithms.kernels.products import multiply
from regard.layers.feed_forward import apply_linear

SIZES = {"one row": (1, 1, 300, 1000), "few rows": (2, 3, 700, 400), "many": (4, 100, 70, 130)}  # B, T, C, O


@pytest.fixture(autouse=True)
def quicker(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """As on a processor where it pays; the sizes of what is multiplied so."""
    found = []
    inner = products.onednn_linear

    def noted(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        found.append((*x.shape, len(weight)))
        return inner(x, weight, bias)

    monkeypatch.setattr(products, "IS_QUICKER", True)
    monkeypatch.setattr(products, "onednn_linear", noted)
    return found


def draw(B: int, T: int, C: int, O: int) -> list[Tensor]:  # noqa: E741
    return [torch.randn(sizes, dtype=torch.float64) for sizes in ((B, T, C), (O, C), (O,), (B, T, O))]


@pytest.mark.parametrize("layout", ["as it is", "transposed", "every other"])
@pytest.mark.parametrize("name", SIZES)
def test_output_and_gradients_are_torchs(name: str, layout: str, quicker: list[tuple[int, ...]]):
    exact = draw(*SIZES[name])
    x, weight, bias, grad = [part.float() for part in exact]
    if layout == "transposed":
        weight, grad = weight.T.contiguous().T, grad.expand_as(grad.repeat(1, 1, 1))
    if layout == "every other":
        x = torch.stack((x, torch.full_like(x, torch.nan)), 3).flatten(2)[:, :, ::2]
    leaves = [part.requires_grad_() for part in (x, weight, bias)]
    wide = [part.requires_grad_() for part in exact[:3]]
    out, wanted = multiply(*leaves), linear(*wide)
    found = torch.autograd.grad(out, leaves, grad)
    want = torch.autograd.grad(wanted, wide, exact[3])
    for own, other in zip((out, *found), (wanted, *want), strict=True):
        assert (own - other).norm() <= 2e-6 * other.norm()
    assert len(quicker) == (0 if layout == "every other" else 3 if name == "many" else 2), "few rows make no long sums"


def test_second_derivatives_are_torchs():
    x, weight, bias, _ = [part.requires_grad_() for part in draw(*SIZES["few rows"])]
    results = []
    for given in ((x, weight, bias), tuple([part.detach().float().requires_grad_() for part in (x, weight, bias)])):
        times = linear if given[0].dtype == torch.float64 else multiply
        (slope,) = torch.autograd.grad(times(*given).square().sum(), given[0], create_graph=True)
        results.append(torch.autograd.grad(slope.square().sum(), given[1])[0])
    assert (results[1] - results[0]).norm() <= 1e-5 * results[0].norm()


@pytest.mark.filterwarnings("ignore:.*torch.jit.(script|trace|trace_method):DeprecationWarning")
def test_whatever_watches_or_stands_between_sees_torchs_own(quicker: list[tuple[int, ...]]):
    x, weight, bias, _ = [part.float() for part in draw(*SIZES["many"])]
    with FlopCounterMode(display=False) as counter:
        multiply(x, weight, bias)
    assert counter.get_total_flops() == 2 * x.numel() * len(weight)
    with torch.autocast("cpu", torch.bfloat16):
        assert multiply(x, weight, bias).dtype == torch.bfloat16
    torch.func.vmap(multiply, (0, None, None))(x, weight, bias)
    assert "aten::linear" in str(torch.jit.trace(multiply, (x, weight, bias), check_trace=False).graph)
    torch.func.jvp(lambda x: multiply(x, weight, bias), (x,), (x,))
    assert multiply(x.double(), weight.double(), bias.double()).dtype == torch.float64
    assert multiply(x[:0], weight, bias).shape == (0, 100, 130)
    assert multiply(x[:, :, :0], weight[:, :0], bias).equal(bias.expand(4, 100, 130))
    assert multiply(x[:1, :2], weight, bias).shape == (1, 2, 130), "a small product is not worth it"
    assert not quicker


class Doubling(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {})) * (2 if func is linear else 1)


@pytest.mark.filterwarnings("ignore:TF32 acceleration on top of oneDNN")
def test_what_is_put_in_the_place_of_torchs_own_is_called(
    quicker: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
):
    layer, x = nn.Linear(700, 400), torch.randn(2, 8, 700)
    expected = 2 * linear(x, layer.weight, layer.bias)
    with Doubling():
        found = apply_linear(layer, x)
    torch.testing.assert_close(found, expected)
    with torch.backends.mkldnn.flags(enabled=False):
        torch.testing.assert_close(2 * apply_linear(layer, x), expected)
    monkeypatch.setattr(nn.functional, "linear", lambda *given: 2 * linear(*given))
    for rows in (8, 1):
        torch.testing.assert_close(apply_linear(layer, x[:, :rows]), expected[:, :rows])
    assert not quicker


def test_the_way_back_may_be_watched_too(quicker: list[tuple[int, ...]]):
    x, weight, bias = [part.float().requires_grad_() for part in draw(*SIZES["many"])[:3]]
    out = multiply(x, weight, bias)
    with FlopCounterMode(display=False) as counter:
        out.backward(torch.ones_like(out), retain_graph=True)
    assert counter.get_total_flops() == 4 * x.numel() * len(weight)
    assert len(quicker) == 1
    leaves, grads = (x, weight, bias), torch.ones(2, *out.shape)
    for found, leaf in zip(torch.autograd.grad(out, leaves, grads, is_grads_batched=True), leaves, strict=True):
        torch.testing.assert_close(found[1], leaf.grad)


W, B = torch.randn(600, 512), torch.randn(600)
ONLY_TORCHS = {
    "one vector": lambda: (torch.randn(512), W, B),
    "every other number of a vector": lambda: (torch.randn(1024)[::2], W, B),
    "every other number of a bias": lambda: (torch.randn(4, 512), W, torch.randn(1200)[::2]),
    "one bias for all": lambda: (torch.randn(4, 512), W, torch.randn(1).expand(600)),
    "a bias of one number": lambda: (torch.randn(4, 512), W, torch.randn(1)),
    "a bias without a dimension": lambda: (torch.randn(4, 512), W, torch.randn(())),
    "a bias of rows": lambda: (torch.randn(4, 512), W, torch.randn(1, 600)),
    "a vector of weights": lambda: (torch.randn(4, 300000), torch.randn(300000), None),
    "sparse weights": lambda: (torch.randn(4, 512), W.to_sparse_csr(), B),
}


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
@pytest.mark.parametrize("name", ONLY_TORCHS)
def test_what_torchs_own_takes_is_taken(name: str, quicker: list[tuple[int, ...]]):
    given = ONLY_TORCHS[name]()
    x = given[0].requires_grad_()
    own = [torch.autograd.grad(times(*given).sum(), x)[0] for times in (multiply, linear)]
    torch.testing.assert_close(multiply(*given), linear(*given))
    torch.testing.assert_close(*own)
    assert not quicker


def test_sizes_that_do_not_fit_are_told_as_torch_tells_them():
    with pytest.raises(RuntimeError, match=r"mat1 and mat2 shapes cannot be multiplied \(4x500 and 512x600\)"):
        multiply(torch.randn(4, 500), W, B)
    with pytest.raises(RuntimeError, match=r"must match the existing size \(700\)"):
        multiply(torch.randn(4, 512), W, torch.randn(700))
    with pytest.raises(RuntimeError, match="expects a tensor with <= 2 dimensions"):
        multiply(torch.randn(4, 512), torch.randn(2, 600, 512), B)


@pytest.mark.parametrize("learns", ["x", "weight"])
def test_only_what_a_gradient_needs_is_kept(learns: str, quicker: list[tuple[int, ...]]):
    """The rest may be written to: what goes into frozen weights, and weights that nothing before them learns by."""
    x, weight = torch.randn(4, 512), W.clone()
    leaf, other = (x, weight) if learns == "x" else (weight, x)
    given = leaf.requires_grad_().clone()
    out = multiply(given, weight) if learns == "x" else multiply(x, given)
    with torch.no_grad():
        given.mul_(2)
    (found,) = torch.autograd.grad(out.sum(), leaf, retain_graph=True)
    torch.testing.assert_close(found, other.sum(0).expand_as(leaf), atol=1e-4, rtol=1e-4)
    other.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()
    assert quicker


@pytest.mark.parametrize("hook", ["forward", "backward", "own forward"])
def test_a_layer_that_somebody_listens_to_is_called(hook: str, quicker: list[tuple[int, ...]]):
    layer, x = nn.Linear(700, 400), torch.randn(1, 8, 700)
    assert apply_linear(layer, x).shape == (1, 8, 400)
    assert quicker.pop() == (1, 8, 700, 400)
    heard = []
    if hook == "forward":
        layer.register_forward_hook(lambda *_: heard.append(hook))
    elif hook == "backward":
        layer.register_full_backward_hook(lambda *_: heard.append(hook))
    else:
        own = layer.forward
        layer.forward = lambda x: heard.append(hook) or own(x)  # type: ignore[method-assign]
    apply_linear(layer, x.requires_grad_()).sum().backward()
    assert heard == [hook]
    assert not quicker


@pytest.mark.compiled
def test_a_compiler_sees_torchs_own(quicker: list[tuple[int, ...]]):
    layer, x = nn.Linear(700, 400), torch.randn(1, 8, 700)
    compiled = torch.compile(lambda x: apply_linear(layer, x), backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), layer(x))
    assert not quicker
