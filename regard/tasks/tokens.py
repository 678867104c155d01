"""Tokens on disk: one file that is written whole or not at all, and mapped into memory.

A file is two arrays of numpy's one behind the other: the tokens, in 2 bytes each where the vocabulary allows, and what
the file says about itself, as the bytes of JSON.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from jaxtyping import Int
from numpy.lib import format as npy
from torch import Tensor

from regard.checks import check_whole
from regard.tasks.files import write_atomically
from regard.tasks.text import (
    Characters,
    Progress,
    Vocabulary,
    check_range,
    pieces,
    read_text,
    read_vocabulary,
    split_text,
    train_bpe,
    write_vocabulary,
)

FORM = "tokens of regard, version 2"


@dataclass(frozen=True, kw_only=True)
class Header:
    """What a token file says about itself; all checksums are SHA-256."""

    form: str = FORM
    size: int  # of the vocabulary
    content: str  # the checksum of the tokens
    source: str  # the checksum of the text
    vocabulary: str  # the checksum of the vocabulary


@dataclass(frozen=True, eq=False)
class TokenFile:
    """The tokens of a text, mapped into memory.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = TokenFile.write(Path(folder) / "tokens", ["to be or not to be"], Characters.of("to be or not to be"))
    ...     file, file.block(torch.tensor([0, 13]), length=4)
    (TokenFile(18 tokens of 7), tensor([[6, 4, 0, 1, 2],
            [6, 4, 0, 1, 2]]))
    """

    path: Path
    header: Header
    tokens: np.ndarray

    @classmethod
    def write(
        cls,
        path: str | PathLike[str],
        texts: Sequence[str],
        vocabulary: Vocabulary,
        *,
        end: int | None = None,
        progress: Progress | None = None,
    ) -> "TokenFile":
        """Write the tokens of texts one after another, each ended by the token `end`; `progress` counts characters."""
        if isinstance(texts, str):
            raise ValueError("texts must be a list of strings: got one string; use pieces(text) or [text]")
        dtype = "<u2" if len(vocabulary) <= 1 << 16 else "<u4"
        total, done, count = sum(map(len, texts)), 0, 0
        content, source = hashlib.sha256(), hashlib.sha256()
        with write_atomically(path) as file:
            npy.write_array_header_1_0(file, {"descr": dtype, "fortran_order": False, "shape": (0,)})
            first = file.tell()
            for text in texts:
                tokens = vocabulary.encode(text)
                array = np.array(tokens if end is None else [*tokens, end], dtype=np.int64)
                check_range(array.min(initial=0), array.max(initial=0), len(vocabulary))
                written = array.astype(dtype).tobytes()
                file.write(written)
                content.update(written)
                # Where texts end matters only if a token says so.
                source.update(text.encode() if end is None else text.encode() + b"\0%d\0" % end)
                count, done = count + len(array), done + len(text)
                if progress is not None:
                    progress(done, total)
            if not count:
                raise ValueError(f"a token file must hold a token or more: got {len(texts)} texts without")
            header = Header(
                size=len(vocabulary),
                content=content.hexdigest(),
                source=source.hexdigest(),
                vocabulary=fingerprint(vocabulary),
            )
            np.save(file, np.frombuffer(json.dumps(asdict(header)).encode(), np.uint8))
            file.seek(0)  # how many tokens there are, in the room that numpy leaves for it
            npy.write_array_header_1_0(file, {"descr": dtype, "fortran_order": False, "shape": (count,)})
            assert file.tell() == first
        return cls.open(path)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> "TokenFile":
        """Map a file without reading its tokens; a file that is not whole is an error."""
        path = Path(path)
        if not path.is_file():
            raise ValueError(f"tokens are read from what TokenFile.write wrote: got no file at {path}; write it first")
        try:
            tokens = np.load(path, mmap_mode="r", allow_pickle=False)
            with path.open("rb") as file:
                file.seek(tokens.offset + tokens.nbytes)
                header = Header(**json.loads(np.load(file, allow_pickle=False).tobytes()))
            if header.form != FORM:
                raise ValueError(f"its form is {header.form!r}")
        except (ValueError, EOFError, AttributeError, TypeError) as error:
            raise ValueError(
                f"tokens are read from what TokenFile.write wrote: got {path} ({error}); write it again"
            ) from error
        return cls(path, header, tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    def __repr__(self) -> str:
        return f"TokenFile({len(self)} tokens of {self.header.size})"

    def __reduce__(self) -> tuple[Callable[[Path], "TokenFile"], tuple[Path]]:
        return TokenFile.open, (self.path,)  # another process maps the file itself

    def verify(self) -> None:
        """Read all tokens and raise where they are not those that were written."""
        found = hashlib.sha256(self.tokens.data).hexdigest()
        if found != self.header.content:
            raise ValueError(
                f"{self.path} must have checksum {self.header.content[:12]}…: got {found[:12]}…; write it again"
            )

    def num_starts(self, length: int) -> int:
        """The number of starts for a block of this length and the token after it."""
        check_whole("length", length, 1)
        if length >= len(self):
            raise ValueError(
                f"length must be below the number of tokens: got length={length}, {len(self)} tokens in {self.path}; "
                f"use {len(self) - 1} or less"
            )
        return len(self) - length

    def block(self, starts: Int[Tensor, " B"], length: int) -> Int[Tensor, "B length+1"]:
        """`length` tokens from each start on and the one after them: inputs are [:, :-1], targets [:, 1:]."""
        count = self.num_starts(length)
        if starts.ndim != 1 or starts.dtype not in (torch.int64, torch.int32):
            raise ValueError(f"starts must be whole numbers (B,): got {starts.dtype} of shape {tuple(starts.shape)}")
        first = starts.numpy(force=True)
        low, high = first.min(initial=0), first.max(initial=0)
        if low < 0 or high >= count:
            wrong = low if low < 0 else high
            raise ValueError(
                f"starts must lie in 0…{count - 1} for length={length}: got {wrong}; see num_starts(length)"
            )
        chosen = self.tokens[first[:, None] + np.arange(length + 1)]
        return torch.from_numpy(chosen.astype(np.int64)).to(starts.device)


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """A text as tokens to learn from and tokens to validate on, with their vocabulary."""

    train: TokenFile
    validation: TokenFile
    vocabulary: Vocabulary


def prepare(
    path: str | PathLike[str],
    folder: str | PathLike[str],
    vocabulary: Vocabulary | Literal["characters"] | int = "characters",
    *,
    share: float = 0.1,
    progress: Progress | None = None,
) -> Prepared:
    """Encode a text file once: `folder` keeps the tokens under a name that text and vocabulary decide.

    The vocabulary is given, or made: all characters of the text, or a number of byte pairs, learnt from the training
    part. About `share` of the text, its end after a line's, is for validation. Damaged files are made anew.
    """
    if isinstance(vocabulary, str) and vocabulary != "characters":
        raise ValueError(f"vocabulary must be 'characters', a number of byte pairs or one made: got {vocabulary!r}")
    text = read_text(path)
    parts = split_text(text, share)
    made = isinstance(vocabulary, str | int)
    asked = str(vocabulary) if made else fingerprint(vocabulary)
    key = hashlib.sha256("\n".join([_text_sum(parts[0]), _text_sum(parts[1]), asked]).encode()).hexdigest()
    place = Path(folder) / f"{Path(path).name}-{key[:16]}"
    if found := _found(place, parts):
        return found
    training = isinstance(vocabulary, int)
    total = len(text) + training * len(parts[0])
    if training:
        vocabulary = train_bpe([parts[0]], vocabulary=vocabulary, progress=_from(progress, 0, total))
    elif isinstance(vocabulary, str):
        vocabulary = Characters.of(text)
    write_vocabulary(place / "vocabulary.json", vocabulary)
    done, files = training * len(parts[0]), {}
    for name, part in zip(("train", "validation"), parts, strict=True):
        told = _from(progress, done, total)
        files[name] = TokenFile.write(place / f"{name}.tokens", pieces(part), vocabulary, progress=told)
        done += len(part)
    return Prepared(**files, vocabulary=vocabulary)


def fingerprint(vocabulary: Vocabulary) -> str:
    """The SHA-256 of its JSON, which is equal where the tokens mean the same."""
    return _text_sum(vocabulary.json())


def _found(place: Path, parts: tuple[str, str]) -> Prepared | None:
    """What was prepared from these parts, if all of it is whole."""
    try:
        vocabulary = read_vocabulary(place / "vocabulary.json")
        train, validation = files = tuple(TokenFile.open(place / f"{name}.tokens") for name in ("train", "validation"))
        for file in files:
            file.verify()
    except ValueError:
        return None
    said = [(file.header.source, file.header.vocabulary) for file in files]
    right = [(_text_sum(part), fingerprint(vocabulary)) for part in parts]
    return Prepared(train=train, validation=validation, vocabulary=vocabulary) if said == right else None


def _from(progress: Progress | None, before: int, total: int) -> Progress | None:
    return None if progress is None else lambda done, _: progress(before + done, total)


def _text_sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
