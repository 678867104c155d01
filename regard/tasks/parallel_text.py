"""Sentences and their translations: two files read line by line, and batches of similar length."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from regard.checks import check_whole
from regard.tasks.text import Progress, Vocabulary, read_text

SHOWN = 5  # lines or files that an error names


@dataclass(frozen=True)
class Pairs:
    """Sentences and their translations; `dropped` are the lines, from 1, where one of the two was empty."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    dropped: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.source) != len(self.target):
            raise ValueError(f"pairs must have two sides: got {len(self.source)} and {len(self.target)} sentences")

    def __len__(self) -> int:
        return len(self.source)

    def encode(
        self, source: Vocabulary, target: Vocabulary, *, progress: Progress | None = None
    ) -> tuple[list[list[int]], list[list[int]]]:
        """The tokens of both sides; `progress` counts sentences of both."""
        sides: tuple[list[list[int]], list[list[int]]] = ([], [])
        for side, sentences, vocabulary in zip(sides, (self.source, self.target), (source, target), strict=True):
            for sentence in sentences:
                side.append(vocabulary.encode(sentence))
                if progress is not None:
                    progress(len(sides[0]) + len(sides[1]), 2 * len(self))
        return sides


def read_pairs(
    source: str | PathLike[str],
    target: str | PathLike[str],
    *,
    empty: Literal["error", "drop", "keep"] = "error",
) -> Pairs:
    """Read two files, .gz or not, line by line without surrounding space; both must have as many lines.

    A line that is empty in one of the two is an error; "drop" leaves the pair out and says so in `dropped`.
    """
    if empty not in ("error", "drop", "keep"):
        raise ValueError(f"empty must be 'error', 'drop' or 'keep': got {empty!r}")
    _check_there([Path(source), Path(target)])
    ours, theirs = _lines(source), _lines(target)
    if len(ours) != len(theirs):
        shorter = source if len(ours) < len(theirs) else target
        raise ValueError(
            f"both files must have the same number of lines: got {len(ours)} in {source} and {len(theirs)} in "
            f"{target}; line {min(len(ours), len(theirs)) + 1} is the first that {shorter} has not"
        )
    if not ours:
        raise ValueError(f"files must have a line or more: got none in {source} and {target}")
    holes = tuple([n for n, pair in enumerate(zip(ours, theirs, strict=True), 1) if not all(pair)])
    if empty == "keep" or not holes:
        return Pairs(tuple(ours), tuple(theirs))
    if empty == "error":
        raise ValueError(
            f"no line may be empty: got {len(holes)} in {source} or {target}, line {_some(holes)}; use empty='drop'"
        )
    if len(holes) == len(ours):
        raise ValueError(f"a pair must have two sentences: got {len(ours)} lines in {source}, none with both")
    left = [number - 1 for number in sorted(set(range(1, len(ours) + 1)) - set(holes))]
    return Pairs(tuple([ours[n] for n in left]), tuple([theirs[n] for n in left]), holes)


def folder_pairs(
    folder: str | PathLike[str],
    source: str,
    target: str,
    *,
    split: str = "train",
    empty: Literal["error", "drop", "keep"] = "error",
) -> Pairs:
    """Read the pairs of a folder with train.en or train.en.gz, train.de or train.de.gz, and so on for other splits."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"parallel text is read from a folder: got {folder}, which is none; use one with {split}.*")
    chosen, wrong = [], []
    for language in (source, target):
        names = (f"{split}.{language}", f"{split}.{language}.gz")
        found = [folder / name for name in names if (folder / name).is_file()]
        chosen += found
        if len(found) != 1:
            wrong.append(f"{' or '.join(names)} ({'both' if found else 'none'} there)")
    if wrong:
        there = sorted([path.name for path in folder.iterdir() if path.is_file()])
        raise ValueError(f"{folder} must have one of {' and one of '.join(wrong)}: got {_some(there) or 'no file'}")
    return read_pairs(chosen[0], chosen[1], empty=empty)


def bucket(lengths: Sequence[int], tokens_per_batch: int, seed: int, epoch: int) -> list[Int[Tensor, " B"]]:
    """Batches of indices of similar length: every index once, B · longest ≤ tokens_per_batch, in shuffled order.

    The arguments alone decide the batches, and each epoch has as many: `[n:]` goes on where n were done. Indices of one
    length change places from epoch to epoch.

    >>> lengths = [3, 9, 3, 8, 2, 3]
    >>> [[lengths[i] for i in batch] for batch in bucket(lengths, 18, seed=0, epoch=0)]
    [[8, 9], [2, 3, 3, 3]]
    """
    check_whole("tokens_per_batch", tokens_per_batch, 1)
    check_whole("seed", seed, 0)
    check_whole("epoch", epoch, 0)
    for number, length in enumerate(lengths):
        check_whole(f"lengths[{number}]", length, 1)
        if length > tokens_per_batch:
            raise ValueError(
                f"tokens_per_batch must hold the longest alone: got tokens_per_batch={tokens_per_batch}, "
                f"lengths[{number}]={length}; use {max(lengths)} or more, or leave long ones out"
            )
    if not lengths:
        raise ValueError("lengths must have a number or more: got none")
    generator = torch.Generator().manual_seed(_seed(seed, epoch))
    mixed = torch.randperm(len(lengths), generator=generator)
    order = mixed[torch.tensor(lengths)[mixed].argsort(stable=True)]
    ends, first = [], 0
    for place, index in enumerate(order.tolist()):
        if (place + 1 - first) * lengths[index] > tokens_per_batch:
            ends.append(place)
            first = place
    batches = order.tensor_split(ends)
    return [batches[n] for n in torch.randperm(len(batches), generator=generator).tolist()]


def pad_batch(rows: Sequence[Sequence[int]], *, pad: int = 0) -> tuple[Int[Tensor, "B T"], tuple[int, ...]]:
    """Rows of tokens as one tensor, the shorter ones padded with `pad`, and their lengths.

    >>> pad_batch([[5, 6, 7], [8]])
    (tensor([[5, 6, 7],
            [8, 0, 0]]), (3, 1))
    """
    lengths = tuple([len(row) for row in rows])
    if not all(lengths) or not lengths:
        what = f"none in row {lengths.index(0)}" if lengths else "no rows"
        raise ValueError(f"each row must have a token or more: got {what}; leave it out")
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=pad), lengths


def _check_there(paths: Sequence[Path]) -> None:
    if missing := [str(path) for path in paths if not path.is_file()]:
        raise ValueError(f"pairs are read from two files, .gz or not: got no file at {' and '.join(missing)}")


def _lines(path: str | PathLike[str]) -> list[str]:
    r"""Split at \n alone: the other separators of str.splitlines occur inside sentences."""
    text = read_text(path)
    return [line.strip() for line in text.removesuffix("\n").split("\n")] if text else []


def _seed(seed: int, epoch: int) -> int:
    """A seed for an epoch: near seeds and epochs must not give near orders."""
    return int.from_bytes(hashlib.sha256(f"{seed} {epoch}".encode()).digest()[:8]) >> 1


def _some(entries: Sequence[object]) -> str:
    return ", ".join([*map(str, entries[:SHOWN]), *(["…"] if len(entries) > SHOWN else [])])
