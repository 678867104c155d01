"""One graph for any length: sizes that a compiler keeps open stay open, and exported programs run at other lengths."""

import io
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo.testing import CompileCounterWithBackend
from torch.export import Dim, export

from regard import Attention, attend
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning.algorithm import told
from regard.algorithms.planning.problem import length_class
from regard.attention import (
    Blocks,
    Causal,
    Content,
    Elu,
    Grid,
    Hard,
    Kernel,
    KeyPadding,
    Padding,
    Quadratic,
    RelativeTable,
    Sequence,
    Strided,
    Window,
)
from regard.attention.positions.sizes import fixed, is_open, least, most, surely
from regard.layers import MultiHead, WindowAttention
from regard.models import Decoder, DecoderConfig
from regard.models.block import BlockConfig, Mechanism
from regard.models.stack import PositionConfig
from tests.algorithms.test_equivalence import ON_GPUS

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore::DeprecationWarning:torch.*"),
    pytest.mark.filterwarnings("ignore::FutureWarning:torch.*"),
]

FIFTEEN = (48, 80, 320, 64, 144, 32, 272, 128, 176, 368, 112, 208, 24, 96, 16)  # blocks of 128 less than one, one, more
WIDTH, HEADS, GROUPS, HEAD = 12, 4, 2, 8
SLOW = pytest.mark.slow
SUMS = {"rtol": 2e-5, "atol": 2e-5}  # float32 sums of hundreds of terms, in another order


@pytest.fixture(autouse=True)
def fresh():
    torch.compiler.reset()
    torch.manual_seed(0)
    yield
    torch.compiler.reset()


class Layer(nn.Module):
    """A projection before `attend`, whose value is made from the number of tokens and from lengths."""

    def __init__(self, make: Callable[..., Attention], algorithm: str | None = None) -> None:
        super().__init__()
        self.project = nn.Linear(WIDTH, (HEADS + 2 * GROUPS) * HEAD)
        self.centre, self.precision = nn.Parameter(torch.randn(HEADS, 2)), nn.Parameter(torch.rand(HEADS) + 0.1)
        self.line, self.table = nn.Parameter(torch.randn(HEADS, 801)), nn.Parameter(torch.randn(HEADS, 101, 15))
        self.make, self.algorithm = make, algorithm

    def forward(self, x: Tensor, lengths: Tensor, algorithm: str | None = None) -> Tensor:
        heads = self.project(x).unflatten(2, (-1, HEAD)).transpose(1, 2)
        q, k, v = heads.split((HEADS, GROUPS, GROUPS), 1)
        attention = self.make(self, x.shape[1], lengths)
        q, k = (None, None) if attention.content is None else (q, k)
        return attend(q, k, v, attention, algorithm=algorithm or self.algorithm)


def inputs(n: int, dtype: torch.dtype = torch.float32, batch: int = 2) -> tuple[Tensor, Tensor]:
    return torch.randn(batch, n, WIDTH, dtype=dtype).requires_grad_(), torch.randint(1, n + 1, (batch,))


def gaussian(layer: Layer, axes: int) -> Quadratic:
    return Quadratic(layer.centre[:, :axes], layer.precision)


