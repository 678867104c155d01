"""A run's folder: one process at a time, what state it is in, and what is wrong with one."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from regard.cli import app
from regard.recipes import all_runs, begin, find, new_name

# Locks the run, has a child as a loader has, and waits.
TRAINER = """
import os, sys, time
from pathlib import Path
from regard.recipes.run import find
with find(Path(sys.argv[1])).locked():
    if os.fork() == 0:
        time.sleep(30)
        os._exit(0)
    print("locked", flush=True)
    time.sleep(30)
"""
LOCK = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'a'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
CONFIG: dict[str, Any] = {"lengths": [3]}


def resumed(folder: Path) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["resume", str(folder)])
    return result.exit_code, " ".join(result.output.split())


def test_a_run_is_trained_by_one_process_at_a_time(tmp_path: Path):
    folder = tmp_path / "reversal-1"
    run = begin(folder, "reversal", CONFIG, "regard train reversal")
    assert run.state == "stopped"
    words = [sys.executable, "-c", TRAINER, str(folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "locked\n"
            assert run.state == "running"
            refused = "a run is trained by one process at a time: reversal-1 is being trained; wait for it or stop it"
            assert resumed(folder) == (2, f"regard: {refused}")
            with pytest.raises(ValueError, match=refused), run.locked():
                pass
            process.kill()
            process.wait()
            assert run.state == "stopped", "though its child still lives"
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    with run.locked():
        pass
    run.finish(numbers={"a": 0.5}, headline="half", report="# Report", claims={"x": {"a": 0.5}})
    assert (run.state, run.result, run.headline) == ("done", {"a": 0.5}, "half")
    claim = {"command": "regard train reversal", "numbers": {"a": 0.5}}
    assert json.loads((folder / "claims.json").read_text()) == {"x": claim}


def test_asking_for_the_state_does_not_give_the_lock_up(tmp_path: Path):
    run = begin(tmp_path / "run", "reversal", CONFIG, "regard train reversal")
    with run.locked():
        assert run.state == find(run.folder).state == "running"
        with pytest.raises(ValueError, match="run is being trained"), find(run.folder).locked():
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
        (lambda facts: "[1]", "must be JSON, as a recipe writes it: got"),
        *((without(key), f"got no '{key}'") for key in ("recipe", "config", "command", "started", "smoke")),
    ],
    ids=["other", "none", "cut", "list", "recipe", "config", "command", "started", "smoke"],
)
def test_a_folder_that_is_no_run_is_named(tmp_path: Path, spoilt: Callable[[dict[str, Any]], str], says: str):
    folder = tmp_path / "run"
    begin(folder, "reversal", CONFIG, "regard train reversal")
    path = folder / "run.json"
    path.write_text(spoilt(json.loads(path.read_text())))
    with pytest.raises(ValueError, match=says) as raised:
        find(folder)
    assert str(path) in str(raised.value)
    code, text = resumed(folder)
    assert (code, says in text) == (2, True), text


def test_folders_names_and_order(tmp_path: Path):
    with pytest.raises(ValueError, match=r"a run's folder holds run\.json: got .*, which does not; see regard runs"):
        find(tmp_path)
    assert new_name(tmp_path, "reversal") == "reversal-1"
    for name in ("reversal-2", "reversal-10"):
        begin(tmp_path / name, "reversal", CONFIG, f"regard train reversal --name {name}")
    assert new_name(tmp_path, "reversal") == "reversal-11"
    assert {run.name for run in all_runs(tmp_path)} == {"reversal-2", "reversal-10"}
    with pytest.raises(ValueError, match=r"a run needs a folder of its own: got .*reversal-2, which is not empty"):
        begin(tmp_path / "reversal-2", "reversal", CONFIG, "regard train reversal")
