"""String reversal: a model reads a string over four letters and writes it backwards."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from regard.checks import check_whole
from regard.generation import Reader
from regard.models.cross_entropy import IGNORED
from regard.models.tokens import Lengths, Output

ALPHABET = "abcd"
START = len(ALPHABET)  # what a target begins with
VOCABULARY = START + 1


class Reverser(Protocol):
    """A sequence-to-sequence model, such as `regard.models.Recurrent` with `vocabulary=VOCABULARY`."""

    def __call__(self, source: Tensor, target: Tensor, lengths: Lengths | None = None) -> Output: ...

    def reader(self, source: Tensor, lengths: Lengths | None = None) -> Reader: ...


@dataclass(frozen=True)
class Batch:
    """Strings and their reversals: `target`, which a decoder reads, is START and the truth without its last letter.

    >>> batch = batch_of(["abc", "d"])
    >>> batch.source.tolist(), batch.target.tolist(), batch.truth.tolist(), batch.lengths
    ([[0, 1, 2], [3, 0, 0]], [[4, 2, 1], [4, 0, 0]], [[2, 1, 0], [3, -100, -100]], (3, 1))
    """

    source: Int[Tensor, "B T"]
    target: Int[Tensor, "B T"]
    truth: Int[Tensor, "B T"]
    lengths: tuple[int, ...] | None  # None: no row has pads


def batch_of(strings: list[str]) -> Batch:
    """These strings as a batch, padded on the right."""
    if not strings or any(not string or set(string) - set(ALPHABET) for string in strings):
        raise ValueError(f"strings must be one or more, of the letters {ALPHABET}: got {strings!r:.60}")
    width = max(map(len, strings))
    rows = [[ALPHABET.index(letter) for letter in string.ljust(width, ALPHABET[0])] for string in strings]
    return _batch(torch.tensor(rows), torch.tensor([len(string) for string in strings]))


def draw(size: int, lengths: int | tuple[int, int], generator: torch.Generator) -> Batch:
    """`size` random strings, all of one length, or each of a length drawn evenly from the shortest to the longest.

    >>> draw(2, 5, torch.Generator().manual_seed(0)).source.shape
    torch.Size([2, 5])
    """
    check_whole("size", size, 1)
    shortest, longest = (lengths, lengths) if isinstance(lengths, int) else lengths
    check_whole("length", shortest, 1)
    if longest < shortest:
        raise ValueError(f"lengths must be (shortest, longest): got {lengths}; use ({longest}, {shortest})")
    count = torch.randint(shortest, longest + 1, (size,), generator=generator)
    return _batch(torch.randint(len(ALPHABET), (size, int(count.max())), generator=generator), count)


def _batch(source: Tensor, count: Tensor) -> Batch:
    place = torch.arange(source.shape[1])
    real = place < count[:, None]
    source = source.where(real, 0)
    back = source.take_along_dim((count[:, None] - 1 - place).clamp(min=0), 1)
    start = torch.full_like(source[:, :1], START)
    target = torch.cat((start, back[:, :-1]), 1).where(real, 0)
    return Batch(source, target, back.where(real, IGNORED), None if bool(real.all()) else tuple(count.tolist()))


def loss(model: Reverser, batch: Batch) -> Float[Tensor, ""]:
    """Cross-entropy of a letter, in nats, given the true letters before it."""
    logits = model(batch.source, batch.target, batch.lengths).logits
    assert logits is not None
    return functional.cross_entropy(logits.flatten(0, 1), batch.truth.flatten(), ignore_index=IGNORED)


@dataclass(frozen=True)
class Accuracy:
    """The shares of letters that are right, and of strings that are right in every letter."""

    characters: float
    strings: float


def accuracy(model: Reverser, batch: Batch) -> Accuracy:
    """The accuracy of what the model writes on its own, greedily, each letter given those that it wrote before."""
    return _compare(write_letters(model, batch), batch)


@torch.no_grad()
def forced_accuracy(model: Reverser, batch: Batch) -> Accuracy:
    """The accuracy of each letter given the *true* letters before it, as in training."""
    logits = model(batch.source, batch.target, batch.lengths).logits
    assert logits is not None
    return _compare(logits.argmax(-1), batch)


@torch.no_grad()
def write_letters(model: Reverser, batch: Batch, check: Callable[[], None] = lambda: None) -> Int[Tensor, "B T"]:
    """Let the model write letters for each source, as many as the batch is long; `check` is called before each."""
    reader = model.reader(batch.source, batch.lengths)
    letter, letters = batch.target[:, :1], []
    for _ in range(batch.source.shape[1]):
        check()
        letter = reader.read(letter).argmax(-1, keepdim=True)
        letters.append(letter)
    return torch.cat(letters, 1)


def _compare(letters: Tensor, batch: Batch) -> Accuracy:
    real = batch.truth != IGNORED
    right = letters == batch.truth
    return Accuracy(right[real].double().mean().item(), (right | ~real).all(1).double().mean().item())
