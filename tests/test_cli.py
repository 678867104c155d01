"""The command line: what it prints, and one clear line for each thing it cannot use."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from regard.algorithms.planner import ALGORITHMS
from regard.cli import app


def regard(*arguments: str):
    return CliRunner().invoke(app, list(arguments))


def planned(*arguments: str) -> dict:
    result = regard("plan", "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_plain_plan_shows_every_algorithm() -> None:
    result = regard("plan", "--device", "cpu")
    assert result.exit_code == 0
    for algorithm in ALGORITHMS:
        assert algorithm.NAME in result.stdout
    assert "▶   fused" in result.stdout
    assert "B=4 H=16 G=16 T=4096 S=4096 D=64 E=64 · float32 · cpu · forward and backward" in result.stdout
    assert "\x1b" not in result.stdout


def test_json_has_the_documented_fields() -> None:
    made = planned("--device", "h200")
    assert set(made) == {"chosen", "device", "dtype", "backward", "shape", "attention", "candidates"}
    assert made["dtype"] == "bfloat16"
    assert {candidate["name"] for candidate in made["candidates"]} == {algorithm.NAME for algorithm in ALGORITHMS}
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
    assert planned("--device", "CUDA")["device"] == "h200"
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
    assert made["chosen"] == "packed"
    assert "mask=Causal() & Padding((5, 6))" in planned("--lengths", "5,6", "--mask", "causal")["attention"]
    assert planned("--mask", "key_padding(5, 6)", "--tokens", "9")["shape"]["B"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("plan --mask causl", "got 'causl' at character 1; did you mean causal?"),
        ("plan --scores slops", "got 'slops' at character 1; did you mean slopes?"),
        ("plan --lengths 5,x", "--lengths must be whole numbers with commas: got 'x' in '5,x'; write 512,1024"),
        ("plan --lengths 5,-6", "got '-6' in '5,-6'"),
        ("plan --lengths 5,6 --batch 3", "Padding must have shape (B,) = (3,): got (2,)"),
        ("plan --lengths 5,6 --tokens 4", "lengths must lie in 0…S=4: got 5 in row 0"),
        ("plan --lengths 5,6 --keys 9", "T = S: got T=6, S=9"),
        ("plan --device tpu", "no table for device 'tpu'"),
        ("plan --groups 3", "got H=16, G=3"),
        ("plan --dropout 2", "got dropout=2.0"),
        ("plan --lse --hard", "Hard() has no log-sum-exp"),
        ("plan --scores content+content", "Content once"),
        ("plan --tokens 1000000000000000000", "at most 2**60 numbers: got sizes (4, 16, 1000000000000000000, 64)"),
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
    result = regard(*arguments.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("regard: ")
    assert message in result.stderr


def test_a_mistake_of_ours_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(plan: object) -> None:
        raise ValueError("ours")

    monkeypatch.setattr("regard.algorithms.report.rich_table", broken)
    result = regard("plan")
    assert result.exit_code == 1
    assert isinstance(result.exception, ValueError)


def test_help_and_version() -> None:
    for result in (regard(), regard("--help")):
        assert result.exit_code == 0
        assert "plan" in result.stdout
        assert "tour" in result.stdout
    shown = regard("plan", "--help")
    assert shown.exit_code == 0
    assert 'regard plan --mask "causal & window(256)"' in shown.stdout
    assert regard("--version").stdout == f"regard {version('regard')}\n"


def test_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "regard", "plan", "--mask", "nothing"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert result.returncode == 2
    assert result.stderr.startswith("regard: a mask is made of known names: got 'nothing'")
    assert "Traceback" not in result.stderr


def test_what_the_command_line_imports_is_light() -> None:
    """Help must not wait for Rich's tables or the planner's tools: those come with the commands."""
    source = Path(sys.modules["regard.cli"].__file__ or "").read_text(encoding="utf-8")
    top = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert not [line for line in top if "regard" in line or "torch" in line or "rich" in line]
