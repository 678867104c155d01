"""Decoders: the next word from those before it, as GPT-2 and Llama do."""

from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn
from torch.nn.functional import linear

from regard.attention import Cache, Window
from regard.models.block import BlockConfig
from regard.models.configuration import check_dropout, check_parts, check_sizes
from regard.models.stack import PositionConfig, Stack
from regard.models.tokens import Lengths, Output, real_tokens


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
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_sizes(self, "vocabulary", "depth")
        check_parts(self, block=BlockConfig, positions=PositionConfig)
        check_dropout(self.dropout)

    def inputs(self, batch: int = 1, tokens: int | None = None) -> tuple[Tensor]:
        """Random tokens to call the model with; as many as the context unless given."""
        return (torch.randint(self.vocabulary, (batch, tokens or self.positions.context)),)


class Decoder(nn.Module):
    """Embedding, causal blocks, and a score for each word of the vocabulary at each place.

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
        self.head = None if config.tied else nn.Linear(config.block.width, config.vocabulary, bias=False)
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(
        self,
        tokens: Int[Tensor, "B T"],
        lengths: Lengths | None = None,
        maps: bool = False,
        *,
        caches: tuple[Cache, ...] | list[Cache] | None = None,
    ) -> Output:
        """The scores of the next word at each place; `lengths` of each row are real, the rest are pads.

        With `caches` the tokens are a piece that goes on from what the caches hold, which they are then added to.
        """
        tokens = real_tokens(tokens, self.config.vocabulary, lengths)
        hidden, kept = self.stack(self.embedding(tokens), lengths=lengths, caches=caches, maps=maps)
        logits = linear(hidden, self.embedding.weight) if self.head is None else self.head(hidden)
        return Output(hidden=hidden, logits=logits, maps=kept)

    def caches(self, batch: int, capacity: int) -> tuple[Cache, ...]:
        """Empty caches, one for each block, of `batch` rows of up to `capacity` tokens.

        Where the blocks attend through a window, the tokens that it still sees are kept, if that is less.
        """
        block, weight = self.config.block, self.embedding.weight
        mask, room = block.mechanism.mask, {"capacity": capacity}
        if type(mask) is Window and mask.before is not None and 2 * (mask.before + 1) < capacity:
            room = {"window": mask.before + 1}
        sizes: dict[str, Any] = room | {"dtype": weight.dtype, "device": weight.device}
        return tuple([Cache(batch, block.groups, block.head_width, **sizes) for _ in self.stack.blocks])
