"""Sentences of a small language, and four objectives: masked words, next sentence, word order, inference.

Three of the four make their targets from the text alone. The fourth, what follows from a sentence, cannot: see
`Language`.
"""

import functools
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import pad

from regard.checks import check_whole, nearest
from regard.models import BlockConfig, Encoder, EncoderConfig, PositionConfig
from regard.models.cross_entropy import IGNORED, Scored, score_words

TOPICS: dict[str, dict[str, tuple[str, ...]]] = {
    "kitchen": {
        "nouns": ("cook", "guest", "bread", "soup"),
        "verbs": ("bakes", "stirs", "tastes"),
        "adjectives": ("warm", "fresh"),
    },
    "garden": {
        "nouns": ("gardener", "bee", "rose", "tree"),
        "verbs": ("plants", "waters", "trims"),
        "adjectives": ("green", "tall"),
    },
    "harbour": {
        "nouns": ("sailor", "gull", "boat", "net"),
        "verbs": ("tows", "mends", "loads"),
        "adjectives": ("salty", "old"),
    },
    "school": {
        "nouns": ("teacher", "pupil", "book", "map"),
        "verbs": ("reads", "draws", "folds"),
        "adjectives": ("young", "clever"),
    },
}
ADVERBS = ("often", "today", "slowly", "again")
BEGIN, END, MASK = 0, 1, 2
WORDS = (
    "[begin]",
    "[end]",
    "[mask]",
    *ADVERBS,
    *[word for topic in TOPICS.values() for words in topic.values() for word in words],
)
LENGTH = 5  # words of a sentence
FIRST, SECOND = slice(1, 1 + LENGTH), slice(2 + LENGTH, 2 + 2 * LENGTH)  # the positions of both sentences of a text


@dataclass(frozen=True, kw_only=True)
class Language:
    """A grammar, and hidden facts about its verbs.

    A sentence is an adjective, a subject, a verb and an object of one topic, with an adverb before or after them. A
    verb takes two of the four nouns of its topic as objects: `grammar` seeds which. The object of a sentence is the
    subject of the next one, which is on the same topic.

    `facts` seeds what follows from what: the verbs of each topic have an order, and a verb implies those after it. No
    sentence depends on the order: `contrary`, which reverses it, is a language of the same texts, and of any two
    sentences that differ in the verb, one follows from the other in just one of the two languages.

    >>> language = Language()
    >>> first, second = language.pairs(1, torch.Generator().manual_seed(1))[0]
    >>> to_words(first), "|", to_words(second)
    ('today tall tree plants gardener', '|', 'green gardener trims gardener often')
    """

    grammar: int = 0
    facts: int = 0
    contrary: bool = False

    def __post_init__(self) -> None:
        check_whole("grammar", self.grammar, 0)
        check_whole("facts", self.facts, 0)

    @functools.cached_property
    def objects(self) -> Int[Tensor, "topics verbs 2"]:
        """The nouns that each verb takes as objects."""
        generator = torch.Generator().manual_seed(self.grammar)
        ranks = torch.rand(len(TOPICS), 3, 4, generator=generator)
        return ranks.argsort(-1)[..., :2]

    @functools.cached_property
    def implies(self) -> Bool[Tensor, "words words"]:
        """Whether the first verb implies the second."""
        generator = torch.Generator().manual_seed(self.facts)
        table = torch.zeros(len(WORDS), len(WORDS), dtype=torch.bool)
        for verbs in _words("verbs"):
            order = verbs[torch.randperm(len(verbs), generator=generator)]
            order = order.flip(0) if self.contrary else order
            for place, verb in enumerate(order):
                table[verb, order[place + 1 :]] = True
        return table

    def pairs(self, count: int, generator: torch.Generator) -> Int[Tensor, "n 2 words"]:
        """`count` sentences, each with the one after it."""
        check_whole("count", count, 1)
        topic = torch.randint(len(TOPICS), (count,), generator=generator)
        subject = torch.randint(4, (count,), generator=generator)
        sentences = []
        for _ in range(2):
            verb, which, adjective = (torch.randint(n, (count,), generator=generator) for n in (3, 2, 2))
            thing = self.objects[topic, verb, which]
            kinds = {"adjectives": adjective, "nouns": subject, "verbs": verb}
            words = [_words(kind)[topic, number] for kind, number in kinds.items()]
            sentences.append(_with_adverb([*words, _words("nouns")[topic, thing]], generator))
            subject = thing
        return torch.stack(sentences, 1)


