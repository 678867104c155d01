"""Pictures prepared for a vision transformer: opened, resized, cut and normalised as its folder says."""

import struct
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from regard.checks import MissingExtra, check_known, check_whole
from regard.models.architectures.vision import ViT
from regard.models.hugging_face.folder import Source, read_json

if TYPE_CHECKING:
    from PIL.Image import Image

PREPROCESSOR = "preprocessor_config.json"
STEPS = {
    "do_resize": True,
    "do_center_crop": False,
    "do_rescale": True,
    "do_normalize": True,
    "do_convert_rgb": False,
}
KINDS = ("ViTImageProcessor", "ViTImageProcessorFast", "ViTImageProcessorPil", "ViTFeatureExtractor")
FILTERS = ("nearest", "lanczos", "bilinear", "bicubic", "box", "hamming")  # in the order of Pillow's numbers
# Formats that are decoded by code of Pillow's alone: EPS, for one, would be run by another program.
FORMATS = ("PNG", "JPEG", "MPO", "WEBP", "GIF", "BMP", "TIFF", "PPM", "AVIF", "JPEG2000")
MOST_PIXELS = 2**28  # of a resized picture, which a very long one could exceed


@dataclass(frozen=True, kw_only=True)
class Preprocessing:
    """What happens to a picture, in this order; the default is that of ViT at 224 pixels.

        resize to `size` → cut `crop` from the middle, black beyond the edge → x·scale → (x − mean) / std

    `size` is height and width, or a number for the shorter side, or None for no resizing. None leaves out the other
    steps too. Transparent pixels have the colour that is stored under them, or, with `white`, lie on white.

    >>> Preprocessing(size=256, crop=(224, 224), resample="bicubic").size
    256
    """

    size: tuple[int, int] | int | None = (224, 224)
    crop: tuple[int, int] | None = None
    resample: str = "bilinear"
    scale: float | int | None = 1 / 255
    mean: tuple[float | int, ...] | None = (0.5, 0.5, 0.5)
    std: tuple[float | int, ...] | None = (0.5, 0.5, 0.5)
    white: bool = False

    def __post_init__(self) -> None:
        for name in ("size", "crop"):
            value = getattr(self, name)
            for side in value if isinstance(value, tuple) else () if value is None else (value,):
                check_whole(name, side, 1)
        check_known("resample", self.resample, FILTERS)
        if (self.mean is None) != (self.std is None):
            raise ValueError(f"mean and std go together: got mean={self.mean}, std={self.std}; give both or neither")
        for name in ("mean", "std"):
            value = getattr(self, name)
            if value is not None and len(value) != 3:
                raise ValueError(f"{name} must have a number for red, green and blue: got {value}; use three")
        if self.std is not None and not all(value > 0 for value in self.std):
            raise ValueError(f"std must be above 0: got {self.std}; use (0.5, 0.5, 0.5)")


def preprocessing(model: ViT) -> Preprocessing:
    """What the folder that the model came from says, or the default at the model's size.

    >>> from regard.models import PRESETS, build, vary
    >>> preprocessing(build(vary(PRESETS["vit-base"], depth=1, width=8, num_heads=2, image=32))).size
    (32, 32)
    """
    if model.config.channels != 3:
        raise ValueError(f"pictures have 3 channels: got a model of {model.config.channels}; make its inputs by hand")
    source: Source | None = getattr(model, "source", None)
    if source is None or PREPROCESSOR not in source.companions:
        return Preprocessing(size=(model.config.image, model.config.image))
    return read_preprocessing(read_json(source.folder / PREPROCESSOR))


