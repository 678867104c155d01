"""The benchmark of sparse and linear attention runs at tiny sizes, catches wrong contenders, and has its bars."""

import json
from dataclasses import replace

import pytest
import torch

from benchmarks import sparse, sparse_cells, sparse_decode, sparse_lists
from benchmarks.comparison import compare, grouped
from benchmarks.grid_cases import draw, expected
from benchmarks.grid_contest import Contender, contest, ours, regard, verdict
from benchmarks.peers import Unavailable
from benchmarks.record import Bar
from benchmarks.setting import Setting, Watch
from benchmarks.sparse_cases import (
    CAUSAL,
    CAUSAL_WINDOW,
    CAUSAL_WINDOW_256,
    EVERYTHING,
    GLOBAL,
    PATTERNS,
    SPARSE,
    Case,
    Pattern,
    cell_cases,
)
from benchmarks.sparse_peers import fla, flex, linear_peers, mask_peers
from benchmarks.timing import Effort, Timing
from regard.algorithms.catalogue import PLANNER
from regard.attention import Window
from regard.attention.reference import reference

CPU, CUDA = torch.device("cpu"), torch.device("cuda")
WINDOWED = Case(pattern=CAUSAL_WINDOW, B=1, H=2, h=1, w=200, E=8, dtype=torch.float32, device=CPU)
LINEAR = replace(WINDOWED, pattern=CAUSAL, linear=True)
DECODED = sparse_decode.Case(lengths=(9, 4), H=2, D=8, dtype=torch.float32, device=CPU)
ONCE = Effort(seconds=0.0, rounds=(2, 2), slice=0.0)


@pytest.mark.slow
def test_a_tiny_run_is_written_as_json_and_markdown(tmp_path, capsys):
    files = tmp_path / "r.json", tmp_path / "r.md"
    options = ["--device", "cpu", "--tiny", "--threads", "1", "--commit", "abc"]
    sparse.main([*options, "--out", str(files[0]), "--markdown", str(files[1])])
    report = json.loads(files[0].read_text())
    assert report["commit"] == "abc"
    assert "-m benchmarks.sparse --device cpu" in report["command"]
    assert list(report["seconds"]) == ["window", "lists", "growth", "linear", "cells", "decode"]
    assert {row["section"] for row in report["rows"]} == {*report["seconds"], "measured / predicted"}
    assert not [row for row in report["rows"] if row["case"] == "the whole section"]
    assert {check["verdict"] for check in report["checks"]} <= {None, "CUDA only", "takes causal linear attention"}
    assert files[1].read_text().startswith("# Sparse and linear attention, side by side")
    assert capsys.readouterr().out.endswith(files[1].read_text() + "\n")
    assert all(row["ratio"] is not None for row in report["rows"] if row["section"] != "measured / predicted")
    # Tiny sizes prove nothing about speed: what is left is whether the planner knows the best of its own.
    assert {row["section"] for row in report["rows"] if row["bar"]} == {"cells"}

    named = {algorithm.name for algorithm in PLANNER.algorithms}
    chosen = [row for row in report["rows"] if row["section"] == "cells" and row["bar"]]
    assert len(chosen) == len(cell_cases(Setting(CPU, "tiny")))
    for row in chosen:
        assert row["bar"]["threshold"] == 1.15
        timed = [entry["algorithm"] for entry in row["details"]["timed"]]
        assert row["cells"]["chosen"] in timed
        assert set(timed) | set(row["details"]["left out"]) == named
        assert all(entry["measured_s"] > 0 and entry["predicted_s"] > 0 for entry in row["details"]["timed"])


def test_unknown_section_names_the_sections():
    with pytest.raises(SystemExit, match="no section nonsense on cpu: use one of window, lists, growth, linear, cells"):
        sparse.main(["--device", "cpu", "--only", "nonsense"])


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_the_plain_lines_are_the_mask(pattern):
    h, w = pattern.small
    case = replace(WINDOWED, pattern=pattern, h=h, w=w)
    tokens, one = torch.arange(h * w), torch.arange(1)
    value = case.attention(None)
    mask = value.mask.slab(one, one, tokens, tokens, value.places(h * w, h * w)).expand(1, 1, h * w, h * w)
    assert torch.equal(case.dense, mask[0, 0])
    assert pattern is EVERYTHING or not mask.all(), "the check must be large enough for the mask to hide something"


def test_the_definition_head_by_head_is_the_definition():
    for case in (WINDOWED, LINEAR):
        x = draw(case, seed=0)
        q, k, v = (y.detach().double().requires_grad_() for y in (x.q, x.k, x.v))
        out, _ = reference(q, k, v, case.attention(None))
        gradients = torch.autograd.grad(out, (v, q, k), x.grad.double())
        wanted = dict(zip(("output", "d v", "d q", "d k"), (out.detach(), *gradients), strict=True))
        torch.testing.assert_close(expected(case, x), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("case", "peers"), [(WINDOWED, mask_peers(CPU, True)), (LINEAR, linear_peers(CPU))])
