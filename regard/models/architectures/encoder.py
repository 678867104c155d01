"""Encoders: each word from all the words around it, as BERT does."""

from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.algorithms import Context
from regard.algorithms.kernels.products import multiply
from regard.attention import Documents
from regard.checks import check_known, check_parts, check_probability, check_sizes, check_whole
from regard.layers.feed_forward import ACTIVATIONS, apply_linear
from regard.layers.packing import apply_to_real
from regard.models.block import BlockConfig
from regard.models.cross_entropy import score_words
from regard.models.stack import PositionConfig, Stack
from regard.models.tokens import Cuts, Maps, Output, real_tokens

HEADS = ("pooler", "words", "next_sentence", "sequence_labels", "token_labels")
PRETRAINING = HEADS[:3]
POOLING = {"tanh": torch.tanh, "relu": torch.relu}


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """BERT is the default but for its sizes, when its block is post-norm.

    `heads` are any of "pooler", which makes one vector of a sequence; "words", which guesses words that are masked;
    "next_sentence", which tells from the pooled vector whether the second sentence follows the first; and one of
    "sequence_labels", which scores `labels` by the pooled vector, and "token_labels", which scores them for each token.

    >>> from regard.models import NormConfig
    >>> block = BlockConfig(width=64, num_heads=4, norm=NormConfig(eps=1e-12, first=False))
    >>> config = EncoderConfig(vocabulary=1000, depth=2, block=block)
    >>> [tokens.shape for tokens in config.inputs(2, 5)]
    [torch.Size([2, 5])]
    """

    vocabulary: int
    depth: int
    block: BlockConfig
    positions: PositionConfig = field(default_factory=PositionConfig)
    num_types: int = 2  # kinds of tokens: first and second sentence
    heads: tuple[str, ...] = PRETRAINING
    labels: int = 2
    pooling: str = "tanh"  # or "relu": of the pooled vector
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_sizes(self, "vocabulary", "depth", "labels")
        check_whole("num_types", self.num_types, 0)
        check_known("pooling", self.pooling, POOLING)
        check_parts(self, block=BlockConfig, positions=PositionConfig)
        check_probability("dropout", self.dropout)
        if not isinstance(self.heads, tuple):
            raise ValueError(f"heads must be a tuple of names: got {self.heads!r}; use ('words',)")
        for name in self.heads:
            check_known("head", name, HEADS)
        for name in ("next_sentence", "sequence_labels"):
            if name in self.heads and "pooler" not in self.heads:
                raise ValueError(f"{name} reads what the pooler gives: got heads={self.heads}; add 'pooler'")
        if len({"words", "sequence_labels", "token_labels"} & set(self.heads)) > 1:
            raise ValueError(f"one head gives the logits: got heads={self.heads}; leave one of them out")

    def inputs(self, batch: int = 1, tokens: int | None = None) -> tuple[Tensor]:
        """Random tokens to call the model with; as many as the context unless given."""
        return (torch.randint(self.vocabulary, (batch, tokens or self.positions.context)),)


