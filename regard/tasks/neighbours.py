"""A task that needs several heads: words stand in a ring, and each position names the words around it."""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from regard.checks import check_whole
from regard.models import BlockConfig, Encoder, EncoderConfig, PositionConfig


@dataclass(frozen=True, kw_only=True)
class Ring:
    """Rings of random words; each position is asked for the words at `neighbours`, offsets from it.

    >>> ring = Ring(words=8, tokens=4, neighbours=(-1, 2))
    >>> ring.truth(torch.tensor([[5, 6, 7, 0]])).tolist()
    [[[0, 7], [5, 0], [6, 5], [7, 6]]]
    """

    words: int = 8
    tokens: int = 10
    neighbours: tuple[int, ...] = (-2, -1, 1, 2)

    def __post_init__(self) -> None:
        check_whole("words", self.words, 2)
        check_whole("tokens", self.tokens, 2)
        if not self.neighbours or len({shift % self.tokens for shift in self.neighbours}) < len(self.neighbours):
            raise ValueError(
                f"neighbours must be different positions of a ring of {self.tokens}: got neighbours={self.neighbours}; "
                "leave out what is named twice"
            )

    def draw(self, size: int, generator: torch.Generator) -> Int[Tensor, "B T"]:
        """`size` random rings."""
        return torch.randint(self.words, (size, self.tokens), generator=generator)

    def truth(self, words: Int[Tensor, "B T"]) -> Int[Tensor, "B T N"]:
        """The words at the N neighbours of each position."""
        return torch.stack([words.roll(-shift, 1) for shift in self.neighbours], 2)

    def loss(self, model: Any, words: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
        """Cross-entropy of a neighbour, in nats."""
        return functional.cross_entropy(model(words).flatten(0, 2), self.truth(words).flatten())

    def accuracy(self, model: Any, words: Int[Tensor, "B T"]) -> float:
        """The share of the neighbours that are named right."""
        with torch.no_grad():
            return (model(words).argmax(-1) == self.truth(words)).double().mean().item()


class Neighbours(nn.Module):
    """One block with `num_heads` heads, and the logits of the words at each neighbour of each position.

    >>> model = Neighbours(Ring(words=8, tokens=10), width=32, num_heads=4)
    >>> model(torch.randint(8, (3, 10))).shape, model.maps(torch.randint(8, (3, 10))).shape
    (torch.Size([3, 10, 4, 8]), torch.Size([3, 4, 10, 10]))
    """

    def __init__(self, ring: Ring, *, width: int, num_heads: int) -> None:
        super().__init__()
        self.sizes = len(ring.neighbours), ring.words
        block = BlockConfig(width=width, num_heads=num_heads, hidden=width)
        positions = PositionConfig(context=ring.tokens)
        self.encoder = Encoder(
            EncoderConfig(vocabulary=ring.words, depth=1, block=block, positions=positions, num_types=1, heads=())
        )
        self.head = nn.Linear(width, ring.words * len(ring.neighbours))

    def forward(self, words: Int[Tensor, "B T"]) -> Float[Tensor, "B T N V"]:
        return self.head(self.encoder(words).hidden).unflatten(2, self.sizes)

    def maps(self, words: Int[Tensor, "B T"]) -> Float[Tensor, "B H T T"]:
        """The attention map of each head."""
        return self.encoder(words, maps=True).maps["self"][0]
