"""The definition. Every algorithm of the library equals `reference`, or refuses."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.attention.attention import Attention
from regard.attention.masks.mask import any_of
from regard.attention.positions.positions import Places
from regard.attention.weighting.weighting import Hard, Kernel, divided

Index = tuple[Tensor, Tensor, Tensor, Tensor]


def reference(
    q: Float[Tensor, "B H T D"],
    k: Float[Tensor, "B G S D"],
    v: Float[Tensor, "B G S E"],
    attention: Attention,
    dropout: float = 0.0,
) -> tuple[Float[Tensor, "B H T E"], Float[Tensor, "B H T"] | None]:
    """Output and log-sum-exp of the logits, by the definition; a `Kernel` has no logits, and None.

    logits  = β·q kᵀ + bias                     in at least float32; one row for the batch where none differs
              c·tanh(β·q kᵀ / c) + bias         under a cap c
    logits  = −∞ where the mask forbids
    weights = softmax(logits), 0 in an empty row; with a sink, of one logit more, whose weight is left out
    output  = weights · v
    """
    q, k, v, attention, index, places, mask = _prepared(q, k, v, attention)
    if isinstance(attention.weighting, Kernel):
        weights = kernel_weights(q, k, attention, mask)
        return (torch.nn.functional.dropout(weights, dropout) if dropout else weights) @ v, None

    logits = logits_of(q, k, attention, index, places)
    logits = logits.masked_fill(~mask, -torch.inf)
    weights = weigh(logits, attention)
    if dropout:
        weights = torch.nn.functional.dropout(weights.expand(v.shape[0], -1, -1, -1), dropout)
    output = weights @ v

    return output, logsumexp(with_sink(logits, attention)).expand(output.shape[:3])


def weight_map(
    q: Float[Tensor, "B H T D"], k: Float[Tensor, "B G S D"], attention: Attention
) -> Float[Tensor, "#B H T S"]:
    """The map of the definition, in at least float32; one for the whole batch where its rows do not differ."""
    q, k, _, attention, index, places, mask = _prepared(q, k, k, attention)
    if isinstance(attention.weighting, Kernel):
        return kernel_weights(q, k, attention, mask)
    return weigh(logits_of(q, k, attention, index, places).masked_fill(~mask, -torch.inf), attention)


def _prepared(
    q: Tensor, k: Tensor, v: Tensor, attention: Attention
) -> tuple[Tensor, Tensor, Tensor, Attention, Index, Places, Tensor]:
    """Wide tensors without what nobody sees, everything on one device, and the mask as a map."""
    attention = attention.on(q.device)
    q, k, v = widen(q, k, v)
    index = indices(q, k)
    places = attention.places(q.shape[2], k.shape[2])
    mask = attention.mask.slab(*index, places)
    return *blank(q, k, v, mask), attention, index, places, mask


def logits_of(
    q: Float[Tensor, "B H T D"], k: Float[Tensor, "B H S D"], attention: Attention, index: Index, places: Places
) -> Float[Tensor, "#B H T S"]:
    """The sum of the score terms at these rows, heads, queries and keys; mask not applied."""
    logits = q.new_zeros(())
    if attention.content is not None:
        logits = attention.content.logits(q, k)
    for term in attention.biases:
        logits = logits + term.slab(*index, places).to(q.dtype)
    rows = logits.shape[0] if logits.ndim == 4 else 1
    return logits.expand(rows, *q.shape[1:3], k.shape[2])


def weigh(logits: Float[Tensor, "#B H T S"], attention: Attention) -> Float[Tensor, "#B H T S"]:
    """Logits, −∞ where hidden, to weights; a row that is −∞ throughout gives zeros and no gradient."""
    if not isinstance(attention.weighting, Hard):
        return softmax(with_sink(logits, attention))[..., : logits.shape[-1]]
    best = logits.detach()
    positions = torch.arange(best.shape[-1], device=best.device)
    largest = best.amax(-1, keepdim=True)
    # argmax promises no order among equals: take the first by its position.
    first = torch.where(best == largest, positions, best.shape[-1]).amin(-1, keepdim=True)
    return (positions == first).to(logits.dtype).masked_fill(largest == -torch.inf, 0)


def with_sink(logits: Float[Tensor, "#B H T S"], attention: Attention) -> Float[Tensor, "#B H T S_or_more"]:
    """The logits, and that of the sink as a last key's, where there is one."""
    if attention.sink is None:
        return logits
    return torch.cat([logits, attention.sink.to(logits.dtype)[:, None, None].expand(*logits.shape[:3], 1)], -1)


def softmax(logits: Float[Tensor, "#B H T S"]) -> Float[Tensor, "#B H T S"]:
    """Shares of exponentials; zeros without a gradient in a row that is −∞ throughout."""
    empty = logits.detach().amax(-1, keepdim=True) == -torch.inf
    return torch.softmax(logits.masked_fill(empty, 0), -1).masked_fill(empty, 0)


def kernel_weights(
    q: Float[Tensor, "B H T D"], k: Float[Tensor, "B H S D"], attention: Attention, mask: Bool[Tensor, "..."]
) -> Float[Tensor, "B H T S"]:
    """`g(q)·g(k)` where visible, as shares of its sum unless told otherwise; zeros where that sum is zero."""
    kernel, content = attention.weighting, attention.content
    assert isinstance(kernel, Kernel)
    assert content is not None
    products = (kernel.map(q, content) @ kernel.map(k, content).mT).masked_fill(~mask, 0)
    return divided(products, products.sum(-1, keepdim=True)) if kernel.normalise else products


def logsumexp(logits: Float[Tensor, "#B H T S"]) -> Float[Tensor, "#B H T"]:
    """The log-sum-exp over the keys; −∞ in an empty row, with gradient zero rather than NaN."""
    empty = logits.detach().amax(-1, keepdim=True) == -torch.inf
    return logits.masked_fill(empty, 0).logsumexp(-1).masked_fill(empty.squeeze(-1), -torch.inf)


def widen(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """At least float32, and one key-value head per head."""
    exact = torch.promote_types(q.dtype, torch.float32)
    heads_per_group = q.shape[1] // k.shape[1]
    k, v = (x.to(exact).repeat_interleave(heads_per_group, 1) for x in (k, v))
    return q.to(exact), k, v


def blank(q: Tensor, k: Tensor, v: Tensor, mask: Bool[Tensor, "..."]) -> tuple[Tensor, Tensor, Tensor]:
    """Zeros in place of what nobody sees: a NaN there must not reach anything, gradients included."""
    empty, unseen = ~any_of(mask, -1)[..., None], ~any_of(mask, -2)[..., None]
    return q.masked_fill(empty, 0), k.masked_fill(unseen, 0), v.masked_fill(unseen, 0)


def indices(q: Tensor, k: Tensor) -> Index:
    """All rows, heads, queries and keys as index vectors."""
    B, H, T, S = *q.shape[:3], k.shape[2]
    b, h, i, j = (torch.arange(n, device=q.device) for n in (B, H, T, S))
    return b, h, i, j
