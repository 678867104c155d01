"""The loop: batches in, steps made, and everything kept that a run needs to go on as if it had never stopped."""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from regard.training.board import Board
from regard.training.checkpoint import Checkpoint, Checkpoints, Damaged
from regard.training.loader import Drawn, draw, moved
from regard.training.lock import held
from regard.training.metrics import Metrics
from regard.training.order import START, Order, Position, mixed
from regard.training.recording import Recording
from regard.training.settings import Settings, bases, on_threads, set_rate
from regard.training.state import restore, restore_model, snapshot
from regard.training.task import Task, device_of

CHECKPOINTS, METRICS, RECORDING = "checkpoints", "metrics.jsonl", "recording"


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


class OutOfMemory(ValueError):  # noqa: N818 - named by what happened
    """A step that did not fit, and what to lower."""


@dataclass(frozen=True)
class Learnt:
    """What a training has come to."""

    model: nn.Module
    step: int  # that its weights are of
    reached: int  # the last step that was saved
    is_over: bool


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

    A run that was killed and is called again goes on with the same losses, bit for bit, as one that was not. With
    `patience` the model that is given back is the best one, otherwise the last.
    """
    checkpoints, metrics = Checkpoints(folder / CHECKPOINTS), Metrics(folder / METRICS)
    recording = Recording(folder / RECORDING)
    with held(folder), _own_random_numbers(device), on_threads(settings.execution.threads):
        torch.manual_seed(settings.seed)
        with _enough_memory(settings):
            model = task.build().to(device)
        optimizer = settings.descent.optimizer(model)
        progress, saved = Progress(), checkpoints.last()
        if saved is not None:
            _restore(saved, model, optimizer)
            progress = Progress.of(saved.facts["progress"])
        for kept in (checkpoints, metrics, recording):
            kept.rewind(progress.step)
        called = torch.compile(model) if settings.execution.compiled else model
        order = Order(count=task.count, size=settings.batch, seed=settings.seed)
        every = settings.evaluation(order.batches_per_epoch)
        if saved is None:
            recording.write(0, _seen(task.record, model, settings))
        pin = torch.device(device).type == "cuda"
        drawn = draw(task, order, progress.position, settings.execution.workers, pin=pin)
        with closing(drawn) as batches, closing(Board(folder, metrics)) as board:
            while progress.step < settings.steps and not _is_over(progress, settings):
                progress, numbers = _step(task, called, optimizer, batches, progress, settings, checkpoints)
                watch(progress, numbers)
                if progress.step % every and progress.step < settings.steps:
                    if progress.step % max(1, every // 10) == 0:  # ten lines between two evaluations draw a curve
                        metrics.write(step=progress.step, **numbers)
                        board.write({"step": progress.step, **numbers})
                    continue
                found = dict(_seen(task.evaluate, model, settings))
                recording.write(progress.step, _seen(task.record, model, settings))
                progress, is_best = _judged(progress, found, task.judged_by)
                metrics.write(step=progress.step, **numbers, **found)
                metrics.keep()
                board.write({"step": progress.step, **numbers, **found})
                board.flush()
                tensors, facts = snapshot(model, optimizer)
                checkpoints.save(progress.step, tensors, facts | {"progress": progress.facts()}, best=is_best)
    _choose(model, checkpoints, settings)
    return model


def trained(task: Task, settings: Settings, folder: Path, *, device: torch.device | str = "cpu") -> Learnt:
    """The model of the last whole checkpoint, or of the best with `patience`; the training may go on meanwhile."""
    checkpoints = Checkpoints(folder / CHECKPOINTS)
    last = checkpoints.last()
    if last is None:
        raise ValueError(f"{folder} must hold a checkpoint: got none yet; wait for the first evaluation")
    with torch.random.fork_rng(devices=[]):
        model = task.build().to(device)
    restore_model(last, model)
    progress = Progress.of(last.facts["progress"])
    step = _choose(model, checkpoints, settings) or progress.step
    return Learnt(model, step, progress.step, progress.step >= settings.steps or _is_over(progress, settings))


def _choose(model: nn.Module, checkpoints: Checkpoints, settings: Settings) -> int | None:
    """With `patience` put the weights of the best in, and say of which step they are."""
    model.eval()
    try:
        best = None if settings.patience is None else checkpoints.best()
    except Damaged as error:
        warnings.warn(f"the best checkpoint is damaged, and the last is used: {error}", stacklevel=3)
        return None
    if best is None:
        return None
    restore_model(best, model)
    return best.step


def _restore(saved: Checkpoint, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """All of it but the rates, which are the settings'."""
    own = bases(optimizer)
    restore(saved, model, optimizer)
    for group, said in zip(optimizer.param_groups, own, strict=True):
        group.update(said)
    for why in saved.passed_over:
        warnings.warn(f"a checkpoint is damaged, and the one before it is used: {why}", stacklevel=3)


