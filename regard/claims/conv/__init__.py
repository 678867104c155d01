"""ETH Zürich, NLP, assignment 6: self-attention and convolution."""

from regard.claims.claim import claims_in
from regard.claims.conv import encodings, heads, layer, limits, theorem

CLAIMS = claims_in(layer, encodings, theorem, limits, heads)
