"""Results of experiments: of the recipe's own run where one is recorded, of a small version run here otherwise."""

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

FILE = "claims.json"  # in the folder of a run: {"reversal": {"command": …, "numbers": {…}}}

runs: ContextVar[Path | None] = ContextVar("runs", default=None)  # the folder that holds the folders of runs
_used: ContextVar[list[str] | None] = ContextVar("used", default=None)  # where results came from, while it is watched

SMALL = "small version, run here"
EXPERIMENTS = {  # whose recorded numbers a claim reads
    "conv.q2": "digits-gaussian",
    "nyu.3h": "heads",
    "nyu.4lr": "reversal-length",
    "nyu.4d": "gradients",
    "nyu.5c": "conv-vs-vit",
    "udl.6b": "objectives",
    "ist.3a": "reversal",
    "ist.3b": "reversal",
    "ist.3c": "reversal",
}


@dataclass(frozen=True)
class Result:
    """The numbers of an experiment, and which run they come from."""

    numbers: Mapping[str, float]
    source: str

    def __getitem__(self, name: str) -> float:
        if name not in self.numbers:
            known = ", ".join(map(repr, list(self.numbers)[:4]))
            raise ValueError(f"{self.source} must have recorded {name!r}: got {known} …; train it again")
        return self.numbers[name]

    @property
    def is_small(self) -> bool:
        return self.source == SMALL


def result(recipe: str, small: Callable[[], Mapping[str, float]]) -> Result:
    """What the recipe's latest recorded run found, or what `small` finds now; it runs once in a process."""
    return _told(latest(recipe) or _run(recipe, small))


def latest(recipe: str) -> Result | None:
    """What the recipe's latest recorded run found, if there is one."""
    found = None if (folder := runs.get()) is None else recorded(recipe, folder)
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
def _run(recipe: str, small: Callable[[], Mapping[str, float]]) -> Result:
    return Result(small(), SMALL)


def recorded(recipe: str, folder: Path) -> Result | None:
    """The latest run under `folder` that recorded numbers of the recipe."""
    files = sorted(folder.glob(f"*/{FILE}"), key=lambda path: (path.stat().st_mtime, path.parent.name), reverse=True)
    for path in files:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{path} must be JSON, as a recipe writes it: got {error}; remove the file") from error
        if recipe in content:
            return Result(_numbers(path, recipe, content[recipe]), f"run {path.parent.name}")
    return None


def _numbers(path: Path, recipe: str, entry: object) -> dict[str, float]:
    numbers = entry.get("numbers") if isinstance(entry, dict) else None
    if not isinstance(numbers, dict) or not all(isinstance(value, int | float) for value in numbers.values()):
        raise ValueError(f'{path} must hold "numbers" of {recipe!r}, a number by each name: got {entry!r:.80}')
    return numbers
