"""Sets of images: every form read as what it is, everything broken told by its name, and the cache."""

import gzip
import io
import os
import struct
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

from regard.tasks.images import ImageSet, read_images


def picture(value: int, *, mode: str = "RGB", size: tuple[int, int] = (4, 3), kind: str = "PNG") -> bytes:
    """A file of `size` (w, h) whose pixels go up from `value`."""
    grey = Image.fromarray((value + np.arange(size[0] * size[1])).astype(np.uint8).reshape(size[::-1]))
    file = io.BytesIO()
    grey.convert(mode).save(file, kind)
    return file.getvalue()


def pictures(splits: tuple[str, ...] = ("train/", "test/")) -> dict[str, bytes]:
    """Two of each of two classes; the value of the first pixel says which."""
    return {
        f"{split}{name}/{i}.png": picture(100 * s + 20 * c + i)
        for s, split in enumerate(splits)
        for c, name in enumerate(("ant", "bee"))
        for i in range(2)
    }


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def tar(path: Path, files: dict[str, bytes], *extra: tarfile.TarInfo) -> Path:
    """Backwards, so that the order of the archive is not that of the names."""
    with tarfile.open(path, f"w:{path.suffix.removeprefix('.').replace('tar', '')}") as archive:
        for name, content in reversed(files.items()):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for member in extra:
            archive.addfile(member)
    return path


def firsts(data: ImageSet) -> list[int]:
    return data.images[:, 0, 0, 0].tolist()


def test_folders_and_tars_of_pictures_are_the_same_set(tmp_path: Path):
    train = read_images(write(tmp_path / "a", {**pictures(), "README.md": b"?", "train/ant/.hidden.png": b"?"}))
    assert firsts(train) == [0, 1, 20, 21]
    assert (train.classes, train.labels.tolist(), train.labels.dtype) == (("ant", "bee"), [0, 0, 1, 1], torch.int64)
    assert train.images.shape == (4, 3, 3, 4)
    assert train.images[0, 0].flatten().tolist() == list(range(12))
    assert firsts(read_images(tmp_path / "a", split="test")) == [100, 101, 120, 121]
    assert firsts(read_images(write(tmp_path / "flat", pictures(("",))))) == [0, 1, 20, 21]
    # Below another folder, with `./`, hidden files and a pipe, in all compressions.
    below = {f"./set/{name}": content for name, content in pictures().items()} | {"./set/train/ant/._0.png": b"?"}
    pipe = tarfile.TarInfo("set/pipe")
    pipe.type = tarfile.FIFOTYPE
    for end in ("tar", "tar.gz", "tar.xz"):
        data = read_images(tar(tmp_path / f"b.{end}", below, pipe))
        assert torch.equal(data.images, train.images)
        assert torch.equal(data.labels, train.labels)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b.tar", "b.tar.gz", "b.tar.xz", "flat"]


def test_a_class_that_only_the_other_split_has_keeps_its_number(tmp_path: Path):
    folder = write(tmp_path, {"train/a/0.png": picture(0), "train/c/0.png": picture(1), "val/b/0.png": picture(2)})
    assert read_images(folder).labels.tolist() == [0, 2]
    assert read_images(folder, split="val").labels.tolist() == [1]
    with pytest.raises(ValueError, match="got split='vall'; did you mean val"):
        read_images(folder, split="vall")
    with pytest.raises(ValueError, match="has no splits: got split='test'"):
        read_images(folder / "train", split="test")


def test_modes_of_pictures(tmp_path: Path):
    file = io.BytesIO()
    Image.fromarray((256 * np.arange(9, 21, dtype=np.uint16)).reshape(3, 4) + 77).save(file, "PNG")
    grey = {"a/I.png": file.getvalue(), "a/L.png": picture(30, mode="L"), "a/LA.png": picture(60, mode="LA")}
    alone = read_images(write(tmp_path / "grey", grey))
    assert alone.images.shape == (3, 1, 3, 4)
    assert [image.flatten().tolist() for image in alone.images] == [list(range(n, n + 12)) for n in (9, 30, 60)]
    # A coloured one comes last: the grey ones grow, in memory and on the disk.
    (tmp_path / "grey/a/z.png").write_bytes(picture(50, mode="RGBA"))
    for cache in (None, tmp_path / "cache"):
        data = read_images(tmp_path / "grey", cache=cache)
        assert data.images.shape == (4, 3, 3, 4)
        assert data.images[:3].eq(alone.images).all()
        assert firsts(data)[3] == 50
        assert data.images[:, :1].eq(data.images).all()
    clear = Image.new("P", (4, 3), 1)
    clear.putpalette([0, 0, 0, 10, 20, 30])
    clear.save(tmp_path / "p.png", transparency=b"\x00\x80")
    red = Image.new("CMYK", (4, 3), (0, 255, 255, 0))
    red.save(tmp_path / "red.jpg")
    turned = Image.new("RGB", (3, 4))
    turned.putpixel((0, 0), (255, 255, 255))
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned clockwise
    turned.save(tmp_path / "turned.png", exif=exif)
    files = {f"a/{name}": (tmp_path / name).read_bytes() for name in ("p.png", "red.jpg", "turned.png")}
    data = read_images(write(tmp_path / "colour", files))
    assert data.images[0, :, 0, 0].tolist() == [10, 20, 30]
    assert (data.images[1, :, 0, 0].int() - torch.tensor([255, 0, 0])).abs().max() < 3
    assert data.images[2, 0].nonzero().tolist() == [[0, 3]]


