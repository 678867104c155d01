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

from regard.tasks.files import lock
from regard.training.batches import START, Batch, Order, Position, make_batches, mix_seed, move
from regard.training.checkpoints import (
    Checkpoint,
    Checkpoints,
    Damaged,
    collect_weights,
    is_sharded,
    restore,
    restore_weights,
    snapshot,
)
from regard.training.distribution import Draws, Processes
from regard.training.interruption import Interruption, hold_signals
from regard.training.recomputation import recomputing
from regard.training.records import Records
from regard.training.settings import Settings, limit_threads
from regard.training.task import Task, device_of

CHECKPOINTS = "checkpoints"
LARGEST = torch.finfo(torch.float32).max  # replaces a loss that is not finite, where a task goes on


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
    when all of it is kept: those of an evaluation too, where there was one. On a GPU that is one step later.

    Ctrl-C and SIGTERM end it after the step that it is in, with a checkpoint of that step; a second signal ends it at
    once, and so does the first where processes share the batches.

    Processes that `torchrun` started and that have joined share every batch along the mesh of the settings. The first
    evaluates and writes for all; each gets the whole model.
    """
    processes = Processes.of(settings.mesh, device)
    checkpoints = Checkpoints(folder / CHECKPOINTS)
    records = Records(folder)
    with (
        processes.hold(lock(folder)),
        _fork_random(device),
        limit_threads(settings.execution.threads),
        processes.explain(checkpoints.name_last),
    ):
        torch.manual_seed(settings.seed)
        with _name_what_to_lower(settings):
            model = processes.prepare(task.build().to(device))
        optimizer = settings.descent.optimizer(model)
        order = Order(count=task.count, size=settings.batch, seed=settings.seed)
        every = settings.evaluation(order.batches_per_epoch)
        progress, logged = _resume(model, optimizer, checkpoints, processes)
        if processes.is_first:
            records.begin(progress.step, logged, every * settings.save_every)
        steps = Steps(task, settings, model, optimizer, processes, checkpoints)
        how = {"pin": torch.device(device).type == "cuda", "part": processes.part}
        made = make_batches(task, order, progress.position, settings.execution.workers, **how)
        with (
            closing(made) as batches,
            closing(records),
            recomputing(model, settings.execution.recompute),
            hold_signals(processes.is_alone) as interruption,
        ):
            progress = _go_on(steps, progress, batches, records, every, interruption, on_step)
    known = _choose(task, settings, folder, model, progress) if processes.is_plain else None
    return known or load_trained(task, settings, folder, device=device)


def _go_on(
    steps: "Steps",
    progress: Progress,
    batches: Iterator[Batch],
    records: Records,
    every: int,
    interruption: Interruption,
    on_step: OnStep,
) -> Progress:
    """Make the steps that are left, and after each a line of metrics, an evaluation or a checkpoint when it is time."""
    settings, processes = steps.settings, steps.processes
    log_every = max(1, every // 10)  # ten lines between two evaluations draw a curve
    if progress.step == 0:
        _evaluate(steps, records, 0)
    waiting: list[Step] = []
    while not progress.is_over(settings):
        waiting.append(steps.make(progress, batches))
        progress = waiting[-1].after
        is_evaluated = progress.step % every == 0 or progress.step == settings.steps
        is_ending = interruption.number is not None
        while len(waiting) > (1 if steps.computes_ahead and not (is_evaluated or is_ending) else 0):
            step = waiting.pop(0)
            after, numbers, is_best = step.after, steps.read(step), False
            if is_last := is_evaluated and not waiting:
                found = _evaluate(steps, records, after.step)
                progress, is_best = progress.judge(found, steps.task.judged_by)
                after, numbers = progress, {**numbers, **found}
            if processes.is_first and (is_last or after.step % log_every == 0):
                records.write(after.step, numbers, sync=is_last)
            if not waiting and (is_ending or (is_last and _is_saved(progress, settings, every, is_best))):
                tensors, facts = snapshot(steps.model, steps.optimizer)
                facts |= {"progress": asdict(progress), "logged": records.logged}
                steps.checkpoints.save(progress.step, tensors, facts, best=is_best, processes=processes)
            on_step(after, numbers)
        if is_ending:
            interruption.end()
    interruption.end()  # of a signal that came in the last step
    return progress


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


def _resume(
    model: nn.Module, optimizer: torch.optim.Optimizer, checkpoints: Checkpoints, processes: Processes
) -> tuple[Progress, int]:
    """Restore all but the rates and the decay, which are the settings', from the last checkpoint if there is one.

    What came after it is forgotten. Also gives the last step that had a line in the metrics by then.
    """
    if processes.is_plain:
        saved = checkpoints.last()
    else:
        last = processes.by_first(lambda: None if (found := checkpoints.last(read=False)) is None else found.step)
        saved = None if last is None else checkpoints.find(last, check=False)
    if processes.is_first:
        checkpoints.rewind(0 if saved is None else saved.step)
    if saved is None:
        return Progress(), 0
    said = ("base", "weight_decay", "betas", "momentum")
    own = [{name: group[name] for name in said if name in group} for group in optimizer.param_groups]
    restore(saved, model, optimizer)
    for group, kept in zip(optimizer.param_groups, own, strict=True):
        group.update(kept)
    return Progress.of(saved), saved.facts.get("logged", saved.step)


def _computes_ahead(device: torch.device) -> bool:
    """Whether the next step is given to the device before the numbers of the one before it are read."""
    return device.type == "cuda"


def _is_saved(progress: Progress, settings: Settings, every: int, is_best: bool) -> bool:
    """Whether an evaluation is one after which a checkpoint is written; the last is, and the best if it is wanted."""
    is_wanted = is_best and settings.patience is not None
    return is_wanted or progress.is_over(settings) or progress.step // every % settings.save_every == 0


@dataclass(frozen=True)
class Step:
    """A step that was made, though a GPU may still compute it: what comes after, its losses and norm, its batches."""

    after: Progress
    values: Tensor
    used: list[Batch]
    rate: float


class Steps:
    """Makes steps of the optimizer, each on as many batches as are accumulated; `mark` is told what was just done."""

    def __init__(
        self,
        task: Task,
        settings: Settings,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        processes: Processes,
        checkpoints: Checkpoints,
    ) -> None:
        self.task, self.settings, self.model, self.optimizer = task, settings, model, optimizer
        self.processes, self.checkpoints = processes, checkpoints
        self.mark: Callable[[str], object] = lambda part: None
        called = processes.wrap(model, task.leaves_out)
        self.called: Any = torch.compile(called) if settings.execution.compiled else called
        self.draws = Draws(processes, settings)
        self.computes_ahead = _computes_ahead(device_of(model)) and not task.goes_on

    def make(self, progress: Progress, batches: Iterator[Batch]) -> Step:
        """A step, whose numbers are the same in all processes."""
        settings, processes, device = self.settings, self.processes, device_of(self.model)
        factor = settings.schedule.factor(progress.step, settings.steps)
        set_rate(self.optimizer, factor)
        self.optimizer.zero_grad(set_to_none=True)
        self.draws.begin(progress.step)
        generator = torch.Generator().manual_seed(processes.seed(mix_seed(settings.seed + 2, progress.step)))
        losses, used = [], []
        with _name_what_to_lower(settings):
            for number in range(settings.accumulate):
                used.append(next(batches))
                content = move(used[-1].content, device)
                self.mark("data")
                with processes.synchronise(self.called, number + 1 == settings.accumulate):
                    with set_precision(device, settings), self.draws.take(used[-1].share):
                        loss, weight = self._find_loss(content, generator)
                    self.mark("loss")
                    loss = processes.weigh(loss, weight)
                    loss = loss / settings.accumulate if settings.accumulate > 1 else loss
                    with self.draws.again(used[-1].share):
                        loss.backward()
                    self.mark("backward")
                losses.append(loss.detach().float())
            norm = nn.utils.clip_grad_norm_(self.model.parameters(), settings.descent.clip or math.inf)
            norm = norm.full_tensor() if is_sharded(norm) else norm  # pyright: ignore[reportAttributeAccessIssue]
            mean = processes.mean(torch.stack(losses))
            values = torch.cat((mean, norm.float()[None]))
            if self.task.goes_on and not values.isfinite().all():
                self.task.leave_out(self.model)
                for parameter in self.model.parameters():
                    if parameter.grad is not None:
                        parameter.grad.zero_()
                values = torch.cat((values[:-1].nan_to_num(nan=LARGEST, posinf=LARGEST), values.new_zeros(1)))
            self.optimizer.step()
            self.mark("optimizer")
        after = replace(progress, step=progress.step + 1, position=used[-1].after)
        return Step(after, values, used, settings.descent.rate * factor)

    def read(self, step: Step) -> dict[str, float]:
        """Wait for the numbers of a step; those that are not finite end the training before anything is saved."""
        *losses, norm = step.values.tolist()  # the one time in a step that a GPU is waited for
        for value, batch in zip((*losses, norm), (*step.used, step.used[-1]), strict=True):
            if not math.isfinite(value):
                what = "gradient's norm" if all(map(math.isfinite, losses)) else "loss"
                raise Diverged(
                    f"the {what} must be finite: got {value} at step {step.after.step - 1} for examples "
                    f"{', '.join(map(str, batch.examples.tolist()))}; {self.checkpoints.name_last()}; lower the rate"
                )
        return {"loss": sum(losses), "rate": step.rate, "gradient": norm}

    def _find_loss(self, content: Any, generator: torch.Generator) -> tuple[Tensor, float | Tensor | None]:
        """The loss of this process's part of a batch, and its weight."""
        if self.processes.mesh.context > 1:
            return self.task.split_loss(self.called, content, generator, self.processes.context_group)
        return self.task.loss(self.called, content, generator), self.task.weight(content)


