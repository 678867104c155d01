"""The four objectives of `regard.tasks.sentences` on real text: the lines of a play, and captions of photographs.

Masked words, next sentence and word order make their targets of the text itself. What follows from a caption is made by
rule, because nobody labelled it:

- *entailed*: the caption without some of its adjectives. "A young man in a blue shirt" → "A man in a shirt".
- *contradicted*: the same, and one word is swapped for another that excludes it: a person, an animal, a number or a
  posture. "A woman in a shirt".
- *neutral*: another caption, without some of its adjectives.

So a neutral pair can be told by its few common words, and the other two by one word that differs at two places. The
rules know adjectives by a list, not by grammar: a few of what they make are odd English, and a swapped number
contradicts only who takes "two men" to mean no more than two.
"""

import hashlib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TypeVar

import torch
from torch import Tensor

from regard.tasks.parallel_text import Rows
from regard.tasks.sentences import BEGIN, END, IGNORED, MASK, Examples, Objective, Source
from regard.tasks.text import BytePairs, read_text

Value = TypeVar("Value")
SPECIAL = ("[begin]", "[end]", "[mask]")
SENTENCE = 28  # tokens of a sentence at most; what is longer is cut
MASKED = 0.15  # of the tokens
HELD_OUT = 0.1  # of the lines and of the captions, at their ends
ENTAILED, NEUTRAL, CONTRADICTED = 0, 1, 2
ADJECTIVES = frozenset(
    re.findall(
        r"\w+",
        """young old older elderly little small large big huge tall long short tiny white black blue red green brown
        yellow orange pink purple gray grey dark bright colorful blond blonde striped wooden beautiful pretty happy
        smiling wet muddy grassy snowy sandy dirty busy crowded bearded bald shirtless rocky empty plaid heavy plastic
        metal leather brick stone concrete professional""",
    )
)
OTHERS = frozenset(  # words that no adjective before them describes
    re.findall(
        r"\w+",
        """a an the and or in on at of with is are to by for from as while near next into over under her his their its
        that who down up through stands sits walks runs plays jumps holds looks rides watches stand sit walk play""",
    )
)
SWAPS = {
    **{"man": "woman", "woman": "man", "men": "women", "women": "men", "boy": "girl", "girl": "boy"},
    **{"boys": "girls", "girls": "boys", "male": "female", "female": "male", "lady": "gentleman", "guy": "lady"},
    **{"dog": "cat", "dogs": "cats", "horse": "cow", "two": "three", "three": "four", "four": "five", "five": "two"},
    **{"sitting": "standing", "standing": "sitting", "sits": "stands", "stands": "sits"},
}


class TextObjective(Objective):
    """An objective whose examples a corpus makes."""

    def __init__(self, name: str, classes: int) -> None:
        self.name, self.classes = name, classes


