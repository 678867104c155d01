"""`regard train`, `runs`, `resume`, `evaluate`, as a user types them."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from regard.commands.app import app

RUN = CliRunner()


def regard(*words: object) -> str:
    result = RUN.invoke(app, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_recipe_leaves_a_report_figures_and_numbers(tmp_path: Path):
    made = json.loads(regard("train", "reversal", "--smoke", "--runs", tmp_path, "--set", "hidden=12", "--json"))
    assert made["run"] == "reversal-1"
    folder = tmp_path / "reversal-1"
    assert {"report.md", "accuracy.svg", "map.svg", "result.json", "run.json"} <= {
        path.name for path in folder.iterdir()
    }
    assert json.loads((folder / "run.json").read_text())["config"]["hidden"] == 12
    numbers = json.loads((folder / "result.json").read_text())["numbers"]
    assert numbers == made["numbers"]
    assert not (folder / "claims.json").exists(), "no claim is decided by a smoke test"
    assert 0 < numbers["attention characters 5"] < 1
    assert "the Transformer has 1 layer of" in (folder / "report.md").read_text()
    assert f"{100 * numbers['attention characters 5']:.2f} %" in (folder / "report.md").read_text()
    listed = " ".join(regard("runs", "--runs", tmp_path).split())
    assert "reversal-1" in listed
    assert "done, smoke" in listed
    assert "LSTM with attention" in regard("evaluate", "reversal-1", "--runs", tmp_path)
    refused = RUN.invoke(app, ["evaluate", "reversal-1", "--runs", str(tmp_path), "--set", "hidden=4"])
    assert "--set must leave the models as reversal-1 trained them: got hidden=4; change only how" in refused.stderr
    assert json.loads(regard("resume", folder, "--json"))["numbers"] == numbers, "what is done is told again"


@pytest.mark.slow  # tests/training kills runs at every moment
def test_a_killed_run_is_resumed_to_the_same_numbers(tmp_path: Path):
    words = ["reversal", "--smoke", "--runs", str(tmp_path), "--set", "training.steps=40"]
    regard("train", *words, "--name", "whole")
    with subprocess.Popen([sys.executable, "-m", "regard", "train", *words, "--name", "killed"]) as process:
        while not list((tmp_path / "killed").glob("*/checkpoints/step-*")):
            time.sleep(0.005)
        process.kill()
    assert not (tmp_path / "killed" / "result.json").exists()
    told = regard("runs", "--runs", tmp_path)
    assert "stopped" in told
    assert "plain" in told, "how far it is"
    refused = RUN.invoke(app, ["evaluate", "killed", "--runs", str(tmp_path)])
    assert (
        refused.exit_code,
        "must have a checkpoint to be measured: got none of" in " ".join(refused.output.split()),
    ) == (2, True)
    resumed = json.loads(regard("resume", "killed", "--runs", tmp_path, "--json"))
    whole = json.loads(regard("evaluate", "whole", "--runs", tmp_path, "--json"))
    assert resumed["numbers"] == whole["numbers"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["train", "reversel"], "no recipe is called 'reversel': did you mean reversal?"),
        (["train", "reversal", "--set", "widht=3"], "the recipe has no setting 'widht': did you mean width?"),
        (["train", "--smoke"], "--smoke needs a recipe: got none"),
        (["train", "reversal", "--settings", "--name", "a"], "--settings trains nothing: got --name too; leave it out"),
        (["train", "reversal", "--name", "a/b"], "--name must be a name, not a path: got 'a/b'"),
        (["resume", "nothing"], "no run is called 'nothing' in"),
        (["train", "reversal", "--name", "taken"], "a run needs a folder of its own: got"),
    ],
)
def test_bad_words_are_named(words: list[str], says: str, tmp_path: Path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    result = RUN.invoke(app, [*words, "--runs", str(tmp_path)])
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())


def test_no_runs(tmp_path: Path):
    assert "no runs in" in regard("runs", "--runs", tmp_path)


def test_recipes_and_settings_as_json():
    recipes = json.loads(regard("train", "--json"))
    assert "reversal" in recipes
    assert all(isinstance(about, str) for about in recipes.values())
    settings = json.loads(regard("train", "reversal", "--settings", "--set", "hidden=12", "--json"))
    assert settings["hidden"] == 12
    assert "training.steps" in settings


def test_a_log_has_lines_of_progress(tmp_path: Path):
    """Where stderr is no terminal: a line when a training begins and one when it ends."""
    result = RUN.invoke(app, ["train", "reversal", "--smoke", "--runs", str(tmp_path), "--set", "training.steps=4"])
    assert result.exit_code == 0, result.output
    lines = [line for line in result.stderr.splitlines() if "step" in line]
    assert re.fullmatch(r"plain: step 1 of 4, loss \d+\.\d{4}", lines[0])
    assert re.fullmatch(r"transformer: step 4 of 4, loss \d+\.\d{4}", lines[-1])


def test_narrow_terminals_show_whole_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    name = "reversal-with-a-long-name"
    regard("train", "reversal", "--smoke", "--runs", tmp_path, "--set", "training.steps=2", "--name", name)
    monkeypatch.setenv("COLUMNS", "40")
    listed = regard("runs", "--runs", tmp_path)
    assert name in listed
    assert max(map(len, listed.splitlines())) <= 40
