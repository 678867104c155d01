"""*Understanding Deep Learning*, problems 12.1 to 12.10."""

from regard.claims.claim import claims_in
from regard.claims.udl import channels, counts, decoding, heads, linear, objectives, patterns, saturation, symmetry

CLAIMS = claims_in(counts, symmetry, saturation, heads, objectives, decoding, patterns, channels, linear)
