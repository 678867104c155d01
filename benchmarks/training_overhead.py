"""What the loop costs beside the steps: a hand-written loop and `regard.training.train` in turn, in one process.

`python -m benchmarks.training_overhead --out FILE --markdown FILE` trains the same model on the same batches with both,
in blocks one after the other, and then times each thing that the loop does beside a step on its own.

With `--mesh data:2` the loop runs in so many processes, which share each batch, while in the blocks between the first
of them takes the whole batch alone and the others sleep; every process has one thread. Processor time is summed over
the processes. `--mesh shard:1` is FSDP2 in one process beside the plain model, with `--device cuda` a GPT-2.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stderr
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks import record
from benchmarks.record import Bar, Cell, Row
from benchmarks.setting import progress
from benchmarks.timing import Timing, synchronize
from regard.commands.train import show_progress
from regard.models import BlockConfig, Decoder, DecoderConfig, PositionConfig
from regard.recipes.text.language import ModelConfig
from regard.training import (
    Checkpoints,
    Descent,
    Execution,
    Mesh,
    Order,
    Processes,
    Progress,
    Settings,
    Task,
    join_processes,
    snapshot,
    train,
)
from regard.training.batches import START, make_batches, mix_seed
from regard.training.loop import set_rate
from regard.training.records import Records

CHECKED, SAME, APART = 10, 1e-6, 1e-3  # steps whose losses are compared, and how far the first and all may be apart
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


class Tabled(Task):
    """A task whose batches are rows of a table that is there already, sixteen batches of this size."""

    judged_by = "score"

    def __init__(self, rows: Tensor, size: int) -> None:
        self.rows, self.size = rows, size
        self.pauses: list[Clock] = []  # of evaluation, recording and checkpoint, one after the other
        self.stopped: Clock | None = None

    @property
    def count(self) -> int:
        return len(self.rows)

    def batch(self, examples: Tensor, generator: torch.Generator) -> Tensor:
        if self.stopped is not None:
            self.pauses.append(Clock.now() - self.stopped)
            self.stopped = None
        return self.rows[examples]

    def evaluate(self, model: Any) -> Mapping[str, float]:
        """Nothing: what a task does here is its own."""
        self.stopped = Clock.now()
        return {"score": 0.0}


class Regression(Tabled):
    """A perceptron of four layers."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__(torch.randn(16 * size, width, generator=torch.Generator().manual_seed(0)), size)
        self.width = width

    def build(self) -> nn.Module:
        layers = [module for _ in range(4) for module in (nn.Linear(self.width, self.width), nn.GELU())]
        return nn.Sequential(*layers[:-1])

    def loss(self, model: Any, batch: Tensor, generator: torch.Generator) -> Tensor:
        return nn.functional.mse_loss(model(batch), batch)


class Text(Tabled):
    """A decoder on random tokens."""

    def __init__(self, config: DecoderConfig, size: int) -> None:
        shape, generator = (16 * size, config.positions.context + 1), torch.Generator().manual_seed(0)
        super().__init__(torch.randint(config.vocabulary, shape, generator=generator), size)
        self.config = config

    def build(self) -> nn.Module:
        return Decoder(self.config)

    def loss(self, model: Any, batch: Tensor, generator: torch.Generator) -> Tensor:
        return nn.functional.cross_entropy(model(batch[:, :-1]).logits.flatten(0, 1).float(), batch[:, 1:].flatten())


class Bare:
    """The loop that one writes by hand."""

    def __init__(self, task: Tabled, settings: Settings, device: str = "cpu") -> None:
        torch.manual_seed(settings.seed)
        self.device, self.is_half = torch.device(device), settings.execution.precision == "bfloat16"
        self.task, self.model = task, task.build().to(device)
        self.optimizer = settings.descent.optimizer(self.model)
        self.batches = torch.randperm(task.count).view(-1, task.size)

    def steps(self, count: int) -> Clock:
        begun = Clock.now()
        for step in range(count):
            batch = self.task.rows[self.batches[step % len(self.batches)]].to(self.device)
            self.optimizer.zero_grad(set_to_none=True)
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.is_half):
                loss = self.task.loss(self.model, batch, torch.default_generator)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            loss.item()
        return Clock.now() - begun


