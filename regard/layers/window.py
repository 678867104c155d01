"""Window attention on an image: multi-head attention inside tiles of a grid."""

import torch

from regard.attention import Attention, Grid, Mask, Places, Positions, Tiles
from regard.attention.positions.sizes import number
from regard.layers.multihead import MultiHead, Widths
from regard.layers.relative_positions import Tables


class WindowAttention(MultiHead):
    """Multi-head attention inside tiles of `window` pixels, with a learned number for every offset in a tile.

        o_h = softmax(β·(q W_hᵠ)(k W_hᵏ)ᵀ + r_h(δ) within the tile) · v W_hᵛ        r: (2M−1)² entries per head

    It is `MultiHead` with the mask `Tiles` and the term `RelativeTable`, and is called in the same way, with the grid
    on which the tokens stand. `window` is M, or rows and columns. `shifted` puts the edges half a window further, along
    each axis that does not fit into one tile. `tables=False` leaves out the numbers r, as DaViT does.

    Grids may have any size: tiles at the border are smaller. Swin pads instead, and lets queries see the pads; it
    shifts cyclically, and masks what the shift brought together. Where h and w are multiples of M both are equal.

    >>> from regard.attention import Grid
    >>> layer = WindowAttention(96, 3, window=7, shifted=True)
    >>> layer(torch.randn(2, 20 * 14, 96), keys=Grid(20, 14)).shape
    torch.Size([2, 280, 96])
    >>> layer.tiles(Places(Grid(20, 14), Grid(20, 14))), layer.position.term()
    (Tiles(rows=7, columns=7, down=4, right=4), RelativeTable(float32[3, 13, 13]))

    Liu et al., *Swin Transformer*, ICCV 2021: their B̂ is indexed by query − key, so our table is theirs reversed along
    both axes; their shift of ⌊M/2⌋ is `down = right = M − ⌊M/2⌋` of `Tiles`.
    """

    def __init__(
        self,
        width: int | Widths,
        num_heads: int,
        *,
        window: int | tuple[int, int],
        shifted: bool = False,
        tables: bool = True,
        bias: bool = True,
        out_bias: bool = True,
        dropout: float = 0.0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        options = {"bias": bias, "out_bias": out_bias, "dropout": dropout}
        super().__init__(width, num_heads, **options, device=device, dtype=dtype)
        if isinstance(window, tuple) and len(window) != 2:
            raise ValueError(f"window must be one size, or rows and columns: got window={window}; use 7 or (7, 7)")
        rows, columns = window if isinstance(window, tuple) else (window, window)
        tiles = Tiles(rows, columns)  # refuses sizes that are no whole numbers from 1
        self.window, self.shifted = (tiles.rows, tiles.columns), shifted
        reach = (rows - 1, columns - 1)
        self.position = Tables(num_heads, reach, device=device, dtype=dtype) if tables else None

    def attention(self, mask: Mask, queries: Positions | None, keys: Positions | None) -> Attention:
        given = [side for side in (queries, keys) if side is not None]
        if not given or not all([isinstance(side, Grid) for side in given]):
            raise ValueError(
                f"window attention needs the grid of its tokens: got queries={queries!r}, keys={keys!r}; "
                "use keys=Grid(h, w)"
            )
        scores = self.content
        if self.position is not None:
            scores = scores + self.position.term()
        return Attention(scores, mask & self.tiles(Places(given[0], given[-1])), None, queries, keys)

    def tiles(self, places: Places) -> Tiles:
        """The windows between these positions."""
        shifts = [0, 0]
        for axis, size in enumerate(self.window):
            sides = places.axis(axis, self).line(self)
            tiles = [number(side.at(0, i)) // size for side in sides for i in (0, side.n - 1)]
            # A plain comparison, which fixes for a compiler on which side of the window's size an open side lies.
            if self.shifted and any([tile != tiles[0] for tile in tiles]):
                shifts[axis] = size - size // 2
        return Tiles(*self.window, *shifts)

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, window={self.window}, shifted={self.shifted}"
