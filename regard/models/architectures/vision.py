"""The vision transformer: an image as a sequence of patches."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from regard.attention import Grid, Sequence
from regard.checks import check_divides, check_known, check_parts, check_probability, check_sizes
from regard.layers import LearnedPositions, Patches, SinusoidalPositions
from regard.models.block import BlockConfig
from regard.models.stack import PositionConfig, Stack
from regard.models.tokens import Maps, Output, ReadsImages

POSITIONS = ("learned", "sinusoidal")


@dataclass(frozen=True, kw_only=True)
class ViTConfig(ReadsImages):
    """Images of `image` × `image` pixels in patches of `patch` × `patch`.

    "learned" positions are a vector for each patch and the class token, "sinusoidal" ones waves of row and column.
    Without `classes` there is no head; `pooler` makes one vector of an image.

    >>> config = ViTConfig(depth=2, block=BlockConfig(width=64, num_heads=4))
    >>> config.num_tokens, [images.shape for images in config.inputs(2)]
    (197, [torch.Size([2, 3, 224, 224])])
    """

    depth: int
    block: BlockConfig
    image: int = 224
    patch: int = 16
    channels: int = 3
    classes: int | None = 1000
    positions: str = "learned"
    pooler: bool = False  # tanh(W · class token + b)
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_sizes(self, "depth", "image", "patch", "channels", *([] if self.classes is None else ["classes"]))
        check_parts(self, block=BlockConfig)
        check_divides("image", self.image, "patch", self.patch)
        check_probability("dropout", self.dropout)
        check_known("positions", self.positions, POSITIONS)

    @property
    def num_tokens(self) -> int:
        """The patches and the class token."""
        return (self.image // self.patch) ** 2 + 1


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
        self.class_token = nn.Parameter(torch.empty(width))
        waves = config.positions == "sinusoidal"
        self.positions = SinusoidalPositions(width) if waves else LearnedPositions(config.num_tokens, width)
        self.stack = Stack(config.block, config.depth, PositionConfig(kind="none"), dropout=config.dropout)
        self.pooler = nn.Linear(width, width) if config.pooler else None
        self.head = None if config.classes is None else nn.Linear(width, config.classes)
        nn.init.normal_(self.class_token, std=0.02)

    def forward(
        self, images: Float[Tensor, "B channels h w"], maps: bool | Maps = False, *, interpolate: bool = False
    ) -> Output:
        """The scores of the classes, and all tokens, the class token first.

        With `interpolate` images may have another size, and sides that differ, if patches divide them: learned
        positions are interpolated between their places, and waves are taken where the patches stand.
        """
        config = self.config
        size = (config.channels, config.image, config.image)
        if not interpolate and (images.ndim != 4 or tuple(images.shape[1:]) != size):
            raise ValueError(
                f"images must be {('B', *size)}: got shape {tuple(images.shape)}; resize them, or use interpolate=True"
            )
        patches = self.patches(images)
        first = self.class_token.expand(patches.shape[0], 1, -1)
        x = self._placed(first, patches, Grid(images.shape[2] // config.patch, images.shape[3] // config.patch))
        hidden, kept = self.stack(x, maps=maps)
        pooled = None if self.pooler is None else self.pooler(hidden[:, 0]).tanh()
        logits = None if self.head is None else self.head(hidden[:, 0])
        return Output(hidden=hidden, logits=logits, maps=kept, pooled=pooled)

    def _placed(
        self, first: Float[Tensor, "B 1 C"], patches: Float[Tensor, "B P C"], grid: Grid
    ) -> Float[Tensor, "B T C"]:
        """The class token and the patches, with what the positions add to them."""
        if isinstance(self.positions, SinusoidalPositions):
            return torch.cat((first, patches + self.positions(grid, patches)), 1)
        side = self.config.image // self.config.patch
        added = self.positions(Sequence(self.config.num_tokens))
        if (grid.h, grid.w) != (side, side):
            learned = added[1:].mT.unflatten(1, (side, side))[None]  # (P, C) → (1, C, side, side)
            moved = functional.interpolate(learned, (grid.h, grid.w), mode="bicubic", align_corners=False)
            added = torch.cat((added[:1], moved[0].flatten(1).mT))
        return torch.cat((first, patches), 1) + added
