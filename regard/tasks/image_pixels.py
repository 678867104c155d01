"""The pixels of one JPEG or PNG, upright, grey or RGB, of a given size."""

import io
import struct
import zlib
from typing import Any

import numpy as np

from regard.checks import MissingExtra

# What Pillow's readers of JPEG and PNG raise for files that are none.
ERRORS = (OSError, SyntaxError, EOFError, ValueError, RuntimeError, struct.error, zlib.error)


class Unreadable(ValueError):  # noqa: N818 - named by what it says of a picture
    """A picture that cannot be decoded, or had better not be."""


def pixels(content: bytes | np.ndarray, size: tuple[int, int] | None) -> np.ndarray:
    """A file's bytes, or pixels (1 | 3, h, w), as bytes (1 | 3, h, w); to a `size`, the middle is cut and scaled."""
    if isinstance(content, np.ndarray) and size in (None, content.shape[1:]):
        return content
    try:
        from PIL import Image, ImageOps
    except ImportError as error:
        raise MissingExtra("pictures", "Pillow", "train") from error
    if isinstance(content, np.ndarray):
        image = Image.fromarray(content[0] if len(content) == 1 else content.transpose(1, 2, 0).copy())
    else:
        try:
            image = _decoded(content, Image, ImageOps)
        except Image.UnidentifiedImageError:
            raise Unreadable(f"it must be JPEG or PNG, and its {len(content):,} bytes are neither") from None
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
            raise Unreadable(f"it must be of an honest size: {error}") from error
        except ERRORS as error:
            raise Unreadable(f"it must be a whole picture: {error}") from error
    if size is not None and image.size != (size[1], size[0]):
        image = ImageOps.fit(image, (size[1], size[0]), Image.Resampling.BILINEAR)
    values = np.asarray(image)
    return values[None] if values.ndim == 2 else values.transpose(2, 0, 1)


def _decoded(content: bytes, pillow: Any, ops: Any) -> Any:
    """A picture of mode L or RGB."""
    image = pillow.open(io.BytesIO(content), formats=("JPEG", "PNG"))
    if "exif" in image.info:
        image = ops.exif_transpose(image)
    if image.mode.startswith("I"):  # 16 bits, of which Pillow would cut off all above 255
        return pillow.fromarray((np.asarray(image) // 256).astype(np.uint8))
    if image.mode in ("1", "L", "LA"):
        return image.convert("L")
    # Pillow warns of palettes with transparency that go to RGB at once.
    return (image.convert("RGBA") if "transparency" in image.info else image).convert("RGB")
