"""A machine is measured at tiny sizes, its table is written, read where it is named, and predicts its own problems."""

import itertools
import json
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from regard import plan
from regard.algorithms.planning.machines import TABLES, read_table, table_of
from regard.analysis.calibration import calibrate, calibration, problems
from regard.analysis.calibration.fit import Measured, evaluate
from regard.analysis.calibration.measure import Session
from regard.commands.app import app
from regard.training import limit_threads

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results"
STATED = 1.5  # docs/machines.md: half of the predictions of a shipped table are within it


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setitem(problems.PAIRS, "cpu", 1e4)
    monkeypatch.setitem(calibration.SIDE, "cpu", 64)
    monkeypatch.setitem(calibration.COPIED, "cpu", 1 << 16)
    monkeypatch.setattr(calibration, "FEWEST", 4)
    with limit_threads(1):
        yield


def test_the_command_writes_a_table_that_plans_are_made_by(tmp_path):
    file = tmp_path / "Mine.json"
    found = CliRunner().invoke(app, ["calibrate", "--out", str(file), "--seconds", "1", "--json", "--device", "cpu"])
    assert found.exit_code == 0, found.stderr
    printed, written = json.loads(found.stdout), json.loads(file.read_text())
    assert printed == written
    machine = read_table(file)
    assert (machine.source, machine.kind) == ("calibrated", "cpu")
    assert machine.where.startswith("1 thread of ")
    assert set(machine.efficiency) == set(TABLES["cpu"].efficiency)
    assert machine.error == pytest.approx(written["own"]["error"], rel=0.01)
    assert written["problems"] >= 4
    assert any(line.startswith("reference: measured") for line in written["algorithms"])

    shown = CliRunner().invoke(app, ["plan", "--device", str(file), "--tokens", "64"])
    assert "measured by `regard calibrate` on 1 thread" in " ".join(shown.stdout.split())
    q = torch.zeros(1, 1, 4, 4)
    assert plan(q, q, q).problem.machine is TABLES["cpu"], "a table is read where it is named, and nowhere else"

    again = CliRunner().invoke(app, ["calibrate", "--out", str(file), "--seconds", "1"])
    assert again.exit_code == 2
    assert "which exists; give another name or --force" in again.stderr


def test_a_gpu_behind_another_host_has_its_prices():
    """Operations take what they take there; calls of attention grow by the same factor, and the GPU stays."""
    known = TABLES["h200"]
    slow = calibration.with_host(known, (2 * known.dispatch[0], 1e-5, 2e-5))
    assert slow.dispatch == (2 * known.dispatch[0], 1e-5, 2e-5)
    assert slow.host["fused"] == tuple(2 * price for price in known.host["fused"])
    assert (slow.half, slow.bandwidth, slow.kernel) == (known.half, known.bandwidth, known.kernel)


def test_operations_are_dearer_where_a_graph_is_recorded():
    alone, recorded, node = calibration.measure_dispatch(torch.device("cpu"))
    assert min(alone, recorded) > 0
    assert node >= 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--out", "x.txt"], "--out must name a file that ends in .json"),
        (["--device", "tpu"], "--device must name a device of this machine: got 'tpu'"),
        (["--seconds", "0"], "--seconds"),
    ],
)
def test_bad_input_is_one_line(tmp_path, monkeypatch, words, says):
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(app, ["calibrate", *words])
    assert found.exit_code == 2
    assert says in found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_too_few_problems_make_no_table(monkeypatch):
    monkeypatch.setattr(calibration, "FEWEST", 10**6)
    with pytest.raises(ValueError, match=r"needs at least 1000000 problems: got \d+ in"):
        calibrate(torch.device("cpu"), seconds=0.01)


def test_an_algorithm_that_fails_in_a_later_turn_has_a_reason_and_no_time():
    calls = itertools.count(1)

    def fail_later() -> None:
        if next(calls) > 3:  # once to see, and twice on the clock
            raise RuntimeError("no more room")

    times, errors = Session(torch.device("cpu"), seconds=1.0)._times({"whole": lambda: None, "later": fail_later}, None)
    assert times.keys() == {"whole"}
    assert errors == {"later": "error: RuntimeError: no more room"}


def test_the_table_of_a_slower_machine_predicts_it_and_the_shipped_one_does_not():
    problems = json.loads((RESULTS / "planner-regret-cpu.json").read_text())["problems"][:120]
    for problem in problems:
        for one in problem["candidates"]:
            one["measured_s"] = None if one["measured_s"] is None else 3 * one["measured_s"]
    found = calibration.fit_table(TABLES["cpu"], TABLES["cpu"], problems, torch.device("cpu"), load=0.0)
    assert found.machine.error == pytest.approx(found.own.error, rel=0.01)
    assert found.own.error < STATED
    assert found.apart.error < STATED
    assert found.shipped.error > 2
    slower = found.machine.efficiency["reference"] / TABLES["cpu"].efficiency["reference"]
    assert slower < 0.6
    assert "busy" not in str(found)


@pytest.mark.parametrize("name", [name for name, table in TABLES.items() if table.source == "measured"])
def test_a_measured_table_predicts_its_own_problems_within_the_stated_error(name):
    report = json.loads((RESULTS / f"planner-regret-{name}.json").read_text())
    machine = TABLES[name]
    assert evaluate(Measured(report, machine), machine).error <= STATED
    other = TABLES["h200" if name == "cpu" else "cpu"]
    assert evaluate(Measured(report, other), other).error > STATED, "another machine's table does not"


def test_what_is_shown_says_how_exact_the_table_is():
    found = calibrate(torch.device("cpu"), seconds=1.0)
    shown = str(found)
    assert f"{found.own.error:.2f}×" in shown
    assert f"{found.apart.error:.2f}×" in shown
    busy = found.about["load"] > found.about["cores"] / 2
    assert ("this machine was busy" in shown) == busy
    assert table_of(torch.device("cpu")) is TABLES["cpu"]
