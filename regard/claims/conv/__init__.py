"""ETH Zürich, NLP, assignment 6: self-attention and convolution."""

from regard.claims.claim import claims_in
from regard.claims.conv import encodings, gaussian_costs, heads, layer, limits, logit_costs, padding, theorem

a1, a2, c1 = layer.CLAIMS
b1, d2 = encodings.CLAIMS
b2a, b2r = logit_costs.CLAIMS
(b2b,) = gaussian_costs.CLAIMS
c2, c2r = theorem.CLAIMS
(d1,) = limits.CLAIMS
e1, e2, e3 = padding.CLAIMS

CLAIMS = (a1, a2, b1, b2a, b2r, b2b, c1, c2, c2r, d1, d2, e1, e2, e3, *claims_in(heads))
