"""The folder of a run: what was asked, how far it is, and what came out; readable while it goes on."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from regard.tasks.whole_files import whole_file
from regard.training import Metrics

FACTS, RESULT, CLAIMS, REPORT = "run.json", "result.json", "claims.json", "report.md"
VERSION = 1  # of the form of a run's folder


@dataclass(frozen=True)
class Run:
    """One training, or several that belong together, in a folder."""

    folder: Path
    recipe: str
    config: Mapping[str, Any]
    command: str
    started: str

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def result(self) -> dict[str, float] | None:
        """The numbers at the end; None while it has not come to it."""
        path = self.folder / RESULT
        return json.loads(path.read_text(encoding="utf-8"))["numbers"] if path.is_file() else None

    def progress(self) -> dict[str, int]:
        """The last evaluated step of each of its trainings."""
        files = sorted(self.folder.glob("*/metrics.jsonl"))
        lines = {file.parent.name: Metrics(file).read() for file in files}
        return {name: found[-1]["step"] for name, found in lines.items() if found}

    def finish(self, numbers: Mapping[str, float], report: str, claims: Mapping[str, Mapping[str, float]]) -> None:
        """Write what came out: the report first, and the result last, whose being there says that all is."""
        for name, text in (
            (REPORT, report),
            (CLAIMS, json.dumps({key: {"command": self.command, "numbers": found} for key, found in claims.items()})),
            (RESULT, json.dumps({"numbers": dict(numbers), "finished": now()})),
        ):
            with whole_file(self.folder / name) as file:
                file.write(text.encode())


def begin(folder: Path, recipe: str, config: Mapping[str, Any], command: str) -> Run:
    """A new folder for a run; one that is there already is an error."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(
            f"a run needs a folder of its own: got {folder}, which is not empty; resume it, or --name another"
        )
    run = Run(folder, recipe, config, command, now())
    facts = {"version": VERSION, "recipe": recipe, "config": dict(config), "command": command, "started": run.started}
    with whole_file(folder / FACTS) as file:
        file.write(json.dumps(facts, indent=1).encode())
    return run


def find(folder: Path) -> Run:
    """The run of a folder."""
    path = folder / FACTS
    if not path.is_file():
        raise ValueError(f"a run's folder holds {FACTS}: got {folder}, which does not; see regard runs")
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} must be JSON, as a recipe writes it: got {error}") from error
    if facts.get("version") != VERSION:
        raise ValueError(
            f"{path} must be of version {VERSION}: got {facts.get('version')}; use the regard that made it"
        )
    return Run(folder, facts["recipe"], facts["config"], facts["command"], facts["started"])


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
