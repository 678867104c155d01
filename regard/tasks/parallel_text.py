"""Sentences and their translations: two files read line by line, rows of tokens, and batches of similar length."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from regard.attention import Documents
from regard.checks import check_whole
from regard.models.cross_entropy import IGNORED
from regard.tasks.text import read_text

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
    if missing := [str(path) for path in (source, target) if not Path(path).is_file()]:
        raise ValueError(f"pairs are read from two files, .gz or not: got no file at {' and '.join(missing)}")
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


class Buckets:
    """Batches of similar length, drawn anew each time: all batches once take about every index once.

    In order of their lengths the indices are cut into batches, so that B · longest ≤ tokens_per_batch; what is drawn
    for a batch is as many of its own and of its neighbours'.

    >>> buckets = Buckets([3, 9, 3, 8, 2, 3], tokens_per_batch=18)
    >>> len(buckets), buckets.fixed(0).tolist(), len(buckets.draw(1, torch.Generator()))
    (2, [4, 0, 2, 5], 2)
    """

    def __init__(self, lengths: Sequence[int], tokens_per_batch: int) -> None:
        check_whole("tokens_per_batch", tokens_per_batch, 1)
        if not lengths:
            raise ValueError("lengths must have a number or more: got none")
        for number, length in enumerate(lengths):
            check_whole(f"lengths[{number}]", length, 1)
            if length > tokens_per_batch:
                raise ValueError(
                    f"tokens_per_batch must hold the longest alone: got tokens_per_batch={tokens_per_batch}, "
                    f"lengths[{number}]={length}; use {max(lengths)} or more, or leave long ones out"
                )
        self.order = torch.tensor(lengths).argsort(stable=True)
        self.starts = [0]
        for place, index in enumerate(self.order.tolist()):
            if (place + 1 - self.starts[-1]) * lengths[index] > tokens_per_batch:
                self.starts.append(place)

    def __len__(self) -> int:
        return len(self.starts)

    def fixed(self, number: int) -> Int[Tensor, " B"]:
        """The indices of a batch in order of their lengths: the same each time."""
        first, last = self._ends(number)
        return self.order[first:last]

    def draw(self, number: int, generator: torch.Generator) -> Int[Tensor, " B"]:
        """As many indices, drawn from up to half a batch around them."""
        first, last = self._ends(number)
        low, high = max(0, first - (last - first) // 2), min(len(self.order), last + (last - first) // 2)
        return self.order[low + torch.randperm(high - low, generator=generator)[: last - first]]

    def _ends(self, number: int) -> tuple[int, int]:
        return self.starts[number], (*self.starts, len(self.order))[number + 1]


@dataclass(frozen=True, eq=False)
class Rows:
    """Sentences as rows of one tensor, the shorter ones padded with 0, and their lengths.

    >>> rows = Rows.of([[5, 6, 7], [8], [9, 1]])
    >>> rows.take(torch.tensor([1, 2]))
    (tensor([[8, 0],
            [9, 1]]), tensor([1, 2]))
    """

    tokens: Int[Tensor, "N T"]
    lengths: Int[Tensor, " N"]

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> "Rows":
        lengths = [len(row) for row in rows]
        if not lengths or not all(lengths):
            what = f"none in row {lengths.index(0)}" if lengths else "no rows"
            raise ValueError(f"each row must have a token or more: got {what}; leave it out")
        return cls(pad_sequence([torch.tensor(row) for row in rows], batch_first=True), torch.tensor(lengths))

    def __len__(self) -> int:
        return len(self.lengths)

    def take(self, index: Int[Tensor, " B"], step: int = 1) -> tuple[Int[Tensor, "B T"], Int[Tensor, " B"]]:
        """Some rows as wide as the longest of them, in whole `step`s where there is room, and their lengths."""
        lengths = self.lengths[index]
        width = step * -(-int(lengths.max()) // step)
        return self.tokens[index, :width], lengths

    def pack(self, index: Int[Tensor, " B"], width: int) -> "Packed":
        """Some rows, whole, several in each row of `width` tokens, to predict each token from those before it.

        The longest come first, each into the first row with room: few pads are left, and none are computed.

        >>> packed = Rows.of([[5, 6, 7, 8], [1, 2], [3, 4, 9]]).pack(torch.arange(3), 5)
        >>> packed.tokens.tolist(), packed.targets.tolist(), packed.lengths
        ([[5, 6, 7, 3, 4], [1, 0, 0, 0, 0]], [[6, 7, 8, 4, 9], [2, -100, -100, -100, -100]], ((3, 2), (1,)))
        """
        lengths = (self.lengths[index] - 1).tolist()  # the last token predicts nothing
        if unfit := [length + 1 for length in lengths if not 0 < length <= width]:
            raise ValueError(
                f"texts to pack must have from 2 to {width + 1} tokens: got {unfit[0]}; use a larger width, or "
                "leave out what is shorter"
            )
        rows: list[list[int]] = []
        for text in sorted(range(len(lengths)), key=lambda text: -lengths[text]):
            row = next((row for row in rows if sum(lengths[one] for one in row) + lengths[text] <= width), None)
            rows.append([text]) if row is None else row.append(text)
        tokens, targets = torch.zeros(len(rows), width, dtype=torch.long), torch.full((len(rows), width), IGNORED)
        for number, row in enumerate(rows):
            texts = [self.tokens[index[one], : lengths[one] + 1] for one in row]
            for place, shift in ((tokens, slice(-1)), (targets, slice(1, None))):
                joined = torch.cat([text[shift] for text in texts])
                place[number, : len(joined)] = joined
        return Packed(tokens, targets, tuple([tuple([lengths[one] for one in row]) for row in rows]))


@dataclass(frozen=True, eq=False)
class Packed:
    """Texts side by side in rows: tokens, what follows each, and the lengths of the texts in each row.

    `model(packed.tokens, packed.documents, targets=packed.targets).loss` of a decoder is that of the texts alone.
    """

    tokens: Int[Tensor, "B T"]
    targets: Int[Tensor, "B T"]
    lengths: tuple[tuple[int, ...], ...]

    @property
    def documents(self) -> Documents:
        return Documents(self.lengths)


def _lines(path: str | PathLike[str]) -> list[str]:
    r"""Split at \n alone: the other separators of str.splitlines occur inside sentences."""
    text = read_text(path)
    return [line.strip() for line in text.removesuffix("\n").split("\n")] if text else []


def _some(entries: Sequence[object]) -> str:
    return ", ".join([*map(str, entries[:SHOWN]), *(["…"] if len(entries) > SHOWN else [])])
