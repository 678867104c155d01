"""A run's folder: one process at a time, what state it is in, and what is wrong with one."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from regard.commands.app import app
from regard.recipes import create_run, find_recipe, list_runs, next_name, plan_run, read_run, start_run
from regard.recipes.images import classification
from tests.recipes.running import stop_at

# Locks the run, has a child as a loader has, and waits.
TRAINER = """
import os, sys, time
from pathlib import Path
from regard.recipes import read_run
with read_run(Path(sys.argv[1])).lock():
    if os.fork() == 0:
        time.sleep(30)
        os._exit(0)
    print("locked", flush=True)
    time.sleep(30)
"""
LOCK = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'a'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
CONFIG: dict[str, Any] = json.loads(json.dumps(asdict(find_recipe("reversal").smoke)))


def resumed(folder: Path) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["resume", str(folder)])
    return result.exit_code, " ".join(result.output.split())


def test_a_run_is_trained_by_one_process_at_a_time(tmp_path: Path):
    folder = tmp_path / "reversal-1"
    run = create_run(folder, recipe="reversal", config=CONFIG, command="regard train reversal")
    assert run.state == "stopped"
    words = [sys.executable, "-c", TRAINER, str(folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "locked\n"
            assert run.state == "running"
            refused = "reversal-1 is used by one process at a time, and one is at it; wait for it or stop it"
            code, text = resumed(folder)
            assert (code, refused in text) == (2, True)
            with pytest.raises(ValueError, match=refused), run.lock():
                pass
            process.kill()
            process.wait()
            assert run.state == "stopped", "though its child still lives"
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    with run.lock():
        pass
    run.finish(numbers={"a": 0.5}, headline="half", report="# Report", claims={"x": {"a": 0.5}})
    assert (run.state, run.result, run.headline) == ("done", {"a": 0.5}, "half")
    claim = {"command": "regard train reversal", "numbers": {"a": 0.5}}
    assert json.loads((folder / "claims.json").read_text()) == {"x": claim}


def test_asking_for_the_state_does_not_give_the_lock_up(tmp_path: Path):
    run = create_run(tmp_path / "run", recipe="reversal", config=CONFIG, command="regard train reversal")
    with run.lock():
        assert run.state == read_run(run.folder).state == "running"
        with pytest.raises(ValueError, match="is used by one process at a time"), read_run(run.folder).lock():
            pass
        other = [sys.executable, "-c", LOCK, str(run.folder / ".lock")]
        assert subprocess.run(other, capture_output=True, check=False).returncode == 1
    assert run.state == "stopped"
    assert subprocess.run(other, capture_output=True, check=False).returncode == 0


def without(key: str) -> Callable[[dict[str, Any]], str]:
    return lambda facts: json.dumps({name: value for name, value in facts.items() if name != key})


@pytest.mark.parametrize(
    ("spoilt", "says"),
    [
        (lambda facts: json.dumps(facts | {"version": 7}), "must be of version 1: got 7; use the regard that made it"),
        (without("version"), "must be of version 1: got None"),
        (lambda facts: json.dumps(facts)[:30], "must be JSON, as a recipe writes it: got"),
        (lambda facts: "[1]", "must be as a recipe writes it: got"),
        *(
            (without(key), f"got None for '{key}'")
            for key in ("recipe", "config", "command", "started", "smoke", "data", "device")
        ),
    ],
    ids=["other", "none", "cut", "list", "recipe", "config", "command", "started", "smoke", "data", "device"],
)
def test_a_folder_that_is_no_run_is_named(tmp_path: Path, spoilt: Callable[[dict[str, Any]], str], says: str):
    folder = tmp_path / "run"
    create_run(folder, recipe="reversal", config=CONFIG, command="regard train reversal")
    path = folder / "run.json"
    path.write_text(spoilt(json.loads(path.read_text())))
    with pytest.raises(ValueError, match=says) as raised:
        read_run(folder)
    assert str(path) in str(raised.value)
    code, text = resumed(folder)
    assert (code, says in text) == (2, True), text


def test_folders_names_and_order(tmp_path: Path):
    with pytest.raises(ValueError, match=r"a run's folder holds run\.json: got .*, which does not; see regard runs"):
        read_run(tmp_path)
    assert next_name(tmp_path, "reversal") == "reversal-1"
    for name in ("reversal-2", "reversal-10"):
        create_run(tmp_path / name, recipe="reversal", config=CONFIG, command=f"regard train reversal --name {name}")
    assert next_name(tmp_path, "reversal") == "reversal-11"
    assert {run.name for run in list_runs(tmp_path)[0]} == {"reversal-2", "reversal-10"}
    with pytest.raises(ValueError, match=r"a run needs a folder of its own: got .*reversal-2, which is not empty"):
        start_run("reversal", tmp_path / "reversal-2", size="smoke")
    with pytest.raises(ValueError, match=r"a run's name must be of letters, digits, - and _: got '\[b\]'"):
        start_run("reversal", tmp_path / "[b]", size="smoke")
    with pytest.raises(ValueError, match="num_heads"):
        start_run("reversal", tmp_path / "wrong", size="smoke", changes=["transformer.num_heads=5"])
    assert not (tmp_path / "wrong").exists(), "what cannot be built leaves nothing"


def test_one_broken_run_does_not_hide_the_others(tmp_path: Path):
    for name in ("a", "b", "c"):
        create_run(tmp_path / name, recipe="reversal", config=CONFIG, command="regard train reversal")
    (tmp_path / "b" / "run.json").write_text("{")
    (tmp_path / "c" / "result.json").write_text('{"numbers"')
    runs, wrong = list_runs(tmp_path)
    assert [run.name for run in runs] == ["a"]
    assert {name: "must be JSON" in why for name, why in wrong.items()} == {"b": True, "c": True}
    told = " ".join(CliRunner().invoke(app, ["runs", "--runs", str(tmp_path)]).output.split())
    assert told.count("unreadable") == 2


def test_settings_of_another_version_are_named(tmp_path: Path):
    for wrong, says in (
        ({name: value for name, value in CONFIG.items() if name != "hidden"}, "got no 'hidden'"),
        (CONFIG | {"colour": 3}, "has no 'colour'"),
        (CONFIG | {"training": None}, "must hold settings of reversal"),
    ):
        run = create_run(tmp_path / "run", recipe="reversal", config=wrong, command="regard train reversal")
        with pytest.raises(ValueError, match=says):
            plan_run(run)


@pytest.mark.filterwarnings("default:a checkpoint is damaged")  # as it is outside of tests, so that it is printed
def test_a_run_goes_on_with_other_settings_and_the_same_data(tmp_path: Path):
    book = tmp_path / "a book.txt"
    book.write_text("".join(f"{n} green bottles\n" for n in range(300)))

    plan = start_run("language", tmp_path / "runs" / "a", size="smoke", data=str(book), changes=["written=5"])
    run = plan.run
    assert run.command.endswith(f"--data '{book}'")
    stop_at(plan, 12)
    words = ["resume", str(run.folder), "--set", "training.steps=20", "--set", "training.descent.rate=1e-4", "--json"]
    text = book.read_text()
    book.write_text(text.replace("green", "brown"))
    result = CliRunner().invoke(app, words)
    assert (result.exit_code, "must be those that it began with" in " ".join(result.output.split())) == (2, True)
    book.write_text(text)
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert read_run(run.folder).config["training"]["descent"]["rate"] == 1e-4
    assert read_run(run.folder).progress() == {"decoder": 20}

    assert "warning" not in CliRunner().invoke(app, ["evaluate", str(run.folder), "--json"]).output
    (run.folder / "decoder/checkpoints/step-000000020/model.safetensors").write_bytes(b"")
    told = " ".join(CliRunner().invoke(app, ["evaluate", str(run.folder), "--json"]).output.split())
    assert "warning: a checkpoint is damaged, and that of step 10 is used" in told


def test_without_matplotlib_nothing_is_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    words = ["train", "reversal", "--smoke", "--runs", str(tmp_path)]
    result = CliRunner().invoke(app, words)
    assert (result.exit_code, "use pip install 'regard[train]'" in " ".join(result.output.split())) == (2, True)
    assert not list(tmp_path.iterdir())


def test_a_run_is_planned_once_and_each_model_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    counts: Counter[str] = Counter()

    def count(owner: Any, name: str) -> None:
        whole = getattr(owner, name)

        def counted(*words: Any) -> Any:
            counts[name] += 1
            return whole(*words)

        monkeypatch.setattr(owner, name, counted)

    count(classification.ImageTask, "build")
    count(classification, "image_sets")
    words = ["train", "digits-conv", "--smoke", "--set", "seeds=3", "--set", "training.steps=3"]
    result = CliRunner().invoke(app, [*words, "--runs", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert counts == {"build": 3, "image_sets": 1}
