"""*Understanding Deep Learning*, problems 12.1 to 12.10."""

from regard.claims.udl import counts

CLAIMS = (*counts.CLAIMS,)