@functools.cache
def _words(kind: str) -> Int[Tensor, "topics n"]:
    """The words of a kind, by topic."""
    return torch.tensor([[WORDS.index(word) for word in topic[kind]] for topic in TOPICS.values()])


def _with_adverb(words: list[Tensor], generator: torch.Generator) -> Int[Tensor, "n words"]:
    count = len(words[0])
    adverb = WORDS.index(ADVERBS[0]) + torch.randint(len(ADVERBS), (count,), generator=generator)
    leads = torch.rand(count, generator=generator) < 0.5
    return torch.where(leads[:, None], torch.stack([adverb, *words], 1), torch.stack([*words, adverb], 1))


def to_words(tokens: Int[Tensor, " words"]) -> str:
    """Tokens as words.

    >>> to_words(torch.tensor([0, 7, 1]))
    '[begin] cook [end]'
    """
    return " ".join([WORDS[token] for token in tokens.tolist()])


def text(first: Int[Tensor, "n words"], second: Int[Tensor, "n words"]) -> Int[Tensor, "n tokens"]:
    """Two sentences as an encoder reads them: `[begin] first [end] second [end]`."""
    begin, end = first.new_full((len(first), 1), BEGIN), first.new_full((len(first), 1), END)
    return torch.cat((begin, first, end, second, end), 1)


@dataclass(frozen=True, eq=False)
class Examples:
    """Texts and their targets: a word at each position, `IGNORED` where none is asked for, or a class for each text.

    `lengths` of each row are real, the rest are pads; None where all of them are.
    """

    tokens: Int[Tensor, "n tokens"]
    targets: Int[Tensor, "n ..."]
    lengths: Int[Tensor, " n"] | None = None


