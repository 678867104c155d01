"""First equal, then timed: every contender against the float64 reference, then the equal ones against each other."""

import math
from typing import Any

import torch
from torch import Tensor

from benchmarks.cases import Case, Inputs, draw
from benchmarks.peers import Build, Call, Unavailable, regard
from benchmarks.timing import Effort, Result, Run, explain, interleave
from regard import plan
from regard.attention.reference import reference

# ‖x − reference‖/‖reference‖: half types round the weights and the output, float32 kernels may sum in another order.
TOLERANCES = {torch.float64: 1e-10, torch.float32: 1e-4, torch.float16: 5e-3, torch.bfloat16: 2e-2}
COLD = 150e6  # bytes of rotating inputs: two and a half times the L2 cache of an H200

_verdicts: dict[Any, str | None] = {}


def keep_graphs() -> None:
    """Let compiled code go back twice: the backward pass is timed alone, over a graph that stays."""
    import torch._functorch.config as config

    setattr(config, "donated_buffer", False)  # noqa: B010 - the module makes its attributes at run time


def planned(case: Case) -> str:
    """The algorithm that regard takes for the case itself: its small form must be checked by no other."""
    q = torch.empty(case.B, case.H, case.T, case.D, dtype=case.dtype, device=case.device).requires_grad_()
    return plan(q, q, q, case.attention).chosen


def verdict(name: str, build: Build, case: Case) -> str | None:
    """None when output and gradients equal the float64 reference on the small form of the case; else what is wrong."""
    small = case.small()
    if name == "regard":
        algorithm = planned(case)
        name, build = f"regard {algorithm}", regard(algorithm)
    key = (name, small.mask, small.D, small.dtype, small.device, small.projected)
    if key not in _verdicts:
        _verdicts[key] = _verdict(name, build, small)
    return _verdicts[key]


def verdicts() -> list[dict[str, Any]]:
    """Every check of this run."""
    return [
        {"contender": name, "mask": mask, "width": D, "dtype": str(dtype), "projected": projected, "verdict": text}
        for (name, mask, D, dtype, _, projected), text in _verdicts.items()
    ]


def _verdict(name: str, build: Build, case: Case) -> str | None:
    x = draw(case, seed=1)
    wanted = expected(case, x)
    try:
        call = build(case, x)
        out = call.forward()
        got = [out, *torch.autograd.grad(out, call.leaves, call.grad)]
        got = [call.padded(y) for y in got]
    except Unavailable as reason:
        return str(reason)
    except Exception as error:  # a peer's failure is a result, not the end of the run
        return explain(error)
    if not name.startswith("regard"):
        got[0] = got[0] * case.real[:, None, :, None]  # peers fill the rows of pad queries freely
        wanted[0] = wanted[0] * case.real[:, None, :, None]
    worst, what = max(
        (distance(a, b), part) for a, b, part in zip(got, wanted, ("output", "dq", "dk", "dv"), strict=True)
    )
    return None if worst <= TOLERANCES[case.dtype] else f"wrong: {what} off by {worst:.1e}"


def expected(case: Case, x: Inputs) -> list[Tensor]:
    """Output and gradients of q, k, v by the definition in float64."""
    q, k, v = (y.detach().double().requires_grad_() for y in x[:3])
    out, _ = reference(q, k, v, case.attention)
    return [out, *torch.autograd.grad(out, (q, k, v), x.grad.double())]


def distance(a: Tensor, b: Tensor) -> float:
    """‖a − b‖ / ‖b‖, infinite where anything is not a number."""
    a, b = a.detach().double(), b.detach()
    value = float((a - b).norm() / b.norm())
    return value if math.isfinite(value) else math.inf


def contest(
    case: Case, builds: dict[str, Build], measures: tuple[str, ...], effort: Effort
) -> dict[str, dict[str, Result]]:
    """Times of each measure ("inference", "forward", "backward", "both") for each contender, or why there is none."""
    failed = {name: verdict(name, build, case) for name, build in builds.items()}
    inputs = [draw(case, seed) for seed in range(_num_sets(case))]
    calls: dict[str, list[Call]] = {}
    for name, build in builds.items():
        if failed[name] is None:
            try:
                calls[name] = [build(case, x) for x in inputs]
            except Unavailable as reason:
                failed[name] = str(reason)
            except Exception as error:
                failed[name] = explain(error)
    results: dict[str, dict[str, Result]] = {}
    for measure in measures:
        runs: dict[str, list[Run]] = {}
        errors = {name: text for name, text in failed.items() if text is not None}
        for name, ready in calls.items():
            try:
                runs[name] = [_run(call, measure) for call in ready]
            except Exception as error:
                errors[name] = explain(error)
        times = interleave(runs, case.device, effort)
        results[measure] = {name: errors[name] if name in errors else times[name] for name in builds}
        del runs
    if case.device.type == "cuda":
        torch.cuda.empty_cache()
    return results


def _run(call: Call, measure: str) -> Run:
    if measure == "forward":
        return call.forward
    if measure == "inference":
        return torch.no_grad()(call.forward)
    if measure == "both":
        return lambda: torch.autograd.grad(call.forward(), call.leaves, call.grad)
    out = call.forward()
    return lambda: torch.autograd.grad(out, call.leaves, call.grad, retain_graph=True)


def _num_sets(case: Case) -> int:
    """Input sets to rotate among, so that a small problem does not find its inputs in the GPU's cache."""
    if case.device.type != "cuda":
        return 1
    one = 4 * case.B * case.H * case.T * case.D * case.dtype.itemsize
    return max(1, min(6, math.ceil(COLD / one)))
