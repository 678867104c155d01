"""What a server or a notebook can show: runs, folders of models, a notebook's objects; and a cache of results.

Outside of this file nothing turns a name into a path: a request holds a name, and the workspace knows it or not.
"""

import itertools
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.checks import nearest
from regard.claims.experiments import SHIPPED

if TYPE_CHECKING:
    from regard.recipes import Run

RUN, MODEL = "run.json", "config.json"
CACHE_BYTES = 1280 * 2**20  # a model of GPT-2's size, and the maps of two texts of 1,024 tokens


@dataclass
class _Pending:
    """A value that is being computed, and how many threads wait for it: if one fails, the next of them computes it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    waiting: int = 0


class Cache:
    """The values used last, up to so many bytes; what several threads ask for is computed once.

    >>> cache = Cache(max_bytes=10)
    >>> cache.get("a", lambda: ("A", 6)), cache.get("b", lambda: ("B", 6)), cache.get("a", lambda: ("again", 6))
    ('A', 'B', 'again')
    """

    def __init__(self, max_bytes: int = CACHE_BYTES) -> None:
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._pending: dict[Hashable, _Pending] = {}

    def get(self, key: Hashable, compute: Callable[[], tuple[Any, int]] | None = None) -> Any:
        """The value of a key; where it is missing `compute` returns it with its size in bytes, and else it is None."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
            own = self._pending.setdefault(key, _Pending())
            own.waiting += 1
        try:
            with own.lock:
                with self._lock:
                    if key in self._values:
                        return self._values[key][0]
                if compute is None:
                    return None
                value, size = compute()
                with self._lock:
                    self._values[key] = (value, size)
                    while self.size > self.max_bytes and len(self._values) > 1:
                        self._values.popitem(last=False)
                return value
        finally:
            with self._lock:
                own.waiting -= 1
                if not own.waiting:
                    del self._pending[key]

    @property
    def size(self) -> int:
        return sum(size for _, size in self._values.values())

    def clear(self) -> None:
        with self._lock:
            self._values.clear()


@dataclass(frozen=True)
class Workspace:
    """Folders of runs, read anew each time; single runs; folders of models; objects of a notebook; a cache."""

    roots: tuple[Path, ...] = (SHIPPED,)
    single: tuple[Path, ...] = ()
    folders: Mapping[str, Path] = field(default_factory=dict)
    objects: Mapping[str, Any] = field(default_factory=dict)
    cache: Cache = field(default_factory=Cache)

    def runs(self) -> "dict[str, Run]":
        """The runs by name, single ones first; a name that comes again gets a number."""
        return self.scan_runs()[0]

    def scan_runs(self) -> "tuple[dict[str, Run], dict[str, str]]":
        """The runs by name, and of those that cannot be read, the reason."""
        from regard.recipes import list_runs, read_run

        found, unreadable = list[Any](), dict[str, str]()
        for path in self.single:
            try:
                run = read_run(path)
                _ = run.state
                found.append(run)
            except (ValueError, OSError) as error:
                unreadable[path.name] = str(error).replace(f"{path}/", "")
        for root in self.roots:
            own, broken = list_runs(root) if root.is_dir() else ([], {})
            found += own
            unreadable |= {name: reason.replace(f"{root}/", "") for name, reason in broken.items()}
        once: dict[Path, Any] = {}
        for run in found:
            once.setdefault(run.folder.resolve(), run)
        return dict(_number_names((run.name, run) for run in once.values())), unreadable

    def run(self, name: str) -> "Run":
        return _look_up("run", name, self.runs())

    def folder(self, name: str) -> Path:
        return _look_up("folder", name, self.folders)


def find_trainings(run: "Run", kept: str) -> dict[str, Path]:
    """The folders of a run's trainings in which this is kept, by name: `depth-2` before `depth-16`."""
    found = {path.parent.name: path.parent for path in run.folder.glob(f"*/{kept}")}
    return {name: found[name] for name in sorted(found, key=_natural_order)}


def _natural_order(name: str) -> list[tuple[int, str]]:
    """A key to sort by: numbers inside a name count as numbers.

    >>> sorted(["depth-16", "depth-2", "a"], key=_natural_order)
    ['a', 'depth-2', 'depth-16']
    """
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def is_shipped(run: "Run") -> bool:
    """Whether it comes with the package."""
    return run.folder.resolve().is_relative_to(SHIPPED.resolve())


def open_workspace(given: Sequence[Path], runs: Path) -> Workspace:
    """What the command line names: runs by name or folder, folders of runs, folders of models; and those in `runs`."""
    roots, single, folders = [], [], list[tuple[str, Path]]()
    for path in given:
        folder = path if path.exists() or not (runs / path / RUN).is_file() else runs / path
        if (folder / RUN).is_file():
            single.append(folder)
        elif (folder / MODEL).is_file():
            folders.append((folder.resolve().name, folder))
        elif any(folder.glob(f"*/{RUN}")):
            roots.append(folder)
        else:
            raise ValueError(
                f"explore takes runs, folders of runs, and folders of models ({MODEL}, safetensors): got "
                f"{str(path)!r}, which is none of these; see regard runs"
            )
    own = [runs] if runs.resolve() not in [root.resolve() for root in roots] else []
    return Workspace((*roots, *own, SHIPPED), tuple(single), dict(_number_names(folders)))


def _number_names(found: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Any]]:
    taken = set[str]()
    for name, value in found:
        names = itertools.chain([name], (f"{name} ({number})" for number in itertools.count(2)))
        taken.add(free := next(one for one in names if one not in taken))
        yield free, value


def _look_up(kind: str, name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        some = ", ".join(list(known)[:8]) or "none"
        raise ValueError(f"no {kind} is called {name!r:.60}: {nearest(name, known, f'there is {some}')}")
    return known[name]
