"""What form a set of images has: pictures in a folder or a tar, CIFAR's batches, MNIST's IDX files, or the Hub's.

A tar is read as a stream and never unpacked to the disk. Everything that is wrong with a set is told in one error.
"""

import gzip
import hashlib
import io
import lzma
import math
import re
import struct
import tarfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from regard.checks import MissingExtra

PICTURES = (".jpg", ".jpeg", ".png")
SHOWN = 5  # problems that an error lists
DEEPEST = 6  # nested folders, so that a link to a folder above comes to an end
BLOCK = 512  # bytes of a block of a tar
SPLITS = ("train", "test", "val", "valid", "validation")
OTHER_PICTURES = (".bmp", ".gif", ".tif", ".tiff", ".webp")
MOST_PICTURE = 2**27  # bytes of one file
CIFAR = re.compile(r"(?:data_batch_(\d+)|(test)_batch|(train|test))\.bin")
CIFAR_SIDE = 32
IDX = re.compile(r"(train|t10k)-(images|labels)[-.]idx([13])-ubyte(?:\.gz)?")
IDX_MAGIC = {"images": 2051, "labels": 2049}
PICKLE = re.compile(r"data_batch_\d+|test_batch|batches\.meta|train|test|meta|.*\.(?:pkl|pickle)")
# What Pillow's readers of JPEG and PNG raise for files that are neither.
PILLOW_ERRORS = (OSError, SyntaxError, EOFError, ValueError, RuntimeError, struct.error, zlib.error)


def raise_problems(what: object, problems: Sequence[str]) -> None:
    """Raise one error for all problems, if there are any."""
    if not problems:
        return
    lines = [*problems[:SHOWN], *([f"… and {len(problems) - SHOWN} more"] if len(problems) > SHOWN else [])]
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    raise ValueError(f"images must be whole and readable: got {count} in {what}:\n  " + "\n  ".join(lines))


class TooLarge(ValueError):  # noqa: N818 - named by what came
    """More bytes than the caller allows."""


def check_bytes(what: str, count: int, most: int) -> None:
    if count > most:
        raise TooLarge(
            f"{what} must be at most most_bytes={most:,}: got {count:,}; raise most_bytes if you trust the source"
        )


