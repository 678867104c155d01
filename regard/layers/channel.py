"""Attention between channels: the tokens are the channels of a group, their features are the positions."""

import math
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.algorithms import attend, weights
from regard.attention import Attention, Content
from regard.checks import check_divides, check_probability
from regard.layers.feed_forward import draw_weights
from regard.layers.scaled_dot_product import check_sequence, compose


class ChannelAttention(nn.Module):
    """Attention between the channels of a group, over all positions: 2·C²/G·T multiply-adds, linear in T.

        q, k, v = x Wᵠ, x Wᵏ, x Wᵛ                    (B, T, C) → (B, G, C/G, T): a channel is a token
        o_c     = Σ_d softmax_d(β·q_c·k_d) v_d        c and d channels of one group
        y       = oᵀ Wᵒ + b

    β is DaViT's 1/√(C/G) unless given, though dot products run over T positions; "positions" makes it 1/√T, with T the
    real tokens of each row. The order of the positions does not matter, so there is no mask but that of pads.

    >>> layer = ChannelAttention(512, num_groups=16)
    >>> x = torch.randn(2, 256, 512)
    >>> layer(x).shape, layer.weights(x).shape
    (torch.Size([2, 256, 512]), torch.Size([2, 16, 32, 32]))

    Ding et al., *DaViT: Dual Attention Vision Transformers*, ECCV 2022, equation 3: their N_g groups of C_g channels
    over P positions are our G, C/G and T. In their code k, v and q play the parts of our q, k and v. Florence-2 has the
    parts as here, and β = 1/√T.
    """

    def __init__(
        self,
        width: int,
        num_groups: int = 1,
        *,
        bias: bool = True,
        out_bias: bool = True,
        beta: float | int | Literal["positions"] | None = None,
        dropout: float = 0.0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_divides("width", width, "num_groups", num_groups)
        check_probability("dropout", dropout)
        if isinstance(beta, str) and beta != "positions":
            raise ValueError(f"beta must be a number or 'positions': got beta={beta!r}; leave it out for 1/√(C/G)")
        self.num_groups, self.dropout = num_groups, dropout
        self.by_positions = beta == "positions"
        given = math.sqrt(num_groups / width) if beta is None or isinstance(beta, str) else beta
        self.beta = None if self.by_positions else Content(given).beta  # refuses what is not finite
        self.query = nn.Linear(width, width, bias, device, dtype)
        self.key = nn.Linear(width, width, bias, device, dtype)
        self.value = nn.Linear(width, width, bias, device, dtype)
        self.out = nn.Linear(width, width, out_bias, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Xavier uniform weights and biases of zero."""
        draw_weights(self.query, self.key, self.value, self.out)

    def forward(
        self, x: Float[Tensor, "B T C"], key_padding_mask: Bool[Tensor, "B T"] | None = None
    ) -> Float[Tensor, "B T C"]:
        """Mix the channels of x. True in `key_padding_mask` marks a pad: it counts for nothing, and gets zeros."""
        x, pad = self._real(x, key_padding_mask)
        q, k, attention = self._compared(x, pad)
        v = self._channels(self.value, x, pad)
        o_BGcT = attend(q, k, v, attention, dropout=self.dropout if self.training else 0.0)
        y = self.out(o_BGcT.permute(0, 3, 1, 2).flatten(2))  # (B, G, C/G, T) → (B, T, G, C/G) → (B, T, C)
        return y if pad is None else y.masked_fill(pad, 0)

    def weights(
        self, x: Float[Tensor, "B T C"], key_padding_mask: Bool[Tensor, "B T"] | None = None
    ) -> Float[Tensor, "B G Cg Cg"]:
        """The maps between the channels of each group, without dropout."""
        x, pad = self._real(x, key_padding_mask)
        return weights(*self._compared(x, pad))

    def _real(self, x: Tensor, key_padding_mask: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """Tokens with zeros for pads, so that no NaN there reaches a weight's gradient; and the pads, (B, T, 1)."""
        check_sequence("x", x, "T", self.query.in_features)
        compose(x, key_padding_mask, causal=False)  # refuses what is no mask of pads
        if key_padding_mask is None:
            return x, None
        pad = key_padding_mask[..., None]
        return x.masked_fill(pad, 0), pad

    def _compared(self, x: Tensor, pad: Tensor | None) -> tuple[Tensor, Tensor, Attention]:
        """Queries, keys, and how they score."""
        q, k = self._channels(self.query, x, pad), self._channels(self.key, x, pad)
        if not self.by_positions or pad is None:
            return q, k, Attention(Content(self.beta))  # None means by the columns of q, which are the positions
        real = (~pad).sum(1).clamp(min=1)[:, :, None, None]
        return q * real.to(q.dtype).rsqrt(), k, Attention(Content(1.0))

    def _channels(self, linear: nn.Linear, x: Tensor, pad: Tensor | None) -> Tensor:
        """One token per channel, (B, G, C/G, T). Pads add nothing to a dot product: their bias goes too."""
        y = linear(x)
        y = y if pad is None else y.masked_fill(pad, 0)
        y = y.unflatten(2, (self.num_groups, -1)).permute(0, 2, 3, 1)
        return y.clone(memory_format=torch.contiguous_format)  # kernels read the positions of a channel in one piece

    def extra_repr(self) -> str:
        beta = "'positions'" if self.by_positions else self.beta
        return f"num_groups={self.num_groups}, beta={beta}, dropout={self.dropout}"
