"""The residual network: convolutions in stages, with which models of attention are compared."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from regard.checks import check_known, check_sizes, check_stages
from regard.models.tokens import Output, ReadsImages

STEMS = {"image": 4, "small": 1}  # by how much each shrinks the image


@dataclass(frozen=True, kw_only=True)
class ResNetConfig(ReadsImages):
    """Stages of `depths` blocks and `widths` channels, each of half the resolution of the one before.

    The stem "image" is a 7×7 convolution of stride 2 and a maximum over 3×3, of stride 2 too; "small", for images of
    some 32 pixels, is a 3×3 convolution. Without changes it is ResNet-18.

    >>> config = ResNetConfig(image=32, stem="small", classes=10)
    >>> config.num_tokens, [images.shape for images in config.inputs(2)]
    (16, [torch.Size([2, 3, 32, 32])])
    """

    image: int = 224
    stem: str = "image"
    channels: int = 3
    classes: int = 1000
    widths: tuple[int, ...] = (64, 128, 256, 512)
    depths: tuple[int, ...] = (2, 2, 2, 2)

    def __post_init__(self) -> None:
        check_sizes(self, "image", "channels", "classes")
        check_stages(self, "widths", "depths")
        check_known("stem", self.stem, STEMS)

    @property
    def num_tokens(self) -> int:
        """The pixels of the last stage; every halving rounds up."""
        stride = STEMS[self.stem] * 2 ** (len(self.widths) - 1)
        return (-(-self.image // stride)) ** 2


class Convolution(nn.Sequential):
    """A convolution without a bias, and a batch norm: y = γ·(w ∗ x − μ)/σ + β, with μ and σ of the batch in training.

    Zeros around the image keep its size, divided by the stride and rounded up.
    """

    def __init__(self, channels: int, width: int, size: int = 3, stride: int = 1) -> None:
        conv = nn.Conv2d(channels, width, size, stride, padding=size // 2, bias=False)
        super().__init__(conv, nn.BatchNorm2d(width))
        nn.init.kaiming_normal_(conv.weight, mode="fan_out", nonlinearity="relu")


class ResidualBlock(nn.Module):
    """Two 3×3 convolutions around which the image passes: y = relu(shortcut(x) + conv₂(relu(conv₁(x)))).

    The shortcut is a 1×1 convolution where the block changes the size, else nothing.
    """

    def __init__(self, channels: int, width: int, stride: int = 1) -> None:
        super().__init__()
        same = stride == 1 and channels == width
        self.shortcut = nn.Identity() if same else Convolution(channels, width, 1, stride)
        self.first, self.second = Convolution(channels, width, stride=stride), Convolution(width, width)

    def forward(self, x: Float[Tensor, "B channels h w"]) -> Float[Tensor, "B width H W"]:
        return functional.relu(self.shortcut(x) + self.second(functional.relu(self.first(x))))


class ResNet(nn.Module):
    """Residual blocks in stages; the mean of the last pixels says what the image shows.

    >>> import torch
    >>> model = ResNet(ResNetConfig(stem="small", classes=10))
    >>> out = model(torch.randn(2, 3, 32, 32))
    >>> out.hidden.shape, out.logits.shape
    (torch.Size([2, 16, 512]), torch.Size([2, 10]))

    He, Zhang, Ren, Sun, *Deep Residual Learning for Image Recognition*, CVPR 2016, table 1, with the projections of
    their option B.
    """

    def __init__(self, config: ResNetConfig) -> None:
        super().__init__()
        self.config = config
        first = config.widths[0]
        if config.stem == "image":
            pool = nn.MaxPool2d(3, stride=2, padding=1)
            self.stem = nn.Sequential(Convolution(config.channels, first, 7, 2), nn.ReLU(), pool)
        else:
            self.stem = nn.Sequential(Convolution(config.channels, first), nn.ReLU())
        self.blocks = nn.Sequential()
        channels = first
        for stage, (width, depth) in enumerate(zip(config.widths, config.depths, strict=True)):
            for block in range(depth):
                self.blocks.append(ResidualBlock(channels, width, stride=2 if stage and not block else 1))
                channels = width
        self.head = nn.Linear(channels, config.classes)

    def forward(self, images: Float[Tensor, "B channels h w"], maps: bool = False) -> Output:
        """The scores of the classes, and the pixels of the last stage in raster order, for images of any size."""
        if maps:
            raise ValueError("a ResNet has no attention to show: got maps=True; leave it out, or use a ViT or a DaViT")
        channels = self.config.channels
        if images.ndim != 4 or images.shape[1] != channels or not images.shape[2] * images.shape[3]:
            raise ValueError(
                f"images must be (B, {channels}, h, w) with a pixel or more: got shape {tuple(images.shape)}; "
                "a single image is image[None]"
            )
        hidden = self.blocks(self.stem(images)).flatten(2).mT  # (B, C, h, w) → (B, C, T) → (B, T, C)
        return Output(hidden=hidden, logits=self.head(hidden.mean(1)))
