"""Tokens a second as they are: of writing and of training, by part, beside the least time that the machine allows."""

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from regard.algorithms.planning.report import si
from regard.analysis.figures import INK, draw_bar, figure_of_panels, style_axes
from regard.analysis.speed.utilisation import Utilisation
from regard.analysis.tables import Printed, new_table, stack
from regard.checks import check_whole
from regard.generation.sampling import choose
from regard.generation.settings import Settings as Choice
from regard.layers import FeedForward, MultiHead
from regard.models import Decoder, Output
from regard.training import Checkpoints, Order, Processes, Progress, Settings, Task, limit_threads
from regard.training.batches import START, make_batches, move
from regard.training.loop import Steps, set_precision
from regard.training.recomputation import recomputing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WATCHED = 5  # steps that are taken again, part by part
Watch = Callable[[int, int | None], None]  # told how many steps are done, and of how many


@dataclass(frozen=True, kw_only=True)
class Throughput(Printed):
    """A step of writing or training as it was measured: the median, and its parts, which are watched one by one.

    `least` is the bound: what the machine's table says that the bytes or the FLOPs of a step take at least. Parts add
    up to more than `seconds`, because the device is waited for after each of them.
    """

    what: str
    machine: str
    bound: str  # what `least` is made of
    tokens: int  # of a step
    seconds: float
    least: float
    parts: dict[str, float]
    first: float | None = None  # seconds to the first token that is written

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.seconds

    @property
    def share(self) -> float:
        """Of the bound that is reached."""
        return self.least / self.seconds

    def json(self) -> str:
        derived = {"tokens_per_second": self.tokens_per_second, "share": self.share}
        return json.dumps(asdict(self) | derived, indent=1)

    def rich(self) -> Any:
        whole = sum(self.parts.values())
        table = new_table("part", numbers=("time", "share"))
        for part, seconds in self.parts.items():
            table.add_row(part, si(seconds, "s"), f"{seconds / whole:.1%}")
        first = "" if self.first is None else f", {si(self.first, 's')} to the first token"
        return stack(
            (f"{self.what}: {self.tokens_per_second:,.1f} tokens/s", "bold"),
            f"{si(self.seconds, 's')} a step of {self.tokens:,} token{'s' * (self.tokens > 1)}{first}",
            f"{self.share:.1%} of the bound, {si(self.least, 's')} on {self.machine}: {self.bound}",
            "",
            table,
            (f"parts are watched one by one, {si(whole, 's')} together", "dim"),
        )

    def figure(self) -> "Figure":
        """The parts of a step as one bar, with the bound."""
        says = f"{self.what}: {self.tokens_per_second:,.1f} tokens/s, {self.share:.1%} of the bound"
        figure, (panel,) = figure_of_panels(1, 1, (7.2, 1.6), 0.7, says)
        scale = self.seconds / sum(self.parts.values())
        draw_bar(panel, 0, {part: scale * seconds for part, seconds in self.parts.items()})
        panel.axvline(self.least, color=INK, linewidth=1.2, linestyle="--", label=f"bound: {self.bound}")
        panel.set_yticks([])
        style_axes(panel, "seconds of a step, parts by their shares")
        panel.spines["left"].set_visible(False)
        figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=8, labelcolor=INK)
        return figure


class Clock:
    """Adds up the time since the last mark under the name of what was done in it, when the device is done too."""

    def __init__(self, device: torch.device) -> None:
        self.device, self.last = device, 0.0
        self.parts: dict[str, float] = {}
        self.last = self.now()

    def now(self) -> float:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        return time.perf_counter()

    def mark(self, part: str) -> float:
        """The seconds since the last mark."""
        now = self.now()
        taken, self.last = now - self.last, now
        self.parts[part] = self.parts.get(part, 0.0) + taken
        return taken

    def mean(self, order: tuple[str, ...], steps: int) -> dict[str, float]:
        return {part: self.parts[part] / steps for part in order if part in self.parts}


@contextmanager
def marking(clock: Clock, parts: dict[nn.Module, str], rest: str | None = None) -> Iterator[None]:
    """Mark the end of each of these modules; what came before one is its own, or `rest` where that is named."""

    def begin(part: nn.Module, inputs: Any) -> None:
        if rest is not None:
            clock.mark(rest)

    def end(part: nn.Module, inputs: Any, out: Any) -> None:
        clock.mark(parts[part])

    with ExitStack() as stack:
        for part in parts:
            stack.callback(part.register_forward_pre_hook(begin).remove)
            stack.callback(part.register_forward_hook(end).remove)
        yield


