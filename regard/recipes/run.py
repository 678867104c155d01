"""The folder of a run: what was asked, how far it is, and what came out; readable while it goes on."""

import fcntl
import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from regard.tasks.whole_files import whole_file
from regard.training import Metrics

FACTS, RESULT, CLAIMS, REPORT, LOCK = "run.json", "result.json", "claims.json", "report.md", ".lock"
VERSION = 1  # of the form of a run's folder

_held: set[Path] = set()  # folders that this process trains in


@dataclass(frozen=True)
class Run:
    """One training, or several that belong together, in a folder."""

    folder: Path
    recipe: str
    config: Mapping[str, Any]
    command: str
    started: str
    smoke: bool = False  # its numbers mean nothing

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    @property
    def result(self) -> dict[str, float] | None:
        """The numbers at the end; None while it has not come to it."""
        found = self._finished()
        return None if found is None else found["numbers"]

    @property
    def headline(self) -> str | None:
        """The result in a line."""
        found = self._finished()
        return None if found is None else found["headline"]

    @property
    def state(self) -> str:
        """done, running or stopped."""
        return "done" if self._finished() is not None else "running" if self.is_running() else "stopped"

    def progress(self) -> dict[str, int]:
        """The last step of each of its trainings that was written down."""
        files = sorted(self.folder.glob("*/metrics.jsonl"))
        lines = {file.parent.name: Metrics(file).read() for file in files}
        return {name: found[-1]["step"] for name, found in lines.items() if found}

    def finish(
        self, *, numbers: Mapping[str, float], headline: str, report: str, claims: Mapping[str, Mapping[str, float]]
    ) -> None:
        """Write what came out: the report first, and the result last, whose being there says that all is."""
        read = {key: {"command": self.command, "numbers": dict(found)} for key, found in claims.items()}
        result = {"numbers": dict(numbers), "headline": headline, "finished": now()}
        for name, text in ((REPORT, report), (CLAIMS, json.dumps(read)), (RESULT, json.dumps(result))):
            with whole_file(self.folder / name) as file:
                file.write(text.encode())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """For the one process that trains; the system ends it with the process, however that ends."""
        place = self.folder.resolve()
        taken = f"a run is trained by one process at a time: {self.name} is being trained; wait for it or stop it"
        if place in _held:  # before the file is opened: to close it would give the lock up
            raise ValueError(taken)
        with (place / LOCK).open("a") as file:
            if not _takes(file):
                time.sleep(0.1)  # who asks whether it runs takes the lock for a moment
                if not _takes(file):
                    raise ValueError(taken)
            _held.add(place)
            for left in place.glob(".unfinished-*"):  # of a process that was killed while it wrote
                left.unlink()
            try:
                yield
            finally:
                _held.discard(place)

    def is_running(self) -> bool:
        place = self.folder.resolve()
        if place in _held:  # asking the system would open and close the file, and so give the lock up
            return True
        if not (place / LOCK).is_file():
            return False
        with (place / LOCK).open("a") as file:
            return not _takes(file)

    def _finished(self) -> dict[str, Any] | None:
        path = self.folder / RESULT
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def _takes(file: IO[str]) -> bool:
    """Not by flock, which a loader's processes would inherit and hold a moment longer than their parent."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def begin(folder: Path, recipe: str, config: Mapping[str, Any], command: str, *, smoke: bool = False) -> Run:
    """A new folder for a run; one that is there already is an error."""
    check_free(folder)
    facts = {"version": VERSION, "recipe": recipe, "config": dict(config), "command": command}
    facts |= {"started": now(), "smoke": smoke}
    with whole_file(folder / FACTS) as file:
        file.write(json.dumps(facts, indent=1).encode())
    return find(folder)


def check_free(folder: Path) -> None:
    """A run needs a folder of its own."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(
            f"a run needs a folder of its own: got {folder}, which is not empty; resume it, or --name another"
        )


def find(folder: Path) -> Run:
    """The run of a folder."""
    path = folder / FACTS
    if not path.is_file():
        raise ValueError(f"a run's folder holds {FACTS}: got {folder}, which does not; see regard runs")
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        version = facts.get("version")
    except (ValueError, AttributeError) as error:
        raise ValueError(f"{path} must be JSON, as a recipe writes it: got {error}") from error
    if version != VERSION:
        raise ValueError(f"{path} must be of version {VERSION}: got {version}; use the regard that made it")
    if missing := [key for key in ("recipe", "config", "command", "started", "smoke") if key not in facts]:
        raise ValueError(f"{path} must be as a recipe writes it: got no {missing[0]!r}")
    return Run(folder, facts["recipe"], facts["config"], facts["command"], facts["started"], facts["smoke"])


def all_runs(folder: Path) -> list[Run]:
    """The runs in a folder, the oldest first."""
    found = [find(path.parent) for path in folder.glob(f"*/{FACTS}")]
    return sorted(found, key=lambda run: (run.started, run.name))


def new_name(folder: Path, recipe: str) -> str:
    """`reversal-1`, or the next number that is free."""
    pattern = re.compile(rf"{re.escape(recipe)}-(\d+)")
    taken = [int(found[1]) for path in folder.glob("*") if (found := pattern.fullmatch(path.name))]
    return f"{recipe}-{max(taken, default=0) + 1}"


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
