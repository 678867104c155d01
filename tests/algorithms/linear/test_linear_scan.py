"""The GPU kernels of causal linear attention against float64: on the GPU, and in Triton's interpreter on the CPU."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._dynamo.testing import CompileCounterWithBackend
from torch.utils.flop_counter import FlopCounterMode

pytest.importorskip("triton")

from regard.algorithms.kernels.linear import causal_sums
from regard.algorithms.kernels.linear import scan as linear_scan
from regard.algorithms.kernels.linear.scan import Given

attended: Any = linear_scan.attended
by_products: Any = linear_scan.by_products

# Sums of hundreds of numbers of one sign, relative to the norm: float32 as torch's own products; half precision rounds
# the features, the pairs and the states once each.
CLOSE = {torch.float32: 2e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}


@dataclass(frozen=True)
class Case:
    map: str = "Elu"
    normalise: bool = True
    dtype: torch.dtype = torch.float32
    B: int = 1
    H: int = 1
    G: int = 1
    N: int = 37  # two short chunks and a remainder
    F: int = 16
    E: int = 16
    padded: bool = False
    resumes: bool = True  # from a state


CASES = [
    Case(),
    Case(resumes=False, N=1, H=2, G=2),
    *[Case(map=map) for map in ("Relu", "SquaredRelu", "Exp", "")],
    *[Case(map="Identity", normalise=False, dtype=dtype) for dtype in (torch.float32, torch.bfloat16)],
    Case(normalise=False),
    Case(dtype=torch.float16),
    Case(dtype=torch.bfloat16),
    Case(F=20, E=33, H=4, G=2, B=2, N=20),
    Case(F=3, E=1, map="Exp", N=32),
    Case(B=2, G=1, H=3, padded=True),
    Case(B=2, H=1, G=1, F=20, E=7, padded=True, normalise=False, map="SquaredRelu"),
    Case(padded=True, map="", dtype=torch.bfloat16, resumes=False),
]


@pytest.fixture(autouse=True)
def chunks(monkeypatch: pytest.MonkeyPatch, device: torch.device) -> None:
    """Short ones in the interpreter, which is slow; on the GPU those that are used, and four times as many tokens."""
    if device.type == "cpu":
        monkeypatch.setattr(linear_scan, "TUNED", dict.fromkeys(linear_scan.TUNED, (16, 4, 2, 2)))


@pytest.fixture(params=[False, True], ids=["whole", "in segments"])
def segment(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, device: torch.device) -> None:
    """Sequences in one piece, or in segments of one chunk."""
    for name in ("FEW", "MANY"):
        monkeypatch.setattr(linear_scan, name, 1 << 20 if request.param else 1)
    for name in ("SHORTEST", "SEGMENT"):
        monkeypatch.setattr(linear_scan, name, 16 if device.type == "cpu" else 64)


def inputs(case: Case, device: torch.device) -> dict[str, Any]:
    generator = torch.Generator().manual_seed(7)
    case = case if device.type == "cpu" else replace(case, N=4 * case.N)

    def drawn(*shape: int) -> Tensor:
        x = torch.randn(shape, generator=generator)
        return x if case.map else x.abs()  # features are positive

    q, k = drawn(case.B, case.H, case.N, case.F), drawn(case.B, case.G, case.N, case.F)
    v = torch.randn(case.B, case.G, case.N, case.E, generator=generator) + 0.5
    start = torch.rand(case.B, case.G, case.F, case.E + 1, generator=generator).to(device) if case.resumes else None
    there = torch.rand(2, case.B, case.N, generator=generator).to(device) > 0.3 if case.padded else (None, None)
    q, k, v = (x.to(device, case.dtype) for x in (q, k, v))
    return {"q": q, "k": k, "v": v, "live": there[0], "real": there[1], "start": start}


def results(run: Any, x: dict[str, Any], case: Case, exact: bool = False) -> dict[str, Tensor]:
    """Outputs, end, and the gradients of everything, by fixed seeds."""
    x = {name: y.detach() if isinstance(y, Tensor) else y for name, y in x.items()}
    if exact:
        x = {name: y.double() if isinstance(y, Tensor) and y.is_floating_point() else y for name, y in x.items()}
    leaves = {name: x[name].requires_grad_() for name in ("q", "k", "v", "start") if x[name] is not None}
    out, end = run(*x.values(), case.map, case.normalise, True)
    seeds = [torch.arange(y.numel(), device=y.device).add(1).cos().view(y.shape).to(y.dtype) for y in (out, end)]
    grads = torch.autograd.grad((out, end), list(leaves.values()), seeds)
    return {"out": out, "end": end} | {f"gradient of {name}": g for name, g in zip(leaves, grads, strict=True)}


def defined(*x: Any) -> tuple[Tensor, Tensor]:
    *tensors, map, normalise, wants_end = x
    return by_products(*tensors, Given(map, normalise, wants_end, wide=False))


def assert_close(got: dict[str, Tensor], exact: dict[str, Tensor], dtype: torch.dtype) -> None:
    assert got.keys() == exact.keys()
    gradients = max([float(x.norm()) for name, x in exact.items() if "gradient" in name], default=0.0)
    for name, wanted in exact.items():
        error = (got[name].double() - wanted).norm() / (gradients if "gradient" in name else wanted.norm())
        assert error <= CLOSE[dtype], f"{name} is off by {float(error):.2g}"


@pytest.mark.usefixtures("segment")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_outputs_and_gradients_are_those_of_the_definition(case: Case, device):
    x = inputs(case, device)
    assert_close(results(attended, x, case), results(defined, x, case, exact=True), case.dtype)


def test_the_definition_is_the_sum_over_the_keys():
    case = Case(N=20)
    x = inputs(case, torch.device("cpu"))
    q, k, v = (x[name].double() for name in "qkv")
    features = [torch.nn.functional.elu(y) + 1 for y in (q, k)]
    values = torch.cat((v, torch.ones_like(v[..., :1])), -1)
    sums = (features[0] @ features[1].mT).tril() @ values + features[0] @ x["start"].double()
    out = results(defined, x, case, exact=True)["out"]
    torch.testing.assert_close(out, sums[..., :-1] / sums[..., -1:])


@pytest.mark.usefixtures("segment")
@pytest.mark.parametrize("map", ["Exp", ""])
def test_what_nobody_reads_changes_nothing(map: str, device):
    case = Case(padded=True, map=map, N=20)
    x = inputs(case, device)
    dirty = dict(x)
    for name, mask in (("q", "live"), ("k", "real"), ("v", "real")):
        dirty[name] = x[name].masked_fill(~x[mask][:, None, :, None], torch.nan)
    clean, spoilt = results(attended, x, case), results(attended, dirty, case)
    for name in clean:
        assert torch.equal(clean[name], spoilt[name]), name
    for name, mask in (
        ("out", "live"),
        ("gradient of q", "live"),
        ("gradient of k", "real"),
        ("gradient of v", "real"),
    ):
        assert (clean[name].masked_select(~x[mask][:, None, :, None]) == 0).all(), name


def test_real_tokens_may_be_a_part_of_a_larger_map(device):
    case = Case(B=2, padded=True)
    x = inputs(case, device)
    wide = {name: torch.cat((x[name], ~x[name]), 1)[:, : x[name].shape[1]] for name in ("live", "real")}
    assert_close(results(attended, x | wide, case), results(attended, x, case), case.dtype)


@pytest.mark.parametrize("map", ["Relu", "SquaredRelu"])
def test_a_nan_that_is_seen_is_seen(map: str, device):
    case = Case(map=map, resumes=False)
    x = inputs(case, device)
    x["k"][:, :, 5] = torch.nan
    out = attended(*x.values(), map, True, False)[0]
    assert torch.equal(out.isnan(), defined(*x.values(), map, True, False)[0].isnan())
    assert out.isnan().any()


def test_an_empty_row_gives_zeros(device):
    case = Case(map="Relu", resumes=False, N=5)
    x = inputs(case, device)
    x["q"][:, :, 2] = -1.0
    found = results(attended, x, case)
    assert (found["out"][:, :, 2] == 0).all()
    assert all(y.isfinite().all() for y in found.values())


@pytest.mark.parametrize("layout", ["heads inside", "tokens apart", "columns apart", "one for all"])
def test_any_layout(layout: str, device):
    case = Case(N=20, H=2, G=2)
    x = inputs(case, device)
    laid = {
        "heads inside": lambda y: y.transpose(1, 2).contiguous().transpose(1, 2),
        "tokens apart": lambda y: y.repeat_interleave(2, 2)[:, :, ::2],
        "columns apart": lambda y: y.mT.contiguous().mT,
        "one for all": lambda y: y[:, :1].expand(-1, 2, -1, -1),
    }[layout]
    x |= {name: laid(x[name]) for name in "qkv"}
    found = results(attended, x, case)
    assert_close(found, results(defined, x, case, exact=True), case.dtype)
    if layout != "one for all":  # merging heads is free where it was for those of q
        assert (found["out"].stride(1) < found["out"].stride(2)) == (layout == "heads inside")


@pytest.mark.parametrize("case", [Case(E=20, N=20), Case(normalise=False, resumes=False, E=32, N=20)], ids=str)
def test_states_too_large_for_registers_are_cut(case: Case, device, monkeypatch):
    monkeypatch.setattr(linear_scan, "STATE", 16 * 16)
    x = inputs(case, device)
    assert_close(results(attended, x, case), results(defined, x, case, exact=True), case.dtype)


@pytest.mark.parametrize("learnt", ["q", "k", "v", "start"])
def test_a_gradient_alone_is_the_one_among_all(learnt: str, device):
    case = Case(N=20)
    x = inputs(case, device)
    alone = dict(x) | {learnt: x[learnt].clone().requires_grad_()}
    out, _ = attended(*alone.values(), case.map, case.normalise, False)
    (grad,) = torch.autograd.grad(out.sum(), alone[learnt])
    every = dict(x) | {name: x[name].clone().requires_grad_() for name in ("q", "k", "v", "start")}
    out, _ = attended(*every.values(), case.map, case.normalise, False)
    torch.testing.assert_close(grad, torch.autograd.grad(out.sum(), every[learnt])[0])


def test_gradients_of_gradients(device):
    case = Case(N=20)
    x = inputs(case, device)

    def twice(run: Any, x: dict[str, Any]) -> dict[str, Tensor]:
        leaves = [x[name].detach().requires_grad_() for name in ("q", "k", "v")]
        out, _ = run(*leaves, None, None, None, case.map, case.normalise, True)
        (grad,) = torch.autograd.grad(out.square().sum(), leaves[0], create_graph=True)
        return dict(zip("qkv", torch.autograd.grad(grad.square().sum(), leaves), strict=True))

    exact = twice(defined, {name: x[name].double() for name in "qkv"})
    assert_close(twice(attended, x), exact, torch.float32)


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_a_counter_sees_the_products(backward: bool, device):
    case = Case(H=2, resumes=False)
    x = inputs(case, device)
    for name in "qkv":
        x[name].requires_grad_(backward)
    with FlopCounterMode(display=False) as counter:
        out, _ = attended(*x.values(), case.map, case.normalise, False)
        if backward:
            out.sum().backward()
    assert counter.get_total_flops() == case.B * case.G * causal_sums.flops(
        x["q"].shape[2], 2, case.F, case.E, backward
    )


@pytest.mark.compiled
def test_compiled_equals_eager(device):
    torch._dynamo.reset()
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(attended, fullgraph=True, backend=counter)
    for N in (20, 30, 37):
        case = Case(N=N, padded=True, H=2)
        x = inputs(case, device)
        eager = results(attended, x, case)
        for name, mine in results(compiled, x, case).items():
            torch.testing.assert_close(mine, eager[name])
    assert counter.frame_count <= 2
    torch._dynamo.reset()