def test_all_contenders_equal_the_definition(case, peers):
    peers.pop("flash-linear-attention", None)
    contenders = ours(case, ("both",))[0] | peers
    del contenders["regard"]
    found = {name: verdict(name, contender.build, case, case.small()) for name, contender in contenders.items()}
    assert len(found) >= 2
    assert found == dict.fromkeys(contenders)


def test_a_window_off_by_one_is_wrong_and_not_timed():
    def careless(case, x):
        wide = Pattern("careless", Window(128), CAUSAL_WINDOW.sees)
        return regard("reference")(replace(case, pattern=wide), x)._replace(meant=case)

    contenders = {"regard": Contender(regard()), "careless": Contender(careless)}
    results = contest(WINDOWED, contenders, ("both",), ONCE, Watch(60), WINDOWED.small())["both"]
    assert str(results["careless"]).startswith("wrong: ")
    assert isinstance(results["regard"], Timing)


def test_linear_attention_that_looks_ahead_is_wrong():
    def unordered(case, x):
        return regard("linear")(replace(case, pattern=EVERYTHING), x)._replace(meant=case)

    assert str(verdict("unordered", unordered, LINEAR, LINEAR.small())).startswith("wrong: ")


def test_sdpa_beside_linear_attention_is_checked_as_the_softmax_that_it_is():
    call = linear_peers(CPU)["sdpa flash"].build(LINEAR, draw(LINEAR, seed=0))
    assert call.meant == replace(LINEAR, linear=False)


def test_what_cannot_run_here_says_so():
    x = draw(WINDOWED, seed=0)
    with pytest.raises(Unavailable, match="no backward on the CPU"):
        flex(WINDOWED, x)
    with pytest.raises(Unavailable, match="CUDA only"):
        fla(LINEAR, x)
    with pytest.raises(Unavailable, match="takes causal linear attention"):
        fla(WINDOWED, x)
    with pytest.raises(Unavailable, match="computes a softmax"):
        mask_peers(CPU, True)["sdpa + mask, flash"].build(LINEAR, x)


@pytest.mark.parametrize("scale", ["full", "quick"])
def test_the_bars_are_on_the_cases_of_the_issue(scale):
    cpu, cuda = Setting(CPU, scale), Setting(CUDA, scale)
    here = [(case.label, str(bar)) for case, bar in sparse.window_cases(cpu)]
    assert here == [
        ("causal window 128 B1 H8 N8192 d64 float32", "≥ 12"),
        ("window 64 + 64 B1 H8 N8192 d64 float32", "≥ 12"),
    ]
    there = [(case.label, str(bar)) for case, bar in sparse.window_cases(cuda)]
    assert there[0] == ("causal window 256 B1 H16 N16384 d64 bfloat16", "≥ 1")
    assert there[1] == ("causal window 1024 B1 H16 N16384 d64 bfloat16", "None")
    here = [(case.label, str(bar)) for case, bar in sparse.linear_cases(cpu)]
    assert here[0] == ("linear, causal B1 H8 N8192 d64 float32", "≥ 10")
    assert here[1][1] == "None"
    assert {bar for _, bar in sparse.linear_cases(cuda)} == {None}
    for setting in (cpu, cuda):
        assert [(a.N, b.N, a.linear) for a, b in sparse.growth_cases(setting)] == [
            (4096, 16384, False),
            (4096, 16384, True),
        ]
    assert str(sparse.GROWTH) == "≤ 1.25"
    assert (str(sparse_lists.SOON), str(sparse_lists.LITTLE)) == ("≤ 5", "≤ 50")


def test_the_bar_of_a_group_stands_in_its_rows_alone():
    contenders = {"regard": Contender(regard()), **mask_peers(CPU, True)}
    groups = grouped(contenders, {"flash": ("sdpa + mask, flash",), "math": ("sdpa + mask, math",)})
    bar = Bar("≥", 12.0)
    first, second = compare("window", WINDOWED, contenders, groups, {"math": bar}, ONCE, Watch(60))
    assert (first.against, first.bar) == ("sdpa + mask, flash", None)
    assert (second.against, second.bar) == ("sdpa + mask, math", bar)
    assert first.ratio is not None
    assert second.ratio is not None


def test_growth_is_the_share_of_linear_growth(monkeypatch):
    small, large = (replace(WINDOWED, w=n) for n in (64, 256))
    times = {"N64": Timing((1.0, 1.0)), "N256": Timing((6.0, 6.0))}
    monkeypatch.setattr(sparse, "interleave", lambda runs, device, effort: {name: times[name] for name in runs})
    row = sparse.growth_row(small, large, Setting(CPU))
    assert (row.ratio, row.verdict) == (1.5, "missed")


