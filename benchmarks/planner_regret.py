"""Is the planner's choice the best one? `python -m benchmarks.planner_regret --device cuda --out r.json`.

Random problems; every algorithm that does not refuse is timed, queued and with the host, in turns. The regret of a
problem is the time of the planner's choice over that of the best. `--fit r.json` measures nothing: it fits the table
that choices are made from to a report, prints it, and says what the planner would have chosen by it.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import torch

from benchmarks.record import machine
from benchmarks.regret_fit import NEAR, Measured, Report, Table, accuracy, evaluate, fit, source
from benchmarks.regret_problems import Drawing, Drawn, Kind, Made, make
from benchmarks.setting import progress
from benchmarks.timing import explain, synchronize
from benchmarks.wall import Contender, queued
from regard import Plan, attend, plan
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning.machines import TABLES, table_of

REFERENCE_LIMIT = 2e9  # bytes of maps beyond which the definition is not timed
MEMORY = {"cuda": 40e9, "cpu": 2e9}  # bytes beyond its inputs beyond which another algorithm is not
PATIENCE = 1.0  # predicted seconds beyond which nothing but the choice is timed
HOPELESS = 20.0  # times the best after one call: timed no more
COMPILES = ("blockwise", "merged")  # on a GPU, seconds for each kind
SLOW = 0.5  # seconds: a first call that takes longer is compiling
COMPILE_SHARE = 0.6  # of the time limit
SLICE = 2e-3  # seconds of work between two readings of the clock
TURNS = 5
LONGEST = 2.0  # seconds for all turns of a problem
WORST = 20


class Session:
    """One run: what was drawn, how long it took to compile, and when to end."""

    def __init__(self, options: argparse.Namespace, device: torch.device) -> None:
        self.device, self.turns = device, options.turns
        self.drawing = Drawing(options.seed, device, options.kinds)
        self.began, self.seconds = time.perf_counter(), options.seconds
        self.compiling = 0.0
        self.firsts: dict[Kind, float] = {}  # seconds of the latest first call of what is compiled for a kind

    def over(self, share: float = 1.0) -> bool:
        return time.perf_counter() - self.began > share * self.seconds

    def may_compile(self, drawn: Drawn) -> bool:
        if self.device.type != "cuda":
            return True
        in_time = self.compiling < COMPILE_SHARE * self.seconds or self.firsts.get(drawn.kind, SLOW) < SLOW
        return in_time and self.drawing.may_compile(drawn)

    def problem(self, number: int) -> dict[str, Any] | None:
        """The measurements of a problem; None where its choice cannot be timed."""
        drawn = self.drawing.problem(number)
        made = make(drawn, self.device)
        planned = _planned(drawn, made)
        if planned.chosen in COMPILES and not self.may_compile(drawn):
            other = self.drawing.compilable(drawn)
            if other is None or not self.may_compile(other):
                return None
            drawn = other
            made = make(drawn, self.device)
            planned = _planned(drawn, made)
        return self._measured(drawn, made, planned)

    def _measured(self, drawn: Drawn, made: Made, planned: Plan) -> dict[str, Any]:
        left_out = self._left_out(drawn, planned)
        runs = {
            candidate.name: Contender(lambda name=candidate.name: _run(drawn, made, name))
            for candidate in sorted(planned.candidates, key=lambda candidate: candidate.seconds or 0.0)
            if candidate.cost is not None and candidate.name not in left_out
        }
        times, errors = self._times(runs, drawn.kind)
        candidates = []
        for candidate in planned.candidates:
            if candidate.cost is not None:
                found = times.get(candidate.name)
                expected = PLANNER.named(candidate.name).expected(planned.problem)
                candidates.append(
                    {
                        "name": candidate.name,
                        "measured_s": found[0] if found else None,
                        "turns": found[1] if found else 0,
                        "predicted_s": float(candidate.seconds or 0.0),
                        "flops": float(expected.flops),
                        "bytes": float(expected.bytes),
                        "launches": float(expected.launches),
                        "memory": float(candidate.cost.memory),
                        "why not": left_out.get(candidate.name) or errors.get(candidate.name),
                    }
                )
        best = min(times, key=lambda name: times[name][0], default=None)
        regret = times[planned.chosen][0] / times[best][0] if best is not None and planned.chosen in times else None
        return {
            "problem": drawn.label,
            "kind": drawn.kind.combination.label,
            "sizes": drawn.sizes,
            "grid": drawn.grid,
            "dtype": str(drawn.kind.dtype).removeprefix("torch."),
            "backward": drawn.kind.backward,
            "device": self.device.type,
            "chosen": planned.chosen,
            "best": best,
            "regret": regret,
            "candidates": candidates,
        }

    def _left_out(self, drawn: Drawn, planned: Plan) -> dict[str, str]:
        """Which candidates are not timed, and why; the choice always is, if it fits."""
        reasons = {}
        for candidate in planned.candidates:
            name, cost = candidate.name, candidate.cost
            if cost is None or candidate.seconds is None:
                continue
            limit = REFERENCE_LIMIT if name == "reference" else MEMORY[self.device.type]
            if cost.memory > limit:
                reasons[name] = f"needs {cost.memory / 1e9:.1f} GB"
            elif name == planned.chosen:
                continue
            elif candidate.seconds > PATIENCE:
                reasons[name] = f"predicted to take {candidate.seconds:.1f} s"
            elif self.device.type == "cuda" and name in COMPILES and not self.may_compile(drawn):
                reasons[name] = "would be compiled for"
        return reasons

    def _times(self, runs: dict[str, Contender], kind: Kind) -> tuple[dict[str, tuple[float, int]], dict[str, str]]:
        """Seconds per call of each and in how many turns, or why there are none."""
        once: dict[str, float] = {}
        errors: dict[str, str] = {}
        for name, contender in runs.items():  # the cheapest by prediction first
            try:
                start = time.perf_counter()
                contender.run()
                synchronize(self.device)
                first = time.perf_counter() - start
                if name in COMPILES:
                    self.firsts[kind] = first
                if self.device.type == "cuda" and first > SLOW:
                    self.compiling += first
                hopeless = self.device.type != "cuda" and first > HOPELESS * min(once.values(), default=first)
                once[name] = first if hopeless else min([queued(contender, self.device, 1) for _ in range(2)])
            except Exception as error:  # a failure is a result, not the end of the run
                errors[name] = explain(error)
        fastest = min(once.values(), default=0.0)
        hopeful = [name for name in once if once[name] <= HOPELESS * fastest]
        samples: dict[str, list[float]] = {name: [] for name in hopeful}
        slow = sum([once[name] for name in hopeful])
        for turn in range(max(1, min(self.turns, round(LONGEST / max(slow, 1e-9))))):
            first = turn % max(len(hopeful), 1)
            for name in hopeful[first:] + hopeful[:first]:
                repeats = max(1, min(100, round(SLICE / once[name])))
                samples[name].append(queued(runs[name], self.device, repeats))
        found = {name: (once[name], 1) for name in once}
        # The shortest turn: what else the machine does only makes a turn longer.
        found |= {name: (min(times), len(times)) for name, times in samples.items() if times}
        return found, errors


def _planned(drawn: Drawn, made: Made) -> Plan:
    with torch.set_grad_enabled(drawn.kind.backward):
        return plan(made.q, made.k, made.v, made.value)


def _run(drawn: Drawn, made: Made, algorithm: str) -> object:
    if not drawn.kind.backward:
        with torch.no_grad():
            return attend(made.q, made.k, made.v, made.value, algorithm=algorithm)
    out = attend(made.q, made.k, made.v, made.value, algorithm=algorithm)
    return torch.autograd.grad(out, made.leaves, made.grad, allow_unused=True)  # Hard() has gradients for v alone


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
    options.turns, options.seconds = 1, options.warm_seconds / COMPILE_SHARE
    session = Session(options, device)
    for number in range(part, options.problems, options.warm):
        session.problem(number)


def measure(options: argparse.Namespace, device: torch.device, report: Report) -> Report:
    """The report with as many problems as there is time for; written every now and then."""
    session = Session(options, device)
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
    old = Table.of(known)
    new = fit(measured, old, launch=launch, regret=regret)
    # A table is judged on problems that it was not fitted to, too.
    halves = [Measured({"problems": report["problems"][half::2]}, known) for half in (0, 1)]
    apart = []
    for held, used in (halves, halves[::-1]):
        apart.append(f"half of the problems, by the table as it is: {evaluate(held, old)}")
        fitted = fit(used, old, launch=launch, regret=regret)
        apart.append(f"the same, by a table fitted to the others:   {evaluate(held, fitted)}")
    return "\n".join(
        [
            source(new, known),
            "",
            *accuracy(measured, new),
            "",
            f"the table as it is: {evaluate(measured, old)}",
            f"the fitted table:   {evaluate(measured, new)}",
            *apart,
        ]
    )


def write(options: argparse.Namespace, report: Report) -> None:
    contents = {options.out: json.dumps(report, indent=1, ensure_ascii=False), options.markdown: to_markdown(report)}
    for path, content in contents.items():
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)


def main(arguments: list[str] | None = None) -> None:
    words = sys.argv[1:] if arguments is None else arguments
    options = parser().parse_args(words)
    if options.fit is not None:
        print(refit(options.fit, options.launch, options.regret))
        return
    device = torch.device(options.device)
    if device.type == "cuda":
        device = torch.device("cuda", torch.cuda.current_device())
    torch.set_num_threads(options.threads)
    warnings.filterwarnings("ignore")
    report = machine(device, options.commit) | {"table": table_of(device).name, "wanted": options.problems}
    report |= {"command": " ".join([Path(sys.executable).name, "-m", "benchmarks.planner_regret", *words])}
    if options.warm:
        start = time.perf_counter()
        warm(options, device)
        progress(f"compiled in {time.perf_counter() - start:.0f} s")
    report |= {"load before": os.getloadavg(), "skipped": 0, "problems": []}
    measure(options, device, report)
    write(options, report)
    print(to_markdown(report), flush=True)


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m benchmarks.planner_regret", description=__doc__)
    options.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", choices=["cpu", "cuda"])
    options.add_argument("--problems", type=int, default=300)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--seconds", type=float, default=420, help="after which no new problem is begun")
    options.add_argument("--kinds", type=int, default=16, help="that may be compiled for on a GPU")
    options.add_argument("--warm", type=int, default=0, metavar="N", help="processes that compile before")
    options.add_argument("--warm-seconds", type=float, default=300)
    options.add_argument("--turns", type=int, default=TURNS)
    options.add_argument("--out", type=Path, help="JSON with every number")
    options.add_argument("--markdown", type=Path, help="the worst choices")
    options.add_argument("--commit", help="the commit of the code, where there is no git")
    options.add_argument("--threads", type=int, default=2, help="of the CPU")
    options.add_argument("--fit", type=Path, metavar="FILE", help="measure nothing, fit the table to this report")
    options.add_argument("--launch", type=float, help="with --fit: the price of a launch, not fitted")
    options.add_argument("--regret", type=float, default=1.0, help="with --fit: the weight of the regret")
    return options


if __name__ == "__main__":
    main()
