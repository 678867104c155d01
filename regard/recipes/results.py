"""What a run found, as JSON that says where it comes from: command, commit, machine and time, and what was published.

A run may be made of several sessions, on one machine or on several, each of which is kept with its time.
"""

import json
import platform
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import torch

from regard.tasks.files import write_atomically

SESSIONS = "sessions.json"
KEPT_EVERY = 10.0  # seconds: a kill loses as much of a session's time


@dataclass(frozen=True, kw_only=True)
class Published:
    """A number of somebody else's, or a bar, to stand beside one of ours.

    >>> Published(number="BLEU", value=38.0, source="the bar").reached(38.2)
    True
    """

    number: str  # the name that ours has
    value: float
    source: str  # who found it, with what
    better: Literal["larger", "smaller"] = "larger"

    def reached(self, ours: float) -> bool:
        return ours >= self.value if self.better == "larger" else ours <= self.value


@dataclass(frozen=True, kw_only=True)
class Session:
    """A stretch of a run: the machine, the code, and the seconds of each training in it, evaluations included."""

    started: str
    machine: str
    threads: int
    torch: str
    python: str
    commit: str | None  # None: the package was not run from its repository
    seconds: Mapping[str, float] = field(default_factory=dict)  # by training; "measuring" is what came after them


@dataclass(frozen=True, kw_only=True)
class Result:
    """The numbers of a run that is done, a line of them, and where they come from.

    >>> result = Result(numbers={"right": 1.0}, headline="all", recipe="reversal", command="regard train reversal")
    >>> Result.read_json(result.json()) == result
    True
    """

    numbers: Mapping[str, float]
    headline: str
    recipe: str = ""
    command: str = ""
    started: str = ""
    finished: str = ""
    sessions: tuple[Session, ...] = ()

    @property
    def seconds(self) -> dict[str, float]:
        """The seconds of each training in all sessions."""
        names = dict.fromkeys(name for session in self.sessions for name in session.seconds)
        return {name: sum([session.seconds.get(name, 0.0) for session in self.sessions]) for name in names}

    @property
    def machines(self) -> list[str]:
        return list(dict.fromkeys(session.machine for session in self.sessions))

    def json(self) -> str:
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @staticmethod
    def read_json(text: str) -> "Result":
        """What `json` wrote, or a regard that kept numbers and headline alone; anything else is an error."""
        try:
            facts = json.loads(text)
            sessions = tuple([Session(**session) for session in facts.pop("sessions", ())])
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"a result must be JSON, as a recipe writes it: got {error}") from error
        for key, kind in (("numbers", dict), ("headline", str)):
            if not isinstance(facts.get(key), kind):
                raise ValueError(f"a result must be as a recipe writes it: got {facts.get(key)!r:.40} for {key!r}")
        if unknown := facts.keys() - {field.name for field in fields(Result)}:
            raise ValueError(f"a result has no {min(unknown)!r}: got it; use the regard that wrote it")
        return Result(**facts, sessions=sessions)


class Clock:
    """Keeps the time of a session in the folder of its run, so that a killed one loses seconds at most."""

    def __init__(self, folder: Path, device: str, *, writes: bool = True) -> None:
        self.path, self.writes = folder / SESSIONS, writes
        self.earlier = read_sessions(folder)
        self.own = describe_session(device)
        self.at = self.kept = time.monotonic()

    def count(self, name: str, spent: float | None = None, *, keep: bool = False) -> None:
        """Add the time since the last call, or what another process has spent, to what is done under this name."""
        now = time.monotonic()
        seconds = dict(self.own.seconds)
        seconds[name] = seconds.get(name, 0.0) + (now - self.at if spent is None else spent)
        self.at, self.own = now, replace(self.own, seconds=seconds)
        if self.writes and (keep or now > self.kept + KEPT_EVERY):
            with write_atomically(self.path) as file:
                file.write(json.dumps([asdict(session) for session in self.sessions], indent=1).encode())
            self.kept = time.monotonic()

    @property
    def sessions(self) -> tuple[Session, ...]:
        return (*self.earlier, self.own)


def read_sessions(folder: Path) -> tuple[Session, ...]:
    """The sessions of a run so far."""
    path = folder / SESSIONS
    if not path.is_file():
        return ()
    try:
        return tuple([Session(**session) for session in json.loads(path.read_text(encoding="utf-8"))])
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{path} must be as a run writes it: got {error}; remove the file") from error


def describe_session(device: str) -> Session:
    """A session that begins now, in this process."""
    return Session(
        started=now(),
        machine=torch.cuda.get_device_name(device) if device.startswith("cuda") else cpu_name(),
        threads=torch.get_num_threads(),
        torch=torch.__version__,
        python=platform.python_version(),
        commit=commit(),
    )


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def cpu_name() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def commit() -> str | None:
    """The commit of the repository that this file is in, "-dirty" behind it where files were changed since."""
    here: Any = Path(__file__)
    if not (here.parents[2] / ".git").exists():
        return None
    words = ["git", "-C", str(here.parents[2]), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):  # no git here, or not ours to read
        return None
