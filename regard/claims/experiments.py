"""Results of experiments: of a recorded run where there is one, of the recipe's small version run here otherwise."""

import functools
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

FILE = "claims.json"  # in the folder of a run: {"reversal": {"command": …, "numbers": {…}}}
SHIPPED = Path(__file__).parents[1] / "recipes" / "shipped"  # the runs that come with the package

# The folders that hold the folders of runs: the first that has a run of the recipe is read.
runs: ContextVar[tuple[Path, ...]] = ContextVar("runs", default=(SHIPPED,))
_used: ContextVar[list[str] | None] = ContextVar("used", default=None)  # where results came from, while it is watched

SMALL = "small version, run here"


@dataclass(frozen=True)
class Result:
    """The numbers of an experiment, and which run they come from; a small one shows less."""

    numbers: Mapping[str, float]
    source: str
    is_small: bool = False
    is_changed: bool = False  # its settings are not the recipe's

    def __getitem__(self, name: str) -> float:
        if name not in self.numbers:
            known = ", ".join(map(repr, list(self.numbers)[:4]))
            raise ValueError(f"{self.source} must have recorded {name!r}: got {known} …; train it again")
        return self.numbers[name]


def result(recipe: str, small: Callable[[], Mapping[str, float]] | None = None) -> Result:
    """What the recipe's latest recorded run found, or else its small version, which is run once in a process.

    `small` computes the numbers of an experiment for which there is no recipe yet.
    """
    return latest(recipe) or _told(_run(recipe, small))


def latest(recipe: str) -> Result | None:
    """What the recipe's latest recorded run found, if there is one."""
    found = next((found for folder in runs.get() if (found := recorded(recipe, folder))), None)
    return None if found is None else _told(found)


def _told(found: Result) -> Result:
    if (used := _used.get()) is not None and found.source not in used:
        used.append(found.source)
    return found


@contextmanager
def watched() -> Iterator[list[str]]:
    """The sources of the results that are asked for inside."""
    sources: list[str] = []
    token = _used.set(sources)
    try:
        yield sources
    finally:
        _used.reset(token)


@functools.cache
def _run(recipe: str, small: Callable[[], Mapping[str, float]] | None) -> Result:
    if small is not None:
        return Result(small(), SMALL, is_small=True)
    from regard.recipes import start_run

    with tempfile.TemporaryDirectory() as folder:
        outcome = start_run(recipe, Path(folder) / recipe, size="small").train()
    return Result(outcome.claims[recipe], SMALL, is_small=True)


def recorded(recipe: str, folder: Path) -> Result | None:
    """The latest run under `folder` that recorded numbers of the recipe."""
    files = sorted(folder.glob(f"*/{FILE}"), key=lambda path: (path.stat().st_mtime, path.parent.name), reverse=True)
    for path in files:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{path} must be JSON, as a recipe writes it: got {error}; remove the file") from error
        if recipe in content:
            numbers, command = _numbers(path, recipe, content[recipe]), str(content[recipe].get("command"))
            return Result(numbers, f"run {path.parent.name}", "--small" in command, "--set" in command)
    return None


def _numbers(path: Path, recipe: str, entry: object) -> dict[str, float]:
    numbers = entry.get("numbers") if isinstance(entry, dict) else None
    if not isinstance(numbers, dict) or not all(isinstance(value, int | float) for value in numbers.values()):
        raise ValueError(f'{path} must hold "numbers" of {recipe!r}, a number by each name: got {entry!r:.80}')
    return numbers
