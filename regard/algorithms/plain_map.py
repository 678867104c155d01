"""The map of plain softmax attention in a few sweeps through memory: for many tokens memory takes the time."""

import torch
from jaxtyping import Float
from torch import Tensor

from regard.algorithms.content.fused import starts_causal
from regard.attention import Attention, Content, Softmax
from regard.attention.eager import is_eager

MANY = 2**16  # weights of a head from which on the sweeps through memory cost more than a loop over heads


def is_plain(q: Tensor, k: Tensor, attention: Attention) -> bool:
    """Whether `plain_map` gives this map: content alone, no mask but causal, many weights, no gradient."""
    if type(attention.scores) is not Content or type(attention.weighting) is not Softmax:
        return False
    if attention.scores.cap is not None or attention.sink is not None:
        return False
    T, S = q.shape[2], k.shape[2]
    places = attention.places(T, S)
    facts = attention.mask.facts(places)
    if not facts.full and not starts_causal((facts,), places):
        return False
    is_small = T * S < MANY or len(q) > 1
    is_watched = torch.is_grad_enabled() or not is_eager(q)
    return not is_small and not is_watched and q.dtype == k.dtype == torch.float32 and q.device.type == "cpu"


def plain_map(
    q: Float[Tensor, "1 H T D"], k: Float[Tensor, "1 G S D"], attention: Attention
) -> Float[Tensor, "1 H T S"]:
    """`softmax(β·qᵀk)` head by head and in place, where `is_plain`: each weight is written once and read once."""
    assert isinstance(attention.scores, Content)
    beta, group = attention.scores.scale(q.shape[3]), q.shape[1] // k.shape[1]
    T, S = q.shape[2], k.shape[2]
    causal = not attention.mask.facts(attention.places(T, S)).full
    later = torch.ones(T, S, dtype=torch.bool, device=q.device).triu(1) if causal else None
    found = q.new_empty(1, q.shape[1], T, S)
    for head, out in enumerate(found[0]):
        logits = (beta * q[0, head]) @ k[0, head // group].mT
        if later is not None:
            logits.masked_fill_(later, -torch.inf)
        torch.softmax(logits, -1, out=out)
    return found
