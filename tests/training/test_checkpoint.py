"""Nothing that was reported as saved is lost: killed processes, full disks, damaged files."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from regard.training import Checkpoints, Damaged

WRITER = """
import sys
from pathlib import Path
import torch
from regard.training import Checkpoints
checkpoints, step = Checkpoints(Path(sys.argv[1])), int(sys.argv[2])
checkpoints.rewind(10**9 - 1)
while True:
    step += 1
    tensors = {"model": {"w": torch.full((40_000,), step)}, "optimizer": {"m": torch.full((40_000,), -step)}}
    checkpoints.save(step, tensors, {"step": step}, best=step % 5 == 0)
    print(step, flush=True)
"""


def save(checkpoints: Checkpoints, step: int, **more: bool) -> Path:
    return checkpoints.save(step, {"model": {"w": torch.tensor([1.0, step])}}, {"loss": 1 / (step + 1)}, **more)


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_a_kill_at_any_moment_loses_nothing_that_was_reported(tmp_path: Path, kills: int):
    """Real processes, really killed; what one printed is there for the next, whole."""
    chance, reported = random.Random(0), 0
    for _ in range(kills):
        words = [sys.executable, "-c", WRITER, str(tmp_path), str(reported)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            reported = int(process.stdout.readline())  # it has begun
            time.sleep(chance.uniform(0, 0.08))
            process.send_signal(signal.SIGKILL)
            reported = max([reported, *map(int, process.stdout.read().split())])
        last = Checkpoints(tmp_path).last()
        assert last is not None
        assert last.step in (reported, reported + 1), "the last may have been renamed and not yet reported"
        assert not last.passed_over
        assert last.tensors["model"]["w"].unique().item() == last.step == last.facts["step"]
        best = Checkpoints(tmp_path).best()
        assert best is None or best.step in range(reported // 5 * 5 - 5, reported + 2, 5)
        reported = last.step
    assert reported >= kills
    Checkpoints(tmp_path).rewind(10**9 - 1)
    assert all(path.name.startswith("step-") for path in tmp_path.iterdir())


def test_the_last_few_and_the_best_are_kept(tmp_path: Path):
    checkpoints = Checkpoints(tmp_path, keep=2)
    assert checkpoints.last() is None
    assert checkpoints.best() is None
    for step in range(1, 7):
        save(checkpoints, step, best=step in (1, 3))
    assert checkpoints.steps() == [3, 5, 6]
    best = checkpoints.best()
    assert best is not None
    assert (best.step, best.facts) == (3, {"loss": 0.25})


@pytest.mark.parametrize("how", ["flipped", "cut", "missing", "facts"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_it_taken(tmp_path: Path, how: str):
    checkpoints = Checkpoints(tmp_path)
    save(checkpoints, 1)
    file = save(checkpoints, 2) / ("checkpoint.json" if how == "facts" else "model.safetensors")
    content = file.read_bytes()
    if how == "missing":
        file.unlink()
    else:
        damaged = (
            content[:-1] if how == "cut" else content[:-3] + bytes([content[-3] ^ 1]) + content[-2:]
        )  # of a number
        file.write_bytes(damaged.replace(b'"loss"', b'"gain"') if how == "facts" else damaged)
    with pytest.raises(Damaged, match=file.name):
        checkpoints.load(2)
    last = checkpoints.last()
    assert last is not None
    assert last.step == 1
    assert len(last.passed_over) == 1
    assert str(file) in last.passed_over[0]
    (checkpoints.path(1) / "model.safetensors").unlink()
    with pytest.raises(Damaged, match=f"no checkpoint of {tmp_path} is whole"):
        checkpoints.last()


def test_a_full_disk_leaves_the_earlier_one(tmp_path: Path):
    """A process that may write no more than 100 kB to a file stands for a disk that has no more."""
    script = (
        "import resource, sys, torch; from pathlib import Path; from regard.training import Checkpoints\n"
        "checkpoints = Checkpoints(Path(sys.argv[1]))\n"
        "checkpoints.save(1, {'model': {'w': torch.zeros(10)}}, {})\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "checkpoints.save(2, {'model': {'w': torch.zeros(1_000_000)}}, {})\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "the checkpoint of step 2 cannot be written" in done.stderr
    assert "too large" in done.stderr
    assert "that of step 1 is whole" in done.stderr
    last = Checkpoints(tmp_path).last()
    assert last is not None
    assert last.step == 1
    assert [path.name for path in tmp_path.iterdir()] == ["step-000000001"]


def test_a_resume_before_damaged_ones_keeps_what_it_saves(tmp_path: Path):
    """Two that are newer and damaged must not count as the last two."""
    checkpoints = Checkpoints(tmp_path)
    for step in (1, 2, 3, 4):
        save(checkpoints, step, best=step == 1)
    for step in (3, 4):
        (checkpoints.path(step) / "model.safetensors").unlink()
    last = checkpoints.last()
    assert last is not None
    assert last.step == 1
    checkpoints.rewind(last.step)
    save(checkpoints, 2)
    assert checkpoints.steps() == [1, 2]


def test_what_is_wrong_is_said(tmp_path: Path):
    checkpoints = Checkpoints(tmp_path)
    save(checkpoints, 3)
    with pytest.raises(ValueError, match=r"there is no checkpoint of step 4: got \[3\]"):
        checkpoints.load(4)
    with pytest.raises(ValueError, match="keep must be"):
        Checkpoints(tmp_path, keep=0)
    with pytest.raises(TypeError, match="not JSON serializable"):
        checkpoints.save(4, {}, {"a": object()})
    assert checkpoints.steps() == [3]
    assert len(list(tmp_path.iterdir())) == 1, "nothing half done is left"
    file = checkpoints.path(3) / "checkpoint.json"
    from regard.training import checkpoint

    content = json.loads(file.read_text())["content"] | {"version": 99}
    file.write_text(checkpoint._with_sum(content))
    with pytest.raises(ValueError, match="must be of version 1: got 99; use that regard"):
        checkpoints.load(3)
