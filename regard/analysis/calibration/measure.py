"""Random problems, each by every algorithm that does not refuse it, timed in turns."""

import functools
import time
from typing import Any

import torch

from regard.algorithms import Plan, attend, plan
from regard.algorithms.catalogue import PLANNER
from regard.analysis.calibration.problems import Drawing, Drawn, Kind, Made, make
from regard.analysis.calibration.timing import Run, explain, synchronize, take_turns, time_calls

REFERENCE_LIMIT = 2e9  # bytes of maps beyond which the definition is not timed
MEMORY = {"cuda": 40e9, "cpu": 2e9}  # bytes beyond its inputs beyond which another algorithm is not
PATIENCE = 1.0  # predicted seconds beyond which nothing but the choice is timed
ENDLESS = 2.0  # seconds of a first call, beyond which there is no other; a shorter one may only have warmed up
HOPELESS = 20.0  # times the best after one call: timed no more
COMPILES = ("blockwise", "merged")  # on a GPU, seconds for each kind
SLOW = 0.5  # seconds: a first call that takes longer is compiling
COMPILE_SHARE = 0.6  # of the time limit
SLICE = 2e-3  # seconds of work between two readings of the clock
TURNS = 5
LONGEST = 2.0  # seconds for all turns of a problem


class Session:
    """One run: what was drawn, how long it took to compile, and when to end."""

    def __init__(
        self,
        device: torch.device,
        *,
        seconds: float,
        seed: int = 0,
        kinds: int = 16,
        turns: int = TURNS,
        longest: float = LONGEST,
        patience: float = PATIENCE,
    ) -> None:
        self.device, self.turns, self.longest, self.patience = device, turns, longest, patience
        self.drawing = Drawing(seed, device, kinds)
        self.memory = MEMORY["cpu"]
        if device.type == "cuda":
            self.memory = min(MEMORY["cuda"], torch.cuda.get_device_properties(device).total_memory / 3)
        self.began, self.seconds = time.perf_counter(), seconds
        self.compiling = 0.0
        self.firsts: dict[Kind, float] = {}  # seconds of the latest first call of what is compiled for a kind

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    def over(self) -> bool:
        return self.elapsed > self.seconds

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
            candidate.name: lambda name=candidate.name: _run(drawn, made, name)
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
            limit = min(REFERENCE_LIMIT, self.memory) if name == "reference" else self.memory
            if cost.memory > limit:
                reasons[name] = f"needs {cost.memory / 1e9:.1f} GB"
            elif name == planned.chosen:
                continue
            elif candidate.seconds > self.patience:
                reasons[name] = f"predicted to take {candidate.seconds:.1f} s"
            elif self.device.type == "cuda" and name in COMPILES and not self.may_compile(drawn):
                reasons[name] = "would be compiled for"
        return reasons

    def _times(self, runs: dict[str, Run], kind: Kind) -> tuple[dict[str, tuple[float, int]], dict[str, str]]:
        """Seconds per call of each and in how many turns, or why there are none."""
        once: dict[str, float] = {}
        errors: dict[str, str] = {}
        for name, run in runs.items():  # the cheapest by prediction first
            try:
                start = time.perf_counter()
                run()
                synchronize(self.device)
                first = time.perf_counter() - start
                if name in COMPILES:
                    self.firsts[kind] = first
                if self.device.type == "cuda" and first > SLOW:
                    self.compiling += first
                hopeless = first > max(ENDLESS, HOPELESS * min(once.values(), default=first))
                hopeless = hopeless and self.device.type != "cuda"
                once[name] = first if hopeless else min([time_calls(run, self.device) for _ in range(2)])
            except Exception as error:  # a failure is a result, not the end of the run
                errors[name] = explain(error)
        fastest = min(once.values(), default=0.0)
        hopeful = [name for name in once if once[name] <= HOPELESS * fastest]
        turns = max(1, min(self.turns, round(self.longest / max(sum([once[name] for name in hopeful]), 1e-9))))
        repeats = {name: max(1, min(100, round(SLICE / once[name]))) for name in hopeful}
        reads = {name: functools.partial(time_calls, runs[name], self.device, repeats[name]) for name in hopeful}
        samples, failed = take_turns(reads, turns)
        found = {name: (once[name], 1) for name in once if name not in failed}
        # The shortest turn: what else the machine does only makes a turn longer.
        found |= {name: (min(times), len(times)) for name, times in samples.items() if name in found}
        return found, errors | failed


def _planned(drawn: Drawn, made: Made) -> Plan:
    with torch.set_grad_enabled(drawn.kind.backward):
        return plan(made.q, made.k, made.v, made.value)


def _run(drawn: Drawn, made: Made, algorithm: str) -> object:
    if not drawn.kind.backward:
        with torch.no_grad():
            return attend(made.q, made.k, made.v, made.value, algorithm=algorithm)
    out = attend(made.q, made.k, made.v, made.value, algorithm=algorithm)
    return torch.autograd.grad(out, made.leaves, made.grad, allow_unused=True)  # Hard() has gradients for v alone
