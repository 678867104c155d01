"""A machine measured once: what its products and its memory reach, and a table that is fitted to problems timed on it.

A call of an algorithm is predicted to take

    launches · launch + flops / (rate · efficiency) + bytes / bandwidth

and the host's price of a call. Rates are measured by large products, the other prices are fitted to random problems.
What this machine refuses keeps the shares of the table that was shipped for its kind.
"""

import datetime
import os
import platform
import statistics
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from regard.algorithms.planning.machines import Machine, table_of, to_json
from regard.algorithms.planning.report import si
from regard.analysis.calibration.fit import Evaluation, Measured, accuracy, evaluate, fit
from regard.analysis.calibration.measure import Session
from regard.analysis.calibration.timing import Run, host_seconds, time_calls
from regard.analysis.tables import Printed, new_table, stack

SIDE = {"cuda": 4096, "cpu": 1024, "other": 2048}  # of a product
COPIED = {"cuda": 1 << 30, "cpu": 1 << 27, "other": 1 << 27}  # bytes
CHAINED = 100  # operations, one after the other
FEWEST = 20  # problems that a fit makes sense for
DIGITS = 3
BUSY = 0.5  # other programs for each core, from which on they show

Progress = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Calibration(Printed):
    """The table of one machine, how well it predicts the problems that it was fitted to, and others."""

    machine: Machine
    problems: int
    own: Evaluation  # of the problems that it was fitted to
    apart: Evaluation  # of half of the problems, by a table fitted to the other half; the worse of both
    shipped: Evaluation  # by the table that was shipped for such machines
    algorithms: tuple[str, ...]  # how well each of them is predicted
    about: dict[str, Any]

    def json(self) -> str:
        """What a file holds that `--device` and `plan(device=…)` read."""
        evaluations = {name: asdict(getattr(self, name)) for name in ("own", "apart", "shipped")}
        facts = self.about | {"problems": self.problems} | evaluations | {"algorithms": list(self.algorithms)}
        return to_json(self.machine, facts)

    def rich(self) -> Any:
        """Rates, prices and errors, for Rich."""
        machine = self.machine
        rates = new_table(numbers=("half", "single", "double", "memory", "a launch"))
        numbers = [si(getattr(machine, name), "FLOP/s") for name in ("half", "single", "double")]
        rates.add_row(*numbers, si(machine.bandwidth, "B/s"), si(machine.launch, "s"))
        titles = ("predictions for", "half are within", "nine in ten", "choices within 1.1× of the best", "worst")
        errors = new_table(numbers=titles)
        rows = {"these problems": self.own, "others": self.apart, "these, as shipped": self.shipped}
        for name, found in rows.items():
            near = f"{found.near} of {found.problems}"
            errors.add_row(name, f"{found.error:.2f}×", f"{found.tail:.2f}×", near, f"{found.worst:.2f}×")
        lines: list[Any] = [f"  {line}" for line in self.algorithms]
        if self.about["load"] > BUSY * self.about["cores"]:
            busy = f"this machine was busy (load {self.about['load']:.1f} on {self.about['cores']} cores)"
            lines.append((f"{busy}: measure again when it has nothing else to do", "yellow"))
        return stack((f"{machine.where}, {self.problems} problems", "bold"), rates, "", errors, "", *lines)


def calibrate(
    device: torch.device, *, seconds: float = 60.0, seed: int = 0, progress: Progress | None = None
) -> Calibration:
    """Measure a device of this machine for about so many seconds, and fit a table to what was measured.

    It should have nothing else to do meanwhile: what others take from it becomes part of the table.
    """
    report = progress or (lambda done, total: None)
    device = torch.empty(0, device=device).device  # with its index
    shipped = table_of(device)
    known = measure_ceilings(device, shipped)
    session = Session(device, seconds=seconds, seed=seed, turns=3, longest=0.25, patience=0.1)
    problems: list[dict[str, Any]] = []
    number, load = 0, os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    while session.elapsed < (seconds if len(problems) >= FEWEST else 3 * seconds):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of compilers, about sizes
            found = session.problem(number)
        number += 1
        if found is not None:
            problems.append(found)
        report(min(int(session.elapsed), int(seconds)), int(seconds))
    if len(problems) < FEWEST:
        raise ValueError(
            f"a table needs at least {FEWEST} problems: got {len(problems)} in {session.elapsed:.0f} s; give it more"
        )
    return fit_table(known, shipped, problems, device, load)


