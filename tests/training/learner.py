"""A small task on real digits with everything that can go astray on a resume: dropout, a batch norm, random shifts."""

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from regard.tasks.digits import digits
from regard.training import Descent, Execution, Metrics, Progress, Schedule, Settings, Task, device_of, train

SETTINGS = Settings(
    steps=60,
    batch=32,
    accumulate=2,
    evaluate_every=10,
    descent=Descent(rate=0.01),
    schedule=Schedule(warmup=5),
    execution=Execution(threads=1),
)


class Digits(Task):
    count = 300
    judged_by = "accuracy"

    def build(self) -> nn.Module:
        layers = (nn.Flatten(), nn.Linear(64, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 10))
        return nn.Sequential(*layers)

    def batch(self, examples: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        train_set, _ = digits()
        images = train_set.images[examples] + 0.1 * torch.randn(len(examples), 1, 8, 8, generator=generator)
        return images, train_set.labels[examples]

    def loss(self, model: Any, batch: tuple[Tensor, Tensor], generator: torch.Generator) -> Tensor:
        images, labels = batch
        images = images + 0.1 * torch.randn(images.shape, generator=generator).to(images.device)
        return nn.functional.cross_entropy(model(images), labels)

    def evaluate(self, model: Any) -> Mapping[str, float]:
        _, test = digits()
        found = model(test.images.to(device_of(model))).argmax(-1).cpu()
        return {"accuracy": (found == test.labels).double().mean().item()}


def alive(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of, *_ = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(of) == session and state != "Z":
            found.append(int(path.parent.name))
    return found


def until(true: Any, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


class Stopped(Exception):  # noqa: N818 - no error
    """A kill that the test survives."""


def stop_at(step: int) -> Callable[[Progress, Mapping[str, float]], None]:
    def watch(progress: Progress, numbers: Mapping[str, float]) -> None:
        if progress.step == step:
            raise Stopped

    return watch


def losses(folder: Path) -> list[float]:
    return [line["loss"] for line in Metrics(folder / "metrics.jsonl").read()]


if __name__ == "__main__":  # FOLDER [WORKERS]
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    settings = replace(SETTINGS, execution=Execution(threads=1, workers=workers))
    with (Path(sys.argv[1]) / "losses").open("a") as file:

        def watch(progress: Any, numbers: Mapping[str, float]) -> None:
            file.write(f"{progress.step} {numbers['loss'].hex()} {numbers['gradient'].hex()}\n")
            file.flush()

        train(Digits(), settings, Path(sys.argv[1]), on_step=watch)
