"""What the loop costs beside the steps: a hand-written loop and `regard.training.train` in turn, in one process.

`python -m benchmarks.training_overhead --out FILE --markdown FILE` trains the same model on the same batches with both,
in blocks one after the other, and then times each thing that the loop does beside a step on its own.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stderr
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks import record
from benchmarks.record import Bar, Row
from benchmarks.setting import progress
from benchmarks.timing import Timing
from regard.commands.train import show_progress
from regard.training import Checkpoints, Descent, Execution, Metrics, Order, Progress, Settings, Task, snapshot, train
from regard.training.batches import START, make_batches, mix_seed
from regard.training.loop import set_rate
from regard.training.records import TensorBoard

EVERY = 100  # steps from one evaluation and checkpoint to the next
NUMBERS = {"loss": 0.5, "rate": 1e-3, "gradient": 0.7}
STEPS = {"10 ms": (256, 10e-3), "1 ms": (64, 1e-3)}  # the model's width, and what a step should take


@dataclass(frozen=True)
class Clock:
    """Seconds on the wall, and of all threads of this process on the processor."""

    wall: float
    processor: float

    @staticmethod
    def now() -> "Clock":
        return Clock(time.perf_counter(), time.process_time())

    def __sub__(self, other: "Clock") -> "Clock":
        return Clock(self.wall - other.wall, self.processor - other.processor)

    def __add__(self, other: "Clock") -> "Clock":
        return Clock(self.wall + other.wall, self.processor + other.processor)


ZERO = Clock(0.0, 0.0)


@dataclass
class Regression(Task):
    """A perceptron of four layers, whose batches are rows of a table that is there already."""

    width: int
    size: int
    pauses: list[Clock] = field(default_factory=list)  # of evaluation, recording and checkpoint, one after the other
    stopped: Clock | None = None

    judged_by = "score"

    def __post_init__(self) -> None:
        generator = torch.Generator().manual_seed(0)
        self.rows = torch.randn(self.count, self.width, generator=generator)

    @property
    def count(self) -> int:
        return 16 * self.size

    def build(self) -> nn.Module:
        layers = [module for _ in range(4) for module in (nn.Linear(self.width, self.width), nn.GELU())]
        return nn.Sequential(*layers[:-1])

    def batch(self, examples: Tensor, generator: torch.Generator) -> Tensor:
        if self.stopped is not None:
            self.pauses.append(Clock.now() - self.stopped)
            self.stopped = None
        return self.rows[examples]

    def loss(self, model: Any, batch: Tensor, generator: torch.Generator) -> Tensor:
        return nn.functional.mse_loss(model(batch), batch)

    def evaluate(self, model: Any) -> Mapping[str, float]:
        """Nothing: what a task does here is its own."""
        self.stopped = Clock.now()
        return {"score": 0.0}


class Bare:
    """The loop that one writes by hand."""

    def __init__(self, task: Regression, settings: Settings) -> None:
        torch.manual_seed(settings.seed)
        self.task, self.model = task, task.build()
        self.optimizer = settings.descent.optimizer(self.model)
        self.batches = torch.randperm(task.count).view(-1, task.size)

    def steps(self, count: int) -> Clock:
        begun = Clock.now()
        for step in range(count):
            batch = self.task.rows[self.batches[step % len(self.batches)]]
            self.optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.mse_loss(self.model(batch), batch)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            loss.item()
        return Clock.now() - begun


@dataclass
class Blocks:
    """Stops the loop after every block of steps to run the bare one for as many."""

    bare: Bare
    task: Regression
    size: int
    show: Any
    ours: list[Clock] = field(default_factory=list)
    theirs: list[Clock] = field(default_factory=list)
    begun: Clock | None = None
    paused: int = 0  # how many pauses came before this block

    def __call__(self, step: Progress, numbers: Mapping[str, float]) -> None:
        if self.show is not None:
            self.show("model", 10**9, step, numbers)
        if step.step % self.size:
            return
        if self.begun is not None:
            self.ours.append(Clock.now() - self.begun - sum(self.task.pauses[self.paused :], ZERO))
            self.theirs.append(self.bare.steps(self.size))
        self.paused = len(self.task.pauses)
        self.begun = Clock.now()


def sized(width: int, seconds: float) -> int:
    """The batch with which a bare step takes about so many seconds."""
    size, settings = 8, Settings(steps=1, batch=1, descent=Descent())
    while size < 1 << 14:
        bare = Bare(Regression(width, size), settings)
        bare.steps(5)
        took = min(bare.steps(10).processor / 10 for _ in range(3))
        if took > 0.95 * seconds:
            break
        size = max(size + 4, round(size * min(2.0, seconds / took)))
    return size


@contextmanager
def shown() -> Iterator[Any]:
    """The bar of the command line as on a terminal, drawn to nowhere."""
    before = os.environ.get("FORCE_COLOR")
    os.environ["FORCE_COLOR"] = "1"
    try:
        with Path(os.devnull).open("w") as nowhere, redirect_stderr(nowhere), show_progress() as (watch, _):
            yield watch
    finally:
        os.environ.pop("FORCE_COLOR") if before is None else os.environ.update(FORCE_COLOR=before)


def compare(label: str, folder: Path, blocks: int, looking: bool) -> list[Row]:
    """Both loops in turn: the ratio in processor time, which other programs do not change, and in wall time."""
    width, seconds = STEPS[label]
    size = sized(width, seconds)
    block = round(0.1 / seconds)  # so short that both have the same neighbours on the machine
    settings = Settings(
        steps=(blocks + 2) * block, batch=size, evaluate_every=EVERY, descent=Descent(), execution=Execution(threads=1)
    )
    task = Regression(width, size)
    case = f"steps of {label}" + (", a bar on the terminal" if looking else "")
    progress(f"{case}: width {width}, batch {size}, {blocks} blocks of {block}")
    bare = Bare(task, settings)
    bare.steps(block)
    with shown() if looking else nullcontext() as show:
        seen = Blocks(bare, task, block, show)
        train(task, settings, folder / case, on_step=seen)
    rows = []
    for clock in ("processor", "wall"):
        ours, theirs = (
            Timing(tuple(getattr(each, clock) / block for each in part)) for part in (seen.ours, seen.theirs)
        )
        percent, stop = 100 * (ours.over(theirs) - 1), statistics.median(getattr(each, clock) for each in task.pauses)
        cells = {
            "bare": theirs,
            "regard": ours,
            "beside a step, µs": 1e6
            * statistics.median(a - b for a, b in zip(ours.samples, theirs.samples, strict=True)),
            f"checkpoint every {EVERY}, ms": 1e3 * stop,
            "with it, %": percent + 100 * stop / EVERY / theirs.median,
        }
        bar = Bar("≤", 3) if (label, clock) == ("10 ms", "processor") else None
        rows.append(Row("overhead", case, clock, cells, percent, "a bare loop", bar, None, " %"))
    return rows


def parts(folder: Path) -> list[Row]:
    """Each thing beside a step on its own, with how often it comes."""
    settings = Settings(steps=1000, batch=32, descent=Descent(), execution=Execution(threads=1))
    task = Regression(64, 32)
    model = task.build()
    optimizer = settings.descent.optimizer(model)
    model(task.rows).sum().backward()
    optimizer.step()
    (folder / "parts").mkdir()
    metrics = Metrics(folder / "parts" / "metrics.jsonl")
    board, checkpoints = TensorBoard(folder / "parts", metrics), Checkpoints(folder / "parts" / "checkpoints")
    batches = make_batches(task, Order(count=task.count, size=32, seed=0), START, 0)
    generator, examples = torch.Generator(), torch.arange(32)
    line = {"step": 1, **NUMBERS}

    def rate() -> None:
        set_rate(optimizer, settings.schedule.factor(5, 1000))
        torch.Generator().manual_seed(mix_seed(2, 5))

    def save() -> None:
        tensors, facts = snapshot(model, optimizer)
        checkpoints.save(next(numbers), tensors, facts, best=True)

    numbers = iter(range(10**6))
    drawn = _each(lambda: next(batches), 2000)
    alone = _each(lambda: task.batch(examples, generator), 2000)
    found = {
        "order and the batch's generator": ("every step", drawn - alone),
        "schedule and the step's generator": ("every step", _each(rate, 2000)),
        "a line of metrics": ("ten in an evaluation", _each(lambda: metrics.write(**line), 1000)),
        "the same for TensorBoard": ("ten in an evaluation", _each(lambda: board.write(**line), 1000)),
        "flush of TensorBoard": ("every evaluation", _each(board.flush, 50)),
        "snapshot and checkpoint, best, 16 640 weights": ("every evaluation", _each(save, 30)),
    }
    with shown() as show:
        made = iter(range(1, 10**6))
        found["the bar of the command line"] = (
            "every step",
            _each(lambda: show("bar", 10**6, Progress(step=next(made)), NUMBERS), 5000),
        )
    board.close()
    return [
        Row("parts", name, often, {"processor, µs": 1e6 * each.processor, "wall, µs": 1e6 * each.wall})
        for name, (often, each) in found.items()
    ]


def _each(call: Callable[[], object], count: int) -> Clock:
    """Of one call: the median of five rounds, all threads included."""
    rounds = []
    for _ in range(5):
        begun = Clock.now()
        for _ in range(count // 5):
            call()
        rounds.append(Clock.now() - begun)
    wall, processor = (statistics.median(getattr(each, name) for each in rounds) for name in ("wall", "processor"))
    return Clock(wall / (count // 5), processor / (count // 5))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--markdown", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=120)
    parser.add_argument("--commit", default=None)
    options = parser.parse_args()
    torch.set_num_threads(1)
    report = record.machine(torch.device("cpu"), options.commit)
    report["command"] = " ".join(["python -m benchmarks.training_overhead", *sys.argv[1:]])
    with tempfile.TemporaryDirectory(prefix="overhead-") as place:
        pairs = [(label, looking) for label in STEPS for looking in (True, False)]
        rows = [row for label, looking in pairs for row in compare(label, Path(place), options.blocks, looking)]
        rows += parts(Path(place))
    options.out.write_text(record.to_json(report, rows), encoding="utf-8")
    options.markdown.write_text(record.to_markdown(report, rows), encoding="utf-8")
    print(record.to_markdown(report, rows))


if __name__ == "__main__":
    main()
