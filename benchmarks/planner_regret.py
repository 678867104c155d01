"""Is the planner's choice the best one? `python -m benchmarks.planner_regret --device cuda --out r.json`.

Random problems; every algorithm that does not refuse is timed, queued and with the host, in turns. The regret of a
problem is the time of the planner's choice over that of the best. `--fit r.json` measures nothing: it fits the table
that choices are made from to a report, prints it, and says what the planner would have chosen by it.
"""

import argparse
import json
import multiprocessing
import os
import time
import warnings
from pathlib import Path
from typing import Any

import torch

from benchmarks import record
from benchmarks.setting import progress
from regard.algorithms.planning.machines import TABLES, table_of
from regard.analysis.calibration.fit import NEAR, Measured, Report, accuracy, evaluate, fit, source
from regard.analysis.calibration.measure import COMPILE_SHARE, TURNS, Session

WORST = 20


def warm(options: argparse.Namespace, device: torch.device) -> None:
    """Compile what the problems need in several processes, whose caches on disk the measurement finds."""
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_visit, args=(options, device, part)) for part in range(options.warm)]
    for process in processes:
        process.start()
    deadline = time.monotonic() + options.warm_seconds
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
        process.kill()  # nothing is lost but what it would have compiled


def _visit(options: argparse.Namespace, device: torch.device, part: int) -> None:
    warnings.filterwarnings("ignore")
    session = Session(
        device, seconds=options.warm_seconds / COMPILE_SHARE, seed=options.seed, kinds=options.kinds, turns=1
    )
    for number in range(part, options.problems, options.warm):
        session.problem(number)


def measure(options: argparse.Namespace, device: torch.device, report: Report) -> Report:
    """The report with as many problems as there is time for; written every now and then."""
    session = Session(device, seconds=options.seconds, seed=options.seed, kinds=options.kinds, turns=options.turns)
    problems: list[dict[str, Any]] = report["problems"]
    for number in range(options.problems):
        if session.over():
            break
        found = session.problem(number)
        if found is None:
            report["skipped"] += 1
            continue
        problems.append(found)
        if len(problems) % 20 == 0:
            progress(f"{len(problems)} problems", f"{time.perf_counter() - session.began:.0f} s")
            write(options, report)
    report["seconds"] = round(time.perf_counter() - session.began, 1)
    report["seconds compiling"] = round(session.compiling, 1)
    return report


def to_markdown(report: Report) -> str:
    """How many choices are good, by kind of problem, and the worst of them."""
    problems = [problem for problem in report["problems"] if problem["regret"] is not None]
    lines = [
        "# The planner's regret",
        "",
        f"{report['machine']} · torch {report['torch']} · commit {report['commit']} · {report['date']}",
        "",
        f"`{report['command']}`",
        "",
        f"{len(report['problems'])} of {report['wanted']} problems measured in {report.get('seconds', 0):g} s, "
        f"{report['skipped']} skipped because their choice would have to be compiled for, "
        f"{len(report['problems']) - len(problems)} whose choice could not be timed.",
        "",
        _summary("all", problems),
        "",
    ]
    groups: dict[str, list[dict[str, Any]]] = {}
    for problem in problems:
        groups.setdefault(problem["kind"], []).append(problem)
        groups.setdefault("with a backward pass" if problem["backward"] else "forward alone", []).append(problem)
        groups.setdefault(problem["dtype"], []).append(problem)
    lines += [_summary(name, group) for name, group in sorted(groups.items())]
    failed = sorted({text for p in report["problems"] for c in p["candidates"] if (text := _error(c)) is not None})
    lines += ["", "## failures", "", *[f"- {text}" for text in failed]] if failed else []
    lines += ["", f"## the worst {WORST}", "", *_worst(problems)]
    return "\n".join(lines) + "\n"


def _error(candidate: dict[str, Any]) -> str | None:
    why = candidate["why not"]
    return f"{candidate['name']}: {why}" if why is not None and why.startswith("error") else None


