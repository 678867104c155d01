"""What the image recipes train: the sizes of the models, the images and their augmentation, and the task.

The images lie on the device as bytes; a batch is gathered, moved and mirrored there.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from regard.checks import check_probability, check_sizes, check_whole
from regard.layers import Gaussian
from regard.models import BlockConfig, GridConfig, GridModel, ResNetConfig, ViTConfig, build
from regard.recipes.recipe import Resources, on_one_thread
from regard.tasks.digits import CLASSES, digits
from regard.tasks.images import HUB, ImageSet, blanked, check_share, draw_moves, moved, read_images
from regard.tasks.readers import ImageReader
from regard.training import Settings, Task, compact, device_of

EVALUATED = {"cpu": 120, "cuda": 1000}  # images at a time
MAP_BYTES = 200_000  # of all maps that are recorded at a step
CIFAR10 = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
GAUSSIAN = ("isotropic", "diagonal", "full")  # encodings of heads with a centre


@dataclass(frozen=True, kw_only=True)
class Heads:
    """Sizes of the attention-only model, and how its heads attend: see `GridConfig`."""

    depth: int = 3
    width: int = 32
    num_heads: int = 9
    hidden: int = 64
    patch: int = 1  # pixels on a side of a token
    encoding: str = "isotropic"
    dropout: float = 0.0

    def __post_init__(self) -> None:
        self.on(self.patch, 1)

    def on(self, side: int, classes: int) -> GridConfig:
        """The model's configuration for images of this side, which refuses sizes that do not fit."""
        return GridConfig(image=side, classes=classes, **vars(self))


@dataclass(frozen=True, kw_only=True)
class Convolutions:
    """Sizes of the residual network with a 3 × 3 stem; by default it has as many parameters as the heads."""

    widths: tuple[int, ...] = (24, 48)
    depths: tuple[int, ...] = (1, 1)

    def __post_init__(self) -> None:
        self.on(1, 1)

    def on(self, side: int, classes: int) -> ResNetConfig:
        return ResNetConfig(image=side, stem="small", classes=classes, widths=self.widths, depths=self.depths)


@dataclass(frozen=True, kw_only=True)
class Transformer:
    """Sizes of the vision transformer: see `ViTConfig`."""

    depth: int = 6
    width: int = 192
    num_heads: int = 6
    hidden: int = 768
    patch: int = 4  # pixels on a side of a token
    dropout: float = 0.0

    def __post_init__(self) -> None:
        self.on(self.patch, 1)

    def on(self, side: int, classes: int) -> ViTConfig:
        block = BlockConfig(width=self.width, num_heads=self.num_heads, hidden=self.hidden)
        return ViTConfig(
            depth=self.depth, block=block, image=side, patch=self.patch, classes=classes, dropout=self.dropout
        )


Model = Heads | Convolutions | Transformer


def settings(steps: int = 660, batch: int = 64, **descent: Any) -> Settings:
    """By default, 30 epochs of the digits."""
    return on_one_thread(steps, batch, warmup=20, **{"rate": 4e-3, "position_rate": 5e-2, **descent})


@dataclass(frozen=True, kw_only=True)
class ImagesConfig:
    """The images, their augmentation, and the number of trainings, each from a seed of its own.

    `crop` moves every image by up to an eighth of its side and `flip` mirrors half of them. None means both for images
    of `data`, and neither for the digits of the package, because a mirrored digit is not a digit.
    """

    data: str | None = None  # a folder or tar of images, or hf:NAME; None: the digits of the package
    test: str = "test"  # the split to test on
    side: int | None = None  # the size that images of `data` are scaled to; None: as they are
    share: float = field(default=1.0, metadata={"optional": True})  # of the images of every class that are learnt from
    tested: float = field(default=1.0, metadata={"optional": True})  # of those that are tested on
    crop: bool | None = None
    flip: bool | None = None
    erase: int = field(default=0, metadata={"optional": True})  # the side of a square of each image that is blanked
    smoothing: float = field(default=0.0, metadata={"optional": True})  # the share of a label for all classes alike
    seeds: int = 4
    training: Settings = field(default_factory=settings)

    def __post_init__(self) -> None:
        check_sizes(self, "seeds")
        check_sizes(self, "side", optional=True)
        check_whole("erase", self.erase, 0)
        check_probability("smoothing", self.smoothing)
        for name, share in (("share", self.share), ("tested", self.tested)):
            check_share(name, share)

    @property
    def source(self) -> str:
        """What the images are called, wherever they lie."""
        if self.data is None:
            return "handwritten digits that come with the package"
        return self.data if self.data.startswith(HUB) else Path(self.data).name

    @property
    def crops(self) -> bool:
        return self.data is not None if self.crop is None else self.crop

    @property
    def flips(self) -> bool:
        return self.data is not None if self.flip is None else self.flip


