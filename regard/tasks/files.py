"""Files that survive a kill: written whole or not at all, in folders that one process uses at a time."""

import fcntl
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, BinaryIO

LOCK = ".lock"
UNFINISHED = ".unfinished-"  # what the name of a file begins with while it is written

_locked: set[Path] = set()  # folders that this process holds


@contextmanager
def write_atomically(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file that gets its name only when all of it is on the disk; a failure leaves what was there.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with write_atomically(Path(folder) / "a") as file:
    ...         size = file.write(b"whole")
    ...     [path.name for path in Path(folder).iterdir()]
    ['a']
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = unfinished_in(path.parent)
    try:
        with unfinished.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    sync(path.parent)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, would outlive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def unfinished_in(folder: Path) -> Path:
    """A new name for something that is not finished yet."""
    return folder / f"{UNFINISHED}{uuid.uuid4().hex}"


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed process left unfinished; only the process that writes to a folder may call this."""
    for path in folder.glob(f"{UNFINISHED}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder; the system ends the lock with the process, however that ends.

    A missing folder is made, and what a killed process left unfinished in it is removed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = folder.resolve()
    taken = f"{folder} is used by one process at a time, and one is at it; wait for it or stop it"
    if place in _locked:  # asked before the file is opened, because closing it would release our own lock
        raise ValueError(taken)
    with (place / LOCK).open("a") as file:
        if not _try_lock(file):
            time.sleep(0.1)  # `is_locked` of another process takes the lock for a moment
            if not _try_lock(file):
                raise ValueError(taken)
        _locked.add(place)
        try:
            remove_unfinished(place)
            yield
        finally:
            _locked.discard(place)


def is_locked(folder: Path) -> bool:
    """Whether some process holds the folder."""
    place = folder.resolve()
    if place in _locked:
        return True
    if not (place / LOCK).is_file():
        return False
    with (place / LOCK).open("a") as file:
        return not _try_lock(file)


def _try_lock(file: IO[str]) -> bool:
    """Lock by lockf: loader processes would inherit a flock and hold it a moment longer than their parent."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
