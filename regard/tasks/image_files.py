"""Files by name and content: of a folder, or of a tar that is read as a stream and never unpacked to the disk."""

import gzip
import hashlib
import lzma
import tarfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PICTURES = (".jpg", ".jpeg", ".png")
SHOWN = 5  # problems that an error tells in full
DEEPEST = 6  # folders in folders, so that a link to a folder above ends
BLOCK = 512  # of a tar


def complain(what: object, problems: Sequence[str]) -> None:
    """Raise one error for all problems, if there are any."""
    if not problems:
        return
    lines = [*problems[:SHOWN], *([f"… and {len(problems) - SHOWN} more"] if len(problems) > SHOWN else [])]
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    raise ValueError(f"images must be whole and readable: got {count} in {what}:\n  " + "\n  ".join(lines))


class TooMuch(ValueError):  # noqa: N818 - named by what came
    """More bytes than the caller allows."""


def check_bytes(what: str, count: int, most: int) -> None:
    if count > most:
        raise TooMuch(
            f"{what} must be at most most_bytes={most:,}: got {count:,}; raise most_bytes if you trust the source"
        )


@dataclass(frozen=True)
class Listing:
    """The bytes of each file by its name, and what is wrong with the names."""

    sizes: Mapping[str, int]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Folder:
    """The files below a folder, hidden ones left out."""

    path: Path

    def listing(self) -> Listing:
        return Listing({name: path.stat().st_size for name, path in self._files()})

    def contents(self, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """Each of these names with its bytes."""
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
            elif not member.isreg() or member.issparse():  # devices and pipes have no picture, links might be meant
                if name.lower().endswith(PICTURES):
                    problems.append(f"{member.name!r} must be a plain file, and is a link or a device")
            elif name in sizes:
                problems.append(f"{member.name!r} is there twice")
            else:
                sizes[name] = member.size
        return Listing(sizes, tuple(problems))

    def contents(self, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """Each of these names with its bytes, in the order of the archive."""
        for _, name, content in self._members(names):
            if content is not None:
                yield name, content

    def stamp(self) -> str:
        """A text that changes with the size or the time of the archive."""
        return _stamp([("", self.path)])

    def _members(self, names: Collection[str] = ()) -> Iterator[tuple[tarfile.TarInfo, str, bytes | None]]:
        wanted = set(names)
        try:
            with _unpacked(self.path) as stream:
                forward = _Forward(stream, f"the bytes that {self.path} unpacks to", self.most_bytes)
                with tarfile.open(fileobj=forward, mode="r:") as tar:  # pyright: ignore[reportArgumentType, reportCallIssue]
                    while (member := tar.next()) is not None:
                        tar.members.clear()  # nobody goes back to them, and there may be millions
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
                                return  # the listing has been to the end
                # tarfile takes a broken header, or none, for the end of the archive.
                if forward.last != bytes(BLOCK):
                    raise EOFError(f"after {forward.at:,} bytes there is neither a file nor the end mark")
                while forward.read(2**16):  # checksums stand at the end of a compressed stream
                    pass
        except TooMuch:
            raise
        except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError, ValueError) as error:
            raise ValueError(
                f"a tar must be whole: got {self.path}, which is truncated or damaged ({error}); fetch it again"
            ) from error


class _Forward:
    """A stream for tarfile that never goes back, remembers its last piece, and stops at a limit."""

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


def _unpacked(path: Path) -> Any:
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
