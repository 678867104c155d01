"""Is the planner's choice the best one? Every algorithm that does not refuse, predicted and measured."""

import statistics
from typing import Any

import torch

from benchmarks.cases import (
    CAUSAL,
    CAUSAL_KEY_PADDING,
    DENSE,
    NONE,
    PADDING,
    WINDOW,
    Case,
    draw,
    random_lengths,
)
from benchmarks.contest import contest
from benchmarks.peers import QUADRATIC_LIMIT, regard
from benchmarks.record import Bar, Cell, Row
from benchmarks.setting import Setting, progress
from benchmarks.timing import Timing
from regard import Plan, plan

NEAR = Bar("≤", 1.15)  # the time of the choice over that of the best candidate
MASKS = (NONE, CAUSAL, PADDING, WINDOW, CAUSAL_KEY_PADDING, DENSE)


def planning(setting: Setting) -> list[Row]:
    """One row per problem; then, per algorithm and type, the rate that it reached on the largest ones."""
    rows, watch = [], setting.watch("planner")
    for case in _cases(setting):
        if watch.past():
            rows.append(Row("planner", case.label, "both", {}, against="out of time", bar=NEAR))
            continue
        progress("planner", case.label)
        # On the GPU each kind of pass is compiled on its own: inference is planned at one length only.
        measures = ("inference", "both") if case.T <= 2048 and not (setting.on_cuda and case.T != 2048) else ("both",)
        rows += [_row(case, measure, setting) for measure in measures]
    return rows + _achieved(rows)


def _cases(setting: Setting) -> list[Case]:
    """Short ones first, so that the time limit cuts the long ones."""
    half, single = torch.bfloat16, torch.float32
    if setting.on_cuda:
        sizes = setting.pick(full=[128, 512, 2048, 8192], quick=[512, 4096])
        types = {half: sizes, single: sizes[1:3]}
        tokens, H = 16384, 16
    else:
        sizes = setting.pick(full=[128, 512, 2048, 8192], quick=[128, 1024], tiny=[128])
        types = {single: sizes, half: sizes[1:2]}
        tokens, H = 4096, 4
    cases = []
    for T in sizes:
        H = 1 if T > 4096 and not setting.on_cuda else H
        B = max(1, min(8, tokens // T))
        for dtype, lengths_of_type in types.items():
            for mask in MASKS if T in lengths_of_type else ():
                padded = mask in (PADDING, CAUSAL_KEY_PADDING)
                lengths = random_lengths(B, max(1, T // 8), T, seed=T) if padded else ()
                cases.append(Case(mask=mask, B=B, H=H, T=T, D=64, dtype=dtype, device=setting.device, lengths=lengths))
    return cases


def _row(case: Case, measure: str, setting: Setting) -> Row:
    x = draw(case, seed=0)
    with torch.set_grad_enabled(measure == "both"):
        planned = plan(x.q, x.k, x.v, case.attention)
        names = {
            f"regard {candidate.name}": candidate.name
            for candidate in planned.candidates
            if candidate.cost is not None and candidate.cost.memory < QUADRATIC_LIMIT[case.device.type]
        }
    results = contest(case, {name: regard(algorithm) for name, algorithm in names.items()}, (measure,), setting.glance)[
        measure
    ]
    times = {names[name]: result for name, result in results.items() if isinstance(result, Timing)}
    ratio, best = None, "none ran"
    if times:
        best = min(times, key=lambda name: times[name].median)
        if planned.chosen in times:
            ratio = times[planned.chosen].over(times[best])
    details = [timed(planned, name, times, {"mask": case.mask, "N": case.T}) for name in names.values()]
    cells: dict[str, Cell] = {"chosen": planned.chosen}
    cells |= {names[name]: result for name, result in results.items()}
    cells |= {f"{entry['algorithm']} predicted ms": 1e3 * entry["predicted_s"] for entry in details}
    refusals = {candidate.name: candidate.refusal for candidate in planned.candidates if candidate.refusal is not None}
    return Row("planner", case.label, measure, cells, ratio, best, NEAR, {"timed": details, "refused": refusals})


def timed(made: Plan, name: str, times: dict[str, Timing], about: dict[str, Any]) -> dict[str, Any]:
    """Prediction and measurement of one algorithm: what a table of ceilings is fitted to."""
    (candidate,) = [candidate for candidate in made.candidates if candidate.name == name]
    cost, dtype = candidate.cost, made.problem.dtype
    assert cost is not None
    measured = times[name].median if name in times else None
    return {
        "algorithm": name,
        **about,
        "dtype": str(dtype).removeprefix("torch."),
        "predicted_s": candidate.seconds,
        "measured_s": measured,
        "flops": int(cost.flops),
        "bytes": int(cost.bytes),
        "launches": int(cost.launches),
        "memory": int(cost.memory),
        "achieved_flops": None if measured is None else int(cost.flops) / measured,
        "ceiling_flops": made.problem.machine.rate(dtype),
    }


def _achieved(rows: list[Row]) -> list[Row]:
    """FLOPs of `cost` over the measured time, and the error of the prediction, at the longest sizes."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows:
        for entry in row.details["timed"] if row.details else ():
            if entry["measured_s"] is not None:
                groups.setdefault((entry["algorithm"], entry["dtype"], row.measure), []).append(entry)
    achieved = []
    for (algorithm, dtype, measure), entries in groups.items():
        most = max(entry["N"] for entry in entries)
        longest = sorted({entry["N"] for entry in entries if 4 * entry["N"] >= most})
        entries = [entry for entry in entries if entry["N"] in longest]
        rates = [entry["achieved_flops"] for entry in entries]
        errors = [entry["measured_s"] / entry["predicted_s"] for entry in entries]
        cells: dict[str, Cell] = {
            "problems": len(entries),
            "median FLOP/s": statistics.median(rates),
            "least": min(rates),
            "most": max(rates),
            "share of the table's rate": statistics.median(rates) / entries[0]["ceiling_flops"],
            "measured / predicted": statistics.median(errors),
        }
        achieved.append(Row("achieved", f"{algorithm} {dtype}, N {longest}", measure, cells))
    return achieved
