"""Files that are there whole or not at all."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write that has its name only when all is on the disk; a failure leaves what was there.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder) / "a") as file:
    ...         size = file.write(b"whole")
    ...     [path.name for path in Path(folder).iterdir()]
    ['a']
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".unfinished-{uuid.uuid4().hex}")
    try:
        with unfinished.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    to_disk(path.parent)


def to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, would outlive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
