"""Heads that attend by position: alone, added to content, gated against it, or by how a query meets an offset."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.algorithms import Prepared, attend, attend_projected, weights
from regard.algorithms.planning.recording import machine_for, recorder
from regard.attention import Attention, Content, Grid, Mask, Positions, Softmax, Weighting
from regard.attention.positions.positions import check_positions
from regard.attention.torch_private import has_global_hooks
from regard.checks import check_whole
from regard.layers.feed_forward import apply_linear, draw_weights
from regard.layers.multihead import MultiHead, Widths, held, hold, merge_heads, split_heads
from regard.layers.relative_positions import Gaussian, RelativePositions
from regard.layers.scaled_dot_product import EVERYTHING, check_sequence

FOLDED = 4  # tokens for each column of the first projection, from which on the two are one


class Mixed(nn.Module):
    """The projection of all heads side by side, which also mixes the tokens and so may choose the order of the two.

    It has the parameters of a linear layer, and is none: what it takes are the tokens before they are mixed.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = nn.Parameter(torch.empty(out_features, in_features, device=device, dtype=dtype))
        self.bias = nn.Parameter(torch.empty(out_features, device=device, dtype=dtype)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialise like a linear layer: uniformly, by the number of columns."""
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(self.in_features**-0.5), self.in_features**-0.5)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"

    def forward(self, x: Float[Tensor, "B S C"], attention: Attention) -> Float[Tensor, "B T Co"]:
        return attend_projected(x, attention, self.weight, self.bias)


def check_position(position: object) -> None:
    """Raise unless this is what relative positions are learned by."""
    if not isinstance(position, RelativePositions):
        raise ValueError(f"position must be Gaussian or Tables: got {position!r}; use Gaussian(num_heads)")


class PositionHeads(nn.Module):
    """Multi-head attention without queries and keys: each head mixes the tokens around a position of its own.

        o_h = softmax(r_h(δ)) · x              the same map for every row of the batch
        y   = ([o_1, …, o_H] Wᵛ + bᵛ) Wᵒ + bᵒ

    Heads mix the whole width before they are projected, so `value` maps H·C to C. `project=False` leaves out the second
    projection. `queries` may be fewer than the tokens (a stride): only they are computed.

    >>> layer = PositionHeads(32, Gaussian(9))
    >>> layer(torch.randn(2, 64, 32), Grid(8, 8)).shape
    torch.Size([2, 64, 32])
    >>> layer(torch.randn(2, 64, 32), Grid(8, 8), queries=Grid(4, 4, step=(2, 2))).shape
    torch.Size([2, 16, 32])

    Cordonnier, Loukas, Jaggi, ICLR 2020: their N_h is our H, their D_in our C; their W_v of head h times its block of
    W_out is rows hC…(h+1)C of `value.weight.T`, times `out.weight.T`.
    """

    def __init__(
        self,
        width: int,
        position: RelativePositions,
        *,
        out_width: int | None = None,
        project: bool = True,
        bias: bool = True,
        weighting: Weighting | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_position(position)
        out_width = width if out_width is None else out_width
        check_whole("width", width, 1)
        check_whole("out_width", out_width, 1)
        self.num_heads = position.num_heads
        hold(self, "weighting", Softmax() if weighting is None else weighting)
        self.position = position
        self.value = Mixed(self.num_heads * width, out_width, bias, device, dtype)
        self.out = nn.Linear(out_width, out_width, bias, device, dtype) if project else nn.Identity()

    @property
    def weighting(self) -> Weighting:
        """How logits become weights."""
        return held(self, "weighting")

    def forward(
        self,
        x: Float[Tensor, "B S C"],
        positions: Positions,
        queries: Positions | None = None,
        *,
        mask: Mask = EVERYTHING,
    ) -> Float[Tensor, "B T Co"]:
        """Mix tokens that stand at `positions`, seen from `queries`, which are the same unless given."""
        check_sequence("x", x, "S", self.value.in_features // self.num_heads)
        attention = self.attention(positions, queries, mask)
        if self._folds(x):
            assert isinstance(self.out, nn.Linear)
            bias = self.out.bias if self.value.bias is None else self.out(self.value.bias)
            return attend_projected(x, attention, self.out.weight @ self.value.weight, bias)
        return self.out(self.value(x, attention))

    def _folds(self, x: Tensor) -> bool:
        """Whether one product for all tokens is cheaper than two: on a GPU in half precision, for many tokens.

        Not where somebody listens to the second layer, unless it is a counter, which counts what runs.
        """
        if type(self.out) is not nn.Linear or x.shape[0] * x.shape[1] < FOLDED * self.value.in_features:
            return False
        if not (x.is_cuda or ((machine := machine_for(x.device)) is not None and machine.kind == "cuda")):
            return False
        if not (torch.is_autocast_enabled("cuda") or x.dtype.itemsize == 2):
            return False
        heard = has_global_hooks() and (torch.compiler.is_compiling() or recorder() is None)
        return not (self.out._forward_hooks or self.out._forward_pre_hooks or heard)

    def attention(self, positions: Positions, queries: Positions | None = None, mask: Mask = EVERYTHING) -> Attention:
        """The mechanism of one forward pass."""
        return Attention(
            self.position.term(), mask, self.weighting, positions if queries is None else queries, positions
        )

    def weights(
        self, positions: Positions, queries: Positions | None = None, *, mask: Mask = EVERYTHING
    ) -> Float[Tensor, "1 H T S"]:
        """The maps, one per head for every batch."""
        return weights(None, None, self.attention(positions, queries, mask))

    def extra_repr(self) -> str:
        return f"num_heads={self.num_heads}, weighting={self.weighting}"


class GaussianHeads(PositionHeads):
    """Gaussian heads alone, the attention-only layer of Cordonnier et al.: `PositionHeads(width, Gaussian(num_heads))`.

    >>> sum(p.numel() for p in GaussianHeads(400, 9).parameters())  # 9·400·400 + 400 + 400·400 + 400 + 9·2 + 9
    1600827
    """

    def __init__(
        self,
        width: int,
        num_heads: int,
        *,
        axes: int = 2,
        kind: str = "isotropic",
        out_width: int | None = None,
        project: bool = True,
        bias: bool = True,
        weighting: Weighting | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        position = Gaussian(num_heads, axes=axes, kind=kind, device=device, dtype=dtype)
        options = {"out_width": out_width, "project": project, "bias": bias, "weighting": weighting}
        super().__init__(width, position, **options, device=device, dtype=dtype)


class PositionedMultiHead(MultiHead):
    """Multi-head attention whose logits are content plus relative position: `β·qᵀk + r_h(δ)`.

    >>> layer = PositionedMultiHead(64, Gaussian(8))
    >>> layer(torch.randn(2, 36, 64), keys=Grid(6, 6)).shape
    torch.Size([2, 36, 64])
    """

    def __init__(
        self,
        width: int | Widths,
        position: RelativePositions,
        *,
        num_groups: int | None = None,
        bias: bool = True,
        out_bias: bool = True,
        beta: float | Content | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        check_position(position)
        options = {"num_groups": num_groups, "bias": bias, "out_bias": out_bias, "beta": beta}
        super().__init__(width, position.num_heads, **options, device=device, dtype=dtype)
        self.position = position

    def attention(self, mask: Mask, queries: Positions | None, keys: Positions | None) -> Attention:
        return Attention(self.content + self.position.term(), mask, None, queries, keys)


class GatedMultiHead(PositionedMultiHead):
    """Two softmaxes, one of content and one of position, mixed by a gate that each head learns.

        o_h = (1 − σ(g_h)) · softmax(β·qᵀk) v + σ(g_h) · softmax(r_h(δ)) v

    The positional one is the same for every row, and is computed once for the batch.

    d'Ascoli et al., *ConViT*, ICML 2021: their λ is our `gate`, their locality strength the precision of `Gaussian`.
    """

    def __init__(
        self,
        width: int | Widths,
        position: RelativePositions,
        *,
        num_groups: int | None = None,
        bias: bool = True,
        out_bias: bool = True,
        beta: float | Content | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        options = {"num_groups": num_groups, "bias": bias, "out_bias": out_bias, "beta": beta}
        super().__init__(width, position, **options, device=device, dtype=dtype)
        self.gate = nn.Parameter(torch.ones(self.num_heads, device=device, dtype=dtype))

    def mix(
        self, q: Tensor, k: Tensor, v: Tensor, attention: Attention, dropout: float, prepared: Prepared | None
    ) -> Tensor:
        share = torch.sigmoid(self.gate)[:, None, None].to(v.dtype)
        by_content = attend(q, k, v, attention, dropout=dropout, prepared=prepared)
        by_position = attend(None, None, v, self._positional(attention), prepared=prepared)
        return by_content + share * (by_position - by_content)

    def map(self, q: Tensor, k: Tensor, attention: Attention) -> Tensor:
        share = torch.sigmoid(self.gate)[:, None, None].to(q.dtype)
        by_content = weights(q, k, attention)
        return by_content + share * (weights(None, None, self._positional(attention)).to(q.dtype) - by_content)

    def attention(self, mask: Mask, queries: Positions | None, keys: Positions | None) -> Attention:
        return Attention(self.content, mask, None, queries, keys)

    def _positional(self, attention: Attention) -> Attention:
        if attention.queries is None and attention.keys is None:
            raise ValueError("gated heads need positions: got none; use keys=Grid(h, w) or Sequence(n)")
        return Attention(self.position.term(), attention.mask, None, attention.queries, attention.keys)


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
        whole = isinstance(reach, list | tuple) and all([type(far) is int and far >= 0 for far in reach])
        if not whole or len(reach) != 2:
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
        draw_weights(self.query, self.key, self.value, self.out)
        for table in (self.rows, self.columns):
            nn.init.normal_(table, std=0.02)

    def forward(self, x: Float[Tensor, "B T C"], positions: Grid, *, mask: Mask = EVERYTHING) -> Float[Tensor, "B T C"]:
        """Mix tokens that stand on the grid."""
        q, k, attention = self._compared(x, positions, mask)
        o_BHTC = attend(q, k, x[:, None].expand(-1, self.num_heads, -1, -1), attention)
        return apply_linear(self.out, apply_linear(self.value, merge_heads(o_BHTC)))

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
        q, k = (split_heads(apply_linear(layer, x), self.num_heads) for layer in (self.query, self.key))
        along_rows, along_columns = q.unflatten(2, (grid.h, grid.w)).chunk(2, -1)  # (B, H, h, w, D/2) each
        at_rows = torch.einsum("bhrcd,rsd->bhrcs", along_rows, self._between(self.rows, grid.h))
        at_columns = torch.einsum("bhrcd,csd->bhrcs", along_columns, self._between(self.columns, grid.w))
        row, column = grid.at(0, torch.arange(grid.count, device=x.device))
        where = [n[:, None] == torch.arange(size, device=x.device) for n, size in ((row, grid.h), (column, grid.w))]
        ones = torch.cat(where, 1).to(k.dtype).expand(*k.shape[:2], -1, -1)  # (B, H, T, h + w)
        attention = Attention(Content(q.shape[3] ** -0.5), mask, self.weighting, grid, grid)
        return torch.cat((q, at_rows.flatten(2, 3), at_columns.flatten(2, 3)), -1), torch.cat((k, ones), -1), attention

    def _between(self, table: Tensor, n: int) -> Tensor:
        """The vectors of the offsets between n positions, (n, n, D/2): from the first index to the second."""
        i = torch.arange(n, device=table.device)
        return table[i - i[:, None] + table.shape[0] // 2]

    def extra_repr(self) -> str:
        return f"num_heads={self.num_heads}, reach={self.reach}"
