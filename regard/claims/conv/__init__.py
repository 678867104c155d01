"""ETH Zürich, NLP, assignment 6: self-attention and convolution."""

from regard.claims.claim import claims_in
from regard.claims.conv import costs, gaussian_costs, heads, layer, limits, padding, theorem

CLAIMS = claims_in(layer, costs, gaussian_costs, theorem, limits, padding, heads)
