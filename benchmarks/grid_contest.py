"""First equal, then timed: contenders against the float64 definition, against each other, then against the clock."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from benchmarks.contest import TOLERANCES, distance
from benchmarks.grid_cases import Case, Inputs, draw, expected, num_sets
from benchmarks.peers import Unavailable
from benchmarks.setting import Watch
from benchmarks.timing import Effort, Result, Run, explain, interleave
from regard import Plan, attend, plan
from regard.algorithms.planning.planner import Refused

MEMORY = {"cuda": 80e9, "cpu": 2e9}  # bytes beyond its inputs beyond which an algorithm is not tried
FAR = {"cuda": 300.0, "cpu": 10.0}  # times the chosen one's predicted time beyond which another is not tried
FAR_TO_COMPILE = 4.0
SLOW = 2.0  # seconds: what takes longer to prepare is compiling
COMPILED = {"blockwise"}  # known to compile a kernel for each kind and size of grid, on the GPU
WIDEST = 256  # values beyond which such a kernel is not tried: its accumulators would not fit


class Call(NamedTuple):
    """A contender ready to run. `meant` is the problem that it solves: plain attention leaves positions out."""

    forward: Callable[[], Tensor]
    leaves: dict[str, Tensor]
    grad: Tensor
    meant: Case


Build = Callable[[Case, Inputs], Call]


class Contender(NamedTuple):
    build: Build
    compiles: bool = False  # takes seconds to prepare, for which there may be no time


@dataclass(frozen=True)
class Check:
    """One comparison with the definition, and how long it took to get there."""

    verdict: str | None
    seconds: float


_checks: dict[tuple[Any, ...], Check] = {}


def regard(algorithm: str | None = None) -> Build:
    """The library as it is called: the layer itself, or `attend`."""

    def build(case: Case, x: Inputs) -> Call:
        def forward() -> Tensor:
            if case.projections and algorithm is None:
                return x.module(x.v, case.grid)
            o = attend(x.q, x.k, x.values, case.attention(x.module), algorithm=algorithm)
            return case.project(x.module, o)

        return Call(forward, x.leaves(case), x.grad, case)

    return build


def planned(case: Case, measure: str) -> Plan:
    """What regard does with the case itself: its small form must be checked by no other algorithm."""
    x = draw(case, seed=0)
    with torch.set_grad_enabled(measure != "inference"):
        return plan(x.q, x.k, x.values, case.attention(x.module))


def willing(case: Case, measure: str, far: float | None = None) -> tuple[dict[str, Contender], dict[str, str]]:
    """Every algorithm of regard that is exact for the case and worth its time, and why the others are left out."""
    made = planned(case, measure)
    times = {candidate.name: candidate.seconds for candidate in made.candidates}
    contenders, left_out = {}, {}
    for candidate in made.candidates:
        name = candidate.name
        if candidate.cost is None or candidate.seconds is None:
            left_out[name] = f"refused: {candidate.refusal}"
            continue
        beyond = candidate.seconds / (times[made.chosen] or candidate.seconds)
        compiles = takes_long(name, case.device)
        if compiles and case.E > WIDEST:
            left_out[name] = f"compiles: not tried for values wider than {WIDEST}"
        elif candidate.cost.memory > MEMORY[case.device.type]:
            left_out[name] = f"needs {candidate.cost.memory / 1e9:.0f} GB"
        elif beyond > (FAR_TO_COMPILE if compiles else far or FAR[case.device.type]):
            left_out[name] = f"predicted {beyond:.0f} times the choice"
        else:
            contenders[f"regard {name}"] = Contender(regard(name), compiles)
    return contenders, left_out


def ours(case: Case, measures: tuple[str, ...]) -> tuple[dict[str, Contender], dict[str, str]]:
    """The library left to choose, and every other algorithm that is willing; and why the rest is left out."""
    contenders, left_out = {"regard": Contender(regard())}, {}
    for measure in measures:
        found, reasons = willing(case, measure)
        contenders |= found
        left_out |= reasons
    chosen = {planned(case, measure).chosen for measure in measures}
    if len(chosen) == 1:  # it stands in the first column already
        contenders.pop(f"regard {chosen.pop()}", None)
    return contenders, {name: text for name, text in left_out.items() if f"regard {name}" not in contenders}


def takes_long(algorithm: str, device: torch.device) -> bool:
    """Whether checks of this algorithm usually take so long that it must compile."""
    if device.type != "cuda":
        return False
    seconds = [check.seconds for key, check in _checks.items() if key[0] == f"regard {algorithm}"]
    return algorithm in COMPILED or (bool(seconds) and statistics.median_low(seconds) > SLOW)


def verdict(name: str, build: Build, case: Case, small: Case, measures: tuple[str, ...] = ("both",)) -> str | None:
    """None when output and gradients equal the float64 definition on the small form of the case; else what is wrong."""
    if name == "regard":
        chosen = {planned(case, measure).chosen for measure in measures}
        found = [verdict(f"regard {one}", regard(one), case, small) for one in sorted(chosen)]
        return next((text for text in found if text is not None), None)
    key = (name, *small.sort, small.B, small.h, small.w)
    if key not in _checks:
        _checks[key] = _check(build, small)
    return _checks[key].verdict


def verdicts() -> list[dict[str, Any]]:
    """Every check of this run."""
    return [
        {
            "contender": key[0],
            "case": [str(part) for part in key[1:]],
            "verdict": check.verdict,
            "seconds": check.seconds,
        }
        for key, check in _checks.items()
    ]


def _check(build: Build, case: Case) -> Check:
    x = draw(case, seed=1)
    start = time.perf_counter()
    try:
        call = build(case, x)
        try:
            got = results(call, "both")
        except Refused:  # it may still be exact where nothing needs a gradient
            got = results(call, "inference")
    except Unavailable as reason:
        return Check(str(reason), 0.0)
    except Exception as error:  # a peer's failure is a result, not the end of the run
        return Check(explain(error), time.perf_counter() - start)
    seconds = time.perf_counter() - start
    off, what = furthest(got, expected(call.meant, x))
    return Check(None if off <= tolerance(case) else f"wrong: {what} off by {off:.1e}", seconds)


def results(call: Call, measure: str) -> dict[str, Tensor]:
    """Output, and gradients where the measure has them."""
    if measure != "both":
        with torch.set_grad_enabled(measure == "forward"):
            return {"output": call.forward().detach()}
    out = call.forward()
    gradients = torch.autograd.grad(out, tuple(call.leaves.values()), call.grad)
    return {"output": out.detach()} | {f"d {name}": y for name, y in zip(call.leaves, gradients, strict=True)}


def furthest(got: dict[str, Tensor], wanted: dict[str, Tensor]) -> tuple[float, str]:
    """The largest relative distance among what both have, and of what."""
    return max((distance(got[part], wanted[part].double()), part) for part in wanted if part in got)


def tolerance(case: Case) -> float:
    return TOLERANCES[case.dtype] * (2 if case.projections else 1)  # a projection rounds once more


def contest(
    case: Case, contenders: dict[str, Contender], measures: tuple[str, ...], effort: Effort, watch: Watch, small: Case
) -> dict[str, dict[str, Result]]:
    """Times of each measure ("inference", "forward", "both") for each contender, or why there is none."""
    inputs = [draw(case, seed) for seed in range(num_sets(case))]
    failed: dict[str, str] = {}
    calls: dict[str, list[Call]] = {}
    for name, contender in contenders.items():
        try:
            text = verdict(name, contender.build, case, small, measures) if in_time(contender, watch) else "out of time"
            calls[name] = [contender.build(case, x) for x in inputs] if text is None else []
        except Unavailable as reason:
            text = str(reason)
        except Exception as error:
            text = explain(error)
        if text is not None:
            failed[name] = text
    found: dict[str, dict[str, Result]] = {}
    for measure in measures:
        ready = {name: calls[name] for name in calls if name not in failed}
        # What was checked at this very size is compiled already.
        late = [name for name in ready if small != case and not in_time(contenders[name], watch)]
        errors = failed | dict.fromkeys(late, "out of time")
        errors |= disagreements({name: ready[name][0] for name in ready if name not in errors}, measure)
        runs = {name: [run_of(call, measure) for call in ready[name]] for name in ready if name not in errors}
        times = interleave(runs, case.device, effort)
        found[measure] = {name: times[name] if name in times else errors[name] for name in contenders}
    if case.device.type == "cuda":
        torch.cuda.empty_cache()
    return found


def in_time(contender: Contender, watch: Watch) -> bool:
    return not (contender.compiles and watch.past(0.7))


def run_of(call: Call, measure: str) -> Run:
    if measure == "forward":
        return call.forward
    return lambda: results(call, measure)


def disagreements(calls: dict[str, Call], measure: str) -> dict[str, str]:
    """Contenders that fail at the size that is timed, or agree with no other that solves the same problem there.

    An algorithm may go another way at that size than at the size of the check. Both have rounded, so a little more is
    allowed.
    """
    wrong: dict[str, str] = {}
    got: dict[str, dict[str, Tensor]] = {}
    for name, call in calls.items():
        try:
            got[name] = results(call, measure)
        except Exception as error:
            wrong[name] = explain(error)
    for name, mine in got.items():
        others = {other: got[other] for other in got if other != name and calls[other].meant == calls[name].meant}
        distances = {other: furthest(mine, theirs) for other, theirs in others.items()}
        if distances and min(distances.values())[0] > 3 * tolerance(calls[name].meant):
            nearest = min(distances, key=lambda other: distances[other])
            off, what = distances[nearest]
            wrong[name] = f"wrong at this size: {what} {off:.1e} from {nearest}, its nearest"
    return wrong
