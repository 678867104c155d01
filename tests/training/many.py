"""Digits with what several processes could get wrong: dropout, a batch norm, noise, rows of unequal weight.

`torchrun --nproc-per-node 2 -m tests.training.many FOLDER data:2 shard:2` trains in a folder for each mesh; with
`FOLDER MESH@STEPS MESH` the first goes so far and the second goes on from there. `recompute` computes blocks again.
"""

import contextlib
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from regard.tasks.digits import digits
from regard.training import Metrics, join_processes, train
from tests.training.learner import SETTINGS, Digits, Stopped, stop_at

SHORT = replace(SETTINGS, steps=12, evaluate_every=3)


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
    again = "recompute" in meshes and meshes.remove("recompute") is None
    with join_processes("cpu"):
        for wanted in meshes:
            mesh, _, steps = wanted.partition("@")
            place = Path(folder) / ("run" if any("@" in one for one in meshes) else mesh)
            settings = replace(SHORT, mesh=mesh, execution=replace(SHORT.execution, recompute=again))
            with contextlib.suppress(Stopped):
                train(Weighed(), settings, place, on_step=stop_at(int(steps)) if steps else lambda *_: None)
