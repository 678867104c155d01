"""The command line: what it prints, and one clear line for each thing it cannot use."""

import json

import pytest
import torch

from regard import Attention, plan
from regard.algorithms.catalogue import PLANNER
from regard.attention import Content, Grid, Neighbours, Quadratic, RelativeTable, Term
from tests.commands.running import check_refused
from tests.commands.running import run as regard


def planned(*arguments: str) -> dict:
    result = regard("plan", "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_plain_plan_shows_every_algorithm() -> None:
    result = regard("plan", "--device", "cpu")
    assert result.exit_code == 0
    for algorithm in PLANNER.algorithms:
        assert algorithm.name in result.stdout
    assert "▶   fused" in result.stdout
    assert "B=4 H=16 G=16 T=4096 S=4096 D=64 E=64 · float32 · cpu · forward and backward" in result.stdout
    assert "\x1b" not in result.stdout


def test_json_has_the_documented_fields() -> None:
    made = planned("--device", "h200")
    assert set(made) == {"chosen", "device", "table", "dtype", "backward", "shape", "attention", "candidates"}
    assert made["dtype"] == "bfloat16"
    assert {candidate["name"] for candidate in made["candidates"]} == {
        algorithm.name for algorithm in PLANNER.algorithms
    }
    for candidate in made["candidates"]:
        assert (candidate["cost"] is None) == (candidate["refusal"] is not None)
    assert made["chosen"] in {candidate["name"] for candidate in made["candidates"] if candidate["cost"]}


def test_every_option_reaches_the_plan() -> None:
    sizes = {"batch": 2, "heads": 8, "groups": 4, "tokens": 10, "keys": 20, "width": 32, "value-width": 48}
    options = [f"--{name}={size}" for name, size in sizes.items()]
    made = planned(*options, "--mask", "causal & window(3)", "--scores", "content(beta=0.3) + slopes", "--forward-only")
    assert made["shape"] == {"B": 2, "H": 8, "G": 4, "T": 10, "S": 20, "D": 32, "E": 48}
    assert made["attention"] == (
        "Attention(scores=Content(beta=0.3) + Slopes(float32[8]), "
        "mask=Causal() & Window(before=3, after=0), weighting=Softmax())"
    )
    assert made["backward"] is False
    assert planned("--backward")["backward"] is True
    assert planned("--dtype", "float64")["dtype"] == "float64"
    assert planned("--device", "H200")["device"] == "h200"
    assert "Hard()" in planned("--hard")["attention"]
    refusals = {c["name"]: c["refusal"] for c in planned("--dropout", "0.1", "--device", "cpu")["candidates"]}
    assert "dropout" in refusals["fused"]
    refusals = {c["name"]: c["refusal"] for c in planned("--lse", "--device", "cpu")["candidates"]}
    assert "log-sum-exp" in refusals["fused"]


def test_lengths_make_a_padded_batch() -> None:
    made = planned("--lengths", "512, 1024,4096", "--device", "h200")
    assert made["shape"]["B"] == 3
    assert made["shape"]["T"] == made["shape"]["S"] == 4096
    assert "mask=Padding((512, 1024, 4096))" in made["attention"]
    assert made["chosen"] == "tiled"
    assert "mask=Causal() & Padding((5, 6))" in planned("--lengths", "5,6", "--mask", "causal")["attention"]
    assert planned("--mask", "key_padding(5, 6)", "--tokens", "9")["shape"]["B"] == 2
    assert planned("--mask", "prefix(5, 6)", "--tokens", "9")["shape"]["B"] == 2


def test_documents_make_a_packed_batch() -> None:
    made = planned("--mask", "causal & documents([5000, 3000], [7000, 2000, 50])", "--device", "h200")
    assert made["shape"]["B"] == 2
    assert made["shape"]["T"] == made["shape"]["S"] == 9050
    assert made["chosen"] == "tiled"
    assert planned("--mask", "documents(5, 6)", "--batch", "3")["shape"] == made["shape"] | {"B": 3, "T": 11, "S": 11}


GAUSSIAN = ("--grid", "5x6", "--scores", "gaussian", "--heads", "9", "--groups", "1", "--width", "40")


def test_a_grid_gives_the_places_of_keys_and_queries() -> None:
    made = planned(*GAUSSIAN, "--batch", "2")
    assert made["shape"] == {"B": 2, "H": 9, "G": 1, "T": 30, "S": 30, "D": 0, "E": 40}
    assert made["attention"].endswith("keys=Grid(h=5, w=6, start=(0, 0), step=(1, 1)))")
    assert "queries=" not in made["attention"]
    assert planned("--grid", "5X6")["shape"]["D"] == 64


@pytest.mark.parametrize(
    ("stride", "queries"),
    [
        ("2", Grid(3, 3, step=(2, 2))),
        ("2x4", Grid(3, 2, step=(2, 4))),
        ("1x5", Grid(5, 2, step=(1, 5))),
        ("99", Grid(1, 1, step=(99, 99))),
    ],
)
@pytest.mark.parametrize("scores", ["gaussian", "content"])
def test_a_stride_keeps_every_nth_pixel(stride: str, queries: Grid, scores: str) -> None:
    made = planned("--grid", "5x6", "--stride", stride, "--scores", scores)
    assert (made["shape"]["T"], made["shape"]["S"]) == (queries.count, 30)
    assert f"queries={queries!r}, keys={Grid(5, 6)!r}" in made["attention"]
    assert "queries=" not in planned("--grid", "5x6", "--stride", "1", "--scores", scores)["attention"]


@pytest.mark.parametrize("backward", [True, False])
@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("gaussian", [(9, 2), (9,)]),
        ("diagonal_gaussian", [(9, 2), (9, 2)]),
        ("content + full_gaussian", [(9, 2), (9, 2, 2)]),
        ("table(8)", [(9, 9, 11)]),
    ],
)
def test_a_plan_from_text_is_that_of_real_tensors(text: str, shapes: list[tuple[int, ...]], backward: bool) -> None:
    """Placeholders cost what learnt tensors of those shapes would, and nothing where they are not learnt."""
    tensors = [torch.eye(2).repeat(9, 1, 1) if shape == (9, 2, 2) else torch.ones(shape) for shape in shapes]
    tensors = [tensor.requires_grad_(backward) for tensor in tensors]
    term: Term = RelativeTable(*tensors, bound=8) if text == "table(8)" else Quadratic(*tensors)
    q, k, v = (torch.zeros(2, H, 30, 8, requires_grad=backward) for H in (9, 3, 3))
    mask, keys = Neighbours(2, 3), Grid(5, 6)
    if "content" in text:
        direct = plan(q, k, v, Attention(Content() + term, mask, keys=keys))
    else:
        direct = plan(None, None, v, Attention(term, mask, keys=keys))
    options = "--grid 5x6 --batch 2 --heads 9 --groups 3 --width 8 --device cpu --mask neighbours(2,3)"
    way = "--backward" if backward else "--forward-only"
    assert planned(*options.split(), "--scores", text, way) == json.loads(direct.json())


