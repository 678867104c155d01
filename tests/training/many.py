"""Digits with what several processes could get wrong: dropout, a batch norm, noise, rows of unequal weight.

`torchrun --nproc-per-node 2 -m tests.training.many FOLDER data:2 shard:2` trains in a folder for each mesh; with
`FOLDER MESH@STEPS MESH` the first goes so far and the second goes on from there. `recompute` computes blocks again;
`examine` writes what else two processes find.
"""

import contextlib
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, distributed, nn
from torch.profiler import ProfilerActivity, profile

from regard.tasks.digits import digits
from regard.training import Metrics, join_processes, train
from regard.training.whole_batch import share_batch_norms
from tests.training.learner import SETTINGS, Digits, Stopped, stop_at

SHORT = replace(SETTINGS, steps=12, evaluate_every=3)
FOUND = "found.json"


class Reader(nn.Module):
    """A few blocks, so that weights are gathered one after the other, and a head of ten rows, which few divide."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(64, 33)
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(33, 33), nn.ReLU(), nn.Dropout(0.2)) for _ in range(2)])
        self.norm = nn.BatchNorm1d(33)
        self.head = nn.Linear(33, 10)

    def forward(self, images: Tensor) -> Tensor:
        x = self.first(images.flatten(1))
        for block in self.blocks:
            x = x + block(x)
        return self.head(self.norm(x))


class Weighed(Digits):
    """Some digits count and some do not, in other numbers in each part of a batch."""

    def build(self) -> nn.Module:
        return Reader()

    def loss(self, model: Any, batch: tuple[Tensor, Tensor], generator: torch.Generator) -> Tensor:
        images, labels = batch
        return nn.functional.cross_entropy(model(images), self.real(labels), ignore_index=-1)

    def weight(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        return (self.real(batch[1]) >= 0).sum()

    def real(self, labels: Tensor) -> Tensor:
        return labels.where(labels > 2, -1)

    def evaluate(self, model: Any) -> Mapping[str, float]:
        _, test = digits()
        return {"accuracy": -nn.functional.cross_entropy(model(test.images), test.labels).item()}


class Even(Digits):
    """Every example counts, and no batch norm looks at those of others."""

    def build(self) -> nn.Module:
        return nn.Sequential(nn.Flatten(), nn.Linear(64, 10))


def count_exchanges(folder: str, mesh: str, accumulate: int) -> dict[str, int]:
    """Collectives of two steps, whose names say what they do, in one of two processes."""
    settings = replace(SHORT, steps=2, batch=8, accumulate=accumulate, mesh=mesh)
    with profile(activities=[ProfilerActivity.CPU]) as found:
        train(Even(), settings, Path(folder) / f"{mesh}, {accumulate}")
    return {event.key: event.count for event in found.key_averages() if event.key.startswith("c10d::")}


def norm_of_three_and_five_rows() -> bool:
    """Whether a batch norm over parts of unequal size has the statistics and gradients of the whole batch."""
    torch.manual_seed(0)
    x, first = torch.randn(8, 3, 2, requires_grad=True), distributed.get_rank() == 0
    part, model, whole = (slice(3) if first else slice(3, 8)), nn.Sequential(nn.BatchNorm1d(3)), nn.BatchNorm1d(3)
    share_batch_norms(model)
    ours, wanted = model(x[part]), whole(x)[part]
    (gradient,) = torch.autograd.grad(ours.square().sum() + ours.exp().sum(), x)
    distributed.all_reduce(gradient)
    y = whole(x)
    (right,) = torch.autograd.grad(y.square().sum() + y.exp().sum(), x)
    same = [(ours, wanted), (gradient, right), (model[0].running_mean, 0.1 * x.mean((0, 2)))]
    return all(a.allclose(b, atol=1e-5) for a, b in same) and bool(
        model[0].running_var.allclose(0.9 + 0.1 * x.transpose(0, 1).flatten(1).var(1))
    )


def exchanges(folder: str) -> dict[str, dict[str, int]]:
    return {
        f"{mesh} {number}": count_exchanges(folder, mesh, number) for mesh in ("data:2", "shard:2") for number in (1, 3)
    }


def start(count: int, *words: str, restarts: int = 0) -> subprocess.Popen[str]:
    """Processes that torchrun starts; `words` are what `python` is given."""
    options = ["--nproc-per-node", str(count), "--max-restarts", str(restarts)]
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", *options, *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lines(folder: Path) -> list[dict[str, float]]:
    return Metrics(folder / "metrics.jsonl").read()


def apart(ours: list[dict[str, float]], theirs: list[dict[str, float]], name: str = "loss") -> float:
    """The largest relative difference of a number."""
    return max(
        abs(a[name] - b[name]) / abs(b[name]) for a, b in zip(ours, theirs, strict=True) if name in a or name in b
    )


if __name__ == "__main__":
    folder, *meshes = sys.argv[1:]
    again, examined = (word in meshes and meshes.remove(word) is None for word in ("recompute", "examine"))
    with join_processes("cpu"):
        for wanted in meshes:
            mesh, _, steps = wanted.partition("@")
            place = Path(folder) / ("run" if any("@" in one for one in meshes) else mesh)
            settings = replace(SHORT, mesh=mesh, execution=replace(SHORT.execution, recompute=again))
            with contextlib.suppress(Stopped):
                train(Weighed(), settings, place, on_step=stop_at(int(steps)) if steps else lambda *_: None)
        if examined:
            found = {"norm": norm_of_three_and_five_rows(), "exchanges": exchanges(folder)}
            if distributed.get_rank() == 0:
                (Path(folder) / FOUND).write_text(json.dumps(found))
