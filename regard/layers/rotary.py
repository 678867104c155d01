"""Rotary positions: queries and keys are turned by angles that grow with the position."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Sequence
from regard.layers.positions import place, wave_angles


@dataclass(frozen=True, eq=False)
class Rotation:
    """Cosines and sines, (T, D/2) or (B, 1, T, D/2), by which the heads of T tokens are turned."""

    cos: Float[Tensor, "... T half"]
    sin: Float[Tensor, "... T half"]

    def turn(self, x: Float[Tensor, "B H T D"]) -> Float[Tensor, "B H T D"]:
        """Turn each pair of features, i and i + D/2, in its plane."""
        T, half = self.cos.shape[-2:]
        if x.shape[2] != T or x.shape[3] != 2 * half:
            raise ValueError(
                f"a rotation of {T} tokens turns heads of width {2 * half}: got {x.shape[2]} tokens of width "
                f"{x.shape[3]}; use Rotary({x.shape[3]})(Sequence({x.shape[2]}))"
            )
        first, second = x.chunk(2, -1)
        return torch.cat((first * self.cos - second * self.sin, second * self.cos + first * self.sin), -1)


class Rotary(nn.Module):
    """Rotary positions for heads of width D: a dot product of two turned heads knows their offset alone.

        (x_i, x_{i+D/2}) ← (x_i cos φ − x_{i+D/2} sin φ, x_{i+D/2} cos φ + x_i sin φ)        φ = p·base^(−2i/D)

    >>> from regard.attention import Sequence
    >>> rotation = Rotary(64)(Sequence(5))
    >>> rotation.turn(torch.randn(2, 8, 5, 64)).shape
    torch.Size([2, 8, 5, 64])

    Su et al., *RoFormer*, Neurocomputing 2024: their d is our D, their m our p. They pair features 2i and 2i+1; Llama's
    published weights pair i and i + D/2, as here.
    """

    def __init__(self, width: int, base: float | int = 10000) -> None:
        super().__init__()
        if width < 2 or width % 2:
            raise ValueError(f"a head is turned in pairs: got width={width}; use an even number")
        if not base > 1:
            raise ValueError(f"base must be above 1: got base={base}; use 10000")
        self.width, self.base = width, base

    def forward(self, positions: Sequence, like: Tensor | None = None) -> Rotation:
        """The rotation of tokens at these places, of the type and on the device of `like`."""
        like = torch.empty(0) if like is None else like
        angles = wave_angles(place(positions, like.device), self.width, self.base, like.dtype)
        if angles.ndim == 3:
            angles = angles[:, None]  # all heads of a row alike
        return Rotation(angles.cos().to(like.dtype), angles.sin().to(like.dtype))

    def extra_repr(self) -> str:
        return f"width={self.width}, base={self.base}"
