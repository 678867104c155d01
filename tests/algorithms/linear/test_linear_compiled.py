"""Linear attention inside `torch.compile(fullgraph=True)`: fresh values and states, equal to eager, compiled once."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo.testing import CompileCounterWithBackend

from regard import Attention, attend
from regard.algorithms import attend_linear
from regard.attention import Causal, Elu, Exp, Kernel, KeyPadding, LinearState, Padding, RandomFeatures, Relu, Window

pytestmark = pytest.mark.compiled

N, WIDTH, HEADS = 150, 32, 4  # two chunks and a remainder

# Sums of a hundred float32 numbers, fused in another order, of the largest of them.
ROUNDINGS = 2e-5


def assert_close(mine: Tensor, other: Tensor) -> None:
    assert mine.shape == other.shape
    assert (mine - other).abs().max() <= ROUNDINGS * max(1.0, float(other.detach().abs().max()))


class Layer(nn.Module):
    """Projections around linear attention, with the value built inside `forward`, as a layer does."""

    def __init__(self, make: Callable[..., Attention], algorithm: str | None) -> None:
        super().__init__()
        self.project = nn.Linear(WIDTH, 3 * WIDTH)
        self.directions = nn.Parameter(torch.randn(12, WIDTH // HEADS))
        self.make, self.algorithm = make, algorithm

    def heads(self, x: Tensor) -> tuple[Tensor, ...]:
        return self.project(x).unflatten(2, (3, HEADS, -1)).permute(2, 0, 3, 1, 4).unbind(0)

    def forward(self, x: Tensor, extra: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        return attend(q, k, v, self.make(self, extra), algorithm=self.algorithm)


def square(x: Tensor) -> Tensor:
    return x.square()


VALUES: dict[str, tuple[Callable[[Layer, Tensor], Attention], str | None]] = {
    "linear": (lambda layer, extra: Attention(weighting=Kernel(Elu())), "linear"),
    "padding": (lambda layer, extra: Attention(mask=Padding(extra), weighting=Kernel(Relu())), "linear"),
    "a function": (lambda layer, extra: Attention(weighting=Kernel(square)), "linear"),
    "causal": (lambda layer, extra: Attention(mask=Causal(), weighting=Kernel(Elu())), "chunked"),
    "causal keys": (
        lambda layer, extra: Attention(mask=Causal() & KeyPadding(extra), weighting=Kernel(Exp(), normalise=False)),
        "chunked",
    ),
    "whatever is cheapest": (
        lambda layer, extra: Attention(mask=Causal() & Padding(extra), weighting=Kernel(Elu())),
        None,
    ),
    "by pairs": (lambda layer, extra: Attention(mask=Window(5, 2), weighting=Kernel(Elu())), None),
    "learnt directions": (
        lambda layer, extra: Attention(mask=Causal(), weighting=Kernel(RandomFeatures(layer.directions))),
        "chunked",
    ),
}


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def inputs(device: torch.device, seed: int, n: int = N) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, n + 1, (3,), generator=generator)
    return torch.randn(3, n, WIDTH, generator=generator).to(device), lengths.to(device)


def results(layer: Callable[..., Tensor], parameters: list[Tensor], x: Tensor, extra: Tensor) -> list[Tensor]:
    x = x.detach().requires_grad_()
    out = layer(x, extra)
    seed = torch.arange(out.numel(), device=out.device).cos().view_as(out)
    return [out, *torch.autograd.grad(out, [x, *parameters], seed, materialize_grads=True)]


ALIKE = ("learnt directions", "a function")  # others of their kind are compiled in every run
EACH = [pytest.param(name, marks=pytest.mark.slow if name in ALIKE else ()) for name in VALUES]


@pytest.mark.parametrize("name", EACH)
def test_compiled_equals_eager_and_compiles_once(name: str, device):
    layer = Layer(*VALUES[name]).to(device)
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(layer, fullgraph=True, backend=counter)
    parameters = list(layer.parameters())
    for seed in range(3):
        x, extra = inputs(device, seed)
        eager = results(layer, parameters, x, extra)
        for mine, other in zip(results(compiled, parameters, x, extra), eager, strict=True):
            assert_close(mine, other)
    assert counter.frame_count == 1


@pytest.mark.parametrize(
    "name", ["linear", *[pytest.param(name, marks=pytest.mark.slow) for name in ("causal", "causal keys")]]
)
def test_other_lengths_compile_once_more(name: str, device):
    """Sizes become dynamic at the second length."""
    layer = Layer(*VALUES[name]).to(device)
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(layer, fullgraph=True, backend=counter)
    parameters = list(layer.parameters())
    for n in (N, 170, 333, 250):
        x, extra = inputs(device, n, n)
        eager = results(layer, parameters, x, extra)
        for mine, other in zip(results(compiled, parameters, x, extra), eager, strict=True):
            assert_close(mine, other)
    assert counter.frame_count <= 2


def test_pieces_compile_once(device):
    """A state goes in and comes out: one graph for all pieces of one length."""
    kernel = Kernel(Elu())

    def step(q: Tensor, k: Tensor, v: Tensor, state: LinearState) -> tuple[Tensor, LinearState]:
        return attend_linear(q, k, v, Attention(mask=Causal(), weighting=Kernel(Elu())), state=state)

    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(step, fullgraph=True, backend=counter)
    tensors = [torch.randn(2, 2, 40, 8, device=device) for _ in range(3)]
    states = [LinearState.empty(kernel, 2, 2, 8, 8, device=device) for _ in range(2)]
    for pieces in zip(*(x.split(8, 2) for x in tensors), strict=True):
        mine, states[0] = compiled(*pieces, states[0])
        other, states[1] = step(*pieces, states[1])
        assert_close(mine, other)
    assert_close(states[0].sums, states[1].sums)
    assert counter.frame_count == 1


# torch's own compiler still calls what torch deprecates.
@pytest.mark.slow  # twenty seconds; the graphs of all values above are compiled in every run
@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_the_default_backend_compiles_it_too(device):
    layer = Layer(*VALUES["causal keys"]).to(device)
    parameters = list(layer.parameters())
    compiled = torch.compile(layer, fullgraph=True)
    x, extra = inputs(device, 0)
    for mine, other in zip(results(compiled, parameters, x, extra), results(layer, parameters, x, extra), strict=True):
        assert_close(mine, other)
