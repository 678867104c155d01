"""Sets of real images as tensors: read from a folder, a tar or the Hub, decoded once, and given out in batches."""

import importlib
import json
import math
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import torch
from jaxtyping import Float, Int, Shaped, UInt8
from numpy.lib import format as npy
from torch import Tensor
from torch.nn.functional import pad as pad_image

from regard.checks import MissingExtra, check_whole, nearest
from regard.tasks.files import write_atomically
from regard.tasks.image_formats import (
    Folder,
    Stream,
    Tar,
    Unreadable,
    check_bytes,
    decode_picture,
    is_tar,
    open_hub_set,
    raise_problems,
    recognise,
)

HUB = "hf:"
MOST_BYTES = 2**34
CACHE_FORM = "images of regard, version 1"


@dataclass(frozen=True, eq=False)
class ImageSet:
    """Images as bytes, the class of each, and mean and standard deviation of each channel, from 0 to 1.

    >>> four = ImageSet(
    ...     torch.tensor([0, 255, 0, 255], dtype=torch.uint8).view(4, 1, 1, 1), torch.arange(4) % 2, ("a", "b")
    ... )
    >>> four.mean, four.std, four.batch([1, 2])[0].flatten().tolist()
    ((0.5,), (0.5,), [1.0, -1.0])
    """

    images: UInt8[Tensor, "N C h w"]
    labels: Int[Tensor, " N"]
    classes: tuple[str, ...]
    mean: tuple[float, ...] = ()  # (): computed from the images
    std: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.images.dtype != torch.uint8 or self.images.ndim != 4 or not self.images.numel():
            raise ValueError(
                f"images must be uint8 (N, C, h, w), one or more: got {self.images.dtype} {tuple(self.images.shape)}"
            )
        if self.labels.dtype != torch.int64 or self.labels.shape != self.images.shape[:1]:
            raise ValueError(
                f"labels must be int64, one for each of {len(self.images)} images: "
                f"got {self.labels.dtype} {tuple(self.labels.shape)}"
            )
        low, high = int(self.labels.min()), int(self.labels.max())
        if low < 0 or high >= len(self.classes):
            raise ValueError(
                f"labels must be from 0 to {len(self.classes) - 1}, as classes are named: got {low} to {high}"
            )
        if not self.mean and not self.std:
            mean, std = _statistics(self.images)
            object.__setattr__(self, "mean", mean)
            object.__setattr__(self, "std", std)
        if not len(self.mean) == len(self.std) == self.images.shape[1] or min(self.std) <= 0:
            raise ValueError(
                f"mean and std must be given for each of {self.images.shape[1]} channels, std above 0: "
                f"got mean={self.mean}, std={self.std}"
            )

    def __len__(self) -> int:
        return len(self.labels)

    def normalised_as(self, other: "ImageSet") -> "ImageSet":
        """The same with the mean and deviation of another set: a test set is normalised as its training set."""
        return replace(self, mean=other.mean, std=other.std)

    def to(self, device: torch.device | str) -> "ImageSet":
        """The set on a device, from which batches then come."""
        return replace(self, images=self.images.to(device), labels=self.labels.to(device))

    def part(self, share: float, seed: int = 0) -> "ImageSet":
        """A share of every class, of one image or more, normalised as the whole.

        The seed says which: of two shares of one seed, the smaller is part of the larger.
        """
        check_share("share", share)
        if share == 1:
            return self
        order = torch.randperm(len(self), generator=torch.Generator().manual_seed(seed))
        labels = self.labels.cpu()[order]
        own = [order[labels == label] for label in labels.unique()]
        chosen = torch.cat([images[: max(1, round(share * len(images)))] for images in own]).sort().values
        chosen = chosen.to(self.labels.device)
        return replace(self, images=self.images[chosen], labels=self.labels[chosen])

    def batch(
        self,
        indices: Int[Tensor, " B"] | Sequence[int],
        device: torch.device | str | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> tuple[Float[Tensor, "B C h w"], Int[Tensor, " B"]]:
        """Images (x/255 − mean) / std of each channel, and their classes; `device` is by default where the set is."""
        if not dtype.is_floating_point:
            raise ValueError(f"dtype must be of floating-point numbers: got dtype={dtype}")
        chosen = torch.as_tensor(indices, device=self.images.device)
        images, labels = self.images[chosen], self.labels[chosen]
        if device is not None:
            images, labels = images.to(device), labels.to(device)  # as bytes, a quarter of what floats would take
        precise = torch.promote_types(dtype, torch.float32)
        mean, std = (
            (255 * torch.tensor(values, dtype=precise).view(-1, 1, 1)).to(images.device, non_blocking=True)
            for values in (self.mean, self.std)
        )
        return ((images.to(precise) - mean) / std).to(dtype), labels


def check_share(name: str, share: float) -> None:
    """Raise unless this is a share above 0, up to all."""
    if not 0 < share <= 1:
        raise ValueError(f"{name} must be a share above 0, up to 1: got {name}={share}; use 0.1 for a tenth")


def draw_moves(count: int, generator: torch.Generator, *, pad: int, flip: bool) -> Int[Tensor, "count 3"]:
    """Random moves of so many images: down and right, from 0 to 2·pad, and 1 for half of them, which are mirrored."""
    check_whole("pad", pad, 0)
    where = {"generator": generator, "device": generator.device}
    move = torch.randint(2 * pad + 1, (count, 2), **where)
    return torch.cat((move, torch.randint(2 if flip else 1, (count, 1), **where)), 1)


def moved(images: Shaped[Tensor, "B C h w"], moves: Int[Tensor, "B 3"], pad: int) -> Shaped[Tensor, "B C h w"]:
    """Images as `draw_moves` moves them.

        y[b, c, i, j] = x[b, c, i + u_b, j' + v_b],  u_b, v_b uniform on −pad…pad,  j' = j or w − 1 − j

    with zeros outside, which is the mean colour of normalised images. One gather does it for the batch on its device.

    >>> moved(torch.arange(1.0, 5).view(1, 1, 2, 2), torch.tensor([[2, 1, 1]]), pad=1).tolist()
    [[[[4.0, 3.0], [0.0, 0.0]]]]
    """
    if images.ndim != 4:
        raise ValueError(f"images must be (B, C, h, w): got {tuple(images.shape)}")
    B, C, h, w = images.shape
    rows, columns = (torch.arange(n, device=images.device) for n in (h, w))
    down, right, mirror = moves[:, :, None].unbind(1)
    rows, columns = rows + down, torch.where(mirror == 1, w - 1 - columns, columns) + right  # (B, h), (B, w)
    places = (rows[:, :, None] * (w + 2 * pad) + columns[:, None]).view(B, 1, h * w)
    framed = pad_image(images, (pad, pad, pad, pad)).flatten(2)
    return framed.gather(2, places.expand(B, C, h * w)).view(B, C, h, w)


def blanked(images: Shaped[Tensor, "B C h w"], places: Int[Tensor, "B 2"], side: int) -> Shaped[Tensor, "B C h w"]:
    """Images with zeros, the mean colour of normalised ones, in a square around a pixel of each.

    DeVries, Taylor, *Improved Regularization of Convolutional Neural Networks with Cutout*, 2017.

    >>> blanked(torch.ones(1, 1, 2, 3), torch.tensor([[0, 2]]), side=2).tolist()
    [[[[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]]]]
    """
    row, column = places[:, :, None].unbind(1)
    away = [torch.arange(n, device=images.device) - at for n, at in zip(images.shape[2:], (row, column), strict=True)]
    rows, columns = [(-(side // 2) <= one) & (one < side - side // 2) for one in away]  # (B, h), (B, w)
    return images.masked_fill((rows[:, :, None] & columns[:, None])[:, None], 0)


def read_images(
    path: Path | str,
    *,
    split: str | None = None,
    side: int | tuple[int, int] | None = None,
    cache: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    most_bytes: int = MOST_BYTES,
) -> ImageSet:
    """Read the images of a folder, a tar or `hf:name`, whose form is recognised.

    A folder per class of JPEG or PNG, `train/` and `test/` (or `val/`) of such, CIFAR's binary batches or MNIST's IDX
    files. Without `split`, the train split where there are splits. `side` (a number, or height and width) cuts from the
    middle of each image what has that form, and scales it. All images become RGB unless all are grey; transparency is
    dropped. `cache` is a file for the decoded images, one for each split and side: it is mapped into memory the next
    time, and written anew when the source has changed in size, name or time. `progress(done, total)` counts images.
    Neither what a tar unpacks to nor the decoded images may have more than `most_bytes`.
    """
    size = side if side is None or isinstance(side, tuple) else (side, side)
    if size is not None and len(size) != 2:
        raise ValueError(f"side must be a number, or height and width: got side={side}")
    for number in size or ():
        check_whole("side", number, 1)
    check_whole("most_bytes", most_bytes, 1)
    open_stream, stamp = _find_source(path, split, most_bytes)
    request = {"split": split, "side": list(size) if size else None}
    if cache is not None and Path(path).resolve() in cache.resolve().parents:  # it would change its own source
        raise ValueError(f"cache must lie outside of the images' folder: got {cache} in {path}; use another folder")
    if cache is not None and cache.exists():
        images, labels, facts = _read_cache(cache)
        if (cached := {key: facts.get(key) for key in request}) != request:
            raise ValueError(
                f"cache must be of the same split and side: got {cache} of {cached} for {request}; use another name"
            )
        if facts.get("stamp") == stamp:
            check_bytes(f"the bytes of the images in {cache}", images.nbytes, most_bytes)
            return ImageSet(images, labels, tuple(facts["classes"]), tuple(facts["mean"]), tuple(facts["std"]))
    stream = open_stream()
    if cache is None:
        buffer = ImageBuffer(stream.num_images, most_bytes, None)
        labels = torch.from_numpy(_decode(stream, buffer, path, size, progress))
        return ImageSet(torch.from_numpy(buffer.images), labels, stream.classes)
    with write_atomically(cache) as file:
        buffer = ImageBuffer(stream.num_images, most_bytes, file)
        labels = _decode(stream, buffer, path, size, progress)
        file.flush()
        drawn = np.memmap(file, np.uint8, "c", buffer.images.start, (stream.num_images, *buffer.images.shape))
        mean, std = _statistics(torch.from_numpy(drawn))
        facts = {**request, "stamp": stamp, "classes": stream.classes, "mean": mean, "std": std}
        file.seek(0, os.SEEK_END)
        np.save(file, labels)
        np.save(file, np.frombuffer(json.dumps({"form": CACHE_FORM, **facts}).encode(), np.uint8))
    return ImageSet(*_read_cache(cache)[:2], stream.classes, mean, std)


def _find_source(path: Path | str, split: str | None, most_bytes: int) -> tuple[Callable[[], Stream], str]:
    """A call that opens the images, and a text that changes with them; a tar is not read before the call."""
    if str(path).startswith(HUB):
        name = str(path).removeprefix(HUB)
        try:
            datasets = importlib.import_module("datasets")
        except ImportError as error:
            raise MissingExtra(str(path), "datasets", None) from error
        stream, stamp = open_hub_set(name, split or "train", datasets)
        return lambda: stream, stamp
    path = Path(path)
    if not path.exists():
        raise ValueError(f"images must be there: got {path}, which is not")
    if path.is_file() and not is_tar(path):
        raise ValueError(
            f"images must be a folder or a tar (.tar, .tar.gz, .tar.xz): got {path}; give the folder it is in"
        )
    files = Folder(path) if path.is_dir() else Tar(path, most_bytes)

    def opened() -> Stream:
        splits = recognise(files, files.listing(), most_bytes)
        there = sorted(part for part in splits if part is not None)
        if not there and split is not None:
            raise ValueError(f"split must be None, as {path} has no splits: got split={split!r}")
        wanted = "train" if there and split is None else split
        if wanted not in splits:
            raise ValueError(f"split must be one that {path} has: got split={split!r}; {nearest(str(wanted), there)}")
        return splits[wanted]()

    return opened, files.stamp()


def _read_cache(path: Path) -> tuple[Tensor, Tensor, dict[str, Any]]:
    """The images, mapped so that changes in memory never reach the file, the labels, and the facts.

    A cache is three arrays of numpy's one behind the other: images, labels, and the facts as the bytes of JSON.
    """
    try:
        images = np.load(path, mmap_mode="c", allow_pickle=False)
        with path.open("rb") as file:
            file.seek(images.offset + images.nbytes)
            labels = np.load(file, allow_pickle=False)
            facts = json.loads(np.load(file, allow_pickle=False).tobytes())
        if facts["form"] != CACHE_FORM:
            raise ValueError(f"its form is {facts['form']!r}")
    except (ValueError, EOFError, AttributeError, KeyError, TypeError) as error:
        raise ValueError(
            f"cache must be a file that read_images wrote, or not be there: got {path} ({error}); "
            "remove it or use another name"
        ) from error
    return torch.from_numpy(images), torch.from_numpy(labels), facts


class ImageBuffer:
    """Collects `count` images of one size as bytes (C, h, w), grey until a coloured one comes."""

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
            raise Unreadable(
                f"it is {height} × {width} pixels where {self.first!r} is {self.shape[1]} × {self.shape[2]}; "
                "use side to bring all to one size"
            )
        if channels > self.shape[0]:
            grey, self.shape = self.images, (channels, height, width)
            self.images = self._empty()
            for i in reversed(range(self.count)):  # from the end, because on a disk they grow in place
                self.images[i] = np.broadcast_to(grey[i], self.shape)
        self.images[index] = np.broadcast_to(pixels, self.shape)

    def _empty(self) -> Any:
        assert self.shape is not None
        shape = (self.count, *self.shape)
        check_bytes(f"the bytes of {' × '.join(map(str, shape))} images", math.prod(shape), self.most_bytes)
        return np.zeros(shape, np.uint8) if self.file is None else _OnDisk(self.file, shape)


class _OnDisk:
    """An array in a file, written image by image with calls, because a full disk kills who writes to a memory map."""

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


def _decode(
    stream: Stream,
    buffer: ImageBuffer,
    source: Path | str,
    size: tuple[int, int] | None,
    progress: Callable[[int, int], None] | None,
) -> np.ndarray:
    """Decode all images into the buffer and give back the labels; one error lists everything that is wrong."""
    labels, problems, done = np.zeros(stream.num_images, np.int64), [], 0
    step = max(1, stream.num_images // 200)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Image size .* exceeds limit")  # up to twice its limit Pillow only warns
        for done, (index, label, name, content) in enumerate(stream.items, 1):
            if not 0 <= label < len(stream.classes):
                problems.append(f"{name!r} must be of one of {len(stream.classes)} classes, and is of class {label}")
            labels[index] = label
            try:
                buffer.put(index, decode_picture(content, size), name)
            except Unreadable as error:
                problems.append(f"{name!r}: {error}")
            if progress and (done % step == 0 or done == stream.num_images):
                progress(done, stream.num_images)
    raise_problems(source, problems)
    if done < stream.num_images:
        raise ValueError(
            f"{source} must not change while it is read: got {done} of {stream.num_images} images; try again"
        )
    return labels


def _statistics(images: UInt8[Tensor, "N C h w"]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and deviation of each channel, from integer sums so that every device agrees; 1 for what never varies."""
    first = second = 0
    for part in images.split(1024):
        values = part.int()
        first, second = first + values.sum((0, 2, 3)), second + (values * values).sum((0, 2, 3))
    assert isinstance(first, Tensor)
    assert isinstance(second, Tensor)
    n = images.numel() // images.shape[1]
    mean = tuple(total / n / 255 for total in first.tolist())
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return mean, tuple(((n * squares - total**2) ** 0.5 / n or 255.0) / 255 for total, squares in pairs)