@dataclass(frozen=True, eq=False)
class Corpus(Source):
    """Lines that follow each other, pairs of a line and the next; and captions, which follow from nothing."""

    lines: tuple[tuple[str, str], ...]
    captions: tuple[str, ...]
    pieces: BytePairs
    encoded: dict[str, list[int]] = field(default_factory=dict, repr=False)  # sentences that came before

    context = 3 + 2 * SENTENCE

    @property
    def vocabulary(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return len(self.pieces)

    @cached_property
    def objectives(self) -> dict[str, Objective]:  # pyright: ignore[reportIncompatibleVariableOverride]
        classes = {"words": self.vocabulary, "next": 2, "order": 2, "inference": 3}
        return {name: TextObjective(name, count) for name, count in classes.items()}

    @cached_property
    def premises(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Captions with an adjective to drop and a word to swap: to learn from, and held out."""
        cut = len(self.captions) - int(HELD_OUT * len(self.captions))
        fits = [bool(droppable(words) and swappable(words)) for words in map(str.split, self.captions)]
        learnt, held = (
            tuple([self.captions[n] for n in part if fits[n]]) for part in (range(cut), range(cut, len(fits)))
        )
        if len(learnt) < 2 or len(held) < 2:
            raise ValueError(
                f"captions must have adjectives and nouns that the rules know: got {len(learnt)} such captions to "
                f"learn from and {len(held)} held out, of {len(self.captions)}; use English captions"
            )
        return learnt, held

    def draw(self, name: str, count: int, generator: torch.Generator, *, held_out: bool = False) -> Examples:
        if name == "inference":
            return self._inference(count, generator, held_out)
        cut = len(self.lines) - int(HELD_OUT * len(self.lines))
        lines = self.lines[cut:] if held_out else self.lines[:cut]
        pairs, targets = _draw(lines, count, generator), torch.randint(2, (count,), generator=generator)
        labels = targets.tolist()
        if name == "words":  # half of them captions, so that their words are learnt too
            firsts, seconds = (_draw(self.premises[held_out], count, generator) for _ in range(2))
            captions = zip(firsts, seconds, strict=True)
            return self._hide([a if turn else b for a, b, turn in zip(captions, pairs, labels, strict=True)], generator)
        if name == "next":
            others = _draw(lines, count, generator)
            texts = [
                (a, b if label else other) for (a, b), (_, other), label in zip(pairs, others, labels, strict=True)
            ]
        else:
            texts = [(a, invert(b) if label else b) for (a, b), label in zip(pairs, labels, strict=True)]
        tokens, lengths = self._rows(texts)
        return Examples(tokens, targets, lengths)

    def fingerprint(self) -> str:
        digest = hashlib.sha256("\n".join([*map("\t".join, self.lines), *self.captions]).encode())
        digest.update(self.pieces.json().encode())
        return digest.hexdigest()[:32]

    def _inference(self, count: int, generator: torch.Generator, held_out: bool) -> Examples:
        some = self.premises[held_out]
        targets = torch.randint(3, (count,), generator=generator)
        texts = []
        first = torch.randint(len(some), (count,), generator=generator)
        other = (first + torch.randint(1, len(some), (count,), generator=generator)) % len(some)
        rows = torch.where(targets == NEUTRAL, other, first).tolist()
        chance = random.Random(int(torch.randint(2**62, (), generator=generator)))
        for premise, row, target in zip(first.tolist(), rows, targets.tolist(), strict=True):
            texts.append((some[premise], derive(some[row], chance, swap=target == CONTRADICTED)))
        tokens, lengths = self._rows(texts)
        return Examples(tokens, targets, lengths)

    def _hide(self, texts: Sequence[tuple[str, str]], generator: torch.Generator) -> Examples:
        tokens, lengths = self._rows(texts)
        real = torch.arange(tokens.shape[1]) < lengths[:, None]
        chances = torch.rand(tokens.shape, generator=generator).masked_fill(~real | (tokens <= END), 2.0)
        hidden = (chances < MASKED) | (chances == chances.amin(1, keepdim=True))  # one at least
        return Examples(tokens.masked_fill(hidden, MASK), tokens.masked_fill(~hidden, IGNORED), lengths)

    def _rows(self, texts: Sequence[tuple[str, str]]) -> tuple[Tensor, Tensor]:
        """`[begin] first [end] second [end]`, padded."""
        rows = [[BEGIN, *self._tokens(first), END, *self._tokens(second), END] for first, second in texts]
        made = Rows.of(rows)
        return made.tokens, made.lengths

    def _tokens(self, sentence: str) -> list[int]:
        if sentence not in self.encoded:
            self.encoded[sentence] = self.pieces.encode(f" {sentence}")[:SENTENCE]
        return self.encoded[sentence]


def read_lines(path: str | PathLike[str]) -> tuple[tuple[str, str], ...]:
    """Each line of a play with the one after it in the same speech; names of speakers are no lines of a speech."""
    found = []
    for speech in re.split(r"\n\s*\n", read_text(path)):
        said = [line.strip() for line in speech.splitlines()]
        said = [line for line in (said[1:] if said and said[0].endswith(":") else said) if line]
        found += zip(said, said[1:], strict=False)
    if len(found) < 20:
        raise ValueError(f"a text must have 20 lines that follow another: got {len(found)} in {path}; use a longer one")
    return tuple(found)


def invert(sentence: str) -> str:
    """The words in inverted order.

    >>> invert("Speak, speak again.")
    'again. speak Speak,'
    """
    return " ".join(reversed(sentence.split()))


def derive(caption: str, chance: random.Random, *, swap: bool) -> str:
    """A caption without some of its adjectives, and with one word swapped for another that excludes it.

    >>> derive("An old man in a blue shirt.", random.Random(1), swap=True)
    'A woman in a blue shirt.'
    """
    words = caption.split()
    places = droppable(words)
    dropped = chance.sample(places, chance.randint(1, len(places))) if places else []
    if swap and (spots := swappable(words)):
        place = chance.choice(spots)
        stem = re.sub(r"\W", "", words[place])
        other = SWAPS[stem.lower()]
        words[place] = words[place].replace(stem, other.capitalize() if stem[0].isupper() else other)
    return _agree([word for place, word in enumerate(words) if place not in dropped])


def droppable(words: Sequence[str]) -> list[int]:
    """The places of adjectives right before a word that they describe, and not of a list of several."""
    found = []
    for place, word in enumerate(words[:-1]):
        before, after = (words[place - 1].lower() if place else ""), words[place + 1].lower()
        is_before_noun = re.fullmatch(r"[a-z]+[.,]?", after) and after not in OTHERS and not after.endswith("ing")
        is_alone = before not in ("and", "or") and not before.endswith(",")
        if word.lower() in ADJECTIVES and is_before_noun and is_alone:
            found.append(place)
    return found


def swappable(words: Sequence[str]) -> list[int]:
    """The places of words that have one that excludes them."""
    return [place for place, word in enumerate(words) if re.sub(r"\W", "", word).lower() in SWAPS]


def _agree(words: list[str]) -> str:
    """The words as a sentence: "an" before a vowel, a capital first."""
    for place, (word, after) in enumerate(zip(words, words[1:], strict=False)):
        if word.lower() in ("a", "an"):
            words[place] = word[0] + ("n" if after[0].lower() in "aeiou" else "")
    return words[0][:1].upper() + " ".join(words)[1:] if words else ""


def _draw(some: Sequence[Value], count: int, generator: torch.Generator) -> list[Value]:
    return [some[n] for n in torch.randint(len(some), (count,), generator=generator).tolist()]
