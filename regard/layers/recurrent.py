"""Attention between the states of two recurrent networks: a decoder looks up what an encoder has read."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.algorithms import attend, weights
from regard.attention import Attention, Content, Everything, KeyPadding
from regard.checks import check_whole
from regard.layers.scaled_dot_product import check_sequence

Lengths = Tensor | tuple[int, ...] | list[int]


class DotProductAttention(nn.Module):
    """A decoder's states s after each has looked up what it needs among an encoder's states h, the memory.

        a_ij = softmax_j(s_iᵀh_j where h_j is real)        c_i = Σ_j a_ij h_j        s̃_i = tanh(W_c [c_i; s_i])

    There is no scale and no projection before the scores: both sequences have the width C of the recurrent layers.

    >>> layer = DotProductAttention(32)
    >>> s, memory = torch.randn(2, 5, 32), torch.randn(2, 7, 32)
    >>> layer(s, memory, lengths=(7, 4)).shape, layer.weights(s, memory, lengths=(7, 4)).shape
    (torch.Size([2, 5, 32]), torch.Size([2, 1, 5, 7]))

    Luong et al., *Effective Approaches to Attention-based Neural Machine Translation*, EMNLP 2015, equation 5 and the
    score "dot": their h_t, h̄_s, h̃_t are our s_i, h_j, s̃_i; their W_c, `combine.weight`, has no bias.
    """

    def __init__(
        self,
        width: int,
        *,
        bias: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_whole("width", width, 1)
        self.combine = nn.Linear(2 * width, width, bias, device, dtype)

    def forward(
        self, s: Float[Tensor, "B T C"], memory: Float[Tensor, "B S C"], lengths: Lengths | None = None
    ) -> Float[Tensor, "B T C"]:
        """s̃; `lengths` of the memory's rows are real. A row without any has the context c = 0."""
        h = self._memory(s, memory)
        context = attend(s[:, None], h, h, _attention(lengths))[:, 0]
        return torch.tanh(self.combine(torch.cat((context, s), 2)))

    def weights(
        self, s: Float[Tensor, "B T C"], memory: Float[Tensor, "B S C"], lengths: Lengths | None = None
    ) -> Float[Tensor, "B 1 T S"]:
        """The map a by which `forward` mixes the memory."""
        return weights(s[:, None], self._memory(s, memory), _attention(lengths))

    def _memory(self, s: Tensor, memory: Tensor) -> Float[Tensor, "B 1 S C"]:
        check_sequence("s", s, "T", self.combine.out_features)
        check_sequence("memory", memory, "S", self.combine.out_features)
        if s.shape[0] != memory.shape[0]:
            raise ValueError(
                f"s and memory must have the same number of rows: got B={s.shape[0]} and B={memory.shape[0]}; "
                "repeat the memory for every row of s"
            )
        return memory[:, None]


def _attention(lengths: Lengths | None) -> Attention:
    return Attention(Content(beta=1.0), Everything() if lengths is None else KeyPadding(lengths))
