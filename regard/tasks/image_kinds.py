"""What a folder or a tar of images is: pictures in a folder per class, CIFAR's binary batches, or MNIST's IDX files."""

import gzip
import io
import math
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from regard.tasks.image_files import PICTURES, Folder, Listing, Tar, check_bytes, complain

SPLITS = ("train", "test", "val", "valid", "validation")
OTHER_PICTURES = (".bmp", ".gif", ".tif", ".tiff", ".webp")
MOST_PICTURE = 2**27  # bytes of one file
CIFAR = re.compile(r"(?:data_batch_(\d+)|(test)_batch|(train|test))\.bin")
CIFAR_SIDE = 32
IDX = re.compile(r"(train|t10k)-(images|labels)[-.]idx([13])-ubyte(?:\.gz)?")
IDX_MAGIC = {"images": 2051, "labels": 2049}
PICKLE = re.compile(r"data_batch_\d+|test_batch|batches\.meta|train|test|meta|.*\.(?:pkl|pickle)")

Files = Folder | Tar


class Item(NamedTuple):
    """One image: its place and class, a name for errors, and a file's bytes or pixels (C, h, w)."""

    place: int
    label: int
    name: str
    content: bytes | np.ndarray


class Stream(NamedTuple):
    """The images of a split, in any order."""

    num_images: int
    classes: tuple[str, ...]
    items: Iterator[Item]


Splits = Mapping[str | None, Callable[[], Stream]]  # None: a set without splits


def recognise(files: Files, listing: Listing, most_bytes: int) -> Splits:
    """The splits of what lies there, each to be opened; an error says why there is none."""
    by_name: dict[str, list[str]] = {}
    for name in listing.sizes:
        by_name.setdefault(PurePosixPath(name).name, []).append(name)
    pictures = [name for name in listing.sizes if name.lower().endswith(PICTURES)]
    others = [name for name in listing.sizes if name.lower().endswith(OTHER_PICTURES)]
    cifar = {base: names for base, names in by_name.items() if CIFAR.fullmatch(base)}
    idx = {base: names for base, names in by_name.items() if IDX.fullmatch(base)}
    kinds = {"pictures": pictures or others, "CIFAR's binary batches": cifar, "IDX files": idx}
    found = [kind for kind, there in kinds.items() if there]
    if len(found) > 1:
        raise ValueError(
            f"{files.path} must hold one set of images: got {' and '.join(found)}; give one folder of them"
        )
    for base, names in (*cifar.items(), *idx.items()):
        if len(names) > 1:
            raise ValueError(f"{files.path} must hold one set: got {base} in {len(names)} folders; give one of them")
    if cifar:
        return _cifar(files, listing, {base: names[0] for base, names in cifar.items()})
    if idx:
        return _idx(files, {base: names[0] for base, names in idx.items()}, most_bytes)
    if found or listing.problems:
        return _pictures(files, listing, pictures, others)
    if pickles := sorted(base for base in by_name if PICKLE.fullmatch(base)):
        raise ValueError(
            f"images must not be pickles, which run code when they are read: got {pickles[0]} in {files.path}; "
            "use the binary version of CIFAR, or pictures in a folder per class"
        )
    raise ValueError(
        f"{files.path} must hold JPEG or PNG in a folder per class, or in train/ and test/ folders of such, CIFAR's "
        f"data_batch_1.bin…, or MNIST's train-images-idx3-ubyte…: got {len(listing.sizes)} other files"
    )