def read_preprocessing(published: dict[str, Any]) -> Preprocessing:
    """Read a preprocessor_config.json; an unknown kind or key is an error, because it could change numbers.

    >>> read_preprocessing({"image_processor_type": "ViTImageProcessor", "size": 384, "do_normalize": False}).mean
    """
    keys = {key: value for key, value in published.items() if value is not None}
    kind = keys.pop("image_processor_type", keys.pop("feature_extractor_type", KINDS[0]))
    if kind not in KINDS:
        raise ValueError(f"image_processor_type must be one of {', '.join(KINDS)}: got {kind!r}; use another folder")
    for key in ("feature_extractor_type", "processor_class", "_processor_class", "auto_map"):
        keys.pop(key, None)
    for key, value in {"do_pad": False, "data_format": "channels_first", "default_to_square": True}.items():
        if (got := keys.pop(key, value)) != value:
            raise ValueError(
                f"{key} must be {value!r}, the only one that is implemented: got {got!r}; use another folder"
            )
    does = {key: keys.pop(key, default) for key, default in STEPS.items()}
    if wrong := [f"{key}={value!r}" for key, value in does.items() if not isinstance(value, bool)]:
        raise ValueError(f"steps of {PREPROCESSOR} must be true or false: got {', '.join(wrong)}; correct it")
    resample = keys.pop("resample", 2)
    if type(resample) is not int or not 0 <= resample < len(FILTERS):
        raise ValueError(f"resample must be a number of Pillow's, 0…{len(FILTERS) - 1}: got {resample!r}; use 2")
    size, crop = _sides("size", keys.pop("size", 224)), keys.pop("crop_size", None)
    (scale,) = _numbers("rescale_factor", [keys.pop("rescale_factor", 1 / 255)])
    mean, std = (_numbers(key, keys.pop(key, 0.5)) for key in ("image_mean", "image_std"))
    if keys:
        said = ", ".join(f"{key}={value!r:.50}" for key, value in sorted(keys.items())[:5])
        raise ValueError(f"keys of {PREPROCESSOR} must be known, they could change numbers: got {said}; remove them")
    return Preprocessing(
        size=size if does["do_resize"] else None,
        crop=_crop(crop) if does["do_center_crop"] else None,
        resample=FILTERS[resample],
        scale=scale if does["do_rescale"] else None,
        mean=mean if does["do_normalize"] else None,
        std=std if does["do_normalize"] else None,
        white=does["do_convert_rgb"],
    )


def _crop(value: Any) -> tuple[int, int]:
    crop = None if value is None else _sides("crop_size", value)
    if not isinstance(crop, tuple):
        raise ValueError(f"crop_size must be a number, or height and width: got {value!r}; use another folder")
    return crop


def _sides(key: str, value: Any) -> tuple[int, int] | int:
    """Height and width; a number is both of them, and {"shortest_edge": n} the shorter side alone."""
    named = {side: length for side, length in value.items() if length is not None} if isinstance(value, dict) else {}
    if named and named.keys() not in ({"shortest_edge"}, {"height", "width"}):
        raise ValueError(
            f"{key} must be a number, height and width, or shortest_edge: got {named!r}; use another folder"
        )
    sides = [named[side] for side in sorted(named)] or (value if isinstance(value, list) else [value, value])
    if wrong := [side for side in sides if type(side) is not int]:
        raise ValueError(f"{key} must be whole numbers: got {wrong[0]!r}; correct it")
    if len(sides) != 2 and not named:
        raise ValueError(f"{key} must be height and width: got {value!r}; use two numbers")
    return sides[0] if len(sides) == 1 else (sides[0], sides[1])


def _numbers(key: str, value: Any) -> tuple[float | int, ...]:
    numbers = value if isinstance(value, list) else [value] * 3
    if wrong := [number for number in numbers if type(number) not in (int, float)]:
        raise ValueError(f"{key} must be numbers: got {wrong[0]!r}; correct it")
    return tuple(numbers)


Picture = Any  # a path, an image of Pillow's or an array of uint8; Pillow is imported where it is used


def preprocess(pictures: Picture | Sequence[Picture], how: Preprocessing | None = None) -> Float[Tensor, "B 3 h w"]:
    """Pictures as one batch for a model: paths, images of Pillow's, or arrays of uint8, (h, w), (h, w, 3) or (h, w, 4).

    Cameras' notes of which side is up are followed. Grey, transparent, 16-bit pictures and palettes become red, green
    and blue; of several frames the first is taken. A file that is broken, or too large to be honest, is an error.

    >>> preprocess(np.zeros((30, 40), dtype=np.uint8)).shape
    torch.Size([1, 3, 224, 224])
    """
    how = how or Preprocessing()
    several = isinstance(pictures, Sequence) and not isinstance(pictures, str)
    made = [_pixels(picture, number, how) for number, picture in enumerate(pictures if several else [pictures])]
    if not made:
        raise ValueError("pictures must be one or more: got none; give a list of paths")
    if len(shapes := {pixels.shape[1:] for pixels in made}) > 1:
        raise ValueError(f"pictures of a batch must have one size: got {sorted(shapes)}; give one at a time, or a crop")
    return torch.from_numpy(np.stack(made))


def _pixels(picture: Picture, number: int, how: Preprocessing) -> np.ndarray:
    """Float32 (3, h, w), rounded as transformers does."""
    image = _opened(picture, number, how.white)
    if how.size is not None:
        height, width = _target(how.size, image.height, image.width)
        if height * width > MOST_PIXELS:
            raise ValueError(
                f"a resized picture must have up to {MOST_PIXELS} pixels: got {_name(picture, number)} of "
                f"{image.width} × {image.height}; cut it first"
            )
        image = image.resize((width, height), FILTERS.index(how.resample))
    if how.crop is not None:
        top, left = (image.height - how.crop[0]) // 2, (image.width - how.crop[1]) // 2
        image = image.crop((left, top, left + how.crop[1], top + how.crop[0]))
    pixels = np.asarray(image)
    pixels = (pixels if how.scale is None else pixels.astype(np.float64) * how.scale).astype(np.float32)
    if how.mean is not None:
        pixels = (pixels - np.array(how.mean, dtype=np.float32)) / np.array(how.std, dtype=np.float32)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1))