def grid(n: int) -> Grid:
    return Grid(n // 8, 8)


MECHANISMS: dict[str, Callable[[Layer, int, Tensor], Attention]] = {
    "none": lambda layer, n, lengths: Attention(),
    "causal": lambda layer, n, lengths: Attention(mask=Causal()),
    "causal window": lambda layer, n, lengths: Attention(mask=Causal() & Window(50)),
    "key padding": lambda layer, n, lengths: Attention(mask=KeyPadding(lengths)),
    "padding": lambda layer, n, lengths: Attention(mask=Padding(lengths)),
    "gaussian": lambda layer, n, lengths: Attention(Content() + gaussian(layer, 1)),
    "positions": lambda layer, n, lengths: Attention(gaussian(layer, 1)),
    "positions on a grid": lambda layer, n, lengths: Attention(gaussian(layer, 2), keys=grid(n)),
    "content on a grid": lambda layer, n, lengths: Attention(Content() + gaussian(layer, 2), keys=grid(n)),
    "causal padding": lambda layer, n, lengths: Attention(mask=Causal() & Padding(lengths)),
    "blocks": lambda layer, n, lengths: Attention(mask=Blocks(16)),
}
EXPECTED = {  # the operator that a graph of any length calls
    "causal": "scaled_dot_product_attention",
    "causal window": "regard.banded",
    "padding": "regard.slabs",
}
SHORTER = ("causal", "causal window", "padding", "gaussian")


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in SHORTER else SLOW) for name in MECHANISMS])
def test_fifteen_lengths_make_two_graphs(name: str):
    """The first length makes one, the second one for all lengths; any other would be an error here."""
    layer = Layer(MECHANISMS[name])
    counter = CompileCounterWithBackend("eager")
    compiled = torch.compile(layer, fullgraph=True, backend=counter)
    for number, n in enumerate(FIFTEEN):
        x, lengths = inputs(n)
        with torch._dynamo.config.patch(error_on_recompile=number > 1):
            out = compiled(x, lengths)
        if number % 4 == 1:
            expected = layer(x, lengths, "reference")
            torch.testing.assert_close(out, expected, **SUMS)
            torch.testing.assert_close(*(torch.autograd.grad(y.square().sum(), x)[0] for y in (out, expected)), **SUMS)
    assert counter.frame_count <= 2
    targets = [str(node.target) for node in counter.graphs[-1].graph.nodes]
    assert name not in EXPECTED or any([EXPECTED[name] in target for target in targets])


ALGORITHMS: dict[str, Callable[[Layer, int, Tensor], Attention]] = {
    "fused": MECHANISMS["causal"],
    "augmented": lambda layer, n, lengths: Attention(
        Content() + Quadratic(layer.centre[:, :1], layer.precision.detach())
    ),
    "banded": lambda layer, n, lengths: Attention(mask=Window(30, 7)),
    "partitioned": lambda layer, n, lengths: Attention(mask=Blocks(16, shift=3)),
    "packed": MECHANISMS["padding"],
    "gather": lambda layer, n, lengths: Attention(gaussian(layer, 2), weighting=Hard(), keys=grid(n)),
    "separable": MECHANISMS["positions on a grid"],
    "convolution": lambda layer, n, lengths: Attention(RelativeTable(layer.line, bound=3.0), keys=Sequence(n)),
    "toeplitz": lambda layer, n, lengths: Attention(RelativeTable(layer.table, bound=3.0), keys=grid(n)),
    "shared": MECHANISMS["positions"],
    "linear": lambda layer, n, lengths: Attention(mask=KeyPadding(lengths), weighting=Kernel(Elu())),
    "chunked": lambda layer, n, lengths: Attention(mask=Causal(), weighting=Kernel(Elu())),
    "blockwise": lambda layer, n, lengths: Attention(Content() + gaussian(layer, 1), mask=Causal()),
    "masked": lambda layer, n, lengths: Attention(mask=Strided(3) & KeyPadding(lengths)),
    "merged": lambda layer, n, lengths: Attention(mask=Window(3, 3) | Strided(7)),
    "reference": MECHANISMS["causal padding"],
}
DIFFERENTIATED = ("banded", "packed")  # the way back is traced too


def test_every_algorithm_is_tried():
    assert set(ALGORITHMS) | set(ON_GPUS) == {algorithm.name for algorithm in PLANNER.algorithms}


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name == "packed" else SLOW) for name in ALGORITHMS])
def test_every_algorithm_under_dynamic_sizes(name: str):
    """Forward and backward at three lengths, by one graph where the algorithm serves any length."""
    half = name == "augmented"  # for bfloat16 alone
    layer = Layer(ALGORITHMS[name], name).to(torch.bfloat16 if half else torch.float32)
    backend = "aot_eager" if name in DIFFERENTIATED else "eager"
    compiled = torch.compile(layer, fullgraph=True, backend=backend, dynamic=True)
    for n in (48, 72, 160):
        x, lengths = inputs(n, layer.project.weight.dtype)
        again = n > 48 and PLANNER.named(name).any_length
        with torch._dynamo.config.patch(error_on_recompile=again):
            out = compiled(x, lengths)
        expected = layer(x, lengths, "reference")
        limits = {"rtol": 2e-2, "atol": 2e-2} if half else SUMS
        torch.testing.assert_close(out, expected, **limits)
        if name != "gather":  # which sends no gradient to positions
            gradients = [torch.autograd.grad(y.square().sum(), x)[0] for y in (out, expected)]
            torch.testing.assert_close(*gradients, **({"rtol": 5e-2, "atol": 5e-2} if half else SUMS))