@dataclass(frozen=True, eq=False)
class ImageTask(Task):
    """Tell the class of an image. A batch is the numbers of its images, which are on the device already, and moves."""

    config: ImagesConfig
    model: Model
    train: ImageSet
    test: ImageSet
    data: str = ""  # a checksum of the whole set of images

    judged_by = "accuracy"

    @property
    def count(self) -> int:
        return len(self.train)

    @property
    def side(self) -> int:
        return self.train.images.shape[-1]

    @property
    def is_cifar10(self) -> bool:
        return self.train.classes == CIFAR10 and self.side == 32

    def build(self) -> nn.Module:
        return build(self.model.on(self.side, len(self.train.classes)))

    @property
    def pad(self) -> int:
        """By how many pixels images are shifted at most."""
        return max(1, self.side // 8) if self.config.crops else 0

    def batch(self, examples: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """The numbers of images, how each is moved, and the pixel around which it is blanked."""
        moves = draw_moves(len(examples), generator, pad=self.pad, flip=self.config.flips)
        return examples, moves, torch.randint(self.side, (len(examples), 2), generator=generator)

    def loss(self, model: Any, batch: tuple[Tensor, Tensor, Tensor], generator: torch.Generator) -> Tensor:
        examples, moves, places = batch
        images, labels = self._on(examples.device)[0].batch(examples)
        if self.config.crops or self.config.flips:
            images = moved(images, moves, self.pad)
        if self.config.erase:
            images = blanked(images, places, self.config.erase)
        return cross_entropy(model(to_rgb(images)).logits.float(), labels, label_smoothing=self.config.smoothing)

    def evaluate(self, model: Any, mirrored: bool = False) -> Mapping[str, float]:
        """Accuracy and loss; `mirrored` judges by the mean of the scores of each image and of its mirror image."""
        device = device_of(model)
        test, right, loss = self._on(device)[1], torch.zeros((), device=device), torch.zeros((), device=device)
        for part in torch.arange(len(test), device=device).split(EVALUATED.get(device.type, EVALUATED["cpu"])):
            images, labels = test.batch(part)
            logits = model(to_rgb(images)).logits.float()
            if mirrored:
                logits = (logits + model(to_rgb(images).flip(-1)).logits.float()) / 2
            right = right + (logits.argmax(1) == labels).sum()
            loss = loss + cross_entropy(logits, labels, reduction="sum")
        return {"accuracy": right.item() / len(test), "test_loss": loss.item() / len(test)}

    def fingerprint(self) -> str:
        return self.data

    def _on(self, device: torch.device) -> tuple[ImageSet, ImageSet]:
        """Both sets on a device, moved there once."""
        if device not in self._moved:
            self._moved[device] = (self.train.to(device), self.test.to(device))
        return self._moved[device]

    @cached_property
    def _moved(self) -> dict[torch.device, tuple[ImageSet, ImageSet]]:
        return {}

    def record(self, model: Any) -> Mapping[str, Tensor]:
        """Centres and precisions of gaussian heads; else the maps of one image, or of two where they depend on it.

        `queries` are the tokens whose rows of the maps are recorded, where not all of them are.
        """
        if not isinstance(model, GridModel):
            return {}
        kept = {f"inputs.image-{number}": self.test.images[index] for number, index in enumerate(self.shown)}
        positions = [getattr(block.attention, "position", None) for block in model.blocks]
        for layer, position in enumerate(positions):
            if isinstance(position, Gaussian):
                kept[f"heads.{layer}.centre"], kept[f"heads.{layer}.precision"] = position.centre, position.precision
        if isinstance(positions[0], Gaussian):  # from which the maps follow
            return kept
        images = to_rgb(self.test.batch(self.shown, device_of(model))[0])
        for layer, maps in enumerate(model(images, maps=True).maps["self"]):
            for number, own in enumerate(maps[: len(self.shown)]):
                kept[f"maps.image-{number}.{layer}"] = compact(own[:, self.queries])
        is_all = len(self.queries) == (self.side // model.config.patch) ** 2
        return kept if is_all else kept | {"queries": self.queries}

    def reader(self, model: Any) -> ImageReader | None:
        return ImageReader(model, self.test) if isinstance(model, GridModel) else None

    @cached_property
    def shown(self) -> list[int]:
        """Test images whose maps are recorded: one, or two of different classes for heads that attend by content."""
        assert isinstance(self.model, Heads)
        if self.model.encoding != "learned + content":
            return [0]
        others = (self.test.labels != self.test.labels[0]).nonzero().flatten().tolist()
        return [0, *others[:1]]

    @cached_property
    def queries(self) -> Tensor:
        """Tokens whose rows of the maps are recorded: all, or a coarser grid where that would be too much."""
        model = self.model
        assert isinstance(model, Heads)
        n = self.side // model.patch
        row = len(self.shown) * model.depth * model.num_heads * n * n
        steps = (step for step in range(1, n + 1) if len(range(step // 2, n, step)) ** 2 * row <= MAP_BYTES)
        step = next(steps, n)
        places = torch.arange(step // 2, n, step)
        return (places[:, None] * n + places).flatten()


def to_rgb(images: Tensor) -> Tensor:
    """Three channels, for grey images too."""
    return images.expand(-1, 3, -1, -1)


def image_sets(config: ImagesConfig, resources: Resources) -> tuple[ImageSet, ImageSet]:
    """All images to learn from and those to test on, both normalised by those to learn from."""
    if config.data is None:
        if config.side is not None:
            raise ValueError(f"side scales the images of --data: got side={config.side} without; leave it out")
        # Their 17 shades as bytes that are multiples of 15: normalised, the very values that the digits have.
        names = tuple(map(str, range(CLASSES)))
        train, test = (ImageSet((240 * part.images).to(torch.uint8), part.labels, names) for part in digits())
        return train, test.normalised_as(train).part(config.tested)
    if not config.data.startswith(HUB) and not Path(config.data).exists():
        raise ValueError(
            f"images to learn from must be there: got {config.data}, which is not; use --data FOLDER, --data TAR, or "
            f"--data {HUB}uoft-cs/cifar10"
        )
    train, test = (_split(config.data, split, config.side, resources) for split in ("train", config.test))
    if train.classes != test.classes:
        raise ValueError(
            f"images to test on must be of the classes that are learnt: got {', '.join(test.classes)} in "
            f"{config.test!r} for {', '.join(train.classes)}"
        )
    shapes = [tuple(part.images.shape[1:]) for part in (train, test)]
    if shapes[0] != shapes[1] or shapes[0][1] != shapes[0][2]:
        got = " and ".join(" × ".join(map(str, shape)) for shape in dict.fromkeys(shapes))
        raise ValueError(f"images must be square and all of one size: got {got} in {config.data}; use --set side=32")
    return train, test.normalised_as(train).part(config.tested)


def checksum(config: ImagesConfig, train: ImageSet, test: ImageSet) -> str:
    """Of all images and labels; the digits of the package never change."""
    if config.data is None:
        return ""
    digest = hashlib.sha256()
    for part in (train, test):
        digest.update(part.images.numpy().data)
        digest.update(part.labels.numpy().data)
    return digest.hexdigest()[:32]


def _split(source: str, split: str, side: int | None, resources: Resources) -> ImageSet:
    name = hashlib.sha256(json.dumps([source, split, side]).encode()).hexdigest()[:16]
    progress = partial(resources.on_data, f"reading {split} images")
    try:
        return read_images(
            source, split=split, side=side, cache=resources.cache / f"images-{name}.npy", progress=progress
        )
    except ValueError as error:
        raise ValueError(
            f"images must have a split to learn from, train, and one to test on, test or --set test=NAME: of "
            f"{split!r}, {error}"
        ) from error
