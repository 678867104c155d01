"""Several trainings of a run at a time, in processes of their own: small models leave most of a GPU idle."""

import multiprocessing
import queue
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from regard.training import Progress, train
from regard.training.batches import end_with_parent
from regard.training.interruption import hold_signals

TOLD_EVERY = 0.5  # seconds from one word of a process to the next


class Told(NamedTuple):
    """What a process tells of one training: the last step, the seconds since it last told, and how it ended."""

    name: str
    progress: Progress | None
    numbers: Mapping[str, float]
    seconds: float
    is_done: bool = False
    error: str = ""


def train_several(folder: Path, names: Sequence[str], device: str, jobs: int, on_told: Callable[[Told], None]) -> None:
    """Train these models of a run, `jobs` at a time; what is done already takes no time.

    The first failure ends all of them, each after its step and with a checkpoint of it, and so does Ctrl-C or SIGTERM.
    """
    context: Any = multiprocessing.get_context("spawn")  # a forked process cannot use a GPU that its parent has used
    waiting, told = context.SimpleQueue(), context.Queue()
    for name in (*names, *[None] * jobs):
        waiting.put(name)
    workers = [context.Process(target=_work, args=(folder, device, waiting, told)) for _ in range(jobs)]
    for worker in workers:
        worker.start()
    try:
        with hold_signals() as interruption:
            left = set(names)
            while left and interruption.number is None:
                if failed := [worker.exitcode for worker in workers if worker.exitcode]:
                    raise ValueError(f"processes that train must live: got exit code {failed[0]}; lower jobs={jobs}")
                with suppress(queue.Empty):
                    found: Told = told.get(timeout=1.0)
                    if found.error:
                        raise ValueError(f"{found.name}: {found.error}")
                    on_told(found)
                    left -= {found.name} if found.is_done else set()
            if left:
                _end(workers)
    except BaseException:  # of a second signal too, which ends all at once
        _end(workers)
        raise
    finally:
        for worker in workers:
            worker.join()
    interruption.end()


def _end(workers: Sequence[Any]) -> None:
    """Let each save the step that it is in."""
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join()


def _work(folder: Path, device: str, waiting: Any, told: Any) -> None:
    """Train one model after the other, until none waits."""
    from regard.recipes.run import plan_run, read_run

    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent too, which ends this process
    name = ""
    try:
        plan = plan_run(read_run(folder))
        while (name := waiting.get()) is not None:
            _train_one(plan.trainings[name], folder / name, device, name, told)
    except (ValueError, OSError) as error:  # what a user can mend is told by the parent, in a line
        told.put(Told(name or folder.name, None, {}, 0.0, error=str(error)))


def _train_one(training: Any, folder: Path, device: str, name: str, told: Any) -> None:
    at, last = time.monotonic(), (None, {})

    def tell(progress: Progress | None, numbers: Mapping[str, float], *, is_done: bool = False) -> None:
        nonlocal at, last
        last, now = (progress, numbers), time.monotonic()
        if is_done or now > at + TOLD_EVERY:
            told.put(Told(name, progress, numbers, now - at, is_done))
            at = now

    train(training.task, training.settings, folder, device=device, on_step=tell)
    tell(*last, is_done=True)
