"""Nothing that was reported as saved is lost: killed processes, full disks, damaged files."""

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from torch import nn

from regard.training import Checkpoints, Damaged, Order, Position, restore, snapshot
from regard.training.checkpoints import add_checksum, collect_weights

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


def save(checkpoints: Checkpoints, step: int, best: bool = False) -> Path:
    return checkpoints.save(step, {"model": {"w": torch.tensor([1.0, step])}}, {"loss": 1 / (step + 1)}, best=best)


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
        assert last.tensors["model"]["w"].unique().item() == last.step == last.facts["step"]
        best = Checkpoints(tmp_path).best()
        assert best is None or best.step in range(reported // 5 * 5 - 5, reported + 2, 5)
        reported = last.step
    assert reported >= kills
    Checkpoints(tmp_path).rewind(10**9 - 1)
    assert all(path.name.startswith("step-") or path.name == "newest" for path in tmp_path.iterdir())


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
    with pytest.warns(UserWarning, match=f"damaged, and that of step 1 is used: {file}"):
        last = checkpoints.last()
    assert last is not None
    assert last.step == 1
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
    assert {path.name for path in tmp_path.iterdir()} == {"newest", "step-000000001"}


def test_a_resume_before_damaged_ones_keeps_what_it_saves(tmp_path: Path):
    """Two that are newer and damaged must not count as the last two."""
    checkpoints = Checkpoints(tmp_path)
    for step in (1, 2, 3, 4):
        save(checkpoints, step, best=step == 1)
    for step in (3, 4):
        (checkpoints.path(step) / "model.safetensors").unlink()
    with pytest.warns(UserWarning, match="is damaged, and that of step 1 is used"):
        last = checkpoints.last()
    assert last is not None
    assert last.step == 1
    checkpoints.rewind(last.step)
    save(checkpoints, 2)
    assert checkpoints.steps() == [1, 2]


def test_a_newest_checkpoint_that_was_removed_is_missed(tmp_path: Path):
    checkpoints = Checkpoints(tmp_path)
    for step in (1, 2, 3):
        save(checkpoints, step)
    shutil.rmtree(checkpoints.path(3))
    with pytest.warns(UserWarning, match=f"step 3 is missing from {tmp_path}, and that of step 2 is used"):
        last = checkpoints.last()
    assert last is not None
    assert last.step == 2
    checkpoints.rewind(2)
    assert checkpoints.last() is not None, "and whoever goes on from there is told once"


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
    assert {path.name for path in tmp_path.iterdir()} == {"newest", "step-000000003"}, "nothing half done is left"
    file = checkpoints.path(3) / "checkpoint.json"
    content = json.loads(file.read_text())["content"] | {"version": 99}
    file.write_text(add_checksum(content))
    with pytest.raises(ValueError, match="must be of version 2: got 99; use that regard"):
        checkpoints.load(3)


class Tied(nn.Module):
    """A model with dropout, a batch norm's counts, and one matrix under two names."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(12, 8)
        self.norm, self.dropout = nn.BatchNorm1d(8), nn.Dropout(0.3)
        self.head = nn.Linear(8, 12, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.dropout(self.norm(self.embedding(x))))


def made(kind: str) -> tuple[Tied, torch.optim.Optimizer]:
    model = Tied()
    if kind == "sgd":
        return model, torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    return model, torch.optim.AdamW(model.parameters(), 0.01, amsgrad=True)


def step(model: Tied, optimizer: torch.optim.Optimizer, batch: torch.Tensor) -> float:
    loss = nn.functional.cross_entropy(model(batch % 12), (batch + 1) % 12)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@pytest.mark.parametrize("kind", ["adamw", "sgd"])
def test_a_resumed_run_is_the_run_that_never_stopped(tmp_path: Path, kind: str):
    order, checkpoints = Order(count=50, size=7, seed=3), Checkpoints(tmp_path)
    torch.manual_seed(1)
    model, optimizer = made(kind)
    losses, stopped = [], Position()
    for number, (after, batch) in zip(range(20), order.take(), strict=False):
        losses.append(step(model, optimizer, batch))
        if number == 8:
            tensors, facts = snapshot(model, optimizer)
            checkpoints.save(number, tensors, facts | {"position": vars(after)})
    torch.manual_seed(2)
    again, optimizer = made(kind)
    saved = checkpoints.last()
    assert saved is not None
    restore(saved, again, optimizer)
    stopped = Position(**saved.facts["position"])
    resumed = [step(again, optimizer, batch) for _, (_, batch) in zip(range(11), order.take(stopped), strict=False)]
    assert resumed == losses[9:]
    for name, tensor in collect_weights(model).items():
        assert tensor.equal(collect_weights(again)[name]), name
    assert again.head.weight is again.embedding.weight


def test_another_model_is_refused(tmp_path: Path):
    model, optimizer = made("adamw")
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save(0, *snapshot(model, optimizer))
    saved = checkpoints.last()
    assert saved is not None
    other = Tied()
    other.norm = nn.BatchNorm1d(9)
    with pytest.raises(ValueError, match=r"norm.weight must be \(9,\) torch.float32: got \(8,\) torch.float32 in"):
        restore(saved, other, optimizer)
    other.extra = nn.Linear(1, 1)
    with pytest.raises(ValueError, match=r"must hold this model: got 'extra.bias' in one of the two alone"):
        restore(saved, other, optimizer)


def test_what_is_no_tensor_is_refused_before_anything_is_written(tmp_path: Path):
    checkpoints = Checkpoints(tmp_path)
    with pytest.raises(ValueError, match=r"holds tensors, and facts as JSON: got optimizer\.0\.step=3; make it a fact"):
        checkpoints.save(1, {"optimizer": {"0.step": 3}}, {})  # pyright: ignore[reportArgumentType]
    assert not list(tmp_path.iterdir())
