"""What may be looked at: the runs and model folders that somebody named, and those that come with the package.

Outside of this file nothing turns a name into a path: a question holds a name, and the shelf has it or not.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.checks import nearest

if TYPE_CHECKING:
    from regard.recipes import Run

SHIPPED = Path(__file__).parent / "shipped"
RUN, MODEL = "run.json", "config.json"


@dataclass(frozen=True)
class Shelf:
    """Folders of runs, looked through anew each time; single runs; folders of models; objects of a notebook."""

    roots: tuple[Path, ...] = (SHIPPED,)
    single: tuple[Path, ...] = ()
    folders: Mapping[str, Path] = field(default_factory=dict)
    objects: Mapping[str, Any] = field(default_factory=dict)

    def runs(self) -> "dict[str, Run]":
        """The runs by their names, those that were named first; a name that comes again gets a number."""
        return self.looked_through()[0]

    def looked_through(self) -> "tuple[dict[str, Run], dict[str, str]]":
        """The runs by their names, and of those that cannot be read, why."""
        from regard.recipes import list_runs, read_run

        found, wrong = list[Any](), dict[str, str]()
        for path in self.single:
            try:
                run = read_run(path)
                _ = run.state
                found.append(run)
            except (ValueError, OSError) as error:
                wrong[path.name] = str(error).replace(f"{path}/", "")
        for root in self.roots:
            own, broken = list_runs(root) if root.is_dir() else ([], {})
            found += own
            wrong |= {name: why.replace(f"{root}/", "") for name, why in broken.items()}
        once: dict[Path, Any] = {}
        for run in found:
            once.setdefault(run.folder.resolve(), run)
        return dict(_named((run.name, run) for run in once.values())), wrong

    def run(self, name: str) -> "Run":
        return _looked_up("run", name, self.runs())

    def folder(self, name: str) -> Path:
        return _looked_up("folder", name, self.folders)


def is_shipped(run: "Run") -> bool:
    """Whether it comes with the package."""
    return run.folder.resolve().is_relative_to(SHIPPED.resolve())


def shelf_of(given: Sequence[Path], runs: Path) -> Shelf:
    """The shelf of what is named on the command line: runs by name or folder, folders of runs, models; and `runs`."""
    roots, single, folders = [], [], list[tuple[str, Path]]()
    for one in given:
        place = one if one.exists() or not (runs / one / RUN).is_file() else runs / one
        if (place / RUN).is_file():
            single.append(place)
        elif (place / MODEL).is_file():
            folders.append((place.resolve().name, place))
        elif any(place.glob(f"*/{RUN}")):
            roots.append(place)
        else:
            raise ValueError(
                f"explore takes runs, folders of runs, and folders of models ({MODEL}, safetensors): got {str(one)!r}, "
                "which is none of these; see regard runs"
            )
    own = [runs] if runs.resolve() not in [root.resolve() for root in roots] else []
    return Shelf((*roots, *own, SHIPPED), tuple(single), dict(_named(folders)))


def _named(found: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Any]]:
    taken = set[str]()
    for name, value in found:
        names = itertools.chain([name], (f"{name} ({number})" for number in itertools.count(2)))
        taken.add(free := next(one for one in names if one not in taken))
        yield free, value


def _looked_up(kind: str, name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        some = ", ".join(list(known)[:8]) or "none"
        raise ValueError(f"no {kind} is called {name!r:.60}: {nearest(name, known, f'there is {some}')}")
    return known[name]