def _step(
    task: Task,
    model: Any,
    optimizer: torch.optim.Optimizer,
    batches: Iterator[Drawn],
    progress: Progress,
    settings: Settings,
    checkpoints: Checkpoints,
) -> tuple[Progress, dict[str, float]]:
    """One step of the optimizer on as many batches as are accumulated."""
    factor = settings.schedule.factor(progress.step, settings.steps)
    set_rate(optimizer, factor)
    optimizer.zero_grad(set_to_none=True)
    generator = torch.Generator().manual_seed(mixed(settings.seed + 2, progress.step))
    device, losses, drawn = device_of(model), [], []
    with _enough_memory(settings):
        for _ in range(settings.accumulate):
            drawn.append(next(batches))
            with _precision(device, settings):
                loss = task.loss(model, moved(drawn[-1].content, device), generator)
            loss = loss / settings.accumulate if settings.accumulate > 1 else loss
            loss.backward()
            losses.append(loss.detach().float())
        norm = nn.utils.clip_grad_norm_(model.parameters(), settings.descent.clip or math.inf)
        *values, size = torch.stack([*losses, norm.float()]).tolist()  # the one time in a step that a GPU is waited for
        for value, batch in zip((*values, size), (*drawn, drawn[-1]), strict=True):
            if not math.isfinite(value):
                what = "gradient's norm" if all(map(math.isfinite, values)) else "loss"
                raise Diverged(_diverged(what, value, progress.step, batch.examples, checkpoints))
        optimizer.step()
    numbers = {"loss": sum(values), "rate": settings.descent.rate * factor, "gradient": size}
    return replace(progress, step=progress.step + 1, position=drawn[-1].after), numbers


def _seen(look: Callable[[Any], Mapping[str, Any]], model: nn.Module, settings: Settings) -> Mapping[str, Any]:
    """What a task's method finds in the model as it is used, without a trace in it or in the random numbers."""
    device, modes = device_of(model), [(part, part.training) for part in model.modules()]
    model.eval()
    with torch.no_grad(), _enough_memory(settings), _precision(device, settings), _own_random_numbers(device):
        found = look(model)
    for part, mode in modes:  # a part that is built in eval mode stays so
        part.training = mode
    return found


def _own_random_numbers(device: torch.device | str) -> AbstractContextManager[None]:
    cuda = torch.device(device).type == "cuda"
    return torch.random.fork_rng(devices=[torch.cuda.current_device()] if cuda else [])


def _precision(device: torch.device, settings: Settings) -> AbstractContextManager[Any]:
    if settings.execution.precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, torch.bfloat16)


@contextmanager
def _enough_memory(settings: Settings) -> Iterator[None]:
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError | torch.OutOfMemoryError) and "allocate memory" not in str(error):
            raise
        first = str(error).partition("\n")[0]
        raise OutOfMemory(
            f"a step must fit into memory: batch={settings.batch} does not ({first}); lower batch, and raise "
            f"accumulate={settings.accumulate} to learn from as many examples in a step, or lower the model's sizes"
        ) from error


def _is_over(progress: Progress, settings: Settings) -> bool:
    return settings.patience is not None and progress.since_best >= settings.patience


def _judged(progress: Progress, found: Mapping[str, float], name: str) -> tuple[Progress, bool]:
    if name not in found:
        raise ValueError(
            f"evaluate must give {name!r}, by which models are judged: got {', '.join(found) or 'nothing'}"
        )
    if math.isnan(found[name]) or (progress.best is not None and not found[name] > progress.best):
        return replace(progress, since_best=progress.since_best + 1), False
    return replace(progress, best=found[name], since_best=0), True


def _diverged(what: str, value: float, step: int, examples: Tensor, checkpoints: Checkpoints) -> str:
    steps = checkpoints.steps()
    last = f"the last checkpoint is {checkpoints.path(steps[-1])}" if steps else "there is no checkpoint yet"
    ids = ", ".join(map(str, examples.tolist()))
    return f"the {what} must be finite: got {value} at step {step} for examples {ids}; {last}; lower the rate"
