"""Is the planner's choice on a grid the best one? Every algorithm that is willing, predicted and measured."""

import statistics
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from benchmarks.grid_cases import AXES, FULL, HARD, ISOTROPIC, TABLE, Case, draw
from benchmarks.grid_contest import contest, planned, regard, run_of, willing
from benchmarks.planning import timed
from benchmarks.record import Bar, Cell, Row
from benchmarks.setting import Setting, Watch, progress
from benchmarks.timing import Timing, host_seconds
from regard import Plan

NEAR = Bar("≤", 1.15)  # the time of the choice over that of the best candidate
FAR = {"cuda": 30.0, "cpu": 10.0}  # times the choice's predicted time beyond which a candidate is not tried
PATIENCE = {"cuda": 0.5, "cpu": 1.0}  # seconds that one call may take, by what a smaller grid has shown
BRIEF = 5e-3  # seconds of device time above which nobody asks for the host's

History = dict[tuple[Any, ...], float]  # measured over predicted, at the last size of a sort and an algorithm


def planning(setting: Setting) -> list[Row]:
    """One row per problem; then, per algorithm, how far its predictions are off."""
    rows, watch, history = [], setting.watch("grid planner"), History()
    for case in cases(setting):
        if watch.past():
            rows.append(Row("planner", case.label, "both", {}, against="out of time", bar=NEAR))
            continue
        progress("planner", case.label)
        rows.append(_row(case, setting, watch, history))
    values = {True: "shared", False: "per-head"}
    return rows + predictions(rows, lambda _, entry: f"{entry['kind']}, {values[entry['shared values']]}")


def cases(setting: Setting) -> list[Case]:
    """All kinds at each size. A time limit cuts the last ones: the largest grids, where the choice is plain."""
    if setting.on_cuda:
        sides = setting.pick(full=[16, 64, 8, 32, 128], quick=[16, 64, 8], tiny=[8])
        dtype, tokens = torch.bfloat16, 32768
    else:
        sides = setting.pick(full=[16, 32, 8, 64], quick=[16, 32, 8], tiny=[4])
        dtype, tokens = torch.float32, 2048
    found = []
    for side in sides:
        B = max(1, tokens // side**2) if setting.on_cuda else max(1, min(2, tokens // side**2))
        own = Case(kind=ISOTROPIC, B=B, H=8, h=side, w=side, E=64, dtype=dtype, device=setting.device)
        one = replace(own, H=9, E=400, shared=True)
        found += [replace(base, kind=kind) for kind in (ISOTROPIC, FULL, AXES, TABLE, HARD) for base in (own, one)]
        found += [replace(own, content=True, learned_precision=learned) for learned in (True, False)]
    return found


def _row(case: Case, setting: Setting, watch: Watch, history: History) -> Row:
    made = planned(case, "both")
    contenders, left_out = willing(case, "both", FAR[case.device.type])
    predicted = {candidate.name: candidate.seconds or 0.0 for candidate in made.candidates}
    for name in [name.removeprefix("regard ") for name in contenders]:
        seconds = predicted[name] * history.get((*case.sort, name), 1.0)
        wanted = _is_sample(case) or (name == made.chosen and not watch.past(0.5))
        if seconds > PATIENCE[case.device.type]:
            left_out[name] = f"would take {seconds:.1f} s a call"
        elif contenders[f"regard {name}"].compiles and not wanted:
            left_out[name] = "compiles: tried in a sample of cases"
    contenders = {name: one for name, one in contenders.items() if name.removeprefix("regard ") not in left_out}
    small = case.square() if setting.on_cuda else case.small()
    results = contest(case, contenders, ("both",), setting.glance, watch, small)["both"]
    results = {name.removeprefix("regard "): result for name, result in results.items()}
    times = {name: result for name, result in results.items() if isinstance(result, Timing)}
    history.update({(*case.sort, name): time.median / predicted[name] for name, time in times.items()})
    ratio, best = None, "none ran"
    if times:
        best = min(times, key=lambda name: times[name].median)
        ratio = times[made.chosen].over(times[best]) if made.chosen in times else None
    details = [detail(case, made, name, times) for name in results]
    cells: dict[str, Cell] = {"chosen": made.chosen, **results}
    cells |= {f"{entry['algorithm']} predicted ms": 1e3 * entry["predicted_s"] for entry in details}
    return Row("planner", case.label, "both", cells, ratio, best, NEAR, {"timed": details, "left out": left_out})


def _is_sample(case: Case) -> bool:
    """A few cases in which even what compiles for seconds is timed."""
    return case.h in (16, 64) and (case.content or (case.kind in (ISOTROPIC, TABLE) and not case.shared))


def detail(case: Case, made: Plan, name: str, times: dict[str, Timing]) -> dict[str, Any]:
    """Prediction and measurement of one algorithm, with what the host takes for a brief call."""
    about = {
        "kind": f"content + {case.kind}" if case.content else case.kind,
        "shared values": case.shared,
        "learned precision": case.learned_precision,
        "sizes": {"B": case.B, "H": case.H, "h": case.h, "w": case.w, "E": case.E},
    }
    found = timed(made, name, times, about)
    measured = found["measured_s"]
    return found | {"host_s": _host(case, name) if measured is not None and measured < BRIEF else None}


def _host(case: Case, algorithm: str) -> float | None:
    """Seconds that the host is busy with one call: what a small problem takes when the GPU waits for it."""
    if case.device.type != "cuda":
        return None
    return host_seconds(run_of(regard(algorithm)(case, draw(case, seed=0)), "both"), case.device, calls=5)


def predictions(rows: list[Row], kind_of: Callable[[Row, dict[str, Any]], str]) -> list[Row]:
    """Measured over predicted time, per algorithm and kind of what was timed."""
    groups: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        for entry in row.details["timed"] if row.details else ():
            if entry["measured_s"] is not None:
                found = groups.setdefault((entry["algorithm"], kind_of(row, entry)), [])
                found.append(entry["measured_s"] / entry["predicted_s"])
    return [
        Row(
            "measured / predicted",
            algorithm,
            kind,
            {"problems": len(errors), "median": statistics.median(errors), "least": min(errors), "most": max(errors)},
        )
        for (algorithm, kind), errors in sorted(groups.items())
    ]
