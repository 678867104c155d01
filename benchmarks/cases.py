"""The problems: sizes, a kind of mask, and fresh random tensors."""

import functools
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from regard.attention import Attention, Causal, KeyPadding, Padding, Window

NONE, CAUSAL, PADDING = "none", "causal", "padding"
CAUSAL_KEY_PADDING, WINDOW = "causal & key padding", "window"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One self-attention problem. `lengths` belong to the padding masks; `window` counts the keys before a query."""

    mask: str
    B: int
    H: int
    T: int
    D: int
    dtype: torch.dtype
    device: torch.device
    lengths: tuple[int, ...] = ()
    window: int = 256
    projected: bool = False  # laid out (B, T, H, D), as a projection leaves it

    def small(self) -> "Case":
        """The same kind of problem at a size where the definition in float64 is cheap, with ragged edges."""
        lengths = (160, 37, 1) if self.lengths else ()
        return replace(self, B=3, H=2, T=160, lengths=lengths, window=min(self.window, 48))

    @functools.cached_property
    def lengths_tensor(self) -> Tensor:
        return torch.tensor(self.lengths, device=self.device)

    @functools.cached_property
    def attention(self) -> Attention:
        """The value; lengths are data on the device, as a training loop has them."""
        masks = {
            NONE: lambda: Attention(),
            CAUSAL: lambda: Attention(mask=Causal()),
            PADDING: lambda: Attention(mask=Padding(self.lengths_tensor)),
            CAUSAL_KEY_PADDING: lambda: Attention(mask=Causal() & KeyPadding(self.lengths_tensor)),
            WINDOW: lambda: Attention(mask=Window(before=self.window)),
        }
        return masks[self.mask]()

    @functools.cached_property
    def sdpa_mask(self) -> Tensor | None:
        """What a user of sdpa passes for it: nothing beside `is_causal`, or the pad keys of each row.

        With the pad queries hidden too, sdpa would return NaN or garbage in their rows.
        """
        if self.mask in (NONE, CAUSAL):
            return None
        if self.mask == PADDING:
            return self.real[:, None, None, :]
        raise ValueError(f"no mask of sdpa is compared for {self.mask!r}")

    @functools.cached_property
    def real(self) -> Tensor:
        """Which tokens are real, (B, T)."""
        if not self.lengths:
            return torch.ones(self.B, self.T, dtype=torch.bool, device=self.device)
        return torch.arange(self.T, device=self.device) < self.lengths_tensor[:, None]

    @property
    def useful_flops(self) -> float:
        """FLOPs of the forward pass over visible pairs; the backward pass has 2.5 times as many."""
        rows = self.lengths or (self.T,) * self.B
        pairs = sum(n * (n + 1) / 2 if self.mask == CAUSAL else n * n for n in rows)
        return 4.0 * self.H * self.D * pairs

    @property
    def label(self) -> str:
        type_name = str(self.dtype).removeprefix("torch.")
        kind = f"window {self.window}" if self.mask == WINDOW else self.mask
        layout = " (B,T,H,D)" if self.projected else ""
        return f"{kind} B{self.B} H{self.H} N{self.T} d{self.D} {type_name}{layout}"


class Inputs(NamedTuple):
    """Queries, keys, values, and the gradient that arrives at the output."""

    q: Tensor
    k: Tensor
    v: Tensor
    grad: Tensor


def draw(case: Case, seed: int) -> Inputs:
    """Fresh normal tensors. No gradient arrives at a pad: its output is out of the loss, and peers fill it freely."""
    generator = torch.Generator(case.device).manual_seed(seed)
    drawn = []
    for _ in range(4):
        shape = (case.B, case.T, case.H, case.D) if case.projected else (case.B, case.H, case.T, case.D)
        x = torch.randn(shape, generator=generator, device=case.device, dtype=torch.float32).to(case.dtype)
        drawn.append(x.transpose(1, 2) if case.projected else x)
    *leaves, grad = drawn
    if case.mask == PADDING:
        grad = grad * case.real[:, None, :, None]
    q, k, v = (x.detach().requires_grad_() for x in leaves)
    return Inputs(q, k, v, grad)


def random_lengths(count: int, low: int, high: int) -> tuple[int, ...]:
    """Uniform lengths in low…high; the longest is `high`, as in a batch padded to its longest."""
    generator = torch.Generator().manual_seed(0)
    lengths = torch.randint(low, high + 1, (count,), generator=generator).tolist()
    lengths[0] = high
    return tuple(lengths)


def half_lengths(most: int) -> tuple[int, ...]:
    """Four uniform lengths in 1…most − 1, in pairs n and most − n, so that half of the tokens are pads."""
    generator = torch.Generator().manual_seed(0)
    first, second = torch.randint(1, most, (2,), generator=generator).tolist()
    return first, most - first, second, most - second
