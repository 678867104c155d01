"""The vision transformer: an image as a sequence of patches."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.algorithms.problem import nearest
from regard.attention import Grid
from regard.layers import Patches, SinusoidalPositions
from regard.layers.multihead import check_divides
from regard.models.block import BlockConfig
from regard.models.configuration import check_dropout, check_parts, check_sizes
from regard.models.stack import PositionConfig, Stack
from regard.models.tokens import Output

POSITIONS = ("learned", "sinusoidal")


@dataclass(frozen=True, kw_only=True)
class ViTConfig:
    """Images of `image` × `image` pixels in patches of `patch` × `patch`.

    "learned" positions are a vector for each patch and the class token, "sinusoidal" ones waves of row and column.

    >>> config = ViTConfig(depth=2, block=BlockConfig(width=64, num_heads=4))
    >>> config.num_tokens, [images.shape for images in config.inputs(2)]
    (197, [torch.Size([2, 3, 224, 224])])
    """

    depth: int
    block: BlockConfig
    image: int = 224
    patch: int = 16
    channels: int = 3
    classes: int = 1000
    positions: str = "learned"
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_sizes(self, "depth", "image", "patch", "channels", "classes")
        check_parts(self, block=BlockConfig)
        check_divides("image", self.image, "patch", self.patch)
        check_dropout(self.dropout)
        if self.positions not in POSITIONS:
            raise ValueError(f"unknown positions {self.positions!r}: {nearest(self.positions, list(POSITIONS))}")

    @property
    def num_tokens(self) -> int:
        """The patches and the class token."""
        return (self.image // self.patch) ** 2 + 1

    def inputs(self, batch: int = 1, tokens: int | None = None) -> tuple[Tensor]:
        """Random images to call the model with; the configuration says how many tokens they are."""
        if tokens not in (None, self.num_tokens):
            raise ValueError(
                f"images of {self.image} pixels in patches of {self.patch} are {self.num_tokens} tokens: got "
                f"tokens={tokens}; use vary(config, image=…)"
            )
        return (torch.randn(batch, self.channels, self.image, self.image),)


class ViT(nn.Module):
    """Patches and a class token through a stack of blocks; the class token says what the image shows.

    >>> model = ViT(ViTConfig(depth=2, block=BlockConfig(width=64, num_heads=4), image=32, patch=8))
    >>> out = model(torch.randn(2, 3, 32, 32))
    >>> out.hidden.shape, out.logits.shape
    (torch.Size([2, 17, 64]), torch.Size([2, 1000]))

    Dosovitskiy et al., *An Image is Worth 16×16 Words*, ICLR 2021.
    """

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        self.config = config
        width = config.block.width
        self.patches = Patches(config.patch, width, config.channels)
        self.waves = SinusoidalPositions(width) if config.positions == "sinusoidal" else None
        self.class_token = nn.Parameter(torch.empty(width))
        kind = "none" if config.positions == "sinusoidal" else "learned"
        positions = PositionConfig(kind=kind, context=config.num_tokens)
        self.stack = Stack(config.block, config.depth, positions, dropout=config.dropout)
        self.head = nn.Linear(width, config.classes)
        nn.init.normal_(self.class_token, std=0.02)

    def forward(self, images: Float[Tensor, "B channels h w"], maps: bool = False) -> Output:
        """The scores of the classes, and all tokens, the class token first."""
        config = self.config
        size = (config.channels, config.image, config.image)
        if images.ndim != 4 or tuple(images.shape[1:]) != size:
            raise ValueError(f"images must be {('B', *size)}: got shape {tuple(images.shape)}; resize them")
        x = self.patches(images)
        if self.waves is not None:
            x = x + self.waves(Grid(config.image // config.patch, config.image // config.patch), x)
        first = self.class_token.expand(x.shape[0], 1, -1)
        hidden, kept = self.stack(torch.cat((first, x), 1), maps=maps)
        return Output(hidden=hidden, logits=self.head(hidden[:, 0]), maps=kept)