@dataclass
class Blocks:
    """Stops the loop after every block of steps to run the bare one for as many."""

    bare: Bare
    task: Tabled
    size: int
    show: Any = None
    processes: Processes | None = None
    ours: list[Clock] = field(default_factory=list)
    theirs: list[Clock] = field(default_factory=list)
    begun: Clock | None = None
    paused: int = 0  # how many pauses came before this block

    def __call__(self, step: Progress, numbers: Mapping[str, float]) -> None:
        if self.show is not None:
            self.show("model", 10**9, step, numbers)
        if step.step % self.size:
            return
        synchronize(self.bare.device)  # a step that a GPU computes ahead belongs to this block, as one did to the last
        if self.begun is not None:
            took = Clock.now() - self.begun - sum(self.task.pauses[self.paused :], ZERO)
            if self.processes is None:
                self.ours.append(took)
                self.theirs.append(self.bare.steps(self.size))
            else:  # the last to end says how long it was, and the others sleep while the first works
                all_took = self.processes.gather(took)
                self.ours.append(Clock(max(one.wall for one in all_took), sum(one.processor for one in all_took)))
                self.theirs.append(self.processes.by_first(lambda: self.bare.steps(self.size)))
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


def together(mesh: str, device: str, blocks: int) -> list[Row]:
    """Processes that share each batch beside one that has all of it, or FSDP2 beside a plain model."""
    rows = []
    with join_processes(device) as where, tempfile.TemporaryDirectory(prefix="overhead-") as place:
        processes, is_cuda = Processes.of(mesh, where), where.startswith("cuda")
        folder = Path(processes.by_first(lambda: place))
        execution = Execution(threads=1, precision="bfloat16" if is_cuda else "float32")
        cases: dict[str, Tabled]
        if is_cuda:
            block = BlockConfig(width=768, num_heads=12)
            gpt2 = DecoderConfig(vocabulary=50257, depth=12, block=block, positions=PositionConfig(context=1024))
            cases = {f"GPT-2, {size} × 1,024 tokens": Text(gpt2, size) for size in (8, 32)}
        else:
            small = ModelConfig().decoder(65)
            cases = {"language's decoder, 16 × 128 tokens": Text(small, 16)}
            cases |= {f"a perceptron of width {width}, batch 1,024": Regression(width, 1024) for width in (256, 512)}
        for case, task in cases.items():
            size = 8 if is_cuda else 4
            settings = Settings(
                steps=(blocks + 2) * size, batch=task.size, evaluate_every=10**6, execution=execution, mesh=mesh
            )
            if processes.is_first:
                progress(f"{case}: {blocks} blocks of {size}")
            is_first_case = not rows
            if processes.is_alone and is_first_case:
                rows.append(compare_losses(case, task, settings, folder, where))
            bare = Bare(task, settings, where)
            bare.steps(size)
            seen = Blocks(bare, task, size, processes=processes)
            train(task, settings, folder / str(len(rows)), device=where, on_step=seen)
            rows += compare_blocks(case, seen, processes.mesh, is_cuda, is_first_case)
    return rows if processes.is_first else []


def compare_losses(case: str, task: Tabled, settings: Settings, folder: Path, where: str) -> Row:
    """Losses of the first steps by the same loop, plain, plain once more, and on the mesh; ends where they differ.

    On a GPU kernels add up in any order: how far two runs of the plain model are apart says what that is worth.
    """
    losses: dict[str, list[float]] = {}
    for name, mesh in (("plain", None), ("again", None), ("mesh", settings.mesh)):
        few, found = replace(settings, steps=CHECKED, mesh=mesh), losses.setdefault(name, [])
        train(
            task, few, folder / f"losses {case} {name}", device=where, on_step=lambda _, n, f=found: f.append(n["loss"])
        )
    apart = {name: max(abs(a / b - 1) for a, b in zip(losses[name], losses["plain"], strict=True)) for name in losses}
    first = abs(losses["mesh"][0] / losses["plain"][0] - 1)
    if first > SAME or apart["mesh"] > max(APART, 3 * apart["again"]):
        raise ValueError(f"losses on {settings.mesh} must be those of the plain model: got {losses}")
    cells: dict[str, Cell] = {"steps": CHECKED, "first": first, "plain, again": apart["again"], "mesh": apart["mesh"]}
    return Row("losses", case, "largest difference", cells, apart["mesh"], "one process, plain", Bar("≤", APART))


