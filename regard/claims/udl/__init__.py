"""*Understanding Deep Learning*, problems 12.1 to 12.10."""

from regard.claims.claim import claims_in
from regard.claims.udl import decoding, heads, images, linear, objectives, saturation, self_attention

CLAIMS = claims_in(self_attention, saturation, heads, objectives, decoding, images, linear)
