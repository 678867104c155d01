"""Encoder-decoders: one sequence from another, as the original Transformer and T5 do."""

import math
from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.algorithms.kernels.products import multiply
from regard.checks import check_known, check_parts, check_probability, check_sizes
from regard.generation import Reader
from regard.generation.sampling import pad_rows
from regard.layers.packing import apply_to_real
from regard.models.block import BlockConfig
from regard.models.cross_entropy import score_words
from regard.models.stack import PositionConfig, Stack
from regard.models.tokens import Lengths, Maps, Output, real_tokens
from regard.models.writing.readers import EncoderDecoderReader
from regard.models.writing.writer import Writer

SCALED = ("embedding", "head", "none")


@dataclass(frozen=True, kw_only=True)
class EncoderDecoderConfig:
    """One embedding for both sequences, and with `tied` for the head too.

    `scaled` is what is multiplied to make up for sharing it: "embedding", by √C, as in the original; "head", what it
    takes by 1/√C, as in T5 v1.0; or "none".

    >>> config = EncoderDecoderConfig(vocabulary=1000, depth=2, block=BlockConfig(width=64, num_heads=4))
    >>> [tokens.shape for tokens in config.inputs(2, 5)]
    [torch.Size([2, 5]), torch.Size([2, 5])]
    """

    vocabulary: int
    depth: int
    block: BlockConfig
    decoder_depth: int | None = None  # None: as depth
    positions: PositionConfig = field(default_factory=lambda: PositionConfig(kind="sinusoidal"))
    tied: bool = True
    scaled: str = "embedding"
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_sizes(self, "vocabulary", "depth")
        check_sizes(self, "decoder_depth", optional=True)
        check_parts(self, block=BlockConfig, positions=PositionConfig)
        check_probability("dropout", self.dropout)
        check_known("scaled", self.scaled, SCALED)

    def inputs(self, batch: int = 1, tokens: int | None = None, target: int | None = None) -> tuple[Tensor, Tensor]:
        """Random sources and targets to call the model with; of the context's length unless given."""
        S = tokens or self.positions.context
        return torch.randint(self.vocabulary, (batch, S)), torch.randint(self.vocabulary, (batch, target or S))


class EncoderDecoder(Writer):
    """An encoder reads the source; a decoder attends to what it made of it, and to the target so far.

    >>> config = EncoderDecoderConfig(vocabulary=1000, depth=2, block=BlockConfig(width=64, num_heads=4))
    >>> out = EncoderDecoder(config)(*config.inputs(2, 7, target=5), lengths=(7, 4), maps=True)
    >>> out.logits.shape, {name: maps[0].shape[2:] for name, maps in out.maps.items()}
    (torch.Size([2, 5, 1000]), {'encoder': torch.Size([7, 7]), 'self': torch.Size([5, 5]), 'cross': torch.Size([5, 7])})

    Vaswani et al., *Attention Is All You Need*, NeurIPS 2017. Raffel et al., *Exploring the Limits of Transfer
    Learning*, JMLR 2020.
    """

    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__()
        self.config = config
        width = config.block.width
        self.embedding = nn.Embedding(config.vocabulary, width)
        self.encoder = Stack(config.block, config.depth, config.positions, dropout=config.dropout)
        self.decoder = Stack(
            config.block,
            config.decoder_depth or config.depth,
            config.positions,
            causal=True,
            cross=True,
            dropout=config.dropout,
        )
        self.head = None if config.tied else nn.Linear(width, config.vocabulary, bias=False)
        # What is not scaled by √C begins at the size that the others have after it.
        nn.init.normal_(self.embedding.weight, std=width**-0.5 if config.scaled == "embedding" else 1.0)

    def forward(
        self,
        source: Int[Tensor, "B S"],
        target: Int[Tensor, "B T"],
        lengths: Lengths | None = None,
        maps: bool | Maps = False,
        *,
        target_lengths: Lengths | None = None,
        targets: Int[Tensor, "B T"] | None = None,
        smoothing: float = 0.0,
    ) -> Output:
        """The scores of the next word at each position of the target; `lengths` of the source's rows are real.

        With `targets`, the words to come, there is their loss in place of the scores, as of a `Decoder`.
        """
        memory, read = self.encoder(self.embed_tokens(source, lengths), lengths=lengths, maps=maps)
        x = self.embed_tokens(target, target_lengths)
        hidden, kept = self.decoder(x, lengths=target_lengths, memory=memory, memory_lengths=lengths, maps=maps)
        all_maps = None if kept is None or read is None else {"encoder": read["self"], **kept}
        if targets is not None:
            scored = score_words(self._scaled(hidden), self._weight(), targets, smoothing=smoothing)
            return Output(hidden=hidden, maps=all_maps, memory=memory, **scored._asdict())
        logits = apply_to_real(self.scores, hidden, target_lengths)
        return Output(hidden=hidden, logits=logits, maps=all_maps, memory=memory)

    def scores(self, hidden: Float[Tensor, "*B C"]) -> Float[Tensor, "*B V"]:
        """The score of each word to come next, of the decoder's tokens after the last block."""
        return multiply(self._scaled(hidden), self._weight())

    def _scaled(self, hidden: Tensor) -> Tensor:
        return hidden / math.sqrt(self.config.block.width) if self.config.scaled == "head" else hidden

    def _weight(self) -> Tensor:
        return self.embedding.weight if self.head is None else self.head.weight

    def reader(
        self, source: Int[Tensor, "B S"], lengths: tuple[int, ...] | None = None, *, capacity: int | None = None
    ) -> EncoderDecoderReader:
        """The source read once, and up to `capacity` tokens of the target, or S, to be read: for generation."""
        memory, _ = self.encoder(self.embed_tokens(source, lengths), lengths=lengths)
        return EncoderDecoderReader(self, memory, lengths, capacity or source.shape[1])

    def embed_tokens(self, tokens: Tensor, lengths: Lengths | None) -> Tensor:
        x = self.embedding(real_tokens(tokens, self.config.vocabulary, lengths))
        return x * math.sqrt(self.config.block.width) if self.config.scaled == "embedding" else x

    def begin(self, prompts: list[list[int]], max_new: int, start: int | None) -> tuple[Reader, list[list[int]]]:
        reader = self.reader(*pad_rows(prompts, self.embedding.weight.device), capacity=max_new)
        return reader, [[self.start(start)] for _ in prompts]

    def room(self, prompts: list[list[int]]) -> int | None:
        return self.config.positions.context if self.config.positions.kind == "learned" else None
