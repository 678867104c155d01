"""The benchmark on a grid runs at tiny sizes, catches a wrong contender, and writes what it measured."""

import json
from dataclasses import replace

import pytest
import torch

from benchmarks import grid
from benchmarks.grid_cases import ISOTROPIC, TABLE, Case, draw
from benchmarks.grid_contest import Contender, contest, disagreements, ours, planned, regard, verdict
from benchmarks.grid_peers import content_peers, layer_peers, table_peers
from benchmarks.setting import Watch
from benchmarks.timing import Effort, Timing
from regard.algorithms.catalogue import PLANNER

CPU = torch.device("cpu")
LAYER = Case(kind=ISOTROPIC, B=2, H=4, h=4, w=5, E=8, dtype=torch.float32, device=CPU, shared=True, projections=1)
TABLES = Case(kind=TABLE, B=2, H=2, h=4, w=5, E=8, dtype=torch.float32, device=CPU)
CONTENT = Case(
    kind=ISOTROPIC, B=2, H=2, h=4, w=5, E=8, dtype=torch.float32, device=CPU, content=True, learned_precision=False
)
ONCE = Effort(seconds=0.0, rounds=(2, 2), slice=0.0)


@pytest.mark.slow
def test_a_tiny_run_is_written_as_json_and_markdown(tmp_path, capsys):
    files = tmp_path / "r.json", tmp_path / "r.md"
    options = ["--device", "cpu", "--tiny", "--threads", "1", "--commit", "abc"]
    grid.main([*options, "--out", str(files[0]), "--markdown", str(files[1])])
    report = json.loads(files[0].read_text())
    assert report["commit"] == "abc"
    assert "-m benchmarks.grid --device cpu" in report["command"]
    sections = {row["section"] for row in report["rows"]}
    assert sections == set(report["seconds"]) == {"cpu", "position", "table", "content"}
    wrong = [check for check in report["checks"] if check["verdict"] and "no backward" not in check["verdict"]]
    assert wrong == []
    assert not [row for row in report["rows"] if row["case"] == "the whole section"]
    assert capsys.readouterr().out.endswith(files[1].read_text() + "\n")


def test_unknown_section_names_the_sections():
    with pytest.raises(SystemExit, match="no section nonsense on cpu: use one of cpu, position"):
        grid.main(["--device", "cpu", "--only", "nonsense"])


@pytest.mark.parametrize(
    ("case", "peers"), [(LAYER, layer_peers(CPU)), (TABLES, table_peers(CPU)), (CONTENT, content_peers(CPU))]
)
def test_all_contenders_equal_the_definition(case, peers):
    contenders = ours(case, ("both",))[0] | peers
    del contenders["regard"]
    if "flex" in contenders:
        assert verdict("flex", contenders.pop("flex").build, case, case.small()) == "no backward on the CPU"
    found = {name: verdict(name, contender.build, case, case.small()) for name, contender in contenders.items()}
    assert found == dict.fromkeys(contenders)


@pytest.mark.parametrize("case", [LAYER, CONTENT], ids=["layer", "content"])
def test_a_contender_with_rows_and_columns_exchanged_is_wrong_and_not_timed(case):
    def exchanged(case, x):
        turned = replace(case, h=case.w, w=case.h)
        return regard("reference")(turned, x)._replace(meant=case)

    contenders = {"regard": Contender(regard()), "exchanged": Contender(exchanged)}
    results = contest(case, contenders, ("both",), ONCE, Watch(60), case.small())["both"]
    assert str(results["exchanged"]).startswith("wrong: ")
    assert isinstance(results["regard"], Timing)


def test_a_wrong_gradient_of_the_table_is_named():
    def detached(case, x):
        call = regard("reference")(case, x)
        table = call.leaves["tables.0"]
        return call._replace(forward=lambda: call.forward() + 0.1 * (table - table.detach()).sum())

    assert str(verdict("detached", detached, TABLES, TABLES.small())).startswith("wrong: d tables.0 off by")


def test_a_contender_that_is_wrong_at_the_timed_size_alone_is_found():
    x = draw(LAYER, seed=0)
    calls = {name: regard(name)(LAYER, x) for name in ("reference", "shared", "separable")}
    calls["careless"] = calls["shared"]._replace(forward=lambda: 1.5 * calls["shared"].forward())
    found = disagreements(calls, "both")
    assert list(found) == ["careless"]
    assert found["careless"].startswith("wrong at this size: ")


def test_a_failing_contender_is_reported_and_the_others_are_timed():
    def broken(case, x):
        raise RuntimeError("no such kernel")

    contenders = {"regard": Contender(regard()), "broken": Contender(broken)}
    results = contest(TABLES, contenders, ("both",), ONCE, Watch(60), TABLES.small())["both"]
    assert results["broken"] == "error: RuntimeError: no such kernel"
    assert isinstance(results["regard"], Timing)


def test_what_compiles_sits_out_when_time_is_short():
    contenders = {"regard": Contender(regard()), "slow": Contender(regard("shared"), compiles=True)}
    results = contest(LAYER, contenders, ("both",), ONCE, Watch(-1), LAYER.small())["both"]
    assert results["slow"] == "out of time"
    assert isinstance(results["regard"], Timing)


def test_the_choice_stands_once_among_the_contenders():
    contenders, left_out = ours(LAYER, ("both",))
    chosen = planned(LAYER, "both").chosen
    assert f"regard {chosen}" not in contenders
    assert {name.removeprefix("regard ") for name in contenders} - {"regard"} | {chosen} | set(left_out) == {
        algorithm.name for algorithm in PLANNER.algorithms
    }