def test_wrong_growth_is_not_timed(monkeypatch):
    monkeypatch.setattr(sparse, "verdict", lambda *_: "wrong: output off by 1")
    row = sparse.growth_row(WINDOWED, replace(WINDOWED, w=800), Setting(CPU))
    assert (row.cells, row.ratio, row.verdict) == ({"regard": "wrong: output off by 1"}, None, "not measured")


@pytest.mark.parametrize("maker", [sparse_lists.by_regard, sparse_lists.by_torch])
@pytest.mark.parametrize("number", range(4))
def test_lists_of_blocks_are_right(maker, number):
    assert sparse_lists.check(maker, sparse_lists.problems(500, CPU)[number]) is None


def without_the_last(problem):
    counts, *rest = sparse_lists.by_regard(problem)
    return [counts - (counts > 1).int(), *rest]


def all_full(problem):
    return sparse_lists.by_torch(replace(problem, predicate=lambda b, h, i, j: j >= 0))


def full_and_in_part(problem):
    lists = all_full(problem)
    return lists[2:4] + lists[2:]


@pytest.mark.parametrize(
    ("maker", "pattern", "text"),
    [
        (without_the_last, CAUSAL_WINDOW, "leave out visible pairs"),
        (all_full, CAUSAL_WINDOW, "call full what is not"),
        (full_and_in_part, EVERYTHING, "name a block twice"),
    ],
)
def test_wrong_lists_are_named(maker, pattern, text):
    problem = replace(sparse_lists.problems(512, CPU)[0], mask=pattern.mask)
    assert sparse_lists.check(maker, problem) == f"wrong: the lists by query block {text}"


def test_wrong_lists_are_not_timed(monkeypatch):
    problem = sparse_lists.problems(300, CPU)[0]
    monkeypatch.setitem(sparse_lists.MAKERS, "regard", without_the_last)
    (row,) = sparse_lists.rows_of(problem, problem, Setting(CPU, "tiny"), Watch(60))
    assert str(row.cells["regard"]).startswith("wrong: ")
    assert row.ratio is None
    assert isinstance(row.cells["create_block_mask"], Timing)


def test_on_a_gpu_only_the_choice_and_a_sample_compile():
    quick, full = Setting(CUDA, "quick"), Setting(CUDA)
    tiles = cell_cases(quick)[0]
    (sample,) = [case for case in cell_cases(quick) if case.pattern is GLOBAL]
    assert sparse_cells._is_sample(sample, "blockwise", quick)
    assert not sparse_cells._is_sample(sample, "merged", quick)
    assert not sparse_cells._is_sample(tiles, "blockwise", quick)
    assert sparse_cells._is_sample(tiles, "blockwise", full)
    assert "flex" in sparse_cells._peers(sample)
    assert "flex" not in sparse_cells._peers(tiles)


def test_a_case_of_the_gpu_is_checked_as_it_is_unless_it_is_huge():
    window = replace(WINDOWED, pattern=CAUSAL_WINDOW_256, H=16, w=16384, device=CUDA)
    assert window.small() == window
    assert replace(window, B=8).small() == replace(window, B=1, H=2)
    assert replace(window, device=CPU).small() == replace(window, device=CPU, B=2, H=2, w=700)


def test_every_pattern_of_cells_is_planned_on_both_machines():
    for setting in (Setting(CPU), Setting(CPU, "quick"), Setting(CUDA, "quick")):
        found = cell_cases(setting)
        assert len({case.pattern for case in found}) == len(found) == 10
        assert {GLOBAL, SPARSE} <= {case.pattern for case in found}


@pytest.mark.parametrize("case", [DECODED, replace(DECODED, lengths=(6, 6))], ids=["ragged", "equal"])
def test_steps_equal_the_definition(case):
    found = {name: sparse_decode.verdict(build, case) for name, build in sparse_decode.builds(CPU).items()}
    assert found == dict.fromkeys(found)


def test_a_step_that_forgets_or_remembers_too_much_is_wrong():
    def forgetful(case, x):
        return lambda: x.new(x.v)

    def growing(case, x):
        cache = sparse_decode.filled(replace(case, lengths=(9, 9)), x)
        cache.truncate([8, 3])
        q, k, v = (x.new(y) for y in (x.q, x.k, x.v))
        return lambda: sparse_decode.attend(q, *cache.append(k, v, sparse_decode.CAUSAL))

    rows = sparse_decode.rows_of(DECODED, sparse_decode.builds(CPU) | {"again": forgetful}, Setting(CPU, "tiny"))
    assert str(rows[0].cells["again"]).startswith("wrong: output off by")
    assert isinstance(rows[0].cells["regard"], Timing)
    assert str(sparse_decode.verdict(growing, DECODED)).startswith("wrong: output off by")


def test_the_cache_saves_what_the_plan_says():
    case = replace(DECODED, lengths=(63, 63))
    costs = sparse_decode.costs(case, sparse_decode.draw(case, seed=0))
    assert costs["FLOPs of the step"] == 4 * 2 * 2 * 8 * 64
    assert isinstance(costs["again / step"], float)
    assert costs["again / step"] > 30
