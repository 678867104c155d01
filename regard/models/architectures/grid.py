"""The attention-only image model: heads on a grid of pixels, that attend by position, or by content too."""

from dataclasses import dataclass, field

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from regard.attention import Grid, Mask
from regard.checks import check_divides, check_known, check_parts, check_probability, check_sizes
from regard.layers import ContentHeads, FeedForward, Gaussian, Patches, PositionHeads, Tables
from regard.models.block import Mechanism, NormConfig
from regard.models.tokens import Maps, Output, ReadsImages

ENCODINGS = ("isotropic", "diagonal", "full", "learned", "learned + content")
NORM = NormConfig(eps=1e-12, first=False)


@dataclass(frozen=True, kw_only=True)
class GridConfig(ReadsImages):
    """Images in patches of `patch` × `patch`, whose features are put side by side.

    `encoding` is what heads attend by: gaussians ("isotropic", "diagonal", "full"), a "learned" table of rows and one
    of columns, or "learned + content".

    >>> config = GridConfig()
    >>> config.num_tokens, [images.shape for images in config.inputs(2)]
    (256, [torch.Size([2, 3, 32, 32])])
    """

    image: int = 32
    patch: int = 2
    classes: int = 10
    depth: int = 6
    width: int = 400
    num_heads: int = 9
    hidden: int = 512
    encoding: str = "isotropic"
    mechanism: Mechanism = field(default_factory=Mechanism)
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_sizes(self, "image", "patch", "classes", "depth", "width", "num_heads", "hidden")
        check_divides("image", self.image, "patch", self.patch)
        check_parts(self, mechanism=Mechanism)
        check_probability("dropout", self.dropout)
        check_known("encoding", self.encoding, ENCODINGS)
        if self.mechanism.beta is not None:
            raise ValueError(f"heads on a grid have no β to choose: got beta={self.mechanism.beta}; leave it out")
        if self.mechanism.cap is not None:
            raise ValueError(f"heads on a grid have no cap: got cap={self.mechanism.cap}; leave it out")

    @property
    def num_tokens(self) -> int:
        return (self.image // self.patch) ** 2

    def heads(self) -> PositionHeads | ContentHeads:
        reach = (self.image // self.patch - 1, self.image // self.patch - 1)
        if self.encoding == "learned + content":
            return ContentHeads(self.width, self.num_heads, reach, weighting=self.mechanism.weigh(self.num_heads))
        if self.encoding == "learned":
            position = Tables(self.num_heads, reach, kind="axes")
        else:
            position = Gaussian(self.num_heads, kind=self.encoding)
        return PositionHeads(self.width, position, weighting=self.mechanism.weigh(self.num_heads))


class GridBlock(nn.Module):
    """Heads on a grid, then a feed-forward, each with a residual and a norm after it.

    x ← norm(x + heads(x));  x ← norm(x + feed_forward(x))
    """

    def __init__(self, config: GridConfig) -> None:
        super().__init__()
        self.dropout = config.dropout
        self.attention, self.norm = config.heads(), NORM.make(config.width)
        self.feed_forward = FeedForward(config.width, config.hidden)
        self.feed_forward_norm = NORM.make(config.width)

    def forward(self, x: Float[Tensor, "B T C"], grid: Grid, mask: Mask) -> Float[Tensor, "B T C"]:
        x = self.norm(x + functional.dropout(self.attention(x, grid, mask=mask), self.dropout, self.training))
        return self.feed_forward_norm(x + functional.dropout(self.feed_forward(x), self.dropout, self.training))

    def map(self, x: Float[Tensor, "B T C"], grid: Grid, mask: Mask) -> Float[Tensor, "#B H T T"]:
        if isinstance(self.attention, ContentHeads):
            return self.attention.weights(x, grid, mask=mask)
        return self.attention.weights(grid, mask=mask)


class GridModel(nn.Module):
    """Blocks of heads on a grid; the mean of all tokens says what the image shows.

    >>> import torch
    >>> model = GridModel(GridConfig(depth=2, width=32))
    >>> out = model(torch.randn(2, 3, 32, 32))
    >>> out.hidden.shape, out.logits.shape
    (torch.Size([2, 256, 32]), torch.Size([2, 10]))

    Cordonnier, Loukas, Jaggi, *On the Relationship between Self-Attention and Convolutional Layers*, ICLR 2020. Their
    learned encoding multiplies a vector for each offset by one for each head, where ours learns the product.
    """

    def __init__(self, config: GridConfig) -> None:
        super().__init__()
        self.config = config
        self.patches = Patches(config.patch, config.width)
        self.blocks = nn.ModuleList([GridBlock(config) for _ in range(config.depth)])
        self.head = nn.Linear(config.width, config.classes)

    def forward(self, images: Float[Tensor, "B 3 h w"], maps: bool | Maps = False) -> Output:
        """The scores of the classes, and all tokens in raster order; learned encodings take no larger images."""
        x, mask = self.patches(images), self.config.mechanism.mask
        grid = Grid(images.shape[2] // self.config.patch, images.shape[3] // self.config.patch)
        kept = Maps.of(maps).kept(("self",), len(self.blocks), self.config.num_heads) if maps else None
        for number, block in enumerate(self.blocks):
            if kept is not None and kept.wants(number):
                kept.add("self", block.map(x, grid, mask))  # pyright: ignore[reportCallIssue] - a list of blocks
            x = block(x, grid, mask)
        return Output(hidden=x, logits=self.head(x.mean(1)), maps=None if kept is None else kept.all())