def _pictures(files: Files, listing: Listing, pictures: Sequence[str], others: Sequence[str]) -> Splits:
    """`class/name` or `split/class/name`, below any folders that hold all the rest."""
    problems = [*listing.problems, *[f"{name!r} must be JPEG or PNG; convert it" for name in others]]
    paths = {name: name.split("/") for name in pictures}
    while len(heads := {parts[0] for parts in paths.values()}) == 1 and heads.isdisjoint(SPLITS):
        if min(map(len, paths.values())) < 3:
            break
        paths = {name: parts[1:] for name, parts in paths.items()}
    split = bool(heads) and heads.issubset(SPLITS) and all(len(parts) == 3 for parts in paths.values())
    for name, parts in paths.items():
        if len(parts) != (3 if split else 2):
            problems.append(
                f"{name!r} must lie in a folder per class, or in one of a split: class/name or train/class/name"
            )
        if listing.sizes[name] > MOST_PICTURE:
            problems.append(f"{name!r} must have at most {MOST_PICTURE:,} bytes, and has {listing.sizes[name]:,}")
    complain(files.path, problems)
    classes = tuple(sorted({parts[-2] for parts in paths.values()}))
    label = {name: number for number, name in enumerate(classes)}

    def stream(chosen: str | None) -> Stream:
        names = sorted((parts, name) for name, parts in paths.items() if chosen is None or parts[0] == chosen)
        place = {name: (index, label[parts[-2]]) for index, (parts, name) in enumerate(names)}
        items = (Item(*place[name], name, content) for name, content in files.contents(place))
        return Stream(len(place), classes, items)

    # Default arguments bind each split now.
    return {part: lambda part=part: stream(part) for part in (sorted(heads) if split else [None])}


