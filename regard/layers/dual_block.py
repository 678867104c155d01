"""DaViT's block: attention between the pixels of a window, then attention between channels over the whole image."""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from regard.attention import Grid
from regard.attention.positions.positions import check_positions
from regard.layers.channel import ChannelAttention
from regard.layers.feed_forward import FeedForward
from regard.layers.scaled_dot_product import check_sequence
from regard.layers.window import WindowAttention

Device = torch.device | str | None


class LocalPositions(nn.Module):
    """Positions from the neighbourhood: `x + conv(x)`, with a 3×3 filter for each channel and zeros beyond the border.

    >>> layer = LocalPositions(8)
    >>> layer(torch.randn(2, 12, 8), Grid(3, 4)).shape
    torch.Size([2, 12, 8])

    Chu et al., *Conditional Positional Encodings for Vision Transformers*, ICLR 2023.
    """

    def __init__(self, width: int, *, device: Device = None, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1, groups=width, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Small filters: the layer begins near the identity."""
        nn.init.normal_(self.conv.weight, std=0.02)
        assert self.conv.bias is not None
        nn.init.zeros_(self.conv.bias)

    def forward(self, x: Float[Tensor, "B T C"], grid: Grid) -> Float[Tensor, "B T C"]:
        check_sequence("x", x, "T", self.conv.in_channels)
        if not isinstance(grid, Grid):
            raise ValueError(f"grid must say where the tokens stand: got {grid!r}; use Grid(h, w)")
        check_positions(grid, x.shape[0], x.shape[1], "tokens")
        image = x.mT.unflatten(2, (grid.h, grid.w))  # (B, T, C) → (B, C, T) → (B, C, h, w)
        return x + self.conv(image).flatten(2).mT


class LocalBlock(nn.Module):
    """What both halves of the dual block share: everything except the attention.

    x ← x + conv(x);  x ← x + attention(norm(x));  x ← x + conv(x);  x ← x + feed_forward(norm(x))

    In training attention and feed-forward each leave out a share `skipped` of the rows, 0 until it is set, and count
    1/(1 − skipped) in the others: Huang et al., *Deep Networks with Stochastic Depth*, ECCV 2016.
    """

    def __init__(
        self, width: int, ratio: int | float, dropout: float, device: Device = None, dtype: torch.dtype | None = None
    ) -> None:
        super().__init__()
        self.skipped = 0.0
        if not ratio > 0 or int(ratio * width) < 1:
            raise ValueError(f"ratio must leave a hidden feature or more: got ratio={ratio} for width={width}; use 4")
        options = {"device": device, "dtype": dtype}
        self.position, self.second_position = LocalPositions(width, **options), LocalPositions(width, **options)
        self.norm, self.second_norm = nn.LayerNorm(width, **options), nn.LayerNorm(width, **options)
        self.feed_forward = FeedForward(width, int(ratio * width), dropout=dropout, **options)

    def mix(self, x: Float[Tensor, "B T C"], grid: Grid) -> Float[Tensor, "B T C"]:
        raise NotImplementedError(f"{type(self).__name__} must define mix(x, grid)")

    def forward(self, x: Float[Tensor, "B T C"], grid: Grid) -> Float[Tensor, "B T C"]:
        """Tokens x of the pixels of `grid`, in raster order."""
        x = self.position(x, grid)
        x = x + self._kept(self.mix(self.norm(x), grid))
        x = self.second_position(x, grid)
        return x + self._kept(self.feed_forward(self.second_norm(x)))

    def _kept(self, branch: Tensor) -> Tensor:
        if not self.training or not self.skipped:
            return branch
        return branch * functional.dropout(branch.new_ones(branch.shape[0], 1, 1), self.skipped)  # row by row


class WindowBlock(LocalBlock):
    """Attention inside windows, then a feed-forward.

    >>> block = WindowBlock(32, 4, window=3)
    >>> block(torch.randn(2, 30, 32), Grid(5, 6)).shape
    torch.Size([2, 30, 32])
    """

    def __init__(
        self,
        width: int,
        num_heads: int,
        *,
        window: int | tuple[int, int],
        shifted: bool = False,
        tables: bool = False,
        ratio: int | float = 4,
        bias: bool = True,
        dropout: float = 0.0,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(width, ratio, dropout, device, dtype)
        options = {"window": window, "shifted": shifted, "tables": tables, "bias": bias, "dropout": dropout}
        self.attention = WindowAttention(width, num_heads, **options, device=device, dtype=dtype)

    def mix(self, x: Float[Tensor, "B T C"], grid: Grid) -> Float[Tensor, "B T C"]:
        return self.attention(x, keys=grid)

    def map(self, x: Float[Tensor, "B T C"], grid: Grid) -> Float[Tensor, "B H T T"]:
        """The map by which `forward` mixes the tokens x, without dropout."""
        return self.attention.weights(self.norm(self.position(x, grid)), keys=grid)


class ChannelBlock(LocalBlock):
    """Attention between the channels of a group, then a feed-forward.

    >>> block = ChannelBlock(32, 4)
    >>> block(torch.randn(2, 30, 32), Grid(5, 6)).shape
    torch.Size([2, 30, 32])
    """

    def __init__(
        self,
        width: int,
        num_groups: int,
        *,
        beta: float | int | Literal["positions"] | None = None,
        ratio: int | float = 4,
        bias: bool = True,
        dropout: float = 0.0,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(width, ratio, dropout, device, dtype)
        options = {"beta": beta, "bias": bias, "dropout": dropout}
        self.attention = ChannelAttention(width, num_groups, **options, device=device, dtype=dtype)

    def mix(self, x: Float[Tensor, "B T C"], grid: Grid) -> Float[Tensor, "B T C"]:
        return self.attention(x)

    def map(self, x: Float[Tensor, "B T C"], grid: Grid) -> Float[Tensor, "B G Cg Cg"]:
        """The map by which `forward` mixes the channels of x, without dropout."""
        return self.attention.weights(self.norm(self.position(x, grid)))


class DualBlock(nn.Module):
    """A window block, then a channel block: near pixels in full detail, then all pixels at once.

    Both cost time linear in the number of pixels. `beta` is that of the channels. Dropout acts on the attention weights
    and the hidden features.

    >>> block = DualBlock(96, num_heads=3, num_groups=3, window=7)
    >>> block(torch.randn(2, 14 * 21, 96), Grid(14, 21)).shape
    torch.Size([2, 294, 96])

    Ding et al., *DaViT: Dual Attention Vision Transformers*, ECCV 2022, figure 3. A window that a border cuts is
    smaller here, where they fill it with zeros that are seen.
    """

    def __init__(
        self,
        width: int,
        num_heads: int,
        num_groups: int,
        window: int | tuple[int, int],
        *,
        ratio: int | float = 4,
        beta: float | int | Literal["positions"] | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        options = {"ratio": ratio, "bias": bias, "dropout": dropout, "device": device, "dtype": dtype}
        self.window = WindowBlock(width, num_heads, window=window, **options)
        self.channel = ChannelBlock(width, num_groups, beta=beta, **options)

    def forward(self, x: Float[Tensor, "B T C"], grid: Grid) -> Float[Tensor, "B T C"]:
        """Tokens x of the pixels of `grid`, in raster order."""
        return self.channel(self.window(x, grid), grid)
