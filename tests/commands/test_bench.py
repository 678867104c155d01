"""`regard bench`: numbers, a picture, and one clear line for what it cannot use."""

import functools
import json
from pathlib import Path

import pytest

from regard.models import PRESETS, build, save, vary
from tests.commands.running import check_refused, run

regard = functools.partial(run, "bench")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    save(build(vary(PRESETS["gpt2"], depth=1, width=32, num_heads=2, vocabulary=50, context=32)), tmp_path / "model")
    return str(tmp_path / "model")


def test_writing(folder: str, tmp_path: Path):
    sizes = ("--batch", "2", "--prompt", "4", "--max-new", "5", "--runs", "1", "--device", "cpu")
    result = regard("generate", folder, *sizes, "--json", "--plot", str(tmp_path / "parts.svg"))
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["tokens_per_second"] == pytest.approx(2 / found["seconds"])
    assert 0 < found["share"] == pytest.approx(found["least"] / found["seconds"])
    assert "feed-forward" in (tmp_path / "parts.svg").read_text()
    assert "tokens/s" in regard("generate", folder, *sizes, "--temperature", "1").stdout


def test_training(tmp_path: Path):
    words = (
        "reversal",
        "--smoke",
        "--training",
        "transformer",
        "--steps",
        "2",
        "--runs",
        str(tmp_path),
        "--device",
        "cpu",
    )
    result = regard("train", *words, "--json")
    assert result.exit_code == 0, result.stderr
    assert {"forward", "loss", "backward", "optimizer"} < set(json.loads(result.stdout)["parts"])
    assert [path.name for path in tmp_path.iterdir()] in ([], [".cache"]), "no run is made"


def test_help_without_a_word():
    result = regard()
    assert result.exit_code == 0
    assert "generate" in result.stdout
    assert "train" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["generate", "gpt3"], "no folder, run or preset 'gpt3': did you mean gpt2"),
        (["generate", "FOLDER", "--max-new", "40"], "got --prompt 32 --max-new 40; use --max-new 1"),
        (["generate", "FOLDER", "--machine", "nosuch"], "no table for device 'nosuch'"),
        (["generate", "FOLDER", "--device", "nosuch"], "--device must name a device of this machine: got 'nosuch'"),
        (["generate", "FOLDER", "--plot", "a.png"], "--plot must name a file that ends in .svg"),
        (["generate", "bert-base"], "got bert-base, of type EncoderConfig; use gpt2"),
        (["train", "reversed"], "did you mean reversal"),
        (["train", "reversal", "--smoke", "--small"], "--smoke and --small are two sizes: got both"),
        (["train", "reversal", "--smoke", "--training", "x"], "reversal trains no 'x': use one of plain"),
        (["train", "reversal", "--smoke", "--set", "training.bach=3"], "did you mean batch"),
        (["train", "language"], "language reads a text: got none; use --data book.txt"),
    ],
)
def test_bad_input_is_one_line(folder: str, arguments: list[str], says: str):
    check_refused(regard(*[word.replace("FOLDER", folder) for word in arguments]), says)
