"""Convolutions computed by attention, as drop-in layers: the tokens are the pixels, the heads are the taps."""

import itertools
import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import pad

from regard.algorithms import attend, weights
from regard.attention import Attention, Grid, Neighbours, Positions, RelativeTable, Sequence, Weighting, Window
from regard.layers.position_heads import PositionHeads
from regard.layers.relative_positions import Gaussian

Sizes = tuple[int, ...]
PADDING_MODES = ("zeros", "replicate")


@dataclass(frozen=True, kw_only=True)
class Stencil:
    """Where a convolution looks, in the terms of `nn.Conv2d`: `size` has one entry in a line and two on a grid.

    `stride` and `dilation` are one number or one per axis; `padding` is as well, or "same" or "valid". With "zeros"
    pads are visible tokens of value zero; with "replicate" there are none: a target outside goes to the nearest pixel.

    >>> stencil = Stencil(size=(3, 3), stride=2, padding="valid", dilation=(1, 2))
    >>> stencil.queries((8, 9)), stencil.keys((8, 9))
    (Grid(h=3, w=3, start=(1, 2), step=(2, 2)), Grid(h=8, w=9, start=(0, 0), step=(1, 1)))
    """

    size: Sizes
    stride: int | Sizes = 1
    padding: int | str | Sizes = 0
    dilation: int | Sizes = 1
    padding_mode: str = "zeros"

    def __post_init__(self) -> None:
        if not isinstance(self.size, tuple) or self.axes not in (1, 2):
            raise ValueError(f"size must have one entry in a line, two on a grid: got size={self.size!r}; use (3, 3)")
        if self.padding_mode not in PADDING_MODES:
            raise ValueError(
                f"padding_mode must be 'zeros' (visible pads) or 'replicate' (no pads): got {self.padding_mode!r}; "
                "pad the image yourself, and use padding=0"
            )
        for name, least in (("size", 1), ("stride", 1), ("dilation", 1), ("padding", 0)):
            value = getattr(self, name)
            if name == "padding" and value in ("same", "valid"):
                continue
            entries = self._each(value)
            if len(entries) != self.axes or not all([isinstance(n, int) and n >= least for n in entries]):
                words = "; or use 'same' or 'valid'" if name == "padding" else ""
                raise ValueError(
                    f"{name} must be a whole number from {least}, or {self.axes} of them: got {name}={value!r}{words}"
                )
        if self.padding == "same" and max(self.strides) > 1:
            raise ValueError(f"padding='same' needs stride 1: got stride={self.stride}; give the padding in numbers")

    def _each(self, value: int | Sizes) -> Sizes:
        return value if isinstance(value, tuple) else (value,) * self.axes

    @property
    def axes(self) -> int:
        return len(self.size)

    @property
    def num_taps(self) -> int:
        return math.prod(self.size)

    @property
    def strides(self) -> Sizes:
        return self._each(self.stride)

    @property
    def dilations(self) -> Sizes:
        return self._each(self.dilation)

    @property
    def reach(self) -> tuple[tuple[int, int], ...]:
        """How far the taps lie before and after the query, along each axis; even sizes reach further after it."""
        spans = [(d * ((k - 1) // 2), d * (k // 2)) for k, d in zip(self.size, self.dilations, strict=True)]
        return tuple(spans)

    @property
    def pads(self) -> tuple[tuple[int, int], ...]:
        """Pixels added before and after, along each axis; "same" puts an odd one after, as torch does."""
        if self.padding == "same":
            totals = [before + after for before, after in self.reach]
            return tuple([(total // 2, total - total // 2) for total in totals])
        given = 0 if isinstance(self.padding, str) else self.padding
        return tuple([(n, n) for n in self._each(given)])

    def offsets(self) -> Int[Tensor, "taps P"]:
        """δ = key − query of each tap, the kernel's entries in raster order."""
        lines = [range(-before, after + 1, d) for (before, after), d in zip(self.reach, self.dilations, strict=True)]
        return torch.tensor(list(itertools.product(*lines)), device="cpu")

    def queries(self, sizes: Sizes) -> Positions:
        """The positions of the outputs for an image of these sizes: where the middle of the kernel stands."""
        counts, starts = [], []
        axes = zip(sizes, self.pads, self.reach, self.strides, strict=True)
        for n, (pad_before, pad_after), (before, after), stride in axes:
            counts.append((n + pad_before + pad_after - before - after - 1) // stride + 1)
            starts.append(before - pad_before)
        if min(counts) < 1 or min(sizes) < 1:
            raise ValueError(
                f"the padded image must hold the kernel: got an image of {sizes} for {self}; use more padding"
            )
        return _positions(tuple(counts), tuple(starts), self.strides)

    def keys(self, sizes: Sizes) -> Positions:
        """The pixels, and the pads where they are visible."""
        if self.padding_mode == "replicate":
            return _positions(sizes, (0,) * self.axes, (1,) * self.axes)
        padded = [n + before + after for n, (before, after) in zip(sizes, self.pads, strict=True)]
        return _positions(tuple(padded), tuple([-before for before, _ in self.pads]), (1,) * self.axes)

    def widths_of_pads(self) -> list[int]:
        """The pads in the order of `torch.nn.functional.pad`, the last axis first."""
        return [width for pair in reversed(self.pads) for width in pair]


def _positions(counts: Sizes, start: Sizes, step: Sizes) -> Positions:
    if len(counts) == 1:
        return Sequence(counts[0], start[0], step[0])
    return Grid(counts[0], counts[1], (start[0], start[1]), (step[0], step[1]))


class AttentionConv(nn.Module):
    """A convolution by attention: heads are taps, each attends around the offset Δ_h from every query pixel.

        y(q) = Σ_h W^h · Σ_k softmax_k(−α_h‖k − q − Δ_h‖²) x(k) + b

    Sharp heads (large α) at the kernel's taps make it the convolution with the taps W^h; `Hard()` makes it exact. It
    takes and returns (B, C, h, w), or (B, C, n), like the convolution. Δ, α and W learn. `num_heads` taps nearest to
    the middle are taken when it is given; `sharpness` is α; `kind` is that of `Gaussian`.

    >>> layer = AttentionConv(3, 16, Stencil(size=(3, 3), stride=2, padding=1))
    >>> layer(torch.randn(2, 3, 9, 9)).shape
    torch.Size([2, 16, 5, 5])

    Cordonnier, Loukas, Jaggi, ICLR 2020, theorem 1: their Δ_K is `stencil.offsets()`, their W^(h) is `taps()[h]`.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        stencil: Stencil,
        *,
        num_heads: int | None = None,
        bias: bool = True,
        sharpness: float = 16.0,
        kind: str = "isotropic",
        weighting: Weighting | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        H = stencil.num_taps if num_heads is None else num_heads
        if not 1 <= H <= stencil.num_taps:
            raise ValueError(
                f"num_heads must be from 1 to the kernel's {stencil.num_taps} taps: got num_heads={H}; "
                "use a larger kernel"
            )
        if not 0 < sharpness < math.inf:
            raise ValueError(
                f"sharpness must be positive and finite: got sharpness={sharpness}; the limit is weighting=Hard()"
            )
        self.in_channels, self.out_channels = in_channels, out_channels
        self.stencil, self.sharpness = stencil, sharpness
        position = Gaussian(H, axes=stencil.axes, kind=kind, device=device, dtype=dtype)
        options = {"out_width": out_channels, "project": False, "bias": bias, "weighting": weighting}
        self.heads = PositionHeads(in_channels, position, **options, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Heads on the taps nearest to the middle, in raster order, and weights as a convolution has them."""
        offsets, H = self.stencil.offsets(), self.heads.num_heads
        nearest = offsets.square().sum(1).argsort(stable=True)[:H].sort().values
        self.place_heads(offsets[nearest], self.sharpness)
        self.heads.value.reset_parameters()

    @property
    def position(self) -> Gaussian:
        """The centres Δ and precisions α of the heads."""
        position = self.heads.position
        assert isinstance(position, Gaussian)
        return position

    @torch.no_grad()
    def place_heads(self, centre: Tensor, sharpness: float) -> None:
        """Put the heads at these offsets, all with this precision in every direction."""
        like = self.position.precision
        precision = torch.full_like(like, sharpness)
        if like.ndim == 3:
            precision = sharpness * torch.eye(like.shape[1], dtype=like.dtype, device=like.device).expand_as(like)
        self.position.set(centre.to(like), precision)

    def taps(self) -> Float[Tensor, "H Ci Co"]:
        """W^h: the matrix that multiplies each head's pixel."""
        return self.heads.value.weight.T.unflatten(0, (self.heads.num_heads, self.in_channels))

    def forward(self, x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        if x.ndim == self.stencil.axes + 1:  # a single image, which convolutions take too
            return self.forward(x[None])[0]
        check_image(x, self.in_channels, self.stencil.axes)
        sizes = tuple(x.shape[2:])
        queries, keys = self.stencil.queries(sizes), self.stencil.keys(sizes)
        if self.stencil.padding_mode == "zeros":
            x = pad(x, self.stencil.widths_of_pads())
        return as_image(self.heads(x.flatten(2).mT, keys, queries), queries)

    def attention(self, sizes: Sizes) -> Attention:
        """The mechanism for an image of these sizes."""
        return self.heads.attention(self.stencil.keys(sizes), self.stencil.queries(sizes))

    def weights(self, sizes: Sizes) -> Float[Tensor, "1 H T S"]:
        """The maps for an image of these sizes; with zeros the keys are the padded image."""
        return weights(None, None, self.attention(sizes))

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, {self.stencil}"


class ThinHeads(nn.Module):
    """A convolution by soft heads of width one: each mixes the taps of one channel, and sends it to the outputs.

        y_o(q) = Σ_h m_oh · Σ_δ softmax_δ(logits_h) x_{channel(h)}(q + δ) + b_o

    Pads are visible tokens, of value zero or of the nearest pixel's value. Two heads for each pair of an input and an
    output channel, one for the positive and one for the negative entries, make it any convolution, exactly.

    >>> layer = ThinHeads(torch.tensor([0, 1]), 3, Stencil(size=(3, 3), padding="same"))
    >>> layer(torch.randn(1, 2, 5, 5)).shape
    torch.Size([1, 3, 5, 5])
    """

    channel: Tensor

    def __init__(
        self,
        channel: Int[Tensor, " H"],
        out_channels: int,
        stencil: Stencil,
        *,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.stencil, self.in_channels, self.out_channels = stencil, int(channel.max()) + 1, out_channels
        self.register_buffer("channel", channel.to(device))
        self.logits = nn.Parameter(torch.zeros(len(channel), *stencil.size, device=device, dtype=dtype))
        self.mix = nn.Linear(len(channel), out_channels, bias, device, dtype)

    def forward(self, x: Float[Tensor, "B C ..."]) -> Float[Tensor, "B Co ..."]:
        check_image(x, self.in_channels, self.stencil.axes)
        sizes = tuple(x.shape[2:])
        mode = "constant" if self.stencil.padding_mode == "zeros" else "replicate"
        padded = pad(x, self.stencil.widths_of_pads(), mode)
        attention = self.attention(sizes)
        v_BHSE = padded.flatten(2)[:, self.channel, :, None]
        o_BHTE = attend(None, None, v_BHSE, attention)
        assert attention.queries is not None
        return as_image(self.mix(o_BHTE[..., 0].mT), attention.queries)

    def attention(self, sizes: Sizes) -> Attention:
        """The mechanism for an image of these sizes: a table that is −∞ between the taps, and the taps' reach."""
        stencil = self.stencil
        visible = Stencil(size=stencil.size, stride=stencil.stride, padding=stencil.padding, dilation=stencil.dilation)
        reach = [after for _, after in stencil.reach]  # the longer side
        table = self.logits.new_full((len(self.logits), *[2 * n + 1 for n in reach]), -torch.inf)
        rows = [
            slice(n - before, n + after + 1, d)
            for n, (before, after), d in zip(reach, stencil.reach, stencil.dilations, strict=True)
        ]
        table[(slice(None), *rows)] = self.logits
        mask = Window(reach[0], reach[0]) if stencil.axes == 1 else Neighbours(reach[0], reach[1])
        return Attention(RelativeTable(table), mask, None, visible.queries(sizes), visible.keys(sizes))

    def extra_repr(self) -> str:
        return f"num_heads={len(self.logits)}, {self.stencil}"


def as_image(x: Float[Tensor, "B T C"], queries: Positions) -> Float[Tensor, "B C ..."]:
    """Tokens in raster order as the image of their positions, in the memory order of a convolution's output."""
    image = x.mT.contiguous()
    return image.unflatten(2, (queries.h, queries.w)) if isinstance(queries, Grid) else image


def check_image(x: Tensor, channels: int, axes: int) -> None:
    """Raise unless x is a batch of images, or of lines, with these channels."""
    if x.ndim != axes + 2 or x.shape[1] != channels:
        layout = f"(B, {channels}, h, w)" if axes == 2 else f"(B, {channels}, n)"
        raise ValueError(f"x must be {layout}: got shape {tuple(x.shape)}; tokens (B, S, C) are x.mT.unflatten(2, …)")
