"""From measured problems to a machine's table, and what the planner would choose by any table: no measuring again.

A call of an algorithm is predicted to take

    device = launches · launch + flops / (rate · efficiency) + bytes / bandwidth
    call   = max(host, device) on a GPU, whose queue hides one behind the other        host + device on a CPU

where `host` is what the call costs whatever its size, forward, and forward and backward. Algorithms that cut a problem
into others are priced as if they were one. A table has the price of those too, or what was predicted for them stays.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from regard.algorithms.planning.machines import Machine

Report = dict[str, Any]  # "problems", each as `measure.Session.problem` gives it
WIDE = ("linear", "chunked")  # their products are in at least float32
STAY = 0.3  # what moving a price by a factor of e must take off the sum of all errors
NEAR = 1.1  # times the best: a choice within it is as good


class Measured:
    """The numbers of a report as tables of problems by algorithms; NaN where there is none."""

    def __init__(self, report: Report, machine: Machine) -> None:
        self.problems: list[dict[str, Any]] = report["problems"]
        self.on_cuda = machine.kind == "cuda"
        entries = [(row, one) for row, problem in enumerate(self.problems) for one in problem["candidates"]]
        self.names = sorted({one["name"] for _, one in entries})
        size = (len(self.problems), len(self.names))
        self.seconds, self.recorded, self.rate = (np.full(size, np.nan) for _ in range(3))
        self.flops, self.bytes, self.launches = (np.full(size, np.nan) for _ in range(3))
        for row, one in entries:
            at = row, self.names.index(one["name"])
            measured = one["measured_s"]
            self.seconds[at] = np.nan if measured is None else measured
            self.recorded[at] = one["predicted_s"]
            self.flops[at], self.bytes[at], self.launches[at] = one["flops"], one["bytes"], one["launches"]
            dtype: torch.dtype = getattr(torch, self.problems[row]["dtype"])
            wide = torch.promote_types(dtype, torch.float32) if one["name"] in WIDE else dtype
            self.rate[at] = machine.rate(wide)
        self.backward = np.array([int(problem["backward"]) for problem in self.problems], dtype=int)

    def predicted(self, table: Machine) -> np.ndarray:
        """Seconds of every candidate by this table."""
        return np.stack([self.column(number, table) for number in range(len(self.names))], 1)

    def column(self, number: int, table: Machine) -> np.ndarray:
        """Those of one algorithm."""
        name = self.names[number]
        if name not in table.efficiency:
            return self.recorded[:, number]
        device = self.launches[:, number] * table.launch + self.bytes[:, number] / table.bandwidth
        device = device + self.flops[:, number] / (self.rate[:, number] * table.efficiency[name])
        host = np.array(table.host.get(name, (0.0, 0.0)))[self.backward]
        return np.maximum(host, device) if self.on_cuda else host + device

    def regrets(self, predicted: np.ndarray) -> np.ndarray:
        """The time of the cheapest by prediction over that of the best, where there are two candidates or more."""
        known = np.isfinite(self.seconds)
        rows = known.sum(1) > 1
        seconds, guess = self.seconds[rows], np.where(known, predicted, np.inf)[rows]
        chosen = guess.argmin(1)
        return seconds[np.arange(len(seconds)), chosen] / np.nanmin(seconds, 1)

    def errors(self, predicted: np.ndarray) -> np.ndarray:
        """|log(predicted / measured)| of every candidate that was measured."""
        known = np.isfinite(self.seconds)
        return np.abs(np.log(predicted[known] / self.seconds[known]))


@dataclass(frozen=True)
class Evaluation:
    """How good the choices by a table are."""

    problems: int
    near: int  # within 1.1 times the best
    mean: float  # geometric
    worst: float
    error: float  # the factor by which half of the predicted times are off at most
    tail: float  # the same of nine in ten

    def __str__(self) -> str:
        share = self.near / max(self.problems, 1)
        return (
            f"{self.near} of {self.problems} choices within {NEAR:g}× ({share:.0%}), mean {self.mean:.3f}×, "
            f"worst {self.worst:.2f}×; predictions off by {self.error:.2f}×"
        )


def evaluate(measured: Measured, table: Machine) -> Evaluation:
    """What the planner would have done by this table on the problems that were measured."""
    predicted = measured.predicted(table)
    regrets, errors = measured.regrets(predicted), measured.errors(predicted)
    error, tail = [float(np.exp(np.quantile(errors, share))) if len(errors) else 1.0 for share in (0.5, 0.9)]
    if len(regrets) == 0:
        return Evaluation(0, 0, 1.0, 1.0, error, tail)
    mean, worst = float(np.exp(np.log(regrets).mean())), float(regrets.max())
    return Evaluation(len(regrets), int((regrets <= NEAR).sum()), mean, worst, error, tail)


def fit(measured: Measured, start: Machine, *, launch: float | None = None, regret: float = 1.0) -> Machine:
    """The table that brings the mean |log(predicted / measured)| down, plus `regret` times the mean log of the regret.

    One price after the other is moved by a factor as long as that helps, by smaller and smaller factors, and stays
    where it hardly does. `launch` fixes the price of a launch; 0 leaves it to the host's.
    """
    table = first = _start(measured, start, launch)
    moves = _moves(measured, fixed=launch is not None)
    stay = STAY / max(int(np.isfinite(measured.seconds).sum()), 1)
    predicted = measured.predicted(table)
    best = _loss(measured, predicted, regret)
    for factor in (8.0, 3.0, 1.5, 1.2, 1.08, 1.03):
        for _ in range(12):
            before = best
            for move in moves:
                for step in (factor, 1 / factor):
                    while True:
                        trial = _moved(table, move, step)
                        if trial is None:
                            break
                        guess = _predicted_again(measured, predicted, trial, move)
                        away = sum([abs(math.log(_price(trial, one) / _price(first, one))) for one in moves])
                        loss = _loss(measured, guess, regret) + stay * away
                        if loss >= best - 1e-9:
                            break
                        table, predicted, best = trial, guess, loss
            if best > before - 1e-5:
                break
    return table


Move = tuple[str, str, int]  # what, of which algorithm, of which pass


def _start(measured: Measured, start: Machine, launch: float | None) -> Machine:
    """The given table, with a host's price for everything measured: half of its fastest call."""
    efficiency, host = dict(start.efficiency), dict(start.host)
    for number, name in enumerate(measured.names):
        efficiency.setdefault(name, 0.5)
        seconds = measured.seconds[:, number]
        fastest = []
        for backward in (0, 1):
            found = seconds[(measured.backward == backward) & np.isfinite(seconds)]
            fastest.append(float(found.min()) / 2 if len(found) else None)
        if any([one is not None for one in fastest]):
            forward, both = fastest
            forward = both / 3 if forward is None and both is not None else forward
            both = 3 * forward if both is None and forward is not None else both
            host.setdefault(name, (forward or 1e-6, both or 1e-6))
    return replace(start, launch=start.launch if launch is None else launch, efficiency=efficiency, host=host)


