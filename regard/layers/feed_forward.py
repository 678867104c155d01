"""The feed-forward network, which acts on each token separately."""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from regard.checks import check_known, check_probability, check_whole
from regard.layers.scaled_dot_product import check_sequence

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "relu": functional.relu,
    "silu": functional.silu,
    "gelu_approximate": partial(functional.gelu, approximate="tanh"),
}


class FeedForward(nn.Module):
    """Two linear layers with an activation σ between them, applied to each token separately.

        y = σ(x W₁ + b₁) W₂ + b₂                      C → hidden → C
        y = (σ(x W₀ + b₀) ⊙ (x W₁ + b₁)) W₂ + b₂      gated

    W₀, W₁, W₂ are `gate`, `inner` and `out`. "gelu_approximate" is ½x(1 + tanh(√(2/π)(x + 0.044715·x³))). Dropout
    acts on the hidden features, in training only.

    >>> layer = FeedForward(512, 2048)
    >>> layer(torch.randn(2, 5, 512)).shape
    torch.Size([2, 5, 512])

    Vaswani et al., *Attention Is All You Need*, NeurIPS 2017, equation 2: their d_ff is `hidden`, their σ is "relu".
    Gated: Shazeer, *GLU Variants Improve Transformer*, 2020: his W, V, W₂ are our W₀, W₁, W₂.
    """

    def __init__(
        self,
        width: int,
        hidden: int,
        activation: str = "gelu",
        *,
        gated: bool = False,
        bias: bool = True,
        dropout: float = 0.0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_whole("width", width, 1)
        check_whole("hidden", hidden, 1)
        check_known("activation", activation, ACTIVATIONS)
        check_probability("dropout", dropout)
        self.activation, self.dropout = activation, dropout
        self.gate = nn.Linear(width, hidden, bias, device, dtype) if gated else None
        self.inner = nn.Linear(width, hidden, bias, device, dtype)
        self.out = nn.Linear(hidden, width, bias, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Xavier uniform weights and biases of zero."""
        for linear in (self.inner, self.out) if self.gate is None else (self.gate, self.inner, self.out):
            nn.init.xavier_uniform_(linear.weight)
            if linear.bias is not None:
                nn.init.zeros_(linear.bias)

    def forward(self, x: Float[Tensor, "B T C"]) -> Float[Tensor, "B T C"]:
        check_sequence("x", x, "T", self.inner.in_features)
        activate = ACTIVATIONS[self.activation]
        hidden = activate(self.inner(x)) if self.gate is None else activate(self.gate(x)) * self.inner(x)
        return self.out(functional.dropout(hidden, self.dropout, self.training))

    def extra_repr(self) -> str:
        return f"activation={self.activation!r}, gated={self.gate is not None}, dropout={self.dropout}"
