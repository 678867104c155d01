"""The planner's regret is measured at tiny sizes, evaluated again without measuring, and lessened by a fit."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from benchmarks import planner_regret
from regard import attend, plan
from regard.algorithms.planning.machines import TABLES, Machine
from regard.analysis.calibration import problems as drawn_problems
from regard.analysis.calibration.fit import Measured, evaluate, fit, source
from regard.analysis.calibration.problems import COMBINATIONS, Drawing, make
from regard.attention.reference import reference

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setitem(drawn_problems.PAIRS, "cpu", 1e4)


def run(tmp_path, *options):
    files = tmp_path / "r.json", tmp_path / "r.md"
    words = ["--device", "cpu", "--threads", "1", "--turns", "1", "--commit", "abc", *options]
    planner_regret.main([*words, "--out", str(files[0]), "--markdown", str(files[1])])
    return files


def test_a_run_is_written_and_evaluated_again(tmp_path, capsys):
    files = run(tmp_path, "--problems", "12")
    report = json.loads(files[0].read_text())
    assert (report["commit"], report["table"], len(report["problems"])) == ("abc", "cpu", 12)
    assert capsys.readouterr().out.endswith(files[1].read_text() + "\n")
    for problem in report["problems"]:
        timed = {one["name"]: one["measured_s"] for one in problem["candidates"] if one["measured_s"] is not None}
        assert problem["regret"] == timed[problem["chosen"]] / min(timed.values())
        assert not any(one["why not"] for one in problem["candidates"])

    measured = Measured(report, TABLES["cpu"])
    predicted = measured.predicted(TABLES["cpu"])
    assert np.allclose(predicted, measured.recorded, equal_nan=True), "the fit predicts as the planner"

    planner_regret.main(["--fit", str(files[0])])
    printed = capsys.readouterr().out
    assert "the fitted table:" in printed
    assert printed.count("the same, by a table fitted to the others:") == 2
    assert "measured" in printed


def test_no_problem_is_begun_after_the_time(tmp_path):
    report = json.loads(run(tmp_path, "--problems", "50", "--seconds", "0")[0].read_text())
    assert report["problems"] == []


@pytest.mark.parametrize("combination", COMBINATIONS, ids=lambda combination: combination.label)
def test_every_combination_is_a_problem_that_attend_takes(combination):
    drawing = Drawing(0, CPU, 0)
    drawn = drawing.sized(drawing._kind(combination))
    drawn = replace(drawn, kind=replace(drawn.kind, dtype=torch.float32))
    made = make(drawn, CPU)
    out = attend(made.q, made.k, made.v, made.value)
    assert out.shape == made.grad.shape
    if made.q is not None and made.k is not None:
        wanted, _ = reference(made.q, made.k, made.v, made.value)
        torch.testing.assert_close(out, wanted.to(out.dtype), rtol=1e-3, atol=1e-4)
    grads = torch.autograd.grad(out, made.leaves, made.grad, allow_unused=True) if drawn.kind.backward else ()
    assert drawn.kind.backward == plan(made.q, made.k, made.v, made.value).problem.backward
    assert all(grad is None or grad.isfinite().all() for grad in grads)


def test_a_seed_means_the_same_problems():
    first, again, other = (Drawing(seed, CPU, 16) for seed in (1, 1, 2))
    drawn = [first.problem(n) for n in range(20)]
    assert drawn == [again.problem(n) for n in range(20)]
    assert drawn != [other.problem(n) for n in range(20)]


def invented(table: Machine, count: int = 60):
    """Problems whose two candidates take exactly what this table says."""
    draw = np.random.default_rng(0)
    problems = []
    for number in range(count):
        candidates = [
            {
                "name": name,
                "measured_s": 1.0,
                "predicted_s": 1.0,
                "flops": float(10 ** draw.uniform(4, 11)) * share,
                "bytes": float(10 ** draw.uniform(4, 8)),
                "launches": 10.0,
            }
            for name, share in (("fused", 1.0), ("reference", 0.3))
        ]
        problems.append({"dtype": "float32", "backward": number % 2 == 1, "candidates": candidates})
    seconds = Measured({"problems": problems}, table).predicted(table)
    for problem, row in zip(problems, seconds, strict=True):
        for one, time in zip(problem["candidates"], row, strict=True):
            one["measured_s"] = float(time)
    return Measured({"problems": problems}, table)


@pytest.mark.parametrize("name", ["cpu", "h200"])
def test_a_fit_finds_the_table_that_times_come_from(name):
    machine = TABLES[name]
    truth = replace(
        machine,
        efficiency={"fused": 0.3, "reference": 0.02},
        host={"fused": (2e-3, 6e-3), "reference": (5e-5, 9e-5)},
    )
    measured = invented(truth)
    before = replace(machine, host={})
    found = fit(measured, before)
    assert evaluate(measured, before).worst > 5
    after = evaluate(measured, found)
    assert after.mean < 1.02
    assert after.error < 1.1
    assert found.host["fused"][1] == pytest.approx(6e-3, rel=0.2)
    assert evaluate(measured, truth).worst == 1.0


def test_the_price_of_a_launch_may_be_left_to_the_host():
    machine = TABLES["cpu"]
    measured = invented(machine, count=10)
    assert fit(measured, machine, launch=0.0).launch == 0.0


def test_a_table_is_printed_as_python():
    table = replace(TABLES["h200"], host={"fused": (1.2345e-5, 4e-5)})
    printed = eval(source(table), {"Machine": dict})
    assert printed["name"] == "h200"
    assert printed["host"] == {"fused": (1.23e-5, 4e-5)}
    assert printed["efficiency"] == TABLES["h200"].efficiency