def _cifar(files: Files, listing: Listing, names: Mapping[str, str]) -> Splits:
    """Records of a label (CIFAR-10) or a coarse and a fine one (CIFAR-100: the fine one is taken), and 3 × 32 × 32."""
    hundred = not any("batch" in base for base in names)
    ahead, num_classes = (2, 100) if hundred else (1, 10)
    record = ahead + 3 * CIFAR_SIDE**2
    problems, parts = list(listing.problems), {"train": {}, "test": {}}
    for base, name in names.items():
        match = CIFAR.fullmatch(base)
        assert match is not None
        number, size = match[1], listing.sizes[name]
        if not size or size % record:
            problems.append(f"{name!r} must be records of {record} bytes, one or more, and has {size:,} bytes")
        parts["train" if number else match[2] or match[3]][int(number or 1)] = name
    if missing := set(range(1, max(parts["train"], default=0) + 1)) - set(parts["train"]):
        problems.append(f"data_batch_{min(missing)}.bin must be there, as data_batch_{max(parts['train'])}.bin is")
    complain(files.path, problems)

    def stream(batches: Mapping[int, str]) -> Stream:
        counts = {name: listing.sizes[name] // record for _, name in sorted(batches.items())}
        return Stream(sum(counts.values()), _cifar_classes(files, listing, num_classes), items(counts))

    def items(counts: Mapping[str, int]) -> Iterator[Item]:
        starts = dict(zip(counts, np.cumsum([0, *counts.values()]).tolist(), strict=False))
        for name, content in files.contents(counts):
            rows = np.frombuffer(content, np.uint8).reshape(-1, record)
            for i, row in enumerate(rows):
                pixels = row[ahead:].reshape(3, CIFAR_SIDE, CIFAR_SIDE)
                yield Item(starts[name] + i, int(row[ahead - 1]), f"{name}, record {i}", pixels)

    return {part: lambda batches=batches: stream(batches) for part, batches in parts.items() if batches}


def _cifar_classes(files: Files, listing: Listing, count: int) -> tuple[str, ...]:
    """The names that come with the batches, or numbers."""
    base = "fine_label_names.txt" if count == 100 else "batches.meta.txt"
    for name in listing.sizes:
        if PurePosixPath(name).name == base:
            ((_, text),) = files.contents([name])
            words = tuple(text.decode("utf-8", "replace").split())
            if len(words) != count:
                complain(files.path, [f"{name!r} must name {count} classes, and names {len(words)}"])
            return words
    return tuple(map(str, range(count)))


def _idx(files: Files, names: Mapping[str, str], most_bytes: int) -> Splits:
    """Pairs of images and labels; MNIST's `t10k` is the test split."""
    parts: dict[str, dict[str, str]] = {}
    for base in sorted(names, reverse=True):  # of a file and its .gz, the file
        match = IDX.fullmatch(base)
        assert match is not None
        parts.setdefault("train" if match[1] == "train" else "test", {})[match[2]] = names[base]
    problems = [
        f"{next(iter(pair.values()))!r} must have its {kind} beside it"
        for pair in parts.values()
        for kind in sorted(IDX_MAGIC.keys() - pair.keys())
    ]
    complain(files.path, problems)

    def stream(pair: Mapping[str, str]) -> Stream:
        kinds, problems, arrays = {name: kind for kind, name in pair.items()}, [], {}
        for name, content in files.contents(kinds):
            try:
                arrays[kinds[name]] = _idx_array(content, name, IDX_MAGIC[kinds[name]], most_bytes)
            except (zlib.error, EOFError, OSError, struct.error) as error:
                problems.append(f"{name!r} must be a whole IDX file: {error}")
            except IdxError as error:
                problems.append(f"{name!r} {error}")
        complain(files.path, problems)
        images, labels = arrays["images"], arrays["labels"]
        if len(images) != len(labels):
            complain(files.path, [f"{pair['images']!r} has {len(images)} images for {len(labels)} labels"])
        if not images.size:
            complain(files.path, [f"{pair['images']!r} must have pixels, and is {' × '.join(map(str, images.shape))}"])
        classes = tuple(map(str, range(max(10, int(labels.max()) + 1))))
        items = (
            Item(i, int(label), f"{pair['images']}, image {i}", image[None])
            for i, (image, label) in enumerate(zip(images, labels, strict=True))
        )
        return Stream(len(labels), classes, items)

    return {part: lambda pair=pair: stream(pair) for part, pair in parts.items()}


class IdxError(Exception):
    """What is wrong with an IDX file."""


def _idx_array(content: bytes, name: str, magic: int, most_bytes: int) -> np.ndarray:
    """A header of big-endian numbers, the magic one and the sizes, then a byte for each value."""
    file: Any = gzip.GzipFile(fileobj=io.BytesIO(content)) if name.endswith(".gz") else io.BytesIO(content)
    rank = magic % 256
    (came,) = struct.unpack(">i", file.read(4))
    if came != magic:
        raise IdxError(f"must begin with the magic number {magic}, and begins with {came}")
    shape = struct.unpack(f">{rank}I", file.read(4 * rank))
    expected = math.prod(shape)
    check_bytes(f"the bytes of {name}", expected, most_bytes)
    values = file.read(expected + 1)
    if len(values) != expected:
        there = f"{len(values):,}" if len(values) < expected else "more"
        raise IdxError(f"must have {' × '.join(map(str, shape))} = {expected:,} values, and has {there}")
    return np.frombuffer(values, np.uint8).reshape(shape)


def from_hub(name: str, split: str, datasets: Any) -> tuple[Stream, str]:
    """The images of a data set of Hugging Face's, and a text that changes with it."""
    data = datasets.load_dataset(name, split=split)
    images = [column for column, kind in data.features.items() if isinstance(kind, datasets.Image)]
    labels = [column for column, kind in data.features.items() if isinstance(kind, datasets.ClassLabel)]
    if not images or not labels:
        raise ValueError(f"hf:{name} must have a column of images and one of classes: got {sorted(data.features)}")
    label = next((column for column in ("label", "fine_label") if column in labels), labels[0])
    classes = tuple(data.features[label].names)
    rows = data.cast_column(images[0], datasets.Image(decode=False))  # our own decoding has our limits

    def items() -> Iterator[Item]:
        for i, row in enumerate(rows):
            picture = row[images[0]]
            content = picture["bytes"]
            if content is None:
                with open(picture["path"], "rb") as file:
                    content = file.read()
            yield Item(i, int(row[label]), f"{split}, image {i}", content)

    return Stream(len(rows), classes, items()), str(data._fingerprint)
