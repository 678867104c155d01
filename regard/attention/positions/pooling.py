"""Pooled tokens: the mean of each run of a line, or of each tile of a grid, and where it stands."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import pad

from regard.attention.positions.positions import Grid, Positions, Sequence
from regard.checks import check_tensor

Size = int | tuple[int, int]


def pool(
    x: Float[Tensor, "B *G S C"], positions: Positions, size: Size, real: Bool[Tensor, "B S"] | None = None
) -> tuple[Float[Tensor, "B *G P C"], Positions]:
    """The means of runs of `size` tokens, or of tiles of `size` pixels a side, and where they stand.

        x′_p = Σ_{j in run p} x_j / #run p        a run at the border counts the tokens that it has

    With `real` (True = a real token) pads are left out of sum and count; a run of pads alone gives zeros. On a grid
    `size` is one number, or rows and columns. It is a mechanism of its own: attention to the means is not the mean of
    attention.

    >>> pool(torch.tensor([[[1.0], [3.0], [7.0]]]), Sequence(3), 2)
    (tensor([[[2.],
             [7.]]]), Sequence(n=2, start=0, step=2))
    """
    check_tensor("x", x)
    if not isinstance(positions, Sequence | Grid):
        raise ValueError(f"positions must be a Sequence or a Grid: got {positions!r}; use Sequence(n)")
    if x.ndim < 3 or (real is not None and not isinstance(real, Tensor)):
        raise ValueError(
            f"x must be (B, S, C) or (B, G, S, C), and real a boolean tensor (B, S): got x of shape {tuple(x.shape)}, "
            f"real={real!r}; add dimensions of size 1 by unsqueeze"
        )
    h, w, (rows, columns) = *_sides(positions), sizes_of(positions, size)
    if x.shape[-2] != positions.count or (real is not None and real.shape != (x.shape[0], x.shape[-2])):
        marks = "" if real is None else f", real {tuple(real.shape)}"
        raise ValueError(
            f"tokens, pads and positions must match: got x {tuple(x.shape)}{marks} for {positions!r}; "
            f"give {positions.count} tokens"
        )
    wide = torch.promote_types(x.dtype, torch.float32)
    image = x.flatten(1, -3) if x.ndim > 3 else x[:, None]
    image = image.mT.unflatten(3, (h, w)).to(wide)  # (B, G, S, C) → (B, G, C, S) → (B, G, C, h, w)
    share = None
    if real is not None:
        marked = real.unflatten(1, (h, w))[:, None, None]
        image = image.masked_fill(~marked, 0)
        share = _means(marked.to(wide), rows, columns)
    means = _means(image, rows, columns)
    if share is not None:
        means = means / share.masked_fill(share == 0, 1)
    means = means.flatten(3).mT.to(x.dtype)  # (B, G, P, C)
    return means.reshape(*x.shape[:-2], -1, x.shape[-1]), pool_positions(positions, size)


def pool_real(real: Bool[Tensor, "B S"], positions: Positions, size: Size) -> Bool[Tensor, "B P"]:
    """Which runs hold a real token."""
    image = real.unflatten(1, _sides(positions))[:, None, None]
    return _means(image.float(), *sizes_of(positions, size)).flatten(1) > 0


def pool_positions(positions: Positions, size: Size) -> Positions:
    """The middles of the runs, the earlier of two; that of a run at the border is where a whole run would have it.

    >>> pool_positions(Grid(4, 9), (2, 3))
    Grid(h=2, w=3, start=(0, 1), step=(2, 3))
    """
    rows, columns = sizes_of(positions, size)
    if isinstance(positions, Sequence):
        start = positions.start + positions.step * ((rows - 1) // 2)
        return Sequence(-(-positions.n // rows), start, positions.step * rows)
    (top, left), (down, right) = positions.start, positions.step
    start = (top + down * ((rows - 1) // 2), left + right * ((columns - 1) // 2))
    return Grid(-(-positions.h // rows), -(-positions.w // columns), start, (down * rows, right * columns))


def sizes_of(positions: Positions, size: Size) -> tuple[int, int]:
    """Rows and columns of one tile; a run of a line has one column."""
    on_grid = isinstance(positions, Grid)
    sides = size if isinstance(size, tuple) else (size, size) if on_grid else (size, 1)
    if not all([type(side) is int and side >= 1 for side in sides]) or len(sides) != 2:
        raise ValueError(f"a pool must be a whole number from 1, or two on a grid: got {size!r}; use 2 or (2, 2)")
    if isinstance(size, tuple) and not on_grid:
        raise ValueError(f"a pool of rows and columns is for a grid: got {size} for {positions!r}; use Grid(h, w)")
    return sides


def _sides(positions: Positions) -> tuple[int, int]:
    return (positions.h, positions.w) if isinstance(positions, Grid) else (positions.n, 1)


def _means(image: Tensor, rows: int, columns: int) -> Tensor:
    """(B, G, C, h, w) → (B, G, C, h′, w′); at the border the tokens that are there are counted."""
    # Written out: torch's compiler gets the gradient of `avg_pool2d` wrong where windows are cut at the border.
    h, w = image.shape[3:]
    tiles = pad(image, (0, -w % columns, 0, -h % rows)).unflatten(4, (-1, columns)).unflatten(3, (-1, rows))
    down, right = (
        (n - torch.arange(0, n, step, device=image.device)).clamp(max=step) for n, step in ((h, rows), (w, columns))
    )
    return tiles.sum((4, 6)) / (down[:, None] * right)
