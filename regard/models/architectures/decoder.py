"""Decoders: the next word from those before it, as GPT-2 and Llama do."""

from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.algorithms import Context
from regard.algorithms.kernels.products import multiply
from regard.attention import Cache
from regard.checks import check_parts, check_probability, check_sizes
from regard.generation import Reader
from regard.layers.feed_forward import apply_linear
from regard.layers.packing import apply_to_real
from regard.models.block import BlockConfig
from regard.models.cross_entropy import score_words
from regard.models.stack import Caches, PositionConfig, Stack
from regard.models.tokens import Cuts, Maps, Output, real_tokens
from regard.models.writing.readers import DecoderReader, WholeReader, make_caches, make_reader
from regard.models.writing.writer import Session, Writer


@dataclass(frozen=True, kw_only=True)
class DecoderConfig:
    """GPT-2 is the default but for its sizes; Llama differs in its block and positions.

    >>> config = DecoderConfig(vocabulary=1000, depth=2, block=BlockConfig(width=64, num_heads=4))
    >>> [tokens.shape for tokens in config.inputs(2, 5)]
    [torch.Size([2, 5])]
    """

    vocabulary: int
    depth: int
    block: BlockConfig
    positions: PositionConfig = field(default_factory=PositionConfig)
    tied: bool = True  # the head is the embedding
    headless: bool = False  # no scores of words
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_sizes(self, "vocabulary", "depth")
        check_parts(self, block=BlockConfig, positions=PositionConfig)
        check_probability("dropout", self.dropout)
        if self.headless and self.tied:
            raise ValueError("a head that is not there cannot be tied: got headless=True, tied=True; use tied=False")

    def inputs(self, batch: int = 1, tokens: int | None = None) -> tuple[Tensor]:
        """Random tokens to call the model with; as many as the context unless given."""
        return (torch.randint(self.vocabulary, (batch, tokens or self.positions.context)),)


class Decoder(Writer):
    """Embedding, causal blocks, and a score for each word of the vocabulary at each position.

    >>> model = Decoder(DecoderConfig(vocabulary=1000, depth=2, block=BlockConfig(width=64, num_heads=4)))
    >>> out = model(torch.randint(1000, (2, 5)), lengths=(5, 3), maps=True)
    >>> out.logits.shape, len(out.maps["self"]), out.maps["self"][0].shape
    (torch.Size([2, 5, 1000]), 2, torch.Size([2, 4, 5, 5]))

    Radford et al., *Language Models are Unsupervised Multitask Learners*, 2019. Touvron et al., *LLaMA*, 2023.
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.block.width)
        self.stack = Stack(config.block, config.depth, config.positions, causal=True, dropout=config.dropout)
        own_head = not (config.tied or config.headless)
        self.head = nn.Linear(config.block.width, config.vocabulary, bias=False) if own_head else None
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(
        self,
        tokens: Int[Tensor, "B T"],
        lengths: Cuts | None = None,
        maps: bool | Maps = False,
        *,
        caches: Caches | None = None,
        context: Context | None = None,
        targets: Int[Tensor, "B T"] | None = None,
        smoothing: float = 0.0,
    ) -> Output:
        """The scores of the next word at each position; `lengths` of each row are real, the rest are pads.

        Or `lengths` are the `Documents` that rows are packed with, each of which is read as if it were alone. With
        `caches` the tokens are a piece that goes on from what the caches hold, which they are then added to; packed
        documents go to caches that are empty and have a row for each.

        With a `context` the tokens are this process's part of the rows, as `context.split` gives them, and so are the
        scores; `lengths` are those of the whole rows.

        With `targets`, the words to come, `IGNORED` where none is asked for, there is their loss in place of the
        scores, which are never held all at once: see `regard.models.cross_entropy`.
        """
        tokens = real_tokens(tokens, self.config.vocabulary, lengths, context)
        hidden, kept = self.stack(self.embedding(tokens), lengths=lengths, caches=caches, maps=maps, context=context)
        if targets is not None:
            scored = score_words(hidden, self._weight(), targets, smoothing=smoothing)
            return Output(hidden=hidden, maps=kept, **scored._asdict())
        own = lengths if context is None else None
        logits = None if self.config.headless else apply_to_real(self.scores, hidden, own)
        return Output(hidden=hidden, logits=logits, maps=kept)

    def scores(self, hidden: Float[Tensor, "*B C"]) -> Float[Tensor, "*B V"]:
        """The score of each word to come next, of tokens after the last block."""
        weight = self._weight()
        return multiply(hidden, weight) if self.head is None else apply_linear(self.head, hidden)

    def _weight(self) -> Float[Tensor, "V C"]:
        if self.config.headless:
            raise ValueError("words are scored by a head: got headless=True; use a model that has one")
        return self.embedding.weight if self.head is None else self.head.weight

    def reader(self, batch: int, capacity: int) -> DecoderReader | WholeReader:
        """Nothing read yet, in `batch` rows of up to `capacity` tokens: for generation."""
        return make_reader(self, batch, capacity)

    def caches(self, batch: int, capacity: int) -> tuple[Cache, ...]:
        """Empty caches, one for each block, of `batch` rows of up to `capacity` tokens.

        Where the blocks attend through a window, the tokens that it still sees are kept, if that is less.
        """
        return make_caches(self.stack, self.config.block, batch, capacity, self.embedding.weight)

    def begin(self, prompts: list[list[int]], max_new: int, start: int | None) -> tuple[Reader, list[list[int]]]:
        if start is not None:
            raise ValueError(f"a decoder goes on from the prompt: got start={start}; put it before the prompt")
        return self.reader(len(prompts), max([len(prompt) for prompt in prompts]) + max_new - 1), prompts

    def room(self, prompts: list[list[int]]) -> int | None:
        positions = self.config.positions  # the last token that is written needs no position yet
        return positions.context + 1 - max([len(row) for row in prompts]) if positions.kind == "learned" else None

    def session(self, capacity: int) -> Session:
        """Turns of reading and writing, up to `capacity` tokens together."""
        return Session(self, capacity)