def test_sizes(tmp_path: Path):
    folder = write(tmp_path, {"a/0.png": picture(0), "a/1.png": picture(0, size=(8, 3))})
    with pytest.raises(ValueError, match=r"'a/1.png': it is 3 × 8 pixels where 'a/0.png' is 3 × 4; use side"):
        read_images(folder)
    data = read_images(folder, side=(3, 4))
    assert torch.equal(data.images[0, 0, 0], torch.arange(4))  # untouched
    assert torch.equal(data.images[1, 0, 0], torch.arange(2, 6))  # the middle
    assert read_images(folder, side=2).images.shape == (2, 3, 2, 2)
    with pytest.raises(ValueError, match="got side=0"):
        read_images(folder, side=0)
    with pytest.raises(ValueError, match="2 × 3 × 2 × 2 images must be at most most_bytes=23: got 24"):
        read_images(folder, side=2, most_bytes=23)


@pytest.mark.parametrize("hundred", [False, True])
def test_cifar(tmp_path: Path, hundred: bool):
    rng, ahead = np.random.default_rng(0), 1 + hundred
    names = ["train.bin", "test.bin"] if hundred else ["data_batch_2.bin", "data_batch_10.bin", "test_batch.bin"]
    names += [] if hundred else [f"data_batch_{i}.bin" for i in (1, 3, 4, 5, 6, 7, 8, 9)]
    records = {name: rng.integers(0, 10, (2, ahead + 3072), dtype=np.uint8) for name in names}
    files = {f"cifar/{name}": rows.tobytes() for name, rows in records.items()}
    train = np.concatenate([records[name] for name in sorted(records, key=lambda n: (len(n), n)) if "test" not in name])
    if not hundred:
        files["cifar/batches.meta.txt"] = "\n".join("abcdefghij").encode() + b"\n\n"
    data = read_images(tar(tmp_path / "cifar.tar.gz", files))
    assert data.labels.tolist() == train[:, ahead - 1].tolist()
    assert data.images.flatten(1).tolist() == train[:, ahead:].tolist()
    assert data.classes == (tuple(map(str, range(100))) if hundred else tuple("abcdefghij"))
    folder = write(tmp_path, files) / "cifar"
    assert read_images(folder, split="test", side=16).images.shape == (2, 3, 16, 16)
    if hundred:
        return
    broken = records["data_batch_3.bin"].copy()
    broken[1, 0] = 11
    (folder / "data_batch_3.bin").write_bytes(broken.tobytes())
    with pytest.raises(
        ValueError, match=r"'data_batch_3.bin, record 1' must be of one of 10 classes, and is of class 11"
    ):
        read_images(folder)
    (folder / "data_batch_3.bin").unlink()
    (folder / "data_batch_4.bin").write_bytes(bytes(3072))
    with pytest.raises(ValueError, match=r"got 2 problems") as caught:
        read_images(folder)
    assert "'data_batch_4.bin' must be records of 3073 bytes, one or more, and has 3,072 bytes" in str(caught.value)
    assert "data_batch_3.bin must be there, as data_batch_10.bin is" in str(caught.value)


def idx(values: np.ndarray, magic: int | None = None) -> bytes:
    return struct.pack(f">{1 + values.ndim}I", magic or 2048 + values.ndim, *values.shape) + values.tobytes()


