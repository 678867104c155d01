"""NYU, Deep Learning homework 3, theory."""

from regard.claims.claim import claims_in
from regard.claims.nyu import (
    attention,
    masks,
    multi_head,
    noise,
    self_attention,
    training,
    transformer,
    vision,
)

CLAIMS = (
    *claims_in(attention),
    *claims_in(noise, masks, multi_head),
    *self_attention.CLAIMS,
    *transformer.CLAIMS,
    *training.CLAIMS,
    *vision.CLAIMS,
)
