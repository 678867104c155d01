"""Several trainings of a run at a time give what one after the other gives, and what goes wrong in one is said."""

import multiprocessing
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from regard.recipes import plan_run, read_run, start_run
from regard.recipes.results import Result
from regard.training import Checkpoints


def test_two_at_a_time_give_what_one_process_gives(tmp_path: Path):
    alone = start_run("digits-conv", tmp_path / "alone", size="smoke").train()
    heard: list[str] = []
    plan = start_run("digits-conv", tmp_path / "several", size="smoke")
    several = plan.train(lambda name, steps, progress, numbers: heard.append(name), jobs=2)
    assert several.numbers == alone.numbers
    assert set(heard) == {"seed-0", "seed-1"}
    result = Result.read_json((tmp_path / "several" / "result.json").read_text())
    assert list(result.seconds)[-1] == "measuring"
    assert all(result.seconds[name] > 0 for name in ("seed-0", "seed-1"))


def test_a_failure_in_one_is_told(tmp_path: Path):
    plan = start_run("digits-conv", tmp_path / "run", size="smoke", changes=["training.descent.rate=1e30"])
    with pytest.raises(ValueError, match=r"seed-[01]: the (loss|gradient's norm) must be finite: got \w+ at step \d+"):
        plan.train(jobs=2)
    assert not multiprocessing.active_children()


def test_one_that_is_killed_ends_the_others_at_once_and_the_run_goes_on(tmp_path: Path):
    def kill(*_: object) -> None:
        multiprocessing.active_children()[0].kill()

    plan = start_run("digits-conv", tmp_path / "run", size="smoke", changes=["training.steps=400"])
    with pytest.raises(ValueError, match="processes that train must live: got exit code -9; lower jobs=2"):
        plan.train(kill, jobs=2)
    assert not multiprocessing.active_children()
    run = read_run(tmp_path / "run")
    assert max(run.progress().values(), default=0) < 400  # the others were ended on their way
    assert plan_run(run).train().headline


ENDS = """
import signal, sys
from pathlib import Path
from regard.recipes import start_run
changes = ["training.steps=100000", "training.evaluate_every=100000"]
heard = set()
def end(name, *_):
    heard.add(name)
    if len(heard) == 2:
        signal.raise_signal(signal.SIGTERM)
start_run("digits-conv", Path(sys.argv[1]), size="smoke", changes=changes).train(end, jobs=2)
"""


def test_sigterm_ends_all_after_their_steps_with_checkpoints_of_them(tmp_path: Path):
    done = subprocess.run([sys.executable, "-c", ENDS, str(tmp_path / "run")], check=False)
    assert done.returncode == -signal.SIGTERM
    for name in ("seed-0", "seed-1"):
        last = Checkpoints(tmp_path / "run" / name / "checkpoints").last()
        assert last is not None
        assert 0 < last.step < 100000


def test_jobs_must_be_a_number_of_processes(tmp_path: Path):
    with pytest.raises(ValueError, match=r"jobs must be a whole number from 1 to .*: got jobs=0; use 1 or more"):
        start_run("digits-conv", tmp_path / "run", size="smoke").train(jobs=0)
