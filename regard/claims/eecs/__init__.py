"""UC Berkeley, EECS 182 final review."""

from regard.claims.claim import claims_in
from regard.claims.eecs import costs, functions, norms, reach, saturation, transformer

CLAIMS = tuple(sorted(claims_in(transformer, functions, saturation, reach, costs, norms), key=lambda claim: claim.id))