@dataclass(frozen=True)
class Listing:
    """The size of each file in bytes by its name, and what is wrong with the names."""

    sizes: Mapping[str, int]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Folder:
    """The files below a folder, hidden ones left out."""

    path: Path

    def listing(self) -> Listing:
        return Listing({name: path.stat().st_size for name, path in self._files()})

    def contents(self, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """The bytes of each of these files."""
        for name in sorted(names):
            yield name, (self.path / name).read_bytes()

    def stamp(self) -> str:
        """A text that changes with the names, the sizes or the times of the files."""
        return _stamp(self._files())

    def _files(self) -> list[tuple[str, Path]]:
        found: list[tuple[str, Path]] = []
        folders = [(self.path, 0)]
        for folder, depth in folders:  # grows
            for path in folder.iterdir():
                if path.name.startswith("."):
                    continue
                if path.is_file():
                    found.append((path.relative_to(self.path).as_posix(), path))
                elif path.is_dir() and depth < DEEPEST:
                    folders.append((path, depth + 1))
        return sorted(found)


@dataclass(frozen=True)
class Tar:
    """The plain files of a tar, compressed or not, of which at most `most_bytes` are ever unpacked."""

    path: Path
    most_bytes: int

    def listing(self) -> Listing:
        sizes: dict[str, int] = {}
        problems = []
        for member, name, _ in self._members():
            if ".." in name.split("/") or member.name.startswith("/"):
                problems.append(f"{member.name!r} leads outside of the archive")
            elif member.isdir() or name.startswith(".") or "/." in name:
                continue
            elif not member.isreg() or member.issparse():  # a link that is named like a picture may be meant as one
                if name.lower().endswith(PICTURES):
                    problems.append(f"{member.name!r} must be a plain file, and is a link or a device")
            elif name in sizes:
                problems.append(f"{member.name!r} is there twice")
            else:
                sizes[name] = member.size
        return Listing(sizes, tuple(problems))

    def contents(self, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """The bytes of each of these files, in the order of the archive."""
        for _, name, content in self._members(names):
            if content is not None:
                yield name, content

    def stamp(self) -> str:
        """A text that changes with the size or the time of the archive."""
        return _stamp([("", self.path)])

    def _members(self, names: Collection[str] = ()) -> Iterator[tuple[tarfile.TarInfo, str, bytes | None]]:
        wanted = set(names)
        try:
            with _open_stream(self.path) as stream:
                forward = _Forward(stream, f"the bytes that {self.path} unpacks to", self.most_bytes)
                with tarfile.open(fileobj=forward, mode="r:") as tar:  # pyright: ignore[reportArgumentType, reportCallIssue]
                    while (member := tar.next()) is not None:
                        tar.members.clear()  # they are not needed again, and there may be millions
                        name = "/".join([part for part in member.name.split("/") if part not in ("", ".")])
                        content = None
                        if name in wanted and member.isreg() and not member.issparse():
                            content = forward.read(member.size)
                            if len(content) < member.size:
                                raise EOFError(f"{name!r} has {len(content):,} of its {member.size:,} bytes")
                        yield member, name, content
                        if content is not None:
                            wanted.remove(name)
                            if not wanted:
                                return  # the listing has already checked the rest
                # tarfile takes a broken or missing header for the end of the archive.
                if forward.last != bytes(BLOCK):
                    raise EOFError(f"after {forward.at:,} bytes there is neither a file nor the end mark")
                while forward.read(2**16):  # checksums stand at the end of a compressed stream
                    pass
        except TooLarge:
            raise
        except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError, ValueError) as error:
            raise ValueError(
                f"a tar must be whole: got {self.path}, which is truncated or damaged ({error}); fetch it again"
            ) from error


class _Forward:
    """A stream for tarfile that never seeks back, remembers what it read last, and stops at a limit."""

    def __init__(self, stream: Any, what: str, most: int) -> None:
        self.stream, self.what, self.most = stream, what, most
        self.at, self.last = 0, b""

    def tell(self) -> int:
        return self.at

    def read(self, size: int) -> bytes:
        # A header may claim any size: one byte beyond the limit is enough to know.
        self.last = self.stream.read(min(size, self.most - self.at + 1))
        self.at += len(self.last)
        check_bytes(self.what, self.at, self.most)
        return self.last

    def seek(self, to: int) -> None:
        while self.at < to and self.read(min(2**20, to - self.at)):
            pass


def is_tar(path: Path) -> bool:
    """Whether a file begins like a tar, or like something compressed."""
    with path.open("rb") as file:
        start = file.read(BLOCK)
    return start.startswith((b"\x1f\x8b", b"\xfd7zXZ\x00")) or start[257:262] == b"ustar"


def _open_stream(path: Path) -> Any:
    with path.open("rb") as file:
        start = file.read(6)
    if start.startswith(b"\x1f\x8b"):
        return gzip.open(path)
    return lzma.open(path) if start == b"\xfd7zXZ\x00" else path.open("rb")


def _stamp(files: Sequence[tuple[str, Path]]) -> str:
    digest = hashlib.sha256()
    for name, path in files:
        facts = path.stat()
        digest.update(f"{name!r} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


Files = Folder | Tar


class Item(NamedTuple):
    """One image: its number and class, a name for errors, and a file's bytes or pixels (C, h, w)."""

    number: int
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
    """Find the splits of a set, each to be opened by a call; an error says why there is none."""
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
        return _find_cifar(files, listing, {base: names[0] for base, names in cifar.items()})
    if idx:
        return _find_idx(files, {base: names[0] for base, names in idx.items()}, most_bytes)
    if found or listing.problems:
        return _find_pictures(files, listing, pictures, others)
    if pickles := sorted(base for base in by_name if PICKLE.fullmatch(base)):
        raise ValueError(
            f"images must not be pickles, which run code when they are read: got {pickles[0]} in {files.path}; "
            "use the binary version of CIFAR, or pictures in a folder per class"
        )
    raise ValueError(
        f"{files.path} must hold JPEG or PNG in a folder per class, or in train/ and test/ folders of such, CIFAR's "
        f"data_batch_1.bin…, or MNIST's train-images-idx3-ubyte…: got {len(listing.sizes)} other files"
    )


def _find_pictures(files: Files, listing: Listing, pictures: Sequence[str], others: Sequence[str]) -> Splits:
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
    raise_problems(files.path, problems)
    classes = tuple(sorted({parts[-2] for parts in paths.values()}))
    label = {name: number for number, name in enumerate(classes)}

    def stream(chosen: str | None) -> Stream:
        names = sorted((parts, name) for name, parts in paths.items() if chosen is None or parts[0] == chosen)
        place = {name: (index, label[parts[-2]]) for index, (parts, name) in enumerate(names)}
        items = (Item(*place[name], name, content) for name, content in files.contents(place))
        return Stream(len(place), classes, items)

    # Default arguments bind each split now.
    return {part: lambda part=part: stream(part) for part in (sorted(heads) if split else [None])}


def _find_cifar(files: Files, listing: Listing, names: Mapping[str, str]) -> Splits:
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
    raise_problems(files.path, problems)

    def stream(batches: Mapping[int, str]) -> Stream:
        counts = {name: listing.sizes[name] // record for _, name in sorted(batches.items())}
        return Stream(sum(counts.values()), _read_cifar_classes(files, listing, num_classes), items(counts))

    def items(counts: Mapping[str, int]) -> Iterator[Item]:
        starts = dict(zip(counts, np.cumsum([0, *counts.values()]).tolist(), strict=False))
        for name, content in files.contents(counts):
            rows = np.frombuffer(content, np.uint8).reshape(-1, record)
            for i, row in enumerate(rows):
                pixels = row[ahead:].reshape(3, CIFAR_SIDE, CIFAR_SIDE)
                yield Item(starts[name] + i, int(row[ahead - 1]), f"{name}, record {i}", pixels)

    return {part: lambda batches=batches: stream(batches) for part, batches in parts.items() if batches}


def _read_cifar_classes(files: Files, listing: Listing, count: int) -> tuple[str, ...]:
    """The class names that come with the batches, or numbers."""
    base = "fine_label_names.txt" if count == 100 else "batches.meta.txt"
    for name in listing.sizes:
        if PurePosixPath(name).name == base:
            ((_, text),) = files.contents([name])
            words = tuple(text.decode("utf-8", "replace").split())
            if len(words) != count:
                raise_problems(files.path, [f"{name!r} must name {count} classes, and names {len(words)}"])
            return words
    return tuple(map(str, range(count)))


def _find_idx(files: Files, names: Mapping[str, str], most_bytes: int) -> Splits:
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
    raise_problems(files.path, problems)

    def stream(pair: Mapping[str, str]) -> Stream:
        kinds, problems, arrays = {name: kind for kind, name in pair.items()}, [], {}
        for name, content in files.contents(kinds):
            try:
                arrays[kinds[name]] = _read_idx(content, name, IDX_MAGIC[kinds[name]], most_bytes)
            except (zlib.error, EOFError, OSError, struct.error) as error:
                problems.append(f"{name!r} must be a whole IDX file: {error}")
            except IdxError as error:
                problems.append(f"{name!r} {error}")
        raise_problems(files.path, problems)
        images, labels = arrays["images"], arrays["labels"]
        if len(images) != len(labels):
            raise_problems(files.path, [f"{pair['images']!r} has {len(images)} images for {len(labels)} labels"])
        if not images.size:
            shape = " × ".join(map(str, images.shape))
            raise_problems(files.path, [f"{pair['images']!r} must have pixels, and is {shape}"])
        classes = tuple(map(str, range(max(10, int(labels.max()) + 1))))
        items = (
            Item(i, int(label), f"{pair['images']}, image {i}", image[None])
            for i, (image, label) in enumerate(zip(images, labels, strict=True))
        )
        return Stream(len(labels), classes, items)

    return {part: lambda pair=pair: stream(pair) for part, pair in parts.items()}


class IdxError(Exception):
    """What is wrong with an IDX file."""


def _read_idx(content: bytes, name: str, magic: int, most_bytes: int) -> np.ndarray:
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


def open_hub_set(name: str, split: str, datasets: Any) -> tuple[Stream, str]:
    """The images of a data set on the Hub, and a text that changes with it."""
    data = datasets.load_dataset(name, split=split)
    images = [column for column, kind in data.features.items() if isinstance(kind, datasets.Image)]
    labels = [column for column, kind in data.features.items() if isinstance(kind, datasets.ClassLabel)]
    if not images or not labels:
        raise ValueError(f"hf:{name} must have a column of images and one of classes: got {sorted(data.features)}")
    label = next((column for column in ("label", "fine_label") if column in labels), labels[0])
    classes = tuple(data.features[label].names)
    rows = data.cast_column(images[0], datasets.Image(decode=False))  # our own decoder limits sizes

    def items() -> Iterator[Item]:
        for i, row in enumerate(rows):
            picture = row[images[0]]
            content = picture["bytes"]
            if content is None:
                with open(picture["path"], "rb") as file:
                    content = file.read()
            yield Item(i, int(row[label]), f"{split}, image {i}", content)

    return Stream(len(rows), classes, items()), str(data._fingerprint)


class Unreadable(ValueError):  # noqa: N818 - named by what it says of a picture
    """A picture that cannot be decoded, or had better not be, or is not of the size of the others."""


def decode_picture(content: bytes | np.ndarray, size: tuple[int, int] | None) -> np.ndarray:
    """Decode a file's bytes to pixels (1 | 3, h, w); for a `size`, the middle is cut out and scaled."""
    if isinstance(content, np.ndarray) and size in (None, content.shape[1:]):
        return content
    try:
        from PIL import Image, ImageOps
    except ImportError as error:
        raise MissingExtra("pictures", "Pillow", "train") from error
    if isinstance(content, np.ndarray):
        image = Image.fromarray(content[0] if len(content) == 1 else content.transpose(1, 2, 0).copy())
    else:
        try:
            image = open_picture(content)
        except Image.UnidentifiedImageError:
            raise Unreadable(f"it must be JPEG or PNG, and its {len(content):,} bytes are neither") from None
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
            raise Unreadable(f"it must have a plausible size: {error}") from error
        except PILLOW_ERRORS as error:
            raise Unreadable(f"it must be a whole picture: {error}") from error
    if size is not None and image.size != (size[1], size[0]):
        image = ImageOps.fit(image, (size[1], size[0]), Image.Resampling.BILINEAR)
    values = np.asarray(image)
    return values[None] if values.ndim == 2 else values.transpose(2, 0, 1)


def open_picture(content: bytes, formats: tuple[str, ...] = ("JPEG", "PNG"), most_pixels: int | None = None) -> Any:
    """The picture in mode L or RGB, upright; its header is read before anything is decoded."""
    from PIL import Image, ImageOps

    image = Image.open(io.BytesIO(content), formats=formats)
    if most_pixels is not None and image.width * image.height > most_pixels:
        raise ValueError(f"it has {image.width} × {image.height} pixels, of at most {most_pixels:,} in all")
    image = ImageOps.exif_transpose(image)
    if image.mode.startswith("I"):  # 16 bits, which Pillow would clip at 255
        return Image.fromarray((np.asarray(image) // 256).astype(np.uint8))
    if image.mode in ("1", "L", "LA"):
        return image.convert("L")
    # Pillow warns where a palette with transparency is converted to RGB directly.
    return (image.convert("RGBA") if "transparency" in image.info else image).convert("RGB")
