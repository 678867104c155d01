"""What a training is watched by: tensors at every evaluation, small enough to keep, and played back later."""

import re
from collections.abc import Mapping
from pathlib import Path

import torch
from jaxtyping import Float, UInt8
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from regard.tasks.whole_files import whole_file
from regard.training.lock import sweep

NAME = re.compile(r"step-(\d{9})\.safetensors")


class Recording:
    """A folder with a safetensors file for each recorded step.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     recording = Recording(Path(folder))
    ...     for step in (0, 45):
    ...         recording.write(step, {"heads.0.centre": torch.full((9, 2), float(step))})
    ...     recording.steps(), recording.read(45)["heads.0.centre"].shape
    ([0, 45], torch.Size([9, 2]))
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def steps(self) -> list[int]:
        if not self.folder.is_dir():
            return []
        return sorted(int(found[1]) for path in self.folder.iterdir() if (found := NAME.fullmatch(path.name)))

    def write(self, step: int, tensors: Mapping[str, Tensor]) -> None:
        """Keep these; nothing is written where there are none."""
        if tensors:
            with whole_file(self._path(step)) as file:
                file.write(save({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}))

    def read(self, step: int) -> dict[str, Tensor]:
        if step not in self.steps():
            raise ValueError(f"step must be one that was recorded: got {step}, not among {self.steps()}")
        try:
            with safe_open(self._path(step), "pt") as file:
                return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no mapping
        except (SafetensorError, OSError) as error:
            raise ValueError(f"{self._path(step)} must be a recording as it was written: got {error}") from error

    def rewind(self, step: int) -> None:
        """Forget what came after a step, which is about to come again."""
        for late in self.steps():
            if late > step:
                self._path(late).unlink()
        sweep(self.folder)

    def _path(self, step: int) -> Path:
        return self.folder / f"step-{step:09d}.safetensors"


def compact(weights: Float[Tensor, "..."]) -> UInt8[Tensor, "..."]:
    """Weights from 0 to 1 as bytes of their roots: small ones, of which a map has most, keep their order.

        u = round(255 √w),   w ≈ (u/255)²,   off by at most √w/255 + 1/255²/4

    >>> compact(torch.tensor([0.0, 0.001, 0.25, 1.0])).tolist()
    [0, 8, 128, 255]
    """
    return (255 * weights.float().clamp(0, 1).sqrt()).round().to(torch.uint8)


def expanded(kept: UInt8[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Weights again, but for the rounding."""
    return (kept.float() / 255).square()
