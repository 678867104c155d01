"""The loop: batches in, steps made, and everything kept that a run needs to go on as if it had never stopped."""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from regard.tasks.files import lock
from regard.training.batches import START, Batch, Order, Position, make_batches, mix_seed, move
from regard.training.checkpoints import Checkpoint, Checkpoints, Damaged, restore, restore_weights, snapshot
from regard.training.records import Metrics, Recording, TensorBoard
from regard.training.settings import Settings, limit_threads
from regard.training.task import Task, device_of

CHECKPOINTS, METRICS, RECORDING = "checkpoints", "metrics.jsonl", "recording"


@dataclass(frozen=True)
class Progress:
    """How far a run is: steps made, the next batch, the best evaluation, and how many came since."""

    step: int = 0
    position: Position = START
    best: float | None = None
    since_best: int = 0

    @staticmethod
    def of(checkpoint: Checkpoint) -> "Progress":
        facts = checkpoint.facts["progress"]
        return Progress(facts["step"], Position(**facts["position"]), facts["best"], facts["since_best"])

    def is_over(self, settings: Settings) -> bool:
        """Whether all steps are made, or nothing has got better for as long as `patience` says."""
        is_patient = settings.patience is None or self.since_best < settings.patience
        return self.step >= settings.steps or not is_patient

    def judge(self, found: Mapping[str, float], name: str) -> tuple["Progress", bool]:
        """The progress after an evaluation, and whether this is the best so far."""
        if name not in found:
            raise ValueError(
                f"evaluate must give {name!r}, by which models are judged: got {', '.join(found) or 'nothing'}"
            )
        if math.isnan(found[name]) or (self.best is not None and not found[name] > self.best):
            return replace(self, since_best=self.since_best + 1), False
        return replace(self, best=found[name], since_best=0), True


class Diverged(ValueError):  # noqa: N818 - named by what happened
    """A loss that is no number: the step, the examples, and the checkpoint to go back to."""


class OutOfMemory(ValueError):  # noqa: N818 - named by what happened
    """A step that did not fit, and what to lower."""


@dataclass(frozen=True)
class Trained:
    """A model in `eval` mode with what it was trained by, and the folder that holds its metrics and its recording."""

    task: Any
    settings: Settings
    folder: Path
    model: Any
    step: int  # that its weights are of
    last_step: int  # that was saved
    is_over: bool


OnStep = Callable[[Progress, Mapping[str, float]], None]  # after every step, with its numbers