def _summary(name: str, problems: list[dict[str, Any]]) -> str:
    if not problems:
        return f"- {name}: none"
    regrets = [problem["regret"] for problem in problems]
    near = sum([regret <= NEAR for regret in regrets])
    return f"- {name}: {near} of {len(regrets)} choices within {NEAR:g}× of the best, worst {max(regrets):.2f}×"


def _worst(problems: list[dict[str, Any]]) -> list[str]:
    header = ["problem", "regret", "choice", "µs", "predicted", "best", "µs", "predicted"]
    lines = [" | ".join(header), " | ".join(["---"] * len(header))]
    for problem in sorted(problems, key=lambda problem: -problem["regret"])[:WORST]:
        by_name = {candidate["name"]: candidate for candidate in problem["candidates"]}
        cells = [problem["problem"], f"{problem['regret']:.2f}×"]
        for name in (problem["chosen"], problem["best"]):
            one = by_name[name]
            cells += [name, f"{1e6 * one['measured_s']:.4g}", f"{1e6 * one['predicted_s']:.4g}"]
        lines.append(" | ".join([cell.replace("|", "\\|") for cell in cells]))
    return [f"| {line} |" for line in lines]


def refit(path: Path, launch: float | None, regret: float) -> str:
    """The table fitted to a report as Python, and how the planner chooses by the old one and by it."""
    report = json.loads(path.read_text())
    known = TABLES[report["table"]]
    measured = Measured(report, known)
    new = fit(measured, known, launch=launch, regret=regret)
    # A table is judged on problems that it was not fitted to, too.
    halves = [Measured({"problems": report["problems"][half::2]}, known) for half in (0, 1)]
    apart = []
    for held, used in (halves, halves[::-1]):
        apart.append(f"half of the problems, by the table as it is: {evaluate(held, known)}")
        fitted = fit(used, known, launch=launch, regret=regret)
        apart.append(f"the same, by a table fitted to the others:   {evaluate(held, fitted)}")
    return "\n".join(
        [
            source(new),
            "",
            *accuracy(measured, new),
            "",
            f"the table as it is: {evaluate(measured, known)}",
            f"the fitted table:   {evaluate(measured, new)}",
            *apart,
        ]
    )


def write(options: argparse.Namespace, report: Report) -> None:
    record.save(options, json.dumps(report, indent=1, ensure_ascii=False), to_markdown(report))


def main(arguments: list[str] | None = None) -> None:
    options = parser().parse_args(arguments)
    if options.fit is not None:
        print(refit(options.fit, options.launch, options.regret))
        return
    device = record.begin_on(options)
    report = record.machine(device, options.commit, "benchmarks.planner_regret", arguments)
    report |= {"table": table_of(device).name, "wanted": options.problems}
    if options.warm:
        start = time.perf_counter()
        warm(options, device)
        progress(f"compiled in {time.perf_counter() - start:.0f} s")
    report |= {"load before": os.getloadavg(), "skipped": 0, "problems": []}
    measure(options, device, report)
    write(options, report)
    print(to_markdown(report), flush=True)


def parser() -> argparse.ArgumentParser:
    options = record.parser("benchmarks.planner_regret", __doc__)
    record.add_device(options)
    options.add_argument("--problems", type=int, default=300)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--seconds", type=float, default=420, help="after which no new problem is begun")
    options.add_argument("--kinds", type=int, default=16, help="that may be compiled for on a GPU")
    options.add_argument("--warm", type=int, default=0, metavar="N", help="processes that compile before")
    options.add_argument("--warm-seconds", type=float, default=300)
    options.add_argument("--turns", type=int, default=TURNS)
    options.add_argument("--fit", type=Path, metavar="FILE", help="measure nothing, fit the table to this report")
    options.add_argument("--launch", type=float, help="with --fit: the price of a launch, not fitted")
    options.add_argument("--regret", type=float, default=1.0, help="with --fit: the weight of the regret")
    return options


if __name__ == "__main__":
    main()
