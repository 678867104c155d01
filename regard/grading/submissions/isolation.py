"""Work on what strangers wrote: one process for each piece, with little time and memory, killed when it takes more.

    caller ──work, tasks──▶ helper (warm, one thread) ──fork──▶ child per task, confined ──JSON──▶ helper ──▶ caller

The helper is a fresh interpreter that is told what to do once, warms up, and forks. Multiprocessing's fork server would
be more machinery for less: it can preload modules but not a compiled key with its caches, so every child would start
cold, and it brings a tracker process and a queue's threads. Forking the caller itself is not safe, for it may have
threads (a progress bar, a notebook, OpenMP); the helper has one. Results are JSON, never pickles: what comes out of a
child is data even if it were taken over. When the caller goes away, however it ends, the helper sees the end of its
input, kills its children and ends too.
"""

import contextlib
import gc
import json
import os
import pickle
import selectors
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Protocol

LARGEST_RESULT = 4 << 20  # bytes: fifty marks with all their feedback take a fortieth of it
MOST_JOBS = 256  # each has a pipe and, for a moment, the helper's pages
OPEN_FILES = 16  # a child has its three streams and opens one file
OUT_OF_MEMORY, FAILED = 71, 70  # exit codes of a child
PATIENCE = 2.0  # seconds for the helper to reap its children before the whole group is killed
STATM = Path("/proc/self/statm")  # where there is none (macOS), no limit on addresses is to be had

# -P and the root behind the path: no file of the folder in which somebody grades (a student's `sympy.py`) is imported.
_PROGRAM = "import sys; sys.path.append(sys.argv[1]); from regard.grading.submissions.isolation import serve; serve()"
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
_HEADER = struct.Struct("!II")  # the number of the task, the bytes of its outcome


class Work(Protocol):
    """What is done for every task: picklable, warmed up once, then called in each child; its result is plain data."""

    def warm(self) -> None: ...

    def __call__(self, task: Any, /) -> Any: ...


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a child may take: seconds by the clock, and MiB beyond those that it is born with.

    >>> Limits(seconds=0)
    Traceback (most recent call last):
    ValueError: seconds must be more than 0 and at most 3600: got 0; use 10
    """

    seconds: float = 10.0
    memory: int = 512

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= 3600:
            raise ValueError(f"seconds must be more than 0 and at most 3600: got {self.seconds:g}; use 10")
        if not 16 <= self.memory <= 1 << 20:
            raise ValueError(f"memory must be 16 to {1 << 20} MiB: got {self.memory}; use 512")


@dataclass(frozen=True)
class Outcome:
    """What became of a task: its result as plain data, or the reason why there is none."""

    result: Any = None
    refused: str = ""


def memory_is_limited() -> bool:
    """Whether this system limits a child's memory; where it does not, only its time is limited."""
    return STATM.exists()


