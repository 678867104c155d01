"""Small images, made on the spot, whose class is a matter of pixels nearby and of pixels far apart."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

CLASSES = 4


@dataclass(frozen=True, kw_only=True)
class Shapes:
    """Images with two striped squares: their class says how the stripes run, and how the squares lie to each other.

        class = 2·(stripes run along columns) + (the squares lie one below the other)

    The stripes of both run alike, `period` pixels from one to the next, with a random phase. The squares' corners are
    `apart` pixels from each other along a row or a column, anywhere in the image: no square alone tells which.

    >>> images, classes = Shapes().draw(8, torch.Generator().manual_seed(0))
    >>> images.shape, classes.tolist()
    (torch.Size([8, 3, 16, 16]), [...])
    """

    image: int = 16
    side: int = 4
    apart: int = 8
    period: int = 2
    noise: float = 0.3

    def __post_init__(self) -> None:
        for name in ("image", "side", "apart", "period"):
            if (value := getattr(self, name)) < 1:
                raise ValueError(f"{name} must be at least 1 pixel: got {name}={value}")
        if self.side > self.apart:
            raise ValueError(f"squares must not overlap: got side={self.side}, apart={self.apart}; use apart ≥ side")
        if self.apart + self.side > self.image:
            raise ValueError(
                f"both squares must fit: got apart={self.apart} and side={self.side} in image={self.image}; "
                f"use an image of {self.apart + self.side} pixels or more"
            )
        if not self.noise >= 0:
            raise ValueError(f"noise is a standard deviation, 0 or more: got noise={self.noise}")

    def draw(self, count: int, generator: torch.Generator) -> tuple[Float[Tensor, "B 3 h w"], Int[Tensor, " B"]]:
        """So many images with their classes, each class as likely as the others."""
        classes = torch.randint(CLASSES, (count,), generator=generator)
        along_columns, below = classes // 2, classes % 2
        first = self._places(below, generator)
        away = self.apart * torch.stack((below, 1 - below), 1)
        rows, columns = torch.meshgrid(torch.arange(self.image), torch.arange(self.image), indexing="ij")
        pixels = torch.stack((rows, columns))  # (2, h, w)
        phase = torch.randint(self.period, (count, 2), generator=generator)
        image = self.noise * torch.randn(count, self.image, self.image, generator=generator)
        for number, corner in enumerate((first, first + away)):
            inside = pixels - corner[:, :, None, None]
            covers = ((inside >= 0) & (inside < self.side)).all(1)
            across = torch.where(
                along_columns[:, None, None] == 1, columns, rows
            )  # stripes along columns alternate there
            stripe = (across + phase[:, number, None, None]) % self.period < (self.period + 1) // 2
            image = image + covers * (2.0 * stripe - 1)
        return image[:, None].expand(-1, 3, -1, -1), classes

    def _places(self, below: Int[Tensor, " B"], generator: torch.Generator) -> Int[Tensor, "B 2"]:
        """The corner of the first square, such that both lie inside."""
        room = self.image - self.side + 1
        free = torch.stack((room - self.apart * below, room - self.apart * (1 - below)), 1)
        return (torch.rand(len(below), 2, generator=generator) * free).long()
