"""Products with the blocks of a map: right for every way to cut it, at the ends of the range, and without the map."""

from dataclasses import dataclass

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from regard import attend, plan
from regard.algorithms import Refused, attend_projected
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.kernels.position import toeplitz as toeplitz_kernel
from regard.algorithms.planning.problem import pose, without_content
from regard.algorithms.position import toeplitz
from regard.algorithms.position.convolution import taps
from regard.attention import (
    Attention,
    Causal,
    Content,
    Everything,
    Grid,
    Hard,
    Mask,
    Neighbours,
    Places,
    Positions,
    RelativeTable,
    Sequence,
    Shape,
    Slopes,
    Strided,
    Window,
)
from regard.attention.positions.reach import reach
from tests.algorithms.cases import Call, build
from tests.algorithms.harness import EQUAL, verdicts
from tests.algorithms.test_equivalence import RUNS
from tests.budget import examples

CUTS = [(1, 1), (16, 1 << 8), (40, 1 << 10)]  # rows of a matrix, and numbers of a product, at least


@pytest.fixture(params=CUTS, ids=str)
def cut(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Small problems in as many blocks as large ones have."""
    monkeypatch.setattr(toeplitz_kernel, "TALL", request.param[0])
    monkeypatch.setattr(toeplitz_kernel, "AREA", request.param[1])
    return request.param


def table_call(
    shape: Shape,
    keys: Positions,
    queries: Positions | None = None,
    mask: Mask | None = None,
    *,
    device: torch.device,
    dtype: torch.dtype = torch.float64,
    bound: float = 3.0,
    spread: float = 1.0,
    middle: float = 0.0,
    seed: int = 0,
) -> Call:
    """A learnt table over the offsets of such positions: entries of size `spread`, values around `middle`."""
    generator = torch.Generator().manual_seed(seed)
    exact = torch.promote_types(dtype, torch.float32)
    mask = Everything() if mask is None else mask
    sizes = [2 * n + 1 for n in reach(mask, Places(queries or keys, keys), "a test")]
    table = spread * torch.randn(shape.H, *sizes, generator=generator)
    v = middle + torch.randn(shape.B, shape.G, shape.S, shape.E, generator=generator)
    grads = [torch.randn(shape.B, shape.H, shape.T, n, generator=generator) for n in (shape.E, 1)]
    v, table = v.to(device, dtype).requires_grad_(), table.to(device, exact).requires_grad_()
    attention = Attention(RelativeTable(table, bound), mask, None, queries, keys)
    q, k = without_content(None, None, v, attention)
    return Call(q, k, v, attention, True, (grads[0].to(device, dtype), grads[1][..., 0].to(device, exact)))


def verdict(call: Call) -> str:
    return verdicts(call, ["toeplitz"])["toeplitz"]


@pytest.mark.parametrize("case", RUNS["toeplitz"], ids=str)
def test_any_cut_is_the_definition(case, cut, device):
    assert verdict(build(case, device)) == EQUAL


@dataclass(frozen=True)
class Drawn:
    """Sizes of a problem, and how it is cut."""

    shape: Shape
    queries: Positions
    keys: Positions
    mask: Mask
    cut: tuple[int, int]


@st.composite
def problems(draw: st.DrawFn) -> Drawn:
    """Grids and lines of any sides, queries at any start and stride, windows, grouped heads, odd cuts."""
    side, small = st.integers(1, 9), st.integers(1, 3)
    h, w, h_q, w_q = (draw(side) for _ in range(4))
    starts = st.tuples(st.integers(-4, 4), st.integers(-4, 4))
    step, stride = (draw(small), draw(small)), (draw(small), draw(small))
    G, heads = draw(small), draw(small)
    mask: Mask
    if draw(st.booleans()):
        keys: Positions = Grid(h, w, draw(starts), step)
        queries: Positions = Grid(h_q, w_q, draw(starts), (step[0] * stride[0], step[1] * stride[1]))
        mask = draw(st.sampled_from((Everything(), Neighbours(4, 6))))
    else:
        keys = Sequence(h * w, draw(st.integers(-4, 4)), step[0])
        queries = Sequence(h_q * w_q, draw(st.integers(-4, 4)), step[0] * stride[0])
        mask = draw(st.sampled_from((Everything(), Causal(), Window(7, 3))))
    shape = Shape(draw(small), G * heads, G, queries.count, keys.count, 0, draw(st.integers(1, 9)))
    return Drawn(shape, queries, keys, mask, draw(st.sampled_from(CUTS)))


@settings(max_examples=examples(80))
@given(drawn=problems(), seed=st.integers(0, 99))
def test_any_grid_is_the_definition(drawn: Drawn, seed: int, device):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(toeplitz_kernel, "TALL", drawn.cut[0])
        patch.setattr(toeplitz_kernel, "AREA", drawn.cut[1])
        call = table_call(drawn.shape, drawn.keys, drawn.queries, drawn.mask, device=device, seed=seed)
        problem = pose(call.q, call.k, call.v, call.attention)
        refusal = PLANNER.named("toeplitz").refuses(problem)
        assert refusal is None or (drawn.mask is not Everything() and "leave an offset" in refusal)
        assert refusal is not None or verdict(call) == EQUAL


@pytest.mark.parametrize("middle", [0.0, 5.0])
@pytest.mark.parametrize(
    ("dtype", "bound"),
    [
        (torch.float64, 30.0),
        (torch.float32, 30.0),
        (torch.bfloat16, 8.0),
        (torch.bfloat16, 20.0),
        (torch.float16, 4.0),
    ],
)
def test_the_ends_of_the_range_are_right(dtype: torch.dtype, bound: float, middle: float, cut, device):
    """Most entries at ±b, so that rows differ by exp(2b), with values that have much in common."""
    shape = Shape(3, 4, 2, 144, 144, 0, 24)
    options = {"device": device, "dtype": dtype, "bound": bound, "spread": 2 * bound, "middle": middle}
    assert verdict(table_call(shape, Grid(12, 12), **options)) == EQUAL


def test_many_large_values_do_not_overflow_float16(device):
    """A sum of 1024 values of 1000 would."""
    table = torch.full((1, 63, 63), 4.0, device=device)
    attention = Attention(RelativeTable(table, bound=4), keys=Grid(32, 32))
    v = torch.full((1, 1, 1024, 8), 1000.0, dtype=torch.float16, device=device)
    out = attend(None, None, v, attention, algorithm="toeplitz")
    assert torch.equal(out, v)


def test_memory_that_nobody_wrote_is_not_read(cut, device):
    """Fresh memory full of NaN."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        assert torch.empty(1).isnan()
        for grid, queries in ((Grid(7, 5), None), (Grid(7, 5), Grid(3, 2, step=(2, 3)))):
            shape = Shape(2, 4, 2, (queries or grid).count, grid.count, 0, 3)
            assert verdict(table_call(shape, grid, queries, device=device)) == EQUAL
    finally:
        torch.use_deterministic_algorithms(before)


def test_a_value_that_nobody_sees_reaches_nothing(cut, device):
    """Every third pixel asks, and sees itself alone."""
    keys, queries = Grid(7, 7), Grid(3, 3, step=(3, 3))
    call = table_call(Shape(2, 4, 2, 9, 49, 0, 3), keys, queries, Neighbours(0, 0), device=device)
    with torch.no_grad():
        unseen = torch.ones(7, 7, dtype=torch.bool, device=device)
        unseen[::3, ::3] = False
        call.v[:, :, unseen.flatten()] = torch.nan
    out = attend(None, None, call.v, call.attention, algorithm="toeplitz")
    (table,) = call.attention.flatten()[1]
    grads = torch.autograd.grad(out.sum(), (call.v, table))
    assert all(x.isfinite().all() for x in (out, *grads))


class Largest(TorchDispatchMode):
    """Remembers the largest memory behind any result."""

    numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        for x in found if isinstance(found, list | tuple) else (found,):
            if isinstance(x, Tensor):
                self.numbers = max(self.numbers, x.untyped_storage().nbytes() // x.element_size())
        return found


@pytest.mark.parametrize("n", [24, 48])
def test_the_map_is_nowhere_in_memory(n: int, monkeypatch: pytest.MonkeyPatch, device):
    monkeypatch.setattr(toeplitz_kernel, "TALL", 1)
    monkeypatch.setattr(toeplitz_kernel, "AREA", 1)
    call = table_call(Shape(1, 2, 2, n * n, n * n, 0, 4), Grid(n, n), device=device, dtype=torch.float32)
    (table,) = call.attention.flatten()[1]
    with Largest() as mode:
        out = attend(None, None, call.v, call.attention, algorithm="toeplitz")
        torch.autograd.grad(out, (call.v, table), call.grads[0])
    assert mode.numbers <= 2 * (2 * n) * (2 * n) * n + 2 * n  # heads · distances of rows, of columns · queries of a row
    assert mode.numbers < 2 * n**4 / (n / 4)


def test_flops_are_those_that_torch_counts(device):
    call = table_call(Shape(2, 4, 2, 256, 256, 0, 8), Grid(16, 16), device=device, dtype=torch.float32)
    (table,) = call.attention.flatten()[1]
    problem = pose(call.q, call.k, call.v, call.attention)
    with FlopCounterMode(display=False) as counter:
        out = attend(None, None, call.v, call.attention, algorithm="toeplitz")
        torch.autograd.grad(out, (call.v, table), call.grads[0])
    denominators = 3 * 2 * 4 * (16 * 31 * 31 + 16 * 16 * 31)  # and their way back: a few small products
    expected = PLANNER.named("toeplitz").cost(problem).flops
    assert expected <= counter.get_total_flops() <= expected + denominators


TABLE = RelativeTable(torch.zeros(4, 5), bound=1)
LINE = Sequence(3)
REFUSALS = {
    "hard": (Attention(TABLE, weighting=Hard(), keys=LINE), torch.float32, "not Hard()"),
    "content": (Attention(Content() + TABLE, keys=LINE), torch.float32, "without Content"),
    "slopes": (Attention(Slopes(torch.ones(4)), keys=LINE), torch.float32, "not Slopes"),
    "no bound": (Attention(RelativeTable(torch.zeros(4, 5)), keys=LINE), torch.float32, "with a bound alone"),
    "a mask with holes": (Attention(TABLE, Strided(2), keys=LINE), torch.float32, "not Strided"),
    "fractions of a step": (
        Attention(RelativeTable(torch.zeros(4, 31), 1), queries=Sequence(3, step=3), keys=Sequence(3, step=2)),
        torch.float32,
        "whose step is a multiple",
    ),
    "float16": (Attention(RelativeTable(torch.zeros(4, 5), 4.5), keys=LINE), torch.float16, "at most 8: got 9"),
    "bfloat16": (Attention(RelativeTable(torch.zeros(4, 5), 20.5), keys=LINE), torch.bfloat16, "at most 40: got 41"),
    "float32": (Attention(RelativeTable(torch.zeros(4, 5), 31), keys=LINE), torch.float32, "at most 60: got 62"),
    "two tables": (Attention(TABLE + RelativeTable(torch.zeros(4, 5), 30), keys=LINE), torch.float32, "got 62"),
    "a long line": (
        Attention(RelativeTable(torch.zeros(4, 2049), 1), keys=Sequence(1025)),
        torch.float32,
        "at most 1024 places along an axis: got 1025",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_it_does_not_take_it_refuses(name: str, device):
    attention, dtype, reason = REFUSALS[name]
    attention = attention.on(device)
    assert attention.keys is not None
    n = attention.keys.count
    v = torch.zeros(2, 2, n, 3, dtype=dtype, device=device)
    q, k = (torch.zeros(2, H, n, 3, dtype=dtype, device=device) for H in (4, 2))
    with pytest.raises(Refused) as error:
        attend(q, k, v, attention, algorithm="toeplitz")
    assert reason in str(error.value)


@pytest.mark.parametrize(("machine", "dtype"), [("h200", torch.bfloat16), ("cpu", torch.float32)])
def test_it_is_chosen_for_large_grids_and_needs_no_room_for_a_map(machine: str, dtype: torch.dtype):
    v = torch.empty(8, 8, 4096, 64, device="meta", dtype=dtype, requires_grad=True)
    table = torch.empty(8, 127, 127, device="meta", requires_grad=True)
    attention = Attention(RelativeTable(table, bound=8), keys=Grid(64, 64))
    made = plan(None, None, v, attention, device=machine)
    memory = {candidate.name: candidate.cost.memory for candidate in made.candidates if candidate.cost is not None}
    assert made.chosen == "toeplitz"
    assert 8 * memory["toeplitz"] < memory["shared"]
    few = pose(*without_content(None, None, v[:, :, :9], attention_on(3)), v[:, :, :9], attention_on(3), device=machine)
    assert PLANNER.choose(few).name != "toeplitz"


def test_a_projection_of_heads_takes_it(device):
    """Heads that share one value."""
    call = table_call(Shape(2, 4, 1, 256, 256, 0, 6), Grid(16, 16), device=device)
    x, weight = call.v.detach()[:, 0].requires_grad_(), torch.randn(5, 24, dtype=torch.float64, device=device)
    if device.type == "cpu":
        assert plan(None, None, x[:, None], call.attention).chosen == "toeplitz"
    heads = attend(None, None, x[:, None], call.attention, algorithm="reference")
    wanted = torch.nn.functional.linear(heads.transpose(1, 2).flatten(2), weight)
    got = attend_projected(x, call.attention, weight)
    leaves = [x, *call.attention.flatten()[1]]
    pairs = [(got, wanted), *zip(*[torch.autograd.grad(y.sum(), leaves) for y in (got, wanted)], strict=True)]
    for ours, theirs in pairs:
        torch.testing.assert_close(
            ours, theirs, rtol=0, atol=1e-10
        )  # sums of thousands of numbers of size 1 in float64


def attention_on(side: int) -> Attention:
    """Such a table on a small grid."""
    table = torch.empty(8, 2 * side - 1, 2 * side - 1, device="meta", requires_grad=True)
    return Attention(RelativeTable(table, bound=8), keys=Grid(side, side))


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # torch warns itself
def test_transforms_of_functions_take_it_apart(cut, device):
    """Forward-mode and vmap, which know no gradient written by hand."""
    call = table_call(Shape(2, 4, 2, 30, 30, 0, 3), Grid(5, 6), mask=Neighbours(3, 4), device=device)
    (table,) = call.attention.flatten()[1]
    v, tangent = call.v.detach(), call.grads[0][:, :2, :, :3]

    def by(name: str):
        def run(v: Tensor, table: Tensor) -> Tensor:
            attention = Attention(RelativeTable(table, 3.0), Neighbours(3, 4), keys=Grid(5, 6))
            return attend(None, None, v, attention, algorithm=name)

        return run

    for transformed in (
        lambda run: torch.func.jvp(lambda v: run(v, table.detach()), (v,), (tangent,))[1],
        lambda run: torch.func.grad(lambda table: run(v, table).square().sum())(table.detach()),
        lambda run: torch.func.vmap(lambda v: run(v, table.detach()))(torch.stack((v, tangent))),
    ):
        got, wanted = transformed(by("toeplitz")), transformed(by("reference"))
        torch.testing.assert_close(got, wanted, rtol=0, atol=1e-11)  # sums of 30 numbers of size 1 in float64


# In every run each way to cut with one of what is learnt, in make test-all with all.
COMPILED = [
    pytest.param(cut, learnt, marks=() if i == j else pytest.mark.slow)
    for i, cut in enumerate(CUTS)
    for j, learnt in enumerate(("both", "v", "table"))
]


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # torch's compiler warns of torch
@pytest.mark.filterwarnings("ignore:`torch._prims_common:FutureWarning")
@pytest.mark.parametrize(("cut", "learnt"), COMPILED, indirect=["cut"], ids=str)
def test_compiled_it_is_one_operator_each_way(learnt: str, cut, device):
    call = table_call(Shape(2, 4, 2, 35, 35, 0, 3), Grid(7, 5), device=device)
    (table,) = call.attention.flatten()[1]
    v, table = call.v.detach().requires_grad_(learnt != "table"), table.detach().requires_grad_(learnt != "v")
    leaves = [x for x in (v, table) if x.requires_grad]

    def run(v: Tensor, table: Tensor, name: str = "toeplitz") -> Tensor:
        attention = Attention(RelativeTable(table, 3.0), keys=Grid(7, 5))
        return attend(None, None, v, attention, algorithm=name)

    torch._dynamo.reset()
    got, wanted = torch.compile(run, fullgraph=True)(v, table), run(v, table, "reference")
    grads = [torch.autograd.grad(out, leaves, call.grads[0]) for out in (got, wanted)]
    for x, y in zip((got, *grads[0]), (wanted, *grads[1]), strict=True):
        torch.testing.assert_close(x, y, rtol=0, atol=1e-11)  # sums of 35 numbers of size 1 in float64


def test_the_operator_keeps_its_promises(cut, device):
    """Fake results of the same sizes and strides, and gradients where they are due."""
    call = table_call(Shape(2, 4, 2, 35, 35, 0, 3), Grid(7, 5), device=device)
    problem = pose(call.q, call.k, call.v, call.attention)
    rows, columns = toeplitz.grid_axes(problem.places)
    kernel = toeplitz._kernel(problem, taps(Everything(), problem.places)).detach()
    inputs = (kernel, toeplitz._sums(kernel, rows, columns), call.v.detach())
    sizes = [*rows, *columns]
    torch.library.opcheck(toeplitz_kernel._forward, (*[x.clone().requires_grad_() for x in inputs], sizes))
    out = toeplitz_kernel._forward(*inputs, sizes)
    for wanted in ([True, True, True], [False, False, True], [True, True, False]):
        torch.library.opcheck(toeplitz_kernel._backward, (call.grads[0], [*inputs, out], sizes, wanted))
