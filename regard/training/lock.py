"""One process at a time in a folder; the system ends a lock with its process, however that ends."""

import fcntl
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

LOCK = ".lock"
UNFINISHED = ".unfinished-*"  # what files are called while they are written

_held: set[Path] = set()  # folders that this process holds


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder, made where there is none, and remove what a killed process left unfinished in it."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder.resolve()
    taken = f"{folder} is used by one process at a time, and one is at it; wait for it or stop it"
    if place in _held:  # before the file is opened: to close it would give the lock up
        raise ValueError(taken)
    with (place / LOCK).open("a") as file:
        if not _takes(file):
            time.sleep(0.1)  # who asks whether it is held takes it for a moment
            if not _takes(file):
                raise ValueError(taken)
        _held.add(place)
        try:
            sweep(place)
            yield
        finally:
            _held.discard(place)


def is_held(folder: Path) -> bool:
    """Whether some process is at it."""
    place = folder.resolve()
    if place in _held:
        return True
    if not (place / LOCK).is_file():
        return False
    with (place / LOCK).open("a") as file:
        return not _takes(file)


def sweep(folder: Path) -> None:
    """Remove what was left unfinished here; for the one process that writes."""
    for path in folder.glob(UNFINISHED):
        remove(path)


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def _takes(file: IO[str]) -> bool:
    """Not by flock, which a loader's processes would inherit and hold a moment longer than their parent."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
