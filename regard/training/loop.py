"""The loop: batches in, steps made, and everything kept that a run needs to go on as if it had never stopped."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from regard.training.checkpoint import Checkpoint, Checkpoints
from regard.training.metrics import Metrics
from regard.training.order import START, Order, Position, mixed
from regard.training.settings import Settings
from regard.training.state import restore, snapshot


class Task(Protocol):
    """What is learnt: a model, numbered examples, a loss, and numbers to judge by."""

    @property
    def count(self) -> int:
        """Of the examples to learn from."""
        ...

    @property
    def judged_by(self) -> str:
        """The name of the number of `evaluate` that tells which model is best: the larger the better."""
        ...

    def build(self) -> nn.Module: ...

    def loss(self, model: Any, examples: Tensor, generator: torch.Generator) -> Tensor:
        """Of the examples of these numbers; whatever is drawn at random comes from the generator."""
        ...

    def evaluate(self, model: Any) -> Mapping[str, float]: ...


@dataclass(frozen=True)
class Progress:
    """How far a run is: steps made, the next batch, the best evaluation, and how many came since."""

    step: int = 0
    position: Position = START
    best: float | None = None
    since_best: int = 0

    def facts(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def of(facts: Mapping[str, Any]) -> "Progress":
        return Progress(facts["step"], Position(**facts["position"]), facts["best"], facts["since_best"])


class Diverged(ValueError):  # noqa: N818 - named by what happened
    """A loss that is no number: the step, the examples, and the checkpoint to go back to."""


Watch = Callable[[Progress, Mapping[str, float]], None]  # after every step, with its numbers


def train(
    task: Task,
    settings: Settings,
    folder: Path,
    *,
    device: torch.device | str = "cpu",
    watch: Watch = lambda progress, numbers: None,
) -> nn.Module:
    """Train in a folder, from its last checkpoint if there is one, and give the trained model back.

    A run that was killed and is called again goes on with the same losses, bit for bit, as one that was not.
    """
    folder.mkdir(parents=True, exist_ok=True)
    checkpoints, metrics = Checkpoints(folder / "checkpoints"), Metrics(folder / "metrics.jsonl")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        model = task.build().to(device)
        optimizer = settings.descent.optimizer(model.parameters())
        progress, saved = Progress(), checkpoints.last()
        if saved is not None:
            progress = _resumed(saved, model, optimizer)
            checkpoints.clean()
        metrics.rewind(progress.step)
        called = torch.compile(model) if settings.compiled else model
        order = Order(count=task.count, size=settings.batch, seed=settings.seed)
        batches = order.take(progress.position)
        while progress.step < settings.steps and not _is_over(progress, settings):
            progress, numbers = _step(task, called, optimizer, batches, progress, settings, checkpoints)
            watch(progress, numbers)
            if progress.step % settings.evaluate_every and progress.step < settings.steps:
                continue
            model.eval()
            with torch.no_grad():
                found = dict(task.evaluate(called))
            model.train()
            progress, is_best = _judged(progress, found, task.judged_by)
            metrics.write(step=progress.step, **numbers, **found)
            tensors, facts = snapshot(model, optimizer)
            checkpoints.save(progress.step, tensors, facts | {"progress": progress.facts()}, best=is_best)
    return model.eval()


def _step(
    task: Task,
    model: Any,
    optimizer: torch.optim.Optimizer,
    batches: Iterator[tuple[Position, Tensor]],
    progress: Progress,
    settings: Settings,
    checkpoints: Checkpoints,
) -> tuple[Progress, dict[str, float]]:
    """One step of the optimizer on as many batches as are accumulated."""
    factor = settings.schedule.factor(progress.step, settings.steps)
    for group in optimizer.param_groups:
        group["lr"] = settings.descent.rate * factor
    optimizer.zero_grad(set_to_none=True)
    generator = torch.Generator().manual_seed(mixed(settings.seed + 1, progress.step))
    drawn, total = [next(batches) for _ in range(settings.accumulate)], 0.0
    for _, examples in drawn:
        with _precision(model, settings):
            loss = task.loss(model, examples, generator) / settings.accumulate
        value = loss.item()
        if not math.isfinite(value):
            raise Diverged(_diverged("loss", value, progress.step, examples, checkpoints))
        loss.backward()
        total += value
    norm = nn.utils.clip_grad_norm_(model.parameters(), settings.descent.clip or math.inf).item()
    if not math.isfinite(norm):
        raise Diverged(_diverged("gradient's norm", norm, progress.step, drawn[-1][1], checkpoints))
    numbers = {"loss": total, "rate": settings.descent.rate * factor, "gradient": norm}
    optimizer.step()
    return replace(progress, step=progress.step + 1, position=drawn[-1][0]), numbers


def _precision(model: Any, settings: Settings) -> AbstractContextManager[Any]:
    if settings.precision == "float32":
        return nullcontext()
    return torch.autocast(next(model.parameters()).device.type, torch.bfloat16)


def _resumed(saved: Checkpoint, model: nn.Module, optimizer: torch.optim.Optimizer) -> Progress:
    restore(saved, model, optimizer)
    return Progress.of(saved.facts["progress"])


def _is_over(progress: Progress, settings: Settings) -> bool:
    return settings.patience is not None and progress.since_best >= settings.patience


def _judged(progress: Progress, found: Mapping[str, float], name: str) -> tuple[Progress, bool]:
    if name not in found:
        raise ValueError(
            f"evaluate must give {name!r}, by which models are judged: got {', '.join(found) or 'nothing'}"
        )
    if progress.best is not None and not found[name] > progress.best:
        return replace(progress, since_best=progress.since_best + 1), False
    return replace(progress, best=found[name], since_best=0), True


def _diverged(what: str, value: float, step: int, examples: Tensor, checkpoints: Checkpoints) -> str:
    steps = checkpoints.steps()
    last = f"the last checkpoint is {checkpoints.path(steps[-1])}" if steps else "there is no checkpoint yet"
    ids = ", ".join(map(str, examples[:8].tolist())) + (" …" if len(examples) > 8 else "")
    return f"the {what} must be finite: got {value} at step {step} for examples {ids}; {last}; lower the rate"
