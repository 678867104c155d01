"""`attend` inside `torch.compile(fullgraph=True)`: a fresh value per call, equal to eager, compiled once."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo.testing import CompileCounterWithBackend

from regard import Attention, attend
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning.problem import pose
from regard.attention import (
    Bias,
    Blocks,
    Causal,
    Content,
    Dense,
    Documents,
    GlobalTokens,
    KeyPadding,
    Not,
    Padding,
    Prefix,
    Sequence,
    Slopes,
    Strided,
    Window,
)

pytestmark = pytest.mark.compiled

N, WIDTH, HEADS = 40, 32, 4


class Layer(nn.Module):
    """Projections around `attend`, with the value built inside `forward`, as a layer does."""

    def __init__(self, make: Callable[..., Attention]) -> None:
        super().__init__()
        self.project = nn.Linear(WIDTH, 3 * WIDTH)
        self.bias = nn.Parameter(torch.randn(HEADS, N, N))
        self.slopes = nn.Parameter(torch.rand(HEADS))
        self.make = make

    def heads(self, x: Tensor) -> tuple[Tensor, ...]:
        return self.project(x).unflatten(2, (3, HEADS, -1)).permute(2, 0, 3, 1, 4).unbind(0)

    def forward(self, x: Tensor, extra: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        out = attend(q, k, v, self.make(self, extra))
        return out.transpose(1, 2).flatten(2)


VALUES: dict[str, Callable[[Layer, Tensor], Attention]] = {
    "plain": lambda layer, extra: Attention(),
    "beta": lambda layer, extra: Attention(Content(beta=0.3)),
    "causal": lambda layer, extra: Attention(mask=Causal()),
    "padding": lambda layer, extra: Attention(mask=Padding(extra)),
    "causal padding": lambda layer, extra: Attention(mask=Causal() & Padding(extra)),
    "causal key padding": lambda layer, extra: Attention(mask=Causal() & KeyPadding(extra)),
    "documents": lambda layer, extra: Attention(mask=Documents(extra // 3)),
    "causal documents as sizes": lambda layer, extra: Attention(mask=Causal() & Documents((9, 0, 21))),
    "window of documents as sizes": lambda layer, extra: Attention(
        mask=Window(3) & Documents(((9, 21), (40,), (0, 5)))
    ),
    "documents by ids": lambda layer, extra: Attention(
        mask=Causal() & Documents(ids=torch.arange(N, device=extra.device) // (1 + extra[2]))
    ),
    "slopes of documents by ids": lambda layer, extra: Attention(
        Content() + Slopes(layer.slopes), Documents(ids=torch.arange(N, device=extra.device) // (1 + extra[2]))
    ),
    "prefix": lambda layer, extra: Attention(mask=Prefix(extra)),
    "prefix as size": lambda layer, extra: Attention(mask=Prefix(7)),
    "window": lambda layer, extra: Attention(mask=Window(3, 1)),
    # torch.compile cannot follow `~` on an object, which is `Not`.
    "not strided": lambda layer, extra: Attention(mask=Not(Strided(3)) | Window(1)),
    "blocks": lambda layer, extra: Attention(mask=Causal() & Blocks(8)),
    "shifted blocks": lambda layer, extra: Attention(mask=Blocks(7, shift=3)),
    "causal window": lambda layer, extra: Attention(mask=Causal() & Window(5)),
    "window or global tokens": lambda layer, extra: Attention(mask=Window(2, 2) | GlobalTokens(2)),
    "starts": lambda layer, extra: Attention(mask=Causal(), queries=Sequence(N, start=extra)),
    "bias": lambda layer, extra: Attention(Content() + Bias(layer.bias)),
    "slopes": lambda layer, extra: Attention(Content() + Slopes(layer.slopes), mask=Causal()),
    "dense": lambda layer, extra: Attention(mask=Dense(layer.bias.detach() > 0)),
}


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def inputs(device: torch.device, seed: int = 0, n: int = N) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, n + 1, (3,), generator=generator)
    return torch.randn(3, n, WIDTH, generator=generator).to(device), lengths.to(device)


def results(layer: Callable[..., Tensor], parameters: list[Tensor], x: Tensor, extra: Tensor) -> list[Tensor]:
    x = x.detach().requires_grad_()
    out = layer(x, extra)
    return [out, *torch.autograd.grad(out, [x, *parameters], torch.cos(out).detach(), materialize_grads=True)]


ALIKE = ("shifted blocks", "not strided", "dense", "blocks", "slopes")  # others of their kind are compiled in every run
LENGTHS = ("plain", "causal", "causal key padding", "window")  # are compiled at other lengths too
EACH = [pytest.param(name, marks=pytest.mark.slow if name in ALIKE + LENGTHS else ()) for name in VALUES]


@pytest.mark.parametrize("name", EACH)
def test_compiled_equals_eager_and_compiles_once(name: str, device):
    layer = Layer(VALUES[name]).to(device)
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(layer, fullgraph=True, backend=counter)
    parameters = list(layer.parameters())
    for seed in range(4):
        x, extra = inputs(device, seed)
        eager = results(layer, parameters, x, extra)
        for mine, other in zip(results(compiled, parameters, x, extra), eager, strict=True):
            # The same kernels on the same numbers; fusion may round float32 sums of a hundred terms once more.
            torch.testing.assert_close(mine, other, rtol=5e-6, atol=2e-5)
    assert counter.frame_count == 1


LONGER = [pytest.param(name, marks=pytest.mark.slow) for name in ("padding", "slopes")]


@pytest.mark.parametrize("name", [*LENGTHS, *LONGER])
def test_other_lengths_compile_once_more(name: str, device):
    """What is given changes nothing, and sizes become dynamic at the second length."""
    layer = Layer(VALUES[name]).to(device)
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(layer, fullgraph=True, backend=counter)
    parameters = list(layer.parameters())
    for seed, n in enumerate((N, N, N, 24, 33, 57)):
        x, extra = inputs(device, seed, n)
        eager = results(layer, parameters, x, extra)
        for mine, other in zip(results(compiled, parameters, x, extra), eager, strict=True):
            torch.testing.assert_close(mine, other, rtol=5e-6, atol=2e-5)
        assert counter.frame_count <= (1 if n == N else 2)


# torch's own compiler still calls what torch deprecates.
@pytest.mark.slow  # of a layer with such a mask code is generated in every run: tests/layers/test_compiled.py
@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_the_default_backend_compiles_it_too(device):
    layer = Layer(VALUES["causal padding"]).to(device)
    parameters = list(layer.parameters())
    compiled = torch.compile(layer, fullgraph=True)
    x, extra = inputs(device)
    for mine, other in zip(results(compiled, parameters, x, extra), results(layer, parameters, x, extra), strict=True):
        torch.testing.assert_close(mine, other, rtol=5e-6, atol=2e-5)


@pytest.mark.parametrize("name", ["causal", "slopes"])
def test_a_compiler_follows_the_choice_for_a_gpu(name: str, device):
    """In half precision it has prices of its own. Dynamo of torch 2.11 takes no truth value as an index of them."""
    layer = Layer(VALUES[name]).to(device, torch.bfloat16)
    x, extra = inputs(device)

    def choose(x: Tensor, extra: Tensor) -> Tensor:
        q, k, v = layer.heads(x)
        return q * len(PLANNER.choose(pose(q, k, v, layer.make(layer, extra), device="h200")).name)

    compiled = torch.compile(choose, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(x.bfloat16(), extra), choose(x.bfloat16(), extra))


def test_without_gradients(device):
    layer = Layer(VALUES["padding"]).to(device)
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    with torch.no_grad():
        x, extra = inputs(device)
        torch.testing.assert_close(compiled(x, extra), layer(x, extra), rtol=5e-6, atol=2e-5)