class Isolation:
    """A helper process; its runs come one by one, and what it has imported for the first serves the next.

    ```python
    with Isolation(Limits(seconds=5)) as isolation:
        for number, outcome in isolation.run(work, tasks, jobs=2):
            ...
    ```
    """

    def __init__(self, limits: Limits | None = None) -> None:
        if not hasattr(os, "fork"):
            raise OSError(
                "each submission is marked in a forked process, which this system has not: use Linux or macOS"
            )
        self.limits = limits or Limits()
        root = str(Path(__file__).parents[3])
        self._helper = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, root],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | _ONE_THREAD,
            start_new_session=True,  # Ctrl-C reaches the caller alone, who then closes the helper's input
        )

    def run(
        self, work: Work, tasks: Sequence[Any], jobs: int = 1, limits: Limits | None = None
    ) -> Iterator[tuple[int, Outcome]]:
        """The outcome of every task with its number, in the order in which they are done."""
        assert self._helper.stdin is not None
        assert self._helper.stdout is not None
        if not 1 <= jobs <= MOST_JOBS:
            raise ValueError(f"jobs must be 1 to {MOST_JOBS}: got {jobs}; use as many as there are cores")
        with contextlib.suppress(BrokenPipeError):  # the helper ended before it listened: said below
            pickle.dump((work, list(tasks), limits or self.limits, jobs), self._helper.stdin)
            self._helper.stdin.flush()
        for _ in tasks:
            header = self._helper.stdout.read(_HEADER.size)
            if len(header) < _HEADER.size:
                raise RuntimeError(f"the process that marks ended early, with exit code {self._helper.wait()}")
            number, size = _HEADER.unpack(header)
            yield number, Outcome(**json.loads(self._helper.stdout.read(size)))

    def close(self) -> None:
        """End the helper and its children, and reap them."""
        for pipe in (self._helper.stdin, self._helper.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):  # what was left to say is said to nobody
                pipe.close()
        try:
            ended = self._helper.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            ended = None
        if ended != 0:  # it is busy or has crashed: what is left of its group goes with it
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._helper.pid, signal.SIGKILL)
            self._helper.wait()

    def __enter__(self) -> "Isolation":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def serve() -> NoReturn:
    """The helper's life: read a request, warm up, fork a child for each task, tell what became of it; and again."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not end up between the answers
    while True:
        try:
            work, tasks, limits, jobs = pickle.load(sys.stdin.buffer)
        except (EOFError, pickle.UnpicklingError):  # the caller has all it wants, or was cut off
            os._exit(0)
        if len(tasks) > 1:
            work.warm()
        gc.collect()
        gc.freeze()  # the children's collectors leave the shared pages alone
        if not _Warden(work, limits, answers).watch(tasks, jobs):
            os._exit(0)


@dataclass
class _Child:
    number: int
    pid: int
    deadline: float
    said: bytearray


class _Warden:
    """Forks, listens and kills: one thread, one selector."""

    def __init__(self, work: Work, limits: Limits, answers: int) -> None:
        self.work, self.limits, self.answers = work, limits, answers
        self.selector = selectors.DefaultSelector()
        self.children: dict[int, _Child] = {}

    def watch(self, tasks: Sequence[Any], jobs: int) -> bool:
        """Until all tasks are done; False when the caller has gone before."""
        waiting = list(enumerate(tasks))[::-1]
        with self.selector:
            self.selector.register(0, selectors.EVENT_READ)
            while waiting or self.children:
                while waiting and len(self.children) < jobs:
                    self._fork(*waiting.pop())
                nearest = min([child.deadline for child in self.children.values()])
                ready = self.selector.select(max(0.0, nearest - time.monotonic()))
                pipes = [key.fd for key, _ in ready]
                if 0 in pipes:  # nothing is said there before all is done, so this is its end
                    for child in self.children.values():
                        _kill(child.pid)
                    return False
                with contextlib.suppress(BrokenPipeError):  # the caller has gone: the end of our input comes next
                    self._attend_to(pipes)
        return True

    def _attend_to(self, pipes: Sequence[int]) -> None:
        for pipe in pipes:
            self._listen(pipe)
        for pipe, child in list(self.children.items()):
            if time.monotonic() >= child.deadline:
                self._end(pipe, f"took longer than {self.limits.seconds:g} s")

    def _fork(self, number: int, task: Any) -> None:
        ours, theirs = os.pipe()
        pid = os.fork()
        if pid == 0:
            _live(self.work, task, theirs, self.limits)
        os.close(theirs)
        self.children[ours] = _Child(number, pid, time.monotonic() + self.limits.seconds, bytearray())
        self.selector.register(ours, selectors.EVENT_READ)

    def _listen(self, pipe: int) -> None:
        child = self.children[pipe]
        said = os.read(pipe, 1 << 16)
        child.said += said
        if not said:  # only its end closes a child's pipe
            status = os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])
            self._tell(pipe, _verdict(status, child.said, self.limits))
        elif len(child.said) > LARGEST_RESULT:
            self._end(pipe, f"its result is larger than {LARGEST_RESULT >> 20} MiB")

    def _end(self, pipe: int, reason: str) -> None:
        _kill(self.children[pipe].pid)
        self._tell(pipe, _refusal(reason))

    def _tell(self, pipe: int, outcome: bytes) -> None:
        child = self.children.pop(pipe)
        self.selector.unregister(pipe)
        os.close(pipe)
        _write(self.answers, _HEADER.pack(child.number, len(outcome)) + outcome)


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)  # not yet waited for, so the number is still its own
    os.waitpid(pid, 0)


def _verdict(status: int, said: bytearray, limits: Limits) -> bytes:
    """What a child's end means; a negative status is the signal that killed it."""
    if status == 0:
        return b'{"result": ' + said + b"}"
    if status == OUT_OF_MEMORY:
        return _refusal(f"needed more than {limits.memory} MiB of memory")
    if status == FAILED:
        return _refusal(
            f"failed with {said.decode(errors='replace')}, which is a mistake of regard's: please report it"
        )
    if -status in (signal.SIGXCPU, signal.SIGALRM):
        return _refusal(f"took longer than {limits.seconds:g} s")
    name = signal.Signals(-status).name if status < 0 else f"exit code {status}"
    return _refusal(f"its process was ended by {name}, as when memory runs out")


def _refusal(reason: str) -> bytes:
    return json.dumps({"refused": reason}).encode()


def _live(work: Work, task: Any, pipe: int, limits: Limits) -> NoReturn:
    """A child's life. It must not return into the helper's loop, whatever happens: hence the bare exit."""
    code = FAILED
    try:
        _confine(pipe, limits)
        _write(1, json.dumps(work(task)).encode())
        code = 0
    except MemoryError:
        code = OUT_OF_MEMORY
    except BaseException as error:  # the edge of the process: nobody above could tell of it
        _write(1, f"{type(error).__name__}: {error}"[:500].encode(errors="replace"))
    finally:
        os._exit(code)


def _confine(pipe: int, limits: Limits) -> None:
    """Close what is not the child's, then take away what it does not need."""
    import resource

    os.dup2(pipe, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.closerange(3, 1024)
    sys.dont_write_bytecode = True
    signal.setitimer(signal.ITIMER_REAL, limits.seconds + PATIENCE)  # ends the child even if the helper were gone
    if memory_is_limited():
        now = int(STATM.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        _lower(resource.RLIMIT_AS, now + (limits.memory << 20))
    _lower(resource.RLIMIT_CPU, int(limits.seconds) + 1)
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_CORE, 0)


def _lower(kind: int, most: int) -> None:
    import resource

    hard = resource.getrlimit(kind)[1]
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)  # a stricter limit of the system stays
    resource.setrlimit(kind, (least, least))


def _write(to: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(to, rest) :]
