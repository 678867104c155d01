"""DaViT: stages of dual blocks, which attend in windows and between channels."""

from dataclasses import dataclass
from typing import Literal

from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Content, Grid
from regard.checks import check_divides, check_probability, check_sizes, check_stages
from regard.layers import DualBlock
from regard.models.tokens import Maps, Output, ReadsImages


@dataclass(frozen=True, kw_only=True)
class DaViTConfig(ReadsImages):
    """Stages of `depths` dual blocks, each of half the resolution of the one before; the first has 1/`patch` of it.

    There are as many groups of channels as heads. `beta` is that of the channels: None is the paper's 1/√(C/G),
    "positions" Florence-2's 1/√T. `stochastic_depth` is the share of rows that pass by the last block in training; it
    grows to that from 0 at the first. Without changes it is DaViT-Tiny.

    >>> config = DaViTConfig()
    >>> config.stride, config.num_tokens, [images.shape for images in config.inputs(2)]
    (32, 49, [torch.Size([2, 3, 224, 224])])
    """

    image: int = 224
    patch: int = 4
    classes: int = 1000
    widths: tuple[int, ...] = (96, 192, 384, 768)
    depths: tuple[int, ...] = (1, 1, 3, 1)
    num_heads: tuple[int, ...] = (3, 6, 12, 24)
    window: int = 7
    beta: float | int | Literal["positions"] | None = None
    dropout: float = 0.0
    stochastic_depth: float = 0.0

    def __post_init__(self) -> None:
        check_sizes(self, "image", "patch", "classes", "window")
        check_stages(self, "widths", "depths", "num_heads")
        for stage, (width, num_heads) in enumerate(zip(self.widths, self.num_heads, strict=True)):
            check_divides(f"widths[{stage}]", width, f"num_heads[{stage}]", num_heads)
        if self.image % self.stride:
            raise ValueError(
                f"image must be a multiple of patch and of 2 for each later stage, {self.stride}: got "
                f"image={self.image}; use {-(-self.image // self.stride) * self.stride}"
            )
        if isinstance(self.beta, str) and self.beta != "positions":
            raise ValueError(f"beta must be a number or 'positions': got beta={self.beta!r}; leave it out for 1/√(C/G)")
        if not isinstance(self.beta, str):
            Content(self.beta)  # refuses what is not finite
        check_probability("dropout", self.dropout)
        check_probability("stochastic_depth", self.stochastic_depth)

    @property
    def stride(self) -> int:
        """Pixels of the image along a side of a token of the last stage."""
        return self.patch * 2 ** (len(self.widths) - 1)

    @property
    def num_tokens(self) -> int:
        """Those of the last stage."""
        return (self.image // self.stride) ** 2


class Embedding(nn.Module):
    """The tokens of a stage, by a convolution of what comes before it, with a norm on the side of the tokens.

        first stage      y = norm(conv(image))     of 2·patch − 1 pixels along a side, every `patch` pixels
        later ones       y = conv(norm(x))         of 2×2 tokens side by side

    With patch = 4 the first is the paper's 7×7 of stride 4.
    """

    def __init__(self, config: DaViTConfig, stage: int) -> None:
        super().__init__()
        width, patch, self.is_first = config.widths[stage], config.patch, stage == 0
        if self.is_first:
            self.conv, self.norm = nn.Conv2d(3, width, 2 * patch - 1, patch, patch - 1), nn.LayerNorm(width)
        else:
            before = config.widths[stage - 1]
            self.conv, self.norm = nn.Conv2d(before, width, 2, 2), nn.LayerNorm(before)

    def forward(self, x: Float[Tensor, "B channels h w"]) -> tuple[Float[Tensor, "B T C"], Grid]:
        if not self.is_first:
            x = self.norm(x.movedim(1, 3)).movedim(3, 1)
        image = self.conv(x)
        tokens = image.flatten(2).mT  # (B, C, h, w) → (B, C, T) → (B, T, C)
        return self.norm(tokens) if self.is_first else tokens, Grid(image.shape[2], image.shape[3])


class DaViT(nn.Module):
    """Dual blocks in stages; the mean of the last tokens says what the image shows.

    >>> import torch
    >>> model = DaViT(DaViTConfig(widths=(16, 32), depths=(1, 2), num_heads=(2, 4)))
    >>> out = model(torch.randn(2, 3, 56, 112), maps=True)
    >>> out.hidden.shape, out.logits.shape
    (torch.Size([2, 98, 32]), torch.Size([2, 1000]))
    >>> [[tuple(map.shape) for map in maps] for maps in out.maps.values()]
    [[(2, 2, 392, 392), (2, 4, 98, 98), (2, 4, 98, 98)], [(2, 2, 8, 8), (2, 4, 8, 8), (2, 4, 8, 8)]]

    Ding et al., *DaViT: Dual Attention Vision Transformers*, ECCV 2022. Windows that the border of the image cuts are
    smaller here, where theirs are filled with zeros that are seen.
    """

    def __init__(self, config: DaViTConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = nn.ModuleList([Embedding(config, stage) for stage in range(len(config.widths))])
        options = {"window": config.window, "beta": config.beta, "dropout": config.dropout}
        stages = [
            [DualBlock(width, heads, heads, **options) for _ in range(depth)]
            for width, depth, heads in zip(config.widths, config.depths, config.num_heads, strict=True)
        ]
        halves = [half for blocks in stages for block in blocks for half in (block.window, block.channel)]
        for n, half in enumerate(halves):
            half.skipped = config.stochastic_depth * n / (len(halves) - 1)
        self.stages = nn.ModuleList([nn.ModuleList(blocks) for blocks in stages])
        self.norm = nn.LayerNorm(config.widths[-1])
        self.head = nn.Linear(config.widths[-1], config.classes)

    def forward(self, images: Float[Tensor, "B 3 h w"], maps: bool | Maps = False) -> Output:
        """The scores of the classes, and the tokens of the last stage in raster order.

        `maps` has, for each dual block, the map between tokens under "window" and that between channels under
        "channel".
        """
        stride = self.config.stride
        if images.ndim != 4 or images.shape[1] != 3 or any([side < 1 or side % stride for side in images.shape[2:]]):
            raise ValueError(
                f"images must be (B, 3, h, w) with h and w multiples of {stride}: got shape {tuple(images.shape)}; "
                "resize or crop them"
            )
        sizes = {"depth": sum(self.config.depths), "num_heads": max(self.config.num_heads)}
        kept = Maps.of(maps).kept(("window", "channel"), **sizes) if maps else None
        x, grid, number = images, None, 0
        for embedding, blocks in zip(self.embeddings, self.stages, strict=True):
            if grid is not None:
                x = x.mT.unflatten(2, (grid.h, grid.w))  # (B, T, C) → (B, C, T) → (B, C, h, w)
            x, grid = embedding(x)
            for block in blocks:  # pyright: ignore[reportGeneralTypeIssues] - a list of blocks
                for name, half in (("window", block.window), ("channel", block.channel)):
                    if kept is not None and kept.wants(number):
                        kept.add(name, half.map(x, grid))
                    x = half(x, grid)
                number += 1
        return Output(hidden=x, logits=self.head(self.norm(x.mean(1))), maps=None if kept is None else kept.all())
