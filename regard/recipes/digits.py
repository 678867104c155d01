"""Small images, by heads alone or by convolutions: digits that come with the package, or any set of images."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from regard.checks import check_sizes
from regard.layers import Gaussian
from regard.models import GridConfig, GridModel, ResNet, ResNetConfig
from regard.recipes.digits_report import measure
from regard.recipes.recipe import Recipe, Resources, Training
from regard.tasks.digits import CLASSES, digits
from regard.tasks.images import ImageSet, augment, read_images
from regard.training import Descent, Execution, Schedule, Settings, Task, compact, device_of

EVALUATED = 120  # images at a time
MAP_BYTES = 200_000  # of all maps that are recorded at a step


@dataclass(frozen=True, kw_only=True)
class Heads:
    """Sizes of the attention-only model, and what its heads attend by: see `GridConfig`."""

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
        """For images of this side; what cannot be is an error."""
        return GridConfig(image=side, classes=classes, **vars(self))

    def build(self, side: int, classes: int) -> nn.Module:
        return GridModel(self.on(side, classes))


@dataclass(frozen=True, kw_only=True)
class Convolutions:
    """Sizes of the residual network, its stem a 3 × 3 convolution: by default as many parameters as the heads have."""

    widths: tuple[int, ...] = (24, 48)
    depths: tuple[int, ...] = (1, 1)

    def __post_init__(self) -> None:
        self.on(1, 1)

    def on(self, side: int, classes: int) -> ResNetConfig:
        return ResNetConfig(image=side, stem="small", classes=classes, widths=self.widths, depths=self.depths)

    def build(self, side: int, classes: int) -> nn.Module:
        return ResNet(self.on(side, classes))


def settings(steps: int = 660, batch: int = 64, **descent: Any) -> Settings:
    """30 epochs of the digits, unless told."""
    return Settings(
        steps=steps,
        batch=batch,
        descent=Descent(**{"rate": 4e-3, "position_rate": 5e-2, **descent}),
        schedule=Schedule(warmup=20),
        execution=Execution(threads=1),
    )


@dataclass(frozen=True, kw_only=True)
class ImagesConfig:
    """Which images, how they are varied, and how many trainings there are, each from a seed of its own.

    `crop` moves every image by up to an eighth of its side and `flip` mirrors half of them: None is both for images of
    `data` and neither for the digits that ship, of which a mirrored one is none.
    """

    data: str | None = None  # a folder or tar of images, or hf:NAME; None: the digits that ship
    test: str = "test"  # the split to test on
    side: int | None = None  # to which images of `data` are scaled; None: as they are
    crop: bool | None = None
    flip: bool | None = None
    seeds: int = 4
    training: Settings = field(default_factory=settings)

    def __post_init__(self) -> None:
        check_sizes(self, "seeds")
        check_sizes(self, "side", optional=True)

    @property
    def crops(self) -> bool:
        return self.data is not None if self.crop is None else self.crop

    @property
    def flips(self) -> bool:
        return self.data is not None if self.flip is None else self.flip


@dataclass(frozen=True, kw_only=True)
class HeadsConfig(ImagesConfig):
    """With heads alone."""

    model: Heads = field(default_factory=Heads)


@dataclass(frozen=True, kw_only=True)
class ConvolutionsConfig(ImagesConfig):
    """With convolutions."""

    model: Convolutions = field(default_factory=Convolutions)


@dataclass(frozen=True, eq=False)
class Classified(Task):
    """Which class an image is of."""

    config: HeadsConfig | ConvolutionsConfig
    train: ImageSet
    test: ImageSet

    judged_by = "accuracy"

    @property
    def count(self) -> int:
        return len(self.train)

    @property
    def side(self) -> int:
        return self.train.images.shape[-1]

    def build(self) -> nn.Module:
        return self.config.model.build(self.side, len(self.train.classes))

    def batch(self, examples: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        return self.train.batch(examples)

    def loss(self, model: Any, batch: tuple[Tensor, Tensor], generator: torch.Generator) -> Tensor:
        images, labels = batch
        if self.config.crops or self.config.flips:
            pad = max(1, self.side // 8) if self.config.crops else 0
            images = augment(images, generator, pad=pad, flip=self.config.flips)
        return cross_entropy(model(coloured(images)).logits.float(), labels)

    def evaluate(self, model: Any) -> Mapping[str, float]:
        right = loss = torch.zeros((), device=device_of(model))
        for part in torch.arange(len(self.test)).split(EVALUATED):
            images, labels = self.test.batch(part, device_of(model))
            logits = model(coloured(images)).logits.float()
            right = right + (logits.argmax(1) == labels).sum()
            loss = loss + cross_entropy(logits, labels, reduction="sum")
        return {"accuracy": right.item() / len(self.test), "test_loss": loss.item() / len(self.test)}

    def fingerprint(self) -> str:
        """Of all images and labels; those that ship are always the same."""
        if self.config.data is None:
            return ""
        digest = hashlib.sha256()
        for part in (self.train, self.test):
            digest.update(part.images.numpy().data)
            digest.update(part.labels.numpy().data)
        return digest.hexdigest()[:32]

    def record(self, model: Any) -> Mapping[str, Tensor]:
        """Centres and precisions of gaussian heads, and the maps of one image, or two where images make a difference.

        `queries` are the tokens that are seen from, where not all are.
        """
        if not isinstance(model, GridModel):
            return {}
        kept = {}
        for layer, block in enumerate(model.blocks):
            position = getattr(block.attention, "position", None)
            if isinstance(position, Gaussian):
                kept[f"heads.{layer}.centre"], kept[f"heads.{layer}.precision"] = position.centre, position.precision
        images = coloured(self.test.batch(self.shown, device_of(model))[0])
        for layer, maps in enumerate(model(images, maps=True).maps["self"]):
            for number, own in enumerate(maps[: len(self.shown)]):
                kept[f"maps.image-{number}.{layer}"] = compact(own[:, self.queries])
        kept |= {f"inputs.image-{number}": self.test.images[index] for number, index in enumerate(self.shown)}
        is_all = len(self.queries) == (self.side // model.config.patch) ** 2
        return kept if is_all else kept | {"queries": self.queries}

    @cached_property
    def shown(self) -> list[int]:
        """Test images whose maps are recorded: one, or for heads with content two, of two classes."""
        assert isinstance(self.config.model, Heads)
        if self.config.model.encoding != "learned + content":
            return [0]
        others = (self.test.labels != self.test.labels[0]).nonzero().flatten().tolist()
        return [0, *others[:1]]

    @cached_property
    def queries(self) -> Tensor:
        """Tokens whose rows of the maps are recorded: all, or a coarser grid where that would be too much."""
        model = self.config.model
        assert isinstance(model, Heads)
        n = self.side // model.patch
        row = len(self.shown) * model.depth * model.num_heads * n * n
        steps = (step for step in range(1, n + 1) if len(range(step // 2, n, step)) ** 2 * row <= MAP_BYTES)
        step = next(steps, n)
        places = torch.arange(step // 2, n, step)
        return (places[:, None] * n + places).flatten()


def coloured(images: Tensor) -> Tensor:
    """Three channels, of grey images too."""
    return images.expand(-1, 3, -1, -1)


def image_sets(config: ImagesConfig, resources: Resources) -> tuple[ImageSet, ImageSet]:
    """Images to learn from and to test on, both normalised by those to learn from."""
    if config.data is None:
        if config.side is not None:
            raise ValueError(f"side scales the images of --data: got side={config.side} without; leave it out")
        # Their 17 shades as bytes that are multiples of 15: normalised, the very values that the digits have.
        names = tuple(map(str, range(CLASSES)))
        train, test = (ImageSet((240 * part.images).to(torch.uint8), part.labels, names) for part in digits())
        return train, test.normalised_as(train)
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
    return train, test.normalised_as(train)


def _split(source: str, split: str, side: int | None, resources: Resources) -> ImageSet:
    name = hashlib.sha256(json.dumps([source, split, side]).encode()).hexdigest()[:16]
    told = partial(resources.on_data, f"reading {split} images")
    try:
        return read_images(source, split=split, side=side, cache=resources.cache / f"images-{name}.npy", progress=told)
    except ValueError as error:
        raise ValueError(
            f"images must have a split to learn from, train, and one to test on, test or --set test=NAME: of "
            f"{split!r}, {error}"
        ) from error


def trainings(config: HeadsConfig | ConvolutionsConfig, resources: Resources) -> dict[str, Training]:
    """One for each seed."""
    task = Classified(config, *image_sets(config, resources))
    config.model.on(task.side, len(task.train.classes))  # says now what does not fit
    seeds = range(config.training.seed, config.training.seed + config.seeds)
    return {f"seed-{seed}": Training(task, replace(config.training, seed=seed)) for seed in seeds}


def _recipe(
    name: str, about: str, config: HeadsConfig | ConvolutionsConfig, small: Heads | Convolutions
) -> Recipe[Any]:
    training = replace(config.training, steps=9, batch=32, evaluate_every=3, schedule=Schedule(warmup=2))
    smoke = replace(config, seeds=2, training=training, model=small)  # pyright: ignore[reportArgumentType]
    return Recipe(name=name, about=about, config=config, smoke=smoke, trainings=trainings, measure=measure)


SMALL = Heads(depth=2, width=8, hidden=16)
RECIPES = {
    made.name: made
    for made in (
        _recipe(
            "digits-gaussian",
            "An image model of gaussian heads alone, four times: accuracy, and where every head goes in training.",
            HeadsConfig(),
            SMALL,
        ),
        _recipe(
            "digits-learned",
            "The same with a learned table of rows and one of columns for every head: accuracy, and the maps.",
            HeadsConfig(seeds=2, model=Heads(encoding="learned")),
            replace(SMALL, encoding="learned"),
        ),
        _recipe(
            "digits-content",
            "The same with heads that compare what tokens hold and learn offsets too: accuracy, and maps of images.",
            HeadsConfig(
                seeds=2,
                # Of single pixels, which say little, these heads learn many times slower.
                model=Heads(encoding="learned + content", patch=2, width=20, hidden=40),
                training=settings(steps=1320, batch=32, rate=6e-3, position_rate=None),
            ),
            replace(SMALL, encoding="learned + content", patch=2),
        ),
        _recipe(
            "digits-conv",
            "A residual network of convolutions with as many parameters, on the same images: accuracy.",
            ConvolutionsConfig(training=settings(position_rate=None)),
            Convolutions(widths=(8,), depths=(1,)),
        ),
    )
}
