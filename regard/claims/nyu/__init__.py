"""NYU, Deep Learning homework 3, theory."""

from regard.claims.claim import claims_in
from regard.claims.nyu import (
    attention,
    head_counts,
    masks,
    multi_head,
    noise,
    positions,
    self_attention,
    training,
    transformer,
    vision,
)

CLAIMS = (
    *claims_in(attention, noise, masks, multi_head, self_attention, head_counts, positions),
    *claims_in(transformer, training, vision),
)