class WordHead(nn.Module):
    """Scores of all words at each position: a transform, then the embedding itself, and a number for each word.

    logits = norm(σ(x W + b)) Eᵀ + c        E: the embedding
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        block = config.block
        self.activation = block.activation
        self.transform = nn.Linear(block.width, block.width)
        self.norm = block.norm.make(block.width)
        self.bias = nn.Parameter(torch.zeros(config.vocabulary))

    def forward(self, x: Float[Tensor, "B T C"], embedding: Float[Tensor, "V C"]) -> Float[Tensor, "B T V"]:
        return multiply(self.transformed(x), embedding, self.bias)

    def transformed(self, x: Float[Tensor, "B T C"]) -> Float[Tensor, "B T C"]:
        return self.norm(ACTIVATIONS[self.activation](apply_linear(self.transform, x)))


class Encoder(nn.Module):
    """Embeddings of words, positions and types, blocks that see all tokens, and the heads that the configuration names.

    >>> from regard.models import NormConfig
    >>> block = BlockConfig(width=64, num_heads=4, norm=NormConfig(eps=1e-12, first=False))
    >>> model = Encoder(EncoderConfig(vocabulary=1000, depth=2, block=block))
    >>> out = model(torch.randint(1000, (2, 5)), lengths=(5, 3))
    >>> out.logits.shape, out.pooled.shape, out.next_sentence.shape
    (torch.Size([2, 5, 1000]), torch.Size([2, 64]), torch.Size([2, 2]))

    Devlin et al., *BERT*, NAACL 2019.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        width = config.block.width
        self.embedding = nn.Embedding(config.vocabulary, width)
        self.types = nn.Embedding(config.num_types, width) if config.num_types else None
        post_norm = not config.block.norm.first
        self.stack = Stack(config.block, config.depth, config.positions, entry_norm=post_norm, dropout=config.dropout)
        self.pooler = nn.Linear(width, width) if "pooler" in config.heads else None
        self.words = WordHead(config) if "words" in config.heads else None
        self.next_sentence = nn.Linear(width, 2) if "next_sentence" in config.heads else None
        labelled = {"sequence_labels", "token_labels"} & set(config.heads)
        self.classifier = nn.Linear(width, config.labels) if labelled else None
        for table in (self.embedding, self.types):
            if table is not None:
                nn.init.normal_(table.weight, std=0.02)

    def forward(
        self,
        tokens: Int[Tensor, "B T"],
        lengths: Cuts | None = None,
        maps: bool | Maps = False,
        *,
        types: Int[Tensor, "B T"] | None = None,
        context: Context | None = None,
        targets: Int[Tensor, "B T"] | None = None,
    ) -> Output:
        """Read the tokens; `lengths` of each row are real, the rest are pads. `types` are 0 unless given.

        Or `lengths` are the `Documents` that rows are packed with, each of which is read as if it were alone; then
        nothing is pooled. With a `context` tokens and types are this process's part of the rows, as `context.split`
        gives them, of which `lengths` are the whole; nothing is pooled then either. With `targets`, words, `IGNORED`
        where none is asked for, there is their loss in place of the scores of words, as of a `Decoder`.
        """
        tokens = real_tokens(tokens, self.config.vocabulary, lengths, context)
        if types is not None:
            if self.types is None:
                raise ValueError("tokens have no types in this model: got types, and num_types=0; leave them out")
            x = self.embedding(tokens) + self.types(real_tokens(types, self.config.num_types, lengths, context))
        else:
            x = self.embed_tokens(tokens)
        hidden, kept = self.stack(x, lengths=lengths, maps=maps, context=context)
        alone = not isinstance(lengths, Documents) and context is None
        lengths = lengths if context is None else None
        pooled = self.pool(hidden) if self.pooler is not None and alone else None
        logits, scored = None, {}
        if targets is not None:
            scored = self._score(hidden, targets)
        elif (head := self.words) is not None:
            logits = apply_to_real(lambda x: head(x, self.embedding.weight), hidden, lengths)
        elif self.classifier is not None and "token_labels" in self.config.heads:
            logits = apply_to_real(self.classifier, hidden, lengths)
        elif self.classifier is not None and pooled is not None:
            logits = self.classifier(pooled)
        follows = self.next_sentence(pooled) if self.next_sentence is not None and alone else None
        return Output(hidden=hidden, logits=logits, maps=kept, pooled=pooled, next_sentence=follows, **scored)

    def _score(self, hidden: Float[Tensor, "B T C"], targets: Int[Tensor, "B T"]) -> dict[str, Tensor]:
        if self.words is None:
            raise ValueError(f"targets are words: got heads={self.config.heads}; add 'words'")
        return score_words(self.words.transformed(hidden), self.embedding.weight, targets, self.words.bias)._asdict()

    def embed_tokens(self, tokens: Int[Tensor, "B T"]) -> Float[Tensor, "B T C"]:
        """Tokens of the first type, before positions."""
        x = self.embedding(tokens)
        return x if self.types is None else x + self.types.weight[0]

    def pool(self, hidden: Float[Tensor, "B T C"]) -> Float[Tensor, "B C"]:
        """One vector of each sequence: what the pooler makes of its first token."""
        assert self.pooler is not None
        return POOLING[self.config.pooling](self.pooler(hidden[:, 0]))