def test_idx(tmp_path: Path):
    rng = np.random.default_rng(0)
    images, labels = rng.integers(0, 256, (5, 4, 3), dtype=np.uint8), np.array([3, 1, 9, 0, 3], np.uint8)
    folder = write(
        tmp_path,
        {
            "train-images-idx3-ubyte.gz": gzip.compress(idx(images)),
            "train-labels-idx1-ubyte": idx(labels),
            "t10k-images.idx3-ubyte": idx(images[:2]),
            "t10k-labels.idx1-ubyte.gz": gzip.compress(idx(labels[:2])),
        },
    )
    data = read_images(folder)
    assert data.images[:, 0].tolist() == images.tolist()
    assert data.labels.tolist() == labels.tolist()
    assert data.classes == tuple("0123456789")
    assert len(read_images(folder, split="test")) == 2
    with pytest.raises(ValueError, match="most_bytes=59: got 60"):
        read_images(folder, most_bytes=59)
    (folder / "train-labels-idx1-ubyte").write_bytes(idx(labels[:4]))
    with pytest.raises(ValueError, match="has 5 images for 4 labels"):
        read_images(folder)
    write(folder, {"train-labels-idx1-ubyte": idx(labels, 2050), "train-images-idx3-ubyte": idx(images)[:-1]})
    with pytest.raises(ValueError, match="got 2 problems") as caught:
        read_images(folder)
    assert "'train-labels-idx1-ubyte' must begin with the magic number 2049, and begins with 2050" in str(caught.value)
    assert "'train-images-idx3-ubyte' must have 5 × 4 × 3 = 60 values, and has 59" in str(caught.value)
    (folder / "train-images-idx3-ubyte").unlink()
    (folder / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(images))[:-9])
    with pytest.raises(ValueError, match=r"'train-images-idx3-ubyte.gz' must be a whole IDX file"):
        read_images(folder)
    (folder / "train-labels-idx1-ubyte").unlink()
    with pytest.raises(ValueError, match=r"'train-images-idx3-ubyte.gz' must have its labels beside it"):
        read_images(folder)


def test_broken_pictures_are_told_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    files = {f"a/{i}.jpg": picture(i, kind="JPEG", size=(32, 32)) for i in range(9)}
    whole = files["a/0.jpg"]
    files |= {f"a/{i}.jpg": whole[:-40] for i in range(1, 8)} | {"a/0.jpg": b"GIF89a"}
    with pytest.raises(ValueError, match="got 8 problems in") as caught:
        read_images(tar(tmp_path / "a.tar", dict(reversed(files.items()))))
    lines = str(caught.value).splitlines()
    assert "'a/0.jpg': it must be JPEG or PNG, and its 6 bytes are neither" in lines[1]
    assert "'a/1.jpg': it must be a whole picture: " in lines[2]
    assert "truncated" in lines[2]
    assert lines[6:] == ["  … and 3 more"]
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 11)  # a warning of Pillow's up to 22
    with pytest.raises(ValueError, match=r"'a/0.png': it must have a plausible size: Image size \(12 pixels\)"):
        read_images(write(tmp_path / "b", {"a/0.png": picture(0)}))


def test_tars_that_lie(tmp_path: Path):
    files = pictures(("",))
    link = tarfile.TarInfo("ant/7.png")
    link.type, link.linkname = tarfile.SYMTYPE, "../secret.png"
    outside, absolute, twice = (tarfile.TarInfo(name) for name in ("../ant/8.png", "/ant/9.png", "./ant/0.png"))
    with pytest.raises(ValueError, match="got 4 problems") as caught:
        read_images(tar(tmp_path / "a.tar", files, link, outside, absolute, twice))
    for line in (
        "'ant/7.png' must be a plain file, and is a link or a device",
        "'../ant/8.png' leads outside of the archive",
        "'/ant/9.png' leads outside of the archive",
        "'./ant/0.png' is there twice",
    ):
        assert line in str(caught.value)
    bomb = tar(tmp_path / "bomb.tar.xz", {**files, "zeros": bytes(2**22)})
    assert bomb.stat().st_size < 5000
    with pytest.raises(ValueError, match=r"bomb.tar.xz unpacks to must be at most most_bytes=1,000,000: got 1,000,001"):
        read_images(bomb, most_bytes=10**6)
    # Cut within a file, within a header, between two files, and before the end mark; compressed, and with a wrong sum.
    plain = tar(tmp_path / "b.tar", files).read_bytes()
    packed = gzip.compress(plain)
    cuts = [plain[:600], plain[:1300], plain[:1024], plain[: 4 * 1024], packed[:-20], packed[:-8] + bytes(8)]
    for number, cut in enumerate(cuts):
        path = tmp_path / f"cut{number}.tar"
        path.write_bytes(cut)
        with pytest.raises(ValueError, match=rf"a tar must be whole: got .*cut{number}.tar, which is truncated or dam"):
            read_images(path)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"data_batch_1": b"\x80\x02", "batches.meta": b""},
            "not be pickles, which run code when .*: got batches.meta",
        ),
        ({"notes.txt": b""}, "must hold JPEG or PNG in a folder per class, .*: got 1 other files"),
        ({"a/0.png": b"", "test_batch.bin": b""}, "one set of images: got pictures and CIFAR's binary batches"),
        ({"a/train.bin": b"", "b/train.bin": b""}, "must hold one set: got train.bin in 2 folders"),
        ({"0.png": b"", "a/b/c/1.png": b""}, "got 2 problems.*:\n  '0.png' must lie in a folder per class"),
        ({"a/0.webp": b""}, "'a/0.webp' must be JPEG or PNG; convert it"),
    ],
)
def test_what_is_no_set_of_images(tmp_path: Path, files: dict[str, bytes], message: str):
    with pytest.raises(ValueError, match=message):
        read_images(write(tmp_path, files))


