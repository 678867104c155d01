"""Attention over (B, T, C) sequences, and the two masks that have arguments of their own: pads and causal."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.algorithms import attend
from regard.attention import Attention, Causal, Everything, KeyPadding, Mask
from regard.checks import check_tensor

EVERYTHING = Everything()


def scaled_dot_product_attention(
    q: Float[Tensor, "B T D"],
    k: Float[Tensor, "B S D"],
    v: Float[Tensor, "B S E"],
    key_padding_mask: Bool[Tensor, "B S"] | None = None,
    causal: bool = False,
) -> Float[Tensor, "B T E"]:
    """Attention of a single head: `softmax(q kᵀ/√D) v`, the softmax in at least float32, True in the mask = a pad.

    A query that sees nothing gives zeros. Causal sets the last query at the last key, so that one query against a
    cache sees all of it.

    >>> q, k = torch.zeros(1, 1, 4), torch.zeros(1, 3, 4)
    >>> v = torch.tensor([[[1.0], [3.0], [100.0]]])
    >>> scaled_dot_product_attention(q, k, v, key_padding_mask=torch.tensor([[False, False, True]]))
    tensor([[[2.]]])

    Vaswani et al., *Attention Is All You Need*, NeurIPS 2017, equation 1: their d_k is our D, their d_v our E.
    """
    for name, x in (("q", q), ("v", v)):
        if not isinstance(x, Tensor) or not x.ndim:
            check_sequence(name, x, "T", 1)
    check_sequence("q", q, "T", q.shape[-1])
    check_sequence("k", k, "S", q.shape[-1])
    check_sequence("v", v, "S", v.shape[-1])
    attention = Attention(mask=compose(k, key_padding_mask, causal))
    return attend(q[:, None], k[:, None], v[:, None], attention)[:, 0]


def compose(k: Tensor, key_padding_mask: Tensor | None, causal: bool, mask: Mask = EVERYTHING) -> Mask:
    """What all of the given masks allow; `key_padding_mask` is (B, S) over the keys k, True = a pad."""
    if not isinstance(causal, bool):
        raise ValueError(f"causal must be True or False: got {causal!r}; give other masks as mask=…")
    if causal:
        mask = mask & Causal()
    if key_padding_mask is None:
        return mask
    check_tensor("key_padding_mask", key_padding_mask, "a boolean tensor (B, S), True = a pad")
    if key_padding_mask.dtype != torch.bool or key_padding_mask.shape != k.shape[:2]:
        B, S = k.shape[:2]
        raise ValueError(
            f"key_padding_mask must be boolean of shape (B, S) = ({B}, {S}), True = a pad: "
            f"got {key_padding_mask.dtype} of shape {tuple(key_padding_mask.shape)}"
        )
    return mask & KeyPadding.from_padding_mask(key_padding_mask)


def check_sequence(name: str, x: Tensor, length: str, width: int) -> None:
    """Raise unless x is a batch of sequences of that width; `length` is the legend's letter."""
    check_tensor(name, x)
    if x.ndim != 3 or x.shape[2] != width:
        hint = f"; a single sequence is {name}[None]" if x.ndim == 2 and x.shape[1] == width else ""
        raise ValueError(f"{name} must be (B, {length}, {width}): got shape {tuple(x.shape)}{hint}")