def compare_blocks(case: str, seen: Blocks, mesh: Mesh, is_cuda: bool, is_first_case: bool) -> list[Row]:
    """In processor time the work of all processes over that of one; on the wall, what they took times their number."""
    rows = []
    for clock in ("wall",) if is_cuda else ("processor", "wall"):
        ours, theirs = (
            Timing(tuple(getattr(each, clock) / seen.size for each in part)) for part in (seen.ours, seen.theirs)
        )
        times = mesh.count if clock == "wall" else 1
        percent = 100 * (times * ours.over(theirs) - 1)
        bar = Bar("≤", 3) if is_cuda and mesh.count == 1 else None
        if is_first_case and clock == "processor" and mesh.count > 1:
            bar = Bar("≤", 15)
        cells: dict[str, Cell] = {"one, plain": theirs, str(mesh): ours}
        rows.append(Row("processes", case, clock, cells, percent, "one process, plain", bar, None, " %"))
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
    records, checkpoints = Records(folder / "parts"), Checkpoints(folder / "parts" / "checkpoints")
    records.begin(0, 0, 1)
    metrics = records.metrics
    batches = make_batches(task, Order(count=task.count, size=32, seed=0), START, 0)
    generator, examples = torch.Generator(), torch.arange(32)
    line = {"step": 1, **NUMBERS}

    def rate() -> None:
        set_rate(optimizer, settings.schedule.factor(5, 1000))
        torch.Generator().manual_seed(mix_seed(2, 5))

    def save() -> None:
        tensors, facts = snapshot(model, optimizer)
        checkpoints.save(next(numbers), tensors, facts, best=True)

    def flush() -> None:
        if records.board is not None:  # where TensorBoard is installed
            records.board.flush()

    numbers = iter(range(10**6))
    drawn = _each(lambda: next(batches), 2000)
    alone = _each(lambda: task.batch(examples, generator), 2000)
    found = {
        "order and the batch's generator": ("every step", drawn - alone),
        "schedule and the step's generator": ("every step", _each(rate, 2000)),
        "a line of metrics": ("ten in an evaluation", _each(lambda: metrics.write(**line), 1000)),
        "the same for TensorBoard": ("ten in an evaluation", _each(lambda: records.show(**line), 1000)),
        "flush of TensorBoard": ("every evaluation", _each(flush, 50)),
        "snapshot and checkpoint, best, 16 640 weights": ("every evaluation", _each(save, 30)),
    }
    with shown() as show:
        made = iter(range(1, 10**6))
        found["the bar of the command line"] = (
            "every step",
            _each(lambda: show("bar", 10**6, Progress(step=next(made)), NUMBERS), 5000),
        )
    records.close()
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
    parser = record.parser("benchmarks.training_overhead", __doc__)
    parser.add_argument("--blocks", type=int, default=120)
    parser.add_argument("--mesh", default=None)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    if options.mesh is not None and not torch.distributed.is_torchelastic_launched():
        torchrun = ["torch.distributed.run", "--standalone", "--nproc-per-node", str(Mesh.read(options.mesh).count)]
        command = [sys.executable, "-m", *torchrun, "-m", "benchmarks.training_overhead", *sys.argv[1:]]
        sys.exit(subprocess.run(command, check=False).returncode)
    torch.set_num_threads(1)
    report = record.machine(torch.device(options.device), options.commit, "benchmarks.training_overhead")
    if options.mesh is not None:
        rows = together(options.mesh, options.device, options.blocks)
        if rows:  # of the first process
            print(record.write(options, report, rows, "Training in several processes"))
        return
    with tempfile.TemporaryDirectory(prefix="overhead-") as place:
        pairs = [(label, looking) for label in STEPS for looking in (True, False)]
        rows = [row for label, looking in pairs for row in compare(label, Path(place), options.blocks, looking)]
        rows += parts(Path(place))
    print(record.write(options, report, rows, "What the loop costs"))


if __name__ == "__main__":
    main()