def train(
    task: Task,
    settings: Settings,
    folder: Path,
    *,
    device: torch.device | str = "cpu",
    on_step: OnStep = lambda progress, numbers: None,
) -> Trained:
    """Train in a folder, from its last checkpoint if there is one.

    A run that was killed and is called again goes on with the same losses, bit for bit, as one that was not. With
    `patience` the model that is given back is the best one, otherwise the last. `on_step` gets the numbers of a step
    when all of it is kept: those of an evaluation too, where there was one.
    """
    checkpoints, metrics = Checkpoints(folder / CHECKPOINTS), Metrics(folder / METRICS)
    recording = Recording(folder / RECORDING)
    with lock(folder), _fork_random(device), limit_threads(settings.execution.threads):
        torch.manual_seed(settings.seed)
        with _name_what_to_lower(settings):
            model = task.build().to(device)
        optimizer = settings.descent.optimizer(model)
        order = Order(count=task.count, size=settings.batch, seed=settings.seed)
        every = settings.evaluation(order.batches_per_epoch)
        progress, saved = Progress(), checkpoints.last()
        if saved is not None:
            _resume(saved, model, optimizer)
            progress = Progress.of(saved)
        elif any(line["step"] > every for line in metrics.read()):
            warnings.warn(f"all checkpoints are missing from {checkpoints.folder}: training begins anew", stacklevel=2)
        for kept in (checkpoints, metrics, recording):
            kept.rewind(progress.step)
        if saved is None:
            recording.write(0, _look(task.record, model, settings))
        called = torch.compile(model) if settings.execution.compiled else model
        pin = torch.device(device).type == "cuda"
        made = make_batches(task, order, progress.position, settings.execution.workers, pin=pin)
        with closing(made) as batches, closing(TensorBoard(folder, metrics)) as board:
            while not progress.is_over(settings):
                progress, numbers = _step(task, called, optimizer, batches, progress, settings, checkpoints)
                is_evaluated = progress.step % every == 0 or progress.step == settings.steps
                is_best = False
                if is_evaluated:
                    found = _look(task.evaluate, model, settings)
                    recording.write(progress.step, _look(task.record, model, settings))
                    progress, is_best = progress.judge(found, task.judged_by)
                    numbers |= found
                if is_evaluated or progress.step % max(1, every // 10) == 0:  # ten lines between two draw a curve
                    metrics.write(step=progress.step, **numbers)
                    board.write(step=progress.step, **numbers)
                if is_evaluated:
                    metrics.sync()
                    board.flush()
                    tensors, facts = snapshot(model, optimizer)
                    checkpoints.save(progress.step, tensors, facts | {"progress": asdict(progress)}, best=is_best)
                on_step(progress, numbers)
    return _choose(task, settings, folder, model, progress)


def load_trained(task: Task, settings: Settings, folder: Path, *, device: torch.device | str = "cpu") -> Trained:
    """Load the model of the last whole checkpoint, or of the best with `patience`; the training may go on meanwhile."""
    last = Checkpoints(folder / CHECKPOINTS).last()
    if last is None:
        raise ValueError(f"{folder} must hold a checkpoint: got none yet; wait for the first evaluation")
    with torch.random.fork_rng(devices=[]):
        model = task.build().to(device)
    restore_weights(last, model)
    return _choose(task, settings, folder, model, Progress.of(last))


def _choose(task: Task, settings: Settings, folder: Path, model: nn.Module, progress: Progress) -> Trained:
    """The model as it is, or with `patience` the weights of the best checkpoint in it."""
    model.eval().zero_grad()  # which frees the gradients
    best = None
    try:
        best = None if settings.patience is None else Checkpoints(folder / CHECKPOINTS).best()
    except Damaged as error:
        warnings.warn(f"the best checkpoint is damaged, and the last is used: {error}", stacklevel=3)
    if best is not None:
        restore_weights(best, model)
    step = progress.step if best is None else best.step
    return Trained(task, settings, folder, model, step, progress.step, progress.is_over(settings))


def _resume(saved: Checkpoint, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Restore all but the rates and the decay, which are the settings'."""
    own = [{name: group[name] for name in ("base", "weight_decay", "betas")} for group in optimizer.param_groups]
    restore(saved, model, optimizer)
    for group, said in zip(optimizer.param_groups, own, strict=True):
        group.update(said)


def _step(
    task: Task,
    model: Any,
    optimizer: torch.optim.Optimizer,
    batches: Iterator[Batch],
    progress: Progress,
    settings: Settings,
    checkpoints: Checkpoints,
) -> tuple[Progress, dict[str, float]]:
    """One step of the optimizer on as many batches as are accumulated."""
    factor = settings.schedule.factor(progress.step, settings.steps)
    set_rate(optimizer, factor)
    optimizer.zero_grad(set_to_none=True)
    generator = torch.Generator().manual_seed(mix_seed(settings.seed + 2, progress.step))
    device, losses, used = device_of(model), [], []
    with _name_what_to_lower(settings):
        for _ in range(settings.accumulate):
            used.append(next(batches))
            with _set_precision(device, settings):
                loss = task.loss(model, move(used[-1].content, device), generator)
            loss = loss / settings.accumulate if settings.accumulate > 1 else loss
            loss.backward()
            losses.append(loss.detach().float())
        norm = nn.utils.clip_grad_norm_(model.parameters(), settings.descent.clip or math.inf)
        *values, size = torch.stack([*losses, norm.float()]).tolist()  # the one time in a step that a GPU is waited for
        for value, batch in zip((*values, size), (*used, used[-1]), strict=True):
            if not math.isfinite(value):
                what = "gradient's norm" if all(map(math.isfinite, values)) else "loss"
                steps = checkpoints.steps()
                last = (
                    f"the last checkpoint is {checkpoints.path(steps[-1])}" if steps else "there is no checkpoint yet"
                )
                raise Diverged(
                    f"the {what} must be finite: got {value} at step {progress.step} for examples "
                    f"{', '.join(map(str, batch.examples.tolist()))}; {last}; lower the rate"
                )
        optimizer.step()
    numbers = {"loss": sum(values), "rate": settings.descent.rate * factor, "gradient": size}
    return replace(progress, step=progress.step + 1, position=used[-1].after), numbers


def set_rate(optimizer: torch.optim.Optimizer, factor: float) -> None:
    """Give each group its rate at this factor of a schedule."""
    for group in optimizer.param_groups:
        group["lr"] = group["base"] * factor


def _look(method: Callable[[Any], Mapping[str, Any]], model: nn.Module, settings: Settings) -> Mapping[str, Any]:
    """What a task's method finds in the model as it is used, without a trace in it or in the random numbers."""
    device, modes = device_of(model), [(part, part.training) for part in model.modules()]
    model.eval()
    with torch.no_grad(), _name_what_to_lower(settings), _set_precision(device, settings), _fork_random(device):
        found = method(model)
    for part, mode in modes:  # a part that is built in eval mode stays so
        part.training = mode
    return found


def _fork_random(device: torch.device | str) -> AbstractContextManager[None]:
    """Leave the random numbers of others as they are."""
    cuda = torch.device(device).type == "cuda"
    return torch.random.fork_rng(devices=[torch.cuda.current_device()] if cuda else [])


def _set_precision(device: torch.device, settings: Settings) -> AbstractContextManager[Any]:
    if settings.execution.precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, torch.bfloat16)


@contextmanager
def _name_what_to_lower(settings: Settings) -> Iterator[None]:
    """Turn an error of memory into one that names the settings to change."""
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