def _target(size: tuple[int, int] | int, height: int, width: int) -> tuple[int, int]:
    if isinstance(size, tuple):
        return size
    return (int(size * height / width), size) if width <= height else (size, int(size * width / height))


def _name(picture: Picture, number: int) -> str:
    return repr(fspath(picture)) if isinstance(picture, str | PathLike) else f"picture {number}"


def _opened(picture: Picture, number: int, white: bool) -> "Image":
    """An image of mode RGB, upright."""
    try:
        from PIL import Image, ImageOps
    except ImportError as error:
        raise MissingExtra("pictures", "Pillow", "models") from error

    name = _name(picture, number)
    try:
        with warnings.catch_warnings():
            # From Pillow's limit to twice the limit it warns; beyond, which is an error, nothing is decoded.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            if isinstance(picture, str | PathLike):
                Image.init()
                known = [kind for kind in FORMATS if kind in Image.OPEN]
                with Image.open(Path(picture), formats=known) as file:
                    return _in_colour(ImageOps.exif_transpose(file), white, Image)
            image = Image.fromarray(_array(picture, name)) if not isinstance(picture, Image.Image) else picture
            return _in_colour(ImageOps.exif_transpose(image), white, Image)
    except Image.DecompressionBombError as error:
        raise ValueError(f"a picture must be of an honest size: got {name}, {error}; make it smaller") from error
    except Image.UnidentifiedImageError as error:
        raise ValueError(f"a picture must be one of {', '.join(FORMATS)}: got {name}; convert it") from error
    except (OSError, SyntaxError, EOFError, RuntimeError, ValueError, struct.error) as error:  # what its readers raise
        raise ValueError(f"a picture must be whole and readable: got {name}, {error}; use another file") from error


def _array(picture: Any, name: str) -> np.ndarray:
    if not isinstance(picture, np.ndarray):
        raise ValueError(f"it is a {type(picture).__name__}, no path, image of Pillow's or array")
    channels = picture.shape[2] if picture.ndim == 3 else 1
    if picture.dtype != np.uint8 or picture.ndim not in (2, 3) or channels not in (1, 3, 4) or not picture.size:
        raise ValueError(f"it is {picture.dtype} of shape {picture.shape}, not uint8 (h, w), (h, w, 3) or (h, w, 4)")
    return picture[..., 0] if picture.ndim == 3 and channels == 1 else picture


def _in_colour(image: "Image", white: bool, pillow: Any) -> "Image":
    if image.mode.startswith("I"):  # 16 bits, of which Pillow would cut off all above 255
        values = np.asarray(image)
        if values.min() < 0 or values.max() > 65535:
            raise ValueError(f"it has values from {values.min()} to {values.max()}, beyond 16 bits")
        image = pillow.fromarray((values // 256).astype(np.uint8))
    if image.mode == "F":
        raise ValueError("it has fractions, whose range nobody says")
    if white and ("A" in image.getbands() or image.info.get("transparency") is not None):
        image = image.convert("RGBA")
        image = pillow.alpha_composite(pillow.new("RGBA", image.size, (255, 255, 255, 255)), image)
    return image.convert("RGB")


def labels(model: ViT) -> tuple[str, ...]:
    """What the classes of a model are called, in their order: by its folder's id2label, or LABEL_0 and so on.

    >>> from regard.models import PRESETS, build, vary
    >>> labels(build(vary(PRESETS["vit-base"], depth=1, width=8, num_heads=2, classes=2)))
    ('LABEL_0', 'LABEL_1')
    """
    classes = model.config.classes
    if classes is None:
        raise ValueError("a model without a head has no classes: got classes=None; use a folder with a classifier")
    source: Source | None = getattr(model, "source", None)
    published = {} if source is None else source.config.get("id2label") or {}
    if not published:
        return tuple([f"LABEL_{number}" for number in range(classes)])
    named = {str(number): str(label) for number, label in published.items()}
    if named.keys() != {str(number) for number in range(classes)}:
        raise ValueError(f"id2label must name the classes 0…{classes - 1}: got {', '.join(sorted(named)[:5])}, …")
    return tuple([named[str(number)] for number in range(classes)])