class Objective:
    """Something to learn from texts and targets: how many classes there are, a loss, and a measure."""

    name: str
    classes: int = 2

    def examples(self, pairs: Int[Tensor, "n 2 words"], generator: torch.Generator) -> Examples:
        """Texts and targets, made of sentences and those after them."""
        raise NotImplementedError(f"{type(self).__name__} must define examples(pairs, generator)")

    def loss(self, reader: "Reader", examples: Examples) -> Float[Tensor, ""]:
        """The cross entropy of the targets."""
        return reader.score(self.name, examples).loss

    def right(self, reader: "Reader", examples: Examples) -> Bool[Tensor, " asked"]:
        """Whether each target is the guess."""
        with torch.no_grad():
            guesses, targets = self.asked(reader.score(self.name, examples).guesses, examples.targets)
        return guesses == targets

    def chance(self, examples: Examples) -> float:
        """The share that the best constant answer gets right."""
        targets = examples.targets[examples.targets != IGNORED]
        return int(targets.bincount().max()) / len(targets)

    @staticmethod
    def asked(values: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Values and targets at the positions where something is asked for."""
        wanted = targets != IGNORED
        return values[wanted], targets[wanted]


class MaskedWords(Objective):
    """One word of each sentence is hidden, and must be named.

    Devlin et al., *BERT*, NAACL 2019.
    """

    name = "words"
    classes = len(WORDS)

    def examples(self, pairs: Int[Tensor, "n 2 words"], generator: torch.Generator) -> Examples:
        tokens = text(pairs[:, 0], pairs[:, 1])
        hidden = torch.zeros_like(tokens, dtype=torch.bool)
        for places in (FIRST, SECOND):
            place = places.start + torch.randint(LENGTH, (len(tokens), 1), generator=generator)
            hidden.scatter_(1, place, True)
        return Examples(tokens.masked_fill(hidden, MASK), tokens.masked_fill(~hidden, IGNORED))


class NextSentence(Objective):
    """Whether the second sentence follows the first (1) or was taken from another text (0), each with probability ½.

    Devlin et al., *BERT*, NAACL 2019.
    """

    name = "next"

    def examples(self, pairs: Int[Tensor, "n 2 words"], generator: torch.Generator) -> Examples:
        if len(pairs) < 2:
            raise ValueError(f"another text is needed to take a sentence from: got {len(pairs)} pair; use 2 or more")
        follows = torch.rand(len(pairs), generator=generator) < 0.5
        others = pairs[:, 1].roll(1, 0)
        second = torch.where(follows[:, None], pairs[:, 1], others)
        return Examples(text(pairs[:, 0], second), follows.long())


class InvertedOrder(Objective):
    """Whether the words of the second sentence are in inverted order (1), with probability ½."""

    name = "order"

    def examples(self, pairs: Int[Tensor, "n 2 words"], generator: torch.Generator) -> Examples:
        inverted = torch.rand(len(pairs), generator=generator) < 0.5
        second = torch.where(inverted[:, None], pairs[:, 1].flip(1), pairs[:, 1])
        return Examples(text(pairs[:, 0], second), inverted.long())


@dataclass(frozen=True)
class Inference(Objective):
    """Whether the second sentence, which is the first with another verb of the topic, follows from it (1).

    The texts are made of sentences alone; the targets come from somebody who knows the facts of the language.

    Bowman et al., *A large annotated corpus for learning natural language inference*, EMNLP 2015.
    """

    language: Language
    name = "inference"

    def examples(self, pairs: Int[Tensor, "n 2 words"], generator: torch.Generator) -> Examples:
        first = pairs[:, 0]
        is_verb = torch.isin(first, _words("verbs"))
        verb = first[is_verb]
        other = _other_verbs()[verb, torch.randint(2, (len(pairs),), generator=generator)]
        second = torch.where(is_verb, other[:, None], first)
        return Examples(text(first, second), self.language.implies[verb, other].long())


@functools.cache
def _other_verbs() -> Int[Tensor, "words 2"]:
    """For each verb, the other verbs of its topic."""
    table = torch.zeros(len(WORDS), 2, dtype=torch.long)
    for verbs in _words("verbs"):
        for verb in verbs:
            table[verb] = verbs[verbs != verb]
    return table


def objectives(language: Language) -> dict[str, Objective]:
    """The four objectives, by name."""
    every = (MaskedWords(), NextSentence(), InvertedOrder(), Inference(language))
    return {objective.name: objective for objective in every}


class Source(ABC):
    """Where examples of the four objectives come from; `context` is the longest text."""

    vocabulary: int
    context: int
    objectives: Mapping[str, Objective]

    @abstractmethod
    def draw(self, name: str, count: int, generator: torch.Generator, *, held_out: bool = False) -> Examples:
        """New examples of an objective; those that are held out are of texts that are never learnt from."""

    @abstractmethod
    def fingerprint(self) -> str:
        """A text that differs for other texts."""


@dataclass(frozen=True)
class MadeUp(Source):
    """Examples of a small language, each drawn anew: those of another generator are of other texts.

    >>> MadeUp(Language()).draw("next", 3, torch.Generator()).tokens.shape
    torch.Size([3, 13])
    """

    language: Language

    vocabulary = len(WORDS)
    context = 3 + 2 * LENGTH

    @functools.cached_property
    def objectives(self) -> dict[str, Objective]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return objectives(self.language)

    def draw(self, name: str, count: int, generator: torch.Generator, *, held_out: bool = False) -> Examples:
        return self.objectives[name].examples(self.language.pairs(count, generator), generator)

    def fingerprint(self) -> str:
        return ""


class Reader(nn.Module):
    """An encoder that scores the words at each position, and an objective's classes by its pooled vector.

    >>> source = MadeUp(Language())
    >>> reader = Reader(source, ("words", "next"), width=16)
    >>> [reader.score(name, source.draw(name, 3, torch.Generator())).guesses.shape for name in ("words", "next")]
    [torch.Size([3, 13]), torch.Size([3])]
    """

    def __init__(
        self,
        source: Source,
        names: Sequence[str],
        *,
        width: int = 32,
        depth: int = 1,
        num_heads: int = 4,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.encoder = Encoder(
            EncoderConfig(
                vocabulary=source.vocabulary,
                depth=depth,
                block=BlockConfig(width=width, num_heads=num_heads, hidden=2 * width),
                positions=PositionConfig(context=source.context),
                heads=("pooler", "words"),
                dropout=dropout,
            )
        )
        classes = {name: source.objectives[name].classes for name in names if name != MaskedWords.name}
        self.judges = nn.ModuleDict({name: nn.Linear(width, count) for name, count in classes.items()})

    def forward(self, texts: Mapping[str, Examples]) -> Float[Tensor, " objectives"]:
        """The mean loss of the targets of each objective."""
        return torch.stack([self.score(name, examples).loss for name, examples in texts.items()])

    def score(self, name: str, examples: Examples) -> Scored:
        """How the targets of the objective of that name are scored: words, or a class for each text."""
        tokens, lengths, targets = examples.tokens, examples.lengths, examples.targets
        if name == MaskedWords.name:
            out = self.encoder(tokens, lengths, types=types(tokens), targets=targets)
            return Scored(out.loss, out.nats, out.guesses)
        if name not in self.judges:
            raise ValueError(f"no objective {name!r} here: {nearest(name, [MaskedWords.name, *self.judges])}")
        judge = self.judges[name]
        assert isinstance(judge, nn.Linear)
        pooled = self.encoder(tokens, lengths, types=types(tokens)).pooled
        return score_words(pooled, judge.weight, targets, judge.bias)

    def features(self, examples: Examples) -> Float[Tensor, "n C"]:
        """Features for a probe: tokens where a word is asked for, else the first one and the mean of each sentence."""
        tokens, lengths = examples.tokens, examples.lengths
        with torch.no_grad():
            hidden = self.encoder(tokens, lengths, types=types(tokens)).hidden
        if examples.targets.ndim == 2:
            return Objective.asked(hidden, examples.targets)[0]
        places = torch.arange(tokens.shape[1], device=tokens.device)
        real = (tokens != BEGIN) & (tokens != END)
        if lengths is not None:
            real = real & (places < lengths[:, None])
        parts = [(real & (types(tokens) == part)).to(hidden.dtype) for part in (0, 1)]
        means = [(part[:, None] @ hidden)[:, 0] / part.sum(1, keepdim=True).clamp(min=1) for part in parts]
        return torch.cat((hidden[:, 0], *means), 1)


def types(tokens: Int[Tensor, "n tokens"]) -> Int[Tensor, "n tokens"]:
    """0 up to the end of the first sentence, 1 after it.

    >>> types(torch.tensor([[BEGIN, 7, END, 8, 9, END]])).tolist()
    [[0, 0, 0, 1, 1, 1]]
    """
    ends = (tokens == END).long()
    return (ends.cumsum(1) - ends).clamp(max=1)


def probe(
    reader: Reader, objective: Objective, train: Examples, test: Examples, *, ridge: float = 1e-3
) -> Bool[Tensor, " asked"]:
    """Whether a linear map of frozen features, fitted to `train`, guesses each target of `test`.

    W = argmin ‖F W − Y‖² + ridge·n·‖W‖², Y one-hot, F with a column of ones; the guess is the largest of f W.
    """
    found, asked = (pad(reader.features(examples).cpu().double(), (0, 1), value=1.0) for examples in (train, test))
    targets, wanted = (examples.targets[examples.targets != IGNORED].cpu() for examples in (train, test))
    answers = torch.eye(objective.classes, dtype=found.dtype)[targets]
    penalty = ridge * len(found) * torch.eye(found.shape[1], dtype=found.dtype)
    weights = torch.linalg.solve(found.mT @ found + penalty, found.mT @ answers)
    return (asked @ weights).argmax(-1) == wanted
