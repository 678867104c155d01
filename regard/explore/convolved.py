"""How far heads on a grid are from the convolution that they tend to: proven, worst, and tried."""

import torch
from torch import Tensor
from torch.nn.functional import normalize

from regard.analysis.convolution.certificate import FARTHEST, Certificate
from regard.analysis.convolution.conversion import conv_from_attention
from regard.attention import Grid
from regard.explore.api import Reply
from regard.explore.work import check
from regard.layers import Gaussian, PositionHeads

TRIED = 32  # random inputs
CLOSE = 0.01  # of the values' size: what counts as a convolution, for the sharpness that it takes
FAR = 750.0  # an exponential beyond is zero
# A head that is dragged is answered at once: pixels that a bound is summed over; and heads times pairs of pixels, up to
# which the worst input is looked for, and turned heads, whose rows and columns do not separate, are tried.
SUMMED, WORST, TURNED = 3_000_000, 6_000_000, 2_500_000


class Convolved(Reply):
    """The convolution that the heads tend to, and how far they are from it, for inputs of norm 1."""

    size: tuple[int, ...]
    dilation: tuple[int, ...]
    taps: int  # different ones
    bound: float  # proven
    rounding: float  # the bound's part of floating point
    pixels: int  # that the bound is for, and what follows: all, or those from which no target leaves the image
    worst: float | None  # of all inputs, where each head passes on the same share
    measured: float | None  # of random inputs
    untried: str | None  # why there is no such number
    lipschitz: float
    scope: str
    sharpness: float | None  # of all heads, for which the bound is a hundredth of the values' size
    said: str


@torch.no_grad()
def convolved(layer: PositionHeads, grid: Grid) -> Convolved:
    """Raises where there is no such convolution, or no bound in a moment."""
    position = layer.position
    assert isinstance(position, Gaussian)
    is_turned, looked = position.precision.ndim == 3, layer.num_heads * grid.count**2
    if is_turned:
        low = torch.linalg.eigvalsh(position.precision)[:, 0]
        far = (FAR / low).sqrt()
        if float(((2 * far) ** 2)[far < FARTHEST].sum()) > SUMMED:
            raise ValueError(f"the bound of {layer.num_heads} such wide heads takes longer than a moment; narrow them")
    conv, certificate = conv_from_attention(layer, norm=1.0)
    assert isinstance(conv, torch.nn.Conv2d)
    check()
    bound, said, covered = certificate.bound(), str(certificate), _covered(certificate, position, grid)
    check()
    width = layer.value.in_features // layer.num_heads
    worst, measured, untried = None, None, None
    if not covered.any():
        untried = "from every pixel some target leaves the image"
    elif is_turned and looked > TURNED:
        untried = f"{layer.num_heads} turned heads on {grid.h} × {grid.w} pixels take longer than a moment"
    else:
        measured = _measured(layer, conv, grid, covered)
        check()
        if width == 1 and looked <= WORST:  # ‖Σ_k d_k x_k‖ is largest where every x_k has the sign of d_k
            pixels = torch.eye(grid.count, dtype=torch.float64).view(-1, 1, grid.h, grid.w)
            away = layer.weights(grid)[0].mean(0) - conv(pixels).flatten(1).T
            worst = float(away[covered].abs().sum(1).max())
    return Convolved(
        size=conv.kernel_size,
        dilation=conv.dilation,
        taps=int((conv.weight != 0).any(0).any(0).sum()),
        bound=bound,
        rounding=certificate.rounding(),
        pixels=int(covered.sum()),
        worst=worst,
        measured=measured,
        untried=untried,
        lipschitz=certificate.lipschitz,
        scope=certificate.scope,
        sharpness=_sharpness(certificate),
        said=said,
    )


def _covered(certificate: Certificate, position: Gaussian, grid: Grid) -> Tensor:
    """The pixels that the certificate is for, (h·w): all, or those from which every head's target is in the image."""
    if certificate.scope == "everywhere":
        return torch.ones(grid.count, dtype=torch.bool)
    targets = (position.centre.detach() - 0.5).ceil()  # as `conv_from_attention` has them
    rows, columns = (
        ((at := torch.arange(size)[:, None] + targets[:, axis]) >= 0).all(1) & (at < size).all(1)
        for axis, size in enumerate((grid.h, grid.w))
    )
    return (rows[:, None] & columns).flatten()


def _measured(layer: PositionHeads, conv: torch.nn.Conv2d, grid: Grid, covered: Tensor) -> float:
    """The largest error at these pixels, of random inputs of norm 1."""
    width = layer.value.in_features // layer.num_heads
    few = max(1, min(TRIED, 2**19 // (grid.count * width)))
    x = torch.randn(few, grid.count, width, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    x = normalize(x, dim=2)
    errors = layer(x, grid) - conv(x.mT.unflatten(2, (grid.h, grid.w))).flatten(2).mT
    return float(errors[:, covered].norm(dim=2).max())


def _sharpness(certificate: Certificate) -> float | None:
    """Of all heads where their centres are, for an error of a hundredth; None where no sharpness is enough."""
    try:
        return certificate.sharpness_for(CLOSE * certificate.lipschitz)
    except ValueError:
        return None