@torch.inference_mode()
def measure_writing(
    model: Decoder,
    least: Callable[[int], float],
    *,
    what: str,
    machine: str,
    batch: int = 1,
    prompt: int = 32,
    new: int = 64,
    choice: Choice | None = None,
    runs: int = 3,
    progress: Watch = lambda done, total: None,
) -> Throughput:
    """Let a decoder write `new` tokens behind a random prompt in each row, a few times, and once module by module.

    A step is one token in every row. `least` is the bound of a step behind so many tokens.
    """
    for name, number in (("prompt", prompt), ("new", new - 1), ("runs", runs)):  # the first token comes with the prompt
        check_whole(name, number, 1)
    choice, device = choice or Choice(), next(model.parameters()).device
    generator = torch.Generator().manual_seed(0)
    prompts = torch.randint(model.config.vocabulary, (batch, prompt), generator=generator).tolist()
    firsts, times = [], []
    for number in range(runs + 1):
        clock, seen = Clock(device), []

        def note(step: int, clock: Clock = clock, seen: list[float] = seen, number: int = number) -> None:
            seen.append(clock.mark("step"))
            progress(number * new + step, (runs + 2) * new)

        model.generate(prompts, replace(choice, max_new=new), ends=(), progress=note)
        if number:  # the first run warms up
            firsts.append(seen[0])
            times += seen[1:]
    return Throughput(
        what=what,
        machine=machine,
        bound="parameters and cache once through its memory, or FLOPs at its peak",
        tokens=batch,
        seconds=statistics.median(times),
        least=least(prompt + new // 2),
        parts=_watch(model, prompts, new, choice, lambda step: progress((runs + 1) * new + step, (runs + 2) * new)),
        first=statistics.median(firsts),
    )


def _watch(
    model: Decoder, prompts: list[list[int]], new: int, choice: Choice, progress: Callable[[int], None]
) -> dict[str, float]:
    """Seconds of each part of a step, as a decoder writes from module to module."""
    device = next(model.parameters()).device
    tokens = torch.tensor(prompts, device=device)
    known = {MultiHead: "attention", FeedForward: "feed-forward", nn.Embedding: "embedding"}
    parts = {part: known[type(part)] for part in model.modules() if type(part) in known}
    clock, score = Clock(device), model.scores

    def scored(hidden: Any) -> Any:
        clock.mark("other")
        found = score(hidden)
        clock.mark("head")
        return found

    model.scores = scored  # seen where it is looked up, as a hook would be
    try:
        with marking(clock, parts, rest="other"):
            reader = model.begin(prompts, new, None)[0]  # which sees the hooks, and goes from module to module
            for step in range(new):
                tokens = choose(reader.read(tokens), choice)[:, None]
                tokens.tolist()
                clock.mark("sampling")
                if step == 0:
                    clock.parts.clear()
                progress(step + 1)
    finally:
        del model.scores
    return clock.mean(("embedding", "attention", "feed-forward", "head", "sampling", "other"), new - 1)


class _Loss(nn.Module):
    """The loss of a task as a module, to be counted."""

    def __init__(self, task: Task, model: nn.Module) -> None:
        super().__init__()
        self.task, self.model = task, model

    def forward(self, content: Any) -> Any:
        return self.task.loss(self.model, content, torch.Generator().manual_seed(0))


def measure_training(
    task: Task,
    settings: Settings,
    *,
    what: str,
    machine: str | None = None,
    device: torch.device | str = "cpu",
    steps: int = 20,
    warmup: int = 3,
    progress: Watch = lambda done, total: None,
) -> Throughput:
    """Make steps of a training as the loop makes them, nothing kept: whole ones, then a few part by part.

    The bound is the FLOPs of a step that the mathematics needs over the peak of the machine, whose table `machine`
    names; by default that of the device.
    """
    check_whole("steps", steps, 1)
    device, settings = torch.device(device), replace(settings, mesh=None)
    cuda = [torch.cuda.current_device()] if device.type == "cuda" else []
    with (
        torch.random.fork_rng(devices=cuda),
        limit_threads(settings.execution.threads),
        tempfile.TemporaryDirectory() as at,
    ):
        torch.manual_seed(settings.seed)
        model = task.build().to(device).train()
        clock, optimizer = Clock(device), settings.descent.optimizer(model)
        makes = Steps(task, settings, model, optimizer, Processes.of(None, device), Checkpoints(Path(at)))
        order = Order(count=task.count, size=settings.batch, seed=settings.seed)
        batches = make_batches(task, order, START, settings.execution.workers, pin=device.type == "cuda")
        times, total = [], warmup + steps + WATCHED
        with recomputing(model, settings.execution.recompute):
            for step in range(warmup + steps):
                makes.make(Progress(), batches)
                times.append(clock.mark("step"))
                progress(step + 1, total)
            makes.mark = clock.mark
            inside = {} if settings.execution.compiled else dict.fromkeys(model.children(), "forward")
            with marking(clock, inside):
                for step in range(WATCHED):
                    makes.make(Progress(), batches)
                    progress(warmup + steps + step + 1, total)
            content = move(next(batches).content, device)
        batches.close()
        with set_precision(device, settings), note_tokens(model) as read:
            meter = Utilisation(_Loss(task, model), (content,), device=machine, real=True)
    flops = meter.flops * settings.accumulate
    return Throughput(
        what=what,
        machine=meter.machine,
        bound=f"{si(flops, 'FLOP')} at {si(meter.peak, 'FLOP/s')}",
        tokens=settings.accumulate * (sum(read) or settings.batch),
        seconds=statistics.median(times[warmup:]),
        least=flops / meter.peak,
        parts=clock.mean(("data", "forward", "loss", "backward", "optimizer"), WATCHED),
    )


@contextmanager
def note_tokens(model: nn.Module) -> Iterator[list[int]]:
    """The tokens that a model reads for gradients, by what comes out of it or of what it is made of."""
    read: list[int] = []

    def note(part: nn.Module, inputs: Any, out: Any) -> None:
        if isinstance(out, Output) and torch.is_grad_enabled():
            read.append(out.hidden[..., 0].numel())

    with ExitStack() as stack:
        for part in (model, *model.children()):
            stack.callback(part.register_forward_hook(note).remove)
        yield read