def test_scores_without_content_need_no_queries() -> None:
    made = planned("--scores", "table", "--tokens", "7", "--keys", "9", "--heads", "2", "--value-width", "5")
    assert made["shape"] == {"B": 4, "H": 2, "G": 2, "T": 7, "S": 9, "D": 0, "E": 5}
    assert "RelativeTable(float32[2, 17])" in made["attention"]
    assert "queries=Sequence(n=7, start=2, step=1)" in made["attention"]
    assert planned("--scores", "slopes + content")["shape"]["D"] == 64
    assert planned("--scores", "slopes")["shape"]["D"] == 0


def test_the_way_back_of_scores_is_counted_with_the_rest() -> None:
    options = ("--grid", "64x64", "--scores", "row_table + column_table", "--device", "cpu")
    made = {way: planned(*options, way) for way in ("--backward", "--forward-only")}
    assert {way: plan["backward"] for way, plan in made.items()} == {"--backward": True, "--forward-only": False}
    back, forth = (plan["candidates"] for plan in made.values())
    for learnt, fixed in zip(back, forth, strict=True):
        if learnt["name"] == "separable":  # two products for values and one for tables, in place of one
            assert learnt["cost"]["flops"] == 3 * fixed["cost"]["flops"]
    assert made["--backward"]["chosen"] == "separable"