def decoder(kind: str = "rotary", mask: Window | None = None) -> Decoder:
    mechanism = Mechanism() if mask is None else Mechanism(mask=mask)
    block = BlockConfig(width=16, num_heads=4, num_groups=2, mechanism=mechanism)
    return Decoder(DecoderConfig(vocabulary=50, depth=2, block=block, positions=PositionConfig(kind=kind))).eval()


@pytest.mark.parametrize("mask", [None, pytest.param(Window(40), marks=SLOW)])
def test_fifteen_lengths_through_one_decoder(mask: Window | None):
    model = decoder(mask=mask)
    counter = CompileCounterWithBackend("eager")
    compiled = torch.compile(model, fullgraph=True, backend=counter)
    for number, n in enumerate(FIFTEEN):
        tokens = torch.randint(50, (2, n))
        with torch._dynamo.config.patch(error_on_recompile=number > 1):
            logits = compiled(tokens).logits
        torch.testing.assert_close(logits, model(tokens).logits, **SUMS)
    assert counter.frame_count <= 2


class Called(nn.Module):
    """A layer whose call is made from its input: for `export`, which takes tensors."""

    def __init__(self, layer: nn.Module, call: Callable[..., dict[str, object]]) -> None:
        super().__init__()
        self.layer, self.call = layer, call

    def forward(self, q: Tensor, lengths: Tensor | None = None) -> Tensor:
        return self.layer(q, **self.call(lengths))


CALLS: dict[str, Callable[..., dict[str, object]]] = {
    "plain": lambda lengths: {},
    "causal": lambda lengths: {"causal": True},
    "window": lambda lengths: {"mask": Causal() & Window(20)},
    "gaussian": lambda lengths: {"term": Quadratic(torch.zeros(4, 1), torch.ones(4))},
    "blocks": lambda lengths: {"mask": Blocks(16)},
    "union": lambda lengths: {"mask": Window(2, 2) | Strided(5)},
}
OTHERS = (5, 40, 129, 300)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=SLOW if name in ("blocks", "union") else ()) for name in CALLS]
)
def test_exported_layers_run_at_other_lengths(name: str):
    layer = Called(MultiHead(WIDTH, 4, num_groups=2), CALLS[name]).eval()
    sizes = {"q": {0: Dim("batch", min=2), 1: Dim("tokens", min=2)}}
    program = export(layer, (torch.randn(3, 24, WIDTH),), dynamic_shapes=sizes).module()
    for n in OTHERS:
        x = torch.randn(2, n, WIDTH)
        torch.testing.assert_close(program(x), layer(x), **SUMS)


