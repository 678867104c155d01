"""The folder of a run: what was asked, how far it is, and what came out; readable while it goes on."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from regard.tasks.whole_files import whole_file
from regard.training import Metrics
from regard.training.lock import LOCK, held, is_held

FACTS, RESULT, CLAIMS, REPORT = "run.json", "result.json", "claims.json", "report.md"
NAME = re.compile(r"\w[\w.-]*")
KINDS = {"recipe": str, "config": dict, "command": str, "started": str, "smoke": bool, "data": str, "device": str}
VERSION = 1  # of the form of a run's folder


@dataclass(frozen=True)
class Run:
    """One training, or several that belong together, in a folder."""

    folder: Path
    recipe: str
    config: Mapping[str, Any]
    command: str
    started: str
    smoke: bool = False  # its numbers mean nothing
    data: str = ""  # a fingerprint of what it learns from
    device: str = "cpu"  # where it began

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

    def locked(self) -> AbstractContextManager[None]:
        """For the one process that trains."""
        return held(self.folder)

    def is_running(self) -> bool:
        return is_held(self.folder)

    def rewritten(self, **facts: Any) -> "Run":
        """The same with other facts, on the disk too."""
        return _written(replace(self, **facts))

    def _finished(self) -> dict[str, Any] | None:
        path = self.folder / RESULT
        if not path.is_file():
            return None
        found = _json(path)
        for key, kind in (("numbers", dict), ("headline", str)):
            if not isinstance(found.get(key), kind):
                raise ValueError(f"{path} must be as a recipe writes it: got {found.get(key)!r:.40} for {key!r}")
        return found


@contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """A folder for a run to begin in, held meanwhile; one that is in use is an error, and a failure leaves none."""
    if not NAME.fullmatch(folder.name):
        raise ValueError(
            f"a run's name must be of letters, digits, - and _: got {folder.name!r}; use --name reversal-a"
        )
    free = f"a run needs a folder of its own: got {folder}, which is not empty; resume it, or --name another"
    if folder.exists() and not folder.is_dir():
        raise ValueError(free)
    made = not folder.exists()
    try:
        with held(folder):
            if any(path.name != LOCK for path in folder.iterdir()):
                raise ValueError(free)
            yield
    finally:
        if made and not (folder / FACTS).exists() and not is_held(folder):
            shutil.rmtree(folder)


def begin(folder: Path, *, recipe: str, config: Mapping[str, Any], command: str, **more: Any) -> Run:
    """The run of a folder, from now on."""
    return _written(Run(folder, recipe, config, command, now(), **more))


def _written(run: Run) -> Run:
    facts = {name: value for name, value in vars(run).items() if name != "folder"}
    with whole_file(run.folder / FACTS) as file:
        file.write(json.dumps({"version": VERSION, **facts}, indent=1).encode())
    return find(run.folder)


def find(folder: Path) -> Run:
    """The run of a folder."""
    path = folder / FACTS
    if not path.is_file():
        raise ValueError(f"a run's folder holds {FACTS}: got {folder}, which does not; see regard runs")
    facts = _json(path)
    version = facts.pop("version", None)
    if version != VERSION:
        raise ValueError(f"{path} must be of version {VERSION}: got {version}; use the regard that made it")
    for name, kind in KINDS.items():
        if not isinstance(facts.get(name), kind):
            raise ValueError(f"{path} must be as a recipe writes it: got {facts.get(name)!r:.40} for {name!r}")
    return Run(folder, **{name: facts[name] for name in KINDS})


def listed(folder: Path) -> tuple[list[Run], dict[str, str]]:
    """The runs in a folder, the oldest first, and of those that cannot be read, why."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"runs lie in a folder: got the file {folder}; use another")
    found, wrong = [], {}
    for path in sorted(folder.glob(f"*/{FACTS}")):
        try:
            run = find(path.parent)
            _ = run.state
            found.append(run)
        except (ValueError, OSError) as error:  # damaged, being removed, or not ours to read
            wrong[path.parent.name] = str(error)
    return sorted(found, key=lambda run: (run.started, run.name)), wrong


def all_runs(folder: Path) -> list[Run]:
    """The runs in a folder that can be read, the oldest first."""
    return listed(folder)[0]


def new_name(folder: Path, recipe: str) -> str:
    """`reversal-1`, or the next number that is free."""
    pattern = re.compile(rf"{re.escape(recipe)}-(\d+)")
    taken = [int(found[1]) for path in folder.glob("*") if (found := pattern.fullmatch(path.name))]
    return f"{recipe}-{max(taken, default=0) + 1}"


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} must be JSON, as a recipe writes it: got {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} must be as a recipe writes it: got {content!r:.40}")
    return content
