"""The tiled kernel: on the GPU, or small tensors in Triton's interpreter."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd import forward_ad
from torch.utils.flop_counter import FlopCounterMode

from regard import Attention, attend, plan
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning.planner import CROSSING
from regard.algorithms.planning.problem import pose
from regard.attention import (
    Causal,
    Content,
    Documents,
    Grid,
    KeyPadding,
    Mask,
    Padding,
    Prefix,
    Quadratic,
    Sequence,
    Slopes,
    Term,
    Window,
)

pytest.importorskip("triton", reason="Triton has no wheels for this system")
tiled = pytest.importorskip("regard.algorithms.kernels.tiled")

IDS = torch.tensor([[0] * 20 + [-1] * 5 + [1] * 30 + [2] * 10 + [-1] * 5, [-1] * 3 + [0] * 67])
SIZES = (2, 2, 1, 70, 70, 20, 24)  # B, H, G, T, S, D, E


def lengths(*numbers: int) -> Tensor:
    return torch.tensor(numbers)


def quadratic(kind: str, axes: int) -> Quadratic:
    precision = {"isotropic": torch.rand(2), "diagonal": torch.rand(2, axes)}.get(kind)
    if precision is None:
        precision = torch.eye(axes).expand(2, axes, axes) + 0.3
    return Quadratic(torch.randn(2, axes) * 2, precision * 0.2 + 0.02)


def slopes() -> Slopes:
    return Slopes(torch.tensor([0.5, 0.02]))


GRID = {"queries": Grid(7, 10), "keys": Grid(7, 10)}
WIDE = {"queries": Grid(2, 64, start=(-3, 5)), "keys": Grid(2, 64)}
CASES: dict[str, tuple[Any, Term, Mask | None, dict[str, Any]]] = {
    "no mask": (SIZES, Content(), None, {}),
    "key padding": (SIZES, Content(), KeyPadding(lengths(33, 70)), {}),
    "nothing real": (SIZES, Content(), KeyPadding(lengths(0, 1)), {}),
    "padding by numbers": (SIZES, Content(), Padding((64, 7)), {}),
    "a map of real keys": (SIZES, Content(), KeyPadding(IDS >= 0), {}),
    "a map of real tokens, causal": (SIZES, Content(), Causal() & Padding(IDS >= 0), {}),
    "causal, key padding": (SIZES, Content(), Causal() & KeyPadding(lengths(33, 70)), {}),
    "causal, padding": (SIZES, Content(), Causal() & Padding(lengths(33, 0)), {}),
    "window": ((1, 2, 1, 150, 150, 16, 16), Content(), Window(30, 5), {}),
    "window behind all queries": ((1, 2, 2, 5, 90, 16, 16), Content(), Window(3), {}),
    "more queries than keys": ((1, 2, 1, 90, 40, 16, 16), Content(), Causal() & Window(20), {}),
    "prefix": (SIZES, Content(), Prefix(40), {}),
    "prefix, key padding": (SIZES, Content(), Prefix(lengths(3, 60)) & KeyPadding(lengths(50, 70)), {}),
    "documents": (SIZES, Content(), Documents(((20, 40), (70,))), {}),
    "documents with pads, causal": (SIZES, Content(), Causal() & Documents(ids=IDS), {}),
    "documents with pads, window": (SIZES, Content(), Window(9, 2) & Documents(ids=IDS), {}),
    "slopes": (SIZES, Content() + slopes(), None, {}),
    "slopes, causal": (SIZES, Content() + slopes(), Causal() & KeyPadding(lengths(33, 70)), {}),
    "gaussians in a line": (SIZES, Content() + quadratic("isotropic", 1), Window(30, 30), {}),
    "gaussians": (SIZES, Content() + quadratic("isotropic", 2), None, GRID),
    "gaussians, diagonal": ((1, 2, 2, 128, 128, 16, 16), Content() + quadratic("diagonal", 2), None, WIDE),
    "cap": (SIZES, Content(0.4, cap=2.0), None, {}),
    "a cap far above the logits": (SIZES, Content(cap=1e9), Causal(), {}),
    "cap, causal, slopes": (SIZES, Content(0.4, cap=2.0) + slopes(), Causal() & KeyPadding(lengths(33, 70)), {}),
    "cap, documents": (SIZES, Content(0.4, cap=2.0), Documents(((20, 40), (70,))), {}),
    "cap, more queries than keys": ((1, 2, 1, 90, 40, 16, 16), Content(cap=1.5), Causal() & Window(20), {}),
    "cap, window, gaussians": (SIZES, Content(0.4, cap=2.0) + quadratic("isotropic", 1), Window(30, 5), {}),
    "gaussians, full": ((1, 2, 2, 128, 128, 16, 16), Content() + quadratic("full", 2), None, WIDE),
}


def run(q: Tensor, k: Tensor, v: Tensor, attention: Attention, dropout: float = 0.0) -> tuple[Tensor, Tensor]:
    """Output and log-sum-exp by the kernel, as a plan for an H200 would run it."""
    if q.is_cuda:
        return attend(q, k, v, attention, dropout=dropout, algorithm="tiled", return_lse=True)
    problem = pose(q, k, v, attention, dropout=dropout, return_lse=True, device="h200")
    out, lse = PLANNER.named("tiled").run(problem, q, k, v)
    assert lse is not None
    return out, lse


def draw(sizes: Any, device: torch.device) -> list[Tensor]:
    """Queries with heads innermost, keys and values; float32 for the interpreter, which rounds nothing."""
    B, H, G, T, S, D, E = sizes
    dtype = torch.float32 if device.type == "cpu" else torch.float16
    q = torch.randn(B, T, H, D, device=device, dtype=dtype).transpose(1, 2)
    k, v = (torch.randn(B, G, S, width, device=device, dtype=dtype) for width in (D, E))
    return [q, k, v]


@pytest.mark.parametrize("name", CASES)
def test_output_and_all_gradients_are_those_of_the_definition(name: str, device: torch.device):
    torch.manual_seed(0)
    sizes, scores, mask, places = CASES[name]
    attention = Attention(scores, mask, **places) if mask is not None else Attention(scores, **places)
    attention = attention.on(device)
    q, k, v = draw(sizes, device)
    terms = [x for x in attention.flatten()[1] if x.is_floating_point()]
    leaves = [x.requires_grad_() for x in (q, k, v, *terms)]
    wide = q.double(), k.double(), v.double()
    exact, exact_lse = attend(*wide, attention, algorithm="reference", return_lse=True)
    live = exact_lse.isfinite()
    grads = torch.randn_like(exact), torch.where(live, torch.randn_like(exact_lse), 0)
    want = torch.autograd.grad((exact, exact_lse), leaves, grads)
    with torch.no_grad():  # what sees nothing, or is seen by nobody, may hold anything
        q[~live] = torch.nan
        hidden = ~_seen(attention, sizes, device)
        k[hidden], v[hidden] = torch.nan, torch.nan
    out, lse = run(q, k, v, attention)
    own = [torch.where(live[..., None], grads[0], torch.nan).to(out.dtype), grads[1].to(lse.dtype)]
    found = torch.autograd.grad((out, lse), leaves, own)
    bound = 1e-5 if device.type == "cpu" else 3e-3
    assert torch.equal(lse.isfinite(), live)
    assert (out[~live] == 0).all()
    for x, y in zip((out, lse[live], *found), (exact, exact_lse[live], *want), strict=True):
        assert (x - y).norm() <= bound * (y.norm() + 1e-3)


LAUNCHED = ("key padding", "causal, padding", "window", "prefix, key padding", "documents with pads, causal")
LAUNCHED += (
    "cap, causal, slopes",
    "slopes, causal",
    "gaussians in a line",
    "gaussians, full",
    "more queries than keys",
)


@pytest.mark.compiled
@pytest.mark.parametrize("name", LAUNCHED)
def test_a_compiler_that_launches_it_computes_the_same(name: str, device: torch.device):
    if device.type == "cpu":
        pytest.skip("torch's compiler takes Triton kernels for GPUs alone")
    torch.manual_seed(0)
    sizes, scores, mask, places = CASES[name]
    attention = Attention(scores, mask, **places).on(device)
    q, k, v = draw(sizes, device)
    terms = [x for x in attention.flatten()[1] if x.is_floating_point()]
    leaves = [x.requires_grad_() for x in (q, k, v, *terms)]

    def both(compiled: bool) -> list[Tensor]:
        call = torch.compile(run, fullgraph=True) if compiled else run
        out, lse = call(2 * q, 2 * k, 2 * v, attention)
        lse = lse.clamp(min=-10.0)
        return [out, lse, *torch.autograd.grad((out.sin().sum() + lse.sin().sum(),), leaves)]

    for x, y in zip(both(True), both(False), strict=True):
        assert (x - y).norm() <= 2e-3 * (y.norm() + 1e-3)


def _seen(attention: Attention, sizes: Any, device: torch.device) -> Tensor:
    """Keys that some query sees, (B, G, S)."""
    B, H, G, T, S, _, _ = sizes
    b, h, i, j = (torch.arange(n, device=device) for n in (B, H, T, S))
    allowed = attention.mask.slab(b, h, i, j, attention.places(T, S)).expand(B, H, T, S)
    return allowed.any(2).unflatten(1, (G, -1)).any(2)


def test_dropout_drops_its_share_and_scales_what_it_keeps(device: torch.device):
    torch.manual_seed(1)
    q, k, v = draw((1, 2, 2, 80, 64, 16, 64), device)
    given = tiled.Given(seed=torch.randint(1 << 62, (), device=device))
    spec = tiled.Spec(0.25, dropout=0.3)
    eye = torch.eye(64, device=device, dtype=q.dtype).expand(1, 2, 64, 64).contiguous()
    map_ = tiled.attend_by_tiles(torch.zeros_like(q), torch.zeros_like(k), eye, given, spec)[0] * 64
    keep = (map_ > 0).double() / 0.7
    assert abs((keep == 0).double().mean() - 0.3) < 0.02
    assert (map_.double() - keep).abs().max() < 1e-2
    leaves = [x.requires_grad_() for x in (q, k, v)]
    exact = (torch.softmax(q.double() @ k.double().mT * 0.25, -1) * keep) @ v.double()
    out, _ = tiled.attend_by_tiles(q, k, v, given, spec)
    grad = torch.randn_like(out)
    want = torch.autograd.grad(exact, leaves, grad.double())
    found = torch.autograd.grad(out, leaves, grad)
    for x, y in zip((out, *found), (exact, *want), strict=True):
        assert (x - y).norm() <= (1e-5 if device.type == "cpu" else 3e-3) * y.norm()


def test_the_operator_is_what_a_compiler_is_told(device: torch.device):
    q, k, v = (x.requires_grad_() for x in draw((2, 2, 1, 40, 40, 16, 16), device))
    numbers = tiled._flat(tiled.Spec(0.25, high=0))
    args = (q, k, v, torch.tensor([7, 40], device=device), None, None, None, None, *numbers)
    torch.library.opcheck(tiled._operator, args)
    with FlopCounterMode(display=False) as counter:
        tiled._operator(*args)[0].sum().backward()
    pairs = 2 * 2 * (40 * 41 // 2)
    assert counter.get_total_flops() == 2 * pairs * 32 + 2 * pairs * 7 * 16


def test_a_plan_for_the_gpu_prefers_it_where_each_query_sees_an_interval():
    q = torch.empty(8, 16, 2048, 64, dtype=torch.bfloat16, device="meta")

    def chosen(scores: Term, mask: Mask) -> str:
        return plan(q, q, q, Attention(scores, mask), device="h200").chosen

    ids = torch.zeros(8, 2048).long()
    for mask in (KeyPadding((2048,) * 8), Causal() & Window(256), Prefix(100), Causal() & Documents(ids=ids)):
        assert chosen(Content(), mask) == "tiled"
    assert chosen(Content() + Slopes.geometric(16), Causal()) == "tiled"
    assert chosen(Content(), Causal()) == "fused"


def test_ends_farther_than_any_token_are_those_of_the_tokens(device: torch.device):
    q, k, v = draw((1, 2, 2, 20, 20, 16, 16), device)
    leaves = [x.requires_grad_() for x in (q, k, v)]
    for mask in (Window(2**31 - 1), Window(3, 2**31 - 1), Window(2**40, 2)):
        exact = attend(q.double(), k.double(), v.double(), Attention(mask=mask), algorithm="reference")
        out, _ = run(q, k, v, Attention(mask=mask))
        for x, y in zip(torch.autograd.grad(out.sum(), leaves), torch.autograd.grad(exact.sum(), leaves), strict=True):
            assert (x - y).norm() <= 3e-3 * y.norm() + 1e-5


def test_behind_the_last_real_query_no_key_is_read(device: torch.device):
    """Pads see nothing, and what nobody sees may hold anything, though no tile of keys is cut."""
    q, k, v = draw((1, 2, 2, 128, 128, 16, 16), device)
    k[:, :, 63], v[:, :, 63] = torch.nan, torch.nan  # real, but behind every real query
    leaves = [x.requires_grad_() for x in (q, k, v)]
    mask = Causal() & Padding(torch.tensor([64], device=device))
    out, _ = run(q, k, v, Attention(mask=mask, queries=Sequence(128), keys=Sequence(128, start=1)))
    assert all(x.isfinite().all() for x in (out, *torch.autograd.grad(out.sum(), leaves)))


@pytest.mark.parametrize("slopes", [torch.tensor([0.5, 9.0, 0.02, 9.0])[::2], torch.tensor(0.3).expand(2)])
def test_slopes_may_lie_in_memory_as_they_like(slopes: Tensor, device: torch.device):
    q, k, v = draw((1, 2, 2, 30, 30, 16, 16), device)
    value = Attention(Content() + Slopes(slopes.to(device)), Causal())
    exact = attend(q.double(), k.double(), v.double(), value, algorithm="reference")
    assert (run(q, k, v, value)[0] - exact).norm() <= 3e-3 * exact.norm()


def test_gradients_do_not_depend_on_how_the_output_was_saved(device: torch.device):
    """A hook may hand back what was saved in another layout."""
    q, k, v = (x.requires_grad_() for x in draw((1, 3, 3, 33, 33, 16, 32), device))
    grads = []
    for pack in (lambda x: x, lambda x: x.contiguous()):
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
            out, _ = run(q, k, v, Attention(mask=Causal() & KeyPadding(torch.tensor([20], device=device))))
        grads.append(torch.autograd.grad(out.square().sum(), (q, k, v)))
    for x, y in zip(*grads, strict=True):
        assert torch.equal(x, y)


def test_a_negative_beta_is_refused():
    q = torch.zeros(1, 1, 4, 16, dtype=torch.float16)
    problem = pose(q, q, q, Attention(Content(-1.0), Causal()), device="h200")
    assert "positive beta" in (PLANNER.named("tiled").refuses(problem) or "")


def test_the_compiler_is_told_how_the_output_lies(device: torch.device):
    """An expanded query is copied before the kernel reads it; the output lies as the query that was given says."""
    q = torch.randn(2, 1, 40, 16, device=device, dtype=torch.float16).expand(2, 2, 40, 16)
    k, v = (torch.randn(2, 2, 40, 16, device=device, dtype=torch.float16) for _ in range(2))
    args = (q, k, v, None, None, None, None, None, *tiled._flat(tiled.Spec(0.25, high=0)))
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        told = tiled._operator(*[mode.from_tensor(x) if isinstance(x, Tensor) else x for x in args])[0]
    assert tiled._operator(*args)[0].stride() == told.stride()


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")  # torch's own, at the first jvp
def test_a_forward_derivative_is_refused(device: torch.device):
    q, k, v = draw((1, 1, 1, 4, 4, 16, 16), device)
    with forward_ad.dual_level(), pytest.raises(RuntimeError, match="forward-mode"):
        run(forward_ad.make_dual(q, torch.ones_like(q)), k, v, Attention(mask=Causal() & Window(2)))


def test_a_compiled_graph_pays_for_its_way_through_python(monkeypatch: pytest.MonkeyPatch):
    q = torch.empty(16, 12, 1, 64, dtype=torch.bfloat16, device="meta")
    problem = pose(q, q, q, Attention(mask=KeyPadding((1,) * 16)), device="h200")
    algorithms = [PLANNER.named(name) for name in ("decode", "tiled", "masked")]
    eager = [PLANNER.seconds_by(algorithm, problem) for algorithm in algorithms]
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    compiled = [PLANNER.seconds_by(algorithm, problem) for algorithm in algorithms]
    assert compiled[0] >= eager[0] + CROSSING
    assert compiled[1:] == eager[1:], "their kernels are nodes of the graph"
