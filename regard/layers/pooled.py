"""Attention to pooled tokens: keys and values are the means of runs or tiles."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.attention import Attention, Grid, Mask, Places, Positions
from regard.attention.cache.rules import hides_future
from regard.attention.masks.mask import leaves
from regard.attention.positions.pooling import Size, pool, pool_real, sizes_of
from regard.attention.positions.positions import check_positions
from regard.layers.multihead import MultiHead, Widths
from regard.layers.scaled_dot_product import EVERYTHING, check_sequence, compose


class PooledMultiHead(nn.Module):
    """Multi-head attention to means of tokens: not the same as attention to all tokens, at 1/pool of its cost.

        o_h = softmax(β·(q W_hᵠ)(k′ W_hᵏ)ᵀ) · v′ W_hᵛ        k′_p, v′_p: means over run p of `pool` tokens

    `pool` is the length of a run of tokens in a line; on a grid it is the side of a tile, or rows and columns, and the
    cost is divided by their product. A run at the border counts the tokens it has, pads are left out of the means. A
    mask sees a pooled token at the middle of its run. With `pool=1` it is `MultiHead`.

    >>> from regard.attention import Grid
    >>> layer = PooledMultiHead(64, 4, pool=2)
    >>> x = torch.randn(2, 30, 64)
    >>> layer(x, keys=Grid(5, 6)).shape, layer.weights(x, keys=Grid(5, 6)).shape
    (torch.Size([2, 30, 64]), torch.Size([2, 4, 30, 9]))

    Wang et al., *Pyramid Vision Transformer*, ICCV 2021, and Liu et al., *Generating Wikipedia by Summarizing Long
    Sequences*, ICLR 2018, learn the reduction: a convolution whose stride is our `pool`. Wang et al., *PVT v2*,
    Computational Visual Media 2022, take means as here, over tiles that make 7×7 of any image.
    """

    def __init__(
        self,
        width: int | Widths,
        num_heads: int,
        pool: Size,
        *,
        num_groups: int | None = None,
        bias: bool = True,
        out_bias: bool = True,
        beta: float | None = None,
        dropout: float = 0.0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        sizes_of(Grid(1, 1), pool)  # refuses what is no size
        self.pool = pool
        options = {"num_groups": num_groups, "bias": bias, "out_bias": out_bias, "beta": beta, "dropout": dropout}
        self.heads = MultiHead(width, num_heads, **options, device=device, dtype=dtype)

    def forward(
        self,
        q: Float[Tensor, "B T Cq"],
        k: Float[Tensor, "B S Ck"] | None = None,
        v: Float[Tensor, "B S Cv"] | None = None,
        key_padding_mask: Bool[Tensor, "B S"] | None = None,
        *,
        mask: Mask = EVERYTHING,
        queries: Positions | None = None,
        keys: Positions | None = None,
    ) -> Float[Tensor, "B T Co"]:
        """Attend from q to the means of k and v; k defaults to q, v to k. True in `key_padding_mask` marks a pad key.

        `queries` and `keys` say where the tokens stand before they are pooled; without them both stand in a line, the
        last query at the last key.
        """
        k = q if k is None else k
        v = k if v is None else v
        check_sequence("v", v, "S", self.heads.value.in_features)
        places = self._places(q, k, key_padding_mask, mask, queries, keys)
        means, pad, where = self._pooled(k, key_padding_mask, places.keys)
        values = means if v is k else self._pooled(v, key_padding_mask, places.keys)[0]
        return self.heads(q, means, values, pad, mask=mask, queries=places.queries, keys=where)

    def weights(
        self,
        q: Float[Tensor, "B T Cq"],
        k: Float[Tensor, "B S Ck"] | None = None,
        key_padding_mask: Bool[Tensor, "B S"] | None = None,
        *,
        mask: Mask = EVERYTHING,
        queries: Positions | None = None,
        keys: Positions | None = None,
    ) -> Float[Tensor, "B H T P"]:
        """The maps from queries to pooled tokens, without dropout."""
        k = q if k is None else k
        places = self._places(q, k, key_padding_mask, mask, queries, keys)
        means, pad, where = self._pooled(k, key_padding_mask, places.keys)
        return self.heads.weights(q, means, pad, mask=mask, queries=places.queries, keys=where)

    def _places(
        self,
        q: Tensor,
        k: Tensor,
        key_padding_mask: Tensor | None,
        mask: Mask,
        queries: Positions | None,
        keys: Positions | None,
    ) -> Places:
        """The positions before pooling; raise unless tensors, masks and positions fit together."""
        check_sequence("q", q, "T", self.heads.query.in_features)
        check_sequence("k", k, "S", self.heads.key.in_features)
        compose(k, key_padding_mask, causal=False)  # refuses what is no mask of pads
        value = Attention(mask=mask, queries=queries, keys=keys)  # refuses what is neither mask nor position
        places = value.places(q.shape[1], k.shape[1])
        check_positions(places.keys, k.shape[0], k.shape[1], "keys")
        if sizes_of(places.keys, self.pool) == (1, 1):
            return places
        for leaf in leaves(value.mask):  # each must be able to say what the middle of a run sees
            if not leaf.facts(places).positional:
                raise ValueError(
                    f"pooled tokens take masks that positions decide: got {leaf!r}; give pads as key_padding_mask, and "
                    "use Window or Neighbours"
                )
            if places.num_axes == 1 and hides_future(leaf):
                raise ValueError(
                    f"a mean mixes tokens before a query with tokens after it: got {leaf!r}, which hides the latter; "
                    "use MultiHead, or pool=1"
                )
        return places

    def _pooled(
        self, x: Tensor, key_padding_mask: Tensor | None, positions: Positions
    ) -> tuple[Tensor, Tensor | None, Positions]:
        """The means, which of them are pads, and their positions."""
        real = None if key_padding_mask is None else ~key_padding_mask
        means, where = pool(x, positions, self.pool, real)
        return means, None if real is None else ~pool_real(real, positions, self.pool), where

    def extra_repr(self) -> str:
        return f"pool={self.pool}"
