"""Where decoded images go: into memory, or into one file that is mapped into memory ever after.

The file is three arrays of numpy's one behind the other: images, labels, and the facts as the bytes of JSON. It is
written under another name and renamed when it is whole.
"""

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from regard.tasks.image_files import check_bytes

FORM = "images of regard, version 1"


class Differs(ValueError):  # noqa: N818 - named by what it says of an image
    """An image that is not of the size of the others."""


@dataclass(frozen=True)
class Cached:
    """What a cache holds."""

    images: np.ndarray
    labels: np.ndarray
    facts: dict[str, Any]


class Canvas:
    """`count` images of one size, bytes (C, h, w), grey until a coloured one comes."""

    def __init__(self, count: int, most_bytes: int, file: BinaryIO | None) -> None:
        self.count, self.most_bytes, self.file = count, most_bytes, file
        self.shape: tuple[int, int, int] | None = None
        self.first = ""  # the name of the image that gave the size
        self.images: Any = None

    def put(self, index: int, pixels: np.ndarray, name: str) -> None:
        """Keep an image of bytes (1 | 3, h, w)."""
        channels, height, width = pixels.shape
        if self.shape is None:
            self.first, self.shape = name, (channels, height, width)
            self.images = self._empty()
        if (height, width) != self.shape[1:]:
            raise Differs(
                f"it is {height} × {width} pixels where {self.first!r} is {self.shape[1]} × {self.shape[2]}; "
                "use side to bring all to one size"
            )
        if channels > self.shape[0]:
            grey, self.shape = self.images, (channels, height, width)
            self.images = self._empty()
            for i in reversed(range(self.count)):  # from the end, as on a disk they grow in their place
                self.images[i] = np.broadcast_to(grey[i], self.shape)
        self.images[index] = np.broadcast_to(pixels, self.shape)

    def _empty(self) -> Any:
        assert self.shape is not None
        shape = (self.count, *self.shape)
        check_bytes(f"the bytes of {' × '.join(map(str, shape))} images", math.prod(shape), self.most_bytes)
        return np.zeros(shape, np.uint8) if self.file is None else _OnDisk(self.file, shape)


class _OnDisk:
    """An array in a file, written image by image; by calls and not by a map, for which a full disk is a crash."""

    def __init__(self, file: BinaryIO, shape: tuple[int, ...]) -> None:
        self.file, self.shape, self.size = file, shape[1:], math.prod(shape[1:])
        file.seek(0)
        npy.write_array_header_1_0(file, {"descr": "|u1", "fortran_order": False, "shape": shape})
        self.start = file.tell()
        file.truncate(self.start + shape[0] * self.size)

    def __setitem__(self, index: int, pixels: np.ndarray) -> None:
        self.file.seek(self.start + index * self.size)
        self.file.write(pixels.tobytes())

    def __getitem__(self, index: int) -> np.ndarray:
        self.file.seek(self.start + index * self.size)
        return np.frombuffer(self.file.read(self.size), np.uint8).reshape(self.shape)


def read(path: Path) -> Cached:
    """What was written, its images mapped; changes that are made to them in memory never reach the file."""
    try:
        images = np.load(path, mmap_mode="c", allow_pickle=False)
        with path.open("rb") as file:
            file.seek(images.offset + images.nbytes)
            labels = np.load(file, allow_pickle=False)
            facts = json.loads(np.load(file, allow_pickle=False).tobytes())
        if facts["form"] != FORM:
            raise ValueError(f"its form is {facts['form']!r}")
    except (ValueError, EOFError, AttributeError, KeyError, TypeError) as error:
        raise ValueError(
            f"cache must be a file that image_set wrote, or not be there: got {path} ({error}); "
            "remove it or use another name"
        ) from error
    return Cached(images, labels, facts)


def finish(file: BinaryIO, labels: np.ndarray, facts: dict[str, Any]) -> None:
    """Put what else there is behind the images."""
    file.seek(0, os.SEEK_END)
    np.save(file, labels)
    np.save(file, np.frombuffer(json.dumps({"form": FORM, **facts}).encode(), np.uint8))
