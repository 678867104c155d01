"""Rows and columns mixed by one kernel: equal to the definition through the planner's algorithm, and called alone."""

import pytest
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from regard.algorithms.position import separable
from regard.attention import Shape
from tests.algorithms.cases import Case, build
from tests.algorithms.harness import EQUAL, verdicts
from tests.algorithms.test_equivalence import RUNS

pytest.importorskip("triton")

from regard.algorithms.kernels.position import grid_mixing

# Triton's interpreter reads bfloat16 as whole numbers.
HALF = {"cpu": torch.float16, "cuda": torch.bfloat16}

# Roundings of maps, of values in between and of the result, of random sums: of their root mean square.
CLOSE = {torch.float32: 2e-6, torch.float16: 2e-3, torch.bfloat16: 1e-2}

SIZES = {  # B, G, H, h′, h, w′, w, E
    "a tile": (2, 1, 3, 16, 16, 16, 16, 16),
    "odd, strided": (3, 1, 2, 7, 14, 5, 9, 18),
    "grouped heads": (2, 2, 4, 3, 4, 6, 2, 33),
    "one pixel": (1, 1, 1, 1, 1, 1, 1, 1),
    "beyond a tile": (1, 1, 2, 17, 17, 4, 5, 20),
    "a head each, strided": (2, 2, 2, 3, 6, 5, 33, 17),
    "groups, a line": (1, 2, 4, 1, 1, 3, 70, 9),
}


@pytest.fixture
def by_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(separable, "has_kernel", lambda v: v.dtype != torch.float64)


@pytest.mark.parametrize("case", [case for case in RUNS["separable"] if case.dtype != "bfloat16"], ids=str)
def test_it_equals_the_definition(case: Case, device: torch.device, by_kernel: None):
    assert verdicts(build(case, device), ["separable"]) == {"separable": EQUAL}


def test_it_equals_the_definition_on_a_large_grid(device: torch.device, by_kernel: None):
    case = Case(positions="grid", scores="gaussian alone", wanted="output and log-sum-exp")
    call = build(case, device, Shape(1, 2, 1, 18 * 4, 18 * 4, 8, 8))
    assert verdicts(call, ["separable"]) == {"separable": EQUAL}


def drawn(sizes: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Maps, values and an incoming gradient."""
    B, G, H, P, J, U, W, E = sizes
    rows, columns = torch.randn(H, P, J, dtype=torch.float64), torch.randn(H, U, W, dtype=torch.float64)
    v, grad = torch.randn(B, G, J * W, E), torch.randn(B, H, P * U, E)
    rows, columns = (x.softmax(-1).to(device).requires_grad_() for x in (rows, columns))
    return rows, columns, v.to(device, dtype).requires_grad_(), grad.to(device, dtype)


def results(function, rows: Tensor, columns: Tensor, v: Tensor, grad: Tensor) -> list[Tensor]:
    out = function(rows, columns, v)
    return [out, *torch.autograd.grad(out, (rows, columns, v), grad.to(out.dtype))]


def assert_close(got: list[Tensor], wanted: list[Tensor], dtype: torch.dtype) -> None:
    for name, mine, other in zip(("out", "rows", "columns", "v"), got, wanted, strict=True):
        size = max(1e-3, float(other.detach().double().square().mean().sqrt()))
        assert float((mine.double() - other).detach().square().mean().sqrt()) <= CLOSE[dtype] * size, name


def exact(rows: Tensor, columns: Tensor, v: Tensor) -> Tensor:
    return grid_mixing.reference(rows, columns, v.double())


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("kind", ["single", "half"])
def test_outputs_and_gradients(sizes: tuple[int, ...], kind: str, device: torch.device):
    dtype = torch.float32 if kind == "single" else HALF[device.type]
    given = drawn(sizes, dtype, device)
    assert_close(results(grid_mixing.mix_grid, *given), results(exact, *given), dtype)


def test_maps_of_many_tiles(device: torch.device, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(grid_mixing, "LARGEST", 16)
    given = drawn((1, 1, 2, 2, 37, 17, 3, 20), torch.float32, device)
    assert_close(results(grid_mixing.mix_grid, *given), results(exact, *given), torch.float32)


@pytest.mark.parametrize("side", [4, 17])
def test_layouts(side: int, device: torch.device):
    """Heads inside of tokens, channels that are not neighbours, and one gradient for all."""
    rows, columns, v, _ = drawn((2, 3, 3, side, side, 2, 2, 8), torch.float32, device)
    heads = v.detach().transpose(1, 2).contiguous().transpose(1, 2).requires_grad_()
    channels = v.detach().mT.contiguous().mT.requires_grad_()
    grad = torch.ones((), device=device).expand(2, 3, 2 * side, 8)
    for x in (heads, channels):
        assert_close(
            results(grid_mixing.mix_grid, rows, columns, x, grad), results(exact, rows, columns, x, grad), x.dtype
        )


def test_a_batch_of_none(device: torch.device):
    rows, columns, v, grad = drawn((0, 1, 2, 3, 3, 3, 3, 8), torch.float32, device)
    out, *found = results(grid_mixing.mix_grid, rows, columns, v, grad)
    assert out.shape == (0, 2, 9, 8)
    assert [x.count_nonzero() for x in found] == [0, 0, 0]


@pytest.mark.parametrize("side", [4, 17])
def test_a_counter_sees_its_products(side: int):
    """Forward two; going back two for the values, one for each map, and one once more on a small grid."""
    rows, columns, v, grad = drawn((2, 1, 3, side, side, side, side, 8), torch.float32, torch.device("meta"))
    with FlopCounterMode(display=False) as counter:
        results(grid_mixing.mix_grid, rows, columns, v, grad)
    once = 2 * 2 * 3 * side**3 * 8
    assert counter.get_total_flops() == (7 if side == 4 else 6) * once


def test_it_differentiates_once(device: torch.device):
    rows, columns, v, grad = drawn((1, 1, 1, 3, 3, 3, 3, 4), torch.float32, device)
    out = grid_mixing.mix_grid(rows, columns, v)
    found = torch.autograd.grad(out, v, grad.requires_grad_(), create_graph=True)[0]
    with pytest.raises(RuntimeError, match="no second derivative"):
        found.sum().backward()


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["a tile", "odd, strided", "grouped heads", "beyond a tile"])
def test_a_compiler_that_launches_it_computes_the_same(name: str, device: torch.device):
    if device.type == "cpu":
        pytest.skip("torch's compiler takes Triton kernels for GPUs alone")
    given = drawn(SIZES[name], torch.bfloat16, device)
    compiled = torch.compile(grid_mixing.mix_grid, fullgraph=True)
    assert_close(results(compiled, *given), results(exact, *given), torch.bfloat16)


@pytest.mark.compiled
@pytest.mark.parametrize("side", [4, 17])
def test_the_operator(side: int, device: torch.device):
    rows, columns, v, _ = drawn((2, 1, 2, side, side, 1, 1, 8), torch.float32, device)
    narrow = [maps.detach().to(v.dtype) for maps in (rows, columns)]
    torch.library.opcheck(grid_mixing._operator, (rows, columns, *narrow, v))
