"""Products by oneDNN are those of torch, in the same places, wherever they are taken."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import linear
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
    assert len(quicker) == (0 if layout == "every other" else 3)


def test_second_derivatives_are_torchs():
    x, weight, bias, _ = [part.requires_grad_() for part in draw(*SIZES["few rows"])]
    results = []
    for given in ((x, weight, bias), tuple([part.detach().float().requires_grad_() for part in (x, weight, bias)])):
        times = linear if given[0].dtype == torch.float64 else multiply
        (slope,) = torch.autograd.grad(times(*given).square().sum(), given[0], create_graph=True)
        results.append(torch.autograd.grad(slope.square().sum(), given[1])[0])
    assert (results[1] - results[0]).norm() <= 1e-5 * results[0].norm()


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
def test_whatever_watches_or_stands_between_sees_torchs_own(quicker: list[tuple[int, ...]]):
    x, weight, bias, _ = [part.float() for part in draw(*SIZES["many"])]
    with FlopCounterMode(display=False) as counter:
        multiply(x, weight, bias)
    assert counter.get_total_flops() == 2 * x.numel() * len(weight)
    with torch.autocast("cpu", torch.bfloat16):
        assert multiply(x, weight, bias).dtype == torch.bfloat16
    torch.func.vmap(multiply, (0, None, None))(x, weight, bias)
    torch.func.jvp(lambda x: multiply(x, weight, bias), (x,), (x,))
    assert multiply(x.double(), weight.double(), bias.double()).dtype == torch.float64
    assert multiply(x[:0], weight, bias).shape == (0, 100, 130)
    assert multiply(x[:, :, :0], weight[:, :0], bias).equal(bias.expand(4, 100, 130))
    assert multiply(x[:1, :2], weight, bias).shape == (1, 2, 130), "a small product is not worth it"
    assert not quicker


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