def fit_table(
    known: Machine, shipped: Machine, problems: list[dict[str, Any]], device: torch.device, load: float
) -> Calibration:
    """The table of a machine whose rates are known, from problems that were timed on it.

    What is made of others has no share of its own.
    """
    problems = [
        one | {"candidates": [c for c in one["candidates"] if c["name"] in known.efficiency]} for one in problems
    ]
    measured = Measured({"problems": problems}, known)
    new = fit(measured, known)
    halves = [Measured({"problems": problems[half::2]}, known) for half in (0, 1)]
    apart = [evaluate(held, fit(used, known)) for held, used in (halves, halves[::-1])]
    own = evaluate(measured, new)
    machine = replace(
        new,
        source="calibrated",
        where=name_device(device),
        launch=_rounded(new.launch),
        bandwidth=_rounded(new.bandwidth),
        efficiency={name: _rounded(new.efficiency[name]) for name in known.efficiency},
        host={name: (_rounded(one), _rounded(both)) for name, (one, both) in new.host.items()},
        error=_rounded(own.error),
        fused=None,  # its share was fitted
    )
    return Calibration(
        machine,
        len(problems),
        own,
        max(apart, key=lambda one: one.error),
        evaluate(Measured({"problems": problems}, shipped), shipped),
        tuple(accuracy(measured, new)),
        {
            "torch": torch.__version__,
            "threads": torch.get_num_threads(),
            "load": load,  # before
            "cores": os.cpu_count() or 1,
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        },
    )


def measure_ceilings(device: torch.device, like: Machine) -> Machine:
    """The table with rates of large matrix products, and the memory and launches that a fit begins with."""
    half = torch.bfloat16 if like.kind == "cpu" or like.capability >= 80 else torch.float16
    has_double = device.type != "mps"
    source = torch.ones(COPIED[like.kind] // 4, device=device)
    target = torch.empty_like(source)
    one = torch.zeros(1, device=device)
    return replace(
        like,
        half=_product_rate(device, half, SIDE[like.kind]),
        single=_product_rate(device, torch.float32, SIDE[like.kind]),
        double=_product_rate(device, torch.float64, SIDE[like.kind]) if has_double else like.double,
        bandwidth=_rounded(2 * source.nbytes / _shortest(lambda: target.copy_(source), device)),
        launch=_rounded(_shortest(lambda: one.add_(1), device, repeats=200)),
        dispatch=measure_dispatch(device) if like.kind == "cuda" else like.dispatch,
    )


def measure_dispatch(device: torch.device) -> tuple[float, float, float]:
    """Seconds of the host for an operation, for one whose graph is recorded, and for a node of the way back."""
    plain, learnt = torch.zeros(1, device=device), torch.zeros(1, device=device, requires_grad=True)

    def chain() -> torch.Tensor:
        x = learnt
        for _ in range(CHAINED):
            x = x * 2.0
        return x

    alone = _of_host(lambda: plain.add_(1), device, 5 * CHAINED)
    recorded = _of_host(chain, device, 5) / CHAINED
    back = _of_host(lambda: chain().backward(), device, 5) / CHAINED - recorded
    return _rounded(alone), _rounded(recorded), _rounded(max(back - alone, 0.0))


def with_host(machine: Machine, dispatch: tuple[float, float, float]) -> Machine:
    """The table of a GPU behind another host, whose operations take so long: calls take longer by the same factor."""
    factor = dispatch[0] / machine.dispatch[0]
    host = {name: (factor * one, factor * both) for name, (one, both) in machine.host.items()}
    return replace(machine, dispatch=dispatch, host=host)


def _of_host(run: Run, device: torch.device, calls: int) -> float:
    """Seconds per call, the median of seven rounds."""
    run()
    return statistics.median([host_seconds(run, device, calls) for _ in range(7)])


def _product_rate(device: torch.device, dtype: torch.dtype, side: int) -> float:
    a, b = (torch.ones(side, side, device=device, dtype=dtype) for _ in range(2))
    return _rounded(2 * side**3 / _shortest(lambda: a @ b, device))


def _shortest(run: Run, device: torch.device, repeats: int = 2) -> float:
    """Seconds of the shortest of a few runs: what else the machine does only makes one longer."""
    run()
    return min([time_calls(run, device, repeats) for _ in range(5)])


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def name_device(device: torch.device) -> str:
    """What a device is called by those who sell it."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    if device.type != "cpu":
        return f"{device.type} of {platform.machine()}"
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    threads = torch.get_num_threads()
    return f"{threads} thread{'s' if threads > 1 else ''} of {names[0] if names else platform.processor() or 'a CPU'}"
