"""UC Berkeley, EECS 182 final review."""

from regard.claims.eecs import costs, functions, norms, reach, saturation, transformer

_BY_ROW = transformer.CLAIMS | functions.CLAIMS | saturation.CLAIMS | reach.CLAIMS | costs.CLAIMS | norms.CLAIMS
CLAIMS = tuple(_BY_ROW[row] for row in ("0", "1", "1a", "2", "2a", "2b", "2c", "2d", "3a", "3b"))