def test_exported_paddings_run_at_other_lengths():
    layer = MultiHead(WIDTH, 4).eval()
    tokens = Dim("tokens", min=2)
    call = {"key_padding_mask": torch.rand(2, 24) < 0.3}
    sizes = {"q": {1: tokens}, "key_padding_mask": {1: tokens}}
    program = export(layer, (torch.randn(2, 24, WIDTH),), call, dynamic_shapes=sizes).module()
    by_lengths = Called(layer, lambda lengths: {"mask": Padding(lengths)})
    sizes = {"q": {0: Dim("batch", min=2), 1: tokens}, "lengths": {0: Dim("batch", min=2)}}
    counted = export(by_lengths, (torch.randn(3, 24, WIDTH), torch.tensor([24, 9, 1])), dynamic_shapes=sizes).module()
    for n in OTHERS:
        x, pads, lengths = torch.randn(2, n, WIDTH), torch.rand(2, n) < 0.3, torch.tensor([n, n // 2])
        torch.testing.assert_close(program(x, key_padding_mask=pads), layer(x, key_padding_mask=pads), **SUMS)
        torch.testing.assert_close(counted(x, lengths), by_lengths(x, lengths), **SUMS)


@pytest.mark.parametrize("shifted", [pytest.param(False, marks=SLOW), True])
def test_exported_windows_take_any_batch(shifted: bool):
    """The grid is fixed: tiles are taken apart, and no map of all pairs is made. A saved program is the same."""
    layer = Called(WindowAttention(WIDTH, 4, window=4, shifted=shifted), lambda lengths: {"keys": Grid(7, 9)}).eval()
    sizes = {"q": {0: Dim("batch", min=2)}}
    program = export(layer, (torch.randn(2, 63, WIDTH),), dynamic_shapes=sizes)
    assert any(["regard.cells" in str(node.target) for node in program.graph.nodes])
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    x = torch.randn(5, 63, WIDTH)
    torch.testing.assert_close(torch.export.load(file).module()(x), layer(x), **SUMS)


class OnImages(nn.Module):
    """A layer on the pixels of images of any size."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, image: Tensor) -> Tensor:
        h, w = image.shape[1:3]
        return self.layer(image.flatten(1, 2), keys=Grid(h, w)).unflatten(1, (h, w))


@pytest.mark.slow
@pytest.mark.parametrize("shifted", [False, True])
def test_exported_windows_take_any_grid(shifted: bool):
    """Sides above the window's size: only there a shift is the same for all."""
    layer = OnImages(WindowAttention(WIDTH, 4, window=4, shifted=shifted)).eval()
    sizes = {"image": {1: Dim("h", min=5), 2: Dim("w", min=5)}}
    program = export(layer, (torch.randn(2, 8, 12, WIDTH),), dynamic_shapes=sizes).module()
    for h, w in ((8, 12), (7, 13), (20, 5)):
        image = torch.randn(2, h, w, WIDTH)
        torch.testing.assert_close(program(image), layer(image), **SUMS)


@pytest.mark.slow
def test_a_shift_is_not_guessed_for_sides_that_may_fit_a_tile():
    layer = OnImages(WindowAttention(WIDTH, 4, window=4, shifted=True)).eval()
    with pytest.raises(torch._dynamo.exc.UserError, match="h"):
        export(layer, (torch.randn(2, 8, 12, WIDTH),), dynamic_shapes={"image": {1: Dim("h", min=2)}})


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=SLOW if kind != "rotary" else ())
        for kind in ("rotary", "learned", "sinusoidal", "buckets")
    ],
)
def test_exported_decoders_run_at_other_lengths(kind: str):
    model = decoder(kind)
    sizes = {"tokens": {0: Dim("batch", min=2), 1: Dim("tokens", min=2, max=512)}}
    program = export(model, (torch.randint(50, (3, 24)),), dynamic_shapes=sizes).module()
    for n in OTHERS:
        tokens = torch.randint(50, (2, n))
        torch.testing.assert_close(program(tokens).logits, model(tokens).logits, **SUMS)


def test_open_sizes_are_asked_without_a_guard():
    """What is not known of an open size is unknown, and its graph serves all lengths."""

    def ask(x: Tensor) -> tuple[Tensor, list[bool]]:
        n = x.shape[0]
        answers = [is_open(n), is_open(x.shape[1] * 2), surely(n >= 2), surely(n < 100), surely(n >= 100)]
        return x.new_zeros(least(n, 10) + 2 * most(n, 10) + least(n, 1) + most(n, 0)), answers

    counter = CompileCounterWithBackend("eager")
    compiled = torch.compile(ask, fullgraph=True, backend=counter)
    for n in (20, 7, 300):
        x = torch.randn(n, 3)
        torch._dynamo.mark_dynamic(x, 0)
        found, answers = compiled(x)
        assert len(found) == min(n, 10) + 2 * max(n, 10) + 1 + n
        assert answers == [True, False, True, False, False]
    assert counter.frame_count == 1
    assert (surely(3 < 4), surely(4 < 3), is_open(3), fixed(7)) == (True, False, False, 7)


def test_refusals_are_constants_while_a_compiler_is_at_work():
    def refuse(x: Tensor) -> tuple[Tensor, str]:
        return x + 1, told("takes at most {} places: got {}", 5, x.shape[0])

    x = torch.randn(7)
    assert refuse(x)[1] == "takes at most 5 places: got 7"
    compiled = torch.compile(refuse, fullgraph=True, backend="eager", dynamic=True)
    for n in (7, 9):
        with torch._dynamo.config.patch(error_on_recompile=n > 7):
            assert compiled(torch.randn(n))[1] == "takes at most {} places: got {}"


def test_steps_of_a_decoder_share_a_class_of_lengths():
    classes = {length_class(1, S) for S in range(1, 1025)}
    assert len(classes) == 11
    assert length_class(1, 100) == length_class(1, 101) != length_class(1, 200)
    assert length_class(2, 100) != length_class(2, 101)
    assert length_class(100, 100) == (100, 100)