def set_rate(optimizer: torch.optim.Optimizer, factor: float) -> None:
    """Give each group its rate at this factor of a schedule."""
    for group in optimizer.param_groups:
        group["lr"] = group["base"] * factor


def _evaluate(steps: Steps, records: Records, step: int) -> dict[str, float]:
    """What the first process finds and records of the whole model; at step 0 it only records."""
    task, whole, processes = steps.task, steps.model, steps.processes
    if processes.is_sharded:
        if processes.is_first:
            with torch.random.fork_rng(devices=[]):
                whole = task.build().to(processes.device)
        places = collect_weights(whole)
        for name, tensor in collect_weights(steps.model).items():
            full = tensor.full_tensor() if is_sharded(tensor) else tensor  # pyright: ignore[reportAttributeAccessIssue]
            if processes.is_first:
                places[name].copy_(full)

    def look() -> dict[str, float]:
        found = dict(_look(task.evaluate, whole, steps.settings)) if step else {}
        records.recording.write(step, _look(task.record, whole, steps.settings))
        return found

    return processes.by_first(look)


def _look(method: Callable[[Any], Mapping[str, Any]], model: nn.Module, settings: Settings) -> Mapping[str, Any]:
    """What a task's method finds in the model as it is used, without a trace in it or in the random numbers."""
    device, modes = device_of(model), [(part, part.training) for part in model.modules()]
    model.eval()
    with torch.no_grad(), _name_what_to_lower(settings), set_precision(device, settings), _fork_random(device):
        found = method(model)
    for part, mode in modes:  # a part that is built in eval mode stays so
        part.training = mode
    return found


def _fork_random(device: torch.device | str) -> AbstractContextManager[None]:
    """Leave the random numbers of others as they are."""
    cuda = torch.device(device).type == "cuda"
    return torch.random.fork_rng(devices=[torch.cuda.current_device()] if cuda else [])


def set_precision(device: torch.device, settings: Settings) -> AbstractContextManager[Any]:
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
            f"accumulate={settings.accumulate} to learn from as many examples in a step, use execution.recompute, or "
            "lower the model's sizes"
        ) from error