def test_what_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(ValueError, match=r"images must be there: got .*nowhere, which is not"):
        read_images(tmp_path / "nowhere")
    file = write(tmp_path, {"a/0.png": picture(0)}) / "a/0.png"
    with pytest.raises(ValueError, match=r"a folder or a tar .*: got .*0.png; give the folder it is in"):
        read_images(file)
    for module, source, message in (
        ("PIL", tmp_path, r"pictures must have Pillow: got none; use pip install 'regard\[train\]'"),
        ("datasets", "hf:cifar10", "hf:cifar10 must have datasets: got none; use pip install datasets"),
    ):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ImportError, match=message):
            read_images(source)


class Rows(list):
    """As much of a data set of Hugging Face's as is used."""

    _fingerprint = "f"
    features: dict

    def cast_column(self, name: str, kind: SimpleNamespace) -> "Rows":
        assert not kind.decode
        return self


def test_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    image, label = (type(name, (SimpleNamespace,), {}) for name in ("Image", "ClassLabel"))
    (tmp_path / "1.png").write_bytes(picture(1))
    rows = Rows(
        [
            {"img": {"bytes": picture(5), "path": None}, "coarse_label": 0, "fine_label": 2},
            {"img": {"bytes": None, "path": str(tmp_path / "1.png")}, "coarse_label": 0, "fine_label": 1},
        ]
    )
    rows.features = {"img": image(), "coarse_label": label(names=["x"]), "fine_label": label(names=["a", "b", "c"])}
    asked = []

    def load_dataset(name: str, split: str) -> Rows:
        asked.append((name, split))
        return rows

    fake = SimpleNamespace(load_dataset=load_dataset, Image=image, ClassLabel=label)
    monkeypatch.setitem(sys.modules, "datasets", fake)
    data = read_images("hf:some/set")
    assert (firsts(data), data.labels.tolist(), data.classes) == ([5, 1], [2, 1], ("a", "b", "c"))
    read_images("hf:some/set", split="test")
    assert asked == [("some/set", "train"), ("some/set", "test")]
    del rows.features["fine_label"], rows.features["coarse_label"]
    with pytest.raises(ValueError, match=r"a column of images and one of classes: got \['img'\]"):
        read_images("hf:some/set")


def test_the_cache_is_used_while_the_source_stays(tmp_path: Path):
    source, cache, counted = write(tmp_path / "a", pictures()), tmp_path / "new" / "cache", []

    def cached(**options) -> ImageSet:
        counted.clear()
        return read_images(source, cache=cache, progress=lambda *count: counted.append(count), **options)

    first = cached()
    assert counted == [(1, 4), (2, 4), (3, 4), (4, 4)]
    again, plain = cached(), read_images(source)
    assert counted == []
    for data in (first, again):
        assert torch.equal(data.images, plain.images)
        assert torch.equal(data.labels, plain.labels)
        assert (data.mean, data.std, data.classes) == (plain.mean, plain.std, plain.classes)
    again.images.zero_()  # in memory alone
    assert firsts(cached()) == [0, 1, 20, 21]
    with pytest.raises(
        ValueError, match=r"same split and side: got .*cache of .*None.* for .*'test'.*; use another name"
    ):
        cached(split="test")
    with pytest.raises(ValueError, match="most_bytes=10: got 144"):
        cached(most_bytes=10)
    changed = source / "train/ant/0.png"
    changed.write_bytes(picture(7))
    os.utime(changed, ns=(1, 1))
    assert firsts(cached()) == [7, 1, 20, 21]
    assert len(counted) == 4
    changed.write_bytes(b"broken")
    with pytest.raises(ValueError, match=r"'train/ant/0.png': it must be JPEG or PNG"):
        cached()
    assert [path.name for path in cache.parent.iterdir()] == ["cache"]
    with pytest.raises(
        ValueError, match=r"cache must lie outside of the images' folder: got .*a/b/c in .*a; use another"
    ):
        read_images(source, cache=source / "b/c")
    for content in (cache.read_bytes()[:-3], b"a letter"):
        cache.write_bytes(content)
        with pytest.raises(
            ValueError, match=r"cache must be a file that read_images wrote, or not be there: got .*cache"
        ):
            cached()
        assert cache.read_bytes() == content
