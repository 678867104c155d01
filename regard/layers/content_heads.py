"""Heads that mix whole tokens, by what they hold and by how what a query holds meets an offset."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.algorithms import attend, weights
from regard.attention import Attention, Content, Grid, Mask, Weighting
from regard.attention.positions.positions import check_positions
from regard.checks import check_whole
from regard.layers.held import held, hold
from regard.layers.multihead import merge_heads, split_heads
from regard.layers.scaled_dot_product import EVERYTHING, check_sequence


class ContentHeads(nn.Module):
    """`PositionHeads` with content, on a grid: queries meet keys, and learned vectors of offsets in rows and columns.

        s_h = (q_hᵀk_h + q_hᵀ[u(δ_row), w(δ_column)]) / √D        q_h = x W_hᵠ, k_h = x W_hᵏ, D = `head`, or C
        o_h = softmax(s_h) · x
        y   = ([o_1, …, o_H] Wᵛ + bᵛ) Wᵒ + bᵒ

    `reach` is the largest offset in rows and in columns; all heads share u and w. A query's products with u for every
    row of the grid, and with w for every column, are coordinates of its own: against keys that say their row and column
    by ones, plain attention at width D + h + w computes the sum, and no map over pairs.

    >>> layer = ContentHeads(32, 4, reach=(7, 7))
    >>> layer(torch.randn(2, 64, 32), Grid(8, 8)).shape
    torch.Size([2, 64, 32])

    Cordonnier, Loukas, Jaggi, ICLR 2020, table 1, *learned embedding + content*, after Ramachandran et al.,
    *Stand-Alone Self-Attention in Vision Models*, NeurIPS 2019: their r is our [u, w].
    """

    def __init__(
        self,
        width: int,
        num_heads: int,
        reach: tuple[int, int],
        *,
        head: int | None = None,
        weighting: Weighting | None = None,
    ) -> None:
        super().__init__()
        head = width if head is None else head
        check_whole("width", width, 1)
        check_whole("num_heads", num_heads, 1)
        if type(head) is not int or head < 2 or head % 2:
            raise ValueError(f"head must be even, for rows and columns alike: got head={head}; use 32")
        if len(reach) != 2 or min(reach) < 0:
            raise ValueError(f"reach is the largest offset in rows and in columns: got reach={reach}; use (15, 15)")
        self.num_heads, self.reach = num_heads, reach
        hold(self, "weighting", weighting)
        self.query, self.key = nn.Linear(width, num_heads * head), nn.Linear(width, num_heads * head)
        self.rows = nn.Parameter(torch.empty(2 * reach[0] + 1, head // 2))
        self.columns = nn.Parameter(torch.empty(2 * reach[1] + 1, head // 2))
        self.value = nn.Linear(num_heads * width, width)
        self.out = nn.Linear(width, width)
        self.reset_parameters()

    @property
    def weighting(self) -> Weighting | None:
        """How logits become weights."""
        return held(self, "weighting")

    def reset_parameters(self) -> None:
        """Xavier uniform weights, biases of zero, small offsets."""
        for linear in (self.query, self.key, self.value, self.out):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)
        for table in (self.rows, self.columns):
            nn.init.normal_(table, std=0.02)

    def forward(self, x: Float[Tensor, "B T C"], positions: Grid, *, mask: Mask = EVERYTHING) -> Float[Tensor, "B T C"]:
        """Mix tokens that stand on the grid."""
        q, k, attention = self._compared(x, positions, mask)
        o_BHTC = attend(q, k, x[:, None].expand(-1, self.num_heads, -1, -1), attention)
        return self.out(self.value(merge_heads(o_BHTC)))

    def weights(
        self, x: Float[Tensor, "B T C"], positions: Grid, *, mask: Mask = EVERYTHING
    ) -> Float[Tensor, "B H T T"]:
        """The maps of the heads."""
        return weights(*self._compared(x, positions, mask))

    def _compared(self, x: Tensor, grid: Grid, mask: Mask) -> tuple[Tensor, Tensor, Attention]:
        """Queries and keys with the coordinates of their rows and columns, and how they score."""
        check_sequence("x", x, "T", self.query.in_features)
        if not isinstance(grid, Grid) or grid.start != (0, 0) or grid.step != (1, 1):
            raise ValueError(f"content heads stand on all pixels of a grid: got {grid!r}; use Grid(h, w)")
        check_positions(grid, x.shape[0], x.shape[1], "tokens")
        if grid.h > self.reach[0] + 1 or grid.w > self.reach[1] + 1:
            raise ValueError(
                f"offsets up to {self.reach} are learned: got {grid!r}; use at most {self.reach[0] + 1} rows and "
                f"{self.reach[1] + 1} columns"
            )
        q, k = split_heads(self.query(x), self.num_heads), split_heads(self.key(x), self.num_heads)
        along_rows, along_columns = q.unflatten(2, (grid.h, grid.w)).chunk(2, -1)  # (B, H, h, w, D/2) each
        at_rows = torch.einsum("bhrcd,rsd->bhrcs", along_rows, self._between(self.rows, grid.h))
        at_columns = torch.einsum("bhrcd,csd->bhrcs", along_columns, self._between(self.columns, grid.w))
        row, column = grid.at(0, torch.arange(grid.count, device=x.device))
        where = [n[:, None] == torch.arange(size, device=x.device) for n, size in ((row, grid.h), (column, grid.w))]
        ones = torch.cat(where, 1).to(k.dtype).expand(*k.shape[:2], -1, -1)  # (B, H, T, h + w)
        attention = Attention(Content(q.shape[3] ** -0.5), mask, self.weighting, grid, grid)
        return torch.cat((q, at_rows.flatten(2, 3), at_columns.flatten(2, 3)), -1), torch.cat((k, ones), -1), attention

    def _between(self, table: Tensor, n: int) -> Tensor:
        """The vectors of the offsets between n places, (n, n, D/2): from the first index to the second."""
        i = torch.arange(n, device=table.device)
        return table[i - i[:, None] + table.shape[0] // 2]

    def extra_repr(self) -> str:
        return f"num_heads={self.num_heads}, reach={self.reach}"
