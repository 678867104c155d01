"""What acts on each token separately: linear layers, with the norm before them, and the feed-forward network."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from regard.algorithms.kernels import products
from regard.algorithms.planning.algorithm import HAS_TRITON
from regard.attention.torch_private import has_global_hooks
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
        draw_weights(*[self.inner, self.out] if self.gate is None else [self.gate, self.inner, self.out])

    def forward(
        self, x: Float[Tensor, "B T C"], *, norm: nn.Module | None = None, add: Float[Tensor, "B T C"] | None = None
    ) -> Float[Tensor, "B T C"]:
        """The features of each token; with a `norm`, of its norm, and with `add`, added to that."""
        check_sequence("x", x, "T", self.inner.in_features)
        layers = (self.inner,) if self.gate is None else (self.gate, self.inner)
        (hidden,) = project(x, layers, norm=norm, activation=self.activation)
        hidden = functional.dropout(hidden, self.dropout) if self.training and self.dropout else hidden
        return project(hidden, (self.out,), add=add)[0]

    def extra_repr(self) -> str:
        return f"activation={self.activation!r}, gated={self.gate is not None}, dropout={self.dropout}"


def draw_weights(*layers: nn.Linear) -> None:
    """Xavier uniform weights, each matrix by its own sizes, and biases of zero."""
    for layer in layers:
        nn.init.xavier_uniform_(layer.weight)
        if layer.bias is not None:
            nn.init.zeros_(layer.bias)


def project(
    x: Float[Tensor, "B T C"],
    layers: tuple[nn.Linear, ...],
    *,
    norm: nn.Module | None = None,
    activation: str | None = None,
    add: Float[Tensor, "B T O"] | None = None,
) -> tuple[Tensor, ...]:
    """What linear layers make of the same tokens, or of their norms; the tokens of a decode step by one kernel.

        y_i = norm(x) W_iᵀ + b_i                                 σ(y_0), or σ(y_0) ⊙ y_1, with an activation
        y = add + x Wᵀ + b

    >>> [y.shape for y in project(torch.ones(1, 2, 3), (nn.Linear(3, 4), nn.Linear(3, 5)))]
    [torch.Size([1, 2, 4]), torch.Size([1, 2, 5])]
    """
    if has_kernel(x) and (done := _by_kernel(x, layers, norm, activation, add)) is not None:
        return done
    y = x if norm is None else norm(x)
    if activation is not None:
        hidden = ACTIVATIONS[activation](apply_linear(layers[0], y))
        return (hidden if len(layers) == 1 else hidden * apply_linear(layers[1], y),)
    if add is not None:
        return (add + apply_linear(layers[0], y),)
    return tuple([apply_linear(layer, y) for layer in layers])


def apply_linear(layer: nn.Linear, x: Tensor) -> Tensor:
    """What the layer makes of x; if it is torch's own, and nobody listens to it, by what is quickest on this CPU."""
    if products.IS_QUICKER and not torch.compiler.is_compiling() and x.is_cpu:  # noqa: SIM102 - the usual case first
        if is_plain(layer, (nn.Linear,)) and not has_global_hooks():
            return products.multiply(x, layer.weight, layer.bias)
    return layer(x)


def has_kernel(x: Tensor) -> bool:
    """Whether there may be a kernel for these tokens: on a GPU, while tokens are written."""
    return x.is_cuda and HAS_TRITON and not torch.is_grad_enabled() and not torch.compiler.is_compiling()


def _by_kernel(
    x: Tensor, layers: tuple[nn.Linear, ...], norm: nn.Module | None, activation: str | None, add: Tensor | None
) -> tuple[Tensor, ...] | None:
    """The same by one kernel, if the layers are torch's own, nobody listens to them, and the tokens are few."""
    from regard.algorithms.kernels.tokens import rows

    B, T, C = x.shape
    if rows.MOST_ROWS < B * T or has_global_hooks() or not all([is_plain(layer, (nn.Linear,)) for layer in layers]):
        return None
    before = None
    if norm is not None:
        if not is_plain(norm, (nn.LayerNorm, nn.RMSNorm)):
            return None
        is_rms = type(norm) is nn.RMSNorm
        eps: Any = norm.eps
        eps = torch.finfo(x.dtype).eps if eps is None else eps
        before = rows.Norm(norm.weight, None if is_rms else norm.bias, eps, is_rms)  # pyright: ignore[reportArgumentType, reportAttributeAccessIssue]
    flat, matrices = x.reshape(B * T, C), tuple([layer.weight for layer in layers])
    biases = tuple([layer.bias for layer in layers])
    added = None if add is None else add.reshape(B * T, -1)
    if rows.refuses(flat, matrices, biases, before, added) is not None:
        return None
    gated = activation is not None and len(layers) == 2
    done = rows.project(flat, matrices, biases, norm=before, activation=activation, gated=gated, add=added)
    return tuple([y.view(B, T, -1) for y in done])


def is_plain(module: nn.Module, kinds: tuple[type, ...]) -> bool:
    """Whether a module is of one of these classes, and does what they do."""
    return type(module) in kinds and not is_heard(module)


def is_heard(module: nn.Module) -> bool:
    """Whether a module has hooks, or a forward of its own."""
    hooks = module._forward_hooks or module._forward_pre_hooks or module._backward_hooks or module._backward_pre_hooks
    return bool(hooks or "forward" in vars(module))
