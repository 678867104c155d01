"""Maps of plain heads in a few sweeps through memory: of many tokens memory takes the time, not arithmetic."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.algorithms import weights
from regard.attention import Attention, Causal, Everything, Softmax
from regard.layers import MultiHead


def swift(model: nn.Module) -> nn.Module:
    """The same model, whose plain heads give their maps by `plain_map`, which are the same numbers."""
    for layer in model.modules():
        if type(layer) is MultiHead:
            changed: Any = layer  # of this one object
            changed.map = plain_map
    return model


def plain_map(
    q: Float[Tensor, "B H T D"], k: Float[Tensor, "B G S D"], attention: Attention
) -> Float[Tensor, "#B H T S"]:
    """`weights(q, k, attention)`, for one row in float32 head by head and in place where nothing but content is scored.

    >>> q, k = torch.randn(2, 1, 4, 5, 8)
    >>> all(plain_map(q, k, a).allclose(weights(q, k, a)) for a in (Attention(), Attention(mask=Causal())))
    True
    """
    content, n = attention.content, q.shape[2]
    plain = content is not None and not attention.biases and type(attention.weighting) is Softmax
    masked = type(attention.mask) is Causal and n == k.shape[2] and attention.queries is None and attention.keys is None
    seen = masked or type(attention.mask) is Everything
    if not (plain and seen) or torch.is_grad_enabled() or q.dtype != torch.float32 or len(q) > 1:
        return weights(q, k, attention)
    assert content is not None
    beta, per = content.scale(q.shape[3]), q.shape[1] // k.shape[1]
    later = torch.ones(n, n, dtype=torch.bool).triu(1) if masked else None
    found = q.new_empty(1, q.shape[1], n, k.shape[2])
    for head, out in enumerate(found[0]):
        logits = (beta * q[0, head]) @ k[0, head // per].mT
        if later is not None:
            logits.masked_fill_(later, -torch.inf)
        torch.softmax(logits, -1, out=out)
    return found