def test_a_plan_for_a_huge_grid_costs_nothing() -> None:
    sizes = ("--batch", "1", "--heads", "1", "--width", "1")
    made = planned("--grid", "1000000x1000000", "--scores", "table(3)", "--mask", "neighbours(3, 3)", *sizes)
    assert "float32[1, 1999999, 1999999]" in made["attention"]
    assert made["chosen"] == "convolution"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("plan --mask causl", "got 'causl' at character 1; did you mean causal?"),
        ("plan --scores slops", "got 'slops' at character 1; did you mean slopes?"),
        ("plan --lengths 5,x", "--lengths must be whole numbers with commas: got 'x' in '5,x'; write 512,1024"),
        ("plan --lengths 5,-6", "got '-6' in '5,-6'"),
        (
            "plan --lengths 5,6 --batch 3",
            "--lengths says how many rows there are: got 2 and --batch 3; use one of the two",
        ),
        ("plan --mask padding(5,6) --batch 3", "--mask says how many rows there are: got 2 and --batch 3"),
        ("plan --lengths 5,6 --tokens 4", "lengths must lie in 0…S=4: got 5 in row 0"),
        ("plan --lengths 5,6 --keys 9", "T = S: got T=6, S=9"),
        ("plan --device tpu", "no table for device 'tpu'"),
        ("plan --groups 3", "got H=16, G=3"),
        ("plan --dropout 2", "got dropout=2.0"),
        ("plan --lse --hard", "Hard() has no log-sum-exp"),
        ("plan --scores content+content", "Content once"),
        ("plan --tokens 1000000000000000000", "at most 2**60 numbers: got sizes (4, 16, 1000000000000000000, 64)"),
        (
            "plan --grid 64",
            "--grid must be whole numbers from 1 to below 10**18, rows x columns: got '64'; write 64x64",
        ),
        ("plan --grid 0x3", "got '0x3'; write 64x64"),
        ("plan --grid axb", "got 'axb'"),
        ("plan --grid -3x3", "got '-3x3'"),
        ("plan --grid 3x3x3", "got '3x3x3'"),
        ("plan --grid x", "got 'x'"),
        ("plan --grid ²x3", "got '²x3'"),
        (f"plan --grid 3x{10**18}", f"got '3x{10**18}'"),
        (f"plan --grid {10**9}x{10**9} --scores gaussian", f"2**60 numbers: got sizes (4, 16, {10**18}, 64)"),
        (f"plan --grid {10**9}x{10**9} --scores table", "got sizes (16, 1999999999, 1999999999); use smaller ones, in"),
        (
            f"plan --grid {10**17}x1 --batch 1 --heads 16 --groups 1 --width 1 --scores gaussian",
            f"got sizes (1, 16, {10**17}, 1)",
        ),
        ("plan --grid 4x4 --tokens 3", "got --tokens 3 too; use one of the two"),
        ("plan --keys 3 --grid 4x4", "--grid says how many tokens there are: got --keys 3 too"),
        ("plan --stride 2", "--stride keeps pixels of a grid: got --stride 2 without one; add --grid 64x64"),
        ("plan --grid 4x4 --stride 0", "--stride must be whole numbers from 1"),
        ("plan --grid 4x4 --stride 2x", "got '2x'; write 2 or 2x3"),
        ("plan --grid 4x4 --stride 1.5", "got '1.5'"),
        ("plan --grid 4x4 --stride 2 --lengths 3,4", "T = S: got T=4, S=16"),
        ("plan --grid 4x4 --mask causal", "Causal() needs tokens in a line: got queries=Grid(h=4, w=4"),
        ("plan --grid 4x4 --scores slopes", "needs tokens in a line"),
        ("plan --mask neighbours(1,1)", "Neighbours(rows=1, columns=1) is for Grid positions: got queries=Sequence"),
        ("plan --scores row_table", "needs a grid: got tokens in a line; use table, in 'row_table' at character 1"),
        ("plan --batch many", "'--batch'"),
        ("plan --batch 0", "'--batch'"),
        ("plan --dtype int8", "'int8'"),
        ("plan --btch 3", "--btch"),
        ("plan extra", "extra"),
        ("pln", "'pln'"),
        ("tour --svg /no/such/folder/maps.svg", "/no/such/folder/maps.svg"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: str, message: str) -> None:
    check_refused(regard(*arguments.split()), message)


def test_the_help_has_an_example_that_runs() -> None:
    example = "regard plan --grid 64x64 --scores gaussian --heads 9 --groups 1 --width 400 --device h200"
    assert example in " ".join(regard("plan", "--help").stdout.split())
    made = planned(*example.split()[2:])
    assert made["chosen"] == "separable"
    assert made["shape"] == {"B": 4, "H": 9, "G": 1, "T": 4096, "S": 4096, "D": 0, "E": 400}


def test_one_more_token_after_a_cache() -> None:
    made = planned(
        "--mask", "causal", "--cached", "1000", "--batch", "2", "--heads", "8", "--groups", "2", "--device", "cpu"
    )
    assert made["cached"]["shape"] | {"T": 1, "S": 1001, "G": 2} == made["cached"]["shape"]
    assert made["cache"]["bytes_per_token"] == 2 * 2 * 128 * 4
    shown = " ".join(regard("plan", "--mask", "causal", "--cached", "1000", "--device", "h200").stdout.split())
    assert "one more token after 1,000:" in shown
    assert "501 times as much" in shown


@pytest.mark.parametrize(
    ("text", "chosen"),
    [("sink", "fused"), ("elu", "chunked"), ("random_features(128)", "chunked"), ("hard", "reference")],
)
def test_a_weighting_in_words(text: str, chosen: str) -> None:
    made = planned("--mask", "causal", "--weighting", text, "--tokens", "16384", "--device", "cpu", "--batch", "1")
    assert made["chosen"] == chosen


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--cached", "9", "--mask", "causal", "--dropout", "0.1"), "--cached plans equal rows of tokens in a line"),
        (("--cached", "9", "--mask", "causal", "--grid", "3x3"), "got --grid too; leave it out"),
        (("--cached", "9"), "a cached query must not see tokens that are still to come: got mask=Everything()"),
        (("--hard", "--weighting", "elu"), "--hard is a weighting: got --weighting elu too"),
        (
            ("--weighting", "sigmoid"),
            "use softmax, sink, hard, elu, relu, squared_relu, exp, identity, random_features",
        ),
        (("--weighting", "elu", "--scores", "content + slopes"), "Kernel"),
    ],
)
def test_bad_caches_and_weightings(arguments: tuple[str, ...], message: str) -> None:
    check_refused(regard("plan", *arguments), message)
