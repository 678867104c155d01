"""The benchmark runs at tiny sizes, catches a wrong contender, and writes what it measured."""

import json
import time
from dataclasses import replace

import pytest
import torch

from benchmarks import attention, contest, timing
from benchmarks.cases import CAUSAL, PADDING, Case, draw, half_lengths
from benchmarks.peers import Call, Unavailable, nested, regard, sdpa_contenders, varlen
from benchmarks.record import Bar, Row, race
from benchmarks.timing import Effort, Timing, interleave

CPU = torch.device("cpu")
CASE = Case(mask=CAUSAL, B=2, H=2, T=64, D=16, dtype=torch.float32, device=CPU)
PADDED = replace(CASE, mask=PADDING, lengths=(64, 20))
ONCE = Effort(seconds=0.0, rounds=(2, 2), slice=0.0)


@pytest.mark.parametrize("section", ["import", "ceilings"])
def test_a_section_is_written_as_json_and_markdown(section, tmp_path, capsys):
    files = tmp_path / "r.json", tmp_path / "r.md"
    options = ["--device", "cpu", "--tiny", "--commit", "abc", "--only", section]
    attention.main([*options, "--out", str(files[0]), "--markdown", str(files[1])])
    report = json.loads(files[0].read_text())
    assert report["commit"] == "abc"
    assert report["torch"] == torch.__version__
    assert {row["section"] for row in report["rows"]} == {section}
    assert capsys.readouterr().out.endswith(files[1].read_text() + "\n")


def test_unknown_section_names_the_sections():
    with pytest.raises(SystemExit, match="no section nonsense on cpu: use one of cpu, overhead"):
        attention.main(["--device", "cpu", "--only", "nonsense"])


@pytest.mark.parametrize("case", [CASE, PADDED, replace(PADDED, projected=True)])
def test_all_contenders_equal_the_reference(case):
    builds = {"regard": regard(), **sdpa_contenders(CPU), **sdpa_contenders(CPU, whole_mask=True)}
    assert {name: contest.verdict(name, build, case) for name, build in builds.items()} == dict.fromkeys(builds)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_packed_input_is_read_back_to_its_places():
    assert contest.verdict("nested", nested, PADDED) is None


def test_a_contender_that_drops_the_mask_is_wrong_and_not_timed():
    def careless(case, x):
        return regard()(replace(case, mask="none", lengths=()), x)

    builds = {"regard": regard(), "careless": careless}
    results = contest.contest(CASE, builds, ("forward",), ONCE)["forward"]
    assert str(results["careless"]).startswith("wrong: ")
    assert isinstance(results["regard"], Timing)


def test_pads_of_regard_must_be_zero():
    def unclean(case, x):
        call = regard()(case, x)
        return call._replace(forward=lambda: call.forward() + 1e-2 * ~case.real[:, None, :, None])

    assert str(contest.verdict("regard unclean", unclean, PADDED)).startswith("wrong: output")


def test_a_failing_contender_is_reported_and_the_others_are_timed():
    def broken(case, x):
        def forward():
            raise RuntimeError("no such kernel")

        return Call(forward, x[:3], x.grad, lambda y: y)

    results = contest.contest(CASE, {"regard": regard(), "broken": broken}, ("backward", "both"), ONCE)
    assert results["both"]["broken"] == "error: RuntimeError: no such kernel"
    assert isinstance(results["backward"]["regard"], Timing)


def test_what_is_not_there_says_so():
    with pytest.raises(Unavailable, match="CUDA only"):
        varlen(PADDED, draw(PADDED, seed=0))


def test_rounds_are_interleaved_and_start_in_turn(monkeypatch):
    order: list[str] = []
    monkeypatch.setattr(timing, "HOPELESS", 1e9)
    runs = {name: [lambda name=name: order.append(name)] for name in "abc"}
    results = interleave(runs, CPU, replace(ONCE, rounds=(3, 3)))
    assert "".join(order).endswith("abcbcacab")
    assert [len(result.samples) for result in results.values() if isinstance(result, Timing)] == [3, 3, 3]


def test_the_ratio_is_the_best_peer_over_regard():
    times = {"regard": Timing((1.0, 2.0)), "slow": Timing((4.0, 8.0)), "fast": Timing((2.0, 4.0)), "none": "absent"}
    row = race("s", "c", "forward", times, ["slow", "fast", "none"], Bar("≥", 2.5))
    assert (row.ratio, row.against, row.verdict) == (2.0, "fast", "missed")
    assert Row("s", "c", "forward", {}, bar=Bar("≥", 2)).verdict == "not measured"


def test_half_of_the_tokens_are_pads():
    assert sum(half_lengths(100)) == 200


def test_a_hopeless_contender_is_timed_in_two_rounds():
    runs = {"fast": [lambda: None], "slow": [lambda: time.sleep(0.01)]}
    results = interleave(runs, CPU, replace(ONCE, rounds=(5, 5)))
    assert [len(result.samples) for result in results.values() if isinstance(result, Timing)] == [5, 2]
