"""Positions that are added to the tokens: learned, or waves of sine and cosine, in a line or on a grid."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Grid, Positions, Sequence
from regard.attention.positions.reach import readable
from regard.checks import check_whole
from regard.torch_private import assert_soon


class LearnedPositions(nn.Module):
    """A learned vector for each of `count` places: row p of `weight` for position p.

    >>> from regard.attention import Sequence
    >>> layer = LearnedPositions(1024, 64)
    >>> layer(Sequence(5, start=3)).shape, layer(Sequence(5, start=torch.tensor([0, 7]))).shape
    (torch.Size([5, 64]), torch.Size([2, 5, 64]))
    """

    def __init__(self, count: int, width: int) -> None:
        super().__init__()
        check_whole("count", count, 1)
        check_whole("width", width, 1)
        self.weight = nn.Parameter(torch.empty(count, width))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, positions: Sequence | Int[Tensor, "*B T"]) -> Float[Tensor, "*B T C"]:
        """The vectors of these places. Starts that are a tensor are data: a place beyond the last counts as the last,
        so that pads may stand there. A tensor has the position of each token, as `Documents.positions` gives it.
        """
        if isinstance(positions, Tensor):
            return self.weight[self._learned(positions.to(self.weight.device))]
        n, start, most = positions.n, positions.start, self.weight.shape[0]
        if isinstance(start, Tensor):
            return self.weight[place(positions, self.weight.device).clamp(max=most - 1)]
        last = start + positions.step * (n - 1)
        if start < 0 or last >= most:
            raise ValueError(
                f"positions must lie among the {most} that are learned: got {start}…{last}; "
                "use shorter sequences, or a model of more positions"
            )
        return self.weight[start : last + 1 : positions.step]

    def _learned(self, positions: Tensor) -> Tensor:
        """The positions themselves: an error where there are others, on a GPU a later one."""
        most = self.weight.shape[0]
        if torch.compiler.is_compiling():
            return positions
        if positions.is_cuda:
            assert_soon((positions < most).all(), f"positions must lie among the {most} that are learned")
        elif readable(positions) and int(positions.max()) >= most:
            raise ValueError(
                f"positions must lie among the {most} that are learned: got 0…{int(positions.max())}; "
                "use shorter sequences, or a model of more positions"
            )
        return positions

    def extra_repr(self) -> str:
        return f"count={self.weight.shape[0]}, width={self.weight.shape[1]}"


class SinusoidalPositions(nn.Module):
    """Waves of all lengths from 2π to 2π·base, nothing learned, for sequences of any length.

        y_{p, 2i}, y_{p, 2i+1} = sin(p·base^(−2i/C)), cos(p·base^(−2i/C))

    On a grid the first half of the features says the row in this way, the second half the column.

    >>> from regard.attention import Grid, Sequence
    >>> layer = SinusoidalPositions(64)
    >>> layer(Sequence(5)).shape, layer(Grid(3, 4)).shape
    (torch.Size([5, 64]), torch.Size([12, 64]))

    Vaswani et al., *Attention Is All You Need*, NeurIPS 2017, section 3.5: their d_model is our C, their 10000 `base`.
    """

    def __init__(self, width: int, base: float | int = 10000) -> None:
        super().__init__()
        if width < 2 or width % 2:
            raise ValueError(f"waves come in pairs: got width={width}; use an even number")
        if not base > 1:
            raise ValueError(f"base must be above 1: got base={base}; use 10000")
        self.width, self.base = width, base

    def forward(
        self, positions: Positions | Int[Tensor, "*B T"], like: Tensor | None = None
    ) -> Float[Tensor, "*B T C"]:
        """The waves at these places, of the type and on the device of `like`."""
        like = torch.empty(0) if like is None else like
        if isinstance(positions, Grid):
            if self.width % 4:
                raise ValueError(f"waves of rows and columns need a multiple of 4: got width={self.width}")
            i = torch.arange(positions.count, device=like.device)
            axes = [_waves(at, self.width // 2, self.base, like) for at in positions.at(0, i)]
            return torch.cat([torch.stack(axis, -1).flatten(-2) for axis in axes], -1)
        waves = _waves(place(positions, like.device), self.width, self.base, like)
        return torch.stack(waves, -1).flatten(-2)  # sine and cosine take turns

    def extra_repr(self) -> str:
        return f"width={self.width}, base={self.base}"


def place(positions: Sequence | Tensor, device: torch.device) -> Tensor:
    """Where the tokens stand, (T,), or (B, T) where rows differ."""
    if isinstance(positions, Tensor):
        return positions.to(device)
    i = torch.arange(positions.n, device=device)
    if not isinstance(positions.start, Tensor):
        return positions.at(0, i)
    return positions.start.to(device)[:, None] + positions.step * i


def _waves(at: Tensor, width: int, base: float | int, like: Tensor) -> tuple[Tensor, Tensor]:
    """Sine and cosine of `at` at width/2 frequencies, each of shape (*at, width/2)."""
    angles = wave_angles(at, width, base, like.dtype)
    return angles.sin().to(like.dtype), angles.cos().to(like.dtype)


def wave_angles(at: Tensor, width: int, base: float | int, dtype: torch.dtype) -> Tensor:
    """`p·base^(−2i/width)` for i < width/2, in at least float32: half types cannot count tokens."""
    exact = torch.promote_types(dtype, torch.float32)
    pairs = torch.arange(0, width, 2, device=at.device).to(exact)
    return at[..., None].to(exact) * base ** (-pairs / width)