def _moves(measured: Measured, fixed: bool) -> list[Move]:
    moves: list[Move] = [("bandwidth", "", 0), *([] if fixed else [("launch", "", 0)])]
    for number, name in enumerate(measured.names):
        known = np.isfinite(measured.seconds[:, number])
        if known.any():
            moves.append(("efficiency", name, 0))
            moves += [("host", name, passes) for passes in (0, 1) if (known & (measured.backward == passes)).any()]
    return moves


LIMITS = {"bandwidth": (1e8, 1e14), "launch": (1e-9, 1e-3), "efficiency": (1e-4, 4.0), "host": (1e-7, 1.0)}


def _price(table: Machine, move: Move) -> float:
    what, name, passes = move
    if what == "host":
        return table.host[name][passes]
    return table.efficiency[name] if what == "efficiency" else getattr(table, what)


def _moved(table: Machine, move: Move, step: float) -> Machine | None:
    """The table with one price multiplied; None where it would leave what is possible."""
    what, name, passes = move
    new = _price(table, move) * step
    if not LIMITS[what][0] <= new <= LIMITS[what][1]:
        return None
    if what == "efficiency":
        return replace(table, efficiency=table.efficiency | {name: new})
    if what == "host":
        forward, both = table.host[name]
        return replace(table, host=table.host | {name: (forward, new) if passes else (new, both)})
    return replace(table, **{what: new})


def _predicted_again(measured: Measured, predicted: np.ndarray, table: Machine, move: Move) -> np.ndarray:
    """The predictions after a move: all of them, or one algorithm's."""
    if move[0] in ("bandwidth", "launch"):
        return measured.predicted(table)
    number = measured.names.index(move[1])
    predicted = predicted.copy()
    predicted[:, number] = measured.column(number, table)
    return predicted


def _loss(measured: Measured, predicted: np.ndarray, regret: float) -> float:
    regrets = measured.regrets(predicted)
    lost = float(np.log(regrets).mean()) if len(regrets) else 0.0
    return float(measured.errors(predicted).mean()) + regret * lost


def accuracy(measured: Measured, table: Machine) -> list[str]:
    """Of each algorithm: how often it was measured, and by what factor half of its predictions are off."""
    predicted = measured.predicted(table)
    lines = []
    for number, name in enumerate(measured.names):
        known = np.isfinite(measured.seconds[:, number])
        if known.any():
            errors = np.abs(np.log(predicted[known, number] / measured.seconds[known, number]))
            lines.append(f"{name}: measured {int(known.sum())} times, off by {float(np.exp(np.median(errors))):.2f}×")
    return lines


def source(table: Machine) -> str:
    """The table as Python."""
    efficiency = [f'        "{name}": {_shown(value)},' for name, value in table.efficiency.items()]
    host = [f'        "{name}": ({_shown(one)}, {_shown(both)}),' for name, (one, both) in table.host.items()]
    words = [f'    {name}="{getattr(table, name)}",' for name in ("name", "kind")]
    rates = ("half", "single", "double", "bandwidth", "launch")
    numbers = [f"    {name}={_shown(getattr(table, name))}," for name in rates]
    tables = ["    efficiency={", *efficiency, "    },", "    host={", *host, "    },"]
    return "\n".join(["Machine(", *words, *numbers, *tables, ")"])


def _shown(value: float) -> str:
    """Three digits.

    >>> _shown(771e12), _shown(0.654321), _shown(1.2345e-05)
    ('7.71e+14', '0.654', '1.23e-05')
    """
    if value == 0 or not math.isfinite(value):
        return repr(value)
    return f"{float(f'{value:.3g}')!r}" if 1e-3 <= value < 1e4 else f"{value:.3g}"
