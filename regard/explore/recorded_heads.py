"""Recorded gaussian heads, read and checked: whatever is wrong with a recording is said by its name and its step."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from regard.explore.work import check
from regard.training import Recording
from regard.training.loop import RECORDING

if TYPE_CHECKING:
    from regard.recipes import Run

HEADS, SIDE = 36, 32  # at most
IMAGE = "inputs.image-0"


class Played(NamedTuple):
    """Centres (steps, layers, heads, 2), precisions (steps, layers, heads, entries), and the image, (side, side)."""

    centre: Tensor
    precision: Tensor
    image: Tensor | None
    side: int


def recordings(run: "Run") -> dict[str, Path]:
    """The folders of a run's trainings that recorded something, by their names; seed-10 after seed-9."""
    found = {path.parent.name: path.parent for path in run.folder.glob(f"*/{RECORDING}")}
    return dict(sorted(found.items(), key=lambda one: [part.zfill(9) for part in re.split(r"(\d+)", one[0])]))


def folder_of(run: "Run", training: str) -> Path:
    found = recordings(run)
    if training not in found:
        raise ValueError(f"{run.name} must have recorded {training!r:.60}: there is {', '.join(found) or 'nothing'}")
    return found[training]


def play(run: "Run", folder: Path, steps: list[int]) -> Played:
    """The heads at these steps, and the image of the last."""
    found, kept = list[tuple[Tensor, Tensor]](), dict[str, Tensor]()
    for step in steps:
        check()
        kept = _read(folder, step)
        found.append(_heads(f"{folder.name} at step {step}", kept))
        if found[-1][0].shape != found[0][0].shape or found[-1][1].shape != found[0][1].shape:
            raise ValueError(
                f"{folder.name} must have recorded the same heads at every step: got {_sizes(found[0])} at step "
                f"{steps[0]}, {_sizes(found[-1])} at step {step}; record each training into a folder of its own"
            )
    centre, precision = (torch.stack(part) for part in zip(*found, strict=True))
    image = _image(run, folder, kept)
    side = 2 * math.ceil(float(centre[-1].abs().max())) + 1 if image is None else len(image)
    if side > SIDE:
        raise ValueError(f"at most {SIDE} × {SIDE} tokens are shown: got {side} × {side} in {folder.name}")
    return Played(centre, precision, image, side)


def _sizes(found: tuple[Tensor, Tensor]) -> str:
    (layers, heads, _), entries = found[0].shape, found[1].shape[2]
    return f"{layers} × {heads} of {entries}"


def _read(folder: Path, step: int) -> dict[str, Tensor]:
    try:
        return Recording(folder / RECORDING).read(step)
    except ValueError:  # which names the file by where it is on this machine
        raise ValueError(
            f"{folder.name} must have a recording as it was written: got a damaged file at step {step}; train it again"
        ) from None


def _heads(where: str, kept: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Centres (layers, heads, 2) and precisions (layers, heads, entries) of one step."""
    if "heads.0.centre" not in kept:
        raise ValueError(f"{where} must have recorded gaussian heads: got {', '.join(list(kept)[:4]) or 'nothing'}")
    layers = range(sum(name.startswith("heads.") and name.endswith(".centre") for name in kept))
    missing = [name for i in layers for name in (f"heads.{i}.centre", f"heads.{i}.precision") if name not in kept]
    if missing:
        raise ValueError(f"{where} must have recorded centres and precisions of every layer: {missing[0]} is missing")
    centres, precisions = ([kept[f"heads.{i}.{name}"] for i in layers] for name in ("centre", "precision"))
    H = len(centres[0]) if centres[0].ndim else 0
    if not 1 <= H <= HEADS or any(one.shape != (H, 2) for one in centres):
        raise ValueError(
            f"{where} must have recorded 1 to {HEADS} heads in every layer, on a grid: got centres of "
            f"{', '.join(str(tuple(one.shape)) for one in centres[:4])}"
        )
    shape = precisions[0].shape
    if shape not in ((H,), (H, 1), (H, 2), (H, 2, 2)) or any(one.shape != shape for one in precisions):
        raise ValueError(
            f"{where} must have recorded precisions of 1, 2 or 2 × 2 numbers for each of {H} heads, alike in all "
            f"layers: got {', '.join(str(tuple(one.shape)) for one in precisions[:4])}"
        )
    centre, precision = torch.stack(centres).float(), torch.stack(precisions).float().reshape(len(centres), H, -1)
    if not (centre.isfinite().all() and precision.isfinite().all()):
        raise ValueError(f"{where} must have recorded finite heads: got NaN or infinity; train with a smaller step")
    return centre, precision


def _image(run: "Run", folder: Path, kept: Mapping[str, Tensor]) -> Tensor | None:
    """The recorded image by tokens, in bytes."""
    image, patch = kept.get(IMAGE), _patch(run)
    if image is None:
        return None
    if image.ndim != 3 or not len(image) or image.shape[1] != image.shape[2] or not 1 <= patch <= image.shape[1]:
        raise ValueError(
            f"{folder.name} must have recorded a square image with a patch of it for each token: got "
            f"{tuple(image.shape)} and a patch of {patch}"
        )
    return torch.nn.functional.avg_pool2d(image[None].float(), patch).mean((0, 1)).round().to(torch.uint8)


def _patch(run: "Run") -> int:
    model = run.config.get("model")
    found = model.get("patch", 1) if isinstance(model, Mapping) else 1
    return found if isinstance(found, int) else 0
