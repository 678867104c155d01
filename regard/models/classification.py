"""What pictures show, from a vision transformer and the preprocessing of its folder."""

from dataclasses import dataclass, replace
from os import PathLike

import torch
from jaxtyping import Float
from torch import Tensor

from regard.models.architectures.vision import ViT
from regard.models.hugging_face.images import Preprocessing, preprocess, preprocessing
from regard.models.tokens import Maps


@dataclass(frozen=True, kw_only=True)
class Classified:
    """The picture as the model saw it, colours in 0…1; its probabilities; and the map of the class token, if asked for.

    `attention` is the weight of each patch in the last layer, mean of the heads.
    """

    picture: Float[Tensor, "h w 3"]
    probabilities: Float[Tensor, " classes"]
    attention: Float[Tensor, "rows columns"] | None


def classify(
    model: ViT, picture: str | PathLike[str], *, interpolate: bool = False, return_map: bool = False
) -> Classified:
    """Classify a picture, resized and normalised as the model's folder says.

    With `interpolate` it keeps its proportions: the shorter side as the folder says, cut to whole patches, and learned
    positions are interpolated. Without, it becomes as large as the model has positions for.
    """
    if model.head is None:
        raise ValueError("pictures are classified by a model with a classifier: got none; use another model")
    steps = preprocessing(model)
    if interpolate:
        steps = replace(steps, size=min(steps.size) if isinstance(steps.size, tuple) else steps.size, crop=None)
    pixels = preprocess(picture, steps)
    height, width = pixels.shape[2:]
    side, patch = model.config.image, model.config.patch
    if not interpolate and (height, width) != (side, side):
        raise ValueError(
            f"the folder makes {width} × {height} pixels of a picture, its model takes {side}: got {str(picture)!r}; "
            "use --interpolate"
        )
    rows, columns = height // patch, width // patch
    top, left = height % patch // 2, width % patch // 2
    pixels = pixels[:, :, top : top + rows * patch, left : left + columns * patch]
    with torch.no_grad():
        maps = Maps(layers=(-1,)) if return_map else False
        out = model(pixels.to(model.class_token), maps, interpolate=interpolate)
    assert out.logits is not None
    attention = None
    if out.maps is not None:
        attention = out.maps["self"][-1][0, :, 0, 1:].float().mean(0).unflatten(0, (rows, columns)).cpu()
    probabilities = out.logits[0].float().softmax(0).cpu()
    return Classified(picture=restore(pixels[0], steps), probabilities=probabilities, attention=attention)


def restore(pixels: Float[Tensor, "3 h w"], steps: Preprocessing) -> Float[Tensor, "h w 3"]:
    """The colours in 0…1 that were normalised and scaled: x·std + mean, over 255·scale, with 1 for no scale.

    >>> restore(torch.full((3, 1, 1), 1.0), Preprocessing())
    tensor([[[1., 1., 1.]]])
    >>> restore(torch.full((3, 1, 1), 51.0), Preprocessing(scale=None, mean=None, std=None))
    tensor([[[0.2000, 0.2000, 0.2000]]])
    """
    if steps.mean is not None and steps.std is not None:
        mean, std = (torch.tensor(numbers)[:, None, None] for numbers in (steps.mean, steps.std))
        pixels = pixels * std + mean
    return (pixels / (255 * (1 if steps.scale is None else steps.scale))).clamp(0, 1).permute(1, 2, 0)
