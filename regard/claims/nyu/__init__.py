"""NYU, Deep Learning homework 3, theory."""

from regard.claims.claim import claims_in
from regard.claims.nyu import (
    attention,
    image_models,
    long_range,
    masks,
    multi_head,
    noise,
    self_attention,
    sharpness,
    training,
    transformer,
    vision,
)

_OUTPUT, _FIXED_SELECTION, _TWO_LAYERS = attention.CLAIMS
_WIDTH, _ONE_HOT, _SPREAD = sharpness.CLAIMS

CLAIMS = (
    *(_OUTPUT, _WIDTH, _ONE_HOT, _FIXED_SELECTION, _SPREAD, _TWO_LAYERS),  # in the order of the document
    *noise.CLAIMS,
    *masks.CLAIMS,
    *multi_head.CLAIMS,
    *self_attention.CLAIMS,
    *claims_in(transformer, long_range, training, vision, image_models),
)
